"""Reading rows of numbers and categories, side by side, without converting any value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from refmc.core.cells import CATEGORY, NUMBER, Table, cell_kind
from refmc.core.sample import Label, Labels, check_filled, raw_rows, read_labels
from refmc.core.scalars import as_sequence, exact_parameter, plain, shown
from refmc.errors import DataError, MixedArithmeticError, ParameterError


@dataclass(frozen=True)
class TreeSample:
    """Rows of positive weight, by columns.

    `columns`: d lists of m values as they came; `kinds`: "number" or "category" for each;
    `y`: m class positions; `weights`: m whole numbers, the row weights in multiples of `unit`.
    """

    columns: tuple[list[Any], ...]
    kinds: tuple[str, ...]
    y: list[int]
    classes: tuple[Label, ...]
    weights: list[int]
    unit: Fraction | int

    def row(self, i: int) -> tuple[Any, ...]:
        return tuple(column[i] for column in self.columns)


def read_tree_sample(X: Table, y: Labels, classes: Labels | None, weights: object) -> TreeSample:
    """Validate rows, labels and weights; rows of weight 0 are dropped as if absent."""
    rows = raw_rows(X, "X", "values")
    check_filled(rows, "X")
    codes, order = read_labels(y, classes, len(rows))
    columns: list[list[Any]] = [list(column) for column in zip(*rows)]
    kinds = tuple(_kind(column, j) for j, column in enumerate(columns))
    _check_arithmetic(columns, kinds)
    if weights is None:
        return TreeSample(tuple(columns), kinds, list(codes), order, [1] * len(rows), 1)
    whole, unit = _whole_weights(weights, len(rows))
    kept = [i for i, w in enumerate(whole) if w]
    return TreeSample(
        columns=tuple([column[i] for i in kept] for column in columns),
        kinds=kinds,
        y=[codes[i] for i in kept],
        classes=order,
        weights=[whole[i] for i in kept],
        unit=unit,
    )


def _kind(column: Sequence[Any], j: int) -> str:
    types = set(map(type, column))
    if types == {str}:
        return CATEGORY
    if types <= {int, bool, Fraction} or (
        types <= {int, bool, float} and all(map(math.isfinite, column))
    ):
        return NUMBER
    first_kind = None
    for i, value in enumerate(column):
        kind = cell_kind(value, f"X: row {i}, column {j}")
        if kind != (first_kind := first_kind or kind):
            raise DataError(
                f"X: row {i}, column {j}: {shown(value)} in a column of "
                f"{'numbers' if first_kind == NUMBER else 'categories'}; "
                "a column holds only numbers or only strings"
            )
    assert first_kind is not None
    return first_kind


def _check_arithmetic(columns: Sequence[Sequence[Any]], kinds: Sequence[str]) -> None:
    at: dict[type, str] = {}
    for j, column in enumerate(columns):
        if kinds[j] == NUMBER:
            for kind in set(map(type, column)) & {float, Fraction}:
                at.setdefault(kind, f"column {j}")
    if len(at) == 2:
        raise MixedArithmeticError(
            f"X: a Fraction ({at[Fraction]}) beside a float ({at[float]}); "
            "lift all of it with exact(), or turn the Fractions into floats"
        )


def _whole_weights(weights: object, m: int) -> tuple[list[int], Fraction]:
    values = as_sequence(weights, "weights: expected a sequence of numbers")
    if len(values) != m:
        raise DataError(f"weights: expected {m}, one a row, got {len(values)}")
    try:
        lifted = [exact_parameter(plain(w), f"row {i}") for i, w in enumerate(values)]  # type: ignore[arg-type]  # it validates
    except ParameterError as error:
        raise DataError(f"weights: {error}") from None
    for i, weight in enumerate(lifted):
        if weight < 0:
            raise DataError(f"weights: row {i}: expected at least 0, got {shown(weight)}")
    if not any(lifted):
        raise DataError("weights: expected at least one above 0, got none")
    below = math.lcm(*(w.denominator for w in lifted))
    whole = [w.numerator * (below // w.denominator) for w in lifted]
    above = math.gcd(*whole)
    return [w // above for w in whole], Fraction(above, below)
