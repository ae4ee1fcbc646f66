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

from refmc.core.linalg import negative_direction, negative_direction_of_floats
from refmc.core.sample import Label, Labels, Matrix, read_labels, read_rows
from refmc.core.scalars import Number, S, exact_parameter, number_text, parameter, shown
from refmc.core.ties import TiePolicy, first
from refmc.errors import (
    DataError,
    MixedArithmeticError,
    NotPositiveSemidefiniteError,
    ParameterError,
)
from refmc.learn.active_set import ActiveSet, Pivot
from refmc.learn.multiclass_dual import (
    Geometry,
    GramGeometry,
    LinearGeometry,
    SimplexFace,
    coefficients_of,
)
from refmc.learn.multiclass_model import Certificate, MulticlassSVM, rounded, rounded_rows
from refmc.theory.kernels import Kernel, check_gram, is_known, linear
from refmc.theory.kernels import gram as kernel_matrix
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
    Where floats make no more progress above it, exact pivots end the search; but not with other
    kernels than the linear, whose values are rounded: the certificate says what was reached.

    Fractions are solved exactly: a search in float suggests where to look (or, with `guess=False`,
    λ = 0 does), exact pivots end the search, and the gap is 0. Several λ can be optimal, f is unique. One class, one row, equal rows with
    different labels and rows of zeros are legal.

    In other scales: (1/n) Σ ℓ + (λ/2)‖W‖² [lecture5 (7)] is C = 1/(nλ); (1/m) Σ ℓ + λ‖w‖²
    [karagiannis (3.4)] is C = 1/(2mλ). For k = 2 it is the binary SVM without bias, with 2C.

    Raises `DataError`, `ParameterError`, `MixedArithmeticError`, and
    `NotPositiveSemidefiniteError` with its witness where the kernel's matrix needs a check: any
    `gram`, and in exact mode kernels of the caller's. Cost: O(m) pivots of O(mkd + r²) with r
    free directions, at most d(k − 1) for the linear kernel; memory O(mk + md + r²), and O(m²) for
    other kernels.

    >>> X = [[Fraction(1), 0], [0, 1], [-1, -1]]
    >>> model = fit_multiclass_svm(X, ["a", "b", "c"], C=1)
    >>> model.objective, model.certificate.gap, model.predict_set([1, 1])
    (Fraction(2, 3), Fraction(0, 1), ('a', 'b'))
    """
    problem = _read(X, y, C, kernel, gram, classes)
    goal = _goal(gap)
    if isinstance(problem.zero, float):
        return _float_model(problem, goal, on_step, tie)
    p = _descend(problem, _guess(problem, goal) if guess else None, 0.0, on_step)
    return _exact_model(problem, p, tie)


@dataclass(frozen=True)
class _Problem(Generic[S]):
    """One training problem; `rows` are None if only the Gram matrix is known."""

    rows: tuple[tuple[S, ...], ...] | None
    gram: tuple[tuple[S, ...], ...] | None
    kernel: Kernel | None
    y: tuple[int, ...]
    classes: tuple[Label, ...]
    C: S
    zero: S

    def geometry(self) -> Geometry[S]:
        if self.gram is None and self.rows is not None:
            return LinearGeometry(self.rows, self.zero)
        return GramGeometry(self.gram or (), self.zero)


def _read(
    X: Matrix | None,
    y: Labels,
    C: Number,
    kernel: Kernel,
    gram: Matrix | None,
    classes: Labels | None,
) -> _Problem[Any]:
    if not callable(kernel):
        raise ParameterError(f"kernel: expected a function of two rows, got {shown(kernel)}")
    if gram is not None and kernel != linear:
        raise ParameterError("gram: give a kernel or its Gram matrix, not both")
    if gram is None and X is None:
        raise ParameterError("X: give rows, or gram= with the matrix of kernel values")
    rows: tuple[tuple[Any, ...], ...] | None = None
    values: tuple[tuple[Any, ...], ...] | None = None
    if X is not None:
        rows, zero = read_rows(X)
        m = len(rows)
    if gram is not None:
        values, zero = check_gram(gram)
        if X is not None and m != len(values):
            raise DataError(f"gram: expected {m} rows, as X has, got {len(values)}")
        rows, m = None, len(values)
    elif kernel != linear and rows is not None:
        values = _kernel_values(kernel, rows, zero)
    codes, order = read_labels(y, classes, m)
    bound = parameter(C, "C", zero)
    if not bound > 0:
        raise ParameterError(f"C: expected a positive number, got {C!r}")
    if values is not None and not (gram is None and is_known(kernel)):
        _check_semidefinite(values, zero)
    return _Problem(rows, values, kernel if gram is None else None, codes, order, bound, zero)


def _kernel_values(
    kernel: Kernel, rows: tuple[tuple[S, ...], ...], zero: S
) -> tuple[tuple[S, ...], ...]:
    values, found = check_gram(kernel_matrix(kernel, rows))
    if type(found) is not type(zero):
        raise MixedArithmeticError(
            "kernel: gives floats for exact rows; decide on the matrix to be solved for, such as "
            "gram=exact(gram(kernel, X))"
        )
    return values


def _check_semidefinite(values: Sequence[Sequence[Any]], zero: object) -> None:
    find = negative_direction_of_floats if isinstance(zero, float) else negative_direction
    witness = find(values)
    if witness is not None:
        raise NotPositiveSemidefiniteError(
            "gram: not positive semi-definite: vᵀKv < 0 for "
            f"v = ({', '.join(map(number_text, witness))})",
            witness,
        )


def _descend(
    problem: _Problem[S],
    start: Sequence[Sequence[S]] | None,
    goal: float,
    on_step: Callable[[Pivot[Any]], None] | None,
) -> list[list[S]]:
    """The masses at the end of the search."""
    face = SimplexFace(
        problem.geometry(), problem.y, len(problem.classes), problem.C, goal, problem.zero
    )
    search = ActiveSet(face, on_step)
    if start is not None:
        face.start(start)
        search.seed(face.parked_in_order())
    search.run()
    return face.p


def _goal(gap: Number) -> float:
    """`gap` as a float, whatever the data's arithmetic: it is no part of the problem."""
    goal = exact_parameter(gap, "gap")
    if goal < 0:
        raise ParameterError(f"gap: expected at least 0, got {shown(gap)}")
    return float(min(goal, Fraction(1)))


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
        twin = _Problem(
            rows=None if problem.rows is None else rounded_rows(problem.rows),
            gram=None if problem.gram is None else rounded_rows(problem.gram),
            kernel=problem.kernel,
            y=problem.y,
            classes=problem.classes,
            C=float(problem.C),
            zero=0.0,
        )
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
    y, k, C = problem.y, len(problem.classes), problem.C
    geometry = problem.geometry()
    tau = coefficients_of(p, y, problem.zero)
    scores = geometry.image(tau, k)
    zero = problem.zero
    norms = sum((a * scores[i][z] for i, row in tau.items() for z, a in row.items()), zero)
    slack = tuple(multiclass_hinge(row, c) for row, c in zip(scores, y))
    lam = tuple(
        tuple(C - mass if z == c else mass for z, mass in enumerate(row)) for row, c in zip(p, y)
    )
    primal = norms / 2 + C * sum(slack, zero)
    dual = sum((row[c] for row, c in zip(lam, y)), zero) - norms / 2
    weights = geometry.weights(tau, k) if isinstance(geometry, LinearGeometry) else None
    return MulticlassSVM(
        classes=problem.classes,
        C=C,
        kernel=problem.kernel,
        lam=lam,
        slack=slack,
        W=None if weights is None else tuple(map(tuple, weights)),
        objective=primal,
        certificate=Certificate(lam, primal, dual),
        y=y,
        rows=problem.rows,
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
    exact pivots then go on from it. They need a matrix that is semi-definite, as that of exact
    inner products is, and that of rounded kernel values need not be.
    """
    lifted = _Problem(
        rows=_lifted(problem.rows),
        gram=_lifted(problem.gram),
        kernel=problem.kernel,
        y=problem.y,
        classes=problem.classes,
        C=Fraction(problem.C),
        zero=Fraction(0),
    )
    start = _feasible(_float_masses(problem, goal / 2, on_step), lifted.C)
    model = _exact_model(lifted, start, tie)
    if model.certificate.gap > Fraction(goal) * model.objective and lifted.gram is None:
        model = _exact_model(lifted, _descend(lifted, start, 0.0, on_step), tie)
    return rounded(model)


def _lifted(
    rows: Sequence[Sequence[float]] | None,
) -> tuple[tuple[Fraction, ...], ...] | None:
    return None if rows is None else tuple(tuple(map(Fraction, row)) for row in rows)
