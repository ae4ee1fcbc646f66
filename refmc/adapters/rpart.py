"""Trees of R's rpart that the snippet of spec/python-tools.md has written, as answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from refmc.adapters.claims import Claim
from refmc.adapters.model_text import read_number, record_of
from refmc.adapters.table import label_value
from refmc.core.records import Record, items, position_of
from refmc.core.scalars import shown
from refmc.errors import FormatError, ParameterError
from refmc.oracle.columns import read_cells
from refmc.oracle.reading import read_codes


@dataclass(frozen=True)
class RpartTree:
    """A tree of rpart: its nodes by number, of which the children are 2n and 2n + 1."""

    nodes: Mapping[int, tuple[str, ...]]

    def answer(self, problem: Record | str) -> dict[str, object]:
        """The tree for `tree.grow`; the problem's `columns` have the names that rpart saw."""
        record = record_of(problem, "tree.grow")
        names = read_cells(record).columns
        # R writes numbers in its own way
        m = len(items(record.get("y"), "problem.y"))
        own = {label_value(str(label)): label for label in read_codes(record, m)[1]}
        nodes = []
        for n, (label, column, direction, split) in self.nodes.items():
            node: dict[str, object] = {"number": n, "label": own.get(label_value(label), label)}
            if column != "<leaf>":
                if column not in names:
                    raise FormatError(f"model: node {n}: {column!r} is none of the columns")
                yes, no = 2 * n, 2 * n + 1
                question: dict[str, object] = {"column": column}
                if direction in ("-1", "1"):  # those below go left for −1, right for 1
                    question |= {
                        "threshold": read_number(split, f"model: node {n}"),
                        "strict": True,
                    }
                    yes, no = (yes, no) if direction == "-1" else (no, yes)
                else:
                    question |= {"values": split.split("|")}
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
    nodes: dict[int, tuple[str, ...]] = {}
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
        nodes[n] = (label, column, direction, split)
    for n, (_, column, *_) in nodes.items():
        if column != "<leaf>" and not {2 * n, 2 * n + 1} <= nodes.keys():
            raise FormatError(f"model: node {n} has no children {2 * n} and {2 * n + 1}")
    return RpartTree(nodes)
