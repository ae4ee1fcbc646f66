"""Enclosures of exp, ln and roots against sums of their series, and squares."""

from fractions import Fraction as F
from math import factorial

import pytest

from refmc.checker.numbers.enclosures import (
    LARGEST_EXPONENT,
    Enclosure,
    exponential,
    logarithm_of_one_plus,
    point,
    root,
)


@pytest.mark.parametrize("seventh", range(1, 8))
@pytest.mark.parametrize("bits", range(1, 12))
def test_e_to_the_x_lies_between_the_ends(seventh: int, bits: int) -> None:
    x = F(seventh, 14)
    partial = sum((x**n / factorial(n) for n in range(30)), F(0))
    rest = 2 * x**30 / factorial(30)  # each further term is at most half of the one before
    found = exponential(x, bits)
    assert found is not None
    assert found.low <= partial and partial + rest <= found.high
    below = exponential(-x, bits)
    assert below is not None
    assert below.low <= 1 / (partial + rest) and 1 / partial <= below.high


@pytest.mark.parametrize("ninth", range(1, 10))
@pytest.mark.parametrize("bits", range(1, 8))
def test_a_logarithm_lies_between_the_ends(ninth: int, bits: int) -> None:
    u = F(ninth, 9)
    z = u / (2 + u)  # ln(1 + u) = 2(z + z³/3 + z⁵/5 + …), each term at most z² of the one before
    partial = 2 * sum((z ** (2 * j + 1) / (2 * j + 1) for j in range(30)), F(0))
    found = logarithm_of_one_plus(point(u), bits)
    assert found.low <= partial and partial + 3 * z**61 <= found.high
    assert found.high - found.low < F(1, 2**bits)


@pytest.mark.parametrize("square", [F(2), F(1, 3), F(5, 7), F(10**9 + 7, 3), F(1, 10**9)])
@pytest.mark.parametrize("bits", range(1, 8))
def test_a_root_lies_between_the_ends(square: F, bits: int) -> None:
    found = root(point(square), bits)
    assert found.low**2 < square < found.high**2 and found.high - found.low <= F(2, 2**bits)


def test_an_exponential_too_small_to_be_written_out_has_a_known_end() -> None:
    found = exponential(F(-LARGEST_EXPONENT - 1), 8)
    assert found == Enclosure(F(0), F(1, 2**LARGEST_EXPONENT))
    assert exponential(F(LARGEST_EXPONENT + 1), 8) is None


def test_the_largest_exponent_is_the_last_that_is_computed() -> None:
    most = F(LARGEST_EXPONENT)
    assert exponential(most, 8) is not None and exponential(most + F(1, 9), 8) is None
    least = exponential(-most, 8)
    assert least is not None and least.low > 0


def test_the_root_of_what_may_be_negative_begins_at_0() -> None:
    found = root(Enclosure(F(-1, 4), F(1, 4)), 10)
    assert found.low == 0 and F(1, 2) <= found.high < F(1, 2) + F(1, 500)
