"""Columns of numbers or categories, sorted once, and the questions that a stump can ask of them.

Covers the questions X_j ≤ a and X_j ∈ A of [lu, "Definition 8.1: Binary Decision Trees"].

Differs from the lecture: a threshold a is a value of the column, never a midpoint, which floats
may round; the largest value is left out, as it parts nothing; of a set A and its complement only
the one without the first category is asked, for a stump has both polarities.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

from refmc.core.cells import CATEGORY, NUMBER, Table, cell_kind
from refmc.core.records import check_fields, items, number, text
from refmc.core.sample import ReadRows, check_filled, raw_row
from refmc.core.saving import saved_number
from refmc.core.scalars import as_sequence, is_exact, plain, shown
from refmc.errors import DataError, FormatError

MAX_CATEGORIES = 12
"""The most categories of one column: q of them have 2^(q−1) − 1 membership questions."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """X_j ≤ a: whether the number in `column` is at most `value`.

    >>> Threshold(0, Fraction(1, 2)).ask([0.5])
    True
    """

    column: int
    value: float | Fraction

    def ask(self, x: Sequence[Any]) -> bool:
        return bool(x[self.column] <= self.value)


@dataclass(frozen=True, slots=True)
class Membership:
    """X_j ∈ A: whether the category in `column` is one of `values`, which are sorted.

    >>> Membership(0, ("blue", "red")).ask(["green"])
    False
    """

    column: int
    values: tuple[str, ...]

    def ask(self, x: Sequence[Any]) -> bool:
        return x[self.column] in self.values


Question = Threshold | Membership


@dataclass(frozen=True)
class NumberColumn:
    """The rows in `order` of their values; after each place of `cuts` a larger value begins."""

    column: int
    order: tuple[int, ...]
    cuts: tuple[int, ...]
    thresholds: tuple[Any, ...]

    def sums(self, values: Sequence[Any]) -> list[Any]:
        """For each question the sum of `values` over the rows that answer yes."""
        running = list(accumulate(map(values.__getitem__, self.order)))
        return [running[cut] for cut in self.cuts]

    def question(self, position: int) -> Question:
        return Threshold(self.column, self.thresholds[position])


@dataclass(frozen=True)
class CategoryColumn:
    """The rows of each category but the first, which no question's set contains."""

    column: int
    groups: tuple[tuple[str, tuple[int, ...]], ...]

    def sums(self, values: Sequence[Any]) -> list[Any]:
        """For each question the sum of `values` over the rows that answer yes."""
        over_sets: list[Any] = [0]
        for _, rows in self.groups:
            own = sum(values[i] for i in rows)
            over_sets += [before + own for before in over_sets]
        return over_sets[1:]

    def question(self, position: int) -> Question:
        chosen = position + 1
        names = [name for bit, (name, _) in enumerate(self.groups) if chosen >> bit & 1]
        return Membership(self.column, tuple(names))


@dataclass(frozen=True)
class SortedColumns:
    """Rows as they came, the kind of each column, and each column's questions."""

    rows: tuple[tuple[Any, ...], ...]
    kinds: tuple[str, ...]
    columns: tuple[NumberColumn | CategoryColumn, ...]


def sort_columns(X: Table) -> SortedColumns:
    """Validate rows of numbers and categories, and sort each column.

    Raises `DataError` (ragged, empty, not finite, two kinds in a column, more categories than
    `MAX_CATEGORIES`), naming row and column. Cost: O(Nm ln m), and 2^(q−1) a search for a
    column of q categories.

    >>> sort_columns([[2, "b"], [1, "a"]]).columns[0].order
    (1, 0)
    """
    rows = X if isinstance(X, ReadRows) else _rows(X)
    kinds = tuple(cell_kind(cell, f"X: row 0, column {j}") for j, cell in enumerate(rows[0]))
    if not isinstance(rows, ReadRows):
        for i, row in enumerate(rows):
            check_cells(row, kinds, f"X: row {i}")
    columns = tuple(
        _numbers(j, column) if kinds[j] == NUMBER else _categories(j, column)
        for j, column in enumerate(zip(*rows))
    )
    return SortedColumns(rows, kinds, columns)


def places(data: SortedColumns) -> Iterator[tuple[str, object]]:
    """Every number with its place, for the choice of the arithmetic."""
    told = data.rows[:1] if isinstance(data.rows, ReadRows) else data.rows  # of one arithmetic
    for i, row in enumerate(told):
        for j, cell in enumerate(row):
            if data.kinds[j] == NUMBER:
                yield f"X: row {i}, column {j}", cell


def row_weights(weights: Any, data: SortedColumns) -> tuple[tuple[Any, ...], bool]:
    """One weight a row (1 where None is given), and whether all of it is computed exactly.

    Raises `DataError` for a negative one, another number of them, or none above 0.
    """
    m = len(data.rows)
    given = [1] * m if weights is None else weights
    values = as_sequence(given, "weights: expected a sequence of numbers")
    if len(values) != m:
        raise DataError(f"weights: expected {m}, one a row, got {len(values)}")
    listed = [plain(value) for value in values]
    named = [(f"weights: row {i}", value) for i, value in enumerate(listed)]
    is_exact(named)
    exact = is_exact([*places(data), *named])
    for place, value in named:
        if value < 0:  # type: ignore[operator]  # is_exact refuses what is no number
            raise DataError(f"{place}: expected at least 0, got {shown(value)}")
    if not any(listed):
        raise DataError("weights: expected at least one above 0, got none")
    return tuple(listed), exact


def _rows(X: Table) -> tuple[tuple[Any, ...], ...]:
    rows = read_table(X)
    check_filled(rows, "X")
    return rows


def read_table(X: Table) -> tuple[tuple[Any, ...], ...]:
    """The rows of cells as they came, of whatever kinds and lengths."""
    outer = as_sequence(X, "X: expected a sequence of rows")
    return tuple(read_cells(row, f"X: row {i}") for i, row in enumerate(outer))


def read_rows_of(kinds: Sequence[str], X: Table) -> tuple[tuple[Any, ...], ...]:
    """Rows whose cells are of the columns' kinds; none at all is legal."""
    rows = read_table(X)
    for i, row in enumerate(rows):
        check_cells(row, kinds, f"X: row {i}")
    return rows


def read_cells(row: object, place: str) -> tuple[Any, ...]:
    """The cells of one row as they came."""
    return tuple(raw_row(row, place, "values"))


def check_cells(row: Sequence[Any], kinds: Sequence[str], place: str) -> None:
    """Each cell is of its column's kind, and there are as many as columns."""
    if len(row) != len(kinds):
        raise DataError(f"{place} has {len(row)} values; expected {len(kinds)}")
    for j, (cell, kind) in enumerate(zip(row, kinds)):
        if cell_kind(cell, f"{place}, column {j}") != kind:
            raise DataError(
                f"{place}, column {j}: {shown(cell)} where a {kind} is expected; "
                "a column holds only numbers or only strings"
            )


def _numbers(j: int, column: Sequence[Any]) -> NumberColumn:
    order = sorted(range(len(column)), key=column.__getitem__)
    steps = enumerate(pairwise(order))
    cuts = tuple(place for place, (i, after) in steps if column[i] < column[after])
    return NumberColumn(j, tuple(order), cuts, tuple(column[order[cut]] for cut in cuts))


def _categories(j: int, column: Sequence[Any]) -> CategoryColumn:
    rows: dict[Hashable, list[int]] = {name: [] for name in sorted(set(column))}
    if len(rows) > MAX_CATEGORIES:
        raise DataError(
            f"X: column {j} has {len(rows)} categories, more than {MAX_CATEGORIES}; "
            "merge some, or give one column of 0 and 1 for each"
        )
    for i, name in enumerate(column):
        rows[name].append(i)
    return CategoryColumn(j, tuple((str(name), tuple(own)) for name, own in rows.items())[1:])


def saved_question(question: Question | None) -> dict[str, object] | None:
    """A question as plain JSON values; None, a constant's, as null."""
    if question is None:
        return None
    if isinstance(question, Membership):
        return {"column": question.column, "values": list(question.values)}
    return {"column": question.column, "threshold": saved_number(question.value)}


def read_question(value: object, place: str, kinds: Sequence[str]) -> Question | None:
    """The question that `saved_question` wrote, for columns of these kinds."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise FormatError(f"{place}: expected an object or null")
    field, kind = ("values", CATEGORY) if "values" in value else ("threshold", NUMBER)
    check_fields(value, place, required=["column", field])
    j = value["column"]
    if not isinstance(j, int) or isinstance(j, bool) or not 0 <= j < len(kinds):
        raise FormatError(f"{place}.column: expected a column from 0 to {len(kinds) - 1}")
    if kinds[j] != kind:
        raise FormatError(f"{place}.column: column {j} holds a {kinds[j]}, not a {kind}")
    if kind == CATEGORY:
        named = items(value["values"], f"{place}.values")
        return Membership(j, tuple(text(name, f"{place}.values") for name in named))
    threshold = value["threshold"]
    lifted = number(threshold, f"{place}.threshold")
    if isinstance(threshold, (int, float)):
        return Threshold(j, threshold)
    is_long = lifted.denominator == 1 and abs(lifted) > 2**53
    return Threshold(j, lifted.numerator if is_long else lifted)
