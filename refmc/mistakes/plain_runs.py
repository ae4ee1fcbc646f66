"""Perceptrons and descents as a beginner writes them, with switches for what people get wrong.

Each run is a plain loop. `wrong` holds the names of the mistakes that it makes; without any, what
it answers is right, with the first of tied classes. What may stand in the place of one step of the
loop is a line of a table in `run_steps`.

    w, W, alpha   the state; `trace` has it after each visit
    psi           Ψ(x, j): the row in block j of a state of k blocks, or the features given
    tau           by what multiple of Ψ(x, j) the state moves, times the step size
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, chain
from typing import Any

from refmc.core.linalg import dot
from refmc.core.records import Record, numbers
from refmc.core.sample import Label
from refmc.mistakes.fields import row_weights
from refmc.mistakes.mistake import Wrong, step_of
from refmc.mistakes.run_steps import (
    AFTER,
    AVERAGED_OVER,
    BIAS,
    COUNTED,
    EQUAL_SHARES,
    FACTORS,
    HOW_FAR,
    OF_LIST,
    OF_VISIT,
    ONE,
    RATES,
    RECORDED,
    SEEN,
    SHARES,
    STEP_SIZES,
    TAUS,
    TESTED,
    WHEN,
    ZERO,
    Ranked,
    Seen,
    Shrink,
    Tau,
    Vector,
)
from refmc.mistakes.transport import is_far, kept
from refmc.oracle.online import perceptron, sgd
from refmc.oracle.online.runs import labels_of
from refmc.oracle.reading import read_rows_or_gram
from refmc.theory.grams import gram

DESCENTS = (sgd.BINARY, sgd.MULTICLASS)


def plain_run(
    problem: Record, wrong: Wrong = (), told: Sequence[object] = ()
) -> dict[str, object] | None:
    """A run of a perceptron, binary, kernel or multi-class, or of a stochastic subgradient descent.

    `told`: the states of an answer; None as soon as the run is at another one.

    >>> run = {"family": "sgd.binary", "X": [[2]], "y": [1], "C": 1, "eta": "1/4"}
    >>> plain_run(run)
    {'family': 'sgd.binary', 'trace': [[Fraction(1, 2)]], 'w': [Fraction(1, 2)]}
    >>> plain_run(run, {"plus_sign"}, [["1/2"]]) is None  # its w is −½
    True
    """
    of = _multiclass if str(problem["family"]).endswith("multiclass") else _binary
    return of(problem, wrong, told if RECORDED.keys().isdisjoint(wrong) else ())


def _read_again(problem: Record) -> Any:
    return (sgd if problem["family"] in DESCENTS else perceptron).read_problem(problem)


_read_once = kept(_read_again)
"""The problem of many runs with other mistakes, which is read once."""


def _read(problem: Record, wrong: Wrong) -> Any:
    if "weights_multiply" not in wrong or "weights" not in problem:
        return _read_once(problem)
    each = [int(w > 0 or "absent_visited" in wrong) for w in row_weights(problem)]
    return _read_again({**problem, "weights": each})


def _binary(problem: Record, wrong: Wrong, told: Sequence[object]) -> dict[str, object] | None:
    run, is_descent = _read(problem, wrong), problem["family"] in DESCENTS
    is_kernel = problem["family"] == perceptron.KERNEL
    has_bias = run.bias and not is_kernel
    rows = _rows(problem, run, wrong)
    state = list(run.start or [ZERO] * len(rows[0]))
    begun, scale, trace, mistakes = state, ONE, list[Vector](), list[int]()
    largest = max(dot(row, row, ZERO) - has_bias for row in rows)
    tested = _tested(rows, len(state) - has_bias, wrong)
    for visit, is_first, is_last in _visits(run, mistakes, is_descent, wrong):
        i, j = _row(run, visit, wrong)
        eta, C, sigma = _rates(problem, run, visit, sum(mistakes), wrong)
        if is_first:
            is_reset = "forgotten_each_epoch" in wrong and visit.epoch > 1
            begun = state = [ZERO] * len(state) if is_reset else state
        seen = _seen(run, state, begun, trace, eta * sigma, wrong)
        score = dot(seen, tested[i], ZERO) + (run.bias and "bias_outside" in wrong)
        row = Seen(rows[i], run.y[j], score, eta, C, largest)
        moves = step_of(WHEN, wrong, "descent" if is_descent else "perceptron")(row)
        mistakes[-1] += moves
        step = [Fraction(r == i) for r in range(len(state))] if is_kernel else list(row.x)
        if "without_x" in wrong:
            step = [ONE] * len(step)
        if has_bias:
            step[-1] *= step_of(BIAS, wrong)(row)
        is_counted = "counted_once" in wrong and state[i]
        far = 0 if is_counted else step_of(HOW_FAR, wrong, "kernel" if is_kernel else "rows")(row)
        step = [eta * C * far * moves * v for v in step]
        width = len(state) - (has_bias and not {"intercept_other_rate", "rate_on_all"} & {*wrong})
        at = Shrink(eta, sigma, C, is_descent, moves, len(run.y), 1, 1)
        factor = _factor(run, at, wrong)
        scale *= factor
        if "step_unscaled" in wrong:
            step[:width] = [scale * v for v in step[:width]]
        state = _stepped(state, step, range(width), factor, wrong)
        width = len(state) - has_bias
        state = step_of(AFTER, wrong)(state[:width], sigma) + state[width:]
        trace.append(begun if "whole_batch" in wrong and not is_last else state)
        if is_far(told[len(trace) - 1 : len(trace)], trace[-1:]):
            return None
    end, states = _told(run, trace, wrong)
    if "pocket" in wrong and run.average is None:
        end = min(trace, key=lambda w: sum(y * dot(w, x, ZERO) <= 0 for x, y in zip(rows, run.y)))
    if "bias_not_averaged" in wrong and has_bias:
        end[-1] = trace[-1][-1]
    counts = {} if is_descent else {"mistakes": _counts(mistakes, wrong)}
    found: dict[str, object] = {"family": problem["family"], "trace": states, **counts}
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
        at = step_of(OF_LIST, wrong)(visit, len(run.etas))
        eta, C, sigma = run.etas[at], run.c, run.sigma
        if "eta" not in problem:
            eta = step_of(STEP_SIZES, wrong)(sigma, visit.t, len(run.visits), len(run.y))
    if "weights_multiply" in wrong and "weights" in problem:
        C *= numbers(problem["weights"], "problem.weights")[visit.row]
    return step_of(RATES, wrong)(eta, visit, moved), C, sigma


def _rows(problem: Record, run: Any, wrong: Wrong = ()) -> list[Vector]:
    """With what the state of two classes is multiplied for the score of each row."""
    if problem["family"] == perceptron.KERNEL:
        return _signed_kernel(problem, run, wrong)
    return [[*x, *[ONE] * run.bias] for x in run.X]


def _signed_kernel(problem: Record, run: Any, wrong: Wrong) -> list[Vector]:
    """For each row the kernel with all rows, times their labels, plus the 1 of the bias."""
    rows = read_rows_or_gram(problem)
    given: Any = rows.gram if rows.gram is not None else gram(rows.kernel, rows.X or [])
    if "label_of_visited" in wrong:
        return [[(v + run.bias) * own for v in row] for row, own in zip(given, run.y)]
    signs = [1 if "no_label" in wrong else sign for sign in run.y]
    one = run.bias and "bias_outside" not in wrong
    return [[(v + one) * sign for v, sign in zip(row, signs)] for row in given]


def _row(run: Any, visit: Any, wrong: Wrong) -> list[int]:
    """The rows whose x and whose y a visit has."""
    last = len(run.visits) - 1
    places = (visit.t - 1 + by for by in step_of(OF_VISIT, wrong))
    return [run.visits[min(max(at, 0), last)].row for at in places]


def _seen(
    run: Any, state: Vector, begun: Vector, trace: list[Vector], share: Fraction, wrong: Wrong
) -> Vector:
    """The state that is tested."""
    if "average_learns" in wrong and trace:
        return _mean(trace, [], run.average, ())
    before = trace[-2] if trace[1:] else list(run.start or [ZERO] * len(state))
    return step_of(SEEN, wrong)(state, begun, before, share)


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


def _multiclass(problem: Record, wrong: Wrong, told: Sequence[object]) -> dict[str, object] | None:
    run, is_descent = _read(problem, wrong), problem["family"] in DESCENTS
    features = run.features if is_descent else None
    moved_by = [[ONE] * len(x) for x in run.X or ()] if "without_x" in wrong else run.X
    rows: Any = features or _in_blocks(moved_by, run.k)
    if features is None:
        tested = _in_blocks(_tested(run.X, len(run.X[0]), wrong), run.k)
    else:
        tested = [_tested(psi, len(psi[0]), wrong) for psi in features]
    state = list(run.start or [ZERO] * len(rows[0][0]))
    begun, trace, mistakes = state, list[Vector](), list[int]()
    for visit, is_first, _ in _visits(run, mistakes, is_descent, wrong):
        i, own = _row(run, visit, wrong)
        eta, C, sigma = _rates(problem, run, visit, sum(mistakes), wrong)
        begun = state if is_first else begun
        psi, y, d = rows[i], run.y[own], len(state) // run.k
        seen = _seen(run, state, begun, trace, eta * sigma, wrong)
        scores = [dot(seen, v, ZERO) for v in tested[i]]
        costs = [Fraction(j != y) for j in range(run.k)]
        if is_descent and run.costs is not None:
            costs = run.costs[own]
        rivals = (_terms if is_descent else _rivals)(run, scores, costs, y, wrong)
        moves = rivals is not None
        beat = sum(score >= scores[y] for score in scores) - 1
        mistakes[-1] += beat if "rivals_counted" in wrong else moves
        tau: Tau = {}
        if rivals is not None:
            share = ONE if is_descent else Fraction(1, len(rivals) or 1)
            lift = Fraction(len(rivals)) if is_descent else ONE
            row = Ranked(scores, costs, y, rivals, dot(psi[y], psi[y], ZERO), eta)
            tau = step_of(TAUS, wrong)({**dict.fromkeys(rivals, -share), y: lift}, row)
        step = [ZERO] * len(state)
        for j, times in tau.items():
            step = _plus(step, times * eta * C * (-1 if "plus_sign" in wrong else 1), psi[j])
        if "rows_shared" in wrong and features is None and run.start is None:
            step = [sum(step[n % d :: d], ZERO) for n in range(len(step))]
        untouched = "shrinks_touched_only" in wrong and features is None
        shrunk = [n for n in range(len(state)) if not untouched or n // d in tau]
        shrink = Shrink(eta, sigma, C, is_descent, moves, len(run.y), len(rivals or ()), run.k)
        state = _stepped(state, step, shrunk, _factor(run, shrink, wrong), wrong)
        state = step_of(AFTER, wrong)(state, sigma)
        trace.append(state)
        at = state if features is not None else _blocks(state, run.k)
        if is_far(told[len(trace) - 1 : len(trace)], [at]):
            return None
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
    if "own_no_candidate" in wrong and run.form == "max":
        best = max((j for j in range(run.k) if j != y), key=lambda j: v[j], default=None)
        return None if best is None or (run.shrink == "with_loss" and v[best] <= 0) else [best]
    by_score = "argmax_without_cost" in wrong
    if by_score:
        v = [score - scores[y] for score in scores]
    if "rival_by_score" in wrong and run.form == "max":
        rival = max((j for j in range(run.k) if j != y), key=lambda j: scores[j], default=y)
        v = [term if j in (y, rival) else -ONE for j, term in enumerate(v)]
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
    told = trace if "told_after" in wrong else states[-len(trace) :]
    if run.average is None:
        return trace[-1], told
    epochs = [visit.epoch for visit in run.visits[: len(trace)]]
    return _mean(states, epochs, run.average, wrong), told


def _mean(states: list[Vector], epochs: list[int], average: str | None, wrong: Wrong) -> Vector:
    counted = step_of(COUNTED, wrong)(states, epochs) or states
    share = step_of(SHARES if average == "by_age" else EQUAL_SHARES, wrong)
    shares = [Fraction(share(t, len(counted))) for t in range(1, len(counted) + 1)]
    columns = zip(*([share * v for v in w] for share, w in zip(shares, counted)))
    whole = step_of(AVERAGED_OVER, wrong)(sum(shares, ZERO), epochs)
    return [sum(column, ZERO) / whole for column in columns]


def _arg_max(values: Sequence[Fraction], wrong: Wrong, y: int) -> int:
    """The position of the first of the largest values; if asked, of the last or of the first but
    y, which are as right."""
    tied = _tied(values)
    if "rival_of_tied" in wrong:
        tied.sort(key=lambda j: j == y)
    return tied[-1 if "last_of_tied" in wrong else 0]


def _tested(rows: Sequence[Vector], n: int, wrong: Wrong) -> list[Vector]:
    """With what the state is multiplied for the score of each row of n terms and the bias."""
    is_tested = step_of(TESTED, wrong)
    return [
        [v if is_tested(j, n, i) else ZERO for j, v in enumerate(x)] for i, x in enumerate(rows)
    ]


def predicted(problem: Record, made: dict[str, Any], told: Sequence[Label]) -> list[Label]:
    """The labels of the end of a run, or of its votes: those that are told, where they may be."""
    run, has_blocks = _read_once(problem), str(problem["family"]).endswith("multiclass")
    rows: Any = getattr(run, "features", None)
    if rows is None and has_blocks:
        rows = _in_blocks(run.X, run.k)
    elif rows is None:
        rows = [[[-v for v in x], x] for x in _rows(problem, run)]
    end = next(made[name] for name in ("W", "w", "alpha") if name in made)
    states = made["trace"] if run.voted else [[*end, made["b"]] if "b" in made else end]
    flat = [[*chain(*w)] if isinstance(w[0], list) else w for w in states]
    classes = labels_of(problem, len(run.y))
    found = list[Label]()
    for psi, label in zip(rows, told):
        ballots = [_tied([dot(w, v, ZERO) for v in psi]) for w in flat]
        sure = Counter(best for best, *others in ballots if not others)
        most = max(sure.values(), default=0)
        may = [c for r, c in enumerate(classes) if sum(r in tied for tied in ballots) >= most]
        found.append(label if label in may else may[0])
    return found


def _tied(scores: Sequence[Fraction]) -> list[int]:
    return [j for j, score in enumerate(scores) if score == max(scores)]


def _in_blocks(X: Sequence[Sequence[Fraction]], k: int) -> list[list[Vector]]:
    zeros = [ZERO] * len(X[0])
    return [[zeros * j + [*x] + zeros * (k - 1 - j) for j in range(k)] for x in X]


def _blocks(w: Vector, k: int) -> list[Vector]:
    d = len(w) // k
    return [w[j * d : (j + 1) * d] for j in range(k)]


def _plus(u: Sequence[Fraction], factor: Fraction | int, v: Sequence[Fraction | int]) -> Vector:
    return [p + factor * q for p, q in zip(u, v, strict=True)]
