"""What may stand in the place of one step of a plain perceptron or descent.

Each table has the right step, and under the names of mistakes what people write for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import exp, fsum, sqrt
from typing import Any, NamedTuple

from refmc.core.linalg import dot

Vector = list[Fraction]
Tau = Mapping[int, Fraction]

ZERO, ONE = Fraction(0), Fraction(1)


class Seen(NamedTuple):
    """What a visit knows of its row: x with the 1 of the bias, y as a sign, its score, and the
    largest ‖x‖² of all rows."""

    x: Vector
    y: int
    score: Fraction
    eta: Fraction
    C: Fraction
    largest: Fraction

    @property
    def margin(self) -> Fraction:
        return self.y * self.score

    @property
    def square(self) -> Fraction:
        """‖x‖², or 1 where that is 0."""
        return dot(self.x, self.x, ZERO) or ONE


WHEN: dict[str, Callable[[Seen], bool]] = {
    "perceptron": lambda row: row.margin <= 0,
    "descent": lambda row: row.margin < 1,
    "strict_at_zero": lambda row: row.margin < 0,
    "one_moves": lambda row: row.margin <= 1,
    "margin_one": lambda row: row.margin < 1,
    "zero_is_plus": lambda row: row.y * (row.score or 1) < 0,
    "zero_is_minus": lambda row: row.y * (row.score or -1) < 0,
    "less_class_plus": lambda row: row.y * (row.score or 1) < 0,
    "less_class_minus": lambda row: row.y * (row.score or -1) < 0,
    "tested_as_perceptron": lambda row: row.margin <= 0,
    "label_untested": lambda row: row.score <= 0,
    "labels_zero_one": lambda row: row.y < 0 or row.margin <= 0,
    "every_row": lambda row: True,
    "logistic_slope": lambda row: True,
    "size_tested": lambda row: abs(row.score) < 1,
    "margin_forgotten": lambda row: row.margin < 0,
    "slope_at_kink": lambda row: row.margin <= 1,
}
"""When a row moves the state."""

HOW_FAR: dict[str, Callable[[Seen], Fraction | int]] = {
    "rows": lambda row: row.y,
    "kernel": lambda row: 1,
    "no_label": lambda row: 1,
    "x_without_label": lambda row: 1,
    "alpha_signed": lambda row: row.y,
    "minus": lambda row: -row.y,
    "prediction_added": lambda row: 1 if row.score >= 0 else -1,
    "labels_zero_one": lambda row: row.y > 0,
    "by_difference": lambda row: row.y - row.score,
    "less_sign": lambda row: row.y - (row.score > 0) + (row.score < 0),
    "less_class_plus": lambda row: 2 * row.y,
    "less_class_minus": lambda row: 2 * row.y,
    "step_over_length": lambda row: row.y / Fraction(sqrt(row.square)),
    "squared_slope": lambda row: 2 * (row.y - row.score),
    "passive_aggressive": lambda row: (row.y - row.score) / (row.eta * row.square),
    "logistic_slope": lambda row: row.y * _softmax([ZERO, row.margin])[0],
    "plus_sign": lambda row: -row.y,
}
"""By how much."""

BIAS: dict[str, Callable[[Seen], Fraction | int]] = {
    "right": lambda row: 1,
    "bias_forgotten": lambda row: 0,
    "bias_no_label": lambda row: row.y,
    "x_without_label": lambda row: row.y,
    "bias_down": lambda row: -1,
    "bias_times_norm": lambda row: dot(row.x[:-1], row.x[:-1], ZERO),
    "bias_times_largest": lambda row: row.largest,
    "bias_slow": lambda row: Fraction(1, 100),
    "bias_without_C": lambda row: 1 / row.C,
    "bias_without_rate": lambda row: 1 / row.eta,
}
"""What the bias moves by where a weight moves by its entry of x."""


RATES: dict[str, Callable[[Fraction, Any, int], Fraction]] = {
    "right": lambda eta, visit, moved: eta,
    "rate_by_epoch": lambda eta, visit, moved: eta / visit.epoch,
    "rate_by_update": lambda eta, visit, moved: eta / (moved + 1),
    "rate_falls": lambda eta, visit, moved: eta / visit.t,
    "rate_by_root": lambda eta, visit, moved: eta / Fraction(sqrt(visit.t)),
}
"""What the step size becomes at a visit, after so many updates."""

OF_LIST: dict[str, Callable[[Any, int], int]] = {
    "right": lambda visit, T: visit.t - 1,
    "eta_of_epoch": lambda visit, T: visit.epoch - 1,
    "eta_of_first": lambda visit, T: 0,
    "eta_of_next": lambda visit, T: min(visit.t, T - 1),
}
"""Which of T listed step sizes a visit has."""

STEP_SIZES: dict[str, Callable[[Fraction, int, int, int], Fraction]] = {
    "right": lambda lam, t, T, m: 1 / (lam * t),
    "root_rate": lambda lam, t, T, m: 1 / (lam * Fraction(sqrt(t))),
    "rate_without_lam": lambda lam, t, T, m: Fraction(1, t),
    "t_from_zero": lambda lam, t, T, m: 1 / (lam * (t + 1)),
    "one_added": lambda lam, t, T, m: 1 / (1 + lam * t),
    "rate_from_one": lambda lam, t, T, m: 1 / (1 + lam * (t - 1)),
    "t_late": lambda lam, t, T, m: 1 / (lam * max(1, t - 1)),
    "constant_step": lambda lam, t, T, m: 1 / (lam * T),
    "rate_of_round": lambda lam, t, T, m: 1 / (lam * ((t - 1) // m + 1)),
    "rate_over_m": lambda lam, t, T, m: 1 / (lam * t * m),
}
"""The t-th of T step sizes where none are given."""


class Shrink(NamedTuple):
    """What a descent knows before it shrinks: whether it should, whether the row moves it, and how
    many rivals have a loss."""

    eta: Fraction
    sigma: Fraction
    C: Fraction
    is_due: bool
    moves: bool
    m: int
    rivals: int
    k: int


FACTORS: dict[str, Callable[[Shrink], Fraction]] = {
    "right": lambda at: 1 - at.eta * at.sigma * at.is_due,
    "no_shrink": lambda at: ONE,
    "shrink_with_loss_only": lambda at: 1 - at.eta * at.sigma * at.moves,
    "shrink_without_loss": lambda at: 1 - at.eta * at.sigma * (not at.moves),
    "shrink_by_C": lambda at: 1 - at.eta * at.C * at.is_due,
    "shrink_divides": lambda at: 1 / (1 + at.eta * at.sigma * at.is_due),
    "shrink_without_lam": lambda at: 1 - at.eta * at.is_due,
    "shrink_without_rate": lambda at: 1 - at.sigma * at.is_due,
    "shrink_over_m": lambda at: 1 - at.eta * at.sigma * at.is_due / at.m,
    "regulariser_doubled": lambda at: 1 - 2 * at.eta * at.sigma * at.is_due,
    "regulariser_halved": lambda at: 1 - at.eta * at.sigma * at.is_due / 2,
    "norm_for_each_rival": lambda at: 1 - at.eta * at.sigma * at.is_due * max(1, at.rivals),
    "shrink_for_each_rival": lambda at: (1 - at.eta * at.sigma * at.is_due) ** max(1, at.rivals),
    "shrink_for_each_class": lambda at: (1 - at.eta * at.sigma * at.is_due) ** at.k,
}
"""What a descent multiplies the weights by."""

TESTED: dict[str, Callable[[int, int, int], bool]] = {
    "right": lambda j, n, i: True,
    "bias_untested": lambda j, n, i: j < n,
    "itself_left_out": lambda j, n, i: j != i,
    "later_left_out": lambda j, n, i: j <= i,
    "first_untested": lambda j, n, i: j != 0,
    "last_untested": lambda j, n, i: j != n - 1,
    "last_tested_alone": lambda j, n, i: j >= n - 1,
    "last_without_bias": lambda j, n, i: j == n - 1,
}
"""Whether the score of the i-th row has its j-th term, of n and the bias."""

SEEN: dict[str, Callable[[Vector, Vector, Vector, Fraction], Vector]] = {
    "right": lambda w, begun, before, share: w,
    "whole_batch": lambda w, begun, before, share: begun,
    "tested_at_start": lambda w, begun, before, share: begun,
    "tested_before": lambda w, begun, before, share: before,
    "shrunk_before_test": lambda w, begun, before, share: [v * (1 - share) for v in w],
}
"""The weights that are tested: those of the visit, of the epoch's start, of the visit before, or
without the share by which they shrink."""

OF_VISIT: dict[str, tuple[int, int]] = {
    "right": (0, 0),
    "x_of_before": (-1, 0),
    "x_of_next": (1, 0),
    "label_of_before": (0, -1),
    "label_of_next": (0, 1),
}
"""How many visits later that is of whose row x is taken, and y."""

AFTER: dict[str, Callable[[Vector, Fraction], Vector]] = {
    "right": lambda w, sigma: w,
    "clipped": lambda w, sigma: [max(-ONE, min(ONE, v)) for v in w],
    "projected": lambda w, sigma: _projected(w, sigma),
}
"""What is done to the weights after a step."""


class Ranked(NamedTuple):
    """What a visit knows of the classes: their scores and costs, the own class, and those that beat
    it; ‖Ψ‖² of the own class, and the step size.
    """

    scores: Vector
    costs: Vector
    y: int
    rivals: list[int]
    square: Fraction
    eta: Fraction


def _after_own(row: Ranked) -> Tau:
    """The largest score loses after the own one has gained, which may then be the largest."""
    scores = [v + row.eta * row.square * (j == row.y) for j, v in enumerate(row.scores)]
    best = scores.index(max(scores))
    return {} if best == row.y else {row.y: ONE, best: -ONE}


TAUS: dict[str, Callable[[Tau, Ranked], Tau]] = {
    "right": lambda tau, row: tau,
    "rivals_full_share": lambda tau, row: _shared(row, 1),
    "own_for_each": lambda tau, row: {j: v * len(row.rivals) for j, v in tau.items()},
    "all_others_lose": lambda tau, row: {
        j: ONE if j == row.y else Fraction(-1, len(row.scores) - 1) for j in range(len(row.scores))
    },
    "passive_aggressive": lambda tau, row: {
        j: v * (1 + max(row.scores) - row.scores[row.y]) / (2 * (row.square or ONE))
        for j, v in tau.items()
    },
    "rival_after_step": lambda tau, row: _after_own(row),
    "rivals_left_alone": lambda tau, row: {row.y: tau[row.y]},
    "own_left_alone": lambda tau, row: {j: v for j, v in tau.items() if j != row.y},
    "own_row_once": lambda tau, row: {**tau, row.y: ONE},
    "own_share": lambda tau, row: {**tau, row.y: Fraction(1, len(row.rivals) or 1)},
    "shares_of_all": lambda tau, row: _shared(row, len(row.scores) - 1),
    "share_more": lambda tau, row: _shared(row, len(row.rivals) + 1),
    "terms_averaged": lambda tau, row: {j: v / (len(row.scores) - 1) for j, v in tau.items()},
    "slope_times_cost": lambda tau, row: {
        **{j: -row.costs[j] for j in row.rivals},
        row.y: sum((row.costs[j] for j in row.rivals), ZERO),
    },
    "softmax_slope": lambda tau, row: {
        j: (j == row.y) - share for j, share in enumerate(_softmax(row.scores))
    },
}  # fmt: skip
"""What τ is where a row moves the state."""

COUNTED: dict[str, Callable[[list[Vector], list[int]], list[Vector]]] = {
    "right": lambda states, epochs: states,
    "average_miscounted": lambda states, epochs: states[:-1],
    "average_from_second": lambda states, epochs: states[1:],
    "average_of_second_half": lambda states, epochs: states[len(states) // 2 :],
    "average_over_updates": lambda states, epochs: [
        w for before, w in zip([None, *states], states) if w != before
    ],
    "average_of_epochs": lambda states, epochs: [
        w
        for w, own, after in zip(states, epochs, [*epochs[1:], 0])
        if own != after or epochs[-1] == 1  # with one epoch that is no average
    ],
    "average_of_last_epoch": lambda states, epochs: [
        w for w, own in zip(states, epochs) if own == epochs[-1]
    ],
}
"""Which states an average counts, from these and their epochs."""

SHARES: dict[str, Callable[[int, int], Fraction | int]] = {
    "right": lambda t, T: t,
    "age_from_zero": lambda t, T: t - 1,
    "age_reversed": lambda t, T: T + 1 - t,
    "halved_with_each": lambda t, T: _halved(t, T),
}
"""What the t-th of T states counts in an average by age."""

EQUAL_SHARES: dict[str, Callable[[int, int], Fraction | int]] = {
    "right": lambda t, T: 1,
    "halved_with_each": lambda t, T: _halved(t, T),
    "first_counted_twice": lambda t, T: 1 + (t == 1),
}
"""The same in an average where all count the same."""

AVERAGED_OVER: dict[str, Callable[[Fraction, list[int]], Fraction | int]] = {
    "right": lambda total, epochs: total,
    "summed": lambda total, epochs: 1,
    "average_over_one_less": lambda total, epochs: total - 1 or 1,
    "average_over_one_more": lambda total, epochs: total + 1,
    "average_over_rows": lambda total, epochs: epochs.count(1),
    "average_over_epochs": lambda total, epochs: epochs[-1],
    "ages_over_visits": lambda total, epochs: len(epochs),
}
"""By what the sum of an average is divided, from what its states count together, and the epochs of
the visits."""

RECORDED: dict[str, Callable[[Vector, list[Vector]], list[Vector]]] = {
    "right": lambda start, states: states,
    "recorded_before": lambda start, states: [start, *states[:-1]],
    "start_recorded": lambda start, states: [start, *states],
    "one_state_kept": lambda start, states: [states[-1]] * len(states),
}
"""The states that are told and averaged."""


def _shared(row: Ranked, parts: int) -> Tau:
    """The own class gains x, and each rival loses one of so many parts of it."""
    return {**dict.fromkeys(row.rivals, Fraction(-1, parts)), row.y: ONE}


def _halved(t: int, T: int) -> Fraction:
    """What the t-th of T states counts in an average that is halved between itself and each."""
    return Fraction(1, 2 ** (T - max(t - 1, 1)))


def _projected(w: Vector, sigma: Fraction) -> Vector:
    """The nearest weights of at most the length 1/√σ."""
    square = float(dot(w, w, ZERO) * sigma)
    return [v / Fraction(sqrt(square)) for v in w] if square > 1 else w


def _softmax(scores: Sequence[Fraction]) -> list[Fraction]:
    """The shares of exp(s) in their sum."""
    powers = [exp(v) for v in scores]
    return [Fraction(power / fsum(powers)) for power in powers]
