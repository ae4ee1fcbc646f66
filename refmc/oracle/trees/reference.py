"""Reference answers, verdicts and traces of the families `tree.grow` and `tree.prune`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from refmc.checker import Verdict
from refmc.checker.trees import data, prune
from refmc.checker.trees.binary64 import Rows, allowing_for_binary64, as_floats, has_floats
from refmc.checker.trees.data import Node, Sample, says_yes
from refmc.checker.trees.grow import judge as judge_grow
from refmc.core.cells import CATEGORY, NUMBER, categorical_columns
from refmc.core.logs import Log
from refmc.core.records import Record, parse_json
from refmc.core.ties import TiePolicy, first
from refmc.errors import FormatError
from refmc.learn.trees.grow import grow_tree
from refmc.learn.trees.model import DecisionTree, tree_from_record
from refmc.learn.trees.prune import PruningStep, pruning_sequence
from refmc.learn.trees.questions import CategoricalQuestion, NumericQuestion, Question
from refmc.learn.trees.rounds import TreeRound
from refmc.learn.trees.saving import IMPURITIES, KIND, VERSION, question_to_record
from refmc.learn.trees.surfaces import LinearQuestion, SphereQuestion
from refmc.oracle.columns import plain_threshold
from refmc.oracle.rows import OnStep, Row, each_step
from refmc.oracle.trees.records import (
    COST,
    DECLARED,
    GROW,
    GROWTH,
    PRUNE,
    TreeProblem,
    read_grown,
    read_problem,
    read_pruned,
    read_steps,
)
from refmc.oracle.trees.written_trees import DEFS
from refmc.theory.costs import row_costs

__all__ = ["DECLARED", "DEFS", "judge", "read_problem", "solve", "trace"]


def solve(problem: Record, on_step: OnStep | None, tie: TiePolicy = first) -> dict[str, object]:
    """The tree, whose nodes have labels; or the pruning sequence: λ, leaves and collapsed nodes."""
    read = read_problem(problem)
    if problem["family"] == GROW:
        return {"family": GROW, "tree": _tree(grown(read, on_step, tie))}
    steps = []
    for step in sequence_of(read):
        collapsed, lam = [node.number for node in step.collapsed], step.lam * unit_of(read)
        steps.append({"lam": lam, "leaves": step.size, "collapsed": collapsed})
    return {"family": PRUNE, "steps": steps}


def _tree(tree: DecisionTree) -> dict[str, object]:
    """The nodes in the order of their numbers, so that the number of a node is its position."""
    saved: Any = parse_json(tree.to_json(), "tree")
    labelled = [
        {name: value for name, value in record.items() if name != "costs"} | {"label": node.label}
        for record, node in zip(saved["nodes"], tree.nodes())
    ]
    own = {"thresholds": saved["thresholds"]} if "thresholds" in saved else {}
    return own | {"nodes": sorted(labelled, key=lambda record: record["number"])}


def grown(read: TreeProblem, on_step: OnStep | None, tie: TiePolicy = first) -> DecisionTree:
    """The tree of a problem that says how to grow one."""
    grow, sample = read.grow, read.sample
    candidates = [_as_learned(question, sample) for question in grow.candidates]
    settings: dict[str, Any] = {field.name: getattr(grow, field.name) for field in GROWTH}
    settings["impurity"] = IMPURITIES[grow.impurity]
    settings["candidates"] = (lambda rows: candidates) if candidates else None
    return grow_tree(
        sample.X,
        [read.classes[c] for c in sample.y],
        thresholds="midpoints" if grow.midpoints else "values",
        weights=sample.weights,
        cost=None if sample.costs is None else row_costs(sample.costs),
        classes=read.classes,
        categorical=categorical_columns(sample.X),
        tie=tie,
        on_step=on_step,
        **settings,
    )


def sequence_of(read: TreeProblem) -> tuple[PruningStep, ...]:
    """The pruning sequence of a problem."""
    tree, name = given_tree(read), read.prune.risk
    if name == COST or tree.root.costs is None:
        return pruning_sequence(tree)
    return pruning_sequence(tree, risk=IMPURITIES[name])


def given_tree(read: TreeProblem) -> DecisionTree:
    """The problem's tree, with the rows counted at its nodes."""
    nodes, sample = read.prune.tree, read.sample
    counts, costs = _counts(nodes, sample)
    empty = next((n for n, of_node in enumerate(counts) if not any(of_node)), None)
    if empty is not None:
        raise FormatError(
            f"problem.tree: node {empty} has no rows, or none of a weight above 0, so there is no "
            "reference answer; give yours to check"
        )
    record: dict[str, Any] = {
        "model": KIND,
        "version": VERSION,
        "classes": list(read.classes),
        "kinds": [CATEGORY if isinstance(value, str) else NUMBER for value in sample.X[0]],
        "categories": [
            sorted({*map(str, column)}) if isinstance(column[0], str) else None
            for column in zip(*sample.X)
        ],
        "impurity": "misclassification" if read.prune.risk == COST else read.prune.risk,
        "cost": None,
        "nodes": [],
    }
    for i, node in enumerate(nodes):
        told: dict[str, object] = {"number": i, "counts": counts[i]}
        if sample.costs is not None:
            told["costs"] = costs[i]
        if node.question is not None:
            question = question_to_record(_as_learned(node.question, sample))
            told |= {"question": question, "negative": node.negative, "positive": node.positive}
            told["tied"] = [question]  # pruning doesn't ask which other questions were as good
        record["nodes"].append(told)
    return tree_from_record(record)


def _counts(nodes: Sequence[Node], sample: Sample) -> tuple[list[list[Fraction]], ...]:
    """For each node the weight of the rows of each class, and what predicting each class costs."""
    counts, costs = ([[Fraction(0)] * sample.k for _ in nodes] for _ in range(2))
    for i, (x, c) in enumerate(zip(sample.X, sample.y)):
        weight = Fraction(1 if sample.weights is None else sample.weights[i])
        at = 0
        while True:
            counts[at][c] += weight
            for j, cost in enumerate(sample.costs[i] if sample.costs is not None else ()):
                costs[at][j] += weight * cost
            question = nodes[at].question
            if question is None:
                break
            at = nodes[at].positive if says_yes(question, x) else nodes[at].negative
    return counts, costs


def _as_learned(question: data.Question, sample: Sample) -> Question:
    """The question as the learner asks it: x < a, or that of a float, as x ≤ b, b the largest value
    of X that answers yes."""
    if isinstance(question, data.Linear):
        return LinearQuestion(question.coefficients, question.bound)
    if isinstance(question, data.Sphere):
        return SphereQuestion(question.center, question.radius)
    if isinstance(question, data.Membership):
        return CategoricalQuestion(question.column, tuple(sorted(question.values)))
    threshold = Fraction(question.threshold)
    if question.strict or question.is_float:
        threshold = plain_threshold(question, sample.X)
    return NumericQuestion(question.column, threshold)


def unit_of(read: TreeProblem) -> Fraction:
    """What a λ is multiplied by: 1, or where risks are means, 1 over the weight of all rows."""
    if not read.prune.per_row:
        return Fraction(1)
    weights = read.sample.weights
    return 1 / Fraction(len(read.sample.y) if weights is None else sum(map(Fraction, weights)))


def judge(
    problem: Record, answer: Record, allowed: Fraction = Fraction(0), on_step: object = None
) -> Verdict:
    """The checker's verdict; `allowed` is how far the risks of pruned trees, and the λ of their
    sequence, may be off.

    It is relative to the size of their terms. Trees and labels are compared exactly. A float for
    the λ of one tree stands for all numbers that round to it, unless nothing is allowed.

    >>> problem = {"family": "tree.grow", "X": [[0], [1]], "y": ["a", "b"]}
    >>> split = {"question": {"column": 0, "threshold": 0}, "negative": 1, "positive": 2}
    >>> bool(judge(problem, {"tree": {"nodes": [split, {"label": "b"}, {"label": "a"}]}}))
    True
    """
    read = read_problem(problem)
    sample = read.sample
    if problem["family"] == GROW:
        tree = read_grown(answer, read)
        return allowing_for_binary64(
            lambda X: judge_grow(replace(read.grow, sample=replace(sample, X=X)), tree),
            sample.X,
            has_floats(tree),
        )
    given: Callable[[prune.PruningProblem], Verdict]
    if "steps" in answer:
        steps = read_steps(answer, read)
        claims = [step.claim for step in steps]
        given = partial(prune.judge_sequence, steps=steps, allowed=allowed)
    else:
        lam, claim = read_pruned(answer, read)
        claims = [claim]
        given = partial(prune.judge_at, lam=lam, claim=claim, allowed=allowed)

    def judged(X: Rows) -> Verdict:
        tree = read.prune.tree if X is sample.X else as_floats(read.prune.tree)
        return given(replace(read.prune, sample=replace(sample, X=X), tree=tree))

    trees = [read.prune.tree, *(claim.tree for claim in claims if claim.tree is not None)]
    return allowing_for_binary64(judged, sample.X, any(map(has_floats, trees)))


def trace(problem: Record, tie: TiePolicy = first) -> Iterator[Row]:
    """One row for each round of growing or step of pruning, in the lecture's variables."""
    read = read_problem(problem)
    if problem["family"] == GROW:
        known: dict[int, Any] = {}
        for found in each_step(lambda report: grown(read, report, tie)):
            for node, ranked in found.leaves:
                if node.number not in known:
                    known[node.number] = ranked()
            yield _round_row(found, read, known)
    else:
        before = given_tree(read)
        for i, step in enumerate(sequence_of(read)):
            yield _step_row(i, step, before, read)
            before = step.tree


MOST_PAIRS = 6
"""The most pairs of a round that a trace lists with their F̃, and the most questions of a leaf."""


def _round_row(found: TreeRound, read: TreeProblem, known: Mapping[int, Any]) -> Row:
    """`known`: of each leaf the questions with their F̃, the best first."""
    columns = read.sample.columns or None
    pairs = [(n.number, q) for n, q in found.tied]
    ranked = [(n.number, q, F) for n, _ in found.leaves for q, F in known[n.number][:MOST_PAIRS]]
    best = sorted(ranked, key=lambda pair: pair[2], reverse=True)[:MOST_PAIRS]
    row: dict[str, object] = {
        "t": found.t,
        "node": f"n{found.node.number}",
        "question": found.question.text(columns),
        "no": f"n{2 * found.t - 1}",
        "yes": f"n{2 * found.t}",
        "F̃": found.decrease,
    }
    if read.grow.weighted or read.grow.lookahead:
        ahead = "F̃ ahead" if read.grow.lookahead else "F̃"
        row[f"|n|{ahead}/m" if read.grow.weighted else ahead] = found.gain
    return row | {
        "tied": [f"n{n} {q.text(columns)}" for n, q in pairs],
        "taken": pairs.index((found.node.number, found.question)),
        "line": 4,
        "considered": {f"n{n} {q.text(columns)}": F for n, q, F in best},
        "more": sum(len(known[n.number]) for n, _ in found.leaves) - len(best),
    }


def _step_row(i: int, step: PruningStep, before: DecisionTree, read: TreeProblem) -> Row:
    r, unit = _increases(before, read), unit_of(read)
    return {
        "i": i,
        "λ": step.lam * unit,
        "tied": [f"n{n}" for n in sorted(r) if r[n] <= step.lam],
        "collapsed": [f"n{node.number}" for node in step.collapsed],
        "leaves": step.size,
        "line": 5,
        "r": {f"n{n}": r[n] * unit for n in sorted(r, key=lambda n: (r[n], n))},
    }


def _increases(tree: DecisionTree, read: TreeProblem) -> dict[int, Fraction | Log]:
    """r(tree, n) of every inner node n: the risk that collapsing n adds, divided by the leaves that
    it saves.

    [lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"]
    """
    r: dict[int, Fraction | Log] = {}
    below: dict[int, tuple[Fraction | Log, int]] = {}  # R̂ and |L| of the tree below a node
    for node in sorted(tree.nodes(), key=lambda node: -node.depth):
        risk, leaves = node.impurity * node.size, 1
        if read.prune.risk == COST and node.costs is not None:
            risk = min(node.costs)
        if node.negative is not None and node.positive is not None:
            (A, s), (B, u) = below.pop(node.negative.number), below.pop(node.positive.number)
            r[node.number] = (risk - (A + B)) / Fraction(s + u - 1)
            risk, leaves = A + B, s + u
        below[node.number] = risk, leaves
    return r
