"""The catalogue of mistakes for people and for programs, with the vectors that catch each."""

from __future__ import annotations

from collections import defaultdict
from fnmatch import fnmatchcase
from functools import cache

from refmc.mistakes.all import MISTAKES
from refmc.suite.corpus import Vector, pretty, vectors

HEAD = """\
# Named mistakes

What programs for these lectures get wrong, each mistake under a name that never changes, with the
shortest problem of the suite that shows it. Made by `python -m refmc.suite.build`.

| mistake | what is done | breaks | shown by |
|---|---|---|---|
"""


def mistakes_page() -> str:
    """The text of the book's page."""
    shown = ((m, caught_by()[m.id][0].id) for m in MISTAKES.values())
    lines = [_row(f"`{m.id}`", m.sentence, m.breaks, f"`{id}`") for m, id in shown]
    return HEAD + "\n".join(lines) + "\n"


def mistakes_file() -> str:
    """The catalogue as JSON."""
    found = []
    for id, mistake in MISTAKES.items():
        record: dict[str, object] = {"id": id, "families": list(mistake.families)}
        record |= {"sentence": mistake.sentence, "breaks": mistake.breaks}
        record["caught_by"] = [vector.id for vector in caught_by()[id]]
        found.append(record)
    return pretty({"mistakes": found}) + "\n"


def mistake_lines(pattern: str) -> list[str]:
    """The mistakes whose ids fit a pattern, a paragraph each."""
    lines = []
    for id, mistake in MISTAKES.items():
        if fnmatchcase(id, pattern):
            catching = caught_by()[id]
            more = f" and {len(catching) - 1} more" if len(catching) > 1 else ""
            lines += [f"{id}: {mistake.sentence}", f"  breaks {mistake.breaks}"]
            lines += [f"  shown by {catching[0].id}{more}"]
    return lines


def _row(*cells: str) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


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


def length(vector: Vector) -> tuple[int, str]:
    """How long a problem is, as text; of equally long ones the id decides."""
    return len(str(vector.problem)), vector.id
