"""Kernels, their Gram matrices, and the explicit feature map of the RBF kernel.

Covers [chang, "Common choice of Kernels"] and the notion of a positive definite symmetric kernel
in [lu, "Kernel-Based Hypotheses for Multi-Class Classification"].

Differs from the lecture:
- the parameters of the polynomial kernel are restricted to those for which it is positive
  semi-definite on every sample: d ≥ 1 whole, a > 0, b ≥ 0;
- the feature map of the RBF kernel is printed for a single number x; here also for rows.

Legend: a `scale`, b `offset`, d `degree`, γ `gamma`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, Protocol, TypeVar, cast

from refmc.core.linalg import dot, negative_direction
from refmc.core.sample import Matrix, Row, read_row, read_rows, read_together
from refmc.core.scalars import (
    Number,
    S,
    as_float,
    exact_parameter,
    is_exact,
    number_text,
    parameter,
    plain,
    shown,
    whole_number,
)
from refmc.errors import DataError, FormatError, ParameterError

S_contra = TypeVar("S_contra", float, Fraction, contravariant=True)


class KernelOf(Protocol[S_contra]):
    """A symmetric function of two rows in one arithmetic."""

    def __call__(self, u: Sequence[S_contra], v: Sequence[S_contra], /) -> float | Fraction: ...


Kernel = KernelOf[float] | KernelOf[Fraction]
"""Any kernel: those below, and functions of the caller's for floats, for Fractions or for both."""

FloatRows = tuple[tuple[float, ...], ...]
FractionRows = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True)
class Linear:
    """The kernel u·v; `linear` is its one instance."""

    def __call__(self, u: Sequence[S], v: Sequence[S], /) -> S:
        return dot(*_pair(u, v))

    def to_json(self) -> dict[str, object]:
        """The record that `kernel_from_json` reads."""
        return {"name": "linear"}


linear = Linear()
"""The linear kernel u·v."""


@dataclass(frozen=True)
class Polynomial:
    """The kernel (u·v/scale + offset)^degree; see `polynomial`."""

    degree: int
    scale: float | Fraction
    offset: float | Fraction

    def __post_init__(self) -> None:
        whole_number(self.degree, "degree", 1)
        if not exact_parameter(self.scale, "scale") > 0:
            raise ParameterError(f"scale: expected a positive number, got {shown(self.scale)}")
        if not exact_parameter(self.offset, "offset") >= 0:
            raise ParameterError(
                f"offset: expected at least 0, got {shown(self.offset)}; with less the kernel "
                "is not positive semi-definite"
            )

    def __call__(self, u: Sequence[S], v: Sequence[S], /) -> S:
        u, v, zero = _pair(u, v)
        a, b = _follow(self.scale, "scale", zero), _follow(self.offset, "offset", zero)
        base = dot(u, v, zero) / a + b
        if isinstance(base, Fraction):
            return base**self.degree
        return _finite_power(base, self.degree)

    def to_json(self) -> dict[str, object]:
        """The record that `kernel_from_json` reads; exact parameters as text."""
        scale, offset = _written(self.scale), _written(self.offset)
        return {"name": "polynomial", "degree": self.degree, "scale": scale, "offset": offset}


def polynomial(degree: int, scale: Number = 1, offset: Number = 0) -> Polynomial:
    """The polynomial kernel (u·v/scale + offset)^degree.

    A whole degree ≥ 1, scale > 0 and offset ≥ 0, else `ParameterError`: other parameters don't
    give a positive semi-definite kernel. Parameters follow the data: whole numbers, text,
    Decimals and Fractions fit both arithmetics, floats only float data, else
    `MixedArithmeticError` when the kernel is used. [chang, "Common choice of Kernels"]

    >>> K = polynomial(2, scale=2, offset="1/2")
    >>> K([Fraction(1), Fraction(2)], [Fraction(3), Fraction(0)])
    Fraction(4, 1)
    """
    whole = whole_number(degree, "degree", 1)
    return Polynomial(whole, _kept(scale, "scale"), _kept(offset, "offset"))


@dataclass(frozen=True)
class RBF:
    """The kernel exp(−gamma ‖u − v‖²); see `rbf`."""

    gamma: float | Fraction

    def __post_init__(self) -> None:
        if not exact_parameter(self.gamma, "gamma") > 0:
            raise ParameterError(f"gamma: expected a positive number, got {shown(self.gamma)}")

    def __call__(self, u: Sequence[S], v: Sequence[S], /) -> float:
        x, z, zero = _pair(u, v)
        if isinstance(zero, Fraction):
            return self._of_exact(x, z)
        try:
            difference = [a - b for a, b in zip(x, z)]
            return math.exp(-_follow(self.gamma, "gamma", zero) * dot(difference, difference, zero))
        except DataError:  # the distance is beyond the range of floats, the kernel's value is not
            return self._of_exact([Fraction(a) for a in x], [Fraction(b) for b in z])

    def _of_exact(self, x: Sequence[Fraction], z: Sequence[Fraction]) -> float:
        difference = [a - b for a, b in zip(x, z)]
        exponent = Fraction(self.gamma) * dot(difference, difference, Fraction(0))
        try:
            return math.exp(-float(exponent))
        except OverflowError:
            return 0.0

    def to_json(self) -> dict[str, object]:
        """The record that `kernel_from_json` reads; an exact parameter as text."""
        return {"name": "rbf", "gamma": _written(self.gamma)}


def rbf(gamma: Number) -> RBF:
    """The radial basis function kernel exp(−gamma ‖u − v‖²), gamma > 0; always a float.

    The values are irrational. Of exact rows −gamma ‖u − v‖² is computed exactly and rounded once
    before exp; gamma may be a float all the same. [chang, "Common choice of Kernels"],
    [chang, "RBF Kernel"]

    >>> rbf(1)([Fraction(1, 2)], [Fraction(1, 2)])
    1.0
    """
    return RBF(_kept(gamma, "gamma"))


def is_rational(kernel: Kernel | None) -> bool:
    """Whether the kernel's values of rational rows are rational; None stands for a matrix.

    >>> is_rational(polynomial(2)), is_rational(rbf(1)), is_rational(None)
    (True, False, False)
    """
    return isinstance(kernel, (Linear, Polynomial))


def is_known(kernel: Kernel) -> bool:
    """Whether the kernel is one of this module: it can be saved, and its exact values are
    positive semi-definite.

    >>> is_known(linear), is_known(max)
    (True, False)
    """
    return isinstance(kernel, (Linear, Polynomial, RBF))


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


def _kept(value: Number, name: str) -> float | Fraction:
    """A float as it is; whatever else denotes a number, as a Fraction."""
    lifted = exact_parameter(value, name)
    return float(value) if isinstance(value, float) else lifted


def _follow(value: float | Fraction, name: str, zero: S) -> S:
    """A kept parameter in the arithmetic of `zero`; a float beside Fractions is refused."""
    if isinstance(zero, Fraction):
        return parameter(value, name, zero)
    return value if isinstance(value, float) else as_float(value, name)


def _finite_power(base: float, degree: int) -> float:
    try:
        value = base**degree
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise DataError("a kernel value is beyond the range of floats; lift the data with exact()")
    return value


def _written(value: float | Fraction) -> str | float:
    """An exact number as text, a float as the JSON number that names it."""
    return value if isinstance(value, float) else number_text(value)


def kernel_from_json(record: object) -> Kernel:
    """The kernel that its `to_json` described; `FormatError` names the field that is wrong.

    Numbers may be text, or whole numbers and floats as JSON has them.

    >>> kernel_from_json({"name": "rbf", "gamma": "1/2"})
    RBF(gamma=Fraction(1, 2))
    """
    if not isinstance(record, Mapping):
        raise FormatError(f"kernel: expected an object, got {type(record).__name__}")
    name = record.get("name")
    if not isinstance(name, str) or name not in _FIELDS:
        known = ", ".join(_FIELDS)
        raise FormatError(f"kernel: name: expected one of {known}; got {shown(name)}")
    fields = {key: value for key, value in record.items() if key != "name"}
    for key in sorted(fields.keys() ^ _FIELDS[name], key=str):
        problem = "unknown field" if key in fields else "missing field"
        raise FormatError(f"kernel: {problem} {key!r} for {name}")
    try:
        return _build(name, cast("Mapping[str, Any]", fields))
    except ParameterError as error:
        raise FormatError(f"kernel: {error}") from None


_FIELDS: Mapping[str, frozenset[str]] = {
    "linear": frozenset(),
    "polynomial": frozenset({"degree", "scale", "offset"}),
    "rbf": frozenset({"gamma"}),
}


def _build(name: str, fields: Mapping[str, Any]) -> Kernel:
    if name == "linear":
        return linear
    return rbf(**fields) if name == "rbf" else polynomial(**fields)


def gram(kernel: Kernel, X: Matrix, Z: Matrix | None = None) -> FloatRows | FractionRows:
    """The rows of K(x_i, z_j), m of them with one value for each row of Z (of X if None).

    X, Z: rows of equal length, in one arithmetic. Without Z each pair is computed once and
    K(x_j, x_i) is taken to be K(x_i, x_j). The values have the arithmetic that the kernel gives
    them: Fractions from `rbf` become floats. Raises `DataError` (rows that don't fit; a value
    that is no finite number) and `MixedArithmeticError`. Cost: m(m + 1)/2 or m·|Z| kernel values.
    [chang, "Common choice of Kernels"]

    >>> gram(polynomial(2), [[Fraction(1)], [Fraction(3)]])
    ((Fraction(1, 1), Fraction(9, 1)), (Fraction(9, 1), Fraction(81, 1)))
    """
    if Z is None:
        rows, zero = read_rows(X)
        values = _symmetric(_lower_triangle(kernel, rows))
    else:
        parts, zero = read_together({"X": X, "Z": Z})
        _check_columns(parts)
        values = [[_evaluate(kernel, x, z) for z in parts["Z"]] for x in parts["X"]]
    return _in_one_arithmetic(values, zero)


def _evaluate(kernel: Kernel, u: Sequence[Any], v: Sequence[Any]) -> Any:
    return cast("Callable[[Any, Any], Any]", kernel)(u, v)


def _lower_triangle(kernel: Kernel, rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [[_evaluate(kernel, u, v) for v in rows[: i + 1]] for i, u in enumerate(rows)]


def _symmetric(lower: Sequence[Sequence[Any]]) -> list[list[Any]]:
    m = len(lower)
    return [[lower[max(i, j)][min(i, j)] for j in range(m)] for i in range(m)]


def _check_columns(parts: Mapping[str, Sequence[Sequence[object]]]) -> None:
    for name, rows in parts.items():
        if not rows or not rows[0]:
            raise DataError(f"{name}: expected at least one row of at least one column")
    columns, expected = len(parts["Z"][0]), len(parts["X"][0])
    if columns != expected:
        raise DataError(f"Z: expected rows of {expected} numbers, as X has, got {columns}")


def _in_one_arithmetic(values: Sequence[Sequence[Any]], zero: object) -> FloatRows | FractionRows:
    """The values validated; whole numbers alone follow the data."""
    places = (
        (f"K of rows {i} and {j}", value)
        for i, row in enumerate(values)
        for j, value in enumerate(row)
    )
    found_exact = is_exact(places)
    ints_only = all(isinstance(value, int) for row in values for value in row)
    follows: Any = zero if ints_only else (Fraction(0) if found_exact else 0.0)
    rows: Any = tuple(read_row(row, follows, f"K of row {i}") for i, row in enumerate(values))
    return cast(FloatRows | FractionRows, rows)


def kernel_row(
    kernel: Kernel, rows: Sequence[Sequence[S]], x: Sequence[S], zero: S
) -> tuple[S, ...]:
    """K(row, x) for each of the validated rows, in their arithmetic.

    `MixedArithmeticError` where the kernel has another, as `rbf` of Fractions.

    >>> kernel_row(linear, [[2.0, 0.0], [0.0, 3.0]], [1.0, 1.0], 0.0)
    (2.0, 3.0)
    """
    return read_row([_evaluate(kernel, row, x) for row in rows], zero, "kernel values")


def kernel_values(
    kernel: Kernel | None,
    rows: Sequence[Sequence[S]] | None,
    used: Sequence[int],
    x: Sequence[S],
    zero: S,
) -> tuple[S, ...]:
    """K(x_i, x) for the rows i that are used; without rows x holds the values for all of them.

    >>> kernel_values(None, None, [1], [2.0, 3.0], 0.0)
    (3.0,)
    """
    if rows is None or kernel is None:
        return tuple(x[i] for i in used)
    return kernel_row(kernel, [rows[i] for i in used], x, zero)


def check_source(X: Matrix | None, kernel: Kernel, gram: Matrix | None) -> None:
    """`ParameterError` unless training has rows and a kernel, or a Gram matrix without one."""
    if not callable(kernel):
        raise ParameterError(f"kernel: expected a function of two rows, got {shown(kernel)}")
    if gram is not None and kernel != linear:
        raise ParameterError("gram: give a kernel or its Gram matrix, not both")
    if gram is None and X is None:
        raise ParameterError("X: give rows, or gram= with the matrix of kernel values")


def check_gram(K: Matrix, name: str = "gram") -> tuple[tuple[tuple[Any, ...], ...], Any]:
    """The validated rows of a square, exactly symmetric matrix, and the zero of its arithmetic.

    `DataError` names the row and column; whether K is positive semi-definite is `psd_witness`'s
    question. Cost: O(m²).

    >>> check_gram([[Fraction(2), 1], [1, 3]])[0][1]
    (Fraction(1, 1), Fraction(3, 1))
    """
    rows, zero = read_rows(K, name)
    if len(rows[0]) != len(rows):
        raise DataError(f"{name}: expected a square matrix, got {len(rows)} rows of {len(rows[0])}")
    for i, row in enumerate(rows):
        for j in range(i):
            if row[j] != rows[j][i]:
                raise DataError(
                    f"{name}: row {i}, column {j} is {shown(row[j])}, but row {j}, column {i} is "
                    f"{shown(rows[j][i])}; expected a symmetric matrix"
                )
    return rows, zero


def psd_witness(K: Matrix) -> tuple[Fraction, ...] | None:
    """A vector v with vᵀKv < 0, or None: K is positive semi-definite, decided exactly.

    K: a symmetric matrix of Fractions, or of floats, which are rationals too. There is no
    tolerance: a Gram matrix of `rbf`, rounded to floats, can fail by a hair, since nearly equal
    rows have kernel values that round to a singular block and beyond. Raises `DataError` where K
    is not square or not symmetric. Cost: O(m³) products of whole numbers of O(m) times the digits
    of K. [lu, "Kernel-Based Hypotheses for Multi-Class Classification"]

    >>> psd_witness([[Fraction(1), Fraction(2)], [Fraction(2), Fraction(1)]])
    (Fraction(-2, 1), Fraction(1, 1))
    >>> psd_witness(gram(rbf(1), [[0.0], [2.0**-27], [2.0**-26]])) is None
    False
    """
    rows, _ = check_gram(K, "K")
    witness = negative_direction([[Fraction(entry) for entry in row] for row in rows])
    return None if witness is None else tuple(witness)


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
    width = _follow(rbf(gamma).gamma, "gamma", 0.0)
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
