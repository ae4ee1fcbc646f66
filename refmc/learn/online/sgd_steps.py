"""Step sizes and projections of SGD, each an argument of the caller's."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt, sqrt
from typing import Any

from refmc.core.scalars import Number, S, exact_parameter, parameter, shown
from refmc.errors import ExactnessLimitError, ParameterError

StepSize = Number | Callable[[int], Number]
"""η: one number, or η_t as a function of t = 1, 2, …"""

Projection = Callable[[Any], Number]
"""From ‖W‖² to the factor that W is multiplied by."""


def step_sizes(eta: StepSize, zero: S) -> Callable[[int], S]:
    """η_t as a function of t, in the arithmetic of `zero`; not positive is a `ParameterError`."""
    if callable(eta):
        rule = eta
        return lambda t: _positive(rule(t), f"eta({t})", zero)
    constant = _positive(eta, "eta", zero)
    return lambda t: constant


def _positive(value: Number, name: str, zero: S) -> S:
    eta = parameter(value, name, zero)
    if not eta > 0:
        raise ParameterError(f"{name}: expected a positive step size, got {shown(value)}")
    return eta


def ball(radius_squared: Number) -> Projection:
    """The projection onto the ball ‖W‖² ≤ radius_squared, to be given as `project`.

    In the max form with costs of at most 1 the optimum has λ‖W‖² ≤ 1, so nothing is lost by the
    ball of 1/λ: the mean loss there is a mean of costs minus λ‖W‖², and not negative. Where the
    factor √(radius_squared/‖W‖²) of exact weights is irrational, `ExactnessLimitError`.

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
