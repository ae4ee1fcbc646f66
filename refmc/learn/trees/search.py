"""All best questions of a node, found by one pass over each column.

[lu, "Node Questions for Binary Decision Trees"], [lu, "Issues of the Greedy Algorithm"]. Rows are
sorted once by every numeric column, and splitting a node splits its sorted lists. A cut parts the
sorted rows into the first ones and the rest, so one pass over them scores all cuts of a column
(see `measures`).

Legend: n a node, p the class weights of its positive child; k classes.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, compress, pairwise, starmap
from operator import itemgetter
from typing import Any, NamedTuple

from refmc.core.cells import CATEGORY, NUMBER, SortedColumns
from refmc.core.scalars import shown
from refmc.errors import ParameterError
from refmc.learn.trees.measures import Measure, SortedRows
from refmc.learn.trees.questions import NumericQuestion, Question, midpoint
from refmc.learn.trees.ties import joined, tied_cuts

Candidates = Callable[[Sequence[tuple[Any, ...]]], Iterable[Question]]
"""Questions to consider at a node, besides those of single columns, from the node's rows."""


class Region(NamedTuple):
    """The rows of a node, and their class weights.

    `orders`: for each numeric column that isn't constant here, the rows sorted by it.
    """

    rows: list[int]
    counts: list[int]
    orders: dict[int, list[int]]


class Best(NamedTuple):
    """The questions of a node that leave the least |n₊|F(n₊) + |n₋|F(n₋), and that value.

    With look-ahead the value is the least that the splits of the next levels can leave.
    """

    remaining: Any
    tied: Sequence[Question]


class Scan(NamedTuple):
    """Splits of a node, as pairs of a score and the split.

    The score is the sum of the children's merits. If `column` is the position of a numeric column,
    a split is the number of rows that answer yes, which come first in the order of the column. If
    it is None, a split is a question, and the class weights p of the rows that answer yes.
    """

    column: int | None
    splits: list[tuple[Any, Any]]


class Search(NamedTuple):
    """A sample, and the rules by which its nodes are split.

    `y`: class positions, k of them; `weights`: whole numbers, rows of weight 0 being absent;
    `min_weight`: the least weight of a leaf; `thresholds`: those of each column, see
    `thresholds_of`. The rest are the parameters of `grow_tree`.
    """

    data: SortedColumns
    y: Sequence[int]
    weights: Sequence[int]
    k: int
    measure: Measure
    min_leaf: int
    min_weight: Any
    min_split: int
    min_impurity: Any
    max_depth: int | None
    midpoints: bool
    thresholds: Sequence[tuple[Any, ...]]
    candidates: Candidates | None

    def everything(self) -> Region:
        """The region of all rows but those of weight 0."""
        orders = {}
        for j, column in enumerate(self.data.columns):
            order = [i for i in column.order if self.weights[i]]
            if self.data.kinds[j] == NUMBER and column.ranks[order[0]] != column.ranks[order[-1]]:
                orders[j] = order
        # Row numbers are taken from the order of a column, as new ones would take more memory.
        rows = sorted(i for i in self.data.columns[0].order if self.weights[i])
        return Region(rows, self._counts(rows), orders)

    def best(self, region: Region, depth: int, lookahead: int) -> Best | None:
        """All best questions of a node, in the order of columns and of cuts, candidates last.

        None where the node may not be split, or has no question. With `lookahead` a question is
        judged by the least impurity that so many further levels can leave, within `max_depth`.
        """
        if (
            sum(map(bool, region.counts)) < 2
            or len(region.rows) < max(2 * self.min_leaf, self.min_split)
            or (self.max_depth is not None and depth >= self.max_depth)
            or (self.min_impurity and self.measure.impurity(region.counts) < self.min_impurity)
        ):
            return None
        if self.max_depth is not None:
            lookahead = min(lookahead, self.max_depth - depth - 1)
        slack = math.inf if lookahead else self.measure.slack
        scans = [scan for scan in self._scans(region, slack) if scan.splits]
        if not scans:
            return None
        if lookahead:
            values = [self._values_ahead(region, depth, lookahead, scan) for scan in scans]
        else:
            # Splits whose scores are within the slack may be equally good: compare these exactly.
            least = max(max(map(itemgetter(0), scan.splits)) for scan in scans) - slack
            close = (Scan(j, [s for s in splits if s[0] >= least]) for j, splits in scans)
            scans = [scan for scan in close if scan.splits]
            if not slack:  # scores are exact, so all of these splits leave the same
                (remaining,) = self._values(region, Scan(scans[0].column, scans[0].splits[:1]))
                return Best(remaining, self._questions(region, scans))
            values = [self._values(region, scan) for scan in scans]
        remaining = min(map(min, values))
        tied = [
            Scan(j, list(compress(splits, (value == remaining for value in own))))
            for (j, splits), own in zip(scans, values)
        ]
        return Best(remaining, self._questions(region, tied))

    def ranked(self, region: Region) -> list[tuple[Question, Any]]:
        """All questions of a node with the F̃ of each, the best first."""
        size, found = Fraction(sum(region.counts)), list[tuple[Question, Any]]()
        for scan in self._scans(region, math.inf):
            for split, value in zip(scan.splits, self._values(region, scan)):
                (question,) = self._questions(region, [Scan(scan.column, [split])])
                decrease = self.measure.impurity(region.counts) - value / size
                found.append((question, decrease))
        return sorted(found, key=itemgetter(1), reverse=True)

    def _scans(self, region: Region, slack: Any) -> Iterator[Scan]:
        """The splits of a node: a scan for each column, and one for the caller's candidates.

        Of a column only those within the slack of its best one; all where the slack is infinite.
        """
        for j, column in enumerate(self.data.columns):
            if j in region.orders:
                order = region.orders[j]
                ends = self._cut_range(order)
                rows = SortedRows(order, column.ranks, self.y, self.weights, region.counts, *ends)
                yield Scan(j, self.measure.cuts(rows, slack))
            elif self.data.kinds[j] == CATEGORY:
                from refmc.learn.trees.subsets import Group, splits_by_sets

                members: dict[str, list[int]] = {}
                for i in region.rows:
                    members.setdefault(column.values[column.ranks[i]], []).append(i)
                groups = {
                    value: Group(len(rows), self._counts(rows)) for value, rows in members.items()
                }
                whole = Group(len(region.rows), region.counts)
                leaf = self.min_leaf, self.min_weight
                merit = self.measure.merit
                yield Scan(None, splits_by_sets(j, groups, whole, merit, slack, *leaf))
        if self.candidates is not None:
            splits = []
            for question in self.candidates([self.data.rows[i] for i in region.rows]):
                positive = self._positive(region, question)
                p, least = self._counts(positive), self.min_weight
                is_heavy = least <= sum(p) <= sum(region.counts) - least
                if is_heavy and self.min_leaf <= len(positive) <= len(region.rows) - self.min_leaf:
                    rest = [whole - part for whole, part in zip(region.counts, p)]
                    score = self.measure.merit(p) + self.measure.merit(rest)
                    splits.append((score, (question, tuple(p))))
            yield Scan(None, splits)

    def _cut_range(self, order: Sequence[int]) -> tuple[int, int]:
        """The least and the most sorted rows that may answer yes."""
        first, last = self.min_leaf, len(order) - self.min_leaf
        if not self.min_weight:
            return first, last
        weights = list(accumulate(self.weights[i] for i in order))
        first = max(first, 1 + bisect_left(weights, self.min_weight))
        return first, min(last, bisect_right(weights, weights[-1] - self.min_weight))

    def _values(self, region: Region, scan: Scan) -> list[Any]:
        """|n₊|F(n₊) + |n₋|F(n₋) of each split, exactly; once for all splits with the same p."""
        known: dict[tuple[int, ...], Any] = {}
        values = []
        running, start = [0] * self.k, 0
        for _, split in scan.splits:
            if scan.column is None:
                _, p = split
            else:
                for i in region.orders[scan.column][start:split]:
                    running[self.y[i]] += self.weights[i]
                p, start = tuple(running), split
            if p not in known:
                rest = [whole - part for whole, part in zip(region.counts, p)]
                known[p] = self.measure.risk(p) + self.measure.risk(rest)
            values.append(known[p])
        return values

    def _values_ahead(self, region: Region, depth: int, levels: int, scan: Scan) -> list[Any]:
        """For each split the least Σ|n|F(n) of the leaves that so many more levels can reach."""
        values = []
        for question in self._questions(region, [scan]):
            total: Any = Fraction(0)
            for child in self.divide(region, question):
                best, own = self.best(child, depth + 1, levels - 1), self.measure.risk(child.counts)
                total += own if best is None else min(own, best.remaining)
            values.append(total)
        return values

    def _questions(self, region: Region, scans: Sequence[Scan]) -> Sequence[Question]:
        """The questions of the splits, in their order."""
        parts: list[Sequence[Question]] = []
        for j, splits in scans:
            if j is None:
                parts.append(tuple(question for _, (question, _) in splits))
                continue
            order, column = region.orders[j], self.data.columns[j]
            places: list[Any] = [column.ranks[order[cut - 1]] for _, cut in splits]
            if self.midpoints:
                # Where rows of other nodes have values in between, the midpoint is not among the
                # thresholds of the whole sample, and needs a question of its own.
                after = (column.ranks[order[cut]] for _, cut in splits)
                places = [
                    rank
                    if above == rank + 1
                    else NumericQuestion(j, midpoint(column.values[rank], column.values[above]))
                    for rank, above in zip(places, after)
                ]
            parts += tied_cuts(j, self.thresholds[j], places)
        return joined(parts)

    def divide(self, region: Region, question: Question) -> tuple[Region, Region]:
        """The regions of the negative and of the positive child."""
        positive = self._positive(region, question)
        p = self._counts(positive)
        rest = [whole - part for whole, part in zip(region.counts, p)]
        says_yes = bytearray(len(self.y))
        for i in positive:
            says_yes[i] = 1

        def parted(rows: Sequence[int]) -> tuple[list[int], list[int]]:
            return [i for i in rows if not says_yes[i]], [i for i in rows if says_yes[i]]

        no, yes = parted(region.rows)
        children = Region(no, rest, {}), Region(yes, p, {})
        for j, order in region.orders.items():
            ranks = self.data.columns[j].ranks
            if isinstance(question, NumericQuestion) and question.column == j:
                parts = order[len(positive) :], order[: len(positive)]
            else:
                parts = parted(order)
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
        return [i for i in region.rows if question.ask(self.data.rows[i])]

    def _counts(self, rows: Iterable[int]) -> list[int]:
        """The weight of each class among the rows."""
        counts = [0] * self.k
        for i in rows:
            counts[self.y[i]] += self.weights[i]
        return counts


def thresholds_of(data: SortedColumns, midpoints: bool) -> list[tuple[Any, ...]]:
    """The thresholds of each column: its values, or the midpoints between neighbours."""
    are_between = [midpoints and kind != CATEGORY for kind in data.kinds]
    return [
        tuple(starmap(midpoint, pairwise(column.values)) if between else column.values)
        for column, between in zip(data.columns, are_between)
    ]


MOST_LOOKS = 10**7
"""How many cells of the data a look-ahead may read for one node, in the worst case."""


def check_lookahead(levels: int, rows: int, columns: Sequence[tuple[int, bool]], more: int) -> None:
    """`ParameterError` for a look-ahead that takes too long.

    Each level multiplies the work by the number of questions. columns: for each, how many values it
    has and whether they are categories; more: how many candidates there are.

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
