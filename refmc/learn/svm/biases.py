"""All biases that are best for given scores of a binary SVM.

Legend: s_i scores without the bias b, y_i = ±1, c_i ≥ 0 how much a row's loss counts. Row i has
slack where y_i (s_i + b) < 1: below its kink t_i = y_i − s_i for the class +1, above it for −1.
The sum of the losses is convex in b, and the form of its slope changes at kinks only. Functions
return the two ends of the interval of the best b; None stands for a side without end, which is
there where no row of one class counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from refmc.core.scalars import S


def best_for_hinge(
    scores: Sequence[S], y: Sequence[int], c: Sequence[S]
) -> tuple[S | None, S | None]:
    """All b that minimise Σ c_i max(0, 1 − y_i (s_i + b)).

    Below all kinks the slope is minus the sum of c_i over the class +1, and it rises by c_i at
    each kink. So b is best between the kinks where it is 0, or at the one where it turns positive.

    >>> from fractions import Fraction as F
    >>> best_for_hinge([F(2), F(0), F(-3)], [1, 1, -1], [F(1)] * 3)
    (Fraction(1, 1), Fraction(2, 1))
    """
    slope = c[0] * 0 - sum(c_i for sign, c_i in zip(y, c) if sign > 0)
    low: S | None = None
    for kink, _, c_i in _kinks(scores, y, c):
        if slope == 0:
            return low, kink
        slope = slope + c_i
        if slope > 0:
            return kink, kink
        low = kink
    return low, None


def best_for_squared_hinge(
    scores: Sequence[S], y: Sequence[int], c: Sequence[S]
) -> tuple[S | None, S | None]:
    """All b that minimise Σ c_i max(0, 1 − y_i (s_i + b))².

    Half the slope is the sum of c_i (b − t_i) over the rows with slack: between two kinks a + h·b,
    where a row of the class +1 leaves the sum at its kink, and one of −1 enters it.

    >>> from fractions import Fraction as F
    >>> best_for_squared_hinge([F(0), F(0)], [1, -1], [F(1), F(3)])
    (Fraction(-1, 2), Fraction(-1, 2))
    """
    kinks = _kinks(scores, y, c)
    zero = c[0] * 0
    a: S = zero - sum(c_i * kink for kink, sign, c_i in kinks if sign > 0)
    h: S = zero + sum(c_i for _, sign, c_i in kinks if sign > 0)
    low: S | None = None
    for kink, sign, c_i in kinks:
        if h > 0 and a + h * kink > 0:
            return -a / h, -a / h
        if h == 0:
            return low, kink
        a, h = a + sign * c_i * kink, h - sign * c_i
        low = kink
    return (-a / h, -a / h) if h > 0 else (low, None)


def _kinks(scores: Sequence[S], y: Sequence[int], c: Sequence[S]) -> list[tuple[S, int, S]]:
    """The kink, sign and count of each row that counts, by kink."""
    kinks = [(sign - score, sign, c_i) for score, sign, c_i in zip(scores, y, c) if c_i]
    return sorted(kinks, key=lambda kink: kink[0])
