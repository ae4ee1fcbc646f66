"""The distribution D of a boosting run: exact while its digits are few, enclosed after that.

Covers lines 1–3 and 8–10 of [lu, "The AdaBoost.MH Algorithm"].

D is kept up to a common factor: the weights of wrong items are multiplied by a number, and the
others stay. With the vote weight of the lecture that number is exp(2α) = (1 − ε)/ε, which is
rational, but its digits double at each round. Past `MAX_BITS`, or where the number is irrational,
the weights are cut so that the least one keeps `KEPT_BITS` digits, and one bound on the relative
errors of all weights is kept with them.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor, gcd
from typing import NamedTuple

from refmc.checker.numbers.arithmetic import MAX_BITS, to_matrix
from refmc.checker.numbers.enclosures import Enclosure

KEPT_BITS = 512  # of the least weight after that, and of factors

Table = Sequence[Sequence[int]]


class Weights(NamedTuple):
    """m rows of whole numbers in the ratios of D.

    A weight of 0 is 0; the others lie between the number and the number times 1 + `error`.
    """

    rows: tuple[tuple[int, ...], ...]
    error: Fraction = Fraction(0)

    @property
    def total(self) -> int:
        return sum(map(sum, self.rows))

    @property
    def bits(self) -> int:
        """The binary digits of the largest weight."""
        return max(map(max, self.rows)).bit_length()

    def share(self, chosen: Sequence[Sequence[bool]]) -> Enclosure:
        """The weight of the chosen items over that of all.

        >>> Weights(((1,), (2,))).share([[True], [False]]).high
        Fraction(1, 3)
        """
        inside = sum(v for pair in zip(self.rows, chosen, strict=True) for v, c in zip(*pair) if c)
        outside, wide = self.total - inside, 1 + self.error
        return Enclosure(
            Fraction(inside) / (inside + outside * wide), inside * wide / (inside * wide + outside)
        )

    def edge(self, difference: int) -> Enclosure:
        """The sum of all weights with signs (`difference`), divided by that without signs.

        >>> Weights(((1,), (2,))).edge(1)
        Enclosure(low=Fraction(1, 3), high=Fraction(1, 3))
        """
        total = self.total
        ends = (total, total * (1 + self.error))
        low, high = difference - total * self.error, difference + total * self.error
        return Enclosure(min(low / end for end in ends), max(high / end for end in ends))

    def reweighted(self, wrong: Sequence[Sequence[bool]], factor: Enclosure) -> "Weights":
        """The weights after multiplying those of the wrong items by a factor above 0.

        >>> right = Enclosure(Fraction(2), Fraction(2))
        >>> Weights(((1,), (2,))).reweighted([[True], [False]], right)
        Weights(rows=((1,), (1,)), error=Fraction(0, 1))
        """
        if factor.low == factor.high:
            low, high, den = factor.low.numerator, factor.low.numerator, factor.low.denominator
        else:
            below_1 = factor.low.denominator.bit_length() - factor.low.numerator.bit_length()
            den = 1 << KEPT_BITS + max(0, below_1)
            low, high = floor(factor.low * den), ceil(factor.high * den)
        products = {v: (v * den, v * low) for v in {v for row in self.rows for v in row}}
        rows = tuple(
            tuple(products[v][is_wrong] for v, is_wrong in zip(*pair))
            for pair in zip(self.rows, wrong, strict=True)
        )
        return _shortened(Weights(rows, (1 + self.error) * Fraction(high, low) - 1))


def weights_of(shares: Sequence[Sequence[Fraction]]) -> Weights:
    """The weights in the ratios of some numbers; negative ones count as 0.

    >>> weights_of([[Fraction(1, 2)], [Fraction(1, 3)]])
    Weights(rows=((3,), (2,)), error=Fraction(0, 1))
    """
    return _shortened(Weights(to_matrix([[max(v, Fraction(0)) for v in r] for r in shares]).rows))


def _shortened(weights: Weights) -> Weights:
    """The weights without a common factor while they are exact and short; else cut, so that the
    least one keeps `KEPT_BITS` digits and `error` covers what is cut off."""
    distinct = {v for row in weights.rows for v in row if v}
    if not weights.error and max(distinct).bit_length() <= MAX_BITS:
        common = gcd(*distinct)
        return Weights(tuple(tuple(v // common for v in row) for row in weights.rows))
    cut = max(0, min(distinct).bit_length() - KEPT_BITS)
    rows = tuple(tuple(v >> cut for v in row) for row in weights.rows)
    lost = Fraction(2, 1 << KEPT_BITS) if cut else 0
    unit = 1 << 2 * KEPT_BITS
    return Weights(rows, Fraction(ceil(((1 + weights.error) * (1 + lost) - 1) * unit), unit))
