"""What programs for quadratic programs get wrong."""

from __future__ import annotations

from fractions import Fraction

from refmc.core.definiteness import quadratic_form
from refmc.core.records import Record, matrix, number, numbers
from refmc.mistakes.fields import dropping, mapped, negating, times, without
from refmc.mistakes.mistake import Mistake, of_answer
from refmc.mistakes.svm import FLOATS_AS_TEXT
from refmc.mistakes.transport import Rewriting

HALF = Fraction(1, 2)

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


def _value_times(share: Fraction) -> Rewriting:
    """The answer with its objective moved by a share of xᵀQx."""

    def rewriting(problem: Record, answer: Record) -> Record | None:
        if not {"x", "objective"} <= answer.keys():
            return None
        square = quadratic_form(matrix(problem["Q"], "problem.Q"), numbers(answer["x"], "answer.x"))
        return {
            **answer,
            "objective": number(answer["objective"], "answer.objective") + share * square,
        }

    return rewriting


MISTAKES: tuple[Mistake, ...] = (
    _ignored("qp.bounds_ignored", "G", "h", INEQUALITY),
    _ignored("qp.equations_ignored", "A", "b", EQUALITY),
    Mistake("qp.diagonal_alone", ("qp.convex",), problem=_diagonal),
    of_answer("qp.value_without_half", ("qp.convex",), _value_times(-HALF), _value_times(HALF)),
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
)

CONVENTIONS = (FLOATS_AS_TEXT,)

HINTS = ("svm.floats_as_text", "qp.half_missing", "qp.linear_sign", "qp.equality_sign")
"""What `check` tries, in this order."""
