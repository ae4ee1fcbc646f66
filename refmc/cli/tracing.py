"""refmc trace and refmc book."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence

from refmc.cli.files import OF_A_PROBLEM, check_output, clock, read_problem, write
from refmc.core.printing import aligned, json_line

LINE = 120
"""Characters that a line of the table should have at most."""

WHOLE = 80
"""Characters up to which the last column is shown whole, even where the line gets longer."""


def add_trace(parser: argparse.ArgumentParser) -> None:
    """Print the steps of the exact solution of a problem, one a line, in the lecture's own
    variables. ~ marks a number that is rounded for reading, … what is left out; columns of long
    lists are left out where lines get too long. --json has everything.
    """
    parser.add_argument("problem", metavar="PROBLEM", help=OF_A_PROBLEM)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object a line, as it happens")
    form.add_argument("--html", metavar="PAGE", help="write a page that steps through the run")
    parser.add_argument(
        "--tie",
        default=[],
        type=lambda text: [int(position) for position in text.split(",")],
        metavar="0,1,…",
        help="the positions to take among tied choices, one for each tie in turn (default: first)",
    )


def add_book(parser: argparse.ArgumentParser) -> None:
    """Write a page for each algorithm of the lectures that steps through an example, and
    index.html, which lists them.
    """
    parser.add_argument("folder", metavar="FOLDER", help="where the pages go; made if missing")


def do_book(arguments: argparse.Namespace) -> int:
    """Run `refmc book`; the exit code."""
    from refmc.draw.steps.views import book

    os.makedirs(arguments.folder, exist_ok=True)
    for name, page in book():
        write(page, os.path.join(arguments.folder, name))
    return 0


def do_trace(arguments: argparse.Namespace) -> int:
    """Run `refmc trace`; the exit code."""
    from refmc.answers import trace_problem
    from refmc.oracle.rows import recorded

    problem = read_problem(arguments.problem)[0]
    if arguments.html is not None:
        from refmc.draw.steps.views import step_page

        check_output(arguments.html, arguments.problem)
        with clock("tracing"):
            page = step_page(problem, arguments.tie)
        write(page, arguments.html)
        return 0
    rows = trace_problem(problem, tie=arguments.tie)
    if arguments.json:
        for row in rows:
            print(json_line(recorded(row)), flush=True)
    else:
        with clock("tracing"):
            lines = _lines(list(rows))
        print("\n".join(lines))
    return 0


def _lines(rows: Sequence[Mapping[str, object]]) -> list[str]:
    """A table of the rows in short; the last column takes the room that is left of a line, and
    where there is none, other columns of long lists are left out.
    """
    from refmc.oracle.rows import WIDEST, readable

    if not rows:
        return ["no steps"]
    *heads, last = rows[0]
    columns = {name: [name, *(readable(row[name]) for row in rows)] for name in heads}

    def taken() -> int:
        return len("  ") + max(map(len, aligned([*zip(*columns.values())])))

    for name in reversed(heads):  # those with lists that would be cut, where there is no room
        if taken() + WIDEST > LINE and any("…" in text for text in columns[name]):
            del columns[name]
    texts = [*zip(*columns.values())]
    room = max(WIDEST, LINE - taken())
    ends = [last, *(readable(row[last], room, WHOLE) for row in rows)]
    return aligned([[*text, end] for text, end in zip(texts, ends)])
