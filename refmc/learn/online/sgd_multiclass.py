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

The algorithm is a generator of its steps; averages, digits and callbacks are what its caller does
with them.

Legend: n rows x_i, ω_i how often a row counts, k classes, Ψ(x, j) the features of a row and a
class, Δ the cost, ∇_i a subgradient of the loss of row i, η_t the step size of step t, λ `lam`,
T steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic

from refmc.core.linalg import dot, total
from refmc.core.sample import Labels, Matrix, Row, read_labels, read_rows, row_counts
from refmc.core.scalars import Number, S, parameter, positive_parameter, whole_number
from refmc.core.ties import TiePolicy, check_policy, first
from refmc.errors import ParameterError
from refmc.learn.online.runs import (
    Average,
    Draws,
    RunningMean,
    Vectors,
    check_state,
    drawn_rows,
    read_start_rows,
)
from refmc.learn.online.sgd_models import MulticlassSGD
from refmc.learn.online.sgd_steps import Projection, Shrink, StepSize, shrink_always, step_sizes
from refmc.theory.costs import Costs, costs_of_rows
from refmc.theory.losses import Features, margin_excesses, rows_of_class_vectors
from refmc.theory.subgradients import Loss, Slope, max_form

SAFE = 2.0**300
"""In float, V is multiplied out when s leaves (1/SAFE, SAFE): s only spreads W over two factors,
so this bound changes no weight by more than rounding."""


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
    in the scale of [karagiannis (3.4)]; C of `fit_multiclass_svm` is 1/(nλ). `draws`: see
    `drawn_rows`; each row in turn if None. `eta`: a number or a function of t; None is η_t
    = 1/(λt). `loss`: `max_form`, `sum_form` or another; `cost`: Δ(j, y) as in `multiclass_hinge`,
    or `row_costs`; `features`: Ψ(x, j), j a position, where None is the block map of W. `shrink`:
    `shrink_always`, or a printed variant. `start`: W before the first step, 0 if None. `weights`:
    how often each row is drawn at its turn, and counts in the mean of the losses: whole numbers, so
    that the run is that on the sample in which each row stands so often. `average`: `equally`,
    `by_age` or another weight of what step t leaves; None keeps the last weights. `project`: the
    factor for W as a function of ‖W‖², such as `ball`. Among several j* the policy `tie` chooses.

    Exact weights stay short under η_t = 1/(λt), whose W_{t+1} is −1/(λt) Σ ∇; averages and other
    step sizes lengthen them with every step, up to `ExactnessLimitError` at `MAX_DIGITS`.

    Raises `DataError`, `ParameterError`, `MixedArithmeticError`. Cost: O(kd) a step, its shrink
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
    k, steps, counts = (
        len(order_of_classes),
        whole_number(T, "T", 0),
        row_counts(weights, len(rows)),
    )
    vectors, block = _feature_vectors(features, rows, k, zero)
    task = _Multiclass(
        vectors=vectors,
        block=block,
        codes=codes,
        counts=counts,
        costs=costs_of_rows(cost, codes, k, zero),
        lam=_lam(lam, ridge, zero),
        loss=loss,
        tie=tie,
        zero=zero,
    )
    W = ScaledWeights(read_start_rows(start, max(block) + 1, len(vectors[0][0]), zero), zero)
    mean = None if average is None else RunningMean(average, zero)
    draw, step_size = drawn_rows(draws, counts, steps), _step_sizes(eta, task.lam, zero)
    for t, i, size, scores, slope in _algorithm_1(task, W, draw, step_size, shrink, project):
        check_state(W.factors(), t)
        if mean is not None:
            mean.count(t, W.values())
        if on_step is not None:
            step = (t, i, codes[i], size, scores, slope, W.values())
            on_step(MulticlassSGDStep(*step, evaluate=task.objective))
    result = W.values() if mean is None or not steps else mean.value()
    model: MulticlassSGD[Any] = MulticlassSGD(
        classes=order_of_classes,
        lam=task.lam,
        W=result,
        features=features,
        T=steps,
        objective=task.objective(result),
        zero=zero,
        tie=tie,
    )
    return model


class ScaledWeights(Generic[S]):
    """Blocks of weights W = s·V, which shrink in O(1): to shrink W is to multiply s.

    To add c·φ to a block of W, V gets (c/s)·φ.
    """

    def __init__(self, start: Vectors[S], zero: S) -> None:
        self._zero: S = zero
        self._s: S = zero + 1
        self._V: list[list[S]] = [list(row) for row in start]

    def scores(self, blocks: Sequence[int], vectors: Sequence[Sequence[S]]) -> tuple[S, ...]:
        """The inner product of each vector with its block."""
        s, V, zero = self._s, self._V, self._zero
        return tuple([s * dot(V[block], vector, zero) for block, vector in zip(blocks, vectors)])

    def shrink(self, factor: S) -> None:
        """W ← factor·W, exactly 0 for the factor 0. Cost: O(1), O(size) where V is computed."""
        self._s = self._s * factor
        s = self._s
        if not s or (isinstance(s, float) and not 1 / SAFE < abs(s) < SAFE):
            self._V = [[s * v for v in row] for row in self._V]
            self._s = self._zero + 1

    def add(self, block: int, c: S, vector: Sequence[S]) -> None:
        """Add c·vector to a block. Cost: O(width)."""
        scaled = c / self._s
        self._V[block] = [v + scaled * a for v, a in zip(self._V[block], vector)]

    def values(self) -> Vectors[S]:
        """W. Cost: O(size)."""
        return tuple(tuple([self._s * v for v in row]) for row in self._V)

    def norm_squared(self) -> S:
        """‖W‖². Cost: O(size)."""
        squares: S = total((dot(row, row, self._zero) for row in self._V), self._zero)
        return squares * self._s * self._s

    def factors(self) -> Sequence[Sequence[S]]:
        """The numbers that are kept, s and V."""
        shared: list[list[S]] = [[self._s]]
        return shared + self._V


def _algorithm_1(
    task: _Multiclass[S],
    W: ScaledWeights[S],
    draws: Iterable[int],
    step_size: Callable[[int], tuple[S, S]],
    shrink: Shrink,
    project: Projection | None,
) -> Iterator[tuple[int, int, S, tuple[S, ...], Slope[S]]]:
    """[lecture5, "Algorithm 1"]: takes the steps in W; gives t, i, η_t, the scores and the slope.

    −η_tλW and −η_t∇_i are taken one after the other, for ∇_i is known before W is changed.
    """
    for t, i in enumerate(draws, 1):
        eta, factor = step_size(t)
        Psi = task.vectors[i]
        scores = W.scores(task.block, Psi)
        slope = task.slope(scores, i)
        shrinks, adds = shrink(slope.loss)
        if shrinks:
            W.shrink(factor)
        for j, c in slope.coefficients if adds else ():
            W.add(task.block[j], -eta * c, Psi[j])
        if project is not None:
            W.shrink(parameter(project(W.norm_squared()), "project", task.zero))
        yield t, i, eta, scores, slope


@dataclass(frozen=True)
class _Multiclass(Generic[S]):
    """What Algorithm 1 minimises: Ψ(x_i, j) is `vectors[i][j]` in block `block[j]` of W."""

    vectors: Sequence[Sequence[tuple[S, ...]]]
    block: tuple[int, ...]
    codes: tuple[int, ...]
    counts: tuple[int, ...]
    costs: tuple[tuple[S, ...], ...]
    lam: S
    loss: Loss
    tie: TiePolicy
    zero: S

    def slope(self, scores: Sequence[S], i: int) -> Slope[S]:
        """The loss of row i at its scores, and a subgradient."""
        y = self.codes[i]
        return self.loss(margin_excesses(scores, y, self.costs[i], self.zero), y, self.tie)

    def objective(self, W: Vectors[S]) -> S:
        """(1/Σω) Σ ω_i ℓ_i + (λ/2)‖W‖². [lecture5 (7)]"""
        zero = self.zero
        losses = []
        for i, (Psi, count) in enumerate(zip(self.vectors, self.counts)):
            scores = [dot(W[block], psi, zero) for block, psi in zip(self.block, Psi)]
            losses.append(count * self.slope(scores, i).loss)
        norm_squared = total((dot(w, w, zero) for w in W), zero)
        return total(losses, zero) / sum(self.counts) + self.lam * norm_squared / 2


def _feature_vectors(
    features: Features | None, rows: Sequence[tuple[S, ...]], k: int, zero: S
) -> tuple[Sequence[Sequence[tuple[S, ...]]], tuple[int, ...]]:
    """Ψ(x_i, j) for each row and class, and the block of W that it stands in."""
    if features is None:
        return [(x,) * k for x in rows], tuple(range(k))
    return rows_of_class_vectors(features, rows, k, zero), (0,) * k


def _lam(lam: Number | None, ridge: Number | None, zero: S) -> S:
    if (lam is None) == (ridge is None):
        raise ParameterError("lam: give either lam, of (λ/2)‖W‖², or ridge, of λ‖W‖²")
    if lam is not None:
        return positive_parameter(lam, "lam", zero)
    assert ridge is not None
    return 2 * positive_parameter(ridge, "ridge", zero)


def _step_sizes(eta: StepSize | None, lam: S, zero: S) -> Callable[[int], tuple[S, S]]:
    """For each t the step size η_t and the factor 1 − η_tλ, exactly 0 at t = 1 of the default."""
    if eta is None:
        return lambda t: (1 / (lam * t), (zero + (t - 1)) / t)
    return step_sizes(eta, lam, zero)
