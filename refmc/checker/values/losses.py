"""Is this the value, or a subgradient, of a loss? Decided exactly, or by a proved interval.

Covers [lecture5 (4)–(13)], the losses L(z) of [keshet §1.3], [chang, "The Hinge Loss"] and
[chang, "Perceptron vs. SVM"], [karagiannis (3.2), (3.3)], and the margin loss of
[lu, "Margin of a Multi-Class Classifier – Mono-Label Case"].

    z           the margin of one row, y times its score
    s, y        the k scores of one row, and the position of its class
    v_j         Δ(j, y) + s_j − s_y, so that v_y = 0. The max form is the largest v_j, the sum form
                is Σ max(0, v_j) over j ≠ y
    slopes      of a loss in the margin: the slopes of the linear pieces that are largest at z. In
                the scores: the gradients e_j − e_y of the largest v_j, which is 0 for j = y. In W:
                these times x; in the weights of given features: Ψ(x, j) − Ψ(x, y)
    a           the share of the sizes of terms that is allowed: of |Δ(j, y)| + |s_j| + |s_y| for
                v_j, of 1 + |z| for 1 − z

A value is VERIFIED if it is the loss after some changes of the terms by a share of at most a. So a
hinge whose argument is negative after all such changes must be exactly 0, however large the terms
are. Exponential and logistic losses, means and shares are sums of positive terms, and are off
relative to themselves; the interval of an irrational one is narrowed until it decides. A 0-1 loss
of tied scores may be 0 or 1, and a mean must then be that of the submitted values.

The subgradients are the convex hull of the slopes of the pieces that can be largest after changes
of their terms by a share of at most a; those of a sum are the sum of such hulls. A claim is
VERIFIED if it is at most a times the size of the slopes away from this set, in the sum of absolute
values, which is decided exactly.

Differs from the lecture: (3.2) of karagiannis prints an indicator that is 1 where the prediction is
right; the 0-1 loss is 1 where it is wrong, as the cases beside it say.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from typing import Literal, NamedTuple

from refmc.checker.numbers.arithmetic import Numbers, sum_of, to_matrix
from refmc.checker.numbers.enclosures import LOSSES, Enclosure, logistic_slope, summed
from refmc.checker.numbers.hulls import (
    TooLong,
    distance_to_hull,
    distance_to_outer_products,
    distance_to_segments,
)
from refmc.checker.parts import (
    Enclosed,
    Part,
    Ranged,
    combined,
    counted,
    enclosed_claim,
    exactly,
    ranged_claim,
)
from refmc.checker.printing import short_text
from refmc.checker.verdict import Place, Verdict, Violation

MarginLoss = Literal["hinge", "perceptron", "exponential", "logistic", "margin"]
ScoreLoss = Literal["multiclass_hinge", "multiclass_hinge_sum", "zero_one"]


@dataclass(frozen=True, kw_only=True)
class MarginProblem:
    """A loss of m margins. `rho`: ρ > 0 of the loss "margin", which falls from 1 to 0 on [0, ρ].

    >>> family_of(MarginProblem(loss="hinge", z=[1]))
    'loss.hinge'
    """

    loss: MarginLoss
    z: Numbers
    rho: Fraction = Fraction(1)


@dataclass(frozen=True, kw_only=True)
class ScoreProblem:
    """A loss of m rows of k scores, with the position of each row's class.

    `costs`: for each row what each class costs as its prediction; None for 0 and 1. Subgradients
    are with respect to the scores; or, with `X` (m rows), to W, one row after the other; or, with
    `features` (for each row the k rows Ψ(x, j)), to w.

    >>> family_of(ScoreProblem(loss="zero_one", scores=[[1, 0]], y=(0,)))
    'loss.zero_one'
    """

    loss: ScoreLoss
    scores: Sequence[Numbers]
    y: Sequence[int]
    costs: Sequence[Numbers] | None = None
    X: Sequence[Numbers] | None = None
    features: Sequence[Sequence[Numbers]] | None = None


@dataclass(frozen=True, kw_only=True)
class LabelProblem:
    """A loss of m predicted codes and m right ones; a single label is a code of one entry.

    "zero_one" is 1 where the two differ anywhere, "hamming" the share of entries that differ.

    >>> family_of(LabelProblem(loss="hamming", predicted=[[1, -1]], y=[[1, 1]]))
    'loss.hamming'
    """

    loss: Literal["zero_one", "hamming"]
    predicted: Sequence[Sequence[object]]
    y: Sequence[Sequence[object]]


Piecewise = MarginProblem | ScoreProblem
Problem = Piecewise | LabelProblem


class Claims(NamedTuple):
    """What is claimed of the m rows: their losses, the mean of these, and m subgradients, of one
    number each for margins."""

    values: Numbers | None = None
    mean: Fraction | None = None
    subgradients: Sequence[Numbers] | None = None


def family_of(problem: Problem) -> str:
    """The family of a problem."""
    return f"loss.{problem.loss}"


def judge(problem: Problem, given: Claims, *, allowed: Fraction) -> Verdict:
    """Judge what is claimed of the losses.

    >>> kink = MarginProblem(loss="hinge", z=[1])
    >>> judge(kink, Claims([0], None, [[Fraction(-1, 2)]]), allowed=Fraction(0)).status
    'VERIFIED'
    >>> print(judge(kink, Claims(subgradients=[[1]]), allowed=Fraction(0)).explain())
    REFUTED  loss.hinge  1 row
      gap      1, relative 1.0e0; allowed 0
      worst    row 0: subgradient is off by 1, in the sum of its entries
    """
    rows = range(len(problem.z if isinstance(problem, MarginProblem) else problem.y))
    if isinstance(problem, MarginProblem) and problem.loss in ("exponential", "logistic"):
        parts = _judge_irrational(problem, given, allowed)
    elif isinstance(problem, LabelProblem) or problem.loss == "zero_one":
        parts = _judge_counts(problem, rows, given, allowed)
    else:
        parts = _judge_piecewise(problem, rows, given, allowed)
    return combined(family_of(problem), counted(len(rows), "row"), parts, allowed)


def _without_subgradients(problem: Problem) -> Part:
    return Part("INCONCLUSIVE", hint=f"{family_of(problem)} has no subgradients")


def _judge_irrational(problem: MarginProblem, given: Claims, allowed: Fraction) -> list[Part]:
    """The verdicts on exponential and logistic losses, and on their slopes."""
    parts, losses = list[Part](), []
    for i, z in enumerate(map(Fraction, problem.z)):
        place = Place.of("row", i)
        loss = cache(partial(LOSSES[problem.loss], z))
        losses.append(loss)
        if given.values is not None:
            parts.append(enclosed_claim(place, loss, Fraction(given.values[i]), allowed))
        if given.subgradients is not None:
            slope = _multiplied([loss], Fraction(-1))
            slope = partial(logistic_slope, z) if problem.loss == "logistic" else slope
            place, claim = place.field("subgradient"), Fraction(given.subgradients[i][0])
            parts.append(enclosed_claim(place, slope, claim, allowed))
    if given.mean is not None:
        mean = _multiplied(losses, Fraction(1, len(losses)))
        parts.append(enclosed_claim(Place.whole("mean"), mean, given.mean, allowed))
    return parts


def _multiplied(losses: Sequence[Enclosed], factor: Fraction) -> Enclosed:
    """The sum of losses times a factor."""

    def value(bits: int) -> Enclosure | None:
        found = summed(loss(bits) for loss in losses)
        return None if found is None else found.times(factor)

    return value


def _judge_counts(
    problem: ScoreProblem | LabelProblem, rows: range, given: Claims, allowed: Fraction
) -> list[Part]:
    """The verdicts on losses that count mistakes.

    Tied scores leave a loss open; then the mean must be that of the values beside it.
    """
    counts, parts = [_counts(problem, i, allowed) for i in rows], []
    for i, claim in enumerate(map(Fraction, given.values or ())):
        parts.append(_count_claim(Place.of("row", i), counts[i], claim, allowed))
        counts[i] = [_nearest(counts[i], claim)]
    if given.mean is not None:
        least = sum_of(row[0] for row in counts)
        free = sum(len(row) > 1 for row in counts)
        right = [(least + extra) / len(rows) for extra in range(free + 1)]
        parts.append(_count_claim(Place.whole("mean"), right, given.mean, allowed))
    if given.subgradients is not None:
        parts.append(_without_subgradients(problem))
    return parts


def _count_claim(
    place: Place, right: Sequence[Fraction], claim: Fraction, allowed: Fraction
) -> Part:
    """The verdict on a claim of which several values are right; a refutation names them."""
    part = enclosed_claim(place, exactly(_nearest(right, claim)), claim, allowed)
    if part.status != "REFUTED" or len(right) == 1:
        return part
    *some, last = map(short_text, right if len(right) < 4 else [right[0], right[1], right[-1]])
    needs = f"{', '.join(some)}{', …' * (len(right) > 3)} or {last}"
    text = f"{short_text(claim)}, needs {needs}"
    return part._replace(violations=(replace(part.violations[0], text=text),))


def _nearest(right: Sequence[Fraction], claim: Fraction) -> Fraction:
    """Of several right values the one nearest to the claim."""
    return min(right, key=lambda value: abs(value - claim))


def _counts(problem: ScoreProblem | LabelProblem, i: int, allowed: Fraction) -> list[Fraction]:
    """The right values of a row's loss: two, 0 and 1, where tied scores leave it open."""
    if isinstance(problem, LabelProblem):
        pairs = list(zip(problem.predicted[i], problem.y[i], strict=True))
        share = Fraction(sum(mine != right for mine, right in pairs), len(pairs))
        return [share if problem.loss == "hamming" else Fraction(share > 0)]
    scores, y = [Fraction(s) for s in problem.scores[i]], problem.y[i]
    top = max(scores)
    best = [j for j, s in enumerate(scores) if top - s <= allowed * (abs(top) + abs(s))]
    return sorted({Fraction(j != y) for j in best})


def _judge_piecewise(
    problem: Piecewise, rows: range, given: Claims, allowed: Fraction
) -> list[Part]:
    """The verdicts on losses that are made of linear pieces."""
    parts, ranged = list[Part](), []
    for i in rows:
        place, pieces = Place.of("row", i), _pieces(problem, i, allowed)
        ranged.append(_loss(problem, pieces))
        if given.values is not None:
            parts.append(ranged_claim(place, Fraction(given.values[i]), ranged[i]))
        if given.subgradients is not None and problem.loss == "margin":
            parts.append(_without_subgradients(problem))
        elif given.subgradients is not None:
            parts.append(_judge_subgradient(problem, i, pieces, given.subgradients[i], allowed))
    if given.mean is not None:
        value, low, high, size = (sum_of(column) / len(rows) for column in zip(*ranged))
        # losses of 1, which are exact, have a mean that may be rounded
        low, high = min(low, (1 - allowed) * value), max(high, (1 + allowed) * value)
        mean = Ranged(value, low, high, size)
        parts.append(ranged_claim(Place.whole("mean"), given.mean, mean))
    return parts


def _loss(problem: Problem, pieces: Sequence[Ranged]) -> Ranged:
    """The loss of a row by its linear pieces: the largest, or the sum of the positive parts."""
    if problem.loss == "multiclass_hinge":
        value = max(piece.value for piece in pieces)
        return Ranged(
            value,
            max(piece.low for piece in pieces),
            max(piece.high for piece in pieces),
            max(piece.size for piece in pieces if piece.high >= value),
        )
    found = Ranged.of_hinges(pieces)
    if problem.loss != "margin":
        return found
    value, low, high = (min(Fraction(1), end) for end in (found.value, found.low, found.high))
    return Ranged(value, low, high, found.size if low < 1 else low)


def _pieces(problem: Piecewise, i: int, allowed: Fraction) -> Sequence[Ranged]:
    """The linear pieces that the loss of row i is made of."""
    if isinstance(problem, MarginProblem):
        z = Fraction(problem.z[i])
        if problem.loss == "perceptron":
            return [Ranged.of(-z, abs(z), allowed)]
        share = z / problem.rho if problem.loss == "margin" else z
        return [Ranged.of(1 - share, 1 + abs(share), allowed)]
    y, scores = problem.y[i], problem.scores[i]
    costs = [int(j != y) for j in range(len(scores))] if problem.costs is None else problem.costs[i]
    rows, den = to_matrix([scores, costs])
    own, pieces = rows[0][y], []
    for j, (s, delta) in enumerate(zip(*rows, strict=True)):
        value, size = delta + s - own, delta + abs(s) + abs(own) if j != y else 0
        pieces.append(Ranged.of(Fraction(value, den), Fraction(size, den), allowed))
    return pieces


def _judge_subgradient(
    problem: Piecewise, i: int, pieces: Sequence[Ranged], given: Numbers, allowed: Fraction
) -> Part:
    place = Place.of("row", i)
    try:
        off, size = _distance(problem, i, pieces, given)
    except TooLong:
        hint = f"{place}: its subgradient has too many entries to tell how far it is off"
        return Part("INCONCLUSIVE", hint=hint)
    if off <= allowed * size:
        return Part("VERIFIED", off, scale=size)
    text = f"subgradient is off by {short_text(off)}, in the sum of its entries"
    return Part("REFUTED", off, (Violation(place, text, off),), scale=size)


def _distance(
    problem: Piecewise, i: int, pieces: Sequence[Ranged], given: Numbers
) -> tuple[Fraction, Fraction]:
    """How far a claim is from the set of all subgradients, and the size of the slopes."""
    if isinstance(problem, MarginProblem):
        (piece,), claim = pieces, Fraction(given[0])
        is_steep, is_flat = piece.high >= 0, piece.low <= 0
        # the slopes from −1 to 0, or the one of them that is left
        off = max(-int(is_steep) - claim, claim + int(not is_flat), Fraction(0))
        return off, Fraction(is_steep)
    y = problem.y[i]
    if problem.loss == "multiclass_hinge":
        low = max(piece.low for piece in pieces)
        near = [j for j, piece in enumerate(pieces) if piece.high >= low]
        sure, free = [], [j for j in near if j != y]
        # the shares of the other classes sum to 1, or to at most 1 where y reaches the maximum
        least, most = int(y not in near), 1
    else:
        sure = [j for j, piece in enumerate(pieces) if piece.low > 0]
        free = [j for j, piece in enumerate(pieces) if piece.low <= 0 <= piece.high and j != y]
        least, most = 0, len(free)
    if problem.features is not None:
        return _distance_by_features(problem, i, given, sure, free, not least)
    x = [Fraction(1)] if problem.X is None else [Fraction(c) for c in problem.X[i]]
    if least == len(free):  # the only one has the whole share
        sure, free, least = [*sure, *free], [], 0
    off = distance_to_outer_products(given, x, y, sure, free, (least, most))
    reached = len(sure) + min(most, len(free))
    return off, 2 * reached * sum_of(map(abs, x))


def _distance_by_features(
    problem: ScoreProblem, i: int, given: Numbers, sure: list[int], free: list[int], in_hull: bool
) -> tuple[Fraction, Fraction]:
    """The same for any features; `in_hull`: whether 0, the slope of the right class, is among the
    slopes whose hull it is."""
    assert problem.features is not None
    y, psi = problem.y[i], problem.features[i]
    steps = {j: [Fraction(p) - q for p, q in zip(psi[j], psi[y])] for j in (*sure, *free)}
    sizes = {j: sum_of(abs(Fraction(v)) for v in (*psi[j], *psi[y])) for j in steps}
    nothing = [Fraction(0)] * len(given)
    if problem.loss == "multiclass_hinge":
        vertices = [steps[j] for j in free] + [nothing] * in_hull
        return distance_to_hull(given, vertices), max((sizes[j] for j in free), default=Fraction(0))
    start = nothing
    for j in sure:
        start = [p + q for p, q in zip(start, steps[j], strict=True)]
    off = distance_to_segments(given, start, [steps[j] for j in free])
    return off, sum_of(sizes.values())
