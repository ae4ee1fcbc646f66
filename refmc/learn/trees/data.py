"""Reading rows of numbers and categories, side by side, without converting any value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from refmc.core.cells import SortedColumns, Table, sort_columns
from refmc.core.sample import Label, Labels, in_whole_numbers, read_labels, row_weights


@dataclass(frozen=True)
class TreeSample:
    """Rows of positive weight, by columns.

    `data`: the rows and their sorted columns; `columns`: d columns of m values as they came; `y`:
    m class positions; `weights`: m whole numbers, the row weights in multiples of `unit`.
    """

    data: SortedColumns
    columns: tuple[tuple[Any, ...], ...]
    y: list[int]
    classes: tuple[Label, ...]
    weights: list[int]
    unit: Fraction | int

    @property
    def kinds(self) -> tuple[str, ...]:
        return self.data.kinds

    def row(self, i: int) -> tuple[Any, ...]:
        return self.data.rows[i]


def read_tree_sample(
    X: Table, y: Labels, classes: Labels | None, weights: object, categorical: Sequence[int]
) -> TreeSample:
    """Validate rows, labels and weights; rows of weight 0 are dropped as if absent."""
    data = sort_columns(X, categorical)
    codes, order = read_labels(y, classes, len(data.rows))
    kept: Sequence[int] = range(len(codes))
    whole: list[int] = [1] * len(codes)
    unit = Fraction(1)
    if weights is not None:
        whole, unit = in_whole_numbers(row_weights(weights, len(codes)))
        kept = [i for i, w in enumerate(whole) if w]
    if len(kept) < len(codes):
        data = sort_columns([data.rows[i] for i in kept], categorical)
    columns = tuple(zip(*data.rows))
    return TreeSample(
        data, columns, [codes[i] for i in kept], order, [whole[i] for i in kept], unit
    )
