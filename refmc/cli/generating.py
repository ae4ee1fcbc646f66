"""refmc gen and refmc tiny."""

from __future__ import annotations

import argparse
import json

from refmc.cli.files import within


def add_gen(parser: argparse.ArgumentParser) -> None:
    """Print a problem of a family that a seed draws, the same on every machine: at most 6 rows of 2
    columns, with ties, duplicates and settings of all kinds.
    """
    parser.add_argument("family", metavar="FAMILY", help="such as svm.multiclass")
    parser.add_argument("--seed", metavar="TEXT", default="0", help="any text (default: 0)")
    parser.add_argument(
        "--settings", metavar="A,B", help="with no others than these; by default with any"
    )


def do_gen(arguments: argparse.Namespace) -> int:
    """Run `refmc gen`; the exit code."""
    from refmc.core.records import write_json
    from refmc.suite.generating import drawn_problem
    from refmc.suite.settings import check_settings

    known = None if arguments.settings is None else arguments.settings.split(",")
    check_settings(known or (), arguments.family)
    print(write_json(drawn_problem(arguments.family, arguments.seed, known)))
    return 0


def add_tiny(parser: argparse.ArgumentParser) -> None:
    """Print every problem of a family with at most so many rows of one column of the numbers -1, 0
    and 1, and no settings but those that it needs: one a line.
    """
    parser.add_argument("family", metavar="FAMILY", help="such as svm.multiclass")
    parser.add_argument("--rows", metavar="N", type=int, default=2, help="(default: 2)")


def do_tiny(arguments: argparse.Namespace) -> int:
    """Run `refmc tiny`; the exit code."""
    from refmc.suite.generating import tiny_problems

    within("--rows", arguments.rows, 1, 20)
    for problem in tiny_problems(arguments.family, arguments.rows):
        print(json.dumps(problem))
    return 0
