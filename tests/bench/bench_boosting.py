"""How fast boosting with stumps is: python tests/bench/bench_boosting.py [name …]

AdaBoost.MH costs O(Nm ln m + mkNT): the group `growth` doubles m, k, N and T, one at a time, and
prints each factor of time, which is to be at most 2.3. `real` takes 50 rounds in float on iris
(at most 0.15 s) and on yeast-100 (at most 10 s), and judges the latter in at most twice the time
that they take; `ties` doubles the rows of a column of which half the cuts tie (at most 2.3);
`exact` doubles nothing but shows the digits. The factors are those of processor seconds, the least
of three runs.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

# from this checkout
from refmc import check
from refmc.learn.boosting.adaboost_mh import fit_adaboost, fit_adaboost_mh
from refmc.learn.boosting.stumps import saved_stump
from tests.support import table, yeast

BASE = {"m": 200, "k": 5, "N": 10, "T": 10}


def made_up(m: int, k: int, N: int) -> tuple[list[list[float]], list[list[int]]]:
    """Rows of noise whose first k columns lean to a label each; the same every time."""
    state = 12345
    X, Y = [], []
    for i in range(m):
        signs = [1 if (i * (l + 3)) % (l + 5) < 2 else -1 for l in range(k)]
        row = []
        for j in range(N):
            state = (1103515245 * state + 12345) % 2**31
            row.append(state / 2**30 - 1 + 0.5 * signs[j % k])
        X.append(row)
        Y.append(signs)
    return X, Y


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """What `run` gives, and the processor seconds it took, the least of three."""
    best = math.inf
    for _ in range(3):
        start = time.process_time()
        result = run()
        best = min(best, time.process_time() - start)
    return result, best


def seconds(m: int, k: int, N: int, T: int) -> float:
    """The time of T rounds, none of them left out."""
    X, Y = made_up(m, k, N)
    model, spent = timed(lambda: fit_adaboost_mh(X, Y, rounds=T))
    assert len(model.rounds) == T, model.stopped
    print(f"growth  m={m:4} k={k:3} N={N:3} T={T:3} {spent:8.3f} s", flush=True)
    return spent


def growth() -> None:
    """The factor of time as each size doubles, twice."""
    once = seconds(**BASE)
    for name, size in BASE.items():
        twice = seconds(**BASE | {name: 2 * size})
        fourfold = seconds(**BASE | {name: 4 * size})
        print(f"growth  {name} doubled: {twice / once:.2f}, again: {fourfold / twice:.2f} (≤ 2.3)")


def real() -> None:
    """50 rounds on real data."""
    X, y = table("iris.csv")
    model, spent = timed(lambda: fit_adaboost_mh(X, y, rounds=50))
    print(f"real    iris      {len(model.rounds)} rounds {spent:8.3f} s (≤ 0.15)", flush=True)
    X, Y = yeast()
    model, spent = timed(lambda: fit_adaboost_mh(X, Y, rounds=50))
    print(f"real    yeast-100 {len(model.rounds)} rounds {spent:8.3f} s (≤ 10)", flush=True)
    rounds = [as_submitted(r) for r in model.rounds]
    problem = {"family": "boost.mh", "X": X, "Y": Y, "rounds": 50}
    verdict, judged = timed(lambda: check(problem, {"rounds": rounds}))
    print(f"real    yeast-100 {verdict.status} {judged:13.3f} s, ratio {judged / spent:.2f} (≤ 2)")


def as_submitted(r: Any) -> dict[str, object]:
    """A round of a model in floats as it is submitted."""
    stump = {name: value for name, value in saved_stump(r.base).items() if name != "free"}
    return {"stump": stump, "alpha": float(r.alpha), "epsilon": r.epsilon, "loss": r.loss}


def ties() -> None:
    """One round on a column where every other cut is as good as any: rows in pairs of + and −."""
    before = 0.0
    for m in (2_000, 4_000, 8_000):
        X, y = [[float(i)] for i in range(m)], [1 if i % 2 else -1 for i in range(m)]
        model, spent = timed(lambda X=X, y=y: fit_adaboost(X, y, rounds=1))  # type: ignore[misc]  # bound as defaults
        factor = f"doubled: {spent / before:.2f} (≤ 2.3)" if before else ""
        tied = len(model.rounds[0].tied)
        print(f"ties    m={m:5} {tied:5} tied {spent:8.3f} s {factor}", flush=True)
        before = spent


def exact() -> None:
    """Exact rounds on iris, and the digits of the last error."""
    rows, y = table("iris.csv", Fraction)
    for T in (4, 8, 12, 14):
        model, spent = timed(lambda T=T: fit_adaboost_mh(rows, y, rounds=T))  # type: ignore[misc]  # T is bound as a default
        digits = int(model.rounds[-1].epsilon.denominator.bit_length() * math.log10(2))
        print(f"exact   iris {T:3} rounds {spent:8.3f} s, ε of {digits} digits", flush=True)


def main(names: list[str]) -> None:
    """Run the groups that the names select."""
    for group in (growth, real, ties, exact):
        if not names or any(group.__name__.startswith(name) for name in names):
            group()


if __name__ == "__main__":
    main(sys.argv[1:])
