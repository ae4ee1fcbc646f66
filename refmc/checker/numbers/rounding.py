"""All numbers that round to a number in binary64."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf, isfinite, nextafter, ulp
from typing import NamedTuple

INSIDE = Fraction(1, 1 << 20)
"""The share of an interval by which a reading stays off an end that rounds to another number."""


UNIT = Fraction(1, 1 << 53)
"""The largest relative error of one operation in binary64."""

MOVES = 16
"""Repaired multipliers are no further apart than so many times the spread of those that are meant
and what one of these was moved by: two repairs of 7 times that, and the spread itself."""


class Rounded(NamedTuple):
    """A number as it was submitted, and the ends of all numbers that it may stand for.

    One that stands for itself alone is both ends.

    >>> Rounded.of(Fraction(1, 3)).width
    Fraction(0, 1)
    """

    value: Fraction
    low: Fraction
    high: Fraction
    closed: bool = True

    @staticmethod
    def of(value: Fraction | int) -> "Rounded":
        """A number that stands for itself."""
        return Rounded(Fraction(value), Fraction(value), Fraction(value))

    @staticmethod
    def of_float(value: float) -> "Rounded":
        """A number in binary64, which stands for all that round to it, half to even.

        >>> Rounded.of_float(1.0).width == Fraction(3, 2**54)
        True
        """
        exact, unit = Fraction(value), Fraction(ulp(value))
        above, below = (nextafter(value, end) for end in (inf, -inf))
        high = exact + (unit if not isfinite(above) else Fraction(above) - exact) / 2
        low = exact - (unit if not isfinite(below) else exact - Fraction(below)) / 2
        return Rounded(exact, low, high, (exact / unit).numerator % 2 == 0)

    @property
    def width(self) -> Fraction:
        """How far apart the ends are."""
        return self.high - self.low

    def holds(self, number: Fraction) -> bool:
        """Whether it may stand for the number.

        >>> Rounded.of_float(0.1).holds(Fraction(1, 10)), Rounded.of(0).holds(Fraction(1, 10))
        (True, False)
        """
        return self.low < number < self.high or (self.closed and number in (self.low, self.high))

    def nearest(self, wanted: Fraction) -> Fraction:
        """The nearest number that it may stand for, or one that is hardly further.

        >>> Rounded.of_float(0.1).nearest(Fraction(1, 10)), Rounded.of(3).nearest(Fraction(1, 10))
        (Fraction(1, 10), Fraction(3, 1))
        """
        if self.low < wanted < self.high:
            return wanted
        end = self.low if wanted <= self.low else self.high
        return end if self.closed else end + (self.value - end) * INSIDE


Box = Mapping[str, Sequence[Sequence[Rounded]]]
"""What the numbers of an answer may stand for, as rows of them by the names of its fields."""
