"""Training scores and training labels of the binary SVM: which functions can have them?

Covers [chang, "Recap: support vector machines"]; the symbols are those of `binary_points`. Training
scores don't determine w, so these parts are decided by how near to the optimum a function with such
scores or labels can be; see the table in `binary`.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from refmc.checker.kernels import squared_distance
from refmc.checker.numbers.arithmetic import root_exceeds_sum, sum_of
from refmc.checker.numbers.intervals import meet
from refmc.checker.parts import Part, status_of
from refmc.checker.printing import short_text
from refmc.checker.svm.binary_bias import Evidence, bias_bounds, leeway_of_labels, rounding_of
from refmc.checker.svm.binary_points import ZERO, Data, Multipliers, loss_of, of_multipliers
from refmc.checker.verdict import Place, Violation

FEW_ROWS = 50
"""Up to so many rows all pairs are compared; of more, each row with the two extreme ones."""


def row_violations(
    data: Data, scores: Sequence[Fraction], best: Multipliers
) -> Iterator[Violation]:
    """What each row adds to P(w, b) − θ(α) with these scores, where it is above 0.

    For the hard margin that is the multiplier times the margin's excess over 1.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.binary_points import BinaryProblem, repaired
    >>> data = prepare(BinaryProblem(X=[[1], [-1]], y=(1, -1), C=Fraction(1)))
    >>> best = repaired(data, [Fraction(1, 2)] * 2)
    >>> next(row_violations(data, (Fraction(0), Fraction(-1)), best)).text
    'margin 0, needs 1'
    """
    problem = data.problem
    rows = zip(problem.y, scores, best.alpha, problem.costs, strict=True)
    for i, (sign, score, a, cost) in enumerate(rows):
        short = 1 - score if sign > 0 else 1 + score
        amount = -a * short if a else ZERO
        if problem.C is not None:
            amount += loss_of(problem, cost, short if short.numerator > 0 else ZERO)
        if problem.squared and a:
            amount += a * a / (4 * cost)
        if amount.numerator > 0:  # faster than to compare Fractions
            # at the optimum of the squared hinge α_i = 2 C_i η_i, so the margin needs no more
            needed = 1 - a / (2 * cost) if problem.squared and cost else Fraction(1)
            only = "only " if short < 1 - needed else ""
            text = f"margin {short_text(1 - short)}, needs {only}{short_text(needed)}"
            yield Violation(Place.of("row", i), text, amount)


class Compared(NamedTuple):
    """Scores, compared with what is known of the optimum.

    `rest`: the difference from the scores of the centre, which have no bias. For every (w, b) with
    these scores, P(w, b) exceeds P* by at least `least`, and the lower bound of P* by at least
    `missed`. `wrong`: what each row adds to that.
    """

    rest: list[Fraction]
    least: Fraction
    missed: Fraction
    wrong: tuple[Violation, ...]


def compare(data: Data, scores: Sequence[Fraction], evidence: Evidence) -> Compared:
    """The scores compared with those of the centre, and with all multipliers that are known.

    P(w, b) = θ(α) + what the rows add + ½‖w − w(α)‖² for any feasible α. What the rows add depends
    on the scores alone, and the last term is not negative. So the first two are a lower bound of
    P(w, b) for each α, of which the largest counts.
    """
    bounds, found = evidence.bounds, []
    for dual in evidence.duals:
        wrong = tuple(row_violations(data, scores, dual))
        found.append((dual.dual + sum_of(v.amount for v in wrong), wrong))
    value, wrong = max(found, key=lambda pair: pair[0])
    rest = [s - g for s, g in zip(scores, evidence.centre.scores, strict=True)]
    missed = max(ZERO, value - bounds.lower)
    return Compared(rest, value - bounds.upper, missed, wrong)


def judge_scores(data: Data, found: Compared, excess: Fraction, evidence: Evidence) -> Part:
    """The verdict on scores, beside the common bias of the answer.

    They are wrong if every (w, b) with these scores has too large a primal value, or if two of them
    differ by more than any w near enough to the optimum allows. They are right if the common bias
    is in the `sure` interval of `leeway_of_scores`, which is a part of its own, and neither what
    the rows miss nor `excess` is too large: that of the primal value of the centre with the common
    bias.
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
    """The largest ½‖w − w°‖² that a pair of scores needs, and the rows whose scores are further off
    than any w near enough to the optimum allows, whatever b is.

    `rest` holds the differences r_i from the scores of the centre. As b cancels, |r_i − r_j| ≤
    ‖w − w°‖‖x_i − x_j‖; without a bias, |r_i| ≤ ‖w − w°‖‖x_i‖. Rounding is taken off first: where
    x_i and x_j are nearly equal, it alone would need distant weights. A w with P(w, b) ≤ (1 + a)P*
    has ‖w − w°‖ ≤ √(2a·P*) + √(2g). All pairs of a few rows are tried, and of many rows those with
    the largest or the smallest r_j.
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
    """The verdict on labels. They need a b with g_i + b ≥ 0 for the lowest score g_i of the rows
    labelled positive, and g_j + b ≤ 0 for the highest score g_j of those labelled negative.

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
    wrong = list[Violation]()
    if i is not None and ends.high is not None and scores[i] + ends.high < 0:
        wrong += _short_of_sign(data, i, scores[i] + ends.high, evidence)
    if j is not None and ends.low is not None and scores[j] + ends.low > 0:
        wrong += _short_of_sign(data, j, scores[j] + ends.low, evidence)
    if i is not None and j is not None and scores[i] < scores[j] and data.problem.bias is True:
        wrong += _crossed(data, i, j, evidence)
    gap = max((v.amount for v in wrong), default=None)
    status = status_of(_are_certain(data, labels, evidence), bool(wrong))
    return Part(status, gap, tuple(wrong), scale=evidence.bounds.upper)


def _crossed(data: Data, i: int, j: int, evidence: Evidence) -> Iterator[Violation]:
    """A row labelled positive scores less than one labelled negative, whatever b is; nothing where
    that doesn't refute the labels."""
    off = evidence.centre.scores[j] - evidence.centre.scores[i]
    t = off * off / (2 * squared_distance(data, i, j))  # the rows differ, for their scores do
    if root_exceeds_sum(t, evidence.bounds.most, evidence.bounds.width):
        text = f"scores less than row {j}, labelled {data.problem.label(-1)}, by {short_text(off)}"
        yield Violation(_labelled(data, i, 1), text, t)


def _labelled(data: Data, row: int, sign: int) -> Place:
    name = data.problem.label(sign)
    return Place.of("row", row).then(f"labelled {name}", {"class": name})


def _are_certain(data: Data, labels: Sequence[int], evidence: Evidence) -> bool:
    """Whether some optimal bias gives all labels, for every w* that the bounds admit."""
    right = leeway_of_labels(data, labels, evidence.centre, evidence).sure
    optimal = bias_bounds(data, evidence)
    if not optimal.inner.is_empty():
        return not meet(optimal.inner, right).is_empty()
    # no bias is known to be optimal, so the labels must be right with all that may be
    return meet(optimal.outer, right) == optimal.outer


def _short_of_sign(
    data: Data, row: int, score: Fraction, evidence: Evidence
) -> Iterator[Violation]:
    """The fault of a row whose score has the wrong sign with each of the centre's best biases;
    nothing where that doesn't refute its label.

    `score` is that with the most favourable of these biases. To change its sign, w must move it by
    half of its size, or else b must pass the end of the centre's best biases by that half. Without
    a free bias w must move it by all of its size. The label is refuted if each way there is costs
    more than is allowed.
    """
    norm, bounds, free = data.squared_norms[row], evidence.bounds, data.problem.bias is True
    costs, affordable = [], False
    if norm:
        part = score / 2 if free else score
        costs.append(part * part / (2 * norm))
        affordable = not root_exceeds_sum(costs[0], bounds.most, bounds.width)
    if free:
        costs.append(_least_beyond(data, score, evidence) - bounds.upper)
        affordable = affordable or costs[-1] <= bounds.most
    # there is at least one way: without a free bias a row at 0 scores 0, which no label contradicts
    if not affordable:
        label, side = (1, "at most") if score < 0 else (-1, "at least")
        text = f"scores {side} {short_text(score)}"
        yield Violation(_labelled(data, row, label), text, min(costs))


def _least_beyond(data: Data, score: Fraction, evidence: Evidence) -> Fraction:
    """A lower bound of P(w, b) for all w and all b past the end of the centre's biases by at least
    |score| / 2.

    For any multipliers, balanced or not, P(w, b) ≥ θ(α) − b Σ y_i α_i: the identity of the duality
    gap has the term b Σ y_i α_i in addition. The multipliers used are α + t(α′ − α) with 0 ≤ t ≤ 1:
    α is the best known one, and α′_i is minus the slope of row i's loss in its margin, at the
    centre with the nearest such b. The bound is a concave quadratic in t, whose maximum is taken.

    It holds for every b further out as well: Σ y_i α_i = 0, and −Σ y_i α′_i is the derivative of
    the loss with respect to b, whose sign past the end is that of the direction outwards. So
    −b Σ y_i α_i of the mixture only grows.
    """
    end = evidence.centre.biases.high if score < 0 else evidence.centre.biases.low
    problem, best = data.problem, evidence.best_dual
    assert end is not None
    b = end - score / 2
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
