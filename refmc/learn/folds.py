"""Folds: the rows that are held out in turn, read for all that is chosen by cross-validation.

[lu, "Multi-Class Kernel-Based SVMs"],
[lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"]
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from refmc.core.scalars import ArrayLike, plain, shown
from refmc.errors import ParameterError

Folds = Sequence[Sequence[int]] | ArrayLike


def row_numbers(given: object, place: str) -> list[int]:
    """The numbers of rows that were given; else `ParameterError` that names the place."""
    listed: Any = plain(given)
    try:
        return [operator.index(row) for row in listed]
    except TypeError:
        raise ParameterError(f"{place}: expected row numbers, got {shown(listed)}") from None


def check_folds(given: Folds, m: int, *, cover: bool = True) -> tuple[tuple[int, ...], ...]:
    """The folds, if none of the m rows is in two of them, and none has no row or all of them.

    `cover`: each row must be in one. Else `ParameterError`, which names the fold and the row.

    >>> check_folds([[0, 1], [1]], 3)
    Traceback (most recent call last):
    ...
    refmc.errors.ParameterError: folds: row 1 is in fold 0 and in fold 1
    """
    listed: Any = plain(given)
    if not isinstance(listed, Sequence) or isinstance(listed, (str, bytes)) or not listed:
        raise ParameterError(f"folds: expected sequences of rows, got {shown(listed)}")
    home: dict[int, int] = {}
    checked = [tuple(row_numbers(fold, f"folds: fold {f}")) for f, fold in enumerate(listed)]
    for f, rows in enumerate(checked):
        for row in rows:
            if not 0 <= row < m:
                raise ParameterError(f"folds: fold {f}: no row {row} among {m}")
            if row in home:
                raise ParameterError(f"folds: row {row} is in fold {home[row]} and in fold {f}")
            home[row] = f
        if not 0 < len(rows) < m:
            raise ParameterError(f"folds: fold {f} holds out {len(rows)} of {m} rows")
    missing = [row for row in range(m) if row not in home]
    if missing and cover:
        raise ParameterError(f"folds: no fold holds the rows {shown(missing)}")
    return tuple(checked)
