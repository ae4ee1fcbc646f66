"""Newton's method in the weights, where these are few.

The primal problem has a kink at every row on its margin. A ridge μ on each multiplier of the dual
smooths it: with the excesses e_v = gain_v − D_v·u

    F(u) = ½ Σ_j h_j u_j² + max_x Σ_v e_v x_v − ½ Σ_v (ridge_v + μ) x_v²

over the x between their bounds that keep the sums of their groups. F is convex, smooth and
piecewise quadratic, and its best x are clipped or projected excesses. So each Newton step is one
linear system with as many unknowns as weights, however many rows there are: only the free x, which
are few, count in its matrix. μ is lowered in stages, each of which begins at the weights of the
last one. At the end nearly all multipliers are at the bound where the optimum of μ = 0 has them.

Squared hinges have ridges of their own and need no μ. There floats find the rows A that have a loss
and one exact solution for that A gives multipliers that are optimal if A are the rows that have a
loss there, too. Otherwise the next A are those rows.

[Mangasarian, "A finite Newton method for classification"], beside `chang`'s "Soft SVM".

Legend: u the weights of all blocks, and b where it is free; h_j = 1, 0 for a free b.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import fsum
from operator import add, mul, sub
from typing import Generic

from refmc.core.lifting import solved
from refmc.core.linalg import dot, dots_of_floats, inverse_of_independent, total
from refmc.core.scalars import S
from refmc.learn.svm.dual import Dual
from refmc.learn.svm.newton import on_simplex

MOST_WEIGHTS = 24
"""With more weights sweeps are as fast, and far more multipliers are free than are independent.

Squared hinges are solved so whatever their weights."""

FALL, LEAST_SMOOTHING = 1 / 16, 2.0**-8
"""The factor from one stage's μ to the next, and the least μ, in units in which an excess of the
largest gain moves a multiplier from bound to bound where μ is 1."""

STEPS, TRIALS = 30, 40
"""The most steps of a stage, and the most points that are tried along a direction."""

SETTLED = 2.0**-26
"""A stage ends when a whole step would lower F by less than this part of it, relatively."""


class Primal(Generic[S]):
    """F of the module's docstring, before μ is added to the ridges.

    `z`: for each multiplier its vector D_v in all weights, with its sign for a free b at the end.
    """

    dual: Dual[S]
    zero: S
    z: list[list[S]]
    h: list[S]
    totals: list[S]

    def __init__(self, dual: Dual[S]) -> None:
        self.dual, self.zero = dual, dual.zero
        points: Sequence[Sequence[S]] = dual.points.geometry.rows
        one: S = dual.zero + 1
        self.simplexes = [g for g in dual.groups if all(dual.sign[v] > 0 for v in g)]
        grouped = {v for group in self.simplexes for v in group}
        self.alone = [v for v, c in enumerate(dual.upper) if v not in grouped and c != 0]
        self.totals = [total((dual.start[v] for v in g), dual.zero) for g in self.simplexes]
        has_bias = len(dual.groups) > len(self.simplexes)
        sizes = {block: len(points[i]) for terms in dual.terms for (block, i), _ in terms}
        first, weights = dict[int, int](), 0
        for block, size in sorted(sizes.items()):
            first[block], weights = weights, weights + size
        self.h = [one] * weights + [dual.zero] * has_bias
        self.z = []
        for v, terms in enumerate(dual.terms):
            z = [dual.zero] * weights + [one * dual.sign[v]] * has_bias
            for (block, i), sign in terms:
                for j, a in enumerate(points[i], first[block]):
                    z[j] += sign * a
            self.z.append(z)

    def excesses(self, u: Sequence[S]) -> list[S]:
        """gain_v − D_v·u."""
        return [gain - dot(z, u, self.zero) for gain, z in zip(self.dual.gain, self.z)]

    def system(self, vectors: Sequence[Sequence[S]], counts: Sequence[S]) -> list[list[S]]:
        """The lower triangle of diag(h) + Σ count z zᵀ over these vectors z."""
        columns: list[Sequence[S]] = [*zip(*vectors)] or [()] * len(self.h)
        weighted = [list(map(mul, counts, column)) for column in columns]
        H = [[dot(a, b, self.zero) for b in columns[: j + 1]] for j, a in enumerate(weighted)]
        for row, h in zip(H, self.h):
            row[-1] += h
        return H


def has_few_weights(dual: Dual[S]) -> bool:
    """Whether the points are rows of numbers, with fewer weights than rows, and not too many."""
    points = dual.points
    if points.rows is None or points.gram is not None:
        return False
    size, blocks = len(points.rows[0]), {place[0] for terms in dual.terms for place, _ in terms}
    if any(dual.ridge):
        return size < len(points)
    return len(blocks) * size < min(len(points), MOST_WEIGHTS)


def near_optimum(dual: Dual[float]) -> list[float]:
    """Multipliers near the optimum, as near as floats come in the case of squared hinges."""
    primal = Primal(dual)
    u, x = [0.0] * len(primal.h), list[float]()
    bounds = [bound for bound in dual.upper if bound is not None] + primal.totals
    if any(dual.ridge) or not max(bounds, default=0.0) > 0:
        return _stage(primal, u, 0.0, 0.0)[1]
    smoothing = 1.0
    while smoothing > LEAST_SMOOTHING:
        smoothing *= FALL
        u, x = _stage(primal, u, smoothing * max(dual.gain) / max(bounds), SETTLED)
    return x


def _stage(
    primal: Primal[float], u: list[float], mu: float, settled: float
) -> tuple[list[float], list[float]]:
    """The weights and multipliers at the minimum of F for this μ, by Newton steps from u.

    They end where floats see no fall of F, or after `STEPS`.
    """
    e = primal.excesses(u)
    x = _multipliers(primal, e, mu)
    value = _value(primal, u, e, x, mu)
    for _ in range(STEPS):
        moved = [v for v, a in enumerate(x) if a]
        columns = zip(*(primal.z[v] for v in moved)) if moved else [()] * len(u)
        losses = [x[v] for v in moved]
        g = [dot(column, losses, 0.0) - h * a for column, h, a in zip(columns, primal.h, u)]
        kept, inverse = inverse_of_independent(primal.system(*_free(primal, x, mu)), 0.0)
        step, slope = [0.0] * len(u), [g[k] for k in kept]
        for j, row in zip(kept, inverse):
            step[j] = dot(row, slope, 0.0)
        fall = dot(step, g, 0.0)
        if not fall > settled * value:
            return u, x
        change = [-a for a in dots_of_floats((z, step) for z in primal.z)]
        length, x_after = _length(primal, u, step, -fall, e, x, change, mu)
        u_after = [a + length * b for a, b in zip(u, step)]
        e = [a + length * b for a, b in zip(e, change)]
        lower = _value(primal, u_after, e, x_after, mu)
        if not lower < value:
            return u, x
        u, x, value = u_after, x_after, lower
    return u, x


def _value(
    primal: Primal[float], u: Sequence[float], e: Sequence[float], x: Sequence[float], mu: float
) -> float:
    """F at u, whose excesses e have the best multipliers x."""
    ridges = [(ridge + mu) * a for ridge, a in zip(primal.dual.ridge, x)]
    weights = list(map(mul, primal.h, u))
    both = list(map(add, e, map(sub, e, ridges)))
    value: float = (dot(weights, u, 0.0) + dot(x, both, 0.0)) / 2
    return value


def _length(
    primal: Primal[float],
    u: Sequence[float],
    step: Sequence[float],
    steepest: float,
    e: Sequence[float],
    x: list[float],
    change: Sequence[float],
    mu: float,
) -> tuple[float, list[float]]:
    """How far to go, and the best x there: 1 if F still falls there, else to nearly the minimum.

    0 where floats see no fall at all. `steepest`: the slope of F at the start, where the best x is
    given. `change`: of the excesses along the whole step.
    """
    weighted = list(map(mul, primal.h, step))
    at_0, curvature = dot(weighted, u, 0.0), dot(weighted, step, 0.0)
    low, high, length, slope_at_low = 0.0, 1.0, 1.0, steepest
    for _ in range(TRIALS):
        x_there = _multipliers(primal, [a + length * b for a, b in zip(e, change)], mu)
        slope = at_0 + length * curvature + dot(x_there, change, 0.0)
        if slope <= 0:
            low, slope_at_low, x = length, slope, x_there
            if length == 1 or slope >= steepest / 4:
                break
        else:
            high, slope_at_high = length, slope
        # Where the line through both slopes is 0, but at most half of the way back to `low`, which
        # the slopes of pieces far from the minimum would make a long one.
        share = slope_at_low / (slope_at_low - slope_at_high) if slope_at_low < 0 else 0.5
        share = max(share, 0.5) if slope <= 0 else min(share, 0.5)
        length = low + (high - low) * min(max(share, 0.1), 0.9)
    return low, x


def _multipliers(primal: Primal[float], e: Sequence[float], mu: float) -> list[float]:
    """The best x for these excesses."""
    dual, x = primal.dual, [0.0] * len(e)
    for v in primal.alone:
        if (excess := e[v]) > 0:
            a, bound = excess / (mu + dual.ridge[v]), dual.upper[v]
            x[v] = a if bound is None or a < bound else bound
    for group, mass in zip(primal.simplexes, primal.totals):
        part = [e[v] for v in group]
        ordered = sorted(part)
        if len(part) == 1 or ordered[-2] < ordered[-1] - mu * mass:  # what nearly all groups have
            x[group[part.index(ordered[-1])]] = mass
        elif mass:
            for v, a in zip(group, on_simplex([a / mu for a in part], mass)):
                x[v] = a
    return x


def _free(
    primal: Primal[float], x: Sequence[float], mu: float
) -> tuple[list[list[float]], list[float]]:
    """The vectors along which x moves with the weights, and how much: 1/(ridge + μ).

    Those of a group less their mean, since the group keeps its sum.
    """
    dual, vectors, counts = primal.dual, list[list[float]](), list[float]()
    for v in primal.alone:
        bound = dual.upper[v]
        if x[v] > 0 and (bound is None or x[v] < bound):
            vectors.append(primal.z[v])
            counts.append(1 / (mu + dual.ridge[v]))
    for group in primal.simplexes:
        free = [primal.z[v] for v in group if x[v] > 0]
        if len(free) > 1:
            mean = [fsum(column) / len(free) for column in zip(*free)]
            vectors += [[a - b for a, b in zip(z, mean)] for z in free]
            counts += [1 / mu] * len(free)
    return vectors, counts


def exact_optimum(dual: Dual[Fraction], near: Sequence[float]) -> list[Fraction] | None:
    """The exact multipliers of squared hinges, by whole steps that begin at those `near` them.

    None where such steps come back to rows that they have tried, or the exact system is left to
    elimination. A row whose loss is exactly 0 may count or not: it changes nothing.
    """
    primal, tried = Primal(dual), set[tuple[int, ...]]()
    active = tuple(v for v in primal.alone if near[v] > 0)
    while active not in tried:
        tried.add(active)
        counts = [1 / dual.ridge[v] for v in active]
        vectors = [primal.z[v] for v in active]
        columns = zip(*vectors) if vectors else [()] * len(primal.h)
        H = primal.system(vectors, counts)
        u = solved(H, [dot(column, counts, dual.zero) for column in columns])
        if u is None:
            return None
        e = primal.excesses(u)
        chosen, active = set(active), tuple(v for v in primal.alone if e[v] > 0)
        if all(e[v] >= 0 if v in chosen else e[v] <= 0 for v in primal.alone):
            x = [dual.zero] * len(e)
            for v in active:
                x[v] = e[v] / dual.ridge[v]
            return x
    return None
