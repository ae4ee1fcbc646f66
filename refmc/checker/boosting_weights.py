"""The distribution D of a boosting run: exact while its digits are few, enclosed after that.

Covers lines 1-3 and 8-10 of [lu, "The AdaBoost.MH Algorithm"].

D is kept in its ratios: what is wrong is multiplied by a factor, what is right stays.  With the vote
weight of the lecture the factor is exp(2 alpha) = (1 - epsilon) / epsilon, which is rational, but its
digits double at each round.  Past `MAX_BITS`, or where the factor isn't rational, numbers are cut to
`KEPT_BITS` and one bound on all errors goes with them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, gcd

from refmc.checker.arithmetic import to_matrix
from refmc.checker.enclosures import Enclosure

MAX_BITS = 100_000  # of an exact weight
KEPT_BITS = 2_048  # of the largest weight after that, and of factors

Table = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Weights:
    """m rows of whole numbers in the ratios of D.

    A weight of 0 is 0; the others lie between the number and the number + `doubt`.
    """

    rows: tuple[tuple[int, ...], ...]
    doubt: int = 0

    @property
    def total(self) -> int:
        return sum(map(sum, self.rows))

    @property
    def slack(self) -> int:
        """What a sum of weights may be larger than that of the numbers."""
        return self.doubt * sum(1 for row in self.rows for v in row if v)

    def share(self, chosen: Sequence[Sequence[bool]]) -> Enclosure:
        """The weight of the chosen items over that of all.

        >>> Weights(((1,), (2,))).share([[True], [False]]).high
        Fraction(1, 3)
        """
        picked = [v for pair in zip(self.rows, chosen, strict=True) for v, c in zip(*pair) if c]
        inside = sum(picked)
        more = self.doubt * sum(map(bool, picked))
        outside = self.total - inside
        wide = outside + self.slack - more
        return Enclosure(
            Fraction(inside, inside + wide), Fraction(inside + more, inside + more + outside)
        )

    def ratio(self, low: int, high: int) -> Enclosure:
        """What lies between two sums of weights, over the weight of all.

        >>> Weights(((1,), (2,))).ratio(1, 2)
        Enclosure(low=Fraction(1, 3), high=Fraction(2, 3))
        """
        ends = (self.total, self.total + self.slack)
        return Enclosure(
            min(Fraction(low, end) for end in ends), max(Fraction(high, end) for end in ends)
        )

    def reweighted(self, wrong: Sequence[Sequence[bool]], factor: Enclosure) -> "Weights":
        """The weights after multiplying those of the wrong items by a factor above 0.

        >>> right = Enclosure(Fraction(2), Fraction(2))
        >>> Weights(((1,), (2,))).reweighted([[True], [False]], right)
        Weights(rows=((1,), (1,)), doubt=0)
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
        largest = max(products)
        doubt = max(largest * (high - low) + self.doubt * high, self.doubt * den)
        return _shortened(Weights(rows, doubt))


def weights_of(shares: Sequence[Sequence[Fraction]]) -> Weights:
    """The weights in the ratios of some numbers; negative ones count as 0.

    >>> weights_of([[Fraction(1, 2)], [Fraction(1, 3)]])
    Weights(rows=((3,), (2,)), doubt=0)
    """
    return _shortened(Weights(to_matrix([[max(v, Fraction(0)) for v in r] for r in shares]).rows))


def _shortened(weights: Weights) -> Weights:
    """Without a common factor, or cut where they are long; what is above 0 stays so."""
    distinct = {v for row in weights.rows for v in row if v}
    longest = max(distinct).bit_length()
    if not weights.doubt and longest <= MAX_BITS:
        common = gcd(*distinct)
        return Weights(tuple(tuple(v // common for v in row) for row in weights.rows))
    cut = min(longest - KEPT_BITS, min(distinct).bit_length() - 1)
    if cut <= 0:
        return weights
    rows = tuple(tuple(v >> cut for v in row) for row in weights.rows)
    return Weights(rows, (weights.doubt >> cut) + 2)
