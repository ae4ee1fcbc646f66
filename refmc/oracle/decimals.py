"""Exponential and logistic losses as decimals, for answers that are given exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from math import ceil
from typing import Any

from refmc.checker.numbers.enclosures import LARGEST_EXPONENT
from refmc.theory.losses import exponential

PLACES = 30
"""Digits behind the point of the irrational losses that are written."""


def writable(margin: Fraction) -> bool:
    """Whether e^(−margin) has few enough digits to be written out."""
    return margin >= -LARGEST_EXPONENT


def near(margins: Sequence[Fraction], loss: Callable[[Any], float]) -> Fraction:
    """The sum of exponential or logistic losses, to `PLACES` decimal digits behind the point.

    >>> from refmc.theory.losses import logistic
    >>> near([Fraction(0)], exponential), float(near([Fraction(0)], logistic))
    (Fraction(1, 1), 0.6931471805599453)
    """
    digits = PLACES + 10 + len(margins) + ceil(max(Fraction(0), -min(margins)) / 2)  # e < 10^(1/2)
    context = Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)
    total = Decimal(0)
    for z in margins:
        power = context.exp(context.divide(Decimal(-z.numerator), Decimal(z.denominator)))
        term = power if loss is exponential else context.ln(context.add(1, power))
        total = context.add(total, term)
    return Fraction(context.quantize(total, Decimal(1).scaleb(-PLACES)))
