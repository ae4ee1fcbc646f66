"""How far a point is from a convex set that is given by generators, decided exactly.

The subgradients of a maximum of linear functions are the convex combinations of the slopes of those
that reach it; those of a sum of maxima of two are a sum of segments.  Either is a linear programme:
the least sum of |r_k| such that sum c_j v_j + r is the point, with c >= 0 and sum c = 1 for the hull,
or 0 <= c <= 1 for the segments.  It is solved by the simplex method with Bland's rule, which ends,
in Fractions.
"""

from collections.abc import Sequence
from fractions import Fraction

Point = Sequence[Fraction | int]


def distance_to_hull(point: Point, vertices: Sequence[Point]) -> Fraction:
    """The least sum of absolute changes that brings the point into the hull of the vertices.

    >>> distance_to_hull([1, 1], [[0, 0], [1, 0], [0, 1]])
    Fraction(1, 1)
    >>> distance_to_hull([Fraction(1, 3)] * 2, [[0, 0], [1, 0], [0, 1]])
    Fraction(0, 1)
    """
    first, rest = vertices[0], vertices[1:]
    edges = [[Fraction(p) - q for p, q in zip(v, first, strict=True)] for v in rest]
    target = [Fraction(p) - q for p, q in zip(point, first, strict=True)]
    return _least_residual(target, edges, [[1] * len(edges)])


def distance_to_segments(point: Point, start: Point, segments: Sequence[Point]) -> Fraction:
    """The least sum of absolute changes that brings the point to start + sum c_j s_j, 0 <= c <= 1.

    >>> distance_to_segments([2, -3], [0, 0], [[1, -1], [1, -1]])
    Fraction(1, 1)
    """
    target = [Fraction(p) - q for p, q in zip(point, start, strict=True)]
    size = len(segments)
    caps = [[int(i == j) for j in range(size)] for i in range(size)]
    return _least_residual(target, segments, caps)


def _least_residual(
    target: Sequence[Fraction], generators: Sequence[Point], caps: Sequence[Point]
) -> Fraction:
    """min sum |target - sum c_j g_j| over c >= 0 with every cap . c <= 1.

    The first basis holds the residuals, each with the sign of its target, and the slacks of the
    caps; every residual has a partner of the other sign.
    """
    n, size = len(generators), len(target) + len(caps)
    rows: list[list[Fraction]] = []
    for k, t in enumerate(target):
        sign = 1 if t >= 0 else -1
        unit = [Fraction(i == k) for i in range(size)]
        partner = [Fraction(-(i == k)) for i in range(len(target))]
        rows.append([sign * Fraction(g[k]) for g in generators] + unit + partner + [abs(t)])
    for k, cap in enumerate(caps, len(target)):
        unit = [Fraction(i == k) for i in range(size)]
        nothing = [Fraction(0)] * len(target)
        rows.append([Fraction(c) for c in cap] + unit + nothing + [Fraction(1)])
    cost = [0] * n + [1] * len(target) + [0] * len(caps) + [1] * len(target)
    return _minimum(rows, [n + k for k in range(size)], [Fraction(c) for c in cost])


def _minimum(rows: list[list[Fraction]], basis: list[int], cost: Sequence[Fraction]) -> Fraction:
    """The least cost from a feasible basis; the last entry of a row is its right side."""
    while True:
        reduced = [
            cost[j] - sum((cost[basis[i]] * row[j] for i, row in enumerate(rows)), Fraction(0))
            for j in range(len(cost))
        ]
        entering = next((j for j, c in enumerate(reduced) if c < 0), None)
        if entering is None:
            values = (cost[basis[i]] * row[-1] for i, row in enumerate(rows))
            return sum(values, Fraction(0))
        ratios = [
            (row[-1] / row[entering], basis[i], i)
            for i, row in enumerate(rows)
            if row[entering] > 0
        ]
        leaving = min(ratios)[2]  # the cost is at least 0, so there is one
        pivot = rows[leaving][entering]
        rows[leaving] = [v / pivot for v in rows[leaving]]
        for i, row in enumerate(rows):
            factor = row[entering]
            if i != leaving and factor:
                rows[i] = [v - factor * p for v, p in zip(row, rows[leaving], strict=True)]
        basis[leaving] = entering
