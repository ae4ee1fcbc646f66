"""Multi-class kernel SVM: all classes in one problem, no bias.

    minimise ½ Σ_y ‖f_y‖² + C Σ_i η_i
    with η_i = max(0, 1 − f_c(ω_i) + max_{y ≠ c} f_y(ω_i)), c the class of ω_i

[lu, "Multi-Class Kernel-Based SVMs"] to [lu, "The Multi-Class Kernel-Based SVM Algorithm"].

Differs from the lecture: in f_y = Σ_i ±λ_iy Φ(ω_i) own-class rows count with plus, as the
Kuhn-Tucker conditions there demand; the final print gives them the minus sign, with which
arg max would choose the worst class.

Legend: m rows ω_i, k classes, λ_iy multipliers (own-class entry: the sum of the others), η_i
slacks, p_iy masses of `multiclass_dual`, τ_iy = C·[y = c_i] − p_iy the coefficients of f_y.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any, Generic

from refmc.core.sample import Label, Labels, Matrix, read_labels
from refmc.core.scalars import Number, S, positive_parameter
from refmc.core.ties import TiePolicy, check_policy, first
from refmc.errors import DataError
from refmc.learn.svm.active_set import ActiveSet, Pivot
from refmc.learn.svm.geometry import LinearGeometry
from refmc.learn.svm.multiclass_dual import SimplexFace, by_class, coefficients_of, image
from refmc.learn.svm.multiclass_model import Certificate, MulticlassSVM, rounded
from refmc.learn.svm.points import Points, read_goal, read_points
from refmc.theory.kernels import Kernel, linear
from refmc.theory.losses import multiclass_hinge


def fit_multiclass_svm(
    X: Matrix | None,
    y: Labels,
    *,
    C: Number,
    kernel: Kernel = linear,
    gram: Matrix | None = None,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    on_step: Callable[[Pivot[Any]], None] | None = None,
    gap: Number = "1e-9",
    guess: bool = True,
) -> MulticlassSVM[float] | MulticlassSVM[Fraction]:
    """Train a multi-class SVM: minimise ½ Σ_y ‖f_y‖² + C Σ_i η_i over all classes at once.

    X: m rows of d numbers; y: m labels; C > 0. `kernel`: K(x, x′); or `gram`: the m×m matrix of
    kernel values instead (X may then be None). `classes` fixes the label order, and admits
    classes that no row has. `tie` chooses among labels of equal score. `on_step` receives each
    `Pivot` of the solver. `gap` counts in float only: the relative duality gap to be reached.
    Where floats make no more progress above it, exact pivots end the search; but not with kernel
    values that are rounded (any kernel but the linear and the polynomial, and a Gram matrix of
    floats): the certificate says what was reached, and that it is about the rounded matrix.

    Fractions are solved exactly: a search in float suggests where to look (or, with `guess=False`,
    λ = 0 does), exact pivots end the search, and the gap is 0. Several λ can be optimal, f is
    unique. One class, one row, equal rows with
    different labels and rows of zeros are legal.

    In other scales: (1/n) Σ ℓ + (λ/2)‖W‖² [lecture5 (7)], [keshet §2.2] is C = 1/(nλ);
    (1/m) Σ ℓ + λ‖w‖² [karagiannis (3.4)], [karagiannis, 27–28] is C = 1/(2mλ). For k = 2 it is the
    binary SVM without bias, with 2C.

    Raises `DataError`, `ParameterError`, `MixedArithmeticError`, `ExactnessLimitError` where an
    exact search needs numbers of more than 20,000 digits, and
    `NotPositiveSemidefiniteError` with its witness where the kernel's matrix needs a check: any
    `gram`, and in exact mode kernels of the caller's. Cost: O(m) pivots of O(mkd + r²) with r
    free directions, at most d(k − 1) for the linear kernel; memory O(mk + md + r²), and O(m²) for
    other kernels.

    >>> X = [[Fraction(1), 0], [0, 1], [-1, -1]]
    >>> model = fit_multiclass_svm(X, ["a", "b", "c"], C=1)
    >>> model.objective, model.certificate.gap, model.predict_set([1, 1])
    (Fraction(2, 3), Fraction(0, 1), ('a', 'b'))
    """
    check_policy(tie, "tie")
    problem = _read(X, y, C, kernel, gram, classes)
    goal = read_goal(gap)
    if isinstance(problem.points.zero, float):
        return _float_model(problem, goal, on_step, tie)
    p = _descend(problem, _guess(problem, goal) if guess else None, 0.0, on_step)
    return _exact_model(problem, p, tie)


@dataclass(frozen=True)
class _Problem(Generic[S]):
    """One training problem."""

    points: Points[S]
    y: tuple[int, ...]
    classes: tuple[Label, ...]
    C: S


def _read(
    X: Matrix | None,
    y: Labels,
    C: Number,
    kernel: Kernel,
    gram: Matrix | None,
    classes: Labels | None,
) -> _Problem[Any]:
    points = read_points(X, kernel, gram)
    codes, order = read_labels(y, classes, len(points))
    bound = positive_parameter(C, "C", points.zero)
    points.check_semidefinite()
    return _Problem(points, codes, order, bound)


def _descend(
    problem: _Problem[S],
    start: Sequence[Sequence[S]] | None,
    goal: float,
    on_step: Callable[[Pivot[Any]], None] | None,
) -> list[list[S]]:
    """The masses at the end of the search."""
    k, zero = len(problem.classes), problem.points.zero
    face = SimplexFace(problem.points.geometry, problem.y, k, problem.C, goal, zero)
    search = ActiveSet(face, on_step)
    if start is not None:
        face.start(start)
        search.start(face.parked_in_order())
    search.run()
    return face.p


def _float_masses(
    problem: _Problem[float], goal: float, on_step: Callable[[Pivot[Any]], None] | None
) -> list[list[float]]:
    try:
        p = _descend(problem, None, goal, on_step)
        if all(isfinite(mass) for row in p for mass in row):
            return p
    except ArithmeticError:
        pass
    raise DataError("X: products leave the range of floats; rescale, or lift it with exact(X)")


def _guess(problem: _Problem[Fraction], goal: float) -> list[list[Fraction]] | None:
    """Feasible masses near the optimum by a run in float; None where floats fail.

    Nothing rests on it: exact pivots go on from there, or else from λ = 0, to the same end.
    """
    try:
        C = float(problem.C)
        twin = _Problem(problem.points.rounded(), problem.y, problem.classes, C)
        return _feasible(_float_masses(twin, goal, None), problem.C)
    except (ArithmeticError, DataError):
        return None


def _feasible(p: Sequence[Sequence[float]], C: Fraction) -> list[list[Fraction]]:
    """Masses of exactly C a row, by giving each row's rounding error to its largest mass."""
    masses = []
    for row in p:
        exact_row = [Fraction(max(mass, 0.0)) for mass in row]
        largest = row.index(max(row))
        exact_row[largest] += C - sum(exact_row)
        masses.append(exact_row)
    return masses


def _exact_model(
    problem: _Problem[Fraction], p: Sequence[Sequence[Fraction]], tie: TiePolicy
) -> MulticlassSVM[Fraction]:
    """The model of exactly feasible masses, with its certificate."""
    y, k, C, zero = problem.y, len(problem.classes), problem.C, problem.points.zero
    geometry = problem.points.geometry
    tau = coefficients_of(p, y, zero)
    scores = image(geometry, tau, k)
    norms = sum((a * scores[i][z] for i, row in tau.items() for z, a in row.items()), zero)
    slack = tuple(multiclass_hinge(row, c) for row, c in zip(scores, y))
    lam = tuple(
        tuple(C - mass if z == c else mass for z, mass in enumerate(row)) for row, c in zip(p, y)
    )
    primal = norms / 2 + C * sum(slack, zero)
    dual = sum((row[c] for row, c in zip(lam, y)), zero) - norms / 2
    W = None
    if isinstance(geometry, LinearGeometry):
        W = tuple(tuple(geometry.weights(beta)) for beta in by_class(tau, k))
    return MulticlassSVM(
        classes=problem.classes,
        C=C,
        kernel=problem.points.kernel,
        lam=lam,
        slack=slack,
        W=W,
        objective=primal,
        certificate=Certificate(lam, primal, dual, problem.points.rounded_kernel),
        y=y,
        rows=problem.points.rows,
        zero=zero,
        tie=tie,
    )


def _float_model(
    problem: _Problem[float],
    goal: float,
    on_step: Callable[[Pivot[Any]], None] | None,
    tie: TiePolicy,
) -> MulticlassSVM[float]:
    """The model at the exactly feasible point next to a float search's end, rounded once.

    Where C‖x‖² is large, floats can't tell masses near C from C, and that point can be far off:
    exact pivots then go on from it. They need a matrix that is semi-definite, as that of rounded
    kernel values need not be.
    """
    points = problem.points.lifted()
    lifted = _Problem(points, problem.y, problem.classes, Fraction(problem.C))
    start = _feasible(_float_masses(problem, goal / 2, on_step), lifted.C)
    model = _exact_model(lifted, start, tie)
    if model.certificate.gap > Fraction(goal) * model.objective and not points.rounded_kernel:
        model = _exact_model(lifted, _descend(lifted, start, 0.0, on_step), tie)
    return rounded(model)
