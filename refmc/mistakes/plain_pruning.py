"""Pruning trees as a beginner writes it, with switches for what people get wrong.

`wrong` holds the names of the mistakes that are made; without any, what is answered is right. A
node is a position in the tree that is pruned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from fractions import Fraction
from typing import Any

from refmc.checker.trees.data import Threshold, says_yes
from refmc.core.records import Record
from refmc.mistakes.fields import without
from refmc.mistakes.mistake import Wrong, step_of
from refmc.mistakes.tree_steps import asks_for_more, impurity_of
from refmc.oracle.rows import recorded
from refmc.oracle.trees.records import COST, read_problem

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
    "lam_doubled": lambda lams, i, leaves, tree: lams[i] * 2,
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

    def lowest(self) -> list[int]:
        """The inner nodes whose children are leaves."""
        return [n for n in self.inner() if not {*self.children[n]} & {*self.children}]

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
    if asks_for_more(problem):
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
        if {"starts_pruned", "starts_at_once"} & {*wrong} and lam <= 0:
            steps = [{**step, "lam": Fraction(0)}]
        candidates = tree.inner()
        if not candidates:
            break
        if "leaves_first" in wrong:
            candidates = tree.lowest()
        of = grown if "rates_of_grown" in wrong else tree
        rates = [of.rate(n, wrong) for n in candidates]
        lam = max(rates) if "strongest_first" in wrong else min(rates)
        all_at_0 = "starts_at_once" in wrong and lam <= 0
        weakest = [n for n, r in zip(candidates, rates) if r == lam or (all_at_0 and r <= 0)]
        if "one_of_the_tied" in wrong:
            weakest = weakest[:1] if "last_of_tied" in wrong else weakest[-1:]
        tree.collapse(weakest)
    told, lams = steps, [step["lam"] for step in steps]
    if "interval_ends" in wrong:
        told = [{**without(step, "collapsed")} for step in [steps[0], *steps[:-1]]]
    if "risk_of_before" in wrong:
        told = [{**step, "risk": at["risk"]} for step, at in zip(steps, [steps[0], *steps])]
    lam_of = step_of(TOLD, wrong)
    told_lams = (lam_of(lams, i, len(step["leaf_nodes"]), tree) for i, step in enumerate(told))
    told = [{**step, "lam": recorded(lam)} for step, lam in zip(told, told_lams)]
    if "grown_left_out" in wrong:
        told = told[1:] or told
    return {"steps": (told[:-1] or told) if "root_left_out" in wrong else told}


def merged_labels(problem: Record) -> dict[str, object]:
    """The tree without splits whose two sides are leaves of one label, given as that of λ = 0."""
    tree = Pruning(problem)
    while True:
        same = [n for n in tree.lowest() if len({tree.labels[c] for c in tree.children[n]}) == 1]
        if not same:
            return {"lam": "0", "leaves": len(tree.leaves(0))}
        tree.collapse(same)
