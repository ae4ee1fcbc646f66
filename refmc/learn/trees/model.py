"""A grown decision tree: its nodes, and how it predicts.

[lu, "Label Prediction by a Binary Decision Tree"]. A tree may be thousands of nodes deep, so
nothing here recurses. Programs that don't draw or save a tree don't import what does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import compress, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from refmc.core.cells import Categories, Table, is_unseen, read_cells, read_row_of_cells
from refmc.core.sample import Label
from refmc.core.scalars import ArrayLike, shown
from refmc.core.ties import TiePolicy, first
from refmc.drawn import Drawn, Exported
from refmc.learn.trees.nodes import CostMatrix, Node, linked
from refmc.learn.trees.questions import CategoricalQuestion, Columns, NumericQuestion
from refmc.theory.impurity import Impurity

if TYPE_CHECKING:
    from refmc.core.records import Record


class Answer(NamedTuple):
    """One step of a row through a tree: the node's question and the answer."""

    node: Node
    answer: bool

    def __str__(self) -> str:
        assert self.node.question is not None
        return f"{self.node.question.text()}: {'yes' if self.answer else 'no'}"


@dataclass(frozen=True, eq=False, repr=False)
class DecisionTree(Drawn, Exported):
    """A grown or pruned decision tree; see `grow_tree`.

    `classes`: the label order of counts and scores. `kinds`: "number" or "category" for each
    column; `categories`: those that the training rows had in it, None for numbers. `impurity`: the
    F it was grown with. `cost`: None, or cost[j][y], a row for what is predicted and a column for
    what is right; costs of rows stand at the nodes alone. `columns`: their names, where the rows
    came as a data frame, for pictures.

    Where a question is about a category that no training row had, nothing speaks for either
    answer: `predict_set` and `scores` follow both, and `tie` chooses among the labels of all
    leaves that are reached so. A category that some rows had, but none at the node, answers no.
    [lu, "Definition 8.1: Binary Decision Trees"]
    """

    root: Node
    classes: tuple[Label, ...]
    kinds: tuple[str, ...]
    categories: Categories
    impurity: Impurity
    cost: CostMatrix | None
    tie: TiePolicy
    columns: tuple[str, ...] = ()

    def nodes(self) -> Iterator[Node]:
        """All nodes: each before those below it, a negative child before the positive one."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)

    def leaves(self) -> tuple[Node, ...]:
        """The leaves from left (negative answers) to right."""
        return tuple(node for node in self.nodes() if node.question is None)

    @property
    def depth(self) -> int:
        """The largest number of questions that a row is asked."""
        return max(node.depth for node in self.nodes())

    def leaf(self, x: Sequence[Any] | ArrayLike) -> Node:
        """The leaf that a row of d values reaches, if unseen categories answer no.

        [lu, "Label Prediction by a Binary Decision Tree"]
        """
        return self._path(read_row_of_cells(x, self.kinds))[-1]

    def _path(self, x: Sequence[Any]) -> list[Node]:
        path = [self.root]
        while path[-1].question is not None:
            negative, positive = path[-1].children
            path.append(positive if path[-1].question.ask(x) else negative)
        return path

    def _leaves_of(self, rows: Sequence[Sequence[Any]]) -> list[tuple[Node, ...]]:
        """For each row the leaves that it reaches, several only if it has an unseen category."""
        found: list[tuple[Node, ...]] = [()] * len(rows)
        # All rows go down together, so that each node is looked at once.
        waiting = [(self.root, list(range(len(rows))))]
        while waiting:
            node, here = waiting.pop()
            question = node.question
            if question is None:
                alone = (node,)
                for i in here:
                    found[i] = (*found[i], node) if found[i] else alone
                continue
            if isinstance(question, NumericQuestion):
                j, a = question.column, question.threshold
                answers = [rows[i][j] <= a for i in here]
            else:
                answers = [question.ask(rows[i]) for i in here]
            parts = [i for i, yes in zip(here, answers) if not yes], list(compress(here, answers))
            if isinstance(question, CategoricalQuestion):
                unseen = {i for i in here if is_unseen(rows[i], question.column, self.categories)}
                if unseen:
                    parts = sorted(unseen.union(parts[0])), sorted(unseen.union(parts[1]))
            waiting += [(child, part) for child, part in zip(node.children, parts) if part]
        return found

    def scores(self, x: Sequence[Any] | ArrayLike) -> tuple[Fraction, ...]:
        """The fraction of each class at the leaf of x, or at all that an unseen category may reach.

        If there are costs: minus the expected cost of each label.
        """
        (leaves,) = self._leaves_of([read_row_of_cells(x, self.kinds)])
        size = Fraction(sum(leaf.size for leaf in leaves))
        fractions = tuple(sum(counts) / size for counts in zip(*(leaf.counts for leaf in leaves)))
        costs = [leaf.costs for leaf in leaves if leaf.costs is not None]
        return tuple(-sum(label) / size for label in zip(*costs)) if costs else fractions

    def predict_set(self, x: Sequence[Any] | ArrayLike) -> tuple[Label, ...]:
        """All labels of the largest score, at each leaf that x may reach.

        >>> from refmc import grow_tree
        >>> tree = grow_tree([["p"], ["q"]], [-1, 1])
        >>> tree.predict_set(["p"]), tree.predict_set(["never seen"])
        ((-1,), (-1, 1))
        """
        (leaves,) = self._leaves_of([read_row_of_cells(x, self.kinds)])
        return tuple(self.classes[c] for c in _choices(leaves))

    def predict(self, X: Table) -> list[Label]:
        """One label for each row; ties by the policy the tree was made with.

        Missing values are a `DataError`. Cost: for each row as many questions as it is asked.
        """
        label = cache(lambda leaves: self.classes[self.tie(_choices(leaves))])
        return [label(leaves) for leaves in self._leaves_of(read_cells(X, self.kinds))]

    def predict_sets(self, X: Table) -> list[tuple[Label, ...]]:
        """For each row what `predict_set` gives; else as `predict`."""
        labels = cache(lambda leaves: tuple(self.classes[c] for c in _choices(leaves)))
        return [labels(leaves) for leaves in self._leaves_of(read_cells(X, self.kinds))]

    def why(self, x: Sequence[Any] | ArrayLike) -> tuple[Answer, ...]:
        """The questions that x is asked, from the root on, with its answers.

        Unseen categories answer no here.
        """
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

        `columns`: names for the columns, those of the training rows if absent.
        """
        from refmc.learn.trees.pictures import text_picture

        return text_picture(self.root, columns or self.columns or None)

    def to_dot(self, columns: Columns = None) -> str:
        """The tree in Graphviz's DOT language."""
        from refmc.learn.trees.pictures import dot_picture

        return dot_picture(self.nodes(), columns or self.columns or None)

    def to_mermaid(self, columns: Columns = None) -> str:
        """The tree as a Mermaid flow chart."""
        from refmc.learn.trees.pictures import mermaid_picture

        return mermaid_picture(self.nodes(), columns or self.columns or None)

    def to_json(self) -> str:
        """The tree as readable JSON, a node a line; `tree_from_record` reads it back, equal.

        Labels must be strings or whole numbers, impurity and questions refmc's own, else
        `ParameterError`. The tie policy is not saved.
        """
        from refmc.core.saving import model_text, saved_choice
        from refmc.learn.trees.saving import IMPURITIES, KIND, VERSION, saved_nodes

        parts = {
            "kinds": self.kinds,
            "categories": self.categories,
            "impurity": saved_choice(self.impurity, IMPURITIES, "impurity"),
            "cost": self.cost,
            **saved_nodes(list(self.nodes()), len(self.kinds), costs=self.cost is None),
        }
        named = {"columns": self.columns} if self.columns else {}
        return model_text(KIND, VERSION, None, self.classes, parts | named)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DecisionTree) and self._plain() == other._plain()

    def __reduce__(self) -> tuple[Any, ...]:
        links = {
            node.number: tuple(child.number for child in node.children)
            for node in self.nodes()
            if node.children
        }
        nodes = [replace(node, children=()) for node in self.nodes()]
        fields = (self.classes, self.kinds, self.categories, self.impurity, self.cost, self.tie)
        return _rebuilt, (nodes, links, (*fields, self.columns))

    def __hash__(self) -> int:
        return hash((self.classes, self.kinds, self.root.counts))

    def _plain(self) -> tuple[Any, ...]:
        nodes = [
            (node.number, node.question, node.counts, node.costs, node.decrease, node.tied)
            for node in self.nodes()
        ]
        return self.classes, self.kinds, self.categories, self.impurity, self.cost, nodes

    def __repr__(self) -> str:
        return (
            f"<DecisionTree of {len(self.leaves())} leaves, depth {self.depth}, "
            f"classes {shown(self.classes)}>"
        )


def _choices(leaves: Sequence[Node]) -> tuple[int, ...]:
    """The class positions that are among the best at some of the leaves."""
    return tuple(sorted({c for leaf in leaves for c in leaf.choices}))


def _rebuilt(
    nodes: Sequence[Node], links: Mapping[int, tuple[int, int]], fields: tuple[Any, ...]
) -> DecisionTree:
    return DecisionTree(linked(nodes, links), *fields)


def tree_from_record(record: Record, tie: TiePolicy = first) -> DecisionTree:
    """The tree that `to_json` wrote, with `tie` as its policy from now on.

    Impurities, decreases and labels are computed from the counts, never read. Raises
    `FormatError` naming the field.

    >>> from refmc import grow_tree
    >>> from refmc.core.records import parse_json
    >>> tree = grow_tree([[1], [2]], ["a", "b"])
    >>> tree_from_record(parse_json(tree.to_json(), "model")) == tree
    True
    """
    from refmc.learn.trees.saving import read_tree

    return DecisionTree(*read_tree(record, tie))
