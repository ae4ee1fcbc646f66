"""Could a tree have been grown by at most T splits, each of a node with the largest decrease?

Covers [lu, "Greedy Algorithm for Building a Binary Decision Tree"].

    v(n)    the largest decrease that any question at node n gives; none where none is admitted
    open    the nodes that are leaves in a round

In every round the node that is split must have the largest v of all open nodes. A tree shows which
nodes were split, but not in which order. If each of its splits has the decrease v(n) of its node,
the tree is right if some order of the splits, parents before children, is right in every round.

Which order to try: let l be the largest v of the open nodes. Splitting a node n with v(n) = l opens
its run, the nodes below n that are joined to it by nodes of v > l only. As long as one of them is
open, no other open node can be split.

  If all nodes of n's run are inner nodes of the tree, n may be split now. In every right order n is
  followed at once by its whole run, because nothing else can come between, and all of it must come.
  Until then only nodes of v ≥ l were split, because n was open. So the block of n and its run can
  be moved to the front: n has the largest v, and what the block leaves open has v ≤ l, so that the
  nodes that came before it still have the largest v when they come after it.

  If n's run meets a leaf of the tree, that leaf stays open with v > l, so that no node of v ≤ l can
  be split after n. Two open nodes of this kind with the same v exclude each other.

So the order that takes complete runs first, and then the only incomplete one, decides whether a
right order exists.
"""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from refmc.checker.numbers.logarithms import LogSum
from refmc.checker.trees.data import Tree, top_down


class OutOfOrder(NamedTuple):
    """The round in which no order goes on, as `preferred` or each of two nodes had to be split."""

    round: int
    preferred: int
    also: int


def out_of_order(tree: Tree, best: Sequence[LogSum | None]) -> OutOfOrder | None:
    """The first round that fails, or None where the inner nodes can come in a right order.

    `best[n]` is v(n). In the result `preferred` is an open node of the largest v. If it is a leaf,
    no inner node has as much, and `also` is the best of these. If it is an inner node, `also` is
    another of the same v, and each of the two would have to be the last one with that v.

    >>> from refmc.checker.trees.data import Node, Threshold
    >>> tree = [Node(Threshold(0, 1), 1, 2), Node(), Node(Threshold(0, 2), 3, 4), Node(), Node()]
    >>> v = [LogSum(3), LogSum(2), LogSum(1), None, None]
    >>> out_of_order(tree, v)
    OutOfOrder(round=2, preferred=1, also=2)
    """
    rank = _ranks(best)
    bottleneck = _bottlenecks(tree, rank)

    def entry(n: int) -> tuple[int, int, int]:
        node = tree[n]
        if node.question is None:
            return -rank[n], 2, n
        incomplete = max(bottleneck[child] for child in node.children) > rank[n]
        return -rank[n], int(incomplete), n

    open_nodes = [entry(0)]
    heapify(open_nodes)
    left = sum(node.question is not None for node in tree)
    for round_ in range(1, left + 1):
        value, kind, n = heappop(open_nodes)
        if kind == 2:
            waiting = [other for other in open_nodes if other[1] < 2]
            return OutOfOrder(round_, n, min(waiting)[2])
        if kind == 1 and open_nodes and open_nodes[0][:2] == (value, 1):
            return OutOfOrder(round_, n, open_nodes[0][2])
        for child in tree[n].children:
            heappush(open_nodes, entry(child))
    return None


def _ranks(best: Sequence[LogSum | None]) -> list[int]:
    """Whole numbers in the order of the values, equal where these are; −1 where there is none."""
    ranks = [-1] * len(best)
    given = sorted(((v, n) for n, v in enumerate(best) if v is not None), key=itemgetter(0))
    for rank, (_, tied) in enumerate(groupby(given, key=itemgetter(0))):
        for _, n in tied:
            ranks[n] = rank
    return ranks


def _bottlenecks(tree: Tree, rank: Sequence[int]) -> list[int]:
    """For each node the largest rank b such that a path of nodes of at least b leads to a leaf.

    The run of n meets a leaf exactly where the bottleneck of one of its children exceeds v(n).
    """
    found = list(rank)
    for n in reversed(top_down(tree)):
        if tree[n].question is not None:
            found[n] = min(rank[n], max(found[child] for child in tree[n].children))
    return found
