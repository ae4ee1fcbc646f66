"""Tables that hold numbers and categories side by side: reading their rows, sorting their columns.

A column holds only numbers or only strings, which are categories. Values stay as they came. Trees
and stumps read their rows here, once, and then work on the ranks of the values in their columns.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from refmc.core.sample import ReadRows, check_count, check_filled, raw_row, raw_rows
from refmc.core.scalars import ArrayLike, exact, is_exact, is_nan, shown
from refmc.errors import DataError, ParameterError

Table = Sequence[Sequence[Any] | ArrayLike] | ArrayLike
"""Rows of numbers and strings."""

NUMBER, CATEGORY = "number", "category"

Categories = tuple[tuple[str, ...] | None, ...]
"""For each column the categories that the rows of a training sample had; None for numbers."""


class Column(NamedTuple):
    """The values of a column, and where each row stands among them.

    `values`: the distinct values in increasing order. `ranks`: for each row the position of its
    value in `values`. `order`: the rows by increasing rank, rows of one rank as they came.
    `ends`: for each value the number of rows in `order` up to the last one that has it.
    """

    values: list[Any]
    ranks: list[int]
    order: list[int]
    ends: list[int]


class SortedColumns(NamedTuple):
    """Rows as they came, the kind of each column, and each column sorted."""

    rows: tuple[tuple[Any, ...], ...]
    kinds: tuple[str, ...]
    columns: tuple[Column, ...]

    def categories(self) -> Categories:
        """The categories that occur in each column."""
        pairs = zip(self.kinds, self.columns)
        return tuple(tuple(c.values) if kind == CATEGORY else None for kind, c in pairs)

    def numbers(self) -> Iterator[tuple[str, object]]:
        """A number of each type in each column with its place, for the choice of arithmetic."""
        for j, (kind, cells) in enumerate(zip(self.kinds, zip(*self.rows))):
            if kind == NUMBER:
                types = list(map(type, cells))
                for i in map(types.index, set(types)):
                    yield f"X: row {i}, column {j}", cells[i]


def sort_columns(X: Table, categorical: Sequence[int] = ()) -> SortedColumns:
    """Validate rows of numbers and categories, and sort each column.

    A column of strings that are all numbers, as a CSV reader gives them, is refused unless
    `categorical` has its position. Raises `DataError` (ragged, empty, not finite, missing, two
    kinds in a column), naming row and column, and `MixedArithmeticError` for a Fraction beside a
    float. Cost: O(dm log m).

    >>> column = sort_columns([[2, "b"], [1, "a"], [2, "a"]]).columns[0]
    >>> column.values, column.ranks, column.order, column.ends
    ([1, 2], [1, 0, 1], [1, 0, 2], [1, 3])
    """
    if isinstance(X, ReadRows):  # rows of numbers in one arithmetic, which were validated before
        kinds, whole_numbers = (NUMBER,) * len(X[0]), list(range(len(X)))
        return SortedColumns(X, kinds, tuple(_sorted(c, whole_numbers) for c in zip(*X)))
    rows = tuple(map(tuple, raw_rows(X, "X", "values")))
    check_filled(rows, "X")
    for j in categorical:
        if not isinstance(j, int) or not 0 <= j < len(rows[0]):
            raise ParameterError(
                f"categorical: expected positions from 0 to {len(rows[0]) - 1}, got {shown(j)}"
            )
    whole_numbers = list(range(len(rows)))
    columns, found = [], []
    for j, cells in enumerate(zip(*rows)):
        found.append(_kind_of_column(cells, j))
        columns.append(_sorted(cells, whole_numbers))
        if found[j] == CATEGORY and j not in categorical:
            _refuse_written_numbers(columns[j].values, j)
    data = SortedColumns(rows, tuple(found), tuple(columns))
    is_exact(data.numbers())
    return data


def categorical_columns(X: Sequence[Sequence[Any]]) -> list[int]:
    """The positions of the strings in the first row, where the rows have been validated before.

    >>> categorical_columns([[1, "1"]])
    [1]
    """
    return [j for j, cell in enumerate(X[0]) if isinstance(cell, str)]


def read_cells(X: Table, kinds: Sequence[str]) -> list[Sequence[Any]]:
    """Validate rows that a model is to label: a cell for each of `kinds`; there may be no rows.

    >>> read_cells([(1, "a")], [NUMBER, CATEGORY])
    [(1, 'a')]
    """
    rows = raw_rows(X, "X", "values")
    if not rows or len(rows[0]) != len(kinds) or not all(map(_are_of_kind, zip(*rows), kinds)):
        for i, row in enumerate(rows):  # raises for the first wrong one
            check_cells(row, kinds, f"X: row {i}")
    return rows


def read_row_of_cells(x: object, kinds: Sequence[str]) -> Sequence[Any]:
    """Validate one row, called x in messages: a cell for each of `kinds`.

    >>> read_row_of_cells((1, "a"), [NUMBER, CATEGORY])
    (1, 'a')
    """
    row = raw_row(x, "x", "values")
    check_cells(row, kinds, "x")
    return row


def is_unseen(x: Sequence[Any], column: int, categories: Categories) -> bool:
    """Whether the row has a category in the column that no row of the training sample had.

    >>> is_unseen([1, "c"], 1, (None, ("a", "b")))
    True
    """
    known = categories[column]
    return known is not None and x[column] not in known


def check_cells(row: Sequence[Any], kinds: Sequence[str], place: str) -> None:
    """`DataError` unless the row has a cell of each kind.

    >>> check_cells([1, "a"], [NUMBER, CATEGORY], "x")
    """
    check_count(row, len(kinds), place, "values")
    for j, (cell, kind) in enumerate(zip(row, kinds)):
        if cell_kind(cell, f"{place}, column {j}") != kind:
            expected = "a string" if kind == CATEGORY else "a number"
            raise DataError(f"{place}, column {j}: expected {expected}, got {shown(cell)}")


def cell_kind(cell: object, place: str) -> str:
    """The kind of one value; `DataError` for what is neither number nor category.

    >>> cell_kind(0.5, "X"), cell_kind("red", "X")
    ('number', 'category')
    """
    if isinstance(cell, str):
        return CATEGORY
    if isinstance(cell, (int, Fraction)) or (isinstance(cell, float) and math.isfinite(cell)):
        return NUMBER
    if cell is None or is_nan(cell):
        raise DataError(
            f"{place}: {cell!r} is a missing value; fill it in, drop the row, or make a column "
            "of strings in which 'missing' is a category of its own"
        )
    raise DataError(
        f"{place}: expected a finite number or a string, got {shown(cell)}; "
        "exact() lifts Decimals to Fractions"
    )


def _are_of_kind(cells: Sequence[Any], kind: str) -> bool:
    """Whether all cells are of the kind, as far as their types alone tell."""
    types = set(map(type, cells))
    if kind == CATEGORY:
        return types == {str}
    if types == {float}:
        return all(map(math.isfinite, cells))
    return types <= {int, bool, Fraction} or (
        types <= {int, bool, float} and all(math.isfinite(v) for v in cells if type(v) is float)
    )


def _kind_of_column(cells: Sequence[Any], j: int) -> str:
    for kind in (NUMBER, CATEGORY):
        if _are_of_kind(cells, kind):
            return kind
    first_kind = cell_kind(cells[0], f"X: row 0, column {j}")
    for i, cell in enumerate(cells):
        if cell_kind(cell, f"X: row {i}, column {j}") != first_kind:
            raise DataError(
                f"X: row {i}, column {j}: {shown(cell)} in a column of "
                f"{'numbers' if first_kind == NUMBER else 'categories'}; "
                "a column holds only numbers or only strings"
            )
    return first_kind


def _refuse_written_numbers(values: Sequence[str], j: int) -> None:
    try:
        for value in values:
            exact(value)
    except ParameterError:
        return
    raise DataError(
        f"X: column {j}: its strings are all numbers, such as {shown(values[0])}; turn them into "
        f"numbers with exact() or float(), or give categorical=[{j}] if they are names"
    )


def _sorted(cells: Sequence[Any], whole_numbers: list[int]) -> Column:
    """A column; `whole_numbers` are 0, …, m − 1, which all columns share to save memory."""
    near = cells
    if Fraction in set(map(type, cells)):
        # The nearest floats are compared faster than Fractions. Those of different Fractions can be
        # equal, but never in the other order.
        with suppress(OverflowError):
            near = [n / d for n, d in (cell.as_integer_ratio() for cell in cells)]
    order = sorted(whole_numbers, key=near.__getitem__)
    if near is not cells and any(near[i] == near[after] for i, after in pairwise(order)):
        order.sort(key=cells.__getitem__)  # quick, as only cells of equal floats change places
    ranks, rank = [0] * len(cells), 0
    values, ends = [cells[order[0]]], []
    for position, (i, after) in enumerate(pairwise(order), 1):
        if near[i] != near[after] or cells[i] != cells[after]:
            values.append(cells[after])
            ends.append(whole_numbers[position])
            rank = whole_numbers[rank + 1]
        ranks[after] = rank
    return Column(values, ranks, order, [*ends, len(order)])
