"""`refmc run`: what six toy programs come to, and that the counts and exit codes never flatter."""

import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from refmc import __version__
from refmc.suite.corpus import vector_of
from refmc.suite.generating import drawn_problem
from refmc.suite.protocol import Fault, Reply
from refmc.suite.running import Case, Result, exit_code, judged
from tests.support import ROOT, Done, run

pytestmark = pytest.mark.usefixtures("kept_optima")

TOY = [sys.executable, str(Path(__file__).parent / "programs" / "toy.py")]
SKIPS = ["sh", "-c", """echo '{"skip": "no idea # yet"}'"""]
WRONG_SVM = """case $(cat) in
  *hinge*) echo '{"values": ["0", "9/4"]}' ;;
  *) echo '{"w": ["1/8"], "b": "0"}' ;;
esac"""
HALF = ["sh", "-c", WRONG_SVM]
TWO = ("--only", "svm.binary/two-rows*", "--only", "loss.hinge/two")
IDS = [*(f"svm.binary/two-rows{end}" for end in ("", "-bounded", "-reversed")), "loss.hinge/two"]


def judge(*options: object, program: list[str]) -> Done:
    return run("run", *options, "--", *program)


def toy(name: str, *options: object) -> Done:
    return judge("--persistent", *options, program=[*TOY, name])


def lines(done: Done) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def receipt(done: Done) -> dict[str, Any]:
    found: dict[str, Any] = lines(done)[-1]["receipt"]
    assert sum(found["counts"].values()) == found["selected"]
    assert found["code"] == done.returncode
    return found


def counts(done: Done) -> dict[str, int]:
    return {name: count for name, count in receipt(done)["counts"].items() if count}


def test_refmc_itself_is_verified_on_fresh_problems_and_in_other_guises(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    options = (
        *TWO,
        "--random",
        6,
        "--scramble",
        "--seed",
        "x",
        "--format",
        "jsonl",
        "--persistent",
    )
    done = judge(*options, program=[sys.executable, "-m", "refmc", "serve"])
    assert counts(done) == {"verified": 14} and done.returncode == 0
    told = receipt(done)
    assert (told["program"], told["version"], told["seed"]) == ("refmc", __version__, "x")
    assert [line["id"] for line in lines(done)[:8]] == [
        f"{id}{guise}" for guise in ("", "/guise-x") for id in IDS
    ]
    assert [line["id"] for line in lines(done)[8:14]] == [
        f"{family}/seed-x-{i}" for i, family in enumerate(["svm.binary", "loss.hinge"] * 3)
    ]
    assert drawn_problem("svm.binary", "x-0") == json.loads(
        run("gen", "svm.binary", "--seed", "x-0").stdout
    )


def test_the_opposite_choice_at_every_tie_is_as_right() -> None:
    families = ("--family", "tree.*", "--family", "perceptron.*", "--family", "*.decode")
    done = toy("opposite", *families, "--flags", "tie", "--format", "jsonl")
    found = counts(done)
    assert found["verified"] > 10 and done.returncode == 0
    assert found["verified"] == receipt(done)["selected"]


@pytest.mark.campaign
def test_both_are_right_on_the_whole_suite() -> None:
    for name in ("right", "opposite"):
        done = toy(name, "--format", "jsonl")
        assert counts(done) == {"verified": receipt(done)["selected"]}


def test_a_program_that_divides_C_by_the_number_of_rows_is_told_so() -> None:
    done = toy("divided", *TWO, "--explain")
    assert done.returncode == 1
    assert "VERIFIED      loss.hinge/two" in done.stdout
    assert "REFUTED       svm.binary/two-rows-bounded" in done.stdout
    assert "C is divided by the number of rows (C = 1/16) [svm.C_over_m]" in done.stdout
    causes = [line for line in done.stdout.splitlines() if line.startswith("cause  ")]
    assert causes[0] == (
        "cause  1 of 1 answers are right if C is divided by the number of rows [svm.C_over_m]"
    )
    assert "exit code 1, digest" in done.stdout.splitlines()[-1]


def test_a_crashing_and_a_hanging_program_crash_on_every_problem() -> None:
    crashing = toy("crashing", *TWO)
    assert crashing.returncode == 4
    assert crashing.stdout.count("failed: ended with an exit code other than 0 (exit code 1") == 4
    hanging = toy("hanging", "--timeout", "0.5", "--only", "loss.hinge/two")
    assert hanging.returncode == 4 and "hangs: no answer in time (0.5 s)" in hanging.stdout


def test_a_chatty_program_is_judged_by_its_answers() -> None:
    done = toy("chatty", "--only", "loss.hinge/two", "--explain")
    assert done.returncode == 0 and "cause" not in done.stdout
    assert "VERIFIED      loss.hinge/two  (1050000 bytes on standard error)" in done.stdout


def test_where_nothing_was_judged_the_exit_code_says_so(tmp_path: Path) -> None:
    done = judge(*TWO, "--format", "jsonl", program=SKIPS)
    assert counts(done) == {"skipped": 4} and done.returncode == 5
    assert lines(done)[0]["reason"] == "no idea # yet"
    known = tmp_path / "known.json"
    assert judge(*TWO, "--write-known", known, program=["false"]).returncode == 4
    done = judge(*TWO, "--known", known, "--format", "jsonl", program=["false"])
    assert counts(done) == {"known": 4} and done.returncode == 5


def test_known_failures_are_drafted_and_excused_until_they_pass(tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    assert judge(*TWO, "-j", 2, "--write-known", known, program=HALF).returncode == 1
    drafted = json.loads(known.read_text())
    assert drafted.keys() == {*IDS[:3]}
    options = (*TWO, "--known", known, "--write-known", known, "--format", "jsonl")
    done = judge(*options, program=HALF)
    assert counts(done) == {"verified": 1, "known": 3}
    assert done.returncode == 0 and json.loads(known.read_text()) == drafted
    known.write_text('{"loss.hinge/two": "no idea"}')
    done = judge("--only", "loss.hinge/two", "--known", known, program=HALF)
    assert done.returncode == 1
    assert "right, but known as a failure (no idea): take it off the list" in done.stdout


@pytest.mark.parametrize(
    "options, said",
    [
        (("--only", "svm.binary/none*"), "no problem's id fits 'svm.binary/none*'"),
        (("--family", "svm"), "no family fits 'svm'"),
        (("--flags", "tied"), "no flag is called 'tied'"),
        (("--timeout", "0"), "the timeout must be positive, got 0"),
        (("-j", "0"), "-j must be at least 1"),
        (("--known", "-"), "known: no problem is called 'loss.hinge/none'"),
    ],
)
def test_what_selects_nothing_is_refused(options: tuple[str, ...], said: str) -> None:
    done = run("run", *options, "--", "true", stdin='{"loss.hinge/none": "why"}')
    assert done.returncode == 2 and said in done.stderr
    assert run("run").returncode == 2


def test_an_answer_that_is_not_in_the_format_is_the_programs_fault() -> None:
    case = Case("loss.hinge/one", {"family": "loss.hinge", "z": ["0"]})
    result = judged(case, Reply({"value": ["1"]}))
    assert result.outcome == "crashed"
    assert "malformed: its answer isn't in the format (answer: unknown field" in result.reason


def test_the_severest_exit_code_wins() -> None:
    case = Case("loss.hinge/one", {"family": "loss.hinge", "z": ["0"]})
    verified = judged(case, Reply({"values": ["1"]}))
    refuted = judged(case, Reply({"values": ["0"]}))
    crashed = judged(case, Reply(fault=Fault("hangs")))
    skipped = judged(case, Reply(skip=""))
    unclear, fault = Result(case, "inconclusive"), Result(case, "inconclusive", own_fault=True)
    by_severity = [(fault, 70), (refuted, 1), (crashed, 4), (unclear, 3)]
    for i, (_, code) in enumerate(by_severity):
        assert exit_code([verified, skipped, *(r for r, _ in by_severity[i:])]) == code
    assert exit_code([verified, skipped]) == 0
    assert exit_code([skipped]) == exit_code([Result(case, "known")]) == 5


def test_a_fault_of_refmc_is_told_apart_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("refmc.suite.running.check", broken)
    done = judge("--only", "loss.hinge/two", "--format", "jsonl", program=HALF)
    assert counts(done) == {"inconclusive": 1} and done.returncode == 70
    assert "ZeroDivisionError: by zero" in lines(done)[0]["reason"]


def test_reports_for_other_programs_say_the_same(tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    known.write_text('{"svm.binary/two-rows": "C & m"}')
    done = judge(*TWO, "--known", known, "--format", "junit", program=HALF)
    suite = ElementTree.fromstring(done.stdout)
    assert suite.attrib == {
        "name": "refmc", "tests": "4", "failures": "2", "errors": "0", "skipped": "1"
    }  # fmt: skip
    (skipped,) = suite.iter("skipped")
    assert skipped.attrib["message"] == "known: C & m"
    assert len([*suite.iter("failure")]) == 2
    done = judge(*TWO, "--known", known, "--format", "tap", "--explain", program=HALF)
    assert "# cause  " in done.stdout
    assert "not ok 1 - svm.binary/two-rows # TODO C & m\n" in done.stdout
    assert "not ok 2 - svm.binary/two-rows-bounded\n# refuted: " in done.stdout
    assert "\nok 4 - loss.hinge/two\n1..4\n" in done.stdout
    done = judge(*TWO, "--format", "tap", program=SKIPS)
    assert "ok 1 - svm.binary/two-rows # SKIP no idea \\# yet\n" in done.stdout


def test_the_page_shows_the_smallest_refuted_problem(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = toy("divided", "--only", "svm.*/three-points", "--format", "html", "-o", page)
    assert done.returncode == 1 and done.stdout == "" and "selected 1 = 0 verified" in done.stderr
    text = page.read_text()
    assert "<h1>refmc: exit code 1</h1>" in text and "<svg" in text and "<td></td></tr>" not in text
    assert "The smallest refuted problem: svm.multiclass/three-points" in text
    assert "<script" not in text and "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_the_vectors_own_wrong_answers_are_refuted_in_a_run() -> None:
    vector = vector_of("svm.binary/two-rows-bounded")
    case = Case(vector.id, vector.problem)
    assert {judged(case, Reply(wrong.answer)).outcome for wrong in vector.wrong} == {"refuted"}
