"""What runs are given: rows to look at, a start, step sizes, shrinks, projections, averages.

Perceptrons and SGD share these. Nothing is random here: the order of the rows, or their draws, are
arguments; where chance is wanted, it comes from the caller's own `random.Random`. The shrinks are
those of [lecture5, "Algorithm 1"], [keshet §2.2] and [karagiannis, Example 29].

Legend: t counts the looks at a row (the steps) from 1, T in all; a_t the weight that an average
gives to the state after step t; W the weights; η_t the step size of step t; σ the factor of the
regulariser (σ/2)‖W‖², so that its part of the step is W ← (1 − η_tσ)W, the shrink; ∇_i a
subgradient of the loss of row i.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import cycle, islice
from math import isqrt, sqrt
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Union, cast

from refmc.core.parameters import check_function, parameter, positive_parameter
from refmc.core.sample import Matrix, Row, read_row, read_rows_as
from refmc.core.scalars import Number, S, check_digits, exact_parameter, shown, whole_number
from refmc.errors import ExactnessLimitError, ParameterError

if TYPE_CHECKING:
    from random import Random

Draws = Union[Iterable[int], "Random", None]
"""Row positions; or a `random.Random`, which draws them; or None, each row in turn."""

Order = Draws | Iterable[Iterable[int]]
"""`Draws` that serve every epoch, or one list of row positions for each epoch."""

Average = Callable[[int], Number]
"""The weight, at least 0, that an average gives to the state after step t (t = 1, 2, …)."""

Vectors = tuple[tuple[S, ...], ...]
"""The state of a run: weight vectors, and a bias as a vector of one number."""

StepSize = Number | Callable[[int], Number]
"""η: one number, or η_t as a function of t = 1, 2, …"""

Projection = Callable[[Any], Number]
"""From ‖W‖² to the factor that W is multiplied by."""


def epoch_orders(order: Order, counts: Sequence[int], epochs: int) -> Iterator[tuple[int, ...]]:
    """For each epoch the positions of the rows in the order of their visits.

    order: positions, the same in every epoch (they may repeat and leave out rows), or a list of
    such lists, one for each epoch; a `random.Random`, asked for a fresh permutation of all visits
    in every epoch; None is 0, 1, …, m − 1. counts: how often each row is visited at its turn.
    Before the first epoch it raises `ParameterError` for wrong `epochs`, an order without
    positions, a position that is no row, and lists that are not as many as the epochs.

    >>> list(epoch_orders([2, 0], (1, 1, 1), 2)), list(epoch_orders([[2, 0], [1]], (3, 1, 1), 2))
    ([(2, 0), (2, 0)], [(2, 0, 0, 0), (1,)])
    """
    number = whole_number(epochs, "epochs", 0)
    if hasattr(order, "randrange"):
        chance = cast("Random", order)
        seen = [i for i, count in enumerate(counts) for _ in range(count)]
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
    visits = tuple(i for i in turns for _ in range(counts[i]))
    if not visits:
        raise ParameterError(f"{name}: expected at least one row position, got none")
    return visits


def drawn_rows(draws: Draws, counts: Sequence[int], T: int) -> Iterator[int]:
    """The positions of T draws.

    draws: at least T positions, from an endless iterator if you like; a `random.Random`, which
    draws each row with a probability proportional to its count; None is each row in turn, as often
    as its count says, again and again. Raises `ParameterError` at a draw that is missing or no row.

    >>> list(drawn_rows(None, (1, 2), 5))
    [0, 1, 1, 0, 1]
    """
    if draws is not None and not hasattr(draws, "randrange"):
        count = 0
        for i in islice(_iterable(draws, "draws"), T):
            yield _position(i, len(counts), "draws")
            count += 1
        if count < T:
            raise ParameterError(f"draws: expected at least T={T} row positions, got {count}")
        return
    seen = [i for i, count in enumerate(counts) for _ in range(count)]
    if draws is None:
        yield from islice(cycle(seen), T)
    else:
        chance = cast("Random", draws)
        for _ in range(T):
            yield seen[chance.randrange(len(seen))]


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
    """Raise `ExactnessLimitError` where an exact weight has become longer than `MAX_DIGITS`.

    The digits of exact weights can grow with every step. Without this limit, a long run would not
    fail but become so slow that it never ends.
    """
    for vector in state:
        for value in vector:
            if isinstance(value, Fraction):
                mend = "take fewer steps, or give floats"
                check_digits(value, f"step {t}: a weight needs", mend)


def read_start(start: Row | None, d: int, bias: bool, zero: S) -> tuple[tuple[S, ...], S]:
    """The weights w and b that a run begins with, all 0 where no `start` is given.

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
    """The `blocks` weight vectors that a run begins with, all 0 where no `start` is given."""
    if start is None:
        return ((zero,) * width,) * blocks
    found = read_rows_as(start, zero, "start")
    if len(found) != blocks or len(found[0]) != width:
        raise ParameterError(f"start: expected {blocks} rows of {width} numbers")
    return found


def equally(t: int) -> int:
    """The weights 1, 1, 1, …: every state counts the same in the average.

    >>> [equally(t) for t in (1, 2, 3)]
    [1, 1, 1]
    """
    return 1


def by_age(t: int) -> int:
    """The weights 1, 2, 3, …: later states count more, so that the early ones fade.

    >>> [by_age(t) for t in (1, 2, 3)]
    [1, 2, 3]
    """
    return t


class RunningMean(Generic[S]):
    """Σ a_t state_t / Σ a_t, where the function `average` gives the weights a_t.

    A state that stays for several steps is added to the sums once, with the sum of its weights. So
    for a perceptron, whose state changes at mistakes only, the cost is that of its mistakes.

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
        self._state: Vectors[S] = ()  # the last one, which is not yet in the sums
        self._staying: S = zero  # the weights of the steps since it came
        self._weight: S = zero  # the weights of all steps
        self._sums: list[list[S]] = []

    def count(self, t: int, state: Vectors[S]) -> None:
        """Let the state after step t count.

        A state that didn't change must be the same object as before: this is how it is recognised.
        """
        weight = parameter(self._average(t), f"average({t})", self._zero)
        if weight < 0:
            raise ParameterError(f"average({t}): expected at least 0, got {shown(weight)}")
        if state is not self._state:
            self._add(t)
            self._state = state
        self._staying = self._staying + weight
        self._weight = self._weight + weight

    def value(self) -> Vectors[S]:
        """The mean so far; `ParameterError` where no step has a positive weight."""
        if not self._weight > 0:
            raise ParameterError("average: expected a positive weight for one step at least")
        self._add(0)
        return tuple(tuple([a / self._weight for a in row]) for row in self._sums)

    def _add(self, t: int) -> None:
        """Add the last state to the sums, with the weights of all steps for which it stayed."""
        if not self._sums:
            self._sums = [[self._zero] * len(row) for row in self._state]
        stay = self._staying
        self._sums = [
            [a + stay * v for a, v in zip(*pair)] for pair in zip(self._sums, self._state)
        ]
        self._staying = self._zero
        check_state(self._sums, t)


def step_sizes(eta: StepSize | None, sigma: S, zero: S) -> Callable[[int], tuple[S, S]]:
    """A function from t to the step size η_t, 1/(σt) for None, and the factor 1 − η_tσ.

    Both are in the arithmetic of `zero`. `ParameterError` for a step size that isn't positive.
    """
    if eta is None:
        # In float 1 − (1/(σt))·σ need not be (t − 1)/t, nor 0 at t = 1, where W must vanish.
        return lambda t: (1 / (sigma * t), (zero + (t - 1)) / t)
    if not callable(eta):
        constant = positive_parameter(eta, "eta", zero)
        pair = constant, 1 - constant * sigma
        return lambda t: pair
    rule = eta

    def at(t: int) -> tuple[S, S]:
        size = positive_parameter(rule(t), f"eta({t})", zero)
        return size, 1 - size * sigma

    return at


class Update(NamedTuple):
    """What a step does: whether the weights shrink, and whether −η_t∇_i is added."""

    shrinks: bool
    adds: bool


Shrink = Callable[[Any], Update]
"""From the loss of the drawn row to what the step does."""


def shrink_always(loss: float | Fraction) -> Update:
    """The subgradient of (λ/2)‖W‖² belongs to every step. [lecture5, "Algorithm 1"]

    >>> shrink_always(0)
    Update(shrinks=True, adds=True)
    """
    return Update(True, True)


def shrink_with_loss(loss: float | Fraction) -> Update:
    """As [keshet §2.2] prints it: a step whose row has no positive loss does nothing.

    This is no subgradient step on the objective: once no row has a positive loss, the weights stay
    as they are, however large they are.

    >>> shrink_with_loss(0), shrink_with_loss(Fraction(1, 2))
    (Update(shrinks=False, adds=False), Update(shrinks=True, adds=True))
    """
    return Update(loss > 0, loss > 0)


def shrink_never(loss: float | Fraction) -> Update:
    """As [karagiannis, Example 29] prints it: the recursion lacks the term of λ‖w‖².

    >>> shrink_never(1)
    Update(shrinks=False, adds=True)
    """
    return Update(False, True)


BY_SIGN = (shrink_always, shrink_with_loss, shrink_never)
"""The shrinks that ask only whether the loss is positive, so that a multiple of it will do."""


def ball(radius_squared: Number) -> Projection:
    """The projection onto the ball ‖W‖² ≤ radius_squared, to be given as `project`.

    In the max form with costs of at most 1, the optimum lies in the ball of radius_squared = 1/λ:
    the mean loss there is a mean of costs minus λ‖W‖², and it is not negative. Raises
    `ExactnessLimitError` where the weights are exact and the factor √(radius_squared/‖W‖²) is
    irrational.

    >>> ball(1)(Fraction(4)), ball(1)(Fraction(1, 2)), ball(1)(4.0)
    (Fraction(1, 2), Fraction(1, 1), 0.5)
    """
    if not exact_parameter(radius_squared, "radius_squared") > 0:
        raise ParameterError(
            f"radius_squared: expected a positive number, got {shown(radius_squared)}"
        )

    def factor(norm_squared: S) -> S:
        zero: S = norm_squared * 0
        allowed = parameter(radius_squared, "radius_squared", zero)
        if norm_squared <= allowed:
            return zero + 1
        return _square_root(allowed / norm_squared)

    return factor


def _square_root(ratio: S) -> S:
    if isinstance(ratio, float):
        return sqrt(ratio)
    root = Fraction(isqrt(ratio.numerator), isqrt(ratio.denominator))
    if root * root != ratio:
        raise ExactnessLimitError(
            f"project: the factor √({shown(ratio)}) is irrational; give floats, or a projection "
            "with rational factors"
        )
    return root
