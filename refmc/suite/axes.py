"""The axes of the fields of problems: rows, columns, classes, and so on.

Taking some of the positions of one axis makes a problem smaller, and taking all in another order
permutes it, in the same way for every family.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from refmc.core.records import Record

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
"""The axes of each field of a problem, the outermost first."""

OWN: dict[str, dict[str, tuple[str, ...]]] = {
    "loss.hamming": {"predicted": ("rows", "places"), "y": ("rows", "places")},
    "ovo.decode": {"w": ("rows", "classes", "classes")},
    "bound.perceptron": {"w": ("columns",), "W": ("classes", "columns"), "b": ()},
}
"""Fields that have other axes in one family."""

NUMBERED = ("order", "draws")
"""Fields that hold positions of rows."""


def axes_of(family: str) -> dict[str, tuple[str, ...]]:
    """The axes of the fields of a family's problems."""
    return PROBLEM | OWN.get(family, {})


def sizes(problem: Record) -> dict[str, int]:
    """How long each axis of a problem is.

    >>> sizes({"family": "svm.binary", "X": [[1, 2], [3, 4], [5, 6]], "y": [1, -1, 1]})
    {'rows': 3, 'columns': 2}
    """
    found: dict[str, int] = {}
    for name, axes in axes_of(str(problem["family"])).items():
        value: Any = problem.get(name)
        for axis in axes:
            if not isinstance(value, list) or not value:
                break
            found.setdefault(axis, len(value))
            value = value[0]
    return found


def taken(problem: Record, axis: str, positions: Sequence[int]) -> dict[str, Any]:
    """The problem with these positions of an axis alone, in this order.

    >>> taken({"family": "svm.binary", "X": [[1], [2], [3]], "y": [1, -1, 1]}, "rows", [2, 1])
    {'family': 'svm.binary', 'X': [[3], [2]], 'y': [1, -1]}
    """
    axes = axes_of(str(problem["family"]))
    found = {
        name: along(value, axes.get(name, ()), axis, positions) for name, value in problem.items()
    }
    if axis == "rows":
        new = {old: i for i, old in enumerate(positions)}
        for name in NUMBERED:
            if name in found:
                found[name] = _renumbered(found[name], new)
    return found


def along(value: Any, axes: Sequence[str], axis: str, positions: Sequence[int]) -> Any:
    """Nested lists with some of the positions along an axis."""
    if not axes or not isinstance(value, list):
        return value
    chosen = [value[i] for i in positions] if axes[0] == axis else value
    return [along(entry, axes[1:], axis, positions) for entry in chosen]


def _renumbered(value: Any, new: Mapping[int, int]) -> Any:
    if isinstance(value, list):
        kept = [v for v in value if isinstance(v, list) or v in new]
        return [_renumbered(entry, new) for entry in kept]
    return new[value]
