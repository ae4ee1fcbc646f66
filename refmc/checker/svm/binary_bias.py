"""Bounds on the optimal scores and biases of a binary SVM, and one bias for a whole answer.

    P*, w*     the optimum, and its weights, which are unique
    w°         the centre: of all known weights those with the smallest P
    g, a       the width of the bounds of P*, and the allowed gap
    K_ii       ‖x_i‖² in the feature space

P is strongly convex in w, so P(w, b) ≥ P* + ½‖w − w*‖² for every (w, b). The primal value of the
centre exceeds P* by at most g. So ‖w* − w°‖² ≤ 2g, and by Cauchy and Schwarz the scores w*·x_i and
w°·x_i differ by at most e_i = √(2g K_ii).

The derivative of the loss with respect to b never falls when a score grows, so neither end of the
interval of optimal biases rises then. Each end therefore lies between its values for the scores
w°·x_i + e_i and for the scores w°·x_i − e_i.

Optimal weights leave an interval of biases, of which an answer may choose any. But all its parts
must agree on one b: the b that is given, the difference between its scores and those of w*, the
slack, which must be the hinges with that b, and the labels, which must be signs of scores with it.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from refmc.checker.numbers.arithmetic import Numbers, root_above, root_below
from refmc.checker.numbers.intervals import End, Interval, half_line, meet
from refmc.checker.numbers.rounding import Rounded
from refmc.checker.parts import Part, bounded_claim, refuted, status_of
from refmc.checker.printing import short_text
from refmc.checker.svm.binary_points import (
    ZERO,
    BinaryAnswer,
    BinaryProblem,
    Data,
    Function,
    Multipliers,
    biases,
)
from refmc.checker.svm.duality import Bounds
from refmc.checker.verdict import Place, Violation


class Evidence(NamedTuple):
    """The bounds of P*, and what gives them.

    `duals` are all feasible multipliers that are known; the upper bound is the primal value of the
    centre with any of its best biases.
    """

    duals: tuple[Multipliers, ...]
    centre: Function
    bounds: Bounds

    @property
    def best_dual(self) -> Multipliers:
        """The multipliers with the largest dual value."""
        return max(self.duals, key=lambda d: d.dual)


class BiasBounds(NamedTuple):
    """Every optimal bias is in `outer`; every number of `inner`, which may be empty, is optimal."""

    outer: Interval
    inner: Interval


class Leeway(NamedTuple):
    """The biases that one part of an answer is compatible with; `name` says which part.

    With a bias in `sure` the part is right, and with one outside `possible` it is wrong. `plain` is
    what both would be without any tolerance; messages name its ends.
    """

    name: str
    sure: Interval
    possible: Interval
    plain: Interval

    def widened(self, by: Fraction) -> "Leeway":
        """The same where what is possible may be further off by so much."""
        low, high = self.possible.low, self.possible.high
        wide = Interval(None if low is None else low - by, None if high is None else high + by)
        return self._replace(possible=wide)


class Choice(NamedTuple):
    """One bias for all parts of an answer, and the verdict on whether it is right for all of them.

    Where no bias is, that says which two parts contradict each other.
    """

    b: Fraction
    part: Part


def bias_bounds(data: Data, evidence: Evidence) -> BiasBounds:
    """Where the ends of the interval of optimal biases lie."""
    if not evidence.bounds.width:  # the centre is the optimum, and its best biases are known
        return BiasBounds(evidence.centre.biases, evidence.centre.biases)
    scores = evidence.centre.scores
    errors = [root_above(2 * evidence.bounds.width * norm) for norm in data.squared_norms]
    raised = biases(data.problem, [g - e for g, e in zip(scores, errors, strict=True)])
    lowered = biases(data.problem, [g + e for g, e in zip(scores, errors, strict=True)])
    return BiasBounds(Interval(lowered.low, raised.high), Interval(raised.low, lowered.high))


def rounding_of(b: Fraction, evidence: Evidence) -> Fraction:
    """By how much rounding may move a bias near b: a share of 1 + |b|, as a bias is some y_i − g_i.

    The |b| that counts is that of the centre's best bias nearest to b; where their interval is
    infinite, that of its finite end. It is not the submitted b, or a large b would widen what is
    allowed.
    """
    ends = evidence.centre.biases
    is_finite = ends.low is not None and ends.high is not None
    nearest = ends.closest(Interval(b, b)) if is_finite else ends.middle()
    return evidence.bounds.allowed * (1 + abs(nearest))


def leeway_of_bias(b: Fraction, evidence: Evidence, rounded: Rounded | None = None) -> Leeway:
    """What a submitted bias leaves open: itself, up to rounding; or all numbers that round to it,
    where one of these is looked for."""
    off = rounding_of(b, evidence)
    around = Interval(b - off, b + off)
    if rounded is not None:
        around = Interval(rounded.nearest(rounded.low), rounded.nearest(rounded.high))
    return Leeway("b as given", around, around, Interval(b, b))


def leeway_of_scores(
    data: Data, rest: Sequence[Fraction], evidence: Evidence, allowed: Fraction
) -> Leeway:
    """What submitted scores leave open; `rest` is their difference from the centre's scores, which
    have no bias.

    Weights with ½‖w − w*‖² ≤ allowed have |w·x_i − w*·x_i| ≤ √(2·allowed·K_ii), and the centre's
    scores are off by at most √(2·width·K_ii). So up to rounding |rest_i − b| is at most the
    difference of these roots for a sure bias, and at most their sum for a possible one, which takes
    the largest gap that may be allowed.
    """
    sure, possible, bounds = [], [], evidence.bounds
    for r, norm in zip(rest, data.squared_norms, strict=True):
        off = rounding_of(r, evidence)
        inner = off + root_below(2 * norm * allowed) - root_above(2 * norm * bounds.width)
        outer = off + root_above(2 * norm * bounds.most) + root_above(2 * norm * bounds.width)
        sure.append(Interval(r - inner, r + inner))
        possible.append(Interval(r - outer, r + outer))
    plain = [Interval(r, r) for r in rest]
    return Leeway("the scores", meet(*sure), meet(*possible), meet(*plain))


def leeway_of_slack(data: Data, function: Function, slack: Numbers, evidence: Evidence) -> Leeway:
    """The biases for which the slack of each row is at least its hinge; if there are none, those
    for which the losses beyond the slack are least."""
    problem = data.problem
    rows = zip(problem.y, function.scores, slack, problem.costs, strict=True)
    enough = meet(*(half_line(sign * (1 - eta) - g, sign) for sign, g, eta, cost in rows if cost))
    if enough.is_empty():
        enough = biases(problem, function.scores, slack)
    around = Interval(
        None if enough.low is None else enough.low - rounding_of(enough.low, evidence),
        None if enough.high is None else enough.high + rounding_of(enough.high, evidence),
    )
    return Leeway("the slack", around, around, enough)


def exact_slack(problem: BinaryProblem, function: Function, slack: Sequence[Rounded]) -> Leeway:
    """The biases for which each hinge rounds to its slack; a row without cost may have any."""
    rows = list(zip(problem.y, function.scores, slack, problem.costs, strict=True))
    enough = [half_line(y * (1 - eta.high) - g, y) for y, g, eta, cost in rows if cost]
    most = [half_line(y * (1 - e.low) - g, -y) for y, g, e, cost in rows if cost and e.low > 0]
    both = meet(*enough, *most)
    return Leeway("the slack", both, both, both)


def leeway_of_labels(
    data: Data,
    labels: Sequence[int],
    function: Function,
    evidence: Evidence,
    rounding: Sequence[Fraction] | None = None,
) -> Leeway:
    """The biases with which no score of the function has the sign opposite to its label.

    Where the function is the centre, its scores may be off from those of w* by e_i, so that sure
    biases keep that distance. Where it was submitted, its own scores decide, up to their rounding.
    Possible biases are those of any weights whose primal value is within the allowed gap.
    """
    bounds, sure, possible, plain = evidence.bounds, [], [], []
    submitted = function is not evidence.centre or rounding is not None
    rows = zip(labels, function.scores, data.squared_norms, strict=True)
    for i, (label, g, norm) in enumerate(rows):
        off = rounding_of(-g, evidence) if rounding is None else rounding[i]
        error = root_above(2 * norm * bounds.width)
        reach = error + root_above(2 * norm * bounds.most) + off
        error = -off if submitted else error
        sure.append(half_line(label * error - g, label))
        possible.append(half_line(-label * reach - g, label))
        plain.append(half_line(-g, label))
    return Leeway("the labels", meet(*sure), meet(*possible), meet(*plain))


def common_bias(leeways: Sequence[Leeway], best: Interval) -> Choice:
    """The bias of all leeways that is nearest to the best biases.

    >>> one, two = Interval(None, Fraction(1)), Interval(Fraction(2), None)
    >>> parts = [Leeway("the slack", one, one, one), Leeway("the scores", two, two, two)]
    >>> common_bias(parts, Interval(None, None)).part.violations[0].text
    'must be at least 2 for the scores, at most 1 for the slack'
    """
    sure = meet(*(leeway.sure for leeway in leeways))
    possible = meet(*(leeway.possible for leeway in leeways))
    if not sure.is_empty():
        return Choice(sure.closest(best), Part("VERIFIED"))
    if not possible.is_empty():
        return Choice(possible.closest(best), Part("INCONCLUSIVE"))
    b = best.middle()
    return Choice(b, _contradiction(leeways, 1 + abs(b)))


def _contradiction(leeways: Sequence[Leeway], scale: Fraction) -> Part:
    """The two leeways that are furthest apart; their distance counts relative to 1 + |b|."""
    # of several lower ends the largest binds, of upper ones the least; infinite ones never do
    low = max(leeways, key=lambda one: (one.possible.low is not None, one.possible.low or ZERO))
    high = min(leeways, key=lambda one: (one.possible.high is None, one.possible.high or ZERO))
    least, most = low.plain.low or ZERO, high.plain.high or ZERO
    text = f"must be at least {short_text(least)} for {low.name}, "
    text += f"at most {short_text(most)} for {high.name}"
    fault = Violation(Place("bias", {"field": "b"}), text, least - most)
    return Part("REFUTED", least - most, (fault,), scale=scale)


def bound_claims(data: Data, given: BinaryAnswer, evidence: Evidence) -> list[Part]:
    """The parts of what is said of the interval of optimal biases, and of the margin."""
    parts: list[Part] = []
    if given.b_interval is not None:
        found, claim = bias_bounds(data, evidence), given.b_interval
        allowed = evidence.bounds.allowed
        at = {"field": "b_interval"}
        lower, upper = (Place(f"{side} end of b_interval", at) for side in ("lower", "upper"))
        parts.append(_judge_end(lower, claim.low, found.outer.low, found.inner.low, allowed))
        parts.append(_judge_end(upper, claim.high, found.inner.high, found.outer.high, allowed))
    if given.margin_squared is not None:
        parts.append(judge_margin_squared(given.margin_squared, evidence))
    return parts


def _judge_end(name: str, claim: End, least: End, most: End, allowed: Fraction) -> Part:
    """The verdict on an end of the interval, which is some y_i − w*·x_i: it may be off by the
    allowed share of 1 + its absolute value."""
    if claim is None and least is None:
        return Part("VERIFIED", ZERO)
    if claim is None or least is None or most is None:
        here, there = ("infinity" if q is None else short_text(q) for q in (claim, least))
        return refuted(name, f"{here}, needs {there}")
    small, large = sorted((1 + abs(least), 1 + abs(most)))
    return bounded_claim(name, claim, least, most, allowed, (small, large))


def judge_margin_squared(claim: Fraction | str, evidence: Evidence) -> Part:
    """The verdict on a claimed 1/‖w*‖², "inf" where w* is 0.

    ‖w*‖ differs from ‖w°‖ by at most √(2g), so that ‖w*‖² is between ‖w°‖² − 2‖w°‖√(2g) and
    (‖w°‖ + √(2g))².

    >>> exact = Bounds(Fraction(1), Fraction(1), Fraction(0))
    >>> from refmc.checker.svm.binary_points import BinaryProblem
    >>> centre = Function(BinaryProblem(y=()), (), Fraction(4), None)
    >>> judge_margin_squared(Fraction(1, 4), Evidence((), centre, exact)).status
    'VERIFIED'
    """
    norm, spread, allowed = evidence.centre.norm, 2 * evidence.bounds.width, evidence.bounds.allowed
    change = 2 * root_above(norm * spread)
    least, most = norm - change, norm + change + spread
    place = Place.whole("margin_squared")
    if isinstance(claim, str):
        if least > 0:
            return refuted(place, f"infinity, needs {short_text(1 / norm)}")
        return Part(status_of(most == 0, False))
    if most == 0:
        return refuted(place, f"{short_text(claim)}, needs infinity")
    if least > 0:
        ends = (1 / most, 1 / least)
        return bounded_claim(place, claim, *ends, allowed, ends)
    off = 1 / most - claim
    if off > allowed / most:
        return refuted(
            place, f"{short_text(claim)}, but it is at least {short_text(1 / most)}", off
        )
    return Part("INCONCLUSIVE")
