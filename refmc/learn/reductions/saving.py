"""How models made of several binary models are saved, and read again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from refmc.core.records import at
from refmc.core.saving import SavedFields, model_text
from refmc.core.scalars import shown
from refmc.core.ties import TiePolicy
from refmc.errors import FormatError, ParameterError
from refmc.learn.reductions.members import Reduction, ask

LoadBinary = Callable[[Any], Any]
"""A function that makes a binary model of the record that it was saved as."""

SHARED = ("width", "present", "binary")
"""The fields of a `Reduction` in a file, beside kind, version, arithmetic and classes: how many
numbers a row has, which classes had rows, and the records of the binary models."""


def saved_reduction(model: Reduction, kind: str, version: int, own: Mapping[str, object]) -> str:
    """The model as readable JSON: the `own` fields of its kind, and those that are `SHARED`.

    `ParameterError` where a binary model has no `to_json`, or a label can't be written as JSON.
    """
    records: list[object] = []
    for problem, binary in enumerate(model.models):
        if binary is None:
            records.append(None)
        elif hasattr(binary, "to_json"):
            records.append(json.loads(binary.to_json()))
        else:
            raise ParameterError(
                f"binary problem {problem}: {shown(binary)} can't be saved; only models that have "
                "to_json can"
            )
    shared = {"width": model.width, "present": model.present, "binary": records}
    return model_text(kind, version, model.zero, model.classes, {**own, **shared})


def loaded_reduction(
    saved: SavedFields, count: int, tie: TiePolicy, load: LoadBinary, longer: bool = False
) -> Reduction:
    """The `Reduction` in a file, which must have `count` binary models; `load` makes each of them.

    They take the rows, unless theirs are `longer`. `FormatError` names the field that is wrong.
    """
    records, present = saved.entries("binary"), list(saved.entries("present"))
    if len(records) != count:
        raise FormatError(f"model.binary: expected {count} models, got {len(records)}")
    models = tuple(None if record is None else load(record) for record in records)
    k = len(saved.classes)
    if not present or any(type(p) is not int or not 0 <= p < k for p in present):
        raise FormatError(
            f"model.present: expected positions among {k} classes, got {shown(present)}"
        )
    if sorted(set(present)) != present:
        raise FormatError(f"model.present: expected increasing positions, got {shown(present)}")
    width = saved.whole("width", 1)
    if not longer:
        at("model.binary", lambda: ask(models, (saved.zero,) * width, saved.zero))
    return Reduction(saved.classes, models, tuple(present), width, saved.zero, tie)
