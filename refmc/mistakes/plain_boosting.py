"""AdaBoost and AdaBoost.MH with stumps as a beginner writes them, with switches for mistakes.

`wrong` holds the names of the mistakes that are made; without any, what is answered is right, with
the first of tied stumps. What may stand in the place of one step of a round is a line of a table in
`boosting_steps`, which has the symbols, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, log, sqrt
from typing import Any

from refmc.core.linalg import common_denominator
from refmc.core.records import Record
from refmc.errors import FormatError
from refmc.mistakes.boosting_steps import (
    ALPHAS,
    ANSWERS,
    CHOOSING,
    DECIDED,
    ERRORS,
    FACTORS,
    HITS,
    IRRATIONAL,
    LOSSES,
    NORMALISED,
    SCORES,
    TOLD,
    TRIED,
    TRIED_COLUMNS,
    UPDATES,
    VOTES,
    ZS,
    Answers,
    Weights,
    divided,
    normalised,
    total_of,
)
from refmc.mistakes.fields import without
from refmc.mistakes.mistake import Wrong, step_of
from refmc.mistakes.transport import CLOSE, kept
from refmc.oracle.boosting.records import ADA, LabelledProblem, read_problem

Told = tuple[Answers, Fraction, Fraction]
"""The answers, Z and ε of a round, as a program tells them."""

Stump = tuple[list[int], list[int]]
"""The answers of a question on the rows as signs, and those of its strict opposite."""

MOST_ALPHA = 300
"""About the largest α with exp(2α) in binary64."""

TINY = Fraction(1, 2**20)
"""How near ε may come to 0 and 1 where a program goes on all the same, if it doesn't tell."""


def boosting(problem: Record, wrong: Wrong = ()) -> dict[str, object] | None:
    """The rounds of a run, and the labels of its votes; None for other base classifiers.

    >>> run = boosting({"family": "boost.ada", "X": [[1], [2], [3]], "y": [1, -1, 1], "rounds": 1})
    >>> run["rounds"][0]["epsilon"], run["rounds"][0]["alpha"], run["stopped"]
    (Fraction(1, 3), {'ln': {'2': '1/2', '1': '-1/2'}}, 'rounds')
    """
    found = boosting_with_state(problem, wrong)
    if found is None:
        return None
    rounds: Any = found["rounds"]
    return {**without(found, "scores"), "rounds": [without(r, "D", "Z", "loss") for r in rounds]}


def boosting_with_state(
    problem: Record, wrong: Wrong = (), rate: float = 1, told: Sequence[Told] = ()
) -> dict[str, object] | None:
    """The same with D, Z and loss of each round and the votes; every α is multiplied by the rate.

    Of tied stumps those are taken that are `told`, in further rounds the last of them. Z is
    2√(ε(1 − ε)), or the sum of the next weights or what they are divided by, if that is nearer to
    what is `told`, as is an ε next to 0.
    """
    asked = _asked(problem)
    if asked is None:
        return None
    run = _Run(asked, frozenset(wrong), rate, told)
    while len(run.rounds) < asked.read.asked.rounds and run.goes_on():
        pass
    rounds = run.rounds
    if "D_of_end" in wrong:
        rounds = [{**r, "D": _as_rows(asked.read, run.D)} for r in rounds]
    return {"rounds": rounds, "stopped": run.stopped, **_voting(run)}


@dataclass(frozen=True, eq=False)
class _Asked:
    """What all runs on a problem share; of each column the stumps, from its least threshold."""

    read: LabelledProblem
    c: Answers
    D: Weights
    columns: list[list[Stump]]


@kept
def _asked(problem: Record) -> _Asked | None:
    read = read_problem(problem)
    p = read.asked
    if p.kind not in ("classes", "one_sign") or p.rule != "half_log" or p.X is None:
        return None
    if any(isinstance(v, str) for x in p.X for v in x):
        return None
    stumps = [_stumps([*map(Fraction, column)]) for column in zip(*p.X)]
    return _Asked(read, truth_of(read), first_weights(read), stumps)


def _stumps(column: Sequence[Fraction]) -> list[Stump]:
    return [
        ([1 if v <= a else -1 for v in column], [1 if v >= a else -1 for v in column])
        for a in sorted({*column})[:-1]
    ]


class _Run:
    """A run on the way: D, exp(2g) before and after each round, and the rounds so far."""

    def __init__(
        self, asked: _Asked, wrong: frozenset[str], rate: float, told: Sequence[Told]
    ) -> None:
        self.asked, self.wrong, self.rate, self.told = asked, wrong, rate, told
        self.D_1 = self.D = _begun(asked, wrong)
        self.votes: list[Weights] = [[[Fraction(1)] * len(row) for row in asked.c]]
        self.alone = self.votes[0]  # those of the last round alone
        self.rounds, self.stopped = list[dict[str, Any]](), "rounds"
        self.odds, self.h, self.alphas = list[Fraction](), list[Answers](), list[Any]()
        self.before = 0.0  # the right α of the round before
        self.best: tuple[Answers, Fraction] | None = None

    def goes_on(self) -> bool:
        """Make a round; whether another one may follow."""
        wrong, read, c, t = self.wrong, self.asked.read, self.asked.c, len(self.rounds) + 1
        given = self.told[t - 1 : t] or self.told[-1:]
        seen = _seen(self.D, self.D_1, wrong)
        h, epsilon = self._chosen(seen, [base for base, *_ in given])
        round_ = {"t": t, "base": base_as(read, h), "epsilon": epsilon}
        round_["D"] = _as_rows(read, self.D if {"D_goes_on", "last_row_unseen"} & wrong else seen)
        if epsilon >= Fraction(1, 2) and "no_better_than_chance" not in wrong:
            self.stopped = "no_edge"
            if "no_edge_told" not in wrong:
                return False
        if epsilon == 0 and "perfect_round" not in wrong:
            self.stopped = "perfect"
            if "perfect_left_out" not in wrong:
                self.rounds.append({**round_, "alpha": None})
                self.votes.append(_one_vote(h))
                self.alone = _one_vote(h)
            return False
        # A program that goes on after a perfect round clips ε, or α would be infinite.
        least = min([TINY, *(told for *_, told in given if told > 0)])
        epsilon = min(max(epsilon, least), 1 - least)
        round_ |= {"epsilon": epsilon, "alpha": self._voted(h, epsilon)}
        Z = self._reweighted(seen, epsilon, [Z for _, Z, _ in given])
        loss = step_of(LOSSES, wrong)(self.D_1, c, self.votes, self.alone)
        round_ |= {"Z": Z, "loss": loss}
        round_["epsilon"] = step_of(TOLD, wrong)(epsilon, self.D, self.D_1, c, h)
        if "D_of_next" in wrong:
            round_["D"] = _as_rows(read, self.D)
        self.rounds.append(round_)
        return self.stopped != "no_edge" and ("ends_without_loss" not in wrong or loss != 0)

    def _chosen(self, seen: Weights, given: Sequence[Answers]) -> tuple[Answers, Fraction]:
        """The stump of a round, with its ε: the given one, if there is one and it ties with the
        best. What is the best before must be beaten.
        """
        wrong, c = self.wrong & CHOOSING, self.asked.c
        # Of weights only the ratios matter, so that they are whole numbers here, for speed.
        whole = (common_denominator(one)[0] for one in (seen, self.D_1))
        D, D_1 = list[Any](tuple(map(tuple, one)) for one in whole)
        second = best = self.best and (self.best[0], self.best[1] * total_of(D))
        for h, value in _scored(self.asked, D, D_1, wrong):
            later = best is not None and value == best[1] and "last_of_tied" in wrong
            if best is None or value < best[1] or later:
                best, second = (h, value), best
        if best is None:
            raise FormatError("no question is left")
        if "not_the_least" in wrong and second is not None and 2 * second[1] < total_of(D):
            best = second
        score, least = step_of(SCORES, wrong), best[1]
        tied = (h for h in given if abs(score(D, D_1, c, h) - least) <= CLOSE * abs(least))
        h = next(tied, best[0])
        epsilon = step_of(ERRORS, self.wrong)(seen, self.D_1, c, h)
        epsilon = self.best[1] if self.best and h is self.best[0] else epsilon
        self.best = (h, epsilon) if "best_kept" in self.wrong else None
        return h, epsilon

    def _voted(self, h: Answers, epsilon: Fraction) -> Any:
        """Adds the votes of a round; the α that is told of it."""
        alpha, odds = self._alpha(epsilon)
        self.before = log((1 - epsilon) / epsilon) / 2
        self.alphas.append(alpha)
        self.odds.append(odds)
        self.h.append(h)
        self.alone, votes = _one_vote(h), self.votes[-1]
        up = step_of(VOTES, self.wrong)(self.odds)
        down = 1 / up
        voted = [[u * (up if v > 0 else down) for u, v in zip(*rows)] for rows in zip(votes, h)]
        self.votes.append(self.alone if "labels_of_last" in self.wrong else voted)
        if "alpha_told_late" not in self.wrong:
            return alpha
        return [0 if "late_from_0" in self.wrong else alpha, *self.alphas][-2]

    def _alpha(self, epsilon: Fraction) -> tuple[Any, Fraction]:
        """α, exact where it can be, with exp(2α)."""
        odds, wrong, read = (1 - epsilon) / epsilon, self.wrong, self.asked.read
        if not ALPHAS.keys() & wrong:
            share = "1" if "half_missing" in wrong else "1/2"
            top, bottom = str(odds.numerator), str(odds.denominator)
            terms: dict[str, str] = {top: share, bottom: f"-{share}"} if odds != 1 else {}
            return {"ln": terms}, odds * odds if "half_missing" in wrong else odds
        of_epsilon = step_of(ALPHAS, wrong)
        alpha = self.rate * of_epsilon(float(epsilon), self.before, read.asked.k, read.m)
        if abs(alpha) > MOST_ALPHA:
            raise FormatError("α is beyond what such a program can compute with")
        return Fraction(alpha), Fraction(exp(2 * alpha))

    def _reweighted(self, seen: Weights, epsilon: Fraction, near: Sequence[Fraction]) -> Fraction:
        """Makes D that of the next round; Z."""
        wrong, c, D_1 = self.wrong, self.asked.c, self.D_1
        Z = Fraction(step_of(ZS, wrong)(float(epsilon)))
        if {"weights_logistic", "whole_vote_multiplied"} & wrong:
            D, total = _by_margins(seen, D_1, c, self.votes[-1], Z, wrong)
        else:
            old = D_1 if "weights_from_first" in wrong else self.D
            odds, by = step_of(UPDATES, wrong)(self.odds), step_of(ANSWERS, wrong)(self.h)
            D, total = _updated(old, c, by, odds, Z, wrong)
        Z = min(Z, total, total / total_of(D), key=lambda one: abs(one - [*near, Z][0]))
        if "Z_multiplied" in wrong and self.rounds:
            Z *= self.rounds[-1]["Z"]
        if "weights_each_round" in wrong:
            D = normalised([[d * own for d, own in zip(*row)] for row in zip(D, D_1)])
        self.D = D
        return Z


def _seen(D: Weights, D_1: Weights, wrong: Wrong) -> Weights:
    """The weights under which base classifiers are chosen."""
    if "last_row_unseen" in wrong:
        return [*D[:-1], [Fraction(0)] * len(D[-1])]
    return D_1 if "weights_unused" in wrong else D


def _voting(run: _Run) -> dict[str, object]:
    """The labels of votes, and the scores, which are those of a perfect round alone."""
    read, wrong, votes = run.asked.read, run.wrong, run.votes[-1]
    decide = run.alone if "only_labels_of_last" in wrong else votes
    labels = _labels(read, step_of(DECIDED, wrong)(decide), "last_of_tied" not in wrong)
    scores = [[Fraction(log(v) / 2) for v in row] for row in votes]
    is_perfect = run.stopped == "perfect" and "perfect_left_out" not in wrong
    if is_perfect or {"labels_as_scores", "labels_of_last"} & wrong:
        scores = [[Fraction(1 if v > 0 else -1) for v in row] for row in scores]
    return {"labels": labels, "scores": _as_rows(read, scores)}


def _begun(asked: _Asked, wrong: Wrong) -> Weights:
    D, weights = asked.D, asked.read.asked.weights
    given = sum(map(Fraction, weights or [Fraction(len(D))]), Fraction(0))
    begun = {"begun_over_rows": len(D) / given, "begun_as_given": 1 / given}
    begun["begun_for_each_label"] = Fraction(1, len(D[0]))
    if not begun.keys().isdisjoint(wrong):
        return divided(D, step_of(begun, wrong))
    if "own_labels_heavier" not in wrong:
        return D
    shares = [[Fraction(len(own), 2 * list(own).count(v)) for v in own] for own in asked.c]
    return [[d * share for d, share in zip(*row)] for row in zip(D, shares)]


def _one_vote(h: Answers) -> Weights:
    """exp(2g) of a base classifier alone, up to a power."""
    return [[Fraction(2) ** v for v in row] for row in h]


@lru_cache(maxsize=64)  # runs with different mistakes have many weights in common
def _scored(
    asked: _Asked, D: Any, D_1: Any, wrong: frozenset[str]
) -> list[tuple[Answers, Fraction]]:
    """Each stump with its best signs, and what is least of the one that is taken."""
    score, found = step_of(SCORES, wrong), list[tuple[Answers, Fraction]]()
    by_count = not {"signs_by_count", "choice_unweighted"}.isdisjoint(wrong)
    stumps = [] if "no_constants" in wrong else [([1] * len(D), [-1] * len(D))]
    for column in step_of(TRIED_COLUMNS, wrong)(asked.columns):
        stumps += step_of(TRIED, wrong)(column)
    for phi, opposite in stumps:
        v = _signs(phi, D_1 if by_count else D, asked.c, wrong)
        h = [[s * sign for sign in v] for s in phi]
        value = score(D, D_1, asked.c, h)
        if "reversed_stump_boundary" in wrong:
            h = [[s if sign > 0 else o for sign in v] for s, o in zip(phi, opposite)]
        found.append((h, value))
    return found


def _signs(phi: Sequence[int], D: Weights, c: Answers, wrong: Wrong) -> list[int]:
    """The best sign of a question for each label."""
    edges = [
        sum([row[l] * s * labels[l] for row, s, labels in zip(D, phi, c)], 0 * D[0][0])
        for l in range(len(c[0]))
    ]
    if "one_sign_for_all" in wrong:
        edges = [sum(edges, 0 * D[0][0])] * len(edges)
    is_up = not {"one_sided", "chosen_by_edge"}.isdisjoint(wrong)
    return [1 if edge >= 0 or is_up else -1 for edge in edges]


def truth_of(read: LabelledProblem) -> Answers:
    """The labels of the rows as signs: one for each row of two classes, else one for each label."""
    return signs_as(read, read.asked.truth)


def first_weights(read: LabelledProblem) -> list[list[Fraction]]:
    """D_1: shares of the rows' weights, the same for each label."""
    width = len(truth_of(read)[0])
    given = read.asked.weights or [Fraction(1)] * read.m
    total = sum(map(Fraction, given)) * width
    return [[Fraction(weight) / total] * width for weight in given]


def signs_as(read: LabelledProblem, answers: Answers) -> Answers:
    """Positions of two classes as signs; other answers are signs already."""
    return [[2 * c - 1] for (c,) in answers] if read.asked.family == ADA else answers


def _updated(
    D: Weights, c: Answers, h: Answers, odds: Fraction, Z: Fraction, wrong: Wrong
) -> tuple[Weights, Fraction]:
    """The next weights, where exp(2α) are the odds, and their sum before they are normalised."""
    right, mistaken, times = step_of(FACTORS, wrong)(odds, Fraction(sqrt(odds)))
    found = []
    for weights, own, answers in zip(D, c, h):
        hits = step_of(HITS, wrong)([y == v for y, v in zip(own, answers)])
        factors = [
            (mistaken, right)[int(hit)] if hit in (0, 1) else _between(right, mistaken, hit)
            for hit in hits
        ]
        if "own_labels_updated" in wrong:
            factors = [by if y > 0 else times for by, y in zip(factors, own)]
        found.append([d * by for d, by in zip(weights, factors)])
    total = total_of(found) / times
    found = step_of(NORMALISED, wrong)(found, times * Z)
    if IRRATIONAL & {*wrong}:
        found = [[Fraction(float(d)) for d in row] for row in found]
    return found, total


def _between(right: Fraction | int, mistaken: Fraction | int, share: Fraction) -> Fraction:
    """The product of both, to the powers of the share and of the rest."""
    return Fraction(float(right) ** float(share) * float(mistaken) ** float(1 - share))


def _by_margins(
    D: Weights, D_1: Weights, c: Answers, votes: Weights, Z: Fraction, wrong: Wrong
) -> tuple[Weights, Fraction]:
    """The same where weights are multiplied by a function of the margins c g of the votes."""
    factor: Callable[[float], float] = lambda margin: exp(-margin)
    if "weights_logistic" in wrong:
        D, factor = D_1, lambda margin: 1 / (1 + exp(margin))
    rows = zip(D, c, votes)
    found = [[Fraction(d * factor(y * log(v) / 2)) for d, y, v in zip(*row)] for row in rows]
    return step_of(NORMALISED, wrong)(found, Z), total_of(found)


def base_as(read: LabelledProblem, h: Answers) -> list[Any]:
    """What a base classifier answers, as problems and answers have it."""
    if read.asked.family == ADA:
        return [read.classes[v > 0] for (v,) in h]
    return [list(row) for row in h]


def _as_rows(read: LabelledProblem, values: Weights) -> list[Any]:
    return [v for (v,) in values] if read.asked.family == ADA else values


def _labels(read: LabelledProblem, votes: Weights, of_tied: bool) -> list[Any]:
    if read.asked.family == ADA:
        return [read.classes[v > 1 or (of_tied and v == 1)] for (v,) in votes]
    if read.asked.single:
        return [read.classes[row.index(max(row))] for row in votes]
    return [[name for name, v in zip(read.classes, row) if v >= 1] for row in votes]
