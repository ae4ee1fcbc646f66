"""The binary SVM, hard and soft, with or without a bias, for any kernel.

The plain program is `refmc.lectures.chang.kernel_svm`. Beyond it: speed, the hard margin, squared
hinges, penalised biases, weights of rows, and the interval of all optimal b.

    hard:  minimise ½ w·w                subject to y_i (w·Φ(x_i) + b) ≥ 1
    soft:  minimise ½ w·w + C Σ_i ω_i ξ_i   with ξ_i = max(0, 1 − y_i (w·Φ(x_i) + b)),
           or with ξ_i² for the squared hinge; a penalised bias adds ½ b²

[chang, "Max-margin classifiers"], [chang, "Soft SVM"], [chang, "Dual SVM problem"].

Differs from the lecture:
- w is unique and b need not be: the interval of all optimal b is computed, its midpoint is used;
- the decision function of the kernel SVM keeps b, which its last print drops;
- that the hard problem may have no solution is not said there; here it is proved by a common
  point of the two convex hulls;
- training without a bias is a choice: the dual loses its equality yᵀα = 0; so are weights of the
  rows, the squared hinge, and a bias that counts in the norm, as linear SVMs of libraries have it.

Legend: m rows x_i, y_i = ±1, row weights ω_i, multipliers α_i, w = Σ_i α_i y_i Φ(x_i), scores
s_i = w·Φ(x_i), slacks ξ_i.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from refmc.core.labels import read_two_classes
from refmc.core.linalg import dot, total
from refmc.core.parameters import positive_parameter
from refmc.core.sample import Labels, Matrix, Row, row_weights
from refmc.core.scalars import Number, S, plain, shown
from refmc.core.ties import TiePolicy, check_policy, first
from refmc.errors import NotPositiveSemidefiniteError, NotSeparableError, ParameterError
from refmc.learn.svm.active_set import Pivot
from refmc.learn.svm.binary_model import Bias, BinarySVM, MarginLoss
from refmc.learn.svm.dual import Certificate, Dual, nearest_floats
from refmc.learn.svm.optimum import EndlessDual, optimum
from refmc.learn.svm.points import Points, not_semidefinite, read_goal, read_points
from refmc.theory.kernels import Kernel, linear
from refmc.theory.losses import hinge, squared_hinge


def fit_binary_svm(
    X: Matrix | None,
    y: Labels,
    *,
    C: Number,
    loss: MarginLoss = hinge,
    weights: Row | None = None,
    kernel: Kernel = linear,
    gram: Matrix | None = None,
    bias: Bias = True,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    on_step: Callable[[Pivot[Any]], None] | None = None,
    gap: Number = "1e-9",
    guess: bool = True,
) -> BinarySVM[float] | BinarySVM[Fraction]:
    """Train a soft SVM: minimise ½ w·w + C Σ_i ω_i ℓ(y_i (w·Φ(x_i) + b)).

    X: m rows of d numbers; y: m labels −1 and +1, or those of `classes` = (negative, positive);
    C > 0. `loss`: ℓ, `hinge` or `squared_hinge`. `weights`: ω_i ≥ 0, one for each row; None is 1
    for all, and a row of weight 0 counts as absent. `kernel`: K(x, x′); or `gram`: the m×m matrix
    of kernel values in its place (X may then be None). `bias`: True for a free b; False fixes
    b = 0; "penalised" adds ½ b² to the objective, as if each Φ(x) had one more coordinate that is
    always 1. `tie` chooses where the decision value is 0. `on_step` receives each `Pivot` of the
    solver: constraint i is α_i ≥ 0, and constraint m + i is α_i ≤ C ω_i.

    `gap` counts in float only: the relative duality gap to be reached. Where floats fail or stop
    above it, exact pivots end the search; but not with kernel values that are rounded (any kernel
    but the linear and the polynomial, and a Gram matrix of floats): the certificate says what was
    reached, and that it is about the rounded matrix.

    Fractions are solved exactly: a search in float suggests where to look, exact pivots end it, and
    the gap is 0. The search in float begins with sweeps of coordinate descent, which make no
    pivots. With `guess=False` neither takes place: pivots begin at α = 0. Several α can be optimal,
    w is unique, and every b of `b_interval` is optimal. Rows of one class only, one row, equal rows
    with different labels and rows of zeros are legal; with one class w = 0 and b, which has no end
    on one side, is the end ±1.

    In other scales: (1/n) Σ ℓ + (λ/2)‖w‖² [lecture5] is C = 1/(nλ). Without a bias it is the
    multi-class SVM of two classes with C/2 [lu].

    Raises `DataError`, `ParameterError`, `MixedArithmeticError`, `ExactnessLimitError` where an
    exact search needs numbers of more than `MAX_DIGITS` digits, and `NotPositiveSemidefiniteError`
    with its witness where the kernel's matrix needs a check: kernels of the caller's, and any
    `gram` but what refmc's `gram` made of a kernel of refmc; or where rounded values of a kernel
    show themselves to be such. Cost: O(m) pivots of O(md + r²) with r rows strictly between their
    bounds, at most d + 1 for the linear kernel; O(mr + r²) and O(m²) memory for other kernels.
    Squared hinges with d < m: a few times O(md² + d³), without a pivot.
    [chang, "Soft SVM"], [chang, "SVM objective function"], [chang, "Kernel SVM"],
    [chang, "Dual SVM problem"]

    >>> model = fit_binary_svm([[Fraction(0)], [1]], [-1, 1], C="1/2")
    >>> model.w, model.b_interval, model.b
    ((Fraction(1, 2),), (Fraction(-1, 1), Fraction(1, 2)), Fraction(-1, 4))
    """
    if loss not in (hinge, squared_hinge):
        raise ParameterError(f"loss: expected hinge or squared_hinge, got {shown(loss)}")
    points = read_points(X, kernel, gram)
    return _fit(points, y, C, loss, weights, bias, classes, tie, on_step, gap, guess)


def fit_hard_svm(
    X: Matrix | None,
    y: Labels,
    *,
    weights: Row | None = None,
    kernel: Kernel = linear,
    gram: Matrix | None = None,
    bias: Bias = True,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    on_step: Callable[[Pivot[Any]], None] | None = None,
    gap: Number = "1e-9",
    guess: bool = True,
) -> BinarySVM[float] | BinarySVM[Fraction]:
    """Train a hard SVM: minimise ½ w·w subject to y_i (w·Φ(x_i) + b) ≥ 1 for every row.

    Everything else as in `fit_binary_svm`; `C` and `loss` of the model are None, and a row counts
    unless its weight is 0. In float, w is scaled so that it is exactly feasible before numbers are
    rounded. The largest margin squared is `margin_squared`. Raises `NotSeparableError`, proved in
    exact arithmetic for floats, too, where no hyperplane separates the classes; of a kernel with
    rounded values the proof is about their matrix. [chang, "Max-margin classifiers"], [chang,
    "Recap: Making data linearly separable"]

    >>> model = fit_hard_svm([[Fraction(0)], [1], [3]], [-1, 1, 1])
    >>> model.w, model.b, model.margin_squared
    ((Fraction(2, 1),), Fraction(-1, 1), Fraction(1, 4))
    """
    points = read_points(X, kernel, gram)
    return _fit(points, y, None, None, weights, bias, classes, tie, on_step, gap, guess)


def _fit(
    points: Points[Any],
    y: Labels,
    C: Number | None,
    loss: MarginLoss | None,
    weights: Row | None,
    bias: Bias,
    classes: Labels | None,
    tie: TiePolicy,
    on_step: Callable[[Pivot[Any]], None] | None,
    gap: Number,
    guess: bool,
) -> BinarySVM[float] | BinarySVM[Fraction]:
    """The soft SVM with this loss; the hard SVM where C and the loss are None."""
    check_policy(tie, "tie")
    signs, order = read_two_classes(y, classes, len(points))
    bound = None if C is None else positive_parameter(C, "C", points.zero)
    omega = None if weights is None else row_weights(weights, len(points), points.zero)
    found = plain(bias)  # NumPy's truth values are truth values
    if found != "penalised" and not isinstance(found, bool):
        raise ParameterError(f"bias: expected True, False or 'penalised', got {shown(bias)}")
    bias = found
    # In exact numbers whatever the data are: floats are rationals, and the proof is about these.
    dual = binary_dual(points, signs, bound, loss, omega, bias)
    try:
        values = optimum(dual, points, read_goal(gap), guess, on_step)
    except EndlessDual as endless:  # only the hard SVM can have no answer
        raise _not_separable(dual, endless.change) from None
    if loss is None:
        # An optimal w has the separation 1, and one found in float only nearly. Scaling it makes it
        # exactly feasible.
        scale = _separation(dual, values.products)
        values = dual.at([a / scale for a in values.x])
    assert values.primal is not None  # a search ends where w is feasible
    alpha, beta = tuple(values.x), [sign * a for sign, a in zip(signs, values.x)]
    dual.points.check_norm(values.norm, beta)
    # The dual determines w alone, and the best b for it is sought by itself.
    biases = _best_biases(dual, values.products)
    b = _midpoint(*biases)
    margins = tuple(product + sign * b for product, sign in zip(values.products, signs))
    if bias == "penalised":  # the weight of the constant point, which the products count already
        b = sum(beta, b)
    W = dual.points.weights(values.w, 1)
    model = BinarySVM(
        classes=order,
        C=bound,
        loss=loss,
        bias=bias,
        weights=omega,
        kernel=points.kernel,
        alpha=alpha,
        w=None if W is None else W[0],
        b=b,
        b_interval=biases if bias is True else (b, b),
        margins=margins,
        slack=tuple(max(Fraction(0), 1 - margin) for margin in margins),
        objective=values.primal,
        certificate=Certificate(alpha, values.primal, values.dual, dual.points.rounded_kernel),
        y=signs,
        rows=points.rows,
        zero=points.zero,
        tie=tie,
    )
    trained: BinarySVM[Any] = model if isinstance(points.zero, Fraction) else nearest_floats(model)
    return trained


def binary_dual(
    points: Points[Any],
    y: tuple[int, ...],
    C: Number | None,
    loss: MarginLoss | None,
    weights: Sequence[Fraction] | Sequence[float] | None,
    bias: Bias,
) -> Dual[Fraction]:
    """The dual in exact numbers, with a multiplier α_i for each row; see the table of `dual`."""
    m, zero = len(y), Fraction(0)
    omega = [Fraction(1)] * m if weights is None else [Fraction(w) for w in weights]
    mass = [zero] * m if C is None else [Fraction(C) * weight for weight in omega]
    is_bounded = loss is hinge
    # A penalised bias is the weight of a constant 1, point number m, in a block of its own.
    constant = [(1, m)] if bias == "penalised" else []
    terms = tuple(tuple((place, sign) for place in [(0, i), *constant]) for i, sign in enumerate(y))
    return Dual(
        points=replace(points.lifted(), constant=bias == "penalised"),
        terms=terms,
        relative=terms,
        gain=(Fraction(1),) * m,
        # Only the hinge bounds multipliers, but a weight of 0 leaves none of them any room.
        upper=tuple(c if is_bounded or not w else None for c, w in zip(mass, omega)),
        ridge=tuple(1 / (2 * c) if loss is squared_hinge and c else zero for c in mass),
        sign=y,
        group=(0 if bias is True else None,) * m,
        start=(zero,) * m,
        mass=tuple(mass),
        primal=_primal,
        zero=zero,
    )


# The next functions know which SVM it is by its dual: only the hard SVM has no mass, only a squared
# hinge has ridges, only a free bias makes a group. `dual.sign` holds the y_i.


def _primal(dual: Dual[S], products: Sequence[S], norm: S) -> S | None:
    """½‖w‖² + C Σ_i ω_i ℓ_i at the best bias; for the hard SVM with w scaled to be feasible."""
    if not any(dual.mass):
        separation = _separation(dual, products)
        return norm / (2 * separation * separation) if separation > 0 else None
    b = _midpoint(*_best_biases(dual, products))
    losses = [max(dual.zero, 1 - (p + sign * b)) for p, sign in zip(products, dual.sign)]
    if any(dual.ridge):
        losses = [slack * slack for slack in losses]
    return norm / 2 + dot(dual.mass, losses, dual.zero)


def _best_biases(dual: Dual[S], products: Sequence[S]) -> tuple[S | None, S | None]:
    """All the best b for the scores s_i = y_i products_i; 0 where none is free."""
    if not dual.groups:
        return dual.zero, dual.zero
    scores = [sign * product for sign, product in zip(dual.sign, products)]
    if any(dual.ridge):
        return best_for_squared_hinge(scores, dual.sign, dual.mass)
    counts = dual.mass
    if not any(counts):
        # The hard SVM: b is feasible where no row has a loss, however much each of them counts.
        counts = tuple(dual.zero + (bound != 0) for bound in dual.upper)
    return best_for_hinge(scores, dual.sign, counts)


def _separation(dual: Dual[S], products: Sequence[S]) -> S:
    """The largest number that all margins y_i (s_i + b) reach, for the best b.

    With a free bias and one class any number can be reached; then it is 1.
    """
    # A weight of 0 leaves a row's multiplier no room: only the others count.
    present = [(p, sign) for p, sign, bound in zip(products, dual.sign, dual.upper) if bound != 0]
    if not dual.groups:
        return min(p for p, _ in present)
    positive = [p for p, sign in present if sign > 0]
    negative = [p for p, sign in present if sign < 0]
    if not positive or not negative:
        return dual.zero + 1
    return (min(positive) + min(negative)) / 2


def _midpoint(low: S | None, high: S | None) -> S:
    """The midpoint of an interval, or its only end."""
    if low is None or high is None:
        end = high if low is None else low
        assert end is not None
        return end
    return (low + high) / 2


def _not_separable(
    dual: Dual[Fraction], change: Mapping[int, Fraction]
) -> NotSeparableError | NotPositiveSemidefiniteError:
    """The error that an endless dual proves: along the change Σα grows while ‖w‖ stays.

    The matrix of a rounded kernel may be negative along it: then that is what it proves.
    """
    beta = [sign * change.get(i, Fraction(0)) for i, sign in enumerate(dual.sign)]
    if dual.points.geometry.square(dual.image(change)) < 0:
        return not_semidefinite(beta)
    # A bias, free or penalised, makes both classes weigh the same.
    has_bias = bool(dual.groups) or dual.points.constant
    size = sum(map(abs, beta), Fraction(0)) / (2 if has_bias else 1)
    weights = [abs(a) / size for a in beta]
    rows = [str(i) for i, a in enumerate(weights) if a]
    named = ", ".join(rows[:8]) + (", …" if len(rows) > 8 else "")
    proof = "the convex hulls of the classes meet" if has_bias else "Σ y_i c_i Φ(x_i) = 0"
    return NotSeparableError(f"not separable: {proof}, by weights c of rows {named}", weights)


def best_for_hinge(
    scores: Sequence[S], y: Sequence[int], c: Sequence[S]
) -> tuple[S | None, S | None]:
    """All b that minimise Σ c_i max(0, 1 − y_i (s_i + b)).

    Below all kinks the slope is minus the sum of c_i over the class +1, and it rises by c_i at
    each kink. So b is best between the kinks where it is 0, or at the one where it turns positive.

    >>> from fractions import Fraction as F
    >>> best_for_hinge([F(2), F(0), F(-3)], [1, 1, -1], [F(1)] * 3)
    (Fraction(1, 1), Fraction(2, 1))
    """
    slope = -total((c_i for sign, c_i in zip(y, c) if sign > 0), c[0] * 0)
    low: S | None = None
    for kink, _, c_i in _kinks(scores, y, c):
        if slope == 0:  # flat between the last kink and this one
            return low, kink
        slope = slope + c_i
        if slope > 0:
            return kink, kink
        low = kink
    return low, None


def best_for_squared_hinge(
    scores: Sequence[S], y: Sequence[int], c: Sequence[S]
) -> tuple[S | None, S | None]:
    """All b that minimise Σ c_i max(0, 1 − y_i (s_i + b))².

    Half the slope is the sum of c_i (b − t_i) over the rows with slack: between two kinks a + h·b,
    where a row of the class +1 leaves the sum at its kink, and one of −1 enters it.

    >>> from fractions import Fraction as F
    >>> best_for_squared_hinge([F(0), F(0)], [1, -1], [F(1), F(3)])
    (Fraction(-1, 2), Fraction(-1, 2))
    """
    kinks = _kinks(scores, y, c)
    zero = c[0] * 0
    a: S = -total((c_i * kink for kink, sign, c_i in kinks if sign > 0), zero)
    h: S = total((c_i for _, sign, c_i in kinks if sign > 0), zero)
    low: S | None = None
    for kink, sign, c_i in kinks:
        if h > 0 and a + h * kink > 0:  # the slope turns positive before this kink
            return -a / h, -a / h
        if h == 0:  # no row has slack between the last kink and this one
            return low, kink
        a, h = a + sign * c_i * kink, h - sign * c_i
        low = kink
    return (-a / h, -a / h) if h > 0 else (low, None)


def _kinks(scores: Sequence[S], y: Sequence[int], c: Sequence[S]) -> list[tuple[S, int, S]]:
    """The kink, sign and count of each row that counts, by kink."""
    kinks = [(sign - score, sign, c_i) for score, sign, c_i in zip(scores, y, c) if c_i]
    return sorted(kinks, key=lambda kink: kink[0])
