"""What a tree says, whatever the form in which it is written: its splits, thresholds and labels."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from refmc.checker.trees.data import Question, Threshold, says_yes, top_down
from refmc.core.records import Record
from refmc.mistakes.transport import CLOSE
from refmc.oracle.trees.records import PRUNE, read_problem

SAMPLE = ("X", "y", "classes", "columns", "categorical", "weights", "cost", "row_costs")


class Labelled(NamedTuple):
    """A node and its label, the classes of its rows in their order, and how much each class weighs
    in the node and in its sibling. `is_due`: the label costs these rows the least; `may_be`: and
    the node is no leaf.
    """

    node: int
    label: int
    codes: tuple[int, ...]
    totals: tuple[Fraction, ...]
    of_sibling: tuple[Fraction, ...]
    is_due: bool
    may_be: bool


class Parts:
    """The parts of a tree, each read once it is asked for.

    >>> problem = {"family": "tree.grow", "X": [[1], [2]], "y": ["a", "b"]}
    >>> node = {"question": {"column": 0, "threshold": "3/2"}, "negative": 1, "positive": 2}
    >>> parts = Parts(problem, {"nodes": [node, {"label": "a"}, {}]})
    >>> parts.thresholds, parts.has_due_thresholds, parts.has_due_labels
    (((0, Fraction(3, 2)),), True, False)
    """

    def __init__(self, problem: Record, tree: object) -> None:
        record = {name: problem[name] for name in SAMPLE if name in problem}
        read = read_problem({**record, "family": PRUNE, "tree": tree, "risk": "misclassification"})
        self.sample, self.nodes = read.sample, read.prune.tree
        self.rows = {0: frozenset(range(len(self.sample.y)))}
        self.inner = list[tuple[int, Question]]()
        for n in top_down(self.nodes):
            node = self.nodes[n]
            if node.question is not None:
                self.inner.append((n, node.question))
                yes = {i for i in self.rows[n] if says_yes(node.question, self.sample.X[i])}
                self.rows[node.positive] = frozenset(yes)
                self.rows[node.negative] = self.rows[n] - yes

    @cached_property
    def splits(self) -> frozenset[tuple[frozenset[int], frozenset[int]]]:
        """The rows of each inner node with those that answer yes."""
        return frozenset((self.rows[n], self.rows[self.nodes[n].positive]) for n, _ in self.inner)

    @property
    def thresholds(self) -> tuple[tuple[int, Fraction], ...]:
        """The columns that are asked, with the thresholds."""
        asked = (question for _, question in self.inner)
        return tuple((q.column, Fraction(q.threshold)) for q in asked if isinstance(q, Threshold))

    @cached_property
    def has_due_thresholds(self) -> bool:
        """Whether each is a value of its column or halfway between two, up to rounding."""
        columns = {j: {Fraction(x[j]) for x in self.sample.X} for j, _ in self.thresholds}
        return all(_is_of(columns[j], threshold) for j, threshold in self.thresholds)

    @property
    def has_due_labels(self) -> bool:
        """Whether each label costs its rows the least."""
        return all(node.is_due for node in self.labels)

    @cached_property
    def labels(self) -> tuple[Labelled, ...]:
        """The nodes that have a label, parents before children."""
        sample = self.sample
        weights = sample.weights or [1] * len(sample.y)
        costs = sample.costs or [[Fraction(c != y) for c in range(sample.k)] for y in sample.y]
        pairs = [self.nodes[n].children for n, _ in self.inner]
        sibling = {own: other for a, b in pairs for own, other in ((a, b), (b, a))}

        def weigh(n: int) -> tuple[Fraction, ...]:
            of = [[weights[i] for i in self.rows[n] if sample.y[i] == c] for c in range(sample.k)]
            return tuple(sum(map(Fraction, own), Fraction(0)) for own in of)

        def labelled(n: int, label: int) -> Labelled:
            mine = sorted(self.rows[n])
            totals = [sum(weights[i] * costs[i][c] for i in mine) for c in range(sample.k)]
            is_due = totals[label] == min(totals)
            codes = tuple(sample.y[i] for i in mine if weights[i])
            own, others = weigh(n), weigh(sibling.get(n, n))
            may_be = is_due and self.nodes[n].question is not None
            return Labelled(n, label, codes, own, others, is_due, may_be)

        nodes = ((n, self.nodes[n].label) for n in top_down(self.nodes))
        return tuple(labelled(n, label) for n, label in nodes if label is not None)


def with_values(problem: Record, tree: Record) -> Record:
    """The tree with the values themselves for thresholds that are values up to rounding, whichever
    side of these they are."""
    given = tree.get("nodes")
    if not isinstance(given, list):
        return tree
    parts, nodes = Parts(problem, tree), [*given]
    for n, question in parts.inner:
        if isinstance(question, Threshold):
            values = [Fraction(x[question.column]) for x in parts.sample.X]
            at = value_at(values, Fraction(question.threshold))
            if at is not None:
                nodes[n] = {**nodes[n], "question": {**nodes[n]["question"], "threshold": at}}
    return {**tree, "nodes": nodes}


def value_at(values: Sequence[Fraction], threshold: Fraction) -> Fraction | None:
    """The value that a threshold is up to rounding; None where it is none of them."""
    at = min(values, key=lambda v: abs(v - threshold))
    return at if abs(at - threshold) <= CLOSE * max(map(abs, values)) else None


def _is_of(values: set[Fraction], threshold: Fraction) -> bool:
    """Whether a threshold is one of the values, or halfway between two of them, up to rounding."""
    near = CLOSE * max(map(abs, values))
    below, above = ([v - threshold for v in values if (v > threshold) == yes] for yes in (0, 1))
    ends = [-v for v in below]
    return any(abs(v) <= near for v in (*below, *above)) or any(
        abs(v - end) <= 2 * near for v in above for end in ends
    )
