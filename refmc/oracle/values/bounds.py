"""The families `bound.*`: reference values of bounds, and verdicts on the values of others.

{"family": "bound.rademacher", "values": n rows of m}

{"family": "bound.margin", "empirical": a loss, "k": classes, "rho": ρ, "m": rows, "delta": δ,
 "expected_complexity" or "empirical_complexity": ℜ}

{"family": "bound.kernel_rademacher", "r_squared": r², "Lambda_squared": Λ², "m": rows}; for
kernel_margin also what margin has, and instead of a complexity "on_sample": (false)

{"family": "bound.perceptron", "X": m rows, "y": m labels, "classes": optional, and the separator:
 "w" and optionally "b", or "W"}

{"family": "bound.adaboost", "epsilons": one for each round}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from refmc.checker import Verdict
from refmc.checker.values import bounds
from refmc.core.linalg import dot
from refmc.core.records import Record, at, at_least_0, numbers
from refmc.core.scalars import number_text
from refmc.core.ties import argmax_set
from refmc.errors import FormatError
from refmc.oracle.declaring import (
    FAMILY,
    alone,
    any_of,
    claim,
    matrix_at,
    number_at,
    numbers_at,
    positive,
    positive_at,
    required,
    such_that,
    truth,
    whole_from,
)
from refmc.oracle.fields import Choices, Declared, Field, Reading, Sizes
from refmc.oracle.forms import MATRIX, NUMBER, NUMBERS, TRUTH, WHOLE
from refmc.oracle.reading import matrix_of, truth_at
from refmc.oracle.rows import Row
from refmc.oracle.samples import TWO_CLASSES, Y, codes, signs
from refmc.theory.bounds import (
    MarginBound,
    kernel_margin_bound,
    kernel_rademacher_bound,
    margin_bound,
)
from refmc.theory.rademacher import check_sums, rademacher
from refmc.theory.training_bounds import (
    adaboost_error_bound,
    multiclass_mistake_bound,
    perceptron_mistake_bound,
)

RADEMACHER, MARGIN, KERNEL = "bound.rademacher", "bound.margin", "bound.kernel_rademacher"
KERNEL_MARGIN, PERCEPTRON, ADABOOST = "bound.kernel_margin", "bound.perceptron", "bound.adaboost"

BOUNDS: dict[str, Any] = {
    RADEMACHER: rademacher,
    KERNEL: kernel_rademacher_bound,
    MARGIN: margin_bound,
    KERNEL_MARGIN: kernel_margin_bound,
    ADABOOST: adaboost_error_bound,
    PERCEPTRON: perceptron_mistake_bound,
}
TERMS = {
    RADEMACHER: ("value",),
    KERNEL: ("value",),
    MARGIN: ("empirical", "complexity", "confidence", "total"),
    KERNEL_MARGIN: ("empirical", "complexity", "confidence", "total"),
    PERCEPTRON: ("R_squared", "margin_squared", "bound"),
    ADABOOST: ("product", "exponential"),
}
"""The values of each family."""


_share = such_that(alone(at_least_0), lambda v: v <= 1, "a loss from 0 to 1")
_probability = such_that(positive_at, lambda v: v < 1, "a probability between 0 and 1")
_shares = such_that(numbers_at, lambda v: min(v) >= 0 and max(v) <= 1, "shares from 0 to 1")


def _not_negative(name: str, says: str, draws: Sequence[str]) -> Field[Fraction]:
    return required(name, says, NUMBER, alone(at_least_0), draws=draws)


def _labels(reading: Reading) -> tuple[Sequence[int], int]:
    """The class position of each row, and how many classes there are."""
    if SEPARATOR in reading:
        return [(sign + 1) // 2 for sign in reading.of(signs)[0]], 2
    y, classes = reading.of(codes)
    if len(classes) < 2:
        raise FormatError(f"{reading.place}.y: expected two classes or more")
    return y, len(classes)


def _separated(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    """Rows with the labels that a separator w gives them; w itself stands for a row of score 0."""
    w = draws.row(sizes["columns"], ["1", "-2", "1/2"])
    X = draws.rows(sizes["rows"], sizes["columns"], sizes.numbers)
    scores = [dot(numbers(w, "w"), numbers(x, "x"), Fraction(0)) for x in X]
    rows = [x if score else w for x, score in zip(X, scores, strict=True)]
    return {"X": rows, "y": [-1 if score < 0 else 1 for score in scores], "w": w}


def _separated_by_class(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    """The same with w for one class and −w for the other."""
    w = numbers(problem["w"], "w")
    return {"W": [[number_text(-v) for v in w], [*problem["w"]]]}


VALUES = required(
    "values", "for each hypothesis its value on each row", MATRIX, matrix_at, power=1,
    axes=("hypotheses", "rows"),
)  # fmt: skip
EMPIRICAL = required(
    "empirical", "the empirical margin loss, from 0 to 1", NUMBER, _share, draws=["0", "1/20"],
)  # fmt: skip
K = required("k", "the number of classes", WHOLE, whole_from(2), draws=[2, 3, 4])
M = required("m", "the number of rows", WHOLE, whole_from(1), draws=[10, 400])
RHO = positive("rho", "ρ, above 0", draws=["1", "1/2", "3"])
DELTA = required("delta", "δ, between 0 and 1", NUMBER, _probability, draws=["1/20", "1/100"])
EXPECTED = _not_negative("expected_complexity", "the expected complexity", ["1/100"])
ON_SAMPLE = _not_negative("empirical_complexity", "instead of it: that on the sample", ["1/100"])
R_SQUARED = _not_negative("r_squared", "r², the largest K(x, x)", ["1", "2", "4"])
LAMBDA_SQUARED = _not_negative("Lambda_squared", "Λ², the bound of ‖f‖²", ["1", "2", "4"])
OF_SAMPLE = truth("on_sample", "whether r² is that of the sample alone")
ROWS = required(
    "X", "m rows of d numbers", MATRIX, matrix_at, power=1, axes=("rows", "columns"),
    draws=_separated,
)  # fmt: skip
CLASSES = TWO_CLASSES._replace(says="the labels in order")
SEPARATOR = required(
    "w", "the weights of a separator", NUMBERS,
    lambda value, place, reading: matrix_of([value], place, 1, len(reading[ROWS][0]))[0],
    axes=("columns",),
)  # fmt: skip
SEPARATORS = required(
    "W", "instead of `w`: weights of each class", MATRIX,
    lambda value, place, reading: matrix_of(
        value, place, reading.of(_labels)[1], len(reading[ROWS][0])
    ),
    axes=("classes", "columns"), draws=_separated_by_class,
)  # fmt: skip
B = claim("b", "beside `w`: its bias, of a column of ones", NUMBER, number_at, draws=["0"])
EPSILONS = required(
    "epsilons", "ε of each round, from 0 to 1", NUMBERS, _shares, axes=("rounds",),
    draws=["1/10", "1/3", "0x1.fp-2"],
)  # fmt: skip
OF_KERNEL = (R_SQUARED, LAMBDA_SQUARED)
OF_MARGIN = (EMPIRICAL, K, RHO, M, DELTA)
PROBLEM = {
    RADEMACHER: Declared(fields=(FAMILY, VALUES)),
    KERNEL: Declared(fields=(FAMILY, *OF_KERNEL, M)),
    MARGIN: Declared(
        fields=(FAMILY, *OF_MARGIN, EXPECTED, ON_SAMPLE), instead=((EXPECTED, ON_SAMPLE),)
    ),
    KERNEL_MARGIN: Declared(fields=(FAMILY, *OF_MARGIN, *OF_KERNEL, OF_SAMPLE)),
    PERCEPTRON: Declared(
        fields=(FAMILY, ROWS, Y, SEPARATOR, SEPARATORS, CLASSES, B),
        instead=((SEPARATOR, SEPARATORS),), beside={"b": "w"}, is_reordered=False,
    ),
    ADABOOST: Declared(fields=(FAMILY, EPSILONS)),
}  # fmt: skip
POWERS = {RADEMACHER: {"value": 1}, PERCEPTRON: {"R_squared": 2, "margin_squared": 2}}
CLAIMS = {
    family: [
        claim(name, "", NUMBER, number_at, power=POWERS.get(family, {}).get(name, 0))
        for name in names
    ]
    for family, names in TERMS.items()
}
VACUOUS = claim("vacuous", "whether the bound is at least 1", TRUTH, truth_at)
ERROR = claim("error", "the training error", NUMBER, number_at)


def _answer(family: str) -> Declared:
    others = {MARGIN: (VACUOUS,), KERNEL_MARGIN: (VACUOUS,), ADABOOST: (ERROR,)}
    return any_of(*CLAIMS[family], *others.get(family, ()))


DECLARED = {family: ([problem], [_answer(family)]) for family, problem in PROBLEM.items()}


def read_problem(record: Record) -> bounds.Problem:
    """The bound of a record as the checker takes it; `FormatError` names the field that is wrong.

    >>> read_problem({"family": "bound.adaboost", "epsilons": ["1/4"]}).epsilons
    [Fraction(1, 4)]
    """
    family = str(record["family"])
    reading = PROBLEM[family].read(record)
    if family == RADEMACHER:
        return bounds.RademacherProblem(reading[VALUES])
    if family == PERCEPTRON:
        return _read_perceptron(reading)
    if family == ADABOOST:
        return bounds.AdaBoostProblem(reading[EPSILONS])
    if family == KERNEL:
        return bounds.KernelProblem(**reading.settings(*OF_KERNEL, M))
    if family == KERNEL_MARGIN:
        squared = reading[R_SQUARED] * reading[LAMBDA_SQUARED] / reading[M]
        on_sample = reading[OF_SAMPLE]
    else:
        on_sample = ON_SAMPLE in reading
        squared = reading[ON_SAMPLE if on_sample else EXPECTED] ** 2
    return bounds.MarginProblem(
        family=family,
        complexity_squared=squared,
        on_sample=on_sample,
        **reading.settings(*OF_MARGIN),
    )


def _read_perceptron(reading: Reading) -> bounds.PerceptronProblem:
    """A separator w, with b for a column of ones after those of X; or W, a row for each class."""
    X, y = reading[ROWS], reading.of(_labels)[0]
    if SEPARATORS in reading:
        return bounds.PerceptronProblem(X, y, reading[SEPARATORS])
    w, b = reading[SEPARATOR], reading[B]
    if b is not None:
        w, X = [*w, b], [[*x, Fraction(1)] for x in X]
    return bounds.PerceptronProblem(X, y, [w])


def solve(problem: Record, on_step: object = None, tie: object = None) -> dict[str, object]:
    """The values of the bound: exact, or the nearest float where they are irrational.

    >>> solve({"family": "bound.rademacher", "values": [[1, 1, 1], [-1, -1, -1]]})["value"]
    '1/2'
    """
    read = read_problem(problem)
    found = at("problem", lambda: _bound(problem))
    told: dict[str, object] = {"family": read.family}
    for term in TERMS[read.family]:
        told[term] = number_text(found if read.family == RADEMACHER else getattr(found, term))
    if isinstance(found, MarginBound):
        told["vacuous"] = found.vacuous
    return told


def _bound(record: Record) -> Any:
    """The bound as this package computes it, by functions that take the fields by their names."""
    family = str(record["family"])
    reading = PROBLEM[family].read(record)
    fields = [field for field in PROBLEM[family].fields[1:] if field in reading]
    given, bound = reading.settings(*fields), BOUNDS[family]
    if family == PERCEPTRON:
        given["y"], k = reading.of(_labels)
        given["classes"] = range(k)
        bound = multiclass_mistake_bound if SEPARATORS in reading else bound
    return bound(**given)


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: object = None) -> Verdict:
    """The checker's verdict; `allowed` is how far a value may be off.

    >>> problem = {"family": "bound.kernel_rademacher", "r_squared": 1, "Lambda_squared": 2, "m": 1}
    >>> judge(problem, {"value": 1.4142135623730951}, Fraction(1, 10**15)).status
    'VERIFIED'
    """
    read = read_problem(problem)
    (declared,) = DECLARED[read.family][1]
    reading = declared.read_answer(answer, read.family, read)
    values = reading.given(*CLAIMS[read.family])
    given = bounds.Claims(values, **reading.settings(VACUOUS, ERROR))
    return bounds.judge(read, given, allowed=allowed)


def trace(problem: Record, tie: object = None) -> Iterator[Row]:
    """One row for each sign vector of a Rademacher complexity; for other bounds, for each term.

    >>> [row["sup"] for row in trace({"family": "bound.rademacher", "values": [[1], [2]]})]
    [Fraction(2, 1), Fraction(-1, 1)]
    """
    read = read_problem(problem)
    if not isinstance(read, bounds.RademacherProblem):
        for term, value in solve(problem).items():
            if term != "family":
                yield {"term": term, "value": value}
        return
    m = len(read.values[0])
    at("problem", lambda: check_sums(len(read.values), m))
    for sigma in product((Fraction(1), Fraction(-1)), repeat=m):
        # (1/m) Σ σ_i h(ω_i) for each hypothesis h, and the supremum with those that reach it
        means = [dot(sigma, h, Fraction(0)) / m for h in read.values]
        yield {"sigma": sigma, "means": means, "tied": argmax_set(means), "sup": max(means)}
