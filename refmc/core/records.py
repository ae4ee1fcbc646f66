"""Reading records: strict JSON, and fields that say where they are wrong.

A record is a mapping of field names to values, from JSON or straight from Python (where numbers
may be Fractions and matrices arrays). Numbers are lifted exactly: a string is the number it
writes ("3/7", "0.1" the decimal, "0x1.8p-3"), a plain JSON number the binary64 it denotes. Labels
are names and never numbers: a whole number that is a label keeps all its digits.
Whatever doesn't fit raises `FormatError` naming the field.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeVar

from refmc.core.scalars import exact, if_sparse, number_text, plain, shown
from refmc.errors import FormatError, RefmcError

Record = Mapping[str, object]

T = TypeVar("T")

MOST_LABEL_DIGITS = 4_000
"""Digits of a whole number that is a label; Python writes no whole number of more than 4,300."""


BEYOND_BINARY64 = "is beyond binary64; write it as a string"

_LONE_SURROGATE = "[\ud800-\udfff]"

_MOST_LABEL_BITS = 13_287  # 10^4,000 is just above 2^13,287


class JsonWhole(int):
    """A whole number of JSON text: as a label all its digits, as a number its binary64."""


def parse_json(text: str, name: str) -> Record:
    """The JSON object in `text`, called `name` in messages; nothing but an object will do.

    Refuses NaN, infinity, numbers beyond binary64, halves of characters, a field given twice, and
    nesting too deep to read, with the place where they stand.

    >>> parse_json('{"C": "1/2"}', "problem")
    {'C': '1/2'}
    """
    import json  # learners that nobody saves need none

    unreadable: list[_Unreadable] = []

    def refused(text: str, reason: str) -> _Unreadable:
        unreadable.append(_Unreadable(f"{_short(text)} {reason}"))
        return unreadable[-1]

    def binary64(text: str) -> float | _Unreadable:
        value = float(text)
        return value if math.isfinite(value) else refused(text, BEYOND_BINARY64)

    def whole(text: str) -> int | _Unreadable:
        if len(text) > MOST_LABEL_DIGITS:
            return refused(text, f"has more than {MOST_LABEL_DIGITS} digits; write it as a string")
        value = int(text)
        return value if abs(value) <= 2**53 else JsonWhole(value)

    if not text.strip():
        raise FormatError(f"{name}: not JSON: empty; expected an object")
    try:
        value = json.loads(
            text,
            parse_constant=lambda text: refused(text, "is not a number that can be computed with"),
            parse_float=binary64,
            parse_int=whole,
            object_pairs_hook=_no_field_twice,
        )
    except RecursionError:
        raise FormatError(f"{name}: nested too deeply to read") from None
    except json.JSONDecodeError as error:
        raise FormatError(f"{name}: not JSON: {error}") from None
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None
    if unreadable or "\\ud" in text or "\\uD" in text:
        _refuse_unreadable(value, name)
    if not isinstance(value, dict):
        raise FormatError(f"{name}: expected a JSON object, got {kind_name(value)}")
    return value


class _Unreadable:
    """Stands in the place of a number that is refused, until its field is known."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


def _refuse_unreadable(value: object, name: str) -> None:
    """`FormatError` for the first refused number or broken character, with the place of it."""
    left = [(value, name)]
    while left:
        value, place = left.pop()
        if isinstance(value, _Unreadable):
            raise FormatError(f"{place}: {value.reason}")
        if isinstance(value, str) and re.search(_LONE_SURROGATE, value):
            raise FormatError(f"{place}: {_short(value)!r} has half a character, a lone surrogate")
        if isinstance(value, list):
            left += [(entry, f"{place}[{i}]") for i, entry in enumerate(value)][::-1]
        if isinstance(value, dict):
            left += [(entry, f"{place}.{field}") for field, entry in value.items()][::-1]
            left += [(field, f"{place}: field") for field in value][::-1]


def _no_field_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise FormatError(f"field {_short(twice)!r} is given twice")
    return record


def write_json(record: Record) -> str:
    """The record as readable JSON: each field, and each row of a matrix, on a line of its own.

    >>> print(write_json({"C": "1", "W": [[0.5, 1.0], [2.0, 0.0]]}))
    {
     "C": "1",
     "W": [
      [0.5, 1.0],
      [2.0, 0.0]
     ]
    }
    """
    from refmc.core.printing import json_line

    fields = []
    for name, value in record.items():
        shown = json_line(value)
        if isinstance(value, list) and value and isinstance(value[0], (list, dict)):
            rows = [json_line(row) for row in value]
            shown = "[\n  " + ",\n  ".join(rows) + "\n ]"
        fields.append(f" {json_line(name)}: {shown}")
    return "{\n" + ",\n".join(fields) + "\n}"


def check_fields(
    record: Record,
    name: str,
    *,
    required: Sequence[str],
    optional: Sequence[str] = (),
    may_be_null: Collection[str] = (),
) -> None:
    """Raise `FormatError` unless every required field is there, and none that is unknown.

    An optional field may be null only if `may_be_null` names it: any other null would be a claim
    that is never judged. A required field that is null is refused by what reads it.
    """
    known = [*required, *optional]
    strange = next((_short(str(field)) for field in record if field not in known), None)
    for field in required:
        if field not in record:
            beside = "" if strange is None else f", and {strange!r} is unknown"
            raise FormatError(f"{name}: field {field!r} is missing{beside}")
    if strange is not None:
        raise FormatError(f"{name}: unknown field {strange!r}; known: {', '.join(known)}")
    for field in record:
        if record[field] is None and field not in (*required, *may_be_null):
            raise FormatError(f"{name}.{field}: null says nothing; leave the field out")


_again = lru_cache(maxsize=1 << 12)(Fraction)  # runs hold the same few numbers again and again


def number(value: object, place: str) -> Fraction:
    """One number, exactly."""
    if (type(value) is int or type(value) is float) and -1e18 < value < 1e18:
        return _again(value)  # what nearly all are, and much faster than what comes below
    if type(value) is Fraction:
        return value
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Fraction, Decimal)):
        raise FormatError(f"{place}: expected a number, got {kind_name(value)}")
    try:
        return exact(float(value) if isinstance(value, JsonWhole) else value)
    except OverflowError:
        raise FormatError(f"{place}: {_short(str(value))} {BEYOND_BINARY64}") from None
    except RefmcError as error:
        raise FormatError(f"{place}: {error}") from None


def limit(value: object, place: str) -> Fraction:
    """A number of at least 0 that others are compared with; a float is the decimal that it prints.

    Whoever writes 0.05 for a limit means 1/20, and what is exactly 1/20 must meet it.

    >>> limit(0.05, "problem.min_decrease")
    Fraction(1, 20)
    """
    value = plain(value)
    if isinstance(value, float) and math.isfinite(value):
        value = number_text(value)
    return at_least_0(value, place)


def at_least_0(value: object, place: str) -> Fraction:
    """A number that is not negative."""
    found = number(value, place)
    if found < 0:
        raise FormatError(f"{place}: expected at least 0, got {shown(found)}")
    return found


def numbers(value: object, place: str) -> list[Fraction]:
    """A row of numbers, exactly."""
    return [number(entry, f"{place}[{j}]") for j, entry in enumerate(items(value, place))]


def matrix(value: object, place: str) -> list[list[Fraction]]:
    """Rows of numbers of one length, exactly; at least one row."""
    rows = [numbers(row, f"{place}[{i}]") for i, row in enumerate(items(value, place))]
    for i, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise FormatError(
                f"{place}[{i}]: {len(row)} numbers, but {place}[0] has {len(rows[0])}"
            )
    return rows


def read_object(value: object, place: str) -> Record:
    """A record inside a record.

    >>> read_object({"nodes": []}, "answer.tree")
    {'nodes': []}
    """
    if not isinstance(value, Mapping):
        raise FormatError(f"{place}: expected an object, got {kind_name(value)}")
    return value


def items(value: object, place: str) -> Sequence[object]:
    """A list that isn't empty."""
    if not isinstance(value, (list, tuple)):  # which nearly all are: the rest takes longer
        value = plain(value)
        if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
            raise FormatError(f"{place}: expected a list, got {kind_name(value)}{if_sparse(value)}")
    if not value:
        raise FormatError(f"{place}: expected a list that isn't empty")
    return value


def entries(value: object, place: str) -> Sequence[object]:
    """A list, which may be empty."""
    value = plain(value)
    return value if isinstance(value, (list, tuple)) and not value else items(value, place)


def label(value: object, place: str) -> str | int:
    """A label: a string, a whole number or a truth value, exactly as it was written.

    A number with a point or an exponent is refused. Programs write the same number as 1 and as
    1.0, so that nobody could tell whether the two are one label.

    >>> label(2**53 + 1, "problem.y[0]")
    9007199254740993
    """
    value = plain(value)
    if isinstance(value, (str, bool)):
        return value
    if not isinstance(value, int):
        what = (
            f"the number {shown(value)}; write it as a string"
            if isinstance(value, float)
            else kind_name(value)
        )
        raise FormatError(
            f"{place}: expected a label, which is a string, a whole number or a truth value, "
            f"got {what}"
        )
    if value.bit_length() > _MOST_LABEL_BITS:
        raise FormatError(f"{place}: a label of more than {MOST_LABEL_DIGITS} digits")
    return int(value)


def labels(value: object, place: str) -> list[str | int]:
    """A list of labels that isn't empty."""
    return [label(entry, f"{place}[{i}]") for i, entry in enumerate(items(value, place))]


def text(value: object, place: str) -> str:
    """A string."""
    if not isinstance(value, str):
        raise FormatError(f"{place}: expected a string, got {kind_name(value)}")
    return value


def position_of(word: str) -> int | None:
    """The position that up to nine plain digits write; None for any other text.

    >>> position_of("12"), position_of("1²"), position_of("-1")
    (12, None, None)
    """
    return int(word) if len(word) <= 9 and word.isascii() and word.isdigit() else None


def at(place: str, read: Callable[[], T]) -> T:
    """The result of `read()`; a `RefmcError` of it becomes a `FormatError` at the place."""
    try:
        return read()
    except FormatError:
        raise
    except RefmcError as error:
        raise FormatError(f"{place}: {error}") from None


def kind_name(value: object) -> str:
    """What a value is called in messages, as JSON has it.

    >>> kind_name([]), kind_name(JsonWhole(10**17))
    ('a list', 'a number')
    """
    names = {dict: "an object", list: "a list", str: "a string", bool: "a truth value"}
    names |= {type(None): "null", int: "a number", JsonWhole: "a number", float: "a number"}
    return names.get(type(value), type(value).__name__)


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:40] + "…"
