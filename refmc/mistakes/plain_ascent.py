"""Steps that programs get wrong which solve the dual of several classes row by row.

Each row in turn gets the multipliers that are best for it, as the program thinks, from 0 on and in
floats. With a wrong step it ends elsewhere, but always at the same place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import fsum
from operator import mul

from refmc.core.records import Record, number
from refmc.mistakes.fields import row_weights
from refmc.mistakes.generic_told import right_losses
from refmc.mistakes.mistake import Mistake, of_program
from refmc.mistakes.transport import kept
from refmc.mistakes.weights import costs_of, points_of

MULTICLASS = "svm.multiclass"

CHANGED: dict[str, Callable[[int, int], range]] = {
    "earlier_rivals": lambda c, k: range(c),
    "later_rivals": lambda c, k: range(c + 1, k),
}
"""Which multipliers a step changes beside that of the own class c of k classes, if not all."""

STEPS = ("own_bound", "last_class", "own_weights", "rival_weights", *CHANGED)
"""What is wrong with a step."""

SWEEPS, MOST = 200, 24
"""So many sweeps of so many multipliers at most show where a program ends."""


def of_steps(family: str) -> Iterator[Mistake]:
    """The mistakes of a step, of programs that go on until nothing changes."""
    if family == MULTICLASS:
        right = kept(right_losses)
        for id in STEPS:
            yield of_program(f"step.{id}", (family,), partial(_ended, id), right=right)


def _ended(wrong: str, problem: Record) -> Record | None:
    """The weights, multipliers, losses and values where the program ends; None where it goes on."""
    points = points_of(problem)
    sums = problem.get("loss") == "sum_form"
    if points is None or (sums and not wrong.endswith("_rivals")):
        return None
    X, y, k = [[*map(float, x)] for x in points.X], points.y, len(points.classes)
    if len(X) * k > MOST:
        return None
    C, paid = number(problem["C"], "problem.C"), zip(costs_of(problem, y, k), y)
    caps = [float(C * v) for v in row_weights(problem)]
    costs = [[float(v) * (j != c) for j, v in enumerate(row)] for row, c in paid]
    tau, W = [[0.0] * k for _ in X], [[0.0] * len(X[0]) for _ in range(k)]
    for _ in range(SWEEPS):
        before = list(tau)
        for i, (x, c, cap) in enumerate(zip(X, y, caps)):
            square = fsum(map(mul, x, x))
            if square and cap:
                losses = [fsum(map(mul, w, x)) + d for w, d in zip(W, costs[i])]
                changed = CHANGED[wrong](c, k) if wrong in CHANGED else range(k)
                if sums:
                    new = _stepped_alone(losses, tau[i], square, cap, c, changed)
                else:
                    new = list(tau[i])
                    places = [j for j in range(k) if j == c or j in changed]
                    some, old = ([row[j] for j in places] for row in (losses, new))
                    best = _stepped(some, old, square, cap, places.index(c), wrong)
                    for j, v in zip(places, best):
                        new[j] = v
                for j, (w, p, q) in enumerate(zip(W, new, tau[i])):
                    if wrong != ("rival_weights" if j == c else "own_weights"):
                        w[:] = [v + (p - q) * u for v, u in zip(w, x)]
                tau[i] = new
        if tau == before:
            break
    scores = [[fsum(map(mul, w, x)) for w in W] for x in X]
    rows = zip(scores, costs, y)
    excess = [[max(0.0, d + v - f[c]) for d, v in zip(due, f)] for f, due, c in rows]
    slack = [fsum(row) if sums else max(row) for row in excess]
    rivals = [[-t * (j != c) for j, t in enumerate(row)] for row, c in zip(tau, y)]
    lam = [[fsum(row) if j == c else v for j, v in enumerate(row)] for row, c in zip(rivals, y)]
    half = fsum(v * v for w in W for v in w) / 2
    due = fsum(v * d for row, paid in zip(rivals, costs) for v, d in zip(row, paid))
    value = half + fsum(map(mul, caps, slack))
    return {"W": W, "lam": lam, "slack": slack, "dual": due - half, "objective": value}


def _stepped(
    losses: Sequence[float], tau: Sequence[float], square: float, cap: float, c: int, wrong: str
) -> list[float]:
    """The multipliers of a row after a step, which minimise square/2 ‖τ‖² + slope·τ.

    They add up to 0, and are at most the bound for the own class and at most 0 for others.
    """
    slope = [f - square * t for f, t in zip(losses, tau)]
    ends = [v + square * cap * (j == c and wrong != "own_bound") for j, v in enumerate(slope)]
    ends.sort(reverse=True)
    level, count = ends[0] - square * cap, 1
    while count < len(ends) - (wrong == "last_class") and level < count * ends[count]:
        level += ends[count]
        count += 1
    level /= count
    return [min(cap * (j == c), (level - v) / square) for j, v in enumerate(slope)]


def _stepped_alone(
    losses: list[float], tau: Sequence[float], square: float, cap: float, c: int, rivals: range
) -> list[float]:
    """The multipliers of a row after a step of the sum form, in which each rival has its own bound.

    The losses of the row change with each.
    """
    new = list(tau)
    for j in rivals:
        if j != c:
            best = -new[j] + (losses[j] - losses[c]) / (2 * square)
            step = min(cap, max(0.0, best)) + new[j]
            for at, by in ((c, step), (j, -step)):
                new[at] += by
                losses[at] += square * by
    return new
