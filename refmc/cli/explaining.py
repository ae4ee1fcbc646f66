"""refmc explain and refmc compare."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from refmc.cli.files import OF_A_PROBLEM, clock, read_problem, read_text, refuse_two_inputs
from refmc.cli.judging import EXIT_CODES
from refmc.core.records import write_json
from refmc.core.scalars import number_text

if TYPE_CHECKING:
    from refmc.mistakes.explaining import Diagnosis

MOST = 5
"""The explanations that are shown."""


def add_explain(parser: argparse.ArgumentParser) -> None:
    """Say which named mistakes make an answer: those of which it is right for what they make of the
    problem, ranked by the gap that is left. Two at once are tried where one doesn't do.
    """
    parser.add_argument("problem", metavar="PROBLEM", help=OF_A_PROBLEM)
    parser.add_argument("answer", metavar="ANSWER", help="JSON file, or -")
    parser.add_argument("--gap", help="what an answer may be off, as for refmc check")
    parser.add_argument("--json", action="store_true", help="print all explanations as JSON")
    parser.epilog = "Exit code: that of refmc check, 0 verified, 1 refuted, 3 inconclusive."


def add_compare(parser: argparse.ArgumentParser) -> None:
    """Say of two answers to one problem whether both are right, and where they tie; or which is
    right, and what the other is right for.
    """
    parser.add_argument("problem", metavar="PROBLEM", help=OF_A_PROBLEM)
    parser.add_argument("a", metavar="A", help="JSON file, or -")
    parser.add_argument("b", metavar="B", help="JSON file, or -")
    parser.add_argument("--gap", help="what an answer may be off, as for refmc check")
    parser.epilog = "Exit code: 0 both are right, 1 one is refuted, 3 one is inconclusive."


def do_explain(arguments: argparse.Namespace) -> int:
    """Run `refmc explain`; the exit code."""
    from refmc.mistakes.explaining import explain

    refuse_two_inputs(arguments.problem, arguments.answer)
    problem, stated = read_problem(arguments.problem)
    answer = read_text(arguments.answer)
    with clock("trying mistakes"):
        found = explain(problem, answer, gap=arguments.gap, stated=stated)
    print(write_json(_record(found)) if arguments.json else found.text(MOST))
    return EXIT_CODES[found.verdict.status]


def do_compare(arguments: argparse.Namespace) -> int:
    """Run `refmc compare`; the exit code."""
    from refmc.suite.comparing import compare

    refuse_two_inputs(arguments.problem, arguments.a, arguments.b)
    problem, stated = read_problem(arguments.problem)
    a, b = read_text(arguments.a), read_text(arguments.b)
    with clock("trying mistakes"):
        found = compare(problem, a, b, gap=arguments.gap, stated=stated)
    print(found.text())
    statuses = {diagnosis.verdict.status for diagnosis in (found.a, found.b)}
    worst = ("REFUTED", "INCONCLUSIVE", "VERIFIED")
    return next(EXIT_CODES[status] for status in worst if status in statuses)


def _record(found: Diagnosis) -> dict[str, object]:
    return {
        "verdict": found.verdict.to_json(),
        "explanations": [
            {
                "mistakes": [mistake.id for mistake in e.mistakes],
                "text": e.text(),
                "breaks": [mistake.breaks for mistake in e.mistakes],
                "status": e.verdict.status,
                "left": number_text(e.left),
            }
            for e in found.explanations
        ],
        "remarks": [e.text() for e in found.remarks],
    }
