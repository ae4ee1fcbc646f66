"""What programs for quadratic programs get wrong."""

from __future__ import annotations

from refmc.core.records import Record, numbers
from refmc.mistakes.fields import mapped, negated, rewritten, without
from refmc.mistakes.mistake import Mistake, of_answer
from refmc.mistakes.svm import FLOATS_AS_TEXT


def _without_inequalities(problem: Record, answer: Record) -> Record | None:
    """The answer without multipliers of inequalities, which must be 0 where these are ignored."""
    name = "inequality_multipliers"
    is_0 = not any(numbers(answer.get(name) or [0], f"answer.{name}"))
    return without(answer, name) if is_0 else None


MISTAKES: tuple[Mistake, ...] = (
    Mistake(
        "qp.bounds_ignored",
        ("qp.convex",),
        problem=lambda problem, answer: [without(problem, "G", "h")] if "G" in problem else [],
        answer=_without_inequalities,
    ),
    Mistake(
        "qp.half_missing",
        ("qp.convex",),
        problem=lambda problem, answer: [{**problem, "Q": mapped(problem["Q"], lambda v: 2 * v)}],
    ),
    Mistake(
        "qp.linear_sign",
        ("qp.convex",),
        problem=lambda problem, answer: [{**problem, "c": negated(problem["c"])}],
    ),
    Mistake(
        "qp.inequality_sign",
        ("qp.convex",),
        problem=lambda problem, answer: (
            [{**problem, "G": negated(problem["G"]), "h": negated(problem["h"])}]
            if "G" in problem
            else []
        ),
    ),
    of_answer(
        "qp.equality_sign",
        ("qp.convex",),
        answer=lambda problem, answer: rewritten(answer, negated, "equality_multipliers"),
    ),
)

CONVENTIONS = (FLOATS_AS_TEXT,)

HINTS = ("svm.floats_as_text", "qp.half_missing", "qp.linear_sign", "qp.equality_sign")
"""What `check` tries, in this order."""
