"""Newton's method in the weights finds what pivots find, or leaves it to them."""

import random
from fractions import Fraction as F
from operator import mul
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc import (
    Pivot,
    check,
    exact,
    fit_binary_svm,
    hinge,
    linear,
    max_form,
    squared_hinge,
    sum_form,
)
from refmc.learn.svm import optimum
from refmc.learn.svm.binary import binary_dual
from refmc.learn.svm.multiclass import multiclass_dual
from refmc.learn.svm.optimum import nearest_feasible
from refmc.learn.svm.points import read_points
from refmc.learn.svm.primal_newton import near_optimum

GRID = st.sampled_from([F(a, 2) for a in range(-4, 5)])
BIASES = st.sampled_from([True, False, "penalised"])


def by_pivots(X: Any, y: Any, **options: Any) -> Any:
    return fit_binary_svm(X, y, loss=squared_hinge, guess=False, **options)


def without_pivots(X: Any, y: Any, **options: Any) -> Any:
    """The fit, in which a pivot would be an error."""

    def refuse(*_: object) -> None:
        raise AssertionError("a pivot")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimum, "descend", refuse)
        return fit_binary_svm(X, y, loss=squared_hinge, **options)


@given(
    rows=st.lists(st.tuples(GRID, GRID, st.sampled_from([-1, 1])), min_size=3, max_size=9),
    C=st.sampled_from([F(1, 100), F(1), F(1000)]),
    bias=BIASES,
    data=st.data(),
)
def test_multipliers_are_those_of_pivots(
    rows: list[tuple[F, F, int]], C: F, bias: Any, data: st.DataObject
) -> None:
    X, y = [row[:2] for row in rows], [row[2] for row in rows]
    sizes = st.lists(st.sampled_from([0, 1, 3]), min_size=len(y), max_size=len(y)).filter(any)
    options = {"C": C, "bias": bias, "classes": (-1, 1), "weights": data.draw(sizes)}
    model = fit_binary_svm(X, y, loss=squared_hinge, **options)
    other = by_pivots(X, y, **options)
    assert (model.alpha, model.w, model.b_interval) == (other.alpha, other.w, other.b_interval)
    assert model.certificate.gap == 0


def test_two_rows_for_one_class_and_one_for_the_other_by_hand() -> None:
    # The slopes of ½w² + Σ ℓ² are w − 2(ℓ_1 + ℓ_2) and ℓ_3 − ℓ_1 − ℓ_2, with ℓ = 1 − w − b twice
    # and 1 + b. They are 0 at w = 8/7, b = −3/7, where all three rows have a loss.
    model = without_pivots([[F(1)], [1], [0]], [1, 1, -1], C=1)
    assert (model.w, model.b) == ((F(8, 7),), F(-3, 7))
    assert model.alpha == (F(4, 7), F(4, 7), F(8, 7))


@pytest.mark.parametrize(("seed", "C"), [(2, 1000), (28, 10**6)])
def test_whole_steps_of_floats_end_at_the_optimum(seed: int, C: int) -> None:
    """Here roundings put the slope at the end of a whole step above 0, where the step is right."""
    rng = random.Random(seed)
    y = [rng.choice([-1, 1]) for _ in range(60)]
    X = [[round(rng.gauss(sign / 2, 1), 2) for _ in range(3)] for sign in y]
    certificate = without_pivots(X, y, C=C).certificate
    assert certificate.gap <= certificate.primal / 10**9


@pytest.mark.parametrize("bias", [True, False, "penalised"])
@pytest.mark.parametrize("C", ["1e-6", "1", "1e6"])
def test_overlapping_rows_need_no_pivot(C: str, bias: Any) -> None:
    rng = random.Random(3)
    y = [rng.choice([-1, 1]) for _ in range(60)]
    X = [[round(rng.gauss(sign / 2, 1), 2) for _ in range(3)] for sign in y]
    lifted = exact([[str(a) for a in row] for row in X])
    model = without_pivots(lifted, y, C=C, bias=bias)
    problem = {"family": "svm.binary", "X": lifted, "y": y, "C": C, "loss": "squared_hinge"}
    b = {} if bias == "penalised" else {"b": model.b}
    answer = {"alpha": model.alpha, "objective": model.objective, **b}
    assert check({**problem, "bias": bias}, answer, gap=0)
    near = without_pivots(X, y, C=C, bias=bias)
    assert 0 <= near.certificate.gap <= F(1, 10**9) * near.certificate.primal


@pytest.mark.parametrize("number", [float, F])
def test_who_watches_gets_the_same_multipliers_and_needs_no_pivot_either(number: Any) -> None:
    X, y = [[number(2)], [number(1)], [number(0)]], [1, -1, -1]
    seen: list[Pivot[Any]] = []
    model = without_pivots(X, y, C=1, on_step=seen.append)
    assert model.alpha == without_pivots(X, y, C=1).alpha
    assert [(step.iteration, step.step) for step in seen] == [(0, 0)]


def test_rows_on_the_margin_count_or_not_and_one_class_has_no_loss() -> None:
    # At w = 1, b = 0 the rows ±1 are exactly on the margin, whatever floats say of them.
    X, y = [[F(1)], [-1], [F(1, 3)], [F(-1, 3)], [2], [-2]], [1, -1, 1, -1, 1, -1]
    assert without_pivots(X, y, C=1).alpha == by_pivots(X, y, C=1).alpha
    alone = fit_binary_svm([[F(1)], [2], [5]], [1, 1, 1], C=1, loss=squared_hinge)
    assert alone.w == (0,) and alone.alpha == (0, 0, 0) and alone.b_interval == (1, None)


def test_what_floats_cannot_tell_is_left_to_pivots() -> None:
    # The second column is so small that its weight is lost in floats at this C.
    X = exact([["1", "1e-30"], ["-1", "0"], ["1/2", "0"], ["-1/2", "1e-30"]])
    y = [1, -1, -1, 1]
    model = fit_binary_svm(X, y, C=10**40, loss=squared_hinge)
    assert model.certificate.gap == 0
    assert model.alpha == by_pivots(X, y, C=10**40).alpha


@given(
    rows=st.lists(st.tuples(GRID, GRID, st.integers(0, 2)), min_size=3, max_size=12),
    C=st.sampled_from([F(1, 100), F(1), F(10)]),
    form=st.sampled_from([max_form, sum_form]),
)
def test_smoothed_steps_end_near_the_optimum_of_both_forms(
    rows: list[tuple[F, F, int]], C: F, form: Any
) -> None:
    points = read_points([row[:2] for row in rows], linear, None)
    y = tuple(row[2] for row in rows)
    costs = [[F(c != right) for c in range(3)] for right in y]
    dual = multiclass_dual(points, y, costs, (C,) * len(y), form, blocks=True)
    x = near_optimum(dual.rounded(points), False)
    values = dual.at(nearest_feasible(dual, x))
    best = optimum.optimum(dual, points, 0.0, guess=False)
    # The ridges cost at most μ/2 for each square of a multiplier, with μ C a small part of 1.
    assert best.dual - values.dual <= len(y) * 3 * C * F(1, 1000)


def test_smoothed_steps_place_all_but_a_few_multipliers_of_many_rows() -> None:
    rng = random.Random(2)
    y = tuple(rng.choice((-1, 1)) for _ in range(300))
    points = read_points([[rng.gauss(sign / 2, 1), rng.gauss(0, 1)] for sign in y], linear, None)
    for bias in (True, False, "penalised"):
        dual = binary_dual(points, y, 1, hinge, None, bias)
        x = near_optimum(dual.rounded(points), False)
        best = optimum.optimum(dual, points, 1e-9)
        assert sum(abs(a - b) > 1 / 2 for a, b in zip(x, best.x)) <= 3
        assert abs(sum(map(mul, y, x))) < 1 / 2 or bias is not True  # what `SETTLED` leaves
