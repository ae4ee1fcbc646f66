"""Sample: a labelled sample (ω_1, …, ω_m), as one record.

[lu, "Multi-Class Classification Problem"]
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, cast

from refmc.core.sample import Label, Labels, Matrix, Row, read_labels, read_rows, row_weights
from refmc.core.scalars import S


@dataclass(frozen=True)
class Sample(Generic[S]):
    """m rows with their labels, in one arithmetic.

    `rows`: m tuples of d numbers. `y`: for each row the position of its label in `classes`.
    `classes`: the label order, sorted unless it was given. `weights`: one non-negative number for
    each row, or None. `zero`: the zero of the arithmetic, 0.0 or Fraction(0).
    [lecture5 §1], [keshet, "Multiclass Classification"], [karagiannis, 1–5],
    [chang, "What is multiclass"]
    """

    rows: tuple[tuple[S, ...], ...]
    y: tuple[int, ...]
    classes: tuple[Label, ...]
    weights: tuple[S, ...] | None
    zero: S

    @staticmethod
    def read(
        X: Matrix, y: Labels, *, classes: Labels | None = None, weights: Row | None = None
    ) -> Sample[float] | Sample[Fraction]:
        """Validate rows and labels; all Fractions (ints beside them) stay exact, else float.

        Raises `DataError` (ragged, empty, not finite, unequal lengths, labels of two types or not
        hashable) and `MixedArithmeticError`, naming the place. Cost: O(md).

        >>> Sample.read([[Fraction(1, 2)], [1]], ["b", "a"]).y
        (1, 0)
        """
        rows, zero = read_rows(X)
        codes, order = read_labels(y, classes, len(rows))
        weighed = None if weights is None else row_weights(weights, len(rows), zero)
        return cast("Sample[float] | Sample[Fraction]", Sample(rows, codes, order, weighed, zero))
