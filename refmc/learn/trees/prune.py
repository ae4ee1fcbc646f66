"""Pruning a decision tree: the nested trees that minimise risk plus λ for every leaf.

The plain programs are `refmc.lectures.lu.pruning_sequence` and `refmc.lectures.lu.tree_lambda`.
Beyond them: no r is computed anew after a collapse, and weights count.

[lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"]:

    G_λ(tree) = Σ_{leaves n} |n|F(n) + λ|L|

Differs from the lecture:
- The denominator of r(tree, n′) is |L| − 1, the number of leaves less one.
- The steps are the lecture's, the order of work isn't: nodes are taken from the bottom up, each
  with the λ at which it collapses, r(tree⁽ⁱ⁾, n′) at that moment. Computing every r anew after
  every collapse would be quadratic in the number of leaves.
- Collapses that cost nothing (or gain, if F is the caller's and not concave) belong to λ = 0, so
  the first tree is the smallest minimiser at λ = 0, and the λ's increase strictly.

Legend: R(n) = |n|F(n) the risk of n as a leaf, L_n the leaves below n, R̂(n) their total risk,
A + sλ the smallest G_λ below n on an interval of λ, s leaves with risk A.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from itertools import accumulate
from math import lcm
from typing import Any

from refmc.core.logs import Log
from refmc.core.scalars import Number, shown
from refmc.drawn import Drawn
from refmc.errors import ParameterError
from refmc.learn.trees.measures import at_least_0, check_entropies, lift
from refmc.learn.trees.model import DecisionTree
from refmc.learn.trees.nodes import Node, linked
from refmc.theory.impurity import Impurity

Lam = Fraction | Log


@dataclass(frozen=True)
class PruningStep:
    """From `lam` on, up to the next step's, `tree` is the smallest minimiser of G_λ.

    `collapsed`: the nodes of the grown tree that become leaves at this step, left to right; a tied
    node below a tied one isn't listed. `size`: the leaves of `tree`, which is made when asked for.
    """

    lam: Lam
    collapsed: tuple[Node, ...]
    size: int
    whole: DecisionTree = field(repr=False, compare=False)
    _ends: dict[int, Any] = field(repr=False, compare=False)

    @cached_property
    def tree(self) -> DecisionTree:
        """The pruned tree; its nodes keep the numbers that they have in the grown one."""
        grown = self.whole
        nodes: list[Node] = []
        links: dict[int, tuple[int, int]] = {}
        waiting = [grown.root]
        while waiting:
            node = waiting.pop()
            if node.children and self._ends[node.number] > self.lam:
                negative, positive = node.children
                links[node.number] = negative.number, positive.number
                waiting += node.children
            else:
                node = node.leaf()
            nodes.append(node)
        return replace(grown, root=linked(nodes, links))


class PruningSequence(Drawn, tuple[PruningStep, ...]):
    """A tuple of the steps, which has a picture; `risk` is the F that was given, if any."""

    risk: Impurity | None = None


def pruning_sequence(tree: DecisionTree, *, risk: Impurity | None = None) -> PruningSequence:
    """The smallest minimiser of G_λ for every λ ≥ 0, as steps of strictly increasing λ.

    The node that collapses has the least increase of risk for each leaf saved,

        r(tree⁽ⁱ⁾, n′) = (|n′|F(n′) − R̂(tree′)) / (|L_tree′| − 1),

    and all nodes that share the least value collapse at once, down to the root alone. `risk`: F
    of class weights, such as `misclassification` for a tree that was grown by `gini`; None is the
    tree's own impurity, or the cost of the cheapest label if it has costs. λ is on the scale of
    |n|F(n): divided by m it is what libraries call α.

    Every minimiser of G_λ of the least size is the tree of a step. Raises `ParameterError`, and
    `ExactnessLimitError` for entropies of weights that are too far apart.
    Cost: O(L log² L) operations on risks for L leaves, and O(size) to make a step's tree.
    [lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"]

    >>> from refmc.learn.trees.grow import grow_tree
    >>> from refmc.theory.impurity import misclassification
    >>> tree = grow_tree([(0, 0), (0, 1), (1, 0), (1, 1)], [0, 1, 1, 2])
    >>> [(step.lam, step.size) for step in pruning_sequence(tree, risk=misclassification)]
    [(Fraction(0, 1), 4), (Fraction(2, 3), 1)]
    """
    R = _risks(tree, risk)
    ends = _ends(tree, R)
    zero = R[tree.root.number] * 0
    spans = _spans(tree, ends, zero)
    lams = [zero]
    for start in sorted(start for _, start, _ in spans):
        if start != lams[-1]:
            lams.append(start)
    sizes = [0] * (len(lams) + 1)
    collapsed: list[list[Node]] = [[] for _ in lams]
    for node, start, stop in spans:
        begins = bisect_left(lams, start)
        sizes[begins] += 1
        sizes[len(lams) if stop is None else bisect_left(lams, stop)] -= 1
        if node.question is not None:
            collapsed[begins].append(node)
    sequence = PruningSequence(
        PruningStep(lam, tuple(nodes), size, tree, ends)
        for lam, nodes, size in zip(lams, collapsed, accumulate(sizes))
    )
    sequence.risk = risk
    return sequence


def prune(sequence: Sequence[PruningStep], lam: Number | Log) -> DecisionTree:
    """The smallest tree that minimises G_λ, from a pruning sequence.

    `lam`: λ ≥ 0 on the scale of |n|F(n). At the λ of a step its nodes are collapsed. Raises
    `ParameterError`. Cost: O(log n) comparisons, and O(size) to make the tree.
    [lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"]

    >>> from refmc.learn.trees.grow import grow_tree
    >>> sequence = pruning_sequence(grow_tree([[1], [2], [3]], [0, 1, 1]))
    >>> [len(prune(sequence, lam).leaves()) for lam in ("1.33", Fraction(4, 3))]
    [2, 1]
    """
    return step_at(sequence, lam).tree


def step_at(sequence: Sequence[PruningStep], lam: Number | Log) -> PruningStep:
    """The step of a pruning sequence whose tree belongs to λ."""
    if (
        not isinstance(sequence, Sequence)
        or not sequence
        or not all(isinstance(step, PruningStep) for step in sequence)
    ):
        raise ParameterError(
            f"sequence: expected what pruning_sequence gives, got {shown(sequence)}"
        )
    return sequence[bisect_right([step.lam for step in sequence], at_least_0(lam, "lam")) - 1]


def _risks(tree: DecisionTree, risk: Impurity | None) -> dict[int, Any]:
    """|n|F(n) of every node, by its number."""
    if not isinstance(tree, DecisionTree):
        raise ParameterError(f"tree: expected what grow_tree gives, got {shown(tree)}")
    if risk is not None and not callable(risk):
        raise ParameterError(f"risk: expected a function, got {shown(risk)}")
    nodes = list(tree.nodes())
    units = lcm(*(count.denominator for node in nodes for count in node.counts))
    check_entropies(risk or tree.impurity, int(tree.root.size * units))
    if risk is not None:
        F = lift(risk)
        return {node.number: F(node.counts) * node.size for node in nodes}
    return {
        node.number: node.impurity * node.size if node.costs is None else min(node.costs)
        for node in nodes
    }


def _ends(tree: DecisionTree, R: dict[int, Any]) -> dict[int, Lam]:
    """For each inner node the least λ at which it is best collapsed, whatever is above it.

    The smallest G_λ of the nodes below n is a concave, piecewise linear function of λ, with pieces
    A + sλ, s ≥ 2. The line R(n) + λ crosses it once, at the λ from which on n is best a leaf. The
    pieces are visited from the largest λ down. Two pieces meet at the λ at which some node below
    collapses: under that λ there are more leaves, with less risk. Pieces above n's own crossing
    don't matter to the nodes above n and are dropped, so each piece is visited once.
    """
    ends: dict[int, Lam] = {}
    # For each node a heap of its pieces, the largest λ first. An entry is −λ, the number of a node
    # (which orders entries of equal λ), and what to add to A and to s below that λ.
    pieces: dict[int, list[tuple[Any, int, Any, int]]] = {}
    for n in sorted(tree.nodes(), key=lambda node: -node.number):
        if not n.children:
            pieces[n.number] = []
            continue
        few, waiting = sorted((pieces.pop(child.number) for child in n.children), key=len)
        for entry in few:
            heappush(waiting, entry)
        A, s = sum((R[child.number] for child in n.children), 0), 2
        lam = (R[n.number] - A) / Fraction(s - 1)
        while waiting and waiting[0][0] < -lam:
            _, _, risk, leaves = heappop(waiting)
            A, s = A + risk, s + leaves
            lam = (R[n.number] - A) / Fraction(s - 1)
        ends[n.number] = lam
        heappush(waiting, (-lam, n.number, A - R[n.number], s - 1))
        pieces[n.number] = waiting
    return ends


def _spans(
    tree: DecisionTree, ends: dict[int, Lam], zero: Lam
) -> list[tuple[Node, Lam, Lam | None]]:
    """The nodes that are leaves of some tree of the sequence, each with its interval of λ.

    The interval of a leaf of the grown tree begins at 0, that of an inner node at its own end in
    `ends`. It stops at the least end of the nodes above; None where there is none.
    """
    spans: list[tuple[Node, Lam, Lam | None]] = []
    waiting: list[tuple[Node, Lam | None]] = [(tree.root, None)]
    while waiting:
        node, stop = waiting.pop()
        start = max(ends[node.number], zero) if node.children else zero
        if stop is None or start < stop:
            spans.append((node, start, stop))
            stop = start
        waiting += [(child, stop) for child in reversed(node.children)]
    return spans
