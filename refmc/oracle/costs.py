"""Costs of mistakes and weights of rows in the records of several families."""

from __future__ import annotations

from fractions import Fraction

from refmc.core.records import Record, at_least_0, items
from refmc.errors import FormatError
from refmc.oracle.reading import matrix_of


def read_cost(record: Record, k: int) -> list[list[Fraction]] | None:
    """The rows Δ(j, ·) of predicted classes j: at least 0, and 0 where the class is right.

    >>> read_cost({"cost": [[0, 2], [1, 0]]}, 2)[0][1]
    Fraction(2, 1)
    """
    if "cost" not in record:
        return None
    rows = matrix_of(record["cost"], "problem.cost", k, k)
    for j, row in enumerate(rows):
        for y, value in enumerate(row):
            if value < 0 or (j == y and value):
                expected = "0" if j == y else "at least 0"
                raise FormatError(f"problem.cost[{j}][{y}]: expected {expected}")
    return rows


def read_weights(record: Record, rows: int) -> list[Fraction] | None:
    """The `weights` of rows, not all 0; None where there are none.

    >>> read_weights({"weights": [0, "1/2"]}, 2)
    [Fraction(0, 1), Fraction(1, 2)]
    """
    if "weights" not in record:
        return None
    given = items(record["weights"], "problem.weights")
    weights = [at_least_0(weight, f"problem.weights[{i}]") for i, weight in enumerate(given)]
    if len(weights) != rows:
        raise FormatError(f"problem.weights: expected {rows}, one a row, got {len(weights)}")
    if not any(weights):
        raise FormatError("problem.weights: all are 0")
    return weights
