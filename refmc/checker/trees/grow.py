"""Is this a tree that the greedy algorithm grows?  Decided node by node, exactly.

Covers [lu, "Training a Binary Decision Tree with a Greedy Algorithm"],
[lu, "Greedy Algorithm for Building a Binary Decision Tree"] and
[lu, "Node Questions for Binary Decision Trees"].

    F(n)       the impurity of node n
    decrease   F(n) - (eta F(n-) + (1 - eta) F(n+)), as the lecture has it; with `weighted` this
               times |n| / m, as libraries have it
    admitted   a question that separates the rows of an impure node above `max_depth` (the root has
               depth 0), gives each child at least `min_leaf` rows, and decreases by at least
               `min_decrease`, equality being enough.  A decrease of 0 is admitted only where
               `min_decrease` is None.  |n| is the weight of the rows, `min_leaf` counts them

VERIFIED means: the decrease of every split is the largest among the admitted questions of its node;
no leaf admits a question, unless all `max_splits` were used; then, some order of the splits is right
at every round (`tree_order`); every label given has the largest weight among the rows of its node.
Questions count by the partition that they make of their node's rows, and thresholds by nothing else.

Differs from the lecture: a threshold that leaves a child empty isn't a question; pure nodes are
never split, though without a stop the arg max would reach them.

INCONCLUSIVE: nothing is wrong, but some categorical column has too many sets to try them all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from refmc.checker.numbers.logarithms import LogSum
from refmc.checker.parts import MOST_VIOLATIONS, counted
from refmc.checker.trees.data import (
    Data,
    Node,
    Sample,
    Tree,
    Visit,
    place,
    prepare,
    question_text,
    shape_fault,
    visits,
)
from refmc.checker.trees.impurity import IMPURITIES, ImpurityName
from refmc.checker.trees.order import out_of_order
from refmc.checker.trees.splits import Search, best_split, parts_of
from refmc.checker.verdict import Status, Verdict, Violation

__all__ = ["Problem", "judge"]

FAMILY = "tree.grow"


@dataclass(frozen=True, kw_only=True)
class Problem:
    """How a tree is to be grown on a sample; `max_splits` None: until nothing is admitted.

    `midpoints` words the better thresholds that verdicts name, and changes nothing else.
    """

    sample: Sample
    impurity: ImpurityName = "gini"
    weighted: bool = False
    max_splits: int | None = None
    min_leaf: int = 1
    max_depth: int | None = None
    min_decrease: Fraction | None = None
    midpoints: bool = False


@dataclass(frozen=True)
class _Fault:
    """What is wrong at a node; the path to it is worded only if the verdict shows it.

    `amount` is the missed decrease of the whole tree's impurity, whatever the problem weighs by: a
    wrong question then stands before what is wrong below it.
    """

    at: int
    text: str
    amount: Fraction


@dataclass(frozen=True)
class _Found:
    """The judgement of one node: v(n), where a question is admitted; faults; what wasn't tried."""

    best: LogSum | None
    faults: tuple[_Fault, ...] = ()
    untried: str = ""


def judge(problem: Problem, tree: Tree) -> Verdict:
    """Whether the tree is one of those that the greedy algorithm grows.

    Violations stand worst first, by how much decrease they miss for all rows together.  Raises
    ValueError for nodes that aren't a tree.  Cost: m log m a column and level of the tree.

    >>> from refmc.checker.trees.data import Threshold
    >>> sample = Sample(X=[[1], [2], [3], [4], [5]], y=(0, 0, 1, 0, 1), k=2)
    >>> tree = [Node(Threshold(0, 4), 2, 1), Node(), Node()]
    >>> print(judge(Problem(sample=sample, max_splits=1), tree).explain())
    REFUTED  tree.grow  5 rows, 2 classes, gini; 1 split
      worst    the root: x0 <= 4 decreases by 9/50, but x0 <= 2 by 16/75 (1/30 more)
    """
    fault = shape_fault(tree, problem.sample)
    if fault is not None:
        raise ValueError(f"node {fault[0]} {fault[1]}")
    data = prepare(problem.sample)
    inner = sum(node.question is not None for node in tree)
    used_up = problem.max_splits is not None and inner >= problem.max_splits
    best: list[LogSum | None] = [None] * len(tree)
    faults: list[_Fault] = []
    untried: dict[int, str] = {}
    for visit in visits(data, tree):
        if not visit.rows:
            continue  # the parent's question is refuted
        found = _judge_node(problem, data, tree[visit.at], visit, used_up)
        best[visit.at] = found.best
        share = Fraction(1) if problem.weighted else _share(data, visit)
        faults += [replace(fault, amount=fault.amount * share) for fault in found.faults]
        if found.untried:
            untried[visit.at] = found.untried
    if problem.max_splits is not None:
        faults += _judge_growth(problem, tree, inner, best, faults, bool(untried))
    return _verdict(problem, data, tree, inner, faults, untried)


def _share(data: Data, visit: Visit) -> Fraction:
    return Fraction(sum(data.counts(visit.rows)), data.total)


def _judge_node(problem: Problem, data: Data, node: Node, visit: Visit, used_up: bool) -> _Found:
    counts = data.counts(visit.rows)
    faults = _judge_label(data, node, visit.at, counts)
    reason = _reason_for_a_leaf(problem, counts, visit)
    if node.question is None:
        if reason:
            return _Found(None, faults)
        search, best = _search(problem, data, counts, visit)
        if best is None or search.best is None:
            return _Found(None, faults, search.untried)
        if not used_up:
            words = question_text(data, search.best.question)
            text = f"is a leaf, but {words} decreases by {best.text()}"
            faults = (*faults, _Fault(visit.at, text, best.near()))
        return _Found(best, faults, search.untried)
    return _judge_split(problem, data, node, visit, counts, faults, reason)


def _judge_split(
    problem: Problem,
    data: Data,
    node: Node,
    visit: Visit,
    counts: Sequence[int],
    faults: tuple[_Fault, ...],
    reason: str,
) -> _Found:
    assert node.question is not None
    words = question_text(data, node.question)
    if reason:
        text = f"is split by {words}, but {reason}"
        return _Found(None, (*faults, _Fault(visit.at, text, Fraction(0))))
    search, best = _search(problem, data, counts, visit)
    better, missed = "no question is admitted", Fraction(0)
    if best is not None and search.best is not None:
        better = f"{question_text(data, search.best.question)} decreases by {best.text()}"
        missed = best.near()
    text = _reason_against_the_parts(problem, visit)
    if text:
        text += f"; {better}"
    else:
        parts = parts_of(data, visit.no, visit.yes)
        risk = IMPURITIES[problem.impurity].risk
        if search.best is not None and parts == search.best.parts:
            own = _decrease(problem, data, counts, search.best.risk)
        else:
            own = _decrease(problem, data, counts, risk(parts[0]) + risk(parts[1]))
        text, missed = _shortfall(problem, own, best, better)
    if text:
        faults = (*faults, _Fault(visit.at, f"{words} {text}", missed))
    return _Found(best, faults, search.untried)


def _reason_against_the_parts(problem: Problem, visit: Visit) -> str:
    """Why the question can't be admitted, whatever it decreases by."""
    if not visit.no or not visit.yes:
        answer = "yes" if visit.yes else "no"
        return f"separates nothing, all of its {counted(len(visit.rows), 'row')} answer {answer}"
    smaller = min(len(visit.no), len(visit.yes))
    if smaller < problem.min_leaf:
        return f"leaves a child of {counted(smaller, 'row')}, fewer than {problem.min_leaf}"
    return ""


def _shortfall(
    problem: Problem, own: LogSum, best: LogSum | None, better: str
) -> tuple[str, Fraction]:
    """What a split that decreases by `own` misses, in words and as a number; "" if nothing."""
    if best is None:
        assert problem.min_decrease is not None
        least = LogSum(problem.min_decrease)
        needed = f"less than the {least.text()} that is needed"
        needed = needed if own.sign() else "and more is needed"
        return f"decreases by {own.text()}, {needed}", (least - own).near()
    if not own < best:
        return "", Fraction(0)
    missed, other = best - own, better.replace("decreases by", "by")
    return f"decreases by {own.text()}, but {other} ({missed.text()} more)", missed.near()


def _judge_label(data: Data, node: Node, at: int, counts: Sequence[int]) -> tuple[_Fault, ...]:
    if node.label is None or counts[node.label] == max(counts):
        return ()
    top = counts.index(max(counts))
    own, other = (LogSum(counts[c] * data.unit).text() for c in (node.label, top))
    name, better = data.sample.class_text(node.label), data.sample.class_text(top)
    text = f"label {name} has weight {own}, but {better} has {other}"
    return (_Fault(at, text, Fraction(counts[top] - counts[node.label], sum(counts))),)


def _reason_for_a_leaf(problem: Problem, counts: Sequence[int], visit: Visit) -> str:
    """Why the node must not be split, whatever its questions are."""
    if sum(c > 0 for c in counts) <= 1:
        return "it is pure"
    if problem.max_depth is not None and visit.depth >= problem.max_depth:
        return f"it has depth {visit.depth}, the largest allowed"
    return ""


def _search(
    problem: Problem, data: Data, counts: Sequence[int], visit: Visit
) -> tuple[Search, LogSum | None]:
    """The best question, and its decrease if that is enough."""
    impurity = IMPURITIES[problem.impurity]
    search = best_split(data, visit.rows, impurity, problem.min_leaf, problem.midpoints)
    if search.best is None:
        return search, None
    decrease = _decrease(problem, data, counts, search.best.risk)
    return search, decrease if _is_enough(problem, decrease) else None


def _is_enough(problem: Problem, decrease: LogSum) -> bool:
    if problem.min_decrease is None:
        return True
    return decrease.sign() > 0 and not decrease < LogSum(problem.min_decrease)


def _decrease(problem: Problem, data: Data, counts: Sequence[int], left: LogSum) -> LogSum:
    per = data.total if problem.weighted else sum(counts)
    return (IMPURITIES[problem.impurity].risk(counts) - left) * Fraction(1, per)


def _judge_growth(
    problem: Problem,
    tree: Tree,
    inner: int,
    best: Sequence[LogSum | None],
    faults: Sequence[_Fault],
    uncertain: bool,
) -> list[_Fault]:
    """At most T splits, in an order that is right at every round."""
    assert problem.max_splits is not None
    if inner > problem.max_splits:
        text = f"has {inner} splits below and with it, more than {problem.max_splits}"
        return [_Fault(0, text, Fraction(inner - problem.max_splits))]
    if faults or uncertain:
        return []
    wrong = out_of_order(tree, best)
    if wrong is None:
        return []
    v, w = best[wrong.preferred], best[wrong.also]
    assert v is not None and w is not None
    if tree[wrong.preferred].question is None:
        text = (
            f"is a leaf, but decreases by {v.text()}, and the best split that is left for round "
            f"{wrong.round}, at node {wrong.also}, by {w.text()} only"
        )
        return [_Fault(wrong.preferred, text, (v - w).near())]
    text = (
        f"and node {wrong.also} decrease by {v.text()} both, and each has a leaf below it that had "
        f"to be split before the other, so round {wrong.round} can be neither's"
    )
    return [_Fault(wrong.preferred, text, Fraction(0))]


def _verdict(
    problem: Problem,
    data: Data,
    tree: Tree,
    inner: int,
    faults: Sequence[_Fault],
    untried: dict[int, str],
) -> Verdict:
    status: Status = "REFUTED" if faults else "INCONCLUSIVE" if untried else "VERIFIED"
    worst = sorted(faults, key=lambda fault: -fault.amount)[:MOST_VIOLATIONS]
    violations = tuple(Violation(place(data, tree, f.at), f.text, f.amount) for f in worst)
    hint = ""
    if status == "INCONCLUSIVE":
        at, column = next(iter(untried.items()))
        hint = f"not all sets of {column} were tried at {place(data, tree, at)}: too many values"
    sample = problem.sample
    summary = f"{counted(len(sample.y), 'row')}, {counted(sample.k, 'class', 'classes')}, "
    summary += f"{problem.impurity}; {counted(inner, 'split')}"
    return Verdict(status, FAMILY, summary, None, Fraction(0), None, violations, hint)
