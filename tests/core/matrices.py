"""Matrices that tests draw, and what is true of them by definition."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, permutations

from hypothesis import strategies as st

Matrix = list[list[Fraction]]


RATIONAL = st.builds(Fraction, st.integers(), st.integers(1, 50))


HUGE = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def symmetric(draw: st.DrawFn, entry: st.SearchStrategy[Fraction], most: int = 4) -> Matrix:
    n = draw(st.integers(1, most))
    lower = [[draw(entry) for _ in range(i + 1)] for i in range(n)]
    return [[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]


@st.composite
def gram_of_few(draw: st.DrawFn) -> Matrix:
    """BᵀB of B with fewer rows than columns as often as not: singular positive semi-definite."""
    rows, columns = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    B = [[Fraction(draw(st.integers(-3, 3)), 2) for _ in range(columns)] for _ in range(rows)]
    return [
        [sum((row[i] * row[j] for row in B), Fraction(0)) for j in range(columns)]
        for i in range(columns)
    ]


SMALL = st.integers(-2, 2).map(Fraction)


def determinant(M: Matrix) -> Fraction:
    """By the definition: the signed sum over all permutations."""
    n = len(M)
    value = Fraction(0)
    for order in permutations(range(n)):
        inversions = sum(order[i] > order[j] for i, j in combinations(range(n), 2))
        value += (-1) ** inversions * math.prod(M[i][order[i]] for i in range(n))
    return value


def has_only_non_negative_principal_minors(K: Matrix) -> bool:
    n = len(K)
    return all(
        determinant([[K[i][j] for j in chosen] for i in chosen]) >= 0
        for size in range(1, n + 1)
        for chosen in combinations(range(n), size)
    )


def form(K: Matrix, v: list[Fraction]) -> Fraction:
    """vᵀKv by the definition."""
    return sum((v_i * k * v_j for v_i, row in zip(v, K) for k, v_j in zip(row, v)), Fraction(0))
