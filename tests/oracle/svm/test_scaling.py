"""Problems in other units: X, C, multipliers and objectives times powers of two change no verdict.

With X times s and C divided by s² every function has the scores that it had: weights are divided by
s, multipliers and objectives by s². A program keeps its solutions where the unknowns, the objective
and each row of constraints are multiplied.
"""

from collections.abc import Iterator
from fractions import Fraction as F
from random import Random
from typing import Any

import pytest

from refmc import check, solve_problem
from refmc.core.records import Record

pytestmark = pytest.mark.usefixtures("without_hints", "kept_optima")

SCALES = [F(2) ** 40, F(1, 2**40)]
POWERS = {  # of s, of each field of a problem or an answer
    "X": 1, "gram": 2, "C": -2, "W": -1, "w": -1, "lam": -2, "alpha": -2, "objective": -2,
    "primal": -2,
    "dual": -2, "margin_squared": 2,
}  # fmt: skip
UNCHANGED = {
    "family", "y", "classes", "bias", "scores", "labels", "slack", "b", "b_interval", "separable",
}  # fmt: skip
GAPS: list[int | str] = [0, "1e-6"]


def times(value: Any, factor: F) -> Any:
    if isinstance(value, list):
        return [times(entry, factor) for entry in value]
    return value if value in ("inf", "-inf") else str(F(value) * factor)


def scaled(record: Record, s: F) -> Record:
    assert set(record) <= {*POWERS, *UNCHANGED, "combination"}, "say what becomes of the new field"
    factors = {name: s**power for name, power in POWERS.items()} | {"combination": s}
    return {
        name: times(value, factors[name]) if name in factors else value
        for name, value in record.items()
    }


def nudged(random: Random, value: Any, size: F) -> Any:
    if isinstance(value, list):
        return [nudged(random, entry, size) for entry in value]
    if value in ("inf", "-inf") or isinstance(value, bool):
        return value
    return str(F(value) * (1 + size * random.randint(-3, 3)))


def answers(random: Random, right: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The right answer, and each of its fields off by much and by what may be near enough."""
    yield right
    for name, value in right.items():
        if name in ("family", "classes", "separable"):
            continue
        for size in (F(1, 3), F(1, 10**7)):
            changed = {name: nudged(random, value, size)}
            if name in ("W", "w", "lam", "alpha", "combination"):
                yield changed
            yield {**right, **changed}


def problems(random: Random) -> Iterator[Record]:
    for family in ("svm.binary", "svm.hard", "svm.multiclass"):
        X = [[str(F(random.randint(-4, 4), 2)) for _ in range(2)] for _ in range(3)]
        record: dict[str, Any] = {"family": family, "X": X}
        if family == "svm.multiclass":
            record |= {"y": [random.choice("abc") for _ in X], "classes": ["a", "b", "c"]}
        else:
            record |= {"y": [1, -1, -1], "bias": random.choice([True, False])}
        if family != "svm.hard":
            record |= {"C": random.choice(["1/3", "7"])}
        yield record


def test_an_svm_in_other_units_gets_the_same_verdicts() -> None:
    random, met = Random(6), set()
    for problem in problems(random):
        for answer in answers(random, solve_problem(problem)):
            for gap in GAPS:
                here = check(problem, answer, gap=gap)
                for s in SCALES:
                    moved = check(scaled(problem, s), scaled(answer, s), gap=gap)
                    assert moved.status == here.status, (problem, answer, gap)
                    assert moved.relative == here.relative or "combination" in answer
                met.add((problem["family"], here.status, gap))
    assert {family for family, _, _ in met} == {"svm.binary", "svm.hard", "svm.multiclass"}
    assert {status for _, status, _ in met} >= {"VERIFIED", "REFUTED"}


OTHER_UNITS = [units for s in SCALES for units in ((s, F(1), F(1)), (s, 1 / s, s))]
"""Factors of the unknowns, of the objective and of the constraints."""


def in_other_units(program: Record, answer: Record, s: F, t: F, rows: F) -> tuple[Record, Record]:
    """The unknowns times s, the objective times t, the constraints times `rows`."""
    there = {
        "family": "qp.convex", "Q": times(program["Q"], t / s**2), "c": times(program["c"], t / s),
        "G": times(program["G"], rows / s), "h": times(program["h"], rows),
    }  # fmt: skip
    factors = {"x": s, "inequality_multipliers": t / rows, "objective": t, "ray": s * rows}
    moved = {
        name: times(value, factors[name]) if name in factors else value
        for name, value in answer.items()
    }
    return there, moved


def test_a_program_in_other_units_gets_the_same_verdicts() -> None:
    random, met = Random(3), set()
    one, no = ["1", "0"], ["0", "0"]
    programs: list[Record] = [
        {
            "Q": [one, ["0", "2"]],
            "c": ["-3", "-1"],
            "G": [["1", "1"], ["-1", "0"]],
            "h": ["2", "0"],
        },
        {"Q": [one, no], "c": ["1", "0"], "G": [one, ["-1", "0"]], "h": ["-3", "5"]},
        {"Q": [one, no], "c": no, "G": [one, ["-3", "0"]], "h": ["-1", "-2"]},
        {"Q": [no, one[::-1]], "c": ["-1", "0"], "G": [["0", "1"]], "h": ["-3"]},
    ]
    for program in programs:
        problem = {"family": "qp.convex", **program}
        right = solve_problem(problem)
        for answer in (right, *answers(random, {k: v for k, v in right.items() if k != "bounded"})):
            answer = {k: v for k, v in right.items() if k in ("feasible", "bounded")} | answer
            for gap in GAPS:
                here = check(problem, answer, gap=gap)
                for s, t, rows in OTHER_UNITS:
                    there, moved = in_other_units(problem, answer, s, t, rows)
                    verdict = check(there, moved, gap=gap)
                    assert verdict.status == here.status, (program, answer, gap)
                    assert verdict.relative == here.relative
                met.add(here.status)
    assert met == {"VERIFIED", "REFUTED"}
