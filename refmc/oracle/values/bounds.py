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

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from refmc.checker import Verdict
from refmc.checker.values import bounds as referee
from refmc.core.linalg import dot
from refmc.core.records import Record, at, at_least_0, matrix, number, numbers
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
    if_given,
    matrix_of,
    numbers_in,
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
    if family == PERCEPTRON:
        return _read_perceptron(record)
    if family == ADABOOST:
        epsilons = numbers(record["epsilons"], "problem.epsilons")
        if min(epsilons) < 0 or max(epsilons) > 1:
            raise FormatError("problem.epsilons: expected shares from 0 to 1")
        return referee.AdaBoostProblem(epsilons)
    fields = _fields(record)
    if family == KERNEL:
        return referee.KernelProblem(**fields)
    return referee.MarginProblem(
        family=family,
        complexity_squared=_complexity_squared(fields),
        on_sample="empirical_complexity" in fields or fields.get("on_sample", False),
        **{name: fields[name] for name in ("empirical", "k", "m", "rho", "delta")},
    )


def _fields(record: Record) -> dict[str, Any]:
    """The fields of a bound of margins or of kernels, each in its range."""
    return {name: _field(record, name) for name in record if name != "family"}


def _field(record: Record, name: str) -> Any:
    value, place = record[name], f"problem.{name}"
    if name in ("k", "m"):
        return whole(value, place, 2 if name == "k" else 1)
    if name == "on_sample":
        return truth(record, name, False)
    found = positive(record, name) if name in ("rho", "delta") else at_least_0(value, place)
    if name == "delta" and found >= 1:
        raise FormatError("problem.delta: expected a probability between 0 and 1")
    if name == "empirical" and found > 1:
        raise FormatError("problem.empirical: expected a loss from 0 to 1")
    return found


def _complexity_squared(fields: Mapping[str, Any]) -> Fraction:
    """The square of the complexity that is given, or of the kernel's."""
    for name in COMPLEXITIES:
        if name in fields:
            given: Fraction = fields[name]
            return given**2
    squared: Fraction = fields["r_squared"] * fields["Lambda_squared"] / fields["m"]
    return squared


def _read_perceptron(record: Record) -> referee.PerceptronProblem:
    """A separator w, with b for a column of ones after those of X; or W, a row for each class."""
    X = matrix(record["X"], "problem.X")
    if "W" in record:
        codes, classes = read_codes(record, len(X))
        if len(classes) < 2:
            raise FormatError("problem.y: expected two classes or more")
        W = matrix_of(record["W"], "problem.W", len(classes), len(X[0]))
        return referee.PerceptronProblem(X, codes, W)
    signs, _ = read_signs(record, len(X))
    (w,) = matrix_of([record["w"]], "problem.w", 1, len(X[0]))
    if "b" in record:
        w.append(number(record["b"], "problem.b"))
        X = [[*x, Fraction(1)] for x in X]
    return referee.PerceptronProblem(X, [(sign + 1) // 2 for sign in signs], [w])


def solve(problem: Record, on_step: object = None) -> dict[str, object]:
    """The values of the bound: exact, or the nearest float where they are irrational.

    >>> solve({"family": "bound.rademacher", "values": [[1, 1, 1], [-1, -1, -1]]})["value"]
    '1/2'
    """
    read = read_problem(problem)
    found = at("problem", lambda: _bound(problem, read))
    answer: dict[str, object] = {"family": read.family}
    if isinstance(found, (float, Fraction)):
        answer["value"] = number_text(found)
    else:
        answer |= {term: number_text(getattr(found, term)) for term in TERMS[read.family]}
    if isinstance(found, MarginBound):
        answer["vacuous"] = found.vacuous
    return answer


def _bound(record: Record, read: referee.Problem) -> Any:
    """The bound as this package computes it."""
    if isinstance(read, referee.RademacherProblem):
        return rademacher(read.values)
    if isinstance(read, referee.AdaBoostProblem):
        return adaboost_error_bound(read.epsilons)
    if isinstance(read, referee.PerceptronProblem):
        if len(read.separator) == 1:
            signs = [2 * position - 1 for position in read.y]
            return perceptron_mistake_bound(read.X, signs, read.separator[0])
        classes = range(len(read.separator))
        return multiclass_mistake_bound(read.X, read.y, read.separator, classes=classes)
    bound: Any = {
        KERNEL: kernel_rademacher_bound,
        MARGIN: margin_bound,
        KERNEL_MARGIN: kernel_margin_bound,
    }[read.family]
    return bound(**_fields(record))


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: object = None) -> Verdict:
    """The checker's verdict; `allowed` is how far a value may be off.

    >>> problem = {"family": "bound.kernel_rademacher", "r_squared": 1, "Lambda_squared": 2, "m": 1}
    >>> judge(problem, {"value": 1.4142135623730951}, Fraction(1, 10**15)).status
    'VERIFIED'
    """
    read = read_problem(problem)
    read_answer(answer, read.family, ANSWER[read.family])
    return referee.judge(
        read,
        numbers_in(answer, TERMS[read.family]),
        vacuous=truth(answer, "vacuous", False, "answer") if "vacuous" in answer else None,
        error=if_given(answer, "error", number),
        allowed=allowed,
    )


def trace(problem: Record) -> Iterator[Row]:
    """One row for each sign vector of a Rademacher complexity; for other bounds, for each term.

    >>> [row["sup"] for row in trace({"family": "bound.rademacher", "values": [[1], [2]]})]
    [Fraction(2, 1), Fraction(-1, 1)]
    """
    read = read_problem(problem)
    if not isinstance(read, referee.RademacherProblem):
        for term, value in solve(problem).items():
            if term != "family":
                yield {"term": term, "value": value}
        return
    m = len(read.values[0])
    for sigma in product((Fraction(1), Fraction(-1)), repeat=m):
        # (1/m) Σ σ_i h(ω_i) for each hypothesis h, and the supremum with those that reach it
        means = [dot(sigma, h, Fraction(0)) / m for h in read.values]
        yield {"sigma": sigma, "means": means, "tied": argmax_set(means), "sup": max(means)}
