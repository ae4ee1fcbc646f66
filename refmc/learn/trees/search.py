"""The best questions of a node: all of them, found by one look at each column.

[lu, "Node Questions for Binary Decision Trees"], [lu, "Issues of the Greedy Algorithm"]. Rows are
sorted once by every numeric column, and splitting a node splits its sorted lists. A cut parts the
sorted rows into the first ones and the rest, so two lists of running merits, one from either end,
give the scores of all cuts of a column (see `measures`).

Legend: p, n class weights of the positive and the negative child.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, pairwise, starmap
from typing import Any, NamedTuple

from refmc.core.cells import CATEGORY, NUMBER, SortedColumns
from refmc.core.scalars import shown
from refmc.errors import ParameterError
from refmc.learn.trees.measures import Measure, SortedRows
from refmc.learn.trees.questions import CategoricalQuestion, NumericQuestion, Question, midpoint
from refmc.learn.trees.subsets import Group, partitions
from refmc.learn.trees.ties import tied_cuts, tied_questions

Candidates = Callable[[Sequence[tuple[Any, ...]]], Iterable[Question]]
"""Questions to consider at a node, besides those of single columns, from the node's rows."""


MOST_LOOKS = 10**7
"""How many values of rows a look-ahead may look at for one node, in the worst case."""


def check_lookahead(levels: int, rows: int, columns: Sequence[tuple[int, bool]], more: int) -> None:
    """`ParameterError` for a look-ahead that can't end: each level is as much for every question.

    columns: how many values each has, and whether they are categories; more: candidates.

    >>> check_lookahead(1, 100, [(100, False)], 0)
    """
    questions = more + sum(
        2 ** min(count - 1, 64) if is_categorical else count for count, is_categorical in columns
    )
    looks, level = rows * len(columns), 0
    while level < levels and questions > 1:
        looks, level = looks * questions, level + 1
        if looks > MOST_LOOKS:
            raise ParameterError(
                f"lookahead: {level} levels of {shown(questions)} questions look at more than "
                f"{MOST_LOOKS} values for one node"
            )


class Region(NamedTuple):
    """The rows of a node, and their class weights.

    `orders`: for each numeric column that isn't constant here, the rows sorted by it.
    """

    rows: list[int]
    counts: list[int]
    orders: dict[int, list[int]]


class Best(NamedTuple):
    """The questions of a node that leave the least |n₊|F(n₊) + |n₋|F(n₋), and that value.

    With look-ahead the value is what the splits below leave in their turn.
    """

    remaining: Any
    tied: Sequence[Question]


class Scan(NamedTuple):
    """Splits of a node, with their scores, which are the sums of the children's merits.

    `column`: a numeric column, and each key is how many of the rows sorted by it come first. None:
    each key is a question, with the class weights p of the rows that answer yes.
    """

    column: int | None
    keys: list[Any]
    scores: list[Any]

    def where(self, chosen: Iterable[bool]) -> Scan:
        """Only the splits that are chosen."""
        flags = list(chosen)
        return Scan(
            self.column, list(compress(self.keys, flags)), list(compress(self.scores, flags))
        )


@dataclass(frozen=True)
class Search:
    """A sample, and the rules by which its nodes are split.

    `y`: class positions, k of them; `weights`: whole numbers, rows of weight 0 being absent. The
    rest are the parameters of `grow_tree`.
    """

    data: SortedColumns
    y: Sequence[int]
    weights: Sequence[int]
    k: int
    measure: Measure
    min_leaf: int
    min_split: int
    min_impurity: Any
    max_depth: int | None
    midpoints: bool
    candidates: Candidates | None

    def everything(self) -> Region:
        """The region of all rows."""
        orders = {}
        for j, column in enumerate(self.data.columns):
            order = [i for i in column.order if self.weights[i]]
            if self.data.kinds[j] == NUMBER and column.ranks[order[0]] != column.ranks[order[-1]]:
                orders[j] = order
        rows = [i for i, w in enumerate(self.weights) if w]
        return Region(rows, self._counts(rows), orders)

    def may_split(self, region: Region, depth: int) -> bool:
        """Whether a node may be split, if it has a question."""
        return (
            sum(map(bool, region.counts)) > 1
            and len(region.rows) >= max(2 * self.min_leaf, self.min_split)
            and (self.max_depth is None or depth < self.max_depth)
            and (not self.min_impurity or self.measure.impurity(region.counts) >= self.min_impurity)
        )

    def best(self, region: Region, depth: int, lookahead: int) -> Best | None:
        """All best questions of a node in the order of columns, cuts, candidates; None without any.

        With `lookahead` a question is judged by the least that so many further levels can leave,
        as far as `max_depth` allows them.
        """
        slack = self.measure.slack
        if self.max_depth is not None:
            lookahead = min(lookahead, self.max_depth - depth - 1)
        scans = [
            scan for scan in self._scans(region, math.inf if lookahead else slack) if scan.keys
        ]
        if not scans:
            return None
        if lookahead:
            left = [self._ahead(region, depth, lookahead, scan) for scan in scans]
        else:
            # Scores within the slack can't be told from the best one: these are compared exactly.
            least_score = max(max(scan.scores) for scan in scans) - slack
            close = (scan.where(s >= least_score for s in scan.scores) for scan in scans)
            scans = [scan for scan in close if scan.keys]
            if not slack:  # scores are exact, so all of these splits leave the same
                (remaining,) = self._left(region, scans[0].where([True]))
                return Best(remaining, self._questions(region, scans))
            left = [self._left(region, scan) for scan in scans]
        remaining = min(map(min, left))
        tied = [scan.where(v == remaining for v in values) for scan, values in zip(scans, left)]
        return Best(remaining, self._questions(region, tied))

    def _left(self, region: Region, scan: Scan) -> list[Any]:
        """What each split leaves, exactly. Equal splits, which can be many, are computed once."""
        p_of_each = self._p_of_each(region, scan)
        known: dict[tuple[int, ...], Any] = {}
        for p in set(p_of_each):
            n = [whole - part for whole, part in zip(region.counts, p)]
            known[p] = self.measure.risk(p) + self.measure.risk(n)
        return [known[p] for p in p_of_each]

    def _p_of_each(self, region: Region, scan: Scan) -> list[tuple[int, ...]]:
        """The class weights p of each split."""
        if scan.column is None:
            return [p for _, p in scan.keys]
        order = region.orders[scan.column]
        p, start, found = [0] * self.k, 0, []
        for cut in scan.keys:
            for i in order[start:cut]:
                p[self.y[i]] += self.weights[i]
            start = cut
            found.append(tuple(p))
        return found

    def _ahead(self, region: Region, depth: int, levels: int, scan: Scan) -> list[Any]:
        """The least that so many more levels can leave below each split."""
        children = (self.divide(region, q) for q in self._questions(region, [scan]))
        return [
            self._least(negative, depth + 1, levels) + self._least(positive, depth + 1, levels)
            for negative, positive in children
        ]

    def _least(self, region: Region, depth: int, levels: int) -> Any:
        """The least |n|F(n) that at most so many levels of questions leave in a region."""
        least = self.measure.risk(region.counts)
        if self.may_split(region, depth):
            best = self.best(region, depth, levels - 1)
            least = least if best is None else min(least, best.remaining)
        return least

    def _scans(self, region: Region, slack: Any) -> Iterator[Scan]:
        """All splits, a scan a column and one of the caller's candidates.

        In each column only those within the slack of its best one; all of them for infinite slack.
        """
        for j, column in enumerate(self.data.columns):
            if self.data.kinds[j] == CATEGORY:
                yield self._sets(region, j, slack)
            elif j in region.orders:
                order = region.orders[j]
                rows = SortedRows(
                    order, column.ranks, self.y, self.weights, region.counts, self.min_leaf
                )
                cuts = self.measure.cuts(rows, slack)
                yield Scan(j, [cut for _, cut in cuts], [score for score, _ in cuts])
        if self.candidates is not None:
            yield self._offers(region, self.candidates)

    def _sets(self, region: Region, j: int, slack: Any) -> Scan:
        """The sets of categories of a column."""
        column = self.data.columns[j]
        members: dict[str, list[int]] = {}
        for i in region.rows:
            members.setdefault(column.values[column.ranks[i]], []).append(i)
        groups = {value: Group(len(rows), self._counts(rows)) for value, rows in members.items()}
        whole = Group(len(region.rows), region.counts)
        sides = partitions(groups, whole, self.measure.merit, slack, self.min_leaf, j)
        keys = [(CategoricalQuestion(j, side.values), side.p) for side in sides]
        return Scan(None, keys, [side.score for side in sides])

    def _offers(self, region: Region, candidates: Candidates) -> Scan:
        """The caller's questions, but for those that leave a side too small."""
        keys, scores = [], []
        for question in candidates([self.data.rows[i] for i in region.rows]):
            positive = self._positive(region, question)
            if self.min_leaf <= len(positive) <= len(region.rows) - self.min_leaf:
                p = self._counts(positive)
                n = [whole - part for whole, part in zip(region.counts, p)]
                keys.append((question, tuple(p)))
                scores.append(self.measure.merit(p) + self.measure.merit(n))
        return Scan(None, keys, scores)

    def _questions(self, region: Region, scans: Sequence[Scan]) -> Sequence[Question]:
        """The questions of the splits, in their order."""
        parts: list[Sequence[Any]] = []
        for scan in scans:
            if scan.column is None:
                parts.append(tuple(question for question, _ in scan.keys))
            else:
                parts += self._cut_questions(region, scan.column, scan.keys)
        return tied_questions([part for part in parts if part])

    def _cut_questions(self, region: Region, j: int, cuts: Sequence[int]) -> list[Sequence[Any]]:
        order, column = region.orders[j], self.data.columns[j]
        places: list[Any] = [column.ranks[order[cut - 1]] for cut in cuts]
        if self.midpoints:
            # A midpoint to a value that isn't the next one of all rows is no threshold of the root.
            after = (column.ranks[order[cut]] for cut in cuts)
            places = [
                rank
                if above == rank + 1
                else NumericQuestion(j, midpoint(column.values[rank], column.values[above]))
                for rank, above in zip(places, after)
            ]
        return tied_cuts(j, self._thresholds[j], places)

    @cached_property
    def _thresholds(self) -> list[tuple[Any, ...]]:
        """The thresholds of each column: its values, or the midpoints between neighbours."""
        are_between = [self.midpoints and kind != CATEGORY for kind in self.data.kinds]
        return [
            tuple(starmap(midpoint, pairwise(column.values)) if between else column.values)
            for column, between in zip(self.data.columns, are_between)
        ]

    def divide(self, region: Region, question: Question) -> tuple[Region, Region]:
        """The regions of the negative and of the positive child."""
        positive = self._positive(region, question)
        p = self._counts(positive)
        n = [whole - part for whole, part in zip(region.counts, p)]
        says_yes = bytearray(len(self.y))
        for i in positive:
            says_yes[i] = 1
        children = (
            Region([i for i in region.rows if not says_yes[i]], n, {}),
            Region(list(compress(region.rows, map(says_yes.__getitem__, region.rows))), p, {}),
        )
        for j, order in region.orders.items():
            ranks = self.data.columns[j].ranks
            if isinstance(question, NumericQuestion) and question.column == j:
                parts = order[len(positive) :], order[: len(positive)]
            else:
                parts = (
                    [i for i in order if not says_yes[i]],
                    list(compress(order, map(says_yes.__getitem__, order))),
                )
            for child, part in zip(children, parts):
                if ranks[part[0]] != ranks[part[-1]]:
                    child.orders[j] = part
        return children

    def _positive(self, region: Region, question: Question) -> list[int]:
        """The rows of a node that answer yes, in any order."""
        if isinstance(question, NumericQuestion) and question.column in region.orders:
            column, order = self.data.columns[question.column], region.orders[question.column]
            rank = bisect_right(column.values, question.threshold)  # the first one above it
            return order[: bisect_left(order, rank, key=column.ranks.__getitem__)]
        if isinstance(question, CategoricalQuestion):
            column = self.data.columns[question.column]
            chosen = {r for r, value in enumerate(column.values) if value in question.values}
            return [i for i in region.rows if column.ranks[i] in chosen]
        return [i for i in region.rows if question.ask(self.data.rows[i])]

    def _counts(self, rows: Iterable[int]) -> list[int]:
        """The weight of each class among the rows."""
        counts = [0] * self.k
        for i in rows:
            counts[self.y[i]] += self.weights[i]
        return counts
