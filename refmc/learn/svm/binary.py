"""The binary SVM, hard and soft, with or without a bias, for any kernel.

    hard:  minimise ½ w·w            subject to y_i (w·Φ(x_i) + b) ≥ 1
    soft:  minimise ½ w·w + C Σ_i ξ_i   with ξ_i = max(0, 1 − y_i (w·Φ(x_i) + b))

[chang, "Max-margin classifiers"], [chang, "Soft SVM"], [chang, "Dual SVM problem"].

Differs from the lecture:
- w is unique and b need not be: the interval of all optimal b is computed, its midpoint is used;
- the decision function of the kernel SVM keeps b, which its last print drops;
- that the hard problem may have no solution is not said there; here it is proved by a common
  point of the two convex hulls;
- training without a bias is a choice: the dual loses its equality yᵀα = 0.

Legend: m rows x_i, y_i = ±1, multipliers α_i, β_i = y_i α_i, w = Σ_i β_i Φ(x_i), scores
s_i = w·Φ(x_i), slacks ξ_i.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any, Generic

from refmc.core.sample import Label, Labels, Matrix
from refmc.core.scalars import Number, S, positive_parameter
from refmc.core.ties import TiePolicy, check_policy, first
from refmc.core.two_classes import read_two_classes
from refmc.errors import DataError, NotPositiveSemidefiniteError, NotSeparableError
from refmc.learn.svm.active_set import ActiveSet, Edge, Pivot
from refmc.learn.svm.binary_dual import BoxFace, nearest_feasible, optimal_biases
from refmc.learn.svm.binary_model import BinaryCertificate, BinarySVM, rounded
from refmc.learn.svm.geometry import LinearGeometry
from refmc.learn.svm.points import Points, not_semidefinite, read_goal, read_points
from refmc.theory.kernels import Kernel, linear


def fit_binary_svm(
    X: Matrix | None,
    y: Labels,
    *,
    C: Number,
    kernel: Kernel = linear,
    gram: Matrix | None = None,
    bias: bool = True,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    on_step: Callable[[Pivot[Any]], None] | None = None,
    gap: Number = "1e-9",
    guess: bool = True,
) -> BinarySVM[float] | BinarySVM[Fraction]:
    """Train a soft SVM: minimise ½ w·w + C Σ_i max(0, 1 − y_i (w·Φ(x_i) + b)).

    X: m rows of d numbers; y: m labels −1 and +1, or those of `classes` = (negative, positive);
    C > 0. `kernel`: K(x, x′); or `gram`: the m×m matrix of kernel values instead (X may then be
    None). `bias=False` fixes b = 0. `tie` chooses where the decision value is 0. `on_step`
    receives each `Pivot` of the solver: constraint i is α_i ≥ 0, m + i is α_i ≤ C. `gap` counts
    in float only: the relative duality gap to be reached. Where floats fail or stop above it,
    exact pivots end the search; but not with kernel values that are rounded (any kernel but the
    linear and the polynomial, and a Gram matrix of floats): the certificate says what was reached,
    and that it is about the rounded matrix. With `guess=False` exact pivots begin at α = 0 instead
    of near the end of a search in float.

    Fractions are solved exactly: floats suggest where to look, exact pivots end the search, and
    the gap is 0. Several α can be optimal, w is unique, and every b of `b_interval` is optimal.
    Rows of one class only, one row, equal rows with different labels and rows of zeros are legal;
    with one class w = 0 and b, which has no end on one side, is the end ±1.

    In other scales: (1/n) Σ ℓ + (λ/2)‖w‖² [lecture5] is C = 1/(nλ). Without a bias it is the
    multi-class SVM of two classes with C/2 [lu].

    Raises `DataError`, `ParameterError`, `MixedArithmeticError`, `ExactnessLimitError` where an
    exact search needs numbers of more than 20,000 digits, and
    `NotPositiveSemidefiniteError` with its witness where the kernel's matrix needs a check: any
    `gram`, and in exact mode kernels of the caller's; or where rounded values of a kernel show
    themselves to be such. Cost: O(m) pivots of O(md + r²) with r rows strictly between their
    bounds, at most d + 1 for the linear kernel; O(mr + r²) and O(m²) memory for other kernels.
    [chang, "Soft SVM"], [chang, "SVM objective function"], [chang, "Kernel SVM"],
    [chang, "Dual SVM problem"]

    >>> model = fit_binary_svm([[Fraction(0)], [1]], [-1, 1], C="1/2")
    >>> model.w, model.b_interval, model.b
    ((Fraction(1, 2),), (Fraction(-1, 1), Fraction(1, 2)), Fraction(-1, 4))
    """
    check_policy(tie, "tie")
    problem = _read(X, y, C, kernel, gram, bias, classes)
    return _fit(problem, read_goal(gap), guess, on_step, tie)


def fit_hard_svm(
    X: Matrix | None,
    y: Labels,
    *,
    kernel: Kernel = linear,
    gram: Matrix | None = None,
    bias: bool = True,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    on_step: Callable[[Pivot[Any]], None] | None = None,
    gap: Number = "1e-9",
    guess: bool = True,
) -> BinarySVM[float] | BinarySVM[Fraction]:
    """Train a hard SVM: minimise ½ w·w subject to y_i (w·Φ(x_i) + b) ≥ 1 for every row.

    Everything else as in `fit_binary_svm`; `C` of the model is None. In float, w is scaled so
    that it is exactly feasible before numbers are rounded. The largest margin squared is
    `margin_squared`. Raises `NotSeparableError`, proved in exact arithmetic for floats, too,
    where no hyperplane separates the classes; of a kernel with rounded values the proof is about
    their matrix. [chang, "Max-margin classifiers"],
    [chang, "Recap: Making data linearly separable"]

    >>> model = fit_hard_svm([[Fraction(0)], [1], [3]], [-1, 1, 1])
    >>> model.w, model.b, model.margin_squared
    ((Fraction(2, 1),), Fraction(-1, 1), Fraction(1, 4))
    """
    check_policy(tie, "tie")
    problem = _read(X, y, None, kernel, gram, bias, classes)
    return _fit(problem, read_goal(gap), guess, on_step, tie)


@dataclass(frozen=True)
class _Problem(Generic[S]):
    """One training problem; `C` is None if hard."""

    points: Points[S]
    y: tuple[int, ...]
    classes: tuple[Label, Label]
    C: S | None
    bias: bool

    def nearest_feasible(self, alpha: Sequence[float]) -> list[Fraction]:
        return nearest_feasible(
            alpha, self.y, None if self.C is None else Fraction(self.C), self.bias
        )


def _read(
    X: Matrix | None,
    y: Labels,
    C: Number | None,
    kernel: Kernel,
    gram: Matrix | None,
    bias: bool,
    classes: Labels | None,
) -> _Problem[Any]:
    points = read_points(X, kernel, gram)
    signs, order = read_two_classes(y, classes, len(points))
    bound = None if C is None else positive_parameter(C, "C", points.zero)
    points.check_semidefinite()
    return _Problem(points, signs, order, bound, bool(bias))


def _fit(
    problem: _Problem[Any],
    goal: float,
    guess: bool,
    on_step: Callable[[Pivot[Any]], None] | None,
    tie: TiePolicy,
) -> BinarySVM[float] | BinarySVM[Fraction]:
    if isinstance(problem.points.zero, float):
        return _float_model(problem, goal, on_step, tie)
    start = _guess(problem, goal) if guess else None
    return _exact_model(problem, _descend(problem, start, 0.0, on_step), tie)


def _descend(
    problem: _Problem[S],
    start: Sequence[S] | None,
    goal: float,
    on_step: Callable[[Pivot[Any]], None] | None,
) -> list[S]:
    """The optimal α; without a `start`, the search begins at α = 0.

    Raises `NotSeparableError` where the exact dual of the hard SVM grows for ever. In float that
    proves nothing: the search ends where it is.
    """
    face = BoxFace(
        problem.points.geometry, problem.y, problem.C, problem.bias, goal, problem.points.zero
    )
    search = ActiveSet(face, on_step)
    if start is not None:
        face.start(start)
        search.start(face.parked_in_order())
    ray = search.run()
    if ray is not None and isinstance(problem.points.zero, Fraction):
        raise _not_separable(problem, face, *ray)
    return face.alpha()


def _not_separable(
    problem: _Problem[S], face: BoxFace[S], p: Sequence[S], edge: Edge[S]
) -> NotSeparableError | NotPositiveSemidefiniteError:
    """What a ray of the dual proves: along it Σα grows and ‖w‖ doesn't.

    The matrix of a rounded kernel may be negative along the ray: then that is what it proves.
    """
    change = face.change(problem.points.zero + 1, p, edge)
    beta = [Fraction(change.get(i, 0)) for i in range(len(problem.y))]
    scores = face.geometry.scores(change)
    if sum((Fraction(a) * Fraction(scores[i]) for i, a in change.items()), Fraction(0)) < 0:
        return not_semidefinite(beta)
    size = sum(map(abs, beta), Fraction(0)) / (2 if problem.bias else 1)
    weights = [abs(a) / size for a in beta]
    rows = [str(i) for i, a in enumerate(weights) if a]
    named = ", ".join(rows[:8]) + (", …" if len(rows) > 8 else "")
    proof = "the convex hulls of the classes meet" if problem.bias else "Σ y_i c_i Φ(x_i) = 0"
    return NotSeparableError(f"not separable: {proof}, by weights c of rows {named}", weights)


def _float_alpha(
    problem: _Problem[float], goal: float, on_step: Callable[[Pivot[Any]], None] | None
) -> list[float] | None:
    """α near the optimum; None where floats fail, as they do if Σα grows for ever."""
    try:
        alpha = _descend(problem, None, goal, on_step)
    except (ArithmeticError, DataError):
        return None
    return alpha if all(map(isfinite, alpha)) else None


def _guess(problem: _Problem[Fraction], goal: float) -> list[Fraction] | None:
    """A feasible α near the optimum by a run in float; None where floats fail.

    Nothing rests on it: exact pivots go on from there, or else from α = 0, to the same end.
    """
    try:
        points, C = problem.points.rounded(), None if problem.C is None else float(problem.C)
    except OverflowError:
        return None
    twin = _Problem(points, problem.y, problem.classes, C, problem.bias)
    alpha = _float_alpha(twin, goal, None)
    return None if alpha is None else problem.nearest_feasible(alpha)


def _exact_model(
    problem: _Problem[Fraction], alpha: Sequence[Fraction], tie: TiePolicy
) -> BinarySVM[Fraction]:
    """The model of an exactly feasible α, with its certificate and the best bias for it."""
    y, C, zero = problem.y, problem.C, problem.points.zero
    geometry = problem.points.geometry
    beta = {i: y[i] * a for i, a in enumerate(alpha) if a}
    scores = geometry.scores(beta)
    norm = sum((a * scores[i] for i, a in beta.items()), zero)
    if norm < 0:
        raise not_semidefinite([beta.get(i, zero) for i in range(len(y))])
    b_interval = optimal_biases(scores, y) if problem.bias else (zero, zero)
    b = _midpoint(*b_interval)
    margins = tuple(sign * (score + b) for score, sign in zip(scores, y))
    slack = tuple(max(zero, 1 - margin) for margin in margins)
    primal = norm / 2 + (zero if C is None else C * sum(slack, zero))
    return BinarySVM(
        classes=problem.classes,
        C=C,
        kernel=problem.points.kernel,
        alpha=tuple(alpha),
        w=tuple(geometry.weights(beta)) if isinstance(geometry, LinearGeometry) else None,
        b=b,
        b_interval=b_interval,
        margins=margins,
        slack=slack,
        objective=primal,
        certificate=BinaryCertificate(
            tuple(alpha), primal, sum(alpha, zero) - norm / 2, problem.points.rounded_kernel
        ),
        y=y,
        rows=problem.points.rows,
        zero=zero,
        tie=tie,
    )


def _midpoint(low: Fraction | None, high: Fraction | None) -> Fraction:
    """The midpoint of an interval, or its only end."""
    ends = [end for end in (low, high) if end is not None]
    return sum(ends, Fraction(0)) / len(ends)


def _float_model(
    problem: _Problem[float],
    goal: float,
    on_step: Callable[[Pivot[Any]], None] | None,
    tie: TiePolicy,
) -> BinarySVM[float]:
    """The model at the exactly feasible point next to the float optimum, rounded once at the end.

    Where floats fail, or that point is far from the optimum, exact pivots go on. For a soft SVM
    they need inner products that are exact: not rounded kernel values. A hard SVM that floats
    don't separate has no other way to an answer.
    """
    C = None if problem.C is None else Fraction(problem.C)
    points = problem.points.lifted()
    lifted = _Problem(points, problem.y, problem.classes, C, problem.bias)
    may_go_on = C is None or not points.rounded_kernel
    found = _float_alpha(problem, goal / 2, on_step)
    start = None if found is None else lifted.nearest_feasible(found)
    model = None if start is None else _separated_model(lifted, start, tie)
    if model is None and not may_go_on:
        raise DataError("X: products leave the range of floats; rescale it, or lower C")
    if model is None or (may_go_on and _falls_short(model, goal)):
        model = _exact_model(lifted, _descend(lifted, start, 0.0, on_step), tie)
    try:
        return rounded(model)
    except OverflowError:
        raise DataError("the answer is beyond the range of floats; lift the data with exact()")


def _falls_short(model: BinarySVM[Fraction], goal: float) -> bool:
    return model.certificate.gap > Fraction(goal) * model.objective


def _separated_model(
    problem: _Problem[Fraction], alpha: Sequence[Fraction], tie: TiePolicy
) -> BinarySVM[Fraction] | None:
    """The model at α; for the hard SVM scaled to be feasible, None where w(α) doesn't separate."""
    if problem.C is not None:
        return _exact_model(problem, alpha, tie)
    scale = _separation(problem, alpha)
    return _exact_model(problem, [a / scale for a in alpha], tie) if scale > 0 else None


def _separation(problem: _Problem[Fraction], alpha: Sequence[Fraction]) -> Fraction:
    """The largest margin y_i (s_i + b) ≥ this for all rows, for w(α) and the best b.

    With a bias and one class any margin can be had; then it is 1.
    """
    beta = {i: sign * a for i, (a, sign) in enumerate(zip(alpha, problem.y)) if a}
    scores = problem.points.geometry.scores(beta)
    if not problem.bias:
        return min(sign * score for score, sign in zip(scores, problem.y))
    positive = [score for score, sign in zip(scores, problem.y) if sign > 0]
    negative = [score for score, sign in zip(scores, problem.y) if sign < 0]
    if not positive or not negative:
        return Fraction(1)
    return (min(positive) - max(negative)) / 2
