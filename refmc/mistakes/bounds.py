"""What bounds on risks, mistakes and errors get wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction
from math import exp, fsum, log, log10, sqrt
from typing import Any

from refmc.core.records import Record, matrix, number, numbers
from refmc.mistakes.fields import rewritten, without
from refmc.mistakes.mistake import Mistake, of_answer, of_program, of_run
from refmc.mistakes.transport import Program, Rewriting, solved
from refmc.oracle.axes import sizes

RADEMACHER, MARGIN, KERNEL = "bound.rademacher", "bound.margin", "bound.kernel_rademacher"
KERNEL_MARGIN, PERCEPTRON, ADABOOST = "bound.kernel_margin", "bound.perceptron", "bound.adaboost"
MARGINS = (MARGIN, KERNEL_MARGIN)


def _margin_bound(problem: Record, wrong: Collection[str]) -> Record:
    """The margin bound in floats, with switches for its factors."""
    k, rho, m, delta = (float(number(problem[n], n)) for n in ("k", "rho", "m", "delta"))
    on_sample = "empirical_complexity" in problem or problem.get("on_sample", False)
    if problem["family"] == KERNEL_MARGIN:
        r, Lambda = (float(number(problem[n], n)) for n in ("r_squared", "Lambda_squared"))
        complexity = sqrt(r * Lambda / m)
    else:
        name = "empirical_complexity" if on_sample else "expected_complexity"
        complexity = float(number(problem[name], name))
    power = 2 * k if "classes_power" in wrong else 2 * k * k
    complexity *= k * (k - 1) if "ordered_pairs" in wrong else power
    chances = 2 if on_sample and "one_chance" not in wrong else 1
    ln = log10 if "log_ten" in wrong else log
    confidence = ln(chances / delta) / (m if "rows_not_doubled" in wrong else 2 * m)
    if "no_root" not in wrong:
        confidence = sqrt(confidence)
    confidence *= 3 if on_sample and "three_missing" not in wrong else 1
    total = float(number(problem["empirical"], "empirical")) + complexity / rho + confidence
    return {
        "empirical": problem["empirical"], "complexity": Fraction(complexity / rho),
        "confidence": Fraction(confidence), "total": Fraction(total), "vacuous": total >= 1,
    }  # fmt: skip


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


def _rounds(product: Callable[[Fraction, int], Fraction]) -> Program:
    """Another product than that of 2√(ε(1 − ε)), from it and the number of rounds."""

    def program(problem: Record) -> Record:
        right = number(solved(problem)["product"], "product")
        return {"product": product(right, len(numbers(problem["epsilons"], "epsilons")))}

    return program


def _edges(of: Callable[[float], float]) -> Program:
    """The exponential of minus a sum over the edges ½ − ε."""

    def program(problem: Record) -> Record:
        edges = [0.5 - float(v) for v in numbers(problem["epsilons"], "epsilons")]
        return {"exponential": Fraction(exp(-fsum(map(of, edges))))}

    return program


def _times(factor: Callable[[Record], int]) -> tuple[Rewriting, Rewriting]:
    """A value multiplied by a factor: what takes it away, and what makes it."""

    def changed(power: int) -> Rewriting:
        return lambda problem, answer: rewritten(
            answer, lambda v: number(v, "value") * Fraction(factor(problem)) ** power, "value"
        )

    return changed(-1), changed(1)


def _of_ball(value: Callable[[Fraction, Fraction], Fraction]) -> Program:
    """Another value of r²Λ² and m than √(r²Λ²/m)."""

    def program(problem: Record) -> Record:
        r, Lambda, m = (number(problem[n], n) for n in ("r_squared", "Lambda_squared", "m"))
        return {"value": value(r * Lambda, m)}

    return program


MISTAKES: tuple[Mistake, ...] = (
    *(
        of_run(_margin_bound, f"bound.{name}", MARGINS)
        for name in (
            "classes_power",
            "ordered_pairs",
            "log_ten",
            "rows_not_doubled",
            "no_root",
            "three_missing",
            "one_chance",
        )
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
    of_program("bound.two_missing", (ADABOOST,), _rounds(lambda v, T: v / 2**T)),
    of_program("bound.squared", (ADABOOST,), _rounds(lambda v, T: v * v)),
    of_program("bound.edge_not_squared", (ADABOOST,), _edges(lambda v: 2 * v)),
    of_program("bound.exponent_halved", (ADABOOST,), _edges(lambda v: v * v)),
    of_answer("bound.not_over_m", (RADEMACHER,), *_times(lambda problem: sizes(problem)["rows"])),
    of_answer("bound.twice", (RADEMACHER,), *_times(lambda problem: 2)),
    of_program("bound.radius_squared", (KERNEL,), _of_ball(lambda v, m: v / Fraction(sqrt(m)))),
    of_program("bound.root_forgotten", (KERNEL,), _of_ball(lambda v, m: v / m)),
)
