"""Saving what was made from several binary problems, and reading it back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from refmc.core.saving import SavedFields, model_text
from refmc.core.scalars import shown
from refmc.core.ties import TiePolicy
from refmc.errors import FormatError, ParameterError
from refmc.learn.reductions.members import Reduction, Trained


def saved_models(models: Sequence[Any]) -> list[object]:
    """Each model's own saved form, None for a problem that was skipped.

    `ParameterError` for a model without `to_json`.
    """
    records: list[object] = []
    for problem, model in enumerate(models):
        if model is not None and not hasattr(model, "to_json"):
            raise ParameterError(
                f"binary problem {problem}: {shown(model)} can't be saved; only models that have "
                "to_json can"
            )
        records.append(None if model is None else json.loads(model.to_json()))
    return records


def saved_reduction(model: Reduction, kind: str, version: int, own: Mapping[str, object]) -> str:
    """A reduction as readable JSON: its `own` fields, and those that all have.

    `ParameterError` for a model without `to_json`, or a label that has no JSON.
    """
    shared = {"width": model.width, "present": model.present, "binary": saved_models(model.models)}
    return model_text(kind, version, model.zero, model.classes, {**own, **shared})


LoadBinary = Callable[[Any], Any]
"""From the record of a saved binary model to the model."""


SHARED = ("width", "present", "binary")
"""The fields of a saved reduction that all have, beside its head."""


def loaded_reduction(saved: SavedFields, count: int, tie: TiePolicy, load: LoadBinary) -> Trained:
    """The fields that all reductions have, with `count` binary models."""
    return Trained(
        classes=saved.classes,
        models=loaded_models(saved.entries("binary"), count, load),
        present=loaded_positions(saved.entries("present"), len(saved.classes), "present"),
        width=saved.whole("width", 1),
        zero=saved.zero,
        tie=tie,
    )


def loaded_models(records: Sequence[Any], count: int, load: LoadBinary) -> tuple[Any, ...]:
    """The binary models of a saved reduction, `count` of them."""
    if len(records) != count:
        raise FormatError(f"model.binary: expected {count} models, got {len(records)}")
    return tuple(None if record is None else load(record) for record in records)


def loaded_positions(values: Sequence[Any], k: int, name: str) -> tuple[int, ...]:
    """Increasing positions below k, at least one; else `FormatError`."""
    places = list(values)
    if not places or any(type(p) is not int or not 0 <= p < k for p in places):
        raise FormatError(
            f"model.{name}: expected positions among {k} classes, got {shown(values)}"
        )
    if sorted(set(places)) != places:
        raise FormatError(f"model.{name}: expected increasing positions, got {shown(values)}")
    return tuple(places)
