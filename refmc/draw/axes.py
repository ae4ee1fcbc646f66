"""Plots: a frame with round ticks, and what is drawn in it.

Ticks are exact: their step is 1, 2 or 5 times a power of ten. Where their labels would be long, a
power of ten, or a first value, moves into the title of the axis.

Legend: a view is the box of data coordinates that a frame shows; e is the exponent of the ticks'
power of ten.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from refmc.core.scalars import shown
from refmc.draw.polygons import Box, Point
from refmc.draw.svg import FAINT, INK, Block, Real, cut, element, path, text

LEFT, RIGHT, TOP, BOTTOM = 58, 10, 24, 40
"""The pixels that ticks, titles and heading take on each side of a frame."""

LONGEST_TICK = 6


@dataclass(frozen=True)
class Ticks:
    """Places on an axis with their labels; `note`, in its title, says what these stand for."""

    values: tuple[Fraction, ...]
    labels: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True)
class Frame:
    """A view in data coordinates, and the size in pixels at which it is shown."""

    view: Box
    width: int
    height: int

    def at(self, point: tuple[Real, Real]) -> Point:
        """The pixels of a point, from the upper left corner of the frame."""
        view = self.view
        x = (Fraction(point[0]) - view.x0) / (view.x1 - view.x0)
        y = (view.y1 - Fraction(point[1])) / (view.y1 - view.y0)
        return x * self.width, y * self.height

    def along(self, points: Iterable[tuple[Real, Real]]) -> list[Point]:
        """The pixels of each point."""
        return [self.at(point) for point in points]


def ticks(low: Fraction, high: Fraction, most: int = 6, counts: bool = False) -> Ticks:
    """The round values from low to high, at the smallest step that makes at most `most` parts, 3 or
    more.

    `counts`: what the axis has are whole numbers, so the step is one, too.

    >>> ticks(Fraction(-1, 10), Fraction(21, 10)).labels
    ('0.0', '0.5', '1.0', '1.5', '2.0')
    >>> far = ticks(Fraction(0), Fraction(4 * 10**9))
    >>> far.labels, far.note
    (('0', '1', '2', '3', '4'), '(ticks × 10^9)')
    """
    least = (high - low) / most
    factor, e = _step(max(least, Fraction(1)) if counts else least)
    step = factor * Fraction(10) ** e
    first, last = -(-low // step), high // step
    whole = [n * factor for n in range(first, last + 1)]
    values = tuple(n * Fraction(10) ** e for n in whole)
    plain = tuple(_decimal(n, e) for n in whole)
    if -LONGEST_TICK < e < LONGEST_TICK and max(map(len, plain)) <= LONGEST_TICK:
        return Ticks(values, tuple(map(_minus, plain)))
    if max(map(abs, whole)) < 10**LONGEST_TICK:
        labels, note = tuple(map(str, whole)), f"(ticks × 10^{e})" if e else ""
    else:
        labels, note = tuple(str(n - whole[0]) for n in whole), f"(ticks + {shown(whole[0])})"
        note = f"({note} × 10^{e})" if e else note
    return Ticks(values, tuple(map(_minus, labels)), _minus(note))


def _step(least: Fraction) -> tuple[int, int]:
    """The smallest of 1, 2, 5 times 10^e that is at least so large, as its factor and e."""
    bits = least.numerator.bit_length() - least.denominator.bit_length()
    e = bits * 30103 // 100000 - 1  # at most the exponent sought: log10(2) ≥ 0.30102
    while True:
        for factor in (1, 2, 5):
            if factor * Fraction(10) ** e >= least:
                return factor, e
        e += 1


def _decimal(n: int, e: int) -> str:
    written = format(Decimal(n).scaleb(e), "f")
    return "0" if n == 0 and e >= 0 else written


def _minus(number: str) -> str:
    return number.replace("-", "−")


def view_of(points: Sequence[Point]) -> Box:
    """A box around points with a margin of an eighth; a tenth of the value where all are equal."""
    xs, ys = zip(*points)
    (x0, x1), (y0, y1) = _widened(min(xs), max(xs)), _widened(min(ys), max(ys))
    return Box(x0, y0, x1, y1)


def _widened(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    margin = (high - low) / 8 or abs(high) / 10 or Fraction(1)
    return low - margin, high + margin


def plot(
    frame: Frame,
    inside: Sequence[str],
    titles: tuple[str, str],
    heading: str = "",
    counts: bool = False,
) -> Block:
    """A frame with ticks and the titles of its axes, around elements in the frame's pixels.

    `counts`: the axis across has whole numbers only.
    """
    view = frame.view
    across = ticks(view.x0, view.x1, max(3, frame.width // 55), counts)
    up = ticks(view.y0, view.y1, max(3, frame.height // 40))
    place = {"x": LEFT, "y": TOP, "width": frame.width, "height": frame.height}
    body = element("svg", "\n" + "\n".join(inside) + "\n", **place)
    box = element("rect", **place, fill="none", stroke=INK)
    parts = [body, box, *_x_axis(frame, across, titles[0]), *_y_axis(frame, up, titles[1])]
    if heading:
        middle = LEFT + Fraction(frame.width, 2)
        parts.append(text(middle, TOP - 8, heading, text_anchor="middle"))
    return Block(frame.width + LEFT + RIGHT, frame.height + TOP + BOTTOM, "\n".join(parts))


def _x_axis(frame: Frame, across: Ticks, title: str) -> list[str]:
    bottom, parts = TOP + frame.height, []
    for value, label in zip(across.values, across.labels):
        x = LEFT + frame.at((value, 0))[0]
        parts.append(element("path", d=path([(x, bottom), (x, bottom + 5)]), stroke=INK))
        parts.append(text(x, bottom + 17, label, text_anchor="middle", font_size=11, fill=FAINT))
    words = f"{cut(title, frame.width // 9)} {across.note}".rstrip()
    middle = LEFT + Fraction(frame.width, 2)
    return [*parts, text(middle, bottom + 34, words, text_anchor="middle")]


def _y_axis(frame: Frame, up: Ticks, title: str) -> list[str]:
    parts = []
    for value, label in zip(up.values, up.labels):
        y = TOP + frame.at((0, value))[1]
        parts.append(element("path", d=path([(LEFT - 5, y), (LEFT, y)]), stroke=INK))
        parts.append(text(LEFT - 8, y + 4, label, text_anchor="end", font_size=11, fill=FAINT))
    words = f"{cut(title, frame.height // 9)} {up.note}".rstrip()
    middle = TOP + Fraction(frame.height, 2)
    turned = f"translate(12 {int(middle)}) rotate(-90)"
    return [*parts, text(0, 0, words, text_anchor="middle", transform=turned)]
