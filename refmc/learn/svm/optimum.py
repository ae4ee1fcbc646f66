"""The search for the optimal multipliers of a dual, which all SVMs share.

1. In float nearly all multipliers are brought to the bound where the optimum has them: by Newton
   steps in the weights where these are few (`primal_newton`), else by pairs of multipliers where a
   free bias ties all of them together (`pairs`), else by sweeps of coordinate descent. A sweep
   visits the blocks of multipliers in turn: the multipliers of a row that share C ω_i, or one
   multiplier by itself. At each it takes the best single step, which costs the row's scores. A
   pivot costs far more, so pivots only correct what is left wrong.
   With many classes thousands of multipliers are free at the optimum. Then each round of sweeps is
   followed by a Newton step in the free ones, and often no pivot is needed.
2. Pivots in float go on to the optimum, up to roundings.
3. The result is moved to exactly feasible multipliers next to it. For data in float these are the
   answer if their duality gap, computed exactly, is within the goal. Otherwise, and always for
   exact data, exact pivots go on from there.

Steps 1 and 2 only save time: wherever they end, step 3 decides the answer.

Squared hinges of rows with fewer columns than there are rows need no pivots: of the rows that have
a loss in float one exact system in d + 1 unknowns gives the answer. Where floats can't tell which
rows these are, steps 2 and 3 follow.

Legend: x multipliers, w = Σ_v x_v D_v, g_v = gain_v − D_v·w − ridge_v x_v the slope of the dual.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from math import inf, isfinite
from random import Random
from typing import Any

from refmc.core.linalg import total
from refmc.core.scalars import S
from refmc.errors import DataError
from refmc.learn.svm.active_set import ActiveSet, Edge, Pivot
from refmc.learn.svm.dual import Dual, Values
from refmc.learn.svm.dual_face import DualFace, Shift
from refmc.learn.svm.newton import FreeMultipliers
from refmc.learn.svm.pairs import by_pairs
from refmc.learn.svm.points import Points
from refmc.learn.svm.primal_newton import exact_optimum, has_few_weights, near_optimum

OnPivot = Callable[[Pivot[Any]], None]

SWEEPS = 30
"""The most sweeps over all multipliers; a sweep over a part of them counts as that part of one."""

SETTLED = 2.0**-12
"""The violation, in units of the largest gain, at which sweeps end."""

FEW = 3
"""Up to so many exact multipliers are left to exact pivots after one stage of Newton steps: the
rest of the search in float takes longer than it saves."""

ROUND = 12
"""The most sweeps of a round."""

PRODUCTS = 10_000
"""Newton steps replace pivots where the inverse that pivots keep would cost more than this many
products with the Hessian."""

MOST_WORK = 300
"""The limit in place of `SWEEPS` where Newton steps follow the sweeps. A product with the Hessian
counts as a sweep over the free multipliers."""

NEAR = 2.0**-40
"""Newton steps end at this relative gap even if the goal is smaller: for exact data it is 0, which
floats can't attain."""

LARGEST_REST, LEAST_REST = 0.3, 2.0**-12
"""The largest share of the slope that a Newton direction may leave, and the least that is asked:
roundings may prevent less, and the next direction goes on from there."""


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

    `points`: the dual's points in the caller's arithmetic. Where C‖x‖² is large, floats can't tell
    a multiplier near C from one at C; then exact pivots end the search for data in float, too. But
    rounded kernel values may form a matrix that isn't positive semi-definite, for which exact
    pivots could go on for ever. Unless the matrix is known to be semi-definite, the result of the
    float search is therefore returned although its gap is above the goal. The hard SVM is tried
    nevertheless, since it would have no answer at all. Without `guess` the pivots begin at
    `dual.start`, and exact points are not searched in float first. `on_step` gets the start of
    exact pivots as one of iteration 0. Raises `EndlessDual`.
    """
    if guess and any(dual.ridge) and has_few_weights(dual):
        solution = squared_hinges(dual, points, goal)
        if solution is not None:
            if on_step is not None:  # the search ends where it starts
                watched(DualFace(dual, solution.x, goal), on_step)
            return solution
    if isinstance(points.zero, Fraction):
        # No gap is small enough to stop at: each pivot in float saves a far longer exact one.
        found = float_optimum(dual, points, 0.0, True, None) if guess else None
        return descend(dual, found or dual.start, 0.0, on_step)
    # Half of the goal: making the multipliers exactly feasible costs some of it again.
    found = float_optimum(dual, points, goal / 2, guess, on_step)
    if found is not None and (values := dual.at(found)).is_within(goal):
        return values
    if any(dual.mass) and not dual.points.is_semidefinite():
        if found is None:
            raise DataError("X: products leave the range of floats; rescale it, or lower C")
        return values
    return descend(dual, found or dual.start, 0.0, on_step)


def squared_hinges(
    dual: Dual[Fraction], points: Points[Any], goal: float
) -> Values[Fraction] | None:
    """What Newton steps in the weights find; None where floats fail, or don't find all of A."""
    try:
        near = near_optimum(dual.rounded(points), roughly=False)
        if isinstance(points.zero, float):
            values = dual.at(nearest_feasible(dual, near))
            return values if values.is_within(goal) else None
    except (ArithmeticError, DataError):
        return None
    found = exact_optimum(dual, near)
    return dual.at(found) if found else None


def float_optimum(
    dual: Dual[Fraction], points: Points[Any], goal: float, guess: bool, on_step: OnPivot | None
) -> list[Fraction] | None:
    """Feasible multipliers near the optimum by a search in float; None where floats fail.

    With `guess` the search begins where the sweeps end, which changes nothing but its speed.
    """
    try:
        x: Sequence[float]
        twin = dual.rounded(points)
        is_small = guess and len(dual.gain) <= FEW and isinstance(points.zero, Fraction)
        x, is_within = swept(twin, goal, is_small) if guess else (twin.start, False)
        if not (is_within or is_small):
            x = descend(twin, nearest_feasible(twin, x), goal, on_step).x
    except (ArithmeticError, DataError):  # an overflow, or directions that roundings made dependent
        return None
    return nearest_feasible(dual, x) if all(map(isfinite, x)) else None


def watched(face: DualFace[S], on_step: OnPivot | None) -> ActiveSet[S, Shift[S]]:
    """The search from a face, whose start is reported; in float it may move before its steps."""
    search: ActiveSet[S, Shift[S]] = ActiveSet(face, on_step)
    if on_step is not None and not search.is_float:
        at, held = tuple(face.x), face.working_set()
        on_step(Pivot(0, None, None, face.zero, 0, search.objective, held, at))
    return search


def descend(dual: Dual[S], start: Sequence[S], goal: float, on_step: OnPivot | None) -> Values[S]:
    """The optimal multipliers, by pivots from feasible ones.

    Raises `EndlessDual` where the exact dual grows for ever. In float that would prove nothing, so
    the multipliers reached by then are returned.
    """
    face = DualFace(dual, start, goal)
    search = watched(face, on_step)
    clearance = [dual.clearance(v, a) for v, a in enumerate(face.x)]
    interior = [v for v, room in enumerate(clearance) if room > 0 and v not in face.basic]
    # Those farthest from their bounds come first, as they are likely to block last.
    interior.sort(key=clearance.__getitem__, reverse=True)
    search.begin([Edge(v, 1, face.zero) for v in interior])
    endless = search.run()
    if endless is not None and isinstance(dual.zero, Fraction):
        raise EndlessDual(dict(endless.direction.change))
    return face.refresh()


def nearest_feasible(dual: Dual[S], x: Sequence[float]) -> list[S]:
    """Feasible multipliers next to floats, exactly so for an exact dual.

    Each is clipped to its bounds. The amount by which a group's equality is then missed is made up
    by the group's multipliers farthest from their bounds.
    """
    zero = dual.zero
    near = [type(zero)(a) if a > 0 else zero for a in x]
    for v, bound in enumerate(dual.upper):
        if bound is not None:
            near[v] = min(near[v], bound)
    for members in dual.groups:
        # The excess is made of roundings. Mostly the multiplier farthest from its bounds can take
        # all of it, and those at a bound stay there.
        changed = [v for v in members if near[v] or dual.start[v]]
        excess = total((dual.sign[v] * (near[v] - dual.start[v]) for v in changed), zero)
        changed.sort(key=lambda v: dual.clearance(v, near[v]), reverse=True)
        for v in chain(changed, members):
            if not excess:
                break
            bound = dual.upper[v]
            step = max(-dual.sign[v] * excess, -near[v])
            if bound is not None:
                step = min(step, bound - near[v])
            near[v] += step
            excess += dual.sign[v] * step
    return near


def swept(dual: Dual[float], goal: float, is_small: bool) -> tuple[list[float], bool]:
    """Multipliers near the optimum, between their bounds, and whether they are within the goal.

    The equality of a bias may be missed by roundings. Where pivots would take far longer, each
    round of sweeps is followed by a Newton step in the free multipliers, until the gap is within
    the goal. Cost of sweeps: at most `SWEEPS` times that of all products D_v·w, with Newton steps
    at most `MOST_WORK` times. `is_small`: whether exact pivots do the rest sooner.
    """
    if has_few_weights(dual):
        return near_optimum(dual, roughly=is_small), False
    if any(sign < 0 for sign in dual.sign) and dual.groups:
        return by_pairs(dual), False
    sweeps, n = _Sweeps(dual), len(dual.gain)
    limit = SWEEPS * n
    while sweeps.visited < limit:
        sweeps.run(limit)
        is_wide = sweeps.looks_wide()
        limit = (MOST_WORK if is_wide else SWEEPS) * n
        if not is_wide and sweeps.is_settled:
            break
        if is_wide:
            if sweeps.is_settled and (values := dual.at(sweeps.x)).is_within(max(goal, NEAR)):
                return sweeps.x, values.is_within(goal)
            # Near the optimum a direction must be accurate. Farther away accuracy would be wasted,
            # as most of the direction is cut off at the bounds.
            rest = max(LEAST_REST, min(LARGEST_REST, sweeps.worst / max(dual.gain)))
            newton = FreeMultipliers(dual, sweeps.x)
            moved = newton.step(sweeps.w, rest)
            if not moved:
                break
            sweeps.place(moved)
            sweeps.visited += newton.work
    return sweeps.x, False


class _Sweeps:
    """The multipliers x and their image w.

    Shrinking makes a sweep cheap: a multiplier at a bound whose slope holds it there by more than
    the last sweep's largest violation is left out until the others have settled.

    `blocks`: what a full sweep visits; `left`: what the next sweep visits. `width`: a multiplier is
    left out if its slope holds it at its bound by more than this. `worst`: the last sweep's largest
    violation; `is_settled`: whether a full sweep found none that counts. `is_wide`: whether Newton
    steps follow. `visited`: how many multipliers all sweeps have visited.
    """

    def __init__(self, dual: Dual[float]) -> None:
        self.dual, self.x = dual, list(dual.start)
        self.w = self.dual.image({v: a for v, a in enumerate(self.x) if a})
        grouped = {v for group in dual.groups for v in group}
        # A group whose sum is 0 stays at 0, and so does a multiplier whose upper bound is 0.
        alone = [[v] for v, bound in enumerate(dual.upper) if v not in grouped and bound != 0]
        self.blocks = [group for group in dual.groups if any(self.x[v] for v in group)] + alone
        self.left, self.width, self.worst = self.blocks, inf, inf
        self.is_settled, self.is_wide, self.visited, self.mixed = False, False, 0, Random(0)

    def run(self, limit: int) -> None:
        """A round of sweeps, ended early if they settle or have visited `limit` multipliers."""
        for _ in range(ROUND):
            self.mixed.shuffle(self.left)  # in an unlucky fixed order each would undo the last one
            self.visited += sum(map(len, self.left))
            self.worst, kept = 0.0, []
            for block in self.left:
                violation, block = self.visit(block, self.width)
                self.worst = max(self.worst, violation)
                if block:
                    kept.append(block)
            if self.left is self.blocks:
                self.is_wide = self.looks_wide()
            is_calm = self.worst <= SETTLED * max(self.dual.gain)
            self.is_settled = is_calm and self.left is self.blocks
            if self.is_settled:
                return
            # Those left out may have become wrong: all are visited once the others have settled.
            self.left, self.width = (self.blocks, inf) if is_calm else (kept, self.worst)
            if self.visited >= limit:
                return

    def looks_wide(self) -> bool:
        """Whether pivots would take far longer than Newton steps.

        With f multipliers free, of which r are independent, the pivots' inverse costs r³. In B
        blocks a multiplier meets some f/B others, so a product with the Hessian costs f²/B.
        """
        between = sum(self.dual.clearance(v, a) > 0 for v, a in enumerate(self.x))
        free = max(between - len(self.dual.groups), 0)
        independent = min(free, sum(map(len, self.w.values())))
        return independent**3 * len(self.w) > PRODUCTS * free**2

    def place(self, values: Mapping[int, float]) -> None:
        """Give some multipliers these values."""
        for v, a in values.items():
            self.x[v] = a
        self.w = self.dual.image({v: a for v, a in enumerate(self.x) if a})
        self.left, self.width = self.blocks, inf

    def visit(self, block: list[int], width: float) -> tuple[float, list[int]]:
        """Take a step in the block.

        Returned are the block's violation before the step, and what of it the next sweep visits.
        """
        if self.dual.group[block[0]] is None:
            return self.visit_one(block, width)
        x, gain = self.x, self.dual.gain
        products = self.dual.products(self.w, block, relative=self.is_wide)
        g = [gain[v] - a for v, a in zip(block, products)]
        before = [x[v] for v in block]
        highest = max(g)
        # Of a sum near the least float, roundings may have left nothing above 0.
        lowest = min((g_v for g_v, a in zip(g, before) if a > 0), default=highest)
        if highest > lowest:
            # The sum of the block is fixed: the multiplier of the lowest slope gives to that of the
            # highest, up to the best point for the two or until it has no more to give.
            gainer = block[g.index(highest)]
            giver = next(v for v, g_v in zip(block, g) if g_v == lowest and x[v] > 0)
            curvature = self.dual.curvatures[gainer] + self.dual.curvatures[giver]
            curvature -= 2 * self.dual.inner(gainer, giver)
            step = x[giver]
            if highest - lowest < step * curvature:
                step = (highest - lowest) / curvature
            x[gainer] += step
            x[giver] -= step
            self.w = self.dual.added(self.w, {gainer: step, giver: -step})
        # A multiplier at 0 whose slope is lower than the highest by more than the last sweep's
        # largest violation won't move soon, and before the next Newton step hardly one whose slope
        # is lower than all of those above 0.
        least = lowest if self.is_wide else highest - width
        kept = [v for v, g_v in zip(block, g) if x[v] > 0 or g_v >= least]
        return highest - lowest, kept if len(kept) > 1 else []

    def visit_one(self, block: list[int], width: float) -> tuple[float, list[int]]:
        """The same for a block of one multiplier."""
        (v,) = block
        (product,) = self.dual.products(self.w, block)
        g = self.dual.gain[v] - product - self.dual.ridge[v] * self.x[v]
        x, upper, curvature = self.x[v], self.dual.upper[v], self.dual.curvatures[v]
        if not curvature or (x <= 0 and g <= 0) or (upper is not None and x >= upper and g >= 0):
            return 0.0, [] if abs(g) > width else block
        target = max(x + g / curvature, 0.0)
        if upper is not None:
            target = min(target, upper)
        self.x[v] = target
        self.w = self.dual.added(self.w, {v: target - x})
        return abs(g), block
