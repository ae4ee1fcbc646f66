"""Which of two sums of exponential or logistic losses of equally many rational margins is smaller.

    exponential  Σ exp(−z)
    logistic     Σ ln(1 + exp(−z)), of which a term is max(0, −z) + ln(1 + exp(−|z|))

Both losses are strictly decreasing. So if in sorted order no margin of one side is above its
counterpart on the other, the comparison is decided.

Exponentials of different rationals are linearly independent over the rationals (Lindemann and
Weierstrass). So two sums of them are equal only if they have the same terms, each equally often.

The exponential of a sum of logistic losses is exp(q) Π (1 + exp(−a)), where q is Σ max(0, −z) and
the a are the |z|. Let two such products be equal, and cancel the factors that they share.
Multiplied out, each is a sum of exponentials, whose largest exponent is q, with the coefficient 2^n
if n of its a are 0. By the independence both have the same q and n; and n = 0, as zeros on both
sides would have been cancelled. If any a is left, the least one of all is on one side only, which
then has the exponent q − a, and the other side doesn't. So no a is left: the sums are equal only if
q and all a are.

Where the sums may be off by a share of themselves, (1 − share) times the left one is compared with
(1 + share) times the right one.

Sums that are not equal are told apart by enclosures of growing precision.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Literal

from refmc.checker.numbers.enclosures import Enclosure, decay, logistic, point

MOST_BITS = 4_096

Loss = Literal["exponential", "logistic"]

_FIRST_BITS = 64

NOTHING = Fraction(0)


def compare(
    loss: Loss, left: Sequence[Fraction], right: Sequence[Fraction], share: Fraction = NOTHING
) -> int | None:
    """The sign of (1 − share) times the sum over `left` minus (1 + share) times that over `right`.

    None where `MOST_BITS` binary digits don't tell.

    >>> two, one = Fraction(2), Fraction(1)
    >>> compare("exponential", [two, -one], [-one, two]), compare("logistic", [two], [one])
    (0, -1)
    >>> compare("exponential", [one, -one], [Fraction(0), Fraction(0)])
    1
    """
    pairs = list(zip(sorted(left), sorted(right), strict=True))
    if all(a >= b for a, b in pairs) and (share or any(a > b for a, b in pairs)):
        return -1
    if not share and all(a <= b for a, b in pairs):
        return int(any(a < b for a, b in pairs))
    net = _net(left, right, share)
    q = Fraction(0)
    if loss == "logistic":
        q = sum((c * max(Fraction(0), -z) for z, c in net.items()), q)
        net = _net((abs(z) for z in left), (abs(z) for z in right), share)
        if not q and not net:
            return 0
    bits = _FIRST_BITS
    while bits <= MOST_BITS:
        terms = _exponentials(net, bits) if loss == "exponential" else _logarithms(net, q, bits)
        difference = point(q)
        for term, c in terms:
            difference = difference.plus(term.times(c))
        if difference.low > 0 or difference.high < 0:
            return 1 if difference.low > 0 else -1
        bits *= 2
    return None


def _net(
    left: Iterable[Fraction], right: Iterable[Fraction], share: Fraction
) -> dict[Fraction, Fraction]:
    """The coefficient of each number: 1 − share for each time it is on the left, −(1 + share) for
    each time it is on the right; without those that are 0."""
    counts: dict[Fraction, Fraction] = {}
    for numbers, weight in ((left, 1 - share), (right, -1 - share)):
        for z in numbers:
            counts[z] = counts.get(z, NOTHING) + weight
    return {z: c for z, c in counts.items() if c}


def _exponentials(net: dict[Fraction, Fraction], bits: int) -> list[tuple[Enclosure, Fraction]]:
    """Each exp(−z) with its coefficient, divided by the largest of them, which changes no sign."""
    least = min(net)
    return [(decay(z - least, bits), c) for z, c in net.items()]


def _logarithms(
    net: dict[Fraction, Fraction], q: Fraction, bits: int
) -> list[tuple[Enclosure, Fraction]]:
    """Each ln(1 + exp(−a)) with its coefficient.

    Where all a are at least `bits` and q is 0, all of these are divided by exp(−least) for the
    least a, or their difference would be too small to be seen. With x = exp(−a) < 2^−bits then,
    x(1 − x) ≤ ln(1 + x) ≤ x.
    """
    least = min(net, default=Fraction(0))
    if q or least < bits:
        return [(logistic(a, bits), c) for a, c in net.items()]
    scaled = [(decay(a - least, bits), c) for a, c in net.items()]
    rest = 1 - Fraction(1, 1 << bits)
    return [(Enclosure(term.low * rest, term.high), c) for term, c in scaled]
