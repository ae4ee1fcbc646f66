"""The ways to part a node's categories into two sides, each of them once.

[lu, "Node Questions for Binary Decision Trees"]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from refmc.errors import ParameterError

MAX_CATEGORIES = 20
"""The most categories of a node of which all sets are tried."""


class Group(NamedTuple):
    """The rows of a category, or of several: how many they are, and the weight of each class."""

    rows: int
    counts: Sequence[int]


class Side(NamedTuple):
    """A set A of categories, the score of the split, and the class weights p of the rows in A."""

    score: Any
    p: tuple[int, ...]
    values: tuple[str, ...]


def partitions(
    groups: Mapping[str, Group],
    whole: Group,
    merit: Callable[[Sequence[int]], Any],
    slack: Any,
    min_leaf: int,
    column: int,
) -> list[Side]:
    """The partitions whose scores are within the slack of the best one; all of them for infinite
    slack.

    A is the side of fewer categories; of two sides of equally many, the one with the first
    category in sorted order. With more than `MAX_CATEGORIES` categories only those cuts are tried
    of which one is best (see `_cuts_by_share`), and `ParameterError` says where there are none.
    """
    values = sorted(groups)
    if len(values) <= MAX_CATEGORIES:
        sides = _subsets([groups[value] for value in values])
    else:
        if sum(map(bool, whole.counts)) > 2 or min_leaf > 1 or slack == math.inf:
            raise ParameterError(
                f"X: column {column} has {len(values)} categories at a node, which makes "
                f"2^{len(values) - 1} - 1 questions; more than {MAX_CATEGORIES} categories are "
                "possible at nodes of two classes, without min_leaf and lookahead: merge some"
            )
        values, sides = _cuts_by_share(groups, whole)
    found: list[Side] = []
    least: Any = -math.inf
    for bits, rows, p in sides:
        if min_leaf <= rows <= whole.rows - min_leaf:
            n = tuple(w - part for w, part in zip(whole.counts, p))
            score = merit(p) + merit(n)
            if score >= least:
                found.append(_smaller_side(values, bits, score, p, n))
                if slack != math.inf:
                    least = max(least, score - slack)
    kept = [side for side in found if side.score >= least]
    return sorted(kept, key=lambda side: (len(side.values), side.values))


def _subsets(groups: Sequence[Group]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """All sets of groups without the last one: as bits, with their rows and class weights.

    In the order of a Gray code, so that each differs from the one before by one group.
    """
    bits, rows, p = 0, 0, [0] * len(groups[0].counts)
    for step in range(1, 1 << (len(groups) - 1)):
        changed = (step & -step).bit_length() - 1
        bits ^= 1 << changed
        sign = 1 if bits >> changed & 1 else -1
        rows += sign * groups[changed].rows
        p = [a + sign * b for a, b in zip(p, groups[changed].counts)]
        yield bits, rows, tuple(p)


def _cuts_by_share(
    groups: Mapping[str, Group], whole: Group
) -> tuple[list[str], Iterator[tuple[int, int, tuple[int, ...]]]]:
    """The categories in the order of the share of one class, and their first ones as sets.

    Where a node has two classes and the impurity is concave, the best set of all is among these,
    though not all sets that tie with it.
    """
    one = next(c for c, count in enumerate(whole.counts) if count)

    def share(value: str) -> Fraction:
        return Fraction(groups[value].counts[one], sum(groups[value].counts))

    values = sorted(sorted(groups), key=share)

    def cuts() -> Iterator[tuple[int, int, tuple[int, ...]]]:
        rows, p = 0, [0] * len(whole.counts)
        for i, value in enumerate(values[:-1]):
            rows += groups[value].rows
            p = [a + b for a, b in zip(p, groups[value].counts)]
            yield (2 << i) - 1, rows, tuple(p)

    return values, cuts()


def _smaller_side(
    values: Sequence[str], bits: int, score: Any, p: tuple[int, ...], n: tuple[int, ...]
) -> Side:
    chosen = sorted(value for i, value in enumerate(values) if bits >> i & 1)
    others = sorted(value for i, value in enumerate(values) if not bits >> i & 1)
    if (len(others), others) < (len(chosen), chosen):
        chosen, p = others, n
    return Side(score, p, tuple(chosen))
