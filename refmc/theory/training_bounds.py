"""What is proved about training: mistakes of perceptrons, and the training error of AdaBoost.

Covers the mistake bounds that [keshet §2.1] mentions for two and for more classes, and what the
normalisation factors Z_t of [lu, "The AdaBoost.MH Algorithm"] bound.

Differs from the lectures:
- neither prints a bound; these are the ones that their algorithms have. For several classes it
  needs an update that adds x to the own class and takes x, in shares ≥ 0 that sum to 1, from
  classes that score at least as much: both printed rules do.

Legend: w, b or W a separator, which need not be the one that training finds; γ its margin, for
weights of norm 1; R the largest norm of a row; ε_t the weighted error of round t, γ_t = 1/2 − ε_t
its edge, Z_t² = 4ε_t(1 − ε_t) = 1 − 4γ_t².

Squares are rational, so they are exact; floats count as the rationals that they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from refmc.core.labels import read_two_classes
from refmc.core.linalg import dot
from refmc.core.sample import (
    Labels,
    Matrix,
    Row,
    check_filled,
    raw_row,
    read_labels,
    read_together,
    read_vector,
)
from refmc.core.scalars import MAX_BITS, as_float, exact_parameter, shown
from refmc.errors import DataError, ExactnessLimitError, ParameterError
from refmc.theory.roots import nearest_root

Rows = Sequence[Sequence[Fraction]]

MOST_BITS = 8 * MAX_BITS
"""The most binary digits of all errors together: their product may be longer than one number."""


@dataclass(frozen=True)
class MistakeBound:
    """How many mistakes a perceptron can make on rows that a given separator separates.

    `R_squared`: R². `margin_squared`: γ². `bound`: R²/γ², exact, or 2R²/γ² for several classes.
    `mistakes`: the largest whole number up to it.
    """

    R_squared: Fraction
    margin_squared: Fraction
    bound: Fraction

    @property
    def mistakes(self) -> int:
        """No order of the rows and no number of epochs makes more mistakes than these."""
        return math.floor(self.bound)


def perceptron_mistake_bound(
    X: Matrix,
    y: Labels,
    w: Row,
    *,
    b: float | Fraction | None = None,
    classes: Labels | None = None,
) -> MistakeBound:
    """R²/γ²: the most mistakes of the binary perceptron, in any order and number of epochs.

    X: m rows of d numbers; y: labels −1 and +1, or any two named by classes=(negative, positive).
    w: d numbers with y(w·x + b) > 0 for every row; γ² = min (w·x + b)²/(‖w‖² + b²). With `b` the
    rows count with a last entry of 1, as in training with a bias; None is training without one.
    The bound is about exact arithmetic. Raises `DataError`, `MixedArithmeticError`, and
    `ParameterError` where w separates a row wrongly. Cost: O(md). [keshet §2.1]

    >>> perceptron_mistake_bound([[Fraction(3), 4], [-5, 0]], [1, -1], [1, 0])
    MistakeBound(R_squared=Fraction(25, 1), margin_squared=Fraction(9, 1), bound=Fraction(25, 9))
    """
    weights = [*raw_row(w, "w"), *([] if b is None else [b])]
    rows, (separator,) = _lifted(X, [weights], "w", 0 if b is None else 1)
    signs, _ = read_two_classes(y, classes, len(rows))
    margins = [sign * dot(separator, x, Fraction(0)) for sign, x in zip(signs, rows)]
    return _mistake_bound(rows, margins, [separator], 1, "w")


def multiclass_mistake_bound(
    X: Matrix, y: Labels, W: Matrix, *, classes: Labels | None = None
) -> MistakeBound:
    """2R²/γ²: the most mistakes of the multi-class perceptron, in any order and number of epochs.

    X: m rows of d numbers; y: m labels; `classes` fixes their order. W: a row of d numbers for
    each of the k ≥ 2 classes, with w^y·x > w^r·x for every row and r ≠ y; γ² = min (w^y·x −
    w^r·x)²/‖W‖². It holds for `chosen_rival` and `all_rivals`, whose updates have a squared norm
    of at most 2‖x‖², and whichever class is predicted at a tie. Raises `DataError`,
    `MixedArithmeticError`, and `ParameterError` where W doesn't separate a row. Cost: O(mkd).
    [keshet §2.1]

    >>> X, W = [[Fraction(1), 0], [0, 1], [-1, -1]], [[2, -1], [-1, 2], [-1, -1]]
    >>> multiclass_mistake_bound(X, ["a", "b", "c"], W).bound
    Fraction(16, 3)
    """
    rows, separator = _lifted(X, W, "W", 0)
    codes, order = read_labels(y, classes, len(rows))
    if len(order) != len(separator) or len(order) < 2:
        raise DataError(
            f"W: expected a row for each of two or more classes, got {len(separator)} rows "
            f"for {len(order)} classes"
        )
    margins = []
    for x, own in zip(rows, codes):
        scores = [dot(w, x, Fraction(0)) for w in separator]
        margins.append(scores.pop(own) - max(scores))
    return _mistake_bound(rows, margins, separator, 2, "W")


def _lifted(X: Matrix, W: Matrix, name: str, ones: int) -> tuple[Rows, Rows]:
    """The rows of X, each followed by so many 1s, and the weights, all as Fractions."""
    parts, _ = read_together({"X": X, name: W})
    check_filled(parts["X"], "X")
    check_filled(parts[name], name)
    rows = [[*map(Fraction, x), *[Fraction(1)] * ones] for x in parts["X"]]
    weights = [[*map(Fraction, w)] for w in parts[name]]
    if len(rows[0]) != len(weights[0]):
        raise DataError(
            f"{name}: expected {len(rows[0]) - ones} numbers, as X has columns, "
            f"got {len(weights[0]) - ones}"
        )
    return rows, weights


def _mistake_bound(
    rows: Rows, margins: Sequence[Fraction], separator: Rows, growth: int, name: str
) -> MistakeBound:
    """A mistake adds at least γ to ⟨w, u⟩, u the separator, and at most growth·R² to ‖w‖²."""
    for i, margin in enumerate(margins):
        if margin <= 0:
            raise ParameterError(
                f"{name}: expected positive margins of all rows, got {shown(margin)} of row {i}"
            )
    R_squared = max(dot(x, x, Fraction(0)) for x in rows)
    norm = sum((dot(w, w, Fraction(0)) for w in separator), Fraction(0))
    margin_squared = min(margins) ** 2 / norm
    return MistakeBound(R_squared, margin_squared, growth * R_squared / margin_squared)


@dataclass(frozen=True)
class AdaBoostBound:
    """Π Z_t and exp(−2 Σ γ_t²): at least the training error of AdaBoost, in this order.

    `product` and `exponential`: the nearest float, and one as near as `math.exp`. `vacuous`: both
    are 1, for no round has an edge. `product_squared` and `edges_squared`: Π Z_t² and Σ γ_t²,
    exact.
    """

    product: float
    exponential: float
    vacuous: bool
    product_squared: Fraction
    edges_squared: Fraction

    def admits(self, error: float | Fraction) -> bool:
        """Whether a training error is at most Π Z_t, decided exactly."""
        return exact_parameter(error, "error") ** 2 <= self.product_squared


def adaboost_error_bound(epsilons: Row) -> AdaBoostBound:
    """Π Z_t = Π 2√(ε_t(1 − ε_t)) ≤ exp(−2 Σ γ_t²): bounds of the training error of AdaBoost.

    epsilons: the weighted error of each round, from 0 to 1; of a model
    `[r.epsilon for r in model.rounds]`. The error that they bound counts a vote of 0 as wrong;
    for AdaBoost.MH it is the share of wrong pairs of a row and a label. Raises `DataError`,
    `ParameterError`, `ExactnessLimitError` (more than `MOST_BITS` binary digits).
    [lu, "The AdaBoost.MH Algorithm"]

    >>> bound = adaboost_error_bound([Fraction(1, 10), Fraction(1, 2)])
    >>> bound.product, bound.edges_squared, bound.admits(Fraction(6, 10))
    (0.6, Fraction(4, 25), True)
    """
    errors = [Fraction(value) for value in read_vector(epsilons, "epsilons")[0]]
    for i, epsilon in enumerate(errors):
        if not 0 <= epsilon <= 1:
            raise ParameterError(
                f"epsilons: position {i}: expected a share from 0 to 1, got {shown(epsilon)}"
            )
    digits = sum(e.numerator.bit_length() + e.denominator.bit_length() for e in errors)
    if digits > MOST_BITS:
        raise ExactnessLimitError(
            f"epsilons: they have {digits} binary digits together, and so has their exact product; "
            f"the limit is {MOST_BITS}"
        )
    squared = math.prod((4 * e * (1 - e) for e in errors), start=Fraction(1))
    edges = sum(((Fraction(1, 2) - e) ** 2 for e in errors), Fraction(0))
    return AdaBoostBound(
        product=nearest_root(squared, "product"),
        exponential=math.exp(as_float(-2 * edges, "epsilons")),
        vacuous=not edges,
        product_squared=squared,
        edges_squared=edges,
    )
