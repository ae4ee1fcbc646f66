"""AdaBoost and AdaBoost.MH: figures by hand, invariants of every round, the binary sample."""

import json
import math
from collections.abc import Callable, Sequence
from fractions import Fraction as F
from functools import partial
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.logs import Log
from refmc.core.ties import last, refuse
from refmc.errors import (
    DataError,
    ExactnessLimitError,
    FormatError,
    MixedArithmeticError,
    ParameterError,
    TieError,
)
from refmc.learn.boosting.adaboost_mh import BoostingStep, fit_adaboost, fit_adaboost_mh
from refmc.learn.boosting.models import adaboost_mh_from_record
from refmc.learn.boosting.stumps import Stump, fit_stump
from refmc.learn.boosting.weak import on_items
from refmc.learn.trees.grow import grow_tree
from refmc.learn.trees.questions import NumericQuestion
from refmc.lectures import lu
from refmc.theory.metrics import hamming_loss
from tests.support import Array, reloaded, table, yeast

half = F(1, 2)

cell = st.integers(-2, 2).map(lambda n: F(n, 2))
entry = st.sampled_from([-1, 1])


@st.composite
def samples(draw: st.DrawFn, k: int) -> tuple[list[Any], list[Any]]:
    """Two to seven rows of two small numbers, duplicates and conflicts included, k signs each."""
    m = draw(st.integers(2, 7))
    X = draw(st.lists(st.tuples(cell, cell), min_size=m, max_size=m))
    return X, draw(st.lists(st.tuples(*[entry] * k), min_size=m, max_size=m))


def steps_of(fit: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, list[BoostingStep]]:
    steps: list[BoostingStep] = []
    return fit(*args, on_step=steps.append, **kwargs), steps


def column(*values: Any) -> list[list[Any]]:
    return [[F(v)] for v in values]


def test_the_first_stump_of_ten_points_errs_on_a_tenth() -> None:
    X = [(1, 4), (1, 3), (1, 4), (1, 3), (2, 2), (2, 4), (2, 6), (2, 4), (2, 5), (2, 6)]
    y = [1] * 5 + [2] * 5
    exact = fit_adaboost([list(map(F, x)) for x in X], y, rounds=1, classes=(1, 2)).rounds[0]
    assert exact.epsilon == F(1, 10) and exact.alpha == Log([(9, half)])
    assert exact.base == Stump(NumericQuestion(0, 1), (-1,))
    rounded = fit_adaboost(X, y, rounds=1, classes=(1, 2)).rounds[0]
    assert rounded.epsilon == 0.1 and rounded.base == exact.base


def test_one_sign_a_label_gets_five_sixths_of_four_points_right() -> None:
    X, y = column(0, 1, 2, 3), [0, 0, 1, 2]
    (one_sign,) = fit_adaboost_mh(X, y, rounds=1).rounds
    assert 1 - one_sign.epsilon == F(5, 6) and one_sign.alpha == Log([(5, half)])
    assert [stump.question for stump in one_sign.tied] == [NumericQuestion(0, 1)]
    (two_sided,) = fit_adaboost_mh(X, y, rounds=1, two_sided=True).rounds
    assert 1 - two_sided.epsilon == F(5, 6) and two_sided.alpha == Log([(5, half)])
    assert [stump.question for stump in two_sided.tied] == [
        NumericQuestion(0, 1),
        NumericQuestion(0, 2),
    ]


def test_a_perfect_first_stump_is_kept_alone() -> None:
    for X in (column(0, 1), [[0], [1]]):
        model = fit_adaboost(X, [-1, 1], rounds=5)
        (only,) = model.rounds
        assert (only.epsilon, only.alpha, only.Z, only.loss, only.bound) == (0, None, 0, 0, 0)
        assert "errs nowhere" in model.stopped
        assert model.predict(X) == [-1, 1] and model.scores(X[1]) == (-half, half)


def test_a_perfect_base_drops_the_rounds_before_it() -> None:
    calls: list[Any] = []

    def improving(X: Any, y: Any, *, weights: Any) -> Any:
        calls.append(weights)
        return Answers([1, 1, -1] if len(calls) == 1 else y)

    model = fit_adaboost(column(0, 1, 0), [1, 1, 1], rounds=5, weak=improving)
    assert [r.t for r in model.rounds] == [2] and model.rounds[0].bound == 0
    assert model.stopped.startswith("round 2: the base classifier errs nowhere")


def test_xor_leaves_stumps_without_an_edge() -> None:
    for number in (F, float):
        X = [[number(a), number(b)] for a in (0, 1) for b in (0, 1)]
        model = fit_adaboost(X, [-1, 1, 1, -1], rounds=5)
        assert model.rounds == () and "1/2" in model.stopped
        assert model.predict_set(X[0]) == (-1, 1) and model.predict(X) == [-1] * 4


@pytest.mark.parametrize("number", [F, float])
@pytest.mark.parametrize("later", [[1, 1, 1, 1], [-1, -1, -1, 1]])
def test_a_base_without_an_edge_ends_the_run_and_keeps_the_rounds_before(
    number: Any, later: list[int]
) -> None:
    """A base again errs on just half of the new weight; one that is always wrong on all of it."""
    answers = iter([[1, 1, 1, 1], later])
    model = fit_adaboost(
        [[number(i)] for i in range(4)],
        [1, 1, 1, -1],
        rounds=5,
        weak=lambda X, y, weights: Answers(next(answers)),
    )
    assert [(r.t, r.epsilon) for r in model.rounds] == [(1, F(1, 4))]
    assert model.stopped == "round 2: no base classifier errs on less than 1/2 of the weight"


class Answers:
    """A base classifier with fixed answers, whatever the rows."""

    def __init__(self, answers: Any) -> None:
        self.answers = answers

    def predict(self, X: Any) -> Any:
        return self.answers


def weight_of_wrong(base: Any, X: Any, Y: Any, D: Any) -> F:
    weights = {(i, l): d for i, row in enumerate(D) for l, d in enumerate(row)}
    return lu.epsilon(lambda x, l: base.answer(x)[l], list(zip(X, Y)), weights)


@given(samples(k=2))
def test_each_distribution_sums_to_1_and_makes_the_last_base_useless(sample: Any) -> None:
    X, Y = sample
    _, steps = steps_of(fit_adaboost_mh, X, Y, rounds=6)
    for step in steps:
        assert sum(map(sum, step.D)) == 1
        assert step.epsilon == weight_of_wrong(step.base, X, Y, step.D)
        for stump in step.tied:
            assert step.epsilon == weight_of_wrong(stump, X, Y, step.D)
    for before, after in pairwise(steps):
        assert weight_of_wrong(before.base, X, Y, after.D) == half


@given(samples(k=2))
def test_the_hamming_loss_of_every_round_is_below_the_product_of_Z(sample: Any) -> None:
    X, Y = sample
    model: Any = fit_adaboost_mh(X, Y, rounds=6)
    product_of_Z = F(1)
    for t, r in enumerate(model.rounds, 1):
        product_of_Z *= r.Z_squared
        wrong = sum(c * g <= 0 for x, c_x in zip(X, Y) for c, g in zip(c_x, votes(model, t, x)))
        assert r.loss == F(wrong, 2 * len(X))
        assert r.loss**2 <= r.bound_squared == product_of_Z
        assert math.isclose(r.Z**2, r.Z_squared) or not r.Z


@given(samples(k=1), st.lists(st.integers(1, 5), min_size=7, max_size=7))
def test_the_bound_holds_for_weighted_rows_in_floats(sample: Any, weights: list[int]) -> None:
    X, Y = sample
    rows = [list(map(float, x)) for x in X]
    model: Any = fit_adaboost(rows, [c for (c,) in Y], rounds=6, weights=weights[: len(X)])
    for t, r in enumerate(model.rounds, 1):
        shares = [w / sum(weights[: len(X)]) for w in weights]
        wrong = [not c * sum_of_floats(model, t, x) > 0 for x, (c,) in zip(rows, Y)]
        assert math.isclose(r.loss, sum(w for w, bad in zip(shares, wrong) if bad), abs_tol=1e-15)
        assert r.loss <= r.bound * (1 + 1e-12)


def sum_of_floats(model: Any, t: int, x: Any) -> float:
    terms = [(1.0 if r.alpha is None else float(r.alpha), r.base) for r in model.rounds[:t]]
    return math.fsum(alpha * base.answer(x)[0] for alpha, base in terms)


def votes(model: Any, t: int, x: Any) -> list[Any]:
    """Σ α_s h_s(x, l) over s ≤ t, written out."""
    sums: list[Any] = [Log()] * len(model.classes)
    for r in model.rounds[:t]:
        alpha = Log([(3, 1)]) if r.alpha is None else r.alpha
        sums = [g + h * alpha for g, h in zip(sums, r.base.answer(x))]
    return sums


@given(samples(k=2), st.booleans())
def test_label_sets_are_the_binary_sample_of_items_and_labels(sample: Any, two: bool) -> None:
    """AdaBoost on ((x_i, l), c_il), with the same choice of h, has the same weights and α."""
    X, Y = sample
    _, mh = steps_of(fit_adaboost_mh, X, Y, rounds=5, two_sided=two)
    bases = iter([step.base for step in mh])
    items = [(*x, l) for x in X for l in range(2)]
    y = [c for row in Y for c in row]

    def same_base(rows: Any, _: Any, *, weights: Any) -> Any:
        base = next(bases)
        return Answers([base.answer(row[:2])[int(row[2])] for row in rows])

    rounds = len(mh)
    _, ada = steps_of(fit_adaboost, items, y, rounds=rounds, weak=same_base)
    assert len(ada) == rounds
    for one, other in zip(mh, ada):
        assert [d for row in one.D for d in row] == [d for (d,) in other.D]
        assert one.epsilon == other.epsilon
        assert one.alpha == other.alpha
        assert one.loss == other.loss


@given(samples(k=2))
def test_no_base_of_the_set_has_less_error_than_the_chosen(sample: Any) -> None:
    X, Y = sample
    _, steps = steps_of(fit_adaboost_mh, X, Y, rounds=4)
    questions = [None, *(NumericQuestion(j, x[j]) for x in X for j in range(2))]
    for step in steps:
        others = [Stump(q, v) for q in questions for v in product([-1, 1], repeat=2)]
        least = min(weight_of_wrong(stump, X, Y, step.D) for stump in others)
        assert step.epsilon == least


@given(samples(k=3))
def test_floats_follow_the_exact_run_until_they_are_undecided(sample: Any) -> None:
    X, Y = sample
    exact: Any = fit_adaboost_mh(X, Y, rounds=4)
    rounded: Any = fit_adaboost_mh([list(map(float, x)) for x in X], Y, rounds=4)
    for r, f in zip(exact.rounds, rounded.rounds):
        assert {s.question for s in r.tied} == {s.question for s in f.tied}
        if r.base != f.base or f.undecided:
            break
        assert math.isclose(r.epsilon, f.epsilon, abs_tol=1e-14) and r.base == f.base


@given(samples(k=1))
def test_binary_and_one_label_boosting_are_the_same(sample: Any) -> None:
    X, Y = sample
    binary = fit_adaboost(X, [c for (c,) in Y], rounds=5)
    multi = fit_adaboost_mh(X, Y, rounds=5, classes=["yes"])
    assert (binary.rounds, binary.stopped) == (multi.rounds, multi.stopped)
    for x in X:
        assert binary.decision(x) == multi.scores(x)[0]
        assert (1 in binary.predict_set(x)) == ("yes" in multi.predict_set(x))


def test_rows_of_weight_0_have_no_say() -> None:
    X, y = column(0, 1, 2), [-1, 1, -1]
    model = fit_adaboost(X, y, rounds=5, weights=[F(1, 2), 1, 0])
    assert "errs nowhere" in model.stopped and model.predict(X) == [-1, 1, 1]


@pytest.mark.parametrize("number", [F, float])
def test_all_forms_of_label_sets_are_one(number: Any) -> None:
    X = [[number(v)] for v in (0, 1, 2)]
    forms: list[Any] = [
        [{"a"}, {"a", "b"}, set()],
        [["a"], ["a", "b"], []],
        [[1, 0], [1, 1], [0, 0]],
        [(1, -1), (1, 1), (-1, -1)],
    ]
    models = [fit_adaboost_mh(X, Y, rounds=6, classes=("a", "b")) for Y in forms]
    assert all(model == models[0] for model in models)
    assert models[0].predict(X) == [{"a"}, {"a", "b"}, set()]
    assert fit_adaboost_mh(X, forms[2], rounds=0).classes == (0, 1)


def test_rows_without_a_label_are_sets_where_classes_name_the_labels() -> None:
    model = fit_adaboost_mh(column(0, 1), [[], ()], rounds=3, classes=("a", "b"))
    assert "errs nowhere" in model.stopped and model.predict(column(5)) == [frozenset()]


def test_single_labels_win_by_their_votes_and_tie_at_first() -> None:
    X = column(0, 1, 2, 3)
    none = fit_adaboost_mh(X, ["b", "b", "a", "c"], rounds=0, tie=last)
    assert none.predict_set(X[0]) == ("a", "b", "c") and none.predict(X) == ["c"] * 4
    model = fit_adaboost_mh(X, ["b", "b", "a", "c"], rounds=8)
    assert model.predict(X) == ["b", "b", "a", "c"]
    refusing = fit_adaboost_mh(X, ["b", "b", "a", "c"], rounds=0, tie=refuse)
    with pytest.raises(TieError):
        refusing.predict(X)


def test_a_vote_of_0_leaves_a_label_open() -> None:
    X = column(0, 1)
    model = fit_adaboost_mh(X, [{"a"}, {"b"}], rounds=0)
    assert model.predict_set(X[0]) == ("a", "b") and model.predict(X[:1]) == [frozenset()]
    eager = fit_adaboost_mh(X, [{"a"}, {"b"}], rounds=0, tie=last)
    assert eager.predict(X[:1]) == [{"a", "b"}]


def test_the_policy_chooses_among_the_tied_bases() -> None:
    X, y = column(0, 1, 2), [1, -1, 1]
    assert fit_adaboost(X, y, rounds=1).rounds[0].base.question == NumericQuestion(0, 0)
    assert fit_adaboost(X, y, rounds=1, choose=last).rounds[0].base.question is None
    with pytest.raises(TieError):
        fit_adaboost(X, y, rounds=1, choose=refuse)


def test_a_tie_that_floats_cannot_settle_is_marked() -> None:
    (tied,) = fit_adaboost([[0.0], [1.0], [2.0]], [1, -1, 1], rounds=1).rounds
    assert tied.undecided and len(tied.tied) == 3
    (alike,) = fit_adaboost([[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]], [1, -1, 1], rounds=1).rounds
    assert len(alike.tied) == 3 and alike.undecided  # the constant answers otherwise
    X = [[float(i), float(i)] for i in range(5)]
    (twins,) = fit_adaboost(X, [1, 1, -1, -1, 1], rounds=1).rounds
    assert len(twins.tied) == 2 and not twins.undecided


def test_one_class_alone_is_constant() -> None:
    for model in (
        fit_adaboost_mh(column(0, 1), ["a", "a"], rounds=3),
        fit_adaboost_mh([[0], [1]], ["a", "a"], rounds=3),
    ):
        assert model.rounds[0].base.question is None and model.predict([[5]]) == ["a"]


def test_trees_boost_as_weak_learners() -> None:
    X, y = [[0], [1], [2], [3], [4], [5]], [1, -1, -1, 1, 1, -1]
    tree = partial(grow_tree, max_splits=2)
    model = fit_adaboost(X, y, rounds=10, weak=tree)
    assert model.predict(X) == y
    rows = fit_adaboost_mh(X, ["a", "b", "b", "a", "c", "c"], rounds=10, weak=on_items(tree))
    assert rows.rounds and rows.rounds[-1].loss <= rows.rounds[-1].bound
    with pytest.raises(ParameterError, match="can't be saved"):
        model.to_json()


def test_stumps_handed_over_as_any_learner_boost_alike() -> None:
    X, y = column(0, 1, 2, 3, 4), [1, -1, -1, 1, -1]
    direct = fit_adaboost(X, y, rounds=4)
    handed = fit_adaboost(
        X, y, rounds=4, weak=lambda X, y, weights: fit_stump(X, y, weights=weights)
    )
    assert direct.rounds == handed.rounds


def test_categories_and_numbers_stand_side_by_side() -> None:
    X = [["red", F(1)], ["blue", 2], ["green", 3], ["red", 4]]
    model = fit_adaboost_mh(X, ["r", "b", "g", "r"], rounds=6)
    assert model.predict(X) == ["r", "b", "g", "r"]
    with pytest.raises(DataError, match="column 0"):
        model.predict([[1, 1]])


def test_an_exact_run_stops_at_its_limit_of_digits() -> None:
    X = column(*range(12))
    y = [1 if i % 3 else -1 for i in range(12)]
    with pytest.raises(ExactnessLimitError, match=r"round \d+: .* give floats"):
        fit_adaboost(X, y, rounds=30)
    model = fit_adaboost(X, y, rounds=12)
    assert len(model.rounds) == 12
    assert reloaded(model) == model


def test_a_weight_that_floats_cannot_hold_is_named() -> None:
    with pytest.raises(DataError, match="row 1: too small"):
        fit_adaboost_mh([[0], [1]], ["a", "b"], rounds=1, weights=[1e300, 1e-300])


def test_a_run_ends_where_a_weight_leaves_the_floats() -> None:
    def wrong_on_the_lightest_of_three(X: Any, y: Any, *, weights: Any) -> Any:
        lightest = min(range(3), key=weights.__getitem__)
        return Answers([-1 if i == lightest else 1 for i in range(4)])

    model = fit_adaboost(
        [[0.0]] * 4,
        [1] * 4,
        rounds=2000,
        weights=[0.2, 0.3, 0.5, 1e-300],
        weak=wrong_on_the_lightest_of_three,
    )
    assert "below the range of floats" in model.stopped and 10 < len(model.rounds) < 100


def test_steps_are_the_rounds_with_their_distributions() -> None:
    model, steps = steps_of(fit_adaboost, [[0.0], [1.0], [2.0]], [1, -1, 1], rounds=3)
    assert [(s.t, s.epsilon, s.alpha, s.Z) for s in steps] == [
        (r.t, r.epsilon, r.alpha, r.Z) for r in model.rounds
    ]
    assert steps[0].D == ((1 / 3,),) * 3


def test_two_sided_stumps_are_saved_with_both_sides() -> None:
    X, y = column(0, 1, 2, 3), [0, 0, 1, 2]
    model = fit_adaboost_mh(X, y, rounds=4, two_sided=True)
    again = reloaded(model)
    assert again == model and again.predict(X) == model.predict(X) == y


def test_lists_tuples_and_arrays_give_the_same_and_stay_as_they_were() -> None:
    X, Y = [[0.0, 1.0], [2.0, 1.0], [1.0, 3.0]], [[1, -1], [-1, -1], [1, 1]]
    before = json.dumps([X, Y])
    models = [
        fit_adaboost_mh(X, Y, rounds=5),
        fit_adaboost_mh(tuple(map(tuple, X)), tuple(map(tuple, Y)), rounds=5),
        fit_adaboost_mh(Array(X), Array(Y), rounds=5),
        fit_adaboost_mh([Array(x) for x in X], [Array(row) for row in Y], rounds=5),
    ]
    assert all(model == models[0] for model in models) and json.dumps([X, Y]) == before
    assert models[0].predict(Array(X)) == models[0].predict(X)


def test_renamed_labels_and_another_order_of_classes_change_nothing_else() -> None:
    X = column(0, 1, 2, 3, 4)
    model: Any = fit_adaboost_mh(X, ["a", "b", "a", "c", "c"], rounds=6)
    renamed: Any = fit_adaboost_mh(X, [3, 1, 3, 2, 2], rounds=6, classes=[3, 1, 2])
    turned: Any = fit_adaboost_mh(X, ["a", "b", "a", "c", "c"], rounds=6, classes=["c", "b", "a"])
    assert model.rounds == renamed.rounds
    assert [r.epsilon for r in turned.rounds] == [r.epsilon for r in model.rounds]
    for x in X:
        assert model.scores(x) == renamed.scores(x) == turned.scores(x)[::-1]


def test_yeast_keeps_the_bound_round_by_round() -> None:
    X, Y = yeast()
    model = fit_adaboost_mh(X, Y, rounds=8)
    assert len(model.classes) == 14 and len(model.rounds) == 8
    assert all(0 < r.loss <= r.bound for r in model.rounds)
    truth = [{l for l, v in enumerate(row) if v} for row in Y]
    loss = hamming_loss(model.predict(X), truth, classes=range(14))
    assert math.isclose(float(loss), model.rounds[-1].loss)
    assert reloaded(model) == model


def test_iris_in_fractions_and_floats_agrees() -> None:
    X, y = table("iris.csv")
    exact: Any = fit_adaboost_mh([[F(str(v)) for v in x] for x in X], y, rounds=6)
    rounded: Any = fit_adaboost_mh(X, y, rounds=6)
    assert [r.base.signs for r in exact.rounds] == [r.base.signs for r in rounded.rounds]
    for r, f in zip(exact.rounds, rounded.rounds):
        assert math.isclose(r.epsilon, f.epsilon) and math.isclose(r.loss, f.loss)
        assert not f.undecided


@pytest.mark.parametrize(
    "answers, message",
    [
        ([1, 1], "round 1: expected 3 answers"),
        ([1, 0, 1], "row 1: expected -1 or 1"),
        ([1, "1", 1], "row 1: expected -1 or 1"),
        (None, "expected a list from predict"),
    ],
)
def test_a_weak_learner_that_answers_otherwise_is_named(answers: Any, message: str) -> None:
    def weak(X: Any, y: Any, weights: Any) -> Any:
        return Answers(answers)

    with pytest.raises(ParameterError, match=message):
        fit_adaboost([[0], [1], [2]], [1, -1, 1], rounds=2, weak=weak)


@pytest.mark.parametrize("answer", [1, {1, -1}, [1], [1, 1, 1]])
def test_a_weak_learner_of_label_sets_answers_a_list_of_a_sign_a_label(answer: Any) -> None:
    def weak(X: Any, Y: Any, weights: Any) -> Any:
        return Answers([[1, -1], answer])

    with pytest.raises(ParameterError, match="round 1: row 1: expected 2 signs, one a label, got"):
        fit_adaboost_mh([[0], [1]], ["a", "b"], rounds=1, weak=weak)


@pytest.mark.parametrize(
    "Y, classes, message",
    [
        ([{"a"}, {"z"}], ["a"], "row 1: label 'z' is not in"),
        ([{"a"}, "b"], None, "row 1: expected a set"),
        ([set(), set()], None, "classes="),
        ([[], []], None, "classes="),
        ([[], [1]], None, "row 0: expected a list of signs, got \\[\\]"),
        ([[1, 0], [1]], None, "row 1: expected 2 signs"),
        ([[1, 0], [1, -1]], None, "row 1, label 1: expected 0 or 1"),
        ([[1, 2], [1, -1]], None, "row 0, label 1: expected -1 or 1"),
        ([[1, 0], 1], None, "row 1"),
        (["a"], None, "expected 2 entries"),
        (["a", "b"], ["a"], "'b' is not in"),
        ("ab", None, "sequence"),
    ],
)
def test_bad_label_sets_name_their_row(Y: Any, classes: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        fit_adaboost_mh([[0], [1]], Y, rounds=1, classes=classes)


def test_bad_parameters_are_named() -> None:
    X: Sequence[Any] = [[0], [1]]
    calls: list[tuple[str, Callable[[], Any]]] = [
        ("rounds", lambda: fit_adaboost(X, [1, -1], rounds=-1)),
        ("weak", lambda: fit_adaboost(X, [1, -1], rounds=1, weak=3)),  # type: ignore[arg-type]  # on purpose
        ("predict", lambda: fit_adaboost(X, [1, -1], rounds=1, weak=lambda X, y, weights: 3)),
        ("two_sided", lambda: fit_adaboost_mh(X, [1, 2], rounds=1, weak=fit_stump, two_sided=True)),
        ("classes", lambda: fit_adaboost_mh(X, [[1], [0]], rounds=1, classes=["a", "b"])),
        (
            "expected 2 signs",
            lambda: fit_adaboost_mh(
                X, [1, 2], rounds=1, weak=lambda X, Y, weights: Answers([[1], [1]])
            ),
        ),
        (
            "expected 2 answers, one a row, got 3",
            lambda: fit_adaboost_mh(
                X, [1, 2], rounds=1, weak=lambda X, Y, weights: Answers([[1, 1]] * 3)
            ),
        ),
    ]
    for message, call in calls:
        with pytest.raises(ParameterError, match=message):
            call()
    with pytest.raises(MixedArithmeticError):
        fit_adaboost(column(0, 1), [1, -1], rounds=1, weights=[0.5, 0.5])


@pytest.mark.parametrize(
    "field, value, place",
    [
        ("target", "other", "model.target"),
        ("stopped", 3, "model.stopped"),
        ("epsilon", "1/2", "epsilon"),
        ("epsilon", "0", "epsilon"),
        ("t", 7, "rounds.t"),
        ("undecided", 0, "undecided"),
        ("stump", {"question": None, "signs": [1], "free": [], "otherwise": None}, "stump"),
    ],
)
def test_a_damaged_record_names_its_field(field: str, value: Any, place: str) -> None:
    model = fit_adaboost_mh(column(0, 1, 2, 3), ["a", "a", "b", "c"], rounds=2)
    record = json.loads(model.to_json())
    assert adaboost_mh_from_record(record) == model
    if field in record:
        record[field] = value
    else:
        record["rounds"][1][field] = value
    with pytest.raises(FormatError, match=place):
        adaboost_mh_from_record(record)


def test_votes_that_cancel_exactly_count_as_wrong_whatever_floats_make_of_them() -> None:
    """Of weights 95, 38, 36, 116 each round errs on one row; the odds are 2, 9 and 18 = 2 · 9.

    After two rounds the second row is wrong, of ½ ln 2 − ½ ln 9; after three the votes of the third
    row are ½ ln 2 + ½ ln 9 − ½ ln 18 = 0, and above 0 if added in floats.
    """
    assert F(math.log(2) / 2) + F(math.log(9) / 2) > F(math.log(18) / 2)
    answers = iter([[-1, 1, 1, 1], [1, -1, 1, 1], [1, 1, -1, 1]])
    model = fit_adaboost(
        [[F(i)] for i in range(4)],
        [1, 1, 1, 1],
        rounds=3,
        weights=[95, 38, 36, 116],
        weak=lambda X, y, weights: Answers(next(answers)),
    )
    assert [r.epsilon for r in model.rounds] == [F(1, 3), F(1, 10), F(1, 19)]
    assert [r.loss for r in model.rounds] == [F(1, 3), F(38, 285), F(36, 285)]


def test_logarithms_are_turned_into_floats_once_and_not_for_each_row() -> None:
    X, y = [[0.1], [0.2], [0.3], [0.4]], [1, 1, -1, 1]
    model: Any = fit_adaboost(X, y, rounds=3)
    first = [r.weight for r in model.rounds]
    assert all(isinstance(w, float) for w in first)
    assert [r.weight is w for r, w in zip(model.rounds, first, strict=True)] == [True] * 3
    assert model == fit_adaboost(X, y, rounds=3)
    exact: Any = fit_adaboost(column(0, 1, 2, 3), y, rounds=3)
    assert [r.weight for r in exact.rounds] == [r.alpha for r in exact.rounds]
    perfect: Any = fit_adaboost(column(0, 1), [1, -1], rounds=3)
    assert [(r.alpha, r.weight) for r in perfect.rounds] == [(None, 1)]


def test_one_row_is_boosted_by_its_labels() -> None:
    model = fit_adaboost_mh([[0]], [["a"]], classes=["a", "b"], rounds=3, weak=on_items(grow_tree))
    assert "errs nowhere" in model.stopped and model.predict([[0]]) == [frozenset("a")]


def test_a_row_without_weight_is_none_that_fell_below_the_range_of_floats() -> None:
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "a", "b"]
    model = fit_adaboost_mh(X, y, rounds=3, weights=[1.0, 1.0, 1.0, 0.0])
    assert len(model.rounds) == 3 and model.stopped == "all 3 rounds were made"
