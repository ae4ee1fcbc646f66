"""What is said of one pruned tree: its leaves, its risk, the nodes that collapsed, its labels.

Covers [lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"]. Everything said is
compared with the tree that it should be, a `Stage` of `minimisers`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from refmc.checker.numbers.logarithms import LogSum
from refmc.checker.parts import Part, counted, status_of
from refmc.checker.trees.data import Data, Sample, Tree, top_down
from refmc.checker.trees.impurity import ImpurityName
from refmc.checker.trees.minimisers import Collapse, Stage, leaves_below
from refmc.checker.trees.words import label_fault, place, question_text, value_text
from refmc.checker.verdict import Place, Violation

Amount = LogSum | Fraction | int


@dataclass(frozen=True, kw_only=True)
class PruningProblem:
    """The grown tree, its sample, and the risk; the risk "cost" needs a sample with costs."""

    sample: Sample
    tree: Tree
    risk: ImpurityName | Literal["cost"] = "misclassification"
    per_row: bool = False


class Pruning(NamedTuple):
    """The problem with the class weights, the costs, the risk and the α of each node.

    α is the least λ at which the node is best collapsed; see `minimisers`. `unit`: what a class
    weight of 1 counts in the risk.
    """

    problem: PruningProblem
    data: Data
    counts: Sequence[Sequence[int]]
    costs: Sequence[Sequence[Fraction]]
    risk: Sequence[LogSum]
    alpha: Sequence[Collapse | None]
    unit: Fraction

    def total(self, nodes: Iterable[int]) -> LogSum:
        """The risk of these nodes together."""
        return sum((self.risk[n] for n in nodes), LogSum())

    def named(self, n: int) -> Place:
        """A node of the grown tree, in words."""
        return place(self.data, self.problem.tree, n)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What is said of a pruned tree; positions are those of the grown tree.

    `leaves`: the number of its leaves. `leaf_nodes`: their positions. `collapsed`: the inner nodes
    of the grown tree that became leaves (in a sequence, since the step before); nodes below them
    may be named as well. `tree`: the pruned tree with nodes of its own. `risk`: that of its leaves.
    """

    leaves: int | None = None
    leaf_nodes: frozenset[int] | None = None
    collapsed: frozenset[int] | None = None
    tree: Tree | None = None
    risk: Amount | None = None


def as_sum(amount: Amount) -> LogSum:
    """A submitted number as a sum of logarithms.

    >>> as_sum(2).rational
    Fraction(2, 1)
    """
    return amount if isinstance(amount, LogSum) else LogSum(amount)


def amount_text(amount: Amount) -> str:
    """A submitted number as messages show it.

    >>> amount_text(Fraction(1, 2)), amount_text(LogSum(Fraction(1, 2)))
    ('0.5', '1/2')
    """
    return amount.text() if isinstance(amount, LogSum) else value_text(amount)


def number_part(
    where: Place, text: str, value: LogSum, claim: Amount, allowed: Fraction, terms: LogSum
) -> Part:
    """The verdict on a submitted number: it may be off by the share `allowed` of the terms' size.

    >>> half, two = Fraction(1, 2), LogSum(2)
    >>> [number_part(Place("step 1"), "no", two, 3, most, two).status for most in (half, half / 2)]
    ['VERIFIED', 'REFUTED']
    """
    above, tolerance = value - as_sum(claim), terms * allowed
    off, is_off = abs(above.near()), above + tolerance < LogSum() or tolerance < above
    wrong = (Violation(where, text, off),) * is_off
    return Part(status_of(True, is_off), off, wrong, scale=terms.near())


def claim_parts(
    pruning: Pruning, where: Place, stage: Stage, claim: Claim, allowed: Fraction
) -> list[Part]:
    """The verdicts on all that is said of a pruned tree, which should be the tree of the stage."""
    faults: list[Violation] = []
    count = len(stage.leaf_nodes)
    if claim.leaves is not None and claim.leaves != count:
        best = f"the smallest minimiser, with G = {_G(stage).text()}, has {count}"
        text = f"has {leaves_text(claim.leaves)}, but {best}"
        faults.append(Violation(where, text, Fraction(abs(claim.leaves - count))))
    if claim.leaf_nodes is not None:
        faults += _tree_faults(pruning, where, stage, claim.leaf_nodes)
    if claim.collapsed is not None:
        faults += _collapse_faults(pruning, where, stage, claim.collapsed)
    if claim.tree is not None:
        found = _matched(pruning, claim.tree)
        if isinstance(found, str):
            faults.append(Violation(where, found, Fraction(0)))
        else:
            faults += _label_faults(pruning, where, claim.tree, found)
            ends = (at for other, at in found.items() if claim.tree[other].question is None)
            faults += _tree_faults(pruning, where, stage, frozenset(ends))
    parts = [Part("REFUTED", None, tuple(faults))] if faults else []
    if claim.risk is not None:
        whose = "the leaves of the smallest minimiser" if faults else "its leaves"
        text = f"risk {amount_text(claim.risk)}, but {whose} have {stage.risk.text()}"
        parts.append(number_part(where, text, stage.risk, claim.risk, allowed, stage.risk))
    return parts


def _label_faults(
    pruning: Pruning, where: Place, pruned: Tree, found: Mapping[int, int]
) -> Iterator[Violation]:
    """The wrong labels; `found`: the node of the grown tree for each node of the pruned one."""
    for other, at in found.items():
        label, counts = pruned[other].label, pruning.counts[at]
        wrong = label is not None and label_fault(pruning.data, label, counts, pruning.costs[at])
        if wrong:
            text, amount = wrong
            node, share = pruning.named(at), Fraction(sum(counts), pruning.data.total)
            yield Violation(where.then(node, node.at), text, amount * share, amount)


def _G(stage: Stage) -> LogSum:
    return stage.risk + stage.lam * len(stage.leaf_nodes)


def _tree_faults(
    pruning: Pruning, where: Place, stage: Stage, leaf_nodes: frozenset[int]
) -> Iterator[Violation]:
    if leaf_nodes == stage.leaf_nodes:
        return
    tree = pruning.problem.tree
    reached = leaves_below(tree, 0, leaf_nodes)
    stray = sorted(leaf_nodes.symmetric_difference(reached))
    if stray:
        kind = "is below another of its leaves" if stray[0] in leaf_nodes else "is left without one"
        text = f"has no leaf on, or two leaves on, one path: {pruning.named(stray[0])} {kind}"
        yield Violation(where, text, Fraction(len(stray)))
        return
    own, best = pruning.total(leaf_nodes) + stage.lam * len(leaf_nodes), _G(stage)
    text = f"G = {own.text()} with its {leaves_text(len(leaf_nodes))}"
    text += f", but {best.text()} with the {len(stage.leaf_nodes)} of the smallest minimiser"
    text += f", such as {pruning.named(min(stage.leaf_nodes - leaf_nodes))}"
    more = (own - best).near()
    # Where one tree ends and the other goes on, λ was compared with a difference of risks, of which
    # programs compute each as a part of its parent's.
    differ = stage.leaf_nodes ^ leaf_nodes
    tops = differ.difference(top_down(tree, (c for n in differ for c in tree[n].children)))
    above = [n for n, node in enumerate(tree) if not tops.isdisjoint(node.children)] or [0]
    smallest = min(sum(pruning.counts[n]) for n in above) * pruning.unit
    yield Violation(where, text, more, more / smallest if smallest else None)


def _collapse_faults(
    pruning: Pruning, where: Place, stage: Stage, collapsed: frozenset[int]
) -> Iterator[Violation]:
    missing = sorted(stage.collapsed - collapsed)
    extra = sorted(collapsed.difference(top_down(pruning.problem.tree, stage.collapsed)))
    if missing:
        text = f"has to collapse {pruning.named(missing[0])}"
        yield Violation(where, text, Fraction(len(missing)))
    elif extra:
        text = f"must not collapse {pruning.named(extra[0])}"
        yield Violation(where, text, Fraction(len(extra)))


def _matched(pruning: Pruning, pruned: Tree) -> dict[int, int] | str:
    """The node of the grown tree for each node of the pruned one, or why there is none.

    Two questions agree if they give the same answers on the node's rows; at a node without rows all
    of them do.
    """
    data, grown = pruning.data, pruning.problem.tree
    found = {}
    waiting: list[tuple[int, int, Sequence[int]]] = [(0, 0, range(len(data.sample.y)))]
    while waiting:
        at, other, rows = waiting.pop()
        found[other] = at
        question, asked = grown[at].question, pruned[other].question
        if asked is None:
            continue
        if question is None:
            return f"splits {pruning.named(at)}, a leaf of the grown tree"
        parts = data.split(question, rows)
        if data.split(asked, rows) != parts:
            words = question_text(data, asked), question_text(data, question)
            return f"asks {words[0]} at {pruning.named(at)}, and the grown tree {words[1]}"
        waiting += zip(grown[at].children, pruned[other].children, parts)
    return found


def leaves_text(count: int) -> str:
    """A number of leaves.

    >>> leaves_text(1), leaves_text(2)
    ('1 leaf', '2 leaves')
    """
    return counted(count, "leaf", "leaves")
