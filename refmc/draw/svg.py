"""Scalable Vector Graphics as text: elements, blocks of them, and a page of blocks.

Numbers are written with two decimals, rounded exactly, and attributes in the order in which they
are given, so that a picture is the same bytes on every Python and machine. Pictures hold no scripts
and need nothing from outside.

Legend: a block is a piece of a picture with its own origin at its upper left; lengths are pixels.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape  # that of xml.sax brings all of http

from refmc.core.scalars import number_text

Real = int | float | Fraction

FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
SIZE = 12
"""The height of ordinary text."""

INK, FAINT = "#1a1a1a", "#666666"
EDGE = 16
"""The margin of a page, and the space between its blocks."""


@dataclass(frozen=True)
class Block:
    """A piece of a picture: SVG elements within width × height."""

    width: int
    height: int
    content: str


def fixed(value: Real) -> str:
    """The number with two decimals, the nearest, never "-0.00".

    >>> fixed(Fraction(1, 3)), fixed(-0.001), fixed(-1.5)
    ('0.33', '0.00', '-1.50')
    """
    hundredths = round(Fraction(value) * 100)
    sign = "-" if hundredths < 0 else ""
    whole, rest = divmod(abs(hundredths), 100)
    return f"{sign}{number_text(whole)}.{rest:02d}"


def element(name: str, content: str | None = None, /, **attributes: str | Real | None) -> str:
    """One element; `stroke_width` becomes stroke-width, and None leaves an attribute out.

    `content` is SVG already: text goes through `text`.

    >>> element("rect", x=1, stroke_width=Fraction(1, 2), fill='"')
    '<rect x="1.00" stroke-width="0.50" fill="&quot;"/>'
    """
    parts = [name]
    for key, value in attributes.items():
        if value is not None:
            written = value if isinstance(value, str) else fixed(value)
            quoted = _escaped(written).replace('"', "&quot;")
            parts.append(f'{key.replace("_", "-")}="{quoted}"')
    head = " ".join(parts)
    return f"<{head}/>" if content is None else f"<{head}>{content}</{name}>"


def _escaped(words: str) -> str:
    """Words as XML has them, without characters that it forbids or that nobody sees."""
    shown = (c if c.isprintable() or c == "\xa0" else "\ufffd" for c in words)
    return escape("".join(shown), quote=False)


def text(x: Real, y: Real, words: str, **attributes: str | Real | None) -> str:
    """Words on the base line y, starting at x unless `text_anchor` says otherwise.

    >>> text(0, 0, "a < b")
    '<text x="0.00" y="0.00">a &lt; b</text>'
    """
    return element("text", _escaped(words), x=x, y=y, **attributes)


def cut(words: str, most: int) -> str:
    """At most `most` characters; the last is an ellipsis where some are left out.

    >>> cut("versicolor", 6)
    'versi…'
    """
    return words if len(words) <= most else words[: most - 1] + "…"


def breadth(words: str, size: int = SIZE) -> int:
    """An estimate of the width of words, on the large side.

    >>> breadth("ab"), breadth("漢字"), breadth("e\u0301") == breadth("e")
    (15, 26, True)
    """
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in words)
    other = sum(not unicodedata.combining(c) for c in words) - wide
    return -(-size * (62 * other + 105 * wide) // 100)


def lines_of(words: str, width: int, size: int = SIZE) -> list[str]:
    """Words in lines of at most that width; a word that is wider has a line to itself.

    >>> lines_of("one two three", 60)
    ['one two', 'three']
    """
    lines = [""]
    for word in words.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if breadth(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def path(points: Sequence[tuple[Real, Real]], closed: bool = False) -> str:
    """The path data of a polyline.

    >>> path([(0, 0), (1, 2)], closed=True)
    'M0.00 0.00L1.00 2.00Z'
    """
    steps = "L".join(f"{fixed(x)} {fixed(y)}" for x, y in points)
    return f"M{steps}{'Z' if closed else ''}"


def row(blocks: Sequence[Block], gap: int = EDGE) -> Block:
    """Blocks side by side, their tops in line."""
    parts, x = [], 0
    for block in blocks:
        parts.append(element("g", block.content, transform=f"translate({x} 0)"))
        x += block.width + gap
    return Block(x - gap, max(block.height for block in blocks), "\n".join(parts))


def column(blocks: Sequence[Block], gap: int = EDGE) -> Block:
    """Blocks one under the other, their left sides in line."""
    parts, y = [], 0
    for block in blocks:
        parts.append(element("g", block.content, transform=f"translate(0 {y})"))
        y += block.height + gap
    return Block(max(block.width for block in blocks), y - gap, "\n".join(parts))


def page(title: str, caption: str, body: Block, definitions: str = "") -> str:
    """A whole picture: its title above the body, and under it the caption, which describes it."""
    width = max(body.width, 420) + 2 * EDGE
    heads = lines_of(title, width - 2 * EDGE, 15)
    lines = lines_of(caption, width - 2 * EDGE)
    top, step = EDGE + 20 * len(heads), SIZE + 4
    height = top + body.height + step * len(lines) + 2 * EDGE
    parts = [element("title", _escaped(title))]
    parts.append(element("desc", _escaped(caption)))
    if definitions:
        parts.append(element("defs", definitions))
    parts.append(element("rect", width=width, height=height, fill="white"))
    for i, head in enumerate(heads):
        parts.append(text(EDGE, EDGE + 12 + 20 * i, head, font_size=15, font_weight="bold"))
    parts.append(element("g", body.content, transform=f"translate({EDGE} {top})"))
    for i, line in enumerate(lines):
        parts.append(text(EDGE, top + body.height + EDGE + step * (i + 1) - 4, line, fill=INK))
    return element(
        "svg",
        "\n" + "\n".join(parts) + "\n",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=str(width),
        height=str(height),
        font_family=FONT,
        font_size=SIZE,
        fill=INK,
        role="img",
    )
