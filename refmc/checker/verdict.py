"""What the checker answers: a status, the proof's numbers, and a message for people."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import Any, Literal, Self

from refmc.checker.printing import (
    allowed_text,
    decimal_text,
    gap_text,
    number_text,
    printable,
    root_above_text,
)

Status = Literal["VERIFIED", "REFUTED", "INCONCLUSIVE"]

_LINE = 400  # longest text on one line of the message

_TOLD = Fraction(1, 1000)  # the least share of the gap that rounding explains to be worth a line


class Place(str):
    """Where something is wrong, in words; `at` is the same for programs.

    >>> Place("row 0 against class b", {"row": 0, "class": "b"}).at["class"]
    'b'
    """

    at: Mapping[str, int | str]

    def __new__(
        cls, words: str, at: Mapping[str, int | str] = {}
    ) -> Self:  # copies give words only
        found = super().__new__(cls, words)
        found.at = at
        return found

    @staticmethod
    def of(kind: str, which: int | str) -> "Place":
        """A row, a step or another thing that has a number or a name.

        >>> Place.of("row", 3)
        'row 3'
        """
        return Place(f"{kind} {which}", {kind: which})

    @staticmethod
    def whole(field: str) -> "Place":
        """A field of the answer.

        >>> Place.whole("mean").at
        {'field': 'mean'}
        """
        return Place(field, {"field": field})

    def then(self, words: str, at: Mapping[str, int | str]) -> "Place":
        """A place within this one.

        >>> Place.of("row", 3).then("class b", {"class": "b"}).at
        {'row': 3, 'class': 'b'}
        """
        return Place(f"{self}, {words}", {**self.at, **at})

    def field(self, name: str) -> "Place":
        """A field of the answer about this place.

        >>> Place("round 2", {"round": 2}).field("alpha")
        'round 2, alpha'
        """
        return self.then(name, {"field": name})


@dataclass(frozen=True)
class Violation:
    """One thing that is wrong: where, in words, and how much.

    `relative`: for a choice the amount relative to what was compared, of which rounding may take
    some; None where no rounding explains it.

    >>> Violation("row 0 against class 1", "margin 3/4, needs 1", Fraction(1, 4)).place
    'row 0 against class 1'
    """

    place: str
    text: str
    amount: Fraction
    relative: Fraction | None = None

    @property
    def at(self) -> Mapping[str, int | str]:
        """The place for programs; empty where it is the whole answer.

        >>> Violation(Place.of("row", 1), "margin 3/4, needs 1", Fraction(1, 4)).at
        {'row': 1}
        """
        return self.place.at if isinstance(self.place, Place) else {}


@dataclass(frozen=True)
class Verdict:
    """The outcome of one check; true exactly when it is VERIFIED.

    `gap` is None where nothing submitted has one. `scale` is the size that the problem itself
    gives to what the gap measures, and `allowed` counts relative to it; it is None where the gap
    stands for itself. `digits` is None where it can't be told, and infinite where the gap is
    exactly 0; `violations` stand worst first. `apart` is a bound of ½‖w − w*‖², for weights w whose
    optimum w* is unique. Where the bounds of the optimum are far apart, the true gap may be less
    and the true scale smaller; then `least` is what is proved of the gap. `explained` is the part
    of the gap of an answer in binary64 that numbers which round to it don't have. `witness`: what a
    search found that proves the optimum exactly.

    >>> bool(Verdict("INCONCLUSIVE", "svm.multiclass", "1 row", None, Fraction(0), None, (), ""))
    False
    """

    status: Status
    family: str
    summary: str
    gap: Fraction | None
    allowed: Fraction
    digits: float | None
    violations: tuple[Violation, ...] = ()
    hint: str = ""
    scale: Fraction | None = None
    apart: Fraction | None = None
    least: Fraction | None = None
    explained: Fraction | None = None
    witness: Any = field(default=None, compare=False, repr=False)

    def __bool__(self) -> bool:
        return self.status == "VERIFIED"

    @property
    def relative(self) -> Fraction | None:
        """The gap relative to the problem's scale; None without one, or beyond a scale of 0.

        >>> half, none = Fraction(1, 2), Fraction(0)
        >>> Verdict("REFUTED", "f", "", half, none, None, scale=Fraction(4)).relative
        Fraction(1, 8)
        """
        if self.gap is None or self.scale is None:
            return None
        if self.gap == 0:
            return Fraction(0)
        return self.gap / self.scale if self.scale else None

    def explain(self) -> str:
        """The message for people; long exact numbers are shortened.

        >>> wrong = Violation("row 0 against class 1", "margin 3/4, needs 1", Fraction(1, 4))
        >>> verdict = Verdict("REFUTED", "svm.multiclass", "3 rows, 3 classes, C = 1",
        ...                   Fraction(11, 24), Fraction(1, 10**6), 0.2, (wrong,))
        >>> print(verdict.explain())
        REFUTED  svm.multiclass  3 rows, 3 classes, C = 1
          gap      11/24 (4.6e-1); allowed 1e-6
          digits   0.2 correct in the objective
          worst    row 0 against class 1: margin 3/4, needs 1
        """
        lines = [printable(f"{self.status}  {self.family}  {self.summary}")]
        if self.gap is not None:
            lines.append(_line("gap", f"{self._gap()}; allowed {allowed_text(self.allowed)}"))
        if self.gap and self.explained and self.explained >= self.gap * _TOLD:
            read = decimal_text(self.gap - self.explained)
            told = f"explains {decimal_text(self.explained)} of the gap"
            lines.append(_line("rounding", f"{told}: numbers that round to these have {read}"))
        if self.digits is not None:
            some = f"{self.digits} correct in the objective"
            is_exact = self.digits == inf
            lines.append(_line("digits", "all (the gap is exactly 0)" if is_exact else some))
        if self.apart:
            within = f"within {root_above_text(2 * self.apart)} of the optimal ones"
            lines.append(_line("weights", f"{within}, since ½‖w − w*‖² ≤ the gap"))
        if self.violations:
            worst = self.violations[0]
            lines.append(_line("worst", f"{worst.place}: {worst.text}"))
        if self.hint:
            lines.append(_line("hint", self.hint))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The message in a notebook.

        >>> Verdict("VERIFIED", "f", "k < 3", None, Fraction(0), None)._repr_html_()
        '<pre>VERIFIED  f  k &lt; 3</pre>'
        """
        from html import escape  # only notebooks ask

        return f"<pre>{escape(self.explain())}</pre>"

    def _gap(self) -> str:
        assert self.gap is not None
        if self.gap == 0:
            return f"0 ({'exactly right' if self else 'of the parts that have one'})"
        relative = self._relative()
        if self.scale == 0:
            relative = "none to a scale of 0"
        return gap_text(self.gap) + (f", relative {relative}" if relative else "")

    def _relative(self) -> str | None:
        """The relative gap in two digits, as far as it is known."""
        if self.relative is None or self.least is None:
            return None if self.relative is None else decimal_text(self.relative)
        assert self.scale is not None
        return f"at least {decimal_text(self.least / self.scale)}" if self.least > 0 else None

    def to_json(self) -> dict[str, object]:
        """The verdict in plain JSON types; exact numbers are strings of any length.

        >>> Verdict("VERIFIED", "svm.multiclass", "1 row", Fraction(1, 3), Fraction(1, 2),
        ...         1.5).to_json()["gap"]
        '1/3'
        """
        return {
            "status": self.status,
            "family": self.family,
            "summary": self.summary,
            "gap": None if self.gap is None else number_text(self.gap),
            "gap_decimal": None if self.gap is None else decimal_text(self.gap),
            "relative": self._relative(),
            "explained": None if self.explained is None else number_text(self.explained),
            "allowed": number_text(self.allowed),
            "distance": None if self.apart is None else root_above_text(2 * self.apart),
            "digits": "all" if self.digits == inf else self.digits,
            "violations": [
                {
                    "place": v.place,
                    "at": dict(v.at),
                    "text": v.text,
                    "amount": number_text(v.amount),
                }
                for v in self.violations
            ],
            "hint": self.hint,
        }


def _line(label: str, text: str) -> str:
    text = printable(text)
    shortened = text if len(text) <= _LINE else text[:_LINE].rpartition(" ")[0] + " ..."
    return f"  {label:<9}{shortened}"
