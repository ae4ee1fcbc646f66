"""Whether a symmetric matrix is positive semi-definite, proved either way, and up to rounding.

    A      a symmetric matrix of rationals, as whole numbers over one denominator
    v      a direction with vᵀAv < 0, which proves that A is not positive semi-definite
    ε      a shift for which A + εI is proved to be positive semi-definite

When a matrix of kernel values is computed in binary64, rounding alone can make eigenvalues
negative. Eigenvalues down to minus the allowance, `ROUNDINGS` times the unit roundoff times the
trace of A, are taken to be rounding. The shift is then the first tried power of four that makes
A + εI positive semi-definite, but no more than the allowance.

Proofs are tried in the order of their cost: first a Cholesky factor in integers of bounded length
("short numbers" below), then exact elimination without fractions, unless that takes too long.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, isqrt, lcm
from typing import NamedTuple

from refmc.checker.numbers.arithmetic import Matrix, dot, raised, sum_of

UNIT_ROUNDOFF = Fraction(1, 2**53)

ROUNDINGS = 1024
"""How many unit roundoffs of the trace a negative eigenvalue may have and pass for rounding.

An entry x·z of rows of d numbers is off by at most about d roundoffs of ‖x‖‖z‖. So the matrix is
off by a matrix whose norm is at most about d roundoffs of the trace; a power of degree p multiplies
that by p.
"""

_SCALE = 256  # products of the rounded factor carry this many bits, its entries half as many
_SHIFT = 152  # before it is factorised A is lessened by 2**(_SHIFT - _SCALE) of its largest entry
_SIGHT = 100  # a shift of A by 2**-_SIGHT of its largest entry is larger than that
_MOST_WORK = 2_000_000  # products of 64-bit numbers after which elimination gives up


class Definiteness(NamedTuple):
    """What was proved of A: that A + `shift`·I is positive semi-definite, or that A is not.

    Exactly one of the two is given. `direction` is a v with vᵀAv < 0; it is given only where no
    shift up to the allowance could be proved to suffice.

    >>> Definiteness(Fraction(0), None).shift
    Fraction(0, 1)
    """

    shift: Fraction | None
    direction: tuple[int, ...] | None


def definiteness(a: Matrix) -> Definiteness:
    """Prove the symmetric A positive semi-definite, or so up to rounding, or refute it.

    Cost: size³/6 products of numbers of `_SCALE` bits, a few times where a shift is needed.

    >>> definiteness(Matrix(((1, 1), (1, 1)), 1))
    Definiteness(shift=Fraction(0, 1), direction=None)
    >>> definiteness(Matrix(((1, 2), (2, 1)), 1))
    Definiteness(shift=None, direction=(-2, 1))
    >>> nearly = Matrix(((2**54, 2**54), (2**54, 2**54 - 1)), 2**54)
    >>> definiteness(nearly).shift == Fraction(1, 2**54)
    True
    """
    # One of equal rows is enough: if rows i and j are equal, and so columns i and j, vᵀAv depends
    # on v_i + v_j only. Without duplicates the matrix is far more often definite, which short
    # numbers can prove. In A + εI these rows differ, so the search for a shift takes all of them.
    kept = [i for i, row in enumerate(a.rows) if row not in a.rows[:i]]
    part = Matrix(tuple(tuple(a.rows[i][j] for j in kept) for i in kept), a.den)
    proved, direction = factorise(part)
    if not proved and not _is_negative(part, direction):
        # Nearly or exactly singular: short numbers can't tell, elimination can.
        eliminated = eliminate(part)
        proved = eliminated is not None and not eliminated
        direction = eliminated or ()
    if proved:
        return Definiteness(Fraction(0), None)
    by_row = dict(zip(kept, direction, strict=False))  # the direction may be (), if none is known
    return _shifted(a, tuple(by_row.get(i, 0) for i in range(len(a.rows))) if direction else ())


def _shifted(a: Matrix, direction: tuple[int, ...]) -> Definiteness:
    """The first shift tried that is proved to suffice, or a direction that proves that A is not
    positive semi-definite. `direction`: one with vᵀAv < 0, or () if none is known."""
    trace = Fraction(sum(abs(row[i]) for i, row in enumerate(a.rows)), a.den)
    allowance = ROUNDINGS * UNIT_ROUNDOFF * trace
    shift = _least_shift(a, direction)
    while True:
        shift = min(shift, allowance)
        proved, steeper = factorise(raised(a, shift))
        if proved:
            return Definiteness(shift, None)
        if _is_negative(a, steeper):
            direction = steeper
        if shift == allowance:
            break
        shift = max(4 * shift, _least_shift(a, direction))
    # The allowance is far larger than the error of the short numbers. So where they can't prove
    # A + allowance·I definite, some pivot was not positive, and its direction has vᵀAv < 0.
    assert direction
    return Definiteness(None, _simplified(a, direction))


def _is_negative(a: Matrix, v: tuple[int, ...]) -> bool:
    return quadratic_form(a, v) < 0


def _least_shift(a: Matrix, v: tuple[int, ...]) -> Fraction:
    """The least power of four ε with vᵀ(A + εI)v ≥ 0 that isn't too small for the short numbers."""
    needed = -quadratic_form(a, v) / dot(v, v) if v else Fraction(0)
    seen = Fraction(max(row[i] for i, row in enumerate(a.rows)), a.den) / 2**_SIGHT
    return _power_of_four(max(needed, seen))


def _power_of_four(q: Fraction) -> Fraction:
    """The least power of four that is at least q > 0.

    >>> _power_of_four(Fraction(3)), _power_of_four(Fraction(1, 4))
    (Fraction(4, 1), Fraction(1, 4))
    """
    power = Fraction(4) ** ((q.numerator.bit_length() - q.denominator.bit_length()) // 2)
    while power < q:
        power *= 4
    return power


def factorise(a: Matrix) -> tuple[bool, tuple[int, ...]]:
    """Whether short numbers prove A positive definite; if not, a v for which vᵀAv may be negative.

    A rounded Cholesky factor L of A − δI for a small δ is computed with integers of bounded length.
    In units of 2^−_SCALE of the largest entry of the diagonal, A − LLᵀ has at least 2^_SHIFT in
    each place of its diagonal and less than 2^(_SCALE/2) + 2 in any other, as that is a remainder
    of a division by an entry of L. With fewer than 2²³ rows it is diagonally dominant, so A is
    positive definite. Where a pivot is not positive, v is the direction in which the form has the
    value of that pivot, up to rounding; where all of the diagonal is not, it is ().

    >>> factorise(Matrix(((2, 1), (1, 2)), 1)), factorise(Matrix(((1, 1), (1, 1)), 1))[0]
    ((True, ()), False)
    """
    top = max((row[i] for i, row in enumerate(a.rows)), default=0)
    if top <= 0:
        return False, ()
    factor: list[list[int]] = []
    for i, given in enumerate(a.rows):
        row: list[int] = []
        for j, done in enumerate(factor):
            row.append(((given[j] << _SCALE) // top - dot(row, done)) // done[j])
        pivot = (given[i] << _SCALE) // top - (1 << _SHIFT) - dot(row, row)
        if pivot <= 0:
            return False, _lifted_in_short_numbers(row, factor, len(a.rows))
        row.append(isqrt(pivot))
        factor.append(row)
    return True, ()


def _lifted_in_short_numbers(row: list[int], factor: list[list[int]], size: int) -> tuple[int, ...]:
    """(−z, 1, 0, …) with Lᵀz = the row: the form takes the pivot's value there, up to rounding."""
    one, k = 1 << _SCALE // 2, len(row)
    z = list(row)
    for i in reversed(range(k)):
        z[i] = z[i] * one // factor[i][i]
        for j in range(i):
            z[j] -= factor[i][j] * z[i] // one
    return (*(-c for c in z), one, *[0] * (size - k - 1))


def eliminate(a: Matrix, most_work: int = _MOST_WORK) -> tuple[int, ...] | None:
    """A v with vᵀAv < 0; () proves that there is none; None says that it would take too long.

    Symmetric elimination without fractions (Bareiss), with positive pivots on the diagonal. What
    remains after some pivots is a positive multiple of their Schur complement, so a v with a
    negative value there can be completed to all rows (see `_lifted`). Where nothing but zeros
    remains, A is positive semi-definite. Cost: size² products a pivot, of integers whose length
    grows with the rank.

    >>> eliminate(Matrix(((1, 1), (1, 1)), 1)), eliminate(Matrix(((1, 2), (2, 1)), 1))
    ((), (-2, 1))
    >>> eliminate(Matrix(((2, 1), (1, 2)), 1), most_work=3) is None
    True
    """
    rest = {i: dict(enumerate(row)) for i, row in enumerate(a.rows)}
    eliminated: list[tuple[int, dict[int, int]]] = []
    previous = 1
    while rest:
        found = _negative_in(rest)
        if found is not None:
            return _lifted(found, eliminated, len(a.rows))
        pivot = next((i for i in rest if rest[i][i] > 0), None)
        if pivot is None:
            return ()
        row = rest.pop(pivot)
        most_work -= len(row) ** 2 * (1 + row[pivot].bit_length() // 64)
        if most_work < 0:
            return None
        eliminated.append((pivot, row))
        for i, old in rest.items():
            q = old.pop(pivot)
            rest[i] = {j: (row[pivot] * v - q * row[j]) // previous for j, v in old.items()}
        previous = row[pivot]
    return ()


def quadratic_form(a: Matrix, v: Sequence[int]) -> Fraction:
    """vᵀAv.

    >>> quadratic_form(Matrix(((1, 2), (2, 1)), 1), (1, -1))
    Fraction(-2, 1)
    """
    return Fraction(dot(v, [dot(row, v) for row in a.rows]), a.den)


def _negative_in(rest: dict[int, dict[int, int]]) -> dict[int, Fraction] | None:
    """A direction with a negative value, by a negative entry on the diagonal, or by a zero entry
    on the diagonal whose row isn't zero."""
    for i, row in rest.items():
        if row[i] < 0:
            return {i: Fraction(1)}
        if row[i] == 0:
            j = next((j for j, v in row.items() if v != 0), None)
            if j is not None:
                # (t e_i + e_j) has the value 2t a_ij + a_jj = -1
                return {i: Fraction(-1 - rest[j][j], 2 * row[j]), j: Fraction(1)}
    return None


def _lifted(
    direction: dict[int, Fraction], eliminated: list[tuple[int, dict[int, int]]], size: int
) -> tuple[int, ...]:
    """The direction, with entries for the eliminated rows so that the form keeps its value: each
    makes the product of the pivot's row with v zero, as minimising over that entry does."""
    v = dict(direction)
    for pivot, row in reversed(eliminated):
        v[pivot] = -sum_of(row[j] * c for j, c in v.items()) / row[pivot]
    den = lcm(*(c.denominator for c in v.values()))
    return tuple(int(v.get(i, Fraction(0)) * den) for i in range(size))


def _simplified(a: Matrix, v: tuple[int, ...]) -> tuple[int, ...]:
    """The direction rounded to 1, 2, 4, … binary digits, the first with which vᵀAv is negative."""
    largest, bits, found = max(map(abs, v)), 1, v
    while 1 << bits < largest:
        shorter = tuple(((c << bits + 1) // largest + 1) // 2 for c in v)
        if quadratic_form(a, shorter) < 0:
            found = shorter
            break
        bits *= 2
    common = gcd(*found)
    return tuple(c // common for c in found)
