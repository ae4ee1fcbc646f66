"""Weights of a solver that was stopped early.

An optimum, of this problem or another, has rows exactly on the margin, or rows of which several
classes have the largest loss; what a solver has on its way there hardly one. Its weights are made
by multipliers within their bounds all the same: then they are their own projection onto what such
multipliers make, which is the SVM whose rows need just the margins that they have. Other mistakes
can look like that, so it is told only after them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from operator import mul
from typing import Any, NamedTuple

from refmc.checker.parts import counted
from refmc.core.linalg import common_denominator
from refmc.core.records import Record, number, numbers
from refmc.errors import RefmcError
from refmc.learn.svm.multiclass import multiclass_dual
from refmc.learn.svm.optimum import float_optimum
from refmc.learn.svm.points import read_points
from refmc.mistakes.explanation import Explanation, Judged
from refmc.mistakes.mistake import Mistake
from refmc.mistakes.transport import solved
from refmc.mistakes.weights import (
    BINARY,
    HARD,
    MULTICLASS,
    Points,
    belong_together,
    costs_of,
    made_by,
    points_of,
    rows_of_weights,
)
from refmc.oracle.families import family_of
from refmc.oracle.svm.binary import weighted
from refmc.theory.kernels import linear
from refmc.theory.subgradients import max_form, sum_form

UNBOUNDED = 2**20
"""How many times the largest weight the multipliers of a hard margin may be."""

UNFINISHED = BINARY, HARD, MULTICLASS
"""The families whose answers may be those of a solver that was stopped early."""

ON_MARGIN = 10**6
"""A row on the margin may miss it by 1 divided by this."""

MADE = Fraction(1, 10**6)
"""The share of the squared norm that the projection may lose."""

ON_THE_WAY = Fraction(1, 10**4)
"""The share of the optimum's squared norm that a solver on its way there has reached."""

NEAR = Fraction(1, 100)
"""The gap that many answers of a solver have which stops near the optimum."""

AT_MOST, AT_LEAST = 1, 3
"""So many rows an unfinished answer has on the margin, or tied, and so many the optimum."""


def _scores(
    X: Sequence[Sequence[Fraction]], W: Sequence[Sequence[Fraction]]
) -> tuple[list[list[int]], int]:
    """The scores of rows in whole numbers, and what counts 1 in them."""
    (rows, p), (weights, q) = common_denominator(X), common_denominator(W)
    return [[sum(map(mul, w, x)) for w in weights] for x in rows], p * q


class Ties(NamedTuple):
    """How many rows have several classes of their largest loss, and in how many the own is one."""

    rows: int
    on_margin: int


def _ties(problem: Record, points: Points, W: Sequence[Sequence[Fraction]]) -> Ties:
    """Where an optimum has kinks; in the sum form only rivals that the own class beats just so."""
    tied, on_margin, (scores, one) = 0, 0, _scores(points.X, W)
    costs, per = common_denominator(costs_of(problem, points.y, len(W)))
    most = one * per // ON_MARGIN
    for row, due, c in zip(scores, costs, points.y):
        short = [d * one - (row[c] - s) * per for s, d in zip(row, due)]
        short[c] = 0
        largest = [max(short) - loss <= most for loss in short]
        tied += sum(largest) > 1
        on_margin += sum(largest) > 1 and largest[c]
    return Ties(on_margin if problem.get("loss") == "sum_form" else tied, on_margin)


def _is_made(problem: Record, points: Points, W: Sequence[Sequence[Fraction]]) -> bool:
    """Whether the weights are made by multipliers within their bounds.

    A free bias is made by none: that the multipliers of either sign are equal says that they make 0
    of the constant, whatever it is. Rows are taken in units in which floats know their sizes.
    """
    X, y, _ = points
    is_two = problem["family"] != MULTICLASS
    largest = max(abs(v) for x in X for v in (x[:-1] if is_two else x)) or Fraction(1)
    if is_two and problem.get("bias", True) is True:
        X, W = [[*x[:-1], largest] for x in X], [[*w[:-1], Fraction(0)] for w in W]
    elif is_two and not problem["bias"]:
        X, W = [x[:-1] for x in X], [w[:-1] for w in W]
    unbounded = UNBOUNDED * max(abs(v) for w in W for v in w) / largest
    C = number(problem.get("C", unbounded), "problem.C") / (2 if is_two else 1)
    own: Any = problem.get("weights") or [1] * len(X)
    mass = tuple(number(weight, "weight") for weight in own)
    X = [[v / largest for v in x] for x in X]
    W = [[v / largest / C for v in w] for w in W]
    loss = sum_form if problem.get("loss") == "sum_form" else max_form
    norm = _square(v for w in W for v in w)
    rows = read_points([[float(v) for v in x] for x in X], linear, None)
    scores, one = _scores(X, W)
    margins = [[Fraction(own[c] - s, one) for s in own] for own, c in zip(scores, y)]
    dual = multiclass_dual(rows, tuple(y), margins, mass, loss, blocks=True)
    found = float_optimum(dual, rows, 1e-9, False, None)
    return found is not None and norm - 2 * dual.at(found).dual <= MADE * norm


def _square(values: Iterable[Fraction]) -> Fraction:
    return sum((v * v for v in values), Fraction(0))


def _needs_two_biases(answer: Record, points: Points, W: Sequence[Sequence[Fraction]]) -> bool:
    """Whether no bias puts all rows on the margin whose α is between 0 and the largest.

    For any C and the same rows, an optimum's bias does.
    """
    if "alpha" not in answer:
        return False
    alpha = numbers(answer["alpha"], "answer.alpha")
    scores, one = _scores(points.X, W)
    most = max(alpha)
    needed = [
        (1 if c else -1) - Fraction(f[1] - f[0], one)
        for f, c, a in zip(scores, points.y, alpha)
        if most < a * ON_MARGIN and a < most * (1 - MADE)
    ]
    return bool(needed) and max(needed) - min(needed) > Fraction(1, ON_MARGIN)


def _finished(
    problem: Record, answer: Record, lam: Sequence[Sequence[Fraction]] | None = None
) -> Record | None:
    """The optimum for an unfinished answer, with what to say of that as its remark.

    Without a remark the answer tells too little by itself. `lam`: the optimum's multipliers, where
    they are known. `RefmcError` or `OverflowError` where floats fail.
    """
    problem = weighted(problem) if problem["family"] == HARD else problem
    points = points_of(problem)
    W = None if points is None else rows_of_weights(problem, answer, points)
    if points is None or W is None or len(W) < 2 or problem.get("loss") == "squared_hinge":
        return None
    norm = _square(v for w in W for v in w)
    over = _square(sum(column, Fraction(0)) for column in zip(*W))  # of multipliers it is 0
    mine = _ties(problem, points, W)
    if not norm or over > MADE * norm or min(mine) > AT_MOST:
        return None
    if lam is None and all(_is_rounded(float(v)) for w in W for v in w):
        return None
    if not belong_together(problem, answer) or not _is_made(problem, points, W):
        return None
    optimum = solved(problem) if lam is None else {"lam": lam, "W": made_by(points, lam)}
    best = rows_of_weights(problem, optimum, points)
    if best is None or norm < ON_THE_WAY * _square(v for w in best for v in w):
        return None
    shown = {*answer, "lam", "alpha"}  # multipliers prove the weights
    found = {name: v for name, v in optimum.items() if name in shown}
    own = _ties(problem, points, best)
    if mine.on_margin <= AT_MOST and own.on_margin >= AT_LEAST:
        lies = counted(mine.on_margin, "row lies", "rows lie")
        seen = f"{lies} on the margin where the optimum has {own.on_margin}"
    elif mine.rows <= AT_MOST and own.rows >= AT_LEAST:
        has = counted(mine.rows, "row has", "rows have")
        seen = f"{has} two classes of the largest loss where {own.rows} have at the optimum"
    elif lam is None and _is_near(problem, answer):  # as many answers of a run may be
        seen = "the optimum is near, and its rows lie on the margin"
    else:  # of two classes a wrong bias looks so, too
        if problem["family"] != MULTICLASS:
            return found if _needs_two_biases(answer, points, W) else None
        return found if mine.rows <= AT_MOST and mine.rows < own.rows else None
    made = f"looks unfinished: made by multipliers within their bounds, but {seen}"
    return {**found, "remark": f"{made}; ask for more iterations or a smaller tolerance"}


def _is_rounded(v: float) -> bool:
    """Whether a number has no more than six places or digits, as if it were printed so."""
    return v in (round(v, 6), float(f"{v:.6g}"))


def _is_near(problem: Record, answer: Record) -> bool:
    """Whether an answer would be right if more of a gap were allowed."""
    return family_of(str(problem["family"])).judge(problem, answer, NEAR, None).status == "VERIFIED"


@cache
def unfinished(family: str) -> Mistake:
    """The mistake of stopping early, which is tried when no other makes an answer right."""
    at_least = 3 if family == MULTICLASS else 5
    return Mistake(
        "svm.unfinished", (family,), answer=_finished, is_told_by_remark=True, at_least=at_least
    )


def looks_unfinished(refuted: Judged) -> list[Explanation]:
    """Whether a single answer for several classes looks like that of a solver stopped early."""
    problem, before = refuted.problem, refuted.verdict
    try:
        found = before.witness and _finished(problem, refuted.answer, before.witness)
    except (RefmcError, ArithmeticError):  # not in floats
        return []
    if found is None or "remark" not in found:
        return []
    right = replace(before, status="VERIFIED", gap=Fraction(0), violations=())  # as its witness is
    return [Explanation((unfinished(MULTICLASS),), problem, problem, found, before, right)]
