"""The families `svm.binary` and `svm.hard`: their records, reference answers and verdicts.

{"family": "svm.binary", "X": m rows of d numbers, "y": m labels -1 and +1, "C": a positive number,
 "bias": true (the default), false or "penalised", "classes": [negative, positive] (optional),
 "kernel": (optional), "loss": "hinge" (the default) or "squared_hinge", "weights": m numbers (all
 1)}

"gram" may stand in the place of "X" and "kernel"; "svm.hard" is the same without "C" and "loss",
and rows of weight 0 are left out, of answers too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from refmc.checker import Verdict
from refmc.checker.svm import binary as soft
from refmc.checker.svm import hard as svm_hard
from refmc.core.records import Record, items, number
from refmc.core.sample import Label
from refmc.errors import FormatError, NotSeparableError
from refmc.learn.svm.binary import fit_binary_svm, fit_hard_svm
from refmc.learn.svm.binary_model import BinarySVM
from refmc.oracle.costs import read_weights
from refmc.oracle.forms import (
    KERNEL,
    LABELS,
    NUMBER,
    NUMBERS,
    ROWS,
    TEXT,
    TRUTH,
    Fields,
    Form,
    answer_form,
    choice,
    either,
    list_of,
)
from refmc.oracle.reading import (
    Rows,
    if_given,
    label_signs,
    numbers_in,
    one_of,
    positive,
    read_answer,
    read_rows_or_gram,
    read_signs,
    row_of,
    truth,
)
from refmc.oracle.svm.searching import (
    FloatRows,
    are_few,
    check_size,
    check_work,
    fitted,
    in_floats,
    witnesses,
)
from refmc.theory.losses import hinge, squared_hinge

if TYPE_CHECKING:
    from refmc.oracle.rows import OnStep, Row

SOFT, HARD = "svm.binary", "svm.hard"

SUBMISSIONS = ("w", "alpha", "scores", "labels")
CLAIMS = ("objective", "primal", "dual")

LOSS = choice("hinge", "squared_hinge")

_PROBLEM: Fields = {"family": TEXT, "y": LABELS}
_OPTIONS: Fields = {
    "kernel": KERNEL,
    "bias": either(TRUTH, choice("penalised")),
    "classes": LABELS,
    "weights": NUMBERS,
}
_ROWS, _KERNEL = [ROWS], {"kernel": "X"}
_ANSWER: Fields = {
    "w": NUMBERS,
    "alpha": NUMBERS,
    "scores": NUMBERS,
    "labels": LABELS,
    "b": NUMBER,
    "slack": NUMBERS,
    "b_interval": list_of(either(NUMBER, choice("-inf", "inf"))),
    "margin_squared": either(NUMBER, choice("inf")),
    **dict.fromkeys(CLAIMS, NUMBER),
}
PROBLEM = {
    SOFT: Form(
        required={**_PROBLEM, "C": NUMBER},
        instead=_ROWS,
        optional={**_OPTIONS, "loss": LOSS},
        beside=_KERNEL,
    ),
    HARD: Form(required=_PROBLEM, instead=_ROWS, optional=_OPTIONS, beside=_KERNEL),
}
ANSWER = {
    SOFT: answer_form(_ANSWER, SUBMISSIONS),
    HARD: answer_form(
        {"separable": TRUTH, "combination": NUMBERS, **_ANSWER},
        (*SUBMISSIONS, "separable", "combination"),
    ),
}
FORMS = {family: ([PROBLEM[family]], [ANSWER[family]]) for family in (SOFT, HARD)}


@dataclass(frozen=True)
class BinarySVMProblem:
    """The checker's problem, and the rows and labels as the learner takes them."""

    asked: soft.BinaryProblem
    rows: Rows
    classes: tuple[Label, Label]

    @property
    def labels(self) -> list[Label]:
        """The label of each row."""
        return [self.classes[sign > 0] for sign in self.asked.y]


def read_problem(record: Record) -> BinarySVMProblem:
    """The problem of a record; `FormatError` names the field that is wrong.

    >>> read_problem({"family": "svm.binary", "X": [[1]], "y": [1], "C": "1/2"}).asked.C
    Fraction(1, 2)
    """
    hard = record["family"] == HARD
    PROBLEM[HARD if hard else SOFT].check(record, "problem")
    if hard and "weights" in record:
        record = _weighted(record)
    check_size(record)
    rows = read_rows_or_gram(record)
    signs, classes = read_signs(record, rows.m)
    check_work(rows)
    asked = soft.BinaryProblem(
        X=rows.X,
        gram=rows.gram,
        kernel=rows.referee_kernel,
        y=signs,
        C=None if hard else positive(record, "C"),
        weights=read_weights(record, rows.m),
        squared=one_of(record, "loss", LOSS) == "squared_hinge",
        bias="penalised" if record.get("bias") == "penalised" else truth(record, "bias", True),
        classes=(str(classes[0]), str(classes[1])),
    )
    return BinarySVMProblem(asked, rows, classes)


def _weighted(record: Record) -> Record:
    """The record without the rows of weight 0; without C no other weight changes anything."""
    weights = read_weights(record, len(items(record["y"], "problem.y"))) or ()
    kept = [i for i, weight in enumerate(weights) if weight]
    found = {name: value for name, value in record.items() if name != "weights"}
    for name in ("X", "gram", "y"):
        if name in record:
            given = items(record[name], f"problem.{name}")
            if len(given) != len(weights):
                raise FormatError(f"problem.{name}: expected {len(weights)} rows, as y has")
            found[name] = [given[i] for i in kept]
    if "gram" in record:
        rows = items(found["gram"], "problem.gram")
        found["gram"] = [[items(row, "problem.gram")[i] for i in kept] for row in rows]
    return found


def solve(problem: Record, on_step: OnStep | None) -> dict[str, object]:
    """The exact answer; or, for rows that no hyperplane separates, the weights that prove it."""
    read = read_problem(problem)
    record: dict[str, object] = {"family": HARD if read.asked.C is None else SOFT}
    try:
        model = optimum(read, on_step)
    except NotSeparableError as error:
        return record | {"separable": False, "combination": error.combination}
    if model.w is not None:
        record["w"] = model.w
    record |= {
        "b": model.b,
        "alpha": model.alpha,
        "objective": model.objective,
        "primal": model.certificate.primal,
        "dual": model.certificate.dual,
    }
    if model.bias != "penalised":
        ends = zip(("-inf", "inf"), model.b_interval)
        record["b_interval"] = [text if end is None else end for text, end in ends]
    if model.C is not None:
        record["slack"] = model.slack
    return record


def optimum(
    read: BinarySVMProblem, on_step: OnStep | None, guess: bool = True
) -> BinarySVM[Fraction]:
    """The exact model; for a Gram matrix K that is semi-definite up to rounding, that of K + εI."""
    model: BinarySVM[Fraction] = fitted(
        lambda rows: _fit(read, rows, on_step=on_step, guess=guess), read.rows
    )
    return model


def _fit(read: BinarySVMProblem, rows: Rows | FloatRows, **options: Any) -> BinarySVM[Any]:
    """The learner's model, in floats where the rows are."""
    kind: Any = float if isinstance(rows, FloatRows) else Fraction
    options |= {"kernel": rows.kernel, "gram": rows.gram}
    asked = read.asked
    options |= {"bias": asked.bias, "classes": read.classes}
    if asked.C is None:
        return fit_hard_svm(rows.X, read.labels, **options)
    if asked.weights is not None:
        options["weights"] = list(map(kind, asked.weights))
    options["loss"] = squared_hinge if asked.squared else hinge
    return fit_binary_svm(rows.X, read.labels, C=kind(asked.C), **options)


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: OnStep | None) -> Verdict:
    """The checker's verdict; multipliers that the learner finds are its witnesses.

    >>> problem = {"family": "svm.binary", "X": [[1], [-1]], "y": [1, -1], "C": 1}
    >>> judge(problem, {"w": [1], "b": 0}, Fraction(0), None).status
    'VERIFIED'
    """
    read = read_problem(problem)
    submitted = _read_answer(answer, read)
    # Squared hinges leave all support vectors free, and an exact search takes longer for these.
    few = are_few(read.rows, 16 if read.asked.squared else 2)

    def near() -> Sequence[Fraction]:
        return _fit(read, in_floats(read.rows)).certificate.multipliers

    def exact() -> Sequence[Fraction]:
        return optimum(read, on_step).alpha

    def proof() -> svm_hard.Witness:
        try:
            return svm_hard.Witness(alpha=exact())
        except NotSeparableError as error:
            return svm_hard.Witness(combination=error.combination)

    if read.asked.C is not None:
        found = witnesses(read.rows, few, near, exact)
        return soft.judge(read.asked, submitted, witnesses=found, thorough=few, allowed=allowed)
    proofs = witnesses(read.rows, few, lambda: svm_hard.Witness(alpha=near()), proof)
    return svm_hard.judge(read.asked, submitted, witnesses=proofs, thorough=few, allowed=allowed)


def _read_answer(record: Record, problem: BinarySVMProblem) -> soft.BinaryAnswer:
    family = HARD if problem.asked.C is None else SOFT
    read_answer(record, family, ANSWER[family])
    _refuse_unfit_fields(record, problem)
    m, X = problem.rows.m, problem.rows.X
    row = partial(row_of, length=m)
    return soft.BinaryAnswer(
        w=if_given(record, "w", partial(row_of, length=len(X[0]) if X else 0)),
        alpha=if_given(record, "alpha", row),
        scores=if_given(record, "scores", row),
        labels=if_given(record, "labels", partial(label_signs, classes=problem.classes, m=m)),
        separable=truth(record, "separable", True, "answer") if "separable" in record else None,
        combination=if_given(record, "combination", row),
        b=if_given(record, "b", number),
        values=numbers_in(record, CLAIMS),
        slack=if_given(record, "slack", row),
        b_interval=if_given(record, "b_interval", _interval),
        margin_squared=if_given(record, "margin_squared", _finite_or_inf),
    )


def _refuse_unfit_fields(record: Record, problem: BinarySVMProblem) -> None:
    """Refuse fields that don't fit the kernel or the bias, or that lack another one beside them."""
    if "w" in record and not problem.rows.is_linear:
        raise FormatError("answer.w: weights need the linear kernel; submit alpha or scores")
    if "slack" in record and not {"w", "alpha", "scores"} & set(record):
        raise FormatError("answer.slack: needs w, alpha or scores beside it")
    if "b" in record and not {"w", "alpha"} & set(record):
        raise FormatError("answer.b: needs w or alpha beside it; scores include the bias")
    if "b" in record and not problem.asked.bias and number(record["b"], "answer.b"):
        raise FormatError("answer.b: the problem has no bias")
    if problem.asked.bias != "penalised":
        return
    if "w" in record and "b" not in record:
        raise FormatError("answer.b: is missing beside w, for the bias is penalised")
    for name in ("b_interval", "margin_squared"):
        if name in record:
            raise FormatError(f"answer.{name}: a penalised bias is one number; submit b")


def _interval(value: object, place: str) -> soft.Interval:
    ends = items(value, place)
    if len(ends) != 2:
        raise FormatError(f"{place}: expected two numbers, got {len(ends)}")
    low, high = (
        None if end == infinite else number(end, f"{place}[{i}]")
        for i, (end, infinite) in enumerate(zip(ends, ("-inf", "inf")))
    )
    return soft.Interval(low, high)


def _finite_or_inf(value: object, place: str) -> Fraction | str:
    return "inf" if value == "inf" else number(value, place)


def trace(problem: Record) -> Iterator[Row]:
    """One row for each pivot of the exact search, which ends where no hyperplane separates."""
    from refmc.oracle.rows import each_step, pivot_row  # for nothing but traces

    read = read_problem(problem)
    m = read.rows.m
    try:
        for pivot in each_step(lambda report: optimum(read, report, guess=False)):
            yield pivot_row(
                pivot,
                lambda i: f"α_{i} ≥ 0" if i < m else f"α_{i - m} ≤ C",
                {"dual": -pivot.objective},
            )
    except NotSeparableError:
        return
