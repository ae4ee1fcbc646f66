"""Records of bounds: what is read, what is refused, and that solver and checker agree."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction as F
from random import Random
from typing import Any

import pytest

from refmc import FormatError, check, solve_problem, trace_problem
from refmc.oracle.values.bounds import TERMS

Record = Mapping[str, Any]

CONSTANTS: Record = {"family": "bound.rademacher", "values": [[1, 1, 1], [-1, -1, -1]]}
THEOREM: Record = {
    "family": "bound.margin", "empirical": "1/20", "k": 3, "rho": 1, "m": 100, "delta": "1/20",
    "expected_complexity": "1/100",
}  # fmt: skip
BALL: Record = {"family": "bound.kernel_rademacher", "r_squared": 2, "Lambda_squared": 1, "m": 8}
COROLLARY: Record = {
    "family": "bound.kernel_margin", "empirical": 0, "k": 2, "rho": 2, "m": 100, "delta": "0.05",
    "r_squared": 1, "Lambda_squared": 1,
}  # fmt: skip
BINARY: Record = {"family": "bound.perceptron", "X": [[3, 4], [-5, 0]], "y": [1, -1], "w": [1, 0]}
THREE: Record = {
    "family": "bound.perceptron", "X": [[1, 0], [0, 1], [-1, -1]], "y": ["a", "b", "c"],
    "W": [[2, -1], [-1, 2], [-1, -1]],
}  # fmt: skip
ROUNDS: Record = {"family": "bound.adaboost", "epsilons": ["1/10", "1/4"]}


def without(problem: Record, *names: str, **other: Any) -> Record:
    return {k: v for k, v in {**problem, **other}.items() if k not in names}


SAMPLED = without(THEOREM, "expected_complexity", empirical_complexity="1/20")
BIASED = without(BINARY, y=["p", "n"], classes=["n", "p"], b="1/2")

RIGHT: list[tuple[Record, Record]] = [
    (CONSTANTS, {"value": "1/2"}),
    (THEOREM, {"empirical": "1/20", "complexity": "9/50", "vacuous": False}),
    (SAMPLED, {"complexity": "0.9", "vacuous": True, "program": "p"}),
    (BALL, {"value": "1/2", "family": "bound.kernel_rademacher"}),
    (COROLLARY, {"complexity": "2/5", "vacuous": False}),
    (without(COROLLARY, on_sample=True), {"complexity": "2/5", "vacuous": False}),
    (BINARY, {"R_squared": 25, "margin_squared": 9, "bound": "25/9"}),
    # b: (3 + 1/2)² and (5 − 1/2)² over 1 + 1/4
    (BIASED, {"R_squared": 26, "margin_squared": "49/5", "bound": "130/49"}),
    (THREE, {"R_squared": 2, "margin_squared": "3/4", "bound": "16/3"}),
    (ROUNDS, {"error": "1/2"}),
]


@pytest.mark.parametrize(("problem", "answer"), RIGHT)
def test_right_answers_are_verified_exactly_from_records_and_from_json(
    problem: Record, answer: Record
) -> None:
    verdict = check(problem, answer, gap=0)
    assert verdict, verdict.explain()
    assert check(json.dumps(problem), json.dumps(answer), gap=0) == verdict
    assert verdict.family == problem["family"]


@pytest.mark.parametrize("problem", [problem for problem, _ in RIGHT])
def test_every_change_of_a_reference_answer_is_refuted(problem: Record) -> None:
    answer = solve_problem(problem)
    assert check(problem, answer, gap="1e-15").status == "VERIFIED"
    for name, value in answer.items():
        if isinstance(value, bool):
            assert check(problem, {**answer, name: not value}).status == "REFUTED"
        elif name != "family":
            assert name in TERMS[problem["family"]]
            changed = {**answer, name: F(str(value)) + F(1, 10**5)}
            assert check(problem, changed).violations[0].place == name


def test_a_trace_has_the_suprema_of_all_sign_vectors_or_the_terms() -> None:
    rows = list(trace_problem(CONSTANTS))  # + + +, + + −, …; the mean of the suprema is 1/2
    third = F(1, 3)
    assert [row["sup"] for row in rows] == [1, third, third, third, third, third, third, 1]
    assert [row["tied"] for row in rows] == [(0,), (0,), (0,), (1,), (0,), (1,), (1,), (1,)]
    assert [row["term"] for row in trace_problem(ROUNDS)] == ["product", "exponential"]


def random_problem(random: Random) -> Record:
    def number(low: int, high: int, below: int = 4) -> str:
        return str(F(random.randint(low * below, high * below), below))

    def share() -> str:
        return str(F(random.randint(1, 19), 20))

    m, n = random.randint(1, 5), random.randint(1, 4)
    margin = {"empirical": share(), "k": n + 1, "rho": share(), "m": m, "delta": share()}
    norms = {"r_squared": number(0, 3), "Lambda_squared": number(0, 3)}
    complexity = random.choice(["expected_complexity", "empirical_complexity"])
    return random.choice(
        [
            {
                "family": "bound.rademacher",
                "values": [[number(-2, 2) for _ in range(m)] for _ in range(n)],
            },
            {"family": "bound.margin", **margin, complexity: number(0, 1, 50)},
            {"family": "bound.kernel_rademacher", **norms, "m": m},
            {
                "family": "bound.kernel_margin",
                **margin,
                **norms,
                "on_sample": random.random() < 0.5,
            },
            {"family": "bound.adaboost", "epsilons": [share() for _ in range(n)]},
        ]
    )


def test_solver_and_checker_agree_on_random_problems() -> None:
    random, seen = Random(5), set()
    for _ in range(150):
        problem = random_problem(random)
        verdict = check(problem, solve_problem(problem), gap="1e-11")
        assert verdict, verdict.explain()
        seen.add(problem["family"])
    assert seen == set(TERMS) - {"bound.perceptron"}


def test_solver_and_checker_agree_on_random_separators() -> None:
    random, separated = Random(6), 0
    for _ in range(100):
        X = [[random.randint(-3, 3) for _ in range(2)] for _ in range(3)]
        W = [[random.randint(-3, 3) for _ in range(2)] for _ in range(3)]
        y = [random.randrange(3) for _ in X]
        for problem in (
            {"family": "bound.perceptron", "X": X, "y": y, "classes": [0, 1, 2], "W": W},
            {"family": "bound.perceptron", "X": X, "y": [(-1) ** c for c in y], "w": W[0]},
            {"family": "bound.perceptron", "X": X, "y": [(-1) ** c for c in y], "w": W[0], "b": 1},
        ):
            try:
                answer = solve_problem(problem)
            except FormatError as error:
                assert "expected positive margins" in str(error)
                assert check(problem, {"bound": 1}).status == "INCONCLUSIVE"
            else:
                separated += 1
                assert check(problem, answer, gap=0)
    assert separated > 20


MALFORMED_PROBLEMS: list[tuple[Record, str]] = [
    ({"family": "bound.rademacher"}, "'values' is missing"),
    (without(CONSTANTS, values=[[1], [1, 2]]), "problem.values[1]"),
    (without(CONSTANTS, m=3), "unknown field 'm'"),
    (without(THEOREM, "expected_complexity"), "or expected_complexity in its place"),
    (
        without(THEOREM, empirical_complexity=1),
        "expected one of expected_complexity and empirical_complexity",
    ),
    (without(THEOREM, delta=1), "problem.delta: expected a probability between 0 and 1"),
    (without(THEOREM, delta=0), "problem.delta: expected a positive number"),
    (without(THEOREM, empirical=2), "problem.empirical: expected a loss from 0 to 1"),
    (without(THEOREM, empirical=-1), "problem.empirical: expected at least 0"),
    (without(THEOREM, k=1), "problem.k: expected a whole number of at least 2"),
    (without(THEOREM, rho=0), "problem.rho: expected a positive number"),
    (without(THEOREM, m="1/2"), "problem.m: expected a whole number"),
    (without(THEOREM, "m"), "'m' is missing"),
    (without(THEOREM, on_sample=True), "unknown field 'on_sample'"),
    (without(BALL, r_squared=-1), "problem.r_squared: expected at least 0"),
    (without(COROLLARY, on_sample=1), "problem.on_sample: expected true or false"),
    (without(BINARY, "w"), "'W' is missing"),
    (without(BINARY, W=[[1, 0]]), "expected one of w and W"),
    (without(BINARY, w=[1]), "problem.w: expected 1 row of 2"),
    (without(THREE, b=1), "b and w belong together"),
    (without(THREE, W=[[1, 0]]), "problem.W: expected 3 rows of 2"),
    (without(THREE, y=["a"] * 3), "problem.y: expected two classes or more"),
    (without(ROUNDS, epsilons=["9/8"]), "problem.epsilons: expected shares from 0 to 1"),
]


@pytest.mark.parametrize(("problem", "message"), MALFORMED_PROBLEMS)
def test_a_malformed_problem_names_its_field(problem: Record, message: str) -> None:
    for ask in (lambda: check(problem, {"value": 1}), lambda: solve_problem(problem)):
        with pytest.raises(FormatError) as error:
            ask()
        assert message in str(error.value)


MALFORMED_ANSWERS: list[tuple[Record, Record, str]] = [
    (CONSTANTS, {}, "answer: expected at least one of value"),
    (CONSTANTS, {"value": 1, "vacuous": True}, "unknown field 'vacuous'"),
    (THEOREM, {"vacuous": 1}, "answer.vacuous: expected true or false"),
    (THEOREM, {"error": 1}, "unknown field 'error'"),
    (ROUNDS, {"product": "x"}, "answer.product"),
    (BINARY, {"bound": 1, "family": "bound.margin"}, "answer.family"),
]


@pytest.mark.parametrize(("problem", "answer", "message"), MALFORMED_ANSWERS)
def test_a_malformed_answer_names_its_field(problem: Record, answer: Record, message: str) -> None:
    with pytest.raises(FormatError) as error:
        check(problem, answer)
    assert message in str(error.value)


@pytest.mark.parametrize("problem", [problem for problem, _ in RIGHT])
def test_a_field_that_no_problem_has_is_refused(problem: Record) -> None:
    with pytest.raises(FormatError, match="problem: unknown field 'surplus'"):
        check({**problem, "surplus": 1}, {"value": 1})


def test_a_complexity_of_too_many_sums_is_not_traced_either() -> None:
    forty: Record = {"family": "bound.rademacher", "values": [[1] * 40]}
    for act in (solve_problem, lambda problem: next(iter(trace_problem(problem)))):
        with pytest.raises(FormatError, match="problem: values: 1 sums for each of 2.39"):
            act(forty)
