"""Which of two sums of exponentials, or of logistic losses, of rational numbers is the smaller.

The distances of [keshet (2)] with exponential or logistic loss are such sums. Nothing is rounded:
whether two sums are equal is decided by a theorem, on whole numbers; if they are not, the sign of
their difference shows at enough digits.

Legend: a, z rational numbers; c, n how often each occurs, left minus right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

Bounds = tuple[Fraction, Fraction]

_FIRST_DIGITS = 20


def compare_exponential_sums(left: Iterable[Fraction], right: Iterable[Fraction]) -> int:
    """The sign of Σ exp(a) over `left` minus Σ exp(a) over `right`.

    It is 0 if and only if each number occurs equally often in both: exponentials of different
    rationals are linearly independent over the rationals (Lindemann and Weierstraß).

    >>> compare_exponential_sums([Fraction(0), Fraction(2)], [Fraction(2), Fraction(0)])
    0
    >>> compare_exponential_sums([Fraction(0), Fraction(0)], [Fraction(1)])
    -1
    """
    counts = _net(left, right)
    if not counts:
        return 0
    top = max(counts)  # divided by exp(top), no term is above 1, and none too large to compute
    return _sign_by_digits(
        lambda digits: _weighted((c, _exp(a - top, digits)) for a, c in counts.items())
    )


def compare_logistic_sums(left: Iterable[Fraction], right: Iterable[Fraction]) -> int:
    """The sign of Σ ln(1 + exp(−z)) over `left` minus the same sum over `right`.

    As ln(1 + exp(−z)) = max(0, −z) + ln(1 + exp(−|z|)), the difference is q + Σ_a n_a ln(1 +
    exp(−a)) with q rational and a ≥ 0. It is 0 if and only if q and every n_a are 0: with T =
    exp(1/N) for a common denominator N, each 1 + T^(−aN), a > 0, has a cyclotomic factor that no
    smaller a has, and neither T nor 2 is a product of the others.

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
    # Without q, all that is left is of the size exp(−a), a the least: however large that a is, its
    # term leads after division by exp(−a).
    base = Fraction(0) if q else min(n)
    return _sign_by_digits(
        lambda digits: _weighted(
            [(1, (q, q)), *((c, _softened(a, base, digits)) for a, c in n.items())]
        )
    )


def _net(left: Iterable[Fraction], right: Iterable[Fraction]) -> dict[Fraction, int]:
    """How much more often each number occurs on the left; none that occurs equally often."""
    counts = Counter(left)
    counts.subtract(right)
    return {a: c for a, c in counts.items() if c}


def _weighted(parts: Iterable[tuple[int, Bounds]]) -> Bounds:
    """Bounds of the sum of numbers, each times a whole number, from their bounds."""
    low = high = Fraction(0)
    for c, (below, above) in parts:
        low += c * (below if c > 0 else above)
        high += c * (above if c > 0 else below)
    return low, high


def _sign_by_digits(bounds: Callable[[int], Bounds]) -> int:
    """The sign of a number other than 0, from bounds that come closer with the digits."""
    digits = _FIRST_DIGITS
    while True:
        low, high = bounds(digits)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
        digits *= 2


def _enclosed(
    function: Callable[[Context, Decimal], Decimal], value: Fraction, digits: int
) -> Bounds:
    """Bounds of exp or ln, as `function`, at the value."""
    low, high = (
        Context(prec=digits + 5, Emax=MAX_EMAX, Emin=MIN_EMIN, rounding=rounding, traps=[])
        for rounding in (ROUND_FLOOR, ROUND_CEILING)
    )
    n, d = Decimal(value.numerator), Decimal(value.denominator)
    below, above = function(low, low.divide(n, d)), function(high, high.divide(n, d))
    # Decimal's exp and ln round to the nearest in every context, so that the neighbours are bounds.
    return Fraction(low.next_minus(below)), Fraction(high.next_plus(above))


def _exp(a: Fraction, digits: int) -> Bounds:
    """Bounds of exp(a), a ≤ 0, which are 10^(2 − digits) apart at most.

    >>> low, high = _exp(Fraction(-1), 5)
    >>> low < Fraction(36787944117144, 10**14) < high
    True
    """
    if a == 0:
        return Fraction(1), Fraction(1)
    if a < -3 * digits:
        return Fraction(0), Fraction(1, 10**digits)
    return _enclosed(Context.exp, a, digits)


def _softened(a: Fraction, base: Fraction, digits: int) -> Bounds:
    """Bounds of exp(base)·ln(1 + exp(−a)), 0 ≤ base ≤ a."""
    lead = _exp(base - a, digits)
    if a > 3 * digits:
        # x(1 − x) ≤ ln(1 + x) ≤ x, and x = exp(−a) is below 10^(−digits)
        return lead[0] * (1 - Fraction(1, 10**digits)), lead[1]
    x = _exp(-a, 3 * digits)
    below = _enclosed(Context.ln, 1 + x[0], 3 * digits)[0]
    above = _enclosed(Context.ln, 1 + x[1], 3 * digits)[1]
    if not base:
        return below, above
    scale = _exp(-base, 3 * digits)  # base ≤ a ≤ 3·digits: far from 0, so that it can divide
    return below / scale[1], above / scale[0]
