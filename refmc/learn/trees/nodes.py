"""The nodes of a decision tree, and the labels that they stand for.

[lu, "Definition 8.1: Binary Decision Trees"]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from refmc.core.cells import Table
from refmc.core.sample import Label
from refmc.core.scalars import exact_number, plain, shown
from refmc.core.ties import TiePolicy, argmax_set, argmin_set
from refmc.errors import ParameterError
from refmc.learn.trees.questions import Question

if TYPE_CHECKING:
    from refmc.theory.costs import Costs, RowCosts

Weight = int | Fraction
CostMatrix = tuple[tuple[Fraction, ...], ...]
"""cost[j][y]: a row for what is predicted, a column for what is right."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Node:
    """A node of a decision tree, with the rows of the training sample that reach it.

    `number`: 0 for the root; the split of round t makes 2t − 1 (negative) and 2t (positive).
    `depth`: how many questions lead to it. `counts`: the weight of each class, which is a whole
    number where rows have no weights. `costs`: what each label costs at these rows, if there are
    costs. `impurity`: F(n). An inner node has its `question`, two `children`, first the one for a
    negative answer, the `decrease` F̃(n, q), and `tied`: all questions that were as good, in the
    order of columns and thresholds. `tied` is a tuple, or a sequence that equals it and makes the
    questions when they are looked at. At a leaf these are None and ().
    """

    number: int
    depth: int
    counts: tuple[Weight, ...]
    impurity: Any
    classes: tuple[Label, ...]
    tie: TiePolicy
    question: Question | None = None
    children: tuple[Node, ...] = ()
    decrease: Any = None
    tied: Sequence[Question] = ()
    costs: tuple[Any, ...] | None = None

    @property
    def size(self) -> Weight:
        """|n|, the weight of all rows."""
        return sum(self.counts)

    @property
    def negative(self) -> Node | None:
        """The child for a negative answer; None at a leaf."""
        return self.children[0] if self.children else None

    @property
    def positive(self) -> Node | None:
        """The child for a positive answer; None at a leaf."""
        return self.children[1] if self.children else None

    @property
    def choices(self) -> tuple[int, ...]:
        """The positions of `labels` in the class order."""
        return argmax_set(self.counts) if self.costs is None else argmin_set(self.costs)

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

    def leaf(self) -> Node:
        """The node with everything below it cut off."""
        return replace(self, question=None, children=(), decrease=None, tied=())

    def __repr__(self) -> str:
        asks = "leaf" if self.question is None else f"asks {self.question.text()}"
        return f"<Node {self.number}: {asks}, counts {shown(self.counts)}>"


def linked(nodes: Sequence[Node], links: Mapping[int, tuple[int, int]]) -> Node:
    """The root of the tree, when each inner node is given the children with the numbers in `links`.

    Children have larger numbers than their parents, so they are made first.
    """
    made: dict[int, Node] = {}
    for node in sorted(nodes, key=lambda node: -node.number):
        if node.number in links:
            node = replace(node, children=tuple(made[child] for child in links[node.number]))
        made[node.number] = node
    return node


def read_cost(
    cost: Costs | Table | None, classes: Sequence[Label], y: Sequence[int]
) -> CostMatrix | RowCosts | None:
    """The costs as a matrix: a row for each predicted class, a column for each right one.

    `RowCosts` stay such; they are validated by y, the class positions of the rows. Raises
    `ParameterError` for another shape, for costs of other classes, for a negative cost, and for a
    cost of being right, as a table with rows and columns exchanged may have.
    """
    given: Any = plain(cost)
    k = len(classes)
    if given is None:
        return None
    from refmc.theory.costs import CostTable, RowCosts, costs_of_rows  # few trees have costs

    if isinstance(given, RowCosts):
        lifted = RowCosts(tuple(tuple(Fraction(value) for value in row) for row in given.rows))
        return RowCosts(costs_of_rows(lifted, y, k, Fraction(0)))
    if isinstance(given, CostTable):
        if given.classes is not None and given.classes != tuple(classes):
            raise ParameterError(
                f"cost: its classes are {shown(given.classes)}, those of the tree "
                f"{shown(tuple(classes))}; give both in the same order"
            )
        given = given.rows
    elif callable(given):
        given = [[given(j, y) for y in range(k)] for j in range(k)]
    rows: list[Any] = [plain(row) for row in given] if _is_list(given) else []
    if len(rows) != k or any(not _is_list(row) or len(row) != k for row in rows):
        raise ParameterError(
            f"cost: expected {k} rows of {k} numbers, a row for each predicted class and in it a "
            f"column for each right one, got {shown(given)}"
        )
    table = tuple(
        tuple(exact_number(row[y], f"cost({j}, {y})") for y in range(k))
        for j, row in enumerate(rows)
    )
    CostTable(table)  # which refuses negative costs, and costs of being right
    return table


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def expected_costs(weights: Sequence[Any], cost: CostMatrix) -> tuple[Any, ...]:
    """For each predicted class its cost over rows with these class weights."""
    return tuple(sum((w * c for w, c in zip(weights, row)), Fraction(0)) for row in cost)
