"""Binary problems that form a tree, where the answer to one says which is asked next.

For the methods of [chang, "Still an ongoing research direction"]. A node all of whose rows are on
one side needs no model: it always gives that side. A node that no row reaches has no model and no
side, and its score is 0.

Legend: s the score of a node, positive for its left side; the side of a node is +1 or −1 where it
always gives its left or its right side, else 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from refmc.core.sample import Label, ReadRows, row_counts
from refmc.core.scalars import sign
from refmc.core.ties import TiePolicy, check_policy
from refmc.errors import FormatError
from refmc.learn.reductions.members import (
    BinaryLearner,
    BinaryProblem,
    BinaryStep,
    Reduction,
    Signs,
    ask,
    reduction,
    train_problems,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor


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
    """What all nodes are trained with: the sample, the learner, and whom to tell.

    `numbers`: gives each binary problem its number, in the order of training.
    """

    sample: Any
    binary: BinaryLearner
    tie: TiePolicy
    executor: Executor | None
    on_step: Callable[[BinaryStep], None] | None
    numbers: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        check_policy(self.tie, "tie")

    def repeated(self) -> Training:
        """The same with as many copies of each row as its weight, which must be a whole number.

        `DataError` for other weights.
        """
        rows, y = self.sample.rows, self.sample.y
        times = row_counts(self.sample.weights, len(y))
        copies = [i for i, n in enumerate(times) for _ in range(n)]
        return self.on([rows[i] for i in copies], [y[i] for i in copies])

    def on(self, rows: Sequence[tuple[Any, ...]], y: Sequence[int]) -> Training:
        """The same with other rows, of the classes at the positions y, and without weights."""
        sample = replace(self.sample, rows=ReadRows(rows), y=tuple(y), weights=None)
        return replace(self, sample=sample)

    @property
    def present(self) -> tuple[int, ...]:
        """The positions of the classes that have rows."""
        return tuple(sorted(set(self.sample.y)))

    def nodes(self, columns: Sequence[Signs]) -> Nodes:
        """Train a node for each column, which has a number for each row as in `train_problems`."""
        sample = self.sample
        problems = [
            BinaryProblem(next(self.numbers), column, *(self._labels(column, s) for s in (1, -1)))
            for column in columns
        ]
        models = train_problems(
            self.binary, sample.rows, sample.weights, problems, self.executor, self.on_step
        )
        sides = [{sign(count) for count in column} - {0} for column in columns]
        return Nodes(models, tuple(found.pop() if len(found) == 1 else 0 for found in sides))

    def _labels(self, column: Signs, side: int) -> tuple[Label, ...]:
        """The labels of the rows on one side."""
        found = {c for c, count in zip(self.sample.y, column) if sign(count) == side}
        return tuple(self.sample.classes[c] for c in sorted(found))

    def trained(self, models: tuple[Any, ...]) -> Reduction:
        """The fields that every reduction has."""
        return reduction(self.sample, models, self.tie)


def loaded_sides(values: Sequence[Any], models: Sequence[Any]) -> tuple[int, ...]:
    """The saved sides of as many nodes as there are models; else `FormatError`."""
    if len(values) != len(models) or any(type(s) is not int or abs(s) > 1 for s in values):
        raise FormatError(f"model.sides: expected -1, 0 or 1 for each of {len(models)} nodes")
    if any(s and model is not None for s, model in zip(values, models)):
        raise FormatError("model.sides: a node with a model is not settled")
    return tuple(values)
