"""What whoever watches the growing of a tree, or chooses among tied pairs, is shown of a round.

[lu, "Greedy Algorithm for Building a Binary Decision Tree"]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from refmc.learn.trees.nodes import Node
from refmc.learn.trees.questions import Question


@dataclass(frozen=True, slots=True)
class TreeRound:
    """Round t of growing: the pair (n_t, q_t), its decrease, and all pairs that were as good.

    `node` is the node as the leaf it was; `gain` is what was compared: F̃, or |n|/m · F̃ if
    weighted, with look-ahead that of all levels together. `leaves`: those that could be split,
    each with a function that lists its questions and their F̃, the best first.
    """

    t: int
    node: Node
    question: Question
    decrease: Any
    gain: Any
    tied: Sequence[tuple[Node, Question]]
    leaves: Sequence[tuple[Node, Callable[[], Sequence[tuple[Question, Any]]]]] = ()


@dataclass(frozen=True, slots=True)
class PairsOf(Sequence[tuple[Node, Question]]):
    """A node with each of its questions."""

    node: Node
    questions: Sequence[Question]

    def __len__(self) -> int:
        return len(self.questions)

    def __iter__(self) -> Iterator[tuple[Node, Question]]:
        return ((self.node, question) for question in self.questions)

    def __getitem__(self, index: Any) -> Any:
        return self.node, self.questions[index]
