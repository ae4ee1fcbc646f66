"""How the active set on the dual of the multi-class SVM is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from refmc.checker.parts import counted
from refmc.core.records import Record
from refmc.draw.steps.notation import Formula
from refmc.draw.steps.page import Best, Values, View
from refmc.draw.steps.plane import Items, in_words, line_of, rows_of
from refmc.draw.steps.story import read_story
from refmc.draw.svg import Block
from refmc.errors import FormatError
from refmc.oracle.rows import Row


def active_set(record: Record) -> View:
    """[lu, "Lagrangian Dual Problem for Multi-Class SVM"]."""
    if "features" in record or record.get("loss") == "sum_form":
        raise FormatError(
            "problem: the page shows the max form with a weight vector for each class"
        )
    items = Items(record)

    def tell(rows: Iterable[Row]) -> Iterator[Values]:
        t = 0
        for given in rows:
            row: Any = given
            t = row["t"]
            yield row | _told(row, items) | {"mark": t, "when": "round" if t else "begin"}
        yield {"when": "end", "mark": t + 1}

    def draw(slots: Mapping[str, Any], values: Values) -> list[Block]:
        W, lam = slots["w"], slots["λ"]
        if not items.points or "w^–" in W:
            return []
        ringed = [i for i, row in enumerate(rows_of(lam)) if any(row)]
        return items.scene([line_of(w) for w in rows_of(W)], ringed)

    return View(read_story("active-set"), tell, draw, len(items.classes), items.sample(first=0))


def _told(row: Any, items: Items) -> Values:
    """The tables of a pivot, and the sentence on it."""
    W, open_ones, released = row["w"], row["fails"], row["released"]
    blocks = row["blocks"]
    ended = (
        f"{blocks} comes to its bound and is held."
        if blocks
        else "The face's best point is reached."
    )
    conditions: dict[str, dict[str, object]] = {}
    for i, eta in enumerate(row["η"]):
        own = items.classes[items.codes[i]]
        names = [f"λ_{i},{label}" for label in items.classes if label != own]
        failing = [name for name in names if name in open_ones]
        conditions[f"i = {i}"] = {
            "η_i": eta,
            "λ_[i,y] g_[i,y] = 0": Best(f"not yet: {in_words(failing)}") if failing else "holds",
            "μ_i η_i = 0": Best("not yet") if f"μ_{i}" in open_ones else "holds",
        }
    is_zero = not any(map(any, row["λ"]))
    return {
        "begun": "All weights are 0" if is_zero else "A search in floats came near the optimum",
        "released": released and Formula(released.replace("_", "_[") + "]"),
        "how": ended,
        "open": f"{counted(len(open_ones), 'condition')} not met."
        if open_ones
        else "all conditions hold.",
        "λ": {
            f"i = {i}": dict(zip(map(str, items.classes), lam)) for i, lam in enumerate(row["λ"])
        },
        "conditions": conditions,
        "w": {f"w_[{y}]": items.named(w) for y, w in W.items()} if W else {"w^–": {"–": None}},
    }
