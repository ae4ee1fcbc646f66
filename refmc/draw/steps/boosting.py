"""How boosting is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from typing import Any

from refmc.core.records import Record
from refmc.draw.looks import DARK
from refmc.draw.steps.page import Values, View, ranked
from refmc.draw.steps.plane import items_table
from refmc.draw.steps.story import Story
from refmc.draw.svg import FAINT, INK, Block, cut, element, text
from refmc.oracle.boosting.records import ADA, read_problem
from refmc.oracle.rows import Row

CELL, HEAD, MOST = 44, 60, 24
"""The pixels of a cell and of the heads beside it, and the most items that are drawn."""


def boosted(record: Record, story: Story) -> View:
    """[lu, "The AdaBoost.MH Algorithm"], with one label where there are two classes."""
    read = read_problem(record)
    names = [f"l = {name}" for name in read.classes[read.asked.family == ADA :]]
    signs = rows_of_signs(read.asked.truth)

    def table(D: Any) -> dict[str, dict[str, Any]]:
        rows = [D] if read.asked.family == ADA else D.values()
        return {name: {f"ω{i}": d for i, d in enumerate(row, 1)} for name, row in zip(names, rows)}

    def tell(rows: Iterable[Row]) -> Iterator[Values]:
        last: Values = {}
        for given in rows:
            row: Any = given
            weights = table(row["D"])
            if not last:
                yield {"when": "begin", "mark": 0, "D": weights, "answers": None}
            epsilon, n = row["ε"], len(row["tied"])
            right, wrong = [1 / (2 * (1 - epsilon)), 1 / (2 * epsilon)] if epsilon else (None, None)
            new = {
                name: {
                    item: d * (right if h[l] == c[l] else wrong) if epsilon else d
                    for (item, d), h, c in zip(cells.items(), row["answers"], signs)
                }
                for l, (name, cells) in enumerate(weights.items())
            }
            tied = f"{n} stumps err least; one of them is taken."
            last = row | {
                "when": "round",
                "mark": row["t"],
                "how_many": tied if n > 1 else "One stump errs least.",
                "perfect": not epsilon,
                "rest": 1 - epsilon,
                "right": right,
                "wrong": wrong,
                "D": new,
                "considered": ranked(row, "ε"),
            }
            yield last
        yield {"loss": None, **last, "when": "end", "mark": last.get("t", 0) + 1}

    def draw(slots: Mapping[str, Any], values: Values) -> list[Block]:
        answers = values["answers"] if slots["h_t"] else None
        return [_weights(slots["D"], answers, signs)] if slots["D"] else []

    X: Any = read.asked.X or ()
    columns = read.asked.columns or [f"x{j}" for j in range(len(X[0]))]
    sample = items_table("ω", columns, X, dict(zip(names, zip(*signs))))
    return View(story, tell, draw, 1, sample)


def rows_of_signs(truth: Any) -> list[tuple[int, ...]]:
    """c(ω_i)_l as signs: positions 0 and 1 of two classes are −1 and +1."""
    return [tuple(c or -1 for c in row) for row in truth]


def _weights(D: Any, answers: Any, signs: Sequence[Sequence[int]]) -> Block:
    """A circle for each item and label, its area the weight; filled where the stump is wrong."""
    most = max(float(d) for row in D.values() for d in row.values())
    parts = []
    for l, (label, row) in enumerate(D.items()):
        y = 26 + CELL * l + CELL // 2
        parts.append(text(0, y + 4, cut(label, 9), fill=FAINT))
        for i, (name, d) in enumerate([*row.items()][:MOST]):
            x = HEAD + CELL * i + CELL // 2
            if not l:
                parts.append(text(x, 16, name, text_anchor="middle", fill=FAINT))
            is_wrong = answers is not None and answers[i][l] != signs[i][l]
            radius = CELL / 2 * sqrt(float(d) / most) if d else 0
            fill = DARK[7] if is_wrong else "white"
            parts.append(element("circle", cx=x, cy=y, r=radius, fill=fill, stroke=INK))
            sign = "+" if signs[i][l] > 0 else "−"
            ink = "white" if is_wrong else INK
            parts.append(text(x, y + 4, sign, text_anchor="middle", fill=ink))
    wide = min(MOST, len(next(iter(D.values()))))
    return Block(HEAD + CELL * wide, 30 + CELL * len(D), "\n".join(parts))
