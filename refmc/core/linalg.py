"""Inner products and inverses.

Exact inverses use fraction-free elimination (Bareiss): entries stay whole numbers, each a minor of
the matrix, so digits grow linearly with the step. Floats take the largest diagonal entry as pivot.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import mul

from refmc.core.scalars import S, check_digits
from refmc.errors import DataError

UNIT_ROUNDOFF = Fraction(1, 2**53)
"""Half the distance from 1 to the next binary64: what one rounding can change, relatively."""


def dot(u: Sequence[S], v: Sequence[S], zero: S) -> S:
    """Σ u_i v_i in the arithmetic of `zero`; in float the sum is rounded once (`math.fsum`).

    u and v are equally long. Raises `DataError` where floats overflow. Cost: O(n); in exact
    arithmetic one common denominator and one reduction, not one a term.

    >>> dot([Fraction(1, 2), Fraction(1, 3)], [Fraction(2), Fraction(3)], Fraction(0))
    Fraction(2, 1)
    """
    if isinstance(zero, float):
        return _rounded_once(map(mul, u, v))
    terms = [
        (a.numerator * b.numerator, a.denominator * b.denominator) for a, b in zip(u, v) if a and b
    ]
    q = math.lcm(*(below for _, below in terms))
    return Fraction(sum(above * (q // below) for above, below in terms), q)


def dots_of_floats(pairs: Iterable[tuple[Sequence[float], Sequence[float]]]) -> list[float]:
    """`dot` of each pair in float: many at once cost less.

    >>> dots_of_floats([([0.5, 1.0], [4.0, 1.0]), ([2.0, 0.0], [4.0, 1.0])])
    [3.0, 8.0]
    """
    try:
        values = [math.fsum(map(mul, u, v)) for u, v in pairs]
    except (OverflowError, ValueError):
        raise _beyond_floats() from None
    if not all(map(math.isfinite, values)):
        raise _beyond_floats()
    return values


def total(terms: Iterable[S], zero: S) -> S:
    """Σ terms in the arithmetic of `zero`; in float the sum is rounded once.

    >>> total([Fraction(1, 2), Fraction(1, 3)], Fraction(0))
    Fraction(5, 6)
    """
    if isinstance(zero, float):
        return _rounded_once(terms)
    return sum(terms, zero)


def _rounded_once(terms: Iterable[float]) -> float:
    """The float nearest to the sum of the terms, whatever their order."""
    try:
        value = math.fsum(terms)
    except (OverflowError, ValueError):  # what fsum makes of a sum too large, and of inf − inf
        value = math.inf
    if not math.isfinite(value):
        raise _beyond_floats()
    return value


def _beyond_floats() -> DataError:
    return DataError("a sum is beyond the range of floats; lift the data with exact()")


def check_length(value: int | Fraction) -> None:
    """Raise `ExactnessLimitError` for a number of more than `MAX_DIGITS` digits."""
    mend = "give numbers with fewer digits, fewer rows, or floats"
    check_digits(value, "exact arithmetic: the solution needs numbers of", mend)


def common_denominator(rows: Sequence[Sequence[Fraction | int]]) -> tuple[list[list[int]], int]:
    """Whole numbers N and the least q > 0 with rows = N / q.

    Raises `ExactnessLimitError` where q has more than `MAX_DIGITS` digits.

    >>> common_denominator([[Fraction(1, 2), Fraction(1, 3)]])
    ([[3, 2]], 6)
    """
    q = 1
    for denominator in {entry.denominator for row in rows for entry in row}:
        q = math.lcm(q, denominator)
        check_length(q)
    return [[entry.numerator * (q // entry.denominator) for entry in row] for row in rows], q


def inverse_of_independent(H: Sequence[Sequence[S]], zero: S) -> tuple[list[int], list[list[S]]]:
    """Positions of independent rows of a positive semi-definite H, and the inverse over them.

    H: its lower triangle, row i with i + 1 entries. Positions are taken in order, each one whose
    remaining diagonal entry is positive. Exact: fraction-free, O(n³) products of whole numbers;
    the entries are minors of H, and raise `ExactnessLimitError` beyond `MAX_DIGITS`.

    >>> F = Fraction
    >>> inverse_of_independent([[F(4)], [F(2), F(1)], [F(0), F(0), F(2)]], F(0))
    ([0, 2], [[Fraction(1, 4), Fraction(0, 1)], [Fraction(0, 1), Fraction(1, 2)]])
    """
    if isinstance(zero, float):
        return _inverse_of_floats([list(row) for row in H])
    M, q = common_denominator(H)
    kept, determinant = [], 1
    for p in range(len(M)):
        if M[p][p] > 0:
            determinant = _sweep(M, p, determinant)
            kept.append(p)
    return kept, [[Fraction(-M[max(i, j)][min(i, j)] * q, determinant) for j in kept] for i in kept]


def _sweep(M: list[list[int]], p: int, determinant: int) -> int:
    """Exchange coordinate p in the lower triangle M, a multiple of the swept matrix.

    M is `determinant` times [[−P⁻¹, P⁻¹R], [RᵀP⁻¹, T − RᵀP⁻¹R]] for the swept block P, so its
    entries are minors and the division leaves no rest. Returns the determinant with p in P.
    """
    d = M[p][p]
    check_length(d)
    column = M[p] + [M[i][p] for i in range(p + 1, len(M))]
    for i, row in enumerate(M):
        if i != p:
            c = column[i]
            M[i] = [(d * a - c * b) // determinant for a, b in zip(row, column)]
            if i > p:
                M[i][p] = c
    M[p] = [*column[:p], -determinant]
    return d


def _inverse_of_floats(M: list[list[float]]) -> tuple[list[int], list[list[float]]]:
    """`inverse_of_independent` in float: the largest remaining diagonal entry is the pivot.

    It ends where all remaining ones may be roundings of 0.
    """
    left = list(range(len(M)))
    noise = len(M) * float(UNIT_ROUNDOFF) * max((row[-1] for row in M), default=0.0)
    while left:
        p = max(left, key=lambda i: M[i][i])
        d = M[p][p]
        if not d > noise:
            break
        left.remove(p)
        column = M[p] + [M[i][p] for i in range(p + 1, len(M))]
        for i, row in enumerate(M):
            if i != p:
                c = column[i] / d
                M[i] = [a - c * b for a, b in zip(row, column)]
                if i > p:
                    M[i][p] = c
        M[p] = [entry / d for entry in column[:p]] + [-1 / d]
    kept = [i for i in range(len(M)) if i not in left]
    return kept, [[-M[max(i, j)][min(i, j)] for j in kept] for i in kept]


def solved_by_floats(H: Sequence[Sequence[float]], g: Sequence[float]) -> list[float]:
    """The u with Hu = g, for the lower triangle of a positive semi-definite H, up to roundings.

    An entry of u whose remaining diagonal entry may be a rounding of 0 is 0. Cost: O(n³), a third
    of an inverse.

    >>> solved_by_floats([[4.0], [2.0, 2.0]], [2.0, 0.0])
    [1.0, -1.0]
    """
    noise = len(H) * float(UNIT_ROUNDOFF) * max((row[-1] for row in H), default=0.0)
    left, rest = [list(row) for row in H], list(g)
    steps: list[tuple[float, list[float]]] = []  # pivots, and what of their columns lies below
    for _ in H:
        pivot, *below = [row.pop(0) for row in left]
        del left[0]
        if pivot > noise:
            factors = [c / pivot for c in below]
            left = [[a - c * b for a, b in zip(row, below)] for c, row in zip(factors, left)]
            first, *others = rest[len(steps) :]
            rest[len(steps) + 1 :] = [a - c * first for a, c in zip(others, factors)]
            steps.append((pivot, factors))
        else:
            steps.append((math.inf, [0.0] * len(below)))
    u: list[float] = []
    for (pivot, factors), a in zip(reversed(steps), reversed(rest)):
        u.insert(0, a / pivot - math.fsum(map(mul, factors, u)))
    return u
