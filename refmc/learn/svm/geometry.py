"""What the duals of all SVMs need to know of the points: their inner products, and no more.

A dual has one vector D_v for each of its multipliers x_v, and everything that it asks for are
products of the D_v with w = Σ_v x_v D_v. `Rows` and `Gram` hold the points Φ themselves, and
`Vectors` makes of them the D_v, each a sum of few points with signs, in blocks of coordinates:

    binary:       D_i  = y_i Φ(x_i), and where the bias is penalised y_i in a block of its own
    multi-class:  D_iz = Ψ(x_i, y_i) − Ψ(x_i, z), where the block map Ψ puts Φ(x_i) in block z

A vector such as w is an `Image`: for each block in which it isn't 0 what it takes to multiply it
with the points, d weights for `Rows` and coefficients of the points for `Gram`. Floats are rounded
once a product; exact products are computed as whole numbers over one denominator.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from operator import itemgetter, mul
from typing import Any, Generic, Protocol

from refmc.core.linalg import common_denominator, dot, dots_of_floats, total
from refmc.core.scalars import S

Part = Any
"""The coordinates of a vector in one block, in the form that its points give it."""

Image = Mapping[int, Part]
"""A vector of the feature space, by its blocks; a block that is missing is 0."""

Place = tuple[int, int]
"""A block, and the number of the point that is put into it."""

Terms = tuple[tuple[Place, int], ...]
"""The places of the points that a vector is the sum of, each with its sign."""


class PointSet(Protocol[S]):
    """Some points, by their inner products with combinations of them."""

    def part(self, coefficients: Mapping[int, S]) -> Part:
        """The sum of the points, each times its coefficient; there is at least one."""

    def moved(self, part: Part | None, step: S, way: Part) -> Part:
        """part + step·way."""

    def added(self, part: Part | None, coefficients: Mapping[int, S]) -> Part:
        """part + the sum of the points, each times its coefficient; for few points."""

    def inner(self, i: int, j: int) -> S:
        """The inner product of two points."""

    def scores(self, image: Image, places: Iterable[Place]) -> dict[Place, S]:
        """For each place the product of the image with its point in its block."""

    def square(self, part: Part) -> S:
        """The squared norm of the part."""


class Rows(Generic[S]):
    """Points that are rows of numbers: the linear kernel. A part is a list of weights.

    >>> rows = Rows([[Fraction(1), Fraction(2)]], Fraction(0))
    >>> w = rows.part({0: Fraction(1, 2)})
    >>> w, rows.scores({3: w}, [(3, 0)])
    ([Fraction(1, 2), Fraction(1, 1)], {(3, 0): Fraction(5, 2)})
    """

    zero: S
    rows: Sequence[Sequence[S]]

    def __init__(self, rows: Sequence[Sequence[S]], zero: S) -> None:
        self.rows, self.zero = rows, zero
        self.inners: dict[int, dict[int, S]] = {}
        if isinstance(zero, Fraction):
            self.whole, self.unit = common_denominator(rows)

    def part(self, coefficients: Mapping[int, S]) -> list[S]:
        weights = list(coefficients.values())
        if isinstance(self.zero, float):
            return dots_of_floats(
                (column, weights) for column in zip(*(self.rows[i] for i in coefficients))
            )
        (multiples,), q = common_denominator([weights])
        unit = q * self.unit
        whole_columns = zip(*(self.whole[i] for i in coefficients))
        return [Fraction(sum(map(mul, multiples, column)), unit) for column in whole_columns]

    def moved(self, part: list[S] | None, step: S, way: list[S]) -> list[S]:
        if part is None:
            return [step * b for b in way]
        return [a + step * b for a, b in zip(part, way)]

    def added(self, part: list[S] | None, coefficients: Mapping[int, S]) -> list[S]:
        for i, a in coefficients.items():
            row = self.rows[i]
            part = [b + a * c for b, c in zip(part, row)] if part else [a * c for c in row]
        return part or []

    def inner(self, i: int, j: int) -> S:
        if i not in self.inners:
            self.inners[i] = {}
        known = self.inners[i]
        if j not in known:
            known[j] = dot(self.rows[i], self.rows[j], self.zero)
        return known[j]

    def scores(self, image: Image, places: Iterable[Place]) -> dict[Place, S]:
        if isinstance(self.zero, float):
            pairs = [(self.rows[i], image.get(block, ())) for block, i in places]
            return dict(zip(places, dots_of_floats(pairs)))
        scores = {}
        for block, points in by_block(places).items():
            (weights,), q = common_denominator([image.get(block, ())])
            for i in points:
                value = sum(map(mul, self.whole[i], weights))
                scores[block, i] = Fraction(value, q * self.unit)
        return scores

    def square(self, part: list[S]) -> S:
        return dot(part, part, self.zero)


class Gram(Generic[S]):
    """Points known by their Gram matrix only. A part holds the coefficients of the points."""

    zero: S
    rows: Sequence[Sequence[S]]

    def __init__(self, gram: Sequence[Sequence[S]], zero: S) -> None:
        self.rows, self.zero = gram, zero
        if isinstance(zero, Fraction):
            self.whole, self.unit = common_denominator(gram)

    def part(self, coefficients: Mapping[int, S]) -> dict[int, S]:
        return dict(coefficients)

    def moved(self, part: dict[int, S] | None, step: S, way: dict[int, S]) -> dict[int, S]:
        moved = dict(part or {})
        for i, b in way.items():
            moved[i] = moved.get(i, self.zero) + step * b
        return moved

    def added(self, part: dict[int, S] | None, coefficients: Mapping[int, S]) -> dict[int, S]:
        return self.moved(part, self.zero + 1, dict(coefficients))

    def inner(self, i: int, j: int) -> S:
        return self.rows[i][j]

    def scores(self, image: Image, places: Iterable[Place]) -> dict[Place, S]:
        scores: dict[Place, S] = {}
        for block, points in by_block(places).items():
            part = image.get(block)
            values = self.products(part, points) if part else [self.zero] * len(points)
            scores |= {(block, i): value for i, value in zip(points, values)}
        return scores

    def products(self, part: dict[int, S], points: Sequence[int]) -> list[S]:
        """The product of the part with each of the points."""
        entries, weights = _picker(list(part)), list(part.values())
        if isinstance(self.zero, float):
            return dots_of_floats((entries(self.rows[i]), weights) for i in points)
        (multiples,), q = common_denominator([weights])
        unit = q * self.unit
        return [Fraction(sum(map(mul, entries(self.whole[i]), multiples)), unit) for i in points]

    def square(self, part: dict[int, S]) -> S:
        return dot(list(part.values()), self.products(part, list(part)), self.zero)


class Vectors(Generic[S]):
    """The vectors D_v of a dual. `terms[v]`: what D_v is the sum of."""

    zero: S
    points: PointSet[S]

    def __init__(self, points: PointSet[S], terms: Sequence[Terms], zero: S) -> None:
        self.points, self.terms, self.zero = points, terms, zero
        self.places = list(dict.fromkeys(place for sum_v in terms for place, _ in sum_v))

    def image(self, coefficients: Mapping[int, S]) -> Image:
        """The sum of the vectors, each times its coefficient."""
        return {b: self.points.part(part) for b, part in self.parts(coefficients).items()}

    def parts(self, coefficients: Mapping[int, S]) -> dict[int, dict[int, S]]:
        """What the vectors with these coefficients make the coefficients of the points."""
        parts: dict[int, dict[int, S]] = {}
        for v, a in coefficients.items():
            for (block, point), sign in self.terms[v]:
                part = parts.setdefault(block, {})
                part[point] = part.get(point, self.zero) + sign * a
        left = ((block, {i: a for i, a in part.items() if a}) for block, part in parts.items())
        return {block: part for block, part in left if part}

    def added(self, image: Image, coefficients: Mapping[int, S]) -> Image:
        """image + the sum of the vectors, each times its coefficient; for few vectors."""
        parts = self.parts(coefficients).items()
        return {**image, **{b: self.points.added(image.get(b), part) for b, part in parts}}

    def inner(self, u: int, v: int) -> S:
        """The inner product of two of the vectors."""
        value = self.zero
        for (b, i), s in self.terms[u]:
            for (c, j), t in self.terms[v]:
                if b == c:
                    value += s * t * self.points.inner(i, j)
        return value

    def moved(self, image: Image, step: S, way: Image) -> Image:
        """image + step·way."""
        changed = {b: self.points.moved(image.get(b), step, part) for b, part in way.items()}
        return {**image, **changed}

    def products(self, image: Image, vectors: Sequence[int] | None = None) -> list[S]:
        """The inner product of the image with each of the vectors; None: with all of them."""
        if vectors is None:
            sums, places = self.terms, self.places
        else:
            sums = [self.terms[v] for v in vectors]
            places = list(dict.fromkeys([place for sum_v in sums for place, _ in sum_v]))
        scores, products = self.points.scores(image, places), []
        for sum_v in sums:
            value = self.zero
            for place, sign in sum_v:
                value = value + scores[place] if sign > 0 else value - scores[place]
            products.append(value)
        return products

    def square(self, image: Image) -> S:
        """The squared norm of the image."""
        return total(map(self.points.square, image.values()), self.zero)

    def squares(self) -> list[S]:
        """The squared norms of all vectors."""
        return [self.inner(v, v) for v in range(len(self.terms))]


def by_block(places: Iterable[Place]) -> dict[int, list[int]]:
    """The points of each block."""
    points: dict[int, list[int]] = {}
    for block, point in places:
        points.setdefault(block, []).append(point)
    return points


def _picker(positions: Sequence[int]) -> Any:
    """A function from a row to its entries at the positions."""
    if len(positions) == 1:
        return lambda row: (row[positions[0]],)
    return itemgetter(*positions)
