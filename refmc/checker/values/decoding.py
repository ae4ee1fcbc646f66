"""Which classes do the answers of binary classifiers choose? Decided exactly, as sets.

Covers the decoding of output codes [keshet (1)], [keshet (2)]; the votes and score sums of
one-vs-one [keshet §1.2], [karagiannis, Note 13], [chang, "Majority Vote"], [chang, "Tournament"];
and the ways to decide one-vs-all [keshet §1.1], [karagiannis, Notes 9(3) and 11], [karagiannis,
Note 10].

    M, f        the code, k rows of l entries −1, 0, +1, and the l scores of a row
    hamming     Σ_s (1 − M(r, s) sgn f_s)/2, so that s counts ½ where M(r, s) or f_s is 0
    loss        Σ_s L(M(r, s) f_s), where L is the hinge, the exponential or the logistic loss
    w_ij        the score of class i over class j of a row; w_ji = −w_ij
    votes       the number of duels that a class wins, a score of 0 counting one half;
                votes_then_sums: of the classes with most votes those of the largest score sum
    score_sum   Σ_j w_ij
    tournament  the first of the bracket meets the second, the third the fourth, and so on; of an
                odd number the last passes without a duel; the winners meet in the same way. With a
                score of 0 either may pass, so that every class that can win the last duel is among
                the best
    score       the largest score of one-vs-all
    claim       the largest sign of a score; score_among_claims: of the classes tied by sign those
                of the largest score
    each        the answer is not one class but the set of all classes of positive score, which may
                be empty; each class of score 0 may be in it or not

Differs from the lectures: arg max and arg min are the sets of all classes that attain them.

A score, a distance, a vote or a sum may be off by the allowed share of the absolute values of its
terms. A label is right if such changes can make it one of the best. A set of labels is right if it
contains all of the best, and otherwise only labels that are right in this sense; a label that is
submitted with a set must belong to it. Signs are exact, and so is what they alone decide: claims,
votes, duels and Hamming distances.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property, partial
from typing import Literal

from refmc.checker.numbers.arithmetic import sum_of
from refmc.checker.numbers.enclosures import LOSSES, Enclosure, summed
from refmc.checker.numbers.exponential_sums import MOST_BITS, compare
from refmc.checker.parts import (
    FIRST_BITS,
    Enclosed,
    Part,
    Ranged,
    combined,
    counted,
    enclosed_claim,
    ranged_claim,
    refuted,
    status_of,
)
from refmc.checker.values.nodes import NodesProblem, reached, shortfall
from refmc.checker.verdict import Place, Verdict

Row = Sequence[Fraction]

CodeRule = Literal["hamming", "hinge", "exponential", "logistic"]
PairsRule = Literal["votes", "score_sum", "votes_then_sums", "tournament"]
ScoresRule = Literal["score", "claim", "score_among_claims", "each"]


@dataclass(frozen=True, kw_only=True)
class CodeProblem:
    """A code of k rows of l entries, and m rows of l scores.

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

    @cached_property
    def margins(self) -> list[list[Row]]:
        """For each row the margins of each class."""
        return [
            [[entry * s for entry, s in zip(row, f, strict=True)] for row in self.code]
            for f in self.f
        ]

    @cached_property
    def distances(self) -> list[list[Enclosed]]:
        """For each row the sum of exponential or of logistic losses of each class."""

        def distance(margins: Row, bits: int) -> Enclosure | None:
            return summed(self.loss(z, bits) for z in margins)

        return [[cache(partial(distance, row)) for row in margins] for margins in self.margins]

    @cached_property
    def loss(self) -> Callable[[Fraction, int], Enclosure | None]:
        """The exponential or logistic loss of a margin to so many bits; none is computed twice."""
        return cache(LOSSES[self.rule])


@dataclass(frozen=True, kw_only=True)
class PairsProblem:
    """For each of m rows the k rows of w. `bracket`: the class positions of a tournament, in order.

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

    @cached_property
    def votes(self) -> list[list[Fraction]]:
        """For each row the votes for each class."""
        return [
            [
                Fraction(sum(1 + _sign(v) for s, v in enumerate(row) if s != r), 2)
                for r, row in enumerate(w)
            ]
            for w in self.w
        ]


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


ScoredProblem = CodeProblem | PairsProblem | ScoresProblem
Problem = ScoredProblem | NodesProblem


@dataclass(frozen=True, kw_only=True)
class Submission:
    """For each row a label, or all tied labels; and "distances", "votes" or "sums", m rows of k.

    >>> Submission(labels=[0]).values
    {}
    """

    labels: Sequence[int] | None = None
    label_sets: Sequence[Sequence[int]] | None = None
    values: Mapping[str, Sequence[Row]] = field(default_factory=dict)


def judge(problem: Problem, given: Submission, *, allowed: Fraction) -> Verdict:
    """Judge each number by itself, and the label and the set of labels of a row together.

    >>> tied, nothing = ScoresProblem(scores=[[Fraction(-1)] * 3]), Fraction(0)
    >>> judge(tied, Submission(labels=[2], label_sets=[[0, 1, 2]]), allowed=nothing).status
    'VERIFIED'
    >>> print(judge(tied, Submission(label_sets=[[0, 2]]), allowed=nothing).explain())
    REFUTED  ova.decode  1 row, 3 classes, score
      worst    row 0: labels 0, 2, but the best are 0, 1, 2
    """
    m, k = problem.shape
    summary = f"{counted(m, 'row')}, {counted(k, 'class', 'classes')}, {problem.rule}"
    return combined(problem.family, summary, _parts(problem, given, allowed), allowed)


def _parts(problem: Problem, given: Submission, allowed: Fraction) -> list[Part]:
    parts = []
    for name, rows in given.values.items():
        for i, row in enumerate(rows):
            parts += _judge_numbers(problem, name, i, row, allowed)
    if given.labels is not None or given.label_sets is not None:
        for i in range(problem.shape[0]):
            parts += _judge_labels(problem, given, i, allowed)
    return parts


def _judge_numbers(
    problem: Problem, name: str, i: int, claims: Row, allowed: Fraction
) -> list[Part]:
    """The verdicts on the numbers of this name that are claimed for the classes at a row."""
    pairs = []
    for r, claim in enumerate(claims):
        label = _class(problem, r)
        at: dict[str, int | str] = {"field": name, "row": i, "class": label}
        pairs.append((Place(f"row {i}, {name} of class {label}", at), claim))
    if isinstance(problem, CodeProblem) and problem.rule in ("exponential", "logistic"):
        found = zip(pairs, problem.distances[i], strict=True)
        return [enclosed_claim(place, d, claim, allowed) for (place, claim), d in found]
    if isinstance(problem, CodeProblem) and problem.rule == "hinge":
        right = _hinge_distances(problem, i, allowed)
    elif isinstance(problem, CodeProblem):
        right = [Ranged.of(d, d, allowed) for d in _hamming_distances(problem, i)]
    elif isinstance(problem, PairsProblem) and name == "votes":
        right = [Ranged.of(v, v, allowed) for v in problem.votes[i]]
    else:
        assert isinstance(problem, PairsProblem)
        right = _score_sums(problem, i, allowed)
    return [ranged_claim(*pair, ranged) for pair, ranged in zip(pairs, right, strict=True)]


def _judge_labels(problem: Problem, given: Submission, i: int, allowed: Fraction) -> list[Part]:
    """The verdicts on the label and on the set of labels of a row.

    Of a set two things are asked: that it holds every best class, whatever is allowed, and that
    each other class in it may be a best one after changes that are allowed.
    """
    row = Place.of("row", i)
    if problem.rule == "each":
        return [_judge_each(problem, i, set((given.label_sets or ())[i]))]
    best = _best(problem, i)
    if best is None:
        return [Part("INCONCLUSIVE", hint=_too_near(i))]
    label = None if given.labels is None else given.labels[i]
    chosen = None if given.label_sets is None else set(given.label_sets[i])
    others = (chosen or set()) | (set() if label is None else {label})
    found = {r: _shortfall(problem, i, r, best, allowed) for r in sorted(others - best)}
    beyond = {r for r, part in found.items() if part.status == "REFUTED"}
    needs = f"but the best {'is' if len(best) == 1 else 'are'} {_classes(problem, best)}"
    parts = [part for part in found.values() if part.status != "REFUTED"]
    if label is not None and label in beyond:
        parts.append(refuted(row, f"label {_class(problem, label)}, {needs}"))
    if chosen is not None:
        off = len(best - chosen) + len(chosen & beyond)
        if off:
            text = f"labels {_classes(problem, chosen)}, {needs}"
            parts.append(refuted(row, text, Fraction(off)))
        elif label is not None and label not in chosen:
            text = f"label {_class(problem, label)}, but the labels are {_classes(problem, chosen)}"
            parts.append(refuted(row, text))
    return parts


def _judge_each(problem: ScoresProblem, i: int, chosen: set[int]) -> Part:
    """Whether the classes of positive scores are chosen, and none of a negative one."""
    signs = list(map(_sign, problem.scores[i]))
    claim = {r for r, sign in enumerate(signs) if sign > 0}
    off = (claim - chosen) | {r for r in chosen if signs[r] < 0}
    if not off:
        return Part("VERIFIED")
    needs = f"but those that claim the row are {_classes(problem, claim) or 'none'}"
    text = f"labels {_classes(problem, chosen) or 'none'}, {needs}"
    return refuted(Place.of("row", i), text, Fraction(len(off)))


def _too_near(i: int) -> str:
    return f"row {i}: two distances that differ agree in {MOST_BITS} binary digits"


def _class(problem: Problem, r: int) -> str:
    return problem.classes[r] if problem.classes else str(r)


def _classes(problem: Problem, positions: Iterable[int]) -> str:
    return ", ".join(_class(problem, r) for r in sorted(positions))


def _best(problem: Problem, i: int) -> set[int] | None:
    """The positions of all best classes; None where two distances can't be told apart."""
    if isinstance(problem, NodesProblem):
        return reached(problem, i)
    if isinstance(problem, CodeProblem) and problem.rule in ("exponential", "logistic"):
        return _nearest(problem, i)
    if isinstance(problem, PairsProblem) and problem.rule == "tournament":
        return _champions(problem, i)
    exact, ranged = _numbers(problem, i, Fraction(0))
    among = None if exact is None else _largest(exact)
    return among if ranged is None else _largest([number.value for number in ranged], among)


def _numbers(
    problem: ScoredProblem, i: int, allowed: Fraction
) -> tuple[Row | None, list[Ranged] | None]:
    """The numbers that choose a class, the larger the better: first exact ones, which signs alone
    decide, and then, among the classes where these are largest, those with a range."""
    if isinstance(problem, CodeProblem):
        if problem.rule == "hamming":
            return [-d for d in _hamming_distances(problem, i)], None
        distances = _hinge_distances(problem, i, allowed)
        return None, [Ranged(-d.value, -d.high, -d.low, d.size) for d in distances]
    if isinstance(problem, PairsProblem):
        votes = None if problem.rule == "score_sum" else problem.votes[i]
        if problem.rule == "votes":
            return votes, None
        return votes, _score_sums(problem, i, allowed)
    scores = problem.scores[i]
    signs = None if problem.rule == "score" else [Fraction(_sign(score)) for score in scores]
    if problem.rule == "claim":
        return signs, None
    return signs, [Ranged.of(score, abs(score), allowed) for score in scores]


def _largest(values: Row, among: Iterable[int] | None = None) -> set[int]:
    """The positions of the largest values, of all of them or among some."""
    positions = list(range(len(values)) if among is None else among)
    largest = max(values[r] for r in positions)
    return {r for r in positions if values[r] == largest}


def _sign(value: Fraction) -> int:
    top = value.numerator  # comparing the Fraction itself takes several times as long
    return (top > 0) - (top < 0)


def _shortfall(problem: Problem, i: int, r: int, best: set[int], allowed: Fraction) -> Part:
    """By how much a class misses the best; VERIFIED if changes that are allowed make up for it."""
    if isinstance(problem, NodesProblem):
        return shortfall(problem, i, r, allowed)
    top = min(best)
    if problem.rule == "exponential" or problem.rule == "logistic":
        margins, distances = problem.margins[i], problem.distances[i]
        order = compare(problem.rule, margins[r], margins[top], allowed)
        if order is None:
            return Part("INCONCLUSIVE", hint=_too_near(i))
        far, near = distances[r](FIRST_BITS), distances[top](FIRST_BITS)
        if order > 0 or far is None or near is None:
            return Part(status_of(True, order > 0))
        gap = max(far.high - near.low, near.high - far.low)
        return Part("VERIFIED", gap, scale=far.low + near.low)
    if problem.rule == "tournament":
        return Part("REFUTED")
    exact, ranged = _numbers(problem, i, allowed)
    if ranged is None or (exact is not None and r not in _largest(exact)):
        return Part("REFUTED")
    mine, other = ranged[r], ranged[top]
    status = status_of(True, any(mine.high < ranged[b].low for b in best))
    return Part(status, other.value - mine.value, scale=other.size + mine.size)


def _champions(problem: PairsProblem, i: int) -> set[int]:
    """Who can win the last match. The sides of a match share no class: any tie goes either way."""
    assert problem.bracket is not None
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


def _hamming_distances(problem: CodeProblem, i: int) -> list[Fraction]:
    signs = list(map(_sign, problem.f[i]))
    return [
        Fraction(sum(1 - entry * sign for entry, sign in zip(row, signs, strict=True)), 2)
        for row in problem.code
    ]


def _hinge_distances(problem: CodeProblem, i: int, allowed: Fraction) -> list[Ranged]:
    return [
        Ranged.of_hinges(Ranged.of(1 - z, 1 + abs(z), allowed) for z in row)
        for row in problem.margins[i]
    ]


def _score_sums(problem: PairsProblem, i: int, allowed: Fraction) -> list[Ranged]:
    return [Ranged.of(sum_of(row), sum_of(map(abs, row)), allowed) for row in problem.w[i]]


def _nearest(problem: CodeProblem, i: int) -> set[int] | None:
    """All rows of the code at the least distance; enclosures leave few of them to be compared."""
    assert problem.rule == "exponential" or problem.rule == "logistic"
    around = [distance(FIRST_BITS) for distance in problem.distances[i]]
    highest = min((found.high for found in around if found is not None), default=None)
    near = [
        r
        for r, found in enumerate(around)
        if found is None or highest is None or found.low <= highest
    ]
    margins = problem.margins[i]
    best = near[:1]
    for r in near[1:]:
        order = compare(problem.rule, margins[r], margins[best[0]])
        if order is None:
            return None
        best = best + [r] if order == 0 else [r] if order < 0 else best
    return set(best)
