"""What the duals of all SVMs need to know of the points: their inner products, and no more.

A dual has one vector D_v for each of its multipliers x_v, and everything that it asks for are
products of the D_v with w = Σ_v x_v D_v. `Rows` and `Gram` hold the points Φ themselves;
`Signed` and `Differences` make of them the D_v of the binary and of the multi-class SVM:

    binary:       D_i  = y_i Φ(x_i)
    multi-class:  D_iz = Ψ(x_i, y_i) − Ψ(x_i, z)

A vector such as w is an `Image`: what it takes to multiply it with the points. That are d weights
for `Rows`, coefficients of the points for `Gram`, and an image for each class where Ψ is the
block map. Floats are rounded once a product; exact products are computed as whole numbers over
one denominator.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from operator import itemgetter, mul
from typing import Any, Generic, Protocol

from refmc.core.linalg import common_denominator, dot, total
from refmc.core.scalars import S

Image = Any
"""A vector of the feature space, in the form that its geometry gives it; None is the vector 0."""


class Geometry(Protocol[S]):
    """Some vectors, by their inner products with combinations of them."""

    def image(self, coefficients: Mapping[int, S]) -> Image:
        """The sum of the vectors, each times its coefficient."""

    def moved(self, image: Image, step: S, way: Image) -> Image:
        """image + step·way."""

    def products(self, image: Image, vectors: Sequence[int]) -> list[S]:
        """The inner product of the image with each of the vectors."""

    def square(self, image: Image) -> S:
        """The squared norm of the image."""

    def squares(self) -> list[S]:
        """The squared norms of all vectors."""


class Rows(Generic[S]):
    """Points that are rows of numbers: the linear kernel. An image is a list of weights.

    >>> rows = Rows([[Fraction(1), Fraction(2)]], Fraction(0))
    >>> w = rows.image({0: Fraction(1, 2)})
    >>> w, rows.products(w, [0])
    ([Fraction(1, 2), Fraction(1, 1)], [Fraction(5, 2)])
    """

    zero: S
    rows: Sequence[Sequence[S]]

    def __init__(self, rows: Sequence[Sequence[S]], zero: S) -> None:
        self.rows, self.zero = rows, zero
        if isinstance(zero, Fraction):
            self.whole, self.unit = common_denominator(rows)

    def image(self, coefficients: Mapping[int, S]) -> list[S] | None:
        if not coefficients:
            return None
        weights = list(coefficients.values())
        if isinstance(self.zero, float):
            columns = zip(*(self.rows[i] for i in coefficients))
            return [dot(weights, column, self.zero) for column in columns]
        (multiples,), q = common_denominator([weights])
        unit = q * self.unit
        whole_columns = zip(*(self.whole[i] for i in coefficients))
        return [Fraction(sum(map(mul, multiples, column)), unit) for column in whole_columns]

    def moved(self, image: list[S] | None, step: S, way: list[S] | None) -> list[S] | None:
        if way is None:
            return image
        if image is None:
            return [step * b for b in way]
        return [a + step * b for a, b in zip(image, way)]

    def products(self, image: list[S] | None, vectors: Sequence[int]) -> list[S]:
        if image is None:
            return [self.zero] * len(vectors)
        if isinstance(self.zero, float):
            return [dot(self.rows[i], image, self.zero) for i in vectors]
        (weights,), q = common_denominator([image])
        unit = q * self.unit
        return [Fraction(sum(map(mul, self.whole[i], weights)), unit) for i in vectors]

    def square(self, image: list[S] | None) -> S:
        return self.zero if image is None else dot(image, image, self.zero)

    def squares(self) -> list[S]:
        return [dot(row, row, self.zero) for row in self.rows]


class Gram(Generic[S]):
    """Points known by their Gram matrix only. An image holds the coefficients of the points."""

    zero: S
    rows: Sequence[Sequence[S]]

    def __init__(self, gram: Sequence[Sequence[S]], zero: S) -> None:
        self.rows, self.zero = gram, zero
        if isinstance(zero, Fraction):
            self.whole, self.unit = common_denominator(gram)

    def image(self, coefficients: Mapping[int, S]) -> dict[int, S] | None:
        return dict(coefficients) or None

    def moved(
        self, image: dict[int, S] | None, step: S, way: dict[int, S] | None
    ) -> dict[int, S] | None:
        if way is None:
            return image
        moved = dict(image or {})
        for i, b in way.items():
            moved[i] = moved.get(i, self.zero) + step * b
        return moved

    def products(self, image: dict[int, S] | None, vectors: Sequence[int]) -> list[S]:
        if image is None:
            return [self.zero] * len(vectors)
        entries, weights = _picker(list(image)), list(image.values())
        if isinstance(self.zero, float):
            return [dot(entries(self.rows[i]), weights, self.zero) for i in vectors]
        (multiples,), q = common_denominator([weights])
        unit = q * self.unit
        return [Fraction(sum(map(mul, entries(self.whole[i]), multiples)), unit) for i in vectors]

    def square(self, image: dict[int, S] | None) -> S:
        points = list(image or ())
        return dot([(image or {})[i] for i in points], self.products(image, points), self.zero)

    def squares(self) -> list[S]:
        return [row[i] for i, row in enumerate(self.rows)]


class Signed(Generic[S]):
    """The vectors y_i Φ(x_i); with `constant`, of points that have one more coordinate, a 1.

    That is what a bias that counts in the norm comes to. An image has the part of the points and
    that coordinate, which is the bias.
    """

    zero: S
    points: Geometry[S]

    def __init__(self, points: Geometry[S], signs: Sequence[int], constant: bool, zero: S) -> None:
        self.points, self.signs, self.constant, self.zero = points, signs, constant, zero

    def image(self, coefficients: Mapping[int, S]) -> tuple[Image, S]:
        signed = {i: self.signs[i] * a for i, a in coefficients.items()}
        last = total(signed.values(), self.zero) if self.constant else self.zero
        return self.points.image(signed), last

    def moved(self, image: tuple[Image, S], step: S, way: tuple[Image, S]) -> tuple[Image, S]:
        return self.points.moved(image[0], step, way[0]), image[1] + step * way[1]

    def products(self, image: tuple[Image, S], vectors: Sequence[int]) -> list[S]:
        part, last = image
        values = self.points.products(part, vectors)
        return [self.signs[i] * (value + last) for i, value in zip(vectors, values)]

    def square(self, image: tuple[Image, S]) -> S:
        return self.points.square(image[0]) + image[1] * image[1]

    def squares(self) -> list[S]:
        return [square + self.constant for square in self.points.squares()]


class Differences(Generic[S]):
    """The vectors Ψ(x_i, y_i) − Ψ(x_i, z), where vector i·k + z belongs to row i and class z.

    With `blocks` Ψ is the block map, and the points are the m rows: Ψ(x_i, z) is row i in block z
    of k. Else they are all the Ψ(x_i, z), with number i·k + z, in one block. An image holds one of
    the points for each block.
    """

    zero: S
    points: Geometry[S]

    def __init__(
        self, points: Geometry[S], y: Sequence[int], k: int, blocks: bool, zero: S
    ) -> None:
        self.points, self.y, self.k, self.zero = points, y, k, zero
        self.blocks = k if blocks else 1

    def place(self, i: int, z: int) -> tuple[int, int]:
        """The block of Ψ(x_i, z), and its point there."""
        return (z, i) if self.blocks == self.k else (0, i * self.k + z)

    def image(self, coefficients: Mapping[int, S]) -> list[Image]:
        parts: list[dict[int, S]] = [{} for _ in range(self.blocks)]
        for v, a in coefficients.items():
            i, z = divmod(v, self.k)
            if z == self.y[i]:
                continue  # the vector is 0: its coefficient, often a large one, must leave no trace
            for label, amount in ((self.y[i], a), (z, -a)):
                block, point = self.place(i, label)
                parts[block][point] = parts[block].get(point, self.zero) + amount
        return [self.points.image({i: a for i, a in part.items() if a}) for part in parts]

    def moved(self, image: list[Image], step: S, way: list[Image]) -> list[Image]:
        return [self.points.moved(part, step, change) for part, change in zip(image, way)]

    def products(self, image: list[Image], vectors: Sequence[int]) -> list[S]:
        pairs = [divmod(v, self.k) for v in vectors]
        own = [self.place(i, self.y[i]) for i, _ in pairs]
        other = [self.place(i, z) for i, z in pairs]
        scores = self._scores(image, own + other)
        return [scores[a] - scores[b] for a, b in zip(own, other)]

    def _scores(
        self, image: list[Image], places: Iterable[tuple[int, int]]
    ) -> dict[tuple[int, int], S]:
        """The product of each block's image with the points that are asked for in it."""
        wanted: list[list[int]] = [[] for _ in range(self.blocks)]
        for block, point in dict.fromkeys(places):
            wanted[block].append(point)
        return {
            (block, point): value
            for block, points in enumerate(wanted)
            for point, value in zip(points, self.points.products(image[block], points))
        }

    def square(self, image: list[Image]) -> S:
        return total(map(self.points.square, image), self.zero)

    def squares(self) -> list[S]:
        m = len(self.y)
        if self.blocks == self.k:
            norms = self.points.squares()
            return [
                2 * norms[i] if z != self.y[i] else self.zero
                for i in range(m)
                for z in range(self.k)
            ]
        return [self.square(self.image({v: self.zero + 1})) for v in range(m * self.k)]


def _picker(positions: Sequence[int]) -> Any:
    """A function from a row to its entries at the positions."""
    if len(positions) == 1:
        return lambda row: (row[positions[0]],)
    return itemgetter(*positions)
