"""Sums of exponential and of logistic losses, against products multiplied out and many digits."""

from collections import Counter
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.checker.numbers import exponential_sums
from refmc.checker.numbers.exponential_sums import compare

HUNDRED = Context(prec=100)
halves = st.integers(-6, 6).map(lambda n: F(n, 2))


@st.composite
def two_sides(draw: Any) -> tuple[list[F], list[F]]:
    n = draw(st.integers(0, 5))
    left = draw(st.lists(halves, min_size=n, max_size=n))
    flipped = draw(st.lists(st.sampled_from([1, 1, -1]), min_size=n, max_size=n))
    mirrored = [z * s for z, s in zip(left, flipped, strict=True)]
    other = draw(st.sampled_from([mirrored, draw(st.lists(halves, min_size=n, max_size=n))]))
    return left, draw(st.permutations(other))


def multiplied_out(loss: str, margins: Sequence[F]) -> Counter[F]:
    """The sum, or for logistic losses its exponential, as coefficients of powers of e."""
    if loss == "exponential":
        return Counter(-z for z in margins)
    terms = Counter({F(0): 1})
    for z in margins:
        product: Counter[F] = Counter()
        for a, c in terms.items():
            product[a] += c
            product[a - z] += c
        terms = product
    return terms


def many_digits(terms: Counter[F]) -> Decimal:
    total = Decimal(0)
    for a, c in terms.items():
        power = HUNDRED.exp(HUNDRED.divide(Decimal(a.numerator), Decimal(a.denominator)))
        total = HUNDRED.add(total, HUNDRED.multiply(power, Decimal(c)))
    return total


@given(st.sampled_from(["exponential", "logistic"]), two_sides())
def test_the_order_is_that_of_the_sums_multiplied_out(
    loss: Any, sides: tuple[list[F], list[F]]
) -> None:
    left, right = (multiplied_out(loss, side) for side in sides)
    apart = many_digits(left) - many_digits(right)
    expected = 0 if left == right else (apart > 0) - (apart < 0)
    assert (expected == 0) == (left == right)
    assert compare(loss, sides[0], sides[1]) == expected
    assert compare(loss, sides[1], sides[0]) == -expected
    if sides[0]:  # a share of both sums decides unless they differ by just that
        sums = [many_digits(side) for side in (left, right)]
        if loss == "logistic":
            sums = [HUNDRED.ln(value) for value in sums]
        apart = HUNDRED.subtract(99 * sums[0], 101 * sums[1])
        found = compare(loss, sides[0], sides[1], F(1, 100))
        assert found == (apart > 0) - (apart < 0)


def test_equal_sums_are_those_of_the_same_margins() -> None:
    assert compare("exponential", [F(1), F(2), F(2)], [F(2), F(1), F(2)]) == 0
    assert compare("exponential", [], []) == compare("logistic", [], []) == 0
    # ln(1 + e^-1) + ln(1 + e^1) on both sides, but with different signs of the zeros' partners
    assert compare("logistic", [F(1), F(-1), F(0)], [F(-1), F(0), F(1)]) == 0
    assert compare("logistic", [F(1), F(1)], [F(-1), F(3)]) == -1


def test_logistic_sums_of_equal_sizes_differ_by_their_rational_part() -> None:
    # the difference is exactly the sum of max(0, -z): 3 on the left, 1 + 2 on the right
    assert compare("logistic", [F(-3), F(1), F(2)], [F(3), F(-1), F(-2)]) == 0
    assert compare("logistic", [F(-3), F(1), F(1)], [F(3), F(-1), F(-1)]) == 1


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_margins_that_are_nowhere_above_decide_however_close_or_large(loss: Any) -> None:
    close, large = F(1, 10**9000), F(10) ** 400
    assert compare(loss, [F(1)], [1 + close]) == 1
    assert compare(loss, [large, F(0)], [F(0), large + 1]) == 1
    assert compare(loss, [F(1), -large], [1 - close, -large]) == -1


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("shift", [F(0), F(100), F(10) ** 6])
def test_the_mean_of_margins_has_the_smaller_sum_wherever_it_lies(loss: Any, shift: F) -> None:
    for gap in (F(1), F(1, 10**20), F(10) ** 5):
        spread, level = [shift, shift + 2 * gap], [shift + gap, shift + gap]
        assert compare(loss, spread, level) == 1
        assert compare(loss, level, spread) == -1


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_what_too_many_digits_hide_is_left_open(loss: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # the sums differ by the square of these numbers: by 2⁻⁴⁰⁰ and by 2⁻²⁰⁰
    monkeypatch.setattr(exponential_sums, "MOST_BITS", 256)
    small, less_small = F(1, 2**200), F(1, 2**100)
    assert compare(loss, [F(0), 2 * small], [small, small]) is None
    assert compare(loss, [F(0), 2 * less_small], [less_small, less_small]) == 1


def test_logistic_losses_too_small_to_add_up_are_told_apart_in_both_orders() -> None:
    # exp(−5000)(1 + e⁻²) > exp(−5000) · 2e⁻¹, as exp is convex
    apart, together = [F(5000), F(5002)], [F(5001), F(5001)]
    assert compare("logistic", apart, together) == 1
    assert compare("logistic", together, apart) == -1


def test_a_tiny_logistic_loss_is_enclosed_by_its_power_and_one_less() -> None:
    # x(1 − x) ≤ ln(1 + x) ≤ x for x = e^−64, divided by x
    [(found, times)] = exponential_sums._logarithms({F(64): F(3)}, F(0), 64)
    assert (found.low, found.high, times) == (1 - F(1, 2**64), F(1), F(3))


def test_small_and_large_logistic_losses_are_told_apart() -> None:
    # ln 2 is 0.69 and ln(1 + 1/e) is 0.31: ten of these are more than four of those, though ten
    # times 1/e is less than 4
    assert compare("logistic", [F(0)], [F(1)], F(3, 7)) == -1
    # beside another number the losses of large margins are what they are, not divided
    [(term, _)] = exponential_sums._logarithms({F(200): F(1)}, F(1), 64)
    assert term.high < F(1, 2**64)
