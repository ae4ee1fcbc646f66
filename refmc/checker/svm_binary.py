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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from refmc.checker.parts import (
    MOST_VIOLATIONS,
    Part,
    combined,
    counted,
    status_of,
    value_claim,
)
from refmc.checker.printing import digits_correct, short_text
from refmc.checker.svm_binary_bounds import judge_bias_interval, judge_margin_squared
from refmc.checker.svm_binary_points import (
    Data,
    Evidence,
    Function,
    Interval,
    Mended,
    Numbers,
    Problem,
    biases,
    hinges,
    kernel_fault,
    mended,
    middle,
    of_weights,
    prepare,
    primal,
)
from refmc.checker.svm_binary_scores import judge_labels, judge_scores, row_violations
from refmc.checker.verdict import Verdict, Violation

__all__ = ["Interval", "Problem", "judge"]

FAMILY = "svm.binary"

Resolve = Callable[[Fraction], Numbers | None]


def judge(
    problem: Problem,
    *,
    w: Numbers | None = None,
    b: Fraction | None = None,
    alpha: Numbers | None = None,
    scores: Numbers | None = None,
    labels: Sequence[int] | None = None,
    values: Mapping[str, Fraction] | None = None,
    slack: Numbers | None = None,
    b_interval: Interval | None = None,
    margin_squared: Fraction | str | None = None,
    witness: Numbers | None = None,
    resolve: Resolve | None = None,
    allowed: Fraction,
) -> Verdict:
    """Judge weights, multipliers, training scores or labels (-1, +1), and claims about them.

    `w` (linear kernel only) is judged with `b`, or with its best b where none is given; without
    `w`, `b` belongs to w(alpha).  `scores` hold the bias.  `slack` is that of w, else of alpha,
    else of the scores.  `margin_squared` is a number or "inf".  `witness` holds multipliers that
    the caller found; they prove bounds only, and are ignored unless feasible as submitted ones must
    be.  `resolve` gives such multipliers for another C and serves the hint.  A Gram matrix that
    isn't positive semi-definite proves nothing: INCONCLUSIVE.

    >>> two_rows = Problem(X=[[1], [-1]], y=(1, -1), C=Fraction(1))
    >>> half = Fraction(1, 2)
    >>> print(judge(two_rows, w=[1], b=Fraction(0), witness=[half, half], allowed=Fraction(0)).explain())
    VERIFIED  svm.binary  2 rows, C = 1, with bias
      gap      0; allowed 0
      digits   all (the gap is exactly 0)
    """
    if problem.C is None:
        raise ValueError("the soft margin needs C")
    _refuse_misuse(problem, (w, alpha, scores, labels), b, slack, allowed)
    data = prepare(problem)
    summary = f"{counted(len(problem.y), 'row')}, C = {short_text(problem.C)}, "
    summary += "with bias" if problem.bias else "without bias"
    fault = kernel_fault(data)
    if fault is not None:
        note = "weak duality needs a symmetric positive semi-definite Gram matrix"
        part = Part("INCONCLUSIVE", None, (fault,), note)
        return combined(FAMILY, summary, [part], allowed)

    function = None if w is None else of_weights(data, w)
    own = None if alpha is None else mended(data, alpha)
    found = None if witness is None else mended(data, witness)
    ignored = found is not None and found.moved > allowed
    evidence = _evidence(data, function, own, None if ignored else found)

    parts: list[Part] = []
    excess = Fraction(0)
    submitted = function or (own.function if own else None)
    if slack is not None:
        given = None if submitted is not None or scores is None else tuple(map(Fraction, scores))
        excess, part = _judge_slack(data, submitted, given, b, slack, allowed)
        parts.append(part)
    if submitted is not None and (function is not None or b is not None):
        parts.append(_judge_point(data, submitted, b, excess, evidence, resolve, allowed))
    if own is not None:
        parts.append(_judge_multipliers(data, own, evidence, allowed))
    if scores is not None:
        parts.append(judge_scores(data, tuple(map(Fraction, scores)), evidence, allowed))
    if labels is not None:
        parts.append(judge_labels(data, labels, evidence, allowed))
    for name, claim in (values or {}).items():
        parts.append(value_claim(name, claim, evidence.lower, evidence.upper, allowed))
    if b_interval is not None:
        parts += judge_bias_interval(data, b_interval, evidence, allowed)
    if margin_squared is not None:
        parts.append(judge_margin_squared(margin_squared, evidence, allowed))

    notes = ["the witness is not feasible and was ignored"] if ignored else []
    if "INCONCLUSIVE" in {part.status for part in parts}:
        low, high = short_text(evidence.lower), short_text(evidence.upper)
        notes.append(f"a closer witness is needed: the optimum lies between {low} and {high}")
    gaps = [part.gap for part in parts if part.gap is not None]
    digits = None
    if gaps and submitted is not None:
        digits = digits_correct(max(gaps), evidence.upper)
    return combined(FAMILY, summary, parts, allowed, digits=digits, notes=notes)


def _refuse_misuse(
    problem: Problem,
    parts: tuple[Numbers | None, Numbers | None, Numbers | None, Sequence[int] | None],
    b: Fraction | None,
    slack: Numbers | None,
    allowed: Fraction,
) -> None:
    if all(part is None for part in parts):
        raise ValueError("one of w, alpha, scores and labels is needed")
    if parts[0] is not None and (problem.gram is not None or isinstance(problem.kernel, tuple)):
        raise ValueError("w needs the linear kernel; submit alpha or scores")
    if b is not None and parts[0] is None and parts[1] is None:
        raise ValueError("b needs w or alpha beside it")
    if b and not problem.bias:
        raise ValueError("the problem has no bias")
    if slack is not None and all(part is None for part in parts[:3]):
        raise ValueError("slack needs w, alpha or scores, whose slack it is")
    if allowed < 0:
        raise ValueError(f"allowed must not be negative, got {short_text(allowed)}")


def _best_b(data: Data, function: Function) -> Fraction:
    return middle(biases(data.problem, function.scores))


def _evidence(
    data: Data, function: Function | None, own: Mended | None, witness: Mended | None
) -> Evidence:
    """The best bounds; alpha = 0 always gives D = 0, and w = 0 some P."""
    duals = [mended(data, [0] * len(data.problem.y))]
    duals += [d for d in (own, witness) if d is not None]
    functions = [d.function for d in duals] + ([] if function is None else [function])
    values = [primal(data, f, _best_b(data, f)) for f in functions]
    upper, lower = min(values), max(d.dual for d in duals)
    centre = functions[values.index(upper)]
    return Evidence(tuple(duals), centre, biases(data.problem, centre.scores), lower, upper)


def _judge_point(
    data: Data,
    function: Function,
    b: Fraction | None,
    excess: Fraction,
    evidence: Evidence,
    resolve: Resolve | None,
    allowed: Fraction,
) -> Part:
    best = _best_b(data, function)
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
    return tuple(sorted(wrong, key=lambda v: -v.amount)[:MOST_VIOLATIONS])


def _other_sign(
    data: Data, function: Function, b: Fraction | None, evidence: Evidence, allowed: Fraction
) -> str:
    mirrored = Function(tuple(-g for g in function.scores), function.norm, None)
    at = _best_b(data, mirrored) if b is None else -b
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
    best = _best_b(data, own.function)
    return Part(status, gap, _row_gaps(data, own.function, best, own))


def _judge_slack(
    data: Data,
    function: Function | None,
    given: Sequence[Fraction] | None,
    b: Fraction | None,
    slack: Numbers,
    allowed: Fraction,
) -> tuple[Fraction, Part]:
    """What the slack costs beyond the hinges of what was submitted, and the verdict on it."""
    C = data.problem.C
    assert C is not None
    if function is not None:
        at = _best_b(data, function) if b is None else b
        needed = hinges(data.problem.y, function.scores, at)
    else:
        assert given is not None
        needed = hinges(data.problem.y, given, Fraction(0))
    short, excess, wrong = Fraction(0), Fraction(0), []
    for i, (eta, need) in enumerate(zip(slack, needed, strict=True)):
        cost = C * abs(eta - need)
        short += cost if eta < need else 0
        excess += cost if eta > need else 0
        if cost:
            text = f"slack {short_text(eta)}, needs {'only ' * (eta > need)}{short_text(need)}"
            wrong.append(Violation(f"row {i}", text, cost))
    gap = max(short, excess)
    refuted = gap > allowed
    return excess, Part(status_of(not refuted, refuted), gap, tuple(wrong) if refuted else ())
