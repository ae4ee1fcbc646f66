"""Saved models, read back without running any code from the file."""

from __future__ import annotations

from fractions import Fraction

from refmc.core.records import parse_json
from refmc.core.ties import TiePolicy, first
from refmc.errors import FormatError
from refmc.learn import multiclass_model, trees_saved
from refmc.learn.multiclass_model import MulticlassSVM, model_from_record
from refmc.learn.trees_loaded import tree_from_record
from refmc.learn.trees_model import DecisionTree

Model = MulticlassSVM[float] | MulticlassSVM[Fraction] | DecisionTree

LOADERS = {multiclass_model.KIND: model_from_record, trees_saved.KIND: tree_from_record}


def load_model(text: str, *, tie: TiePolicy = first) -> Model:
    """The model that `to_json` wrote as `text`; `tie` is its policy from now on.

    The numbers are those of the file, a certificate's too: `check` is what judges an answer.
    Raises `FormatError` for what it doesn't know, naming the field.

    >>> from refmc import fit_multiclass_svm
    >>> model = fit_multiclass_svm([[Fraction(1)], [Fraction(-1)]], ["a", "b"], C=1)
    >>> load_model(model.to_json()) == model
    True
    """
    if not isinstance(text, str):
        raise FormatError(f"model: expected text, got {type(text).__name__}")
    record = parse_json(text, "model")
    kind = record.get("model")
    if not isinstance(kind, str) or kind not in LOADERS:
        raise FormatError(f"model: unknown kind {kind!r}; known: {', '.join(LOADERS)}")
    return LOADERS[kind](record, tie)
