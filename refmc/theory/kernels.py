"""Kernels, and the explicit feature map of the RBF kernel.

Covers [chang, "Common choice of Kernels"]; the positive definite symmetric kernels of
[lu, "Kernel-Based Hypotheses for Multi-Class Classification"] are a matter of `grams`.

Differs from the lecture:
- the parameters of the polynomial kernel are restricted to those for which it is positive
  semi-definite on every sample: d ≥ 1 whole, a > 0, b ≥ 0;
- the feature map of the RBF kernel is printed for a single number x; here also for rows.

Legend: a `scale`, b `offset`, d `degree`, γ `gamma`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import combinations_with_replacement
from operator import mul
from typing import Any, ClassVar, Protocol, TypeVar, cast

from refmc.core.linalg import dot
from refmc.core.parameters import as_given, in_arithmetic_of_data
from refmc.core.records import read_object
from refmc.core.sample import Row, read_rows, read_together
from refmc.core.saving import saved
from refmc.core.scalars import (
    MAX_BITS,
    MAX_DIGITS,
    Number,
    S,
    as_float,
    exact_parameter,
    plain,
    shown,
    whole_number,
)
from refmc.errors import DataError, ExactnessLimitError, FormatError, ParameterError

MAX_DEGREE = 1_000
"""The largest degree of a polynomial kernel: exact values have that many times the digits."""

S_contra = TypeVar("S_contra", float, Fraction, contravariant=True)


class KernelOf(Protocol[S_contra]):
    """A symmetric function of two rows in one arithmetic."""

    def __call__(self, u: Sequence[S_contra], v: Sequence[S_contra], /) -> float | Fraction: ...


Kernel = KernelOf[float] | KernelOf[Fraction]
"""Any kernel: those below, and functions of the caller's for floats, for Fractions or for both."""


class _Saved:
    """What the kernels here have in common: a name and parameters."""

    def to_json(self) -> dict[str, object]:
        """The record that `kernel_from_json` reads; Fractions as text."""
        name = next(name for name, (kind, _) in KERNELS.items() if kind is type(self))
        return {"name": name, **saved(vars(self))}


@dataclass(frozen=True)
class Linear(_Saved):
    """The kernel u·v; `linear` is its one instance."""

    rational: ClassVar[bool] = True

    def __call__(self, u: Sequence[S], v: Sequence[S], /) -> S:
        return dot(*_pair(u, v))


linear = Linear()
"""The linear kernel u·v."""


@dataclass(frozen=True)
class Polynomial(_Saved):
    """The kernel (u·v/scale + offset)^degree; see `polynomial`."""

    rational: ClassVar[bool] = True

    degree: int
    scale: float | Fraction
    offset: float | Fraction

    def __post_init__(self) -> None:
        degree = whole_number(self.degree, "degree", 1)
        if degree > MAX_DEGREE:
            raise ParameterError(f"degree: at most {MAX_DEGREE}, got {shown(degree)}")
        object.__setattr__(self, "degree", degree)  # an int, where one of another type was given
        if not exact_parameter(self.scale, "scale") > 0:
            raise ParameterError(f"scale: expected a positive number, got {shown(self.scale)}")
        if not exact_parameter(self.offset, "offset") >= 0:
            raise ParameterError(
                f"offset: expected at least 0, got {shown(self.offset)}; with less the kernel "
                "is not positive semi-definite"
            )

    def __call__(self, u: Sequence[S], v: Sequence[S], /) -> S:
        u, v, zero = _pair(u, v)
        a = in_arithmetic_of_data(self.scale, "scale", zero)
        b = in_arithmetic_of_data(self.offset, "offset", zero)
        base = dot(u, v, zero) / a + b
        if isinstance(base, Fraction):
            digits = max(base.numerator.bit_length(), base.denominator.bit_length())
            if digits * self.degree > MAX_BITS:
                raise ExactnessLimitError(
                    f"a kernel value has more than {MAX_DIGITS} digits; give a lower degree, or "
                    "rows with fewer digits"
                )
            return base**self.degree
        try:
            value = base**self.degree
        except OverflowError:
            value = math.inf
        if not math.isfinite(value):
            raise DataError(
                "a kernel value is beyond the range of floats; lift the data with exact()"
            )
        return value


def polynomial(degree: int, scale: Number = 1, offset: Number = 0) -> Polynomial:
    """The polynomial kernel (u·v/scale + offset)^degree.

    A whole degree from 1 to `MAX_DEGREE`, scale > 0 and offset ≥ 0, else `ParameterError`: with
    others it isn't positive semi-definite, or its values are too long. Parameters follow the data:
    whole numbers, text, Decimals and Fractions fit both arithmetics, floats only float data, else
    `MixedArithmeticError` when the kernel is used. [chang, "Common choice of Kernels"]

    >>> K = polynomial(2, scale=2, offset="1/2")
    >>> K([Fraction(1), Fraction(2)], [Fraction(3), Fraction(0)])
    Fraction(4, 1)
    """
    return Polynomial(degree, as_given(scale, "scale"), as_given(offset, "offset"))


@dataclass(frozen=True)
class RBF(_Saved):
    """The kernel exp(−gamma ‖u − v‖²); see `rbf`."""

    rational: ClassVar[bool] = False

    gamma: float | Fraction

    def __post_init__(self) -> None:
        if not exact_parameter(self.gamma, "gamma") > 0:
            raise ParameterError(f"gamma: expected a positive number, got {shown(self.gamma)}")

    def __call__(self, u: Sequence[S], v: Sequence[S], /) -> float:
        x, z, _ = _pair(u, v)
        return self.row(x, [z])[0] if x else 1.0

    def row(self, x: Sequence[S], rows: Sequence[Sequence[S]]) -> list[float]:
        """K(x, z) for each of the rows z: of floats column by column, many times faster."""
        if isinstance(x[0], float):
            squares = []
            for a, column in zip(x, zip(*rows)):
                differences = [a - b for b in column]
                squares.append(map(mul, differences, differences))
            try:
                gamma = in_arithmetic_of_data(self.gamma, "gamma", 0.0)
                distances = list(map(math.fsum, zip(*squares)))
                if max(distances, default=0.0) < math.inf:
                    return [math.exp(-gamma * distance) for distance in distances]
            except (OverflowError, DataError):  # some are beyond the range of floats
                pass
            if len(rows) > 1:
                return [self.row(x, [z])[0] for z in rows]
        return [self._of_exact(x, z) for z in rows]

    def _of_exact(self, x: Sequence[S], z: Sequence[S]) -> float:
        difference = [Fraction(a) - Fraction(b) for a, b in zip(x, z)]
        exponent = Fraction(self.gamma) * dot(difference, difference, Fraction(0))
        try:
            return math.exp(-float(exponent))
        except OverflowError:
            return 0.0


def rbf(gamma: Number) -> RBF:
    """The radial basis function kernel exp(−gamma ‖u − v‖²), gamma > 0; always a float.

    The values are irrational. Of exact rows −gamma ‖u − v‖² is computed exactly and rounded once
    before exp; gamma may be a float all the same. [chang, "Common choice of Kernels"],
    [chang, "RBF Kernel"]

    >>> rbf(1)([Fraction(1, 2)], [Fraction(1, 2)])
    1.0
    """
    return RBF(as_given(gamma, "gamma"))


def is_rational(kernel: Kernel | None) -> bool:
    """Whether the kernel's values of rational rows are rational; None stands for a matrix.

    >>> is_rational(polynomial(2)), is_rational(rbf(1)), is_rational(None)
    (True, False, False)
    """
    return isinstance(kernel, KNOWN) and bool(kernel.rational)


def whole_values(
    kernel: Kernel, rows: Sequence[Sequence[int]], x: Sequence[int], unit: int
) -> tuple[list[int], int]:
    """K(row/unit, x/unit) for each row, for a rational kernel: whole numbers and their denominator.

    They depend on the rows by u·v alone, which whole numbers give many times faster than Fractions.
    Parameters of the kernel that are floats count as the rationals that they are.

    >>> whole_values(Polynomial(2, 0.5, Fraction(1)), [[3]], [1], 2)
    ([25], 4)
    """
    products, over = [sum(map(mul, row, x)) for row in rows], unit * unit
    if not isinstance(kernel, Polynomial):
        return products, over
    a, b = Fraction(kernel.scale), Fraction(kernel.offset)
    factor = 1 / (a * over)
    over = math.lcm(factor.denominator, b.denominator)
    times, plus = int(factor * over), int(b * over)
    return [(times * p + plus) ** kernel.degree for p in products], over**kernel.degree


def is_known(kernel: Kernel) -> bool:
    """Whether the kernel is one of this module: it can be saved, and its exact values are
    positive semi-definite.

    >>> is_known(linear), is_known(max)
    (True, False)
    """
    return isinstance(kernel, KNOWN)


def _pair(u: Sequence[S], v: Sequence[S]) -> tuple[Sequence[S], Sequence[S], S]:
    """The two rows in one arithmetic, and its zero; rows of one type are taken as they are."""
    if len(u) != len(v):
        raise DataError(f"expected rows of equal length, got {len(u)} and {len(v)} numbers")
    kinds = {*map(type, u), *map(type, v)}
    zero: Any
    if kinds in ({float}, {Fraction}):
        zero = kinds.pop()(0)
        return u, v, zero
    parts, zero = read_together({"u": [u], "v": [v]})
    return parts["u"][0], parts["v"][0], zero


def kernel_from_json(record: object) -> Kernel:
    """The kernel that its `to_json` described; `FormatError` names the field that is wrong.

    Numbers may be text, or whole numbers and floats as JSON has them.

    >>> kernel_from_json({"name": "rbf", "gamma": "1/2"})
    RBF(gamma=Fraction(1, 2))
    """
    described = read_object(record, "kernel")
    name = described.get("name")
    if not isinstance(name, str) or name not in KERNELS:
        known = ", ".join(KERNELS)
        raise FormatError(f"kernel: name: expected one of {known}; got {shown(name)}")
    kind, make = KERNELS[name]
    given: dict[str, Any] = {key: v for key, v in described.items() if key != "name"}
    for key in sorted(given.keys() ^ {field.name for field in fields(kind)}, key=str):
        problem = "unknown field" if key in given else "missing field"
        raise FormatError(f"kernel: {problem} {key!r} for {name}")
    try:
        return make(**given)
    except ParameterError as error:
        raise FormatError(f"kernel: {error}") from None


KERNELS: Mapping[str, tuple[Any, Callable[..., Kernel]]] = {
    "linear": (Linear, Linear),
    "polynomial": (Polynomial, polynomial),
    "rbf": (RBF, rbf),
}
"""The kernels by their names in records: the class, whose fields are the parameters, and what makes
one of them. A kernel that `check` shall judge stands in `refmc.checker.kernels.KERNELS`, too."""

KNOWN: tuple[Any, ...] = tuple(kind for kind, _ in KERNELS.values())


def rbf_features(x: float | Fraction | Row, gamma: Number, order: int) -> tuple[float, ...]:
    """The explicit feature map of `rbf(gamma)`, cut after the monomials of degree `order`.

    x: a number, or a row of d numbers. The coordinate of the monomial x_1^a_1 ⋯ x_d^a_d is
    exp(−γ‖x‖²) · sqrt((2γ)^|a| / (a_1! ⋯ a_d!)) · x_1^a_1 ⋯ x_d^a_d, the product over i of the
    lecture's map of x_i. Coordinates stand by degree |a|, within a degree with higher powers of
    the earlier variables first: 1; x_1, x_2; x_1², x_1x_2, x_2²; … They number C(d + order, d).

    φ(x)·φ(z) misses K(x, z) by at most exp(−γ(‖x‖² + ‖z‖²) + max(t, 0)) |t|^(order+1) /
    (order+1)! with t = 2γ x·z, and rounding. The map is irrational: Fractions are rounded to
    floats first. Cost: O(d · order) for each coordinate.
    [chang, "Can we map data to very high dimensional space?"], [chang, "Common choice of Kernels"]

    >>> rbf_features(Fraction(0), 1, 2)
    (1.0, 0.0, 0.0)
    """
    listed = plain(x)
    numbers = [listed] if isinstance(listed, (int, float, Fraction)) else listed
    (row,), _ = read_rows([cast(Row, numbers)], "x")
    width = in_arithmetic_of_data(rbf(gamma).gamma, "gamma", 0.0)
    factors = [
        _scalar_features(as_float(x_i, "x"), width, whole_number(order, "order", 0)) for x_i in row
    ]
    return tuple(
        math.prod(factor[monomial.count(i)] for i, factor in enumerate(factors))
        for degree in range(order + 1)
        for monomial in combinations_with_replacement(range(len(row)), degree)
    )


def _scalar_features(x: float, gamma: float, order: int) -> list[float]:
    """exp(−γx²) · sqrt((2γ)^n / n!) · xⁿ for n = 0 … order; none is above 1 in absolute value."""
    features = [math.exp(-gamma * x * x)]
    for n in range(1, order + 1):
        features.append(features[-1] * x * math.sqrt(2 * gamma / n))
    return features
