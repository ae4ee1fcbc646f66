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

Trees and labels are compared exactly, and so is the λ for which one tree is given. A risk, or a λ
of a sequence, may be off by the share `allowed` of the sum of its terms' absolute values. For a
risk, a sum of terms that aren't negative, that is the risk. A λ of a sequence is the risk that a
collapse adds for each leaf that it saves, (after − before)/leaves, and counts relative to
(after + before)/leaves.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice, zip_longest
from typing import NamedTuple

from refmc.checker.numbers.logarithms import LogSum
from refmc.checker.numbers.rounding import Rounded
from refmc.checker.parts import Part, combined, counted, refuted
from refmc.checker.trees.claims import (
    Amount,
    Claim,
    Pruning,
    PruningProblem,
    amount_text,
    as_sum,
    claim_parts,
    leaves_text,
    number_part,
)
from refmc.checker.trees.data import prepare, too_long
from refmc.checker.trees.impurity import impurity_of
from refmc.checker.trees.minimisers import Stage, collapse_points, stages
from refmc.checker.verdict import Place, Verdict

__all__ = ["Amount", "Claim", "PruningProblem", "Step", "judge_at", "judge_sequence"]

FAMILY = "tree.prune"


class Step(NamedTuple):
    """A pruned tree, and the least λ at which it is claimed to be the smallest minimiser."""

    lam: Amount | None
    claim: Claim


def judge_at(
    problem: PruningProblem, lam: Amount | Rounded, claim: Claim, allowed: Fraction = Fraction(0)
) -> Verdict:
    """Whether the claimed tree is the smallest minimiser of G_λ at `lam`.

    `allowed`: how far a risk may be off. Unless that is 0, a rounded λ stands for all that round to
    it. Where one of these is an α, the tree may be that of either side of it, and the gap is the
    distance of λ from that α.

    >>> from refmc.checker.trees.data import Node, Sample, Threshold
    >>> grown = PruningProblem(sample=Sample(X=[[1], [2], [3]], y=(0, 1, 1), k=2),
    ...                 tree=[Node(Threshold(0, 1), 1, 2), Node(), Node()])
    >>> bool(judge_at(grown, Fraction(1), Claim(leaves=1)))
    True
    >>> print(judge_at(grown, Fraction(1, 2), Claim(leaves=1)).explain())
    REFUTED  tree.prune  3 rows, 2 classes, misclassification; 2 leaves; lam = 0.5
      worst    the pruned tree: has 1 leaf, but the smallest minimiser, with G = 1, has 2
    """
    exact = lam.value if isinstance(lam, Rounded) else lam
    pruning = _worked_out(problem)
    if isinstance(pruning, Part):
        return _verdict(problem, f"lam = {amount_text(exact)}", [pruning], allowed)
    wanted = as_sum(exact)
    outcomes = [_judged_at(pruning, wanted, False, claim, allowed)]
    if allowed and isinstance(lam, Rounded) and lam.width and not _is_right(outcomes[0]):
        # The smallest minimiser changes only where λ passes some α. A rounded λ may be on either
        # side of an α near it, but the whole claim must be right for one of these trees.
        low, high = LogSum(lam.low), LogSum(lam.high)
        for collapse in pruning.alpha:
            if collapse is None or not low <= collapse.at <= high:
                continue
            if not lam.closed and collapse.at in (low, high):
                continue
            off = abs((collapse.at - wanted).near())
            for just_before in (False, True) if collapse.at.sign() else (False,):  # no λ is below 0
                found = _judged_at(pruning, collapse.at, just_before, claim, allowed)
                outcomes.append([*found, Part("VERIFIED", off, scale=collapse.terms.near())])
    best = min(filter(_is_right, outcomes), key=_gap_of, default=outcomes[0])
    return _verdict(problem, f"lam = {amount_text(exact)}", best, allowed)


def _is_right(parts: Sequence[Part]) -> bool:
    return all(part.status == "VERIFIED" for part in parts)


def _gap_of(parts: Sequence[Part]) -> Fraction:
    return max((part.gap for part in parts if part.gap is not None), default=Fraction(0))


def _judged_at(
    pruning: Pruning, lam: LogSum, just_before: bool, claim: Claim, allowed: Fraction
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
            waiting += tree[n].children
    inner = frozenset(n for n in leaf_nodes if tree[n].question is not None)
    stage = Stage(lam, LogSum(), inner, leaf_nodes, pruning.total(leaf_nodes))
    return claim_parts(pruning, Place("the pruned tree", {"field": "tree"}), stage, claim, allowed)


def judge_sequence(problem: PruningProblem, steps: Sequence[Step], allowed: Fraction) -> Verdict:
    """Whether the steps are the smallest minimisers for all λ, in order.

    The gap is that of the λ and the risks; a wrong tree has none.

    >>> from refmc.checker.trees.data import Node, Sample, Threshold
    >>> grown = PruningProblem(sample=Sample(X=[[1], [2], [3]], y=(0, 1, 1), k=2),
    ...                 tree=[Node(Threshold(0, 1), 1, 2), Node(), Node()])
    >>> steps = [Step(Fraction(0), Claim(leaves=2)), Step(Fraction(1, 3), Claim(leaves=1))]
    >>> print(judge_sequence(grown, steps, Fraction(0)).explain())
    REFUTED  tree.prune  3 rows, 2 classes, misclassification; 2 leaves; 2 steps
      gap      2/3 (6.7e-1), relative 6.7e-1; allowed 0
      worst    step 1: lam = 1/3, but G is equal for this tree and the one before at 1
    """
    pruning = _worked_out(problem)
    if isinstance(pruning, Part):
        return _verdict(problem, counted(len(steps), "step"), [pruning], allowed)
    minimisers = partial(stages, problem.tree, pruning.risk, pruning.alpha)
    outcomes = [_aligned(pruning, minimisers(), steps, allowed)]
    if any(own is not None and own.at == LogSum() for own in pruning.alpha):
        without_grown = islice(minimisers(), 1, None)
        outcomes.insert(0, _aligned(pruning, without_grown, steps, allowed))
    _, parts = max(outcomes, key=_long_right_with_few_faults)
    return _verdict(problem, counted(len(steps), "step"), parts, allowed)


def _worked_out(problem: PruningProblem) -> Pruning | Part:
    """The problem with what follows from it, or the part that says why it stays open."""
    data = prepare(problem.sample)
    hint = too_long(data, problem.risk)
    if hint:
        return Part("INCONCLUSIVE", hint=hint)
    tree, k = problem.tree, problem.sample.k
    counts, costs = [[0] * k for _ in tree], [[Fraction(0)] * k for _ in tree]
    waiting: list[tuple[int, Sequence[int]]] = [(0, range(len(data.sample.y)))]
    while waiting:
        n, rows = waiting.pop()
        counts[n], costs[n] = data.counts(rows), data.costs(rows)
        question = tree[n].question
        if question is not None:
            waiting += zip(tree[n].children, data.split(question, rows))
    if problem.risk == "cost":
        risk = [LogSum(min(own)) for own in costs]
    else:
        risk = list(map(impurity_of(problem.risk).risk, counts))
    unit = Fraction(1, data.total) if problem.per_row else data.unit
    risk = [own * unit for own in risk]
    return Pruning(problem, data, counts, costs, risk, collapse_points(tree, risk), unit)


def _aligned(
    pruning: Pruning, wanted: Iterator[Stage], steps: Sequence[Step], allowed: Fraction
) -> tuple[int, list[Part]]:
    """How many steps are right before the first fault, and the verdicts on all steps.

    Each is judged by the stage at the same position. If their numbers differ, a missing or an extra
    step makes all later ones wrong, so only the parts up to the first fault are kept.
    """
    parts: list[Part] = []
    stage_count, right, after_first = 0, 0, 0
    for i, (stage, step) in enumerate(zip_longest(wanted, steps)):
        stage_count += stage is not None
        if stage is None or step is None:
            continue
        parts += _lam_parts(i, stage, step, allowed)
        parts += claim_parts(pruning, Place.of("step", i), stage, step.claim, allowed)
        if not after_first and any(part.violations for part in parts):
            after_first = len(parts)
        right += not after_first
    if stage_count != len(steps):
        missing = stage_count - len(steps)
        text = f"has {len(steps)} steps, but from the first to the root alone there are "
        fault = refuted("the sequence", f"{text}{stage_count}", Fraction(abs(missing)))
        parts = [*parts[:after_first], fault]
    return right, parts


def _long_right_with_few_faults(aligned: tuple[int, list[Part]]) -> tuple[int, int]:
    right, parts = aligned
    return right, -sum(len(part.violations) for part in parts)


def _lam_parts(i: int, stage: Stage, step: Step, allowed: Fraction) -> list[Part]:
    where = Place.of("step", i)
    if step.lam is None and i == 0:
        return []
    if step.lam is None:
        return [refuted(where, "has no lam; only the first needs none", Fraction(0))]
    needed = "but G is equal for this tree and the one before at" if i else "but the first has"
    text = f"lam = {amount_text(step.lam)}, {needed} {stage.lam.text()}"
    return [number_part(where, text, stage.lam, step.lam, allowed, stage.terms)]


def _verdict(
    problem: PruningProblem, what: str, parts: Sequence[Part], allowed: Fraction
) -> Verdict:
    sample = problem.sample
    size = f"{counted(len(sample.y), 'row')}, {counted(sample.k, 'class', 'classes')}"
    grown = leaves_text(sum(node.question is None for node in problem.tree))
    summary = f"{size}, {problem.risk}; {grown}; {what}"
    if _is_right(parts):
        return combined(FAMILY, summary, [*parts, Part("VERIFIED", Fraction(0))], allowed)
    # Where a tree is wrong, the small errors of right numbers would be a misleading gap.
    return combined(FAMILY, summary, [p for p in parts if p.violations or p.hint], allowed)
