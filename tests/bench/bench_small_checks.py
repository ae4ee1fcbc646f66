"""How many small checks a second: python tests/bench/bench_small_checks.py [family …]

The suite's vectors are judged in turn in one process, after a first check of each. Printed are the
slowest ones of the families whose names begin so, all of them by default: checks a second by the
least time of several rounds, and how many sums of two Fractions take as long in the same run.
"""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from refmc import check  # from this checkout
from refmc.suite import vectors

ROUNDS, SHOWN = 30, 15


def sum_time() -> float:
    a, b = Fraction(1, 3), Fraction(2, 7)
    start = time.perf_counter()
    for _ in range(100):
        a + b
    return (time.perf_counter() - start) / 100


def main(families: list[str]) -> None:
    chosen = [v for v in vectors() if v.family.startswith(tuple(families) or "")]
    for v in chosen:
        check(v.problem, v.answer)
    least, unit = {v.id: 1.0 for v in chosen}, 1.0
    for _ in range(ROUNDS):
        unit = min(unit, sum_time())
        for v in chosen:
            start = time.perf_counter()
            check(v.problem, v.answer)
            least[v.id] = min(least[v.id], time.perf_counter() - start)
    for name in sorted(least, key=lambda name: -least[name])[:SHOWN]:
        print(f"{name:40} {1 / least[name]:8.0f} a second, {least[name] / unit:6.0f} sums")
    below = sum(seconds > 1 / 2000 for seconds in least.values())
    print(f"{below} of {len(least)} below 2,000 a second")


if __name__ == "__main__":
    main(sys.argv[1:])
