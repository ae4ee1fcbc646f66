"""Curves of functions, and of numbers that change from step to step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from refmc.core.logs import Log
from refmc.draw.axes import Frame, plot
from refmc.draw.looks import DARK, DASHES, line_key
from refmc.draw.polygons import Box
from refmc.draw.svg import Block, Real, element, path

Places = Sequence[tuple[Real, Real]]


@dataclass(frozen=True)
class Curve:
    """A named polyline. `dots`: its marked places. `ink`: its colour, None for one by its turn."""

    name: str
    points: Places
    dots: Places = ()
    ink: str | None = None


def sampled(
    function: Callable[[Fraction], Real | Log], low: Fraction, high: Fraction, steps: int
) -> list[tuple[Fraction, Fraction]]:
    """The function's values at steps + 1 places from low to high, as Fractions.

    >>> sampled(lambda z: z * z, Fraction(0), Fraction(1), 2)[1]
    (Fraction(1, 2), Fraction(1, 4))
    """
    xs = [low + (high - low) * i / steps for i in range(steps + 1)]
    return [(x, drawable(function(x))) for x in xs]


def drawable(value: Real | Log) -> Fraction:
    """A number as a Fraction: logarithms are rounded to floats, nothing else is.

    >>> drawable(Log([(1, 1)])), drawable(0.5)
    (Fraction(0, 1), Fraction(1, 2))
    """
    return Fraction(float(value)) if isinstance(value, Log) else Fraction(value)


def stairs(points: Places, end: Real) -> list[tuple[Real, Real]]:
    """The polyline that keeps each value up to the next x, and the last up to the end.

    >>> stairs([(0, 5), (2, 1)], 3)
    [(0, 5), (2, 5), (2, 1), (3, 1)]
    """
    found = list(points[:1])
    for (_, value), (x, after) in pairwise(points):
        found += [(x, value), (x, after)]
    return [*found, (end, points[-1][1])]


def curve_plot(
    curves: Sequence[Curve],
    view: Box,
    size: tuple[int, int],
    titles: tuple[str, str],
    counts: bool = False,
) -> Block:
    """The curves in one frame, each with a dash and a colour of its own.

    `counts`: the axis across has whole numbers only.
    """
    frame = Frame(view, *size)
    lines, dots = [], []
    for i, curve in enumerate(curves):
        drawn = path(frame.along(curve.points))
        ink, dash = curve.ink or DARK[i % 8], DASHES[i % 8]
        line = element(
            "path", d=drawn, stroke_dasharray=dash, fill="none", stroke=ink, stroke_width=1.8
        )
        lines.append(line)
        for x, y in frame.along(curve.dots):
            dots.append(element("circle", cx=x, cy=y, r=3.2, fill=ink, stroke="white"))
    return plot(frame, lines + dots, titles, counts=counts)


def curve_keys(curves: Sequence[Curve]) -> list[tuple[str, str]]:
    """The legend of the curves."""
    return [
        (line_key(DASHES[i % 8], curve.ink or DARK[i % 8], 1.8), curve.name)
        for i, curve in enumerate(curves)
    ]
