"""What takes how long beside what: python tests/bench/bench_beside.py [name …]

Prints a line a case: processor seconds of a task and of what it is measured by, in one run, and
their ratio beside the one aimed at; each is the least of three runs, or of fewer long ones. The
measure is another part of refmc (solving beside checking, one fit beside five) or another program:
CGAL's exact quadratic programs, where g++ and CGAL are installed, and scikit-learn. A name runs the
cases that begin so.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from refmc import (  # from this checkout
    check,
    choose_C,
    cross_validate,
    fit_binary_svm,
    fit_multiclass_svm,
    folds,
    gram,
    rbf,
    solve_problem,
    sum_form,
    trace_problem,
)
from tests.bench.bench_svm import clouds, millimetres
from tests.support import table

LONG = 5
"""After so many seconds nothing is run again."""


class Pair(NamedTuple):
    """A task and what it is measured by; `aim`: the ratio that is to be reached."""

    name: str
    task: Callable[[], object]
    measure: Callable[[], object]
    aim: float


def seconds(work: Callable[[], object]) -> float:
    """The least processor seconds of at most three runs, or those that the work tells itself."""
    found = list[float]()
    while len(found) < 3 and sum(found) < LONG:
        begin = time.process_time()
        told = work()
        found.append(told if isinstance(told, float) else time.process_time() - begin)
    return min(found)


def traced(problem: dict[str, Any]) -> list[object]:
    """All rows of the trace."""
    return list(trace_problem(problem))


def by_selection() -> Iterator[Pair]:
    """Five folds and five values of C beside one fit."""
    X, y = table("digits-500.csv", float)
    one = partial(fit_multiclass_svm, X, y, C=1)
    learner = partial(fit_multiclass_svm, C=1)
    yield Pair("folds digits", partial(cross_validate, X, y, learner, folds(500, 5)), one, 2.5)
    halves = [range(0, 500, 2), range(1, 500, 2)]
    grid = ["1/1000", "1/100", "1/10", "1", "10"]
    choice = partial(choose_C, X, y, fit_multiclass_svm, grid, halves)
    yield Pair("grid digits", choice, partial(cross_validate, X, y, learner, halves), 2.5)


def by_gram() -> Iterator[Pair]:
    """A Gram matrix, whose definiteness is proved, beside the kernel that it is made of."""
    for m in (500, 1000):
        for d in (2, 8):
            source = Random(1)
            X = [[source.gauss(0, 1) for _ in range(d)] for _ in range(m)]
            y = [1 if x[0] + x[1] + source.gauss(0, 0.5) > 0 else -1 for x in X]
            given = partial(fit_binary_svm, None, y, C=1, gram=gram(rbf(0.5), X))
            made = partial(fit_binary_svm, X, y, C=1, kernel=rbf(0.5))
            yield Pair(f"gram {m} rows, {d} columns", given, made, 1.2)


def by_checks() -> Iterator[Pair]:
    """Checks, refuted checks with their hints, and traces beside solving."""
    X, y = table("iris.csv", str)
    iris: dict[str, Any] = {"family": "svm.multiclass", "X": X, "y": y, "C": "1"}
    two = {**iris, "family": "svm.binary", "y": [1 if v == "virginica" else -1 for v in y]}
    for name, problem, weights in (("iris", iris, "W"), ("iris, two classes", two, "w")):
        answer: dict[str, Any] = dict(solve_problem(problem))
        solve = partial(solve_problem, problem)
        yield Pair(f"check {name}", partial(check, problem, answer), solve, 2)
        rows = answer[weights] if weights == "W" else [answer[weights]]
        doubled: Any = [[str(2 * Fraction(a)) for a in row] for row in rows]
        wrong = {"W": doubled} if weights == "W" else {"w": doubled[0], "b": answer["b"]}
        yield Pair(f"refuted {name}", partial(check, problem, wrong), solve, 2)
    for form in ("max_form", "sum_form"):
        some = {**iris, "loss": form}
        solved = partial(solve_problem, some)
        yield Pair(f"trace iris {form}", partial(traced, some), solved, 3)
    source = Random(3)
    points = [[str(Fraction(source.randint(-30, 30), 10)) for _ in range(4)] for _ in range(600)]
    labels = [1 if Fraction(a) + Fraction(b) > source.randint(-1, 1) else -1 for a, b, *_ in points]
    for kind in ("binary", "kernel", "multiclass"):
        run = {"family": f"perceptron.{kind}", "X": points, "y": labels, "epochs": 2}
        told = solve_problem(run)
        yield Pair(
            f"check perceptron.{kind}", partial(check, run, told), partial(solve_problem, run), 2
        )


def by_size() -> Iterator[Pair]:
    """Many classes and wide rows beside a problem of a tenth of the size, at most as its power."""
    for k in (10, 20):
        wide = partial(fit_multiclass_svm, *clouds(500, k, 4, 1), C=1, loss=sum_form)
        small = partial(fit_multiclass_svm, *clouds(500, 3, 4, 1), C=1, loss=sum_form)
        yield Pair(f"sum form {k} classes", wide, small, k * k / 9)
    large = partial(fit_multiclass_svm, *clouds(1000, 10, 50, 1), C=1)
    yield Pair("1000 x 50", large, partial(fit_multiclass_svm, *clouds(500, 10, 50, 1), C=1), 3)
    lone = partial(fit_multiclass_svm, *clouds(40, 40, 10, 0), C=1)
    yield Pair(
        "40 classes of a row", lone, partial(fit_multiclass_svm, *clouds(20, 20, 10, 0), C=1), 8
    )


def by_cgal() -> Iterator[Pair]:
    """Iris in whole millimetres beside CGAL, which is asked for the same dual."""
    compiler = shutil.which("g++")
    if compiler is None or not Path("/usr/include/CGAL").exists():
        print("g++ or CGAL is not installed: no cases of cgal")
        return
    X, y = table("iris.csv", millimetres)
    order = sorted(set(y))
    rows = "\n".join(" ".join(map(str, [*x, order.index(label)])) for x, label in zip(X, y))
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/iris_dual"
        source = [str(HERE / "iris_dual.cpp"), "-o", program, "-lgmp", "-lmpfr"]
        subprocess.run([compiler, "-O3", "-DNDEBUG", *source], check=True)

        def cgal(q: int) -> float:
            words = [program, "150", "3", "4", str(q)]
            run = subprocess.run(words, input=rows, capture_output=True, text=True, check=True)
            return float(run.stdout.split()[0])

        for q in (1, 8, 128, 1024, 8192):
            ours = partial(fit_multiclass_svm, X, y, C=Fraction(1, q))
            yield Pair(f"cgal iris C = 1/{q}", ours, partial(cgal, q), 1)


def by_sklearn() -> Iterator[Pair]:
    """Float fits beside scikit-learn's, which stop at gaps that are far larger."""
    try:
        from sklearn.svm import SVC, LinearSVC
    except ImportError:
        print("scikit-learn is not installed: no cases of sklearn")
        return
    X, y = table("digits-500.csv", float)
    joint = LinearSVC(multi_class="crammer_singer", C=1, fit_intercept=False, max_iter=10**6)
    yield Pair(
        "sklearn digits", partial(fit_multiclass_svm, X, y, C=1), partial(joint.fit, X, y), 50
    )
    points, names = clouds(500, 2, 8, 1)
    labels = [1 if name == "000" else -1 for name in names]
    ours = partial(fit_binary_svm, points, labels, C=1, kernel=rbf(0.5))
    yield Pair("sklearn rbf", ours, partial(SVC(C=1, gamma=0.5).fit, points, labels), 200)


def main(names: list[str]) -> None:
    """Run the cases that the names select."""
    for group in (by_selection, by_gram, by_checks, by_size, by_cgal, by_sklearn):
        for name, task, measure, aim in group():
            if names and not any(name.startswith(prefix) for prefix in names):
                continue
            mine, other = seconds(task), seconds(measure)
            print(
                f"{name:28} {mine:8.3f} s beside {other:8.3f} s: {mine / other:6.2f} times,"
                f" aim {aim:.3g}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
