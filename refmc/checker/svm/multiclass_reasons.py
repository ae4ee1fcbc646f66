"""Why an answer to the multi-class SVM is refuted: which rows.

Covers [lu, "Qualification of the Primal Problem for Multi-Class Kernel-Based SVM"]: what the rows add
to a gap is what they miss in complementary slackness. The symbols are those of `multiclass_points`.
"""

from fractions import Fraction

from refmc.checker.numbers.arithmetic import Matrix, sum_of_squares
from refmc.checker.parts import MOST_VIOLATIONS
from refmc.checker.printing import is_long, number_text, short_text
from refmc.checker.svm.multiclass_points import Data, GroupGap, Multipliers, Point, group_gaps
from refmc.checker.verdict import Violation


def weights_violations(data: Data, point: Point, best: Multipliers) -> tuple[Violation, ...]:
    """The rows that add most to P(w) − θ(λ), and the classes that do.

    >>> from refmc.checker.svm.multiclass_points import (
    ...     MulticlassProblem, prepare_multiclass, primal_point, repaired)
    >>> data = prepare_multiclass(MulticlassProblem(X=[[2]], y=(0,), k=2, C=Fraction(1)))
    >>> best = repaired(data, [[Fraction(1, 8), Fraction(1, 8)]])
    >>> weights_violations(data, primal_point(data, Matrix(((0,), (0,)), 1)), best)[0].text
    'margin 0, needs 1'
    """
    wrong = [
        Violation(
            data.problem.against(found.row, found.other),
            _margin_text(_margin(data, point, found), _cost(data, found)),
            found.amount,
        )
        for found in group_gaps(data, point, best.lam)[:MOST_VIOLATIONS]
    ]
    return tuple(wrong + _distances(data, point, best.point))


def multiplier_violations(data: Data, own: Multipliers) -> tuple[Violation, ...]:
    """The rows that miss complementary slackness most, largest first.

    >>> from refmc.checker.svm.multiclass_points import (
    ...     MulticlassProblem, prepare_multiclass, repaired)
    >>> data = prepare_multiclass(MulticlassProblem(X=[[2]], y=(0,), k=2, C=Fraction(1)))
    >>> multiplier_violations(data, repaired(data, [[0, 0]]))[0].text
    'margin 0, needs 1, but the entries sum to 0, less than 1'
    """
    found = group_gaps(data, own.point, own.lam)[:MOST_VIOLATIONS]
    return tuple(_multiplier_violation(data, own, g) for g in found)


def _cost(data: Data, found: GroupGap) -> Fraction:
    return data.costs.entry(found.row, found.other)


def _margin(data: Data, point: Point, found: GroupGap) -> Fraction:
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


def _multiplier_violation(data: Data, own: Multipliers, found: GroupGap) -> Violation:
    problem, i, z = data.problem, found.row, found.other
    margin, needed = _margin(data, own.point, found), _cost(data, found)
    entry = short_text(own.lam.entry(i, z))
    if found.short:
        held = f"its entry is {entry}"
        if not problem.sum_form:
            held = f"the entries sum to {short_text(own.lam.entry(i, problem.y[i]))}"
        text = f"{_margin_text(margin, needed)}, but {held}, less than {short_text(data.caps[i])}"
    else:
        # a class whose multiplier is not 0 has the largest excess of its group, which is the loss
        if not problem.sum_form:
            needed -= Fraction(own.point.losses[i], own.point.excesses.den)
        text = f"{_margin_text(margin, needed)}, for its entry is {entry}"
    return Violation(problem.against(i, z), text, found.amount)


def _distances(data: Data, point: Point, certified: Point) -> list[Violation]:
    """½‖f_j − f_j(λ)‖² of each class, or that of all features: what no row accounts for."""
    a, b = point.weights, certified.weights
    assert a is not None and b is not None  # weights are submitted for the linear kernel only
    wrong = []
    for j, (u, v) in enumerate(zip(a.rows, b.rows, strict=True)):
        apart = tuple(p * b.den - q * a.den for p, q in zip(u, v, strict=True))
        amount = sum_of_squares(Matrix((apart,), a.den * b.den)) / 2
        if amount > 0:
            text = f"weights are off, by half a squared distance of {short_text(amount)}"
            place = "w" if data.features is not None else f"class {data.problem.class_text(j)}"
            wrong.append(Violation(place, text, amount))
    return wrong
