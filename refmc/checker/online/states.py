"""The state of a run with bounds for rounding, the choices at a step, and which scores may lead.

size    of an entry of the state: the sum of the absolute values of the terms that add up to it.
        Sizes come from the problem and from the choices made, never from the submitted numbers, so
        that an answer can't widen its own tolerance
score   a number that decides a choice and is linear in the state: a margin, or the score of a class
reach   a bound on the rounding of a sum of scores: allowed times the sizes of their terms. Where
        the scores are nearer than that to the point at which the choice changes, rounding may have
        decided the submitted run's choice, and both choices are admitted. The reach is 0 where no
        entry of the state was rounded so far and floats compute the scores exactly; and where all
        entries that count are 0, left so by a product that was taken away again
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Literal, NamedTuple, Protocol

from refmc.checker.numbers.arithmetic import Rows, sum_of_ratios

State = tuple[Fraction, ...]
Counts = tuple[int, ...]

Average = Literal["equally", "by_age"]

_SIGNIFICANT = 24
"""Binary digits of a float in single precision; numbers that need no more are stored exactly."""


class Visit(NamedTuple):
    """One step: t and epoch count from 1, row from 0."""

    t: int
    epoch: int
    row: int


@dataclass(frozen=True, kw_only=True)
class RunProblem:
    """One run: rows, labels, and the visits to rows in their order.

    `y`: −1 or +1 for two labels, 0-based classes of `k` otherwise. `start`: the state before the
    first step, 0 if None. `average`: the end is the mean of the states after all steps, equally
    weighted or by their t. `voted`: labels are predicted by the votes of all these states.
    """

    family: str
    X: Rows | None = None
    y: tuple[int, ...]
    k: int = 2
    visits: tuple[Visit, ...]
    bias: bool = False
    start: State | None = None
    average: Average | None = None
    voted: bool = False
    classes: tuple[str, ...] = ()

    @property
    def stops(self) -> bool:
        """Whether the run may end after any epoch without a mistake, as that of a perceptron."""
        return self.family.startswith("perceptron")

    @property
    def are_dyadic(self) -> bool:
        """Whether floats store the factors of the steps, where the states can't tell, exactly."""
        return True

    def weight(self, visit: Visit) -> int:
        """The weight of the state after a step in the average; 0 without one."""
        if self.average is None:
            return 0
        return visit.t if self.average == "by_age" else 1


class Sums(NamedTuple):
    """The weighted sum of some states, that of their sizes, and the sum of the weights."""

    state: State
    sizes: State
    weight: int


class Point(NamedTuple):
    """A state with the sizes of its entries, at some point of a run.

    `is_exact`: floats would have computed the state without rounding so far. `is_settled`: they
    would have 0 for an entry that is 0, and else a single product η·x. `sums`: over all steps up to
    here, where the run is averaged.
    """

    state: State
    sizes: State
    is_exact: bool = True
    sums: Sums | None = None
    is_settled: bool = False

    def then(
        self, state: State, sizes: State, is_exact: bool, weight: int, is_settled: bool = False
    ) -> "Point":
        """The point after a step; `weight` is that of its state in the average, 0 without one.

        >>> one, two = Fraction(1), Fraction(2)
        >>> Point((one,), (one,)).then((two,), (two,), True, 3).sums
        Sums(state=(Fraction(6, 1),), sizes=(Fraction(6, 1),), weight=3)
        """
        if not weight:
            return Point(state, sizes, is_exact, None, is_settled)
        nothing = (Fraction(0),) * len(state)
        before = self.sums or Sums(nothing, nothing, 0)
        sums = Sums(
            tuple(a + weight * v for a, v in zip(before.state, state, strict=True)),
            tuple(a + weight * v for a, v in zip(before.sizes, sizes, strict=True)),
            before.weight + weight,
        )
        return Point(state, sizes, is_exact, sums, is_settled)

    def without_sums(self) -> "Point":
        """The same point without its sums: equal for runs that have come to the same state."""
        return self._replace(sums=None)

    def merged(self, other: "Point") -> "Point":
        """One point for two of the same state and sums: with the larger sizes, and exact if both
        are.

        >>> one, two = Fraction(1), Fraction(2)
        >>> found = Point((one,), (one,)).merged(Point((one,), (two,), False))
        >>> found.sizes, found.is_exact
        ((Fraction(2, 1),), False)
        """
        sums = self.sums
        if sums is not None and other.sums is not None:
            sums = sums._replace(sizes=tuple(map(max, sums.sizes, other.sums.sizes)))
        sizes = tuple(map(max, self.sizes, other.sizes))
        is_settled = self.is_settled and other.is_settled
        return Point(self.state, sizes, self.is_exact and other.is_exact, sums, is_settled)

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


class Choice(NamedTuple):
    """A state that the rule allows next, with its sizes. `mistake`: whether the step counts as one.
    `why`: the reason for messages. `is_sum`: each entry that changes has one product ±η·x
    added."""

    state: State
    sizes: State
    mistake: bool
    why: Callable[[], str]
    is_sum: bool = False


class Rule(Protocol):
    """An online algorithm: which states it allows after a state, and what a state predicts."""

    @property
    def problem(self) -> RunProblem:
        """The run that it is a rule of."""

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
    """The point before the first step: the given state, each entry as one term, or else 0.

    >>> start_of(None, 2).sizes, start_of((Fraction(-1),), 1).sizes
    ((Fraction(0, 1), Fraction(0, 1)), (Fraction(1, 1),))
    """
    begun = state or (Fraction(0),) * width
    is_exact = is_exact and all(map(is_dyadic, begun))
    return Point(begun, tuple(map(abs, begun)), is_exact, is_settled=not any(begun))


Term = tuple[Fraction, Fraction | int]
"""Two numbers, for their product."""


@dataclass(frozen=True)
class Score:
    """`cost` + Σ u_j x_j for a row x and the entries u of a state from the position `begin` on.

    >>> Score(Point((Fraction(3), Fraction(-2)), (Fraction(3), Fraction(4))), [5], begin=1).size
    Fraction(20, 1)
    """

    point: Point
    row: Sequence[Fraction | int]
    begin: int = 0
    cost: Fraction | int = 0

    @cached_property
    def value(self) -> Fraction:
        return sum_of_ratios([self.cost.as_integer_ratio(), *self._products(self.point.state)])

    @cached_property
    def size(self) -> Fraction:
        """The sum of the sizes of all terms but the cost, which nothing rounds."""
        return sum_of_ratios([(abs(p), q) for p, q in self._products(self.point.sizes)])

    def terms(self) -> Iterable[Term]:
        """All terms, the cost too."""
        return ((Fraction(self.cost), 1), *self._pairs(self.point.state))

    def _pairs(self, entries: State) -> Iterable[Term]:
        part = entries[self.begin : self.begin + len(self.row)]
        return zip(part, self.row, strict=True)

    def _products(self, entries: State) -> list[tuple[int, int]]:
        """With entries that are not 0: in a kernel perceptron most are."""
        found = self._pairs(entries)
        ratios = [(u.as_integer_ratio(), x.as_integer_ratio()) for u, x in found if u]
        return [(p * r, q * s) for (p, q), (r, s) in ratios]


def reach(allowed: Fraction, apart: Fraction, *scores: Score) -> Fraction:
    """By how much rounding may move the sum of some scores; `apart` is the distance of that sum
    from the value at which the choice changes.

    >>> score = Score(Point((Fraction(1, 3),), (Fraction(1),)), [3])
    >>> reach(Fraction(1, 10), Fraction(0), score), reach(Fraction(0), Fraction(0), score)
    (Fraction(3, 10), Fraction(0, 1))
    """
    most = allowed * sum((score.size for score in scores[1:]), scores[0].size)
    if abs(apart) > most:
        return most  # rounding doesn't decide, whether the reach is this or 0
    return rounding(scores[0].point, chain.from_iterable(s.terms() for s in scores), most)


def leads(ahead: Score, behind: Score, allowed: Fraction) -> bool:
    """Whether one score is larger than another by more than their rounding explains."""
    apart = ahead.value - behind.value
    return apart > 0 and apart > reach(allowed, apart, ahead, behind)


def leaders(scores: Sequence[Score], allowed: Fraction) -> tuple[int, ...]:
    """The positions of the scores that may be the largest: no other score leads them.

    >>> point = Point((Fraction(1), Fraction(2)), (Fraction(1), Fraction(2)))
    >>> leaders([Score(point, [1], at) for at in (0, 1)], Fraction(0))
    (1,)
    """
    best = max(scores, key=lambda score: score.value)
    near = [j for j, score in enumerate(scores) if not leads(best, score, allowed)]
    return tuple(j for j in near if not any(leads(scores[q], scores[j], allowed) for q in near))


def sides(margin: Score, y: int, allowed: Fraction) -> tuple[int, ...]:
    """The positions of the labels that may be predicted: 0 for −1, 1 for +1.

    The sign of y times the margin of a row of label y decides; where it may be due to rounding,
    both may be predicted.

    >>> sides(Score(Point((Fraction(-2),), (Fraction(2),)), [1]), 1, Fraction(0))
    (0,)
    """
    if abs(margin.value) <= reach(allowed, margin.value, margin):
        return 0, 1
    return (int(margin.value * y > 0),)


def rounding(point: Point, terms: Iterable[Term], most: Fraction) -> Fraction:
    """A bound on the rounding of a sum of products uv, for terms (u, v): `most`, or 0.

    It is 0 where the state is exact and floats compute the sum without rounding in any order: all
    products are multiples of one power of 2, and the sum of their absolute values is at most 2^24
    of these. It is 0, too, where all terms are 0 and the state is settled.

    >>> exact = Point((), ())
    >>> rounding(exact, [(Fraction(1, 2), Fraction(3))], Fraction(1, 10**9))
    Fraction(0, 1)
    >>> rounding(exact, [(Fraction(1, 3), Fraction(3))], Fraction(1, 10**9))
    Fraction(1, 1000000000)
    """
    if not most or not (point.is_exact or point.is_settled):
        return most
    used = [(u, v) for u, v in terms if u and v]
    if point.is_settled and not used:
        return Fraction(0)
    if not point.is_exact:
        return most
    if not all(is_dyadic(u) and is_dyadic(v) for u, v in used):
        return most
    products = [abs(u * v) for u, v in used]
    unit = max((p.denominator for p in products), default=1)
    return Fraction(0) if sum(products) * unit <= 1 << _SIGNIFICANT else most


def is_dyadic(q: Fraction | int) -> bool:
    """Whether a number is an integer over a power of 2 with at most 24 significant binary digits.

    >>> is_dyadic(Fraction(3, 4)), is_dyadic(Fraction(1, 10)), is_dyadic(Fraction(2**24 + 1))
    (True, False, False)
    """
    above = q.numerator
    digits = above.bit_length() - (above & -above).bit_length() + 1
    return q.denominator & (q.denominator - 1) == 0 and digits <= _SIGNIFICANT


Change = tuple[int, Fraction, Sequence[Fraction | int]]
"""A position in a state, a factor, and a row: factor times row is added from that position on."""


def changed(
    before: Point, changes: Sequence[Change], factor: Fraction = Fraction(1), kept: int = 0
) -> tuple[State, State]:
    """The state after a step, and the sizes of its entries.

    All entries but the last `kept` ones are multiplied by the factor; then the changes are added.

    >>> one = Point((Fraction(1), Fraction(1)), (Fraction(1), Fraction(1)))
    >>> changed(one, [(1, Fraction(-1), [3])], Fraction(-2), kept=1)[0]
    (Fraction(-2, 1), Fraction(-2, 1))
    """
    state, sizes = list(before.state), list(before.sizes)
    if factor != 1:
        for j in range(len(state) - kept):
            state[j] *= factor
            sizes[j] *= abs(factor)
    for begin, times, row in changes:
        for j, v in enumerate(row, begin):
            moved = times * v
            state[j] += moved
            sizes[j] += abs(moved)
    return tuple(state), tuple(sizes)
