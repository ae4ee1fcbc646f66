"""Verdicts that are put together from parts, one for each thing that was submitted."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from refmc.checker.numbers.arithmetic import Matrix, asymmetry, negative_direction, quadratic_form
from refmc.checker.numbers.enclosures import Enclosure, point
from refmc.checker.printing import decimal_text, digits_correct, number_text, short_text
from refmc.checker.verdict import Status, Verdict, Violation

MOST_VIOLATIONS = 5

MOST_BITS = 4_096

Enclosed = Callable[[int], Enclosure | None]
"""A number: for a number of binary digits an interval that holds it, None if it can't be written."""


@dataclass(frozen=True)
class Part:
    """The verdict on one of the things submitted; `scale` is what its gap is relative to.

    >>> Part("VERIFIED").gap is None
    True
    """

    status: Status
    gap: Fraction | None = None
    violations: tuple[Violation, ...] = ()
    hint: str = ""
    scale: Fraction | None = None


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


def slack_claim(
    C: Fraction, slack: Iterable[Fraction | int], needed: Iterable[Fraction], allowed: Fraction
) -> tuple[Fraction, Part]:
    """What claimed slacks cost beyond the hinges, and the verdict on them.

    >>> slack_claim(Fraction(2), [1, 1], [Fraction(1), Fraction(0)], Fraction(1))[0]
    Fraction(2, 1)
    """
    short, excess, wrong = Fraction(0), Fraction(0), []
    for i, (eta, need) in enumerate(zip(slack, needed, strict=True)):
        cost = C * abs(eta - need)
        short += cost if eta < need else 0
        excess += cost if eta > need else 0
        if cost:
            text = f"slack {short_text(eta)}, needs {'only ' * (eta > need)}{short_text(need)}"
            wrong.append(Violation(f"row {i}", text, cost))
    gap = max(short, excess)
    refuted = gap > allowed
    return excess, Part(status_of(not refuted, refuted), gap, tuple(wrong) if refuted else ())


def without_duality(family: str, summary: str, fault: Violation, allowed: Fraction) -> Verdict:
    """The verdict where the Gram matrix isn't positive semi-definite: it proves nothing.

    >>> fault = Violation("Gram matrix", "v'Kv = -1 for v = (1)", Fraction(1))
    >>> without_duality("svm.binary", "1 row", fault, Fraction(0)).status
    'INCONCLUSIVE'
    """
    note = "weak duality needs a symmetric positive semi-definite Gram matrix"
    return combined(family, summary, [Part("INCONCLUSIVE", None, (fault,), note)], allowed)


def by_duality(
    family: str,
    summary: str,
    parts: Sequence[Part],
    allowed: Fraction,
    *,
    lower: Fraction,
    upper: Fraction,
    counts_digits: bool,
    ignored: bool,
) -> Verdict:
    """The verdict where the optimum is proved to lie between lower and upper.

    `counts_digits`: the parts have an objective.  `ignored`: the caller's witness was no use.

    >>> zero, one = Fraction(0), Fraction(1)
    >>> found = by_duality("f", "1 row", [Part("INCONCLUSIVE")], zero,
    ...                    lower=zero, upper=one, counts_digits=True, ignored=False)
    >>> found.hint
    'a closer witness is needed: the optimum lies between 0 and 1'
    """
    notes = ["the witness is not feasible and was ignored"] if ignored else []
    statuses = {part.status for part in parts}
    if "INCONCLUSIVE" in statuses and "REFUTED" not in statuses:
        low, high = short_text(lower), short_text(upper)
        notes.append(f"a closer witness is needed: the optimum lies between {low} and {high}")
    gaps = [part.gap for part in parts if part.gap is not None]
    digits = digits_correct(max(gaps), upper) if gaps and counts_digits else None
    return combined(family, summary, parts, allowed, digits=digits, notes=notes)


def counted(n: int, singular: str, plural: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "row"), counted(2, "class", "classes")
    ('1 row', '2 classes')
    """
    return f"{short_text(n)} {singular if n == 1 else plural or singular + 's'}"


def gram_fault(gram: Matrix) -> Violation | None:
    """What keeps a Gram matrix from being symmetric positive semi-definite.

    >>> from refmc.checker.numbers.arithmetic import to_matrix
    >>> gram_fault(to_matrix([[1, 2], [2, 1]])).text
    "v'Kv = -3 for v = (-2, 1)"
    """
    pair = asymmetry(gram)
    if pair is not None:
        here, there = gram.entry(*pair), gram.entry(pair[1], pair[0])
        text = f"{short_text(here)} differs from its mirror image {short_text(there)}"
        return Violation("Gram matrix at {}, {}".format(*pair), text, abs(here - there))
    v = _negative_direction(gram)
    if v is None:
        return None
    value = quadratic_form(gram, v)
    text = f"v'Kv = {short_text(value)} for v = ({', '.join(map(number_text, v))})"
    return Violation("Gram matrix", text, -value)


def _negative_direction(gram: Matrix) -> tuple[int, ...] | None:
    """v with v'Kv < 0 of a symmetric matrix; of equal rows one is looked at.

    Without its twins a matrix of few exact values is clearly definite far more often, which is
    much faster to see.
    """
    kept = [i for i, row in enumerate(gram.rows) if row not in gram.rows[:i]]
    rows = tuple(tuple(gram.rows[i][j] for j in kept) for i in kept)
    v = negative_direction(Matrix(rows, gram.den))
    if v is None:
        return None
    by_row = dict(zip(kept, v, strict=True))
    return tuple(by_row.get(i, 0) for i in range(len(gram.rows)))
