"""Where many multipliers are free, Newton steps by conjugate gradients find their values."""

from dataclasses import replace
from fractions import Fraction as F
from random import Random
from typing import Any

import pytest

from refmc import Pivot, fit_multiclass_svm
from refmc.learn.svm.dual import Dual
from refmc.learn.svm.multiclass import multiclass_dual
from refmc.learn.svm.newton import FreeMultipliers
from refmc.learn.svm.points import read_points
from refmc.theory.kernels import linear
from refmc.theory.subgradients import max_form, sum_form


def unit_rows(k: int) -> list[list[F]]:
    return [[F(i == j) for j in range(k)] for i in range(k)]


def optimum_of_unit_rows(k: int, C: F) -> tuple[F, F]:
    """λ_iz for z ≠ i, and the objective, where row i is e_i and the only one of class i.

    All λ_iz = a by symmetry, so w_i has (k − 1)a at i and −a elsewhere. Each margin is ka, and
    ‖w‖² the sum of λ times margins, k(k − 1)a·ka. So a = 1/k, or C/(k − 1) where that is more than
    C allows. The dual is k(k − 1)a less half of ‖w‖².
    """
    a = min(F(1, k), C / (k - 1))
    return a, k * (k - 1) * a * (1 - k * a / 2)


@pytest.mark.parametrize("C", [F(1), F(1, 2)])
def test_eight_classes_of_one_row_each_are_solved_exactly(C: F) -> None:
    a, objective = optimum_of_unit_rows(8, C)
    model: Any = fit_multiclass_svm(unit_rows(8), list(range(8)), C=C)
    assert model.objective == objective and model.certificate.gap == 0
    assert all(model.lam[i][z] == a for i in range(8) for z in range(8) if z != i)


@pytest.mark.parametrize("C", [1.0, 0.5])
def test_hundreds_of_free_multipliers_are_found_without_pivots(C: float) -> None:
    a, objective = optimum_of_unit_rows(24, F(C))
    X, pivots = [list(map(float, row)) for row in unit_rows(24)], list[Pivot[Any]]()
    model: Any = fit_multiclass_svm(X, list(range(24)), C=C, on_step=pivots.append)
    assert not pivots and abs(model.objective / objective - 1) < F(1, 10**9)
    assert all(abs(model.lam[i][z] - a) < 1e-6 for i in range(24) for z in range(24) if z != i)


def random_dual(loss: Any, seed: int) -> tuple[Dual[float], list[float]]:
    """A small problem of five classes, and multipliers of which most are free."""
    random = Random(seed)
    points = read_points([[random.gauss(0, 1) for _ in range(3)] for _ in range(8)], linear, None)
    codes = tuple(i % 5 for i in range(8))
    costs = [[F(j != c) for j in range(5)] for c in codes]
    exact = multiclass_dual(points.lifted(), codes, costs, (F(1),) * 8, loss, blocks=True)
    dual = exact.rounded(points)
    x = [0.0 if bound == 0 else random.choice([0.0, 0.1, 0.2]) for bound in dual.upper]
    for group in dual.groups:
        size = sum(x[v] for v in group)
        for v in group:
            x[v] = x[v] / size if size else 0.2
    return dual, x


@pytest.mark.parametrize("loss", [max_form, sum_form])
def test_products_with_the_hessian_are_those_of_the_vectors(loss: Any) -> None:
    dual, x = random_dual(loss, 1)
    newton = FreeMultipliers(dual, x)
    # The sum of a group is fixed, and only differences of its slopes count.
    p = newton.balanced([Random(2).gauss(0, 1) for _ in newton.free])
    expected = [sum(a * dual.inner(u, v) for v, a in zip(newton.free, p)) for u in newton.free]
    found = newton.balanced(newton.times(p))
    assert found == pytest.approx(newton.balanced(expected))


@pytest.mark.parametrize("loss", [max_form, sum_form])
@pytest.mark.parametrize("seed", range(5))
def test_a_step_stays_feasible_raises_the_dual_and_moves_only_what_is_free(
    loss: Any, seed: int
) -> None:
    dual, x = random_dual(loss, seed)
    newton = FreeMultipliers(dual, x)
    moved = newton.step(dual.at(x).w, 0.3)
    after = [moved.get(v, a) for v, a in enumerate(x)]
    assert set(moved) == set(newton.free) == {v for v, a in enumerate(x) if a}
    assert dual.at(after).dual > dual.at(x).dual
    assert all(0 <= a <= 1 + 1e-12 for a in after)  # C = 1 bounds all of them, up to roundings
    for group in dual.groups:
        assert sum(after[v] for v in group) == pytest.approx(sum(x[v] for v in group))


def test_an_unbounded_step_ends_where_the_slopes_of_each_group_are_equal() -> None:
    """One row x = 1 and three classes, all λ free: the optimum on that face is λ = (a, a).

    With w_0 = 2a and w_1 = w_2 = −a both margins are 3a, and the slopes 1 − 3a are 0 at a = 1/3.
    """
    points = read_points([[1.0]], linear, None)
    costs = [[F(0), F(1), F(1)]]
    exact = multiclass_dual(points.lifted(), (0,), costs, (F(1),), max_form, blocks=True)
    dual, x = exact.rounded(points), [0.5, 0.3, 0.2]
    moved = FreeMultipliers(dual, x).step(dual.at(x).w, 0.0)
    assert moved == {0: pytest.approx(1 / 3), 1: pytest.approx(1 / 3), 2: pytest.approx(1 / 3)}


@pytest.mark.parametrize("seed", range(5))
def test_a_step_goes_all_the_way_from_next_to_the_optimum(seed: int) -> None:
    """The row and the optimum of the test above. All slopes are near 1/3, and the rise is 10^-18.

    It must not drown in the roundings of the group's sum times 1/3.
    """
    random, points = Random(seed), read_points([[1.0]], linear, None)
    exact = multiclass_dual(points.lifted(), (0,), [[F(0), F(1), F(1)]], (F(1),), max_form, True)
    a, b = (random.uniform(-1e-9, 1e-9) for _ in range(2))
    dual, x = exact.rounded(points), [1 / 3 + a, 1 / 3 + b, 1 / 3 - a - b]
    moved = FreeMultipliers(dual, x).step(dual.at(x).w, 0.0)
    assert moved == {v: pytest.approx(1 / 3, abs=1e-14) for v in range(3)}


def two_rows(X: list[list[float]], x: float, upper: float | None = 1.0) -> FreeMultipliers:
    """Two rows of the first of two classes in the sum form: free are λ_01 = λ_11 = x.

    Their vectors are x_i in the first block and −x_i in the second, so H is 2 XXᵀ.
    """
    points = read_points(X, linear, None)
    costs = [[F(0), F(1)]] * 2
    exact = multiclass_dual(points.lifted(), (0, 0), costs, (F(1),) * 2, sum_form, blocks=True)
    dual = replace(exact.rounded(points), upper=(0.0, upper, 0.0, upper))
    return FreeMultipliers(dual, [0.0, x, 0.0, x])


def test_a_product_with_the_hessian_is_rounded_once_in_every_python() -> None:
    """Three rows x = 1: each entry of Hp is 2 Σp, and 10^16 + 1 is 10^16 in float."""
    points = read_points([[1.0]] * 3, linear, None)
    costs = [[F(0), F(1)]] * 3
    exact = multiclass_dual(points.lifted(), (0,) * 3, costs, (F(1),) * 3, sum_form, blocks=True)
    newton = FreeMultipliers(exact.rounded(points), [0.0, 0.5] * 3)
    assert newton.times([1e16, 1.0, -1e16]) == [2.0] * 3


CORNER = [[1.0, 0.0], [1.0, 1.0]]
"""H = ((2, 2), (2, 4)); with g = (2, 6) the solution of Hp = g is p = (−1, 2).

In units of 1/√2 and 1/2 the slope is (√2, 3), of square 11, and the first step is 11/17 of it,
which is p = 11/17 (1, 3/2). It leaves (−21/(17√2), 7/17), of square 539/578: a share of
√0.08478 = 0.2912.
"""


def test_a_direction_is_as_exact_as_it_is_asked_to_be() -> None:
    first = pytest.approx([11 / 17, 33 / 34])
    assert two_rows(CORNER, 0.5).direction([2.0, 6.0], 0.292) == first
    assert two_rows(CORNER, 0.5).direction([2.0, 6.0], 0.291) == pytest.approx([-1, 2])


def test_only_the_first_step_of_a_direction_may_go_beyond_the_reach() -> None:
    """In these units x² is 6a² for x = (a, a), and p² is 1·2 + 4·4 = 18 at the solution.

    So the reach of 16 |x| is exceeded by the second step if a² < 18/(6·256), which is a < 0.10825.
    """
    g = [2.0, 6.0]
    assert two_rows(CORNER, 0.109).direction(g, 0.0) == pytest.approx([-1, 2])
    for x in (0.1075, 1e-6):
        assert two_rows(CORNER, x).direction(g, 0.0) == pytest.approx([11 / 17, 33 / 34])


def test_orthogonal_rows_of_any_length_take_one_product() -> None:
    newton = two_rows([[1.0, 0.0], [0.0, 2.0]], 0.25)  # H is 2 and 8 on the diagonal
    assert newton.direction([0.5, -1.0], 0.0) == pytest.approx([1 / 4, -1 / 8])
    assert newton.work == 2  # of two multipliers
    short = two_rows([[0.25, 0.0], [0.0, 0.5]], 0.5)  # H is 1/8 and 1/2
    assert short.direction([1.0, 1.0], 0.0) == pytest.approx([8, 2]) and short.work == 2


def test_a_step_reaches_an_optimum_between_the_bounds_and_goes_no_further() -> None:
    """The gains are 1, so the optimum has 2a = 1 and 8b = 1, and at it no step raises the dual."""
    rows = [[1.0, 0.0], [0.0, 2.0]]
    newton = two_rows(rows, 0.25)
    moved = newton.step(newton.dual.at(newton.x).w, 0.0)
    assert moved == {1: pytest.approx(1 / 2), 3: pytest.approx(1 / 8)}
    at_rest = FreeMultipliers(newton.dual, [0.0, 0.5, 0.0, 0.125])
    assert at_rest.step(newton.dual.at(at_rest.x).w, 0.0) == {}


def test_a_step_that_would_lower_the_dual_is_halved_until_it_raises_it() -> None:
    """From x = (0.5, 0.8) with g = (0, −0.1) the Newton direction is (5, −5).

    All of it, a half and a quarter end at the corner (1, 0): there the dual is higher by
    g·(0.5, −0.8) = 0.08, less half of 2·0.3² + 0.02·0.8² = 0.1928, so it is lower. An eighth ends
    at (1, 0.175), and raises it by 0.0625 − 0.0390625/2.
    """
    newton = two_rows([[1.0, 0.0], [1.0, 0.1]], 0.5)  # H is (2, 2) and (2, 2.02)
    dual = replace(newton.dual, gain=(0.0, 2.6, 0.0, 2.516))
    newton = FreeMultipliers(dual, [0.0, 0.5, 0.0, 0.8])
    moved = newton.step(dual.at(newton.x).w, 0.0)
    assert moved == {1: 1.0, 3: pytest.approx(0.175)}


def test_what_leaves_its_bounds_is_put_on_them() -> None:
    assert two_rows(CORNER, 0.5).projected([1.75, -0.25]) == [1.0, 0.0]
    assert two_rows(CORNER, 0.5, None).projected([1.75, -0.25]) == [1.75, 0.0]


@pytest.mark.parametrize(
    ("x", "nearest"),
    [
        ([1.0, 0.5, 0.0], [0.75, 0.25, 0.0]),
        ([2.0, 0.5, 0.0], [1.0, 0.0, 0.0]),
        ([0.0, 0.0, 0.25], [0.25, 0.25, 0.5]),
        ([0.5, -2.0, 0.25], [0.625, 0.0, 0.375]),
    ],
)
def test_a_group_is_put_on_its_simplex(x: list[float], nearest: list[float]) -> None:
    """The nearest point of non-negative numbers of sum 1 is x less one amount, or 0."""
    points = read_points([[1.0]], linear, None)
    costs = [[F(0), F(1), F(1)]]
    exact = multiclass_dual(points.lifted(), (0,), costs, (F(1),), max_form, blocks=True)
    newton = FreeMultipliers(exact.rounded(points), [0.5, 0.3, 0.2])
    assert newton.projected(x) == pytest.approx(nearest)
