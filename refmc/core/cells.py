"""Cells of tables that hold numbers and categories side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from refmc.core.scalars import ArrayLike, is_nan, shown
from refmc.errors import DataError

Table = Sequence[Sequence[Any] | ArrayLike] | ArrayLike
"""Rows of numbers and strings."""

NUMBER, CATEGORY = "number", "category"


def cell_kind(cell: object, place: str) -> str:
    """The kind of one value; `DataError` for what is neither number nor category.

    >>> cell_kind(0.5, "X"), cell_kind("red", "X")
    ('number', 'category')
    """
    if isinstance(cell, str):
        return CATEGORY
    if isinstance(cell, (int, Fraction)) or (isinstance(cell, float) and math.isfinite(cell)):
        return NUMBER
    if cell is None or is_nan(cell):
        raise DataError(
            f"{place}: {cell!r} is a missing value; fill it in, drop the row, or make a column "
            "of strings in which 'missing' is a category of its own"
        )
    raise DataError(
        f"{place}: expected a finite number or a string, got {shown(cell)}; "
        "exact() lifts Decimals to Fractions"
    )
