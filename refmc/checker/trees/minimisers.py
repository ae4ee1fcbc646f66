"""The smallest minimiser of G_λ for every λ, by dynamic programming from the leaves up.

Covers [lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"].

    G_λ(T)   the risk of T's leaves plus λ times their number
    M_n      the least G_λ of the pruned trees below node n, as a function of λ
    α_n      the least λ at which n as a leaf is as good as every other pruned tree below n

M_n = min(risk(n) + λ, M_left + M_right). By induction M_n is concave and piecewise linear, and its
slopes are numbers of leaves, so at least 1. The difference (M_left + M_right) − (risk(n) + λ) is
continuous, with slopes of at least 2 − 1 = 1, so it is zero at exactly one λ, which is α_n. From
α_n on the leaf is a minimiser, and the smallest one, as every other tree has more leaves; below α_n
it is no minimiser. M_n is kept as its last line, risk(n) + λ, and the bends before that line. At
the parent, those bends of its children that are not below the parent's α are removed.

So the smallest minimiser at λ is the grown tree, cut off at the topmost nodes with α_n ≤ λ. This
is a route of its own: no weakest link is looked for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import groupby
from typing import NamedTuple

from refmc.checker.numbers.logarithms import LogSum
from refmc.checker.trees.data import Tree, top_down


@dataclass(frozen=True)
class _Bend:
    """A λ where the slope of a function changes, and the difference of the two lines there: what to
    add to the line after the bend to get the line before it."""

    at: LogSum
    leaves: int
    risk: LogSum

    def __lt__(self, other: "_Bend") -> bool:
        return other.at < self.at  # the last bend first


class Collapse(NamedTuple):
    """α of a node (`at`), and the size of its terms.

    α is the difference of the risks after and before the collapse, divided by the number of leaves
    that it saves; `terms` is the sum of these risks, divided by the same number.
    """

    at: LogSum
    terms: LogSum


def collapse_points(tree: Tree, risk: Sequence[LogSum]) -> list[Collapse | None]:
    """α of every inner node, and None for leaves.

    `risk`: that of each node, which is never negative. Cost: O(n log² n) for n nodes.

    >>> from refmc.checker.trees.data import Node, Threshold
    >>> tree = [Node(Threshold(0, 1), 1, 2), Node(), Node()]
    >>> found = collapse_points(tree, [LogSum(3), LogSum(1), LogSum(0)])[0]
    >>> found.at.rational, found.terms.rational
    (Fraction(2, 1), Fraction(4, 1))
    """
    alpha: list[Collapse | None] = [None] * len(tree)
    lines: dict[int, tuple[int, LogSum, list[_Bend]]] = {}
    for n in reversed(top_down(tree)):
        bends: list[_Bend] = []
        if tree[n].question is not None:
            left, right = (lines.pop(child) for child in tree[n].children)
            few, bends = sorted((left[2], right[2]), key=len)
            for bend in few:
                heappush(bends, bend)
            leaves, total = left[0] + right[0], left[1] + right[1]
            crossing = _crossing(risk[n], leaves, total)
            while bends and not bends[0].at < crossing:
                bend = heappop(bends)
                leaves, total = leaves + bend.leaves, total + bend.risk
                crossing = _crossing(risk[n], leaves, total)
            heappush(bends, _Bend(crossing, leaves - 1, total - risk[n]))
            alpha[n] = Collapse(crossing, (risk[n] + total) * Fraction(1, leaves - 1))
        lines[n] = (1, risk[n], bends)
    return alpha


def _crossing(own: LogSum, leaves: int, total: LogSum) -> LogSum:
    return (own - total) * Fraction(1, leaves - 1)


class Stage(NamedTuple):
    """The smallest minimiser from `lam` on; its `collapsed` nodes become leaves there.

    The first stage is the grown tree, with `lam` 0. `terms`: the size of the terms whose difference
    `lam` is. `leaf_nodes` changes with the next stage; `risk` is the sum over them.
    """

    lam: LogSum
    terms: LogSum
    collapsed: frozenset[int]
    leaf_nodes: set[int]
    risk: LogSum


def stages(tree: Tree, risk: Sequence[LogSum], alpha: Sequence[Collapse | None]) -> Iterator[Stage]:
    """The grown tree, then the smallest minimisers in the order of λ, the root alone last.

    >>> from refmc.checker.trees.data import Node, Threshold
    >>> tree = [Node(Threshold(0, 1), 1, 2), Node(), Node()]
    >>> risk = [LogSum(3), LogSum(1), LogSum(0)]
    >>> [len(s.leaf_nodes) for s in stages(tree, risk, collapse_points(tree, risk))]
    [2, 1]
    """
    leaf_nodes = {n for n, node in enumerate(tree) if node.question is None}
    total = LogSum()
    for n in leaf_nodes:
        total = total + risk[n]
    yield Stage(LogSum(), LogSum(), frozenset(), leaf_nodes, total)
    for group in _groups(tree, alpha):
        for n, _ in group:
            for gone in leaves_below(tree, n, leaf_nodes):
                leaf_nodes.discard(gone)
                total = total - risk[gone]
            leaf_nodes.add(n)
            total = total + risk[n]
        terms = max(collapse.terms for _, collapse in group)
        collapsed = frozenset(n for n, _ in group)
        yield Stage(group[0][1].at, terms, collapsed, leaf_nodes, total)


def _groups(tree: Tree, alpha: Sequence[Collapse | None]) -> Iterator[list[tuple[int, Collapse]]]:
    """The nodes whose α is less than that of every node above them, in the order of α; nodes of
    equal α form one group. All others disappear with a node above them."""
    visible: list[tuple[int, Collapse]] = []
    least: dict[int, LogSum] = {}
    for n in top_down(tree):
        own, above = alpha[n], least.pop(n, None)
        if own is None:
            continue
        if above is None or own.at < above:
            visible.append((n, own))
            above = own.at
        least |= dict.fromkeys(tree[n].children, above)
    visible.sort(key=lambda pair: pair[1].at)
    for _, group in groupby(visible, key=lambda pair: pair[1].at):
        yield list(group)


def leaves_below(tree: Tree, n: int, leaf_nodes: set[int] | frozenset[int]) -> list[int]:
    """Where paths down from n end: at the first of `leaf_nodes`, or else at a leaf of the tree.

    >>> from refmc.checker.trees.data import Node, Threshold
    >>> leaves_below([Node(Threshold(0, 1), 1, 2), Node(), Node()], 0, {1})
    [2, 1]
    """
    found, waiting = [], [n]
    while waiting:
        at = waiting.pop()
        if at in leaf_nodes or tree[at].question is None:
            found.append(at)
        else:
            waiting += tree[at].children
    return found
