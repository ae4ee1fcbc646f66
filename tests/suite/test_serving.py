"""`refmc serve`: answers in order, and errors that don't end it."""

import json

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
