"""Newton steps in the free multipliers of a dual, by conjugate gradients.

The active set keeps the inverse of a matrix that has a row for each free direction. That is
affordable for some hundreds of them, but with many classes thousands of multipliers are free. Each
of these shares points with few others, so a product with their Hessian is cheap, and conjugate
gradients need only such products. One step can move many multipliers to their bounds at once: it
follows the Newton direction, projects what would leave its bounds back onto them, and is halved
until the dual rises.

Legend: x multipliers, g the slopes of the dual at the free ones, H their Hessian, p a direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import fsum, sqrt
from operator import add, itemgetter, mul, sub

from refmc.learn.svm.dual import Dual
from refmc.learn.svm.points import Image

MOST_STEPS = 200
"""The most steps of conjugate gradients for one direction."""

LEAST_LENGTH = 2.0**-24
"""The smallest fraction of a direction that is tried as a step."""

REACH = 16
"""A direction may be this many times as long as the vector of the free multipliers: most of a
longer one would be cut off at the bounds."""


class FreeMultipliers:
    """The free multipliers of a dual in float: those between their bounds.

    `groups`: for each group the positions in `free` of its members. The sum of a group's
    multipliers is fixed, so the entries of a direction add up to 0 in each group; all members of a
    group must have the same sign. `work`: the number of free multipliers times the number of
    products with H so far.
    """

    def __init__(self, dual: Dual[float], x: Sequence[float]) -> None:
        self.dual, self.x, self.free = dual, x, list[int]()
        self.work = 0
        members: dict[int, list[int]] = {}
        for v, a in enumerate(x):
            if dual.clearance(v, a) > 0:
                if (number := dual.group[v]) is not None:
                    members.setdefault(number, []).append(len(self.free))
                self.free.append(v)
        self.groups = list(members.values())
        self.ridge = [dual.ridge[v] for v in self.free]
        # In units in which every multiplier's curvature is about 1 the steps are fewest. Members of
        # a group share one unit, so that their sum stays 0.
        units = [dual.curvatures[v] for v in self.free]
        for positions in self.groups:
            largest = max(units[j] for j in positions)
            for j in positions:
                units[j] = largest
        self.unit = [1 / sqrt(unit) if unit > 0 else 0.0 for unit in units]
        # A product with H adds up, in each block, what its points have in common. The places of a
        # block are numbered one after the other.
        places = sorted({place for v in self.free for place, _ in dual.relative[v]})
        numbers, inner = {place: q for q, place in enumerate(places)}, dual.points.geometry.inner
        self.entries = [
            (j, numbers[place], sign)
            for j, v in enumerate(self.free)
            for place, sign in dual.relative[v]
        ]
        self.places, self.inners = len(places), list[list[list[float]]]()
        for _, block in groupby(places, key=itemgetter(0)):
            points = [point for _, point in block]
            self.inners.append([[inner(i, j) for j in points] for i in points])

    def times(self, p: Sequence[float]) -> list[float]:
        """The product Hp, but for an amount that the members of a group share."""
        self.work += len(p)
        sums, scores, products = [0.0] * self.places, list[float](), list(map(mul, self.ridge, p))
        for j, q, sign in self.entries:
            sums[q] += sign * p[j]
        for rows in self.inners:
            part = sums[len(scores) : len(scores) + len(rows)]
            scores += [fsum(map(mul, row, part)) for row in rows]
        for j, q, sign in self.entries:
            products[j] += sign * scores[q]
        return products

    def balanced(self, p: list[float]) -> list[float]:
        """p, with the mean of each group subtracted from its members."""
        for positions in self.groups:
            mean = fsum([p[j] for j in positions]) / len(positions)
            for j in positions:
                p[j] -= mean
        return p

    def direction(self, g: Sequence[float], rest: float) -> list[float]:
        """The Newton direction p, an approximate solution of Hp = g.

        It is good enough when the residual g − Hp, in the units above, is at most `rest` times as
        long as g. After the first step, p is also left as it is before `REACH` would be exceeded.
        """
        r = self.balanced(list(map(mul, self.unit, g)))
        p, size = r, fsum(map(mul, r, r))
        goal, found = rest * rest * size, [0.0] * len(r)
        reached = (self.x[v] / unit for v, unit in zip(self.free, self.unit) if unit)
        farthest = REACH * REACH * fsum(a * a for a in reached)
        for _ in range(MOST_STEPS):
            way = list(map(mul, self.unit, p))
            image = self.times(way)
            curvature = fsum(map(mul, way, image))
            if not curvature > 0:
                break
            step = size / curvature
            longer = [a + step * b for a, b in zip(found, p)]
            if any(found) and fsum(map(mul, longer, longer)) > farthest:
                break
            found = longer
            change = self.balanced(list(map(mul, self.unit, image)))
            r = [a - step * b for a, b in zip(r, change)]
            size, before = fsum(map(mul, r, r)), size
            if size <= goal:
                break
            p = [a + size / before * b for a, b in zip(r, p)]
        return list(map(mul, self.unit, found))

    def projected(self, x: list[float]) -> list[float]:
        """The feasible multipliers nearest to x."""
        bounds = [self.dual.upper[v] for v in self.free]
        near = [max(a, 0.0) if b is None else min(max(a, 0.0), b) for a, b in zip(x, bounds)]
        for positions in self.groups:
            total = fsum(self.x[self.free[j]] for j in positions)
            for j, a in zip(positions, on_simplex([x[j] for j in positions], total)):
                near[j] = a
        return near

    def step(self, w: Image, rest: float) -> dict[int, float]:
        """The values of the free multipliers after one Newton step; {} if none raises the dual.

        `w`: the image of all multipliers. `rest`: the share of the slope that may be left.
        """
        products, gain = self.dual.products(w, self.free, relative=True), self.dual.gain
        before = [self.x[v] for v in self.free]
        loss = map(add, products, map(mul, self.ridge, before))
        # Less what the slopes of a group share: times the roundings of the group's sum it would be
        # more than the whole rise of the dual near the optimum.
        g = self.balanced([gain[v] - a for v, a in zip(self.free, loss)])
        p, length = self.direction(g, rest), 1.0
        while length >= LEAST_LENGTH:
            after = self.projected([a + length * b for a, b in zip(before, p)])
            change = list(map(sub, after, before))
            if 2 * fsum(map(mul, g, change)) > fsum(map(mul, change, self.times(change))):
                return dict(zip(self.free, after))
            length /= 2
        return {}


def on_simplex(x: Sequence[float], total: float) -> list[float]:
    """The nearest point to x of those with entries from 0 on that add up to `total`."""
    # All entries are lowered by the same amount, and those that would fall below 0 become 0.
    amount, summed = 0.0, 0.0
    for number, a in enumerate(sorted(x, reverse=True), 1):
        summed += a
        if a * number <= summed - total:
            break
        amount = (summed - total) / number
    return [a - amount if a > amount else 0.0 for a in x]
