"""How fast the Rademacher complexity is: python tests/bench/bench_bounds.py [most rows]

Ten hypotheses on m = 10, 11, … rows (20 at most unless told): a line an m with wall-clock seconds,
nanoseconds a sign vector of the 2^(m−1) that are visited, and the factor to the m before, which
tends to 2. Then the largest m again with process pools of 1, 2, … workers, up to the processors
there are, and how much faster each is than no pool.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import Executor, ProcessPoolExecutor
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from refmc.theory.rademacher import rademacher  # from this checkout

HYPOTHESES = 10


def made_up(m: int) -> list[list[Fraction]]:
    """Values that are halves; the same every time."""
    return [
        [Fraction((7 * i * i + 5 * h * i + 3 * h) % 23 - 11, 2) for i in range(m)]
        for h in range(HYPOTHESES)
    ]


def seconds(m: int, executor: Executor | None = None) -> float:
    """Wall-clock time, the least of three."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        rademacher(made_up(m), executor=executor)
        best = min(best, time.perf_counter() - start)
    return best


def main(most: int) -> None:
    before = single = float("nan")
    for m in range(10, most + 1):
        single = seconds(m)
        each = 1e9 * single / 2 ** (m - 1)
        print(f"m = {m:2}  {single:8.4f} s  {each:6.0f} ns a vector  × {single / before:.2f}")
        before = single
    for workers in range(1, (os.cpu_count() or 1) + 1):
        with ProcessPoolExecutor(workers) as pool:
            rademacher(made_up(8), executor=pool)  # starts the workers
            pooled = seconds(most, pool)
        print(
            f"m = {most:2}  {pooled:8.4f} s  {workers} workers  {single / pooled:.2f} times as fast"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
