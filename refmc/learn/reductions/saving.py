"""Saving what was made from several binary problems, and reading it back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from refmc.core.saving import SavedFields, model_text
from refmc.core.scalars import shown
from refmc.core.ties import TiePolicy
from refmc.errors import FormatError, ParameterError
from refmc.learn.reductions.members import Reduction

LoadBinary = Callable[[Any], Any]
"""From the record of a saved binary model to the model."""


SHARED = ("width", "present", "binary")
"""The fields that every saved reduction has, beside kind, version, arithmetic and classes."""


def saved_reduction(model: Reduction, kind: str, version: int, own: Mapping[str, object]) -> str:
    """A reduction as readable JSON: its `own` fields, and those that all reductions have.

    `ParameterError` for a binary model without `to_json`, or a label that has no JSON.
    """
    records: list[object] = []
    for problem, binary in enumerate(model.models):
        if binary is not None and not hasattr(binary, "to_json"):
            raise ParameterError(
                f"binary problem {problem}: {shown(binary)} can't be saved; only models that have "
                "to_json can"
            )
        records.append(None if binary is None else json.loads(binary.to_json()))
    shared = {"width": model.width, "present": model.present, "binary": records}
    return model_text(kind, version, model.zero, model.classes, {**own, **shared})


def loaded_reduction(saved: SavedFields, count: int, tie: TiePolicy, load: LoadBinary) -> Reduction:
    """The fields that all reductions have, with `count` binary models.

    `load` makes a binary model of its record. `FormatError` names the field that is wrong.
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
    return Reduction(saved.classes, models, tuple(present), width, saved.zero, tie)
