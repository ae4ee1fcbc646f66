"""The dual of the multi-class SVM as moves of mass between classes.

Each row i spreads the mass C over the k classes: p_iy = λ_iy for the other classes and
p_ic = μ_i = C − Σ λ_iy for its own class c, so p_i lies in a simplex. With
f_y = Σ_i (C·[y = c_i] − p_iy) Φ(ω_i) the dual is

    minimise ½ Σ_y ‖f_y‖² − Σ_i (C − p_ic)   over a product of m simplices,

its gradient at p_iy is −G_iy with the loss-augmented score G_iy = f_y(ω_i) + [y ≠ c_i]. Mass
moves to classes of larger G; at the optimum all mass lies where G_iy is largest, and the duality
gap is Σ_i Σ_y p_iy (max_z G_iz − G_iy).

As a face for `active_set`: each row has one basic class; a free direction moves mass from it to
another class. Rows at a vertex of their simplex have no free direction, so the square of the
number of free directions, and never that of m·k, is what has to be kept. The basic class always
has positive mass, so an edge is blocked at once only by free classes without mass: each such
pivot removes one, and no cycle can form.

[lu, "Lagrangian Dual Problem for Multi-Class SVM"]. Differs from the lecture: the slack variable
μ_i is kept in the place of the own-class entry, which the lecture fills with the sum of the
others; the problem is the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic

from refmc.core.linalg import total
from refmc.core.scalars import S
from refmc.learn.svm.active_set import Edge
from refmc.learn.svm.geometry import Geometry

Scores = list[list[S]]
Change = Mapping[int, Mapping[int, S]]
"""For some rows, by how much the mass of some classes changes."""


def by_class(coefficients: Change[S], k: int) -> list[dict[int, S]]:
    """For each class the coefficients of the rows.

    >>> by_class({3: {1: 0.5}}, 2)
    [{}, {3: 0.5}]
    """
    betas: list[dict[int, S]] = [{} for _ in range(k)]
    for i, row in coefficients.items():
        for y, a in row.items():
            betas[y][i] = a
    return betas


def image(geometry: Geometry[S], coefficients: Change[S], k: int) -> Scores[S]:
    """For each row l and class y: Σ_i coefficients[i][y] · K(ω_i, ω_l)."""
    columns = [geometry.scores(beta) for beta in by_class(coefficients, k)]
    return [list(row) for row in zip(*columns)]


def coefficients_of(p: Sequence[Sequence[S]], y: Sequence[int], zero: S) -> Change[S]:
    """τ_iz = C·[z = c_i] − p_iz, where it is not zero.

    C − p_ic is computed as the sum of the other masses: where they are small beside C, the
    difference would have few digits in float.
    """
    coefficients: dict[int, dict[int, S]] = {}
    for i, (row, c) in enumerate(zip(p, y)):
        tau = {z: -mass for z, mass in enumerate(row)}
        tau[c] = total(row[:c], zero) + total(row[c + 1 :], zero)
        coefficients[i] = {z: a for z, a in tau.items() if a}
    return coefficients


class SimplexFace(Generic[S]):
    """The face of the dual; a direction's index is i·k + y for mass to class y in row i.

    `p`: the masses. `basic`: each row's basic class. `free`: the free directions as (row, class,
    side). `parked`: (row, class) of mass that is neither basic nor free, which only a start from
    elsewhere leaves. `gap_goal`: in float the search ends at a relative duality gap this small.
    """

    geometry: Geometry[S]
    C: S
    zero: S
    norms: list[S]
    p: list[list[S]]
    scores: Scores[S]

    def __init__(
        self, geometry: Geometry[S], y: Sequence[int], k: int, C: S, gap_goal: float, zero: S
    ) -> None:
        self.geometry, self.y, self.k, self.C = geometry, y, k, C
        self.gap_goal, self.zero = gap_goal, zero
        self.norms = [geometry.entry(i, i) for i in range(len(y))]
        self.p = [[C if z == c else zero for z in range(k)] for c in y]
        self.scores = [[zero] * k for _ in y]
        self.basic = list(y)
        self.free: list[tuple[int, int, int]] = []
        self.parked: set[tuple[int, int]] = set()
        self.prices = 0

    def start(self, p: Sequence[Sequence[S]]) -> None:
        """Stand at other masses; all but the largest of each row are parked."""
        self.p = [list(row) for row in p]
        self.basic = [row.index(max(row)) for row in self.p]
        self.parked = {
            (i, z)
            for i, row in enumerate(self.p)
            for z in range(self.k)
            if row[z] and z != self.basic[i]
        }
        self.rescore()

    def rescore(self) -> None:
        """The scores from scratch."""
        self.scores = image(self.geometry, coefficients_of(self.p, self.y, self.zero), self.k)

    def augmented(self, i: int) -> list[S]:
        """The loss-augmented scores G_i of row i."""
        row = [score + 1 for score in self.scores[i]]
        row[self.y[i]] = self.scores[i][self.y[i]]
        return row

    # What `ActiveSet` asks of a face.

    def patience(self) -> int:
        """As many prices as there are directions that change now, and some.

        None after far more prices than a search takes: numbers of very different sizes can make
        it creep, with an objective that falls by next to nothing at every price.
        """
        if self.prices > 1000 + 5 * len(self.y) * self.k:
            return -1
        return len(self.free) + 10 * self.k

    def objective(self) -> S:
        """Minus the dual: ½ Σ_y ‖f_y‖² − Σ_i (C − p_ic)."""
        tau = coefficients_of(self.p, self.y, self.zero)
        own = [tau[i].get(c, self.zero) for i, c in enumerate(self.y)]
        terms = [a * self.scores[i][z] for i, row in tau.items() for z, a in row.items()]
        return total(terms, self.zero) / 2 - total(own, self.zero)

    def working_set(self) -> tuple[int, ...]:
        """The (row, class) pairs without mass that are neither basic nor free."""
        loose = {(i, z) for i, z, _ in self.free} | self.parked | set(enumerate(self.basic))
        return tuple(
            i * self.k + z for i in range(len(self.y)) for z in range(self.k) if (i, z) not in loose
        )

    def price(self, least_index: bool) -> Edge[S] | None:
        """Mass of the basic class to the class of largest G, where that gains most.

        On a settled face None proves the optimum, if exact. [lu, "Qualification of the Dual Problem"]
        """
        self.prices += 1
        edges = self.parked_edges()
        free = {(i, z) for i, z, _ in self.free}
        deficits: list[S] = []
        for i, b in enumerate(self.basic):
            G = self.augmented(i)
            top = max(G)
            if top == G[b]:
                continue
            deficits.append(self.C * (top - G[b]))
            z = G.index(top)
            if (i, z) not in free and (i, z) not in self.parked:
                edges.append(Edge(i * self.k + z, 1, G[b] - top))
        if isinstance(self.zero, float) and self.near(deficits):
            return None
        if least_index:
            return min(edges, key=lambda edge: edge.constraint, default=None)
        return min(edges, key=self.rank, default=None)

    def rank(self, edge: Edge[S]) -> tuple[bool, S]:
        """Edges without curvature first, then by slope² / curvature, the steepest first."""
        norm = self.norms[edge.constraint // self.k]
        return (norm > 0, -edge.slope * edge.slope / norm if norm > 0 else edge.slope)

    def near(self, deficits: list[S]) -> bool:
        """In float: whether the duality gap has come down to the goal."""
        for i, z, _ in self.free:
            G = self.augmented(i)
            deficits.append(self.p[i][z] * (G[self.basic[i]] - G[z]))
        gap = abs(total(deficits, self.zero))
        return gap <= self.gap_goal * (gap - self.objective())

    def parked_in_order(self) -> list[Edge[S]]:
        """The parked directions as edges, row by row."""
        return [Edge(i * self.k + z, 1, self.zero) for i, z in sorted(self.parked)]

    def parked_edges(self) -> list[Edge[S]]:
        """Parked mass moves towards the larger G, whichever side that is."""
        edges = []
        for i, z in sorted(self.parked):
            G = self.augmented(i)
            difference = G[z] - G[self.basic[i]]
            if difference != 0:
                side = 1 if difference > 0 else -1
                edges.append(Edge(i * self.k + z, side, -abs(difference)))
        return edges

    def slopes(self) -> list[S]:
        """G of the basic class minus G of the free one."""
        slopes = []
        for i, z, side in self.free:
            G = self.augmented(i)
            slopes.append(side * (G[self.basic[i]] - G[z]))
        return slopes

    def curvatures(self, edge: Edge[S]) -> tuple[list[S], S]:
        """Mass moved in two rows interacts by their kernel value, class by class."""
        i, z = divmod(edge.constraint, self.k)
        b = self.basic[i]
        h = []
        for row, y, side in self.free:
            other = self.basic[row]
            match = (z == y) - (z == other) - (b == y) + (b == other)
            h.append(side * edge.side * match * self.geometry.entry(i, row) if match else self.zero)
        return h, 2 * self.norms[i]

    def change(self, step: S, u: Sequence[S], edge: Edge[S] | None) -> dict[int, dict[int, S]]:
        """How the masses change along `step`·(Zu + d)."""
        moves = [(i, z, side * a) for (i, z, side), a in zip(self.free, u) if a]
        if edge is not None:
            i, z = divmod(edge.constraint, self.k)
            moves.append((i, z, self.zero + edge.side))
        change: dict[int, dict[int, S]] = {}
        for i, z, amount in moves:
            row = change.setdefault(i, {})
            row[z] = row.get(z, self.zero) + step * amount
            row[self.basic[i]] = row.get(self.basic[i], self.zero) - step * amount
        return change

    def ratio(self, u: Sequence[S], edge: Edge[S] | None) -> tuple[S, int | None]:
        """Until the first mass is used up; of several, the one of least index."""
        limit, blocker = self.zero + 1, None
        for i, row in self.change(self.zero + 1, u, edge).items():
            for z, amount in row.items():
                if amount < 0:
                    length = max(self.p[i][z], self.zero) / -amount
                    index = i * self.k + z
                    if blocker is None or (length, index) < (limit, blocker):
                        limit, blocker = length, index
        return limit, blocker

    def move(self, step: S, u: Sequence[S], edge: Edge[S] | None) -> None:
        """Move the mass and the scores with it."""
        if not step:
            return
        change = self.change(step, u, edge)
        for i, row in change.items():
            for z, amount in row.items():
                self.p[i][z] += amount
                row[z] = -amount
        for scores, moved in zip(self.scores, image(self.geometry, change, self.k)):
            for z, amount in enumerate(moved):
                if amount:
                    scores[z] += amount

    def release(self, edge: Edge[S]) -> None:
        """Make the edge the last free direction."""
        i, z = divmod(edge.constraint, self.k)
        self.parked.discard((i, z))
        self.free.append((i, z, edge.side))

    def pull(self, blocker: int, edge: Edge[S] | None) -> list[S]:
        """How each direction changes the mass that is used up."""
        directions = list(self.free)
        if edge is not None:
            i, y = divmod(edge.constraint, self.k)
            directions.append((i, y, edge.side))
        row, z = divmod(blocker, self.k)
        return [
            self.zero + side * ((y == z) - (self.basic[i] == z)) if i == row else self.zero
            for i, y, side in directions
        ]

    def bind(self, blocker: int, v: Sequence[S], edge: Edge[S] | None) -> int:
        """The class without mass leaves; if it was basic, the largest other mass becomes basic."""
        if edge is not None:
            self.release(edge)
        i, z = divmod(blocker, self.k)
        touched = [position for position, v_j in enumerate(v) if v_j]
        position = max(touched, key=lambda j: self.p[i][self.free[j][1]])
        if z == self.basic[i]:
            self.basic[i] = self.free[position][1]
        else:
            position = next(j for j in touched if self.free[j][1] == z)
        self.p[i][z] = self.zero
        del self.free[position]
        return position

    def withdraw(self) -> list[Edge[S]]:
        """Scores from scratch; the free directions parked, and as edges."""
        self.rescore()
        self.parked |= {(i, z) for i, z, _ in self.free}
        self.free = []
        return self.parked_in_order()
