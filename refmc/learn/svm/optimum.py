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

    `points`: those of the dual as they were given. Where C‖x‖² is large, floats can't tell
    multipliers near C from C: there exact pivots end the search for floats, too. But the matrix of
    rounded kernel values need not be semi-definite, and with one that isn't they could go on for
    ever. So with many such values floats end where they are, above the goal; only the hard SVM,
    which then has no answer at all, is tried. Without `guess` pivots begin at `dual.start`, and
    exact points are not searched in float first. Raises `EndlessDual`.
    """
    if isinstance(points.zero, Fraction):
        found = float_optimum(dual, points, 0.0, True, None) if guess else None
        return descend(dual, found or dual.start, 0.0, on_step)
    found = float_optimum(dual, points, goal / 2, guess, on_step)
    if found is not None and (values := dual.at(found)).is_within(goal):
        return values
    if any(dual.mass) and not dual.points.is_semidefinite():
        if found is None:
            raise DataError("X: products leave the range of floats; rescale it, or lower C")
        return values
    return descend(dual, found or dual.start, 0.0, on_step)


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
