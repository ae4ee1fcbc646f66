"""Exponential and logistic losses as decimals, for answers that are given exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import Any

from refmc.checker.numbers.enclosures import LARGEST_EXPONENT
from refmc.theory.losses import exponential

DIGITS = 30
"""Significant digits of the irrational losses that are written."""


def writable(margin: Fraction) -> bool:
    """Whether e^(−margin) has few enough digits to be written out."""
    return margin >= -LARGEST_EXPONENT


def near(margins: Sequence[Fraction], loss: Callable[[Any], float]) -> Fraction:
    """The sum of exponential or logistic losses, to `DIGITS` significant decimal digits.

    >>> from refmc.theory.losses import logistic
    >>> near([Fraction(0)], exponential), float(near([Fraction(0)], logistic))
    (Fraction(1, 1), 0.6931471805599453)
    """
    context = Context(prec=DIGITS + 10 + len(margins), Emax=MAX_EMAX, Emin=MIN_EMIN)
    total = Decimal(0)
    for z in margins:
        term = context.exp(context.divide(Decimal(-z.numerator), Decimal(z.denominator)))
        if loss is not exponential:
            term = _logistic(term, context)
        total = context.add(total, term)
    return Fraction(Context(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN).plus(total))


def _logistic(power: Decimal, context: Context) -> Decimal:
    """ln(1 + p). Of a tiny p it is p itself, to all digits: p − p² ≤ ln(1 + p) ≤ p."""
    if power < Decimal(1).scaleb(-context.prec):
        return power
    wider = Context(prec=2 * context.prec, Emax=MAX_EMAX, Emin=MIN_EMIN)
    return wider.ln(wider.add(1, power))
