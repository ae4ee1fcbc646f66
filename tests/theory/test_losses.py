"""Margins, the ρ-margin loss, and the multi-class hinge loss against their definitions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.sample import Row
from refmc.core.ties import argmax_set
from refmc.errors import DataError, MixedArithmeticError, ParameterError, RefmcError
from refmc.theory.losses import (
    Cost,
    empirical_margin_loss,
    margin,
    margin_loss,
    multiclass_hinge,
    multiclass_hinge_set,
)

F = Fraction
GRID = st.integers(-6, 6).map(lambda n: F(n, 4))
RHO = st.integers(1, 9).map(lambda n: F(n, 4))
SCORES = st.lists(GRID, min_size=2, max_size=5)
SCORED = SCORES.flatmap(lambda s: st.tuples(st.just(s), st.integers(0, len(s) - 1)))
FLOATS = st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=5)


class Array:
    def __init__(self, value: object) -> None:
        self.value = value

    def tolist(self) -> object:
        return self.value


def distance(j: int, y: int) -> int:
    return 2 * abs(j - y)


def unit(j: int, y: int) -> int:
    return int(j != y)


COSTS = st.sampled_from([None, unit, distance])


@given(SCORED)
def test_the_margin_is_the_smallest_lead_over_another_class(
    scored: tuple[list[Fraction], int],
) -> None:
    s, y = scored
    leads = sorted(s[y] - s[j] for j in range(len(s)) if j != y)
    found = margin(s, y)
    assert type(found) is Fraction and found == leads[0]


@given(SCORED)
def test_the_sign_of_the_margin_says_whether_the_class_wins_alone(
    scored: tuple[list[Fraction], int],
) -> None:
    s, y = scored
    winners = argmax_set(s)
    assert (margin(s, y) > 0) == (winners == (y,))
    assert (margin(s, y) < 0) == (y not in winners)


@given(FLOATS)
def test_in_float_the_margin_is_one_rounding(s: list[float]) -> None:
    true = F(s[0]) - max(map(F, s[1:]))
    assert margin(s, 0) == float(true)


@given(GRID, RHO)
def test_the_margin_loss_has_the_three_pieces_of_the_lecture(x: Fraction, rho: Fraction) -> None:
    found = margin_loss(x, rho)
    assert found == min(F(1), max(F(0), 1 - x / rho))
    assert margin_loss(float(x), float(rho)) == pytest.approx(float(found), abs=2**-50)


def test_the_margin_loss_at_its_corners() -> None:
    rho = F(1, 3)
    corners = [margin_loss(x, rho) for x in (F(-1), F(0), rho / 2, rho, F(9))]
    assert corners == [1, 1, F(1, 2), 0, 0]
    assert all(type(value) is Fraction for value in corners)


@given(SCORED)
def test_the_margin_loss_of_one_is_at_most_the_hinge(scored: tuple[list[Fraction], int]) -> None:
    s, y = scored
    assert margin_loss(margin(s, y), 1) <= multiclass_hinge(s, y)


@given(st.lists(st.tuples(GRID, GRID, GRID, st.integers(0, 2)), min_size=1, max_size=6), RHO)
def test_the_empirical_loss_lies_between_the_shares_of_low_margins(
    items: list[tuple[Fraction, Fraction, Fraction, int]], rho: Fraction
) -> None:
    rows, y = [list(item[:3]) for item in items], [item[3] for item in items]
    margins = [margin(s, c) for s, c in zip(rows, y)]
    mean = sum((margin_loss(x, rho) for x in margins), F(0)) / len(rows)
    assert empirical_margin_loss(rows, y, rho) == mean
    below_0, below_rho = (F(sum(x <= bound for x in margins), len(rows)) for bound in (0, rho))
    mistakes = F(sum(c not in argmax_set(s) for s, c in zip(rows, y)), len(rows))
    assert mistakes <= below_0 <= mean <= below_rho


def test_an_empirical_loss_by_hand() -> None:
    rows = [[F(1), F(0), F(0)], [F(1), F(1), F(0)], [F(0), F(0), F(5)], [F(3), F(0), F(2)]]
    # margins 1, 0, 5 and −1 with ρ = 2: losses 1/2, 1, 0 and 1
    assert empirical_margin_loss(rows, [0, 1, 2, 2], 2) == F(5, 8)
    assert empirical_margin_loss(Array(rows), cast("list[int]", Array([0, 1, 2, 2])), 2) == F(5, 8)
    floats = empirical_margin_loss([[1, 0], [0, 0]], [0, 0], "2")
    assert type(floats) is float and floats == 0.75


@given(SCORED, COSTS)
def test_the_hinge_is_the_largest_violation(
    scored: tuple[list[Fraction], int], cost: Cost | None
) -> None:
    s, y = scored
    delta = cost or unit
    # [lecture5 (11)]: the same maximum over the wrong classes, cut at 0
    violations = [max(F(0), delta(j, y) + s[j] - s[y]) for j in range(len(s)) if j != y]
    found = multiclass_hinge(s, y, cost)
    assert type(found) is Fraction and found == max(violations)


@given(SCORED)
def test_without_costs_the_hinge_is_the_slack_of_the_margin(
    scored: tuple[list[Fraction], int],
) -> None:
    s, y = scored
    assert multiclass_hinge(s, y) == max(F(0), 1 - margin(s, y))


@given(SCORED, COSTS)
def test_the_hinge_is_at_least_the_cost_of_every_arg_max(
    scored: tuple[list[Fraction], int], cost: Cost | None
) -> None:
    s, y = scored
    assert all((cost or unit)(j, y) <= multiclass_hinge(s, y, cost) for j in argmax_set(s))


@given(GRID, GRID)
def test_of_two_opposite_scores_it_is_the_binary_hinge(w: Fraction, x: Fraction) -> None:
    s = [w * x / 2, -w * x / 2]
    assert multiclass_hinge(s, 0) == max(0, 1 - w * x)
    assert multiclass_hinge(s, 1) == max(0, 1 + w * x)


@given(SCORED, COSTS)
def test_the_hinge_set_holds_just_the_classes_that_reach_the_loss(
    scored: tuple[list[Fraction], int], cost: Cost | None
) -> None:
    s, y = scored
    loss = multiclass_hinge(s, y, cost)
    terms = [(cost or unit)(j, y) + s_j - s[y] for j, s_j in enumerate(s)]
    found = multiclass_hinge_set(s, y, cost)
    assert found == tuple(j for j, term in enumerate(terms) if term == loss)
    assert (y in found) == (loss == 0)


@given(FLOATS)
def test_in_float_the_hinge_is_one_rounding(s: list[float]) -> None:
    true = max(F(0), *(1 + F(s_j) - F(s[0]) for s_j in s[1:]))
    assert multiclass_hinge(s, 0) == float(true)


def test_in_float_no_tie_comes_from_rounding() -> None:
    tiny = 2.0**-80
    assert multiclass_hinge_set([0.0, tiny, 0.0], 0) == (1,)
    assert multiclass_hinge_set([0.0, 0.0, 0.0], 0) == (1, 2)


def test_a_single_class_has_no_loss_and_no_margin() -> None:
    assert multiclass_hinge([F(-7)], 0) == 0
    assert multiclass_hinge_set([F(-7)], 0) == (0,)
    with pytest.raises(DataError, match="a single class has no other"):
        margin([F(-7)], 0)
    with pytest.raises(DataError, match="a single class has no other"):
        empirical_margin_loss([[1.0]], [0], 1)


def test_all_int_scores_are_floats_and_arrays_are_read() -> None:
    for found in (margin([1, 3], 1), multiclass_hinge([1, 3], 0), margin(Array([1, 3]), 1)):
        assert type(found) is float
    assert multiclass_hinge(Array([1, 3]), 0) == 3
    assert margin([1, F(1, 2)], 0) == F(1, 2)


@pytest.mark.parametrize("measure", [margin, multiclass_hinge, multiclass_hinge_set])
@pytest.mark.parametrize(
    ("scores", "y", "message"),
    [
        ([1.0, 2.0], 2, "y: expected a position among 2 scores, got 2"),
        ([1.0, 2.0], -1, "y: expected a position among 2 scores, got -1"),
        ([1.0, 2.0], 0.0, "y: expected a position among 2 scores, got 0.0"),
        ([1.0, 2.0], "a", "y: expected a position among 2 scores, got 'a'"),
        ([], 0, "y: expected a position among 0 scores"),
        ([1.0, math.nan], 0, "scores: position 1: expected a finite number"),
        ([1.0, "2"], 0, "scores: position 1: expected a number"),
        ("ab", 0, "scores: expected a sequence of numbers"),
    ],
)
def test_scores_and_positions_that_do_not_fit_are_refused(
    measure: Callable[[Row, int], object], scores: object, y: object, message: str
) -> None:
    with pytest.raises(DataError) as refusal:
        measure(cast(Row, scores), cast(int, y))
    assert str(refusal.value).startswith(message)


@pytest.mark.parametrize(
    ("cost", "error", "message"),
    [
        (lambda j, y: -abs(j - y), ParameterError, r"cost\(1, 0\): expected at least 0, got -1"),
        (lambda j, y: 1, ParameterError, r"cost\(0, 0\): expected 0, got 1"),
        (lambda j, y: 0.5 * abs(j - y), MixedArithmeticError, r"cost\(j, 0\): floats where"),
        (lambda j, y: "1", DataError, r"cost\(j, 0\): position 0: expected a number"),
        (lambda j, y: math.nan, DataError, r"cost\(j, 0\): position 0: expected a finite number"),
    ],
)
def test_costs_that_are_none_are_refused(cost: Cost, error: type[RefmcError], message: str) -> None:
    for measure in (multiclass_hinge, multiclass_hinge_set):
        with pytest.raises(error, match=f"^{message}"):
            measure([F(1), F(0)], 0, cost)


def test_costs_may_have_the_arithmetic_of_the_scores() -> None:
    assert multiclass_hinge([F(1), F(0)], 0, lambda j, y: F(3, 2) * (j != y)) == F(1, 2)
    assert multiclass_hinge([1.0, 0.0], 0, lambda j, y: 1.5 * (j != y)) == 0.5


@pytest.mark.parametrize("rho", [0, -1, "-1/2", "nan"])
def test_margins_to_ask_for_are_positive(rho: float | str) -> None:
    with pytest.raises(ParameterError, match="^rho: "):
        margin_loss(F(1), rho)
    with pytest.raises(ParameterError, match="^rho: "):
        empirical_margin_loss([[1.0, 2.0]], [0], rho)


def test_rho_follows_the_arithmetic_of_the_margins() -> None:
    with pytest.raises(MixedArithmeticError, match="rho=0.5 is a float"):
        margin_loss(F(1, 4), 0.5)
    with pytest.raises(MixedArithmeticError, match="rho=1/2 is a Fraction"):
        margin_loss(0.25, F(1, 2))
    assert margin_loss(0.25, "1/2") == margin_loss(F(1, 4), "1/2") == F(1, 2)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0], "y: expected 2 positions, one a row of scores, got [0]"),
        ([0, 3], "y: row 1: expected a position among 2 scores, got 3"),
        ([0, None], "y: row 1: expected a position among 2 scores, got None"),
        (0, "y: expected 2 positions"),
        ({0, 1}, "y: expected 2 positions"),
    ],
)
def test_class_positions_that_do_not_fit_the_rows_are_refused(y: object, message: str) -> None:
    rows: Sequence[Sequence[float]] = [[1.0, 2.0], [2.0, 1.0]]
    with pytest.raises(DataError) as refusal:
        empirical_margin_loss(rows, cast("list[int]", y), 1)
    assert str(refusal.value).startswith(message)


def test_differences_beyond_floats_are_refused_and_never_infinite() -> None:
    for measure in (margin, multiclass_hinge):
        with pytest.raises(DataError, match="range of floats"):
            measure([-1.5e308, 1.5e308], 0)
