"""How far a run of multi-class SGD is from the certified optimum, beside what theory promises.

[lecture5, "Algorithm 1"] has the steps η_t = 1/(λt), and [karagiannis, Note 30] says that bounds
can be derived. They are those of S. Shalev-Shwartz and S. Ben-David, Understanding Machine
Learning, 2014, Theorem 14.11: for rows drawn at random with equal chances, the mean of all W has
an expected gap of at most ρ²(1 + ln T)/(2λT), where ρ bounds the steps' subgradients. With L that
of the losses alone, ‖W‖ ≤ L/λ at every step, so that ρ = 2L.

Legend: f the objective, f* its optimum; T steps; n rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from refmc.core.records import Record, numbers
from refmc.draw.axes import view_of
from refmc.draw.curves import Curve, curve_keys, curve_plot
from refmc.draw.looks import legend
from refmc.draw.svg import page, row
from refmc.errors import FormatError
from refmc.learn.online.runs import RunningMean, equally
from refmc.learn.online.sgd_multiclass import MulticlassSGDStep, fit_multiclass_svm_sgd
from refmc.learn.svm.multiclass import fit_multiclass_svm
from refmc.oracle.online.sgd import MULTICLASS, read_problem
from refmc.theory.costs import row_costs
from refmc.theory.subgradients import max_form, sum_form

WIDE, HIGH = 420, 320


class Place(NamedTuple):
    """After t steps: f of the last W less f*, the same of the mean of all W, and the bound."""

    t: int
    last: float
    mean: float
    bound: float


def descent(record: Record) -> list[Place]:
    """The gaps of a run after 1, 2, 4, …, T steps, computed in float.

    f* is the certificate's dual value, which no objective is below. [karagiannis, Note 30]
    """
    read = read_problem(record) if record["family"] == MULTICLASS else None
    if read is None or "eta" in record or read.shrink != "always" or read.start:
        raise FormatError("problem: the bound is for sgd.multiclass with η = 1/(λt), from W = 0")
    n, lam = len(read.y), float(read.sigma)
    rows: Sequence[Sequence[Fraction | int]] = [[i] for i in range(n)] if read.X is None else read.X
    X = [[float(v) for v in x] for x in rows]
    options: dict[str, Any] = {
        "loss": max_form if read.form == "max" else sum_form,
        "classes": range(read.k),
    }
    if read.costs is not None:
        options["cost"] = row_costs([[float(v) for v in costs] for costs in read.costs])
    if read.features is not None:
        psi = [[[float(v) for v in vector] for vector in own] for own in read.features]
        options["features"] = lambda x, j: psi[int(x[0])][j]
    draws = [visit.row for visit in read.visits]
    weights = [float(v) for v in numbers(record.get("weights", [1] * n), "problem.weights")]
    C = 1 / (math.fsum(weights) * lam)
    optimum: Any = fit_multiclass_svm(X, read.y, C=C, weights=weights, **options)
    least = lam * float(optimum.certificate.dual)
    L = math.sqrt(max(_steepest(read, i) for i in range(n)))
    checked = {2**e for e in range(len(draws).bit_length())} | {len(draws)}
    found: list[Place] = []
    mean = RunningMean(equally, 0.0)

    def watch(step: MulticlassSGDStep[Any]) -> None:
        t = step.t
        mean.count(t, step.W)
        if t in checked:
            bound = 2 * L * L * (1 + math.log(t)) / (lam * t)
            at_mean = step.evaluate(mean.value())
            found.append(Place(t, step.objective() - least, at_mean - least, bound))

    fit_multiclass_svm_sgd(
        X, read.y, T=len(draws), lam=lam, draws=draws, weights=weights, on_step=watch, **options
    )
    return found


def _steepest(read: Any, i: int) -> float:
    """A bound on ‖∇_i‖² for a row; in the sum form, as if all other classes violated the margin."""
    n = 1 if read.form == "max" else read.k - 1
    if read.features is None:
        return float(sum((v * v for v in read.X[i]), Fraction(0)) * n * (n + 1))
    own = read.features[i][read.y[i]]
    squares = [sum((a - b) ** 2 for a, b in zip(psi, own)) for psi in read.features[i]]
    return max(map(float, squares)) * n * n


def draw_descent(record: Record) -> str:
    """The picture of a run: its gaps and the bound, on logarithmic axes both ways."""
    places = descent(record)

    def curve(name: str, values: Sequence[float]) -> Curve:
        points = [(math.log2(p.t), math.log10(v)) for p, v in zip(places, values) if v > 0]
        return Curve(name, points, points)

    curves = [
        curve("f(W) − f* of the last W", [p.last for p in places]),
        curve("f − f* of the mean of all W", [p.mean for p in places]),
        curve("bound 2L²(1 + ln T)/(λT)", [p.bound for p in places]),
    ]
    view = view_of([(Fraction(x), Fraction(y)) for c in curves for x, y in c.points])
    titles = "log₂ of the steps T", "log₁₀ of the gap"
    caption = (
        "f* is the certified optimum. The bound is that of the expected gap of the mean, "
        "where rows are drawn by chance."
    )
    plot = curve_plot(curves, view, (WIDE, HIGH), titles)
    body = row([plot, legend(curve_keys(curves))])
    return page(f"{MULTICLASS}: gap and bound", caption, body)
