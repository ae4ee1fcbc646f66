"""The scalar type S, exact lifting, and the one place that decides float or exact.

Numbers in, the same numbers out. Data that are all Fractions (whole numbers welcome beside
them) are computed exactly; other data are computed in float. All-int data are float. A Fraction
beside a float is refused. Booleans are the whole numbers 0 and 1.
"""

from __future__ import annotations

import math
import operator
import re
import reprlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, Protocol, TypeVar, cast, overload

from refmc.errors import DataError, ExactnessLimitError, MixedArithmeticError, ParameterError

S = TypeVar("S", float, Fraction)

MAX_DIGITS = 20_000
"""The most decimal digits of a whole number, a numerator or a denominator, read or computed."""

MAX_BITS = math.ceil(MAX_DIGITS * math.log2(10))
"""The same in binary digits, which can be counted without writing the number out."""

_SHORT = 100  # a text of so many characters at most is kept with its number
MAX_NESTING = 32
"""How deep `exact` follows nested sequences."""

Number = int | float | Fraction | Decimal | str


class Array(Protocol):
    """NumPy arrays, pandas columns and their kind: whatever turns itself into lists."""

    def tolist(self) -> object: ...


class Frame(Protocol):
    """Data frames of pandas, polars and their kind: rows with names of columns."""

    @property
    def columns(self) -> Any: ...

    def to_numpy(self) -> Any: ...


ArrayLike = Array | Frame


Exact = Fraction | list["Exact"] | tuple["Exact", ...]
"""What `exact` makes of nested sequences."""


@cache
def number_pattern() -> re.Pattern[str]:
    """How numbers are written. Compiling it takes as long as reading hundreds of them."""
    # No two neighbouring parts match the same characters: a failing match takes linear time.
    return re.compile(
        r"[+-]?(?:(?P<above>\d+)/(?P<below>\d+)"
        r"|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE](?P<exponent>[+-]?\d+))?"
        r"|0[xX](?P<whole>[0-9a-fA-F]*)(?:\.(?P<part>[0-9a-fA-F]*))?(?:[pP][+-]?\d+)?)",
        re.ASCII,
    )


# str is itself a sequence of str, so the overloads overlap; a str always takes the first.
@overload
def exact(value: Number) -> Fraction: ...  # type: ignore[overload-overlap]  # see above
@overload
def exact(value: Sequence[Number]) -> Sequence[Fraction]: ...  # type: ignore[overload-overlap]
@overload
def exact(  # type: ignore[overload-overlap]  # see above
    value: Sequence[Sequence[Number]],
) -> Sequence[Sequence[Fraction]]: ...
@overload
def exact(value: object) -> Exact: ...
def exact(value: object) -> object:
    """The Fraction that `value` denotes; nested sequences keep their nesting.

    Takes whole numbers, floats (the binary fraction that they are), Decimals, strings ("3/7",
    "-2", "0.1" as the decimal, "0x1.8p-3" as the binary64), sequences and iterators of these, and
    anything with `tolist()`. A data frame is its rows. Tuples become tuples, the rest lists.
    Raises `ParameterError` for NaN, infinity, unknown text, a hexadecimal that is no binary64,
    more than `MAX_DIGITS` digits, those of 10^exponent included, nesting beyond `MAX_NESTING`;
    it names the position. Cost: quadratic in the digits of one number.

    >>> exact("0.1"), exact([0.5, "1/3"])
    (Fraction(1, 10), [Fraction(1, 2), Fraction(1, 3)])
    """
    return _exact(value, 0)


def _exact(value: object, depth: int) -> Exact:
    if isinstance(value, str):
        return _parse(value) if len(value) > _SHORT else _parse_again(value)
    if isinstance(value, Fraction):
        return value
    if isinstance(value, (int, float, Decimal)):
        return _from_number(value)
    inner = plain(value)
    if inner is not value and not hasattr(inner, "tolist"):
        return _exact(inner, depth)
    if (
        isinstance(value, (bytes, bytearray, Mapping, AbstractSet))
        or hasattr(value, "toarray")
        or not isinstance(value, Iterable)
    ):
        raise ParameterError(
            f"expected a number or nested sequences of numbers, got {type(value).__name__}"
            f"{if_sparse(value)}"
        )
    if depth == MAX_NESTING:
        raise ParameterError(f"nested more than {MAX_NESTING} deep")
    lifted: list[Exact] = []
    try:
        for entry in value:
            lifted.append(_exact(entry, depth + 1))
    except ParameterError as error:
        raise ParameterError(f"position {len(lifted)}: {error}") from None
    return tuple(lifted) if isinstance(value, tuple) else lifted


def _from_number(value: float | Decimal) -> Fraction:
    if isinstance(value, Decimal):
        if value.is_finite():
            _refuse_digits(abs(value.adjusted()))
            _refuse_digits(len(value.as_tuple().digits))
            return Fraction(value)
    elif isinstance(value, int):
        if value.bit_length() > MAX_BITS:
            _refuse_digits(value.bit_length())
        return Fraction(value)
    elif math.isfinite(value):
        return Fraction(value)
    raise ParameterError(f"expected a finite number, got {value!r}")


def _parse(text: str) -> Fraction:
    if len(text) > MAX_DIGITS:
        _refuse_digits(max(map(len, text.split("/"))))
    match = number_pattern().fullmatch(text.strip())
    if match is None:
        raise ParameterError(
            f"{shown(text)} is not a number: expected forms such as '3/7', '-2', '0.1', '0x1.8p-3'"
        )
    if match["whole"] is not None:
        return _from_hexadecimal(match[0], match["whole"] + (match["part"] or ""))
    if match["below"] is not None:
        # int() of a text refuses more than 4,300 digits, and Decimal doesn't.
        above, below = Decimal(match["above"]), Decimal(match["below"])
        if not below:
            raise ParameterError(f"{shown(text)} divides by zero")
        ratio = Fraction(int(above), int(below))
        return -ratio if match[0].startswith("-") else ratio
    if match["exponent"] is not None:
        _refuse_digits(Decimal(match["exponent"]).copy_abs())
    return Fraction(*Decimal(match[0]).as_integer_ratio())


# the states of a run, or the multipliers of an answer, hold the same few texts again and again
_parse_again = lru_cache(maxsize=1 << 12)(_parse)


def _from_hexadecimal(text: str, digits: str) -> Fraction:
    """The binary64 that `text` names; `digits` are those of its significand."""
    try:
        value = Fraction(float.fromhex(text))
    except (ValueError, OverflowError) as error:
        raise ParameterError(f"{shown(text)} is not a binary64 number: {error}") from None
    # Rounding would change the odd part of the significand.
    kept, given = (n // (n & -n) if n else 0 for n in (abs(value.numerator), int(digits, 16)))
    if kept != given:
        raise ParameterError(f"{shown(text)} is not a binary64 number: it has too many digits")
    return value


def _refuse_digits(count: int | Decimal) -> None:
    if count > MAX_DIGITS:
        raise ParameterError(f"a number of more than {MAX_DIGITS} digits; give one with fewer")


def check_digits(value: int | Fraction, place: str, mend: str) -> None:
    """Raise `ExactnessLimitError` for a number that has become longer than `MAX_DIGITS` digits.

    place: what has so many, with its verb; mend: what to do about it.
    """
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise ExactnessLimitError(f"{place} more than {MAX_DIGITS} digits; {mend}")


def number_text(value: float | Fraction) -> str:
    """The shortest text of a value, of any number of digits.

    Fractions and ints become "3/7" or "-2", which `exact` reads back as the same value. Floats
    become their shortest decimal, which `float` reads back; to `exact` it is that decimal.

    >>> number_text(Fraction(3, 7)), number_text(Fraction(-2)), number_text(0.1)
    ('3/7', '-2', '0.1')
    """
    if isinstance(value, float):
        return float.__repr__(value)
    above = format(Decimal(value.numerator), "f")  # str(int) refuses more than 4,300 digits
    if value.denominator == 1:
        return above
    return f"{above}/{format(Decimal(value.denominator), 'f')}"


def shown(value: object) -> str:
    """A short text of anything, for messages: long or deep values are cut.

    >>> shown([1, 2]), len(shown(10**5000)) < 50
    ('[1, 2]', True)
    """
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        text = number_text(value)
        return text if len(text) <= 40 else f"{text[:30]}…{text[-9:]}"
    try:
        return reprlib.repr(value)
    except (ValueError, RecursionError):  # a long int inside, or an endless __repr__
        return f"<{type(value).__name__}>"


def listed(values: Sequence[object]) -> str:
    """A short text of a vector of any length and digits, for messages.

    >>> listed([1.0, 0.5])
    '(1.0, 0.5)'
    """
    texts = [shown(value) for value in values[:6]]
    return f"({', '.join(texts)}{', …' if len(values) > 6 else ''})"


PLAIN_TYPES = frozenset({float, int, str, Fraction})
"""The types of nearly all numbers and labels, which are no arrays."""


def plain(value: object) -> object:
    """`value` with arrays and data frames turned into lists; everything else untouched.

    A data frame is the list of its rows; columns of whole numbers beside others keep their digits.
    """
    if type(value) in PLAIN_TYPES:
        return value
    if hasattr(value, "tolist"):
        return value.tolist()
    if not hasattr(value, "columns"):
        return value.to_numpy().tolist() if hasattr(value, "to_numpy") else value
    if not hasattr(value, "to_numpy"):
        return plain(value.values) if hasattr(value, "values") else value
    try:
        return plain(value.to_numpy(dtype=object))  # else pandas rounds whole numbers beside floats
    except TypeError:
        return plain(value.to_numpy())


def without_arrays(value: Any) -> Any:
    """A record or a list whose arrays and data frames, at any depth, are lists.

    >>> without_arrays({"w": (1, 2)})
    {'w': [1, 2]}
    """
    value = plain(value)
    if isinstance(value, Mapping):
        return {name: without_arrays(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_arrays(entry) for entry in value]
    return value


def column_names(value: object) -> tuple[str, ...]:
    """The names of a data frame's columns; nothing for other values, and where they are no text.

    `DataError` for a name that two of them have.

    >>> column_names([[1, 2]])
    ()
    """
    names = getattr(value, "columns", ()) if not isinstance(value, Mapping) else ()
    listed = plain(names)
    if not isinstance(listed, (list, tuple)) or not all(isinstance(name, str) for name in listed):
        return ()
    twice = next((name for name, times in Counter(listed).items() if times > 1), None)
    if twice is not None:
        raise DataError(f"X: two columns are called {shown(twice)}")
    return tuple(listed)


def as_sequence(value: object, expected: str) -> Sequence[Any]:
    """`value` if it is a sequence, an array as a list; else `DataError` with what was expected.

    >>> as_sequence((1, 2), "X: expected a sequence")
    (1, 2)
    """
    if isinstance(value, (list, tuple)):  # which nearly all are: the rest takes longer
        return value
    values = plain(value)
    if not isinstance(values, Sequence) or isinstance(values, (str, bytes)):
        raise DataError(f"{expected}, got {type(values).__name__}{if_sparse(value)}")
    return values


def if_sparse(value: object) -> str:
    """What a message adds where the value is a sparse matrix; else nothing."""
    return "; of a sparse matrix give .toarray()" if hasattr(value, "toarray") else ""


def is_nan(value: object) -> bool:
    """Whether the value differs from itself, as NaN of any type does, or refuses to be compared.

    >>> is_nan(float("nan")), is_nan(Fraction(1))
    (True, False)
    """
    try:
        return bool(operator.ne(value, value))
    except (TypeError, ArithmeticError):  # the missing value of pandas, Decimal("sNaN")
        return True


def is_exact(values: Iterable[tuple[str, object]]) -> bool:
    """Whether data are computed exactly; `values` yields (place, value) pairs.

    The one decision about arithmetic. Raises `MixedArithmeticError` where a Fraction meets a
    float, and `DataError` for whatever is no finite number, naming the place.
    """
    fraction_at: str | None = None
    float_at: str | None = None
    for place, value in values:
        if isinstance(value, Fraction):
            fraction_at = fraction_at or place
        elif isinstance(value, float):
            if not math.isfinite(value):
                raise DataError(f"{place}: expected a finite number, got {value!r}")
            float_at = float_at or place
        elif not isinstance(value, int):
            raise DataError(
                f"{place}: expected a number, got {shown(value)}; "
                "exact() lifts text and Decimals to Fractions"
            )
    if fraction_at and float_at:
        raise MixedArithmeticError(
            f"a Fraction ({fraction_at}) beside a float ({float_at}); "
            "lift all of it with exact(), or turn the Fractions into floats"
        )
    return fraction_at is not None


def exact_parameter(value: Number, name: str) -> Fraction:
    """The one Fraction that a parameter denotes, whatever the data; else `ParameterError`.

    A float is the decimal that it prints: 0.05 is 1/20, as the text "0.05" is.

    >>> exact_parameter(0.05, "min_decrease")
    Fraction(1, 20)
    """
    if isinstance(value, float) and math.isfinite(value):
        return exact_number(number_text(value), name)
    return exact_number(value, name)


def exact_number(value: Number, name: str) -> Fraction:
    """The one Fraction that a number denotes, a float the binary fraction that it is.

    >>> exact_number(0.5, "weight")
    Fraction(1, 2)
    """
    try:
        lifted = exact(cast("object", value))
    except ParameterError as error:
        raise ParameterError(f"{name}: {error}") from None
    if not isinstance(lifted, Fraction):
        raise ParameterError(f"{name}: expected one number, got {type(value).__name__}")
    return lifted


def whole_number(value: int, name: str, least: int) -> int:
    """`value` as an int of at least `least`; booleans and floats are refused.

    >>> whole_number(3, "degree", 1)
    3
    """
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None or number < least:
        raise ParameterError(
            f"{name}: expected a whole number of at least {least}, got {shown(value)}"
        )
    return number


def as_float(value: Fraction | int, name: str) -> float:
    """The nearest float; `DataError` where the number is beyond their range."""
    try:
        return float(value)
    except OverflowError:
        raise DataError(f"{name}: beyond the range of floats; lift the data with exact()") from None


def sign(value: Any) -> int:
    """−1, 0 or +1.

    >>> sign(Fraction(-1, 3)), sign(0.0)
    (-1, 0)
    """
    return int(value > 0) - int(value < 0)
