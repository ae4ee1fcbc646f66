"""Reference values of the families `loss.*`, row by row.

Where several subgradients are right, the first of the tied ones; a 0-1 loss of tied scores is that
of the first. Exponential and logistic losses are decimals of `DIGITS` significant digits, without
subgradients.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from refmc.checker.values import losses as referee
from refmc.core.records import Record
from refmc.core.ties import argmax_set
from refmc.errors import ExactnessLimitError
from refmc.oracle.decimals import near, writable
from refmc.oracle.reading import read_classes
from refmc.oracle.rows import Row, recorded
from refmc.oracle.values.losses import judge, read_problem
from refmc.theory import losses, subgradients
from refmc.theory.costs import row_costs

__all__ = ["judge", "solve", "trace"]

PIECES: dict[str, Any] = {
    "hinge": (losses.hinge, subgradients.hinge_subgradient),
    "perceptron": (losses.perceptron_loss, subgradients.perceptron_loss_subgradient),
}
IRRATIONAL: dict[str, Any] = {"exponential": losses.exponential, "logistic": losses.logistic}


def solve(problem: Record, on_step: object = None) -> dict[str, object]:
    """The values, their mean and, where they are rational, subgradients.

    >>> solve({"family": "loss.hinge", "z": ["1/2", 3]})
    {'family': 'loss.hinge', 'values': ['1/2', '0'], 'mean': '1/4', 'subgradients': ['-1', '0']}
    """
    rows: list[Any] = list(_rows(read_problem(problem)))
    values = [row["loss"] for row in rows]
    answer: dict[str, object] = {
        "family": problem["family"],
        "values": recorded(values),
        "mean": recorded(sum(values, Fraction(0)) / len(values)),
    }
    if "subgradient" in rows[0]:
        answer["subgradients"] = [recorded(row["subgradient"]) for row in rows]
    return answer


def trace(problem: Record) -> Iterator[Row]:
    """A row a row: what the loss is of, its value, what was tied, and a subgradient.

    Where the problem has `classes`, scores, positions and slopes stand by their names.
    """
    read = read_problem(problem)
    if not isinstance(read, referee.ScoreProblem) or "classes" not in problem:
        yield from _rows(read)
        return
    names = read_classes(problem, len(read.scores[0]))
    for row in _rows(read):
        row |= {"scores": dict(zip(names, row["scores"])), "y": names[row["y"]]}
        row["tied"] = [names[position] for position in row["tied"]]
        if read.X is None and read.features is None and "subgradient" in row:
            row["subgradient"] = dict(zip(names, row["subgradient"]))
        yield row


def _rows(read: referee.Problem) -> Iterator[dict[str, Any]]:
    if isinstance(read, referee.MarginProblem):
        for i, z in enumerate(read.z):
            yield {"row": i, "z": z, **_of_margin(read, i, Fraction(z))}
    elif isinstance(read, referee.LabelProblem):
        for i, (predicted, code) in enumerate(zip(read.predicted, read.y)):
            share = losses.hamming(predicted, code)
            loss = share if read.loss == "hamming" else Fraction(share > 0)
            yield {"row": i, "predicted": predicted, "y": code, "loss": loss}
    else:
        for i, (scores, y) in enumerate(zip(read.scores, read.y)):
            yield {"row": i, "scores": scores, "y": y, **_of_scores(read, i)}


def _of_margin(problem: referee.MarginProblem, i: int, z: Fraction) -> Row:
    if problem.loss == "margin":
        return {"loss": losses.margin_loss(z, problem.rho)}
    if problem.loss in PIECES:
        value, slopes = PIECES[problem.loss]
        return {"loss": value(z), "tied": slopes(z), "subgradient": slopes(z)[0]}
    if not writable(z):
        raise ExactnessLimitError(f"row {i}: the {problem.loss} loss has too many digits to write")
    return {"loss": near([z], IRRATIONAL[problem.loss])}


def _of_scores(problem: referee.ScoreProblem, i: int) -> Row:
    scores, y = [Fraction(s) for s in problem.scores[i]], problem.y[i]
    if problem.loss == "zero_one":
        tied = argmax_set(scores)
        return {"tied": tied, "loss": Fraction(losses.zero_one(tied[0], y))}
    cost = None if problem.costs is None else row_costs([problem.costs[i]])
    in_max_form = problem.loss == "multiclass_hinge"
    of_form: Any = subgradients.multiclass_hinge_sum_subgradient
    if in_max_form:
        of_form = subgradients.multiclass_hinge_subgradient
    found = of_form(scores, y, cost)
    if in_max_form:
        (tied,) = found.maximisers
    else:
        tied = tuple(j for pair in found.maximisers for j in pair if len(pair) == 2 and j != y)
    several = found.by_scores()
    if problem.features is not None:
        Psi = problem.features[i]
        several = found.by_features(lambda row, j: Psi[j], i)
    elif problem.X is not None:
        several = found.by_weights(problem.X[i])
    return {"loss": found.loss, "tied": tied, "subgradient": next(several)}
