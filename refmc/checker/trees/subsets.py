"""The sets of values of a categorical column that may part a node best.

Covers [lu, "Node Questions for Binary Decision Trees"].

Which sets have to be tried? With u and f as in `splits`, a set of values has as its u the sum of
the class weights of these values. Over the hull of all such sums f is least at a vertex, and at one
other than 0 and n, for if it were least there it would be constant. A vertex is the only maximum of
some linear function, so it takes either all vectors of one direction or none of them. So where
`min_leaf` is 1 and there is no look-ahead, values whose class weights are proportional stay
together; and with two classes, where the vertices are the sums of the first few vectors in the
order of their directions, only the sets of values that come first in the order of the proportions
need to be tried.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd
from typing import NamedTuple

from refmc.checker.trees.data import Column, Data

MOST_SUBSETS = 2**19
"""The most sets of values that are tried at a node, which is enough for 20 values."""

Weights = tuple[int, ...]


class Group(NamedTuple):
    """Some values of a categorical column: their ranks, number of rows and class weights."""

    ranks: tuple[int, ...]
    size: int
    weights: Weights


def groups_of_values(data: Data, column: Column, rows: Sequence[int]) -> list[Group]:
    """Each value of the column among the rows, by itself.

    >>> from refmc.checker.trees.data import Sample, prepare
    >>> data = prepare(Sample(X=[["b"], ["a"], ["b"]], y=(0, 1, 1), k=2))
    >>> groups_of_values(data, data.columns[0], [0, 2])
    [Group(ranks=(1,), size=2, weights=(1, 1))]
    """
    members: dict[int, list[int]] = {}
    for i in rows:
        members.setdefault(column.ranks[i], []).append(i)
    return [
        Group((rank,), len(own), tuple(data.counts(own))) for rank, own in sorted(members.items())
    ]


def subsets_to_try(
    values: Sequence[Group], limits_leaves: bool, looks_ahead: bool
) -> tuple[Sequence[Group], bool]:
    """Sets of values, one of which is best; and False where there were too many to try them all.

    values: those of a node, two at least.

    >>> ones = [Group((r,), 1, weights) for r, weights in enumerate([(1, 0), (0, 1), (2, 0)])]
    >>> [group.ranks for group in subsets_to_try(ones, False, False)[0]]
    [(1,)]
    """
    if looks_ahead:
        complete = 2 ** (len(values) - 1) <= MOST_SUBSETS
        found: list[Group] = []
        # Sets of equal class weights are kept apart, as look-ahead distinguishes their rows.
        for value in values[1:] if complete else ():
            found += [*(_union([group, value]) for group in found), value]
        return found, complete
    if limits_leaves:
        return _one_of_each_sum(values)
    together: dict[Weights, list[Group]] = {}
    for group in values:
        common = gcd(*group.weights)
        together.setdefault(tuple(c // common for c in group.weights), []).append(group)
    groups = [_union(same) for same in together.values()]
    if len(groups) == 1:
        return values[:1], True  # every split leaves the same risk
    present = [c for c, own in enumerate(zip(*(group.weights for group in groups))) if any(own)]
    if len(present) == 2:
        groups.sort(key=lambda group: Fraction(group.weights[present[0]], sum(group.weights)))
        return [_union(groups[:length]) for length in range(1, len(groups))], True
    return _one_of_each_sum(groups)


def _union(groups: Sequence[Group]) -> Group:
    ranks = tuple(rank for group in groups for rank in group.ranks)
    weights = tuple(map(sum, zip(*(group.weights for group in groups), strict=True)))
    return Group(ranks, sum(group.size for group in groups), weights)


def _one_of_each_sum(groups: Sequence[Group]) -> tuple[list[Group], bool]:
    """The subsets without the first group, one for each pair of size and class weights; and whether
    these are all, which they aren't where there would be more than `MOST_SUBSETS`."""
    nothing = Group((), 0, (0,) * len(groups[0].weights))
    found, complete = {(nothing.size, nothing.weights): nothing}, True
    for group in groups[1:]:
        complete = complete and len(found) <= MOST_SUBSETS // 2
        for subset in list(found.values()) if complete else ():
            more = _union([subset, group])
            found.setdefault((more.size, more.weights), more)
    return list(found.values())[1:], complete
