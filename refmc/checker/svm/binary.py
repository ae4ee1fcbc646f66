"""Is this an answer to the soft binary SVM?  Decided by exact weak duality.

Covers [chang, "Soft SVM"], [chang, "Dual SVM problem"] and [chang, "Decision function in Kernel
SVM"]; the symbols are those of `svm_binary_points`.

    P(w, b)   1/2 |w|^2 + C sum eta_i;  P(w) with the best b
    P*        the optimum, in [D, P], the best bounds that anything submitted gives
    w°, g     the centre: the known weights with the smallest P, and g = P - D
    a         the gap that is allowed

The optimal w is unique, |w - w°| <= sqrt(2 (P(w) - P*)) + sqrt(2g); the optimal biases are an
interval.  What VERIFIED and REFUTED mean, part by part:

    w, b      P(w, b) - D <= a                       P(w, b) - P > a
    alpha     P - dual value <= a                    D - dual value > a, or infeasible
    scores    for some b no score is further from    no (w, b) with P(w, b) <= P* + a has these
              w*.x_i + b than P* + a allows, less    scores
              what the rows miss in slackness
    labels    some optimal b gives them all          no (w, b) with P(w, b) <= P* + a does
    values    within a of every point of [D, P]      outside of [D - a, P + a]
    slack     within a, in units of the objective,   not so
              of the hinges of what was submitted
    b_interval, margin_squared (1/|w*|^2): each number within a of wherever it can be, not so for
              any of these

Otherwise a part is INCONCLUSIVE.  A score of 0 admits both labels.  Multipliers that are infeasible
by rounding only are repaired (see `mended`), and refuted when the changes of all entries sum to
more than a.

Differs from the lecture: its kernel decision function drops b; here b belongs to every score.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from refmc.checker.kernels import kernel_fault, prepare
from refmc.checker.parts import (
    Part,
    by_duality,
    counted,
    slack_claim,
    status_of,
    value_claim,
    without_duality,
)
from refmc.checker.printing import short_text
from refmc.checker.svm.binary_bounds import bound_claims
from refmc.checker.svm.binary_points import (
    Data,
    Evidence,
    Function,
    Interval,
    Mended,
    Numbers,
    Problem,
    Submission,
    best_bias,
    evidence_of,
    hinges,
    mended,
    of_weights,
    primal,
    refuse_misuse,
)
from refmc.checker.svm.binary_scores import judge_labels, judge_scores, row_violations
from refmc.checker.verdict import Verdict, Violation

__all__ = ["Interval", "Problem", "Submission", "judge"]

FAMILY = "svm.binary"

Resolve = Callable[[Fraction], Numbers | None]


def judge(
    problem: Problem,
    given: Submission,
    *,
    witness: Numbers | None = None,
    resolve: Resolve | None = None,
    allowed: Fraction,
) -> Verdict:
    """Judge weights, multipliers, training scores or labels, and claims about them.

    `witness` holds multipliers that the caller found; they prove bounds only, and are ignored
    unless feasible as submitted ones must be.  `resolve` gives such multipliers for another C and
    serves the hint.  A Gram matrix that isn't positive semi-definite proves nothing: INCONCLUSIVE.

    >>> two_rows = Problem(X=[[1], [-1]], y=(1, -1), C=Fraction(1))
    >>> half, right = Fraction(1, 2), Submission(w=[1], b=Fraction(0))
    >>> print(judge(two_rows, right, witness=[half, half], allowed=Fraction(0)).explain())
    VERIFIED  svm.binary  2 rows, C = 1, with bias
      gap      0 (exactly right); allowed 0
      digits   all (the gap is exactly 0)
    """
    if problem.C is None:
        raise ValueError("the soft margin needs C")
    _refuse_misuse(problem, given, allowed)
    data = prepare(problem)
    summary = f"{counted(len(problem.y), 'row')}, C = {short_text(problem.C)}, "
    summary += "with bias" if problem.bias else "without bias"
    fault = kernel_fault(data)
    if fault is not None:
        return without_duality(FAMILY, summary, fault, allowed)

    function = None if given.w is None else of_weights(data, given.w)
    own = None if given.alpha is None else mended(data, given.alpha)
    found = None if witness is None else mended(data, witness)
    ignored = found is not None and found.moved > allowed
    evidence = evidence_of(data, function, own, None if ignored else found)
    parts = _parts(data, given, function, own, evidence, resolve, allowed)
    return by_duality(
        FAMILY,
        summary,
        parts,
        allowed,
        lower=evidence.lower,
        upper=evidence.upper,
        counts_digits=function is not None or own is not None,
        ignored=ignored,
    )


def _refuse_misuse(problem: Problem, given: Submission, allowed: Fraction) -> None:
    parts = (given.w, given.alpha, given.scores, given.labels)
    if all(part is None for part in parts):
        raise ValueError("one of w, alpha, scores and labels is needed")
    if given.slack is not None and all(part is None for part in parts[:3]):
        raise ValueError("slack needs w, alpha or scores, whose slack it is")
    refuse_misuse(problem, given, allowed)


def _parts(
    data: Data,
    given: Submission,
    function: Function | None,
    own: Mended | None,
    evidence: Evidence,
    resolve: Resolve | None,
    allowed: Fraction,
) -> list[Part]:
    """One part for each thing that was submitted."""
    parts: list[Part] = []
    excess = Fraction(0)
    submitted = function or (own.function if own else None)
    if given.slack is not None:
        assert data.problem.C is not None
        needed = _needed_slack(data, given, submitted)
        excess, part = slack_claim(data.problem.C, given.slack, needed, allowed)
        parts.append(part)
    if submitted is not None and (function is not None or given.b is not None):
        parts.append(_judge_point(data, submitted, given.b, excess, evidence, resolve, allowed))
    if own is not None:
        parts.append(_judge_multipliers(data, own, evidence, allowed))
    if given.scores is not None:
        scores = tuple(map(Fraction, given.scores))
        parts.append(judge_scores(data, scores, evidence, allowed))
    if given.labels is not None:
        parts.append(judge_labels(data, given.labels, evidence, allowed))
    for name, claim in given.values.items():
        parts.append(value_claim(name, claim, evidence.lower, evidence.upper, allowed))
    return parts + bound_claims(data, given, evidence, allowed)


def _needed_slack(data: Data, given: Submission, submitted: Function | None) -> list[Fraction]:
    """The hinges of the strongest thing submitted."""
    if submitted is not None:
        at = best_bias(data, submitted) if given.b is None else given.b
        return hinges(data.problem.y, submitted.scores, at)
    assert given.scores is not None
    return hinges(data.problem.y, tuple(map(Fraction, given.scores)), Fraction(0))


def _judge_point(
    data: Data,
    function: Function,
    b: Fraction | None,
    excess: Fraction,
    evidence: Evidence,
    resolve: Resolve | None,
    allowed: Fraction,
) -> Part:
    best = best_bias(data, function)
    at = best if b is None else b
    value = primal(data, function, at) + excess
    gap = value - evidence.lower
    status = status_of(gap <= allowed, value - evidence.upper > allowed)
    if status != "REFUTED":
        return Part(status, gap)
    hint = ""
    with_best = primal(data, function, best) - evidence.lower
    if b is not None and with_best + excess <= allowed:
        hint = f"the weights fit with gap {short_text(with_best)} for b = {short_text(best)}"
    hint = hint or _other_sign(data, function, b, evidence, allowed)
    hint = hint or _other_C(data, function, at, resolve, allowed)
    return Part(status, gap, _row_gaps(data, function, at, evidence.best_dual), hint)


def _row_gaps(data: Data, function: Function, b: Fraction, best: Mended) -> tuple[Violation, ...]:
    """What each row adds to P(w, b) - dual value, and what the distance of the weights adds.

    P(w, b) less the dual value is 1/2 |w - w(alpha)|^2 and the sum over the rows of
    C eta_i - alpha_i (1 - y_i f_i), of which none is negative.
    """
    wrong = row_violations(data, tuple(g + b for g in function.scores), best)
    if function.weights is not None and best.function.weights is not None:
        pairs = zip(function.weights, best.function.weights, strict=True)
        apart = sum(((p - q) ** 2 for p, q in pairs), Fraction(0)) / 2
        if apart > 0:
            text = f"are off, by half a squared distance of {short_text(apart)}"
            wrong.append(Violation("weights", text, apart))
    return tuple(wrong)


def _other_sign(
    data: Data, function: Function, b: Fraction | None, evidence: Evidence, allowed: Fraction
) -> str:
    mirrored = Function(tuple(-g for g in function.scores), function.norm, None)
    at = best_bias(data, mirrored) if b is None else -b
    gap = primal(data, mirrored, at) - evidence.lower
    if gap > allowed:
        return ""
    return f"the answer with every sign reversed fits with gap {short_text(gap)}"


def _other_C(
    data: Data, function: Function, b: Fraction, resolve: Resolve | None, allowed: Fraction
) -> str:
    """Whether the weights answer the problem with a C that is easily confused with this one."""
    C, m = data.problem.C, len(data.problem.y)
    if resolve is None or C is None:
        return ""
    for other in dict.fromkeys((C / m, C * m, C / 2, 2 * C, 1 / C)):
        alpha = None if other == C else resolve(other)
        if alpha is None:
            continue
        found = mended(replace(data, problem=replace(data.problem, C=other)), alpha)
        gap = primal(data, function, b, other) - found.dual
        if found.moved == 0 and gap <= allowed:
            return f"an answer to C = {short_text(other)} fits with gap {short_text(gap)}"
    return ""


def _judge_multipliers(data: Data, own: Mended, evidence: Evidence, allowed: Fraction) -> Part:
    gap = evidence.upper - own.dual
    infeasible = own.moved > allowed
    refuted = infeasible or evidence.lower - own.dual > allowed
    status = status_of(gap <= allowed, refuted)
    if not refuted:
        return Part(status, gap)
    if infeasible:
        return Part(status, max(gap, own.moved), own.faults)
    best = best_bias(data, own.function)
    return Part(status, gap, _row_gaps(data, own.function, best, own))
