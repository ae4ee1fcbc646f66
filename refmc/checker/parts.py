"""Verdicts that are put together from parts, one for each thing that was submitted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from refmc.checker.printing import short_text
from refmc.checker.verdict import Status, Verdict, Violation

MOST_VIOLATIONS = 5


@dataclass(frozen=True)
class Part:
    """The verdict on one of the things submitted.

    >>> Part("VERIFIED").gap is None
    True
    """

    status: Status
    gap: Fraction | None = None
    violations: tuple[Violation, ...] = ()
    hint: str = ""


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
    """Refuted if a part is, else inconclusive if a part is; the largest gap, the worst violations.

    >>> half = Part("VERIFIED", Fraction(1, 2))
    >>> combined("f", "1 row", [half, Part("INCONCLUSIVE")], Fraction(1)).status
    'INCONCLUSIVE'
    """
    statuses = {part.status for part in parts}
    gap = max((part.gap for part in parts if part.gap is not None), default=None)
    wrong = sorted((v for part in parts for v in part.violations), key=lambda v: -v.amount)
    hints = dict.fromkeys([*(part.hint for part in parts), *notes])
    return Verdict(
        status_of("INCONCLUSIVE" not in statuses, "REFUTED" in statuses),
        family,
        summary,
        gap,
        allowed,
        digits,
        tuple(wrong[:MOST_VIOLATIONS]),
        "; ".join(hint for hint in hints if hint),
    )


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
        apart = f"between {short_text(lower)} and {short_text(upper)}"
        text += short_text(upper) if lower == upper else apart
    return Part("REFUTED", furthest, (Violation(name, text, outside),))


def counted(n: int, singular: str, plural: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "row"), counted(2, "class", "classes")
    ('1 row', '2 classes')
    """
    return f"{n} {singular if n == 1 else plural or singular + 's'}"
