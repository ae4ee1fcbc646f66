"""Weights of a solver that was stopped early.

An optimum, of this problem or another, has rows exactly on the margin; what a solver has on its way
there hardly one. Its weights are made by multipliers within their bounds all the same: then they
are their own projection onto what such multipliers make, which is the SVM whose rows need just the
margins that they have. Other mistakes can look like that, so it is told only after them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from operator import mul
from typing import Any

from refmc.core.linalg import common_denominator
from refmc.core.records import Record, number
from refmc.errors import RefmcError
from refmc.learn.svm.multiclass import multiclass_dual
from refmc.learn.svm.optimum import float_optimum
from refmc.learn.svm.points import read_points
from refmc.mistakes.explanation import Explanation, Judged, explained_by
from refmc.mistakes.mistake import Mistake
from refmc.mistakes.transport import solved
from refmc.mistakes.weights import (
    BINARY,
    MULTICLASS,
    Weights,
    belong_together,
    costs_of,
    made_by,
    weights_of,
)
from refmc.theory.kernels import linear
from refmc.theory.subgradients import max_form, sum_form

UNFINISHED = BINARY, MULTICLASS
"""The families whose answers may be those of a solver that was stopped early."""

ON_MARGIN = Fraction(1, 10**6)
"""By how much a row on the margin may miss it."""

MADE = Fraction(1, 10**6)
"""The share of the squared norm that the projection may lose."""

AT_MOST, AT_LEAST = 1, 3
"""So many rows an unfinished answer has on the margin, and so many the optimum."""


def _margins(given: Weights) -> list[list[Fraction]]:
    """By how much the own class of each row beats every class."""
    (X, p), (W, q) = common_denominator(given.X), common_denominator(given.W)
    scores = [[sum(map(mul, w, x)) for w in W] for x in X]
    return [[Fraction(own[c] - s, p * q) for s in own] for own, c in zip(scores, given.y)]


def _on_margin(problem: Record, given: Weights) -> int:
    """How many rows beat the rival that comes closest by just what they need."""
    rows = zip(_margins(given), costs_of(problem, given.y, len(given.W)), given.y)
    closest = (
        min(v - d for j, (v, d) in enumerate(zip(row, due)) if j != c) for row, due, c in rows
    )
    return sum(abs(v) <= ON_MARGIN for v in closest)


def _is_made(problem: Record, given: Weights) -> bool:
    """Whether the weights are made by multipliers within their bounds.

    A free bias is made by none: that the multipliers of either sign are equal says that they make 0
    of the constant, whatever it is. Rows are taken in units in which floats know their sizes.
    """
    X, y, W = given
    is_two = problem["family"] == BINARY
    largest = max(abs(v) for x in X for v in (x[:-1] if is_two else x)) or Fraction(1)
    if is_two and problem.get("bias", True) is True:
        X, W = [[*x[:-1], largest] for x in X], [[*w[:-1], Fraction(0)] for w in W]
    elif is_two and not problem["bias"]:
        X, W = [x[:-1] for x in X], [w[:-1] for w in W]
    C = number(problem["C"], "problem.C") / (2 if is_two else 1)
    own: Any = problem.get("weights") or [1] * len(X)
    mass = tuple(number(weight, "weight") for weight in own)
    X = [[v / largest for v in x] for x in X]
    W = [[v / largest / C for v in w] for w in W]
    loss = sum_form if problem.get("loss") == "sum_form" else max_form
    norm = _square(v for w in W for v in w)
    points = read_points([[float(v) for v in x] for x in X], linear, None)
    dual = multiclass_dual(points, tuple(y), _margins(Weights(X, y, W)), mass, loss, blocks=True)
    found = float_optimum(dual, points, 1e-9, False, None)
    return found is not None and norm - 2 * dual.at(found).dual <= MADE * norm


def _square(values: Iterable[Fraction]) -> Fraction:
    return sum((v * v for v in values), Fraction(0))


def _finished(
    problem: Record, answer: Record, lam: Sequence[Sequence[Fraction]] | None = None
) -> Record | None:
    """The optimum for an unfinished answer, with what to say of that as its remark.

    `lam`: its multipliers, where they are known.
    """
    given = weights_of(problem, answer)
    if given is None or len(given.W) < 2 or problem.get("loss") == "squared_hinge":
        return None
    norm = _square(v for w in given.W for v in w)
    over = _square(sum(column, Fraction(0)) for column in zip(*given.W))  # of multipliers it is 0
    mine = _on_margin(problem, given)
    if not norm or over > MADE * norm or mine > AT_MOST or not belong_together(problem, answer):
        return None
    try:
        if not _is_made(problem, given):
            return None
    except (RefmcError, OverflowError):  # not a problem for floats
        return None
    optimum = solved(problem) if lam is None else {"lam": lam, "W": made_by(given, lam)}
    right = weights_of(problem, optimum)
    own = 0 if right is None else _on_margin(problem, right)
    if own < AT_LEAST:
        return None
    rows = f"{mine} row lies" if mine == 1 else f"{mine} rows lie"
    remark = (
        f"looks unfinished: made by multipliers within their bounds, but {rows} on the margin "
        f"where the optimum has {own}; ask for more iterations or a smaller tolerance"
    )
    shown = {*answer, "lam", "alpha"}  # multipliers prove the weights
    return {name: v for name, v in optimum.items() if name in shown} | {"remark": remark}


@cache
def unfinished(family: str) -> Mistake:
    """The mistake of stopping early, which is tried when no other makes an answer right."""
    at_least = 1 if family == MULTICLASS else 5
    return Mistake(
        "svm.unfinished", (family,), answer=_finished, is_told_by_remark=True, at_least=at_least
    )


def looks_unfinished(refuted: Judged) -> list[Explanation]:
    """Whether a single answer looks like that of a solver that was stopped early."""
    family, lam = refuted.verdict.family, refuted.verdict.witness
    if family != MULTICLASS:
        return []
    tried = replace(unfinished(family), answer=partial(_finished, lam=lam))
    return [e for e in explained_by((tried,), refuted) if e is not None]
