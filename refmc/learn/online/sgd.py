"""Stochastic subgradient descent for binary and multi-class SVMs.

Covers [lecture5, "Algorithm 1"] with the general formulation (10)–(13), [keshet §2.2],
[karagiannis, Example 29] and [chang, "Stochastic gradient Descent"].

Differs from the lectures:
- [lecture5] draws rows at random; here draws are an argument. At t = 1 the factor 1 − η_tλ is
  exactly 0: with η_t = 1/(λt) it is computed as (t − 1)/t, since in float 1 − (1/λ)·λ need not
  vanish, and then W is set to 0;
- [keshet] prints a shrink only where the loss is positive, [karagiannis] none at all; a
  subgradient of their objectives always shrinks. The printed forms are `shrink_with_loss` and
  `shrink_never`;
- the λ of [karagiannis (3.4)] multiplies ‖w‖², not ½‖w‖²: it is called `ridge`, and the term of
  the recursion is 2λw;
- the first of [chang]'s slides has the sign +Cyx in the bracket, with which a step away from a
  violated row is taken; the later −Cyx is right. The slides test with b and never update it;
  here b is left out, and `bias=True` updates it by its subgradient −Cy;
- [chang] counts the whole of ½wᵀw for every row, so the sum over m rows is m times
  ½wᵀw + (C/m) Σ hinge: the soft SVM with C/m. For that with C, give m·C.

Legend: n (m in `chang`) rows x_i, k classes, Ψ(x, j) the features of a row and a class, Δ the
cost, ∇_i a subgradient of the loss of row i, η_t the step size of step t, λ `lam`, T steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic

from refmc.core.linalg import dot, total
from refmc.core.sample import Labels, Matrix, read_labels, read_rows
from refmc.core.scalars import Number, S, parameter, positive_parameter, whole_number
from refmc.core.ties import TiePolicy, check_policy, first
from refmc.core.two_classes import read_two_classes
from refmc.errors import DataError, ParameterError
from refmc.learn.online.draws import (
    Average,
    Draws,
    Order,
    average_weight,
    check_digits,
    drawn_rows,
    epoch_orders,
)
from refmc.learn.online.sgd_models import BinarySGD, Features, MulticlassSGD, class_vectors
from refmc.learn.online.sgd_steps import Projection, Shrink, StepSize, shrink_always, step_sizes
from refmc.learn.online.sgd_weights import ScaledWeights
from refmc.theory.costs import Cost, cost_column
from refmc.theory.losses import margin_excesses
from refmc.theory.subgradients import Loss, Slope, max_form


@dataclass(frozen=True)
class SGDStep(Generic[S]):
    """Step t, on row i of sign y, with step size eta: the margin y(w·x + b) before, w, b after.

    `objective()` is that of w, b, at the cost of a look at every row.
    """

    t: int
    epoch: int
    i: int
    y: int
    eta: S
    margin: S
    w: tuple[S, ...]
    b: S
    evaluate: Callable[[tuple[S, ...], S], S] = field(repr=False, compare=False)

    def objective(self) -> S:
        """½ wᵀw + (C/m) Σ hinge after the step: the regulariser and the mean loss.

        [chang, "General learning principle"]
        """
        return self.evaluate(self.w, self.b)


@dataclass(frozen=True)
class MulticlassSGDStep(Generic[S]):
    """Step t, on row i of class y, with step size eta: scores and slope before, W after it.

    `slope`: the loss of the row, the coefficients c_j of ∇_i, and what was tied. `objective()` is
    that of W, at the cost of a look at every row. Classes are positions.
    """

    t: int
    i: int
    y: int
    eta: S
    scores: tuple[S, ...]
    slope: Slope[S]
    W: tuple[tuple[S, ...], ...]
    evaluate: Callable[[tuple[tuple[S, ...], ...]], S] = field(repr=False, compare=False)

    def objective(self) -> S:
        """(1/n) Σ ℓ + (λ/2)‖W‖² after the step. [lecture5 (6)], [lecture5 (7)]"""
        return self.evaluate(self.W)


def fit_multiclass_svm_sgd(
    X: Matrix,
    y: Labels,
    *,
    T: int,
    lam: Number | None = None,
    ridge: Number | None = None,
    draws: Draws = None,
    eta: StepSize | None = None,
    loss: Loss = max_form,
    cost: Cost | None = None,
    features: Features | None = None,
    shrink: Shrink = shrink_always,
    average: Average | None = None,
    project: Projection | None = None,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    on_step: Callable[[MulticlassSGDStep[Any]], None] | None = None,
) -> MulticlassSGD[float] | MulticlassSGD[Fraction]:
    """Take T steps of subgradient descent on (1/n) Σ ℓ(W, (x_i, y_i)) + (λ/2)‖W‖².

    X: n rows of d numbers; y: n labels; `classes` fixes their order. λ > 0 is `lam`, or 2·`ridge`
    in the scale of [karagiannis (3.4)]; C of `fit_multiclass_svm` is 1/(nλ). `draws`: see
    `drawn_rows`; each row in turn if None. `eta`: a number or a function of t; None is
    η_t = 1/(λt). `loss`: `max_form`, `sum_form` or another; `cost`: Δ(j, y) as in
    `multiclass_hinge`; `features`: Ψ(x, j), j a position, where None is the block map of W.
    `shrink`: `shrink_always`, or a printed variant. `average`: `equally`, `by_age` or another
    weight of what step t leaves; None keeps the last weights. `project`: the factor for W as a
    function of ‖W‖², such as `ball`. Among several j* the policy `tie` chooses.

    Exact weights stay short under η_t = 1/(λt), whose W_{t+1} is −1/(λt) Σ ∇; averages and other
    step sizes lengthen them with every step, up to `ExactnessLimitError` at `MAX_DIGITS`.

    Raises `DataError`, `ParameterError`, `MixedArithmeticError`. Cost: O(kd) a step, its shrink
    O(1); with `features`, O(k·|Ψ|), and n·k of them are kept. [lecture5, "Algorithm 1"]

    >>> X = [[Fraction(1), 0], [0, 1], [-1, -1]]
    >>> model = fit_multiclass_svm_sgd(X, ["a", "b", "c"], lam=1, T=6)
    >>> model.W[0], model.objective
    ((Fraction(1, 2), Fraction(0, 1)), Fraction(25, 36))
    """
    check_policy(tie, "tie")
    rows, zero = read_rows(X)
    codes, order_of_classes = read_labels(y, classes, len(rows))
    steps = whole_number(T, "T", 0)
    problem = _problem(
        rows, codes, len(order_of_classes), _lam(lam, ridge, zero), cost, features, loss, tie, zero
    )
    draw = drawn_rows(draws, len(rows), steps)
    rate = _schedule(eta, problem.lam, zero)
    W = _algorithm_1(problem, draw, rate, shrink, average, project, on_step)
    if average is not None and steps and not W.weight > 0:
        raise ParameterError("average: expected a positive weight for one step at least")
    weights = W.average() if average is not None and steps else W.values()
    model: MulticlassSGD[Any] = MulticlassSGD(
        classes=order_of_classes,
        lam=problem.lam,
        W=weights,
        features=features,
        T=steps,
        objective=problem.objective(weights),
        zero=zero,
        tie=tie,
    )
    return model


def _algorithm_1(
    problem: _Problem[S],
    draws: Iterable[int],
    rate: Callable[[int], tuple[S, S]],
    shrink: Shrink,
    average: Average | None,
    project: Projection | None,
    on_step: Callable[[MulticlassSGDStep[Any]], None] | None,
) -> ScaledWeights[S]:
    """[lecture5, "Algorithm 1"]: W after the steps; −η_tλW and −η_t∇_i one after the other."""
    zero = problem.zero
    W = ScaledWeights(problem.blocks, problem.width, zero, average is not None)
    for t, i in enumerate(draws, 1):
        eta, factor = rate(t)
        y, Psi = problem.codes[i], problem.vectors[i]
        scores = W.scores(problem.block, Psi)
        slope = problem.slope(scores, y)
        update = shrink(slope.loss)
        if update.shrinks:
            W.shrink(factor)
        if update.adds:
            for j, c in slope.coefficients:
                W.add(problem.block[j], -eta * c, Psi[j])
        if project is not None:
            W.shrink(parameter(project(W.norm_squared()), "project", zero))
        if average is not None:
            W.count(average_weight(average, t, zero))
        check_digits(W.touched([problem.block[j] for j, _ in slope.coefficients]), t)
        if on_step is not None:
            step = MulticlassSGDStep(
                t, i, y, eta, scores, slope, W.values(), evaluate=problem.objective
            )
            on_step(step)
    return W


@dataclass(frozen=True)
class _Problem(Generic[S]):
    """What Algorithm 1 runs on: Ψ(x_i, j) is `vectors[i][j]`, in block `block[j]` of W, else 0."""

    vectors: Sequence[Sequence[tuple[S, ...]]]
    codes: tuple[int, ...]
    block: tuple[int, ...]
    blocks: int
    width: int
    costs: tuple[tuple[S, ...], ...]
    lam: S
    loss: Loss
    tie: TiePolicy
    zero: S

    def slope(self, scores: Sequence[S], y: int) -> Slope[S]:
        """The loss of a row of class y at its scores, and a subgradient."""
        return self.loss(margin_excesses(scores, y, self.costs[y], self.zero), y, self.tie)

    def objective(self, W: tuple[tuple[S, ...], ...]) -> S:
        """(1/n) Σ ℓ + (λ/2)‖W‖². [lecture5 (7)]"""
        zero = self.zero
        losses = []
        for Psi, y in zip(self.vectors, self.codes):
            scores = [dot(W[block], psi, zero) for block, psi in zip(self.block, Psi)]
            losses.append(self.slope(scores, y).loss)
        norm_squared = total((dot(w, w, zero) for w in W), zero)
        return total(losses, zero) / len(losses) + self.lam * norm_squared / 2


def _problem(
    rows: Sequence[tuple[S, ...]],
    codes: tuple[int, ...],
    k: int,
    lam: S,
    cost: Cost | None,
    features: Features | None,
    loss: Loss,
    tie: TiePolicy,
    zero: S,
) -> _Problem[S]:
    vectors: list[tuple[tuple[S, ...], ...]]
    if features is None:
        vectors = [(x,) * k for x in rows]
        block, blocks = tuple(range(k)), k
    else:
        vectors = [class_vectors(features, x, k, zero, f"row {i}") for i, x in enumerate(rows)]
        block, blocks = (0,) * k, 1
    width = len(vectors[0][0])
    for i, Psi in enumerate(vectors):
        if len(Psi[0]) != width:
            raise DataError(
                f"features(row {i}, j): expected {width} numbers, as for row 0, got {len(Psi[0])}"
            )
    costs = tuple(cost_column(cost, y, k, zero) for y in range(k))
    return _Problem(vectors, codes, block, blocks, width, costs, lam, loss, tie, zero)


def _lam(lam: Number | None, ridge: Number | None, zero: S) -> S:
    if (lam is None) == (ridge is None):
        raise ParameterError("lam: give either lam, of (λ/2)‖W‖², or ridge, of λ‖W‖²")
    if lam is not None:
        return positive_parameter(lam, "lam", zero)
    assert ridge is not None
    return 2 * positive_parameter(ridge, "ridge", zero)


def _schedule(eta: StepSize | None, lam: S, zero: S) -> Callable[[int], tuple[S, S]]:
    """For each t the step size η_t and the factor 1 − η_tλ."""
    if eta is None:
        return lambda t: (1 / (lam * t), (zero + (t - 1)) / t)
    sizes = step_sizes(eta, zero)

    def rate(t: int) -> tuple[S, S]:
        size = sizes(t)
        return size, 1 - size * lam

    return rate


def fit_svm_sgd(
    X: Matrix,
    y: Labels,
    *,
    C: Number,
    eta: StepSize,
    epochs: int = 1,
    order: Order = None,
    bias: bool = False,
    average: Average | None = None,
    project: Projection | None = None,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    on_step: Callable[[SGDStep[Any]], None] | None = None,
) -> BinarySGD[float] | BinarySGD[Fraction]:
    """Take a step on J^i = ½ wᵀw + C max(0, 1 − y_i(w·x_i + b)) for each row of each epoch.

    X: m rows of d numbers; y: labels −1 and +1, or any two named by classes=(negative, positive);
    C > 0. `eta`: a number or a function of t. `order`: see `epoch_orders`. `bias`: update b,
    which stays 0 otherwise. `average`, `project`: as in `fit_multiclass_svm_sgd`, b not projected.
    The mean of the J^i is the soft SVM's objective with C/m in the place of C.

    Exact weights grow by the digits of 1 − η with every step, up to `ExactnessLimitError` at
    `MAX_DIGITS`. Raises `DataError`, `ParameterError`, `MixedArithmeticError`. Cost: O(d) a step.
    [chang, "Stochastic gradient Descent"]

    >>> model = fit_svm_sgd([[Fraction(1)], [-1]], [1, -1], C=1, eta="1/4", epochs=2)
    >>> model.w, model.objective
    ((Fraction(175, 256),), Fraction(72097, 131072))
    """
    check_policy(tie, "tie")
    rows, zero = read_rows(X)
    signs, order_of_classes = read_two_classes(y, classes, len(rows))
    bound = positive_parameter(C, "C", zero)

    def objective(w: tuple[Any, ...], b: Any) -> Any:
        margins = (sign * (dot(w, x, zero) + b) for x, sign in zip(rows, signs))
        hinges = total((max(zero, 1 - margin) for margin in margins), zero)
        return dot(w, w, zero) / 2 + bound * hinges / len(rows)

    orders = epoch_orders(order, len(rows), epochs)
    sizes = step_sizes(eta, zero)
    w, b, T = _stochastic_descent(
        rows, signs, orders, bound, sizes, bias, average, project, objective, zero, on_step
    )
    model: BinarySGD[Any] = BinarySGD(order_of_classes, bound, w, b, T, objective(w, b), zero, tie)
    return model


def _stochastic_descent(
    rows: Sequence[tuple[S, ...]],
    signs: Sequence[int],
    orders: Iterable[tuple[int, ...]],
    C: S,
    sizes: Callable[[int], S],
    bias: bool,
    average: Average | None,
    project: Projection | None,
    objective: Callable[[tuple[S, ...], S], S],
    zero: S,
    on_step: Callable[[SGDStep[Any]], None] | None,
) -> tuple[tuple[S, ...], S, int]:
    """[chang, "Stochastic gradient Descent"]: the last or averaged w, b, and the steps taken."""
    w: tuple[S, ...] = (zero,) * len(rows[0])
    b, t = zero, 0
    mean = _Mean(len(w), zero)
    for epoch, order in enumerate(orders, 1):
        for i in order:
            t += 1
            x, y, eta = rows[i], signs[i], sizes(t)
            margin = y * (dot(w, x, zero) + b)
            if margin >= 1:
                w = tuple([a - eta * a for a in w])
            else:
                Cy = C * y
                w = tuple([a - eta * (a - Cy * c) for a, c in zip(w, x)])
                if bias:
                    b = b + eta * Cy
            if project is not None:
                factor = parameter(project(dot(w, w, zero)), "project", zero)
                w = tuple([factor * a for a in w])
            if average is not None:
                mean.count(average_weight(average, t, zero), w, b)
            check_digits(w, t)
            check_digits((b,), t)
            if on_step is not None:
                on_step(SGDStep(t, epoch, i, y, eta, margin, w, b, evaluate=objective))
    if average is not None and t:
        w, b = mean.value()
    return w, b, t


class _Mean(Generic[S]):
    """A running weighted mean of w and b."""

    def __init__(self, d: int, zero: S) -> None:
        self._w: list[S] = [zero] * d
        self._b: S = zero
        self._weight: S = zero

    def count(self, weight: S, w: Sequence[S], b: S) -> None:
        self._w = [a + weight * c for a, c in zip(self._w, w)]
        self._b = self._b + weight * b
        self._weight = self._weight + weight

    def value(self) -> tuple[tuple[S, ...], S]:
        if not self._weight > 0:
            raise ParameterError("average: expected a positive weight for one step at least")
        return tuple([a / self._weight for a in self._w]), self._b / self._weight
