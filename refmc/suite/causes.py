"""Why the answers of a run are wrong: the named mistakes that the program makes, or what is common.

A mistake explains a refuted answer if the answer is right for it. It is told if it explains at
least half of the refuted answers of its families (of trees nine in ten), and would have made fewer
of the right ones wrong, or those of other settings alone; or if it explains nearly all answers on
which it shows, and one exactly that no chance makes. Wrong answers with a setting that none of
these has may have a second mistake. What one mistake explains is not offered again under the name
of another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import groupby
from math import inf
from typing import Any

from refmc.checker import Verdict
from refmc.core.printing import printable
from refmc.core.records import Record
from refmc.errors import RefmcError
from refmc.mistakes.explaining import (
    PAIR_BITS,
    Together,
    explained_for,
    explained_together,
    ids_of,
    tried_alone,
    tried_together,
)
from refmc.mistakes.explanation import BEYOND_CHANCE, Judged, wrong_part
from refmc.mistakes.generic import are_ambiguous, generic
from refmc.mistakes.mistake import Mistake
from refmc.mistakes.unfinished import UNFINISHED, unfinished
from refmc.oracle.families import default_gap, family_of, problem_fields
from refmc.suite.common import FAILED, common, kept_from_before, kept_text, numbers_in, wrong_places
from refmc.suite.running import Case, Result

MOST = 5
"""So many causes are told."""

SMALLEST = 3
"""In so many of the smallest unexplained answers of a family two mistakes are looked for."""

TOGETHER = 6
"""So many bits labels must tell of which no answer tells enough alone."""

ROUNDED = Fraction(1, 10**9)
"""What an answer in binary64 may leave that is exactly right for a mistake."""

SIMPLE = 10**6
"""The largest denominator of a number that is thought to have been rounded."""

CHOSEN = {"tree.grow", "boost.ada", "boost.mh"}
"""The families whose answers are what is chosen, often the same by different mistakes."""

MOST_CHOSEN = Fraction(9, 10)
"""The share of these that a mistake must explain, or else it is only possible."""

WEIGHTS, BESIDE = {"w", "W"}, {"alpha", "lam", "scores"}
"""What answers of SVMs say beside weights, or in their place where a kernel has none."""

AGAINST_HALF, AGAINST_FEW = 4, 8
"""One wrong answer may be another than a program with the mistake gives for so many explained: if
it explains at least half, and if it explains less."""


@dataclass(frozen=True)
class Cause:
    """Mistakes made at once, and how many of the wrong answers of some families they explain.

    `wrong` counts those that are refuted or malformed; `malformed`: whether some are. `may_be`:
    whether others may explain them as well.
    `more`: what is known of where the setting is ignored, or which value is taken for all others.
    """

    mistakes: tuple[Mistake, ...]
    families: tuple[str, ...]
    explained: int
    wrong: int
    malformed: bool
    may_be: bool = False
    more: str = ""

    def text(self) -> str:
        """Such as "explains 3 of the 4 refuted answers of svm.hard: the last row is left out"."""
        kind = "refuted or malformed" if self.malformed else "refuted"
        wrong = f"{self.explained} of the {self.wrong} {kind} answers"
        wrong = wrong if self.wrong > 1 else f"the {kind} answer"
        clause = " and ".join(mistake.sentence for mistake in self.mistakes)
        clause += f" ({self.more})" if self.more else ""
        verb, end = ("fits", "; it may be that") if self.may_be else ("explains", ":")
        return printable(
            f"{verb} {wrong} of {', '.join(self.families)}{end} {clause} [{ids_of(self.mistakes)}]"
        )


class _Case(Judged):
    """What is malformed counts as refuted."""

    @property
    def is_malformed(self) -> bool:
        return not self.verdict.violations

    @property
    def bits(self) -> int:
        """How much there is to the answer: the lengths of its numbers that the problem doesn't
        have, and at least one for each wrong label."""
        new = _quantities(self.answer) - _quantities(self.problem)
        own = [q.numerator.bit_length() + q.denominator.bit_length() for q in new]
        are_labels = not {"labels", "label_sets"}.isdisjoint(self.answer)
        return sum(own) + are_labels * len(self.verdict.violations)


@dataclass
class _Suspect:
    """Mistakes under one name, which differ by family where they are generic.

    `explained`: the positions of the wrong answers that they explain, of some families; `taken`:
    the values of settings for which they do, `always`: for which each does; `bits`: what the labels
    among these tell, inf where one tells enough alone; `is_sure`: chance makes none of these as
    exactly right as one is. `remarked`: how many tell by a remark what is wrong with them.
    """

    mistakes: list[tuple[Mistake, ...]] = field(default_factory=list)
    explained: set[int] = field(default_factory=set)
    families: dict[str, None] = field(default_factory=dict)
    taken: set[tuple[str, ...]] = field(default_factory=set)
    always: set[tuple[str, ...]] = field(default_factory=set)
    bits: float = 0
    is_sure: bool = False
    remarked: int = 0

    def tries(self, together: Together, i: int, case: _Case) -> bool:
        """Whether mistakes made at once explain the i-th wrong answer, which is noted."""
        mistakes, _ = together
        if len(mistakes) == 1:  # labels that tell little may tell enough together
            tried = explained_for(together, case, bits=0)
        else:
            tried = explained_together(together, case)
        found = [e for e in tried if e.verdict]
        if found:
            if mistakes not in self.mistakes:
                self.mistakes.append(mistakes)
            self.explained.add(i)
            self.remarked += any("remark" in e.rewritten for e in found)
            bits = case.label_bits
            self.bits += bits if bits < BEYOND_CHANCE else inf
            self.families.setdefault(case.verdict.family)
            taken = {_chosen(e.problem, e.changed) for e in found if len(mistakes) == 1}
            self.always = self.always & taken if self.taken else taken
            self.taken |= taken
            is_exact = any(e.left <= ROUNDED for e in found)
            if not self.is_sure and is_exact and case.bits >= PAIR_BITS:
                # the rounding of a simple answer has many bits, which tell nothing
                made = [replace(case, answer=shown) for shown in self._shown(case, together[0])]
                self.is_sure = all(simple.bits >= PAIR_BITS for simple in made)
        return bool(found)

    def spoils(self, case: _Case, surely: bool = True) -> bool:
        """Whether a program with the mistake would have answered wrong, in the same fields.

        So it would where what it answers is malformed, such as multipliers of bounds that it
        ignores. Of several problems that it may solve instead, those with the settings that it
        takes where it is explained must all give a wrong answer; or any of all, if not `surely`.
        """
        of_several = all if surely else any
        shown = (self._shown(case, (m,), surely) for together in self.mistakes for m in together)
        return any(
            answers and of_several(_is_wrong(case.problem, answer) for answer in answers)
            for answers in shown
        )

    def rank(self) -> tuple[bool, int]:
        """What explains most comes first; what other mistakes may look like comes last."""
        return self.mistakes[0][0].is_told_by_remark, -len(self.explained)

    def of_families(self, wrong: Sequence[_Case]) -> set[int]:
        """The positions of the wrong answers of its families."""
        return {i for i, case in enumerate(wrong) if case.verdict.family in self.families}

    def about(self, wrong: Sequence[_Case]) -> set[int]:
        """Those of them that it could explain: what a remark tells needs weights to look at."""
        found = self.of_families(wrong)
        if not any(mistake.is_told_by_remark for mistake, *_ in self.mistakes):
            return found
        return {i for i in found if WEIGHTS & {*wrong[i].answer} or not BESIDE & {*wrong[i].answer}}

    def untouched(self, wrong: Sequence[_Case]) -> int:
        """How many other wrong answers belong to problems that the mistake leaves as they are."""
        mistake = self.mistakes[0][0]
        others = [wrong[i].problem for i in self.about(wrong) - self.explained]
        return sum(mistake.leaves(problem) for problem in others)

    def is_half(self, wrong: Sequence[_Case], left: set[int]) -> bool:
        """Whether it explains half of the answers of its families, and of those that are left.

        Of trees it must be most, as many mistakes make the same small ones.
        """
        about, fresh = self.about(wrong), self.explained & left
        share = Fraction(1, 2) if "tree.grow" not in self.families else MOST_CHOSEN
        is_share = len(self.explained) >= share * len(about)
        return is_share and 2 * len(fresh) >= len(about & left)

    def may_be_told(self, wrong: Sequence[_Case], left: set[int]) -> bool:
        """Whether it explains enough of what is left, or an answer that chance doesn't make.

        At least half of what it explains must be explained by no cause that is told already.
        """
        is_fresh = 2 * len(self.explained & left) >= len(self.explained)
        mistake = self.mistakes[0][0]
        shown = self.about(wrong) if mistake.is_told_by_remark else self.explained
        is_enough = len(shown) >= mistake.at_least and self.bits >= TOGETHER
        is_shown = self.is_sure or self.is_half(wrong, left)
        return is_fresh and is_enough and is_shown

    def is_borne_out(self, wrong: Sequence[_Case], right: Sequence[_Case], left: set[int]) -> bool:
        """Whether few answers are others than a program with the mistake gives.

        If it explains all wrong answers, the program may make it in one branch alone.
        """
        about, is_half = self.about(wrong), self.is_half(wrong, left)
        mistake = self.mistakes[0][0]
        if mistake.is_told_by_remark:  # a few steps make some answers right
            of_right = sum(case.verdict.family in self.families for case in right)
            one_in = mistake.one_in if self.explained == about else 2
            enough = 1 if of_right >= len(about) else len(about) / one_in
            return is_half and self.remarked >= enough
        if not any(self.spoils(wrong[i], surely=False) for i in self.explained):
            # nothing can be against it, but right answers to the problem that is solved instead
            solved = [m for together in self.mistakes for m in together if m.program is None]
            made = any(self._shown(wrong[i], solved, surely=False) for i in about)
            return self.explained == about and not made
        mine, others = ([wrong[i] for i in s] for s in (self.explained, about - self.explained))
        for_it, spoilt = len(mine), self.against(right)
        has_second = self.is_sure and is_half and _own_branches(others, mine)
        otherwise = 0 if has_second else len(self.against(others))
        if is_half:  # a program may have a part without the mistake, which answers right
            if len(spoilt) < for_it and len(spoilt) + AGAINST_HALF * otherwise <= for_it:
                return True
            return not others and for_it > 1 and bool(_own_branches(mine, spoilt))
        return AGAINST_FEW * (len(spoilt) + otherwise) <= for_it

    def is_only_possible(self, wrong: Sequence[_Case], right: Sequence[_Case]) -> bool:
        """Whether other mistakes may well make the answers that it explains.

        So they may one answer alone of several, trees of which one node differs, trees or boosting
        runs that are only some or beside right ones that it would have made wrong, and numbers
        that other changes make the same.
        """
        mine, about = [wrong[i] for i in self.explained], self.about(wrong)
        is_some = not CHOSEN.isdisjoint(self.families) and (
            len(mine) < MOST_CHOSEN * len(about) or bool(self.against(right))
        )
        is_few = len(mine) == 1 < len(about) or is_some or all(map(_is_one_node, mine))
        return is_few or any(
            are_ambiguous(m, [c.problem for c in mine]) for (m, *_) in self.mistakes
        )

    def is_heard(self, right: Sequence[_Case]) -> bool:
        """Whether it is that a setting is ignored, which a right answer shows to be heard."""
        return self.mistakes[0][0].id.startswith("deaf.") and bool(self.against(right))

    def more(self, right: Sequence[_Case]) -> str:
        """That a setting is not ignored everywhere, or the value that it is always taken for."""
        if self.is_heard(right):
            return "not everywhere"
        return ", ".join(*self.always) if len(self.always) == 1 else ""

    def against(self, cases: Iterable[_Case], surely: bool = True) -> list[_Case]:
        """The answers of its families that the mistake would have spoiled."""
        about = (case for case in cases if case.verdict.family in self.families)
        return [case for case in about if self.spoils(case, surely)]

    def _shown(self, case: _Case, mistakes: Iterable[Mistake], surely: bool = True) -> list[Record]:
        """What programs with each of the mistakes answer, in the fields of the case."""
        any_setting = not (surely and self.taken)
        made = (
            answer
            for mistake in mistakes
            for neighbour, answer in mistake.all_made(case.problem)
            if any_setting or _chosen(case.problem, neighbour) in (self.always or self.taken)
            if not (surely and _lacks_classes(case.problem, neighbour))
        )
        told = case.answer
        shown = ({n: _told(answer[n], told[n]) for n in told if n in answer} for answer in made)
        return [answer for answer in shown if answer]


def causes(results: Sequence[Result], alone: Callable[[Case], Result] | None = None) -> list[str]:
    """What explains the wrong answers of a run, best first; otherwise what they have in common.

    `alone` asks a program that has been started anew, if the run asked one for all problems. Cost:
    each refuted answer is judged again for each mistake of its family.
    """
    failed = [result for result in results if result.outcome in FAILED]
    if not failed:
        return []
    kept = kept_from_before(failed, alone) if alone else {}
    left = [r for r in failed if r.case.family not in kept or r.answer is None]
    others = [r for r in results if r.outcome not in FAILED or r in left]
    explained = explain_all(others) if left else []
    found = [kept_text(kept)] * bool(kept) + [cause.text() for cause in explained[:MOST]]
    named = {family for cause in explained for family in cause.families}
    places = wrong_places(result for result in left if result.case.family not in named)
    nothing = "no named mistake, and no two, explain the run"
    if any(r.verdict is not None and r.verdict.hint.endswith("]") for r in left):
        nothing += "; what single answers look like stands beside them"
    if all(result.answer is None for result in left):
        nothing = "every failure is a crash, for the reason that its line gives"
    return [*found, *places] if found else [nothing, *places, *common(results)]


def explain_all(results: Iterable[Result]) -> list[Cause]:
    """The named mistakes that the program of a run makes, those first that explain most; those that
    are only possible stand behind others."""
    wrong, right = list[_Case](), list[_Case]()
    for case in filter(None, map(_case, results)):
        (right if case.verdict else wrong).append(case)
    told, left = list[Cause](), {*range(len(wrong))}
    suspects = sorted(_suspects(wrong), key=_Suspect.rank)
    untrained = {i for s in suspects if s.mistakes[0][0].id == "method.none" for i in s.explained}
    for _, equals in groupby(suspects, key=_Suspect.rank):
        rivals = [s for s in equals if not s.explained < untrained and s.may_be_told(wrong, left)]
        if len(rivals) > 1:  # those first that would have spoiled the fewest right answers
            rivals.sort(
                key=lambda s: (
                    s.is_heard(right), len(s.against(right, surely=False)), s.untouched(wrong)
                )
            )  # fmt: skip
        for suspect in rivals:
            if suspect.may_be_told(wrong, left) and suspect.is_borne_out(wrong, right, left):
                left -= suspect.explained
                about = suspect.of_families(wrong)
                malformed = any(wrong[i].is_malformed for i in about)
                counts = len(suspect.explained), len(about)
                may_be = suspect.is_only_possible(wrong, right)
                families = (*suspect.families,)
                more = suspect.more(right)
                told.append(Cause(suspect.mistakes[0], families, *counts, malformed, may_be, more))
    return sorted(told, key=lambda cause: cause.may_be)


def _told(made: object, told: object) -> object:
    """What is made, without what is told of no round."""
    if not (isinstance(made, (list, tuple)) and isinstance(told, (list, tuple))):
        return made
    rounds = [r for r in made if isinstance(r, dict) and "epsilon" in r]
    untold = {"D", "Z", "loss"}.difference(*(r for r in told if isinstance(r, dict)))
    return [{n: v for n, v in r.items() if n not in untold} for r in rounds] or made


def _case(result: Result) -> _Case | None:
    """What was answered, if that is right or wrong."""
    verdict, answer, family = result.verdict, result.answer, result.case.family
    if verdict is None and result.reason.startswith("malformed"):
        verdict = Verdict("REFUTED", family, result.reason, None, default_gap(family), None)
    if answer is None or verdict is None or verdict.status == "INCONCLUSIVE":
        return None
    if not verdict:
        answer = wrong_part(result.case.problem, answer, verdict.allowed)
    return _Case(result.case.problem, answer, verdict)


def _suspects(wrong: Sequence[_Case]) -> list[_Suspect]:
    """All that explains some answer; two at once where nothing else does."""
    found: dict[str, _Suspect] = defaultdict(_Suspect)
    unexplained: dict[str, list[int]] = defaultdict(list)
    for i, case in enumerate(wrong):
        tried = [found[ids_of(alone[0])].tries(alone, i, case) for alone in _alone(case)]
        if not any(tried) and not case.is_malformed:
            unexplained[case.verdict.family].append(i)
    for family, left in unexplained.items():
        smallest = sorted(left, key=lambda i: len(str(wrong[i].problem)))[:SMALLEST]
        smallest = [i for i in smallest if wrong[i].label_bits >= PAIR_BITS]
        for together in tried_together(family):
            pair = _Suspect()
            if any(pair.tries(together, i, wrong[i]) for i in smallest):
                for i in left:
                    pair.tries(together, i, wrong[i])
                found[ids_of(together[0])] = pair
    return [suspect for suspect in found.values() if suspect.explained]


def _alone(case: _Case) -> Iterator[Together]:
    """The mistakes that may explain an answer; few can rewrite one that is malformed."""
    family = case.verdict.family
    for together in tried_alone(family):
        (*_, mistake), _ = together
        rewrites = mistake.answer is not None and mistake not in generic(family)
        if not mistake.is_remark and not (case.is_malformed and rewrites):
            yield together
    if family in UNFINISHED and not case.is_malformed:
        yield (unfinished(family),), (unfinished(family),)


def _chosen(problem: Record, neighbour: Record) -> tuple[str, ...]:
    """The settings of a neighbouring problem that are named values, and others than the problem's.

    Not how much a number is, such as half of C, which differs from problem to problem.
    """
    changed = (name for name in neighbour if neighbour[name] != problem.get(name))
    values = {name: neighbour[name] for name in changed}
    return tuple(f"{n} = {v}" for n, v in values.items() if isinstance(v, (str, bool)))


def _lacks_classes(problem: Record, neighbour: Record) -> bool:
    """Whether one class is left where there were several: programs may do anything else then."""
    labels: list[Any] = [given.get("y", ()) for given in (neighbour, problem)]
    left, own = ({*map(str, y)} for y in labels)
    return len(left) == 1 < len(own)


def _is_one_node(case: _Case) -> bool:
    return case.verdict.family == "tree.grow" and len(case.verdict.violations) == 1


def _branches(problem: Record) -> set[tuple[str, object]]:
    """The settings by which programs branch, with their values."""
    values = ((n, f, problem.get(n, f.default)) for n, f in problem_fields(problem).items())
    return {(n, v) for n, f, v in values if isinstance(v, bool) or v in f.named}


def _own_branches(cases: Iterable[_Case], others: Iterable[_Case]) -> set[tuple[str, object]]:
    """The settings that the problems of some cases share, and none of others has."""
    shared, taken = ([_branches(case.problem) for case in group] for group in (cases, others))
    return set.intersection(*shared).difference(*taken) if shared else set()


def _is_wrong(problem: Record, answer: Record) -> bool:
    """Whether an answer is refuted, or about rows or classes that the problem hasn't."""
    family = str(problem["family"])
    try:
        verdict = family_of(family).judge(problem, answer, default_gap(family), None)
    except RefmcError:
        return True
    return verdict.status == "REFUTED"


def _quantities(record: Record) -> set[Fraction]:
    """The sizes of all numbers of a record; of a rounded one that of the simple one near it."""
    return {abs(q.limit_denominator(SIMPLE)) for _, q in numbers_in(dict(record))}
