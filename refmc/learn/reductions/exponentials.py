"""Signs of sums of exponentials, and of logistic losses, of rational numbers: never rounded.

The distances of [keshet (2)] with exponential or logistic loss are such sums, and which of two is
the smaller is the sign of their difference. Whether that is 0 is decided by a theorem, on whole
numbers; if it is not, its sign shows at enough digits.

Legend: a, z rational numbers; c, n whole multiplicities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

Bounds = tuple[Fraction, Fraction]

_FIRST_DIGITS = 20


def compare_exponential_sums(left: Iterable[Fraction], right: Iterable[Fraction]) -> int:
    """The sign of Σ exp(a) over `left` minus Σ exp(a) over `right`.

    It is 0 if and only if both hold the same numbers, each as often: exponentials of different
    rationals are linearly independent over the rationals (Lindemann and Weierstraß).

    >>> compare_exponential_sums([Fraction(0), Fraction(2)], [Fraction(2), Fraction(0)])
    0
    >>> compare_exponential_sums([Fraction(0), Fraction(0)], [Fraction(1)])
    -1
    """
    counts = _net(left, right)
    if not counts:
        return 0
    top = max(counts)  # all that is left over is at most 1 after division by exp(top)
    gaps = {top - a: c for a, c in counts.items()}
    digits = _FIRST_DIGITS
    while True:
        found = _sign_of_bounds(_weighted((c, _exp(-gap, digits)) for gap, c in gaps.items()))
        if found:
            return found
        digits *= 2


def compare_logistic_sums(left: Iterable[Fraction], right: Iterable[Fraction]) -> int:
    """The sign of Σ ln(1 + exp(−z)) over `left` minus the same sum over `right`.

    As ln(1 + exp(−z)) = max(0, −z) + ln(1 + exp(−|z|)), the difference is q + Σ_a n_a ln(1 +
    exp(−a)) with q rational and a ≥ 0. It is 0 if and only if q and every n_a are: with T =
    exp(1/N) for a common denominator N, each 1 + T^(−aN), a > 0, has a cyclotomic factor that none
    of a smaller a has, and neither of T and 2 is a product of the others.

    >>> compare_logistic_sums([Fraction(1), Fraction(-3)], [Fraction(-1), Fraction(3)])
    1
    >>> compare_logistic_sums([Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)])
    0
    >>> compare_logistic_sums([Fraction(-1)], [Fraction(0), Fraction(0)])  # ln(1 + e) and 2 ln 2
    -1
    """
    counts = _net(left, right)
    q = sum((c * -z for z, c in counts.items() if z < 0), Fraction(0))
    sizes: Counter[Fraction] = Counter()
    for z, c in counts.items():
        sizes[abs(z)] += c
    n = {a: c for a, c in sizes.items() if c}
    if not q and not n:
        return 0
    # Where the rational part and ln 2 have no part in it, the least a leads, however large it is.
    base = min(n) if not q and 0 not in n else Fraction(0)
    digits = _FIRST_DIGITS
    while True:
        parts = [(c, _softened(a, base, digits)) for a, c in n.items()]
        found = _sign_of_bounds(_weighted([(1, (q, q)), *parts]))
        if found:
            return found
        digits *= 2


def _net(left: Iterable[Fraction], right: Iterable[Fraction]) -> dict[Fraction, int]:
    counts = Counter(left)
    counts.subtract(right)
    return {a: c for a, c in counts.items() if c}


def _weighted(parts: Iterable[tuple[int, Bounds]]) -> Bounds:
    low = high = Fraction(0)
    for c, (below, above) in parts:
        low += c * (below if c > 0 else above)
        high += c * (above if c > 0 else below)
    return low, high


def _sign_of_bounds(bounds: Bounds) -> int:
    """The sign, or 0 where the bounds don't tell."""
    low, high = bounds
    return int(low > 0) - int(high < 0)


def _context(digits: int, rounding: str) -> Context:
    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN, rounding=rounding, traps=[])


def _exp(a: Fraction, digits: int) -> Bounds:
    """Bounds of exp(a), a ≤ 0, that are 10^(2 − digits) apart at most.

    >>> low, high = _exp(Fraction(-1), 5)
    >>> low < Fraction(36787944117144, 10**14) < high
    True
    """
    if a == 0:
        return Fraction(1), Fraction(1)
    if a < -3 * digits:
        return Fraction(0), Fraction(1, 10**digits)
    ends = []
    for rounding in (ROUND_FLOOR, ROUND_CEILING):
        context = _context(digits + 5, rounding)
        power = context.exp(context.divide(Decimal(a.numerator), Decimal(a.denominator)))
        # exp itself rounds to nearest, so the neighbour is a bound
        is_low = rounding == ROUND_FLOOR
        ends.append(Fraction(context.next_minus(power) if is_low else context.next_plus(power)))
    return ends[0], ends[1]


def _softened(a: Fraction, base: Fraction, digits: int) -> Bounds:
    """Bounds of exp(base)·ln(1 + exp(−a)), 0 ≤ base ≤ a."""
    lead = _exp(base - a, digits)
    if a > 3 * digits:
        # x(1 − x) ≤ ln(1 + x) ≤ x, and x = exp(−a) is below 10^(−digits)
        return lead[0] * (1 - Fraction(1, 10**digits)), lead[1]
    x = _exp(-a, 3 * digits)
    below, above = _ln(1 + x[0], 3 * digits)[0], _ln(1 + x[1], 3 * digits)[1]
    if not base:
        return below, above
    scale = _exp(-base, 3 * digits)  # base ≤ a ≤ 3·digits: far from 0, so that it can divide
    return below / scale[1], above / scale[0]


def _ln(value: Fraction, digits: int) -> Bounds:
    """Bounds of ln(value), 1 ≤ value ≤ 3."""
    ends = []
    for rounding in (ROUND_FLOOR, ROUND_CEILING):
        context = _context(digits + 5, rounding)
        log = context.ln(context.divide(Decimal(value.numerator), Decimal(value.denominator)))
        is_low = rounding == ROUND_FLOOR
        ends.append(Fraction(context.next_minus(log) if is_low else context.next_plus(log)))
    return max(Fraction(0), ends[0]), ends[1]
