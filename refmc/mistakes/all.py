"""All named mistakes, by their ids."""

from __future__ import annotations

from fnmatch import fnmatchcase

from refmc.mistakes import boosting, bounds, codes, kernels, losses, online, qp, svm, trees
from refmc.mistakes.mistake import Mistake

MISTAKES: dict[str, Mistake] = {
    mistake.id: mistake
    for topic in (svm, qp, online, trees, boosting, codes, losses, kernels, bounds)
    for mistake in topic.MISTAKES
}
"""The mistakes that problems show."""


def mistakes_of(family: str) -> tuple[Mistake, ...]:
    """The mistakes that problems of a family show, or of the families that fit a pattern."""
    return tuple(
        mistake
        for mistake in MISTAKES.values()
        if any(fnmatchcase(name, family) for name in mistake.families)
    )
