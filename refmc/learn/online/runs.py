"""What all runs have in common: which rows they see, one a step, and the states they pass through.

Nothing is random here: an order of rows and the draws of a sample are arguments, and where the
caller wants chance, the caller's `random.Random` brings it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import cycle, islice
from typing import TYPE_CHECKING, Generic, Union, cast

from refmc.core.callables import check_function
from refmc.core.sample import Matrix, Row, read_row, read_rows_as
from refmc.core.scalars import Number, S, check_digits, parameter, shown, whole_number
from refmc.errors import ParameterError

if TYPE_CHECKING:
    from random import Random

Draws = Union[Iterable[int], "Random", None]
"""Row positions; or a `random.Random`, which draws them; or None, each row in turn."""

Order = Draws | Iterable[Iterable[int]]
"""What `Draws` are for every epoch alike; or one list of row positions an epoch."""

Average = Callable[[int], Number]
"""The weight, at least 0, that an average gives to what step t left (t = 1, 2, …)."""

Vectors = tuple[tuple[S, ...], ...]
"""The state of a run: weight vectors, and a bias as a vector of one number."""


@dataclass(frozen=True)
class Visit:
    """The t-th look at a row: `epoch` and `t` count from 1, `row` is its position from 0."""

    t: int
    epoch: int
    row: int


def epoch_orders(order: Order, counts: Sequence[int], epochs: int) -> Iterator[tuple[int, ...]]:
    """For each epoch the positions of the rows in the order of their visits.

    order: positions, the same in every epoch (they may repeat and leave out rows), or a list of
    such lists, one an epoch; a `random.Random`, asked for a fresh permutation of all visits in
    every epoch; None is 0, 1, …, m − 1. counts: how often each row is visited at its turn. Raises
    `ParameterError` (epochs, no position, a position that is no row, another number of lists)
    before the first.

    >>> list(epoch_orders([2, 0], (1, 1, 1), 2)), list(epoch_orders([[2, 0], [1]], (3, 1, 1), 2))
    ([(2, 0), (2, 0)], [(2, 0, 0, 0), (1,)])
    """
    number = whole_number(epochs, "epochs", 0)
    if hasattr(order, "randrange"):
        chance, seen = cast("Random", order), _repeated(range(len(counts)), counts)
        return (tuple(chance.sample(seen, len(seen))) for _ in range(number))
    given = list(range(len(counts)) if order is None else _iterable(order, "order"))
    if not given or not isinstance(given[0], Iterable):
        fixed = _positions(given, counts, "order")
        return (fixed for _ in range(number))
    if len(given) != number:
        raise ParameterError(f"order: expected {number} lists, one an epoch, got {len(given)}")
    return iter([_positions(entry, counts, f"order[{e}]") for e, entry in enumerate(given)])


def _positions(given: object, counts: Sequence[int], name: str) -> tuple[int, ...]:
    turns = [_position(i, len(counts), name) for i in _iterable(given, name)]
    visits = _repeated(turns, counts)
    if not visits:
        raise ParameterError(f"{name}: expected at least one row position, got none")
    return visits


def _repeated(rows: Iterable[int], counts: Sequence[int]) -> tuple[int, ...]:
    return tuple(i for i in rows for _ in range(counts[i]))


def drawn_rows(draws: Draws, counts: Sequence[int], T: int) -> Iterator[int]:
    """The positions of T draws.

    draws: positions, at least T of them and endless if you like; a `random.Random`, which draws
    a row with a chance in proportion to its count; None is each row in turn, as often as its count
    says, again and again. Raises `ParameterError` at the draw that is missing or no row.

    >>> list(drawn_rows(None, (1, 2), 5))
    [0, 1, 1, 0, 1]
    """
    if draws is None:
        return islice(cycle(_repeated(range(len(counts)), counts)), T)
    if hasattr(draws, "randrange"):
        chance, seen = cast("Random", draws), _repeated(range(len(counts)), counts)
        return (seen[chance.randrange(len(seen))] for _ in range(T))
    return _given_draws(_iterable(draws, "draws"), len(counts), T)


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


def check_state(state: Sequence[Sequence[S]], t: int) -> None:
    """Raise `ExactnessLimitError` where a Fraction has more than `MAX_DIGITS` digits."""
    for vector in state:
        for value in vector:
            if isinstance(value, Fraction):
                mend = "take fewer steps, or give floats"
                check_digits(value, f"step {t}: a weight needs", mend)


def read_start(start: Row | None, d: int, bias: bool, zero: S) -> tuple[tuple[S, ...], S]:
    """The weights w and b that a run begins with; 0 if None.

    >>> read_start([Fraction(1), 2], 1, True, Fraction(0))
    ((Fraction(1, 1),), Fraction(2, 1))
    """
    length = d + bool(bias)
    found = (zero,) * length if start is None else read_row(start, zero, "start")
    if len(found) != length:
        raise ParameterError(
            f"start: expected {length} numbers{', b after w' if bias else ''}, got {len(found)}"
        )
    return (found[:d], found[d]) if bias else (found, zero)


def read_start_rows(start: Matrix | None, blocks: int, width: int, zero: S) -> Vectors[S]:
    """The weight vectors that a run begins with, `blocks` of them; 0 if None."""
    if start is None:
        return ((zero,) * width,) * blocks
    found = read_rows_as(start, zero, "start")
    if len(found) != blocks or len(found[0]) != width:
        raise ParameterError(f"start: expected {blocks} rows of {width} numbers")
    return found


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


class RunningMean(Generic[S]):
    """Σ a_t state_t / Σ a_t, where the function `average` gives the weights a_t.

    A state that stays for several steps is added once, with the sum of their weights, so that a
    perceptron pays for its mistakes and not for its visits.

    >>> mean = RunningMean(by_age, Fraction(0))
    >>> mean.count(1, ((Fraction(3),),))
    >>> mean.count(2, ((Fraction(0),),))
    >>> mean.value()
    ((Fraction(1, 1),),)
    """

    def __init__(self, average: Average, zero: S) -> None:
        check_function(average, "average", "a function of t, such as equally, or None")
        self._average = average
        self._zero: S = zero
        self._state: Vectors[S] = ()
        self._staying: S = zero
        self._weight: S = zero
        self._sums: list[list[S]] = []

    def count(self, t: int, state: Vectors[S]) -> None:
        """Let step t count, which left this state; the very same object where nothing changed."""
        weight = parameter(self._average(t), f"average({t})", self._zero)
        if weight < 0:
            raise ParameterError(f"average({t}): expected at least 0, got {shown(weight)}")
        if state is not self._state:
            self._add(t)
            self._state = state
        self._staying = self._staying + weight
        self._weight = self._weight + weight

    def value(self) -> Vectors[S]:
        """The mean of what was counted, at least one step of which must have a positive weight."""
        if not self._weight > 0:
            raise ParameterError("average: expected a positive weight for one step at least")
        self._add(0)
        return tuple(tuple([a / self._weight for a in row]) for row in self._sums)

    def _add(self, t: int) -> None:
        """Add the state that stayed, with the weight of all its steps."""
        if not self._sums:
            self._sums = [[self._zero] * len(row) for row in self._state]
        stay = self._staying
        self._sums = [
            [a + stay * v for a, v in zip(*pair)] for pair in zip(self._sums, self._state)
        ]
        self._staying = self._zero
        check_state(self._sums, t)
