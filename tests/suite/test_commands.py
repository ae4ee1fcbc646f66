"""refmc vectors, mistakes, explain and compare."""

import json
from pathlib import Path

import pytest

from refmc.cli import main
from refmc.core.records import Record
from refmc.oracle.families import FAMILIES
from refmc.suite import vectors
from refmc.suite.comparing import _differences, compare

WRONG = '{"w": ["1/8"], "b": "0"}'
"""Right for C = 1/16: of `two-rows-bounded`, whose C is 1/8, with half of it."""


def file(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_vectors_are_listed_shown_and_copied(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["vectors", "list", "svm.hard/*", "--flags", "tie,duplicate"]) == 0
    assert capsys.readouterr().out.split("  ")[0] == "svm.hard/duplicates"
    assert main(["vectors", "show", "svm.binary/two-rows", "--field", "problem"]) == 0
    problem = capsys.readouterr().out
    assert json.loads(problem)["C"] == "1"
    assert main(["vectors", "copy", str(tmp_path / "new" / "place")]) == 0
    names = {path.name for path in (tmp_path / "new" / "place").iterdir()}
    others = {"flags.json", "mistakes.json", "schema.json"}
    assert names == {*(f"{family}.json" for family in FAMILIES), *others}
    assert main(["solve", file(tmp_path, "problem.json", problem)]) == 0
    for wrong in (["list", "nope/*"], ["list", "--flags", "ties"], ["show", "svm.binary/nope"]):
        assert main(["vectors", *wrong]) == 2
    assert main(["vectors", "show", "svm.binary/two-rows", "--field", "nope"]) == 2


def test_mistakes_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mistakes", "svm.C_over_m"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "svm.C_over_m: C is divided by the number of rows"
    more = sum("svm.C_over_m" in vector.catches for vector in vectors()) - 1
    assert lines[2] == f"  shown by svm.binary/two-rows-bounded and {more} more"
    assert main(["mistakes", "nope"]) == 2


def test_an_answer_to_a_vector_is_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = file(tmp_path, "wrong.json", WRONG)
    assert main(["explain", "svm.binary/two-rows-bounded", wrong]) == 1
    out = capsys.readouterr().out
    assert "  cause    exactly right if C is divided by the number of rows (C = 1/16)" in out
    assert main(["explain", "svm.binary/two-rows-bounded", wrong, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"]["status"] == "REFUTED"
    assert found["explanations"][0]["mistakes"] == ["svm.C_over_m"]
    right = file(tmp_path, "right.json", '{"w": ["1/4"], "b": "0"}')
    assert main(["explain", "svm.binary/two-rows-bounded", right]) == 0
    assert "cause" not in capsys.readouterr().out
    assert main(["explain", "svm.binary/nope", right]) == 2


def test_two_answers_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = file(tmp_path, "wrong.json", WRONG)
    ends = [file(tmp_path, f"{b}.json", f'{{"w": ["1/4"], "b": {b}}}') for b in (-0.75, 0.75)]
    assert main(["compare", "svm.binary/two-rows-bounded", *ends]) == 0
    assert capsys.readouterr().out == (
        "both are exactly right, a tie; they differ in\n  b: -0.75 and 0.75\n"
    )
    assert main(["compare", "svm.binary/two-rows-bounded", ends[0], wrong]) == 1
    assert capsys.readouterr().out.startswith("A is right\nB is wrong\n\nB: REFUTED  svm.binary")
    near = file(tmp_path, "near.json", '{"w": [0.25000001], "b": 0}')
    for pair in ((ends[0], near), (near, ends[0])):
        assert main(["compare", "svm.binary/two-rows-bounded", *pair]) == 0
        assert capsys.readouterr().out.startswith("both are right within what is allowed; they")
    assert main(["compare", "svm.binary/two-rows-bounded", "-", "-"]) == 2


def test_of_two_answers_either_may_be_the_wrong_one() -> None:
    problem, right = {"family": "ova.decode", "scores": [["2", "0"]]}, {"labels": [0]}
    assert compare(problem, {"labels": [1]}, right).text().startswith("A is wrong\nB is right\n")
    assert compare(problem, right, {"labels": [1]}).text().startswith("A is right\nB is wrong\n")


@pytest.mark.parametrize(
    ("m", "end"), [(3, "labels[2]: 0 and 1"), (4, "and 1 more"), (5, "and 2 more")]
)
def test_the_first_three_differences_are_shown_and_the_others_counted(m: int, end: str) -> None:
    tied: Record = {"family": "ova.decode", "scores": [["1", "1"]] * m}
    lines = compare(tied, {"labels": [0] * m}, {"labels": [1] * m}).text().splitlines()
    assert lines[1:4] == [f"  labels[{i}]: 0 and 1" for i in range(3)]
    assert lines[-1].strip() == end and len(lines) == 4 + (m > 3)


def test_an_object_beside_none_and_lists_of_other_lengths_differ_as_a_whole() -> None:
    mine: Record = {
        "stump": {"question": {"column": 0}},
        "order": [1, 2],
        "x": [1, [2]],
        "Y": [["a", "b"]],
    }
    other: Record = {"stump": {"question": None}, "order": [1], "x": ["1", ["5/2"]], "Y": ["ab"]}
    assert [*_differences(mine, other)] == [
        "stump.question: {'column': 0} and None",
        "order: [1, 2] and [1]",
        "x[1][0]: 2 and '5/2'",
        "Y[0]: ['a', 'b'] and 'ab'",
    ]
    assert next(_differences(other, mine)) == "stump.question: None and {'column': 0}"
