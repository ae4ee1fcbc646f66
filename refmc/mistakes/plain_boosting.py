"""AdaBoost and AdaBoost.MH with stumps as a beginner writes them, with switches for mistakes.

`wrong` holds the names of the mistakes that are made; without any, what is answered is right, with
the first of tied stumps. A table has what may stand in the place of one step of a round.

    D, c    weights and labels as signs, a number for each row and label (one label of two classes)
    h       what a base classifier answers, in the same form
    odds    exp(2α), which should be (1 − ε)/ε
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import exp, log, sqrt
from typing import Any

from refmc.core.linalg import common_denominator
from refmc.core.records import Record
from refmc.errors import FormatError
from refmc.mistakes.mistake import Wrong, step_of
from refmc.mistakes.transport import CLOSE
from refmc.oracle.boosting.records import ADA, LabelledProblem, read_problem

Answers = Sequence[Sequence[int]]
Stumps = Sequence[tuple[list[int], list[int]]]
Weights = list[list[Fraction]]
Score = Callable[[Weights, Weights, Answers, Answers], Fraction]


def error_of(
    D: Weights, truth: Answers, h: Answers, counts: Callable[[int, int], bool] = lambda c, v: c != v
) -> Fraction:
    """The sum of the weights at which the answers h are wrong."""
    rows = zip(D, truth, h, strict=True)
    wrong = (d for row in rows for d, c, v in zip(*row, strict=True) if counts(c, v))
    return sum(wrong, 0 * D[0][0])


def _rows_wrong(D: Weights, c: Answers, h: Answers) -> Fraction:
    """The sum of the weights of rows with any wrong label."""
    return _total([d for d, own, mine in zip(D, c, h) if list(own) != list(mine)])


SCORES: dict[str, Score] = {
    "right": lambda D, D_1, c, h: error_of(D, c, h),
    "choice_unweighted": lambda D, D_1, c, h: error_of(D_1, c, h),
    "chosen_by_rows": lambda D, D_1, c, h: _rows_wrong(D, c, h),
    "chosen_by_edge": lambda D, D_1, c, h: -abs(_total(D) - 2 * error_of(D, c, h)),
}
"""What is least of the stump that is taken; the weights are those of the round and the first."""

ERRORS: dict[str, Score] = {
    "right": lambda D, D_1, c, h: error_of(D, c, h),
    "epsilon_counted": lambda D, D_1, c, h: error_of(D_1, c, h),
    "epsilon_of_rows": lambda D, D_1, c, h: _rows_wrong(D, c, h),
    "epsilon_of_own_labels": lambda D, D_1, c, h: error_of(D, c, h, lambda own, v: own > v),
}
"""ε of a base classifier."""

ALPHAS: dict[str, Callable[[float, float, int, int], float]] = {
    "alpha_scaled": lambda epsilon, before, k, m: log((1 - epsilon) / epsilon) / 2,
    "alpha_is_edge": lambda epsilon, before, k, m: 1 - 2 * epsilon,
    "alpha_is_half_edge": lambda epsilon, before, k, m: 0.5 - epsilon,
    "alpha_of_samme": lambda epsilon, before, k, m: log((1 - epsilon) / epsilon * max(1, k - 1)),
    "alpha_of_before": lambda epsilon, before, k, m: before,
    "alpha_smoothed": lambda epsilon, before, k, m: (
        log((m - m * epsilon + 1) / (m * epsilon + 1)) / 2
    ),
}
"""α in floats, from ε, the right α of the round before and the numbers of labels and rows."""

FACTORS: dict[str, Callable[[Fraction, Fraction], tuple[Fraction | int, Fraction | int]]] = {
    "right": lambda odds, root: (1, odds),
    "alpha_signed_weights": lambda odds, root: (odds, 1),
    "wrong_raised_by_root": lambda odds, root: (1, root),
    "wrong_raised_linearly": lambda odds, root: (1, 1 + Fraction(log(root))),
    "wrong_doubled": lambda odds, root: (1, 2),
    "updated_twice": lambda odds, root: (1, odds * odds),
    "weights_unnormalised": lambda odds, root: (1 / root, root),
}
"""By what weights are multiplied where the base classifier is right, and where it is wrong."""


def _total(D: Sequence[Sequence[Fraction]]) -> Fraction:
    return sum((d for row in D for d in row), Fraction(0))


def _divided(D: Weights, by: Fraction) -> Weights:
    return [[d / by for d in row] for row in D]


def _normalised(D: Weights) -> Weights:
    return _divided(D, _total(D))


def _cut(D: Weights, change: Callable[[Fraction], Fraction]) -> Weights:
    """Shares changed by what they are of their mean, and normalised again."""
    mean = _total(D) / (len(D) * len(D[0]))
    return _normalised([[change(d / mean) for d in row] for row in D])


NORMALISED: dict[str, Callable[[Weights], Weights]] = {
    "right": _normalised,
    "error_unnormalised": lambda D: D,
    "weights_unnormalised": lambda D: D,
    "divided_by_largest": lambda D: _divided(D, max(d for row in D for d in row)),
    "divided_by_length": lambda D: _divided(
        D, Fraction(sqrt(_total([[d * d for d in row] for row in D])))
    ),
    "normalised_by_row": lambda D: [[d / sum(row) / len(D) for d in row] for row in D],
    "normalised_by_label": lambda D: [
        [d / sum(column) / len(row) for d, column in zip(row, zip(*D))] for row in D
    ],
    "tiny_weights_cut": lambda D: _cut(D, lambda share: share if 2 * share >= 1 else Fraction(0)),
    "weights_capped": lambda D: _cut(D, lambda share: min(share, Fraction(2))),
}
"""What becomes of weights that were multiplied."""

ZS: dict[str, Callable[[float], float]] = {
    "right": lambda epsilon: 2 * sqrt(epsilon * (1 - epsilon)),
    "Z_squared": lambda epsilon: 4 * epsilon * (1 - epsilon),
    "Z_halved": lambda epsilon: sqrt(epsilon * (1 - epsilon)),
}
"""What is told as Z."""

IRRATIONAL = {*ALPHAS, "wrong_raised_by_root", "wrong_raised_linearly", "divided_by_length"}
"""Mistakes with which the digits of D would double every round."""

MOST_ALPHA = 300
"""About the largest α with exp(2α) in binary64."""

TINY = Fraction(1, 2**20)
"""How near ε may come to 0 and 1 where a program goes on all the same."""


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
    rounds = [{name: v for name, v in r.items() if name not in ("D", "Z")} for r in rounds]
    return {**{name: v for name, v in found.items() if name != "scores"}, "rounds": rounds}


def boosting_with_state(
    problem: Record, wrong: Wrong = (), rate: float = 1, bases: Sequence[Answers] = ()
) -> dict[str, object] | None:
    """The same with D and Z of each round and the votes; every α is multiplied by the rate.

    Of tied stumps those are taken that answer as `bases` do, in further rounds as the last of them.
    """
    read = read_problem(problem)
    p = read.asked
    if p.kind not in ("classes", "one_sign") or p.rule != "half_log" or p.X is None:
        return None
    if any(isinstance(v, str) for x in p.X for v in x):
        return None
    c, D, stumps = truth_of(read), _begun(read, wrong), list(_stumps(read))
    D_1, rounds, stopped, before, last = D, list[dict[str, Any]](), "rounds", 0.0, None
    votes = [[Fraction(1)] * len(row) for row in c]  # exp(2g)
    for t in range(1, p.rounds + 1):
        seen = D_1 if "weights_unused" in wrong else D
        h = _chosen(c, stumps, seen, D_1, wrong, bases[t - 1 : t] or bases[-1:])
        epsilon = step_of(ERRORS, wrong)(seen, D_1, c, h)
        told = {"t": t, "base": _base(read, h), "epsilon": epsilon}
        told["D"] = _as_rows(read, D if "D_goes_on" in wrong else seen)
        if epsilon >= Fraction(1, 2) and "no_better_than_chance" not in wrong:
            stopped = "no_edge"
            break
        if epsilon == 0 and "perfect_round" not in wrong:
            stopped = "perfect"
            if "perfect_left_out" not in wrong:
                rounds.append({**told, "alpha": None})
                votes = [[Fraction(2) ** v for v in row] for row in h]
            break
        # A program that goes on after a perfect round clips ε, or α would be infinite.
        epsilon = min(max(epsilon, TINY), 1 - TINY)
        alpha, odds = _alpha(epsilon, wrong, rate, before, (p.k, read.m))
        before = log((1 - epsilon) / epsilon) / 2
        late = "alpha_told_late" in wrong and rounds
        told |= {"epsilon": epsilon, "alpha": last if late else alpha}
        rounds.append(told | {"Z": Fraction(step_of(ZS, wrong)(float(epsilon)))})
        last, votes = alpha, _voted(votes, h, odds, wrong)
        D = _updated(D_1 if "weights_from_first" in wrong else D, c, h, odds, wrong)
        if "weights_each_round" in wrong:
            D = _normalised([[d * own for d, own in zip(*row)] for row in zip(D, D_1)])
        if "epsilon_after" in wrong:
            rounds[-1]["epsilon"] = error_of(D, c, h)
        if "epsilon_unweighted" in wrong:
            rounds[-1]["epsilon"] = error_of(D_1, c, h)
    return {"rounds": rounds, "stopped": stopped, **_voting(read, votes, stopped, wrong)}


def _voting(read: LabelledProblem, votes: Weights, stopped: str, wrong: Wrong) -> dict[str, object]:
    """The labels of votes, and the scores unless a round was perfect."""
    labels = _labels(read, votes, "last_of_tied" not in wrong)
    if stopped == "perfect":
        return {"labels": labels}
    scores = [[Fraction(log(v) / 2) for v in row] for row in votes]
    if {"labels_as_scores", "labels_of_last"} & {*wrong}:
        scores = [[Fraction(1 if v > 0 else -1) for v in row] for row in scores]
    return {"labels": labels, "scores": _as_rows(read, scores)}


def _begun(read: LabelledProblem, wrong: Wrong) -> Weights:
    D = first_weights(read)
    if "own_labels_heavier" not in wrong:
        return D
    shares = [[Fraction(len(own), 2 * list(own).count(v)) for v in own] for own in truth_of(read)]
    return [[d * share for d, share in zip(*row)] for row in zip(D, shares)]


def _voted(votes: Weights, h: Answers, odds: Fraction, wrong: Wrong) -> Weights:
    """exp(2g) after a round."""
    if "labels_of_last" in wrong:
        return [[Fraction(2) ** v for v in row] for row in h]
    factor = Fraction(exp(2)) if "votes_unweighted" in wrong else odds
    return [[u * factor**v for u, v in zip(*rows)] for rows in zip(votes, h)]


def _alpha(
    epsilon: Fraction, wrong: Wrong, rate: float, before: float, sizes: tuple[int, int]
) -> tuple[Any, Fraction]:
    """α, exact where it can be, with exp(2α); `before` is the right one of the round before."""
    odds = (1 - epsilon) / epsilon
    if not ALPHAS.keys() & {*wrong}:
        share = "1" if "half_missing" in wrong else "1/2"
        top, bottom = str(odds.numerator), str(odds.denominator)
        terms: dict[str, str] = {top: share, bottom: f"-{share}"} if odds != 1 else {}
        return {"ln": terms}, odds * odds if "half_missing" in wrong else odds
    alpha = rate * step_of(ALPHAS, wrong)(float(epsilon), before, *sizes)
    if abs(alpha) > MOST_ALPHA:
        raise FormatError("α is beyond what such a program can compute with")
    return Fraction(alpha), Fraction(exp(2 * alpha))


def _chosen(
    c: Answers, stumps: Stumps, D: Weights, D_1: Weights, wrong: Wrong, given: Sequence[Answers]
) -> Answers:
    """The stump of a round: the given one, if there is one and it ties with the best.

    Of weights only the ratios matter, so that they are whole numbers here, for speed.
    """
    whole: Any = [common_denominator(weights)[0] for weights in (D, D_1)]
    D, D_1 = whole
    score = step_of(SCORES, wrong)
    best: tuple[Answers, Fraction] | None = None
    second = best
    by_count = not {"signs_by_count", "choice_unweighted"}.isdisjoint(wrong)
    for phi, opposite in stumps["no_constants" in wrong :]:
        v = _signs(phi, D_1 if by_count else D, c, wrong)
        h = [[s * sign for sign in v] for s in phi]
        value = score(D, D_1, c, h)
        if "reversed_stump_boundary" in wrong:
            h = [[s if sign > 0 else o for sign in v] for s, o in zip(phi, opposite)]
        later = best is not None and value == best[1] and "last_of_tied" in wrong
        if best is None or value < best[1] or later:
            best, second = (h, value), best
    if best is None:
        raise FormatError("no question is left")
    if "not_the_least" in wrong and second is not None and 2 * second[1] < _total(D):
        best = second
    tied = (h for h in given if abs(score(D, D_1, c, h) - best[1]) <= CLOSE * abs(best[1]))
    return next(tied, best[0])


def _signs(phi: Sequence[int], D: Weights, c: Answers, wrong: Wrong) -> list[int]:
    """The best sign of a question for each label."""
    edges = [
        sum((row[l] * s * labels[l] for row, s, labels in zip(D, phi, c)), 0 * D[0][0])
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


def _stumps(read: LabelledProblem) -> Iterator[tuple[list[int], list[int]]]:
    """The answers of each question on the rows as signs, and those of its strict opposite."""
    X = read.asked.X
    assert X is not None
    yield [1] * len(X), [-1] * len(X)
    for j in range(len(X[0])):
        column = [Fraction(x[j]) for x in X]
        for a in sorted(set(column))[:-1]:
            yield [1 if v <= a else -1 for v in column], [1 if v >= a else -1 for v in column]


def _updated(D: Weights, c: Answers, h: Answers, odds: Fraction, wrong: Wrong) -> Weights:
    """The next weights, where exp(2α) are the odds."""
    right, mistaken = step_of(FACTORS, wrong)(odds, Fraction(sqrt(odds)))
    found = []
    for weights, own, answers in zip(D, c, h):
        hits = [y == v for y, v in zip(own, answers)]
        if "rows_updated" in wrong:
            hits = [all(hits)] * len(hits)
        found.append([d * (right if hit else mistaken) for d, hit in zip(weights, hits)])
    found = step_of(NORMALISED, wrong)(found)
    return [[Fraction(float(d)) for d in row] for row in found] if IRRATIONAL & {*wrong} else found


def _base(read: LabelledProblem, h: Answers) -> list[Any]:
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
