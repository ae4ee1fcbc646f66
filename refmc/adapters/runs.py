"""Perceptron and SGDClassifier of scikit-learn, whose end is compared with a replay of the run.

With shuffle=True the order of rows is drawn from a generator of its own, and can't be known.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import sqrt
from typing import Any

from refmc.adapters.claims import Claim
from refmc.adapters.held import Held, Training
from refmc.errors import ParameterError


def perceptron(held: Held, training: Training) -> Iterator[Claim]:
    """The claim of a Perceptron: where its run ends, in units of the step size."""
    held.only("penalty", None, why="a penalty has no family with this loss")
    yield from _perceptron(held, training)


def sgd_classifier(held: Held, training: Training) -> Iterator[Claim]:
    """The claim of an SGDClassifier: where its run ends."""
    if held.only("loss", "hinge", "perceptron") == "perceptron":
        held.only("penalty", None, why="a penalty has no family with the loss 'perceptron'")
        held.only("learning_rate", "constant", why="no family has other steps for 'perceptron'")
        held.only("average", False)
        yield from _perceptron(held, training)
        return
    held.only("penalty", "l2", why="only 'l2' has a family with the loss 'hinge'")
    averaged = held.only("average", False, True, 1)
    alpha = held.number("alpha")
    for part, y, row, b, epochs in _members(held, training):
        etas = _etas(held, epochs * len(y))
        problem: dict[str, Any] = {"family": "sgd.binary", "X": training.X, "y": y}
        # SGDClassifier minimises alpha times the family's objective; so the steps are times alpha.
        problem |= {"C": 1 / alpha, "eta": [alpha * eta for eta in etas]}
        problem |= {"epochs": epochs, "at_kink": "either", "bias": b is not None}
        problem |= {"average": "equally"} if averaged else {}
        yield Claim(part, problem, {"w": row} | ({} if b is None else {"b": b}))


def _perceptron(held: Held, training: Training) -> Iterator[Claim]:
    eta = held.number("eta0")
    for part, y, row, b, epochs in _members(held, training):
        problem: dict[str, Any] = {"family": "perceptron.binary", "X": training.X, "y": y}
        problem |= {"epochs": epochs, "bias": b is not None}
        answer: dict[str, Any] = {"w": [Fraction(v) / eta for v in row]}
        yield Claim(part, problem, answer | ({} if b is None else {"b": Fraction(b) / eta}))


def _members(
    held: Held, training: Training
) -> Iterator[tuple[str, list[int], list[float], float | None, int]]:
    """For each binary run its name, signs, weights, bias if it has one, and epochs."""
    held.check_rows(training)
    held.only("shuffle", False, why="the order of its rows is drawn at random; fit without")
    held.only("early_stopping", False, why="its rows for validation are drawn at random")
    held.only("warm_start", False, why="where it started isn't known")
    held.only("class_weight", None, why="no family weighs the rows of a run")
    if training.weights is not None:
        raise ParameterError("sample_weight: no family weighs the rows of a run")
    coef, intercept = held.fitted("coef_"), held.fitted("intercept_")
    classes, epochs = training.classes, held.fitted("n_iter_")
    if len(coef) > 1 and held.parameter("tol") is not None:
        held.refuse("tol", "of several classes n_iter_ tells the longest run alone; fit with None")
    for c, (row, b) in enumerate(zip(coef, intercept, strict=True)):
        label = classes[c - len(coef)]
        y = [1 if other == label else -1 for other in training.y]
        rest = f"{label} against " + (str(classes[0]) if len(coef) == 1 else "the rest")
        yield rest, y, row, b if held.parameter("fit_intercept") else None, epochs


def _etas(held: Held, steps: int) -> list[Fraction]:
    """The size of each step. Where it falls with t it is exact, so that states stay short."""
    schedule = held.only("learning_rate", "optimal", "constant", "invscaling")
    alpha = held.number("alpha")
    if schedule == "optimal":
        # The first step is then alpha^(−1/4), the size that weights are expected to have.
        start = sqrt(sqrt(alpha)) / alpha
        return [1 / (alpha * (Fraction(start) + t)) for t in range(steps)]
    eta = held.parameter("eta0")
    power = held.parameter("power_t") if schedule == "invscaling" else 0
    return [Fraction(eta / t**power) for t in range(1, steps + 1)]
