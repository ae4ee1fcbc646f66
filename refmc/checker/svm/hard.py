"""Is this an answer to the hard-margin SVM, or can the rows not be separated at all?

Covers [chang, "Max-margin classifiers"] and [chang, "Hard SVM"]: minimise ½‖w‖² such that every
margin y_i (w·x_i + b) is at least 1. The symbols are those of `binary_points`; the multipliers have
no upper bound here.

    μ          the smallest margin of what was submitted; where μ > 0, (w, b)/μ is feasible
    P, D       ½‖w‖²/μ² of the best known weights, and the best dual value: D ≤ P* ≤ P
    c          m weights ≥ 0 of a common point of the two convex hulls: the c of either label sum to
               1, and Σ c_i y_i x_i = 0. Without a free bias all c together sum to 1, whatever the
               sum over either label: the origin is in the hull of all y_i x_i. Either way
               Σ c_i y_i (w·x_i + b) = 0 for every (w, b), so that not all margins are positive
    a          the gap that is allowed, relative to P*

What VERIFIED and REFUTED mean, part by part:

    w, b         μ ≥ 1 − a, P(w/ν) − D ≤ a·D         μ < 1 − a, or P(w/ν) − P > a·P,
                 where ν is the smaller of μ and 1
    α            P − θ + moved ≤ a·D                 D − θ + moved > a·P, or no optimum
    scores       feasible as w is, and as near the   infeasible, or no weights with
                 optimum as for the soft margin      P(w) ≤ (1 + a)P* have these scores
    labels       those of the problem, separable     others, or not separable
    separable    weights or a common point prove it  the contrary is proved
    combination  its two points are at a distance    they are further apart, or the rows are
                 of a·max‖x_i‖ at most, and the      separable
                 rows are proved not separable
    slack        0, up to a
    values, b_interval and margin_squared as for the soft margin

Weights with μ > 1 are not scaled down, for they were submitted as they are: ν, not μ. The
combination is divided by its sums first, for any multiple of it proves the same.

Where a matrix of kernel values K is positive semi-definite up to rounding only, everything is
judged for K + εI. The matrix that is meant is taken to be some K′ between K − εI and K + εI. With
K′ the scores of Σ α_i y_i x_i differ from those with K + εI by at most 2ε‖α‖, so this is taken off
μ; and its norm is no larger with K′, nor is any dual value smaller. It is then never proved that
rows are not separable.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from operator import add
from typing import NamedTuple

from refmc.checker.kernels import prepare, semidefinite
from refmc.checker.numbers.arithmetic import Numbers, rational_dot, root_above, root_below, sum_of
from refmc.checker.numbers.intervals import Interval, half_line, meet
from refmc.checker.parts import Part, bounded_claim, counted, refuted, status_of
from refmc.checker.printing import short_text
from refmc.checker.svm.binary_bias import Evidence, bound_claims, common_bias
from refmc.checker.svm.binary_case import (
    Case,
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
    of_multipliers,
    repaired,
)
from refmc.checker.svm.binary_rounding import least_norm
from refmc.checker.svm.binary_scores import Compared, compare, judge_scores, row_violations
from refmc.checker.svm.duality import (
    Bounds,
    Inquiry,
    Weighed,
    undecidable,
    with_witnesses,
    without_duality,
)
from refmc.checker.verdict import Place, Verdict, Violation

__all__ = ["BinaryAnswer", "BinaryProblem", "Interval", "Witness", "judge"]

FAMILY = "svm.hard"
ONE = Fraction(1)


class Witness(NamedTuple):
    """Multipliers near the optimum, or the weights of a common point of the two hulls.

    >>> Witness(combination=[1, 1]).alpha is None
    True
    """

    alpha: Numbers | None = None
    combination: Numbers | None = None


class _Known(NamedTuple):
    """The best dual point; either the best feasible weights, or that there are none, or neither."""

    best_dual: Multipliers
    feasible: Evidence | None
    impossible: bool


def judge(
    problem: BinaryProblem,
    given: BinaryAnswer,
    *,
    witnesses: Iterable[Callable[[], Witness | None]] = (),
    thorough: bool = True,
    allowed: Fraction,
) -> Verdict:
    """Judge weights, multipliers, training scores or labels, or that the rows are not separable.

    Weights without a bias are judged with the b of the widest margin. `separable` claims that the
    rows are separable, or that they aren't; a `combination` claims to prove that they aren't.
    `witnesses` are asked in turn while the verdict is open; see `with_witnesses` for `thorough`.

    >>> two_rows = BinaryProblem(X=[[1], [-1]], y=(1, -1))
    >>> half, right = Fraction(1, 2), BinaryAnswer(w=[1], b=Fraction(0))
    >>> witness = Witness([half, half])
    >>> found = judge(two_rows, right, witnesses=[lambda: witness], allowed=Fraction(0))
    >>> print(found.explain())
    VERIFIED  svm.hard  2 rows, with bias
      gap      0 (exactly right); allowed 0
      digits   all (the gap is exactly 0)
    >>> same_row = BinaryProblem(X=[[1], [1]], y=(1, -1))
    >>> judge(same_row, BinaryAnswer(combination=[1, 1]), allowed=Fraction(0)).status
    'VERIFIED'
    """
    summary = f"{counted(len(problem.y), 'row')}, {settings(problem)}"
    data = semidefinite(prepare(problem))
    if isinstance(data, Violation):
        return without_duality(FAMILY, summary, data, allowed)
    case = read_case(data, given, allowed)

    def weigh(witnesses: Sequence[Witness]) -> Weighed:
        known = _known(case, witnesses)
        bounds = None if known.feasible is None else known.feasible.bounds
        notes, parts = _separability(problem, given, known), _parts(case, known)
        if known.feasible is None or not may_round(case, parts):
            return Weighed(parts, bounds, known.impossible, notes)
        read = reading(case, known.feasible)
        return Weighed(_parts(read, known), bounds, False, notes, submitted=parts)

    inquiry = Inquiry(FAMILY, summary, allowed, data.shift, case.submitted is not None)
    return with_witnesses(inquiry, weigh, witnesses, thorough)


def _separability(problem: BinaryProblem, given: BinaryAnswer, known: _Known) -> list[str]:
    """The remark whether the rows are separable, where that is proved and bears on the answer."""
    if known.impossible and problem.bias is True:
        return ["the rows are not separable: the two convex hulls have a common point"]
    if known.impossible:
        return ["the rows are not separable: the origin is in the hull of all y_i x_i"]
    denied = given.separable is False or given.combination is not None
    return ["the rows are separable"] if denied and known.feasible is not None else []


def _known(case: Case, witnesses: Sequence[Witness]) -> _Known:
    data = case.data
    combinations = [case.given.combination, *(w.combination for w in witnesses)]
    distances = [_hull_distance(data, c) for c in combinations if c is not None]
    duals = [case.start, *(repaired(data, w.alpha) for w in witnesses if w.alpha is not None)]
    duals += [case.own] if case.own else []
    functions = [(d.function, d.alpha) for d in duals]
    if case.function is not None:
        functions.append((case.function, case.own.alpha if case.own else ()))
    scaled = [_scaled(data, *function) for function in functions]
    feasible = [f for f in scaled if f is not None]
    best = max(duals, key=lambda d: d.dual)
    if not feasible:
        return _Known(best, None, 0 in distances and not data.shift)
    centre = min(feasible, key=lambda f: f.norm)
    bounds = Bounds(best.dual, centre.norm / 2, case.allowed)
    return _Known(best, Evidence(tuple(duals), centre, bounds), False)


def _margins(y: Sequence[int], scores: Sequence[Fraction], b: Fraction) -> list[Fraction]:
    return [sign * (g + b) for sign, g in zip(y, scores, strict=True)]


def _widest_b(problem: BinaryProblem, scores: Sequence[Fraction]) -> Fraction:
    """The b with the largest μ. With one label μ has no maximum: then the nearest b with μ = 1."""
    if problem.bias is not True:
        return ZERO
    # where no b makes all margins 1, the ends are in the wrong order, and μ is largest between them
    return meet(*(half_line(y - g, y) for y, g in zip(problem.y, scores, strict=True))).middle()


def _scaled(data: Data, function: Function, alpha: Sequence[Fraction]) -> Function | None:
    """The function divided by its μ with the best b; None where no multiple is feasible.

    `alpha` are its multipliers where K has a shift.
    """
    b = _widest_b(data.problem, function.scores)
    mu = min(_margins(data.problem.y, function.scores, b))
    if data.shift:
        mu -= 2 * data.shift * root_above(rational_dot(alpha, alpha))
    if mu <= 0:
        return None
    weights = None if function.weights is None else tuple(v / mu for v in function.weights)
    scores = tuple(g / mu for g in function.scores)
    return Function(data.problem, scores, function.norm / mu**2, weights)


def _parts(case: Case, known: _Known) -> list[Part]:
    """One part for each thing that was submitted, all with one bias."""
    data, given, evidence = case.data, case.given, known.feasible
    parts, b = list[Part](), case.b
    compared = None
    if evidence is not None:
        if case.scores is not None:
            compared = _compared(data, case.scores, evidence)
        # one bias for all parts: the one of the widest margin if they leave several
        best = evidence.centre.biases
        if case.submitted is not None:
            widest = _widest_b(data.problem, case.submitted.scores)
            best = Interval(widest, widest)
        choice = common_bias(leeways(case, evidence, compared), best)
        parts, b = [choice.part], choice.b if b is None or case.spread is not None else b
    if case.submitted is not None and (given.w is not None or given.b is not None):
        parts += _judge_point(case, case.submitted, b, known)
    if case.own is not None:
        parts.append(_judge_multipliers(case, case.own, known))
    if case.scores is not None:
        parts += _judge_scores(case, case.scores, compared, known)
    if given.labels is not None:
        parts.append(_judge_labels(data, given.labels, known))
    if given.separable is not None:
        yes, no = evidence is not None, known.impossible
        parts.append(Part(status_of(yes, no) if given.separable else status_of(no, yes)))
    if given.combination is not None:
        parts.append(_judge_combination(data, given.combination, known, case.allowed))
    parts += _claims(case, known)
    return parts + scores_beside(case, parts, b)


def _compared(data: Data, scores: Sequence[Fraction], evidence: Evidence) -> Compared:
    """The scores that were submitted; a margin short of 1 is scaled to 1 first."""
    mu = min(_margins(data.problem.y, scores, ZERO))
    # w/μ has the scores s/μ, and is feasible; a margin beyond 1 is itself feasible
    feasible = [s / min(mu, ONE) for s in scores] if mu > 0 else scores
    return compare(data, feasible, evidence)


def _margin_part(margins: Sequence[Fraction], allowed: Fraction, reach: Sequence[Fraction]) -> Part:
    """Whether the smallest margin is 1, up to the allowed share of it; `reach`: how much larger
    each of them may be in another reading."""
    short = max(ZERO, 1 - min(margins))
    wrong = [
        Violation(Place.of("row", i), f"margin {short_text(margin)}, needs 1", 1 - margin)
        for i, margin in enumerate(margins)
        if margin < 1
    ]
    if short < 1 and short <= allowed:
        return Part("VERIFIED", short, scale=ONE)
    least = 1 - min(map(add, margins, reach))
    if least < 1 and least <= allowed:
        return Part("INCONCLUSIVE", short, scale=ONE)
    return Part("REFUTED", short, tuple(wrong), scale=ONE)


def _judge_point(
    case: Case, function: Function, b: Fraction | None, known: _Known
) -> Iterator[Part]:
    data, spread = case.data, case.spread
    at = _widest_b(data.problem, function.scores) if b is None else b
    margins = _margins(data.problem.y, function.scores, at)
    reach = [ZERO] * len(margins)
    if spread is not None:
        reach = spread.of_margins()
        yield from undecidable(spread.by_rounding(data))
        # where any bias may be meant, one that is better for some rows is worse for others
        reach = [max(reach)] * len(reach) if spread.b is None else reach
    margin = _margin_part(margins, case.allowed, reach)
    yield margin
    if known.feasible is None or margin.status != "VERIFIED":
        yield Part("INCONCLUSIVE")
        return
    bounds, least = known.feasible.bounds, None
    value = function.norm / 2 / min(min(margins), ONE) ** 2
    if spread is not None:
        least = least_norm(function, spread) / min(min(map(add, margins, reach)), ONE) ** 2

    def wrong() -> Iterator[Violation]:
        yield from row_violations(data, [g + at for g in function.scores], known.best_dual)
        text = f"half the squared norm is {short_text(value)}, needs at most "
        text += short_text(bounds.upper)
        yield Violation(Place("weights", {"field": "w"}), text, value - bounds.upper)

    low = value if least is None else least
    yield bounds.part(low - bounds.upper, value - bounds.lower, wrong())


def _judge_multipliers(case: Case, own: Multipliers, known: _Known) -> Part:
    if known.impossible:
        text = "no multipliers are optimal: the dual value has no upper bound"
        return Part("REFUTED", None, (Violation(Place.whole("alpha"), text, ONE), *own.faults))
    if known.feasible is None:
        return Part("INCONCLUSIVE")
    bounds, wrong = known.feasible.bounds, list(own.faults)
    low = bounds.lower - own.dual
    if low > 0:
        text = f"dual value {short_text(own.dual)}, needs at least {short_text(bounds.lower)}"
        wrong.append(Violation(Place.whole("alpha"), text, low))
    return bounds.of_dual(own.dual, own.moved, wrong, wrong, spread_of_dual(case, own))


def _judge_scores(
    case: Case, scores: Sequence[Fraction], compared: Compared | None, known: _Known
) -> list[Part]:
    """The verdict on scores as those of a feasible function; they include its bias."""
    margins = _margins(case.data.problem.y, scores, ZERO)
    margin = _margin_part(margins, case.allowed, [ZERO] * len(scores))
    if margin.status == "REFUTED":
        return [margin]
    if known.impossible:
        return [refuted(Place.whole("scores"), "no function has a positive margin on every row")]
    if known.feasible is None or compared is None:  # neither is there without the other
        return [Part("INCONCLUSIVE")]
    return [margin, judge_scores(case.data, compared, ZERO, known.feasible)]


def _judge_labels(data: Data, labels: Sequence[int], known: _Known) -> Part:
    """The verdict on labels: a feasible function gives every row its own, with a margin."""
    pairs = enumerate(zip(labels, data.problem.y, strict=True))
    wrong = [
        Violation(Place.of("row", i), f"labelled {data.problem.label(label)}", ONE)
        for i, (label, own) in pairs
        if label != own
    ]
    is_wrong = known.impossible or (known.feasible is not None and bool(wrong))
    return Part(status_of(known.feasible is not None, is_wrong), None, tuple(wrong))


def _hull_distance(data: Data, combination: Numbers) -> Fraction | None:
    """The squared distance of the two points; without a free bias that of the one point from 0.

    None where an entry is negative or a label has no weight.
    """
    y = data.problem.y
    c = list(map(Fraction, combination))
    sums = {sign: sum_of(v for v, s in zip(c, y, strict=True) if s == sign) for sign in y}
    if data.problem.bias is not True:
        sums = dict.fromkeys((-1, 1), sum_of(c))
    if min(c) < 0 or min(sums.get(-1, 0), sums.get(1, 0)) <= 0:
        return None
    return of_multipliers(data, [v / sums[s] for v, s in zip(c, y, strict=True)]).norm


def _judge_combination(data: Data, combination: Numbers, known: _Known, allowed: Fraction) -> Part:
    """The verdict on a claimed common point of the hulls.

    Each of its two points is a mean of rows, so that its rounding is relative to the largest row.
    """
    square = _hull_distance(data, combination)
    if square is None:
        text = "needs weights of at least 0, and a positive one for either label"
        return refuted(Place.whole("combination"), text)
    largest = max(data.squared_norms)
    near = square <= allowed**2 * largest
    is_wrong = known.feasible is not None or (known.impossible and not near)
    status = status_of(known.impossible and near, is_wrong)
    distance, scale = root_above(square), root_below(largest)
    text = f"its two points are apart, by a squared distance of {short_text(square)}"
    wrong = (Violation(Place.whole("combination"), text, square),) if status == "REFUTED" else ()
    return Part(status, distance, wrong, scale=scale)


def _claims(case: Case, known: _Known) -> list[Part]:
    """The verdicts on claims about the optimum; where there is none, every such claim is wrong."""
    given, evidence = case.given, known.feasible
    if known.impossible:
        named = ("slack", "b_interval", "margin_squared")
        names = [*given.values, *(name for name in named if getattr(given, name) is not None)]
        return [refuted(name, "there is no optimum") for name in names]
    parts = []
    for i, eta in enumerate(given.slack or ()):
        place = Place(f"slack of row {i}", {"field": "slack", "row": i})
        parts.append(bounded_claim(place, Fraction(eta), ZERO, ZERO, case.allowed, (ONE, ONE)))
    if evidence is None:
        return parts  # then the parts of the answer itself are open or refuted already
    parts += [evidence.bounds.claim(name, value) for name, value in given.values.items()]
    return parts + bound_claims(case.data, given, evidence)
