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
from typing import Any, Literal

from refmc.checker import Verdict
from refmc.checker.online import sgd
from refmc.core.records import Record, number, numbers
from refmc.core.scalars import plain
from refmc.core.ties import TiePolicy, first
from refmc.errors import FormatError
from refmc.learn.online.runs import shrink_always, shrink_never, shrink_with_loss
from refmc.learn.online.sgd_binary import SGDStep, fit_svm_sgd
from refmc.learn.online.sgd_models import BinarySGD, MulticlassSGD
from refmc.learn.online.sgd_multiclass import MulticlassSGDStep, fit_multiclass_svm_sgd
from refmc.oracle.declaring import FAMILY, choice, claim, positive, truth
from refmc.oracle.fields import REQUIRED, Declared, Field, Reading
from refmc.oracle.forms import NUMBER, NUMBERS, either
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
from refmc.oracle.online.visits import (
    DRAWS,
    EPOCHS,
    ORDER,
    T,
    drawn_visits,
    epoch_visits,
    orders_of,
)
from refmc.oracle.rows import OnStep, Row, each_step, keeping
from refmc.oracle.samples import (
    CLASSES,
    COST,
    FEATURES,
    ROW_COSTS,
    SIGNS,
    TWO_CLASSES,
    X,
    Y,
    codes,
    costs,
    signs,
)
from refmc.theory.costs import row_costs
from refmc.theory.losses import hinge
from refmc.theory.subgradients import max_form, sum_form

BINARY, MULTICLASS = "sgd.binary", "sgd.multiclass"

SHRINKS: dict[sgd.Shrink, Any] = {
    "always": shrink_always, "with_loss": shrink_with_loss, "never": shrink_never,
}  # fmt: skip
SHRINK = choice("shrink", "at which steps w shrinks; the others are printed elsewhere", *SHRINKS)
AT_KINK: Field[Literal["print", "either"]] = choice(
    "at_kink", "no step at a margin of exactly 1; `either`: or one", "print", "either"
)
BIAS = truth("bias", "whether the score has a bias b")
C = positive("C", "a positive number", power=-2, draws=["1", "1/2", "2"])
LOSS = choice("loss", "of which of the two hinge losses", "max_form", "sum_form")


def _eta(value: object, place: str, reading: Reading) -> Fraction | list[Fraction]:
    """The step size, or one for each step."""
    one = isinstance(value, str) or not hasattr(plain(value), "__len__")
    found = [number(value, place)] if one else numbers(value, place)
    if min(found) <= 0:
        raise FormatError(f"{place}: expected positive numbers")
    return found[0] if one else found


_ETA = claim(
    "eta", "the step size, or one for each step", either(NUMBER, NUMBERS), _eta,
    draws=["1/4", "1/2"],
)  # fmt: skip
LAM = positive("lam", "λ of (λ/2)‖W‖², above 0", default=None, power=2, draws=["1", "1/2"])
RIDGE = positive("ridge", "instead of `lam`: λ of λ‖W‖²", default=None, power=2, draws=["1", "1/4"])
PROBLEM = {
    BINARY: Declared(
        fields=(
            FAMILY, X, SIGNS, C, _ETA._replace(default=REQUIRED), EPOCHS, ORDER, BIAS, AT_KINK,
            SHRINK, start_of(BINARY, "w"), AVERAGE, WEIGHTS, TWO_CLASSES,
        ),
        is_reordered=False,
    ),
    MULTICLASS: Declared(
        fields=(
            FAMILY, FEATURES, X, Y, RIDGE, LAM, DRAWS, T, _ETA._replace(
                power=-2, says=f"{_ETA.says}; 1/(λt) if absent, with `ridge` 1/(2λt)"
            ), LOSS,
            COST, ROW_COSTS, SHRINK, start_of(MULTICLASS, "W"), AVERAGE, WEIGHTS, CLASSES,
        ),
        instead=((FEATURES, X), (RIDGE, LAM), (DRAWS, T)), apart=((COST, ROW_COSTS),),
    ),
}  # fmt: skip
DECLARED = {
    BINARY: ([PROBLEM[BINARY]], [Shape("w", 1, bias=True).declared(BINARY)]),
    MULTICLASS: (
        [PROBLEM[MULTICLASS]],
        [Shape("W", 1, 1).declared(MULTICLASS), Shape("w", 1).declared(MULTICLASS)],
    ),
}


def read_problem(record: Record) -> sgd.SGDProblem:
    """The run of a record; `FormatError` names the field that is wrong.

    >>> run = {"family": "sgd.multiclass", "X": [[1], [2]], "y": [0, 1], "lam": 2, "T": 3}
    >>> read_problem(run).etas[2]
    Fraction(1, 6)
    """
    family: Any = record["family"]
    reading = PROBLEM[family].read(record)
    y, classes = reading.of(signs if family == BINARY else codes)
    own: dict[str, Any]
    if family == BINARY:
        own = {"sigma": Fraction(1), "c": reading[C], **reading.settings(X, BIAS, AT_KINK)}
    else:  # ridge‖W‖² is (lam/2)‖W‖² of twice as large a lam
        own = {
            "sigma": reading[LAM] or 2 * reading[RIDGE],
            "c": Fraction(1),
            "form": "max" if reading[LOSS] == "max_form" else "sum",
            "costs": reading.of(costs),
            "X": None if FEATURES in reading else reading[X],
            **reading.settings(FEATURES),
        }
    run = sgd.SGDProblem(
        family=family,
        y=y,
        k=len(classes),
        visits=(),
        etas=(),
        classes=tuple(map(str, classes)),
        **own,
        **reading.settings(SHRINK, AVERAGE),
    )
    shape = shape_of(run)
    visits_of = epoch_visits if family == BINARY else drawn_visits
    visits = visits_of(reading, len(run.y), shape.entries)
    eta = reading[_ETA] or [1 / (run.sigma * visit.t) for visit in visits]
    etas = eta if isinstance(eta, list) else [eta] * len(visits)
    if len(etas) != len(visits):
        raise FormatError(f"problem.eta: expected one number, or {len(visits)}, got {len(etas)}")
    return replace(run, visits=visits, etas=tuple(etas), start=shape.read_start(record))


def solve(problem: Record, on_step: OnStep | None, tie: TiePolicy = first) -> dict[str, object]:
    """The end of the run, the labels, and the states that prove them."""
    read = read_problem(problem)
    keep, steps = keeping(on_step)
    model = run(read, keep, tie)
    positions = [model.classes.index(label) for label in model.predict(_rows(read))]
    return answer_of(problem, read, model, positions, steps)


def run(
    read: sgd.SGDProblem, on_step: OnStep | None, tie: TiePolicy = first
) -> BinarySGD[Any] | MulticlassSGD[Any]:
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
        tie=tie,
        **options,
    )


def _rows(read: sgd.SGDProblem) -> Any:
    """The rows; with features, each holds nothing but its own position, by which Ψ finds them."""
    return read.X if read.features is None else [[Fraction(i)] for i in range(len(read.y))]


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: object = None) -> Verdict:
    """The checker's verdict; `allowed` is what an entry may be off relative to its terms.

    >>> problem = {"family": "sgd.binary", "X": [[1]], "y": [1], "C": 1, "eta": "1/2"}
    >>> judge(problem, {"w": ["1/2"]}, Fraction(0)).status
    'VERIFIED'
    """
    read = read_problem(problem)
    return sgd.judge(read, read_submission(problem, read, answer), allowed=allowed)


def trace(problem: Record, tie: TiePolicy = first) -> Iterator[Row]:
    """One row for the start, and one for each step: its size, the loss of the drawn row, the slope,
    and the weights.
    """
    read = read_problem(problem)
    row = _multiclass_row if read.family == MULTICLASS else _binary_row
    steps = each_step(lambda report: run(read, report, tie))
    yield from shape_of(read).rows(steps, lambda step: row(step, read), read.start)


def _binary_row(step: SGDStep[Any], read: sgd.SGDProblem) -> dict[str, Any]:
    return {
        "t": step.t,
        "epoch": step.epoch,
        "row": step.i,
        "y": read.classes[step.y > 0],
        "η": step.eta,
        "margin": step.margin,
        "loss": hinge(step.margin),
        "line": 4,
        **shape_of(read).held(step),
    }


def _multiclass_row(step: MulticlassSGDStep[Any], read: sgd.SGDProblem) -> dict[str, Any]:
    coefficients = dict(step.slope.coefficients)
    j_star = next((j for j, c in coefficients.items() if c > 0), step.y)
    return {
        "t": step.t,
        "row": step.i,
        "y": read.classes[step.y],
        "η": step.eta,
        "scores": dict(zip(read.classes, step.scores, strict=True)),
        "loss": step.slope.loss,
        "tied": [read.classes[j] for j in step.slope.tied],
        "taken": step.slope.tied.index(j_star) if read.form == "max" else None,
        "line": 7 if coefficients else 9,
        "∇": {read.classes[j]: c for j, c in coefficients.items()},
        **({"W": dict(zip(read.classes, step.W))} if read.features is None else {"w": step.W[0]}),
    }
