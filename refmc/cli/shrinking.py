"""refmc shrink and refmc scramble."""

from __future__ import annotations

import argparse
import contextlib
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from refmc.cli.files import OF_A_PROBLEM, clock, read_problem, within
from refmc.cli.running import add_program
from refmc.cli.signals import ended_by_signals
from refmc.cli.tables import counted

if TYPE_CHECKING:
    from refmc.core.records import Record
    from refmc.suite.protocol import Session
    from refmc.suite.shrinking import Shrinker

NOTHING_RAN = 5


def add_shrink(parser: argparse.ArgumentParser) -> None:
    """Look for the smallest problem on which a program is still wrong in the same way: fewer rows,
    columns, classes and settings, smaller numbers. A vector is printed, with the right answer and
    the wrong one.
    """
    parser.usage = "refmc shrink PROBLEM [options] -- PROGRAM [ARGUMENT ...]"
    parser.add_argument("problem", metavar="PROBLEM", help=OF_A_PROBLEM)
    add_program(parser)
    parser.add_argument(
        "--tries", metavar="N", type=int, default=500, help="problems to try (default: 500)"
    )
    parser.epilog = (
        "Exit code: 0 a vector was printed, 5 there is nothing to shrink, since the answer to the "
        "problem is verified or skipped, 2 usage or no such program, 70 a fault of refmc."
    )


def do_shrink(arguments: argparse.Namespace) -> int:
    """Run `refmc shrink`; the exit code."""
    from refmc.mistakes.generic_axes import ONE_OF
    from refmc.oracle.axes import sizes
    from refmc.oracle.families import read_record
    from refmc.suite.corpus import pretty
    from refmc.suite.protocol import session
    from refmc.suite.running import awaited
    from refmc.suite.shrinking import as_vector

    within("--tries", arguments.tries, 1, 1_000_000)
    problem, _ = read_record(read_problem(arguments.problem)[0])
    asked = session(arguments.program, arguments.timeout, arguments.persistent)
    with ended_by_signals(), contextlib.closing(asked), ThreadPoolExecutor(1) as pool:
        try:  # no signal comes between a start and the note of it where another thread starts
            search = awaited(
                pool.submit(_searched, problem, asked, arguments.tries, arguments.plain)
            )
        except BaseException:
            asked.kill()
            raise
    if search is None:
        return NOTHING_RAN
    before, after = (
        ", ".join(counted(n, ONE_OF.get(axis, axis[:-1]), axis) for axis, n in sizes(p).items())
        for p in (problem, search.problem)
    )
    print(f"refmc: from {before} to {after}; {search.left} tries left", file=sys.stderr)
    print(pretty(as_vector(search.result)))
    return 0


def _searched(problem: Record, asked: Session, tries: int, plain: bool) -> Shrinker | None:
    """The smaller problem, or None where there is nothing to shrink."""
    from refmc.suite.shrinking import Shrinker

    search = Shrinker(problem, asked, tries, plain=plain)
    first = search.result
    if first.outcome not in ("refuted", "crashed"):
        told = f"the answer is {first.outcome}, there is nothing to shrink"
        print("refmc: " + ": ".join(filter(None, (told, first.text))), file=sys.stderr)
        return None
    print(f"refmc: {first.outcome}: {first.text}", file=sys.stderr)
    with clock("shrinking"):
        search.shrink()
    return search


def add_scramble(parser: argparse.ArgumentParser) -> None:
    """Print the same problem in another guise, and the right answer carried over to it: rows and
    columns in another order, labels renamed, classes reordered, features scaled by powers of two. A
    program must answer both as well.
    """
    parser.add_argument("problem", metavar="PROBLEM", help=OF_A_PROBLEM)
    parser.add_argument("--seed", metavar="TEXT", default="0", help="which guise (default: 0)")


def do_scramble(arguments: argparse.Namespace) -> int:
    """Run `refmc scramble`; the exit code."""
    from refmc.oracle.families import read_record
    from refmc.suite.corpus import pretty
    from refmc.suite.scrambling import scrambled

    given, _ = read_record(read_problem(arguments.problem)[0])
    with clock("solving exactly"):
        problem, answer = scrambled(given, arguments.seed)
    print(pretty({"problem": problem, "answer": answer}))
    return 0
