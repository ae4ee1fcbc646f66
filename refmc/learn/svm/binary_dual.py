"""The dual of the binary SVM as a face for `active_set`: a box, and one equality for the bias.

    minimise ½ Σ_ij β_i β_j K(x_i, x_j) − Σ_i y_i β_i   with β_i = y_i α_i
    over 0 ≤ α_i ≤ C, and Σ_i β_i = yᵀα = 0 if there is a bias; the hard SVM has no C.

With s_i = Σ_j β_j K(x_j, x_i) its gradient at β_i is s_i − y_i. With a bias one row is basic: a
free direction moves β of its row up or down and that of the basic row by the same the other way,
so that the equality holds throughout and what is kept grows with the square of the rows between
their bounds only. The least-index rule of `active_set` covers basic rows at a bound.

[chang, "Dual SVM problem"]. Legend: m rows x_i, y_i = ±1, s_i scores without the bias b.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Generic

from refmc.core.linalg import UNIT_ROUNDOFF, dot, total
from refmc.core.scalars import S
from refmc.learn.svm.active_set import Edge
from refmc.learn.svm.geometry import Geometry


class BoxFace(Generic[S]):
    """The face of the dual. Constraint i is α_i ≥ 0, constraint m + i is α_i ≤ C.

    `basic`: the row that balances the others, None without a bias. `free`: the free directions as
    (row, side): β of the row moves to that side. `parked`: rows between their bounds that are
    neither basic nor free, which only a start from elsewhere leaves. `gap_goal`: in float the
    search ends at a relative duality gap this small.
    """

    geometry: Geometry[S]
    C: S | None
    zero: S
    largest_square: S
    beta: list[S]
    scores: list[S]

    def __init__(
        self,
        geometry: Geometry[S],
        y: Sequence[int],
        C: S | None,
        bias: bool,
        gap_goal: float,
        zero: S,
    ) -> None:
        self.geometry, self.y, self.C = geometry, y, C
        self.gap_goal, self.zero = gap_goal, zero
        self.largest_square = max(geometry.entry(i, i) for i in range(len(y)))
        self.beta = [zero] * len(y)
        self.scores = [zero] * len(y)
        self.basic = 0 if bias else None
        self.free: list[tuple[int, int]] = []
        self.parked: set[int] = set()

    def start(self, alpha: Sequence[S]) -> None:
        """Stand at another feasible α; the row farthest from its bounds is basic."""
        self.beta = [sign * a for sign, a in zip(self.y, alpha)]
        self.parked = {i for i in range(len(alpha)) if self.clearance(i) > 0}
        if self.basic is not None:
            self.basic = max(range(len(alpha)), key=self.clearance)
            self.parked.discard(self.basic)
        self.rescore()

    def rescore(self) -> None:
        """The scores from scratch."""
        self.scores = self.geometry.scores({i: a for i, a in enumerate(self.beta) if a})

    def alpha(self) -> list[S]:
        """α_i = y_i β_i."""
        return [sign * a for sign, a in zip(self.y, self.beta)]

    def clearance(self, i: int) -> S:
        """How far α_i is from its nearer bound."""
        alpha = self.y[i] * self.beta[i]
        return alpha if self.C is None else min(alpha, self.C - alpha)

    def gradient(self) -> list[S]:
        """s_i − y_i."""
        return [score - sign for score, sign in zip(self.scores, self.y)]

    def along(self, i: int, side: int, values: Sequence[S]) -> S:
        """The product of values, one a row, with the direction of row i to that side."""
        return side * (values[i] if self.basic is None else values[i] - values[self.basic])

    # What `ActiveSet` asks of a face.

    def patience(self) -> int:
        """As many prices as there are directions that change now, and some."""
        return len(self.free) + 20

    def objective(self) -> S:
        """Minus the dual: ½ Σ_i β_i s_i − Σ_i α_i."""
        return dot(self.beta, self.scores, self.zero) / 2 - total(self.alpha(), self.zero)

    def working_set(self) -> tuple[int, ...]:
        """The bounds that hold rows which are neither basic nor free nor parked."""
        loose = {i for i, _ in self.free} | self.parked | {self.basic}
        m = len(self.y)
        held = (i if not self.beta[i] else m + i for i in range(m) if i not in loose)
        return tuple(sorted(held))

    def price(self, least_index: bool) -> Edge[S] | None:
        """The steepest descending edge, or the one of least index."""
        g = self.gradient()
        edges = [edge for edge in self.edges(g) if edge.slope < 0]
        if isinstance(self.zero, float) and (self.near(edges, g) or self.is_lost()):
            return None
        if least_index:
            return min(edges, key=lambda edge: edge.constraint, default=None)
        return min(edges, key=lambda edge: edge.slope, default=None)

    def edges(self, g: Sequence[S]) -> list[Edge[S]]:
        """Held rows move away from their bound, parked rows to the side that descends."""
        loose = {i for i, _ in self.free} | {self.basic}
        edges, m = [], len(self.y)
        for i, sign in enumerate(self.y):
            if i in loose:
                continue
            if i in self.parked:
                side = -1 if self.along(i, 1, g) > 0 else 1
            else:
                side = sign if not self.beta[i] else -sign
            index = m + i if self.beta[i] and i not in self.parked else i
            edges.append(Edge(index, side, self.along(i, side, g)))
        return edges

    def near(self, edges: Sequence[Edge[S]], g: Sequence[S]) -> bool:
        """In float: whether the duality gap, as the basic row's bias has it, is at the goal.

        A row that violates its condition by v costs at most C·v; for the hard SVM, whose w must
        grow by the factor 1/(1 − v) to be feasible, about ‖w‖²·v = Σα·v.
        """
        stake = total(self.alpha(), self.zero) if self.C is None else self.C
        costs = [-stake * edge.slope for edge in edges]
        costs += [abs(self.beta[i] * self.along(i, side, g)) for i, side in self.free]
        gap = total(costs, self.zero)
        return gap < self.gap_goal * (gap - self.objective())

    def is_lost(self) -> bool:
        """In float: whether the hard SVM's Σα is so large that roundings of ‖w‖² exceed it.

        They are of the size of u · largest square · (Σα)². The multipliers grow without end where
        no hyperplane separates, and floats would follow them.
        """
        if self.C is not None:
            return False
        return float(UNIT_ROUNDOFF) * self.largest_square * total(self.alpha(), self.zero) > 1

    def slopes(self) -> list[S]:
        """The gradient along each free direction."""
        g = self.gradient()
        return [self.along(i, side, g) for i, side in self.free]

    def curvatures(self, edge: Edge[S]) -> tuple[list[S], S]:
        """How the scores change along the edge, seen along each free direction and the edge."""
        change = self.geometry.scores(self.change(self.zero + 1, (), edge))
        h = [self.along(i, side, change) for i, side in self.free]
        return h, self.along(self.row(edge.constraint), edge.side, change)

    def row(self, constraint: int) -> int:
        """The row that a constraint bounds."""
        return constraint % len(self.y)

    def bound(self, constraint: int) -> S:
        """The value of α_i where the constraint holds it: 0, or C."""
        if self.C is None or constraint < len(self.y):
            return self.zero
        return self.C

    def change(self, step: S, u: Sequence[S], edge: Edge[S] | None) -> dict[int, S]:
        """How β changes along `step`·(Zu + d)."""
        change = {i: step * side * a for (i, side), a in zip(self.free, u) if a}
        if edge is not None:
            change[self.row(edge.constraint)] = step * edge.side
        if self.basic is not None:
            change[self.basic] = -total(change.values(), self.zero)
        return {i: amount for i, amount in change.items() if amount}

    def ratio(self, u: Sequence[S], edge: Edge[S] | None) -> tuple[S, int | None]:
        """Until the first α_i reaches 0 or C; of several, the one of least index."""
        limit, blocker = self.zero + 1, None
        for i, amount in self.change(self.zero + 1, u, edge).items():
            alpha, rise = self.y[i] * self.beta[i], self.y[i] * amount
            if rise > 0 and self.C is None:
                continue
            room, index = alpha, i
            if rise > 0 and self.C is not None:
                room, index = self.C - alpha, len(self.y) + i
            length = max(room, self.zero) / abs(rise)
            if blocker is None or (length, index) < (limit, blocker):
                limit, blocker = length, index
        return limit, blocker

    def move(self, step: S, u: Sequence[S], edge: Edge[S] | None) -> None:
        """Move β and the scores with it."""
        if not step:
            return
        change = self.change(step, u, edge)
        for i, amount in change.items():
            self.beta[i] += amount
        moved = self.geometry.scores(change)
        self.scores = [score + amount for score, amount in zip(self.scores, moved)]

    def release(self, edge: Edge[S]) -> None:
        """Make the edge the last free direction."""
        i = self.row(edge.constraint)
        self.parked.discard(i)
        self.free.append((i, edge.side))

    def pull(self, blocker: int, edge: Edge[S] | None) -> list[S]:
        """How each direction changes β of the row that is blocked."""
        directions, row = list(self.free), self.row(blocker)
        if edge is not None:
            directions.append((self.row(edge.constraint), edge.side))
        if row == self.basic:
            return [self.zero - side for _, side in directions]
        return [self.zero + side * (i == row) for i, side in directions]

    def bind(self, blocker: int, v: Sequence[S], edge: Edge[S] | None) -> int:
        """Hold the row; if it was basic, the free row farthest from its bounds becomes basic."""
        if edge is not None:
            self.release(edge)
        row, rows = self.row(blocker), [i for i, _ in self.free]
        if row == self.basic:
            self.basic = max(rows, key=self.clearance)
            position = rows.index(self.basic)
        else:
            position = rows.index(row)
        self.beta[row] = self.y[row] * self.bound(blocker)
        del self.free[position]
        return position

    def withdraw(self) -> list[Edge[S]]:
        """Scores from scratch; the free directions parked, and as edges."""
        self.rescore()
        self.parked |= {i for i, _ in self.free}
        self.free = []
        return self.parked_in_order()

    def parked_in_order(self) -> list[Edge[S]]:
        """The parked directions as edges, row by row."""
        return [Edge(i, 1, self.zero) for i in sorted(self.parked)]


def optimal_biases(scores: Sequence[S], y: Sequence[int]) -> tuple[S | None, S | None]:
    """The ends of the interval of all b that minimise Σ_i max(0, 1 − y_i (s_i + b)).

    The sum is piecewise linear: its slope is −p below all points y_i − s_i, with p the number of
    rows of class +1, and rises by one at each. So it is least between the p-th and the next of
    them; None stands for a side without end, which is there if all rows are of one class.

    >>> optimal_biases([Fraction(2), Fraction(0), Fraction(-3)], [1, 1, -1])
    (Fraction(1, 1), Fraction(2, 1))
    """
    kinks = sorted(sign - score for score, sign in zip(scores, y))
    p = list(y).count(1)
    return kinks[p - 1] if p else None, kinks[p] if p < len(kinks) else None


def nearest_feasible(
    alpha: Sequence[float], y: Sequence[int], C: Fraction | None, bias: bool
) -> list[Fraction]:
    """Exactly feasible multipliers next to floats: clipped, and yᵀα = 0 if there is a bias.

    What yᵀα is off by is taken from, or given to, the rows farthest from their bounds first.

    >>> nearest_feasible([0.5, 0.25], [1, -1], Fraction(1), True)
    [Fraction(1, 4), Fraction(1, 4)]
    """
    exact = [max(Fraction(a), Fraction(0)) for a in alpha]
    if C is not None:
        exact = [min(a, C) for a in exact]
    if not bias:
        return exact
    excess = sum((sign * a for sign, a in zip(y, exact)), Fraction(0))

    def clearance(i: int) -> Fraction:
        return exact[i] if C is None else min(exact[i], C - exact[i])

    for i in sorted(range(len(exact)), key=clearance, reverse=True):
        step = -y[i] * excess
        if step < 0:
            step = max(step, -exact[i])
        elif C is not None:
            step = min(step, C - exact[i])
        exact[i] += step
        excess += y[i] * step
    return exact
