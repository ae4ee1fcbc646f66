"""The trained multi-class SVM: what it knows, how it predicts, how it is saved.

[lu, "Support Vectors"], [lu, "The Multi-Class Kernel-Based SVM Algorithm"]. Legend: see
`multiclass`, which trains it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from refmc.core.linalg import dot, total
from refmc.core.predicting import ByScores
from refmc.core.records import Record, at, labels
from refmc.core.sample import (
    Label,
    Matrix,
    Row,
    check_count,
    is_label_of,
    read_labels,
    read_row,
    read_rows_as,
    row_weights,
)
from refmc.core.saving import model_text, read_saved, saved_choice
from refmc.core.scalars import Number, S
from refmc.core.ties import TiePolicy, first
from refmc.drawn import Drawn, Exported
from refmc.errors import FormatError, ParameterError
from refmc.learn.svm.dual import Certificate, read_certificate
from refmc.theory.costs import RowCosts, costs_of_rows, matrix_cost
from refmc.theory.features import Features, class_vectors
from refmc.theory.grams import kernel_values
from refmc.theory.kernel_saving import check_weights, read_kernel_and_rows, saved_kernel
from refmc.theory.kernels import Kernel
from refmc.theory.subgradients import Loss, max_form, sum_form

if TYPE_CHECKING:
    from refmc.theory.bounds import MarginBound

KIND = "multiclass-svm"
VERSION = 2

CostMatrix = tuple[tuple[S, ...], ...]
"""A row for each predicted class, a column for each right one."""

FIELDS = ["C", "loss", "cost", "weights", "kernel", "primal", "dual", "W", "y", "lam", "slack"]
FIELDS += ["rows"]
ADDED = ["loss", "cost", "weights"]
"""What a saved model holds, and what of it files of version 1 lack."""

FORMS: dict[str, Loss] = {"max_form": max_form, "sum_form": sum_form}
"""The losses by the names that saved models give them."""


@dataclass(frozen=True)
class MulticlassSVM(Drawn, Exported, ByScores[S]):
    """A trained multi-class SVM; see `fit_multiclass_svm`.

    `classes`: the label order of every score vector. `loss`: `max_form` or `sum_form`. `cost`: the
    costs, a row for each predicted class and a column for each right one, or `RowCosts`; None if
    all are equal. `weights`: ω, one for each row, None if all are 1. `lam`: λ, m rows of k
    multipliers, of which that of the row's own class is the sum of the others. `slack`: η, the loss
    of each row without its weight. `W`: k weight vectors for the linear kernel; with `features` the
    one vector w. `objective`: the primal value. `y`: the class position of each training row.
    `rows`: the training rows, None if a Gram matrix was given.
    """

    classes: tuple[Label, ...]
    C: S
    loss: Loss
    cost: CostMatrix[S] | RowCosts | None
    features: Features | None
    weights: tuple[S, ...] | None
    kernel: Kernel | None
    lam: tuple[tuple[S, ...], ...]
    slack: tuple[S, ...]
    W: tuple[tuple[S, ...], ...] | None
    objective: S
    certificate: Certificate[tuple[tuple[Fraction, ...], ...]]
    y: tuple[int, ...]
    rows: tuple[tuple[S, ...], ...] | None
    zero: S
    tie: TiePolicy

    def coefficient(self, row: int, position: int) -> S:
        """τ: how often the row counts in the weight vector of the class at `position`.

        [lu, "A Generalization of the Representer Theorem"]
        """
        value = self.lam[row][position]
        return value if self.y[row] == position else -value

    def scores(self, x: Row) -> tuple[S, ...]:
        """⟨f_y, Φ(x)⟩ for each class, or ⟨w, Ψ(x, y)⟩; x: d numbers, or K(ω_i, x) for each training
        row i if the model came from a Gram matrix. [lu, "The Multi-Class Kernel-Based SVM
        Algorithm"], [lu, "Kernel-Based Hypotheses for Multi-Class Classification"]
        """
        return self._scores(read_row(x, self.zero, "x"))

    def _scores(self, x: Sequence[S]) -> tuple[S, ...]:
        check_count(x, len(self.rows[0] if self.rows else self.W[0] if self.W else self.y))
        if self.W is not None and self.features is not None:
            Psi = class_vectors(self.features, x, len(self.classes), self.zero, "x")
            return tuple(dot(self.W[0], psi, self.zero) for psi in Psi)
        if self.W is not None:
            return tuple(dot(w, x, self.zero) for w in self.W)
        support = [i for i, row in enumerate(self.lam) if any(row)]
        values = kernel_values(self.kernel, self.rows, support, x, self.zero)
        return tuple(
            dot([self.coefficient(i, y) for i in support], values, self.zero)
            for y in range(len(self.classes))
        )

    def support_vectors(self, label: Label) -> tuple[int, ...]:
        """The training rows that appear in the weight vector of the class.

        [lu, "Support Vectors"]
        """
        if not is_label_of(label, self.classes):
            raise ParameterError(f"label {label!r} is not in classes={self.classes!r}")
        y = self.classes.index(label)
        return tuple(i for i, row in enumerate(self.lam) if row[y])

    @property
    def outliers(self) -> tuple[int, ...]:
        """The training rows with η_i > 0, which have a multiplier at its bound C ω_i.

        In the max form it is the multiplier of their own class. [lu, "Support Vectors"]
        """
        found = []
        for i, (eta, row, c) in enumerate(zip(self.slack, self.lam, self.y)):
            bound = self.C if self.weights is None else self.C * self.weights[i]
            bounded = row[c : c + 1] if self.loss is max_form else row[:c] + row[c + 1 :]
            if eta > 0 and bound in bounded:
                found.append(i)
        return tuple(found)

    def margin_bound(
        self,
        *,
        rho: Number,
        delta: Number,
        Lambda_squared: Number | None = None,
        gram: Matrix | None = None,
    ) -> MarginBound:
        """The margin bound on the risk of this model, from its training rows.

        r² is the largest K(ω_i, ω_i) of them, which the form for this sample allows; `rho` and
        `delta` as in `refmc.margin_bound`; `gram`: the matrix that the model was trained on, if it
        was. Without `Lambda_squared` Λ² is Σ ‖f_y‖² of this model, as the lecture sets it. That is
        known only after training, while the theorem is for a Λ fixed before: the terms are then
        those of the lecture, without its guarantee. Λ² = 2P is known before and never too small,
        with P the objective of f = 0, Cm where the max form has equal costs and weights. Raises
        `ParameterError` (for a model with `features`, too: the bound is for a vector of each
        class), `MixedArithmeticError`. Cost: O(m) kernel rows.
        [lu, "A Generalization Guarantee of Kernel-Based Hypotheses for Multi-Class Classification"]

        >>> from refmc.learn.svm.multiclass import fit_multiclass_svm
        >>> model = fit_multiclass_svm([[Fraction(1)], [-1]], ["a", "b"], C=1)
        >>> bound = model.margin_bound(rho=1, delta="1/20")
        >>> bound.empirical, bound.complexity_squared, bound.vacuous
        (Fraction(0, 1), Fraction(16, 1), True)
        """
        from refmc.theory.bounds import kernel_margin_bound  # few models are asked for it
        from refmc.theory.losses import empirical_margin_loss

        if self.features is not None:
            raise ParameterError("features: the bound is for one weight vector a class, not for Ψ")
        if (self.rows is None) == (gram is None):
            raise ParameterError(
                "gram: expected for models that were trained on one, and only these"
            )
        rows = self.rows or read_rows_as(gram or (), self.zero, "gram")
        scores = [self._scores(row) for row in rows]
        if Lambda_squared is None:  # Σ_y ‖f_y‖², where f_y has the coefficients τ
            terms = (
                self.coefficient(i, y) * score
                for i, row in enumerate(scores)
                for y, score in enumerate(row)
            )
            Lambda_squared = total(terms, self.zero)
        return kernel_margin_bound(
            empirical_margin_loss(scores, self.y, rho),
            r_squared=max(
                kernel_values(self.kernel, self.rows, [i], row, self.zero)[0]
                for i, row in enumerate(rows)
            ),
            Lambda_squared=Lambda_squared,
            k=len(self.classes),
            rho=rho,
            m=len(self.y),
            delta=delta,
            on_sample=True,
        )

    def to_json(self) -> str:
        """The model as readable JSON; `refmc.load_model` reads it back, equal in every number.

        Labels must be strings, whole numbers or truth values, and the kernel one of refmc's: else
        `ParameterError`; features of the caller's can't be saved either. The tie policy is not
        saved.
        """
        if self.features is not None:
            raise ParameterError("features: a function of the caller's can't be saved")
        parts = {name: getattr(self, name, None) for name in FIELDS} | {
            "loss": saved_choice(self.loss, FORMS, "loss"),
            "kernel": saved_kernel(self.kernel),
            "primal": self.certificate.primal,
            "dual": self.certificate.dual,
            "lam": self.certificate.multipliers,
        }
        if isinstance(self.cost, RowCosts):
            parts |= {"cost": None, "row_costs": self.cost.rows}
        return model_text(KIND, VERSION, self.zero, self.classes, parts)


def model_from_record(
    record: Record, tie: TiePolicy = first
) -> MulticlassSVM[float] | MulticlassSVM[Fraction]:
    """The model that `to_json` wrote; `FormatError` names the field that doesn't fit."""
    names = [name for name in FIELDS if name not in ADDED]
    fields = read_saved(record, KIND, VERSION, names, added=ADDED, optional=["row_costs"])
    fields = fields.completed(loss="max_form", cost=None, weights=None)
    lam, slack, classes = fields.rows("lam"), fields.row("slack"), fields.classes
    m, k = len(lam), len(lam[0])
    W, cost = (fields.unless_null(fields.rows, name) for name in ("W", "cost"))
    own_costs = fields.rows("row_costs") if "row_costs" in record else None
    weights = fields.unless_null(fields.row, "weights")
    kernel, rows = read_kernel_and_rows(fields)
    y = at("model.y", lambda: read_labels(labels(record["y"], "model.y"), range(k), m))[0]
    sizes = [(classes, k), (slack, m), (W, k), (rows, m), (cost, k), (weights, m), (own_costs, m)]
    if any(part is not None and len(part) != size for part, size in sizes):
        raise FormatError(f"model: fields of different sizes; lam has {m} rows of {k}")
    if cost is not None:
        at("model.cost", lambda: matrix_cost(cost))
    if own_costs is not None:
        read = at("model.row_costs", lambda: RowCosts(own_costs))
        at("model.row_costs", lambda: costs_of_rows(read, y, k, fields.zero))
    if weights is not None:
        at("model.weights", lambda: row_weights(weights, m, fields.zero))
    check_weights("W", W, kernel, rows)
    model: MulticlassSVM[Any] = MulticlassSVM(
        classes=classes,
        C=fields.positive("C"),
        loss=fields.choice("loss", FORMS),
        cost=cost if own_costs is None else RowCosts(own_costs),
        features=None,
        weights=weights,
        kernel=kernel,
        lam=lam,
        slack=slack,
        W=W,
        objective=fields.number("primal"),
        certificate=read_certificate(fields, fields.exactly().rows("lam"), kernel),
        y=y,
        rows=rows,
        zero=fields.zero,
        tie=tie,
    )
    return model
