"""A primal active-set method for convex quadratic programs, free of any one constraint form.

The method minimises a convex quadratic over a polyhedron that is reached through a `Face`: a
feasible point, the constraints held at equality there (the working set), and directions z_1…z_r
that span the moves which keep them. It repeats

1. price:   the point is optimal on its face; find an edge d that leaves one held constraint and
            descends, or stop: no such edge means optimal;
2. move:    along the conjugate direction p = d − Z(ZᵀQZ)⁻¹ZᵀQd, to its minimum or to the first
            constraint that blocks;
3. settle:  after a block, Newton steps on the new face until none is blocked.

Along p the face stays optimal, so an unblocked move needs no settling. Directions of zero
curvature (pᵀQp = 0) are followed until blocked; never blocked means unbounded. ZᵀQZ stays
positive definite throughout, and only its inverse K is kept: r² numbers.

Why exact runs end: while the point stands still, the free directions never grow in number. An
exchange that drops a free one is followed by settling, which moves or drops another. What is left
are exchanges of one held constraint for another with the free directions as they are. Those can't
cycle under the least-index rule (the smallest descending edge enters, the smallest blocking
constraint leaves), which holds once the point has stood for `patience` steps and until it moves.
Every unblocked step after a move has a smaller objective than all faces before, and faces are
finite in number.

In float, ties of rounding take the place of ties: the search also ends when the objective has
not fallen over twice `patience` prices in a row, and K is rebuilt from time to time.

[lu, "Lagrangian Dual Problem for Multi-Class SVM"] calls for such a solver without giving one.

Legend: g gradient, Q Hessian, Z free directions, K = (ZᵀQZ)⁻¹, d edge, p conjugate direction in
coordinates of Z (the entering edge last), s = pᵀQp, v = products of the blocking constraint
with the directions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, NamedTuple, Protocol

from refmc.core.linalg import check_length, dot, inverse_of_independent, solved
from refmc.core.scalars import S


class Edge(NamedTuple, Generic[S]):
    """A move that leaves one held constraint: its index, the side (±1), and g·d."""

    constraint: int
    side: int
    slope: S


@dataclass(frozen=True)
class Pivot(Generic[S]):
    """One step of the active-set method, as `on_step` receives it.

    `entering`: index of the constraint that was released, None in a Newton step on a face.
    `leaving`: index of the constraint that blocked, None if none did. `step`: the length, in
    units of the direction. `free`: dimension of the face after the step. `objective` and
    `working_set`: after the step.
    """

    iteration: int
    entering: int | None
    leaving: int | None
    step: S
    free: int
    objective: S
    working_set: tuple[int, ...]


class Face(Protocol[S]):
    """A point with its working set and the free directions that keep it."""

    zero: S

    def patience(self) -> int:
        """Steps at one point before the least-index rule holds.

        In float, twice as many prices without a smaller objective end the search.
        """

    def objective(self) -> S:
        """The objective at the point."""

    def working_set(self) -> tuple[int, ...]:
        """Indices of the held inequality constraints."""

    def price(self, least_index: bool) -> Edge[S] | None:
        """A descending edge, by least index or by the face's own measure; None if optimal."""

    def slopes(self) -> list[S]:
        """g·z for each free direction."""

    def curvatures(self, edge: Edge[S]) -> tuple[list[S], S]:
        """zᵀQd for each free direction, and dᵀQd."""

    def ratio(self, u: Sequence[S], edge: Edge[S] | None) -> tuple[S, int | None]:
        """How far Zu (+ d) can go, and the least constraint that blocks there (None: none)."""

    def move(self, step: S, u: Sequence[S], edge: Edge[S] | None) -> None:
        """Go `step` along Zu (+ d)."""

    def release(self, edge: Edge[S]) -> None:
        """Make the edge a free direction, the last one."""

    def pull(self, blocker: int, edge: Edge[S] | None) -> list[S]:
        """The blocking constraint's product with each free direction (and d, last)."""

    def bind(self, blocker: int, v: Sequence[S], edge: Edge[S] | None) -> int:
        """Hold the blocker; a direction with v ≠ 0 makes way, its position is returned.

        The entering edge (the last position) makes way only if v is zero on all free ones.
        """

    def withdraw(self) -> list[Edge[S]]:
        """Recompute the point's derived numbers; turn all free directions back into edges."""


class ActiveSet(Generic[S]):
    """The method on one face, with the inverse K of the reduced Hessian."""

    face: Face[S]
    on_step: Callable[[Pivot[S]], None] | None
    K: list[list[S]]

    def __init__(self, face: Face[S], on_step: Callable[[Pivot[S]], None] | None = None) -> None:
        self.face = face
        self.on_step = on_step
        self.iterations = 0
        self.K = []
        self.standing = 0
        self.age = 0

    def run(self) -> tuple[list[S], Edge[S]] | None:
        """Descend to an optimal point: None, or the (p, edge) of an unbounded ray."""
        self.settle()
        best, idle, polished = self.face.objective(), 0, False
        while idle <= 2 * self.face.patience() or not isinstance(self.face.zero, float):
            edge = self.face.price(self.standing > self.face.patience())
            if edge is None and polished:
                return None
            if edge is None:
                if isinstance(self.face.zero, float):
                    self.rebuild()
                self.settle()
                polished = True
                continue
            polished = False
            ray = self.leave(edge)
            if ray is not None:
                return ray, edge
            if isinstance(self.face.zero, float):
                if self.age > len(self.K) + 20:
                    self.rebuild()
                value = self.face.objective()
                best, idle = (value, 0) if value < best else (best, idle + 1)
        return None

    def leave(self, edge: Edge[S]) -> list[S] | None:
        """Move along the conjugate direction of the edge; the direction itself if unbounded."""
        p, s = self.conjugate(edge)
        limit, blocker = self.face.ratio(p, edge)
        if s > 0 and (blocker is None or -edge.slope <= limit * s):
            self.stride(-edge.slope / s, p, edge)
            self.face.release(edge)
            self.grow(p, s)
            self.report(-edge.slope / s, edge, None, len(self.K))
            return None
        if blocker is None:
            return p
        self.stride(limit, p, edge)
        self.exchange(blocker, p, s, edge)
        self.report(limit, edge, blocker, len(self.K))
        self.settle()
        return None

    def settle(self) -> None:
        """Newton steps until one is unblocked: the point is then optimal on its face."""
        one = self.face.zero + 1
        while any(g := self.face.slopes()):
            u = [-dot(row, g, self.face.zero) for row in self.K]
            limit, blocker = self.face.ratio(u, None)
            if blocker is None or limit >= one:
                self.stride(one, u, None)
                self.report(one, None, None, len(self.K))
                return
            self.stride(limit, u, None)
            self.shrink(blocker)
            self.report(limit, None, blocker, len(self.K))

    def seed(self, edges: Sequence[Edge[S]]) -> None:
        """Free the edges without moving, as far as they are independent."""
        H = []
        for edge in edges:
            h, c = self.face.curvatures(edge)
            H.append(h + [c])
            self.face.release(edge)
        kept, self.K = inverse_of_independent(H, self.face.zero)
        if len(kept) < len(edges):
            edges = self.face.withdraw()
            for position in kept:
                self.face.release(edges[position])
        self.age = 0

    def start(self, edges: Sequence[Edge[S]]) -> None:
        """Free the edges; in exact runs without K where one step along them ends the search."""
        if not self.lands(edges):
            self.seed(self.face.withdraw())

    def lands(self, edges: Sequence[Edge[S]]) -> bool:
        """Whether the point is optimal after one step along all the edges, in exact runs."""
        if isinstance(self.face.zero, float):
            return False
        H = []
        for edge in edges:
            h, c = self.face.curvatures(edge)
            H.append(h + [c])
            self.face.release(edge)
        u = solved(H, [-slope for slope in self.face.slopes()])
        one = self.face.zero + 1
        if u is None:
            return False
        limit, blocker = self.face.ratio(u, None)
        if blocker is not None and limit < one:
            return False
        self.stride(one, u, None)
        self.report(one, None, None, len(u))
        return self.face.price(False) is None

    def rebuild(self) -> None:
        """K and the face's derived numbers from scratch: what roundings have added up is gone."""
        self.seed(self.face.withdraw())

    def conjugate(self, edge: Edge[S]) -> tuple[list[S], S]:
        """Coordinates of p = d − Z K ZᵀQd, and s = pᵀQp ≥ 0."""
        h, c = self.face.curvatures(edge)
        p = [-dot(row, h, self.face.zero) for row in self.K]
        return p, max(c + dot(h, p, self.face.zero), self.face.zero)

    def grow(self, p: Sequence[S], s: S) -> None:
        """K for the face with one more direction: K ⊕ 0 + ppᵀ/s."""
        scaled = [p_i / s for p_i in p]
        self.K = [[k + a * p_j for k, p_j in zip(row, p)] + [a] for row, a in zip(self.K, scaled)]
        self.K.append(scaled + [(self.face.zero + 1) / s])
        self.age += 1

    def shrink(self, blocker: int) -> None:
        """K for the subspace v·u = 0, in the coordinates that remain."""
        v = self.face.pull(blocker, None)
        kappa = [dot(row, v, self.face.zero) for row in self.K]
        nu = dot(v, kappa, self.face.zero)
        self.correct(self.face.bind(blocker, v, None), [-k / nu for k in kappa], kappa)

    def exchange(self, blocker: int, p: list[S], s: S, edge: Edge[S]) -> None:
        """K after adding the edge and holding the blocker, in one formula good for s = 0."""
        zero = self.face.zero
        pulled = self.face.pull(blocker, edge)
        v, v_edge = pulled[:-1], pulled[-1]
        kappa = [dot(row, v, zero) for row in self.K]
        pi = dot(v, p, zero) + v_edge
        nu = dot(v, kappa, zero)
        position = self.face.bind(blocker, pulled, edge)
        self.K = [row + [zero] for row in self.K] + [[zero] * (len(p) + 1)]
        p, kappa = p + [zero + 1], kappa + [zero]
        scale = s * nu + pi * pi
        a = [(nu * p_i - pi * k_i) / scale for p_i, k_i in zip(p, kappa)]
        b = [-(s * k_i + pi * p_i) / scale for p_i, k_i in zip(p, kappa)]
        self.correct(position, a, p, b, kappa)

    def correct(self, position: int, *terms: list[S]) -> None:
        """Drop one coordinate and add the outer products a₁b₁ᵀ + a₂b₂ᵀ + … to K."""
        rows = [row[:position] + row[position + 1 :] for row in self.K]
        rows.pop(position)
        cut = [term[:position] + term[position + 1 :] for term in terms]
        for column, row_vector in zip(cut[::2], cut[1::2]):
            if any(row_vector):
                rows = [
                    [k + a * w for k, w in zip(row, row_vector)] if a else row
                    for row, a in zip(rows, column)
                ]
        self.K = rows
        self.age += 1

    def stride(self, step: S, u: Sequence[S], edge: Edge[S] | None) -> None:
        """Move and count; `ExactnessLimitError` where exact steps have become too long."""
        if isinstance(step, Fraction):
            check_length(step.numerator)
            check_length(step.denominator)
        self.face.move(step, u, edge)
        self.standing = 0 if step > 0 else self.standing + 1
        self.iterations += 1

    def report(self, step: S, edge: Edge[S] | None, blocker: int | None, free: int) -> None:
        """The step that was taken, once the face, which has `free` directions, has followed."""
        if self.on_step is not None:
            self.on_step(
                Pivot(
                    iteration=self.iterations,
                    entering=None if edge is None else edge.constraint,
                    leaving=blocker,
                    step=step,
                    free=free,
                    objective=self.face.objective(),
                    working_set=self.face.working_set(),
                )
            )
