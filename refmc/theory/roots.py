"""Square roots and their sums: held between rationals, compared and rounded without error.

A bound of learning theory is a sum of a rational number, the root of a rational and the root of a
logarithm. It is kept as these three until it is printed; what is asked of it meanwhile is decided
on rationals that enclose it, to as many digits as the question needs.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor, isqrt

from refmc.core.scalars import as_float, sign

Bounds = tuple[Fraction, Fraction]
Enclosed = Callable[[int], Bounds]
"""A number: rationals below and above it, closer with the number of decimal digits."""

_FIRST_DIGITS = 40


def root_bounds(square: Bounds, digits: int) -> Bounds:
    """Rationals below and above the root of what `square` encloses, rounded to so many digits.

    A lower end below 0 counts as 0.

    >>> root_bounds((Fraction(2), Fraction(2)), 3)
    (Fraction(707, 500), Fraction(283, 200))
    """
    unit = 10**digits
    below = isqrt(floor(max(Fraction(0), square[0]) * unit * unit))
    n = ceil(square[1] * unit * unit)
    above = isqrt(n)
    return Fraction(below, unit), Fraction(above + (above * above < n), unit)


def nearest_float(value: Enclosed, name: str) -> float:
    """The nearest float; `DataError` with the name where the number is beyond their range.

    >>> nearest_float(lambda digits: root_bounds((Fraction(2), Fraction(2)), digits), "root")
    1.4142135623730951
    """
    digits = _FIRST_DIGITS
    while True:
        low, high = (as_float(end, name) for end in value(digits))
        if low == high:
            return low
        digits *= 2


def nearest_root(square: Fraction, name: str) -> float:
    """The float nearest to the square root of a rational number.

    >>> nearest_root(Fraction(2), "root")
    1.4142135623730951
    """
    return nearest_float(lambda digits: root_bounds((square, square), digits), name)


def is_at_least(value: Enclosed, threshold: Fraction) -> bool:
    """Whether the enclosed number is at least the threshold.

    If the two are equal, some enclosure must be a single point; else this would never end.

    >>> is_at_least(lambda digits: root_bounds((Fraction(2), Fraction(2)), digits), Fraction(1))
    True
    """
    digits = _FIRST_DIGITS
    while True:
        low, high = value(digits)
        if low >= threshold or high < threshold:
            return low >= threshold
        digits *= 2


def compare_with_roots(a: Fraction, p: Fraction, b: Fraction, q: Fraction) -> int:
    """The sign of (a + √p) − (b + √q), p and q at least 0: decided by squaring twice.

    >>> compare_with_roots(Fraction(1), Fraction(4), Fraction(0), Fraction(9))
    0
    >>> compare_with_roots(Fraction(0), Fraction(2), Fraction(0), Fraction(3))
    -1
    """
    rational, roots = sign(a - b), sign(p - q)
    if rational * roots >= 0:
        return sign(Fraction(rational + roots))
    # The signs differ: compare |a − b| with |√p − √q|, that is 2√(pq) with p + q − (a − b)².
    rest = p + q - (a - b) ** 2
    return rational if rest < 0 else rational * sign(4 * p * q - rest * rest)
