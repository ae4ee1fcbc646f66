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


def writable(margin: Fraction, loss: Callable[[Any], float] = exponential) -> bool:
    """Whether the loss of a margin has few enough digits to be written out.

    >>> from refmc.theory.losses import logistic
    >>> writable(Fraction(-10**7), logistic), writable(Fraction(-10**7))
    (True, False)
    """
    return loss is not exponential or margin >= -LARGEST_EXPONENT


def near(margins: Sequence[Fraction], loss: Callable[[Any], float]) -> Fraction:
    """The sum of exponential or logistic losses, to `DIGITS` significant decimal digits.

    A loss of e^−`LARGEST_EXPONENT` or less, which takes thousands of digits as a ratio, counts 0.

    >>> from refmc.theory.losses import logistic
    >>> near([Fraction(0)], exponential), float(near([Fraction(0)], logistic))
    (Fraction(1, 1), 0.6931471805599453)
    """
    context = Context(prec=DIGITS + 10 + len(margins), Emax=MAX_EMAX, Emin=MIN_EMIN)
    wider = Context(prec=2 * context.prec, Emax=MAX_EMAX, Emin=MIN_EMIN)
    total = Decimal(0)
    for z in margins:
        if z > LARGEST_EXPONENT:
            continue
        exponent = context.divide(Decimal(-z.numerator), Decimal(z.denominator))
        if loss is exponential:
            total = context.add(total, context.exp(exponent))
        else:  # ln(1 + e^v) = max(0, v) + ln(1 + e^(−|v|)), where no power is large
            tail = context.exp(exponent.copy_abs().copy_negate())
            if tail >= Decimal(1).scaleb(-context.prec):  # else p − p² ≤ ln(1 + p) ≤ p is p itself
                tail = wider.ln(wider.add(1, tail))
            total = context.add(total, context.add(max(Decimal(0), exponent), tail))
    return Fraction(Context(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN).plus(total))
