"""The axes of the fields of problems and answers: rows, columns, classes, and so on.

Taking some of the positions of one axis makes a problem smaller, and taking all in another order
permutes it, in the same way for every family, by what its fields declare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isqrt
from typing import Any

from refmc.core.records import Record, number
from refmc.core.scalars import number_text
from refmc.errors import ParameterError
from refmc.oracle.families import answer_fields, problem_fields
from refmc.oracle.fields import Field

PAIRS = "pairs of classes"
"""The axis of what there is for each pair (0, 1), (0, 2), … of classes; the other order negates."""

WEIGHTED = "weighted rows"
"""The axis of the rows that don't have weight 0."""

Fields = Mapping[str, Field[object]]


def axes_of(field: Field[object], problem: Record) -> tuple[str, ...]:
    """The axes of a field of a problem, or of an answer to it."""
    return next((axes for name, axes in field.axes_beside.items() if name in problem), field.axes)


def sizes(problem: Record) -> dict[str, int]:
    """How long each axis of a problem is.

    >>> sizes({"family": "svm.binary", "X": [[1, 2], [3, 4], [5, 6]], "y": [1, -1, 1]})
    {'rows': 3, 'columns': 2}
    """
    found: dict[str, int] = {}
    for name, field in problem_fields(problem).items():
        value: Any = problem.get(name)
        for axis in axes_of(field, problem):
            if not isinstance(value, list) or not value:
                break
            if axis == PAIRS:
                found.setdefault("classes", (1 + isqrt(1 + 8 * len(value))) // 2)
            elif not axis.endswith("+"):
                found.setdefault(axis, len(value))
            value = value[0]
    return found


def taken(problem: Record, axis: str, positions: Sequence[int]) -> dict[str, Any]:
    """The problem with these positions of an axis alone, in this order.

    >>> taken({"family": "svm.binary", "X": [[1], [2], [3]], "y": [1, -1, 1]}, "rows", [2, 1])
    {'family': 'svm.binary', 'X': [[3], [2]], 'y': [1, -1]}
    """
    return _taken(problem, problem_fields(problem), problem, axis, positions)


def taken_answer(
    problem: Record, answer: Record, axis: str, positions: Sequence[int]
) -> dict[str, Any]:
    """The same of an answer; `ParameterError` for one about what is not taken."""
    return _taken(answer, answer_fields(problem), problem, axis, positions)


def _taken(
    record: Record, known: Fields, problem: Record, axis: str, positions: Sequence[int]
) -> dict[str, Any]:
    size = sizes(problem).get(axis, 0)
    new = {old: i for i, old in enumerate(positions)}
    names: Any = problem.get("columns", ()) if axis == "columns" else ()
    new |= {name: name for i, name in enumerate(names) if i in new}

    moves = {axis: positions}
    if axis == "rows" and "weights" in problem:
        weights: Any = problem["weights"]
        weighted = [i for i, weight in enumerate(weights) if number(weight, "a weight")]
        moves[WEIGHTED] = [weighted.index(i) for i in positions if i in weighted]

    def change(field: Field[object], value: Any) -> Any:
        if field.points == axis:
            return _renumbered(value, new, names)
        return along(value, axes_of(field, problem), moves, size)

    return changed(record, known, change) if size else dict(record)


def changed(
    record: Record, known: Fields, change: Callable[[Field[object], Any], Any]
) -> dict[str, Any]:
    """A record with each declared field changed, and after it those of the objects in it."""

    def inside(value: Any, parts: Fields) -> Any:
        if isinstance(value, list):
            return [inside(entry, parts) for entry in value]
        return changed(value, parts, change) if isinstance(value, dict) else value

    found: dict[str, Any] = {**record}
    for name in known.keys() & record.keys():
        value, parts = change(known[name], record[name]), known[name].known_parts
        found[name] = inside(value, parts) if parts else value
    return found


def along(value: Any, axes: Sequence[str], moves: Mapping[str, Sequence[int]], size: int) -> Any:
    """Nested lists with some of the positions along one of the axes, which has a size."""
    if not axes or not isinstance(value, list):
        return value
    if axes[0] == PAIRS and "classes" in moves:
        return _pairs(value, moves["classes"], size)
    chosen, axis = value, axes[0].removesuffix("+")
    is_cut = axis != WEIGHTED and len(value) < size  # by whoever answered
    if axis in moves and not is_cut:
        if max(moves[axis], default=-1) >= len(value):  # of an answer that has too few
            raise ParameterError(f"{len(value)} {axis}, which are fewer than the problem's")
        more = value[size:] if axes[0].endswith("+") else []
        chosen = [value[i] for i in moves[axis]] + more
    return [along(entry, axes[1:], moves, size) for entry in chosen]


def _pairs(value: list[Any], positions: Sequence[int], k: int) -> list[Any]:
    """The entries of the pairs of some classes."""
    at = {pair: i for i, pair in enumerate((r, s) for r in range(k) for s in range(r + 1, k))}
    order = [(r, s) for i, r in enumerate(positions) for s in positions[i + 1 :]]
    return [
        value[at[pair]] if pair in at else number_text(-number(value[at[pair[::-1]]], "a score"))
        for pair in order
    ]


def _renumbered(value: Any, new: Mapping[Any, Any], names: Sequence[str]) -> Any:
    """Positions, or names, by their new ones; lists without those that are gone."""
    if isinstance(value, list):
        kept = [v for v in value if isinstance(v, list) or _position(v, names) in new]
        return [_renumbered(entry, new, names) for entry in kept]
    position = _position(value, names)
    if position not in new and not (isinstance(position, int) and position < 0):  # of a leaf
        raise ParameterError(f"position {value} is not taken")
    return new.get(position, position)


def _position(value: Any, names: Sequence[str]) -> Any:
    return value if value in names or isinstance(value, int) else int(number(value, "a position"))
