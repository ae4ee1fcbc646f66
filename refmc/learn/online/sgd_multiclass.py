"""Stochastic subgradient descent for the multi-class SVM.

The plain programs are `refmc.lectures.lecture5.algorithm_1`, `refmc.lectures.lecture5.homework` and
`refmc.lectures.karagiannis.sgd`. Beyond them: costs, any features, weights of rows, averages,
projections, and a shrink that costs O(1).

Covers [lecture5, "Algorithm 1"] with the general formulation (10)–(13), [keshet §2.2] and
[karagiannis, Example 29].

Differs from the lectures:
- [lecture5] draws rows at random; here draws are an argument. At t = 1 the factor 1 − η_tλ is
  exactly 0: with η_t = 1/(λt) it is computed as (t − 1)/t, since in float 1 − (1/λ)·λ need not
  vanish, and then W is set to 0;
- [keshet] prints a shrink only where the loss is positive, [karagiannis] none at all; a
  subgradient of their objectives always shrinks. The printed forms are `shrink_with_loss` and
  `shrink_never`;
- the λ of [karagiannis (3.4)] multiplies ‖w‖², not ½‖w‖²: it is called `ridge`, and the term of
  the recursion is 2λw.

Legend: n rows x_i of classes y_i, ω_i how often row i counts, k classes; W the weights, a row W_j
for each class j; Ψ(x, j) the features of a row x and a class j; Δ the cost; ∇_i a subgradient of
the loss ℓ of row i; η_t the step size of step t; λ `lam`; T steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic

from refmc.core.linalg import total
from refmc.core.parameters import parameter, positive_parameter
from refmc.core.sample import Labels, Matrix, Row, read_labels, read_rows, row_counts
from refmc.core.scalars import Number, S, whole_number
from refmc.core.ties import TiePolicy, check_policy, first
from refmc.errors import ParameterError
from refmc.learn.online.runs import (
    Average,
    Draws,
    Projection,
    RunningMean,
    Shrink,
    StepSize,
    Vectors,
    drawn_rows,
    read_start_rows,
    shrink_always,
    step_sizes,
)
from refmc.learn.online.sgd_models import MulticlassSGD
from refmc.learn.online.weights import weights_of
from refmc.theory.costs import Costs, costs_of_rows
from refmc.theory.features import Features, rows_of_class_vectors
from refmc.theory.losses import margin_excesses
from refmc.theory.subgradients import Loss, Slope, max_form


@dataclass(frozen=True)
class MulticlassSGDStep(Generic[S]):
    """Step t, on row i of class y, with step size eta: scores and slope before, W after it.

    `slope`: the loss of the row, the coefficients c_j of ∇_i, and what was tied. `objective()`
    computes the objective at W, which takes a look at every row. Classes are given by positions.
    """

    t: int
    i: int
    y: int
    eta: S
    scores: tuple[S, ...]
    slope: Slope[S]
    W: Vectors[S]
    evaluate: Callable[[Vectors[S]], S] = field(repr=False, compare=False)

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
    cost: Costs | None = None,
    features: Features | None = None,
    shrink: Shrink = shrink_always,
    start: Matrix | None = None,
    weights: Row | None = None,
    average: Average | None = None,
    project: Projection | None = None,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    on_step: Callable[[MulticlassSGDStep[Any]], None] | None = None,
) -> MulticlassSGD[float] | MulticlassSGD[Fraction]:
    """Take T steps of subgradient descent on (1/n) Σ ℓ(W, (x_i, y_i)) + (λ/2)‖W‖².

    X: n rows of d numbers; y: n labels; `classes` fixes their order. λ > 0 is `lam`, or 2·`ridge`
    in the scale of [karagiannis (3.4)]; the C of `fit_multiclass_svm` is 1/(nλ). `draws`: the row
    of each step (see `drawn_rows`); each row in turn if None. `eta`: η_t, a number or a function of
    t; 1/(λt) if None. `loss`: `max_form`, `sum_form` or another; `cost`: Δ(j, y) as in
    `multiclass_hinge`, or `row_costs`; `features`: Ψ(x, j) with j a position; None is the block
    map, with a weight vector for each class. `shrink`: `shrink_always`, or a variant that a lecture
    prints. `start`: W before the first step, 0 if None. `weights`: how often each row is drawn at
    its turn, and counts in the mean of the losses: whole numbers, so that the run is that on the
    sample in which each row stands so often. `average`: give the mean of W over the steps, with the
    weights `equally`, `by_age` or another function of t; None gives the last W. `project`: from
    ‖W‖² to a factor for W after each step, such as `ball`. `tie` chooses among several j*.

    With η_t = 1/(λt) exact weights stay short, as W_{t+1} is −1/(λt) Σ ∇. Averages and other step
    sizes lengthen them with every step, up to an `ExactnessLimitError` at `MAX_DIGITS` digits.

    Raises `DataError`, `ParameterError`, `MixedArithmeticError`. Cost: O(kd) for a step, its shrink
    O(1), and O(kd) more with an average; with `features`, O(k·|Ψ|), and n·k of them are kept.
    [lecture5, "Algorithm 1"]

    >>> X = [[Fraction(1), 0], [0, 1], [-1, -1]]
    >>> model = fit_multiclass_svm_sgd(X, ["a", "b", "c"], lam=1, T=6)
    >>> model.W[0], model.objective
    ((Fraction(1, 2), Fraction(0, 1)), Fraction(25, 36))
    """
    check_policy(tie, "tie")
    rows, zero = read_rows(X)
    codes, order_of_classes = read_labels(y, classes, len(rows))
    k, steps = len(order_of_classes), whole_number(T, "T", 0)
    counts = row_counts(weights, len(rows))
    if features is None:  # the block map: Ψ(x, j) is x in block j of W, and 0 in the others
        Psi, block = [(x,) * k for x in rows], tuple(range(k))
    else:
        Psi, block = rows_of_class_vectors(features, rows, k, zero), (0,) * k
    W = weights_of(read_start_rows(start, max(block) + 1, len(Psi[0][0]), zero), zero)
    vectors = [[W.vector(psi) for psi in row] for row in Psi]
    costs, ratio = costs_of_rows(cost, codes, k, zero), _lam(lam, ridge, zero)
    task = _Multiclass(vectors, block, codes, counts, costs, ratio, loss, tie, zero)
    mean = None if average is None else RunningMean(average, zero)
    draw, step_size = drawn_rows(draws, counts, steps), step_sizes(eta, task.lam, zero)
    for t, i in enumerate(draw, 1):
        size, factor = step_size(t)
        scores = task.scores(W, i)
        slope = task.slope(scores, i)
        # W − η_tλW − η_t∇_i is taken in two parts: ∇_i comes from the scores before, so that the
        # shrink doesn't change it.
        shrinks, adds = shrink(slope.loss)
        if shrinks:
            W.shrink(factor)
        if adds:
            for j, c in slope.coefficients:
                W.add(block[j], -size * c, vectors[i][j])
        if project is not None:
            W.shrink(parameter(project(W.norm_squared()), "project", zero))
        W.check(t)
        if mean is not None:
            mean.count(t, W.values())
        if on_step is not None:
            step = (t, i, codes[i], size, scores, slope, W.values())
            on_step(MulticlassSGDStep(*step, evaluate=task.objective))
    result = W.values() if mean is None or not steps else mean.value()
    objective = task.objective(result)
    return MulticlassSGD(order_of_classes, task.lam, result, features, steps, objective, zero, tie)


@dataclass(frozen=True)
class _Multiclass(Generic[S]):
    """The problem whose objective the steps descend.

    Ψ(x_i, j) is `Psi[i][j]`, as weights take it, in the block number `block[j]` of W, and 0 in the
    others.
    """

    Psi: Sequence[Sequence[Any]]
    block: tuple[int, ...]
    codes: tuple[int, ...]
    counts: tuple[int, ...]
    costs: tuple[tuple[S, ...], ...]
    lam: S
    loss: Loss
    tie: TiePolicy
    zero: S

    def scores(self, W: Any, i: int) -> tuple[S, ...]:
        """The score of each class for row i."""
        unit = W.unit
        return tuple([W.scaled(block, psi) / unit for block, psi in zip(self.block, self.Psi[i])])

    def slope(self, scores: Sequence[S], i: int) -> Slope[S]:
        """The loss of row i at its scores, and a subgradient."""
        y = self.codes[i]
        return self.loss(margin_excesses(scores, y, self.costs[i], self.zero), y, self.tie)

    def objective(self, W: Vectors[S]) -> S:
        """(1/Σω) Σ ω_i ℓ_i + (λ/2)‖W‖². [lecture5 (7)]"""
        weights = weights_of(W, self.zero)
        slopes = [self.slope(self.scores(weights, i), i) for i in range(len(self.counts))]
        losses = [count * slope.loss for count, slope in zip(self.counts, slopes)]
        regulariser: S = self.lam * weights.norm_squared() / 2
        return total(losses, self.zero) / sum(self.counts) + regulariser


def _lam(lam: Number | None, ridge: Number | None, zero: S) -> S:
    if (lam is None) == (ridge is None):
        raise ParameterError("lam: give either lam, of (λ/2)‖W‖², or ridge, of λ‖W‖²")
    if lam is not None:
        return positive_parameter(lam, "lam", zero)
    assert ridge is not None
    return 2 * positive_parameter(ridge, "ridge", zero)
