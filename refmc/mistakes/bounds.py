"""What bounds on risks, mistakes and errors get wrong."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from refmc.core.records import Record, matrix, number, numbers
from refmc.mistakes.fields import without
from refmc.mistakes.mistake import Mistake, of_answer, of_program
from refmc.mistakes.transport import solved

RADEMACHER, MARGIN, KERNEL = "bound.rademacher", "bound.margin", "bound.kernel_rademacher"
KERNEL_MARGIN, PERCEPTRON, ADABOOST = "bound.kernel_margin", "bound.perceptron", "bound.adaboost"
MARGINS = (MARGIN, KERNEL_MARGIN)


def _complexity_times(answer: Record, factor: Fraction) -> Record | None:
    """The bound with its term of complexity multiplied."""
    if "complexity" not in answer:
        return None
    before = number(answer["complexity"], "complexity")
    kept = {**answer, "complexity": before * factor}
    if "total" in answer:
        kept["total"] = number(answer["total"], "total") + before * (factor - 1)
    return kept


def _two_k(problem: Record, answer: Record) -> Record | None:
    """2k in the place of 2k²."""
    found = _complexity_times(answer, 1 / number(problem["k"], "k"))
    return None if found is None else without(found, "vacuous")


def _other_form(problem: Record, answer: Record) -> list[Record]:
    """The expected complexity for the empirical one, and its term of δ."""
    names = ("expected_complexity", "empirical_complexity")
    if problem["family"] == KERNEL_MARGIN:
        return [{**problem, "on_sample": not problem.get("on_sample", False)}]
    own, other = names if names[0] in problem else names[::-1]
    return [{**without(problem, own), other: problem[own]}]


def _with_bars(problem: Record, answer: Record) -> list[Record]:
    """Every hypothesis with its negative, so that the supremum is that of |Σ σ h|."""
    rows = matrix(problem["values"], "values")
    return [{**problem, "values": [*rows, *([-v for v in row] for row in rows)]}]


def _norm_squared(problem: Record) -> Fraction:
    W = matrix(problem["W"] if "W" in problem else [problem["w"]], "w")
    b = number(problem.get("b", 0), "b")
    return sum((v * v for row in W for v in row), b * b)


def _margin_times(answer: Record, factor: Fraction) -> Record | None:
    changed: dict[str, Any] = {}
    if "margin_squared" in answer:
        changed["margin_squared"] = number(answer["margin_squared"], "margin") * factor
    if "bound" in answer:
        changed["bound"] = number(answer["bound"], "bound") / factor
    return {**answer, **changed} if changed else None


def _half_missing(problem: Record) -> Record | None:
    """Π √(ε(1 − ε)) without the 2 of each round."""
    right = solved(problem)
    rounds = len(numbers(problem["epsilons"], "epsilons"))
    return {"product": number(right["product"], "product") / 2**rounds}


def _root_forgotten(problem: Record) -> Record | None:
    """r²Λ²/m without its root."""
    r, Lambda, m = (number(problem[n], n) for n in ("r_squared", "Lambda_squared", "m"))
    return {"value": r * Lambda / m}


MISTAKES: tuple[Mistake, ...] = (
    of_answer(
        "bound.classes_power",
        MARGINS,
        answer=lambda problem, answer: _complexity_times(answer, number(problem["k"], "k")),
        spoil=_two_k,
    ),
    Mistake("bound.two_sided_delta", MARGINS, problem=_other_form),
    Mistake("bound.absolute_value", (RADEMACHER,), problem=_with_bars),
    of_program("bound.sup_outside", (RADEMACHER,), lambda problem: {"value": Fraction(0)}),
    of_answer(
        "bound.unit_separator",
        (PERCEPTRON,),
        answer=lambda problem, answer: _margin_times(answer, 1 / _norm_squared(problem)),
        spoil=lambda problem, answer: _margin_times(answer, _norm_squared(problem)),
    ),
    of_program("bound.two_missing", (ADABOOST,), _half_missing),
    of_program("bound.root_forgotten", (KERNEL,), _root_forgotten),
)
