"""For which neighbours of an SVM problem weights can't be right, without training.

The optimum is at most the primal value of any weights. So where the value of an answer falls, as
its weights are moved against subgradients, the gap of the answer is at least that. Where the
optimum is known, or the margin is hard, a single look at the rows tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import chain
from math import fsum, inf, sqrt
from operator import mul

from refmc.core.records import Record, number, numbers
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


class Screen:
    """Rules out neighbours of one problem after another; those of the same rows read them once.

    `optimum`: an upper bound of the optimum of `problem`, where it is known.
    """

    def __init__(self, problem: Record | None = None, optimum: Fraction | None = None) -> None:
        self.problem, self.optimum = problem, optimum
        self._read: Record = {}
        self._points: Points | None = None
        self._X = list[Vector]()

    def rules_out(self, problem: Record, answer: Record, limit: Fraction) -> bool:
        """Whether weights leave a gap above the limit; False if unknown.

        The limit is relative to the optimum, or absolute where that is 0.

        >>> problem = {"family": "svm.multiclass", "X": [[1], [-1]], "y": ["a", "b"], "C": 1}
        >>> Screen().rules_out(problem, {"W": [["1/2"], ["-1/4"]]}, Fraction(1, 100))
        True
        >>> Screen().rules_out(problem, {"W": [["1/2"], ["-1/2"]]}, Fraction(1, 100))
        False
        """
        if problem["family"] not in (BINARY, MULTICLASS, HARD):
            return False
        is_free = problem["family"] != MULTICLASS and problem.get("bias", True) is True
        lacks_bias = is_free and "b" not in answer
        try:
            points = self._points_of(problem)
            given = {**answer, "b": 0} if lacks_bias else answer
            W = None if points is None else rows_of_weights(problem, given, points)
            if points is None or W is None:
                return False
            primal = _Primal(problem, self._X, points.y, [list(map(float, w)) for w in W])
            if problem["family"] == HARD:
                return primal.shortfall(lacks_bias) > limit + Fraction(ROUNDED)
            if lacks_bias:
                primal.with_best_bias()
            if problem is not self.problem or self.optimum is None:
                return _falls(primal, float(limit))
            value, _ = primal.value(primal.W)
            return value > (self.optimum * (1 + limit) or limit) * Fraction(1 + ROUNDED)
        except (RefmcError, ArithmeticError, ValueError):  # beyond floats
            return False

    def _points_of(self, problem: Record) -> Points | None:
        if any(problem.get(name) is not self._read.get(name) for name in READ):
            points = points_of(problem)
            self._X = [list(map(float, x)) for x in points.X] if points else []
            self._read, self._points = problem, points  # where no number is beyond floats
        return self._points


class _Primal:
    """The primal of a neighbour in floats, with the weights of an answer.

    Of two classes the weights are those of w and −w, halved, and their squares count twice; the
    last column is the bias.
    """

    def __init__(self, problem: Record, X: list[Vector], y: Sequence[int], W: list[Vector]) -> None:
        self.X, self.y, self.W = X, y, W
        self.is_two, self.loss = problem["family"] != MULTICLASS, problem.get("loss")
        self.bias = problem.get("bias", True) if self.is_two else None
        C, own = number(problem.get("C", 1), "problem.C"), problem.get("weights")
        masses = [C] * len(X) if own is None else [C * v for v in numbers(own, "problem.weights")]
        self.mass = list(map(float, masses))
        self.costs = [list(map(float, row)) for row in costs_of(problem, y, len(W))]

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

    def shortfall(self, lacks_bias: bool) -> float:
        """By how much the smallest margin of a hard problem falls short of 1."""
        rows = list(zip(self._scores(), self.y, self.mass))
        of_class = ([g if c else -g for g, y, mass in rows if y == c and mass] for c in (0, 1))
        least = [min(margins, default=inf) for margins in of_class]
        return 1 - (fsum(least) / 2 if lacks_bias else min(least))

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


def is_value_of_weights(problem: Record, answer: Record) -> bool:
    """Whether the objective is that of the weights beside it, which need not be the best.

    >>> problem = {"family": "svm.hard", "X": [[1], [-1]], "y": [1, -1]}
    >>> is_value_of_weights(problem, {"w": [2], "b": 1, "objective": 2})
    True
    """
    if problem["family"] not in (BINARY, MULTICLASS, HARD) or "objective" not in answer:
        return False
    with suppress(RefmcError, ArithmeticError, ValueError):  # malformed, or beyond floats
        points = points_of(problem)
        W = None if points is None else rows_of_weights(problem, answer, points)
        if points is not None and W is not None:
            X, floats = ([[*map(float, row)] for row in rows] for rows in (points.X, W))
            # a hard margin has no C, and no losses
            value, _ = _Primal({"C": 0, **problem}, X, points.y, floats).value(floats)
            return abs(float(number(answer["objective"], "objective")) - value) <= ROUNDED * value
    return False


def _falls(primal: _Primal, limit: float) -> bool:
    """Whether moved weights cost so much less that the gap is above the limit.

    Shor's r-algorithm: each step aims at a value below that by as much again.
    """
    value, slope = primal.value(primal.W)
    if value <= limit:  # the optimum may be 0, to which no gap is relative
        return False
    aim = value * (1 - limit) / (1 + limit)
    enough = value / (1 + limit) * (1 - ROUNDED)
    x, g, width = [*chain(*primal.W)], [*chain(*slope)], len(slope[0])
    ways: list[Vector] = []  # along each of these the space is dilated
    for _ in range(STEPS):
        way = _shortened(g, ways)
        square = fsum(map(mul, way, way))
        if not square:
            return False
        step = (value - aim) / square
        x = [v - step * d for v, d in zip(x, _shortened(way, reversed(ways)))]
        value, slope = primal.value([x[i : i + width] for i in range(0, len(x), width)])
        if value < enough:
            return True
        before, g = g, [*chain(*slope)]
        turn = _shortened([b - a for a, b in zip(before, g)], ways)
        length = sqrt(fsum(map(mul, turn, turn)))
        if length:
            ways.append([v / length for v in turn])
    return False


def _shortened(vector: Vector, ways: Iterable[Vector]) -> Vector:
    """The vector with its part along each way of length 1 in turn shortened by `DILATED`."""
    for way in ways:
        part = DILATED * fsum(map(mul, vector, way))
        vector = [a - part * b for a, b in zip(vector, way)]
    return vector
