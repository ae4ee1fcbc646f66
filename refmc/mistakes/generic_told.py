"""What programs for SVMs tell of a right solution: other biases, weights and losses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from refmc.core.linalg import dot
from refmc.core.records import Record, matrix, number, numbers
from refmc.mistakes.fields import row_count, scaled, times, without
from refmc.mistakes.mistake import Mistake, of_answer, of_fields, of_program
from refmc.mistakes.plain_svm import (
    BIASES,
    ONE,
    ZERO,
    Bias,
    Coefficient,
    Scored,
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


def _of_bounded(at: Scored) -> Fraction | None:
    bounded = [s - f for s, f, a, cap in at.rows if 0 < a == cap]
    return sum(bounded, ZERO) / len(bounded) if bounded else None


of_bounded_too = BIASES["bias_from_bounded"]


BIASES_OF_ROWS: dict[str, tuple[str, Bias]] = {
    "of_first": (
        "that of the first support vector, on the margin or not",
        lambda at: next((s - f for s, f, a, _ in at.rows if a > 0), None),
    ),
    "of_last": (
        "that of the last support vector, on the margin or not",
        lambda at: next((s - f for s, f, a, _ in at.rows[::-1] if a > 0), None),
    ),
    "of_bounded": ("the mean over the rows with α = C alone", _of_bounded),
    "weighted": (
        "the mean over the support vectors, weighted by α",
        lambda at: (
            (total := sum(at.alpha, ZERO))
            and sum((a * (s - f) for s, f, a, _ in at.rows), ZERO) / total
        ),
    ),
    "summed": (
        "the sum over the rows on the margin and not their mean",
        lambda at: sum((s - f for s, f, a, cap in at.rows if 0 < a < cap), ZERO),
    ),
    "over_rows": (
        "the sum over the support vectors divided by the number of all rows",
        lambda at: sum((s - f for s, f, a, _ in at.rows if a > 0), ZERO) / len(at.signs),
    ),
    "unlabelled": (
        "the mean of 1 − w·x over the support vectors, without their labels",
        lambda at: at.mean(lambda s, f, a: 1 - f if a > 0 else None),
    ),
    "of_scores": (
        "minus the mean of w·x over the support vectors, without their labels",
        lambda at: at.mean(lambda s, f, a: -f if a > 0 else None),
    ),
    "sum_of_alpha": ("Σ α, without the labels", lambda at: sum(at.alpha, ZERO)),
}
"""Biases that are computed from the right multipliers."""

COEFFICIENTS: dict[str, tuple[str, Coefficient]] = {
    "bounded": ("those of the rows with α = C alone", lambda s, a, cap: s * a * (a == cap)),
    "positive": ("those of the rows of the positive class alone", lambda s, a, cap: a * (s > 0)),
    "signs": ("Σ y x over the support vectors, without α", lambda s, a, cap: ONE * s * (a > 0)),
}
"""What rows are multiplied by in the sum that weights are."""


class Lost(NamedTuple):
    """Δ(j, y) + f_j − f_y of a row for each rival j, the loss that this makes, the row's weight,
    and what its bias has in its margin: y b, and 0 for several classes."""

    terms: list[Fraction]
    loss: Fraction
    weight: Fraction
    bias: Fraction


LOSSES: dict[str, tuple[str, Callable[[Lost], Fraction]]] = {
    "unweighted": ("are without the weights of rows", lambda row: row.loss),
    "weighted": ("are multiplied by the weights of rows", lambda row: row.weight * row.loss),
    "per_rival": (
        "are summed over the rivals",
        lambda row: sum((max(ZERO, t) for t in row.terms), ZERO),
    ),
    "largest": ("are those of the worst rival", lambda row: max([ZERO, *row.terms])),
    "below_0": ("may be below 0", lambda row: max(row.terms or [ZERO])),
    "absolute": ("are without their sign", lambda row: abs(max(row.terms or [ZERO]))),
    "squared": ("are squared", lambda row: row.loss**2),
    "counted": ("are counted as 1 each", lambda row: ONE * (row.loss > 0)),
    "without_bias": (
        "are those of the scores without the bias",
        lambda row: max(ZERO, row.terms[0] + row.bias) if row.bias else row.loss,
    ),
    "minus_bias": (
        "are those of the scores less the bias",
        lambda row: max(ZERO, row.terms[0] + 2 * row.bias) if row.bias else row.loss,
    ),
}
"""What is told as the loss of a row."""

PARTS = (("slack",), ("weighted",), ("alone",), ("slack", "weighted"), ("slack", "alone"))
"""What is told of other losses: these, or the value that they make."""

OWN: dict[str, tuple[str, Callable[[Fraction, Fraction], Fraction]]] = {
    "none": ("0", lambda rest, cap: ZERO),
    "rest": ("what the others leave of C", lambda rest, cap: cap - rest),
    "negative": ("minus the sum of the others", lambda rest, cap: -rest),
}
"""What multipliers of several classes have for the own class, in the place of the sum."""

SIGNS: dict[str, tuple[str, int, int]] = {
    "negated": ("are negated", -1, -1),
    "rivals_negated": ("are those that the rows have in W, with a minus for the others", 1, -1),
    "own_negated": ("have a minus for the own class", -1, 1),
}
"""By what multipliers of several classes are multiplied, for the own class and for the others."""

OF_ROWS: dict[str, tuple[str, Callable[[bool, Fraction, int], Fraction]]] = {
    "rivals_shared": (
        "subtract the rows of other classes divided by k − 1",
        lambda own, v, k: v if own else -v / max(1, k - 1),
    ),
    "rivals_left_out": (
        "leave out the rows of other classes",
        lambda own, v, k: v if own else ZERO,
    ),
    "rivals_added": ("add the rows of other classes", lambda own, v, k: v),
    "own_left_out": ("leave out the rows of the own class", lambda own, v, k: -v * (not own)),
}
"""What rows are multiplied by in the weights of a class: own ones or not, their λ, k classes."""

CS: dict[str, tuple[str, Callable[[Fraction, int], Fraction]]] = {
    "half_inverse": ("1/(2C), as if C were λ with λ‖w‖²", lambda C, m: 1 / (2 * C)),
    "inverse_mean": ("1/(Cm), as if C were λ with ½λ‖w‖²", lambda C, m: 1 / (C * m)),
    "half_inverse_mean": ("1/(2Cm), as if C were λ with λ‖w‖²", lambda C, m: 1 / (2 * C * m)),
}
"""Other conventions of what stands before the sum of the losses, of C and m rows."""


def of_told(family: str) -> Iterator[Mistake]:
    """The mistakes about what is told of the solution of an SVM, and about its constant."""
    if family != MULTICLASS:
        right = kept(with_losses)
        free = kept(lambda problem: with_losses({**problem, "bias": False}))

        def told(id: str, clause: str, *programs: Program) -> Mistake:
            return of_program(id, (family,), *programs, right=right, words=(clause, "the answer"))

        for id, (clause, bias) in BIASES_OF_ROWS.items():
            made = told(f"bias.{id}", f"the bias is {clause}", *with_bias(bias, right=right))
            yield replace(made, at_least=2)  # a bias is one number, which chance may make
        for id, bias in BIASES.items():  # with the losses that it makes, which pairs leave out
            yield of_program(f"svm.{id}", (family,), *with_bias(bias, right=right), right=right)
        for id, (clause, of) in COEFFICIENTS.items():
            programs = (summed(of, bias, right) for bias in (None, of_free, of_bounded_too))
            yield told(f"sum.{id}", f"weights are {clause}", *programs)
        clause = "the multipliers of the dual need not fulfil Σ α y = 0"
        biased = (p for of in (of_free, of_bounded_too) for p in with_bias(of, right=free))
        yield told("dual.no_equality", clause, *map(_where_free, biased))
    if family in (BINARY, MULTICLASS):
        due = kept(right_losses)
        for id, (clause, loss) in LOSSES.items():
            words = f"the losses {clause}", "the answer"
            programs = (_with_losses(loss, due, parts) for parts in PARTS)
            yield of_program(f"slack.{id}", (family,), *programs, right=due, words=words)
        for id, (clause, of_C) in CS.items():
            other = scaled("C", partial(_rate, of_C))
            yield of_fields(f"lambda.{id}", family, f"C is {clause}", other)
        shares = times(lambda problem: number(problem["C"], "problem.C"), "alpha", "lam")
        back = times(lambda problem: 1 / number(problem["C"], "problem.C"), "alpha", "lam")
        yield _told("unit.shares_of_C", family, "multipliers are told divided by C", shares, back)
    if family == MULTICLASS:
        for id, (clause, own) in OWN.items():
            clause = f"the multiplier of the own class is {clause}"
            yield _told(f"own.{id}", family, clause, _with_own(own, back=True), _with_own(own))
        for id, (clause, own_sign, sign) in SIGNS.items():
            signed = partial(_signed, own_sign, sign)
            yield _told(f"lam.{id}", family, f"multipliers {clause}", signed, signed)
        for id, (clause, of_row) in OF_ROWS.items():
            rewriting, spoil = (
                partial(_from_rows, of_row, spoils=is_it) for is_it in (False, True)
            )
            yield _told(f"sum.{id}", family, f"the weights of a class {clause}", rewriting, spoil)


def _rate(of_C: Callable[[Fraction, int], Fraction], problem: Record) -> Fraction:
    C = number(problem["C"], "problem.C")
    return of_C(C, row_count(problem)) / C


def _told(id: str, family: str, clause: str, back: Rewriting, spoil: Rewriting) -> Mistake:
    return of_answer(id, (family,), back, spoil, (clause, "the answer"))


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
    weights = numbers(problem.get("weights") or [1] * m, "problem.weights")
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
        m, C = row_count(problem), number(problem["C"], "problem.C")
        weights = numbers(problem.get("weights") or [1] * m, "problem.weights")
        found, lam = [], matrix(answer["lam"], "answer.lam")
        for row, c, w in zip(lam, read_codes(problem, m)[0], weights):
            rest = sum(row, ZERO) - row[c]
            other = own(rest, C * w)
            if back and abs(row[c] - other) > CLOSE * (abs(rest) + C):
                return None
            found.append([*row[:c], rest if back else other, *row[c + 1 :]])
        return {**answer, "lam": found}

    return rewriting
