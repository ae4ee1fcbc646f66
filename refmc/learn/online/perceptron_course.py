"""The course of a perceptron's training: its visits to rows, its mistakes, and how many epochs.

Legend: t counts the visits to rows from 1, T in all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, NamedTuple

from refmc.core.saving import SavedFields
from refmc.core.scalars import S
from refmc.errors import FormatError
from refmc.learn.online.runs import Average, RunningMean, Vectors

COURSE = ("mistakes", "visits", "epochs")
"""The fields of a saved model that describe the course."""


class Visit(NamedTuple):
    """The t-th look at a row: `epoch` and `t` count from 1, `row` is its position from 0."""

    t: int
    epoch: int
    row: int


@dataclass(frozen=True)
class Course:
    """How a perceptron's training went.

    `mistakes`: the visits that led to an update, in order. `visits`: T, the number of all visits.
    `epochs`: how many were begun. `converged`: whether the last of them was without a mistake.
    """

    mistakes: tuple[Visit, ...]
    visits: int
    epochs: int

    @property
    def converged(self) -> bool:
        """Whether the last epoch was without a mistake; False if there was no epoch."""
        last = self.mistakes[-1].epoch if self.mistakes else 0
        return last < self.epochs

    def survivals(self) -> tuple[int, ...]:
        """For each state that the training passed through the number of visits that it lasted.

        The state at the start comes first, then the one after each mistake, which lasts from the
        visit of that mistake to the next. The numbers sum to T.

        >>> Course((Visit(2, 1, 1),), visits=5, epochs=2).survivals()
        (1, 4)
        """
        times = [1, *(visit.t for visit in self.mistakes), self.visits + 1]
        return tuple(after - before for before, after in pairwise(times))


class Training(Generic[S]):
    """What is kept of a perceptron's training while it goes on.

    That is its course; its average, if one is wanted; and in `voters` all states that it passed
    through, if they shall vote. `start` is the state before the first visit.
    """

    def __init__(self, start: Vectors[S], average: Average | None, voted: bool, zero: S) -> None:
        self._state: Vectors[S] = start
        self._voted = voted
        self._mean: RunningMean[S] | None = None if average is None else RunningMean(average, zero)
        self._mistakes: list[Visit] = []
        self._last = Visit(0, 0, 0)
        self.voters: list[Vectors[S]] = [start] if voted else []

    def visits(self, orders: Iterable[tuple[int, ...]]) -> Iterator[Visit]:
        """The visits to the rows of each epoch, up to the first epoch without a mistake.

        What became of a visit must be told to `see` before the next one is asked for.
        """
        for epoch, order in enumerate(orders, 1):
            before = len(self._mistakes)
            for t, row in enumerate(order, self._last.t + 1):
                self._last = Visit(t, epoch, row)
                yield self._last
            if len(self._mistakes) == before:
                return

    def see(self, changed: Vectors[S] | None) -> None:
        """Take note of the last visit: `changed` is the state after a mistake, None without one."""
        if changed is not None:
            self._state = changed
            self._mistakes.append(self._last)
            if self._voted:
                self.voters.append(changed)
        if self._mean is not None:
            self._mean.count(self._last.t, self._state)

    def course(self) -> Course:
        """The course so far."""
        return Course(tuple(self._mistakes), self._last.t, self._last.epoch)

    def result(self) -> Vectors[S]:
        """The last state, or the average of the states after each visit, if one is wanted."""
        if self._mean is None or not self._last.t:
            return self._state
        return self._mean.value()


def read_course(fields: SavedFields, rows: int | None) -> Course:
    """The course of a saved model; `rows`: how many there are, None where that isn't known."""
    course = Course(
        tuple(_visit(entry) for entry in fields.entries("mistakes")),
        fields.whole("visits"),
        fields.whole("epochs"),
    )
    times = [0, *(visit.t for visit in course.mistakes), course.visits + 1]
    epochs = [visit.epoch for visit in course.mistakes]
    fits = all(1 <= epoch <= course.epochs for epoch in epochs) and epochs == sorted(epochs)
    if times != sorted(set(times)) or not fits or course.visits < course.epochs:
        raise FormatError("model.mistakes: expected visits in order, within visits and epochs")
    if rows is not None and any(visit.row >= rows for visit in course.mistakes):
        raise FormatError(f"model.mistakes: expected rows below {rows}")
    return course


def _visit(entry: object) -> Visit:
    if not (
        isinstance(entry, list)
        and len(entry) == 3
        and all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in entry)
    ):
        raise FormatError("model.mistakes: expected lists of three whole numbers: t, epoch, row")
    return Visit(*entry)


def expect_votes(votes: Sequence[int], course: Course) -> None:
    """`FormatError` unless the votes of the saved voters, if any, are those of the course."""
    if votes and tuple(votes) != course.survivals():
        raise FormatError("model.voters: expected the votes that mistakes and visits give")
