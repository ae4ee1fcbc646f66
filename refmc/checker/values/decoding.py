"""Which classes do the answers of binary classifiers choose?  Decided exactly, as sets.

Covers the decoding of output codes [keshet (1)], [keshet (2)]; the votes and score sums of one-vs-one
[keshet §1.2], [karagiannis, Note 13], [chang, "Majority Vote"], [chang, "Tournament"]; and the ways to
decide one-vs-all [keshet §1.1], [karagiannis, Notes 9(3) and 11], [karagiannis, Note 10].

    M, f        the code, k rows of l entries -1, 0, +1, and the l scores of a row
    hamming     the sum of (1 - M(r, s) sign f_s) / 2: half for a zero of either
    loss        the sum of L(M(r, s) f_s); hinge, exponential or logistic
    w           the antisymmetric scores w[i][j] of class i over class j of a row
    votes       the duels that a class wins, half for a score of 0
    score_sum   the sum of w[i][j] over j
    tournament  the first of the bracket meets the second, the third the fourth, the last of an odd
                number waits; so with the winners.  A score of 0 lets either pass: every class that can
                be the last one is among the best
    score       the largest score of one-vs-all; claim: the largest sign of it; score_among_claims: of
                those tied by their claims the largest score

Differs from the lectures: arg max and arg min are the sets of all classes that reach them.  A label
is right if it is one of the set, a set of labels only if it is the whole of it.

A distance, a vote or a sum is VERIFIED within the allowed gap; labels know no gap.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from typing import Literal

from refmc.checker.numbers.enclosures import Enclosure, exponential, logistic, point
from refmc.checker.numbers.exponential_sums import MOST_BITS, compare
from refmc.checker.parts import Enclosed, Part, combined, counted, enclosed_claim, exactly
from refmc.checker.printing import short_text
from refmc.checker.verdict import Verdict, Violation

__all__ = ["CodeProblem", "PairsProblem", "ScoresProblem", "Submission", "judge"]

Row = Sequence[Fraction]

CodeRule = Literal["hamming", "hinge", "exponential", "logistic"]
PairsRule = Literal["votes", "score_sum", "tournament"]
ScoresRule = Literal["score", "claim", "score_among_claims"]

_FIRST_BITS = 64


@dataclass(frozen=True, kw_only=True)
class CodeProblem:
    """m rows of l scores, beside a code of k rows of l entries.

    >>> CodeProblem(code=[[1], [-1]], f=[[Fraction(0)]]).family
    'code.decode'
    """

    code: Sequence[Sequence[int]]
    f: Sequence[Row]
    rule: CodeRule = "hamming"
    classes: Sequence[str] = ()
    family = "code.decode"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and classes."""
        return len(self.f), len(self.code)


@dataclass(frozen=True, kw_only=True)
class PairsProblem:
    """For each of m rows the k rows of w; `bracket`, the class positions of a tournament.

    >>> PairsProblem(w=[[[Fraction(0)]]]).shape
    (1, 1)
    """

    w: Sequence[Sequence[Row]]
    rule: PairsRule = "votes"
    bracket: Sequence[int] | None = None
    classes: Sequence[str] = ()
    family = "ovo.decode"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and classes."""
        return len(self.w), len(self.w[0])


@dataclass(frozen=True, kw_only=True)
class ScoresProblem:
    """m rows of k scores of one-vs-all.

    >>> ScoresProblem(scores=[[Fraction(1), Fraction(2)]]).shape
    (1, 2)
    """

    scores: Sequence[Row]
    rule: ScoresRule = "score"
    classes: Sequence[str] = ()
    family = "ova.decode"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and classes."""
        return len(self.scores), len(self.scores[0])


Problem = CodeProblem | PairsProblem | ScoresProblem


@dataclass(frozen=True, kw_only=True)
class Submission:
    """A label a row; all tied labels a row; m rows of k "distances", "votes" or "sums".

    >>> Submission(labels=[0]).values
    {}
    """

    labels: Sequence[int] | None = None
    label_sets: Sequence[Sequence[int]] | None = None
    values: Mapping[str, Sequence[Row]] = field(default_factory=dict)


def judge(problem: Problem, given: Submission, *, allowed: Fraction) -> Verdict:
    """Judge all that is given, each by itself.

    >>> tied, nothing = ScoresProblem(scores=[[Fraction(-1)] * 3]), Fraction(0)
    >>> judge(tied, Submission(labels=[2], label_sets=[[0, 1, 2]]), allowed=nothing).status
    'VERIFIED'
    >>> print(judge(tied, Submission(label_sets=[[0, 2]]), allowed=nothing).explain())
    REFUTED  ova.decode  1 row, 3 classes, score
      worst    row 0: labels 0, 2, but the best are 0, 1, 2
    """
    if allowed < 0:
        raise ValueError(f"allowed must not be negative, got {short_text(allowed)}")
    m, k = problem.shape
    summary = f"{counted(m, 'row')}, {counted(k, 'class', 'classes')}, {problem.rule}"
    return combined(problem.family, summary, _parts(problem, given, allowed), allowed)


def _parts(problem: Problem, given: Submission, allowed: Fraction) -> list[Part]:
    parts = [
        enclosed_claim(
            f"row {i}, {name} of class {_class(problem, r)}", value, Fraction(row[r]), allowed
        )
        for name, rows in given.values.items()
        for i, row in enumerate(rows)
        for r, value in enumerate(_values(problem, name, i))
    ]
    if given.labels is not None or given.label_sets is not None:
        parts += _judge_labels(problem, given.labels, given.label_sets)
    return parts


def _judge_labels(
    problem: Problem, labels: Sequence[int] | None, label_sets: Sequence[Sequence[int]] | None
) -> list[Part]:
    parts = []
    for i in range(problem.shape[0]):
        tied = _tied(problem, i)
        if tied is None:
            why = f"row {i}: two distances that differ agree in {MOST_BITS} binary digits"
            parts.append(Part("INCONCLUSIVE", hint=why))
            continue
        best = f"but the best {'is' if len(tied) == 1 else 'are'} {_classes(problem, tied)}"
        if labels is not None and labels[i] not in tied:
            parts.append(_wrong(i, f"label {_class(problem, labels[i])}, {best}", 1))
        off = len(tied.symmetric_difference(tied if label_sets is None else label_sets[i]))
        if label_sets is not None and off:
            parts.append(_wrong(i, f"labels {_classes(problem, label_sets[i])}, {best}", off))
    return parts or [Part("VERIFIED")]


def _wrong(i: int, text: str, amount: int) -> Part:
    return Part("REFUTED", None, (Violation(f"row {i}", text, Fraction(amount)),))


def _class(problem: Problem, r: int) -> str:
    return problem.classes[r] if problem.classes else str(r)


def _classes(problem: Problem, positions: Iterable[int]) -> str:
    return ", ".join(_class(problem, r) for r in sorted(positions))


def _tied(problem: Problem, i: int) -> set[int] | None:
    """The positions of all best classes; None where two distances can't be told apart."""
    if isinstance(problem, CodeProblem):
        return _nearest(problem, i)
    if isinstance(problem, PairsProblem):
        if problem.rule == "tournament":
            return _champions(problem, i)
        return _largest(_votes(problem, i) if problem.rule == "votes" else _sums(problem, i))
    scores = problem.scores[i]
    if problem.rule == "score":
        return _largest(scores)
    claimed = _largest([Fraction(_sign(score)) for score in scores])
    if problem.rule == "claim":
        return claimed
    return {r for r in claimed if scores[r] == max(scores[t] for t in claimed)}


def _largest(values: Row) -> set[int]:
    return {r for r, value in enumerate(values) if value == max(values)}


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def _values(problem: Problem, name: str, i: int) -> list[Enclosed]:
    """For each class the number that `name` stands for."""
    if isinstance(problem, CodeProblem) and name == "distances":
        return _distances(problem, i)
    if isinstance(problem, PairsProblem) and name in ("votes", "sums"):
        found = _votes(problem, i) if name == "votes" else _sums(problem, i)
        return [exactly(value) for value in found]
    raise ValueError(f"{problem.family} has no {name}")


def _votes(problem: PairsProblem, i: int) -> list[Fraction]:
    half = Fraction(1, 2)
    return [
        sum((half * (1 + _sign(v)) for s, v in enumerate(row) if s != r), Fraction(0))
        for r, row in enumerate(problem.w[i])
    ]


def _sums(problem: PairsProblem, i: int) -> list[Fraction]:
    return [sum(row, Fraction(0)) for row in problem.w[i]]


def _champions(problem: PairsProblem, i: int) -> set[int]:
    """Who can be the last; the sides of a match have no class in common, so each draw is free."""
    if problem.bracket is None:
        raise ValueError("a tournament needs a bracket")
    w = problem.w[i]
    left = [{c} for c in problem.bracket]
    while len(left) > 1:
        matches = [(left[n], left[n + 1]) for n in range(0, len(left) - 1, 2)]
        passing = [
            {c for a, b in (sides, sides[::-1]) for c in a if any(w[c][d] >= 0 for d in b)}
            for sides in matches
        ]
        left = passing + left[2 * len(matches) :]
    return left[0]


def _margins(problem: CodeProblem, i: int) -> list[list[Fraction]]:
    return [[entry * s for entry, s in zip(row, problem.f[i])] for row in problem.code]


def _distances(problem: CodeProblem, i: int) -> list[Enclosed]:
    margins, one = _margins(problem, i), Fraction(1)
    if problem.rule == "hamming":
        halves = [[one - _sign(z) for z in row] for row in margins]
        return [exactly(sum(row, Fraction(0)) / 2) for row in halves]
    if problem.rule == "hinge":
        return [exactly(sum((max(one - z, Fraction(0)) for z in row), 0 * one)) for row in margins]

    @cache
    def loss(z: Fraction, bits: int) -> Enclosure | None:
        return exponential(-z, bits) if problem.rule == "exponential" else logistic(z, bits)

    def distance(row: Row, bits: int) -> Enclosure | None:
        total: Enclosure | None = point(Fraction(0))
        for z in row:
            found = loss(z, bits)
            total = None if found is None or total is None else total.plus(found)
        return total

    return [partial(distance, row) for row in margins]


def _nearest(problem: CodeProblem, i: int) -> set[int] | None:
    """All rows of the code at the least distance: enclosures leave few, which are compared."""
    around = [distance(_FIRST_BITS) for distance in _distances(problem, i)]
    highest = [found.high for found in around if found is not None]
    near = [
        r
        for r, found in enumerate(around)
        if found is None or not highest or found.low <= min(highest)
    ]
    if problem.rule == "hamming" or problem.rule == "hinge":
        return set(near)
    margins = _margins(problem, i)
    best = near[:1]
    for r in near[1:]:
        order = compare(problem.rule, margins[r], margins[best[0]])
        if order is None:
            return None
        best = best + [r] if order == 0 else [r] if order < 0 else best
    return set(best)
