"""The example programs of the book are right, and the page about judging tells what happens."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT, SPEC, run

PROGRAMS = SPEC / "programs"

FIRST = re.findall(
    r"```python\n(.*?)```", (SPEC / "judging.md").read_text(encoding="utf-8"), re.DOTALL
)
"""The programs of the page, of which the first is hinge.py."""

WHAT = [
    ("values.js", ["node"], "loss.* code.* ovo.* ova.*", "loss.hinge/two ovo.decode/cycle"),
    ("perceptron.js", ["node"], "perceptron.[bm]*", "perceptron.multiclass/three-points"),
    ("tree.js", ["node"], "tree.grow", "tree.grow/xor-stopped tree.grow/square"),
    ("margins.c", ["cc"], "loss.* svm.hard", "loss.logistic/two svm.hard/two-rows"),
    ("sgd.R", ["Rscript"], "sgd.binary", "sgd.binary/bias"),
    ("boosting.py", [sys.executable], "boost.ada", "boost.ada/three-rounds boost.ada/two-rows"),
    ("sklearn_tree.py", [sys.executable], "tree.grow", "tree.grow/square tree.grow/weights"),
    ("sklearn_svm.py", [sys.executable], "svm.binary", "svm.binary/two-rows svm.binary/cubic"),
    ("sklearn_perceptron.py", [sys.executable], "perceptron.binary", "perceptron.binary/bias"),
    ("libsvm_svm.py", [sys.executable], "svm.binary", "svm.binary/two-rows svm.binary/cubic"),
    ("liblinear_svm.py", [sys.executable], "svm.multiclass", "svm.multiclass/four-classes"),
]
"""File, interpreter, the families that it speaks, and some problems of theirs."""

LIBRARIES = ("sklearn", "libsvm", "liblinear")
"""What the files of adapters are named by."""


def counted(name: str, tool: list[str], folder: Path, *options: str) -> dict[str, int]:
    if shutil.which(tool[0]) is None:
        pytest.skip(f"{tool[0]} is not installed")
    is_adapter = name.startswith(LIBRARIES)
    if is_adapter:
        pytest.importorskip(name.partition("_")[0])
    command = [*tool, str(PROGRAMS / name)]
    if name.endswith(".c"):
        command = [str(folder / "program")]
        subprocess.run([*tool, "-o", command[0], PROGRAMS / name, "-lm"], check=True)
    persistent = ["--persistent"] if name.endswith((".py", ".js")) else []
    done = run("run", *options, *persistent, "--plain", "--format", "jsonl", "--", *command)
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
@pytest.mark.parametrize(  # libraries round
    "name, tool, families, ids", [row for row in WHAT if not row[0].startswith(LIBRARIES)]
)
def test_an_example_program_is_right_on_all_that_it_speaks(
    name: str, tool: list[str], families: str, ids: str, tmp_path: Path
) -> None:
    options = [option for family in families.split() for option in ("--family", family)]
    found = counted(name, tool, tmp_path, *options)
    assert found.keys() <= {"verified", "skipped"} and found["verified"] > 14


def test_every_example_program_is_short_and_tried() -> None:
    assert {path.name for path in PROGRAMS.iterdir()} == {name for name, *_ in WHAT}
    for path in PROGRAMS.iterdir():
        most = 25 if path.name.startswith(LIBRARIES) else 55
        assert len(path.read_text(encoding="utf-8").splitlines()) <= most, path.name


def test_the_first_verdict_of_the_page_is_what_happens(tmp_path: Path) -> None:
    page = (SPEC / "judging.md").read_text(encoding="utf-8")
    program = re.sub("^   ", "", FIRST[0], flags=re.MULTILINE)
    (tmp_path / "hinge.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "-S", str(tmp_path / "hinge.py")]
    done = run("run", "--all", "--only", "loss.hinge/*", "--", *command)
    (shown,) = re.findall(r"^   ```\n(   VERIFIED.*?)^   ```$", page, re.DOTALL | re.MULTILINE)
    assert done.stdout.splitlines()[:-1] == [line.strip() for line in shown.splitlines()]


def snippet(language: str) -> str:
    page = (SPEC / "judging.md").read_text(encoding="utf-8")
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return str(found)


def installed(folder: Path) -> dict[str, str]:
    """The environment of somebody who has installed refmc, and has ./my-svm in the folder."""
    program = re.sub("^   ", "", FIRST[0], flags=re.MULTILINE)
    (folder / "hinge.py").write_text(program, encoding="utf-8")
    wrappers = {"refmc": '-m refmc "$@"', "my-svm": f"-S {folder}/hinge.py"}
    for name, words in wrappers.items():
        (folder / name).write_text(f"#!/bin/sh\nexec {sys.executable} {words}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "GITHUB_RUN_ID": "77"}


def shell(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, shell=True, cwd=folder, env=installed(folder), capture_output=True, text=True,
        check=False,
    )  # fmt: skip


def test_the_javascript_of_the_page_ends_and_shows_errors(tmp_path: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    right, file = snippet("js"), tmp_path / "my-svm.test.mjs"
    for change, code, said in (
        ((), 0, ""),
        (("[0.5, 0]", "[0.5, 1]"), 1, "1, needs 0"),
        (('"loss.hinge"', '"loss.hing"'), 1, "loss.hing"),
        (('["serve"]', '["serve", "now"]'), 1, ""),
    ):
        file.write_text(right.replace(*change) if change else right, encoding="utf-8")
        done = shell(tmp_path, f"timeout 60 node --test {file.name}")
        assert done.returncode == code, done.stdout + done.stderr
        assert said in done.stdout


def test_the_workflow_of_the_page_works_on_the_first_push(tmp_path: Path) -> None:
    commands = re.findall(r"- run: (.*)", snippet("yaml"))
    assert commands[0].startswith("python -m pip install ") and len(commands) == 2
    done = shell(tmp_path, commands[1].replace(" -- ", " --only 'loss.hinge/*' -- "))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "104 verified" in done.stdout  # four of the suite, and the fresh ones


RUN = "refmc run {} -- ./my-svm"
HINGE = "refmc run --only 'loss.hinge/*' {} -- ./my-svm"
SAID = {  # what stands on the page: the command in which it is tried, and what that prints
    "--all": (HINGE, "VERIFIED      loss.hinge/kink"),
    "--only 'svm.*/two-*'": (RUN, "skipped"),
    "--family 'tree.*'": (RUN, "tree.grow"),
    "--flags tie": (RUN, "skipped"),
    "refmc vectors list": ("{}", "svm.binary/two-rows"),
    "refmc vectors copy DIR": ("{} && ls DIR", "loss.hinge.json"),
    "--settings max_depth,impurity=entropy": (RUN, "tree.grow"),
    "refmc families tree.grow": ("{}", "max_depth"),
    "--problems own.jsonl": (HINGE.replace("/*", "/line-1"), "selected 1 = 1 verified"),
    "--plain": (HINGE, "4 verified"),
    "./my-svm": ("{} < problem.json", '{"values": ["1/2"]}'),
    "--format junit": (HINGE, "<testsuite"),
    "tap": (HINGE.replace("{}", "--format {}"), "ok 1 - loss.hinge/"),
    "--format html -o page.html": (HINGE + " && cat page.html", "<!doctype html>"),
    "--format jsonl": (HINGE, '{"receipt"'),
    "--known known.json": ("echo '{{}}' > known.json && " + HINGE, "0 known"),
    "--write-known known.json": (HINGE + " && cat known.json", "{}"),
    "refmc gen svm.binary --seed 77-4": ("{}", '"svm.binary"'),
    "--random 5 --seed 77 --only svm.binary/seed-77-4": (RUN, "selected 1 = "),
    "--explain": (HINGE, "4 verified"),
    "--persistent": (HINGE.replace("./my-svm", "refmc serve"), "4 verified"),
    "--random": (HINGE.replace("{}", "{} 2"), "6 verified"),
    "refmc gen tree.grow --seed 77-4 --settings max_depth,impurity=entropy": ("{}", '"tree.grow"'),
    "--timeout": (HINGE.replace("{}", "{} 10"), "4 verified"),
    "refmc serve": ('echo \'{{"cmd": "stop"}}\' | {}; echo ended', "ended"),
    "refmc run --persistent -- refmc serve": (
        "refmc run --only 'loss.hinge/*' --persistent -- refmc serve # {}",
        "4 verified",
    ),
    "refmc check problem.json answer.json": ("./my-svm < problem.json > answer.json && {}", "VER"),
    "./my-svm < problem.json | refmc check problem.json - --gap 1e-4": ("{}", "VERIFIED"),
    "refmc shrink problem.json -- ./my-svm": ("sed -i 's/1 - /2 - /' hinge.py && {}", '"wrong"'),
    "refmc tiny FAMILY": ("refmc tiny loss.hinge # {}", '"loss.hinge"'),
    "refmc scramble problem.json --seed 3": ("{}", '"loss.hinge"'),
    "refmc run --scramble": ("{} --only 'loss.hinge/*' -- ./my-svm", "8 verified"),
}


def test_every_command_and_option_of_the_page_is_tried() -> None:
    page = (SPEC / "judging.md").read_text(encoding="utf-8")
    text = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    written = {" ".join(code.split()) for code in re.findall(r"`([^`]+)`", text)}
    commands = {code for code in written if code.startswith(("--", "./", "refmc "))}
    assert commands <= SAID.keys() <= written


@pytest.mark.parametrize("written", SAID)
def test_the_commands_of_the_page_do_what_it_says(written: str, tmp_path: Path) -> None:
    command, said = SAID[written]
    (tmp_path / "problem.json").write_text('{"family": "loss.hinge", "z": ["1/2"]}')
    (tmp_path / "own.jsonl").write_text('{"family": "loss.hinge", "z": ["1/2"]}\n')
    done = shell(tmp_path, command.format(written))
    assert said in done.stdout, done.stdout + done.stderr
