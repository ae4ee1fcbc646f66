"""The kernel SVM: `learn` and the lecture agree, and so do their quadratic programs."""

from collections.abc import Sequence
from fractions import Fraction as F
from itertools import combinations_with_replacement, product
from math import inf
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc import (
    MulticlassSVM,
    QPSolution,
    UnboundedError,
    choose_C,
    fit_multiclass_svm,
    folds,
    polynomial,
    solve_qp,
)
from refmc.lectures import lu

Rows = Sequence[Sequence[F]]


def gram(X: Rows) -> list[list[lu.Number]]:
    return [[lu.dot(x, z) for z in X] for x in X]


def fitted(X: Rows, c: Sequence[int], k: int, C: F, **kernel: Any) -> Any:
    return fit_multiclass_svm(X, c, C=C, classes=list(range(k)), **kernel)


def assert_same_machine(
    model: MulticlassSVM[F], K: lu.Matrix, c: Sequence[int], k: int, C: F
) -> lu.Matrix:
    """Both λ are optimal for both problems, and make the same functions f_y; the lecture's."""
    m = len(c)
    lam = lu.svm(K, c, k, C)
    alpha = lu.f_of(lam, c)
    eta = [lu.slack(lu.f(alpha, K_i), c_i) for K_i, c_i in zip(K, c)]
    assert lu.theta(lam, K, c) == lu.F(alpha, eta, K, C) == model.objective
    for other in (lam, model.lam):
        assert lu.theta(other, K, c) == lu.F_tilde(lu.f_of(other, c), K, c, C) == model.objective
        mu = [C - other[i][c[i]] for i in range(m)]
        assert lu.inf_L(other, mu, K, c, C) == lu.L(alpha, eta, other, mu, K, c, C)
        assert all(lu.kuhn_tucker(alpha, eta, other, mu, K, c, C).values())
    assert eta == [*model.slack]
    assert all(value <= 0 for value in lu.g(alpha, eta, K, c).values())
    assert tuple(lu.outliers(eta)) == model.outliers
    for y in range(k):
        assert tuple(lu.support_vectors(model.lam, y)) == model.support_vectors(y)
    for outlier in lu.outliers(eta):
        assert outlier in lu.support_vectors(lam, c[outlier]) and lam[outlier][c[outlier]] == C
    return lam


def test_three_points_are_told_apart_with_margins_of_1() -> None:
    X = [[F(1), F(0)], [F(0), F(1)], [F(-1), F(-1)]]
    lam = lu.svm(gram(X), [0, 1, 2], 3, 1)
    scores = [lu.f(lu.f_of(lam, [0, 1, 2]), K_i) for K_i in gram(X)]
    assert [lu.margin(row, y) for y, row in enumerate(scores)] == [1, 1, 1]
    assert lu.theta(lam, gram(X), [0, 1, 2]) == F(2, 3)


def test_a_sample_of_all_tiny_problems_has_the_machine_of_the_lecture() -> None:
    """Of up to 3 rows over {−1, 0, 1}, up to the order of rows."""
    seen = 0
    for k, m, C in product((2, 3), (1, 2, 3), (F(1), F(1, 4))):
        points = list(product((F(-1), F(0), F(1)), range(k)))
        for number, chosen in enumerate(combinations_with_replacement(points, m)):
            if number % (7, 31)[m == 3] == 0:
                X, c = [[x] for x, _ in chosen], [y for _, y in chosen]
                assert_same_machine(fitted(X, c, k, C), gram(X), c, k, C)
                seen += 1
    assert seen == 42


half = st.integers(-3, 3).map(lambda n: F(n, 2))


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[list[F]], list[int], int, F]:
    m, k = draw(st.integers(1, 4)), draw(st.integers(2, 3))
    X = draw(st.lists(st.tuples(half, half).map(list), min_size=m, max_size=m))
    c = draw(st.lists(st.integers(0, k - 1), min_size=m, max_size=m))
    return X, c, k, draw(st.sampled_from([F(1, 8), F(1, 2), F(1), F(4)]))


@given(problems())
def test_drawn_problems_have_the_machine_and_the_decisions_of_the_lecture(
    problem: tuple[list[list[F]], list[int], int, F],
) -> None:
    X, c, k, C = problem
    model = fitted(X, c, k, C)
    lam = assert_same_machine(model, gram(X), c, k, C)
    for x in [*X, [F(1), F(1)], [F(0), F(0)]]:
        K_omega = [lu.dot(x_i, x) for x_i in X]
        assert tuple(lu.f(lu.f_of(lam, c), K_omega)) == tuple(model.scores(x))
        assert tuple(lu.h_SVM(lam, c, K_omega)) == model.predict_set(x)


def test_another_kernel_has_the_machine_of_the_lecture() -> None:
    X, c = [[F(-1)], [F(0)], [F(1)], [F(2)]], [0, 1, 0, 0]
    K = [[(entry + 1) ** 2 for entry in row] for row in gram(X)]
    for C in (F(1, 8), F(4)):
        assert_same_machine(fitted(X, c, 2, C, kernel=polynomial(2, offset=1)), K, c, 2, C)


def test_the_printed_sign_picks_the_worst_class() -> None:
    X, c = [[F(1), F(0)], [F(0), F(1)], [F(-1), F(-1)]], [0, 1, 2]
    alpha = lu.f_of(lu.svm(gram(X), c, 3, 1), c)
    printed = [[-entry for entry in row] for row in alpha]
    for K_i, y in zip(gram(X), c):
        assert lu.arg_max(lu.f(alpha, K_i)) == [y]
        assert y not in lu.arg_max(lu.f(printed, K_i))


# two items e_0, e_1 of classes 0, 1: f_0 = (½, −½) = −f_1, and both margins are 1
OPTIMUM: dict[str, Any] = {
    "alpha": [[F(1, 2), F(-1, 2)], [F(-1, 2), F(1, 2)]],
    "eta": [F(0), F(0)],
    "lam": [[F(1, 2), F(1, 2)], [F(1, 2), F(1, 2)]],
    "mu": [F(1, 2), F(1, 2)],
    "K": [[1, 0], [0, 1]],
    "c": [0, 1],
    "C": F(1),
}


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("f_y = Σ ± λ_iy Φ(ω_i)", {"alpha": [[F(1), F(0)], [F(-1, 2), F(1, 2)]]}),
        ("λ_ic = Σ λ_iy", {"lam": [[F(1, 2), F(1, 2)], [F(1, 2), F(1)]]}),
        ("C = μ_i + Σ λ_iy", {"C": F(2)}),
        ("C = μ_i + Σ λ_iy", {"mu": [F(1, 2), F(1, 4)]}),
        ("λ_iy g_iy = 0", {"K": [[4, 0], [0, 1]]}),
        ("μ_i η_i = 0", {"eta": [F(1), F(0)]}),
        ("λ_iy ≥ 0", {"lam": [[F(1, 2), F(1, 2)], [F(-1, 2), F(-1, 2)]]}),
        ("μ_i ≥ 0", {"mu": [F(1, 2), F(-1, 2)]}),
    ],
)
def test_every_kuhn_tucker_condition_can_fail(name: str, change: dict[str, Any]) -> None:
    assert all(lu.kuhn_tucker(**OPTIMUM).values())
    assert not lu.kuhn_tucker(**OPTIMUM | change)[name]


def test_multipliers_whose_own_class_entry_is_no_sum_prove_nothing() -> None:
    lam = [[5, 0]]  # the objective is 25/2 here, and 0 at the optimum λ = (½, ½)
    held = lu.kuhn_tucker(lam, [0], lam, [1], [[1]], [0], C=1)
    assert [name for name, holds in held.items() if not holds] == ["λ_ic = Σ λ_iy"]
    assert lu.F(lam, [0], [[1]], 1) == F(25, 2) > lu.F(lu.f_of([[F(1, 2)] * 2], [0]), [0], [[1]], 1)


def test_the_lagrangian_of_one_item_has_the_value_found_by_hand() -> None:
    # f = (1, −1): ½(1 + 1) + ½; g = 1 − ½ − 1 − 1 = −3/2 counts ½, −η = −½ counts ¼
    alpha, eta, lam, mu = [[1, -1]], [F(1, 2)], [[F(1, 2), F(1, 2)]], [F(1, 4)]
    assert lu.F(alpha, eta, [[1]], 1) == F(3, 2)
    assert lu.g(alpha, eta, [[1]], [0]) == {(0, 1): F(-3, 2)}
    assert lu.L(alpha, eta, lam, mu, [[1]], [0], 1) == F(3, 2) - F(3, 4) - F(1, 8)


multipliers = st.tuples(*[st.integers(0, 2).map(lambda n: F(n, 2))] * 2)


@given(st.tuples(multipliers, multipliers), st.lists(half, min_size=6, max_size=6))
def test_the_dual_function_is_below_the_lagrangian_and_minus_infinity_off_the_constraints(
    rivals: tuple[tuple[F, F], tuple[F, F]], drawn: list[F]
) -> None:
    K, c, C = [[2, -1], [-1, 1]], [0, 1], F(2)
    (a, b), (d, e) = rivals
    lam, mu = [[a + b, a, b], [d, d + e, e]], [C - a - b, C - d - e]
    alpha, eta = [[drawn[0], drawn[1], F(1)], [drawn[2], F(0), drawn[3]]], drawn[4:]
    assert lu.inf_L(lam, mu, K, c, C) <= lu.L(alpha, eta, lam, mu, K, c, C)
    assert lu.inf_L(lam, mu, K, c, C) == lu.L(lu.f_of(lam, c), eta, lam, mu, K, c, C)
    for off in ([mu[0] + 1, mu[1]], [mu[0], mu[1] - 1]):
        assert lu.inf_L(lam, off, K, c, C) == -inf
    assert lu.inf_L([[a + b + 1, a, b], lam[1]], [mu[0] - 1, mu[1]], K, c, C) == -inf


def test_C_is_chosen_among_those_that_the_lecture_admits() -> None:
    X, y = [[F(t), F(1)] for t in (0, 1, 1, 0, 2)], [1, 0, 1, 1, 0]
    grid, parts = [F(1, 20), F(1, 2), F(4)], list(folds(5, 5))

    def train(S: lu.Sample, C: lu.Number) -> lu.Hypothesis:
        rows, c = [x for x, _ in S], [label for _, label in S]
        lam = lu.svm(gram(rows), c, 2, C)
        return lambda x: lu.h_SVM(lam, c, [lu.dot(row, x) for row in rows])[0]

    best = lu.n_fold(train, list(zip(X, y)), parts, grid)
    found = choose_C(X, y, fit_multiclass_svm, grid, parts)
    assert best == [*found.tied] == [found.value] == [F(1, 2)]


# --- The active set on any program

Program = tuple[list[list[F]], list[F], list[list[F]], list[list[F]], list[F], list[F]]


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Q = BᵀB of a rank of at most n, rows through the start and beside it, equal rows too."""
    n = draw(st.integers(1, 3))
    entry = st.integers(-2, 2).map(F)
    vector = st.lists(entry, min_size=n, max_size=n)
    B = draw(st.lists(vector, max_size=2))
    Q = [[sum((b[i] * b[j] for b in B), F(0)) for j in range(n)] for i in range(n)]
    A, G = draw(st.lists(vector, max_size=1)), draw(st.lists(vector, max_size=6))
    start = draw(vector)
    h = [lu.dot(row, start) + draw(st.sampled_from([F(0), F(0), F(1)])) for row in G]
    return Q, draw(vector), A, G, [F(value) for value in h], start


def assert_settled(program: Program) -> None:
    """The multipliers or the ray prove what was found, and `learn` finds the same."""
    Q, q, A, G, h, start = program
    b = [F(lu.dot(row, start)) for row in A]
    found = lu.active_set(Q, q, A, G, h, start)
    x = found["x"]
    assert [lu.dot(row, x) for row in A] == b
    assert all(lu.dot(row, x) <= h_i for row, h_i in zip(G, h))
    if "ray" in found:
        ray = found["ray"]
        assert not any(lu.dot(row, ray) for row in Q + A) and lu.dot(q, ray) < 0
        assert all(lu.dot(row, ray) <= 0 for row in G)
        with pytest.raises(UnboundedError):
            solve_qp(Q, q, A=A, b=b, G=G, h=h)
        return
    nu, mu = found["nu"], found["mu"]
    for j, row in enumerate(Q):
        forces = lu.dot(nu, [a[j] for a in A]) + lu.dot(mu, [g[j] for g in G])
        assert lu.dot(row, x) + q[j] + forces == 0
    assert all(mu_i >= 0 for mu_i in mu)
    assert not any(mu_i * (h_i - lu.dot(row, x)) for mu_i, row, h_i in zip(mu, G, h))
    solution: QPSolution[Any] = solve_qp(Q, q, A=A, b=b, G=G, h=h)
    value = F(1, 2) * lu.dot(x, [lu.dot(row, x) for row in Q]) + lu.dot(q, x)
    assert value == solution.objective


@given(programs())
def test_the_active_set_has_the_optimum_of_solve_qp_or_proves_that_there_is_none(
    program: Program,
) -> None:
    assert_settled(program)


def cone(q: list[int], G: list[list[int]]) -> Program:
    """Minimise qᵀx over Gx ≤ 0, from 0."""
    n = len(q)
    flat, rows = [[F(0)] * n] * n, [[F(a) for a in row] for row in G]
    return flat, [F(a) for a in q], [], rows, [F(0)] * len(G), [F(0)] * n


@pytest.mark.parametrize(
    "program",
    [
        cone(  # goes round for ever if the largest index leaves
            [0, -3, 2, 0],
            [[3, -2, -3, 0], [1, -1, 1, 1], [3, -1, 0, -2], [1, 2, 2, 0]]
            + [[3, 2, 2, -3], [-1, 3, 0, 3], [-2, 3, -3, -3], [-3, 2, -2, -2]],
        ),
        cone(  # and here if the largest index enters
            [1, 0, 2, 3],
            [[1, 2, 1, 1], [1, -2, -1, -3], [0, 1, -2, -1], [-3, 2, 2, -3], [0, -3, -1, 1]]
            + [[-3, -2, -2, 2], [2, -1, 1, 3], [-2, 0, -2, 3], [1, 3, 1, 3]],
        ),
    ],
)
def test_programs_on_which_another_index_would_cycle_come_to_their_end(program: Program) -> None:
    assert_settled(program)


def test_a_program_on_which_the_steepest_choice_cycles_comes_to_its_end() -> None:
    # Beale's example: with the steepest edge the simplex method stays at 0 for ever
    Q, _, A, _, _, start = cone([0] * 4, [])
    q = [F(-3, 4), F(150), F(-1, 50), F(6)]
    G = [[F(1, 4), F(-60), F(-1, 25), F(9)], [F(1, 2), F(-90), F(-1, 50), F(3)]]
    G += [[F(int(j == 2)) for j in range(4)]]
    G += [[F(-int(i == j)) for j in range(4)] for i in range(4)]
    x = lu.active_set(Q, q, A, G, [F(0), F(0), F(1), *start], start)["x"]
    assert list(x) == [F(1, 25), 0, 1, 0] and lu.dot(q, x) == F(-1, 20)


@pytest.mark.parametrize(
    ("K", "is_PDS"),
    [
        ([[2, -1], [-1, 1]], True),
        ([[1, 1], [1, 1]], True),
        ([[0, 0], [0, 1]], True),
        ([[-1]], False),
        ([[1, 2], [2, 1]], False),  # x = (1, −1): 1 − 4 + 1
        ([[0, 1], [1, 5]], False),
        ([[0, 0, 1], [0, 1, 0], [1, 0, 1]], False),
        ([[4, 2, 2], [2, 1, 1], [2, 1, 1]], True),
        ([[4, 2, 2], [2, 1, 2], [2, 2, 9]], False),
        ([[1, 1], [0, 1]], False),  # not symmetric, though x₁² + x₁x₂ + x₂² ≥ 0
        ([[3, 1], [1, 1]], True),
        ([[3, 2], [2, 1]], False),
    ],
)
def test_kernels_are_PDS_or_refused(K: Any, is_PDS: bool) -> None:
    assert lu.is_PDS(K) == is_PDS
    c = [0, 1, 0][: len(K)]
    if is_PDS:
        assert lu.svm(K, c, 2, 1)
    else:
        with pytest.raises(ValueError, match="not symmetric and positive semi-definite"):
            lu.svm(K, c, 2, 1)


def test_floats_are_taken_for_the_fractions_that_they_are() -> None:
    K = [[1.0, 0.1, 0.7], [0.1, 1.0, 0.3], [0.7, 0.3, 1.0]]
    exact_K = [[F(entry) for entry in row] for row in K]
    K_: Any = K
    lam = lu.svm(K_, [0, 1, 2], 3, 1)
    assert lam == lu.svm(exact_K, [0, 1, 2], 3, 1)
    assert lu.theta(lam, exact_K, [0, 1, 2]) == lu.F_tilde(
        lu.f_of(lam, [0, 1, 2]), exact_K, [0, 1, 2], 1
    )
    above: Any = [[1.0, 1.0 + 2**-52], [1.0 + 2**-52, 1.0]]  # |K_12| > 1: not semi-definite
    with pytest.raises(ValueError, match="not symmetric and positive semi-definite"):
        lu.svm(above, [0, 1], 2, 1)


def test_gauss_jordan_solves_or_shows_why_it_cannot() -> None:
    zero, one = F(0), F(1)
    assert lu.solve([[2, 1], [1, 3]], [3, 5]) == ([F(4, 5), F(7, 5)], True)
    assert lu.solve([[1, 1], [1, 1]], [2, 2]) == ([F(2), zero], True)
    assert lu.solve([[1, 1], [1, 1]], [2, 3]) == ([-one, one], False)
    assert lu.reduced([[0, 2, 2], [0, 1, 3]]) == ([[zero, one, zero], [zero, zero, one]], [1, 2])


def test_a_ray_is_followed_to_its_end_at_once() -> None:
    far = 10**9
    found = lu.active_set([[0]], [-1], [], [[1]], [far], [0])
    assert found == {"x": [far], "nu": [], "mu": [1]}


def test_the_dual_of_one_item_is_the_program_written_by_hand() -> None:
    # λ_0 = λ_1 with 0 ≤ λ_0 ≤ 3: ½(2 λ_0² + 2 λ_1²) − λ_0
    Q, q, A, G, h = lu.dual_program([[2]], [0], 2, 3)
    assert (Q, q, A) == ([[2, 0], [0, 2]], [-1, 0], [[1, -1]])
    assert (G, h) == ([[-1, 0], [0, -1], [1, 0]], [0, 0, 3])
