"""Exact logarithms: sums of rational multiples of logarithms of positive rationals.

An entropy is such a sum, and so is the weight ½ ln((1 − ε)/ε) of a boosted classifier. Two of
them are compared without rounding: floats with an error bound decide nearly always; where they
can't, a sum is zero if and only if every exponent over a common coprime base is zero, and a sum
that isn't zero shows its sign at enough digits. Powers such as n^n are never written out.

Legend: a value is Σ_n c_n·log(n) with whole n ≥ 2 and rational c_n ≠ 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import total_ordering
from typing import Final

from refmc.core.scalars import number_text, shown
from refmc.errors import MixedArithmeticError, ParameterError

Rational = int | Fraction
Bounds = tuple[Fraction, Fraction]

_LN_2: Final = math.log(2)

_ROUNDOFF: Final = 2.0**-48
"""Relative error of c·ln(n) in floats, with room: three roundings of 2^-53 and libm's few ulps."""

_UNDERFLOW: Final = 2.0**-1000
"""At least the absolute error of coefficients that are too small for floats."""


@total_ordering
class Log:
    """Σ c·log(q) over `terms`, pairs of a positive rational q and a rational c.

    `base` is 2 (the value is in bits) or None (natural logarithms). Values of one base are added,
    subtracted, scaled by rationals, compared, hashed; to base 2 the rationals themselves are
    such values, so they may stand beside them. Two values are equal if and only if they are the
    same real number. `float(x)` is the nearest float. Raises `ParameterError` for q ≤ 0 and
    `MixedArithmeticError` where two bases meet. Cost of a comparison: linear in the terms; where
    floats can't decide, quadratic gcds.

    >>> Log([(9, 1)], base=2) == 2 * Log([(3, 1)], base=2), Log([(8, 1)], base=2) == 3
    (True, True)
    """

    __slots__ = ("_near", "_powers", "base")

    base: int | None
    _powers: dict[int, Fraction]
    _near: tuple[float, float] | None

    def __init__(
        self,
        terms: Iterable[tuple[Rational, Rational]] | Mapping[Rational, Rational] = (),
        base: int | None = None,
    ) -> None:
        if base not in (None, 2):
            raise ParameterError(f"base: expected 2, or None for e, got {shown(base)}")
        self.base = base
        self._near = None
        self._powers = {}
        for q, c in terms.items() if isinstance(terms, Mapping) else terms:
            if not isinstance(q, (int, Fraction)) or not isinstance(c, (int, Fraction)):
                raise ParameterError(f"expected a whole number or Fraction, got {shown((q, c))}")
            if q <= 0:
                raise ParameterError(f"log of {shown(q)}: expected a positive number")
            _add(self._powers, q.numerator, Fraction(c))
            _add(self._powers, q.denominator, -Fraction(c))

    @property
    def terms(self) -> tuple[tuple[int, Fraction], ...]:
        """Pairs (n, c) with value Σ c·log(n); equal values can have different pairs."""
        return tuple(sorted(self._powers.items()))

    def rational(self) -> Fraction | None:
        """The value if it is rational, else None: to base 2, multiples of log 2; to e, only 0.

        >>> Log([(4, Fraction(1, 3))], base=2).rational(), Log([(3, 1)], base=2).rational()
        (Fraction(2, 3), None)
        """
        exponents = _exponents(self._powers, 2 if self.base == 2 else 1)
        value = exponents.pop(2, Fraction(0)) if self.base == 2 else Fraction(0)
        return None if any(exponents.values()) else value

    def sign(self) -> int:
        """−1, 0 or +1, exactly."""
        return _sign(self._powers, Fraction(0))

    def __bool__(self) -> bool:
        return self.sign() != 0

    def __float__(self) -> float:
        digits = 40
        while True:
            low, high = self.enclosure(digits)
            if float(low) == float(high):
                return float(low)
            if digits > 100:
                exact = self.rational()
                if exact is not None:
                    return float(exact)
            digits *= 2

    def enclosure(self, digits: int) -> tuple[Fraction, Fraction]:
        """Rational bounds of the value, made of logarithms of so many decimal digits.

        >>> low, high = Log([(2, 1)]).enclosure(10)
        >>> low < Fraction(693147180559945309417, 10**21) < high, high - low < Fraction(1, 10**9)
        (True, True)
        """
        low, high = _enclosure(self._powers, Fraction(0), digits)
        if self.base is None:
            return low, high
        below, above = enclosed(Context.ln, 2, digits)
        return low / (above if low > 0 else below), high / (below if high > 0 else above)

    def bounds(self) -> tuple[float, float]:
        """Floats below and above the value, quickly; infinite where floats don't reach.

        >>> low, high = Log([(3, 1)], base=2).bounds()
        >>> low < 1.584962500721156 < high, high - low < 1e-13
        (True, True)
        """
        if self._near is None:
            value, error = _float_sum(self._powers)
            if self.base == 2:
                value, error = value / _LN_2, 2 * error
            self._near = value - error, value + error
        return self._near

    def __add__(self, other: Log | Rational) -> Log:
        powers = self._lifted(other)
        if powers is None:
            return NotImplemented
        result = Log((), self.base)
        result._powers = dict(self._powers)
        for n, c in powers.items():
            _add(result._powers, n, c)
        return result

    __radd__ = __add__

    def __sub__(self, other: Log | Rational) -> Log:
        return self + -other

    def __rsub__(self, other: Rational) -> Log:
        return -self + other

    def _lifted(self, other: object) -> dict[int, Fraction] | None:
        """The powers of a value that can be added to a `Log`; None for any other value."""
        if isinstance(other, Log):
            if other.base != self.base:
                raise MixedArithmeticError("a logarithm to base 2 beside a natural one")
            return other._powers
        if not isinstance(other, (int, Fraction)) or (other and self.base != 2):
            return None
        return {2: Fraction(other)} if other else {}

    def __mul__(self, factor: Rational) -> Log:
        if not isinstance(factor, (int, Fraction)):
            return NotImplemented
        result = Log((), self.base)
        if factor:
            result._powers = {n: c * factor for n, c in self._powers.items()}
        return result

    __rmul__ = __mul__

    def __truediv__(self, divisor: Rational) -> Log:
        if not isinstance(divisor, (int, Fraction)):
            return NotImplemented
        return self * (1 / Fraction(divisor))

    def __neg__(self) -> Log:
        return self * -1

    def __pos__(self) -> Log:
        return self

    def __abs__(self) -> Log:
        return -self if self.sign() < 0 else self

    def _compare(self, other: object) -> int | None:
        """The sign of self − other; None for what has no order with it."""
        if isinstance(other, Log):
            if self.base == other.base:
                (low, high), (other_low, other_high) = self.bounds(), other.bounds()
                if low > other_high or high < other_low:
                    return 1 if low > other_high else -1
            return (self - other).sign()
        if isinstance(other, float):
            if not math.isfinite(other):
                return None if math.isnan(other) else (-1 if other > 0 else 1)
            other = Fraction(other)
        if not isinstance(other, (int, Fraction)):
            return None
        if self.base == 2:
            return (self - other).sign()
        return _sign(self._powers, -Fraction(other))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Log) and other.base != self.base:
            return not self and not other
        order = self._compare(other)
        return NotImplemented if order is None else order == 0

    def __lt__(self, other: Log | Rational | float) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order < 0

    def __hash__(self) -> int:
        exact = self.rational()
        return hash(float(self) if exact is None else exact)

    def __reduce__(self) -> tuple[type[Log], tuple[tuple[tuple[int, Fraction], ...], int | None]]:
        return Log, (self.terms, self.base)

    def __repr__(self) -> str:
        inside = ", ".join(f"({n}, {c!r})" for n, c in _factored(self._powers))
        return f"Log([{inside}], base={self.base})"

    def __str__(self) -> str:
        name = "log2" if self.base == 2 else "ln"
        parts = []
        for n, c in _factored(self._powers):
            size = number_text(abs(c))
            if self.base != 2 or n != 2:
                size = f"{name}({n})" if abs(c) == 1 else f"{size}·{name}({n})"
            parts.append(("-" if c < 0 else "+", size))
        if not parts:
            return "0"
        (sign, size), rest = parts[0], parts[1:]
        return sign.strip("+") + size + "".join(f" {sign} {size}" for sign, size in rest)


def _add(powers: dict[int, Fraction], n: int, c: Fraction) -> None:
    if n == 1 or not c:
        return
    present = powers.get(n)
    total = c if present is None else present + c
    if total:
        powers[n] = total
    else:
        del powers[n]


def _sign(powers: Mapping[int, Fraction], shift: Fraction) -> int:
    """The sign of Σ c·ln(n) + shift: floats, then the test for zero, then digits."""
    if not powers:
        return (shift > 0) - (shift < 0)
    value, error = _float_sum(powers)
    if not shift and abs(value) > error:
        return 1 if value > 0 else -1
    # With a shift the value isn't 0: by Lindemann's theorem a sum of logarithms of rationals is no
    # rational other than 0, and a sum that is 0 leaves the shift.
    if not shift and not any(_exponents(powers, 1).values()):
        return 0
    return sign_by_digits(lambda digits: _enclosure(powers, shift, digits))


def _float_sum(powers: Mapping[int, Fraction]) -> tuple[float, float]:
    """Σ c·ln(n) in floats and a bound on its error, infinite beyond the range of floats."""
    try:
        parts = [float(c) * math.log(n) for n, c in powers.items()]
        size = math.fsum(map(abs, parts))
    except OverflowError:  # fsum raises it, too, where the sum of finite numbers is infinite
        return 0.0, math.inf
    if not math.isfinite(size):
        return 0.0, math.inf
    return math.fsum(parts), size * _ROUNDOFF + _UNDERFLOW


def _enclosure(powers: Mapping[int, Fraction], shift: Fraction, digits: int) -> Bounds:
    """Bounds of Σ c·ln(n) + shift, with logarithms of so many decimal digits."""
    logs = [(c, enclosed(Context.ln, n, digits)) for n, c in powers.items()]
    return weighted([(1, (shift, shift)), *logs])


def weighted(parts: Iterable[tuple[Rational, Bounds]]) -> Bounds:
    """Bounds of the sum of numbers, each times a rational, from their bounds.

    >>> weighted([(-1, (Fraction(2), Fraction(3))), (2, (Fraction(0), Fraction(1)))])
    (Fraction(-3, 1), Fraction(0, 1))
    """
    low = high = Fraction(0)
    for c, (below, above) in parts:
        low += c * (below if c > 0 else above)
        high += c * (above if c > 0 else below)
    return low, high


def sign_by_digits(bounds: Callable[[int], Bounds]) -> int:
    """The sign of a number other than 0, from bounds that come closer with the digits.

    >>> sign_by_digits(lambda digits: (-Fraction(1, digits), Fraction(1, digits) - Fraction(1, 90)))
    -1
    """
    digits = 40
    while True:
        low, high = bounds(digits)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
        digits *= 2


def enclosed(
    function: Callable[[Context, Decimal], Decimal], value: Rational, digits: int
) -> Bounds:
    """Bounds of the exponential or logarithm of a number, to so many decimal digits.

    >>> low, high = enclosed(Context.exp, -1, 10)
    >>> low < Fraction(36787944117144232159552, 10**23) < high, high - low < Fraction(1, 10**9)
    (True, True)
    """
    low, high = (
        Context(prec=digits + 5, Emax=MAX_EMAX, Emin=MIN_EMIN, rounding=rounding, traps=[])
        for rounding in (ROUND_FLOOR, ROUND_CEILING)
    )
    n, d = Decimal(value.numerator), Decimal(value.denominator)
    below, above = function(low, low.divide(n, d)), function(high, high.divide(n, d))
    # Decimal's exp and ln round to the nearest in every context, so that the neighbours are bounds.
    return Fraction(low.next_minus(below)), Fraction(high.next_plus(above))


def _exponents(powers: Mapping[int, Fraction], given: int) -> dict[int, Fraction]:
    """The exponents over a coprime base, in which a prime `given` (or 1) stands by itself.

    Numbers above 1 that are coprime in pairs are multiplicatively independent, so Π n^c = 1 if
    and only if every exponent is 0.
    """
    base = list(coprime_base([*powers, given]))
    exponents = dict.fromkeys(base, Fraction(0))
    for n, c in powers.items():
        for b in base:
            n, power = without_factor(n, b)
            exponents[b] += c * power
    return exponents


def coprime_base(numbers: Iterable[int]) -> list[int]:
    """Numbers above 1, coprime in pairs, of which each of `numbers` is a product of powers.

    >>> sorted(coprime_base([12, 18]))
    [2, 3]
    """
    base: list[int] = []
    waiting = [n for n in numbers if n > 1]
    while waiting:
        n = waiting.pop()
        for position, b in enumerate(base):
            n = without_factor(n, b)[0]
            g = math.gcd(n, b)
            if g > 1:
                del base[position]
                waiting += [part for part in (without_factor(b, g)[0], n, g) if part > 1]
                break
        else:
            if n > 1:
                base.append(n)
    return base


def without_factor(n: int, b: int) -> tuple[int, int]:
    """n without its factors b, and how many there were, by repeated squaring: they may be many.

    >>> without_factor(24, 2)
    (3, 3)
    """
    if n % b:
        return n, 0
    squares = [b]
    while 2 * squares[-1].bit_length() <= n.bit_length() + 1:
        squares.append(squares[-1] ** 2)
    power = 0
    for level in reversed(range(len(squares))):
        quotient, remainder = divmod(n, squares[level])
        if not remainder:
            n = quotient
            power += 1 << level
    return n, power


def _factored(powers: Mapping[int, Fraction]) -> Iterator[tuple[int, Fraction]]:
    """The sum over primes; numbers from 10^6 on stay whole, as factoring them could take long."""
    over: dict[int, Fraction] = {}
    for n, c in powers.items():
        for p in _small_primes(n) if n < 10**6 else [n]:
            _add(over, p, c)
    yield from sorted(over.items())


def _small_primes(n: int) -> Iterator[int]:
    p = 2
    while p * p <= n:
        while n % p == 0:
            yield p
            n //= p
        p += 1
    if n > 1:
        yield n
