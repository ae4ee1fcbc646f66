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

from collections.abc import Callable, Iterable, Iterator, Sequence
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
    task = _SoftSVM(rows, signs, counts, positive_parameter(C, "C", zero), bias, zero)
    orders = epoch_orders(order, counts, epochs)
    w, b = read_start(start, len(rows[0]), bias, zero)
    mean, t = None if average is None else RunningMean(average, zero), 0
    step_size = step_sizes(eta, zero + 1, zero)
    for step in _descent(task, w, b, orders, step_size, shrink, project):
        t, w, b = step.t, step.w, step.b
        check_state((w, (b,)), t)
        if mean is not None:
            mean.count(t, (w, (b,)))
        if on_step is not None:
            on_step(step)
    if mean is not None and t:
        w, (b,) = mean.value()
    return BinarySGD(order_of_classes, task.C, w, b, t, task.objective(w, b), zero, tie)


def _descent(
    task: _SoftSVM[S],
    w: tuple[S, ...],
    b: S,
    orders: Iterable[tuple[int, ...]],
    step_size: Callable[[int], tuple[S, S]],
    shrink: Shrink,
    project: Projection | None,
) -> Iterator[SGDStep[S]]:
    """One step for each row of each epoch. [chang, "Stochastic gradient Descent"]"""
    zero = task.zero
    visits = ((epoch, i) for epoch, order in enumerate(orders, 1) for i in order)
    for t, (epoch, i) in enumerate(visits, 1):
        x, y = task.rows[i], task.signs[i]
        eta, factor = step_size(t)
        margin = y * (dot(w, x, zero) + b)
        shrinks, adds = shrink(max(zero, 1 - margin))
        if shrinks:
            w = tuple([factor * a for a in w])
        if adds and margin < 1:  # at the kink, margin 1, the subgradient 0 of the hinge is taken
            change = eta * task.C * y
            w = tuple([a + change * c for a, c in zip(w, x)])
            b = b + change if task.bias else b
        if project is not None:
            scale = parameter(project(dot(w, w, zero)), "project", zero)
            w = tuple([scale * a for a in w])
        yield SGDStep(t, epoch, i, y, eta, margin, w, b, task.objective)


@dataclass(frozen=True)
class _SoftSVM(Generic[S]):
    """The problem whose objective the steps descend."""

    rows: Sequence[tuple[S, ...]]
    signs: tuple[int, ...]
    counts: tuple[int, ...]
    C: S
    bias: bool
    zero: S

    def objective(self, w: tuple[S, ...], b: S) -> S:
        """½ wᵀw + (C/Σω) Σ ω_i hinge_i."""
        zero = self.zero
        margins = [y * (dot(w, x, zero) + b) for x, y in zip(self.rows, self.signs)]
        hinges = [n * max(zero, 1 - margin) for n, margin in zip(self.counts, margins)]
        return dot(w, w, zero) / 2 + self.C * total(hinges, zero) / sum(self.counts)
