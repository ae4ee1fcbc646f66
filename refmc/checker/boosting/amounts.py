"""Vote weights and normalisation factors of boosting, exactly and in enclosures.

Covers lines 6 and 7 of [lu, "The AdaBoost.MH Algorithm"].

A vote weight is a rational number plus natural logarithms of rationals.  Such a sum can only be zero
if both parts are, for the logarithm of a rational number other than 1 is transcendental; so every
sign is decided.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt

from refmc.checker.numbers.enclosures import Enclosure, exponential, logarithm_of_one_plus
from refmc.checker.numbers.logarithms import FIRST_BITS, LogSum, log2
from refmc.checker.parts import Part, value_claim

BITS = 256  # of an enclosure that a claim is compared with


@dataclass(frozen=True, eq=False)
class Amount:
    """`rational` + ln 2 times `logs`, for the logarithms of `LogSum` are to base 2.

    >>> natural_log(Fraction(9)).times(Fraction(1, 2)).minus(natural_log(Fraction(3))).sign()
    0
    """

    rational: Fraction = Fraction(0)
    logs: LogSum = field(default_factory=LogSum)

    def plus(self, other: "Amount") -> "Amount":
        return Amount(self.rational + other.rational, self.logs + other.logs)

    def times(self, factor: Fraction | int) -> "Amount":
        return Amount(self.rational * factor, self.logs * factor)

    def minus(self, other: "Amount") -> "Amount":
        return self.plus(other.times(-1))

    def sign(self) -> int:
        """-1, 0 or 1.

        >>> Amount(Fraction(69, 100)).minus(natural_log(Fraction(2))).sign()
        -1
        """
        of_logs = self.logs.sign()
        if not of_logs or not self.rational:
            return of_logs or (self.rational > 0) - (self.rational < 0)
        bits = FIRST_BITS
        while True:
            found = self.enclosure(bits)
            if found.low > 0 or found.high < 0:
                return 1 if found.low > 0 else -1
            bits *= 2

    def enclosure(self, bits: int) -> Enclosure:
        """Rational bounds, from logarithms to `bits` binary digits.

        >>> found = natural_log(Fraction(2)).enclosure(20)
        >>> 0 < found.high - Fraction(693147, 10**6) < Fraction(1, 10**6)
        True
        """
        if not self.logs.logs and not self.logs.rational:
            return Enclosure(self.rational, self.rational)
        unit = logarithm_of_one_plus(Fraction(1), bits)
        ends = [end * u for end in self.logs.enclosure(bits) for u in (unit.low, unit.high)]
        return Enclosure(self.rational + min(ends), self.rational + max(ends))


def natural_log(q: Fraction) -> Amount:
    """ln q of a number above 0.

    >>> natural_log(Fraction(1)).sign()
    0
    """
    return Amount(logs=log2(q.numerator) - log2(q.denominator))


def exponential_of(amount: Amount) -> Enclosure | None:
    """exp of an amount; None where it is too large, or too near 0, to be written out.

    >>> exponential_of(Amount())
    Enclosure(low=Fraction(1, 1), high=Fraction(1, 1))
    """
    found = amount.enclosure(BITS)
    low, high = exponential(found.low, BITS), exponential(found.high, BITS)
    return Enclosure(low.low, high.high) if low and high and low.low > 0 else None


def root(q: Fraction) -> Fraction | None:
    """The square root of a number of at least 0, if it is rational.

    >>> root(Fraction(9, 25)), root(Fraction(2))
    (Fraction(3, 5), None)
    """
    top, bottom = isqrt(q.numerator), isqrt(q.denominator)
    return Fraction(top, bottom) if (top**2, bottom**2) == (q.numerator, q.denominator) else None


def root_of(square: Enclosure) -> Enclosure:
    """The square root of what is enclosed, to `BITS` binary digits; exactly where it is rational.

    >>> root_of(Enclosure(Fraction(4), Fraction(4)))
    Enclosure(low=Fraction(2, 1), high=Fraction(2, 1))
    """
    exact = root(square.low) if square.low == square.high else None
    if exact is not None:
        return Enclosure(exact, exact)
    return Enclosure(_root_below(square.low), _root_below(square.high) + Fraction(1, 1 << BITS))


def _root_below(q: Fraction) -> Fraction:
    return Fraction(isqrt((q.numerator << 2 * BITS) // q.denominator), 1 << BITS)


def alpha_claim(
    place: str, claim: Amount, needed: tuple[Amount, Amount], allowed: Fraction, subject: str
) -> Part:
    """A claimed amount against a lower and an upper bound of the right one, which may be one.

    >>> half = natural_log(Fraction(9)).times(Fraction(1, 2))
    >>> alpha_claim("alpha", natural_log(Fraction(3)), (half, half), Fraction(0), "").gap
    Fraction(0, 1)
    >>> alpha_claim("alpha", Amount(), (half, half), Fraction(0), "ln(3)").violations[0].text
    '0, but ln(3) is ~1.09861'
    """
    lower, upper = needed
    if lower is upper and claim.minus(lower).sign() == 0:
        return Part("VERIFIED", Fraction(0))
    mine = claim.enclosure(BITS)
    centre, radius = (mine.low + mine.high) / 2, (mine.high - mine.low) / 2
    low, high = lower.enclosure(BITS).low - radius, upper.enclosure(BITS).high + radius
    return value_claim(place, centre, low, high, allowed, subject)
