"""What people type wrongly: the message names the place and the mend; no exit code is wrong."""

import io
import json
import multiprocessing
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path

import pytest

from refmc.cli.files import clock
from refmc.cli.tables import processes
from tests.support import ROOT, run

PROBLEM = {"family": "loss.hinge", "z": [1, "1/2"]}
TABLE = "a,b,y\n1,2,p\n3,4,q\n5,6,p\n"
SVM = ["--label", "y", "--C", "1"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "problem.json": json.dumps(PROBLEM),
        "right.json": '{"values": [0, "1/2"]}',
        "wrong.json": '{"values": [1, 1]}',
        "short.json": '{"values": [0]}',
        "empty.json": " \n",
        "list.json": "[1]",
        "model.json": '{"model": "binary-svm", "version": 2, "w": [1]}',
        "ok.csv": TABLE,
        "model.csv": "a,b,y\nx,2,p\n3,4,q\n",
        "blank.csv": "\n\n" + TABLE.replace(",", ";"),
        "spaces.csv": "a,b, y\n1,2,p\n3,4,q\n",
        "quote.csv": 'a,b,y\n1,2,"p\n3,4,q\n',
    }.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "utf-16.json").write_bytes(json.dumps(PROBLEM).encode("utf-16"))
    (tmp_path / "latin-1.csv").write_bytes("a,b,é\n1,2,p\n".encode("latin-1"))
    for cell in ("NA", "", "red", "1,5"):
        row = f'"{cell}",4,q'
        (tmp_path / f"cell-{cell}.csv").write_text(f"a,b,y\n1,2,p\n{row}\n")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("solve empty.json", "empty.json: problem: not JSON: empty; expected an"),
        ("check problem.json empty.json", "empty.json: answer: not JSON: empty; expected"),
        ("solve utf-16.json", "byte 0; it looks like UTF-16; save it as UTF-8"),
        ("fit binary-svm latin-1.csv --label y --C 1", "byte 4; save it as UTF-8"),
        (
            "check problem.json model.json",
            "answer: a saved model is no answer; give what it says as",
        ),
        ("compare problem.json right.json short.json", "short.json: answer.values: expected 2 num"),
        ("compare problem.json empty.json right.json", "empty.json: answer: not JSON: empty"),
        ("predict right.json ok.csv", "right.json: model: field 'model' is missing"),
        ("check problem.json right.json --gap x", "refmc: --gap: 'x' is not a number"),
        ("fit tree ok.csv --label y --min-leaf 0", "refmc: --min-leaf: expected a whole number"),
        ("fit one-vs-all ok.csv --label y --binary svm --C 1 --jobs 99999", "from 1 to 61, got 99"),
        ("fit binary-svm spaces.csv --label y --C 1", "no column 'y'; columns: a, b,  y, ' y' has"),
        ("fit binary-svm quote.csv --label y --C 1", "line 3: a quotation mark isn't closed"),
        ("fit binary-svm cell-NA.csv --label y --C 1", "got 'NA'; fill it in or drop the row"),
        (
            "fit binary-svm cell-.csv --label y --C 1",
            "got an empty cell; fill it in or drop the row",
        ),
        ("fit binary-svm cell-red.csv --label y --C 1", "got 'red'; leave the column out"),
        ("fit binary-svm ok.csv --label y --C 1 -o no/m.json", "no/m.json: there is no folder no"),
        ("run --gap x -- true", "refmc: --gap: 'x' is not a number"),
        ("run --known list.json -- true", "list.json: known: expected a JSON object, got a list"),
        ("run -o no/report -- true", "no/report: there is no folder no"),
        ("run --write-known no/known.json -- true", "no/known.json: there is no folder no"),
        ("shrink problem.json --tries 0 -- true", "--tries: expected at least 1, got 0"),
        ("vectors list nosuch", "no vector fits nosuch; `refmc vectors list` names them all"),
        ("mistakes nosuch", "no mistake fits nosuch; `refmc mistakes` lists them all"),
        (
            "fit binary-svm ok.csv --kernal rbf --label y --C 1",
            "refmc fit binary-svm: error: unrec",
        ),
        ("trace problem.json --jsn", "refmc trace: error: unrecognized arguments: --jsn"),
    ],
)
def test_the_message_names_the_place_and_the_mend(files: Path, command: str, message: str) -> None:
    done = run(*command.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_a_table_is_not_taken_for_the_model_that_it_is_called_like(files: Path) -> None:
    assert run("fit", "binary-svm", "ok.csv", *SVM, "-o", "m.json").returncode == 0
    assert run("predict", "m.json", "model.csv").stderr.startswith("refmc: model.csv: row 0")
    assert run("show", "m.json").stderr.startswith("refmc: m.json: model: a model of kind")


def test_blank_lines_before_the_header_are_skipped(files: Path) -> None:
    blank, plain = (run("fit", "binary-svm", name, *SVM) for name in ("blank.csv", "ok.csv"))
    assert blank.stdout == plain.stdout != ""


def test_a_program_that_is_missing_is_not_shrunk(files: Path) -> None:
    done = run("shrink", "problem.json", "--", "./nosuch")
    assert (done.returncode, done.stdout) == (4, "")
    assert "crashed: missing: there is no such program" in done.stderr


@pytest.mark.parametrize("power", ["e-999", "e400"])
def test_an_exact_objective_beyond_floats_is_told(files: Path, power: str) -> None:
    # the row of q is the midpoint of the others: w = 0 and b = -1 are best, with a slack of 2
    done = run("fit", "binary-svm", "ok.csv", "--label", "y", "--C", f"1{power}", "--exact")
    assert done.returncode == 0, done.stderr
    assert f"objective 2{power}, gap 0.0e+00 (exactly 0)" in done.stderr


@pytest.mark.parametrize(
    ("closing", "code", "out", "err"),
    [
        (">&-", 2, "", "refmc: standard output is closed"),
        ("2>&-", 0, '"values": ["0", "1/2"]', ""),
        (">&- 2>&-", 2, "", ""),
        ("<&-", 0, '"values": ["0", "1/2"]', ""),
    ],
)
def test_closed_streams_are_no_fault_and_take_nothing(
    files: Path, closing: str, code: int, out: str, err: str
) -> None:
    command = f'"{sys.executable}" -m refmc solve {files / "problem.json"} {closing}'
    shell = ["sh", "-c", command]
    done = subprocess.run(shell, check=False, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.returncode == code
    assert out in done.stdout and err in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_clock_needs_no_codes_and_leaves_an_empty_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for seconds, shown in ((0.0, ""), (1.1, "\rrefmc: training, 1 s\r                    \r")):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        with clock("training"):
            time.sleep(seconds)
        assert terminal.getvalue() == shown


def test_whoever_interrupts_does_not_wait_for_the_processes() -> None:
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt), processes(Namespace(jobs=2)) as executor:
        assert executor is not None
        for _ in range(5):
            executor.submit(time.sleep, 30)
        raise KeyboardInterrupt
    assert time.monotonic() - start < 10
    assert not multiprocessing.active_children()
