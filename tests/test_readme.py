"""What the README shows is what happens."""

import contextlib
import io
import json
import re
import shlex
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from tests.support import EXAMPLES, ROOT, run

README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_it_is_short_enough_to_decide_in_a_minute() -> None:
    lines = README.splitlines()
    assert len(lines) <= 130 and max(map(len, lines)) <= 120


def test_the_python_example_prints_what_its_comments_say() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(blocks("python")[0], {})  # noqa: S102  # it is our own README
    lines = printed.getvalue().splitlines()
    assert lines[0] == "REFUTED  svm.multiclass  3 rows, 3 classes, C = 1"
    assert lines[-1] == "2/3 0 ('a', 'b')" and f"# {lines[-1]}\n" in README


COMMANDS = re.findall(
    r"^```sh\n(python -m refmc .*?)\n```\n\n```\n(.*?)^```$", README, re.MULTILINE | re.DOTALL
)


@pytest.mark.parametrize(("command", "shown"), COMMANDS)
def test_each_command_prints_what_is_shown(
    command: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = shlex.split(command)
    monkeypatch.chdir(ROOT)
    done = run(*[sys.executable if word == "python" else word for word in words[3:]])
    assert done.stdout.startswith(shown.removesuffix("…\n"))
    assert done.returncode == (1 if shown.startswith("REFUTED") else 0)


def test_the_commands_to_embed_a_classifier_end_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "iris.csv").write_bytes((ROOT / "tests" / "data" / "iris.csv").read_bytes())
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^\$ refmc (.*)$", README, re.MULTILINE)
    assert [run(*shlex.split(command)).returncode for command in commands] == [0, 0, 0]
    assert (tmp_path / "iris_test.c").exists()


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
    lecture = (ROOT / "refmc" / "lectures" / "lu.py").read_text(encoding="utf-8")
    assert f"\n{shown}" in lecture


def test_every_file_that_the_readme_links_to_exists() -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
