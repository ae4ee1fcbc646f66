"""Tables of text: a CSV file with a header line, columns by name.

The `csv` module of the standard library reads; here stand the checks and their messages.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from refmc.core.scalars import exact, shown
from refmc.errors import DataError, ParameterError

T = TypeVar("T")


@dataclass(frozen=True)
class Table:
    """A header and rows of as many cells, called `name` in messages."""

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def labels(self, title: str) -> list[str]:
        """The cells under a title as text; an empty one is a `DataError`."""
        j = self._position(title)
        for i, row in enumerate(self.rows):
            if not row[j]:
                raise DataError(f"{self.name}: row {i}, column {title!r}: nothing there")
        return [row[j] for row in self.rows]

    def without(self, title: str) -> list[str]:
        """All titles but one."""
        return [other for other in self.header if other != title]

    def floats(self, titles: Sequence[str]) -> list[list[float]]:
        """Rows of the cells under the titles, as floats."""
        return self._numbers(titles, _finite)

    def fractions(self, titles: Sequence[str]) -> list[list[Fraction]]:
        """Rows of the cells under the titles, exactly as written."""
        return self._numbers(titles, lambda cell: exact(cell))

    def cells(
        self, titles: Sequence[str], kinds: Sequence[str], exactly: bool = True
    ) -> list[list[Any]]:
        """Rows of the cells under the titles: numbers as Fractions or floats, categories as text.

        `kinds`: "number" or "category" for each title. A category may not be empty.
        """
        read = self.fractions if exactly else self.floats
        columns = [
            self.labels(title) if kind == "category" else [row[0] for row in read([title])]
            for title, kind in zip(titles, kinds, strict=True)
        ]
        return [list(row) for row in zip(*columns)]

    def kinds(self, titles: Sequence[str], categorical: Sequence[str] = ()) -> list[str]:
        """For each title "number" if its cells are, "category" if none is or it is named so.

        A column of both is a `DataError` at its first cell that is no number.
        """
        return [
            "category" if title in categorical or not self._is_numeric(title) else "number"
            for title in titles
        ]

    def _is_numeric(self, title: str) -> bool:
        j = self._position(title)
        texts = [i for i, row in enumerate(self.rows) if not _is_number(row[j])]
        if 0 < len(texts) < len(self.rows):
            raise DataError(
                f"{self.name}: row {texts[0]}, column {title!r}: {shown(self.rows[texts[0]][j])} "
                "beside numbers; fill in or drop missing values, or name the column as categorical"
            )
        return not texts

    def _numbers(self, titles: Sequence[str], read: Callable[[str], T]) -> list[list[T]]:
        positions = [self._position(title) for title in titles]
        return [[self._number(i, j, read) for j in positions] for i in range(len(self.rows))]

    def _number(self, i: int, j: int, read: Callable[[str], T]) -> T:
        cell = self.rows[i][j]
        try:
            return read(cell)
        except ValueError:
            raise DataError(
                f"{self.name}: row {i}, column {self.header[j]!r}: expected a number, got {shown(cell)}"
            ) from None

    def _position(self, title: str) -> int:
        if title not in self.header:
            raise ParameterError(
                f"{self.name}: no column {title!r}; columns: {', '.join(self.header)}"
            )
        return self.header.index(title)


def _is_number(cell: str) -> bool:
    try:
        exact(cell)
    except ParameterError:
        return False
    return True


def _finite(cell: str) -> float:
    value = float(cell)
    if not math.isfinite(value):
        raise ValueError(cell)
    return value


def read_table(text: str, name: str) -> Table:
    """The table in CSV text.

    Raises `DataError` for an empty file, a title given twice, and rows of another length than
    the header, naming the line.

    >>> read_table("a,b\\n1,2\\n", "data").labels("b")
    ['2']
    """
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, [])
        if not header:
            raise DataError(f"{name}: empty; expected a header line")
        rows = []
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                raise DataError(
                    f"{name}: line {reader.line_num}: {len(cells)} cells, "
                    f"but the header has {len(header)}"
                )
            rows.append(tuple(cells))
    except csv.Error as error:
        raise DataError(f"{name}: line {reader.line_num}: {error}") from None
    for title in header:
        if header.count(title) > 1:
            raise DataError(f"{name}: two columns are called {title!r}")
    if not rows:
        raise DataError(f"{name}: no rows below the header")
    return Table(name, tuple(header), tuple(rows))
