"""How fast perceptrons and SGD are: python tests/bench/bench_online.py [name …]

Prints a line a case: sizes, steps, processor seconds, microseconds a step, and million
multiply-adds a second in float. A step of a multi-class learner counts k·d of them (the scores)
and d for each class that it changes; a binary one d, and d more where it changes w.

The lines after each group give the exponent e of the fitted law seconds a step ∝ size^e: at most
1 in k·d for the multi-class step, and in m for an update of the kernel perceptron, whose mere
visits don't depend on m. A name runs the groups that begin with it; without names all run.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

# from this checkout
from refmc.learn.online.perceptron import fit_kernel_perceptron, fit_perceptron
from refmc.learn.online.perceptron_multiclass import fit_multiclass_perceptron
from refmc.learn.online.sgd_binary import fit_svm_sgd
from refmc.learn.online.sgd_multiclass import fit_multiclass_svm_sgd

SIZES = ((3, 4), (10, 16), (10, 64), (20, 128), (20, 512))
ROWS = (200, 400, 800, 1600)


def made_up(m: int, k: int, d: int) -> tuple[list[list[float]], list[int]]:
    """Rows that are noise around a mark of their class; the same every time."""
    state, X = 12345, []
    for i in range(m):
        x = []
        for j in range(d):
            state = (1103515245 * state + 12345) % 2**31
            x.append(state / 2**30 - 1 + (j % k == i % k))
        X.append(x)
    return X, [i % k for i in range(m)]


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """What `run` gives, and the processor seconds it took, the least of three."""
    best = math.inf
    for _ in range(3):
        start = time.process_time()
        result = run()
        best = min(best, time.process_time() - start)
    return result, best


def report(name: str, sizes: str, steps: int, seconds: float, products: int) -> float:
    """Print a line; the seconds a step."""
    print(
        f"{name:24} {sizes:20} {steps:7} steps {seconds:7.3f} s {1e6 * seconds / steps:8.1f} µs "
        f"{products / seconds / 1e6:6.2f} M multiply-adds/s",
        flush=True,
    )
    return seconds / steps


def exponent(sizes: Iterable[int], values: Iterable[float]) -> float:
    """The slope of log value over log size, by least squares."""
    points = [(math.log(n), math.log(v)) for n, v in zip(sizes, values)]
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    above = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return above / sum((x - mean_x) ** 2 for x, _ in points)


def binary() -> None:
    """The two binary learners."""
    for d in (4, 64, 512):
        X, classes = made_up(200, 2, d)
        y = [2 * c - 1 for c in classes]
        epochs = max(2, 100 // d)
        perceptron, seconds = timed(partial(fit_perceptron, X, y, epochs=epochs))
        course = perceptron.course
        products = d * (course.visits + len(course.mistakes))
        report("perceptron", f"d={d}", course.visits, seconds, products)
        svm, seconds = timed(partial(fit_svm_sgd, X, y, C=10, eta=0.01, epochs=epochs))
        report("svm-sgd", f"d={d}", svm.T, seconds, 2 * d * svm.T)


def multiclass() -> None:
    """The two multi-class learners, in growing k·d."""
    sizes = [k * d for k, d in SIZES]
    visits = [perceptron_visit(k, d) for k, d in SIZES]
    print(f"{'multiclass-perceptron':24} exponent in k·d {exponent(sizes, visits):.2f}")
    steps = [descent_step(k, d) for k, d in SIZES]
    print(f"{'multiclass-svm-sgd':24} exponent in k·d {exponent(sizes, steps):.2f}", flush=True)


def perceptron_visit(k: int, d: int) -> float:
    """Seconds a visit of the multi-class perceptron."""
    X, y = made_up(200, k, d)
    model, seconds = timed(partial(fit_multiclass_perceptron, X, y, epochs=5))
    visits, mistakes = model.course.visits, len(model.course.mistakes)
    products = k * d * visits + 2 * d * mistakes
    return report("multiclass-perceptron", f"k={k} d={d}", visits, seconds, products)


def descent_step(k: int, d: int, T: int = 2000) -> float:
    """Seconds a step of multi-class SGD, without the reading of data and the final objective."""
    X, y = made_up(200, k, d)
    fit = partial(fit_multiclass_svm_sgd, X, y, lam=0.1)
    changed: list[int] = []
    fit(T=T, on_step=lambda step: changed.append(len(step.slope.coefficients)))
    _, whole = timed(partial(fit, T=T))
    _, rest = timed(partial(fit, T=0))
    products = k * d * T + d * sum(changed)
    return report("multiclass-svm-sgd", f"k={k} d={d}", T, whole - rest, products)


def kernel() -> None:
    """The kernel perceptron: two equal rows of different labels err at every visit, and rows of
    one label at the first only. The kernel values are computed once and don't count."""
    updates: list[float] = []
    looks: list[float] = []
    for m in ROWS:
        X, steps = [[1.0]] * m, 4000
        for name, label, seen in (("updates", -1, updates), ("visits", 1, looks)):
            y = [1] * (m - 1) + [label]
            fit = partial(fit_kernel_perceptron, X, y)
            model, whole = timed(partial(fit, order=[0, m - 1] * (steps // 2)))
            _, rest = timed(partial(fit, order=[0, m - 1]))
            assert len(model.course.mistakes) == (steps if name == "updates" else 1)
            products = steps * m if name == "updates" else 0
            seen.append(report("kernel-perceptron", f"m={m} {name}", steps, whole - rest, products))
    print(f"{'kernel-perceptron':24} exponent in m of an update {exponent(ROWS, updates):.2f}")
    print(f"{'kernel-perceptron':24} exponent in m of a visit {exponent(ROWS, looks):.2f}")


def exact() -> None:
    """Exact runs of two epochs beside the same in float: the kernel perceptron, and SGD."""
    seconds: list[float] = []
    for m in (500, 1000, 2000):
        X, classes = made_up(m, 2, 4)
        X, y = [[round(a, 2) for a in x] for x in X], [2 * c - 1 for c in classes]
        lifted = [[Fraction(str(a)) for a in x] for x in X]
        for name, rows in (("float", X), ("exact", lifted)):
            fit = partial(fit_kernel_perceptron, rows, y, epochs=2)
            model, spent = timed(fit)
            products = m * len(model.course.mistakes)
            report("kernel-perceptron", f"m={m} {name}", model.course.visits, spent, products)
        svm, spent = timed(partial(fit_svm_sgd, lifted, y, C=1, eta="1/100"))
        seconds.append(spent)
        report("svm-sgd", f"m={m} exact", svm.T, spent, 8 * svm.T)
    print(
        f"{'svm-sgd':24} exponent in m of an exact run {exponent((500, 1000, 2000), seconds):.2f}"
    )


def main(names: list[str]) -> None:
    """Run the groups that the names select."""
    for group in (binary, multiclass, kernel, exact):
        if not names or any(group.__name__.startswith(name) for name in names):
            group()


if __name__ == "__main__":
    main(sys.argv[1:])
