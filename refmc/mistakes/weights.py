"""The weights of an SVM's answer as one matrix, whatever the number of classes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple

from refmc.core.linalg import dot
from refmc.core.records import Record, items, matrix, number, numbers
from refmc.oracle.reading import read_codes, read_rows_or_gram, read_signs

FAMILIES = BINARY, MULTICLASS, HARD = "svm.binary", "svm.multiclass", "svm.hard"

BY_ROUNDING = Fraction(1, 10**6)
"""By how much weights may miss those of the multipliers, relative to the largest of them."""


class Points(NamedTuple):
    """The rows of a linear kernel, the positions of their classes, and all classes, in order.

    Those of two classes have a last column of ones, whose weight is the bias.
    """

    X: Sequence[Sequence[Fraction]]
    y: Sequence[int]
    classes: Sequence[object]


def points_of(problem: Record) -> Points | None:
    """The rows of a problem of one of the families of SVMs; None where its kernel isn't linear."""
    if problem.get("kernel", "linear") != "linear" or "features" in problem:
        return None
    X = read_rows_or_gram(problem).X
    if X is None:
        return None
    if problem["family"] == MULTICLASS:
        return Points(X, *read_codes(problem, len(X)))
    signs, classes = read_signs(problem, len(X))
    return Points([[*x, Fraction(1)] for x in X], [int(s > 0) for s in signs], classes)


def rows_of_weights(problem: Record, answer: Record, points: Points) -> list[list[Fraction]] | None:
    """The weights of each class in an answer, for these points of the problem; None where it has
    none, or no bias beside them. Of two classes they are those of w and −w, halved.

    >>> problem = {"family": "svm.binary", "X": [[2], [1]], "y": [1, -1], "C": 1}
    >>> rows_of_weights(problem, {"w": [3], "b": 1}, points_of(problem))[1]
    [Fraction(3, 2), Fraction(1, 2)]
    """
    width = len(points.X[0])
    if problem["family"] == MULTICLASS:
        if "W" not in answer:
            return None
        W, classes = matrix(answer["W"], "answer.W"), list(points.classes)
        order = list(items(answer.get("classes", classes), "answer.classes"))
        fits = order == classes and [len(W), len(W[0])] == [len(classes), width]
        return W if fits else None
    if "w" not in answer or ("b" not in answer and problem.get("bias", True)):
        return None
    w = [*numbers(answer["w"], "w"), number(answer.get("b", 0), "b")]
    return [[-v / 2 for v in w], [v / 2 for v in w]] if len(w) == width else None


def given_by_weights(problem: Record, answer: Record) -> list[str]:
    """Which of the scores, the labels and the slack of an answer are those that its weights give;
    without weights, the labels that its scores give.

    >>> problem = {"family": "svm.binary", "X": [[2], [1]], "y": [1, -1], "C": 1}
    >>> given_by_weights(problem, {"w": [3], "b": 1, "scores": [7, 4], "labels": [1, -1]})
    ['scores']
    """
    if problem["family"] not in FAMILIES or not {"scores", "labels", "slack"} & {*answer}:
        return []
    points, is_multiclass = points_of(problem), problem["family"] == MULTICLASS
    W = None if points is None else rows_of_weights(problem, answer, points)
    rows = [[dot(w, x, Fraction(0)) for w in W] for x in points.X] if points and W else None
    found = list[str]()
    if "slack" in answer and rows and points:
        form: Any = sum if problem.get("loss") == "sum_form" else max
        costs = costs_of(problem, points.y, len(rows[0]))
        terms = [
            [c + v - row[own] for j, (c, v) in enumerate(zip(cost, row)) if j != own]
            for cost, row, own in zip(costs, rows, points.y)
        ]
        due = [form([max(v, Fraction(0)) for v in (Fraction(0), *row)]) for row in terms]
        found += ["slack"] * _are_near(numbers(answer["slack"], "answer.slack"), due)
    if "scores" in answer:
        told: Any = (matrix if is_multiclass else numbers)(answer["scores"], "answer.scores")
        told = told if is_multiclass else [[-v / 2, v / 2] for v in told]
        found += ["scores"] * (rows is not None and _are_near([*chain(*told)], [*chain(*rows)]))
        rows = rows or told
    if "labels" in answer and rows:
        named = (read_codes if is_multiclass else read_signs)(problem, len(rows))[1]
        classes = items(answer.get("classes", named), "answer.classes")
        best = [[c for c, v in zip(classes, row) if v == max(row)] for row in rows]
        labels = items(answer["labels"], "answer.labels")
        are_given = all(label in tied for label, tied in zip(labels, best))
        found += ["labels"] * (len(labels) == len(best) and are_given)
    return found


def _are_near(told: Sequence[Fraction], due: Sequence[Fraction]) -> bool:
    near = BY_ROUNDING * max(map(abs, due))
    return len(told) == len(due) and all(abs(p - q) <= near for p, q in zip(told, due))


def made_by(points: Points, lam: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    """The weights of each class that multipliers for each row and class make."""
    rows = [
        [sum(row) - row[c] if j == c else -v for j, v in enumerate(row)]
        for row, c in zip(lam, points.y)
    ]
    columns = list(zip(*points.X))
    return [[dot(a, x, Fraction(0)) for x in columns] for a in zip(*rows)]


def belong_together(problem: Record, answer: Record) -> bool:
    """Whether weights are those that the multipliers beside them make, up to roundings.

    Whatever problem a program solves, it says both of the same solution.
    """
    if problem["family"] not in FAMILIES or not {"alpha", "lam"} & {*answer}:
        return True
    points = points_of(problem)
    W = None if points is None else rows_of_weights(problem, {"b": 0, **answer}, points)
    if points is None or W is None:
        return True
    given = answer.get("lam") or [[v / 2] * 2 for v in numbers(answer["alpha"], "answer.alpha")]
    lam = matrix(given, "answer.lam")
    if len(lam) != len(points.y):  # a hard margin, whose rows of weight 0 have none
        return True
    rows = zip(made_by(points, lam), W)
    width = len(W[0]) - (problem["family"] != MULTICLASS)  # without the bias
    pairs = [pair for made, own in rows for pair in zip(made[:width], own)]
    terms = max(abs(a * v) for row, x in zip(lam, points.X) for a in row for v in x)
    largest = max(BY_ROUNDING * terms, *(abs(q) for _, q in pairs))  # the terms may cancel
    return all(abs(p - q) <= BY_ROUNDING * largest for p, q in pairs)


def costs_of(problem: Record, y: Sequence[int], k: int) -> Sequence[Sequence[Fraction | int]]:
    """For each row what each class costs, which is the margin that is asked for."""
    costs: Any = problem.get("row_costs")
    if costs is None and "cost" in problem:
        columns = list(zip(*matrix(problem["cost"], "problem.cost")))
        costs = [columns[c] for c in y]
    if costs is None:
        return [[1] * k] * len(y)
    return matrix(costs, "problem.costs")
