"""How long the multi-class SVM takes: python tests/bench/bench_svm.py [name …]

Prints a line a case: rows, classes, C, arithmetic, iterations, processor seconds, relative gap,
and the digits of the largest number in the answer. A name runs the cases that begin with it;
without names all run. `loss` has costs, weights and the sum form, each to take three times as long
as the plain problem at most. `growth` and `memory` train on made-up data of growing size and end
with the exponent e of the fitted law seconds (or bytes) ∝ rows^e.
"""

from __future__ import annotations

import math
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from refmc import (  # from this checkout
    MulticlassSVM,
    Pivot,
    fit_multiclass_svm,
    matrix_cost,
    max_form,
    sum_form,
)
from tests.support import table

SIZES = (50, 100, 200, 400)
OVERLAP_SIZES = (500, 1000, 2000, 5000)
CLASS_SIZES = (15, 30, 60)
WIDE_SIZES = (75, 150, 300)


@dataclass(frozen=True)
class Case:
    """One training problem."""

    name: str
    X: list[list[Any]]
    y: list[str]
    C: str
    options: dict[str, Any] = field(default_factory=dict)


def millimetres(cell: str) -> Fraction:
    """A length in centimetres as whole millimetres."""
    return 10 * Fraction(cell)


def real_cases() -> Iterator[Case]:
    """The data of tests/data, in the settings whose speed is promised."""
    X, y = table("iris.csv", millimetres)
    for C in ("1/8192", "1/1024", "1/128", "1/8", "1"):
        yield Case("iris-mm", X, y, C)
    yield Case("iris-cm", *table("iris.csv", float), "1")
    yield Case("wine", *table("wine.csv", float), "1")
    for C in ("1", "1/1000", "1/100000"):
        yield Case("digits-float", *table("digits-500.csv", float), C)
        yield Case("digits-exact", *table("digits-500.csv", Fraction), C)
    yield from loss_cases()


def loss_cases() -> Iterator[Case]:
    """The plain problem exactly, and each form with costs and with weights; then digits in float.

    With this C rows are near to both other classes, so that the two forms differ.
    """
    C = "1/100"
    for data in ("iris", "wine"):
        X, y = table(f"{data}.csv", Fraction)
        dear = matrix_cost([[0, 1, 2], [1, 0, 3], ["1/2", 1, 0]])
        weights = [Fraction(1 + i % 5, 2) for i in range(len(y))]
        yield Case(f"loss-{data}-max", X, y, C)
        for form, name in ((max_form, "max"), (sum_form, "sum")):
            given: dict[str, Any] = {"loss": form}
            if form is sum_form:
                yield Case(f"loss-{data}-sum", X, y, C, given)
            yield Case(f"loss-{data}-{name}-cost", X, y, C, given | {"cost": dear})
            yield Case(f"loss-{data}-{name}-weights", X, y, C, given | {"weights": weights})
    yield Case("loss-digits-sum", *table("digits-500.csv", float), "1", {"loss": sum_form})


def made_up(rows: int, read: Callable[[int], Any]) -> tuple[list[list[Any]], list[str]]:
    """Three overlapping clouds in four dimensions, whole numbers over 10, the same every time."""
    state, X = 12345, []
    centres = ((40, 10, 0, 5), (25, 30, 10, 15), (30, 20, 35, 0))
    for i in range(rows):
        x = []
        for centre in centres[i % 3]:
            offset = 0
            for _ in range(4):
                state = (1103515245 * state + 12345) % 2**31
                offset += state // 2**16 % 21 - 10
            x.append(read(centre + offset))
        X.append(x)
    return X, ["abc"[i % 3] for i in range(rows)]


def clouds(rows: int, k: int, d: int, spread: float) -> tuple[list[list[float]], list[str]]:
    """Points about k centres in d dimensions, as far from them as these from 0 at spread 1."""
    random = Random(1)
    centres = [[random.gauss(0, 1) for _ in range(d)] for _ in range(k)]
    X = [[random.gauss(c, spread) for c in centres[i % k]] for i in range(rows)]
    return X, [f"{i % k:03}" for i in range(rows)]


def growth_cases(prefix: str) -> Iterator[tuple[str, list[Case]]]:
    """The made-up problems in growing sizes, for `growth` and `memory` in each arithmetic."""
    if prefix == "overlap":
        yield prefix, [Case(prefix, *clouds(rows, 3, 4, 1), "1") for rows in OVERLAP_SIZES]
        return
    if prefix == "classes":  # each row one of its own, in hundredths
        for name, number in (("classes-float", float), ("classes-exact", Fraction)):
            cases = []
            for rows in CLASS_SIZES:
                X, y = clouds(rows, rows, 2, 0)
                cases.append(Case(name, [[number(f"{a:.2f}") for a in x] for x in X], y, "1"))
            yield name, cases
        # With more dimensions thousands of multipliers are free at the optimum.
        wide = [clouds(rows, rows, 10, 0) for rows in WIDE_SIZES]
        yield "classes-wide", [Case("classes-wide", X, y, "1") for X, y in wide]
        return
    readers: dict[str, Callable[[int], Any]] = {
        "float": lambda tenths: tenths / 10,
        "exact": lambda tenths: Fraction(tenths, 10),
    }
    for arithmetic, read in readers.items():
        name = f"{prefix}-{arithmetic}"
        yield name, [Case(name, *made_up(rows, read), "1") for rows in SIZES]


def largest_digits(model: MulticlassSVM[Any]) -> int:
    """Decimal digits of the largest numerator or denominator of λ and the objective."""
    numbers: Iterable[Fraction] = (
        *(v for row in model.certificate.multipliers for v in row),
        model.certificate.primal,
    )
    bits = max(max(v.numerator.bit_length(), v.denominator.bit_length()) for v in numbers)
    return max(1, math.ceil(bits * math.log10(2)))


def run(case: Case, peak: bool = False) -> float:
    """Train, print the line; the seconds, or the peak of allocated bytes."""
    steps = 0

    def count(step: Pivot[Any]) -> None:
        nonlocal steps
        steps = step.iteration

    if peak:
        tracemalloc.start()
    start = time.process_time()
    model: MulticlassSVM[Any] = fit_multiclass_svm(case.X, case.y, C=case.C, **case.options)
    seconds = time.process_time() - start
    size = tracemalloc.get_traced_memory()[1] if peak else 0
    tracemalloc.stop()
    if not peak:  # counting pivots costs time, so it has a run of its own
        fit_multiclass_svm(case.X, case.y, C=case.C, on_step=count, **case.options)
    certificate = model.certificate
    gap = certificate.gap / certificate.primal if certificate.primal else certificate.gap
    print(
        f"{case.name:21} {len(case.y):4} rows {len(model.classes):2} classes  C = {case.C:6} "
        f"{'exact' if isinstance(model.zero, Fraction) else 'float'}  "
        + (f"{size / 2**20:8.2f} MiB " if peak else f"{steps:5} iterations {seconds:8.3f} s ")
        + f" gap {float(gap):.1e}  {largest_digits(model):5} digits",
        flush=True,
    )
    return float(size) if peak else seconds


def exponent(sizes: Iterable[int], values: Iterable[float]) -> float:
    """The slope of log value over log size, by least squares."""
    points = [(math.log(n), math.log(v)) for n, v in zip(sizes, values)]
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    above = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return above / sum((x - mean_x) ** 2 for x, _ in points)


def main(names: list[str]) -> None:
    """Run the cases that the names select."""

    def wanted(name: str) -> bool:
        return not names or any(name.startswith(prefix) for prefix in names)

    for case in real_cases():
        if wanted(case.name):
            run(case)
    for prefix in ("growth", "overlap", "classes", "memory"):
        for name, cases in growth_cases(prefix):
            if wanted(name):
                values = [run(case, prefix == "memory") for case in cases]
                sizes = [len(case.y) for case in cases]
                print(f"{name:14} exponent {exponent(sizes, values):.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
