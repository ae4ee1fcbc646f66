"""Where many multipliers are free, Newton steps by conjugate gradients find their values."""

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
    p = [Random(2).gauss(0, 1) for _ in newton.free]
    expected = [sum(a * dual.inner(u, v) for v, a in zip(newton.free, p)) for u in newton.free]
    assert newton.times(p) == pytest.approx(expected)


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
