"""Pairs of multipliers keep all constraints and end near the optimum."""

from __future__ import annotations

import random
from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc import hinge, linear, polynomial, rbf, squared_hinge
from refmc.learn.svm.binary import binary_dual
from refmc.learn.svm.optimum import optimum
from refmc.learn.svm.pairs import by_pairs
from refmc.learn.svm.points import read_points


@given(
    rows=st.lists(st.tuples(*[st.integers(-4, 4)] * 2), min_size=2, max_size=12),
    kernel=st.sampled_from([linear, rbf(1), polynomial(2, offset=1)]),
    loss=st.sampled_from([hinge, squared_hinge]),
    data=st.data(),
)
def test_they_keep_bounds_and_the_equality_and_lose_little_of_the_dual(
    rows: list[tuple[int, int]], kernel: Any, loss: Any, data: st.DataObject
) -> None:
    m = len(rows)
    y = tuple(data.draw(st.lists(st.sampled_from([-1, 1]), min_size=m, max_size=m)))
    counts = data.draw(st.lists(st.sampled_from([F(0), F(1), F(2)]), min_size=m, max_size=m))
    points = read_points([[float(a) for a in row] for row in rows], kernel, None)
    dual = binary_dual(points, y, 1, loss, counts, True)
    x = by_pairs(dual.rounded(points))
    assert all(a >= 0 and (c is None or a <= c) for a, c in zip(x, dual.upper))
    assert sum(s * a for s, a in zip(y, x)) == pytest.approx(0, abs=1e-9)
    best = float(optimum(dual, points, 1e-9).dual)
    # With every pair within 1/1000 of each other no multiplier can gain more than that by moving.
    largest = 2 * (1 + max((a for a in x), default=0))
    assert float(dual.at(list(map(F, x))).dual) >= best - m * largest / 500


def test_the_pair_of_two_rows_is_solved_at_once() -> None:
    # At α the dual is 2α − ½(2α)², which is largest at α = 1/2.
    points = read_points([[1.0], [-1.0]], linear, None)
    dual = binary_dual(points, (1, -1), 9, hinge, None, True)
    assert by_pairs(dual.rounded(points)) == [0.5, 0.5]
    tight = binary_dual(points, (1, -1), F(1, 4), hinge, None, True)
    assert by_pairs(tight.rounded(points)) == [0.25, 0.25]


def test_of_many_rows_only_few_multipliers_are_left_to_pivots() -> None:
    rng = random.Random(4)
    y = tuple(rng.choice((-1, 1)) for _ in range(150))
    points = read_points([[rng.gauss(s / 2, 1), rng.gauss(0, 1)] for s in y], rbf(1), None)
    dual = binary_dual(points, y, 1, hinge, None, True)
    x = by_pairs(dual.rounded(points))
    best = optimum(dual, points, 1e-9).x
    assert sum(a in (0, 1) and b not in (0, 1) for a, b in zip(best, x)) <= 5


def test_equal_points_of_two_classes_move_as_far_as_they_may() -> None:
    points = read_points([[0.0], [0.0]], linear, None)
    assert by_pairs(binary_dual(points, (1, -1), 1, hinge, None, True).rounded(points)) == [1, 1]
    endless = binary_dual(points, (1, -1), None, hinge, None, True)
    assert by_pairs(endless.rounded(points)) == [0, 0]
