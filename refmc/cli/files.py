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
    from refmc.core.records import Record

OF_A_PROBLEM = "JSON file, -, or the id of a vector such as svm.binary/two-rows"


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


def read_problem(source: str) -> tuple[Record | str, Record | None]:
    """The problem of a file, or of a vector, and the rows that the vector's Gram matrix is of."""
    family = source.partition("/")[0]
    if "." in family and source != family and not os.path.exists(source):  # as in all their ids
        from refmc.oracle.families import FAMILIES

        if family in FAMILIES:
            from refmc.suite import vector_of

            vector = vector_of(source)
            return vector.problem, vector.stated
    return read_text(source), None


def refuse_two_inputs(*paths: str) -> None:
    """`ParameterError` where two files are standard input, which can be read once."""
    if paths.count("-") > 1:
        raise ParameterError("- stands for standard input, which only one of the files can be")


def load_table(path: str, delimiter: str | None) -> Table:
    """The table in a CSV or svmlight file, or in standard input for -."""
    from refmc.adapters.data_files import table_of

    text, name = read_text(path), "standard input" if path == "-" else path
    with clock("reading"):
        return table_of(text, name, delimiter)


def within(flag: str, value: int, least: int, most: int) -> None:
    """`ParameterError` for a number that a flag can't take."""
    if not least <= value <= most:
        raise ParameterError(f"{flag}: expected a number from {least} to {most}, got {value}")


def add_output(parser: argparse._ActionsContainer, what: str) -> None:
    """Add the option -o."""
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=f"write the {what} there instead of printing it"
    )


def check_output(output: str | None, source: str | None = None) -> None:
    """`ParameterError`, before any work, for a file that can't take the result.

    That is one without a name or in no folder, one that nobody may write, or the one that the
    result is made from.
    """
    if output is None:
        return
    if not output:
        raise ParameterError("output: expected the name of a file, got ''")
    if os.path.isfile(output) and not stat.S_IMODE(os.stat(output).st_mode) & 0o222:
        raise ParameterError(f"{output}: is read-only; choose another file for the result")
    folder = os.path.dirname(output) or "."
    if not os.path.isdir(folder):
        raise ParameterError(f"{output}: there is no folder {folder}")
    both_exist = os.path.exists(output) and os.path.exists(source or "")
    if source and both_exist and os.path.samefile(output, source):
        raise ParameterError(f"-o {output}: is the input; choose another file for the result")


def write(text: str, path: str | None) -> None:
    """The text and a line end into a file, or to standard output for None.

    A file is replaced as a whole, as by `replace_file`.
    """
    if path is None or path == "-":
        print(text)
        return
    replace_file((text + "\n").encode(), path)  # encoding fails before the file is opened


def replace_file(data: bytes, path: str) -> None:
    """Make a file of the bytes, once all of them are written beside it.

    A full disk leaves the old file as it was, or none where there was none.
    """
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

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        yield
    finally:
        done.set()
        ticker.join()
        blank = " " * len(told)  # a terminal may know no codes that clear a line
        print(f"\r{blank}\r" if told else "", end="", file=sys.stderr, flush=True)
