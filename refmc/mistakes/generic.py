"""Mistakes that follow from the declared fields, the same for every family.

A program is deaf to a setting if it answers as if the setting were absent. Counts are one more or
less, amounts squared or inverse; rows are scaled first, or those that repeat one left out; an end
of an axis is left out, or an axis reversed; an answer is in other units, or names other classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import chain
from typing import Any

from refmc.core.records import Record, items, number
from refmc.errors import FormatError
from refmc.mistakes.fields import changing
from refmc.mistakes.generic_answers import of_answers
from refmc.mistakes.generic_axes import of_axes
from refmc.mistakes.generic_rows import of_rows
from refmc.mistakes.generic_svm import of_svms
from refmc.mistakes.generic_told import of_told
from refmc.mistakes.kernels import of_kernels
from refmc.mistakes.mistake import Mistake, of_fields
from refmc.mistakes.plain_ascent import of_steps
from refmc.mistakes.qp import of_programs
from refmc.oracle.axes import changed, sizes
from refmc.oracle.families import declared, declared_for, problem_fields
from refmc.oracle.fields import Field

COUNTS: dict[str, tuple[str, Callable[[int], int]]] = {
    "one_more": ("is one more", lambda n: n + 1),
    "one_less": ("is one less", lambda n: n - 1),
    "twice": ("is doubled", lambda n: 2 * n),
}
"""What is done to whole numbers."""

AMOUNTS: dict[str, tuple[str, Callable[[Fraction], Fraction]]] = {
    "squared": ("is squared", lambda v: v * v),
    "inverse": ("is inverse", lambda v: 1 / v),
    "whole": ("is cut to a whole number", lambda v: Fraction(int(v))),
    "doubled": ("is doubled", lambda v: 2 * v),
    "halved": ("is halved", lambda v: v / 2),
    "one": ("is taken for 1", lambda v: Fraction(1)),
}
"""What is done to other numbers."""

CHANGES: tuple[Callable[[Fraction, Fraction], bool], ...] = (
    lambda old, new: new == old + 1,
    lambda old, new: new == old - 1,
    lambda old, new: new == 2 * old,
    lambda old, new: new in (old / 2, old // 2),
    lambda old, new: new == old * old,
    lambda old, new: new * old == 1,
    lambda old, new: new == int(old),
)
"""What may have been done to a number, whether a mistake has its name or not."""

SIZES = ("k", "m")
"""Whole numbers that say how large a problem is, which nobody counts wrong by doubling."""


@cache
def generic(family: str) -> tuple[Mistake, ...]:
    """The generic mistakes about problems of a family.

    >>> [v.id for v in generic("ova.decode")][:3]
    ['deaf.rule', 'other.rule', 'deaf.classes']
    """
    fields = {field.name: field for about in declared(family)[0] for field in about.fields}
    optional = {field.name for about in declared(family)[0] for field in about.optional}
    found = []
    for name, field in fields.items():
        kind = str(field.kind)
        if name in optional:
            found.append(_deaf(family, field))
        if field.is_setting and "/$defs/whole'" in kind:
            found += [
                _number(family, name, id, *change)
                for id, change in COUNTS.items()
                if id != "twice" or name not in SIZES
            ]
        if field.is_setting and len(field.named) > 1:
            found.append(_other(family, field))
        if field.is_setting and "/$defs/number'" in kind:
            found += [
                _number(family, name, id, *change)
                for id, change in AMOUNTS.items()
                if id != "one" or name not in optional  # what need not be there has a default
            ]
    found.append(Mistake("numbers.numerators", (family,), _numerators))
    by_fields = of_rows(family, fields), of_axes(family, fields)
    by_family = (
        of(family) for of in (of_answers, of_svms, of_told, of_steps, of_kernels, of_programs)
    )
    # what a family says of one replaces what follows from the fields
    return (*{m.id: m for m in (*found, *chain(*by_fields, *by_family))}.values(),)


def are_ambiguous(mistake: Mistake, problems: Iterable[Record]) -> bool:
    """Whether another change makes the same numbers of those that a generic mistake changes.

    >>> less = next(m for m in generic("boost.ada") if m.id == "one_less.rounds")
    >>> [are_ambiguous(less, [{"family": "boost.ada", "rounds": n}]) for n in (2, 4)]
    [True, False]
    """
    name, pairs, are_default = mistake.id.partition(".")[2], set[tuple[Fraction, Fraction]](), True
    for problem in problems if mistake.problem and mistake.words else ():
        field = problem_fields(problem).get(name)
        if field is None:
            return False
        for other in mistake.problem(problem, {}) if mistake.problem else ():
            try:
                old, new = (number(p.get(name, field.default), name) for p in (problem, other))
            except FormatError:  # it is no number, or is left out
                return False
            pairs.add((old, new))
            are_default = are_default and new == field.default
    alike = [all(of(old, new) for old, new in pairs) for of in CHANGES]
    return pairs != set() and alike.count(True) + are_default > 1


def _number(family: str, name: str, id: str, clause: str, change: Callable[[Any], Any]) -> Mistake:
    """The mistake of changing the number that a field holds."""

    neighbours = changing(name, number, lambda v: change(v) if v else v)
    answer = _without_last_zeros if name == "epochs" else None
    return of_fields(f"{id}.{name}", family, f"{name} {clause}", neighbours, answer)


def _without_last_zeros(problem: Record, answer: Record) -> Record | None:
    """The answer without counts of 0 at the end, which may be those of epochs that never came."""
    if "mistakes" not in answer:
        return answer
    counts = list(items(answer["mistakes"], "answer.mistakes"))
    while len(counts) > 1 and counts[-1] == 0:
        counts.pop()
    return {**answer, "mistakes": counts}


def _other(family: str, field: Field[object]) -> Mistake:
    """The mistake of taking another value of a setting, but for one that admits all."""

    def neighbours(problem: Record, answer: Record) -> Iterator[Record]:
        own = problem.get(field.name, field.default), "any", "either"  # which admit every choice
        yield from ({**problem, field.name: v} for v in field.named if v not in own)

    return of_fields(f"other.{field.name}", family, f"{field.name} has another value", neighbours)


def _numerators(problem: Record, answer: Record) -> Iterator[Record]:
    """The problem with p in the place of each number p/q."""

    def cut(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [cut(entry) for entry in value]
        return value.partition("/")[0] if isinstance(value, str) else value

    def change(field: Field[object], value: Any) -> Any:
        return cut(value) if field.holds_numbers else value

    found = changed(problem, declared_for(problem).by_name, change)
    yield from [found] if found != problem else []


def without_setting(problem: Record, field: Field[object]) -> dict[str, Any] | None:
    """The problem as a program sees it that is deaf to a setting; None where it changes nothing.

    >>> from refmc.oracle.families import problem_fields
    >>> problem = {"family": "loss.margin", "z": [1], "rho": 2}
    >>> without_setting(problem, problem_fields(problem)["rho"])
    {'family': 'loss.margin', 'z': [1]}
    """
    if field.name not in problem or problem[field.name] == field.default:
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

    return of_fields(f"deaf.{field.name}", family, f"{field.name} is ignored", neighbours)
