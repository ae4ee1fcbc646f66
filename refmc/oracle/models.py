"""Saved models, read back without running any code from the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from refmc.core.records import Record, parse_json
from refmc.core.ties import TiePolicy, first
from refmc.errors import FormatError
from refmc.learn.boosting import models as boosting_models
from refmc.learn.boosting import stumps
from refmc.learn.boosting.models import AdaBoost, AdaBoostMH
from refmc.learn.boosting.stumps import FittedStump
from refmc.learn.online import perceptron_models, sgd_models
from refmc.learn.online.perceptron_models import KernelPerceptron, MulticlassPerceptron, Perceptron
from refmc.learn.online.sgd_models import BinarySGD, MulticlassSGD
from refmc.learn.reductions import one_vs_all, one_vs_one, output_model
from refmc.learn.reductions.one_vs_all import OneVsAll
from refmc.learn.reductions.one_vs_one import OneVsOne
from refmc.learn.reductions.output_model import OutputCode
from refmc.learn.reductions.papers import error_correcting_tournament, label_tree, one_against_some
from refmc.learn.reductions.papers.error_correcting_tournament import ErrorCorrectingTournament
from refmc.learn.reductions.papers.label_tree import LabelTree
from refmc.learn.reductions.papers.one_against_some import OneAgainstSome
from refmc.learn.reductions.saving import LoadBinary
from refmc.learn.svm import binary_model, multiclass_model
from refmc.learn.svm.binary_model import BinarySVM
from refmc.learn.svm.multiclass_model import MulticlassSVM
from refmc.learn.trees import model as trees_model
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

LOADERS: Mapping[str, Callable[[Any, TiePolicy], Model]] = {
    multiclass_model.KIND: multiclass_model.model_from_record,
    binary_model.KIND: binary_model.model_from_record,
    perceptron_models.BINARY: perceptron_models.perceptron_from_record,
    perceptron_models.KERNEL: perceptron_models.kernel_perceptron_from_record,
    perceptron_models.MULTICLASS: perceptron_models.multiclass_perceptron_from_record,
    sgd_models.BINARY: sgd_models.svm_sgd_from_record,
    sgd_models.MULTICLASS: sgd_models.multiclass_svm_sgd_from_record,
    trees_model.KIND: trees_model.tree_from_record,
    stumps.KIND: stumps.stump_from_record,
    boosting_models.BINARY: boosting_models.adaboost_from_record,
    boosting_models.MH: boosting_models.adaboost_mh_from_record,
}

REDUCTIONS: Mapping[str, Callable[[Any, TiePolicy, LoadBinary], Model]] = {
    one_vs_all.KIND: one_vs_all.one_vs_all_from_record,
    one_vs_one.KIND: one_vs_one.one_vs_one_from_record,
    output_model.KIND: output_model.output_code_from_record,
    error_correcting_tournament.KIND: error_correcting_tournament.tournament_from_record,
    label_tree.KIND: label_tree.label_tree_from_record,
    one_against_some.KIND: one_against_some.one_against_some_from_record,
}


def _binary(record: Record) -> Any:
    """A model inside a reduction, by its kind; reductions don't stand in reductions."""
    kind = record.get("model")
    if not isinstance(kind, str) or kind not in LOADERS:
        raise FormatError(f"model: {kind!r} is no kind of binary model")
    return LOADERS[kind](record, first)


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
    if isinstance(kind, str) and kind in REDUCTIONS:
        return REDUCTIONS[kind](record, tie, _binary)
    if not isinstance(kind, str) or kind not in LOADERS:
        known = ", ".join([*LOADERS, *REDUCTIONS])
        raise FormatError(f"model: unknown kind {kind!r}; known: {known}")
    return LOADERS[kind](record, tie)
