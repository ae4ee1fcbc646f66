"""The two columns of the plane, and rows that have these columns alone.

A picture of regions has room for two columns. With more, the others would have to be fixed at some
values, and the training rows would not lie in that plane. So the model is trained on two columns
alone, and the picture says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from refmc.checker.parts import counted
from refmc.core.records import Record, items, position_of
from refmc.core.scalars import plain, shown
from refmc.errors import FormatError, ParameterError
from refmc.oracle.columns import rows_of_one_width

Columns = Sequence[str | int] | None
"""Two columns by name or position, or None for all, if these are two."""


@dataclass(frozen=True)
class Plane:
    """Rows of two columns, the columns' names, and a sentence that says what was left out."""

    X: list[list[object]]
    positions: tuple[int, int]
    names: tuple[str, str]
    note: str


def read_plane(record: Record, columns: Columns) -> Plane:
    """The rows of a problem, with two columns; `ParameterError` where it isn't clear which two.

    >>> plane = read_plane({"X": [[1, 2, 3]]}, ["2", 0])
    >>> plane.X, plane.names
    ([[3, 1]], ('x2', 'x0'))
    """
    if "X" not in record:
        raise FormatError("problem.X: missing; only rows of numbers can be drawn")
    rows = rows_of_one_width(record)
    width = len(rows[0])
    titles = [f"x{j}" for j in range(width)]
    if "columns" in record:
        titles = list(map(str, items(record["columns"], "problem.columns")))
    first, second = _positions(columns, titles, "columns" in record)
    names = titles[first], titles[second]
    many = counted(len(rows), "row")
    note = f"Trained on {many} of two columns."
    if width > 2:
        note = (
            f"Trained on {many} of the columns {names[0]} and {names[1]} alone, not on all "
            f"{width}: this is not the model of the whole problem."
        )
    return Plane([[x[first], x[second]] for x in rows], (first, second), names, note)


def on_plane(record: Record, columns: Columns, row: Sequence[object]) -> tuple[Record, str]:
    """A problem of cells with the two columns alone, if some are named, and a sentence on that.

    `row`: one row with all columns, as it was read: text where a column has categories.
    """
    if columns is None:
        return record, "Trained on all columns."
    plane = read_plane(record, columns)
    kept = {name: value for name, value in record.items() if name != "categorical"}
    kept |= {"X": plane.X, "columns": list(plane.names)}
    strings = [j for j in (0, 1) if isinstance(row[plane.positions[j]], str)]
    return {**kept, "categorical": strings} if strings else kept, plane.note


def _positions(columns: Columns, titles: Sequence[str], are_named: bool) -> tuple[int, int]:
    width = len(titles)
    if columns is None:
        if width == 1:
            raise ParameterError("columns: the rows have one; decision regions need two")
        if width > 2:
            raise ParameterError(
                f"columns: the rows have {width}, a plane needs two; choose them, such as "
                f"{titles[0] if are_named else 0},{titles[1] if are_named else 1}"
            )
        return 0, 1
    chosen = plain(columns)
    if not isinstance(chosen, (list, tuple)) or len(chosen) != 2:
        raise ParameterError(f"columns: expected two, got {shown(columns)}")
    first, second = (_position(name, titles, are_named) for name in chosen)
    if first == second:
        raise ParameterError(f"columns: expected two different ones, got {titles[first]} twice")
    return first, second


def _position(name: str | int, titles: Sequence[str], are_named: bool) -> int:
    if are_named and name in titles:
        return titles.index(str(name))
    # str refuses long numbers
    position = position_of(shown(name) if isinstance(name, int) else str(name))
    if position is not None and position < len(titles):
        return position
    known = f"positions from 0 to {len(titles) - 1}"
    if are_named:
        known += f" and {', '.join(titles)}"
    raise ParameterError(f"columns: {shown(name)} is no column; known are {known}")
