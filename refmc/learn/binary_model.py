"""The trained binary SVM: what it knows, how it predicts, how it is saved.

[chang, "Decision function in Kernel SVM"], [chang, "Support vectors"]. Legend: see `binary_svm`,
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
from typing import Generic

from refmc.core.linalg import dot
from refmc.core.records import Record, at, check_fields, items, matrix, number, numbers, write_json
from refmc.core.sample import Label, Matrix, Row, read_labels, read_row, read_rows_as
from refmc.core.scalars import S, as_float, number_text
from refmc.core.ties import TiePolicy, argmax_set, first
from refmc.errors import DataError, FormatError, ParameterError
from refmc.theory.kernels import Kernel, is_known, kernel_from_json, kernel_row, linear

KIND = "binary-svm"
VERSION = 1


@dataclass(frozen=True)
class BinaryCertificate:
    """The proof of a binary SVM: an exactly feasible α and the two values it gives.

    `primal`: the objective at w(α) and the best bias for it; `dual`: the dual objective at α. No
    answer has an objective below `dual` (weak duality, for any positive semi-definite kernel), so
    the one of w(α) is at most `gap` = primal − dual above the optimum. All numbers are exact.
    """

    alpha: tuple[Fraction, ...]
    primal: Fraction
    dual: Fraction

    @property
    def gap(self) -> Fraction:
        """primal − dual: 0 proves the optimum."""
        return self.primal - self.dual


@dataclass(frozen=True)
class BinarySVM(Generic[S]):
    """A trained binary SVM; see `fit_binary_svm` and `fit_hard_svm`.

    `classes`: the negative and the positive label. `C`: None for the hard SVM. `alpha`: m
    multipliers. `w`: for the linear kernel. `b_interval`: all optimal biases for this w, an end
    None where there is none; `b`: its midpoint, or the only end; without a bias 0 and (0, 0).
    `margins`: y_i (w·Φ(x_i) + b). `slack`: ξ_i = max(0, 1 − margin). `objective`: the primal value.
    `y`: −1 or +1 for each training row. `rows`: the training rows, None if a Gram matrix was given.
    """

    classes: tuple[Label, Label]
    C: S | None
    kernel: Kernel | None
    alpha: tuple[S, ...]
    w: tuple[S, ...] | None
    b: S
    b_interval: tuple[S | None, S | None]
    margins: tuple[S, ...]
    slack: tuple[S, ...]
    objective: S
    certificate: BinaryCertificate
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
        width = len(self.y) if self.rows is None else len(self.rows[0])
        if len(x) != width:
            raise DataError(f"x: expected {width} numbers, got {len(x)}")
        if self.w is not None:
            return self._biased(self.w, x)
        support = self.support_vectors
        if self.rows is None or self.kernel is None:
            values = tuple(x[i] for i in support)
        else:
            values = kernel_row(self.kernel, [self.rows[i] for i in support], x, self.zero)
        return self._biased([self.y[i] * self.alpha[i] for i in support], values)

    def _biased(self, weights: Sequence[S], values: Sequence[S]) -> S:
        """Σ weights·values + b, in float rounded once."""
        return dot(list(weights) + [self.b], list(values) + [self.zero + 1], self.zero)

    def scores(self, x: Row) -> tuple[S, S]:
        """(−s/2, s/2) with s = `decision(x)`: the scores of w_1 = −w_2 = −w/2 with half the bias,
        so that the margin of a row's score vector is its y_i s.
        """
        return self._scores(read_row(x, self.zero, "x"))

    def _scores(self, x: Sequence[S]) -> tuple[S, S]:
        half = self._decision(x) / 2
        return -half, half

    def predict_set(self, x: Row) -> tuple[Label, ...]:
        """The label of the side that x is on; both where the decision value is 0."""
        return tuple(self.classes[c] for c in argmax_set(self.scores(x)))

    def predict(self, X: Matrix) -> list[Label]:
        """One label a row; ties by the policy the model was made with."""
        return [
            self.classes[self.tie(argmax_set(self._scores(x)))] for x in read_rows_as(X, self.zero)
        ]

    @property
    def margin_squared(self) -> S | None:
        """1/‖w‖², the squared distance from the hyperplane to the margin; None where w = 0.

        For the hard SVM the largest that any hyperplane has. ‖w‖² = 2(Σα − dual) is exact, in
        float rounded once; beyond the range of floats it is a `DataError`.
        """
        proof = self.certificate
        norm = 2 * (sum(proof.alpha, Fraction(0)) - proof.dual)
        if not norm:
            return None
        return 1 / norm if isinstance(self.zero, Fraction) else as_float(1 / norm, "margin_squared")

    def _rows_where(self, holds: Callable[[S], bool], values: Sequence[S]) -> tuple[int, ...]:
        return tuple(i for i, value in enumerate(values) if holds(value))

    @property
    def support_vectors(self) -> tuple[int, ...]:
        """The training rows with α_i > 0. [chang, "Support vectors"]"""
        return self._rows_where(lambda alpha: alpha > 0, self.alpha)

    @property
    def outside_margin(self) -> tuple[int, ...]:
        """Case c of the quiz: y_i (w·x_i + b) > 1, so ξ_i = 0. [chang, "Match-up quiz"]

        In float this and the two other cases compare the exact margin rounded once, and no
        tolerance makes up for an optimum that is met only nearly.
        """
        return self._rows_where(lambda margin: margin > 1, self.margins)

    @property
    def on_margin(self) -> tuple[int, ...]:
        """Case a of the quiz: y_i (w·x_i + b) = 1, so ξ_i = 0. [chang, "Match-up quiz"]"""
        return self._rows_where(lambda margin: margin == 1, self.margins)

    @property
    def inside_margin(self) -> tuple[int, ...]:
        """Case b of the quiz: y_i (w·x_i + b) < 1, so ξ_i > 0: inside the margin, or beyond the
        hyperplane where ξ_i > 1. [chang, "Match-up quiz"]
        """
        return self._rows_where(lambda margin: margin < 1, self.margins)

    def to_json(self) -> str:
        """The model as readable JSON; `refmc.load_model` reads it back, equal in every number.

        Labels must be strings, whole numbers or truth values, and the kernel one of refmc's: else
        `ParameterError`. The tie policy is not saved.
        """
        low, high = self.b_interval
        record: dict[str, object] = {
            "model": KIND,
            "version": VERSION,
            "arithmetic": "exact" if isinstance(self.zero, Fraction) else "float",
            "classes": [_saved_label(label) for label in self.classes],
            "C": _saved(self.C),
            "kernel": _saved_kernel(self.kernel),
            "primal": number_text(self.certificate.primal),
            "dual": number_text(self.certificate.dual),
            "w": None if self.w is None else list(map(_saved, self.w)),
            "b": _saved(self.b),
            "b_interval": [_saved(low), _saved(high)],
            "y": list(self.y),
            "alpha": list(map(number_text, self.certificate.alpha)),
            "margins": list(map(_saved, self.margins)),
            "slack": list(map(_saved, self.slack)),
            "rows": None if self.rows is None else [list(map(_saved, x)) for x in self.rows],
        }
        return write_json(record)


def _saved(value: float | Fraction | None) -> float | str | None:
    return number_text(value) if isinstance(value, Fraction) else value


def _saved_kernel(kernel: Kernel | None) -> object:
    if kernel is None:
        return None
    if not is_known(kernel):
        raise ParameterError(f"kernel: {kernel!r} can't be saved; only refmc's own kernels can")
    return kernel.to_json()  # type: ignore[union-attr]  # the known kernels have it


def _saved_label(label: Label) -> Label:
    if not isinstance(label, str) and not (isinstance(label, int) and abs(label) <= 2**53):
        raise ParameterError(
            f"classes: {label!r} can't be saved; labels must be strings or whole numbers of at "
            "most 2^53"
        )
    return label


def rounded(model: BinarySVM[Fraction]) -> BinarySVM[float]:
    """The model in float, each number rounded once; the certificate stays exact."""
    low, high = model.b_interval
    return BinarySVM(
        classes=model.classes,
        C=_nearest(model.C),
        kernel=model.kernel,
        alpha=rounded_row(model.alpha),
        w=None if model.w is None else rounded_row(model.w),
        b=float(model.b),
        b_interval=(_nearest(low), _nearest(high)),
        margins=rounded_row(model.margins),
        slack=rounded_row(model.slack),
        objective=float(model.objective),
        certificate=model.certificate,
        y=model.y,
        rows=None if model.rows is None else tuple(map(rounded_row, model.rows)),
        zero=0.0,
        tie=model.tie,
    )


def rounded_row(row: Sequence[Fraction]) -> tuple[float, ...]:
    """Each number's nearest float."""
    return tuple(map(float, row))


def _nearest(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def model_from_record(
    record: Record, tie: TiePolicy = first
) -> BinarySVM[float] | BinarySVM[Fraction]:
    """The model that `to_json` wrote; `FormatError` names the field that doesn't fit."""
    check_fields(
        record,
        "model",
        required=["model", "version", "arithmetic", "classes", "C", "kernel", "primal", "dual"]
        + ["w", "b", "b_interval", "y", "alpha", "margins", "slack", "rows"],
        optional=["columns", "label"],
    )
    if (record["model"], record["version"]) != (KIND, VERSION):
        raise FormatError(f"model: expected {KIND!r} of version {VERSION}")
    if record["arithmetic"] not in ("exact", "float"):
        raise FormatError("model.arithmetic: expected 'exact' or 'float'")
    model = _exact_from_record(record, tie)
    try:
        return model if record["arithmetic"] == "exact" else rounded(model)
    except OverflowError:
        raise FormatError("model: a number is beyond the range of floats") from None


def _exact_from_record(record: Record, tie: TiePolicy) -> BinarySVM[Fraction]:
    named = items(record["classes"], "model.classes")
    classes = at("model.classes", lambda: read_labels(named, named, len(named)))[1]
    alpha, slack, margins = (
        tuple(numbers(record[name], f"model.{name}")) for name in ("alpha", "slack", "margins")
    )
    m, signs = len(alpha), items(record["y"], "model.y")
    codes = at("model.y", lambda: read_labels(signs, (-1, 1), m))[0]
    ends = items(record["b_interval"], "model.b_interval")
    w = None if record["w"] is None else tuple(numbers(record["w"], "model.w"))
    rows = None if record["rows"] is None else matrix(record["rows"], "model.rows")
    if len(classes) != 2 or len(ends) != 2:
        raise FormatError("model: expected two classes, and two ends of b_interval")
    if {len(slack), len(margins), m if rows is None else len(rows)} != {m}:
        raise FormatError(f"model: fields of different sizes; alpha has {m} numbers")
    kernel = None
    if record["kernel"] is not None:
        try:
            kernel = kernel_from_json(record["kernel"])
        except FormatError as error:
            raise FormatError(f"model.{error}") from None
    if (kernel is None) != (rows is None):
        raise FormatError("model.rows: expected rows with a kernel, null without")
    if (w is None) != (kernel != linear) or (w and rows and len(w) != len(rows[0])):
        raise FormatError("model.w: expected weights as long as the rows, for the linear kernel")
    C = _optional(record["C"], "model.C")
    if C is not None and C <= 0:
        raise FormatError(f"model.C: expected a positive number or null, got {number_text(C)}")
    primal = number(record["primal"], "model.primal")
    return BinarySVM(
        classes=(classes[0], classes[1]),
        C=C,
        kernel=kernel,
        alpha=alpha,
        w=w,
        b=number(record["b"], "model.b"),
        b_interval=(
            _optional(ends[0], "model.b_interval[0]"),
            _optional(ends[1], "model.b_interval[1]"),
        ),
        margins=margins,
        slack=slack,
        objective=primal,
        certificate=BinaryCertificate(alpha, primal, number(record["dual"], "model.dual")),
        y=tuple(2 * code - 1 for code in codes),
        rows=None if rows is None else tuple(map(tuple, rows)),
        zero=Fraction(0),
        tie=tie,
    )


def _optional(value: object, place: str) -> Fraction | None:
    return None if value is None else number(value, place)
