"""Which classes can a row get where each binary classifier decides which one is asked next?

Covers the three methods named in [chang, "Still an ongoing research direction"], at a row whose
answers are given.

    f                  for each node the score of the row: ≥ 0 admits the left, ≤ 0 the right side
    tournament         the classes meet in their order, the first with the second, and so on, round
                       by round; of an odd number the last passes without a duel. There may be
                       several tournaments: a loser of the t-th enters the next one, and so does the
                       winner, when it is the last there; in the end the winners meet in the same
                       way
    label_tree         each node splits its set of classes in two, until a single class is left
    one_against_some   routers lead to a node, where the candidate of the largest score is chosen

Differs from the papers: a score of 0 admits both sides, so that the answer is a set. Signs are
exact; scores of candidates may be off by the allowed share of themselves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from refmc.checker.parts import Part, Ranged

Row = Sequence[Fraction]
Split = tuple[frozenset[int], frozenset[int]]


class RecallNode(NamedTuple):
    """The candidates of a node, and its children; a row ends at the node where a child is missing.

    `router`: the position of its score in f, None where it asks nothing.
    """

    candidates: Sequence[int]
    router: int | None = None
    below: tuple[int | None, int | None] = (None, None)


@dataclass(frozen=True, kw_only=True)
class NodesProblem:
    """m rows of scores, one for each node in the order of the nodes.

    `splits`, the root first, belong to "label_tree". `nodes`, the root first, and `scores` belong
    to "one_against_some": for each row and node a score for each candidate, none where the row
    can't end.

    >>> NodesProblem(f=[[Fraction(1)]], k=2).shape
    (1, 2)
    """

    f: Sequence[Row]
    k: int
    rule: Literal["tournament", "label_tree", "one_against_some"] = "tournament"
    eliminations: int = 1
    splits: Sequence[Split] = ()
    nodes: Sequence[RecallNode] = ()
    scores: Sequence[Sequence[Row]] = ()
    classes: Sequence[str] = ()
    family = "nodes.decode"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and classes."""
        return len(self.f), self.k


def reached(problem: NodesProblem, i: int) -> set[int]:
    """All classes that can be chosen for row i.

    >>> zero, one = Fraction(0), Fraction(1)
    >>> sorted(reached(NodesProblem(f=[[-one, zero, one]], k=4), 0))
    [1]
    >>> sorted(reached(NodesProblem(f=[[-one, zero, zero]], k=4), 0))
    [1, 2, 3]
    """
    if problem.rule == "tournament":
        return _winners(problem.f[i], problem.k, problem.eliminations)
    if problem.rule == "label_tree":
        return _leaves(problem.f[i], problem.splits, problem.k)
    found: set[int] = set()
    for end in ends(problem, i):
        scores = problem.scores[i][end]
        found |= {c for c, s in zip(problem.nodes[end].candidates, scores) if s == max(scores)}
    return found


def shortfall(problem: NodesProblem, i: int, r: int, allowed: Fraction) -> Part:
    """By how much class r misses the best candidate of a node where row i can end.

    VERIFIED if that is allowed, and REFUTED if it isn't, or if the row ends at no node of r.
    """
    part = Part("REFUTED")
    for end in ends(problem, i) if problem.rule == "one_against_some" else ():
        if r in problem.nodes[end].candidates:
            ranged = [Ranged.of(s, abs(s), allowed) for s in problem.scores[i][end]]
            mine = ranged[list(problem.nodes[end].candidates).index(r)]
            top = max(ranged, key=lambda other: other.value)
            if all(mine.high >= other.low for other in ranged):
                return Part("VERIFIED", top.value - mine.value, scale=top.size + mine.size)
    return part


def _sides(score: Fraction) -> tuple[bool, bool]:
    """Whether the left side is admitted, and the right one."""
    return score >= 0, score <= 0


def _either(score: Fraction, left: set[int], right: set[int]) -> set[int]:
    """All of the sides that are admitted."""
    first, second = _sides(score)
    return (left if first else set()) | (right if second else set())


def _winners(f: Row, k: int, eliminations: int) -> set[int]:
    """Who can win, played forward: each match has the sets of classes that can have come to it.

    The sets may be settled freely, because no class can come to a match in two ways.
    """
    scores = iter(f)
    waiting: list[list[set[int]]] = [[{c} for c in range(k)], *([] for _ in f[: eliminations - 1])]
    winners: list[set[int]] = []
    while len(winners) < eliminations:
        coming: list[list[set[int]]] = [[] for _ in range(eliminations + 1)]
        for t, queue in enumerate(waiting):
            for left, right in zip(queue[::2], queue[1::2]):
                score = next(scores)
                coming[t].append(_either(score, left, right))
                coming[t + 1].append(_either(-score, left, right))
            coming[t] += queue[-1:] if len(queue) % 2 else []
        waiting = coming[:eliminations]
        now = len(winners)
        if len(waiting[now]) == 1:
            winners.append(waiting[now].pop())
            if now + 1 < eliminations:
                waiting[now + 1].append(winners[-1])
    while len(winners) > 1:
        rest = winners[-1:] if len(winners) % 2 else []
        met = zip(winners[::2], winners[1::2])
        winners = [_either(next(scores), left, right) for left, right in met] + rest
    return winners[0]


def _leaves(f: Row, splits: Sequence[Split], k: int) -> set[int]:
    """All classes that are left alone; of one class, that one."""
    at = {left | right: n for n, (left, right) in enumerate(splits)}
    waiting, found = [frozenset(range(k))], set[int]()
    while waiting:
        places = waiting.pop()
        if places in at:
            sides = zip(splits[at[places]], _sides(f[at[places]]))
            waiting += [side for side, admitted in sides if admitted]
        else:
            found |= places
    return found


def ends(problem: NodesProblem, i: int) -> set[int]:
    """The nodes where row i can end.

    >>> root = RecallNode((0, 1), 0, (1, None))
    >>> nodes, nothing = [root, RecallNode((1,))], [[], []]
    >>> problem = NodesProblem(f=[[Fraction(0)]], k=2, nodes=nodes, scores=[nothing])
    >>> sorted(ends(problem, 0))
    [0, 1]
    """
    waiting, found = [0], set[int]()
    while waiting:
        n = waiting.pop()
        node = problem.nodes[n]
        if node.router is None:
            found.add(n)
            continue
        for child, admitted in zip(node.below, _sides(problem.f[i][node.router])):
            if admitted and child is None:
                found.add(n)
            elif admitted and child is not None:
                waiting.append(child)
    return found
