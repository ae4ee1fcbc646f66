"""From scores to labels, as all linear models do it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Protocol, TypeVar

from refmc.core.sample import Label, Matrix, read_rows_as
from refmc.core.scalars import S
from refmc.core.ties import TiePolicy, argmax_set
from refmc.errors import DataError

S_co = TypeVar("S_co", float, Fraction, covariant=True)


class Model(Protocol[S_co]):
    """What predicting needs to know of a model."""

    @property
    def classes(self) -> tuple[Label, ...]: ...

    @property
    def zero(self) -> S_co: ...

    @property
    def tie(self) -> TiePolicy: ...


def predicted(
    model: Model[S], scores: Callable[[tuple[S, ...]], tuple[S, ...]], X: Matrix
) -> list[Label]:
    """One label of largest score a row; ties by the model's policy."""
    rows = read_rows_as(X, model.zero)
    return [model.classes[model.tie(argmax_set(scores(x)))] for x in rows]


def largest(classes: tuple[Label, ...], scores: tuple[S, ...]) -> tuple[Label, ...]:
    """All labels of the largest score. [lecture5 (3)]

    >>> largest(("a", "b", "c"), (1.0, 0.0, 1.0))
    ('a', 'c')
    """
    return tuple(classes[r] for r in argmax_set(scores))


def halves(s: S) -> tuple[S, S]:
    """The scores of two classes with the difference s.

    >>> halves(3.0)
    (-1.5, 1.5)
    """
    return (-s / 2, s / 2)


def check_width(x: Sequence[S], width: int) -> None:
    """`DataError` for a row of another length."""
    if len(x) != width:
        raise DataError(f"x: expected {width} numbers, got {len(x)}")
