"""The families `sgd.binary` and `sgd.multiclass`: runs of stochastic subgradient descent.

{"family": "sgd.binary", "X": m rows, "y": m labels, "C": positive, "eta": a number or one a step,
 "epochs": (1), "order": (0 to m-1), "bias": (false), "at_kink": "print" or "either", …}

{"family": "sgd.multiclass", "X" or "features", "y": m labels, "lam" or "ridge": positive, "T" or
 "draws", "eta": (1/(lam t)), "loss": "max_form" or "sum_form", "cost": (0 and 1), …}

and in both "shrink": "always", "with_loss" or "never", "start": (0), "average": "equally" or
"by_age", "weights": (1), "classes".
"""

from __future__ import annotations

from fractions import Fraction

from refmc.checker import Verdict
from refmc.checker.online import sgd as referee
from refmc.core.records import Record, items, matrix, number, numbers
from refmc.core.scalars import plain
from refmc.errors import FormatError
from refmc.oracle.costs import COST_FIELDS, read_costs
from refmc.oracle.forms import (
    LABELS,
    MATRICES,
    MATRIX,
    NUMBER,
    NUMBERS,
    TEXT,
    TRUTH,
    WHOLE,
    WHOLES,
    Fields,
    Form,
    choice,
    either,
)
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
    drawn_visits,
    epoch_visits,
    one_of,
    positive,
    read_codes,
    read_features,
    read_signs,
    truth,
)

BINARY, MULTICLASS = "sgd.binary", "sgd.multiclass"

SHRINKS = ("always", "with_loss", "never")

_RUN: Fields = {"shrink": choice(*SHRINKS), **RUN}
_ETA = either(NUMBER, NUMBERS)
PROBLEM = {
    BINARY: Form(
        {"family": TEXT, "X": MATRIX, "y": LABELS, "C": NUMBER, "eta": _ETA},
        {**EPOCHS, "bias": TRUTH, "at_kink": choice("print", "either"), **_RUN},
    ),
    MULTICLASS: Form(
        {"family": TEXT, "y": LABELS},
        {"eta": _ETA, "loss": choice("max_form", "sum_form"), **COST_FIELDS, **_RUN},
        [
            {"features": MATRICES, "X": MATRIX},
            {"ridge": NUMBER, "lam": NUMBER},
            {"draws": WHOLES, "T": WHOLE},
        ],
    ),
}
FORMS = {
    BINARY: ([PROBLEM[BINARY]], [Shape("w", 1, bias=True).form(BINARY)]),
    MULTICLASS: (
        [PROBLEM[MULTICLASS]],
        [Shape("W", 1, 1).form(MULTICLASS), Shape("w", 1).form(MULTICLASS)],
    ),
}


def read_problem(record: Record) -> referee.SGDProblem:
    """The run of a record; `FormatError` names the field that is wrong.

    >>> run = {"family": "sgd.multiclass", "X": [[1], [2]], "y": [0, 1], "lam": 2, "T": 3}
    >>> read_problem(run).etas[2]
    Fraction(1, 6)
    """
    return _read_multiclass(record) if record["family"] == MULTICLASS else _read_binary(record)


def _read_binary(record: Record) -> referee.SGDProblem:
    PROBLEM[BINARY].check(record, "problem")
    X = matrix(record["X"], "problem.X")
    signs, classes = read_signs(record, len(X))
    bias = truth(record, "bias", False)
    shape = Shape("w", len(X[0]), bias=bias)
    visits = epoch_visits(record, len(X), shape.entries)
    return referee.SGDProblem(
        family="sgd.binary",
        X=X,
        y=signs,
        visits=visits,
        etas=_etas(record["eta"], len(visits)),
        sigma=Fraction(1),
        c=positive(record, "C"),
        bias=bias,
        at_kink=one_of(record, "at_kink", ["print", "either"]),
        shrink=one_of(record, "shrink", SHRINKS),
        start=read_start(record, shape),
        average=read_average(record),
        classes=(str(classes[0]), str(classes[1])),
    )


def _read_multiclass(record: Record) -> referee.SGDProblem:
    given = "features" if "features" in record else "X"
    scale = "ridge" if "ridge" in record else "lam"
    PROBLEM[MULTICLASS].check(record, "problem")
    m = len(items(record[given], f"problem.{given}"))
    codes, classes = read_codes(record, m)
    k = len(classes)
    X, features = None, None
    if given == "X":
        X = matrix(record["X"], "problem.X")
        shape = Shape("W", len(X[0]), k)
    else:
        features = read_features(record, k)
        shape = Shape("w", len(features[0][0]))
    lam = positive(record, scale) * (2 if scale == "ridge" else 1)
    visits = drawn_visits(record, m, shape.entries)
    etas = tuple(1 / (lam * visit.t) for visit in visits)
    return referee.SGDProblem(
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
        costs=read_costs(record, codes, k),
        shrink=one_of(record, "shrink", SHRINKS),
        start=read_start(record, shape),
        average=read_average(record),
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


def shape_of(problem: referee.SGDProblem) -> Shape:
    """How the states of a run are written."""
    if problem.features is not None:
        return Shape("w", len(problem.features[0][0]))
    assert problem.X is not None
    if problem.family == MULTICLASS:
        return Shape("W", len(problem.X[0]), problem.k)
    return Shape("w", len(problem.X[0]), bias=problem.bias)


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: object = None) -> Verdict:
    """The checker's verdict; `allowed` is what an entry may be off relative to its terms.

    >>> problem = {"family": "sgd.binary", "X": [[1]], "y": [1], "C": 1, "eta": "1/2"}
    >>> judge(problem, {"w": ["1/2"]}, Fraction(0)).status
    'VERIFIED'
    """
    read = read_problem(problem)
    m = len(read.y)
    given = read_submission(answer, read.family, shape_of(read), labels_of(problem, m), m)
    return referee.judge(read, given, allowed=allowed)
