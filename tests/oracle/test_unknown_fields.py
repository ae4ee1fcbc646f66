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
