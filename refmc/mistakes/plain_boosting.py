"""AdaBoost and AdaBoost.MH with stumps as a beginner writes them, with switches for mistakes.

`wrong` holds the names of the mistakes that are made; without any, what is answered is right, with
the first of tied stumps.

    D, c    weights and labels as signs, a number for each row and label (one label of two classes)
    odds    exp(2α), which should be (1 − ε)/ε
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from math import exp, log, sqrt
from typing import Any

from refmc.core.records import Record
from refmc.errors import FormatError
from refmc.mistakes.transport import CLOSE
from refmc.oracle.boosting.records import ADA, LabelledProblem, read_problem

Wrong = Collection[str]
Answers = Sequence[Sequence[int]]
Weights = list[list[Fraction]]


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
    rounds = [{name: v for name, v in r.items() if name != "D"} for r in rounds]
    return {**{name: v for name, v in found.items() if name != "scores"}, "rounds": rounds}


def boosting_with_state(
    problem: Record, wrong: Wrong = (), rate: float = 1, bases: Sequence[Answers] = ()
) -> dict[str, object] | None:
    """The same with D of each round and the votes; every α is multiplied by the rate.

    Of tied stumps those are taken that answer as `bases` do, in further rounds as the last of them.
    """
    read = read_problem(problem)
    p = read.asked
    if p.kind not in ("classes", "one_sign") or p.rule != "half_log" or p.X is None:
        return None
    if any(isinstance(v, str) for x in p.X for v in x):
        return None
    c, D = truth_of(read), first_weights(read)
    D_1, rounds, stopped, before = D, list[dict[str, Any]](), "rounds", 0.0
    votes = [[Fraction(1)] * len(row) for row in c]  # exp(2g)
    for t in range(1, p.rounds + 1):
        seen = D_1 if "weights_unused" in wrong else D
        ranked = D_1 if "choice_unweighted" in wrong else seen
        h = _chosen(read, ranked, wrong, bases[t - 1 : t] or bases[-1:])
        epsilon = error_of(D_1 if "epsilon_counted" in wrong else seen, c, h)
        told = {"t": t, "base": _base(read, h), "epsilon": epsilon}
        told["D"] = _as_rows(read, D if "D_goes_on" in wrong else seen)
        if epsilon >= Fraction(1, 2) and "no_better_than_chance" not in wrong:
            stopped = "no_edge"
            break
        if epsilon == 0 and "perfect_round" not in wrong:
            rounds.append({**told, "alpha": None})
            votes = [[Fraction(2) ** v for v in row] for row in h]
            stopped = "perfect"
            break
        # A program that goes on after a perfect round clips ε, or α would be infinite.
        epsilon = epsilon or Fraction(1, 2**20)
        alpha, odds = _alpha(epsilon, wrong, rate, before)
        before = log((1 - epsilon) / epsilon) / 2
        rounds.append({**told, "epsilon": epsilon, "alpha": alpha})
        votes = [[u * odds**v for u, v in zip(*rows)] for rows in zip(votes, h)]
        if "labels_of_last" in wrong:
            votes = [[Fraction(2) ** v for v in row] for row in h]
        D = _updated(D_1 if "weights_from_first" in wrong else D, c, h, odds, wrong)
        if "epsilon_after" in wrong:
            rounds[-1]["epsilon"] = error_of(D, c, h)
    found: dict[str, object] = {
        "rounds": rounds,
        "stopped": stopped,
        "labels": _labels(read, votes),
    }
    if stopped == "perfect":
        return found
    scores = [[Fraction(log(v) / 2) for v in row] for row in votes]
    if {"labels_as_scores", "labels_of_last"} & {*wrong}:
        scores = [[Fraction(1 if v > 0 else -1) for v in row] for row in scores]
    return found | {"scores": _as_rows(read, scores)}


def _chosen(read: LabelledProblem, D: Weights, wrong: Wrong, given: Sequence[Answers]) -> Answers:
    """The stump of a round: the given one, if there is one and it ties with the best."""
    c = truth_of(read)
    best, least = _best(read, D, c, wrong)
    tied = (h for h in given if abs(error_of(D, c, h) - least) <= CLOSE * least)
    return next(tied, best)


MOST_ALPHA = 300
"""About the largest α with exp(2α) in binary64."""

IRRATIONAL = ("alpha_is_edge", "alpha_of_before", "alpha_scaled")
"""Mistakes for which exp(2α) is no rational number."""


def _alpha(epsilon: Fraction, wrong: Wrong, rate: float, before: float) -> tuple[Any, Fraction]:
    """α, exact where it can be, with exp(2α); `before` is the right one of the round before."""
    odds = (1 - epsilon) / epsilon
    if not {*IRRATIONAL} & {*wrong}:
        share = "1" if "half_missing" in wrong else "1/2"
        top, bottom = str(odds.numerator), str(odds.denominator)
        terms: dict[str, str] = {top: share, bottom: f"-{share}"} if odds != 1 else {}
        return {"ln": terms}, odds * odds if "half_missing" in wrong else odds
    alpha = rate * log(odds) / 2
    if "alpha_is_edge" in wrong:
        alpha = float(1 - 2 * epsilon)
    if "alpha_of_before" in wrong:
        alpha = before
    if abs(alpha) > MOST_ALPHA:
        raise FormatError("α is beyond what such a program can compute with")
    return Fraction(alpha), Fraction(exp(2 * alpha))


def truth_of(read: LabelledProblem) -> Answers:
    """The labels of the rows as signs: one for each row of two classes, else one for each label."""
    return signs_as(read, read.asked.truth)


def first_weights(read: LabelledProblem) -> list[list[Fraction]]:
    """D_1: shares of the rows' weights, the same for each label."""
    width = len(truth_of(read)[0])
    given = read.asked.weights or [Fraction(1)] * read.m
    total = sum(map(Fraction, given)) * width
    return [[Fraction(weight) / total] * width for weight in given]


def error_of(D: Sequence[Sequence[Fraction]], truth: Answers, h: Answers) -> Fraction:
    """The sum of the weights at which the answers h are wrong."""
    rows = zip(D, truth, h, strict=True)
    wrong = (d for row in rows for d, c, v in zip(*row, strict=True) if c != v)
    return sum(wrong, Fraction(0))


def signs_as(read: LabelledProblem, answers: Answers) -> Answers:
    """Positions of two classes as signs; other answers are signs already."""
    return [[2 * c - 1] for (c,) in answers] if read.asked.family == ADA else answers


def _stumps(read: LabelledProblem) -> Iterator[tuple[list[int], list[int]]]:
    """The answers of each question on the rows as signs, and those of its strict opposite."""
    X = read.asked.X
    assert X is not None
    yield [1] * len(X), [-1] * len(X)
    for j in range(len(X[0])):
        column = [Fraction(x[j]) for x in X]
        for a in sorted(set(column))[:-1]:
            yield [1 if v <= a else -1 for v in column], [1 if v >= a else -1 for v in column]


def _best(read: LabelledProblem, D: Weights, c: Answers, wrong: Wrong) -> tuple[Answers, Fraction]:
    """The first stump of the smallest error: a question, with a sign for each label."""
    best: tuple[Answers, Fraction] | None = None
    second = best
    for phi, opposite in _stumps(read):
        edges = [
            sum((row[l] * s * labels[l] for row, s, labels in zip(D, phi, c)), Fraction(0))
            for l in range(len(c[0]))
        ]
        v = [1 if edge >= 0 or "one_sided" in wrong else -1 for edge in edges]
        h = [[s * sign for sign in v] for s in phi]
        epsilon = error_of(D, c, h)
        if "reversed_stump_boundary" in wrong:
            h = [[s if sign > 0 else o for sign in v] for s, o in zip(phi, opposite)]
        later = best is not None and epsilon == best[1] and "last_of_tied" in wrong
        if best is None or epsilon < best[1] or later:
            best, second = (h, epsilon), best
    assert best is not None
    if "not_the_least" in wrong and second is not None and second[1] < Fraction(1, 2):
        return second
    return best


def _updated(D: Weights, c: Answers, h: Answers, odds: Fraction, wrong: Wrong) -> Weights:
    """The next weights, where exp(2α) are the odds."""
    right, mistaken, root = Fraction(1), odds, Fraction(sqrt(odds))
    if "alpha_signed_weights" in wrong:
        right, mistaken = odds, Fraction(1)
    if "wrong_raised_by_root" in wrong:
        mistaken = root
    if "wrong_raised_linearly" in wrong:
        mistaken = 1 + Fraction(log(root))
    if "weights_unnormalised" in wrong:
        right, mistaken = 1 / root, root
    found = [[d * (right if y == v else mistaken) for d, y, v in zip(*row)] for row in zip(D, c, h)]
    if {"error_unnormalised", "weights_unnormalised"} & {*wrong}:
        return found
    found = _normalised(found)
    if "tiny_weights_cut" in wrong:
        least = Fraction(1, 2 * len(D) * len(D[0]))
        kept = [[d if d >= least else Fraction(0) for d in row] for row in found]
        found = _normalised(kept)
    if {"wrong_raised_by_root", "wrong_raised_linearly", *IRRATIONAL} & {
        *wrong
    }:  # or digits would double every round
        found = [[Fraction(float(d)) for d in row] for row in found]
    return found


def _normalised(D: Weights) -> Weights:
    total = sum((d for row in D for d in row), Fraction(0))
    return [[d / total for d in row] for row in D]


def _base(read: LabelledProblem, h: Answers) -> list[Any]:
    if read.asked.family == ADA:
        return [read.classes[v > 0] for (v,) in h]
    return [list(row) for row in h]


def _as_rows(read: LabelledProblem, values: Weights) -> list[Any]:
    return [v for (v,) in values] if read.asked.family == ADA else values


def _labels(read: LabelledProblem, votes: Weights) -> list[Any]:
    if read.asked.family == ADA:
        return [read.classes[v >= 1] for (v,) in votes]
    if read.asked.single:
        return [read.classes[row.index(max(row))] for row in votes]
    return [[name for name, v in zip(read.classes, row) if v >= 1] for row in votes]
