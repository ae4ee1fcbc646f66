"""refmc trace."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from refmc.cli.files import OF_A_PROBLEM, clock, read_problem
from refmc.core.printing import aligned, json_line

LINE = 120
"""Characters that a line of the table should have at most."""

WHOLE = 80
"""Characters up to which the last column is shown whole, even where the line gets longer."""


def add_trace(parser: argparse.ArgumentParser) -> None:
    """The arguments of `refmc trace`."""
    parser.description = (
        "Print the steps of the exact solution of a problem, one a line, in the lecture's own "
        "variables. ~ marks a number that is rounded for reading, … what is left out; --json does "
        "neither."
    )
    parser.add_argument("problem", metavar="PROBLEM", help=OF_A_PROBLEM)
    parser.add_argument("--json", action="store_true", help="one JSON object a line, as it happens")
    parser.set_defaults(run=_trace)


def _trace(arguments: argparse.Namespace) -> int:
    from refmc.oracle.answers import trace_problem
    from refmc.oracle.rows import recorded

    rows = trace_problem(read_problem(arguments.problem)[0])
    if arguments.json:
        for row in rows:
            print(json_line(recorded(row)), flush=True)
    else:
        with clock("tracing"):
            lines = _lines(list(rows))
        print("\n".join(lines))
    return 0


def _lines(rows: Sequence[Mapping[str, object]]) -> list[str]:
    """A table of the rows in short; the last column takes the room that is left of a line."""
    from refmc.oracle.rows import WIDEST, readable

    if not rows:
        return ["no steps"]
    *heads, last = rows[0]
    texts = [heads, *([readable(row[name]) for name in heads] for row in rows)]
    taken = max(map(len, aligned(texts))) + len("  ")
    room = max(WIDEST, LINE - taken)
    ends = [last, *(readable(row[last], room, WHOLE) for row in rows)]
    return aligned([[*text, end] for text, end in zip(texts, ends)])
