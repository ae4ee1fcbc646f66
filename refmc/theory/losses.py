"""The margin of scores, the ρ-margin loss, and the multi-class hinge loss.

Covers [lu, "Margin of a Multi-Class Classifier – Mono-Label Case"], the slack η_i of
[lu, "Multi-Class Kernel-Based SVMs"], and [lecture5 (4)–(11)].

Differs from the lecture:
- costs Δ(j, y) may be any numbers ≥ 0, not only those of [0, 1];
- the margin of a single class, a maximum over no score, is refused.

Legend: s the scores of one item, k of them; y the position of its class in s; Δ(j, y) the cost
of predicting j where y is right; ρ a margin > 0.

In float every value is one rounded sum (`math.fsum`), so the loss of a perfect fit is exactly 0.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, overload

from refmc.core.linalg import total
from refmc.core.sample import Matrix, Row, read_row, read_rows, read_vector
from refmc.core.scalars import Number, S, parameter, plain, shown
from refmc.core.ties import argmax_set
from refmc.errors import DataError, ParameterError

Cost = Callable[[int, int], float | Fraction]
"""Δ(j, y): what predicting the class at position j costs where y is right; Δ(y, y) = 0."""


@overload
def margin(scores: Sequence[S], y: int) -> S: ...
@overload
def margin(scores: Row, y: int) -> float | Fraction: ...
def margin(scores: Row, y: int) -> float | Fraction:
    """The score of the right class minus the best other score.

    scores: k ≥ 2 numbers, one a class; y: the position of the right class among them. At most 0
    where the arg max may miss y: a tie with another class has margin 0. Raises `DataError` (a
    single class, y out of range). Cost: O(k).
    [lu, "Margin of a Multi-Class Classifier – Mono-Label Case"]

    >>> margin([Fraction(1, 2), Fraction(2), Fraction(1)], 1)
    Fraction(1, 1)
    """
    s, zero = read_vector(scores, "scores")
    value: float | Fraction = _margin(s, _position(y, len(s), "y"), zero)
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
    loss: S = _margin_loss(x, _positive(rho, zero), zero)
    return loss


def _margin_loss(x: S, rho: S, zero: S) -> S:
    if x <= 0:
        return zero + 1
    return zero if x >= rho else 1 - x / rho


def _positive(rho: Number, zero: S) -> S:
    value = parameter(rho, "rho", zero)
    if not value > 0:
        raise ParameterError(f"rho: expected a positive number, got {shown(rho)}")
    return value


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

    >>> empirical_margin_loss([[Fraction(1, 2), Fraction(0)], [Fraction(2), Fraction(2)]], [0, 1], 1)
    Fraction(3, 4)
    """
    rows, zero = read_rows(scores, "scores")
    codes = plain(y)
    if not isinstance(codes, Sequence) or len(codes) != len(rows):
        raise DataError(
            f"y: expected {len(rows)} positions, one a row of scores, got {shown(codes)}"
        )
    bound = _positive(rho, zero)
    losses = [
        _margin_loss(_margin(s, _position(code, len(s), f"y: row {i}"), zero), bound, zero)
        for i, (s, code) in enumerate(zip(rows, codes))
    ]
    mean: float | Fraction = total(losses, zero) / len(losses)
    return mean


@overload
def multiclass_hinge(scores: Sequence[S], y: int, cost: Cost | None = None) -> S: ...
@overload
def multiclass_hinge(scores: Row, y: int, cost: Cost | None = None) -> float | Fraction: ...
def multiclass_hinge(scores: Row, y: int, cost: Cost | None = None) -> float | Fraction:
    """max_j (Δ(j, y) + s_j − s_y): at least the cost of every arg max of the scores.

    scores: k ≥ 1 numbers, one a class; y: the position of the right class among them. `cost`: a
    function Δ(j, y) ≥ 0 with Δ(y, y) = 0, in the arithmetic of the scores or whole numbers; None
    is Δ = 1 for every wrong class, and then the loss is max(0, 1 − margin), the slack η_i. Raises
    `DataError` (scores, y), `ParameterError` (cost), `MixedArithmeticError`. Cost: O(k).
    [lecture5 (5), (10)], [lu, "Multi-Class Kernel-Based SVMs"]

    >>> multiclass_hinge([Fraction(1, 2), Fraction(1)], 1)
    Fraction(1, 2)
    >>> multiclass_hinge([Fraction(1, 2), Fraction(1)], 1, lambda j, y: 3 * abs(j - y))
    Fraction(5, 2)
    """
    s, own, delta, zero = _hinge_terms(scores, y, cost)
    loss: float | Fraction = max(
        total((delta_j, s_j, -s[own]), zero) for delta_j, s_j in zip(delta, s)
    )
    return loss


def multiclass_hinge_set(scores: Row, y: int, cost: Cost | None = None) -> tuple[int, ...]:
    """All positions j that reach the maximum in `multiclass_hinge`, in increasing order.

    y itself is among them where the loss is 0. Sums of floats are compared exactly, so a tie is
    one of the numbers given, not of rounding. Arguments, errors and cost as `multiclass_hinge`.
    [lecture5 (8)]

    >>> multiclass_hinge_set([Fraction(0), Fraction(0), Fraction(1)], 2)
    (0, 1, 2)
    """
    s, _, delta, _ = _hinge_terms(scores, y, cost)
    return argmax_set([Fraction(delta_j) + Fraction(s_j) for delta_j, s_j in zip(delta, s)])


def _hinge_terms(
    scores: Row, y: int, cost: Cost | None
) -> tuple[tuple[Any, ...], int, tuple[Any, ...], Any]:
    """The scores, y, the costs Δ(j, y) of each class, and the zero, all validated."""
    s, zero = read_vector(scores, "scores")
    own = _position(y, len(s), "y")
    if cost is None:
        return s, own, tuple(zero + (j != own) for j in range(len(s))), zero
    delta = read_row([cost(j, own) for j in range(len(s))], zero, f"cost(j, {own})")
    for j, delta_j in enumerate(delta):
        if delta_j < 0 or (j == own and delta_j != 0):
            expected = "0" if j == own else "at least 0"
            raise ParameterError(f"cost({j}, {own}): expected {expected}, got {shown(delta_j)}")
    return s, own, delta, zero


def _position(y: int, k: int, place: str) -> int:
    try:
        position = operator.index(y)
    except TypeError:
        position = -1
    if not 0 <= position < k:
        raise DataError(f"{place}: expected a position among {k} scores, got {shown(y)}")
    return position
