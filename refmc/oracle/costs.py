"""Costs of mistakes and weights of rows in the records of several families."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from refmc.core.records import Record, at_least_0
from refmc.errors import FormatError
from refmc.oracle.forms import MATRIX, Fields
from refmc.oracle.reading import matrix_of, one_a_row

COST_FIELDS: Fields = {"cost": MATRIX, "row_costs": MATRIX}
"""The fields that costs may stand in: by classes, or by rows."""


def read_costs(record: Record, y: Sequence[int], k: int) -> list[list[Fraction]] | None:
    """For each row the cost of predicting each class, 0 for the right class y; None without costs.

    `cost` has a row for each predicted class and a column for each right one, `row_costs` a row for
    each row of the sample and a column for each predicted class.

    >>> read_costs({"cost": [[0, 2], [1, 0]]}, (1, 1), 2)[0]
    [Fraction(2, 1), Fraction(0, 1)]
    >>> read_costs({"row_costs": [[3, 0]]}, (1,), 2)[0]
    [Fraction(3, 1), Fraction(0, 1)]
    """
    if "row_costs" in record:
        if "cost" in record:
            raise FormatError("problem: cost or row_costs, not both")
        rows = matrix_of(record["row_costs"], "problem.row_costs", len(y), k)
        _check(rows, y, "problem.row_costs")
        return rows
    if "cost" not in record:
        return None
    table = matrix_of(record["cost"], "problem.cost", k, k)
    _check(table, range(k), "problem.cost")
    columns = list(map(list, zip(*table)))
    return [columns[c] for c in y]


def _check(rows: Sequence[Sequence[Fraction]], right: Sequence[int], place: str) -> None:
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            if value < 0 or (j == right[i] and value):
                expected = "0" if j == right[i] else "at least 0"
                raise FormatError(f"{place}[{i}][{j}]: expected {expected}")


def read_weights(record: Record, rows: int) -> list[Fraction] | None:
    """The `weights` of rows, not all 0; None where there are none.

    >>> read_weights({"weights": [0, "1/2"]}, 2)
    [Fraction(0, 1), Fraction(1, 2)]
    """
    if "weights" not in record:
        return None
    given = one_a_row(record["weights"], "problem.weights", rows)
    weights = [at_least_0(weight, f"problem.weights[{i}]") for i, weight in enumerate(given)]
    if not any(weights):
        raise FormatError("problem.weights: all are 0")
    return weights
