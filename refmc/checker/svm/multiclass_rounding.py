"""Answers of multi-class SVMs in binary64: what can be said of all numbers that they may stand for.

    B          the box: all weights that round to those submitted
    w          one of these, a reading, with the excesses m_ij
    δ_j, ρ_ij  how far apart two points of B are at entry j, and their scores of row i and class j

½‖w‖² is convex, so that on all of B it is at least its value at w, less Σ_j |w_j| δ_j; and no
excess is below m_ij less the ρ of the two classes. The sum of the two bounds P from below.
"""

from fractions import Fraction
from operator import mul
from typing import NamedTuple

from refmc.checker.numbers.arithmetic import Matrix, dot, sum_of, to_matrix
from refmc.checker.numbers.rounding import MOVES, UNIT, Box
from refmc.checker.svm.multiclass_points import ZERO, Data, Point, scores_of


class Spread(NamedTuple):
    """How far apart the numbers are that an answer may mean: δ as `widths`, ρ as `scores` or, where
    no weights were submitted, `of_each`; `lam`: all entries of λ together.
    """

    box: Box
    widths: Matrix | None
    scores: Matrix | None
    lam: Fraction
    of_each: Fraction

    @staticmethod
    def of(data: Data, box: Box, moved: Fraction) -> "Spread":
        """The spread of an answer with this box, whose multipliers were moved by so much.

        >>> from refmc.checker.numbers.rounding import Rounded
        >>> from refmc.checker.svm.multiclass_points import MulticlassProblem, prepare_multiclass
        >>> data = prepare_multiclass(MulticlassProblem(X=[[2]], y=(0,), k=2, C=Fraction(1)))
        >>> weights = [[Rounded.of_float(1.0)], [Rounded.of(-1)]]
        >>> Spread.of(data, {"W": weights}, ZERO).of_leads(0, 0) == [3 * UNIT * 2, 3 * UNIT]
        True
        """
        lam = sum_of(r.width for row in box.get("lam", ()) for r in row)
        if "W" not in box:  # an entry moves w(λ) by the features of two classes
            return Spread(
                box, None, None, lam, 2 * MOVES * (lam + moved) * max(data.points.squared_norms)
            )
        widths = to_matrix([[r.width for r in row] for row in box["W"]])
        return Spread(box, widths, scores_of(data, widths, _sizes), lam, ZERO)

    def of_leads(self, row: int, own: int) -> list[Fraction]:
        """How far apart the lead of the own class over each class may be."""
        if self.scores is None:
            return [2 * self.of_each]
        reach = self.scores.rows[row]
        return [Fraction(reach[own] + r, self.scores.den) for r in reach]


def rounding_of_score(data: Data, weights: Matrix, row: int, position: int) -> Fraction:
    """How far off floats may compute one score by these weights."""
    points, of = data.points.rows, 0 if data.problem.features is not None else position
    assert points is not None  # weights are those of the linear kernel
    sizes = map(abs, map(mul, points.rows[data.at(row, position)], weights.rows[of]))
    return Fraction(sum(sizes), points.den * weights.den) * (len(weights.rows[of]) + 2) * UNIT


def _sizes(a: Matrix) -> Matrix:
    return Matrix(tuple(tuple(map(abs, row)) for row in a.rows), a.den)


def least_primal(data: Data, point: Point, spread: Spread) -> Fraction:
    """A lower bound of P over the box, of which the point is a reading."""
    found, W, widths = point.norm / 2, point.weights, spread.widths
    assert W is not None and widths is not None  # weights were submitted
    off = sum(map(dot, _sizes(W).rows, widths.rows))
    found = max(ZERO, found - Fraction(off, W.den * widths.den))
    for i, (own, cap) in enumerate(zip(data.problem.y, data.caps, strict=True)):
        leads = spread.of_leads(i, own)
        for group in data.problem.groups(i):
            found += cap * max(ZERO, *(point.excesses.entry(i, z) - leads[z] for z in group))
    return found
