"""What becomes of the cells of a table before a learner sees them, remembered with the model.

Missing cells are filled in, categories become columns of 0 and 1, numbers are scaled exactly, and a
column of ones stands for a bias. All of it is text for text, so that whatever reads a table reads
the prepared one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import median
from typing import NamedTuple

from refmc.adapters.table import MISSING, Table, is_number, read_fraction
from refmc.core.records import Record, check_fields, items, numbers, read_object, text
from refmc.core.scalars import number_text
from refmc.errors import DataError, FormatError

ONES = "1"
"""The title of the column of ones."""


class PreparedColumn(NamedTuple):
    """`fill`: what stands for a missing cell. `categories`: each has a column of 0 and 1.

    `scale`: the center and the half width, by which numbers come to lie from −1 to 1.
    """

    column: str
    fill: str | None = None
    categories: tuple[str, ...] | None = None
    scale: tuple[Fraction, Fraction] | None = None


@dataclass(frozen=True)
class Preparation:
    """What becomes of each feature of a table; `ones`: whether a column of ones is added."""

    columns: tuple[PreparedColumn, ...]
    ones: bool = False

    def titles(self) -> list[str]:
        """The titles of the features that it makes."""
        own = [
            f"{c.column}={name}" if name is not None else c.column
            for c in self.columns
            for name in (c.categories or [None])
        ]
        return [*own, ONES] if self.ones else own

    def filled(self) -> Preparation:
        """Only the cells that are filled in; the rest an exported predictor does by itself."""
        return Preparation(tuple(PreparedColumn(c.column, c.fill) for c in self.columns))

    def forms(self) -> list[tuple[tuple[int | tuple[int, str], ...], Fraction, Fraction]]:
        """Each feature by the columns of the table: of what it is a multiple, and what is added.

        That is a position, or a position and the category for which it is 1; a column of ones is a
        multiple of nothing. Nothing where features are the columns.
        """
        if not self.ones and not any(c.scale or c.categories for c in self.columns):
            return []
        found: list[tuple[tuple[int | tuple[int, str], ...], Fraction, Fraction]] = []
        for j, c in enumerate(self.columns):
            center, half = c.scale or (Fraction(0), Fraction(1))
            for name in c.categories or [None]:
                factor = j if name is None else (j, name)
                found.append(((factor,), 1 / half, -center / half))
        return [*found, ((), Fraction(0), Fraction(1))] if self.ones else found

    def table(self, given: Table) -> Table:
        """The prepared table; columns that are no features stay."""
        columns = dict(given.columns)
        for c in self.columns:
            cells = list(given.column(c.column))
            if c.fill is not None:
                is_of_numbers = is_number(c.fill)
                cells = [c.fill if is_missing(cell, is_of_numbers) else cell for cell in cells]
            if c.categories is not None:
                del columns[c.column]
                for name in c.categories:
                    columns[f"{c.column}={name}"] = [str(int(cell == name)) for cell in cells]
                continue
            if c.scale is not None:
                center, half = c.scale
                filled = replace(given, columns={c.column: cells})
                rows = filled.cells([c.column], ["number"])
                cells = [number_text((value - center) / half) for (value,) in rows]
            columns[c.column] = cells
        if self.ones:
            columns[ONES] = ["1"] * len(next(iter(columns.values())))
        return replace(given, columns=columns)

    def unseen(self, given: Table) -> dict[str, dict[str, int]]:
        """For each column the categories that training never saw, with the rows that have them."""
        found: dict[str, dict[str, int]] = {}
        for c in self.columns:
            cells = given.column(c.column) if c.categories is not None else ()
            strange = Counter(cell for cell in cells if cell not in (c.categories or ()))
            if c.fill is not None:
                strange.pop("", None)
            found |= {c.column: dict(strange)} if strange else {}
        return found

    def gaps(self, given: Table) -> dict[str, int]:
        """How many cells are filled in, of each column that has such cells."""
        fills = {c.column: is_number(c.fill) for c in self.columns if c.fill is not None}
        found = {t: sum(is_missing(v, n) for v in given.column(t)) for t, n in fills.items()}
        return {title: count for title, count in found.items() if count}

    def to_json(self) -> dict[str, object]:
        """In JSON types, as a model file has it."""
        columns = []
        for c in self.columns:
            scale = c.scale and list(map(number_text, c.scale))
            parts = {"fill": c.fill, "categories": c.categories, "scale": scale}
            own = {name: part for name, part in parts.items() if part is not None}
            columns.append({"column": c.column, **own})
        return {"columns": columns, "ones": self.ones}


def read_preparation(record: Record) -> Preparation | None:
    """That of a model's record, None where the model takes the table as it is."""
    if "preparation" not in record:
        return None
    place = "model.preparation"
    given = read_object(record["preparation"], place)
    check_fields(given, place, required=["columns", "ones"])
    columns = []
    for i, entry in enumerate(items(given["columns"], f"{place}.columns")):
        at = f"{place}.columns[{i}]"
        own = read_object(entry, at)
        check_fields(own, at, required=["column"], optional=["fill", "categories", "scale"])
        column = PreparedColumn(text(own["column"], at))
        if "fill" in own:
            column = column._replace(fill=text(own["fill"], at))
        if "categories" in own:
            names = tuple(text(name, at) for name in items(own["categories"], at))
            column = column._replace(categories=names)
        if "scale" in own:
            scale = numbers(own["scale"], at)
            if len(scale) != 2 or scale[1] <= 0:
                raise FormatError(f"{at}.scale: expected a center and a half width above 0")
            column = column._replace(scale=(scale[0], scale[1]))
        columns.append(column)
    return Preparation(tuple(columns), given["ones"] is True)


def is_missing(cell: str, of_numbers: bool) -> bool:
    """Whether a cell says that its value is missing; in a column of categories by being empty.

    >>> is_missing(" ", False), is_missing("NA", True), is_missing("NA", False)
    (True, True, False)
    """
    word = cell.strip().lower()
    return not word or (of_numbers and word in MISSING)


def missing_rows(table: Table, title: str) -> list[int]:
    """The rows whose cell in the column is missing."""
    cells = table.column(title)
    odd = [i for i, cell in enumerate(cells) if cell.strip().lower() in MISSING]
    left = set(range(len(cells))).difference(odd)
    of_numbers = bool(odd) and bool(left) and all(is_number(cells[i]) for i in left)
    return [i for i in odd if is_missing(cells[i], of_numbers)]


def filling(table: Table, title: str, way: str) -> str:
    """What stands for the missing cells of a column: the median, the most frequent cell, a word.

    Of cells that are as frequent it is the first in order. The median of categories is the most
    frequent one.
    """
    cells, gone = table.column(title), set(missing_rows(table, title))
    given = [cell for i, cell in enumerate(cells) if i not in gone]
    if not given:
        raise DataError(f"{table.name}: column {title!r} has missing cells alone; leave it out")
    of_numbers = all(map(is_number, given))
    if way not in ("median", "most-frequent"):
        if of_numbers != is_number(way):
            what = "numbers" if of_numbers else "categories"
            raise DataError(
                f"{table.name}: column {title!r} has {what}, beside which {way!r} can't stand; "
                "take median, most-frequent or drop"
            )
        return way
    if way == "median" and of_numbers:
        return number_text(median(map(read_fraction, given)))
    counts = Counter(given)
    return min(counts, key=lambda cell: (-counts[cell], cell))


def scaling(table: Table, title: str) -> tuple[Fraction, Fraction]:
    """The center and the half width of a column of numbers; 1 where all are equal."""
    cells = [cell for (cell,) in table.cells([title], ["number"])]
    low, high = min(cells), max(cells)
    return (low + high) / 2, (high - low) / 2 or Fraction(1)


def prepare(
    table: Table,
    columns: Sequence[str],
    *,
    missing: str | None = None,
    one_hot: bool = False,
    scale: bool = False,
    ones: bool = False,
) -> Preparation | None:
    """What the features of a training table need, None where they need nothing.

    `missing`: median, most-frequent, or a word, for cells that are missing. `DataError` where a
    column that is made would take the title of another.
    """
    found = []
    for title in columns:
        column = PreparedColumn(title)
        if missing is not None and missing_rows(table, title):
            column = column._replace(fill=filling(table, title, missing))
        filled = Preparation((column,)).table(table)
        is_category = (one_hot or scale) and filled.kinds([title]) == ["category"]
        if one_hot and is_category:
            column = column._replace(categories=tuple(sorted(set(filled.labels(title)))))
        elif scale and not is_category:
            column = column._replace(scale=scaling(filled, title))
        found.append(column)
    made = Preparation(tuple(found), ones)
    for title, count in Counter([*table.without(*columns), *made.titles()]).items():
        if count > 1:
            raise DataError(f"{table.name}: two columns would be called {title!r}; rename one")
    needed = ones or any(c != PreparedColumn(c.column) for c in found)
    return made if needed else None
