"""Where mistakes show: the vectors that catch them, and problems that don't."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

from refmc.core.records import Record
from refmc.suite.catalogue.known import MISTAKES
from refmc.suite.catalogue.quiet import QUIET
from refmc.suite.corpus import Vector, vectors


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
    families = MISTAKES[id].variant.families
    others = [v for v in vectors(family=families) if id not in v.catches]
    best = min(others, key=length, default=None)
    return None if best is None else (best.id, best.problem)


def length(vector: Vector) -> tuple[int, str]:
    """How long a problem is, as text; of equally long ones the id decides."""
    return len(str(vector.problem)), vector.id
