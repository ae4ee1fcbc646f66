"""Records of quadratic programs: what is read, what is solved, and the pivots on the way."""

from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc import FormatError, check, solve_problem, solve_qp
from refmc.answers import trace_problem
from refmc.core.records import Record
from refmc.errors import InfeasibleError, UnboundedError

POLYGON: Record = {
    "family": "qp.convex",
    "Q": [[2, 0], [0, 2]],
    "c": [-2, -5],
    "G": [[-1, 2], [1, 2], [1, -2], [-1, 0], [0, -1]],
    "h": [2, 6, 2, 0, 0],
}
LINE: Record = {"family": "qp.convex", "Q": [[1, 0], [0, 1]], "c": [0, 0], "A": [[1, 1]], "b": [2]}
AWAY: Record = {"family": "qp.convex", "Q": [[1]], "c": [0], "G": [[1], [-1]], "h": [3, -1]}


def test_the_optimum_is_solved_with_the_multipliers_that_prove_it() -> None:
    assert solve_problem(POLYGON) == {
        "family": "qp.convex",
        "x": ["7/5", "17/10"],
        "objective": "-129/20",
        "inequality_multipliers": ["4/5", "0", "0", "0", "0"],
    }
    assert solve_problem(LINE)["equality_multipliers"] == ["-1"]


def test_a_program_without_optimum_is_answered_by_its_proof() -> None:
    none = {**AWAY, "h": [-1, -1]}
    assert solve_problem(none)["feasible"] is False
    assert check(none, {"feasible": False}).status == "VERIFIED"
    assert check(none, {"x": [0]}).status == "REFUTED"
    falling = {"family": "qp.convex", "Q": [[0]], "c": [-1]}
    assert solve_problem(falling) == {
        "family": "qp.convex", "bounded": False, "x": ["0"], "ray": ["1"],
    }  # fmt: skip
    assert check(falling, {"bounded": False, "x": [7], "ray": ["1/3"]}, gap=0)
    assert check(falling, {"bounded": False, "x": [7], "ray": [-1]}).status == "REFUTED"


def test_pivots_show_the_search_for_a_start_and_the_descent_from_it() -> None:
    # x = 0 is feasible: x_1 rises to 2x_1 = 2; then x_0 along that edge, to μ_0 = 4/5
    rows: list[Any] = list(trace_problem(POLYGON))
    assert rows == [
        {"phase": "descent", "t": 1, "released": "x_1", "step": 1, "blocks": "G_0", "free": 0,
         "objective": -4, "working set": ["G_0"]},
        {"phase": "descent", "t": 2, "released": "x_0", "step": F(7, 5), "blocks": None, "free": 1,
         "objective": F(-129, 20), "working set": ["G_0"]},
    ]  # fmt: skip
    # 1 ≤ x ≤ 3: x = 0 misses by t = 1, which is lowered to 0
    away: list[Any] = list(trace_problem(AWAY))
    assert [row["phase"] for row in away] == ["search", "search", "descent"]
    assert away[1]["blocks"] == "t" and away[1]["objective"] == 0
    assert away[2]["objective"] == F(1, 2)
    assert {row["phase"] for row in trace_problem({**AWAY, "h": [-1, -1]})} == {"search"}


halves = st.integers(-2, 2).map(lambda n: F(n, 2))


@st.composite
def programs(draw: st.DrawFn) -> dict[str, Any]:
    """LLᵀ with dependent and zero rows, and constraints that may repeat or contradict."""
    n = draw(st.integers(1, 3))
    L = draw(st.lists(st.lists(halves, min_size=n, max_size=n), min_size=n, max_size=n))
    vector = st.lists(halves, min_size=n, max_size=n)
    program: dict[str, Any] = {
        "Q": [[sum((a * b for a, b in zip(u, v, strict=True)), F(0)) for v in L] for u in L],
        "c": draw(vector),
    }
    for left, right, most in (("A", "b", 2), ("G", "h", 4)):
        rows = draw(st.lists(vector, max_size=most))
        if rows:
            program |= {left: rows, right: [draw(halves) for _ in rows]}
    return program


@given(programs())
def test_what_is_solved_is_verified_and_traced_as_the_learner_goes(program: dict[str, Any]) -> None:
    problem = {"family": "qp.convex", **program}
    answer = solve_problem(problem)
    assert check(problem, answer, gap=0).status == "VERIFIED"
    pivots: list[Any] = []
    try:
        solve_qp(program.pop("Q"), program.pop("c"), **program, on_step=pivots.append)
    except (InfeasibleError, UnboundedError):
        assert "x" not in answer or "ray" in answer
    rows: list[Any] = list(trace_problem(problem))
    assert [(p.iteration, p.step, p.objective, p.free) for p in pivots] == [
        (row["t"], row["step"], row["objective"], row["free"]) for row in rows
    ]


MALFORMED: list[tuple[Record, str]] = [
    ({**LINE, "Q": [[1, 0]]}, "problem.Q: expected 2 rows of 2"),
    ({**LINE, "Q": [[1, 0], [1, 1]]}, "problem.Q: row 1, column 0 is 1"),
    ({**LINE, "Q": [[1, 2], [2, 1]]}, "problem.Q is not positive semi-definite"),
    ({**AWAY, "Q": [[-1]]}, "problem.Q is not positive semi-definite"),  # 0 is not feasible
    ({**LINE, "A": [[1]]}, "problem.A: expected 1 row of 2"),
    ({k: v for k, v in LINE.items() if k != "b"}, "problem: A and b belong together"),
    ({**LINE, "d": 1}, "unknown field 'd'"),
]


@pytest.mark.parametrize(("problem", "message"), MALFORMED, ids=lambda value: str(value)[:40])
def test_malformed_programs_are_refused_by_field(problem: Record, message: str) -> None:
    for take in (solve_problem, lambda problem: next(trace_problem(problem))):
        with pytest.raises(FormatError) as caught:
            take(problem)
        assert message in str(caught.value)


WRONG_ANSWERS: list[tuple[Record, str]] = [
    ({}, "answer: expected at least one of x, equality_multipliers"),
    ({"x": [1]}, "answer.x: expected 2 numbers"),
    ({"x": [1, 1], "equality_multipliers": [1, 1]}, "answer.equality_multipliers: expected 1"),
    ({"x": [1, 1], "inequality_multipliers": [1]}, "answer.equality_multipliers: expected 1"),
    ({"x": [1, 1], "equality_multipliers": [1], "inequality_multipliers": [1]},
     "answer.inequality_multipliers: the problem has no such rows"),
    ({"equality_multipliers": [1]}, "multipliers of an optimum need x"),
    ({"feasible": True}, "expected x or objective"),
    ({"feasible": False, "x": [1, 1]}, "answer.x: does not go with feasible: false"),
    ({"bounded": False, "x": [1, 1], "ray": [1, 1], "objective": 1}, "answer.objective"),
    ({"x": [1, 1], "ray": [1, 1]}, "answer.ray: belongs to bounded: false"),
    ({"feasible": "no"}, "answer.feasible: expected true or false"),
    ({"family": "svm.hard", "x": [1, 1]}, "answer.family"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "message"), WRONG_ANSWERS, ids=lambda value: str(value)[:40])
def test_malformed_answers_are_refused_by_field(answer: Record, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        check(LINE, answer)
    assert message in str(caught.value)


def test_an_objective_alone_is_judged_by_the_optimum() -> None:
    # x = (1, 1) is nearest to the origin on the line: 1/2 (1 + 1)
    assert check(LINE, {"objective": 1}, gap=0)
    assert check(LINE, {"objective": "1/2"}).status == "REFUTED"
