"""Binary problems that form a tree, where the answer to one says which is asked next.

For the methods of [chang, "Still an ongoing research direction"]. A node all of whose rows are on
one side needs no model: it always gives that side. A node that no row reaches has neither.

Legend: s the score of a node, positive for its left side; side: +1 or −1 where a node always gives
its left or its right side, else 0.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from refmc.core.sample import Label, Labels, Matrix, ReadRows, Row, row_counts
from refmc.core.scalars import sign
from refmc.core.ties import TiePolicy, check_policy
from refmc.errors import FormatError
from refmc.learn.reductions.members import (
    BinaryLearner,
    BinaryProblem,
    BinaryStep,
    Signs,
    Trained,
    ask,
    read_weighted,
    represented,
    train_problems,
)

T = TypeVar("T", bound=Hashable)


class Nodes(NamedTuple):
    """For each node its model or None, and the side that it always gives, or 0."""

    models: tuple[Any, ...] = ()
    sides: tuple[int, ...] = ()

    def joined(self, more: Nodes) -> Nodes:
        """These nodes, then more."""
        return Nodes(self.models + more.models, self.sides + more.sides)

    def at(self, n: int) -> Nodes:
        """Node n alone."""
        return Nodes(self.models[n : n + 1], self.sides[n : n + 1])

    def score(self, n: int, x: tuple[Any, ...], zero: Any) -> Any:
        """s of node n for a validated row: that of its model, or its side as a number.

        >>> Nodes((None,), (-1,)).score(0, (), 0.0)
        -1.0
        """
        if self.sides[n]:
            return zero + self.sides[n]
        return ask(self.models[n : n + 1], x, zero, n)[0]


@dataclass(frozen=True)
class Training:
    """What every node is trained with."""

    sample: Any
    binary: BinaryLearner
    tie: TiePolicy
    executor: Executor | None
    on_step: Callable[[BinaryStep], None] | None

    @staticmethod
    def read(
        X: Matrix,
        y: Labels,
        binary: BinaryLearner,
        *,
        weights: Row | None,
        classes: Labels | None,
        tie: TiePolicy,
        executor: Executor | None,
        on_step: Callable[[BinaryStep], None] | None,
    ) -> Training:
        """Validate rows, labels, weights and policy."""
        check_policy(tie, "tie")
        sample = read_weighted(X, y, classes, weights)
        return Training(sample, binary, tie, executor, on_step)

    def repeated(self) -> Training:
        """The same with each row as often as its weight says; `DataError` unless that is whole."""
        sample = self.sample
        times = row_counts(sample.weights, len(sample.y))
        rows, y = (
            [e for e, n in zip(part, times) for _ in range(n)] for part in (sample.rows, sample.y)
        )
        return replace(self, sample=replace(sample, rows=ReadRows(rows), y=tuple(y), weights=None))

    @property
    def present(self) -> tuple[int, ...]:
        """The positions of the classes that have rows."""
        return represented(self.sample.y, len(self.sample.classes))

    def nodes(self, first: int, columns: Sequence[Signs]) -> Nodes:
        """Train a node for each column of signed counts, one a row; numbers go on from `first`."""
        sample = self.sample
        return self.nodes_of(sample.rows, sample.y, sample.weights, first, columns)

    def nodes_of(
        self,
        rows: Sequence[tuple[Any, ...]],
        y: Sequence[int],
        weights: Sequence[Any] | None,
        first: int,
        columns: Sequence[Signs],
    ) -> Nodes:
        """The same with other rows, whose class positions are y."""
        problems = [
            BinaryProblem(n, column, *(self._labels(y, column, side) for side in (1, -1)))
            for n, column in enumerate(columns, first)
        ]
        models = train_problems(self.binary, rows, weights, problems, self.executor, self.on_step)
        return Nodes(models, tuple(_settled(column) for column in columns))

    def _labels(self, y: Sequence[int], column: Signs, side: int) -> tuple[Label, ...]:
        classes = self.sample.classes
        own = [c for c, count in zip(y, column) if sign(count) == side]
        return tuple(classes[c] for c in represented(own, len(classes)))

    def trained(self, models: tuple[Any, ...]) -> Trained:
        """The fields that every reduction begins with."""
        sample = self.sample
        width = len(sample.rows[0])
        return Trained(sample.classes, models, self.present, width, sample.zero, self.tie)


def _settled(column: Signs) -> int:
    found = {sign(count) for count in column} - {0}
    return found.pop() if len(found) == 1 else 0


def reachable(start: T, following: Callable[[T], Iterable[T]]) -> list[T]:
    """All that can be reached from `start`, each once.

    >>> sorted(reachable(6, lambda n: [n // 2, n // 3] if n else []))
    [0, 1, 2, 3, 6]
    """
    found = {start: None}
    waiting = [start]
    while waiting:
        for place in following(waiting.pop()):
            if place not in found:
                found[place] = None
                waiting.append(place)
    return list(found)


def loaded_sides(values: Sequence[Any], models: Sequence[Any]) -> tuple[int, ...]:
    """The saved sides of as many nodes as there are models; else `FormatError`."""
    if len(values) != len(models) or any(type(s) is not int or abs(s) > 1 for s in values):
        raise FormatError(f"model.sides: expected -1, 0 or 1 for each of {len(models)} nodes")
    if any(s and model is not None for s, model in zip(values, models)):
        raise FormatError("model.sides: a node with a model is not settled")
    return tuple(values)
