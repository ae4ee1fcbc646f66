"""What others claim to have solved, whether it is right, and whether their promise was kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from refmc.checker import Verdict
from refmc.checker.printing import decimal_text
from refmc.core.parameters import map_of
from refmc.core.records import Record, limit
from refmc.core.scalars import Number
from refmc.oracle.answers import default_gap, read_record, with_hint

if TYPE_CHECKING:
    from concurrent.futures import Executor

ROUNDED = Fraction(1, 2**45)
"""A relative gap below which numbers in binary64 can't be expected to come any closer."""

ANYTHING = Fraction(2**64)
"""A relative gap that is larger than that of any answer."""


class Promise(NamedTuple):
    """What a stopping rule says the gap can be at most, and that in words.

    `obstacle`: what else keeps the gap from closing.
    """

    gap: Fraction
    rule: str
    obstacle: str = ""


@dataclass(frozen=True)
class Claim:
    """One problem that somebody's program says it has solved, and its answer.

    `promise`: None where the family's default gap is what is expected.
    `doubt`: what may explain a wrong answer: something of the problem that can't be known.
    `proof`: multipliers for the answer, which may prove the promise kept without a search.
    `rounding`: how much worse than the best a choice may be, since the program rounds.
    """

    part: str
    problem: Record
    answer: Record
    promise: Promise | None = None
    doubt: str = ""
    proof: Record | None = None
    rounding: Fraction | None = None


@dataclass(frozen=True)
class Judged(Verdict):
    """The verdict on the worst of somebody's `claims`, and what was promised for it.

    `verdicts`: one for each claim. `promise`: in words, "" where there is none.
    """

    claims: tuple[Claim, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    promise: str = ""

    def explain(self) -> str:
        """The message for people."""
        lines = [super().explain()]
        if len(self.verdicts) > 1:
            found = [verdict.status for verdict in self.verdicts]
            counts = [f"{found.count(status)} {status}" for status in dict.fromkeys(found)]
            lines.append(f"  parts    {', '.join(counts)}")
        if self.promise:
            lines.append(f"  promise  {self.promise}")
        return "\n".join(lines)

    def to_json(self) -> dict[str, object]:
        """The verdict in plain JSON types, with the promise."""
        return {**super().to_json(), "promise": self.promise}


def judge_claims(
    who: str, claims: Sequence[Claim], gap: Number | None, executor: Executor | None = None
) -> Judged:
    """The verdict on the worst of some claims, which alone is explained."""
    judged = tuple(map_of(executor)(partial(_verdict, gap=gap), claims))
    worst = max(range(len(claims)), key=lambda i: _badness(judged[i]))
    claim, verdict = claims[worst], judged[worst]
    if verdict.status == "REFUTED":
        verdict = with_hint(verdict, claim.problem, claim.answer)
    which = claim.part and f", {claim.part}"
    if len(claims) > 1:
        which += f", the worst of {len(claims)} parts"
    own = {field.name: getattr(verdict, field.name) for field in fields(Verdict)}
    own["summary"] = f"{who}{which}: {verdict.summary}"
    return Judged(**own, claims=tuple(claims), verdicts=judged, promise=_kept(claim, verdict))


def _badness(verdict: Verdict) -> tuple[int, Fraction]:
    status = ("VERIFIED", "INCONCLUSIVE", "REFUTED").index(verdict.status)
    return status, (verdict.relative or verdict.gap or Fraction(0)) / (verdict.allowed or 1)


def _verdict(claim: Claim, gap: Number | None) -> Verdict:
    """The verdict on a claim; rounding or a doubt about the problem may excuse a wrong answer."""
    verdict = _judged(claim, gap)
    if verdict.status != "REFUTED":
        return verdict
    wrong = verdict.violations
    if claim.rounding is not None and all(0 < v.amount <= claim.rounding for v in wrong):
        hint = f"right but for rounding; {wrong[0].place}: {wrong[0].text}"
        return replace(verdict, status="VERIFIED", violations=(), hint=hint)
    if claim.doubt:
        return replace(verdict, status="INCONCLUSIVE", hint=claim.doubt)
    return verdict


def _judged(claim: Claim, gap: Number | None) -> Verdict:
    """The verdict with the gap that was given, the one that was promised, or the usual one.

    A promise is an absolute gap, while judges take one that is relative to the problem's scale. So
    a first judgement, which allows any gap, finds the scale. If the answer's own numbers already
    prove that its gap is within the promise, there is no search.
    """
    record, family = read_record(claim.problem)
    allowed = default_gap(str(record["family"])) if gap is None else limit(gap, "gap")
    if gap is None and claim.promise is not None:
        proved = {**claim.answer, **(claim.proof or {})}
        first = family.judge(record, proved, ANYTHING, None)
        if first.scale and first.gap is not None:
            allowed = claim.promise.gap / first.scale
            if first and first.gap <= claim.promise.gap:
                return replace(first, allowed=allowed)
    # without the proof: its multipliers may show a larger gap than the answer has
    return family.judge(record, claim.answer, allowed, None)


def _kept(claim: Claim, verdict: Verdict) -> str:
    """Whether a claim's promise was kept, in words."""
    if claim.promise is None or verdict.gap is None:
        return ""
    told = f"{claim.promise.rule} bounds the gap by {decimal_text(claim.promise.gap)}"
    if verdict.gap <= claim.promise.gap:
        return f"kept: {told}"
    obstacle = claim.promise.obstacle
    if (verdict.relative or 1) < ROUNDED:
        obstacle = "binary64 has no more digits"
    return "; ".join(filter(None, [f"not kept: {told}", obstacle]))
