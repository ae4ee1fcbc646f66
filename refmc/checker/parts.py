"""Verdicts that are put together from parts, one for each thing that was submitted."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from refmc.checker.numbers.arithmetic import sum_of
from refmc.checker.numbers.enclosures import Enclosure, point
from refmc.checker.printing import decimal_text, short_text
from refmc.checker.verdict import Status, Verdict, Violation

MOST_VIOLATIONS = 5

FIRST_BITS, MOST_BITS = 64, 4_096
"""Of the enclosures of a number, from the first one to the narrowest that is tried."""

LEAST = Fraction(1, 1 << 1_022)
"""Below it binary64 has fewer digits, and many programs give 0 for what is smaller."""

UNIT = Fraction(1, 1 << 1_074)
"""The least number above 0 of binary64, of which those below `LEAST` are multiples."""

Enclosed = Callable[[int], Enclosure | None]
"""A number, as the function that gives an interval of so many binary digits which holds it.

It gives None where the number has too many digits to be written out.
"""


class Part(NamedTuple):
    """The verdict on one of the things submitted; `scale` is what its gap counts relative to.

    `apart`: a bound on ½‖w − w*‖², where weights were submitted whose optimum w* is unique.
    `least`: as for `Verdict`.

    >>> Part("VERIFIED").gap is None
    True
    """

    status: Status
    gap: Fraction | None = None
    violations: tuple[Violation, ...] = ()
    hint: str = ""
    scale: Fraction | None = None
    apart: Fraction | None = None
    least: Fraction | None = None


def status_of(verified: bool, refuted: bool) -> Status:
    """REFUTED wherever something is refuted; INCONCLUSIVE where nothing is proved.

    >>> status_of(False, False)
    'INCONCLUSIVE'
    """
    if refuted:
        return "REFUTED"
    return "VERIFIED" if verified else "INCONCLUSIVE"


def refuted(place: str, text: str, amount: Fraction = Fraction(1)) -> Part:
    """The verdict on something that is wrong, and has no gap.

    >>> refuted("round 1", "errs nowhere").violations[0].place
    'round 1'
    """
    return Part("REFUTED", None, (Violation(place, text, amount),))


def combined(
    family: str,
    summary: str,
    parts: Sequence[Part],
    allowed: Fraction,
    *,
    notes: Iterable[str] = (),
) -> Verdict:
    """One verdict: REFUTED if a part is, else INCONCLUSIVE if a part is, with the worst gap.

    Gaps are compared relative to their scales; a gap above 0 beside a scale of 0 is the worst.

    >>> half = Part("VERIFIED", Fraction(1, 2))
    >>> combined("f", "1 row", [half, Part("INCONCLUSIVE")], Fraction(1)).status
    'INCONCLUSIVE'
    """
    statuses = {part.status for part in parts}
    gaps = [(part.gap, part.scale, part.least) for part in parts if part.gap is not None]
    off = [found for found in gaps if found[0]] or gaps[:1]  # all others are exactly right
    gap, scale, least = max(off, key=lambda found: relative(*found[:2]), default=(None, None, None))
    worst = tuple(worst_first([v for part in parts for v in part.violations]))
    apart = max((part.apart for part in parts if part.apart is not None), default=None)
    status = status_of("INCONCLUSIVE" not in statuses, "REFUTED" in statuses)
    # what leaves a part open says nothing of an answer that another part refutes
    told = [part.hint for part in parts if (part.status, status) != ("INCONCLUSIVE", "REFUTED")]
    hints = dict.fromkeys(hint for hint in [*told, *notes] if hint)
    hint = "; ".join(hints)
    return Verdict(status, family, summary, gap, allowed, None, worst, hint, scale, apart, least)


def worst_first(faults: Sequence[Violation]) -> list[Violation]:
    """The largest of them. Where some are left out, the last one is what rounding explains least.

    >>> faults = [Violation(str(n), "", Fraction(n), Fraction(n == 1)) for n in range(9)]
    >>> [fault.place for fault in worst_first(faults)]
    ['8', '7', '6', '5', '1']
    """
    found = sorted(faults, key=lambda fault: -fault.amount)
    first, rest = found[: MOST_VIOLATIONS - 1], found[MOST_VIOLATIONS - 1 :]
    return first + sorted(rest, key=lambda f: (f.relative is not None, -(f.relative or 0)))[:1]


def relative(gap: Fraction, scale: Fraction | None) -> tuple[bool, Fraction]:
    """What gaps are ordered by: their sizes relative to their scales, where these aren't None.

    A gap above 0 beside a scale of 0 is larger than all that have another scale.

    >>> relative(Fraction(1), Fraction(2)) < relative(Fraction(1, 9), Fraction(0))
    True
    """
    if not gap:
        return False, gap
    if scale == 0:
        return True, gap
    return False, gap if scale is None else gap / scale


def bounded_claim(
    place: str,
    claim: Fraction,
    low: Fraction,
    high: Fraction,
    allowed: Fraction,
    scales: tuple[Fraction, Fraction],
    subject: str = "it",
) -> Part:
    """The verdict on a claimed number that is proved to lie from `low` to `high`.

    `allowed` is relative to a scale, of which the least and the most that it can be are given: the
    claim is right if it is near enough to all of the interval by the least, and wrong if it is too
    far from all of it by the most.

    >>> one, two = Fraction(1), Fraction(2)
    >>> bounded_claim("b", one, two, two, Fraction(0), (one, one)).violations[0].text
    '1, but it is 2'
    """
    outside, furthest = max(low - claim, claim - high), max(high - claim, claim - low)
    if furthest <= allowed * scales[0]:
        return Part("VERIFIED", furthest, scale=scales[0])
    if outside <= allowed * scales[1]:
        return Part("INCONCLUSIVE", furthest, scale=scales[1])
    mine, least, most = map(short_text, (claim, low, high))
    text = f"{mine}, but {subject} is "
    text += most if least == most else f"between {least} and {most}"
    text += f" (off by {decimal_text(outside)})" if mine in (least, most) else ""
    return Part("REFUTED", furthest, (Violation(place, text, outside),), scale=scales[1])


def exactly(value: Fraction) -> Enclosed:
    """A rational number as an interval of one point.

    >>> exactly(Fraction(1, 2))(64)
    Enclosure(low=Fraction(1, 2), high=Fraction(1, 2))
    """
    return lambda bits: point(value)


def enclosed_claim(
    place: str, value: Enclosed, claim: Fraction, allowed: Fraction, scale: Enclosed | None = None
) -> Part:
    """The verdict on a claimed value of a number, enclosed ever more narrowly until it decides.

    `allowed` is relative to the scale; without one, to the number itself.

    >>> enclosed_claim("row 0", exactly(Fraction(1)), Fraction(2), Fraction(0)).violations[0].text
    '2, needs 1'
    """
    bits = FIRST_BITS
    while True:
        found = value(bits)
        around = found if scale is None else scale(bits)
        if found is None or around is None:
            hint = "the value has too many digits to be written out"
            return Part("INCONCLUSIVE", hint=hint)
        around = around.magnitude()
        above, below = claim - found.low, found.high - claim
        gap = max(above, below)
        underflow = around.high < LEAST and underflows(claim, found, allowed)
        if gap <= allowed * around.low or underflow:
            return Part("VERIFIED", gap, scale=LEAST / allowed if underflow else around.low)
        outside = -min(above, below)
        if outside > allowed * around.high:
            about = "" if found.low == found.high else "about "
            text = f"{short_text(claim)}, needs {about}{short_text(found.low)}"
            return Part("REFUTED", gap, (Violation(place, text, outside),), scale=around.low)
        bits *= 2
        if bits > MOST_BITS:
            return Part("INCONCLUSIVE", gap, scale=around.low)


def underflows(claim: Fraction, found: Enclosure, allowed: Fraction) -> bool:
    """Whether floats may have come to the claim because a number is below `LEAST`, but not 0.

    That is so of 0, and of the float next to the number, unless nothing is allowed.

    >>> tiny = point(LEAST / 2)
    >>> [underflows(v, tiny, Fraction(1)) for v in (Fraction(0), LEAST / 4, LEAST / 2 + UNIT / 2)]
    [True, False, False]
    """
    if not allowed or found == point(Fraction(0)) or max(abs(end) for end in found) >= LEAST:
        return False
    is_next = max(abs(claim - end) for end in found) <= UNIT * 3 / 4
    return not claim or (is_next and (claim / UNIT).denominator == 1)


class Ranged(NamedTuple):
    """A rational value, and its range where its terms are off by what is allowed.

    `size`: the sizes of these terms together.

    >>> Ranged.of(Fraction(1), Fraction(4), Fraction(1, 8)).high
    Fraction(3, 2)
    """

    value: Fraction
    low: Fraction
    high: Fraction
    size: Fraction

    @staticmethod
    def of(value: Fraction, size: Fraction, allowed: Fraction) -> "Ranged":
        """That of a sum of terms which have this size together."""
        (p, q), (r, s), (t, u) = map(Fraction.as_integer_ratio, (value, size, allowed))
        middle, off, den = p * s * u, r * t * q, q * s * u  # one denominator takes less time
        return Ranged(value, Fraction(middle - off, den), Fraction(middle + off, den), size)

    @staticmethod
    def of_hinges(terms: "Iterable[Ranged]") -> "Ranged":
        """The sum of max(0, v) over the given numbers v.

        A number whose whole range is below 0 counts 0, however large its terms are.

        >>> Ranged.of_hinges([Ranged.of(Fraction(-9), Fraction(11), Fraction(1, 2))]).high
        Fraction(0, 1)
        """
        counting = [term for term in terms if term.high >= 0]
        return Ranged(
            sum_of(term.value for term in counting if term.value > 0),
            sum_of(term.low for term in counting if term.low > 0),
            sum_of(term.high for term in counting),
            sum_of(term.size for term in counting),
        )


def ranged_claim(place: str, claim: Fraction, right: Ranged) -> Part:
    """The verdict on a claimed value of a number with this range.

    >>> ranged_claim("row 0", Fraction(2), Ranged.of(*[Fraction(1)] * 3)).status
    'VERIFIED'
    """
    if claim == right.value:  # as most claims are, and this is told faster than by the range
        return Part("VERIFIED", Fraction(0), scale=right.size)
    gap = abs(claim - right.value)
    if right.low <= claim <= right.high:
        return Part("VERIFIED", gap, scale=right.size)
    text = f"{short_text(claim)}, needs {short_text(right.value)}"
    return Part("REFUTED", gap, (Violation(place, text, gap),), scale=right.size)


def counted(n: int, singular: str, plural: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "row"), counted(2, "class", "classes")
    ('1 row', '2 classes')
    """
    return f"{short_text(n)} {singular if n == 1 else plural or singular + 's'}"
