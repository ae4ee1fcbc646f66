"""Tables of text: a CSV file with a header line, columns by name.

The `csv` module of the standard library reads; here stand the checks and their messages.

A number is written as everywhere in refmc ("0.1", "1e-3", "1/3", "0x1.8p-3"), and within the range
of floats, so that it means the same number read exactly and read as the nearest float. What only
looks like a number (a decimal comma, a thousands separator, a percentage, a date) is neither a
number nor, without being asked for, the name of a category.
"""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import gcd
from numbers import Rational
from typing import Any, TypeVar

from refmc.core.scalars import exact, shown
from refmc.errors import DataError, ParameterError

T = TypeVar("T")

DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";"}
"""Names of delimiters that are hard to type on a command line."""

_PLAIN = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)", re.ASCII)
_LONGEST = 300
"""Characters of a plain number up to which it is surely within the range of floats."""

_LOOKALIKES = {
    "a thousands separator": r"[+-]?\d{1,3}(?:[ ,_'’\u00a0\u202f]\d{3})+(?:\.\d+)?",
    "a decimal comma": r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?|[+-]?\d{1,3}(?:\.\d{3})+,\d+",
    "underscores": r"[+-]?\d+(?:_\d+)+(?:\.\d+)?",
    "a percent sign": r"[+-]?\d+(?:[.,]\d+)?\s*%",
    "the form of a date": r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?|\d{4}-\d{2}",
    "the form of a time of day": r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?",
    "a sign of money": r"[+-]?[$€£]\s*\d[\d.,]*|[+-]?\d[\d.,]*\s*[$€£]",
    "digits of another script": r"[+-]?\d+(?:[.,\u066b]\d+)?",
    "a size beyond the range of floats": r"[+-]?[\d.]+[eE][+-]?\d+",
}
"""What looks like a number to people and is none here; a plain number was tried before."""

MISSING = ("", "nan", "na", "n/a", "null", "none", "?", "-")
"""How programs write that a value is missing."""

PLAINLY = "write it as a plain number such as 1234.5"
"""How to mend it."""

FILL = "fill it in or drop the row"
"""How to mend a missing cell."""


@dataclass(frozen=True)
class Table:
    """The cells under each title, equally many, called `name` in messages.

    By columns, as they are read: a tuple for each row would take a sixth of the memory. `lines`:
    the line of the file in which each row ends.
    """

    name: str
    columns: Mapping[str, Sequence[str]]
    lines: Sequence[int]

    @property
    def header(self) -> tuple[str, ...]:
        """The titles."""
        return tuple(self.columns)

    def column(self, title: str) -> Sequence[str]:
        """The cells under a title; `ParameterError` where there is no such column."""
        if title not in self.columns:
            spaced = [f", {other!r} has spaces" for other in self.columns if other.strip() == title]
            raise ParameterError(
                f"{self.name}: no column {title!r}; columns: {', '.join(self.columns)}"
                f"{''.join(spaced)}"
            )
        return self.columns[title]

    def labels(self, title: str) -> list[str]:
        """The cells under a title as text; an empty one is a `DataError`."""
        cells = list(self.column(title))
        empty = [i for i, cell in enumerate(cells) if not cell]
        if empty:
            raise DataError(
                f"{self._place(empty[0], title)}: nothing there; fill it in, drop the row, "
                f"or write a word such as 'missing'{_counts({title: empty})}"
            )
        return cells

    def only(self, kept: Sequence[int]) -> Table:
        """The table of some of its rows."""
        columns = {title: [cells[i] for i in kept] for title, cells in self.columns.items()}
        return Table(self.name, columns, [self.lines[i] for i in kept])

    def without(self, *titles: str | None) -> list[str]:
        """All titles but these."""
        return [other for other in self.header if other not in titles]

    def cells(
        self, titles: Sequence[str], kinds: Sequence[str], exactly: bool = True
    ) -> list[tuple[Any, ...]]:
        """Rows of the cells under the titles: numbers as Fractions or floats, categories as text.

        `kinds`: "number" or "category" for each title. A category may not be empty.
        """
        read: Callable[[str], Any] = read_fraction if exactly else read_float
        numbers = [title for title, kind in zip(titles, kinds) if kind == "number"]
        columns = [
            self.labels(title) if kind == "category" else self._column(title, read, numbers)
            for title, kind in zip(titles, kinds, strict=True)
        ]
        return list(zip(*columns))

    def kinds(self, titles: Sequence[str], categorical: Sequence[str] = ()) -> list[str]:
        """For each title "number" if its cells are, "category" if none is or it is named so.

        A column of both is a `DataError` at its first cell that is no number, and so is a column
        whose cells mostly look like numbers.
        """
        found, bad = [], dict[str, list[int]]()
        for title in titles:
            others = [] if title in categorical else self._no_numbers(title)
            of_numbers = title not in categorical and len(others) < len(self.column(title))
            found.append("number" if of_numbers else "category")
            cells = self.column(title)
            alike = others if of_numbers else [i for i in others if _lookalike(cells[i])]
            if alike and 2 * len(alike) >= len(others):
                bad[title] = alike
        if bad:
            title = next(iter(bad))
            first = self.columns[title][bad[title][0]]
            among = " in a column of numbers" if found[titles.index(title)] == "number" else ""
            raise DataError(
                f"{self._place(bad[title][0], title)}: {_described(first)}{among}; "
                f"{_mend(first, title)}{_counts(bad)}"
            )
        return found

    def _no_numbers(self, title: str) -> list[int]:
        """The rows whose cell in a column is no number."""
        cells, plain = self.column(title), _PLAIN.fullmatch
        odd = [i for i, cell in enumerate(cells) if not plain(cell) or len(cell) > _LONGEST]
        return [i for i in odd if not is_number(cells[i])]

    def _column(self, title: str, read: Callable[[str], T], numbers: Sequence[str]) -> list[T]:
        """The numbers of a column; the message counts what is none in all columns of `numbers`."""
        cells, found = self.column(title), list[T]()
        try:
            for cell in cells:
                found.append(read(cell))
        except ParameterError:
            place, cell = self._place(len(found), title), cells[len(found)]
            mend = "leave the column out, or make it columns of 0 and 1"
            if cell.strip().lower() in MISSING:
                mend = FILL
            elif _lookalike(cell):
                mend = PLAINLY
            bad = {title: rows for title in numbers if (rows := self._no_numbers(title))}
            raise DataError(
                f"{place}: expected a number, got {_described(cell)}; {mend}{_counts(bad)}"
            ) from None
        return found

    def _place(self, i: int, title: str) -> str:
        return f"{self.name}: line {self.lines[i]}, column {title!r}"


def _counts(bad: Mapping[str, Sequence[int]]) -> str:
    """How many cells are bad, where one message tells of several; by columns."""
    total = sum(map(len, bad.values()))
    told = ", ".join(f"{title!r} {len(rows)}" for title, rows in [*bad.items()][:5])
    more = ", …" if len(bad) > 5 else ""
    return f" ({total} such cells: {told}{more})" if total > 1 else ""


def _lookalike(cell: str) -> str | None:
    """What makes a cell that is no number look like one; None for all other text."""
    text = cell.strip()
    return next((kind for kind, form in _LOOKALIKES.items() if re.fullmatch(form, text)), None)


def _described(cell: str) -> str:
    kind = _lookalike(cell)
    if kind:
        return f"{shown(cell)} with {kind}"
    return shown(cell) if cell.strip() else "an empty cell"


def _mend(cell: str, title: str) -> str:
    if not cell.strip():
        return FILL
    way = PLAINLY if _lookalike(cell) else "fill in or drop missing values"
    return f"{way}, or name the column {title!r} as categorical"


def read_fraction(cell: str) -> Fraction:
    """The number that a cell writes; `ParameterError` where it is none, or no float is near it.

    >>> read_fraction("0.1")
    Fraction(1, 10)
    """
    whole, _, part = cell.partition(".")
    digits = whole.removeprefix("-") + part
    if len(cell) <= _LONGEST and digits.isdigit() and digits.isascii():  # faster than a pattern
        above, below = int(whole + part), 10 ** len(part)
        common = gcd(above, below)
        ratio: Any = _Ratio(above // common, _shared(below // common))
        return Fraction(ratio)
    value = exact(cell)
    _near(value, cell)
    return value


class _Rational:
    """A base of `_Ratio` that counts as a `Rational`.

    Whether an object is one is looked up anew for each object of a class that is registered itself;
    for a class that inherits from it the answer is remembered.
    """

    __slots__ = ()


Rational.register(_Rational)


class _Ratio(_Rational):
    """A ratio in lowest terms. `Fraction` keeps the two numbers of a `Rational` as they are.

    Given two numbers instead, it would make a denominator for each cell of a table, which takes a
    quarter of the memory, although few of them differ.
    """

    __slots__ = ("denominator", "numerator")

    def __init__(self, numerator: int, denominator: int) -> None:
        self.numerator, self.denominator = numerator, denominator


@lru_cache(maxsize=1024)
def _shared(denominator: int) -> int:
    """The number itself, in one copy for all that are equal."""
    return denominator


def read_float(cell: str) -> float:
    """The float nearest to the number that a cell writes; else as `read_fraction`.

    >>> read_float("1/3")
    0.3333333333333333
    """
    if len(cell) <= _LONGEST and _PLAIN.fullmatch(cell):
        return float(cell)
    return _near(exact(cell), cell)


def _near(value: Fraction, cell: str) -> float:
    try:
        near = float(value)
    except OverflowError:
        raise ParameterError(f"{shown(cell)} is beyond the range of floats") from None
    if value and not near:
        raise ParameterError(f"{shown(cell)} is nearer to 0 than any float")
    return near


def is_number(cell: str) -> bool:
    """Whether a cell writes a number.

    >>> is_number("0.1"), is_number("1,5"), is_number("1_000"), is_number("1e-400")
    (True, False, False, False)
    """
    try:
        read_float(cell)
    except ParameterError:
        return False
    return True


def label_value(label: str) -> Fraction | str:
    """The number that a label writes, or the text of any other.

    >>> label_value("+1"), label_value("1.0") == label_value("1"), label_value("b")
    (Fraction(1, 1), True, 'b')
    """
    try:
        return exact(label)
    except ParameterError:
        return label


def ordered_classes(labels: Iterable[str], place: str) -> list[str]:
    """The distinct labels of a file in order: by value where all are numbers, else as text.

    Raises `DataError` naming the place where two are one number, such as 1 and +1.

    >>> ordered_classes(["10", "2", "+2.5"], "y"), ordered_classes(["10", "2", "b"], "y")
    (['2', '+2.5', '10'], ['10', '2', 'b'])
    """
    classes = sorted(set(labels))
    values: list[Any] = list(map(label_value, classes))
    if any(isinstance(value, str) for value in values):
        return classes
    order = sorted(zip(values, classes))
    for (value, label), (other, after) in pairwise(order):
        if value == other:
            raise DataError(
                f"{place}: labels {shown(label)} and {shown(after)} are one number; "
                "write it in one way, or both as words"
            )
    return [label for _, label in order]


def read_table(text: str, name: str, delimiter: str | None = None) -> Table:
    """The table in CSV text.

    `delimiter`: one character, or "tab", "comma" or "semicolon"; by default a comma, or a
    semicolon or a tab where the header has one of these and no comma. Raises `DataError` for an
    empty file, a title given twice, and rows of another length than the header, naming the line.

    >>> read_table("a,b\\n1,2\\n", "data").labels("b"), read_table("a;b\\n1;2\\n", "data").header
    (['2'], ('a', 'b'))
    """
    chosen = _delimiter(text, delimiter)
    reader = csv.reader(_lines(text), strict=True, delimiter=chosen)
    try:
        header = next((cells for cells in reader if cells), [])
        if not header:
            raise DataError(f"{name}: empty; expected a header line")
        columns: list[list[str]] = [[] for _ in header]
        lines = array("L")
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                raise DataError(
                    f"{name}: line {reader.line_num}: {len(cells)} cells, "
                    f"but the header has {len(header)}, with {_named(chosen)} between cells"
                )
            for column, cell in zip(columns, cells):
                column.append(cell)
            lines.append(reader.line_num)
    except csv.Error as error:
        fault = str(error).replace("unexpected end of data", "a quotation mark isn't closed")
        raise DataError(f"{name}: line {reader.line_num}: {fault}") from None
    for title in header:
        if header.count(title) > 1:
            raise DataError(f"{name}: two columns are called {title!r}")
    if not columns[0]:
        raise DataError(f"{name}: no rows below the header")
    return Table(name, dict(zip(header, columns)), lines)


def _lines(text: str) -> Iterator[str]:
    """The lines with their ends, as a file has them."""
    if "\r" in text:
        yield from io.StringIO(text, newline="")
        return
    start = 0  # StringIO takes four bytes for each character, beside the text itself
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _delimiter(text: str, given: str | None) -> str:
    if given is not None:
        chosen = DELIMITERS.get(given, given)
        if len(chosen) != 1 or chosen in '"\r\n ':
            raise ParameterError(
                f"delimiter: expected one character, or {', '.join(DELIMITERS)}; got {shown(given)}"
            )
        return chosen
    header = re.sub(r'"[^"]*"', "", text.lstrip("\r\n").split("\n", 1)[0])
    others = [other for other in (";", "\t") if other in header]
    return others[0] if len(others) == 1 and "," not in header else ","


def _named(delimiter: str) -> str:
    names = {character: f"a {name}" for name, character in DELIMITERS.items()}
    return names.get(delimiter, repr(delimiter))
