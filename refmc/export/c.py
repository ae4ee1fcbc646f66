"""What the file in C alone has: whole numbers as words of 32 bits, and what they need."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

from refmc.errors import ParameterError
from refmc.export.tables import Tables
from refmc.export.writing import c_string

LEAST = Fraction(1, 2**900)
"""Weights that are smaller than that share of the largest have no quick way."""


def c_values(tables: Tables) -> dict[str, Any]:
    """What the template of C is filled with beyond the others."""
    lists = [names or () for names in tables.predictor.categories]
    numbers, weights = [a for row in tables.forms for a in row], [w for _, w, _ in tables.voters]
    votes = sum(abs(weight) * max(map(abs, counts)) for _, weight, counts in tables.voters)
    size, weight_size = word_count(numbers), word_count(weights)
    # a product of doubles is below 2^(53 G), times 2^(2045 G) at most
    bits = max(map(int.bit_length, numbers), default=0) + 2098 * tables.degree
    return {
        "names": ", ".join(c_string(name) for names in lists for name in names),
        "begins": ", ".join(map(str, accumulate(map(len, lists), initial=0))),
        "member_width": max(map(len, tables.members), default=1),
        "voters_count": len(weights),
        "weight_words": weight_size,
        "votes_words": votes.bit_length() // 32 + 1,
        "voters": [[q, words(weight, weight_size), counts] for q, weight, counts in tables.voters],
        "nodes_count": len(tables.nodes),
        "node_type": "short" if max(len(tables.nodes), len(tables.questions)) < 2**15 else "int",
        "forms_count": len(tables.forms),
        "monomials_count": len(tables.monomials),
        "form_words": size,
        "sum_words": (bits + len(tables.monomials).bit_length() + 1) // 32 + 3,
        "column_type": "unsigned char" if len(lists) + len(tables.flags) < 256 else "int",
        "signs": [[(a > 0) - (a < 0) for a in row] for row in tables.forms],
        "sizes": [[words(a, size) for a in row] for row in tables.forms],
    }


def quick_values(tables: Tables) -> dict[str, Any]:
    """What it is filled with where doubles decide what they provably can."""
    largest = max([1, *(abs(a) for row in tables.forms for a in row)])
    shares = [[Fraction(a, 2 ** largest.bit_length()) for a in row] for row in tables.forms]
    if tables.degree > 1 or not shares or any(0 < abs(a) < LEAST for row in shares for a in row):
        raise ParameterError("quick: belongs to sums of columns whose weights are of like sizes")
    return {
        "rough": [[float(a).hex() for a in row] for row in shares],
        "most": ", ".join(float(max(map(abs, column))).hex() for column in zip(*shares)),
        "doubt": float(Fraction(4 * (len(tables.monomials) + 3), 2**53)).hex(),
    }


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
