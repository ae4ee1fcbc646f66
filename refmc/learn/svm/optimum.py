"""From a dual to multipliers near its optimum, or at it: the one way of all SVMs.

A search in float finds where the optimum lies. The exactly feasible point next to its end is where
exact pivots begin; for data in float it is the answer, if its duality gap, computed exactly, is at
the goal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any, TypeVar

from refmc.core.linalg import total
from refmc.core.scalars import S
from refmc.errors import DataError
from refmc.learn.svm.active_set import ActiveSet, Pivot
from refmc.learn.svm.dual import Dual, Values
from refmc.learn.svm.dual_face import DualFace, Shift
from refmc.learn.svm.points import Points
from refmc.learn.svm.sweeps import swept

OnPivot = Callable[[Pivot[Any]], None]

E = TypeVar("E")
F = TypeVar("F")


class EndlessDual(Exception):
    """The dual grows for ever along `change`, so the primal problem has no solution."""

    def __init__(self, change: dict[int, Fraction]) -> None:
        super().__init__()
        self.change = change


def optimum(
    dual: Dual[Fraction],
    points: Points[Any],
    goal: float,
    guess: bool = True,
    on_step: OnPivot | None = None,
) -> Values[Fraction]:
    """Exactly feasible multipliers, optimal for exact points and within the goal for floats.

    `points`: those of the dual as they were given. Floats end above the goal where the kernel's
    values are rounded: their matrix need not be semi-definite, and exact pivots could go on for
    ever. Only the hard SVM, which then has no answer at all, is tried with them. Where C‖x‖² is
    large, floats can't tell multipliers near C from C: there exact pivots are needed. Without
    `guess` pivots begin at `dual.start`, and exact points are not searched in float first. Raises
    `EndlessDual`.
    """
    is_float = isinstance(points.zero, float)
    start: Sequence[Fraction] = dual.start
    if is_float or guess:
        guessed = float_optimum(
            dual, points, goal / 2 if is_float else 0.0, guess, on_step if is_float else None
        )
        is_last = is_float and dual.points.rounded_kernel and any(dual.mass)
        if guessed is None and is_last:
            raise DataError("X: products leave the range of floats; rescale it, or lower C")
        if guessed is not None:
            start = guessed
            if is_float and ((values := dual.at(start)).is_within(goal) or is_last):
                return values
    return descend(dual, start, 0.0, on_step)


def float_optimum(
    dual: Dual[Fraction], points: Points[Any], goal: float, guess: bool, on_step: OnPivot | None
) -> list[Fraction] | None:
    """Feasible multipliers near the optimum by a search in float; None where floats fail.

    With a `guess` it begins where sweeps end. Nothing but speed rests on it.
    """
    try:
        if not isinstance(points.zero, float):
            points = points.rounded()
        twin = dual.rounded(points)
        start = nearest_feasible(twin, swept(twin)) if guess else twin.start
        x = descend(twin, start, goal, on_step).x
    except (ArithmeticError, DataError):
        return None
    return nearest_feasible(dual, x) if all(map(isfinite, x)) else None


def descend(dual: Dual[S], start: Sequence[S], goal: float, on_step: OnPivot | None) -> Values[S]:
    """The optimal multipliers, by pivots from feasible ones.

    Raises `EndlessDual` where the exact dual grows for ever. In float that proves nothing: the
    search ends where it is.
    """
    face = DualFace(dual, start, goal)
    search: ActiveSet[S, Shift[S]] = ActiveSet(face, on_step)
    if loose := face.loose():
        search.begin(loose)
    endless = search.run()
    if endless is not None and isinstance(dual.zero, Fraction):
        raise EndlessDual(dict(endless.direction.change))
    return face.refresh()


def in_arithmetic_of(points: Points[Any], model: E, rounded: Callable[[E], F]) -> E | F:
    """A model of exact numbers, or for points in float the rounded one."""
    if isinstance(points.zero, Fraction):
        return model
    try:
        return rounded(model)
    except OverflowError:
        raise DataError(
            "the answer is beyond the range of floats; lift the data with exact()"
        ) from None


def nearest_feasible(dual: Dual[S], x: Sequence[float]) -> list[S]:
    """Feasible multipliers next to floats, exactly so for an exact dual.

    Each is put between its bounds. What a group's equality is then off by is taken from, or given
    to, its multipliers that are farthest from their bounds.
    """
    zero = dual.zero
    near = [max(zero + type(zero)(a), zero) for a in x]
    for v, bound in enumerate(dual.upper):
        if bound is not None:
            near[v] = min(near[v], bound)
    for members in dual.groups:
        excess = total((dual.sign[v] * (near[v] - dual.start[v]) for v in members), zero)
        for v in sorted(members, key=lambda v: dual.clearance(v, near[v]), reverse=True):
            if not excess:
                break
            bound = dual.upper[v]
            step = max(-dual.sign[v] * excess, -near[v])
            if bound is not None:
                step = min(step, bound - near[v])
            near[v] += step
            excess += dual.sign[v] * step
    return near
