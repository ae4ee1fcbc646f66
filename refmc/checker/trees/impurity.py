"""Three impurities of class weights, exactly, and as whole numbers that settle most comparisons.

Covers [lu, "Three Most Commonly Used Measures of Node Impurity"].

    u        the weights of the classes at a node, which are whole numbers; |u| is their sum
    risk     |u| F(u), where F is the impurity; it is concave, so that no split raises the sum
    p, n     the class weights of the rows that come first in a sorted column, and of the rest

Of two splits of one node the one whose children have the smaller sum of risks has the larger
decrease. `merit` is minus the risk plus a multiple of |u|, which is the same in sum for all splits
of a node, scaled and rounded to a whole number. Where the merits of two splits differ by more than
`slack`, the split with the larger merit leaves the smaller risk.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from operator import mul
from typing import Literal, NamedTuple

from refmc.checker.numbers.logarithms import LogSum, floor_log2, weighted_logs

ImpurityName = Literal["gini", "entropy", "misclassification"]

NAMES: tuple[ImpurityName, ...] = ("gini", "entropy", "misclassification")

_BITS = 32  # binary digits of merits behind the point


class SortedRows(NamedTuple):
    """The rows of a node in the order of a column; the other lists are indexed by row.

    `blocks` are equal for neighbours that need no cut between them, such as rows of one value.
    `counts`: the class weights of the node. `first`, `last`: the least and the most rows of the
    first child.
    """

    order: Sequence[int]
    blocks: Sequence[int]
    y: Sequence[int]
    weights: Sequence[int]
    counts: Sequence[int]
    first: int
    last: int


Cut = tuple[int, int]
"""The merit of both children together, and how many of the sorted rows go to the first."""


class Impurity(NamedTuple):
    """An impurity: its merit, its exact risk, and how far merits can be trusted.

    `slack`: a function of the weight of a node, the largest difference of merits of its splits
    that rounding may explain. `cuts`: from sorted rows, all cuts with their merits. `is_strict`:
    whether the risk is strictly concave in every direction but that of the weights themselves,
    along which it is linear.
    """

    name: ImpurityName
    merit: Callable[[Sequence[int]], int]
    slack: Callable[[int], int]
    risk: Callable[[Sequence[int]], LogSum]
    cuts: Callable[[SortedRows], list[Cut]]
    is_strict: bool


def impurity_of(name: ImpurityName) -> Impurity:
    """The impurity of that name.

    >>> [impurity_of(name).risk([1, 1]).rational for name in NAMES]
    [Fraction(1, 1), Fraction(2, 1), Fraction(1, 1)]
    """
    if name == "gini":
        return Impurity(name, _gini_merit, lambda size: 2, _gini_risk, _gini_cuts, True)
    if name == "misclassification":
        return Impurity(name, max, lambda size: 0, _error_risk, _error_cuts, False)
    logs = _Logs()
    # Each logarithm is too small by less than 2 units, so a child's merit is off by less than 2|u|.
    return Impurity(name, logs.merit, lambda size: 4 * size, _entropy_risk, logs.cuts, True)


def _gini_merit(u: Sequence[int]) -> int:
    squares: int = sum(map(mul, u, u))
    return (squares << _BITS) // sum(u)


def _gini_risk(u: Sequence[int]) -> LogSum:
    size = sum(u)
    return LogSum(size - Fraction(sum(map(mul, u, u)), size) if size else 0)


def _gini_cuts(rows: SortedRows) -> list[Cut]:
    order, blocks, y, weights, counts, first, last = rows
    size, below = sum(counts), 0
    p, twice = [0] * len(counts), [2 * c for c in counts]
    squares_below, squares_above = 0, sum(map(mul, counts, counts))
    found = []
    for cut, (i, after) in enumerate(pairwise(order), 1):
        c, w = y[i], weights[i]
        before = p[c]
        p[c] = before + w
        grown = w * (before + before + w)  # (p + w)² − p²
        squares_below += grown
        squares_above += grown - w * twice[c]  # with n = counts − p, which isn't kept
        below += w
        if blocks[i] != blocks[after] and first <= cut <= last:
            merit = (squares_below << _BITS) // below + (squares_above << _BITS) // (size - below)
            found.append((merit, cut))
    return found


def _error_risk(u: Sequence[int]) -> LogSum:
    return LogSum(sum(u) - max(u))


def _error_cuts(rows: SortedRows) -> list[Cut]:
    order, blocks, y, weights, counts, first, last = rows
    below = _most_of_a_class(order, y, weights, len(counts))
    above = _most_of_a_class(order[::-1], y, weights, len(counts))
    return [
        (below[cut] + above[len(order) - cut], cut)
        for cut in range(first, last + 1)
        if blocks[order[cut - 1]] != blocks[order[cut]]
    ]


def _most_of_a_class(
    order: Sequence[int], y: Sequence[int], weights: Sequence[int], k: int
) -> list[int]:
    """The largest class weight among the first 0, 1, 2, … rows."""
    u, largest, found = [0] * k, 0, [0]
    for i in order:
        c = y[i]
        count = u[c] = u[c] + weights[i]
        if count > largest:  # noqa: PLR1730  # a call of max takes as long as all else here
            largest = count
        found.append(largest)
    return found


def _entropy_risk(u: Sequence[int]) -> LogSum:
    size = sum(u)
    return weighted_logs([(size, size), *((-c, c) for c in u if c)] if size else [])


class _Logs(dict[int, int]):
    """c log₂ c for each c that was asked for, times 2^_BITS and rounded down."""

    def __missing__(self, c: int) -> int:
        # An even number has the digits of its half behind the point, which are found only once.
        twos = (c & -c).bit_length() - 1
        self[c] = found = c * ((twos << _BITS) + floor_log2(c >> twos, _BITS)) if c else 0
        return found

    def merit(self, u: Sequence[int]) -> int:
        return sum([self[c] for c in u]) - self[sum(u)]

    def cuts(self, rows: SortedRows) -> list[Cut]:
        order, blocks, y, weights, counts, first, last = rows
        p, n = [0] * len(counts), list(counts)
        of_p, of_n = [0] * len(counts), [self[c] for c in n]
        below, above = 0, sum(n)
        inside = sum(of_n)
        found = []
        for cut, (i, after) in enumerate(pairwise(order), 1):
            c, w = y[i], weights[i]
            p[c] += w
            n[c] -= w
            more, less = self[p[c]], self[n[c]]
            inside += more - of_p[c] + less - of_n[c]
            of_p[c], of_n[c] = more, less
            below += w
            above -= w
            if blocks[i] != blocks[after] and first <= cut <= last:
                found.append((inside - self[below] - self[above], cut))
        return found
