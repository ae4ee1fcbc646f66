"""Exact sums of rational multiples of logarithms of integers, with their order.

A sum is 0 exactly if the product of its bases, each to the power of its coefficient, is 1. To
decide this the bases are written as products of powers of pairwise coprime integers. Their
logarithms are linearly independent over the rationals, so the sum is 0 exactly if the exponent of
each of them is. The sign of a sum that isn't 0 is found by enclosures of growing precision. No
power with a coefficient as its exponent is ever computed.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import lru_cache, total_ordering
from math import gcd, lcm

from refmc.checker.numbers.arithmetic import sum_of_ratios
from refmc.checker.printing import LONG, number_text

FIRST_BITS = 96  # binary digits of the first enclosure

_GUARD = 8
_SIX_DIGITS = Context(prec=6, Emax=MAX_EMAX, Emin=MIN_EMIN)
_LARGEST_TRIED_PRIME = 1000
_LONGEST_EXACT_TEXT = 60
_PLAIN_TEXT = 12  # a longer ratio is followed by its value to six digits


@total_ordering
@dataclass(frozen=True, eq=False)
class LogSum:
    """`rational` + Σ c log₂ b over the pairs b: c of `logs`; the bases b are odd and above 1.

    >>> log2(9) == log2(3) * 2, log2(3) > LogSum(Fraction(3, 2))
    (True, True)
    """

    rational: Fraction
    logs: Mapping[int, Fraction]

    def __init__(self, rational: Fraction | int = 0, logs: Mapping[int, Fraction] | None = None):
        is_known = type(rational) is Fraction  # as it nearly always is; making one takes longer
        object.__setattr__(self, "rational", rational if is_known else Fraction(rational))
        object.__setattr__(self, "logs", logs or {})

    def __add__(self, other: "LogSum") -> "LogSum":
        if not other.logs:
            return LogSum(self.rational + other.rational, self.logs)
        logs = dict(self.logs)
        for base, c in other.logs.items():
            logs[base] = logs.get(base, Fraction(0)) + c
            if logs[base] == 0:
                del logs[base]
        return LogSum(self.rational + other.rational, logs)

    def __mul__(self, factor: Fraction | int) -> "LogSum":
        if factor == 0:
            return LogSum()
        return LogSum(self.rational * factor, {b: c * factor for b, c in self.logs.items()})

    def __sub__(self, other: "LogSum") -> "LogSum":
        if not other.logs:
            return LogSum(self.rational - other.rational, self.logs)
        return self + other * -1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LogSum) and (self - other).sign() == 0

    def __lt__(self, other: "LogSum") -> bool:
        if not self.logs and not other.logs:
            return self.rational < other.rational
        return (self - other).sign() < 0

    __hash__ = None  # type: ignore[assignment]  # equal sums can be written differently

    def sign(self) -> int:
        """-1, 0 or 1.

        >>> (log2(3) - LogSum(Fraction(19, 12))).sign()
        1
        """
        if not self.logs:
            return (self.rational > 0) - (self.rational < 0)
        return sign_of(self.enclosure, lambda: _is_zero(self))

    def enclosure(self, bits: int) -> tuple[Fraction, Fraction]:
        """Rational bounds, from logarithms of `bits` binary digits.

        >>> low, high = log2(3).enclosure(20)
        >>> low < Fraction(1584962, 1000000) < high, high - low
        (True, Fraction(1, 524288))
        """
        low, high = [self.rational.as_integer_ratio()], [self.rational.as_integer_ratio()]
        for base, c in self.logs.items():
            floor, factor, den = floor_log2(base, bits), c.numerator, c.denominator << bits
            ends = (factor * floor, den), (factor * (floor + 2), den)
            low.append(min(ends))
            high.append(max(ends))
        return sum_of_ratios(low), sum_of_ratios(high)

    def near(self) -> Fraction:
        """The number itself where it is rational, else one that agrees with it to nine digits.

        >>> LogSum(Fraction(1, 3)).near(), six_digits(log2(3).near())
        (Fraction(1, 3), '1.58496')
        """
        bits = FIRST_BITS
        while self.sign():
            low, high = self.enclosure(bits)
            if (high - low) * 2**32 < abs(low + high):
                return (low + high) / 2
            bits *= 2
        return Fraction(0)

    def text(self) -> str:
        """The exact number for people, or six digits of it where it is long.

        >>> (log2(12) * Fraction(1, 4)).text(), log2(3).text(), LogSum(Fraction(3, 8)).text()
        ('1/2 + 1/4 log2 3 (about 0.896241)', 'log2 3 (about 1.58496)', '3/8')
        """
        exact = _by_primes(self)
        pieces = [number_text(exact.rational)] if exact.rational or not exact.logs else []
        pieces += [_piece(b, c) for b, c in sorted(exact.logs.items())]
        text = " + ".join(pieces).replace("+ -", "- ")
        if not exact.logs and len(text) <= _PLAIN_TEXT:
            return text
        about = f"about {six_digits(self.near() if exact.logs else exact.rational)}"
        longest = _LONGEST_EXACT_TEXT if exact.logs else LONG
        return f"{text} ({about})" if len(text) <= longest else about


def sign_of(
    enclosure: Callable[[int], tuple[Fraction, Fraction]], is_zero: Callable[[], bool]
) -> int:
    """-1, 0 or 1 for a number that is enclosed to any number of binary digits; `is_zero` is asked
    only where the first enclosure doesn't tell.

    >>> sign_of(lambda bits: (-Fraction(1), Fraction(1, 2**bits) - 1), lambda: False)
    -1
    """
    bits = FIRST_BITS
    while True:
        low, high = enclosure(bits)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
        if bits == FIRST_BITS and is_zero():
            return 0
        bits *= 2


def log2(n: int) -> LogSum:
    """log2(n) of a positive integer.

    >>> log2(8).rational, log2(12).logs
    (Fraction(3, 1), {3: Fraction(1, 1)})
    """
    return weighted_logs([(1, n)])


def weighted_logs(terms: Iterable[tuple[int, int]]) -> LogSum:
    """Σ c log₂ n over the pairs (c, n), each n positive.

    >>> weighted_logs([(4, 4), (-3, 3)]).logs
    {3: Fraction(-3, 1)}
    """
    whole, logs = 0, dict[int, int]()
    for c, n in terms:
        twos = (n & -n).bit_length() - 1
        whole += c * twos
        if n >> twos > 1:
            logs[n >> twos] = logs.get(n >> twos, 0) + c
    return LogSum(whole, {b: Fraction(c) for b, c in logs.items() if c})


@lru_cache(maxsize=1 << 16)
def floor_log2(n: int, bits: int) -> int:
    """An integer L with L ≤ 2^bits log₂ n < L + 2.

    Squaring x in [1, 2) doubles its logarithm, whose integer part then is the next binary digit. x
    is kept to `_GUARD` more digits than `bits` and always rounded down, so that L is not too large.
    Each rounding has a relative error of at most 2^(1 − width), which every later squaring doubles;
    together they change L by less than one unit.

    >>> floor_log2(8, 10), floor_log2(3, 10)
    (3072, 1623)
    """
    whole = n.bit_length() - 1
    width = bits + _GUARD
    x = n << width - whole if whole <= width else n >> whole - width
    digits = whole
    for _ in range(bits):
        x = x * x >> width
        digit = x >> width + 1
        x >>= digit
        digits = digits << 1 | digit
    return digits


def six_digits(q: Fraction | int) -> str:
    """At most six significant digits.

    >>> six_digits(Fraction(2, 3)), six_digits(Fraction(1, 3 * 10**9000)), six_digits(Fraction(2.5))
    ('0.666667', '3.33333e-9001', '2.5')
    """
    rounded = _SIX_DIGITS.divide(Decimal(q.numerator), Decimal(q.denominator))
    found = _SIX_DIGITS.normalize(rounded) if abs(rounded) < 10**6 else rounded
    return str(found).lower().replace("e+", "e")


def coprime_base(numbers: Iterable[int]) -> list[int]:
    """Pairwise coprime integers above 1, of which each number is a product of powers.

    >>> sorted(coprime_base([12, 18, 5]))
    [2, 3, 5]
    """
    base: list[int] = []
    waiting = [n for n in numbers if n > 1]
    while waiting:
        n = waiting.pop()
        for at, b in enumerate(base):
            common = gcd(n, b)
            if common > 1:
                del base[at]
                waiting += [v for v in (common, n // common, b // common) if v > 1]
                break
        else:
            base.append(n)
    return base


def _is_zero(value: LogSum) -> bool:
    """Whether the sum is 0. `rational` is a multiple of log₂ 2, and 2 is coprime to all bases, as
    they are odd; so by the same independence `rational` must be 0."""
    if value.rational != 0:
        return False
    den = lcm(*(c.denominator for c in value.logs.values()))
    powers = {b: int(c * den) for b, c in value.logs.items()}
    return all(
        sum(c * _exponent(p, b) for b, c in powers.items()) == 0 for p in coprime_base(powers)
    )


def _exponent(p: int, n: int) -> int:
    count = 0
    while n % p == 0:
        n, count = n // p, count + 1
    return count


def _by_primes(value: LogSum) -> LogSum:
    """The same sum with small prime factors taken out of the bases, which makes its text short."""
    primes: dict[int, Fraction] = {}
    for base, c in value.logs.items():
        rest = base
        for p in range(3, _LARGEST_TRIED_PRIME, 2):
            if p * p > rest:
                break
            count = _exponent(p, rest)
            if count:
                primes[p] = primes.get(p, Fraction(0)) + c * count
                rest //= p**count
        if rest > 1:
            primes[rest] = primes.get(rest, Fraction(0)) + c
    return LogSum(value.rational, {b: c for b, c in primes.items() if c})


def _piece(base: int, c: Fraction) -> str:
    factor = {1: "", -1: "-"}.get(c.numerator if c.denominator == 1 else 0)
    factor = f"{number_text(c)} " if factor is None else factor
    return f"{factor}log2 {number_text(base)}"
