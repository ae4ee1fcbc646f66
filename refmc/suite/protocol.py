"""Asking a program in any language: a problem in, an answer out.

A program is started anew for each problem, which it reads from standard input (`OneShot`), or once
for all problems, each of which is then one line (`Persistent`); spec/judging.md says what it reads
and prints.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from refmc.core.printing import json_line, printable
from refmc.core.records import Record, parse_json
from refmc.errors import FormatError, ParameterError
from refmc.oracle.families import answer_fields
from refmc.suite.process import Fault, Process
from refmc.suite.settings import check_settings, lacking

PROTOCOL = 1

PATIENCE = 1.0
"""The most seconds that a program has to stop in."""


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


@dataclass
class Session:
    """A program that can be asked: what all ways of asking share."""

    command: Sequence[str] = ()
    seconds: float = 0
    about: About = field(default_factory=About)
    _process: Process | None = None
    _killed: bool = False

    def start(self) -> About:
        """What the program says about itself, as far as it does so before it is asked."""
        return self.about

    def ask(self, problem: Record) -> Reply:
        """What the program makes of a problem; never raises for what the program does."""
        try:
            reply = self._asked(problem)
        except Fault as fault:
            if self._killed:
                raise KeyboardInterrupt from None
            reply = Reply(fault=fault, noise=self._noise())
            self._end()
        return reply

    def _asked(self, problem: Record) -> Reply:
        raise NotImplementedError

    def close(self) -> None:
        """End the program, in its own way, if it still runs."""

    def kill(self) -> None:
        """End the program at once; may be called while another thread asks or starts it.

        Then asking raises `KeyboardInterrupt`.
        """
        self._killed = True
        if process := self._process:
            process.kill()

    def _running(self) -> Process:
        self._process = self._process or Process(self.command)
        return self._process

    def _exchange(self, data: Record, line: bool) -> bytes:
        process = self._running()
        if self._killed:  # perhaps before the process was known
            raise KeyboardInterrupt
        return process.exchange(_line(data), self.seconds, line)

    def _noise(self) -> int:
        """How many bytes of noise there were since the last reply."""
        process, noise = self._process, 0
        if process is not None:
            noise, process.noise = process.noise, 0
        return noise

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.end()


class OneShot(Session):
    """A program that is started for each problem, reads it to the end of its input, prints an
    answer, and ends with code 0.
    """

    def ask(self, problem: Record) -> Reply:
        """What the program makes of a problem."""
        try:
            return super().ask(problem)
        finally:
            self._end()

    def _asked(self, problem: Record) -> Reply:
        printed, process = self._exchange(problem, line=False), self._running()
        if death := process.death():
            raise death
        if not printed.strip():
            raise Fault("prints_nothing", process.said())
        reply = _reply(_object(printed), self._noise(), answer_fields(problem))
        if reply.answer is not None and "program" in reply.answer and not self.about.implementation:
            self.about.implementation = str(reply.answer["program"])
            self.about.version = str(reply.answer.get("version", ""))
        return reply


@dataclass
class Persistent(Session):
    """A program that answers each line with one line, until it is told to stop.

    After a fault it is ended, and started anew for the next problem; one that can't be started is
    not tried again.
    """

    _seq: int = 0
    _never: Fault | None = None

    def start(self) -> About:
        """What the program says about itself; nothing if it fails to, as it will when asked."""
        try:
            self._started()
        except Fault:
            self._end()
        return self.about

    def _asked(self, problem: Record) -> Reply:
        """What it makes of the problem; what it doesn't support is skipped unasked."""
        self._started()
        if unsupported := self.about.unsupported(problem):
            return Reply(skip=f"doesn't support {unsupported}")
        self._seq += 1
        found = self._said({"cmd": "run", "seq": self._seq, "problem": problem})
        if found.get("seq") != self._seq:
            raise Fault("wrong_seq", f"{found.get('seq')!r} instead of {self._seq}")
        if "answer" not in found:
            return _reply(found, self._noise())
        if not isinstance(found["answer"], dict):
            raise Fault("garbage", "the answer is no object")
        return Reply(found["answer"], noise=self._noise())

    def _said(self, record: Record) -> Record:
        found = _object(self._exchange(record, line=True))
        if self._running().out:
            raise Fault("two_answers")
        return found

    def _started(self) -> None:
        if self._never:
            raise self._never
        if self._process is None:
            try:
                self.about = _about(self._said({"cmd": "start", "protocol": PROTOCOL}))
            except Fault as fault:
                self._never = fault
                raise

    def close(self) -> None:
        """Tell the program to stop, and end it if it doesn't."""
        try:
            if self._process is not None:
                with contextlib.suppress(Fault, OSError):
                    patience = min(PATIENCE, self.seconds)
                    self._process.exchange(_line({"cmd": "stop"}), patience, line=False)
        finally:  # also where it is interrupted
            self._end()


def session(command: Sequence[str], seconds: float, persistent: bool) -> Session:
    """A session with a program; nothing is started yet."""
    if os.name != "posix":
        raise ParameterError("programs are run in process groups, which this system doesn't have")
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


def _reply(found: Record, noise: int, fields: Collection[str] = ()) -> Reply:
    """What an object says that may be an answer with these fields, of which one may be `error`."""
    if "error" in found and "error" not in fields:
        raise Fault("error", str(found["error"]))
    if isinstance(found.get("skip"), str):  # another value of it is no reason
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
