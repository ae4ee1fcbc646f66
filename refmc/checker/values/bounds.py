"""Is this the value of a bound?  Recomputed exactly, or enclosed in a proved interval.

Covers the Rademacher complexity of [lu, Lemma 8.1], the terms of [lu, Theorem 8.1],
[lu, Proposition 8.1] and [lu, Corollary 8.1], the mistake bounds of [keshet §2.1] and what the
factors of [lu, "The AdaBoost.MH Algorithm"] bound.

    values      h(w_i) of each hypothesis h on m items; value: the mean of the largest
                sum of sigma_i h(w_i) / m over all 2^m sign vectors sigma, each of which is visited
    complexity  (2 k^2 / rho) times the Rademacher complexity, or its kernel bound sqrt(r^2 L^2 / m)
    confidence  sqrt(ln(1/delta) / (2m)); 3 sqrt(ln(2/delta) / (2m)) beside a sample's complexity
    total       empirical + complexity + confidence; vacuous: it is at least 1
    bound       R^2 / gamma^2, twice that for several classes, gamma of a separator of norm 1
    product     of 2 sqrt(epsilon (1 - epsilon)); exponential: exp(-2 sum of (1/2 - epsilon)^2)

Differs from the lecture: delta is below 1, where its print has every delta > 0; the corollary may
be of a sample.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from refmc.checker.numbers.arithmetic import dot, to_matrix
from refmc.checker.numbers.enclosures import Enclosure, exponential, logarithm, point, root
from refmc.checker.parts import (
    MOST_BITS,
    Enclosed,
    Part,
    combined,
    counted,
    enclosed_claim,
    exactly,
)
from refmc.checker.printing import short_text
from refmc.checker.verdict import Verdict, Violation

__all__ = [
    "AdaBoostProblem",
    "KernelProblem",
    "MarginProblem",
    "PerceptronProblem",
    "RademacherProblem",
    "judge",
]

MOST_SIGNS = 20

Rows = Sequence[Sequence[Fraction]]


@dataclass(frozen=True)
class RademacherProblem:
    """n hypotheses with m values each.

    >>> RademacherProblem([[Fraction(1)]]).summary
    '1 hypothesis, 1 value'
    """

    values: Rows
    family: str = "bound.rademacher"

    @property
    def summary(self) -> str:
        hypotheses = counted(len(self.values), "hypothesis", "hypotheses")
        return f"{hypotheses}, {counted(len(self.values[0]), 'value')}"

    def terms(self) -> dict[str, Enclosed]:
        """The complexity, by its definition; nothing where there are too many sign vectors."""
        whole, m = to_matrix(self.values), len(self.values[0])
        if m > MOST_SIGNS:
            return {}
        suprema = (max(dot(h, signs) for h in whole.rows) for signs in product((-1, 1), repeat=m))
        return {"value": exactly(Fraction(sum(suprema), whole.den * m * 2**m))}


@dataclass(frozen=True)
class KernelProblem:
    """sqrt(r^2 L^2 / m).

    >>> KernelProblem(Fraction(2), Fraction(2), 1).terms()["value"](8).low
    Fraction(2, 1)
    """

    r_squared: Fraction
    Lambda_squared: Fraction
    m: int
    family: str = "bound.kernel_rademacher"

    @property
    def summary(self) -> str:
        return counted(self.m, "row")

    @property
    def squared(self) -> Fraction:
        return self.r_squared * self.Lambda_squared / self.m

    def terms(self) -> dict[str, Enclosed]:
        """The bound of the complexity."""
        return {"value": _root(self.squared)}


@dataclass(frozen=True, kw_only=True)
class MarginProblem:
    """A margin bound with the square of the complexity that it takes, of a sample or expected.

    >>> bound = MarginProblem(family="bound.margin", empirical=Fraction(0), k=2, m=8,
    ...                       rho=Fraction(1), delta=Fraction(1, 2), complexity_squared=Fraction(4))
    >>> bound.terms()["complexity"](8).low
    Fraction(16, 1)
    """

    family: str
    empirical: Fraction
    k: int
    m: int
    rho: Fraction
    delta: Fraction
    complexity_squared: Fraction
    on_sample: bool = False

    @property
    def summary(self) -> str:
        form = "of the sample" if self.on_sample else "expected"
        return f"{counted(self.m, 'row')}, {self.k} classes, complexity {form}"

    def terms(self) -> dict[str, Enclosed]:
        """The three terms and their sum."""
        squared = self.complexity_squared * (2 * self.k**2 / self.rho) ** 2

        def confidence(bits: int) -> Enclosure:
            log = logarithm((2 if self.on_sample else 1) / self.delta, bits)
            simple = root(log.times(Fraction(1, 2 * self.m)), bits)
            return simple.times(Fraction(3 if self.on_sample else 1))

        def total(bits: int) -> Enclosure:
            return confidence(bits).plus(root(point(squared), bits)).plus(point(self.empirical))

        return {
            "empirical": exactly(self.empirical),
            "complexity": _root(squared),
            "confidence": confidence,
            "total": total,
        }


@dataclass(frozen=True)
class PerceptronProblem:
    """m rows, for each the class position, and the rows of a separator; two of them are w and -w.

    A binary problem has one row w and the classes 0 (negative) and 1.

    >>> PerceptronProblem([[Fraction(2)]], (1,), [[Fraction(1)]]).terms()["bound"](8).low
    Fraction(1, 1)
    """

    X: Rows
    y: Sequence[int]
    separator: Rows
    family: str = "bound.perceptron"

    @property
    def summary(self) -> str:
        return counted(len(self.X), "row")

    def terms(self) -> dict[str, Enclosed]:
        """Nothing where a row isn't separated."""
        margins = [self._margin(x, y) for x, y in zip(self.X, self.y, strict=True)]
        if min(margins) <= 0:
            return {}
        largest = max(sum(v * v for v in x) for x in self.X)
        norm = sum(v * v for w in self.separator for v in w)
        margin_squared = min(margins) ** 2 / norm
        growth = 1 if len(self.separator) == 1 else 2
        return {
            "R_squared": exactly(Fraction(largest)),
            "margin_squared": exactly(margin_squared),
            "bound": exactly(growth * largest / margin_squared),
        }

    def _margin(self, x: Sequence[Fraction], y: int) -> Fraction:
        scores = [
            sum((a * b for a, b in zip(w, x, strict=True)), Fraction(0)) for w in self.separator
        ]
        if len(scores) == 1:
            return scores[0] if y else -scores[0]
        return min(scores[y] - score for r, score in enumerate(scores) if r != y)


@dataclass(frozen=True)
class AdaBoostProblem:
    """The weighted error of each round.

    >>> AdaBoostProblem([Fraction(1, 10)]).terms()["product"](8).low <= Fraction(6, 10)
    True
    """

    epsilons: Sequence[Fraction]
    family: str = "bound.adaboost"

    @property
    def summary(self) -> str:
        return counted(len(self.epsilons), "round")

    @property
    def product_squared(self) -> Fraction:
        return prod((4 * e * (1 - e) for e in self.epsilons), start=Fraction(1))

    def terms(self) -> dict[str, Enclosed]:
        """The product, and what it is at most."""
        edges = sum(((Fraction(1, 2) - e) ** 2 for e in self.epsilons), Fraction(0))
        return {
            "product": _root(self.product_squared),
            "exponential": lambda bits: exponential(-2 * edges, bits),
        }


Problem = RademacherProblem | KernelProblem | MarginProblem | PerceptronProblem | AdaBoostProblem


def judge(
    problem: Problem,
    values: Mapping[str, Fraction],
    *,
    vacuous: bool | None = None,
    error: Fraction | None = None,
    allowed: Fraction,
) -> Verdict:
    """Judge values by the names of the problem's terms.

    `vacuous`: of a margin bound; `error`: a training error that AdaBoost's product must bound.

    >>> two = RademacherProblem([[Fraction(1)] * 3, [Fraction(-1)] * 3])
    >>> judge(two, {"value": Fraction(1, 2)}, allowed=Fraction(0)).status
    'VERIFIED'
    >>> print(judge(two, {"value": Fraction(1, 3)}, allowed=Fraction(0)).explain())
    REFUTED  bound.rademacher  2 hypotheses, 3 values
      gap      1/6 (1.7e-1); allowed 0
      worst    value: 1/3, needs 1/2
    """
    if allowed < 0:
        raise ValueError(f"allowed must not be negative, got {short_text(allowed)}")
    terms = problem.terms()
    if not terms:
        parts = [Part("INCONCLUSIVE", None, (), _why_nothing(problem))]
    else:
        parts = [
            enclosed_claim(name, terms[name], value, allowed) for name, value in values.items()
        ]
        if vacuous is not None:
            parts.append(_judge_vacuous(terms["total"], vacuous))
        if error is not None:
            parts.append(_judge_error(problem, error))
    return combined(problem.family, problem.summary, parts, allowed)


def _why_nothing(problem: Problem) -> str:
    if isinstance(problem, RademacherProblem):
        return f"2^{len(problem.values[0])} sign vectors are too many to be visited"
    return "the weights don't separate the rows, so they bound nothing"


def _judge_vacuous(total: Enclosed, claim: bool) -> Part:
    """The total is never 1, for a logarithm of a rational number other than 1 is transcendental."""
    bits = 64
    while bits <= MOST_BITS:
        found = total(bits)
        assert found is not None
        if found.low >= 1 or found.high < 1:
            if claim == (found.low >= 1):
                return Part("VERIFIED", Fraction(0))
            text = f"{str(claim).lower()}, but the total is about {short_text(found.low)}"
            return Part("REFUTED", None, (Violation("vacuous", text, abs(found.low - 1)),))
        bits *= 2
    return Part("INCONCLUSIVE", None, (), "the total is too near to 1")


def _judge_error(problem: Problem, error: Fraction) -> Part:
    assert isinstance(problem, AdaBoostProblem)
    if error >= 0 and error**2 <= problem.product_squared:
        return Part("VERIFIED", Fraction(0))
    text = f"{short_text(error)} is no error that the product bounds"
    return Part("REFUTED", None, (Violation("error", text, abs(error)),))


def _root(square: Fraction) -> Enclosed:
    return lambda bits: root(point(square), bits)
