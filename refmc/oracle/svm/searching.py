"""What the learner is given to find witnesses: exact numbers where that is quick, else floats first."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from refmc.checker.kernels import proved_semidefinite
from refmc.checker.numbers.arithmetic import to_matrix
from refmc.oracle.reading import Rows
from refmc.theory.kernels import Kernel, Polynomial

MOST_ROWS = 1_000
"""Rows times classes up to which an answer is compared with the exact optimum straight away."""

MOST_KERNEL_ROWS = 40
"""The same for rows of kernel values, where no dimension keeps the numbers of a search short."""


class FloatRows(NamedTuple):
    """Rows with a kernel, or the Gram matrix instead of both, in floats."""

    X: list[list[float]] | None
    gram: list[list[float]] | None
    kernel: Kernel


def are_few(rows: Rows, classes: int = 2) -> bool:
    """Whether an exact search over the rows takes next to no time."""
    return rows.m * classes <= MOST_ROWS if rows.is_linear else rows.m <= MOST_KERNEL_ROWS


def in_floats(rows: Rows) -> FloatRows:
    """The nearest floats; `OverflowError` where there is none.

    >>> from refmc.theory.kernels import linear
    >>> in_floats(Rows([[Fraction(1, 2)]], None, linear)).X
    [[0.5]]
    """
    kernel = rows.kernel
    if isinstance(kernel, Polynomial):
        kernel = Polynomial(kernel.degree, float(kernel.scale), float(kernel.offset))
    return FloatRows(_floats(rows.X), _floats(rows.gram), kernel)


def _floats(rows: list[list[Fraction]] | None) -> list[list[float]] | None:
    return None if rows is None else [list(map(float, row)) for row in rows]


def lifted(rows: Rows) -> Rows | None:
    """The rows with a Gram matrix K + εI, where K is semi-definite up to rounding; else None.

    >>> from refmc.theory.kernels import linear
    >>> nearly = [[Fraction(1), Fraction(1)], [Fraction(1), 1 - Fraction(1, 2**54)]]
    >>> lifted(Rows(None, nearly, linear)).gram[0][0] - 1 == Fraction(1, 2**54)
    True
    """
    if rows.gram is None:
        return None
    shift = proved_semidefinite(to_matrix(rows.gram))
    if not isinstance(shift, Fraction) or not shift:
        return None
    gram = [[v + shift * (i == j) for j, v in enumerate(row)] for i, row in enumerate(rows.gram)]
    return replace(rows, gram=gram)
