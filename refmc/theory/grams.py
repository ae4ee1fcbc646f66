"""Gram matrices: computing them, checking them, and whether they are positive semi-definite.

For [chang, "Common choice of Kernels"] and the positive definite symmetric kernels of
[lu, "Kernel-Based Hypotheses for Multi-Class Classification"].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, cast

from refmc.core.definiteness import negative_direction
from refmc.core.parameters import check_function
from refmc.core.sample import (
    Matrix,
    Rows,
    check_count,
    check_filled,
    read_row,
    read_rows,
    read_together,
)
from refmc.core.scalars import S, is_exact, shown
from refmc.errors import DataError, ParameterError
from refmc.theory.kernels import RBF, Kernel, is_known, linear

FloatRows = tuple[tuple[float, ...], ...]
FractionRows = tuple[tuple[Fraction, ...], ...]


class OwnGram(tuple[Any, ...]):
    """A Gram matrix of one of refmc's own kernels, rounded or exact.

    Its exact values are those of a positive semi-definite matrix, which needs no proof.
    """


def gram(kernel: Kernel, X: Matrix, Z: Matrix | None = None) -> FloatRows | FractionRows:
    """The rows of K(x_i, z_j), m of them with one value for each row of Z (of X if None).

    X, Z: rows of equal length, in one arithmetic. The values have the arithmetic that the kernel
    gives them: Fractions from `rbf` become floats. Raises `DataError` (rows that don't fit; a value
    that is no finite number; without Z a function that gives K(x_i, x_j) and K(x_j, x_i) different
    values) and `MixedArithmeticError`. Cost: m² or m·|Z| kernel values, half of m² for refmc's own
    kernels, which are symmetric.
    [chang, "Common choice of Kernels"]

    >>> from refmc import polynomial
    >>> gram(polynomial(2), [[Fraction(1)], [Fraction(3)]])
    ((Fraction(1, 1), Fraction(9, 1)), (Fraction(9, 1), Fraction(81, 1)))
    """
    check_function(kernel, "kernel", "a function of two rows")
    if Z is not None:
        parts, zero = read_together({"X": X, "Z": Z})
        for name, part in parts.items():
            check_filled(part, name)
        check_count(parts["Z"][0], len(parts["X"][0]), "Z: row 0", "numbers, as X has")
        return _in_one_arithmetic([_row(kernel, parts["Z"], x) for x in parts["X"]], zero)
    rows, zero = read_rows(X)
    if is_known(kernel):  # these are symmetric: half of the values will do
        values: list[Any] = [_row(kernel, rows[: i + 1], x) for i, x in enumerate(rows)]
        for i, row in enumerate(values):
            row += [below[i] for below in values[i + 1 :]]
        return OwnGram(map(tuple, values))
    K = _in_one_arithmetic([_row(kernel, rows, x) for x in rows], zero)
    if (pair := asymmetry(K)) is not None:
        i, j = pair
        refuse_unlike(i, j, K[i][j], K[j][i])
    return K


def refuse_unlike(i: int, j: int, K_ij: float | Fraction, K_ji: float | Fraction) -> None:
    """`DataError` where the two values of a kernel at rows i and j, in both orders, differ.

    >>> refuse_unlike(1, 0, 2.0, 2.0)
    """
    if K_ij != K_ji:
        raise DataError(
            f"kernel: K of rows {i} and {j} is {shown(K_ij)}, but K of rows {j} and {i} is "
            f"{shown(K_ji)}; expected a symmetric function"
        )


def _row(kernel: Kernel, rows: Sequence[Sequence[Any]], x: Sequence[Any]) -> list[Any]:
    """K(x, row) for each row, as the kernel gives them."""
    if isinstance(kernel, RBF):
        return kernel.row(x, rows)
    function = cast("Callable[[Any, Any], Any]", kernel)
    return [function(x, row) for row in rows]


def _in_one_arithmetic(values: Sequence[Sequence[Any]], zero: object) -> FloatRows | FractionRows:
    """The validated values, in the arithmetic of the data if all are whole, else in their own."""
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
    """K(x, row) for each of the validated rows, in their arithmetic.

    `MixedArithmeticError` where the kernel has another, as `rbf` of Fractions.

    >>> kernel_row(linear, [[2.0, 0.0], [0.0, 3.0]], [1.0, 1.0], 0.0)
    (2.0, 3.0)
    """
    return read_row(_row(kernel, rows, x), zero, "kernel values")


def kernel_values(
    kernel: Kernel | None,
    rows: Sequence[Sequence[S]] | None,
    used: Sequence[int],
    x: Sequence[S],
    zero: S,
) -> tuple[S, ...]:
    """K(x_i, x) for the rows i that are used; without rows, x holds the values for all rows.

    >>> kernel_values(None, None, [1], [2.0, 3.0], 0.0)
    (3.0,)
    """
    if rows is None or kernel is None:
        return tuple(x[i] for i in used)
    return kernel_row(kernel, [rows[i] for i in used], x, zero)


def read_source(X: Matrix | None, kernel: Kernel, gram: Matrix | None) -> tuple[Rows, Any]:
    """What a kernel method is trained on, and the zero of its arithmetic.

    The rows of `gram` where it is given, else those of `X`. Beside `gram` there may be an `X` of as
    many rows, which is not used, but no kernel.

    >>> read_source(None, linear, [[Fraction(2)]])
    (((Fraction(2, 1),),), Fraction(0, 1))
    """
    check_function(kernel, "kernel", "a function of two rows")
    if gram is None:
        if X is None:
            raise ParameterError("X: give rows, or gram= with the matrix of kernel values")
        return read_rows(X)
    if kernel != linear:
        raise ParameterError("gram: give a kernel or its Gram matrix, not both")
    rows = None if X is None else read_rows(X)[0]
    values, zero = check_gram(gram)
    if rows is not None:
        check_count(values, len(rows), "gram", "rows, as X has")
    return values, zero


def check_gram(K: Matrix, name: str = "gram") -> tuple[Rows, Any]:
    """The validated rows of a square, exactly symmetric matrix, and the zero of its arithmetic.

    `DataError` names the row and column. Whether K is positive semi-definite is not asked here, but
    by `psd_witness`. Cost: O(m²).

    >>> check_gram([[Fraction(2), 1], [1, 3]])[0][1]
    (Fraction(1, 1), Fraction(3, 1))
    """
    rows, zero = read_rows(K, name)
    if len(rows[0]) != len(rows):
        raise DataError(f"{name}: expected a square matrix, got {len(rows)} rows of {len(rows[0])}")
    if (pair := asymmetry(rows)) is not None:
        i, j = pair
        raise DataError(
            f"{name}: row {i}, column {j} is {shown(rows[i][j])}, but row {j}, column {i} is "
            f"{shown(rows[j][i])}; expected a symmetric matrix"
        )
    return rows, zero


def asymmetry(K: Sequence[Sequence[float | Fraction]]) -> tuple[int, int] | None:
    """The first row and column at which a square matrix differs from its mirror image.

    >>> asymmetry([[1, 2], [3, 1]])
    (1, 0)
    """
    return next(((i, j) for i, row in enumerate(K) for j in range(i) if row[j] != K[j][i]), None)


def psd_witness(K: Matrix) -> tuple[Fraction, ...] | None:
    """A vector v with vᵀKv < 0, or None: K is positive semi-definite, decided exactly.

    K: a symmetric matrix of Fractions, or of floats, which are rationals too. There is no
    tolerance: a Gram matrix of `rbf`, rounded to floats, can fail by a hair, since nearly equal
    rows have kernel values that round to a singular block and beyond. Raises `DataError` where K
    is not square or not symmetric. Cost: O(m³) products of whole numbers of O(m) times the digits
    of K. [lu, "Kernel-Based Hypotheses for Multi-Class Classification"]

    >>> psd_witness([[Fraction(1), Fraction(2)], [Fraction(2), Fraction(1)]])
    (Fraction(-2, 1), Fraction(1, 1))
    >>> from refmc import rbf
    >>> psd_witness(gram(rbf(1), [[0.0], [2.0**-27], [2.0**-26]])) is None
    False
    """
    rows, _ = check_gram(K, "K")
    witness = negative_direction([[Fraction(entry) for entry in row] for row in rows])
    return None if witness is None else tuple(witness)
