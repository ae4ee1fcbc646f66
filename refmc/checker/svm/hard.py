"""Is this an answer to the hard-margin SVM, or can the rows not be separated at all?

Covers [chang, "Max-margin classifiers"] and [chang, "Hard SVM"]: minimise 1/2 |w|^2 such that every
margin y_i (w.x_i + b) is at least 1.  The symbols are those of `svm_binary_points`; the multipliers
have no upper bound here.

    mu         the smallest margin of what was submitted; divided by mu > 0 it is feasible
    P, D       1/2 |w|^2 / mu^2 of the best known weights, and the best dual value: D <= P* <= P
    c          m weights >= 0 of a common point of the two convex hulls: the c of either label sum to
               1, and sum c_i y_i x_i = 0.  Without a bias the c sum to 1 in all and the labels are
               not balanced: the origin is in the hull of all y_i x_i.  No margin is then positive on
               every row, for the sum of c_i y_i (w.x_i + b) is 0.
    a          the gap that is allowed

What VERIFIED and REFUTED mean, part by part:

    w, b         mu >= 1 - a, P(w/mu) - D <= a       mu < 1 - a, or P(w/mu) - P > a
    alpha        P - dual value <= a                 D - dual value > a, infeasible, or no optimum
    scores       feasible as w is, and as near the   infeasible, or no weights with P(w) <= P* + a
                 optimum as for the soft margin      have these scores
    labels       those of the problem, separable     others, or not separable
    separable    weights or a common point prove it  the contrary is proved
    combination  c is a common point up to a         its two points are further apart, or the rows
                 squared distance of a               are separable
    values, slack (all 0), b_interval and margin_squared as for the soft margin

The combination is divided by its sums first, for any multiple of it proves the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from refmc.checker.kernels import kernel_fault, prepare
from refmc.checker.parts import Part, combined, counted, status_of, value_claim, without_duality
from refmc.checker.printing import digits_correct, short_text
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
    biases,
    mended,
    of_multipliers,
    of_weights,
    refuse_misuse,
)
from refmc.checker.svm.binary_scores import judge_scores, row_violations
from refmc.checker.verdict import Verdict, Violation

__all__ = ["Interval", "Problem", "Submission", "judge"]

FAMILY = "svm.hard"


@dataclass(frozen=True)
class _Known:
    """The best dual point; either the best feasible weights, or that there are none, or neither."""

    best_dual: Mended
    feasible: Evidence | None
    impossible: bool

    @property
    def lower(self) -> Fraction:
        """The best dual value."""
        return self.best_dual.dual


def judge(
    problem: Problem,
    given: Submission,
    *,
    witness: Numbers | None = None,
    common_point: Numbers | None = None,
    allowed: Fraction,
) -> Verdict:
    """Judge weights, multipliers, training scores or labels, or that the rows are not separable.

    Weights without a bias are judged with the b of the widest margin.  `separable` is a claim,
    `combination` its disproof.  `witness` (multipliers) and `common_point` (a combination) are what
    the caller found, one or the other.

    >>> two_rows = Problem(X=[[1], [-1]], y=(1, -1))
    >>> half, right = Fraction(1, 2), Submission(w=[1], b=Fraction(0))
    >>> print(judge(two_rows, right, witness=[half, half], allowed=Fraction(0)).explain())
    VERIFIED  svm.hard  2 rows, with bias
      gap      0 (exactly right); allowed 0
      digits   all (the gap is exactly 0)
    >>> same_row = Problem(X=[[1], [1]], y=(1, -1))
    >>> judge(same_row, Submission(combination=[1, 1]), allowed=Fraction(0)).status
    'VERIFIED'
    """
    problem = replace(problem, C=None)
    refuse_misuse(problem, given, allowed)
    data = prepare(problem)
    summary = counted(len(problem.y), "row")
    summary += ", with bias" if problem.bias else ", without bias"
    fault = kernel_fault(data)
    if fault is not None:
        return without_duality(FAMILY, summary, fault, allowed)

    function = None if given.w is None else of_weights(data, given.w)
    own = None if given.alpha is None else mended(data, given.alpha)
    found = None if witness is None else mended(data, witness)
    combinations = [c for c in (given.combination, common_point) if c is not None]
    apart = [_hull_distance(data, c) for c in combinations]
    known = _known(data, function, own, found, 0 in apart)
    parts = _parts(data, given, function, own, known, allowed)
    if given.combination is not None:
        parts.append(_judge_combination(apart[0], known, allowed))
    if not parts:
        raise ValueError("one of w, alpha, scores, labels, separable, combination is needed")

    gaps = [part.gap for part in parts if part.gap is not None]
    digits = None
    if gaps and (function is not None or own is not None) and known.feasible is not None:
        digits = digits_correct(max(gaps), known.feasible.upper)
    notes = _separability(problem, given, known)
    return combined(FAMILY, summary, parts, allowed, digits=digits, notes=notes)


def _parts(
    data: Data,
    given: Submission,
    function: Function | None,
    own: Mended | None,
    known: _Known,
    allowed: Fraction,
) -> list[Part]:
    """One part for each thing that was submitted, but for the combination."""
    parts: list[Part] = []
    submitted = function or (own.function if own else None)
    if submitted is not None and (function is not None or given.b is not None):
        parts.append(_judge_point(data, submitted, given.b, known, allowed))
    if own is not None:
        parts.append(_judge_multipliers(own, known, allowed))
    if given.scores is not None:
        parts.append(_judge_scores(data, tuple(map(Fraction, given.scores)), known, allowed))
    if given.labels is not None:
        parts.append(_judge_labels(data, given.labels, known))
    if given.separable is not None:
        yes, no = known.feasible is not None, known.impossible
        parts.append(Part(status_of(yes, no) if given.separable else status_of(no, yes)))
    return parts + _claims(data, given, known, allowed)


def _separability(problem: Problem, given: Submission, known: _Known) -> list[str]:
    """What is to be said of it beside the parts."""
    if known.impossible and problem.bias:
        return ["the rows are not separable: the two convex hulls have a common point"]
    if known.impossible:
        return ["the rows are not separable: the origin is in the hull of all y_i x_i"]
    denied = given.separable is False or given.combination is not None
    return ["the rows are separable"] if denied and known.feasible is not None else []


def _margins(y: Sequence[int], scores: Sequence[Fraction], b: Fraction) -> list[Fraction]:
    return [sign * (g + b) for sign, g in zip(y, scores, strict=True)]


def _widest_b(problem: Problem, scores: Sequence[Fraction]) -> Fraction:
    """The b with the largest mu; for a single label the first b with mu = 1."""
    if not problem.bias:
        return Fraction(0)
    lowest = [g for g, sign in zip(scores, problem.y, strict=True) if sign > 0]
    highest = [g for g, sign in zip(scores, problem.y, strict=True) if sign < 0]
    if not lowest:
        return -1 - max(highest)
    return 1 - min(lowest) if not highest else -(min(lowest) + max(highest)) / 2


def _scaled(data: Data, function: Function) -> Function | None:
    """The function divided by its mu with the best b; None where no multiple is feasible."""
    b = _widest_b(data.problem, function.scores)
    mu = min(_margins(data.problem.y, function.scores, b))
    if mu <= 0:
        return None
    weights = function.weights
    return Function(
        tuple(g / mu for g in function.scores),
        function.norm / mu**2,
        None if weights is None else tuple(v / mu for v in weights),
    )


def _known(
    data: Data,
    function: Function | None,
    own: Mended | None,
    witness: Mended | None,
    impossible: bool,
) -> _Known:
    duals = [mended(data, [0] * len(data.problem.y))]
    duals += [d for d in (own, witness) if d is not None]
    best = max(duals, key=lambda d: d.dual)
    functions = [d.function for d in duals] + ([] if function is None else [function])
    feasible = [f for f in (_scaled(data, f) for f in functions) if f is not None]
    if not feasible:
        return _Known(best, None, impossible)
    centre = min(feasible, key=lambda f: f.norm)
    ends = biases(data.problem, centre.scores)
    return _Known(best, Evidence(tuple(duals), centre, ends, best.dual, centre.norm / 2), False)


def _short_margins(margins: Sequence[Fraction]) -> tuple[Violation, ...]:
    return tuple(
        Violation(f"row {i}", f"margin {short_text(margin)}, needs 1", 1 - margin)
        for i, margin in enumerate(margins)
        if margin < 1
    )


def _judge_point(
    data: Data, function: Function, b: Fraction | None, known: _Known, allowed: Fraction
) -> Part:
    at = _widest_b(data.problem, function.scores) if b is None else b
    margins = _margins(data.problem.y, function.scores, at)
    mu = min(margins)
    short = max(Fraction(0), 1 - mu)
    if mu <= 0 or short > allowed:
        return Part("REFUTED", short, _short_margins(margins))
    value = function.norm / 2 / min(mu, Fraction(1)) ** 2
    gap = max(value - known.lower, short)
    assert known.feasible is not None
    status = status_of(gap <= allowed, value - known.feasible.upper > allowed)
    if status != "REFUTED":
        return Part(status, gap)
    scores = tuple(g + at for g in function.scores)
    wrong = row_violations(data, scores, known.best_dual)
    text = f"half the squared norm is {short_text(value)}, needs at most "
    text += short_text(known.feasible.upper)
    wrong.append(Violation("weights", text, value - known.feasible.upper))
    return Part(status, gap, tuple(wrong))


def _judge_multipliers(own: Mended, known: _Known, allowed: Fraction) -> Part:
    if known.impossible:
        text = "no multipliers are optimal: the dual value has no upper bound"
        return Part("REFUTED", None, (Violation("alpha", text, Fraction(1)), *own.faults))
    gap = None if known.feasible is None else known.feasible.upper - own.dual
    infeasible = own.moved > allowed
    low = known.lower - own.dual
    status = status_of(gap is not None and gap <= allowed, infeasible or low > allowed)
    wrong = list(own.faults) if infeasible else []
    if low > allowed:
        text = f"dual value {short_text(own.dual)}, needs at least {short_text(known.lower)}"
        wrong.append(Violation("alpha", text, low))
    return Part(status, gap, tuple(wrong))


def _judge_scores(
    data: Data, given: tuple[Fraction, ...], known: _Known, allowed: Fraction
) -> Part:
    """Scores with a margin short of 1 are judged as those of the scaled function."""
    margins = _margins(data.problem.y, given, Fraction(0))
    mu = min(margins)
    short = max(Fraction(0), 1 - mu)
    if mu <= 0 or short > allowed:
        return Part("REFUTED", short, _short_margins(margins))
    if known.impossible:
        text = "no function has a positive margin on every row"
        return Part("REFUTED", None, (Violation("scores", text, Fraction(1)),))
    evidence = known.feasible
    if evidence is None:
        return Part("INCONCLUSIVE")
    feasible = tuple(s / min(mu, Fraction(1)) for s in given)
    part = judge_scores(data, feasible, evidence, allowed)
    return replace(part, gap=max(part.gap or short, short))


def _judge_labels(data: Data, labels: Sequence[int], known: _Known) -> Part:
    """A separating function gives every row its own label, with a margin."""
    pairs = enumerate(zip(labels, data.problem.y, strict=True))
    wrong = [
        Violation(f"row {i}", f"labelled {data.problem.label(label)}", Fraction(1))
        for i, (label, own) in pairs
        if label != own
    ]
    refuted = known.impossible or (known.feasible is not None and bool(wrong))
    return Part(status_of(known.feasible is not None, refuted), None, tuple(wrong))


def _hull_distance(data: Data, combination: Numbers) -> Fraction | None:
    """The squared distance of the two points; without a bias that of the one point from 0.

    None where an entry is negative or a label has no weight.
    """
    y = data.problem.y
    c = list(map(Fraction, combination))
    sums = {
        sign: sum((v for v, s in zip(c, y, strict=True) if s == sign), Fraction(0)) for sign in y
    }
    if not data.problem.bias:
        sums = dict.fromkeys((-1, 1), sum(c, Fraction(0)))
    if min(c) < 0 or min(sums.get(-1, 0), sums.get(1, 0)) <= 0:
        return None
    return of_multipliers(data, [v / sums[s] for v, s in zip(c, y, strict=True)]).norm


def _judge_combination(distance: Fraction | None, known: _Known, allowed: Fraction) -> Part:
    if distance is None:
        text = "needs weights of at least 0, and a positive one for either label"
        return Part("REFUTED", None, (Violation("combination", text, Fraction(1)),))
    refuted = known.feasible is not None or (known.impossible and distance > allowed)
    status = status_of(known.impossible and distance <= allowed, refuted)
    if status == "VERIFIED":
        return Part(status, distance)
    text = f"its two points are apart, by a squared distance of {short_text(distance)}"
    return Part(status, distance, (Violation("combination", text, distance),))


def _claims(data: Data, given: Submission, known: _Known, allowed: Fraction) -> list[Part]:
    """What is said about the optimum; where there is none, every such claim is wrong."""
    slack = given.slack or ()
    names = [*given.values, *["slack"] * bool(slack)]
    names += ["b_interval"] * (given.b_interval is not None)
    names += ["margin_squared"] * (given.margin_squared is not None)
    if known.impossible:
        nothing = "there is no optimum"
        return [Part("REFUTED", None, (Violation(n, nothing, Fraction(1)),)) for n in names]
    evidence = known.feasible
    upper = None if evidence is None else evidence.upper
    parts = [value_claim(n, v, known.lower, upper, allowed) for n, v in given.values.items()]
    for i, eta in enumerate(slack):
        zero = Fraction(0)
        parts.append(value_claim(f"slack of row {i}", Fraction(eta), zero, zero, allowed, "it"))
    if evidence is not None:
        return parts + bound_claims(data, given, evidence, allowed)
    asked = given.b_interval is not None or given.margin_squared is not None
    return parts + [Part("INCONCLUSIVE")] * asked
