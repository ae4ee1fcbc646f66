"""refmc run and refmc serve: programs that answer refmc, and that refmc answers."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from refmc.cli.files import add_output, check_output, read_text, within, write
from refmc.cli.signals import ended_by_signals
from refmc.cli.tables import Flags, add_flags
from refmc.core.records import limit
from refmc.errors import ParameterError

if TYPE_CHECKING:
    from refmc.suite.protocol import About
    from refmc.suite.reporting import Report
    from refmc.suite.running import Case, Receipt, Result

FORMATS = ("text", "jsonl", "junit", "tap", "html")

_SWITCH = {"action": "store_true"}
_SEVERAL = {"metavar": "PATTERN", "action": "append", "default": []}
WHICH: Flags = {
    "only": {**_SEVERAL, "help": "ids, such as 'svm.*/two-*', or 'svm.*/seed-*' of --random"},
    "family": {**_SEVERAL, "help": "families, such as 'svm.*'"},
    "flags": {"metavar": "A,B", "default": "", "help": "those that have these flags"},
    "settings": {
        "metavar": "A,B",
        "default": "",
        "help": "those that have these settings, such as max_depth or impurity=entropy",
    },
    "problems": {
        "metavar": "FILE.jsonl",
        "help": "instead of the suite's these problems of your own, one a line",
    },
    "random": {
        "metavar": "N",
        "type": int,
        "default": 0,
        "help": "N fresh problems beside the suite's",
    },
    "scramble": {**_SWITCH, "help": "each problem once more, in another guise"},
    "seed": {"metavar": "TEXT", "default": "0", "help": "what these are drawn from (default: 0)"},
}
REPORTED: Flags = {
    "format": {"choices": FORMATS, "default": "text", "help": "(default: text)"},
    "all": {**_SWITCH, "help": "as text, a line for each problem"},
    "known": {"metavar": "FILE", "help": 'failures that are known: {"ID": "reason", …}'},
    "explain": {**_SWITCH, "help": "say which named mistakes explain all that is wrong"},
    "write-known": {"metavar": "FILE", "help": "draft that file from this run"},
}


def add_run(parser: argparse.ArgumentParser) -> None:
    """Judge a program: it is started for each problem of the suite, reads the problem as JSON from
    standard input, prints its answer as JSON, or {"skip": "reason"}, and ends with code 0. With
    --persistent one process reads and answers a line a problem.
    """
    parser.usage = "refmc run [options] -- PROGRAM [ARGUMENT ...]"
    add_program(parser)
    add_flags(parser.add_argument_group("which problems"), WHICH)
    report = parser.add_argument_group("what is reported")
    add_flags(report, REPORTED)
    add_output(report, "report")
    parser.add_argument(
        "-j", "--jobs", metavar="N", type=int, default=1, help="so many programs at once"
    )
    parser.add_argument("--gap", help="what an answer may be off, as for refmc check")
    parser.epilog = (
        "Exit code: 0 all verified (or skipped or known), 1 something refuted, 3 something "
        "inconclusive, 4 the program crashed, hung or broke the protocol, 5 nothing was judged, 2 "
        "usage, 70 a fault of refmc; of several the severest: 70, 1, 4, 3, 5."
    )


def add_program(parser: argparse.ArgumentParser) -> None:
    """The program that is run, and how."""
    parser.add_argument(
        "program", metavar="PROGRAM", nargs="+", help="the command, after -- and with its arguments"
    )
    parser.add_argument(
        "--persistent", action="store_true", help="one process for all problems, a line for each"
    )
    parser.add_argument(
        "--plain",
        action="store_true",
        help="ask in plain numbers, defaults filled in, labels 0, 1, … (-1 and 1 of two)",
    )
    parser.add_argument(
        "--timeout", metavar="S", type=float, default=10, help="seconds a problem (default: 10)"
    )


def do_run(arguments: argparse.Namespace) -> int:
    """Run `refmc run`; the exit code."""
    from refmc.draw.pictures import draw_problem
    from refmc.suite import running
    from refmc.suite.protocol import session
    from refmc.suite.reporting import REPORTS, html_report, receipt_lines, text_report

    _check_options(arguments)
    fresh = [pattern for pattern in arguments.only if "/seed" in pattern]
    only = [pattern for pattern in arguments.only if pattern not in fresh]
    cases = _cases(arguments, only) if only or not fresh else []
    known = running.read_known(read_text(arguments.known)) if arguments.known else {}
    start = partial(session, arguments.program, arguments.timeout, arguments.persistent)
    sessions = [start() for _ in range(arguments.jobs)]
    alone = partial(running.asked_alone, start=start, gap=arguments.gap)
    found: list[Result] = []

    @cache
    def receipt() -> Receipt:
        told: list[str] = []
        if arguments.explain:
            from refmc.suite.causes import causes

            told = causes(found, alone if arguments.persistent else None)
        seed = arguments.seed if arguments.random or arguments.scramble else None
        teller = max(sessions, key=lambda s: bool(s.about.implementation))
        return running.receipt(found, teller, arguments.program, seed, told)

    reports: dict[str, Report] = {**REPORTS, "html": html_report(draw_problem)}
    reports["text"] = partial(text_report, every=arguments.all)
    with ended_by_signals(), contextlib.ExitStack() as ends:
        ends.callback(sessions[0].close)
        about = sessions[0].start() if arguments.random or arguments.plain else sessions[0].about
        cases = _as_asked(cases, about, fresh, arguments)
        ran = running.run(cases, sessions, gap=arguments.gap, known=known)
        stream = ends.enter_context(contextlib.closing(ran))
        lines = reports[arguments.format](_kept(stream, found, len(cases)), receipt)
        if arguments.output is None:
            for line in lines:
                print(line, flush=True)
        else:
            write("\n".join(lines), arguments.output)
    if arguments.format != "text" or arguments.output is not None:
        print("\n".join(receipt_lines(receipt())), file=sys.stderr)
    if arguments.write_known:
        drafted = running.draft_known(found)
        write(json.dumps(drafted, ensure_ascii=False, indent=1), arguments.write_known)
    return receipt().code


def _check_options(arguments: argparse.Namespace) -> None:
    from refmc.suite.settings import check_settings

    within("-j", arguments.jobs, 1, 256)
    within("--random", arguments.random, 0, 100_000)
    if arguments.all and arguments.format != "text":
        raise ParameterError("--all: belongs to --format text; the other reports have every line")
    if arguments.gap is not None:
        limit(arguments.gap, "gap")
    check_output(arguments.output)
    check_output(arguments.write_known)
    check_settings(_listed(arguments.settings))
    if arguments.known not in (None, "-") and not os.path.exists(arguments.known):
        told = f"there is no file {arguments.known!r}; --write-known makes one of a run"
        raise ParameterError(f"--known: {told}")


def _kept(stream: Iterable[Result], found: list[Result], count: int) -> Iterator[Result]:
    """The results as they come, which are kept in `found` and counted on a terminal."""
    told = ""
    for result in stream:
        found.append(result)
        if sys.stderr.isatty():  # whatever comes next is written over it
            told = f"refmc: {len(found)} of {count}"
            print(f"\r{told}\r", end="", file=sys.stderr, flush=True)
        yield result
    if told:
        print(f"{' ' * len(told)}\r", end="", file=sys.stderr, flush=True)


def _cases(arguments: argparse.Namespace, only: Sequence[str]) -> list[Case]:
    """The problems of the suite, or of a file, that were chosen."""
    from refmc.suite import running

    if arguments.problems is None:
        return running.suite_cases(only, arguments.family, _listed(arguments.flags))
    if arguments.flags:
        raise ParameterError("--flags: the problems of a file have none")
    lines = read_text(arguments.problems).splitlines()
    return running.problem_cases(lines, arguments.problems, only, arguments.family)


def _as_asked(
    cases: list[Case], about: About, fresh: Sequence[str], arguments: argparse.Namespace
) -> list[Case]:
    """The same, with guises and fresh problems, as the program is asked them."""
    from refmc.suite import running
    from refmc.suite.plain import UNUSUAL
    from refmc.suite.settings import settings_of, shows

    def known(family: str) -> Collection[str] | None:
        own = about.known(family)
        return {*settings_of(family)} - UNUSUAL if own is None and arguments.plain else own

    families = list(dict.fromkeys(case.family for case in cases))
    supported = [name for name in families if about.supports is None or name in about.supports]
    if arguments.scramble:
        cases = [*cases, *running.scrambled_cases(cases, arguments.seed)]
    count = arguments.random
    cases += running.random_cases(supported or families, arguments.seed, count, fresh, known)
    named = _listed(arguments.settings)
    cases = [case for case in cases if all(shows(case.problem, name) for name in named)]
    return [*running.plain_cases(cases, about)] if arguments.plain else cases


def _listed(text: str) -> list[str]:
    return text.split(",") if text else []


def add_serve(parser: argparse.ArgumentParser) -> None:
    """Answer JSON Lines from standard input, in order, until the input ends: {"cmd": "check",
    "problem": …, "answer": …} with {"verdict": …}, {"cmd": "solve", "problem": …} with {"answer":
    …}; a seq comes back beside them. A test in another language keeps one such process.
    """
    parser.epilog = (
        "Exit code: 0 every line was answered, 2 one wasn't understood, 5 there was none, 70 a "
        "fault of refmc. The verdicts are in the answers."
    )


def do_serve(arguments: argparse.Namespace) -> int:
    """Run `refmc serve`; the exit code."""
    from refmc.suite.serving import serve

    return serve(sys.stdin.buffer, partial(print, flush=True))
