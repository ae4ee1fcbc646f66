"""Two answers to one problem: both right and where they tie, one right, or right for what else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from refmc.core.printing import printable
from refmc.core.records import Record
from refmc.core.scalars import Number, plain, shown
from refmc.errors import FormatError
from refmc.mistakes.explaining import Diagnosis, explain
from refmc.mistakes.transport import same
from refmc.oracle.families import as_record, read_record
from refmc.oracle.forms import REMARKS

SHOWN = 3
"""The differences that are shown."""


SAYS = {"VERIFIED": "right", "REFUTED": "wrong", "INCONCLUSIVE": "not decided"}


@dataclass(frozen=True)
class Comparison:
    """What is to be said of each of two answers, and the places in which they differ."""

    a: Diagnosis
    b: Diagnosis
    exact: bool
    differences: tuple[str, ...]

    def text(self) -> str:
        """The comparison in words."""
        if self.a.verdict and self.b.verdict:
            return "\n".join(self._both_right())
        named = {"A": self.a, "B": self.b}
        lines = [f"{name} is {SAYS[d.verdict.status]}" for name, d in named.items()]
        for name, diagnosis in named.items():
            if not diagnosis.verdict:
                lines += ["", f"{name}: {diagnosis.text()}"]
        return "\n".join(lines)

    def _both_right(self) -> list[str]:
        if not self.differences:
            return ["both are right, and say the same in all that both say"]
        how = "exactly right, a tie" if self.exact else "right within what is allowed"
        lines = [f"both are {how}; they differ in", *(f"  {d}" for d in self.differences[:SHOWN])]
        more = len(self.differences) - SHOWN
        return [*lines, f"  and {more} more"] if more > 0 else lines


def compare(
    problem: Record | str,
    a: Record | str,
    b: Record | str,
    *,
    gap: Number | None = None,
    stated: Record | None = None,
) -> Comparison:
    """Which of two answers is right, and what a wrong one is right for.

    Two answers that differ and are both exactly right are a tie; where one is right only within the
    gap, the difference may be rounding. Cost: that of explaining both.

    >>> problem = {"family": "ova.decode", "scores": [["1", "1"], ["2", "0"]]}
    >>> print(compare(problem, {"labels": [0, 0]}, {"labels": [1, 0]}).text())
    both are exactly right, a tie; they differ in
      labels[0]: 0 and 1
    """
    given, family = read_record(problem)

    def explained(name: str, answer: Record | str) -> tuple[Record, Diagnosis]:
        try:
            record = as_record(answer, "answer")
            return record, explain(given, record, gap=gap, stated=stated)
        except FormatError as error:
            raise FormatError(f"{name}: {error}") from None

    (one, of_one), (other, of_other) = explained("a", a), explained("b", b)
    exact = all(family.judge(given, answer, Fraction(0), None) for answer in (one, other))
    return Comparison(of_one, of_other, exact, tuple(_differences(one, other)))


def _differences(a: Record, b: Record) -> Iterator[str]:
    """The places where two answers say something else, in the order of the first."""
    waiting: list[tuple[str, str, object, object]] = [("", "", a, b)]
    while waiting:
        place, name, mine, other = waiting.pop()
        mine, other = plain(mine), plain(other)
        if isinstance(mine, Mapping) and isinstance(other, Mapping):
            shared = [n for n in mine if n in other and (place or n not in REMARKS)]
            dot = "." if place else ""
            waiting += [(f"{place}{dot}{n}", n, mine[n], other[n]) for n in reversed(shared)]
        elif isinstance(mine, list) and isinstance(other, list) and len(mine) == len(other):
            pairs = list(enumerate(zip(mine, other)))
            waiting += [(f"{place}[{i}]", name, u, v) for i, (u, v) in reversed(pairs)]
        elif not same(mine, other, name, Fraction(0)):
            yield printable(f"{place}: {shown(mine)} and {shown(other)}")
