"""The weights of an SVM's answer as one matrix, whatever the number of classes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from refmc.core.records import Record, items, matrix, number, numbers
from refmc.mistakes.fields import row_count
from refmc.oracle.reading import read_codes, read_rows_or_gram, read_signs

BINARY, MULTICLASS = "svm.binary", "svm.multiclass"


class Weights(NamedTuple):
    """Weights of each class, for rows with their classes; of two classes those of w and −w, halved,
    with the bias as the weight of a constant 1.
    """

    X: Sequence[Sequence[Fraction]]
    y: Sequence[int]
    W: Sequence[Sequence[Fraction]]


def weights_of(problem: Record, answer: Record) -> Weights | None:
    """The weights of an answer for a linear kernel; None where it has none, or no bias beside them.

    >>> problem = {"family": "svm.binary", "X": [[2], [1]], "y": [1, -1], "C": 1}
    >>> weights_of(problem, {"w": [3], "b": 1}).W[1]
    [Fraction(3, 2), Fraction(1, 2)]
    """
    if problem.get("kernel", "linear") != "linear" or "features" in problem:
        return None
    X = read_rows_or_gram(problem).X
    if X is None:
        return None
    if problem["family"] == MULTICLASS:
        if "W" not in answer:
            return None
        codes, classes = read_codes(problem, row_count(problem))
        W = matrix(answer["W"], "answer.W")
        order = list(items(answer.get("classes", classes), "answer.classes"))
        fits = order == list(classes) and [len(W), len(W[0])] == [len(classes), len(X[0])]
        return Weights(X, codes, W) if fits else None
    if "w" not in answer or ("b" not in answer and problem.get("bias", True)):
        return None
    w = [*numbers(answer["w"], "w"), number(answer.get("b", 0), "b")]
    if len(w) != len(X[0]) + 1:
        return None
    signs = tuple(int(s > 0) for s in read_signs(problem, row_count(problem))[0])
    halves = [[-v / 2 for v in w], [v / 2 for v in w]]
    return Weights([[*x, Fraction(1)] for x in X], signs, halves)


def costs_of(problem: Record, given: Weights) -> Sequence[Sequence[Fraction]]:
    """For each row what each class costs, which is the margin that is asked for."""
    costs: Any = problem.get("row_costs")
    if costs is None and "cost" in problem:
        columns = list(zip(*matrix(problem["cost"], "problem.cost")))
        costs = [columns[c] for c in given.y]
    if costs is None:
        return [[Fraction(1)] * len(given.W)] * len(given.y)
    return matrix(costs, "problem.costs")
