"""Newton's method in the weights of a squared hinge, where these are fewer than the rows.

    F(u) = ½ Σ_j h_j u_j² + ½ Σ_i c_i max(0, 1 − z_i·u)²

is smooth and piecewise quadratic. On the piece of the rows A that have a loss its minimum is the
solution of Hu = Σ_A c_i z_i with H = diag(h) + Σ_A c_i z_i z_iᵀ, one linear system in d + 1
unknowns, however many rows there are. Floats find A in a few steps: each goes towards the minimum
of its piece, and is halved until F falls. One exact solution for that A then gives multipliers
α_i = c_i max(0, 1 − z_i·u), which are optimal if A are the rows that have a loss there, too.
Otherwise the next A are those rows.

[Mangasarian, "A finite Newton method for classification"], beside `chang`'s "Soft SVM".

Legend: u = w, or (w, b); z_i = y_i x_i, or y_i (x_i, 1); c_i = 2Cω_i; h_j = 1, 0 for a free b.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import Generic

from refmc.core.lifting import solved
from refmc.core.linalg import dot, inverse_of_independent
from refmc.core.scalars import S
from refmc.learn.svm.dual import Dual

LEAST_LENGTH = 2.0**-30
"""The smallest fraction of a step that is tried."""


class SquaredHinges(Generic[S]):
    """F of the module's docstring, for a dual with ridges.

    `rows`: the positions of the rows that count, whose z_i and c_i follow.
    """

    zero: S
    z: list[list[S]]
    c: list[S]
    h: list[S]

    def __init__(self, dual: Dual[S]) -> None:
        self.m: int = len(dual.gain)
        self.zero, self.z = dual.zero, []
        one: S = dual.zero + 1
        self.rows: list[int] = [i for i, ridge in enumerate(dual.ridge) if ridge]
        ones: list[S] = [one] * (bool(dual.groups) or dual.points.constant)
        points: Sequence[Sequence[S]] = dual.points.geometry.rows
        for i in self.rows:
            self.z.append([dual.sign[i] * a for a in list(points[i]) + ones])
        self.c = [1 / dual.ridge[i] for i in self.rows]
        self.h = [one] * (len(self.z[0]) if self.z else 0)
        if dual.groups and self.h:
            self.h[-1] = dual.zero

    def losses(self, u: Sequence[S]) -> list[S]:
        """max(0, 1 − z_i·u) of each row that counts."""
        losses: list[S] = [max(self.zero, 1 - dot(z, u, self.zero)) for z in self.z]
        return losses

    def value(self, u: Sequence[S], losses: Sequence[S]) -> S:
        """2F(u)."""
        squares: list[S] = list(map(mul, self.h, map(mul, u, u)))
        squares += map(mul, self.c, map(mul, losses, losses))
        return dot(squares, [self.zero + 1] * len(squares), self.zero)

    def system(self, losses: Sequence[S]) -> tuple[list[list[S]], list[Sequence[S]], list[S]]:
        """The lower triangle of H for the rows with a loss, the columns of their z, their c."""
        active: list[int] = [j for j, loss in enumerate(losses) if loss > 0]
        c: list[S] = [self.c[j] for j in active]
        columns: list[Sequence[S]] = [*zip(*(self.z[j] for j in active))] or [()] * len(self.h)
        weighted = [list(map(mul, c, column)) for column in columns]
        H = [[dot(a, b, self.zero) for b in columns[: j + 1]] for j, a in enumerate(weighted)]
        for row, h in zip(H, self.h):
            row[-1] += h
        return H, columns, c

    def multipliers(self, losses: Sequence[S]) -> list[S]:
        """α_i = c_i times the loss, for all rows."""
        alpha = [self.zero] * self.m
        for i, c, loss in zip(self.rows, self.c, losses):
            alpha[i] = c * loss
        return alpha


def has_fewer_weights(dual: Dual[Fraction]) -> bool:
    """Whether the dual is one of squared hinges of rows of numbers, of fewer columns than rows."""
    points = dual.points
    if not any(dual.ridge) or points.rows is None or points.gram is not None:
        return False
    return len(points.rows[0]) < len(points)


def near_optimum(hinges: SquaredHinges[float]) -> list[float]:
    """The losses where floats can't make F fall any more."""
    u = [0.0] * len(hinges.h)
    losses = hinges.losses(u)
    value = hinges.value(u, losses)
    while True:
        H, columns, c = hinges.system(losses)
        lost = list(map(mul, c, (loss for loss in losses if loss > 0)))
        slope = [dot(column, lost, 0.0) - h * a for column, h, a in zip(columns, hinges.h, u)]
        kept, inverse = inverse_of_independent(H, 0.0)
        step, length = [0.0] * len(u), 1.0
        for j, row in zip(kept, inverse):
            step[j] = dot(row, [slope[k] for k in kept], 0.0)
        while True:
            moved = [a + length * b for a, b in zip(u, step)]
            after = hinges.losses(moved)
            lower = hinges.value(moved, after)
            if lower < value:
                u, losses, value = moved, after, lower
                break
            if [a > 0 for a in after] == [a > 0 for a in losses]:
                return losses  # the minimum of this piece, up to roundings
            length /= 2
            if length < LEAST_LENGTH:
                return losses


def exact_optimum(hinges: SquaredHinges[Fraction], near: Sequence[float]) -> list[Fraction] | None:
    """The exact losses at the optimum, by whole steps that begin at the rows with a loss `near` it.

    None where such steps come back to rows that they have tried, or the exact system is left to
    elimination. A row whose loss is exactly 0 may count or not: it changes nothing.
    """
    active, tried = [loss > 0 for loss in near], set[tuple[bool, ...]]()
    while tuple(active) not in tried:
        tried.add(tuple(active))
        H, columns, c = hinges.system([Fraction(is_active) for is_active in active])
        u = solved(H, [dot(column, c, hinges.zero) for column in columns])
        if u is None:
            return None
        excesses = [1 - dot(z, u, hinges.zero) for z in hinges.z]
        if all(e >= 0 if is_active else e <= 0 for e, is_active in zip(excesses, active)):
            return [max(hinges.zero, excess) for excess in excesses]
        active = [excess > 0 for excess in excesses]
    return None
