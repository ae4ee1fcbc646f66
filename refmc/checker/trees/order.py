"""Could a tree have been grown best first, T splits at most?

Covers [lu, "Greedy Algorithm for Building a Binary Decision Tree"].

    v(n)    the largest decrease that any question at node n gives, nothing where none is admitted
    open    the nodes that are leaves at some round

At each round the split node's v must be the largest among all open nodes.  A tree whose splits all
have the decrease v(n) of their node tells which nodes were split, not when; it is right if some
order of them, parents before children, is right at every round.

Which order to try.  Let l be the largest v among the open nodes.  Splitting n, with v(n) = l, opens
a run: the nodes below n that are joined to it by nodes of v > l only.  As long as one of them is
open, no other open node can be split.

  Where all nodes of n's run are inner nodes of the tree, n may come now.  In any right order, n is
  followed at once by its whole run, for nothing else can come between and all of it must come; up
  to then only nodes of v >= l were split, n itself being open.  Moved to the front, this block is
  right, because n has the largest v, and what it leaves open has v <= l, so the nodes that came
  before it still have the largest v when they come after it.

  Where n's run meets a leaf of the tree, that leaf stays open, with v > l: no node of v <= l can
  follow n.  So if the runs of all candidates do, there may be only one candidate.

So complete runs first, then the only incomplete one, decides whether a right order exists.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from refmc.checker.numbers.logarithms import LogSum
from refmc.checker.trees.data import Tree


@dataclass(frozen=True)
class OutOfOrder:
    """The round at which no order goes on: `preferred` had to be split, or two nodes had to."""

    round: int
    preferred: int
    also: int


def out_of_order(tree: Tree, best: Sequence[LogSum | None]) -> OutOfOrder | None:
    """The first round that fails, or None where the inner nodes can come in a right order.

    `best[n]` is v(n).  In the result, `preferred` is an open node with the largest v: a leaf, where
    no inner node has that much and `also` is the best of these; else one of several inner nodes of
    which each would have to be the last of all with its v, and `also` is another.

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
        incomplete = max(bottleneck[node.negative], bottleneck[node.positive]) > rank[n]
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
        for child in (tree[n].negative, tree[n].positive):
            heappush(open_nodes, entry(child))
    return None


def _ranks(best: Sequence[LogSum | None]) -> list[int]:
    """Whole numbers in the order of the values; -1 where there is none."""
    ranks = [-1] * len(best)
    given = [(v, n) for n, v in enumerate(best) if v is not None]
    given.sort(key=lambda pair: pair[0])
    rank, previous = -1, None
    for v, n in given:
        if previous is None or v != previous:
            rank, previous = rank + 1, v
        ranks[n] = rank
    return ranks


def _bottlenecks(tree: Tree, rank: Sequence[int]) -> list[int]:
    """For each node the largest b such that nodes of at least b join it to a leaf.

    The run of n meets a leaf exactly where a child's bottleneck exceeds v(n).
    """
    found = list(rank)
    for n in reversed(top_down(tree)):
        node = tree[n]
        if node.question is not None:
            found[n] = min(rank[n], max(found[node.negative], found[node.positive]))
    return found


def top_down(tree: Tree) -> list[int]:
    """Positions of the nodes, parents before children.

    >>> from refmc.checker.trees.data import Node, Threshold
    >>> top_down([Node(Threshold(0, 1), 2, 1), Node(), Node()])
    [0, 1, 2]
    """
    order, waiting = [], [0]
    while waiting:
        n = waiting.pop()
        order.append(n)
        if tree[n].question is not None:
            waiting += [tree[n].negative, tree[n].positive]
    return order
