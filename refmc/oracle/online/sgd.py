"""The families `sgd.binary` and `sgd.multiclass`: runs of stochastic subgradient descent.

{"family": "sgd.binary", "X": m rows, "y": m labels, "C": positive, "eta": a number or one per step,
 "epochs": (1), "order": (0 to m-1), "bias": (false), "at_kink": "print" or "either", …}

{"family": "sgd.multiclass", "X" or "features", "y": m labels, "lam" or "ridge": positive, "T" or
 "draws", "eta": (1/(lam t), and with ridge 1/(2 ridge t)), "loss": "max_form" or "sum_form",
 "cost": (0 and 1), …}

and in both "shrink": "always", "with_loss" or "never", "start": (0), "average": "equally" or
"by_age", "weights": (1), "classes".

Where a problem admits several runs, the reference answer is that of the default policies: the first
class of the arg max, no slope where a term of the sum form is 0, and none at a margin of exactly 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from refmc.checker import Verdict
from refmc.checker.online import sgd as referee
from refmc.core.records import Record, items, matrix, number, numbers
from refmc.core.scalars import plain
from refmc.errors import FormatError
from refmc.learn.online.runs import shrink_always, shrink_never, shrink_with_loss
from refmc.learn.online.sgd_binary import SGDStep, fit_svm_sgd
from refmc.learn.online.sgd_models import BinarySGD, MulticlassSGD
from refmc.learn.online.sgd_multiclass import MulticlassSGDStep, fit_multiclass_svm_sgd
from refmc.oracle.costs import COST_FIELDS, read_costs
from refmc.oracle.forms import (
    LABELS,
    LOSS_FORM,
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
from refmc.oracle.online.runs import (
    AVERAGES,
    RUN,
    Shape,
    answer_of,
    read_average,
    read_start,
    read_submission,
    shape_of,
)
from refmc.oracle.online.visits import EPOCHS, drawn_visits, epoch_visits, orders_of
from refmc.oracle.reading import one_of, positive, read_codes, read_features, read_signs, truth
from refmc.oracle.rows import OnStep, Row, each_step, keeping
from refmc.theory.costs import row_costs
from refmc.theory.losses import hinge
from refmc.theory.subgradients import max_form, sum_form

BINARY, MULTICLASS = "sgd.binary", "sgd.multiclass"

SHRINKS = {"always": shrink_always, "with_loss": shrink_with_loss, "never": shrink_never}
SHRINK, AT_KINK = choice(*SHRINKS), choice("print", "either")

_RUN: Fields = {"shrink": SHRINK, **RUN}
_ETA = either(NUMBER, NUMBERS)
PROBLEM = {
    BINARY: Form(
        {"family": TEXT, "X": MATRIX, "y": LABELS, "C": NUMBER, "eta": _ETA},
        {**EPOCHS, "bias": TRUTH, "at_kink": AT_KINK, **_RUN},
    ),
    MULTICLASS: Form(
        {"family": TEXT, "y": LABELS},
        {"eta": _ETA, "loss": LOSS_FORM, **COST_FIELDS, **_RUN},
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
    family = str(record["family"])
    PROBLEM[family].check(record, "problem")
    run = _read_binary(record) if family == BINARY else _read_multiclass(record)
    shape = shape_of(run)
    visits_of = epoch_visits if family == BINARY else drawn_visits
    visits = visits_of(record, len(run.y), shape.entries)
    etas = tuple(1 / (run.sigma * visit.t) for visit in visits)
    return replace(
        run,
        visits=visits,
        etas=_etas(record["eta"], len(visits)) if "eta" in record else etas,
        shrink=one_of(record, "shrink", SHRINK),
        start=read_start(record, shape),
        average=read_average(record),
    )


def _read_binary(record: Record) -> referee.SGDProblem:
    X = matrix(record["X"], "problem.X")
    signs, classes = read_signs(record, len(X))
    return referee.SGDProblem(
        family="sgd.binary",
        X=X,
        y=signs,
        visits=(),
        etas=(),
        sigma=Fraction(1),
        c=positive(record, "C"),
        bias=truth(record, "bias", False),
        at_kink=one_of(record, "at_kink", AT_KINK),
        classes=(str(classes[0]), str(classes[1])),
    )


def _read_multiclass(record: Record) -> referee.SGDProblem:
    given = "features" if "features" in record else "X"
    m = len(items(record[given], f"problem.{given}"))
    codes, classes = read_codes(record, m)
    k = len(classes)
    ridge = "ridge" in record  # ridge‖W‖² is (lam/2)‖W‖² of twice as large a lam
    return referee.SGDProblem(
        family="sgd.multiclass",
        X=matrix(record["X"], "problem.X") if given == "X" else None,
        features=read_features(record, k) if given == "features" else None,
        y=codes,
        k=k,
        visits=(),
        etas=(),
        sigma=2 * positive(record, "ridge") if ridge else positive(record, "lam"),
        c=Fraction(1),
        form="max" if one_of(record, "loss", LOSS_FORM) == "max_form" else "sum",
        costs=read_costs(record, codes, k),
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


def solve(problem: Record, on_step: OnStep | None) -> dict[str, object]:
    """The end of the run, the labels, and the states that prove them."""
    read = read_problem(problem)
    keep, steps = keeping(on_step)
    model = run(read, keep)
    positions = [model.classes.index(label) for label in model.predict(_rows(read))]
    return answer_of(problem, read, model, positions, steps)


def run(read: referee.SGDProblem, on_step: OnStep | None) -> BinarySGD[Any] | MulticlassSGD[Any]:
    """The model that the run of a problem ends with."""
    start: Any = None if read.start is None else shape_of(read).written(read.start)
    options: dict[str, Any] = {
        "eta": lambda t: read.etas[t - 1],
        "shrink": SHRINKS[read.shrink],
        "start": start if read.features is None or start is None else [start],
        "average": None if read.average is None else AVERAGES[read.average],
        "on_step": on_step,
    }
    if read.family == BINARY:
        options |= {"epochs": read.visits[-1].epoch, "order": orders_of(read.visits)}
        return fit_svm_sgd(_rows(read), read.y, C=read.c, bias=read.bias, **options)
    if read.features is not None:
        features = read.features
        options["features"] = lambda x, j: features[int(x[0])][j]
    return fit_multiclass_svm_sgd(
        _rows(read),
        read.y,
        T=len(read.visits),
        lam=read.sigma,
        draws=[visit.row for visit in read.visits],
        loss=max_form if read.form == "max" else sum_form,
        cost=None if read.costs is None else row_costs(read.costs),
        classes=range(read.k),
        **options,
    )


def _rows(read: referee.SGDProblem) -> Any:
    """The rows; with features, each holds nothing but its own position, by which Ψ finds them."""
    return read.X if read.features is None else [[Fraction(i)] for i in range(len(read.y))]


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: object = None) -> Verdict:
    """The checker's verdict; `allowed` is what an entry may be off relative to its terms.

    >>> problem = {"family": "sgd.binary", "X": [[1]], "y": [1], "C": 1, "eta": "1/2"}
    >>> judge(problem, {"w": ["1/2"]}, Fraction(0)).status
    'VERIFIED'
    """
    read = read_problem(problem)
    return referee.judge(read, read_submission(problem, read, answer), allowed=allowed)


def trace(problem: Record) -> Iterator[Row]:
    """One row for each step: its size, the loss of the drawn row, the slope, and the weights."""
    read = read_problem(problem)
    row = _multiclass_row if read.family == MULTICLASS else _binary_row
    for step in each_step(lambda report: run(read, report)):
        yield row(step, read)


def _binary_row(step: SGDStep[Any], read: referee.SGDProblem) -> Row:
    return {
        "t": step.t,
        "epoch": step.epoch,
        "row": step.i,
        "y": read.classes[step.y > 0],
        "η": step.eta,
        "margin": step.margin,
        "loss": hinge(step.margin),
        **shape_of(read).held(step),
    }


def _multiclass_row(step: MulticlassSGDStep[Any], read: referee.SGDProblem) -> Row:
    return {
        "t": step.t,
        "row": step.i,
        "y": read.classes[step.y],
        "η": step.eta,
        "scores": dict(zip(read.classes, step.scores, strict=True)),
        "loss": step.slope.loss,
        "tied": [read.classes[j] for j in step.slope.tied],
        "∇": {read.classes[j]: c for j, c in step.slope.coefficients},
        **({"W": dict(zip(read.classes, step.W))} if read.features is None else {"w": step.W[0]}),
    }
