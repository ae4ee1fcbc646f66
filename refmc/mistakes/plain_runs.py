"""Perceptrons and descents as a beginner writes them, with switches for what people get wrong.

Each run is a plain loop. `wrong` holds the names of the mistakes that it makes; without any, what
it answers is right, with the first of tied classes. A table has what may stand in the place of one
step of the loop.

    w, W, alpha   the state; `trace` has it after each visit
    psi           Ψ(x, j): the row in block j of a state of k blocks, or the features given
    tau           by what multiple of Ψ(x, j) the state moves, times the step size
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from math import exp, fsum, sqrt
from typing import Any, NamedTuple

from refmc.core.records import Record, numbers
from refmc.mistakes.fields import without
from refmc.mistakes.mistake import Wrong, step_of
from refmc.oracle.online import perceptron, sgd
from refmc.oracle.reading import read_rows_or_gram
from refmc.theory.grams import gram

Vector = list[Fraction]
Tau = Mapping[int, Fraction]

ZERO, ONE = Fraction(0), Fraction(1)
DESCENTS = (sgd.BINARY, sgd.MULTICLASS)


class Seen(NamedTuple):
    """What a visit knows of its row: x with the 1 of the bias, y as a sign, and its score."""

    x: Vector
    y: int
    score: Fraction
    eta: Fraction
    C: Fraction

    @property
    def margin(self) -> Fraction:
        return self.y * self.score


WHEN: dict[str, Callable[[Seen], bool]] = {
    "perceptron": lambda row: row.margin <= 0,
    "descent": lambda row: row.margin < 1,
    "strict_at_zero": lambda row: row.margin < 0,
    "margin_one": lambda row: row.margin < 1,
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
    "labels_zero_one": lambda row: row.y > 0,
    "by_difference": lambda row: row.y - row.score,
    "step_over_length": lambda row: row.y / Fraction(sqrt(_dot(row.x, row.x) or 1)),
    "squared_slope": lambda row: 2 * (row.y - row.score),
    "passive_aggressive": lambda row: (row.y - row.score) / (row.eta * (_dot(row.x, row.x) or 1)),
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
    "bias_times_norm": lambda row: _dot(row.x[:-1], row.x[:-1]),
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

STEP_SIZES: dict[str, Callable[[Fraction, int, int, int], Fraction]] = {
    "right": lambda lam, t, T, m: 1 / (lam * t),
    "root_rate": lambda lam, t, T, m: 1 / (lam * Fraction(sqrt(t))),
    "rate_without_lam": lambda lam, t, T, m: Fraction(1, t),
    "t_from_zero": lambda lam, t, T, m: 1 / (lam * (t + 1)),
    "t_late": lambda lam, t, T, m: 1 / (lam * max(1, t - 1)),
    "constant_step": lambda lam, t, T, m: 1 / (lam * T),
    "rate_of_round": lambda lam, t, T, m: 1 / (lam * ((t - 1) // m + 1)),
    "rate_over_m": lambda lam, t, T, m: 1 / (lam * t * m),
}
"""The t-th of T step sizes where none are given."""


class Shrink(NamedTuple):
    """What a descent knows before it shrinks: whether it should, and whether the row moves it."""

    eta: Fraction
    sigma: Fraction
    C: Fraction
    is_due: bool
    moves: bool
    m: int


FACTORS: dict[str, Callable[[Shrink], Fraction]] = {
    "right": lambda at: 1 - at.eta * at.sigma * at.is_due,
    "no_shrink": lambda at: ONE,
    "shrink_with_loss_only": lambda at: 1 - at.eta * at.sigma * at.moves,
    "shrink_without_loss": lambda at: 1 - at.eta * at.sigma * (not at.moves),
    "shrink_by_C": lambda at: 1 - at.eta * at.C * at.is_due,
    "shrink_divides": lambda at: 1 / (1 + at.eta * at.sigma * at.is_due),
    "shrink_without_lam": lambda at: 1 - at.eta * at.is_due,
    "shrink_over_m": lambda at: 1 - at.eta * at.sigma * at.is_due / at.m,
    "regulariser_doubled": lambda at: 1 - 2 * at.eta * at.sigma * at.is_due,
    "regulariser_halved": lambda at: 1 - at.eta * at.sigma * at.is_due / 2,
}
"""What a descent multiplies the weights by."""

TESTED: dict[str, Callable[[Vector, int], Vector]] = {
    "right": lambda x, i: x,
    "bias_untested": lambda x, i: [*x[:-1], ZERO],
    "itself_left_out": lambda x, i: [*x[:i], ZERO, *x[i + 1 :]],
    "later_left_out": lambda x, i: x[: i + 1] + [ZERO] * (len(x) - i - 1),
}
"""With what the state is multiplied for the score of the i-th row."""

AFTER: dict[str, Callable[[Vector, Fraction], Vector]] = {
    "right": lambda w, sigma: w,
    "clipped": lambda w, sigma: [max(-ONE, min(ONE, v)) for v in w],
    "projected": lambda w, sigma: _projected(w, sigma),
}
"""What is done to the weights after a step."""


class Ranked(NamedTuple):
    """What a visit knows of the classes: their scores and costs, the own class, and those that beat
    it."""

    scores: Vector
    costs: Vector
    y: int
    rivals: list[int]
    square: Fraction


TAUS: dict[str, Callable[[Tau, Ranked], Tau]] = {
    "right": lambda tau, row: tau,
    "rivals_full_share": lambda tau, row: {**dict.fromkeys(row.rivals, -ONE), row.y: ONE},
    "own_for_each": lambda tau, row: {j: v * len(row.rivals) for j, v in tau.items()},
    "all_others_lose": lambda tau, row: {
        j: ONE if j == row.y else Fraction(-1, len(row.scores) - 1) for j in range(len(row.scores))
    },
    "passive_aggressive": lambda tau, row: {
        j: v * (1 + max(row.scores) - row.scores[row.y]) / (2 * (row.square or ONE))
        for j, v in tau.items()
    },
    "rivals_left_alone": lambda tau, row: {row.y: tau[row.y]},
    "own_left_alone": lambda tau, row: {j: v for j, v in tau.items() if j != row.y},
    "own_row_once": lambda tau, row: {**tau, row.y: ONE},
    "own_share": lambda tau, row: {**tau, row.y: Fraction(1, len(row.rivals) or 1)},
    "shares_of_all": lambda tau, row: {
        **dict.fromkeys(row.rivals, Fraction(-1, len(row.scores) - 1)), row.y: ONE,
    },
    "share_more": lambda tau, row: {
        **dict.fromkeys(row.rivals, Fraction(-1, len(row.rivals) + 1)), row.y: ONE,
    },
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

RECORDED: dict[str, Callable[[Vector, list[Vector]], list[Vector]]] = {
    "right": lambda start, states: states,
    "recorded_before": lambda start, states: [start, *states[:-1]],
    "start_recorded": lambda start, states: [start, *states],
    "one_state_kept": lambda start, states: [states[-1]] * len(states),
}
"""The states that are told and averaged."""


def plain_run(problem: Record, wrong: Wrong = ()) -> dict[str, object]:
    """A run of a perceptron, binary, kernel or multi-class, or of a stochastic subgradient descent.

    >>> run = {"family": "sgd.binary", "X": [[2]], "y": [1], "C": 1, "eta": "1/4"}
    >>> plain_run(run)["w"], plain_run(run, {"plus_sign"})["w"]
    ([Fraction(1, 2)], [Fraction(-1, 2)])
    """
    of = _multiclass if str(problem["family"]).endswith("multiclass") else _binary
    return of(problem, wrong)


def _read(problem: Record, wrong: Wrong) -> Any:
    problem = without(problem, "weights") if "weights_multiply" in wrong else problem
    return (sgd if problem["family"] in DESCENTS else perceptron).read_problem(problem)


def _binary(problem: Record, wrong: Wrong) -> dict[str, object]:
    run, is_descent = _read(problem, wrong), problem["family"] in DESCENTS
    is_kernel = problem["family"] == perceptron.KERNEL
    has_bias = run.bias and not is_kernel
    one = [ONE] * run.bias
    rows = _signed_kernel(problem, run, wrong) if is_kernel else [[*x, *one] for x in run.X]
    state = list(run.start or [ZERO] * len(rows[0]))
    begun, trace, mistakes = state, list[Vector](), list[int]()
    for visit, is_first, is_last in _visits(run, mistakes, is_descent, wrong):
        i, (eta, C, sigma) = visit.row, _rates(problem, run, visit, sum(mistakes), wrong)
        if is_first:
            is_reset = "forgotten_each_epoch" in wrong and visit.epoch > 1
            begun = state = [ZERO] * len(state) if is_reset else state
        is_batch = not {"whole_batch", "tested_at_start"}.isdisjoint(wrong)
        seen = begun if is_batch else _seen(run, state, trace, eta * sigma, wrong)
        tested = step_of(TESTED, wrong if is_kernel or has_bias else ())(rows[i], i)
        row = Seen(rows[i], run.y[i], _dot(seen, tested), eta, C)
        moves = step_of(WHEN, wrong, "descent" if is_descent else "perceptron")(row)
        mistakes[-1] += moves
        step = [Fraction(j == i) for j in range(len(state))] if is_kernel else list(row.x)
        if "without_x" in wrong:
            step = [ONE] * len(step)
        if has_bias:
            step[-1] *= step_of(BIAS, wrong)(row)
        far = step_of(HOW_FAR, wrong, "kernel" if is_kernel else "rows")(row)
        if "counted_once" in wrong and state[i]:
            far = 0
        step = [eta * C * far * moves * v for v in step]
        width = len(state) - (has_bias and not {"intercept_other_rate", "rate_on_all"} & {*wrong})
        at = Shrink(eta, sigma, C, is_descent, moves, len(run.y))
        state = _stepped(state, step, range(width), _factor(run, at, wrong), wrong)
        width = len(state) - has_bias
        state = step_of(AFTER, wrong)(state[:width], sigma) + state[width:]
        trace.append(begun if "whole_batch" in wrong and not is_last else state)
    end, states = _told(run, trace, wrong)
    if "bias_not_averaged" in wrong and has_bias:
        end[-1] = trace[-1][-1]
    found: dict[str, object] = {"family": problem["family"], "trace": states}
    if not is_descent:
        found["mistakes"] = _counts(mistakes, wrong)
    if is_kernel:
        return found | {"alpha": end}
    return found | ({"w": end[:-1], "b": end[-1]} if run.bias else {"w": end})


def _visits(
    run: Any, mistakes: list[int], is_descent: bool, wrong: Wrong
) -> Iterator[tuple[Any, bool, bool]]:
    """The visits, and whether each is the first and the last of its epoch.

    A perceptron ends after an epoch without mistakes. Each new epoch adds a 0 to `mistakes`, and
    the caller counts on from there.
    """
    few = -1 if is_descent or "goes_on" in wrong else int("stops_at_one_mistake" in wrong)
    for visit, after in zip(run.visits, [*run.visits[1:], None]):
        is_first = visit.epoch > len(mistakes)
        if is_first and mistakes and mistakes[-1] <= few:
            return
        mistakes += [0] * is_first
        if mistakes[-1] and "epoch_ends_at_mistake" in wrong:
            continue
        yield visit, is_first, after is None or after.epoch > visit.epoch


def _rates(
    problem: Record, run: Any, visit: Any, moved: int, wrong: Wrong
) -> tuple[Fraction, Fraction, Fraction]:
    """The step size, by what the loss is multiplied, and how much the norm counts."""
    eta, C, sigma = getattr(run, "eta", ZERO), ONE, ZERO
    if problem["family"] in DESCENTS:
        eta, C, sigma = run.etas[visit.t - 1], run.c, run.sigma
        if "eta" not in problem:
            eta = step_of(STEP_SIZES, wrong)(sigma, visit.t, len(run.visits), len(run.y))
    if "weights_multiply" in wrong and "weights" in problem:
        C *= numbers(problem["weights"], "problem.weights")[visit.row]
    return step_of(RATES, wrong)(eta, visit, moved), C, sigma


def _signed_kernel(problem: Record, run: Any, wrong: Wrong) -> list[Vector]:
    """For each row the kernel with all rows, times their labels, plus the 1 of the bias."""
    rows = read_rows_or_gram(problem)
    given: Any = rows.gram if rows.gram is not None else gram(rows.kernel, rows.X or [])
    if "label_of_visited" in wrong:
        return [[(v + run.bias) * own for v in row] for row, own in zip(given, run.y)]
    signs = [1 if "no_label" in wrong else sign for sign in run.y]
    return [[(v + run.bias) * sign for v, sign in zip(row, signs)] for row in given]


def _seen(run: Any, state: Vector, trace: list[Vector], share: Fraction, wrong: Wrong) -> Vector:
    """The state that is tested."""
    if "average_learns" in wrong and trace:
        return _mean(trace, [], run.average, ())
    return [v * (1 - share) for v in state] if "shrunk_before_test" in wrong else state


def _factor(run: Any, at: Shrink, wrong: Wrong) -> Fraction:
    """What the weights are multiplied by; a perceptron doesn't shrink them."""
    if not at.is_due:
        return at.eta if "rate_on_all" in wrong and at.moves else ONE
    at = at._replace(is_due=run.shrink == "always" or (run.shrink == "with_loss" and at.moves))
    return step_of(FACTORS, wrong)(at)


def _stepped(
    state: Vector, step: Vector, shrunk: Collection[int], factor: Fraction, wrong: Wrong
) -> Vector:
    """The state after a step; only what stands at some positions is shrunk."""
    if "shrink_after" in wrong:
        state, step = _plus(state, 1, step), [ZERO] * len(step)
    return _plus([v * factor if j in shrunk else v for j, v in enumerate(state)], 1, step)


def _multiclass(problem: Record, wrong: Wrong) -> dict[str, object]:
    run, is_descent = _read(problem, wrong), problem["family"] in DESCENTS
    features = run.features if is_descent else None
    rows: Any = features or [[_block(x, j, run.k) for j in range(run.k)] for x in run.X]
    state = list(run.start or [ZERO] * len(rows[0][0]))
    trace, mistakes = list[Vector](), list[int]()
    for visit, *_ in _visits(run, mistakes, is_descent, wrong):
        i, (eta, C, sigma) = visit.row, _rates(problem, run, visit, sum(mistakes), wrong)
        psi, y = rows[i], run.y[i]
        scores = [_dot(_seen(run, state, trace, eta * sigma, wrong), v) for v in psi]
        costs = [Fraction(j != y) for j in range(run.k)]
        if is_descent and run.costs is not None:
            costs = run.costs[i]
        rivals = (_terms if is_descent else _rivals)(run, scores, costs, y, wrong)
        moves = rivals is not None
        mistakes[-1] += moves
        tau: Tau = {}
        if rivals is not None:
            share = ONE if is_descent else Fraction(1, len(rivals) or 1)
            own = Fraction(len(rivals)) if is_descent else ONE
            row = Ranked(scores, costs, y, rivals, _dot(psi[y], psi[y]))
            tau = step_of(TAUS, wrong)({**dict.fromkeys(rivals, -share), y: own}, row)
        step = [ZERO] * len(state)
        for j, times in tau.items():
            step = _plus(step, times * eta * C * (-1 if "plus_sign" in wrong else 1), psi[j])
        d = len(state) // run.k
        untouched = "shrinks_touched_only" in wrong and features is None
        shrunk = [n for n in range(len(state)) if not untouched or n // d in tau]
        at = Shrink(eta, sigma, C, is_descent, moves, len(run.y))
        state = _stepped(state, step, shrunk, _factor(run, at, wrong), wrong)
        state = step_of(AFTER, wrong)(state, sigma)
        trace.append(state)
    end, states = _told(run, trace, wrong)
    found: dict[str, object] = {} if is_descent else {"mistakes": _counts(mistakes, wrong)}
    found["family"] = problem["family"]
    if features is not None:
        return found | {"w": end, "trace": states}
    return found | {"W": _blocks(end, run.k), "trace": [_blocks(w, run.k) for w in states]}


def _rivals(run: Any, scores: Vector, costs: Vector, y: int, wrong: Wrong) -> list[int] | None:
    """The classes that a perceptron lowers; None where it is right."""
    y_hat = _arg_max(scores, wrong, y)
    others = [r for r in range(run.k) if r != y]
    if y_hat == y:
        is_near = "margin_one" in wrong and any(scores[y] - scores[r] < 1 for r in others)
        return [max(others, key=lambda r: scores[r])] if is_near else None
    if "least_rival" in wrong and run.tau != "all_rivals":
        return [min(others, key=lambda r: scores[r])]
    beat = [r for r in others if scores[r] > scores[y]]
    if "rivals_strict" not in wrong:
        beat = [r for r in others if scores[r] >= scores[y]]
    chosen = [r for r in beat if r == y_hat or "first_rival" in wrong][:1]
    return beat if run.tau == "all_rivals" else chosen


def _terms(run: Any, scores: Vector, costs: Vector, y: int, wrong: Wrong) -> list[int] | None:
    """The classes with a loss whose slope a descent takes; None where the loss is flat."""
    if "softmax_slope" in wrong:
        return [j for j in range(run.k) if j != y]
    v = [cost + score - scores[y] for cost, score in zip(costs, scores)]
    by_score = "argmax_without_cost" in wrong
    if by_score:
        v = [score - scores[y] for score in scores]
    if run.form == "sum":
        level = "last_of_tied" in wrong  # a term of 0 has either slope
        chosen = [j for j in range(run.k) if j != y and (v[j] > 0 or (level and v[j] == 0))]
    else:
        chosen = [j for j in [_arg_max(v, wrong, y)] if j != y]
    flat = run.shrink == "with_loss" and max(v) <= 0 and not by_score
    return None if flat or not chosen else chosen


def _counts(mistakes: list[int], wrong: Wrong) -> list[int]:
    return [*accumulate(mistakes)] if "mistakes_added_up" in wrong else mistakes


def _told(run: Any, trace: list[Vector], wrong: Wrong) -> tuple[Vector, list[Vector]]:
    """The last state, or the mean of all if the run averages; and the states that are told."""
    start = list(run.start or [ZERO] * len(trace[0]))
    states = step_of(RECORDED, wrong)(start, trace)
    told = states[-len(trace) :]
    if run.average is None:
        return trace[-1], told
    epochs = [visit.epoch for visit in run.visits[: len(trace)]]
    return _mean(states, epochs, run.average, wrong), told


def _mean(states: list[Vector], epochs: list[int], average: str | None, wrong: Wrong) -> Vector:
    counted = step_of(COUNTED, wrong)(states, epochs) or states
    first = int("age_from_zero" not in wrong)
    shares = [Fraction(t if average == "by_age" else 1) for t in range(first, len(counted) + first)]
    if "age_reversed" in wrong:
        shares.reverse()
    columns = zip(*([share * v for v in w] for share, w in zip(shares, counted)))
    whole = ONE if "summed" in wrong else sum(shares)
    return [sum(column, ZERO) / whole for column in columns]


def _arg_max(values: Sequence[Fraction], wrong: Wrong, y: int) -> int:
    """The position of the first of the largest values; if asked, of the last or of the first but
    y, which are as right."""
    tied = [j for j, v in enumerate(values) if v == max(values)]
    if "rival_of_tied" in wrong:
        tied.sort(key=lambda j: j == y)
    return tied[-1 if "last_of_tied" in wrong else 0]


def _projected(w: Vector, sigma: Fraction) -> Vector:
    """The nearest weights of at most the length 1/√σ."""
    square = float(_dot(w, w) * sigma)
    return [v / Fraction(sqrt(square)) for v in w] if square > 1 else w


def _softmax(scores: Sequence[Fraction]) -> list[Fraction]:
    """The shares of exp(s) in their sum."""
    powers = [exp(v) for v in scores]
    return [Fraction(power / fsum(powers)) for power in powers]


def _block(x: Sequence[Fraction], j: int, k: int) -> Vector:
    return [v if r == j else ZERO for r in range(k) for v in x]


def _blocks(w: Vector, k: int) -> list[Vector]:
    d = len(w) // k
    return [w[j * d : (j + 1) * d] for j in range(k)]


def _dot(u: Sequence[Fraction], v: Sequence[Fraction | int]) -> Fraction:
    return sum((p * q for p, q in zip(u, v, strict=True)), ZERO)


def _plus(u: Sequence[Fraction], factor: Fraction | int, v: Sequence[Fraction | int]) -> Vector:
    return [p + factor * q for p, q in zip(u, v, strict=True)]
