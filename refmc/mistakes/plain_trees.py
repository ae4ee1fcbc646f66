"""Growing and pruning trees as a beginner writes them, with switches for what people get wrong.

`wrong` holds the names of the mistakes that are made; without any, what is answered is right, with
the first of tied questions. Only columns of numbers are known.

    n       a node: its rows, in the tree that is grown; a position, in the tree that is pruned
    (j, a)  the question x_j ≤ a
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import isinf, log
from typing import Any, NamedTuple

from refmc.checker.trees.data import says_yes
from refmc.core.records import Record
from refmc.mistakes.fields import without
from refmc.mistakes.mistake import Wrong, step_of
from refmc.oracle.families import declared_for
from refmc.oracle.rows import recorded
from refmc.oracle.trees.records import COST, TreeProblem, read_problem
from refmc.theory.impurity import entropy, gini, misclassification

IMPURITIES: dict[str, Callable[[Sequence[Any]], Any]] = {
    "gini": gini,
    "entropy": entropy,
    "misclassification": misclassification,
    "gini_rooted": lambda counts: Fraction(float(gini(counts)) ** 0.5),
    "gini_of_first": lambda counts: gini([counts[0], sum(counts[1:])]),
    "gini_of_majority": lambda counts: gini([max(counts), sum(counts) - max(counts)]),
}

KNOWN = {
    *("classes", "columns", "categorical", "weights", "impurity", "weighted", "thresholds"),
    *("max_splits", "min_leaf", "min_split", "max_depth", "min_decrease", "risk", "scale"),
}
"""The settings that the programs here know; asked for another one, they say nothing."""

Best = tuple[Any, int, Fraction, Fraction]
"""A gain with its question: a column, a value, and the value that follows."""


class Split(NamedTuple):
    """The impurities of a node, the root and two children, yes first, and the shares of these."""

    F: Any
    of_root: Any
    of: list[Any]
    shares: list[Any]


DECREASES: dict[str, Callable[[Split], Any]] = {
    "right": lambda at: at.F - (at.of[0] * at.shares[0] + at.of[1] * at.shares[1]),
    "children_unweighted": lambda at: at.F - (at.of[0] + at.of[1]) * Fraction(1, 2),
    "children_summed": lambda at: at.F - (at.of[0] + at.of[1]),
    "shares_swapped": lambda at: at.F - (at.of[0] * at.shares[1] + at.of[1] * at.shares[0]),
    "purest_child": lambda at: at.F - min(at.of),
    "less_pure_child": lambda at: at.F - max(at.of),
    "yes_child_alone": lambda at: at.F - at.of[0],
    "from_root": lambda at: at.of_root - at.F + step_of(DECREASES, ())(at),
    "gain_ratio": lambda at: Fraction(
        float(step_of(DECREASES, ())(at)) / float(entropy([*at.shares]))
    ),
}
"""By how much a question decreases the impurity."""


def _text(value: Fraction) -> str:
    return f"{float(value):g}" if abs(value) < 2**1000 else str(value)


Candidates = list[tuple[Fraction, Fraction]]

THRESHOLDS: dict[str, Callable[[Candidates, list[Fraction]], Candidates]] = {
    "right": lambda pairs, column: pairs,
    "first_threshold_missed": lambda pairs, column: pairs[1:],
    "last_threshold_missed": lambda pairs, column: pairs[:-1],
    "less_for_at_most": lambda pairs, column: pairs[:-1],
    "every_second_threshold": lambda pairs, column: pairs[::2],
    "tied_values_skipped": lambda pairs, column: [p for p in pairs if column.count(p[0]) == 1],
    "median_alone": lambda pairs, column: pairs[len(pairs) // 2 :][:1],
    "mean_alone": lambda pairs, column: [p for p in pairs if p[0] * len(column) <= sum(column)][
        -1:
    ],
    "text_order": lambda pairs, column: [
        p for p in pairs if _text(p[0]) != max(map(_text, column))
    ],
}
"""Which values of a column a question may have, each with the one that follows."""


@dataclass
class Grown:
    """A node of the tree that is grown; `best` is its best gain with the question, once known.

    `asked`: the columns of the questions above it.
    """

    rows: list[int]
    depth: int
    asked: frozenset[int] = frozenset()
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
        name = self.p.impurity
        self.F = step_of(IMPURITIES, wrong, name) if name == "gini" else IMPURITIES[name]
        self.F_root = self.F(self.counts(self.rows))
        self.splits = 0

    def counts(self, rows: Sequence[int]) -> list[Fraction]:
        """The weight of each class among some rows."""
        found = [Fraction(0)] * self.k
        for i in rows:
            found[self.y[i]] += self.weights[i]
        return found

    def questions(self, node: Grown) -> Iterator[tuple[int, Fraction, Fraction]]:
        """Each column with its values but the largest, and the value that follows."""
        used = node.asked if "column_once" in self.wrong else ()
        for j in (j for j in range(len(self.X[0])) if j not in used):
            column = [Fraction(self.X[i][j]) for i in node.rows]
            pairs = [*pairwise(sorted(set(column)))]
            yield from ((j, a, b) for a, b in step_of(THRESHOLDS, self.wrong)(pairs, column))

    def best(self, node: Grown) -> Best | None:
        """The best gain of an admitted question, with the question; the first of those that tie."""
        p, counts = self.p, self.counts(node.rows)
        depth = self.splits if "depth_shared" in self.wrong else node.depth
        if p.max_depth is not None and depth >= p.max_depth:
            return None
        if len(node.rows) < p.min_split:
            return None
        if not self.F(counts) and "no_gain_test" not in self.wrong:
            return None
        found, left_over = None, [Fraction(0)] * self.k
        for j, a, b in self.questions(node):
            gains_before = found is not None and found[1] != j and found[0] > 0
            if "first_column_that_gains" in self.wrong and gains_before:
                break
            yes = [i for i in node.rows if Fraction(self.X[i][j]) <= a]
            no = [i for i in node.rows if Fraction(self.X[i][j]) > a]
            least = p.min_leaf + ("min_leaf_exclusive" in self.wrong)
            if min(len(yes), len(yes if "min_leaf_of_yes" in self.wrong else no)) < least:
                continue
            parts = [self.counts(yes), self.counts(no)]
            if "values_sorted_alone" in self.wrong:
                parts = [self.counts(node.rows[: len(yes)]), self.counts(node.rows[len(yes) :])]
            if "pure_child_refused" in self.wrong and any(max(c) == sum(c) for c in parts):
                continue
            if "state_left_over" in self.wrong:
                parts[0] = [c + before for c, before in zip(parts[0], left_over)]
                left_over = parts[0]
            shares = [sum(part) / sum(counts) for part in parts]
            split = Split(self.F(counts), self.F_root, [*map(self.F, parts)], shares)
            decrease = step_of(DECREASES, self.wrong)(split)
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
            return gain >= 0 or "negative_refused" not in self.wrong
        if "decrease_of_root" in self.wrong:
            least = least * self.F_root
        if "log_base" in self.wrong and self.p.impurity == "entropy":
            return bool(gain > 0 and float(gain) * log(2) >= float(least))
        if "min_decrease_exclusive" in self.wrong:
            return bool(gain > least)
        return bool(gain > 0 and gain >= least)

    def written(self, a: Fraction, b: Fraction) -> object:
        """The threshold between two values."""
        if {"strict_threshold", "less_for_at_most"} & {*self.wrong}:
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
        gain = known[0][0][0] if "breadth_first" in wrong else choose(best[0] for best, _ in known)
        tied = [(best, n) for best, n in known if best[0] == gain]
        if "depth_first" in wrong:
            deepest = max(nodes[n].depth for _, n in known)
            tied = [(best, n) for best, n in known if nodes[n].depth == deepest]
            tied = tied[:1] if "last_of_tied" in wrong else tied[-1:]
        best, n = tied[-1 if "last_of_tied" in wrong else 0]
        _split(g, nodes, leaves, n, best)
    return {"tree": {"nodes": [_record(g, node) for node in nodes]}}


def _split(g: Growth, nodes: list[Grown], leaves: list[int], n: int, best: Best) -> None:
    node, (_, j, a, b) = nodes[n], best
    node.question = {"column": j, "threshold": recorded(g.written(a, b))}
    for answer in (False, True):
        rows = [i for i in node.rows if (Fraction(g.X[i][j]) <= a) == answer]
        deeper = ("depth_of_yes_alone", "depth_of_no_alone")[answer] not in g.wrong
        nodes.append(Grown(rows, node.depth + deeper, node.asked | {j}))
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


SAVED: dict[str, Callable[[int], int]] = {
    "right": lambda leaves: leaves - 1,
    "leaves_not_less_one": lambda leaves: leaves,
    "all_nodes_saved": lambda leaves: 2 * leaves - 2,
    "all_nodes_counted": lambda leaves: 2 * leaves - 1,
    "rise_undivided": lambda leaves: 1,
}
"""By what the rise of a collapse is divided, from the number of leaves below."""


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
                is_yes = says_yes(question, x) != ("sides_swapped" in wrong)
                n = tree[n].positive if is_yes else tree[n].negative
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

    def rate(self, n: int, wrong: Wrong) -> Any:
        """What a collapse costs for each leaf that it saves."""
        below = [*self.children[n]] if "children_alone" in wrong else self.leaves(n)
        inner = self.subtree(n)[1:] if "inner_risks_added" in wrong else below
        rise = self.risk[n] - sum((self.risk[at] for at in inner), Fraction(0))
        return rise * Fraction(1, step_of(SAVED, wrong)(len(below)))

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
    found = pruning_with_state(problem, wrong)
    if found is None:
        return None
    hidden = {"leaf_nodes", "risk"} - ({"risk"} if "penalty_in_risk" in wrong else set())
    return {"steps": [without(step, *hidden) for step in found["steps"]]}


def pruning_with_state(problem: Record, wrong: Wrong = ()) -> dict[str, list[Record]] | None:
    """The same with the leaves of each tree and its risk."""
    if _asks_for_more(problem):
        return None
    tree, grown = Pruning(problem, wrong), Pruning(problem, wrong)
    steps, lam, weakest = list[Record](), Fraction(0), list[int]()
    while True:
        leaves = sorted(tree.leaves(0))
        risk = sum((tree.risk[n] for n in leaves), Fraction(0))
        if "penalty_in_risk" in wrong:
            risk = risk + lam * Fraction(len(leaves))
        step = {"lam": recorded(lam), "leaves": len(leaves), "collapsed": weakest}
        step |= {"leaf_nodes": leaves, "risk": recorded(risk)}
        steps += [step] * (len(weakest) if weakest and "equal_breakpoints" in wrong else 1)
        if "starts_pruned" in wrong and lam <= 0:
            steps = [{**step, "lam": "0"}]
        candidates = tree.inner()
        if not candidates:
            break
        if "leaves_first" in wrong:
            candidates = [n for n in candidates if not {*tree.children[n]} & {*tree.children}]
        of = grown if "rates_of_grown" in wrong else tree
        rates = [of.rate(n, wrong) for n in candidates]
        least = max(rates) if "strongest_first" in wrong else min(rates)
        weakest = [n for n, rate in zip(candidates, rates) if rate == least]
        if "one_of_the_tied" in wrong:
            weakest = weakest[:1] if "last_of_tied" in wrong else weakest[-1:]
        lam = lam + least if "lam_summed" in wrong else least
        tree.collapse(weakest)
    if "root_left_out" in wrong:
        return {"steps": steps[:-1] or steps}
    told = steps
    if "interval_ends" in wrong:
        told = [without(step, "collapsed") for step in [steps[0], *steps[:-1]]]
    shift = ("lam_of_next" in wrong) - ("lam_of_before" in wrong)
    points = [steps[min(max(i + shift, 0), len(steps) - 1)] for i in range(len(steps))]
    return {"steps": [{**step, "lam": at["lam"]} for step, at in zip(told, points)]}


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
