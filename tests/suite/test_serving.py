"""`refmc serve`: answers in order, and errors that don't end it."""

import json

import pytest

from refmc.suite.serving import serve
from tests.support import run

HINGE = {"family": "loss.hinge", "z": ["1/2"]}


def served(*lines: object) -> tuple[list[object], int]:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    done = run("serve", stdin=text)
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode


def test_checks_and_solves_are_answered_in_order() -> None:
    answers, code = served(
        {"cmd": "check", "seq": "a", "problem": HINGE, "answer": {"values": ["1/2"]}},
        {"cmd": "solve", "problem": HINGE},
        "",
        {"cmd": "check", "seq": 7, "problem": HINGE, "answer": {"values": ["0.51"]}, "gap": "1/50"},
        {"cmd": "check", "seq": 8, "problem": HINGE, "answer": {"values": ["0.51"]}},
    )
    first, second, third, fourth = [answer for answer in answers if isinstance(answer, dict)]
    assert first["seq"] == "a" and first["verdict"]["status"] == "VERIFIED"
    assert second["answer"]["values"] == ["1/2"] and "seq" not in second
    assert (third["seq"], third["verdict"]["status"]) == (7, "VERIFIED")
    assert (fourth["seq"], fourth["verdict"]["status"]) == (8, "REFUTED")
    assert code == 0


def test_a_line_that_cannot_be_understood_is_an_error_and_the_next_is_answered() -> None:
    answers, code = served(
        "{",
        {"cmd": "judge", "seq": 1},
        {"cmd": "solve", "seq": 2, "problem": "loss.hinge"},
        {"cmd": "check", "seq": 3, "problem": HINGE, "answer": {"values": ["nan"]}},
        {"cmd": "solve", "seq": 4, "problem": HINGE},
        {"cmd": "stop"},
        {"cmd": "solve", "seq": 5, "problem": HINGE},
    )
    assert ["error" in answer for answer in answers if isinstance(answer, dict)] == [
        True, True, True, True, False
    ]  # fmt: skip
    assert code == 2


def test_where_nothing_was_asked_the_exit_code_says_so() -> None:
    assert served() == ([], 5)
    assert served({"cmd": "stop"}) == ([], 5)


@pytest.mark.parametrize(
    "line, said",
    [
        ('{"cmd": "check", "seq": 4, "gapp": 1, "problem": {}}', "unknown field 'gapp'"),
        ('{"cmd": "solve", "seq": 4, "problem": {}, "gap": 1}', "unknown field 'gap'"),
        ('{"cmd": "start", "seq": 4, "protocoll": 1}', "unknown field 'protocoll'"),
        ('{"cmd": "stop", "seq": 4, "now": true}', "unknown field 'now'"),
        ('{"seq": 4}', "line.cmd: expected start, solve, check or stop, got None"),
        ('{"cmd": ["solve"], "seq": 4}', "line.cmd: expected start"),
        ('{"cmd": "solve", "problem": 3, "seq": 4}', "line.problem: expected an object"),
        ('{"cmd": "solve", "seq": 4}', "line.problem: expected an object"),
        ('{"cmd": "solve", "seq": 4, "problem": {"z": NaN}}', "NaN is not a number"),
        ('{"cmd": "solve", "seq": 4, "cmd": "solve"}', "field 'cmd' is given twice"),
        ('{"cmd": "solve", "seq" : 4 , "problem": ', "not JSON"),
        ('{"cmd": "solve", "seq": 4, "problem": {"z": ["\\ud800"]}}', "half a character"),
        ('{"cmd": "solve", "seq": 4, "problem": ' + "[" * 100_000, "nested too deeply"),
    ],
)
def test_every_error_keeps_its_seq(line: str, said: str) -> None:
    (answer,), code = served(line)
    assert isinstance(answer, dict) and answer.keys() == {"seq", "error"}
    assert answer["seq"] == 4 and said in answer["error"] and code == 2


def test_a_seq_that_cannot_be_read_is_left_out() -> None:
    for seq in ("007", "1.5.", "'a'", '"\\x"', "-"):
        (answer,), code = served(f'{{"seq": {seq}, "cmd": "solve"}}')
        assert isinstance(answer, dict) and answer.keys() == {"error"} and code == 2
    (answer,), _ = served('{"seq": "a b", "cmd": ')
    assert isinstance(answer, dict) and answer["seq"] == "a b"


def test_a_text_that_is_not_utf_8_keeps_its_seq() -> None:
    written: list[str] = []
    assert serve([b'{"seq": 5, "cmd": "\xff"}'], written.append) == 2
    assert json.loads(written[0])["seq"] == 5


def test_a_fault_of_refmc_is_an_error_and_the_next_line_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("refmc.suite.serving.check", broken)
    line = json.dumps({"cmd": "check", "seq": 1, "problem": HINGE, "answer": {}}).encode()
    written: list[str] = []
    assert serve([line, b'{"cmd": "start", "seq": 2}', b"{"], written.append) == 70
    fault, start, unread = map(json.loads, written)
    assert fault["seq"] == 1 and fault["error"].startswith("a fault of refmc: Traceback")
    assert start["seq"] == 2 and "error" not in start and "not JSON" in unread["error"]


def test_a_gap_of_null_is_the_default() -> None:
    right = {"problem": HINGE, "answer": {"values": ["1/2"]}}
    (answer,), code = served({"cmd": "check", "seq": None, "gap": None, **right})
    assert isinstance(answer, dict) and answer["verdict"]["status"] == "VERIFIED" and code == 0
