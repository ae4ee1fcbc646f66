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

from refmc.core.cells import CATEGORY, Table, cell_kind
from refmc.core.sample import Label, raw_row
from refmc.core.scalars import ArrayLike, as_sequence, shown
from refmc.core.ties import TiePolicy, argmax_set, argmin_set
from refmc.errors import DataError
from refmc.learn.trees.pictures import dot_picture, mermaid_picture, text_picture
from refmc.learn.trees.questions import CategoricalQuestion, Columns, NumericQuestion, Question
from refmc.learn.trees.saved import tree_to_json
from refmc.theory.impurity import Impurity

Weight = int | Fraction
CostMatrix = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Node:
    """A node of a decision tree, with the rows of the training sample that reach it.

    `number`: 0 for the root; the split of round t makes 2t − 1 (negative) and 2t (positive).
    `depth`: questions asked before. `counts`: the weight of each class, whole numbers without row
    weights; `size`: their sum |n|. `impurity`: F(n). At an inner node `question`, the child for
    a `negative` and for a `positive` answer, the `decrease` F̃(n, q), and `tied`, all questions
    that were as good, in the order of columns and thresholds: a tuple, or what equals it and makes
    the questions when they are looked at. At a leaf these are None and ().
    """

    number: int
    depth: int
    counts: tuple[Weight, ...]
    size: Weight
    impurity: Any
    choices: tuple[int, ...]
    classes: tuple[Label, ...]
    tie: TiePolicy
    question: Question | None = None
    negative: Node | None = None
    positive: Node | None = None
    decrease: Any = None
    tied: Sequence[Question] = ()

    @property
    def labels(self) -> tuple[Label, ...]:
        """All labels that are right most often here, or cheapest if there are costs."""
        return tuple(self.classes[c] for c in self.choices)

    @property
    def label(self) -> Label:
        """The one of `labels` that the tie policy chooses."""
        return self.classes[self.tie(self.choices)]

    @property
    def fractions(self) -> tuple[Fraction, ...]:
        """p_l(n): the fraction of each class."""
        return tuple(Fraction(count) / self.size for count in self.counts)

    def child(self, x: Sequence[Any]) -> Node | None:
        """Where the answer for x leads; None at a leaf."""
        if self.question is None:
            return None
        return self.positive if self.question.ask(x) else self.negative

    def leaf(self) -> Node:
        """The node with everything below it cut off."""
        return replace(self, question=None, negative=None, positive=None, decrease=None, tied=())

    def __repr__(self) -> str:
        asks = "leaf" if self.question is None else f"asks {self.question.text()}"
        return f"<Node {self.number}: {asks}, counts {shown(self.counts)}>"


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
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            if node.negative is not None and node.positive is not None:
                waiting += [node.positive, node.negative]

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
        return self._path(self._read(x, "x"))[-1]

    def _path(self, x: Sequence[Any]) -> list[Node]:
        path = [self.root]
        while (below := path[-1].child(x)) is not None:
            path.append(below)
        return path

    def _read(self, x: object, place: str) -> list[Any]:
        row = raw_row(x, place, "values")
        if len(row) != len(self.kinds):
            raise DataError(f"{place}: expected {len(self.kinds)} values, got {len(row)}")
        for j, (value, kind) in enumerate(zip(row, self.kinds)):
            if cell_kind(value, f"{place}, column {j}") != kind:
                expected = "a string" if kind == CATEGORY else "a number"
                raise DataError(f"{place}, column {j}: expected {expected}, got {shown(value)}")
        return row

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
        rows = as_sequence(X, "X: expected a sequence of rows")
        read = (self._read(x, f"X: row {i}") for i, x in enumerate(rows))
        return [self._path(x)[-1].label for x in read]

    def why(self, x: Sequence[Any] | ArrayLike) -> tuple[Answer, ...]:
        """The questions that decide about x, with its answers, from the root on."""
        path = self._path(self._read(x, "x"))
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
        return tree_to_json(self)

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


def linked(nodes: Sequence[Node], links: Mapping[int, tuple[int, int]]) -> Node:
    """The root of the tree that the nodes make, by the numbers of the two children.

    Children have larger numbers than their parents, so the largest numbers come first.
    """
    made: dict[int, Node] = {}
    for node in sorted(nodes, key=lambda node: -node.number):
        if node.number in links:
            negative, positive = links[node.number]
            node = replace(node, negative=made[negative], positive=made[positive])
        made[node.number] = node
    return node


def _rebuilt(
    nodes: Sequence[Node], links: Mapping[int, tuple[int, int]], fields: tuple[Any, ...]
) -> DecisionTree:
    return DecisionTree(linked(nodes, links), *fields)


def expected_costs(weights: Sequence[Any], cost: CostMatrix) -> list[Any]:
    """For each predicted label its cost over rows with these class weights."""
    return [
        sum((w * row[label] for w, row in zip(weights, cost)), Fraction(0))
        for label in range(len(cost))
    ]


def choices_of(weights: Sequence[Any], cost: CostMatrix | None) -> tuple[int, ...]:
    """The positions of the labels that are right most often, or cheapest where there are costs."""
    return argmax_set(weights) if cost is None else argmin_set(expected_costs(weights, cost))
