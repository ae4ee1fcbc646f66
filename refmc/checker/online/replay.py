"""Replaying an algorithm step by step, from the states that somebody submitted.

A rule says which states may follow a state: several, where the algorithm leaves a choice.  Each
step of a submitted trace is judged from the submitter's own state before it, so that a legitimate
choice, or a rounding, never makes later steps wrong.  Where only the end was submitted, the states
of all choices are followed exactly, up to a limit.

    a       what an entry may be off at one step.  A step is right if some state within a of the one
            before it (entry by entry) makes the rule choose so, and the state after it is within a
            of what that choice makes of the one before.  0 is exact.
    gap     the largest distance of an entry of a submitted state from the nearest state that the
            rule allows there
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from refmc.checker.parts import Part, counted, status_of
from refmc.checker.printing import short_text
from refmc.checker.verdict import Violation

State = tuple[Fraction, ...]
Counts = tuple[int, ...]

MAX_STATES = 1_000
MAX_BITS = 20_000  # of a numerator or a denominator, where only the end was submitted


@dataclass(frozen=True)
class Visit:
    """One step: t and epoch count from 1, row from 0."""

    t: int
    epoch: int
    row: int


@dataclass(frozen=True)
class Choice:
    """A state that the rule allows next; whether it counts as a mistake; and why it is due."""

    state: State
    mistake: bool
    why: str


class Rule(Protocol):
    """What an algorithm allows."""

    @property
    def start(self) -> State:
        """The state before the first step."""

    def choices(
        self, state: State, visit: Visit, a: Fraction, claimed: State | None
    ) -> Sequence[Choice] | None:
        """All choices from a state that may be off by a in each entry; None: too many to list.

        `claimed` is the state that was submitted as the next one, if any.
        """

    def entry(self, position: int) -> str:
        """The name of an entry of the state."""


@dataclass(frozen=True)
class Submission:
    """What was submitted of a run: any of a trace, its end, and the mistakes of each epoch."""

    trace: Sequence[State] | None = None
    end: State | None = None
    mistakes: Counts | None = None


def distance(u: State, v: State) -> tuple[Fraction, int]:
    """The largest difference of two entries, and its position.

    >>> distance((Fraction(1), Fraction(2)), (Fraction(1), Fraction(5)))
    (Fraction(3, 1), 1)
    """
    apart = [abs(p - q) for p, q in zip(u, v, strict=True)]
    worst = max(apart)
    return worst, apart.index(worst)


def judge_run(
    rule: Rule, visits: Sequence[Visit], given: Submission, stops: bool, allowed: Fraction
) -> list[Part]:
    """The parts of a verdict: the trace, its end, and the mistakes.

    `stops`: the run may end with any epoch that makes no mistake.  An end or mistakes beside a
    trace are judged by it, and otherwise by all states that can be reached.
    """
    if given.trace is None:
        return [_judge_end(rule, visits, given, stops, allowed)]
    part, ranges = _judge_trace(rule, visits, given.trace, stops, allowed)
    parts = [part]
    if given.end is not None:
        last = given.trace[-1] if given.trace else rule.start
        off, j = distance(given.end, last)
        wrong = _entry_violation(rule, "end", off, j, given.end, last, "the trace ends here")
        parts.append(_close(off, wrong, allowed))
    if given.mistakes is not None:
        parts.append(_judge_counts(visits, ranges, given.mistakes))
    return parts


def _judge_trace(
    rule: Rule, visits: Sequence[Visit], trace: Sequence[State], stops: bool, allowed: Fraction
) -> tuple[Part, list[tuple[int, int]]]:
    """The verdict, and for each step the least and the most mistakes that it can be."""
    before, gap, unclear = rule.start, Fraction(0), False
    wrong: list[Violation] = []
    ranges: list[tuple[int, int]] = []
    for visit, claimed in zip(visits, trace, strict=False):
        choices = rule.choices(before, visit, allowed, claimed)
        if choices is None:
            unclear = True
            ranges.append((0, 1))
        else:
            off, j, nearest = min(
                ((*distance(claimed, c.state), c) for c in choices), key=lambda found: found[0]
            )
            gap = max(gap, off)
            if off > allowed:
                place = f"step {visit.t}, row {visit.row}"
                wrong.append(
                    _entry_violation(rule, place, off, j, claimed, nearest.state, nearest.why)
                )
            fitting = {c.mistake for c in choices if distance(claimed, c.state)[0] <= allowed}
            ranges.append((int(min(fitting, default=False)), int(max(fitting, default=True))))
        before = claimed
    early = _early_end(visits, ranges, len(trace), stops)
    if early is not None:
        wrong.append(early)
    return Part(status_of(not unclear, bool(wrong)), gap, tuple(wrong)), ranges


def _early_end(
    visits: Sequence[Visit], ranges: Sequence[tuple[int, int]], length: int, stops: bool
) -> Violation | None:
    if length == len(visits):
        return None
    amount = Fraction(abs(length - len(visits)))
    if length > len(visits):
        return Violation("trace", f"{length} steps, but the run has {len(visits)}", amount)
    ended = length > 0 and visits[length].epoch > visits[length - 1].epoch
    last = [r for v, r in zip(visits, ranges, strict=False) if v.epoch == visits[length - 1].epoch]
    if stops and ended and not sum(least for least, _ in last):
        return None
    text = f"ends after {length} of {len(visits)} steps"
    text += ", but not with an epoch without mistakes" if stops else ""
    return Violation("trace", text, amount)


def _judge_counts(
    visits: Sequence[Visit], ranges: Sequence[tuple[int, int]], mistakes: Counts
) -> Part:
    wrong = []
    epochs = max([len(mistakes), *(visit.epoch for visit, _ in zip(visits, ranges, strict=False))])
    bounds = [[0, 0] for _ in range(epochs)]
    for visit, (low, high) in zip(visits, ranges, strict=False):
        bounds[visit.epoch - 1][0] += low
        bounds[visit.epoch - 1][1] += high
    for epoch, (least, most) in enumerate(bounds, 1):
        mine = mistakes[epoch - 1] if epoch <= len(mistakes) else 0
        if not least <= mine <= most:
            right = str(least) if least == most else f"{least} to {most}"
            text = f"{short_text(mine)} mistakes, but the trace makes {right}"
            amount = Fraction(max(least - mine, mine - most))
            wrong.append(Violation(f"epoch {epoch}", text, amount))
    return Part(status_of(not wrong, bool(wrong)), None, tuple(wrong))


def _judge_end(
    rule: Rule, visits: Sequence[Visit], given: Submission, stops: bool, allowed: Fraction
) -> Part:
    ends = reachable(rule, visits, stops, counted=given.mistakes is not None)
    if ends is None:
        hint = "too many states can be reached, or too long ones: submit the trace"
        return Part("INCONCLUSIVE", None, (), hint)
    fitting = ends
    if given.mistakes is not None:
        fitting = [e for e in ends if _stripped(e[1]) == _stripped(given.mistakes)]
        if not fitting:
            mine = ", ".join(map(short_text, given.mistakes))
            text = f"mistakes [{mine}], needs {list(ends[0][1])}"
            text += f" or {counted(len(ends) - 1, 'other')}" if len(ends) > 1 else ""
            return Part("REFUTED", None, (Violation("mistakes", text, Fraction(1)),))
    if given.end is None:
        return Part("VERIFIED")
    found = [(*distance(given.end, state), state) for state, _ in fitting]
    off, j, nearest = min(found, key=lambda f: f[0])
    why = "the only end" if len(fitting) == 1 else f"the nearest of {len(fitting)} ends"
    wrong = _entry_violation(rule, "end", off, j, given.end, nearest, why)
    part = _close(off, wrong, allowed)
    if part.status == "REFUTED" and allowed:
        hint = "a rounding can decide a near tie: submit the trace, which is judged step by step"
        return Part(part.status, part.gap, part.violations, hint)
    return part


def reachable(
    rule: Rule, visits: Sequence[Visit], stops: bool, counted: bool
) -> list[tuple[State, Counts]] | None:
    """All ends of a run, each with the mistakes of its epochs if `counted`; None past the limits.

    A run that may stop may also go on.
    """
    ended: dict[tuple[State, Counts], None] = {}
    open_runs: set[tuple[State, Counts, bool]] = {(rule.start, (), False)}  # did the epoch err?
    epoch = 0
    for visit in visits:
        if visit.epoch > epoch:
            if epoch and stops:
                ended.update(((s, c), None) for s, c, erred in open_runs if not erred)
            zero = (0,) if counted else ()
            open_runs = {(s, c + zero, False) for s, c, _ in open_runs}
            epoch = visit.epoch
        following = set()
        for state, counts, erred in open_runs:
            choices = rule.choices(state, visit, Fraction(0), None)
            if choices is None:
                return None
            for c in choices:
                more = (*counts[:-1], counts[-1] + c.mistake) if counted else counts
                following.add((c.state, more, erred or c.mistake))
            if len(following) > MAX_STATES or _is_long(state):
                return None
        open_runs = following
    ended.update(((s, c), None) for s, c, _ in open_runs)
    return sorted(ended)


def _is_long(state: State) -> bool:
    return any(max(v.numerator.bit_length(), v.denominator.bit_length()) > MAX_BITS for v in state)


def _stripped(counts: Counts) -> Counts:
    while counts and counts[-1] == 0:
        counts = counts[:-1]
    return counts


def _entry_violation(
    rule: Rule, place: str, off: Fraction, j: int, mine: State, needed: State, why: str
) -> Violation:
    text = f"{rule.entry(j)} is {short_text(mine[j])}, needs {short_text(needed[j])} ({why})"
    return Violation(place, text, off)


def _close(off: Fraction, wrong: Violation, allowed: Fraction) -> Part:
    return Part(status_of(off <= allowed, off > allowed), off, (wrong,) * (off > allowed))
