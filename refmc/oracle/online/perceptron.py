"""The families `perceptron.binary`, `.kernel` and `.multiclass`: runs and what is said of them.

{"family": "perceptron.binary", "X": m rows, "y": m labels, "epochs": (1), "order": (0 to m-1),
 "bias": (false), "at_zero": "update" or "either", "eta": (1), "start": (0),
 "average": "equally" or "by_age", "voted": (false), "weights": (1),
 "classes": [negative, positive]}

The kernel family admits "kernel" and "gram" as well; the multi-class family has "tau" in the place
of "bias" and "at_zero".

Where a problem admits several runs, the reference answer is that of the default policies: the first
of tied classes is predicted, a score of 0 is a mistake, and τ of "any" is that of "chosen_rival".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from refmc.checker import Verdict
from refmc.checker.online import perceptron as referee
from refmc.core.records import Record
from refmc.core.ties import TiePolicy, first
from refmc.learn.online.perceptron import (
    KernelPerceptronStep,
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
from refmc.oracle.forms import KERNEL as KERNELS
from refmc.oracle.forms import LABELS, MATRIX, NUMBER, ROWS, TEXT, TRUTH, Fields, Form, choice
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
from refmc.oracle.online.visits import EPOCHS, epoch_visits, orders_of
from refmc.oracle.reading import (
    one_of,
    positive,
    read_codes,
    read_kernel,
    read_rows_or_gram,
    read_signs,
    truth,
)
from refmc.oracle.rows import OnStep, Row, each_step, keeping

BINARY, KERNEL, MULTICLASS = "perceptron.binary", "perceptron.kernel", "perceptron.multiclass"

AT_ZERO, TAU = choice("update", "either"), choice("chosen_rival", "all_rivals", "any")
_RUN: Fields = {**EPOCHS, **RUN, "eta": NUMBER, "voted": TRUTH}
_BINARY: Fields = {**_RUN, "bias": TRUTH, "at_zero": AT_ZERO}
_LABELLED: Fields = {"family": TEXT, "y": LABELS}
PROBLEM = {
    BINARY: Form({**_LABELLED, "X": MATRIX}, _BINARY),
    KERNEL: Form(_LABELLED, {"kernel": KERNELS, **_BINARY}, [ROWS], {"kernel": "X"}),
    MULTICLASS: Form({**_LABELLED, "X": MATRIX}, {**_RUN, "tau": TAU}),
}
FORMS = {
    BINARY: ([PROBLEM[BINARY]], [Shape("w", 1, bias=True).form(BINARY)]),
    KERNEL: ([PROBLEM[KERNEL]], [Shape("alpha", 1).form(KERNEL)]),
    MULTICLASS: ([PROBLEM[MULTICLASS]], [Shape("W", 1, 1).form(MULTICLASS)]),
}

Model = Perceptron[Any] | KernelPerceptron[Any] | MulticlassPerceptron[Any]


def read_problem(record: Record) -> referee.PerceptronProblem:
    """The run of a record; `FormatError` names the field that is wrong.

    >>> read_problem({"family": "perceptron.binary", "X": [[1]], "y": [1], "epochs": 3}).visits[-1]
    Visit(t=3, epoch=3, row=0)
    """
    family: Any = record["family"]
    PROBLEM[family].check(record, "problem")
    rows = read_rows_or_gram(record)
    y, classes = (read_codes if family == MULTICLASS else read_signs)(record, rows.m)
    run = referee.PerceptronProblem(
        family=family,
        X=rows.X,
        gram=rows.gram,
        kernel=rows.checked_kernel,
        y=y,
        k=len(classes),
        visits=(),
        bias=truth(record, "bias", False),
        at_zero=one_of(record, "at_zero", AT_ZERO),
        tau=one_of(record, "tau", TAU),
        average=read_average(record),
        voted=truth(record, "voted", False),
        eta=positive({"eta": 1, **record}, "eta"),
        classes=tuple(map(str, classes)),
    )
    shape = shape_of(run)
    kept = shape.entries * (rows.m if run.voted else 1)
    return replace(run, visits=epoch_visits(record, rows.m, kept), start=read_start(record, shape))


def solve(problem: Record, on_step: OnStep | None, tie: TiePolicy = first) -> dict[str, object]:
    """The end of the run, the mistakes of each epoch, the labels, and the states as proof."""
    read = read_problem(problem)
    keep, steps = keeping(on_step)
    model = run(problem, read, keep, tie)
    mistakes = [0] * read.visits[-1].epoch
    for step in steps:
        is_multiclass = isinstance(step, MulticlassPerceptronStep)
        mistakes[step.epoch - 1] += step.tau is not None if is_multiclass else step.mistake
    rows: Any = read.gram if read.X is None else read.X
    positions = [model.classes.index(label) for label in model.predict(rows)]
    end = steps[-1] if read.average is None else model
    return answer_of(problem, read, end, positions, steps, mistakes=mistakes)


def run(
    problem: Record, read: referee.PerceptronProblem, on_step: OnStep | None, tie: TiePolicy = first
) -> Model:
    """The model that the run of a problem ends with."""
    options: dict[str, Any] = {
        "eta": read.eta,
        "epochs": read.visits[-1].epoch,
        "order": orders_of(read.visits),
        "start": None if read.start is None else shape_of(read).written(read.start),
        "average": None if read.average is None else AVERAGES[read.average],
        "voted": read.voted,
        "on_step": on_step,
    }
    X: Any = read.X
    if read.family == KERNEL:
        kernel = read_kernel(problem.get("kernel", "linear"))
        options |= {"kernel": kernel, "gram": read.gram, "bias": read.bias}
        return fit_kernel_perceptron(X, read.y, **options)
    if read.family == BINARY:
        return fit_perceptron(X, read.y, bias=read.bias, **options)
    tau = all_rivals if read.tau == "all_rivals" else chosen_rival
    options |= {"tau": tau, "classes": range(read.k), "tie": tie}
    return fit_multiclass_perceptron(X, read.y, **options)


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: object = None) -> Verdict:
    """The checker's verdict; `allowed` is what an entry may be off relative to its terms.

    >>> problem = {"family": "perceptron.binary", "X": [[1, 0], [2, 1]], "y": [1, 1], "epochs": 2}
    >>> judge(problem, {"w": [1, 0], "mistakes": [1, 0]}, Fraction(0)).status
    'VERIFIED'
    """
    read = read_problem(problem)
    return referee.judge(read, read_submission(problem, read, answer), allowed=allowed)


def trace(problem: Record) -> Iterator[Row]:
    """One row for each visit: the scores, whether they are a mistake, and the state after it."""
    read = read_problem(problem)
    row = _multiclass_row if read.family == MULTICLASS else _binary_row
    for step in each_step(lambda report: run(problem, read, report)):
        yield row(step, read)


def _binary_row(step: Any, read: referee.PerceptronProblem) -> Row:
    of_kernel = isinstance(step, KernelPerceptronStep)
    return {
        "t": step.t,
        "epoch": step.epoch,
        "row": step.j if of_kernel else step.i,
        "y": read.classes[step.y > 0],
        "score": step.score,
        "mistake": step.mistake,
        **({"α": step.alpha} if of_kernel else shape_of(read).held(step)),
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
