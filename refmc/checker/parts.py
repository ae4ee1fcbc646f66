"""Verdicts that are put together from parts, one for each thing that was submitted."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from refmc.checker.numbers.enclosures import Enclosure, point
from refmc.checker.printing import decimal_text, short_text
from refmc.checker.verdict import Status, Verdict, Violation

MOST_VIOLATIONS = 5

MOST_BITS = 4_096

Enclosed = Callable[[int], Enclosure | None]
"""A number: for a number of binary digits an interval that holds it, None if it can't be written."""


@dataclass(frozen=True)
class Part:
    """The verdict on one of the things submitted; `scale` is what its gap is relative to.

    `apart` is what ½‖w − w*‖² is at most, if weights were submitted whose optimum is unique.

    >>> Part("VERIFIED").gap is None
    True
    """

    status: Status
    gap: Fraction | None = None
    violations: tuple[Violation, ...] = ()
    hint: str = ""
    scale: Fraction | None = None
    apart: Fraction | None = None


def status_of(verified: bool, refuted: bool) -> Status:
    """REFUTED goes first, and what is neither is INCONCLUSIVE.

    >>> status_of(False, False)
    'INCONCLUSIVE'
    """
    if refuted:
        return "REFUTED"
    return "VERIFIED" if verified else "INCONCLUSIVE"


def combined(
    family: str,
    summary: str,
    parts: Sequence[Part],
    allowed: Fraction,
    *,
    digits: float | None = None,
    notes: Iterable[str] = (),
) -> Verdict:
    """Refuted if a part is, else inconclusive if a part is; the worst gap and violations.

    Gaps are compared relative to their scales; one that is not 0 is worst where the scale is.

    >>> half = Part("VERIFIED", Fraction(1, 2))
    >>> combined("f", "1 row", [half, Part("INCONCLUSIVE")], Fraction(1)).status
    'INCONCLUSIVE'
    """
    statuses = {part.status for part in parts}
    worst = max((part for part in parts if part.gap is not None), key=_badness, default=None)
    wrong = sorted((v for part in parts for v in part.violations), key=lambda v: -v.amount)
    hints = dict.fromkeys([*(part.hint for part in parts), *notes])
    return Verdict(
        status_of("INCONCLUSIVE" not in statuses, "REFUTED" in statuses),
        family,
        summary,
        None if worst is None else worst.gap,
        allowed,
        digits,
        tuple(wrong[:MOST_VIOLATIONS]),
        "; ".join(hint for hint in hints if hint),
        None if worst is None else worst.scale,
        max((part.apart for part in parts if part.apart is not None), default=None),
    )


def _badness(part: Part) -> tuple[bool, Fraction]:
    """How bad a gap is: whether its scale is 0 and it is not, and its size relative to the scale."""
    assert part.gap is not None
    if part.scale == 0:
        return part.gap > 0, part.gap
    return False, part.gap if part.scale is None else part.gap / part.scale


def value_claim(
    name: str,
    claim: Fraction,
    lower: Fraction,
    upper: Fraction | None,
    allowed: Fraction,
    subject: str = "the optimum",
) -> Part:
    """A claimed value against the interval that is proved to hold it; no upper end is infinite.

    >>> value_claim("objective", Fraction(1), Fraction(2), Fraction(2), Fraction(0)).gap
    Fraction(1, 1)
    """
    outside = lower - claim if upper is None else max(lower - claim, claim - upper)
    furthest = None if upper is None else max(upper - claim, claim - lower)
    if outside <= allowed:
        return Part(status_of(furthest is not None and furthest <= allowed, False), furthest)
    text = f"{short_text(claim)}, but {subject} is "
    if upper is None:
        text += f"at least {short_text(lower)}"
    else:
        low, high = short_text(lower), short_text(upper)
        text += high if low == high else f"between {low} and {high}"
        text += f" (off by {decimal_text(outside)})" if short_text(claim) in (low, high) else ""
    return Part("REFUTED", furthest, (Violation(name, text, outside),))


def exactly(value: Fraction) -> Enclosed:
    """A rational number as an interval of one point.

    >>> exactly(Fraction(1, 2))(64)
    Enclosure(low=Fraction(1, 2), high=Fraction(1, 2))
    """
    return lambda bits: point(value)


def enclosed_claim(place: str, value: Enclosed, claim: Fraction, allowed: Fraction) -> Part:
    """A claim against a number that is enclosed ever more narrowly until that decides.

    >>> enclosed_claim("row 0", exactly(Fraction(1)), Fraction(2), Fraction(0)).violations[0].text
    '2, needs 1'
    """
    bits, found, gap = 64, value(64), Fraction(0)
    while found is not None and bits <= MOST_BITS:
        gap = max(abs(claim - found.low), abs(claim - found.high))
        outside = max(found.low - claim, claim - found.high)
        if gap <= allowed:
            return Part("VERIFIED", gap)
        if outside > allowed:
            about = "" if found.low == found.high else "about "
            text = f"{short_text(claim)}, needs {about}{short_text(found.low)}"
            return Part("REFUTED", gap, (Violation(place, text, outside),))
        bits *= 2
        found = value(bits)
    if found is None:
        return Part("INCONCLUSIVE", None, (), "the value has too many digits to be written out")
    return Part("INCONCLUSIVE", gap)


def counted(n: int, singular: str, plural: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "row"), counted(2, "class", "classes")
    ('1 row', '2 classes')
    """
    return f"{short_text(n)} {singular if n == 1 else plural or singular + 's'}"
