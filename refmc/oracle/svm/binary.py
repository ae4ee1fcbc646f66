"""The families `svm.binary` and `svm.hard`: their problems and answers as records.

{"family": "svm.binary", "X": m rows of d numbers, "y": m labels -1 and +1, "C": a positive number,
 "bias": true or false (optional), "classes": [negative, positive] (optional), "kernel": (optional)}

"gram" may stand in the place of "X" and "kernel"; "svm.hard" is the same without "C".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from refmc.checker import Verdict
from refmc.checker.svm import binary as soft
from refmc.checker.svm import hard as svm_hard
from refmc.core.records import Record, check_fields, items, number
from refmc.core.sample import Label
from refmc.errors import FormatError
from refmc.oracle.reading import (
    Rows,
    label_signs,
    positive,
    read_answer,
    read_rows_or_gram,
    read_signs,
    row_fields,
    row_of,
    truth,
)

SOFT, HARD = "svm.binary", "svm.hard"

SUBMISSIONS = ("w", "alpha", "scores", "labels")
CLAIMS = ("objective", "primal", "dual")
OTHERS = ("b", "slack", "b_interval", "margin_squared")
IMPOSSIBLE = ("separable", "combination")

Multipliers = Sequence[Fraction | int]


@dataclass(frozen=True)
class BinarySVMProblem:
    """One binary SVM training problem, all numbers exact; `C` is None for the hard margin."""

    rows: Rows
    signs: tuple[int, ...]
    classes: tuple[Label, Label]
    C: Fraction | None
    bias: bool

    @property
    def labels(self) -> list[Label]:
        """The label of each row."""
        return [self.classes[sign > 0] for sign in self.signs]


def read_problem(record: Record) -> BinarySVMProblem:
    """The problem of a record; `FormatError` names the field that is wrong.

    >>> read_problem({"family": "svm.binary", "X": [[1]], "y": [1], "C": "1/2"}).C
    Fraction(1, 2)
    """
    hard = record["family"] == HARD
    required, optional = row_fields(record)
    check_fields(
        record,
        "problem",
        required=["family", *required, "y", *([] if hard else ["C"])],
        optional=[*optional, "bias", "classes"],
    )
    rows = read_rows_or_gram(record)
    signs, classes = read_signs(record, rows.m)
    C = None if hard else positive(record, "C")
    return BinarySVMProblem(rows, signs, classes, C, truth(record, "bias", True))


def judge(
    problem: Record,
    answer: Record,
    allowed: Fraction,
    *,
    witness: Callable[[BinarySVMProblem], Multipliers | None] | None = None,
    common_point: Callable[[BinarySVMProblem], Multipliers | None] | None = None,
) -> Verdict:
    """The checker's verdict.

    `witness` finds multipliers near the optimum of a problem, and is asked for other C, too;
    `common_point` finds the weights of a common point of the two hulls where rows are not separable
    (svm.hard). Either may give None; without them an answer must prove itself.

    >>> problem = {"family": "svm.binary", "X": [[1], [-1]], "y": [1, -1], "C": 1}
    >>> judge(problem, {"w": [1], "b": 0, "alpha": ["1/2", "1/2"]}, Fraction(0)).status
    'VERIFIED'
    """
    read = read_problem(problem)
    submitted = _read_answer(answer, read)
    found = witness(read) if witness is not None else None
    if read.C is None:
        point = None
        if common_point is not None and found is None:
            point = common_point(read)
        return svm_hard.judge(
            for_referee(read), submitted, witness=found, common_point=point, allowed=allowed
        )

    def resolve(C: Fraction) -> Multipliers | None:
        assert witness is not None
        return witness(BinarySVMProblem(read.rows, read.signs, read.classes, C, read.bias))

    return soft.judge(
        for_referee(read),
        submitted,
        witness=found,
        resolve=None if witness is None else resolve,
        allowed=allowed,
    )


def for_referee(problem: BinarySVMProblem) -> soft.Problem:
    """The problem as the checker takes it."""
    return soft.Problem(
        X=problem.rows.X,
        gram=problem.rows.gram,
        kernel=problem.rows.referee_kernel,
        y=problem.signs,
        C=problem.C,
        bias=problem.bias,
        classes=(str(problem.classes[0]), str(problem.classes[1])),
    )


def _read_answer(record: Record, problem: BinarySVMProblem) -> soft.Submission:
    impossible = IMPOSSIBLE if problem.C is None else ()
    m = len(problem.signs)
    read_answer(
        record,
        SOFT if problem.C is not None else HARD,
        [*SUBMISSIONS, *impossible, *OTHERS, *CLAIMS],
    )
    if not any(name in record for name in (*SUBMISSIONS, *impossible)):
        raise FormatError(f"answer: expected one of {', '.join((*SUBMISSIONS, *impossible))}")
    submitted: dict[str, Any] = {}
    if "w" in record:
        if not problem.rows.is_linear or problem.rows.X is None:
            raise FormatError("answer.w: weights need the linear kernel; submit alpha or scores")
        submitted["w"] = row_of(record, "w", len(problem.rows.X[0]))
    for name in ("alpha", "scores", "slack", "combination"):
        if name in record:
            submitted[name] = row_of(record, name, m)
    if "slack" in record and not {"w", "alpha", "scores"} & set(record):
        raise FormatError("answer.slack: needs w, alpha or scores beside it")
    if "labels" in record:
        submitted["labels"] = label_signs(record["labels"], "answer.labels", problem.classes, m)
    if "separable" in record:
        submitted["separable"] = truth(record, "separable", True, "answer")
    if "b" in record:
        submitted["b"] = _bias(record, problem)
    if "b_interval" in record:
        submitted["b_interval"] = _interval(record["b_interval"])
    if "margin_squared" in record:
        square = _or_infinite(record["margin_squared"], "answer.margin_squared", "inf")
        submitted["margin_squared"] = "inf" if square is None else square
    claims = {name: number(record[name], f"answer.{name}") for name in CLAIMS if name in record}
    return soft.Submission(**submitted, values=claims)


def _bias(record: Record, problem: BinarySVMProblem) -> Fraction:
    b = number(record["b"], "answer.b")
    if not {"w", "alpha"} & set(record):
        raise FormatError("answer.b: needs w or alpha beside it; scores include the bias")
    if b and not problem.bias:
        raise FormatError("answer.b: the problem has no bias")
    return b


def _interval(value: object) -> soft.Interval:
    ends = items(value, "answer.b_interval")
    if len(ends) != 2:
        raise FormatError(f"answer.b_interval: expected two numbers, got {len(ends)}")
    return soft.Interval(
        _or_infinite(ends[0], "answer.b_interval[0]", "-inf"),
        _or_infinite(ends[1], "answer.b_interval[1]", "inf"),
    )


def _or_infinite(value: object, place: str, infinite: str) -> Fraction | None:
    return None if value is None or value == infinite else number(value, place)
