"""What the reductions add to their binary learners: python tests/bench/bench_reductions.py [name …]

A reduction is compared with the calls of its binary learner on the same problems, and is to take at
most 5 % more. It can take less: rows are validated once, not once a problem. Groups are data sets;
`exact` is iris in Fractions. Processor seconds, the least of five runs. `many` prints how training
and a prediction grow with the number of classes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

# from this checkout
from refmc.learn.boosting.adaboost_mh import fit_adaboost
from refmc.learn.online.perceptron import fit_perceptron
from refmc.learn.reductions.one_vs_all import fit_one_vs_all
from refmc.learn.reductions.one_vs_one import fit_one_vs_one
from refmc.learn.reductions.output_codes import all_pairs_code, one_vs_all_code
from refmc.learn.reductions.output_model import fit_output_code
from refmc.learn.reductions.papers.error_correcting_tournament import (
    fit_error_correcting_tournament,
)
from refmc.learn.reductions.papers.label_tree import fit_label_tree
from refmc.learn.svm.binary import fit_binary_svm
from tests.support import table

LEARNERS: dict[str, Callable[..., Any]] = {
    "perceptron, 1 epoch": fit_perceptron,
    "perceptron, 5 epochs": partial(fit_perceptron, epochs=5, bias=True),
    "AdaBoost, 5 rounds": partial(fit_adaboost, rounds=5),
    "SVM": partial(fit_binary_svm, C=1),
}


def compared(reduction: Callable[..., Any], X: Any, y: Any, learner: Any) -> tuple[float, float]:
    """Seconds of the learner's own calls on the same problems as plain lists, and of the whole."""
    problems: list[tuple[list[list[Any]], list[int]]] = []

    def kept(rows: Any, signs: Any) -> Any:
        problems.append((list(map(list, rows)), list(signs)))
        return learner(rows, signs)

    reduction(X, y, kept)
    start = time.process_time()
    for rows, signs in problems:
        learner(rows, signs)
    between = time.process_time()
    reduction(X, y, learner)
    return between - start, time.process_time() - between


def measured(name: str, X: Any, y: list[str], learners: dict[str, Callable[..., Any]]) -> None:
    """A line for each reduction over each learner."""
    k = len(set(y))
    reductions: dict[str, Callable[..., Any]] = {
        "one-vs-all": fit_one_vs_all,
        "one-vs-one": fit_one_vs_one,
        "code, one-vs-all": partial(fit_output_code, code=one_vs_all_code(k)),
        "code, all pairs": partial(fit_output_code, code=all_pairs_code(k)),
    }
    for what, learner in learners.items():
        for how, reduction in reductions.items():
            runs = [compared(reduction, X, y, learner) for _ in range(5)]
            bare, whole = min(bare for bare, _ in runs), min(whole for _, whole in runs)
            print(
                f"{name:7} {what:21} {how:17} {bare:8.4f} s bare, {whole:8.4f} s in all, "
                f"{100 * (whole / bare - 1):6.1f} % more (≤ 5)",
                flush=True,
            )


def iris() -> None:
    """150 rows of 4 floats, 3 classes."""
    measured("iris", *table("iris.csv", float), LEARNERS)


def exact() -> None:
    """The same in Fractions."""
    measured("exact", *table("iris.csv", Fraction), LEARNERS)


def digits() -> None:
    """500 rows of 64 floats, 10 classes."""
    measured("digits", *table("digits-500.csv", float), LEARNERS)


def many() -> None:
    """10, 15 and 20 classes of 20 rows each."""
    learner = partial(fit_perceptron, epochs=2)
    for k in (10, 15, 20):
        X = [[(i % 7) / 2 + i % k % 5, (i % 11) / 3 + i % k // 5] for i in range(20 * k)]
        y = [i % k for i in range(20 * k)]
        for how, reduction in (
            ("label tree", fit_label_tree),
            ("tournament", fit_error_correcting_tournament),
            ("one-vs-all", fit_one_vs_all),
            ("one-vs-one", fit_one_vs_one),
            ("code, all pairs", partial(fit_output_code, code=all_pairs_code(k))),
        ):
            start = time.process_time()
            model = reduction(X, y, learner)
            trained = time.process_time()
            model.predict(X)
            each = (time.process_time() - trained) / len(X)
            print(
                f"{k:2} classes {how:17} trained in {trained - start:6.3f} s, "
                f"{1e6 * each:7.1f} µs a prediction",
                flush=True,
            )


def main(names: list[str]) -> None:
    """Run the groups that the names select."""
    for group in (iris, exact, digits, many):
        if not names or any(group.__name__.startswith(name) for name in names):
            group()


if __name__ == "__main__":
    main(sys.argv[1:])
