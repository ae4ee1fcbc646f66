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
from typing import Any, Literal

from refmc.checker import Verdict
from refmc.checker.online import perceptron
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
from refmc.oracle.declaring import FAMILY, choice, positive, truth
from refmc.oracle.fields import Declared, Field
from refmc.oracle.online.runs import (
    AVERAGE,
    AVERAGES,
    WEIGHTS,
    Shape,
    answer_of,
    read_submission,
    shape_of,
    start_of,
)
from refmc.oracle.online.visits import EPOCHS, ORDER, epoch_visits, orders_of
from refmc.oracle.reading import kernel_of
from refmc.oracle.rows import OnStep, Row, each_step, keeping
from refmc.oracle.samples import CLASSES, GRAM, SIGNS, TWO_CLASSES, X, Y, codes, rows, signs
from refmc.oracle.samples import KERNEL as KERNELS

BINARY, KERNEL, MULTICLASS = "perceptron.binary", "perceptron.kernel", "perceptron.multiclass"

ETA = positive(
    "eta",
    "the step size, above 0; all states are in its units: an update adds η·y·x, η to α, or η·τ·x",
    default=Fraction(1),
    draws=["1/2", "3"],
)
VOTED = truth("voted", "whether each of the states after all visits has one vote for the labels")
BIAS = truth("bias", "whether the score has a bias b; the kernel perceptron adds 1 to K")
AT_ZERO: Field[Literal["update", "either"]] = choice(
    "at_zero", "a score of 0 is a mistake; `either`: or none", "update", "either"
)
TAU: Field[perceptron.Tau] = choice(
    "tau",
    "which rivals an update moves away from: one of the two printed rules, or `any`; E_y holds the "
    "classes that score at least as much as the own one; where some score more, the printed E_y of "
    "these alone is right, too",
    *("chosen_rival", "all_rivals", "any"),
)


def _run(family: str, state: str, classes: Field[object]) -> tuple[Field[object], ...]:
    return (EPOCHS, ORDER, start_of(family, state), AVERAGE, WEIGHTS, classes, ETA, VOTED)


PROBLEM = {
    BINARY: Declared(
        fields=(FAMILY, SIGNS, X, *_run(BINARY, "w", TWO_CLASSES), BIAS, AT_ZERO),
        is_reordered=False,
    ),
    KERNEL: Declared(
        fields=(FAMILY, GRAM, X, SIGNS, KERNELS, *_run(KERNEL, "alpha", TWO_CLASSES))
        + (BIAS, AT_ZERO),
        instead=((GRAM, X),),
        beside={"kernel": "X"},
        is_reordered=False,
    ),
    MULTICLASS: Declared(fields=(FAMILY, Y, X, *_run(MULTICLASS, "W", CLASSES), TAU)),
}
DECLARED = {
    BINARY: ([PROBLEM[BINARY]], [Shape("w", 1, bias=True).declared(BINARY)]),
    KERNEL: ([PROBLEM[KERNEL]], [Shape("alpha", 1).declared(KERNEL)]),
    MULTICLASS: ([PROBLEM[MULTICLASS]], [Shape("W", 1, 1).declared(MULTICLASS)]),
}

Model = Perceptron[Any] | KernelPerceptron[Any] | MulticlassPerceptron[Any]


def read_problem(record: Record) -> perceptron.PerceptronProblem:
    """The run of a record; `FormatError` names the field that is wrong.

    >>> read_problem({"family": "perceptron.binary", "X": [[1]], "y": [1], "epochs": 3}).visits[-1]
    Visit(t=3, epoch=3, row=0)
    """
    family: Any = record["family"]
    reading = PROBLEM[family].read(record)
    given = reading.of(rows)
    y, classes = reading.of(codes if family == MULTICLASS else signs)
    run = perceptron.PerceptronProblem(
        family=family,
        y=y,
        k=len(classes),
        visits=(),
        classes=tuple(map(str, classes)),
        **given.checked,
        **reading.settings(BIAS, AT_ZERO, TAU, AVERAGE, VOTED, ETA),
    )
    shape = shape_of(run)
    visits = epoch_visits(reading, given.m, shape.entries * (given.m if run.voted else 1))
    return replace(run, visits=visits, start=shape.read_start(record))


def solve(problem: Record, on_step: OnStep | None, tie: TiePolicy = first) -> dict[str, object]:
    """The end of the run, the mistakes of each epoch, the labels, and the states as proof."""
    read = read_problem(problem)
    keep, steps = keeping(on_step)
    model = run(read, keep, tie)
    mistakes = [0] * read.visits[-1].epoch
    for step in steps:
        is_multiclass = isinstance(step, MulticlassPerceptronStep)
        mistakes[step.epoch - 1] += step.tau is not None if is_multiclass else step.mistake
    rows: Any = read.gram if read.X is None else read.X
    positions = [model.classes.index(label) for label in model.predict(rows)]
    end = steps[-1] if read.average is None else model
    return answer_of(problem, read, end, positions, steps, mistakes=mistakes)


def run(
    read: perceptron.PerceptronProblem, on_step: OnStep | None, tie: TiePolicy = first
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
        options |= {"kernel": kernel_of(read.kernel), "gram": read.gram, "bias": read.bias}
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
    return perceptron.judge(read, read_submission(problem, read, answer), allowed=allowed)


def trace(problem: Record, tie: TiePolicy = first) -> Iterator[Row]:
    """One row for the start, and one for each visit: the scores, whether they are a mistake, and
    the state after it.
    """
    read = read_problem(problem)
    row = _multiclass_row if read.family == MULTICLASS else _binary_row
    steps = each_step(lambda report: run(read, report, tie))
    yield from shape_of(read).rows(steps, lambda step: row(step, read), read.start)


def _binary_row(step: Any, read: perceptron.PerceptronProblem) -> dict[str, Any]:
    of_kernel = isinstance(step, KernelPerceptronStep)
    return {
        "t": step.t,
        "epoch": step.epoch,
        "row": step.j if of_kernel else step.i,
        "y": read.classes[step.y > 0],
        "score": step.score,
        "mistake": step.mistake,
        "line": 4 if step.mistake else 3,
        **({"α": step.alpha} if of_kernel else shape_of(read).held(step)),
    }


def _multiclass_row(
    step: MulticlassPerceptronStep[Any], read: perceptron.PerceptronProblem
) -> dict[str, Any]:
    def by_class(vector: Sequence[Any]) -> dict[str, Any]:
        return dict(zip(read.classes, vector, strict=True))

    return {
        "t": step.t,
        "epoch": step.epoch,
        "row": step.i,
        "y": read.classes[step.y],
        "scores": by_class(step.scores),
        "tied": [read.classes[r] for r in step.tied],
        "taken": step.tied.index(step.y_hat),
        "ŷ": read.classes[step.y_hat],
        "E_y": [read.classes[r] for r in step.E],
        "line": 4 if step.tau is None else 7,
        "τ": None if step.tau is None else by_class(step.tau),
        "W": by_class(step.W),
    }
