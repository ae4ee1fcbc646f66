"""Answers of binary SVMs in binary64: what can be said of all numbers that they may stand for.

    B          the box: all w, b, α that round to what was submitted
    w, b       one of these, a reading; g_i its scores without the bias
    δ_j, ρ_i   how far apart two numbers of B are at entry j of w or of α, and their scores of row i
    s          any multipliers with 0 ≤ s_i ≤ C_i, or 0 ≤ s_i for squared hinges, balanced or not

For every (w′, b′), since no hinge is below 1 − y_i f_i and none below 0,

    P(w′, b′) ≥ A(w′, b′) = ½‖w′‖² + Σ s_i (1 − y_i (w′·x_i + b′)),   less Σ s_i²/(4C_i) if squared

A is convex, so that on all of B it is at least A(w, b) − Σ_j |∂A/∂w_j| δ_j − |Σ y_i s_i| δ_b, where
∂A/∂w_j is entry j of w − w(s), and ∂A/∂α_i is its product with y_i x_i. Where no bias was submitted
any b′ may be meant, and s must be balanced. Of three s the best bound counts: the best multipliers
that are known; the slopes of the losses at (w, b), which are right where no hinge has its kink
within B; and these slopes but for such rows, which have the best multipliers' entries.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from refmc.checker.numbers.arithmetic import Matrix, dot, rational_dot, sum_of, to_matrix, transpose
from refmc.checker.numbers.rounding import Box
from refmc.checker.svm.binary_points import (
    ZERO,
    BinaryAnswer,
    BinaryProblem,
    Data,
    Function,
    Multipliers,
    of_multipliers,
)

UNIT = Fraction(1, 1 << 53)
"""The largest relative error of one operation in binary64."""


class Spread(NamedTuple):
    """How far apart the numbers are that an answer may mean; see the module's δ and ρ.

    `w` and `alpha` are empty unless they were submitted; a penalised bias is the last of `w`. `b`
    is that of a bias which isn't, and None where any bias may be meant.
    """

    box: Box
    w: Sequence[Fraction]
    alpha: Sequence[Fraction]
    b: Fraction | None
    scores: Sequence[Fraction]
    beside: Fraction | None = None
    """The reading of a penalised bias beside α, whose own bias is another."""

    def of_margins(self) -> list[Fraction]:
        """How far apart the margins of each row may be."""
        return [reach + (self.b or 0) for reach in self.scores]


def spread_of(data: Data, given: BinaryAnswer) -> Spread:
    """The spread of an answer.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.numbers.rounding import Rounded
    >>> data = prepare(BinaryProblem(X=[[3], [-7]], y=(1, -1), C=Fraction(1)))
    >>> answer = BinaryAnswer(w=[2], rounded=lambda: {"w": [[Rounded.of_float(2.0)]]})
    >>> spread = spread_of(data, answer)
    >>> [reach / spread.w[0] for reach in spread.of_margins()]
    [Fraction(3, 1), Fraction(7, 1)]
    """
    box = given.rounded() if given.rounded is not None else {}
    w, alpha = ([r.width for r in box[name][0]] if name in box else [] for name in ("w", "alpha"))
    b = box["b"][0][0].width if "b" in box else None if data.problem.bias is True else ZERO
    if w and data.problem.bias == "penalised":
        w, b = [*w, b or ZERO], ZERO
    return Spread(box, w, alpha, b, _reach(data, w, alpha))


def rounding_of_scores(data: Data, given: BinaryAnswer) -> list[Fraction]:
    """How far off floats may compute the score of each row by w and b, or by α.

    >>> from refmc.checker.kernels import prepare
    >>> data = prepare(BinaryProblem(X=[[3], [-7]], y=(1, -1), C=Fraction(1)))
    >>> [off / UNIT for off in rounding_of_scores(data, BinaryAnswer(w=[2], b=Fraction(1)))]
    [Fraction(21, 1), Fraction(45, 1)]
    """
    b = abs(given.b or ZERO)
    w = [*map(abs, map(Fraction, given.w or ())), *[b] * (data.problem.bias == "penalised")]
    alpha = [abs(Fraction(a)) for a in given.alpha or ()]
    sizes = _reach(data, w if given.w is not None else [], alpha)
    return [(size + b) * (2 + len(given.w or alpha)) * UNIT for size in sizes]


def _reach(data: Data, w: Sequence[Fraction], alpha: Sequence[Fraction]) -> list[Fraction]:
    """How far the score of each row moves at most where each entry of w, or else of α, moves by
    this much."""
    if data.rows is None:
        assert data.gram is not None
        return _moved(data.gram, alpha or [ZERO] * len(data.gram.rows))
    columns = transpose(data.rows)
    return _moved(data.rows, w or _moved(columns, alpha or [ZERO] * len(data.rows.rows)))


def _moved(a: Matrix, steps: Sequence[Fraction]) -> list[Fraction]:
    """Σ_j |a_ij| times step j, for each row of A."""
    line = to_matrix([steps])
    den = a.den * line.den
    return [Fraction(dot(list(map(abs, row)), line.rows[0]), den) for row in a.rows]


def least_primal(
    data: Data, function: Function, b: Fraction, best: Multipliers, spread: Spread
) -> Fraction:
    """A lower bound of P over the box, of which the function with the bias b is a reading."""
    problem, margins = data.problem, spread.of_margins()
    short = [1 - s * (g + b) for s, g in zip(problem.y, function.scores, strict=True)]
    slopes = [
        max(ZERO, 2 * cost * eta) if problem.squared else cost * (eta > 0)
        for eta, cost in zip(short, problem.costs, strict=True)
    ]
    near = [abs(eta) <= reach for eta, reach in zip(short, margins, strict=True)]
    mixed = [a if at else s for a, s, at in zip(best.alpha, slopes, near, strict=True)]
    if spread.b is None:
        slopes, mixed = (_balanced(problem, s, near) for s in (slopes, mixed))
    candidates = (list(best.alpha), slopes, mixed)
    return max(_least_at(data, function, short, s, spread) for s in candidates)


def least_norm(data: Data, function: Function, spread: Spread) -> Fraction:
    """A lower bound of ½‖w‖² over the box."""
    nothing = [ZERO] * len(data.problem.y)
    return max(ZERO, _least_at(data, function, nothing, nothing, spread))


def _balanced(
    problem: BinaryProblem, multipliers: Sequence[Fraction], near: Sequence[bool]
) -> list[Fraction]:
    """Multipliers with Σ y_i s_i = 0 where those of rows near their kinks can make it so."""
    found, excess = list(multipliers), rational_dot(multipliers, problem.y)
    for i, (sign, cost, at) in enumerate(zip(problem.y, problem.costs, near, strict=True)):
        if at and excess:
            wanted = max(ZERO, found[i] - sign * excess)
            new = wanted if problem.squared else min(cost, wanted)
            excess, found[i] = excess + sign * (new - found[i]), new
    return found


def _least_at(
    data: Data, function: Function, short: Sequence[Fraction], s: Sequence[Fraction], spread: Spread
) -> Fraction:
    """The bound with the multipliers s; 0, which always is one, where they aren't balanced but have
    to be."""
    problem, balance = data.problem, rational_dot(s, data.problem.y)
    if spread.b is None and balance:
        return ZERO
    towards, steps = of_multipliers(data, s), spread.w
    slope = -balance if spread.beside is None else spread.beside - balance
    if spread.w:
        assert function.weights is not None and towards.weights is not None
        slopes = [p - q for p, q in zip(function.weights, towards.weights, strict=True)]
    else:
        steps, off = spread.alpha, ZERO if spread.beside is None else slope
        slopes = [p - q - off for p, q in zip(function.scores, towards.scores, strict=True)]
    change = rational_dot(map(abs, slopes), steps) + abs(slope) * (spread.b or 0)
    value = function.norm / 2 + rational_dot(s, short) - change
    if problem.squared:
        costs = zip(s, problem.costs, strict=True)
        value -= sum_of(a * a / (4 * cost) for a, cost in costs if a)
    return value
