"""Which named mistakes make the answers of a program: of one answer, or of a whole run.

Only the families' judges decide: a mistake explains an answer if the answer is right for the
problem that the mistake solves instead, or is a right answer as the mistake changes it. A right
answer has nothing to explain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from refmc.checker import Verdict
from refmc.core.printing import printable
from refmc.core.records import Record, at_least_0
from refmc.core.scalars import Number
from refmc.errors import FormatError
from refmc.mistakes.all import mistakes_of
from refmc.mistakes.explanation import Explanation, by_chance, explained_by
from refmc.mistakes.generic import generic
from refmc.mistakes.known import hints_of
from refmc.mistakes.mistake import Mistake
from refmc.oracle.families import as_record, default_gap, family_of, read_record

PAIR_BITS = 12
"""An answer of labels alone must carry so many bits before two mistakes are looked for. There are
many pairs of mistakes, and one of them explains a shorter answer by chance."""

SMALLEST = 3
"""In so many of the smallest unexplained answers of a family two mistakes are looked for."""

ASKED = 10
"""For so many of the best explanations the right answers are judged, too."""

Together = tuple[tuple[Mistake, ...], tuple[Mistake, ...]]
"""Mistakes that are made at once, and those that find them, each after the one before."""


@dataclass(frozen=True)
class Diagnosis:
    """The verdict on an answer, and what explains it, best first; nothing explains a right one.

    `remarks` say only which part is off.
    """

    verdict: Verdict
    explanations: tuple[Explanation, ...]
    remarks: tuple[Explanation, ...] = ()

    def text(self, most: int = 3) -> str:
        """The verdict and what the answer is right for, in words; at most so many explanations."""
        lines = [self.verdict.explain()]
        for i, explanation in enumerate(self.explanations[:most]):
            lines.append(f"  {'or' if i else 'cause':<9}{printable(explanation.text())}")
        if len(self.explanations) > most:
            lines.append(
                f"  {'or':<9}{len(self.explanations) - most} more that explain it no better"
            )
        lines += [f"  remark   {printable(remark.text())}" for remark in self.remarks]
        if self.verdict.status == "REFUTED" and not self.explanations:
            lines.append(f"  {'cause':<9}no named mistake, and no two, explain it")
        return "\n".join(lines)


@dataclass(frozen=True)
class Suspect:
    """Mistakes made at once, and how many of the answers of a run they explain.

    `explained` counts the answers that they explain. `told` counts those that could speak for or
    against them: the refuted ones to problems of their families, and the right ones that the
    mistakes would have made wrong.
    """

    mistakes: tuple[Mistake, ...]
    explained: int
    told: int

    def text(self) -> str:
        """Such as "41 of 41 answers are right if C is divided by m [svm.C_over_m]"."""
        clause = " and ".join(mistake.sentence for mistake in self.mistakes)
        names = f"[{_names(self.mistakes)}]"
        verb = "is" if self.explained == 1 else "are"
        return printable(
            f"{self.explained} of {self.told} answers {verb} right if {clause} {names}"
        )


def _names(mistakes: Sequence[Mistake]) -> str:
    return ", ".join(mistake.id for mistake in mistakes)


def explain(
    problem: Record | str,
    answer: Record | str,
    *,
    gap: Number | None = None,
    stated: Record | None = None,
) -> Diagnosis:
    """The named mistakes that an answer is right for, ranked by the exact gap that each leaves.

    Two at once are tried where none alone makes the answer right. `stated`: of which rows and
    kernel a Gram matrix is, which mistakes about kernels need. Cost: a judgement for each mistake
    of the family, and where that is not enough for each two of them.

    >>> problem = {"family": "svm.binary", "X": [["1"], ["-1"]], "y": [1, -1], "C": "1/4"}
    >>> explain(problem, {"w": ["1/4"], "b": 0}).explanations[0].text()
    'exactly right if C is divided by the number of rows (C = 1/8) [svm.C_over_m]'
    """
    given, family = read_record(problem)
    submitted, name = as_record(answer, "answer"), str(given["family"])
    allowed = default_gap(name) if gap is None else at_least_0(gap, "gap")
    verdict = family.judge(given, submitted, allowed, None)
    if verdict.status != "REFUTED":
        return Diagnosis(verdict, ())
    if stated is not None:
        given = {**given, "stated": stated}
    found = [e for tried in _single(name) for e in _explained(tried, given, submitted, verdict)]
    if not any(e.verdict for e in found if not e.is_remark) and not by_chance(
        given, submitted, verdict, PAIR_BITS
    ):
        for tried in _pairs(name):
            found += _explained(tried, given, submitted, verdict)
    found.sort(key=lambda e: (not e.verdict, e.left))
    causes = tuple(e for e in found if not e.is_remark)
    return Diagnosis(verdict, causes, tuple(e for e in found if e.is_remark))


def explain_all(answers: Iterable[tuple[Record, Record]]) -> list[Suspect]:
    """The mistakes that explain most of the answers to several problems, best first.

    Cost: a judgement of each refuted answer for each mistake; two at once are tried for a few of
    the smallest that none explains, and what is found there for all.

    >>> pair = {"family": "svm.binary", "X": [["1"], ["-1"]], "y": [1, -1]}
    >>> halved = ("1/4", "1/4"), ("1/8", "1/8")
    >>> wrong = [({**pair, "C": C}, {"w": [w], "b": 0}) for C, w in halved]
    >>> explain_all(wrong)[0].text()
    '2 of 2 answers are right if C is divided by the number of rows [svm.C_over_m]'
    """
    right: list[tuple[Record, Record]] = []
    wrong: list[tuple[Record, Record, Verdict]] = []
    for problem, answer in answers:
        verdict = _judged(problem, answer)
        if verdict:
            right.append((problem, answer))
        elif verdict.status == "REFUTED":
            wrong.append((problem, answer, verdict))
    explains: dict[str, set[int]] = defaultdict(set)  # by the names of mistakes
    made: dict[str, list[tuple[Mistake, ...]]] = defaultdict(list)  # generic ones by family
    unexplained: dict[str, list[int]] = defaultdict(list)
    for i, case in enumerate(wrong):
        family = case[2].family
        # other mistakes than these can't rewrite what is malformed
        is_malformed = case[2].gap is None and not case[2].violations
        asked = ((v, v) for v in zip(generic(family))) if is_malformed else _single(family)
        causes = (together for together in asked if not together[0][0].is_remark)
        alone = [together[0] for together in causes if _explains(together, *case)]
        for mistakes in alone:
            if mistakes not in made[_names(mistakes)]:
                made[_names(mistakes)].append(mistakes)
            explains[_names(mistakes)].add(i)
        if not alone and not is_malformed:
            unexplained[family].append(i)
    for family, left in unexplained.items():
        for together in _promising(family, [wrong[i] for i in left]):
            made[_names(together[0])].append(together[0])
            explains[_names(together[0])] |= {i for i in left if _explains(together, *wrong[i])}
    suspects = []
    for n, names in enumerate(sorted(explains, key=lambda names: -len(explains[names]))):
        about = {
            f for ms in made[names] for f in ms[0].families if all(f in m.families for m in ms)
        }
        told = sum(str(problem["family"]) in about for problem, _, _ in wrong)
        if n < ASKED:  # each question costs a judgement of every right answer
            told += sum(any(_spoils(ms, *case) for ms in made[names]) for case in right)
        suspects.append(Suspect(made[names][0], len(explains[names]), told))
    return sorted(suspects, key=lambda s: (-s.explained, s.told))


def strongest(suspects: Sequence[Suspect]) -> list[Suspect]:
    """The suspects without those that some answers speak against, beside one without any."""
    full = [s for s in suspects if s.explained == s.told]

    def is_beaten(weak: Suspect) -> bool:
        mine = {family for mistake in weak.mistakes for family in mistake.families}
        return any(s.explained >= weak.explained and mine & {*s.mistakes[0].families} for s in full)

    return [s for s in suspects if s in full or not is_beaten(s)]


def _judged(problem: Record, answer: Record) -> Verdict:
    """The verdict; an answer about rows or classes that the problem hasn't is refuted, too."""
    name = str(problem["family"])
    try:
        return family_of(name).judge(problem, answer, default_gap(name), None)
    except FormatError as error:
        return Verdict("REFUTED", name, str(error), None, default_gap(name), None)


def _promising(family: str, answers: list[tuple[Record, Record, Verdict]]) -> Iterator[Together]:
    """Pairs that explain one of the smallest answers that nothing alone explains."""
    smallest = sorted(answers, key=lambda a: len(str(a[0])))[:SMALLEST]
    for together in _pairs(family):
        for problem, answer, verdict in smallest:
            if by_chance(problem, answer, verdict, PAIR_BITS):
                continue
            if _explains(together, problem, answer, verdict):
                yield together
                break


def _spoils(mistakes: Sequence[Mistake], problem: Record, answer: Record) -> bool:
    """Whether a program with one of the mistakes would have answered wrong, in the same fields.

    So it would where what it answers is malformed, such as multipliers of bounds that it ignores.
    """
    for mistake in mistakes:
        made = mistake.made(problem)
        shown = {field: made[field] for field in answer if field in made} if made else {}
        if shown and _judged(problem, shown).status == "REFUTED":
            return True
    return False


def _explains(together: Together, problem: Record, answer: Record, verdict: Verdict) -> bool:
    """Whether mistakes made at once make a refuted answer right."""
    return any(e.verdict for e in _explained(together, problem, answer, verdict))


def _explained(
    together: Together, problem: Record, answer: Record, verdict: Verdict
) -> list[Explanation]:
    mistakes, tried = together
    if not any(m.of_stated for m in mistakes):
        problem = {name: value for name, value in problem.items() if name != "stated"}
    found = explained_by(tried, problem, answer, verdict)
    return [replace(e, mistakes=mistakes) for e in found if e is not None]


def _single(family: str) -> Iterator[Together]:
    """Each mistake of the family, the conventions that `check` knows, and what is left out."""
    known: dict[str, tuple[Mistake, ...]] = {m.id: (m,) for m in mistakes_of(family)}
    for mistakes in hints_of(family):
        known.setdefault(_names(mistakes), mistakes)
    known |= {mistake.id: (mistake,) for mistake in generic(family)}
    return ((mistakes, mistakes) for mistakes in known.values())


def _pairs(family: str) -> Iterator[Together]:
    """Each two mistakes; those that change the problem go first, and two of a run go at once."""
    known = sorted(mistakes_of(family), key=lambda m: m.problem is None)
    for a, b in combinations(known, 2):
        both = a.together(b)
        mistakes = (a, b)
        yield mistakes, mistakes if both is None else (both,)
