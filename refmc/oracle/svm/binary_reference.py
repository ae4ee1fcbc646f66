"""Reference answers of the families `svm.binary` and `svm.hard`, and verdicts that rest on them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, cast

from refmc.checker import Verdict
from refmc.core.records import Record
from refmc.core.scalars import number_text
from refmc.errors import NotSeparableError
from refmc.learn.svm.binary import fit_binary_svm, fit_hard_svm
from refmc.learn.svm.binary_model import BinarySVM
from refmc.oracle.rows import OnStep, Row, each_step, pivot_row
from refmc.oracle.svm import binary as svm_binary
from refmc.oracle.svm.binary import HARD, SOFT, BinarySVMProblem, Multipliers, read_problem


def solve(problem: Record, on_step: OnStep | None) -> dict[str, object]:
    """The exact answer; or, for rows that no hyperplane separates, the weights that prove it."""
    read = read_problem(problem)
    family = HARD if read.C is None else SOFT
    try:
        return {"family": family, **_answer(optimum(read, on_step))}
    except NotSeparableError as error:
        combination = list(map(number_text, error.combination))
        return {"family": family, "separable": False, "combination": combination}


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: OnStep | None) -> Verdict:
    """The checker's verdict, with the multipliers of the exact optimum as its witness."""
    return svm_binary.judge(
        problem,
        answer,
        allowed,
        witness=lambda read: _witness(read, on_step),
        common_point=_common_point,
    )


def trace(problem: Record) -> Iterator[Row]:
    """A row a pivot of the exact search; where no hyperplane separates, up to the proof of that."""
    read = read_problem(problem)
    m = len(read.signs)
    try:
        for pivot in each_step(lambda report: optimum(read, report, guess=False)):
            yield pivot_row(
                pivot,
                lambda i: f"α_{i} ≥ 0" if i < m else f"α_{i - m} ≤ C",
                {"dual": -pivot.objective},
            )
    except NotSeparableError:
        return


def optimum(
    read: BinarySVMProblem, on_step: OnStep | None, guess: bool = True
) -> BinarySVM[Fraction]:
    """The trained exact model."""
    rows = read.rows
    options: dict[str, Any] = {
        "kernel": rows.kernel,
        "gram": rows.gram,
        "bias": read.bias,
        "classes": read.classes,
        "on_step": on_step,
        "guess": guess,
    }
    if read.C is None:
        model = fit_hard_svm(rows.X, read.labels, **options)
    else:
        model = fit_binary_svm(rows.X, read.labels, C=read.C, **options)
    return cast("BinarySVM[Fraction]", model)  # problems hold Fractions only


def _witness(read: BinarySVMProblem, on_step: OnStep | None) -> Multipliers | None:
    try:
        return optimum(read, on_step).alpha
    except NotSeparableError:
        return None


def _common_point(read: BinarySVMProblem) -> Multipliers | None:
    try:
        optimum(read, None)
    except NotSeparableError as error:
        return error.combination
    return None


def _answer(model: BinarySVM[Fraction]) -> dict[str, object]:
    low, high = model.b_interval
    record: dict[str, object] = {}
    if model.w is not None:
        record["w"] = list(map(number_text, model.w))
    record |= {
        "b": number_text(model.b),
        "alpha": list(map(number_text, model.alpha)),
        "b_interval": [
            "-inf" if low is None else number_text(low),
            "inf" if high is None else number_text(high),
        ],
        "objective": number_text(model.objective),
        "primal": number_text(model.certificate.primal),
        "dual": number_text(model.certificate.dual),
    }
    if model.C is not None:
        record["slack"] = list(map(number_text, model.slack))
    return record
