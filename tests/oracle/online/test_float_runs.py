"""Honest runs in binary64, by plain loops of their own, are never refuted; moved numbers are.

The loops add their products from the first to the last, as most programs do, and round each of
them, so that ties are decided by rounding wherever a step size or the rows are no short dyadics.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction as F
from math import exp, fsum, log
from random import Random
from typing import Any, NamedTuple

import pytest

from refmc import check
from refmc.core.records import Record

pytestmark = pytest.mark.usefixtures("without_hints")

SOME = [pytest.param(25, id="some"), pytest.param(300, id="many", marks=pytest.mark.campaign)]


class Run(NamedTuple):
    """A problem, the answer of a loop in floats, and a number that is beyond all its roundings."""

    problem: Record
    answer: dict[str, Any]
    beyond: float


def dot(u: list[float], v: list[float]) -> float:
    found = 0.0
    for a, b in zip(u, v, strict=True):
        found += a * b
    return found


def rows_of(random: Random, d: int) -> list[list[float]]:
    """Rows of whole numbers, of tenths, of thirds of a unit or of any floats; ties abound."""
    kinds: list[Callable[[], float]] = [
        lambda: float(random.randint(-3, 3)), lambda: random.randint(-9, 9) / 10,
        lambda: random.randint(-4, 4) / 3, lambda: random.gauss(0, 1),
    ]  # fmt: skip
    number = random.choice(kinds)
    return [[number() for _ in range(d)] for _ in range(random.randint(2, 8))]


def signs_of(random: Random, m: int) -> list[int]:
    return [1, -1, *(random.choice([-1, 1]) for _ in range(m - 2))]


def perceptron(random: Random) -> Run:
    """Updates of eta; a row's constant feature is its bias."""
    X, eta, epochs = rows_of(random, random.randint(1, 3)), random.choice([0.1, 0.3, 0.7, 2.5]), 4
    y, bias = signs_of(random, len(X)), random.random() < 0.5
    w = [0.0] * (len(X[0]) + bias)
    trace = []
    for _ in range(epochs):
        for x, sign in zip(X, y, strict=True):
            full = x + [1.0] * bias
            if sign * dot(w, full) <= 0:
                w = [a + (eta * sign) * b for a, b in zip(w, full, strict=True)]
            trace.append(w)
    problem = {"family": "perceptron.binary", "X": X, "y": y, "bias": bias, "eta": eta}
    answer = {"w": w[: len(X[0])], "trace": trace} | ({"b": w[-1]} if bias else {})
    return Run({**problem, "epochs": epochs}, answer, 1e-6 * eta * largest(X) * len(trace))


def kernel_perceptron(random: Random) -> Run:
    X, eta = rows_of(random, 2), random.choice([0.1, 0.3])
    y = signs_of(random, len(X))
    gram = [[dot(u, v) for v in X] for u in X]
    alpha, trace = [0.0] * len(X), []
    for _ in range(3):
        for j, sign in enumerate(y):
            if sign * dot([a * s for a, s in zip(alpha, y, strict=True)], gram[j]) <= 0:
                alpha = [a + eta * (i == j) for i, a in enumerate(alpha)]
            trace.append(alpha)
    problem = {"family": "perceptron.kernel", "gram": gram, "y": y, "eta": eta, "epochs": 3}
    return Run(problem, {"alpha": alpha, "trace": trace}, 1e-6 * eta * len(trace))


def multiclass_perceptron(random: Random) -> Run:
    X, eta, k = rows_of(random, 2), random.choice([0.1, 0.3]), 3
    y = [random.randrange(k) for _ in X]
    shared, last = random.random() < 0.5, random.random() < 0.5
    W, trace = [[0.0] * 2 for _ in range(k)], []
    for _ in range(3):
        for x, c in zip(X, y, strict=True):
            s = [dot(w, x) for w in W]
            best = [r for r in range(k) if s[r] == max(s)][-1 if last else 0]
            if best != c:
                E = [r for r in range(k) if r != c and s[r] >= s[c]] if shared else [best]
                tau = {c: 1.0} | {r: -1 / len(E) for r in E}
                W = [
                    [a + eta * tau[r] * b for a, b in zip(w, x, strict=True)] if r in tau else w
                    for r, w in enumerate(W)
                ]
            trace.append(W)
    problem = {"family": "perceptron.multiclass", "X": X, "y": y, "eta": eta, "epochs": 3}
    problem |= {"classes": list(range(k)), "tau": "all_rivals" if shared else "chosen_rival"}
    return Run(problem, {"W": W, "trace": trace}, 1e-6 * eta * largest(X) * len(trace))


def descent(random: Random) -> Run:
    """A step wherever the margin is below 1, and a shrink by 1 − eta always."""
    X, eta, C = rows_of(random, 2), random.choice([0.1, 0.25, 0.3]), random.choice([1.0, 3.0])
    y, bias = signs_of(random, len(X)), random.random() < 0.5
    w, b, trace = [0.0] * 2, 0.0, []
    for _ in range(3):
        for x, sign in zip(X, y, strict=True):
            steep = sign * (dot(w, x) + b) < 1
            w = [a * (1 - eta) for a in w]
            if steep:
                w = [a + (eta * C * sign) * v for a, v in zip(w, x, strict=True)]
                b += eta * C * sign * bias
            trace.append(w + [b] * bias)
    problem = {"family": "sgd.binary", "X": X, "y": y, "C": C, "eta": eta, "epochs": 3}
    answer = {"w": w, "trace": trace} | ({"b": b} if bias else {})
    return Run({**problem, "bias": bias}, answer, 1e-6 * eta * C * largest(X) * len(trace))


def multiclass_descent(random: Random) -> Run:
    """Algorithm 1 with η_t = 1/(λt), in the max or the sum form."""
    X, lam, k, T = rows_of(random, 2), random.choice([0.1, 0.3, 1.0]), 3, 12
    y = [random.randrange(k) for _ in X]
    summed = random.random() < 0.5
    W, trace = [[0.0] * 2 for _ in range(k)], []
    for t in range(1, T + 1):
        i = (t - 1) % len(X)
        x, c, eta = X[i], y[i], 1 / (lam * t)
        s = [dot(w, x) for w in W]
        v = [(r != c) + s[r] - s[c] for r in range(k)]
        chosen = [r for r in range(k) if r != c and v[r] > 0]
        if not summed:
            top = v.index(max(v))
            chosen = [] if top == c else [top]
        W = [[a - eta * lam * a for a in w] for w in W]
        for r in chosen:
            W[r] = [a - eta * b for a, b in zip(W[r], x, strict=True)]
            W[c] = [a + eta * b for a, b in zip(W[c], x, strict=True)]
        trace.append([list(w) for w in W])
    problem = {"family": "sgd.multiclass", "X": X, "y": y, "lam": lam, "T": T}
    problem |= {"loss": "sum_form" if summed else "max_form", "classes": list(range(k))}
    return Run(problem, {"W": W, "trace": trace}, 1e-6 * largest(X) * T / lam)


def largest(X: list[list[float]]) -> float:
    return max(1.0, *(abs(v) for x in X for v in x))


RUNS: list[Callable[[Random], Run]] = [
    perceptron, kernel_perceptron, multiclass_perceptron, descent, multiclass_descent,
]  # fmt: skip


def moved(random: Random, answer: dict[str, Any], by: float) -> Iterator[dict[str, Any]]:
    """The end, and the trace, with one number moved; as exact text, so that it isn't lost."""
    (name,) = {"w", "alpha", "W"} & set(answer)
    for field in (name, "trace"):
        value: Any = [list(entry) if isinstance(entry, list) else entry for entry in answer[field]]
        place = value
        while isinstance(place[0], list):
            at = random.randrange(len(place))
            place[at] = [list(v) if isinstance(v, list) else v for v in place[at]]
            place = place[at]
        at = random.randrange(len(place))
        place[at] = str(F(place[at]) + F(random.choice([-1, 1]) * by))
        alone = {field: value}
        yield alone | ({"b": answer["b"]} if "b" in answer and field != "trace" else {})


@pytest.mark.parametrize("count", SOME)
@pytest.mark.parametrize("make", RUNS, ids=lambda make: make.__name__)
def test_no_honest_run_in_floats_is_refuted_and_no_moved_one_verified(
    make: Callable[[Random], Run], count: int
) -> None:
    statuses = []
    for seed in range(count):
        random = Random(f"{make.__name__} {seed}")
        problem, answer, beyond = make(random)
        end = {name: v for name, v in answer.items() if name != "trace"}
        assert check(problem, answer).status == "VERIFIED", seed
        statuses.append(check(problem, end).status)
        assert statuses[-1] != "REFUTED", seed
        for wrong in moved(random, answer, beyond):
            assert check(problem, wrong).status != "VERIFIED", (seed, list(wrong))
    assert statuses.count("VERIFIED") >= 0.8 * count


def boosting(random: Random) -> tuple[Record, list[dict[str, Any]]]:
    """AdaBoost of given base classifiers, which goes on as long as a float error is below ½."""
    m = random.randint(3, 8)
    y = [random.choice([-1, 1]) for _ in range(m)]
    D, rounds = [1 / m] * m, list[dict[str, Any]]()
    for _ in range(4):
        base = [random.choice([sign, sign, -sign]) for sign in y]
        if rounds and random.random() < 0.5:
            base = rounds[-1]["base"]  # whose error is ½, but for rounding
        epsilon = fsum(d for d, h, sign in zip(D, base, y, strict=True) if h != sign)
        if not 0 < epsilon < 0.5:
            continue
        alpha = 0.5 * log((1 - epsilon) / epsilon)
        rounds.append({"base": base, "epsilon": epsilon, "alpha": alpha})
        D = [d * exp(-alpha * sign * h) for d, h, sign in zip(D, base, y, strict=True)]
        total = fsum(D)
        D = [d / total for d in D]
    problem = {"family": "boost.ada", "y": y, "classes": [-1, 1], "base": "any"}
    return {**problem, "rounds": len(rounds)}, rounds


@pytest.mark.parametrize("count", SOME)
def test_no_honest_run_of_adaboost_in_floats_is_refuted_and_no_moved_one_verified(
    count: int,
) -> None:
    by_rounding = 0
    for seed in range(2 * count):
        random = Random(f"boosting {seed}")
        problem, rounds = boosting(random)
        if not rounds:
            continue
        verdict = check(problem, {"rounds": rounds})
        assert verdict.status == "VERIFIED", seed
        by_rounding += "by rounding alone" in verdict.hint
        for field in ("alpha", "epsilon"):
            t = random.randrange(len(rounds))
            wrong = [dict(r) for r in rounds]
            wrong[t][field] += 1e-6
            assert check(problem, {"rounds": wrong}).status == "REFUTED", (seed, field)
    assert by_rounding


@pytest.mark.parametrize("eta", [0.1, "0.1", "1/3", 1])
def test_a_product_that_is_taken_away_again_leaves_exactly_0(eta: Any) -> None:
    # However η is rounded, η − η is 0, so the third row is a mistake once more: no other run is
    # possible, in floats or not.
    problem = {"family": "perceptron.binary", "X": [[1], [1], [1]], "y": [1, -1, 1], "eta": eta}
    assert check(problem, {"w": [eta], "mistakes": [3], "labels": [1, 1, 1]})
    for wrong in ({"w": [0]}, {"mistakes": [2]}, {"labels": [-1, -1, -1]}):
        assert check(problem, wrong).status == "REFUTED", wrong


def test_a_start_that_a_product_takes_away_may_leave_a_rounding() -> None:
    # 0.3 − 3 · 0.1 is −5.6e-17 in binary64 and 0 exactly: the second row may be right or wrong.
    problem = {"family": "perceptron.binary", "X": [[3], [1]], "y": [-1, -1], "eta": "0.1"}
    problem |= {"start": ["0.3"]}
    for w in (0.0, -0.1):
        assert check(problem, {"w": [w]}), w


def test_a_tie_of_two_products_may_be_rounded_either_way() -> None:
    # w = (0.1, 0.3): as doubles 0.3 · 1 − 0.1 · 3 isn't 0.
    problem = {"family": "perceptron.binary", "X": [[1, 3], [3, -1]], "y": [1, 1], "eta": "0.1"}
    for w in ([0.1, 0.3], [0.4, 0.2]):
        assert check(problem, {"w": w}), w
