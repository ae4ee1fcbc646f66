"""Questions about several columns: on which side of a hyperplane or a sphere a vector lies.

[lu, "Node Questions for Binary Decision Trees"]. Every answer is exact: a float counts as the
rational number that it is, and distances are compared by their squares.

Differs from the lecture: there are infinitely many of these questions, so the caller of `grow_tree`
says which ones to consider.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from refmc.errors import ParameterError
from refmc.learn.trees.questions import Columns, column_name, short_number


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
        parts = [
            f"{short_number(a)}·{column_name(j, columns)}"
            for j, a in enumerate(self.coefficients)
            if a
        ]
        return f"{' + '.join(parts) or '0'} ≤ {short_number(self.bound)}"


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
        point = ", ".join(map(short_number, self.center))
        return f"|x - ({point})| ≤ {short_number(self.radius)}"
