"""Is this how the grown tree is pruned?  Decided by dynamic programming, exactly.

Covers [lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"].

    risk(n)    |n| F(n) for an impurity F, where |n| is the weight of the rows; misclassification is
               the 0-1 risk.  With `per_row` it is divided by the weight of all rows, as libraries do
    G(T)       the risk of the leaves of T plus lambda times their number

For one lambda, the pruned tree must be the smallest minimiser of G.  A sequence must hold all the
smallest minimisers for lambda >= 0, in order, each with the lambda from which on it is one: there G
is equal for it and for the one before.  The first has lambda 0, or none.

The first may be the grown tree, as the lecture has it, or the smallest minimiser at 0, which is
smaller where splits gain nothing.  In the first case those splits collapse in the next step, of
lambda 0 as well; apart from that, lambdas increase.

Trees are compared exactly; lambdas and risks may be off by `allowed`, which rounded numbers need (the
critical lambdas of the entropy are irrational).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, zip_longest

from refmc.checker.numbers.logarithms import LogSum
from refmc.checker.parts import MOST_VIOLATIONS, counted
from refmc.checker.trees.data import (
    Data,
    Sample,
    Tree,
    place,
    prepare,
    question_text,
    shape_fault,
    value_text,
    visits,
)
from refmc.checker.trees.impurity import IMPURITIES, ImpurityName
from refmc.checker.trees.minimisers import Stage, collapse_points, leaves_below, stages
from refmc.checker.trees.order import top_down
from refmc.checker.verdict import Status, Verdict, Violation

__all__ = ["Amount", "Claim", "Problem", "Step", "judge_at", "judge_sequence"]

FAMILY = "tree.prune"

Amount = LogSum | Fraction | int


@dataclass(frozen=True, kw_only=True)
class Problem:
    """The grown tree, its sample, and the risk."""

    sample: Sample
    tree: Tree
    risk: ImpurityName = "misclassification"
    per_row: bool = False


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What is said of a pruned tree; positions are those of the grown tree.

    `leaves`: how many it has.  `leaf_nodes`: which they are.  `collapsed`: the inner nodes that
    became leaves (in a sequence: since the step before); nodes below them may be named as well.
    `tree`: the pruned tree by its own nodes.  `risk`: the sum over its leaves.
    """

    leaves: int | None = None
    leaf_nodes: frozenset[int] | None = None
    collapsed: frozenset[int] | None = None
    tree: Tree | None = None
    risk: Amount | None = None


@dataclass(frozen=True)
class Step:
    """A pruned tree, and the lambda from which on it is the smallest minimiser."""

    lam: Amount | None
    claim: Claim


@dataclass(frozen=True)
class _Pruning:
    """The problem, worked out: class weights and risk of each node, and where it collapses."""

    problem: Problem
    data: Data
    risk: list[LogSum]
    alpha: list[LogSum | None]

    def stages(self) -> Iterator[Stage]:
        return stages(self.problem.tree, self.risk, self.alpha)


def judge_at(
    problem: Problem, lam: Amount, claim: Claim, allowed: Fraction = Fraction(0)
) -> Verdict:
    """Whether the claimed tree is the smallest minimiser of G at `lam`, or within `allowed` of it.

    The gap is the distance to the nearest lambda at which it is.

    >>> from refmc.checker.trees.data import Node, Threshold
    >>> grown = Problem(sample=Sample(X=[[1], [2], [3]], y=(0, 1, 1), k=2),
    ...                 tree=[Node(Threshold(0, 1), 1, 2), Node(), Node()])
    >>> bool(judge_at(grown, Fraction(1), Claim(leaves=1)))
    True
    >>> print(judge_at(grown, Fraction(1, 2), Claim(leaves=1)).explain())
    REFUTED  tree.prune  3 rows, 2 classes, misclassification; 2 leaves; lam = 0.5
      worst    the pruned tree: has 1 leaf, but the smallest minimiser, with G = 1, has 2
    """
    _refuse_misuse(problem, [claim])
    pruning = _worked_out(problem)
    wanted = _sum(lam)
    faults = _faults_at(pruning, wanted, claim, allowed)
    gap = None if faults else Fraction(0)
    if faults:
        near = [
            alpha
            for alpha in pruning.alpha
            if alpha is not None and not _is_off(alpha, lam, allowed)
        ]
        near.append(max(LogSum(), wanted - LogSum(allowed)))
        right = [other for other in near if not _faults_at(pruning, other, claim, allowed)]
        if right:
            faults, gap = [], min(_distance(other, lam) for other in right)
    return _verdict(problem, f"lam = {_text(lam)}", faults, gap, allowed)


def _faults_at(pruning: _Pruning, lam: LogSum, claim: Claim, allowed: Fraction) -> list[Violation]:
    tree = pruning.problem.tree
    leaf_nodes = _smallest_minimiser(tree, pruning.alpha, lam)
    inner = frozenset(n for n in leaf_nodes if tree[n].question is not None)
    stage = Stage(lam, inner, leaf_nodes, _total(pruning.risk, leaf_nodes))
    return _claim_faults(pruning, "the pruned tree", stage, claim, allowed)


def judge_sequence(problem: Problem, steps: Sequence[Step], allowed: Fraction) -> Verdict:
    """Whether the steps are the smallest minimisers for all lambdas, in order.

    The gap is by how much the lambdas and risks are off, where the trees are right.

    >>> from refmc.checker.trees.data import Node, Threshold
    >>> grown = Problem(sample=Sample(X=[[1], [2], [3]], y=(0, 1, 1), k=2),
    ...                 tree=[Node(Threshold(0, 1), 1, 2), Node(), Node()])
    >>> steps = [Step(Fraction(0), Claim(leaves=2)), Step(Fraction(1, 3), Claim(leaves=1))]
    >>> print(judge_sequence(grown, steps, Fraction(0)).explain())
    REFUTED  tree.prune  3 rows, 2 classes, misclassification; 2 leaves; 2 steps
      worst    step 1: lam = 1/3, but G is equal for this tree and the one before at 1
    """
    _refuse_misuse(problem, [step.claim for step in steps])
    pruning = _worked_out(problem)
    outcomes = [_aligned(pruning, pruning.stages(), steps, allowed)]
    if any(alpha == LogSum() for alpha in pruning.alpha):
        without_grown = islice(pruning.stages(), 1, None)
        outcomes.append(_aligned(pruning, without_grown, steps, allowed))
    faults, gap = min(outcomes, key=lambda outcome: len(outcome[0]))
    count = counted(len(steps), "step")
    return _verdict(problem, count, faults, None if faults else gap, allowed)


def _refuse_misuse(problem: Problem, claims: Sequence[Claim]) -> None:
    trees = [problem.tree, *(claim.tree for claim in claims if claim.tree is not None)]
    for fault in (shape_fault(tree, problem.sample) for tree in trees):
        if fault is not None:
            raise ValueError(f"node {fault[0]} {fault[1]}")
    for claim in claims:
        for n in (claim.leaf_nodes or frozenset()) | (claim.collapsed or frozenset()):
            if not 0 <= n < len(problem.tree):
                raise ValueError(f"node {n} is not among the {len(problem.tree)} nodes")


def _worked_out(problem: Problem) -> _Pruning:
    data = prepare(problem.sample)
    factor = Fraction(1, data.total) if problem.per_row else data.unit
    measure = IMPURITIES[problem.risk].risk
    counts: dict[int, list[int]] = {
        visit.at: data.counts(visit.rows)
        for visit in visits(data, problem.tree)
        if problem.tree[visit.at].question is None
    }
    risk = [LogSum()] * len(problem.tree)
    for n in reversed(top_down(problem.tree)):
        node = problem.tree[n]
        if node.question is not None:
            no, yes = counts.pop(node.negative), counts.pop(node.positive)
            counts[n] = [u + v for u, v in zip(no, yes, strict=True)]
        risk[n] = measure(counts[n]) * factor
    return _Pruning(problem, data, risk, collapse_points(problem.tree, risk))


def _smallest_minimiser(tree: Tree, alpha: Sequence[LogSum | None], lam: LogSum) -> set[int]:
    """The leaves of the grown tree cut off at the topmost nodes with alpha <= lam."""
    leaf_nodes, waiting = set(), [0]
    while waiting:
        n = waiting.pop()
        own = alpha[n]
        if own is None or not lam < own:
            leaf_nodes.add(n)
        else:
            waiting += [tree[n].negative, tree[n].positive]
    return leaf_nodes


def _total(risk: Sequence[LogSum], nodes: Iterable[int]) -> LogSum:
    total = LogSum()
    for n in nodes:
        total = total + risk[n]
    return total


def _aligned(
    pruning: _Pruning, wanted: Iterator[Stage], steps: Sequence[Step], allowed: Fraction
) -> tuple[list[Violation], Fraction]:
    """The faults of the steps, each held against its stage, and by how much numbers are off.

    Where their numbers differ, all that follows the first fault is a consequence of it.
    """
    faults: list[Violation] = []
    gap, stage_count, first = Fraction(0), 0, 0
    for i, (stage, step) in enumerate(zip_longest(wanted, steps)):
        stage_count += stage is not None
        if stage is None or step is None:
            continue
        found = _lam_faults(i, stage, step, allowed)
        found += _claim_faults(pruning, f"step {i}", stage, step.claim, allowed)
        gap = max(gap, _distance(stage.lam, step.lam), _distance(stage.risk, step.claim.risk))
        first = first or len(found)
        faults += found
    if stage_count != len(steps):
        missing = stage_count - len(steps)
        text = f"has {len(steps)} steps, but from the first to the root alone there are "
        faults = faults[:first]
        faults.append(Violation("the sequence", f"{text}{stage_count}", Fraction(abs(missing))))
        return faults, gap
    return sorted(faults, key=lambda fault: -fault.amount), gap


def _sum(amount: Amount) -> LogSum:
    return amount if isinstance(amount, LogSum) else LogSum(amount)


def _text(amount: Amount) -> str:
    return amount.text() if isinstance(amount, LogSum) else value_text(amount)


def _distance(value: LogSum, claim: Amount | None) -> Fraction:
    return Fraction(0) if claim is None else abs((value - _sum(claim)).near())


def _is_off(value: LogSum, claim: Amount | None, allowed: Fraction) -> bool:
    if claim is None:
        return False
    above = value - _sum(claim)
    return above < LogSum(-allowed) or LogSum(allowed) < above


def _lam_faults(i: int, stage: Stage, step: Step, allowed: Fraction) -> list[Violation]:
    if step.lam is None and i == 0:
        return []
    if step.lam is None:
        return [Violation(f"step {i}", "has no lam; only the first needs none", Fraction(0))]
    if not _is_off(stage.lam, step.lam, allowed):
        return []
    needed = "but G is equal for this tree and the one before at" if i else "but the first has"
    text = f"lam = {_text(step.lam)}, {needed} {stage.lam.text()}"
    return [Violation(f"step {i}", text, _distance(stage.lam, step.lam))]


def _claim_faults(
    pruning: _Pruning, where: str, stage: Stage, claim: Claim, allowed: Fraction
) -> list[Violation]:
    """What is wrong about a claimed tree, which should be the one of the stage."""
    faults = []
    count = len(stage.leaf_nodes)
    if claim.leaves is not None and claim.leaves != count:
        best = f"the smallest minimiser, with G = {_G(stage).text()}, has {count}"
        text = f"has {_leaves(claim.leaves)}, but {best}"
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
            faults += _tree_faults(pruning, where, stage, found)
    if _is_off(stage.risk, claim.risk, allowed):
        assert claim.risk is not None
        text = f"risk {_text(claim.risk)}, but its leaves have {stage.risk.text()}"
        faults.append(Violation(where, text, _distance(stage.risk, claim.risk)))
    return faults


def _G(stage: Stage) -> LogSum:
    return stage.risk + stage.lam * len(stage.leaf_nodes)


def _tree_faults(
    pruning: _Pruning, where: str, stage: Stage, leaf_nodes: frozenset[int]
) -> list[Violation]:
    if leaf_nodes == stage.leaf_nodes:
        return []
    tree = pruning.problem.tree
    reached = leaves_below(tree, 0, leaf_nodes)
    stray = sorted(leaf_nodes.symmetric_difference(reached))
    if stray:
        kind = "is below another of its leaves" if stray[0] in leaf_nodes else "is left without one"
        text = f"has no leaf on, or two leaves on, one path: {_named(pruning, stray[0])} {kind}"
        return [Violation(where, text, Fraction(len(stray)))]
    own = _total(pruning.risk, leaf_nodes) + stage.lam * len(leaf_nodes)
    best = _G(stage)
    text = f"G = {own.text()} with its {_leaves(len(leaf_nodes))}"
    text += f", but {best.text()} with the {len(stage.leaf_nodes)} of the smallest minimiser"
    text += f", such as {_named(pruning, min(stage.leaf_nodes - leaf_nodes))}"
    return [Violation(where, text, (own - best).near())]


def _collapse_faults(
    pruning: _Pruning, where: str, stage: Stage, collapsed: frozenset[int]
) -> list[Violation]:
    missing = sorted(stage.collapsed - collapsed)
    if missing:
        text = f"has to collapse {_named(pruning, missing[0])}"
        return [Violation(where, text, Fraction(len(missing)))]
    below = _below(pruning.problem.tree, stage.collapsed) if collapsed - stage.collapsed else set()
    extra = sorted(collapsed - stage.collapsed - below)
    if extra:
        text = f"must not collapse {_named(pruning, extra[0])}"
        return [Violation(where, text, Fraction(len(extra)))]
    return []


def _below(tree: Tree, nodes: Iterable[int]) -> set[int]:
    found, waiting = set[int](), list(nodes)
    while waiting:
        node = tree[waiting.pop()]
        if node.question is not None:
            found |= {node.negative, node.positive}
            waiting += [node.negative, node.positive]
    return found


def _matched(pruning: _Pruning, pruned: Tree) -> frozenset[int] | str:
    """The nodes of the grown tree that the leaves of the pruned one are, or why there are none.

    Questions count by what they say of the rows, and a node without rows agrees with any other.
    """
    data, grown = pruning.data, pruning.problem.tree
    leaf_nodes = set()
    waiting: list[tuple[int, int, Sequence[int]]] = [(0, 0, range(len(data.sample.y)))]
    while waiting:
        at, other, rows = waiting.pop()
        question, asked = grown[at].question, pruned[other].question
        if asked is None:
            leaf_nodes.add(at)
            continue
        if question is None:
            return f"splits {_named(pruning, at)}, a leaf of the grown tree"
        no, yes = data.split(question, rows)
        if data.split(asked, rows) != (no, yes):
            words = question_text(data, asked), question_text(data, question)
            return f"asks {words[0]} at {_named(pruning, at)}, and the grown tree {words[1]}"
        waiting.append((grown[at].negative, pruned[other].negative, no))
        waiting.append((grown[at].positive, pruned[other].positive, yes))
    return frozenset(leaf_nodes)


def _named(pruning: _Pruning, n: int) -> str:
    return place(pruning.data, pruning.problem.tree, n)


def _verdict(
    problem: Problem,
    what: str,
    faults: Sequence[Violation],
    gap: Fraction | None,
    allowed: Fraction,
) -> Verdict:
    status: Status = "REFUTED" if faults else "VERIFIED"
    sample = problem.sample
    size = f"{counted(len(sample.y), 'row')}, {counted(sample.k, 'class', 'classes')}"
    grown = _leaves(sum(node.question is None for node in problem.tree))
    summary = f"{size}, {problem.risk}; {grown}; {what}"
    worst = tuple(faults[:MOST_VIOLATIONS])
    return Verdict(status, FAMILY, summary, gap, allowed, None, worst)


def _leaves(count: int) -> str:
    return counted(count, "leaf", "leaves")
