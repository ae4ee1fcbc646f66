"""Perceptrons and descents as a beginner writes them, with switches for what people get wrong.

Each run is a plain loop. `wrong` holds the names of the mistakes that it makes; without any, what
it answers is right, with the first of tied classes.

    w, W, alpha   the state; `trace` has it after each visit
    psi           Ψ(x, j): the row in block j of a state of k blocks, or the features given
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from typing import Any

from refmc.core.records import Record
from refmc.oracle.online import perceptron, sgd
from refmc.oracle.reading import read_rows_or_gram
from refmc.theory.grams import gram

Vector = list[Fraction]
Wrong = Collection[str]


def perceptron_run(problem: Record, wrong: Wrong = ()) -> dict[str, object]:
    """A run of the binary, the kernel or the multi-class perceptron.

    >>> perceptron_run({"family": "perceptron.binary", "X": [[1, 0], [2, 1]], "y": [1, 1]})["w"]
    [Fraction(1, 1), Fraction(0, 1)]
    """
    if problem["family"] == perceptron.MULTICLASS:
        return _multiclass_perceptron(problem, wrong)
    run = perceptron.read_problem(problem)
    is_kernel = problem["family"] == perceptron.KERNEL
    one = [Fraction(1)] * run.bias
    rows = _kernel_rows(problem) if is_kernel else [[*x, *one] for x in run.X or ()]
    state = list(run.start or [Fraction(0)] * len(rows[0]))
    trace: list[Vector] = []
    mistakes: list[int] = []
    for visit in _visits(run, mistakes):
        if "forgotten_each_epoch" in wrong and visit.epoch > 1 and not mistakes[-1]:
            state = [Fraction(0)] * len(state)
        i, y = visit.row, run.y[visit.row]
        if is_kernel:
            K = [value + run.bias for value in rows[i]]
            signs = [1 if "no_label" in wrong else sign for sign in run.y]
            score = _dot([a * sign for a, sign in zip(state, signs)], K)
        elif "bias_untested" in wrong and run.bias:
            score = _dot(state[:-1], rows[i][:-1])
        else:
            score = _dot(_scoring(state, trace, run.average, wrong), rows[i])
        margin = score if "label_untested" in wrong else y * score
        needed = 1 if "margin_one" in wrong else 0
        strict = "strict_at_zero" in wrong or "margin_one" in wrong
        if margin < needed or (margin == needed and not strict) or "every_row" in wrong:
            mistakes[-1] += 1
            step = [Fraction(j == i) for j in range(len(state))] if is_kernel else rows[i]
            sign = 1 if is_kernel != ("alpha_signed" in wrong) else y
            if "no_label" in wrong:
                sign = 1
            if "minus" in wrong:
                sign = -sign
            moved = _plus(state, run.eta * sign, step)
            if "counted_once" in wrong and state[i]:
                moved = state
            if "bias_forgotten" in wrong and run.bias and not is_kernel:
                moved[-1] = state[-1]
            if "bias_no_label" in wrong and run.bias:
                moved[-1] = state[-1] + run.eta
            state = moved
        trace.append(state)
    end = _end(trace, run.average, wrong)
    found: dict[str, object] = {"family": problem["family"], "mistakes": mistakes, "trace": trace}
    if is_kernel:
        return found | {"alpha": end}
    return found | ({"w": end[:-1], "b": end[-1]} if run.bias else {"w": end})


def _visits(run: Any, mistakes: list[int]) -> Iterator[Any]:
    """The visits of a run, which ends after an epoch without mistakes.

    Each new epoch adds a 0 to `mistakes`, and the caller counts on from there.
    """
    for visit in run.visits:
        if visit.epoch > len(mistakes):
            if mistakes and not mistakes[-1]:
                return
            mistakes.append(0)
        yield visit


def _kernel_rows(problem: Record) -> list[Vector]:
    rows = read_rows_or_gram(problem)
    given: Any = rows.gram if rows.gram is not None else gram(rows.kernel, rows.X or [])
    return [list(row) for row in given]


def _multiclass_perceptron(problem: Record, wrong: Wrong) -> dict[str, object]:
    run = perceptron.read_problem(problem)
    X: Any = run.X
    W = _blocks(list(run.start or [Fraction(0)] * (run.k * len(X[0]))), run.k)
    trace: list[Vector] = []
    mistakes: list[int] = []
    for visit in _visits(run, mistakes):
        x, y = X[visit.row], run.y[visit.row]
        flat = _scoring([v for w in W for v in w], trace, run.average, wrong)
        scores = [_dot(w, x) for w in _blocks(flat, run.k)]
        y_hat = _arg_max(scores, wrong, y)
        if y_hat != y:
            mistakes[-1] += 1
            others = [r for r in range(run.k) if r != y]
            if "rivals_strict" in wrong:
                E = [r for r in others if scores[r] > scores[y]]
            else:
                E = [r for r in others if scores[r] >= scores[y]]
            if run.tau != "all_rivals":
                E = [r for r in E if r == y_hat]
            if "all_others_lose" in wrong:
                E = others
            is_full = {"rivals_full_share", "own_for_each"} & {*wrong}
            share = Fraction(1) if is_full else Fraction(1, len(E) or 1)
            own = len(E) if "own_for_each" in wrong else "own_left_alone" not in wrong
            if "rivals_left_alone" in wrong:
                E = []
            tau = {y: Fraction(own)} | dict.fromkeys(E, -share)
            W = [_plus(w, run.eta * tau.get(r, Fraction(0)), x) for r, w in enumerate(W)]
        trace.append([v for w in W for v in w])
    return {
        "family": problem["family"],
        "mistakes": mistakes,
        "trace": [_blocks(state, run.k) for state in trace],
        "W": _blocks(_end(trace, run.average, wrong), run.k),
    }


def _scoring(state: Vector, trace: list[Vector], average: str | None, wrong: Wrong) -> Vector:
    """The state, or the mean of those so far."""
    return _end(trace, average, ()) if "average_learns" in wrong and trace else state


def _end(trace: Sequence[Vector], average: str | None, wrong: Wrong) -> Vector:
    """The last state; or the mean of all, if the run averages."""
    if average is None:
        return trace[-1]
    counted = list(trace)
    if "average_miscounted" in wrong:
        counted = counted[:-1] or counted
    if "average_from_second" in wrong:
        counted = counted[1:] or counted
    if "average_over_updates" in wrong:
        moved = [w for before, w in zip([None, *trace], trace) if w != before]
        counted = moved or counted
    shares = [Fraction(t if average == "by_age" else 1) for t in range(1, len(counted) + 1)]
    columns = zip(*([share * v for v in w] for share, w in zip(shares, counted)))
    whole = Fraction(1) if "summed" in wrong else sum(shares)
    return [sum(column, Fraction(0)) / whole for column in columns]


def descent(problem: Record, wrong: Wrong = ()) -> dict[str, object]:
    """A run of stochastic subgradient descent, binary or multi-class.

    >>> run = {"family": "sgd.binary", "X": [[2]], "y": [1], "C": 1, "eta": "1/4"}
    >>> descent(run)["w"], descent(run, {"plus_sign"})["w"]
    ([Fraction(1, 2)], [Fraction(-1, 2)])
    """
    run = sgd.read_problem(problem)
    binary = problem["family"] == sgd.BINARY
    width = len(_psi(run, binary, 0, 0))
    shrunk = range(width - (run.bias and "intercept_other_rate" not in wrong))
    w = list(run.start or [Fraction(0)] * width)
    trace: list[Vector] = []
    for visit in run.visits:
        eta = run.etas[visit.t - 1]
        factor = 1 - eta * (run.c if "shrink_by_C" in wrong and binary else run.sigma)
        seen = [v * factor for v in w] if "shrunk_before_test" in wrong else w
        slope = _slope(run, binary, visit.row, seen, wrong)
        has_loss = slope is not None
        if "shrink_with_loss_only" in wrong or run.shrink == "with_loss":
            factor = factor if has_loss else Fraction(1)
        if "no_shrink" in wrong or run.shrink == "never":
            factor = Fraction(1)
        sign = 1 if "plus_sign" in wrong else -1
        moved = w
        if slope is not None and "shrink_after" in wrong:
            moved = _plus(w, sign * eta, slope)
        moved = [v * factor if j in shrunk else v for j, v in enumerate(moved)]
        if slope is not None and "shrink_after" not in wrong:
            moved = _plus(moved, sign * eta, slope)
        w = moved
        trace.append(w)
    end = _end(trace, run.average, wrong)
    if binary or run.features is not None:
        own = {"w": end[:-1], "b": end[-1]} if run.bias else {"w": end}
        return {"family": problem["family"], **own, "trace": trace}
    blocks = [_blocks(state, run.k) for state in trace]
    return {"family": problem["family"], "W": _blocks(end, run.k), "trace": blocks}


def _psi(run: Any, binary: bool, row: int, j: int) -> Vector:
    if binary:
        return [*run.X[row], *[Fraction(1)] * run.bias]
    if run.features is not None:
        return list(run.features[row][j])
    x = run.X[row]
    before, after = [Fraction(0)] * (j * len(x)), [Fraction(0)] * ((run.k - 1 - j) * len(x))
    return [*before, *x, *after]


def _slope(run: Any, binary: bool, row: int, w: Vector, wrong: Wrong) -> Vector | None:
    """A subgradient of the loss of a row, times its weight; None where the loss is flat."""
    y = run.y[row]
    if binary:
        x = _psi(run, True, row, 0)
        at_kink = "slope_at_kink" in wrong
        seen = [*x[:-1], Fraction(0)] if "bias_untested" in wrong and run.bias else x
        margin = y * _dot(w, seen)
        needed = 0 if "margin_forgotten" in wrong else 1
        if margin < needed or (margin == needed and at_kink) or "every_row" in wrong:
            slope = [-run.c * y * (1 if "without_x" in wrong else v) for v in x]
            return [*slope[:-1], Fraction(0)] if "bias_forgotten" in wrong and run.bias else slope
        return None
    psi = [_psi(run, False, row, j) for j in range(run.k)]
    cost = [Fraction(j != y) if run.costs is None else run.costs[row][j] for j in range(run.k)]
    v = [cost[j] + _dot(w, psi[j]) - _dot(w, psi[y]) for j in range(run.k)]
    if run.form == "sum":
        level = "last_of_tied" in wrong  # a term of 0 has either slope
        chosen = [j for j in range(run.k) if j != y and (v[j] > 0 or (level and v[j] == 0))]
    else:
        ranked = [v[j] - cost[j] for j in range(run.k)] if "argmax_without_cost" in wrong else v
        best = _arg_max(ranked, wrong, y)
        chosen = [best] if best != y else []
    if not chosen or (
        run.shrink == "with_loss" and max(v) <= 0 and "argmax_without_cost" not in wrong
    ):
        return None
    slope = [Fraction(0)] * len(w)
    own = 1 if "own_row_once" in wrong else len(chosen)
    for j in chosen:
        slope = _plus(slope, Fraction(1), psi[j])
    return _plus(slope, Fraction(-own), psi[y])


def _arg_max(values: Sequence[Fraction], wrong: Wrong, y: int) -> int:
    """The position of the first of the largest values; if asked, of the last or of the first but
    y, which are as right."""
    tied = [j for j, v in enumerate(values) if v == max(values)]
    if "rival_of_tied" in wrong:
        tied.sort(key=lambda j: j == y)
    return tied[-1 if "last_of_tied" in wrong else 0]


def _blocks(w: Vector, k: int) -> list[Vector]:
    d = len(w) // k
    return [w[j * d : (j + 1) * d] for j in range(k)]


def _dot(u: Sequence[Fraction], v: Sequence[Fraction | int]) -> Fraction:
    return sum((p * q for p, q in zip(u, v, strict=True)), Fraction(0))


def _plus(u: Sequence[Fraction], factor: Fraction | int, v: Sequence[Fraction | int]) -> Vector:
    return [p + factor * q for p, q in zip(u, v, strict=True)]
