"""Choosing λ by cross-validation, against losses counted by hand."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.logs import Log
from refmc.errors import DataError, ParameterError
from refmc.learn.trees.choose_lam import choose_lam
from refmc.learn.trees.grow import grow_tree
from refmc.learn.trees.model import DecisionTree
from refmc.learn.trees.prune import prune, pruning_sequence
from refmc.lectures import lu
from refmc.theory.costs import matrix_cost, row_costs
from refmc.theory.impurity import entropy, gini, misclassification

F = Fraction

X6 = [[1], [2], [3], [4], [5], [6]]
FOLDS = [[0, 3], [1, 4], [2, 5]]


def test_losses_are_counted_over_all_held_out_rows() -> None:
    choice = choose_lam(X6, list("aaabbb"), grow=grow_tree, folds=FOLDS)
    # With row 3 held out the threshold is 2, so 3 is taken for b; the root alone errs three times.
    # The whole tree's λ is 3 for its six rows, so 1/2 a row.
    assert choice.lams == (F(1, 4), F(1, 2)) and choice.errors == (F(1, 6), F(1, 2))
    assert choice.squared_standard_errors == (F(5, 216), F(1, 24))
    assert choice.lam == F(1, 4) and choice.prune_at == F(3, 2) and len(choice.tree.leaves()) == 2
    assert len(choice.sequence) == 2
    raw = choose_lam(X6, list("aaabbb"), grow=grow_tree, folds=FOLDS, scale="sum")
    assert raw.lams == (F(3, 2), F(3)) and raw.lam == raw.prune_at == F(3, 2)
    assert raw.errors == choice.errors and raw.tree == choice.tree


def test_a_lambda_for_each_row_prunes_the_trees_of_the_folds_alike() -> None:
    # Four rows a, a, b, b collapse at Gini 1/2 · 4 = 2. Two folds of two rows leave a and b, which
    # collapse at 1/2 · 2 = 1: at λ = 3/2 the whole tree is still there, those of the folds are not.
    X, y, parts = [[1], [1], [2], [2]], list("aabb"), [[0, 2], [1, 3]]
    lams = [F(3, 2), F(5, 2)]
    raw = choose_lam(X, y, grow=grow_tree, folds=parts, lams=lams, scale="sum")
    assert raw.errors == (F(1, 2), F(1, 2))
    each = choose_lam(X, y, grow=grow_tree, folds=parts, lams=[lam / 4 for lam in lams])
    assert each.errors == (F(0), F(1, 2)) and each.lam == F(3, 8) and each.prune_at == F(3, 2)
    assert each.tree.predict(X) == y


def test_folds_may_count_the_same_whatever_their_sizes() -> None:
    y, parts = list("aaabbb"), [[0, 1, 3, 4], [2], [5]]
    # Of the trees at λ = 0 the first errs on no row of four, the second on its only one.
    rows, folds = (
        choose_lam(X6, y, grow=grow_tree, folds=parts, lams=[0], average=average)
        for average in ("rows", "folds")
    )
    assert rows.errors == (F(1, 6),) and rows.squared_standard_errors == (F(5, 216),)
    assert folds.errors == (F(1, 3),) and folds.squared_standard_errors == (F(2, 27),)


WEIGHTED = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 3)), min_size=4, max_size=7
)


def test_ties_go_to_the_smaller_tree() -> None:
    choice = choose_lam([[1], [1], [2], [2]], list("abab"), grow=grow_tree, folds=[[0], [3]])
    assert set(choice.errors) == {1} and choice.lam == choice.lams[-1]
    assert len(choice.tree.leaves()) == 1


def test_one_standard_error_is_compared_by_squares() -> None:
    y = list("aaabbb")
    # (1/2 - 1/6)² = 24/216 is more than 5/216, so the rule keeps the split; of errors 1/6 and
    # 1/3 the difference squared is 6/216.
    kept = choose_lam(X6, y, grow=grow_tree, folds=FOLDS, one_standard_error=True)
    assert len(kept.tree.leaves()) == 2
    noisy = choose_lam(X6, list("ababbb"), grow=grow_tree, folds=FOLDS, one_standard_error=True)
    least = min(noisy.errors)
    squares = noisy.squared_standard_errors[
        max(i for i, error in enumerate(noisy.errors) if error == least)
    ]
    allowed = [
        lam for lam, error in zip(noisy.lams, noisy.errors) if (error - least) ** 2 <= squares
    ]
    assert noisy.lam == allowed[-1]


def test_costs_are_the_loss_of_trees_with_costs() -> None:
    grow = partial(grow_tree, classes=["a", "b"], cost=[[0, 7], [1, 0]])
    choice = choose_lam(X6, list("aaabbb"), grow=grow, folds=FOLDS)
    # Taking b for a costs 7, so the root alone says b: three rows of a cost 1 each.
    assert choice.errors == (F(1, 6), F(1, 2))


def test_candidates_of_the_callers_are_judged() -> None:
    lams: list[Any] = ["5/2", 0, 100]
    choice = choose_lam(X6, list("aaabbb"), grow=grow_tree, folds=FOLDS, lams=lams, scale="sum")
    assert choice.lams == (F(0), F(5, 2), F(100))
    assert choice.errors == (F(1, 6), F(1, 2), F(1, 2)) and choice.lam == 0


def held_out_losses(
    X: Sequence[Any], y: Sequence[Any], lam: Any, folds: Sequence[Sequence[int]], **how: Any
) -> Fraction:
    """The mean loss as the lecture's functions give it."""
    S, F_n, risk = list(zip(X, y)), plain(how["impurity"]), plain(how["risk"] or how["impurity"])
    limit = sum(lu.Log(n, c) for n, c in lam.terms) if isinstance(lam, Log) else lam
    losses = []
    for fold in folds:
        rest = [S[i] for i in range(len(X)) if i not in fold]
        tree = lu.greedy_decision_tree(rest, len(rest), F_n)
        pruned = lu.tree_lambda(lu.pruning_sequence(tree, rest, risk), limit, rest, risk)
        losses += [lu.zero_one(lu.labels(lu.leaf(pruned, X[i]), rest)[0], y[i]) for i in fold]
    return lu.mean(losses)


def plain(impurity: Any) -> lu.Impurity:
    """The lecture's measure of the same name."""
    return cast(lu.Impurity, getattr(lu, impurity.__name__))


SAMPLES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=4, max_size=9)


@given(SAMPLES, st.sampled_from([gini, entropy]), st.sampled_from([None, misclassification]))
def test_errors_are_those_of_growing_and_pruning_without_the_fold(
    sample: list[tuple[int, int]], impurity: Any, risk: Any
) -> None:
    X, y = [[x] for x, _ in sample], [label for _, label in sample]
    folds = [list(range(i, len(X), 3)) for i in range(3)]
    grow = partial(grow_tree, impurity=impurity)
    choice = choose_lam(X, y, grow=grow, folds=folds, risk=risk, scale="sum")
    for lam, error in zip(choice.lams, choice.errors):
        assert error == held_out_losses(X, y, lam, folds, impurity=impurity, risk=risk)
    best = max(lam for lam, e in zip(choice.lams, choice.errors) if e == min(choice.errors))
    assert choice.lam == best
    assert choice.tree == prune(choice.sequence, best)
    whole = grow_tree(X, y, impurity=impurity)
    assert [s.lam for s in choice.sequence] == [s.lam for s in pruning_sequence(whole, risk=risk)]


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        ([], "expected sequences of rows"),
        ([[0], [0]], "fold 1"),
        ([[9]], "fold 0"),
        ([[-1]], "fold 0"),
        ([["a"]], "fold 0"),
        ([[]], "holds out 0 of 6"),
        ([[0, 1, 2, 3, 4, 5]], "holds out 6 of 6"),
    ],
)
def test_folds_that_cannot_be_held_out_are_refused(folds: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        choose_lam(X6, list("aaabbb"), grow=grow_tree, folds=folds)


def test_candidates_and_data_are_checked() -> None:
    for lams in ([], [-1], ["x"]):
        with pytest.raises(ParameterError, match="lams"):
            choose_lam(X6, list("aaabbb"), grow=grow_tree, folds=FOLDS, lams=lams)
    with pytest.raises(DataError, match="6 labels"):
        choose_lam(X6, ["a"], grow=grow_tree, folds=FOLDS)
    y = list("aaabbb")
    for options, message in (
        ({"scale": "m"}, "scale: expected 'mean'"),
        ({"average": "mean"}, "average: expected 'rows'"),
    ):
        with pytest.raises(ParameterError, match=message):
            choose_lam(X6, y, grow=grow_tree, folds=FOLDS, **options)  # type: ignore[arg-type]  # texts
    with pytest.raises(DataError, match="weights: expected 6"):
        choose_lam(X6, y, grow=grow_tree, folds=FOLDS, weights=[1])
    with pytest.raises(DataError, match="the rows that are held out have no weight"):
        choose_lam(X6, y, grow=grow_tree, folds=[[0]], weights=[0, 1, 1, 1, 1, 1])


def test_costs_need_the_classes_of_all_rows() -> None:
    # the rows that are left out hold the only one of class c
    X, y = [[0], [1], [2], [3], [4]], ["a", "b", "a", "b", "c"]

    def grow(X: Any, y: Any) -> DecisionTree:
        k = len(set(y))
        return grow_tree(X, y, cost=[[int(i != j) for j in range(k)] for i in range(k)])

    with pytest.raises(ParameterError, match="grow: with costs give classes=; 'c' is in no row"):
        choose_lam(X, y, grow=grow, folds=[[4]])


@pytest.mark.parametrize("cost", [matrix_cost([[0, 1], [1, 0]]), [[0, 1]] * 6, lambda j, y: j != y])
def test_costs_that_are_not_those_of_rows_are_fixed_in_grow(cost: Any) -> None:
    with pytest.raises(ParameterError, match=r"cost: expected row_costs; .* are fixed in grow"):
        choose_lam(X6, list("aaabbb"), grow=grow_tree, folds=FOLDS, cost=cost)


@pytest.mark.parametrize("m", [2, 5, 7])
def test_costs_of_rows_are_one_a_row(m: int) -> None:
    with pytest.raises(ParameterError, match=f"cost: expected 6 rows, one a row of X, got {m}"):
        choose_lam(X6, list("aaabbb"), grow=grow_tree, folds=FOLDS, cost=row_costs([[0, 1]] * m))
