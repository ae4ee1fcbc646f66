"""Pairs of multipliers, for a dual whose free bias ties all of them together.

The equality Σ_v sign_v x_v = 0 lets no multiplier move alone. Of each pair that moves, the first
one is the most violating; with it goes the one that promises the largest gain by slope² over
curvature. [Fan, Chen and Lin, "Working set selection using second order information"]

Legend: x multipliers, s_v = sign_v; f_v = s_v (gain_v − ridge_v x_v) − Σ_u s_u x_u K(x_u, x_v), the
bias with which v would be on its margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import inf

from refmc.core.linalg import dots_of_floats
from refmc.learn.svm.dual import Dual

LEAST_VIOLATION = 2.0**-10
"""Pairs end at this violation, in units of the largest gain: pivots do the rest sooner."""

STEPS, MORE_STEPS = 5, 1_000
"""The most steps: so many times the multipliers, and more."""


def by_pairs(dual: Dual[float]) -> list[float]:
    """Feasible multipliers near the optimum of a dual with one group. Cost: O(m) for a step.

    [chang, "Dual SVM problem"]
    """
    points, sign, n = dual.points, dual.sign, len(dual.sign)
    table: Sequence[Sequence[float]] = points.geometry.rows

    @cache
    def kernel_row(i: int) -> Sequence[float]:
        if points.gram is not None:
            return table[i]
        return dots_of_floats((table[i], row) for row in table)

    upper = [inf if bound is None else bound for bound in dual.upper]
    x = [0.0] * n
    f = [s * gain for s, gain in zip(sign, dual.gain)]
    least = LEAST_VIOLATION * max(dual.gain)
    for _ in range(STEPS * n + MORE_STEPS):
        # The f of those whose s_v x_v can grow, and of those whose s_v x_v can fall.
        can_grow = [a < c if s > 0 else a > 0 for a, c, s in zip(x, upper, sign)]
        can_fall = [a > 0 if s > 0 else a < c for a, c, s in zip(x, upper, sign)]
        growing = [a if may else -inf for a, may in zip(f, can_grow)]
        falling = [a if may else inf for a, may in zip(f, can_fall)]
        highest = max(growing)
        if highest - min(falling) <= least:
            break
        i = growing.index(highest)
        K_i, curvature = kernel_row(i), dual.curvatures[i]
        bends = [curvature + b - 2 * k for b, k in zip(dual.curvatures, K_i)]
        gains = [_gain(highest - a, bend) for a, bend in zip(falling, bends)]
        j = gains.index(max(gains))
        if not gains[j] > 0:
            break
        K_j = kernel_row(j)
        step = (highest - f[j]) / bends[j] if bends[j] > 0 else inf
        room = [upper[i] - x[i] if sign[i] > 0 else x[i], x[j] if sign[j] > 0 else upper[j] - x[j]]
        step = min(step, *room)
        if step == inf:
            break  # pivots find out that this dual has no end
        f = [a - step * (b - c) for a, b, c in zip(f, K_i, K_j)]
        for v, change, left in ((i, step, room[0]), (j, -step, room[1])):
            if step < left:
                x[v] += sign[v] * change
            else:  # at its bound, without a rounding
                x[v] = upper[v] if sign[v] * change > 0 else 0.0
            f[v] -= change * dual.ridge[v]
    return x


def _gain(slope: float, bend: float) -> float:
    """What a pair promises; of equal points all that there is room for."""
    if slope <= 0:
        return 0.0
    return slope**2 / bend if bend > 0 else inf
