"""Impurities as sums over the children of a split, exact and, to be quick, nearly so.

Among the questions of one node the decrease is largest where |n₊|F(n₊) + |n₋|F(n₋) is least. A
`Measure` gives that sum exactly, and a score that falls with it: a float or a whole number off by
at most `slack`, or the exact sum itself. Only questions within twice the slack of the best score
are compared exactly.

Legend: p, n class weights of the positive and the negative child (whole numbers), P, N their
sums, W = P + N.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from refmc.core.logs import Log
from refmc.core.scalars import shown
from refmc.errors import ParameterError
from refmc.theory.impurity import Impurity, entropy, gini, misclassification

Counts = Sequence[int]

ENTROPY_UNIT = 1 << 32
LARGEST_TABLE = 1 << 17
LARGEST_FLOAT = 1 << 400


@dataclass(frozen=True)
class Measure:
    """How to compare the splits of a node.

    `impurity`: F, exact, of class weights. `score`: of the children's class weights; `slack`: how
    much the scores of equal splits can differ, at most. `n_log_n`: for entropies of small totals,
    i·log2(i)·2^32 rounded, for each i.
    """

    impurity: Impurity
    score: Callable[[Counts, Counts], Any]
    slack: Any
    is_gini: bool = False
    n_log_n: Sequence[int] | None = None

    def children(self, p: Counts, n: Counts) -> Any:
        """P·F(n₊) + N·F(n₋), exactly."""
        return self.impurity(p) * sum(p) + self.impurity(n) * sum(n)


def measure_of(impurity: Impurity, total: int, k: int, unit: Fraction | int) -> Measure:
    """The measure for nodes of at most `total` weights of a `unit` each, and k classes."""
    if impurity is misclassification:
        return Measure(impurity, lambda p, n: max(p) + max(n), 0)
    if impurity is gini and total < LARGEST_FLOAT:
        return Measure(impurity, _gini_score, total * 2.0**-48, is_gini=True)
    if impurity is entropy and total < LARGEST_TABLE:
        # An entry errs by less than 5: ½ for rounding, and i·log2(i)·2^32 is below 2^54 and has
        # a relative error of 2^-51 at most. A score adds 2k + 2 entries.
        table = [0, *(round(i * math.log2(i) * ENTROPY_UNIT) for i in range(1, total + 1))]
        return Measure(impurity, _table_score(table), 16 * (2 * k + 2), n_log_n=table)
    if impurity is entropy and total < LARGEST_FLOAT:
        slack = (2 * k + 2) * total * (math.log2(total) + 1) * 2.0**-46
        return Measure(impurity, _entropy_score, slack)
    lifted = lift(impurity, unit)
    return Measure(lifted, lambda p, n: -(lifted(p) * sum(p) + lifted(n) * sum(n)), 0)


def lift(impurity: Impurity, unit: Fraction | int = 1) -> Impurity:
    """The caller's impurity of weights in units, its floats as the binary fractions they are."""
    if impurity in (gini, entropy, misclassification):
        return impurity

    def lifted(counts: Sequence[Any]) -> Any:
        value = impurity(counts if unit == 1 else [count * unit for count in counts])
        if isinstance(value, float) and math.isfinite(value):
            return Fraction(value)
        if isinstance(value, int):
            return Fraction(value)
        if isinstance(value, (Fraction, Log)):
            return value
        raise ParameterError(
            f"impurity: expected a finite number or a Log, got {shown(value)} "
            f"for the class weights {shown(tuple(counts))}"
        )

    return lifted


def _gini_score(p: Counts, n: Counts) -> float:
    """Σp²/P + Σn²/N, which is W minus the children's Gini indices, weighted."""
    return sum(a * a for a in p) / sum(p) + sum(a * a for a in n) / sum(n)


def _table_score(table: Sequence[int]) -> Callable[[Counts, Counts], int]:
    def score(p: Counts, n: Counts) -> int:
        inside = sum(table[a] for a in p) + sum(table[a] for a in n)
        return inside - table[sum(p)] - table[sum(n)]

    return score


def _entropy_score(p: Counts, n: Counts) -> float:
    return _minus_entropy(p) + _minus_entropy(n)


def _minus_entropy(counts: Counts) -> float:
    size = sum(counts)
    return math.fsum(a * math.log2(a / size) for a in counts if a)


def bounds(value: Fraction | Log) -> tuple[float, float]:
    """Floats below and above a value, by which most comparisons are decided."""
    if isinstance(value, Log):
        return value.bounds()
    try:
        near = float(value)
    except OverflowError:
        return -math.inf, math.inf
    error = abs(near) * 2.0**-50 + 2.0**-1000
    return near - error, near + error
