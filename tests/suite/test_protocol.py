"""Programs that answer badly: each has its own name, and none can hold up a run."""

import contextlib
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from refmc import check
from refmc.errors import ParameterError
from refmc.suite import process as processes
from refmc.suite import protocol
from refmc.suite.process import FAULTS, Fault
from refmc.suite.protocol import Reply, session
from refmc.suite.running import Case, judged, run

PROBLEM = {"family": "loss.hinge", "z": ["0"]}
ABOUT = """echo '{"implementation": "sh"}'; read problem; """

ONE_SHOT = [
    ("prints_nothing", "cat > /dev/null"),
    ("prints_nothing", "exec <&-"),
    ("garbage", "echo about to begin"),
    ("garbage", "echo '[1]'"),
    ("garbage", r"printf '\377'"),
    ("two_answers", """echo '{"values": [1]} {"values": [1]}'"""),
    ("too_much_output", "exec cat /dev/zero"),
    ("hangs", "sleep 9"),
    ("hangs", "exec >&- 2>&-; sleep 9"),
    ("hangs", "sleep 9 & sleep 9"),
    ("left_running", "sleep 9 & echo '{}'"),
    ("failed", """echo '{"values": [1]}'; exit 3"""),
    ("failed", "sleep 9 & exit 3"),
    ("signal", "kill -9 $$"),
    ("error", """echo '{"error": "too large"}'"""),
]

PERSISTENT = [
    ("bad_start", "read start; echo '{}'"),
    ("bad_start", """read start; echo '{"implementation": "sh", "supports": "all"}'; cat"""),
    ("no_answer", "read start; " + ABOUT),
    ("failed", "read start; " + ABOUT + "exit 3"),
    ("wrong_seq", "read start; " + ABOUT + """echo '{"seq": 7, "answer": {}}'; cat"""),
    ("two_answers", "read start; " + ABOUT + r"""printf '{"seq": 1, "answer": {}}\n{}\n'; cat"""),
    ("garbage", "read start; " + ABOUT + """echo '{"seq": 1}'; cat"""),
    ("garbage", "read start; " + ABOUT + """echo '{"seq": 1, "skip": null}'; cat"""),
    ("garbage", "read start; " + ABOUT + "echo; cat"),
    ("garbage", "read start; " + ABOUT + """echo '{"seq": 1, "answer": [1]}'; cat"""),
    ("error", "read start; " + ABOUT + """echo '{"seq": 1, "error": "no"}'; cat"""),
    ("hangs", "read start; " + ABOUT + "sleep 9"),
    ("closes_input", """read start; exec <&-; echo '{"implementation": "sh"}'; sleep 9"""),
]


def asked(script: str, persistent: bool = False, seconds: float = 5) -> Reply:
    program = session(["sh", "-c", script], seconds, persistent)
    try:
        return program.ask(PROBLEM)
    finally:
        program.close()


def test_an_error_that_is_a_field_of_the_family_is_part_of_the_answer() -> None:
    problem = {"family": "bound.adaboost", "epsilons": ["1/10"]}
    for answer in ({"error": "1/10"}, {"product": "3/5", "error": 0}):
        program = session(["echo", json.dumps(answer)], 5, False)
        assert program.ask(problem).answer == answer
        assert check(problem, answer).status == "VERIFIED"


@pytest.mark.parametrize("value", [None, False, 3, []])
def test_a_skip_without_a_reason_hides_no_answer(value: object) -> None:
    program = session(["echo", json.dumps({"values": ["1"], "skip": value})], 5, False)
    result = judged(Case("loss.hinge/kink", PROBLEM), program.ask(PROBLEM))
    assert result.outcome == "crashed" and "unknown field 'skip'" in result.text


@pytest.mark.parametrize("name, script", ONE_SHOT)
def test_a_program_that_is_started_for_each_problem(
    name: str, script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "MOST_OUTPUT", 1 << 20)
    began = time.monotonic()
    reply = asked(script, seconds=0.3 if name == "hangs" else 5)
    assert reply.fault is not None and reply.fault.name == name
    assert time.monotonic() - began < 4


@pytest.mark.parametrize("name, script", PERSISTENT)
def test_a_program_that_keeps_running(name: str, script: str) -> None:
    reply = asked(script, persistent=True, seconds=0.3 if name == "hangs" else 5)
    assert reply.fault is not None and reply.fault.name == name


def test_every_fault_is_tried_here_but_those_that_are_no_scripts() -> None:
    tried = {name for name, _ in [*ONE_SHOT, *PERSISTENT]}
    assert tried == FAULTS.keys() - {"malformed"}


@pytest.mark.parametrize("command", ["no-such-program", __file__, "zero\0byte"])
@pytest.mark.parametrize("persistent", [False, True])
def test_programs_that_cannot_be_started(command: str, persistent: bool) -> None:
    with pytest.raises(ParameterError, match="the program can't be started"):
        session([command], 1, persistent).ask(PROBLEM)


@pytest.mark.parametrize("text", ["{}", '{"a": [1]} ', "[]", "{}x"])
def test_the_reader_of_many_objects_looks_at_two(text: str) -> None:
    looked = []

    class Decoder(json.JSONDecoder):
        def raw_decode(self, s: str, idx: int = 0) -> tuple[object, int]:
            looked.append(len(s))
            return super().raw_decode(s, idx)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Fault) as fault:
        patch.setattr(json, "JSONDecoder", Decoder)
        protocol._object((text * 1_000).encode())
    assert fault.value.name == ("garbage" if text == "{}x" else "two_answers")
    assert len(looked) == 3  # the first is that of all


def ended(*pids: int) -> bool:
    """Whether the processes end; one that has ended may wait for whoever takes note of it."""
    for _ in range(100):
        states = [Path(f"/proc/{pid}/stat") for pid in pids]
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            states = [s for s in states if s.exists() and ") Z" not in s.read_text()]
        if not states:
            return True
        time.sleep(0.05)
    return False


STUBBORN = "trap '' TERM; read start; " + ABOUT + """echo '{"seq": 1, "skip": "no"}'; """


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
@pytest.mark.parametrize("end", ["while true; do sleep 1; done", "sleep 9 &"])
def test_a_program_that_does_not_stop_is_ended_with_all_it_started(end: str) -> None:
    program = session(["sh", "-c", STUBBORN + end], 0.5, True)
    assert isinstance(program, protocol.Persistent)
    assert program.ask(PROBLEM).skip == "no"
    assert program._process is not None
    pid = program._process.popen.pid
    children = Path(f"/proc/{pid}/task/{pid}/children")
    started = [pid, *map(int, children.read_text().split())] if children.exists() else [pid]
    program.close()
    assert program._process is None and ended(*started)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
def test_whoever_interrupts_the_stop_still_ends_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = session(["sh", "-c", STUBBORN + "sleep 9"], 5, True)
    assert isinstance(program, protocol.Persistent) and program.ask(PROBLEM).skip == "no"
    process = program._process
    assert process is not None

    def interrupted(*_: object, **__: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(process, "exchange", interrupted)
    with pytest.raises(KeyboardInterrupt):
        program.close()
    assert ended(process.popen.pid)


def test_a_megabyte_on_standard_error_is_counted_and_no_fault() -> None:
    reply = asked("""head -c 1000000 /dev/zero >&2; echo '{"values": ["1"]}'""")
    assert reply == Reply({"values": ["1"]}, noise=1_000_000)


def test_a_fault_tells_the_last_words_of_the_program() -> None:
    reply = asked("echo one >&2; echo 'division by zero' >&2; echo halted >&2; exit 3")
    assert "exit code 3; its last words: division by zero / halted)" in str(reply.fault)


def test_long_words_are_cut_and_signals_have_names() -> None:
    long = asked("printf '%0300d' 0 >&2; exit 3").fault
    assert str(long).endswith(f"exit code 3; its last words: {'0' * 200})")
    assert "(SIGKILL)" in str(asked("kill -KILL $$").fault)
    # the first of all signals, which whoever started the tests may ignore
    hup = "import os, signal as s; s.signal(1, s.SIG_DFL); os.kill(os.getpid(), 1)"
    hung_up = session([sys.executable, "-S", "-c", hup], 5, False).ask(PROBLEM)
    assert "(SIGHUP)" in str(hung_up.fault)
    assert "(40)" in str(asked("kill -40 $$").fault)  # which has no name
    garbage = asked("printf 'x%.0s' $(seq 99)").fault
    assert str(garbage).endswith(f"it begins '{'x' * 60}')")
    start = """read start; printf '{"name": "%0300d"}\\n' 0; cat"""
    assert str(asked(start, persistent=True).fault).endswith(f'{{"name": "{"0" * 190})')


def test_a_problem_that_no_pipe_holds_reaches_a_program_that_talks_first() -> None:
    code = "import sys; print(' ' * 200_000); print('{\"length\": %d}' % len(sys.stdin.read()))"
    large = {"family": "loss.hinge", "z": ["0"] * 50_000}
    reply = session([sys.executable, "-S", "-c", code], 5, False).ask(large)
    assert reply.answer is not None and int(str(reply.answer["length"])) > 250_000


def test_a_line_that_was_printed_before_the_input_was_refused_is_an_answer() -> None:
    process = processes.Process(["sh", "-c", "echo '{}'; exec <&-; sleep 9"])
    try:
        assert process.exchange(b" " * 1_000_000, 5, line=True) == b"{}"
    finally:
        process.end()


def test_what_a_program_started_is_ended_with_it(tmp_path: Path) -> None:
    left = tmp_path / "left"
    reply = asked(f"(sleep 0.6; touch {left}) & sleep 9", seconds=0.3)
    assert reply.fault is not None and reply.fault.name == "hangs"
    time.sleep(0.6)
    assert not left.exists()


def test_a_program_is_told_the_protocol_and_ended_with_the_run() -> None:
    script = """read start
    [ "$start" = '{"cmd": "start", "protocol": 1}' ] && echo '{"implementation": "sh"}'
    while read line; do echo '{"seq": 1, "skip": "no"}'; done"""
    program = session(["sh", "-c", script], 5, True)
    (result,) = run([Case("loss.hinge/x", PROBLEM)], [program], known={})
    assert (result.outcome, result.reason) == ("skipped", "no")
    assert program.about.implementation == "sh" and program._process is None


def test_a_persistent_program_starts_anew_after_a_fault() -> None:
    script = """
    read start; echo '{"implementation": "sh", "version": 2, "supports": ["loss.hinge"]}'
    while read line; do
      case $line in
        *3/2*) exit 3 ;;
        *) echo "{\\"seq\\": $(echo $line | tr -dc 0-9 | cut -c1), \\"skip\\": \\"why not\\"}" ;;
      esac
    done"""
    program = session(["sh", "-c", script], 5, True)
    hinge = {"family": "loss.hinge"}
    assert program.ask({**hinge, "z": []}).skip == "why not"
    fault = program.ask({**hinge, "z": ["3/2"]}).fault
    assert fault is not None and fault.name == "failed"
    assert program.ask({**hinge, "z": []}).skip == "why not"
    unasked = program.ask({"family": "qp.convex"})
    assert (unasked.skip, unasked.noise) == ("doesn't support qp.convex", 0)
    program.close()
    assert program.about.implementation == "sh" and program.about.version == "2"


def test_a_program_whose_start_failed_is_not_tried_again(tmp_path: Path) -> None:
    tried = tmp_path / "tried"
    program = session(["sh", "-c", f"echo once >> {tried}; read start; echo '{{}}'"], 5, True)
    replies = [program.ask(PROBLEM) for _ in range(2)]
    assert [reply.fault.name for reply in replies if reply.fault] == ["bad_start"] * 2
    assert [reply.noise for reply in replies] == [0, 0]
    assert tried.read_text() == "once\n"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
@pytest.mark.parametrize("persistent", [False, True])
def test_a_program_that_is_killed_while_it_starts_is_ended(
    persistent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = session(["sh", "-c", "trap '' TERM; while true; do sleep 1; done"], 60, persistent)
    started: list[int] = []

    class Starting(processes.Process):
        def __init__(self, command: Sequence[str]) -> None:
            super().__init__(command)
            started.append(self.popen.pid)
            program.kill()

    monkeypatch.setattr(protocol, "Process", Starting)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            program.ask(PROBLEM)
    program.close()
    assert started and ended(*started)


@pytest.mark.parametrize("persistent", [False, True])
def test_a_program_that_is_killed_while_it_works_answers_no_more(persistent: bool) -> None:
    program = session(["sleep", "60"], 50, persistent)
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(program.ask, PROBLEM)
        while not getattr(program, "_process"):  # noqa: B009  # no part of the protocol
            time.sleep(0.01)
        program.kill()
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                asking.result()
            asking = pool.submit(program.ask, PROBLEM)
    program.close()


def test_a_program_that_answers_the_stop_may_still_finish(tmp_path: Path) -> None:
    done = tmp_path / "done"
    script = f"""read start; {ABOUT} echo '{{"seq": 1, "skip": "no"}}'
    read stop; echo '{{}}'; cat; touch {done}"""
    assert asked(script, persistent=True).skip == "no"
    assert done.exists()
