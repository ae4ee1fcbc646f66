"""Answers of binary SVMs in binary64: what can be said of all numbers that they may stand for.

    B          the box: all w, b, α that round to what was submitted
    w, b       one of these, a reading; g_i its scores without the bias
    δ_j, ρ_i   how far apart two numbers of B are at entry j of w or of α, and their scores of row i

½‖w‖² is convex, so that on all of B it is at least its value at w, less the sum of its slopes there
times δ_j; and no hinge is below that of y_i f_i + ρ_i. The sum of the two bounds P from below.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from refmc.checker.numbers.arithmetic import Numbers, dot, rational_dot, sum_of, to_matrix
from refmc.checker.numbers.rounding import MOVES, UNIT, Box
from refmc.checker.svm.binary_points import ZERO, BinaryAnswer, Data, Function, biases, primal


class Spread(NamedTuple):
    """How far apart the numbers are that an answer may mean; see the module's δ and ρ.

    `w` is empty unless weights were submitted; a penalised bias is the last of them. `alpha` is for
    all multipliers together, and `repaired` for these after they are repaired. `b` is for a bias
    that isn't in `w`, and None where any bias may be meant.
    """

    box: Box
    w: Sequence[Fraction]
    alpha: Fraction
    repaired: Fraction
    b: Fraction | None
    scores: Sequence[Fraction]

    @staticmethod
    def of(data: Data, given: BinaryAnswer, moved: Fraction = ZERO) -> "Spread":
        """The spread of an answer whose multipliers were moved by so much.

        >>> from refmc.checker.kernels import prepare
        >>> from refmc.checker.svm import binary_points as points
        >>> from refmc.checker.numbers.rounding import Rounded
        >>> data = prepare(points.BinaryProblem(X=[[3], [-7]], y=(1, -1), C=Fraction(1)))
        >>> answer = BinaryAnswer(w=[2], rounded=lambda: {"w": [[Rounded.of_float(2.0)]]})
        >>> spread = Spread.of(data, answer)
        >>> [reach / spread.w[0] for reach in spread.of_margins()]
        [Fraction(3, 1), Fraction(7, 1)]
        """
        box = given.rounded() if given.rounded is not None else {}
        w, alpha, bias = (
            [r.width for row in box.get(n, ()) for r in row] for n in ("w", "alpha", "b")
        )
        is_free, width, radius = data.problem.bias is True, sum_of(bias), sum_of(alpha)
        if w and data.problem.bias == "penalised":
            w, width = [*w, width], ZERO
        total, b = MOVES * (radius + moved), None if is_free and not bias else width
        return Spread(box, w, radius, total, b, _reach(data, w, total))

    def of_margins(self) -> list[Fraction]:
        """How far apart the margins of each row may be."""
        return [reach + (self.b or 0) for reach in self.scores]

    def by_rounding(self, data: Data) -> list[Fraction]:
        """The same by rounding alone, however far multipliers had to be moved."""
        return self._replace(scores=_reach(data, self.w, MOVES * self.alpha)).of_margins()


def rounding_of_scores(data: Data, given: BinaryAnswer) -> list[Fraction]:
    """How far off floats may compute the score of each row by w and b, or by α.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm import binary_points as points
    >>> data = prepare(points.BinaryProblem(X=[[3], [-7]], y=(1, -1), C=Fraction(1)))
    >>> [off / UNIT for off in rounding_of_scores(data, BinaryAnswer(w=[2], b=Fraction(1)))]
    [Fraction(21, 1), Fraction(45, 1)]
    """
    b, w, alpha = abs(given.b or ZERO), list(given.w or ()), list(given.alpha or ())
    entries = 2 + len(w or alpha)
    if w and data.problem.bias == "penalised":  # rows have its column
        w, b = [*w, b], ZERO
    sizes = _reach(data, w, sum_of(max(a, -a) for a in alpha))
    return [(size + b) * entries * UNIT for size in sizes]


def _reach(data: Data, w: Numbers, alpha: Fraction) -> list[Fraction]:
    """How far the score of each row moves at most where each entry of w moves by so much, or else
    all of α together."""
    if not w or data.rows is None:
        return [alpha * max(data.squared_norms)] * len(data.problem.y)
    line = to_matrix([w])
    sizes, den = list(map(abs, line.rows[0])), data.rows.den * line.den
    return [Fraction(dot(list(map(abs, row)), sizes), den) for row in data.rows.rows]


def least_norm(function: Function, spread: Spread) -> Fraction:
    """A lower bound of ½‖w‖² over the box: its slope is w_j in entry j of w, and y_i g_i in α_i."""
    slope, off = max(map(abs, function.scores)), ZERO
    if function.problem.bias == "penalised":  # beside α it has a slope of its own, |b| < 1 + ‖w‖²
        slope, off = slope + 1 + function.norm, (spread.b or ZERO) * (1 + function.norm)
    off += slope * spread.repaired
    if spread.w and function.weights is not None:
        off = rational_dot(map(abs, function.weights), spread.w)
    return max(ZERO, function.norm / 2 - off)


def least_primal(function: Function, b: Fraction, spread: Spread) -> Fraction:
    """A lower bound of P over the box, of which the function with the bias b is a reading."""
    problem = function.problem
    rows = zip(function.scores, problem.y, spread.of_margins(), strict=True)
    raised = tuple(g + sign * reach for g, sign, reach in rows)
    at = biases(problem, raised).middle() if spread.b is None else b
    return primal(problem, Function(problem, raised, 2 * least_norm(function, spread), None), at)
