"""Growing and pruning trees as a beginner writes them, with switches for what people get wrong.

`wrong` holds the names of the mistakes that are made; without any, what is answered is right, with
the first of tied questions. Only columns of numbers are known.

    n       a node: its rows, in the tree that is grown; a position, in the tree that is pruned
    (j, a)  the question x_j ≤ a
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import isinf, log, log2
from sys import float_info
from typing import Any, NamedTuple

from refmc.checker.trees.data import Threshold, prepare, says_yes
from refmc.core.records import Record
from refmc.learn.trees.saving import IMPURITIES
from refmc.mistakes.fields import without
from refmc.mistakes.mistake import Wrong, step_of
from refmc.mistakes.transport import kept
from refmc.oracle.families import declared_for
from refmc.oracle.rows import recorded
from refmc.oracle.trees.records import COST, read_problem
from refmc.theory.impurity import entropy, gini

MISREAD: dict[str, dict[str, Callable[[Sequence[Any]], Any]]] = {
    "gini": {
        "gini_rooted": lambda counts: Fraction(float(gini(counts)) ** 0.5),
        "gini_of_first": lambda counts: gini([counts[0], sum(counts[1:])]),
        "half_gini_of_first": lambda counts: gini([counts[0], sum(counts[1:])]) / 2,
        "gini_of_majority": lambda counts: gini([max(counts), sum(counts) - max(counts)]),
        "gini_of_largest": lambda counts: 1 - (Fraction(max(counts)) / sum(counts)) ** 2,
        "gini_smoothed": lambda counts: gini([count + 1 for count in counts]),
    },
    "entropy": {
        "log_base": lambda counts: _near(float(entropy(counts)) * log(2)),
        "entropy_of_present": lambda counts: _near(
            float(entropy(counts)) / max(1, log2(sum(map(bool, counts))))
        ),
    },
    "misclassification": {"errors_of_rarest": lambda counts: Fraction(min(counts)) / sum(counts)},
}
"""What is taken for an impurity."""

OVER_ROWS: dict[str, Callable[[Any, Fraction], Any]] = {
    "gini": lambda F, mean: 1 - (1 - F) * mean * mean,
    "entropy": lambda F, mean: _near(float(mean) * (float(F) - log2(mean))),
    "misclassification": lambda F, mean: 1 - (1 - F) * mean,
}
"""An impurity if classes are divided by rows that weigh this on average, not by their weight."""


def _near(value: float) -> Fraction:
    """A number of which floats that differ by rounding alone make the same."""
    return Fraction(round(value, 12))


def impurity_of(name: str, wrong: Wrong) -> Callable[[Sequence[Any]], Any]:
    """An impurity, or what is taken for it."""
    return step_of({**MISREAD.get(name, {}), "right": IMPURITIES[name]}, wrong)


KNOWN = {
    *("classes", "columns", "categorical", "weights", "impurity", "weighted", "thresholds"),
    *("max_splits", "min_leaf", "min_split", "max_depth", "min_decrease", "min_impurity"),
    *("min_leaf_weight", "risk", "scale"),
}
"""The settings that the programs here know; asked for another one, they say nothing."""

Best = tuple[Any, int, int, int]
"""A gain with its question: a column, the rank of a value, and that of the value that follows."""


class Split(NamedTuple):
    """The impurities of a node, the root and two children, yes first; what the classes in these
    weigh, how many rows they have, and what the rows of the node and all rows weigh.
    """

    F: Any
    of_root: Any
    of: list[Any]
    parts: list[list[Fraction]]
    rows: list[int]
    size: Any
    total: Any

    def fall(self, *shares: Fraction | int) -> Any:
        """By how much the children, of these shares, are purer."""
        return self.F - (self.of[0] * shares[0] + self.of[1] * shares[1])

    def over(self, size: Fraction | int) -> list[Fraction]:
        """The weights of the children, divided by something."""
        return [sum(part, Fraction(0)) / size for part in self.parts]

    @property
    def shares(self) -> list[Fraction]:
        """Those of the children in the weight of the node."""
        return self.over(self.size)


DECREASES: dict[str, Callable[[Split], Any]] = {
    "right": lambda at: at.fall(*at.shares),
    "children_unweighted": lambda at: at.fall(Fraction(1, 2), Fraction(1, 2)),
    "children_summed": lambda at: at.fall(1, 1),
    "shares_swapped": lambda at: at.fall(*at.shares[::-1]),
    "shares_of_rows": lambda at: at.fall(*(Fraction(n, sum(at.rows)) for n in at.rows)),
    "shares_by_rows": lambda at: at.fall(*at.over(sum(at.rows))),
    "shares_of_all": lambda at: at.fall(*at.over(at.total)),
    "purest_child": lambda at: at.F - min(at.of),
    "less_pure_child": lambda at: at.F - max(at.of),
    "yes_child_alone": lambda at: at.fall(1, 0),
    "from_root": lambda at: at.of_root - at.F + at.fall(*at.shares),
    "parent_left_out": lambda at: at.fall(*at.shares) - at.F,
    "decrease_negated": lambda at: at.fall(*at.shares) * -1,
    "decrease_lost": lambda at: Fraction(0),
    "gain_ratio": lambda at: Fraction(float(at.fall(*at.shares)) / float(entropy([*at.shares]))),
    "twoing": lambda at: (
        at.shares[0]
        * at.shares[1]
        * sum(
            abs(Fraction(p, sum(at.parts[0])) - Fraction(q, sum(at.parts[1])))
            for p, q in zip(*at.parts)
        )
        ** 2
        / 4
    ),
}
"""By how much a question decreases the impurity."""


def _text(value: Fraction) -> str:
    return str(float(value)) if abs(value) <= float_info.max else str(value)


Candidates = list[tuple[int, int]]

THRESHOLDS: dict[
    str, Callable[[Candidates, list[int], list[int], Sequence[Fraction]], Candidates]
] = {
    "right": lambda pairs, column, y, values: pairs,
    "first_threshold_missed": lambda pairs, column, y, values: pairs[1:],
    "last_threshold_missed": lambda pairs, column, y, values: pairs[:-1],
    "less_for_at_most": lambda pairs, column, y, values: pairs[:-1],
    "every_second_threshold": lambda pairs, column, y, values: pairs[::2],
    "tied_values_skipped": lambda pairs, column, y, values: [
        pair for pair in pairs if column.count(pair[0]) == 1
    ],
    "median_alone": lambda pairs, column, y, values: pairs[len(pairs) // 2 :][:1],
    "mean_alone": lambda pairs, column, y, values: [
        (a, b) for a, b in pairs if values[a] * len(column) <= sum(values[r] for r in column)
    ][-1:],
    "text_order": lambda pairs, column, y, values: [
        *pairwise(sorted({*column}, key=lambda rank: _text(values[rank])))
    ],
    "values_unsorted": lambda pairs, column, y, values: [*pairwise(dict.fromkeys(column))],
    "between_labels_alone": lambda pairs, column, y, values: [
        (a, b) for a, b in pairs if y[::-1][column[::-1].index(a)] != y[column.index(b)]
    ],
}
"""Which values of a column a question may have, each with the one that follows. Values are given by
their ranks.
"""


SMALLEST: dict[str, Callable[[Sequence[Any]], Any]] = {
    "right": min,
    "min_leaf_of_yes": lambda sizes: sizes[0],
    "min_leaf_of_either": max,
    "min_leaf_exclusive": lambda sizes: min(sizes) - 1,
}
"""What of the sizes of two children, yes first, must be that of a leaf."""


@dataclass
class Grown:
    """A node of the tree that is grown; `best` is its best gain with the question, once known.

    `told`: its rows by the questions as they are written, whatever they weigh. `asked`: the columns
    of the questions above it.
    """

    rows: list[int]
    depth: int
    told: frozenset[int]
    asked: frozenset[int] = frozenset()
    best: Best | None = None
    is_tried: bool = False
    question: dict[str, object] = field(default_factory=dict)
    children: tuple[int, int] | None = None


class Given:
    """A problem as all runs look at it.

    `columns`: the values of each column in order, and the rank of each row's value; `F`: an
    impurity of class weights, found once. `is_known`: whether programs here can grow a tree on it.
    """

    def __init__(self, problem: Record) -> None:
        self.read = read_problem(problem)
        sample = self.read.sample
        self.columns = prepare(replace(sample, weights=None)).columns
        self.is_known = not _asks_for_more(problem) and all(c.is_numeric for c in self.columns)
        self.values = [[Fraction(v) for v in c.distinct] for c in self.columns if c.is_numeric]
        self.ranks = [column.ranks for column in self.columns]
        exact = [Fraction(w) for w in sample.weights or [1] * len(sample.y)]
        self.weights = [w.numerator if w.denominator == 1 else w for w in exact]
        self.rows = [i for i, weight in enumerate(exact) if weight]
        self.total = sum(exact, Fraction(0))
        self.F = cache(lambda F, *counts: F(counts))


given_once = kept(Given)
"""The problem at which all mistakes look."""


class Growth:
    """The problem, and what one round needs of it."""

    def __init__(self, given: Given, wrong: Wrong) -> None:
        self.given, self.p, self.wrong = given, given.read.grow, wrong
        self.y, self.k = given.read.sample.y, given.read.sample.k
        self.impurity = impurity_of(self.p.impurity, wrong)
        self.values, self.ranks = given.values, given.ranks
        as_texts = "rows_as_texts" in wrong
        self.order: list[Sequence[Any]] = [
            [_text(v) for v in values] if as_texts else range(len(values)) for values in self.values
        ]
        self.places = [[order[r] for r in own] for order, own in zip(self.order, self.ranks)]
        self.rows, self.weights = given.rows, given.weights
        self.F_root = self.F(self.counts(self.rows), len(self.rows))
        self.splits, self.total = 0, given.total

    def counts(self, rows: Sequence[int]) -> list[Fraction | int]:
        """The weight of each class among some rows."""
        found: list[Fraction | int] = [0] * self.k
        for i in rows:
            found[self.y[i]] += self.weights[i]
        return found

    def F(self, counts: Sequence[Fraction | int], rows: int) -> Any:
        """The impurity of so many rows whose classes weigh this, or what is taken for it."""
        found = self.given.F(self.impurity, *counts)
        if "classes_over_rows" in self.wrong:
            mean = Fraction(sum(counts)) / rows
            found = OVER_ROWS[self.p.impurity](found, mean)
            is_sum = self.p.impurity == "gini" and "gini_of_products" in self.wrong
            return found + mean - 1 if is_sum else found
        return found

    def moved(self, rows: Sequence[int], j: int) -> list[Fraction | int]:
        """What the columns before have moved, all rows or all but one, if nobody takes it back."""
        moved = len(rows) - ("all_moved" not in self.wrong)
        return self.counts(
            [i for c in range(j) for i in sorted(rows, key=self.ranks[c].__getitem__)[:moved]]
        )

    def divided(self, rows: Sequence[int], j: int, a: int) -> tuple[list[int], list[int]]:
        """The rows whose values are a or come before it, and the others."""
        places, last = self.places[j], self.order[j][a]
        return [i for i in rows if places[i] <= last], [i for i in rows if places[i] > last]

    def size(self, rows: Sequence[int], setting: str) -> Fraction | int:
        """What a setting takes for the size of a node."""
        by_weight = f"{setting}_by_weight" in self.wrong
        return sum((self.weights[i] for i in rows), Fraction(0)) if by_weight else len(rows)

    def questions(self, node: Grown) -> Iterator[tuple[int, int, int]]:
        """Each column with its values but the largest, and the value that follows."""
        used = node.asked if "column_once" in self.wrong else ()
        y, admitted = [self.y[i] for i in node.rows], step_of(THRESHOLDS, self.wrong)
        for j in (j for j in range(len(self.values)) if j not in used):
            column = [self.ranks[j][i] for i in node.rows]
            pairs = [*pairwise(sorted(set(column)))]
            yield from ((j, a, b) for a, b in admitted(pairs, column, y, self.values[j]))

    def cuts(self, node: Grown) -> Iterator[tuple[int, int, int, list[Any], list[int]]]:
        """The questions that leaves allow, each with the class weights of the children, yes first,
        as they are counted, and how many rows they have.
        """
        p, smallest, left_over = self.p, step_of(SMALLEST, self.wrong), [Fraction(0)] * self.k
        for j, a, b in self.questions(node):
            yes, no = self.divided(node.rows, j, a)
            if smallest([self.size(part, "min_leaf") for part in (yes, no)]) < p.min_leaf:
                continue
            parts: list[Any] = [self.counts(yes), self.counts(no)]
            if min(map(sum, parts)) < p.min_leaf_weight:
                continue
            if "values_sorted_alone" in self.wrong:
                parts = [self.counts(node.rows[: len(yes)]), self.counts(node.rows[len(yes) :])]
            if "pure_child_refused" in self.wrong and any(max(c) == sum(c) for c in parts):
                continue
            if "state_left_over" in self.wrong:
                parts[0] = left_over = [c + before for c, before in zip(parts[0], left_over)]
            if "left_counts_kept" in self.wrong:
                parts[0] = [c + before for c, before in zip(parts[0], self.moved(node.rows, j))]
            yield j, a, b, parts, [len(yes), len(no)]

    def is_open(self, node: Grown, F: Any, share: Fraction, is_pure: bool) -> bool:
        """Whether a node of this impurity and this share in all rows may be split."""
        p, depth = self.p, self.splits if "depth_shared" in self.wrong else node.depth
        if p.max_depth is not None and depth >= p.max_depth:
            return False
        if self.size(node.rows, "min_split") < p.min_split:
            return False
        least = p.min_impurity * (self.F_root if "min_impurity_of_root" in self.wrong else 1)
        counted = F * (share if "min_impurity_of_all" in self.wrong else 1)
        is_pure = F == 0 if "pure_if_impurity_0" in self.wrong else is_pure
        if counted < least or (is_pure and "no_gain_test" not in self.wrong):
            return False
        return "min_impurity_exclusive" not in self.wrong or counted != least

    def best(self, node: Grown) -> Best | None:
        """The best gain of an admitted question, with the question; the first of those that tie."""
        counts = self.counts(node.rows)
        F, size = self.F(counts, len(node.rows)), sum(counts, Fraction(0))
        share = size / self.total
        if not self.is_open(node, F, share, max(counts) == size):
            return None
        found, decrease = None, step_of(DECREASES, self.wrong)
        for j, a, b, parts, rows in self.cuts(node):
            is_next = found is not None and found[1] != j
            gains_before = found is not None and is_next and found[0] > 0
            if "first_column_that_gains" in self.wrong and gains_before:
                break
            impurities = [*map(self.F, parts, rows)]
            gain = decrease(Split(F, self.F_root, impurities, parts, rows, size, self.total))
            gain = gain * share if self.p.weighted else gain
            is_shared = "min_decrease_per_row" in self.wrong and not self.p.weighted
            counted = gain * share if is_shared else gain
            later = found is not None and found[0] == gain and "last_of_tied" in self.wrong
            better = found is None or (
                found[0] > gain if "worst_question" in self.wrong else found[0] < gain
            )
            of_later = is_next and "last_column_wins" in self.wrong
            if self._is_enough(counted) and (better or later or of_later):
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
        if "min_decrease_exclusive" in self.wrong:
            return _near(float(gain)) > _near(float(least))
        return bool(gain > 0 and gain >= least)

    def written(self, a: Fraction, b: Fraction) -> Fraction | float:
        """The threshold between two values."""
        if {"strict_threshold", "less_for_at_most"} & {*self.wrong}:
            return (a + b) / 2 if self.p.midpoints else b
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


ORDERS: dict[str, Callable[[Growth, Grown, Any], Any]] = {
    "right": lambda g, node, gain: gain,
    "smallest_first": lambda g, node, gain: gain * -1,
    "breadth_first": lambda g, node, gain: 0,
    "depth_first": lambda g, node, gain: node.depth,
    "impurest_first": lambda g, node, gain: g.F(g.counts(node.rows), len(node.rows)),
    "largest_first": lambda g, node, gain: sum(g.counts(node.rows)),
}
"""The leaf of which this is the most is split first."""


def _asks_for_more(problem: Record) -> bool:
    """Whether a problem has settings that these programs don't know."""
    about = declared_for(problem)
    reading = about.read(problem)
    others = [field for field in about.optional if field.name not in KNOWN]
    return any(reading[field] != field.default for field in others)


def growth(
    problem: Record, wrong: Wrong = (), splits: Container[object] | None = None
) -> dict[str, object] | None:
    """The tree that is grown; None for rows with categories, and for settings that it doesn't know.

    With `splits`, each the rows of a node and those that answer yes, None also as soon as the tree
    has another one.

    >>> grown = growth({"family": "tree.grow", "X": [[1], [2]], "y": ["a", "b"]})
    >>> grown["tree"]["nodes"][0]["question"]
    {'column': 0, 'threshold': '1'}
    """
    given = given_once(problem)
    if not given.is_known:
        return None
    g = Growth(given, wrong)
    nodes = [Grown(g.rows, 0, frozenset(range(len(g.y))))]
    leaves = [0]
    while g.p.max_splits is None or g.splits < g.p.max_splits:
        for node in (nodes[n] for n in leaves):
            if not node.is_tried or "depth_shared" in wrong:
                node.best, node.is_tried = g.best(node), True
        known = [(best, n) for n in leaves if (best := nodes[n].best) is not None]
        if not known:
            break
        keys = [step_of(ORDERS, wrong)(g, nodes[n], best[0]) for best, n in known]
        tied = [at for at, key in zip(known, keys) if key == max(keys)]
        is_last = ("last_of_tied" in wrong) != ("depth_first" in wrong)
        best, n = tied[-1 if is_last else 0]
        _split(g, nodes, leaves, n, best)
        if splits is not None and (nodes[n].told, nodes[-1].told) not in splits:
            return None
    return {"tree": {"nodes": [_record(g, node) for node in nodes]}}


def _split(g: Growth, nodes: list[Grown], leaves: list[int], n: int, best: Best) -> None:
    node, (_, j, a, b) = nodes[n], best
    values, ranks = g.values[j], g.ranks[j]
    threshold = g.written(values[a], values[b])
    node.question = {"column": j, "threshold": recorded(threshold)}
    yes, no = g.divided(node.rows, j, a)
    told = frozenset(i for i in node.told if values[ranks[i]] <= threshold)
    deeper = [name not in g.wrong for name in ("depth_of_yes_alone", "depth_of_no_alone")]
    for rows, own, more in ((no, node.told - told, deeper[0]), (yes, told, deeper[1])):
        nodes.append(Grown(rows, node.depth + more, own, node.asked | {j}))
        leaves.append(len(nodes) - 1)
    node.children = (len(nodes) - 2, len(nodes) - 1)
    leaves.remove(n)
    g.splits += 1


def _record(g: Growth, node: Grown) -> dict[str, object]:
    counts = g.counts(node.rows)
    largest = [c for c, count in enumerate(counts) if count == max(counts)]
    label = g.given.read.classes[largest[-1 if "last_of_tied" in g.wrong else 0]]
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


def _ratio(u: Any, v: Any) -> Fraction:
    """u/v, of logarithms in floats; u where v is 0."""
    return u / (v or 1) if isinstance(v, Fraction) else Fraction(float(u) / (float(v) or 1))


RISKS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "right": lambda F, size, all: F * (size / all),
    "impurity_alone": lambda F, size, all: F,
    "impurity_over_all": lambda F, size, all: F * (1 / all),
    "size_squared": lambda F, size, all: F * (size * size / all),
}
"""The risk of a node from its impurity, its weight, and that of all rows or, if not per row, 1."""

TOLD: dict[str, Callable[[Sequence[Any], int, int, Pruning], Any]] = {
    "right": lambda lams, i, leaves, tree: lams[i],
    "lam_of_next": lambda lams, i, leaves, tree: lams[min(i + 1, len(lams) - 1)],
    "lam_of_before": lambda lams, i, leaves, tree: lams[max(i - 1, 0)],
    "lam_summed": lambda lams, i, leaves, tree: sum(lams[: i + 1], Fraction(0)),
    "lam_of_root": lambda lams, i, leaves, tree: _ratio(lams[i], tree.risk[0]),
    "lam_of_sum": lambda lams, i, leaves, tree: lams[i] * tree.all,
    "lam_times_leaves": lambda lams, i, leaves, tree: lams[i] * Fraction(leaves),
    "lam_between": lambda lams, i, leaves, tree: Fraction(
        abs(float(lams[i]) * float(lams[min(i + 1, len(lams) - 1)])) ** 0.5
    ),
}
"""Which λ is told of the i-th tree, of so many leaves."""


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
                is_twice = "first_counted_twice" in wrong and not counts[n][y]
                counts[n][y] += weight * (1 + is_twice)
                costs[n] = [total + weight * cost for total, cost in zip(costs[n], row)]
                question = tree[n].question
                if question is None:
                    break
                if "less_for_at_most" in wrong and isinstance(question, Threshold):
                    question = replace(question, strict=True)
                is_yes = says_yes(question, x) != ("sides_swapped" in wrong)
                n = tree[n].positive if is_yes else tree[n].negative
        count = Fraction(len(weights)) if "mean_of_rows" in wrong else sum(weights, Fraction(0))
        self.all: Any = count if read.prune.per_row else Fraction(1)
        if read.prune.risk == COST:
            self.risk: list[Any] = [min(own) / self.all for own in costs]
        else:
            F, risk = impurity_of(read.prune.risk, wrong), step_of(RISKS, wrong)
            self.risk = [
                risk(F(own), sum(own, Fraction(0)), self.all) if any(own) else Fraction(0)
                for own in counts
            ]
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
        if "rise_relative" in wrong:
            rise = _ratio(rise, self.risk[n])
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
    hidden = [] if {"penalty_in_risk", "risk_of_before"} & {*wrong} else ["risk"]
    return {"steps": [without(step, "leaf_nodes", *hidden) for step in found["steps"]]}


def pruning_with_state(problem: Record, wrong: Wrong = ()) -> dict[str, Any] | None:
    """The same with the leaves of each tree and its risk."""
    if _asks_for_more(problem):
        return None
    tree = Pruning(problem, wrong)
    grown = copy(tree)
    grown.children = {**tree.children}
    steps, lam, weakest = list[dict[str, Any]](), Fraction(0), list[int]()
    while True:
        leaves = sorted(tree.leaves(0))
        risk = sum((tree.risk[n] for n in leaves), Fraction(0))
        if "penalty_in_risk" in wrong:
            risk = risk + lam * Fraction(len(leaves))
        size = 2 * len(leaves) - 1 if "nodes_for_leaves" in wrong else len(leaves)
        step = {"lam": lam, "leaves": size, "collapsed": weakest}
        step |= {"leaf_nodes": leaves, "risk": recorded(risk)}
        steps += [step] * (len(weakest) if weakest and "equal_breakpoints" in wrong else 1)
        if "starts_pruned" in wrong and lam <= 0:
            steps = [{**step, "lam": Fraction(0)}]
        candidates = tree.inner()
        if not candidates:
            break
        if "leaves_first" in wrong:
            candidates = [n for n in candidates if not {*tree.children[n]} & {*tree.children}]
        of = grown if "rates_of_grown" in wrong else tree
        rates = [of.rate(n, wrong) for n in candidates]
        lam = max(rates) if "strongest_first" in wrong else min(rates)
        weakest = [n for n, rate in zip(candidates, rates) if rate == lam]
        if "one_of_the_tied" in wrong:
            weakest = weakest[:1] if "last_of_tied" in wrong else weakest[-1:]
        tree.collapse(weakest)
    told, lams = steps, [step["lam"] for step in steps]
    if "interval_ends" in wrong:
        told = [{**without(step, "collapsed")} for step in [steps[0], *steps[:-1]]]
    if "risk_of_before" in wrong:
        told = [{**step, "risk": at["risk"]} for step, at in zip(steps, [steps[0], *steps])]
    lam_of = step_of(TOLD, wrong)
    told = [
        {**step, "lam": recorded(lam_of(lams, i, len(step["leaf_nodes"]), tree))}
        for i, step in enumerate(told)
    ]
    return {"steps": (told[:-1] or told) if "root_left_out" in wrong else told}


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
