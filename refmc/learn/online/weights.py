"""The weights of a descent, which shrink and grow at every step.

A step of SGD multiplies all weights by a factor and adds a multiple of a vector to some of them.
Floats keep the product of the factors apart. Exact weights are whole numbers over one denominator,
which grows by the denominator of the factor: a Fraction would divide by a greatest common divisor
of ever longer numbers at every step, which takes longer than all the rest.

Legend: W the weights, in blocks; a binary learner has one block.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from operator import mul
from typing import Any

from refmc.core.linalg import common_denominator, dot, total
from refmc.core.scalars import MAX_BITS, S
from refmc.learn.online.runs import Vectors, check_state

SAFE = 2.0**300
"""In float, V is multiplied by s before s comes near the ends of the range of floats.

W = s·V is the same however it is split in two, so the bound is no tolerance: it changes no weight
by more than rounding.
"""


class FloatWeights:
    """Blocks of weights W = s·V in float, which shrink in O(1): to shrink W is to multiply s.

    To add c·x to a block of W is to add (c/s)·x to that of V. `safe`: how far from 1 the factor s
    may come; with 1 all factors are multiplied out at once. `unit`, that of `scaled`, is 1.
    """

    unit = 1

    def __init__(self, start: Vectors[float], safe: float = SAFE) -> None:
        self._s, self._safe = 1.0, safe
        self._V = [list(row) for row in start]

    @staticmethod
    def vector(x: Sequence[float]) -> Sequence[float]:
        """x as `add` and `scaled` take it."""
        return x

    def shrink(self, factor: float) -> None:
        """W ← factor·W, exactly 0 for the factor 0. Cost: O(1), or O(size) to multiply V by s."""
        s = self._s = self._s * factor
        # `add` divides by s, so s must not be 0 nor near the ends of the range of floats.
        if not 1 / self._safe < abs(s) < self._safe:
            self._V = [[s * v for v in row] for row in self._V]
            self._s = 1.0

    def add(self, block: int, c: float, x: Sequence[float]) -> None:
        """Add c·x to a block of W. Cost: O(width)."""
        scaled = c / self._s
        self._V[block] = [v + scaled * a for v, a in zip(self._V[block], x)]

    def scaled(self, block: int, x: Sequence[float]) -> float:
        """The product of a block of W with x, times `unit`. Cost: O(width)."""
        return self._s * dot(self._V[block], x, 0.0)

    def values(self) -> Vectors[float]:
        """W itself. Cost: O(size)."""
        return tuple(tuple([self._s * v for v in row]) for row in self._V)

    def norm_squared(self) -> float:
        """‖W‖². Cost: O(size)."""
        return total((dot(row, row, 0.0) for row in self._V), 0.0) * self._s * self._s

    def check(self, t: int) -> None:
        """Floats have no digits to count."""


class WholeWeights:
    """Blocks of exact weights W = N / unit, with whole numbers N.

    A vector x to be added is whole numbers over its own denominator. Under η_t = 1/(λt) the factor
    (t − 1)/t exchanges t − 1 for t in `unit`, so that no number gets longer than λ and t make it.
    """

    def __init__(self, start: Vectors[Fraction]) -> None:
        self._hold(start)

    def _hold(self, W: Vectors[Fraction]) -> None:
        self.unit = lcm(*(w.denominator for row in W for w in row))
        self._N = [[w.numerator * (self.unit // w.denominator) for w in row] for row in W]

    @staticmethod
    def vector(x: Sequence[Fraction]) -> tuple[list[int], int]:
        """x as `add` and `scaled` take it: whole numbers and their denominator."""
        (whole,), q = common_denominator([x])
        return whole, q

    def shrink(self, factor: Fraction) -> None:
        """W ← factor·W. Cost: O(1) under η_t = 1/(λt), else O(size)."""
        shared = gcd(factor.numerator, self.unit)
        times = factor.numerator // shared
        if times != 1:
            self._N = [[times * n for n in row] for row in self._N]
        self.unit = self.unit // shared * factor.denominator if times else 1

    def add(self, block: int, c: Fraction, x: tuple[list[int], int]) -> None:
        """Add c·x to a block of W. Cost: O(width), or O(size) where `unit` grows."""
        whole, q = x
        over = c.denominator * q
        grown = over // gcd(over, self.unit)
        if grown != 1:
            self.unit *= grown
            self._N = [[grown * n for n in row] for row in self._N]
        times = c.numerator * (self.unit // over)
        self._N[block] = [n + times * a for n, a in zip(self._N[block], whole)]

    def scaled(self, block: int, x: tuple[list[int], int]) -> Fraction:
        """The product of a block of W with x, times `unit`. Cost: O(width)."""
        whole, q = x
        return Fraction(sum(map(mul, self._N[block], whole)), q)

    def values(self) -> Vectors[Fraction]:
        """W itself. Cost: O(size), and a greatest common divisor for each number."""
        return tuple(tuple([Fraction(n, self.unit) for n in row]) for row in self._N)

    def norm_squared(self) -> Fraction:
        """‖W‖². Cost: O(size)."""
        return Fraction(sum(sum(map(mul, row, row)) for row in self._N), self.unit**2)

    def check(self, t: int) -> None:
        """`ExactnessLimitError` where a weight has become too long by step t."""
        longest = max(n.bit_length() for row in self._N for n in row)
        if max(longest, self.unit.bit_length()) > MAX_BITS:
            values = self.values()
            check_state(values, t)
            self._hold(values)


def weights_of(start: Vectors[S], zero: S, safe: float = SAFE) -> Any:
    """The weights of a run in the arithmetic of `zero`, as they are at its start."""
    return FloatWeights(start, safe) if isinstance(zero, float) else WholeWeights(start)
