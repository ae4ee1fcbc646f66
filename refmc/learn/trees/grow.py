"""Growing a decision tree: the greedy algorithm, best first over all nodes and questions.

The plain program is `refmc.lectures.lu.greedy_decision_tree`. Beyond it: each question is tried
once, in one pass over sorted rows; stops, costs, weights and look-ahead.

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
from itertools import count
from typing import Any, NamedTuple

from refmc.core.cells import CATEGORY, Table, sort_columns
from refmc.core.logs import Log
from refmc.core.sample import Label, Labels, in_whole_numbers, read_labels, row_weights
from refmc.core.scalars import ArrayLike, Number, column_names, exact_parameter, shown, whole_number
from refmc.core.ties import TiePolicy, check_policy, first
from refmc.errors import ParameterError
from refmc.learn.trees.measures import bounds, measure_of
from refmc.learn.trees.model import DecisionTree
from refmc.learn.trees.nodes import CostMatrix, Node, choices_of, expected_costs, linked, read_cost
from refmc.learn.trees.questions import Question
from refmc.learn.trees.search import Best, Candidates, Region, Search, check_lookahead
from refmc.learn.trees.ties import PairsOf, Ties, joined
from refmc.theory.costs import Costs, RowCosts
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
    min_split: int = 2,
    max_depth: int | None = None,
    min_impurity: Number | Log = 0,
    min_decrease: Number | Log | None = None,
    thresholds: str = "values",
    weighted: bool = False,
    lookahead: int = 0,
    weights: Sequence[Any] | ArrayLike | None = None,
    cost: Costs | Table | None = None,
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
    `max_depth`, of fewer than `min_split` rows, of an impurity below `min_impurity`, without a
    question that leaves `min_leaf` rows on either side, or whose decrease isn't enough. Without
    `min_decrease` every decrease is enough, 0 too (as XOR demands); `min_decrease` admits
    decreases of at least its value, and of 0 never. It is compared with what the round compares:
    F̃, or |n|/m · F̃ if weighted. Floats among these parameters are read as the decimals that
    they print: 0.05 is 1/20.

    `thresholds`: "values", a is the largest value that answers yes, or "midpoints" to the next
    one (of floats a float between them). A ⊂ the node's categories holds at most half of them,
    and at most 20 are possible; with two classes more are, by sorting them, which finds a best
    question of a concave impurity but not all tied ones. `candidates`: a function from a node's
    rows to more questions, such as `LinearQuestion` and `SphereQuestion`. `lookahead`: judge a
    question by the least impurity that this many further levels can leave, as far as the other
    parameters let them be split; each level multiplies the cost by the number of questions.

    `weights`: one non-negative number a row, lifted exactly; rows of weight 0 count as absent,
    and `min_leaf` and `min_split` count rows. `cost`: one of `theory.costs`, or k rows of k
    numbers, where row j has what it costs to predict class j and column y is for the right class
    y, or `row_costs`: labels become the cheapest, and pruning counts the cost.

    Ties: each node keeps all its best questions, in the order of columns, then thresholds or
    sets, then candidates; questions of different columns stay apart even where they part the
    rows alike. `tie` chooses among the best pairs of all leaves, older leaves first, and
    among tied labels. `on_step` receives each `TreeRound`.

    A missing value (NaN, None) is a `DataError`: fill it in, drop the row, or make its column one
    of strings in which "missing" is a category of its own. Strings that are all numbers are one,
    too, as a CSV reader gives them, unless `categorical` has their column's position. Raises
    `DataError` for columns of strings and numbers and unusable weights, too,
    `MixedArithmeticError`, `ParameterError`, and `ExactnessLimitError` for entropies of weights too
    far apart. Cost: O(dm log m) for sorting, then O(dm) a level; a categorical column of q
    categories 2^(q−1) a node. [lu, "Greedy Algorithm for Building a Binary Decision Tree"]

    >>> tree = grow_tree([[1], [2], [3], [4], [5]], [0, 0, 1, 0, 1])
    >>> tree.root.question, tree.root.decrease
    (NumericQuestion(column=0, threshold=2), Fraction(16, 75))
    """
    check_policy(tie, "tie")
    if not callable(impurity):
        raise ParameterError(f"impurity: expected a function, got {shown(impurity)}")
    if thresholds not in ("values", "midpoints"):
        raise ParameterError(
            f"thresholds: expected 'values' or 'midpoints', got {shown(thresholds)}"
        )
    data = sort_columns(X, categorical)
    codes, order = read_labels(y, classes, len(data.rows))
    whole, unit = [1] * len(codes), Fraction(1)
    if weights is not None:
        whole, unit = in_whole_numbers(row_weights(weights, len(codes)))
    levels = whole_number(lookahead, "lookahead", 0)
    sizes = [(len(c.values), kind == CATEGORY) for c, kind in zip(data.columns, data.kinds)]
    more = len(list(candidates(data.rows))) if candidates is not None and levels else 0
    grown = levels if max_depth is None else min(levels, whole_number(max_depth, "max_depth", 0))
    check_lookahead(grown, len(data.rows), sizes, more)
    search = Search(
        data=data,
        y=codes,
        weights=whole,
        k=len(order),
        measure=measure_of(impurity, sum(whole), len(order), unit),
        min_leaf=whole_number(min_leaf, "min_leaf", 1),
        min_split=whole_number(min_split, "min_split", 2),
        min_impurity=_at_least_0(min_impurity, "min_impurity"),
        max_depth=None if max_depth is None else whole_number(max_depth, "max_depth", 0),
        midpoints=thresholds == "midpoints",
        candidates=candidates,
    )
    growth = _Growth(
        search,
        lookahead=levels,
        enough=None if min_decrease is None else _at_least_0(min_decrease, "min_decrease"),
        total=sum(whole) if weighted else None,
        cost=read_cost(cost, order, codes),
    )
    finish = _Finish(order, unit, tie)
    T = None if max_splits is None else whole_number(max_splits, "max_splits", 0)

    tree: list[_Leaf] = [growth.leaf(0, 0, search.everything())]  # 1
    pairs = _Pairs(tree)
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
            on_step(finish.round(t, n, q, tied))

    links = {n.number: (n.children[0].number, n.children[1].number) for n in tree if n.children}
    root = linked([finish.node(n) for n in tree], links)
    table = None if isinstance(growth.cost, RowCosts) else growth.cost
    kinds, categories = data.kinds, data.categories()
    return DecisionTree(root, order, kinds, categories, impurity, table, tie, column_names(X))  # 5


def _at_least_0(value: Number | Log, name: str) -> Fraction | Log:
    least = value if isinstance(value, Log) else exact_parameter(value, name)
    if least < 0:
        raise ParameterError(f"{name}: expected at least 0, got {shown(value)}")
    return least


@dataclass(slots=True, eq=False)
class _Leaf:
    """A node while the tree grows: a leaf, and once it is split `chosen` and its children.

    `costs`: what each label costs, where there are costs. `region`, `best` and `gain` are there as
    long as it may be split.
    """

    number: int
    depth: int
    counts: list[int]
    costs: tuple[Any, ...] | None
    impurity: Any
    region: Region | None = None
    best: Best | None = None
    gain: Any = None
    chosen: Question | None = None
    decrease: Any = None
    children: tuple[_Leaf, ...] = ()

    @property
    def tied(self) -> Sequence[Question]:
        """All its best questions, if it may be split."""
        return () if self.best is None else self.best.tied


class _Growth(NamedTuple):
    """The rules by which leaves are made and split.

    `enough`: the least gain, where there is one. `total`: m, where gains are weighted.
    """

    search: Search
    lookahead: int
    enough: Fraction | Log | None
    total: int | None
    cost: CostMatrix | RowCosts | None

    def leaf(self, number: int, depth: int, region: Region) -> _Leaf:
        """A new leaf with its best questions, if it may be split at all."""
        F = self.search.measure.impurity(region.counts)
        made = _Leaf(number, depth, region.counts, self._costs(region), F)
        if self.search.may_split(region, depth):
            best = self.search.best(region, depth, self.lookahead)
            if best is not None:
                size = sum(region.counts)
                gain = (made.impurity * size - best.remaining) / Fraction(self.total or size)
                if self.enough is None or (gain >= self.enough and gain > 0):
                    made.region, made.best, made.gain = region, best, gain
        return made

    def _costs(self, region: Region) -> tuple[Any, ...] | None:
        if not isinstance(self.cost, RowCosts):
            return None if self.cost is None else expected_costs(region.counts, self.cost)
        weights = [self.search.weights[i] for i in region.rows]
        return expected_costs(weights, tuple(zip(*self.cost.of(region.rows).rows)))

    def split(self, n: _Leaf, q: Question, number: int) -> tuple[_Leaf, _Leaf]:
        """Make the two children of n."""
        assert n.region is not None
        negative, positive = self.search.divide(n.region, q)
        risk = self.search.measure.risk
        remaining = risk(positive.counts) + risk(negative.counts)
        n.decrease = n.impurity - remaining / Fraction(sum(n.counts))
        n.chosen, n.region = q, None
        children = (
            self.leaf(number, n.depth + 1, negative),
            self.leaf(number + 1, n.depth + 1, positive),
        )
        n.children = children
        return children


class _Pairs:
    """All pairs (n, q) that may be chosen: a heap of leaves by their gain, older ones first."""

    def __init__(self, leaves: Iterable[_Leaf]) -> None:
        self._heap = [_Place(leaf) for leaf in leaves if leaf.best is not None]

    def best(self, everything: bool) -> tuple[PairsOf[_Leaf], ...]:
        """The pairs of the largest gain, by leaves; only the first unless all are asked for."""
        if not self._heap:
            return ()
        top = self._heap[0].leaf
        if not everything:
            return (PairsOf(top, (top.tied[0],)),)
        places = [heapq.heappop(self._heap)]
        while self._heap and self._heap[0].leaf.gain == top.gain:
            places.append(heapq.heappop(self._heap))
        for place in places:
            heapq.heappush(self._heap, place)
        return tuple(PairsOf(place.leaf, place.leaf.tied) for place in places)

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


class _Finish(NamedTuple):
    """Makes the finished nodes of the growing ones, with weights in multiples of `unit`."""

    classes: tuple[Label, ...]
    unit: Fraction
    tie: TiePolicy

    def leaf(self, n: _Leaf) -> Node:
        """The node as a leaf."""
        counts: Sequence[int | Fraction] = n.counts
        if self.unit != 1:
            counts = [count * self.unit for count in n.counts]
        return Node(
            number=n.number,
            depth=n.depth,
            counts=tuple(counts),
            size=sum(counts),
            impurity=n.impurity,
            choices=choices_of(n.counts, n.costs),
            costs=None if n.costs is None else tuple(cost * self.unit for cost in n.costs),
            classes=self.classes,
            tie=self.tie,
        )

    def node(self, n: _Leaf) -> Node:
        """The node with its question, but without its children."""
        if n.chosen is None:
            return self.leaf(n)
        return replace(self.leaf(n), question=n.chosen, decrease=n.decrease, tied=n.tied)

    def round(self, t: int, n: _Leaf, q: Question, tied: Iterable[PairsOf[_Leaf]]) -> TreeRound:
        """What a watcher sees of round t."""
        nodes = {pairs.node.number: self.leaf(pairs.node) for pairs in tied}
        pairs = [PairsOf(nodes[pairs.node.number], pairs.questions) for pairs in tied]
        return TreeRound(t, nodes[n.number], q, n.decrease, n.gain, joined(pairs))
