"""Traces of the multi-class SVM's reference answer, by hand.

One row x = 2 of class a, beside a class b: f_a = 2λ and f_b = −2λ, so that the dual value is
λ − 4λ², which is largest at λ = 1/8.
"""

from fractions import Fraction as F
from typing import Any

from refmc import solve_problem
from refmc.oracle.answers import trace_problem

ONE: dict[str, Any] = {"family": "svm.multiclass", "X": [[2]], "y": ["a"], "classes": ["a", "b"]}


def test_a_trace_ends_inside_the_bounds_where_the_dual_value_is_largest() -> None:
    assert list(trace_problem(ONE | {"C": 1})) == [
        {
            "t": 1, "released": "λ_0,b", "step": F(1, 8), "blocks": None, "free": 1,
            "dual": F(1, 16), "working set": [],
        }
    ]  # fmt: skip


def test_a_trace_ends_at_the_bound_on_the_sum_of_a_row() -> None:
    assert list(trace_problem(ONE | {"C": "1/16"})) == [
        {
            "t": 1, "released": "λ_0,b", "step": F(1, 16), "blocks": "μ_0", "free": 0,
            "dual": F(1, 16) - F(4, 256), "working set": ["μ_0"],
        }
    ]  # fmt: skip
    assert solve_problem(ONE | {"C": "1/16"})["lam"] == [["1/16", "1/16"]]
