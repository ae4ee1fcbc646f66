"""Is this how the grown tree is pruned? Decided by dynamic programming, exactly.

Covers [lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"].

    risk(n)   |n| F(n) for an impurity F, where |n| is the weight of the node's rows. With the
              impurity "misclassification" this is the 0-1 risk. "cost" is the total cost of the
              cheapest label. With `per_row` every risk is divided by the weight of all rows, as
              libraries do
    G_λ(T)    the risk of the leaves of T plus λ times their number

For one λ the pruned tree must be the smallest minimiser of G_λ. A sequence must consist of all
smallest minimisers for λ ≥ 0 in order, each with the least λ at which it is one; at that λ it and
the one before have the same G_λ. The first has λ = 0 or no λ. The label of a node must be a class
of the largest weight in its rows, or one of least cost if there are costs.

The first tree may be the grown one, as in the lecture, or the smallest minimiser at λ = 0, which
has fewer leaves where splits don't lessen the risk. In the first case those splits collapse in the
next step, which has λ = 0 as well. Apart from that, λ increases.

Trees and labels are compared exactly. A submitted λ or risk may be off by the share `allowed` of
the sum of its terms' absolute values. For a risk, a sum of terms that aren't negative, that is the
risk. A λ is the risk that a collapse adds for each leaf that it saves, (after − before)/leaves, and
counts relative to (after + before)/leaves.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, zip_longest
from typing import Literal

from refmc.checker.numbers.logarithms import LogSum
from refmc.checker.parts import Part, combined, counted
from refmc.checker.trees.data import Data, Sample, Tree, prepare, shape_fault, too_long, top_down
from refmc.checker.trees.impurity import ImpurityName, impurity_of
from refmc.checker.trees.minimisers import Collapse, Stage, collapse_points, leaves_below, stages
from refmc.checker.trees.words import label_fault, place, question_text, value_text
from refmc.checker.verdict import Place, Verdict, Violation

__all__ = ["Amount", "Claim", "PruningProblem", "Step", "judge_at", "judge_sequence"]

FAMILY = "tree.prune"

Amount = LogSum | Fraction | int


@dataclass(frozen=True, kw_only=True)
class PruningProblem:
    """The grown tree, its sample, and the risk; the risk "cost" needs a sample with costs."""

    sample: Sample
    tree: Tree
    risk: ImpurityName | Literal["cost"] = "misclassification"
    per_row: bool = False


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


@dataclass(frozen=True)
class Step:
    """A pruned tree, and the least λ at which it is claimed to be the smallest minimiser."""

    lam: Amount | None
    claim: Claim


@dataclass(frozen=True)
class _Pruning:
    """The problem, with the class weights, the costs and the risk of each node, and its α (see
    `minimisers`)."""

    problem: PruningProblem
    data: Data
    counts: list[list[int]]
    costs: list[list[Fraction]]
    risk: list[LogSum]
    alpha: list[Collapse | None]

    def stages(self) -> Iterator[Stage]:
        return stages(self.problem.tree, self.risk, self.alpha)


def judge_at(
    problem: PruningProblem, lam: Amount, claim: Claim, allowed: Fraction = Fraction(0)
) -> Verdict:
    """Whether the claimed tree is the smallest minimiser of G_λ at `lam`, or near enough to it.

    The gap is the distance from `lam` to the nearest λ at which it is the smallest minimiser.

    >>> from refmc.checker.trees.data import Node, Threshold
    >>> grown = PruningProblem(sample=Sample(X=[[1], [2], [3]], y=(0, 1, 1), k=2),
    ...                 tree=[Node(Threshold(0, 1), 1, 2), Node(), Node()])
    >>> bool(judge_at(grown, Fraction(1), Claim(leaves=1)))
    True
    >>> print(judge_at(grown, Fraction(1, 2), Claim(leaves=1)).explain())
    REFUTED  tree.prune  3 rows, 2 classes, misclassification; 2 leaves; lam = 0.5
      worst    the pruned tree: has 1 leaf, but the smallest minimiser, with G = 1, has 2
    """
    _refuse_misuse(problem, [claim])
    pruning = _worked_out(problem)
    if isinstance(pruning, Part):
        return _verdict(problem, f"lam = {_text(lam)}", [pruning], allowed)
    wanted = _sum(lam)
    outcomes = [_judged_at(pruning, wanted, False, claim, allowed)]
    if not _is_right(outcomes[0]):
        # The smallest minimiser changes only where λ passes some α. A λ that is a bit off may be on
        # either side of an α near it, but the whole claim must be right for one of these trees.
        for collapse in pruning.alpha:
            if collapse is None or not (collapse.terms * allowed).sign():
                continue
            if not _is_off(collapse.at, lam, allowed, collapse.terms):
                off = abs((collapse.at - wanted).near())
                for just_before in (False, True):
                    found = _judged_at(pruning, collapse.at, just_before, claim, allowed)
                    outcomes.append([*found, Part("VERIFIED", off, scale=collapse.terms.near())])
    best = min(filter(_is_right, outcomes), key=_gap_of, default=outcomes[0])
    return _verdict(problem, f"lam = {_text(lam)}", best, allowed)


def _is_right(parts: Sequence[Part]) -> bool:
    return all(part.status == "VERIFIED" for part in parts)


def _gap_of(parts: Sequence[Part]) -> Fraction:
    return max((part.gap for part in parts if part.gap is not None), default=Fraction(0))


def _judged_at(
    pruning: _Pruning, lam: LogSum, just_before: bool, claim: Claim, allowed: Fraction
) -> list[Part]:
    """The claim, judged by the smallest minimiser at λ, or by that of all λ just below it."""
    tree = pruning.problem.tree
    leaf_nodes, waiting = set(), [0]
    while waiting:
        n = waiting.pop()
        own = pruning.alpha[n]
        if own is None or own.at < lam or (not just_before and own.at == lam):
            leaf_nodes.add(n)
        else:
            waiting += [tree[n].negative, tree[n].positive]
    inner = frozenset(n for n in leaf_nodes if tree[n].question is not None)
    risk = _total(pruning.risk, leaf_nodes)
    stage = Stage(lam, LogSum(), inner, leaf_nodes, risk)
    return _claim_parts(pruning, Place("the pruned tree", {"field": "tree"}), stage, claim, allowed)


def judge_sequence(problem: PruningProblem, steps: Sequence[Step], allowed: Fraction) -> Verdict:
    """Whether the steps are the smallest minimisers for all λ, in order.

    The gap is that of the λ and the risks; a wrong tree has none.

    >>> from refmc.checker.trees.data import Node, Threshold
    >>> grown = PruningProblem(sample=Sample(X=[[1], [2], [3]], y=(0, 1, 1), k=2),
    ...                 tree=[Node(Threshold(0, 1), 1, 2), Node(), Node()])
    >>> steps = [Step(Fraction(0), Claim(leaves=2)), Step(Fraction(1, 3), Claim(leaves=1))]
    >>> print(judge_sequence(grown, steps, Fraction(0)).explain())
    REFUTED  tree.prune  3 rows, 2 classes, misclassification; 2 leaves; 2 steps
      gap      2/3 (6.7e-1), relative 6.7e-1; allowed 0
      worst    step 1: lam = 1/3, but G is equal for this tree and the one before at 1
    """
    _refuse_misuse(problem, [step.claim for step in steps])
    pruning = _worked_out(problem)
    if isinstance(pruning, Part):
        return _verdict(problem, counted(len(steps), "step"), [pruning], allowed)
    outcomes = [_aligned(pruning, pruning.stages(), steps, allowed)]
    if any(own is not None and own.at == LogSum() for own in pruning.alpha):
        without_grown = islice(pruning.stages(), 1, None)
        outcomes.append(_aligned(pruning, without_grown, steps, allowed))
    parts = min(outcomes, key=lambda parts: sum(len(part.violations) for part in parts))
    return _verdict(problem, counted(len(steps), "step"), parts, allowed)


def _refuse_misuse(problem: PruningProblem, claims: Sequence[Claim]) -> None:
    trees = [problem.tree, *(claim.tree for claim in claims if claim.tree is not None)]
    for fault in (shape_fault(tree, problem.sample) for tree in trees):
        if fault is not None:
            raise ValueError(f"node {fault[0]} {fault[1]}")
    for claim in claims:
        for n in (claim.leaf_nodes or frozenset()) | (claim.collapsed or frozenset()):
            if not 0 <= n < len(problem.tree):
                raise ValueError(f"node {n} is not among the {len(problem.tree)} nodes")


def _worked_out(problem: PruningProblem) -> _Pruning | Part:
    """The problem with what follows from it, or the part that says why it stays open."""
    data = prepare(problem.sample)
    hint = too_long(data, problem.risk)
    if hint:
        return Part("INCONCLUSIVE", hint=hint)
    factor = Fraction(1, data.total) if problem.per_row else data.unit
    counts, costs = _counts(data, problem.tree)
    risk = [_risk(problem, *own) * factor for own in zip(counts, costs)]
    return _Pruning(problem, data, counts, costs, risk, collapse_points(problem.tree, risk))


def _counts(data: Data, tree: Tree) -> tuple[list[list[int]], list[list[Fraction]]]:
    """The class weights and costs of every node: a leaf's from its rows, others from children."""
    counts = [[0] * data.sample.k for _ in tree]
    costs = [[Fraction(0)] * data.sample.k for _ in tree]
    waiting: list[tuple[int, Sequence[int]]] = [(0, range(len(data.sample.y)))]
    while waiting:
        n, rows = waiting.pop()
        question = tree[n].question
        if question is None:
            counts[n], costs[n] = data.counts(rows), data.costs(rows)
        else:
            no, yes = data.split(question, rows)
            waiting += [(tree[n].negative, no), (tree[n].positive, yes)]
    for n in reversed(top_down(tree)):
        if tree[n].question is not None:
            left, right = tree[n].negative, tree[n].positive
            counts[n] = [u + v for u, v in zip(counts[left], counts[right], strict=True)]
            costs[n] = [u + v for u, v in zip(costs[left], costs[right], strict=True)]
    return counts, costs


def _risk(problem: PruningProblem, counts: Sequence[int], costs: Sequence[Fraction]) -> LogSum:
    if problem.risk != "cost":
        return impurity_of(problem.risk).risk(counts) if any(counts) else LogSum()
    return LogSum(min(costs))


def _total(risk: Sequence[LogSum], nodes: Iterable[int]) -> LogSum:
    total = LogSum()
    for n in nodes:
        total = total + risk[n]
    return total


def _aligned(
    pruning: _Pruning, wanted: Iterator[Stage], steps: Sequence[Step], allowed: Fraction
) -> list[Part]:
    """The verdicts on the steps, each judged by the stage at the same position.

    If their numbers differ, a missing or an extra step makes all later ones wrong, so only the
    parts up to the first fault are kept.
    """
    parts: list[Part] = []
    stage_count, after_first = 0, 0
    for i, (stage, step) in enumerate(zip_longest(wanted, steps)):
        stage_count += stage is not None
        if stage is None or step is None:
            continue
        parts += _lam_parts(i, stage, step, allowed)
        parts += _claim_parts(pruning, Place.of("step", i), stage, step.claim, allowed)
        if not after_first and any(part.violations for part in parts):
            after_first = len(parts)
    if stage_count != len(steps):
        missing = stage_count - len(steps)
        text = f"has {len(steps)} steps, but from the first to the root alone there are "
        fault = Violation("the sequence", f"{text}{stage_count}", Fraction(abs(missing)))
        parts = [*parts[:after_first], _wrong([fault])]
    return parts


def _wrong(faults: Sequence[Violation]) -> Part:
    return Part("REFUTED", None, tuple(faults))


def _sum(amount: Amount) -> LogSum:
    return amount if isinstance(amount, LogSum) else LogSum(amount)


def _text(amount: Amount) -> str:
    return amount.text() if isinstance(amount, LogSum) else value_text(amount)


def _is_off(value: LogSum, claim: Amount, allowed: Fraction, terms: LogSum) -> bool:
    above, tolerance = value - _sum(claim), terms * allowed
    return above + tolerance < LogSum() or tolerance < above


def _number_part(
    where: Place, text: str, value: LogSum, claim: Amount, allowed: Fraction, terms: LogSum
) -> Part:
    """The verdict on a submitted number, by the exact value and the size of its terms."""
    off = abs((value - _sum(claim)).near())
    if not _is_off(value, claim, allowed, terms):
        return Part("VERIFIED", off, scale=terms.near())
    return Part("REFUTED", off, (Violation(where, text, off),), scale=terms.near())


def _lam_parts(i: int, stage: Stage, step: Step, allowed: Fraction) -> list[Part]:
    where = Place.of("step", i)
    if step.lam is None and i == 0:
        return []
    if step.lam is None:
        return [_wrong([Violation(where, "has no lam; only the first needs none", Fraction(0))])]
    needed = "but G is equal for this tree and the one before at" if i else "but the first has"
    text = f"lam = {_text(step.lam)}, {needed} {stage.lam.text()}"
    return [_number_part(where, text, stage.lam, step.lam, allowed, stage.terms)]


def _claim_parts(
    pruning: _Pruning, where: Place, stage: Stage, claim: Claim, allowed: Fraction
) -> list[Part]:
    """The verdicts on all claims about a pruned tree, which should be the tree of the stage."""
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
            faults += _label_faults(pruning, where, claim.tree, found)
            leaf_nodes = frozenset(
                at for other, at in found.items() if claim.tree[other].question is None
            )
            faults += _tree_faults(pruning, where, stage, leaf_nodes)
    parts = [_wrong(faults)] if faults else []
    if claim.risk is not None:
        text = f"risk {_text(claim.risk)}, but its leaves have {stage.risk.text()}"
        parts.append(_number_part(where, text, stage.risk, claim.risk, allowed, stage.risk))
    return parts


def _label_faults(
    pruning: _Pruning, where: Place, pruned: Tree, found: Mapping[int, int]
) -> Iterator[Violation]:
    """The wrong labels; `found`: the node of the grown tree for each node of the pruned one."""
    for other, at in found.items():
        label = pruned[other].label
        if label is not None:
            wrong = label_fault(pruning.data, label, pruning.counts[at], pruning.costs[at])
            if wrong is not None:
                text, amount = wrong
                share = Fraction(sum(pruning.counts[at]), pruning.data.total)
                node = _named(pruning, at)
                yield Violation(where.then(node, node.at), text, amount * share)


def _G(stage: Stage) -> LogSum:
    return stage.risk + stage.lam * len(stage.leaf_nodes)


def _tree_faults(
    pruning: _Pruning, where: Place, stage: Stage, leaf_nodes: frozenset[int]
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
    pruning: _Pruning, where: Place, stage: Stage, collapsed: frozenset[int]
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


def _matched(pruning: _Pruning, pruned: Tree) -> dict[int, int] | str:
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
            return f"splits {_named(pruning, at)}, a leaf of the grown tree"
        no, yes = data.split(question, rows)
        if data.split(asked, rows) != (no, yes):
            words = question_text(data, asked), question_text(data, question)
            return f"asks {words[0]} at {_named(pruning, at)}, and the grown tree {words[1]}"
        waiting.append((grown[at].negative, pruned[other].negative, no))
        waiting.append((grown[at].positive, pruned[other].positive, yes))
    return found


def _named(pruning: _Pruning, n: int) -> Place:
    return place(pruning.data, pruning.problem.tree, n)


def _verdict(
    problem: PruningProblem, what: str, parts: Sequence[Part], allowed: Fraction
) -> Verdict:
    sample = problem.sample
    size = f"{counted(len(sample.y), 'row')}, {counted(sample.k, 'class', 'classes')}"
    grown = _leaves(sum(node.question is None for node in problem.tree))
    summary = f"{size}, {problem.risk}; {grown}; {what}"
    if _is_right(parts):
        return combined(FAMILY, summary, [*parts, Part("VERIFIED", Fraction(0))], allowed)
    # Where a tree is wrong, the small errors of right numbers would be a misleading gap.
    return combined(FAMILY, summary, [p for p in parts if p.violations or p.hint], allowed)


def _leaves(count: int) -> str:
    return counted(count, "leaf", "leaves")
