"""Inner products, and positive semi-definiteness decided with a proof.

Exact work uses fraction-free elimination (Bareiss): entries stay whole numbers, each a minor of
the matrix, so digits grow linearly with the step. Floats use elimination with the largest
diagonal entry as pivot, and what it suggests is verified in exact arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

from refmc.core.scalars import S, check_digits
from refmc.errors import DataError

UNIT_ROUNDOFF = Fraction(1, 2**53)
"""Half the distance from 1 to the next binary64: what one rounding can change, relatively."""

ROUNDINGS = 1024
"""How many unit roundoffs of the trace a negative eigenvalue may have and pass for rounding.

An entry x·z of rows of d numbers is off by at most about d roundoffs of |x||z|, so the matrix is
off by d roundoffs of its trace; a power of degree p multiplies that by p.
"""


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


def common_denominator(rows: Sequence[Sequence[Fraction]]) -> tuple[list[list[int]], int]:
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


def quadratic_form(K: Sequence[Sequence[Fraction]], v: Sequence[Fraction]) -> Fraction:
    """vᵀKv, exactly.

    >>> K = [[Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)]]
    >>> quadratic_form(K, [Fraction(1), Fraction(-1)])
    Fraction(-2, 1)
    """
    N, q = common_denominator(K)
    (w,), p = common_denominator([v])
    return Fraction(sum(w_i * sum(map(mul, row, w)) for row, w_i in zip(N, w)), q * p * p)


def negative_direction(K: Sequence[Sequence[Fraction]]) -> list[Fraction] | None:
    """A vector v with vᵀKv < 0, or None: symmetric K is positive semi-definite, proved.

    Fraction-free symmetric elimination: each remaining entry is a minor of the whole-number
    matrix, that is, its Schur complement times the last pivot; pivots are positive, so signs are
    those of the Schur complement. A matrix that is clearly definite is first proved so, with
    numbers that don't grow. Raises `ExactnessLimitError` beyond `MAX_DIGITS`. Cost: O(n³)
    products of whole numbers with O(n) times the digits of K.

    >>> negative_direction([[Fraction(1), Fraction(2)], [Fraction(2), Fraction(1)]])
    [Fraction(-2, 1), Fraction(1, 1)]
    """
    M, _ = common_denominator(K)
    if is_clearly_definite(M):
        return None
    left = list(range(len(M)))
    eliminated: list[tuple[int, list[int]]] = []
    previous = 1
    while left:
        w = _negative_corner(M, left)
        if w is not None:
            return _lift(w, eliminated, len(M), Fraction(0))
        pivot = next((i for i in left if M[i][i] > 0), None)
        if pivot is None:
            return None
        left.remove(pivot)
        row = M[pivot]
        check_length(row[pivot])
        eliminated.append((pivot, row))
        for i in left:
            c = M[i][pivot]
            M[i] = [(row[pivot] * a - c * b) // previous for a, b in zip(M[i], row)]
        previous = row[pivot]
    return None


def is_clearly_definite(M: list[list[int]]) -> bool:
    """True proves the symmetric M positive definite, False says nothing.

    Floats look for an R with RMRᵀ near the identity, R is rounded to whole numbers, and the exact
    RMRᵀ is definite if in each row the diagonal entry exceeds the sum of the others' absolute
    values; then R is regular, and M is definite, too.

    >>> is_clearly_definite([[2, 1], [1, 2]]), is_clearly_definite([[1, 1], [1, 1]])
    (True, False)
    """
    R = _near_inverse_root(M)
    if R is None:
        return False
    largest = max(abs(entry) for row in R for entry in row)
    whole = [[round(entry / largest * 2**60) for entry in row] for row in R]
    products = [[sum(map(mul, row, column)) for column in M] for row in whole]
    for i, product in enumerate(products):
        row = [sum(map(mul, product, other)) for other in whole]
        if not row[i] > sum(map(abs, row)) - abs(row[i]):
            return False
    return True


def _near_inverse_root(M: list[list[int]]) -> list[list[float]] | None:
    """Unit vectors made orthonormal in the product xᵀMy, in float; None if they look dependent."""
    # The largest entry of a definite matrix stands on its diagonal.
    top = max((row[i] for i, row in enumerate(M)), default=0)
    if any(abs(entry) > top for row in M for entry in row) or not top:
        return None
    K = [[entry / top for entry in row] for row in M]
    R: list[list[float]] = []
    for i, column in enumerate(K):
        v = [float(i == j) for j in range(len(K))]
        for r in R:
            c = math.fsum(map(mul, r, column))
            v = [a - c * b for a, b in zip(v, r)]
        norm = math.fsum(map(mul, v, (math.fsum(map(mul, row, v)) for row in K)))
        if not norm > column[i] * 2.0**-40:  # roundings have eaten the rest of the column
            return None
        R.append([a / math.sqrt(norm) for a in v])
    return R


def _negative_corner(M: list[list[int]], left: list[int]) -> dict[int, Fraction] | None:
    """A direction of one or two coordinates along which the remaining matrix is negative.

    A semi-definite matrix has no negative diagonal entry, and only zeros beside a diagonal zero.
    """
    for i in left:
        if M[i][i] < 0:
            return {i: Fraction(1)}
        if M[i][i] == 0:
            for j in left:
                if M[i][j] != 0:  # [[0, a], [a, c]] at (t, 1) is 2ta + c, and -1 for this t
                    return {i: Fraction(-1 - M[j][j], 2 * M[i][j]), j: Fraction(1)}
    return None


def _lift(
    w: dict[int, S], eliminated: Sequence[tuple[int, Sequence[Any]]], n: int, zero: S
) -> list[S]:
    """Extend w so that every eliminated row is orthogonal to it: the form keeps its value.

    In float, an infinity or a NaN raises `OverflowError` or `ValueError`.
    """
    v = [w.get(i, zero) for i in range(n)]
    add: Any = math.fsum if isinstance(zero, float) else sum
    for pivot, row in reversed(eliminated):
        v[pivot] = -add(map(mul, row, v)) / row[pivot]
    return v


def rounding_allowance(K: Sequence[Sequence[Fraction]]) -> Fraction:
    """How far below 0 an eigenvalue of a rounded matrix may be and pass for rounding.

    `ROUNDINGS` unit roundoffs of its trace, the diagonal taken by absolute values.

    >>> rounding_allowance([[Fraction(3)]]) == 3 * Fraction(1, 2**43)
    True
    """
    trace = sum((abs(row[i]) for i, row in enumerate(K)), Fraction(0))
    return ROUNDINGS * UNIT_ROUNDOFF * trace


def negative_direction_of_floats(K: Sequence[Sequence[float]]) -> list[Fraction] | None:
    """A v that proves K negative beyond what rounding of floats can hide, or None.

    The proof: exactly, vᵀKv < -`rounding_allowance`(K)·vᵀv. For the decision without that
    allowance lift K with `exact`. Cost: O(n³) float operations; that of `negative_direction` where
    floats overflow on the way.

    >>> negative_direction_of_floats([[1.0, 2.0], [2.0, 1.0]])
    [Fraction(-2, 1), Fraction(1, 1)]
    """
    exact_K = [[Fraction(entry) for entry in row] for row in K]
    allowance = rounding_allowance(exact_K)
    try:
        M, left, eliminated = _eliminate_in_float(K, allowance)
        lifted = [_lift(w, eliminated, len(K), 0.0) for w in _float_corners(M, left)]
        guesses = [[Fraction(entry) for entry in v] for v in lifted]
    except (OverflowError, ValueError):
        for i, row in enumerate(exact_K):
            row[i] += allowance
        return negative_direction(exact_K)
    for v in guesses:
        if quadratic_form(exact_K, v) < -allowance * sum(a * a for a in v):
            return v
    return None


def _eliminate_in_float(
    K: Sequence[Sequence[float]], allowance: Fraction
) -> tuple[list[list[float]], list[int], list[tuple[int, list[float]]]]:
    """Symmetric elimination by the largest diagonal entry while that exceeds the allowance.

    The matrix, the rows that remain in it, and those eliminated, in order. An infinity or a NaN
    on the way raises `OverflowError`.
    """
    M = [list(row) for row in K]
    left = list(range(len(M)))
    eliminated: list[tuple[int, list[float]]] = []
    while left:
        pivot = max(left, key=lambda i: M[i][i])
        if not M[pivot][pivot] > allowance:
            break
        left.remove(pivot)
        row = M[pivot]
        eliminated.append((pivot, row))
        for i in left:
            c = M[i][pivot] / row[pivot]
            M[i] = [a - c * b for a, b in zip(M[i], row)]
            if not all(map(math.isfinite, M[i])):
                raise OverflowError
    return M, left, eliminated


def _float_corners(M: list[list[float]], left: list[int]) -> list[dict[int, float]]:
    """The most negative diagonal entry and the largest entry beside the diagonal, as directions."""
    if not left:
        return []
    lowest = min(left, key=lambda i: M[i][i])
    corners = [{lowest: 1.0}]
    pairs = [(i, j) for i in left for j in left if i < j]
    if pairs:
        i, j = max(pairs, key=lambda pair: abs(M[pair[0]][pair[1]]))
        corners.append({i: 1.0, j: -1.0 if M[i][j] > 0 else 1.0})
    return corners


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
