"""Quick scores for the splits of a node, one measure for each impurity.

Among the questions of one node the decrease is largest where |n₊|F(n₊) + |n₋|F(n₋) is least. The
merit of a child is −|u|F(u), or that plus a multiple of |u|, whose sum over both children is the
same for every question. So the split with the largest sum of merits, its score, is the best one.
Merits are quick to compute, in floats or whole numbers. Rounding makes the scores of equally good
splits differ by at most `slack`, and only splits within the slack of the best are compared exactly.

Legend: u the weight of each class at a node, whole numbers; |u| their sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from refmc.core.logs import Log
from refmc.core.scalars import Number, exact_parameter, shown
from refmc.errors import ExactnessLimitError, ParameterError
from refmc.theory.impurity import Impurity, entropy, gini, misclassification

Counts = Sequence[int]

ENTROPY_UNIT = 1 << 32
"""The table for entropies has i log2 i, rounded to a whole multiple of 1/ENTROPY_UNIT."""

LARGEST_TABLE = 1 << 17
"""Below this total weight of the rows the table is made, with an entry for each unit of weight."""

LARGEST_FLOAT = 1 << 400
"""Below this total weight of the rows the squares of weights are within the range of floats."""

MOST_BITS = 2_200
"""Entropies are compared if the total weight, in the weights' unit, has at most so many bits.

An entropy multiplies logarithms by weights, so these logarithms must be known to as many bits as
the weights have. Weights that are floats need no more than this, whatever their sizes.
"""


class SortedRows(NamedTuple):
    """The rows of a node in the order of a numeric column.

    For each row of the sample, `ranks` has the rank of its value, `y` the position of its class,
    and `weights` its weight. `counts`: for each class its weight at the node.
    A cut has at least `first` and at most `last` rows before it.
    """

    order: Sequence[int]
    ranks: Sequence[int]
    y: Sequence[int]
    weights: Sequence[int]
    counts: Counts
    first: int
    last: int


Cuts = list[tuple[Any, int]]
"""Pairs of a score and of how many of the sorted rows come first."""


class Measure(NamedTuple):
    """How the splits of a node are compared.

    `impurity`: F, exact. `merit`: from the class weights of a child to its merit. `cuts`: by one
    pass over sorted rows, all cuts whose scores are within the slack of the best one. `slack`: by
    how much the scores of equally good splits can differ; 0 for scores that are exact.
    """

    impurity: Impurity
    merit: Callable[[Counts], Any]
    cuts: Callable[[SortedRows, Any], Cuts]
    slack: Any

    def risk(self, u: Counts) -> Any:
        """|u|F(u), exactly."""
        return self.impurity(u) * sum(u)


def measure_of(impurity: Impurity, total: int, k: int, unit: Fraction | int) -> Measure:
    """The measure for nodes of at most `total` weights of a `unit` each, and k classes.

    Raises `ExactnessLimitError` for the entropy of weights beyond `MOST_BITS`.
    """
    if impurity is misclassification:
        return Measure(impurity, max, _cuts_by_errors, 0)
    if impurity is gini and total < LARGEST_FLOAT:
        return Measure(impurity, _gini_merit, _cuts_by_gini, total * 2.0**-48)
    if impurity is entropy and total < LARGEST_TABLE:
        # An entry errs by less than 5: ½ for rounding, and i·log2(i)·2^32 is below 2^54 and has
        # a relative error of 2^-51 at most. Two merits add 2k + 2 entries.
        table = [0, *(round(i * math.log2(i) * ENTROPY_UNIT) for i in range(1, total + 1))]
        return Measure(impurity, *_by_table(table), 16 * (2 * k + 2))
    if impurity is entropy and total < LARGEST_FLOAT:
        slack = (2 * k + 2) * total * (math.log2(total) + 1) * 2.0**-46
        return Measure(impurity, _minus_entropy, _cuts_by(_minus_entropy), slack)
    check_entropies(impurity, total)
    lifted = lift(impurity, unit)

    def minus_risk(u: Counts) -> Any:
        return -(lifted(u) * sum(u))

    return Measure(lifted, minus_risk, _cuts_by(minus_risk), 0)


def check_entropies(impurity: Impurity, total: int) -> None:
    """`ExactnessLimitError` where entropies of so many units of weight are not compared.

    >>> check_entropies(entropy, 10**600)
    """
    if impurity is entropy and total.bit_length() > MOST_BITS:
        raise ExactnessLimitError(
            f"weights: in their common unit they add up to a number of {total.bit_length()} binary "
            f"digits; entropies are compared up to {MOST_BITS}; take weights that are closer to "
            "one another, or another impurity"
        )


def at_least_0(value: Number | Log, name: str) -> Any:
    """An amount of impurity, or a weight: an exact number or a `Log`, of at least 0."""
    amount = value if isinstance(value, Log) else exact_parameter(value, name)
    if amount < 0:
        raise ParameterError(f"{name}: expected at least 0, got {shown(value)}")
    return amount


def lift(impurity: Impurity, unit: Fraction | int = 1) -> Impurity:
    """The caller's impurity of weights in units, its floats as the binary fractions they are."""
    if impurity in (gini, entropy, misclassification):
        return impurity

    def lifted(counts: Sequence[Any]) -> Any:
        value = impurity(counts if unit == 1 else [count * unit for count in counts])
        if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
            return Fraction(value)
        if isinstance(value, (Fraction, Log)):
            return value
        raise ParameterError(
            f"impurity: expected a finite number or a Log, got {shown(value)} "
            f"for the class weights {shown(tuple(counts))}"
        )

    return lifted


def _cuts_by_errors(rows: SortedRows, slack: float) -> Cuts:
    """Scored by max p + max n; a pass from either end finds the largest counts."""
    order, ranks, y, weights, counts, first, last = rows
    m = len(order)
    n, largest, above = [0] * len(counts), 0, [0]
    for row in reversed(order):
        c = y[row]
        count = n[c] = n[c] + weights[row]
        if count > largest:  # noqa: PLR1730  # a call of max takes as long as all else here
            largest = count
        above.append(largest)
    p, largest = [0] * len(counts), 0
    cuts: Cuts = []
    least: float = 0
    for cut, row, rest in zip(range(1, m), order, above[-2::-1]):
        c = y[row]
        count = p[c] = p[c] + weights[row]
        if count > largest:  # noqa: PLR1730  # as above
            largest = count
        score = largest + rest
        if score >= least and ranks[row] != ranks[order[cut]] and first <= cut <= last:
            cuts.append((score, cut))
            if score > least:
                least = score - slack  # the slack is 0, or infinite with look-ahead
    return [pair for pair in cuts if pair[0] >= least]


def _gini_merit(u: Counts) -> float:
    """Σu²/|u|, which is |u| − |u|F(u)."""
    return sum(a * a for a in u) / sum(u)


def _cuts_by_gini(rows: SortedRows, slack: float) -> Cuts:
    """Scored by Σp²/|p| + Σn²/|n|, whose sums change by 2pw + w² with a row of weight w."""
    order, ranks, y, weights, counts, first, last = rows
    p, n = [0] * len(counts), list(counts)
    p_size, n_size = 0, sum(n)
    p_squares, n_squares = 0, sum(count * count for count in n)
    cuts: Cuts = []
    least: float = 0
    for cut, (row, after) in enumerate(pairwise(order), 1):
        c, w = y[row], weights[row]
        count = p[c]
        p_squares += w * (count + count + w)
        p[c] = count + w
        count = n[c] - w
        n_squares -= w * (count + count + w)
        n[c] = count
        p_size += w
        n_size -= w
        if ranks[row] != ranks[after]:
            score = p_squares / p_size + n_squares / n_size
            if score >= least and first <= cut <= last:
                cuts.append((score, cut))
                least = max(least, score - slack)
    return [pair for pair in cuts if pair[0] >= least]


def _by_table(
    table: Sequence[int],
) -> tuple[Callable[[Counts], int], Callable[[SortedRows, float], Cuts]]:
    """Merit and cuts by Σ u log2 u − |u| log2 |u|, which is −|u|F(u), from a table of i log2 i."""

    def merit(u: Counts) -> int:
        return sum(table[a] for a in u) - table[sum(u)]

    def cuts_by_entropy(rows: SortedRows, slack: float) -> Cuts:
        order, ranks, y, weights, counts, first, last = rows
        p, n = [0] * len(counts), list(counts)
        p_size, n_size = 0, sum(n)
        inside = sum(table[count] for count in n)
        cuts: Cuts = []
        least = -math.inf
        for cut, (row, after) in enumerate(pairwise(order), 1):
            c, w = y[row], weights[row]
            count = p[c]
            inside += table[count + w] - table[count]
            p[c] = count + w
            count = n[c] - w
            inside += table[count] - table[count + w]
            n[c] = count
            p_size += w
            n_size -= w
            if ranks[row] != ranks[after]:
                score = inside - table[p_size] - table[n_size]
                if score >= least and first <= cut <= last:
                    cuts.append((score, cut))
                    least = max(least, score - slack)
        return [pair for pair in cuts if pair[0] >= least]

    return merit, cuts_by_entropy


def _minus_entropy(u: Counts) -> float:
    size = sum(u)
    return math.fsum(a * math.log2(a / size) for a in u if a)


def _cuts_by(merit: Callable[[Counts], Any]) -> Callable[[SortedRows, Any], Cuts]:
    """Cuts by a merit that is computed anew for each."""

    def cuts_by_merit(rows: SortedRows, slack: Any) -> Cuts:
        order, ranks, y, weights, counts, first, last = rows
        p, n = [0] * len(counts), list(counts)
        cuts: Cuts = []
        least: Any = -math.inf
        for cut, (row, after) in enumerate(pairwise(order), 1):
            c, w = y[row], weights[row]
            p[c] += w
            n[c] -= w
            if ranks[row] != ranks[after] and first <= cut <= last:
                score = merit(tuple(p)) + merit(tuple(n))
                if score >= least:
                    cuts.append((score, cut))
                    if slack != math.inf:  # which can't be taken from a `Log`
                        least = max(least, score - slack)
        return [pair for pair in cuts if pair[0] >= least]

    return cuts_by_merit
