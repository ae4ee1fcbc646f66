"""The same problem in another guise, and the answer carried over to it.

Rows and columns change places, labels their names and classes their order, features are scaled by
powers of two. A step is left out where it would change more than how the problem is written; so the
answer that is carried over is right if the one before was.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import cycle, islice
from random import Random
from typing import Any

from refmc.answers import solve_problem
from refmc.checker.printing import binary64_text
from refmc.core.records import Record, number
from refmc.core.scalars import number_text
from refmc.oracle.axes import Fields, changed, sizes, taken, taken_answer
from refmc.oracle.families import answer_fields, declared_for, problem_fields
from refmc.oracle.fields import Field

Pair = tuple[dict[str, Any], dict[str, Any]]
"""A problem and an answer to it."""


def scrambled(problem: Record, seed: str) -> Pair:
    """The problem in the guise that a seed draws, and refmc's own answer to it carried over.

    >>> scrambled({"family": "loss.perceptron", "z": ["-3"]}, "1")[1]["values"]
    ['96']
    """
    draws = Random(seed)
    judged = _judged(solve_problem(problem), answer_fields(problem))
    pair = dict(problem), judged
    for step in (_rows, _columns, _labels, _powers):
        pair = step(*pair, draws)
    return pair


def _judged(record: Record, known: Fields) -> dict[str, Any]:
    """The record without the fields that nobody judges, which tell of the old columns."""

    def inside(value: Any, parts: Fields) -> Any:
        if isinstance(value, list):
            return [inside(entry, parts) for entry in value]
        return _judged(value, parts) if isinstance(value, dict) else value

    return {
        name: inside(value, known[name].known_parts) if name in known else value
        for name, value in record.items()
        if name not in known or known[name].is_judged or name == "family"
    }


def _rows(problem: dict[str, Any], answer: dict[str, Any], draws: Random) -> Pair:
    """Rows in another order; a run visits them as it did before."""
    m, known = sizes(problem).get("rows", 0), problem_fields(problem)
    if "T" in problem:
        weights = [int(number(weight, "weight")) for weight in problem.get("weights", [1] * m)]
        turns = cycle(i for i, weight in enumerate(weights) for _ in range(weight))
        drawn = list(islice(turns, int(number(problem["T"], "T"))))
        problem = {name: v for name, v in problem.items() if name != "T"} | {"draws": drawn}
    elif "order" in known:
        problem = {"order": list(range(m)), **problem}
    return _moved(problem, answer, "rows", _shuffled(range(m), draws))


def _columns(problem: dict[str, Any], answer: dict[str, Any], draws: Random) -> Pair:
    """Columns in another order, and questions about them by their new positions."""
    d = sizes(problem).get("columns", 0)
    return _moved(problem, answer, "columns", _shuffled(range(d), draws))


def _labels(problem: dict[str, Any], answer: dict[str, Any], draws: Random) -> Pair:
    """Labels under other names; classes in another order where that is nothing but an order."""
    declared = declared_for(problem)
    if "classes" not in declared.by_name or has_signs(problem):
        return problem, answer
    classes = problem.get("classes") or default_classes(problem)
    names = _shuffled([f"{chr(97 + i % 26)}{i}" for i in range(len(classes))], draws)
    problem, answer = relabelled(problem, answer, classes, names)
    if not declared.is_reordered:
        return problem, answer
    return _moved(problem, answer, "classes", _shuffled(range(len(classes)), draws))


def has_signs(problem: Record) -> bool:
    """Whether rows of signs stand for sets of classes, which have no names there."""
    Y: Any = problem.get("Y", ())
    return any(isinstance(row, list) and row and {*row} <= {-1, 0, 1} for row in Y)


def relabelled(
    problem: Record, answer: Record, classes: Sequence[Any], names: Sequence[Any]
) -> Pair:
    """The problem and the answer with other names for the classes, which the problem lists then."""
    new = {(type(c), c): name for c, name in zip(classes, names)}

    def renamed(value: Any) -> Any:
        if isinstance(value, list):
            return [renamed(entry) for entry in value]
        return value if isinstance(value, dict) else new.get((type(value), value), value)

    def change(field: Field[object], value: Any) -> Any:
        return renamed(value) if field.holds_labels else value

    known = problem_fields(problem)
    named = {**problem, "classes": classes} if "classes" in known else problem
    return changed(named, known, change), changed(answer, answer_fields(problem), change)


def default_classes(problem: Record) -> list[Any]:
    """The classes that a problem has if it doesn't name them, in their order."""
    y: Any = problem.get("y")
    if not declared_for(problem).is_reordered and y and {*y} <= {-1, 1}:
        return [-1, 1]
    Y: Any = problem.get("Y")
    if has_signs(problem):
        return list(range(max(map(len, Y))))
    if "scores" in problem or not {"y", "Y"} & problem.keys():
        return list(range(sizes(problem)["classes"]))
    labels = y or [c for row in Y for c in (row if isinstance(row, list) else [row])]
    return sorted(set(labels))


def _powers(problem: dict[str, Any], answer: dict[str, Any], draws: Random) -> Pair:
    """Features, and all that scales with them, times a power of two."""
    family, factor = problem["family"], Fraction(2) ** draws.choice([-3, -1, 2, 5])
    kernel = problem.get("kernel", "linear")
    fixed = problem.get("bias") and (
        not family.startswith("svm.") or problem["bias"] == "penalised"
    )
    fixed = fixed or problem.get("decoding", "hamming") != "hamming"
    fixed = fixed or {"categorical", "candidates"} & problem.keys()
    if fixed or (family == "bound.perceptron" and "b" in problem):
        return problem, answer
    known = problem_fields(problem)
    for name, field in known.items():
        if field.power and name not in problem and isinstance(field.default, Fraction):
            problem = {**problem, name: number_text(field.default)}
    if kernel != "linear":  # x·x′ over its scale stays what it is
        scale = _times(kernel["scale"], factor**2)
        X = _times(problem["X"], factor)
        return {**problem, "X": X, "kernel": {**kernel, "scale": scale}}, answer

    def grown(field: Field[object], value: Any) -> Any:
        return _times(value, factor**field.power) if field.power else value

    return changed(problem, known, grown), changed(answer, answer_fields(problem), grown)


def _shuffled(values: Sequence[Any], draws: Random) -> list[Any]:
    """The values in another order, by whole numbers alone: the same on every Python."""
    left, found = list(values), []
    while left:
        found.append(left.pop(draws.randrange(len(left))))
    return found


def _moved(problem: dict[str, Any], answer: dict[str, Any], axis: str, order: list[int]) -> Pair:
    """Both with an axis in another order."""
    return taken(problem, axis, order), taken_answer(problem, answer, axis, order)


def _times(value: Any, factor: Fraction) -> Any:
    """All numbers in nested lists times a factor, as texts; floats where they stay exact."""
    if isinstance(value, list):
        return [_times(entry, factor) for entry in value]
    found = number(value, "a number") * factor
    if isinstance(value, float) and binary64_text(found):
        return float(found)
    return number_text(found)
