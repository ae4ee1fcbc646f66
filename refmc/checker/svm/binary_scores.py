"""Training scores and training labels of the binary SVM: which functions can have them?

Covers [chang, "Recap: support vector machines"]; the symbols are those of `svm_binary_points`.
Training scores don't determine w, so these parts are decided by how near to the optimum a function
with such scores or labels can be; see the table in `svm_binary`.
"""

from collections.abc import Sequence
from fractions import Fraction

from refmc.checker.numbers.arithmetic import root_exceeds_sum, root_within_difference
from refmc.checker.parts import Part, status_of
from refmc.checker.printing import short_text
from refmc.checker.svm.binary_bounds import bias_bounds, score_errors
from refmc.checker.svm.binary_points import (
    Data,
    Evidence,
    Mended,
    of_multipliers,
    primal,
    squared_distance,
)
from refmc.checker.verdict import Violation

FEW_ROWS = 50


def row_violations(data: Data, scores: Sequence[Fraction], best: Mended) -> list[Violation]:
    """C eta_i - alpha_i (1 - y_i f_i) of each row where it isn't 0; no margin 1 adds anything.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.binary_points import Problem, mended
    >>> data = prepare(Problem(X=[[1], [-1]], y=(1, -1), C=Fraction(1)))
    >>> best = mended(data, [Fraction(1, 2)] * 2)
    >>> row_violations(data, (Fraction(0), Fraction(-1)), best)[0].text
    'margin 0, needs 1'
    """
    wrong = []
    C, nothing = data.problem.C, Fraction(0)
    for i, (sign, score, a) in enumerate(zip(data.problem.y, scores, best.alpha, strict=True)):
        short = 1 - sign * score
        amount = -a * short if C is None or short < 0 else (C - a) * short
        if amount > nothing:
            needs = "needs only 1" if short < 0 else "needs 1"
            text = f"margin {short_text(1 - short)}, {needs}"
            wrong.append(Violation(f"row {i}", text, amount))
    return wrong


def judge_scores(
    data: Data, given: tuple[Fraction, ...], evidence: Evidence, allowed: Fraction
) -> Part:
    """The verdict on scores that hold the bias; for the hard margin they are feasible ones.

    P(w, b) = dual value + what the rows miss in slackness + 1/2 |w - w(alpha)|^2, for any feasible
    multipliers.  Of this the scores give the second part, and a lower bound of the third.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.binary_points import Problem, evidence_of, mended
    >>> data = prepare(Problem(X=[[1], [-1]], y=(1, -1), C=Fraction(1)))
    >>> evidence = evidence_of(data, None, mended(data, [Fraction(1, 2)] * 2))
    >>> given, wrong = (Fraction(1), Fraction(-1)), (Fraction(2), Fraction(-2))
    >>> [judge_scores(data, s, evidence, Fraction(0)).status for s in (given, wrong)]
    ['VERIFIED', 'REFUTED']
    """
    value, wrong = max(
        (_least_value(data, given, dual) for dual in evidence.duals), key=lambda found: found[0]
    )
    missed = max(Fraction(0), value - evidence.lower)
    if value - evidence.upper > allowed:
        return Part("REFUTED", missed, tuple(wrong))
    rest = [s - g for s, g in zip(given, evidence.centre.scores, strict=True)]
    gap, wrong = spread(data, rest, evidence.width, allowed)
    if wrong:
        return Part("REFUTED", max(gap, missed), tuple(wrong))
    b = common_bias(data, rest)
    if data.problem.C is None or primal(data, evidence.centre, b) - evidence.lower > allowed:
        b = evidence.biases.closest(b)
    left = allowed - missed
    verified = left >= 0 and near(data, rest, b, evidence.width, left)
    return Part(status_of(verified, False), max(gap, missed))


def _least_value(
    data: Data, given: Sequence[Fraction], dual: Mended
) -> tuple[Fraction, list[Violation]]:
    """A lower bound of P(w, b) for all (w, b) with these scores, and what the rows add to it."""
    wrong = row_violations(data, given, dual)
    return dual.dual + sum((v.amount for v in wrong), Fraction(0)), wrong


def common_bias(data: Data, rest: Sequence[Fraction]) -> Fraction:
    """The bias that the differences of scores suggest: exactly, where some row is the origin.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.binary_points import Problem
    >>> data = prepare(Problem(X=[[1], [-1]], y=(1, -1)))
    >>> common_bias(data, [Fraction(1), Fraction(2)])
    Fraction(3, 2)
    """
    if not data.problem.bias:
        return Fraction(0)
    origin = next((r for r, n in zip(rest, data.squared_norms, strict=True) if n == 0), None)
    return (max(rest) + min(rest)) / 2 if origin is None else origin


def near(
    data: Data, rest: Sequence[Fraction], b: Fraction, width: Fraction, allowed: Fraction
) -> bool:
    """Whether every difference r_i from the centre's score has |r_i - b| <= sqrt(2a K_ii).

    Less sqrt(2 width K_ii), by which the centre may itself be off.  No w moves the score of the
    origin; what rounding moves it is measured as if K_ii were 1.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.binary_points import Problem
    >>> half = Fraction(1, 2)
    >>> near(prepare(Problem(X=[[1]], y=(1,))), [Fraction(1)], Fraction(0), Fraction(0), half)
    True
    """
    return all(
        root_within_difference((r - b) ** 2 / (2 * (norm or 1)), allowed, width)
        for r, norm in zip(rest, data.squared_norms, strict=True)
    )


def spread(
    data: Data, rest: Sequence[Fraction], width: Fraction, allowed: Fraction
) -> tuple[Fraction, list[Violation]]:
    """The differences r_i of scores from the centre's that no w within reach has, whatever b is.

    |r_i - r_j| <= |w - w°| |x_i - x_j|, and |r_i| <= |w - w°| |x_i| without a bias; what rounding
    makes of equal rows, or of the origin, is measured as if they were at distance 1.  The number is
    the largest 1/2 |w - w°|^2 that a pair needs.  All pairs of a few rows are tried, of many rows
    those with an extreme r_j.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.binary_points import Problem
    >>> data = prepare(Problem(X=[[1], [-1]], y=(1, -1)))
    >>> spread(data, [Fraction(1), Fraction(0)], Fraction(0), Fraction(0))[0]
    Fraction(1, 8)
    """
    worst = Fraction(0)
    wrong: dict[int, Violation] = {}
    for i, r in enumerate(rest):
        for j in _partners(data, rest):
            off = r if j is None else r - rest[j]
            reach = data.squared_norms[i] if j is None else squared_distance(data, i, j)
            t = off * off / (2 * (reach or 1))
            worst = max(worst, t)
            if root_exceeds_sum(t, allowed, width) and (i not in wrong or wrong[i].amount < t):
                against = "" if j is None else f", relative to row {j}"
                wrong[i] = Violation(f"row {i}", f"score off by {short_text(off)}{against}", t)
    return worst, list(wrong.values())


def _partners(data: Data, rest: Sequence[Fraction]) -> Sequence[int | None]:
    if not data.problem.bias:
        return [None]
    extremes = [rest.index(max(rest)), rest.index(min(rest))]
    return range(len(rest)) if len(rest) <= FEW_ROWS else extremes


def judge_labels(data: Data, labels: Sequence[int], evidence: Evidence, allowed: Fraction) -> Part:
    """Labels need a b from -g_i at the lowest positive row to -g_j at the highest negative one.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.binary_points import Problem, evidence_of, mended
    >>> data = prepare(Problem(X=[[1], [-1]], y=(1, -1), C=Fraction(1)))
    >>> evidence = evidence_of(data, None, mended(data, [Fraction(1, 2)] * 2))
    >>> [judge_labels(data, y, evidence, Fraction(0)).status for y in ((1, -1), (1, 1))]
    ['VERIFIED', 'REFUTED']
    """
    scores, ends = evidence.centre.scores, evidence.biases
    raised = [i for i, label in enumerate(labels) if label > 0]
    lowered = [i for i, label in enumerate(labels) if label < 0]
    i = min(raised, key=lambda i: scores[i], default=None)
    j = max(lowered, key=lambda j: scores[j], default=None)
    short = []
    if i is not None and ends.high is not None and scores[i] + ends.high < 0:
        short.append(_short_of_sign(data, labels, i, scores[i] + ends.high, evidence, allowed))
    if j is not None and ends.low is not None and scores[j] + ends.low > 0:
        short.append(_short_of_sign(data, labels, j, scores[j] + ends.low, evidence, allowed))
    crossed = i is not None and j is not None and scores[i] < scores[j]
    if crossed and data.problem.bias:
        assert i is not None and j is not None
        short.append(_crossed(data, i, j, evidence, allowed))
    wrong = [violation for violation in short if violation is not None]
    gap = max((v.amount for v in wrong), default=None)
    status = status_of(_are_certain(data, labels, evidence), bool(wrong))
    return Part(status, gap, tuple(wrong))


def _crossed(data: Data, i: int, j: int, evidence: Evidence, allowed: Fraction) -> Violation | None:
    """A row labelled positive scores less than one labelled negative, whatever b is."""
    off = evidence.centre.scores[j] - evidence.centre.scores[i]
    reach = squared_distance(data, i, j)
    t = off * off / (2 * (reach or 1))
    if not root_exceeds_sum(t, allowed, evidence.width):
        return None
    text = f"scores less than row {j}, labelled {data.problem.label(-1)}, by {short_text(off)}"
    return Violation(f"row {i}, labelled {data.problem.label(1)}", text, t)


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
    data: Data,
    labels: Sequence[int],
    row: int,
    score: Fraction,
    evidence: Evidence,
    allowed: Fraction,
) -> Violation | None:
    """The score has the other sign even with the best of the centre's biases.

    To change it, either w moves the score by half of its size, or b passes the end of the biases by
    that half; without a bias w moves all of it.
    """
    norm, width = data.squared_norms[row], evidence.width
    part = score / 2 if data.problem.bias else score
    by_weights = part * part / (2 * norm) if norm else None
    excess = by_weights
    refuted = by_weights is None or root_exceeds_sum(by_weights, allowed, width)
    if data.problem.bias:
        by_bias = _least_beyond(data, score, evidence) - evidence.upper
        refuted = refuted and by_bias > allowed
        excess = by_bias if by_weights is None else min(by_bias, by_weights)
    if not refuted:
        return None
    text = f"scores {'at most ' if labels[row] > 0 else 'at least '}{short_text(score)}"
    place = f"row {row}, labelled {data.problem.label(labels[row])}"
    return Violation(place, text, abs(score) if excess is None else excess)


def _least_beyond(data: Data, score: Fraction, evidence: Evidence) -> Fraction:
    """A lower bound of P(w, b) for all b past the end of the centre's biases by |score| / 2.

    By weak duality for the share t of the way from alpha to the multipliers alpha' of the hinges that
    the centre pays past the end: no balance is needed, for b has a bound.  The bound is a concave
    function of t, namely the sum of alpha_t - 1/2 |w(alpha_t)|^2 - b times the sum of y_i alpha_t.
    """
    way = 1 if score < 0 else -1
    end = evidence.biases.high if way > 0 else evidence.biases.low
    C, y, best = data.problem.C, data.problem.y, evidence.best_dual
    assert end is not None and C is not None
    margins = [sign * (g + end) for sign, g in zip(y, evidence.centre.scores, strict=True)]
    paid = [C * (m < 1 or (m == 1 and s != way)) for m, s in zip(margins, y, strict=True)]
    b = end + way * abs(score) / 2
    rows = zip(paid, y, best.function.scores, strict=True)
    first = sum((p * (1 - s * (g + b)) for p, s, g in rows), Fraction(0))
    first += best.function.norm - sum(best.alpha, Fraction(0))
    V = of_multipliers(data, [p - a for p, a in zip(paid, best.alpha, strict=True)]).norm
    share = min(Fraction(1), max(Fraction(0), first) / V) if V else Fraction(first > 0)
    return best.dual + share * first - share * share * V / 2
