"""Perceptrons against the loops of the lectures, and against each other."""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction as F
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.checker.online import perceptron
from refmc.core.records import parse_json
from refmc.core.scalars import MAX_DIGITS
from refmc.core.ties import last, refuse
from refmc.errors import (
    DataError,
    ExactnessLimitError,
    FormatError,
    MixedArithmeticError,
    ParameterError,
    TieError,
)
from refmc.learn.online.perceptron import (
    KernelPerceptronStep,
    PerceptronStep,
    fit_kernel_perceptron,
    fit_perceptron,
)
from refmc.learn.online.perceptron_course import Visit
from refmc.learn.online.perceptron_models import (
    kernel_perceptron_from_record,
    multiclass_perceptron_from_record,
    perceptron_from_record,
)
from refmc.learn.online.perceptron_multiclass import (
    MulticlassPerceptronStep,
    all_rivals,
    chosen_rival,
    fit_multiclass_perceptron,
    rivals,
)
from refmc.learn.online.runs import by_age, drawn_rows, epoch_orders, equally
from refmc.lectures import chang, keshet
from refmc.theory.grams import gram
from refmc.theory.kernels import polynomial, rbf
from refmc.theory.losses import perceptron_loss
from tests.support import Array, inner, reloaded, table

Rows = list[list[F]]

FITS: dict[str, Callable[..., Any]] = {
    "binary": fit_perceptron,
    "kernel": fit_kernel_perceptron,
    "multi-class": fit_multiclass_perceptron,
}
each_learner = pytest.mark.parametrize("fit", FITS.values(), ids=list(FITS))

dyadic = st.integers(-4, 4).map(lambda n: F(n, 2))  # zeros, duplicates and ties abound


@st.composite
def labelled(draw: Any, labels: Sequence[int], rows: int = 6) -> tuple[Rows, list[int]]:
    m, d = draw(st.integers(1, rows)), draw(st.integers(1, 3))
    X = [[draw(dyadic) for _ in range(d)] for _ in range(m)]
    return X, [draw(st.sampled_from(labels)) for _ in range(m)]


def weights_by_visit(X: Rows, y: list[int], epochs: int) -> list[list[Any]]:
    """w of the lecture's loop after 1, 2, … visits, for a fixed number of epochs."""
    D = list(zip(X, y, strict=True)) * epochs
    return [list(chang.perceptron(D[:t])) for t in range(1, len(D) + 1)]


def numbers_of(model: Any) -> list[F]:
    """The numbers of a model's state."""
    if hasattr(model, "W"):
        return [v for w in model.W for v in w]
    return [*getattr(model, "w", ()), *getattr(model, "alpha", ()), model.b]


# The binary perceptron.


def test_the_perceptron_makes_one_update_on_two_rows_of_one_side() -> None:
    model = fit_perceptron([[F(1), F(0)], [F(2), F(1)]], [1, 1])
    assert model.w == (1, 0)
    assert model.b == 0
    assert model.course.mistakes == (Visit(t=1, epoch=1, row=0),)
    assert model.course.visits == 2


def test_training_stops_after_the_first_epoch_without_a_mistake() -> None:
    model = fit_perceptron([[F(1), F(0)], [F(2), F(1)]], [1, 1], epochs=100)
    assert (model.course.epochs, model.course.visits, model.course.converged) == (2, 4, True)


def test_the_step_size_counts_in_the_updates_and_not_in_the_start() -> None:
    # margins -2, -1, 0, 1: three updates of 1/4 * 2
    model = fit_perceptron([[F(2)]], [1], eta="1/4", start=[F(-1)], epochs=9)
    assert (model.w, model.course.visits) == ((F(1, 2),), 4)
    kernel = fit_kernel_perceptron([[F(2)]], [1], eta="1/4", start=[F(-1, 2)], epochs=9)
    assert (kernel.alpha, kernel.course.visits) == ((F(1, 4),), 4)  # w is twice alpha
    many = fit_multiclass_perceptron([[F(2)]], ["b"], classes=["a", "b"], eta="1/4", epochs=9)
    assert many.W == ((F(-1, 2),), (F(1, 2),))
    for fit in FITS.values():
        with pytest.raises(ParameterError, match="eta: expected a positive number, got 0"):
            fit([[F(2)]], [1], eta=0, classes=(-1, 1))


@pytest.mark.parametrize("name", FITS)
@given(labelled([-1, 1]), st.sampled_from([F(1, 3), F(5)]), st.data())
def test_a_run_of_another_step_size_is_the_run_of_step_size_1_scaled(
    name: str, data: tuple[Rows, list[int]], eta: F, more: Any
) -> None:
    X, y = data
    width = len(X) if name == "kernel" else len(X[0])
    start: Any = [more.draw(dyadic) for _ in range(width)]
    scaled: Any = [eta * v for v in start]
    if name == "multi-class":
        start, scaled = [start, start], [scaled, scaled]
    for voted in (False, True):
        options: dict[str, Any] = {"classes": (-1, 1), "epochs": 3, "voted": voted}
        one = FITS[name](X, y, start=start, **options)
        other = FITS[name](X, y, start=scaled, eta=eta, **options)
        assert other.course == one.course and other.predict(X) == one.predict(X)
        assert numbers_of(other) == [eta * v for v in numbers_of(one)]
        assert reloaded(other) == other


def test_training_without_epochs_leaves_the_weights_at_zero() -> None:
    model = fit_perceptron([[F(1)]], [1], epochs=0)
    assert (model.w, model.course.visits, model.course.converged) == ((0,), 0, False)
    assert model.predict_set([5]) == (-1, 1)


@given(labelled([-1, 1]), st.integers(0, 4))
def test_the_perceptron_is_the_printed_loop(data: tuple[Rows, list[int]], epochs: int) -> None:
    X, y = data
    after = weights_by_visit(X, y, epochs)
    model = fit_perceptron(X, y, epochs=epochs)
    assert list(model.w) == (after[-1] if after else [0] * len(X[0]))
    changes = [t for t, (u, v) in enumerate(pairwise([[F(0)] * len(X[0]), *after]), 1) if u != v]
    times = [visit.t for visit in model.course.mistakes]
    assert set(changes) <= set(times)  # a row of zeros is a mistake that changes nothing
    assert all(not any(X[v.row]) for v in model.course.mistakes if v.t not in changes)


@given(labelled([-1, 1]), st.booleans())
def test_a_converged_perceptron_has_every_row_on_its_own_side(
    data: tuple[Rows, list[int]], bias: bool
) -> None:
    X, y = data
    model = fit_perceptron(X, y, epochs=30, bias=bias)
    if model.course.converged:
        assert all(sign * model.decision(x) > 0 for x, sign in zip(X, y, strict=True))


def test_without_an_update_of_b_two_rows_on_a_ray_are_never_separated() -> None:
    X, y = [[F(1)], [F(2)]], [-1, 1]
    printed = fit_perceptron(X, y, epochs=50)  # b stays at its start, 0, as printed
    assert printed.course.epochs == 50
    assert not printed.course.converged
    mended = fit_perceptron(X, y, epochs=50, bias=True)
    assert mended.course.converged
    assert mended.predict(X) == y


@given(labelled([-1, 1]))
def test_the_bias_is_the_weight_of_a_constant_feature(data: tuple[Rows, list[int]]) -> None:
    X, y = data
    model = fit_perceptron(X, y, epochs=3, bias=True, average=equally)
    wide = fit_perceptron([[*x, F(1)] for x in X], y, epochs=3, average=equally)
    assert (*model.w, model.b) == wide.w
    assert model.course == wide.course


def test_steps_carry_the_names_of_the_lecture() -> None:
    steps: list[PerceptronStep[F]] = []
    fit_perceptron([[F(1)], [F(2)]], [1, -1], bias=True, on_step=steps.append)
    assert steps == [
        PerceptronStep(t=1, epoch=1, i=0, y=1, score=F(0), mistake=True, w=(F(1),), b=F(1)),
        PerceptronStep(t=2, epoch=1, i=1, y=-1, score=F(3), mistake=True, w=(F(-1),), b=F(0)),
    ]


def test_labels_of_two_named_classes_come_back() -> None:
    model = fit_perceptron([[1.0], [-1.0]], ["yes", "no"], classes=("no", "yes"), epochs=3)
    assert model.classes == ("no", "yes")
    assert model.predict([[3.0], [-3.0]]) == ["yes", "no"]
    assert model.predict_set([0.0]) == ("no", "yes")
    assert model.scores([3.0]) == (-model.decision([3.0]) / 2, model.decision([3.0]) / 2)


def test_swapping_the_classes_mirrors_the_weights() -> None:
    X, y = [[F(1), F(2)], [F(-1), F(1)], [F(0), F(-3)]], ["p", "q", "p"]
    one = fit_perceptron(X, y, classes=("p", "q"), epochs=5)
    other = fit_perceptron(X, y, classes=("q", "p"), epochs=5)
    assert one.w == tuple(-a for a in other.w)
    assert one.course == other.course


# The order of rows.


def test_the_order_of_rows_is_an_argument() -> None:
    X, y = [[F(1), F(0)], [F(2), F(1)]], [1, 1]
    assert fit_perceptron(X, y, order=[1, 0]).w == (2, 1)
    assert fit_perceptron(X, y, order=(i for i in (1, 1, 0)), epochs=2).course.visits == 6


@each_learner
def test_a_random_order_is_the_callers_and_repeatable(fit: Callable[..., Any]) -> None:
    X, y = [[F(1), F(0)], [F(-1), F(2)], [F(3), F(-1)]], [1, -1, 1]
    one = fit(X, y, order=random.Random(5), epochs=4, classes=(-1, 1))
    assert one == fit(X, y, order=random.Random(5), epochs=4, classes=(-1, 1))


def test_an_order_may_differ_from_epoch_to_epoch() -> None:
    orders = [(1, 0), (0,), (1, 1)]
    assert list(epoch_orders(orders, (1, 1), 3)) == orders
    steps: list[Any] = []
    fit_perceptron([[F(0)], [F(0)]], [1, -1], order=orders, epochs=3, on_step=steps.append)
    assert [(step.epoch, step.i) for step in steps] == [(1, 1), (1, 0), (2, 0), (3, 1), (3, 1)]


def test_a_random_order_visits_every_row_once_an_epoch() -> None:
    for order in epoch_orders(random.Random(1), (1,) * 7, 3):
        assert sorted(order) == list(range(7))


def test_draws_are_positions_or_a_generator_or_each_row_in_turn() -> None:
    assert list(drawn_rows([2, 0, 1], (1,) * 3, 2)) == [2, 0]
    chance = random.Random(3)
    assert list(drawn_rows(random.Random(3), (1,) * 9, 4)) == [
        chance.randrange(9) for _ in range(4)
    ]
    assert set(drawn_rows(random.Random(3), (1,) * 9, 400)) == set(range(9))
    with pytest.raises(ParameterError, match="draws: expected at least T=3 row positions, got 2"):
        list(drawn_rows([0, 1], (1,) * 2, 3))
    with pytest.raises(ParameterError, match="draws: expected a row from 0 to 1, got 2"):
        list(drawn_rows([0, 2], (1,) * 2, 2))


# Weights of rows, and a start.


def repeated(X: Rows, y: list[int], weights: list[int]) -> tuple[Rows, list[int]]:
    return (
        [x for x, n in zip(X, weights, strict=True) for _ in range(n)],
        [c for c, n in zip(y, weights, strict=True) for _ in range(n)],
    )


@given(labelled([-1, 1]), st.lists(st.integers(0, 3), min_size=6, max_size=6), st.integers(0, 9))
def test_a_weighted_run_is_the_run_on_repeated_rows(
    data: tuple[Rows, list[int]], numbers: list[int], seed: int
) -> None:
    X, y = data
    weights = [*numbers[: len(X) - 1], 1]
    more = {"average": by_age, "voted": True, "epochs": 3, "classes": (-1, 1)}
    for order in (lambda: None, lambda: random.Random(seed)):
        for name, fit in FITS.items():
            weighted = fit(X, y, weights=weights, order=order(), **more)
            plain = fit(*repeated(X, y, weights), order=order(), **more)
            for point in X:
                assert weighted.scores(point) == plain.scores(point)
            if name != "kernel":
                assert replace(weighted, course=plain.course) == plain
            rows = [i for i, n in enumerate(weights) for _ in range(n)]
            seen = [Visit(v.t, v.epoch, rows[v.row]) for v in plain.course.mistakes]
            assert weighted.course == replace(plain.course, mistakes=tuple(seen))


def test_in_an_order_of_the_callers_each_turn_has_as_many_visits_as_its_weight() -> None:
    X, y, steps = [[F(1)], [F(-1)]], [1, 1], list[Any]()
    fit_perceptron(X, y, weights=[1, 2], order=[1, 0, 1], on_step=steps.append)
    # w = −1 after row 1, right at its second visit; 0 after row 0; −1 after row 1
    assert [(s.i, s.mistake) for s in steps] == [
        (1, True), (1, False), (0, True), (1, True), (1, False),
    ]  # fmt: skip


@each_learner
def test_weights_are_whole_numbers_of_visits(fit: Callable[..., Any]) -> None:
    X, y = [[F(1), F(0)], [F(-1), F(2)]], [1, -1]
    assert fit(X, y, weights=[2.0, 1], classes=(-1, 1)).course.visits == 3
    for weights, message in (
        ([1, "1/2"], "weights: row 1: expected a whole number, how often the row is seen, got 1/2"),
        ([10**7, 1], "weights: expected at most 10000000 in all, got 10000001"),
        ([0, 0], "weights: expected at least one above 0"),
        ([1, -1], "weights: row 1: expected at least 0"),
        ([1], "weights: expected 2, one a row, got 1"),
    ):
        with pytest.raises(DataError, match=message):
            fit(X, y, weights=weights, classes=(-1, 1))
    with pytest.raises(ParameterError, match="order: expected at least one row position"):
        fit(X, y, weights=[0, 1], order=[0], classes=(-1, 1))


def test_a_run_goes_on_from_where_another_one_ended() -> None:
    # two epochs are one epoch and then another, as long as each has a mistake
    X: Rows = [[F(1), F(0)], [F(-1), F(2)], [F(3), F(-1)], [F(2), F(2)]]
    y, k = [1, -1, 1, -1], {"classes": (-1, 1)}
    half: Any
    dual: Any
    for bias in (False, True):
        whole = fit_perceptron(X, y, epochs=2, bias=bias)
        half = fit_perceptron(X, y, bias=bias)
        start = (*half.w, half.b) if bias else half.w
        rest = fit_perceptron(X, y, bias=bias, start=start, average=equally, voted=True)
        assert fit_perceptron(X, y, bias=bias, start=start).w == whole.w and half.w != whole.w
        kernel = fit_kernel_perceptron(X, y, bias=bias)
        dual = fit_kernel_perceptron(
            X, y, bias=bias, start=kernel.alpha, average=equally, voted=True
        )
        assert dual.course == rest.course and dual.b == rest.b and dual.start == kernel.alpha
        assert [dual.decision(x) for x in X] == [rest.decision(x) for x in X]
        w = [
            inner([a * s for a, s in zip(dual.alpha, y, strict=True)], column) for column in zip(*X)
        ]
        assert tuple(w) == rest.w
    multi = fit_multiclass_perceptron(X, y, **k)  # type: ignore[arg-type]  # of any labels
    again = fit_multiclass_perceptron(X, y, start=multi.W, **k)  # type: ignore[arg-type]
    assert again.W == fit_multiclass_perceptron(X, y, epochs=2, **k).W  # type: ignore[arg-type]


def test_the_mean_of_a_run_counts_where_it_began() -> None:
    # w = 4 is right for the row 1, and a mistake for −3, which makes it 1: the mean is 5/2
    model = fit_perceptron([[F(1)], [F(-3)]], [1, 1], start=[4], average=equally, voted=True)
    voters: list[Any] = [(v.w[0], v.votes) for v in model.voters]
    assert model.w == (F(5, 2),) and voters == [(4, 1), (1, 1)]


@each_learner
def test_a_start_of_another_shape_is_refused(fit: Callable[..., Any]) -> None:
    X, y = [[F(1), F(0)], [F(-1), F(2)]], [1, -1]
    wrong: Any = [[1, 2, 3]] * 2 if fit is fit_multiclass_perceptron else [1, 2, 3]
    with pytest.raises(ParameterError, match="start: expected 2"):
        fit(X, y, start=wrong, classes=(-1, 1))
    if fit is fit_perceptron:
        with pytest.raises(ParameterError, match="start: expected 3 numbers, b after w, got 2"):
            fit(X, y, start=[1, 2], bias=True)


# Averaged and voted weights.


@given(labelled([-1, 1]), st.integers(1, 4))
def test_averaged_weights_are_the_mean_over_visits(
    data: tuple[Rows, list[int]], epochs: int
) -> None:
    X, y = data
    model = fit_perceptron(X, y, epochs=epochs, average=equally)
    T = model.course.visits
    after = weights_by_visit(X, y, epochs)[:T]
    assert list(model.w) == [sum(column) / T for column in zip(*after, strict=True)]
    aged = fit_perceptron(X, y, epochs=epochs, average=by_age)
    weights = range(1, T + 1)
    assert list(aged.w) == [
        sum(t * a for t, a in zip(weights, column, strict=True)) / F(sum(weights))
        for column in zip(*after, strict=True)
    ]


@given(labelled([-1, 1]), st.lists(dyadic, min_size=3, max_size=3))
def test_every_weight_vector_votes_once_a_visit(
    data: tuple[Rows, list[int]], point: list[F]
) -> None:
    X, y = data
    x = point[: len(X[0])]
    model = fit_perceptron(X, y, epochs=3, voted=True)
    after = weights_by_visit(X, y, 3)[: model.course.visits]
    votes = [(inner(w, x) > 0) - (inner(w, x) < 0) for w in after]
    assert model.decision(x) == sum(votes)
    assert sum(voter.votes for voter in model.voters) == model.course.visits
    assert model.w == fit_perceptron(X, y, epochs=3).w


def test_an_average_without_any_weight_is_refused() -> None:
    with pytest.raises(ParameterError, match="average: expected a positive weight"):
        fit_perceptron([[F(1)]], [1], average=lambda t: 0)
    with pytest.raises(ParameterError, match=r"average\(1\): expected at least 0, got -1"):
        fit_perceptron([[F(1)]], [1], average=lambda t: -1)


# The kernel perceptron.


@given(
    labelled([-1, 1]),
    st.integers(0, 4),
    st.booleans(),
    st.sampled_from([None, equally, by_age]),
    st.booleans(),
    st.lists(dyadic, min_size=3, max_size=3),
)
def test_with_the_linear_kernel_it_equals_the_primal_perceptron(
    data: tuple[Rows, list[int]],
    epochs: int,
    bias: bool,
    average: Callable[[int], int] | None,
    voted: bool,
    point: list[F],
) -> None:
    X, y = data
    choices: Any = {"epochs": epochs, "bias": bias, "average": average, "voted": voted}
    primal: Any = fit_perceptron(X, y, **choices)
    dual: Any = fit_kernel_perceptron(X, y, **choices)
    assert dual.course == primal.course
    assert dual.b == primal.b
    w = [
        sum(a * s * x[j] for a, s, x in zip(dual.alpha, y, X, strict=True))
        for j in range(len(X[0]))
    ]
    assert tuple(w) == primal.w
    x = point[: len(X[0])]
    assert dual.decision(x) == primal.decision(x)
    by_matrix = fit_kernel_perceptron(None, y, gram=gram(lambda u, v: inner(u, v), X), **choices)
    assert by_matrix.decision([inner(row, x) for row in X]) == primal.decision(x)


@given(labelled([-1, 1]))
def test_alpha_counts_the_mistakes_of_each_row(data: tuple[Rows, list[int]]) -> None:
    X, y = data
    model = fit_kernel_perceptron(X, y, kernel=polynomial(2, offset=1), epochs=4)
    rows = [visit.row for visit in model.course.mistakes]
    assert list(model.alpha) == [rows.count(i) for i in range(len(X))]


def test_a_kernel_separates_what_no_line_does() -> None:
    X, y = [[F(0), F(0)], [F(1), F(1)], [F(0), F(1)], [F(1), F(0)]], [-1, -1, 1, 1]
    assert not fit_perceptron(X, y, epochs=50, bias=True).course.converged
    model = fit_kernel_perceptron(X, y, kernel=polynomial(2, offset=1), epochs=50)
    assert model.course.converged
    assert model.predict(X) == y


def test_kernel_values_of_a_row_are_computed_once_and_only_after_a_mistake() -> None:
    calls: list[int] = []

    def counted(u: Sequence[Any], v: Sequence[Any]) -> Any:
        calls.append(1)
        return inner(u, v)

    X, y = [[F(3)], [F(1)], [F(2)], [F(-1)]], [1, 1, 1, -1]
    model = fit_kernel_perceptron(X, y, kernel=counted, epochs=9)
    assert [visit.row for visit in model.course.mistakes] == [0]
    assert len(calls) == len(X)


def test_kernel_steps_carry_alpha() -> None:
    steps: list[KernelPerceptronStep[Any]] = []
    fit_kernel_perceptron([[F(1)], [F(2)]], [1, -1], on_step=steps.append)
    assert [(step.t, step.j, step.score, step.alpha) for step in steps] == [
        (1, 0, 0, (1, 0)),
        (2, 1, 2, (1, 1)),
    ]


def test_a_kernel_of_floats_needs_float_rows_or_a_lifted_matrix() -> None:
    with pytest.raises(MixedArithmeticError, match=r"gram=exact\(gram\(kernel, X\)\)"):
        fit_kernel_perceptron([[F(1)]], [1], kernel=rbf(1))
    assert fit_kernel_perceptron([[1.0], [2.0]], [1, -1], kernel=rbf(1), epochs=9).course.converged


@pytest.mark.parametrize("bias", [False, True])
def test_exact_kernel_scores_are_the_sums_over_all_rows_whatever_the_denominators(
    bias: bool,
) -> None:
    X = [[F(1, 2), F(2)], [F(-3, 7), F(1)], [F(5), F(1, 3)], [F(0), F(-2, 5)], [F(1, 2), F(2)]]
    y, start, eta = [1, -1, 1, -1, -1], [F(0), F(2, 3), F(0), F(1, 4), F(0)], F(3, 11)
    alphas: list[tuple[F, ...]] = [tuple(start)]

    def value(u: list[F], v: list[F]) -> F:
        return (inner(u, v) / F(3, 2) + F(1, 5)) ** 3

    def look(step: Any) -> None:
        score = sum(
            (a * s * (value(x, X[step.j]) + bias) for a, s, x in zip(alphas[-1], y, X)), F(0)
        )
        assert (step.score, step.mistake) == (score, y[step.j] * score <= 0)
        alphas.append(step.alpha)

    kernel = polynomial(3, "3/2", "1/5")
    options: Any = {"bias": bias, "eta": eta, "start": start, "epochs": 4}
    model = fit_kernel_perceptron(X, y, kernel=kernel, on_step=look, **options)
    assert len(model.course.mistakes) >= 4
    by_matrix = fit_kernel_perceptron(None, y, gram=gram(kernel, X), **options)
    assert by_matrix.alpha == model.alpha == alphas[-1]


def test_a_kernel_with_a_parameter_in_float_is_refused_beside_exact_rows() -> None:
    with pytest.raises(MixedArithmeticError, match="scale"):
        fit_kernel_perceptron([[F(1)]], [1], kernel=polynomial(2, 0.5))


# The multi-class perceptron.


@given(labelled([-1, 1]), st.integers(0, 4), st.sampled_from([chosen_rival, all_rivals]))
def test_with_two_classes_it_is_the_binary_one_up_to_the_factor_two(
    data: tuple[Rows, list[int]], epochs: int, tau: Any
) -> None:
    X, y = data
    binary: Any = fit_perceptron(X, y, epochs=epochs)
    multi: Any = fit_multiclass_perceptron(
        X, y, epochs=epochs, tau=tau, ties_are_mistakes=True, classes=(-1, 1)
    )
    assert multi.course == binary.course
    assert multi.W[1] == binary.w
    assert multi.W[0] == tuple(-a for a in binary.w)
    assert tuple(p - n for p, n in zip(multi.W[1], multi.W[0], strict=True)) == tuple(
        2 * a for a in binary.w
    )


@given(labelled([0, 1, 2]), st.integers(1, 3), st.booleans())
def test_both_printed_rules(data: tuple[Rows, list[int]], epochs: int, second: bool) -> None:
    X, y = data
    rule: Any = all_rivals if second else None
    model = fit_multiclass_perceptron(X, y, epochs=epochs, tau=rule, classes=(0, 1, 2))
    option = keshet.second_option if second else keshet.first_option
    S = list(zip(X, y, strict=True)) * epochs
    after = [[list(w) for w in W] for W in keshet.multiclass_perceptron(S, 3, option)[1:]]
    assert [list(w) for w in model.W] == after[-1]
    T = model.course.visits
    mean = fit_multiclass_perceptron(
        X, y, epochs=epochs, tau=rule, classes=(0, 1, 2), average=equally
    )
    for r in range(3):
        columns = zip(*(W[r] for W in after[:T]), strict=True)
        assert list(mean.W[r]) == [sum(column) / T for column in columns]


def test_at_zero_the_printed_strict_set_is_empty_and_the_second_rule_undefined() -> None:
    scores = [F(0), F(0), F(0)]
    strictly_above = [r for r in range(3) if r != 2 and scores[r] > scores[2]]
    assert strictly_above == []  # and 1/|E_y| divides by zero, though ŷ = 0 is a mistake
    assert rivals(scores, 2) == (0, 1)
    model = fit_multiclass_perceptron([[F(2)]], ["c"], classes=["a", "b", "c"], tau=all_rivals)
    assert model.W == ((-1,), (-1,), (2,))


@given(st.lists(dyadic, min_size=2, max_size=5), st.data())
def test_rivals_are_never_empty_at_a_mistake(scores: list[F], data: Any) -> None:
    y = data.draw(st.integers(0, len(scores) - 1))
    best = [r for r, s in enumerate(scores) if s == max(scores)]
    for y_hat in best:
        if y_hat != y:
            assert y_hat in rivals(scores, y)
            assert sum(all_rivals(scores, y, y_hat)) == sum(chosen_rival(scores, y, y_hat)) == 0


def test_the_policy_decides_whether_a_tie_is_a_mistake() -> None:
    X, y = [[F(1)]], ["a"]
    classes = ("a", "b")
    assert fit_multiclass_perceptron(X, y, classes=classes).course.mistakes == ()
    assert len(fit_multiclass_perceptron(X, y, classes=classes, tie=last).course.mistakes) == 1
    against = fit_multiclass_perceptron(X, y, classes=classes, ties_are_mistakes=True)
    assert against.W == ((1,), (-1,))
    with pytest.raises(TieError):
        fit_multiclass_perceptron(X, y, classes=classes, tie=refuse)


def test_at_a_tie_the_two_binary_perceptrons_of_the_lecture_part() -> None:
    X, y = [[F(1)]], [-1]
    by_sign = fit_perceptron(X, y)
    assert by_sign.w == (-1,)  # sign(0) = 0 is not −1: a mistake
    by_arg_max = fit_multiclass_perceptron(X, y, classes=(-1, 1))
    assert by_arg_max.W == ((0,), (0,))  # −1 is chosen among the tied: no mistake
    mended = fit_multiclass_perceptron(X, y, classes=(-1, 1), ties_are_mistakes=True)
    assert mended.W == ((1,), (-1,))  # w^{+1} = w; the factor 2 is that of w^{+1} − w^{−1}


def test_the_perceptron_leaves_the_least_of_its_loss() -> None:
    # at w = 0 no row has a loss, yet every row is a mistake; here it ends with one
    X, y = [[F(1)], [F(1)]], [1, -1]
    w: Any = fit_perceptron(X[:1], y[:1]).w
    losses = [[perceptron_loss(s * v * x[0]) for x, s in zip(X, y)] for v in (F(0), w[0])]
    assert losses == [[0, 0], [0, 1]]


def test_weights_without_the_feature_map_are_not_those_of_the_kernel_perceptron() -> None:
    X, y = [[F(1)], [F(2)]], [1, -1]
    kernel = polynomial(2, offset=1)  # Φ(x) = (x², √2 x, 1)
    model: Any = fit_kernel_perceptron(X, y, kernel=kernel, epochs=100)
    assert model.course.converged and model.predict(X) == y
    w = sum((a * s * x[0] for a, s, x in zip(model.alpha, y, X)), F(0))  # Σ α_i y_i x_i
    assert [(w * x[0] > 0) - (w * x[0] < 0) for x in X] != y


def test_one_pass_may_leave_separable_rows_on_the_wrong_side() -> None:
    X, y = [[F(1), F(2)], [F(2), F(1)], [F(-1), F(-1)]], [1, -1, -1]
    assert [inner([F(-2), F(3)], x) * sign > 0 for x, sign in zip(X, y)] == [True] * 3
    once: Any = fit_perceptron(X, y)
    assert once.w == (0, 2) and [inner(once.w, x) for x in X] == [4, 2, -2]  # row 1 is wrong
    often = fit_perceptron(X, y, epochs=10)
    assert often.course.converged and often.course.epochs == 6


def test_a_rule_of_the_callers_is_used() -> None:
    def passive_aggressive(scores: tuple[F, ...], y: int, y_hat: int) -> list[F]:
        step = (1 + scores[y_hat] - scores[y]) / 2
        return [step * ((r == y) - (r == y_hat)) for r in range(len(scores))]

    model = fit_multiclass_perceptron([[F(1)]], ["b"], classes=("a", "b"), tau=passive_aggressive)
    assert model.W == ((F(-1, 2),), (F(1, 2),))


def test_a_rule_whose_digits_explode_is_stopped() -> None:
    def squares(scores: tuple[F, ...], y: int, y_hat: int) -> list[F]:
        return [(r == y) * (1 + scores[y_hat] ** 2) - (r == y_hat) * F(1, 3) for r in range(2)]

    with pytest.raises(ExactnessLimitError, match=f"more than {MAX_DIGITS} digits"):
        fit_multiclass_perceptron(
            [[F(10, 7)], [F(10, 7)]], [0, 1], tau=squares, epochs=99, ties_are_mistakes=True
        )


def test_multiclass_steps_carry_the_sets() -> None:
    steps: list[MulticlassPerceptronStep[Any]] = []
    fit_multiclass_perceptron(
        [[F(1)], [F(0)]], [1, 0], classes=(0, 1, 2), tau=all_rivals, on_step=steps.append
    )
    assert (steps[0].tied, steps[0].y_hat, steps[0].E) == ((0, 1, 2), 0, (0, 2))
    assert steps[0].tau == (F(-1, 2), 1, F(-1, 2))
    assert steps[0].W == ((F(-1, 2),), (1,), (F(-1, 2),))
    assert (steps[1].y, steps[1].E, steps[1].tau) == (0, (1, 2), None)


def test_voted_classes_split_the_votes_of_a_tie() -> None:
    X = [[F(1), F(0)], [F(0), F(1)], [F(-1), F(-1)]]
    model = fit_multiclass_perceptron(X, [0, 1, 2], epochs=9, voted=True)
    T = model.course.visits
    S = list(zip(X, [0, 1, 2], strict=True)) * 9
    after = keshet.multiclass_perceptron(S, 3, keshet.first_option)[1 : T + 1]
    for x in ([F(1), F(2)], [F(0), F(0)], [F(-1), F(1)]):
        expected = [F(0)] * 3
        for W in after:
            tied = keshet.one_against_all(W, x)
            for r in tied:
                expected[r] += F(1, len(tied))
        assert list(model.scores(x)) == expected
        assert sum(model.scores(x)) == T


def sectors() -> tuple[Rows, list[str]]:
    """Points of the unit circle in three sectors of 120°, whose middles are at 0°, 120°, 240°."""
    halves = [F(n, 5) for n in range(-20, 21)]  # tangents of half the angle
    points = [[(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)] for t in halves]
    labels = ["east" if 2 * x > 1 else "north" if y > 0 else "south" for x, y in points]
    assert all(inner(p, p) == 1 for p in points)
    assert all(labels.count(c) > 4 for c in ("east", "north", "south"))
    return points, labels


def test_three_sectors_of_the_unit_circle_are_learnt_without_an_error() -> None:
    points, labels = sectors()
    middles = [[F(2), F(0)], [F(-1), F(7, 4)], [F(-1), F(-7, 4)]]  # 7/4 stands for √3
    for p, label in zip(points, labels, strict=True):
        s = [inner(w, p) for w in middles]
        assert [c for c, s_c in zip(("east", "north", "south"), s) if s_c == max(s)] == [label]
    model = fit_multiclass_perceptron(points, labels, epochs=1000)
    assert model.course.converged
    assert [model.predict_set(p) for p in points] == [(c,) for c in labels]


def test_no_line_through_the_origin_splits_one_sector_from_the_others() -> None:
    points, labels = sectors()
    north, south = [F(9, 41), F(40, 41)], [F(9, 41), F(-40, 41)]
    assert labels[points.index(north)] == "north"
    assert labels[points.index(south)] == "south"
    # their sum is 18/41 of an eastern point: w cannot be negative on both and positive on it
    assert [a + b for a, b in zip(north, south)] == [F(18, 41) * a for a in points[20]]
    assert labels[20] == "east"
    signs = [1 if label == "east" else -1 for label in labels]
    assert not fit_perceptron(points, signs, epochs=20).course.converged


def test_a_chord_cuts_each_sector_of_the_circle_from_the_others() -> None:
    points, labels = sectors()
    for c, chord in (
        ("east", [F(2), F(0)]),
        ("north", [F(-1), F(7, 4)]),
        ("south", [F(-1), F(-7, 4)]),
    ):
        signs = [1 if label == c else -1 for label in labels]
        assert [inner(chord, p) > 1 for p in points] == [sign == 1 for sign in signs]
        assert fit_perceptron(points, signs, bias=True, epochs=1000).course.converged
    # not those of the disc: there (1/4, 0), of the eastern one, lies half way between two others
    disc = [[F(1, 4), F(0)], [F(1, 4), F(3, 4)], [F(1, 4), F(-3, 4)]]
    assert not fit_perceptron(disc, [1, -1, -1], bias=True, epochs=100).course.converged


def test_renaming_and_reordering_the_classes_changes_nothing_but_the_order() -> None:
    X, y = table("iris.csv", F)
    new = {"setosa": "z", "versicolor": "y", "virginica": "x"}
    one = fit_multiclass_perceptron(X, y, ties_are_mistakes=True, tau=all_rivals, epochs=2)
    other = fit_multiclass_perceptron(
        X, [new[label] for label in y], ties_are_mistakes=True, tau=all_rivals, epochs=2
    )
    assert one.W == other.W[::-1]


def test_setosa_is_separated_from_the_rest_of_iris() -> None:
    X, y = table("iris.csv", F)
    signs = [1 if label == "setosa" else -1 for label in y]
    model: Any = fit_perceptron(X, signs, epochs=20)
    assert model.course.converged
    assert model.predict(X) == signs
    in_float: Any = fit_perceptron([list(map(float, x)) for x in X], signs, epochs=20)
    assert in_float.course == model.course
    assert max(abs(F(a) - b) for a, b in zip(in_float.w, model.w, strict=True)) < F(1, 10**9)


# The independent checker.


def flat(rows: Sequence[Sequence[F]]) -> tuple[F, ...]:
    return tuple(a for row in rows for a in row)


@given(labelled([-1, 1]), st.booleans(), st.booleans(), st.permutations([0, 1, 2, 3, 4, 5]))
def test_the_checker_verifies_every_trace(
    data: tuple[Rows, list[int]], bias: bool, second: bool, positions: list[int]
) -> None:
    X, y = data
    order = [i for i in positions if i < len(X)]
    visits = tuple(
        perceptron.Visit(epoch * len(X) + n + 1, epoch + 1, i)
        for epoch in range(3)
        for n, i in enumerate(order)
    )
    steps: list[Any] = []
    fit_perceptron(X, y, epochs=3, order=order, bias=bias, on_step=steps.append)
    run = perceptron.PerceptronProblem(
        family="perceptron.binary", X=X, y=tuple(y), visits=visits, bias=bias
    )
    trace = [(*step.w, step.b) if bias else step.w for step in steps]
    assert_verified(run, trace)

    steps.clear()
    fit_kernel_perceptron(X, y, epochs=3, order=order, bias=bias, on_step=steps.append)
    run = perceptron.PerceptronProblem(
        family="perceptron.kernel", X=X, y=tuple(y), visits=visits, bias=bias
    )
    assert_verified(run, [tuple(map(F, step.alpha)) for step in steps])

    steps.clear()
    codes = [sign + 1 for sign in y]  # of three classes the middle one has no row
    fit_multiclass_perceptron(
        X,
        codes,
        classes=(0, 1, 2),
        epochs=3,
        order=order,
        tau=all_rivals if second else None,
        on_step=steps.append,
    )
    run = perceptron.PerceptronProblem(
        family="perceptron.multiclass",
        X=X,
        y=tuple(codes),
        k=3,
        visits=visits,
        tau="all_rivals" if second else "chosen_rival",
    )
    assert_verified(run, [flat(step.W) for step in steps])


def assert_verified(run: perceptron.PerceptronProblem, trace: list[tuple[F, ...]]) -> None:
    verdict = perceptron.judge(run, perceptron.Submission(trace=trace), allowed=F(0))
    assert verdict, verdict.explain()


# Shared properties.


@each_learner
def test_lists_tuples_and_arrays_give_the_same_model(fit: Callable[..., Any]) -> None:
    X, y = [[1.0, 2.0], [-1.0, 0.5]], [1, -1]
    expected = fit(X, y, epochs=2)
    assert fit(tuple(map(tuple, X)), tuple(y), epochs=2) == expected
    assert fit(Array(X), Array(y), epochs=2) == expected
    assert (X, y) == ([[1.0, 2.0], [-1.0, 0.5]], [1, -1])
    assert isinstance(expected.scores([1, 1])[0], float)
    assert isinstance(fit([[F(1), 2]], [1], classes=(-1, 1)).scores([1, 1])[0], F)


# Saved models.

READERS: dict[str, Any] = {
    "binary": perceptron_from_record,
    "kernel": kernel_perceptron_from_record,
    "multi-class": multiclass_perceptron_from_record,
}


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize("voted", [False, True])
@pytest.mark.parametrize("number", [F, float])
def test_a_saved_model_comes_back_equal(name: str, voted: bool, number: Any) -> None:
    X = [[number(1), number(2)], [number(-1), number(1)], [number(3), number(-5)]]
    model = FITS[name](X, [1, -1, 1], epochs=3, voted=voted, average=equally)
    record = parse_json(model.to_json(), "model")
    assert READERS[name](record) == model


@pytest.mark.parametrize("bias", [True, 3, "yes"])
def test_a_bias_adds_one_to_the_kernel_however_its_truth_is_written(bias: Any) -> None:
    steps: list[Any] = []
    fit_kernel_perceptron([[F(2)], [F(3)]], [1, 1], bias=bias, on_step=steps.append)
    assert [step.score for step in steps] == [0, 2 * 3 + 1]


def test_a_kernel_perceptron_from_a_matrix_is_saved_without_rows() -> None:
    model = fit_kernel_perceptron(None, [1, -1], gram=[[F(1), F(0)], [F(0), F(1)]], bias=True)
    assert reloaded(model) == model


@pytest.mark.parametrize("name", FITS)
def test_a_damaged_model_is_refused_with_the_field(name: str) -> None:
    model = FITS[name]([[F(1)], [F(-1)]], [1, -1], epochs=3, voted=True, order=[1, 0, 1])
    good = json.loads(model.to_json())
    damages: list[tuple[str, Any]] = [
        ("model", "other"), ("version", 9), ("arithmetic", "decimal"), ("visits", -1),
        ("visits", 0), ("epochs", 0), ("mistakes", [[1, 1]]), ("mistakes", [[2, 1, 0], [1, 1, 0]]),
        ("classes", []), ("mistakes", [[True, 1, 0]]), ("mistakes", [[1, 1, False]]),
        ("mistakes", [[1, 1, -1]]), ("mistakes", [[1, 1, 0.0]]), ("mistakes", [(1, 1, 0, 0)]),
    ]  # fmt: skip
    own: dict[str, list[tuple[str, Any]]] = {
        "binary": [("w", ["x"]), ("b", None), ("classes", [1]), ("voters", [{"w": ["1"]}]),
                   ("voters", [{"w": ["1", "1"], "b": "0", "votes": 1}]), ("voters", [3])],
        "kernel": [("alpha", ["1"]), ("y", [1, 2]), ("y", [1]), ("bias", 1), ("rows", None),
                   ("kernel", {"name": "cosine"}), ("mistakes", [[1, 1, 7]])],
        "multi-class": [("W", [["1"]]), ("voters", [{"W": [["1"]], "votes": 1}])],
    }  # fmt: skip
    for field, value in damages + own[name]:
        with pytest.raises(FormatError, match="model"):
            READERS[name]({**good, field: value})
    with pytest.raises(FormatError, match="unknown field"):
        READERS[name]({**good, "surplus": 1})


def test_what_cannot_be_saved_says_so() -> None:
    model = fit_kernel_perceptron([[F(1)]], [1], kernel=lambda u, v: inner(u, v))
    with pytest.raises(ParameterError, match="only refmc's own kernels can"):
        model.to_json()
    named = fit_perceptron([[F(1)]], [(1,)], classes=[(0,), (1,)])
    with pytest.raises(ParameterError, match=r"classes\[0\]: expected a label"):
        named.to_json()


# Bad input.


@pytest.mark.parametrize("fit", [fit_perceptron, fit_kernel_perceptron])
def test_other_labels_than_two_are_named(fit: Callable[..., Any]) -> None:
    with pytest.raises(
        DataError, match="expected labels -1 and +1, found 'a', 'b'".replace("+", r"\+")
    ):
        fit([[F(1)], [F(2)]], ["a", "b"])
    with pytest.raises(DataError, match=r"found 0, 1; give classes=\(negative, positive\)"):
        fit([[F(1)], [F(2)]], [0, 1])
    with pytest.raises(ParameterError, match="classes: expected two labels"):
        fit([[F(1)]], ["a"], classes=("a", "b", "c"))
    with pytest.raises(DataError, match="row 1: label 'c' is not in"):
        fit([[F(1)], [F(1)]], ["a", "c"], classes=("a", "b"))


@each_learner
def test_bad_parameters_are_named(fit: Callable[..., Any]) -> None:
    X, y = [[F(1)], [F(2)]], [1, -1]
    with pytest.raises(
        ParameterError, match="epochs: expected a whole number of at least 0, got -1"
    ):
        fit(X, y, epochs=-1)
    with pytest.raises(ParameterError, match="order: expected a row from 0 to 1, got 2"):
        fit(X, y, order=[2])
    with pytest.raises(ParameterError, match="order: expected at least one row position"):
        fit(X, y, order=[])
    with pytest.raises(ParameterError, match="order: expected row positions or a random.Random"):
        fit(X, y, order=3)
    with pytest.raises(ParameterError, match="order: expected 2 lists, one an epoch, got 1"):
        fit(X, y, order=[[0]], epochs=2)
    with pytest.raises(ParameterError, match=r"order\[1\]: expected at least one row position"):
        fit(X, y, order=[[0], []], epochs=2)
    with pytest.raises(ParameterError, match="order: expected row positions or a random.Random"):
        fit(X, y, order="01")
    with pytest.raises(ParameterError, match=r"order\[0\]: expected row positions or"):
        fit(X, y, order=["01", [1]], epochs=2)
    with pytest.raises(ParameterError, match=r"order: expected a row from 0 to 1, got \[1\]"):
        fit(X, y, order=[0, [1]])
    with pytest.raises(DataError, match="y: expected 2 labels"):
        fit(X, [1])
    with pytest.raises(MixedArithmeticError):
        fit([[F(1)], [0.5]], y)
    model = fit(X, y)
    with pytest.raises(DataError, match="x: expected 1 numbers, got 2"):
        model.scores([1, 2])
    with pytest.raises(MixedArithmeticError):
        model.predict([[0.5]])


def test_bad_kernels_matrices_and_rules_are_named() -> None:
    with pytest.raises(ParameterError, match="kernel: expected a function"):
        fit_kernel_perceptron([[F(1)]], [1], kernel="rbf")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="not both"):
        fit_kernel_perceptron(None, [1], kernel=polynomial(2), gram=[[F(1)]])
    with pytest.raises(ParameterError, match="X: give rows, or gram="):
        fit_kernel_perceptron(None, [1])
    with pytest.raises(DataError, match="gram: expected 2 rows, as X has, got 1"):
        fit_kernel_perceptron([[F(1)], [F(2)]], [1, 1], gram=[[F(1)]])
    word: Any = "equally"
    with pytest.raises(ParameterError, match="average: expected a function of t, .* got 'equally'"):
        fit_perceptron([[F(1)]], [1], average=word)
    with pytest.raises(ParameterError, match="tau: expected a function of the scores, .* got 'eq"):
        fit_multiclass_perceptron([[F(1)]], [1], classes=(0, 1), tau=word)
    with pytest.raises(ParameterError, match="tau: expected 2 numbers, one a class, got 1"):
        fit_multiclass_perceptron([[F(1)]], [1], classes=(0, 1), tau=lambda s, y, y_hat: [F(1)])
    with pytest.raises(MixedArithmeticError, match="tau"):
        fit_multiclass_perceptron(
            [[F(1)]], [1], classes=(0, 1), tau=lambda s, y, y_hat: [0.5, -0.5]
        )


def test_weights_beyond_the_range_of_floats_are_an_error() -> None:
    with pytest.raises(DataError, match="beyond the range of floats"):
        fit_perceptron([[1e200], [1e200]], [1, -1], epochs=2)
    with pytest.raises(DataError, match="range of floats|finite"):
        fit_kernel_perceptron([[1e200], [1e200]], [1, -1], epochs=2)


@given(labelled([0, 1, 2]), st.integers(0, 3))
def test_float_and_exact_runs_agree_on_dyadic_data(
    data: tuple[Rows, list[int]], epochs: int
) -> None:
    X, y = data
    exact_model = fit_multiclass_perceptron(X, y, epochs=epochs)
    floats = [[float(a) for a in x] for x in X]
    model = fit_multiclass_perceptron(floats, y, epochs=epochs)
    assert [[F(a) for a in w] for w in model.W] == [list(w) for w in exact_model.W]
    assert model.course == exact_model.course


def test_saved_voters_must_have_the_votes_of_the_run() -> None:
    for fit, reader in (
        (fit_perceptron, perceptron_from_record),
        (fit_multiclass_perceptron, multiclass_perceptron_from_record),
    ):
        record = json.loads(fit([[F(1)], [F(-1)]], [1, -1], epochs=3, voted=True).to_json())
        record["voters"][-1]["votes"] += 1
        with pytest.raises(FormatError, match="model.voters: expected the votes that mistakes"):
            reader(record)
    kernel = json.loads(fit_kernel_perceptron([[F(1)], [F(-1)]], [1, -1]).to_json())
    with pytest.raises(FormatError, match="model.rows: expected 2 rows, one for each y, got 1"):
        kernel_perceptron_from_record({**kernel, "rows": [["1"]]})
