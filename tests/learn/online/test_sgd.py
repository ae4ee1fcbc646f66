"""SGD against the recursions of the lectures, and exact optima."""

import json
import random
from collections.abc import Callable, Sequence
from fractions import Fraction as F
from functools import partial
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.checker.online import sgd
from refmc.core.scalars import MAX_DIGITS
from refmc.core.ties import argmax_set, first, last
from refmc.errors import (
    DataError,
    ExactnessLimitError,
    FormatError,
    MixedArithmeticError,
    ParameterError,
)
from refmc.learn.online.runs import (
    RunningMean,
    ball,
    by_age,
    check_state,
    equally,
    shrink_always,
    shrink_never,
    shrink_with_loss,
)
from refmc.learn.online.sgd_binary import SGDStep, fit_svm_sgd
from refmc.learn.online.sgd_models import multiclass_svm_sgd_from_record, svm_sgd_from_record
from refmc.learn.online.sgd_multiclass import MulticlassSGDStep, fit_multiclass_svm_sgd
from refmc.learn.online.weights import SAFE, FloatWeights, WholeWeights, weights_of
from refmc.learn.svm.multiclass import fit_multiclass_svm
from refmc.lectures import chang, lecture5
from refmc.theory.costs import matrix_cost, uniform_cost
from refmc.theory.features import class_features
from refmc.theory.subgradients import max_form, multiclass_hinge_subgradient, sum_form
from tests.support import Array, inner, reloaded, table

Rows = list[list[F]]
Number = int | F
Matrix = Sequence[Sequence[Number]]
THREE = [[F(1), F(0)], [F(0), F(1)], [F(-1), F(-1)]]

dyadic = st.integers(-4, 4).map(lambda n: F(n, 2))
positive = st.integers(1, 6).map(lambda n: F(n, 4))


@st.composite
def labelled(draw: Any, labels: Sequence[int], rows: int = 5) -> tuple[Rows, list[int]]:
    m, d = draw(st.integers(1, rows)), draw(st.integers(1, 3))
    X = [[draw(dyadic) for _ in range(d)] for _ in range(m)]
    return X, [draw(st.sampled_from(labels)) for _ in range(m)]


def species_in_turn(T: int) -> list[int]:
    """Positions of iris, whose species stand in blocks of 50: one of each, then the next."""
    return [50 * (t % 3) + t // 3 % 50 for t in range(T)]


def descent(
    X: Rows,
    y: list[int],
    lam: F,
    etas: Sequence[F],
    summed: bool = False,
    cost: Callable[[int, int], Number] = lecture5.indicator,
) -> list[Matrix]:
    """W_1, W_2, … of the lecture's update, with costs and steps, rows in turn, the first j*."""
    W: list[Matrix] = [[[F(0)] * len(X[0])] * 3]
    for t, eta in enumerate(etas):
        x, c = X[t % len(X)], y[t % len(X)]
        s = lecture5.linear_scores(W[-1], x)
        e = [cost(j, c) + s[j] - s[c] for j in range(3)]
        violated = [j for j in range(3) if j != c and e[j] > 0]
        after = lecture5.plus(W[-1], -eta * lam, W[-1])
        for j in violated if summed else [e.index(max(e))]:
            after = lecture5.plus(after, -eta, lecture5.subgradient(x, c, j, 3))
        W.append(after)
    return W


def objective(
    W: Matrix, X: Rows, y: list[int], lam: F, loss: Any = lecture5.multiclass_hinge
) -> Number:
    mean: F = sum((loss(W, x, c) for x, c in zip(X, y, strict=True)), F(0)) / len(X)
    return mean + lam / 2 * sum(lecture5.dot(w, w) for w in W)


# Algorithm 1.


@given(
    labelled([0, 1, 2]), positive, st.integers(0, 9), st.booleans(), st.sampled_from([None, 1, 2])
)
def test_it_is_the_printed_recursion_in_both_forms(
    data: tuple[Rows, list[int]], lam: F, T: int, summed: bool, size: int | None
) -> None:
    X, y = data
    etas = [1 / (lam * t) if size is None else F(size, t + 2) for t in range(1, T + 1)]
    after = descent(X, y, lam, etas, summed)
    loss = sum_form if summed else max_form
    model: Any = fit_multiclass_svm_sgd(
        X,
        y,
        lam=lam,
        T=T,
        loss=loss,
        classes=(0, 1, 2),
        eta=None if size is None else lambda t: etas[t - 1],
    )
    assert [list(w) for w in model.W] == after[-1]
    value = lecture5.sum_hinge if summed else lecture5.multiclass_hinge
    assert model.objective == objective(model.W, X, y, lam, value)


@given(labelled([0, 1, 2]), st.integers(1, 9), st.booleans())
def test_costs_are_the_margins_asked_for(
    data: tuple[Rows, list[int]], T: int, summed: bool
) -> None:
    X, y = data
    table = [[F(0), F(1, 2), F(2)], [F(1), F(0), F(1, 4)], [F(0), F(3), F(0)]]
    etas = [F(2, t) for t in range(1, T + 1)]
    after = descent(X, y, F(1, 2), etas, summed, lambda j, c: table[j][c])
    for cost in (lambda j, c: table[j][c], matrix_cost(table)):
        model: Any = fit_multiclass_svm_sgd(
            X,
            y,
            lam="1/2",
            T=T,
            cost=cost,
            loss=sum_form if summed else max_form,
            classes=(0, 1, 2),
        )
        assert [list(w) for w in model.W] == after[-1]


@given(labelled([0, 1, 2]), st.integers(0, 8), st.sampled_from([None, equally, by_age]))
def test_the_block_features_give_the_rows_of_w_one_after_the_other(
    data: tuple[Rows, list[int]], T: int, average: Any
) -> None:
    X, y = data
    choices: Any = {"lam": F(1, 3), "T": T, "average": average, "classes": (0, 1, 2)}
    model: Any = fit_multiclass_svm_sgd(X, y, **choices)
    general: Any = fit_multiclass_svm_sgd(X, y, features=partial(class_features, k=3), **choices)
    assert general.W == (tuple(a for w in model.W for a in w),)
    assert general.objective == model.objective
    assert all(general.scores(x) == model.scores(x) for x in X)


@given(labelled([-1, 1]), st.integers(0, 8))
def test_half_yx_as_features_is_the_binary_svm(data: tuple[Rows, list[int]], T: int) -> None:
    X, y = data
    lam = F(1, 2)

    def half(x: Sequence[F], j: int) -> list[F]:
        return [(2 * j - 1) * a / 2 for a in x]

    model: Any = fit_multiclass_svm_sgd(
        X, y, lam=lam, T=T, features=half, classes=(-1, 1), tie=lambda tied: tied[0]
    )
    w = [F(0)] * len(X[0])
    for t in range(1, T + 1):
        x, sign = X[(t - 1) % len(X)], y[(t - 1) % len(X)]
        margin = sign * inner(w, x)
        # at the kink the arg max is both, and `first` takes class −1
        violated = margin < 1 or (margin == 1 and sign == 1)
        eta = 1 / (lam * t)
        w = [a - eta * (lam * a - violated * sign * b) for a, b in zip(w, x, strict=True)]
    assert list(model.W[0]) == w


@given(labelled([0, 1, 2]), st.integers(1, 9), st.sampled_from([equally, by_age]), st.booleans())
def test_averages_need_no_sum_over_steps(
    data: tuple[Rows, list[int]], T: int, average: Callable[[int], int], constant: bool
) -> None:
    X, y = data
    lam = F(1, 2)
    # with the constant 2 every factor is 0, with 1/(λt) the first
    etas = [F(2) if constant else F(2, t) for t in range(1, T + 1)]
    after = descent(X, y, lam, etas)[1:]
    model: Any = fit_multiclass_svm_sgd(
        X, y, lam=lam, T=T, eta=lambda t: etas[t - 1], average=average, classes=(0, 1, 2)
    )
    weights = [F(average(t)) for t in range(1, T + 1)]
    for r in range(3):
        columns = zip(*(W[r] for W in after), strict=True)
        assert list(model.W[r]) == [inner(weights, column) / sum(weights) for column in columns]


def test_steps_carry_the_objective_of_the_weights_they_leave() -> None:
    steps: list[MulticlassSGDStep[Any]] = []
    y = [0, 1, 2]
    model: Any = fit_multiclass_svm_sgd(THREE, y, lam=F(1, 2), T=5, on_step=steps.append)
    assert [step.t for step in steps] == [1, 2, 3, 4, 5]
    assert [step.eta for step in steps] == [F(2, t) for t in (1, 2, 3, 4, 5)]
    assert [step.i for step in steps] == [0, 1, 2, 0, 1]
    assert steps[0].slope.tied == (1, 2)
    assert steps[0].slope.coefficients == ((1, 1), (0, -1))
    for step in steps:
        assert step.objective() == objective(step.W, THREE, y, F(1, 2))
    assert steps[-1].W == model.W
    assert steps[-1].objective() == model.objective


def test_the_policy_chooses_among_several_j_star() -> None:
    one: Any = fit_multiclass_svm_sgd(THREE, [0, 1, 2], lam=1, T=1)
    other: Any = fit_multiclass_svm_sgd(THREE, [0, 1, 2], lam=1, T=1, tie=last)
    assert one.W == ((1, 0), (-1, 0), (0, 0))
    assert other.W == ((1, 0), (0, 0), (-1, 0))


def test_draws_are_an_argument() -> None:
    fit: Any = partial(fit_multiclass_svm_sgd, THREE, [0, 1, 2], lam=1, T=6)
    assert fit() == fit(draws=[0, 1, 2, 0, 1, 2, 0]) == fit(draws=cycle(range(3)))
    chance = random.Random(7)
    drawn = [chance.randrange(3) for _ in range(6)]
    assert drawn == [1, 0, 1, 2, 0, 0] != list(range(3)) * 2
    assert fit(draws=random.Random(7)) == fit(draws=drawn)
    assert fit(draws=[0] * 6) != fit()


# The independent checker.

SHRINKS: dict[Any, Any] = {
    "always": shrink_always,
    "with_loss": shrink_with_loss,
    "never": shrink_never,
}


@given(labelled([0, 1, 2]), positive, st.booleans(), st.sampled_from(list(SHRINKS)))
def test_the_checker_verifies_every_trace(
    data: tuple[Rows, list[int]], lam: F, summed: bool, shrink: Any
) -> None:
    X, y = data
    steps: list[Any] = []
    fit_multiclass_svm_sgd(
        X,
        y,
        lam=lam,
        T=7,
        classes=(0, 1, 2),
        loss=sum_form if summed else max_form,
        shrink=SHRINKS[shrink],
        on_step=steps.append,
    )
    run = sgd.SGDProblem(
        family="sgd.multiclass",
        X=X,
        y=tuple(y),
        k=3,
        visits=tuple(sgd.Visit(step.t, 1, step.i) for step in steps),
        etas=tuple(step.eta for step in steps),
        sigma=lam,
        c=F(1),
        form="sum" if summed else "max",
        shrink=shrink,
    )
    assert_verified(run, [tuple(a for w in step.W for a in w) for step in steps])


@given(labelled([-1, 1]), positive, st.booleans())
def test_the_checker_verifies_every_binary_trace(
    data: tuple[Rows, list[int]], C: F, bias: bool
) -> None:
    X, y = data
    steps: list[Any] = []
    fit_svm_sgd(X, y, C=C, eta=lambda t: F(1, t), epochs=2, bias=bias, on_step=steps.append)
    run = sgd.SGDProblem(
        family="sgd.binary",
        X=X,
        y=tuple(y),
        visits=tuple(sgd.Visit(step.t, step.epoch, step.i) for step in steps),
        etas=tuple(step.eta for step in steps),
        sigma=F(1),
        c=C,
        bias=bias,
    )
    assert_verified(run, [(*step.w, step.b) if bias else step.w for step in steps])


def assert_verified(run: sgd.SGDProblem, trace: list[tuple[F, ...]]) -> None:
    verdict = sgd.judge(run, sgd.Submission(trace=trace), allowed=F(0))
    assert verdict, verdict.explain()


# Against the exact optimum.


def test_on_iris_6000_steps_come_within_five_per_cent_of_the_optimum() -> None:
    X, y = table("iris.csv", F)
    floats = [[float(a) for a in x] for x in X]
    C, lam = F(1, 20), F(1, 150) * 20
    certificate = fit_multiclass_svm(floats, y, C=float(C)).certificate
    optimum = certificate.dual / (150 * C)  # an exact bound from below, in the scale of λ
    assert certificate.gap < F(1, 10**6) * certificate.primal
    model: Any = fit_multiclass_svm_sgd(
        floats, y, lam=float(lam), T=6000, draws=species_in_turn(6000)
    )
    assert optimum <= F(model.objective) < F(105, 100) * optimum
    averaged: Any = fit_multiclass_svm_sgd(
        floats, y, lam=float(lam), T=6000, draws=species_in_turn(6000), average=by_age
    )
    assert optimum <= F(averaged.objective) < F(105, 100) * optimum


@pytest.mark.parametrize("average", [None, equally])
def test_exact_and_float_runs_agree(average: Any) -> None:
    X, y = table("iris.csv", F)
    floats = [[float(a) for a in x] for x in X]
    choices: Any = {"T": 200, "draws": species_in_turn(200), "average": average}
    model: Any = fit_multiclass_svm_sgd(X, y, lam="2/15", **choices)
    in_float: Any = fit_multiclass_svm_sgd(floats, y, lam=2 / 15, **choices)
    for w, v in zip(model.W, in_float.W, strict=True):
        assert all(abs(a - F(b)) < F(1, 10**9) for a, b in zip(w, v, strict=True))
    assert abs(model.objective - F(in_float.objective)) < F(1, 10**9)
    signs = [1 if label == "setosa" else -1 for label in y]
    order = species_in_turn(100)
    binary: Any = fit_svm_sgd(X, signs, C=1, eta="1/10", epochs=2, order=order, bias=True)
    rounded: Any = fit_svm_sgd(floats, signs, C=1, eta=0.1, epochs=2, order=order, bias=True)
    assert binary.T == rounded.T == 200
    assert all(abs(a - F(b)) < F(1, 10**9) for a, b in zip(binary.w, rounded.w, strict=True))


def test_under_the_printed_schedule_exact_weights_stay_short() -> None:
    X, y = table("iris.csv", F)
    model: Any = fit_multiclass_svm_sgd(X, y, lam="2/15", T=2000, draws=species_in_turn(2000))
    assert max(a.denominator for w in model.W for a in w) < 10**6


def test_three_sectors_of_the_circle_are_learnt_without_an_error() -> None:
    halves = [F(n, 5) for n in range(-20, 21)]  # tangents of half the angle
    points = [[(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)] for t in halves]
    labels = ["east" if 2 * x > 1 else "north" if y > 0 else "south" for x, y in points]
    assert all(inner(p, p) == 1 for p in points)
    draws = [16 * t % 41 for t in range(2000)]
    model = fit_multiclass_svm_sgd(points, labels, lam="1/1000", T=2000, draws=draws)
    assert [model.predict_set(p) for p in points] == [(c,) for c in labels]


# What the lectures print.

ONE_ROW, ONE_LABEL, TWO = [[F(1)]], ["a"], ("a", "b")


def test_a_shrink_only_with_a_loss_stays_away_from_the_optimum() -> None:
    lam = F(1, 4)
    optimum = F(1, 16)  # W = (1/2, −1/2), where max(0, 1 − 2u) + λu² is least
    fit: Any = partial(fit_multiclass_svm_sgd, ONE_ROW, ONE_LABEL, lam=lam, classes=TWO, tie=last)
    printed = fit(T=1000, shrink=shrink_with_loss)
    assert printed.W == ((4,), (-4,))  # the first step, for ever: its row has no loss any more
    assert printed.objective == 4
    mended = fit(T=1000)
    assert optimum <= mended.objective < F(105, 100) * optimum


def test_the_printed_condition_keeps_the_weights_where_the_loss_is_exactly_zero() -> None:
    # x = 1, η = 1/2: step 1 gives (1/2, −1/2), whose loss is 1 − 1 = 0 with both classes tied
    options: dict[str, Any] = {"T": 2, "lam": F(1, 100), "eta": F(1, 2), "tie": last}
    printed = fit_multiclass_svm_sgd(
        [[F(1)]], [0], classes=[0, 1], shrink=shrink_with_loss, **options
    )
    assert printed.W == ((F(1, 2),), (F(-1, 2),))
    always = fit_multiclass_svm_sgd([[F(1)]], [0], classes=[0, 1], **options)
    assert always.W != printed.W


def test_without_a_term_for_the_norm_the_recursion_ignores_it() -> None:
    fit: Any = partial(
        fit_multiclass_svm_sgd, ONE_ROW, ONE_LABEL, ridge=F(1, 8), classes=TWO, T=1000
    )
    assert fit(shrink=shrink_never).objective == 4
    assert fit().objective < F(105, 100) * F(1, 16)


def test_the_maximum_is_over_the_class_that_the_bracket_contains() -> None:
    # printed under the arg max is y, but δ(ŷ′ ≠ y) + w^{ŷ′}·x has the variable ŷ′
    scores, y = [F(3), F(-5), F(1)], 2
    by_rival = [F(r != y) + scores[r] for r in range(3)]
    assert by_rival.index(max(by_rival)) == 0
    for fixed in range(3):
        over_y = [F(fixed != r) + scores[fixed] for r in range(3)]
        others = tuple(r for r in range(3) if r != fixed)
        assert argmax_set(over_y) == others  # as printed: all but the fixed one, whatever W is
    slope = max_form(tuple(e - scores[y] for e in by_rival), y, first)
    assert slope.tied == (0,)


def test_the_optimum_of_the_ridge_problem_is_no_vertex() -> None:
    # one row x = 1: (1 − 2a)₊ + 2λa² with W = (a, −a) is least at a = 1/(2λ) for λ > 1
    lam = F(2)
    model = fit_multiclass_svm(ONE_ROW, ONE_LABEL, C=1 / (2 * lam), classes=TWO)
    assert model.W == ((F(1, 4),), (F(-1, 4),))
    # the margin is 1/2: one piece of the loss alone reaches the maximum there and around, and a
    # linear program has a vertex, where pieces meet, among its optima
    found = multiclass_hinge_subgradient([F(1, 4), F(-1, 4)], 0)
    assert found.maximisers == ((1,),)


def test_the_last_weights_and_their_average_differ() -> None:
    # W_2 = (1, −1); then each step shrinks by (t − 1)/t, and adds nothing
    fit: Any = partial(fit_multiclass_svm_sgd, ONE_ROW, ONE_LABEL, lam=1, classes=TWO, tie=last)
    assert fit(T=2).W == ((F(1, 2),), (F(-1, 2),))
    assert fit(T=2, average=equally).W == ((F(3, 4),), (F(-3, 4),))
    assert (fit(T=2).objective, fit(T=2, average=equally).objective) == (F(1, 4), F(9, 16))


def test_ridge_is_half_of_lam() -> None:
    fit: Any = partial(fit_multiclass_svm_sgd, THREE, [0, 1, 2], T=7)
    model = fit(ridge=F(3, 8))
    assert model == fit(lam=F(3, 4))
    mean = objective(model.W, THREE, [0, 1, 2], F(0))
    assert model.objective == mean + F(3, 8) * sum(inner(w, w) for w in model.W)


@pytest.mark.parametrize("lam", [49.0, 0.1, 3.0])
def test_the_first_shrink_is_exactly_zero(lam: float) -> None:
    model: Any = fit_multiclass_svm_sgd([[1.0]], ["a"], classes=TWO, lam=lam, T=1, tie=last)
    assert model.W == ((1 / lam,), (-1 / lam,))
    assert 1 - (1 / 49.0) * 49.0 != 0.0  # the tempting way to compute it


@pytest.mark.parametrize("number", [F, float])
def test_a_factor_of_zero_forgets_the_weights(number: Any) -> None:
    W = weights_of(((number(0), number(0)),), number(0))
    W.add(0, number(3), W.vector([number(1), number(2)]))
    W.shrink(number(0))
    assert W.values() == ((0, 0),)
    W.add(0, number(1), W.vector([number(5), number(7)]))
    assert W.values() == ((5, 7),)


parts = st.fractions(-3, 3, max_denominator=6)


@given(st.lists(st.tuples(st.integers(0, 1), parts, parts, parts, parts), max_size=12))
def test_weights_of_whole_numbers_are_those_of_fractions(
    steps: list[tuple[int, F, F, F, F]],
) -> None:
    start = ((F(1), F(1, 2)), (F(0), F(-1, 3)))
    W, plain = WholeWeights(start), [list(row) for row in start]
    for block, factor, c, *x in steps:
        assert W.scaled(block, W.vector(x)) / W.unit == inner(plain[block], x)
        W.shrink(factor)
        W.add(block, c, W.vector(x))
        plain = [[factor * w for w in row] for row in plain]
        plain[block] = [w + c * a for w, a in zip(plain[block], x)]
        assert W.values() == tuple(map(tuple, plain))
        assert W.norm_squared() == sum(w * w for row in plain for w in row)


def test_the_unit_of_whole_numbers_stays_short_where_step_sizes_fall_as_one_over_t() -> None:
    W = WholeWeights(((F(1),),))
    for t in range(1, 200):
        W.shrink(F(t - 1, t))
        W.add(0, F(1, 3 * t), W.vector([F(1, 2)]))
        assert W.unit <= 6 * t


def test_weights_that_have_become_short_again_are_within_the_limit_of_digits() -> None:
    W, tiny = WholeWeights(((F(1),),)), F(1, 10**15_000)
    W.shrink(tiny)
    W.add(0, -tiny, W.vector([F(1)]))
    W.shrink(tiny)
    W.check(1)
    assert W.values() == ((F(0),),) and W.unit == 1
    W = WholeWeights(((F(1),),))
    W.shrink(tiny)
    W.check(1)
    W.shrink(tiny)
    with pytest.raises(ExactnessLimitError, match="step 2: a weight"):
        W.check(2)


def test_a_tiny_factor_is_multiplied_out_before_it_vanishes() -> None:
    W = FloatWeights(((0.0,),))
    W.add(0, 1.0, [1.0])
    for _ in range(2000):
        W.shrink(0.5)
    W.add(0, 1.0, [1.0])
    assert W.values() == ((1.0,),)  # 2^-2000 is below all floats
    assert SAFE < 2.0**1000
    # factors of 2^-1000 in all, before the weight of 1, leave room for 2^-350 after it
    W = FloatWeights(((0.0,),))
    for _ in range(4):
        W.shrink(2.0**-250)
    W.add(0, 1.0, [1.0])
    W.shrink(2.0**-250)
    W.shrink(2.0**-100)
    assert W.values() == ((2.0**-350,),)


def test_a_mean_adds_a_state_that_stays_with_the_weight_of_all_its_steps() -> None:
    mean: Any = RunningMean(by_age, F(0))
    state = ((F(6), F(0)), (F(1),))
    mean.count(1, state)
    mean.count(2, state)
    mean.count(3, ((F(0), F(4)), (F(1),)))
    assert mean.value() == ((3, 2), (1,))


def test_a_mean_can_be_asked_for_between_steps() -> None:
    mean: Any = RunningMean(by_age, F(0))
    state = ((F(6), F(0)),)
    mean.count(1, state)
    assert mean.value() == state
    mean.count(2, state)
    assert mean.value() == state
    mean.count(3, ((F(0), F(4)),))
    assert mean.value() == ((3, 2),)


# Weights of rows, and a start.


def test_draws_of_the_callers_are_steps_and_weights_count_in_the_objective() -> None:
    # one step on row 0 with η = 1, λ = 1: W = (1), (−1); the losses are 0 and, of row −1, 3
    weighted = fit_multiclass_svm_sgd(
        [[F(1)], [F(-1)]], [0, 0], lam=1, T=1, draws=[0], weights=[3, 1], classes=(0, 1)
    )
    assert weighted.W == ((1,), (-1,)) and weighted.objective == F(3, 4) + 1
    with pytest.raises(DataError, match="weights: row 0: expected a whole number"):
        fit_multiclass_svm_sgd([[F(1)]], [0], lam=1, T=1, weights=[F(1, 2)])
    with pytest.raises(DataError, match="weights: row 0: expected a whole number"):
        fit_svm_sgd([[F(1)]], [1], C=1, eta=1, weights=[F(1, 2)])


def test_a_run_begins_where_it_is_told() -> None:
    # λ = 1/2, η = 1: W halves, and the row (1) of class 0, whose margin is 1 − 2, adds 1 and −1
    two: Any = {"lam": "1/2", "eta": 1, "T": 1, "classes": (0, 1)}
    start = [[F(-1)], [F(1)]]
    assert fit_multiclass_svm_sgd([[F(1)]], [0], start=start, **two).W == ((F(1, 2),), (-F(1, 2),))
    # the printed η_t = 1/(λt) forgets the start in its first step
    one_step = partial(fit_multiclass_svm_sgd, [[F(1)]], [0], lam=1, T=1, classes=(0, 1))
    assert one_step(start=[[9], [0]]).W == (
        (0,), (0,),
    )  # fmt: skip
    model = fit_svm_sgd([[F(1)]], [1], C=1, eta="1/4", start=[2, -3], bias=True)
    assert (model.w, model.b) == ((F(7, 4),), F(-11, 4))  # the margin 2 − 3 is below 1
    with pytest.raises(ParameterError, match="start: expected 1 numbers, got 2"):
        fit_svm_sgd([[F(1)]], [1], C=1, eta=1, start=[1, 2])
    with pytest.raises(ParameterError, match="start: expected 2 rows of 1 numbers"):
        fit_multiclass_svm_sgd([[F(1)]], [0], start=[[1, 2], [3, 4]], **two)


def test_the_printed_shrinks_of_the_binary_descent_are_told_apart() -> None:
    # X = 4, C = 1, η = 1/4: w = 1; then the margin 4 is met, and w shrinks to 3/4 or stays; with
    # X = 1, w = 1/4 and then 7/16, or 1/2 without a shrink
    def end(x: int, shrink: Any) -> F:
        model: Any = fit_svm_sgd([[F(x)]], [1], C=1, eta="1/4", epochs=2, shrink=shrink)
        value: F = model.w[0]
        return value

    assert [end(4, s) for s in (shrink_always, shrink_with_loss, shrink_never)] == [F(3, 4), 1, 1]
    assert [end(1, s) for s in (shrink_always, shrink_with_loss)] == [F(7, 16)] * 2
    assert end(1, shrink_never) == F(1, 2)


# The binary SVM.


@given(labelled([-1, 1]), positive, st.integers(0, 3), st.booleans())
def test_the_binary_descent_is_the_printed_one(
    data: tuple[Rows, list[int]], C: F, epochs: int, bias: bool
) -> None:
    X, y = data
    eta, b = F(1, 4), F(0)
    w: list[Number] = [F(0)] * len(X[0])
    steps: list[SGDStep[Any]] = []
    for _ in range(epochs):
        for x, sign in zip(X, y, strict=True):
            slope_of_b = -C * sign * (chang.hinge(w, b, x, sign) > 0) * bias  # not in the print
            w = chang.plus(w, -eta, chang.grad_J(w, b, x, sign, C))
            b -= eta * slope_of_b
    model: Any = fit_svm_sgd(X, y, C=C, eta=eta, epochs=epochs, bias=bias, on_step=steps.append)
    assert (list(model.w), model.b, model.T) == (w, b, epochs * len(X))
    D = list(zip(X, y, strict=True))
    assert model.objective == chang.svm_objective(w, b, D, C / len(X))
    if steps:
        assert steps[-1].objective() == model.objective


def test_the_sign_of_the_first_slide_steps_away_from_the_row() -> None:
    X, eta, C = [F(1)], F(1, 4), F(1)
    w = F(0)
    for _ in range(9):
        w = w - eta * (w + C * X[0])  # as first printed, at a row of sign +1 with a loss
    assert w < 0  # the row is on the wrong side, further with each step
    model = fit_svm_sgd([X], [1], C=C, eta=eta, epochs=9)
    assert model.predict_set(X) == (1,)
    assert model.w == (1 - F(3, 4) ** 9,)


def test_without_an_update_of_b_two_rows_on_a_ray_are_never_told_apart() -> None:
    X, y = [[F(1)], [F(2)]], [-1, 1]
    fit: Any = partial(fit_svm_sgd, X, y, C=20, eta=lambda t: F(1, 10 + t), epochs=40)
    assert fit().b == 0
    assert fit().predict(X) != y
    assert fit(bias=True).predict(X) == y


def test_with_one_step_size_for_ever_the_weights_go_to_and_fro() -> None:
    # ½w² + 2 max(0, 1 − w) is least at w = 1; a step of ½ leads from w ≥ 1 to w/2, from w < 1 to
    # w/2 + 1, so 4/3 and 2/3 lead to each other
    fit: Any = partial(fit_svm_sgd, ONE_ROW, [1], C=2)
    ends = [fit(eta="1/2", epochs=epochs).w[0] for epochs in (30, 31)]
    assert [round(w, 6) for w in ends] == [F(666667, 10**6), F(1333333, 10**6)]
    assert abs(fit(eta=lambda t: F(1, t), epochs=31).w[0] - 1) < F(1, 20)


def test_the_sum_over_rows_counts_the_norm_once_a_row() -> None:
    X, y, C = [[F(1)], [F(-1)]], [1, -1], F(1, 2)
    model: Any = fit_svm_sgd(X, y, C=C, eta="1/4", epochs=20)
    assert model.w == (C * (1 - F(3, 4) ** 40),)  # on its way to C = 1/2

    def soft_svm(w: F, bound: F) -> F:
        return w * w / 2 + bound * sum(
            max(F(0), 1 - w * s * x[0]) for x, s in zip(X, y, strict=True)
        )

    # over m = 2 rows the least of the sum is at 1/2, where the soft SVM with C/2 has its own …
    assert soft_svm(F(1, 2), C / 2) < min(soft_svm(F(1, 2) + h, C / 2) for h in (F(-1, 9), F(1, 9)))
    # … while the soft SVM with C has its at 1, where 2·C leads
    assert soft_svm(F(1), C) < soft_svm(F(1, 2), C)
    doubled: Any = fit_svm_sgd(X, y, C=2 * C, eta="1/4", epochs=20)
    assert abs(doubled.w[0] - 1) < F(1, 1000)


@given(labelled([-1, 1]), st.sampled_from([equally, by_age]))
def test_the_binary_average_is_that_of_all_steps(
    data: tuple[Rows, list[int]], average: Callable[[int], int]
) -> None:
    X, y = data
    steps: list[SGDStep[Any]] = []
    model: Any = fit_svm_sgd(
        X, y, C=1, eta="1/2", epochs=2, bias=True, average=average, on_step=steps.append
    )
    weights = [F(average(step.t)) for step in steps]
    assert model.b == inner(weights, [step.b for step in steps]) / sum(weights)
    columns = zip(*(step.w for step in steps), strict=True)
    assert list(model.w) == [inner(weights, column) / sum(weights) for column in columns]


# Projections.


def test_weights_are_projected_onto_the_ball() -> None:
    steps: list[MulticlassSGDStep[Any]] = []
    X, y = table("iris.csv", F)
    floats = [[float(a) for a in x] for x in X]
    fit_multiclass_svm_sgd(
        floats,
        y,
        lam=0.1,
        T=300,
        project=ball(10),
        draws=species_in_turn(300),
        on_step=steps.append,
    )
    norms = [sum(F(a) ** 2 for w in step.W for a in w) for step in steps]
    assert max(norms) < 10 + F(1, 10**12)
    assert min(norms) > 0
    bound: Any = fit_svm_sgd([[3.0]], [1], C=100, eta=0.5, project=ball("1/4"))
    assert bound.w == (0.5,)


def test_an_exact_projection_must_have_a_rational_factor() -> None:
    fit: Any = partial(fit_multiclass_svm_sgd, ONE_ROW, ONE_LABEL, classes=TWO, T=1, tie=last)
    assert fit(lam=1, project=ball(F(1, 2))).W == ((F(1, 2),), (F(-1, 2),))
    with pytest.raises(ExactnessLimitError, match=r"√\(1/4|irrational"):
        fit(lam=1, project=ball(1))
    assert fit(lam=1, project=lambda norm_squared: F(1, 3)).W == ((F(1, 3),), (F(-1, 3),))


# Exactness.


def test_digits_past_the_limit_end_an_exact_run() -> None:
    with pytest.raises(ExactnessLimitError, match=f"more than {MAX_DIGITS} digits"):
        fit_svm_sgd([[F(1)]], [1], C=1, eta=F(1, 10**900), epochs=99)
    with pytest.raises(ExactnessLimitError, match="take fewer steps, or give floats"):
        fit_multiclass_svm_sgd(ONE_ROW, ONE_LABEL, classes=TWO, lam=1, T=99, eta=F(1, 10**900))
    check_state([[F(10) ** (MAX_DIGITS - 1)]], 1)
    with pytest.raises(ExactnessLimitError):
        check_state([[1 / F(10) ** (MAX_DIGITS + 1)]], 1)


# Shared properties.


def test_lists_tuples_and_arrays_give_the_same_model() -> None:
    X, y = [[1.0, 2.0], [-1.0, 0.5]], [1, -1]
    for fit in (
        partial(fit_svm_sgd, C=1, eta=0.5, epochs=2),
        partial(fit_multiclass_svm_sgd, lam=0.5, T=5),
    ):
        expected: Any = fit(X, y)
        assert fit(tuple(map(tuple, X)), tuple(y)) == expected
        assert fit(Array(X), Array(y)) == expected
        assert isinstance(expected.objective, float)
    assert (X, y) == ([[1.0, 2.0], [-1.0, 0.5]], [1, -1])


@given(labelled([0, 1, 2]), st.permutations([0, 1, 2]))
def test_reordering_the_classes_reorders_the_weights_of_the_sum_form(
    data: tuple[Rows, list[int]], order: list[int]
) -> None:
    X, y = data
    fit: Any = partial(fit_multiclass_svm_sgd, X, y, lam=1, T=7, loss=sum_form)
    model, other = fit(classes=(0, 1, 2)), fit(classes=order)
    assert tuple(model.W[label] for label in order) == other.W


@pytest.mark.parametrize("number", [F, float])
def test_saved_models_come_back_equal(number: Any) -> None:
    X = [[number(1), number(2)], [number(-1), number(1)], [number(3), number(-5)]]
    binary = fit_svm_sgd(X, [1, -1, 1], C=1, eta="1/3", epochs=2, bias=True)
    assert reloaded(binary) == binary
    model = fit_multiclass_svm_sgd(X, ["a", "b", "c"], lam="1/3", T=5, average=equally)
    assert reloaded(model) == model


def test_damaged_models_are_refused_with_the_field() -> None:
    binary = json.loads(fit_svm_sgd([[F(1)]], [1], C=1, eta=1).to_json())
    model = json.loads(fit_multiclass_svm_sgd(THREE, [0, 1, 2], lam=1, T=3).to_json())
    read: list[tuple[Any, dict[str, Any], list[tuple[str, Any]]]] = [
        (svm_sgd_from_record, binary, [("C", 0), ("classes", ["a"]), ("w", 3), ("T", 1.5)]),
        (multiclass_svm_sgd_from_record, model, [("lam", "-1"), ("W", [["1"]]), ("T", -1)]),
    ]
    for reader, good, damages in read:
        for field, value in [*damages, ("model", "x"), ("arithmetic", 1), ("objective", None)]:
            with pytest.raises(FormatError, match="model"):
                reader({**good, field: value})
    with pytest.raises(FormatError, match="beyond the range of floats"):
        svm_sgd_from_record({**binary, "arithmetic": "float", "w": ["1e999"]})


def test_features_of_the_callers_are_not_saved() -> None:
    model = fit_multiclass_svm_sgd(THREE, [0, 1, 2], lam=1, T=3, features=lambda x, j: [x[0] * j])
    with pytest.raises(ParameterError, match="features"):
        model.to_json()


# Bad input.


def test_bad_parameters_of_the_multiclass_descent_are_named() -> None:
    fit: Any = partial(fit_multiclass_svm_sgd, THREE, [0, 1, 2])
    bad: list[tuple[dict[str, Any], str]] = [
        ({"lam": 0, "T": 1}, "lam: expected a positive number, got 0"),
        ({"lam": -1, "T": 1}, "lam: expected a positive number, got -1"),
        ({"ridge": 0, "T": 1}, "ridge: expected a positive number, got 0"),
        ({"T": 1}, "give either lam"),
        ({"lam": 1, "ridge": 1, "T": 1}, "give either lam"),
        ({"lam": 1, "T": -1}, "T: expected a whole number of at least 0, got -1"),
        ({"lam": 1, "T": 1.5}, "T: expected a whole number"),
        ({"lam": 1, "T": 1, "eta": 0}, "eta: expected a positive number, got 0"),
        ({"lam": 1, "T": 1, "eta": lambda t: 0}, r"eta\(1\): expected a positive number"),
        ({"lam": 1, "T": 2, "draws": [0]}, "draws: expected at least T=2 row positions, got 1"),
        ({"lam": 1, "T": 1, "draws": [3]}, "draws: expected a row from 0 to 2, got 3"),
        ({"lam": 1, "T": 1, "draws": "0"}, "draws: expected row positions"),
        ({"lam": 1, "T": 1, "average": lambda t: 0}, "average: expected a positive weight"),
        ({"lam": 1, "T": 0, "average": "equally"}, "average: expected a function of t"),
        ({"lam": 1, "T": 0, "features": "block"}, "features: expected a function of a row"),
        ({"lam": 1, "T": 1, "cost": lambda j, y: j - y}, "at least 0"),
        ({"lam": 1, "T": 1, "cost": lambda j, y: 1}, r"cost\(0, 0\)"),
        ({"lam": 1, "T": 1, "cost": uniform_cost(2)}, "cost: a table of 2 classes, expected 3"),
    ]
    for parameters, message in bad:
        with pytest.raises(ParameterError, match=message):
            fit(**parameters)
    for parameters in ({"lam": 0.5}, {"lam": 1, "eta": 0.5}, {"lam": 1, "cost": lambda j, y: 0.5}):
        with pytest.raises(MixedArithmeticError):
            fit(T=1, **parameters)
    with pytest.raises(ParameterError, match="radius_squared: expected a positive number"):
        ball(0)
    with pytest.raises(DataError, match=r"features\(row 1, j\): expected 1 numbers, as for row 0"):
        fit(lam=1, T=1, features=lambda x, j: [F(1)] * (1 + (x == THREE[1] or x[1] == 1)))
    with pytest.raises(DataError, match="x: expected 2 numbers, got 1"):
        fit(lam=1, T=1).scores([1])


def test_bad_parameters_of_the_binary_descent_are_named() -> None:
    X, y = [[F(1)], [F(2)]], [1, -1]
    fit: Any = partial(fit_svm_sgd, X)
    bad: list[tuple[dict[str, Any], str]] = [
        ({"C": 0, "eta": 1}, "C: expected a positive number, got 0"),
        ({"C": 1, "eta": 0}, "eta: expected a positive number, got 0"),
        ({"C": 1, "eta": 1, "epochs": -1}, "epochs: expected a whole number"),
        ({"C": 1, "eta": 1, "order": [9]}, "order: expected a row from 0 to 1, got 9"),
        ({"C": 1, "eta": 1, "average": lambda t: 0}, "average: expected a positive weight"),
    ]
    for parameters, message in bad:
        with pytest.raises(ParameterError, match=message):
            fit(y, **parameters)
    with pytest.raises(DataError, match="found 'a', 'b'"):
        fit(["a", "b"], C=1, eta=1)
    with pytest.raises(DataError, match="x: expected 1 numbers, got 2"):
        fit(y, C=1, eta=1).scores([1, 2])


def test_no_step_at_all_leaves_the_weights_at_zero() -> None:
    model: Any = fit_multiclass_svm_sgd(THREE, [0, 1, 2], lam=1, T=0, average=equally)
    assert (model.W, model.objective) == (((0, 0),) * 3, 1)
    binary: Any = fit_svm_sgd([[F(1)]], [1], C=2, eta=1, epochs=0, average=equally)
    assert (binary.w, binary.b, binary.T, binary.objective) == ((0,), 0, 0, 2)
    assert model.predict_set([1, 1]) == (0, 1, 2)


def test_a_class_without_rows_and_a_single_class_are_legal() -> None:
    absent: Any = fit_multiclass_svm_sgd([[F(1)]], ["a"], lam=1, T=3, classes=("a", "b", "c"))
    assert absent.predict([[1]]) == ["a"]
    single: Any = fit_multiclass_svm_sgd([[F(1)]], ["a"], lam=1, T=3)
    assert (single.W, single.objective) == (((0,),), 0)


def test_an_average_needs_positive_weights_of_any_size() -> None:
    X, y = [[F(1)], [F(-1)]], [1, -1]
    fit: Any = partial(fit_svm_sgd, X, y, C=1, epochs=2, eta="1/4")
    # w is 1/4, 7/16, 37/64, 175/256 after the four steps: the sum is 64 + 112 + 148 + 175 of 256
    for average in (equally, lambda t: F(1, 8), lambda t: F(1, 100)):
        assert fit(average=average).w == (F(499, 1024),)
    assert fit(average=lambda t: F(t == 4, 10)).w == (F(175, 256),)
    with pytest.raises(ParameterError, match="positive weight for one step at least"):
        fit(average=lambda t: 0)


def test_the_steps_of_equal_runs_are_equal() -> None:
    runs: list[list[Any]] = [[], [], [], []]
    for steps in runs[:2]:
        fit_svm_sgd([[F(1)], [F(-1)]], [1, -1], C=1, eta=1, epochs=1, on_step=steps.append)
    for steps in runs[2:]:
        fit_multiclass_svm_sgd(THREE, [0, 1, 2], lam=1, T=2, on_step=steps.append)
    assert runs[0] == runs[1] and runs[2] == runs[3] and all(len(steps) == 2 for steps in runs)
