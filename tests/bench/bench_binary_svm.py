"""How long the binary SVM takes: python tests/bench/bench_binary_svm.py [name …]

Prints a line a case: rows, C, arithmetic, iterations, processor seconds, relative gap, support
vectors, and the digits of the largest number in the answer. A name runs the cases that begin
with it; without names all run. `rbf-float` has to take less than 1 s on 150 rows, `rbf-exact`
less than 10 s on 60 rows with the matrix of kernel values taken as the rationals that they are.
"""

from __future__ import annotations

import math
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from refmc import Pivot, exact, gram, rbf, squared_hinge  # from this checkout
from refmc.errors import NotSeparableError
from refmc.learn.svm.binary import fit_binary_svm, fit_hard_svm
from refmc.learn.svm.binary_model import BinarySVM
from tests.support import table


@dataclass(frozen=True)
class Case:
    """One training problem; C is None for the hard SVM."""

    name: str
    X: Any
    y: list[int]
    C: str | None
    parameters: dict[str, Any] = field(default_factory=dict)

    def fit(self, on_step: Callable[[Pivot[Any]], None] | None = None) -> BinarySVM[Any]:
        if self.C is None:
            return fit_hard_svm(self.X, self.y, on_step=on_step, **self.parameters)
        return fit_binary_svm(self.X, self.y, C=self.C, on_step=on_step, **self.parameters)


def two_classes(
    name: str, positive: str, read: Callable[[str], Any]
) -> tuple[list[Any], list[int]]:
    """Rows of one of the data files, and +1 for the labels in `positive`, −1 for the others."""
    X, y = table(name, read)
    return X, [1 if label in positive.split() else -1 for label in y]


def overlapping(m: int) -> tuple[list[Any], list[int]]:
    """Rows of four numbers of two decimals around ½ and −½, of which many lie on the wrong side."""
    rng = random.Random(1)
    y = [rng.choice((-1, 1)) for _ in range(m)]
    return [[round(rng.gauss(sign / 2, 1), 2) for _ in range(4)] for sign in y], y


def near_pairs(m: int) -> tuple[list[Any], list[int]]:
    """Rows of two numbers around 0.7 and −0.7, for kernels."""
    rng = random.Random(3)
    y = [rng.choice((-1, 1)) for _ in range(m)]
    return [[rng.gauss(0.7 * sign, 1) for _ in range(2)] for sign in y], y


def cases() -> Iterator[Case]:
    """Kernels before lines, float before exact, soft before hard."""
    for m in (500, 1_000, 1_500):
        X, y = near_pairs(m)
        yield Case(f"rows-kernel {m}", X, y, "1", {"kernel": rbf(1)})
    for C in ("1", "100"):
        for gamma in ("1/4", "1", "10"):
            X, y = two_classes("iris.csv", "versicolor", float)
            yield Case(f"rbf-float {gamma}", X, y, C, {"kernel": rbf(gamma)})
        for gamma in ("1/4", "1"):
            K = exact(gram(rbf(gamma), X[70:130]))
            yield Case(f"rbf-exact {gamma}", None, y[70:130], C, {"gram": K})
        yield Case("linear-float iris", X, y, C)
        yield Case("linear-exact iris", *two_classes("iris.csv", "versicolor", Fraction), C)
        yield Case("linear-float wine", *two_classes("wine.csv", "2", float), C)
    yield Case("linear-float digits", *two_classes("digits-500.csv", "0 2 4 6 8", float), "1")
    for m in (150, 300, 600, 5_000):
        X, y = overlapping(m)
        yield Case(f"squares-float {m}", X, y, "1", {"loss": squared_hinge})
        lifted = [[Fraction(str(a)) for a in row] for row in X]
        yield Case(f"squares-exact {m}", lifted, y, "1", {"loss": squared_hinge})
        if m < 5_000:
            yield Case(f"hinges-exact {m}", lifted, y, "1")
    yield Case("hard-float setosa", *two_classes("iris.csv", "setosa", float), None)
    yield Case("hard-exact setosa", *two_classes("iris.csv", "setosa", Fraction), None)
    yield Case("hard-float versicolor", *two_classes("iris.csv", "versicolor", float), None)
    yield Case("hard-exact digits", *two_classes("digits-500.csv", "0 2 4 6 8", Fraction), None)


def largest_digits(model: BinarySVM[Any]) -> int:
    """Decimal digits of the largest numerator or denominator of α and the objective."""
    numbers = (*model.certificate.multipliers, model.certificate.primal)
    bits = max(max(v.numerator.bit_length(), v.denominator.bit_length()) for v in numbers)
    return max(1, math.ceil(bits * math.log10(2)))


def run(case: Case) -> None:
    """Train and print the line."""
    steps = 0

    def count(step: Pivot[Any]) -> None:
        nonlocal steps
        steps = step.iteration

    start = time.process_time()
    try:
        model = case.fit()
    except NotSeparableError as error:
        seconds = time.process_time() - start
        rows = sum(1 for weight in error.combination if weight)
        print(f"{case.name:24} {seconds:8.3f} s  not separable, by weights of {rows} rows")
        return
    seconds = time.process_time() - start
    case.fit(count)  # counting pivots costs time, so it has a run of its own
    certificate = model.certificate
    gap = certificate.gap / certificate.primal if certificate.primal else certificate.gap
    print(
        f"{case.name:24} {len(case.y):4} rows  C = {case.C or '–':4} {steps:5} iterations "
        f"{seconds:8.3f} s  gap {float(gap):.1e}  {len(model.support_vectors):4} support vectors "
        f"{largest_digits(model):5} digits",
        flush=True,
    )


def main(names: list[str]) -> None:
    """Run the cases that the names select."""
    for case in cases():
        if not names or any(case.name.startswith(name) for name in names):
            run(case)


if __name__ == "__main__":
    main(sys.argv[1:])
