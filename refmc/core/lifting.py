"""Exact solution of a linear system with one right-hand side, without elimination.

Elimination would compute with thousands of digits even where only the solution is so long. Here an
inverse in float gives the first thirty bits or so of the solution, the exact residual of these the
next thirty, and so on. At the end the bits are read as fractions, which are verified in the system.

Products with a matrix take most of the time. Each of its columns is packed into one long whole
number, so that a product adds up n long numbers instead of n² short ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ldexp
from operator import mul

from refmc.core.linalg import check_length, common_denominator, inverse_of_independent

TOP_BITS = 60
"""How many leading bits of a rest, and of the inverse, are used at a time."""

LONGEST_ENTRY = 4_096
"""Bits of an entry of H beyond which finding fractions takes longer than elimination."""

FIRST_GAIN = 40
"""How many bits a step is expected to give, until it turns out to give fewer."""


def solved(H: Sequence[Sequence[Fraction]], g: Sequence[Fraction]) -> list[Fraction] | None:
    """The u with Hu = g, for the lower triangle H of a positive definite matrix; else None.

    None, too, where floats can't tell that H is regular, or its entries are long. Raises
    `ExactnessLimitError` where u needs more than `MAX_DIGITS` digits. Cost: O(n³) in float, then
    O(n²) for each thirty bits of u.

    >>> solved([[Fraction(4)], [Fraction(2), Fraction(2)]], [Fraction(2), Fraction(0)])
    [Fraction(1, 1), Fraction(-1, 1)]
    """
    lower, q = common_denominator(H)
    (b,), p = common_denominator([g])
    n, top = len(lower), longest(entry for row in lower for entry in row)
    if top > LONGEST_ENTRY:
        return None
    kept, inverse = inverse_of_independent([[a / (1 << top) for a in row] for row in lower], 0.0)
    if len(kept) < n:
        return None
    M = PackedMatrix([[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)])
    scale = TOP_BITS - longest(int(abs(k)) for row in inverse for k in row)
    K = PackedMatrix([[round(ldexp(k, scale)) for k in row] for row in inverse])
    # M x + rest = 2^bits b holds throughout: as the rest stays short, x / 2^bits tends to M⁻¹b.
    x, rest, bits, wanted, gain = [0] * n, b, 0, 4 * FIRST_GAIN, FIRST_GAIN
    short = top + n.bit_length() + 4
    while True:
        # The inverse in float is right in its leading bits only, so it is multiplied by the leading
        # bits of the rest. x gains `gain` bits, or fewer while the rest is still long, which makes
        # the rest shorter.
        before = longest(rest)
        cut, raised = max(before - TOP_BITS, 0), max(gain - max(before - short, 0), 0)
        shift = scale + top - cut - raised
        y = [rounded(product, shift) for product in K.times([r >> cut for r in rest])]
        x = [(a << raised) + c for a, c in zip(x, y)]
        rest = [(r << raised) - c for r, c in zip(rest, M.times(y))]
        bits += raised
        after = longest(rest)
        if after > short:  # the inverse is right in fewer bits than x grew by, or in none
            if raised:
                gain -= 2
            elif after >= before:
                return None
            if gain < 8:
                return None
        elif bits >= wanted or after == 0:
            # Reading fractions takes long, so after a failure x first grows to 1.5 times the bits.
            found = as_fractions(x, bits)
            if found is not None and solves(M.columns, found[0], [found[1] * a for a in b]):
                return [Fraction(a * q, found[1] * p) for a in found[0]]
            wanted = bits + bits // 2
            check_length(1 << wanted // 2)


def longest(numbers: Iterable[int]) -> int:
    """The bits of the longest number."""
    return max((number.bit_length() for number in numbers), default=0)


def rounded(value: int, shift: int) -> int:
    """value / 2^shift, to a nearest whole number."""
    return value << -shift if shift <= 0 else (value + (1 << shift - 1)) >> shift


def solves(M: Sequence[Sequence[int]], x: Sequence[int], b: Sequence[int]) -> bool:
    """Whether Mx = b, for the columns of a symmetric M."""
    return all(sum(map(mul, row, x)) == b_i for row, b_i in zip(M, b))


def as_fractions(x: Sequence[int], bits: int) -> tuple[list[int], int] | None:
    """The fractions that x / 2^bits seems to approximate: numerators and a common denominator.

    None where the denominator would be so long that every number is near some such fraction.
    """
    denominator = 1
    for a in x:
        denominator *= short_denominator(a * denominator, bits)
        if 2 * denominator.bit_length() > bits:
            return None
    return [rounded(a * denominator, bits) for a in x], denominator


def short_denominator(a: int, bits: int) -> int:
    """The least q for which qa / 2^bits is far nearer to a whole number than it would be by chance.

    q is a denominator of the continued fraction of a / 2^bits. By chance the distance of qa from
    the nearest multiple of 2^bits would be some 2^bits / q; it must be less by a quarter of the
    bits.
    """
    r, s = 1 << bits, a % (1 << bits)
    s = min(s, r - s)
    q_before, q = 0, 1
    while s and (s * q).bit_length() > bits - bits // 4:
        quotient, t = divmod(r, s)
        r, s = s, t
        q_before, q = q, quotient * q + q_before
    return q


class PackedMatrix:
    """A symmetric matrix of whole numbers, with each column as one number of n digits."""

    def __init__(self, columns: Sequence[Sequence[int]]) -> None:
        self.columns = columns
        self.bits = longest(a for column in columns for a in column) + len(columns).bit_length() + 2
        self.width, self.packed, self.offset = 0, list[int](), 0

    def times(self, v: Sequence[int]) -> list[int]:
        """The product with a vector."""
        needed = self.bits + longest(v)
        if needed > 8 * self.width:
            self.pack(needed // 8 + 2)
        width = self.width
        total = sum(map(mul, self.packed, v), self.offset)
        digits = total.to_bytes(width * len(v) + 1, "little")
        half = 1 << 8 * width - 1
        places = range(0, width * len(v), width)
        return [int.from_bytes(digits[i : i + width], "little") - half for i in places]

    def pack(self, width: int) -> None:
        """Give each entry so many bytes; `offset`, half of their range, makes sums positive."""
        self.width = width
        self.packed = [sum_of_digits(column, width) for column in self.columns]
        self.offset = sum_of_digits([1 << 8 * width - 1] * len(self.columns), width)


def sum_of_digits(entries: Sequence[int], width: int) -> int:
    """Σ entries_i 2^(8 width i)."""
    positive, negative = (
        b"".join(max(sign * a, 0).to_bytes(width, "little") for a in entries) for sign in (1, -1)
    )
    return int.from_bytes(positive, "little") - int.from_bytes(negative, "little")
