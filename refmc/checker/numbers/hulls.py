"""How far a point is from a convex set that is given by generators, decided exactly.

The subgradients of a maximum of linear functions are the convex combinations of the gradients of
those that attain it. A sum of functions, each the maximum of two linear ones, has as subgradients a
sum of segments. In both cases the distance, in the sum of absolute values, is the value of a linear
program: the least Σ |r_k| such that Σ c_j v_j + r is the point, with c ≥ 0 and Σ c_j = 1 for the
hull, or 0 ≤ c ≤ 1 for the segments. It is solved in Fractions by the simplex method, which Bland's
rule of the least index keeps from cycling. Of each row only the few non-zero entries are stored.

Where every generator is the same row x in one block of the point and −x in another, each block can
be measured by itself: its distance is convex and piecewise linear in the multiple of x that it gets
(its share). The total is least when the shares grow along the pieces in the order of their slopes.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from refmc.checker.numbers.arithmetic import Numbers, sum_of

MOST_PRODUCTS = 1_000_000
"""The most entries of rows that the simplex method may change before it gives up."""


class TooLong(Exception):
    """Raised where the distance would take more than `MOST_PRODUCTS`."""


def distance_to_hull(point: Numbers, vertices: Sequence[Numbers]) -> Fraction:
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


def distance_to_segments(point: Numbers, start: Numbers, segments: Sequence[Numbers]) -> Fraction:
    """The least sum of absolute changes that brings the point to start + Σ c_j s_j with 0 ≤ c ≤ 1.

    >>> distance_to_segments([2, -3], [0, 0], [[1, -1], [1, -1]])
    Fraction(1, 1)
    """
    target = [Fraction(p) - q for p, q in zip(point, start, strict=True)]
    size = len(segments)
    caps = [[int(i == j) for j in range(size)] for i in range(size)]
    return _least_residual(target, segments, caps)


def distance_to_outer_products(
    point: Numbers,
    x: Sequence[Fraction],
    y: int,
    sure: Sequence[int],
    free: Sequence[int],
    limits: tuple[int, int],
) -> Fraction:
    """The least sum of absolute changes that brings the point to Σ c_j (e_j − e_y) times x.

    The point consists of blocks as long as x. c_j is 1 for each block j of `sure`, and between 0
    and 1 for each of `free`; the c_j of the free blocks have a sum between the limits, of which the
    lower one is 0 or the upper one. (e_j − e_y) times x is x in block j and −x in block y.

    >>> distance_to_outer_products([1, 2, -1, -1], [Fraction(1), Fraction(2)], 1, [], [0], (1, 1))
    Fraction(1, 1)
    """
    d = len(x)
    blocks = [point[r : r + d] for r in range(0, len(point), d)]
    shares = dict.fromkeys(sure, 1) | {y: -len(sure)}
    total = sum_of(_misfit(block, x, shares.get(r, 0)) for r, block in enumerate(blocks))
    if not free:
        return total
    # both lists are taken from their ends, where the pieces with the least slopes are
    given = sorted((piece for j in free for piece in _slopes(blocks[j], x)), reverse=True)
    own = _slopes([-p for p in blocks[y]], x, start=len(sure), length=len(free))[::-1]
    least, most = limits
    dealt = Fraction(0)
    while dealt < most and given and own:
        (slope, length), (other, room) = given.pop(), own.pop()
        step = min(length, room, most - dealt)
        if dealt >= least and slope + other >= 0:
            break
        total += (slope + other) * step
        dealt += step
        if length > step:
            given.append((slope, length - step))
        if room > step:
            own.append((other, room - step))
    return total


def _misfit(block: Numbers, x: Sequence[Fraction], share: int) -> Fraction:
    return sum_of(abs(p - share * c) for p, c in zip(block, x, strict=True))


def _slopes(
    block: Numbers, x: Sequence[Fraction], start: int = 0, length: int = 1
) -> list[tuple[Fraction, Fraction]]:
    """The pieces of a block's distance as its share grows from `start`: slopes and lengths."""
    kinks = sorted((p / c, abs(c)) for p, c in zip(block, x, strict=True) if c)
    slope = sum_of(size if kink <= start else -size for kink, size in kinks)
    found, at, end = [], Fraction(start), Fraction(start + length)
    for kink, size in kinks:
        if start < kink < end:
            found.append((slope, kink - at))
            at, slope = kink, slope + 2 * size
    found.append((slope, end - at))
    return found


def _least_residual(
    target: Sequence[Fraction], generators: Sequence[Numbers], caps: Sequence[Numbers]
) -> Fraction:
    """The least Σ |target − Σ c_j g_j| over c ≥ 0 with cap·c ≤ 1 for every cap.

    A residual is the difference of two non-negative variables, called partners; its absolute value
    is their sum, as at most one of them is in a basis. The search starts at c = 0: there the basis
    consists of one partner of each residual, by the sign of the target, and the slack of every cap.
    """
    shares = _exact_shares(target, generators)
    if shares is not None and min(shares, default=0) >= 0:
        used = (sum(c * share for c, share in zip(cap, shares, strict=True)) for cap in caps)
        if all(share <= 1 for share in used):
            return Fraction(0)
    n, size = len(generators), len(target) + len(caps)
    rows: list[dict[int, Fraction]] = []
    for k, t in enumerate(target):
        sign = 1 if t >= 0 else -1
        row = {j: sign * Fraction(g[k]) for j, g in enumerate(generators) if g[k]}
        rows.append({**row, n + k: Fraction(1), n + size + k: Fraction(-1), RIGHT: abs(t)})
    for k, cap in enumerate(caps, len(target)):
        row = {j: Fraction(c) for j, c in enumerate(cap) if c}
        rows.append({**row, n + k: Fraction(1), RIGHT: Fraction(1)})
    partners = {n + k: n + size + k for k in range(len(target))}
    partners |= {b: a for a, b in partners.items()}
    return _minimum(rows, [n + k for k in range(size)], partners)


def _exact_shares(
    target: Sequence[Fraction], generators: Sequence[Numbers]
) -> list[Fraction] | None:
    """The only c with Σ c_j g_j = target, by elimination; None if there is none or several."""
    n = len(generators)
    solved: dict[int, list[Fraction]] = {}
    for k, t in enumerate(target):
        row = [*(Fraction(g[k]) for g in generators), t]
        for j, other in solved.items():
            if row[j]:
                row = [v - row[j] * w for v, w in zip(row, other)]
        lead = next((j for j in range(n) if row[j]), None)
        if lead is None:
            if row[n]:
                return None
            continue
        row = [v / row[lead] for v in row]
        for j, other in solved.items():
            if other[lead]:
                solved[j] = [v - other[lead] * w for v, w in zip(other, row)]
        solved[lead] = row
    return [solved[j][n] for j in range(n)] if len(solved) == n else None


RIGHT = -1
"""The key of a row's right side."""

Rows = list[dict[int, Fraction]]


def _minimum(rows: Rows, basis: list[int], partners: Mapping[int, int]) -> Fraction:
    """The least sum of the variables that have partners, found from a feasible basis."""
    products = 0
    while True:
        costs = dict.fromkeys(partners, Fraction(1))
        for row, variable in zip(rows, basis):
            if variable in partners:
                for j, v in row.items():
                    costs[j] = costs.get(j, Fraction(0)) - v
        value = -costs.pop(RIGHT, Fraction(0))
        entering = min((j for j, cost in costs.items() if cost < 0), default=None)
        if entering is None:
            return value
        leaving = _leaving(rows, basis, entering, costs[entering], partners)
        pivot = rows[leaving][entering]
        chosen = {j: v / pivot for j, v in rows[leaving].items()}
        rows[leaving] = chosen
        for i, row in enumerate(rows):
            factor = row.get(entering)
            if i != leaving and factor:
                products += len(row)
                if products > MOST_PRODUCTS:
                    raise TooLong
                changed = {j: row.get(j, Fraction(0)) - factor * v for j, v in chosen.items()}
                rows[i] = {j: v for j, v in (row | changed).items() if v or j == RIGHT}
        basis[leaving] = entering


def _leaving(
    rows: Rows, basis: list[int], entering: int, cost: Fraction, partners: Mapping[int, int]
) -> int:
    """The row of the variable that leaves the basis, after some rows have been negated.

    Where a residual falls to 0, its partner takes its place, and the step goes on, as long as the
    sum of the residuals still falls. A step of positive length lessens that sum, and a step of
    length 0 follows Bland's rule, so that the search ends.
    """
    ratios = sorted(
        (row[RIGHT] / row[entering], basis[i], i)
        for i, row in enumerate(rows)
        if row.get(entering, 0) > 0
    )  # not empty: without such a row the sum of the residuals would fall for ever, and it is ≥ 0
    passed = []
    for ratio, variable, i in ratios:
        cost += 2 * rows[i][entering]
        if variable not in partners or cost >= 0:
            break
        passed.append(i)
    if not ratio:
        return ratios[0][2]
    for other in passed:
        rows[other] = {j: -v for j, v in rows[other].items()}
        basis[other] = partners[basis[other]]
    return i
