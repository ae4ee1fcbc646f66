"""What a search for questions works on: regions of rows, and what is found there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from refmc.core.cells import NUMBER
from refmc.learn.trees.data import TreeSample
from refmc.learn.trees.measures import Measure
from refmc.learn.trees.questions import Question
from refmc.learn.trees.ties import Thresholds

Candidates = Callable[[Sequence[tuple[Any, ...]]], Iterable[Question]]
"""Questions to consider at a node, besides those of single columns, from the node's rows."""


@dataclass(frozen=True, slots=True)
class Region:
    """The rows of a node: their positions, class weights, and sorted lists.

    `orders`: for each numeric column that isn't constant here, the rows sorted by it.
    """

    rows: list[int]
    counts: list[int]
    orders: dict[int, list[int]]

    def is_pure(self) -> bool:
        return sum(map(bool, self.counts)) == 1


@dataclass(frozen=True)
class Search:
    """What stays the same for all nodes of one tree."""

    sample: TreeSample
    ranks: dict[int, list[int]]
    measure: Measure
    min_leaf: int
    midpoints: bool
    candidates: Candidates | None
    lookahead: int
    thresholds: Callable[[int], Thresholds]


@dataclass(frozen=True, slots=True)
class Best:
    """The questions of a node that leave the least impurity P·F(n₊) + N·F(n₋), and that value.

    With look-ahead the value is what the splits below leave in their turn.
    """

    remaining: Any
    tied: Sequence[Question]


class Offer(NamedTuple):
    """A cut or subset whose score is close to the best: `key` says how to make its question."""

    score: Any
    make: Callable[[Any], Question]
    key: Any
    p: tuple[int, ...]


def sort_columns(sample: TreeSample) -> tuple[Region, dict[int, list[int]]]:
    """The region of all rows, and for each numeric column the rank of each row's value."""
    m = len(sample.y)
    counts = [0] * len(sample.classes)
    for y, w in zip(sample.y, sample.weights):
        counts[y] += w
    numeric = {
        j: column
        for j, column in enumerate(sample.data.columns)
        if sample.kinds[j] == NUMBER and len(column.values) > 1
    }
    orders = {j: column.order for j, column in numeric.items()}
    ranks = {j: column.ranks for j, column in numeric.items()}
    return Region(list(range(m)), counts, orders), ranks


def raised(floor: Any, score: Any, slack: Any) -> Any:
    """The least score that can still be as good as the best; infinite slack admits everything."""
    return floor if slack == math.inf else max(floor, score - slack)
