"""Costs of each row by itself: where all rows of a class agree, they are those of the class.

Where they don't agree, answers are worked out by hand, and judged by the checker.
"""

import json
from collections.abc import Callable
from fractions import Fraction as F
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refmc import (
    FormatError,
    MixedArithmeticError,
    ParameterError,
    assert_certified,
    check,
    choose_lam,
    expected_costs,
    fit_multiclass_svm,
    fit_multiclass_svm_sgd,
    grow_tree,
    least_cost_set,
    load_model,
    matrix_cost,
    max_form,
    multiclass_hinge,
    multiclass_hinge_sum,
    pruning_sequence,
    row_costs,
    solve_problem,
    sum_form,
)

AB: Any = {"classes": ("a", "b")}
K3: Any = {"classes": (0, 1, 2)}


@settings(max_examples=8, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-2, 2).map(F), st.integers(0, 2)), min_size=2, max_size=5),
    st.lists(st.integers(0, 3).map(F), min_size=6, max_size=6),
)
def test_rows_that_agree_are_their_class(sample: list[tuple[F, int]], numbers: list[F]) -> None:
    X, y = [[x] for x, _ in sample], [c for _, c in sample]
    a, b, c, d, e, f = numbers
    table = matrix_cost([[0, a, b], [c, 0, d], [e, f, 0]])
    own = row_costs([[table(j, right) for j in range(3)] for right in y])
    for form in (max_form, sum_form):
        svm = partial(fit_multiclass_svm, X, y, C=1, loss=form, **K3)
        one: Any = svm(cost=table)
        other: Any = svm(cost=own)
        assert (one.W, one.lam, one.objective) == (other.W, other.lam, other.objective)
        sgd: Any = partial(fit_multiclass_svm_sgd, X, y, T=5, lam=1, loss=form, **K3)
        assert sgd(cost=table) == sgd(cost=own)
    trees = [grow_tree(X, y, cost=cost, **K3) for cost in (table, own)]
    assert [n.labels for n in trees[0].nodes()] == [n.labels for n in trees[1].nodes()]
    assert trees[0].scores([F(1)]) == trees[1].scores([F(1)])
    steps = [[(s.lam, s.size) for s in pruning_sequence(tree)] for tree in trees]
    assert steps[0] == steps[1]
    folds = [[i for i in range(len(X)) if i % 2 == odd] for odd in (0, 1)]
    by_class = choose_lam(X, y, grow=partial(grow_tree, cost=table, **K3), folds=folds)
    by_row = choose_lam(X, y, grow=partial(grow_tree, **K3), folds=folds, cost=own)
    assert (by_class.lams, by_class.errors) == (by_row.lams, by_row.errors)


def test_a_dear_row_decides_about_the_label() -> None:
    # Two rows of a cost 1 each as b; the one row of b costs 5 as a.
    table = [[0, 1], [0, 1], [5, 0]]
    tree = grow_tree([[1], [1], [1]], ["a", "a", "b"], cost=row_costs(table))
    assert tree.root.costs == (5, 2) and tree.root.label == "b"
    assert tree.scores([1]) == (F(-5, 3), F(-2, 3))
    halves = grow_tree([[1], [1], [1]], ["a", "a", "b"], cost=row_costs(table), weights=["1/2"] * 3)
    assert halves.root.costs == (F(5, 2), 1)
    assert expected_costs([1, 1, 1], row_costs(table)) == (5, 2)
    assert least_cost_set([1, 1, F(1, 5)], row_costs(table)) == (0,)


def test_rows_of_one_class_may_need_different_margins() -> None:
    # w = f_a − f_b = 2 f_a: x = 1 needs w ≥ 1, x = 2 needs 2w ≥ 4, so that w = 2 by a large C.
    X, y = [[F(1)], [F(2)]], ["a", "a"]
    model: Any = fit_multiclass_svm(X, y, C=9, cost=row_costs([[0, 1], [0, 4]]), classes=["a", "b"])
    assert model.W == ((1,), (-1,)) and model.objective == 1 and model.certificate.gap == 0


def test_a_single_row_of_costs_is_one_of_a_loss() -> None:
    scores = [F(1), F(2), F(0)]
    own = row_costs([[0, F(1, 2), 3]])
    assert multiclass_hinge(scores, 0, own) == 2  # max(0, 1/2 + 1, 3 − 1)
    assert multiclass_hinge_sum(scores, 0, own) == F(7, 2)


@pytest.mark.parametrize("costs", [["-1/2", 1], [1], [1, 0, 0]])
def test_saved_costs_of_a_node_are_one_a_class_and_at_least_0(costs: list[Any]) -> None:
    record = json.loads(grow_tree([[1]], ["a"], cost=row_costs([[0, 1]]), **AB).to_json())
    record["nodes"][0]["costs"] = costs
    with pytest.raises(FormatError, match="node 0.costs: expected 2 numbers of at least 0"):
        load_model(json.dumps(record))


def test_saved_costs_do_not_stand_beside_a_matrix_of_costs() -> None:
    record = json.loads(grow_tree([[1]], ["a"], cost=matrix_cost([[0, 1], [1, 0]]), **AB).to_json())
    record["nodes"][0]["costs"] = [0, 1]
    with pytest.raises(FormatError, match=r"and no model\.cost$"):
        load_model(json.dumps(record))


def test_saved_models_come_back_with_the_costs_of_their_rows() -> None:
    X, y = [[F(0)], [F(1)], [F(3)], [F(2)]], ["a", "b", "b", "a"]
    own = row_costs([[0, 1], [2, 0], [F(1, 3), 0], [0, 5]])
    for exact in (True, False):
        rows: Any = X if exact else [[float(x) for x in row] for row in X]
        cost = own if exact else row_costs([[float(v) for v in row] for row in own.rows])
        model = fit_multiclass_svm(rows, y, C=1, cost=cost)
        assert load_model(model.to_json()) == model
    tree = grow_tree(X, y, cost=own)
    again: Any = load_model(tree.to_json())
    assert again == tree and [n.costs for n in again.nodes()] == [n.costs for n in tree.nodes()]
    assert [s.lam for s in pruning_sequence(again)] == [s.lam for s in pruning_sequence(tree)]


SAMPLE: dict[str, Any] = {"X": [[1], [2], [2]], "y": ["a", "b", "a"]}
TABLE = [["0", "2"], ["1/2", "0"], ["0", "3"]]
PROBLEMS: list[dict[str, Any]] = [
    {"family": "svm.multiclass", **SAMPLE, "C": 1},
    {"family": "svm.multiclass", **SAMPLE, "C": 1, "loss": "sum_form"},
    {"family": "sgd.multiclass", **SAMPLE, "lam": 1, "T": 4},
    {"family": "tree.grow", **SAMPLE},
    {"family": "loss.multiclass_hinge", "scores": [[0, 0], [1, 0], [0, 1]], "y": [0, 1, 0]},
    {
        "family": "tree.prune",
        **SAMPLE,
        "risk": "cost",
        "tree": {
            "nodes": [
                {"question": {"column": 0, "threshold": 1}, "negative": 1, "positive": 2},
                {},
                {},
            ]
        },
    },
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p["family"])
def test_answers_to_row_costs_are_judged_by_them(problem: dict[str, Any]) -> None:
    given = {**problem, "row_costs": TABLE}
    answer = solve_problem(given)
    assert_certified(given, answer, gap=0)
    other = {**problem, "row_costs": [["0", "1/8"], ["9", "0"], ["0", "1/8"]]}
    assert check(other, answer).status == "REFUTED"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: row_costs([[0, -1]]), ParameterError, "row costs: row 0, class 1: expected at"),
        (lambda: row_costs([[0, 1], [0]]), ParameterError, "rows: row 1: expected 2 costs, got 1"),
        (lambda: row_costs([[0, float("nan")]]), ParameterError, "row costs: row 0, class 1"),
        (
            lambda: grow_tree([[1]], ["a"], cost=row_costs([[1, 0]]), classes=["a", "b"]),
            ParameterError,
            "row costs: row 0, class 0, the right one: expected 0, got 1",
        ),
        (
            lambda: fit_multiclass_svm([[1.0]], ["a"], C=1, cost=row_costs([[0]] * 2)),
            ParameterError,
            "row costs: expected 1 rows of 1, got 2 of 1",
        ),
        (
            lambda: fit_multiclass_svm(
                [[F(1)], [F(2)]], [0, 1], C=1, cost=row_costs([[0, 0.5]] * 2)
            ),
            MixedArithmeticError,
            "row costs: row 0, class 1=0.5",
        ),
    ],
)
def test_bad_costs_are_named(call: Callable[[], Any], error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([["1", "0"]], "problem.row_costs: expected 3 rows of 2"),
        ([["0", "1"], ["1", "1"], ["0", "1"]], r"problem.row_costs\[1\]\[1\]: expected 0"),
        (
            [["0", "-1"], ["1", "0"], ["0", "1"]],
            r"problem.row_costs\[0\]\[1\]: expected at least 0",
        ),
    ],
)
def test_bad_costs_of_problems_are_named(costs: Any, message: str) -> None:
    with pytest.raises(Exception, match=message):
        solve_problem({**PROBLEMS[0], "row_costs": costs})
    with pytest.raises(Exception, match="cost or row_costs, not both"):
        solve_problem({**PROBLEMS[0], "row_costs": TABLE, "cost": [["0", "1"], ["1", "0"]]})
