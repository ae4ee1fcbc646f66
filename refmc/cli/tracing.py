"""refmc trace."""

from __future__ import annotations

import argparse
import json
import unicodedata
from collections.abc import Mapping, Sequence

from refmc.cli.files import read_text

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
    parser.add_argument("problem", metavar="PROBLEM", help="JSON file, or -")
    parser.add_argument("--json", action="store_true", help="one JSON object a line, as it happens")
    parser.set_defaults(run=_trace)


def _trace(arguments: argparse.Namespace) -> int:
    from refmc.oracle.answers import trace_problem
    from refmc.oracle.rows import recorded

    rows = trace_problem(read_text(arguments.problem))
    if arguments.json:
        for row in rows:
            print(json.dumps(recorded(row), ensure_ascii=False), flush=True)
    else:
        print("\n".join(aligned(_texts(list(rows)))) or "no steps")
    return 0


def _texts(rows: Sequence[Mapping[str, object]]) -> list[dict[str, str]]:
    """The rows in short; the last column takes the room that is left of a line."""
    from refmc.oracle.rows import WIDEST, readable

    *heads, last = rows[0] if rows else [""]
    texts = [{name: readable(row[name]) for name in heads} for row in rows]
    taken = max(map(len, aligned(texts)), default=0) + len("  ")
    room = max(WIDEST, LINE - taken)
    return [text | {last: readable(row[last], room, WHOLE)} for text, row in zip(texts, rows)]


def aligned(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """The rows as lines of a table, with their names as its head.

    >>> aligned([{"t": "1", "node": "n0"}, {"t": "10", "node": "n1"}])
    ['t   node', '1   n0', '10  n1']
    """
    if not rows:
        return []
    head = {name: name for name in rows[0]}
    widths = {name: max(_width(row[name]) for row in (head, *rows)) for name in head}
    return [
        "  ".join(row[name] + " " * (widths[name] - _width(row[name])) for name in head).rstrip()
        for row in (head, *rows)
    ]


def _width(text: str) -> int:
    """Columns on a terminal: combining characters such as the tilde of F̃ take none."""
    return sum(not unicodedata.combining(character) for character in text)
