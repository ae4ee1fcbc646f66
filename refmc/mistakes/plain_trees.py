"""Growing and pruning trees as a beginner writes them, with switches for what people get wrong.

`wrong` holds the names of the mistakes that are made; without any, what is answered is right, with
the first of tied questions. Only columns of numbers are known.

    n       a node: its rows, in the tree that is grown; a position, in the tree that is pruned
    (j, a)  the question x_j ≤ a
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import isinf, log
from typing import Any

from refmc.checker.trees.data import says_yes
from refmc.core.records import Record
from refmc.oracle.families import declared_for
from refmc.oracle.rows import recorded
from refmc.oracle.trees.records import COST, TreeProblem, read_problem
from refmc.theory.impurity import entropy, gini, misclassification

IMPURITIES: dict[str, Callable[[Sequence[Any]], Any]] = {
    "gini": gini,
    "entropy": entropy,
    "misclassification": misclassification,
}

KNOWN = {
    *("classes", "columns", "categorical", "weights", "impurity", "weighted", "thresholds"),
    *("max_splits", "min_leaf", "min_split", "max_depth", "min_decrease", "risk", "scale"),
}
"""The settings that the programs here know; asked for another one, they say nothing."""

Wrong = Collection[str]

Best = tuple[Any, int, Fraction, Fraction]
"""A gain with its question: a column, a value, and the value that follows."""


@dataclass
class Grown:
    """A node of the tree that is grown; `best` is its best gain with the question, once known."""

    rows: list[int]
    depth: int
    best: Best | None = None
    question: dict[str, object] = field(default_factory=dict)
    children: tuple[int, int] | None = None


class Growth:
    """The problem, and what one round needs of it."""

    def __init__(self, read: TreeProblem, wrong: Wrong) -> None:
        self.read, self.p, self.wrong = read, read.grow, wrong
        sample = read.sample
        m = len(sample.y)
        self.weights = [Fraction(1)] * m if sample.weights is None else list(sample.weights)
        self.X, self.y, self.k = sample.X, sample.y, sample.k
        self.rows = [i for i in range(m) if self.weights[i]]
        self.F = IMPURITIES[self.p.impurity]
        self.splits = 0

    def counts(self, rows: Sequence[int]) -> list[Fraction]:
        """The weight of each class among some rows."""
        found = [Fraction(0)] * self.k
        for i in rows:
            found[self.y[i]] += self.weights[i]
        return found

    def questions(self, rows: Sequence[int]) -> Iterator[tuple[int, Fraction, Fraction]]:
        """Each column with its values but the largest, and the value that follows."""
        for j in range(len(self.X[0])):
            column = [Fraction(self.X[i][j]) for i in rows]
            values = sorted(set(column))
            pairs = list(pairwise(values))
            if "first_threshold_missed" in self.wrong:
                pairs = pairs[1:]
            if "every_second_threshold" in self.wrong:
                pairs = pairs[::2]
            if "last_threshold_missed" in self.wrong:
                pairs = pairs[:-1]
            if "tied_values_skipped" in self.wrong:
                pairs = [(a, b) for a, b in pairs if column.count(a) == 1]
            yield from ((j, a, b) for a, b in pairs)

    def best(self, node: Grown) -> Best | None:
        """The best gain of an admitted question, with the question; the first of those that tie."""
        p, counts = self.p, self.counts(node.rows)
        depth = self.splits if "depth_shared" in self.wrong else node.depth
        if p.max_depth is not None and depth >= p.max_depth:
            return None
        if len(node.rows) < p.min_split:
            return None
        if max(counts) == sum(counts) and "no_gain_test" not in self.wrong:
            return None
        found, left_over = None, [Fraction(0)] * self.k
        for j, a, b in self.questions(node.rows):
            yes = [i for i in node.rows if Fraction(self.X[i][j]) <= a]
            no = [i for i in node.rows if Fraction(self.X[i][j]) > a]
            least = p.min_leaf + ("min_leaf_exclusive" in self.wrong)
            if min(len(yes), len(no)) < least:
                continue
            parts = [self.counts(yes), self.counts(no)]
            if "pure_child_refused" in self.wrong and any(max(c) == sum(c) for c in parts):
                continue
            if "state_left_over" in self.wrong:
                parts[0] = [c + before for c, before in zip(parts[0], left_over)]
                left_over = parts[0]
            share = [self.F(part) * sum(part) for part in parts]
            if "children_unweighted" in self.wrong:
                share = [self.F(part) * (sum(counts) / 2) for part in parts]
            decrease = self.F(counts) - (share[0] + share[1]) * (1 / sum(counts))
            if "gain_ratio" in self.wrong:
                decrease = Fraction(float(decrease) / float(entropy([sum(part) for part in parts])))
            gain = decrease * (sum(counts) / sum(self.weights)) if p.weighted else decrease
            later = found is not None and found[0] == gain and "last_of_tied" in self.wrong
            better = found is None or (
                found[0] > gain if "worst_question" in self.wrong else found[0] < gain
            )
            if self._is_enough(gain) and (better or later):
                found = (gain, j, a, b)
            if "first_that_gains" in self.wrong and found is not None and found[0] > 0:
                break
        return found

    def _is_enough(self, gain: Any) -> bool:
        least = self.p.min_decrease
        if least is None:
            return True
        if "log_base" in self.wrong and self.p.impurity == "entropy":
            return bool(gain > 0 and float(gain) * log(2) >= float(least))
        if "min_decrease_exclusive" in self.wrong:
            return bool(gain > least)
        return bool(gain > 0 and gain >= least)

    def written(self, a: Fraction, b: Fraction) -> object:
        """The threshold between two values."""
        if "strict_threshold" in self.wrong:
            return b
        try:
            low, high = float(a), float(b)
        except OverflowError:  # beyond what such a program reads
            return a
        if "threshold_rounded" in self.wrong:
            return float(f"{low:.3g}")
        if "midpoint_not_between" in self.wrong:
            middle = (low + high) / 2
            return a if isinf(middle) else middle
        return (a + b) / 2 if self.p.midpoints else a


def _asks_for_more(problem: Record) -> bool:
    """Whether a problem has settings that these programs don't know."""
    about = declared_for(problem)
    reading = about.read(problem)
    others = [field for field in about.optional if field.name not in KNOWN]
    return any(reading[field] != field.default for field in others)


def growth(problem: Record, wrong: Wrong = ()) -> dict[str, object] | None:
    """The tree that is grown; None for rows with categories, and for settings that it doesn't know.

    >>> grown = growth({"family": "tree.grow", "X": [[1], [2]], "y": ["a", "b"]})
    >>> grown["tree"]["nodes"][0]["question"]
    {'column': 0, 'threshold': '1'}
    """
    if _asks_for_more(problem):
        return None
    g = Growth(read_problem(problem), wrong)
    if any(isinstance(v, str) for x in g.X for v in x):
        return None
    nodes = [Grown(g.rows, 0)]
    leaves = [0]
    while g.p.max_splits is None or g.splits < g.p.max_splits:
        found = [(nodes[n].best or g.best(nodes[n]), n) for n in leaves]
        known = [(best, n) for best, n in found if best is not None]
        if not known:
            break
        for best, n in known:
            nodes[n].best = None if "depth_shared" in wrong else best
        choose = min if "smallest_first" in wrong else max
        gain = choose((best[0] for best, _ in known))
        tied = [(best, n) for best, n in known if best[0] == gain]
        best, n = tied[-1 if "last_of_tied" in wrong else 0]
        _split(g, nodes, leaves, n, best)
    return {"tree": {"nodes": [_record(g, node) for node in nodes]}}


def _split(g: Growth, nodes: list[Grown], leaves: list[int], n: int, best: Best) -> None:
    node, (_, j, a, b) = nodes[n], best
    node.question = {"column": j, "threshold": recorded(g.written(a, b))}
    for answer in (False, True):
        rows = [i for i in node.rows if (Fraction(g.X[i][j]) <= a) == answer]
        nodes.append(Grown(rows, node.depth + 1))
        leaves.append(len(nodes) - 1)
    node.children = (len(nodes) - 2, len(nodes) - 1)
    leaves.remove(n)
    g.splits += 1


def _record(g: Growth, node: Grown) -> dict[str, object]:
    counts = g.counts(node.rows)
    largest = [c for c, count in enumerate(counts) if count == max(counts)]
    label = g.read.classes[largest[-1 if "last_of_tied" in g.wrong else 0]]
    if node.children is None:
        return {"label": label}
    no, yes = node.children
    return {"question": node.question, "negative": no, "positive": yes, "label": label}


class Pruning:
    """The tree that is pruned: its inner nodes with their children, and the risk of each node."""

    def __init__(self, problem: Record, wrong: Wrong = ()) -> None:
        read = read_problem(problem)
        sample, tree = read.sample, read.prune.tree
        weights = sample.weights or [Fraction(1)] * len(sample.y)
        counts, costs = ([[Fraction(0)] * sample.k for _ in tree] for _ in range(2))
        of_rows = sample.costs or [[Fraction(j != y) for j in range(sample.k)] for y in sample.y]
        for x, y, weight, row in zip(sample.X, sample.y, weights, of_rows):
            n = 0
            while True:
                counts[n][y] += weight
                costs[n] = [total + weight * cost for total, cost in zip(costs[n], row)]
                question = tree[n].question
                if question is None:
                    break
                n = tree[n].positive if says_yes(question, x) else tree[n].negative
        per = 1 / sum(weights, Fraction(0)) if read.prune.per_row else Fraction(1)
        if read.prune.risk == COST:
            self.risk: list[Any] = [min(own) * per for own in costs]
        else:
            F = IMPURITIES[read.prune.risk]
            sizes = [Fraction("impurity_alone" in wrong) or sum(c) * per for c in counts]
            self.risk = [F(c) * size if any(c) else Fraction(0) for c, size in zip(counts, sizes)]
        self.labels = [own.index(min(own)) for own in costs]
        self.children = {
            n: (node.negative, node.positive) for n, node in enumerate(tree) if node.question
        }

    def subtree(self, n: int) -> list[int]:
        """A node and all nodes below it, as the tree is now."""
        found, waiting = list[int](), [n]
        while waiting:
            at = waiting.pop()
            found.append(at)
            waiting += self.children.get(at, ())
        return found

    def leaves(self, n: int) -> list[int]:
        """The leaves of the subtree of a node."""
        return [at for at in self.subtree(n) if at not in self.children]

    def inner(self) -> list[int]:
        """The inner nodes of the tree."""
        return sorted(at for at in self.subtree(0) if at in self.children)

    def increase(self, n: int, wrong: Wrong) -> Any:
        """What a collapse costs for each leaf that it saves."""
        below = self.leaves(n)
        rise = self.risk[n] - sum((self.risk[leaf] for leaf in below), Fraction(0))
        saved = len(below) - ("leaves_not_less_one" not in wrong)
        if "all_nodes_saved" in wrong:
            saved = len(self.subtree(n)) - 1
        return rise if "rise_undivided" in wrong else rise * Fraction(1, saved)

    def collapse(self, nodes: Sequence[int]) -> None:
        """Make leaves of some inner nodes."""
        for n in nodes:
            self.children.pop(n, None)


def pruning(problem: Record, wrong: Wrong = ()) -> dict[str, object] | None:
    """The sequence of pruned trees, each with the λ from which on it is the best; None with costs.

    >>> root = {"question": {"column": 0, "threshold": 1}, "negative": 1, "positive": 2}
    >>> tree = {"nodes": [root, {}, {}]}
    >>> found = pruning({"family": "tree.prune", "X": [[1], [2]], "y": ["a", "b"], "tree": tree,
    ...                  "risk": "misclassification"})
    >>> [(step["lam"], step["leaves"]) for step in found["steps"]]
    [('0', 2), ('1', 1)]
    """
    if _asks_for_more(problem):
        return None
    tree = Pruning(problem, wrong)
    steps: list[dict[str, object]] = [{"lam": "0", "leaves": len(tree.leaves(0))}]
    while tree.children.get(0):
        candidates = tree.inner()
        if "leaves_first" in wrong:
            candidates = [n for n in candidates if not {*tree.children[n]} & {*tree.children}]
        rates = [tree.increase(n, wrong) for n in candidates]
        lam = min(rates)
        weakest = [n for n, rate in zip(candidates, rates) if rate == lam]
        if "one_of_the_tied" in wrong:
            weakest = weakest[-1:]
        tree.collapse(weakest)
        step = {"lam": recorded(lam), "leaves": len(tree.leaves(0)), "collapsed": weakest}
        steps += [step] * (len(weakest) if "equal_breakpoints" in wrong else 1)
    if "interval_ends" in wrong:
        before = [steps[0], *steps[:-1]]
        steps = [{"lam": now["lam"], "leaves": b["leaves"]} for b, now in zip(before, steps)]
    return {"steps": steps}


def merged_labels(problem: Record) -> dict[str, object]:
    """The tree without splits whose two sides are leaves of one label, given as that of λ = 0."""
    tree = Pruning(problem)
    while True:
        same = [
            n
            for n in tree.inner()
            if not {*tree.children[n]} & {*tree.children}
            and len({tree.labels[child] for child in tree.children[n]}) == 1
        ]
        if not same:
            return {"lam": "0", "leaves": len(tree.leaves(0))}
        tree.collapse(same)
