"""Exact solutions of linear systems by lifting: put in, compared with known ones, and refused."""

from fractions import Fraction as F
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refmc.core.lifting import PackedMatrix, as_fractions, short_denominator, solved
from refmc.errors import ExactnessLimitError

ratios = st.builds(F, st.integers(-(10**9), 10**9), st.integers(1, 10**4))


def lower(H: list[list[F]]) -> list[list[F]]:
    return [row[: i + 1] for i, row in enumerate(H)]


@st.composite
def systems(draw: st.DrawFn) -> tuple[list[list[F]], list[F]]:
    """A matrix RᵀR + εI and a right-hand side."""
    n = draw(st.integers(1, 6))
    vector = st.lists(ratios, min_size=n, max_size=n)
    R = draw(st.lists(vector, min_size=1, max_size=n))
    size = max(abs(entry) for row in R for entry in row) or 1
    columns = [[row[j] / size for row in R] for j in range(n)]
    ridge = draw(st.sampled_from([F(1), F(1, 10**4)]))
    H = [
        [sum(map(F.__mul__, a, b), ridge * (i == j)) for j, b in enumerate(columns)]
        for i, a in enumerate(columns)
    ]
    return H, draw(vector)


@settings(max_examples=60, deadline=None)
@given(systems())
def test_solutions_fulfil_the_system_exactly(system: tuple[list[list[F]], list[F]]) -> None:
    H, g = system
    u = solved(lower(H), g)
    assert u is not None
    assert [sum(map(F.__mul__, row, u), F(0)) for row in H] == g


def test_a_hilbert_matrix_has_its_known_inverse() -> None:
    n = 7  # of condition 5e8: a step gives few bits
    H = [[F(1, i + j + 1) for j in range(n)] for i in range(n)]
    column = [
        (-1) ** i * (i + 1) * comb(n + i, n - 1) * comb(n, n - i - 1) * comb(i, 0) ** 2
        for i in range(n)
    ]
    assert solved(lower(H), [F(1)] + [F(0)] * (n - 1)) == column


def test_a_solution_of_many_digits_is_found() -> None:
    g = F(3**500, 7**300)
    assert solved([[F(2)], [F(1), F(2)]], [g, F(0)]) == [2 * g / 3, -g / 3]


def test_singular_and_indefinite_matrices_have_no_solution() -> None:
    assert solved([[F(1)], [F(1), F(1)]], [F(1), F(1)]) is None
    assert solved([[F(1)], [F(2), F(1)]], [F(1), F(1)]) is None
    near = F(1) - F(1, 2**70)  # regular, but floats can't tell
    assert solved([[F(1)], [near, F(1)]], [F(1), F(0)]) is None


def test_a_solution_of_too_many_digits_is_refused() -> None:
    with pytest.raises(ExactnessLimitError):
        solved([[F(3)]], [F(1, 3**60_000)])


def test_of_two_fractions_as_near_the_short_one_is_found_and_none_in_noise() -> None:
    third = (1 << 100) // 3
    assert short_denominator(third, 100) == 3
    assert as_fractions([third, 5 * third], 100) == ([1, 5], 3)
    assert as_fractions([int("1234567890987654321" * 2) % (1 << 100)], 100) is None


@given(
    st.integers(1, 5).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(-(2**80), 2**80), min_size=n, max_size=n),
            min_size=n + 1,
            max_size=n + 1,
        )
    )
)
def test_packed_products_are_those_of_the_matrix(rows: list[list[int]]) -> None:
    *M, v = rows
    M = [[M[min(i, j)][max(i, j)] for j in range(len(v))] for i in range(len(v))]
    assert PackedMatrix(M).times(v) == [sum(map(int.__mul__, row, v)) for row in M]


def test_long_entries_are_left_to_elimination() -> None:
    assert solved([[F(1, 3**2_500)]], [F(1)]) == [F(3**2_500)]
    assert solved([[F(2, 3) + 3**3_000]], [F(1)]) is None
