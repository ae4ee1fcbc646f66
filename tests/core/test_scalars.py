"""Numbers in, the same numbers out: lifting, writing, and the decision about arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.parameters import parameter
from refmc.core.scalars import (
    MAX_DIGITS,
    MAX_NESTING,
    Number,
    as_float,
    exact,
    exact_number,
    exact_parameter,
    is_exact,
    is_nan,
    number_text,
    shown,
    whole_number,
)
from refmc.errors import DataError, MixedArithmeticError, ParameterError
from tests.support import Array

FINITE = st.floats(allow_nan=False, allow_infinity=False)


class Endless:
    def tolist(self) -> object:
        return self


class LoudFloat(float):
    """A float that writes itself otherwise, as numpy.float64 does."""

    def __repr__(self) -> str:
        return f"loud({float.__repr__(self)})"


@given(st.fractions())
def test_exact_reads_back_what_number_text_writes(q: Fraction) -> None:
    assert exact(number_text(q)) == q


@pytest.mark.parametrize("digits", [4299, 4300, 4301, 10_000])
def test_numbers_beyond_the_int_to_str_limit_survive_the_round_trip(digits: int) -> None:
    q = Fraction(-(10**digits) - 7, 3**digits)
    text = number_text(q)
    assert len(text) > digits
    assert exact(text) == q
    assert exact("9" * digits) == 10**digits - 1


@given(FINITE)
def test_floats_lift_to_the_binary_fraction_that_they_are(x: float) -> None:
    numerator, denominator = x.as_integer_ratio()
    assert exact(x) == Fraction(numerator, denominator)
    assert exact(x.hex()) == exact(x)
    assert float(number_text(x)) == x


@given(st.integers(), st.integers(0, 30), st.integers(-30, 30))
def test_decimal_text_means_its_decimal_value(digits: int, places: int, exponent: int) -> None:
    text = str(abs(digits)).rjust(places + 1, "0")
    cut = len(text) - places
    written = f"{'-' if digits < 0 else ''}{text[:cut]}.{text[cut:]}e{exponent}"
    expected = Fraction(digits, 10**places) * Fraction(10) ** exponent
    assert exact(written) == expected
    assert exact(Decimal(written)) == expected


def test_the_forms_of_numbers() -> None:
    forms: dict[Number, Fraction] = {
        "0.1": Fraction(1, 10),
        0.1: Fraction(0.1),
        " -2 ": Fraction(-2),
        "+6/4": Fraction(3, 2),
        "-6/4": Fraction(-3, 2),
        ".5": Fraction(1, 2),
        "5.": Fraction(5),
        "1E3": Fraction(1000),
        "1e-000000000000003": Fraction(1, 1000),
        "0x1.8p-3": Fraction(3, 16),
        "-0X.8": Fraction(-1, 2),
        "0x0p9": Fraction(0),
        Decimal("0.25"): Fraction(1, 4),
    }
    assert {form: exact(form) for form in forms} == forms
    assert exact(True) == 1


def test_nesting_and_kind_of_sequence_are_kept() -> None:
    assert exact([[0.5, "1/3"], (1, Fraction(2))]) == [
        [Fraction(1, 2), Fraction(1, 3)],
        (Fraction(1), Fraction(2)),
    ]
    assert exact([]) == [] and exact(()) == ()


def test_arrays_and_iterators_are_read_as_lists() -> None:
    half = Fraction(1, 2)
    assert exact(Array([[0.5], [Array(0.5)]])) == [[half], [half]]
    numbers: Iterator[float] = iter([0.5, 0.5])
    assert exact(numbers) == [half, half]
    assert exact(range(2)) == [Fraction(0), Fraction(1)]


@pytest.mark.parametrize(
    "bad",
    [
        *("", " ", ".", "e5", "1_0", "nan", "inf", "-Infinity", "1/2/3", "1/-2", "3/0", "٣", "1 2"),
        *("0x", "0x.", "0xg", "1e", "--1", "0x1p9999", "0x1p-9999", "0x1/2"),
        *(math.nan, math.inf, -math.inf, Decimal("nan"), Decimal("sNaN"), Decimal("-inf")),
        *(None, 1j, b"12", bytearray(b"1"), {1: 2}, {1}, object(), Endless()),
    ],
)
def test_what_is_no_number_is_refused(bad: object) -> None:
    with pytest.raises(ParameterError):
        exact(bad)
    with pytest.raises(ParameterError, match="^position 1: position 0: "):
        exact([[1], [bad]])


@pytest.mark.parametrize(
    "text", ["0x1.00000000000008p0", "0x0.00000000000008p-1022", "0x1p-1075", "0x20000000000001"]
)
def test_a_hexadecimal_that_would_be_rounded_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="no binary64|not a binary64"):
        exact(text)


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("exponent", [str(MAX_DIGITS + 1), "999999999", "9" * 5000])
def test_huge_exponents_are_refused_unexpanded(sign: str, exponent: str) -> None:
    with pytest.raises(ParameterError, match=f"more than {MAX_DIGITS} digits"):
        exact(f"1e{sign}{exponent}")
    if len(exponent) < 10:
        with pytest.raises(ParameterError, match="digits"):
            exact(Decimal(f"1e{sign}{exponent}"))


def test_the_largest_legal_exponents_are_read() -> None:
    assert exact(f"1e{MAX_DIGITS}") == 10**MAX_DIGITS
    assert exact(Decimal(f"1e-{MAX_DIGITS}")) == Fraction(1, 10**MAX_DIGITS)


@pytest.mark.parametrize("text", ["1" * 200_000 + "x", "0x" + "1" * 200_000 + "z"])
def test_long_text_that_is_no_number_is_refused_in_linear_time(text: str) -> None:
    with pytest.raises(ParameterError) as refusal:
        exact(text)
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize(
    "number",
    ["9" * 10**6, "1/" + "3" * 10**6, "0." + "1" * 10**6, Decimal("9" * 10**4 + "." + "9" * 10**5)],
)
def test_a_number_of_too_many_digits_is_refused_before_it_is_computed(number: str) -> None:
    with pytest.raises(ParameterError, match="a number of more than 20000 digits"):
        exact(number)
    with pytest.raises(ParameterError, match="a number of more than 20000 digits"):
        exact([10 ** (MAX_DIGITS + 1)])
    assert exact(["9" * MAX_DIGITS]) == [10**MAX_DIGITS - 1]


@given(FINITE)
def test_a_float_parameter_is_the_decimal_that_it_prints(x: float) -> None:
    assert exact_parameter(x, "C") == exact(repr(x))
    assert exact_number(x, "C") == exact(x)


def test_deep_nesting_is_refused_without_a_recursion_error() -> None:
    deep: object = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ParameterError, match=f"nested more than {MAX_NESTING} deep"):
        exact(deep)


def test_nesting_up_to_the_limit_is_read() -> None:
    value: object = 1
    for _ in range(MAX_NESTING):
        value = [value]
    lifted: object = exact(value)
    for _ in range(MAX_NESTING):
        assert isinstance(lifted, list)
        (lifted,) = lifted
    assert lifted == Fraction(1)
    with pytest.raises(ParameterError, match="nested"):
        exact([value])


def test_floats_of_other_types_are_written_as_plain_floats() -> None:
    assert number_text(LoudFloat(0.1)) == "0.1"
    with pytest.raises(MixedArithmeticError, match="C='0.5'"):
        parameter(LoudFloat(0.5), "C", Fraction(0))


def test_messages_show_long_values_cut() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (10**5000, Fraction(1, 10**5000), "x" * 9999, [10**5000], deep, list(range(999))):
        assert 0 < len(shown(value)) < 100
    assert shown(Fraction(3, 7)) == "3/7" and shown(True) == "True"


def test_arithmetic_is_exact_only_where_a_fraction_stands() -> None:
    def decide(*values: object) -> bool:
        return is_exact(("here", value) for value in values)

    assert decide(Fraction(1)) and decide(1, Fraction(1, 2), True)
    assert not decide() and not decide(1, 2) and not decide(1, 0.5)


@pytest.mark.parametrize("order", [1, -1])
def test_a_fraction_beside_a_float_is_refused_with_both_places(order: int) -> None:
    pairs: list[tuple[str, object]] = [("one", Fraction(1)), ("int", 1), ("two", 0.5)]
    with pytest.raises(MixedArithmeticError, match=r"\(one\).*\(two\)"):
        is_exact(pairs[::order])


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, "1", Decimal(1), None, [1], 1j])
def test_data_that_are_no_finite_numbers_are_refused_by_place(bad: object) -> None:
    with pytest.raises(DataError, match="^row 3: "):
        is_exact([("row 2", 1.0), ("row 3", bad)])


@pytest.mark.parametrize("value", [3, "3", "6/2", "3.0", Decimal(3)])
def test_ints_text_and_decimals_follow_either_arithmetic(value: Number) -> None:
    as_exact, as_rounded = parameter(value, "C", Fraction(0)), parameter(value, "C", 0.0)
    assert type(as_exact) is Fraction and type(as_rounded) is float
    assert as_exact == as_rounded == 3


def test_parameters_of_the_other_arithmetic_are_refused() -> None:
    with pytest.raises(MixedArithmeticError, match="C=0.5 is a float"):
        parameter(0.5, "C", Fraction(0))
    with pytest.raises(MixedArithmeticError, match="C=1/2 is a Fraction"):
        parameter(Fraction(1, 2), "C", 0.0)
    assert parameter(Fraction(1, 2), "C", Fraction(0)) == parameter(0.5, "C", 0.0)


@pytest.mark.parametrize("bad", ["x", "nan", math.nan, [1], [[]], None, Endless(), "1e999"])
def test_parameters_that_are_no_single_number_are_refused_by_name(bad: object) -> None:
    with pytest.raises(ParameterError, match="^C[:=]"):
        parameter(cast(float, bad), "C", 0.0)


def test_text_parameters_round_once_to_the_nearest_float() -> None:
    assert parameter("0.1", "C", 0.0) == 0.1
    assert parameter("1/3", "C", 0.0) == 1 / 3


class Index:
    """An int of another library, as numpy.int64 is."""

    def __index__(self) -> int:
        return 3


def test_whole_numbers_of_any_library_become_ints() -> None:
    found = whole_number(cast(int, Index()), "degree", 1)
    assert type(found) is int and found == 3


@pytest.mark.parametrize("bad", [0, -1, 1.0, "1", True, None, Fraction(1)])
def test_what_is_no_whole_number_of_at_least_the_least_is_refused(bad: object) -> None:
    with pytest.raises(ParameterError, match="^degree: expected a whole number of at least 1"):
        whole_number(cast(int, bad), "degree", 1)


def test_refusing_a_long_whole_number_does_not_trip_over_its_digits() -> None:
    with pytest.raises(ParameterError, match="^degree: "):
        whole_number(-(10**5000), "degree", 1)


def test_nan_is_known_in_every_type() -> None:
    assert all(map(is_nan, [math.nan, Decimal("nan"), complex(math.nan)]))
    assert not any(map(is_nan, [0.0, math.inf, Fraction(1), "nan", None, ()]))


def test_whole_numbers_beyond_floats_are_refused_as_floats() -> None:
    assert as_float(2**1000, "X") == 2.0**1000
    with pytest.raises(DataError, match="^X: "):
        as_float(2**1024, "X")


def test_what_cannot_be_compared_with_itself_counts_as_missing() -> None:
    class NotAvailable:
        def __ne__(self, other: object) -> bool:
            raise TypeError("boolean value of NA is ambiguous")

    assert is_nan(NotAvailable()) and not is_nan("nan") and not is_nan(None)
