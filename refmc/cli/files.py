"""Reading, writing and the clock, the same for every command."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from refmc.core.table import Table, read_table
from refmc.errors import FormatError, ParameterError


def read_text(path: str) -> str:
    """The text of a file, or of standard input for -."""
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 text: {error.reason}, byte {error.start}") from None


def refuse_two_inputs(first: str, second: str) -> None:
    """Standard input can be read once."""
    if first == second == "-":
        raise ParameterError("- stands for standard input, which only one of the files can be")


def load_table(path: str) -> Table:
    """The table in a CSV file, or in standard input for -."""
    return read_table(read_text(path), "standard input" if path == "-" else path)


def write(text: str, path: str | None) -> None:
    """The text and a line end into a file, or to standard output for None."""
    if path is None or path == "-":
        print(text)
    else:
        data = (text + "\n").encode()  # fails before the file is opened
        Path(path).write_bytes(data)


@contextlib.contextmanager
def clock(what: str) -> Iterator[None]:
    """Elapsed seconds on standard error while the body runs, if that is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    start = time.monotonic()

    def tick() -> None:
        while not done.wait(1):
            print(f"\rrefmc: {what}, {time.monotonic() - start:.0f} s", end="", file=sys.stderr)
            sys.stderr.flush()

    ticker = threading.Thread(target=tick, daemon=True)
    ticker.start()
    try:
        yield
    finally:
        done.set()
        ticker.join()
        print("\r\033[K", end="", file=sys.stderr, flush=True)
