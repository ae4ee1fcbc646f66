"""Is this an answer to the multi-class SVM?  Decided by exact weak duality.

Covers [lu, "Lagrangian Dual Function for Multi-Class Kernel-Based SVM"],
[lu, "Lagrangian Dual Problem for Multi-Class SVM"] and
[lu, "Justification of Strong Duality for Multi-Class Kernel-Based SVM"].

    P(f)       1/2 sum |f_y|^2 + C sum eta_i, the primal value
    theta(lam) the dual value; P* lies in [D, P], the best bounds that anything submitted gives
    f*         the optimum, unique because P is strongly convex: P(f) >= P* + 1/2 |f - f*|^2
    f°, g      the centre: the known point with the smallest primal value P, and g = P - D
    a          the gap that is allowed

What VERIFIED and REFUTED mean, part by part:

    W          P(W) - D <= a                             P(W) - P > a
    lam        P - theta(lam) <= a                       D - theta(lam) > a, or infeasible
    scores     no score is further from that of f*       no f with P(f) <= P* + a has
               than P(f) <= P* + a allows                these scores
    labels     each label has a largest score of f*      no f with P(f) <= P* + a gives the
                                                         label a largest score
    values     within a of every point of [D, P]         outside of [D - a, P + a]
    slack      within a, in units of the objective,      not so
               of the hinges of what was submitted

Otherwise a part is INCONCLUSIVE.  Scores and labels follow from |f - f*|^2 <= 2a: a score then
differs by at most sqrt(2a K_ii), a difference of two scores of one row by 2 sqrt(a K_ii), and the
centre is off by the same with g for a.

Multipliers that are infeasible by rounding only are repaired: negative entries become 0, what a
row sums to above C is taken off its largest entries, the own-class entry is recomputed; they are
refuted when the absolute changes of all entries sum to more than a, and judged as repaired
otherwise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from refmc.checker.kernels import Polynomial, kernel_fault, prepare
from refmc.checker.numbers.arithmetic import (
    Matrix,
    Rows,
    root_exceeds_sum,
    root_within_difference,
    to_matrix,
)
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
from refmc.checker.svm.multiclass_points import (
    Data,
    DualPoint,
    Mended,
    Point,
    Problem,
    dual_point,
    hinges,
    mended,
    primal_point,
)
from refmc.checker.svm.multiclass_reasons import (
    Resolve,
    apparent_C,
    multiplier_violations,
    other_C,
    other_sign,
    weights_violations,
)
from refmc.checker.verdict import Verdict, Violation

__all__ = ["Polynomial", "Problem", "Submission", "judge"]

FAMILY = "svm.multiclass"


@dataclass(frozen=True, kw_only=True)
class Submission:
    """What was submitted of an answer, at least one of the first four, and claims about it.

    `W`: k rows, for the linear kernel only.  `scores`, `lam`: m rows of k.  `labels`: m positions of
    classes.  `values` are claimed optimal values by the names of their fields; `slack` is that of
    the first of the other three that is there.

    >>> Submission(labels=[0]).W is None
    True
    """

    W: Rows | None = None
    scores: Rows | None = None
    lam: Rows | None = None
    labels: Sequence[int] | None = None
    values: Mapping[str, Fraction] = field(default_factory=dict)
    slack: Sequence[Fraction | int] | None = None


@dataclass(frozen=True)
class _Evidence:
    """The interval [lower, upper] of P*, and the points that give its ends."""

    best_dual: DualPoint
    centre: Point
    lower: Fraction
    upper: Fraction

    @property
    def width(self) -> Fraction:
        return self.upper - self.lower


def judge(
    problem: Problem,
    given: Submission,
    *,
    witness: Rows | None = None,
    resolve: Resolve | None = None,
    allowed: Fraction,
) -> Verdict:
    """Judge weights, training scores, multipliers or training labels, and claims about them.

    `witness` holds multipliers that the caller found; they prove bounds only, and are ignored
    unless feasible as submitted ones must be.  `resolve` gives such multipliers for another C and
    serves the hint.  Several parts: refuted if one is, else inconclusive if one is; the gap is the
    largest.  The gap of scores and labels is (distance from the centre)^2 / (2 K_ii) and (lead of
    the best class)^2 / (4 K_ii): where the centre is the optimum, no function with these scores or
    labels has a smaller one.  An explicit Gram matrix that isn't positive semi-definite proves
    nothing: INCONCLUSIVE.

    >>> one_row = Problem(X=[[2]], y=(0,), k=2, C=Fraction(1))
    >>> right = Submission(W=[[Fraction(1, 4)], [Fraction(-1, 4)]])
    >>> lam = [[Fraction(1, 8), Fraction(1, 8)]]
    >>> print(judge(one_row, right, witness=lam, allowed=Fraction(0)).explain())
    VERIFIED  svm.multiclass  1 row, 2 classes, C = 1
      gap      0 (exactly right); allowed 0
      digits   all (the gap is exactly 0)
    """
    _refuse_misuse(problem, given, allowed)
    data = prepare(problem)
    rows, classes = counted(len(problem.y), "row"), counted(problem.k, "class", "classes")
    summary = f"{rows}, {classes}, C = {short_text(problem.C)}"
    fault = kernel_fault(data)
    if fault is not None:
        return without_duality(FAMILY, summary, fault, allowed)

    point = None if given.W is None else primal_point(data, to_matrix(given.W))
    own = None if given.lam is None else mended(data, given.lam, problem.C)
    found = None if witness is None else mended(data, witness, problem.C)
    ignored = found is not None and found.moved > allowed
    evidence = _evidence(data, point, own, None if ignored else found)
    return by_duality(
        FAMILY,
        summary,
        _parts(data, given, point, own, evidence, resolve, allowed),
        allowed,
        lower=evidence.lower,
        upper=evidence.upper,
        counts_digits=given.W is not None or given.lam is not None,
        ignored=ignored,
    )


def _refuse_misuse(problem: Problem, given: Submission, allowed: Fraction) -> None:
    parts = (given.W, given.scores, given.lam, given.labels)
    if all(part is None for part in parts):
        raise ValueError("one of W, scores, lam and labels is needed")
    if given.slack is not None and all(part is None for part in parts[:3]):
        raise ValueError("slack needs W, scores or lam, whose slack it is")
    if given.W is not None and (problem.gram is not None or isinstance(problem.kernel, tuple)):
        raise ValueError("W needs the linear kernel; submit scores or lam")
    if allowed < 0:
        raise ValueError(f"allowed must not be negative, got {short_text(allowed)}")


def _parts(
    data: Data,
    given: Submission,
    point: Point | None,
    own: Mended | None,
    evidence: _Evidence,
    resolve: Resolve | None,
    allowed: Fraction,
) -> list[Part]:
    """One part for each thing that was submitted."""
    parts: list[Part] = []
    excess = Fraction(0)
    scores = None if given.scores is None else to_matrix(given.scores)
    if given.slack is not None:
        needed = _needed_slack(data, point, scores, own)
        excess, part = slack_claim(data.problem.C, given.slack, needed, allowed)
        parts.append(part)
    if point is not None:
        parts.append(_judge_weights(data, point, excess, evidence, resolve, allowed))
    if own is not None and given.lam is not None:
        parts.append(_judge_multipliers(data, given.lam, own, evidence, allowed))
    if scores is not None:
        parts.append(_judge_scores(data, scores, evidence, allowed))
    if given.labels is not None:
        parts.append(_judge_labels(data, given.labels, evidence, allowed))
    for name, claim in given.values.items():
        parts.append(value_claim(name, claim, evidence.lower, evidence.upper, allowed))
    return parts


def _evidence(
    data: Data, point: Point | None, own: Mended | None, witness: Mended | None
) -> _Evidence:
    """The best bounds; lam = 0 always gives D = 0 and P = C m, or 0 for a single class."""
    nothing = Matrix(((0,) * data.problem.k,) * len(data.problem.y), 1)
    duals = [dual_point(data, nothing), *(d.at for d in (own, witness) if d is not None)]
    points = [d.point for d in duals] + ([] if point is None else [point])
    best = max(duals, key=lambda d: d.dual)
    centre = min(points, key=lambda f: f.primal(data.problem.C))
    return _Evidence(best, centre, best.dual, centre.primal(data.problem.C))


def _judge_weights(
    data: Data,
    point: Point,
    excess: Fraction,
    evidence: _Evidence,
    resolve: Resolve | None,
    allowed: Fraction,
) -> Part:
    value = point.primal(data.problem.C) + excess
    gap = value - evidence.lower
    status = status_of(gap <= allowed, value - evidence.upper > allowed)
    if status != "REFUTED":
        return Part(status, gap)
    wrong = weights_violations(data, point, evidence.best_dual)
    hint = other_sign(data, point, evidence.lower, allowed)
    return Part(status, gap, wrong, hint or other_C(data, point, resolve, allowed))


def _judge_multipliers(
    data: Data, lam: Rows, own: Mended, evidence: _Evidence, allowed: Fraction
) -> Part:
    gap = evidence.upper - own.at.dual
    infeasible = own.moved > allowed
    refuted = infeasible or evidence.lower - own.at.dual > allowed
    status = status_of(gap <= allowed, refuted)
    if not refuted:
        return Part(status, gap)
    hint = apparent_C(data, lam, allowed)
    if infeasible:
        return Part(status, max(gap, own.moved), own.faults, hint)
    return Part(status, gap, multiplier_violations(data, own.at), hint)


def _judge_scores(data: Data, given: Matrix, evidence: _Evidence, allowed: Fraction) -> Part:
    centre, worst, wrong = evidence.centre.scores, Fraction(0), []
    impossible = False
    for i, (mine, best) in enumerate(zip(given.rows, centre.rows, strict=True)):
        apart = [abs(p * centre.den - q * given.den) for p, q in zip(mine, best, strict=True)]
        z = max(range(len(apart)), key=lambda z: apart[z])
        if apart[z] == 0:
            continue
        distance, norm = Fraction(apart[z], given.den * centre.den), data.squared_norms[i]
        impossible = impossible or norm == 0
        t = distance * distance / (2 * norm) if norm else Fraction(0)
        worst = max(worst, t)
        if norm == 0 or root_exceeds_sum(t, allowed, evidence.width):
            place = f"row {i}, class {data.problem.class_text(z)}"
            about = "" if evidence.width == 0 or norm == 0 else "about "
            here, there = short_text(given.entry(i, z)), short_text(centre.entry(i, z))
            wrong.append(Violation(place, f"score {here}, needs {about}{there}", t or distance))
    verified = root_within_difference(worst, allowed, evidence.width) and not impossible
    return Part(status_of(verified, bool(wrong)), worst, tuple(wrong))


def _judge_labels(
    data: Data, labels: Sequence[int], evidence: _Evidence, allowed: Fraction
) -> Part:
    scores, gap, wrong, forced = evidence.centre.scores, None, [], True
    for i, (row, label) in enumerate(zip(scores.rows, labels, strict=True)):
        top = max(range(len(row)), key=lambda z: row[z])
        norm = data.squared_norms[i]
        rivals = (v for z, v in enumerate(row) if z != label)
        lead = Fraction(row[label] - max(rivals, default=row[label]), scores.den)
        certain = lead * lead >= 4 * norm * evidence.width
        forced = forced and (len(row) == 1 or (lead >= 0 and certain))
        if lead >= 0:
            continue
        t = lead * lead / (4 * norm)
        gap = t if gap is None else max(gap, t)
        if root_exceeds_sum(t, allowed, evidence.width):
            names = data.problem.class_text(top), data.problem.class_text(label)
            text = f"class {names[0]} scores higher than class {names[1]} by {short_text(-lead)}"
            wrong.append(Violation(f"row {i}", text, t))
    return Part(status_of(forced, bool(wrong)), gap, tuple(wrong))


def _needed_slack(
    data: Data, point: Point | None, given: Matrix | None, own: Mended | None
) -> list[Fraction]:
    """The hinges of the strongest thing submitted."""
    if point is not None:
        scores = point.scores
    elif given is not None:
        scores = given
    else:
        assert own is not None
        scores = own.at.point.scores
    return [Fraction(h, scores.den) for h in hinges(scores, data.problem.y)]
