"""What a fault of a tree is relative to: the node where a choice was made, if it was one."""

from fractions import Fraction as F
from typing import Any

import pytest

from refmc.checker.trees.data import Node, Sample, Threshold
from refmc.checker.trees.grow import GrowthProblem, judge
from refmc.checker.trees.prune import Claim, PruningProblem, judge_at

LEAF = Node()

# Of the four rows the first is as heavy as 97 of the others; the last node holds 3 of 100.
LIGHT = Sample(X=[[0], [1], [2], [3]], y=(0, 1, 1, 0), k=2, weights=[97, 1, 1, 1])
BEST = F(4, 9)  # the decrease from F = 4/9 of the last node to 0


def split(at: int, negative: int, positive: int, label: int | None = None) -> Node:
    return Node(Threshold(0, at), negative, positive, label)


def faults(tree: list[Node], weighted: bool, **more: Any) -> list[tuple[str, F, F | None]]:
    problem = GrowthProblem(sample=LIGHT, weighted=weighted, **more)
    found = judge(problem, tree)
    assert found.status == "REFUTED"
    return [
        (v.text.split(",")[0].split(" decreases")[0], v.amount, v.relative)
        for v in found.violations
    ]


@pytest.mark.parametrize("weighted", [False, True])
def test_a_choice_counts_relative_to_its_node_however_decreases_are_weighed(weighted: bool) -> None:
    share = F(3, 100)
    # x ≤ 1 leaves one of two rows wrong: F = 1/2, of 2 of the 3 rows
    other = [split(0, 1, 2), split(1, 3, 4), LEAF, split(2, 5, 6), *[LEAF] * 3]
    missed = F(1, 2) * F(2, 3)
    assert faults(other, weighted) == [("x0 <= 1", missed * share, missed)]
    assert faults([split(0, 1, 2), LEAF, LEAF], weighted) == [("is a leaf", BEST * share, BEST)]
    label = [split(0, 1, 2), split(2, 3, 4, 0), LEAF, LEAF, LEAF]
    assert faults(label, weighted) == [("label 0 has weight 1", share / 3, F(1, 3))]


@pytest.mark.parametrize("weighted", [False, True])
def test_rounding_chooses_no_question_that_parts_nothing_and_splits_no_pure_node(
    weighted: bool,
) -> None:
    nothing = [split(0, 1, 2), split(7, 3, 4), LEAF, LEAF, split(2, 5, 6), *[LEAF] * 2]
    assert faults(nothing, weighted) == [("x0 <= 7 separates nothing", BEST * F(3, 100), None)]
    small = [split(0, 1, 2), split(2, 3, 4), *[LEAF] * 3]
    assert faults(small, weighted, min_leaf=2)[0][2] is None
    pure = [split(0, 1, 2), split(2, 3, 4), LEAF, LEAF, split(1, 5, 6), *[LEAF] * 2]
    assert faults(pure, weighted) == [("is split by x0 <= 1", F(0), None)]
    assert faults(small, weighted, max_splits=1)[0][2] is None


@pytest.mark.parametrize("weighted", [False, True])
def test_a_node_that_had_to_come_first_counts_relative_to_the_parents(weighted: bool) -> None:
    # of the last node's two halves the first decreases by 1/2 and the second by 3/8
    sample = Sample(X=[[0], [1], [2], [3], [9]], y=(0, 1, 2, 3, 4), k=5, weights=[2, 2, 3, 1, 92])
    tree = [split(3, 1, 2), LEAF, split(1, 3, 4), split(2, 5, 6), *[LEAF] * 3]
    problem = GrowthProblem(sample=sample, max_splits=3, weighted=weighted)
    [wrong] = judge(problem, tree).violations
    assert "is a leaf, but decreases by" in wrong.text and wrong.place.startswith("node 4")
    missed = F(1, 8) * F(4, 100) if weighted else F(1, 8)
    assert wrong.amount == missed
    assert wrong.relative == (missed / F(8, 100) if weighted else missed)


def test_a_pruned_tree_counts_relative_to_the_parent_of_what_was_collapsed() -> None:
    tree = [split(0, 1, 2), split(2, 3, 4), *[LEAF] * 3]
    for per_row in (False, True):
        unit = F(1, 100) if per_row else F(1)
        problem = PruningProblem(sample=LIGHT, tree=tree, per_row=per_row)
        # the inner node errs on one row, the root on two
        lam = F(1, 2) * unit
        [wrong] = judge_at(problem, lam, Claim(leaf_nodes=frozenset({1, 2}))).violations
        assert (wrong.amount, wrong.relative) == (lam, F(1, 2) / 100)
        [wrong] = judge_at(problem, lam, Claim(leaf_nodes=frozenset({0}))).violations
        assert (wrong.amount, wrong.relative) == (F(1, 1) * unit, F(1, 100))
        whole = [split(0, 1, 2), split(2, 3, 4), Node(label=1), LEAF, LEAF]
        [wrong] = judge_at(problem, lam, Claim(tree=whole)).violations
        assert (wrong.amount, wrong.relative) == (F(97, 100), F(1))
        [wrong] = judge_at(problem, lam, Claim(leaves=1)).violations
        assert wrong.relative is None


def test_of_several_collapsed_nodes_the_lightest_parent_counts() -> None:
    # two nodes of two rows each, beside a row of 1 and one of 10, that err on one of them
    weights = [1, 1, 1, 1, 1, 10]
    sample = Sample(X=[[i] for i in range(6)], y=range(6), k=6, weights=weights)
    tree = [
        split(2, 1, 2), split(4, 4, 3), split(1, 6, 5), split(3, 7, 8), LEAF, split(0, 9, 10),
        *[LEAF] * 5,
    ]  # fmt: skip
    problem = PruningProblem(sample=sample, tree=tree)
    [wrong] = judge_at(problem, F(1, 2), Claim(leaf_nodes=frozenset({3, 4, 5, 6}))).violations
    assert (wrong.amount, wrong.relative) == (F(1), F(1, 3))


def test_a_leaf_that_both_trees_have_does_not_count() -> None:
    # the first two rows gain 4 by their split, which was left out; the last two gain 2
    sample = Sample(X=[[0], [1], [2], [3]], y=(0, 1, 2, 3), k=4, weights=[4, 40, 2, 2])
    tree = [split(1, 1, 2), split(2, 3, 4), split(0, 5, 6), *[LEAF] * 4]
    problem = PruningProblem(sample=sample, tree=tree)
    for part, relative in ({2, 3, 4}, F(3, 48)), ({1, 5, 6}, F(1, 48)):
        [wrong] = judge_at(problem, F(1), Claim(leaf_nodes=frozenset(part))).violations
        assert (wrong.amount, wrong.relative) == (relative * 48, relative)
