"""What exact weak duality proves of the optimum of an SVM, and what follows for an answer to it.

    P*             the optimum. By weak duality [lu, "Justification of Strong Duality for
                   Multi-Class Kernel-Based SVM"] no dual value exceeds it, and no primal value is
                   below it
    lower, upper   the best bounds of P* that anything known gives
    a              the gap that is allowed, relative to P*: what is off by at most a·P* is right
    ε              the shift of a matrix of kernel values that is semi-definite up to rounding

P* is known only to be between its bounds, so the amount by which an answer is off is known only to
be between a least and a largest value. The answer is VERIFIED if the largest is at most a·lower,
for then the amount is at most a·P*. It is REFUTED if the least exceeds a·upper, for then the amount
exceeds a·P*. Otherwise it is INCONCLUSIVE. No claim of an answer widens this.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple, TypeVar

from refmc.checker.numbers.arithmetic import Numbers
from refmc.checker.numbers.rounding import MOVES, Box
from refmc.checker.parts import Part, bounded_claim, combined
from refmc.checker.printing import decimal_text, digits_correct, short_text
from refmc.checker.verdict import Place, Verdict, Violation

W = TypeVar("W")

Loss = Callable[[int, Fraction | int], Fraction]
"""What a row pays for its slack."""

SHARP = 1_000
"""A gap so many times as wide as the bounds of the optimum is precise enough to be shown."""


NEAR = Fraction(1, 100)
"""What is allowed up to this, relative to the optimum, means an answer near the optimal one."""


class Bounds(NamedTuple):
    """lower ≤ P* ≤ upper, and the gap that is allowed relative to P*.

    >>> bounds = Bounds(Fraction(1), Fraction(2), Fraction(1, 10))
    >>> bounds.width, bounds.sure, bounds.most
    (Fraction(1, 1), Fraction(1, 10), Fraction(1, 5))
    """

    lower: Fraction
    upper: Fraction
    allowed: Fraction
    none: Fraction | None = None
    """What no weights at all, w = 0, cost with their best bias."""
    size: Fraction = Fraction(0)
    """What amounts count relative to where no cost counts, so that P* = 0; else 0."""

    @property
    def scales(self) -> tuple[Fraction, Fraction]:
        """The least and the most that an amount may count relative to."""
        return self.size or self.lower, self.size or self.upper

    @property
    def width(self) -> Fraction:
        """How far apart the bounds are."""
        return self.upper - self.lower

    @property
    def sure(self) -> Fraction:
        """An amount up to this is allowed, whatever P* is between the bounds."""
        return self.allowed * self.scales[0]

    @property
    def most(self) -> Fraction:
        """An amount above this is not allowed, whatever P* is between the bounds."""
        return self.allowed * self.scales[1]

    def part(self, least: Fraction, most: Fraction, wrong: Iterable[Violation] = ()) -> Part:
        """The verdict on something that is off by at least `least` and at most `most`.

        Its gap is `most`: no smaller one is proved. `wrong` says what is wrong, and is asked only
        for a refutation.

        >>> Bounds(Fraction(1), Fraction(2), Fraction(1)).part(Fraction(0), Fraction(1)).status
        'VERIFIED'
        """
        if most <= self.sure and least <= self.most:
            return Part("VERIFIED", most, scale=self.scales[0])
        # the bounds may be too far apart for the two digits that are shown
        known, scale = SHARP * self.width <= min(most, self.upper), self.scales[1]
        shown = None if known else least
        if least > self.most:
            return Part("REFUTED", most, tuple(wrong), scale=scale, least=shown)
        return Part("INCONCLUSIVE", most, scale=scale, least=shown)

    def of_primal(
        self, value: Fraction, wrong: Iterable[Violation] = (), least: Fraction | None = None
    ) -> Part:
        """The verdict on weights w with this primal value P(w); `least` bounds those of all weights
        that may be meant.

        P is strongly convex: P(w) ≥ P* + ½‖w − w*‖², so the gap bounds the distance, too.

        >>> Bounds(Fraction(1), Fraction(1), Fraction(0)).of_primal(Fraction(3)).apart
        Fraction(2, 1)
        """
        low = value if least is None else least
        part = self.part(low - self.upper, value - self.lower, wrong)
        return part._replace(apart=part.gap)

    def against_none(
        self, place: Place, value: Fraction, least: Fraction | None = None
    ) -> Iterator[Part]:
        """A part for what costs more than no weights at all, unless these are optimal, too.

        Where C is small their gap may be less than what is allowed; but nothing may be worse,
        unless so much is allowed that nearness to the optimum isn't what is meant.

        >>> one = Fraction(1)
        >>> tiny = Fraction(1, 10**9)
        >>> bounds = Bounds(one, one, NEAR, one + tiny)
        >>> [part.status for part in bounds.against_none(Place("weights"), one + 2 * tiny)]
        ['REFUTED']
        """
        none = self.none
        if none is None or self.allowed > NEAR or value <= none or none <= self.lower:
            return
        if value - self.upper > self.most:  # as is told already
            return
        worse = self.upper < none < (value if least is None else least)
        text = f"cost {short_text(value)}, more than no weights at all, {short_text(none)}"
        wrong = (Violation(place, text, value - none),)
        yield Part("REFUTED", None, wrong) if worse else Part("INCONCLUSIVE")

    def of_dual(
        self,
        value: Fraction,
        moved: Fraction,
        faults: Iterable[Violation] = (),
        wrong: Iterable[Violation] = (),
        spread: tuple[Fraction, Iterable[Fraction]] = (Fraction(0), ()),
    ) -> Part:
        """The verdict on multipliers with this dual value, which were moved to be feasible.

        The move may have raised the dual value by up to `moved`, which is therefore added to the
        gap. Where that is more than is allowed, `faults` say why the move was needed; else the dual
        value is too small, and `wrong` says why.

        `spread`: how far apart multipliers are that may be meant, in all, and the slopes of θ at
        these. Others are moved by at least an eighth of `moved`, less that. Repaired they are at
        most `MOVES` times both away; as θ is concave, that counts at most with the largest slope.

        >>> one = Fraction(1)
        >>> Bounds(one, one, Fraction(0)).of_dual(one, Fraction(2)).gap
        Fraction(2, 1)
        """
        reasons, (radius, slopes) = faults if moved > self.most else wrong, spread
        least = self.lower - value + moved
        if radius:
            better = MOVES * (radius + moved) * max(map(abs, slopes))
            least = max(self.lower - value - better, moved / 8 - radius)
        return self.part(least, self.upper - value + moved, reasons)

    def of_slack(
        self, slack: Numbers, needed: Numbers, loss: Loss, reach: Numbers | None = None
    ) -> tuple[Part, Fraction]:
        """The verdict on slacks, by what they cost beside those that are needed; and by how much
        those that are too large cost more. `reach`: how much both together may differ in another
        reading.

        Costs are in units of the objective. Too much in one row doesn't make up for too little in
        another, so the two are summed apart, and the larger sum is the gap.
        """
        short, beyond, open_, wrong = Fraction(0), Fraction(0), Fraction(0), []
        for i, (eta, need) in enumerate(zip(slack, needed, strict=True)):
            off = loss(i, need) - loss(i, eta)
            short, beyond = short + max(off, Fraction(0)), beyond - min(off, Fraction(0))
            if reach is not None:
                larger = max(eta, need)
                open_ += loss(i, larger + reach[i]) - loss(i, larger)
            if off:
                text = f"slack {short_text(eta)}, needs {'only ' * (eta > need)}{short_text(need)}"
                wrong.append(Violation(Place.of("row", i), text, abs(off)))
        gap = max(short, beyond)
        return self.part(gap - open_, gap, wrong), beyond

    def read(self, values: Mapping[str, Fraction], box: Box) -> dict[str, Fraction]:
        """Claimed optimal values as those numbers that they may stand for nearest to the optimum.

        >>> from refmc.checker.numbers.rounding import Rounded
        >>> third = Fraction(1, 3)
        >>> box = {"dual": [[Rounded.of_float(1 / 3)]]}
        >>> Bounds(third, third, Fraction(0)).read({"dual": Fraction(1 / 3)}, box)
        {'dual': Fraction(1, 3)}
        """
        middle = (self.lower + self.upper) / 2
        return {name: box[name][0][0].nearest(middle) for name in values}

    def claim(self, name: str, value: Fraction) -> Part:
        """The verdict on a claimed optimal value.

        >>> one = Fraction(1)
        >>> Bounds(one, one, one / 2).claim("objective", Fraction(2)).violations[0].text
        '2, but the optimum is 1'
        """
        bounds = (self.lower, self.upper)
        place = Place.whole(name)
        return bounded_claim(place, value, *bounds, self.allowed, self.scales, "the optimum")


def undecidable(margins: Sequence[Fraction]) -> Iterator[Part]:
    """A part that is open where what numbers in binary64 may mean moves a margin by more than 1/2
    either way; `margins`: how far apart each may be.

    >>> [part.status for part in undecidable([Fraction(1), Fraction(2)])]
    ['INCONCLUSIVE']
    """
    if max(margins) > 1:
        text = "half a unit in the last place moves a margin by more than 1/2: "
        yield Part("INCONCLUSIVE", hint=f"{text}no binary64 weights can decide; submit strings")


class Inquiry(NamedTuple):
    """What all verdicts on an answer share, whatever is known of the optimum.

    `counts_digits`: the answer has an objective, whose correct digits are counted where its gap is
    the one that is shown.
    """

    family: str
    summary: str
    allowed: Fraction
    shift: Fraction
    counts_digits: bool


class Weighed(NamedTuple):
    """An answer weighed by what is known: a part for each thing submitted, and the bounds of P*.

    `bounds` is None where no optimum is known to exist, and `impossible` says that this is proved.
    `submitted`: the parts of a rounded answer as it was submitted, where the others are those of
    numbers that round to it.
    """

    parts: Sequence[Part]
    bounds: Bounds | None
    impossible: bool = False
    notes: Sequence[str] = ()
    submitted: Sequence[Part] = ()

    @property
    def width(self) -> Fraction:
        """How far apart the bounds are relative to the upper one; 0 where no more can be known.

        >>> Weighed([], Bounds(Fraction(1), Fraction(2), Fraction(0))).width
        Fraction(1, 2)
        """
        if self.bounds is None:
            return Fraction(not self.impossible)
        width = self.bounds.width
        return width / self.bounds.upper if width else width


def with_witnesses(
    inquiry: Inquiry,
    weigh: Callable[[Sequence[W]], Weighed],
    witnesses: Iterable[Callable[[], W | None]],
    thorough: bool,
) -> Verdict:
    """The verdict by what was submitted alone, or with as many witnesses as it takes.

    `weigh` judges the answer by the witnesses that are known. Witnesses are asked in turn while the
    verdict is INCONCLUSIVE. The first one is also asked where the verdict stands but its gap, which
    is shown, is not large beside the width of the bounds: always for what is REFUTED, and only if
    `thorough` for what is VERIFIED.
    """
    known: list[W] = []
    weighed = weigh(known)
    verdict = conclude(inquiry, weighed)
    for nth, find in enumerate(witnesses):
        shows_gap = verdict.status == "REFUTED" or thorough
        sharpens = nth == 0 and shows_gap and not _is_sharp(verdict, weighed.width)
        if weighed.width == 0 or not (verdict.status == "INCONCLUSIVE" or sharpens):
            break
        found = find()
        if found is not None:
            known.append(found)
            weighed = weigh(known)
            verdict = conclude(inquiry, weighed)
    return replace(verdict, witness=known[-1]) if known and not weighed.width else verdict


def _is_sharp(verdict: Verdict, width: Fraction) -> bool:
    if verdict.gap is None:
        return True
    return verdict.relative is not None and verdict.relative >= SHARP * width


def conclude(inquiry: Inquiry, weighed: Weighed) -> Verdict:
    """All parts as one verdict, with what keeps an open one open.

    >>> zero, one = Fraction(0), Fraction(1)
    >>> weighed = Weighed([Part("INCONCLUSIVE")], Bounds(zero, one, zero))
    >>> conclude(Inquiry("f", "1 row", zero, zero, True), weighed).hint
    'a closer witness is needed: the optimum lies between 0 and 1'
    """
    family, summary, allowed, shift, counts_digits = inquiry
    parts, bounds, notes = weighed.parts, weighed.bounds, list(weighed.notes)
    if shift:
        notes.append(
            f"the matrix of kernel values K is positive semi-definite up to rounding: "
            f"judged for K + {decimal_text(shift)} I"
        )
    verdict = combined(family, summary, parts, allowed, notes=notes)
    if weighed.submitted:
        verdict = as_submitted(verdict, weighed.submitted)
    if bounds is None:
        return verdict
    if verdict.status == "INCONCLUSIVE":
        note = _why_open(bounds, shift)
        verdict = replace(verdict, hint="; ".join(filter(None, (verdict.hint, note))))
    ends = (bounds.lower, bounds.upper)
    judged = weighed.submitted or parts
    gaps = [part.gap for part in judged if part.gap is not None and part.scale in ends]
    if counts_digits and gaps and verdict.gap == max(gaps):  # else the gap is no objective's
        verdict = replace(verdict, digits=digits_correct(max(gaps), bounds.upper))
    return verdict


def as_submitted(verdict: Verdict, parts: Sequence[Part]) -> Verdict:
    """The verdict on numbers that round to an answer, with the gap of the answer itself.

    `parts` are those of the answer; its faults are shown unless it is VERIFIED.

    >>> one = Fraction(1)
    >>> read = Verdict("VERIFIED", "f", "", one, one, None)
    >>> as_submitted(read, [Part("REFUTED", one + one)]).explained
    Fraction(1, 1)
    """
    given = combined(verdict.family, verdict.summary, parts, verdict.allowed)
    explained, open_ = None, ""
    if given.gap is not None and verdict.gap is not None:
        explained = max(given.gap - verdict.gap, Fraction(0))
    if verdict.status == "INCONCLUSIVE":
        open_ = "rounding decides: whether a number that rounds to this answer is right is open"
    hint = "; ".join(filter(None, (verdict.hint, open_)))
    wrong = () if verdict else given.violations
    return replace(given, status=verdict.status, violations=wrong, hint=hint, explained=explained)


def _why_open(bounds: Bounds, shift: Fraction) -> str:
    low, high = short_text(bounds.lower), short_text(bounds.upper)
    if bounds.width == 0:
        return "no witness can decide: the optimum is not so, but an answer within the gap can be"
    between = f"between {low} and {high}"
    if low == high:
        between = f"within {decimal_text(bounds.width)} of {high}"
    if shift:
        return f"the optimum lies {between}: no more is known up to the rounding of K"
    return f"a closer witness is needed: the optimum lies {between}"


def without_duality(family: str, summary: str, fault: Violation, allowed: Fraction) -> Verdict:
    """The verdict where the matrix of kernel values isn't positive semi-definite: it proves
    nothing.

    >>> fault = Violation("Gram matrix", "vᵀKv = -1 for v = (1)", Fraction(1))
    >>> without_duality("svm.binary", "1 row", fault, Fraction(0)).status
    'INCONCLUSIVE'
    """
    note = "weak duality needs a symmetric positive semi-definite Gram matrix"
    return combined(family, summary, [Part("INCONCLUSIVE", None, (fault,), note)], allowed)
