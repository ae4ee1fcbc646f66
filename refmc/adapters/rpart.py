"""Trees of R's rpart that the snippet of spec/python-tools.md has written, as answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from refmc.adapters.claims import Claim
from refmc.adapters.model_text import read_number, record_of
from refmc.adapters.table import label_value
from refmc.core.records import Record, items, position_of
from refmc.core.scalars import shown
from refmc.errors import FormatError, ParameterError
from refmc.oracle.columns import read_cells
from refmc.oracle.reading import read_codes


class RpartNode(NamedTuple):
    """A node, and unless it is a leaf what it asks of a column and where answers lead.

    Whether a number is below the threshold, or else whether a category is one of the values.
    """

    label: str
    column: str | None = None
    threshold: float | None = None
    values: tuple[str, ...] = ()
    yes: int = 0
    no: int = 0


@dataclass(frozen=True)
class RpartTree:
    """A tree of rpart: its nodes by number, of which the children are 2n and 2n + 1."""

    nodes: Mapping[int, RpartNode]

    def answer(self, problem: Record | str) -> dict[str, object]:
        """The tree for `tree.grow`; the problem's `columns` have the names that rpart saw."""
        record = record_of(problem, "tree.grow")
        names = read_cells(record).columns
        # R writes numbers in its own way
        m = len(items(record.get("y"), "problem.y"))
        own = {label_value(str(label)): label for label in read_codes(record, m)[1]}
        nodes = []
        for n, (label, column, threshold, values, yes, no) in self.nodes.items():
            node: dict[str, object] = {"number": n, "label": own.get(label_value(label), label)}
            if column is not None:
                if column not in names:
                    raise FormatError(f"model: node {n}: {column!r} is none of the columns")
                question: dict[str, object] = {"threshold": threshold, "strict": True}
                if threshold is None:
                    question = {"values": list(values)}
                question["column"] = column
                node |= {"question": question, "positive": yes, "negative": no}
            nodes.append(node)
        return {"tree": {"nodes": nodes}}

    def claim(self, problem: Record | str, tolerance: Fraction | None = None) -> Claim:
        """The answer to the problem, for which there is no tolerance."""
        if tolerance is not None:
            raise ParameterError("tolerance: a tree of rpart is grown to its end, and has none")
        return Claim("", record_of(problem, "tree.grow"), self.answer(problem))


def read_rpart(lines: Sequence[str]) -> RpartTree:
    """The tree in the lines that follow the first."""
    nodes: dict[int, RpartNode] = {}
    for i, line in enumerate(lines, 2):
        number, *cells = line.split("\t")
        n = position_of(number)
        if n is None or len(cells) not in (3, 4):
            raise FormatError(f"model: line {i}: expected node, label, column, direction and split")
        if n in nodes:
            raise FormatError(f"model: line {i}: node {n} stands twice")
        label, column, direction, split = (*cells, *[""] * (4 - len(cells)))
        is_question = direction == "-1" or position_of(direction)
        if not is_question if column != "<leaf>" else direction or split:
            raise FormatError(
                f"model: line {i}: expected a direction of -1 or 1, or the number of categories, "
                f"and of a leaf nothing; got {shown(direction)} and {shown(split)}"
            )
        if column == "<leaf>":
            nodes[n] = RpartNode(label)
        elif direction in ("-1", "1"):  # those below go left for −1, right for 1
            ways = (2 * n, 2 * n + 1)[:: -int(direction)]
            nodes[n] = RpartNode(label, column, read_number(split, f"model: node {n}"), (), *ways)
        else:
            nodes[n] = RpartNode(label, column, None, tuple(split.split("|")), 2 * n, 2 * n + 1)
    for n, node in nodes.items():
        if node.column is not None and {node.yes, node.no} - nodes.keys():
            raise FormatError(f"model: node {n} has no children {2 * n} and {2 * n + 1}")
        parent = nodes.get(n // 2) if n else None
        if n != 1 and (parent is None or parent.column is None):
            raise FormatError(f"model: node {n} is below no question")
    if 1 not in nodes:
        raise FormatError("model: there is no node 1, the root")
    return RpartTree({1: nodes[1], **nodes})  # the root first
