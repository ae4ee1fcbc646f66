"""Replaying an algorithm step by step, from the states that somebody submitted.

A rule says which states may follow a state: several, where the algorithm leaves a choice. Each step
of a submitted trace is judged from the submitter's own state before it, so that a legitimate choice,
or a rounding, never makes later steps wrong. Where only the end was submitted, the run of the first
choices is tried, and then the runs of all choices, up to a limit.

    sizes   of an entry of the state: the sum of the absolute values of the terms that it is a sum of.
            They come from the problem and from the choices that were made, never from the numbers
            that were submitted
    allowed what an entry may be off at a step, relative to its size before or after the step,
            whichever is larger; 0 is exact
    near    a quantity that decides a choice (a margin, a difference of two scores) is within allowed
            times the sizes of its own terms of the point where the choice changes: then the rounding
            of the submitted numbers may have decided it, and both choices are admitted. Where nothing
            was rounded so far, and floats compute the quantity exactly, there is no such doubt
    gap     the distance of a submitted entry from the nearest state that the rule allows there, and
            the scale of that entry; of all entries the one that is worst relative to its scale
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from refmc.checker.numbers.arithmetic import rational_dot
from refmc.checker.parts import Part, counted, status_of
from refmc.checker.printing import short_text
from refmc.checker.verdict import Violation

State = tuple[Fraction, ...]
Counts = tuple[int, ...]

MAX_SEARCHED = 100_000
"""The most entries of states that are computed in a search through the choices of a run."""

MAX_BITS = 20_000
"""The most binary digits of a numerator or a denominator where only the end was submitted."""

_SIGNIFICANT = 24
"""Binary digits of a float in single precision: what needs no more is computed without rounding."""


@dataclass(frozen=True)
class Visit:
    """One step: t and epoch count from 1, row from 0."""

    t: int
    epoch: int
    row: int


@dataclass(frozen=True)
class Point:
    """A state with the sizes of its entries; whether no rounding has come into it, as far as told."""

    state: State
    sizes: State
    is_exact: bool = True


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

    def entry(self, position: int) -> str:
        """The name of an entry of the state."""


@dataclass(frozen=True)
class Submission:
    """What was submitted of a run: any of a trace, its end, and the mistakes of each epoch."""

    trace: Sequence[State] | None = None
    end: State | None = None
    mistakes: Counts | None = None


@dataclass(frozen=True)
class Deviation:
    """How far an entry is off, relative to what; and which entry it is."""

    off: Fraction
    scale: Fraction
    position: int

    @property
    def badness(self) -> tuple[bool, Fraction]:
        """What two deviations are compared by; beyond every scale is one whose scale is 0."""
        if not self.scale:
            return self.off > 0, self.off
        return False, self.off / self.scale

    def exceeds(self, allowed: Fraction) -> bool:
        return self.off > allowed * self.scale


def deviation(mine: State, needed: State, scales: Iterable[Fraction]) -> Deviation:
    """The worst deviation of an entry, relative to the scale of its own.

    >>> deviation((Fraction(1), Fraction(9)), (Fraction(2), Fraction(7)), (Fraction(1), Fraction(8)))
    Deviation(off=Fraction(1, 1), scale=Fraction(1, 1), position=0)
    """
    found = [
        Deviation(abs(p - q), scale, j)
        for j, (p, q, scale) in enumerate(zip(mine, needed, scales, strict=True))
        if p != q
    ]
    return max(found, key=lambda d: d.badness, default=Deviation(Fraction(0), Fraction(1), 0))


def doubt(before: Point, terms: Sequence[tuple[Fraction, Fraction]], size: Fraction) -> Fraction:
    """What the sum of the products u v of some terms (u, v) may be off, if `size` is how much by size.

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


def judge_run(
    rule: Rule, visits: Sequence[Visit], given: Submission, stops: bool, allowed: Fraction
) -> list[Part]:
    """The parts of a verdict: the trace, its end, and the mistakes.

    `stops`: the run may end with any epoch that makes no mistake. One choice at every tie must explain
    all that was submitted: an end or mistakes beside a trace are judged by it, and otherwise together.
    """
    if given.trace is None:
        return _judge_end(rule, visits, given, stops, allowed)
    return _judge_trace(rule, visits, given, given.trace, stops, allowed)


def _judge_trace(
    rule: Rule,
    visits: Sequence[Visit],
    given: Submission,
    trace: Sequence[State],
    stops: bool,
    allowed: Fraction,
) -> list[Part]:
    point = rule.start
    worst = Deviation(Fraction(0), Fraction(1), 0)
    wrong: list[Violation] = []
    may_err: list[set[bool]] = []  # for each step, whether it can be right and whether a mistake
    for visit, claimed in zip(visits, trace, strict=False):
        choices = rule.choices(point, visit, allowed, claimed)
        if choices is None:
            hint = f"step {visit.t} has too many choices to be judged"
            return [Part("INCONCLUSIVE", hint=hint)]
        found = [(_step_deviation(point, claimed, c), c) for c in choices]
        off, nearest = min(found, key=lambda pair: pair[0].badness)
        worst = max(worst, off, key=lambda d: d.badness)
        if off.exceeds(allowed):
            place = f"step {visit.t}, row {visit.row}"
            wrong.append(_entry_violation(rule, place, off, claimed, nearest.state, nearest.why()))
        may_err.append({c.mistake for d, c in found if not d.exceeds(allowed)} or {False, True})
        point = Point(claimed, nearest.sizes, point.is_exact and not off.off)
    ends_early = stops and _ends_with_an_epoch(visits, len(trace))
    if len(trace) != len(visits) and not (ends_early and _can_be_clean(visits, may_err)):
        wrong.append(_length_violation(visits, len(trace), stops))
    parts = [Part(status_of(True, bool(wrong)), worst.off, tuple(wrong), scale=worst.scale)]
    if given.end is not None:
        off = deviation(given.end, point.state, point.sizes)
        parts.append(_end_part(rule, off, given.end, point.state, "the trace ends here", allowed))
    if given.mistakes is not None:
        if ends_early:  # with an epoch without mistakes, whatever else its steps could be
            last = visits[len(trace) - 1].epoch
            may_err = [{False} if v.epoch == last else e for v, e in zip(visits, may_err)]
        parts.append(_judge_counts(visits, may_err, given.mistakes))
    return parts


def _step_deviation(before: Point, claimed: State, choice: Choice) -> Deviation:
    """The state before is itself a term of the one after, which may be small by comparison."""
    return deviation(claimed, choice.state, map(max, before.sizes, choice.sizes))


def _ends_with_an_epoch(visits: Sequence[Visit], length: int) -> bool:
    return 0 < length < len(visits) and visits[length].epoch > visits[length - 1].epoch


def _can_be_clean(visits: Sequence[Visit], may_err: Sequence[set[bool]]) -> bool:
    """Whether the last epoch of the steps can be one without mistakes."""
    last = visits[len(may_err) - 1].epoch
    return all(False in e for v, e in zip(visits, may_err, strict=False) if v.epoch == last)


def _length_violation(visits: Sequence[Visit], length: int, stops: bool) -> Violation:
    amount = Fraction(abs(length - len(visits)))
    if length > len(visits):
        return Violation("trace", f"{length} steps, but the run has {len(visits)}", amount)
    text = f"ends after {length} of {len(visits)} steps"
    text += ", but not with an epoch without mistakes" if stops else ""
    return Violation("trace", text, amount)


def _judge_counts(visits: Sequence[Visit], may_err: Sequence[set[bool]], mistakes: Counts) -> Part:
    """Whether the steps of a trace can be as many mistakes in each epoch as is claimed."""
    asked = visits[-1].epoch
    if len(mistakes) > asked:
        return _too_many_epochs(mistakes, asked)
    least, most = [0] * asked, [0] * asked
    for visit, e in zip(visits, may_err, strict=False):
        least[visit.epoch - 1] += False not in e
        most[visit.epoch - 1] += True in e
    wrong = []
    padded = (*mistakes, *[0] * (asked - len(mistakes)))
    for epoch, (low, mine, high) in enumerate(zip(least, padded, most, strict=True), 1):
        if not low <= mine <= high:
            right = str(low) if low == high else f"{low} to {high}"
            text = f"{short_text(mine)} mistakes, but the trace makes {right}"
            wrong.append(Violation(f"epoch {epoch}", text, Fraction(max(low - mine, mine - high))))
    return Part(status_of(not wrong, bool(wrong)), None, tuple(wrong))


def _too_many_epochs(mistakes: Counts, asked: int) -> Part:
    text = f"{counted(len(mistakes), 'epoch')}, but the run has {asked}"
    wrong = Violation("mistakes", text, Fraction(len(mistakes) - asked))
    return Part("REFUTED", None, (wrong,))


def _judge_end(
    rule: Rule, visits: Sequence[Visit], given: Submission, stops: bool, allowed: Fraction
) -> list[Part]:
    """The reference run is tried first, for nearly all that is right is the end of it."""
    if given.mistakes is not None and len(given.mistakes) > visits[-1].epoch:
        return [_too_many_epochs(given.mistakes, visits[-1].epoch)]
    reference = _reference(rule, visits, stops)
    if reference is not None and _makes(reference.mistakes, given.mistakes):
        parts = _nearest(rule, [reference.end], given, allowed)
        if all(part.status == "VERIFIED" for part in parts):
            return parts
    ends = _ends(rule, visits, stops, given.mistakes, allowed)
    if ends is None:
        hint = "too many states can be reached, or too long ones: submit the trace"
        return [Part("INCONCLUSIVE", hint=hint)]
    if not ends:
        assert given.mistakes is not None
        text = f"no run makes {_listed(given.mistakes)}"
        text += f"; the reference run makes {_listed(reference.mistakes)}" if reference else ""
        return [Part("REFUTED", None, (Violation("mistakes", text, Fraction(1)),))]
    return _nearest(rule, ends, given, allowed)


@dataclass(frozen=True)
class _Reference:
    end: Point
    mistakes: Counts


def _reference(rule: Rule, visits: Sequence[Visit], stops: bool) -> _Reference | None:
    """The run of the first choices, which stops as soon as it may; None past the limit of digits."""
    point, mistakes = rule.start, [0] * visits[-1].epoch
    for visit, after in zip(visits, [*visits[1:], None], strict=True):
        choice = rule.first(point, visit)
        if choice.state is not point.state and _is_long(choice.state):
            return None
        point = _reached(point, choice)
        mistakes[visit.epoch - 1] += choice.mistake
        is_last_of_epoch = after is None or after.epoch > visit.epoch
        if stops and is_last_of_epoch and not mistakes[visit.epoch - 1]:
            break
    return _Reference(point, tuple(mistakes))


def _nearest(rule: Rule, ends: Sequence[Point], given: Submission, allowed: Fraction) -> list[Part]:
    """The verdict by the nearest of the ends of all runs that make the mistakes that are claimed."""
    if given.end is None:
        return [Part("VERIFIED")]
    found = [(deviation(given.end, end.state, end.sizes), end) for end in ends]
    off, nearest = min(found, key=lambda pair: pair[0].badness)
    why = "the only end" if len(ends) == 1 else f"the nearest of {len(ends)} ends"
    return [_end_part(rule, off, given.end, nearest.state, why, allowed)]


def _ends(
    rule: Rule, visits: Sequence[Visit], stops: bool, mistakes: Counts | None, allowed: Fraction
) -> list[Point] | None:
    """The ends of all runs that make these mistakes; None past the limits.

    A run that may stop may also go on.
    """
    ended: dict[Point, None] = {}
    # each run with the mistakes of its epoch: how many if their number is claimed, else whether any
    runs: dict[tuple[Point, int], None] = {(rule.start, 0): None}
    searched = 0
    for visit, after in zip(visits, [*visits[1:], None], strict=True):
        following: dict[tuple[Point, int], None] = {}
        for point, erred in runs:
            choices = rule.choices(point, visit, allowed, None)
            if choices is None:
                return None
            searched += len(choices) * len(point.state)
            if searched > MAX_SEARCHED or any(_is_long(c.state) for c in choices):
                return None
            for c in choices:
                count = erred + c.mistake if mistakes is not None else int(erred or c.mistake)
                following[_reached(point, c), count] = None
        if after is None or after.epoch > visit.epoch:
            if mistakes is not None:
                claimed = mistakes[visit.epoch - 1] if visit.epoch <= len(mistakes) else 0
                following = {run: None for run in following if run[1] == claimed}
            may_stop = stops and not any((mistakes or ())[visit.epoch :])
            ended |= {p: None for p, erred in following if after is None or may_stop and not erred}
            following = {(point, 0): None for point, _ in following}
        runs = following
    return list(ended)


def _reached(before: Point, choice: Choice) -> Point:
    """Where a choice leads; what floats can't hold has been rounded by those who compute in floats."""
    if choice.state is before.state:
        return before
    is_exact = before.is_exact and all(map(is_dyadic, choice.state))
    return Point(choice.state, choice.sizes, is_exact)


def _is_long(state: State) -> bool:
    return any(max(v.numerator.bit_length(), v.denominator.bit_length()) > MAX_BITS for v in state)


def _makes(made: Counts, claimed: Counts | None) -> bool:
    """Whether a run makes the mistakes that are claimed, where an epoch left out has none."""
    if claimed is None:
        return True
    return made == (*claimed, *[0] * (len(made) - len(claimed)))


def _listed(mistakes: Counts) -> str:
    return f"[{', '.join(map(short_text, mistakes))}]"


def _entry_violation(
    rule: Rule, place: str, off: Deviation, mine: State, needed: State, why: str
) -> Violation:
    j = off.position
    text = f"{rule.entry(j)} is {short_text(mine[j])}, needs {short_text(needed[j])} ({why})"
    return Violation(place, text, off.off)


def _end_part(
    rule: Rule, off: Deviation, mine: State, needed: State, why: str, allowed: Fraction
) -> Part:
    is_wrong = off.exceeds(allowed)
    wrong = (_entry_violation(rule, "end", off, mine, needed, why),) * is_wrong
    return Part(status_of(not is_wrong, is_wrong), off.off, wrong, scale=off.scale)
