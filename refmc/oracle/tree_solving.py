"""Reference answers and traces of the families `tree.grow` and `tree.prune`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from refmc.checker.tree_data import Membership, Node, Sample, Threshold, Value
from refmc.core.logs import Log
from refmc.core.records import Record, parse_json
from refmc.core.scalars import number_text
from refmc.learn.pruning import PruningStep, pruning_sequence
from refmc.learn.trees import TreeRound, grow_tree
from refmc.learn.trees_data import CATEGORY, NUMBER
from refmc.learn.trees_loaded import tree_from_record
from refmc.learn.trees_model import DecisionTree
from refmc.learn.trees_saved import IMPURITIES, KIND, VERSION
from refmc.oracle.trees import GROW, PRUNE, TreeProblem, judge, read_problem

__all__ = ["judge", "solve", "trace"]

OnStep = Callable[[Any], None]
Row = dict[str, str]


def solve(problem: Record, on_step: OnStep | None) -> dict[str, object]:
    """The tree with a label a node; or the pruning sequence as λ, leaves and collapsed nodes."""
    read = read_problem(problem)
    if read.prune is None:
        tree = _grown(read, on_step)
        return {"family": GROW, "tree": {"nodes": _nodes(tree)}}
    steps = [
        {
            "lam": _amount_record(step.lam, _unit(read)),
            "leaves": step.size,
            "collapsed": [node.number for node in step.collapsed],
        }
        for step in _sequence(read)
    ]
    return {"family": PRUNE, "steps": steps}


def trace(problem: Record) -> Iterator[Row]:
    """A row a round of growing, or a step of pruning, in the lecture's variables."""
    read = read_problem(problem)
    if read.prune is None:
        rounds: list[TreeRound] = []
        _grown(read, rounds.append)
        yield from (_round_row(found, read.sample.columns or None) for found in rounds)
    else:
        yield from (
            {
                "i": str(i),
                "λ": _amount_text(step.lam, _unit(read)),
                "leaves": str(step.size),
                "collapsed": ", ".join(f"n{node.number}" for node in step.collapsed) or "-",
            }
            for i, step in enumerate(_sequence(read))
        )


def _grown(read: TreeProblem, on_step: OnStep | None) -> DecisionTree:
    grow, sample = read.grow, read.sample
    assert grow is not None
    return grow_tree(
        sample.X,
        [read.classes[c] for c in sample.y],
        impurity=IMPURITIES[grow.impurity],
        max_splits=grow.max_splits,
        min_leaf=grow.min_leaf,
        max_depth=grow.max_depth,
        min_decrease=None if grow.min_decrease is None else Fraction(grow.min_decrease),
        thresholds="midpoints" if grow.midpoints else "values",
        weighted=grow.weighted,
        weights=sample.weights,
        classes=read.classes,
        on_step=on_step,
    )


def _nodes(tree: DecisionTree) -> list[dict[str, object]]:
    saved = parse_json(tree.to_json(), "tree")["nodes"]
    assert isinstance(saved, list)
    return [{**record, "label": node.label} for record, node in zip(saved, tree.nodes())]


def _sequence(read: TreeProblem) -> tuple[PruningStep, ...]:
    """The steps of the problem's tree, with the rows counted at its nodes."""
    assert read.prune is not None
    nodes, sample = read.prune.tree, read.sample
    counts = _counts(nodes, sample)
    record = {
        "model": KIND,
        "version": VERSION,
        "classes": list(read.classes),
        "kinds": [CATEGORY if isinstance(value, str) else NUMBER for value in sample.X[0]],
        "impurity": read.prune.risk,
        "cost": None,
        "nodes": [_node_record(i, node, counts[i]) for i, node in enumerate(nodes)],
    }
    return pruning_sequence(tree_from_record(record))


def _counts(nodes: Sequence[Node], sample: Sample) -> list[list[Fraction]]:
    """The weight of each class at each node."""
    counts = [[Fraction(0)] * sample.k for _ in nodes]
    for i, (x, c) in enumerate(zip(sample.X, sample.y)):
        weight = Fraction(1 if sample.weights is None else sample.weights[i])
        at = 0
        while True:
            counts[at][c] += weight
            question = nodes[at].question
            if question is None:
                break
            at = nodes[at].positive if _says_yes(question, x) else nodes[at].negative
    return counts


def _says_yes(question: Threshold | Membership, x: Sequence[Value]) -> bool:
    value = x[question.column]
    if isinstance(question, Membership):
        return value in question.values
    assert not isinstance(value, str)
    return value <= question.threshold


def _node_record(number: int, node: Node, counts: Sequence[Fraction]) -> dict[str, object]:
    record: dict[str, object] = {"number": number, "counts": list(counts)}
    if node.question is not None:
        question: dict[str, object] = {"column": node.question.column}
        if isinstance(node.question, Membership):
            question["values"] = sorted(node.question.values)
        else:
            question["threshold"] = Fraction(node.question.threshold)
        record |= {"question": question, "negative": node.negative, "positive": node.positive}
        record["tied"] = [question]  # which others were as good doesn't matter for pruning
    return record


def _unit(read: TreeProblem) -> Fraction:
    """What λ is multiplied by: 1, or one over the weight of all rows on the libraries' scale."""
    assert read.prune is not None
    if not read.prune.per_row:
        return Fraction(1)
    weights = read.sample.weights
    return 1 / Fraction(len(read.sample.y) if weights is None else sum(map(Fraction, weights)))


def _amount_record(lam: Fraction | Log, unit: Fraction) -> object:
    value = _rational(lam)
    if value is not None or not isinstance(lam, Log):
        return number_text((value or Fraction(0)) * unit)
    return {"log2": {number_text(n): number_text(c * unit) for n, c in lam.terms}}


def _amount_text(amount: Fraction | Log, unit: Fraction = Fraction(1)) -> str:
    """Exactly where that is short, else the nearest of six digits."""
    value = _rational(amount)
    if value is not None and len(number_text(value * unit)) <= 20:
        return number_text(value * unit)
    return f"~{float(amount * unit):.6g}"


def _rational(amount: Fraction | Log) -> Fraction | None:
    return amount.rational() if isinstance(amount, Log) else Fraction(amount)


def _round_row(found: TreeRound, columns: Sequence[str] | None) -> Row:
    others = [
        f"n{node.number} {question.text(columns)}"
        for node, question in found.tied
        if (node.number, question) != (found.node.number, found.question)
    ]
    shown = others[:3] + (["…"] if len(others) > 3 else [])
    return {
        "t": str(found.t),
        "node": f"n{found.node.number}",
        "question": found.question.text(columns),
        "F̃": _amount_text(found.decrease),
        "tied": str(len(found.tied)),
        "other pairs": "; ".join(shown) or "-",
    }
