"""Weights and scores as programs for SVMs give them that get something wrong.

What is right comes from the reference answer; what is done with it then stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import inf
from typing import Any, NamedTuple

from refmc.core.records import Record, matrix, number, numbers
from refmc.errors import FormatError
from refmc.mistakes.fields import mapped, row_count, row_weights, without
from refmc.mistakes.generic_rows import to_length
from refmc.mistakes.transport import Program, solved
from refmc.oracle.reading import read_codes, read_rows_or_gram, read_signs
from refmc.theory.grams import gram

BINARY, MULTICLASS = "svm.binary", "svm.multiclass"

ZERO, ONE = Fraction(0), Fraction(1)


def _kernel(problem: Record) -> list[list[Fraction]]:
    rows = read_rows_or_gram(problem)
    given: Any = rows.gram if rows.gram is not None else gram(rows.kernel, rows.X or [])
    return [list(row) for row in given]


def _signed(problem: Record, alpha: Sequence[Fraction]) -> list[Fraction]:
    """α y, by which rows are multiplied in w."""
    return [a * s for a, s in zip(alpha, read_signs(problem, row_count(problem))[0])]


def _products(problem: Record, signed: Sequence[Fraction]) -> list[Fraction]:
    """w·x_i of the weights that the rows make, each times its coefficient."""
    return [sum((a * v for a, v in zip(signed, row)), ZERO) for row in _kernel(problem)]


def _alpha(problem: Record) -> list[Fraction]:
    """The right multipliers; `FormatError` where there are none."""
    return _alpha_of(solved(problem))


def _alpha_of(right: Record) -> list[Fraction]:
    if "alpha" not in right:
        raise FormatError("rows that no hyperplane separates")
    return numbers(right["alpha"], "alpha")


def _weights(problem: Record, signed: Sequence[Fraction]) -> dict[str, Any]:
    """w, where there is one, of the rows, each times its coefficient."""
    rows = read_rows_or_gram(problem)
    if not rows.is_linear or rows.X is None:
        return {}
    columns = zip(*([a * v for v in x] for a, x in zip(signed, rows.X)))
    return {"w": [sum(column, ZERO) for column in columns]}


Term = Callable[[int, Fraction, Fraction, "Fraction | float"], "Fraction | None"]
"""From y, w·x, α and its bound."""


class Scored(NamedTuple):
    """Rows with their labels as signs, their scores without a bias, multipliers and bounds."""

    signs: Sequence[int]
    scores: Sequence[Fraction]
    alpha: Sequence[Fraction]
    caps: Sequence[Fraction | float]

    @property
    def rows(self) -> list[tuple[int, Fraction, Fraction, Fraction | float]]:
        """The same for each row."""
        return list(zip(self.signs, self.scores, self.alpha, self.caps))

    def mean(self, of: Term) -> Fraction | None:
        """The mean of a term over the rows that have one; None without any."""
        terms = [v for row in self.rows if (v := of(*row)) is not None]
        return sum(terms, ZERO) / len(terms) if terms else None


Bias = Callable[[Scored], Fraction | None]

Coefficient = Callable[[int, Fraction, Fraction | float], Fraction]
"""From y, α and its bound."""


def of_free(at: Scored) -> Fraction | None:
    """The bias as it should be, the mean of y − w·x over the rows with 0 < α < C."""
    return at.mean(lambda s, f, a, cap: s - f if 0 < a < cap else None)


def _midway(at: Scored, of: Callable[[list[Fraction], int], Fraction]) -> Fraction | None:
    """Minus the number halfway between those of the two classes' scores."""
    sides = [[f for s, f in zip(at.signs, at.scores) if s == side] for side in (1, -1)]
    return -(of(sides[0], 1) + of(sides[1], -1)) / 2 if all(sides) else None


BIASES: dict[str, Bias] = {
    "bias_from_bounded": lambda at: at.mean(lambda s, f, a, cap: s - f if a > 0 else None),
    "bias_from_signs": lambda at: at.mean(
        lambda s, f, a, cap: Fraction(s - (f > 0) + (f < 0)) if a > 0 else None
    ),
    "bias_from_all_rows": lambda at: at.mean(lambda s, f, a, cap: s - f),
    "bias_midway_of_scores": lambda at: -(max(at.scores) + min(at.scores)) / 2,
    "bias_of_hard_margin": lambda at: _midway(at, lambda f, side: (max, min)[side > 0](f)),
    "bias_midway_of_means": lambda at: _midway(at, lambda f, side: sum(f, ZERO) / len(f)),
}
"""Biases that are computed from the right multipliers."""


def with_losses(problem: Record) -> Record:
    """The right answer, and its scores, losses and value."""
    right = solved(problem)
    alpha = _alpha_of(right)
    b = number(right.get("b", 0), "b")
    scores = [f + b for f in _products(problem, _signed(problem, alpha))]
    return {**_losses(problem, alpha, scores, b), **right}


def scored_by(problem: Record, right: Record, factor: int = 1) -> Scored:
    """What `with_losses` answers, as biases are computed from it; of multipliers times a factor."""
    m, b = row_count(problem), number(right.get("b", 0), "b")
    scores = [factor * (f - b) for f in numbers(right["scores"], "scores")]
    alpha = [factor * a for a in numbers(right["alpha"], "alpha")]
    return Scored(read_signs(problem, m)[0], scores, alpha, _caps(problem))


def with_bias(bias: Bias, factor: int = 1, right: Program = with_losses) -> list[Program]:
    """The right multipliers times a factor, and their weights, with another bias; beside them the
    losses and the value that this makes, or not."""

    def program(problem: Record, tells_losses: bool) -> Record | None:
        found = right(problem) if problem.get("bias", True) is not False else None
        at = scored_by(problem, found, factor) if found else None
        b = bias(at) if at else None
        if found is None or at is None or b is None:
            return None
        w = {"w": mapped(found["w"], lambda v: factor * v)} if "w" in found else {}
        made = {"alpha": at.alpha, **w, "b": b}
        scores = [f + b for f in at.scores]
        return {**made, **_losses(problem, at.alpha, scores, b)} if tells_losses else made

    return [partial(program, tells_losses=tells) for tells in (False, True)]


def _caps(problem: Record) -> list[Fraction | float]:
    """The bounds of multipliers."""
    C = number(problem["C"], "problem.C") if "C" in problem else inf
    return [C * w if w else w for w in row_weights(problem)]


def _losses(
    problem: Record, alpha: Sequence[Fraction], scores: Sequence[Fraction], b: Fraction
) -> Record:
    """Scores, losses and value of multipliers with a bias."""
    signs = read_signs(problem, row_count(problem))[0]
    slack = [max(ZERO, 1 - s * f) for s, f in zip(signs, scores)]
    norm = sum((a * s * (f - b) for a, s, f in zip(alpha, signs, scores)), ZERO)
    norm += b * b if problem.get("bias") == "penalised" else 0
    power = 2 if problem.get("loss") == "squared_hinge" else 1
    caps = zip(_caps(problem), slack)
    paid = sum((cap * v**power for cap, v in caps if isinstance(cap, Fraction)), ZERO)
    found = {"scores": scores, "objective": norm / 2 + paid}
    return {**found, "slack": slack} if "C" in problem else found


def right_scores(problem: Record) -> Record | None:
    """The scores and labels of the optimum; None for features of pairs of a row and a class."""
    found = solved(problem)
    if problem["family"] == MULTICLASS:
        has_rows = "X" in problem or "gram" in problem
        return {"scores": _class_scores(problem, found["lam"])} if has_rows else None
    return scored(problem, number(found.get("b", 0), "b"))


def solved_with_scores(problem: Record) -> Record:
    """The right answer, with its scores where it has some."""
    return {**solved(problem), **(right_scores(problem) or {})}


def scored(problem: Record, b: Fraction) -> Record:
    """The scores of the right weights with a bias, and the labels that these make."""
    scores = [f + b for f in _products(problem, _signed(problem, _alpha(problem)))]
    classes = read_signs(problem, row_count(problem))[1]
    return {"scores": scores, "labels": [classes[f > 0] for f in scores]}


def _class_scores(problem: Record, lam: object, own_sign: int = 1) -> list[list[Fraction]]:
    """f_y(x_i): the rows of y with their own λ, less the others with theirs."""
    codes, K = read_codes(problem, row_count(problem))[0], _kernel(problem)
    rows = zip(matrix(lam, "lam"), codes)
    signed = [[a * own_sign if y == c else -a for y, a in enumerate(row)] for row, c in rows]
    columns = list(zip(*signed))
    return [[sum((a * v for a, v in zip(column, row)), ZERO) for column in columns] for row in K]


def stalled(problem: Record) -> Record | None:
    """Weights of multipliers that are a sixteenth short, beside the exact ones."""
    alpha = _alpha(problem)
    rough = _signed(problem, [a * 15 / 16 for a in alpha])
    right = solved(problem)
    scores = [f + number(right.get("b", 0), "b") for f in _products(problem, rough)]
    b = {"b": right["b"]} if problem.get("bias") == "penalised" else {}
    made = _weights(problem, rough) or {"scores": scores}
    return {"alpha": alpha, **made, **b, "dual": right["dual"]}


def own_class_sign(problem: Record) -> Record | None:
    """f_y = −Σ λ_iy K over all rows, those of the class too."""
    if "features" in problem:
        return None
    return {"scores": _class_scores(problem, solved(problem)["lam"], own_sign=-1)}


def with_ones(problem: Record) -> Record | None:
    """The weights of rows with a column of ones, whose own weights are left out."""
    if "X" not in problem or problem.get("kernel", "linear") != "linear":
        return None
    X = [[*row, ONE] for row in matrix(problem["X"], "problem.X")]
    W = matrix(solved({**problem, "X": X})["W"], "W")
    return {"W": [w[:-1] for w in W]}


def summed(
    coefficient: Coefficient, bias: Bias | None = None, right: Program = with_losses
) -> Program:
    """Weights that are the sum of rows times other coefficients, and the bias that they then need,
    or the right one."""

    def program(problem: Record) -> Record | None:
        found = right(problem) or {}
        at = scored_by(problem, found)
        signed = [coefficient(s, a, cap) for s, _, a, cap in at.rows]
        made = _weights(problem, signed)
        b = bias(at._replace(scores=_products(problem, signed))) if bias else None
        if not made or (bias and (b is None or problem.get("bias", True) is not True)):
            return None
        return {**without(found, "scores"), **made, **({} if b is None else {"b": b})}

    return program


def of_length_one(problem: Record) -> Record | None:
    """The right weights and bias divided by the length of the weights."""
    right = solved(problem)
    if "W" in right:
        return {"W": [to_length(w) for w in matrix(right["W"], "W")]}
    w = numbers(right.get("w", [0]), "w")
    if not any(w):
        return None
    rate = next(u / v for u, v in zip(to_length(w), w) if v)
    return {n: mapped(right[n], lambda v: v * rate) for n in ("w", "b") if n in right}


def one_vs_rest(problem: Record) -> Record | None:
    """The weights of an SVM for each class against all others."""
    if {"cost", "row_costs", "features"} & problem.keys() or problem.get("loss") == "sum_form":
        return None
    codes, classes = read_codes(problem, row_count(problem))
    kept = {n: v for n, v in problem.items() if n not in ("classes", "loss")}
    kept |= {"family": BINARY, "bias": False}
    against = [[1 if code == c else -1 for code in codes] for c in range(len(classes))]
    if "X" not in problem or any(len({*y}) < 2 for y in against):
        return None
    found = [solved({**kept, "y": y}) for y in against]
    return {"W": [one["w"] for one in found]} if all("w" in one for one in found) else None
