"""Roots against squares, and against decimal arithmetic."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.logs import Log
from refmc.errors import DataError
from refmc.theory.roots import compare_with_roots, is_at_least, nearest_float, root_bounds
from tests.drawn import ratios

F = Fraction
SIXTY = Context(prec=60)
small = ratios(0, 9, 4)
around = ratios(-3, 3, 4)


def root(square: Fraction) -> float:
    return nearest_float(lambda digits: root_bounds((square, square), digits), "root")


@given(small, st.integers(1, 30))
def test_the_bounds_are_the_digits_below_and_above(square: Fraction, digits: int) -> None:
    low, high = root_bounds((square, square), digits)
    assert low**2 <= square <= high**2
    assert high - low in (0, F(1, 10**digits))
    assert low != high or low**2 == square


def test_a_lower_end_below_0_counts_as_0() -> None:
    assert root_bounds((F(-1), F(4)), 5) == (F(0), F(2))


@given(st.floats(0, 1e150))
def test_the_nearest_float_of_a_square_is_its_root(value: float) -> None:
    assert root(F(value) ** 2) == value


@pytest.mark.parametrize("square", [F(1, 4), F(2**108 + 1), F(1, 10**700), F((2**53 + 1) ** 2, 4)])
def test_roots_of_every_size_are_rounded(square: Fraction) -> None:
    above, below = Decimal(square.numerator), Decimal(square.denominator)
    assert root(square) == float(Context(prec=400).sqrt(Context(prec=800).divide(above, below)))


def test_a_root_beyond_the_range_of_floats_is_refused() -> None:
    with pytest.raises(DataError, match="root: beyond the range"):
        root(F(10) ** 700)


def test_a_root_of_a_logarithm_is_rounded_and_compared() -> None:
    log = Log([(F(20), F(1, 200))])
    value = SIXTY.sqrt(SIXTY.divide(SIXTY.ln(Decimal(20)), Decimal(200)))

    def enclosed(digits: int) -> tuple[Fraction, Fraction]:
        return root_bounds(log.enclosure(digits), digits)

    assert nearest_float(enclosed, "root") == float(value)
    assert is_at_least(enclosed, F(value) - F(1, 10**55))
    assert not is_at_least(enclosed, F(value) + F(1, 10**55))


@given(around, small, around, small)
def test_sums_with_roots_are_ordered_as_numbers(a: F, p: F, b: F, q: F) -> None:
    difference = float(a) + math.sqrt(p) - float(b) - math.sqrt(q)
    order = compare_with_roots(a, p, b, q)
    if abs(difference) > 1e-9:
        assert order == (1 if difference > 0 else -1)
    assert order == -compare_with_roots(b, q, a, p)


@given(around, around, around)
def test_sums_with_rational_roots_are_ordered_as_rationals(a: F, p: F, q: F) -> None:
    b = a + abs(p) - abs(q)
    assert compare_with_roots(a, p * p, b, q * q) == 0
    for change in (F(1, 10**30), F(-1, 10**30)):
        assert compare_with_roots(a + change, p * p, b, q * q) == (1 if change > 0 else -1)
