"""Growing a decision tree: the greedy algorithm, best first over all nodes and questions.

[lu, "Greedy Algorithm for Building a Binary Decision Tree"],
[lu, "Node Questions for Binary Decision Trees"], [lu, "Issues of the Greedy Algorithm"].

Differs from the lecture:
- A threshold is never the largest value of its node, which would leave a child empty; and sets of
  exactly half of the categories, which the lecture admits beside their complements, appear once.
- F̃ isn't weighted by the size of the node, as the lecture defines it, though pruning counts
  |n|F(n): growing by F̃ is not greedy for that sum. `weighted=True` is, and is what libraries do;
  it changes which trees a limit on splits gives, not which tree is grown to the end.
- A node of one class isn't split.

Legend: n node, q question, F impurity, F̃ its decrease, |n| the weight of a node's rows, m of all
rows, T rounds.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from itertools import count
from typing import Any

from refmc.core.cells import Table
from refmc.core.logs import Log
from refmc.core.sample import Labels
from refmc.core.scalars import (
    ArrayLike,
    Number,
    exact_number,
    exact_parameter,
    plain,
    shown,
    whole_number,
)
from refmc.core.ties import TiePolicy, check_policy, first
from refmc.errors import ParameterError
from refmc.learn.trees.cuts import column_thresholds
from refmc.learn.trees.data import TreeSample, read_tree_sample
from refmc.learn.trees.measures import bounds, measure_of
from refmc.learn.trees.model import DecisionTree
from refmc.learn.trees.nodes import CostMatrix, Node, choices_of, linked
from refmc.learn.trees.questions import Question
from refmc.learn.trees.regions import Best, Candidates, Region, Search, sort_columns
from refmc.learn.trees.search import best_splits, divide
from refmc.learn.trees.ties import PairsOf, Ties, joined
from refmc.theory.impurity import Impurity, gini


@dataclass(frozen=True, slots=True)
class TreeRound:
    """Round t of growing: the pair (n_t, q_t), its decrease, and all pairs that were as good.

    `node` is the node as the leaf it was; `gain` is what was compared: F̃, or |n|/m · F̃ if
    weighted, with look-ahead that of all levels together.
    """

    t: int
    node: Node
    question: Question
    decrease: Any
    gain: Any
    tied: Sequence[tuple[Node, Question]]


def grow_tree(
    X: Table,
    y: Labels,
    *,
    impurity: Impurity = gini,
    max_splits: int | None = None,
    min_leaf: int = 1,
    max_depth: int | None = None,
    min_decrease: Number | Log | None = None,
    thresholds: str = "values",
    weighted: bool = False,
    lookahead: int = 0,
    weights: Sequence[Any] | ArrayLike | None = None,
    cost: Table | None = None,
    classes: Labels | None = None,
    candidates: Candidates | None = None,
    categorical: Sequence[int] = (),
    tie: TiePolicy = first,
    on_step: Callable[[TreeRound], None] | None = None,
) -> DecisionTree:
    """Grow a decision tree: split the best node by its best question, up to T times.

    X: m rows of d columns, each of numbers (X_j ≤ a) or of strings (X_j ∈ A); y: m labels. A
    round chooses the pair (n, q) with the largest decrease of impurity

        F̃(n, q) = F(n) − (η F(n₋) + (1 − η) F(n₊)),   η the fraction of n that answers no,

    over all leaves n and their questions q; `weighted` compares |n|/m · F̃ instead, as libraries
    do. `impurity` F: `gini`, `entropy`, `misclassification`, or a function of class weights that
    gives a number or `Log`. Nothing is rounded, whatever the arithmetic of X.

    It ends after `max_splits` (T) rounds, or when no leaf can be split: a leaf of one class, at
    `max_depth`, without a question that leaves `min_leaf` rows on either side, or whose decrease
    isn't enough. Without `min_decrease` every decrease is enough, 0 too (as XOR demands);
    `min_decrease` admits decreases of at least its value, and of 0 never. It is compared with
    what the round compares: F̃, or |n|/m · F̃ if weighted.

    `thresholds`: "values", a is the largest value that answers yes, or "midpoints" to the next
    one (of floats a float between them). A ⊂ the node's categories holds at most half of them,
    and at most 20 are possible; with two classes more are, by sorting them, which finds a best
    question of a concave impurity but not all tied ones. `candidates`: a function from a node's
    rows to more questions, such as `LinearQuestion` and `SphereQuestion`. `lookahead`: judge a
    question by the least impurity that this many further levels can leave; each level multiplies
    the cost by the number of questions.

    `weights`: one non-negative number a row, lifted exactly; rows of weight 0 count as absent,
    and `min_leaf` counts rows. `cost`: k rows of k numbers, what a predicted label (column) costs
    for a true one (row): labels become the cheapest, and pruning counts the cost.

    Ties: each node keeps all its best questions, in the order of columns, then thresholds or
    sets, then candidates; questions of different columns stay apart even where they part the
    rows alike. `tie` chooses among the best pairs of all leaves, older leaves first, and
    among tied labels. `on_step` receives each `TreeRound`.

    A missing value (NaN, None) is a `DataError`: fill it in, drop the row, or make its column one
    of strings in which "missing" is a category of its own. Strings that are all numbers are one,
    too, as a CSV reader gives them, unless `categorical` has their column's position. Raises `DataError` for columns of
    strings and numbers and unusable weights, too,
    `MixedArithmeticError`, `ParameterError`. Cost: O(dm log m) for sorting, then O(dm) a level; a
    categorical column of q categories 2^(q−1) a node.
    [lu, "Greedy Algorithm for Building a Binary Decision Tree"]

    >>> tree = grow_tree([[1], [2], [3], [4], [5]], [0, 0, 1, 0, 1])
    >>> tree.root.question, tree.root.decrease
    (NumericQuestion(column=0, threshold=2), Fraction(16, 75))
    """
    check_policy(tie, "tie")
    sample = read_tree_sample(X, y, classes, weights, categorical)
    whole, ranks = sort_columns(sample)
    growth = _Growth(
        search=_search(sample, ranks, impurity, min_leaf, thresholds, candidates, lookahead),
        total=sum(sample.weights),
        max_depth=None if max_depth is None else whole_number(max_depth, "max_depth", 0),
        enough=_enough(min_decrease),
        weighted=bool(weighted),
    )
    T = None if max_splits is None else whole_number(max_splits, "max_splits", 0)
    finish = _Finish(sample, growth.search.measure.impurity, _cost(cost, len(sample.classes)), tie)

    tree = [growth.leaf(0, 0, whole)]  # 1
    pairs = _Pairs(tree[:1])
    for t in count(1) if T is None else range(1, T + 1):  # 2
        tied = pairs.best(everything=tie is not first or on_step is not None)  # 3
        if not tied:
            break
        found = Ties(tied)
        n, q = found[0 if len(found) == 1 else tie(tuple(range(len(found))))]
        children = growth.split(n, q, len(tree))  # 4
        tree += children
        pairs.replace(n, children)
        if on_step is not None:
            on_step(_round(t, n, q, tied, finish))
    return finish.tree(tree, impurity)  # 5


@dataclass(slots=True, eq=False)
class _Leaf:
    """A node while the tree grows: a leaf, and once it is split `chosen` and its children."""

    number: int
    depth: int
    counts: list[int]
    size: int
    impurity: Any
    region: Region | None = None
    best: Best | None = None
    gain: Any = None
    chosen: Question | None = None
    decrease: Any = None
    children: tuple[_Leaf, _Leaf] | None = None


@dataclass(frozen=True)
class _Growth:
    """The rules by which leaves are made and split."""

    search: Search
    total: int
    max_depth: int | None
    enough: Any
    weighted: bool

    def leaf(self, number: int, depth: int, region: Region) -> _Leaf:
        """A new leaf with its best questions, if it may be split at all."""
        counts = region.counts
        size = sum(counts)
        made = _Leaf(number, depth, counts, size, self.search.measure.impurity(counts))
        may_split = not region.is_pure() and len(region.rows) >= 2 * self.search.min_leaf
        if may_split and (self.max_depth is None or depth < self.max_depth):
            best = best_splits(self.search, region)
            if best is not None:
                gain = self._gain(made, best.remaining)
                if self.enough is None or (gain >= self.enough and gain > 0):
                    made.region, made.best, made.gain = region, best, gain
        return made

    def _gain(self, n: _Leaf, remaining: Any) -> Any:
        whole = self.total if self.weighted else n.size
        return (n.impurity * n.size - remaining) / Fraction(whole)

    def split(self, n: _Leaf, q: Question, number: int) -> tuple[_Leaf, _Leaf]:
        """Make the two children of n."""
        assert n.region is not None
        negative, positive = divide(self.search, n.region, q)
        remaining = self.search.measure.children(positive.counts, negative.counts)
        n.decrease = n.impurity - remaining / Fraction(n.size)
        n.chosen, n.region = q, None
        n.children = (
            self.leaf(number, n.depth + 1, negative),
            self.leaf(number + 1, n.depth + 1, positive),
        )
        return n.children


class _Pairs:
    """All pairs (n, q) that may be chosen: a heap of leaves by their gain, older ones first."""

    def __init__(self, leaves: Iterable[_Leaf]) -> None:
        self._heap = [_Place(leaf) for leaf in leaves if leaf.best is not None]

    def best(self, everything: bool) -> tuple[PairsOf[_Leaf], ...]:
        """The pairs of the largest gain, by leaves; only the first unless everything is asked for."""
        if not self._heap:
            return ()
        top = [self._heap[0]]
        if everything:
            heapq.heappop(self._heap)
            while self._heap and self._heap[0].leaf.gain == top[0].leaf.gain:
                top.append(heapq.heappop(self._heap))
            for place in top:
                heapq.heappush(self._heap, place)
            return tuple(PairsOf(place.leaf, _tied(place.leaf)) for place in top)
        return (PairsOf(top[0].leaf, (_tied(top[0].leaf)[0],)),)

    def replace(self, n: _Leaf, children: Iterable[_Leaf]) -> None:
        """Take out a leaf that was split, and put its children in."""
        if self._heap[0].leaf is n:
            heapq.heappop(self._heap)
        else:
            self._heap = [place for place in self._heap if place.leaf is not n]
            heapq.heapify(self._heap)
        for leaf in children:
            if leaf.best is not None:
                heapq.heappush(self._heap, _Place(leaf))


def _tied(n: _Leaf) -> Sequence[Question]:
    assert n.best is not None
    return n.best.tied


class _Place:
    """A leaf's place in the heap: gains are compared by floats around them, then exactly."""

    __slots__ = ("high", "leaf", "low")

    def __init__(self, leaf: _Leaf) -> None:
        self.leaf = leaf
        self.low, self.high = bounds(leaf.gain)

    def __lt__(self, other: _Place) -> bool:
        if self.low > other.high or self.high < other.low:
            return self.low > other.high
        if self.leaf.gain == other.leaf.gain:
            return self.leaf.number < other.leaf.number
        return bool(self.leaf.gain > other.leaf.gain)


@dataclass(frozen=True)
class _Finish:
    """Makes the finished nodes of the growing ones."""

    sample: TreeSample
    impurity: Impurity
    cost: CostMatrix | None
    tie: TiePolicy

    def leaf(self, n: _Leaf) -> Node:
        unit = self.sample.unit
        return Node(
            number=n.number,
            depth=n.depth,
            counts=tuple(n.counts if unit == 1 else [c * unit for c in n.counts]),
            size=n.size * unit,
            impurity=n.impurity,
            choices=choices_of(n.counts, self.cost),
            classes=self.sample.classes,
            tie=self.tie,
        )

    def node(self, n: _Leaf) -> Node:
        """The node with its question, but without its children."""
        if n.chosen is None:
            return self.leaf(n)
        return replace(self.leaf(n), question=n.chosen, decrease=n.decrease, tied=_tied(n))

    def tree(self, grown: Sequence[_Leaf], impurity: Impurity) -> DecisionTree:
        links = {
            n.number: (n.children[0].number, n.children[1].number)
            for n in grown
            if n.children is not None
        }
        root = linked([self.node(n) for n in grown], links)
        return DecisionTree(
            root, self.sample.classes, self.sample.kinds, impurity, self.cost, self.tie
        )


def _round(
    t: int, n: _Leaf, q: Question, tied: Sequence[PairsOf[_Leaf]], finish: _Finish
) -> TreeRound:
    nodes = {pairs.node.number: finish.leaf(pairs.node) for pairs in tied}
    found = joined([PairsOf(nodes[pairs.node.number], pairs.questions) for pairs in tied])
    return TreeRound(t, nodes[n.number], q, n.decrease, n.gain, found)


def _search(
    sample: TreeSample,
    ranks: dict[int, list[int]],
    impurity: Impurity,
    min_leaf: int,
    thresholds: str,
    candidates: Candidates | None,
    lookahead: int,
) -> Search:
    if not callable(impurity):
        raise ParameterError(f"impurity: expected a function, got {shown(impurity)}")
    if thresholds not in ("values", "midpoints"):
        raise ParameterError(
            f"thresholds: expected 'values' or 'midpoints', got {shown(thresholds)}"
        )
    return Search(
        sample=sample,
        ranks=ranks,
        measure=measure_of(impurity, sum(sample.weights), len(sample.classes), sample.unit),
        min_leaf=whole_number(min_leaf, "min_leaf", 1),
        midpoints=thresholds == "midpoints",
        candidates=candidates,
        lookahead=whole_number(lookahead, "lookahead", 0),
        thresholds=cache(partial(column_thresholds, sample, thresholds == "midpoints")),
    )


def _enough(min_decrease: Number | Log | None) -> Fraction | Log | None:
    if min_decrease is None or isinstance(min_decrease, Log):
        return min_decrease
    least = exact_parameter(min_decrease, "min_decrease")
    if least < 0:
        raise ParameterError(f"min_decrease: expected at least 0, got {shown(min_decrease)}")
    return least


def _cost(cost: Table | None, k: int) -> CostMatrix | None:
    """The cost matrix, lifted exactly: k rows of k numbers."""
    rows = plain(cost)
    if rows is None:
        return None
    if not isinstance(rows, Sequence) or isinstance(rows, (str, bytes)) or len(rows) != k:
        raise ParameterError(f"cost: expected {k} rows, one for each true class")
    lifted = []
    for c, row in enumerate(map(plain, rows)):
        if not isinstance(row, Sequence) or isinstance(row, (str, bytes)) or len(row) != k:
            raise ParameterError(f"cost: row {c}: expected {k} numbers, one a predicted label")
        lifted.append(tuple(exact_number(plain(v), f"cost: row {c}") for v in row))  # type: ignore[arg-type]  # it validates
    return tuple(lifted)
