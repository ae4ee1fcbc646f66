"""What kernels get wrong.

The RBF kernel has no exact values, so problems hold its matrix, rounded. A vector whose matrix is
one says in `stated` of which rows and which γ; a program that computes its own kernel begins there,
and so do the mistakes about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from refmc.core.records import Record, matrix, number, read_object
from refmc.core.scalars import number_text
from refmc.mistakes.fields import without
from refmc.mistakes.mistake import Mistake
from refmc.mistakes.weights import belong_together
from refmc.oracle.reading import read_rows_or_gram
from refmc.theory.grams import gram

KERNELS = ("svm.binary", "svm.hard", "svm.multiclass", "perceptron.kernel")
PLACES = 12
"""Digits behind the point of a rounded kernel value."""

_WIDE = Context(prec=40)

Exponent = Callable[[Sequence[Fraction], Sequence[Fraction], Fraction], Decimal]
"""The exponent of a kernel value, from two rows and γ."""


def decimal(value: Fraction) -> Decimal:
    """The value to 40 digits."""
    return _WIDE.divide(Decimal(value.numerator), Decimal(value.denominator))


def square(u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
    """‖u − v‖²."""
    return sum(((p - q) ** 2 for p, q in zip(u, v, strict=True)), Fraction(0))


def rbf_gram(stated: Record, exponent: Exponent) -> list[list[str]]:
    """exp of the exponents of all pairs of rows, to `PLACES` digits behind the point."""
    X = matrix(stated["X"], "stated.X")
    gamma = number(read_object(stated["kernel"], "stated.kernel")["gamma"], "gamma")
    unit = Decimal(1).scaleb(-PLACES)
    return [
        [number_text(Fraction(_WIDE.quantize(_WIDE.exp(exponent(u, v, gamma)), unit))) for v in X]
        for u in X
    ]


def of_squares(u: Sequence[Fraction], v: Sequence[Fraction], gamma: Fraction) -> Decimal:
    """−γ‖u − v‖², as it should be."""
    return decimal(-gamma * square(u, v))


def _of_distances(u: Sequence[Fraction], v: Sequence[Fraction], gamma: Fraction) -> Decimal:
    return _WIDE.multiply(decimal(-gamma), _WIDE.sqrt(decimal(square(u, v))))


def _of_widths(u: Sequence[Fraction], v: Sequence[Fraction], gamma: Fraction) -> Decimal:
    """γ taken for σ in −‖u − v‖²/(2σ²)."""
    return decimal(-square(u, v) / (2 * gamma * gamma))


def _of_products(u: Sequence[Fraction], v: Sequence[Fraction], gamma: Fraction) -> Decimal:
    return decimal(2 * gamma * sum((p * q for p, q in zip(u, v)), Fraction(0)))


def _of_exponent(id: str, exponent: Exponent) -> Mistake:
    """The mistake of an RBF kernel with another exponent, of the rows that a problem states."""

    def neighbours(problem: Record, answer: Record) -> list[Record]:
        if "stated" not in problem:
            return []
        stated = read_object(problem["stated"], "stated")
        return [{**without(problem, "stated"), "gram": rbf_gram(stated, exponent)}]

    return Mistake(id, KERNELS, neighbours, of_stated=True)


OtherKernel = Callable[[Mapping[str, Any], Fraction, Fraction], dict[str, Any]]
"""What is another one in (x·x′/a + b)^d, of the kernel, a and b."""

OF_POLYNOMIALS: dict[str, OtherKernel] = {
    "power_by_squaring": lambda kernel, a, b: {"degree": 2 ** (kernel["degree"] - 1)},
    "degree_one_more": lambda kernel, a, b: {"degree": kernel["degree"] + 1},
    "offset_forgotten": lambda kernel, a, b: {"offset": "0"},
    "scale_multiplied": lambda kernel, a, b: {"scale": number_text(1 / a)},
}

MORE: dict[str, OtherKernel] = {
    "degree_one_less": lambda kernel, a, b: {"degree": max(1, kernel["degree"] - 1)},
    "degree_2": lambda kernel, a, b: {"degree": 2},
    "offset_1": lambda kernel, a, b: {"offset": "1"},
    "offset_divided": lambda kernel, a, b: {"offset": number_text(b / a)},
    "scale_1": lambda kernel, a, b: {"scale": "1"},
    "scale_squared": lambda kernel, a, b: {"scale": number_text(a * a)},
}
"""More of the same, which are generic."""


def of_kernels(family: str) -> Iterator[Mistake]:
    """The mistakes about kernels that no problem was made for."""
    if family in KERNELS:
        for id, change in MORE.items():
            yield replace(_of_polynomial(id, change), families=(family,))
    if family == "svm.multiclass":
        yield Mistake("kernel.one_added", (family,), _one_added, _without_W)


def _one_added(problem: Record, answer: Record) -> list[Record]:
    """The problem of the kernel plus 1, where there are rows for which a column of ones adds it."""
    if "X" not in problem:
        return []
    rows = read_rows_or_gram(problem)
    K = [[v + 1 for v in row] for row in gram(rows.kernel, rows.X or [])]
    return [{**without(problem, "X", "kernel"), "gram": K}]


def _without_W(problem: Record, answer: Record) -> Record | None:
    """The multipliers without the weights that they make of the rows."""
    is_made = "lam" in answer and belong_together(problem, answer)
    return without(answer, "W") if is_made else None


def _of_polynomial(id: str, change: OtherKernel) -> Mistake:
    """The mistake of another polynomial kernel, where the problem has one."""

    def neighbours(problem: Record, answer: Record) -> list[Record]:
        kernel = problem.get("kernel")
        if not isinstance(kernel, Mapping) or kernel.get("name") != "polynomial":
            return []
        a, b = (number(kernel.get(n, d), n) for n, d in (("scale", 1), ("offset", 0)))
        other = {**kernel, **change(kernel, a, b)}
        return [] if other == kernel else [{**problem, "kernel": other}]

    return Mistake(f"kernel.{id}", KERNELS, neighbours)


MISTAKES: tuple[Mistake, ...] = (
    *(_of_polynomial(*entry) for entry in OF_POLYNOMIALS.items()),
    _of_exponent("kernel.distance_not_squared", _of_distances),
    _of_exponent("kernel.width_for_gamma", _of_widths),
    _of_exponent("kernel.cross_term_only", _of_products),
)
