"""What may stand in the place of one step of a round of plain AdaBoost or AdaBoost.MH.

Each table has the right step, and under the names of mistakes what people write for it.

    D, c    weights and labels as signs, a number for each row and label (one label of two classes)
    h       what a base classifier answers, in the same form
    odds    exp(2α), which should be (1 − ε)/ε
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, log, log2, log10, prod, sqrt
from typing import Any

from refmc.core.linalg import common_denominator

Answers = Sequence[Sequence[int]]
Weights = list[list[Fraction]]
Score = Callable[[Weights, Weights, Answers, Answers], Fraction]


def error_of(D: Weights, truth: Answers, h: Answers) -> Fraction:
    """The sum of the weights at which the answers h are wrong."""
    rows = zip(D, truth, h, strict=True)
    return sum([d for row in rows for d, c, v in zip(*row, strict=True) if c != v], 0 * D[0][0])


def _rows_wrong(D: Weights, c: Answers, h: Answers) -> Fraction:
    """The sum of the weights of rows with any wrong label."""
    return total_of([d for d, own, mine in zip(D, c, h) if list(own) != list(mine)])


def _by_label(D: Weights, c: Answers, h: Answers) -> list[Fraction]:
    """The sum of the weights at which the answers for each label are wrong."""
    columns = zip(*(zip(*rows) for rows in (D, c, h)))
    return [error_of([d], [own], [mine]) for d, own, mine in columns]


SCORES: dict[str, Score] = {
    "right": lambda D, D_1, c, h: error_of(D, c, h),
    "choice_unweighted": lambda D, D_1, c, h: error_of(D_1, c, h),
    "chosen_by_edge": lambda D, D_1, c, h: -abs(total_of(D) - 2 * error_of(D, c, h)),
    "chosen_by_last_label": lambda D, D_1, c, h: _by_label(D, c, h)[-1],
    "chosen_by_worst_label": lambda D, D_1, c, h: max(_by_label(D, c, h)),
}
"""What is least of the stump that is taken; the weights are those of the round and the first."""

ERRORS: dict[str, Score] = {
    "right": lambda D, D_1, c, h: error_of(D, c, h),
    "epsilon_counted": lambda D, D_1, c, h: error_of(D_1, c, h),
    "epsilon_of_rows": lambda D, D_1, c, h: _rows_wrong(D, c, h),
    "epsilon_of_own_labels": lambda D, D_1, c, h: error_of(
        D, c, [[*map(min, *row)] for row in zip(c, h)]
    ),
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
    "wrong_over_error": lambda odds, root: (1, (1 + odds) / 2, 1),
    "updated_twice": lambda odds, root: (1, odds * odds, odds),
    "weights_unnormalised": lambda odds, root: (1 / root, root, 1),
}
"""By what weights are multiplied where the base classifier is right, and where it is wrong.

Both stand here times a third number, so that they are rational where they can be.
"""


def total_of(D: Sequence[Sequence[Fraction]]) -> Fraction:
    """The sum of all weights."""
    return sum((d for row in D for d in row), Fraction(0))


def divided(D: Weights, by: Fraction) -> Weights:
    """All weights divided by a number."""
    return [[d / by for d in row] for row in D]


def normalised(D: Weights) -> Weights:
    """Weights divided by their sum; as whole numbers, which is faster."""
    whole, _ = common_denominator(D)
    total = sum(map(sum, whole))
    return [[Fraction(d, total) for d in row] for row in whole]


def _cut(D: Weights, change: Callable[[Fraction], Fraction]) -> Weights:
    """Shares changed by what they are of their mean, and normalised again."""
    mean = total_of(D) / (len(D) * len(D[0]))
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
    "late_from_0": lambda odds: odds[-2] if len(odds) > 1 else Fraction(1),
    "vote_of_first": lambda odds: odds[0],
    "vote_of_accuracy": lambda odds: Fraction(exp(2 / (1 + 1 / odds[-1]))),
}
"""exp(2α) of a round's vote, from those of all rounds so far."""

UPDATES: dict[str, Callable[[Sequence[Fraction]], Fraction]] = {
    "right": lambda odds: odds[-1],
    "first_with_own": lambda odds: odds[-2:][0],
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
    "largest_alone": lambda votes: [
        [Fraction(j == row.index(max(row))) for j in range(len(row))] for row in votes
    ],
    "signs_of_sums": lambda votes: [
        [1 + v if prod(row) >= 1 else v / (1 + v) for v in row] for row in votes
    ],
}
"""By what labels are chosen, from exp(2g): the largest one, or those of at least 1."""

TRIED_COLUMNS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "right": lambda columns: columns,
    "last_column_unseen": lambda columns: columns[:-1],
    "first_column_unseen": lambda columns: columns[1:],
}
"""The columns that are asked for, from all of them."""

NORMALISED: dict[str, Callable[[Weights, Fraction], Weights]] = {
    "right": lambda D, Z: normalised(D),
    "error_unnormalised": lambda D, Z: D,
    "weights_unnormalised": lambda D, Z: D,
    "divided_by_largest": lambda D, Z: divided(D, max(d for row in D for d in row)),
    "divided_by_length": lambda D, Z: divided(
        D, Fraction(sqrt(total_of([[d * d for d in row] for row in D])))
    ),
    "normalised_by_row": lambda D, Z: [[d / sum(row) / len(D) for d in row] for row in D],
    "normalised_by_label": lambda D, Z: [
        [d / sum(column) / len(row) for d, column in zip(row, zip(*D))] for row in D
    ],
    "tiny_weights_cut": lambda D, Z: _cut(D, lambda share: share * (2 * share >= 1)),
    "weights_capped": lambda D, Z: _cut(D, lambda share: min(share, Fraction(2))),
    "divided_by_Z": divided,
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

TRIED: dict[str, Callable[[list[Any]], list[Any]]] = {
    "right": lambda stumps: stumps,
    "first_threshold_missed": lambda stumps: stumps[1:],
    "last_threshold_missed": lambda stumps: stumps[:-1],
}
"""The stumps of a column that are tried, from those of all its thresholds."""

CHOOSING = {
    *SCORES, *TRIED, *TRIED_COLUMNS, "no_constants", "reversed_stump_boundary", "one_sided",
    "one_sign_for_all", "signs_by_count", "not_the_least", "last_of_tied",
}  # fmt: skip
"""What matters where a stump is chosen."""

IRRATIONAL = {
    *ALPHAS, "wrong_raised_by_root", "wrong_raised_linearly", "wrong_raised_by_error",
    "divided_by_length", "divided_by_Z", "own_labels_updated", "rows_averaged",
}  # fmt: skip
"""Mistakes with which the digits of D would double every round."""


def _lost(D: Weights, c: Answers, votes: Weights) -> Fraction:
    """The weight on which the signs of votes are wrong, given as exp(2g); g = 0 is wrong, too."""
    signs = [[(v > 1) - (v < 1) for v in row] for row in votes]
    return error_of(D, c, signs)
