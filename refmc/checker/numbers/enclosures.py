"""Exponentials, logarithms and square roots, in rational intervals that are proved to contain them.

A function of a rational number is enclosed to any number of binary digits. A bound on the rest of
the series is added where it is cut off, and every rounding widens the interval.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache
from math import ceil, floor, isqrt, log
from typing import NamedTuple

from refmc.checker.numbers.arithmetic import MAX_DIGITS, sum_of

LARGEST_EXPONENT = floor(MAX_DIGITS * log(10))
"""exp of a larger number has too many digits to be written out."""


class Enclosure(NamedTuple):
    """low ≤ value ≤ high."""

    low: Fraction
    high: Fraction

    def plus(self, other: "Enclosure") -> "Enclosure":
        """The sum.

        >>> Enclosure(Fraction(1), Fraction(2)).plus(point(Fraction(1)))
        Enclosure(low=Fraction(2, 1), high=Fraction(3, 1))
        """
        return Enclosure(self.low + other.low, self.high + other.high)

    def times(self, factor: Fraction) -> "Enclosure":
        """The multiple.

        >>> Enclosure(Fraction(1), Fraction(2)).times(Fraction(-1))
        Enclosure(low=Fraction(-2, 1), high=Fraction(-1, 1))
        """
        ends = (self.low * factor, self.high * factor)
        return Enclosure(min(ends), max(ends))

    def magnitude(self) -> "Enclosure":
        """The absolute value.

        >>> Enclosure(Fraction(-1), Fraction(2)).magnitude()
        Enclosure(low=Fraction(0, 1), high=Fraction(2, 1))
        """
        if self.low.numerator >= 0:
            return self
        return Enclosure(max(Fraction(0), -self.high), max(-self.low, self.high))


def point(value: Fraction) -> Enclosure:
    """One number.

    >>> point(Fraction(1, 2)).high
    Fraction(1, 2)
    """
    return Enclosure(value, value)


def summed(terms: Iterable[Enclosure | None]) -> Enclosure | None:
    """The sum; None where one of the terms is None.

    >>> summed([point(Fraction(1)), Enclosure(Fraction(1), Fraction(2))])
    Enclosure(low=Fraction(2, 1), high=Fraction(3, 1))
    """
    known = []
    for term in terms:
        if term is None:
            return None
        known.append(term)
    return Enclosure(sum_of(low for low, _ in known), sum_of(high for _, high in known))


def exponential(x: Fraction, bits: int) -> Enclosure | None:
    """exp(x), to about `bits` binary digits; None where x is above `LARGEST_EXPONENT`.

    exp(x) is the square of exp(x/2); x is halved until |x| ≤ 1/2. For x below −`LARGEST_EXPONENT`
    the interval is from 0 to 2^−`LARGEST_EXPONENT`.

    >>> found = exponential(Fraction(1), 30)
    >>> found.low < Fraction(2718281829, 10**9) < found.high + Fraction(1, 10**8)
    True
    >>> exponential(Fraction(0), 8)
    Enclosure(low=Fraction(1, 1), high=Fraction(1, 1))
    """
    top, bottom = abs(x.numerator), x.denominator
    is_negative = x.numerator < 0
    if not top:
        return point(Fraction(1))
    if top > LARGEST_EXPONENT * bottom:
        least = Enclosure(Fraction(0), Fraction(1, 1 << LARGEST_EXPONENT))
        return least if is_negative else None
    halvings = ((2 * top - 1) // bottom).bit_length()  # the least that leave at most 1/2
    kept = bits + halvings + 8  # binary digits of both ends; each squaring loses about one
    low, high = _exponential_series(top, bottom << halvings, kept)
    power = -kept  # the ends are low·2^power and high·2^power
    for _ in range(halvings):
        cut = max(0, (high * high).bit_length() - kept)
        low, high, power = low * low >> cut, -(-high * high >> cut), 2 * power + cut
    if is_negative:
        one = 1 << 2 * kept
        low, high, power = one // high, -(-one // low), -power - 2 * kept
    up, down = (1 << power, 1) if power >= 0 else (1, 1 << -power)
    return Enclosure(Fraction(low * up, down), Fraction(high * up, down))


def _exponential_series(top: int, bottom: int, bits: int) -> tuple[int, int]:
    """1 + x + x²/2 + … for 0 ≤ x = top/bottom ≤ 1/2, rounded down and up, in units of 2^−bits."""
    one, n = 1 << bits, 0
    low, high = (top << bits) // bottom, -((-top << bits) // bottom)
    below, above = 0, 0
    lower, upper = one, one  # x^n / n!
    while upper > 1:
        below += lower
        above += upper
        n += 1
        lower = (lower * low >> bits) // n
        upper = -((-upper * high >> bits) // n)
    # each term is at most half of the one before, so what is cut off is at most twice its first
    return below, above + 2


def logarithm_of_one_plus(u: Enclosure, bits: int) -> Enclosure:
    """ln(1 + u) for 0 ≤ u ≤ 1: it is 2 artanh(z) with z = u/(2 + u) ≤ 1/3.

    >>> found = logarithm_of_one_plus(point(Fraction(1)), 20)
    >>> found.low < Fraction(693147180560, 10**12) < found.high
    True
    """
    if u.high == 0:
        return u
    # z = p/(2q + p) where u = p/q
    (p_low, q_low), (p_high, q_high) = u.low.as_integer_ratio(), u.high.as_integer_ratio()
    # more places for a small z, so that it has as many significant digits as a larger one
    places = bits + 16 + (2 * q_high + p_high).bit_length() - p_high.bit_length()
    one = 1 << places
    low, high = one * p_low // (2 * q_low + p_low), -(-one * p_high // (2 * q_high + p_high))
    below, above, n = 0, 0, 1
    lower, upper = low, high  # z^n, rounded down and up
    low_squared, high_squared = low * low, high * high
    while upper > 1:
        below += lower // n
        above += -(-upper // n)
        lower = lower * low_squared >> 2 * places
        upper = -(-upper * high_squared >> 2 * places)
        n += 2
    # z² ≤ 1/9, so what is cut off is at most 9/8 of its first term, and there z^n ≤ 1/one
    return Enclosure(Fraction(2 * below, one), Fraction(2 * (above + 2), one))


@cache
def logarithm_of_2(bits: int) -> Enclosure:
    """ln(2).

    >>> float(logarithm_of_2(60).low)
    0.6931471805599453
    """
    return logarithm_of_one_plus(point(Fraction(1)), bits)


def logarithm(x: Fraction, bits: int) -> Enclosure:
    """ln(x) for x ≥ 1: the logarithm of the power of 2 below x, plus that of the rest.

    >>> found = logarithm(Fraction(10), 20)
    >>> found.low < Fraction(2302585092994, 10**12) < found.high
    True
    """
    power = floor(x).bit_length() - 1
    bits += power.bit_length()
    twos = logarithm_of_2(bits).times(Fraction(power))
    return twos.plus(logarithm_of_one_plus(point(x / 2**power - 1), bits))


def root(square: Enclosure, bits: int) -> Enclosure:
    """The square root of a number of at least 0: exact if it is rational, else to `bits` digits.

    >>> root(point(Fraction(9, 25)), 10)
    Enclosure(low=Fraction(3, 5), high=Fraction(3, 5))
    >>> root(point(Fraction(2)), 2)
    Enclosure(low=Fraction(5, 4), high=Fraction(3, 2))
    """
    low, high = max(Fraction(0), square.low), square.high
    rational = Fraction(isqrt(low.numerator), isqrt(low.denominator))
    if low == high == rational**2:
        return point(rational)
    one = 1 << bits
    below, above = isqrt(floor(low * one * one)), isqrt(ceil(high * one * one))
    return Enclosure(Fraction(below, one), Fraction(above + 1, one))


def logistic(z: Fraction, bits: int) -> Enclosure:
    """ln(1 + exp(−z)), which is max(0, −z) + ln(1 + exp(−|z|)).

    >>> found = logistic(Fraction(0), 20)
    >>> found.low < Fraction(693147180560, 10**12) < found.high
    True
    """
    tail = logarithm_of_one_plus(decay(abs(z), bits), bits)
    return tail if z >= 0 else tail.plus(point(-z))


LOSSES: Mapping[str, Callable[[Fraction, int], Enclosure | None]] = {
    "exponential": lambda z, bits: exponential(-z, bits),
    "logistic": logistic,
}
"""Losses of a margin, each enclosed to so many binary digits."""


def logistic_slope(z: Fraction, bits: int) -> Enclosure:
    """The derivative −1/(1 + exp(z)), which falls to −1 as z falls.

    >>> logistic_slope(Fraction(0), 10)
    Enclosure(low=Fraction(-1, 2), high=Fraction(-1, 2))
    """
    tail = decay(abs(z), bits)
    if z > 0:
        return Enclosure(-tail.high / (1 + tail.high), -tail.low / (1 + tail.low))
    return Enclosure(-1 / (1 + tail.low), -1 / (1 + tail.high))


def decay(a: Fraction, bits: int) -> Enclosure:
    """exp(−a) for a ≥ 0.

    >>> decay(Fraction(0), 10)
    Enclosure(low=Fraction(1, 1), high=Fraction(1, 1))
    """
    found = exponential(-a, bits)
    assert found is not None
    return found
