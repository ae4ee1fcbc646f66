"""The families `perceptron.binary`, `.kernel` and `.multiclass`: runs and what is said of them.

{"family": "perceptron.binary", "X": m rows, "y": m labels, "epochs": (1), "order": (0 to m-1),
 "bias": (false), "at_zero": "update" or "either", "classes": [negative, positive]}

The kernel family admits "kernel" and "gram" as well; the multi-class family has "tau" in the place
of "bias" and "at_zero".
"""

from __future__ import annotations

from fractions import Fraction

from refmc.checker import Verdict
from refmc.checker.online import perceptron as referee
from refmc.checker.online.replay import State
from refmc.core.records import Record, check_fields, items, matrix, number
from refmc.errors import FormatError
from refmc.oracle.reading import (
    epoch_visits,
    matrix_of,
    one_of,
    read_answer,
    read_codes,
    read_rows_or_gram,
    read_signs,
    row_fields,
    row_of,
    truth,
    whole_numbers,
)

BINARY, KERNEL, MULTICLASS = "perceptron.binary", "perceptron.kernel", "perceptron.multiclass"

RUN = ("epochs", "order", "classes")


def read_problem(record: Record) -> referee.Problem:
    """The run of a record; `FormatError` names the field that is wrong.

    >>> read_problem({"family": "perceptron.binary", "X": [[1]], "y": [1], "epochs": 3}).visits[-1]
    Visit(t=3, epoch=3, row=0)
    """
    if record["family"] == MULTICLASS:
        return _read_multiclass(record)
    required, optional = row_fields(record)
    if record["family"] == BINARY:
        required, optional = ["X"], []
    check_fields(
        record,
        "problem",
        required=["family", *required, "y"],
        optional=[*optional, *RUN, "bias", "at_zero"],
    )
    rows = read_rows_or_gram(record)
    signs, classes = read_signs(record, rows.m)
    width = len(rows.X[0]) if record["family"] == BINARY and rows.X else rows.m
    return referee.Problem(
        family="perceptron.binary" if record["family"] == BINARY else "perceptron.kernel",
        X=rows.X,
        gram=rows.gram,
        kernel=rows.referee_kernel,
        y=signs,
        visits=epoch_visits(record, rows.m, width),
        bias=truth(record, "bias", False),
        at_zero=one_of(record, "at_zero", ["update", "either"]),
        classes=(str(classes[0]), str(classes[1])),
    )


def _read_multiclass(record: Record) -> referee.Problem:
    check_fields(record, "problem", required=["family", "X", "y"], optional=[*RUN, "tau"])
    X = matrix(record["X"], "problem.X")
    codes, classes = read_codes(record, len(X))
    return referee.Problem(
        family="perceptron.multiclass",
        X=X,
        y=codes,
        k=len(classes),
        visits=epoch_visits(record, len(X), len(classes) * len(X[0])),
        tau=one_of(record, "tau", ["chosen_rival", "all_rivals", "any"]),
        classes=tuple(map(str, classes)),
    )


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: object = None) -> Verdict:
    """The checker's verdict; `allowed` is what an entry may be off relative to its terms.

    >>> problem = {"family": "perceptron.binary", "X": [[1, 0], [2, 1]], "y": [1, 1], "epochs": 2}
    >>> judge(problem, {"w": [1, 0], "mistakes": [1, 0]}, Fraction(0)).status
    'VERIFIED'
    """
    read = read_problem(problem)
    return referee.judge(read, _read_answer(answer, read), allowed=allowed)


def answer_fields(problem: referee.Problem) -> list[str]:
    """What an answer may hold that is judged."""
    if problem.family == MULTICLASS:
        return ["trace", "W", "mistakes"]
    if problem.family == KERNEL:
        return ["trace", "alpha", "mistakes"]
    return ["trace", "w", *["b"] * problem.bias, "mistakes"]


def _read_answer(record: Record, problem: referee.Problem) -> referee.Submission:
    read_answer(record, problem.family, answer_fields(problem))
    width = len(problem.X[0]) if problem.X and problem.family == BINARY else len(problem.y)
    trace = None
    if "trace" in record:
        steps = items(record["trace"], "answer.trace")
        trace = [_state(step, f"answer.trace[{t}]", problem, width) for t, step in enumerate(steps)]
    mistakes = None
    if "mistakes" in record:
        mistakes = tuple(whole_numbers(record["mistakes"], "answer.mistakes"))
    return referee.Submission(trace, _end(record, problem, width), mistakes)


def _state(value: object, place: str, problem: referee.Problem, width: int) -> State:
    """The numbers of one state: rows one after the other, or weights with the bias after them."""
    if problem.family == MULTICLASS:
        assert problem.X is not None
        rows = matrix_of(value, place, problem.k, len(problem.X[0]))
        return tuple(entry for row in rows for entry in row)
    long = width + (problem.bias and problem.family == BINARY)
    return tuple(matrix_of([value], place, 1, long)[0])


def _end(record: Record, problem: referee.Problem, width: int) -> State | None:
    if problem.family == MULTICLASS:
        return _state(record["W"], "answer.W", problem, 0) if "W" in record else None
    if problem.family == KERNEL:
        return tuple(row_of(record, "alpha", width)) if "alpha" in record else None
    if problem.bias and ("w" in record) != ("b" in record):
        raise FormatError("answer: w and b belong together")
    if "w" not in record:
        return None
    bias = [number(record["b"], "answer.b")] if problem.bias else []
    return (*row_of(record, "w", width), *bias)
