"""The mean of what was lost on held-out rows: over rows, or over folds.

[lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"] says that a parameter is
chosen by n-fold cross-validation, not over what the losses are averaged. Over rows each row counts
the same, whatever fold it is in; over folds each fold does, whatever rows it has. They differ
where folds have different sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

from refmc.core.linalg import total
from refmc.core.scalars import is_exact, plain, shown
from refmc.errors import ParameterError

ROWS, FOLDS = "rows", "folds"


def check_average(average: object) -> None:
    """`ParameterError` unless it is "rows" or "folds".

    >>> check_average("rows")
    """
    if average not in (ROWS, FOLDS):
        raise ParameterError(
            "average: expected 'rows', so that each row counts the same, or 'folds', so that each "
            f"fold does, got {shown(average)}"
        )


def mean(values: Sequence[Any], name: str = "losses") -> float | Fraction:
    """The mean of numbers in one arithmetic; of whole numbers too it is exact.

    >>> mean([1, 0, 1])
    Fraction(2, 3)
    """
    read: Any = [plain(value) for value in values]
    exact = is_exact((f"{name}: position {i}", value) for i, value in enumerate(read))
    zero: Any = Fraction(0) if exact or all(isinstance(v, int) for v in read) else 0.0
    found: float | Fraction = total(read, zero) / len(read)
    return found


def mean_over(average: str, losses: Sequence[Sequence[Any]]) -> float | Fraction:
    """The mean of the losses of each fold, over rows or over folds.

    >>> losses = [[0, 0, 0], [1]]
    >>> mean_over(ROWS, losses), mean_over(FOLDS, losses)
    (Fraction(1, 4), Fraction(1, 2))
    """
    if average == ROWS:
        return mean(list(chain.from_iterable(losses)))
    return mean([mean(fold) for fold in losses])
