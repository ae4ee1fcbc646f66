"""Problems in plain numbers, for programs that read no others."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from refmc.core.records import Record, number
from refmc.errors import FormatError
from refmc.oracle.axes import changed
from refmc.oracle.families import declared_for, family_of
from refmc.oracle.fields import Field
from refmc.oracle.rows import recorded
from refmc.suite.scrambling import default_classes, has_signs, relabelled

UNUSUAL = {"gram", "categorical"}
"""The fields that plain problems have only for programs that support them."""

NAMES = {"label", "labels", "values", "candidates", "column", "name"}
"""The fields of nested objects that hold no quantities, whatever they look like."""


def plain(problem: Record) -> dict[str, Any]:
    """The problem with doubles, whole numbers where no others may stand, and defaults in place.

    Labels are 0, …, k − 1, in binary families −1 and 1. As numbers are rounded, it is a problem of
    its own; `FormatError` where that isn't valid.

    >>> plain({"family": "loss.margin", "z": ["1/3", 2]})
    {'family': 'loss.margin', 'z': [0.3333333333333333, 2.0], 'rho': 1.0}
    """
    family = family_of(str(problem["family"]))
    family.read(problem)
    about, found = declared_for(problem), _relabelled(problem)
    for field in about.optional:
        if field.default not in (None, ()):
            found.setdefault(field.name, recorded(field.default))
    columns: Any = problem.get("columns", ())
    named: Any = problem.get("categorical", ())
    categories = {columns.index(one) if one in columns else one for one in named}

    def change(field: Field[object], value: Any) -> Any:
        if field.name in ("family", "columns") or field.points == "columns":
            return value
        if field.holds_labels or value in (*field.named, "linear"):
            return value
        if field.name == "X":
            return [[v if j in categories else _numbers(v) for j, v in enumerate(x)] for x in value]
        is_whole = not field.parts and "whole" in str(field.kind)
        return _numbers(value, int if is_whole else float)

    try:
        found = changed(found, about.by_name, change)
    except OverflowError:
        raise FormatError("problem: has a number beyond binary64") from None
    family.read(exactly(found))
    return found


def _relabelled(problem: Record) -> dict[str, Any]:
    """The problem with plain labels, and rows of signs where it has sets of labels."""
    about = declared_for(problem)
    if has_signs(problem):
        return dict(problem)
    if "classes" in about.by_name:
        classes: Any = problem.get("classes") or default_classes(problem)
    else:  # labels without an order: numbers stay
        classes = sorted(
            {label for f in about.fields if f.holds_labels for label in _texts(problem[f.name])}
        )
    is_binary = "y" in about.by_name and not about.is_reordered and len(classes) == 2
    names = [-1, 1] if is_binary else [*range(len(classes))]
    found, _ = relabelled(problem, {}, classes, names)
    Y = found.get("Y", ())
    if any(isinstance(row, list) for row in Y):
        found["Y"] = [[1 if name in row else -1 for name in names] for row in Y]
    return found


def _texts(value: Any) -> list[str]:
    if isinstance(value, list):
        return [text for entry in value for text in _texts(entry)]
    return [value] if isinstance(value, str) else []


def exactly(value: Any) -> Any:
    """A plain problem with each of its doubles as a text that is read as nothing else.

    >>> exactly([0.5, 0.1, 2])
    ['0.5', '0x1.999999999999ap-4', 2]
    """
    if isinstance(value, dict):
        return {name: exactly(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [exactly(entry) for entry in value]
    if isinstance(value, float):
        return repr(value) if Fraction(repr(value)) == Fraction(value) else value.hex()
    return value


def _numbers(value: Any, kind: type[int | float] = float, in_object: bool = False) -> Any:
    """All numbers in nested lists as those of a kind; of objects the texts of numbers, beside
    positions.
    """
    if isinstance(value, list):
        return [_numbers(entry, kind, in_object) for entry in value]
    if isinstance(value, dict):
        return {name: v if name in NAMES else _numbers(v, kind, True) for name, v in value.items()}
    if value is None or isinstance(value, bool) or (in_object and not isinstance(value, str)):
        return value
    return kind(number(value, "problem"))
