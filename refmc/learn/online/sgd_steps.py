"""Step sizes, shrinks and projections of SGD, which are arguments of the descents.

The shrinks are those of [lecture5, "Algorithm 1"], [keshet §2.2] and [karagiannis, Example 29].

Legend: W the weights; η_t the step size of step t; σ the factor of the regulariser (σ/2)‖W‖², so
that its part of the step is W ← (1 − η_tσ)W, the shrink; ∇_i a subgradient of the loss of row i.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt, sqrt
from typing import Any, NamedTuple

from refmc.core.scalars import Number, S, exact_parameter, parameter, shown
from refmc.errors import ExactnessLimitError, ParameterError

StepSize = Number | Callable[[int], Number]
"""η: one number, or η_t as a function of t = 1, 2, …"""

Projection = Callable[[Any], Number]
"""From ‖W‖² to the factor that W is multiplied by."""


def step_sizes(eta: StepSize, sigma: S, zero: S) -> Callable[[int], tuple[S, S]]:
    """A function from t to the step size η_t and the factor 1 − η_tσ of the shrink.

    Both are in the arithmetic of `zero`. `ParameterError` for a step size that isn't positive.
    """
    if callable(eta):
        rule = eta

        def at(t: int) -> tuple[S, S]:
            size = _positive(rule(t), f"eta({t})", zero)
            return size, 1 - size * sigma

        return at
    constant = _positive(eta, "eta", zero)
    pair = constant, 1 - constant * sigma
    return lambda t: pair


def _positive(value: Number, name: str, zero: S) -> S:
    eta = parameter(value, name, zero)
    if not eta > 0:
        raise ParameterError(f"{name}: expected a positive step size, got {shown(value)}")
    return eta


class Update(NamedTuple):
    """What a step does: whether the weights shrink, and whether −η_t∇_i is added."""

    shrinks: bool
    adds: bool


Shrink = Callable[[Any], Update]
"""From the loss of the drawn row to what the step does."""


def shrink_always(loss: float | Fraction) -> Update:
    """The subgradient of (λ/2)‖W‖² belongs to every step. [lecture5, "Algorithm 1"]

    >>> shrink_always(0)
    Update(shrinks=True, adds=True)
    """
    return Update(True, True)


def shrink_with_loss(loss: float | Fraction) -> Update:
    """As [keshet §2.2] prints it: a step whose row has no positive loss does nothing.

    This is no subgradient step on the objective: once no row has a positive loss, the weights stay
    as they are, however large they are.

    >>> shrink_with_loss(0), shrink_with_loss(Fraction(1, 2))
    (Update(shrinks=False, adds=False), Update(shrinks=True, adds=True))
    """
    return Update(loss > 0, loss > 0)


def shrink_never(loss: float | Fraction) -> Update:
    """As [karagiannis, Example 29] prints it: the recursion lacks the term of λ‖w‖².

    >>> shrink_never(1)
    Update(shrinks=False, adds=True)
    """
    return Update(False, True)


def ball(radius_squared: Number) -> Projection:
    """The projection onto the ball ‖W‖² ≤ radius_squared, to be given as `project`.

    In the max form with costs of at most 1, the optimum lies in the ball of radius_squared = 1/λ:
    the mean loss there is a mean of costs minus λ‖W‖², and it is not negative. Raises
    `ExactnessLimitError` where the weights are exact and the factor √(radius_squared/‖W‖²) is
    irrational.

    >>> ball(1)(Fraction(4)), ball(1)(Fraction(1, 2)), ball(1)(4.0)
    (Fraction(1, 2), Fraction(1, 1), 0.5)
    """
    if not exact_parameter(radius_squared, "radius_squared") > 0:
        raise ParameterError(
            f"radius_squared: expected a positive number, got {shown(radius_squared)}"
        )

    def factor(norm_squared: S) -> S:
        zero: S = norm_squared * 0
        allowed = parameter(radius_squared, "radius_squared", zero)
        if norm_squared <= allowed:
            return zero + 1
        return _square_root(allowed / norm_squared)

    return factor


def _square_root(ratio: S) -> S:
    if isinstance(ratio, float):
        return sqrt(ratio)
    root = Fraction(isqrt(ratio.numerator), isqrt(ratio.denominator))
    if root * root != ratio:
        raise ExactnessLimitError(
            f"project: the factor √({shown(ratio)}) is irrational; give floats, or a projection "
            "with rational factors"
        )
    return root
