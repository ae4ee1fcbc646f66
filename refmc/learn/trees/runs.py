"""Sets of many tied questions, in which the cuts of a numeric column take little room.

[lu, "Issues of the Greedy Algorithm"]. Under some impurities, such as misclassification, most cuts
of a node gain the same, so that a tree of m rows can have m nodes of up to m tied cuts each. Many
cuts of one column are therefore kept as runs: evenly spaced positions among all thresholds of the
column. A run takes as much room as one cut, however long it is. A question is made only when it is
looked at.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any, TypeVar, overload

from refmc.learn.trees.questions import NumericQuestion, Question

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ties(Sequence[T]):
    """The items of all parts, in order; equal to the tuple of them. Slices are tuples."""

    parts: tuple[Sequence[T], ...]

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable(self.parts)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...

    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        return _item_of(self.parts, range(len(self))[index])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Ties) and self.parts == other.parts:
            return True
        return isinstance(other, (Ties, tuple)) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"<{len(self)} ties, the first {self[0]!r}>"


@dataclass(frozen=True, slots=True)
class CutRuns(Sequence[Question]):
    """The cuts X_j ≤ a of a column, as `runs` of positions among its `thresholds`.

    `runs`: for each run its first position, its last one and the step between neighbours.
    """

    column: int
    thresholds: tuple[float | Fraction, ...]
    runs: array[int]

    def ranges(self) -> Iterator[range]:
        """The positions of each run."""
        numbers = iter(self.runs)
        for first, last, step in zip(numbers, numbers, numbers):
            yield range(first, last + 1, step)

    def __bool__(self) -> bool:
        return bool(self.runs)  # without counting the cuts

    def __len__(self) -> int:
        return sum(map(len, self.ranges()))

    def __iter__(self) -> Iterator[Question]:
        for run in self.ranges():
            for a in self.thresholds[run.start : run.stop : run.step]:
                yield NumericQuestion(self.column, a)

    def __getitem__(self, index: Any) -> Any:
        return NumericQuestion(self.column, self.thresholds[_item_of(self.ranges(), index)])


def _item_of(parts: Iterable[Sequence[T]], index: int) -> T:
    """The item at this position, counted from 0 over all parts."""
    for part in parts:
        if index < len(part):
            return part[index]
        index -= len(part)
    raise IndexError


def parts_of(tied: Sequence[T]) -> tuple[Sequence[T], ...]:
    """The parts that `joined` put together."""
    return tied.parts if isinstance(tied, Ties) else (tied,)


def cut_runs(
    column: int, thresholds: tuple[float | Fraction, ...], ranges: Iterable[range]
) -> CutRuns:
    """The cuts at the positions of these runs."""
    ends = ((run[0], run[-1], run.step) for run in ranges)
    return CutRuns(column, thresholds, array("I", chain.from_iterable(ends)))


def evenly_spaced(positions: Sequence[int]) -> array[int]:
    """Increasing positions as the runs of `CutRuns`: each goes on as long as its step repeats.

    >>> evenly_spaced([0, 2, 4, 5])
    array('I', [0, 4, 2, 5, 5, 1])
    """
    runs = array("I")
    first = last = positions[0]
    step = 0  # until the run has two positions
    for place in positions[1:]:
        if step and place - last != step:
            runs.extend((first, last, step))
            first, step = place, 0
        else:
            step = place - last
        last = place
    runs.extend((first, last, step or 1))
    return runs
