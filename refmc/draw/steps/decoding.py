"""How the decodings of codes, pairs and one against all are told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from refmc.core.records import Record
from refmc.draw.cells import cells_block, cells_of, entries_of, value_of
from refmc.draw.steps.page import Best, Values, View
from refmc.draw.steps.plane import in_words
from refmc.draw.steps.story import Story
from refmc.draw.svg import Block
from refmc.oracle.rows import Row


def decoded(record: Record, story: Story) -> View:
    """[keshet §1.1], [keshet §1.2], [keshet §1.3]."""

    def tell(rows: Iterable[Row]) -> Iterator[Values]:
        found: list[Any] = list(rows)
        names = list(dict.fromkeys(row["class"] for row in found))
        for i in range(0, len(found), len(names)):
            group, table = found[i : i + len(names)], dict.fromkeys(names)
            best = [row["class"] for row in group if row["best"]]
            for n, row in enumerate(group):
                is_last = n + 1 == len(names)
                table = {**table, row["class"]: row}
                yield row | {
                    "when": "round",
                    "mark": i + n + 1,
                    "item": row["row"],
                    "value": value_of(row),
                    "product": entries_of(row),
                    "is_last": is_last,
                    "table": _table(table, group[0]),
                    "labels": in_words(best) if best else "∅",
                    "tied": best,
                    "verdict": _verdict(best),
                    "cells": [(c, entries_of(r) if r else (), r) for c, r in table.items()],
                }

    def draw(slots: Mapping[str, Any], values: Values) -> list[Block]:
        rows = [cells_of(name, row, bool(slots["ŷ"])) for name, _, row in values["cells"]]
        return [cells_block(rows, len(entries_of(values)) + 1)]

    return View(story, tell, draw, 1, {})


def _verdict(best: Sequence[str]) -> str:
    if len(best) == 1:
        return f"Class {best[0]} is best."
    return f"{in_words(best)} tie; any of them may be taken." if best else "No class is chosen."


def _table(rows: Mapping[str, Any], shape: Any) -> dict[str, dict[str, object]]:
    """All numbers of the classes that have been looked at."""
    lists = {"M(r)", "M(r,s) f_s", "w^yr"}
    keys = [key for key in shape if key not in lists | {"row", "class", "best"}]
    found: dict[str, dict[str, object]] = {}
    for name, row in rows.items():
        entries = entries_of(row or shape)
        cells = {f"{s}": None if row is None else v for s, v in enumerate(entries, 1)}
        for key in keys:
            value = None if row is None else row[key]
            cells[key.replace("^yr", "^[y,r]")] = (
                Best(value) if row is not None and row["best"] else value
            )
        found[name] = cells
    return found
