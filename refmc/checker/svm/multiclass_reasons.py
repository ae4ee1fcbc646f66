"""Why an answer to the multi-class SVM is refuted: which rows, and which likely mistake.

Covers [lu, "Qualification of the Primal Problem for Multi-Class Kernel-Based SVM"]: what the rows
add to a gap is what they miss in complementary slackness.  The symbols are those of
`svm_multiclass_points`.
"""

from collections.abc import Callable
from fractions import Fraction

from refmc.checker.numbers.arithmetic import Matrix, Rows, negated, sum_of_squares
from refmc.checker.parts import MOST_VIOLATIONS
from refmc.checker.printing import is_long, number_text, short_text
from refmc.checker.svm.multiclass_points import (
    Data,
    DualPoint,
    Point,
    RowGap,
    hinges,
    mended,
    row_gaps,
)
from refmc.checker.verdict import Violation

Resolve = Callable[[Fraction], Rows | None]


def weights_violations(data: Data, point: Point, best: DualPoint) -> tuple[Violation, ...]:
    """The rows that add most to P(W) - theta(lam), and the classes that do.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.multiclass_points import Problem, dual_point, primal_point
    >>> data = prepare(Problem(X=[[2]], y=(0,), k=2, C=Fraction(1)))
    >>> best = dual_point(data, Matrix(((1, 1),), 8))
    >>> weights_violations(data, primal_point(data, Matrix(((0,), (0,)), 1)), best)[0].text
    'margin 0, needs 1'
    """
    wrong = [
        Violation(
            data.problem.against(found.row, found.other),
            _margin_text(_margin(data, point, found), Fraction(1)),
            found.amount,
        )
        for found in row_gaps(data, point, best.lam)[:MOST_VIOLATIONS]
    ]
    return tuple(wrong + _distances(data, point, best.point))


def multiplier_violations(data: Data, own: DualPoint) -> tuple[Violation, ...]:
    """The rows that miss complementary slackness most, largest first.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.multiclass_points import Problem, dual_point
    >>> data = prepare(Problem(X=[[2]], y=(0,), k=2, C=Fraction(1)))
    >>> multiplier_violations(data, dual_point(data, Matrix(((0, 0),), 1)))[0].text
    'margin 0, needs 1, but the entries sum to 0, less than C'
    """
    found = row_gaps(data, own.point, own.lam)[:MOST_VIOLATIONS]
    return tuple(_multiplier_violation(data, own, g) for g in found)


def other_sign(data: Data, point: Point, lower: Fraction, allowed: Fraction) -> str:
    """Whether the weights fit with every sign reversed, as the lecture's last print has them.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.multiclass_points import Problem, primal_point
    >>> data = prepare(Problem(X=[[2]], y=(0,), k=2, C=Fraction(1)))
    >>> point = primal_point(data, Matrix(((-1,), (1,)), 4))
    >>> other_sign(data, point, Fraction(1, 16), Fraction(0))
    'the answer with every sign reversed fits with gap 0'
    """
    scores = negated(point.scores)
    mirrored = Point(scores, point.norm, hinges(scores, data.problem.y), None)
    gap = mirrored.primal(data.problem.C) - lower
    return _fits("the answer with every sign reversed", gap) if gap <= allowed else ""


def other_C(data: Data, point: Point, resolve: Resolve | None, allowed: Fraction) -> str:
    """Whether the weights answer the problem with a C that is easily confused with this one.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.multiclass_points import Problem, primal_point
    >>> data = prepare(Problem(X=[[2]], y=(0,), k=2, C=Fraction(1, 32)))
    >>> point = primal_point(data, Matrix(((1,), (-1,)), 8))
    >>> other_C(data, point, lambda C: [[C, C]], Fraction(0))
    'an answer to C = 1/16 fits with gap 0'
    """
    if resolve is None:
        return ""
    C, m, k = Fraction(data.problem.C), len(data.problem.y), data.problem.k
    for other in dict.fromkeys((C / m, C * m, C / 2, 2 * C, 1 / C, C / k)):
        lam = None if other == C else resolve(other)
        if lam is None:
            continue
        dual = mended(data, lam, other).at.dual
        gap = point.primal(other) - dual
        if gap <= allowed:
            return _fits(f"an answer to C = {short_text(other)}", gap)
    return ""


def apparent_C(data: Data, lam: Rows, allowed: Fraction) -> str:
    """Whether the multipliers answer the problem whose C is their largest row sum.

    No other C needs a look: for the C that admit lam, its gap grows with C.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.multiclass_points import Problem
    >>> data = prepare(Problem(X=[[2]], y=(0,), k=2, C=Fraction(1, 32)))
    >>> apparent_C(data, [[Fraction(1, 16), Fraction(1, 16)]], Fraction(0))
    'an answer to C = 1/16 fits with gap 0'
    """
    sums = (
        sum((v for z, v in enumerate(row) if z != own and v > 0), Fraction(0))
        for row, own in zip(lam, data.problem.y, strict=True)
    )
    other = Fraction(max(sums, default=0))
    if other in (0, data.problem.C):
        return ""
    own = mended(data, lam, other)
    gap = own.at.point.primal(other) - own.at.dual
    fits = own.moved <= allowed and gap <= allowed
    return _fits(f"an answer to C = {short_text(other)}", gap) if fits else ""


def _margin(data: Data, point: Point, found: RowGap) -> Fraction:
    scores = point.scores
    own = data.problem.y[found.row]
    return scores.entry(found.row, own) - scores.entry(found.row, found.other)


def _margin_text(margin: Fraction, needed: Fraction) -> str:
    if is_long(margin) or is_long(needed):
        side = "short of" if margin < needed else "beyond"
        off, about = short_text(abs(margin - needed)), short_text(needed)
        return f"margin {side} the {about} that it needs by {off}"
    only = "only " if margin > needed else ""
    return f"margin {number_text(margin)}, needs {only}{number_text(needed)}"


def _multiplier_violation(data: Data, own: DualPoint, found: RowGap) -> Violation:
    problem, i, z = data.problem, found.row, found.other
    margin = _margin(data, own.point, found)
    if found.short:
        total = short_text(own.lam.entry(i, problem.y[i]))
        text = f"{_margin_text(margin, Fraction(1))}, but the entries sum to {total}, less than C"
    else:
        needed = 1 - Fraction(own.point.hinges[i], own.point.scores.den)
        text = f"{_margin_text(margin, needed)}, for its entry is {short_text(own.lam.entry(i, z))}"
    return Violation(problem.against(i, z), text, found.amount)


def _distances(data: Data, point: Point, certified: Point) -> list[Violation]:
    """1/2 |f_y - f_y(lam)|^2 of each class: what no row accounts for."""
    a, b = point.weights, certified.weights
    assert a is not None and b is not None  # weights are submitted for the linear kernel only
    wrong = []
    for y, (u, v) in enumerate(zip(a.rows, b.rows, strict=True)):
        apart = tuple(p * b.den - q * a.den for p, q in zip(u, v, strict=True))
        amount = sum_of_squares(Matrix((apart,), a.den * b.den)) / 2
        if amount > 0:
            text = f"weights are off, by half a squared distance of {short_text(amount)}"
            wrong.append(Violation(f"class {data.problem.class_text(y)}", text, amount))
    return wrong


def _fits(subject: str, gap: Fraction) -> str:
    return f"{subject} fits with gap {short_text(gap)}"
