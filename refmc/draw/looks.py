"""How classes, ties and curves look: in shapes, patterns and dashes, with colour on top.

Every difference survives a black and white print: eight shapes of mark, filled or open, eight
patterns of area, and a diagonal hatch that is for ties alone. From the ninth class on patterns, and
from the seventeenth on marks come again; the names in the regions still tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from refmc.draw.polygons import Point
from refmc.draw.svg import INK, Block, Real, breadth, cut, element, fixed, path, text

DARK = "#0b5394", "#a64d00", "#38761d", "#7b2d78", "#6b5900", "#333333", "#0f6b63", "#99210f"
PALE = "#e3eefa", "#fdeedd", "#e6f2df", "#f3e4f1", "#fbf4d6", "#eeeeee", "#dff2ef", "#f9e1dc"

_SHAPES = (
    None,  # a circle
    ((-9, -9), (9, -9), (9, 9), (-9, 9)),
    ((0, -12), (11, 8), (-11, 8)),
    ((0, -12), (12, 0), (0, 12), (-12, 0)),
    ((-4, -11), (4, -11), (4, -4), (11, -4), (11, 4), (4, 4))
    + ((4, 11), (-4, 11), (-4, 4), (-11, 4), (-11, -4), (-4, -4)),
    ((0, 12), (11, -8), (-11, -8)),
    ((-11, -5), (0, -12), (11, -5), (7, 9), (-7, 9)),
    ((0, -13), (4, -4), (13, 0), (4, 4), (0, 13), (-4, 4), (-13, 0), (-4, -4)),
)
"""Marks as polygons, in thirds of a pixel."""

_TILES = (
    "",
    '<circle cx="3" cy="3" r="1"/><circle cx="8" cy="8" r="1"/>',
    '<path d="M0 2.5H10M0 7.5H10"/>',
    '<path d="M2.5 0V10M7.5 0V10"/>',
    '<path d="M0 5H10M5 0V10"/>',
    '<path d="M1 1L4 4M4 1L1 4M6 6L9 9M9 6L6 9"/>',
    '<path d="M0 6L2.5 4L5 6L7.5 4L10 6"/>',
    '<circle cx="5" cy="5" r="2.5" fill="none"/>',
)
"""Patterns of areas on tiles of 10 × 10."""

DASHES = None, "7 4", "2 3", "10 3 2 3", "16 5", "5 2 2 2 2 2", "1 5", "10 3 2 3 2 3"
"""One for each curve; None is a solid line."""

KEY = 18
"""The height of a line of a legend."""


def patterns(count: int) -> str:
    """The definitions of the area patterns of `count` classes, of the hatch of ties, and of the
    head of an arrow.
    """
    found = []
    for i in range(min(count, 64)):
        ground = element("rect", width=10, height=10, fill=PALE[(i + i // 8) % 8])
        ink = DARK[i % 8]
        tile = element("g", _TILES[i % 8], stroke=ink, fill=ink, opacity=0.4, stroke_width=0.8)
        found.append(_pattern(f"class{i}", ground + tile))
    hatch = '<path d="M-2 2L2 -2M0 8L8 0M6 10L10 6" stroke="#1a1a1a" stroke-width="1.5"/>'
    found.append(_pattern("tie", '<rect width="8" height="8" fill="white"/>' + hatch, 8))
    head = f'<path d="M0 0L8 4L0 8Z" fill="{INK}"/>'
    size = {"markerWidth": "8", "markerHeight": "8", "refX": "7", "refY": "4"}
    found.append(element("marker", head, id="head", orient="auto", **size))
    return "\n".join(found)


def _pattern(name: str, content: str, size: int = 10) -> str:
    return element(
        "pattern", content, id=name, width=size, height=size, patternUnits="userSpaceOnUse"
    )


def area_fill(labels: Sequence[int]) -> str:
    """The fill of an area of one class, or of a tie between several."""
    return f"url(#class{labels[0] % 64})" if len(labels) == 1 else "url(#tie)"


def mark(x: Real, y: Real, label: int) -> str:
    """The mark of a row of this class, at a place in pixels."""
    shape, ink = _SHAPES[label % 8], DARK[label % 8]
    is_open = label // 8 % 2 == 1
    look: dict[str, str | Real | None] = {
        "fill": "white" if is_open else ink,
        "stroke": ink if is_open else "white",
        "stroke_width": 1.4 if is_open else 0.7,
    }
    if shape is None:
        return element("circle", cx=x, cy=y, r=3.4, **look)
    place = f"translate({fixed(x)} {fixed(y)}) scale(0.35)"
    look["stroke_width"] = 4 if is_open else 2
    return element("path", d=path(shape, closed=True), transform=place, **look)


def ring(x: Real, y: Real) -> str:
    """What marks a support vector."""
    return element("circle", cx=x, cy=y, r=6, fill="none", stroke=INK, stroke_width=1.2)


def arrow(start: Point, end: Point, dash: str | None = None) -> str:
    """A line with a head, between two places in pixels."""
    look: dict[str, str | Real | None] = {"stroke": INK, "stroke_width": 1.5}
    return element(
        "path", d=path([start, end]), stroke_dasharray=dash, marker_end="url(#head)", **look
    )


def tag(x: Real, y: Real, words: str) -> str:
    """Words in a white box with their middle at the place."""
    wide = breadth(words, 11) + 6
    back = element(
        "rect", x=x - wide / 2, y=y - 8, width=wide, height=16, rx=3, fill="white", opacity=0.85
    )
    return back + text(x, y + 4, words, text_anchor="middle", font_size=11)


def legend(entries: Sequence[tuple[str, str]]) -> Block:
    """Lines of a picture, drawn within 26 × 14, and words."""
    parts = []
    for i, (picture, words) in enumerate(entries):
        parts.append(element("g", picture, transform=f"translate(0 {KEY * i})"))
        parts.append(text(34, KEY * i + 11, cut(words, 40)))
    width = 34 + max(breadth(cut(words, 40)) for _, words in entries)
    return Block(width, KEY * len(entries), "\n".join(parts))


def class_keys(classes: Sequence[object]) -> list[tuple[str, str]]:
    """A line of the legend for each class: its area with its mark on it."""
    return [(area_key((i,)) + mark(13, 7, i), str(label)) for i, label in enumerate(classes)]


def area_key(labels: Sequence[int]) -> str:
    """An area of the classes, for the legend."""
    return element("rect", width=26, height=14, fill=area_fill(labels), stroke="#999999")


def line_key(dash: str | None, ink: str = INK, width: Real = 1.6) -> str:
    """A line, for the legend."""
    return element("path", d="M0 7H26", stroke=ink, stroke_width=width, stroke_dasharray=dash)


RING_KEY = ring(13, 7)
