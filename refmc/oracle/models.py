"""Saved models, read back without running any code from the file."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from refmc.core.records import parse_json
from refmc.core.scalars import shown
from refmc.core.ties import TiePolicy, first
from refmc.errors import FormatError, plainly

if TYPE_CHECKING:
    from fractions import Fraction

    from refmc.learn.boosting.models import AdaBoost, AdaBoostMH
    from refmc.learn.boosting.stumps import FittedStump
    from refmc.learn.online.perceptron_models import (
        KernelPerceptron,
        MulticlassPerceptron,
        Perceptron,
    )
    from refmc.learn.online.sgd_models import BinarySGD, MulticlassSGD
    from refmc.learn.reductions.one_vs_all import OneVsAll
    from refmc.learn.reductions.one_vs_one import OneVsOne
    from refmc.learn.reductions.output_model import OutputCode
    from refmc.learn.reductions.papers.error_correcting_tournament import ErrorCorrectingTournament
    from refmc.learn.reductions.papers.label_tree import LabelTree
    from refmc.learn.reductions.papers.one_against_some import OneAgainstSome
    from refmc.learn.svm.binary_model import BinarySVM
    from refmc.learn.svm.multiclass_model import MulticlassSVM
    from refmc.learn.trees.model import DecisionTree

    Model = (
        MulticlassSVM[float]
        | MulticlassSVM[Fraction]
        | BinarySVM[float]
        | BinarySVM[Fraction]
        | Perceptron[float]
        | Perceptron[Fraction]
        | KernelPerceptron[float]
        | KernelPerceptron[Fraction]
        | MulticlassPerceptron[float]
        | MulticlassPerceptron[Fraction]
        | BinarySGD[float]
        | BinarySGD[Fraction]
        | MulticlassSGD[float]
        | MulticlassSGD[Fraction]
        | DecisionTree
        | FittedStump
        | AdaBoost[float]
        | AdaBoost[Fraction]
        | AdaBoostMH[float]
        | AdaBoostMH[Fraction]
        | OneVsAll
        | OneVsOne
        | OutputCode
        | ErrorCorrectingTournament
        | LabelTree
        | OneAgainstSome
    )

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
    kind = record["model"]
    if isinstance(kind, str) and kind in REDUCTIONS:
        model: Model = _read_by(REDUCTIONS[kind], record, tie, _binary)
        return model
    if not isinstance(kind, str) or kind not in LOADERS:
        known = ", ".join([*LOADERS, *REDUCTIONS])
        raise FormatError(f"model: unknown kind {shown(kind)}; known: {known}")
    model = _read_by(LOADERS[kind], record, tie)
    return model
