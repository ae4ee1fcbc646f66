"""Vote weights and normalisation factors of boosting, exactly and in enclosures.

Covers lines 6 and 7 of [lu, "The AdaBoost.MH Algorithm"].

A vote weight is a rational number plus rational multiples of natural logarithms of rationals. The
multiples add up to the logarithm of an algebraic number, which is transcendental unless that number
is 1 (Lindemann). So the sum is zero only if both parts are, and every sign can be decided.
"""

from dataclasses import dataclass, field
from fractions import Fraction

from refmc.checker.numbers.enclosures import Enclosure, exponential, logarithm_of_2, root
from refmc.checker.numbers.logarithms import LogSum, sign_of, weighted_logs
from refmc.checker.parts import Part, bounded_claim

BITS = 256  # of an enclosure that a claim is compared with


@dataclass(frozen=True, eq=False, slots=True)
class Amount:
    """`rational` + ln 2 times `logs`, for the logarithms of `LogSum` are to base 2.

    >>> natural_log(Fraction(9)).times(Fraction(1, 2)).minus(natural_log(Fraction(3))).sign()
    0
    """

    rational: Fraction = Fraction(0)
    logs: LogSum = field(default_factory=LogSum)

    @property
    def is_rational(self) -> bool:
        return not self.logs.logs and not self.logs.rational

    def plus(self, other: "Amount") -> "Amount":
        logs = self.logs if other.is_rational else self.logs + other.logs
        return Amount(self.rational + other.rational, logs)

    def times(self, factor: Fraction | int) -> "Amount":
        return Amount(self.rational * factor, self.logs * factor)

    def minus(self, other: "Amount") -> "Amount":
        return self.plus(other.times(-1))

    def sign(self) -> int:
        """-1, 0 or 1.

        >>> Amount(Fraction(69, 100)).minus(natural_log(Fraction(2))).sign()
        -1
        """
        of_logs = 0 if self.is_rational else self.logs.sign()
        if not of_logs or not self.rational:
            return of_logs or (self.rational > 0) - (self.rational < 0)
        return sign_of(self.enclosure, lambda: False)

    def side(self, apart: Fraction) -> int:
        """1 above `apart`, -1 below -`apart`, else 0.

        >>> Amount(Fraction(1)).side(Fraction(1)), natural_log(Fraction(1, 3)).side(Fraction(1))
        (0, -1)
        """
        if self.is_rational:
            return (self.rational > apart) - (self.rational < -apart)
        if not apart:
            return self.sign()
        above = self.minus(Amount(apart)).sign() > 0
        return int(above) or -int(self.plus(Amount(apart)).sign() < 0)

    def enclosure(self, bits: int) -> Enclosure:
        """Rational bounds, from logarithms to `bits` binary digits.

        >>> found = natural_log(Fraction(2)).enclosure(20)
        >>> 0 < found.high - Fraction(693147, 10**6) < Fraction(1, 10**6)
        True
        """
        if self.is_rational:
            return Enclosure(self.rational, self.rational)
        unit = logarithm_of_2(bits)
        ends = [end * u for end in self.logs.enclosure(bits) for u in (unit.low, unit.high)]
        return Enclosure(self.rational + min(ends), self.rational + max(ends))


def natural_log(q: Fraction) -> Amount:
    """ln q of a number above 0.

    >>> natural_log(Fraction(1)).sign()
    0
    """
    return Amount(logs=weighted_logs([(1, q.numerator), (-1, q.denominator)]))


def exponential_of(amount: Amount) -> Enclosure | None:
    """exp of an amount; None where it is too large, or too near 0, to be written out.

    >>> exponential_of(Amount())
    Enclosure(low=Fraction(1, 1), high=Fraction(1, 1))
    """
    found = amount.enclosure(BITS)
    low, high = exponential(found.low, BITS), exponential(found.high, BITS)
    return Enclosure(low.low, high.high) if low and high and low.low > 0 else None


def root_of(square: Enclosure) -> Enclosure:
    """The square root of what is enclosed, to `BITS` of its own digits; itself if it is rational.

    >>> root_of(Enclosure(Fraction(4), Fraction(4)))
    Enclosure(low=Fraction(2, 1), high=Fraction(2, 1))
    """
    above, below = square.low.as_integer_ratio()
    return root(square, BITS + max(0, below.bit_length() - above.bit_length()))


def alpha_claim(
    place: str,
    claim: Amount,
    needed: tuple[Amount, Amount],
    allowed: Fraction,
    scale: Fraction,
    subject: str,
) -> Part:
    """A claimed amount against a lower and an upper bound of the right one, which may be one.

    >>> half, one = natural_log(Fraction(9)).times(Fraction(1, 2)), Fraction(1)
    >>> alpha_claim("alpha", natural_log(Fraction(3)), (half, half), Fraction(0), one, "").gap
    Fraction(0, 1)
    >>> wrong = alpha_claim("alpha", Amount(), (half, half), Fraction(0), one, "ln(3)")
    >>> wrong.violations[0].text
    '0, but ln(3) is ~1.09861'
    """
    lower, upper = needed
    if lower is upper and claim.minus(lower).sign() == 0:
        return Part("VERIFIED", Fraction(0), scale=scale)
    mine = claim.enclosure(BITS)
    centre, radius = (mine.low + mine.high) / 2, (mine.high - mine.low) / 2
    low, high = lower.enclosure(BITS).low - radius, upper.enclosure(BITS).high + radius
    return bounded_claim(place, centre, low, high, allowed, (scale, scale), subject)
