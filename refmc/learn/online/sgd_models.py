"""The models that SGD trains: SVMs of two classes and of k, how they predict and are saved.

`sgd_binary` and `sgd_multiclass` train them and explain the symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from refmc.core.linalg import dot
from refmc.core.predicting import ByDecision, ByScores
from refmc.core.records import Record
from refmc.core.sample import Label, check_count
from refmc.core.saving import Readers, SavedFields, model_text, read_saved
from refmc.core.scalars import S
from refmc.core.ties import TiePolicy, first
from refmc.drawn import Exported
from refmc.errors import FormatError, ParameterError
from refmc.theory.features import Features, class_vectors

BINARY, MULTICLASS = "svm-sgd", "multiclass-svm-sgd"
VERSION = 1

_RUN: Readers = {"T": SavedFields.whole, "objective": SavedFields.number}
BINARY_PARTS: Readers = {
    "C": SavedFields.positive,
    "w": SavedFields.row,
    "b": SavedFields.number,
    **_RUN,
}
MULTICLASS_PARTS: Readers = {"lam": SavedFields.positive, "W": SavedFields.rows, **_RUN}
"""The fields of the saved models, with how they are read."""


@dataclass(frozen=True)
class BinarySGD(Exported, ByDecision[S]):
    """A binary SVM trained by SGD; see `fit_svm_sgd`.

    `classes`: (negative, positive). `w`, `b`: the weights after the last step, or their average if
    one was asked for; `decision(x)` is w·x + b. `T`: the number of steps. `objective`: the value of
    ½ wᵀw + (C/m) Σ hinge at w, b.
    """

    classes: tuple[Label, ...]
    C: S
    w: tuple[S, ...]
    b: S
    T: int
    objective: S
    zero: S
    tie: TiePolicy

    def _decision(self, x: Sequence[S]) -> S:
        check_count(x, len(self.w))
        return dot(self.w, x, self.zero) + self.b

    def to_json(self) -> str:
        """The model as readable JSON; the tie policy is not saved."""
        parts = {name: getattr(self, name) for name in BINARY_PARTS}
        return model_text(BINARY, VERSION, self.zero, self.classes, parts)


@dataclass(frozen=True)
class MulticlassSGD(Exported, ByScores[S]):
    """A multi-class SVM trained by SGD; see `fit_multiclass_svm_sgd`.

    `W`: the weights after the last step, or their average if one was asked for. Without `features`
    row j of W belongs to class j, whose score is ⟨W_j, x⟩. With features Ψ, W has one row w, and
    the score of class j is ⟨w, Ψ(x, j)⟩. `T`: the number of steps. `objective`: the value of
    (1/n) Σ ℓ + (λ/2)‖W‖² at W.
    """

    classes: tuple[Label, ...]
    lam: S
    W: tuple[tuple[S, ...], ...]
    features: Features | None
    T: int
    objective: S
    zero: S
    tie: TiePolicy

    def _scores(self, x: Sequence[S]) -> tuple[S, ...]:
        if self.features is not None:
            Psi = class_vectors(self.features, x, len(self.classes), self.zero, "x")
            return tuple(dot(self.W[0], psi, self.zero) for psi in Psi)
        check_count(x, len(self.W[0]))
        return tuple(dot(w, x, self.zero) for w in self.W)

    def to_json(self) -> str:
        """The model as readable JSON; the tie policy is not saved.

        `ParameterError` where `features` were given, since no function can be saved.
        """
        if self.features is not None:
            raise ParameterError("features: a function of the caller's can't be saved")
        parts = {name: getattr(self, name) for name in MULTICLASS_PARTS}
        return model_text(MULTICLASS, VERSION, self.zero, self.classes, parts)


def svm_sgd_from_record(
    record: Record, tie: TiePolicy = first
) -> BinarySGD[float] | BinarySGD[Fraction]:
    """The model that `BinarySGD.to_json` wrote; `FormatError` names the field that is wrong."""
    fields = read_saved(record, BINARY, VERSION, [*BINARY_PARTS])
    own = fields.read(BINARY_PARTS)
    return BinarySGD(classes=fields.two_classes(), **own, zero=fields.zero, tie=tie)


def multiclass_svm_sgd_from_record(
    record: Record, tie: TiePolicy = first
) -> MulticlassSGD[float] | MulticlassSGD[Fraction]:
    """The model that `MulticlassSGD.to_json` wrote; `FormatError` names the field that is wrong."""
    fields = read_saved(record, MULTICLASS, VERSION, [*MULTICLASS_PARTS])
    classes, own = fields.classes, fields.read(MULTICLASS_PARTS)
    if len(own["W"]) != len(classes):
        raise FormatError(f"model.W: expected {len(classes)} rows, one for each class")
    return MulticlassSGD(classes=classes, **own, features=None, zero=fields.zero, tie=tie)
