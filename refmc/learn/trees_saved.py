"""Writing a decision tree as JSON: a node a line, so that depth is no limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refmc.core.records import write_json
from refmc.core.sample import Label
from refmc.core.scalars import number_text
from refmc.errors import ParameterError
from refmc.learn.trees_questions import question_to_record, saved_number
from refmc.theory.impurity import Impurity, entropy, gini, misclassification

if TYPE_CHECKING:
    from refmc.learn.trees_model import DecisionTree, Node

KIND = "decision-tree"
VERSION = 1

IMPURITIES: dict[str, Impurity] = {
    "gini": gini,
    "entropy": entropy,
    "misclassification": misclassification,
}


def tree_to_json(tree: DecisionTree) -> str:
    """The tree as text; see `DecisionTree.to_json`."""
    names = [name for name, impurity in IMPURITIES.items() if impurity is tree.impurity]
    if not names:
        raise ParameterError("impurity: one of the caller's can't be saved; only refmc's own can")
    cost = tree.cost
    return write_json(
        {
            "model": KIND,
            "version": VERSION,
            "classes": [_saved_label(label) for label in tree.classes],
            "kinds": list(tree.kinds),
            "impurity": names[0],
            "cost": None if cost is None else [list(map(number_text, row)) for row in cost],
            "nodes": [_node_to_record(node) for node in tree.nodes()],
        }
    )


def _node_to_record(node: Node) -> dict[str, object]:
    record: dict[str, object] = {
        "number": node.number,
        "counts": [saved_number(count) for count in node.counts],
    }
    if node.question is not None and node.negative is not None and node.positive is not None:
        record |= {
            "question": question_to_record(node.question),
            "negative": node.negative.number,
            "positive": node.positive.number,
            "tied": [question_to_record(question) for question in node.tied],
        }
    return record


def _saved_label(label: Label) -> Label:
    if not isinstance(label, str) and not (isinstance(label, int) and abs(label) <= 2**53):
        raise ParameterError(
            f"classes: {label!r} can't be saved; labels must be strings or whole numbers of at "
            "most 2^53"
        )
    return label
