"""The back end for C99: whole numbers alone, no allocation, no calls but memcpy and its like."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import add
from typing import Any

from refmc.errors import ParameterError
from refmc.export.tables import Tables
from refmc.export.whole import key
from refmc.export.writing import about, assembled, harmless, text_of

LEAST = Fraction(1, 2**900)
"""Weights that are smaller than that share of the largest have no quick way."""


def text(tables: Tables, quick: bool = False) -> str:
    """The file in C; `quick`: doubles decide where they provably can."""
    predictor, lists = tables.predictor, [names or () for names in tables.predictor.categories]
    k, places = len(predictor.classes), dict[tuple[int, ...], int]()
    for *_, classes in tables.nodes:
        if classes:
            places.setdefault(classes, len(places))
    words = max([1, *(-(-weight.bit_length() // 32) for _, weight, _ in tables.voters)])
    total = sum(abs(weight) * max(map(abs, counts)) for _, weight, counts in tables.voters)
    values = tables.values() | about(tables, "   ")
    values |= {
        "classes": _row(string(text_of(label)) for label in predictor.classes),
        "names": _row(string(name) for one in lists for name in one),
        "begins": _row(sum(map(len, lists[:j])) for j in range(len(lists) + 1)),
        "questions": _rows(
            (
                [f"INT64_C({key(at) if kind == 'cut' else at})", column, kind.upper(), zero]
                for kind, column, at, zero, _ in tables.questions
            ),
            [asked.text for asked in tables.questions],
        ),
        "members": _rows(tables.members),
        "width": max(map(len, tables.members), default=1),
        "V": len(tables.voters),
        "P": words,
        "S": total.bit_length() // 32 + 1,
        "voters": _rows([q, _words(w, words), f"{{{_row(n)}}}"] for q, w, n in tables.voters),
        "node_type": "short" if len(tables.nodes) < 2**15 else "int",
        "nodes": _rows(
            [q, places[ends] if q < 0 else no, yes] for q, no, yes, ends in tables.nodes
        ),
        "ends": _rows([int(c in end) for c in range(k)] for end in places),
    }
    if tables.forms:
        values |= _forms(tables)
    if quick:
        values |= _quick(tables)
    return assembled("predictor.c.txt", [*tables.truths(), *["quick"] * quick], values)


def test(tables: Tables, file: str, rows: Sequence[Any], sets: Sequence[tuple[int, ...]]) -> str:
    """The self-test in C: rows with the sets of labels that are right."""
    tests = []
    for row, found in zip(rows, sets):
        cells = [
            float(v).hex() if names is None else names.index(v) if v in names else -1
            for v, names in zip(row, tables.predictor.categories)
        ]
        chosen = tables.chosen(found)
        members = [int(c in found) for c in range(len(tables.predictor.classes))]
        tests.append(
            [f"{{{_row(cells)}}}", f"{{{_row(members)}}}", -1 if chosen is None else chosen]
        )
    return assembled("test.c.txt", [], {"file": file, "name": tables.name, "tests": _rows(tests)})


def string(text: str) -> str:
    """A literal of C in ASCII that no trigraph changes; `ParameterError` for a NUL.

    >>> print(string('a"??/'))
    "a\\042\\077\\077/"
    """
    data = text.encode(errors="replace")
    if "\0" in text or data.decode() != text:
        raise ParameterError(f"classes: {text!r} has a NUL or half a character, which C can't have")
    plain = [chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in data]
    return '"' + "".join(plain) + '"'


def _row(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))


def _rows(rows: Iterable[Iterable[object]], notes: Sequence[str] = ()) -> str:
    """Rows in braces, one a line, with its number and a note if there are some."""
    lines = [f"    {{{_row(row)}}}," for row in rows]
    said = [f" /* {i}: {harmless(note)} */" for i, note in enumerate(notes)] or [""] * len(lines)
    return "\n".join(map(add, lines, said))


def _words(n: int, count: int) -> str:
    """The size of a whole number as words in braces, the lowest first."""
    return f"{{{_row(f'{abs(n) >> 32 * i & 0xFFFFFFFF}u' for i in range(count))}}}"


def _forms(tables: Tables) -> dict[str, Any]:
    d, degree, size = len(tables.predictor.categories), tables.degree, len(tables.monomials)
    bits = max(abs(a).bit_length() for row in tables.forms for a in row)
    words = max(1, -(-bits // 32))
    return {
        "F": len(tables.forms),
        "M": size,
        "L": words,
        # a product of doubles is below 2^(53 G), times 2^(2045 G) at most
        "A": (bits + 2098 * degree + size.bit_length() + 1) // 32 + 3,
        "column_type": "unsigned char" if d < 256 else "unsigned short",
        "monomials": _row(f"{{{_row([*m, *[d] * (degree - len(m))])}}}" for m in tables.monomials),
        "signs": _rows([(a > 0) - (a < 0) for a in row] for row in tables.forms),
        "sizes": _rows([_words(a, words) for a in row] for row in tables.forms),
    }


def _quick(tables: Tables) -> dict[str, Any]:
    largest = max([1, *(abs(a) for row in tables.forms for a in row)])
    shares = [[Fraction(a, 2 ** largest.bit_length()) for a in row] for row in tables.forms]
    if tables.degree > 1 or not shares or any(0 < abs(a) < LEAST for row in shares for a in row):
        raise ParameterError("quick: belongs to sums of columns whose weights are of like sizes")
    return {
        "rough": _rows([float(a).hex() for a in row] for row in shares),
        "most": _row(float(max(map(abs, column))).hex() for column in zip(*shares)),
        "doubt": float(Fraction(4 * (len(tables.monomials) + 3), 2**53)).hex(),
    }
