"""Margins, the ρ-margin loss, and the multi-class hinge loss against their definitions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.sample import Row
from refmc.core.ties import argmax_set
from refmc.errors import DataError, MixedArithmeticError, ParameterError, RefmcError
from refmc.lectures import lecture5
from refmc.theory.costs import Cost, matrix_cost
from refmc.theory.features import class_features, feature_scores, lipschitz_squared
from refmc.theory.losses import (
    empirical_margin_loss,
    exponential,
    hamming,
    hinge,
    logistic,
    margin,
    margin_loss,
    multiclass_hinge,
    multiclass_hinge_set,
    multiclass_hinge_sum,
    perceptron_loss,
    squared_hinge,
    zero_one,
)
from tests.support import Array, inner

F = Fraction
GRID = st.integers(-6, 6).map(lambda n: F(n, 4))
RHO = st.integers(1, 9).map(lambda n: F(n, 4))
SCORES = st.lists(GRID, min_size=2, max_size=5)
SCORED = SCORES.flatmap(lambda s: st.tuples(st.just(s), st.integers(0, len(s) - 1)))
FLOATS = st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=5)


def distance(j: int, y: int) -> int:
    return 2 * abs(j - y)


def unit(j: int, y: int) -> int:
    return int(j != y)


TABLE = matrix_cost([[0 if j == y else F(3 * j + y, 4) for y in range(5)] for j in range(5)])
LOSSES = [multiclass_hinge, multiclass_hinge_sum]


def of_the_table(j: int, y: int) -> float | Fraction:
    return TABLE(j, y)


COSTS = st.sampled_from([None, unit, distance, of_the_table])
ITEM = st.integers(1, 3).flatmap(
    lambda d: st.tuples(
        st.lists(GRID, min_size=d, max_size=d),
        st.lists(st.lists(GRID, min_size=d, max_size=d), min_size=2, max_size=4),
    )
)


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
        ([0], "y: expected 2 positions, one a row of scores, got 1"),
        ([0, 3], "y: row 1: expected a position among 2 scores, got 3"),
        ([0, None], "y: row 1: expected a position among 2 scores, got None"),
        (0, "y: expected a position for each row of scores, got int"),
        ({0, 1}, "y: expected a position for each row of scores, got set"),
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


def test_the_zero_one_loss_is_one_where_the_prediction_is_wrong() -> None:
    # The indicator 1_{y}(h(x)) printed in [karagiannis (3.2)] is 1 where it is right. Put into the
    # hinge (3.3) it gives a loss of at least 1 to every w; that of a wide margin has to be 0.
    def printed(predicted: int, y: int) -> int:
        return int(predicted in {y})

    assert (zero_one(0, 0), zero_one(1, 0)) == (0, 1)
    assert (printed(0, 0), printed(1, 0)) == (1, 0)
    scores = [F(9), F(0)]
    assert max(printed(j, 0) + s - scores[0] for j, s in enumerate(scores)) == 1
    assert max(zero_one(j, 0) + s - scores[0] for j, s in enumerate(scores)) == 0
    assert multiclass_hinge(scores, 0, zero_one) == multiclass_hinge(scores, 0) == 0


@given(SCORED)
def test_a_wrong_prediction_has_no_margin_and_at_ties_a_right_one_may_have_none(
    scored: tuple[list[Fraction], int],
) -> None:
    s, y = scored
    for predicted in argmax_set(s):
        assert zero_one(predicted, y) == 0 or margin(s, y) <= 0
    tied = [F(1), F(1)]
    assert margin(tied, 0) == 0 and zero_one(argmax_set(tied)[0], 0) == 0


@given(st.lists(st.tuples(st.sampled_from([-1, 1]), st.sampled_from([-1, 1])), min_size=1))
def test_the_hamming_loss_is_the_share_of_places_that_differ(pairs: list[tuple[int, int]]) -> None:
    a, b = [p[0] for p in pairs], [p[1] for p in pairs]
    # of ±1 entries (1 − a·b) / 2 is 1 where they differ
    by_products = F(len(pairs) - sum(p * q for p, q in pairs), 2 * len(pairs))
    assert hamming(a, b) == hamming(b, a) == by_products
    assert hamming(Array(a), tuple(b)) == by_products


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([1], [1, 1], "predicted: expected 2 entries, as y has, got 1"),
        ([], [], "y: expected at least one entry, got none"),
        ([1], "1", "y: expected a sequence of entries, got str"),
        ({1}, [1], "predicted: expected a sequence of entries, got set"),
    ],
)
def test_codes_that_do_not_fit_are_refused(a: object, b: object, message: str) -> None:
    with pytest.raises(DataError) as refusal:
        hamming(cast("list[int]", a), cast("list[int]", b))
    assert str(refusal.value).startswith(message)


@given(GRID)
def test_the_losses_of_a_margin_bound_the_zero_one_loss(z: Fraction) -> None:
    wrong = zero_one(z > 0, True)  # of the sign, 0 counted as wrong
    assert hinge(z) == (1 - z if z < 1 else 0) and type(hinge(z)) is Fraction
    assert squared_hinge(z) == hinge(z) ** 2 and type(squared_hinge(z)) is Fraction
    assert hinge(z) >= wrong and squared_hinge(z) >= wrong and exponential(z) >= wrong
    assert logistic(z) / math.log(2) >= wrong
    assert perceptron_loss(z) == (-z if z < 0 else 0) and perceptron_loss(z) <= hinge(z)
    assert hinge(z) == multiclass_hinge([z, F(0)], 0)


@given(st.floats(-1e308, 1e308))
def test_in_float_the_binary_hinge_is_one_rounding(z: float) -> None:
    assert hinge(z) == float(max(F(0), 1 - F(z)))
    assert perceptron_loss(z) == max(0.0, -z)


@given(st.fractions(-300, 300, max_denominator=64))
def test_exponential_and_logistic_losses_are_near_their_values(z: Fraction) -> None:
    with localcontext() as context:
        context.prec = 200
        power = (-Decimal(z.numerator) / z.denominator).exp()
        allowed = Decimal(float(abs(z)) + 4) * Decimal(2) ** -52
        assert abs(Decimal(exponential(z)) / power - 1) <= allowed
        assert abs(Decimal(logistic(z)) / (1 + power).ln() - 1) <= allowed
    assert type(exponential(z)) is float and exponential(float(z)) == exponential(F(float(z)))


def test_losses_of_large_margins_do_not_overflow() -> None:
    assert logistic(-1e308) == 1e308 and logistic(1e308) == exponential(1e308) == 0
    assert logistic(-F(10**6)) == 10**6
    with pytest.raises(DataError, match=r"^z: exp\(1000.0\) is beyond the range of floats"):
        exponential(-1000.0)
    for loss in (exponential, logistic):
        with pytest.raises(DataError, match="^z: beyond the range of floats"):
            loss(-F(10**400))


@pytest.mark.parametrize("loss", [hinge, perceptron_loss, exponential, logistic])
@pytest.mark.parametrize("z", [math.nan, math.inf, "1", None, [1]])
def test_margins_that_are_no_numbers_are_refused(loss: Callable[[float], float], z: object) -> None:
    with pytest.raises(DataError, match="^z: position 0: expected a "):
        loss(cast(float, z))


def test_whole_margins_are_floats() -> None:
    assert all(type(loss(2)) is float for loss in (hinge, perceptron_loss, exponential, logistic))


def test_sum_and_max_form_of_the_example_by_hand() -> None:
    scores = [F(2, 10), F(5, 10), F(1, 10)]
    assert multiclass_hinge_sum(scores, 1) == F(7, 10) + F(6, 10) == F(13, 10)
    assert multiclass_hinge(scores, 1) == F(7, 10)
    assert multiclass_hinge_sum([0.2, 0.5, 0.1], 1) == pytest.approx(1.3)


@given(SCORED, COSTS)
def test_the_sum_form_adds_the_violations(
    scored: tuple[list[Fraction], int], cost: Cost | None
) -> None:
    s, y = scored
    found = multiclass_hinge_sum(s, y, cost)
    assert type(found) is Fraction
    assert found == lecture5.sum_form(s, y, lambda j, y: F((cost or unit)(j, y)))


@given(SCORED, COSTS)
def test_sum_form_max_form_and_cost_are_in_this_order(
    scored: tuple[list[Fraction], int], cost: Cost | None
) -> None:
    s, y = scored
    largest = multiclass_hinge(s, y, cost)
    assert largest <= multiclass_hinge_sum(s, y, cost) <= (len(s) - 1) * largest
    assert all((cost or unit)(j, y) <= largest for j in argmax_set(s))


@given(FLOATS)
def test_in_float_the_sum_form_is_one_rounding(s: list[float]) -> None:
    violations = (1 + F(s_j) - F(s[0]) for s_j in s[1:])
    true = sum((v for v in violations if v > 0), F(0))
    assert multiclass_hinge_sum(s, 0) == float(true)


@given(
    st.lists(st.tuples(GRID, GRID), min_size=2, max_size=5),
    COSTS,
    st.integers(0, 4).map(lambda n: F(n, 4)),
)
def test_the_hinges_are_convex(
    pairs: list[tuple[Fraction, Fraction]], cost: Cost | None, t: Fraction
) -> None:
    u, v = [p[0] for p in pairs], [p[1] for p in pairs]
    between = [t * a + (1 - t) * b for a, b in pairs]
    for loss in LOSSES:
        chord = t * loss(u, 0, cost) + (1 - t) * loss(v, 0, cost)
        assert loss(between, 0, cost) <= chord
    for binary in (hinge, perceptron_loss):
        assert binary(between[0]) <= t * binary(u[0]) + (1 - t) * binary(v[0])


def test_the_margin_loss_is_neither_convex_nor_concave() -> None:
    # [lu, "Multi-Class Kernel-Based SVMs"]: above the chord from −1 to 1, below that from 0 to 2
    assert margin_loss(F(0), 1) > (margin_loss(F(-1), 1) + margin_loss(F(1), 1)) / 2
    assert margin_loss(F(1), 1) < (margin_loss(F(0), 1) + margin_loss(F(2), 1)) / 2


@given(ITEM, st.data(), COSTS)
def test_the_hinge_is_lipschitz_in_the_weights(
    item: tuple[list[Fraction], list[list[Fraction]]], data: st.DataObject, cost: Cost | None
) -> None:
    x, W = item
    k, row = len(W), st.lists(GRID, min_size=len(x), max_size=len(x))
    V = data.draw(st.lists(row, min_size=k, max_size=k))
    y = data.draw(st.integers(0, k - 1))
    bound = lipschitz_squared(x, y, partial(class_features, k=k), k)
    assert bound == 2 * inner(x, x)
    w, v = [a for row in W for a in row], [a for row in V for a in row]
    losses = [multiclass_hinge([inner(r, x) for r in rows], y, cost) for rows in (W, V)]
    step = [a - b for a, b in zip(w, v)]
    assert (losses[0] - losses[1]) ** 2 <= bound * inner(step, step)


@given(st.lists(GRID, min_size=6, max_size=6), COSTS)
def test_no_smaller_constant_would_do(table: list[Fraction], cost: Cost | None) -> None:
    def features(x: list[Fraction], j: int) -> list[Fraction]:
        return x[2 * j : 2 * j + 2]

    bound = lipschitz_squared(table, 0, features, 3)
    steps = [[a - b for a, b in zip(features(table, j), table)] for j in range(3)]
    farthest = max(steps, key=lambda step: inner(step, step))
    # far along it the loss rises by ‖step‖² for each step, that is at the rate ‖step‖
    far, farther = (
        multiclass_hinge(feature_scores([t * a for a in farthest], table, features, 3), 0, cost)
        for t in (1000, 1001)
    )
    assert farther - far == bound == inner(farthest, farthest)


def test_the_lipschitz_constant_is_a_norm() -> None:
    # [karagiannis, Example 23] prints max_ξ (Ψ(x, ξ) − Ψ(x, y)) without the norm. In one
    # dimension that is a number, here max(0, −1) = 0, yet the loss max(0, 1 − w) isn't constant.
    def features(x: Fraction, j: int) -> list[Fraction]:
        return [x if j == 0 else F(0)]

    differences = [features(F(1), j)[0] - features(F(1), 0)[0] for j in range(2)]
    assert max(differences) == 0
    falls = [multiclass_hinge(feature_scores([w], F(1), features, 2), 0) for w in (F(0), F(1))]
    assert falls == [1, 0]
    assert lipschitz_squared(F(1), 0, features, 2) == 1


@given(ITEM)
def test_the_block_map_turns_one_vector_into_the_rows_of_a_matrix(
    item: tuple[list[Fraction], list[list[Fraction]]],
) -> None:
    x, W = item
    k = len(W)
    w = [a for row in W for a in row]
    assert feature_scores(w, x, partial(class_features, k=k), k) == tuple(
        inner(row, x) for row in W
    )
    for y in range(k):
        blocks = class_features(x, y, k)
        assert [blocks[j : j + len(x)] for j in range(0, len(w), len(x))] == [
            tuple(x) if j == y else (0,) * len(x) for j in range(k)
        ]


@given(st.lists(st.tuples(GRID, GRID), min_size=1, max_size=4))
def test_opposite_rows_of_half_the_weights_give_the_binary_hinge(
    pairs: list[tuple[Fraction, Fraction]],
) -> None:
    # [lecture5 §1.1.1] and [karagiannis, Example 26]: W_1 = −W_2 = w/2, or Ψ(x, y) = yx/2
    w, x = [p[0] for p in pairs], [p[1] for p in pairs]
    W = [[a / 2 for a in w], [-a / 2 for a in w]]
    signs = [1, -1]

    def half(x: list[Fraction], j: int) -> list[Fraction]:
        return [signs[j] * a / 2 for a in x]

    for y, sign in enumerate(signs):
        binary = hinge(sign * inner(w, x))
        assert multiclass_hinge([inner(row, x) for row in W], y) == binary
        assert multiclass_hinge(feature_scores(w, x, half, 2), y) == binary
        assert multiclass_hinge_sum([inner(row, x) for row in W], y) == binary


def test_sign_and_arg_max_part_at_a_score_of_zero() -> None:
    def yx(x: Fraction, j: int) -> list[Fraction]:
        return [(-x, x)[j]]  # the positions 0 and 1 stand for y = −1 and +1

    winners = [argmax_set(feature_scores([w], F(1), yx, 2)) for w in (F(-1), F(0), F(1))]
    assert winners == [(0,), (0, 1), (1,)]  # sgn(0) is neither class, the arg max is both


@pytest.mark.parametrize("factor", [1, 2])
@given(GRID, GRID)
def test_half_yx_gives_the_binary_hinge_and_yx_the_one_of_twice_the_margin(
    factor: int, w: Fraction, x: Fraction
) -> None:
    def features(x: Fraction, j: int) -> list[Fraction]:
        return [F(factor, 2) * (-x, x)[j]]

    scores = cast(tuple[Fraction, ...], feature_scores([w], x, features, 2))
    for j, y in enumerate((-1, 1)):
        assert multiclass_hinge(scores, j) == max(F(0), 1 - factor * y * w * x)


def test_the_zero_one_loss_is_not_convex_in_the_weights() -> None:
    def loss(w: Fraction) -> int:  # of the row x = 1 of class +1
        return zero_one(1 if w > 0 else -1, 1)

    assert [loss(w) for w in (F(-3), F(-1), F(1))] == [1, 1, 0]
    assert loss(F(-1)) > F(loss(F(-3)) + loss(F(1)), 2)  # −1 is half way from −3 to 1


def test_features_may_be_of_any_item() -> None:
    def counts(word: str, j: int) -> list[int]:
        return [word.count("ab"[j]), j]

    assert feature_scores([F(1, 2), 3], "banana", counts, 2) == (F(3, 2), F(7, 2))
    floats = feature_scores([0.5, 3], "banana", counts, 2)
    assert floats == (1.5, 3.5) and all(type(s) is float for s in floats)


def test_features_that_do_not_fit_are_refused() -> None:
    with pytest.raises(DataError, match=r"^features\(x, j\): expected 2 numbers, as w has, got 1"):
        feature_scores([1.0, 2.0], 3.0, lambda x, j: [x], 2)
    with pytest.raises(DataError, match=r"^features\(x, j\): row 1 has 1 values, row 0 has 0"):
        feature_scores([1.0], 3.0, lambda x, j: [x] * j, 2)
    with pytest.raises(MixedArithmeticError):
        feature_scores([F(1, 2)], 0.5, lambda x, j: [x], 2)
    with pytest.raises(ParameterError, match="^k: expected a whole number of at least 1, got 0"):
        feature_scores([1.0], 3.0, lambda x, j: [x], 0)
    with pytest.raises(DataError, match="^y: expected a position among 2 scores, got 2"):
        class_features([1.0], 2, 2)


def test_the_sum_form_reads_what_the_max_form_reads() -> None:
    assert multiclass_hinge_sum([F(-7)], 0) == 0
    assert type(multiclass_hinge_sum([1, 3], 0)) is float
    with pytest.raises(DataError, match="^y: expected a position among 2 scores, got 2"):
        multiclass_hinge_sum([1.0, 2.0], 2)
    with pytest.raises(ParameterError, match=r"^cost\(1, 0\): expected at least 0"):
        multiclass_hinge_sum([F(1), F(0)], 0, lambda j, y: -j)
