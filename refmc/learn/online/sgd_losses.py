"""What SGD takes from a multi-class hinge loss: its value and one subgradient.

Covers [lecture5 (8)], [lecture5 (9)] and [lecture5, "Homework"], with costs as in (10) and (12),
and the shrinks of [lecture5, "Algorithm 1"], [keshet §2.2] and [karagiannis, Example 29].

All losses see a row through its excesses e_j = Δ(j, y) + s_j − s_y, the scores being
s_j = ⟨w, Ψ(x, j)⟩; e_y = 0. The gradient of e_j with respect to w is Ψ(x, j) − Ψ(x, y), so every
subgradient is Σ_j c_j Ψ(x, j) with Σ_j c_j = 0. A loss here is a function that gives the c_j; for
the block Ψ of [lecture5 §1.1.1] the subgradient is the matrix with row c_j x for each class j.

In float excesses are rounded, so a tie may be missed or made by rounding; the subgradient is
then one of weights nearby.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, NamedTuple

from refmc.core.linalg import total
from refmc.core.scalars import S
from refmc.core.ties import TiePolicy, argmax_set


@dataclass(frozen=True)
class Slope(Generic[S]):
    """A loss at one row, and the subgradient Σ c_j Ψ(x, j) that was chosen there.

    `coefficients`: the pairs (j, c_j) with c_j ≠ 0. `tied`: the positions that the choice was
    made among.
    """

    loss: S
    coefficients: tuple[tuple[int, int], ...]
    tied: tuple[int, ...]


Loss = Callable[[tuple[Any, ...], int, TiePolicy], Slope[Any]]
"""From the excesses of a row, its class y and the policy for ties to the slope."""


class Update(NamedTuple):
    """What a step does: whether the weights shrink, and whether −η_t∇_i is added."""

    shrinks: bool
    adds: bool


Shrink = Callable[[Any], Update]
"""From the loss of the drawn row to what the step does."""


def max_form(excesses: Sequence[S], y: int, tie: TiePolicy) -> Slope[S]:
    """The loss max_j e_j: Ψ(x, j*) − Ψ(x, y) with j* chosen from the arg max, 0 if j* = y.

    `tied`: the arg max. [lecture5 (5)], [lecture5 (8)], [lecture5 (9)], [keshet §2.2]

    >>> max_form([Fraction(1), Fraction(1), Fraction(0)], 2, lambda tied: tied[0])
    Slope(loss=Fraction(1, 1), coefficients=((0, 1), (2, -1)), tied=(0, 1))
    """
    tied = argmax_set(excesses)
    j_star = tie(tied)
    return Slope(excesses[j_star], () if j_star == y else ((j_star, 1), (y, -1)), tied)


def sum_form(excesses: Sequence[S], y: int, tie: TiePolicy) -> Slope[S]:
    """The loss Σ_{j ≠ y} max(0, e_j): Σ_{j ∈ A} (Ψ(x, j) − Ψ(x, y)), A = {j ≠ y | e_j > 0}.

    The homework, derived: each term is the larger of e_j and 0, whose slopes are
    Ψ(x, j) − Ψ(x, y) and 0; a subgradient of it is that of the piece which reaches it, and a
    subgradient of a sum is the sum of subgradients. So one step of Algorithm 1 becomes

        W_{t+1} = (1 − η_t λ) W_t − η_t ∇_i,  ∇_i with rows x for j ∈ A, −|A| x for y, else 0.

    Where e_j = 0 both pieces reach the term, and 0 is taken; `tied`: those j, whatever `tie` is.
    [lecture5, "Homework"]

    >>> sum_form([Fraction(1), Fraction(0), Fraction(0), Fraction(2)], 2, min)
    Slope(loss=Fraction(3, 1), coefficients=((0, 1), (3, 1), (2, -2)), tied=(1,))
    """
    A: list[int] = [j for j, e in enumerate(excesses) if e > 0 and j != y]
    met = tuple(j for j, e in enumerate(excesses) if e == 0 and j != y)
    own: tuple[tuple[int, int], ...] = ((y, -len(A)),) if A else ()
    loss: S = total((excesses[j] for j in A), excesses[y] * 0)
    return Slope(loss, (*((j, 1) for j in A), *own), met)


def shrink_always(loss: float | Fraction) -> Update:
    """The subgradient of (λ/2)‖W‖² belongs to every step. [lecture5, "Algorithm 1"]

    >>> shrink_always(0)
    Update(shrinks=True, adds=True)
    """
    return Update(True, True)


def shrink_with_loss(loss: float | Fraction) -> Update:
    """As [keshet §2.2] prints it: a step whose row has no positive loss does nothing.

    That isn't a subgradient of the objective: once no row has a loss, nothing moves, whatever the
    weights.

    >>> shrink_with_loss(0), shrink_with_loss(Fraction(1, 2))
    (Update(shrinks=False, adds=False), Update(shrinks=True, adds=True))
    """
    return Update(loss > 0, loss > 0)


def shrink_never(loss: float | Fraction) -> Update:
    """As [karagiannis, Example 29] prints it: the recursion has no term for λ‖w‖².

    >>> shrink_never(1)
    Update(shrinks=False, adds=True)
    """
    return Update(False, True)
