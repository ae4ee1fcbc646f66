"""What bounds on risks, mistakes and errors get wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, fsum, log, sqrt
from typing import NamedTuple

from refmc.core.linalg import dot
from refmc.core.records import Record, matrix, number, numbers
from refmc.mistakes.fields import of_unit, without
from refmc.mistakes.mistake import Mistake, of_program
from refmc.mistakes.transport import Program, solved
from refmc.oracle.axes import sizes

RADEMACHER, MARGIN, KERNEL = "bound.rademacher", "bound.margin", "bound.kernel_rademacher"
KERNEL_MARGIN, PERCEPTRON, ADABOOST = "bound.kernel_margin", "bound.perceptron", "bound.adaboost"
MARGINS = (MARGIN, KERNEL_MARGIN)


class Terms(NamedTuple):
    """The terms of a margin bound, and what they depend on; `sample`: 3 on a sample, else 1."""

    complexity: float
    confidence: float
    k: float
    delta: float
    sample: float


MARGIN_TERMS: dict[str, Callable[[Terms], tuple[float, float]]] = {
    "classes_power": lambda at: (at.complexity / at.k, at.confidence),
    "ordered_pairs": lambda at: (at.complexity * (at.k - 1) / (2 * at.k), at.confidence),
    "log_ten": lambda at: (at.complexity, at.confidence / sqrt(log(10))),
    "rows_not_doubled": lambda at: (at.complexity, at.confidence * sqrt(2)),
    "no_root": lambda at: (at.complexity, at.confidence**2 / at.sample),
    "three_missing": lambda at: (at.complexity, at.confidence / at.sample),
    "one_chance": lambda at: (
        at.complexity,
        at.confidence * (sqrt(log(1 / at.delta) / log(2 / at.delta)) if at.sample > 1 else 1),
    ),
}
"""The terms of a margin bound as they are computed from the right ones."""


def _margin_bound(of: Callable[[Terms], tuple[float, float]]) -> Program:
    def program(problem: Record) -> Record:
        right = solved(problem)
        on_sample = "empirical_complexity" in problem or problem.get("on_sample", False)
        c, q = (float(number(right[n], n)) for n in ("complexity", "confidence"))
        k, delta = (float(number(problem[n], n)) for n in ("k", "delta"))
        complexity, confidence = of(Terms(c, q, k, delta, 3 if on_sample else 1))
        total = float(number(problem["empirical"], "empirical")) + complexity + confidence
        return {
            "empirical": problem["empirical"], "complexity": Fraction(complexity),
            "confidence": Fraction(confidence), "total": Fraction(total), "vacuous": total >= 1,
        }  # fmt: skip

    return program


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


class Separated(NamedTuple):
    """R² and γ² of a separator of norm 1, its bound, the squared norm of the one that is given, and
    the rows."""

    R: Fraction
    margin: Fraction
    bound: Fraction
    norm: Fraction
    rows: list[list[Fraction]]

    def with_R(self, R: Fraction) -> tuple[Fraction, Fraction, Fraction]:
        """Another R², and the bound that it makes."""
        return R, self.margin, self.bound * R / self.R


OF_SEPARATORS: dict[str, Callable[[Separated], tuple[Fraction, Fraction, Fraction]]] = {
    "unit_separator": lambda at: (at.R, at.margin * at.norm, at.bound / at.norm),
    "margin_not_squared": lambda at: (at.R, at.margin, at.bound * Fraction(sqrt(at.margin))),
    "mean_radius": lambda at: at.with_R(sum(map(_square, at.rows), Fraction(0)) / len(at.rows)),
    "bias_not_in_radius": lambda at: at.with_R(max(_square(x[:-1]) for x in at.rows)),
}
"""R², γ² and the bound as they are counted."""


def _square(x: Sequence[Fraction]) -> Fraction:
    return dot(x, x, Fraction(0))


def _of_separator(of: Callable[[Separated], tuple[Fraction, ...]]) -> Program:
    def program(problem: Record) -> Record | None:
        right, names = solved(problem), ("R_squared", "margin_squared", "bound")
        R, margin, bound = (number(right[n], n) for n in names)
        W = matrix(problem["W"] if "W" in problem else [problem["w"]], "w")
        norm = sum(map(_square, W), number(problem.get("b", 0), "b") ** 2)
        rows = [[*x, Fraction("b" in problem)] for x in matrix(problem["X"], "X")]
        return dict(zip(names, of(Separated(R, margin, bound, norm, rows))))

    return program


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


def _of_ball(value: Callable[[Fraction, Fraction], Fraction]) -> Program:
    """Another value of r²Λ² and m than √(r²Λ²/m)."""

    def program(problem: Record) -> Record:
        r, Lambda, m = (number(problem[n], n) for n in ("r_squared", "Lambda_squared", "m"))
        return {"value": value(r * Lambda, m)}

    return program


MISTAKES: tuple[Mistake, ...] = (
    *(of_program(f"bound.{name}", MARGINS, _margin_bound(of)) for name, of in MARGIN_TERMS.items()),
    Mistake("bound.two_sided_delta", MARGINS, problem=_other_form),
    Mistake("bound.absolute_value", (RADEMACHER,), problem=_with_bars),
    of_program("bound.sup_outside", (RADEMACHER,), lambda problem: {"value": Fraction(0)}),
    *(
        of_program(f"bound.{name}", (PERCEPTRON,), _of_separator(of))
        for name, of in OF_SEPARATORS.items()
    ),
    of_program("bound.two_missing", (ADABOOST,), _rounds(lambda v, T: v / 2**T)),
    of_program("bound.squared", (ADABOOST,), _rounds(lambda v, T: v * v)),
    of_program("bound.edge_not_squared", (ADABOOST,), _edges(lambda v: 2 * v)),
    of_program("bound.exponent_halved", (ADABOOST,), _edges(lambda v: v * v)),
    of_unit("bound.not_over_m", (RADEMACHER,), lambda problem: sizes(problem)["rows"], "value"),
    of_unit("bound.twice", (RADEMACHER,), lambda problem: 2, "value"),
    of_program("bound.radius_squared", (KERNEL,), _of_ball(lambda v, m: v / Fraction(sqrt(m)))),
    of_program("bound.root_forgotten", (KERNEL,), _of_ball(lambda v, m: v / m)),
)
