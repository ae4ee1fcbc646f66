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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from operator import add, mul, sub
from typing import Generic

from refmc.core.lifting import solved
from refmc.core.linalg import dot, solved_by_floats, total
from refmc.core.scalars import S
from refmc.learn.svm.dual import Dual
from refmc.learn.svm.newton import on_simplex

FEW, MOST, MOST_OF_GROUPS = 24, 100, 500
"""The limits of the weights, in groups times the blocks; above the first rows/4 is, too.

With more weights sweeps are as fast, and far more multipliers are free than are independent. In
groups each pair of free multipliers counts, and there may be as many as pairs of blocks. Squared
hinges are solved so whatever their weights."""

FALL, LEAST_SMOOTHING = 1 / 16, 2.0**-8
"""The factor from one stage's μ to the next, and the least μ, in units in which an excess of the
largest gain moves a multiplier from bound to bound where μ is 1."""

STEPS, TRIALS = 30, 40
"""The most steps of a stage, and the most points that are tried along a direction."""

SETTLED = 2.0**-26
"""A stage ends when a whole step would lower F by less than this part of it, relatively."""

LEVEL = 2.0**-10
"""The part of the first slope up to which the slope at the end of a whole step may be above 0, as
roundings make it."""

Parts = list[tuple[int, Sequence[S], int]]
"""A vector in all weights: for each point the place of its first weight, its numbers, its sign."""


class Primal(Generic[S]):
    """F of the module's docstring, before μ is added to the ridges.

    `places`: those of each block's weights; a free b is the last of all. `parts`: of each
    multiplier the vector that its changes move the weights along.
    """

    dual: Dual[S]
    zero: S
    h: list[S]
    totals: list[S]
    parts: list[Parts[S]]

    def __init__(self, dual: Dual[S]) -> None:
        self.dual, self.zero = dual, dual.zero
        points: Sequence[Sequence[S]] = dual.points.geometry.rows
        one: S = dual.zero + 1
        self.simplexes = [g for g in dual.groups if all(dual.sign[v] > 0 for v in g)]
        grouped = {v for group in self.simplexes for v in group}
        self.alone = [v for v, c in enumerate(dual.upper) if v not in grouped and c != 0]
        self.totals = [total((dual.start[v] for v in g), dual.zero) for g in self.simplexes]
        self.has_bias = len(dual.groups) > len(self.simplexes)
        sizes = {block: len(points[i]) for terms in dual.relative for (block, i), _ in terms}
        self.places, weights = dict[int, slice](), 0
        for block, size in sorted(sizes.items()):
            self.places[block], weights = slice(weights, weights + size), weights + size
        self.h = [one] * weights + [dual.zero] * self.has_bias
        self.parts = []
        for v, terms in enumerate(dual.relative):
            parts = [(self.places[block].start, points[i], sign) for (block, i), sign in terms]
            self.parts.append(parts + [(weights, [one], dual.sign[v])] * self.has_bias)

    def products(self, u: Sequence[S]) -> list[S]:
        """D_v·u."""
        products = self.dual.products({block: u[place] for block, place in self.places.items()})
        if self.has_bias:
            products = [p + sign * u[-1] for p, sign in zip(products, self.dual.sign)]
        return products

    def excesses(self, u: Sequence[S]) -> list[S]:
        """gain_v − D_v·u."""
        return list(map(sub, self.dual.gain, self.products(u)))

    def image(self, x: Mapping[int, S]) -> list[S]:
        """Σ x_v D_v, in all weights."""
        image, weights = self.dual.image(x), list[S]()
        for block, place in self.places.items():
            weights += image.get(block) or [self.zero] * (place.stop - place.start)
        signed = (self.dual.sign[v] * a for v, a in x.items())
        return weights + [total(signed, self.zero)] * self.has_bias

    def system(self, vectors: Iterable[tuple[Parts[S], S]]) -> list[list[S]]:
        """The lower triangle of diag(h) + Σ count z zᵀ over vectors z, each with its count."""
        H = [[self.zero] * j + [h] for j, h in enumerate(self.h)]
        blocks: dict[tuple[int, int], list[tuple[Sequence[S], Sequence[S], S]]] = {}
        for parts, count in vectors:
            for at, row, sign in parts:
                for before, other, other_sign in parts:
                    if before <= at:
                        weight = count if sign == other_sign else -count
                        blocks.setdefault((at, before), []).append((row, other, weight))
        for (at, before), products in blocks.items():
            rows, others, weights = zip(*products)
            columns = list(enumerate(zip(*others), before))
            for i, column in enumerate(zip(*rows), at):
                weighted = list(map(mul, column, weights))
                for j, other_column in columns[: i + 1 - before]:
                    H[i][j] += dot(weighted, other_column, self.zero)
        return H


def has_few_weights(dual: Dual[S]) -> bool:
    """Whether the points are rows of numbers, with fewer weights than rows, and not too many."""
    points = dual.points
    if points.rows is None or points.gram is not None:
        return False
    size, rows = len(points.rows[0]), len(points)
    if any(dual.ridge):
        return size < rows
    blocks = len({place[0] for terms in dual.terms for place, _ in terms})
    most = MOST_OF_GROUPS // max(blocks, 1) if len(dual.groups) > 1 else MOST
    return size * blocks < min(rows, max(FEW, min(rows // 4, most)))


def near_optimum(dual: Dual[float], roughly: bool) -> list[float]:
    """Multipliers near the optimum, as near as floats come in the case of squared hinges.

    `roughly`: whether the first stage is enough.
    """
    primal = Primal(dual)
    u, x = [0.0] * len(primal.h), list[float]()
    bounds = [bound for bound in dual.upper if bound is not None] + primal.totals
    if any(dual.ridge) or not max(bounds, default=0.0) > 0:
        return _stage(primal, u, 0.0, 0.0)[1]
    smoothing, least = 1.0, FALL if roughly else LEAST_SMOOTHING
    while smoothing > least:
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
        pull = primal.image({v: a for v, a in enumerate(x) if a})
        g = [a - h * weight for a, h, weight in zip(pull, primal.h, u)]
        step = solved_by_floats(primal.system(_free(primal, x, mu)), g)
        fall = dot(step, g, 0.0)
        if not fall > settled * value:
            return u, x
        change = [-a for a in primal.products(step)]
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
    return float(dot(weights, u, 0.0) + dot(x, both, 0.0)) / 2


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
        if slope <= (-LEVEL * steepest if length == 1 else 0.0):
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
) -> Iterator[tuple[Parts[float], float]]:
    """The vectors along which x moves with the weights, and how much: 1/(ridge + μ).

    Those of a group are the differences of any two, since the group keeps its sum.
    """
    dual = primal.dual
    for v in primal.alone:
        bound = dual.upper[v]
        if x[v] > 0 and (bound is None or x[v] < bound):
            yield primal.parts[v], 1 / (mu + dual.ridge[v])
    for group in primal.simplexes:
        free = [primal.parts[v] for v in group if x[v] > 0]
        for parts, others in combinations(free, 2):
            less = [(at, row, -sign) for at, row, sign in others]
            yield parts + less, 1 / (mu * len(free))


def exact_optimum(dual: Dual[Fraction], near: Sequence[float]) -> list[Fraction] | None:
    """The exact multipliers of squared hinges, by whole steps that begin at those `near` them.

    None where such steps come back to rows that they have tried, or the exact system is left to
    elimination. A row whose loss is exactly 0 may count or not: it changes nothing.
    """
    primal, tried = Primal(dual), set[tuple[int, ...]]()
    active = tuple(v for v in primal.alone if near[v] > 0)
    while active not in tried:
        tried.add(active)
        counts = {v: 1 / dual.ridge[v] for v in active}
        H = primal.system((primal.parts[v], count) for v, count in counts.items())
        u = solved(H, primal.image(counts))
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
