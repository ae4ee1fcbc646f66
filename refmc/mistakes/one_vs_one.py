"""What one-vs-one gets wrong: votes, sums and tournaments of scores of pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from refmc.core.records import Record, matrix
from refmc.core.sample import Label
from refmc.core.scalars import sign
from refmc.mistakes.explanation import class_count
from refmc.mistakes.fields import negating, of_unit, without
from refmc.mistakes.mistake import Mistake, Neighbours, of_program
from refmc.mistakes.transport import Program, solved
from refmc.oracle.axes import taken
from refmc.oracle.values.decoding import read_problem

ZERO = Fraction(0)

PAIRS = "ovo.decode"

OF_PAIRS = ("votes", "score_sum", "votes_then_sums")

Row = Sequence[Fraction]


def by_largest(classes: Sequence[Label], scores: Sequence[Sequence[Any]]) -> dict[str, object]:
    """The classes of the largest score of each row: all of them, and the first."""
    sets = [[classes[r] for r, v in enumerate(row) if v == max(row)] for row in scores]
    return {"labels": [tied[0] for tied in sets], "label_sets": sets}


def first_only(problem: Record) -> Record | None:
    """The first of the tied labels for all of them."""
    right = solved(problem)
    if "labels" not in right:  # sets are the decisions, not ties
        return None
    return {**right, "label_sets": [[label] for label in right["labels"]]}


def last_only(problem: Record) -> Record | None:
    """The last of the tied labels for all of them."""
    right = solved(problem)
    if "labels" not in right:
        return None
    sets = [tied[-1:] for tied in right["label_sets"]]
    return {**right, "label_sets": sets, "labels": [label for (label,) in sets]}


def _pairs_by_column(first: int) -> Neighbours:
    """The problem whose scores are taken for those of (0, 1), (0, 2), (1, 2), (0, 3) and so on, or
    (first −1) of (1, 0), (2, 0), (2, 1), (3, 0) and so on."""

    def neighbours(problem: Record, answer: Record) -> list[Record]:
        if "w" in problem:
            return []
        k, pairs = class_count(problem), matrix(problem["pairs"], "problem.pairs")
        mistaken = [(r, s) for s in range(k) for r in range(s)]
        at = [mistaken.index(pair) for pair in sorted(mistaken)]
        return [{**problem, "pairs": [[first * row[i] for i in at] for row in pairs]}]

    return neighbours


def _pairs_reversed(problem: Record, answer: Record) -> list[Record]:
    if "w" in problem:
        return []
    return [{**problem, "pairs": [row[::-1] for row in matrix(problem["pairs"], "problem.pairs")]}]


def _met(bracket: Sequence[int], partner: Callable[[int, int], int]) -> list[int]:
    """The order in which those who meet stand side by side, by the partner of the i-th of n.

    Where five or seven begin, who meets whom later may differ.
    """
    groups = [[at] for at in bracket]
    while (n := len(groups)) > 1:
        met = [(i, partner(i, n)) for i in range(n // 2)]
        waits = {*range(n)}.difference(*met)
        groups = [groups[i] + groups[j] for i, j in met] + [groups[i] for i in waits]
    return groups[0]


BRACKETS: dict[str, Callable[[list[int]], list[int]]] = {
    "first_waits": lambda bracket: bracket[::-1],
    "ends_meet": lambda bracket: _met(bracket, lambda i, n: n - 1 - i),
    "halves_meet": lambda bracket: _met(bracket, lambda i, n: n // 2 + i),
}
"""The bracket of the tournament that is played instead."""


def _in_bracket(change: Callable[[list[int]], list[int]]) -> Neighbours:
    def neighbours(problem: Record, answer: Record) -> list[Record]:
        if problem.get("rule") != "tournament":
            return []
        bracket: Any = problem["bracket"]
        return [{**problem, "bracket": change(bracket)}]

    return neighbours


def _other_rules(problem: Record, answer: Record) -> list[Record]:
    own = problem.get("rule", "votes")
    rest = without(problem, "bracket")
    return [{**rest, "rule": rule} for rule in OF_PAIRS if rule != own]


def _sums_for_votes(problem: Record) -> Record | None:
    """Votes as they should be, and labels by the sums of scores."""
    if problem.get("rule", "votes") != "votes":
        return None
    right = solved(problem)
    by_sums = solved({**problem, "rule": "score_sum"})
    return {**right, "labels": by_sums["labels"], "label_sets": by_sums["label_sets"]}


def _waiting_dropped(problem: Record) -> Record | None:
    """The winner of a tournament in which nobody who waits comes back: a power of two is left."""
    if problem.get("rule") != "tournament":
        return None
    bracket: Any = problem["bracket"]
    named = {**problem, "classes": [*read_problem(problem)[1]]}
    left = sorted(bracket[: 1 << len(bracket).bit_length() - 1])
    won = solved(taken(named, "classes", left))
    return {**solved(problem), "labels": won["labels"], "label_sets": won["label_sets"]}


Duel = Callable[[Fraction, bool], Fraction | int]
"""What a class gets of its score against a rival; whether it is the first of the pair."""


def _vote(v: Fraction, is_first: bool) -> Fraction:
    return Fraction(1 + sign(v), 2)


def _score(v: Fraction, is_first: bool) -> Fraction:
    return v


def _won(v: Fraction, is_first: bool) -> int:
    return sign(v)


def _won_or_half(v: Fraction, is_first: bool) -> Fraction | int:
    return sign(v) or Fraction(1, 2)


DUELS: dict[str, tuple[Duel, Duel]] = {
    "zero_for_first": (lambda v, is_first: v > 0 or (not v and is_first), _score),
    "zero_for_second": (lambda v, is_first: v > 0 or not (v or is_first), _score),
    "zero_for_none": (lambda v, is_first: v > 0, _score),
    "zero_for_both": (lambda v, is_first: v >= 0, _score),
    "votes_by_score": (lambda v, is_first: max(v, ZERO), _score),
    "sums_of_first": (_vote, lambda v, is_first: v if is_first else ZERO),
    "sums_of_wins": (_vote, lambda v, is_first: max(v, ZERO)),
}
"""Votes and sums that a class gets otherwise from its duels."""


MIRRORS: dict[str, Callable[[Fraction], Fraction]] = {
    "mirror_not_negated": lambda v: v,
    "mirror_forgotten": lambda v: ZERO,
    "mirror_complement": lambda v: 1 - v,
}
"""What the second class of a pair has, in the place of minus the score of the first."""


def _mirrored(mirror: Callable[[Fraction], Fraction]) -> Program:
    """One-vs-one with other scores of the second classes, where those of the first are given."""

    def score(v: Fraction, is_first: bool) -> Fraction:
        return v if is_first else mirror(-v)

    by = _by_duels(lambda v, is_first: _vote(score(v, is_first), is_first), score)
    return lambda problem: None if "w" in problem else by(problem)


def _by_duels(
    vote: Duel,
    score: Duel = _score,
    last: int = 1,
    of_tied: bool = False,
    left_out: Sequence[int] = (),
) -> Program:
    """One-vs-one by other votes or sums, where a pair of classes may be left out; what is tied goes
    to the largest sum, or (last −1) to the smallest, or to that of the scores against what is tied.
    """

    def program(problem: Record) -> Record | None:
        rule = str(problem.get("rule", "votes"))
        if (last < 0 or of_tied) and rule != OF_PAIRS[2]:
            return None
        read: Any = read_problem(problem)

        def got(duel: Duel, w: Sequence[Row], rivals: Sequence[bool]) -> list[Fraction]:
            size, pair = range(len(w)), {at % len(w) for at in left_out}
            met = [[s for s in size if s != r and rivals[s] and {r, s} != pair] for r in size]
            return [sum((Fraction(duel(w[r][s], r < s)) for s in met[r]), ZERO) for r in size]

        votes, sums, keys = list[Row](), list[Row](), list[Sequence[Any]]()
        for w in read[0].w:
            votes.append(got(vote, w, [True] * len(w)))
            sums.append(got(score, w, [True] * len(w)))
            tied = [not of_tied or v == max(votes[-1]) for v in votes[-1]]
            seconds = [last * v for v in got(score, w, tied)]
            both = [*zip(votes[-1], seconds)]
            keys.append(votes[-1] if rule == "votes" else sums[-1] if rule == "score_sum" else both)
        decided = solved(problem) if rule == "tournament" else by_largest(read[1], keys)
        return {**decided, "votes": votes, "sums": sums}

    return program


def _undefeated(either: bool) -> Program:
    """The class that is left when each in turn is beaten by the next or stays; a score of 0 can end
    either way, or the class stays."""

    def program(problem: Record) -> Record:
        read: Any = read_problem(problem)
        found = []
        for w in read[0].w:
            order: Any = problem.get("bracket") or range(len(w))
            best = {order[0]}
            for other in order[1:]:
                lost = [r for r in best if w[r][other] < 0 or (either and not w[r][other])]
                kept = {r for r in best if w[r][other] >= 0}
                best = kept | {other} if lost else kept
            found.append([read[1][r] for r in sorted(best)])
        return {"labels": [tied[0] for tied in found], "label_sets": found}

    return program


def _scaled_by_the_batch(problem: Record) -> Record | None:
    """Votes with the sums of scores added, as a share of the largest sum of all rows."""
    if problem.get("rule", "votes") != "votes":
        return None
    right = solved(problem)
    votes, sums = matrix(right["votes"], "votes"), matrix(right["sums"], "sums")
    largest = max((abs(v) for row in sums for v in row), default=Fraction(0))
    if not largest:
        return None
    scores = [[v + s / (4 * largest) for v, s in zip(*rows)] for rows in zip(votes, sums)]
    return {**by_largest(read_problem(problem)[1], scores), "votes": scores}


MISTAKES: tuple[Mistake, ...] = (
    Mistake("ovo.pair_sign", (PAIRS,), negating("w", "pairs")),
    Mistake("ovo.pairs_by_column", (PAIRS,), _pairs_by_column(1)),
    Mistake("ovo.pairs_of_lower", (PAIRS,), _pairs_by_column(-1)),
    Mistake("ovo.w_transposed", (PAIRS,), negating("w")),
    *(Mistake(f"ovo.{n}", (PAIRS,), _in_bracket(of)) for n, of in BRACKETS.items()),
    Mistake("ovo.other_rule", (PAIRS,), _other_rules),
    *(of_program(f"ovo.{name}", (PAIRS,), _by_duels(*of)) for name, of in DUELS.items()),
    *(of_program(f"ovo.{name}", (PAIRS,), _mirrored(of)) for name, of in MIRRORS.items()),
    of_program("ovo.first_pair_left_out", (PAIRS,), _by_duels(_vote, left_out=(0, 1))),
    of_program("ovo.last_pair_left_out", (PAIRS,), _by_duels(_vote, left_out=(-2, -1))),
    Mistake("ovo.pairs_reversed", (PAIRS,), _pairs_reversed),
    of_program("ovo.smallest_sum", (PAIRS,), _by_duels(_vote, last=-1)),
    of_program("ovo.sums_of_tied", (PAIRS,), _by_duels(_vote, of_tied=True)),
    of_unit("ovo.mean_sums", (PAIRS,), lambda p: Fraction(1, class_count(p) - 1), "sums"),
    of_program("ovo.undefeated", (PAIRS,), _undefeated(False), _undefeated(True)),
    of_program("ovo.lost_subtracted", (PAIRS,), _by_duels(_won), _by_duels(_won_or_half)),
    of_program("ovo.ties_to_first", (PAIRS,), first_only, last_only),
    of_program("ovo.scores_not_votes", (PAIRS,), _sums_for_votes),
    of_program("ovo.waiting_dropped", (PAIRS,), _waiting_dropped),
    of_program("ovo.batch_scaling", (PAIRS,), _scaled_by_the_batch),
)
