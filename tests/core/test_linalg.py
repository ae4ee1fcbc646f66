"""Inner products, and semi-definiteness against principal minors."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, permutations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from refmc.core.linalg import (
    UNIT_ROUNDOFF,
    common_denominator,
    dot,
    inverse_of_independent,
    is_clearly_definite,
    negative_direction,
    negative_direction_of_floats,
    quadratic_form,
    total,
)
from refmc.core.scalars import MAX_DIGITS
from refmc.errors import DataError, ExactnessLimitError

Matrix = list[list[Fraction]]

RATIONAL = st.builds(Fraction, st.integers(), st.integers(1, 50))
PAIRS = st.lists(st.tuples(RATIONAL, RATIONAL), max_size=8)
FLOAT_PAIRS = st.lists(st.tuples(*[st.floats(-1e6, 1e6)] * 2), max_size=8)
HUGE = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def symmetric(draw: st.DrawFn, entry: st.SearchStrategy[Fraction], most: int = 4) -> Matrix:
    n = draw(st.integers(1, most))
    lower = [[draw(entry) for _ in range(i + 1)] for i in range(n)]
    return [[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]


@st.composite
def gram_of_few(draw: st.DrawFn) -> Matrix:
    """BᵀB of B with fewer rows than columns as often as not: singular positive semi-definite."""
    rows, columns = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    B = [[Fraction(draw(st.integers(-3, 3)), 2) for _ in range(columns)] for _ in range(rows)]
    return [
        [sum((row[i] * row[j] for row in B), Fraction(0)) for j in range(columns)]
        for i in range(columns)
    ]


SMALL = st.integers(-2, 2).map(Fraction)


def determinant(M: Matrix) -> Fraction:
    """By the definition: the signed sum over all permutations."""
    n = len(M)
    value = Fraction(0)
    for order in permutations(range(n)):
        inversions = sum(order[i] > order[j] for i, j in combinations(range(n), 2))
        value += (-1) ** inversions * math.prod(M[i][order[i]] for i in range(n))
    return value


def has_only_non_negative_principal_minors(K: Matrix) -> bool:
    n = len(K)
    return all(
        determinant([[K[i][j] for j in chosen] for i in chosen]) >= 0
        for size in range(1, n + 1)
        for chosen in combinations(range(n), size)
    )


def form(K: Matrix, v: list[Fraction]) -> Fraction:
    """vᵀKv by the definition."""
    return sum((v_i * k * v_j for v_i, row in zip(v, K) for k, v_j in zip(row, v)), Fraction(0))


@given(PAIRS)
def test_exact_dot_is_the_sum_of_products(pairs: list[tuple[Fraction, Fraction]]) -> None:
    u, v = [a for a, _ in pairs], [b for _, b in pairs]
    expected = Fraction(0)
    for a, b in pairs:
        expected += a * b
    found = dot(u, v, Fraction(0))
    assert type(found) is Fraction and found == expected
    assert total([a * b for a, b in pairs], Fraction(0)) == expected


@given(FLOAT_PAIRS)
def test_float_dot_rounds_the_sum_of_rounded_products_once(
    pairs: list[tuple[float, float]],
) -> None:
    products = [a * b for a, b in pairs]
    nearest = float(sum(map(Fraction, products)))  # int or Fraction to float rounds correctly
    assert dot([a for a, _ in pairs], [b for _, b in pairs], 0.0) == nearest
    assert total(products, 0.0) == total(products[::-1], 0.0) == nearest


@given(FLOAT_PAIRS)
def test_float_dot_is_near_the_rational_dot(pairs: list[tuple[float, float]]) -> None:
    true = sum((Fraction(a) * Fraction(b) for a, b in pairs), Fraction(0))
    size = sum((abs(Fraction(a) * Fraction(b)) for a, b in pairs), Fraction(0))
    smallest = Fraction(math.ulp(0.0))
    found = Fraction(dot([a for a, _ in pairs], [b for _, b in pairs], 0.0))
    rounding = 2 * UNIT_ROUNDOFF * (1 + UNIT_ROUNDOFF) * size + (len(pairs) + 1) * smallest
    assert abs(found - true) <= rounding


@pytest.mark.parametrize(
    ("u", "v"),
    [([1e200], [1e200]), ([1e200, 1e200], [1e200, -1e200]), ([1e308, 1e308], [1.0, 1.0])],
)
def test_float_overflow_is_an_error_and_no_infinity(u: list[float], v: list[float]) -> None:
    with pytest.raises(DataError, match="range of floats"):
        dot(u, v, 0.0)
    with pytest.raises(DataError, match="range of floats"):
        total([a * b for a, b in zip(u, v)], 0.0)


@given(symmetric(RATIONAL))
def test_the_common_denominator_is_the_least_one(rows: Matrix) -> None:
    N, q = common_denominator(rows)
    assert [[Fraction(n, q) for n in row] for row in N] == rows
    assert math.gcd(q, *(n for row in N for n in row)) == 1


@given(symmetric(RATIONAL), st.data())
def test_quadratic_form_is_the_double_sum(K: Matrix, data: st.DataObject) -> None:
    v = data.draw(st.lists(RATIONAL, min_size=len(K), max_size=len(K)))
    assert quadratic_form(K, v) == form(K, v)


@given(symmetric(SMALL))
@example([[Fraction(0), Fraction(1)], [Fraction(1), Fraction(-2)]])
@example([[Fraction(0), Fraction(0)], [Fraction(0), Fraction(-1)]])
@example([[Fraction(1), Fraction(1), Fraction(0)]] * 2 + [[Fraction(0), Fraction(0), Fraction(0)]])
def test_the_decision_is_that_of_all_principal_minors(K: Matrix) -> None:
    v = negative_direction(K)
    assert (v is None) == has_only_non_negative_principal_minors(K)
    assert v is None or form(K, v) < 0


@given(symmetric(RATIONAL, most=6))
def test_a_witness_always_has_a_negative_form(K: Matrix) -> None:
    v = negative_direction(K)
    if v is None:
        assert all(K[i][i] >= 0 for i in range(len(K)))
        assert all(K[i][j] ** 2 <= K[i][i] * K[j][j] for i, j in combinations(range(len(K)), 2))
    else:
        assert form(K, v) < 0


@given(gram_of_few(), st.data())
def test_singular_gram_matrices_pass_and_any_lower_diagonal_fails(
    K: Matrix, data: st.DataObject
) -> None:
    assert negative_direction(K) is None
    i = data.draw(st.integers(0, len(K) - 1))
    K[i][i] -= K[i][i] + Fraction(1, 10**30)
    v = negative_direction(K)
    assert v is not None and form(K, v) < 0


def test_the_empty_matrix_is_positive_semi_definite() -> None:
    assert negative_direction([]) is None
    assert negative_direction_of_floats([]) is None


def test_a_matrix_negative_by_a_hair_is_negative_exactly_and_not_in_float() -> None:
    hair = 1 + 2.0**-52
    K = [[1.0, hair], [hair, 1.0]]
    lifted = [[Fraction(entry) for entry in row] for row in K]
    v = negative_direction(lifted)
    assert v is not None and form(lifted, v) < 0
    assert negative_direction_of_floats(K) is None


@given(symmetric(SMALL, most=5))
def test_in_float_small_whole_matrices_are_decided_as_exactly(K: Matrix) -> None:
    v = negative_direction_of_floats([[float(entry) for entry in row] for row in K])
    assert (v is None) == (negative_direction(K) is None)
    assert v is None or form(K, v) < 0


@given(symmetric(HUGE.map(Fraction), most=3))
@example([[Fraction(1e-300), Fraction(1e300)], [Fraction(1e300), Fraction(1e-300)]])
@example([[Fraction(1e-300), Fraction(1e308)], [Fraction(1e308), Fraction(1e308)]])
def test_floats_of_any_size_are_handled_and_witnesses_hold(K: Matrix) -> None:
    v = negative_direction_of_floats([[float(entry) for entry in row] for row in K])
    if v is None:
        allowance = 1024 * UNIT_ROUNDOFF * sum(abs(K[i][i]) for i in range(len(K)))
        assert all(K[i][i] >= -allowance for i in range(len(K)))
    else:
        assert form(K, v) < 0


def test_a_witness_is_found_where_floats_overflow_on_the_way() -> None:
    K = [[1e-300, 1e300], [1e300, 1e-300]]
    v = negative_direction_of_floats(K)
    assert v is not None and form([[Fraction(entry) for entry in row] for row in K], v) < 0


def test_digits_grow_so_slowly_that_a_large_ill_conditioned_matrix_is_decided() -> None:
    hilbert = [[Fraction(1, i + j + 1) for j in range(30)] for i in range(30)]
    assert negative_direction(hilbert) is None
    hilbert[29][29] -= Fraction(1, 10**30)  # far below what floats could see
    v = negative_direction(hilbert)
    assert v is not None and form(hilbert, v) < 0


def lower_triangle(K: Matrix) -> Matrix:
    return [row[: i + 1] for i, row in enumerate(K)]


@given(gram_of_few())
def test_the_inverse_covers_the_first_independent_rows(K: Matrix) -> None:
    kept, inverse = inverse_of_independent(lower_triangle(K), Fraction(0))
    block = [[K[i][j] for j in kept] for i in kept]
    product = [
        [sum((a * b for a, b in zip(row, column)), Fraction(0)) for column in zip(*inverse)]
        for row in block
    ]
    assert product == [[Fraction(i == j) for j in range(len(kept))] for i in range(len(kept))]
    for p in range(len(K)):
        chosen = [i for i in kept if i < p] + [p]
        independent = determinant([[K[i][j] for j in chosen] for i in chosen]) != 0
        assert independent == (p in kept)


@given(gram_of_few())
def test_the_float_inverse_of_a_regular_matrix_is_near_the_exact_one(K: Matrix) -> None:
    for i in range(len(K)):
        K[i][i] += 10  # regular, and of a condition that floats can bear
    rounded = [[float(entry) for entry in row] for row in lower_triangle(K)]
    kept, inverse = inverse_of_independent(rounded, 0.0)
    _, exact_inverse = inverse_of_independent(lower_triangle(K), Fraction(0))
    assert kept == list(range(len(K)))
    for row, exact_row in zip(inverse, exact_inverse):
        assert row == pytest.approx([float(entry) for entry in exact_row], rel=1e-9, abs=1e-9)


def test_elimination_stops_at_the_limit_of_digits() -> None:
    long, longer = Fraction(10) ** (MAX_DIGITS - 1), Fraction(10) ** (MAX_DIGITS + 1)
    assert inverse_of_independent([[long]], Fraction(0)) == ([0], [[1 / long]])
    assert negative_direction([[long]]) is None
    with pytest.raises(ExactnessLimitError, match="more than 20000 digits"):
        inverse_of_independent([[longer]], Fraction(0))
    with pytest.raises(ExactnessLimitError, match="more than 20000 digits"):
        negative_direction([[longer, longer], [longer, longer]])


def test_a_common_denominator_stops_at_the_limit_of_digits() -> None:
    half = 10 ** (MAX_DIGITS // 2)
    assert common_denominator([[Fraction(1, half), Fraction(1, 10 * half)]])[1] == 10 * half
    with pytest.raises(ExactnessLimitError, match="fewer digits"):
        common_denominator([[Fraction(1, half), Fraction(1, half + 1), Fraction(1, half + 3)]])


@given(symmetric(SMALL), st.integers(0, 4))
@example([[Fraction(1), 1 - Fraction(1, 2**40)], [1 - Fraction(1, 2**40), Fraction(1)]], 0)
@example([[Fraction(1), 1 + Fraction(1, 2**80)], [1 + Fraction(1, 2**80), Fraction(1)]], 0)
def test_only_definite_matrices_are_proved_so_at_once(K: Matrix, shift: int) -> None:
    K = [[a + shift * (i == j) for j, a in enumerate(row)] for i, row in enumerate(K)]
    if is_clearly_definite(common_denominator(K)[0]):
        assert all(determinant([row[:r] for row in K[:r]]) > 0 for r in range(1, len(K) + 1))


def test_a_definite_matrix_of_long_numbers_is_proved_so_at_once() -> None:
    K = [[Fraction(1, 3 ** abs(i - j)) + (i == j) for j in range(40)] for i in range(40)]
    assert is_clearly_definite(common_denominator(K)[0])
    K[3][7] = K[7][3] = Fraction(3)
    assert not is_clearly_definite(common_denominator(K)[0])
