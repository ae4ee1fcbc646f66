"""Questions that nodes of a decision tree ask of a feature vector.

[lu, "Node Questions for Binary Decision Trees"]. Every answer is exact: a float is compared as the
rational number that it is, and distances are compared by their squares.

Differs from the lecture: there are infinitely many linear and sphere questions, so the caller of
`grow_tree` says which ones to consider.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Protocol

from refmc.core.records import check_fields, items, number, numbers, text
from refmc.core.saving import saved_number, saved_row
from refmc.core.scalars import number_text
from refmc.errors import FormatError, ParameterError

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
        return f"{_name(self.column, columns)} ≤ {_shown(self.threshold)}"


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
            return f"{_name(self.column, columns)} = {self.values[0]}"
        return f"{_name(self.column, columns)} in {{{', '.join(self.values)}}}"


@dataclass(frozen=True, slots=True)
class LinearQuestion:
    """Σ α_j X_j ≤ b, for binary space partition trees.

    `coefficients`: α, one number for each column; `bound`: b. Floats count as the binary fractions
    that they are. A column of categories must have the coefficient 0.

    >>> LinearQuestion((1, Fraction(1, 2)), 2).ask([1, 2])
    True
    """

    coefficients: tuple[float | Fraction, ...]
    bound: float | Fraction

    def ask(self, x: Sequence[Any]) -> bool:
        products = (Fraction(a) * Fraction(v) for a, v in zip(self.coefficients, x) if a)
        return sum(products, Fraction(0)) <= self.bound

    def text(self, columns: Columns = None) -> str:
        parts = [f"{_shown(a)}·{_name(j, columns)}" for j, a in enumerate(self.coefficients) if a]
        return f"{' + '.join(parts) or '0'} ≤ {_shown(self.bound)}"


@dataclass(frozen=True, slots=True)
class SphereQuestion:
    """‖X − a₀‖ ≤ r, over numeric columns.

    `center`: a₀, one number for each column; `radius`: r ≥ 0.

    >>> SphereQuestion((0, 0), 5).ask([3, 4])
    True
    """

    center: tuple[float | Fraction, ...]
    radius: float | Fraction

    def __post_init__(self) -> None:
        if self.radius < 0:
            raise ParameterError(f"radius: expected at least 0, got {self.radius!r}")

    def ask(self, x: Sequence[Any]) -> bool:
        squares = ((Fraction(v) - Fraction(a)) ** 2 for a, v in zip(self.center, x))
        return sum(squares, Fraction(0)) <= Fraction(self.radius) ** 2

    def text(self, columns: Columns = None) -> str:
        point = ", ".join(map(_shown, self.center))
        return f"|x - ({point})| ≤ {_shown(self.radius)}"


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


def question_to_record(question: Question) -> dict[str, object]:
    """A question as plain JSON values; `ParameterError` unless it is of a kind in this file."""
    match question:
        case NumericQuestion(column, threshold):
            return {"column": column, "threshold": saved_number(threshold)}
        case CategoricalQuestion(column, values):
            return {"column": column, "values": list(values)}
        case LinearQuestion(coefficients, bound):
            return {"coefficients": saved_row(coefficients), "bound": saved_number(bound)}
        case SphereQuestion(center, radius):
            return {"center": saved_row(center), "radius": saved_number(radius)}
    raise ParameterError(f"question: {question!r} can't be saved; only refmc's own kinds can")


def question_from_record(value: object, place: str, kinds: Sequence[str]) -> Question:
    """The question that `question_to_record` wrote, for columns of these kinds."""
    if not isinstance(value, Mapping):
        raise FormatError(f"{place}: expected an object")
    if "threshold" in value:
        check_fields(value, place, required=["column", "threshold"])
        column = read_column(value["column"], f"{place}.column", kinds, "number")
        return NumericQuestion(column, number_as_saved(value["threshold"], f"{place}.threshold"))
    if "values" in value:
        check_fields(value, place, required=["column", "values"])
        column = read_column(value["column"], f"{place}.column", kinds, "category")
        named = items(value["values"], f"{place}.values")
        return CategoricalQuestion(column, tuple(text(v, f"{place}.values") for v in named))
    if "bound" in value:
        check_fields(value, place, required=["coefficients", "bound"])
        coefficients = _vector(value["coefficients"], f"{place}.coefficients", kinds)
        return LinearQuestion(coefficients, number_as_saved(value["bound"], f"{place}.bound"))
    check_fields(value, place, required=["center", "radius"])
    center = _vector(value["center"], f"{place}.center", kinds)
    radius = number_as_saved(value["radius"], f"{place}.radius")
    if radius < 0:
        raise FormatError(f"{place}.radius: expected at least 0")
    return SphereQuestion(center, radius)


def number_as_saved(value: object, place: str) -> float | Fraction:
    """A saved number in the type that it had.

    Only Fractions, and whole numbers beyond 2^53, are saved as text.
    """
    lifted = number(value, place)
    if isinstance(value, (int, float)):
        return value
    is_long = lifted.denominator == 1 and abs(lifted) > 2**53
    return lifted.numerator if is_long else lifted


def _vector(value: object, place: str, kinds: Sequence[str]) -> tuple[float | Fraction, ...]:
    length = len(numbers(value, place))
    if length != len(kinds):
        raise FormatError(f"{place}: expected {len(kinds)} numbers, got {length}")
    return tuple(number_as_saved(v, f"{place}[{j}]") for j, v in enumerate(items(value, place)))


def read_column(value: object, place: str, kinds: Sequence[str], kind: str) -> int:
    """The position of a column of this kind."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < len(kinds):
        raise FormatError(f"{place}: expected a column from 0 to {len(kinds) - 1}")
    if kinds[value] != kind:
        raise FormatError(f"{place}: column {value} holds a {kinds[value]}, not a {kind}")
    return value


def _name(column: int, columns: Columns) -> str:
    return f"x{column}" if columns is None else columns[column]


def _shown(value: float | Fraction) -> str:
    """A short decimal if the value is one, or if it is a float's; else the exact ratio."""
    if not isinstance(value, Fraction):
        return number_text(value)
    billionths = value * 10**9
    if billionths.denominator == 1 and abs(billionths) < 10**18:
        return format((Decimal(billionths.numerator) / 10**9).normalize(), "f")
    is_binary64 = value.denominator > 1 and abs(value) < 2**1023 and value == float(value)
    return number_text(float(value) if is_binary64 else value)
