"""Tables of text for people, each column as wide as its widest cell."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]], right_from: int | None = None) -> list[str]:
    """One line for each row; columns from `right_from` on are flush right, the others left.

    >>> aligned([["t", "node"], ["1", "n0"], ["10", "n1"]])
    ['t   node', '1   n0', '10  n1']
    >>> aligned([["名", "1"], ["ab", "2"], ["F̃", "3"]])
    ['名  1', 'ab  2', 'F̃   3']
    >>> aligned([["class", "a"], ["b", "10"]], right_from=1)
    ['class   a', 'b      10']
    """
    widths = [max(map(_width, column)) for column in zip(*rows)]
    lines = []
    for row in rows:
        cells = []
        for j, (cell, width) in enumerate(zip(row, widths)):
            room = " " * (width - _width(cell))
            cells.append(room + cell if right_from is not None and j >= right_from else cell + room)
        lines.append("  ".join(cells).rstrip())
    return lines


def _width(text: str) -> int:
    """Columns on a terminal: the tilde of F̃ takes none, a Chinese character two."""
    combining = sum(unicodedata.combining(c) > 0 for c in text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) - combining + wide
