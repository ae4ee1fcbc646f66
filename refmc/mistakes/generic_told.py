"""What programs for SVMs tell of a right solution: other biases, weights and losses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from refmc.core.linalg import dot
from refmc.core.records import Record, matrix, number, numbers
from refmc.mistakes.fields import row_count, row_weights, scaled, times, without
from refmc.mistakes.mistake import Mistake, of_answer, of_program
from refmc.mistakes.plain_svm import (
    BIASES,
    ONE,
    ZERO,
    Bias,
    Coefficient,
    of_free,
    solved_with_scores,
    summed,
    with_bias,
    with_losses,
)
from refmc.mistakes.transport import CLOSE, Program, Rewriting, kept, solved, transported
from refmc.mistakes.weights import costs_of, made_by, points_of
from refmc.oracle.reading import read_codes, read_signs

BINARY, MULTICLASS = "svm.binary", "svm.multiclass"


of_bounded_too = BIASES["bias_from_bounded"]


BIASES_OF_ROWS: dict[str, Bias] = {
    "of_first": lambda at: next((s - f for s, f, a, _ in at.rows if a > 0), None),
    "of_last": lambda at: next((s - f for s, f, a, _ in at.rows[::-1] if a > 0), None),
    "of_bounded": lambda at: at.mean(lambda s, f, a, cap: s - f if 0 < a == cap else None),
    "weighted": lambda at: (
        (total := sum(at.alpha, ZERO))
        and sum((a * (s - f) for s, f, a, _ in at.rows), ZERO) / total
    ),
    "summed": lambda at: sum((s - f for s, f, a, cap in at.rows if 0 < a < cap), ZERO),
    "over_rows": lambda at: sum((s - f for s, f, a, _ in at.rows if a > 0), ZERO) / len(at.signs),
    "unlabelled": lambda at: at.mean(lambda s, f, a, cap: 1 - f if a > 0 else None),
    "of_scores": lambda at: at.mean(lambda s, f, a, cap: -f if a > 0 else None),
    "sum_of_alpha": lambda at: sum(at.alpha, ZERO),
}
"""Biases that are computed from the right multipliers."""

COEFFICIENTS: dict[str, Coefficient] = {
    "bounded": lambda s, a, cap: s * a * (a == cap),
    "positive": lambda s, a, cap: a * (s > 0),
    "signs": lambda s, a, cap: ONE * s * (a > 0),
}
"""What rows are multiplied by in the sum that weights are."""


class Lost(NamedTuple):
    """Δ(j, y) + f_j − f_y of a row for each rival j, the loss that this makes, the row's weight,
    and what its bias has in its margin: y b, and 0 for several classes."""

    terms: list[Fraction]
    loss: Fraction
    weight: Fraction
    bias: Fraction


LOSSES: dict[str, Callable[[Lost], Fraction]] = {
    "unweighted": lambda row: row.loss,
    "weighted": lambda row: row.weight * row.loss,
    "per_rival": lambda row: sum((max(ZERO, t) for t in row.terms), ZERO),
    "largest": lambda row: max([ZERO, *row.terms]),
    "below_0": lambda row: max(row.terms or [ZERO]),
    "absolute": lambda row: abs(max(row.terms or [ZERO])),
    "squared": lambda row: row.loss**2,
    "counted": lambda row: ONE * (row.loss > 0),
    "without_bias": lambda row: max(ZERO, row.terms[0] + row.bias) if row.bias else row.loss,
    "minus_bias": lambda row: max(ZERO, row.terms[0] + 2 * row.bias) if row.bias else row.loss,
}
"""What is told as the loss of a row."""

PARTS = (("slack",), ("weighted",), ("alone",), ("slack", "weighted"), ("slack", "alone"))
"""What is told of other losses: these, or the value that they make."""

OWN: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "none": lambda rest, cap: ZERO,
    "rest": lambda rest, cap: cap - rest,
    "negative": lambda rest, cap: -rest,
}
"""What multipliers of several classes have for the own class, in the place of the sum."""

SIGNS: dict[str, tuple[int, int]] = {
    "negated": (-1, -1),
    "rivals_negated": (1, -1),
    "own_negated": (-1, 1),
}
"""By what multipliers of several classes are multiplied, for the own class and for the others."""

OF_ROWS: dict[str, Callable[[bool, Fraction, int], Fraction]] = {
    "rivals_shared": lambda own, v, k: v if own else -v / max(1, k - 1),
    "rivals_left_out": lambda own, v, k: v if own else ZERO,
    "rivals_added": lambda own, v, k: v,
    "own_left_out": lambda own, v, k: -v * (not own),
}
"""What rows are multiplied by in the weights of a class: own ones or not, their λ, k classes."""

CS: dict[str, Callable[[Fraction, int], Fraction]] = {
    "half_inverse": lambda C, m: 1 / (2 * C),
    "inverse_mean": lambda C, m: 1 / (C * m),
    "half_inverse_mean": lambda C, m: 1 / (2 * C * m),
}
"""Other conventions of what stands before the sum of the losses, of C and m rows."""


def of_told(family: str) -> Iterator[Mistake]:
    """The mistakes about what is told of the solution of an SVM, and about its constant."""
    families = (family,)
    if family != MULTICLASS:
        right = kept(with_losses)
        free = kept(lambda problem: with_losses({**problem, "bias": False}))

        for id, bias in BIASES_OF_ROWS.items():
            made = of_program(f"bias.{id}", families, *with_bias(bias, right=right), right=right)
            yield replace(made, at_least=2)  # a bias is one number, which chance may make
        for id, bias in BIASES.items():  # with the losses that it makes, which pairs leave out
            yield of_program(f"svm.{id}", families, *with_bias(bias, right=right), right=right)
        linear = (with_bias(bias, right=_linear)[0] for bias in (of_free, of_bounded_too))
        yield replace(of_program("bias.of_linear", families, *linear, right=right), at_least=2)
        for id, of in COEFFICIENTS.items():
            programs = (summed(of, bias, right) for bias in (None, of_free, of_bounded_too))
            yield of_program(f"sum.{id}", families, *programs, right=right)
        biased = (p for of in (of_free, of_bounded_too) for p in with_bias(of, right=free))
        yield of_program("dual.no_equality", families, *map(_where_free, biased), right=right)
    if family in (BINARY, MULTICLASS):
        due = kept(right_losses)
        for id, loss in LOSSES.items():
            programs = (_with_losses(loss, due, parts) for parts in PARTS)
            yield of_program(f"slack.{id}", families, *programs, right=due)
        for id, of_C in CS.items():
            yield Mistake(f"lambda.{id}", families, scaled("C", partial(_rate, of_C)))
        shares = times(lambda problem: number(problem["C"], "problem.C"), "alpha", "lam")
        back = times(lambda problem: 1 / number(problem["C"], "problem.C"), "alpha", "lam")
        yield of_answer("unit.shares_of_C", families, shares, back)
    if family == MULTICLASS:
        for id, own in OWN.items():
            yield of_answer(f"own.{id}", families, _with_own(own, back=True), _with_own(own))
        for id, signs in SIGNS.items():
            yield of_answer(f"lam.{id}", families, partial(_signed, *signs))
        for id, of_row in OF_ROWS.items():
            rewriting, spoil = (
                partial(_from_rows, of_row, spoils=is_it) for is_it in (False, True)
            )
            yield of_answer(f"sum.{id}", families, rewriting, spoil)


def _linear(problem: Record) -> Record:
    """The right answer with the scores that its multipliers make with the linear kernel."""
    if problem.get("kernel", "linear") == "linear":
        return {}
    right, X = with_losses(problem), matrix(problem["X"], "problem.X")
    signs, alpha = read_signs(problem, len(X))[0], numbers(right["alpha"], "alpha")
    w = [sum((a * s * v for a, s, v in zip(alpha, signs, c)), ZERO) for c in zip(*X)]
    b = number(right.get("b", 0), "b")
    return {**right, "scores": [dot(w, x, ZERO) + b for x in X]}


def _rate(of_C: Callable[[Fraction, int], Fraction], problem: Record) -> Fraction:
    C = number(problem["C"], "problem.C")
    return of_C(C, row_count(problem)) / C


def _where_free(program: Program) -> Program:
    return lambda problem: program(problem) if problem.get("bias", True) is True else None


def _with_losses(loss: Callable[[Lost], Fraction], due: Program, parts: Sequence[str]) -> Program:
    """Other losses, or the value that these make, times the weights of their rows or alone."""

    def program(problem: Record) -> Record | None:
        right: Any = due(problem)
        if right is None:
            return None
        rows = [*map(Lost, right["terms"], right["slack"], right["weights"], right["biases"])]
        told = [loss(row) for row in rows]
        more = {
            "slack": ZERO,
            "weighted": sum((r.weight * (new - r.loss) for new, r in zip(told, rows)), ZERO),
            "alone": sum((new - r.weight * r.loss for new, r in zip(told, rows)), ZERO),
        }
        C, optimum = number(problem["C"], "problem.C"), number(right["objective"], "objective")
        found = {**without(right, "terms", "weights", "biases", "scores", "slack"), "slack": told}
        found["objective"] = optimum + C * more[parts[-1]]
        return found if "slack" in parts else without(found, "slack")

    return program


def right_losses(problem: Record) -> Record | None:
    """The losses and the value of the optimum, with Δ(j, y) + f_j − f_y of each row for each rival
    j, and the weights and y b of rows."""
    is_two = problem["family"] == BINARY
    right = with_losses(problem) if is_two else solved_with_scores(problem)
    if not {"objective", "scores"} <= {*right} or problem.get("loss") == "squared_hinge":
        return None
    m = row_count(problem)
    biases = [ZERO] * m
    if is_two:
        signs = read_signs(problem, m)[0]
        biases = [s * number(right.get("b", 0), "b") for s in signs]
        terms = [[1 - s * f] for s, f in zip(signs, numbers(right["scores"], "scores"))]
    else:
        y, classes = read_codes(problem, m)
        scores, costs = matrix(right["scores"], "scores"), costs_of(problem, y, len(classes))
        terms = [
            [d + v - f[c] for j, (d, v) in enumerate(zip(due, f)) if j != c]
            for f, due, c in zip(scores, costs, y)
        ]
    sums = problem.get("loss") == "sum_form"
    paid = [[max(ZERO, v) for v in row] or [ZERO] for row in terms]
    weights = row_weights(problem)
    slack = [sum(row, ZERO) if sums else max(row) for row in paid]
    return {**right, "slack": slack, "terms": terms, "weights": weights, "biases": biases}


def _from_rows(
    of: Callable[[bool, Fraction, int], Fraction],
    problem: Record,
    answer: Record,
    spoils: bool = False,
) -> Record | None:
    """The answer whose weights its multipliers make, moved by what they make otherwise."""
    points = points_of(problem)
    if points is None or "W" not in answer:
        return None
    lam = matrix(answer["lam"] if "lam" in answer else solved(problem)["lam"], "answer.lam")
    k, columns = len(points.classes), list(zip(*points.X))
    factors = [[of(j == c, v, k) for j, v in enumerate(row)] for row, c in zip(lam, points.y)]
    wrong = {"W": [[dot(a, x, ZERO) for x in columns] for a in zip(*factors)]}
    right = {"W": made_by(points, lam)}
    return transported(answer, right, wrong) if spoils else transported(answer, wrong, right)


def _signed(own: int, other: int, problem: Record, answer: Record) -> Record | None:
    """The answer whose multipliers have other signs."""
    if "lam" not in answer:
        return None
    rows = zip(matrix(answer["lam"], "answer.lam"), read_codes(problem, row_count(problem))[0])
    lam = [[v * (own if j == c else other) for j, v in enumerate(row)] for row, c in rows]
    return {**answer, "lam": lam}


def _with_own(own: Callable[[Fraction, Fraction], Fraction], back: bool = False) -> Rewriting:
    """The answer whose multipliers have for the own class what is computed from the others; or the
    answer that has their sum, where they have that."""

    def rewriting(problem: Record, answer: Record) -> Record | None:
        if "lam" not in answer:
            return None
        C, codes = number(problem["C"], "problem.C"), read_codes(problem, row_count(problem))[0]
        found, lam = [], matrix(answer["lam"], "answer.lam")
        for row, c, w in zip(lam, codes, row_weights(problem)):
            rest = sum(row, ZERO) - row[c]
            other = own(rest, C * w)
            if back and abs(row[c] - other) > CLOSE * (abs(rest) + C):
                return None
            found.append([*row[:c], rest if back else other, *row[c + 1 :]])
        return {**answer, "lam": found}

    return rewriting
