"""What the file in C alone has: whole numbers as words of 32 bits, and what they need."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from refmc.errors import ParameterError
from refmc.export.tables import Tables
from refmc.export.writing import c_string, lines

LEAST = Fraction(1, 2**900)
"""Weights that are smaller than that share of the largest have no quick way."""


def c_values(tables: Tables, quick: bool) -> dict[str, Any]:
    """What the template of C is filled with beyond the others."""
    lists = [names or () for names in tables.predictor.categories]
    room = word_count([weight for _, weight, _ in tables.voters])
    total = sum(abs(weight) * max(map(abs, counts)) for _, weight, counts in tables.voters)
    found = {
        "names": ", ".join(c_string(name) for names in lists for name in names),
        "begins": ", ".join(str(sum(map(len, lists[:j]))) for j in range(len(lists) + 1)),
        "width": max(map(len, tables.members), default=1),
        "V": len(tables.voters),
        "P": room,
        "S": total.bit_length() // 32 + 1,
        "voters": lines(([q, words(w, room), counts] for q, w, counts in tables.voters), "c"),
        "node_type": "short" if len(tables.nodes) < 2**15 else "int",
    }
    if tables.forms:
        found |= _forms(tables)
    return found | (_quick(tables) if quick else {})


def c_cells(tables: Tables, row: Sequence[Any]) -> list[str | int]:
    """A row as C has it, categories as their positions; −1 is one that isn't known."""
    return [
        float(v).hex() if names is None else names.index(v) if v in names else -1
        for v, names in zip(row, tables.predictor.categories)
    ]


def word_count(numbers: list[int]) -> int:
    """How many words the largest takes."""
    return max([1, *(-(-n.bit_length() // 32) for n in numbers)])


def words(n: int, count: int) -> list[int]:
    """The size of a whole number as words, the lowest first.

    >>> words(-(2**32) - 5, 3)
    [5, 1, 0]
    """
    return [abs(n) >> 32 * i & 0xFFFFFFFF for i in range(count)]


def _forms(tables: Tables) -> dict[str, Any]:
    numbers, size = [a for row in tables.forms for a in row], len(tables.monomials)
    factors = len(tables.predictor.categories) + len(tables.flags)
    room, bits = word_count(numbers), max(abs(a).bit_length() for a in numbers)
    return {
        "F": len(tables.forms),
        "M": size,
        "L": room,
        # a product of doubles is below 2^(53 G), times 2^(2045 G) at most
        "A": (bits + 2098 * tables.degree + size.bit_length() + 1) // 32 + 3,
        "column_type": "unsigned char" if factors < 256 else "unsigned short",
        "signs": lines(([(a > 0) - (a < 0) for a in row] for row in tables.forms), "c"),
        "sizes": lines(([words(a, room) for a in row] for row in tables.forms), "c"),
    }


def _quick(tables: Tables) -> dict[str, Any]:
    largest = max([1, *(abs(a) for row in tables.forms for a in row)])
    shares = [[Fraction(a, 2 ** largest.bit_length()) for a in row] for row in tables.forms]
    if tables.degree > 1 or not shares or any(0 < abs(a) < LEAST for row in shares for a in row):
        raise ParameterError("quick: belongs to sums of columns whose weights are of like sizes")
    return {
        "rough": lines(([float(a).hex() for a in row] for row in shares), "c"),
        "most": ", ".join(float(max(map(abs, column))).hex() for column in zip(*shares)),
        "doubt": float(Fraction(4 * (len(tables.monomials) + 3), 2**53)).hex(),
    }
