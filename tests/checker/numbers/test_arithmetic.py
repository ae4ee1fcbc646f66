"""Integer matrices and comparisons of roots, against slower independent routes."""

from fractions import Fraction as F
from math import isqrt

from hypothesis import given
from hypothesis import strategies as st

from refmc.checker.numbers.arithmetic import (
    root_above,
    root_below,
    root_exceeds_sum,
    root_within_difference,
)
from tests.drawn import ratios

non_negative = ratios(0, 20, 12)


@given(st.fractions(min_value=0), st.integers(-80, 80))
def test_a_root_lies_between_its_bounds_closely(q: F, power: int) -> None:
    q *= F(2) ** power
    low, high = root_below(q), root_above(q)
    assert low**2 <= q <= high**2 and (q == 0 or high**2 > q)
    assert high - low <= low / 2**60


@given(non_negative, non_negative, non_negative)
def test_root_comparisons_agree_with_integer_square_roots(t: F, a: F, b: F) -> None:
    def root(q: F) -> F:
        scale = 10**40
        return F(isqrt(q.numerator * scale**2 // q.denominator), scale)

    # equality of the two sides implies that the root of ab is rational; it is tested below
    difference = root(t) - root(a) - root(b)
    if abs(difference) > F(1, 10**30):
        assert root_exceeds_sum(t, a, b) == (difference > 0)
    difference = root(a) - root(b) - root(t)
    if abs(difference) > F(1, 10**30):
        assert root_within_difference(t, a, b) == (difference > 0)


def test_equal_roots_neither_exceed_nor_leave_the_bound() -> None:
    assert not root_exceeds_sum(F(25), F(4), F(9))
    assert root_exceeds_sum(F(25) + F(1, 10**50), F(4), F(9))
    assert root_within_difference(F(1), F(9), F(4))
    assert not root_within_difference(F(1) + F(1, 10**50), F(9), F(4))
    assert root_within_difference(F(0), F(0), F(0))
