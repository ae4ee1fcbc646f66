"""The face of a quadratic program whose constraints are given as matrices.

The face keeps n independent directions, the columns e_1…e_n of a matrix E. Each belongs to an
equality, to a held inequality, or to a coordinate, whose direction is free or has not been released
yet. The row a of a held constraint has the product a·e_j = 1 with its own column and 0 with all
others, so −e_j is the edge that leaves this constraint and keeps the others.

In float a number counts as 0 if it is at most its noise: `tolerance` times the sum of the absolute
values of the terms that it was added up from. So rows and unknowns may be of any scale.

Legend: x the point, g = Qx + c the gradient, e_j the columns of E, p a direction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import mul
from typing import Generic

from refmc.core.linalg import dot, total
from refmc.core.scalars import S, listed, shown
from refmc.errors import InfeasibleError
from refmc.learn.svm.active_set import Edge, Path

Rows = Sequence[Sequence[S]]


@dataclass(frozen=True)
class QuadraticProgram(Generic[S]):
    """Minimise ½xᵀQx + cᵀx subject to Ax = b, Gx ≤ h; `tolerance` is 0 if exact."""

    Q: Rows[S]
    c: Sequence[S]
    A: Rows[S]
    b: Sequence[S]
    G: Rows[S]
    h: Sequence[S]
    zero: S
    tolerance: S

    def dot(self, u: Sequence[S], v: Sequence[S]) -> S:
        return dot(u, v, self.zero)

    def size(self, terms: Iterable[S]) -> S:
        """The sum of the absolute values of the terms."""
        return total([abs(term) for term in terms], self.zero)

    def noise(self, terms: Iterable[S]) -> S:
        """What counts as 0 for a number added up from these terms: nothing, if exact."""
        return self.tolerance * self.size(terms) if self.tolerance else self.zero

    def product(self, u: Sequence[S], v: Sequence[S]) -> S:
        """u·v, and 0 where that is no more than its noise."""
        value = self.dot(u, v)
        if not self.tolerance or abs(value) > self.noise(map(mul, u, v)):
            return value
        return self.zero

    def gap(self, row: Sequence[S], bound: S, x: Sequence[S]) -> S:
        """bound − row·x."""
        return self.dot([bound] + list(row), [self.zero + 1] + [-x_j for x_j in x])

    def gap_size(self, row: Sequence[S], bound: S, x: Sequence[S]) -> S:
        """The sum of the absolute values of what bound − row·x is added up from."""
        return self.size(chain([bound], map(mul, row, x)))

    def gap_noise(self, row: Sequence[S], bound: S, x: Sequence[S]) -> S:
        """The noise of bound − row·x."""
        return self.noise(chain([bound], map(mul, row, x)))


class MatrixFace(Generic[S]):
    """The `Face` of a program given by matrices; see the module's docstring for E.

    `owner[j]` says what column j belongs to: an equality (−1 − its number), a held inequality
    (its number), or a coordinate direction (number of inequalities + j), free or not yet.
    `free`: the free directions, in the order of their release; each points along its column. In
    float, `g_sizes`: for each entry of the gradient g the sum of the absolute values of its terms;
    `refused`: edges that only roundings made descend, not priced again before the point moves.
    """

    problem: QuadraticProgram[S]
    zero: S
    product: Callable[[Sequence[S], Sequence[S]], S]
    x: list[S]
    g: list[S]
    g_sizes: list[S]
    slack: list[S]
    E: list[list[S]]
    free: list[Edge[S]]

    def __init__(self, problem: QuadraticProgram[S], x: Sequence[S]) -> None:
        """The face at x that holds every independent equality, even one that x doesn't meet yet."""
        n = len(problem.c)
        self.problem = problem
        self.zero = problem.zero
        self.product = problem.product
        one = problem.zero + 1
        # With nothing held the columns are the coordinates themselves.
        self.E = [[one if i == j else self.zero for i in range(n)] for j in range(n)]
        self.owner = [len(problem.G) + j for j in range(n)]
        self.free = []
        self.g_sizes = []
        self.refused: set[int] = set()
        for number, row in enumerate(problem.A):
            # An equality takes the coordinate's column with which its row has the largest product.
            # If all these products are 0, the row depends on earlier ones.
            v = [problem.product(row, column) for column in self.E]
            of_coordinates = [j for j, owner in enumerate(self.owner) if owner >= len(problem.G)]
            q = max(of_coordinates, key=lambda j: abs(v[j]), default=None)
            if q is None or not v[q]:
                self.require_consistent(number, v)
            else:
                self.pivot(q, v, -1 - number)
        self.place(list(x))

    def require_consistent(self, number: int, v: Sequence[S]) -> None:
        """Row `number` is the combination v of the held ones; its right side must be, too."""
        nu = [self.zero] * len(self.problem.A)
        nu[number] = self.zero + 1
        for owner, v_j in zip(self.owner, v):
            if owner < 0:
                nu[-1 - owner] = -v_j
        amount = self.problem.dot(nu, self.problem.b)
        if abs(amount) <= self.problem.noise(map(mul, nu, self.problem.b)):
            return
        nu = [-a for a in nu] if amount > 0 else nu
        raise InfeasibleError(
            f"no point meets Ax = b: row {number} depends on earlier rows and contradicts them; "
            f"the rows of A times {listed(nu)} add up to 0, b times them to {shown(-abs(amount))}",
            nu,
            [self.zero] * len(self.problem.G),
        )

    def place(self, x: list[S]) -> None:
        """Move to x; gradient and slacks from scratch, so that float errors don't add up."""
        problem = self.problem
        self.x = x
        self.g = [problem.dot(row, x) + c_i for row, c_i in zip(problem.Q, problem.c)]
        self.slack = [problem.gap(row, h_i, x) for row, h_i in zip(problem.G, problem.h)]
        if problem.tolerance:
            rows = zip(problem.Q, problem.c)
            self.g_sizes = [problem.gap_size(row, c_i, x) for row, c_i in rows]

    def pivot(self, q: int, v: Sequence[S], owner: int) -> None:
        """Give column q to the constraint `owner`; v: the products of its row with the columns."""
        # e_q is scaled until its product with the row is 1, and multiples of it are taken from the
        # other columns until theirs are 0. The rows held before have the product 0 with e_q, so
        # their own products don't change.
        e_q = [entry / v[q] for entry in self.E[q]]
        self.E = [
            self.without(column, v_j, e_q) if v_j else column for column, v_j in zip(self.E, v)
        ]
        self.E[q] = e_q
        self.owner[q] = owner

    def without(self, column: Sequence[S], amount: S, e: Sequence[S]) -> list[S]:
        """column − amount·e; in float, an entry that cancels up to roundings becomes 0."""
        changed = [entry - amount * e_i if e_i else entry for entry, e_i in zip(column, e)]
        if not self.problem.tolerance:
            return changed
        return [
            new if abs(new) > self.problem.tolerance * abs(entry) else self.zero
            for new, entry in zip(changed, column)
        ]

    def held(self) -> list[tuple[int, Sequence[S], S]]:
        """The column, row and bound of each constraint that has a column."""
        problem, rows = self.problem, len(self.slack)
        return [
            (j, problem.A[-1 - i], problem.b[-1 - i]) if i < 0 else (j, problem.G[i], problem.h[i])
            for j, i in enumerate(self.owner)
            if i < rows
        ]

    def meet_held(self) -> None:
        """Move to where all held constraints hold, along their columns only."""
        gaps = {j: self.problem.gap(row, bound, self.x) for j, row, bound in self.held()}
        self.place(self.closed(self.x, gaps))

    def sharpen(self, j: int) -> None:
        """Correct column j by a Newton step for an inverse, which squares its relative error."""
        products = {i: self.problem.dot(row, self.E[j]) for i, row, _ in self.held()}
        self.E[j] = self.closed(self.E[j], {i: (i == j) - p for i, p in products.items()})

    def closed(self, vector: list[S], gaps: dict[int, S]) -> list[S]:
        """The vector, and each of these columns as often as its gap."""
        # A column changes its own constraint by 1 and no other held one. So all gaps can be closed
        # at once, by a sum that is rounded once.
        weights = [self.zero + 1] + list(gaps.values())
        columns = [vector, *(self.E[j] for j in gaps)]
        return [self.problem.product(weights, entries) for entries in zip(*columns)]

    def violated(self) -> int | None:
        """The inequality that is violated most among those that are beyond their noise."""
        problem = self.problem
        beyond = [
            i
            for i, (row, h_i, slack) in enumerate(zip(problem.G, problem.h, self.slack))
            if slack < 0 and -slack > problem.gap_noise(row, h_i, self.x)
        ]
        return min(beyond, key=lambda i: self.slack[i], default=None)

    # What `ActiveSet` asks of a face.

    @property
    def patience(self) -> int:
        """As many steps as there are columns and inequalities."""
        return len(self.x) + len(self.slack)

    def objective(self) -> S:
        """½xᵀQx + cᵀx = ½xᵀ(g + c)."""
        both = [g_i + c_i for g_i, c_i in zip(self.g, self.problem.c)]
        return self.problem.dot(both, self.x) / 2

    def working_set(self) -> tuple[int, ...]:
        """The held inequalities."""
        return tuple(sorted(owner for owner in self.owner if 0 <= owner < len(self.slack)))

    def price(self, least_index: bool) -> Edge[S] | None:
        """The steepest descending edge, of several the one of least index.

        With `least_index`: of all descending edges the one of least index.
        """
        free, edges = {edge.constraint for edge in self.free}, []
        for j, owner in enumerate(self.owner):
            if owner < 0 or owner in free or owner in self.refused:
                continue
            slope = self.slope(j)
            # A held inequality is left on its inner side, a coordinate on either.
            side = -1 if owner < len(self.slack) or slope > 0 else 1
            if side * slope < 0:
                edges.append(Edge(owner, side, side * slope))
        edges.sort(key=lambda edge: (0 if least_index else edge.slope, edge.constraint))
        for edge in edges:
            if not self.problem.tolerance:
                return edge
            # Roundings in a column can make it seem to descend, so it is corrected and tried again.
            j = self.column(edge)
            self.sharpen(j)
            slope = edge.side * self.slope(j)
            if slope < 0:
                return Edge(edge.constraint, edge.side, slope)
        return None

    def slope(self, j: int) -> S:
        """g·e_j, and 0 where that is no more than the noise of the terms of g."""
        slope = self.problem.dot(self.g, self.E[j])
        # g is a sum itself, whose terms may be far larger than g is where they cancel.
        noise = self.problem.noise(map(mul, self.g_sizes, self.E[j]))
        return slope if abs(slope) > noise else self.zero

    def column(self, edge: Edge[S]) -> int:
        """The column that belongs to the edge."""
        return self.owner.index(edge.constraint)

    def vector(self, edge: Edge[S]) -> list[S]:
        """The vector of an edge or a free direction: its column, with the sign of its side."""
        return [edge.side * entry for entry in self.E[self.column(edge)]]

    def slopes(self) -> list[S]:
        """g·z for each free direction, as computed: settling then corrects to the last digit."""
        return [self.problem.dot(self.g, self.vector(z)) for z in self.free]

    def curvatures(self, edge: Edge[S], directions: Sequence[Edge[S]]) -> list[S]:
        """zᵀQd with the edge d for each of the directions z."""
        d = self.vector(edge)
        Qd = [self.problem.product(row, d) for row in self.problem.Q]
        return [self.problem.product(self.vector(z), Qd) for z in directions]

    def path(self, amounts: Sequence[S], directions: Sequence[Edge[S]]) -> Path[S, list[S]]:
        """The way along p = Zu (+ d), its curvature, and the first inequality that it meets."""
        problem = self.problem
        rows = list(zip(*map(self.vector, directions)))
        p = [problem.product(amounts, row) for row in rows]
        sizes = [problem.size(map(mul, amounts, row)) for row in rows]
        limit, blocker = self.first_met(p, sizes)
        curvature = problem.dot(p, [problem.dot(row, p) for row in problem.Q])
        if problem.tolerance:
            noise = problem.noise(map(mul, p, [problem.size(map(mul, q, p)) for q in problem.Q]))
            if len(directions) > len(self.free):
                # p has roundings of its own. Its curvature is also the sum of amount·dᵀQz over the
                # free directions and d, and must exceed the noise of that sum, too: roundings of a
                # curvature of 0 would be taken for a minimum far away.
                terms = map(mul, self.curvatures(directions[-1], directions), amounts)
                noise = max(noise, problem.noise(terms))
            curvature = curvature if curvature > noise else self.zero
        return Path(p, curvature, limit, blocker)

    def first_met(self, p: Sequence[S], sizes: Sequence[S]) -> tuple[S, int | None]:
        """How far along p the first constraint is met, and which: of several, the least index.

        Row a meets its bound after slack / (a·p), if a·p > 0. `sizes`: for each entry of p the sum
        of the absolute values of its terms. In float, lengths that differ by noise count as equal,
        and of these the row with the largest a·p beside its terms is taken: a row whose a·p is only
        a rounding would ruin E.
        """
        problem, held = self.problem, set(self.owner)
        length: dict[int, S] = {}  # at which the constraint is met, up to the noise of its slack
        latest: list[S] = []
        squareness: dict[int, S] = {}
        for i, (row, bound) in enumerate(zip(problem.G, problem.h)):
            approach = problem.dot(row, p) if i not in held else self.zero
            if not approach > 0:
                continue
            size = problem.size(map(mul, row, sizes))
            if approach > problem.tolerance * size:
                room = max(self.slack[i], self.zero)
                length[i], squareness[i] = room / approach, approach / size
                latest.append((room + problem.gap_noise(row, bound, self.x)) / approach)
        if not length:
            return self.zero + 1, None
        first_latest = min(latest)
        ties = [i for i, met in length.items() if met <= first_latest]
        blocker = max(ties, key=lambda i: squareness[i]) if problem.tolerance else ties[0]
        return length[blocker], blocker

    def is_ray(self, path: Path[S, list[S]], edge: Edge[S]) -> bool:
        """Whether c·p < 0: on a path without curvature Qx doesn't change, so only c counts."""
        if self.problem.product(self.problem.c, path.direction) < 0:
            return True
        # Only roundings of Qx made the edge descend, and they would again while the point stays.
        self.refused.add(edge.constraint)
        return False

    def move(self, step: S, path: Path[S, list[S]]) -> None:
        """Move to x + step·p."""
        if step > 0:
            self.refused = set()
        self.place(self.without(self.x, -step, path.direction))

    def release(self, edge: Edge[S]) -> None:
        """Make the edge's column the last free direction, pointing along the edge."""
        j = self.column(edge)
        self.E[j] = self.vector(edge)
        self.owner[j] = len(self.slack) + j
        self.free.append(Edge(self.owner[j], 1, self.zero))

    def hold(self, blocker: int, edge: Edge[S] | None) -> tuple[int, list[S]]:
        """Hold the blocker; the free direction that changes it most makes way."""
        others = len(self.free)
        if edge is not None:
            self.release(edge)
        row = self.problem.G[blocker]
        products = [self.problem.product(row, column) for column in self.E]
        v = [products[self.column(z)] for z in self.free]
        # The new columns are divided by this product, so the largest is the safest. The edge itself
        # makes way only where it alone changes the blocker, as `Face.hold` demands.
        position = max(range(others), key=lambda i: abs(v[i]), default=0)
        if edge is not None and not v[position]:
            position = len(v) - 1
        self.pivot(self.column(self.free.pop(position)), products, blocker)
        return position, v

    def refresh(self) -> None:
        """In float, E and x corrected for the roundings that they have gathered."""
        if self.problem.tolerance:
            for j in range(len(self.E)):
                self.sharpen(j)
            self.meet_held()

    def multipliers(self) -> tuple[list[S], list[S]]:
        """ν and μ ≥ 0: minus the slopes of the columns that belong to a constraint."""
        nu = [self.zero] * len(self.problem.A)
        mu = [self.zero] * len(self.slack)
        for j, owner in enumerate(self.owner):
            if owner < 0:
                nu[-1 - owner] = -self.slope(j)
            elif owner < len(self.slack):  # below 0 only if rounding ended the search
                mu[owner] = max(-self.slope(j), self.zero)
        return nu, mu
