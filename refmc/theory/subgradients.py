"""Subgradients of the losses: the slopes of all pieces that reach a loss, not of one of them.

A vector g is a subgradient of f at u if f(v) ≥ f(u) + ⟨g, v − u⟩ for all v. A hinge loss is the
maximum of linear functions, its pieces, or a sum of such maxima. The subgradients of a maximum are
the convex combinations of the slopes of all pieces that reach it at u. Where several do, a lecture
picks one "arbitrarily"; the functions here give the slopes of all of them.

Covers [lecture5 (8)], [lecture5 (9)], [lecture5 (12)], [lecture5 (13)], [lecture5, "Homework"],
[chang, "Sub-gradients"], [chang, "Sub-gradient of the SVM objective"], [karagiannis, Example 29],
and the slopes of the losses of [keshet §1.3].

The sum form, derived: the term of a class j ≠ y is max(0, m_j). As m_y = 0, it is the maximum of
the excesses of the two classes y and j. A subgradient of a sum is a sum of subgradients of its
terms. So let A hold the classes that violate their margins (m_j > 0), and any of those that just
meet theirs (m_j = 0). Then Σ_{j ∈ A} (e_j − e_y) is a subgradient with respect to the scores. The
one with respect to W has x in row j for each j of A, and −|A| x in row y.

Differs from the lectures:
- [chang] gives the slope at the kink y·s = 1 as 0 only; it is anything from −1 to 0;
- [karagiannis, Example 29] omits the term 2λw of the objective (3.4); here are the slopes of the
  loss alone.

`max_form` and `sum_form` are the two multi-class hinge losses as learners take them: SGD asks them
for the value and one subgradient at the excesses of a row, and the exact SVM is told by them which
of the two it minimises.

Legend: as in `losses`; e_j the j-th unit vector of k.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Generic, TypeVar, overload

from refmc.core.linalg import total
from refmc.core.sample import Row, read_row, read_rows_as
from refmc.core.scalars import S
from refmc.core.ties import TiePolicy, argmax_set
from refmc.theory.costs import Costs
from refmc.theory.losses import (
    exponential,
    hinge,
    margin_excesses,
    multiclass_hinge,
    multiclass_hinge_set,
    multiclass_hinge_sum,
    perceptron_loss,
    read_scores,
    rounded_margin,
)

T = TypeVar("T")


def hinge_subgradient(z: S) -> tuple[S, ...]:
    """The slopes of `hinge` at z: −1 where z < 1, 0 where z > 1, and both at the kink z = 1.

    At the kink all numbers from −1 to 0 are subgradients. Where z = y⟨w, x⟩, those with respect to
    w are y·x times these. [chang, "Hinge loss is not differentiable!"],
    [chang, "Sub-gradients"], [chang, "Sub-gradient of the SVM objective"]

    >>> hinge_subgradient(Fraction(1, 4)), hinge_subgradient(Fraction(1))
    ((Fraction(-1, 1),), (Fraction(-1, 1), Fraction(0, 1)))
    """
    return _two_pieces(hinge(z), z < 1, z > 1)


def squared_hinge_subgradient(z: S) -> tuple[S, ...]:
    """The one slope −2 max(0, 1 − z) of `squared_hinge`.

    >>> squared_hinge_subgradient(Fraction(1, 4)), squared_hinge_subgradient(Fraction(1))
    ((Fraction(-3, 2),), (Fraction(0, 1),))
    """
    return (-2 * hinge(z),)


def perceptron_loss_subgradient(z: S) -> tuple[S, ...]:
    """The slopes of `perceptron_loss` at z: −1 where z < 0, 0 where z > 0, and both at z = 0.

    The perceptron makes a step at z = 0 as well, so it picks the slope −1 there.
    [chang, "Perceptron vs. SVM"]

    >>> perceptron_loss_subgradient(Fraction(0))
    (Fraction(-1, 1), Fraction(0, 1))
    """
    return _two_pieces(perceptron_loss(z), z < 0, z > 0)


def _two_pieces(loss: S, falling_alone: bool, flat_alone: bool) -> tuple[S, ...]:
    """The slopes −1 and 0, or the one of them whose piece reaches the loss alone."""
    zero = loss - loss
    if falling_alone:
        return (zero - 1,)
    return (zero,) if flat_alone else (zero - 1, zero)


def exponential_subgradient(z: float | Fraction) -> tuple[float, ...]:
    """The one slope −exp(−z) of `exponential`, a float. [keshet §1.3]

    >>> exponential_subgradient(0.0)
    (-1.0,)
    """
    return (-exponential(z),)


def logistic_subgradient(z: float | Fraction) -> tuple[float, ...]:
    """The one slope −1 / (1 + exp(z)) of `logistic`, a float; no z overflows. [keshet §1.3]

    >>> logistic_subgradient(0.0), logistic_subgradient(-1000.0)
    ((-0.5,), (-1.0,))
    """
    value = rounded_margin(z)
    small = math.exp(-abs(value))
    return (-(small if value > 0 else 1.0) / (1.0 + small),)


@dataclass(frozen=True)
class HingeSubgradients(Generic[S]):
    """The subgradients of a multi-class hinge loss at one point.

    The loss is a maximum of excesses m_j, or a sum of such maxima; `maximisers` holds for each of
    them the positions of all classes that reach it. Choosing one class j of each maximum gives the
    subgradient Σ (e_j − e_y), and all subgradients are the convex combinations of these. The
    methods go through the choices in the order of `itertools.product`, one at a time, as there may
    be very many.

    `loss`: the value; `y`: the position of the right class; `k`: the number of classes; `zero`: 0
    in the arithmetic of the scores.
    """

    loss: S
    y: int
    k: int
    maximisers: tuple[tuple[int, ...], ...]
    zero: S

    def by_scores(self) -> Iterator[tuple[S, ...]]:
        """Those with respect to the scores: Σ (e_j − e_y) over the chosen j, k numbers each."""
        for chosen in product(*self.maximisers):
            counts = [chosen.count(j) for j in range(self.k)]
            counts[self.y] -= len(chosen)
            yield tuple(self.zero + count for count in counts)

    def by_weights(self, x: Row) -> Iterator[tuple[tuple[S, ...], ...]]:
        """Those with respect to W, where the scores are Wx: k rows of d numbers. [lecture5 (9)]"""
        row = read_row(x, self.zero, "x")
        for slopes in self.by_scores():
            yield tuple(tuple(slope * x_i for x_i in row) for slope in slopes)

    def by_features(self, features: Callable[[T, int], Row], x: T) -> Iterator[tuple[S, ...]]:
        """Those with respect to w, where the scores are ⟨w, Ψ(x, j)⟩: Σ (Ψ(x, j) − Ψ(x, y)).

        [karagiannis, Example 29]
        """
        rows = [features(x, j) for j in range(self.k)]
        Psi = read_rows_as(rows, self.zero, "features(x, j)")
        for slopes in self.by_scores():
            yield tuple(
                total((slope * psi for slope, psi in zip(slopes, column)), self.zero)
                for column in zip(*Psi)
            )


@overload
def multiclass_hinge_subgradient(
    scores: Sequence[S], y: int, cost: Costs | None = None
) -> HingeSubgradients[S]: ...
@overload
def multiclass_hinge_subgradient(
    scores: Row, y: int, cost: Costs | None = None
) -> HingeSubgradients[float] | HingeSubgradients[Fraction]: ...
def multiclass_hinge_subgradient(  # type: ignore[misc]  # S is that of the scores
    scores: Row, y: int, cost: Costs | None = None
) -> HingeSubgradients[float] | HingeSubgradients[Fraction]:
    """The subgradients of `multiclass_hinge`: one for each class j* that reaches the maximum.

    For j* = y it is 0. For any other j*, the one with respect to the scores has +1 at j* and −1 at
    y, and the one with respect to W has x in row j* and −x in row y. Arguments and errors are those
    of `multiclass_hinge`. Cost: O(k); then O(k) for each subgradient by scores, O(kd) by weights.
    [lecture5 (8)], [lecture5 (9)]

    >>> found = multiclass_hinge_subgradient([Fraction(0), Fraction(0), Fraction(1)], 2)
    >>> found.maximisers, [list(map(int, slopes)) for slopes in found.by_scores()]
    (((0, 1, 2),), [[1, 0, -1], [0, 1, -1], [0, 0, 0]])
    """
    s, own, _, zero = read_scores(scores, y, cost)
    tied = multiclass_hinge_set(s, own, cost)
    return HingeSubgradients(multiclass_hinge(s, own, cost), own, len(s), (tied,), zero)


@overload
def multiclass_hinge_sum_subgradient(
    scores: Sequence[S], y: int, cost: Costs | None = None
) -> HingeSubgradients[S]: ...
@overload
def multiclass_hinge_sum_subgradient(
    scores: Row, y: int, cost: Costs | None = None
) -> HingeSubgradients[float] | HingeSubgradients[Fraction]: ...
def multiclass_hinge_sum_subgradient(  # type: ignore[misc]  # S is that of the scores
    scores: Row, y: int, cost: Costs | None = None
) -> HingeSubgradients[float] | HingeSubgradients[Fraction]:
    """The subgradients of `multiclass_hinge_sum`: each class that violates its margin counts.

    There is one maximum for each class j ≠ y, of the excesses of y (which is 0) and of j. The class
    j reaches it where its margin is violated, y where that is more than met, and both where it is
    just met. Arguments, errors and cost are those of `multiclass_hinge_subgradient`.
    [lecture5 (12)], [lecture5 (13)]

    >>> found = multiclass_hinge_sum_subgradient([Fraction(0), Fraction(1, 2), Fraction(1)], 2)
    >>> found.maximisers, [list(map(int, slopes)) for slopes in found.by_scores()]
    (((0, 2), (1,)), [[1, 1, -2], [0, 1, -1]])
    """
    s, own, delta, zero = read_scores(scores, y, cost)
    maximisers = []
    # The excesses are rounded in float, but each has the sign of the exact sum.
    for j, m_j in enumerate(margin_excesses(s, own, delta, zero)):
        if j != own:
            both = (min(j, own), max(j, own))
            maximisers.append((j,) if m_j > 0 else (own,) if m_j < 0 else both)
    loss = multiclass_hinge_sum(s, own, cost)
    return HingeSubgradients(loss, own, len(s), tuple(maximisers), zero)


@dataclass(frozen=True)
class Slope(Generic[S]):
    """A loss at one row, and one subgradient Σ c_j Ψ(x, j) of it, where Σ c_j = 0.

    `coefficients`: the pairs (j, c_j) with c_j ≠ 0. `tied`: the classes at which another choice was
    possible. For the blocks Ψ of [lecture5 §1.1.1] the subgradient is the matrix whose row j is
    c_j x.
    """

    loss: S
    coefficients: tuple[tuple[int, int], ...]
    tied: tuple[int, ...]


Loss = Callable[[tuple[Any, ...], int, TiePolicy], Slope[Any]]
"""From the excesses m_j of a row, its class y and the policy for ties to the loss and its slope.

Excesses in float are rounded, which may break a tie or make one. The subgradient is then that of
weights near to those given.
"""


def max_form(excesses: Sequence[S], y: int, tie: TiePolicy) -> Slope[S]:
    """The loss max_j m_j, with the slope Ψ(x, j*) − Ψ(x, y), which is 0 if j* = y.

    The policy chooses j* from the arg max, which is `tied`. [lecture5 (5)], [lecture5 (8)],
    [lecture5 (9)], [keshet §2.2]

    >>> max_form([Fraction(1), Fraction(1), Fraction(0)], 2, lambda tied: tied[0])
    Slope(loss=Fraction(1, 1), coefficients=((0, 1), (2, -1)), tied=(0, 1))
    """
    tied = argmax_set(excesses)
    j_star = tie(tied)
    return Slope(excesses[j_star], () if j_star == y else ((j_star, 1), (y, -1)), tied)


def sum_form(excesses: Sequence[S], y: int, tie: TiePolicy) -> Slope[S]:
    """The loss Σ_{j ≠ y} max(0, m_j), with the slope Σ_{j ∈ A} (Ψ(x, j) − Ψ(x, y)).

    A = {j ≠ y | m_j > 0}. The homework, derived: each term is the larger of m_j, whose slope is
    Ψ(x, j) − Ψ(x, y), and of 0, whose slope is 0. The slope of the larger one is a subgradient of
    the term, and their sum is one of the loss. So a step of Algorithm 1 becomes

        W_{t+1} = (1 − η_t λ) W_t − η_t ∇_i,  ∇_i with rows x for j ∈ A, −|A| x for y, else 0.

    Where m_j = 0 both slopes are right, and 0 is taken whatever the policy is; `tied` holds these
    j. [lecture5, "Homework"]

    >>> sum_form([Fraction(1), Fraction(0), Fraction(0), Fraction(2)], 2, min)
    Slope(loss=Fraction(3, 1), coefficients=((0, 1), (3, 1), (2, -2)), tied=(1,))
    """
    A: list[int] = [j for j, e in enumerate(excesses) if e > 0 and j != y]
    met = tuple(j for j, e in enumerate(excesses) if e == 0 and j != y)
    own: tuple[tuple[int, int], ...] = ((y, -len(A)),) if A else ()
    loss: S = total((excesses[j] for j in A), excesses[y] * 0)
    return Slope(loss, (*((j, 1) for j in A), *own), met)
