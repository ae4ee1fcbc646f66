"""Reference runs of the families `perceptron.*`, and their steps.

Where a problem admits several runs, that of the default policies: the first of tied classes is
predicted, a score of 0 is a mistake, and τ of "any" is that of "chosen_rival".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from refmc.checker.online import perceptron as referee
from refmc.core.records import Record
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
from refmc.oracle.online.perceptron import BINARY, KERNEL, judge, read_problem
from refmc.oracle.reading import orders_of, read_rows_or_gram
from refmc.oracle.rows import OnStep, Row, each_step, keeping, recorded

__all__ = ["judge", "run", "solve", "trace"]


Model = Perceptron[Any] | KernelPerceptron[Any] | MulticlassPerceptron[Any]
Step = PerceptronStep[Any] | KernelPerceptronStep[Any] | MulticlassPerceptronStep[Any]


def solve(problem: Record, on_step: OnStep | None) -> dict[str, object]:
    """The end of the run, the mistakes of each epoch, and the states that prove them."""
    read = read_problem(problem)
    keep, steps = keeping(on_step)
    run(problem, read, keep)
    mistakes = [0] * read.visits[-1].epoch
    for step in steps:
        mistakes[step.epoch - 1] += _is_mistake(step)
    end = {name: recorded(value) for name, value in _end(steps[-1], read).items()}
    states = [recorded(_state(step, read)) for step in steps]
    return {"family": read.family, **end, "mistakes": mistakes, "trace": states}


def trace(problem: Record) -> Iterator[Row]:
    """A row a visit: the scores, whether they are a mistake, and what the visit leaves."""
    read = read_problem(problem)
    for step in each_step(lambda report: run(problem, read, report)):
        if isinstance(step, MulticlassPerceptronStep):
            yield _multiclass_row(step, read)
        else:
            yield _binary_row(step, read)


def run(problem: Record, read: referee.Problem, on_step: OnStep | None) -> Model:
    """The model that the run of a problem ends with."""
    course: dict[str, Any] = {
        "epochs": read.visits[-1].epoch,
        "order": orders_of(read.visits),
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
    return fit_multiclass_perceptron(read.X, read.y, tau=tau, classes=range(read.k), **course)


def _is_mistake(step: Step) -> bool:
    if isinstance(step, MulticlassPerceptronStep):
        return step.tau is not None
    return step.mistake


def _state(step: Step, read: referee.Problem) -> tuple[Any, ...]:
    """The state as the checker counts its entries."""
    if isinstance(step, MulticlassPerceptronStep):
        return step.W
    if isinstance(step, KernelPerceptronStep):
        return step.alpha
    return (*step.w, step.b) if read.bias else step.w


def _end(step: Step, read: referee.Problem) -> dict[str, object]:
    if isinstance(step, MulticlassPerceptronStep):
        return {"W": step.W}
    if isinstance(step, KernelPerceptronStep):
        return {"alpha": step.alpha}
    return {"w": step.w, "b": step.b} if read.bias else {"w": step.w}


def _binary_row(
    step: PerceptronStep[Any] | KernelPerceptronStep[Any], read: referee.Problem
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


def _multiclass_row(step: MulticlassPerceptronStep[Any], read: referee.Problem) -> Row:
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
