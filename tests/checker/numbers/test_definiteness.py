"""Definiteness with and without rounding, against slower independent routes."""

from collections.abc import Sequence
from fractions import Fraction as F
from itertools import combinations, permutations
from operator import mul
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.checker import Violation
from refmc.checker.kernels import proved_semidefinite
from refmc.checker.numbers.arithmetic import Matrix, asymmetry, raised, to_matrix
from refmc.checker.numbers.definiteness import (
    ROUNDINGS,
    definiteness,
    eliminate,
    factorise,
    quadratic_form,
)

small = st.integers(-3, 3)


def determinant(rows: Sequence[Sequence[F | int]]) -> F:
    """The sum over all permutations."""
    total = F(0)
    for order in permutations(range(len(rows))):
        inversions = sum(order[i] > order[j] for i, j in combinations(range(len(rows)), 2))
        product = F(-1) ** inversions
        for i, j in enumerate(order):
            product *= rows[i][j]
        total += product
    return total


def is_semidefinite(rows: Sequence[Sequence[F | int]]) -> bool:
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
    a, right = Matrix(tuple(map(tuple, rows)), den), is_semidefinite(rows)
    found, v = definiteness(a), eliminate(a)
    assert found.shift == (F(0) if right else None)  # no eigenvalue is below 0 by rounding only
    assert (v == ()) == right
    for direction in (found.direction, v):
        assert not direction or quadratic_form(a, direction) < 0
    assert (found.direction is None) == right
    assert right or not factorise(a)[0]


@given(gram_matrices())
def test_a_gram_matrix_needs_no_shift(rows: list[list[int]]) -> None:
    a = Matrix(tuple(map(tuple, rows)), 1)
    assert definiteness(a).shift == 0
    assert asymmetry(a) is None


def test_the_direction_of_a_negative_pivot_is_solved_for_in_short_numbers() -> None:
    # by rows L = (1; 1, 1; 1, 2) and the pivot 4 - 1 - 4: (1, -2, 1) has the products (0, 0, -1)
    proved, v = factorise(Matrix(((1, 1, 1), (1, 2, 3), (1, 3, 4)), 1))
    assert not proved and [round(F(c, 2**128), 9) for c in v] == [1, -2, 1]


def test_a_hilbert_matrix_is_proved_definite_without_elimination() -> None:
    size = 20  # its smallest eigenvalue is near 1e-29
    rows = [[F(1, i + j + 1) for j in range(size)] for i in range(size)]
    assert factorise(to_matrix(rows))[0]


def test_elimination_gives_up_where_it_would_take_long() -> None:
    random = Random(1)
    rows = [[random.getrandbits(53) for _ in range(70)] for _ in range(90)]
    # singular, and of long numbers
    gram = to_matrix([[F(sum(map(mul, u, v)), 2**106) for v in rows] for u in rows])
    found = definiteness(gram)
    assert found.shift is not None and 0 < found.shift < F(1, 2**90)


def test_a_matrix_indefinite_by_one_part_in_10_to_the_400_needs_a_shift() -> None:
    a = to_matrix([[F(1), F(1)], [F(1), 1 - F(1, 10**400)]])
    v = eliminate(a)
    assert v and quadratic_form(a, v) < 0
    assert not factorise(a)[0]
    # the least that short numbers can see; of twice the matrix 2^-99, and so the next power of four
    assert definiteness(a).shift == F(1, 2**100)
    assert definiteness(Matrix(a.rows, a.den // 2)).shift == F(1, 2**98)


@pytest.mark.parametrize(
    ("below", "shift"),
    [
        (F(3, 2**46), F(1, 2**44)),
        (F(3, 2**60), F(1, 2**58)),
        (F(1, 2**42), None),
        (F(1), None),
        (F(1, 2**43), F(1, 2**43) * (1 + F(1, 2**43))),
    ],  # the allowance itself, and a little more
)
def test_up_to_so_many_roundings_a_negative_eigenvalue_is_lifted_by_a_power_of_four(
    below: F, shift: F | None
) -> None:
    # the trace is near 1, and 1024 roundoffs of it are 2^-43
    assert ROUNDINGS == 2**10
    found = definiteness(to_matrix([[F(1), F(0)], [F(0), -below]]))
    assert found.shift == shift
    assert found.direction is None if shift else found.direction == (0, 1)


def test_a_matrix_that_floats_computed_is_semidefinite_after_its_shift() -> None:
    x = [0.6000000000000001, -0.15, 1.75]
    rows = [[F(u * v + 0.5) for v in x] for u in x]
    assert not is_semidefinite(rows)
    shift = definiteness(to_matrix(rows)).shift
    assert shift is not None and shift <= ROUNDINGS * F(1, 2**53) * sum(
        rows[i][i] for i in range(3)
    )
    lifted = raised(to_matrix(rows), shift)
    assert is_semidefinite([list(row) for row in lifted.rows])
    # a quarter of it is not enough: the least power of four is taken
    lower = raised(to_matrix(rows), shift / 4)
    assert not is_semidefinite([list(row) for row in lower.rows])


def test_a_matrix_with_twins_has_a_direction() -> None:
    rows = [[1, 1, 2], [1, 1, 2], [2, 2, 1]]
    v = definiteness(to_matrix(rows)).direction
    assert v is not None and quadratic_form(to_matrix(rows), v) < 0


def test_the_witness_of_indefiniteness_is_short_where_a_short_one_serves() -> None:
    huge = F(10**60 + 7, 3)
    v = definiteness(to_matrix([[huge, 2 * huge, 1], [2 * huge, huge, 1], [1, 1, 1]])).direction
    assert v is not None and max(map(abs, v)) <= 4


def test_a_singular_matrix_of_long_numbers_is_proved_semidefinite_by_few_pivots() -> None:
    rows = [[1, i, i * i * 10**9] for i in range(40)]
    gram = [[sum(map(mul, x, z)) for z in rows] for x in rows]
    assert definiteness(to_matrix(gram)).shift == 0


def test_a_direction_has_an_entry_for_every_row() -> None:
    assert definiteness(to_matrix([[1, 2, 0], [2, 1, 0], [0, 0, 1]])).direction == (-2, 1, 0)


@pytest.mark.parametrize("rows", [[[0, 1], [1, 0]], [[0, 0], [0, -1]], [[-1]], [[0, 2], [2, 5]]])
def test_a_matrix_without_positive_diagonal_has_a_direction(rows: list[list[int]]) -> None:
    v = definiteness(to_matrix(rows)).direction
    assert v is not None and quadratic_form(to_matrix(rows), v) < 0
    assert definiteness(to_matrix([[0, 0], [0, 0]])).shift == 0
    eliminated = eliminate(to_matrix(rows))
    assert eliminated and quadratic_form(to_matrix(rows), eliminated) < 0


def test_a_direction_of_many_digits_is_shortened_as_far_as_it_serves() -> None:
    # after the first pivot the rest is negative: v = (-(n + 1), n), of which (-1, 1) is enough
    n = 10**6
    for den in 1, 10**7:
        assert definiteness(Matrix(((n, n + 1), (n + 1, n)), den)).direction == (-1, 1)


def test_a_matrix_of_very_different_sizes_is_definite_by_its_pivots() -> None:
    wide = Matrix(((10**200, 0), (0, 1)), 1)
    assert not factorise(wide)[0] and definiteness(wide).shift == 0


def test_a_shift_is_one_for_twins_too() -> None:
    """[[1, 1], [1, 1 - d]] has an eigenvalue near -d/2; with its second row four times it is -4d/5.

    With d = 7t/4 that is -7t/8, and -7t/5: v = (-4, 1, 1, 1, 1) has the form -16d = -28t, and |v|²
    = 20.
    """
    t = F(1, 2**52)
    once = [[F(1), F(1)], [F(1), 1 - 7 * t / 4]]
    assert definiteness(to_matrix(once)).shift == t
    rows = [[F(1)] * 5, *([F(1), *[1 - 7 * t / 4] * 4] for _ in range(4))]
    assert definiteness(to_matrix(rows)).shift == 4 * t
    assert is_semidefinite([list(row) for row in raised(to_matrix(rows), 4 * t).rows])
    assert quadratic_form(raised(to_matrix(rows), t), (-4, 1, 1, 1, 1)) == -8 * t


def test_the_work_of_a_pivot_is_its_rows_squared_by_the_length_of_its_numbers() -> None:
    # 2² and 1² products of one word; of 65 digits they count twice
    for rows, work in (((2, 1), (1, 2)), 5), (((2**64, 0), (0, 1)), 10):
        assert eliminate(Matrix(rows, 1), most_work=work) == ()
        assert eliminate(Matrix(rows, 1), most_work=work - 1) is None


def test_a_matrix_that_differs_from_its_mirror_image_is_off_by_the_difference() -> None:
    found = proved_semidefinite(to_matrix([[1, 2], [5, 1]]))
    assert isinstance(found, Violation)
    assert found.place == "Gram matrix at 0, 1" and found.amount == 3


def test_a_zero_on_the_diagonal_of_a_row_with_another_entry_is_negative_somewhere() -> None:
    # (−3, 1): −6 + 5
    assert eliminate(Matrix(((0, 1), (1, 5)), 1)) == (-3, 1)


def test_a_direction_in_short_numbers_is_enough_where_elimination_takes_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("refmc.checker.numbers.definiteness.eliminate", lambda matrix: None)
    a = Matrix(((1, 2), (2, 1)), 1)
    found = definiteness(a)
    assert found.shift is None and found.direction is not None
    assert quadratic_form(a, found.direction) < 0
