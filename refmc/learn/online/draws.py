"""What learners that take one row at a time are given: orders, draws, and weights of an average.

Nothing is random here: an order of rows and the draws of a sample are arguments, and where the
caller wants chance, the caller's `random.Random` brings it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import ceil, log2
from typing import TYPE_CHECKING, Union, cast

from refmc.core.scalars import Number, S, parameter, shown, whole_number
from refmc.errors import ExactnessLimitError, ParameterError

if TYPE_CHECKING:
    from random import Random

Draws = Union[Iterable[int], "Random", None]
"""Row positions; or a `random.Random`, which draws them; or None, each row in turn."""

Order = Draws | Iterable[Iterable[int]]
"""What `Draws` are for every epoch alike; or one list of row positions an epoch."""

Average = Callable[[int], Number]
"""The weight, at least 0, that an average gives to what step t left (t = 1, 2, …)."""

MAX_DIGITS = 5_000
"""Digits of a weight's numerator or denominator at which an exact run stops."""

_MAX_BITS = ceil(MAX_DIGITS * log2(10))


@dataclass(frozen=True)
class Visit:
    """The t-th look at a row: `epoch` and `t` count from 1, `row` is its position from 0."""

    t: int
    epoch: int
    row: int


def equally(t: int) -> int:
    """The average of all steps alike.

    >>> [equally(t) for t in (1, 2, 3)]
    [1, 1, 1]
    """
    return 1


def by_age(t: int) -> int:
    """The average that counts step t with weight t, so that early steps fade.

    >>> [by_age(t) for t in (1, 2, 3)]
    [1, 2, 3]
    """
    return t


def epoch_orders(order: Order, rows: int, epochs: int) -> Iterator[tuple[int, ...]]:
    """For each epoch the positions of the rows in the order of their visits.

    order: positions, the same in every epoch (they may repeat and leave out rows), or a list of
    such lists, one an epoch; a `random.Random`, asked for a fresh permutation in every epoch;
    None is 0, 1, …, rows − 1. Raises `ParameterError` (epochs, no position, a position that is no
    row, another number of lists) before the first.

    >>> list(epoch_orders([2, 0], 3, 2)), list(epoch_orders([[2, 0], [1]], 3, 2))
    ([(2, 0), (2, 0)], [(2, 0), (1,)])
    """
    count = whole_number(epochs, "epochs", 0)
    if hasattr(order, "randrange"):
        chance = cast("Random", order)
        return (tuple(chance.sample(range(rows), rows)) for _ in range(count))
    given = list(range(rows) if order is None else _iterable(order, "order"))
    if not given or not isinstance(given[0], Iterable):
        fixed = _positions(given, rows, "order")
        return (fixed for _ in range(count))
    if len(given) != count:
        raise ParameterError(f"order: expected {count} lists, one an epoch, got {len(given)}")
    return iter([_positions(entry, rows, f"order[{e}]") for e, entry in enumerate(given)])


def _positions(given: object, rows: int, name: str) -> tuple[int, ...]:
    found = tuple(_position(i, rows, name) for i in _iterable(given, name))
    if not found:
        raise ParameterError(f"{name}: expected at least one row position, got none")
    return found


def visits(orders: Iterable[tuple[int, ...]], mistakes: Sequence[object]) -> Iterator[Visit]:
    """Every visit of every epoch, up to the end of the first epoch that adds no mistake.

    mistakes: the list to which the caller adds one entry for each mistake, between visits.

    >>> [visit.row for visit in visits([(1, 0), (0, 1)], mistakes=[])]
    [1, 0]
    """
    t = 0
    for epoch, order in enumerate(orders, 1):
        before = len(mistakes)
        for row in order:
            t += 1
            yield Visit(t, epoch, row)
        if len(mistakes) == before:
            return


def drawn_rows(draws: Draws, rows: int, T: int) -> Iterator[int]:
    """The positions of T draws.

    draws: positions, at least T of them and endless if you like; a `random.Random`, which draws
    each of the rows with equal chance; None is each row in turn, again and again. Raises
    `ParameterError` at the draw that is missing or no row.

    >>> list(drawn_rows(None, 2, 5))
    [0, 1, 0, 1, 0]
    """
    if draws is None:
        return (t % rows for t in range(T))
    if hasattr(draws, "randrange"):
        chance = cast("Random", draws)
        return (chance.randrange(rows) for _ in range(T))
    return _given_draws(_iterable(draws, "draws"), rows, T)


def _given_draws(draws: Iterable[object], rows: int, T: int) -> Iterator[int]:
    count = 0
    for i in islice(draws, T):
        yield _position(i, rows, "draws")
        count += 1
    if count < T:
        raise ParameterError(f"draws: expected at least T={T} row positions, got {count}")


def _iterable(value: object, name: str) -> Iterable[object]:
    if not isinstance(value, Iterable) or isinstance(value, (str, bytes)):
        raise ParameterError(
            f"{name}: expected row positions or a random.Random, got {type(value).__name__}"
        )
    return value


def _position(value: object, rows: int, name: str) -> int:
    try:
        position = operator.index(value)  # type: ignore[arg-type]  # what isn't an index raises
    except TypeError:
        position = -1
    if not 0 <= position < rows:
        raise ParameterError(f"{name}: expected a row from 0 to {rows - 1}, got {shown(value)}")
    return position


def average_weight(average: Average, t: int, zero: S) -> S:
    """`average(t)` in the arithmetic of `zero`, at least 0, else `ParameterError`."""
    weight = parameter(average(t), f"average({t})", zero)
    if weight < 0:
        raise ParameterError(f"average({t}): expected at least 0, got {shown(weight)}")
    return weight


def check_digits(values: Iterable[S], t: int) -> None:
    """Raise `ExactnessLimitError` where a Fraction has more than `MAX_DIGITS` digits."""
    for value in values:
        if isinstance(value, Fraction) and _bits(value) > _MAX_BITS:
            raise ExactnessLimitError(
                f"step {t}: a weight needs more than {MAX_DIGITS} digits; "
                "take fewer steps, or give floats"
            )


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())
