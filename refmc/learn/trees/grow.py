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

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from refmc.core.cells import CATEGORY, Table, sort_columns
from refmc.core.logs import Log
from refmc.core.sample import Label, Labels, in_whole_numbers, read_labels, row_weights
from refmc.core.scalars import ArrayLike, Number, column_names, shown, whole_number
from refmc.core.ties import TiePolicy, check_policy, first
from refmc.errors import ParameterError
from refmc.learn.trees.measures import at_least_0, measure_of
from refmc.learn.trees.model import DecisionTree
from refmc.learn.trees.nodes import CostMatrix, Node, expected_costs, linked, read_cost
from refmc.learn.trees.questions import Question
from refmc.learn.trees.search import Candidates, Region, Search, check_lookahead, thresholds_of
from refmc.learn.trees.ties import joined
from refmc.theory.impurity import Impurity, gini

if TYPE_CHECKING:
    from refmc.learn.trees.rounds import TreeRound
    from refmc.theory.costs import Costs, RowCosts


def grow_tree(
    X: Table,
    y: Labels,
    *,
    impurity: Impurity = gini,
    max_splits: int | None = None,
    min_leaf: int = 1,
    min_leaf_weight: Number = 0,
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
    question that leaves `min_leaf` rows, of weight `min_leaf_weight` together, on either side, or
    whose decrease isn't enough. Without `min_decrease` every decrease is enough, 0 too (as XOR
    demands); `min_decrease` admits decreases of at least its value, and of 0 never. It is
    compared with what the round compares: F̃, or |n|/m · F̃ if weighted. Floats among these
    parameters are read as the decimals that they print: 0.05 is 1/20.

    `thresholds`: "values", a is the largest value that answers yes, or "midpoints" to the next
    one (of floats a float between them). A ⊂ the node's categories holds at most half of them,
    and at most 20 are possible; with two classes more are, by sorting them, which finds a best
    question of a concave impurity but not all tied ones. `candidates`: a function from a node's
    rows to more questions, such as `LinearQuestion` and `SphereQuestion`. `lookahead`: judge a
    question by the least impurity that this many further levels can leave, as far as the other
    parameters let them be split; each level multiplies the cost by the number of questions.

    `weights`: one non-negative number for each row, lifted exactly; rows of weight 0 count as
    absent, and `min_leaf` and `min_split` count rows. `cost`: one of `theory.costs`, or k rows of k
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
    far apart. Cost: O(dm log m) for sorting, then O(dm) for each level, and there are many where
    most cuts tie, as the first one may take off one row; at each node 2^(q−1) for a categorical
    column of q categories.
    [lu, "Greedy Algorithm for Building a Binary Decision Tree"]

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
    limit = None if max_depth is None else whole_number(max_depth, "max_depth", 0)
    levels = whole_number(lookahead, "lookahead", 0)
    if levels:
        more = 0 if candidates is None else len(list(candidates(data.rows)))
        sizes = [(len(c.values), kind == CATEGORY) for c, kind in zip(data.columns, data.kinds)]
        check_lookahead(levels if limit is None else min(levels, limit), len(codes), sizes, more)
    search = Search(
        data=data,
        y=codes,
        weights=whole,
        k=len(order),
        measure=measure_of(impurity, sum(whole), len(order), unit),
        min_leaf=whole_number(min_leaf, "min_leaf", 1),
        min_weight=at_least_0(min_leaf_weight, "min_leaf_weight") / unit,
        min_split=whole_number(min_split, "min_split", 2),
        min_impurity=at_least_0(min_impurity, "min_impurity"),
        max_depth=limit,
        midpoints=thresholds == "midpoints",
        thresholds=thresholds_of(data, thresholds == "midpoints"),
        candidates=candidates,
    )
    enough = None if min_decrease is None else at_least_0(min_decrease, "min_decrease")
    total, costs = sum(whole) if weighted else None, read_cost(cost, order, codes)
    growth = _Growth(search, levels, enough, total, costs, order, unit, tie)
    T = None if max_splits is None else whole_number(max_splits, "max_splits", 0)
    root = _greedy(growth, T, on_step)
    table = growth.cost if isinstance(growth.cost, tuple) else None
    kinds, categories = data.kinds, data.categories()
    return DecisionTree(root, order, kinds, categories, impurity, table, tie, column_names(X))


def _greedy(growth: _Growth, T: int | None, on_step: Callable[[TreeRound], None] | None) -> Node:
    """[lu, "Greedy Algorithm for Building a Binary Decision Tree"]: the root of the grown tree.

    Lines 1 to 5 are marked. Every leaf is searched once, when it is made, and waits in a heap with
    its best questions: a split elsewhere changes neither its rows nor what it gains.
    """
    search, tie = growth.search, growth.tie
    is_seen = tie is not first or on_step is not None  # somebody chooses among pairs, or watches
    if is_seen:
        from refmc.learn.trees.rounds import TreeRound
    tree: list[Node] = []  # by number; children are put under their parents at the end
    children: dict[int, tuple[int, int]] = {}
    heap: list[_Leaf] = []

    def add(region: Region, depth: int) -> None:
        """Add a leaf to the tree, and to the heap if it may be split."""
        node = growth.node(len(tree), depth, region)
        tree.append(node)
        best = search.best(region, depth, growth.lookahead)
        if best is None:
            return
        size = sum(region.counts)
        gain = (node.impurity * size - best.remaining) / Fraction(growth.total or size)
        if growth.min_decrease is None or (gain >= growth.min_decrease and gain > 0):
            heappush(heap, _Leaf(-gain, node.number, node, region, best.tied))

    add(search.everything(), 0)  # 1
    for t in count(1) if T is None else range(1, T + 1):  # 2
        if not heap:
            break
        # 3: the first leaf in the heap holds the first of all best pairs; the others that tie with
        # it are collected only where they are seen.
        leaf = heappop(heap)
        q = next(iter(leaf.tied))
        if is_seen:
            leaf, q, tied, leaves = _chosen(heap, leaf, tie)
        n = leaf.node
        # 4: the leaf becomes an inner node, and its children new leaves.
        regions = search.divide(leaf.region, q)
        remaining = sum((search.measure.risk(part.counts) for part in regions), Fraction(0))
        decrease = n.impurity - remaining / Fraction(sum(leaf.region.counts))
        tree[n.number] = replace(n, question=q, decrease=decrease, tied=leaf.tied)
        children[n.number] = len(tree), len(tree) + 1
        for part in regions:
            add(part, n.depth + 1)
        if on_step is not None:
            ranked = [(one.node, partial(search.ranked, one.region)) for one in leaves]
            on_step(TreeRound(t, n, q, decrease, -leaf.minus_gain, tied, ranked))
    return linked(tree, children)  # 5


def _chosen(
    heap: list[_Leaf], top: _Leaf, tie: TiePolicy
) -> tuple[_Leaf, Question, Sequence[tuple[Node, Question]], list[_Leaf]]:
    """The leaf and the question that the policy takes of all best pairs; these pairs; all leaves.

    `top`: the first leaf, which has been taken from the heap; all others stay there.
    """
    from refmc.learn.trees.rounds import PairsOf

    tops = [top]
    while heap and heap[0].minus_gain == top.minus_gain:
        tops.append(heappop(heap))
    tied = joined([PairsOf(leaf.node, leaf.tied) for leaf in tops])
    n, q = tied[0 if len(tied) == 1 else tie(tuple(range(len(tied))))]
    leaves = [*tops, *heap]
    chosen = next(leaf for leaf in tops if leaf.node is n)
    tops.remove(chosen)
    for leaf in tops:
        heappush(heap, leaf)
    return chosen, q, tied, leaves


class _Leaf(NamedTuple):
    """A leaf that may be split: its node, its rows and its best questions.

    In order, the leaf of the largest gain comes first, and of several the oldest.
    """

    minus_gain: Any
    number: int
    node: Node
    region: Region
    tied: Sequence[Question]


class _Growth(NamedTuple):
    """The rules by which nodes are made, and by which they are split.

    `total`: m, where gains are weighted. Weights of rows are counted in multiples of `unit`. The
    rest are the parameters of `grow_tree`.
    """

    search: Search
    lookahead: int
    min_decrease: Fraction | Log | None
    total: int | None
    cost: CostMatrix | RowCosts | None
    classes: tuple[Label, ...]
    unit: Fraction
    tie: TiePolicy

    def node(self, number: int, depth: int, region: Region) -> Node:
        """A new node, as a leaf."""
        counts: Sequence[int | Fraction] = region.counts
        if self.unit != 1:
            counts = [count * self.unit for count in region.counts]
        costs: tuple[Any, ...] | None = None
        if isinstance(self.cost, tuple):
            costs = expected_costs(counts, self.cost)
        elif self.cost is not None:
            weights = [self.search.weights[i] * self.unit for i in region.rows]
            costs = expected_costs(weights, tuple(zip(*self.cost.of(region.rows).rows)))
        F = self.search.measure.impurity(region.counts)
        return Node(number, depth, tuple(counts), F, self.classes, self.tie, costs=costs)
