"""The families `sgd.binary` and `sgd.multiclass`: runs of stochastic subgradient descent.

{"family": "sgd.binary", "X": m rows, "y": m labels, "C": positive, "eta": a number or one a step,
 "epochs": (1), "order": (0 to m-1), "bias": (false), "at_kink": "print" or "either", "classes": …}

{"family": "sgd.multiclass", "X" or "features", "y": m labels, "lam" or "ridge": positive, "T" or
 "draws", "eta": (1/(lam t)), "loss": "max_form" or "sum_form", "cost": (0 and 1), "shrink": "always",
 "with_loss" or "never", "classes": …}
"""

from __future__ import annotations

from fractions import Fraction

from refmc.checker import Verdict
from refmc.checker.online import sgd as referee
from refmc.checker.online.replay import State
from refmc.core.records import Record, check_fields, items, matrix, number, numbers
from refmc.core.scalars import plain
from refmc.errors import FormatError
from refmc.oracle.costs import read_cost
from refmc.oracle.reading import (
    drawn_visits,
    epoch_visits,
    matrix_of,
    one_of,
    positive,
    read_answer,
    read_codes,
    read_features,
    read_signs,
    row_of,
    truth,
)

BINARY, MULTICLASS = "sgd.binary", "sgd.multiclass"


def read_problem(record: Record) -> referee.Problem:
    """The run of a record; `FormatError` names the field that is wrong.

    >>> run = {"family": "sgd.multiclass", "X": [[1], [2]], "y": [0, 1], "lam": 2, "T": 3}
    >>> read_problem(run).etas[2]
    Fraction(1, 6)
    """
    return _read_multiclass(record) if record["family"] == MULTICLASS else _read_binary(record)


def _read_binary(record: Record) -> referee.Problem:
    check_fields(
        record,
        "problem",
        required=["family", "X", "y", "C", "eta"],
        optional=["epochs", "order", "bias", "at_kink", "classes"],
    )
    X = matrix(record["X"], "problem.X")
    signs, classes = read_signs(record, len(X))
    visits = epoch_visits(record, len(X), len(X[0]))
    return referee.Problem(
        family="sgd.binary",
        X=X,
        y=signs,
        visits=visits,
        etas=_etas(record["eta"], len(visits)),
        sigma=Fraction(1),
        c=positive(record, "C"),
        bias=truth(record, "bias", False),
        at_kink=one_of(record, "at_kink", ["print", "either"]),
        classes=(str(classes[0]), str(classes[1])),
    )


def _read_multiclass(record: Record) -> referee.Problem:
    given = "features" if "features" in record else "X"
    scale = "ridge" if "ridge" in record else "lam"
    draws = "draws" if "draws" in record else "T"
    check_fields(
        record,
        "problem",
        required=["family", given, "y", scale, draws],
        optional=["eta", "loss", "cost", "shrink", "classes"],
    )
    X = matrix(record["X"], "problem.X") if given == "X" else None
    m = len(X or items(record[given], f"problem.{given}"))
    codes, classes = read_codes(record, m)
    k = len(classes)
    features = read_features(record, k) if given == "features" else None
    lam = positive(record, scale) * (2 if scale == "ridge" else 1)
    width = len(features[0][0]) if features else k * len((X or [])[0])
    visits = drawn_visits(record, m, width)
    etas = tuple(1 / (lam * visit.t) for visit in visits)
    return referee.Problem(
        family="sgd.multiclass",
        X=X,
        features=features,
        y=codes,
        k=k,
        visits=visits,
        etas=_etas(record["eta"], len(visits)) if "eta" in record else etas,
        sigma=lam,
        c=Fraction(1),
        form="max" if one_of(record, "loss", ["max_form", "sum_form"]) == "max_form" else "sum",
        cost=read_cost(record, k),
        shrink=one_of(record, "shrink", ["always", "with_loss", "never"]),
        classes=tuple(map(str, classes)),
    )


def _etas(value: object, steps: int) -> tuple[Fraction, ...]:
    one = isinstance(value, str) or not hasattr(plain(value), "__len__")
    found = [number(value, "problem.eta")] * steps if one else numbers(value, "problem.eta")
    if len(found) != steps:
        raise FormatError(f"problem.eta: expected one number, or {steps}, got {len(found)}")
    if min(found) <= 0:
        raise FormatError("problem.eta: expected positive numbers")
    return tuple(found)


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: object = None) -> Verdict:
    """The checker's verdict; `allowed` is what an entry may be off relative to its terms.

    >>> problem = {"family": "sgd.binary", "X": [[1]], "y": [1], "C": 1, "eta": "1/2"}
    >>> judge(problem, {"w": ["1/2"]}, Fraction(0)).status
    'VERIFIED'
    """
    read = read_problem(problem)
    return referee.judge(read, _read_answer(answer, read), allowed=allowed)


def answer_fields(problem: referee.Problem) -> list[str]:
    """What an answer may hold that is judged."""
    if problem.family == MULTICLASS and problem.features is None:
        return ["trace", "W"]
    return ["trace", "w", *["b"] * problem.bias]


def _read_answer(record: Record, problem: referee.Problem) -> referee.Submission:
    read_answer(record, problem.family, answer_fields(problem))
    trace = None
    if "trace" in record:
        steps = items(record["trace"], "answer.trace")
        trace = [_state(step, f"answer.trace[{t}]", problem) for t, step in enumerate(steps)]
    end: State | None = None
    if "W" in record:
        end = _state(record["W"], "answer.W", problem)
    if problem.bias and ("w" in record) != ("b" in record):
        raise FormatError("answer: w and b belong together")
    if "w" in record:
        bias = [number(record["b"], "answer.b")] if problem.bias else []
        end = (*row_of(record, "w", _width(problem)), *bias)
    return referee.Submission(trace, end)


def _width(problem: referee.Problem) -> int:
    if problem.features is not None:
        return len(problem.features[0][0])
    assert problem.X is not None
    return len(problem.X[0])


def _state(value: object, place: str, problem: referee.Problem) -> State:
    width = _width(problem)
    if problem.family == MULTICLASS and problem.features is None:
        rows = matrix_of(value, place, problem.k, width)
        return tuple(entry for row in rows for entry in row)
    return tuple(matrix_of([value], place, 1, width + problem.bias)[0])
