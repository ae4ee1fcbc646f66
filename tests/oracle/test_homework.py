"""Answers in a few decimals, as people write them who compute by hand."""

import json
from typing import Any

import pytest

from refmc import check, solve_problem
from refmc.answers import written_digits
from tests.support import EXAMPLES


def example(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((EXAMPLES / f"{name}.json").read_text("utf-8"))
    return found


RIGHT = "right to 3 digits, as numbers of 4 decimals can be: --gap 1e-3 asks for no more"

DESCENT: dict[str, Any] = {
    "family": "sgd.multiclass", "X": [[1, 0], [0, 1], [-1, -1]], "y": ["a", "b", "c"],
    "lam": 1, "T": 4,
}  # fmt: skip
# by hand: the rows of W are (1, 0), (−1, 0), 0; then half of it and a step of 1/2, …
STATES: list[Any] = [
    [[1, 0], [-1, 0], [0, 0]],
    [[0.5, -0.5], [-0.5, 0.5], [0, 0]],
    [[0.6667, 0], [-0.3333, 0.3333], [-0.3333, -0.3333]],
    [[0.5, 0], [-0.25, 0.25], [-0.25, -0.25]],
]


def test_an_answer_in_four_decimals_is_right_to_three_digits_and_the_gap_is_named() -> None:
    verdict = check(DESCENT, {"trace": STATES})
    assert verdict.status == "REFUTED" and verdict.hint == RIGHT
    assert check(DESCENT, {"trace": STATES}, gap="1e-3")
    text = [[[f"{v:.4f}" for v in row] for row in W] for W in STATES]
    assert check(DESCENT, {"trace": text}).hint == RIGHT
    svm = example("three-points")
    assert (
        check(
            svm, {"W": [["2/3", "-1/3"], ["-1/3", "2/3"], ["-1/3", "-1/3"]], "objective": 0.6667}
        ).hint
        == RIGHT
    )


def test_a_wrong_answer_names_the_first_step_that_is_wrong_and_what_it_should_be() -> None:
    wrong = [*STATES[:2], [[0.7, 0], *STATES[2][1:]], [[5, 5], *STATES[3][1:]]]
    verdict = check(DESCENT, {"trace": wrong})
    assert verdict.violations[0].place.startswith("step 4")
    told = (
        "the first step that is wrong beyond rounding is step 3, row 2: W[0][0] is 0.7, needs 2/3"
    )
    assert told in verdict.hint and "right to" not in verdict.hint


def test_a_wrong_round_of_boosting_is_named_too() -> None:
    problem = example("boost-mh")
    answer: Any = solve_problem(problem)
    for one, epsilon in zip(answer["rounds"], [0.1667, 0.16, 0.1176]):
        one |= {"epsilon": epsilon, "bound_squared": None, "Z_squared": None, "alpha": None}
        kept = {name: one[name] for name in ("stump", "epsilon")}
        one.clear()
        one |= kept
    verdict = check(problem, {"rounds": answer["rounds"]})
    assert "beyond rounding is round 2" in verdict.hint and "3/20" in verdict.hint


@pytest.mark.parametrize("W", [[[0.7, 0.5], [0, 0], [0, 0]], [["2/3", "1/3"], [0, 0], [0, 0]]])
def test_other_answers_are_judged_without_a_word_on_digits(W: Any) -> None:
    assert "digits" not in check(example("three-points"), {"W": W}).hint


def test_the_decimals_of_an_answer_are_those_of_its_numbers_not_of_its_labels() -> None:
    assert written_digits({"labels": ["a", "v1.2345x"], "W": [["1/3", 2]], "b": 1e-7}) == 0
    assert written_digits({"W": ["-0.12345", [0.1]]}) == 5
    deep: Any = 0.1234
    for _ in range(100_000):
        deep = [deep]
    assert written_digits(deep) == 4


def test_a_two_sided_stump_for_a_one_sided_base_says_what_base_it_is_of() -> None:
    problem = example("boost-mh")
    other = solve_problem({**problem, "base": "two_sided"}, tie=[1])
    text = check(problem, other).violations[0].text
    assert text.startswith("no stump gives these answers") and text.endswith('"base": "two_sided"')
