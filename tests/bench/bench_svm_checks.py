"""How long judging SVMs takes: python tests/bench/bench_svm_checks.py [name …]

Prints a line a case: processor seconds of one check and its verdict; for small problems how many
checks there are in a second, after the first. A name runs the cases that begin with it. A Gram
matrix of 150 rows has to take at most 2 s; 500 small checks have to fit into a second, also of
wrong answers with their hints.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from refmc import check, fit_multiclass_svm, gram, rbf, solve_problem  # from this checkout
from refmc.core.records import Record
from refmc.learn.svm.binary import fit_binary_svm
from tests.support import table

SMALL = 200


def large() -> Iterator[tuple[str, Record, Record]]:
    """Matrices of kernel values, once with a row twice; then weights and multipliers of digits."""
    X, names = table("iris.csv")
    signs = [1 if name == "versicolor" else -1 for name in names]
    for rows, gamma in ((range(150), "1/4"), (range(150), "1/100"), ([*range(40, 149), 40], "1/4")):
        K = gram(rbf(gamma), [X[i] for i in rows])
        y = [signs[i] for i in rows]
        binary: Any = fit_binary_svm(None, y, C=1, gram=K)
        problem = {"family": "svm.binary", "gram": K, "y": y, "C": 1}
        name = f"gram {len(y)} {gamma}"
        yield f"{name} alpha", problem, {"alpha": binary.alpha, "b": binary.b}
        yield f"{name} labels", problem, {"labels": y}
    digits, names = table("digits-500.csv")
    for C in ("1", "1/1000"):
        model: Any = fit_multiclass_svm(digits, names, C=C)
        many: Record = {"family": "svm.multiclass", "X": digits, "y": names, "C": C}
        yield f"digits {C} lam", many, {"lam": model.lam, "classes": model.classes}
        yield f"digits {C} W", many, {"W": model.W, "classes": model.classes}


def doubled(value: Any) -> Any:
    return [*map(doubled, value)] if isinstance(value, list) else str(2 * Fraction(value))


def small() -> Iterator[tuple[str, Record, Record]]:
    """Three rows, judged by the whole answer of `refmc solve`."""
    corner = {"X": [["1.5", "2.5"], ["2.5", "1.5"], ["2.5", "2.5"]], "y": [1, 1, -1]}
    for name, problem in (
        ("multiclass", {"family": "svm.multiclass", **corner, "y": ["a", "b", "c"], "C": 1}),
        ("binary", {"family": "svm.binary", **corner, "C": 1}),
        ("hard", {"family": "svm.hard", **corner}),
        ("program", {"family": "qp.convex", "Q": [[1]], "c": [-2], "G": [[1]], "h": [1]}),
    ):
        answer = solve_problem(problem)
        yield f"small {name}", problem, answer
        for weights in {"w", "W"} & answer.keys():  # twice the right ones
            yield f"refuted {name}", problem, {**answer, weights: doubled(answer[weights])}


def main(names: list[str]) -> None:
    for name, problem, answer in large():
        if not names or name.startswith(tuple(names)):
            start = time.process_time()
            status = check(problem, answer).status
            print(f"{name:24} {time.process_time() - start:6.2f} s  {status}", flush=True)
    for name, problem, answer in small():
        if not names or name.startswith(tuple(names)):
            check(problem, answer)
            start = time.process_time()
            for _ in range(SMALL):
                check(problem, answer)
            print(f"{name:24} {SMALL / (time.process_time() - start):6.0f} a second", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
