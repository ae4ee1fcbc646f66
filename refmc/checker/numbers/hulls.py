"""How far a point is from a convex set that is given by generators, decided exactly.

The subgradients of a maximum of linear functions are the convex combinations of the slopes of those
that reach it; those of a sum of maxima of two functions are a sum of segments. In both cases the
distance is the value of a linear program: the least Σ |r_k| such that Σ c_j v_j + r is the point,
with c ≥ 0 and Σ c_j = 1 for the hull, or 0 ≤ c ≤ 1 for the segments. It is solved in Fractions by
the simplex method. Bland's rule of the least index keeps it from cycling, and of each row only the
entries other than 0 are stored, which are few.

Where every generator is the same row x in one block of the point and −x in another, the program
falls apart into blocks: the distance of each is convex and piecewise linear in its share of x, and
the shares are dealt out in the order of the slopes.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

Point = Sequence[Fraction | int]

MOST_PRODUCTS = 1_000_000
"""The most entries of rows that the simplex method changes."""


class TooLong(Exception):
    """The distance takes more than `MOST_PRODUCTS`."""


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
    """The least sum of absolute changes that brings the point to start + Σ c_j s_j with 0 ≤ c ≤ 1.

    >>> distance_to_segments([2, -3], [0, 0], [[1, -1], [1, -1]])
    Fraction(1, 1)
    """
    target = [Fraction(p) - q for p, q in zip(point, start, strict=True)]
    size = len(segments)
    caps = [[int(i == j) for j in range(size)] for i in range(size)]
    return _least_residual(target, segments, caps)


def distance_to_outer_products(
    point: Point,
    x: Sequence[Fraction],
    y: int,
    sure: Sequence[int],
    free: Sequence[int],
    limits: tuple[int, int],
) -> Fraction:
    """The least sum of absolute changes that brings the point to Σ c_j (e_j − e_y) times x.

    The point is made of blocks as long as x, one after the other. c_j is 1 for each `sure` block;
    for the `free` blocks it is from 0 to 1, and their sum is between the limits.

    >>> distance_to_outer_products([1, 2, -1, -1], [Fraction(1), Fraction(2)], 1, [], [0], (1, 1))
    Fraction(1, 1)
    """
    d = len(x)
    blocks = [[Fraction(p) for p in point[r : r + d]] for r in range(0, len(point), d)]
    shares = {r: Fraction(0) for r in range(len(blocks))} | {j: Fraction(1) for j in sure}
    shares[y] = Fraction(-len(sure))
    total = sum((_misfit(block, x, shares[r]) for r, block in enumerate(blocks)), Fraction(0))
    # the next piece stands last
    given = sorted((piece for j in free for piece in _slopes(blocks[j], x)), reverse=True)
    own = _slopes([-p for p in blocks[y]], x, start=len(sure), length=len(free))[::-1]
    least, most = limits
    dealt = Fraction(0)
    while dealt < most and given and own:
        (slope, length), (other, room) = given.pop(), own.pop()
        step = min(length, room, most - dealt, *[least - dealt] * (dealt < least))
        if dealt >= least and slope + other >= 0:
            break
        total += (slope + other) * step
        dealt += step
        if length > step:
            given.append((slope, length - step))
        if room > step:
            own.append((other, room - step))
    return total


def _misfit(block: Point, x: Point, share: Fraction) -> Fraction:
    return sum((abs(p - share * c) for p, c in zip(block, x, strict=True)), Fraction(0))


def _slopes(
    block: Point, x: Sequence[Fraction], start: int = 0, length: int = 1
) -> list[tuple[Fraction, Fraction]]:
    """How the distance of a block grows with its share from `start` on: slopes with lengths."""
    kinks = sorted((p / c, abs(c)) for p, c in zip(block, x, strict=True) if c)
    slope = sum((size if kink <= start else -size for kink, size in kinks), Fraction(0))
    found, at, end = [], Fraction(start), Fraction(start + length)
    for kink, size in kinks:
        if at < kink < end:
            found.append((slope, kink - at))
            at = kink
        if start < kink < end:
            slope += 2 * size
    found.append((slope, end - at))
    return found


def _least_residual(
    target: Sequence[Fraction], generators: Sequence[Point], caps: Sequence[Point]
) -> Fraction:
    """The least Σ |target − Σ c_j g_j| over c ≥ 0 with cap·c ≤ 1 for every cap.

    A residual is the difference of two variables of at least 0, partners of each other, so that its
    absolute value is linear. The search starts at c = 0, where the basis holds each residual with
    the sign of the target, and the slack of every cap.
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


def _exact_shares(target: Sequence[Fraction], generators: Sequence[Point]) -> list[Fraction] | None:
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
    """The row of the variable that leaves the basis.

    A residual that falls to 0 is replaced by its partner, and the step goes on, as long as the sum
    of the residuals still falls. A step of length 0 follows Bland's rule, so that the search ends.
    """
    ratios = sorted(
        (row[RIGHT] / row[entering], basis[i], i)
        for i, row in enumerate(rows)
        if row.get(entering, 0) > 0
    )  # the cost is at least 0, so there is one
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
