"""The families `bound.*`: reference values of bounds, and verdicts on the values of others.

{"family": "bound.rademacher", "values": n rows of m}

{"family": "bound.margin", "empirical": a loss, "k": classes, "rho": ρ, "m": rows, "delta": δ,
 "expected_complexity" or "empirical_complexity": ℜ}

{"family": "bound.kernel_rademacher", "r_squared": r², "Lambda_squared": Λ², "m": rows}; for
kernel_margin also what margin has, and instead of a complexity "on_sample": (false)

{"family": "bound.perceptron", "X": m rows, "y": m labels, "classes": optional, and the separator:
 "w" and optionally "b", or "W"}

{"family": "bound.adaboost", "epsilons": one a round}
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from refmc.checker import Verdict
from refmc.checker.values import bounds as referee
from refmc.core.linalg import dot
from refmc.core.records import Record, at, at_least_0, matrix, number, numbers
from refmc.core.sample import Label
from refmc.core.scalars import number_text
from refmc.core.ties import argmax_set
from refmc.errors import FormatError
from refmc.oracle.forms import (
    LABELS,
    MATRIX,
    NUMBER,
    NUMBERS,
    TEXT,
    TRUTH,
    WHOLE,
    Fields,
    Form,
    answer_form,
)
from refmc.oracle.reading import (
    matrix_of,
    positive,
    read_answer,
    read_codes,
    read_signs,
    truth,
    whole,
)
from refmc.oracle.rows import Row
from refmc.theory.bounds import (
    MarginBound,
    kernel_margin_bound,
    kernel_rademacher_bound,
    margin_bound,
)
from refmc.theory.rademacher import rademacher
from refmc.theory.training_bounds import (
    adaboost_error_bound,
    multiclass_mistake_bound,
    perceptron_mistake_bound,
)

RADEMACHER, MARGIN, KERNEL = "bound.rademacher", "bound.margin", "bound.kernel_rademacher"
KERNEL_MARGIN, PERCEPTRON, ADABOOST = "bound.kernel_margin", "bound.perceptron", "bound.adaboost"

TERMS = {
    RADEMACHER: ("value",),
    KERNEL: ("value",),
    MARGIN: ("empirical", "complexity", "confidence", "total"),
    KERNEL_MARGIN: ("empirical", "complexity", "confidence", "total"),
    PERCEPTRON: ("R_squared", "margin_squared", "bound"),
    ADABOOST: ("product", "exponential"),
}
"""The values of each family."""

COMPLEXITIES = ("expected_complexity", "empirical_complexity")

_FAMILY: Fields = {"family": TEXT}
_OF_KERNEL: Fields = {"r_squared": NUMBER, "Lambda_squared": NUMBER}
_OF_MARGIN: Fields = {
    **_FAMILY, "empirical": NUMBER, "k": WHOLE, "rho": NUMBER, "m": WHOLE, "delta": NUMBER,
}  # fmt: skip
PROBLEM = {
    RADEMACHER: Form({**_FAMILY, "values": MATRIX}),
    KERNEL: Form({**_FAMILY, **_OF_KERNEL, "m": WHOLE}),
    MARGIN: Form(_OF_MARGIN, instead=[dict.fromkeys(COMPLEXITIES, NUMBER)]),
    KERNEL_MARGIN: Form({**_OF_MARGIN, **_OF_KERNEL}, {"on_sample": TRUTH}),
    PERCEPTRON: Form(
        {**_FAMILY, "X": MATRIX, "y": LABELS},
        {"classes": LABELS, "b": NUMBER},
        instead=[{"w": NUMBERS, "W": MATRIX}],
        beside={"b": "w"},
    ),
    ADABOOST: Form({**_FAMILY, "epsilons": NUMBERS}),
}
_OTHERS: dict[str, Fields] = {
    MARGIN: {"vacuous": TRUTH},
    KERNEL_MARGIN: {"vacuous": TRUTH},
    ADABOOST: {"error": NUMBER},
}
ANSWER = {
    family: answer_form({**dict.fromkeys(terms, NUMBER), **_OTHERS.get(family, {})})
    for family, terms in TERMS.items()
}
FORMS = {family: ([PROBLEM[family]], [ANSWER[family]]) for family in TERMS}


def read_problem(record: Record) -> referee.Problem:
    """The bound of a record as the checker takes it; `FormatError` names the field that is wrong.

    >>> read_problem({"family": "bound.adaboost", "epsilons": ["1/4"]}).epsilons
    [Fraction(1, 4)]
    """
    family = str(record["family"])
    PROBLEM[family].check(record, "problem")
    if family == RADEMACHER:
        return referee.RademacherProblem(matrix(record["values"], "problem.values"))
    if family == KERNEL:
        return referee.KernelProblem(
            _number(record, "r_squared"),
            _number(record, "Lambda_squared"),
            whole(record["m"], "problem.m", 1),
        )
    if family == PERCEPTRON:
        return _read_perceptron(record)
    if family == ADABOOST:
        epsilons = numbers(record["epsilons"], "problem.epsilons")
        if min(epsilons) < 0 or max(epsilons) > 1:
            raise FormatError("problem.epsilons: expected shares from 0 to 1")
        return referee.AdaBoostProblem(epsilons)
    return _read_margin(record)


def _read_margin(record: Record) -> referee.MarginProblem:
    """The complexity is given, or that of a kernel."""
    m = whole(record["m"], "problem.m", 1)
    if record["family"] == MARGIN:
        on_sample = "empirical_complexity" in record
        squared = _number(record, COMPLEXITIES[on_sample]) ** 2
    else:
        squared = _number(record, "r_squared") * _number(record, "Lambda_squared") / m
        on_sample = truth(record, "on_sample", False)
    delta = positive(record, "delta")
    if delta >= 1:
        raise FormatError("problem.delta: expected a probability between 0 and 1")
    if _number(record, "empirical") > 1:
        raise FormatError("problem.empirical: expected a loss from 0 to 1")
    return referee.MarginProblem(
        family=str(record["family"]),
        empirical=_number(record, "empirical"),
        k=whole(record["k"], "problem.k", 2),
        m=m,
        rho=positive(record, "rho"),
        delta=delta,
        complexity_squared=squared,
        on_sample=on_sample,
    )


def _read_perceptron(record: Record) -> referee.PerceptronProblem:
    X, W, b, y, _ = _separated(record)
    rows = [[*x, *[Fraction(1)] * (b is not None)] for x in X]
    weights = W if b is None else [[*W[0], b]]
    return referee.PerceptronProblem(rows, y, weights)


Separated = tuple[
    list[list[Fraction]], list[list[Fraction]], Fraction | None, list[int], tuple[Label, ...]
]


def _separated(record: Record) -> Separated:
    """X, the rows of the separator, b, the class positions and the classes."""
    binary = "w" in record
    X = matrix(record["X"], "problem.X")
    if binary:
        signs, pair = read_signs(record, len(X))
        b = number(record["b"], "problem.b") if "b" in record else None
        w = matrix_of([record["w"]], "problem.w", 1, len(X[0]))
        return X, w, b, [(sign + 1) // 2 for sign in signs], pair
    codes, classes = read_codes(record, len(X))
    if len(classes) < 2:
        raise FormatError("problem.y: expected two classes or more")
    W = matrix_of(record["W"], "problem.W", len(classes), len(X[0]))
    return X, W, None, list(codes), classes


def _number(record: Record, name: str) -> Fraction:
    """A number of at least 0."""
    return at_least_0(record[name], f"problem.{name}")


def solve(problem: Record, on_step: object = None) -> dict[str, object]:
    """The values of the bound: exact, or the nearest float where they are irrational.

    >>> solve({"family": "bound.rademacher", "values": [[1, 1, 1], [-1, -1, -1]]})["value"]
    '1/2'
    """
    read_problem(problem)
    found = at("problem", lambda: _bound(problem))
    answer: dict[str, object] = {"family": problem["family"]}
    if not isinstance(found, (float, Fraction)):
        answer |= {n: number_text(getattr(found, n)) for n in TERMS[str(problem["family"])]}
    else:
        answer["value"] = number_text(found)
    if isinstance(found, MarginBound):
        answer["vacuous"] = found.vacuous
    return answer


def _bound(record: Record) -> Any:
    """The bound as this package computes it, from a record that was read before."""
    family = record["family"]
    if family == RADEMACHER:
        return rademacher(matrix(record["values"], "problem.values"))
    if family == ADABOOST:
        return adaboost_error_bound(numbers(record["epsilons"], "problem.epsilons"))
    if family == PERCEPTRON:
        X, W, b, y, classes = _separated(record)
        labels = [classes[code] for code in y]
        if "w" in record:
            return perceptron_mistake_bound(X, labels, W[0], b=b, classes=classes)
        return multiclass_mistake_bound(X, labels, W, classes=classes)
    fields: dict[str, Any] = {
        name: int(number(value, name)) if name in ("k", "m") else number(value, name)
        for name, value in record.items()
        if name not in ("family", "on_sample")
    }
    if family == KERNEL:
        return kernel_rademacher_bound(**fields)
    if family == MARGIN:
        return margin_bound(**fields)
    return kernel_margin_bound(**fields, on_sample=truth(record, "on_sample", False))


def trace(problem: Record) -> Iterator[Row]:
    """A row a sign vector of a Rademacher complexity; of other bounds a row a term.

    >>> [row["sup"] for row in trace({"family": "bound.rademacher", "values": [[1], [2]]})]
    [Fraction(2, 1), Fraction(-1, 1)]
    """
    if problem["family"] == RADEMACHER:
        yield from _sign_vectors(problem)
    else:
        for term, value in solve(problem).items():
            if term != "family":
                yield {"term": term, "value": value}


def _sign_vectors(problem: Record) -> Iterator[Row]:
    """σ, (1/m) Σ σ_i h(ω_i) for each hypothesis h, and the supremum with those that reach it."""
    read_problem(problem)
    values = matrix(problem["values"], "problem.values")
    m = len(values[0])
    for sigma in product((Fraction(1), Fraction(-1)), repeat=m):
        means = [dot(sigma, h, Fraction(0)) / m for h in values]
        yield {"sigma": sigma, "means": means, "tied": argmax_set(means), "sup": max(means)}


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: object = None) -> Verdict:
    """The checker's verdict; `allowed` is how far a value may be off.

    >>> problem = {"family": "bound.kernel_rademacher", "r_squared": 1, "Lambda_squared": 2, "m": 1}
    >>> judge(problem, {"value": 1.4142135623730951}, Fraction(1, 10**15)).status
    'VERIFIED'
    """
    read = read_problem(problem)
    terms = TERMS[read.family]
    read_answer(answer, read.family, ANSWER[read.family])
    return referee.judge(
        read,
        {name: number(answer[name], f"answer.{name}") for name in terms if name in answer},
        vacuous=truth(answer, "vacuous", False, "answer") if "vacuous" in answer else None,
        error=number(answer["error"], "answer.error") if "error" in answer else None,
        allowed=allowed,
    )
