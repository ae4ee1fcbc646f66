"""Questions that nodes of a decision tree ask of a feature vector.

[lu, "Node Questions for Binary Decision Trees"]. Every answer is exact: a float is compared as the
rational number that it is. Here are the questions about one column, all of which `grow_tree` tries;
those about several columns are in `surfaces`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Protocol

from refmc.core.scalars import number_text
from refmc.errors import DataError

Columns = Sequence[str] | None


class Question(Protocol):
    """What a node asks; rows that answer yes go right. Any object with both methods will do."""

    def ask(self, x: Sequence[Any], /) -> bool: ...

    def text(self, columns: Columns = None) -> str: ...


@dataclass(frozen=True, slots=True)
class NumericQuestion:
    """X_j ≤ a: whether the number in `column` is at most `threshold`.

    >>> NumericQuestion(0, Fraction(1, 2)).ask([0.5])
    True
    """

    column: int
    threshold: float | Fraction

    def ask(self, x: Sequence[Any]) -> bool:
        return bool(x[self.column] <= self.threshold)

    def text(self, columns: Columns = None) -> str:
        return f"{column_name(self.column, columns)} ≤ {short_number(self.threshold)}"


@dataclass(frozen=True, slots=True)
class CategoricalQuestion:
    """X_j ∈ A: whether the category in `column` is one of `values`, which are sorted.

    The answer is no for a category that no training row at the node had.

    >>> CategoricalQuestion(1, ("no", "yes")).ask([3, "maybe"])
    False
    """

    column: int
    values: tuple[str, ...]

    def ask(self, x: Sequence[Any]) -> bool:
        return x[self.column] in self.values

    def text(self, columns: Columns = None) -> str:
        if len(self.values) == 1:
            return f"{column_name(self.column, columns)} = {self.values[0]}"
        return f"{column_name(self.column, columns)} in {{{', '.join(self.values)}}}"


def midpoint(below: float | Fraction, above: float | Fraction) -> float | Fraction:
    """The number halfway between two neighbouring values.

    Of floats it is the nearest float, or `below` where no float lies between the two.

    >>> midpoint(1, 2), midpoint(1, 3), midpoint(1.0, 3.0), midpoint(Fraction(1, 2), 1)
    (1.5, 2, 2.0, Fraction(3, 4))
    """
    middle = (Fraction(below) + Fraction(above)) / 2
    if isinstance(below, Fraction) or isinstance(above, Fraction):
        return middle
    if not (isinstance(below, float) or isinstance(above, float)):
        if middle.denominator == 1:
            return middle.numerator
        if abs(middle) >= 2**52:  # no float lies between neighbouring whole numbers of this size
            return below
    try:
        rounded = float(middle)
    except OverflowError:
        return below
    return rounded if below <= rounded < above else below


def column_name(column: int, columns: Columns) -> str:
    """The name of a column; x0, x1, … where they have no names. `DataError` if one is missing."""
    if columns is None:
        return f"x{column}"
    if column >= len(columns):
        raise DataError(f"columns: no name for column {column}, got {len(columns)}")
    return columns[column]


def short_number(value: float | Fraction) -> str:
    """A short decimal if the value is one, or if it is a float's; else the exact ratio."""
    if not isinstance(value, Fraction):
        return number_text(value)
    billionths = value * 10**9
    if billionths.denominator == 1 and abs(billionths) < 10**18:
        return format((Decimal(billionths.numerator) / 10**9).normalize(), "f")
    is_binary64 = value.denominator > 1 and abs(value) < 2**1023 and value == float(value)
    return number_text(float(value) if is_binary64 else value)
