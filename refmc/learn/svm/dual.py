"""The dual of every SVM in one form, and what proves its optimum.

    maximise  Σ_v gain_v x_v − ½ ‖Σ_v x_v D_v‖² − ½ Σ_v ridge_v x_v²
    subject to  0 ≤ x_v ≤ upper_v, and Σ_v sign_v x_v as at the start, in each group of multipliers

What differs from SVM to SVM are the numbers only:

| SVM | multipliers | gain | upper | ridge | groups |
|---|---|---|---|---|---|
| binary, hinge | α_i | 1 | C ω_i | 0 | all α_i with sign y_i, if there is a free bias |
| binary, squared hinge | α_i | 1 | none | 1/(2 C ω_i) | the same |
| hard | α_i | 1 | none | 0 | the same |
| multi-class, sum form | λ_iz | Δ(z, y_i) | C ω_i | 0 | none |
| multi-class, max form | λ_iz, and μ_i for λ_iy | Δ(z, y_i) | none | 0 | row i: they sum to C ω_i |

The vectors D_v are sums of few points with signs, each in a block of coordinates:

    binary:       D_i  = y_i Φ(x_i), and where the bias is penalised y_i in a block of its own
    multi-class:  D_iz = Ψ(x_i, y_i) − Ψ(x_i, z), where the block map Ψ puts Φ(x_i) in block z

In the max form Σ_z λ_iz ≤ C ω_i, and μ_i is the slack of this inequality: a multiplier with the
gain 0 and the vector 0. In the sum form λ_iy stays 0.

With w = Σ_v x_v D_v the slope of the dual at x_v is the excess gain_v − D_v·w − ridge_v x_v. In
the multi-class SVM that is m_iz = Δ(z, y_i) + ⟨w, Ψ(x_i, z) − Ψ(x_i, y_i)⟩, the excess of
`refmc.theory.losses`; in the binary one 1 − y_i s_i, less the ridge.

Legend: x_v multipliers, D_v their vectors, w = Σ_v x_v D_v, m rows of weights ω_i, Δ costs, s_i
scores without the bias.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from refmc.core.linalg import dot
from refmc.core.scalars import S, as_float
from refmc.learn.svm.points import Blocks, Image, Place, Points
from refmc.theory.kernels import Kernel, is_rational

if TYPE_CHECKING:
    from refmc.core.saving import SavedFields

M = TypeVar("M")

Terms = tuple[tuple[Place, int], ...]
"""The places of the points that a vector is the sum of, each with its sign."""

Primal = Callable[["Dual[Any]", Sequence[Any], Any], Any]
"""From a dual, the products D_v·w and ‖w‖² to the primal value; None where w is not feasible."""


@dataclass(frozen=True)
class Certificate(Generic[M]):
    """The proof of a trained SVM: exactly feasible multipliers and the two values they give.

    `multipliers`: λ of a multi-class SVM, m rows of k; α of a binary one, m numbers. `primal`: the
    objective at the weights that they make (and at the best bias for these); `dual`: the dual
    objective. No answer has an objective below `dual` (weak duality, for any positive
    semi-definite kernel), so this one is at most `gap` = primal − dual above the optimum. All
    numbers are exact: they speak of the exact weights that the multipliers make, which the weights
    of a model in float are only near to; `check` judges these themselves. `rounded_kernel`: the
    kernel's values were rounded to floats (any kernel but the linear and the polynomial, and a Gram
    matrix of floats). Then the proof is about the matrix of these values, and holds if that is
    positive semi-definite: `psd_witness` decides it.
    """

    multipliers: M
    primal: Fraction
    dual: Fraction
    rounded_kernel: bool = False

    @property
    def gap(self) -> Fraction:
        """primal − dual: 0 proves the optimum."""
        return self.primal - self.dual


def read_certificate(fields: SavedFields, multipliers: M, kernel: Kernel | None) -> Certificate[M]:
    """That of a saved model, for these multipliers: exact, whatever the model's numbers are."""
    exactly = fields.exactly()
    is_rounded = isinstance(fields.zero, float) and not is_rational(kernel)
    return Certificate(multipliers, exactly.number("primal"), exactly.number("dual"), is_rounded)


@dataclass(frozen=True)
class Dual(Generic[S]):
    """One dual; the module's docstring says what its fields stand for.

    `terms`: what each D_v is the sum of. `relative`: the same less a vector that all members of a
    group share, so that changes which keep the group's sum have the same image with both. `group`:
    for each multiplier the number of its group, None where it has none. `start`: feasible
    multipliers. `mass`: C ω_i of each row, as the primal value counts its loss; 0 for the rows of a
    hard SVM, which has none.
    """

    points: Points[S]
    terms: tuple[Terms, ...]
    relative: tuple[Terms, ...]
    gain: tuple[S, ...]
    upper: tuple[S | None, ...]
    ridge: tuple[S, ...]
    sign: tuple[int, ...]
    group: tuple[int | None, ...]
    start: tuple[S, ...]
    mass: tuple[S, ...]
    primal: Primal
    zero: S

    @cached_property
    def groups(self) -> list[list[int]]:
        """The multipliers of each group."""
        members: dict[int, list[int]] = {}
        for v, number in enumerate(self.group):
            if number is not None:
                members.setdefault(number, []).append(v)
        return list(members.values())

    @cached_property
    def curvatures(self) -> list[S]:
        """‖D_v‖² + ridge_v: how fast the slope at x_v falls as x_v alone rises."""
        return [self.inner(v, v) + ridge for v, ridge in enumerate(self.ridge)]

    def clearance(self, v: int, x: S) -> S:
        """How far x as the multiplier v is from its nearer bound."""
        bound = self.upper[v]
        return x if bound is None else min(x, bound - x)

    def inner(self, u: int, v: int) -> S:
        """D_u·D_v."""
        value = self.zero
        for (b, i), s in self.terms[u]:
            for (c, j), t in self.terms[v]:
                if b == c:
                    value += s * t * self.points.geometry.inner(i, j)
        return value

    def coefficients(self, x: Mapping[int, S]) -> Blocks[S]:
        """The coefficients of the points in Σ x_v D_v."""
        blocks: Blocks[S] = {}
        for v, a in x.items():
            for (block, point), sign in self.terms[v]:
                part = blocks.setdefault(block, {})
                part[point] = part.get(point, self.zero) + sign * a
        # Points that cancel leave no entry behind: multiplying with them would cost as much again.
        left = ((block, {i: a for i, a in part.items() if a}) for block, part in blocks.items())
        return {block: part for block, part in left if part}

    def image(self, x: Mapping[int, S]) -> Image:
        """Σ x_v D_v."""
        return self.points.geometry.image(self.coefficients(x))

    def added(self, image: Image, change: Mapping[int, S]) -> Image:
        """The image after a change of few multipliers that keeps the sum of each group."""
        parts = [(place, sign * a) for v, a in change.items() for place, sign in self.relative[v]]
        return self.points.geometry.added(image, parts)

    def products(
        self, image: Image, vectors: Sequence[int] | None = None, relative: bool = False
    ) -> list[S]:
        """The product of the image with each of the vectors D_v; None: with all of them.

        In each block a point is multiplied once, however many vectors it is in. `relative`: those
        of a group are all off by the same amount, which takes half as many products.
        """
        sums = self.relative if relative else self.terms
        if vectors is not None:
            sums = tuple(sums[v] for v in vectors)
        places = list(dict.fromkeys([place for terms in sums for place, _ in terms]))
        scores, products = self.points.geometry.scores(image, places), []
        for terms in sums:
            value = self.zero
            for place, sign in terms:
                value = value + scores[place] if sign > 0 else value - scores[place]
            products.append(value)
        return products

    def at(self, x: Sequence[S]) -> Values[S]:
        """What the multipliers x come to."""
        w = self.image({v: a for v, a in enumerate(x) if a})
        products = self.products(w)
        norm = dot(x, products, self.zero)  # ‖Σ x_v D_v‖², of products that are needed anyway
        ridges = [ridge * a if ridge else ridge for ridge, a in zip(self.ridge, x)]
        return Values(
            x=x,
            w=w,
            products=products,
            norm=norm,
            primal=self.primal(self, products, norm),
            dual=dot(self.gain, x, self.zero) - norm / 2 - dot(ridges, x, self.zero) / 2,
        )

    def rounded(self, points: Points[Any]) -> Dual[float]:
        """The same dual in float, for its points as the caller gave them.

        `DataError` or `OverflowError` beyond the range of floats: a C or a weight that is 0 in
        float would leave out rows that count.
        """
        # The caller's points, whose kernel values are the kernel's own floats: rounding the exact
        # values once more could give others.
        if isinstance(points.zero, Fraction):
            points = nearest_floats(points)
        points = replace(points, constant=self.points.constant)
        near: Dual[float] = replace(nearest_floats(self), points=points)
        if any(mass and not rounded for mass, rounded in zip(self.mass, near.mass)):
            raise OverflowError("C is below the range of floats")
        return near


@dataclass(frozen=True)
class Values(Generic[S]):
    """Some multipliers x, their image w, the products D_v·w, ‖w‖², and both objectives.

    `primal` is None where w is not feasible, as it may be for the hard SVM before its optimum.
    """

    x: Sequence[S]
    w: Image
    products: list[S]
    norm: S
    primal: S | None
    dual: S

    def is_within(self, goal: float) -> bool:
        """Whether the duality gap is at most this part of the primal value."""
        primal = self.primal
        return primal is not None and primal - self.dual <= type(primal)(goal) * primal


def nearest_floats(value: Any) -> Any:
    """The value with the nearest float in the place of each Fraction of its tuples and records.

    Labels, functions and certificates stay as they are. `DataError` beyond the range of floats.
    """
    if isinstance(value, Fraction):
        return as_float(value, "the answer") if value else 0.0  # most multipliers are 0
    if isinstance(value, tuple):
        return tuple(map(nearest_floats, value))
    if not is_dataclass(value) or isinstance(value, type):
        return value
    kept = {"classes", "kernel", "features", "tie", "certificate", "points", "terms", "relative"}
    names = {field.name for field in fields(value)} - kept
    return replace(value, **{name: nearest_floats(getattr(value, name)) for name in names})
