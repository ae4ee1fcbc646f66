"""Which of two sums of exponentials, or of logistic losses, of rational numbers is the smaller.

The distances of [keshet (2)] with exponential or logistic loss are such sums. Nothing is rounded:
whether two sums are equal is decided by a theorem, on whole numbers; if they are not, the sign of
their difference shows at enough digits.

Legend: a, z rational numbers; c, n how often each occurs, left minus right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from decimal import Context
from fractions import Fraction

from refmc.core.logs import Bounds, enclosed, sign_by_digits, weighted


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
    return sign_by_digits(
        lambda digits: weighted((c, _exp(a - top, digits)) for a, c in counts.items())
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
    return sign_by_digits(
        lambda digits: weighted(
            [(1, (q, q)), *((c, _softened(a, base, digits)) for a, c in n.items())]
        )
    )


def _net(left: Iterable[Fraction], right: Iterable[Fraction]) -> dict[Fraction, int]:
    """How much more often each number occurs on the left; none that occurs equally often."""
    counts = Counter(left)
    counts.subtract(right)
    return {a: c for a, c in counts.items() if c}


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
    return enclosed(Context.exp, a, digits)


def _softened(a: Fraction, base: Fraction, digits: int) -> Bounds:
    """Bounds of exp(base)·ln(1 + exp(−a)), 0 ≤ base ≤ a."""
    lead = _exp(base - a, digits)
    if a > 3 * digits:
        # x(1 − x) ≤ ln(1 + x) ≤ x, and x = exp(−a) is below 10^(−digits)
        return lead[0] * (1 - Fraction(1, 10**digits)), lead[1]
    x = _exp(-a, 3 * digits)
    below = enclosed(Context.ln, 1 + x[0], 3 * digits)[0]
    above = enclosed(Context.ln, 1 + x[1], 3 * digits)[1]
    if not base:
        return below, above
    scale = _exp(-base, 3 * digits)  # base ≤ a ≤ 3·digits: far from 0, so that it can divide
    return below / scale[1], above / scale[0]
