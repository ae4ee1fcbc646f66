"""Perceptron and SGDClassifier of scikit-learn, whose end is compared with a replay of the run.

With shuffle=True the order of rows is drawn from a generator of its own, and can't be known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import sqrt

from refmc.adapters.claims import Claim
from refmc.adapters.held import Fields, Held, Training
from refmc.errors import ParameterError

SPARSE = 0.01
"""How much of a step the intercept takes where rows are sparse."""

OF_SPARSE = "of sparse rows the intercept takes a hundredth of each step, which no family has"


def perceptron(held: Held, training: Training) -> Iterator[Claim]:
    """The claim of a Perceptron: where its run ends."""
    held.only("penalty", None, why="a penalty has no family with this loss")
    yield from _perceptron(held, training, averaged=False)


def sgd_classifier(held: Held, training: Training) -> Iterator[Claim]:
    """The claim of an SGDClassifier: where its run ends."""
    averaged = bool(held.only("average", False, True, 1))
    if held.only("loss", "hinge", "perceptron") == "perceptron":
        held.only("penalty", None, why="a penalty has no family with the loss 'perceptron'")
        held.only("learning_rate", "constant", why="no family has other steps for 'perceptron'")
        yield from _perceptron(held, training, averaged)
        return
    held.only("penalty", "l2", why="only 'l2' has a family with the loss 'hinge'")
    alpha = held.number("alpha")
    if alpha <= 0:
        held.refuse("alpha", "no family leaves the norm out")
    for part, run, answer in _members(held, training, averaged):
        etas = _etas(held, run["epochs"] * len(run["y"]))
        if any(alpha * eta > 1 for eta in etas[1:]):  # the first one shrinks weights of 0
            held.refuse(
                "alpha", "steps above 1/alpha leave no weights there, where a run turns them"
            )
        # SGDClassifier minimises alpha times the family's objective; so the steps are times alpha.
        steps = {"C": 1 / alpha, "eta": [alpha * eta for eta in etas], "at_kink": "either"}
        yield Claim(part, {"family": "sgd.binary", **run, **steps}, answer)


def _perceptron(held: Held, training: Training, averaged: bool) -> Iterator[Claim]:
    eta = held.number("eta0")
    rows = [[float(v) for v in x] for x in training.X]
    for part, run, answer in _members(held, training, averaged):
        asked = rows, run["y"] * run["epochs"], eta, run["bias"]
        states, end = _replay(*asked), [*answer["w"], *([answer["b"]] if run["bias"] else [])]
        is_same = averaged or states[-1] == end
        if not is_same and _replay(*asked, SPARSE)[-1] == end:
            held.refuse("fit_intercept", OF_SPARSE)
        problem = {"family": "perceptron.binary", **run, "eta": eta}
        yield Claim(part, problem, answer, proof={"trace": states} if is_same else None)


def _replay(
    X: Sequence[Sequence[float]], y: Sequence[int], eta: Fraction, bias: bool, share: float = 1.0
) -> list[list[float]]:
    """The states of a run in binary64, rounded where scikit-learn rounds.

    A run that is too long to be searched for all that rounding may have decided can be judged by
    them, step by step. `share`: how much of a step the intercept takes.
    """
    state, states = [0.0] * (len(X[0]) + bias), []
    for t, s in enumerate(y):
        x = [*X[t % len(X)], *[1.0] * bias]
        score = 0.0
        for v, u in zip(state, x):
            score += v * u
        if s * score <= 0:
            moves = [*x[: len(x) - bias], *[share] * bias]
            state = [v + float(eta) * s * u for v, u in zip(state, moves)]
        states.append(state)
    return states


def _members(
    held: Held, training: Training, averaged: bool
) -> Iterator[tuple[str, Fields, Fields]]:
    """For each binary run its name, the fields of a problem about it, and where it ended."""
    held.check_rows(training)
    held.only("shuffle", False, why="the order of its rows is drawn at random; fit without")
    held.only("early_stopping", False, why="its rows for validation are drawn at random")
    held.only("warm_start", False, why="where it started isn't known")
    held.only("class_weight", None, why="no family weighs the rows of a run")
    if training.weights is not None:
        raise ParameterError("sample_weight: no family weighs the rows of a run")
    coef = held.numbers("coef_", training.function_count, len(training.X[0]))
    intercept = held.numbers("intercept_", len(coef))
    classes, epochs = training.classes, held.epochs(len(training.y))
    if averaged and epochs != held.fitted("n_iter_"):
        held.refuse("average", "a further call of partial_fit starts at the mean of the intercepts")
    if len(coef) > 1 and held.parameter("tol") is not None:
        held.refuse("tol", "of several classes n_iter_ tells the longest run alone; fit with None")
    for c, (row, b) in enumerate(zip(coef, intercept)):
        label = classes[c - len(coef)]
        y = [1 if other == label else -1 for other in training.y]
        if (bias := bool(held.parameter("fit_intercept"))) and training.sparse:
            held.refuse("fit_intercept", OF_SPARSE)
        run = {"X": training.X, "y": y, "epochs": epochs, "bias": bias}
        run |= {"average": "equally"} if averaged else {}
        part = f"{label} against " + (str(classes[0]) if len(coef) == 1 else "the rest")
        yield part, run, {"w": row, "b": b} if bias else {"w": row}


def _etas(held: Held, steps: int) -> list[Fraction]:
    """The size of each step. Where it falls with t it is exact, so that states stay short."""
    schedule = held.only("learning_rate", "optimal", "constant", "invscaling")
    alpha = held.number("alpha")
    if schedule == "optimal":
        # The first step is then alpha^(−1/4), the size that weights are expected to have.
        start = sqrt(sqrt(alpha)) / alpha
        return [1 / (alpha * (Fraction(start) + t)) for t in range(steps)]
    eta = float(held.number("eta0"))
    power = float(held.number("power_t")) if schedule == "invscaling" else 0
    try:
        return [Fraction(eta / t**power) for t in range(1, steps + 1)]
    except ArithmeticError:  # a power beyond floats, or nearer to 0
        held.refuse("power_t", "its steps are beyond binary64")
