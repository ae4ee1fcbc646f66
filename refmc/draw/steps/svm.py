"""How the active set on the duals of SVMs is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import chain
from math import inf
from typing import Any

from refmc.checker.parts import counted
from refmc.core.records import Record
from refmc.draw.steps.notation import Formula
from refmc.draw.steps.page import Best, Values, View
from refmc.draw.steps.plane import Items, in_words, line_of, rows_of
from refmc.draw.steps.story import Story
from refmc.draw.svg import Block
from refmc.errors import FormatError
from refmc.oracle.rows import Row
from refmc.oracle.svm.binary import HARD, weighted


def active_set(record: Record, story: Story) -> View:
    """[lu, "Lagrangian Dual Problem for Multi-Class SVM"]."""
    if "features" in record or record.get("loss") == "sum_form":
        raise FormatError(
            "problem: the page shows the max form with a weight vector for each class"
        )
    items = Items(record)

    def draw(slots: Mapping[str, Any], values: Values) -> list[Block]:
        if not items.points or not values["row"]["w"]:
            return []
        ringed = [i for i, row in enumerate(rows_of(slots["λ"])) if any(row)]
        return items.scene([line_of(w) for w in rows_of(slots["w"])], ringed)

    return _view(story, items, lambda row: _of_classes(row, items), draw)


def dual_svm(record: Record, story: Story) -> View:
    """[chang, "Dual SVM problem"]."""
    items = Items(weighted(record) if record["family"] == HARD else record)
    bias = record.get("bias", True)

    def draw(slots: Mapping[str, Any], values: Values) -> list[Block]:
        *w, b = slots["w, b"]["w"].values()
        if not items.points or not w:
            return []
        ringed = [i for i, row in enumerate(rows_of(slots["α, and bounds of b"])) if row[0]]
        return items.two_sides(line_of(w, b), ringed, True)

    return _view(story, items, lambda row: _of_signs(row, items, bias), draw)


def _view(story: Story, items: Items, told: Callable[[Any], Values], draw: Any) -> View:
    """A search, of whose rows `told` says what the family's page shows."""

    def tell(rows: Iterable[Row]) -> Iterator[Values]:
        found: Values = {}
        for given in rows:
            row: Any = given
            t, multipliers = row["t"], row["α"] if "α" in row else chain(*row["λ"])
            begun = "All multipliers are 0"
            if any(multipliers):
                begun = "A search in floats came near the optimum"
            found = {**row, **told(row), "row": row, "mark": t, "begun": begun}
            found |= {name: row[name] and _named(row[name]) for name in ("released", "blocks")}
            yield found | {"when": "round" if t else "begin"}
        yield found | {"when": "end", "mark": found["mark"] + 1}

    return View(story, tell, draw, len(items.classes), items.sample(first=0))


def _named(constraint: str) -> Formula:
    """The name of a constraint, such as λ_0,b or α_12 ≤ C."""
    return Formula(re.sub(r"_(\d+(,.*)?)", r"_[\1]", constraint))


def _of_classes(row: Any, items: Items) -> Values:
    """The tables of the multi-class dual: λ, w and the Kuhn-Tucker conditions."""
    fails = row["fails"]
    conditions: dict[str, dict[str, object]] = {}
    for i, eta in enumerate(row["η"]):
        own = items.classes[items.codes[i]]
        names = [f"λ_{i},{label}" for label in items.classes if label != own]
        failing = [name for name in names if name in fails]
        conditions[f"i = {i}"] = {
            "η_i": eta,
            "λ_[i,y] g_[i,y] = 0": Best(f"not yet: {in_words(failing)}") if failing else "holds",
            "μ_i η_i = 0": Best("not yet") if f"μ_{i}" in fails else "holds",
        }
    lam = {f"i = {i}": dict(zip(map(str, items.classes), v)) for i, v in enumerate(row["λ"])}
    return {
        "open": f"{counted(len(fails), 'condition')} not met" if fails else "all conditions hold",
        "λ": lam,
        "conditions": conditions,
        "w": {f"w_[{y}]": items.named(w) for y, w in (row["w"] or {"–": ()}).items()},
    }


def _of_signs(row: Any, items: Items, bias: object) -> Values:
    """The tables of the binary dual: α, w and the bounds of b, marked where no b meets them."""
    fixed = [] if bias is True else [Fraction(0)]
    low: Any = max([*row["b ≥"].values(), *fixed], default=-inf)
    high: Any = min([*row["b ≤"].values(), *fixed], default=inf)
    conditions: dict[str, dict[str, object]] = {}
    for i, alpha in enumerate(row["α"]):
        least, most = row["b ≥"].get(i), row["b ≤"].get(i)
        conditions[f"i = {i}"] = {
            "α_i": alpha,
            "b ≥": Best(least) if least is not None and least > high else least,
            "b ≤": Best(most) if most is not None and most < low else most,
        }
    known = [] if fixed else [end for end in (low, high) if abs(end) < inf]
    ones = sum(a if c else -a for a, c in zip(row["α"], items.codes)) if bias == "penalised" else 0
    middle = sum(known, Fraction(0)) / max(1, len(known)) + ones
    optimal = low <= high
    return {
        "open": "some b meets all conditions" if optimal else "no b meets the marked conditions",
        "optimal": optimal,
        "conditions": conditions,
        "w": {"w": items.named(row["w"] or ()) | {"b": middle}},
    }
