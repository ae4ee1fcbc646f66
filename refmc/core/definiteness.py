"""Positive semi-definiteness, decided with a proof.

A matrix that is clearly definite is proved so by a Cholesky factor in whole numbers of a fixed
length. Otherwise exact work uses fraction-free elimination (Bareiss): entries stay whole numbers,
each a minor of the matrix, so digits grow linearly with the step. For floats the factor that can't
be continued shows a direction, which is verified in exact arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from operator import mul

from refmc.core.linalg import UNIT_ROUNDOFF, check_length, common_denominator

ROUNDINGS = 1024
"""How many unit roundoffs of the trace a negative eigenvalue may have and pass for rounding.

An entry x·z of rows of d numbers is off by at most about d roundoffs of |x||z|, so the matrix is
off by d roundoffs of its trace; a power of degree p multiplies that by p.
"""

FACTOR_BITS = (28, 46, 58)
"""The bits of a Cholesky factor: few suffice for most matrices, and cost half of the time."""


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
    if doubtful_direction([row[i:] for i, row in enumerate(M)]) is None:
        return None
    left = list(range(len(M)))
    eliminated: list[tuple[int, list[int]]] = []
    previous = 1
    while left:
        w = _negative_corner(M, left)
        if w is not None:
            v = [w.get(i, Fraction(0)) for i in range(len(M))]
            for p, row in reversed(eliminated):  # orthogonal to v, so that the form keeps its value
                v[p] = -sum(map(mul, row, v), Fraction(0)) / row[p]
            return v
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


def doubtful_direction(upper: Sequence[Sequence[int]]) -> list[float] | None:
    """None proves that a symmetric M is positive definite; else along which v it may not be.

    `upper`: the rows of M, each from its diagonal entry on. A factor R of b bits has (RᵀR)_ij off
    by less than 2^(1−b), and its rows may be off by n of these and the roundings of M. So the
    factor is that of M less 3n/2^b of its largest diagonal entry at each place of the diagonal.
    Cost: O(n³) digits of whole numbers.

    >>> doubtful_direction([[2, 1], [2]]), doubtful_direction([[1, 2], [1]])
    (None, [1.0, -1.0])
    """
    n, v = len(upper), list[float]()
    if not upper:
        return None
    diagonal = [row[0] for row in upper]
    top, lowest = max(diagonal), min(diagonal)
    for i, row in enumerate(upper):
        size = max(map(abs, row))
        if size > top:  # K_ii + K_jj − 2|K_ij| < 0
            j = i + list(map(abs, row)).index(size)
            return [float((p == i) - (p == j) * (1 if row[j - i] > 0 else -1)) for p in range(n)]
    if lowest <= 0:
        return [float(p == diagonal.index(lowest)) for p in range(n)]
    for bits in FACTOR_BITS:
        up = 2 * bits - top.bit_length()
        up, down = max(up, 0), max(-up, 0)
        rows = [[(a << up) >> down for a in row] for row in upper]
        for row in rows:
            row[0] -= 3 * n << bits
        found = _failure_of_cholesky(rows, bits)
        if found is None:
            return None
        v = found
    return v


def _failure_of_cholesky(rows: Sequence[Sequence[int]], bits: int) -> list[float] | None:
    """None if K has a Cholesky factor, else a v along which it can't have one.

    rows: K times 4^bits, each from its diagonal entry on, and none above 4^bits. Row i of R is that
    of K less the products of column i with the rows before, over the root of its first entry. Each
    row is one long whole number, so that this takes a few sums of long numbers.
    """
    n = len(rows)
    width = (2 * bits + n.bit_length()) // 8 + 1
    half = 1 << 8 * width - 1
    R, columns = list[int](), [list[int]() for _ in rows]
    halves = int.from_bytes(half.to_bytes(width, "big") * n, "big")

    def packed(entries: Sequence[int]) -> int:  # the last one in the lowest digit
        return int.from_bytes(b"".join([(a + half).to_bytes(width, "big") for a in entries]), "big")

    for i, row in enumerate(rows):
        end = width * (n - i)
        mask = (1 << 8 * end) - 1
        if i % 16 == 0:  # the entries of columns before i are needed no more
            R = [number & mask for number in R]
        rest = (packed(row) - sum(map(mul, R, columns[i]))) & mask
        digits = rest.to_bytes(end, "big")
        entries = [
            int.from_bytes(digits[p : p + width], "big") - half for p in range(0, end, width)
        ]
        if entries[0] <= 0:
            return _column_of_failure(columns, i, i, bits)
        root = math.isqrt(entries[0]) or 1
        quotients = [a // root for a in entries]
        for j, a in enumerate(quotients, i):
            columns[j].append(a)
            if abs(a) > 2 << bits:  # its square is more than the diagonal entry of column j
                return _column_of_failure(columns, j, i + 1, bits)
        R.append(packed(quotients) - (halves & mask))
    return None


def _column_of_failure(
    columns: Sequence[Sequence[int]], j: int, known: int, bits: int
) -> list[float]:
    """The v with v_j = 1 that the first `known` rows of R make orthogonal to its other coordinates.

    vᵀKv is then what is left of the diagonal entry of column j.
    """
    v = [0.0] * len(columns)
    v[j] = 1.0
    for p in reversed(range(known)):
        scaled = [columns[q][p] * v[q] for q in range(p + 1, len(v)) if v[q]]
        v[p] = -math.fsum(scaled) / columns[p][p]
    return v


def rounding_allowance(K: Sequence[Sequence[Fraction | float]]) -> Fraction:
    """How far below 0 an eigenvalue of a rounded matrix may be and pass for rounding.

    `ROUNDINGS` unit roundoffs of its trace, the diagonal taken by absolute values.

    >>> rounding_allowance([[Fraction(3)]]) == 3 * Fraction(1, 2**43)
    True
    """
    trace = sum((abs(Fraction(row[i])) for i, row in enumerate(K)), Fraction(0))
    return ROUNDINGS * UNIT_ROUNDOFF * trace


def negative_direction_of_floats(K: Sequence[Sequence[float]]) -> list[Fraction] | None:
    """A v that proves K negative beyond what rounding of floats can hide, or None.

    The proof: exactly, vᵀKv < -`rounding_allowance`(K)·vᵀv. For the decision without that
    allowance lift K with `exact`. Cost: that of `doubtful_direction`.

    >>> negative_direction_of_floats([[1.0, 2.0], [2.0, 1.0]])
    [Fraction(1, 1), Fraction(-1, 1)]
    """
    allowance = rounding_allowance(K)
    size = math.frexp(max((abs(a) for row in K for a in row), default=1.0))[1]
    length = 2 * FACTOR_BITS[-1]
    upper = [[int(math.ldexp(a, length - size)) for a in row[i:]] for i, row in enumerate(K)]
    for row in upper:
        row[0] += int(allowance * Fraction(2) ** (length - size))
    found = doubtful_direction(upper)
    if found is None:
        return None
    v = [Fraction(a) for a in found]
    form = quadratic_form([[Fraction(a) for a in row] for row in K], v)
    return v if form < -allowance * sum(a * a for a in v) else None
