"""Signs of exponential and logistic sums, against floats far apart and identities that tie."""

import math
from decimal import Context
from fractions import Fraction as F

from hypothesis import given
from hypothesis import strategies as st

from refmc.learn.reductions.exponentials import compare_exponential_sums, compare_logistic_sums

halves = st.integers(-6, 6).map(lambda n: F(n, 2))
few = st.lists(halves, max_size=4)


def sign(value: float) -> int:
    return (value > 0) - (value < 0)


@given(few, few)
def test_exponential_sums_are_ordered_as_floats_that_differ(a: list[F], b: list[F]) -> None:
    found = compare_exponential_sums(a, b)
    difference = math.fsum([*map(math.exp, a), *(-math.exp(v) for v in b)])
    assert found == (sign(difference) if abs(difference) > 1e-9 else found)
    assert (found == 0) == (sorted(a) == sorted(b))
    assert compare_exponential_sums(b, a) == -found


@given(few, few)
def test_logistic_sums_are_ordered_as_floats_that_differ(a: list[F], b: list[F]) -> None:
    def loss(z: F) -> float:
        return math.log1p(math.exp(-z))

    found = compare_logistic_sums(a, b)
    difference = math.fsum([*map(loss, a), *(-loss(v) for v in b)])
    assert abs(difference) < 1e-9 or found == sign(difference)
    assert found != 0 or abs(difference) < 1e-9
    assert compare_logistic_sums(b, a) == -found


def test_logistic_sums_of_different_numbers_can_be_equal() -> None:
    # ln(1 + e^z) - ln(1 + e^-z) = z: what one margin gains another loses
    a, b = [F(1), F(2), F(-3)], [F(-1), F(-2), F(3)]
    assert compare_logistic_sums(a, b) == 0
    assert compare_logistic_sums([*a, F(1)], [*b, F(1)]) == 0
    assert compare_logistic_sums([*a, F(1)], [*b, F(-1)]) == -1


def test_sums_that_floats_cannot_tell_apart_have_an_order() -> None:
    tiny = F(1, 10**60)
    assert compare_exponential_sums([1 + tiny], [F(1)]) == 1
    assert compare_exponential_sums([tiny, -tiny], [F(0), F(0)]) == 1  # cosh > 1
    assert compare_logistic_sums([1 + tiny], [F(1)]) == -1
    assert compare_logistic_sums([tiny, -tiny], [F(0), F(0)]) == 1  # convex
    for compare in (compare_exponential_sums, compare_logistic_sums):
        assert compare([F(0), F(0)], [tiny, -tiny]) == -1  # so the bounds are on their own sides
    assert compare_logistic_sums([F(-1)], [F(0), F(0)]) == -1  # 1 + ln(1 + 1/e) < 2 ln 2
    assert compare_logistic_sums([F(-(10**6))], [F(-(10**6)), F(10**6)]) == -1


def test_a_sum_near_0_has_the_sign_of_the_digits_that_tell_it() -> None:
    many, step = Context(prec=90), F(1, 10**66)
    e = many.exp(-1)
    # ln(1 + e^-a) against ln(1 + e^z) - ln(1 + e^-z) = z, which differ after 66 digits
    for a, value in ((F(0), many.ln(2)), (F(1), many.ln(many.add(1, e)))):
        for z, sign_of_difference in ((F(value) + step, -1), (F(value) - step, 1)):
            assert compare_logistic_sums([a, z], [-z]) == sign_of_difference
    # (1 + 1/e) / (1 + 1/e^2) = 1 + e^-r
    ratio = many.divide(many.add(1, e), many.add(1, many.multiply(e, e)))
    r = -F(many.ln(many.subtract(ratio, 1)))
    assert compare_logistic_sums([F(1)], [F(2), r + step]) == 1
    assert compare_logistic_sums([F(1)], [F(2), r - step]) == -1


def test_numbers_beyond_every_float_are_compared_at_once() -> None:
    huge = F(10) ** 300
    assert compare_exponential_sums([huge, -huge], [huge, huge]) == -1
    assert compare_exponential_sums([huge, F(1)], [huge, F(2)]) == -1
    assert compare_exponential_sums([huge + 1], [huge]) == 1
    assert compare_logistic_sums([huge], [huge + 1]) == 1
    assert compare_logistic_sums([huge, F(0)], [F(0), 2 * huge]) == 1
    assert compare_logistic_sums([F(-10) ** 301], [huge]) == 1
    assert compare_logistic_sums([F(50), F(0)], [F(100), F(0)]) == 1
    assert compare_logistic_sums([F(50)], [F(70)] * 10) == 1  # e^-50 is far above 10 e^-70


def test_nothing_compares_equal_to_nothing_and_less_than_something() -> None:
    for compare in (compare_exponential_sums, compare_logistic_sums):
        assert compare([], []) == 0
        assert compare([], [F(0)]) == -1
