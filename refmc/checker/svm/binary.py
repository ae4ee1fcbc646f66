"""Is this an answer to the soft binary SVM? Decided by exact weak duality.

Covers [chang, "Soft SVM"], [chang, "Dual SVM problem"] and [chang, "Decision function in Kernel
SVM"]; the symbols and the pairs of problems are those of `binary_points`.

    P*         the optimum, in [D, P], the best bounds that anything submitted gives
    w°, g      the centre: the known weights with the smallest P, and g = P − D
    a          the gap that is allowed, relative to P*

The optimal w* is unique, because P is strongly convex in w: ‖w − w*‖² ≤ 2(P(w, b) − P*), and so
‖w − w°‖ ≤ √(2(P(w, b) − P*)) + √(2g). The optimal biases are an interval, and all parts of an
answer must be right with one b (see `binary_bias`). What VERIFIED and REFUTED mean, part by part:

    w, b       P(w, b) − D ≤ a·D                     P(w, b) − P > a·P
    α          P − θ + moved ≤ a·D                   D − θ + moved > a·P
    scores     for some b no score is further from   no (w, b) with P(w, b) ≤ (1 + a)P* has these
               w*·x_i + b than a·D allows, less      scores
               what the rows add to P − θ
    labels     some optimal b gives them all, or     no (w, b) with P(w, b) ≤ (1 + a)P* does
               the numbers submitted beside them do
    values     within a·D of every point of [D, P]   further than a·P from all of them
    slack      within a·D, in units of the           not so by a·P
               objective, of the hinges of what
               was submitted
    b_interval, margin_squared (1/‖w*‖²): near enough to every value that the true number can have
               by the bounds, or not near enough to any; a share of its size is allowed, and of
               1 + its size for an end of b_interval

Otherwise a part is INCONCLUSIVE. A score of 0 admits both labels. Multipliers that are infeasible
are repaired, and the changes of all entries, `moved`, belong to their gap: an entry counts in the
dual value with a factor of 1.

Where a matrix of kernel values K is positive semi-definite up to rounding only, everything is
judged for K + εI, and [D, P] is widened to bound the optimum for every positive semi-definite K′
with K ≤ K′ ≤ K + εI as well. For every α, θ is larger for K′, by at most ½ε Σ α_i². So D stays a
lower bound, and P* for K′ exceeds P by at most that sum at its optimal α. For hinges that is at
most ½ε Σ C_i². For squared hinges α_i = 2C_i η_i at the optimum, so Σ α_i² ≤ 4 max C_i · Σ C_i η_i²
≤ 4 max C_i · P*, which gives P* ≤ P + 2ε max C_i · P*. Multipliers have the θ of K + εI itself: an
α that is optimal for another K′ has a gap of up to that sum.

Differs from the lecture: its kernel decision function drops b; here b belongs to every score.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

from refmc.checker.kernels import prepare, semidefinite
from refmc.checker.numbers.arithmetic import Numbers, rational_dot, sum_of
from refmc.checker.numbers.intervals import Interval
from refmc.checker.parts import Part, counted, refuted
from refmc.checker.printing import short_text
from refmc.checker.svm.binary_bias import Evidence, bound_claims
from refmc.checker.svm.binary_case import (
    Case,
    chosen_bias,
    contradicting,
    has_numbers,
    leeways,
    may_round,
    read_case,
    reading,
    scores_beside,
    settings,
    spread_of_dual,
)
from refmc.checker.svm.binary_points import (
    ZERO,
    BinaryAnswer,
    BinaryProblem,
    Data,
    Function,
    Multipliers,
    hinges,
    loss_of,
    primal,
    repaired,
)
from refmc.checker.svm.binary_rounding import least_primal
from refmc.checker.svm.binary_scores import compare, judge_labels, judge_scores, row_violations
from refmc.checker.svm.duality import (
    Bounds,
    Inquiry,
    Weighed,
    undecidable,
    with_witnesses,
    without_duality,
)
from refmc.checker.verdict import Place, Verdict, Violation

__all__ = ["BinaryAnswer", "BinaryProblem", "Interval", "judge", "read_case"]

FAMILY = "svm.binary"


def judge(
    problem: BinaryProblem,
    given: BinaryAnswer,
    *,
    witnesses: Iterable[Callable[[], Numbers | None]] = (),
    thorough: bool = True,
    allowed: Fraction,
) -> Verdict:
    """Judge weights, multipliers, training scores or labels, and claims about them.

    `witnesses` find multipliers, each closer to the optimum than the one before; they prove bounds
    only, and are asked in turn while what is known leaves the verdict open, and as `with_witnesses`
    says with `thorough`. A Gram matrix that isn't positive semi-definite proves nothing:
    INCONCLUSIVE.

    >>> two_rows = BinaryProblem(X=[[1], [-1]], y=(1, -1), C=Fraction(1))
    >>> half, right = Fraction(1, 2), BinaryAnswer(w=[1], b=Fraction(0))
    >>> found = judge(two_rows, right, witnesses=[lambda: [half, half]], allowed=Fraction(0))
    >>> print(found.explain())
    VERIFIED  svm.binary  2 rows, C = 1, with bias
      gap      0 (exactly right); allowed 0
      digits   all (the gap is exactly 0)
    """
    assert problem.C is not None  # the soft margin has one
    summary = f"{counted(len(problem.y), 'row')}, C = {short_text(problem.C)}, {settings(problem)}"
    data = semidefinite(prepare(problem))
    if isinstance(data, Violation):
        return without_duality(FAMILY, summary, data, allowed)
    case = read_case(data, given, allowed)

    def weigh(known: Sequence[Numbers]) -> Weighed:
        evidence = _evidence(case, [repaired(case.data, alpha) for alpha in known])
        bounds, parts = evidence.bounds, _parts(case, evidence)
        if not may_round(case, parts):
            return Weighed(parts, bounds)
        read = reading(case, evidence)
        return Weighed(_parts(read, evidence), bounds, submitted=parts)

    inquiry = Inquiry(FAMILY, summary, allowed, data.shift, case.submitted is not None)
    return with_witnesses(inquiry, weigh, witnesses, thorough)


def _evidence(case: Case, witnesses: Sequence[Multipliers]) -> Evidence:
    """The best bounds that anything known gives; α = 0 always gives D = 0, and w = 0 some P."""
    duals = [case.start, *witnesses, *([case.own] if case.own else [])]
    functions = [*(d.function for d in duals), *([case.function] if case.function else [])]
    centre = min(functions, key=lambda function: function.primal)
    upper = _widened(case.data.problem, centre.primal, case.data.shift)
    none = case.start.function.primal
    bounds = Bounds(max(d.dual for d in duals), upper, case.allowed, none)
    return Evidence(tuple(duals), centre, bounds)


def _widened(problem: BinaryProblem, upper: Fraction, shift: Fraction) -> Fraction:
    if not problem.squared:
        return upper + shift / 2 * rational_dot(problem.costs, problem.costs)
    share = 1 - 2 * shift * max(problem.costs)
    # where the share is not positive the inequality bounds nothing; P(0) bounds P* for every K
    nothing = sum_of(problem.costs)
    return min(upper / share, nothing) if share > 0 else nothing


def _parts(case: Case, evidence: Evidence) -> list[Part]:
    """One part for each thing that was submitted, all with one bias."""
    data, given, submitted, bounds = case.data, case.given, case.submitted, evidence.bounds
    compared = None if case.scores is None else compare(data, case.scores, evidence)
    choice = chosen_bias(case, evidence, leeways(case, evidence, compared))
    # the bias of a rounded answer is any one that rounds to it
    b = choice.b if case.b is None or case.spread is not None else case.b
    parts, beyond = [choice.part], ZERO
    if given.slack is not None:
        part, beyond = _judge_slack(case, given.slack, b, bounds)
        parts.append(part)
    # multipliers alone claim no primal point; with a bias or slack beside them they do, and slack
    # beyond what is needed is paid
    of_point = (given.w, given.b, given.slack)
    if submitted is not None and any(field is not None for field in of_point):
        parts += _judge_point(case, submitted, b, beyond, evidence)
    if case.own is not None:
        parts.append(_judge_multipliers(case, case.own, bounds))
    if compared is not None and case.scores is not None:
        paid = primal(data.problem, Function(data.problem, case.scores, ZERO, None), ZERO)
        parts += bounds.against_none(Place.whole("scores"), paid)
        excess = primal(data.problem, evidence.centre, b) - bounds.lower
        parts.append(judge_scores(data, compared, excess, evidence))
    if given.labels is not None:
        parts.append(_judge_labels(case, given.labels, choice.part, b, evidence))
    parts += [bounds.claim(name, value) for name, value in given.values.items()]
    parts += bound_claims(data, given, evidence)
    return parts + scores_beside(case, parts, b)


def _judge_slack(case: Case, slack: Numbers, b: Fraction, bounds: Bounds) -> tuple[Part, Fraction]:
    """The verdict on the slack of what was submitted, with this bias, and what it pays beyond."""
    problem, submitted, costs = case.data.problem, case.submitted, case.data.problem.costs
    # scores hold the bias, functions don't
    scores, at = (case.scores or (), ZERO) if submitted is None else (submitted.scores, b)
    needed, reach = hinges(problem.y, scores, at), None
    if case.spread is not None:
        rounded = case.spread.box["slack"][0]
        slack = [r.nearest(need) for r, need in zip(rounded, needed, strict=True)]
        reach = [d + r.width for d, r in zip(case.spread.of_margins(), rounded, strict=True)]
    return bounds.of_slack(slack, needed, lambda i, eta: loss_of(problem, costs[i], eta), reach)


def _judge_point(
    case: Case, function: Function, b: Fraction, beyond: Fraction, evidence: Evidence
) -> Iterator[Part]:
    """The verdict on weights with a bias, which pay `beyond` the slack that they need."""
    data, bounds, spread = case.data, evidence.bounds, case.spread
    value, least = primal(data.problem, function, b) + beyond, None
    if spread is not None:
        least = least_primal(function, b, spread)
        yield from undecidable(spread.by_rounding(data))
    wrong = _row_gaps(data, function, b, evidence.best_dual)
    yield bounds.of_primal(value, wrong, least)
    yield from bounds.against_none(Place("weights", {"field": "w"}), value, least)


def _judge_multipliers(case: Case, own: Multipliers, bounds: Bounds) -> Part:
    # the rows that w(α) misses with its best b
    wrong = _row_gaps(case.data, own.function, own.function.biases.middle(), own)
    return bounds.of_dual(own.dual, own.moved, own.faults, wrong, spread_of_dual(case, own))


def _judge_labels(
    case: Case, labels: Sequence[int], bias: Part, b: Fraction, evidence: Evidence
) -> Part:
    """The verdict on labels: they are those of the numbers beside them, or of the optimum."""
    part, against = judge_labels(case.data, labels, evidence), contradicting(case, b)
    if against and any(n is not None for n in (case.function, case.scores, case.b)):
        row, off = max(against, key=lambda pair: pair[1])
        name = case.data.problem.label(labels[row])
        place = Place.of("row", row).then(f"labelled {name}", {"class": name})
        return refuted(place, f"the numbers beside it say otherwise, by {short_text(off)}", off)
    # labels that the optimum doesn't decide are right if they are those of the numbers submitted
    # beside them, which are judged above; the common bias says so
    by_numbers = bias.status == "VERIFIED" and has_numbers(case)
    return Part("VERIFIED") if by_numbers and part.status != "REFUTED" else part


def _row_gaps(
    data: Data, function: Function, b: Fraction, best: Multipliers
) -> Iterator[Violation]:
    """What each row adds to P(w, b) − θ(α), and what the distance of the weights adds."""
    yield from row_violations(data, [g + b for g in function.scores], best)
    if function.weights is not None and best.function.weights is not None:
        pairs = zip(function.weights, best.function.weights, strict=True)
        apart = sum_of((p - q) ** 2 for p, q in pairs) / 2
        if apart > 0:
            text = f"are off, by half a squared distance of {short_text(apart)}"
            yield Violation(Place("weights", {"field": "w"}), text, apart)
