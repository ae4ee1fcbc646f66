"""The smallest minimiser of G at every lambda, by dynamic programming from the leaves up.

Covers [lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"].

    G(T)      the risk of T's leaves plus lambda times their number
    M_n       the smallest G among the pruned trees below node n, as a function of lambda
    alpha_n   the lambda from which on the leaf n alone is as good as any other pruned tree below n

M_n = min(risk(n) + lambda, M_left + M_right).  By induction M_n is concave and piecewise linear
with the numbers of leaves as slopes.  The difference (M_left + M_right) - (risk(n) + lambda) has
slopes of at least 1, so it vanishes at exactly one lambda, which is alpha_n; from there on the leaf
is the smallest minimiser, and before it isn't a minimiser.  A function is held as its last line and
the bends before it, of which no more than those beyond alpha_n are ever undone.

So the smallest minimiser at lambda is the grown tree cut off at the topmost nodes with
alpha_n <= lambda.  No weakest link is looked for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush

from refmc.checker.numbers.logarithms import LogSum
from refmc.checker.trees.data import Tree
from refmc.checker.trees.order import top_down


@dataclass(frozen=True)
class _Bend:
    """Where a line ends, and what to add to the line after it to get the one before it."""

    at: LogSum
    leaves: int
    risk: LogSum

    def __lt__(self, other: "_Bend") -> bool:
        return other.at < self.at  # the last bend first


@dataclass(frozen=True)
class Collapse:
    """alpha of a node, and the size of the terms of which it is the difference.

    alpha is the risk that a collapse adds, divided by the leaves that it saves; `terms` is the sum
    of the risks before and after, divided likewise.
    """

    at: LogSum
    terms: LogSum


def collapse_points(tree: Tree, risk: Sequence[LogSum]) -> list[Collapse | None]:
    """alpha of every inner node, None at leaves.

    `risk` is one number a node, not negative.  Cost: n log^2 n for n nodes.

    >>> from refmc.checker.trees.data import Node, Threshold
    >>> tree = [Node(Threshold(0, 1), 1, 2), Node(), Node()]
    >>> found = collapse_points(tree, [LogSum(3), LogSum(1), LogSum(0)])[0]
    >>> found.at.rational, found.terms.rational
    (Fraction(2, 1), Fraction(4, 1))
    """
    alpha: list[Collapse | None] = [None] * len(tree)
    lines: dict[int, tuple[int, LogSum, list[_Bend]]] = {}
    for n in reversed(top_down(tree)):
        node = tree[n]
        bends: list[_Bend] = []
        if node.question is not None:
            few, bends = sorted((lines[node.negative][2], lines[node.positive][2]), key=len)
            for bend in few:
                heappush(bends, bend)
            leaves = lines[node.negative][0] + lines[node.positive][0]
            total = lines.pop(node.negative)[1] + lines.pop(node.positive)[1]
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


@dataclass
class Stage:
    """The smallest minimiser from `lam` on; `collapsed` nodes become leaves there.

    The first stage is the grown tree, with `lam` 0.  `terms`: the size of the terms of which `lam`
    is the difference.  `leaf_nodes` and `risk` (the sum of theirs) are those at the time when the
    stage is reached.
    """

    lam: LogSum
    terms: LogSum
    collapsed: frozenset[int]
    leaf_nodes: set[int]
    risk: LogSum


def stages(tree: Tree, risk: Sequence[LogSum], alpha: Sequence[Collapse | None]) -> Iterator[Stage]:
    """The grown tree, then the smallest minimisers in the order of lambda, the root alone last.

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
    """The nodes that collapse before all those above them, by their alpha."""
    visible: list[tuple[int, Collapse]] = []
    least: dict[int, LogSum] = {}
    for n in top_down(tree):
        own, above = alpha[n], least.pop(n, None)
        if own is None:
            continue
        if above is None or own.at < above:
            visible.append((n, own))
            above = own.at
        least[tree[n].negative] = least[tree[n].positive] = above
    visible.sort(key=lambda pair: pair[1].at)
    group: list[tuple[int, Collapse]] = []
    for at, (n, own) in enumerate(visible):
        group.append((n, own))
        if at + 1 == len(visible) or own.at < visible[at + 1][1].at:
            yield group
            group = []


def leaves_below(tree: Tree, n: int, leaf_nodes: set[int] | frozenset[int]) -> list[int]:
    """The nodes of `leaf_nodes` that are first on a path down from n; leaves that aren't, as well.

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
            waiting += [tree[at].negative, tree[at].positive]
    return found
