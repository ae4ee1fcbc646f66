"""What exact weak duality proves of the optimum of an SVM, and what follows for an answer to it.

    P*             the optimum; a dual value never exceeds it, a primal value is never below it
    lower, upper   the best bounds of P* that anything known gives
    a              the gap that is allowed, relative to P*: what is off by at most a·P* is right
    ε              the shift of a matrix of kernel values that is semi-definite up to rounding

P* is known between its bounds only, so an amount by which something is off has a least and a most,
too. It is VERIFIED to be near enough if the most is at most a·lower, and REFUTED if the least is
more than a·upper. Nothing that an answer says of itself widens this.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple, TypeVar

from refmc.checker.parts import Part, bounded_claim, combined
from refmc.checker.printing import decimal_text, digits_correct, short_text
from refmc.checker.verdict import Place, Verdict, Violation

W = TypeVar("W")

DIGITS_OF_A_GAP = 1_000
"""A gap is told once it is so many times wider than what the optimum is known to."""


class Bounds(NamedTuple):
    """lower ≤ P* ≤ upper, and the gap that is allowed relative to P*.

    >>> bounds = Bounds(Fraction(1), Fraction(2), Fraction(1, 10))
    >>> bounds.width, bounds.sure, bounds.most
    (Fraction(1, 1), Fraction(1, 10), Fraction(1, 5))
    """

    lower: Fraction
    upper: Fraction
    allowed: Fraction

    @property
    def width(self) -> Fraction:
        """How far apart the bounds are."""
        return self.upper - self.lower

    @property
    def relative_width(self) -> Fraction:
        """How far apart the bounds are, relative to the upper one.

        >>> Bounds(Fraction(1), Fraction(2), Fraction(0)).relative_width
        Fraction(1, 2)
        """
        return self.width / self.upper if self.width else self.width

    @property
    def sure(self) -> Fraction:
        """What is allowed whatever P* is."""
        return self.allowed * self.lower

    @property
    def most(self) -> Fraction:
        """What more than this isn't allowed whatever P* is."""
        return self.allowed * self.upper

    def part(self, least: Fraction, most: Fraction, wrong: Iterable[Violation] = ()) -> Part:
        """The verdict on something that is off by at least `least` and at most `most`.

        Its gap is `most`: no smaller one is proved. `wrong` is for a refutation.

        >>> Bounds(Fraction(1), Fraction(2), Fraction(1)).part(Fraction(0), Fraction(1)).status
        'VERIFIED'
        """
        if least > self.most:
            return Part("REFUTED", most, tuple(wrong), scale=self.upper)
        if most <= self.sure:
            return Part("VERIFIED", most, scale=self.lower)
        return Part("INCONCLUSIVE", most, scale=self.upper)

    def claim(self, name: str, value: Fraction) -> Part:
        """The verdict on a claimed optimal value.

        >>> one = Fraction(1)
        >>> Bounds(one, one, one / 2).claim("objective", Fraction(2)).violations[0].text
        '2, but the optimum is 1'
        """
        bounds = (self.lower, self.upper)
        return bounded_claim(Place.whole(name), value, *bounds, self.allowed, bounds, "the optimum")


def with_witnesses(
    decide: Callable[[Sequence[W]], tuple[Verdict, Fraction]],
    witnesses: Iterable[Callable[[], W | None]],
    thorough: bool,
) -> Verdict:
    """The verdict by what was submitted alone, or with as many witnesses as it takes.

    `decide` gives a verdict by the witnesses that are known, and the width of the optimum's bounds
    relative to it. Witnesses are looked for in turn while the verdict is open, and the first one
    also while the width is no small part of the gap, which is then told: for what is REFUTED, and
    if `thorough` for what is VERIFIED, whose gap may be 0.
    """
    known: list[W] = []
    verdict, width = decide(known)
    for nth, find in enumerate(witnesses):
        if width == 0:
            break
        told = _is_told(verdict, width) or (verdict.status == "VERIFIED" and not thorough)
        if verdict.status != "INCONCLUSIVE" and (nth > 0 or told):
            break
        found = find()
        if found is not None:
            known.append(found)
            verdict, width = decide(known)
    return verdict


def _is_told(verdict: Verdict, width: Fraction) -> bool:
    if verdict.gap is None:
        return True
    return verdict.relative is not None and verdict.relative >= DIGITS_OF_A_GAP * width


def conclude(
    family: str,
    summary: str,
    parts: Sequence[Part],
    bounds: Bounds | None,
    allowed: Fraction,
    *,
    shift: Fraction = Fraction(0),
    counts_digits: bool,
    notes: Iterable[str] = (),
) -> Verdict:
    """All parts as one verdict, with what keeps an open one open.

    `bounds` is None where no optimum is known to exist. `counts_digits`: the parts have an
    objective, whose correct digits are told where its gap is the one that is shown.

    >>> zero, one = Fraction(0), Fraction(1)
    >>> found = conclude("f", "1 row", [Part("INCONCLUSIVE")], Bounds(zero, one, zero), zero,
    ...                  counts_digits=True)
    >>> found.hint
    'a closer witness is needed: the optimum lies between 0 and 1'
    """
    told = list(notes)
    if shift:
        told.append(
            f"the matrix of kernel values K is positive semi-definite up to rounding: "
            f"judged for K + {decimal_text(shift)} I"
        )
    verdict = combined(family, summary, parts, allowed, notes=told)
    if bounds is None:
        return verdict
    if verdict.status == "INCONCLUSIVE":
        note = _why_open(bounds, shift)
        verdict = replace(verdict, hint="; ".join(filter(None, (verdict.hint, note))))
    ends = (bounds.lower, bounds.upper)
    gaps = [part.gap for part in parts if part.gap is not None and part.scale in ends]
    if counts_digits and gaps and verdict.gap == max(gaps):  # else the gap is no objective's
        verdict = replace(verdict, digits=digits_correct(max(gaps), bounds.upper))
    return verdict


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
