"""Reference answers of binary SVMs, judged by the checker and by hand."""

import json
from fractions import Fraction
from typing import Any

import pytest

from refmc import check, solve_problem
from refmc.answers import trace_problem
from refmc.learn.svm.binary import fit_binary_svm
from tests.support import reloaded

CORNER: dict[str, Any] = {"X": [["1.5", "2.5"], ["2.5", "1.5"], ["2.5", "2.5"]], "y": [1, 1, -1]}
SOFT = {"family": "svm.binary", **CORNER, "C": 10}
HARD = {"family": "svm.hard", **CORNER}
CROSSING = {"family": "svm.hard", "X": [[0, 0], [2, 2], [0, 2], [2, 0]], "y": [1, 1, -1, -1]}


@pytest.mark.parametrize("problem", [SOFT, HARD])
def test_the_corner_is_solved_as_by_hand_and_verified(problem: dict[str, Any]) -> None:
    # w = (−2, −2), b = 9: the rows have margins 1, 1, 1; α = (2, 2, 4), half of 8 = ‖w‖² / 2 = 4
    answer = solve_problem(problem)
    assert (answer["w"], answer["b"], answer["objective"]) == (["-2", "-2"], "9", "4")
    assert answer["alpha"] == ["2", "2", "4"]
    assert check(problem, json.loads(json.dumps(answer)), gap=0).status == "VERIFIED"


@pytest.mark.parametrize("field", ["w", "alpha"])
def test_a_changed_number_is_refuted(field: str) -> None:
    answer = solve_problem(SOFT)
    values = answer[field]
    assert isinstance(values, list)
    values[0] = str(Fraction(values[0]) + Fraction(1, 1000))
    assert check(SOFT, answer, gap=0).status == "REFUTED"


def test_rows_that_no_line_separates_have_a_common_point_of_their_hulls() -> None:
    answer = solve_problem(CROSSING)
    assert answer["separable"] is False
    assert answer["combination"] == ["1/2", "1/2", "1/2", "1/2"]
    assert check(CROSSING, answer, gap=0).status == "VERIFIED"
    assert check(HARD, {"separable": False}).status == "REFUTED"


def test_labels_alone_are_judged_by_the_optimum() -> None:
    assert check(SOFT, {"labels": [1, 1, -1]}).status == "VERIFIED"
    assert check(SOFT, {"labels": [1, -1, -1]}).status == "REFUTED"


def test_a_trace_has_rising_duals() -> None:
    rows: list[Any] = list(trace_problem(SOFT))
    duals = [row["dual"] for row in rows]
    assert duals == sorted(duals)
    assert duals[-1] == 4


def test_a_trace_names_the_constraints_that_are_released_and_block() -> None:
    # x = 0 and 1 of classes −1 and 1 and no bias: α_1 alone rises, to its bound C = 1/2
    problem = {**SOFT, "X": [[0], [1]], "y": [-1, 1], "C": "1/2", "bias": False}
    start, *rows = list[Any](trace_problem(problem))
    assert start["released"] is start["step"] is start["blocks"] is None
    assert start["working set"] == ["α_0 ≥ 0", "α_1 ≥ 0"]
    held = [row["working set"] for row in rows]
    assert held[-1] == ["α_0 ≤ C", "α_1 ≤ C"]
    # both are released from 0 and end at C; ½ α_1² − α_0 − α_1 is then 1/8 − 1
    assert {row["released"] for row in rows} == {"α_0 ≥ 0", "α_1 ≥ 0"}
    assert [row["blocks"] for row in rows] == [
        {"α_0 ≥ 0": "α_0 ≤ C", "α_1 ≥ 0": "α_1 ≤ C"}[row["released"]] for row in rows
    ]
    assert rows[-1]["dual"] == Fraction(7, 8) and rows[-1]["free"] == 0
    # w = ½ · 1 · 1; b ≥ −1 − w · 0 where −1 is at its bound, b ≤ 1 − w · 1 where +1 is: b = 0 does
    end = {name: rows[-1][name] for name in ("α", "w", "b ≥", "b ≤")}
    half = Fraction(1, 2)
    assert end == {"α": [half, half], "w": [half], "b ≥": {0: -1}, "b ≤": {1: half}}


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", None])
@pytest.mark.parametrize("bias", [True, False, "penalised"])
@pytest.mark.parametrize(
    "kernel", ["linear", {"name": "polynomial", "degree": 2, "scale": 1, "offset": 1}]
)
def test_the_conditions_of_a_trace_hold_at_its_end_and_not_before(
    loss: str | None, bias: Any, kernel: Any
) -> None:
    X = [["0", "1"], ["1/2", "3"], ["2", "1"], ["2", "4"], ["3", "0"]]
    problem: dict[str, Any] = {"X": X, "y": [-1, -1, 1, 1, 1], "bias": bias, "kernel": kernel}
    soft = {"family": "svm.binary", "C": "1/3", "weights": [1, 2, 1, 3, 1], "loss": loss}
    problem |= soft if loss else {"family": "svm.hard"}
    rows: list[Any] = list(trace_problem(problem))
    for row in rows:
        lower, upper = row["b ≥"].values(), row["b ≤"].values()
        fixed = [] if bias is True else [0]
        fit = max([*lower, *fixed]) <= min([*upper, *fixed])
        assert fit == (row["dual"] == rows[-1]["dual"])
    answer: Any = solve_problem(problem)
    assert rows[-1]["α"] == [Fraction(a) for a in answer["alpha"]]
    assert rows[-1]["w"] == ([Fraction(v) for v in answer["w"]] if "w" in answer else None)
    if bias is True:
        interval = [max(rows[-1]["b ≥"].values()), min(rows[-1]["b ≤"].values())]
        assert interval == [Fraction(end) for end in answer["b_interval"]]


def test_a_trace_of_rows_that_no_line_separates_ends_with_the_proof() -> None:
    _, *rows = list[Any](trace_problem(CROSSING))
    assert all(row["released"] or row["blocks"] for row in rows)
    assert solve_problem(CROSSING)["separable"] is False


def test_a_saved_binary_svm_is_loaded_by_its_kind() -> None:
    model = fit_binary_svm([[Fraction(1)], [Fraction(-1)]], [1, -1], C=1)
    assert reloaded(model) == model


def test_a_combination_for_rows_that_are_separable_is_refuted() -> None:
    verdict = check(HARD, {"combination": [1, 1, 2]})
    assert verdict.status == "REFUTED" and verdict.hint == "the rows are separable"


def test_a_bare_claim_that_no_line_separates_is_proved_by_a_common_point() -> None:
    assert check(CROSSING, {"separable": False}, gap=0)
    verdict = check(CROSSING, {"separable": True}, gap=0)
    assert verdict.status == "REFUTED" and "common point" in verdict.hint
