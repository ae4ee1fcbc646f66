"""The families `perceptron.binary`, `.kernel` and `.multiclass`: runs and what is said of them.

{"family": "perceptron.binary", "X": m rows, "y": m labels, "epochs": (1), "order": (0 to m-1),
 "bias": (false), "at_zero": "update" or "either", "start": (0), "average": "equally" or "by_age",
 "voted": (false), "weights": (1), "classes": [negative, positive]}

The kernel family admits "kernel" and "gram" as well; the multi-class family has "tau" in the place
of "bias" and "at_zero".
"""

from __future__ import annotations

from fractions import Fraction

from refmc.checker import Verdict
from refmc.checker.online import perceptron as referee
from refmc.core.records import Record, matrix
from refmc.oracle.forms import KERNEL as KERNELS
from refmc.oracle.forms import LABELS, MATRIX, ROWS, TEXT, TRUTH, Fields, Form, choice
from refmc.oracle.online.answers import (
    EPOCHS,
    RUN,
    Shape,
    labels_of,
    read_average,
    read_start,
    read_submission,
)
from refmc.oracle.reading import (
    epoch_visits,
    one_of,
    read_codes,
    read_rows_or_gram,
    read_signs,
    truth,
)

BINARY, KERNEL, MULTICLASS = "perceptron.binary", "perceptron.kernel", "perceptron.multiclass"

_RUN: Fields = {**EPOCHS, **RUN, "voted": TRUTH}
_BINARY: Fields = {**_RUN, "bias": TRUTH, "at_zero": choice("update", "either")}
_LABELLED: Fields = {"family": TEXT, "y": LABELS}
PROBLEM = {
    BINARY: Form({**_LABELLED, "X": MATRIX}, _BINARY),
    KERNEL: Form(_LABELLED, {"kernel": KERNELS, **_BINARY}, [ROWS], {"kernel": "X"}),
    MULTICLASS: Form(
        {**_LABELLED, "X": MATRIX}, {**_RUN, "tau": choice("chosen_rival", "all_rivals", "any")}
    ),
}
FORMS = {
    BINARY: ([PROBLEM[BINARY]], [Shape("w", 1, bias=True).form(BINARY)]),
    KERNEL: ([PROBLEM[KERNEL]], [Shape("alpha", 1).form(KERNEL)]),
    MULTICLASS: ([PROBLEM[MULTICLASS]], [Shape("W", 1, 1).form(MULTICLASS)]),
}


def read_problem(record: Record) -> referee.PerceptronProblem:
    """The run of a record; `FormatError` names the field that is wrong.

    >>> read_problem({"family": "perceptron.binary", "X": [[1]], "y": [1], "epochs": 3}).visits[-1]
    Visit(t=3, epoch=3, row=0)
    """
    return _read_multiclass(record) if record["family"] == MULTICLASS else _read_binary(record)


def _read_binary(record: Record) -> referee.PerceptronProblem:
    is_kernel = record["family"] == KERNEL
    PROBLEM[KERNEL if is_kernel else BINARY].check(record, "problem")
    rows = read_rows_or_gram(record)
    signs, classes = read_signs(record, rows.m)
    bias, voted = truth(record, "bias", False), truth(record, "voted", False)
    shape = Shape("alpha", rows.m) if is_kernel else Shape("w", len((rows.X or [])[0]), bias=bias)
    return referee.PerceptronProblem(
        family="perceptron.kernel" if is_kernel else "perceptron.binary",
        X=rows.X,
        gram=rows.gram,
        kernel=rows.referee_kernel,
        y=signs,
        visits=epoch_visits(record, rows.m, shape.entries * (rows.m if voted else 1)),
        bias=bias,
        at_zero=one_of(record, "at_zero", ["update", "either"]),
        start=read_start(record, shape),
        average=read_average(record),
        voted=voted,
        classes=(str(classes[0]), str(classes[1])),
    )


def _read_multiclass(record: Record) -> referee.PerceptronProblem:
    PROBLEM[MULTICLASS].check(record, "problem")
    X = matrix(record["X"], "problem.X")
    codes, classes = read_codes(record, len(X))
    voted = truth(record, "voted", False)
    shape = Shape("W", len(X[0]), len(classes))
    return referee.PerceptronProblem(
        family="perceptron.multiclass",
        X=X,
        y=codes,
        k=len(classes),
        visits=epoch_visits(record, len(X), shape.entries * (len(X) if voted else 1)),
        tau=one_of(record, "tau", ["chosen_rival", "all_rivals", "any"]),
        start=read_start(record, shape),
        average=read_average(record),
        voted=voted,
        classes=tuple(map(str, classes)),
    )


def shape_of(problem: referee.PerceptronProblem) -> Shape:
    """How the states of a run are written."""
    if problem.family == KERNEL:
        return Shape("alpha", len(problem.y))
    assert problem.X is not None
    if problem.family == MULTICLASS:
        return Shape("W", len(problem.X[0]), problem.k)
    return Shape("w", len(problem.X[0]), bias=problem.bias)


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: object = None) -> Verdict:
    """The checker's verdict; `allowed` is what an entry may be off relative to its terms.

    >>> problem = {"family": "perceptron.binary", "X": [[1, 0], [2, 1]], "y": [1, 1], "epochs": 2}
    >>> judge(problem, {"w": [1, 0], "mistakes": [1, 0]}, Fraction(0)).status
    'VERIFIED'
    """
    read = read_problem(problem)
    m = len(read.y)
    given = read_submission(answer, read.family, shape_of(read), labels_of(problem, m), m)
    return referee.judge(read, given, allowed=allowed)
