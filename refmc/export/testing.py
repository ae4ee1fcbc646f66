"""Rows that a wrong predictor gets wrong: beside thresholds, in every leaf, at and near ties."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations, islice, pairwise, product
from math import gcd, inf, nextafter
from random import Random
from typing import Any

from refmc.export.tables import Tables
from refmc.export.whole import MOST, ROWS, last_double

TINY = 2.0**-1022
"""The least double that is no denormal."""

MOST_DATA, MOST_DRAWN, MOST_TIES, MOST_COLUMNS = 200, 1_000, 60, 4

Row = tuple[Any, ...]
"""A double for each number, a text for each category."""


def test_rows(tables: Tables, data: Iterable[Sequence[Any]]) -> list[Row]:
    """Up to 200 of the rows, and those that are made of the tables, none of them twice."""
    given = list(islice(_as_doubles(tables, data), MOST_DATA))
    base = _middle(tables, {})
    made: list[Iterable[Row]]
    made = [_in_boxes(tables), _of_votes(tables, base), _ties(tables, base)]
    tiny = tuple(v if isinstance(v, str) else TINY for v in base)
    flagged = [(*base[:j], name, *base[j + 1 :]) for j, name in tables.flags]
    made += [flagged, _crossings(tables, [base, tiny, *given[:2], *flagged[:MOST_COLUMNS]])]
    return list(dict.fromkeys([*given, base, *chain(*made)]))


def expected(tables: Tables, row: Row, model: Any = None) -> tuple[int, ...]:
    """The positions of the labels of a row, by the model itself if it is an exact one."""
    of = ROWS[tables.rows]
    x = [v if isinstance(v, str) else of(v) * tables.unit for v in row]
    if model is None:
        return tables.predictor.positions(x)
    return tuple(sorted(map(tables.predictor.classes.index, model.predict_set(x))))


def _as_doubles(tables: Tables, data: Iterable[Sequence[Any]]) -> Iterator[Row]:
    """Rows of the model as those of the predictor, in its units, but for those beyond doubles."""
    for row in data:
        cells = [v if isinstance(v, str) else Fraction(v) / tables.unit for v in row]
        if all(isinstance(v, str) or abs(v) <= MOST for v in cells):
            yield tuple(v if isinstance(v, str) else float(v) for v in cells)


def _middle(tables: Tables, box: dict[int, Any]) -> Row:
    """A row of a box, which has for a column (above, at most), or the categories that are left."""
    row: list[Any] = []
    for j, names in enumerate(tables.predictor.categories):
        if names is not None:
            row.append(min(box.get(j, names) or {_unknown(names)}))
            continue
        low, high = box.get(j, (-inf, inf))
        row.append(high if high < inf else max(low + 1, nextafter(low, inf)) if low > -inf else 0.0)
    return tuple(row)


def _unknown(names: Sequence[str]) -> str:
    """A category that is none of these."""
    return max(names, key=len, default="") + "?"


def _beside(row: Row, column: int, at: float) -> Iterator[Row]:
    """The row with a number and the two next to it in a column."""
    for v in (nextafter(at, -inf), at, nextafter(at, inf)):
        if abs(v) < inf:
            yield (*row[:column], v, *row[column + 1 :])


def _in_boxes(tables: Tables) -> Iterator[Row]:
    """For each threshold of a graph three neighbours in a row of its node; a row for each end."""
    if not tables.nodes:
        return
    seen = {tables.start}
    waiting: list[tuple[int, dict[int, Any]]] = [(tables.start, {})]
    while waiting:
        n, box = waiting.pop()
        q, no, yes = tables.nodes[n]
        if q < 0:
            yield _middle(tables, box)
            continue
        kind, j, at, *_ = tables.questions[q]
        below = above = box
        if kind == "cut":
            yield from _beside(_middle(tables, box), j, at)
            low, high = box.get(j, (-inf, inf))
            below, above = box | {j: (low, min(high, at))}, box | {j: (max(low, at), high)}
        elif kind == "member":
            names = tables.predictor.categories[j] or ()
            left = box.get(j, {*names, _unknown(names)})
            said = {name for name, yes in zip(names, tables.members[at]) if yes}
            below, above = box | {j: left & said}, box | {j: left - said}
            yield _middle(tables, box | {j: {_unknown(names)}})
        for child, inner in ((no, above), (yes, below)):
            if child not in seen:
                seen.add(child)
                waiting.append((child, inner))


def _of_votes(tables: Tables, base: Row) -> Iterator[Row]:
    """Rows beside all thresholds, and rows that combine them, those with ties first."""
    voters = [tables.questions[q] for q, *_ in tables.voters]
    values: list[list[Any]] = [[v] for v in base]
    for j, names in enumerate(tables.predictor.categories):
        if names is not None:
            values[j] = [*names, _unknown(names)]
            continue
        for at in sorted({q.at for q in voters if q.kind == "cut" and q.column == j} - {-inf}):
            beside = list(_beside(base, j, at))
            values[j] += [row[j] for row in beside]
            yield from beside
    draws = Random(0)
    drawn = {tuple(map(draws.choice, values)) for _ in range(MOST_DRAWN)} if voters else ()
    ordered = sorted(drawn, key=lambda row: (-len(expected(tables, row)), repr(row)))
    yield from ordered[:MOST_TIES]


def _crossings(tables: Tables, bases: Sequence[Row]) -> Iterator[Row]:
    """Rows beside where the labels change, as one number goes to the ends of its range."""
    numbers = [j for j, names in enumerate(tables.predictor.categories) if names is None]
    some = numbers[:: -(-len(numbers) // MOST_COLUMNS) or 1]
    for row, j, end in product(bases, some, (-MOST, MOST)):
        low, high = sorted((row[j], end))
        first, last = (expected(tables, (*row[:j], v, *row[j + 1 :])) for v in (low, high))

        def before(v: float, row: Row = row, j: int = j, first: object = first) -> bool:
            return expected(tables, (*row[:j], v, *row[j + 1 :])) == first

        if first != last:
            yield from _beside(row, j, last_double(before, low, high))


def _ties(tables: Tables, base: Row) -> Iterator[Row]:
    """Rows with whole numbers in two columns, else 0, at which linear forms are 0 or equal."""
    forms = [dict(zip(tables.monomials, row)) for row in tables.forms]
    pairs = list(combinations(forms[: len(tables.predictor.classes)], 2)) if tables.summing else []
    pairs += [(forms[q.at], {}) for q in tables.questions if q.kind == "side"]
    for form in ({m: a[m] - b.get(m, 0) for m in a} for a, b in pairs):
        columns = [j for j in range(len(base)) if form.get((j,))]
        for i, j in pairwise(columns):
            a, b, c = form[i,], form[j,], form.get((), 0)
            shared = gcd(a, b)
            if c % shared == 0:
                u = -c // shared * pow(a // shared, -1, abs(b // shared)) if c else b // shared
                whole = {i: u, j: -(c + a * u) // b}
                if max(map(abs, whole.values())) < 2**53:
                    cells = enumerate(base)
                    yield tuple(
                        v if isinstance(v, str) else float(whole.get(k, 0)) for k, v in cells
                    )
