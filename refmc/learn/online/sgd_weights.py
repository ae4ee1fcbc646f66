"""Weights that shrink in O(1), and their running average.

    W = s·V: to shrink W is to multiply s; to add c·φ to a block of W, V gets (c/s)·φ.

An average Σ_t a_t W_t needs no sum over steps either. What step j adds to V, g_j, is part of
V_t for t ≥ j, so with the masses M_t = Σ_{τ ≤ t} a_τ s_τ

    Σ_t a_t s_t V_t = Σ_j g_j (M_T − M_{j−1}) = M_T V_T − Σ_j M_{j−1} g_j,

and only the last sum, U, is kept beside V and M.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Generic

from refmc.core.linalg import dot, total
from refmc.core.scalars import S

SAFE = 2.0**300
"""In float, V is multiplied out when s leaves (1/SAFE, SAFE): s only spreads W over two factors,
so this bound changes no weight by more than rounding."""


class ScaledWeights(Generic[S]):
    """Blocks of weights W = s·V, at first 0; with a running average where `averaging`."""

    def __init__(self, blocks: int, width: int, zero: S, averaging: bool) -> None:
        self._zero: S = zero
        self._s: S = zero + 1
        self._V: list[list[S]] = self._blank(blocks, width)
        self._averaging = averaging
        self._mass: S = zero  # M
        self._early: list[list[S]] = self._blank(blocks if averaging else 0, width)  # U
        # what counted before V was multiplied out
        self._banked: list[list[S]] = self._blank(blocks if averaging else 0, width)
        self._weight: S = zero

    def _blank(self, blocks: int, width: int) -> list[list[S]]:
        return [[self._zero] * width for _ in range(blocks)]

    def scores(self, blocks: Sequence[int], vectors: Sequence[Sequence[S]]) -> tuple[S, ...]:
        """The inner product of each vector with its block."""
        s, V, zero = self._s, self._V, self._zero
        return tuple([s * dot(V[block], vector, zero) for block, vector in zip(blocks, vectors)])

    def shrink(self, factor: S) -> None:
        """W ← factor·W, exactly 0 for the factor 0. Cost: O(1), O(size) where V is multiplied out."""
        self._s = self._s * factor
        s = self._s
        if not s or (isinstance(s, float) and not 1 / SAFE < abs(s) < SAFE):
            self._multiply_out()

    def add(self, block: int, c: S, vector: Sequence[S]) -> None:
        """Add c·vector to a block. Cost: O(width)."""
        scaled = c / self._s
        self._V[block] = [v + scaled * a for v, a in zip(self._V[block], vector)]
        if self._averaging:
            late = self._mass * scaled
            self._early[block] = [u + late * a for u, a in zip(self._early[block], vector)]

    def count(self, weight: S) -> None:
        """Let the present weights count in the average with this weight. Cost: O(1)."""
        self._mass = self._mass + weight * self._s
        self._weight = self._weight + weight

    def _multiply_out(self) -> None:
        if self._averaging:
            self._banked = self._sums()
            self._early = self._blank(len(self._V), len(self._V[0]))
            self._mass = self._zero
        s = self._s
        self._V = [[s * v for v in row] for row in self._V]
        self._s = self._zero + 1

    def _sums(self) -> list[list[S]]:
        """Σ_t a_t W_t."""
        M = self._mass
        return [
            [b + (M * v - u) for b, v, u in zip(banked, row, early)]
            for banked, row, early in zip(self._banked, self._V, self._early)
        ]

    def values(self) -> tuple[tuple[S, ...], ...]:
        """W."""
        return tuple(tuple([self._s * v for v in row]) for row in self._V)

    def average(self) -> tuple[tuple[S, ...], ...]:
        """The average of what counted; its weights must not all be 0."""
        return tuple(tuple([a / self._weight for a in row]) for row in self._sums())

    @property
    def weight(self) -> S:
        """The sum of the weights of the average."""
        return self._weight

    def norm_squared(self) -> S:
        """‖W‖². Cost: O(size)."""
        squares: S = total((dot(row, row, self._zero) for row in self._V), self._zero)
        return squares * self._s * self._s

    def touched(self, blocks: Sequence[int]) -> list[S]:
        """The numbers that the last step may have lengthened."""
        sums = [self._s, self._mass]
        if isinstance(self._zero, Fraction):
            for block in blocks:
                sums += self._V[block]
                if self._averaging:
                    sums += self._early[block]
        return sums
