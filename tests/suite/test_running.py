"""`refmc run`: what six toy programs come to, and that the counts and exit codes never flatter."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from refmc import __version__
from refmc.core.records import Record
from refmc.errors import FormatError
from refmc.suite import running
from refmc.suite.corpus import vector_of
from refmc.suite.generating import drawn_problem
from refmc.suite.process import Fault
from refmc.suite.protocol import About, Reply, Session, session
from refmc.suite.reporting import html_report, junit_report, tap_report, text_report
from refmc.suite.running import Case, Receipt, Result, exit_code, judged
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
    done = toy("opposite", "--family", "*.decode", "--format", "jsonl")
    assert counts(done) == {"verified": receipt(done)["selected"]}


@pytest.mark.campaign
def test_both_are_right_on_the_whole_suite() -> None:
    for name in ("right", "opposite"):
        done = toy(name, "--format", "jsonl")
        assert counts(done) == {"verified": receipt(done)["selected"]}


def test_a_program_that_divides_C_by_the_number_of_rows_is_told_so() -> None:
    done = toy("divided", *TWO, "--explain", "--all")
    assert done.returncode == 1
    assert "VERIFIED      loss.hinge/two" in done.stdout
    assert "REFUTED       svm.binary/two-rows-bounded" in done.stdout
    assert "C is divided by the number of rows (C = 1/16) [svm.C_over_m]" in done.stdout
    causes = [line for line in done.stdout.splitlines() if line.startswith("cause  ")]
    assert causes[0] == (
        "cause  explains the refuted answer of svm.binary: "
        "C is divided by the number of rows [svm.C_over_m]"
    )
    assert "exit code 1, digest" in done.stdout.splitlines()[-1]


def test_a_crashing_and_a_hanging_program_crash_on_every_problem() -> None:
    crashing = toy("crashing", *TWO)
    assert crashing.returncode == 4
    first, fault, others, *_ = crashing.stdout.splitlines()
    assert first == "CRASHED       svm.binary/two-rows"
    assert fault.startswith("  failed: ended with an exit code other than 0 (exit code 1; its last")
    assert others.startswith("CRASHED       3 more problems: failed: ended with an exit code other")
    whole = toy("crashing", *TWO, "--all").stdout
    assert whole.count(fault) == 4 and "more problems" not in whole
    hanging = toy("hanging", "--timeout", "0.5", "--only", "loss.hinge/two")
    assert hanging.returncode == 4 and "hangs: no answer in time (0.5 s)" in hanging.stdout


def test_a_chatty_program_is_judged_by_its_answers() -> None:
    done = toy("chatty", "--only", "loss.hinge/two", "--explain", "--all")
    assert done.returncode == 0 and "cause" not in done.stdout
    assert "VERIFIED      loss.hinge/two  (1050000 bytes on standard error)" in done.stdout


def test_where_nothing_was_judged_the_exit_code_says_so(tmp_path: Path) -> None:
    done = judge(*TWO, "--format", "jsonl", program=SKIPS)
    assert counts(done) == {"skipped": 4} and done.returncode == 5
    assert lines(done)[0]["reason"] == "no idea # yet"
    known = tmp_path / "known.json"
    assert judge(*TWO, "--write-known", known, program=SKIPS).returncode == 5
    assert json.loads(known.read_text()) == {}
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
    done = judge("--only", "loss.hinge/two", "--known", known, "--write-known", known, program=HALF)
    assert done.returncode == 1 and json.loads(known.read_text()) == {}
    assert done.stdout.splitlines()[:2] == [
        "FIXED         loss.hinge/two",
        "  right, but known as a failure (no idea): take it off the list",
    ]
    assert "REFUTED" not in done.stdout and "+ 0 known + 1 fixed" in done.stdout


@pytest.mark.parametrize(
    "options, said",
    [
        (("--only", "svm.binary/none*"), "no problem's id fits 'svm.binary/none*'"),
        (("--family", "svm"), "no family fits 'svm'"),
        (("--flags", "tied"), "no flag is called 'tied'"),
        (("--timeout", "0"), "the timeout must be positive, got 0"),
        (("-j", "0"), "-j: expected a number from 1 to 256, got 0"),
        (("-j", "1000000000"), "-j: expected a number from 1 to 256, got 1000000000"),
        (("--random", "1000000000"), "--random: expected a number from 0 to 100000, got 1000000"),
        (("--random", "-1"), "--random: expected a number from 0 to 100000, got -1"),
        (("--all", "--format", "tap"), "--all: belongs to --format text"),
        (("--only", "tree.grow/seed*"), "no id of 0 random problems fits 'tree.grow/seed*'"),
        (("--known", "known.json"), "--known: there is no file 'known.json'; --write-known makes"),
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


def test_a_fault_of_refmc_and_what_was_skipped_are_no_known_failures() -> None:
    case, known = Case("loss.hinge/x", {"family": "loss.hinge", "z": []}), {"loss.hinge/x": "why"}
    for result in (Result(case, "inconclusive", own_fault=True), Result(case, "skipped")):
        assert running.excused(result, known) == result
    assert running.excused(Result(case, "inconclusive"), known).outcome == "known"


def test_a_result_has_the_seconds_from_the_question_to_the_reply(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock: Any = SimpleNamespace(monotonic=iter((5.0, 7.5)).__next__)
    program: Any = SimpleNamespace(ask=lambda problem: Reply({"values": ["1"]}))
    monkeypatch.setattr(running, "time", clock)
    case = Case("loss.hinge/one", {"family": "loss.hinge", "z": ["0"]})
    assert running.asked(case, program).seconds == 2.5


def test_only_a_setting_that_all_problems_need_is_told() -> None:
    problem = {"family": "svm.hard", "X": [["1"], ["-1"]], "y": [1, -1], "bias": False}
    cases = Case("one", {**problem, "weights": ["1", "2"]}), Case("other", problem)
    about, skipped = About(supports={"svm.hard": []}), [Result(case, "skipped") for case in cases]
    assert running._told("svm.hard", about, skipped) == "svm.hard (all need bias=false)"


def test_only_the_trace_of_a_fault_of_refmc_has_lines() -> None:
    case = Case("loss.hinge/one", {"family": "loss.hinge", "z": ["0"]})
    assert Result(case, "inconclusive", "a\nb\x1b", own_fault=True).text == "a\nb\\x1b"
    assert Result(case, "inconclusive", "a\nb").text == "a\\nb"


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


class Waiting(Session):
    """A session that answers on z = 0 alone, and else waits until it is killed."""

    def __init__(self) -> None:
        super().__init__()
        self.killed = Event()

    def ask(self, problem: Record) -> Reply:
        if problem["z"] != ["0"]:
            self.killed.wait(5)
        return Reply(skip="")

    def kill(self) -> None:
        self.killed.set()


def test_whoever_has_enough_of_a_run_kills_its_programs() -> None:
    sessions = [Waiting(), Waiting()]
    cases = [Case(f"loss.hinge/{z}", {"family": "loss.hinge", "z": [z]}) for z in ("0", "1")]
    ran = running.run(cases, sessions, known={})
    assert next(ran).outcome == "skipped"
    ran.close()
    assert all(session.killed.is_set() for session in sessions)


def test_the_lines_of_jsonl_have_the_verdicts(tmp_path: Path) -> None:
    refuted, known, _, right = lines(judge(*TWO, "--format", "jsonl", program=HALF))[:4]
    assert refuted["verdict"]["status"] == known["verdict"]["status"] == "REFUTED"
    assert right["verdict"]["status"] == "VERIFIED" and "answer" not in right
    assert refuted["answer"] == {"w": ["1/8"], "b": "0"}
    skipped = lines(judge(*TWO, "--format", "jsonl", program=SKIPS))[0]
    assert (skipped["outcome"], skipped["verdict"]) == ("skipped", None)


NOTHING = Receipt("refmc", "", "", (), (), None, 0, {}, (), {}, (), "0", 0)


def test_a_report_of_nothing_has_an_empty_plan() -> None:
    assert [*tap_report([], lambda: NOTHING)][:2] == ["TAP version 13", "1..0"]


@pytest.mark.parametrize(("noise", "told"), [(2_000, False), (2_001, True)])
def test_more_noise_than_the_last_words_is_told(noise: int, told: bool) -> None:
    result = Result(Case("loss.hinge/two", {}), "refuted", noise=noise)
    first = next(text_report([result], lambda: NOTHING))
    assert ("bytes on standard error" in first) == told


def test_reports_for_other_programs_say_the_same(tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    known.write_text('{"svm.binary/two-rows": "C & m"}')
    done = judge(*TWO, "--known", known, "--format", "junit", program=HALF)
    suite = ElementTree.fromstring(done.stdout)
    assert done.stdout.startswith(
        '<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="refmc" '
    )
    seconds = [float(case.attrib["time"]) for case in suite.iter("testcase")]
    assert min(seconds) > 0
    assert float(suite.attrib.pop("time")) == pytest.approx(sum(seconds), abs=0.01)
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


def test_every_report_gives_the_gap_of_the_answer_before_that_of_what_explains_it() -> None:
    problem = {
        "family": "svm.binary", "X": [["4"], ["5"], ["7"], ["9"]], "y": [-1, -1, 1, 1], "C": "1/2",
    }  # fmt: skip
    # for C/4 the optimum is w = 2/5, b = −13/5; for C it is w = 1, b = −6 with the value 1/2
    # at w = 0.401, b = −2.6: ½ 0.401² + ½ (0.004 + 0.405 + 0.793 + 0) − ½ = 0.1814005
    result = judged(Case("svm.binary/line-1", problem), Reply({"w": ["0.401"], "b": "-2.6"}))
    nearly = judged(Case("svm.binary/line-2", problem), Reply({"w": ["0.4000001"], "b": "-2.6"}))
    for report in (text_report, junit_report, html_report(lambda problem: "")):
        shown = "\n".join(report([result], lambda: NOTHING))
        assert "gap 362801/2000000 (1.8e-1)" in shown
        shown = "\n".join(report([nearly], lambda: NOTHING))
        own, told = shown.rindex("gap 1.8e-1"), shown.rindex("[svm.C_over_m], then with a gap of ")
        assert own < told


def test_the_page_shows_the_smallest_refuted_problem(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = toy("divided", "--only", "svm.*/three-points", "--format", "html", "-o", page)
    assert done.returncode == 1 and done.stdout == "" and "selected 1 = 0 verified" in done.stderr
    text = page.read_text()
    assert "<h1>refmc: exit code 1</h1>" in text and "<svg" in text and "<td></td></tr>" not in text
    assert "The smallest refuted problem: svm.multiclass/three-points" in text
    rows = re.findall("<tr><th>(.*?)</th><td>(.*?)</td></tr>", text)
    assert [name for name, _ in rows] == [
        *("suite", "program", "version", "command", "selected", "counts"),
        *("settings", "digest", "code"),
    ]
    assert dict(rows)["settings"].startswith("svm.multiclass: not asked kernel, classes, cost")
    assert dict(rows)["counts"].startswith("0 verified + 1 refuted + ") and all(map(len, rows))
    heads = ["The smallest refuted problem: svm.multiclass/three-points", "All problems"]
    assert re.findall("<h2>(.*)</h2>", text) == heads
    assert text.count("<table>") == text.count("</table>") == 2
    assert "<script" not in text and "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_the_smallest_problem_that_has_a_picture_is_shown_else_the_smallest() -> None:
    problems = [{"family": "loss.hinge", "z": ["0"] * m} for m in (3, 1, 2)]
    cases = [Case(f"loss.hinge/{len(p['z'])}", p) for p in problems]
    results = [judged(case, Reply({"values": ["5"] * len(case.problem["z"])})) for case in cases]  # type: ignore[arg-type]  # a list
    results.append(judged(Case("loss.hinge/0", problems[1]), Reply({"values": ["1"]})))

    def page(least: int) -> str:
        def draw(problem: Record) -> str:
            if len(json.dumps(problem["z"])) < least:
                raise FormatError("no picture")
            return "<svg/>"

        return "\n".join(html_report(draw)(results, lambda: NOTHING))

    smallest, picture = (
        "<h2>The smallest refuted problem: loss.hinge/",
        "<p>Its exact solution:</p>",
    )
    assert f"{smallest}1</h2>\n{picture}\n<svg/>" in page(0)
    assert f"{smallest}2</h2>\n{picture}\n<svg/>" in page(len('["0", "0"]'))
    assert f"{smallest}1</h2>\n<p>The problem:</p>" in page(99) and picture not in page(99)
    whole = "\n".join(html_report(lambda problem: "")(results[3:], lambda: NOTHING))
    assert "<h1>refmc: everything verified</h1>" in whole and "smallest" not in whole


@pytest.mark.parametrize(
    ("program", "version", "told"),
    [("x", "2", "x 2"), ("x", "", "x"), ("", "", "a program without a name")],
)
def test_the_last_line_names_the_program_and_its_command(
    program: str, version: str, told: str
) -> None:
    receipt = replace(NOTHING, program=program, version=version, command=("a b", "c"), seed="s")
    [*_, last] = text_report([], lambda: receipt)
    assert last == f"refmc ran {told} ('a b' c), seed s: exit code 0, digest 0"


def test_a_fault_that_comes_twice_is_shown_once_and_counted_once() -> None:
    crashed = Result(Case("loss.hinge/x", {"family": "loss.hinge"}), "crashed", "failed: why")
    once, twice = ([*text_report([crashed] * n, lambda: NOTHING)] for n in (1, 2))
    shown = ["CRASHED       loss.hinge/x", "  failed: why"]
    assert once[:2] == shown and not any("more" in line for line in once)
    assert twice[:3] == [*shown, "CRASHED       1 more problem: failed: why"]
    long = [*text_report([replace(crashed, reason="9" * 101)] * 2, lambda: NOTHING)]
    assert long[2] == f"CRASHED       1 more problem: {'9' * 100}"


def test_what_is_skipped_without_a_word_and_all_conventions_are_in_the_reports() -> None:
    skipped = judged(Case("loss.hinge/one", {"family": "loss.hinge", "z": ["0"]}), Reply(skip=""))
    told = replace(NOTHING, conventions=("none", "halves"), command=("a b", "c"))
    xml = "\n".join(junit_report([skipped], lambda: told))
    assert '<skipped message="skipped"/>' in xml
    assert '<property name="suite" value="refmc"/>' in xml
    assert """<property name="command" value='["a b", "c"]'/>""" in xml
    page = "\n".join(html_report(lambda problem: "")([skipped], lambda: told))
    assert "<tr><th>conventions</th><td>none, halves</td></tr>" in page
    assert "<tr><th>command</th><td>&#x27;a b&#x27; c</td></tr>" in page


def test_the_vectors_own_wrong_answers_are_refuted_in_a_run() -> None:
    vector = vector_of("svm.binary/two-rows-bounded")
    case = Case(vector.id, vector.problem)
    assert {judged(case, Reply(wrong.answer)).outcome for wrong in vector.wrong} == {"refuted"}


def test_the_text_shows_what_is_wrong_with_its_gap_and_counts_the_rest() -> None:
    shown = judge("--only", "svm.binary/two-rows-b*", "--only", "loss.hinge/two", program=HALF)
    first, why, settings, counts, _ = shown.stdout.splitlines()
    assert settings.startswith("settings  svm.binary: not asked kernel, bias=false, ")
    assert first == "REFUTED       svm.binary/two-rows-bounded"
    assert why.startswith("  gap 1/128 (7.8e-3); weights: ")
    assert counts.startswith("selected 2 = 1 verified")


def test_families_that_are_not_supported_are_one_line() -> None:
    supports = 'echo \'{"implementation": "sh", "supports": ["loss.hinge"]}\'; cat'
    options = ("--family", "svm.[bh]*", "--flags", "tie")
    done = judge("--persistent", *options, program=["sh", "-c", f"read start; {supports}"])
    lines = done.stdout.splitlines()
    assert lines[0] == "not supported  2 families: svm.binary, svm.hard" and len(lines) == 3
    assert done.returncode == 5


def test_a_setting_that_all_problems_of_a_family_need_is_told_where_it_is_not_supported() -> None:
    told = '{"implementation": "sh", "supports": {"boost.ada": ["rule"], "svm.hard": []}}'
    options = ("--only", "boost.ada/st*", "--only", "svm.hard/weights*")
    done = judge("--persistent", *options, program=["sh", "-c", f"read start; echo '{told}'; cat"])
    skipped = "not supported  2 families: svm.hard (all need weights), boost.ada (all need X)"
    assert done.stdout.splitlines()[0] == skipped


@pytest.mark.parametrize("program", ["./nope", __file__])
@pytest.mark.parametrize("option", ["--persistent", "-j4"])
def test_a_program_that_cannot_be_started_is_one_refusal(program: str, option: str) -> None:
    done = judge(option, program=[program])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"refmc: {program}: the program can't be started: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_start_that_is_none_is_told_once_with_its_line_and_counted() -> None:
    script = """read start; echo '{"name": "x\\u001b[1m"}'; cat"""
    done = judge("--persistent", *TWO, program=["sh", "-c", script])
    fault, again = done.stdout.splitlines()[1:3]
    begin = "bad_start: its answer to the start isn't one (implementation: expected a string; "
    assert fault == f"  {begin}" + r'the line was {"name": "x\u001b[1m"})'
    assert again.startswith(f"CRASHED       3 more problems: {begin}")
    done = judge(*TWO, program=["true"])
    assert done.stdout.splitlines()[1] == "  prints_nothing: ended with code 0 and printed nothing"
    assert "CRASHED       3 more problems: prints_nothing" in done.stdout


def test_random_problems_are_found_by_their_ids() -> None:
    told = ("--seed", "s", "--format", "jsonl")
    done = judge("--only", "tree.grow/seed*", "--random", 2, *told, program=SKIPS)
    ids = [line["id"] for line in lines(done)[:-1]]
    assert ids == ["tree.grow/seed-s-0", "tree.grow/seed-s-1"]
    both = ("--only", "loss.hinge/two", "--only", "*.hinge/seed-s-3", "--random", 4)
    done = judge(*both, *told, program=SKIPS)
    assert [line["id"] for line in lines(done)[:-1]] == ["loss.hinge/two", "loss.hinge/seed-s-3"]


def test_the_families_of_fresh_problems_are_those_of_any_pattern() -> None:
    patterns = ("loss.hinge/seed-*", "ova.*/seed-s-1")
    found = [case.id for case in running.random_cases([], "s", 3, patterns)]
    assert found == ["loss.hinge/seed-s-0", "ova.decode/seed-s-1", "loss.hinge/seed-s-2"]


def test_two_different_runs_have_different_digests() -> None:
    crash = ["sh", "-c", "exit ${0#x}"]
    programs = [[*crash, "x3"], [*crash, "x4"], ["sh", "-c", "kill -9 $$"], SKIPS, HALF]
    runs = [judge(*TWO, "--format", "jsonl", program=program) for program in programs]
    runs += [judge(*TWO, "--gap", gap, "--format", "jsonl", program=HALF) for gap in (0, "1/9")]
    assert len({receipt(done)["digest"] for done in runs}) == len(runs)
    again = judge(*TWO, "-j", 3, "--format", "jsonl", program=HALF)
    assert receipt(again)["digest"] == receipt(runs[4])["digest"]


def test_the_digest_is_of_what_an_answer_says_and_not_of_the_order_of_its_fields() -> None:
    case = Case("loss.hinge/one", {"family": "loss.hinge", "z": ["0"]})
    answers: list[Any] = [
        {"values": ["1"], "mean": "1"},
        {"mean": "1", "values": ["1"]},
        {"values": ["1"]},
    ]
    results = [judged(case, Reply(answer)) for answer in answers]
    told = [running.receipt([result], session(["x"], 1, False), ["x"]).digest for result in results]
    assert told[0] == told[1] != told[2]


NASTY = "\x1b[2J\nVERIFIED \x9b31m\uffff\u202e\u2028#"
"""A text that clears a terminal, begins a line, and can't stand in XML."""


@pytest.mark.parametrize("form", ["text", "jsonl", "junit", "tap", "html"])
@pytest.mark.parametrize("field", ["error", "skip", "program"])
def test_what_a_program_says_reaches_no_report_raw(field: str, form: str) -> None:
    said = {"values": [1, 1], field: NASTY} if field == "program" else {field: NASTY}
    script = ["sh", "-c", 'cat > /dev/null; printf %s "$0"', json.dumps(said)]
    every = ["--all"] * (form == "text")
    done = judge("--only", "loss.hinge/two", *every, "--format", form, program=script)
    assert done.returncode == {"error": 4, "skip": 5, "program": 1}[field]
    plain = done.stdout.replace("\n", "") + done.stderr.replace("\n", "")
    assert plain.isprintable() and not re.search("^VERIFIED ", done.stdout, re.MULTILINE)
    if form == "junit":
        ElementTree.fromstring(done.stdout)


def test_a_program_names_itself_in_its_answers() -> None:
    script = """case $(cat) in
      *3/2*) echo '{"values": ["0"], "program": "first", "version": 3}' ;;
      *) echo '{"mean": "1"}' ;;
    esac"""
    options = ("--only", "loss.hinge/[mt]*", "--format", "jsonl")
    for jobs in ((), ("-j", 3)):
        told = receipt(judge(*options, *jobs, program=["sh", "-c", script]))
        assert (told["program"], told["version"]) == ("first", "3")
    one = session(["sh", "-c", """echo '{"program": "'$(wc -c)'"}'"""], 5, False)
    for z in (["1"], ["1", "2"]):
        one.ask({"family": "loss.hinge", "z": z})
    assert one.about.implementation == str(len('{"family": "loss.hinge", "z": ["1"]}\n'))
