"""No problem of any family may hold a field that nobody reads: it could be a misspelt one."""

import json
from pathlib import Path

import pytest

from refmc import FormatError, check, solve_problem
from tests.support import EXAMPLES

PROBLEMS = [
    path
    for path in sorted(EXAMPLES.glob("*.json"))
    if path.suffixes == [".json"] and path.name != "iris-svm.json"
]

TREE = {"family": "tree.grow", "X": [[1], [2]], "y": ["a", "b"]}


@pytest.mark.parametrize("path", PROBLEMS, ids=lambda path: path.stem)
def test_a_field_that_the_family_does_not_have_is_refused(path: Path) -> None:
    problem = json.loads(path.read_text(encoding="utf-8"))
    answer = solve_problem(problem)
    assert check(problem, answer, gap=0)
    with pytest.raises(FormatError, match="problem: unknown field 'surplus'"):
        check({**problem, "surplus": 1}, answer)
    with pytest.raises(FormatError, match="problem: unknown field 'surplus'"):
        solve_problem({**problem, "surplus": 1})
    with pytest.raises(FormatError, match="answer: unknown field 'surplus'"):
        check(problem, {**answer, "surplus": 1})


@pytest.mark.parametrize(
    ("problem", "answer", "said"),
    [
        (
            {"familiy": "loss.hinge", "z": [1]},
            {},
            r"problem: field 'family' is missing; its fields are \['familiy', 'z'\]",
        ),
        (
            {"family": "loss.hinge", "zz": [1]},
            {},
            "problem: field 'z' is missing, and 'zz' is unknown",
        ),
        (TREE, {"nodes": []}, "answer: field 'tree' is missing, and 'nodes' is unknown"),
        (
            TREE,
            {"tree": {"nodes": [{"question": {}, "left": 1, "right": 2}]}},
            r"nodes\[0\]: field 'negative' is missing, and 'left' is unknown",
        ),
        (
            TREE,
            {
                "tree": {
                    "nodes": [{"question": {"feature": 0}, "negative": 1, "positive": 2}, {}, {}]
                }
            },
            "question: field 'column' is missing, and 'feature' is unknown",
        ),
    ],
)
def test_a_misspelt_field_is_named_beside_the_one_that_is_missing(
    problem: dict[str, object], answer: dict[str, object], said: str
) -> None:
    with pytest.raises(FormatError, match=said):
        check(problem, answer)
