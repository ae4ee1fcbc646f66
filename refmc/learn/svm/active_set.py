"""A primal active-set method for convex quadratic programs, free of any one constraint form.

The plain program is `refmc.lectures.lu.active_set`. Beyond it: the constraints are only known
through what they do to a point, so that no matrix of them is formed.

The method minimises a convex quadratic over a polyhedron that is reached through a `Face`: a
feasible point, the constraints held at equality there (the working set), and directions z_1…z_r
that span the moves which keep them. It repeats

1. price:   the point is optimal on its face; find an edge d that leaves one held constraint and
            descends, or stop: no such edge means optimal;
2. leave:   along the conjugate direction p = d − Z(ZᵀQZ)⁻¹ZᵀQd, to its minimum or to the first
            constraint that blocks;
3. settle:  after a block, Newton steps on the new face until none is blocked.

Along p the point stays optimal in the free directions, so a move that isn't blocked needs no
settling. A direction of zero curvature (pᵀQp = 0) is followed until a constraint blocks; if none
does, the problem is unbounded. ZᵀQZ stays positive definite throughout, and only its inverse K is
kept: r² numbers.

Why exact runs end. While the point stands still, the number of free directions never grows. If a
free direction makes way for a blocker, settling follows, which moves the point or removes another
one. So in the end only exchanges of one held constraint for another are left, which keep the free
directions as they are. These can't cycle under the least-index rule (of the descending edges and
of the blocking constraints the one of least index is taken). The rule begins once the point has
stood still for `patience` steps, and ends when the point moves. Every unblocked step after a move
reaches a smaller objective than all faces before, and there are finitely many faces. A face may
price edges of slope 0 at the end, so that the search ends at a vertex. After such an edge, what it
moves is free or at a bound, so each constraint has at most one.

In float, roundings can make the search cycle as ties do. So it also ends when the objective has
not fallen over more than twice `patience` prices in a row, and K is recomputed from time to time.

[lu, "Lagrangian Dual Problem for Multi-Class SVM"] calls for such a solver without giving one.

Legend: g gradient, Q Hessian, Z free directions, K = (ZᵀQZ)⁻¹, d edge, p conjugate direction in
coordinates of Z (the entering edge last), s = pᵀQp, v = products of the blocking constraint
with the directions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Generic, NamedTuple, Protocol, TypeVar

from refmc.core.lifting import solved
from refmc.core.linalg import check_length, dot, inverse_of_independent
from refmc.core.scalars import S

D = TypeVar("D")

INDEPENDENT = 2.0**-30
"""In float `begin` frees an edge only if its conjugate direction has more than this share of the
edge's own curvature: with less it depends on the free directions, up to roundings."""

FEW = 15
"""For up to so many edges elimination gives the exact inverse sooner than one step is found."""


class Edge(NamedTuple, Generic[S]):
    """A move that leaves one held constraint: its index, the side (±1), and g·d."""

    constraint: int
    side: int
    slope: S


@dataclass(frozen=True)
class Path(Generic[S, D]):
    """A straight way on from the point.

    `direction`: in the form that the face gives it. `curvature`: s = pᵀQp. `blocker`: the first
    constraint in the way, of several the one of least index, None if there is none; `limit`: the
    length at which it blocks.
    """

    direction: D
    curvature: S
    limit: S
    blocker: int | None


@dataclass(frozen=True)
class Pivot(Generic[S]):
    """One step of the active-set method, as `on_step` receives it.

    That of `iteration` 0, with which an exact search of an SVM begins, is no step but the start.
    `entering`: index of the constraint that was released, None in a Newton step on a face.
    `leaving`: index of the constraint that blocked, None if none did. `step`: the length, in
    units of the direction. `free`: dimension of the face after the step. `objective`,
    `working_set` and `point`: after the step.
    """

    iteration: int
    entering: int | None
    leaving: int | None
    step: S
    free: int
    objective: S
    working_set: tuple[int, ...]
    point: tuple[S, ...] = ()


class Face(Protocol[S, D]):
    """A point with its working set and the free directions that keep it.

    `free`: the free directions, each as the edge by which it became free. `product`: Σ a_j b_j, for
    which a face may give 0 where it is no more than the noise of its float sum. `patience`: after
    how many steps without a move the least-index rule begins; in float the search ends after twice
    as many prices in a row without a smaller objective.
    """

    zero: S
    x: list[S]
    free: list[Edge[S]]
    product: Callable[[Sequence[S], Sequence[S]], S]

    @property
    def patience(self) -> int: ...

    def objective(self) -> S:
        """The objective at the point."""

    def working_set(self) -> tuple[int, ...]:
        """Indices of the held inequality constraints."""

    def price(self, least_index: bool) -> Edge[S] | None:
        """A descending edge, by least index or by the face's own measure; None if optimal."""

    def slopes(self) -> list[S]:
        """g·z for each free direction."""

    def curvatures(self, edge: Edge[S], directions: Sequence[Edge[S]]) -> list[S]:
        """zᵀQd with the edge d for each of the directions z, which may be edges or free ones."""

    def path(self, amounts: Sequence[S], directions: Sequence[Edge[S]]) -> Path[S, D]:
        """The path along Σ amount·direction, over the free directions and then the edge, if any."""

    def is_ray(self, path: Path[S, D], edge: Edge[S]) -> bool:
        """Whether the objective falls for ever along the edge's path, which nothing blocks.

        A float face may find that only roundings made the edge descend. It then says no, and
        doesn't price the edge again before the point moves.
        """

    def move(self, step: S, path: Path[S, D]) -> None:
        """Go `step` along the path."""

    def release(self, edge: Edge[S]) -> None:
        """Make the edge a free direction, the last one."""

    def hold(self, blocker: int, edge: Edge[S] | None) -> tuple[int, list[S]]:
        """Hold the blocking constraint, with the edge (if any) as the last free direction.

        One direction along which the constraint changes makes way: it is free no longer. Returned
        are its position, and the products v of the constraint with all free directions as they
        were before. The edge makes way only if v is 0 for all others.
        """

    def refresh(self) -> object:
        """Recompute from scratch what is derived from the point, so that roundings are gone."""


class ActiveSet(Generic[S, D]):
    """The method on one face, with the inverse K of the reduced Hessian.

    `standing`: for how many steps the point has not moved. `fallen`: by how much the objective has
    fallen since the last price. `age`: how often K has been changed since it was computed.
    `objective`: that of the point, kept in exact runs that are watched.
    """

    face: Face[S, D]
    on_step: Callable[[Pivot[S]], None] | None
    K: list[list[S]]
    fallen: S
    objective: S

    def __init__(self, face: Face[S, D], on_step: Callable[[Pivot[S]], None] | None = None) -> None:
        self.face = face
        self.on_step = on_step
        self.iterations = 0
        self.K = []
        self.standing = 0
        self.fallen = face.zero
        self.age = 0
        self.is_float = isinstance(face.zero, float)
        self.objective = face.zero if on_step is None else face.objective()

    def run(self) -> Path[S, D] | None:
        """Descend to an optimal point: None, or a path along which the objective falls for ever."""
        self.settle()
        value = self.face.objective() if self.is_float else self.face.zero
        idle, polished = 0, False
        while not self.is_float or idle <= 2 * self.face.patience:
            # Steep edges reach the optimum sooner, but may cycle while the point stands still.
            edge = self.face.price(self.standing > self.face.patience)
            if edge is None:
                if polished or not self.is_float:
                    return None
                # In float the numbers that found no edge have gathered roundings. So they are
                # computed afresh and a Newton step follows, before the last look for an edge.
                self.face.refresh()
                self.settle()
                polished = True
                continue
            polished = False
            self.fallen = self.face.zero
            endless = self.leave(edge)
            if endless is not None and self.face.is_ray(endless, edge):
                return endless
            if self.is_float:
                if self.age > len(self.K) + 100:
                    self.face.refresh()
                    self.rebuild()
                # A fall too small to change the rounded objective doesn't count as one.
                idle = 0 if not edge.slope or value - self.fallen < value else idle + 1
                value = value - self.fallen
        return None

    def leave(self, edge: Edge[S]) -> Path[S, D] | None:
        """Move along the edge's conjugate direction; returns the path only if nothing ends it."""
        p = self.conjugate(edge)[0]
        path = self.face.path(p + [self.face.zero + 1], list(self.face.free) + [edge])
        s = path.curvature
        # The minimum is at −slope/s. Where s is tiny, that quotient may overflow; products don't.
        if s > 0 and (path.blocker is None or -edge.slope <= path.limit * s):
            self.step(-edge.slope / s, path, edge.slope, None, edge, p)
        elif path.blocker is None:
            return path
        else:
            # The edge becomes free, and one of the directions makes way for the blocker. The point
            # need not be optimal on this new face yet, so it is settled.
            self.step(path.limit, path, edge.slope, path.blocker, edge, p)
            self.settle()
        return None

    def settle(self) -> None:
        """Newton steps until one is unblocked: the point is then optimal on its face."""
        zero = self.face.zero
        while any(g := self.face.slopes()):
            u = [-dot(row, g, zero) for row in self.K]
            path = self.face.path(u, self.face.free)
            length, blocker = zero + 1, None
            if path.blocker is not None and path.limit < length:
                length, blocker = path.limit, path.blocker
            self.step(length, path, dot(u, g, zero), blocker)
            if blocker is None:
                return

    def begin(self, edges: Sequence[Edge[S]]) -> None:
        """Free the edges as far as they are independent, before the search.

        With many of them an exact run first tries one Newton step along all. If that ends the
        search, as it does near the optimum, the inverse K is not needed, which is many times the
        work. In float the edges are freed one after the other; see `INDEPENDENT`.
        """
        zero = self.face.zero
        if isinstance(zero, float):
            for edge in edges:
                p, s, edge_curvature = self.conjugate(edge)
                if s > edge_curvature * INDEPENDENT:
                    self.grow(edge, p, s)
            return
        for edge in edges:
            self.face.release(edge)
        if len(edges) > FEW:
            one, g = zero + 1, self.face.slopes()
            free = self.face.free
            H = [self.face.curvatures(z, free[: j + 1]) for j, z in enumerate(free)]
            u = solved(H, [-slope for slope in g])
            path = None if u is None else self.face.path(u, self.face.free)
            if u and path and (path.blocker is None or path.limit >= one):
                self.step(one, path, dot(u, g, zero), None)
                if self.face.price(False) is None:
                    return
        self.rebuild()  # the search goes on, and needs the inverse

    def conjugate(self, edge: Edge[S]) -> tuple[list[S], S, S]:
        """The conjugate direction p of an edge, its curvature s, and that of the edge itself."""
        h = self.face.curvatures(edge, list(self.face.free) + [edge])
        edge_curvature = h.pop()
        p = [-self.face.product(row, h) for row in self.K]
        return p, edge_curvature + dot(p, h, self.face.zero), edge_curvature

    def rebuild(self) -> None:
        """K from scratch: what roundings have added up is gone.

        A free direction that depends on earlier ones is dropped.
        """
        # This costs O(r³), the updates of K between two calls only O(r²) each.
        free = self.face.free
        H = [self.face.curvatures(z, free[: j + 1]) for j, z in enumerate(free)]
        kept, self.K = inverse_of_independent(H, self.face.zero)
        self.face.free = [free[position] for position in kept]
        self.age = 0

    def step(
        self,
        length: S,
        path: Path[S, D],
        slope: S,
        blocker: int | None,
        edge: Edge[S] | None = None,
        p: list[S] | None = None,
    ) -> None:
        """Go along a path that begins with this slope; what blocks is held, and the edge is freed.

        The path is that of the edge's conjugate direction p, or of a Newton step if there is no
        edge. `ExactnessLimitError` where exact steps have become too long.
        """
        if isinstance(length, Fraction):
            check_length(length)
        self.face.move(length, path)
        # The parabola along the path gives the fall: a difference of two objectives in float
        # would lose it to their roundings.
        fall = -length * (slope + length * path.curvature / 2)
        self.fallen = self.fallen + fall
        self.standing = 0 if length > 0 else self.standing + 1
        self.iterations += 1
        if blocker is not None:
            self.hold(blocker, edge, p or [], path.curvature)
        elif edge is not None:
            self.grow(edge, p or [], path.curvature)
        if self.on_step is not None:
            # Falls are exact only in exact runs; to compute the objective anew takes all the data.
            self.objective = self.face.objective() if self.is_float else self.objective - fall
            self.on_step(
                Pivot(
                    iteration=self.iterations,
                    entering=None if edge is None else edge.constraint,
                    leaving=blocker,
                    step=length,
                    free=len(self.face.free),
                    objective=self.objective,
                    working_set=self.face.working_set(),
                    point=tuple(self.face.x),
                )
            )

    def grow(self, edge: Edge[S], p: Sequence[S], s: S) -> None:
        """Free the edge of conjugate direction p and curvature s; K becomes K ⊕ 0 + ppᵀ/s."""
        self.face.release(edge)
        scaled = [p_i / s for p_i in p]
        self.K = [[k + a * p_j for k, p_j in zip(row, p)] + [a] for row, a in zip(self.K, scaled)]
        self.K.append(scaled + [(self.face.zero + 1) / s])
        self.age += 1

    def hold(self, blocker: int, edge: Edge[S] | None, p: list[S], s: S) -> None:
        """Hold the blocker, and free the edge, if any, in the same update of K."""
        zero = self.face.zero
        position, v = self.face.hold(blocker, edge)
        v_edge = v.pop() if edge is not None else zero
        # κ = Kv, from the rows of the symmetric K at which v isn't 0: most often a single one.
        weights, rows = [a for a in v if a], [row for a, row in zip(v, self.K) if a]
        kappa = [dot(weights, column, zero) for column in zip(*rows)] or [zero] * len(self.K)
        nu = dot(v, kappa, zero)
        if edge is None:  # to hold v·u = 0 makes the inverse K − κκᵀ/ν: below that of p = 0, s = 1
            p, pi, s = [zero] * len(self.K), zero, zero + 1
        else:
            # With the edge free the inverse would be K' = K ⊕ 0 + ppᵀ/s, and holding v·u = 0 makes
            # that K' − K'v(K'v)ᵀ/(vᵀK'v). These divide by s, which is 0 for an edge without
            # curvature. In their sum, with π = v·p, the divisions by s cancel. What is left is
            # K ⊕ 0 + (νp − πκ)pᵀ/(sν + π²) − (sκ + πp)κᵀ/(sν + π²), which holds for s = 0, too.
            pi = dot(v, p, zero) + v_edge
            self.K = [row + [zero] for row in self.K] + [[zero] * (len(p) + 1)]
            p, kappa = p + [zero + 1], kappa + [zero]
        scale = s * nu + pi * pi
        a = [(nu * p_i - pi * k_i) / scale for p_i, k_i in zip(p, kappa)]
        b = [-(s * k_i + pi * p_i) / scale for p_i, k_i in zip(p, kappa)]
        products: list[tuple[list[S], list[S]]] = [(a, p), (b, kappa)]
        # The direction that made way leaves the inverse before the products are added.
        del self.K[position]
        for row in [*self.K, *chain.from_iterable(products)]:
            del row[position]
        for column, row_vector in products:
            if any(row_vector):  # it is 0 where the edge itself makes way
                self.K = [
                    [k + a_i * w for k, w in zip(row, row_vector)] if a_i else row
                    for row, a_i in zip(self.K, column)
                ]
        self.age += 1
