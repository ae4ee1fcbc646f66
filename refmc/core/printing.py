"""Text for people: tables, and names that can do nothing to a terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence


def printable(text: str) -> str:
    """The text on one line, with escapes for all that isn't plain to see: line ends, control
    characters, and what turns the direction of text or belongs in no XML.

    >>> printable("c\\nVERIFIED \\x1b[1m"), printable("日本 ½‖w‖²")
    ('c\\\\nVERIFIED \\\\x1b[1m', '日本 ½‖w‖²')
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def json_line(value: object) -> str:
    """JSON on one line, readable in any script; escaped where `printable` has escapes.

    >>> json_line(["é", "\\x9b", 1])
    '["é", "\\\\u009b", 1]'
    """
    text = json.dumps(value, ensure_ascii=False)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def aligned(rows: Sequence[Sequence[str]], right_from: int | None = None) -> list[str]:
    """One line for each row; columns from `right_from` on are flush right, the others left.

    >>> aligned([["t", "node"], ["1", "n0"], ["10", "n1"]])
    ['t   node', '1   n0', '10  n1']
    >>> aligned([["名", "1"], ["ab", "2"], ["F̃", "3"]])
    ['名  1', 'ab  2', 'F̃   3']
    >>> aligned([["class", "a"], ["b", "10"]], right_from=1)
    ['class   a', 'b      10']
    """
    rows = [[printable(cell) for cell in row] for row in rows]
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
    import unicodedata  # only tables need it

    combining = sum(unicodedata.combining(c) > 0 for c in text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) - combining + wide
