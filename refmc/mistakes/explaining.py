"""Which named mistakes make an answer.

Only the families' judges decide: a mistake explains an answer if the answer is right for the
problem that the mistake solves instead, or is a right answer as the mistake changes it. A right
answer has nothing to explain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from refmc.checker import Verdict
from refmc.core.printing import printable
from refmc.core.records import Record, at_least_0
from refmc.core.scalars import Number, without_arrays
from refmc.mistakes.all import mistakes_of
from refmc.mistakes.explanation import (
    BEYOND_CHANCE,
    EXPLAINED,
    HALF,
    ROUNDED,
    Explanation,
    Judged,
    judged_by,
    size_of,
    wrong_part,
)
from refmc.mistakes.generic import generic
from refmc.mistakes.known import hints_of
from refmc.mistakes.mistake import Mistake
from refmc.mistakes.transport import kept, same
from refmc.oracle.families import as_record, default_gap, problem_fields, read_record

PAIR_BITS = 12
"""An answer of labels alone must carry so many bits before two mistakes are looked for. There are
many pairs of mistakes, and one of them explains a shorter answer by chance."""

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


def ids_of(mistakes: Sequence[Mistake]) -> str:
    """The names of mistakes made at once, in one text."""
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
    given, submitted = without_arrays(given), without_arrays(as_record(answer, "answer"))
    name = str(given["family"])
    allowed = default_gap(name) if gap is None else at_least_0(gap, "gap")
    verdict = family.judge(given, submitted, allowed, None)
    if verdict.status != "REFUTED":
        return Diagnosis(verdict, ())
    if stated is not None:
        given = {**given, "stated": stated}
    about = Judged(given, wrong_part(given, submitted, allowed), verdict)
    alone = (e for tried in tried_alone(name) for e in explained_for(tried, about))
    found = [e for e in alone if e.tells]
    if not any(e.verdict for e in found if not e.is_remark) and about.label_bits >= PAIR_BITS:
        for pair in tried_together(name):
            found += explained_together(pair, about)
    if name == "svm.multiclass" and not any(e.verdict for e in found if not e.is_remark):
        from refmc.mistakes.unfinished import looks_unfinished  # trains an SVM

        found += looks_unfinished(about)
    found.sort(key=_rank)
    causes = tuple(e for e in found if not e.is_remark)
    return Diagnosis(verdict, causes, tuple(e for e in found if e.is_remark))


def _rank(explanation: Explanation) -> tuple[bool, Fraction, bool]:
    """What leaves least comes first; of what leaves nothing more, what is common."""
    left = explanation.left if explanation.left > ROUNDED else Fraction(0)
    return not explanation.verdict, left, any(m.is_rare for m in explanation.mistakes)


def explained_for(
    together: Together, refuted: Judged, bits: float = BEYOND_CHANCE
) -> list[Explanation]:
    """What an answer is right for instead, or nearly, if the program makes these mistakes.

    Labels must tell so many bits.
    """
    return [e for e in _judged_for(together, refuted, bits=bits) if e.explains]


def _judged_for(
    together: Together, refuted: Judged, share: Fraction = EXPLAINED, bits: float = BEYOND_CHANCE
) -> list[Explanation]:
    """What mistakes made at once leave of a gap, where it may be at most a share of it."""
    mistakes, tried = together
    if "stated" in refuted.problem and not any(m.of_stated for m in mistakes):
        kept = {name: value for name, value in refuted.problem.items() if name != "stated"}
        refuted = replace(refuted, problem=kept)
    found = judged_by(tried, refuted, share, bits)
    return [replace(e, mistakes=mistakes) for e in found if e is not None]


def explained_together(pair: Together, refuted: Judged) -> list[Explanation]:
    """What two mistakes explain of which neither alone does the same, or leaves less than half."""
    verdict, found = refuted.verdict, explained_for(pair, refuted)
    if not found:
        return []
    each = (((mistake,), (mistake,)) for mistake in pair[0])
    alone = [e for one in each for e in _judged_for(one, refuted, HALF)]
    half = size_of(verdict) * HALF
    if any(e.verdict or (verdict.gap is not None and e.left < half) for e in alone):
        return []
    others = [(refuted.problem, refuted.answer), *((e.changed, e.rewritten) for e in alone)]

    def is_known(e: Explanation) -> bool:
        return any(_is_same(e.changed, p) and _is_same(e.rewritten, a) for p, a in others)

    return [e for e in found if not is_known(e)]


def _is_same(u: Record, v: Record) -> bool:
    """Whether two records say the same, where what is left out has its default."""
    known = problem_fields(u) if "family" in u else {}
    names = u.keys() | v.keys()
    default = {n: known[n].default for n in names if n in known}
    return all(
        same(u.get(n, default.get(n)), v.get(n, default.get(n)), n, Fraction(0)) for n in names
    )


def tried_alone(family: str) -> Iterator[Together]:
    """Each mistake of the family, the conventions that `check` knows, and what is left out."""
    known: dict[str, tuple[Mistake, ...]] = {m.id: (m,) for m in mistakes_of(family)}
    for mistakes in hints_of(family):
        known.setdefault(ids_of(mistakes), mistakes)
    known |= {mistake.id: (mistake,) for mistake in generic(family)}
    return ((mistakes, mistakes) for mistakes in known.values())


def tried_together(family: str) -> Iterator[Together]:
    """Each two mistakes; those that change the problem go first, and two of a run go at once.

    All look at the same right answer to a problem, which is found once.
    """
    common = (mistake for mistake in mistakes_of(family) if not mistake.is_rare)
    known = sorted(common, key=lambda m: m.problem is None)
    rights = {mistake.right: kept(mistake.right) for mistake in known}
    tried = {mistake: mistake.together(mistake, rights[mistake.right]) for mistake in known}
    for a, b in combinations(known, 2):
        both = a.together(b, rights[a.right])
        yield (a, b), (tried[a] or a, tried[b] or b) if both is None else (both,)
