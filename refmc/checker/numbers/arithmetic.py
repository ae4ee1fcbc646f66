"""Exact arithmetic for the checker: integer matrices, square roots, definiteness.

A matrix of Fractions is brought to integers over one common denominator, so that products cost
integer operations only: rational entries would be reduced at every step, which is many times
slower on lifted floats.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, lcm
from operator import mul

_SCALE = 512  # products of the rounded factor carry this many bits, its entries half as many
_SHIFT = 352  # the part of the identity taken off is 2**(_SHIFT - _SCALE) of the largest entry

Rows = Sequence[Sequence[Fraction | int]]


@dataclass(frozen=True)
class Matrix:
    """Integer rows over one positive denominator.

    >>> Matrix(((1, 2),), 3).entry(0, 1)
    Fraction(2, 3)
    """

    rows: tuple[tuple[int, ...], ...]
    den: int

    def entry(self, i: int, j: int) -> Fraction:
        """The entry as a Fraction.

        >>> Matrix(((4,),), 2).entry(0, 0)
        Fraction(2, 1)
        """
        return Fraction(self.rows[i][j], self.den)


def to_matrix(rows: Rows) -> Matrix:
    """The same numbers as integers over their least common denominator.

    >>> to_matrix([[Fraction(1, 2), 1], [Fraction(1, 3), 0]])
    Matrix(rows=((3, 6), (2, 0)), den=6)
    """
    den = lcm(*{v.denominator for row in rows for v in row})
    return Matrix(tuple(tuple(v.numerator * (den // v.denominator) for v in r) for r in rows), den)


def transpose(a: Matrix, width: int) -> Matrix:
    """Columns as rows; `width` is the number of columns, which no rows would not tell.

    >>> transpose(Matrix(((1, 2), (3, 4)), 5), 2)
    Matrix(rows=((1, 3), (2, 4)), den=5)
    """
    return Matrix(tuple(tuple(row[j] for row in a.rows) for j in range(width)), a.den)


def rows_times_rows(a: Matrix, b: Matrix) -> Matrix:
    """A times the transpose of B: every row of A with every row of B.

    >>> rows_times_rows(Matrix(((1, 2),), 2), Matrix(((3, 4), (5, 6)), 3))
    Matrix(rows=((11, 17),), den=6)
    """
    return Matrix(tuple(tuple(dot(u, v) for v in b.rows) for u in a.rows), a.den * b.den)


def negated(a: Matrix) -> Matrix:
    """The matrix with every sign reversed.

    >>> negated(Matrix(((1, -2),), 3))
    Matrix(rows=((-1, 2),), den=3)
    """
    return Matrix(tuple(tuple(-v for v in row) for row in a.rows), a.den)


def dot(u: Sequence[int], v: Sequence[int]) -> int:
    """The inner product of two integer rows.

    >>> dot((1, 2), (3, 4))
    11
    """
    return sum(map(mul, u, v))


def rational_dot(u: Iterable[Fraction | int], v: Iterable[Fraction | int]) -> Fraction:
    """The inner product.

    >>> rational_dot([1, 2], [Fraction(1, 2), 3])
    Fraction(13, 2)
    """
    return sum(map(mul, u, v), Fraction(0))


def sum_of_squares(a: Matrix) -> Fraction:
    """The sum of all squared entries.

    >>> sum_of_squares(Matrix(((3, 4),), 2))
    Fraction(25, 4)
    """
    return Fraction(sum(dot(row, row) for row in a.rows), a.den * a.den)


def root_exceeds_sum(t: Fraction, a: Fraction, b: Fraction) -> bool:
    """Whether sqrt(t) > sqrt(a) + sqrt(b), for non-negative numbers, decided by squaring.

    >>> root_exceeds_sum(Fraction(9), Fraction(1), Fraction(4))
    False
    >>> root_exceeds_sum(Fraction(91, 10), Fraction(1), Fraction(4))
    True
    """
    rest = t - a - b
    return rest > 0 and rest * rest > 4 * a * b


def root_within_difference(t: Fraction, a: Fraction, b: Fraction) -> bool:
    """Whether sqrt(t) <= sqrt(a) - sqrt(b), for non-negative numbers, decided by squaring.

    >>> root_within_difference(Fraction(1), Fraction(9), Fraction(4))
    True
    >>> root_within_difference(Fraction(1), Fraction(4), Fraction(9))
    False
    """
    rest = a + b - t
    return a >= b and rest >= 0 and rest * rest >= 4 * a * b


def asymmetry(a: Matrix) -> tuple[int, int] | None:
    """The first pair i < j with a[i][j] != a[j][i], or None for a symmetric matrix.

    >>> asymmetry(Matrix(((1, 2), (3, 1)), 1))
    (0, 1)
    """
    size = len(a.rows)
    pairs = ((i, j) for i in range(size) for j in range(i + 1, size))
    return next(((i, j) for i, j in pairs if a.rows[i][j] != a.rows[j][i]), None)


def negative_direction(a: Matrix) -> tuple[int, ...] | None:
    """An integer vector v with v'Av < 0, or None where the symmetric A is positive semi-definite.

    Fraction-free symmetric elimination: what remains after some pivots is a positive multiple of
    their Schur complement, so a direction that is negative there can be lifted to all rows.  The
    cost is size² × rank products of integers whose length grows with the rank, so a matrix that is
    clearly definite is first proved so with integers of fixed length.

    >>> negative_direction(Matrix(((1, 1), (1, 1)), 1)) is None
    True
    >>> negative_direction(Matrix(((1, 2), (2, 1)), 1))
    (-2, 1)
    """
    if clearly_definite(a):
        return None
    rest = {i: dict(enumerate(row)) for i, row in enumerate(a.rows)}
    eliminated: list[tuple[int, dict[int, int]]] = []
    previous = 1
    while rest:
        found = _negative_in(rest)
        if found is not None:
            return _simplified(a, _lifted(found, eliminated, len(a.rows)))
        pivot = next((i for i in rest if rest[i][i] > 0), None)
        if pivot is None:
            return None
        row = rest.pop(pivot)
        eliminated.append((pivot, row))
        rest = dict(_schur_complement(rest, pivot, row, previous))
        previous = row[pivot]
    return None


def clearly_definite(a: Matrix) -> bool:
    """A sufficient test for a symmetric matrix to be positive semi-definite.

    A rounded Cholesky factor L of A less a little of the identity is computed with integers of
    bounded length; A is positive semi-definite if the exact A - LL' is diagonally dominant.  False
    says nothing.

    >>> clearly_definite(Matrix(((2, 1), (1, 2)), 1)), clearly_definite(Matrix(((1, 1), (1, 1)), 1))
    (True, False)
    """
    top = max((row[i] for i, row in enumerate(a.rows)), default=0)
    if top <= 0:
        return False
    factor: list[list[int]] = []
    surplus = [0] * len(a.rows)
    for i, given in enumerate(a.rows):
        row: list[int] = []
        for j, done in enumerate(factor):
            target, product = given[j] << _SCALE, dot(row, done)
            row.append((target // top - product) // done[j])
            residual = abs(target - top * (product + row[j] * done[j]))
            surplus[i] -= residual
            surplus[j] -= residual
        target, square = given[i] << _SCALE, dot(row, row)
        pivot = target // top - (1 << _SHIFT) - square
        if pivot <= 0:
            return False
        row.append(isqrt(pivot))
        surplus[i] += target - top * (square + row[i] * row[i])
        factor.append(row)
    return min(surplus) >= 0


def quadratic_form(a: Matrix, v: Sequence[int]) -> Fraction:
    """v'Av.

    >>> quadratic_form(Matrix(((1, 2), (2, 1)), 1), (1, -1))
    Fraction(-2, 1)
    """
    return Fraction(dot(v, [dot(row, v) for row in a.rows]), a.den)


def _negative_in(rest: dict[int, dict[int, int]]) -> dict[int, Fraction] | None:
    """A direction that one negative diagonal entry, or a zero one with a non-zero row, gives."""
    for i, row in rest.items():
        if row[i] < 0:
            return {i: Fraction(1)}
        if row[i] == 0:
            j = next((j for j, v in row.items() if v != 0), None)
            if j is not None:
                # (t e_i + e_j) has the value 2t a_ij + a_jj = -1
                return {i: Fraction(-1 - rest[j][j], 2 * row[j]), j: Fraction(1)}
    return None


def _schur_complement(
    rest: dict[int, dict[int, int]], pivot: int, row: dict[int, int], previous: int
) -> Iterator[tuple[int, dict[int, int]]]:
    p = row[pivot]
    for i, old in rest.items():
        q = old[pivot]
        yield i, {j: (p * v - q * row[j]) // previous for j, v in old.items() if j != pivot}


def _lifted(
    direction: dict[int, Fraction], eliminated: list[tuple[int, dict[int, int]]], size: int
) -> tuple[int, ...]:
    v = dict(direction)
    for pivot, row in reversed(eliminated):
        v[pivot] = -sum((row[j] * c for j, c in v.items()), Fraction(0)) / row[pivot]
    den = lcm(*(c.denominator for c in v.values()))
    return tuple(int(v.get(i, Fraction(0)) * den) for i in range(size))


def _simplified(a: Matrix, v: tuple[int, ...]) -> tuple[int, ...]:
    """The same direction with the fewest binary digits (doubled at each try) that still serve."""
    largest, bits = max(map(abs, v)), 1
    while 1 << bits < largest:
        shorter = tuple(((c << bits + 1) // largest + 1) // 2 for c in v)
        if quadratic_form(a, shorter) < 0:
            return shorter
        bits *= 2
    return v
