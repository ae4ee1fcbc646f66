"""Semi-definiteness against principal minors."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from hypothesis import example, given
from hypothesis import strategies as st

from refmc.core.definiteness import (
    doubtful_direction,
    negative_direction,
    negative_direction_of_floats,
    quadratic_form,
)
from refmc.core.linalg import UNIT_ROUNDOFF, common_denominator
from tests.core.matrices import (
    HUGE,
    RATIONAL,
    SMALL,
    Matrix,
    determinant,
    form,
    gram_of_few,
    has_only_non_negative_principal_minors,
    symmetric,
)


@given(symmetric(RATIONAL), st.data())
def test_quadratic_form_is_the_double_sum(K: Matrix, data: st.DataObject) -> None:
    v = data.draw(st.lists(RATIONAL, min_size=len(K), max_size=len(K)))
    assert quadratic_form(K, v) == form(K, v)


@given(symmetric(SMALL))
@example([[Fraction(0), Fraction(1)], [Fraction(1), Fraction(-2)]])
@example([[Fraction(0), Fraction(0)], [Fraction(0), Fraction(-1)]])
@example([[Fraction(1), Fraction(1), Fraction(0)]] * 2 + [[Fraction(0), Fraction(0), Fraction(0)]])
def test_the_decision_is_that_of_all_principal_minors(K: Matrix) -> None:
    v = negative_direction(K)
    assert (v is None) == has_only_non_negative_principal_minors(K)
    assert v is None or form(K, v) < 0


@given(symmetric(RATIONAL, most=6))
def test_a_witness_always_has_a_negative_form(K: Matrix) -> None:
    v = negative_direction(K)
    if v is None:
        assert all(K[i][i] >= 0 for i in range(len(K)))
        assert all(K[i][j] ** 2 <= K[i][i] * K[j][j] for i, j in combinations(range(len(K)), 2))
    else:
        assert form(K, v) < 0


@given(gram_of_few(), st.data())
def test_singular_gram_matrices_pass_and_any_lower_diagonal_fails(
    K: Matrix, data: st.DataObject
) -> None:
    assert negative_direction(K) is None
    i = data.draw(st.integers(0, len(K) - 1))
    K[i][i] -= K[i][i] + Fraction(1, 10**30)
    v = negative_direction(K)
    assert v is not None and form(K, v) < 0


def test_the_empty_matrix_is_positive_semi_definite() -> None:
    assert negative_direction([]) is None
    assert negative_direction_of_floats([]) is None


def test_a_matrix_negative_by_a_hair_is_negative_exactly_and_not_in_float() -> None:
    hair = 1 + 2.0**-52
    K = [[1.0, hair], [hair, 1.0]]
    lifted = [[Fraction(entry) for entry in row] for row in K]
    v = negative_direction(lifted)
    assert v is not None and form(lifted, v) < 0
    assert negative_direction_of_floats(K) is None


@given(symmetric(SMALL, most=5))
def test_in_float_small_whole_matrices_are_decided_as_exactly(K: Matrix) -> None:
    v = negative_direction_of_floats([[float(entry) for entry in row] for row in K])
    assert (v is None) == (negative_direction(K) is None)
    assert v is None or form(K, v) < 0


@given(symmetric(HUGE.map(Fraction), most=3))
@example([[Fraction(1e-300), Fraction(1e300)], [Fraction(1e300), Fraction(1e-300)]])
@example([[Fraction(1e-300), Fraction(1e308)], [Fraction(1e308), Fraction(1e308)]])
def test_floats_of_any_size_are_handled_and_witnesses_hold(K: Matrix) -> None:
    v = negative_direction_of_floats([[float(entry) for entry in row] for row in K])
    if v is None:
        allowance = 1024 * UNIT_ROUNDOFF * sum(abs(K[i][i]) for i in range(len(K)))
        assert all(K[i][i] >= -allowance for i in range(len(K)))
    else:
        assert form(K, v) < 0


def test_a_witness_is_found_where_floats_overflow_on_the_way() -> None:
    K = [[1e-300, 1e300], [1e300, 1e-300]]
    v = negative_direction_of_floats(K)
    assert v is not None and form([[Fraction(entry) for entry in row] for row in K], v) < 0


def test_digits_grow_so_slowly_that_a_large_ill_conditioned_matrix_is_decided() -> None:
    hilbert = [[Fraction(1, i + j + 1) for j in range(30)] for i in range(30)]
    assert negative_direction(hilbert) is None
    hilbert[29][29] -= Fraction(1, 10**30)  # far below what floats could see
    v = negative_direction(hilbert)
    assert v is not None and form(hilbert, v) < 0


def upper_rows(K: Matrix) -> list[list[int]]:
    return [row[i:] for i, row in enumerate(common_denominator(K)[0])]


@given(symmetric(SMALL), st.integers(0, 4))
@example([[Fraction(1), 1 - Fraction(1, 2**40)], [1 - Fraction(1, 2**40), Fraction(1)]], 0)
@example([[Fraction(1), 1 + Fraction(1, 2**80)], [1 + Fraction(1, 2**80), Fraction(1)]], 0)
def test_only_definite_matrices_are_proved_so_at_once(K: Matrix, shift: int) -> None:
    K = [[a + shift * (i == j) for j, a in enumerate(row)] for i, row in enumerate(K)]
    if doubtful_direction(upper_rows(K)) is None:
        assert all(determinant([row[:r] for row in K[:r]]) > 0 for r in range(1, len(K) + 1))


def test_a_definite_matrix_of_long_numbers_is_proved_so_at_once() -> None:
    K = [[Fraction(1, 3 ** abs(i - j)) + (i == j) for j in range(40)] for i in range(40)]
    assert doubtful_direction(upper_rows(K)) is None
    K[3][7] = K[7][3] = Fraction(3)
    assert doubtful_direction(upper_rows(K)) is not None


@given(gram_of_few(), st.integers(-40, 10), st.integers(0, 60))
def test_a_matrix_is_proved_definite_only_above_its_least_eigenvalue(
    K: Matrix, size: int, depth: int
) -> None:
    unit, shift = Fraction(2) ** size, Fraction(1, 2**depth)
    for side in (1, -1):
        M = [[a + side * shift * (i == j) for j, a in enumerate(row)] for i, row in enumerate(K)]
        found = negative_direction_of_floats([[float(a * unit) for a in row] for row in M])
        if side > 0:
            assert found is None
        elif depth < 36 and determinant(K) == 0:
            assert found is not None and form(M, found) < 0


def test_a_matrix_of_low_rank_with_one_negative_direction_far_inside_is_told_apart() -> None:
    rows = [[1.0 + i % 7, (i * i) % 5 - 2.0, i % 3 - 1.0] for i in range(60)]
    K = [[sum(a * b for a, b in zip(u, v)) for v in rows] for u in rows]
    assert negative_direction_of_floats(K) is None
    K[40][17] = K[17][40] = K[40][17] + 0.01
    v = negative_direction_of_floats(K)
    assert v is not None and form([[Fraction(a) for a in row] for row in K], v) < 0
