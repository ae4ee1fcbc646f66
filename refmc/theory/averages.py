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
from refmc.errors import DataError, ParameterError

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


def mean(values: Sequence[Any], weights: Sequence[Any] | None = None) -> float | Fraction:
    """The mean of losses in one arithmetic, each counted as often as its weight says.

    The mean of whole numbers is exact too; in float the sum is rounded once, as it is where numbers
    are repeated instead of weighted. `DataError` where all weights are 0.

    >>> mean([1, 0, 1]), mean([1, 0, 1], [1, 3, 0])
    (Fraction(2, 3), Fraction(1, 4))
    """
    read: Any = [plain(value) for value in values]
    exact = is_exact((f"losses: position {i}", value) for i, value in enumerate(read))
    zero: Any = Fraction(0) if exact or all(isinstance(v, int) for v in read) else 0.0
    if weights is None:
        found: float | Fraction = total(read, zero) / len(read)
        return found
    shares = [Fraction(weight) for weight in weights]
    size = sum(shares)
    if not size:
        raise DataError("weights: the rows that are held out have no weight")
    exact_sum = sum((Fraction(v) * w for v, w in zip(read, shares)), Fraction(0))
    return exact_sum / size if isinstance(zero, Fraction) else float(exact_sum) / float(size)


def mean_over(
    average: str, losses: Sequence[Sequence[Any]], weights: Sequence[Sequence[Any]] | None = None
) -> float | Fraction:
    """The mean of the losses of each fold, over rows or over folds.

    `weights`: one for each loss. Over folds, a fold whose weights are all 0 doesn't count.

    >>> losses = [[0, 0, 0], [1]]
    >>> mean_over(ROWS, losses), mean_over(FOLDS, losses)
    (Fraction(1, 4), Fraction(1, 2))
    """
    if average == ROWS:
        flat = None if weights is None else list(chain.from_iterable(weights))
        return mean(list(chain.from_iterable(losses)), flat)
    if weights is None:
        return mean([mean(fold) for fold in losses])
    return mean([mean(fold, heavy) for fold, heavy in zip(losses, weights) if any(heavy)])
