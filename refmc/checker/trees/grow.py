"""Is this a tree that the greedy algorithm grows? Decided node by node, exactly.

Covers [lu, "Training a Binary Decision Tree with a Greedy Algorithm"],
[lu, "Greedy Algorithm for Building a Binary Decision Tree"],
[lu, "Node Questions for Binary Decision Trees"] and [lu, "Issues of the Greedy Algorithm"].

    F(n)       the impurity of node n
    |n|        the weight of the rows of n, which `min_leaf` and `min_split` count instead
    decrease   F(n) − (η F(n−) + (1 − η) F(n+)), as the lecture has it. With `weighted` it is this
               times |n|/m, as libraries have it. With `lookahead`, what so many further levels can
               make of F(n−) and F(n+) stands in their place
    admitted   a question that separates the rows of a node that may be split (see `Rules`: it is
               neither pure nor nearly pure, too deep or too small), gives each child at least
               `min_leaf` rows, and decreases by `min_decrease` or more. A decrease of 0 is admitted
               only where `min_decrease` is None

A tree is VERIFIED if
- the decrease of every split is the largest of the admitted questions of its node;
- no leaf admits a question, unless all `max_splits` were used; and then some order of the splits is
  right in every round (see `order`);
- every label that is given is right for the largest weight of its node's rows, or costs least if
  there are costs.

Questions count by the partition that they make of their node's rows, so that all thresholds between
two values are the same question. A linear or a sphere question must make the partition of one of
the candidates, or of a question about a column.

Differs from the lecture: a threshold that leaves a child empty is no question, and pure nodes are
never split, though the arg max would reach them where nothing stops it.

INCONCLUSIVE says that nothing is wrong, but that a categorical column has too many sets to try them
all, or that the weights have too many digits for their entropies.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from refmc.checker.numbers.logarithms import LogSum
from refmc.checker.parts import counted, worst_first
from refmc.checker.printing import number_text, short_text
from refmc.checker.trees.data import Data, Linear, Node, Sample, Sphere, Tree, prepare, too_long
from refmc.checker.trees.order import out_of_order
from refmc.checker.trees.splits import (
    Region,
    Rules,
    Search,
    all_rows,
    best_split,
    divided,
    remaining,
)
from refmc.checker.trees.words import label_fault, place, question_text
from refmc.checker.verdict import Place, Status, Verdict, Violation

FAMILY = "tree.grow"


@dataclass(frozen=True, kw_only=True)
class GrowthProblem(Rules):
    """How a tree is to be grown on a sample; `max_splits` is None where nothing limits them."""

    sample: Sample
    weighted: bool = False
    max_splits: int | None = None
    min_decrease: Fraction | None = None


def _fault(at: int, text: str, amount: Fraction, share: Fraction | None = None) -> Violation:
    """What is wrong at a node; the path to it is put into words only if the verdict shows it.

    `amount`: by how much the impurity of the whole tree could decrease further, even if the problem
    doesn't weigh by rows. So a wrong question stands before what is wrong below it. `share`: that
    of the node in all weights, where the question or the label is a choice that rounding may make.
    """
    return Violation(Place("", {"node": at}), text, amount, amount / share if share else None)


class _Visit(NamedTuple):
    """A node with its rows and, if it has a question, those of its negative and positive child."""

    at: int
    depth: int
    region: Region
    children: tuple[Region, ...]


class _Found(NamedTuple):
    """What is found about a node.

    `best`: v(n), the largest decrease of an admitted question. `untried`: the name of a column that
    has too many sets of values to try them all, or "".
    """

    best: LogSum | None
    faults: tuple[Violation, ...] = ()
    untried: str = ""


class _Work(NamedTuple):
    """The problem with its data, worked out once."""

    problem: GrowthProblem
    data: Data

    def share(self, region: Region) -> Fraction:
        """The share of a node in the weight of all rows."""
        return Fraction(sum(region.counts), self.data.total)


def judge(problem: GrowthProblem, tree: Tree) -> Verdict:
    """Whether the tree is one of those that the greedy algorithm grows.

    Violations stand worst first, by how much decrease they miss for all rows together. Cost:
    O(m ln m) for each column, and O(m) for each column at each level.

    >>> from refmc.checker.trees.data import Threshold
    >>> sample = Sample(X=[[1], [2], [3], [4], [5]], y=(0, 0, 1, 0, 1), k=2)
    >>> tree = [Node(Threshold(0, 4), 2, 1), Node(), Node()]
    >>> print(judge(GrowthProblem(sample=sample, max_splits=1), tree).explain())
    REFUTED  tree.grow  5 rows, 2 classes, gini; 1 split
      worst    the root: x0 <= 4 decreases by 9/50, but x0 <= 2 by 16/75 (1/30 more)
    """
    work = _Work(problem, prepare(problem.sample))
    inner = sum(node.question is not None for node in tree)
    hint = too_long(work.data, problem.impurity)
    if hint:
        return _verdict(work, tree, inner, (), hint)
    used_up = problem.max_splits is not None and inner >= problem.max_splits
    best: list[LogSum | None] = [None] * len(tree)
    shares_above = [Fraction(1)] * len(tree)  # those of the parents
    faults: list[Violation] = []
    waiting = [(0, 0, all_rows(work.data))]
    while waiting:
        at, depth, region = waiting.pop()
        if not region.rows:
            continue  # the parent's question is refuted
        question = tree[at].question
        children: tuple[Region, ...] = ()
        if question is not None:
            children = divided(work.data, region, work.data.split(question, region.rows)[1])
            waiting += zip(tree[at].children, [depth + 1] * 2, children)
        found = _judge_node(work, tree[at], _Visit(at, depth, region, children), used_up)
        best[at], share = found.best, work.share(region)
        for child in tree[at].children:
            shares_above[child] = share
        whole = Fraction(1) if problem.weighted else share
        for v in found.faults:
            share_missed = v.relative and v.relative * whole
            faults.append(replace(v, amount=v.amount * whole, relative=share_missed))
        if found.untried and not hint:
            where = place(work.data, tree, at)
            hint = f"not all sets of {found.untried} were tried at {where}: too many values"
    if problem.max_splits is not None and inner > problem.max_splits:
        text = f"has {inner} splits below and with it, more than {problem.max_splits}"
        faults.append(_fault(0, text, Fraction(inner - problem.max_splits)))
    elif problem.max_splits is not None and not faults and not hint:
        shares_above = shares_above if problem.weighted else [Fraction(1)] * len(tree)
        faults += _judge_order(tree, best, shares_above)
    return _verdict(work, tree, inner, faults, hint)


def _judge_node(work: _Work, node: Node, visit: _Visit, used_up: bool) -> _Found:
    region, share = visit.region, work.share(visit.region)
    faults: tuple[Violation, ...] = ()
    if node.label is not None:
        costs = work.data.costs(region.rows)
        wrong = label_fault(work.data, node.label, region.counts, costs)
        if wrong is not None:
            text, lost = wrong
            lost *= share if work.problem.weighted else 1
            faults = (_fault(visit.at, text, lost, share),)
    reason = work.problem.reason_for_a_leaf(region.counts, len(region.rows), visit.depth)
    if node.question is not None:
        return _judge_split(work, node, visit, faults, reason)
    if reason:
        return _Found(None, faults)
    search, best = _search(work, visit)
    if best is None or search.best is None:
        return _Found(None, faults, search.untried)
    if not used_up:
        words = question_text(work.data, search.best.question)
        text = f"is a leaf, but {words} decreases by {best.text()}"
        faults = (*faults, _fault(visit.at, text, best.near(), share))
    return _Found(best, faults, search.untried)


def _judge_split(
    work: _Work, node: Node, visit: _Visit, faults: tuple[Violation, ...], reason: str
) -> _Found:
    assert node.question is not None
    if reason:
        text = f"is split by {question_text(work.data, node.question)}, but {reason}"
        return _Found(None, (*faults, _fault(visit.at, text, Fraction(0))))
    search, best = _search(work, visit)
    text, own = _reason_against_the_parts(work, node, visit), LogSum()
    if not text:
        risk, _ = remaining(work.data, visit.children, work.problem, visit.depth)
        own = _decrease(work, visit.region, risk)
        if best is not None and not own < best:
            return _Found(best, faults, search.untried)
    words = question_text(work.data, node.question)
    better, missed = "no question is admitted", Fraction(0)
    if best is not None and search.best is not None:
        other = question_text(work.data, search.best.question)
        if other == words:  # numbers of so many digits that they are cut
            asked = (node.question, search.best.question)
            words, other = (question_text(work.data, q, number_text) for q in asked)
        better, missed = f"{other} decreases by {best.text()}", best.near()
    share = None
    if text:
        text += f"; {better}"
    else:
        share = work.share(visit.region)
        text, missed = _shortfall(work, own, best, better)
    fault = _fault(visit.at, f"{words} {text}", missed, share)
    return _Found(best, (*faults, fault), search.untried)


def _reason_against_the_parts(work: _Work, node: Node, visit: _Visit) -> str:
    """Why the question can't be admitted, whatever its decrease is; "" if it can."""
    no, yes = (child.rows for child in visit.children)
    if not no or not yes:
        answer = "yes" if yes else "no"
        return f"separates nothing, all of its {counted(len(no) + len(yes), 'row')} answer {answer}"
    smaller = min(len(no), len(yes))
    if smaller < work.problem.min_leaf:
        least = short_text(work.problem.min_leaf)
        return f"leaves a child of {counted(smaller, 'row')}, fewer than {least}"
    lighter = min(sum(child.counts) for child in visit.children) * work.data.unit
    if lighter < work.problem.min_leaf_weight:
        least = short_text(work.problem.min_leaf_weight)
        return f"leaves a child of weight {short_text(lighter)}, less than {least}"
    if isinstance(node.question, (Linear, Sphere)) and not _is_asked(work, visit.region, yes):
        return "parts the rows as no candidate and no column does"
    return ""


def _is_asked(work: _Work, region: Region, yes: Sequence[int]) -> bool:
    """Whether a candidate or a question about a column makes this partition of the rows."""
    chosen = set(yes)
    sides = (chosen, set(region.rows) - chosen)
    for question in work.problem.candidates:
        if set(work.data.split(question, region.rows)[1]) in sides:
            return True
    return any(column.separates(*sides) for column in work.data.columns)


def _shortfall(work: _Work, own: LogSum, best: LogSum | None, better: str) -> tuple[str, Fraction]:
    """What a split that decreases by `own`, which isn't enough, misses: in words, as a number."""
    if best is None:
        assert work.problem.min_decrease is not None
        least = LogSum(work.problem.min_decrease)
        needed = f"less than the {least.text()} that is needed"
        needed = needed if own.sign() else "and more is needed"
        return f"decreases by {own.text()}, {needed}", (least - own).near()
    missed, other = best - own, better.replace("decreases by", "by")
    return f"decreases by {own.text()}, but {other} ({missed.text()} more)", missed.near()


def _search(work: _Work, visit: _Visit) -> tuple[Search, LogSum | None]:
    """The best question, and its decrease if that is enough to be admitted."""
    search = best_split(work.data, visit.region, work.problem, visit.depth)
    if search.best is None:
        return search, None
    decrease, least = _decrease(work, visit.region, search.best.risk), work.problem.min_decrease
    is_enough = least is None or (decrease.sign() > 0 and not decrease < LogSum(least))
    return search, decrease if is_enough else None


def _decrease(work: _Work, region: Region, left: LogSum) -> LogSum:
    per = work.data.total if work.problem.weighted else sum(region.counts)
    return (work.problem.measure.risk(region.counts) - left) * Fraction(1, per)


def _judge_order(
    tree: Tree, best: Sequence[LogSum | None], shares_above: Sequence[Fraction]
) -> list[Violation]:
    """What is wrong about the order of the splits, programs computing the impurity of a node as a
    part of its parent's: of so large a share of all rows."""
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
        share = max(shares_above[n] for n in (wrong.preferred, wrong.also))
        return [_fault(wrong.preferred, text, (v - w).near(), share)]
    text = (
        f"and node {wrong.also} decrease by {v.text()} both, and each has a leaf below it that had "
        f"to be split before the other, so round {wrong.round} can be neither's"
    )
    return [_fault(wrong.preferred, text, Fraction(0))]


def _verdict(
    work: _Work, tree: Tree, inner: int, faults: Sequence[Violation], hint: str
) -> Verdict:
    """The verdict; `hint` says what could not be decided, where nothing is wrong."""
    status: Status = "REFUTED" if faults else "INCONCLUSIVE" if hint else "VERIFIED"
    violations = tuple(
        replace(v, place=place(work.data, tree, int(v.at["node"]))) for v in worst_first(faults)
    )
    sample = work.problem.sample
    summary = f"{counted(len(sample.y), 'row')}, {counted(sample.k, 'class', 'classes')}, "
    summary += f"{work.problem.impurity}; {counted(inner, 'split')}"
    if faults:
        hint = ""
    return Verdict(status, FAMILY, summary, None, Fraction(0), None, violations, hint)
