"""The geometry of the training points, as the duals of all SVMs need it: by inner products only.

A vector f = Σ_i β_i Φ(x_i) is known by its coefficients β. Floats are rounded once a number; exact
numbers are computed as whole ones over one denominator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from operator import mul
from typing import Generic, Protocol

from refmc.core.linalg import common_denominator, dot
from refmc.core.scalars import S


class Geometry(Protocol[S]):
    """Inner products of the points' features."""

    def entry(self, i: int, j: int) -> S:
        """K(x_i, x_j)."""

    def scores(self, beta: Mapping[int, S]) -> list[S]:
        """For each point x_l: Σ_i beta[i] · K(x_i, x_l)."""


class LinearGeometry(Generic[S]):
    """Features are the rows themselves: a vector has weights, and then products.

    >>> geometry = LinearGeometry([[Fraction(1), Fraction(2)]], Fraction(0))
    >>> geometry.weights({0: Fraction(1, 2)}), geometry.scores({0: Fraction(1, 2)})
    ([Fraction(1, 2), Fraction(1, 1)], [Fraction(5, 2)])
    """

    rows: Sequence[Sequence[S]]
    zero: S
    _vectors: _Vectors[S]

    def __init__(self, rows: Sequence[Sequence[S]], zero: S) -> None:
        self.rows, self.zero = rows, zero
        self._vectors = _Vectors(rows, zero)

    def entry(self, i: int, j: int) -> S:
        return dot(self.rows[i], self.rows[j], self.zero)

    def scores(self, beta: Mapping[int, S]) -> list[S]:
        if not beta:
            return [self.zero] * len(self.rows)
        return self._vectors.products(self.weights(beta))

    def weights(self, beta: Mapping[int, S]) -> list[S]:
        """Σ_i beta[i] x_i."""
        return self._vectors.combination(beta)


class GramGeometry(Generic[S]):
    """Features known by their Gram matrix only."""

    gram: Sequence[Sequence[S]]
    zero: S
    _vectors: _Vectors[S]

    def __init__(self, gram: Sequence[Sequence[S]], zero: S) -> None:
        self.gram, self.zero = gram, zero
        self._vectors = _Vectors(gram, zero)

    def entry(self, i: int, j: int) -> S:
        return self.gram[i][j]

    def scores(self, beta: Mapping[int, S]) -> list[S]:
        return self._vectors.combination(beta)


class _Vectors(Generic[S]):
    """Vectors of one length; exact ones are kept as whole numbers N with vectors = N / unit."""

    vectors: Sequence[Sequence[S]]
    zero: S

    def __init__(self, vectors: Sequence[Sequence[S]], zero: S) -> None:
        self.vectors, self.zero = vectors, zero
        if isinstance(zero, Fraction):
            self.whole, self.unit = common_denominator(vectors)

    def combination(self, beta: Mapping[int, S]) -> list[S]:
        """Σ_i beta[i] · vectors[i]."""
        if not beta:
            return [self.zero] * len(self.vectors[0])
        weights = list(beta.values())
        if isinstance(self.zero, float):
            columns = zip(*(self.vectors[i] for i in beta))
            return [dot(weights, column, self.zero) for column in columns]
        (multiples,), q = common_denominator([weights])
        unit = q * self.unit
        whole_columns = zip(*(self.whole[i] for i in beta))
        return [Fraction(sum(map(mul, multiples, column)), unit) for column in whole_columns]

    def products(self, w: Sequence[S]) -> list[S]:
        """w · v for each of the vectors v."""
        if isinstance(self.zero, float):
            return [dot(v, w, self.zero) for v in self.vectors]
        (multiples,), q = common_denominator([w])
        unit = q * self.unit
        return [Fraction(sum(map(mul, v, multiples)), unit) for v in self.whole]
