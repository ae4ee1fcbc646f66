"""The book's page about the named mistakes, made from the catalogue and the vectors."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

from refmc.oracle.families import FAMILIES
from refmc.suite.catalogue.known import MISTAKES, OF_FUNCTIONS
from refmc.suite.corpus import Vector, path_of, vectors

HEAD = """\
# Named mistakes

What programs for these lectures get wrong, each mistake under a name that never changes. A mistake
is a *variant*: a change of the problem or of the answer, for which the judge of the family finds the
wrong answer right; or a plain program with that one line changed. `refmc check` names the one that
explains a refuted answer best. Each is caught by the vectors in its row. This page is made by
`python -m refmc.suite.build`.

"""


@cache
def caught_by() -> dict[str, list[Vector]]:
    """The vectors that tell each mistake from the truth, the shortest problems first."""
    found: dict[str, list[Vector]] = defaultdict(list)
    for vector in vectors():
        for mistake in vector.catches:
            found[mistake].append(vector)
    return {id: sorted(catching, key=length) for id, catching in found.items()}


def length(vector: Vector) -> tuple[int, str]:
    """How long a problem is, as text; of equally long ones the id decides."""
    return len(str(vector.problem)), vector.id


def mistakes_page() -> str:
    """The text of the page: a table of mistakes and vectors, and the mistakes without a family."""
    if not all(path_of(family).exists() for family in FAMILIES):
        return HEAD
    caught = caught_by()
    lines = [HEAD + "| mistake | what is done | breaks | caught by |", "|---|---|---|---|"]
    for id, mistake in MISTAKES.items():
        catching, variant = caught.get(id, []), mistake.variant
        shown = ", ".join(f"`{v.id}`" for v in catching[:3])
        more = f" and {len(catching) - 3} more" if len(catching) > 3 else ""
        said = f"{_cell(variant.sentence)} | {_cell(variant.breaks)}"
        lines.append(f"| `{id}` | {said} | {shown}{more} |")
    lines += [
        "",
        "## What no problem shows",
        "",
        "No family of problems has these in it. Each is a pair of functions, what refmc does and what",
        "the mistake does, in `refmc.suite.catalogue.functions`, with arguments on which they differ.",
        "",
        "| mistake | what is done | breaks | why no problem shows it |",
        "|---|---|---|---|",
    ]
    for entry in OF_FUNCTIONS.values():
        cells = (entry.sentence, entry.breaks, entry.why)
        lines.append(f"| `{entry.id}` | {' | '.join(map(_cell, cells))} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
