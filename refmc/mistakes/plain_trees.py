"""Growing trees as a beginner writes it, with switches for what people get wrong.

`wrong` holds the names of the mistakes that are made; without any, what is answered is right, with
the first of tied questions. Only columns of numbers are known.

    n       a node: its rows
    a, b    ranks of values of a column; (j, a) is the question x_j ≤ a
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import isinf
from typing import Any

from refmc.checker.trees.data import prepare
from refmc.core.records import Record
from refmc.mistakes.mistake import Wrong, step_of
from refmc.mistakes.transport import kept
from refmc.mistakes.tree_steps import (
    DECREASES,
    OVER_ROWS,
    SMALLEST,
    THRESHOLDS,
    Asked,
    Split,
    asks_for_more,
    impurity_of,
    near,
    text,
)
from refmc.oracle.rows import recorded
from refmc.oracle.trees.records import read_problem

Best = tuple[Any, int, int, int]
"""A gain with its question: a column, the rank of a value, and that of the value that follows."""


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
        self.is_known = not asks_for_more(problem) and all(c.is_numeric for c in self.columns)
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
            [text(v) for v in values] if as_texts else range(len(values)) for values in self.values
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

    def questions(self, node: Grown) -> Iterator[tuple[int, int, int, int]]:
        """Each column with its values but the largest, the value that follows, and a number."""
        used = node.asked if "column_once" in self.wrong else ()
        y, admitted = [self.y[i] for i in node.rows], step_of(THRESHOLDS, self.wrong)
        for j in (j for j in range(len(self.values)) if j not in used):
            column = [self.ranks[j][i] for i in node.rows]
            pairs = [*pairwise(sorted(set(column)))]
            left = admitted(Asked(pairs, column, y, self.values[j]))
            left = left or (pairs if "only_one_kept" in self.wrong else [])
            yield from ((j, a, b, number) for number, (a, b) in enumerate(left, 1))

    def cuts(self, node: Grown) -> Iterator[tuple[int, int, int, list[Any], list[int]]]:
        """The questions that leaves allow, each with the class weights of the children, yes first,
        as they are counted, and how many rows they have.
        """
        p, smallest, left_over = self.p, step_of(SMALLEST, self.wrong), [Fraction(0)] * self.k
        by_label = "tied_by_label" in self.wrong
        for j, a, b, number in self.questions(node):
            yes, no = self.divided(node.rows, j, a)
            if "values_sorted_alone" in self.wrong:
                yes, no = node.rows[: len(yes)], node.rows[len(yes) :]
            if "tied_values_cut" in self.wrong:
                rows = sorted(node.rows, key=lambda i: (self.ranks[j][i], by_label * self.y[i]))
                yes, no = rows[:number], rows[number:]
            if smallest([self.size(part, "min_leaf") for part in (yes, no)]) < p.min_leaf:
                continue
            parts: list[Any] = [self.counts(yes), self.counts(no)]
            if min(map(sum, parts)) < p.min_leaf_weight:
                continue
            if "pure_child_refused" in self.wrong and any(max(c) == sum(c) for c in parts):
                continue
            if "state_left_over" in self.wrong:
                parts[0] = left_over = [c + before for c, before in zip(parts[0], left_over)]
            if "left_counts_kept" in self.wrong:
                parts[0] = [c + before for c, before in zip(parts[0], self.moved(node.rows, j))]
            yield j, a, b, parts, [len(yes), len(no)]

    def is_open(self, node: Grown, F: Any, share: Fraction, is_pure: bool) -> bool:
        """Whether a node of this impurity and this share in all rows may be split."""
        if "root_untested" in self.wrong and not node.asked:
            return True
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
        found = second = None
        decrease = step_of(DECREASES, self.wrong)
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
            is_enough = self._is_enough(counted, F)
            if is_enough and (better or later or of_later):
                found, second = (gain, j, a, b), found
            elif is_enough and (second is None or second[0] < gain):
                second = (gain, j, a, b)
            if "first_that_gains" in self.wrong and found is not None and found[0] > 0:
                break
        if "second_best" in self.wrong:
            found = second or found
        if found is not None and not all(self.divided(node.rows, *found[1:3])):
            return None  # all rows would go to one child
        return found

    def _is_enough(self, gain: Any, F: Any) -> bool:
        least = self.p.min_decrease
        if least is None:
            return gain >= 0 or "negative_refused" not in self.wrong
        of = {"decrease_of_root": self.F_root, "decrease_of_node": F, "right": 1}
        least = least * step_of(of, self.wrong)
        if "min_decrease_exclusive" in self.wrong:
            return near(float(gain)) > near(float(least))
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
