"""Exact logarithms against integer powers, prime factors and high-precision decimals."""

from __future__ import annotations

import copy
import math
import operator
import pickle
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.logs import Log
from refmc.errors import MixedArithmeticError, ParameterError
from tests.drawn import ratios

F = Fraction

Terms = list[tuple[Fraction, Fraction]]

POSITIVE = ratios(F(1, 12), 40, 12)
COEFFICIENT = ratios(-4, 4, 6)
TERMS = st.lists(st.tuples(POSITIVE, COEFFICIENT), max_size=5)
BASES = st.sampled_from([2, None])


def sign_by_powers(terms: Terms) -> int:
    """Π q^c against 1, with all exponents made whole and all powers written out."""
    unit = math.lcm(1, *(c.denominator for _, c in terms))
    product = math.prod((q ** int(c * unit) for q, c in terms), start=F(1))
    return (product > 1) - (product < 1)


@given(TERMS, BASES)
def test_the_sign_is_that_of_the_product_of_powers_against_one(
    terms: Terms, base: int | None
) -> None:
    assert Log(terms, base).sign() == sign_by_powers(terms)


@given(TERMS, TERMS, BASES)
def test_order_and_equality_are_those_of_the_difference(
    a: Terms, b: Terms, base: int | None
) -> None:
    x, y = Log(a, base), Log(b, base)
    order = sign_by_powers([*a, *((q, -c) for q, c in b)])
    assert (x == y, x < y, x <= y, x > y, x >= y) == (
        order == 0,
        order < 0,
        order <= 0,
        order > 0,
        order >= 0,
    )
    if order == 0:
        assert hash(x) == hash(y)


@given(TERMS, TERMS, COEFFICIENT, BASES)
def test_arithmetic_is_that_of_a_rational_vector_space(
    a: Terms, b: Terms, c: Fraction, base: int | None
) -> None:
    x, y = Log(a, base), Log(b, base)
    assert x + y == y + x
    assert c * (x + y) == c * x + c * y
    assert x - x == 0 and not x - x
    assert x + y - y == x
    if c:
        assert x / c * c == x


@given(TERMS)
def test_the_float_is_the_nearest_one(terms: Terms) -> None:
    context = Context(prec=80)
    value = Decimal(0)
    for q, c in terms:
        for n, sign in ((q.numerator, 1), (q.denominator, -1)):
            part = context.multiply(context.ln(Decimal(n)), Decimal(sign * c.numerator))
            value = context.add(value, context.divide(part, Decimal(c.denominator)))
    if sign_by_powers(terms):
        assert float(Log(terms)) == float(value)
    else:
        assert float(Log(terms)) == 0


@pytest.mark.parametrize(
    ("terms", "equal"),
    [
        ([(4, F(1, 2)), (2, -1)], True),
        ([(6, 1), (10, 1), (15, 1), (30, -2)], True),
        ([(12, 1), (18, 1), (6, -3)], True),
        ([(12, 1), (18, 1), (5, -3)], False),
        # 3^665 is within 1 % of 2^1054, and convergents of log2(3) come far closer than floats see.
        ([(3, 10590737), (2, -16785921)], False),
        ([(3, 6586818670), (2, -10439860591)], False),
    ],
)
def test_zero_is_told_from_nearly_zero(terms: list[tuple[int, Fraction]], equal: bool) -> None:
    assert (Log(terms) == 0) is equal
    assert (Log(terms).sign() == 0) is equal


def test_entropies_of_twenty_thousand_rows_compare_in_an_instant() -> None:
    n = 20_000
    left = Log([(n, n), (9_999, -9_999), (10_001, -10_001)], base=2)
    right = Log([(n, n), (10_000, -20_000)], base=2)
    assert right == n and left < right
    assert left == Log([(n, n), (10_001, -10_001), (99, -9_999), (101, -9_999)], base=2)


def test_numbers_of_thousands_of_digits_are_compared() -> None:
    big = 3**2_000
    assert Log([(big, 1), (3, -2_000)]) == 0
    assert Log([(big + 1, 1), (3, -2_000)]) > 0
    assert Log([(F(1, big), 1)]) < 0


def test_coefficients_beyond_floats_are_compared() -> None:
    huge = 10**400
    assert Log([(3, huge), (2, -huge)]) > 0
    assert Log([(3, F(1, huge)), (2, F(-1, huge))]) > 0
    assert Log([(9, huge), (3, -2 * huge)]) == 0


def test_values_to_base_two_stand_beside_rationals() -> None:
    three_bits = Log([(8, 1)], base=2)
    assert three_bits == 3 and hash(three_bits) == hash(3) and three_bits.rational() == 3
    assert three_bits + F(1, 2) == F(7, 2) and 1 - three_bits == -2
    assert Log([(3, 1)], base=2) > F(3, 2) and Log([(3, 1)], base=2) < 1.6
    assert sum([three_bits, three_bits]) == 6


def test_natural_logarithms_meet_no_rational_but_zero() -> None:
    ln_2 = Log([(2, 1)])
    assert F(693147, 10**6) < ln_2 < F(693148, 10**6)
    assert ln_2 != math.log(2) and float(ln_2) == math.log(2)
    assert sum([ln_2, ln_2]) == Log([(4, 1)])
    with pytest.raises(TypeError):
        ln_2 + 1


def test_infinities_stand_at_the_ends_and_nan_nowhere() -> None:
    value = Log([(2, 1)])
    assert value < math.inf and value > -math.inf
    nan = math.inf - math.inf
    assert value != nan
    with pytest.raises(TypeError):
        operator.lt(value, nan)


def test_two_bases_do_not_mix() -> None:
    with pytest.raises(MixedArithmeticError):
        Log([(2, 1)]) + Log([(2, 1)], base=2)
    assert Log([(2, 1)]) != Log([(2, 1)], base=2)
    assert Log() == Log((), base=2)


def test_floats_and_bad_terms_are_refused() -> None:
    with pytest.raises(ParameterError, match="expected a positive number"):
        Log([(0, 1)])
    with pytest.raises(ParameterError, match="Fraction"):
        Log([(0.5, 1)])  # type: ignore[list-item]  # the point
    with pytest.raises(ParameterError, match="base"):
        Log([(3, 1)], base=10)
    with pytest.raises(TypeError):
        Log([(3, 1)]) * 0.5  # type: ignore[operator]  # the point


@given(TERMS, BASES)
def test_the_repr_reads_back_and_pickles_are_equal(terms: Terms, base: int | None) -> None:
    value = Log(terms, base)
    assert eval(repr(value), {"Log": Log, "Fraction": F}) == value
    assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value


@pytest.mark.parametrize(
    ("terms", "base", "text"),
    [
        ([], 2, "0"),
        ([(3, 1)], None, "ln(3)"),
        ([(F(1, 3), 1), (4, 1)], 2, "2 - log2(3)"),
        ([(12, F(-1, 2))], None, "-ln(2) - 1/2·ln(3)"),
        ([(F(1, 2), 1)], 2, "-1"),
    ],
)
def test_the_text_is_over_primes(terms: Terms, base: int | None, text: str) -> None:
    assert str(Log(terms, base)) == text


def test_terms_stand_in_the_order_of_their_numbers() -> None:
    value = Log([(3, 1), (2, Fraction(1, 2)), (5, -1)])
    assert value.terms == ((2, Fraction(1, 2)), (3, Fraction(1)), (5, Fraction(-1)))


def test_what_is_shown_is_factored_below_a_million() -> None:
    assert repr(Log([(77, 1)])) == "Log([(7, Fraction(1, 1)), (11, Fraction(1, 1))], base=None)"
    assert str(Log([(999_999, 1)])) == "3·ln(3) + ln(7) + ln(11) + ln(13) + ln(37)"
    assert str(Log([(10**6 + 2, 1)])) == "ln(1000002)"


def test_a_rational_sum_half_way_between_two_floats_goes_to_the_even_one() -> None:
    for steps, nearest in ((1, 1.0), (3, 1 + 2.0**-51)):
        value = Log([(2, 1 + Fraction(steps, 2**53))], base=2)
        assert float(value) == nearest and value == 1 + Fraction(steps, 2**53)


def test_sums_beyond_the_range_of_floats_are_compared_by_their_digits() -> None:
    n = 10**308
    over = Log([(3, n), (5, n), (14, -n)])  # 10^308 ln(15/14), of terms whose sizes add up to more
    assert over.bounds() == (-math.inf, math.inf)
    assert over.sign() == 1 and (-over).sign() == -1 and abs(-over) == over == +over
    assert over > 10**306 and over < 10**307


def test_what_is_no_number_has_no_quotient_product_or_order_with_a_logarithm() -> None:
    value: Any = Log([(3, 1)])
    with pytest.raises(TypeError):
        value / 0.5
    with pytest.raises(TypeError):
        value * "2"
    with pytest.raises(TypeError):
        assert value < "2"
    assert value != "2" and value / 2 + value / 2 == value
