"""For which neighbours of an SVM problem weights can't be right, without training.

The optimum is at most the primal value of any weights. So where the value of an answer falls, as
its weights are scaled or moved against a subgradient, the gap of the answer is at least that.
"""

from __future__ import annotations

from fractions import Fraction
from math import fsum
from typing import Any

from refmc.core.linalg import dot
from refmc.core.records import Record, number
from refmc.errors import RefmcError
from refmc.mistakes.weights import BINARY, MULTICLASS, costs_of, weights_of

STEPS = 6
"""So many subgradient steps are tried."""

SCALES = (0.5, 0.9, 1.1, 2.0)
"""By what weights are multiplied."""

Matrix = list[list[float]]


def _with_best_bias(problem: Record, answer: Record) -> Record:
    """The answer with the best free bias for its weights, where it has none.

    With rising b each row adds its share to the slope at b = y − w·x, from that of all y = +1 on.
    """
    is_free = problem["family"] == BINARY and problem.get("bias", True) is True
    if not is_free or "b" in answer or problem.get("loss") == "squared_hinge":
        return answer
    given = weights_of(problem, {**answer, "b": 0})
    if given is None:
        return answer
    own: Any = problem.get("weights") or [1] * len(given.X)
    ends = sorted(
        ((1 if y else -1) - 2 * float(dot(given.W[1], x, Fraction(0))), float(number(w, "weight")))
        for x, y, w in zip(given.X, given.y, own)
    )
    left = fsum(float(number(w, "weight")) for w, y in zip(own, given.y) if y)
    for b, share in ends:
        left -= share
        if left <= 0:
            break
    return {**answer, "b": b}


class _Primal:
    """The primal of a neighbour in floats, with the weights of an answer.

    Of two classes the weights are those of w and −w, halved, and their squares count twice; the
    last column is the bias.
    """

    def __init__(self, problem: Record, answer: Record) -> None:
        given = weights_of(problem, answer)
        if given is None:
            raise OverflowError  # no weights to begin with
        self.X = [[float(v) for v in x] for x in given.X]
        self.W = [[float(v) for v in w] for w in given.W]
        self.y, self.costs = given.y, [[float(v) for v in row] for row in costs_of(problem, given)]
        self.is_two = problem["family"] == BINARY
        self.bias = problem.get("bias", True) if self.is_two else None
        own: Any = problem.get("weights") or [1] * len(self.X)
        C = number(problem["C"], "problem.C")
        self.mass = [float(C * number(weight, "weight")) for weight in own]
        self.loss = problem.get("loss")

    def value(self, W: Matrix) -> tuple[float, Matrix]:
        """The primal value, and a subgradient."""
        share = 2.0 if self.is_two else 1.0
        slope = [[share * v for v in w] for w in W]
        if self.bias is True:  # whose square isn't counted
            for w in slope:
                w[-1] = 0.0
        total = sum(v * s for w, g in zip(W, slope) for v, s in zip(w, g)) / 2
        for x, c, mass, due in zip(self.X, self.y, self.mass, self.costs):
            scores = [sum(a * b for a, b in zip(w, x)) for w in W]
            terms = [(d + s - scores[c], j) for j, (d, s) in enumerate(zip(due, scores)) if j != c]
            chosen = terms if self.loss == "sum_form" else sorted(terms)[-1:]
            for excess, j in chosen:
                if excess <= 0:
                    continue
                is_squared = self.loss == "squared_hinge"
                total += mass * (excess * excess if is_squared else excess)
                by = mass * (2 * excess if is_squared else 1)
                slope[j] = [g + by * v for g, v in zip(slope[j], x)]
                slope[c] = [g - by * v for g, v in zip(slope[c], x)]
        if self.bias is False:  # it stays 0
            for w in slope:
                w[-1] = 0.0
        return total, slope


def is_ruled_out(problem: Record, answer: Record, limit: Fraction) -> bool:
    """Whether weights leave a gap, relative to the optimum, above the limit; False if unknown.

    >>> problem = {"family": "svm.multiclass", "X": [[1], [-1]], "y": ["a", "b"], "C": 1}
    >>> is_ruled_out(problem, {"W": [["1/2"], ["-1/4"]]}, Fraction(1, 100))
    True
    >>> is_ruled_out(problem, {"W": [["1/2"], ["-1/2"]]}, Fraction(1, 100))
    False
    """
    if problem["family"] not in (BINARY, MULTICLASS):
        return False
    try:
        return _falls(_Primal(problem, _with_best_bias(problem, answer)), float(limit))
    except (RefmcError, OverflowError):
        return False


def _falls(primal: _Primal, limit: float) -> bool:
    """Whether scaled or moved weights cost so much less that the gap is above the limit."""
    first, slope = primal.value(primal.W)
    enough = first / (1 + limit) * (1 - 1e-9)
    scaled = ([[factor * v for v in w] for w in primal.W] for factor in SCALES)
    if any(primal.value(W)[0] < enough for W in scaled):
        return True
    W, value = primal.W, first
    for _ in range(STEPS):
        square = sum(g * g for row in slope for g in row)
        if not square:
            return False
        step = 1.5 * (value - enough + limit * first) / square
        W = [[v - step * g for v, g in zip(w, row)] for w, row in zip(W, slope)]
        value, slope = primal.value(W)
        if value < enough:
            return True
    return False
