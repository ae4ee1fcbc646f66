"""Weights of a solver that was stopped early.

An optimum, of this problem or another, has rows exactly on the margin; what a solver has on its way
there hardly one. Its weights are made by multipliers within their bounds all the same: then they
are their own projection onto what such multipliers make, which is the SVM whose rows need just the
margins that they have. Other mistakes can look like that, so it is told only after them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from refmc.core.linalg import dot
from refmc.core.records import Record, matrix, number, numbers
from refmc.errors import RefmcError
from refmc.learn.svm.multiclass import multiclass_dual
from refmc.learn.svm.optimum import optimum
from refmc.learn.svm.points import read_points
from refmc.mistakes.fields import row_count
from refmc.mistakes.mistake import Mistake
from refmc.mistakes.transport import solved
from refmc.oracle.reading import read_codes, read_rows_or_gram, read_signs
from refmc.theory.kernels import linear
from refmc.theory.subgradients import max_form, sum_form

UNFINISHED = BINARY, MULTICLASS = "svm.binary", "svm.multiclass"
"""The families whose answers may be those of a solver that was stopped early."""

ON_MARGIN = Fraction(1, 10**6)
"""By how much a row on the margin may miss it."""

MADE = Fraction(1, 10**6)
"""The share of the squared norm that the projection may lose."""

AT_MOST, AT_LEAST = 1, 3
"""So many rows an unfinished answer has on the margin, and so many the optimum."""


class _Weights(NamedTuple):
    """Weights of each class, for rows with their classes; of two classes those of w and −w, halved,
    with the bias as the weight of a constant 1.
    """

    X: Sequence[Sequence[Fraction]]
    y: Sequence[int]
    W: Sequence[Sequence[Fraction]]

    def margins(self) -> list[list[Fraction]]:
        """By how much the own class of each row beats every class."""
        scores = [[dot(w, x, Fraction(0)) for w in self.W] for x in self.X]
        return [[own[c] - s for s in own] for own, c in zip(scores, self.y)]

    def on_margin(self, costs: Sequence[Sequence[Fraction]]) -> int:
        """How many rows beat the rival that comes closest by just what they need."""
        closest = (
            min(v - d for j, (v, d) in enumerate(zip(row, due)) if j != c)
            for row, due, c in zip(self.margins(), costs, self.y)
        )
        return sum(abs(v) <= ON_MARGIN for v in closest)


def _weights(problem: Record, answer: Record) -> _Weights | None:
    """The weights of an answer; None where it has none, or no bias beside them."""
    X = read_rows_or_gram(problem).X
    if X is None:
        return None
    if problem["family"] == MULTICLASS:
        classes = read_codes(problem, row_count(problem))[0]
        return _Weights(X, classes, matrix(answer["W"], "W")) if "W" in answer else None
    if "w" not in answer or ("b" not in answer and problem.get("bias", True)):
        return None
    w = [*numbers(answer["w"], "w"), number(answer.get("b", 0), "b")]
    codes = tuple(int(s > 0) for s in read_signs(problem, row_count(problem))[0])
    halves = [[-v / 2 for v in w], [v / 2 for v in w]]
    return _Weights([[*x, Fraction(1)] for x in X], codes, halves)


def _is_made(problem: Record, given: _Weights) -> bool:
    """Whether the weights are made by multipliers within their bounds.

    A free bias is made by none: that the multipliers of either sign are equal says that they make 0
    of the constant.
    """
    X, y, W = given
    is_two = problem["family"] == BINARY
    if is_two and problem.get("bias", True) is True:
        W = [[*w[:-1], Fraction(0)] for w in W]
    elif is_two and not problem["bias"]:
        X, W = [x[:-1] for x in X], [w[:-1] for w in W]
    C = number(problem["C"], "problem.C") / (2 if is_two else 1)
    own: Any = problem.get("weights") or [1] * len(X)
    mass = tuple(C * number(weight, "weight") for weight in own)
    loss = sum_form if problem.get("loss") == "sum_form" else max_form
    points = read_points([[float(v) for v in x] for x in X], linear, None)
    dual = multiclass_dual(points, tuple(y), _Weights(X, y, W).margins(), mass, loss, blocks=True)
    norm = sum((v * v for w in W for v in w), Fraction(0))
    return norm - 2 * optimum(dual, points, 1e-9).dual <= MADE * norm


def rows_on_margin(problem: Record, answer: Record) -> tuple[int, int] | None:
    """How many rows an unfinished answer has on the margin, and the optimum; None for others.

    >>> X = [[1, 0], [0, 1], [-1, -1]]
    >>> problem = {"family": "svm.multiclass", "X": X, "y": ["a", "b", "c"], "C": 1}
    >>> rows_on_margin(problem, {"W": [["0.6", "-0.3"], ["-0.3", "0.6"], ["-0.3", "-0.3"]]})
    (0, 3)
    """
    asks = problem.get("loss"), problem.get("kernel", "linear")
    if asks[0] == "squared_hinge" or asks[1] != "linear" or "features" in problem:
        return None
    given, right = _weights(problem, answer), _weights(problem, solved(problem))
    if given is None or right is None or not any(v for w in given.W for v in w):
        return None
    k = len(given.W)
    costs: Any = problem.get("row_costs")
    if costs is None and "cost" in problem:
        columns = list(zip(*matrix(problem["cost"], "problem.cost")))
        costs = [columns[c] for c in given.y]
    due = matrix(costs, "costs") if costs is not None else [[Fraction(1)] * k] * len(given.y)
    mine, own = given.on_margin(due), right.on_margin(due)
    try:
        is_unfinished = mine <= AT_MOST and own >= AT_LEAST and _is_made(problem, given)
    except (RefmcError, OverflowError):  # not a problem for floats
        return None
    return (mine, own) if is_unfinished else None


def _finished(problem: Record, answer: Record) -> Record | None:
    if rows_on_margin(problem, answer) is None:
        return None
    return {name: value for name, value in solved(problem).items() if name in answer}


def _looks(problem: Record, answer: Record) -> str:
    mine, own = rows_on_margin(problem, answer) or (0, 0)
    rows = f"{mine} row lies" if mine == 1 else f"{mine} rows lie"
    return (
        f"looks unfinished: made by multipliers within their bounds, but {rows} on the margin "
        f"where the optimum has {own}; ask for more iterations or a smaller tolerance"
    )


@cache
def unfinished(family: str) -> Mistake:
    """The mistake of stopping early, which is tried when no other makes an answer right."""
    at_least = 1 if family == MULTICLASS else 5
    return Mistake("svm.unfinished", (family,), answer=_finished, looks=_looks, at_least=at_least)
