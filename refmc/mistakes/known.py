"""The mistakes that `check` tries when it refutes an answer."""

from __future__ import annotations

from importlib import import_module

from refmc.checker import Verdict
from refmc.core.records import Record
from refmc.core.scalars import without_arrays
from refmc.mistakes.explanation import Judged, explanations
from refmc.mistakes.mistake import Mistake, from_file

STOPPED = "looking for a cause stopped, as it takes much work; `refmc explain` looks on"


def hints_of(family: str) -> list[tuple[Mistake, ...]]:
    """What `check` tries of a family, cheapest first; several in one tuple are tried as one.

    >>> [m.id for (m,) in hints_of("qp.convex")]
    ['svm.floats_as_text', 'qp.half_missing', 'qp.linear_sign', 'qp.equality_sign']
    """
    kind = family.partition(".")[0]
    for name, own in from_file("hints.toml").items():
        if kind in own["kinds"]:
            topic = import_module(f"refmc.mistakes.{name}")
            known = {m.id: m for m in (*topic.MISTAKES, *topic.CONVENTIONS)}
            found = (tuple(known[id] for id in ids.split()) for ids in own["tried"])
            return [mistakes for mistakes in found if family in mistakes[0].families]
    return []


def hint(problem: Record, answer: Record, verdict: Verdict) -> str:
    """What a refuted answer is right for instead, in words; "" where no mistake explains it.

    Where looking on would cost more than `MOST_WORK`, it says so.

    >>> from refmc.answers import check
    >>> problem = {"family": "svm.multiclass", "X": [[1], [-1]], "y": ["a", "b"], "C": 1}
    >>> wrong = {"W": [["-1/2"], ["1/2"]]}
    >>> hint(problem, wrong, check(problem, wrong))
    'exactly right if every score has the opposite sign [svm.sign_reversed]'
    """
    refuted = Judged(without_arrays(problem), without_arrays(answer), verdict)
    mistakes = hints_of(verdict.family)
    found, stopped = explanations(refuted, mistakes) if mistakes else ([], False)
    is_known = any(e.verdict for e in found if not e.is_remark)
    if not is_known and not stopped and verdict.family == "svm.multiclass":
        from refmc.mistakes.unfinished import looks_unfinished  # trains an SVM

        found = [*looks_unfinished(refuted), *found]
    told = [e.text() for e in found[:1]]
    return "; ".join([*told, STOPPED] if stopped and not is_known else told)
