"""Variants of growing and pruning trees."""

from __future__ import annotations

import struct
from collections.abc import Callable
from fractions import Fraction

from refmc.core.records import Record, entries, items, number
from refmc.core.scalars import plain
from refmc.errors import FormatError
from refmc.oracle.columns import plain_threshold, read_cells, read_column, read_threshold
from refmc.oracle.reading import read_object, truth
from refmc.oracle.variants.fields import setting
from refmc.oracle.variants.transport import CLOSE
from refmc.oracle.variants.variant import Variant

GROW, PRUNE = "tree.grow", "tree.prune"


def single_precision(problem: Record, answer: Record) -> list[Record]:
    """The problem with every number of its rows rounded to the nearest binary32."""
    if "X" not in problem:  # base classifiers that are given by their answers need no rows
        return []
    cells = read_cells(problem)
    rounded = [[v if isinstance(v, str) else _binary32(Fraction(v)) for v in x] for x in cells.X]
    return [] if rounded == cells.X else [{**problem, "X": rounded}]


def _binary32(value: Fraction) -> Fraction:
    try:
        (rounded,) = struct.unpack("f", struct.pack("f", float(value)))
        return Fraction(rounded)
    except OverflowError:  # some versions of Python pack infinity
        raise FormatError("a number is beyond binary32") from None


def _with_nodes(answer: Record, change: Callable[[Record], Record]) -> Record | None:
    """The answer with every inner node of its tree changed; None if the tree is given as arrays."""
    tree = read_object(answer.get("tree"), "answer.tree")
    if "nodes" not in tree:
        return None
    nodes = [read_object(node, "answer.tree.nodes") for node in items(tree["nodes"], "nodes")]
    changed = [change(node) if "question" in node else node for node in nodes]
    return {**answer, "tree": {**tree, "nodes": changed}}


def _strict(problem: Record, answer: Record) -> Record | None:
    """The answer with each threshold a, meant as x < a, lowered to the largest value below it."""
    cells = read_cells(problem)

    def below(column: int, threshold: object) -> Fraction:
        return plain_threshold(read_threshold(threshold, "threshold", column, True), cells.X)

    def change(node: Record) -> Record:
        question = read_object(node["question"], "question")
        if "threshold" not in question:
            return node
        at = read_column(question["column"], "column", cells.columns, len(cells.X[0]))
        return {**node, "question": {**question, "threshold": below(at, question["threshold"])}}

    tree = read_object(answer.get("tree"), "answer.tree")
    if "feature" not in tree:
        return _with_nodes(answer, change)
    features, thresholds = (items(tree[name], name) for name in ("feature", "threshold"))
    pairs = [(int(number(j, "feature")), a) for j, a in zip(features, thresholds)]
    strict = [below(j, a) if j >= 0 else a for j, a in pairs]
    return {**answer, "tree": {**tree, "threshold": strict}}


def _sides(problem: Record, answer: Record) -> Record | None:
    tree = read_object(answer.get("tree"), "answer.tree")
    if "children_left" in tree:
        left, right = tree["children_left"], tree["children_right"]
        return {**answer, "tree": {**tree, "children_left": right, "children_right": left}}
    return _with_nodes(
        answer, lambda node: {**node, "negative": node["positive"], "positive": node["negative"]}
    )


def _merged(problem: Record, answer: Record) -> Record | None:
    """The answer with steps of one λ joined, which collapses what each of them did.

    Two λ count as one if they differ by no more than floats round.
    """
    if "steps" not in answer:
        return None
    steps = [read_object(step, "answer.steps") for step in items(answer["steps"], "answer.steps")]
    merged: list[Record] = []
    for step in steps:
        before = merged[-1] if merged else {}
        if "lam" not in step or "lam" not in before or not _equal(step["lam"], before["lam"]):
            merged.append(step)
            continue
        both = dict(step)
        if "collapsed" in step and "collapsed" in before:
            both["collapsed"] = [
                *entries(before["collapsed"], "collapsed"),
                *entries(step["collapsed"], "collapsed"),
            ]
        merged[-1] = both
    return None if len(merged) == len(steps) else {**answer, "steps": merged}


def _equal(u: object, v: object) -> bool:
    u, v = plain(u), plain(v)
    if isinstance(u, dict) or isinstance(v, dict):
        return u == v
    p, q = number(u, "lam"), number(v, "lam")
    return abs(p - q) <= CLOSE * max(p, q)


VARIANTS = (
    Variant(
        "tree.single_precision",
        (GROW, "boost.ada", "boost.mh"),
        "features are rounded to single precision",
        "lu: X_j(ω_i) as they are",
        problem=single_precision,
    ),
    Variant(
        "tree.strict_threshold", (GROW,), "the questions are x < a", "lu: X_j ≤ a", answer=_strict
    ),
    Variant(
        "tree.sides_swapped",
        (GROW,),
        "the child for yes is taken for the child for no",
        "lu: n₊ holds what answers yes",
        answer=_sides,
    ),
    Variant(
        "prune.one_of_the_tied",
        (PRUNE,),
        "equally weak nodes are collapsed one by one",
        'lu: "all of them are pruned"',
        answer=_merged,
    ),
    Variant(
        "tree.decrease_per_node",
        (GROW,),
        "decreases are weighed by the rows of their nodes, or not, the other way",
        "lu, line 3 against G_λ",
        problem=lambda problem, answer: [
            {**problem, "weighted": not truth(problem, "weighted", False)}
        ],
    ),
    Variant(
        "tree.no_gain_no_split",
        (GROW,),
        "a node whose best question decreases nothing is left a leaf",
        "lu: a tree is grown until it fully fits the sample",
        problem=lambda problem, answer: (
            [] if "min_decrease" in problem else [{**problem, "min_decrease": 0}]
        ),
    ),
    Variant(
        "tree.other_impurity",
        (GROW,),
        "another impurity is decreased",
        'lu, "Three Most Commonly Used Measures of Node Impurity"',
        problem=setting("impurity", "gini", "entropy", "misclassification"),
    ),
    Variant(
        "prune.risk_scale",
        (PRUNE,),
        "λ belongs to risks per row and is given beside counts, or the other way",
        "lu G_λ: |n|F(n)",
        problem=setting("scale", "sum", "mean"),
    ),
    Variant(
        "prune.other_risk",
        (PRUNE,),
        "another impurity is the risk",
        "lu: R̂(tree)",
        problem=setting("risk", "gini", "entropy", "misclassification"),
    ),
)
