"""What every SVM is trained on: points of a feature space, known by their inner products alone.

Points are rows of numbers under the linear kernel (`Rows`), or known by their Gram matrix only
(`Gram`). Here they are read, checked, turned from one arithmetic into the other, and multiplied.

A vector of the feature space, such as the w of an SVM, is an `Image`. It has blocks of coordinates,
in the multi-class SVM one for each class, and in each block it is a combination of points. What is
kept of a block is what it takes to multiply it with the points: d weights for `Rows`, the
coefficients of the points for `Gram`. In float a product is rounded once. Exact products are
computed as whole numbers over one denominator: to add up Fractions would take many times as long.

Legend: Φ(x_i) the m points, K(x, x′) the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from operator import itemgetter, mul
from typing import Any, Generic

from refmc.core.definiteness import (
    negative_direction,
    negative_direction_of_floats,
    rounding_allowance,
)
from refmc.core.linalg import check_length, common_denominator, dot, dots_of_floats, total
from refmc.core.sample import Matrix, read_rows
from refmc.core.scalars import Number, S, exact_parameter, listed, shown
from refmc.errors import MixedArithmeticError, NotPositiveSemidefiniteError, ParameterError
from refmc.theory.grams import OwnGram, read_source
from refmc.theory.grams import gram as kernel_matrix
from refmc.theory.kernels import Kernel, is_rational, linear, whole_values

Table = tuple[tuple[S, ...], ...]

Blocks = dict[int, dict[int, S]]
"""The coefficients of the points in a vector, for each block in which it isn't 0."""

Image = Mapping[int, Any]
"""A vector of the feature space, by its blocks; a block that is missing is 0.

What a block holds is the matter of `Rows` and `Gram`."""

Place = tuple[int, int]
"""A block, and the number of the point that is put into it."""

FEW = 50
"""For up to this many points, rounded kernel values are tested exactly for semi-definiteness."""


def read_points(X: Matrix | None, kernel: Kernel, gram: Matrix | None) -> Points[Any]:
    """The points of `X` under a kernel, or of a Gram matrix, which `X` may stand beside.

    `NotPositiveSemidefiniteError` where the matrix is provably not semi-definite. What `gram` made
    of one of refmc's own kernels needs no check: these are the values of a semi-definite matrix,
    rounded.

    >>> read_points([[Fraction(1)], [2]], linear, None).rows
    ((Fraction(1, 1),), (Fraction(2, 1),))
    """
    if X is not None and gram is None and kernel == linear:
        rows, zero = read_rows(X)
        return Points(rows, None, kernel, zero)
    rows, zero = read_source(X, kernel, gram)
    K: Any = kernel_matrix(kernel, rows) if gram is None else rows
    if type(K[0][0]) is not type(zero):
        raise MixedArithmeticError(
            "kernel: gives floats for exact rows; decide on the matrix to be solved for, such "
            "as gram=exact(gram(kernel, X))"
        )
    if not isinstance(K if gram is None else gram, OwnGram):
        find: Any = negative_direction_of_floats if isinstance(zero, float) else negative_direction
        if (witness := find(K)) is not None:
            raise not_semidefinite(witness)
    return Points(rows, K, kernel, zero) if gram is None else Points(None, K, None, zero)


def exact_gram(kernel: Kernel, rows: Table[Fraction]) -> Table[Fraction]:
    """The values of a rational kernel, with float parameters taken as the rationals that they are.

    >>> from refmc.theory.kernels import Polynomial
    >>> exact_gram(Polynomial(2, 0.5, Fraction(0)), ((Fraction(1),),))
    ((Fraction(4, 1),),)
    """
    whole, q = common_denominator(rows)
    lower = []
    for i, x in enumerate(whole):
        values, over = whole_values(kernel, whole[: i + 1], x, q)
        lower.append([Fraction(value, over) for value in values])
    m = range(len(rows))
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


@dataclass(frozen=True)
class Points(Generic[S]):
    """The m training points, in one arithmetic.

    `rows`: None if only the Gram matrix is known. `gram`: their kernel values, None for the linear
    kernel. `kernel`: None if the Gram matrix was given. `zero`: the zero of the arithmetic.
    `constant`: whether the geometry has one more point, number m: the constant 1, whose weight is
    a bias that counts in the norm. `rounded_kernel`: whether `gram` holds kernel values that were
    rounded to floats and lifted, so that it need not be positive semi-definite.
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
    def geometry(self) -> Rows[S] | Gram[S]:
        """The inner products of the points' features."""
        if self.gram is None and self.rows is not None:
            return Rows(self.rows + ((self.zero + 1,),) * self.constant, self.zero)
        gram: Table[S] = self.gram or ()
        if self.constant:  # orthogonal to all the points, since its block is another
            border = (self.zero,) * len(gram) + (self.zero + 1,)
            gram = tuple(row + (self.zero,) for row in gram) + (border,)
        return Gram(gram, self.zero)

    def lifted(self) -> Points[Fraction]:
        """These points with exact numbers; a rational kernel is evaluated again, exactly."""
        if isinstance(self.zero, Fraction):
            return self
        gram: Any = self.gram
        rows: Any = self.rows and tuple(tuple(Fraction(a) for a in row) for row in self.rows)
        # The given values of a rational kernel are rounded. Its exact values are what is meant.
        if rows and gram and self.kernel is not None and is_rational(self.kernel):
            return Points(rows, exact_gram(self.kernel, rows), self.kernel, Fraction(0))
        # Other values stay the floats that they are: few of them are ever needed as fractions.
        return Points(rows, gram, self.kernel, Fraction(0), rounded_kernel=gram is not None)

    def weights(self, image: Image, blocks: int) -> Table[S] | None:
        """The weight vectors of an image, where the points are rows under the linear kernel."""
        if self.rows is None or self.gram is not None:
            return None
        nothing = (self.zero,) * len(self.rows[0])
        return tuple(tuple(image.get(block, nothing)) for block in range(blocks))

    def check_norm(self: Points[Fraction], norm: Fraction, beta: Sequence[Fraction]) -> None:
        """Raise `NotPositiveSemidefiniteError` if ‖Σ β_i Φ(x_i)‖² < 0 by more than roundings."""
        if norm < 0:
            # An exact matrix is known to be semi-definite.
            allowance = rounding_allowance(self.gram or ())
            if norm < -allowance * sum(b * b for b in beta):
                raise not_semidefinite(beta)

    def is_semidefinite(self: Points[Fraction]) -> bool:
        """Whether the matrix of exact values is known to be positive semi-definite, or proved so.

        For rounded values that takes exact elimination, which is tried for few points only.
        """
        if not self.rounded_kernel or self.gram is None:
            return True
        if len(self) > FEW:
            return False
        return negative_direction([[Fraction(a) for a in row] for row in self.gram]) is None


class Rows(Generic[S]):
    """Points that are rows of numbers: the linear kernel. A block holds a list of d weights.

    >>> rows = Rows([[Fraction(1), Fraction(2)]], Fraction(0))
    >>> w = rows.image({3: {0: Fraction(1, 2)}})
    >>> w, rows.scores(w, [(3, 0)])
    ({3: [Fraction(1, 2), Fraction(1, 1)]}, {(3, 0): Fraction(5, 2)})
    """

    zero: S
    rows: Sequence[Sequence[S]]

    def __init__(self, rows: Sequence[Sequence[S]], zero: S) -> None:
        self.rows, self.zero = rows, zero
        self.inners: dict[int, dict[int, S]] = {}
        if isinstance(zero, Fraction):
            # All products to come are computed from these whole numbers over one denominator.
            self.whole, self.unit = common_denominator(rows)

    def image(self, blocks: Blocks[S]) -> Image:
        """The vector with these coefficients of the points."""
        image: dict[int, list[Any]] = {}
        for block, coefficients in blocks.items():
            weights = list(coefficients.values())
            if isinstance(self.zero, float):
                columns = zip(*(self.rows[i] for i in coefficients))
                image[block] = dots_of_floats((column, weights) for column in columns)
            else:
                (multiples,), q = common_denominator([weights])
                unit = q * self.unit
                whole_columns = zip(*(self.whole[i] for i in coefficients))
                image[block] = [
                    Fraction(sum(map(mul, multiples, column)), unit) for column in whole_columns
                ]
        return image

    def moved(self, image: Image, step: S, way: Image) -> Image:
        """image + step·way."""
        sums = dict(image)
        for block, weights in way.items():
            before = image.get(block) or [self.zero] * len(weights)
            sums[block] = [a + step * b for a, b in zip(before, weights)]
        return sums

    def added(self, image: Image, parts: Iterable[tuple[Place, S]]) -> Image:
        """The image and these multiples of few points."""
        sums = dict(image)
        for (block, i), a in parts:
            before = sums.get(block) or [self.zero] * len(self.rows[i])
            sums[block] = [b + a * c for b, c in zip(before, self.rows[i])]
        return sums

    def inner(self, i: int, j: int) -> S:
        """The inner product of two points."""
        # Sweeps ask for the same few pairs again and again.
        known = self.inners.setdefault(i, {})
        if j not in known:
            known[j] = dot(self.rows[i], self.rows[j], self.zero)
        return known[j]

    def scores(self, image: Image, places: Iterable[Place]) -> dict[Place, S]:
        """For each place the product of the image with its point in its block."""
        if isinstance(self.zero, float):
            pairs = [(self.rows[i], image.get(block, ())) for block, i in places]
            return dict(zip(places, dots_of_floats(pairs)))
        scores, whole = {}, dict[int, tuple[list[int], int]]()
        for block, i in places:
            if block not in whole:
                (weights,), q = common_denominator([image.get(block, ())])
                whole[block] = weights, q * self.unit
            weights, unit = whole[block]
            scores[block, i] = Fraction(sum(map(mul, self.whole[i], weights)), unit)
        return scores

    def square(self, image: Image) -> S:
        """The squared norm of the image."""
        square: S = total((dot(w, w, self.zero) for w in image.values()), self.zero)
        return square


class Gram(Generic[S]):
    """Points known by their Gram matrix only. A block holds the coefficients of the points."""

    zero: S
    rows: Sequence[Sequence[S]]

    def __init__(self, gram: Sequence[Sequence[S]], zero: S) -> None:
        self.rows, self.zero = gram, zero
        self.whole: dict[int, tuple[list[int], int]] = {}

    def image(self, blocks: Blocks[S]) -> Image:
        """The vector with these coefficients of the points."""
        return blocks

    def moved(self, image: Image, step: S, way: Image) -> Image:
        """image + step·way."""
        moved = dict(image)
        for block, part in way.items():
            moved[block] = dict(image.get(block, {}))
            for i, b in part.items():
                moved[block][i] = moved[block].get(i, self.zero) + step * b
        return moved

    def added(self, image: Image, parts: Iterable[tuple[Place, S]]) -> Image:
        """The image and these multiples of few points."""
        sums = dict(image)
        for (block, i), a in parts:
            sums[block] = {**sums.get(block, {}), i: sums.get(block, {}).get(i, self.zero) + a}
        return sums

    def inner(self, i: int, j: int) -> S:
        """The inner product of two points."""
        return type(self.zero)(self.rows[i][j])

    def scores(self, image: Image, places: Iterable[Place]) -> dict[Place, S]:
        """For each place the product of the image with its point in its block."""
        points: dict[int, list[int]] = {}
        for block, i in places:
            points.setdefault(block, []).append(i)
        scores: dict[Place, S] = {}
        for block, chosen in points.items():
            part = image.get(block)
            values = self.products(part, chosen) if part else [self.zero] * len(chosen)
            scores |= {(block, i): value for i, value in zip(chosen, values)}
        return scores

    def products(self, part: dict[int, S], points: Sequence[int]) -> list[S]:
        """The product of the coefficients of one block with each of the points."""
        weights = list(part.values())
        entries: Callable[[Sequence[Any]], Sequence[Any]] = itemgetter(*part)
        if len(part) == 1:  # for which itemgetter would give the entry itself
            (only,) = part
            entries = itemgetter(slice(only, only + 1))
        if isinstance(self.zero, float):
            return dots_of_floats((entries(self.rows[i]), weights) for i in points)
        (multiples,), q = common_denominator([weights])
        products: list[Any] = []
        for i in points:
            whole, unit = self.whole_row(i)
            products.append(Fraction(sum(map(mul, entries(whole), multiples)), q * unit))
        return products

    def whole_row(self, i: int) -> tuple[list[int], int]:
        """The kernel values of one point with all, in whole numbers over one denominator."""
        if i not in self.whole:
            ratios = [a.as_integer_ratio() for a in self.rows[i]]
            unit = lcm(*{below for _, below in ratios})
            check_length(unit)
            self.whole[i] = [above * (unit // below) for above, below in ratios], unit
        return self.whole[i]

    def square(self, image: Image) -> S:
        """The squared norm of the image."""
        products = (
            dot(list(part.values()), self.products(part, list(part)), self.zero)
            for part in image.values()
        )
        square: S = total(products, self.zero)
        return square
