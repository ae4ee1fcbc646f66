"""Replaying an algorithm step by step, from the states that somebody submitted.

A rule says which states may follow a state: several, where the algorithm leaves a choice.

With a trace, each step is judged from the submitted state before it, so that a choice, a rounding
or a fault of one step doesn't make a later one wrong. A step is right if some choice leads to a
state that no submitted entry is further from than allowed. The run is right if all its steps are:
then it is a run of the algorithm, up to what is allowed at each step.

Without a trace, an end is right if some run of the algorithm ends there. The reference run is tried
first, and then the runs of all choices, up to a limit. A single run must explain all that was
submitted.

    allowed by how much an entry may be off at a step, relative to its size before or after the
            step, whichever is larger; 0 asks for exact numbers. See `states` for sizes, and for
            choices that rounding may have decided
    gap     the distance of a submitted entry from the nearest state that the rule allows there,
            relative to the scale of the entry; that of the worst entry
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from refmc.checker.numbers.arithmetic import MAX_BITS
from refmc.checker.online.states import (
    Choice,
    Counts,
    Point,
    Rule,
    RunProblem,
    State,
    Visit,
    is_dyadic,
)
from refmc.checker.parts import Part, counted, refuted, relative, status_of
from refmc.checker.printing import short_text
from refmc.checker.verdict import Place, Violation

MAX_SEARCHED = 20_000
"""The most entries of states that a search through the choices of a run computes beyond those of
one run."""

TRACE_NEEDED = "too many states can be reached, or too long ones: submit the trace"


class Submission(NamedTuple):
    """What was submitted of a run: its trace, its end, the mistakes of each epoch, the labels.

    `labels`: for each row the position of the class that is predicted after the run.
    """

    trace: Sequence[State] | None = None
    end: State | None = None
    mistakes: Counts | None = None
    labels: Sequence[int] | None = None


class Deviation(NamedTuple):
    """How far an entry is off, the scale that this is relative to, and the entry's position."""

    off: Fraction
    scale: Fraction
    position: int

    @property
    def badness(self) -> tuple[bool, Fraction]:
        """The key by which deviations are ordered: their amounts relative to their scales."""
        return relative(self.off, self.scale)


RIGHT = Deviation(Fraction(0), Fraction(1), 0)
"""The deviation of a state that is just what is needed."""


def deviation(mine: State, needed: State, scales: Iterable[Fraction]) -> Deviation:
    """The deviation of the entry that is worst relative to its own scale.

    >>> one, two, eight, nine = map(Fraction, (1, 2, 8, 9))
    >>> deviation((one, nine), (two, eight), (one, eight))
    Deviation(off=Fraction(1, 1), scale=Fraction(1, 1), position=0)
    """
    if mine == needed:  # as most states are, and this is told without the scales
        return RIGHT
    found = [
        Deviation(abs(p - q), scale, j)
        for j, (p, q, scale) in enumerate(zip(mine, needed, scales, strict=True))
        if p != q
    ]
    return max(found, key=lambda d: d.badness)


class _Run(NamedTuple):
    """A run up to its end: the last point, and, where they vote, the points after all its steps."""

    last: Point
    voters: Sequence[Point] | None = None


def judge_run(rule: Rule, given: Submission, allowed: Fraction) -> list[Part]:
    """The parts of a verdict: the trace, its end, the mistakes and the labels."""
    if given.trace is None:
        return _judge_without_trace(rule, given, allowed)
    return _judge_trace(rule, given, given.trace, allowed)


def _judge_trace(
    rule: Rule, given: Submission, trace: Sequence[State], allowed: Fraction
) -> list[Part]:
    visits, point, voters = rule.problem.visits, rule.start, list[Point]()
    worst = RIGHT
    wrong: list[Violation] = []
    may_err: list[set[bool]] = []  # for each step: whether it is a mistake, as far as that is known
    rounded = 0
    for visit, claimed in zip(visits, trace, strict=False):
        choices = rule.choices(point, visit, allowed, claimed)
        if choices is None:
            hint = f"step {visit.t} has too many choices to be judged"
            return [Part("INCONCLUSIVE", hint=hint)]
        # the state before the step is a term of the one after, which can be much smaller
        found = [(deviation(claimed, c.state, map(max, point.sizes, c.sizes)), c) for c in choices]
        off, nearest = min(found, key=lambda pair: pair[0].badness)
        worst = max(worst, off, key=lambda d: d.badness)
        if off.off > allowed * off.scale:
            place = Place.of("step", visit.t).then(f"row {visit.row}", {"row": visit.row})
            wrong.append(_entry_violation(rule, place, off, claimed, nearest.state, nearest.why()))
        rounded += nearest.state not in _exact(rule, point, visit, choices, claimed)
        may_err.append({c.mistake for d, c in found if d.off <= allowed * d.scale} or {False, True})
        # the next step starts from the submitted state, but with the rule's sizes, so that an
        # answer can't widen its own tolerance
        is_exact = point.is_exact and not off.off
        point = point.then(claimed, nearest.sizes, is_exact, rule.problem.weight(visit))
        voters.append(point.without_sums())
    ends_early = rule.problem.stops and _ends_with_an_epoch(visits, len(trace))
    if len(trace) != len(visits) and not (ends_early and _can_be_clean(visits, may_err)):
        wrong.append(_length_violation(rule.problem, len(trace)))
    parts = [Part(status_of(True, bool(wrong)), worst.off, tuple(wrong), scale=worst.scale)]
    run = _Run(point, voters if rule.problem.voted else None)
    parts += _judge_outcome(rule, run, given, "the trace ends here", allowed)
    if given.mistakes is not None:
        if ends_early:  # only an epoch without mistakes may end the run, so its steps make none
            last = visits[len(trace) - 1].epoch
            may_err = [{False} if v.epoch == last else e for v, e in zip(visits, may_err)]
        parts += _judge_counts(visits, may_err, given.mistakes)
    return _told(parts, rounded)


def _ends_with_an_epoch(visits: Sequence[Visit], length: int) -> bool:
    return 0 < length < len(visits) and visits[length].epoch > visits[length - 1].epoch


def _can_be_clean(visits: Sequence[Visit], may_err: Sequence[set[bool]]) -> bool:
    """Whether the last epoch of the trace may have been one without mistakes."""
    last = visits[len(may_err) - 1].epoch
    return all(False in e for v, e in zip(visits, may_err, strict=False) if v.epoch == last)


def _length_violation(problem: RunProblem, length: int) -> Violation:
    steps = len(problem.visits)
    text = f"{length} steps, but the run has {steps}"
    if length < steps:
        text = f"ends after {length} of {steps} steps"
        text += ", but not with an epoch without mistakes" * problem.stops
    return Violation(Place.whole("trace"), text, Fraction(abs(length - steps)))


def _judge_counts(
    visits: Sequence[Visit], may_err: Sequence[set[bool]], mistakes: Counts
) -> list[Part]:
    """The verdict on claimed mistakes: whether the trace may have made as many in each epoch."""
    asked = visits[-1].epoch
    if len(mistakes) > asked:
        return [_too_many_epochs(mistakes, asked)]
    least, most = [0] * asked, [0] * asked
    for visit, e in zip(visits, may_err, strict=False):
        least[visit.epoch - 1] += False not in e
        most[visit.epoch - 1] += True in e
    parts = []
    counts = zip(least, _padded(mistakes, asked), most, strict=True)
    for epoch, (low, mine, high) in enumerate(counts, 1):
        if not low <= mine <= high:
            right = str(low) if low == high else f"{low} to {high}"
            place = Place(f"epoch {epoch}", {"field": "mistakes", "epoch": epoch})
            text = f"{short_text(mine)} mistakes, but the trace makes {right}"
            parts.append(refuted(place, text, Fraction(max(low - mine, mine - high))))
    return parts


def _too_many_epochs(mistakes: Counts, asked: int) -> Part:
    text = f"{counted(len(mistakes), 'epoch')}, but the run has {asked}"
    return refuted(Place.whole("mistakes"), text, Fraction(len(mistakes) - asked))


def _judge_without_trace(rule: Rule, given: Submission, allowed: Fraction) -> list[Part]:
    """The parts of a verdict without a trace; most right answers are those of the reference run,
    which is tried first because it is cheap."""
    asked = rule.problem.visits[-1].epoch
    if given.mistakes is not None and len(given.mistakes) > asked:
        return [_too_many_epochs(given.mistakes, asked)]
    reference = _reference(rule)
    claimed = None if given.mistakes is None else _padded(given.mistakes, asked)
    if reference is not None and claimed in (None, reference[1]):
        parts = _judge_outcome(rule, reference[0], given, "the end of the reference run", allowed)
        if all(part.status == "VERIFIED" for part in parts):
            return parts or [Part("VERIFIED")]
    ends = None if rule.problem.voted else _ends(rule, claimed, allowed)
    if ends is None:
        return [Part("INCONCLUSIVE", hint=TRACE_NEEDED)]
    if not ends:
        assert given.mistakes is not None
        text = f"no run makes {_listed(given.mistakes)}"
        text += f"; the reference run makes {_listed(reference[1])}" if reference else ""
        return [refuted(Place.whole("mistakes"), text)]
    why = "the only end" if len(ends) == 1 else f"the nearest of {len(ends)} ends"
    found = [
        (_judge_outcome(rule, _Run(end), given, why, allowed), rounded) for end, rounded in ends
    ]
    parts, rounded = min(found, key=lambda pair: (_badness(pair[0]), pair[1]))
    return _told(parts or [Part("VERIFIED")], rounded)


def _told(parts: list[Part], rounded: int) -> list[Part]:
    """With right parts, how many steps are right only because rounding may have decided them."""
    if not rounded or any(part.status != "VERIFIED" for part in parts):
        return parts
    steps = f"rounding may have decided {counted(rounded, 'step')}"
    return [*parts, Part("VERIFIED", hint=f"{steps} against the exact scores")]


def _exact(
    rule: Rule, before: Point, visit: Visit, choices: Sequence[Choice], claimed: State | None = None
) -> list[State]:
    """The states of those choices that aren't admitted for their rounding alone."""
    if len(choices) > 1:
        choices = rule.choices(before, visit, Fraction(0), claimed) or ()
    return [choice.state for choice in choices]


def _badness(parts: Sequence[Part]) -> tuple[bool, tuple[bool, Fraction]]:
    """The key by which ends are compared: whether a part is not VERIFIED, then the worst gap."""
    gaps = [relative(part.gap, part.scale) for part in parts if part.gap is not None]
    is_wrong = any(part.status != "VERIFIED" for part in parts)
    return is_wrong, max(gaps, default=(False, Fraction(0)))


def _reference(rule: Rule) -> tuple[_Run, Counts] | None:
    """The run of the first choices, with the mistakes of its epochs, which stops as soon as it may.

    None past the limit of digits.
    """
    visits, point, voters = rule.problem.visits, rule.start, list[Point]()
    mistakes = [0] * visits[-1].epoch
    for visit, after in zip(visits, [*visits[1:], None], strict=True):
        choice = rule.first(point, visit)
        if choice.state is not point.state and _is_long(choice.state):
            return None
        point = _reached(point, choice, rule.problem.weight(visit))
        if rule.problem.voted:
            voters.append(point.without_sums())
        mistakes[visit.epoch - 1] += choice.mistake
        is_last_of_epoch = after is None or after.epoch > visit.epoch
        if rule.problem.stops and is_last_of_epoch and not mistakes[visit.epoch - 1]:
            break
    return _Run(point, voters if rule.problem.voted else None), tuple(mistakes)


def _padded(mistakes: Counts, epochs: int) -> Counts:
    """The mistakes of each epoch: 0 for those at the end that were left out."""
    return (*mistakes, *[0] * (epochs - len(mistakes)))


def _ends(rule: Rule, mistakes: Counts | None, allowed: Fraction) -> list[tuple[Point, int]] | None:
    """The ends of all runs that make these mistakes, each with the steps that rounding decided;
    None past the limits.

    A run that may stop may also go on.
    """
    visits, ended, start = rule.problem.visits, _Runs(), rule.start
    # each run with its mistakes in the current epoch: their number if that was claimed, so that
    # runs can be told apart by it; else 1 if there are any, which decides whether it may stop
    runs = _Runs()
    runs.add(start, 0, 0)
    searched = 0
    for visit, after in zip(visits, [*visits[1:], None], strict=True):
        following = _Runs()
        searched -= len(start.state)
        for point, erred, rounded in runs.values():
            choices = rule.choices(point, visit, allowed, None)
            if choices is None:
                return None
            searched += len(choices) * len(point.state)
            if searched > MAX_SEARCHED or any(_is_long(c.state) for c in choices):
                return None
            exact = _exact(rule, point, visit, choices)
            for c in choices:
                count = int(erred or c.mistake) if mistakes is None else erred + c.mistake
                more = rounded + (c.state not in exact)
                following.add(_reached(point, c, rule.problem.weight(visit)), count, more)
        if after is None or after.epoch > visit.epoch:
            may_stop = rule.problem.stops and not any((mistakes or ())[visit.epoch :])
            found, following = following, _Runs()
            for point, erred, rounded in found.values():
                if mistakes is None or erred == mistakes[visit.epoch - 1]:
                    following.add(point, 0, rounded)
                    if after is None or (may_stop and not erred):
                        ended.add(point, 0, rounded)
        runs = following
    return [(point, rounded) for point, _, rounded in ended.values()]


class _Runs(dict[tuple[State, tuple[State, int] | None, int], tuple[Point, int, int]]):
    """Runs with their mistakes in an epoch, and the steps that rounding decided.

    Runs that have come to the same state and mistakes go on as one, with the larger sizes and the
    fewer steps.
    """

    def add(self, point: Point, erred: int, rounded: int) -> None:
        key = point.state, point.sums and (point.sums.state, point.sums.weight), erred
        if key in self:
            other, _, fewer = self[key]
            point, rounded = point.merged(other), min(rounded, fewer)
        self[key] = point, erred, rounded


def _reached(before: Point, choice: Choice, weight: int) -> Point:
    """The point that a choice leads to; it is exact only while floats can hold all entries.

    Its entries are settled as long as a product is added to 0 alone, or the same product is taken
    away again: however it was rounded, 0 is left.
    """
    if choice.state is before.state and not weight:
        return before
    is_exact = before.is_exact and all(map(is_dyadic, choice.state))
    entries = zip(before.state, choice.state, strict=True)
    is_settled = before.is_settled and (
        choice.state is before.state
        or (choice.is_sum and all(a == b or not a or not b for a, b in entries))
    )
    return before.then(choice.state, choice.sizes, is_exact, weight, is_settled)


def _is_long(state: State) -> bool:
    return any(max(v.numerator.bit_length(), v.denominator.bit_length()) > MAX_BITS for v in state)


def _listed(mistakes: Counts) -> str:
    return f"[{', '.join(map(short_text, mistakes))}]"


def _judge_outcome(
    rule: Rule, run: _Run, given: Submission, why: str, allowed: Fraction
) -> list[Part]:
    """The verdicts on the end and the labels, where they are submitted, of one run."""
    parts, end = [], run.last.averaged()
    if given.end is not None:
        off = deviation(given.end, end.state, end.sizes)
        is_wrong = off.off > allowed * off.scale
        wrong = [_entry_violation(rule, "end", off, given.end, end.state, why)] * is_wrong
        parts.append(Part(status_of(True, is_wrong), off.off, tuple(wrong), scale=off.scale))
    if given.labels is not None and run.voters is not None:
        return parts + _judge_voted(rule, run.voters, given.labels, allowed)
    for i, label in enumerate(given.labels or ()):
        right = rule.winners(end, i, allowed)
        if label not in right:
            parts.append(_wrong_label(rule, i, label, right))
    return parts


def _judge_voted(
    rule: Rule, voters: Sequence[Point], labels: Sequence[int], allowed: Fraction
) -> list[Part]:
    """The verdicts on labels by the votes of all states, each with one vote for its prediction.

    A state whose scores tie may vote for any of the tied classes, or share its vote among them. The
    label gets all votes of the states that may vote for it. It is refuted if some class still has
    more votes that are certain. It is VERIFIED if no class has more even when the other tied states
    share their votes equally.
    """
    states, parts = Counter(voters), []
    for i, label in enumerate(labels):
        ballots = Counter[tuple[int, ...]]()
        for point, votes in states.items():
            ballots[rule.winners(point, i, allowed)] += votes
        mine = sum(votes for tied, votes in ballots.items() if label in tied)
        sure, shared = Counter[int](), dict[int, Fraction]()
        for tied, votes in ballots.items():
            for r in tied if label not in tied else ():
                sure[r] += votes * (len(tied) == 1)
                shared[r] = shared.get(r, Fraction(0)) + Fraction(votes, len(tied))
        most = max(sure.values(), default=0)
        if mine < most:
            best = [r for r, votes in sure.items() if votes == most]
            parts.append(_wrong_label(rule, i, label, best))
        elif mine < max(shared.values(), default=Fraction(0)):
            parts.append(Part("INCONCLUSIVE"))
    return parts


def _wrong_label(rule: Rule, i: int, label: int, right: Sequence[int]) -> Part:
    needed = " or ".join(map(rule.class_name, right))
    text = f"{rule.class_name(label)}, but the run predicts {needed}"
    return refuted(Place(f"labels: row {i}", {"field": "labels", "row": i}), text)


def _entry_violation(
    rule: Rule, place: str, off: Deviation, mine: State, needed: State, why: str
) -> Violation:
    j = off.position
    text = f"{rule.entry(j)} is {short_text(mine[j])}, needs {short_text(needed[j])} ({why})"
    return Violation(place, text, off.off)
