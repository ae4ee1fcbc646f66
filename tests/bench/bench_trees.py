"""How long decision trees take: python tests/bench/bench_trees.py [name …]

Prints a line a case: impurity, leaves, depth, the best of several runs in milliseconds, and the
time promised, which is twice the time to grow for a check. A name runs the cases that begin with
it; without names all run. `memory` prints the peaks of growing 20,000 rows, and of growing, saving
and loading 2,000 with alternating labels, traced in a run of their own, which is several times
slower. `growth` prints how the time to grow, the visits of rows and the tied cuts rise with the
rows, labelled at random.
"""

from __future__ import annotations

import math
import random
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from refmc import check  # from this checkout
from refmc.core.cells import CATEGORY
from refmc.core.records import parse_json
from refmc.learn.trees.grow import grow_tree
from refmc.learn.trees.model import DecisionTree, tree_from_record
from refmc.learn.trees.prune import pruning_sequence
from refmc.theory.impurity import Impurity, entropy, gini, misclassification
from tests.support import table

PRUNING = 2000 / 5000
"""Milliseconds promised for each leaf."""

IMPURITIES: list[Impurity] = [gini, entropy, misclassification]


@dataclass(frozen=True)
class Case:
    """Rows to grow a tree from, how often, and within how many milliseconds."""

    name: str
    X: list[list[Any]]
    y: list[Any]
    runs: int
    promised: float


def distinct_rows(m: int, d: int) -> list[list[float]]:
    """m rows of d numbers, no two alike."""
    source = random.Random(7)
    return [[source.random() for _ in range(d)] for _ in range(m)]


def cases() -> Iterator[Case]:
    """Real data to purity, labels that follow the rows, labels that don't, and a long chain."""
    yield Case("iris", *table("iris.csv", float), 20, 10)
    yield Case("wine", *table("wine.csv", float), 10, 100)
    yield Case("digits", *table("digits-500.csv", float), 5, 400)
    yield Case("titanic", *table("titanic.csv", str), 5, 100)
    X = distinct_rows(20_000, 5)
    source = random.Random(8)
    yield Case("large-noise", X, [source.randrange(3) for _ in X], 1, 30_000)
    yield Case("large-sums", X, [int(x[0] + x[1] > 1) + int(x[2] > 0.5) for x in X], 1, 30_000)
    yield Case("chain", [[i] for i in range(5000)], [i % 2 for i in range(5000)], 1, 30_000)


def best_time(work: Callable[[], object], runs: int) -> float:
    """The least of several times, in milliseconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def report(name: str, what: str, tree: DecisionTree, took: float, promised: float) -> None:
    mark = "" if took <= promised else "  MISSED"
    print(
        f"{name:12} {what:24} {len(tree.leaves()):6} leaves, depth {tree.depth:5}"
        f" {took:10.1f} ms of {promised:.0f}{mark}",
        flush=True,
    )


def run(case: Case) -> None:
    """Grow by each impurity; prune, save and load what has thousands of leaves."""
    for impurity in IMPURITIES:
        name = getattr(impurity, "__name__", "")
        tree = grow_tree(case.X, case.y, impurity=impurity)
        grow = lambda: grow_tree(case.X, case.y, impurity=impurity)  # noqa: B023  # used at once
        grown = best_time(grow, case.runs)
        report(case.name, name, tree, grown, case.promised)
        if len(case.X) < 500:
            continue  # so few rows are read longer than they are judged
        names = {"categorical": [j for j, kind in enumerate(tree.kinds) if kind == CATEGORY]}
        problem = {"family": "tree.grow", "X": case.X, "y": case.y, "impurity": name, **names}
        record: Any = parse_json(tree.to_json(), "tree")
        answer = {
            "tree": {part: record[part] for part in ("nodes", "thresholds") if part in record}
        }
        took = best_time(lambda: check(problem, answer), case.runs)  # noqa: B023  # used at once
        report(case.name, f"check {name}", tree, took, 2 * grown)
        if len(tree.leaves()) < 1000:
            continue
        for risk in (impurity, misclassification):
            took = best_time(lambda: pruning_sequence(tree, risk=risk), 1)  # noqa: B023  # used at once
            report(
                case.name,
                f"prune by {getattr(risk, '__name__', '')}",
                tree,
                took,
                PRUNING * len(tree.leaves()),
            )
        text = tree.to_json()
        took = best_time(lambda: tree_from_record(parse_json(text, "tree")), 1)  # noqa: B023  # used at once
        report(case.name, "load", tree, took, 10_000)


def memory() -> None:
    """The peak of 20,000 rows of 5 distinct columns, and of 1.5 million tied cuts."""
    X = distinct_rows(20_000, 5)
    y = [int(x[0] + x[1] > 1) + int(x[2] > 0.5) for x in X]
    tracemalloc.start()
    grow_tree(X, y)
    print(f"memory       {tracemalloc.get_traced_memory()[1] / 2**20:.0f} MiB of 300")
    tracemalloc.reset_peak()
    rows = range(2000)
    tree = grow_tree([[i] for i in rows], [i % 2 for i in rows], impurity=misclassification)
    tree_from_record(parse_json(tree.to_json(), "tree"))
    print(f"memory, ties {tracemalloc.get_traced_memory()[1] / 2**20:.0f} MiB of 50")


def growth() -> None:
    """Random rows, labelled at random; exponents of time, visits and ties since half the rows."""
    for k in (2, 3):
        for impurity in (gini, misclassification):
            name, before = getattr(impurity, "__name__", ""), (0.0, 0.0, 0.0)
            for m in (5_000, 10_000, 20_000):
                source, X = random.Random(8), distinct_rows(m, 5)
                y = [source.randrange(k) for _ in X]
                start = time.process_time()
                tree = grow_tree(X, y, impurity=impurity)
                took = time.process_time() - start
                inner = [node for node in tree.nodes() if node.question is not None]
                visits = float(sum(node.size for node in inner))
                now = took, visits, float(sum(len(node.tied) for node in inner))
                rises = ", ".join(f"{math.log2(a / b):.2f}" for a, b in zip(now, before) if b)
                print(
                    f"{name:18} {k} classes, {m:6} rows {took:6.1f} s, each visited "
                    f"{visits / m:4.0f} times, {now[2] / m:5.0f} tied cuts a row; {rises}",
                    flush=True,
                )
                before = now


def main(names: list[str]) -> None:
    for case in cases():
        if not names or any(case.name.startswith(name) for name in names):
            run(case)
    if not names or "memory" in names:
        memory()
    if not names or "growth" in names:
        growth()


if __name__ == "__main__":
    main(sys.argv[1:])
