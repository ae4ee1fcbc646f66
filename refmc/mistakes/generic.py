"""Mistakes that follow from the declared fields: a setting, or an end of an axis, left out.

A program is deaf to a setting if it answers as if the setting were absent. It leaves out the last
row if its answer, but for what belongs to that row, is right for the problem without the row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from refmc.core.records import Record
from refmc.errors import RefmcError
from refmc.mistakes.mistake import Mistake
from refmc.oracle.axes import changed, sizes, taken, taken_answer
from refmc.oracle.families import declared, declared_for, family_of
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

ZEROED = ("columns", "bits", "features")
"""Axes whose positions are left out by zeros in their place, so that answers keep their shape."""


@cache
def generic(family: str) -> tuple[Mistake, ...]:
    """The generic mistakes about problems of a family.

    >>> [v.id for v in generic("ova.decode")][:2]
    ['deaf.rule', 'deaf.classes']
    """
    fields = {field.name: field for about in declared(family)[0] for field in about.optional}
    axes = dict.fromkeys(
        axis for about in declared(family)[0] for field in about.fields for axis in field.axes
    )
    if family.startswith(ONE_BY_ONE):
        axes.pop("rows", None)
    ends = [(axis, end) for axis in axes if axis in ONE_OF for end in ("last", "first")]
    return (
        *(_deaf(family, field) for field in fields.values()),
        *(_left_out(family, axis, end) for axis, end in ends),
    )


def without_setting(problem: Record, field: Field[object]) -> dict[str, Any] | None:
    """The problem as a program sees it that is deaf to a setting; None where it changes nothing.

    >>> from refmc.oracle.families import problem_fields
    >>> problem = {"family": "loss.margin", "z": [1], "rho": 2}
    >>> without_setting(problem, problem_fields(problem)["rho"])
    {'family': 'loss.margin', 'z': [1]}
    """
    if field.name not in problem:
        return None
    if field.neutral is not None:
        value = field.neutral(problem, sizes(problem))
        return None if value == problem[field.name] else {**problem, field.name: value}
    about = declared_for(problem)
    gone = {field.name, *(f.name for f in about.together if field in about.together)}
    gone |= {mine for mine, other in about.beside.items() if other in gone}
    return {name: value for name, value in problem.items() if name not in gone}


def _deaf(family: str, field: Field[object]) -> Mistake:
    def neighbours(problem: Record, answer: Record) -> Iterator[Record]:
        found = without_setting(problem, field)
        if found is not None:
            yield found

    words = f"{field.name} is left out", "the field"
    return Mistake(f"deaf.{field.name}", (family,), neighbours, words=words)


def _left_out(family: str, axis: str, end: str) -> Mistake:
    def kept(problem: Record) -> Sequence[int]:
        length = sizes(problem).get(axis, 0)
        return range(length - 1) if end == "last" else range(1, length)

    def neighbours(problem: Record, answer: Record) -> Iterator[Record]:
        if axis in ZEROED:
            yield from [_zeroed(problem, axis, end)] if axis in sizes(problem) else []
        elif kept(problem):
            neighbour = taken(_named(problem, axis), axis, kept(problem))
            tells = _tells(problem, answer, neighbour, axis, kept(problem))
            yield from [neighbour] if tells else []

    def rewritten(problem: Record, answer: Record) -> Record | None:
        return answer if axis in ZEROED else taken_answer(problem, answer, axis, kept(problem))

    words = f"the {end} {ONE_OF[axis]} is left out", "the data"
    id = f"left_out.{end}_{ONE_OF[axis]}"
    return Mistake(id, (family,), neighbours, rewritten, words=words)


def _zeroed(problem: Record, axis: str, end: str) -> dict[str, Any]:
    """The problem with zeros in the place of an end of an axis."""
    at = sizes(problem)[axis] - 1 if end == "last" else 0

    def zero(value: Any) -> Any:
        return [zero(entry) for entry in value] if isinstance(value, list) else "0"

    def zeroed(value: Any, axes: Sequence[str]) -> Any:
        if not axes or not isinstance(value, list):
            return value
        hit = axes[0] == axis
        return [
            zero(entry) if hit and i == at else zeroed(entry, axes[1:])
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
