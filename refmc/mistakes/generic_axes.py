"""What is left out at an end of an axis, and axes that are taken in another order.

A program leaves out the last row if its answer, but for what belongs to that row, is right for the
problem without the row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from refmc.core.records import Record
from refmc.errors import RefmcError
from refmc.mistakes.mistake import Mistake, of_fields
from refmc.oracle.axes import along, changed, sizes, taken, taken_answer
from refmc.oracle.families import declared_for, family_of, problem_fields
from refmc.oracle.fields import Field

ONE_OF = {
    "rows": "row", "columns": "column", "classes": "class", "bits": "bit", "rounds": "round",
    "unknowns": "unknown", "equations": "equation", "inequalities": "inequality",
    "features": "feature", "hypotheses": "hypothesis", "places": "place",
}  # fmt: skip
"""What a position of an axis is called; other axes have none of their own."""

ONE_BY_ONE = ("loss.", "code.", "ovo.", "ova.", "nodes.")
"""Families whose rows are judged one by one, so that the others tell nothing of one left out."""

GAP = Fraction(1, 10**9)
"""What may be off where a right answer is judged for a neighbour."""

ZEROED = ("columns", "features")
"""Axes whose positions are left out by zeros in their place, so that answers keep their shape."""

ORDERS: dict[str, tuple[str, Callable[[int], list[int]]]] = {
    "reversed": ("stand in reversed order", lambda n: [*range(n)][::-1]),
    "first_two": ("have the first two exchanged", lambda n: [1, 0, *range(2, n)][: max(n, 0)]),
    "last_two": ("have the last two exchanged", lambda n: [*range(n - 2), n - 1, n - 2]),
}
"""The orders in which the positions of an axis of a field are taken."""


ONCE: dict[str, tuple[tuple[str, ...], int]] = {
    "once": (("weights", "row_costs"), -1),
    "of_first_label": (("weights", "y", "Y"), -1),
    "of_last_label": (("weights", "y", "Y"), 1),
}
"""Which of equal rows are kept: without which fields they are equal, and whether the first is."""


def of_axes(family: str, fields: Mapping[str, Field[object]]) -> Iterator[Mistake]:
    """The mistakes about the axes of problems of a family."""
    axes = dict.fromkeys(axis for field in fields.values() for axis in field.axes)
    for axis in axes:
        if axis in ONE_OF and not (axis == "rows" and family.startswith(ONE_BY_ONE)):
            one = ONE_OF[axis]
            for end in ("last", "first"):
                id, clause = f"left_out.{end}_{one}", f"the {end} {one} is left out"
                made = _left_out(family, axis, id, partial(_but_one, axis, end))
                yield replace(made, words=(clause, "the fields"))
    of_rows = [n for n, field in fields.items() if field.axes[:1] == ("rows",)]
    if of_rows and not family.startswith(ONE_BY_ONE[1:]):
        for name, (without, step) in ONCE.items():
            names = [n for n in of_rows if n not in without]
            yield _left_out(family, "rows", f"rows.{name}", partial(_once, names, step))
    for field in fields.values():
        for axis in dict.fromkeys(field.axes):
            if axis in ONE_OF and axis != "rows":
                yield from (_reordered(family, field, axis, order) for order in ORDERS)
    if family.startswith(("perceptron.", "sgd.")):
        clause = "rows are visited from the last to the first"
        yield of_fields("order.reversed_rows", family, clause, _rows_reversed)


def _rows_reversed(problem: Record, answer: Record) -> list[Record]:
    return [taken(problem, "rows", range(sizes(problem)["rows"])[::-1])]


def _reordered(family: str, field: Field[object], axis: str, order: str) -> Mistake:
    """The mistake of taking the positions of one field in another order than those of others."""
    clause, positions = ORDERS[order]

    def neighbours(problem: Record, answer: Record) -> Iterator[Record]:
        size = sizes(problem).get(axis, 0)
        if field.name in problem and size > 1:
            moves = {axis: positions(size)}
            value = along(problem[field.name], field.axes, moves, size)
            if value != problem[field.name]:
                yield {**problem, field.name: value}

    id = f"order.{order}_{axis}_of_{field.name}"
    what = axis if axis == field.name else f"{axis} of {field.name}"
    made = of_fields(id, family, f"the {what} {clause}", neighbours)
    return replace(made, at_least=2)  # of many orders one may fit a single answer by chance


def _but_one(axis: str, end: str, problem: Record) -> Sequence[int]:
    """The positions of an axis but for the one at an end."""
    length = sizes(problem).get(axis, 0)
    return range(length - 1) if end == "last" else range(1, length)


def _once(names: Sequence[str], step: int, problem: Record) -> Sequence[int]:
    """The positions of the first (step −1) of rows that are equal in these fields, or the last in
    the place of the first, as in a dictionary; none where all differ, or where something else says
    which rows are visited."""
    if any(n in problem for n, field in problem_fields(problem).items() if field.points == "rows"):
        return []
    given: Any = [problem[name] for name in names if isinstance(problem.get(name), list)]
    rows = [*enumerate(map(str, zip(*given)))]
    kept = {row: i for i, row in rows[::step]}
    positions = sorted(kept.values()) if step < 0 else [*kept.values()]
    return positions if len(kept) < len(rows) else []


def _left_out(family: str, axis: str, id: str, kept: Callable[[Record], Sequence[int]]) -> Mistake:
    """The mistake of keeping some positions of an axis alone."""

    def neighbours(problem: Record, answer: Record) -> Iterator[Record]:
        if axis in ZEROED and axis in sizes(problem):
            yield _zeroed(problem, axis, kept(problem))
            if not kept(problem):
                yield problem  # the only position may be left out or not
        if not kept(problem):
            return
        if axis in ZEROED:
            yield taken(problem, axis, kept(problem))  # to which an answer may be one short
            return
        neighbour = taken(_named(problem, axis), axis, kept(problem))
        is_whole = taken_answer(problem, answer, axis, kept(problem)) == answer
        if is_whole or _tells(problem, answer, neighbour, axis, kept(problem)):
            yield neighbour

    def rewritten(problem: Record, answer: Record) -> Record | None:
        return answer if axis in ZEROED else taken_answer(problem, answer, axis, kept(problem))

    return Mistake(id, (family,), neighbours, rewritten)


def _zeroed(problem: Record, axis: str, kept: Sequence[int]) -> dict[str, Any]:
    """The problem with zeros in the place of the other positions of an axis."""

    def zero(value: Any) -> Any:
        return [zero(entry) for entry in value] if isinstance(value, list) else "0"

    def zeroed(value: Any, axes: Sequence[str]) -> Any:
        if not axes or not isinstance(value, list):
            return value
        hit = axes[0] == axis
        return [
            zero(entry) if hit and i not in kept else zeroed(entry, axes[1:])
            for i, entry in enumerate(value)
        ]

    def change(field: Field[object], value: Any) -> Any:
        return zeroed(value, field.axes) if field.holds_numbers else value

    return changed(problem, declared_for(problem).by_name, change)


def _named(problem: Record, axis: str) -> Record:
    """The problem with its classes named, so that they keep their names, where positions do it."""
    about = declared_for(problem).by_name
    if axis != "classes" or "classes" not in about or {"classes", "y"} & problem.keys():
        return problem
    return {**problem, "classes": list(range(sizes(problem)["classes"]))}


def _tells(
    problem: Record, answer: Record, neighbour: Record, axis: str, kept: Sequence[int]
) -> bool:
    """Whether the right answer, cut in the same way, is wrong for the neighbour in these fields.

    Otherwise nothing but what is left out was wrong, and any answer would be explained.
    """
    family = family_of(str(problem["family"]))
    try:
        right = {n: v for n, v in family.solve(problem, None).items() if n in answer or not answer}
        right = taken_answer(problem, right, axis, kept)
        return family.judge(neighbour, right, GAP, None).status != "VERIFIED"
    except RefmcError:  # it is about what is left out
        return True
