"""For which neighbours of an SVM problem weights can't be right, without training.

The optimum is at most the primal value of any weights. So where the value of an answer falls, as
its weights are moved against subgradients, the gap of the answer is at least that. Where the
optimum is known, or the margin is hard, a single look at the rows tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import fsum, inf, sqrt
from operator import mul
from typing import Any, NamedTuple

from refmc.core.records import Record, number
from refmc.errors import RefmcError
from refmc.mistakes.weights import (
    BINARY,
    HARD,
    MULTICLASS,
    Points,
    costs_of,
    points_of,
    rows_of_weights,
)

STEPS = 8
"""So many subgradient steps are tried."""

DILATED = 2 / 3
"""What the difference of two subgradients in turn is shortened by, as their steps would zigzag."""

ROUNDED = 1e-9
"""The share of a value that roundings of floats explain."""

READ = ("X", "gram", "y", "classes", "kernel", "features")
"""The fields that rows and their classes are read from."""

Vector = list[float]


class _Rows(NamedTuple):
    """The points of a problem, with their rows in floats; None where its kernel isn't linear."""

    problem: Record
    points: Points | None
    X: Sequence[Vector]


class Screen:
    """Rules out neighbours of one problem after another; those of the same rows read them once.

    `optimum`: an upper bound of the optimum of `problem`, where it is known.
    """

    def __init__(self, problem: Record | None = None, optimum: Fraction | None = None) -> None:
        self.problem, self.optimum = problem, optimum
        self._last: _Rows | None = None

    def rules_out(self, problem: Record, answer: Record, limit: Fraction) -> bool:
        """Whether weights leave a gap, relative to its scale, above the limit; False if unknown.

        >>> problem = {"family": "svm.multiclass", "X": [[1], [-1]], "y": ["a", "b"], "C": 1}
        >>> Screen().rules_out(problem, {"W": [["1/2"], ["-1/4"]]}, Fraction(1, 100))
        True
        >>> Screen().rules_out(problem, {"W": [["1/2"], ["-1/2"]]}, Fraction(1, 100))
        False
        """
        if problem["family"] not in (BINARY, MULTICLASS, HARD):
            return False
        try:
            primal = self._primal(problem, answer)
            if primal is None:
                return False
            if problem["family"] == HARD:
                return primal.shortfall() > limit + Fraction(ROUNDED)
            if primal.lacks_bias:
                primal.with_best_bias()
            if problem is not self.problem or self.optimum is None:
                return _falls(primal, float(limit))
            value, _ = primal.value(primal.W)
            return value > self.optimum * (1 + limit) * Fraction(1 + ROUNDED)
        except (RefmcError, ArithmeticError, ValueError):  # beyond floats
            return False

    def _primal(self, problem: Record, answer: Record) -> _Primal | None:
        last = self._last
        if last is None or any(problem.get(n) is not last.problem.get(n) for n in READ):
            points = points_of(problem)
            X = [list(map(float, x)) for x in points.X] if points else []
            self._last = last = _Rows(problem, points, X)
        if last.points is None:
            return None
        is_free = problem["family"] != MULTICLASS and problem.get("bias", True) is True
        lacks_bias = is_free and "b" not in answer
        W = rows_of_weights(problem, {**answer, "b": 0} if lacks_bias else answer, last.points)
        return None if W is None else _Primal(problem, last, last.points, W, lacks_bias)


class _Primal:
    """The primal of a neighbour in floats, with the weights of an answer.

    Of two classes the weights are those of w and −w, halved, and their squares count twice; the
    last column is the bias, which `lacks_bias` leaves open.
    """

    def __init__(
        self,
        problem: Record,
        rows: _Rows,
        points: Points,
        W: Sequence[Sequence[Fraction]],
        lacks_bias: bool,
    ) -> None:
        self.X, self.y, self.W = rows.X, points.y, [list(map(float, w)) for w in W]
        self.lacks_bias = lacks_bias
        self.is_two, self.loss = problem["family"] != MULTICLASS, problem.get("loss")
        self.bias = problem.get("bias", True) if self.is_two else None
        own: Any = problem.get("weights") or [1] * len(self.X)
        C = number(problem.get("C", 1), "problem.C")
        self.mass = [float(C * number(weight, "weight")) for weight in own]
        self.costs = [list(map(float, row)) for row in costs_of(problem, self.y, len(W))]

    def with_best_bias(self) -> None:
        """Give the weights the free bias with which they cost least.

        The slope in b, rise·b + slope, is that of all y = +1 at first, and never falls as b grows:
        it changes at b = y − w·x of each row, which then pays no more, or pays from there on.
        """
        rows = zip(self._scores(), self.y, self.mass)
        ends = sorted((2 * y - 1 - g, 2 * y - 1, mass) for g, y, mass in rows)
        is_squared, b = self.loss == "squared_hinge", ends[0][0]
        costs = [(2 * m, -2 * m * e) if is_squared else (0.0, -y * m) for e, y, m in ends]
        rise, slope = map(fsum, zip((0.0, 0.0), *(c for c, end in zip(costs, ends) if end[1] > 0)))
        for (end, y, _), (steeper, more) in zip(ends, costs):
            if rise * end + slope >= 0:
                break
            b, rise, slope = end, rise - y * steeper, slope - y * more
        b = -slope / rise if rise > 0 else b
        self.W = [[*self.W[0][:-1], -b / 2], [*self.W[1][:-1], b / 2]]

    def shortfall(self) -> float:
        """By how much the smallest margin of a hard problem falls short of 1."""
        rows = list(zip(self._scores(), self.y, self.mass))
        least = [
            min((g if c else -g for g, y, mass in rows if y == c and mass), default=inf)
            for c in (0, 1)
        ]
        return 1 - (fsum(least) / 2 if self.lacks_bias else min(least))

    def _scores(self) -> list[float]:
        """Those of two classes."""
        return [2 * fsum(map(mul, self.W[1], x)) for x in self.X]

    def value(self, W: Sequence[Vector]) -> tuple[float, list[Vector]]:
        """The primal value, and a subgradient."""
        share = 2.0 if self.is_two else 1.0
        slope = [[share * v for v in w] for w in W]
        if self.bias is True:  # whose square isn't counted
            for w in slope:
                w[-1] = 0.0
        costs = [fsum(map(mul, w, g)) / 2 for w, g in zip(W, slope)]
        is_squared = self.loss == "squared_hinge"
        for x, c, mass, due in zip(self.X, self.y, self.mass, self.costs):
            scores = [fsum(map(mul, w, x)) for w in W]
            terms = [(d + s - scores[c], j) for j, (d, s) in enumerate(zip(due, scores)) if j != c]
            for excess, j in terms if self.loss == "sum_form" else sorted(terms)[-1:]:
                if excess > 0:
                    costs.append(mass * (excess * excess if is_squared else excess))
                    by = mass * (2 * excess if is_squared else 1)
                    slope[j] = [g + by * v for g, v in zip(slope[j], x)]
                    slope[c] = [g - by * v for g, v in zip(slope[c], x)]
        if self.bias is False:  # it stays 0
            for w in slope:
                w[-1] = 0.0
        return fsum(costs), slope


def _falls(primal: _Primal, limit: float) -> bool:
    """Whether moved weights cost so much less that the gap is above the limit.

    Shor's r-algorithm: each step aims at a value below that by as much again.
    """
    value, slope = primal.value(primal.W)
    aim = value * (1 - limit) / (1 + limit)
    enough = value / (1 + limit) * (1 - ROUNDED)
    x, g, width = _flat(primal.W), _flat(slope), len(slope[0])
    ways: list[Vector] = []  # along each of these the space is dilated
    for _ in range(STEPS):
        way = g
        for u in ways:
            way = _shortened(way, u)
        square = fsum(map(mul, way, way))
        if not square:
            return False
        step = (value - aim) / square
        for u in reversed(ways):
            way = _shortened(way, u)
        x = [v - step * d for v, d in zip(x, way)]
        value, slope = primal.value([x[i : i + width] for i in range(0, len(x), width)])
        if value < enough:
            return True
        g, turn = _flat(slope), [b - a for a, b in zip(g, _flat(slope))]
        for u in ways:
            turn = _shortened(turn, u)
        length = sqrt(fsum(map(mul, turn, turn)))
        if length:
            ways.append([v / length for v in turn])
    return False


def _flat(W: Sequence[Vector]) -> Vector:
    return [v for w in W for v in w]


def _shortened(vector: Vector, way: Vector) -> Vector:
    """The vector with its part along a way of length 1 shortened by `DILATED`."""
    part = DILATED * fsum(map(mul, vector, way))
    return [a - part * b for a, b in zip(vector, way)]
