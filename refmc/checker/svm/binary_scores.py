"""Training scores and training labels of the binary SVM: which functions can have them?

Covers [chang, "Recap: support vector machines"]; the symbols are those of `binary_points`. Training
scores don't determine w, so these parts are decided by how near to the optimum a function with such
scores or labels can be; see the table in `binary`.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from refmc.checker.numbers.arithmetic import root_exceeds_sum
from refmc.checker.parts import Part, status_of
from refmc.checker.printing import short_text
from refmc.checker.svm.binary_bias import Evidence, bias_bounds, rounding_of, score_errors
from refmc.checker.svm.binary_points import (
    ZERO,
    Data,
    Multipliers,
    loss_of,
    of_multipliers,
    squared_distance,
)
from refmc.checker.verdict import Place, Violation

FEW_ROWS = 50
"""Up to so many rows all pairs are compared; of more, each row with the two extreme ones."""


def row_violations(data: Data, scores: Sequence[Fraction], best: Multipliers) -> list[Violation]:
    """What each row adds to P(w, b) − θ(α) with these scores, where it isn't 0.

    For the hard margin that is the multiplier times what its margin has beyond 1.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.binary_points import BinaryProblem, repaired
    >>> data = prepare(BinaryProblem(X=[[1], [-1]], y=(1, -1), C=Fraction(1)))
    >>> best = repaired(data, [Fraction(1, 2)] * 2)
    >>> row_violations(data, (Fraction(0), Fraction(-1)), best)[0].text
    'margin 0, needs 1'
    """
    wrong, problem = [], data.problem
    rows = zip(problem.y, scores, best.alpha, problem.costs, strict=True)
    for i, (sign, score, a, cost) in enumerate(rows):
        short = 1 - sign * score
        amount = -a * short
        if problem.C is not None:
            amount += loss_of(problem, cost, max(short, ZERO))
        if problem.squared and a:
            amount += a * a / (4 * cost)
        if amount > 0:
            # a squared hinge is to be paid in part: the margin that α_i = 2 C_i η_i has
            needed = 1 - a / (2 * cost) if problem.squared and cost else Fraction(1)
            only = "only " if short < 1 - needed else ""
            text = f"margin {short_text(1 - short)}, needs {only}{short_text(needed)}"
            wrong.append(Violation(Place.of("row", i), text, amount))
    return wrong


class Compared(NamedTuple):
    """Scores, compared with what is known of the optimum.

    `rest`: the scores less those of the centre, which have no bias. P(w, b) exceeds P* by at least
    `least`, and by at least `missed` the lower bound, for all (w, b) with these scores; `wrong`:
    what each row adds to that.
    """

    rest: list[Fraction]
    least: Fraction
    missed: Fraction
    wrong: tuple[Violation, ...]


def compare(data: Data, scores: Sequence[Fraction], evidence: Evidence) -> Compared:
    """The scores beside those of the centre, and beside all multipliers that are known.

    P(w, b) = θ(α) + what the rows add + ½‖w − w(α)‖² for any feasible α. The scores give the second
    part, and the third is not below 0.
    """
    bounds, found = evidence.bounds, []
    for dual in evidence.duals:
        wrong = row_violations(data, scores, dual)
        found.append((dual.dual + sum((v.amount for v in wrong), ZERO), wrong))
    value, wrong = max(found, key=lambda pair: pair[0])
    rest = [s - g for s, g in zip(scores, evidence.centre.scores, strict=True)]
    missed = max(ZERO, value - bounds.lower)
    return Compared(rest, value - bounds.upper, missed, tuple(wrong))


def judge_scores(data: Data, found: Compared, excess: Fraction, evidence: Evidence) -> Part:
    """The verdict on scores whose bias is within what they leave open.

    They are wrong if no (w, b) with such scores is near enough to the optimum, or if two of them
    are further apart than w can make them. They are right if what the rows miss, and the `excess`
    of the centre with the bias that was chosen, are both allowed: that the weights are near enough
    is what the leeway of the bias says.
    """
    bounds = evidence.bounds
    if found.least > bounds.most:
        return Part("REFUTED", found.missed, found.wrong, scale=bounds.upper)
    gap, far = spread(data, found.rest, evidence)
    status = status_of(max(found.missed, excess) <= bounds.sure, bool(far))
    scale = bounds.lower if status == "VERIFIED" else bounds.upper
    return Part(status, max(gap, found.missed), tuple(far), scale=scale)


def spread(
    data: Data, rest: Sequence[Fraction], evidence: Evidence
) -> tuple[Fraction, list[Violation]]:
    """The differences r_i of scores from the centre's that no w within reach has, whatever b is.

    |r_i − r_j| ≤ ‖w − w°‖‖x_i − x_j‖, and |r_i| ≤ ‖w − w°‖‖x_i‖ without a bias, once the rounding
    that either may have is taken off: nearly equal rows would else be off by nothing but that. The
    number is the largest ½‖w − w°‖² that a pair needs. All pairs of a few rows are tried, of many
    rows those with an extreme r_j.
    """
    worst, bounds = ZERO, evidence.bounds
    rounding, partners = [rounding_of(r, evidence) for r in rest], _partners(data, rest)
    wrong: dict[int, Violation] = {}
    for i, r in enumerate(rest):
        for j in partners:
            between = r if j is None else r - rest[j]
            off = abs(between) - rounding[i] - (0 if j is None else rounding[j])
            if off <= 0:
                continue
            reach = data.squared_norms[i] if j is None else squared_distance(data, i, j)
            t = off * off / (2 * reach) if reach else off * bounds.upper
            worst = max(worst, t)
            far = not reach or root_exceeds_sum(t, bounds.most, bounds.width)
            if far and (i not in wrong or wrong[i].amount < t):
                against = "" if j is None else f", relative to row {j}"
                wrong[i] = Violation(
                    Place.of("row", i), f"score off by {short_text(between)}{against}", t
                )
    return worst, list(wrong.values())


def _partners(data: Data, rest: Sequence[Fraction]) -> Sequence[int | None]:
    if data.problem.bias is not True:
        return [None]
    extremes = [rest.index(max(rest)), rest.index(min(rest))]
    return range(len(rest)) if len(rest) <= FEW_ROWS else extremes


def judge_labels(data: Data, labels: Sequence[int], evidence: Evidence) -> Part:
    """Labels need a b from −g_i at the lowest positive row to −g_j at the highest negative one.

    >>> from refmc.checker.svm.binary_points import BinaryProblem, repaired
    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.duality import Bounds
    >>> data = prepare(BinaryProblem(X=[[1], [-1]], y=(1, -1), C=Fraction(1)))
    >>> best = repaired(data, [Fraction(1, 2)] * 2)
    >>> exact = Bounds(best.dual, best.dual, Fraction(0))
    >>> evidence = Evidence((best,), best.function, exact)
    >>> [judge_labels(data, y, evidence).status for y in ((1, -1), (1, 1))]
    ['VERIFIED', 'REFUTED']
    """
    scores, ends = evidence.centre.scores, evidence.centre.biases
    raised = [i for i, label in enumerate(labels) if label > 0]
    lowered = [i for i, label in enumerate(labels) if label < 0]
    i = min(raised, key=lambda i: scores[i], default=None)
    j = max(lowered, key=lambda j: scores[j], default=None)
    short = []
    if i is not None and ends.high is not None and scores[i] + ends.high < 0:
        short.append(_short_of_sign(data, labels, i, scores[i] + ends.high, evidence))
    if j is not None and ends.low is not None and scores[j] + ends.low > 0:
        short.append(_short_of_sign(data, labels, j, scores[j] + ends.low, evidence))
    if i is not None and j is not None and scores[i] < scores[j] and data.problem.bias is True:
        short.append(_crossed(data, i, j, evidence))
    wrong = [violation for violation in short if violation is not None]
    gap = max((v.amount for v in wrong), default=None)
    status = status_of(_are_certain(data, labels, evidence), bool(wrong))
    return Part(status, gap, tuple(wrong), scale=evidence.bounds.upper)


def _crossed(data: Data, i: int, j: int, evidence: Evidence) -> Violation | None:
    """A row labelled positive scores less than one labelled negative, whatever b is."""
    off = evidence.centre.scores[j] - evidence.centre.scores[i]
    t = off * off / (2 * squared_distance(data, i, j))  # the rows differ, for their scores do
    if not root_exceeds_sum(t, evidence.bounds.most, evidence.bounds.width):
        return None
    text = f"scores less than row {j}, labelled {data.problem.label(-1)}, by {short_text(off)}"
    return Violation(_labelled(data, i, 1), text, t)


def _labelled(data: Data, row: int, sign: int) -> Place:
    name = data.problem.label(sign)
    return Place(f"row {row}, labelled {name}", {"row": row, "class": name})


def _are_certain(data: Data, labels: Sequence[int], evidence: Evidence) -> bool:
    """Whether one optimal bias gives all labels, wherever w* and its biases are."""
    errors, found = score_errors(data, evidence), bias_bounds(data, evidence)
    rows = list(zip(labels, evidence.centre.scores, errors, strict=True))
    least = max((e - g for label, g, e in rows if label > 0), default=None)
    most = min((-e - g for label, g, e in rows if label < 0), default=None)
    inner, outer = found.inner, found.outer
    if _in_order(inner.low, inner.high):
        pairs = ((low, high) for low in (inner.low, least) for high in (inner.high, most))
        return all(_in_order(low, high) for low, high in pairs)
    # no bias is known to be optimal, so the labels must be those of every bias that can be
    return (least is None or (outer.low is not None and outer.low >= least)) and (
        most is None or (outer.high is not None and outer.high <= most)
    )


def _in_order(low: Fraction | None, high: Fraction | None) -> bool:
    return low is None or high is None or low <= high


def _short_of_sign(
    data: Data, labels: Sequence[int], row: int, score: Fraction, evidence: Evidence
) -> Violation | None:
    """The score has the other sign even with the best of the centre's biases.

    To change it, either w moves the score by half of its size, or b passes the end of the biases by
    that half; without a free bias w moves all of it.
    """
    norm, bounds = data.squared_norms[row], evidence.bounds
    free = data.problem.bias is True
    part = score / 2 if free else score
    by_weights = part * part / (2 * norm) if norm else None
    excess = by_weights
    refuted = by_weights is None or root_exceeds_sum(by_weights, bounds.most, bounds.width)
    if free:
        by_bias = _least_beyond(data, score, evidence) - bounds.upper
        refuted = refuted and by_bias > bounds.most
        excess = by_bias if by_weights is None else min(by_bias, by_weights)
    if not refuted:
        return None
    text = f"scores {'at most ' if labels[row] > 0 else 'at least '}{short_text(score)}"
    place = _labelled(data, row, labels[row])
    return Violation(place, text, abs(score) if excess is None else excess)


def _least_beyond(data: Data, score: Fraction, evidence: Evidence) -> Fraction:
    """A lower bound of P(w, b) for all b past the end of the centre's biases by |score| / 2.

    For any multipliers, balanced or not, P(w, b) ≥ θ(α) − b Σ y_i α_i. They are taken on the way
    from the best known α to those α′ whose rows pay at the centre with this b, where the bound is
    largest: it is a concave quadratic of the share t of the way.
    """
    way = 1 if score < 0 else -1
    end = evidence.centre.biases.high if way > 0 else evidence.centre.biases.low
    problem, best = data.problem, evidence.best_dual
    assert end is not None
    b = end + way * abs(score) / 2
    first, curvature, change = ZERO, ZERO, []
    rows = zip(problem.y, evidence.centre.scores, best.function.scores, best.alpha, problem.costs)
    for sign, centre, g, a, cost in rows:
        short = max(ZERO, 1 - sign * (centre + b))
        pays = 2 * cost * short if problem.squared else cost * (short > 0)
        change.append(pays - a)
        first += (pays - a) * (1 - sign * (g + b))
        if problem.squared and cost:
            first -= (pays - a) * a / (2 * cost)
            curvature += (pays - a) ** 2 / (2 * cost)
    curvature += of_multipliers(data, change).norm
    share = min(Fraction(1), max(ZERO, first) / curvature) if curvature else Fraction(first > 0)
    return best.dual + share * first - share * share * curvature / 2
