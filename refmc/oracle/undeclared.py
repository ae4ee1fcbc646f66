"""The tables of the families that don't declare their fields yet, as declarations."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from refmc.oracle.declaring import part
from refmc.oracle.fields import REQUIRED, Declared, Field
from refmc.oracle.forms import ANY, LABEL, NUMBERS, Form, Kind
from refmc.oracle.forms import LABELS as NAMES

PROBLEM: dict[str, tuple[str, ...]] = {
    "X": ("rows", "columns"),
    "y": ("rows",),
    "Y": ("rows",),
    "gram": ("rows", "rows"),
    "features": ("rows", "classes"),
    "weights": ("rows",),
    "row_costs": ("rows", "classes"),
    "scores": ("rows", "classes"),
    "z": ("rows",),
    "predicted": ("rows",),
    "f": ("rows", "bits"),
    "pairs": ("rows",),
    "w": ("rows",),
    "code": ("classes", "bits"),
    "cost": ("classes", "classes"),
    "classes": ("classes",),
    "columns": ("columns",),
    "values": ("hypotheses", "rows"),
    "epsilons": ("rounds",),
    "Q": ("unknowns", "unknowns"),
    "c": ("unknowns",),
    "A": ("equations", "unknowns"),
    "b": ("equations",),
    "G": ("inequalities", "unknowns"),
    "h": ("inequalities",),
}
OWN: dict[str, dict[str, tuple[str, ...]]] = {
    "loss.hamming": {"predicted": ("rows", "places"), "y": ("rows", "places")},
    "ovo.decode": {"w": ("rows", "classes", "classes"), "pairs": ("rows", "pairs of classes")},
    "bound.perceptron": {"w": ("columns",), "W": ("classes", "columns"), "b": ()},
}
ANSWER: dict[str, tuple[str, ...]] = {
    "w": ("columns",),
    "W": ("classes", "columns"),
    "lam": ("rows", "classes"),
    "alpha": ("rows",),
    "slack": ("rows",),
    "combination": ("rows",),
    "labels": ("rows",),
    "label_sets": ("rows",),
    "values": ("rows",),
    "subgradients": ("rows", "classes", "columns"),
    "distances": ("rows", "classes"),
    "votes": ("rows", "classes"),
    "sums": ("rows", "classes"),
    "classes": ("classes",),
    "x": ("unknowns",),
    "ray": ("unknowns",),
    "equality_multipliers": ("equations",),
    "inequality_multipliers": ("inequalities",),
}
STATES = {
    "perceptron.binary": ("columns+",),
    "perceptron.kernel": ("rows",),
    "perceptron.multiclass": ("classes", "columns"),
    "sgd.binary": ("columns+",),
    "sgd.multiclass": ("classes", "columns"),
}
POINTS = {"order": "rows", "draws": "rows", "categorical": "columns", "bracket": "classes"}
ORDERED = ("svm.binary", "svm.hard", "boost.ada", "perceptron.binary", "perceptron.kernel",
           "sgd.binary", "bound.perceptron", "ovo.decode", "nodes.decode")  # fmt: skip
OBJECTIVES = {"objective": -2, "primal": -2, "dual": -2}
SCALED: dict[str, tuple[dict[str, int], dict[str, int]]] = {
    "svm.multiclass": (
        {"X": 1, "features": 1, "gram": 2, "C": -2},
        {"W": -1, "w": -1, "lam": -2, **OBJECTIVES},
    ),
    "svm.binary": ({"X": 1, "gram": 2, "C": -2}, {"w": -1, "alpha": -2, **OBJECTIVES}),
    "svm.hard": ({"X": 1, "gram": 2}, {"w": -1, "alpha": -2, "margin_squared": 2, **OBJECTIVES}),
    "qp.convex": (
        {"Q": 1, "c": 1},
        {"objective": 1, "equality_multipliers": 1, "inequality_multipliers": 1},
    ),
    "perceptron.binary": ({"X": 1, "start": 1}, {"w": 1, "trace": 1}),
    "perceptron.kernel": ({"X": 1, "gram": 2}, {}),
    "perceptron.multiclass": ({"X": 1, "start": 1}, {"W": 1, "trace": 1}),
    "sgd.binary": ({"X": 1, "C": -2, "start": -1}, {"w": -1, "trace": -1}),
    "sgd.multiclass": (
        {"X": 1, "features": 1, "lam": 2, "ridge": 2, "eta": -2, "start": -1},
        {"W": -1, "w": -1, "trace": -1},
    ),
    "loss.perceptron": ({"z": 1}, {"values": 1, "mean": 1}),
    "loss.margin": ({"z": 1, "rho": 1}, {"subgradients": -1}),
    "code.decode": ({"f": 1}, {}),
    "ovo.decode": ({"pairs": 1, "w": 1}, {"sums": 1}),
    "ova.decode": ({"scores": 1}, {}),
    "nodes.decode": ({"f": 1, "scores": 1}, {}),
    "bound.rademacher": ({"values": 1}, {"value": 1}),
    "bound.perceptron": ({"X": 1}, {"R_squared": 2, "margin_squared": 2}),
}
NOT_JUDGED = ("counts", "tied", "thresholds", "costs")
QUESTION = (
    part("column", ANY, points="columns"),
    part("coefficients", NUMBERS, axes=("columns",)),
    part("center", NUMBERS, axes=("columns",)),
)
STUMP = (
    part("question", ANY, parts=QUESTION),
    part("signs", NUMBERS, axes=("classes",)),
    part("otherwise", NUMBERS, axes=("classes",)),
)
NODE = (
    part("label", LABEL),
    part("question", ANY, parts=QUESTION),
    *(part(name, ANY, is_judged=False) for name in NOT_JUDGED),
)
TREE = (
    part("nodes", ANY, parts=NODE),
    part("labels", NAMES),
    part("feature", ANY, points="columns"),
    part("thresholds", ANY, is_judged=False),
)
ROUND = (part("stump", ANY, parts=STUMP), part("tied", ANY, is_judged=False))
PARTS: dict[str, tuple[Field[object], ...]] = {
    "tree": TREE,
    "steps": (part("tree", ANY, parts=TREE),),
    "candidates": QUESTION,
    "nodes": (part("candidates", NAMES),),
}


def declared_by_tables(
    family: str, problems: Sequence[Form], answers: Sequence[Form]
) -> tuple[Sequence[Declared], Sequence[Declared]]:
    """What the tables say of a family."""
    grows, follows = SCALED.get(family, ({}, {}))
    state = STATES.get(family, ())
    axes = {**PROBLEM, **OWN.get(family, {}), "start": state}
    of_answers = {**ANSWER, "trace": ("steps", *state)}
    base = part("base", NAMES if family == "boost.ada" else ANY)
    parts = {**PARTS, "rounds": (base, *ROUND)}

    def fields(form: Form, axes: dict[str, tuple[str, ...]], powers: dict[str, int]) -> Declared:
        def made(name: str, kind: Kind, **more: Any) -> Field[object]:
            return part(
                name, kind, axes=axes.get(name, ()), points=POINTS.get(name, ""),
                power=powers.get(name, 0), parts=parts.get(name, ()),
                axes_beside={"features": ("steps",)} if name in ("start", "trace") else {}, **more,
            )  # fmt: skip

        groups = [[made(n, k, default=REQUIRED) for n, k in g.items()] for g in form.instead]
        required = [made(n, k, default=REQUIRED) for n, k in form.required.items()]
        defaults: dict[str, dict[str, Any]] = {"rho": {"default": Fraction(1)}}
        optional = [made(n, k, **defaults.get(n, {})) for n, k in form.optional.items()]
        return Declared(
            fields=(*required, *optional, *(field for group in groups for field in group)),
            instead=tuple(map(tuple, groups)),
            beside=form.beside,
            some=tuple(field for name in form.some for field in optional if field.name == name),
            more=form.more,
            is_reordered=family not in ORDERED,
        )

    return (
        [fields(form, axes, grows) for form in problems],
        [fields(form, of_answers, follows) for form in answers],
    )
