"""How runs of perceptrons and of stochastic subgradient descent are told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from refmc.core.records import Record, number
from refmc.draw.steps.notation import Formula
from refmc.draw.steps.page import Best, Values, View
from refmc.draw.steps.plane import Items, in_words, line_of, rows_of
from refmc.draw.steps.story import Story
from refmc.draw.svg import Block
from refmc.oracle.online.sgd import read_problem as read_sgd
from refmc.oracle.rows import Row

Say = Callable[[Any, Any], Values]
"""From a row of the trace and the vectors before it to what is said of it."""


def _run(record: Record, story: Story, say: Say, items: Items | None, k: int = 2) -> View:
    """A run, whose state is a vector or one for each class. `items`: None where only features are
    known.
    """
    name = [*story.slots][-1]

    def state(row: Any) -> dict[str, dict[str, object]]:
        if items is None or "α" in row:
            vector = row["w" if items is None else "α"]
            return {name: {f"{j}": v for j, v in enumerate(vector, 1)}}
        if "W" in row:
            mark = "_" if name == "W" else "^"
            return {f"{name}{mark}[{y}]": items.named(w) for y, w in row["W"].items()}
        return {name: dict(zip([*items.columns, "b"], _with_bias(row)))}

    def tell(rows: Iterable[Row]) -> Iterator[Values]:
        old: Any = []
        for given in rows:
            row: Any = given
            found: Values = {"mark": row["t"], "state": state(row), "when": "round"}
            if row["t"]:
                i = row["row"]
                example = (f"row {i + 1}", row["y"]) if items is None else items.example(i)
                found |= row | {"item": i + 1, "ringed": (i,), "example": example, **say(row, old)}
            else:
                is_zero = not any(map(any, rows_of(found["state"])))
                start = "zeros" if is_zero else "what the problem says"
                found |= {"when": "begin", "start": start}
            yield found
            old = rows_of(found["state"])

    def draw(slots: Mapping[str, Any], values: Values) -> list[Block]:
        if items is None or not items.points:
            return []
        vectors, ringed = rows_of(slots[name] or values["state"]), values.get("ringed", ())
        if name == "α":
            return items.grid(_kernel_scores(record, items, vectors[0]), ringed)
        forms = [line_of(w[:2], *w[2:]) for w in vectors]
        if len(forms) == k:
            return items.scene(forms, ringed)
        return items.two_sides(forms[0], ringed, "hinge" in story.slots)

    return View(story, tell, draw, k, {} if items is None else items.sample())


def perceptron(record: Record, story: Story) -> View:
    """[chang, "Recap: The Perceptron Algorithm"], and the one with a kernel."""
    items, eta = Items(record), number(record.get("eta", 1), "eta")

    def say(row: Any, old: Any) -> Values:
        i = row["row"]
        sign = 1 if items.codes[i] else -1
        verdict = "on the wrong side, or on the line" if row["mistake"] else "right"
        more: Values = {"x": items.rows.X and items.rows.X[i], "old": old[0]}
        if "α" in row:
            more = {"old": old[0][i], "new": row["α"][i]}
        else:
            more["new"] = _with_bias(row)
        told = f"Item {i + 1} is {verdict}."
        return more | {"verdict": told, "sign": sign, "eta": eta, "margin": sign * row["score"]}

    return _run(record, story, say, items)


def _with_bias(row: Any) -> list[Any]:
    return [*row["w"], *([row["b"]] if "b" in row else [])]


def _kernel_scores(record: Record, items: Items, alpha: list[Any]) -> Any:
    """The scores of both classes at a point of the plane."""
    bias = int(bool(record.get("bias")))
    signed = [a if code else -a for a, code in zip(alpha, items.codes)]

    def scores(point: Any) -> tuple[Any, Any]:
        parts = [a * (value + bias) for a, value in zip(signed, items.kernel_values(point)) if a]
        return -sum(parts, Fraction(0)), sum(parts, Fraction(0))

    return scores


def binary_sgd(record: Record, story: Story) -> View:
    """[chang, "Stochastic gradient Descent"]."""

    def say(row: Any, old: Any) -> Values:
        new = _with_bias(row)
        slope = [(v - w) / row["η"] for v, w in zip(old[0], new)]
        inside = "it lies inside the margin." if row["loss"] else "the loss is 0."
        moved = "w moves along the slope of the loss and of its own size."
        moved = moved if row["loss"] else "The loss has no slope here."
        return {"verdict": inside, "moved": moved, "slope": slope, "old": old[0], "new": new}

    return _run(record, story, say, Items(record))


def multiclass_perceptron(record: Record, story: Story) -> View:
    """[keshet §2.1], with both options of τ."""
    items = Items(record)

    def say(row: Any, old: Any) -> Values:
        y, tau, tied = row["y"], row["τ"], row["tied"]
        losers = [r for r, v in (tau or {}).items() if v < 0]
        scores: Any = row["scores"]
        return {
            "E": in_words(row["E_y"]) if row["E_y"] else "∅",
            "scored": {
                f"r = {r}": {"w^r · x_i": Best(s) if r in tied else s, "τ_r": tau and tau[r]}
                for r, s in scores.items()
            },
            "scores": list(scores.values()),
            "best": max(scores.values()),
            "reaches": "is one of those that reach" if len(tied) > 1 else "reaches",
            "mistake": tau is not None,
            "losers": in_words(losers) if losers else "no class",
            "name": Formula(f"w^[{y}]"),
            "old": old[items.codes[row["row"]]],
            "τ_y": tau and tau[y],
            "x": items.rows.X[row["row"]],
            "new": row["W"][y],
        }

    return _run(record, story, say, items, len(items.classes))


def algorithm_1(record: Record, story: Story) -> View:
    """[lecture5, "Algorithm 1"], in the max and in the sum form."""
    read = read_sgd(record)

    def say(row: Any, old: Any) -> Values:
        i, eta, scores, slope, tied = (row[name] for name in ("row", "η", "scores", "∇", "tied"))
        own, is_max = read.y[i], read.form == "max"
        costs = [int(j != own) if read.costs is None else read.costs[i][j] for j in range(read.k)]
        excesses = [c + s - scores[row["y"]] for c, s in zip(costs, scores.values())]
        moved = [y for y, c in slope.items() if c > 0]
        shrinks = read.shrink == "always" or (read.shrink == "with_loss" and slope)
        psi = None if read.features is None else read.features[i]
        x, step = read.X and read.X[i], slope.get(row["y"], 0)
        direction = [-step * v for v in x or ()]
        if psi is not None:  # Σ c_j Ψ(x, j), the other way
            parts = [[-c * v for v in psi[read.classes.index(y)]] for y, c in slope.items()]
            direction = [sum(column) for column in zip(*parts)] or [Fraction(0)] * len(psi[0])
        return {
            "is_max": is_max,
            "j": tied[row["taken"]] if is_max else None,
            "reached": f"{in_words(tied)} reach{'' if len(tied) > 1 else 'es'}" if tied else "",
            "taken_text": f"; {tied[row['taken']]} is taken" if is_max and len(tied) > 1 else "",
            "excesses": excesses,
            "violated": in_words(sorted(moved)) if moved else "no class",
            "compared": {
                f"j = {y}": {
                    "⟨W_j, x_i⟩": s,
                    "Δ + … − …": Best(excess) if y in (tied if is_max else moved) else excess,
                }
                for (y, s), excess in zip(scores.items(), excesses)
            },
            "has_slope": bool(slope),
            "shrinking": ", and all weights shrink" if shrinks else "",
            "kept_share": 1 - eta * read.sigma if shrinks else Fraction(1),
            "name": Formula(f"W_[{row['y']}]" if psi is None else "w"),
            "W_y": old[own if psi is None else 0],
            "direction": direction,
            "new_y": row["W"][row["y"]] if psi is None else row["w"],
        }

    items = Items(record) if read.features is None else None
    return _run(record, story, say, items, read.k)
