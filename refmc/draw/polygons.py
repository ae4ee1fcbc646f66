"""Convex polygons cut by lines, exactly.

Everything is Fractions: a corner is where two lines meet, not near it. Cost: cutting a polygon is
linear in its corners.

Legend: a polygon is the tuple of its corners in order around it; a line (a, b, c) is where the form
a x + b y + c is 0; its sides are where the form is positive and where it is negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

Point = tuple[Fraction, Fraction]
Polygon = tuple[Point, ...]


class Line(NamedTuple):
    """The affine form a x + b y + c."""

    a: Fraction
    b: Fraction
    c: Fraction

    def at(self, point: Point) -> Fraction:
        """The value of the form."""
        return self.a * point[0] + self.b * point[1] + self.c

    def opposite(self) -> Line:
        """The same line with its sides exchanged."""
        return Line(-self.a, -self.b, -self.c)

    def minus(self, other: Line) -> Line:
        """The form that is 0 where the two are equal."""
        return Line(self.a - other.a, self.b - other.b, self.c - other.c)


class Box(NamedTuple):
    """x from x0 to x1 and y from y0 to y1."""

    x0: Fraction
    y0: Fraction
    x1: Fraction
    y1: Fraction

    @property
    def corners(self) -> Polygon:
        """The box as a polygon."""
        return ((self.x0, self.y0), (self.x1, self.y0), (self.x1, self.y1), (self.x0, self.y1))


def between(start: Point, end: Point, share: Fraction) -> Point:
    """The point that lies so large a share of the way from one point to another."""
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


def positive_side(polygon: Polygon, line: Line) -> Polygon:
    """The part of a convex polygon where the form is at least 0; () if that has no area.

    >>> square = Box(*map(Fraction, (0, 0, 2, 2))).corners
    >>> area(positive_side(square, Line(*map(Fraction, (1, 1, -1)))))
    Fraction(7, 2)
    """
    values = [line.at(point) for point in polygon]
    if not any(value > 0 for value in values):
        return ()
    kept: list[Point] = []
    last, before = polygon[-1], values[-1]
    for point, value in zip(polygon, values):
        if value * before < 0:
            kept.append(between(last, point, before / (before - value)))
        if value >= 0:
            kept.append(point)
        last, before = point, value
    return tuple(kept)


def chord(polygon: Polygon, line: Line) -> Polygon:
    """The two ends of the line within a convex polygon; () if it doesn't pass through the inside.

    >>> square = Box(*map(Fraction, (0, 0, 2, 2))).corners
    >>> [(str(x), str(y)) for x, y in chord(square, Line(*map(Fraction, (1, 0, -1))))]
    [('1', '0'), ('1', '2')]
    """
    if not positive_side(polygon, line.opposite()):
        return ()
    return tuple(point for point in positive_side(polygon, line) if not line.at(point))


def area(polygon: Polygon) -> Fraction:
    """The area of a polygon, whichever way round it goes.

    >>> area(Box(*map(Fraction, (0, 0, 2, 3))).corners)
    Fraction(6, 1)
    """
    around = pairwise((*polygon, *polygon[:1]))
    double = sum((a[0] * b[1] - b[0] * a[1] for a, b in around), Fraction(0))
    return abs(double) / 2


def middle(polygon: Polygon) -> Point:
    """The mean of the corners, which is inside of a convex polygon that has an area."""
    n = len(polygon)
    return (
        sum((x for x, _ in polygon), Fraction(0)) / n,
        sum((y for _, y in polygon), Fraction(0)) / n,
    )


def cells(polygon: Polygon, lines: Sequence[Line]) -> list[Polygon]:
    """The parts into which the lines cut a convex polygon.

    >>> square = Box(*map(Fraction, (-1, -1, 1, 1))).corners
    >>> [str(area(cell)) for cell in cells(square, [Line(*map(Fraction, (1, 1, 0)))])]
    ['2', '2']
    """
    found = [polygon]
    for line in lines:
        parts: list[Polygon] = []
        for cell in found:
            halves = positive_side(cell, line), positive_side(cell, line.opposite())
            parts += halves if all(halves) else [cell]
        found = parts
    return found
