"""A `Dual` as a face for `active_set`, which minimises minus the dual objective.

The constraints are the bounds: of n multipliers, number v is x_v ≥ 0 and n + v is x_v ≤ upper_v.
In each group one multiplier is basic: a free direction moves one multiplier x_v up or down, and the
basic one of its group so that the group's equality still holds. So the matrix K of `active_set`
has a row for each multiplier between its bounds, and none for the others.

A price looks first at the few multipliers that were steepest when it last looked at all of them.
It looks at all again only if none of these descends, so only few steps cost all products D_v·w.

[lu, "Lagrangian Dual Problem for Multi-Class SVM"], [chang, "Dual SVM problem"]. The lecture `lu`
has the sum of the λ_iz in the place of μ_i; the problem is the same.

Legend: x multipliers, w = Σ_v x_v D_v, g the gradient of minus the dual.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Generic, NamedTuple

from refmc.core.linalg import UNIT_ROUNDOFF, dot, total
from refmc.core.scalars import S
from refmc.learn.svm.active_set import Edge, Path
from refmc.learn.svm.dual import Dual, Values
from refmc.learn.svm.points import Image

WATCHED = 100
"""How many multipliers a price looks at first."""

FLAT = 2.0**-64
"""In float a curvature up to this part of the sum of its terms' squares counts as 0."""

LEVEL = 2.0**-46
"""In float a slope up to this part of the largest of all gains and products counts as 0."""


class Shift(NamedTuple, Generic[S]):
    """A change of some multipliers, and the change of w that it makes."""

    change: dict[int, S]
    image: Image


class DualFace(Generic[S]):
    """The face at the multipliers x of a dual; the module's docstring numbers its constraints.

    `basic`: for each group the multiplier that balances the others. `gap_goal`: in float the search
    ends at a relative duality gap this small. `watched`: the multipliers that a price looks at
    first. `strays`: at an optimum, those to be freed or moved to a bound before the search ends.
    `values`: the `Values` of x, None until they are asked for. `noise`: slopes up to this count as
    0; it is 0 if exact.
    """

    zero: S
    dual: Dual[S]
    x: list[S]
    free: list[Edge[S]]
    noise: S
    product: Callable[[Sequence[S], Sequence[S]], S]

    def __init__(self, dual: Dual[S], x: Sequence[S], gap_goal: float) -> None:
        self.dual, self.zero, self.gap_goal = dual, dual.zero, gap_goal
        self.is_float = isinstance(dual.zero, float)
        self.product = partial(dot, zero=dual.zero)
        self.n, self.x = len(x), list(x)
        # The multiplier farthest from its bounds is likely to stay basic for the longest time.
        self.basic = [
            max(members, key=lambda v: dual.clearance(v, self.x[v])) for members in dual.groups
        ]
        self.free = []
        self.watched: list[int] = []
        self.strays: list[int] = []
        self.prices = 0
        self.noise = self.zero
        self.values: Values[S] | None = None
        self.w = dual.image({v: a for v, a in enumerate(x) if a})

    def refresh(self) -> Values[S]:
        """w from scratch, and the `Values` of x, which are computed once for each x."""
        if self.values is None:
            self.values = self.dual.at(tuple(self.x))
            self.w = self.values.w
        return self.values

    def moving(self) -> set[int]:
        """The multipliers that are free or basic."""
        return {edge.constraint for edge in self.free} | set(self.basic)

    def moves(self, edge: Edge[S]) -> tuple[tuple[int, int], ...]:
        """The multipliers that move along an edge or a free direction, and to which side each."""
        v, side = edge.constraint % self.n, edge.side
        number = self.dual.group[v]
        if number is None:
            return ((v, side),)
        b, sign = self.basic[number], self.dual.sign
        return (v, side), (b, -sign[v] * sign[b] * side)

    def along(
        self, edges: Sequence[Edge[S]], values: Callable[[list[int]], Sequence[S]]
    ) -> list[S]:
        """The product of each edge with values, which are asked for the multipliers that move."""
        moves = list(map(self.moves, edges))
        variables = list(dict.fromkeys([v for move in moves for v, _ in move]))
        value = dict(zip(variables, values(variables)))
        sums = []
        for move in moves:
            product = self.zero
            for v, side in move:
                product += side * value[v]
            sums.append(product)
        return sums

    def gradient(self, variables: Sequence[int], products: Sequence[S] | None = None) -> list[S]:
        """Minus the slope of the dual at each of the multipliers; `products` if they are known."""
        if products is None:
            products = self.dual.products(self.w, variables)
        ridge, gain, x = self.dual.ridge, self.dual.gain, self.x
        return [value + ridge[v] * x[v] - gain[v] for v, value in zip(variables, products)]

    # What `ActiveSet` asks of a face, in the order of a search.

    @property
    def patience(self) -> int:
        """As many steps as there are free directions, and some more.

        After far more prices than a search takes it is −1, which ends the search in float: numbers
        of very different sizes can make the objective fall by next to nothing at every step.
        """
        if self.prices > 1000 + 5 * self.n:
            return -1
        return len(self.free) + 20 * max(1, self.n // len(self.dual.mass))

    def price(self, least_index: bool) -> Edge[S] | None:
        """The steepest descending edge of those watched, or else of all; or the one of least index.

        On a settled face None proves the optimum, if exact. [lu, "Qualification of the Dual
        Problem"] Before that, each multiplier that is still between its bounds but neither free
        nor basic gets an edge of slope 0, so that the answer is a vertex of the optimal set.
        """
        self.prices += 1
        dual, x, moving, edges = self.dual, self.x, self.moving(), list[Edge[S]]()
        while self.strays:
            v = self.strays.pop()
            if v not in moving and dual.clearance(v, x[v]) > 0:
                return Edge(v, -1, self.zero)
        if not least_index:
            edges = self.descending(self.watched)
        if not edges:
            values = self.refresh()
            if self.is_float:
                # Where no hyperplane separates the classes, the Σα of a hard SVM grows without end.
                # A float search would follow it, but ends here: roundings of ‖w‖², of the size
                # u·R²·(Σα)² with the unit roundoff u and the largest ‖D_v‖² = R², now exceed Σα.
                if not any(dual.mass):
                    unit = float(UNIT_ROUNDOFF) * max(dual.curvatures)
                    if unit * total(x, self.zero) > 1:
                        return None
                # Slopes that are only roundings lead nowhere. A search that followed them could go
                # on for long among the watched multipliers, without a look at the others.
                terms = max(map(abs, chain(dual.gain, values.products)))
                self.noise = type(self.zero)(LEVEL) * terms
            if not (self.is_float and values.is_within(self.gap_goal)):
                edges = self.descending(range(self.n), values.products)
            if not edges:
                # This is optimal. What is still between its bounds but neither free nor basic
                # follows now, one multiplier at a time.
                self.strays = [
                    v for v, a in enumerate(x) if v not in moving and dual.clearance(v, a) > 0
                ]
                return Edge(self.strays.pop(), -1, self.zero) if self.strays else None
            # These are likely to descend the next times, too, when only their products are needed.
            steepest = sorted(edges, key=self.rank)[:WATCHED]
            self.watched = [edge.constraint % self.n for edge in steepest]
        if least_index:
            return min(edges, key=lambda edge: edge.constraint)
        return min(edges, key=self.rank)

    def descending(
        self, variables: Sequence[int], products: Sequence[S] | None = None
    ) -> list[Edge[S]]:
        """The edges of the multipliers along which minus the dual falls.

        Those at a bound leave it, those between their bounds move to either side. The free ones and
        the basic ones have no edge: on a settled face the objective is flat along them. `products`:
        those of w with all vectors, if they are known.
        """
        edges: list[Edge[S]] = []
        moving, group, sign = self.moving(), self.dual.group, self.dual.sign
        # A multiplier of a group moves with the basic one, whose slope is needed, too.
        balancing = {self.basic[number] for v in variables if (number := group[v]) is not None}
        needed = list(dict.fromkeys(chain(variables, balancing)))
        g = dict(zip(needed, self.gradient(needed, products)))
        for v in variables:
            if v in moving:
                continue
            slope, number, bound = g[v], group[v], self.dual.upper[v]
            if number is not None:
                b = self.basic[number]
                slope -= sign[v] * sign[b] * g[b]
            at_upper = bound is not None and self.x[v] >= bound
            if slope < -self.noise and not at_upper:
                edges.append(Edge(v, 1, slope))
            elif slope > self.noise and self.x[v] > 0:
                edges.append(Edge(v + self.n * at_upper, -1, -slope))
        return edges

    def rank(self, edge: Edge[S]) -> tuple[bool, S]:
        """Edges without curvature first, then by slope² / curvature, the steepest first.

        The two multipliers that move count as if their vectors were orthogonal: the order matters
        for speed only, and the product of the two would cost as much as the slope itself.
        """
        norm = total((self.dual.curvatures[v] for v, _ in self.moves(edge)), self.zero)
        return (norm > 0, -edge.slope * edge.slope / norm if norm > 0 else edge.slope)

    def slopes(self) -> list[S]:
        """The gradient along each free direction."""
        return self.along(self.free, self.gradient)

    def curvatures(self, edge: Edge[S], directions: Sequence[Edge[S]]) -> list[S]:
        """The product of the images of two directions, and the ridge of what both move."""
        # The edge becomes an image once, and is multiplied with every direction.
        change = {v: self.zero + side for v, side in self.moves(edge)}
        image, ridge = self.dual.image(change), self.dual.ridge
        return self.along(
            directions,
            lambda variables: [
                value + ridge[v] * change.get(v, self.zero)
                for v, value in zip(variables, self.dual.products(image, variables))
            ],
        )

    def path(self, amounts: Sequence[S], directions: Sequence[Edge[S]]) -> Path[S, Shift[S]]:
        """The path until the first multiplier reaches a bound; of several, the least index."""
        # Several directions may move the same basic multiplier, so its changes are added up first.
        parts: dict[int, list[S]] = {}
        for edge, amount in zip(directions, amounts):
            if amount:
                for v, side in self.moves(edge):
                    parts.setdefault(v, []).append(side * amount)
        sums = {v: total(terms, self.zero) for v, terms in parts.items()}
        change = {v: a for v, a in sums.items() if a}
        image = self.dual.image(change)
        limit, blocker = self.zero + 1, None
        for v, amount in change.items():
            bound = self.dual.upper[v]
            if amount < 0:
                length, index = max(self.x[v], self.zero) / -amount, v
            elif bound is not None:
                length, index = max(bound - self.x[v], self.zero) / amount, self.n + v
            else:
                continue
            if blocker is None or (length, index) < (limit, blocker):
                limit, blocker = length, index
        ridges = (self.dual.ridge[v] * a * a for v, a in change.items())
        curvature = self.dual.points.geometry.square(image) + total(ridges, self.zero)
        if self.is_float:
            # Roundings of a curvature of 0 would be taken for a minimum far away.
            squares = (self.dual.curvatures[v] * a * a for v, a in change.items())
            if not curvature > type(self.zero)(FLAT) * total(squares, self.zero):
                curvature = self.zero
        return Path(Shift(change, image), curvature, limit, blocker)

    def is_ray(self, path: Path[S, Shift[S]], edge: Edge[S]) -> bool:
        """True: in exact numbers it is proved, and in float `descend` doesn't rely on it."""
        return True

    def move(self, step: S, path: Path[S, Shift[S]]) -> None:
        """Move the multipliers, and update w: to compute it afresh would take all the data."""
        if not step:
            return
        for v, amount in path.direction.change.items():
            self.x[v] += step * amount
        self.w = self.dual.points.geometry.moved(self.w, step, path.direction.image)
        self.values = None

    def release(self, edge: Edge[S]) -> None:
        """Make the edge the last free direction."""
        self.free.append(Edge(edge.constraint % self.n, edge.side, self.zero))

    def hold(self, blocker: int, edge: Edge[S] | None) -> tuple[int, list[S]]:
        """Hold a multiplier at the bound that it has reached.

        If it was basic, the free one farthest from its bounds balances its group from now on.
        """
        if edge is not None:
            self.release(edge)
        held = blocker % self.n
        # By how much the held multiplier changes along each free direction.
        v = self.along(self.free, lambda moved: [self.zero + (u == held) for u in moved])
        number = self.dual.group[held]
        if number is not None and self.basic[number] == held:
            # The new basic multiplier must be one that the old one balanced.
            touched = [j for j, amount in enumerate(v) if amount]
            clearance = [self.dual.clearance(e.constraint, self.x[e.constraint]) for e in self.free]
            position = max(touched, key=clearance.__getitem__)
            self.basic[number] = self.free[position].constraint
        else:
            position = [edge.constraint for edge in self.free].index(held)
        # In float the step may have missed the bound by a rounding, so it is set here.
        bound = self.dual.upper[held]
        self.x[held] = self.zero if blocker < self.n or bound is None else bound
        self.values = None
        del self.free[position]
        return position, v

    def objective(self) -> S:
        """Minus the dual."""
        return -(self.values or self.dual.at(tuple(self.x))).dual

    def working_set(self) -> tuple[int, ...]:
        """The bounds that hold multipliers which are neither basic nor free."""
        moving = self.moving()
        return tuple(
            sorted(
                v + self.n * (a > 0)
                for v, a in enumerate(self.x)
                if v not in moving and (not a or not self.dual.clearance(v, a) > 0)
            )
        )
