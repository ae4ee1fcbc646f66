"""What every SVM is trained on: points of a feature space, by rows and a kernel or a Gram matrix.

Here they are read and checked, and turned from one arithmetic into the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import Any, Generic, TypeVar

from refmc.core.linalg import (
    common_denominator,
    negative_direction,
    negative_direction_of_floats,
    rounding_allowance,
)
from refmc.core.sample import Matrix, read_rows
from refmc.core.scalars import Number, S, exact_parameter, shown
from refmc.errors import (
    DataError,
    MixedArithmeticError,
    NotPositiveSemidefiniteError,
    ParameterError,
)
from refmc.learn.svm.geometry import Gram, PointSet, Rows
from refmc.learn.svm.matrix_face import listed
from refmc.theory.grams import check_gram, check_source
from refmc.theory.grams import gram as kernel_matrix
from refmc.theory.kernels import Kernel, is_known, is_rational, lifted, linear

T = TypeVar("T", float, Fraction)

Table = tuple[tuple[S, ...], ...]

FEW = 50
"""Of how many points the rounded kernel values may be proved semi-definite where floats fail."""


@dataclass(frozen=True)
class Points(Generic[S]):
    """The m training points, in one arithmetic.

    `rows`: None if only the Gram matrix is known. `gram`: their kernel values, None for the linear
    kernel. `kernel`: None if the Gram matrix was given. `zero`: the zero of the arithmetic.
    `constant`: whether the geometry has one more point, number m: a 1, which is what a bias that
    counts in the norm is the weight of. `rounded_kernel`: whether `gram` holds lifted floats that
    kernel values were rounded to, so that it need not be positive semi-definite.
    """

    rows: Table[S] | None
    gram: Table[S] | None
    kernel: Kernel | None
    zero: S
    constant: bool = False
    rounded_kernel: bool = False

    def __len__(self) -> int:
        return len(self.rows or self.gram or ())

    @cached_property
    def geometry(self) -> PointSet[S]:
        """The inner products of the points' features."""
        if self.gram is None and self.rows is not None:
            return Rows(self.rows + ((self.zero + 1,),) * self.constant, self.zero)
        gram: Table[S] = self.gram or ()
        if self.constant:
            border = (self.zero,) * len(gram) + (self.zero + 1,)
            gram = tuple(row + (self.zero,) for row in gram) + (border,)
        return Gram(gram, self.zero)

    def lifted(self) -> Points[Fraction]:
        """The rationals that the numbers are; of a rational kernel its exact values for them."""
        points = self._as(Fraction, Fraction(0))
        if points.gram is None:
            return points
        if points.rows is not None and self.kernel is not None and is_rational(self.kernel):
            return replace(points, gram=exact_gram(self.kernel, points.rows))
        return replace(points, rounded_kernel=True)

    def rounded(self) -> Points[float]:
        """Each number's nearest float; `OverflowError` where there is none."""
        return self._as(float, 0.0)

    def _as(self, convert: Callable[[S], T], zero: T) -> Points[T]:
        def converted(rows: Table[S] | None) -> Table[T] | None:
            return None if rows is None else tuple(tuple(map(convert, row)) for row in rows)

        rows, gram = converted(self.rows), converted(self.gram)
        return Points(rows, gram, self.kernel, zero, self.constant)

    def check_norm(self, norm: S, beta: Sequence[S]) -> None:
        """Raise `NotPositiveSemidefiniteError` where ‖Σ β_i Φ(x_i)‖² < 0 is no rounding."""
        allowance = Fraction(0)
        if norm < 0 and self.rounded_kernel and self.gram is not None:
            allowance = rounding_allowance([list(map(Fraction, row)) for row in self.gram])
        if norm < -allowance * sum(Fraction(b) ** 2 for b in beta):
            raise not_semidefinite([Fraction(b) for b in beta])

    def is_semidefinite(self) -> bool:
        """Whether the matrix of exact values is known to be positive semi-definite, or proved so.

        For rounded values that takes exact elimination, which is tried for few points only.
        """
        if not self.rounded_kernel or self.gram is None:
            return True
        K = [list(map(Fraction, row)) for row in self.gram]
        return len(K) <= FEW and negative_direction(K) is None

    def check_semidefinite(self) -> None:
        """Raise `NotPositiveSemidefiniteError` for a matrix that proves itself to be none.

        Values of refmc's own kernels need no check: what they are next to is semi-definite.
        """
        if self.gram is None or (self.kernel is not None and is_known(self.kernel)):
            return
        find: Callable[[Any], Sequence[Fraction] | None] = negative_direction
        if isinstance(self.zero, float):
            find = negative_direction_of_floats
        witness = find(self.gram)
        if witness is not None:
            raise not_semidefinite(witness)


def read_points(X: Matrix | None, kernel: Kernel, gram: Matrix | None) -> Points[Any]:
    """The points of `X` under a kernel, or of a Gram matrix, which `X` may stand beside.

    >>> read_points([[Fraction(1)], [2]], linear, None).rows
    ((Fraction(1, 1),), (Fraction(2, 1),))
    """
    check_source(X, kernel, gram)
    if gram is not None:
        m = None if X is None else len(read_rows(X)[0])
        values, zero = check_gram(gram)
        if m is not None and m != len(values):
            raise DataError(f"gram: expected {m} rows, as X has, got {len(values)}")
        return Points(None, values, None, zero)
    assert X is not None  # by check_source
    rows, zero = read_rows(X)
    if kernel == linear:
        return Points(rows, None, kernel, zero)
    values, found = check_gram(kernel_matrix(kernel, rows))
    if type(found) is not type(zero):
        raise MixedArithmeticError(
            "kernel: gives floats for exact rows; decide on the matrix to be solved for, such as "
            "gram=exact(gram(kernel, X))"
        )
    return Points(rows, values, kernel, zero)


def exact_gram(kernel: Kernel, rows: Table[Fraction]) -> Table[Fraction]:
    """The values of a rational kernel, with float parameters taken as the rationals that they are.

    >>> from refmc.theory.kernels import Polynomial
    >>> exact_gram(Polynomial(2, 0.5, Fraction(0)), ((Fraction(1),),))
    ((Fraction(4, 1),),)
    """
    K, m, one = lifted(kernel), range(len(rows)), [Fraction(1)]
    whole, q = common_denominator(rows)
    # It depends on the rows by u·v alone, which whole numbers give many times faster.
    lower = [
        [Fraction(K([Fraction(sum(map(mul, u, v)), q * q)], one)) for v in whole[: i + 1]]
        for i, u in enumerate(whole)
    ]
    return tuple(tuple(lower[max(i, j)][min(i, j)] for j in m) for i in m)


def not_semidefinite(witness: Sequence[Fraction]) -> NotPositiveSemidefiniteError:
    """The refusal of a kernel's matrix K with vᵀKv < 0 for this v."""
    return NotPositiveSemidefiniteError(
        f"gram: the kernel's matrix is not positive semi-definite: vᵀKv < 0 for v = "
        f"{listed(witness)}",
        witness,
    )


def read_goal(gap: Number) -> float:
    """`gap` as a float, whatever the data's arithmetic: it is no part of the problem.

    >>> read_goal("1/2")
    0.5
    """
    goal = exact_parameter(gap, "gap")
    if goal < 0:
        raise ParameterError(f"gap: expected at least 0, got {shown(gap)}")
    return float(min(goal, Fraction(1)))
