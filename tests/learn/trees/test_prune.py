"""Pruning: hand-computed cases, all subtrees of tiny trees, and the lecture's procedure."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from refmc.core.logs import Log
from refmc.errors import ParameterError
from refmc.learn.trees.grow import grow_tree
from refmc.learn.trees.model import DecisionTree
from refmc.learn.trees.nodes import Node
from refmc.learn.trees.prune import PruningStep, prune, pruning_sequence
from refmc.theory.impurity import Impurity, entropy, gini, misclassification
from tests.support import DATA

F = Fraction
ALL = [gini, entropy, misclassification]

SMALL = st.integers(1, 8).flatmap(
    lambda m: st.tuples(
        st.lists(st.tuples(*[st.integers(0, 2)] * 2), min_size=m, max_size=m),
        st.lists(st.integers(0, 2), min_size=m, max_size=m),
    )
)
DATA_AND_MEASURES = (SMALL, st.sampled_from(ALL), st.sampled_from([None, *ALL]))

Data = tuple[list[tuple[int, ...]], list[int]]


def sizes(sequence: Sequence[PruningStep]) -> list[tuple[Any, int]]:
    return [(step.lam, step.size) for step in sequence]


def below(node: Node) -> tuple[Node, Node] | None:
    if node.negative is None or node.positive is None:
        return None
    return node.negative, node.positive


def subtrees(node: Node) -> Iterator[tuple[Node, ...]]:
    """The leaves of every tree that pruning can make."""
    yield (node,)
    children = below(node)
    if children is not None:
        for left in subtrees(children[0]):
            for right in subtrees(children[1]):
                yield left + right


def total_risk(leaves: Sequence[Node], risk: Impurity) -> Any:
    return sum((risk(leaf.counts) * leaf.size for leaf in leaves), 0)


def numbers(leaves: Sequence[Node]) -> list[int]:
    return [leaf.number for leaf in leaves]


def test_pruning_by_wrong_labels_goes_from_four_leaves_to_one_at_two_thirds() -> None:
    tree = grow_tree([(0, 0), (0, 1), (1, 0), (1, 1)], [0, 1, 1, 2])
    assert len(tree.root.tied) == 2 and tree.root.decrease == F(1, 8)
    sequence = pruning_sequence(tree, risk=misclassification)
    assert sizes(sequence) == [(0, 4), (F(2, 3), 1)]
    assert sequence[1].lam / tree.root.size == F(1, 6)  # the α of libraries


def test_the_smallest_tree_by_misclassification_is_the_root_when_nothing_is_gained() -> None:
    x, y = [[v] for v in (1, 0, 1, 1, 0, 0, 0, 0, 0, 0)], [1, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    tree = grow_tree(x, y)
    assert len(tree.leaves()) == 2
    sequence = pruning_sequence(tree, risk=misclassification)
    assert sizes(sequence) == [(0, 1)]
    assert sequence[0].collapsed == (tree.root,)


def test_two_nodes_that_share_the_least_value_collapse_at_once() -> None:
    X = [(0, 0)] * 3 + [(0, 1)] + [(1, 0)] * 3 + [(1, 1)]
    tree = grow_tree(X, ["a", "a", "a", "b", "c", "c", "c", "d"])
    steps = pruning_sequence(tree, risk=misclassification)
    # Either side pays 1 for 1 leaf; the root 5 for 3 leaves, and then 5 - 2 for 1.
    assert sizes(steps) == [(0, 4), (1, 2), (3, 1)]
    assert steps[1].collapsed == below(tree.root)


def test_a_node_saved_by_one_below_it_collapses_later() -> None:
    tree = grow_tree([[1], [2], [3], [4]], [0, 1, 0, 1])
    # The rows 1, 0, 1 pay 1 for 2 leaves, all four rows 2 for 3, and then 2 - 1 for 1.
    steps = pruning_sequence(tree, risk=misclassification)
    assert sizes(steps) == [(0, 4), (F(1, 2), 2), (1, 1)]


def test_pruning_by_entropy_gives_logarithms() -> None:
    tree = grow_tree([[1], [2], [3]], ["a", "b", "b"], impurity=entropy)
    steps = pruning_sequence(tree)
    assert steps[-1].lam == 3 * Log([(3, 1)], base=2) - 2
    assert len(prune(steps, "2.7548").leaves()) == 2
    assert len(prune(steps, "2.7549").leaves()) == 1
    assert len(prune(steps, steps[-1].lam).leaves()) == 1


def test_costs_are_what_a_tree_with_costs_is_pruned_by() -> None:
    X, y = [[1], [2], [2], [2]], ["spam", "ham", "ham", "ham"]
    plain = grow_tree(X, y)
    dear = grow_tree(X, y, cost=[[0, 1], [5, 0]])
    assert sizes(pruning_sequence(plain, risk=misclassification)) == [(0, 2), (1, 1)]
    assert sizes(pruning_sequence(dear)) == [(0, 2), (3, 1)]
    assert prune(pruning_sequence(dear), 3).root.labels == ("spam",)
    assert sizes(pruning_sequence(dear, risk=misclassification)) == [(0, 2), (1, 1)]


def test_a_risk_of_the_callers_may_fall_by_collapsing() -> None:
    def pessimistic(counts: Sequence[Any]) -> Fraction:
        return F(sum(counts) - max(counts) + 1, sum(counts))  # one error more a leaf

    tree = grow_tree([[1], [2], [3], [4]], [0, 1, 0, 0])
    steps = pruning_sequence(tree, risk=pessimistic)
    assert sizes(steps) == [(0, 1)]


def test_the_root_alone_is_its_own_sequence() -> None:
    for y in ([0, 0], [0, 1]):
        tree = grow_tree([[1], [1]], y)
        sequence = pruning_sequence(tree)
        assert sizes(sequence) == [(0, 1)] and sequence[0].collapsed == ()
        assert prune(sequence, 10**9) == tree


def test_pruned_trees_keep_numbers_and_predict() -> None:
    X, y = [[i] for i in range(8)], [0, 0, 0, 1, 1, 1, 1, 0]
    tree = grow_tree(X, y)
    for step in pruning_sequence(tree):
        grown = {node.number: node for node in tree.nodes()}
        for node in step.tree.nodes():
            same = grown[node.number]
            assert (node.counts, node.depth, node.choices) == (
                same.counts,
                same.depth,
                same.choices,
            )
            assert node.question in (None, same.question)
        for x in X:
            assert step.tree.leaf(x).number in [tree.root.number] + [
                child.number for a in tree.why(x) for child in (below(a.node) or ())
            ]


def test_negative_and_senseless_values_of_lambda_are_refused() -> None:
    sequence = pruning_sequence(grow_tree([[1], [2]], [0, 1]))
    for bad in (-1, "-1/3", float("nan"), float("inf"), "x", -Log([(2, 1)], base=2)):
        with pytest.raises(ParameterError, match="lam"):
            prune(sequence, bad)
    with pytest.raises(ParameterError, match="sequence"):
        prune((), 1)
    with pytest.raises(ParameterError, match="risk"):
        pruning_sequence(grow_tree([[1], [2]], [0, 1]), risk="gini")  # type: ignore[arg-type]  # the point


@given(*DATA_AND_MEASURES)
@example(([(0, 0), (0, 1), (1, 0), (1, 1)], [0, 1, 1, 0]), gini, misclassification)
def test_each_pruned_tree_is_the_smallest_minimiser_among_all_subtrees(
    data: Data, impurity: Impurity, risk: Impurity | None
) -> None:
    tree = grow_tree(*data, impurity=impurity)
    sequence = pruning_sequence(tree, risk=risk)
    F_node = risk or impurity
    choices = [(total_risk(leaves, F_node), leaves) for leaves in subtrees(tree.root)]
    lams: list[Any] = [step.lam for step in sequence]
    lams += [(a + b) / 2 for a, b in pairwise(lams)] + [lams[-1] + 1]
    for lam in lams:
        G = [R + lam * len(leaves) for R, leaves in choices]
        least = min(G)
        best = [leaves for (_, leaves), value in zip(choices, G) if value == least]
        fewest = min(map(len, best))
        smallest = [numbers(leaves) for leaves in best if len(leaves) == fewest]
        assert smallest == [numbers(prune(sequence, lam).leaves())]
    for step in sequence:
        R_step = total_risk(step.tree.leaves(), F_node)
        assert all(R >= R_step for R, leaves in choices if len(leaves) <= step.size)


@given(*DATA_AND_MEASURES)
def test_the_sequence_is_nested_with_increasing_lambdas(
    data: Data, impurity: Impurity, risk: Impurity | None
) -> None:
    sequence = pruning_sequence(grow_tree(*data, impurity=impurity), risk=risk)
    assert sequence[0].lam == 0 and sequence[-1].size == 1
    for step in sequence:
        assert step.size == len(step.tree.leaves())
    for one, next_one in pairwise(sequence):
        assert one.lam < next_one.lam and one.size > next_one.size
        inner = {node.number for node in one.tree.nodes() if node.question is not None}
        kept = {node.number for node in next_one.tree.nodes() if node.question is not None}
        assert kept < inner
        leaves = {node.number for node in next_one.tree.leaves()}
        assert {node.number for node in next_one.collapsed} == leaves & inner


def weakest_links(tree: DecisionTree, risk: Impurity) -> list[tuple[Any, list[int]]]:
    """The lecture's procedure: (λ, numbers of the leaves) after every round, from tree⁽⁰⁾ on."""
    collapsed: set[int] = set()

    def leaves_below(node: Node) -> list[Node]:
        children = None if node.number in collapsed else below(node)
        if children is None:
            return [node]
        return leaves_below(children[0]) + leaves_below(children[1])

    found: list[tuple[Any, list[int]]] = [(F(0), numbers(leaves_below(tree.root)))]
    while len(found[-1][1]) > 1:
        r: dict[int, Any] = {}
        waiting = [tree.root]
        while waiting:
            node = waiting.pop()
            leaves = leaves_below(node)
            if len(leaves) > 1:
                rise = risk(node.counts) * node.size - total_risk(leaves, risk)
                r[node.number] = rise / F(len(leaves) - 1)
                waiting += below(node) or ()
        least = min(r.values())
        collapsed |= {number for number, value in r.items() if value == least}
        found.append((least, numbers(leaves_below(tree.root))))
    return found


def assert_pruned_by_weakest_links(
    tree: DecisionTree, impurity: Impurity, risk: Impurity | None
) -> None:
    """What costs nothing to collapse is collapsed from the start."""
    steps = weakest_links(tree, risk or impurity)
    while len(steps) > 1 and steps[1][0] == 0:
        del steps[0]
    sequence = pruning_sequence(tree, risk=risk)
    assert [(step.lam, numbers(step.tree.leaves())) for step in sequence] == steps


@given(*DATA_AND_MEASURES)
def test_the_sequence_is_that_of_the_lectures_procedure(
    data: Data, impurity: Impurity, risk: Impurity | None
) -> None:
    tree = grow_tree(*data, impurity=impurity)
    assert_pruned_by_weakest_links(tree, impurity, risk)


def read(name: str, label: str) -> tuple[list[list[float]], list[str]]:
    with (DATA / f"{name}.csv").open() as file:
        table = list(csv.DictReader(file))
    X = [[float(cell) for key, cell in row.items() if key != label] for row in table]
    return X, [row[label] for row in table]


@pytest.mark.parametrize(
    ("name", "label"), [("iris", "species"), ("wine", "cultivar"), ("digits-500", "digit")]
)
@pytest.mark.parametrize("risk", [None, misclassification])
def test_real_trees_are_pruned_as_the_lecture_does(
    name: str, label: str, risk: Impurity | None
) -> None:
    tree = grow_tree(*read(name, label))
    assert_pruned_by_weakest_links(tree, gini, risk)


def test_a_tree_deeper_than_recursion_is_pruned() -> None:
    m = 1200
    tree = grow_tree([[i] for i in range(m)], [i % 2 for i in range(m)])
    assert tree.depth == m - 1
    for risk in ALL:
        sequence = pruning_sequence(tree, risk=risk)
        assert sequence[0].size <= m and sequence[-1].size == 1
        assert len(sequence[0].tree.leaves()) == sequence[0].size


@pytest.mark.campaign
@settings(max_examples=20_000, deadline=None)
@given(*DATA_AND_MEASURES)
def test_many_sequences_are_those_of_the_lectures_procedure(
    data: Data, impurity: Impurity, risk: Impurity | None
) -> None:
    tree = grow_tree(*data, impurity=impurity)
    assert_pruned_by_weakest_links(tree, impurity, risk)
