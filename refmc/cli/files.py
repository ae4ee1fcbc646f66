"""Reading, writing and the clock, the same for every command."""

from __future__ import annotations

import argparse
import contextlib
import os
import stat
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from refmc.errors import FormatError, ParameterError

if TYPE_CHECKING:
    from refmc.adapters.table import Table


def read_text(path: str) -> str:
    """The text of a file, or of standard input for -."""
    if path == "-":
        data = sys.stdin.buffer.read()
    else:
        with open(path, "rb") as file:
            data = file.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        wide = "it looks like UTF-16; " if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        raise FormatError(
            f"{path}: not UTF-8 text: {error.reason}, byte {error.start}; {wide}save it as UTF-8"
        ) from None


def refuse_two_inputs(*paths: str) -> None:
    """`ParameterError` where two files are standard input, which can be read once."""
    if paths.count("-") > 1:
        raise ParameterError("- stands for standard input, which only one of the files can be")


def load_table(path: str, delimiter: str | None) -> Table:
    """The table in a CSV or svmlight file, or in standard input for -."""
    from refmc.adapters.svmlight import is_svmlight, read_svmlight
    from refmc.adapters.table import read_table

    text, name = read_text(path), "standard input" if path == "-" else path
    if delimiter is None and is_svmlight(text):
        return read_svmlight(text, name)
    return read_table(text, name, delimiter)


def add_output(parser: argparse._ActionsContainer, what: str) -> None:
    """Add the option -o."""
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=f"write the {what} there instead of printing it"
    )


def check_output(output: str | None, source: str | None = None) -> None:
    """`ParameterError`, before any work, for a file that can't take the result.

    That is one in no folder, or the one that the result is made from.
    """
    if output is None:
        return
    folder = os.path.dirname(output) or "."
    if not os.path.isdir(folder):
        raise ParameterError(f"{output}: there is no folder {folder}")
    both_exist = source is not None and os.path.exists(output) and os.path.exists(source)
    if source is not None and both_exist and os.path.samefile(output, source):
        raise ParameterError(f"-o {output}: is the input; choose another file for the result")


def write(text: str, path: str | None) -> None:
    """The text and a line end into a file, or to standard output for None.

    A file is replaced as a whole, once all of the text is written beside it: a full disk leaves
    the old one as it was.
    """
    if path is None or path == "-":
        print(text)
        return
    data = (text + "\n").encode()  # fails before the file is opened
    target = os.path.realpath(path)  # pathlib would take longer to import than small models to fit
    folder, name = os.path.split(target)
    beside = os.path.join(folder, f".{name}.{os.getpid()}.part")
    try:
        if os.path.exists(target) and not os.path.isfile(target):  # a pipe can't be replaced
            with open(target, "wb") as file:
                file.write(data)
            return
        with open(beside, "xb") as file:
            file.write(data)
        if os.path.exists(target):
            os.chmod(beside, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(beside, target)
    except OSError as error:
        with contextlib.suppress(FileNotFoundError):
            os.remove(beside)
        error.filename = path
        raise


@contextlib.contextmanager
def clock(what: str) -> Iterator[None]:
    """Elapsed seconds on standard error while the body runs, if that is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    import threading
    import time

    done, start, told = threading.Event(), time.monotonic(), ""

    def tick() -> None:
        nonlocal told
        while not done.wait(1):
            told = f"refmc: {what}, {time.monotonic() - start:.0f} s"
            print(f"\r{told}", end="", file=sys.stderr, flush=True)

    ticker = threading.Thread(target=tick, daemon=True)
    ticker.start()
    try:
        yield
    finally:
        done.set()
        ticker.join()
        blank = " " * len(told)  # a terminal may know no codes that clear a line
        print(f"\r{blank}\r" if told else "", end="", file=sys.stderr, flush=True)
