"""A conformance suite for programs in any language: vectors, and the mistakes that these catch.

>>> next(vectors(only="svm.binary/two-rows")).answer["w"]
['1']
>>> [mistake.id for mistake in mistakes("qp.convex")][:3]
['qp.bounds_ignored', 'qp.equations_ignored', 'qp.diagonal_alone']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from refmc.suite.corpus import FLAGS as FLAGS
from refmc.suite.corpus import Vector as Vector
from refmc.suite.corpus import WrongAnswer as WrongAnswer
from refmc.suite.corpus import vector_of as vector_of
from refmc.suite.corpus import vectors as vectors

if TYPE_CHECKING:
    from refmc.mistakes.mistake import Mistake


def mistakes(family: str = "*") -> tuple[Mistake, ...]:
    """The named mistakes that problems of a family can show; of all families, for a pattern."""
    from refmc.mistakes.all import mistakes_of  # imports the learners

    return mistakes_of(family)
