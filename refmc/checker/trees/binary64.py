"""Verdicts on thresholds that came as floats, where rows are alike to programs in binary64.

Covers [lu, "Node Questions for Binary Decision Trees"].

Differs from the lecture: a program in binary64 rounds each value to the nearest one before it asks,
so that what is exactly above a threshold may be at it, and different values may be one.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from refmc.checker.trees.data import Node, Threshold, Tree, Value, in_binary64
from refmc.checker.verdict import Verdict

Rows = Sequence[Sequence[Value]]


def allowing_for_binary64(judged: Callable[[Rows], Verdict], X: Rows, has_floats: bool) -> Verdict:
    """The verdict on an answer; `judged` gives it for any rows, and X are those of the problem.

    `has_floats`: whether a threshold came as a float. Then rows that are alike in binary64 are
    noted, and an answer that only they make wrong is left open.
    """
    verdict = judged(X)
    if not has_floats:
        return verdict
    note = _alike(X)
    if note and verdict.status == "REFUTED" and judged(_rounded(X)):
        verdict = replace(verdict, status="INCONCLUSIVE")
    return replace(verdict, hint="; ".join(filter(None, [verdict.hint, note])))


def _rounded(X: Rows) -> Rows:
    return [[v if isinstance(v, str) else in_binary64(v) for v in x] for x in X]


def _alike(X: Rows) -> str:
    """Two rows whose values of a column differ, but not in binary64; "" without any."""
    for j in range(len(X[0])):
        column = [x[j] for x in X]
        values = sorted({v for v in column if not isinstance(v, str)})
        for pair in pairwise(values):  # rounding keeps the order
            if len({*map(in_binary64, pair)}) == 1:
                i, other = sorted(map(column.index, pair))
                return f"rows {i} and {other} have one value of column {j} in binary64"
    return ""


def has_floats(tree: Tree) -> bool:
    """Whether a threshold of the tree came as a float.

    >>> has_floats([Node()])
    False
    """
    return any(isinstance(n.question, Threshold) and n.question.is_float for n in tree)


def as_floats(tree: Tree) -> list[Node]:
    """The tree with all thresholds as floats.

    >>> as_floats([Node(Threshold(0, 7), 1, 2)])[0].question.is_float
    True
    """
    return [
        replace(node, question=replace(q, threshold=in_binary64(q.threshold), is_float=True))
        if isinstance(q := node.question, Threshold)
        else node
        for node in tree
    ]
