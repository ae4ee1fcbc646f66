"""Answers of multi-class SVMs in binary64: what can be said of all numbers that they may stand for.

    B          the box: all weights that round to those submitted
    w          one of these, a reading, with the excesses m_ij
    δ_j, ρ_ij  how far apart two points of B are at entry j, and their scores of row i and class j
    λ          any feasible multipliers; the weights that they determine are w(λ)

For every w′, since a loss is at least each of the 0 and m_ij that it is the largest of,

    P(w′) ≥ A(w′) = ½‖w′‖² + Σ λ_ij m_ij(w′)

A is convex, so that on all of B it is at least A(w) − Σ_j |w − w(λ)|_j δ_j. Of three λ the best
bound counts: the best ones that are known; the slopes of the losses at w, which are right where no
loss has a kink within B; and these slopes but for such groups, which have the best ones' entries.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from refmc.checker.numbers.arithmetic import (
    Matrix,
    dot,
    rows_times_rows,
    sum_of,
    to_matrix,
    transpose,
)
from refmc.checker.numbers.rounding import Box
from refmc.checker.svm.multiclass_points import (
    ZERO,
    Data,
    MulticlassProblem,
    Multipliers,
    Point,
    dual_point,
    scores_of,
)

UNIT = Fraction(1, 1 << 53)
"""The largest relative error of one operation in binary64."""


class Spread(NamedTuple):
    """How far apart the numbers are that an answer may mean: δ as `widths`, ρ as `scores`. These
    are those of weights that were submitted, else of w(λ), whose weights a kernel may hide.

    `lam`: the sum over all entries of λ.
    """

    box: Box
    widths: Matrix
    scores: Matrix
    lam: Fraction

    def of_leads(self, row: int, own: int) -> list[Fraction]:
        """How far apart the lead of the own class over each class may be."""
        reach = self.scores.rows[row]
        return [Fraction(reach[own] + r, self.scores.den) for r in reach]


def spread_of(data: Data, box: Box) -> Spread:
    """The spread of an answer with this box.

    >>> from refmc.checker.numbers.rounding import Rounded
    >>> from refmc.checker.svm.multiclass_points import prepare_multiclass
    >>> data = prepare_multiclass(MulticlassProblem(X=[[2]], y=(0,), k=2, C=Fraction(1)))
    >>> weights = [[Rounded.of_float(1.0)], [Rounded.of(-1)]]
    >>> spread_of(data, {"W": weights}).of_leads(0, 0) == [3 * UNIT * 2, 3 * UNIT]
    True
    """
    lam = sum_of(r.width for row in box.get("lam", ()) for r in row)
    if "W" in box:
        widths = to_matrix([[r.width for r in row] for row in box["W"]])
        return Spread(box, widths, reach_of(data, widths), lam)
    # w(λ) moves by the width of each entry times its features, and by that of them all times those
    # of the own class
    given = [[r.width for r in row] for row in box["lam"]] if "lam" in box else []
    steps = _with_own(data.problem, given or [[ZERO] * data.problem.k for _ in data.problem.y])
    if data.features is not None:
        flat = Matrix((tuple(v for row in steps.rows for v in row),), steps.den)
        widths = rows_times_rows(flat, transpose(_sizes(data.features)))
        return Spread(box, widths, reach_of(data, widths), lam)
    assert data.points is not None
    if data.points.gram is not None:
        reach = rows_times_rows(_sizes(data.points.gram), transpose(steps))
        return Spread(box, steps, reach, lam)
    assert data.points.rows is not None
    widths = rows_times_rows(transpose(steps), transpose(_sizes(data.points.rows)))
    return Spread(box, widths, reach_of(data, widths), lam)


def reach_of(data: Data, steps: Matrix) -> Matrix:
    """How far each score moves at most where each entry of the weights moves by so much."""
    return scores_of(data, _sizes(steps), _sizes)


def rounding_of_scores(data: Data, weights: Matrix) -> Matrix:
    """How far off floats may compute each score by these weights."""
    reach, operations = reach_of(data, weights), len(weights.rows[0]) + 2
    rows = tuple(tuple(v * operations for v in row) for row in reach.rows)
    return Matrix(rows, reach.den * UNIT.denominator)


def _sizes(a: Matrix) -> Matrix:
    return Matrix(tuple(tuple(map(abs, row)) for row in a.rows), a.den)


def least_primal(data: Data, point: Point, best: Multipliers, spread: Spread) -> Fraction:
    """A lower bound of P over the box, of which the point is a reading."""
    slopes, mixed = [], []
    for i in range(len(data.problem.y)):
        steep, near = _slopes(data, point, i, spread)
        slopes.append(steep)
        at_best = [best.lam.entry(i, z) if z in near else v for z, v in enumerate(steep)]
        mixed.append(at_best)
    candidates = [_with_own(data.problem, rows) for rows in (slopes, mixed)]
    return max(_least_at(data, point, lam, spread) for lam in [best.lam, *candidates])


def _slopes(data: Data, point: Point, i: int, spread: Spread) -> tuple[list[Fraction], set[int]]:
    """The slopes of row i's losses, by its wrong classes; and the classes of the groups that may
    have a kink within the box."""
    found, near = [ZERO] * data.problem.k, set[int]()
    excesses = [point.excesses.entry(i, z) for z in range(data.problem.k)]
    reach = spread.of_leads(i, data.problem.y[i])
    for group in data.problem.groups(i):
        top = max(group, key=lambda z: excesses[z])
        if excesses[top] > 0:
            found[top] = data.caps[i]
        rivals = [z for z in group if z != top]
        most = max(excesses[top], ZERO)
        if abs(excesses[top]) <= reach[top] or any(
            most - excesses[z] <= reach[z] + reach[top] for z in rivals
        ):
            near.update(group)
    return found, near


def _with_own(problem: MulticlassProblem, rows: Sequence[list[Fraction]]) -> Matrix:
    for row, own in zip(rows, problem.y, strict=True):
        row[own] = ZERO
        row[own] = sum_of(row)
    return to_matrix(rows)


def _least_at(data: Data, point: Point, lam: Matrix, spread: Spread) -> Fraction:
    """The bound with these multipliers."""
    towards = dual_point(data, lam).weights
    assert point.weights is not None and towards is not None  # weights were submitted
    value = point.norm / 2
    # the excess of the own class is 0
    pairs = sum(map(dot, lam.rows, point.excesses.rows))
    value += Fraction(pairs, lam.den * point.excesses.den)
    a, b = point.weights, towards
    for u, v, step in zip(a.rows, b.rows, spread.widths.rows, strict=True):
        apart = [abs(p * b.den - q * a.den) for p, q in zip(u, v, strict=True)]
        value -= Fraction(dot(apart, step), a.den * b.den * spread.widths.den)
    return value
