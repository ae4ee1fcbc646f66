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
from dataclasses import dataclass
from fractions import Fraction

from refmc.checker.kernels import prepare, semidefinite
from refmc.checker.numbers.arithmetic import rational_dot, sum_of
from refmc.checker.numbers.intervals import Interval
from refmc.checker.parts import Part, counted, refuse_negative
from refmc.checker.printing import short_text
from refmc.checker.svm.binary_bias import (
    Choice,
    Evidence,
    Leeway,
    bound_claims,
    common_bias,
    leeway_of_bias,
    leeway_of_labels,
    leeway_of_scores,
    leeway_of_slack,
    rounding_of,
)
from refmc.checker.svm.binary_points import (
    ZERO,
    BinaryAnswer,
    BinaryProblem,
    Data,
    Function,
    Multipliers,
    Numbers,
    biases,
    hinges,
    loss_of,
    of_weights,
    primal,
    repaired,
    with_column_of_ones,
)
from refmc.checker.svm.binary_scores import (
    Compared,
    compare,
    judge_labels,
    judge_scores,
    row_violations,
)
from refmc.checker.svm.duality import Bounds, Inquiry, Weighed, with_witnesses, without_duality
from refmc.checker.verdict import Place, Verdict, Violation

__all__ = ["BinaryAnswer", "BinaryProblem", "Interval", "judge"]

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
    refuse_misuse(problem, given, allowed)
    if problem.C is None:
        raise ValueError("the soft margin needs C")
    summary = f"{counted(len(problem.y), 'row')}, C = {short_text(problem.C)}, {settings(problem)}"
    data = semidefinite(prepare(problem))
    if isinstance(data, Violation):
        return without_duality(FAMILY, summary, data, allowed)
    case = read_case(data, given, allowed)

    def weigh(known: Sequence[Numbers]) -> Weighed:
        evidence = _evidence(case, [repaired(case.data, alpha) for alpha in known])
        return Weighed(_parts(case, evidence), evidence.bounds)

    inquiry = Inquiry(FAMILY, summary, allowed, data.shift, case.submitted is not None)
    return with_witnesses(inquiry, weigh, witnesses, thorough)


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

    @property
    def submitted(self) -> Function | None:
        """The strongest function that was submitted, whose bias and slack are judged."""
        return self.function or (self.own.function if self.own else None)

    @property
    def b(self) -> Fraction | None:
        """The bias that was submitted, where it is free."""
        return self.given.b if self.data.problem.bias is True else None


def read_case(data: Data, given: BinaryAnswer, allowed: Fraction) -> Case:
    """The functions of what was submitted.

    >>> data = prepare(BinaryProblem(X=[[2]], y=(1,), C=Fraction(1), bias="penalised"))
    >>> read_case(data, BinaryAnswer(w=[3], b=Fraction(1)), Fraction(0)).function.scores
    (Fraction(7, 1),)
    """
    penalised = data.problem.bias == "penalised"
    points = with_column_of_ones(data) if penalised else data
    own = None if given.alpha is None else repaired(points, given.alpha)
    function = None
    if given.w is not None:
        function = of_weights(points, [*given.w, *([given.b or 0] if penalised else [])])
    elif own is not None and penalised and given.b is not None:
        function = _with_bias(points.problem, own, given.b)
    start = repaired(points, [0] * len(data.problem.y))
    scores = None if given.scores is None else tuple(map(Fraction, given.scores))
    return Case(points, given, allowed, start, function, own, scores)


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


def refuse_misuse(problem: BinaryProblem, given: BinaryAnswer, allowed: Fraction) -> None:
    """Raise `ValueError` where the parts of an answer don't fit each other or the problem.

    >>> refuse_misuse(BinaryProblem(X=[[1]], y=(1,)), BinaryAnswer(b=Fraction(1)), Fraction(0))
    Traceback (most recent call last):
      ...
    ValueError: one of w, alpha, scores, labels, separable, combination is needed
    """
    numbers = (given.w, given.alpha, given.scores)
    others = (given.labels, given.separable, given.combination)
    if all(part is None for part in (*numbers, *others)):
        raise ValueError("one of w, alpha, scores, labels, separable, combination is needed")
    if given.slack is not None and all(part is None for part in numbers):
        raise ValueError("slack needs w, alpha or scores, whose slack it is")
    if given.b is not None and given.w is None and given.alpha is None:
        raise ValueError("b needs w or alpha beside it")
    if given.b and not problem.bias:
        raise ValueError("the problem has no bias")
    if problem.bias == "penalised" and given.w is not None and given.b is None:
        raise ValueError("w needs b beside it, for the bias is penalised")
    refuse_negative(allowed)


def _evidence(case: Case, witnesses: Sequence[Multipliers]) -> Evidence:
    """The best bounds that anything known gives; α = 0 always gives D = 0, and w = 0 some P."""
    duals = [case.start, *witnesses, *([case.own] if case.own else [])]
    functions = [*(d.function for d in duals), *([case.function] if case.function else [])]
    centre = min(functions, key=lambda function: function.primal)
    upper, shift = centre.primal, case.data.shift
    if shift:
        upper = _widened(case.data.problem, upper, shift)
    bounds = Bounds(max(d.dual for d in duals), upper, case.allowed)
    return Evidence(tuple(duals), centre, bounds)


def _widened(problem: BinaryProblem, upper: Fraction, shift: Fraction) -> Fraction:
    if not problem.squared:
        return upper + shift / 2 * rational_dot(problem.costs, problem.costs)
    share = 1 - 2 * shift * max(problem.costs)
    # where the share is not positive the inequality bounds nothing; P(0) bounds P* for every K
    nothing = sum_of(problem.costs)
    return min(upper / share, nothing) if share > 0 else nothing


def leeways(case: Case, evidence: Evidence, scores: Compared | None) -> list[Leeway]:
    """The biases that each part of the answer, except its labels, is compatible with."""
    data, given, submitted = case.data, case.given, case.submitted
    found = []
    if data.problem.bias is not True:
        none = Interval(ZERO, ZERO)
        found.append(Leeway("the problem, which has no other", none, none, none))
    if case.b is not None:
        found.append(leeway_of_bias(case.b, evidence))
    if scores is not None:
        # the part of the allowed gap that the rows don't use up is left for ½‖w − w*‖²
        left = max(ZERO, evidence.bounds.sure - scores.missed)
        found.append(leeway_of_scores(data, scores.rest, evidence, left))
    if given.slack is not None and submitted is not None and data.problem.bias is True:
        found.append(leeway_of_slack(data, submitted, given.slack, evidence))
    return found


def chosen_bias(case: Case, evidence: Evidence, found: Sequence[Leeway]) -> Choice:
    """One bias for all parts; of several, the best one for the function that was submitted.

    Labels restrict it only where they are not the signs of submitted scores. Then they may be the
    labels of the optimum, or, where that decides nothing, of the function that was submitted.
    """
    data, given, submitted = case.data, case.given, case.submitted
    best = evidence.centre.biases
    if submitted is not None:
        best = biases(data.problem, submitted.scores, given.slack)
    if given.labels is None or not _has_numbers(case):
        return common_bias(found, best)
    labels = given.labels
    if case.scores is not None and all(
        label * score >= -rounding_of(score, evidence)
        for label, score in zip(labels, case.scores, strict=True)
    ):
        return common_bias(found, best)  # they are the signs of the scores
    choice = common_bias([*found, leeway_of_labels(data, labels, evidence.centre, evidence)], best)
    if choice.part.status == "INCONCLUSIVE" and submitted is not None:
        choice = common_bias([*found, leeway_of_labels(data, labels, submitted, evidence)], best)
    return choice


def _has_numbers(case: Case) -> bool:
    """Whether something was submitted that labels may be those of."""
    given = case.given
    return any(part is not None for part in (given.w, given.b, given.scores, given.slack))


def _parts(case: Case, evidence: Evidence) -> list[Part]:
    """One part for each thing that was submitted, all with one bias."""
    data, given, submitted, bounds = case.data, case.given, case.submitted, evidence.bounds
    compared = None if case.scores is None else compare(data, case.scores, evidence)
    choice = chosen_bias(case, evidence, leeways(case, evidence, compared))
    parts, b, beyond = [choice.part], choice.b if case.b is None else case.b, ZERO
    if given.slack is not None:
        problem, costs = data.problem, data.problem.costs
        # scores hold the bias, functions don't
        mine, at = (case.scores or (), ZERO) if submitted is None else (submitted.scores, b)
        needed = hinges(problem.y, mine, at)
        part, beyond = bounds.of_slack(
            given.slack, needed, lambda i, eta: loss_of(problem, costs[i], eta)
        )
        parts.append(part)
    # multipliers alone claim no primal point; with a bias or slack beside them they do, and slack
    # beyond what is needed is paid
    of_point = (given.w, given.b, given.slack)
    if submitted is not None and any(field is not None for field in of_point):
        wrong = _row_gaps(data, submitted, b, evidence.best_dual)
        parts.append(bounds.of_primal(primal(data.problem, submitted, b) + beyond, wrong))
    if case.own is not None:
        own, function = case.own, case.own.function
        # the rows that w(α) misses with its best b
        wrong = _row_gaps(data, function, function.biases.middle(), own)
        parts.append(bounds.of_dual(own.dual, own.moved, own.faults, wrong))
    if compared is not None:
        excess = primal(data.problem, evidence.centre, b) - bounds.lower
        parts.append(judge_scores(data, compared, excess, evidence))
    if given.labels is not None:
        part = judge_labels(data, given.labels, evidence)
        # labels that the optimum doesn't decide are right if they are those of the numbers
        # submitted beside them, which are judged above; the common bias says so
        by_numbers = choice.part.status == "VERIFIED" and _has_numbers(case)
        parts.append(Part("VERIFIED") if by_numbers and part.status != "REFUTED" else part)
    parts += [bounds.claim(name, value) for name, value in given.values.items()]
    return parts + bound_claims(data, given, evidence)


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
