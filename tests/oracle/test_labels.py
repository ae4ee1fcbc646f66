"""Labels are names, never numbers: in every family, in JSON, and back."""

import json
from typing import Any

import pytest

from refmc import FormatError, check, solve_problem

LOW, HIGH = 2**53, 2**53 + 1  # one binary64, two names
ROWS = [["-1"], ["1"]]
SPLIT = {"question": {"column": 0, "threshold": -1}, "negative": 1, "positive": 2}

PROBLEMS: dict[str, dict[str, Any]] = {
    "svm.multiclass": {"X": ROWS, "y": [LOW, HIGH], "C": 1},
    "svm.binary": {"X": ROWS, "y": [LOW, HIGH], "classes": [LOW, HIGH], "C": 1},
    "svm.hard": {"X": ROWS, "y": [LOW, HIGH], "classes": [LOW, HIGH]},
    "tree.grow": {"X": ROWS, "y": [LOW, HIGH]},
    "tree.prune": {"X": ROWS, "y": [LOW, HIGH], "tree": {"nodes": [SPLIT, {}, {}]}, "risk": "gini"},
    "boost.ada": {"X": ROWS, "y": [LOW, HIGH], "classes": [LOW, HIGH], "rounds": 1},
    "boost.mh": {"X": ROWS, "Y": [LOW, HIGH], "rounds": 1},
    "perceptron.binary": {"X": ROWS, "y": [LOW, HIGH], "classes": [LOW, HIGH]},
    "perceptron.kernel": {"X": ROWS, "y": [LOW, HIGH], "classes": [LOW, HIGH]},
    "perceptron.multiclass": {"X": ROWS, "y": [LOW, HIGH]},
    "sgd.binary": {"X": ROWS, "y": [LOW, HIGH], "classes": [LOW, HIGH], "C": 1, "eta": 1},
    "sgd.multiclass": {"X": ROWS, "y": [LOW, HIGH], "lam": 1, "T": 2},
    "loss.multiclass_hinge": {"scores": [[0, 1]], "y": [HIGH], "classes": [LOW, HIGH]},
    "loss.multiclass_hinge_sum": {"scores": [[0, 1]], "y": [HIGH], "classes": [LOW, HIGH]},
    "loss.zero_one": {"predicted": [LOW, HIGH], "y": [HIGH, HIGH]},
    "loss.hamming": {"predicted": [[LOW, HIGH]], "y": [[HIGH, HIGH]]},
    "code.decode": {"code": [[1], [-1]], "f": [[-2]], "classes": [LOW, HIGH]},
    "ovo.decode": {"pairs": [[-1]], "classes": [LOW, HIGH]},
    "ova.decode": {"scores": [[0, 1]], "classes": [LOW, HIGH]},
    "bound.perceptron": {"X": [[1], [-1]], "y": [LOW, HIGH], "classes": [LOW, HIGH], "w": [-1]},
}
each_family = pytest.mark.parametrize("family", PROBLEMS)


def problem(family: str, low: object = LOW, high: object = HIGH) -> str:
    text = json.dumps({"family": family, **PROBLEMS[family]})
    return text.replace(str(HIGH), json.dumps(high)).replace(str(LOW), json.dumps(low))


@each_family
def test_whole_numbers_that_are_one_binary64_are_two_labels(family: str) -> None:
    answer = json.dumps(solve_problem(problem(family)))
    named = json.dumps(solve_problem(problem(family, "no", "yes")))
    assert answer == named.replace('"no"', str(LOW)).replace('"yes"', str(HIGH))
    assert check(problem(family), answer)


def test_a_wrong_label_next_to_the_right_one_errs() -> None:
    assert solve_problem(problem("loss.zero_one"))["values"] == ["1", "0"]
    assert solve_problem(problem("loss.hamming"))["values"] == ["1/2"]


RIGHT: dict[str, dict[str, Any]] = {
    "svm.multiclass": {"labels": [LOW, HIGH]},
    "svm.binary": {"w": [1], "b": 0, "labels": [LOW, HIGH]},
    "svm.hard": {"w": [1], "b": 0, "labels": [LOW, HIGH]},
    "tree.grow": {"tree": {"nodes": [SPLIT, {"label": HIGH}, {"label": LOW}]}},
    "boost.ada": {"rounds": [{"base": [LOW, HIGH]}], "labels": [LOW, HIGH]},
    "boost.mh": {"rounds": [{"base": [[1, -1], [-1, 1]]}], "labels": [LOW, HIGH]},
    "code.decode": {"labels": [HIGH]},
    "ovo.decode": {"labels": [HIGH]},
    "ova.decode": {"label_sets": [[HIGH]]},
}


@pytest.mark.parametrize("family", RIGHT)
def test_one_label_in_the_place_of_the_other_is_refuted(family: str) -> None:
    right = json.dumps(RIGHT[family])
    last = max((LOW, HIGH), key=lambda label: right.rfind(str(label)))
    head, rest = right.rsplit(str(last), 1)
    assert check(problem(family), right)
    assert check(problem(family), head + str(LOW + HIGH - last) + rest).status == "REFUTED"


@pytest.mark.parametrize(
    ("names", "submitted", "reason"),
    [
        (
            [0, 1],
            True,
            "True is no class .*; labels are names, and True of type bool is not the 1 of type int",
        ),
        ([0, 1], 1.0, "expected a label, .* got the number 1.0"),
        (
            [False, True],
            1,
            "1 is no class .*; labels are names, and 1 of type int is not the True of type bool",
        ),
        (["0", "1"], 1, "1 is no class of the problem"),
    ],
)
@pytest.mark.parametrize("family", RIGHT)
def test_a_label_that_json_may_confuse_with_a_class_is_refused(
    family: str, names: list[object], submitted: object, reason: str
) -> None:
    answer = json.dumps(RIGHT[family]).replace(str(HIGH), json.dumps(submitted))
    with pytest.raises(FormatError, match=rf"^answer\..*: {reason}"):
        check(problem(family, *names), answer.replace(str(LOW), json.dumps(names[0])))


@each_family
@pytest.mark.parametrize("given", [1.0, 0.5, None])
def test_a_problem_with_a_number_or_nothing_for_a_label_is_refused(
    family: str, given: object
) -> None:
    with pytest.raises(
        FormatError, match=r"^problem\.(y|Y|classes|predicted)\[.*: expected a label"
    ):
        solve_problem(problem(family, 0, given))
