"""Traces of the multi-class SVM's reference answer, by hand.

One row x = 2 of class a, beside a class b: f_a = 2λ and f_b = −2λ, so that the dual value is
λ − 4λ², which is largest at λ = 1/8.
"""

from fractions import Fraction as F
from typing import Any

import pytest

from refmc import solve_problem
from refmc.answers import trace_problem
from refmc.lectures import lu

ONE: dict[str, Any] = {"family": "svm.multiclass", "X": [[2]], "y": ["a"], "classes": ["a", "b"]}


def test_a_trace_ends_inside_the_bounds_where_the_dual_value_is_largest() -> None:
    start, *rows = trace_problem(ONE | {"C": 1})
    assert start["t"] == 0 and start["η"] == [1] and start["fails"] == ["μ_0"]
    assert rows == [
        {
            "λ": [[F(1, 8)] * 2], "w": {"a": [F(1, 4)], "b": [F(-1, 4)]}, "η": [0], "fails": [],
            "t": 1, "released": "λ_0,b", "step": F(1, 8), "blocks": None, "free": 1,
            "dual": F(1, 16), "working set": [],
        }
    ]  # fmt: skip


def test_a_trace_ends_at_the_bound_on_the_sum_of_a_row() -> None:
    start, *rows = trace_problem(ONE | {"C": "1/16"})
    assert start["fails"] == ["μ_0"]
    assert rows == [
        {
            "λ": [[F(1, 16)] * 2], "w": {"a": [F(1, 8)], "b": [F(-1, 8)]}, "η": [F(1, 2)],
            "fails": [], "t": 1, "released": "λ_0,b", "step": F(1, 16), "blocks": "μ_0", "free": 0,
            "dual": F(1, 16) - F(4, 256), "working set": ["μ_0"],
        }
    ]  # fmt: skip
    assert solve_problem(ONE | {"C": "1/16"})["lam"] == [["1/16", "1/16"]]


@pytest.mark.parametrize(
    "options",
    [{}, {"kernel": {"name": "polynomial", "degree": 2, "scale": 1, "offset": 1}}],
    ids=["linear", "polynomial"],
)
def test_every_row_has_the_kuhn_tucker_conditions_that_fail_in_the_lectures_file(
    options: dict[str, Any],
) -> None:
    X, c, C = [[1, 0], [0, 1], [-1, -1], [2, 1], [0, 0]], [0, 1, 2, 1, 0], F(1, 2)
    problem = {"family": "svm.multiclass", "X": X, "y": c, "C": C, **options}
    K = [[lu.dot(x, z) if not options else (lu.dot(x, z) + 1) ** 2 for z in X] for x in X]
    *rows, last = list[Any](trace_problem(problem))
    assert len(rows) > 3 and last["fails"] == []
    for row in [*rows, last]:
        lam = row["λ"]
        alpha = lu.f_of(lam, c)
        mu = [C - (sum(l_i) - l_i[own]) for l_i, own in zip(lam, c)]
        holds = lu.kuhn_tucker(alpha, row["η"], lam, mu, K, c, C)
        failing = {
            "λ_iy g_iy = 0": any(name.startswith("λ") for name in row["fails"]),
            "μ_i η_i = 0": any(name.startswith("μ") for name in row["fails"]),
        }
        assert holds == {name: not failing.get(name, False) for name in holds}
        if not options:
            f = [[sum(a[y] * x[s] for a, x in zip(alpha, X)) for s in range(2)] for y in range(3)]
            assert [*row["w"].values()] == f


@pytest.mark.parametrize("m", [100, 101])
@pytest.mark.parametrize(
    "settings",
    [
        {"family": "svm.multiclass"},
        {"family": "svm.binary"},
        {"family": "svm.binary", "loss": "squared_hinge"},
    ],
    ids=["multiclass", "hinge", "squared_hinge"],
)
def test_a_trace_of_many_rows_begins_near_the_optimum(settings: dict[str, Any], m: int) -> None:
    X = [[F(7 * i % 13, 4), F(i % 5)] for i in range(m)]
    y = [1 if x + F(i % 3, 2) > z else -1 for i, (x, z) in enumerate(X)]
    problem = {**settings, "X": X, "y": y, "C": F(1, 10)}
    start, *rows = list[Any](trace_problem(problem))
    dual = F(str(solve_problem(problem)["dual"]))
    assert (start["t"], start["step"]) == (0, None)
    assert dual == (rows or [start])[-1]["dual"]
    near = start["dual"] > dual * F(999, 1000)
    assert near == (m > 100) and (len(rows) < 10) == (m > 100)
