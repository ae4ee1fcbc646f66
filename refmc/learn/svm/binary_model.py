"""The trained binary SVM: what it knows, how it predicts, how it is saved.

[chang, "Decision function in Kernel SVM"], [chang, "Support vectors"]. Legend: see `binary`,
which trains it.

Differs from the lecture:
- the rewritten decision function drops b; here it is kept, for without it predictions differ;
- sgn(0) is left open; here both labels are tied where the decision value is 0, which is what a
  slack of exactly 1, the case that the quiz leaves out, says of a training row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from refmc.core.linalg import dot
from refmc.core.predicting import ByDecision
from refmc.core.records import Record, at, labels
from refmc.core.sample import Label, Row, check_count, read_labels, read_row, row_weights
from refmc.core.saving import model_text, read_saved, saved_choice
from refmc.core.scalars import S, as_float
from refmc.core.ties import TiePolicy, first
from refmc.drawn import Drawn, Exported
from refmc.errors import FormatError
from refmc.learn.svm.dual import Certificate, read_certificate
from refmc.theory.grams import kernel_values
from refmc.theory.kernel_saving import check_weights, read_kernel_and_rows, saved_kernel
from refmc.theory.kernels import Kernel
from refmc.theory.losses import hinge, squared_hinge

KIND = "binary-svm"
VERSION = 2

MarginLoss = Callable[[Any], Any]
"""A loss of the margin y·s: `hinge` or `squared_hinge`."""

Bias = bool | Literal["penalised"]
"""Whether there is a free bias, none, or one that counts in the norm."""

FIELDS = ["C", "loss", "bias", "weights", "kernel", "primal", "dual", "w", "b", "b_interval", "y"]
FIELDS += ["alpha", "margins", "slack", "rows"]
ADDED = ["loss", "bias", "weights"]
"""What a saved model holds, and what of it files of version 1 lack."""

LOSSES: dict[str, MarginLoss] = {"hinge": hinge, "squared_hinge": squared_hinge}
"""The losses by the names that saved models give them."""


@dataclass(frozen=True)
class BinarySVM(Drawn, Exported, ByDecision[S]):
    """A trained binary SVM; see `fit_binary_svm` and `fit_hard_svm`.

    `classes`: the negative and the positive label. `C`, `loss`: None for the hard SVM. `weights`:
    ω, one for each row, None if all are 1. `alpha`: m multipliers. `w`: None but for the linear
    kernel. `b_interval`: the ends of the interval of all optimal biases for this w, None in the
    place of an end that isn't there; `b`: its midpoint, or its only end. Without a bias they are
    (0, 0) and 0, with a penalised one (b, b) and b. `margins`: y_i (w·Φ(x_i) + b).
    `slack`: ξ_i = max(0, 1 − margin). `objective`: the primal value. `y`: −1 or +1 for each
    training row. `rows`: the training rows, None if a Gram matrix was given.
    """

    classes: tuple[Label, Label]
    C: S | None
    loss: MarginLoss | None
    bias: Bias
    weights: tuple[S, ...] | None
    kernel: Kernel | None
    alpha: tuple[S, ...]
    w: tuple[S, ...] | None
    b: S
    b_interval: tuple[S | None, S | None]
    margins: tuple[S, ...]
    slack: tuple[S, ...]
    objective: S
    certificate: Certificate[tuple[Fraction, ...]]
    y: tuple[int, ...]
    rows: tuple[tuple[S, ...], ...] | None
    zero: S
    tie: TiePolicy

    def decision(self, x: Row) -> S:
        """w·Φ(x) + b = Σ_i α_i y_i K(x_i, x) + b; x: d numbers, or K(x_i, x) for each training
        row i if the model came from a Gram matrix. [chang, "Decision function in Kernel SVM"]
        """
        return self._decision(read_row(x, self.zero, "x"))

    def _decision(self, x: Sequence[S]) -> S:
        check_count(x, len(self.rows[0] if self.rows else self.w or self.y))
        if self.w is not None:
            weights, values = list(self.w), list(x)
        else:
            support = self.support_vectors
            weights = [self.y[i] * self.alpha[i] for i in support]
            values = list(kernel_values(self.kernel, self.rows, support, x, self.zero))
        # b is a term of the sum, so that in float all of it is rounded once.
        return dot(weights + [self.b], values + [self.zero + 1], self.zero)

    @property
    def margin_squared(self) -> S | None:
        """1/‖w‖², the squared distance from the hyperplane to the margin; None where w = 0.

        For the hard SVM with a free bias the largest that any hyperplane has. ‖w‖², of which
        the dual value tells, is exact, in float rounded once; beyond the range of floats it is a
        `DataError`. [chang, "Recall: The geometry of a linear classifier"]
        """
        alpha = self.certificate.multipliers
        norm = 2 * (sum(alpha, Fraction(0)) - self.certificate.dual)
        if self.loss is squared_hinge and self.C is not None:
            omega = map(Fraction, self.weights or (1,) * len(alpha))
            squares = (a * a / (2 * w) for a, w in zip(alpha, omega) if a)
            norm -= sum(squares, Fraction(0)) / Fraction(self.C)
        if self.bias == "penalised":
            norm -= sum((a * sign for a, sign in zip(alpha, self.y)), Fraction(0)) ** 2
        if norm <= 0:  # it may be below 0 by the rounding of a Gram matrix
            return None
        return 1 / norm if isinstance(self.zero, Fraction) else as_float(1 / norm, "margin_squared")

    @property
    def support_vectors(self) -> tuple[int, ...]:
        """The training rows with α_i > 0. [chang, "Support vectors"]"""
        return tuple(i for i, alpha in enumerate(self.alpha) if alpha > 0)

    @property
    def outside_margin(self) -> tuple[int, ...]:
        """Case c of the quiz: y_i (w·x_i + b) > 1, so ξ_i = 0. [chang, "Match-up quiz"]

        In float this and the two other cases compare the exact margin rounded once, and no
        tolerance makes up for an optimum that is met only nearly.
        """
        return tuple(i for i, margin in enumerate(self.margins) if margin > 1)

    @property
    def on_margin(self) -> tuple[int, ...]:
        """Case a of the quiz: y_i (w·x_i + b) = 1, so ξ_i = 0. [chang, "Match-up quiz"]"""
        return tuple(i for i, margin in enumerate(self.margins) if margin == 1)

    @property
    def inside_margin(self) -> tuple[int, ...]:
        """Case b of the quiz: y_i (w·x_i + b) < 1, so ξ_i > 0: inside the margin, or beyond the
        hyperplane where ξ_i > 1. [chang, "Match-up quiz"]
        """
        return tuple(i for i, margin in enumerate(self.margins) if margin < 1)

    def to_json(self) -> str:
        """The model as readable JSON; `refmc.load_model` reads it back, equal in every number.

        Labels must be strings, whole numbers or truth values, and the kernel one of refmc's: else
        `ParameterError`. The tie policy is not saved.
        """
        parts = {name: getattr(self, name, None) for name in FIELDS} | {
            "loss": saved_choice(self.loss, LOSSES, "loss"),
            "kernel": saved_kernel(self.kernel),
            "primal": self.certificate.primal,
            "dual": self.certificate.dual,
            "alpha": self.certificate.multipliers,
        }
        return model_text(KIND, VERSION, self.zero, self.classes, parts)


def model_from_record(
    record: Record, tie: TiePolicy = first
) -> BinarySVM[float] | BinarySVM[Fraction]:
    """The model that `to_json` wrote; `FormatError` names the field that doesn't fit."""
    names = [name for name in FIELDS if name not in ADDED]
    fields = read_saved(record, KIND, VERSION, names, added=ADDED)
    fields = fields.completed(
        loss=None if record["C"] is None else "hinge",
        bias=fields.ends("b_interval") != (0, 0),
        weights=None,
    )
    alpha, slack, margins = map(fields.row, ("alpha", "slack", "margins"))
    m, signs = len(alpha), labels(record["y"], "model.y")
    codes = at("model.y", lambda: read_labels(signs, (-1, 1), m))[0]
    kernel, rows = read_kernel_and_rows(fields)
    if {len(slack), len(margins), m if rows is None else len(rows)} != {m}:
        raise FormatError(f"model: fields of different sizes; alpha has {m} numbers")
    w, C = fields.unless_null(fields.row, "w"), fields.unless_null(fields.positive, "C")
    check_weights("w", None if w is None else [w], kernel, rows)
    weights = fields.unless_null(fields.row, "weights")
    if weights is not None:
        at("model.weights", lambda: row_weights(weights, m, fields.zero))
    loss = fields.unless_null(fields.choice, "loss", LOSSES)
    if (loss is None) != (C is None):
        raise FormatError(f"model.loss: expected {' or '.join(LOSSES)}, null without C")
    model: BinarySVM[Any] = BinarySVM(
        classes=fields.two_classes(),
        C=C,
        loss=loss,
        bias="penalised" if fields.record["bias"] == "penalised" else fields.flag("bias"),
        weights=weights,
        kernel=kernel,
        alpha=alpha,
        w=w,
        b=fields.number("b"),
        b_interval=fields.ends("b_interval"),
        margins=margins,
        slack=slack,
        objective=fields.number("primal"),
        certificate=read_certificate(fields, fields.exactly().row("alpha"), kernel),
        y=tuple(2 * code - 1 for code in codes),
        rows=rows,
        zero=fields.zero,
        tie=tie,
    )
    return model
