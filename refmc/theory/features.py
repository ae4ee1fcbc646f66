"""Class-sensitive features Ψ(x, j) of a row and a class, and the scores ⟨w, Ψ(x, j)⟩.

Covers [lecture5 §1.1.1], [lecture5 (1)], [lecture5 (2)], [karagiannis (3.1)],
[karagiannis, Example 18] and [karagiannis, Example 23].

Differs from the lecture: the Lipschitz constant of [karagiannis, Example 23] is printed as a
vector; here it is the norm of that vector, squared.

Legend: x an item, d numbers or anything else; j, y positions of classes, k of them; w the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from refmc.core.linalg import dot, total
from refmc.core.parameters import check_function
from refmc.core.sample import Row, check_count, read_rows_as, read_together, read_vector
from refmc.core.scalars import S, whole_number
from refmc.errors import ParameterError
from refmc.theory.losses import class_position

T = TypeVar("T")

Features = Callable[[Any, int], Row]
"""Ψ(x, j): from a row and the position of a class to the features of the pair."""


def class_features(x: Row, y: int, k: int) -> tuple[float, ...] | tuple[Fraction, ...]:
    """Ψ(x, y) of the linear multi-class predictor: k blocks, x in the block of class y, else 0.

    x: d numbers; y: a position below k. With w the k rows of W one after the other,
    ⟨w, Ψ(x, y)⟩ = ⟨W_y, x⟩. `functools.partial(class_features, k=3)` is a feature map for three
    classes. [lecture5 §1.1.1], [lecture5 (2)], [karagiannis, Example 18]

    >>> class_features([Fraction(2), Fraction(3)], 1, 2)
    (Fraction(0, 1), Fraction(0, 1), Fraction(2, 1), Fraction(3, 1))
    """
    row, zero = read_vector(x, "x")
    own = class_position(y, whole_number(k, "k", 1), "y")
    blank = (zero,) * len(row)
    return (*blank * own, *row, *blank * (k - own - 1))


def class_vectors(
    features: Features, x: Sequence[S], k: int, zero: S, place: str
) -> tuple[tuple[S, ...], ...]:
    """Ψ(x, j) for each class j, validated, in the arithmetic of the data; `place` names x."""
    try:
        vectors: Any = [features(x, j) for j in range(k)]
    except LookupError as error:
        raise ParameterError(
            f"features({place}, j): expected a vector for each of {k} classes, got {error!r}"
        ) from error
    return read_rows_as(vectors, zero, f"features({place}, j)")


def rows_of_class_vectors(
    features: Features, rows: Sequence[Sequence[S]], k: int, zero: S
) -> list[tuple[tuple[S, ...], ...]]:
    """Ψ(x_i, j) for each row i and class j, all of one length; else `DataError`."""
    check_function(features, "features", "a function of a row and the position of a class")
    vectors = [class_vectors(features, x, k, zero, f"row {i}") for i, x in enumerate(rows)]
    width = len(vectors[0][0])
    for i, Psi in enumerate(vectors):
        check_count(Psi[0], width, f"features(row {i}, j)", "numbers, as for row 0")
    return vectors


def feature_scores(
    w: Row, x: T, features: Callable[[T, int], Row], k: int
) -> tuple[float, ...] | tuple[Fraction, ...]:
    """⟨w, Ψ(x, j)⟩ for each of the k classes j.

    w: n numbers; `features`: the map Ψ, called with x, which may be anything, and the position j,
    gives n numbers in the arithmetic of w. The losses of these scores are the general ones.
    Raises `DataError` (of other than n numbers), `MixedArithmeticError`. Cost: k maps, O(kn).
    [lecture5 (1)], [karagiannis (3.1)], [karagiannis, 15–17]

    >>> from refmc import multiclass_hinge
    >>> def half(x, j):  # the binary hinge as a case of the general one
    ...     return [(x / 2, -x / 2)[j]]
    >>> multiclass_hinge(feature_scores([Fraction(1, 2)], Fraction(3), half, 2), 1)
    Fraction(5, 2)
    """
    rows = [features(x, j) for j in range(whole_number(k, "k", 1))]
    parts, zero = read_together({"w": [w], "features(x, j)": rows})
    (W,), Psi = parts["w"], parts["features(x, j)"]
    check_count(Psi[0], len(W), "features(x, j)", "numbers, as w has")
    return tuple(dot(W, psi, zero) for psi in Psi)


def lipschitz_squared(x: T, y: int, features: Callable[[T, int], Row], k: int) -> float | Fraction:
    """max_j ‖Ψ(x, j) − Ψ(x, y)‖²: the squared Lipschitz constant of w ↦ `multiclass_hinge`.

    No smaller one holds for all w, whatever the costs: far along the longest Ψ(x, j) − Ψ(x, y) the
    loss rises as fast. For `class_features` with k ≥ 2 it is 2‖x‖². Arguments and errors as
    `feature_scores`. [karagiannis, Example 23]

    >>> from functools import partial
    >>> lipschitz_squared([Fraction(3), Fraction(4)], 0, partial(class_features, k=2), 2)
    Fraction(50, 1)
    """
    rows = [features(x, j) for j in range(whole_number(k, "k", 1))]
    parts, zero = read_together({"features(x, j)": rows})
    Psi = parts["features(x, j)"]
    own = Psi[class_position(y, len(Psi), "y")]
    steps = ([total((a, -b), zero) for a, b in zip(psi, own)] for psi in Psi)
    constant: float | Fraction = max(dot(step, step, zero) for step in steps)
    return constant
