"""What people type wrongly: the message names the place and the mend; no exit code is wrong."""

import contextlib
import errno
import io
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import zipfile
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

import pytest

from refmc.cli import main
from refmc.cli.files import clock
from refmc.cli.signals import ended_by_signals
from refmc.cli.tables import processes
from refmc.suite.corpus import vector_of
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
        ("shrink problem.json --tries 0 -- true", "--tries: expected a number from 1 to 1000000"),
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
    assert run("predict", "m.json", "model.csv").stderr.startswith("refmc: model.csv: line 2")
    assert run("show", "m.json").stderr.startswith("refmc: m.json: model: a model of kind")


def test_blank_lines_before_the_header_are_skipped(files: Path) -> None:
    blank, plain = (run("fit", "binary-svm", name, *SVM) for name in ("blank.csv", "ok.csv"))
    assert blank.stdout == plain.stdout != ""


def test_a_program_that_is_missing_is_not_shrunk(files: Path) -> None:
    done = run("shrink", "problem.json", "--", "./nosuch")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "refmc: ./nosuch: the program can't be started: No such file or directory\n"
    )


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


@pytest.mark.parametrize(
    "command",
    [
        "check ID right.json",
        "solve ID",
        "trace ID",
        "draw ID",
        "scramble ID",
        "explain ID right.json",
        "compare ID right.json right.json",
    ],
)
def test_ids_of_vectors_are_problems_everywhere(files: Path, command: str) -> None:
    vector = vector_of("loss.hinge/two")
    (files / "vector.json").write_text(json.dumps(vector.problem))
    (files / "right.json").write_text(json.dumps(vector.answer))
    done = run(*command.replace("ID", vector.id).split())
    assert done.returncode == 0 and done.stdout
    assert done == run(*command.replace("ID", "vector.json").split())
    wrong = run(*command.replace("ID", "loss.hinge/nope").split())
    assert wrong.returncode == 2 and "no vector is called 'loss.hinge/nope'" in wrong.stderr
    wrong = run(*command.replace("ID", "loss.hing/two").split())
    assert wrong.stderr == "refmc: loss.hing/two: No such file or directory\n"


def test_a_vector_is_shrunk_by_its_id_unless_a_file_has_the_name(files: Path) -> None:
    command = ("shrink", "loss.hinge/two", "--tries", 1, "--", "sh", "-c", """echo '{"mean": 9}'""")
    assert json.loads(run(*command).stdout)["problem"]["family"] == "loss.hinge"
    (files / "loss.hinge").mkdir()
    (files / "loss.hinge" / "two").write_text('{"family": "loss.perceptron", "z": [1]}')
    assert json.loads(run(*command).stdout)["problem"]["family"] == "loss.perceptron"


NOT_TEXT = "\udcff"
"""How Python holds the byte 255 of a name of a file."""


@pytest.mark.parametrize(
    "command",
    [
        "solve ?.json",
        "check problem.json ?",
        "check ? right.json",
        "check problem.json right.json --gap ?",
        "check --csv ok.csv right.json --label ? --family svm.binary",
        "trace ?",
        "draw problem.json -o ?/x.svg",
        "explain ? right.json",
        "compare problem.json right.json ?",
        "fit binary-svm ? --label y --C 1",
        "fit binary-svm ok.csv --label ? --C 1",
        "fit binary-svm ok.csv --label y --C ?",
        "fit ?",
        "predict ? ok.csv",
        "show ?",
        "run --only ? -- true",
        "run --known ? -- true",
        "run -- ./?",
        "run -o ?/x -- true",
        "vectors show ?",
        "vectors list ?",
        "mistakes ?",
        "shrink ? -- true",
        "gen ?",
        "tiny ?",
        "?",
        "solve problem.json --?",
    ],
)
def test_what_is_not_utf_8_is_refused_with_escapes(files: Path, command: str) -> None:
    done = run(*command.replace("?", f"{NOT_TEXT}\x1b[1m").split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.replace("\n", "").isprintable() and "\\udcff" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_name_that_is_not_utf_8_ends_in_a_process_of_its_own(files: Path) -> None:
    name = b"\xff.json"
    (Path(os.fsdecode(os.fsencode(files) + b"/" + name))).write_text(json.dumps(PROBLEM))
    for words, code in (([b"solve", name], 0), ([b"check", name, name], 2), ([b"x" + name], 2)):
        command = [os.fsencode(sys.executable), b"-m", b"refmc", *words]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, check=False, capture_output=True, env=environment, cwd=files)
        assert done.returncode == code and b"Traceback" not in done.stderr
        assert code == 0 or rb"\udcff.json" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["solve", "problem.json", "-o", ""],
        ["draw", "problem.json", "-o", ""],
        ["fit", "tree", "", "--label", "y"],
        ["solve", ""],
        ["fit", "binary-svm", "ok.csv", *SVM, "-o", ""],
        ["run", "-o", "", "--", "true"],
        ["run", "--write-known", "", "--", "true"],
        ["run", "--", ""],
        ["vectors", "copy", ""],
    ],
)
def test_a_name_that_is_empty_is_shown(files: Path, words: list[str]) -> None:
    done = run(*words)
    assert done.returncode == 2 and ("''" in done.stderr or "unrecognized" in done.stderr)


@pytest.mark.parametrize(
    "command",
    [
        "draw problem.json -o FILE",
        "problem ok.csv --label y --family tree.grow -o FILE",
        "fit binary-svm ok.csv --label y --C 1 -o FILE",
        "run --only loss.hinge/two -o FILE -- true",
        "run --only loss.hinge/two --write-known FILE -- true",
        "vectors copy copied",
    ],
)
def test_a_read_only_file_is_not_replaced(files: Path, command: str) -> None:
    kept = files / "copied" / "loss.hinge.json"
    kept.parent.mkdir()
    kept.write_text("kept")
    kept.chmod(0o555)
    done = run(*command.replace("FILE", str(kept)).split())
    assert done.returncode == 2 and kept.read_text() == "kept"
    assert "loss.hinge.json: is read-only; choose another file for the result\n" in done.stderr


@pytest.mark.parametrize("command", ["vectors copy copied", "draw problem.json -o copied/x.svg"])
def test_a_full_disk_leaves_no_half_of_a_file(
    files: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (files / "copied").mkdir()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    done = run(*command.split())
    assert done.returncode == 2 and not list((files / "copied").iterdir())
    name = "x.svg" if "x.svg" in command else "boost.ada.json"
    assert done.stderr == f"refmc: copied/{name}: No space left on device\n"


NASTY = "c\n\x1b[31mVERIFIED\x9b\u202e"


def test_labels_and_titles_reach_no_terminal_raw(files: Path) -> None:
    rows = {"X": [["1"], ["-1"]], "y": [NASTY, "d"]}
    problems = {"svm": {"family": "svm.multiclass", "C": "1", **rows}}
    problems["tree"] = {"family": "tree.grow", **rows, "columns": [NASTY]}
    problems["decode"] = {"family": "ova.decode", "scores": [[1, 0]], "classes": [NASTY, "d"]}
    for name, problem in problems.items():
        (files / f"{name}.json").write_text(json.dumps(problem))
    (files / "w.json").write_text('{"W": [["1/2"], ["-1/4"]]}')
    (files / "l.json").write_text('{"labels": ["d", "d"]}')
    (files / "d.json").write_text('{"labels": ["d"]}')
    table = f'"{NASTY}",y\n1,"{NASTY}"\n2,d\n'
    (files / "nasty.csv").write_text(table)
    run("fit", "tree", "nasty.csv", "--label", "y", "-o", "tree-model.json")
    commands = """check svm.json w.json|check svm.json l.json|explain svm.json w.json
        |compare svm.json w.json l.json|check decode.json d.json|trace tree.json|solve tree.json
        |trace decode.json|trace svm.json|check decode.json d.json --json|trace tree.json --json
        |show tree-model.json|show tree-model.json --as dot|show tree-model.json --as mermaid
        |predict tree-model.json nasty.csv|draw tree.json|draw svm.json|scramble tree.json
        |fit tree nasty.csv --label x|fit binary-svm nasty.csv --label y --C 1 --positive x
        |fit one-vs-all nasty.csv --label y --binary svm --C x"""
    for command in commands.split("|"):
        done = run(*command.split())
        assert "Traceback" not in done.stderr
        for stream in (done.stdout, done.stderr):
            assert stream.replace("\n", "").isprintable(), command
            assert not any(line.startswith("VERIFIED") for line in stream.splitlines()), command


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("draw problem.json --gap", "problem: the bound is for sgd.multiclass with η = 1/(λt)"),
        ("draw bad-C.json", "bad-C.json: problem.C: expected a positive number, got '0'"),
        ("fit tree big.csv --label y --min-leaf 0", "--min-leaf: expected a whole number of at"),
        ("fit label-tree many.csv --label y --binary svm --C 1", "give --partition swapped for mo"),
        (
            "fit output-code many.csv --label y --code exhaustive --binary svm --C 1",
            "expected at most 16 classes, give --code random for more",
        ),
        ("fit adaboost long.csv --label y --rounds 30 --exact", "rounds, or leave out --exact"),
        ("solve signs.json", "33554432 sums; give fewer values of each hypothesis"),
        ("check problem.json whole.json", "whole.json: answer.values: expected a list, got a num"),
    ],
)
def test_the_message_speaks_of_what_the_person_gave(
    files: Path, command: str, message: str
) -> None:
    rows = [["1", "2", "3"], ["2", "1", "0"]]
    bad = {"family": "svm.multiclass", "X": rows, "y": ["a", "b"], "C": "0"}
    (files / "bad-C.json").write_text(json.dumps(bad))
    (files / "big.csv").write_text(TABLE)
    (files / "many.csv").write_text("a,y\n" + "".join(f"{i},c{i}\n" for i in range(24)))
    (files / "long.csv").write_text("a,y\n" + "".join(f"{i},{i * i % 7 % 2}\n" for i in range(20)))
    signs = {"family": "bound.rademacher", "values": [[1] * 40]}
    (files / "signs.json").write_text(json.dumps(signs))
    (files / "whole.json").write_text(f'{{"values": {2**60}}}')
    done = run(*command.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr and len(done.stderr) < 600


def test_a_long_message_keeps_its_beginning_and_its_end(files: Path) -> None:
    done = run("fit", "tree", "ok.csv", "--label", "a" * 10_000 + "b")
    assert done.returncode == 2 and len(done.stderr) < 600
    assert (
        done.stderr.startswith("refmc: ok.csv: no column 'aaa") and "columns: a, b" in done.stderr
    )


def test_messages_that_no_disk_takes_change_no_exit_code(files: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    for words in ("solve nosuch", "solve", "nosuch", "check problem.json right.json --gap -1"):
        command = [sys.executable, "-m", "refmc", *words.split()]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        with open("/dev/full", "w") as full:
            done = subprocess.run(command, check=False, stderr=full, env=environment, cwd=files)
        assert done.returncode == 2
    for words in ("--help", "--version", "fit tree --help", "solve problem.json", "vectors list"):
        command = [sys.executable, "-m", "refmc", *words.split()]
        with open("/dev/full", "w") as full:
            done = subprocess.run(command, check=False, stdout=full, env=environment, cwd=files)
        assert done.returncode == 2


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("command", ["run -j2", "run --persistent", "shrink loss.hinge/two"])
def test_a_signal_ends_the_program_that_was_started(
    files: Path, command: str, number: signal.Signals
) -> None:
    pids = files / "pids"
    script = f"echo $$ >> {pids}; trap '' TERM HUP INT; while true; do sleep 1; done"
    told = [*command.split(), "--timeout", "60", "--", "sh", "-c", script]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    plain = f"import signal; signal.signal({int(number)}, signal.SIG_DFL)"  # nohup ignores some
    if number == signal.SIGINT:
        plain = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    program = f"{plain}; from refmc.cli import main; raise SystemExit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", program, *told], env=environment, stderr=subprocess.PIPE
    )
    for _ in range(600):
        if pids.exists() and len(pids.read_text().split()) == 1 + ("-j2" in command):
            break
        time.sleep(0.05)
    process.send_signal(number)
    _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (130, b"refmc: interrupted\n")
    states = [Path(f"/proc/{pid}/stat") for pid in pids.read_text().split()]
    assert states and all(not s.exists() or ") Z" in s.read_text() for s in states)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
def test_a_signal_ends_the_processes_of_a_training(files: Path) -> None:
    pids = files / "pids"
    program = f"""if True:
    import os, signal, time
    from argparse import Namespace
    from refmc.cli.tables import processes

    def work():
        with open({str(pids)!r}, "a") as file:
            print(os.getpid(), file=file)
        time.sleep(60)

    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with processes(Namespace(jobs=2)) as executor:
        for future in [executor.submit(work) for _ in range(2)]:
            future.result()
    """
    process = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stderr=subprocess.PIPE)
    for _ in range(600):
        if pids.exists() and len(pids.read_text().split()) == 2:
            break
        time.sleep(0.05)
    process.terminate()
    _, said = process.communicate(timeout=30)
    assert said.splitlines()[-1] == b"KeyboardInterrupt"
    states = [Path(f"/proc/{pid}/stat") for pid in pids.read_text().split()]
    assert len(states) == 2 and all(not s.exists() or ") Z" in s.read_text() for s in states)


def test_signals_that_are_ignored_stay_so(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)]
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with pytest.raises(KeyboardInterrupt), ended_by_signals():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        for number, handler in zip((signal.SIGTERM, signal.SIGHUP), kept):
            signal.signal(number, handler)


def test_it_works_from_an_archive(files: Path) -> None:
    with zipfile.ZipFile(files / "refmc.zip", "w") as archive:
        for path in (ROOT / "refmc").rglob("*"):
            if path.is_file() and path.suffix != ".pyc":
                archive.write(path, path.relative_to(ROOT))
    commands = [
        "vectors list loss.hinge/*",
        "vectors copy copied",
        "mistakes svm.*",
        "explain loss.hinge/two wrong.json",
        "check loss.hinge/two wrong.json",
        "run --only loss.hinge/two -- echo {}",
    ]
    program = f"""import sys
sys.path.insert(0, {str(files / "refmc.zip")!r})
import refmc
from refmc.cli import main
print([main(command.split()) for command in {commands!r}], refmc.__file__)"""
    command = [sys.executable, "-S", "-P", "-c", program]
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8", cwd=files)
    *_, last = done.stdout.splitlines()
    assert last == f"[0, 0, 0, 1, 1, 4] {files}/refmc.zip/refmc/__init__.py", done.stderr
    copied = {path.name: path.read_bytes() for path in (files / "copied").iterdir()}
    kept = ROOT / "refmc" / "suite" / "vectors"
    assert copied == {path.name: path.read_bytes() for path in kept.glob("*.json")}


OLD = sorted(Path.home().glob(".pyenv/versions/3.10.*/bin/python"))


def test_an_older_python_gets_one_line() -> None:
    told = "refmc needs Python 3.11 or later, and this is 3.10"
    source = (ROOT / "refmc" / "__init__.py").read_text(encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "version_info", (3, 10, 0))
        with pytest.raises(ImportError, match=told):
            exec(compile(source, "refmc", "exec"), {})  # noqa: S102  # the package's own file
        patch.setattr(sys, "argv", ["-m"])
        with pytest.raises(SystemExit) as stopped, contextlib.redirect_stderr(io.StringIO()) as err:
            exec(compile(source, "refmc", "exec"), {})  # noqa: S102
    assert stopped.value.code == 2 and err.getvalue() == f"refmc: {told}\n"
    for python in OLD:
        done = subprocess.run([python, "-m", "refmc"], check=False, capture_output=True, cwd=ROOT)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.decode() == f"refmc: {told}\n"


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


@pytest.mark.parametrize("words", [["--only", "solve"], ["--", "solve"], ["--", "run", "--", "x"]])
def test_what_stands_before_the_command_is_refused(words: list[str]) -> None:
    done = run(*words)
    assert done.returncode == 2 and done.stderr.splitlines()[-1].startswith("refmc: error: ")


def test_how_large_the_work_is_is_told_before_it_begins(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("refmc.fit_one_vs_one", stopped)
    monkeypatch.setattr("refmc.grow_tree", stopped)
    rows = [f"{i},c{i}" for i in range(1_000)]
    (files / "many.csv").write_text("\n".join(["a,y", *rows]))
    (files / "long.csv").write_text("a,y\n" + "1,p\n2,q\n" * 50_001)
    (files / "short.csv").write_text("a,y\n" + "1,p\n2,q\n" * 20)
    options = ["--label", "y", "--binary", "perceptron", "--epochs", "1"]
    done = run("fit", "one-vs-one", "many.csv", *options)
    told = "1000 rows times 1000 classes, 499500 pairs of classes: time and memory grow with these"
    assert done.returncode == 130 and done.stderr.startswith(f"refmc: {told}")
    done = run("fit", "tree", "long.csv", "--label", "y")
    assert done.stderr.startswith("refmc: 100002 rows times 2 classes, 1 pairs of classes: time")
    assert run("fit", "tree", "short.csv", "--label", "y").stderr == "refmc: interrupted\n"


@pytest.mark.parametrize("command", ["predict tree.model ok.csv", "fit tree ok.csv --label y"])
def test_what_may_take_long_has_a_clock(
    files: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("fit", "tree", "ok.csv", "--label", "y", "-o", "tree.model")
    clocks: list[str] = []

    @contextlib.contextmanager
    def clock(what: str) -> Iterator[None]:
        clocks.append(what)
        yield

    for module in ("files", "predicting", "growing"):
        monkeypatch.setattr(f"refmc.cli.{module}.clock", clock)
    assert run(*command.split()).returncode == 0
    assert clocks == ["reading", "predicting" if "predict" in command else "growing"]


def test_a_terminal_sees_how_large_a_problem_is(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clocks: list[str] = []

    @contextlib.contextmanager
    def clock(what: str) -> Iterator[None]:
        clocks.append(what)
        yield

    problem = {"family": "svm.binary", "X": [[1], [-1], [2]], "y": [1, -1, 1], "C": 1}
    (files / "three.json").write_text(json.dumps(problem))
    (files / "right.json").write_text('{"w": [1], "b": 0}')
    monkeypatch.setattr("refmc.cli.judging.clock", clock)
    assert run("solve", "three.json").returncode == 0
    with contextlib.redirect_stderr(Terminal()):
        assert main(["solve", "three.json"]) == main(["check", "three.json", "right.json"]) == 0
        assert main(["solve", "svm.binary/two-rows"]) == 0
    assert clocks == [
        "solving exactly",
        "solving exactly (rows: 3, columns: 1)",
        "searching the exact optimum (rows: 3, columns: 1)",
        "solving exactly (rows: 2, columns: 1)",
    ]


def test_a_terminal_sees_how_far_a_run_is(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["run", "--only", "loss.hinge/*", "--", "echo", '{"skip": ""}']) == 5
    assert terminal.getvalue() == (
        "".join(f"\rrefmc: {n} of 4\r" for n in (1, 2, 3, 4)) + " " * 13 + "\r"
    )


def test_an_exact_objective_within_floats_is_told_as_a_decimal(files: Path) -> None:
    # w = 1 has both margins 1, and half of its square is the objective
    (files / "pair.csv").write_text("a,y\n1,p\n-1,q\n")
    done = run("fit", "binary-svm", "pair.csv", *SVM, "--exact")
    assert "; objective 0.5, gap 0.0e+00 (exactly 0); 0 of 2 training rows wrong" in done.stderr


def test_a_model_is_exported_with_a_test_that_passes(files: Path) -> None:
    (files / "kinds.csv").write_text("a,colour,y\n1,red,p\n2,blue,q\n3,red,p\n4,green,q\n")
    run("fit", "tree", "kinds.csv", "--label", "y", "-o", "tree.model")
    export = ("export", "tree.model", "--to", "python")
    assert "def predict(row):" in run(*export).stdout
    done = run(*export, "-o", "predictor.py", "--test", "kinds.csv")
    assert (done.returncode, done.stdout) == (0, "")
    command = [sys.executable, "-S", "predictor_test.py"]
    assert subprocess.run(command, check=False, cwd=files, capture_output=True).returncode == 0
    assert run(*export, "--test").returncode == run("export", "--to", "c").returncode == 2
    assert run(*export, "-o", "predictor.py").returncode == 0
