"""Sums of logarithms against integer powers, which decide small cases by themselves."""

from decimal import Context, Decimal
from fractions import Fraction as F
from math import floor, prod

from hypothesis import given
from hypothesis import strategies as st

from refmc.checker.numbers.logarithms import (
    LogSum,
    coprime_base,
    floor_log2,
    log2,
    six_digits,
    weighted_logs,
)

terms = st.lists(st.tuples(st.integers(-8, 8), st.integers(1, 40)), max_size=6)


def power_product(pairs: list[tuple[int, int]]) -> F:
    return prod((F(n) ** c for c, n in pairs), start=F(1))


@given(terms)
def test_the_sign_is_that_of_the_product_of_powers_against_1(pairs: list[tuple[int, int]]) -> None:
    product = power_product(pairs)
    assert weighted_logs(pairs).sign() == (product > 1) - (product < 1)


@given(terms, st.integers(-3, 3))
def test_a_rational_part_counts_as_powers_of_2(pairs: list[tuple[int, int]], whole: int) -> None:
    product = power_product(pairs) * F(2) ** whole
    assert (weighted_logs(pairs) + LogSum(whole)).sign() == (product > 1) - (product < 1)


@given(terms, terms)
def test_order_and_equality_go_by_value(
    one: list[tuple[int, int]], other: list[tuple[int, int]]
) -> None:
    a, b = weighted_logs(one), weighted_logs(other)
    p, q = power_product(one), power_product(other)
    assert (a < b, a == b, a <= b) == (p < q, p == q, p <= q)


def test_a_tiny_rational_number_is_left_where_all_logarithms_cancel() -> None:
    nothing = log2(9) - log2(3) * 2
    for sign in (1, -1):
        assert (nothing + LogSum(F(sign, 2**300))).sign() == sign
    assert nothing.sign() == 0


def test_equal_numbers_over_different_bases_are_found_equal() -> None:
    assert log2(15) == log2(3) + log2(5)
    assert log2(3**200 * 7) == log2(3) * 200 + log2(7)
    assert (log2(6) - log2(3)) == LogSum(1)
    assert weighted_logs([(2, 15), (-1, 9), (-1, 25)]).sign() == 0


def test_numbers_that_differ_by_less_than_any_fixed_precision_are_told_apart() -> None:
    big = 10**400
    assert log2(big + 1) > log2(big)
    assert (log2(big + 1) + log2(big - 1)) < log2(big) * 2
    assert log2(3) * F(1, 10**50) > LogSum()


def test_a_logarithm_is_never_rational_but_for_powers_of_2() -> None:
    low, high = log2(3).enclosure(200)
    assert LogSum(low) < log2(3) < LogSum(high)
    assert (log2(3) - LogSum(low)).sign() == 1


@given(st.integers(1, 10**40), st.integers(1, 12))
def test_the_floor_of_a_logarithm_is_short_by_less_than_2(n: int, bits: int) -> None:
    floor = floor_log2(n, bits)
    power = n ** (1 << bits)
    assert 1 << floor <= power < 1 << floor + 2


@given(st.lists(st.integers(1, 300), max_size=5))
def test_a_coprime_base_divides_every_number_up(numbers: list[int]) -> None:
    base = coprime_base(numbers)
    for n in numbers:
        for p in base:
            while n % p == 0:
                n //= p
        assert n == 1


def test_texts_are_exact_where_short_and_six_digits_where_long() -> None:
    assert LogSum(F(-3, 4)).text() == "-3/4"
    assert LogSum().text() == "0"
    assert (log2(3) * -1 + LogSum(2)).text() == "2 - log2 3 (about 0.415037)"
    assert (log2(45) - LogSum(5)).text() == "-5 + 2 log2 3 + log2 5 (about 0.491853)"
    assert (log2(9) - log2(3) * 2).text() == "0"
    long = weighted_logs([(n + 2, p) for n, p in enumerate((3, 5, 7, 11, 13, 17, 19, 23))])
    assert long.text().startswith("about ")
    assert LogSum(F(1, 3**90)).text().startswith("about 1.14")
    assert LogSum(F(1, 1234567890)).text() == "1/1234567890"
    assert LogSum(F(10**19)).text() == "10000000000000000000 (about 1.00000e19)"
    assert LogSum(F(10**20)).text() == "about 1.00000e20"
    assert LogSum(F(1, 10**10 + 1)).text() == "1/10000000001 (about 1e-10)"


def test_zeros_at_the_end_are_left_out_below_a_million() -> None:
    more = F(1, 10**9)
    found = [six_digits(n + more) for n in (F(201, 2), 999_999, 10**6, F(1_234_561, 1000))]
    assert found == ["100.5", "999999", "1.00000e6", "1234.56"]


def test_what_nearly_cancels_is_found_to_nine_digits() -> None:
    # log2 3 and its first binary digits, and as a decimal with enough of them
    wide = Context(prec=90)
    exact = F(wide.divide(wide.ln(Decimal(3)), wide.ln(Decimal(2))))
    for bits in (85, 120):  # of 96 the first enclosure leaves few, or none
        digits = F(floor(exact * 2**bits), 2**bits)
        assert abs((log2(3) - LogSum(digits)).near() / (exact - digits) - 1) < F(1, 10**9)


def test_no_sum_equals_what_is_no_number() -> None:
    assert not any(log2(4) == other for other in (None, "2", [2]))


def test_a_sum_is_0_only_if_no_factor_of_its_bases_is_left() -> None:
    # of log2 of (n + 2)/n the first enclosure can't tell the sign; the factor 3 cancels, n doesn't
    n = 2**160 + 1
    assert (log2(3 * (n + 2)) - log2(3 * n)).sign() == 1
    assert (log2(3 * n) - log2(3 * (n + 2))).sign() == -1
