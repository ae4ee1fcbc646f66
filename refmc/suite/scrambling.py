"""The same problem in another guise, and the answer carried over to it.

Rows and columns change places, labels their names and classes their order, features are scaled by
powers of two. A step is left out where it would change more than how the problem is written; so the
answer that is carried over is right if the one before was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from refmc.core.records import Record, number
from refmc.core.scalars import number_text
from refmc.oracle.answers import solve_problem
from refmc.suite.axes import along, sizes, taken

Pair = tuple[dict[str, Any], dict[str, Any]]
"""A problem and an answer to it."""

Change = Callable[[dict[str, Any]], dict[str, Any]]

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
"""The axes of the fields of answers; those of a trace and of a start are those of a state."""

STATES = {
    "perceptron.binary": ("columns",),
    "perceptron.kernel": ("rows",),
    "perceptron.multiclass": ("classes", "columns"),
    "sgd.binary": ("columns",),
    "sgd.multiclass": ("classes", "columns"),
}
"""The axes of the states of runs; a bias stands behind them."""

BINARY = (
    "svm.binary",
    "svm.hard",
    "boost.ada",
    "perceptron.binary",
    "perceptron.kernel",
    "sgd.binary",
)
"""Families with a negative and a positive class, −1 and 1 where none are named."""

RENAMED = (*BINARY, "ovo.decode", "nodes.decode")
"""Families whose labels get other names in the same order, because that has a meaning."""

REORDERED = [
    "svm.multiclass",
    "tree.grow",
    "tree.prune",
    "boost.mh",
    "perceptron.multiclass",
    "sgd.multiclass",
    "loss.multiclass_hinge",
    "loss.multiclass_hinge_sum",
    "code.decode",
    "ova.decode",
]
"""Families whose classes get another order, too."""

LABELS = ("y", "Y", "classes", "labels", "label_sets", "label", "base", "candidates", "splits")
"""Fields that hold labels, however deep."""

NOT_JUDGED = ("counts", "tied", "thresholds", "costs")
"""Fields of answers that are left out: nobody judges them, and they tell of the old columns."""

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
"""The powers of a factor by which the fields of problems and of answers grow with the features."""


def scrambled(problem: Record, seed: str) -> Pair:
    """The problem in the guise that a seed draws, and refmc's own answer to it carried over.

    >>> scrambled({"family": "loss.perceptron", "z": ["-3"]}, "1")[1]["values"]
    ['96']
    """
    draws = Random(seed)
    pair = dict(problem), _without(solve_problem(problem), NOT_JUDGED)
    for step in (_rows, _columns, _labels, _powers):
        pair = step(*pair, draws)
    return pair


def _rows(problem: dict[str, Any], answer: dict[str, Any], draws: Random) -> Pair:
    """Rows in another order; a run visits them as it did before."""
    m, family = sizes(problem).get("rows", 0), problem["family"]
    if family == "sgd.multiclass" and "draws" not in problem:
        problem = _without(problem, ("T",)) | {"draws": [t % m for t in range(problem["T"])]}
    elif family in STATES and family != "sgd.multiclass":
        problem = {"order": list(range(m)), **problem}
    order = _shuffled(range(m), draws)
    return _moved(problem, answer, "rows", order)


def _columns(problem: dict[str, Any], answer: dict[str, Any], draws: Random) -> Pair:
    """Columns in another order, and questions about them by their new positions."""
    d = sizes(problem).get("columns", 0)
    if not d or "candidates" in problem:  # linear and sphere questions
        return problem, answer
    order = _shuffled(range(d), draws)
    if "categorical" in problem:
        at = problem["categorical"]
        problem = {
            **problem,
            "categorical": [j if isinstance(j, str) else order.index(j) for j in at],
        }

    def moved(question: dict[str, Any]) -> dict[str, Any]:
        column = question["column"]
        return question if isinstance(column, str) else {**question, "column": order.index(column)}

    problem, answer = _moved(problem, answer, "columns", order)
    return _questions(problem, moved), _questions(answer, moved)


def _labels(problem: dict[str, Any], answer: dict[str, Any], draws: Random) -> Pair:
    """Labels under other names; classes in another order where that is nothing but an order."""
    family = problem["family"]
    signs = any(
        isinstance(row, list) and {*row} <= {-1, 0, 1} and row for row in problem.get("Y", ())
    )
    if family not in (*RENAMED, *REORDERED) or signs:
        return problem, answer
    classes = problem.get("classes") or _classes(problem)
    names = _shuffled([f"{chr(97 + i % 26)}{i}" for i in range(len(classes))], draws)
    new = {(type(c), c): name for c, name in zip(classes, names)}

    def renamed(value: Any) -> Any:
        if isinstance(value, list):
            return [renamed(entry) for entry in value]
        return value if isinstance(value, dict) else new.get((type(value), value), value)

    problem = _fields({**problem, "classes": classes}, LABELS, renamed)
    answer = _fields(answer, LABELS, renamed)
    if family in RENAMED:
        return problem, answer
    order = _shuffled(range(len(classes)), draws)
    for round in answer.get("rounds", ()):
        for name in ("signs", "otherwise"):
            if round.get("stump", {}).get(name):
                round["stump"][name] = [round["stump"][name][j] for j in order]
    return _moved(problem, answer, "classes", order)


def _classes(problem: dict[str, Any]) -> list[Any]:
    """The classes of a problem that doesn't name them, in the order that they have."""
    family = problem["family"]
    if family in BINARY:
        return [-1, 1]
    if family.startswith("loss.") or "decode" in family:
        k = sizes(problem).get("classes")
        width = len(problem["pairs"][0]) if k is None else 0
        return list(range(k or next(n for n in range(9) if n * (n - 1) == 2 * width)))
    labels = problem.get("y") or [
        c for row in problem["Y"] for c in (row if isinstance(row, list) else [row])
    ]
    return sorted(set(labels))


def _powers(problem: dict[str, Any], answer: dict[str, Any], draws: Random) -> Pair:
    """Features, and all that scales with them, times a power of two.

    For trees each column has a power of its own.
    """
    family, factor = problem["family"], Fraction(2) ** draws.choice([-3, -1, 2, 5])
    if family.startswith(("tree.", "boost.")) and "X" in problem and "candidates" not in problem:
        return _columns_scaled(problem, answer, draws)
    kernel = problem.get("kernel", "linear")
    fixed = problem.get("bias") and (
        not family.startswith("svm.") or problem["bias"] == "penalised"
    )
    fixed = fixed or problem.get("decoding", "hamming") != "hamming"
    fixed = fixed or (family == "bound.perceptron" and "b" in problem)
    if family not in SCALED or fixed:
        return problem, answer
    grows, follows = SCALED[family]
    if family == "loss.margin":
        problem = {"rho": 1, **problem}
    if kernel != "linear":  # x·x′ over its scale stays what it is
        scale = _times(kernel["scale"], factor**2)
        grows, follows, problem = {"X": 1}, {}, {**problem, "kernel": {**kernel, "scale": scale}}
    return _grown(problem, grows, factor), _grown(answer, follows, factor)


def _columns_scaled(problem: dict[str, Any], answer: dict[str, Any], draws: Random) -> Pair:
    names: Sequence[str] = problem.get("columns", ())
    factors = []
    for column in range(sizes(problem)["columns"]):
        named = {column, *names[column : column + 1]} & {*problem.get("categorical", ())}
        factors.append(Fraction(1) if named else Fraction(2) ** draws.choice([-3, -1, 2, 5]))
    X = [[v if f == 1 else _times(v, f) for v, f in zip(row, factors)] for row in problem["X"]]

    def scaled(question: dict[str, Any]) -> dict[str, Any]:
        at = question["column"]
        factor = factors[names.index(at) if isinstance(at, str) else at]
        if "threshold" not in question:
            return question
        return {**question, "threshold": _times(question["threshold"], factor)}

    return _questions({**problem, "X": X}, scaled), _questions(answer, scaled)


def _shuffled(values: Sequence[Any], draws: Random) -> list[Any]:
    """The values in another order, by whole numbers alone: the same on every Python."""
    left, found = list(values), []
    while left:
        found.append(left.pop(draws.randrange(len(left))))
    return found


def _moved(problem: dict[str, Any], answer: dict[str, Any], axis: str, order: list[int]) -> Pair:
    """Both with an axis in another order."""
    state = STATES.get(problem["family"], ())
    if "features" in problem:
        state = ()  # one vector for all classes
    moved = {name: along(v, ANSWER.get(name, ()), axis, order) for name, v in answer.items()}
    problem = taken(problem, axis, order)
    if "start" in problem:
        problem["start"] = _state(problem["start"], state, axis, order)
    if "trace" in moved:
        moved["trace"] = [_state(v, state, axis, order) for v in moved["trace"]]
    return problem, moved


def _state(value: Any, axes: tuple[str, ...], axis: str, order: list[int]) -> Any:
    """A state of a run, with the bias where it was: at the end."""
    if axis not in axes:
        return value
    ends = order + list(range(len(order), len(value))) if axes[0] == axis else order
    return along(value, axes, axis, ends)


def _without(record: Any, names: Sequence[str]) -> Any:
    """The record without some fields, however deep."""
    return _rewritten(record, lambda it: {n: v for n, v in it.items() if n not in names})


def _fields(record: Any, names: Sequence[str], change: Callable[[Any], Any]) -> Any:
    """The record with the fields of some names changed, however deep."""
    return _rewritten(record, lambda it: {n: change(v) if n in names else v for n, v in it.items()})


def _questions(record: Any, change: Change) -> Any:
    """The record with every question about a column changed."""
    return _rewritten(record, lambda it: change(it) if "column" in it else it)


def _rewritten(value: Any, change: Change) -> Any:
    """The value with each of its JSON objects changed, those within another one first."""
    if isinstance(value, list):
        return [_rewritten(entry, change) for entry in value]
    if not isinstance(value, dict):
        return value
    return change({name: _rewritten(entry, change) for name, entry in value.items()})


def _grown(record: dict[str, Any], powers: Mapping[str, int], factor: Fraction) -> dict[str, Any]:
    changed = {
        name: _times(record[name], factor**p) for name, p in powers.items() if name in record
    }
    return {**record, **changed}


def _times(value: Any, factor: Fraction) -> Any:
    """All numbers in nested lists times a factor, as texts."""
    if isinstance(value, list):
        return [_times(entry, factor) for entry in value]
    return number_text(number(value, "a number") * factor)
