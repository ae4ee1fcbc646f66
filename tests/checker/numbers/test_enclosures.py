"""Enclosures of exp against the partial sums of its series."""

from fractions import Fraction as F
from math import factorial

import pytest

from refmc.checker.numbers.enclosures import exponential


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
