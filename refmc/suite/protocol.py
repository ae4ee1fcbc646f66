"""Asking a program in any language: a problem in, an answer out, and a name for what goes wrong.

A program is started anew for each problem, which it reads from standard input (`OneShot`), or once
for all problems, each of which is then one line (`Persistent`); spec/judging.md says what it reads
and prints. It runs in a process group of its own, which is ended with it. No program can take more
than its time and a bounded part of this process's memory, and each of the ways to answer badly has
its own name in `FAULTS`.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from refmc.core.printing import json_line, printable
from refmc.core.records import Record, parse_json
from refmc.errors import FormatError, ParameterError
from refmc.suite.settings import check_settings, lacking

PROTOCOL = 1

MOST_OUTPUT = 1 << 25
"""The most bytes of one answer."""

LAST_WORDS = 2_000
"""How many of the last bytes on standard error are kept."""

GRACE = 0.25
"""Seconds that the output of a program may stay open once it has ended."""

SLICE = 0.05
"""Seconds between two looks at whether a program that says nothing has ended."""

FAULTS = {
    "bad_start": "its answer to the start isn't one",
    "prints_nothing": "ended with code 0 and printed nothing",
    "no_answer": "ended with code 0 before it answered",
    "garbage": "what it printed is no JSON object",
    "two_answers": "printed more than one answer",
    "too_much_output": f"printed more than {MOST_OUTPUT} bytes",
    "malformed": "its answer isn't in the format",
    "wrong_seq": "answered for another seq",
    "hangs": "no answer in time",
    "left_running": "ended, but what it started still held its output open",
    "failed": "ended with an exit code other than 0",
    "signal": "was ended by a signal",
    "closes_input": "closed its input unread",
    "error": "said that it can't",
}
"""What a program can do instead of answering. A noisy standard error is none of these."""


class Fault(Exception):
    """A program's fault: its name in `FAULTS`, and what more can be told."""

    def __init__(self, name: str, more: str = "") -> None:
        super().__init__(f"{name}: {FAULTS[name]}" + (f" ({printable(more)})" if more else ""))
        self.name = name


@dataclass(frozen=True)
class Reply:
    """What came of one problem: an answer, the reason for skipping it, or a fault.

    `noise`: how many bytes the program wrote on standard error meanwhile.
    """

    answer: Record | None = None
    skip: str | None = None
    fault: Fault | None = None
    noise: int = 0


@dataclass
class About:
    """What a program says about itself."""

    implementation: str = ""
    version: str = ""
    supports: Mapping[str, Collection[str] | None] | None = None
    conventions: tuple[str, ...] = ()

    def known(self, family: str) -> Collection[str] | None:
        """The settings and fields of a family that it supports; None for all."""
        return None if self.supports is None else self.supports.get(family, ())

    def unsupported(self, problem: Record) -> str:
        """What a problem has that the program doesn't support; "" for nothing."""
        family = str(problem["family"])
        if self.supports is not None and family not in self.supports:
            return family
        known = self.known(family)
        missing = [] if known is None else lacking(problem, known)
        return f"{', '.join(missing)} of {family}" if missing else ""


class Session(Protocol):
    """A program that can be asked."""

    about: About

    def start(self) -> About:
        """What the program says about itself, as far as it does so before it is asked."""

    def ask(self, problem: Record) -> Reply:
        """What the program makes of a problem; never raises for what the program does."""

    def close(self) -> None:
        """End the program, in its own way if it has one."""

    def kill(self) -> None:
        """End the program at once; may be called while another thread asks or starts it.

        Then asking raises `KeyboardInterrupt`.
        """


class _Process:
    """A running program with its three streams, none of which is ever waited for without end.

    Raises `ParameterError` for a command that can't be started: no problem is to blame.
    """

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self.popen = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # its number is that of the group of all that it starts
            )
        except (OSError, ValueError) as error:  # ValueError: a zero byte in the command
            why = error.strerror if isinstance(error, OSError) else error
            name = command[0] or "''"
            raise ParameterError(f"{name}: the program can't be started: {why}") from None
        assert self.popen.stdin and self.popen.stdout and self.popen.stderr
        self.input = self.popen.stdin
        self.out, self.last_words, self.noise = bytearray(), b"", 0
        self.input_refused = self.has_line = False
        self._waiting = selectors.DefaultSelector()
        self._open = {self.popen.stdout, self.popen.stderr}
        for stream in (self.input, *self._open):
            os.set_blocking(stream.fileno(), False)
        for stream in self._open:
            self._waiting.register(stream, selectors.EVENT_READ)

    def exchange(self, data: bytes, seconds: float, line: bool) -> bytes:
        """Write the data, and read one line; or close the input, and read all until the end."""
        deadline, stuck = time.monotonic() + seconds, None
        left = memoryview(data)
        self._waiting.register(self.input, selectors.EVENT_WRITE)
        while self._open and not (line and not left and self.has_line):
            for key, _ in self._waiting.select(SLICE):
                if key.fileobj is self.input:
                    left = self._write(left, close=not line)
                else:
                    self._read(key.fileobj)
            now = time.monotonic()
            if len(self.out) > MOST_OUTPUT:
                raise Fault("too_much_output")
            # A process that has ended may have started another that holds its output open, and one
            # that reads no more may never close it: neither is waited for until the deadline.
            if self.popen.poll() is not None or (line and self.input_refused):
                stuck = stuck or now + GRACE
                if self._open and now > stuck:
                    raise self._stuck()
            if now > deadline:
                raise Fault("hangs", f"{seconds:g} s")
        end = self.out.find(b"\n")
        if line and end >= 0:
            found = bytes(self.out[:end])
            del self.out[: end + 1]
            self.has_line = b"\n" in self.out
            return found
        try:  # all streams are closed
            self.popen.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise Fault("hangs", f"{seconds:g} s, with its output closed") from None
        if line:
            raise self.death() or Fault("no_answer", self.said())
        return bytes(self.out)

    def _write(self, left: memoryview, close: bool) -> memoryview:
        try:
            left = left[os.write(self.input.fileno(), left) :] if left else left
        except BlockingIOError:
            return left
        except BrokenPipeError:
            self.input_refused, left = True, left[:0]
        if not left:
            self._waiting.unregister(self.input)
            if close:
                self.input.close()
        return left

    def _read(self, stream: object) -> None:
        assert self.popen.stdout and self.popen.stderr
        is_out = stream is self.popen.stdout
        pipe = self.popen.stdout if is_out else self.popen.stderr
        try:
            data = os.read(pipe.fileno(), 1 << 16)
        except BlockingIOError:
            return
        if not data:
            self._waiting.unregister(pipe)
            self._open.discard(pipe)
        elif is_out:
            self.out += data
            self.has_line |= b"\n" in data
        else:
            self.noise += len(data)
            self.last_words = (self.last_words + data)[-LAST_WORDS:]

    def _stuck(self) -> Fault:
        """The fault of a process that has ended, or reads no more, while its output is open."""
        if self.popen.returncode is None:
            return Fault("closes_input", self.said())
        return self.death() or Fault("left_running")

    def death(self) -> Fault | None:
        """The fault of how the process ended; None for code 0."""
        code = self.popen.returncode
        if code == 0:
            return None
        if code < 0:
            with contextlib.suppress(ValueError):  # a signal without a name
                return Fault("signal", self.said(signal.Signals(-code).name))
            return Fault("signal", self.said(str(-code)))
        return Fault("failed", self.said(f"exit code {code}"))

    def said(self, more: str = "") -> str:
        """What more can be told of a fault, and the last words on standard error, if any."""
        lines = self.last_words.decode(errors="replace").strip().splitlines()[-2:]
        words = (
            f"its last words: {' / '.join(line.strip()[:200] for line in lines)}" if lines else ""
        )
        return "; ".join(filter(None, (more, words)))

    def kill(self) -> None:
        """End the process and all that it has started and that stayed in its group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.popen.pid, signal.SIGKILL)

    def end(self) -> None:
        """The same, and free what it held here."""
        self.kill()
        self.popen.wait()
        self._waiting.close()
        for stream in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            with contextlib.suppress(OSError):
                assert stream is not None
                stream.close()


@dataclass
class OneShot:
    """A program that is started for each problem, reads it to the end of its input, prints an
    answer, and ends with code 0.
    """

    command: Sequence[str]
    seconds: float
    about: About = field(default_factory=About)
    _process: _Process | None = None
    _killed: bool = False

    def start(self) -> About:
        """Nothing is known before it answers."""
        return self.about

    def ask(self, problem: Record) -> Reply:
        """What the program makes of a problem."""
        try:
            self._process = process = _Process(self.command)
            if self._killed:
                raise KeyboardInterrupt
            printed = process.exchange(_line(problem), self.seconds, line=False)
            if death := process.death():
                raise death
            if not printed.strip():
                raise Fault("prints_nothing", process.said())
            reply = _reply(_object(printed), process.noise)
        except Fault as fault:
            if self._killed:
                raise KeyboardInterrupt from None
            return Reply(fault=fault, noise=self._process.noise if self._process else 0)
        finally:
            if self._process is not None:
                self._process.end()
                self._process = None
        if reply.answer is not None and "program" in reply.answer and not self.about.implementation:
            self.about.implementation = str(reply.answer["program"])
            self.about.version = str(reply.answer.get("version", ""))
        return reply

    def close(self) -> None:
        """Nothing is left running between two problems."""

    def kill(self) -> None:
        """End what is running."""
        self._killed = True
        if process := self._process:
            process.kill()


@dataclass
class Persistent:
    """A program that answers each line with one line, until it is told to stop.

    After a fault it is ended, and started anew for the next problem; one that can't be started is
    not tried again.
    """

    command: Sequence[str]
    seconds: float
    about: About = field(default_factory=About)
    _process: _Process | None = None
    _seq: int = 0
    _never: Fault | None = None
    _killed: bool = False

    def start(self) -> About:
        """What the program says about itself; nothing if it fails to, as it will when asked."""
        try:
            self._process = self._process or self._start()
        except Fault:
            self._end()
        return self.about

    def ask(self, problem: Record) -> Reply:
        """What the program makes of a problem; what it doesn't support is skipped unasked."""
        noise = 0
        try:
            process = self._process or self._start()
            if unsupported := self.about.unsupported(problem):
                return Reply(skip=f"doesn't support {unsupported}")
            self._seq += 1
            noise, process.noise = process.noise, 0
            found = self._said({"cmd": "run", "seq": self._seq, "problem": problem}, process)
            if found.get("seq") != self._seq:
                raise Fault("wrong_seq", f"{found.get('seq')!r} instead of {self._seq}")
            noise += process.noise
            if "answer" not in found:
                return _reply(found, noise)
            if not isinstance(found["answer"], dict):
                raise Fault("garbage", "the answer is no object")
            return Reply(found["answer"], noise=noise)
        except Fault as fault:
            if self._killed:
                raise KeyboardInterrupt from None
            noise += self._process.noise if self._process else 0
            self._end()
            return Reply(fault=fault, noise=noise)

    def _said(self, record: Record, process: _Process) -> Record:
        if self._killed:
            raise KeyboardInterrupt
        found = _object(process.exchange(_line(record), self.seconds, line=True))
        if process.out:
            raise Fault("two_answers")
        return found

    def _start(self) -> _Process:
        if self._never:
            raise self._never
        try:
            self._process = _Process(self.command)
            about = self._said({"cmd": "start", "protocol": PROTOCOL}, self._process)
            self.about = _about(about)
        except Fault as fault:
            self._never = fault
            raise
        return self._process

    def close(self) -> None:
        """Tell the program to stop, and end it if it doesn't."""
        try:
            if self._process is not None:
                with contextlib.suppress(Fault, OSError):
                    stop, patience = _line({"cmd": "stop"}), min(1.0, self.seconds)
                    self._process.exchange(stop, patience, line=False)
        finally:  # also where it is interrupted
            self._end()

    def kill(self) -> None:
        """End the process at once."""
        self._killed = True
        if process := self._process:
            process.kill()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.end()


def session(command: Sequence[str], seconds: float, persistent: bool) -> Session:
    """A session with a program; nothing is started yet."""
    if os.name != "posix":
        raise ParameterError("programs are run in process groups, which this system doesn't have")
    if not command:
        raise ParameterError("the command of the program is missing; it stands after --")
    if not seconds > 0:
        raise ParameterError(f"the timeout must be positive, got {seconds:g}")
    return Persistent(command, seconds) if persistent else OneShot(command, seconds)


def _line(record: Record) -> bytes:
    return (json.dumps(record, ensure_ascii=False) + "\n").encode()


def _object(printed: bytes) -> Record:
    """The one JSON object that was printed."""
    try:
        text = printed.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Fault("garbage", f"not UTF-8: {error.reason}, byte {error.start}") from None
    try:
        return parse_json(text, "answer")
    except FormatError as error:
        told = f"{str(error).removeprefix('answer: ')}; it begins {text[:60]!r}"
        raise Fault("two_answers" if _more_than_one(text) else "garbage", told) from None


def _more_than_one(text: str) -> bool:
    """Whether the text is one JSON object after another."""
    decoder, text = json.JSONDecoder(), text.strip()
    with contextlib.suppress(ValueError, RecursionError):
        _, end = decoder.raw_decode(text)
        decoder.raw_decode(text[end:].lstrip())
        return True
    return False


def _reply(found: Record, noise: int) -> Reply:
    if "error" in found:
        raise Fault("error", str(found["error"]))
    if "skip" in found:
        return Reply(skip=printable(str(found["skip"])), noise=noise)
    if "seq" in found:
        raise Fault("garbage", "neither answer, skip nor error")
    return Reply(found, noise=noise)


def _about(found: Record) -> About:
    received = f"; the line was {json_line(found)[:200]}"

    def texts(value: object, place: str) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
            raise Fault("bad_start", f"{place}: expected a list of strings{received}")
        return tuple(value)

    if not isinstance(found.get("implementation"), str):
        raise Fault("bad_start", f"implementation: expected a string{received}")
    supports = found.get("supports")
    told: dict[str, tuple[str, ...] | None] | None = None
    if isinstance(supports, dict):
        told = {}
        for family, names in supports.items():
            told[family] = known = texts(names, f"supports.{family}")
            try:
                check_settings(known, family)
            except ParameterError as error:
                raise Fault("bad_start", f"supports: {error}") from None
    elif "supports" in found:
        told = dict.fromkeys(texts(supports, "supports"))
    conventions = texts(found.get("conventions", []), "conventions")
    return About(str(found["implementation"]), str(found.get("version", "")), told, conventions)
