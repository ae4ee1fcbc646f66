"""All named mistakes, by their ids."""

from __future__ import annotations

from fnmatch import fnmatchcase

from refmc.mistakes import boosting, bounds, codes, kernels, losses, online, qp, svm, trees
from refmc.mistakes.mistake import Mistake

TOPICS = (svm, qp, online, trees, boosting, codes, losses, kernels, bounds)

MISTAKES: dict[str, Mistake] = {m.id: m for topic in TOPICS for m in topic.MISTAKES}
"""The mistakes that problems show."""


def mistakes_of(family: str) -> tuple[Mistake, ...]:
    """The mistakes that problems of a family show, or of the families that fit a pattern."""
    return tuple(m for m in MISTAKES.values() if any(fnmatchcase(n, family) for n in m.families))
