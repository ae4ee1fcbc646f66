"""How large an SVM problem may be, and which searches give the checker its witnesses."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from refmc.checker.kernels import proved_semidefinite
from refmc.checker.numbers.arithmetic import to_matrix
from refmc.core.records import Record
from refmc.core.scalars import plain
from refmc.errors import FormatError, NotPositiveSemidefiniteError, RefmcError
from refmc.oracle.reading import Rows

if TYPE_CHECKING:
    from refmc.theory.kernels import Kernel

W = TypeVar("W")

MOST_NUMBERS = 10_000_000
"""The most products of one pass over the data: rows times columns times classes."""

MOST_PAIRS = 1_000_000
"""The most kernel values; whether n² of them are semi-definite takes n³ products to decide."""

MOST_KERNEL_BITS = 1_000_000_000
"""The most binary digits of all values of a polynomial kernel."""

MOST_MULTIPLIERS = 500_000
"""The most rows times classes: each has a multiplier, whose Fractions take about a kilobyte."""

MOST_ROWS = 1_000
"""The most rows times classes for which the exact optimum is searched without a try in floats."""

MOST_KERNEL_ROWS = 40
"""The same for rows with a kernel, whose searches compute with much longer numbers."""


MOST_STEPPED = 100
"""The most rows for which a trace begins where all multipliers are 0; with more, the exact search
begins where one in floats ends, and takes few steps."""


class FloatRows(NamedTuple):
    """Rows with a kernel, or the Gram matrix instead of both, in floats."""

    X: list[list[float]] | None
    gram: list[list[float]] | None
    kernel: Kernel


def check_size(record: Record) -> None:
    """Refuse what is too large to be read, let alone solved, by the lengths of its lists.

    >>> check_size({"X": [[0] * 1000] * 10_000})
    """
    for name, most in (("X", MOST_NUMBERS), ("gram", MOST_PAIRS), ("features", MOST_NUMBERS)):
        sizes, part = [], plain(record.get(name))
        while isinstance(part, (list, tuple)) and part:
            sizes.append(len(part))
            part = plain(part[0])
        if prod(sizes) > most:
            shape = " by ".join(map(str, sizes))
            raise FormatError(
                f"problem.{name}: {shape} numbers are more than the {most} that are taken on"
            )


def check_work(rows: Rows, classes: int = 2) -> None:
    """Refuse rows over which a single pass would take too long.

    >>> check_work(Rows([[Fraction(1)] * 5] * 2, None))
    """
    if rows.X is None:
        return
    m, d = rows.m, len(rows.X[0])
    if m * d * classes > MOST_NUMBERS:
        raise FormatError(
            f"problem.X: {m} rows of {d} numbers with {classes} classes are more than the "
            f"{MOST_NUMBERS} products of one pass that are taken on"
        )
    if not rows.is_linear:
        longest = max(
            max(v.numerator.bit_length(), v.denominator.bit_length()) for r in rows.X for v in r
        )
        bits = 2 * longest * int(rows.asked.parameters.get("degree", 1))
        if m * m > MOST_PAIRS or m * m * bits > MOST_KERNEL_BITS:
            raise FormatError(
                f"problem.kernel: the values for all pairs of {m} rows have {bits} binary digits "
                f"each; at most {MOST_PAIRS} values with {MOST_KERNEL_BITS} digits in all are taken"
            )


def are_few(rows: Rows, classes: int = 2) -> bool:
    """Whether an exact search over the rows takes next to no time."""
    return rows.m * classes <= MOST_ROWS if rows.is_linear else rows.m <= MOST_KERNEL_ROWS


def witnesses(
    rows: Rows, few: bool, near: Callable[[], W], exact: Callable[[], W]
) -> list[Callable[[], W | None]]:
    """The searches for a witness, in turn: `near` in floats unless the rows are few, then `exact`.

    A search in floats that overflows gives no witness. The exact search gives none for many rows
    that need the shift of `lifted`: it would be slow with the long numbers of the shift, and no
    witness closes the part of the gap that the shift makes.
    """

    def in_floats_first() -> W | None:
        try:
            return near()
        except (OverflowError, RefmcError):
            return None

    def exactly() -> W | None:
        return exact() if few or lifted(rows) is None else None

    return [exactly] if few else [in_floats_first, exactly]


def in_floats(rows: Rows) -> FloatRows:
    """The nearest floats; `OverflowError` where there is none.

    >>> in_floats(Rows([[Fraction(1, 2)]], None)).X
    [[0.5]]
    """
    return FloatRows(_floats(rows.X), _floats(rows.gram), rows.kernel)


def _floats(rows: list[list[Fraction]] | None) -> list[list[float]] | None:
    return None if rows is None else [list(map(float, row)) for row in rows]


def fitted(fit: Callable[[Rows], W], rows: Rows) -> W:
    """The exact model that `fit` trains on the rows, or on those of `lifted` if it needs these."""
    try:
        return fit(rows)
    except NotPositiveSemidefiniteError:
        shifted = lifted(rows)
        if shifted is None:
            raise
        return fit(shifted)


def lifted(rows: Rows) -> Rows | None:
    """The rows with a Gram matrix K + εI, where K is semi-definite up to rounding; else None.

    >>> nearly = [[Fraction(1), Fraction(1)], [Fraction(1), 1 - Fraction(1, 2**54)]]
    >>> lifted(Rows(None, nearly)).gram[0][0] - 1 == Fraction(1, 2**54)
    True
    """
    if rows.gram is None:
        return None
    shift = proved_semidefinite(to_matrix(rows.gram))
    if not isinstance(shift, Fraction) or not shift:
        return None
    gram = [[v + shift * (i == j) for j, v in enumerate(row)] for i, row in enumerate(rows.gram)]
    return rows._replace(gram=gram)
