"""Sweeps leave multipliers feasible, and nearly all where the optimum has them."""

from fractions import Fraction as F
from math import inf
from random import Random
from typing import Any

import pytest

from refmc import fit_binary_svm, fit_multiclass_svm
from refmc.learn.svm import optimum
from refmc.learn.svm.binary import binary_dual
from refmc.learn.svm.dual import Dual
from refmc.learn.svm.multiclass import multiclass_dual
from refmc.learn.svm.optimum import _Sweeps, descend, swept
from refmc.learn.svm.points import read_points
from refmc.theory.kernels import linear
from refmc.theory.losses import hinge, squared_hinge
from refmc.theory.subgradients import max_form, sum_form

RANDOM = Random(3)
CODES = tuple(i % 3 for i in range(90))
X = [[2.0 * (code == j) + RANDOM.gauss(0, 1) for j in range(2)] for code in CODES]
SIGNS = tuple(1 if code else -1 for code in CODES)
POINTS = read_points(X, linear, None)
COSTS = [[F(j != c) for j in range(3)] for c in CODES]


def dual_value(dual: Dual[float], x: list[float]) -> float:
    return dual.at(x).dual


def is_between_bounds(dual: Dual[float], x: list[float]) -> bool:
    return all(0 <= a and (bound is None or a <= bound) for a, bound in zip(x, dual.upper))


@pytest.mark.parametrize("loss", [max_form, sum_form])
def test_few_multipliers_of_classes_are_left_for_pivots(loss: Any) -> None:
    exact = multiclass_dual(POINTS.lifted(), CODES, COSTS, (F(1),) * 90, loss, blocks=True)
    dual = exact.rounded(POINTS)
    x, _ = swept(dual, 0.0, False)
    assert is_between_bounds(dual, x)
    for group in dual.groups:
        assert abs(sum(x[v] for v in group) - 1) < 1e-12
    best = fit_multiclass_svm(X, CODES, C=1, loss=loss).certificate
    at_best = [best.multipliers[v // 3][v % 3] for v in range(270) if v % 3 != CODES[v // 3]]
    found = [a for v, a in enumerate(x) if v % 3 != CODES[v // 3]]
    moved = sum(abs(a - b) > F(1, 100) for a, b in zip(found, at_best))
    assert moved <= 30 and dual_value(dual, x) > 0.98 * float(best.dual)


@pytest.mark.parametrize("bias", [True, False, "penalised"])
@pytest.mark.parametrize("loss", [hinge, squared_hinge])
def test_few_multipliers_of_two_classes_are_left_for_pivots(loss: Any, bias: Any) -> None:
    exact = binary_dual(POINTS, SIGNS, 1, loss, None, bias)
    dual = exact.rounded(POINTS)
    x, _ = swept(dual, 0.0, False)
    assert is_between_bounds(dual, x)
    if bias is True:
        assert abs(sum(a * sign for a, sign in zip(x, SIGNS))) < 1e-1
    best = fit_binary_svm(X, SIGNS, C=1, loss=loss, bias=bias).certificate
    moved = sum(abs(a - b) > F(1, 100) for a, b in zip(x, best.multipliers))
    assert dual_value(dual, x) > 0.9 * float(best.dual)
    assert moved <= 30 or loss is squared_hinge  # which has no upper bound to end at


def test_a_visit_leaves_out_only_multipliers_at_0_that_are_steeper_than_the_width() -> None:
    """At w = 0 the excess of class z is Δ(z, 0) = 0, 1 or 4: class 0 gives all it has to class 2.

    The step is (4 − 0) / ‖D_2‖² = 2, with ‖D_2‖² = 2, but no more than C = 1/4 is there to give.
    """
    points = read_points([[1.0]], linear, None)
    for width, kept in ((inf, [0, 1, 2]), (3.0, [1, 2]), (2.0, [])):
        exact = multiclass_dual(
            points.lifted(), (0,), [[F(0), F(1), F(4)]], (F(1, 4),), max_form, blocks=True
        )
        sweeps = _Sweeps(exact.rounded(points))
        (block,) = sweeps.blocks
        assert sweeps.visit(block, width) == (4.0, kept)
        assert sweeps.x == [0.0, 0.0, 0.25]


def test_rows_without_a_mass_and_one_class_alone_stay_at_rest() -> None:
    weights = [F(0), F(1), F(1)]
    points = read_points([[1.0], [2.0], [3.0]], linear, None)
    for signs in ((1, 1, 1), (-1, 1, 1)):
        dual = binary_dual(points, signs, 1, hinge, weights, True).rounded(points)
        x, _ = swept(dual, 0.0, False)
        assert x == [0.0, 0.0, 0.0] if signs[0] > 0 else x[0] == 0.0


def test_of_many_optimal_multipliers_an_answer_has_no_more_than_are_independent() -> None:
    """Two weights a class that sum to 0 over three classes: no five multipliers are independent."""
    rows = [[1, 0], [0, 1], [-1, -1]]
    for arithmetic in (F, float):
        X = [[arithmetic(a) for a in row] for row in rows]
        model = fit_multiclass_svm(X, [0, 1, 2], C=1)
        used = [a for i, row in enumerate(model.lam) for z, a in enumerate(row) if a and z != i]
        assert len(used) <= 4


@pytest.mark.parametrize(("rows", "kinds"), [(3, [F]), (4, [float, F])])
def test_only_up_to_three_exact_multipliers_make_no_pivots_in_float(
    rows: int, kinds: list[type], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = list[type]()

    def noted(dual: Dual[Any], *rest: Any) -> Any:
        begun.append(type(dual.zero))
        return descend(dual, *rest)

    monkeypatch.setattr(optimum, "descend", noted)
    X = [[F(0)], [F(1)], [F(3)], [F(4)]][:rows]
    model = fit_binary_svm(X, [-1, 1, 1, 1][:rows], C=1)
    assert begun == kinds
    assert model.w == (1,)  # α = 1 for 0 and 1: their slacks, 1 together, and w²/2 are 3/2
    assert model.objective == model.certificate.dual == F(3, 2)
