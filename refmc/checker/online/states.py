"""Where a run is: its state with the sizes of the entries, what may follow, what is predicted.

sizes   of an entry of the state: the sum of the absolute values of the terms that it is a sum of.
        They come from the problem and from the choices that were made, never from the numbers
        that were submitted
near    a quantity that decides a choice (a margin, a difference of two scores) is within allowed
        times the sizes of its own terms of the point where the choice changes: then the rounding
        of the submitted numbers may have decided it, and both choices are admitted. Where nothing
        was rounded so far, and floats compute the quantity exactly, there is no such doubt
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol

from refmc.checker.numbers.arithmetic import rational_dot

State = tuple[Fraction, ...]
Counts = tuple[int, ...]

Average = Literal["equally", "by_age"]

_SIGNIFICANT = 24
"""Binary digits of a float in single precision: what needs no more is computed without rounding."""


@dataclass(frozen=True)
class Visit:
    """One step: t and epoch count from 1, row from 0."""

    t: int
    epoch: int
    row: int


@dataclass(frozen=True)
class Sums:
    """The sum of some states, each times a weight, with that of their sizes and of the weights."""

    state: State
    sizes: State
    weight: int


@dataclass(frozen=True)
class Point:
    """A state with the sizes of its entries; whether no rounding has come into it, as far as told.

    `sums`: over all steps up to here, where the run is averaged.
    """

    state: State
    sizes: State
    is_exact: bool = True
    sums: Sums | None = None

    def then(self, state: State, sizes: State, is_exact: bool, weight: int) -> "Point":
        """The point after a step; `weight` is what the step counts in the average, 0 without one.

        >>> one, two = Fraction(1), Fraction(2)
        >>> Point((one,), (one,)).then((two,), (two,), True, 3).sums
        Sums(state=(Fraction(6, 1),), sizes=(Fraction(6, 1),), weight=3)
        """
        if not weight:
            return Point(state, sizes, is_exact)
        nothing = (Fraction(0),) * len(state)
        before = self.sums or Sums(nothing, nothing, 0)
        sums = Sums(
            tuple(a + weight * v for a, v in zip(before.state, state, strict=True)),
            tuple(a + weight * v for a, v in zip(before.sizes, sizes, strict=True)),
            before.weight + weight,
        )
        return Point(state, sizes, is_exact, sums)

    def averaged(self) -> "Point":
        """The mean of all states up to here, or the state itself where there is no average.

        >>> Point((), (), True, Sums((Fraction(6),), (Fraction(8),), 4)).averaged().state
        (Fraction(3, 2),)
        """
        if self.sums is None:
            return self
        state = tuple(v / self.sums.weight for v in self.sums.state)
        sizes = tuple(v / self.sums.weight for v in self.sums.sizes)
        return Point(state, sizes, self.is_exact and all(map(is_dyadic, state)))


@dataclass(frozen=True)
class Choice:
    """A state that the rule allows next, with its sizes; whether it is a mistake; why it is due."""

    state: State
    sizes: State
    mistake: bool
    why: Callable[[], str]


class Rule(Protocol):
    """What an algorithm allows."""

    @property
    def start(self) -> Point:
        """The state before the first step."""

    def choices(
        self, before: Point, visit: Visit, allowed: Fraction, claimed: State | None
    ) -> Sequence[Choice] | None:
        """All choices at a visit; None: too many to list.

        `claimed` is the state that was submitted as the next one, if any.
        """

    def first(self, before: Point, visit: Visit) -> Choice:
        """The choice of the reference run."""

    def winners(self, point: Point, row: int, allowed: Fraction) -> tuple[int, ...]:
        """The classes that may be predicted for a row, by their positions."""

    def entry(self, position: int) -> str:
        """The name of an entry of the state."""

    def class_name(self, r: int) -> str:
        """The name of a class."""


def start_of(state: State | None, width: int, is_exact: bool = True) -> Point:
    """The point before the first step: at 0 unless a state is given, whose entries are terms.

    >>> start_of(None, 2).sizes, start_of((Fraction(-1),), 1).sizes
    ((Fraction(0, 1), Fraction(0, 1)), (Fraction(1, 1),))
    """
    begun = state or (Fraction(0),) * width
    if len(begun) != width:
        raise ValueError(f"start: expected {width} numbers, got {len(begun)}")
    return Point(begun, tuple(map(abs, begun)), is_exact and all(map(is_dyadic, begun)))


def doubt(before: Point, terms: Sequence[tuple[Fraction, Fraction]], size: Fraction) -> Fraction:
    """What the sum of the products uv of some terms (u, v) may be off; at most `size`.

    Nothing, where the state is exact and floats compute the sum without rounding, in any order.

    >>> exact = Point((), ())
    >>> doubt(exact, [(Fraction(1, 2), Fraction(3))], Fraction(1, 10**9))
    Fraction(0, 1)
    >>> doubt(exact, [(Fraction(1, 3), Fraction(3))], Fraction(1, 10**9))
    Fraction(1, 1000000000)
    """
    if not size or not before.is_exact:
        return size
    used = [(u, v) for u, v in terms if u and v]
    if not all(is_dyadic(u) and is_dyadic(v) for u, v in used):
        return size
    products = [abs(u * v) for u, v in used]
    unit = max((p.denominator for p in products), default=1)
    return Fraction(0) if sum(products) * unit <= 1 << _SIGNIFICANT else size


def is_dyadic(q: Fraction) -> bool:
    """Whether a number is a fraction of a power of 2, of no more digits than a float has.

    >>> is_dyadic(Fraction(3, 4)), is_dyadic(Fraction(1, 10)), is_dyadic(Fraction(2**24 + 1))
    (True, False, False)
    """
    above = abs(q.numerator)
    digits = above.bit_length() - (above & -above).bit_length() + 1
    return q.denominator & (q.denominator - 1) == 0 and digits <= _SIGNIFICANT


def sized_dot(sizes: Iterable[Fraction], row: Iterable[Fraction | int]) -> Fraction:
    """The sum of the sizes of all terms of an inner product of a state and a row.

    >>> sized_dot([Fraction(1), Fraction(2)], [Fraction(-3), Fraction(4)])
    Fraction(11, 1)
    """
    return rational_dot(sizes, (abs(Fraction(v)) for v in row))
