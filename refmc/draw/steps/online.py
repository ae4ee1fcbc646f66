"""How runs of perceptrons and of stochastic subgradient descent are told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from refmc.core.records import Record, number
from refmc.draw.steps.page import Best, Values, View
from refmc.draw.steps.plane import Items, in_words, line_of, rows_of
from refmc.draw.steps.story import read_story
from refmc.draw.svg import Block
from refmc.oracle.online.sgd import read_problem as read_sgd
from refmc.oracle.reading import exact_kernel
from refmc.oracle.rows import Row


def algorithm_1(record: Record) -> View:
    """[lecture5, "Algorithm 1"], in the max and in the sum form."""
    read = read_sgd(record)
    items = None if read.features is not None else Items(record)
    classes = read.classes

    def weights(row: Row) -> dict[str, dict[str, object]]:
        if items is None:
            w: Any = row["w"]
            return {"w": {f"w_{j}": v for j, v in enumerate(w, 1)}}
        W: Any = row["W"]
        return {f"W_[{label}]": items.named(w) for label, w in W.items()}

    def tell(rows: Iterable[Row]) -> Iterator[Values]:
        before: dict[str, dict[str, object]] = {}
        for row in rows:
            W = weights(row)
            found: Values = {
                "mark": row["t"],
                "W": W,
                "when": "begin" if row["t"] == 0 else "round",
            }
            if row["t"] == 0:
                is_zero = not any(any(w) for w in rows_of(W))
                found["start"] = "all weights 0" if is_zero else "the weights that are given"
            else:
                found |= _descent(row, read, items) | _own_row(row, before, read)
            yield found
            before = W

    def draw(slots: Mapping[str, Any], values: Values) -> list[Block]:
        if items is None or len(items.columns) != 2:
            return []
        forms = [line_of(w) for w in rows_of(slots["W"] or values["W"])]
        return items.scene(forms, values.get("ringed", ()))

    sample = items.sample() if items is not None else {}
    return View(read_story("algorithm-1"), tell, draw, len(classes), sample)


def _descent(row: Any, read: Any, items: Items | None) -> Values:
    """The values of a step of the multi-class descent."""
    y, eta, scores, i = row["y"], row["η"], row["scores"], row["row"]
    own = read.classes.index(y)
    costs = [1] * read.k if read.costs is None else read.costs[i]
    excesses = {
        label: (0 if j == own else costs[j]) + score - scores[y]
        for j, (label, score) in enumerate(scores.items())
    }
    slope = row["∇"]
    factor = 1 - eta * read.sigma
    shrinks = read.shrink == "always" or (read.shrink == "with_loss" and slope)
    is_max, tied = read.form == "max", row["tied"]
    reached = f"{in_words(tied)} reach" if len(tied) > 1 else f"{tied[0] if tied else ''} reaches"
    moved = {label for label, c in slope.items() if c > 0}
    compared = {}
    for label, excess in excesses.items():
        wins = label in (tied if is_max else moved)
        compared[f"j = {label}"] = {
            "⟨W_j, x_i⟩": scores[label],
            "Δ + … − …": Best(excess) if wins else excess,
        }
    j_star = tied[row["taken"]] if is_max else None
    return {
        "η": eta,
        "item": i + 1,
        "ringed": (i,),
        "y": y,
        "example": items.example(i) if items is not None else (f"row {i + 1}", y),
        "is_max": is_max,
        "tied": tied,
        "taken": row["taken"],
        "j": j_star,
        "reached": reached,
        "taken_text": f"; {j_star} is taken" if len(tied) > 1 else "",
        "excesses": list(excesses.values()),
        "loss": row["loss"],
        "violated": in_words(sorted(moved)) if moved else "no class",
        "compared": compared,
        "has_slope": bool(slope),
        "shrinking": ", and all weights shrink" if shrinks else "",
        "kept_share": factor if shrinks else Fraction(1),
    }


def _own_row(row: Any, before: Any, read: Any) -> Values:
    """The numbers of the formula for the own class's weights, or for the one vector of features."""
    y, slope = row["y"], {read.classes.index(label): c for label, c in row["∇"].items()}
    if read.features is not None:
        psi = read.features[row["row"]]
        direction = [-sum(c * psi[j][s] for j, c in slope.items()) for s in range(len(row["w"]))]
        return {
            "name": "w",
            "W_y": list(before["w"].values()),
            "direction": direction,
            "new_y": row["w"],
        }
    direction = [-slope.get(read.classes.index(y), 0) * v for v in read.X[row["row"]]]
    old = list(before[f"W_[{y}]"].values())
    return {"name": f"W_{y}", "W_y": old, "direction": direction, "new_y": row["W"][y]}


def _start(state: Iterable[Iterable[Any]]) -> str:
    """What is said of the state that a run begins with."""
    return "zeros" if not any(map(any, state)) else "the state that is given"


def perceptron(record: Record) -> View:
    """[chang, "Recap: The Perceptron Algorithm"], and the one with a kernel."""
    return _binary(
        record, "kernel-perceptron" if "kernel" in str(record["family"]) else "perceptron"
    )


def binary_sgd(record: Record) -> View:
    """[chang, "Stochastic gradient Descent"]."""
    return _binary(record, "sgd-binary")


def _binary(record: Record, story: str) -> View:
    items, of_kernel = Items(record), story == "kernel-perceptron"
    eta: Any = number(record.get("eta", 1), "eta") if story != "sgd-binary" else None

    def tell(rows: Iterable[Row]) -> Iterator[Values]:
        old: list[Any] = []
        for given in rows:
            row: Any = given
            new = list(row["α"] if of_kernel else [*row["w"], *([row["b"]] if "b" in row else [])])
            if of_kernel:
                table = {"α_j": {f"j = {j}": a for j, a in enumerate(new, 1)}}
            else:
                table = {"w": dict(zip([*items.columns, "b"], new))}
            found = {"mark": row["t"], "state": table, "when": "round", "vector": new}
            if row["t"] == 0:
                yield found | {"when": "begin", "start": _start([new])}
            else:
                yield row | found | _visit(row, old, new, eta, items)
            old = new

    def draw(slots: Mapping[str, Any], values: Values) -> list[Block]:
        if not items.points:
            return []
        state: Any = next(iter((slots["α" if of_kernel else "w"] or values["state"]).values()))
        vector, ringed = list(state.values()), values.get("ringed", ())
        if of_kernel:
            return items.grid(_kernel_scores(record, items, vector), ringed)
        form = line_of(vector[:2], *vector[2:])
        opposite = line_of([-v for v in vector[:2]], *[-v for v in vector[2:]])
        margins = [] if eta is not None or not any(vector[:2]) else [
            line_of(vector[:2], form.c + side) for side in (1, -1)
        ]  # fmt: skip
        return items.scene([opposite, form], ringed, margins)

    return View(read_story(story), tell, draw, 2, items.sample())


def _visit(row: Any, old: list[Any], new: list[Any], eta: Any, items: Items) -> Values:
    """The values of a visit to an item of two classes."""
    i = row["row"]
    sign = 1 if items.codes[i] else -1
    values: Values = {
        "item": i + 1,
        "ringed": (i,),
        "example": items.example(i),
        "sign": sign,
        "eta": eta,
        "x": list(items.rows.X[i]) if items.rows.X else None,
        "old": old,
        "new": new,
    }
    if eta is None:
        inside = row["loss"] > 0
        moved = "w shrinks and moves towards the item's side" if inside else "w shrinks"
        told = "it lies inside the margin." if inside else "the loss is 0."
        slope = [(v - w) / row["η"] for v, w in zip(old, new)]
        return values | {"verdict": told, "moved": f"{moved}.", "slope": slope}
    mistake = row["mistake"]
    told = f"Item {i + 1} is {'on the wrong side, or on the line' if mistake else 'right'}."
    more = {"verdict": told, "margin": sign * row["score"]}
    if "α" in row:
        more |= {"old_alpha": old[i], "new_alpha": new[i]}
    return values | more


def _kernel_scores(record: Record, items: Items, alpha: list[Any]) -> Any:
    """The scores of both classes at a point of the plane."""
    kernel = exact_kernel(record.get("kernel", "linear"))
    bias = int(bool(record.get("bias")))
    signed = [
        (a * (1 if code else -1), x) for a, code, x in zip(alpha, items.codes, items.rows.X) if a
    ]

    def scores(point: Any) -> tuple[Any, Any]:
        total = sum((a * (kernel(x, point) + bias) for a, x in signed), Fraction(0))
        return -total, total

    return scores


def multiclass_perceptron(record: Record) -> View:
    """[keshet §2.1], with both options of τ."""
    items = Items(record)

    def tell(rows: Iterable[Row]) -> Iterator[Values]:
        old: Any = {}
        for given in rows:
            row: Any = given
            state = {f"w^[{label}]": items.named(w) for label, w in row["W"].items()}
            found = {"mark": row["t"], "state": state, "when": "round"}
            if row["t"] == 0:
                yield found | {"when": "begin", "start": _start(row["W"].values())}
            else:
                yield row | found | _prediction(row, old, items)
            old = row["W"]

    def draw(slots: Mapping[str, Any], values: Values) -> list[Block]:
        if not items.points:
            return []
        forms = [line_of(w) for w in rows_of(slots["w"] or values["state"])]
        return items.scene(forms, values.get("ringed", ()))

    return View(read_story("multiclass-perceptron"), tell, draw, len(items.classes), items.sample())


def _prediction(row: Any, old: Any, items: Items) -> Values:
    """The values of a visit to an item of several classes."""
    i, y, tau, tied = row["row"], row["y"], row["τ"], row["tied"]
    scored = {
        f"r = {r}": {
            "w^r · x_i": Best(s) if r in tied else s,
            "τ_r": None if tau is None else tau[r],
        }
        for r, s in row["scores"].items()
    }
    losers = [r for r, v in (tau or {}).items() if v < 0]
    return {
        "item": i + 1,
        "ringed": (i,),
        "example": items.example(i),
        "E": in_words(row["E_y"]) if row["E_y"] else "∅",
        "scored": scored,
        "scores": list(row["scores"].values()),
        "best": max(row["scores"].values()),
        "reaches": "is one of those that reach" if len(tied) > 1 else "reaches",
        "mistake": tau is not None,
        "losers": in_words(losers) if losers else "no class",
        "name": f"w^{y}",
        "old": list(old[y]),
        "τ_y": None if tau is None else tau[y],
        "x": list(items.rows.X[i]),
        "new": list(row["W"][y]),
    }
