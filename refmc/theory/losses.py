"""Losses: of labels, of a margin, and of the scores of all classes.

Covers [lu, "Margin of a Multi-Class Classifier – Mono-Label Case"], the slack η_i of
[lu, "Multi-Class Kernel-Based SVMs"], [lecture5 (4)–(13)], the losses L(z) of [keshet §1.3],
[chang, "Perceptron vs. SVM"] and [karagiannis §3]. Their subgradients are in `subgradients`, costs
in `costs`, feature maps Ψ in `features`.

Differs from the lectures:
- the indicator printed in [karagiannis (3.2)] is 1 where the prediction is right; the 0-1 loss
  is 1 where it is wrong, as the cases beside it say;
- costs Δ(j, y) may be any numbers ≥ 0, not only those of [0, 1];
- the margin of a single class, a maximum over no score, is refused.

Legend: s the scores of one item, k of them; y the position of its class in s; Δ(j, y) the cost
of predicting j where y is right; ρ a margin > 0; z = y·s the margin of a single score s with y
−1 or +1; m_j = Δ(j, y) + s_j − s_y the excess of class j, by which its margin is violated.

In float every value is one rounded sum (`math.fsum`), so the loss of a perfect fit is exactly 0.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, overload

from refmc.core.linalg import total
from refmc.core.parameters import positive_parameter
from refmc.core.sample import Label, Matrix, Row, check_count, read_rows, read_vector
from refmc.core.scalars import ArrayLike, Number, S, as_float, as_sequence, shown
from refmc.core.ties import argmax_set
from refmc.errors import DataError
from refmc.theory.costs import Costs, cost_column


def zero_one(predicted: Label, y: Label) -> int:
    """1 where the prediction is wrong, 0 where it is right.

    Not convex in the weights that predict; what the hinge losses bound from above.
    [keshet (3)], [keshet (4)], [karagiannis (3.2)], [karagiannis, 19–20],
    [lu, "Multi-Class Classification Problem"]

    >>> zero_one("a", "b"), zero_one("b", "b")
    (1, 0)
    """
    return int(predicted != y)


def hamming(predicted: Sequence[object] | ArrayLike, y: Sequence[object] | ArrayLike) -> Fraction:
    """The share of the k places at which two codes differ, (1/k) d_H.

    predicted, y: equally many entries, at least one, which are compared by `==`; for example −1 or
    +1 for each class. Exact whatever they are. Raises `DataError`. `hamming_decoding` has the
    distance that counts half for 0. [lu, "Multi-Class Classification Problem"]

    >>> hamming([1, -1, -1, 1], [1, 1, -1, 1])
    Fraction(1, 4)
    """
    a, b = (
        as_sequence(code, f"{name}: expected a sequence of entries")
        for code, name in ((predicted, "predicted"), (y, "y"))
    )
    if not b:
        raise DataError("y: expected at least one entry, got none")
    check_count(a, len(b), "predicted", "entries, as y has")
    return Fraction(sum(map(operator.ne, a, b)), len(b))


def hinge(z: S) -> S:
    """max(0, 1 − z): the binary hinge loss of the margin z = y·s.

    At least the 0-1 loss, which is 1 where z < 0. A whole number is a float, as everywhere.
    [lecture5 §1.1], [chang, "Maximizing margin and minimizing loss"], [chang, "The Hinge Loss"],
    [keshet §1.3]

    >>> hinge(Fraction(1, 4)), hinge(Fraction(3, 2))
    (Fraction(3, 4), Fraction(0, 1))
    """
    value, zero = _margin_value(z)
    loss: S = max(zero, total([zero + 1, -value], zero))
    return loss


def squared_hinge(z: S) -> S:
    """max(0, 1 − z)², the hinge loss squared: smooth, and the default of linear SVMs in libraries.

    At least the 0-1 loss, as `hinge` is.

    >>> squared_hinge(Fraction(1, 4)), squared_hinge(Fraction(3, 2))
    (Fraction(9, 16), Fraction(0, 1))
    """
    loss = hinge(z)
    return loss * loss


def perceptron_loss(z: S) -> S:
    """max(0, −z): the loss of which the perceptron's update is a subgradient step.

    [chang, "Perceptron vs. SVM"]

    >>> perceptron_loss(Fraction(-1, 4)), perceptron_loss(Fraction(3, 2))
    (Fraction(1, 4), Fraction(0, 1))
    """
    value, zero = _margin_value(z)
    loss: S = max(zero, -value)
    return loss


def exponential(z: float | Fraction) -> float:
    """exp(−z), the loss of boosting: irrational, so a float, of exact z as well.

    An exact z is rounded once before exp. Raises `DataError` where the value is beyond the range
    of floats (z below −709). [keshet §1.3]

    >>> exponential(Fraction(0))
    1.0
    """
    value = rounded_margin(z)
    try:
        return math.exp(-value)
    except OverflowError:
        raise DataError(f"z: exp({shown(-value)}) is beyond the range of floats") from None


def logistic(z: float | Fraction) -> float:
    """ln(1 + exp(−z)), the loss of logistic regression: irrational, so a float.

    An exact z is rounded once before. No z overflows on the way. [keshet §1.3]

    >>> logistic(-1000.0), logistic(1000.0)
    (1000.0, 0.0)
    """
    value = rounded_margin(z)
    return max(0.0, -value) + math.log1p(math.exp(-abs(value)))


def _margin_value(z: object) -> tuple[Any, Any]:
    (value,), zero = read_vector([z], "z")  # type: ignore[list-item]  # read_vector checks
    return value, zero


def rounded_margin(z: float | Fraction) -> float:
    """The margin z as the nearest float; `DataError` where it is no finite number."""
    value, _ = _margin_value(z)
    return as_float(value, "z")


@overload
def margin(scores: Sequence[S], y: int) -> S: ...
@overload
def margin(scores: Row, y: int) -> float | Fraction: ...
def margin(scores: Row, y: int) -> float | Fraction:
    """The score of the right class minus the best other score.

    scores: one of each of k ≥ 2 classes; y: the position of the right class among them. At most 0
    where the arg max may miss y: a tie with another class has margin 0. Raises `DataError` (a
    single class, y out of range). Cost: O(k).
    [lu, "Margin of a Multi-Class Classifier – Mono-Label Case"]

    >>> margin([Fraction(1, 2), Fraction(2), Fraction(1)], 1)
    Fraction(1, 1)
    """
    s, zero = read_vector(scores, "scores")
    value: float | Fraction = _margin(s, class_position(y, len(s), "y"), zero)
    return value


def _margin(s: tuple[S, ...], y: int, zero: S) -> S:
    if len(s) == 1:
        raise DataError("scores: a single class has no other to have a margin over")
    difference: S = total([s[y], -max(s[:y] + s[y + 1 :])], zero)
    return difference


def margin_loss(value: S, rho: Number) -> S:
    """Φ_ρ of a margin: 1 up to 0, falling in a straight line to 0 at ρ, and 0 from there.

    value: a margin; rho > 0, else `ParameterError`; it follows the arithmetic of the margin.
    [lu, "Margin of a Multi-Class Classifier – Mono-Label Case"]

    >>> margin_loss(Fraction(1, 4), 1)
    Fraction(3, 4)
    """
    (x,), zero = read_vector([value], "value")
    loss: S = _margin_loss(x, positive_parameter(rho, "rho", zero), zero)
    return loss


def _margin_loss(x: S, rho: S, zero: S) -> S:
    if x <= 0:
        return zero + 1
    return zero if x >= rho else 1 - x / rho


@overload
def empirical_margin_loss(scores: Sequence[Sequence[S]], y: Sequence[int], rho: Number) -> S: ...
@overload
def empirical_margin_loss(scores: Matrix, y: Sequence[int], rho: Number) -> float | Fraction: ...
def empirical_margin_loss(scores: Matrix, y: Sequence[int], rho: Number) -> float | Fraction:
    """The mean of Φ_ρ over the margins of m items.

    scores: m rows of k ≥ 2 numbers; y: for each row the position of its class. It lies between
    the share of margins ≤ 0 and that of margins ≤ ρ (< ρ, indeed). Raises `DataError`,
    `ParameterError` (rho not positive). Cost: O(mk).
    [lu, "Margin of a Multi-Class Classifier – Mono-Label Case"]

    >>> scores = [[Fraction(1, 2), Fraction(0)], [Fraction(2), Fraction(2)]]
    >>> empirical_margin_loss(scores, [0, 1], 1)
    Fraction(3, 4)
    """
    rows, zero = read_rows(scores, "scores")
    codes = as_sequence(y, "y: expected a position for each row of scores")
    check_count(codes, len(rows), "y", "positions, one a row of scores")
    bound = positive_parameter(rho, "rho", zero)
    losses = [
        _margin_loss(_margin(s, class_position(code, len(s), f"y: row {i}"), zero), bound, zero)
        for i, (s, code) in enumerate(zip(rows, codes))
    ]
    mean: float | Fraction = total(losses, zero) / len(losses)
    return mean


@overload
def multiclass_hinge(scores: Sequence[S], y: int, cost: Costs | None = None) -> S: ...
@overload
def multiclass_hinge(scores: Row, y: int, cost: Costs | None = None) -> float | Fraction: ...
def multiclass_hinge(scores: Row, y: int, cost: Costs | None = None) -> float | Fraction:
    """max_j (Δ(j, y) + s_j − s_y): at least the cost of every arg max of the scores.

    scores: one of each of k ≥ 1 classes; y: the position of the right class among them. `cost`: a
    function Δ(j, y) ≥ 0 with Δ(y, y) = 0, in the arithmetic of the scores or whole numbers; None
    is Δ = 1 for every wrong class, and then the loss is max(0, 1 − margin), the slack η_i. Raises
    `DataError` (scores, y), `ParameterError` (cost), `MixedArithmeticError`. Cost: O(k).
    [lecture5 (4)], [lecture5 (5)], [lecture5 (10)], [lecture5 (11)], [keshet (5)–(7)],
    [karagiannis (3.3)], [karagiannis, 21–22], [karagiannis, 24–26],
    [lu, "Multi-Class Kernel-Based SVMs"],
    [lu, "Reformulation of Primal Problem for Multi-Class Kernel-Based SVM"]

    >>> multiclass_hinge([Fraction(1, 2), Fraction(1)], 1)
    Fraction(1, 2)
    >>> multiclass_hinge([Fraction(1, 2), Fraction(1)], 1, lambda j, y: 3 * abs(j - y))
    Fraction(5, 2)
    """
    s, own, delta, zero = read_scores(scores, y, cost)
    loss: float | Fraction = max(margin_excesses(s, own, delta, zero))
    return loss


def multiclass_hinge_set(scores: Row, y: int, cost: Costs | None = None) -> tuple[int, ...]:
    """All positions j that reach the maximum in `multiclass_hinge`, in increasing order.

    y itself is among them where the loss is 0. The sums of floats are compared without rounding, so
    that a tie is one of the numbers given. Arguments, errors and cost as `multiclass_hinge`.
    [lecture5 (8)]

    >>> multiclass_hinge_set([Fraction(0), Fraction(0), Fraction(1)], 2)
    (0, 1, 2)
    """
    s, own, delta, _ = read_scores(scores, y, cost)
    exact_s, exact_delta = [Fraction(v) for v in s], [Fraction(v) for v in delta]
    return argmax_set(margin_excesses(exact_s, own, exact_delta, Fraction(0)))


@overload
def multiclass_hinge_sum(scores: Sequence[S], y: int, cost: Costs | None = None) -> S: ...
@overload
def multiclass_hinge_sum(scores: Row, y: int, cost: Costs | None = None) -> float | Fraction: ...
def multiclass_hinge_sum(scores: Row, y: int, cost: Costs | None = None) -> float | Fraction:
    """Σ_{j ≠ y} max(0, Δ(j, y) + s_j − s_y): every violated margin counts, not the worst alone.

    At least `multiclass_hinge`, and at most k − 1 times it. Arguments, errors and cost as there.
    [lecture5 (12)], [lecture5 (13)]

    >>> scores = [Fraction(2, 10), Fraction(5, 10), Fraction(1, 10)]
    >>> multiclass_hinge_sum(scores, 1), multiclass_hinge(scores, 1)
    (Fraction(13, 10), Fraction(7, 10))
    """
    s, own, delta, zero = read_scores(scores, y, cost)
    # A sum that is rounded once has the sign of the exact sum, so that in float too just the
    # violated margins count. All their terms go into one sum, which is rounded once.
    excesses = enumerate(margin_excesses(s, own, delta, zero))
    violated = [j for j, m_j in excesses if m_j > 0]
    loss: float | Fraction = total((v for j in violated for v in (delta[j], s[j], -s[own])), zero)
    return loss


def margin_excesses(scores: Sequence[S], y: int, delta: Sequence[S], zero: S) -> tuple[S, ...]:
    """m_j = Δ(j, y) + s_j − s_y for each class j: by how much its margin is violated; m_y = 0.

    scores: one of each class; y: the position of the right class; delta: the costs Δ(j, y) of
    predicting j. All multi-class hinge losses, their subgradients, SGD and the exact SVM see a
    row through these numbers. [lecture5 (10)]–[lecture5 (12)], [karagiannis (3.3)]

    >>> margin_excesses([Fraction(2), Fraction(3, 2)], 0, [Fraction(0), Fraction(1)], Fraction(0))
    (Fraction(0, 1), Fraction(1, 2))
    """
    own = -scores[y]
    return tuple([total((delta_j, s_j, own), zero) for delta_j, s_j in zip(delta, scores)])


def read_scores(
    scores: Row, y: int, cost: Costs | None
) -> tuple[tuple[Any, ...], int, tuple[Any, ...], Any]:
    """The scores, y, the costs Δ(j, y) of each class, and the zero, all validated."""
    s, zero = read_vector(scores, "scores")
    own = class_position(y, len(s), "y")
    return s, own, cost_column(cost, own, len(s), zero), zero


def class_position(y: int, k: int, place: str) -> int:
    """y as a position among k classes; `DataError` that names the place where it is none.

    >>> class_position(1, 3, "y")
    1
    """
    try:
        position = operator.index(y)
    except TypeError:
        position = -1
    if not 0 <= position < k:
        raise DataError(f"{place}: expected a position among {k} scores, got {shown(y)}")
    return position
