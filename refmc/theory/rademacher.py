"""The empirical Rademacher complexity of a finite hypothesis set, exact or from given draws.

Covers the complexity that [lu, Lemma 8.1] and its proof write out as a mean over all 2^m sign
vectors. Lemma 8.1 itself and Talagrand's contraction, which its proof uses, are tested on it.

Differs from the lecture:
- the mean over 2^m sign vectors is one over 2^(m−1): −σ turns the supremum of σ into minus the
  infimum, so σ and −σ together give the difference of the two.

Legend: h a hypothesis, given by its values h(ω_1), …, h(ω_m) on the sample; σ a vector of m signs;
R̂ the complexity, the mean over σ of sup_h (1/m) Σ_i σ_i h(ω_i).

In float the values are lifted, so what is given is the exact complexity of these floats, rounded
once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from operator import add, mul
from typing import TYPE_CHECKING, Any, overload

from refmc.core.linalg import common_denominator
from refmc.core.parameters import map_of
from refmc.core.sample import Matrix, check_count, raw_row, read_rows
from refmc.core.scalars import S, as_float, shown
from refmc.errors import DataError, ExactnessLimitError
from refmc.theory.roots import nearest_root

if TYPE_CHECKING:
    from concurrent.futures import Executor

MAX_SUMS = 1 << 25
"""The largest n·2^(m − 1), the number of sums for n hypotheses: some ten seconds of work."""

_FIXED = 6
"""How many signs each job of an executor fixes: there are 2^6 jobs, for an estimate, too."""

Columns = Sequence[Sequence[int]]


@overload
def rademacher(values: Sequence[Sequence[S]], *, executor: Executor | None = None) -> S: ...
@overload
def rademacher(values: Matrix, *, executor: Executor | None = None) -> float | Fraction: ...
def rademacher(values: Matrix, *, executor: Executor | None = None) -> float | Fraction:
    """The empirical Rademacher complexity: the mean of sup_h (1/m) Σ σ_i h(ω_i) over all signs σ.

    values: for each hypothesis its m values on the sample, at least one hypothesis and one value.
    The sign vectors are visited in the order of the Gray code: each step changes one sign, and so
    takes one addition for each hypothesis. `executor`: any of `concurrent.futures` or like it; each
    job fixes some signs. Raises `DataError`, and `ExactnessLimitError` where 2^(m−1) n, the cost
    for n hypotheses, is beyond `MAX_SUMS`: see `rademacher_estimate`. [lu, Lemma 8.1]

    >>> rademacher([[Fraction(1)] * 3, [Fraction(-1)] * 3])
    Fraction(1, 2)
    """
    columns, scale, zero = _columns(values)
    m = len(columns)
    n = len(columns[0])
    check_sums(n, m)
    fixed = 0 if executor is None else min(m - 1, _FIXED)
    free, ones = columns[: m - 1 - fixed], (1,) * (m - 1 - fixed)
    jobs = [
        (free, _signed_sums(columns, (*ones, *signs, 1)))
        for signs in product((1, -1), repeat=fixed)
    ]
    widths = map_of(executor)(_sum_of_widths, jobs)
    return _given(Fraction(sum(widths), scale * m * 2**m), zero)


def check_sums(n: int, m: int) -> None:
    """Raise `ExactnessLimitError` where n hypotheses on m rows take more than `MAX_SUMS` sums."""
    if n << m - 1 > MAX_SUMS:
        raise ExactnessLimitError(
            f"values: {n} sums for each of 2^{m - 1} sign vectors are too many, the limit is "
            f"{MAX_SUMS} sums; rademacher_estimate takes the draws that you give"
        )


def _columns(values: Matrix) -> tuple[list[tuple[int, ...]], int, Any]:
    """For each row of the sample the values of all hypotheses, as whole numbers over a scale."""
    rows, zero = read_rows(values, "values")
    N, scale = common_denominator([[Fraction(entry) for entry in row] for row in rows])
    return list(zip(*N)), scale, zero


def _signed_sums(columns: Columns, signs: Sequence[int]) -> list[int]:
    """Σ_i σ_i h(ω_i) for each hypothesis h."""
    return [sum(map(mul, signs, entries)) for entries in zip(*columns)]


def _suprema(job: tuple[Columns, Sequence[Sequence[int]]]) -> list[int]:
    columns, draws = job
    return [max(_signed_sums(columns, draw)) for draw in draws]


def _sum_of_widths(job: tuple[Columns, list[int]]) -> int:
    """The sum of max_h − min_h over all signs of the free columns; at first all of these are +1.

    The sums in the job are those of each hypothesis then. Step n of the Gray code changes the sign
    at the position of the lowest 1 of n.
    """
    free, sums = job
    falls = [[-2 * entry for entry in column] for column in free]
    rises = [[2 * entry for entry in column] for column in free]
    width = max(sums) - min(sums)
    for n in range(1, 1 << len(free)):
        i = (n & -n).bit_length() - 1
        # bit i of the Gray code n ^ (n >> 1) is set by this step where bit i + 1 of n is 0
        sums = list(map(add, sums, rises[i] if n >> i + 1 & 1 else falls[i]))
        width += max(sums) - min(sums)
    return width


def _given(value: Fraction, zero: float | Fraction) -> float | Fraction:
    return value if isinstance(zero, Fraction) else as_float(value, "values")


@dataclass(frozen=True)
class RademacherEstimate:
    """The mean over given sign vectors, and how far it may be from the complexity.

    `value`: the mean of the suprema; `draws`: how many there were; `variance`: of that mean, s²/n
    with s² = Σ (supremum − mean)²/(n − 1), exact where the values are Fractions.
    """

    value: float | Fraction
    variance: float | Fraction
    draws: int

    @property
    def standard_error(self) -> float:
        """The root of the variance, the nearest float."""
        return nearest_root(Fraction(self.variance), "variance")


def rademacher_estimate(
    values: Matrix, draws: Iterable[Sequence[int]], *, executor: Executor | None = None
) -> RademacherEstimate:
    """The Rademacher complexity estimated from n ≥ 2 given vectors of m signs −1 and +1.

    values: as in `rademacher`. Where the signs are independent and fair, the mean of the estimate
    is the complexity; the standard error is that of the mean. `executor`: as in `rademacher`; each
    job has some of the draws. Raises `DataError` (another number of signs, what is no sign, fewer
    than two draws). Cost: O(m) for each draw and hypothesis. [lu, Lemma 8.1]

    >>> found = rademacher_estimate([[Fraction(1), 0], [0, 1]], [(1, 1), (1, -1), (-1, -1)])
    >>> found.value, found.variance
    (Fraction(1, 6), Fraction(1, 9))
    """
    columns, scale, zero = _columns(values)
    if not isinstance(draws, Iterable):
        raise DataError(f"draws: expected sign vectors, got {shown(draws)}")
    signs = [_read_signs(draw, len(columns), f"draws: row {i}") for i, draw in enumerate(draws)]
    n = len(signs)
    if n < 2:
        raise DataError(f"draws: expected at least two sign vectors, got {n}")
    jobs = [(columns, signs[first :: 1 << _FIXED]) for first in range(min(n, 1 << _FIXED))]
    suprema = [s for found in map_of(executor)(_suprema, jobs) for s in found]
    one = scale * len(columns)
    mean = Fraction(sum(suprema), n * one)
    squares = sum(((Fraction(s, one) - mean) ** 2 for s in suprema), Fraction(0))
    return RademacherEstimate(_given(mean, zero), _given(squares / (n * (n - 1)), zero), n)


def _read_signs(draw: Sequence[int], m: int, place: str) -> tuple[int, ...]:
    signs = raw_row(draw, place, "signs")
    check_count(signs, m, place, "signs, one a row of the sample")
    for sign in signs:
        if isinstance(sign, str) or sign not in (-1, 1):
            raise DataError(f"{place}: expected -1 or 1, got {shown(sign)}")
    return tuple(int(sign) for sign in signs)
