"""Exact arithmetic for the checker: integer matrices and square roots.

A matrix of Fractions is brought to integers over one common denominator, so that products cost
integer operations only: rational entries would be reduced at every step, which is many times
slower on lifted floats.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil, isqrt, lcm, log2
from operator import mul
from typing import NamedTuple

MAX_DIGITS = 20_000
"""The most decimal digits that an exact number is given: a copy of the learners' limit."""

MAX_BITS = ceil(MAX_DIGITS * log2(10))

Numbers = Sequence[Fraction | int]

Rows = Sequence[Numbers]


class Matrix(NamedTuple):
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


def transpose(a: Matrix) -> Matrix:
    """Columns as rows.

    >>> transpose(Matrix(((1, 2), (3, 4)), 5))
    Matrix(rows=((1, 3), (2, 4)), den=5)
    """
    return Matrix(tuple(zip(*a.rows, strict=True)), a.den)


def rows_times_rows(a: Matrix, b: Matrix) -> Matrix:
    """A times the transpose of B: every row of A with every row of B.

    >>> rows_times_rows(Matrix(((1, 2),), 2), Matrix(((3, 4), (5, 6)), 3))
    Matrix(rows=((11, 17),), den=6)
    """
    return Matrix(tuple(tuple(dot(u, v) for v in b.rows) for u in a.rows), a.den * b.den)


def raised(a: Matrix, shift: Fraction) -> Matrix:
    """A + shift·I.

    >>> raised(Matrix(((1, 2), (2, 1)), 1), Fraction(1, 2))
    Matrix(rows=((3, 4), (4, 3)), den=2)
    """
    den = lcm(a.den, shift.denominator)
    factor, more = den // a.den, shift.numerator * (den // shift.denominator)
    rows = (
        tuple(v * factor + (more if i == j else 0) for j, v in enumerate(row))
        for i, row in enumerate(a.rows)
    )
    return Matrix(tuple(rows), den)


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
    pairs = [(p.as_integer_ratio(), q.as_integer_ratio()) for p, q in zip(u, v, strict=True)]
    return sum_of_ratios([(p * r, q * s) for (p, q), (r, s) in pairs])


def sum_of(values: Iterable[Fraction | int]) -> Fraction:
    """The sum.

    >>> sum_of([Fraction(1, 2), Fraction(1, 3)]), sum_of([])
    (Fraction(5, 6), Fraction(0, 1))
    """
    return sum_of_ratios([value.as_integer_ratio() for value in values])


def sum_of_ratios(ratios: Sequence[tuple[int, int]]) -> Fraction:
    """The sum of p/q over the pairs: reducing it once takes less time than every partial sum.

    >>> sum_of_ratios([(1, 2), (2, 4)])
    Fraction(1, 1)
    """
    den = lcm(*{q for _, q in ratios})
    return Fraction(sum([p * (den // q) for p, q in ratios]), den)


def sum_of_squares(a: Matrix) -> Fraction:
    """The sum of all squared entries.

    >>> sum_of_squares(Matrix(((3, 4),), 2))
    Fraction(25, 4)
    """
    return Fraction(sum(dot(row, row) for row in a.rows), a.den * a.den)


def root_above(q: Fraction) -> Fraction:
    """A number just above the square root of q; 0 for 0.

    >>> root = root_above(Fraction(1, 4))
    >>> Fraction(1, 2) < root < Fraction(1, 2) + Fraction(1, 2**60)
    True
    """
    return _around_root(q)[1]


def root_below(q: Fraction) -> Fraction:
    """A number just below the square root of q, or the root itself.

    >>> root_below(Fraction(1, 4)), root_below(Fraction(2)) ** 2 < 2
    (Fraction(1, 2), True)
    """
    return _around_root(q)[0]


def _around_root(q: Fraction) -> tuple[Fraction, Fraction]:
    """Two neighbours among the multiples of a power of two: the largest up to √q, and the next."""
    if q == 0:
        return q, q
    shift = max(0, 64 + (q.denominator.bit_length() - q.numerator.bit_length()) // 2)
    root = isqrt((q.numerator << 2 * shift) // q.denominator)
    return Fraction(root, 1 << shift), Fraction(root + 1, 1 << shift)


def root_exceeds_sum(t: Fraction, a: Fraction, b: Fraction) -> bool:
    """Whether √t > √a + √b, for non-negative numbers, decided by squaring.

    >>> root_exceeds_sum(Fraction(9), Fraction(1), Fraction(4))
    False
    >>> root_exceeds_sum(Fraction(91, 10), Fraction(1), Fraction(4))
    True
    """
    rest = t - a - b
    return rest > 0 and rest * rest > 4 * a * b


def root_within_difference(t: Fraction, a: Fraction, b: Fraction) -> bool:
    """Whether √t ≤ √a − √b, for non-negative numbers, decided by squaring.

    >>> root_within_difference(Fraction(1), Fraction(9), Fraction(4))
    True
    >>> root_within_difference(Fraction(1), Fraction(4), Fraction(9))
    False
    """
    rest = a + b - t
    return a >= b and rest >= 0 and rest * rest >= 4 * a * b


def asymmetry(a: Matrix) -> tuple[int, int] | None:
    """The first pair i < j with a_ij ≠ a_ji, or None for a symmetric matrix.

    >>> asymmetry(Matrix(((1, 2), (3, 1)), 1))
    (0, 1)
    """
    size = len(a.rows)
    pairs = ((i, j) for i in range(size) for j in range(i + 1, size))
    return next(((i, j) for i, j in pairs if a.rows[i][j] != a.rows[j][i]), None)
