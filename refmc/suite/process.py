"""A running program: a process group with three streams, and a name for each way to answer badly.

No program can take more than its time and a bounded part of this process's memory.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from typing import IO, cast

from refmc.core.printing import printable
from refmc.errors import ParameterError

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


class Process:
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
        pipes = self.popen.stdin, self.popen.stdout, self.popen.stderr
        self.input, *outputs = cast("tuple[IO[bytes], ...]", pipes)
        self.out, self.last_words, self.noise = bytearray(), b"", 0
        self.input_refused = self.has_line = False
        self._waiting = selectors.DefaultSelector()
        self._open = {*outputs}
        os.set_blocking(self.input.fileno(), False)
        for stream in outputs:
            os.set_blocking(stream.fileno(), False)
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
                    self._read(cast("IO[bytes]", key.fileobj))
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
        except BrokenPipeError:
            self.input_refused, left = True, left[:0]
        if not left:
            self._waiting.unregister(self.input)
            if close:
                self.input.close()
        return left

    def _read(self, stream: IO[bytes]) -> None:
        data = os.read(stream.fileno(), 1 << 16)
        if not data:
            self._waiting.unregister(stream)
            self._open.discard(stream)
        elif stream is self.popen.stdout:
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
        with self.popen:  # which waits for it, and closes the streams
            self._waiting.close()
