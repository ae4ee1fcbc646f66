"""Saved models, read back without running any code from the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from refmc.core.records import parse_json
from refmc.core.sample import Label
from refmc.core.scalars import shown
from refmc.core.ties import TiePolicy, first
from refmc.errors import FormatError, plainly


class Model(Protocol):
    """What every model has."""

    @property
    def classes(self) -> Sequence[Label]: ...

    def scores(self, x: Any, /) -> Any: ...

    def predict(self, X: Any, /) -> Any: ...

    def predict_set(self, x: Any, /) -> Any: ...

    def to_json(self) -> str: ...


LOADERS = {
    "multiclass-svm": "svm.multiclass_model:model_from_record",
    "binary-svm": "svm.binary_model:model_from_record",
    "perceptron": "online.perceptron_models:perceptron_from_record",
    "kernel-perceptron": "online.perceptron_models:kernel_perceptron_from_record",
    "multiclass-perceptron": "online.perceptron_models:multiclass_perceptron_from_record",
    "svm-sgd": "online.sgd_models:svm_sgd_from_record",
    "multiclass-svm-sgd": "online.sgd_models:multiclass_svm_sgd_from_record",
    "decision-tree": "trees.model:tree_from_record",
    "stump": "boosting.stumps:stump_from_record",
    "adaboost": "boosting.models:adaboost_from_record",
    "adaboost-mh": "boosting.models:adaboost_mh_from_record",
}
"""The reader of each kind of model, which is imported when a model of it comes."""

REDUCTIONS = {
    "one-vs-all": "reductions.one_vs_all:one_vs_all_from_record",
    "one-vs-one": "reductions.one_vs_one:one_vs_one_from_record",
    "output-code": "reductions.output_model:output_code_from_record",
    "error-correcting-tournament": (
        "reductions.papers.error_correcting_tournament:tournament_from_record"
    ),
    "label-tree": "reductions.papers.label_tree:label_tree_from_record",
    "one-against-some": "reductions.papers.one_against_some:one_against_some_from_record",
}
"""The same for models that hold binary models."""


def _read_by(reader: str, *arguments: object) -> Any:
    module, function = reader.split(":")
    return getattr(import_module(f"refmc.learn.{module}"), function)(*arguments)


def _binary(record: object) -> Any:
    """The binary model of a record inside a reduction; a reduction holds no reductions."""
    if not isinstance(record, Mapping):
        raise FormatError(f"model.binary: expected models or null, got {shown(record)}")
    kind = record.get("model")
    if not isinstance(kind, str) or kind not in LOADERS:
        raise FormatError(f"model.binary: {shown(kind)} is no kind of binary model")
    return _read_by(LOADERS[kind], record, first)


@plainly
def load_model(text: str, *, tie: TiePolicy = first) -> Model:
    """The model that `to_json` wrote as `text`; `tie` is its policy from now on.

    The numbers are those of the file, a certificate's too: `check` is what judges an answer.
    Raises `FormatError` for what it doesn't know, naming the field.

    >>> from fractions import Fraction
    >>> from refmc import fit_multiclass_svm
    >>> model = fit_multiclass_svm([[Fraction(1)], [Fraction(-1)]], ["a", "b"], C=1)
    >>> load_model(model.to_json()) == model
    True
    """
    if not isinstance(text, str):
        raise FormatError(f"model: expected text, got {type(text).__name__}")
    record = parse_json(text, "model")
    if "model" not in record:
        raise FormatError("model: field 'model' is missing; expected a model that refmc saved")
    kind, known = record["model"], LOADERS | REDUCTIONS
    if not isinstance(kind, str) or kind not in known:
        raise FormatError(f"model: unknown kind {shown(kind)}; known: {', '.join(known)}")
    inside = [_binary] if kind in REDUCTIONS else []
    model: Model = _read_by(known[kind], record, tie, *inside)
    return model
