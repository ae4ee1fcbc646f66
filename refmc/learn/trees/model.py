"""A grown decision tree: its nodes, and how it predicts.

[lu, "Label Prediction by a Binary Decision Tree"]. A tree may be thousands of nodes deep, so
nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from refmc.core.cells import Table, read_cells, read_row_of_cells
from refmc.core.sample import Label
from refmc.core.scalars import ArrayLike, shown
from refmc.core.ties import TiePolicy
from refmc.learn.trees.nodes import CostMatrix, Node, expected_costs, linked, walk
from refmc.learn.trees.pictures import dot_picture, mermaid_picture, text_picture
from refmc.learn.trees.questions import CategoricalQuestion, Columns, NumericQuestion
from refmc.learn.trees.saved import saved_tree
from refmc.theory.impurity import Impurity


@dataclass(frozen=True, slots=True)
class Answer:
    """One step of a row through a tree: the node's question and the answer."""

    node: Node
    answer: bool

    def __str__(self) -> str:
        assert self.node.question is not None
        return f"{self.node.question.text()}: {'yes' if self.answer else 'no'}"


@dataclass(frozen=True, eq=False, repr=False)
class DecisionTree:
    """A grown or pruned decision tree; see `grow_tree`.

    `classes`: the label order of counts and scores. `kinds`: "number" or "category" for each
    column. `impurity`: the F it was grown with. `cost`: None, or rows of what each predicted
    label costs for a true one. [lu, "Definition 8.1: Binary Decision Trees"]
    """

    root: Node
    classes: tuple[Label, ...]
    kinds: tuple[str, ...]
    impurity: Impurity
    cost: CostMatrix | None
    tie: TiePolicy

    def nodes(self) -> Iterator[Node]:
        """All nodes, each before those below it, negative before positive."""
        return walk(self.root)

    def leaves(self) -> tuple[Node, ...]:
        """The leaves from left (negative answers) to right."""
        return tuple(node for node in self.nodes() if node.question is None)

    @property
    def depth(self) -> int:
        """The largest number of questions that a row is asked."""
        return max(node.depth for node in self.nodes())

    def leaf(self, x: Sequence[Any] | ArrayLike) -> Node:
        """The leaf that a row of d values reaches. [lu, "Label Prediction by a Binary Decision
        Tree"]
        """
        return self._path(read_row_of_cells(x, self.kinds))[-1]

    def _path(self, x: Sequence[Any]) -> list[Node]:
        path = [self.root]
        while (below := path[-1].child(x)) is not None:
            path.append(below)
        return path

    def scores(self, x: Sequence[Any] | ArrayLike) -> tuple[Fraction, ...]:
        """The fraction of each class at the leaf of x.

        If there are costs: minus the expected cost of each label.
        """
        fractions = self.leaf(x).fractions
        if self.cost is None:
            return fractions
        return tuple(-cost for cost in expected_costs(fractions, self.cost))

    def predict_set(self, x: Sequence[Any] | ArrayLike) -> tuple[Label, ...]:
        """All labels of the largest score."""
        return self.leaf(x).labels

    def predict(self, X: Table) -> list[Label]:
        """One label a row; ties by the policy the tree was made with.

        A category that a node's rows didn't have answers no. Missing values are a `DataError`.
        """
        return [self._path(x)[-1].label for x in read_cells(X, self.kinds)]

    def why(self, x: Sequence[Any] | ArrayLike) -> tuple[Answer, ...]:
        """The questions that decide about x, with its answers, from the root on."""
        path = self._path(read_row_of_cells(x, self.kinds))
        return tuple(Answer(node, below is node.positive) for node, below in pairwise(path))

    def importances(self) -> tuple[Any, ...]:
        """For each column the total decrease |n|/m · F̃ of the nodes that ask about it, exactly.

        The total over all columns is what the tree takes off the root's impurity. Questions about
        several columns, linear and sphere ones, count for none.
        """
        totals: list[Any] = [self.root.impurity * 0] * len(self.kinds)
        for node in self.nodes():
            if isinstance(node.question, (NumericQuestion, CategoricalQuestion)):
                share = Fraction(node.size) / self.root.size
                totals[node.question.column] += node.decrease * share
        return tuple(totals)

    def to_text(self, columns: Columns = None) -> str:
        """The tree as indented lines: questions, answers, labels, class weights.

        `columns`: names for the columns.
        """
        return text_picture(self.root, columns)

    def to_dot(self, columns: Columns = None) -> str:
        """The tree in Graphviz's DOT language."""
        return dot_picture(self.nodes(), columns)

    def to_mermaid(self, columns: Columns = None) -> str:
        """The tree as a Mermaid flow chart."""
        return mermaid_picture(self.nodes(), columns)

    def to_json(self) -> str:
        """The tree as readable JSON, a node a line; `tree_from_record` reads it back, equal.

        Labels must be strings or whole numbers, impurity and questions refmc's own, else
        `ParameterError`. The tie policy is not saved.
        """
        fields = (self.classes, self.kinds, self.impurity, self.cost)
        return saved_tree(*fields, list(self.nodes()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DecisionTree) and self._plain() == other._plain()

    def __reduce__(self) -> tuple[Any, ...]:
        links = {
            node.number: (node.negative.number, node.positive.number)
            for node in self.nodes()
            if node.negative is not None and node.positive is not None
        }
        nodes = [replace(node, negative=None, positive=None) for node in self.nodes()]
        fields = (self.classes, self.kinds, self.impurity, self.cost, self.tie)
        return _rebuilt, (nodes, links, fields)

    def __hash__(self) -> int:
        return hash((self.classes, self.kinds, self.root.counts))

    def _plain(self) -> tuple[Any, ...]:
        nodes = [
            (node.number, node.question, node.counts, node.choices, node.decrease, node.tied)
            for node in self.nodes()
        ]
        return self.classes, self.kinds, self.impurity, self.cost, nodes

    def __repr__(self) -> str:
        return (
            f"<DecisionTree of {len(self.leaves())} leaves, depth {self.depth}, "
            f"classes {shown(self.classes)}>"
        )


def _rebuilt(
    nodes: Sequence[Node], links: Mapping[int, tuple[int, int]], fields: tuple[Any, ...]
) -> DecisionTree:
    return DecisionTree(linked(nodes, links), *fields)
