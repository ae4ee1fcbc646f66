"""Tables of cells: what agrees and what doesn't is seen by pattern and colour, and what wins by a
thick border.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from refmc.answers import trace_problem
from refmc.core.records import Record
from refmc.draw.looks import DARK, PALE
from refmc.draw.svg import INK, Block, breadth, column, cut, element, page, text
from refmc.oracle.rows import readable

WIDE, HIGH, HEAD = 58, 30, 110
"""The pixels of a cell, and the width of the names before a line."""

MOST_ROWS = 12
"""The most rows of a problem that one picture shows."""


class Cell(NamedTuple):
    """Words in a cell. `agrees`: whether it is one of agreement, None for neither."""

    words: str
    agrees: bool | None = None
    wins: bool = False


def cells_block(rows: Sequence[Sequence[Cell]], columns: int) -> Block:
    """Lines of cells, each after the name that its first cell has."""
    parts = []
    for i, (name, *cells) in enumerate(rows):
        y = HIGH * i + 2
        parts.append(text(HEAD - 8, y + 19, cut(name.words, 14), text_anchor="end"))
        for j, cell in enumerate(cells):
            x = HEAD + WIDE * j
            ground = "white" if cell.agrees is None else PALE[2 if cell.agrees else 7]
            width = 3 if cell.wins else 1
            ink = INK if cell.wins or cell.agrees is None else DARK[2 if cell.agrees else 7]
            box: dict[str, str | int] = {"width": WIDE - 4, "height": HIGH - 4, "fill": ground}
            parts.append(element("rect", x=x, y=y, stroke=ink, stroke_width=width, **box))
            size = 12 if breadth(cell.words) < WIDE else 9
            words = cut(cell.words, 10)
            middle = x + WIDE // 2 - 2
            parts.append(text(middle, y + 18, words, text_anchor="middle", font_size=size))
    return Block(HEAD + WIDE * columns, HIGH * len(rows) + 4, "\n".join(parts))


def value_of(row: Any) -> object:
    """What decides: the distance, the votes with the sum, or the score."""
    kept = [row[name] for name in ("d(M(r), f)", "votes", "Σ w^yr", "w^y") if name in row]
    return kept[0] if len(kept) == 1 else kept


def entries_of(row: Any) -> Sequence[Any]:
    """The terms of what decides, whose signs are shown; none where labels alone do."""
    return row.get("M(r,s) f_s") or row.get("w^yr") or ()


def cells_of(name: str, row: Any, is_decided: bool) -> list[Cell]:
    """A line of the picture: the class, the sign of each entry, and what decides."""
    if row is None:
        return [Cell(name)]
    signs = [Cell(readable(v), None if not v else v > 0) for v in entries_of(row)]
    value = value_of(row)
    last = readable(value[0] if isinstance(value, list) else value)
    return [Cell(name), *signs, Cell(last, None, is_decided and row["best"])]


def draw_decoded(record: Record) -> str:
    """The picture of a problem of decoding: a table for each row."""
    rows: list[Any] = list(trace_problem(record))
    classes, blocks = list(dict.fromkeys(row["class"] for row in rows)), []
    for i in range(0, min(len(rows), MOST_ROWS * len(classes)), len(classes)):
        lines = [cells_of(row["class"], row, True) for row in rows[i : i + len(classes)]]
        blocks.append(cells_block(lines, len(lines[0]) - 1))
    left_out = len(rows) // len(classes) - len(blocks)
    caption = (
        "For each class what speaks for it and against it, and what decides; the best have a thick "
        f"border.{f' {left_out} more rows are left out.' if left_out else ''}"
    )
    return page(str(record["family"]), caption, column(blocks))
