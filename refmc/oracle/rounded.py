"""What the numbers of an answer stand for: floats for all numbers that round to them.

A string, a Fraction and a whole number stand for themselves; only a whole number of JSON beyond
2⁵³ is read as the nearest float.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refmc.checker.numbers.rounding import Box, Rounded
from refmc.core.records import JsonWhole, Record, number
from refmc.core.scalars import plain, without_arrays
from refmc.oracle.fields import Field


def rounded(record: Record, *fields: Field[Any]) -> Callable[[], Box] | None:
    """The function that gives what the numbers of these fields may stand for; None where each
    stands for itself.

    >>> from fractions import Fraction
    >>> from refmc.oracle.svm.binary import B, W
    >>> rounded({"w": ["0.1", 2]}, W) is None
    True
    >>> rounded({"w": [0.1], "b": 1}, W, B)()["w"][0][0].nearest(Fraction(1, 10))
    Fraction(1, 10)
    """
    found = {field.name: _rows(record[field.name]) for field in fields if field.name in record}
    if not any(is_float(v) for f in found.values() for r in f for v in r):
        return None
    return lambda: {n: [[meant(v, n) for v in row] for row in f] for n, f in found.items()}


def _rows(value: object) -> list[list[object]]:
    given = without_arrays(value)
    rows = given if isinstance(given, list) else [given]
    rows = rows if rows and isinstance(rows[0], list) else [rows]
    return [[v for v in row if v not in ("-inf", "inf")] for row in rows]


def meant(value: object, place: str) -> Rounded:
    """A submitted number, and all that it may stand for.

    >>> meant("0.1", "answer.b").width
    Fraction(0, 1)
    """
    exact = number(value, place)
    return Rounded.of_float(float(exact)) if is_float(value) else Rounded.of(exact)


def is_float(value: object) -> bool:
    """Whether a number came as a float: with a point or an exponent, or beyond 2^53 in JSON.

    >>> is_float(0.1), is_float("0.1"), is_float(7)
    (True, False, False)
    """
    return isinstance(plain(value), (float, JsonWhole))
