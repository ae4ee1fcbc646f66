"""Output codes: a row of −1, 0 and +1 for each class, a binary problem for each column.

The plain programs are `refmc.lectures.keshet.one_against_all_code` and
`refmc.lectures.keshet.all_pairs_code`. Beyond them: exhaustive and random codes, and what makes a
code useless.

Covers the coding matrices of [keshet §1.3]; decoding is in `output_decoding`, training in
`output_model`.

Differs from the lecture:
- the lecture's example matrix can be decoded but not trained: its second column has no +1, and its
  first and sixth are equal; `code_faults` finds such things;
- columns that are equal or opposite are one binary problem, which is trained once: of the two
  opposite columns of one-against-all for two classes `one_vs_all_code` keeps one.

Legend: M the code, with k rows, one for each class, and l columns; M(r, s) an entry.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice
from typing import Any

from refmc.core.scalars import ArrayLike, plain, shown, whole_number
from refmc.errors import DataError, ParameterError

Code = Sequence[Sequence[int]] | ArrayLike
Rows = tuple[tuple[int, ...], ...]

MAX_EXHAUSTIVE = 16
"""The most classes of an exhaustive code: it has 2^(k − 1) − 1 columns."""

TRIES = 1000
"""How many entries are drawn at random for one code at most, in multiples of those that it has."""


@dataclass(frozen=True)
class CodeFaults:
    """What is wrong with a code; false where nothing is.

    `equal_rows`: pairs of classes that no decoding tells apart. `zero_rows`: classes that are left
    out of every column. `one_sided`: columns without a +1 or without a −1, which no learner can be
    trained on. `equal_columns`, `opposite_columns`: pairs of columns that are the same problem, in
    the latter with the two sides exchanged.
    """

    equal_rows: tuple[tuple[int, int], ...]
    zero_rows: tuple[int, ...]
    one_sided: tuple[int, ...]
    equal_columns: tuple[tuple[int, int], ...]
    opposite_columns: tuple[tuple[int, int], ...]

    def __bool__(self) -> bool:
        return bool(self.explain())

    def explain(self) -> str:
        """All faults in one line, empty where there is none."""
        said = [f"rows {a} and {b} are equal" for a, b in self.equal_rows]
        said += [f"row {r} has only zeros" for r in self.zero_rows]
        said += [f"column {s} lacks a +1 or a -1" for s in self.one_sided]
        said += [f"columns {a} and {b} are equal" for a, b in self.equal_columns]
        said += [f"columns {a} and {b} are opposite" for a, b in self.opposite_columns]
        return "; ".join(said)


def read_code(code: Code) -> Rows:
    """The rows of a code, of −1, 0 and +1, equally long; else `DataError` naming the place.

    >>> read_code([[1.0, 0], [-1, 1]])
    ((1, 0), (-1, 1))
    """
    outer: Any = plain(code)
    if not isinstance(outer, Sequence) or isinstance(outer, (str, bytes)) or not outer:
        raise DataError(f"code: expected a sequence of rows, one a class, got {shown(outer)}")
    rows = []
    for r, row in enumerate(map(plain, outer)):
        if not isinstance(row, Sequence) or isinstance(row, (str, bytes)):
            raise DataError(f"code: row {r}: expected a sequence of -1, 0, +1, got {shown(row)}")
        rows.append(tuple(_entry(value, r, s) for s, value in enumerate(row)))
        if len(rows[r]) != len(rows[0]):
            raise DataError(f"code: row {r} has {len(rows[r])} entries, row 0 has {len(rows[0])}")
    return tuple(rows)


def _entry(value: object, r: int, s: int) -> int:
    number = plain(value)
    if isinstance(number, (int, float, Fraction)) and number in (-1, 0, 1):
        return int(number)
    raise DataError(f"code: row {r}, column {s}: expected -1, 0 or +1, got {shown(number)}")


def code_faults(code: Code) -> CodeFaults:
    """What keeps a code from being valid: equal rows, and columns that are useless or repeated.

    The code of a single class, of one row, may have no column. Raises `DataError` for entries
    other than −1, 0, +1. Cost: O(k²l). [keshet §1.3]

    >>> code_faults([[1, 1], [1, -1], [0, 0]]).explain()
    'row 2 has only zeros; column 0 lacks a +1 or a -1'
    """
    M = read_code(code)
    columns = list(zip(*M))
    return CodeFaults(
        equal_rows=tuple((a, b) for a, b in combinations(range(len(M)), 2) if M[a] == M[b]),
        zero_rows=tuple(r for r, row in enumerate(M) if not any(row) and len(M) > 1),
        one_sided=tuple(
            s for s, column in enumerate(columns) if not (1 in column and -1 in column)
        ),
        equal_columns=_pairs(columns, 1),
        opposite_columns=_pairs(columns, -1),
    )


def _pairs(columns: list[tuple[int, ...]], side: int) -> tuple[tuple[int, int], ...]:
    """The pairs (a, b) where column b is `side` times column a, for the first such a before b."""
    at: dict[tuple[int, ...], int] = {}
    found = []
    for b, column in enumerate(columns):
        wanted = tuple(side * entry for entry in column)
        if wanted in at and any(column):
            found.append((at[wanted], b))
        at.setdefault(column, b)
    return tuple(found)


def different_columns(M: Rows) -> tuple[tuple[int, int], ...]:
    """For each column which of the different binary problems it is, and with which sign.

    The different problems are numbered in the order of their first columns. The sign is −1 where a
    column has the two sides of that first one exchanged: then its answer is minus the other's.

    >>> different_columns(((1, -1, 1), (-1, 1, 0)))
    ((0, 1), (0, -1), (1, 1))
    """
    numbers: dict[tuple[int, ...], int] = {}
    found = []
    for column in zip(*M):
        opposite = tuple(-entry for entry in column)
        if opposite in numbers:
            found.append((numbers[opposite], -1))
        else:
            found.append((numbers.setdefault(column, len(numbers)), 1))
    return tuple(found)


def minimum_distance(code: Code) -> Fraction:
    """The least Hamming distance of two rows, half for every column where either has a zero.

    What decides how many wrong binary answers a code can bear. Raises `DataError`: fewer than two
    rows. [keshet (1), §3]

    >>> minimum_distance(one_vs_all_code(4)), minimum_distance(all_pairs_code(4))
    (Fraction(2, 1), Fraction(7, 2))
    """
    M = read_code(code)
    if len(M) < 2:
        raise DataError("code: a single row has no distance to another")
    twice = min(sum(1 - a * b for a, b in zip(u, v)) for u, v in combinations(M, 2))
    return Fraction(twice, 2)


def one_vs_all_code(k: int) -> Rows:
    """+1 on the diagonal, −1 elsewhere; a single column for two classes, none for one.

    [keshet §1.3]

    >>> one_vs_all_code(3)
    ((1, -1, -1), (-1, 1, -1), (-1, -1, 1))
    """
    size = whole_number(k, "k", 1)
    columns = size if size > 2 else size - 1
    return tuple(tuple(1 if r == s else -1 for s in range(columns)) for r in range(size))


def all_pairs_code(k: int) -> Rows:
    """A column for each pair of classes: +1 for the first, −1 for the second, 0 for the others.

    [keshet §1.3]

    >>> all_pairs_code(3)
    ((1, 1, 0), (-1, 0, 1), (0, -1, -1))
    """
    size = whole_number(k, "k", 1)
    pairs = list(combinations(range(size), 2))
    return tuple(tuple((r == i) - (r == j) for i, j in pairs) for r in range(size))


def exhaustive_code(k: int) -> Rows:
    """A column for every way to part k classes in two: 2^(k − 1) − 1 columns.

    The first class is +1 throughout; the columns count up in binary, the second class being the
    highest digit. Raises `ParameterError` for k above `MAX_EXHAUSTIVE`.

    >>> exhaustive_code(3)
    ((1, 1, 1), (-1, -1, 1), (-1, 1, -1))
    """
    size = whole_number(k, "k", 1)
    if size > MAX_EXHAUSTIVE:
        raise ParameterError(
            f"k: an exhaustive code of {shown(size)} classes has 2^{shown(size - 1)} - 1 columns; "
            f"expected at most {MAX_EXHAUSTIVE} classes, use random_code for more"
        )
    numbers = range(2 ** (size - 1) - 1)
    rest = (
        tuple(1 if number >> place & 1 else -1 for number in numbers)
        for place in reversed(range(size - 1))
    )
    return ((1,) * len(numbers), *rest)


def random_code(
    k: int, bits: int, draws: random.Random | Iterable[int], *, sparse: bool = False
) -> Rows:
    """A valid code of `bits` columns, of entries that are drawn, row by row.

    `draws`: the entries themselves, −1 and +1 (and 0 if `sparse`), or a generator to draw them
    from: −1 and +1 with probability 1/2 each, or 0 with 1/2 and the others with 1/4 each if
    `sparse`. A row that is all 0, or equal to an earlier one, is drawn again; so is the whole code
    where a column is useless or repeated (`code_faults`).

    Raises `ParameterError` where no code of this size is valid, where the draws run out, or where
    `TRIES` times k·bits draws of a generator gave no valid code.

    >>> random_code(3, 2, [1, 1, -1, 1, 1, 1, 1, -1])
    ((1, 1), (-1, 1), (1, -1))
    """
    size, width = whole_number(k, "k", 2), whole_number(bits, "bits", 1)
    _check_room(size, width, sparse)
    entries = _entries(draws, sparse, TRIES * size * width)
    while True:
        code = _distinct_rows(size, width, entries)
        if not code_faults(code):
            return code


def _check_room(k: int, bits: int, sparse: bool) -> None:
    """`ParameterError` where there are too few different rows or columns for a valid code."""
    rows = 3**bits - 1 if sparse else 2**bits
    # Half of the columns with a +1 and a −1: opposite ones are the same problem.
    columns = (3**k + 1) // 2 - 2**k if sparse else 2 ** (k - 1) - 1
    if rows < k:
        raise ParameterError(f"bits: {bits} give {rows} different rows, fewer than k={k} classes")
    if columns < bits:
        raise ParameterError(f"bits: {k} classes have {columns} different columns; got {bits}")


def _entries(draws: Any, sparse: bool, limit: int) -> Iterator[int]:
    """The entries that were given, validated; or at most `limit` of those that are drawn."""
    allowed: tuple[int, ...] = (-1, 0, 0, 1) if sparse else (-1, 1)
    if isinstance(draws, random.Random):
        for _ in range(limit):
            yield draws.choice(allowed)
        return
    listed: Any = plain(draws)
    if not isinstance(listed, Iterable) or isinstance(listed, (str, bytes)):
        raise ParameterError(
            f"draws: expected entries of the code or a random.Random, got {shown(listed)}"
        )
    for position, value in enumerate(map(plain, listed)):
        if value not in allowed:
            raise ParameterError(
                f"draws: position {position}: expected one of {sorted(set(allowed))}, got "
                f"{shown(value)}"
            )
        yield int(value)


def _distinct_rows(k: int, bits: int, entries: Iterator[int]) -> Rows:
    """The next k rows that differ from each other and from 0."""
    rows: dict[tuple[int, ...], None] = {}
    while len(rows) < k:
        row = tuple(islice(entries, bits))
        if len(row) < bits:
            raise ParameterError(
                f"draws: ran out before a valid code of {k} rows and {bits} columns was found; "
                "give more draws, or another number of bits"
            )
        if any(row):
            rows[row] = None
    return tuple(rows)
