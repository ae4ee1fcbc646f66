"""What the README shows is what happens."""

import contextlib
import io
import re
import shlex
import subprocess
import sys

from tests.support import ROOT

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


def test_the_first_command_judges_the_answer_of_liblinear() -> None:
    command = shlex.split(blocks("sh")[0])
    assert command[:2] == ["python", "-m"]
    command[0] = sys.executable
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.stderr == ""
    assert done.returncode == 1
    shown = README.split("```\n")[2]
    assert done.stdout == shown
    assert shown.startswith("REFUTED  svm.multiclass  150 rows, 3 classes, C = 1\n")


def test_every_file_that_the_readme_links_to_exists() -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
