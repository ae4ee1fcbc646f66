"""The catalogue of mistakes for people and for programs, with the vectors that catch each."""

from __future__ import annotations

from collections import defaultdict
from fnmatch import fnmatchcase
from functools import cache

from refmc.core.printing import json_line
from refmc.core.records import Record
from refmc.mistakes.all import MISTAKES, OF_FUNCTIONS
from refmc.mistakes.quiet import QUIET
from refmc.suite.corpus import Vector, pretty, vectors

HEAD = """\
# Named mistakes

What programs for these lectures get wrong, each mistake under a name that never changes. A mistake
is recognised by a change of the problem or of the answer, for which the judge of the family finds
the wrong answer right; or by a plain program with that one line changed. `refmc check` names the
one that explains a refuted answer best, `refmc explain` all that do. This page is made by
`python -m refmc.suite.build`.

"""

NO_PROBLEM = """
## What no problem shows

No family of problems has these in it. Each is a pair of functions, what refmc does and what the
mistake does, in `refmc.mistakes.functions`, with arguments on which they differ.

| mistake | what is done | breaks | why no problem shows it |
|---|---|---|---|
"""


def mistakes_page() -> str:
    """The text of the book's page."""
    lines = [
        "| mistake | what is done | breaks | vectors | such as | but not |",
        "|---|---|---|---|---|---|",
    ]
    for id, mistake in MISTAKES.items():
        catching, quiet = caught_by()[id], silent(id)
        name = "all problems show it" if quiet is None else _quoted(quiet[0]) or _quoted(quiet[1])
        cells = (mistake.sentence, mistake.breaks, str(len(catching)))
        lines.append(_row(f"`{id}`", *cells, f"`{catching[0].id}`", name))
    functions = [
        _row(f"`{entry.id}`", entry.sentence, entry.breaks, entry.why)
        for entry in OF_FUNCTIONS.values()
    ]
    parts = (HEAD, lines), (NO_PROBLEM, functions)
    return "".join(head + "\n".join(rows) + "\n" for head, rows in parts)


def mistakes_file() -> str:
    """The catalogue as JSON."""
    found = []
    for id, mistake in MISTAKES.items():
        quiet = silent(id)
        record: dict[str, object] = {"id": id, "families": list(mistake.families)}
        record |= {"sentence": mistake.sentence, "breaks": mistake.breaks}
        record["caught_by"] = [vector.id for vector in caught_by()[id]]
        record["silent"] = quiet if quiet is None else quiet[0] or quiet[1]
        found.append(record)
    return pretty({"mistakes": found}) + "\n"


def mistake_lines(pattern: str) -> list[str]:
    """The mistakes whose ids fit a pattern, a paragraph each."""
    lines = []
    for id, mistake in MISTAKES.items():
        if fnmatchcase(id, pattern):
            catching, quiet = caught_by()[id], silent(id)
            other = "no problem" if quiet is None else quiet[0] or _in_a_line(quiet[1])
            lines += [f"{id}: {mistake.sentence}", f"  breaks {mistake.breaks}"]
            more = f" and {len(catching) - 1} more" if len(catching) > 1 else ""
            lines += [f"  shown by {catching[0].id}{more}; not by {other}"]
    for id, entry in OF_FUNCTIONS.items():
        if fnmatchcase(id, pattern):
            lines += [f"{id}: {entry.sentence}", f"  breaks {entry.breaks}", f"  {entry.why}"]
    return lines


def _row(*cells: str) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def _quoted(value: object) -> str:
    return f"`{value if isinstance(value, str) else _in_a_line(value)}`" if value else ""


def _in_a_line(problem: object) -> str:
    """JSON in one line, as the cell of a table must be."""
    return json_line(problem)


@cache
def caught_by() -> dict[str, list[Vector]]:
    """The vectors that tell each mistake from the truth, the shortest problems first.

    >>> caught_by()["svm.class_order"][0].id
    'svm.multiclass/two-classes'
    """
    found: dict[str, list[Vector]] = defaultdict(list)
    for vector in sorted(vectors(), key=length):
        for mistake in vector.catches:
            found[mistake].append(vector)
    return found


def silent(id: str) -> tuple[str, Record] | None:
    """The shortest problem that doesn't show a mistake, with the id of its vector, if it is one.

    None where all problems show it.

    >>> silent("svm.class_order")[0]
    'svm.multiclass/one-row'
    """
    if id in QUIET:
        return "", QUIET[id]
    families = MISTAKES[id].families
    others = [v for v in vectors(family=families) if id not in v.catches]
    best = min(others, key=length, default=None)
    return None if best is None else (best.id, best.problem)


def length(vector: Vector) -> tuple[int, str]:
    """How long a problem is, as text; of equally long ones the id decides."""
    return len(str(vector.problem)), vector.id
