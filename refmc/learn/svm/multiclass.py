"""Multi-class SVM: all classes in one problem, no bias, any costs, features and row weights.

The plain program is `refmc.lectures.lu.svm`. Beyond it: speed, costs, the sum form, any features,
weights of rows, and float runs with an exact certificate.

    minimise ½ ‖w‖² + C Σ_i ω_i ℓ_i
    with the excesses m_ij = Δ(j, y_i) + ⟨w, Ψ(x_i, j)⟩ − ⟨w, Ψ(x_i, y_i)⟩ and the loss
    ℓ_i = max_j m_ij (the max form) or Σ_{j ≠ y_i} max(0, m_ij) (the sum form)

With the block map Ψ, w is one vector f_y for each class, which may be those of a kernel. With
Δ(j, y) = 1 for j ≠ y the max form is the SVM of [lu, "Multi-Class Kernel-Based SVMs"] to
[lu, "The Multi-Class Kernel-Based SVM Algorithm"]. Costs and features are those of [lecture5 (10)]
and [karagiannis, 27–28], the sum form that of [lecture5 (12)] and [lecture5 (13)].

Differs from the lecture: in f_y = Σ_i ±λ_iy Φ(ω_i) own-class rows count with plus, as the
Kuhn-Tucker conditions there demand; the final print gives them the minus sign, with which
arg max would choose the worst class.

Legend: m rows x_i (ω_i in `lu`), k classes, ω_i row weights, λ_iz multipliers (own-class entry:
the sum of the others), η_i = ℓ_i the slacks of `lu`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

from refmc.core.linalg import dot, total
from refmc.core.parameters import positive_parameter
from refmc.core.sample import Labels, Matrix, Row, read_labels, row_weights
from refmc.core.scalars import Number, S, shown
from refmc.core.ties import TiePolicy, check_policy, first
from refmc.errors import ParameterError
from refmc.learn.svm.active_set import Pivot
from refmc.learn.svm.dual import Certificate, Dual, Terms, nearest_floats
from refmc.learn.svm.multiclass_model import MulticlassSVM
from refmc.learn.svm.optimum import optimum
from refmc.learn.svm.points import Points, read_goal, read_points
from refmc.theory.costs import Costs, RowCosts, cost_column, costs_of_rows
from refmc.theory.features import Features, rows_of_class_vectors
from refmc.theory.kernels import Kernel, linear
from refmc.theory.subgradients import Loss, max_form, sum_form


def fit_multiclass_svm(
    X: Matrix | None,
    y: Labels,
    *,
    C: Number,
    cost: Costs | None = None,
    loss: Loss = max_form,
    features: Features | None = None,
    weights: Row | None = None,
    kernel: Kernel = linear,
    gram: Matrix | None = None,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    on_step: Callable[[Pivot[Any]], None] | None = None,
    gap: Number = "1e-9",
    guess: bool = True,
) -> MulticlassSVM[float] | MulticlassSVM[Fraction]:
    """Train a multi-class SVM: minimise ½‖w‖² + C Σ_i ω_i ℓ_i over all classes at once.

    X: m rows of d numbers; y: m labels; C > 0. `cost`: Δ(j, y) ≥ 0 of predicting j where y is
    right, as in `multiclass_hinge`, or `row_costs`; None is 1 for every wrong class. `loss`:
    `max_form` or `sum_form`. `features`: Ψ(x, j), j a position; None is the block map, which gives
    each class a weight vector of its own. `weights`: ω_i ≥ 0, one for each row; None is 1 for all,
    and a row of weight 0 counts as absent. `kernel`: K(x, x′), or `gram`: the m×m matrix of kernel
    values in its place (X may then be None), both with the block map only. `classes` fixes the
    label order, and admits classes that no row has. `tie` chooses among labels of equal score.
    `on_step` receives each `Pivot` of the solver: constraint i·k + z is λ_iz ≥ 0, where in the max
    form the own class has μ_i = C ω_i − Σ_z λ_iz in its place; in the sum form, constraint
    mk + i·k + z is λ_iz ≤ C ω_i.

    `gap` counts in float only: the relative duality gap to be reached. Where floats fail or stop
    above it, exact pivots end the search; but not with kernel values that are rounded (any kernel
    but the linear and the polynomial, and a Gram matrix of floats): the certificate says what was
    reached, and that it is about the rounded matrix.

    Fractions are solved exactly: a search in float suggests where to look, exact pivots end it, and
    the gap is 0. The search in float begins with sweeps of coordinate descent, and with many
    classes Newton steps, which make no pivots. With `guess=False` neither takes place: pivots begin
    at λ = 0. Several λ can be optimal, w is unique. One class, one row, equal rows with different
    labels, rows of zeros, equal features of two classes and costs of 0 between two classes are
    legal.

    In other scales: (1/n) Σ ℓ + (λ/2)‖W‖² [lecture5 (7)], [keshet §2.2] is C = 1/(nλ);
    (1/m) Σ ℓ + λ‖w‖² [karagiannis (3.4)], [karagiannis, 27–28] is C = 1/(2mλ). For k = 2 and equal
    costs both forms are the binary SVM without bias, with 2C. The sum form with equal costs is the
    SVM of Weston and Watkins, without bias.

    Raises `DataError`, `ParameterError`, `MixedArithmeticError`, `ExactnessLimitError` where an
    exact search needs numbers of more than `MAX_DIGITS` digits, and `NotPositiveSemidefiniteError`
    with its witness where the kernel's matrix needs a check: kernels of the caller's, and any
    `gram` but what refmc's `gram` made of a kernel of refmc. That check costs O(m³) short products.
    Cost: O(m) pivots of O(mkd + r²) with r free directions, at most d(k − 1) for the linear kernel;
    memory O(mk + md + r²), some 1 kB for each λ_iz, O(m²) for other kernels, and O(mk |Ψ|) with
    features. With many classes thousands of multipliers are free: then a search in float takes
    Newton steps by conjugate gradients instead of pivots, while exact runs still end with pivots.
    With m in proportion to k its time and memory grow about as k²: 1,500 rows of 500 classes and 10
    columns took five minutes and 0.7 GB, so that 3,000 rows of 1,000 classes are expected to take
    half an hour and 3 GB.

    >>> X = [[Fraction(1), 0], [0, 1], [-1, -1]]
    >>> model = fit_multiclass_svm(X, ["a", "b", "c"], C=1)
    >>> model.objective, model.certificate.gap, model.predict_set([1, 1])
    (Fraction(2, 3), Fraction(0, 1), ('a', 'b'))
    """
    check_policy(tie, "tie")
    if loss not in (max_form, sum_form):
        raise ParameterError(f"loss: expected max_form or sum_form, got {shown(loss)}")
    if features is not None and (gram is not None or kernel != linear):
        raise ParameterError("features: expected the linear kernel and no gram beside them")
    given = points = read_points(X, kernel, gram)
    zero = points.zero
    codes, order = read_labels(y, classes, len(points))
    m, k = len(codes), len(order)
    bound = positive_parameter(C, "C", zero)
    omega = None if weights is None else row_weights(weights, m, zero)
    costs = costs_of_rows(cost, codes, k, zero)
    if features is not None:  # all the Ψ(x_i, j), number i·k + j for row i and class j
        vectors = rows_of_class_vectors(features, points.rows or (), k, zero)
        points = Points(tuple(chain.from_iterable(vectors)), None, linear, zero)
    # In exact numbers whatever the data are: floats are rationals, and the proof is about these.
    mass = tuple(Fraction(bound) * Fraction(weight) for weight in omega or [1] * m)
    dual = multiclass_dual(points, codes, costs, mass, loss, blocks=features is None)
    values = optimum(dual, points, read_goal(gap), guess, on_step)
    assert values.primal is not None  # every w is feasible here
    lam = []
    for i, c in enumerate(codes):
        row = list(values.x[i * k : i * k + k])
        # The sum of the others, as in `lu`, where the dual has μ_i.
        row[c] = sum(filter(None, row), -row[c])
        lam.append(tuple(row))
    kept_cost: Any = None
    if isinstance(cost, RowCosts):
        kept_cost = RowCosts(tuple(map(tuple, costs)))
    elif cost is not None:
        kept_cost = tuple(zip(*(cost_column(cost, c, k, zero) for c in range(k))))
    model = MulticlassSVM(
        classes=order,
        C=bound,
        loss=loss,
        cost=kept_cost,
        features=features,
        weights=omega,
        kernel=given.kernel,
        lam=tuple(lam),
        slack=tuple(_slacks(dual, values.products)),
        W=dual.points.weights(values.w, k if features is None else 1),
        objective=values.primal,
        certificate=Certificate(tuple(lam), values.primal, values.dual, dual.points.rounded_kernel),
        y=codes,
        rows=given.rows,
        zero=zero,
        tie=tie,
    )
    trained: MulticlassSVM[Any] = model if isinstance(zero, Fraction) else nearest_floats(model)
    return trained


def multiclass_dual(
    points: Points[Any],
    y: tuple[int, ...],
    costs: Sequence[Sequence[float | Fraction]],
    mass: tuple[Fraction, ...],
    loss: Loss,
    blocks: bool,
) -> Dual[Fraction]:
    """The dual in exact numbers; multiplier i·k + z belongs to row i and class z.

    `costs`: for each row those of predicting j. `mass`: C ω_i of each row.
    `blocks`: whether the points are the rows, for the block map, or all the Ψ(x_i, j).
    """
    k, zero, is_max = len(costs[0]), Fraction(0), loss is max_form
    exactly = {cost: Fraction(cost) for cost in set(chain.from_iterable(costs))}
    pairs, terms, relative = [], list[Terms](), list[Terms]()
    for i, c in enumerate(y):
        # Ψ(x_i, c) − Ψ(x_i, z): with the block map one point in two blocks, else two points in one.
        # For the own class the sum is empty: its two terms would cancel, but its multiplier is
        # often large, so that in float they would leave roundings.
        right = ((c, i) if blocks else (0, i * k + c), 1)
        for z in range(k):
            pairs.append((i, z == c))
            wrong = ((z, i) if blocks else (0, i * k + z), -1)
            terms.append(() if z == c else (right, wrong))
            relative.append((wrong,) if is_max else terms[-1])
    return Dual(
        points=points.lifted(),
        terms=tuple(terms),
        relative=tuple(relative),
        gain=tuple(map(exactly.__getitem__, chain.from_iterable(costs))),
        # The groups bound the max form; in the sum form the own class has no loss, and no room.
        upper=tuple(None if is_max else zero if own else mass[i] for i, own in pairs),
        ridge=(zero,) * len(pairs),
        sign=(1,) * len(pairs),
        group=tuple(i if is_max else None for i, _ in pairs),
        # w = 0: in the max form each row has all its mass with its own class, whose vector is 0.
        start=tuple(mass[i] if is_max and own else zero for i, own in pairs),
        mass=mass,
        # ½‖w‖² + C Σ_i ω_i ℓ_i
        primal=lambda dual, products, norm: (
            norm / 2 + dot(dual.mass, _slacks(dual, products), dual.zero)
        ),
        zero=zero,
    )


def _slacks(dual: Dual[S], products: Sequence[S]) -> list[S]:
    """ℓ_i of each row: its excesses m_iz are the slopes of the dual, gain_iz − D_iz·w."""
    k, slacks = len(products) // len(dual.mass), list[S]()
    excesses = [gain - product for gain, product in zip(dual.gain, products)]
    for start in range(0, len(excesses), k):
        row = excesses[start : start + k]
        # Only the max form has groups. There the own class, whose excess is 0, is in the maximum,
        # which is a loss, never negative.
        slacks.append(max(row) if dual.groups else total((m for m in row if m > 0), dual.zero))
    return slacks
