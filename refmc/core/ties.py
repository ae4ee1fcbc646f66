"""Sets of optimal choices, and the policies that pick one of them.

Wherever a lecture writes arg max or "arbitrarily", refmc computes the whole set of optimal
choices; picking one is a separate, named policy. Comparisons are `==` and `<` only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Protocol, Self

from refmc.core.scalars import ArrayLike, as_sequence, is_nan, shown
from refmc.errors import DataError, ParameterError, TieError

TiePolicy = Callable[[tuple[int, ...]], int]


class Ordered(Protocol):
    """Values with an order: numbers, Fractions, exact logarithms."""

    def __lt__(self, other: Self, /) -> bool: ...


Values = Sequence[float] | Sequence[Fraction] | Sequence[Ordered] | ArrayLike


def argmax_set(values: Values) -> tuple[int, ...]:
    """All positions of the largest value, in increasing order.

    Infinities are ordered as usual; a float beside a Fraction is compared exactly. Raises
    `DataError` where there is no value, a NaN, or values without an order. Cost: two passes.
    [lu, "Multi-Class Classifiers – Mono-Label Case"]

    >>> argmax_set([Fraction(1, 3), Fraction(1, 2), Fraction(1, 2)])
    (1, 2)
    """
    return _tied_at(max, values)


def argmin_set(values: Values) -> tuple[int, ...]:
    """All positions of the smallest value, in increasing order; else as `argmax_set`.

    >>> argmin_set([2, 1, 1])
    (1, 2)
    """
    return _tied_at(min, values)


def _tied_at(extreme: Callable[[Sequence[Any]], Any], values: Values) -> tuple[int, ...]:
    candidates = as_sequence(values, "expected a sequence of values")
    if not candidates:
        raise DataError("expected at least one value to choose from, got none")
    for position, value in enumerate(candidates):
        if is_nan(value):
            raise DataError(f"position {position}: NaN has no order; give numbers")
    try:
        best = extreme(candidates)
        return tuple(position for position, value in enumerate(candidates) if value == best)
    except TypeError as error:
        raise DataError(f"the values have no order: {error}") from None
    except ArithmeticError:  # of Decimals
        raise DataError("the values have no order: one of them holds a NaN") from None


def first(tied: tuple[int, ...]) -> int:
    """The default policy: the first of the tied positions.

    >>> first((1, 2))
    1
    """
    return tied[0]


def last(tied: tuple[int, ...]) -> int:
    """The last of the tied positions.

    >>> last((1, 2))
    2
    """
    return tied[-1]


def refuse(tied: tuple[int, ...]) -> int:
    """The only position, or a `TieError` where several are tied.

    >>> refuse((1, 2))
    Traceback (most recent call last):
    ...
    refmc.errors.TieError: positions 1, 2 are tied; choose a policy (first, last or your own)
    """
    if len(tied) > 1:
        places = ", ".join(map(str, tied))
        raise TieError(
            f"positions {places} are tied; choose a policy (first, last or your own)", tied
        )
    return tied[0]


def taking(positions: Sequence[int]) -> TiePolicy:
    """A policy that takes these of the tied choices, one for each tie in turn, and then the first.

    >>> tie = taking([1, 0])
    >>> tie((3, 5)), tie((7,)), tie((3, 5)), tie((3, 5))
    (5, 7, 3, 3)
    """
    left = list(positions)

    def tie(tied: tuple[int, ...]) -> int:
        position = left.pop(0) if left and len(tied) > 1 else 0
        if not 0 <= position < len(tied):
            raise ParameterError(f"tie: position {position} of {len(tied)} tied choices")
        return tied[position]

    return tie


def check_policy(policy: object, name: str) -> None:
    """Raise `ParameterError` unless the policy can be called.

    >>> check_policy(first, "tie")
    """
    if not callable(policy):
        raise ParameterError(
            f"{name}: expected a function of the tied positions, such as first, last or refuse, "
            f"got {shown(policy)}"
        )
