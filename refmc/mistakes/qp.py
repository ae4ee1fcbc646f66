"""What programs for quadratic programs get wrong."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from refmc.core.definiteness import quadratic_form
from refmc.core.linalg import dot
from refmc.core.records import Record, matrix, number, numbers
from refmc.mistakes.fields import changing, dropping, mapped, negating, times, without
from refmc.mistakes.mistake import Mistake, of_answer, of_program
from refmc.mistakes.svm import FLOATS_AS_TEXT
from refmc.mistakes.transport import solved

INEQUALITY, EQUALITY = "inequality_multipliers", "equality_multipliers"


def _ignored(id: str, left: str, right: str, multipliers: str) -> Mistake:
    """The mistake of ignoring inequalities or equations, whose multipliers must be 0."""

    def answered(problem: Record, answer: Record) -> Record | None:
        is_0 = not any(numbers(answer.get(multipliers) or [0], f"answer.{multipliers}"))
        return without(answer, multipliers) if is_0 else None

    return Mistake(id, ("qp.convex",), dropping(left, right), answered)


def _diagonal(problem: Record, answer: Record) -> list[Record]:
    rows = matrix(problem["Q"], "problem.Q")
    return [{**problem, "Q": [[v * (i == j) for j, v in enumerate(r)] for i, r in enumerate(rows)]}]


PARTS: dict[str, Callable[[Record, list[Fraction]], Fraction]] = {
    "half": lambda problem, x: -quadratic_form(matrix(problem["Q"], "problem.Q"), x) / 2,
    "linear": lambda problem, x: dot(numbers(problem["c"], "problem.c"), x, Fraction(0)),
}
"""What an objective lacks that is told without its half, or without cᵀx; by the problem and x."""


def _value_without(part: str) -> Mistake:
    """The mistake of an objective that lacks a part."""

    def program(problem: Record) -> Record | None:
        right = solved(problem)
        if "objective" not in right:  # there is no optimum
            return None
        lack = PARTS[part](problem, numbers(right["x"], "x"))
        return {**right, "objective": number(right["objective"], "objective") - lack}

    return of_program(f"qp.value_without_{part}", ("qp.convex",), program)


MISTAKES: tuple[Mistake, ...] = (
    _ignored("qp.bounds_ignored", "G", "h", INEQUALITY),
    _ignored("qp.equations_ignored", "A", "b", EQUALITY),
    Mistake("qp.diagonal_alone", ("qp.convex",), problem=_diagonal),
    *map(_value_without, PARTS),
    *(
        Mistake(
            f"qp.{n}_of_0", ("qp.convex",), problem=changing(n, numbers, lambda v: [0] * len(v))
        )
        for n in ("b", "c", "h")
    ),
    Mistake(
        "qp.half_missing",
        ("qp.convex",),
        problem=lambda problem, answer: [{**problem, "Q": mapped(problem["Q"], lambda v: 2 * v)}],
    ),
    Mistake("qp.linear_sign", ("qp.convex",), problem=negating("c")),
    Mistake(
        "qp.inequality_sign",
        ("qp.convex",),
        problem=negating("G", "h"),
        answer=lambda problem, answer: answer,
        if_tied=(times(lambda problem: -1, INEQUALITY),),
    ),
    of_answer("qp.equality_sign", ("qp.convex",), times(lambda problem: -1, EQUALITY)),
    of_answer("qp.multiplier_sign", ("qp.convex",), times(lambda problem: -1, INEQUALITY)),
    of_answer("qp.value_negated", ("qp.convex",), times(lambda problem: -1, "objective")),
)

CONVENTIONS = (FLOATS_AS_TEXT,)

HINTS = ("svm.floats_as_text", "qp.half_missing", "qp.linear_sign", "qp.equality_sign")
"""What `check` tries, in this order."""
