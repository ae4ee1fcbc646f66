"""An answer to a binary SVM as the judges take it: its functions, and the bias of all its parts.

The symbols are those of `binary_points`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from operator import add
from typing import Any

from refmc.checker.numbers.arithmetic import rational_dot
from refmc.checker.numbers.intervals import Interval, meet
from refmc.checker.numbers.rounding import Rounded
from refmc.checker.parts import Part, refuted
from refmc.checker.svm.binary_bias import (
    Choice,
    Evidence,
    Leeway,
    common_bias,
    exact_slack,
    leeway_of_bias,
    leeway_of_labels,
    leeway_of_scores,
    leeway_of_slack,
)
from refmc.checker.svm.binary_points import (
    ZERO,
    BinaryAnswer,
    BinaryProblem,
    Data,
    Function,
    Multipliers,
    biases,
    of_weights,
    repaired,
    with_column_of_ones,
)
from refmc.checker.svm.binary_rounding import Spread, rounding_of_scores
from refmc.checker.svm.binary_scores import Compared
from refmc.checker.verdict import Place


@dataclass(frozen=True)
class Case:
    """A problem in integers and an answer: `function` is that of its weights, `own` its
    multipliers, `scores` its scores. `start`: α = 0, whose bounds hold whatever the answer is.

    With a penalised bias, the points have the column of ones and `function` includes the bias.
    """

    data: Data
    given: BinaryAnswer
    allowed: Fraction
    start: Multipliers
    function: Function | None
    own: Multipliers | None
    scores: tuple[Fraction, ...] | None
    spread: Spread | None = None

    @property
    def submitted(self) -> Function | None:
        """The strongest function that was submitted, whose bias and slack are judged."""
        return self.function or (self.own.function if self.own else None)

    @property
    def known_b(self) -> Fraction | None:
        """The bias, where the answer or the problem leaves no choice."""
        return self.b if self.data.problem.bias is True else ZERO

    @cached_property
    def rounding(self) -> list[Fraction]:
        """How far off floats may compute each score by the numbers that were submitted, and how far
        apart the scores of those may be that are meant; 0 if nothing is allowed."""
        if not self.allowed:
            return [ZERO] * len(self.data.problem.y)
        found = rounding_of_scores(self.data, self.given)
        spread = [ZERO] * len(found) if self.spread is None else self.spread.of_margins()
        return list(map(add, found, spread))

    @property
    def b(self) -> Fraction | None:
        """The bias that was submitted, where it is free."""
        return self.given.b if self.data.problem.bias is True else None


def read_case(data: Data, given: BinaryAnswer, allowed: Fraction) -> Case:
    """The functions of what was submitted.

    >>> from refmc.checker.kernels import prepare
    >>> data = prepare(BinaryProblem(X=[[2]], y=(1,), C=Fraction(1), bias="penalised"))
    >>> read_case(data, BinaryAnswer(w=[3], b=Fraction(1)), Fraction(0)).function.scores
    (Fraction(7, 1),)
    """
    penalised = data.problem.bias == "penalised"
    return _case_of(with_column_of_ones(data) if penalised else data, given, allowed)


def _case_of(
    points: Data, given: BinaryAnswer, allowed: Fraction, spread: Spread | None = None
) -> Case:
    penalised = points.problem.bias == "penalised"
    own = None if given.alpha is None else repaired(points, given.alpha)
    function = None
    if given.w is not None:
        function = of_weights(points, [*given.w, *([given.b or 0] if penalised else [])])
    elif own is not None and penalised and given.b is not None:
        function = _with_bias(points.problem, own, given.b)
    start = repaired(points, [0] * len(points.problem.y))
    scores = None if given.scores is None else tuple(map(Fraction, given.scores))
    return Case(points, given, allowed, start, function, own, scores, spread)


def reading(case: Case, evidence: Evidence) -> Case:
    """The answer with those numbers, of all that round to it, which are nearest to the optimum.

    A free bias and the slack are chosen later, within their intervals.
    """
    centre, best = evidence.centre, evidence.best_dual
    spread = Spread.of(case.data, case.given, case.own.moved if case.own else ZERO)
    given, box = case.given, spread.box
    found: dict[str, Any] = {"values": evidence.bounds.read(given.values, box)}
    if given.alpha is not None:
        found["alpha"] = [r.nearest(a) for r, a in zip(box["alpha"][0], best.alpha, strict=True)]
    if case.data.problem.bias == "penalised" and given.b is not None:
        found["b"] = box["b"][0][0].nearest(rational_dot(best.alpha, case.data.problem.y))
    if given.w is not None and centre.weights is not None:
        found["w"] = [r.nearest(q) for r, q in zip(box["w"][0], centre.weights, strict=False)]
    if given.b_interval is not None:
        found["b_interval"] = _nearest_ends(given.b_interval, box["b_interval"][0], centre.biases)
    if isinstance(given.margin_squared, Fraction) and centre.norm:
        found["margin_squared"] = box["margin_squared"][0][0].nearest(1 / centre.norm)
    return _case_of(case.data, replace(given, **found), case.allowed, spread)


def _nearest_ends(claim: Interval, finite: Sequence[Rounded], known: Interval) -> Interval:
    """The ends that a claim may stand for, nearest to the known ones; its infinite ends stay."""
    low, high = claim
    if low is not None and known.low is not None:
        low = finite[0].nearest(known.low)
    if high is not None and known.high is not None:
        high = finite[-1].nearest(known.high)
    return Interval(low, high)


def _with_bias(problem: BinaryProblem, own: Multipliers, b: Fraction) -> Function:
    """w(α) with another bias, where that is penalised: its own is Σ y_i α_i."""
    before = rational_dot(own.alpha, problem.y)
    function = own.function
    return Function(
        problem,
        tuple(g + b - before for g in function.scores),
        function.norm - before * before + b * b,
        None if function.weights is None else (*function.weights[:-1], b),
    )


def settings(problem: BinaryProblem) -> str:
    """The bias, and what differs from the plain hinge without row weights, in words.

    >>> settings(BinaryProblem(y=(1,), bias="penalised", squared=True))
    'with penalised bias, squared hinge'
    """
    bias = "with bias" if problem.bias else "without bias"
    bias = "with penalised bias" if problem.bias == "penalised" else bias
    hinge = ", squared hinge" if problem.squared else ""
    return bias + hinge + (", weighted" if problem.weights is not None else "")


def may_round(case: Case, parts: Sequence[Part]) -> bool:
    """Whether numbers that round to an answer may be right, though it isn't known to be itself."""
    is_right = all(part.status == "VERIFIED" for part in parts)
    return case.given.rounded is not None and case.allowed > 0 and not is_right


def spread_of_dual(case: Case, own: Multipliers) -> tuple[Fraction, Iterator[Fraction]]:
    """How far apart the multipliers are that an answer may mean, and the slopes of θ at these."""
    b, y = own.function.biases.middle(), case.data.problem.y
    slopes = (1 - s * (g + b) for s, g in zip(y, own.function.scores, strict=True))
    return case.spread.alpha if case.spread else ZERO, slopes


def leeways(case: Case, evidence: Evidence, scores: Compared | None) -> list[Leeway]:
    """The biases that each part of the answer, except its labels, is compatible with."""
    data, given, submitted = case.data, case.given, case.submitted
    box = {} if case.spread is None else case.spread.box
    found = []
    if data.problem.bias is not True:
        none = Interval(ZERO, ZERO)
        found.append(Leeway("the problem, which has no other", none, none, none))
    if case.b is not None:
        found.append(leeway_of_bias(case.b, evidence, box["b"][0][0] if "b" in box else None))
    if scores is not None:
        # the part of the allowed gap that the rows don't use up is left for ½‖w − w*‖²
        left = max(ZERO, evidence.bounds.sure - scores.missed)
        found.append(leeway_of_scores(data, scores.rest, evidence, left))
    if given.slack is not None and submitted is not None and data.problem.bias is True:
        slack = [eta.high for eta in box["slack"][0]] if "slack" in box else given.slack
        found.append(leeway_of_slack(data, submitted, slack, evidence))
        if "slack" in box:  # the biases with which each hinge rounds to its slack, if there are any
            exact = exact_slack(data.problem, submitted, box["slack"][0])
            found += [exact] * (not meet(exact.sure, *(one.sure for one in found)).is_empty())
    return [one.widened(max(case.spread.scores)) for one in found] if case.spread else found


def chosen_bias(case: Case, evidence: Evidence, found: Sequence[Leeway]) -> Choice:
    """One bias for all parts; of several, the best one for the function that was submitted.

    Labels restrict it to the biases that make them the labels of the weights beside them. Beside
    multipliers they may be the labels of the optimum or, where that decides nothing, of these.
    """
    data, labels, submitted = case.data, case.given.labels, case.submitted
    best = (submitted or evidence.centre).biases
    if submitted is not None and case.given.slack is not None:
        best = biases(data.problem, submitted.scores, case.given.slack)
    plain = common_bias(found, best)
    if labels is None or not has_numbers(case):
        return plain
    of_best = leeway_of_labels(data, labels, evidence.centre, evidence)
    choice = common_bias([*found, of_best], best)
    contradict = contradicting(case, case.known_b)
    if case.scores is not None or submitted is None:
        return choice if contradict else plain
    own = plain
    if case.known_b is None:
        of_own = leeway_of_labels(data, labels, submitted, evidence, case.rounding)
        own = common_bias([*found, of_own], best)
    if case.function is not None:
        return choice if contradict else own
    return own if choice.part.status == "INCONCLUSIVE" and not contradict else choice


def scores_beside(case: Case, parts: Sequence[Part], b: Fraction | None) -> list[Part]:
    """The verdict on scores beside weights, whose scores they must be with one bias, up to
    rounding; nothing where it is known already that something is wrong. b: a bias of all parts,
    whose rounding counts where none was submitted."""
    scores, function = case.scores, case.function
    if scores is None or function is None or any(p.status == "REFUTED" for p in parts):
        return []
    near = [Interval(case.known_b, case.known_b)]
    if case.known_b is None:
        case = replace(case, given=replace(case.given, b=b))
    for s, g, off in zip(scores, function.scores, case.rounding, strict=True):
        near.append(Interval(s - g - off, s - g + off))
    text = "aren't those of w, whatever the bias is"
    return [refuted(Place.whole("scores"), text)] if meet(*near).is_empty() else []


def contradicting(case: Case, b: Fraction | None) -> list[tuple[int, Fraction]]:
    """The rows whose labels aren't the signs of the submitted scores, or of those by weights or
    multipliers with the bias b, and by how much more than rounding explains; none without a b."""
    labels, scores, off = case.given.labels or (), case.scores, [ZERO] * len(case.data.problem.y)
    if scores is None and case.submitted is not None and b is not None:
        scores, off = tuple(g + b for g in case.submitted.scores), case.rounding
    rows = enumerate(zip(labels, scores or (), off))
    wrong = ((i, -label * score - most) for i, (label, score, most) in rows)
    return [(i, amount) for i, amount in wrong if amount > 0]


def has_numbers(case: Case) -> bool:
    """Whether something was submitted that labels may be those of."""
    given = case.given
    return any(part is not None for part in (given.w, given.b, given.scores, given.slack))
