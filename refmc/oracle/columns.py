"""Rows of numbers and categories, and questions about them, read from records.

    "X": m rows of numbers and categories, "columns": names (optional), "categorical": names or
    positions of columns of strings (optional), "weights": m numbers of at least 0 (optional)

A question is {"column": name or position, "threshold": a number}, with "strict": true for < in the
place of ≤, or {"column": …, "values": a list}.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from refmc.checker.trees.data import (
    ColumnQuestion,
    Membership,
    Node,
    Question,
    Sample,
    Threshold,
    Value,
    says_yes,
    shape_fault,
)
from refmc.core.records import Record, at, entries, items, number, read_object, text
from refmc.core.scalars import column_names, number_pattern, shown
from refmc.errors import FormatError
from refmc.oracle.declaring import part, record_of, required
from refmc.oracle.fields import Choices, Field, Reading, Sizes
from refmc.oracle.forms import NUMBER, TEXT, TRUTH, WHOLE, Fields, Kind, either, list_of
from refmc.oracle.reading import each, truth_at, whole
from refmc.oracle.rounded import is_float

TABLE: Kind = list_of(list_of(either(NUMBER, TEXT)))
_COLUMN: Fields = {"column": either(WHOLE, TEXT)}
MEMBERSHIP = record_of({**_COLUMN, "values": list_of(TEXT)})
THRESHOLD = record_of({**_COLUMN, "threshold": NUMBER}, {"strict": TRUTH})
QUESTION_PARTS = (part("column", WHOLE, points="columns"), part("threshold", NUMBER, power=1))


@dataclass(frozen=True)
class Cells:
    """m rows of one width, and the names of their columns, if they have any."""

    X: list[list[Value]]
    columns: tuple[str, ...]


def cells(reading: Reading) -> Cells:
    """The rows and the names of their columns."""
    return read_cells(reading.record)


def _categories_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    """Digits, so that a program that takes them for numbers is heard."""
    j = draws.below(sizes["columns"])
    X = [[draws.one_of("0123") if i == j else v for i, v in enumerate(x)] for x in problem["X"]]
    return {"X": X, "categorical": [j]}


def _names_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    return {"columns": ["height", "width", "depth"][: sizes["columns"]]}


X: Field[list[list[Value]] | None] = required(
    "X", "m rows of d numbers and categories", TABLE,
    lambda value, place, reading: reading.of(cells).X, axes=("rows", "columns"), power=1,
)  # fmt: skip
COLUMNS = part(
    "columns", list_of(TEXT), "names of the columns", axes=("columns",), draws=_names_drawn
)
CATEGORICAL = part(
    "categorical", list_of(either(WHOLE, TEXT), 0),
    "names or positions of the columns of categories, which hold strings", points="columns",
    draws=_categories_drawn,
)  # fmt: skip


def read_cells(record: Record) -> Cells:
    """The rows of `X`; a column is of numbers unless `categorical` has it.

    >>> read_cells({"X": [["1/2", "a"]], "categorical": [1]}).X
    [[Fraction(1, 2), 'a']]
    """
    rows = rows_of_one_width(record)
    width = len(rows[0])
    if "columns" in record:
        names = tuple(each(text, record["columns"], "problem.columns"))
        if not len(names) == len(set(names)) == width:
            raise FormatError(f"problem.columns: expected {width} different names, one a column")
    else:
        names = at("problem", lambda: column_names(record["X"]))
    listed = entries(record.get("categorical", ()), "problem.categorical")
    categorical = {
        read_column(entry, f"problem.categorical[{i}]", names, width)
        for i, entry in enumerate(listed)
    }
    X = [
        [_value(v, f"problem.X[{i}][{j}]", j in categorical) for j, v in enumerate(row)]
        for i, row in enumerate(rows)
    ]
    return Cells(X, names)


def rows_of_one_width(record: Record) -> list[Sequence[object]]:
    """The rows of `X`, their entries as they came.

    >>> rows_of_one_width({"X": [["1/2", "a"]]})
    [['1/2', 'a']]
    """
    rows = each(items, record.get("X"), "problem.X")
    for i, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise FormatError(
                f"problem.X[{i}]: {len(row)} values, but problem.X[0] has {len(rows[0])}"
            )
    return rows


def _value(value: object, place: str, is_category: bool) -> Value:
    if not is_category:
        try:
            return number(value, place)
        except FormatError as error:
            if not isinstance(value, str) or number_pattern().fullmatch(value.strip()):
                raise
            raise FormatError(
                f"{error}; a column of categories is named in 'categorical'"
            ) from None
    if not isinstance(value, str):
        raise FormatError(f"{place}: expected a category, which is a string, got {shown(value)}")
    return value


def read_column(value: object, place: str, names: tuple[str, ...], width: int) -> int:
    """The position of a column that is given by its position or its name.

    >>> read_column("size", "problem.categorical[0]", ("kind", "size"), 2)
    1
    """
    if isinstance(value, str) and names:
        if value not in names:
            raise FormatError(f"{place}: {shown(value)} is no column; known: {', '.join(names)}")
        return names.index(value)
    position = whole(value, place, 0)
    if position >= width:
        raise FormatError(f"{place}: column {shown(position)}, but there are {width}")
    return position


def check_fits(question: Question, place: str, X: Sequence[Sequence[Value]]) -> None:
    """`FormatError` for a threshold on a column of categories, or a set of values on numbers.

    >>> check_fits(Threshold(0, 1), "question", [[2]])
    """
    fault = shape_fault([Node(question, 1, 2), Node(), Node()], Sample(X=X, y=(), k=1))
    if fault is not None:
        raise FormatError(f"{place}: {fault[1]}")


def read_question(value: object, place: str, names: tuple[str, ...], width: int) -> ColumnQuestion:
    """A question about a column.

    >>> read_question({"column": 0, "threshold": "1/2", "strict": True}, "question", (), 1)
    Threshold(column=0, threshold=Fraction(1, 2), strict=True, is_float=False)
    """
    record = read_object(value, place)
    form = MEMBERSHIP if "values" in record else THRESHOLD
    form.check(record, place)
    column = read_column(record["column"], f"{place}.column", names, width)
    if form is MEMBERSHIP:
        return Membership(column, frozenset(each(text, record["values"], f"{place}.values")))
    strict = truth_at(record.get("strict", False), f"{place}.strict")
    return read_threshold(record["threshold"], f"{place}.threshold", column, strict)


def read_threshold(value: object, place: str, column: int, strict: bool) -> Threshold:
    """A question about a threshold, which floats ask in their own arithmetic.

    >>> read_threshold(0.5, "threshold", 0, False).is_float
    True
    """
    return Threshold(column, number(value, place), strict, is_float(value))


def plain_threshold(question: Threshold, X: Sequence[Sequence[Value]]) -> Fraction:
    """An a for which x ≤ a, compared exactly, says the same of these rows: the threshold itself or
    a value of theirs.

    >>> plain_threshold(Threshold(0, 3, strict=True), [[1], [2], [3]])
    Fraction(2, 1)
    """
    cells = [(Fraction(x[question.column]), says_yes(question, x)) for x in X]
    if all(yes == (v <= question.threshold) for v, yes in cells):
        return Fraction(question.threshold)
    return max((v for v, yes in cells if yes), default=min(v for v, _ in cells) - 1)
