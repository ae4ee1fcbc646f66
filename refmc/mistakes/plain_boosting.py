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
from math import exp, log, log2, log10, sqrt
from operator import ne
from typing import Any

from refmc.core.linalg import common_denominator
from refmc.core.records import Record
from refmc.errors import FormatError
from refmc.mistakes.fields import without
from refmc.mistakes.mistake import Wrong, step_of
from refmc.mistakes.transport import CLOSE
from refmc.oracle.boosting.records import ADA, LabelledProblem, read_problem

Answers = Sequence[Sequence[int]]
Stumps = Sequence[tuple[list[int], list[int]]]
Told = tuple[Answers, Fraction, Fraction]
"""The answers, Z and ε of a round, as a program tells them."""

Weights = list[list[Fraction]]
Score = Callable[[Weights, Weights, Answers, Answers], Fraction]


def error_of(
    D: Weights, truth: Answers, h: Answers, counts: Callable[[int, int], bool] = ne
) -> Fraction:
    """The sum of the weights at which the answers h are wrong."""
    rows = zip(D, truth, h, strict=True)
    wrong = (d for row in rows for d, c, v in zip(*row, strict=True) if counts(c, v))
    return sum(wrong, 0 * D[0][0])


def _rows_wrong(D: Weights, c: Answers, h: Answers) -> Fraction:
    """The sum of the weights of rows with any wrong label."""
    return _total([d for d, own, mine in zip(D, c, h) if list(own) != list(mine)])


def _by_label(D: Weights, c: Answers, h: Answers) -> list[Fraction]:
    """The sum of the weights at which the answers for each label are wrong."""
    columns = zip(*(zip(*rows) for rows in (D, c, h)))
    return [error_of([d], [own], [mine]) for d, own, mine in columns]


SCORES: dict[str, Score] = {
    "right": lambda D, D_1, c, h: error_of(D, c, h),
    "choice_unweighted": lambda D, D_1, c, h: error_of(D_1, c, h),
    "chosen_by_edge": lambda D, D_1, c, h: -abs(_total(D) - 2 * error_of(D, c, h)),
    "chosen_by_last_label": lambda D, D_1, c, h: _by_label(D, c, h)[-1],
    "chosen_by_worst_label": lambda D, D_1, c, h: max(_by_label(D, c, h)),
}
"""What is least of the stump that is taken; the weights are those of the round and the first."""

ERRORS: dict[str, Score] = {
    "right": lambda D, D_1, c, h: error_of(D, c, h),
    "epsilon_counted": lambda D, D_1, c, h: error_of(D_1, c, h),
    "epsilon_of_rows": lambda D, D_1, c, h: _rows_wrong(D, c, h),
    "epsilon_of_own_labels": lambda D, D_1, c, h: error_of(D, c, h, lambda own, v: own > v),
    "epsilon_of_last_label": lambda D, D_1, c, h: _by_label(D, c, h)[-1],
    "chosen_by_last_label": lambda D, D_1, c, h: _by_label(D, c, h)[-1],
    "chosen_by_worst_label": lambda D, D_1, c, h: max(_by_label(D, c, h)),
}
"""ε of a base classifier."""

ALPHAS: dict[str, Callable[[float, float, int, int], float]] = {
    "alpha_scaled": lambda epsilon, before, k, m: log((1 - epsilon) / epsilon) / 2,
    "alpha_decadic": lambda epsilon, before, k, m: log10((1 - epsilon) / epsilon) / 2,
    "alpha_binary": lambda epsilon, before, k, m: log2((1 - epsilon) / epsilon) / 2,
    "alpha_is_edge": lambda epsilon, before, k, m: 1 - 2 * epsilon,
    "alpha_is_half_edge": lambda epsilon, before, k, m: 0.5 - epsilon,
    "alpha_of_samme": lambda epsilon, before, k, m: log((1 - epsilon) / epsilon * max(1, k - 1)),
    "samme_halved": lambda epsilon, before, k, m: log((1 - epsilon) / epsilon * max(1, k - 1)) / 2,
    "alpha_capped": lambda epsilon, before, k, m: min(1, log((1 - epsilon) / epsilon) / 2),
    "alpha_of_before": lambda epsilon, before, k, m: before,
    "alpha_smoothed": lambda epsilon, before, k, m: (
        log((m - m * epsilon + 1) / (m * epsilon + 1)) / 2
    ),
}
"""α in floats, from ε, the right α of the round before and the numbers of labels and rows."""

FACTORS: dict[str, Callable[[Fraction, Fraction], Sequence[Fraction | int]]] = {
    "right": lambda odds, root: (1, odds, root),
    "alpha_signed_weights": lambda odds, root: (odds, 1, root),
    "wrong_raised_by_root": lambda odds, root: (1, root, 1),
    "wrong_raised_linearly": lambda odds, root: (1, 1 + Fraction(log(root)), 1),
    "wrong_raised_by_error": lambda odds, root: (1, 1 + 1 / (1 + odds), 1),
    "wrong_doubled": lambda odds, root: (1, 2, 1),
    "updated_twice": lambda odds, root: (1, odds * odds, odds),
    "weights_unnormalised": lambda odds, root: (1 / root, root, 1),
}
"""By what weights are multiplied where the base classifier is right, and where it is wrong.

Both stand here times a third number, so that they are rational where they can be.
"""


def _total(D: Sequence[Sequence[Fraction]]) -> Fraction:
    return sum((d for row in D for d in row), Fraction(0))


def _divided(D: Weights, by: Fraction) -> Weights:
    return [[d / by for d in row] for row in D]


def normalised(D: Weights) -> Weights:
    """Weights divided by their sum."""
    return _divided(D, _total(D))


def _cut(D: Weights, change: Callable[[Fraction], Fraction]) -> Weights:
    """Shares changed by what they are of their mean, and normalised again."""
    mean = _total(D) / (len(D) * len(D[0]))
    return normalised([[change(d / mean) for d in row] for row in D])


HITS: dict[str, Callable[[list[bool]], list[Any]]] = {
    "right": lambda hits: hits,
    "rows_updated": lambda hits: [all(hits)] * len(hits),
    "first_label_updates": lambda hits: hits[:1] * len(hits),
    "rows_averaged": lambda hits: [Fraction(sum(hits), len(hits))] * len(hits),
}
"""How far a row's labels count as right, from whether each is."""

VOTES: dict[str, Callable[[Sequence[Fraction]], Fraction]] = {
    "right": lambda odds: odds[-1],
    "votes_unweighted": lambda odds: Fraction(exp(2)),
    "vote_of_before": lambda odds: odds[-2:][0],
    "vote_of_first": lambda odds: odds[0],
    "vote_of_accuracy": lambda odds: Fraction(exp(2 / (1 + 1 / odds[-1]))),
}
"""exp(2α) of a round's vote, from those of all rounds so far."""

UPDATES: dict[str, Callable[[Sequence[Fraction]], Fraction]] = {
    "right": lambda odds: odds[-1],
    "update_of_before": lambda odds: odds[-2] if len(odds) > 1 else Fraction(1),
    "update_of_first": lambda odds: odds[0],
}
"""The same where weights are multiplied."""

ANSWERS: dict[str, Callable[[Sequence[Answers]], Answers]] = {
    "right": lambda answers: answers[-1],
    "answers_of_before": lambda answers: answers[-2:][0],
    "answers_of_first": lambda answers: answers[0],
    "answers_shifted": lambda answers: [*answers[-1][-1:], *answers[-1][:-1]],
}
"""With whose answers weights are multiplied, from those of all base classifiers so far."""

LOSSES: dict[str, Callable[[Weights, Answers, Sequence[Weights], Weights], Fraction]] = {
    "right": lambda D, c, votes, alone: _lost(D, c, votes[-1]),
    "loss_of_stump": lambda D, c, votes, alone: _lost(D, c, alone),
    "loss_of_before": lambda D, c, votes, alone: _lost(D, c, votes[-2]),
    "loss_counted": lambda D, c, votes, alone: _lost(
        normalised([[Fraction(1)] * len(d) for d in D]), c, votes[-1]
    ),
}
"""The loss, from D_1, the votes before and after each round, and those of the round alone."""

DECIDED: dict[str, Callable[[Weights], Weights]] = {
    "right": lambda votes: votes,
    "largest_in_size": lambda votes: [[max(v, 1 / v) for v in row] for row in votes],
}
"""By what the label of several is chosen, from exp(2g)."""

TRIED_COLUMNS: dict[str, Callable[[range], range]] = {
    "right": lambda columns: columns,
    "last_column_unseen": lambda columns: columns[:-1],
    "first_column_unseen": lambda columns: columns[1:],
}
"""The columns that are asked for."""

NORMALISED: dict[str, Callable[[Weights, Fraction], Weights]] = {
    "right": lambda D, Z: normalised(D),
    "error_unnormalised": lambda D, Z: D,
    "weights_unnormalised": lambda D, Z: D,
    "divided_by_largest": lambda D, Z: _divided(D, max(d for row in D for d in row)),
    "divided_by_length": lambda D, Z: _divided(
        D, Fraction(sqrt(_total([[d * d for d in row] for row in D])))
    ),
    "normalised_by_row": lambda D, Z: [[d / sum(row) / len(D) for d in row] for row in D],
    "normalised_by_label": lambda D, Z: [
        [d / sum(column) / len(row) for d, column in zip(row, zip(*D))] for row in D
    ],
    "tiny_weights_cut": lambda D, Z: _cut(D, lambda share: share * (2 * share >= 1)),
    "weights_capped": lambda D, Z: _cut(D, lambda share: min(share, Fraction(2))),
    "divided_by_Z": _divided,
}
"""What becomes of weights that were multiplied, from these and Z."""

ZS: dict[str, Callable[[float], float]] = {
    "right": lambda epsilon: 2 * sqrt(epsilon * (1 - epsilon)),
    "Z_squared": lambda epsilon: 4 * epsilon * (1 - epsilon),
    "Z_halved": lambda epsilon: sqrt(epsilon * (1 - epsilon)),
}
"""What is told as Z."""

TOLD: dict[str, Callable[[Fraction, Weights, Weights, Answers, Answers], Fraction]] = {
    "right": lambda epsilon, D, D_1, c, h: epsilon,
    "accuracy_told": lambda epsilon, D, D_1, c, h: 1 - epsilon,
    "epsilon_unweighted": lambda epsilon, D, D_1, c, h: error_of(D_1, c, h),
    "epsilon_after": lambda epsilon, D, D_1, c, h: error_of(D, c, h),
}
"""What is told as ε, from ε, the next weights D and the first ones."""

TRIED: dict[str, Callable[[list[Fraction]], list[Fraction]]] = {
    "right": lambda thresholds: thresholds,
    "first_threshold_missed": lambda thresholds: thresholds[1:],
    "last_threshold_missed": lambda thresholds: thresholds[:-1],
}
"""The thresholds of a column that are tried."""

IRRATIONAL = {
    *ALPHAS, "wrong_raised_by_root", "wrong_raised_linearly", "wrong_raised_by_error",
    "divided_by_length", "divided_by_Z", "own_labels_updated", "rows_averaged",
}  # fmt: skip
"""Mistakes with which the digits of D would double every round."""

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
    read = read_problem(problem)
    p = read.asked
    if p.kind not in ("classes", "one_sign") or p.rule != "half_log" or p.X is None:
        return None
    if any(isinstance(v, str) for x in p.X for v in x):
        return None
    c, D, stumps = truth_of(read), _begun(read, wrong), list(_stumps(read, wrong))
    D_1, rounds, stopped, before, last = D, list[dict[str, Any]](), "rounds", 0.0, None
    votes = alone = [[Fraction(1)] * len(row) for row in c]  # exp(2g), and of the last round alone
    best: tuple[Answers, Fraction] | None = None
    all_votes, all_odds, all_h = [votes], list[Fraction](), list[Answers]()
    for t in range(1, p.rounds + 1):
        given = told[t - 1 : t] or told[-1:]
        seen = _seen(D, D_1, wrong)
        h = _chosen(c, stumps, seen, D_1, wrong, [base for base, *_ in given], best)
        epsilon = step_of(ERRORS, wrong)(seen, D_1, c, h)
        epsilon = best[1] if best and h is best[0] else epsilon
        best = (h, epsilon) if "best_kept" in wrong else None
        round_ = {"t": t, "base": base_as(read, h), "epsilon": epsilon}
        round_["D"] = _as_rows(read, D if {"D_goes_on", "last_row_unseen"} & {*wrong} else seen)
        if epsilon >= Fraction(1, 2) and "no_better_than_chance" not in wrong:
            stopped = "no_edge"
            if "no_edge_told" not in wrong:
                break
        if epsilon == 0 and "perfect_round" not in wrong:
            stopped = "perfect"
            if "perfect_left_out" not in wrong:
                rounds.append({**round_, "alpha": None})
                votes = alone = _one_vote(h)
            break
        # A program that goes on after a perfect round clips ε, or α would be infinite.
        least = min([TINY, *(told for *_, told in given if told > 0)])
        epsilon = min(max(epsilon, least), 1 - least)
        alpha, odds = _alpha(epsilon, wrong, rate, before, (p.k, read.m))
        before = log((1 - epsilon) / epsilon) / 2
        late = "alpha_told_late" in wrong and rounds
        round_ |= {"epsilon": epsilon, "alpha": last if late else alpha}
        all_odds.append(odds)
        all_h.append(h)
        last, votes, alone = alpha, _voted(votes, h, all_odds, wrong), _one_vote(h)
        all_votes.append(votes)
        Z = Fraction(step_of(ZS, wrong)(float(epsilon)))
        if {"weights_logistic", "whole_vote_multiplied"} & {*wrong}:
            D, total = _by_margins(seen, D_1, c, votes, Z, wrong)
        else:
            old = D_1 if "weights_from_first" in wrong else D
            odds, by = step_of(UPDATES, wrong)(all_odds), step_of(ANSWERS, wrong)(all_h)
            D, total = _updated(old, c, by, odds, Z, wrong)
        near = given[0][1] if given else Z
        Z = min(Z, total, total / _total(D), key=lambda one: abs(one - near))
        if "Z_multiplied" in wrong and rounds:
            Z *= rounds[-1]["Z"]
        loss = step_of(LOSSES, wrong)(D_1, c, all_votes, alone)
        rounds.append(round_ | {"Z": Z, "loss": loss})
        if "weights_each_round" in wrong:
            D = normalised([[d * own for d, own in zip(*row)] for row in zip(D, D_1)])
        rounds[-1]["epsilon"] = step_of(TOLD, wrong)(epsilon, D, D_1, c, h)
        if "D_of_next" in wrong:
            rounds[-1]["D"] = _as_rows(read, D)
        if stopped == "no_edge" or ("ends_without_loss" in wrong and rounds[-1]["loss"] == 0):
            break
    if "D_of_end" in wrong:
        rounds = [{**r, "D": _as_rows(read, D)} for r in rounds]
    return {"rounds": rounds, "stopped": stopped, **_voting(read, votes, alone, stopped, wrong)}


def _seen(D: Weights, D_1: Weights, wrong: Wrong) -> Weights:
    """The weights under which base classifiers are chosen."""
    if "last_row_unseen" in wrong:
        return [*D[:-1], [Fraction(0)] * len(D[-1])]
    return D_1 if "weights_unused" in wrong else D


def _voting(
    read: LabelledProblem, votes: Weights, alone: Weights, stopped: str, wrong: Wrong
) -> dict[str, object]:
    """The labels of votes, and the scores, which are those of a perfect round alone."""
    decide = alone if "only_labels_of_last" in wrong else votes
    labels = _labels(read, step_of(DECIDED, wrong)(decide), "last_of_tied" not in wrong)
    scores = [[Fraction(log(v) / 2) for v in row] for row in votes]
    is_perfect = stopped == "perfect" and "perfect_left_out" not in wrong
    if is_perfect or {"labels_as_scores", "labels_of_last"} & {*wrong}:
        scores = [[Fraction(1 if v > 0 else -1) for v in row] for row in scores]
    return {"labels": labels, "scores": _as_rows(read, scores)}


def _begun(read: LabelledProblem, wrong: Wrong) -> Weights:
    D = first_weights(read)
    if "begun_over_rows" in wrong or "begun_as_given" in wrong:
        given = sum(map(Fraction, read.asked.weights or [Fraction(read.m)]), Fraction(0))
        return _divided(D, (read.m if "begun_over_rows" in wrong else 1) / given)
    if "own_labels_heavier" not in wrong:
        return D
    shares = [[Fraction(len(own), 2 * list(own).count(v)) for v in own] for own in truth_of(read)]
    return [[d * share for d, share in zip(*row)] for row in zip(D, shares)]


def _one_vote(h: Answers) -> Weights:
    """exp(2g) of a base classifier alone, up to a power."""
    return [[Fraction(2) ** v for v in row] for row in h]


def _voted(votes: Weights, h: Answers, odds: Sequence[Fraction], wrong: Wrong) -> Weights:
    """exp(2g) after a round."""
    if "labels_of_last" in wrong:
        return _one_vote(h)
    factor = step_of(VOTES, wrong)(odds)
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
    c: Answers,
    stumps: Stumps,
    D: Weights,
    D_1: Weights,
    wrong: Wrong,
    given: Sequence[Answers],
    best: tuple[Answers, Fraction] | None,
) -> Answers:
    """The stump of a round: the given one, if there is one and it ties with the best.

    What is the best before, with its ε, must be beaten.

    Of weights only the ratios matter, so that they are whole numbers here, for speed.
    """
    whole: Any = [common_denominator(weights)[0] for weights in (D, D_1)]
    D, D_1 = whole
    score = step_of(SCORES, wrong)
    second = best = best and (best[0], best[1] * _total(D))
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


def _stumps(read: LabelledProblem, wrong: Wrong) -> Iterator[tuple[list[int], list[int]]]:
    """The answers of each question on the rows as signs, and those of its strict opposite."""
    X = read.asked.X
    assert X is not None
    yield [1] * len(X), [-1] * len(X)
    for j in step_of(TRIED_COLUMNS, wrong)(range(len(X[0]))):
        column = [Fraction(x[j]) for x in X]
        for a in step_of(TRIED, wrong)(sorted(set(column))[:-1]):
            yield [1 if v <= a else -1 for v in column], [1 if v >= a else -1 for v in column]


def _lost(D: Weights, c: Answers, votes: Weights) -> Fraction:
    """The weight on which the signs of votes are wrong, given as exp(2g); g = 0 is wrong, too."""
    signs = [[(v > 1) - (v < 1) for v in row] for row in votes]
    return error_of(D, c, signs)


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
    total = _total(found) / times
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
    return step_of(NORMALISED, wrong)(found, Z), _total(found)


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
