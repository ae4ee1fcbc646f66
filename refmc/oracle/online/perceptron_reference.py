"""Reference runs of the families `perceptron.*`, and their steps.

Where a problem admits several runs, that of the default policies: the first of tied classes is
predicted, a score of 0 is a mistake, and τ of "any" is that of "chosen_rival".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from refmc.checker.online import perceptron as referee
from refmc.core.records import Record
from refmc.core.ties import TiePolicy, first
from refmc.learn.online.perceptron import (
    KernelPerceptronStep,
    PerceptronStep,
    fit_kernel_perceptron,
    fit_perceptron,
)
from refmc.learn.online.perceptron_models import KernelPerceptron, MulticlassPerceptron, Perceptron
from refmc.learn.online.perceptron_multiclass import (
    MulticlassPerceptronStep,
    all_rivals,
    chosen_rival,
    fit_multiclass_perceptron,
)
from refmc.learn.online.runs import by_age, equally
from refmc.oracle.online.answers import labels_of, written
from refmc.oracle.online.perceptron import BINARY, KERNEL, judge, read_problem, shape_of
from refmc.oracle.reading import orders_of, read_rows_or_gram
from refmc.oracle.rows import OnStep, Row, each_step, keeping, recorded

__all__ = ["judge", "run", "solve", "trace"]


AVERAGES = {None: None, "equally": equally, "by_age": by_age}

Model = Perceptron[Any] | KernelPerceptron[Any] | MulticlassPerceptron[Any]
Step = PerceptronStep[Any] | KernelPerceptronStep[Any] | MulticlassPerceptronStep[Any]


def solve(problem: Record, on_step: OnStep | None, tie: TiePolicy = first) -> dict[str, object]:
    """The end of the run, the mistakes of each epoch, the labels, and the states as proof."""
    read = read_problem(problem)
    keep, steps = keeping(on_step)
    model = run(problem, read, keep, tie)
    mistakes = [0] * read.visits[-1].epoch
    for step in steps:
        mistakes[step.epoch - 1] += _is_mistake(step)
    end = _end(steps[-1], read) if read.average is None else _average(model, read)
    rows = read_rows_or_gram(problem)
    classes = labels_of(problem, len(read.y))
    predicted = model.predict(rows.X or rows.gram or [])
    return {
        "family": read.family,
        **{name: recorded(value) for name, value in end.items()},
        "mistakes": mistakes,
        "labels": [classes[model.classes.index(label)] for label in predicted],
        "trace": [recorded(_state(step, read)) for step in steps],
    }


def _average(model: Model, read: referee.PerceptronProblem) -> dict[str, object]:
    if isinstance(model, MulticlassPerceptron):
        return {"W": model.W}
    if isinstance(model, KernelPerceptron):
        return {"alpha": model.alpha}
    return {"w": model.w, "b": model.b} if read.bias else {"w": model.w}


def trace(problem: Record) -> Iterator[Row]:
    """A row a visit: the scores, whether they are a mistake, and what the visit leaves."""
    read = read_problem(problem)
    for step in each_step(lambda report: run(problem, read, report)):
        if isinstance(step, MulticlassPerceptronStep):
            yield _multiclass_row(step, read)
        else:
            yield _binary_row(step, read)


def run(
    problem: Record, read: referee.PerceptronProblem, on_step: OnStep | None, tie: TiePolicy = first
) -> Model:
    """The model that the run of a problem ends with."""
    course: dict[str, Any] = {
        "epochs": read.visits[-1].epoch,
        "order": orders_of(read.visits),
        "start": None if read.start is None else written(read.start, shape_of(read)),
        "average": AVERAGES[read.average],
        "voted": read.voted,
        "on_step": on_step,
    }
    if read.family == BINARY:
        assert read.X is not None
        return fit_perceptron(read.X, read.y, bias=read.bias, **course)
    if read.family == KERNEL:
        rows = read_rows_or_gram(problem)
        return fit_kernel_perceptron(
            rows.X, read.y, kernel=rows.kernel, gram=rows.gram, bias=read.bias, **course
        )
    assert read.X is not None
    tau = all_rivals if read.tau == "all_rivals" else chosen_rival
    course |= {"tau": tau, "classes": range(read.k), "tie": tie}
    return fit_multiclass_perceptron(read.X, read.y, **course)


def _is_mistake(step: Step) -> bool:
    if isinstance(step, MulticlassPerceptronStep):
        return step.tau is not None
    return step.mistake


def _state(step: Step, read: referee.PerceptronProblem) -> tuple[Any, ...]:
    """The state as the checker counts its entries."""
    if isinstance(step, MulticlassPerceptronStep):
        return step.W
    if isinstance(step, KernelPerceptronStep):
        return step.alpha
    return (*step.w, step.b) if read.bias else step.w


def _end(step: Step, read: referee.PerceptronProblem) -> dict[str, object]:
    if isinstance(step, MulticlassPerceptronStep):
        return {"W": step.W}
    if isinstance(step, KernelPerceptronStep):
        return {"alpha": step.alpha}
    return {"w": step.w, "b": step.b} if read.bias else {"w": step.w}


def _binary_row(
    step: PerceptronStep[Any] | KernelPerceptronStep[Any], read: referee.PerceptronProblem
) -> Row:
    return {
        "t": step.t,
        "epoch": step.epoch,
        "row": step.j if isinstance(step, KernelPerceptronStep) else step.i,
        "y": read.classes[step.y > 0],
        "score": step.score,
        "mistake": step.mistake,
        **({"α": step.alpha} if isinstance(step, KernelPerceptronStep) else _end(step, read)),
    }


def _multiclass_row(step: MulticlassPerceptronStep[Any], read: referee.PerceptronProblem) -> Row:
    def named(codes: tuple[int, ...]) -> list[str]:
        return [read.classes[code] for code in codes]

    def by_class(vector: Sequence[Any]) -> dict[str, Any]:
        return dict(zip(read.classes, vector, strict=True))

    return {
        "t": step.t,
        "epoch": step.epoch,
        "row": step.i,
        "y": read.classes[step.y],
        "scores": by_class(step.scores),
        "tied": named(step.tied),
        "ŷ": read.classes[step.y_hat],
        "E_y": named(step.E),
        "τ": None if step.tau is None else by_class(step.tau),
        "W": by_class(step.W),
    }
