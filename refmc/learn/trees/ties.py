"""Sets of tied questions: tuples where they are few, as at most nodes, else what `runs` has.

[lu, "Issues of the Greedy Algorithm"]. Where all sets are small, `runs` is never imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, groupby, islice
from typing import Any, TypeVar

from refmc.learn.trees.questions import NumericQuestion, Question

T = TypeVar("T")

FEW = 8
"""Up to so many questions are kept, and saved, one by one."""


def joined(parts: Sequence[Sequence[T]]) -> Sequence[T]:
    """The items of all parts in order, as a tuple where they are few."""
    found = tuple(islice(chain.from_iterable(parts), FEW + 1))  # counting all takes longer
    if len(found) <= FEW:
        return found
    from refmc.learn.trees.runs import Ties

    return Ties(tuple(part for part in parts if part))


def tied_cuts(
    column: int, thresholds: tuple[float | Fraction, ...], cuts: Sequence[int | Question]
) -> list[Sequence[Question]]:
    """The cuts as parts for `joined`; many cuts at positions among the thresholds become runs.

    A cut is given by its position among the thresholds, or as a question where its threshold is not
    among them, such as a midpoint between values that are neighbours at this node only.
    """
    parts: list[Sequence[Question]] = []
    for kind, group in groupby(cuts, type):
        found: list[Any] = list(group)
        if kind is not int:
            parts.append(tuple(found))
        elif len(found) > FEW:
            from refmc.learn.trees.runs import CutRuns, evenly_spaced

            parts.append(CutRuns(column, thresholds, evenly_spaced(found)))
        else:
            parts.append(tuple(NumericQuestion(column, thresholds[place]) for place in found))
    return parts
