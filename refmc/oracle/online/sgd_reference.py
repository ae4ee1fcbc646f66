"""Reference runs of the families `sgd.*`, and their steps.

Where a problem admits several runs, that of the default policies: the first class of the arg max,
no slope where a term of the sum form is 0, and none at a margin of exactly 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from refmc.checker.online import sgd as referee
from refmc.core.records import Record
from refmc.learn.online.runs import by_age, equally
from refmc.learn.online.sgd_binary import SGDStep, fit_svm_sgd
from refmc.learn.online.sgd_models import BinarySGD, MulticlassSGD
from refmc.learn.online.sgd_multiclass import MulticlassSGDStep, fit_multiclass_svm_sgd
from refmc.learn.online.sgd_steps import shrink_always, shrink_never, shrink_with_loss
from refmc.oracle.online.answers import labels_of, written
from refmc.oracle.online.sgd import BINARY, judge, read_problem, shape_of
from refmc.oracle.reading import orders_of
from refmc.oracle.rows import OnStep, Row, each_step, keeping, recorded
from refmc.theory.costs import row_costs
from refmc.theory.losses import hinge
from refmc.theory.subgradients import max_form, sum_form

__all__ = ["judge", "run", "solve", "trace"]


Step = SGDStep[Any] | MulticlassSGDStep[Any]

AVERAGES = {None: None, "equally": equally, "by_age": by_age}

SHRINKS = {"always": shrink_always, "with_loss": shrink_with_loss, "never": shrink_never}


def solve(problem: Record, on_step: OnStep | None) -> dict[str, object]:
    """The end of the run, the labels, and the states that prove them."""
    read = read_problem(problem)
    keep, steps = keeping(on_step)
    model = run(read, keep)
    end: dict[str, object] = {"w": model.w, "b": model.b} if isinstance(model, BinarySGD) else {}
    if isinstance(model, MulticlassSGD):
        end = {"W": model.W} if read.features is None else {"w": model.W[0]}
    if not read.bias:
        end.pop("b", None)
    classes = labels_of(problem, len(read.y))
    predicted = model.predict(_rows(read))
    return {
        "family": read.family,
        **{name: recorded(value) for name, value in end.items()},
        "labels": [classes[model.classes.index(label)] for label in predicted],
        "trace": [recorded(_state(step, read)) for step in steps],
    }


def trace(problem: Record) -> Iterator[Row]:
    """A row a step: the step size, the loss of the drawn row with its slope, and the weights."""
    read = read_problem(problem)
    for step in each_step(lambda report: run(read, report)):
        if isinstance(step, MulticlassSGDStep):
            yield _multiclass_row(step, read)
        else:
            yield _binary_row(step, read)


def run(read: referee.SGDProblem, on_step: OnStep | None) -> BinarySGD[Any] | MulticlassSGD[Any]:
    """The model that the run of a problem ends with."""

    def eta(t: int) -> Fraction:
        return read.etas[t - 1]

    start: Any = None if read.start is None else written(read.start, shape_of(read))
    common: dict[str, Any] = {
        "eta": eta,
        "shrink": SHRINKS[read.shrink],
        "start": start if read.features is None or start is None else [start],
        "average": AVERAGES[read.average],
        "on_step": on_step,
    }
    if read.family == BINARY:
        return fit_svm_sgd(
            _rows(read),
            read.y,
            C=read.c,
            epochs=read.visits[-1].epoch,
            order=orders_of(read.visits),
            bias=read.bias,
            **common,
        )
    return fit_multiclass_svm_sgd(
        _rows(read),
        read.y,
        T=len(read.visits),
        lam=read.sigma,
        draws=[visit.row for visit in read.visits],
        loss=max_form if read.form == "max" else sum_form,
        cost=None if read.costs is None else row_costs(read.costs),
        features=None if read.features is None else _lookup(read.features),
        classes=range(read.k),
        **common,
    )


def _rows(read: referee.SGDProblem) -> Any:
    """The rows; with features, each holds nothing but its own position."""
    return read.X if read.features is None else [[Fraction(i)] for i in range(len(read.y))]


def _lookup(features: Sequence[Any]) -> Callable[[Any, int], Any]:
    """Ψ of a row that holds nothing but its own position."""
    return lambda x, j: features[int(x[0])][j]


def _weights(step: Step, read: referee.SGDProblem) -> dict[str, object]:
    if isinstance(step, MulticlassSGDStep):
        return {"W": step.W} if read.features is None else {"w": step.W[0]}
    return {"w": step.w, "b": step.b} if read.bias else {"w": step.w}


def _state(step: Step, read: referee.SGDProblem) -> tuple[Any, ...]:
    """The state as the checker counts its entries."""
    if isinstance(step, MulticlassSGDStep):
        return step.W if read.features is None else step.W[0]
    return (*step.w, step.b) if read.bias else step.w


def _binary_row(step: SGDStep[Any], read: referee.SGDProblem) -> Row:
    return {
        "t": step.t,
        "epoch": step.epoch,
        "row": step.i,
        "y": read.classes[step.y > 0],
        "η": step.eta,
        "margin": step.margin,
        "loss": hinge(step.margin),
        **_weights(step, read),
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
