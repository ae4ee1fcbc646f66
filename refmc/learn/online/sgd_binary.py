"""Stochastic subgradient descent for the binary SVM.

The plain program is `refmc.lectures.chang.sgd`. Beyond it: step sizes of any kind, a bias, weights
of rows, averages and projections.

Covers [chang, "Stochastic gradient Descent"].

Differs from the lecture:
- the first of its slides has +Cyx in the bracket, which leads away from what a violated row asks
  for; the −Cyx of the later slide is right. The slides test with b and never update it; here b is
  left out, and `bias=True` updates it by its subgradient −Cy;
- it counts the whole of ½wᵀw for every row, so that the sum over m rows is
  m·(½wᵀw + (C/m) Σ hinge): the soft SVM with C/m. For the soft SVM with C, give m·C.

Legend: m rows x_i with signs y_i = ±1; ω_i how often row i counts; η_t the step size of step t;
w, b the weights; J^i what a step on row i descends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic

from refmc.core.labels import read_two_classes
from refmc.core.linalg import dot, total
from refmc.core.parameters import parameter, positive_parameter
from refmc.core.sample import Labels, Matrix, Row, read_rows, row_counts
from refmc.core.scalars import Number, S
from refmc.core.ties import TiePolicy, check_policy, first
from refmc.learn.online.runs import (
    BY_SIGN,
    Average,
    Order,
    Projection,
    RunningMean,
    Shrink,
    StepSize,
    check_state,
    epoch_orders,
    read_start,
    shrink_always,
    step_sizes,
)
from refmc.learn.online.sgd_models import BinarySGD
from refmc.learn.online.weights import weights_of


@dataclass(frozen=True)
class SGDStep(Generic[S]):
    """Step t, on row i of sign y, with step size eta: the margin y(w·x + b) before, w, b after it.

    `objective()` computes the objective at w, b, which takes a look at every row.
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


def fit_svm_sgd(
    X: Matrix,
    y: Labels,
    *,
    C: Number,
    eta: StepSize,
    epochs: int = 1,
    order: Order = None,
    bias: bool = False,
    shrink: Shrink = shrink_always,
    start: Row | None = None,
    weights: Row | None = None,
    average: Average | None = None,
    project: Projection | None = None,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    on_step: Callable[[SGDStep[Any]], None] | None = None,
) -> BinarySGD[float] | BinarySGD[Fraction]:
    """Take a step on J^i = ½ wᵀw + C max(0, 1 − y_i(w·x_i + b)) for each row of each epoch.

    X: m rows of d numbers; y: labels −1 and +1, or any two named by classes=(negative, positive);
    C > 0. `eta`: a number or a function of t. `epochs`: how many times the rows are visited, each
    time in `order` (see `epoch_orders`). `bias`: update b too; it stays as it begins otherwise.
    `start`: w before the first step, with b after it where there is a `bias`; 0 if None. `shrink`,
    `weights`, `average`, `project`: as in `fit_multiclass_svm_sgd`; b is neither shrunk nor
    projected. The mean of the J^i is the soft SVM's objective with C/m in the place of C.

    Exact weights grow by the digits of 1 − η with every step, up to `ExactnessLimitError` at
    `MAX_DIGITS`. Raises `DataError`, `ParameterError`, `MixedArithmeticError`. Cost: O(d) for each
    step. [chang, "Stochastic gradient Descent"]

    >>> model = fit_svm_sgd([[Fraction(1)], [-1]], [1, -1], C=1, eta="1/4", epochs=2)
    >>> model.w, model.objective
    ((Fraction(175, 256),), Fraction(72097, 131072))
    """
    check_policy(tie, "tie")
    rows, zero = read_rows(X)
    signs, order_of_classes = read_two_classes(y, classes, len(rows))
    counts = row_counts(weights, len(rows))
    w, b = read_start(start, len(rows[0]), bias, zero)
    W = weights_of((w,), zero, safe=1.0)
    vectors = [W.vector(x) for x in rows]
    task = _SoftSVM(vectors, signs, counts, positive_parameter(C, "C", zero), zero)
    orders, step_size = epoch_orders(order, counts, epochs), step_sizes(eta, zero + 1, zero)
    mean, t = None if average is None else RunningMean(average, zero), 0
    visits = ((epoch, i) for epoch, order in enumerate(orders, 1) for i in order)
    for t, (epoch, i) in enumerate(visits, 1):
        size, factor = step_size(t)
        # Compared times the unit of W, since to divide by it takes long.
        unit, margin = W.unit, task.scaled_margin(W, b, i)
        hinge = max(zero, unit - margin)
        shrinks, adds = shrink(hinge if shrink in BY_SIGN else hinge / unit)
        if shrinks:
            W.shrink(factor)
        if adds and margin < unit:  # at the kink, margin 1, the subgradient 0 of the hinge is taken
            change = size * task.C * signs[i]
            W.add(0, change, vectors[i])
            b = b + change if bias else b
        if project is not None:
            W.shrink(parameter(project(W.norm_squared()), "project", zero))
        W.check(t)
        check_state(((b,),), t)
        if mean is not None:
            mean.count(t, (*W.values(), (b,)))
        if on_step is not None:
            (w,) = W.values()
            on_step(SGDStep(t, epoch, i, signs[i], size, margin / unit, w, b, task.objective))
    w, (b,) = (*W.values(), (b,)) if mean is None or not t else mean.value()
    return BinarySGD(order_of_classes, task.C, w, b, t, task.objective(w, b), zero, tie)


@dataclass(frozen=True)
class _SoftSVM(Generic[S]):
    """The problem whose objective the steps descend; `vectors`: the rows, as weights take them."""

    vectors: Sequence[Any]
    signs: tuple[int, ...]
    counts: tuple[int, ...]
    C: S
    zero: S

    def scaled_margin(self, W: Any, b: S, i: int) -> S:
        """y_i(w·x_i + b), times the unit of W."""
        margin: S = self.signs[i] * (W.scaled(0, self.vectors[i]) + b * W.unit)
        return margin

    def objective(self, w: tuple[S, ...], b: S) -> S:
        """½ wᵀw + (C/Σω) Σ ω_i hinge_i."""
        W = weights_of((w,), self.zero)
        margins = [self.scaled_margin(W, b, i) for i in range(len(self.signs))]
        hinges = [n * max(self.zero, W.unit - margin) for n, margin in zip(self.counts, margins)]
        loss = self.C * total(hinges, self.zero) / W.unit / sum(self.counts)
        objective: S = dot(w, w, self.zero) / 2 + loss
        return objective
