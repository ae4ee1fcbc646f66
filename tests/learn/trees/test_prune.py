"""Pruning: hand-computed cases; tests/lectures has all subtrees, and the lecture's procedure."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.logs import Log
from refmc.errors import ParameterError
from refmc.learn.trees.grow import grow_tree
from refmc.learn.trees.nodes import Node
from refmc.learn.trees.prune import PruningStep, prune, pruning_sequence
from refmc.theory.impurity import Impurity, entropy, gini, misclassification
from tests.support import few_calls_deep

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
    dear = grow_tree(X, y, cost=[[0, 5], [1, 0]])
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


def test_a_tree_deeper_than_recursion_is_pruned() -> None:
    m = 200
    with few_calls_deep():
        tree = grow_tree([[i] for i in range(m)], [i % 2 for i in range(m)])
        assert tree.depth == m - 1
        for risk in ALL:
            sequence = pruning_sequence(tree, risk=risk)
            assert sequence[0].size <= m and sequence[-1].size == 1
            assert len(sequence[0].tree.leaves()) == sequence[0].size
