"""Subgradients against the inequality that defines them, and against derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.ties import first, last
from refmc.errors import DataError, MixedArithmeticError, ParameterError
from refmc.theory.costs import Cost, uniform_cost
from refmc.theory.features import class_features, feature_scores
from refmc.theory.losses import (
    exponential,
    hinge,
    logistic,
    multiclass_hinge,
    multiclass_hinge_set,
    multiclass_hinge_sum,
    perceptron_loss,
    squared_hinge,
)
from refmc.theory.subgradients import (
    exponential_subgradient,
    hinge_subgradient,
    logistic_subgradient,
    max_form,
    multiclass_hinge_subgradient,
    multiclass_hinge_sum_subgradient,
    perceptron_loss_subgradient,
    squared_hinge_subgradient,
    sum_form,
)
from tests.support import inner

F = Fraction
GRID = st.integers(-4, 4).map(lambda n: F(n, 2))
SCORES = st.integers(2, 4).flatmap(lambda k: st.lists(GRID, min_size=k, max_size=k))
FORMS = [
    (multiclass_hinge, multiclass_hinge_subgradient),
    (multiclass_hinge_sum, multiclass_hinge_sum_subgradient),
]


def steps(j: int, y: int) -> Fraction:
    return F(abs(j - y), 2)


def unit(j: int, y: int) -> Fraction:
    return F(j != y)


COSTS: st.SearchStrategy[Cost | None] = st.sampled_from([None, steps])


def matrix(rows: Sequence[Sequence[int]]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(map(F, row)) for row in rows)


@pytest.mark.parametrize(
    ("loss", "slopes"), [(hinge, hinge_subgradient), (perceptron_loss, perceptron_loss_subgradient)]
)
@given(GRID, GRID)
def test_slopes_of_the_binary_losses_stay_below_them(
    loss: Callable[[Fraction], Fraction],
    slopes: Callable[[Fraction], tuple[Fraction, ...]],
    z: Fraction,
    other: Fraction,
) -> None:
    found = slopes(z)
    assert found == tuple(sorted(set(found))) and all(type(g) is Fraction for g in found)
    for g in found:
        assert loss(other) >= loss(z) + g * (other - z)
    # and no number outside of them does: the difference quotients on both sides are the ends
    h = F(1, 8)
    assert (loss(z) - loss(z - h)) / h == found[0]
    assert (loss(z + h) - loss(z)) / h == found[-1]


@given(GRID, GRID)
def test_the_squared_hinge_has_one_slope_which_stays_below_it(z: Fraction, other: Fraction) -> None:
    (slope,) = squared_hinge_subgradient(z)
    assert squared_hinge(other) >= squared_hinge(z) + slope * (other - z)
    # between neighbours of one piece a parabola's chord has the slope of the middle
    if z != 1:
        h = F(1, 8)
        assert squared_hinge(z + h) - squared_hinge(z - h) == 2 * h * slope
    else:
        assert slope == 0


def test_at_its_kink_the_hinge_has_all_slopes_from_minus_one_to_zero() -> None:
    both = (F(-1), F(0))
    assert hinge_subgradient(F(1)) == perceptron_loss_subgradient(F(0)) == both
    assert hinge_subgradient(1) == (-1.0, 0.0)
    assert hinge_subgradient(math.nextafter(1.0, 0)) == (-1.0,)


def test_a_line_below_the_function_gives_a_subgradient_only_where_it_touches() -> None:
    z, level = F(1, 4), F(-1)
    assert all(hinge(F(n, 4)) > level for n in range(-40, 41))  # a line of slope 0 below the hinge
    assert F(0) not in hinge_subgradient(z)
    assert hinge(F(2)) < hinge(z) + 0 * (2 - z)  # moved up to touch at z, it is not below


@given(st.floats(-30, 30))
def test_slopes_of_the_smooth_losses_are_their_derivatives(z: float) -> None:
    h = 2.0**-10
    for loss, slopes in ((exponential, exponential_subgradient), (logistic, logistic_subgradient)):
        (slope,) = slopes(z)
        assert (loss(z + h) - loss(z - h)) / (2 * h) == pytest.approx(slope, rel=1e-5)
        assert loss(z + 1) >= loss(z) + slope


def test_slopes_of_large_margins_do_not_overflow() -> None:
    assert logistic_subgradient(-1e300) == (-1.0,) and logistic_subgradient(1e300) == (0.0,)
    assert logistic_subgradient(F(0)) == (-0.5,)
    with pytest.raises(DataError, match="^z: "):
        logistic_subgradient(math.nan)


@given(SCORES, st.data(), COSTS)
def test_every_subgradient_keeps_the_inequality_at_every_other_point(
    s: list[Fraction], data: st.DataObject, cost: Cost | None
) -> None:
    k = len(s)
    y = data.draw(st.integers(0, k - 1))
    others = data.draw(st.lists(st.lists(GRID, min_size=k, max_size=k), max_size=4))
    for loss, subgradient in FORMS:
        found = subgradient(s, y, cost)
        assert found.loss == loss(s, y, cost) and (found.y, found.k) == (y, k)
        slopes = list(found.by_scores())
        assert len(set(slopes)) == len(slopes) == math.prod(map(len, found.maximisers))
        for g, other in product(slopes, others):
            step = [b - a for a, b in zip(s, other)]
            assert loss(other, y, cost) >= found.loss + inner(g, step)


@given(SCORES, st.data(), COSTS)
def test_together_they_give_every_directional_derivative(
    s: list[Fraction], data: st.DataObject, cost: Cost | None
) -> None:
    # f'(s; v) = max of ⟨g, v⟩ over the subdifferential: none is missing
    y = data.draw(st.integers(0, len(s) - 1))
    v = data.draw(st.lists(GRID, min_size=len(s), max_size=len(s)))
    h = F(1, 1000)  # below every distance between values on the grid
    moved = [a + h * b for a, b in zip(s, v)]
    for loss, subgradient in FORMS:
        derivative = (loss(moved, y, cost) - loss(s, y, cost)) / h
        assert derivative == max(inner(g, v) for g in subgradient(s, y, cost).by_scores())


@given(SCORES, st.data())
def test_the_maximisers_of_the_max_form_are_its_tie_set(
    s: list[Fraction], data: st.DataObject
) -> None:
    y = data.draw(st.integers(0, len(s) - 1))
    found = multiclass_hinge_subgradient(s, y)
    assert found.maximisers == (multiclass_hinge_set(s, y),)
    for j, g in zip(found.maximisers[0], found.by_scores()):
        assert g == tuple(F((z == j) - (z == y)) for z in range(len(s)))


@given(SCORES, st.data())
def test_the_sum_form_counts_each_violated_margin_once(
    s: list[Fraction], data: st.DataObject
) -> None:
    y = data.draw(st.integers(0, len(s) - 1))
    found = multiclass_hinge_sum_subgradient(s, y)
    others = [j for j in range(len(s)) if j != y]
    for j, tied in zip(others, found.maximisers):
        assert tied == tuple(sorted({j} if s[y] - s[j] < 1 else {y} if s[y] - s[j] > 1 else {j, y}))
    for g in found.by_scores():
        assert g[y] == -sum(g[j] for j in others) and {g[j] for j in others} <= {0, 1}


@given(SCORES, st.data(), COSTS)
def test_slopes_are_subgradients_of_the_losses(
    s: list[Fraction], data: st.DataObject, cost: Cost | None
) -> None:
    y = data.draw(st.integers(0, len(s) - 1))
    excesses = tuple(F((cost or unit)(j, y)) + s_j - s[y] for j, s_j in enumerate(s))
    for form, (loss, subgradient) in zip((max_form, sum_form), FORMS):
        for tie in (first, last):
            slope = form(excesses, y, tie)
            assert slope.loss == loss(s, y, cost)
            by_class = dict(slope.coefficients)
            found = tuple(by_class.get(j, 0) for j in range(len(s)))
            assert found in set(subgradient(s, y, cost).by_scores())


WEIGHTS = st.tuples(st.integers(1, 2), st.integers(2, 3)).flatmap(
    lambda size: st.tuples(
        st.lists(GRID, min_size=size[0], max_size=size[0]),
        *[
            st.lists(
                st.lists(GRID, min_size=size[0], max_size=size[0]),
                min_size=size[1],
                max_size=size[1],
            )
        ]
        * 2,
    )
)


@given(WEIGHTS, st.data(), COSTS)
def test_with_respect_to_the_weights_the_inequality_holds_too(
    drawn: tuple[list[Fraction], list[list[Fraction]], list[list[Fraction]]],
    data: st.DataObject,
    cost: Cost | None,
) -> None:
    x, W, V = drawn
    k = len(W)
    y = data.draw(st.integers(0, k - 1))
    psi = partial(class_features, k=k)
    step = [b - a for w, v in zip(W, V) for a, b in zip(w, v)]
    for loss, subgradient in FORMS:
        here, there = ([inner(row, x) for row in rows] for rows in (W, V))
        found = subgradient(here, y, cost)
        flat = [tuple(a for row in G for a in row) for G in found.by_weights(x)]
        assert flat == list(found.by_features(psi, x))
        for g in flat:
            assert loss(there, y, cost) >= found.loss + inner(g, step)


@given(st.lists(GRID, min_size=6, max_size=6), st.lists(GRID, min_size=4, max_size=4))
def test_for_any_feature_map_the_inequality_holds_too(
    table: list[Fraction], weights: list[Fraction]
) -> None:
    def features(x: list[Fraction], j: int) -> list[Fraction]:
        return x[2 * j : 2 * j + 2]

    w, v = weights[:2], weights[2:]
    step = [b - a for a, b in zip(w, v)]
    for loss, subgradient in FORMS:
        found = subgradient(feature_scores(w, table, features, 3), 1)
        there = loss(feature_scores(v, table, features, 3), 1)
        for g in found.by_features(features, table):
            assert there >= found.loss + inner(g, step)


def test_subgradients_by_hand() -> None:
    x = [F(2), F(3)]
    (G,) = multiclass_hinge_subgradient([F(5), F(1), F(0)], 2).by_weights(x)
    assert G == matrix(((2, 3), (0, 0), (-2, -3)))
    (G,) = multiclass_hinge_sum_subgradient([F(5), F(1), F(0)], 2).by_weights(x)
    assert G == matrix(((2, 3), (2, 3), (-4, -6)))
    (G,) = multiclass_hinge_subgradient([F(0), F(0), F(2)], 2).by_weights(x)
    assert G == matrix(((0, 0), (0, 0), (0, 0)))


def test_at_weights_of_zero_all_wrong_classes_are_tied() -> None:
    found = multiclass_hinge_subgradient([F(0)] * 4, 1)
    assert found.maximisers == ((0, 2, 3),)
    assert multiclass_hinge_sum_subgradient([F(0)] * 4, 1).maximisers == ((0,), (2,), (3,))
    without_costs = multiclass_hinge_sum_subgradient([F(0)] * 4, 1, lambda j, y: 0)
    assert without_costs.maximisers == ((0, 1), (1, 2), (1, 3))
    assert len(list(without_costs.by_scores())) == 8


def test_many_ties_cost_nothing_until_they_are_asked_for() -> None:
    found = multiclass_hinge_sum_subgradient([F(0)] * 100, 0, lambda j, y: 0)
    assert next(found.by_scores()) == (F(0),) * 100


def test_a_single_class_has_the_subgradient_zero() -> None:
    for _, subgradient in FORMS:
        assert list(subgradient([F(-7)], 0).by_scores()) == [(F(0),)]
        assert list(subgradient([F(-7)], 0).by_weights([F(3)])) == [((F(0),),)]


def test_in_float_ties_are_those_of_the_numbers() -> None:
    tiny = 2.0**-80
    assert multiclass_hinge_subgradient([tiny, 0.0, 0.0], 2).maximisers == ((0,),)
    found = multiclass_hinge_sum_subgradient([0.0, tiny, 1.0], 2)
    assert found.maximisers == ((0, 2), (1,))
    assert all(type(slope) is float for g in found.by_scores() for slope in g)


def test_arguments_that_do_not_fit_are_refused() -> None:
    for _, subgradient in FORMS:
        with pytest.raises(DataError, match="^y: expected a position among 2 scores, got 2"):
            subgradient([1.0, 2.0], 2)
        with pytest.raises(ParameterError, match="^cost: a table of 3 classes, expected 2"):
            subgradient([1.0, 2.0], 0, uniform_cost(3))
        found = subgradient([F(1), F(2)], 0)
        with pytest.raises(MixedArithmeticError, match="^x: floats where the data are Fractions"):
            next(found.by_weights([0.5]))
        with pytest.raises(MixedArithmeticError):
            next(found.by_features(lambda x, j: [x], 0.5))
