"""What others claim to have solved, whether it is right, and whether their promise was kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from refmc.answers import with_hint
from refmc.checker import Verdict
from refmc.checker.printing import decimal_text
from refmc.core.parameters import map_of
from refmc.core.records import Record, limit
from refmc.core.scalars import Number
from refmc.oracle.families import default_gap, read_record

if TYPE_CHECKING:
    from concurrent.futures import Executor

WEAK = Fraction(1, 100)
"""A relative gap above which a promise that was kept says little about the answer."""

UNSURE = "whether the stopping rule had been met at the limit of iterations can't be known"

ANYTHING = Fraction(2**64)
"""A relative gap that is larger than that of any answer."""


class Promise(NamedTuple):
    """What a stopping rule says the gap can be at most, and that in words.

    `broken`: what shows that the rule wasn't kept, which then promises nothing; `stopped`: that a
    limit came first, as far as is known. `obstacle`: what else keeps a gap of up to `explained`
    from closing.
    """

    gap: Fraction
    rule: str
    stopped: str = ""
    broken: str = ""
    obstacle: str = ""
    explained: Fraction = Fraction(0)

    @property
    def unkept(self) -> str:
        """Why it promises nothing, or ""."""
        return self.broken or self.stopped


@dataclass(frozen=True)
class Claim:
    """One problem that somebody's program says it has solved, and its answer.

    `promise`: None where the family's default gap is what is expected.
    `doubt`: what may explain a wrong answer: something of the problem that can't be known.
    `proof`: what may prove the answer right where a search doesn't: multipliers, or a trace.
    `rounding`: how much worse than the best a choice may be, since the program rounds, relative to
    what it compares.
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

    `verdicts`: one for each claim. `promise`: in words, "" where there is none. Where an answer is
    judged by its promise, `allowed` is that amount, and the gap has no other scale.
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
    found = list(map_of(executor)(partial(_verdict, gap=gap), claims))
    judged = found if gap is not None else list(map(_absolute, claims, found))
    worst = max(range(len(claims)), key=lambda i: _badness(judged[i]))
    claim, verdict = claims[worst], judged[worst]
    # That a solver stopped before its rule is reason enough, and may look like other mistakes.
    if verdict.status == "REFUTED" and not (claim.promise and claim.promise.stopped):
        hinted = with_hint(found[worst], claim.problem, claim.answer)
        verdict = replace(verdict, hint=hinted.hint)
    which = claim.part and f", {claim.part}"
    if len(claims) > 1:
        which += f", the worst of {len(claims)} parts"
    own = {field.name: getattr(verdict, field.name) for field in fields(Verdict)}
    own["summary"] = f"{who}{which}: {verdict.summary}"
    promise = _kept(claim, found[worst], gap)
    return Judged(**own, claims=tuple(claims), verdicts=tuple(judged), promise=promise)


def _absolute(claim: Claim, verdict: Verdict) -> Verdict:
    """The verdict with the amount that was promised, which counts as such."""
    if claim.promise is None or claim.promise.unkept:
        return verdict
    return replace(verdict, allowed=claim.promise.gap, scale=None)


def _badness(verdict: Verdict) -> tuple[int, Fraction]:
    status = ("VERIFIED", "INCONCLUSIVE", "REFUTED").index(verdict.status)
    return status, (verdict.relative or verdict.gap or Fraction(0)) / (verdict.allowed or 1)


def _verdict(claim: Claim, gap: Number | None) -> Verdict:
    """The verdict on a claim; rounding or a doubt about the problem may excuse a wrong answer."""
    verdict = _judged(claim, gap)
    if verdict.status != "REFUTED":
        return verdict
    wrong = verdict.violations
    allowed = claim.rounding
    if allowed is not None and all(v.relative is not None and v.relative <= allowed for v in wrong):
        hint = f"right but for rounding; {wrong[0].place}: {wrong[0].text}"
        return replace(verdict, status="VERIFIED", violations=(), hint=hint)
    doubt, promise = claim.doubt, claim.promise
    if gap is None and promise is not None and not promise.broken:
        is_open = (verdict.gap or 0) <= max(promise.gap, promise.explained)
        doubt = (UNSURE if promise.stopped else promise.obstacle) if is_open else ""
    return replace(verdict, status="INCONCLUSIVE", hint=doubt) if doubt else verdict


def _judged(claim: Claim, gap: Number | None) -> Verdict:
    """The verdict with the gap that was given, the one that was promised, or the usual one.

    A promise is an absolute amount, while judges take one that is relative to the optimum P*. If
    the answer's own numbers prove that its gap is within the promise, there is no search. Else P*
    is bounded from above, as closely as the judge can, and the promise is divided by that bound:
    what is then allowed is at most the promise, and no less of it than the last bound says.
    """
    record, family = read_record(claim.problem)
    promise, proved = claim.promise, {**claim.answer, **(claim.proof or {})}
    if gap is not None or promise is None or promise.unkept:
        allowed = default_gap(str(record["family"])) if gap is None else limit(gap, "gap")
        verdict = family.judge(record, proved, allowed, None)
        if verdict or claim.proof is None:
            return verdict
        return family.judge(record, claim.answer, allowed, None)
    first = family.judge(record, proved, ANYTHING, None)
    if first and first.gap is not None and first.gap <= promise.gap:
        return first
    # without the proof: its multipliers may show a larger gap than the answer has
    bound, verdict = None, family.judge(record, claim.answer, Fraction(0), None)
    while not verdict and verdict.scale and (bound is None or verdict.scale < bound):
        bound = verdict.scale
        verdict = family.judge(record, claim.answer, promise.gap / bound, None)
    return verdict


def _kept(claim: Claim, verdict: Verdict, gap: Number | None) -> str:
    """Whether a claim's promise was kept, in words, and how weak it is."""
    promise = claim.promise
    if promise is None or verdict.gap is None:
        return ""
    told = f"{promise.rule} bounds the gap by {decimal_text(promise.gap)}"
    if promise.unkept:
        return f"not kept: {told}; {promise.unkept}"
    # where rounding explains the rest, a verified answer may have a larger gap as it stands
    if verdict.gap <= promise.gap or (verdict and gap is None):
        if verdict and verdict.relative is not None and verdict.relative > WEAK:
            told += f"; weak: up to {decimal_text(verdict.relative)} of the optimum"
        return f"kept: {told}"
    return f"not kept: {told}"
