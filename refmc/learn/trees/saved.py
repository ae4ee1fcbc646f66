"""Writing a decision tree as JSON: a node a line, so that depth is no limit."""

from __future__ import annotations

from collections.abc import Sequence

from refmc.core.records import write_json
from refmc.core.sample import Label
from refmc.core.saving import saved_head, saved_row, saved_rows
from refmc.errors import ParameterError
from refmc.learn.trees.nodes import CostMatrix, Node
from refmc.learn.trees.questions import Question, question_to_record
from refmc.learn.trees.ties import CutRuns, parts_of
from refmc.theory.impurity import Impurity, entropy, gini, misclassification

KIND = "decision-tree"
VERSION = 1

IMPURITIES: dict[str, Impurity] = {
    "gini": gini,
    "entropy": entropy,
    "misclassification": misclassification,
}


def saved_tree(
    classes: Sequence[Label],
    kinds: Sequence[str],
    impurity: Impurity,
    cost: CostMatrix | None,
    nodes: Sequence[Node],
) -> str:
    """The fields and nodes of a tree as text; see `DecisionTree.to_json`."""
    names = [name for name, known in IMPURITIES.items() if known is impurity]
    if not names:
        raise ParameterError("impurity: one of the caller's can't be saved; only refmc's own can")
    return write_json(
        saved_head(KIND, VERSION, None, classes)
        | {
            "kinds": list(kinds),
            "impurity": names[0],
            "cost": saved_rows(cost),
            **_thresholds(nodes, len(kinds)),
            "nodes": [_node_to_record(node) for node in nodes],
        }
    )


def _thresholds(nodes: Sequence[Node], width: int) -> dict[str, object]:
    """For each column the thresholds that runs of tied cuts refer to; no field without runs."""
    parts = (part for node in nodes for part in parts_of(node.tied))
    named = {part.column: part.thresholds for part in parts if isinstance(part, CutRuns)}
    rows = [saved_row(named.get(j, ())) for j in range(width)]
    return {"thresholds": rows} if named else {}


def _node_to_record(node: Node) -> dict[str, object]:
    record: dict[str, object] = {"number": node.number, "counts": saved_row(node.counts)}
    if node.question is not None and node.negative is not None and node.positive is not None:
        record |= {
            "question": question_to_record(node.question),
            "negative": node.negative.number,
            "positive": node.positive.number,
            "tied": [entry for part in parts_of(node.tied) for entry in _part_to_records(part)],
        }
    return record


def _part_to_records(part: Sequence[Question]) -> list[dict[str, object]]:
    if isinstance(part, CutRuns):
        runs = [[run[0], run[-1], run.step] for run in part.ranges()]
        return [{"column": part.column, "runs": runs}]
    return [question_to_record(question) for question in part]
