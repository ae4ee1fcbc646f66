"""The votes of boosted classifiers, and what may be claimed of them.

Covers lines 11 and 12 of [lu, "The AdaBoost.MH Algorithm"].

    g       votes of each row: one number for two classes, positive for the second; k numbers for
            labels, or for classes where each base classifier names one
    ties    sgn(0) is undefined, and so is an arg max of several: every reading of them is admitted,
            and of votes that are no further apart than rounding can have made them
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from refmc.checker.boosting.amounts import BITS, Amount
from refmc.checker.boosting.weights import Table, Weights
from refmc.checker.parts import Part, bounded_claim, refuted
from refmc.checker.printing import short_text
from refmc.checker.verdict import Place, Violation

MAX_SUMS = 10_000  # of weights of tied items, which may count as right or as wrong


@dataclass(frozen=True)
class Votes:
    """The votes Σ_t mark_t α_t; items with the same marks in all rounds share one sum.

    `histories`: for each item its marks so far, plus 1 each, as the digits of a number to base 3.
    `amounts`: the vote of each history that occurs. `size`: Σ |α_t|, the same for every vote.
    """

    histories: tuple[tuple[int, ...], ...]
    amounts: dict[int, Amount] = field(default_factory=lambda: {0: Amount()})
    size: Amount = field(default_factory=Amount)

    def added(self, alpha: Amount, marks: Table) -> "Votes":
        """The votes with those of one more round; a mark is −1, 0 or 1 times its α.

        >>> votes = no_votes(1, 2).added(Amount(Fraction(2)), [(1, -1)])
        >>> [votes.amounts[h].rational for h in votes.histories[0]]
        [Fraction(2, 1), Fraction(-2, 1)]
        """
        pairs = zip(self.histories, marks, strict=True)
        histories = tuple(
            tuple(3 * h + mark + 1 for h, mark in zip(*pair, strict=True)) for pair in pairs
        )
        occurring = {h for row in histories for h in row}
        by_mark = [alpha.times(mark) for mark in (-1, 0, 1)]
        amounts = {h: self.amounts[h // 3].plus(by_mark[h % 3]) for h in occurring}
        return Votes(histories, amounts, self.size.plus(alpha.times(alpha.sign())))

    def best(self, apart: Fraction) -> list[tuple[int, ...]]:
        """For each row the positions of its votes that are at most so far from the largest.

        >>> votes = no_votes(1, 2).added(Amount(Fraction(2)), [(0, 1)])
        >>> votes.best(Fraction(1)), votes.best(Fraction(2))
        ([(1,)], [(0, 1)])
        """
        found = {row: _best([self.amounts[h] for h in row], apart) for row in set(self.histories)}
        return [found[row] for row in self.histories]

    def signs(self, apart: Fraction) -> list[tuple[int, ...]]:
        """−1 or 1 for each vote, 0 where it is at most so far from 0."""
        sides = {h: vote.side(apart) for h, vote in self.amounts.items()}
        return [tuple(sides[h] for h in row) for row in self.histories]


def no_votes(m: int, width: int) -> Votes:
    """The votes before the first round.

    >>> no_votes(1, 2).signs(Fraction(0)), no_votes(1, 2).best(Fraction(0))
    ([(0, 0)], [(0, 1)])
    """
    return Votes(((0,) * width,) * m)


def votes_of(scores: Sequence[Sequence[Fraction]]) -> Votes:
    """Submitted scores as votes; equal ones share a number in the place of a history.

    >>> votes_of([[Fraction(1), Fraction(-1)]]).signs(Fraction(0))
    [(1, -1)]
    """
    number = {v: n for n, v in enumerate(dict.fromkeys(v for row in scores for v in row))}
    histories = tuple(tuple(number[v] for v in row) for row in scores)
    return Votes(histories, {n: Amount(v) for v, n in number.items()})


def _best(votes: Sequence[Amount], apart: Fraction) -> tuple[int, ...]:
    largest = votes[0]
    for vote in votes:
        if vote.minus(largest).sign() > 0:
            largest = vote
    least = largest.minus(Amount(apart))
    return tuple(l for l, vote in enumerate(votes) if vote.minus(least).sign() >= 0)


def loss_claim(
    place: str,
    claim: Fraction,
    weights: Weights,
    is_right: Iterable[Sequence[bool | None]],
    allowed: Fraction,
) -> Part:
    """A claimed share of D_1 on which the votes are wrong; None is tied, and may count as either.

    `allowed` is relative to the share itself, a sum of weights.

    >>> ones = Weights(((1,), (1,)))
    >>> loss_claim("loss", Fraction(1, 2), ones, [[None], [True]], Fraction(0)).status
    'VERIFIED'
    >>> loss_claim("loss", Fraction(1, 4), ones, [[None], [True]], Fraction(0)).violations[0].text
    '1/4, but the votes are wrong on 0 to 1/2 of the weight'
    """
    flat = [pair for row in zip(weights.rows, is_right, strict=True) for pair in zip(*row)]
    wrong = sum(v for v, right in flat if right is False)
    tied = [v for v, right in flat if right is None]
    sums = {wrong}
    for v in tied:
        sums |= {s + v for s in sums}
        if len(sums) > MAX_SUMS:
            return Part("INCONCLUSIVE", hint="too many votes are tied to judge the loss")
    total = weights.total
    off, scale = min((abs(claim - Fraction(s, total)), Fraction(s, total)) for s in sums)
    if off <= allowed * scale:
        return Part("VERIFIED", off, scale=scale)
    low, high = (short_text(Fraction(s, total)) for s in (wrong, wrong + sum(tied)))
    share = low if low == high else f"{low} to {high}"
    text = f"{short_text(claim)}, but the votes are wrong on {share} of the weight"
    return Part("REFUTED", off, (Violation(place, text, off),), scale=scale)


def _entry(field: str, i: int, label: str) -> Place:
    """The place of a row's claim, or of one of its labels."""
    row = Place(f"{field}: row {i}", {"field": field, "row": i})
    return row.then(f"label {label}", {"class": label}) if label else row


def score_claims(
    votes: Votes, claims: Sequence[Sequence[Fraction]], names: Sequence[str], allowed: Fraction
) -> list[Part]:
    """Claimed votes against those of the rounds; `allowed` is relative to Σ α.

    >>> score_claims(no_votes(1, 1), [[Fraction(1)]], [""], Fraction(0))[0].violations[0].text
    '1, but the vote is 0'
    """
    bounds = {h: amount.enclosure(BITS) for h, amount in votes.amounts.items()}
    scale, parts = votes.size.enclosure(BITS).low, []
    for i, row in enumerate(zip(votes.histories, claims, strict=True)):
        for name, h, claim in zip(names, *row, strict=True):
            place, scales = _entry("scores", i, name), (scale, scale)
            parts.append(bounded_claim(place, claim, *bounds[h], allowed, scales, "the vote"))
    return parts


def label_claims(
    claims: Sequence[Sequence[int]],
    admitted: Sequence[Sequence[Sequence[int]]],
    names: Sequence[str],
    texts: Mapping[int, str],
    source: str,
) -> list[Part]:
    """Claimed classes or signs, each of which must be among the admitted ones.

    `names`: the label of each column of claims, if it has one; `texts`: a word for each claim;
    `source`: what admits them.

    >>> label_claims([[1]], [[(0,)]], [""], {0: "a", 1: "b"}, "votes")[0].violations[0].text
    'b, but the votes are for a'
    """
    wrong = []
    for i, row in enumerate(zip(claims, admitted, strict=True)):
        for name, claim, right in zip(names, *row, strict=True):
            if claim not in right:
                needed = " or ".join(texts[v] for v in right)
                text = f"{texts[claim]}, but the {source} are for {needed}"
                wrong.append(refuted(_entry("labels", i, name), text))
    return wrong
