"""Intervals whose ends may be infinite: the biases that are optimal, or that a claim admits."""

from fractions import Fraction
from typing import NamedTuple

End = Fraction | None
"""One of an interval; None is infinite."""


class Interval(NamedTuple):
    """All numbers from low to high."""

    low: End
    high: End

    def is_empty(self) -> bool:
        """Whether no number is in it.

        >>> Interval(Fraction(2), Fraction(1)).is_empty(), Interval(None, Fraction(1)).is_empty()
        (True, False)
        """
        return self.low is not None and self.high is not None and self.low > self.high

    def middle(self) -> Fraction:
        """The number halfway between the ends, also of an empty interval.

        Where only one end is finite it is that end, and where none is, 0.

        >>> Interval(Fraction(1), Fraction(2)).middle(), Interval(None, Fraction(2)).middle()
        (Fraction(3, 2), Fraction(2, 1))
        """
        if self.low is None or self.high is None:
            return self.low or self.high or Fraction(0)
        return (self.low + self.high) / 2

    def closest(self, other: "Interval") -> Fraction:
        """The member that is nearest to the other interval, in the middle of both where they meet.

        >>> Interval(None, Fraction(2)).closest(Interval(Fraction(5), None))
        Fraction(2, 1)
        """
        common = meet(self, other)
        if not common.is_empty():
            return common.middle()
        if self.high is not None and other.low is not None and self.high < other.low:
            return self.high
        assert self.low is not None  # for they don't meet
        return self.low


def meet(*intervals: Interval) -> Interval:
    """What lies in all of the intervals; all numbers, where there are none.

    >>> meet(Interval(None, Fraction(2)), Interval(Fraction(1), None))
    Interval(low=Fraction(1, 1), high=Fraction(2, 1))
    """
    lows = [interval.low for interval in intervals if interval.low is not None]
    highs = [interval.high for interval in intervals if interval.high is not None]
    return Interval(max(lows, default=None), min(highs, default=None))


def half_line(end: Fraction, sign: int) -> Interval:
    """All numbers from the end on for a positive sign, all up to it for a negative one.

    >>> half_line(Fraction(2), -1)
    Interval(low=None, high=Fraction(2, 1))
    """
    return Interval(end, None) if sign > 0 else Interval(None, end)
