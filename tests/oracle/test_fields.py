"""What every reader of records refuses in all families: null, and numbers too large to compute."""

import json
import re
from typing import Any

import pytest

from refmc import FormatError, check, solve_problem
from tests.support import EXAMPLES

STOPS = {"max_splits", "max_depth", "min_decrease"}  # of growth, where null is no stop

PROBLEMS = {
    path.stem: json.loads(path.read_text())
    for path in sorted(EXAMPLES.glob("*.json"))
    if '"family"' in path.read_text() and "." not in path.stem
}
each_problem = pytest.mark.parametrize("name", PROBLEMS)


def known_fields(judge: Any, record: dict[str, Any]) -> list[str]:
    with pytest.raises(FormatError, match="unknown field") as refusal:
        judge({**record, "no such field": 1})
    return re.findall(r"[\w]+", str(refusal.value).split("known: ")[1])


@each_problem
def test_no_field_of_a_problem_may_be_null(name: str) -> None:
    problem = PROBLEMS[name]
    for field in set(known_fields(solve_problem, problem)) - STOPS:
        with pytest.raises(FormatError, match=rf"^problem.*\b{field}\b.*(null|None)"):
            solve_problem({**problem, field: None})


@each_problem
def test_no_claim_of_an_answer_may_be_null(name: str) -> None:
    problem = PROBLEMS[name]
    required: dict[str, dict[str, object]] = {
        "tree-grow": {"tree": {}},
        "tree-prune": {"lam": 0},
        "boost-ada": {"rounds": []},
        "boost-mh": {"rounds": []},
    }
    least = required.get(name, {})
    for field in known_fields(lambda answer: check(problem, answer), least):
        with pytest.raises(FormatError, match=rf"^answer.*\b{field}\b.*(null|None)"):
            check(problem, {**least, field: None})


@pytest.mark.parametrize(
    ("name", "answer", "place"),
    [
        ("tree-prune", {"steps": [{"lam": 0, "leaves": None}]}, r"answer\.steps\[0\]\.leaves"),
        ("tree-grow", {"tree": {"nodes": [{"label": None}]}}, r"answer\.tree\.nodes\[0\]\.label"),
        ("boost-ada", {"rounds": [{"base": None}]}, r"answer\.rounds\[0\]\.base"),
        ("boost-ada", {"rounds": [{"base": [1], "D": None}]}, r"answer\.rounds\[0\]\.D"),
    ],
)
def test_no_claim_inside_a_claim_may_be_null(
    name: str, answer: dict[str, object], place: str
) -> None:
    with pytest.raises(FormatError, match=rf"^{place}: .*null"):
        check(PROBLEMS[name], answer)


def test_a_label_of_an_array_of_nodes_is_a_label() -> None:
    arrays = {"children_left": [-1], "children_right": [-1], "feature": [0], "threshold": [0]}
    with pytest.raises(FormatError, match=r"^answer\.tree\.labels\[0\]: .* got null"):
        check(PROBLEMS["tree-grow"], {"tree": {**arrays, "labels": [None]}})


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("NaN", "NaN is not a number that can be computed with"),
        ("-Infinity", "-Infinity is not a number"),
        ("1e400", "1e400 is beyond binary64; write it as a string"),
        ("9" * 5000, "9+… has more than 4000 digits; write it as a string"),
        (r'"\ud800"', r"'\\ud800' has half a character, a lone surrogate"),
        (r'{"\uDC00": 1}', r"field: '\\udc00' has half a character"),
    ],
)
@pytest.mark.parametrize("role", ["problem", "answer"])
def test_what_json_can_say_and_nobody_can_compute_with_is_refused_at_its_place(
    role: str, written: str, reason: str
) -> None:
    text = '{"family": "loss.hinge", "z": [0, ' + written + "]}"
    with pytest.raises(FormatError, match=rf"^{role}\.z\[1\]: {reason}"):
        if role == "problem":
            solve_problem(text)
        else:
            check({"family": "loss.hinge", "z": [1]}, text)


def test_characters_beyond_16_bits_are_no_surrogates() -> None:
    problem = r'{"family": "ova.decode", "scores": [[1, 0]], "classes": ["\ud83d\ude00", "é"]}'
    assert solve_problem(problem)["labels"] == ["😀"]


@pytest.mark.parametrize("value", [0, False, "", {}, None, "x"])
def test_categorical_is_a_list_or_nothing(value: object) -> None:
    problem = {"family": "tree.grow", "X": [[1], [2]], "y": ["a", "b"]}
    with pytest.raises(FormatError, match=r"^problem\.categorical: "):
        solve_problem({**problem, "categorical": value})
    assert solve_problem({**problem, "categorical": []}) == solve_problem(problem)
