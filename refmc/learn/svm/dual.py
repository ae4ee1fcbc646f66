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

In the max form Σ_z λ_iz ≤ C ω_i, and μ_i is what is missing: a multiplier with the vector 0 that
gains nothing. In the sum form λ_iy stays 0.

With w = Σ_v x_v D_v the slope of the dual at x_v is the excess gain_v − D_v·w − ridge_v x_v. In
the multi-class SVM that is m_iz = Δ(z, y_i) + ⟨w, Ψ(x_i, z) − Ψ(x_i, y_i)⟩, the excess of
`refmc.theory.losses`; in the binary one 1 − y_i s_i, less the ridge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, TypeVar

from refmc.core.linalg import dot
from refmc.core.scalars import S
from refmc.learn.svm.geometry import Image, Terms, Vectors
from refmc.learn.svm.points import Points
from refmc.theory.costs import RowCosts

M = TypeVar("M")


@dataclass(frozen=True)
class Certificate(Generic[M]):
    """The proof of a trained SVM: exactly feasible multipliers and the two values they give.

    `multipliers`: λ of a multi-class SVM, m rows of k; α of a binary one, m numbers. `primal`: the
    objective at the weights that they make (and at the best bias for these); `dual`: the dual
    objective. No answer has an objective below `dual` (weak duality, for any positive
    semi-definite kernel), so this one is at most `gap` = primal − dual above the optimum. All
    numbers are exact. `rounded_kernel`: the kernel's values were rounded to floats (any kernel but
    the linear and the polynomial, and a Gram matrix of floats). Then the proof is about the matrix
    of these values, and holds if that is positive semi-definite: `psd_witness` decides it.
    """

    multipliers: M
    primal: Fraction
    dual: Fraction
    rounded_kernel: bool = False

    @property
    def gap(self) -> Fraction:
        """primal − dual: 0 proves the optimum."""
        return self.primal - self.dual


Primal = Callable[["Dual[Any]", Sequence[Any], Any], Any]
"""From a dual, the products D_v·w and ‖w‖² to the primal value; None where w is not feasible."""


@dataclass(frozen=True)
class Dual(Generic[S]):
    """One dual; the module's text says what its fields stand for.

    `terms`: what each D_v is the sum of. `group`: for each multiplier the number of its group,
    None where it has none. `start`: feasible multipliers. `mass`: C ω_i of each row, as the primal
    value counts its loss; 0 for the rows of a hard SVM, which has none.
    """

    points: Points[S]
    terms: tuple[Terms, ...]
    gain: tuple[S, ...]
    upper: tuple[S | None, ...]
    ridge: tuple[S, ...]
    sign: tuple[int, ...]
    group: tuple[int | None, ...]
    start: tuple[S, ...]
    mass: tuple[S, ...]
    primal: Primal

    @property
    def zero(self) -> S:
        return self.points.zero

    @cached_property
    def geometry(self) -> Vectors[S]:
        """The inner products of the D_v."""
        return Vectors(self.points.geometry, self.terms, self.zero)

    @cached_property
    def groups(self) -> list[list[int]]:
        """The multipliers of each group."""
        members: dict[int, list[int]] = {}
        for v, number in enumerate(self.group):
            if number is not None:
                members.setdefault(number, []).append(v)
        return list(members.values())

    def rounded(self, points: Points[float]) -> Dual[float]:
        """The same dual of the same points in float; `OverflowError` beyond their range."""
        points = replace(points, constant=self.points.constant)
        near: Dual[float] = replace(nearest_floats(self), points=points)
        return near

    def clearance(self, v: int, x: S) -> S:
        """How far x as the multiplier v is from its nearer bound."""
        bound = self.upper[v]
        return x if bound is None else min(x, bound - x)

    def at(self, x: Sequence[S]) -> Values[S]:
        """What the multipliers x come to."""
        geometry = self.geometry
        w = geometry.image({v: a for v, a in enumerate(x) if a})
        products = geometry.products(w)
        norm = dot(x, products, self.zero)
        ridges = [ridge * a for ridge, a in zip(self.ridge, x)]
        return Values(
            x=x,
            w=w,
            products=products,
            norm=norm,
            primal=self.primal(self, products, norm),
            dual=dot(self.gain, x, self.zero) - norm / 2 - dot(ridges, x, self.zero) / 2,
        )


@dataclass(frozen=True)
class Values(Generic[S]):
    """Some multipliers x, their image w, the products D_v·w, ‖w‖², and both objectives.

    `primal` is None where w is not feasible, as it may be for the hard SVM.
    """

    x: Sequence[S]
    w: Image
    products: list[S]
    norm: S
    primal: S | None
    dual: S

    @property
    def feasible(self) -> S:
        """The primal value where there is one, as there is at the end of every search."""
        assert self.primal is not None
        return self.primal

    def is_within(self, goal: float) -> bool:
        """Whether the duality gap is at most this part of the primal value."""
        if self.primal is None:
            return False
        goal_here = type(self.primal)(goal)
        return self.primal - self.dual <= goal_here * self.primal


def nearest_floats(record: Any) -> Any:
    """A frozen dataclass with the nearest float in the place of each Fraction of its fields.

    `OverflowError` beyond the range of floats. Labels and certificates stay as they are.
    """
    names = {field.name for field in fields(record)} - {"classes", "certificate"}
    return replace(record, **{name: _nearest(getattr(record, name)) for name in names})


def _nearest(value: Any) -> Any:
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, RowCosts):
        return RowCosts(_nearest(value.rows))
    return tuple(map(_nearest, value)) if isinstance(value, tuple) else value
