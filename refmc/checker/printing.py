"""Exact numbers as text, whatever their length or magnitude, and names on one line.

Python refuses to print integers of more than 4,300 digits and floats overflow near 1e308; the
decimal module has neither limit, so every number of a verdict is printed through it.
"""

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, Context, Decimal, Inexact
from fractions import Fraction
from math import inf

LONG = 20  # an exact text of more characters than this is shortened for people

_TWO_DIGITS = Context(prec=2, Emax=MAX_EMAX, Emin=MIN_EMIN)
_MANY_DIGITS = Context(prec=20, Emax=MAX_EMAX, Emin=MIN_EMIN)


def printable(text: str) -> str:
    """The text on one line, with escapes for whatever isn't plain to see in it.

    >>> printable("c\\nVERIFIED \\x1b[1m")
    'c\\\\nVERIFIED \\\\x1b[1m'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def number_text(q: Fraction | int) -> str:
    """The exact number, as an integer or a ratio of any length.

    >>> number_text(Fraction(-7, 18)), number_text(3)
    ('-7/18', '3')
    >>> len(number_text(10**5000))
    5001
    """
    top = format(Decimal(q.numerator), "f")
    return top if q.denominator == 1 else f"{top}/{format(Decimal(q.denominator), 'f')}"


def decimal_text(q: Fraction | int) -> str:
    """Two significant digits and a power of ten, rounded once, half to even.

    >>> decimal_text(Fraction(11, 24)), decimal_text(Fraction(-1250)), decimal_text(0)
    ('4.6e-1', '-1.2e3', '0')
    >>> decimal_text(Fraction(1, 3 * 10**9000))
    '3.3e-9001'
    """
    if q == 0:
        return "0"
    rounded = _TWO_DIGITS.divide(Decimal(q.numerator), Decimal(q.denominator))
    return format(rounded, ".1e").replace("e+", "e")


def root_above_text(q: Fraction) -> str:
    """Two digits of a number that is at least the square root, and hardly above it.

    >>> tuple(map(root_above_text, (Fraction(2), Fraction(1, 400), Fraction(0))))
    ('1.5e0', '5.1e-2', '0')
    """
    if q == 0:
        return "0"
    up = Context(prec=20, rounding=ROUND_CEILING, Emax=MAX_EMAX, Emin=MIN_EMIN)
    square = up.divide(Decimal(q.numerator), Decimal(q.denominator))
    root = up.next_plus(up.sqrt(square))  # sqrt rounds to the nearest, whatever the context says
    two = Context(prec=2, rounding=ROUND_CEILING, Emax=MAX_EMAX, Emin=MIN_EMIN).plus(root)
    return format(two, ".1e").replace("e+", "e")


def short_text(q: Fraction | int, longest: int = LONG) -> str:
    """The exact text where a person can read it, otherwise six digits marked as rounded.

    `longest`: the characters that an exact text may have. A number that is a binary64 may be
    written as the decimal that denotes it, as plain JSON numbers are.

    >>> short_text(Fraction(2, 3)), short_text(Fraction(2, 3**100)), short_text(10**30)
    ('2/3', '~3.88065e-48', '1e30')
    """
    text = number_text(q)
    if len(text) <= longest:
        return text
    plain = binary64_text(q) if q.denominator > 1 else ""
    if plain and len(plain) <= longest:
        return plain
    six_digits = Context(prec=6, Emax=MAX_EMAX, Emin=MIN_EMIN)
    rounded = six_digits.divide(Decimal(q.numerator), Decimal(q.denominator))
    mark = "~" if six_digits.flags[Inexact] else ""
    return mark + format(rounded.normalize(six_digits), "g").replace("e+", "e")


def binary64_text(q: Fraction | int) -> str:
    """The shortest decimal that names the number, if it is a binary64; else "".

    >>> binary64_text(Fraction(0.1)), binary64_text(Fraction(1, 10))
    ('0.1', '')
    """
    try:
        near = float(q)
    except OverflowError:
        return ""
    return repr(near) if Fraction(near) == q else ""


def is_long(q: Fraction | int) -> bool:
    """Whether the exact text is too long for people.

    >>> is_long(Fraction(2, 3)), is_long(Fraction(2, 3**100))
    (False, True)
    """
    return len(number_text(q)) > LONG


def gap_text(q: Fraction | int) -> str:
    """The exact number with its size beside it; one of the two where one says all.

    >>> gap_text(Fraction(11, 24)), gap_text(0), gap_text(Fraction(1, 3**100))
    ('11/24 (4.6e-1)', '0', '1.9e-48')
    """
    if is_long(q):
        return decimal_text(q)
    return number_text(q) if q.denominator == 1 else f"{number_text(q)} ({decimal_text(q)})"


def allowed_text(q: Fraction | int) -> str:
    """A negative power of ten as such, every other number as a person can read it.

    >>> allowed_text(Fraction(1, 10**6)), allowed_text(Fraction(3, 1000)), allowed_text(0)
    ('1e-6', '3/1000', '0')
    """
    bottom = number_text(q.denominator)
    if q.numerator == 1 and q.denominator > 1 and bottom.rstrip("0") == "1":
        return f"1e-{len(bottom) - 1}"
    return short_text(q)


def digits_correct(gap: Fraction, objective: Fraction) -> float | None:
    """-log10(gap / objective) to one decimal, never below 0; infinite where the gap is 0.

    None where the objective is 0 and the gap is not, for no digit can then be counted.

    >>> digits_correct(Fraction(1, 3), Fraction(2, 3)), digits_correct(Fraction(0), Fraction(1))
    (0.3, inf)
    >>> digits_correct(Fraction(1, 10**9000), Fraction(1))
    9000.0
    """
    if gap == 0:
        return inf
    if objective == 0:
        return None
    ratio = abs(objective / gap)
    quotient = _MANY_DIGITS.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    return max(0.0, round(float(_MANY_DIGITS.log10(quotient)), 1))
