"""What the README shows is what happens."""

import contextlib
import io
import json
import re
import shlex
from fractions import Fraction

import pytest

from tests.support import EXAMPLES, ROOT, run

README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_python_example_prints_what_its_comments_say() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(blocks("python")[0], {})  # noqa: S102  # it is our own README
    lines = printed.getvalue().splitlines()
    assert lines[:3] == ["2/3", "('a', 'b')", "0"]
    assert lines[3] == "REFUTED  svm.multiclass  3 rows, 3 classes, C = 1"


def test_the_first_command_judges_the_answer_of_liblinear(monkeypatch: pytest.MonkeyPatch) -> None:
    command = shlex.split(blocks("sh")[0])
    assert command[:3] == ["python", "-m", "refmc"]
    monkeypatch.chdir(ROOT)
    done = run(*command[3:])
    assert done.stderr == ""
    assert done.returncode == 1
    shown = README.split("```\n")[2]
    assert done.stdout == shown
    assert shown.startswith("REFUTED  svm.multiclass  150 rows, 3 classes, C = 1\n")


def test_the_margin_that_the_first_example_is_about_is_the_one_of_its_answer() -> None:
    problem = json.loads((EXAMPLES / "iris-svm.json").read_text(encoding="utf-8"))
    answer = json.loads((EXAMPLES / "iris-svm.liblinear.json").read_text(encoding="utf-8"))
    x = [Fraction(value) for value in problem["X"][141]]
    setosa, versicolor, virginica = (
        sum(Fraction(w) * a for w, a in zip(row, x)) for row in answer["W"]
    )
    assert problem["y"][141] == "virginica" and versicolor > setosa
    assert round(float(virginica - versicolor), 3) == 1.124
    assert "relative 8.4e-3;" in README and "0.84 % too high" in README


def test_the_algorithm_shown_is_that_of_the_lecture_line_for_line() -> None:
    (shown,) = blocks("py")
    head, _, body = shown.partition("\n")
    lecture = (ROOT / "refmc" / "lectures" / "lu.py").read_text(encoding="utf-8")
    assert f"\n{head}\n" in lecture and f"\n{body}" in lecture
    assert {f"# {line}" for line in range(1, 11)} <= set(re.findall(r"# \d+", shown))


def test_every_file_that_the_readme_links_to_exists() -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
