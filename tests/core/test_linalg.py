"""Inner products and inverses."""

from __future__ import annotations

import math
from fractions import Fraction
from operator import mul

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.definiteness import negative_direction
from refmc.core.linalg import (
    UNIT_ROUNDOFF,
    common_denominator,
    dot,
    inverse_of_independent,
    solved_by_floats,
    total,
)
from refmc.core.scalars import MAX_DIGITS
from refmc.errors import DataError, ExactnessLimitError
from tests.core.matrices import RATIONAL, Matrix, determinant, gram_of_few, symmetric

PAIRS = st.lists(st.tuples(RATIONAL, RATIONAL), max_size=8)
FLOAT_PAIRS = st.lists(st.tuples(*[st.floats(-1e6, 1e6)] * 2), max_size=8)


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


@given(st.lists(st.lists(st.integers(-3, 3), min_size=5, max_size=5), min_size=1, max_size=5))
def test_floats_solve_a_definite_system_up_to_roundings(B: list[list[int]]) -> None:
    shifted = [[sum(map(mul, p, q)) + 9 * (p is q) for q in B] for p in B]
    wanted = [1 - 2 * i for i in range(len(B))]
    g = [float(sum(map(mul, row, wanted))) for row in shifted]
    H = [[float(a) for a in row[: i + 1]] for i, row in enumerate(shifted)]
    # The eigenvalues lie between 9 and 9 + 5·45.
    assert solved_by_floats(H, g) == pytest.approx(wanted, abs=1e-10)


def test_what_a_singular_system_leaves_open_is_0() -> None:
    assert solved_by_floats([[1.0], [1.0, 1.0], [0.0, 0.0, 2.0]], [3.0, 3.0, 4.0]) == [3, 0, 2]
