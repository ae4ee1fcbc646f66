"""Weights and scores as programs for SVMs give them that get something wrong.

What is right comes from the reference answer; what is done with it then stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from refmc.core.records import Record, matrix, number, numbers
from refmc.errors import FormatError
from refmc.mistakes.fields import mapped, row_count
from refmc.mistakes.generic_rows import to_length
from refmc.mistakes.transport import solved
from refmc.oracle.reading import read_codes, read_rows_or_gram, read_signs, truth
from refmc.theory.grams import gram

BINARY, MULTICLASS = "svm.binary", "svm.multiclass"

ZERO, ONE = Fraction(0), Fraction(1)


def _kernel(problem: Record) -> list[list[Fraction]]:
    rows = read_rows_or_gram(problem)
    given: Any = rows.gram if rows.gram is not None else gram(rows.kernel, rows.X or [])
    return [list(row) for row in given]


def _products(problem: Record, alpha: Sequence[Fraction]) -> list[Fraction]:
    """w·x_i of the weights that multipliers make."""
    signs, K = read_signs(problem, row_count(problem))[0], _kernel(problem)
    return [sum((a * s * v for a, s, v in zip(alpha, signs, row)), ZERO) for row in K]


def _alpha(problem: Record) -> list[Fraction]:
    """The right multipliers; `FormatError` where there are none."""
    found = solved(problem)
    if "alpha" not in found:
        raise FormatError("rows that no hyperplane separates")
    return numbers(found["alpha"], "alpha")


def _weights(problem: Record, alpha: Sequence[Fraction]) -> dict[str, Any]:
    """w, where there is one, of multipliers."""
    rows = read_rows_or_gram(problem)
    if not rows.is_linear or rows.X is None:
        return {}
    signs = read_signs(problem, row_count(problem))[0]
    columns = zip(*([a * s * v for v in x] for a, s, x in zip(alpha, signs, rows.X)))
    return {"w": [sum(column, ZERO) for column in columns]}


class Scored(NamedTuple):
    """Rows with their labels as signs and their scores without a bias, and the multipliers."""

    signs: Sequence[int]
    scores: Sequence[Fraction]
    alpha: Sequence[Fraction]

    def mean(self, of: Callable[[int, Fraction, Fraction], Fraction | None]) -> Fraction | None:
        """The mean of a term over the rows that have one; None without any."""
        terms = [
            v for row in zip(self.signs, self.scores, self.alpha) if (v := of(*row)) is not None
        ]
        return sum(terms, ZERO) / len(terms) if terms else None


def _midway(at: Scored, of: Callable[[list[Fraction], int], Fraction]) -> Fraction | None:
    """Minus the number halfway between those of the two classes' scores."""
    sides = [[f for s, f in zip(at.signs, at.scores) if s == side] for side in (1, -1)]
    return -(of(sides[0], 1) + of(sides[1], -1)) / 2 if all(sides) else None


BIASES: dict[str, Callable[[Scored], Fraction | None]] = {
    "bias_from_bounded": lambda at: at.mean(lambda s, f, a: s - f if a > 0 else None),
    "bias_from_signs": lambda at: at.mean(
        lambda s, f, a: Fraction(s - (f > 0) + (f < 0)) if a > 0 else None
    ),
    "bias_from_all_rows": lambda at: at.mean(lambda s, f, a: s - f),
    "bias_midway_of_scores": lambda at: -(max(at.scores) + min(at.scores)) / 2,
    "bias_of_hard_margin": lambda at: _midway(at, lambda f, side: (max, min)[side > 0](f)),
    "bias_midway_of_means": lambda at: _midway(at, lambda f, side: sum(f, ZERO) / len(f)),
}
"""Biases that are computed from the right multipliers."""


def with_bias(
    bias: Callable[[Scored], Fraction | None], factor: int = 1
) -> Callable[[Record], Record | None]:
    """The right multipliers times a factor, and their weights, with another bias."""

    def program(problem: Record) -> Record | None:
        if not truth(problem, "bias", True):
            return None
        alpha = [factor * a for a in _alpha(problem)]
        signs = read_signs(problem, row_count(problem))[0]
        b = bias(Scored(signs, _products(problem, alpha), alpha))
        return None if b is None else {"alpha": alpha, **_weights(problem, alpha), "b": b}

    return program


def right_scores(problem: Record) -> Record | None:
    """The scores and labels of the optimum."""
    found = solved(problem)
    if problem["family"] == MULTICLASS:
        return {"scores": _class_scores(problem, found["lam"])}
    return scored(problem, number(found.get("b", 0), "b"))


def scored(problem: Record, b: Fraction) -> Record:
    """The scores of the right weights with a bias, and the labels that these make."""
    scores = [f + b for f in _products(problem, _alpha(problem))]
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
    rough = [a * 15 / 16 for a in alpha]
    right = solved(problem)
    scores = [f + number(right.get("b", 0), "b") for f in _products(problem, rough)]
    return {
        "alpha": alpha,
        **(_weights(problem, rough) or {"scores": scores}),
        **({"b": right["b"]} if problem.get("bias") == "penalised" else {}),
        "dual": right["dual"],
    }


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


def without_labels(problem: Record) -> Record | None:
    """w = Σ α x, without the labels."""
    alpha, signs = _alpha(problem), read_signs(problem, row_count(problem))[0]
    made = _weights(problem, [a * s for a, s in zip(alpha, signs)])
    return {**solved(problem), **made} if made else None


def of_free_rows(problem: Record) -> Record | None:
    """w = Σ α y x over the rows whose multipliers are below their bounds, the others left out."""
    alpha, C = _alpha(problem), number(problem["C"], "problem.C")
    weights = numbers(problem.get("weights") or [1] * len(alpha), "problem.weights")
    made = _weights(problem, [a if a < C * v else ZERO for a, v in zip(alpha, weights)])
    return {**solved(problem), **made} if made else None


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
