"""What a tree says, whatever the form in which it is written: its splits, thresholds and labels."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from refmc.checker.trees.data import Threshold, says_yes, top_down
from refmc.core.records import Record
from refmc.mistakes.transport import CLOSE
from refmc.oracle.trees.records import PRUNE, read_problem

SAMPLE = ("X", "y", "classes", "columns", "categorical", "weights", "cost", "row_costs")


class Labelled(NamedTuple):
    """A node and its label, the classes of its rows in their order, and how much each class weighs
    in the node and in its sibling. `may_be`: it is no leaf, and has a due label.
    """

    node: int
    label: int
    codes: tuple[int, ...]
    totals: tuple[Fraction, ...]
    of_sibling: tuple[Fraction, ...]
    may_be: bool


class Parts(NamedTuple):
    """`splits`: the rows of each inner node with those that answer yes. `thresholds`: the columns
    with the thresholds; `has_due_thresholds`: whether each is a value of its column or halfway
    between two, up to rounding. `has_due_labels`: whether each label costs its rows the least;
    `labels`: what else can be said of them.
    """

    splits: frozenset[tuple[frozenset[int], frozenset[int]]]
    thresholds: tuple[tuple[int, Fraction], ...]
    has_due_thresholds: bool
    has_due_labels: bool
    labels: tuple[Labelled, ...]


def parts_of(problem: Record, tree: object) -> Parts:
    """The parts of a tree.

    >>> problem = {"family": "tree.grow", "X": [[1], [2]], "y": ["a", "b"]}
    >>> node = {"question": {"column": 0, "threshold": "3/2"}, "negative": 1, "positive": 2}
    >>> parts = parts_of(problem, {"nodes": [node, {"label": "a"}, {}]})
    >>> parts.thresholds, parts.has_due_thresholds, parts.has_due_labels
    (((0, Fraction(3, 2)),), True, False)
    """
    record = {name: problem[name] for name in SAMPLE if name in problem}
    read = read_problem({**record, "family": PRUNE, "tree": tree, "risk": "misclassification"})
    sample, nodes = read.sample, read.prune.tree
    weights = sample.weights or [1] * len(sample.y)
    costs = sample.costs or [[Fraction(c != y) for c in range(sample.k)] for y in sample.y]
    splits, thresholds, due = set(), list[tuple[int, Fraction]](), True
    labelled, sibling = list[Labelled](), dict[int, int]()

    def weigh(n: int) -> tuple[Fraction, ...]:
        of = [[weights[i] for i in rows[n] if sample.y[i] == c] for c in range(sample.k)]
        return tuple(sum(map(Fraction, own), Fraction(0)) for own in of)

    rows = {0: frozenset(range(len(sample.y)))}
    for n in top_down(nodes):
        node, mine = nodes[n], rows[n]
        if node.label is not None:
            totals = [sum(weights[i] * costs[i][c] for i in mine) for c in range(sample.k)]
            is_due = totals[node.label] == min(totals)
            due = due and is_due
            codes = tuple(sample.y[i] for i in sorted(mine) if weights[i])
            own, others = weigh(n), weigh(sibling.get(n, n))
            may_be = is_due and node.question is not None
            labelled.append(Labelled(n, node.label, codes, own, others, may_be))
        if node.question is None:
            continue
        if isinstance(node.question, Threshold):
            thresholds.append((node.question.column, Fraction(node.question.threshold)))
        yes = frozenset(i for i in mine if says_yes(node.question, sample.X[i]))
        splits.add((mine, yes))
        rows[node.positive], rows[node.negative] = yes, mine - yes
        sibling |= {node.positive: node.negative, node.negative: node.positive}
    columns = {j: {Fraction(x[j]) for x in sample.X} for j, _ in thresholds}
    all_due = all(_is_of(columns[j], threshold) for j, threshold in thresholds)
    return Parts(frozenset(splits), tuple(thresholds), all_due, due, tuple(labelled))


def _is_of(values: set[Fraction], threshold: Fraction) -> bool:
    """Whether a threshold is one of the values, or halfway between two of them, up to rounding."""
    near = CLOSE * max(map(abs, values))
    below, above = ([v - threshold for v in values if (v > threshold) == yes] for yes in (0, 1))
    ends = [-v for v in below]
    return any(abs(v) <= near for v in (*below, *above)) or any(
        abs(v - end) <= 2 * near for v in above for end in ends
    )
