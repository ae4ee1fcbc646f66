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

from refmc.core.scalars import S
from refmc.errors import DataError
from refmc.learn.svm.active_set import ActiveSet, Pivot
from refmc.learn.svm.dual import Dual
from refmc.learn.svm.dual_face import DualFace, Shift
from refmc.learn.svm.points import Points

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
) -> list[Fraction]:
    """Exactly feasible multipliers, optimal for exact points and within the goal for floats.

    `points`: those of the dual as they were given. Floats end above the goal where the kernel's
    values are rounded: their matrix need not be semi-definite, and exact pivots could go on for
    ever. Only the hard SVM, which then has no answer at all, is tried with them. Where C‖x‖² is
    large, floats can't tell multipliers near C from C: there exact pivots are needed. Without
    `guess` exact points are not searched in float first. Raises `EndlessDual`.
    """
    is_float = isinstance(points.zero, float)
    start = None
    if is_float or guess:
        start = float_optimum(dual, points, goal / 2, on_step if is_float else None)
    if is_float:
        if start is not None and _is_near(dual, start, goal):
            return start
        if dual.points.rounded_kernel and any(dual.mass):
            if start is None:
                raise DataError("X: products leave the range of floats; rescale it, or lower C")
            return start
    return descend(dual, dual.start if start is None else start, 0.0, on_step)


def _is_near(dual: Dual[Fraction], x: Sequence[Fraction], goal: float) -> bool:
    values = dual.at(x)
    return values.primal is not None and (
        values.primal - values.dual <= Fraction(goal) * values.primal
    )


def float_optimum(
    dual: Dual[Fraction], points: Points[Any], goal: float, on_step: OnPivot | None
) -> list[Fraction] | None:
    """Feasible multipliers near the optimum by a search in float; None where floats fail.

    Nothing but speed rests on it.
    """
    try:
        if not isinstance(points.zero, float):
            points = points.rounded()
        twin = dual.rounded(points)
        x = descend(twin, twin.start, goal, on_step)
    except (ArithmeticError, DataError):
        return None
    return nearest_feasible(dual, x) if all(map(isfinite, x)) else None


def descend(dual: Dual[S], start: Sequence[S], goal: float, on_step: OnPivot | None) -> list[S]:
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
    return face.x


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


def nearest_feasible(dual: Dual[Fraction], x: Sequence[float]) -> list[Fraction]:
    """Exactly feasible multipliers next to floats.

    Each is put between its bounds. What a group's equality is then off by is taken from, or given
    to, its multipliers that are farthest from their bounds.
    """
    exact = [max(Fraction(a), Fraction(0)) for a in x]
    for v, bound in enumerate(dual.upper):
        if bound is not None:
            exact[v] = min(exact[v], bound)
    for members in dual.groups:
        excess = sum((dual.sign[v] * (exact[v] - dual.start[v]) for v in members), Fraction(0))
        for v in sorted(members, key=lambda v: dual.clearance(v, exact[v]), reverse=True):
            if not excess:
                break
            bound = dual.upper[v]
            step = max(-dual.sign[v] * excess, -exact[v])
            if bound is not None:
                step = min(step, bound - exact[v])
            exact[v] += step
            excess += dual.sign[v] * step
    return exact
