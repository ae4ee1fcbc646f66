"""Integer matrices, comparisons of roots, and definiteness, against slower independent routes."""

from fractions import Fraction as F
from itertools import combinations, permutations
from math import isqrt

from hypothesis import given
from hypothesis import strategies as st

from refmc.checker.numbers.arithmetic import (
    Matrix,
    asymmetry,
    clearly_definite,
    negative_direction,
    quadratic_form,
    root_exceeds_sum,
    root_within_difference,
    to_matrix,
)

small = st.integers(-3, 3)
non_negative = st.fractions(min_value=0, max_value=20, max_denominator=12)


def determinant(rows: list[list[int]]) -> int:
    """The sum over all permutations."""
    total = 0
    for order in permutations(range(len(rows))):
        inversions = sum(order[i] > order[j] for i, j in combinations(range(len(rows)), 2))
        product = (-1) ** inversions
        for i, j in enumerate(order):
            product *= rows[i][j]
        total += product
    return total


def is_semidefinite(rows: list[list[int]]) -> bool:
    """Every principal minor is non-negative."""
    sizes = range(1, len(rows) + 1)
    subsets = (s for size in sizes for s in combinations(range(len(rows)), size))
    return all(determinant([[rows[i][j] for j in s] for i in s]) >= 0 for s in subsets)


@st.composite
def symmetric(draw: st.DrawFn) -> list[list[int]]:
    size = draw(st.integers(1, 4))
    rows = [[0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i, size):
            rows[i][j] = rows[j][i] = draw(small)
    return rows


@st.composite
def gram_matrices(draw: st.DrawFn) -> list[list[int]]:
    width = draw(st.integers(0, 3))
    vectors = draw(
        st.lists(st.lists(small, min_size=width, max_size=width), min_size=1, max_size=5)
    )
    return [[sum(a * b for a, b in zip(u, v, strict=True)) for v in vectors] for u in vectors]


@given(symmetric(), st.integers(1, 7))
def test_definiteness_agrees_with_all_principal_minors(rows: list[list[int]], den: int) -> None:
    a = Matrix(tuple(map(tuple, rows)), den)
    v = negative_direction(a)
    assert (v is None) == is_semidefinite(rows)
    if v is not None:
        assert quadratic_form(a, v) < 0
    if clearly_definite(a):
        assert is_semidefinite(rows)


@given(gram_matrices())
def test_no_gram_matrix_has_a_negative_direction(rows: list[list[int]]) -> None:
    a = Matrix(tuple(map(tuple, rows)), 1)
    assert negative_direction(a) is None
    assert asymmetry(a) is None


def test_a_hilbert_matrix_is_proved_definite_without_elimination() -> None:
    size = 20  # its smallest eigenvalue is near 1e-29
    assert clearly_definite(
        to_matrix([[F(1, i + j + 1) for j in range(size)] for i in range(size)])
    )


def test_a_matrix_indefinite_by_one_part_in_10_to_the_400_is_found_out() -> None:
    a = to_matrix([[F(1), F(1)], [F(1), 1 - F(1, 10**400)]])
    v = negative_direction(a)
    assert v is not None and quadratic_form(a, v) < 0
    assert not clearly_definite(a)


def test_the_witness_of_indefiniteness_is_short_where_a_short_one_serves() -> None:
    huge = F(10**60 + 7, 3)
    v = negative_direction(to_matrix([[huge, 2 * huge, 1], [2 * huge, huge, 1], [1, 1, 1]]))
    assert v is not None and max(map(abs, v)) <= 4


@given(non_negative, non_negative, non_negative)
def test_root_comparisons_agree_with_integer_square_roots(t: F, a: F, b: F) -> None:
    def root(q: F) -> F:
        scale = 10**40
        return F(isqrt(q.numerator * scale**2 // q.denominator), scale)

    # equality of the two sides implies that the root of ab is rational; it is tested below
    difference = root(t) - root(a) - root(b)
    if abs(difference) > F(1, 10**30):
        assert root_exceeds_sum(t, a, b) == (difference > 0)
    difference = root(a) - root(b) - root(t)
    if abs(difference) > F(1, 10**30):
        assert root_within_difference(t, a, b) == (difference > 0)


def test_equal_roots_neither_exceed_nor_leave_the_bound() -> None:
    assert not root_exceeds_sum(F(25), F(4), F(9))
    assert root_exceeds_sum(F(25) + F(1, 10**50), F(4), F(9))
    assert root_within_difference(F(1), F(9), F(4))
    assert not root_within_difference(F(1) + F(1, 10**50), F(9), F(4))
    assert root_within_difference(F(0), F(0), F(0))


def test_a_direction_of_many_digits_is_shortened_as_far_as_it_serves() -> None:
    # after the first pivot the rest is negative: v = (-(n + 1), n), in halves of its length (-2, 2)
    n = 10**6
    assert negative_direction(Matrix(((n, n + 1), (n + 1, n)), 1)) == (-2, 2)


def test_a_matrix_of_very_different_sizes_is_definite_by_its_pivots() -> None:
    wide = Matrix(((10**200, 0), (0, 1)), 1)
    assert not clearly_definite(wide) and negative_direction(wide) is None
