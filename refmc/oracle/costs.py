"""Costs of mistakes in the records of several families."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from refmc.core.records import Record
from refmc.errors import FormatError
from refmc.oracle.reading import matrix_of


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
