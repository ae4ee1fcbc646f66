"""Is this the value, or a subgradient, of a loss?  Decided exactly, or by a proved interval.

Covers [lecture5 (4)–(13)], the losses L(z) of [keshet §1.3], [chang, "The Hinge Loss"] and
[chang, "Perceptron vs. SVM"], [karagiannis (3.2), (3.3)], and the margin loss of
[lu, "Margin of a Multi-Class Classifier – Mono-Label Case"].

    z           the margin of one row, y times its score
    s, y        the k scores of one row, and the position of its class
    v_j         Delta(j, y) + s_j - s_y; v_y = 0.  max form: the largest v_j; sum form: the sum of
                max(0, v_j) over j other than y
    slopes      z: of the pieces that reach the loss.  s: e_j - e_y for each j that reaches the
                maximum, 0 for j = y.  Times x in the rows of W, or Psi(x, j) in the place of e_j
    a           the allowed distance

A value is VERIFIED within a of the loss, REFUTED if it isn't; where the loss is irrational, its
interval is narrowed until it decides.  A subgradient is a member of the convex hull of the slopes
(for a sum, of the sum of such hulls); it is VERIFIED if changes of its entries that sum to at most a
bring it there, which a linear programme decides.  gap: the largest such distance.

Differs from the lecture: (3.2) of karagiannis prints an indicator that is 1 where the prediction is
right; the 0-1 loss is 1 where it is wrong, as the cases beside it say.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from refmc.checker.numbers.enclosures import Enclosure, exponential, logistic, logistic_slope, point
from refmc.checker.numbers.hulls import distance_to_hull, distance_to_segments
from refmc.checker.parts import (
    Enclosed,
    Part,
    combined,
    counted,
    enclosed_claim,
    exactly,
    status_of,
)
from refmc.checker.printing import short_text
from refmc.checker.verdict import Verdict, Violation

__all__ = ["LabelProblem", "MarginProblem", "ScoreProblem", "judge"]

Row = Sequence[Fraction | int]
Gradient = Sequence[Fraction | int]

MarginLoss = Literal["hinge", "perceptron", "exponential", "logistic", "margin"]
ScoreLoss = Literal["multiclass_hinge", "multiclass_hinge_sum", "zero_one"]


@dataclass(frozen=True, kw_only=True)
class MarginProblem:
    """A loss of m margins; `rho` > 0 belongs to "margin", the loss that falls from 1 to 0 on [0, rho].

    >>> MarginProblem(loss="hinge", z=[1]).family
    'loss.hinge'
    """

    loss: MarginLoss
    z: Row
    rho: Fraction = Fraction(1)

    @property
    def family(self) -> str:
        return f"loss.{self.loss}"


@dataclass(frozen=True, kw_only=True)
class ScoreProblem:
    """A loss of m rows of k scores with their classes; `cost` as rows Delta(j, .), None for 0 and 1.

    `X` (m rows) or `features` (for each row the k rows Psi(x, j)) say with respect to what the
    subgradients are: W, one row after the other, or w; with neither, the scores.

    >>> ScoreProblem(loss="zero_one", scores=[[1, 0]], y=(0,)).family
    'loss.zero_one'
    """

    loss: ScoreLoss
    scores: Sequence[Row]
    y: Sequence[int]
    cost: Sequence[Row] | None = None
    X: Sequence[Row] | None = None
    features: Sequence[Sequence[Row]] | None = None

    @property
    def family(self) -> str:
        return f"loss.{self.loss}"


@dataclass(frozen=True, kw_only=True)
class LabelProblem:
    """A loss of m predicted codes beside m right ones; a single label is a code of one entry.

    "zero_one" is 1 where they differ at all, "hamming" the share of entries where they do.

    >>> LabelProblem(loss="hamming", predicted=[[1, -1]], y=[[1, 1]]).family
    'loss.hamming'
    """

    loss: Literal["zero_one", "hamming"]
    predicted: Sequence[Sequence[object]]
    y: Sequence[Sequence[object]]

    @property
    def family(self) -> str:
        return f"loss.{self.loss}"


Problem = MarginProblem | ScoreProblem | LabelProblem


def judge(
    problem: Problem,
    *,
    values: Row | None = None,
    mean: Fraction | None = None,
    subgradients: Sequence[Gradient] | None = None,
    allowed: Fraction,
) -> Verdict:
    """Judge the m values, their mean, and m subgradients (a number each, for losses of margins).

    >>> kink = MarginProblem(loss="hinge", z=[1])
    >>> judge(kink, values=[0], subgradients=[[Fraction(-1, 2)]], allowed=Fraction(0)).status
    'VERIFIED'
    >>> print(judge(kink, subgradients=[[1]], allowed=Fraction(0)).explain())
    REFUTED  loss.hinge  1 row
      gap      1; allowed 0
      worst    row 0: subgradient is off by 1, in the sum of its entries
    """
    if allowed < 0:
        raise ValueError(f"allowed must not be negative, got {short_text(allowed)}")
    m = len(problem.z if isinstance(problem, MarginProblem) else problem.y)
    parts = []
    for i in range(m):
        if values is not None:
            parts.append(_judge_value(f"row {i}", _loss(problem, i), Fraction(values[i]), allowed))
        if subgradients is not None:
            parts.append(_judge_subgradient(problem, i, subgradients[i], allowed))
    if mean is not None:
        parts.append(_judge_value("mean", _mean(problem, m), mean, allowed))
    return combined(problem.family, counted(m, "row"), parts, allowed)


def _judge_value(place: str, right: Sequence[Enclosed], claim: Fraction, allowed: Fraction) -> Part:
    """The claim against the nearest of the values that are right."""
    parts = [enclosed_claim(place, value, claim, allowed) for value in right]
    order = ("VERIFIED", "INCONCLUSIVE", "REFUTED")
    return min(parts, key=lambda p: (order.index(p.status), p.gap or 0))


def _loss(problem: Problem, i: int) -> list[Enclosed]:
    """All values that are right for a row."""
    if isinstance(problem, MarginProblem):
        return [_margin_loss(problem, Fraction(problem.z[i]))]
    if isinstance(problem, LabelProblem):
        pairs = list(zip(problem.predicted[i], problem.y[i], strict=True))
        share = Fraction(sum(mine != right for mine, right in pairs), len(pairs))
        return [exactly(share if problem.loss == "hamming" else Fraction(share > 0))]
    return [exactly(loss) for loss in _score_losses(problem, i)]


def _margin_loss(problem: MarginProblem, z: Fraction) -> Enclosed:
    nothing, one = Fraction(0), Fraction(1)
    if problem.loss == "hinge":
        return exactly(max(nothing, 1 - z))
    if problem.loss == "perceptron":
        return exactly(max(nothing, -z))
    if problem.loss == "margin":
        return exactly(min(one, max(nothing, 1 - z / problem.rho)))
    if problem.loss == "exponential":
        return lambda bits: exponential(-z, bits)
    return lambda bits: logistic(z, bits)


def _score_losses(problem: ScoreProblem, i: int) -> list[Fraction]:
    """The loss; the 0-1 loss has two values where the right class shares the arg max."""
    scores, y = problem.scores[i], problem.y[i]
    if problem.loss == "zero_one":
        top = [j for j, s in enumerate(scores) if s == max(scores)]
        return sorted({Fraction(j != y) for j in top})
    v = _violations(problem, i)
    if problem.loss == "multiclass_hinge":
        return [max(v)]
    return [sum((max(Fraction(0), v_j) for v_j in v), Fraction(0))]


def _violations(problem: ScoreProblem, i: int) -> list[Fraction]:
    scores, y, cost = problem.scores[i], problem.y[i], problem.cost
    return [
        Fraction(j != y if cost is None else cost[j][y]) + s - scores[y]
        for j, s in enumerate(scores)
    ]


def _mean(problem: Problem, m: int) -> list[Enclosed]:
    """The mean; that of 0-1 losses lies anywhere between the least and the most, in steps of 1/m."""
    rows = [_loss(problem, i) for i in range(m)]
    free = sum(len(row) > 1 for row in rows)

    def shifted(extra: int) -> Enclosed:
        def mean(bits: int) -> Enclosure | None:
            total = point(Fraction(extra))
            for row in rows:
                found = row[0](bits)
                if found is None:
                    return None
                total = total.plus(found)
            return total.times(Fraction(1, m))

        return mean

    return [shifted(extra) for extra in range(free + 1)]


def _judge_subgradient(problem: Problem, i: int, given: Gradient, allowed: Fraction) -> Part:
    place = f"row {i}"
    if isinstance(problem, MarginProblem):
        slopes = _margin_slopes(problem, Fraction(problem.z[i]))
        if slopes is None:
            return Part("INCONCLUSIVE", None, (), f"{problem.family} has no subgradients")
        if callable(slopes):
            return _judge_value(f"{place}, subgradient", [slopes], Fraction(given[0]), allowed)
        off = distance_to_hull(given, [[slope] for slope in slopes])
    elif isinstance(problem, LabelProblem) or problem.loss == "zero_one":
        return Part("INCONCLUSIVE", None, (), f"{problem.family} has no subgradients")
    else:
        off = _distance(problem, i, given)
    if off <= allowed:
        return Part(status_of(True, False), off)
    text = f"subgradient is off by {short_text(off)}, in the sum of its entries"
    return Part("REFUTED", off, (Violation(place, text, off),))


def _margin_slopes(problem: MarginProblem, z: Fraction) -> list[Fraction] | Enclosed | None:
    """Slopes of the pieces that reach the loss, or the one slope; the margin loss isn't convex."""
    if problem.loss == "margin":
        return None
    if problem.loss == "exponential":
        return lambda bits: None if (e := exponential(-z, bits)) is None else e.times(Fraction(-1))
    if problem.loss == "logistic":
        return lambda bits: logistic_slope(z, bits)
    kink = 1 if problem.loss == "hinge" else 0
    return [Fraction(-1)] * (z <= kink) + [Fraction(0)] * (z >= kink)


def _distance(problem: ScoreProblem, i: int, given: Gradient) -> Fraction:
    y, v = problem.y[i], _violations(problem, i)
    directions = [_direction(problem, i, j) for j in range(len(v))]
    if problem.loss == "multiclass_hinge":
        tied = [j for j, v_j in enumerate(v) if v_j == max(v)]
        return distance_to_hull(given, [directions[j] for j in tied])
    start = [Fraction(0)] * len(given)
    for j, v_j in enumerate(v):
        if j != y and v_j > 0:
            start = [p + q for p, q in zip(start, directions[j], strict=True)]
    level = [directions[j] for j, v_j in enumerate(v) if j != y and v_j == 0]
    return distance_to_segments(given, start, level)


def _direction(problem: ScoreProblem, i: int, j: int) -> list[Fraction]:
    """e_j - e_y, or Psi(x, j) - Psi(x, y)."""
    y, k = problem.y[i], len(problem.scores[i])
    if problem.features is not None:
        psi = problem.features[i]
        return [Fraction(p) - q for p, q in zip(psi[j], psi[y], strict=True)]
    x = [1] if problem.X is None else problem.X[i]
    return [Fraction(c) * ((r == j) - (r == y)) for r in range(k) for c in x]
