"""The example programs of the book are right, and the page about judging tells what happens."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import SPEC, run

PROGRAMS = SPEC / "programs"

WHAT = [
    ("values.js", ["node"], "loss.* code.* ovo.* ova.*", "loss.hinge/two ovo.decode/cycle"),
    ("perceptron.js", ["node"], "perceptron.[bm]*", "perceptron.multiclass/three-points"),
    ("tree.js", ["node"], "tree.grow", "tree.grow/xor-stopped tree.grow/square"),
    ("margins.c", ["cc"], "loss.* svm.hard", "loss.logistic/two svm.hard/two-rows"),
    ("sgd.R", ["Rscript"], "sgd.binary", "sgd.binary/bias"),
    ("boosting.py", [sys.executable], "boost.ada", "boost.ada/three-rounds boost.ada/two-rows"),
    ("sklearn_tree.py", [sys.executable], "tree.grow", "tree.grow/square tree.grow/weights"),
    ("sklearn_svm.py", [sys.executable], "svm.binary", "svm.binary/two-rows svm.binary/cubic"),
]
"""File, interpreter, the families that it speaks, and some problems of theirs."""


def counted(name: str, tool: list[str], folder: Path, *options: str) -> dict[str, int]:
    if shutil.which(tool[0]) is None:
        pytest.skip(f"{tool[0]} is not installed")
    is_adapter = name.startswith("sklearn_")
    if is_adapter:
        pytest.importorskip("sklearn")
    command = [*tool, str(PROGRAMS / name)]
    if name.endswith(".c"):
        command = [str(folder / "program")]
        subprocess.run([*tool, "-o", command[0], PROGRAMS / name, "-lm"], check=True)
    persistent = ["--persistent"] if name.endswith(".py") else []
    plain = ["--plain"] if is_adapter else []
    done = run("run", *options, *persistent, *plain, "--format", "jsonl", "--", *command)
    assert done.returncode == 0, done.stdout
    counts = json.loads(done.stdout.splitlines()[-1])["receipt"]["counts"]
    return {outcome: count for outcome, count in counts.items() if count}


@pytest.mark.parametrize("name, tool, families, ids", WHAT)
def test_an_example_program_is_right(
    name: str, tool: list[str], families: str, ids: str, tmp_path: Path
) -> None:
    options = [option for id in ids.split() for option in ("--only", id)]
    found = counted(name, tool, tmp_path, *options)
    assert found["verified"] >= len(ids.split())


@pytest.mark.campaign
@pytest.mark.parametrize("name, tool, families, ids", WHAT[:-2])  # libraries round
def test_an_example_program_is_right_on_all_that_it_speaks(
    name: str, tool: list[str], families: str, ids: str, tmp_path: Path
) -> None:
    options = [option for family in families.split() for option in ("--family", family)]
    found = counted(name, tool, tmp_path, *options)
    assert found.keys() <= {"verified", "skipped"} and found["verified"] > 14


def test_every_example_program_is_short_and_tried() -> None:
    assert {path.name for path in PROGRAMS.iterdir()} == {name for name, *_ in WHAT}
    for path in PROGRAMS.iterdir():
        most = 25 if path.name.startswith("sklearn_") else 60
        assert len(path.read_text(encoding="utf-8").splitlines()) <= most, path.name


def test_the_first_verdict_of_the_page_is_what_happens(tmp_path: Path) -> None:
    page = (SPEC / "judging.md").read_text(encoding="utf-8")
    program = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
    (tmp_path / "hinge.py").write_text(re.sub("^   ", "", program, flags=re.MULTILINE))
    command = [sys.executable, "-S", str(tmp_path / "hinge.py")]
    done = run("run", "--all", "--only", "loss.hinge/*", "--", *command)
    (shown,) = re.findall(r"^   ```\n(   VERIFIED.*?)^   ```$", page, re.DOTALL | re.MULTILINE)
    assert done.stdout.splitlines()[:-1] == [line.strip() for line in shown.splitlines()]
