"""The ways to part a node's categories into two sides, each of them once.

[lu, "Node Questions for Binary Decision Trees"]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from refmc.errors import ParameterError
from refmc.learn.trees.questions import CategoricalQuestion

MAX_CATEGORIES = 20
"""Up to this many categories at a node, all their sets are tried."""


class Group(NamedTuple):
    """The rows of a category, or of several: how many they are, and the weight of each class."""

    rows: int
    counts: Sequence[int]


def splits_by_sets(
    column: int,
    groups: Mapping[str, Group],
    whole: Group,
    merit: Callable[[Sequence[int]], Any],
    slack: Any,
    min_leaf: int,
    min_weight: Any,
) -> list[tuple[Any, tuple[CategoricalQuestion, tuple[int, ...]]]]:
    """The splits by a set A whose scores are within the slack of the best one's, sorted by A.

    All of them for infinite slack. Each comes with its score and the class weights of the rows in
    A. A is the side of fewer categories; of two sides of equally many, the one with the first
    category in sorted order. With more than `MAX_CATEGORIES` categories only some sets are tried,
    one of which is known to be best; `ParameterError` where no such choice is known.
    """
    values = sorted(groups)
    subsets = _all_sets
    if len(values) > MAX_CATEGORIES:
        if sum(map(bool, whole.counts)) > 2 or min_leaf > 1 or min_weight or slack == math.inf:
            raise ParameterError(
                f"X: column {column} has {len(values)} categories at a node, which makes "
                f"2^{len(values) - 1} - 1 questions; more than {MAX_CATEGORIES} categories are "
                "possible at nodes of two classes, without min_leaf and lookahead: merge some"
            )
        # Where a node has two classes and the impurity is concave, sorting the categories by the
        # share of one class makes some best set an initial piece of this order. Other sets that tie
        # with it may be missed.
        one = next(c for c, count in enumerate(whole.counts) if count)
        values.sort(key=lambda v: Fraction(groups[v].counts[one], sum(groups[v].counts)))
        subsets = _first_ones
    found = []
    least: Any = -math.inf
    for bits, rows, p in subsets([groups[value] for value in values]):
        if not min_leaf <= rows <= whole.rows - min_leaf:
            continue
        if min_weight and not min_weight <= sum(p) <= sum(whole.counts) - min_weight:
            continue
        rest = tuple(w - part for w, part in zip(whole.counts, p))
        score = merit(p) + merit(rest)
        if score < least:
            continue
        if slack != math.inf:
            least = max(least, score - slack)
        chosen = sorted(value for i, value in enumerate(values) if bits >> i & 1)
        others = sorted(value for i, value in enumerate(values) if not bits >> i & 1)
        if (len(others), others) < (len(chosen), chosen):
            chosen, p = others, rest
        found.append((score, (CategoricalQuestion(column, tuple(chosen)), p)))
    kept = [split for split in found if split[0] >= least]
    return sorted(kept, key=lambda split: (len(split[1][0].values), split[1][0].values))


def _all_sets(groups: Sequence[Group]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
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


def _first_ones(groups: Sequence[Group]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """The first group, the first two, and so on, in the form of `_all_sets`."""
    rows, p = 0, [0] * len(groups[0].counts)
    for i, group in enumerate(groups[:-1]):
        rows += group.rows
        p = [a + b for a, b in zip(p, group.counts)]
        yield (2 << i) - 1, rows, tuple(p)
