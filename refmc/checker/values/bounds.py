"""Is this the value of a bound? Recomputed exactly, or enclosed in a proved interval.

Covers the Rademacher complexity of [lu, Lemma 8.1], the terms of [lu, Theorem 8.1],
[lu, Proposition 8.1] and [lu, Corollary 8.1], the mistake bounds of [keshet §2.1] and what the
factors of [lu, "The AdaBoost.MH Algorithm"] bound.

    values      h(ω_i) of each hypothesis h on m items
    value       the mean over all 2^m sign vectors σ of max_h Σ_i σ_i h(ω_i)/m. As the maximum for
                −σ is minus the minimum for σ, the two together are the maximum minus the minimum
                for σ, and only half of the sign vectors are visited
    complexity  2k²/ρ times the Rademacher complexity or its kernel bound √(r²Λ²/m)
    confidence  √(ln(1/δ)/(2m)), or 3√(ln(2/δ)/(2m)) with the complexity of a sample
    total       empirical + complexity + confidence; it is vacuous if it is at least 1
    bound       R²/γ², or twice that for several classes, with the margin γ of a separator of norm 1
    product     Π 2√(ε_t(1 − ε_t))
    exponential exp(−2 Σ (1/2 − ε_t)²)

Differs from the lecture: δ must be below 1, where its print has every δ > 0; the corollary is also
judged with the complexity of a sample.

A value may be off by the allowed share of itself, as it is a product or a sum of positive terms.
There are two exceptions:
    value                  by a share of max_h Σ_i |h(ω_i)|/m, because terms of both signs cancel
    margin_squared, bound  by as much as they change when each w_j x_j is off by that share
A training error may exceed the product by a share of the product. Where the total is so near to 1
that it may be on either side after such changes, it may be called vacuous or not, but not in
contradiction to a total that was submitted as well.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from operator import add, sub
from typing import NamedTuple

from refmc.checker.numbers.arithmetic import MAX_BITS, rational_dot, sum_of, to_matrix
from refmc.checker.numbers.enclosures import Enclosure, exponential, logarithm, point, root
from refmc.checker.parts import (
    MOST_BITS,
    Enclosed,
    Part,
    Ranged,
    combined,
    counted,
    enclosed_claim,
    exactly,
    ranged_claim,
    refuted,
)
from refmc.checker.printing import short_text
from refmc.checker.verdict import Place, Verdict

MOST_SUMS = 1 << 25
"""The most sums that a complexity may take: one for each hypothesis and visited sign vector."""

MOST_DIGITS = 8 * MAX_BITS
"""The most binary digits that the errors of all rounds may have together."""

Rows = Sequence[Sequence[Fraction]]


class RademacherProblem(NamedTuple):
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

    @property
    def sums(self) -> int:
        """How many sums the complexity takes."""
        return len(self.values) << len(self.values[0]) - 1

    @property
    def size(self) -> Fraction:
        """The size of the terms: the largest mean of |h(ω_i)| of any h."""
        return max(sum_of(map(abs, h)) for h in self.values) / len(self.values[0])

    def terms(self) -> dict[str, Enclosed]:
        """The complexity by its definition; nothing where it takes too many sums."""
        if self.sums > MOST_SUMS:
            return {}
        whole, m = to_matrix(self.values), len(self.values[0])
        columns = list(zip(*whole.rows))
        first, second = columns[1 : 1 + m // 2], columns[1 + m // 2 :]
        starts = [list(map(add, columns[0], sums)) for sums in _signed_sums(first, len(whole.rows))]
        ends = _signed_sums(second, len(whole.rows))
        widths = 0
        for a in starts:
            for b in ends:
                together = list(map(add, a, b))
                widths += max(together) - min(together)
        return {"value": exactly(Fraction(widths, whole.den * m * 2**m))}


def _signed_sums(columns: Sequence[Sequence[int]], n: int) -> list[list[int]]:
    """For each choice of one sign for every column, the n entries of the sum of signed columns."""
    found = [[0] * n]
    for column in columns:
        found = [list(map(step, sums, column)) for step in (add, sub) for sums in found]
    return found


class KernelProblem(NamedTuple):
    """√(r²Λ²/m), the kernel bound of a complexity.

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
    """A margin bound. `complexity_squared`: the square of the Rademacher complexity, of the sample
    or expected.

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
        return f"{counted(self.m, 'row')}, {counted(self.k, 'class', 'classes')}, complexity {form}"

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


class PerceptronProblem(NamedTuple):
    """m rows, the class position of each, and the rows of a separator.

    A binary problem has one separating row w, and the classes 0 (negative) and 1.

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
        if min(self._margins())[0] <= 0:
            return {}
        found = self.ranged(Fraction(0))
        return {name: exactly(right.value) for name, right in found.items()}

    def ranged(self, allowed: Fraction) -> dict[str, Ranged]:
        """The values, and their ranges when the terms of the margins are off by what is allowed.

        Where the least margin may then be 0, the bound may be any larger number; the upper end of
        its range is its own value, and `_judge_ranged` leaves larger claims open.
        """
        margins = self._margins()
        value, size = min(margins)
        low = max(Fraction(0), min(v - allowed * of_terms for v, of_terms in margins))
        high = min(v + allowed * of_terms for v, of_terms in margins)
        norm = sum_of(rational_dot(w, w) for w in self.separator)
        R_squared = max(rational_dot(x, x) for x in self.X)
        top = (1 if len(self.separator) == 1 else 2) * R_squared * norm
        squared, bound, share = value**2 / norm, top / value**2, 2 * size / value
        ends = top / high**2, top / (low or value) ** 2
        return {
            "R_squared": Ranged.of(R_squared, R_squared, allowed),
            "margin_squared": Ranged(squared, low**2 / norm, high**2 / norm, share * squared),
            "bound": Ranged(bound, *ends, share * bound),
        }

    def _margins(self) -> list[tuple[Fraction, Fraction]]:
        """The margin of each row over each other class, with the sum of |w_j x_j| of its terms."""
        found = []
        for x, y in zip(self.X, self.y, strict=True):
            terms = [[a * b for a, b in zip(w, x, strict=True)] for w in self.separator]
            scores = [sum_of(row) for row in terms]
            sizes = [sum_of(map(abs, row)) for row in terms]
            if len(scores) == 1:
                found.append((scores[0] if y else -scores[0], sizes[0]))
            else:
                rivals = [r for r in range(len(scores)) if r != y]
                found += [(scores[y] - scores[r], sizes[y] + sizes[r]) for r in rivals]
        return found


class AdaBoostProblem(NamedTuple):
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

    @property
    def digits(self) -> int:
        """The binary digits of all errors together."""
        return sum(e.numerator.bit_length() + e.denominator.bit_length() for e in self.epsilons)

    def terms(self) -> dict[str, Enclosed]:
        """The product and the bound on it; nothing where the product has too many digits."""
        if self.digits > MOST_DIGITS:
            return {}
        edges = sum_of((Fraction(1, 2) - e) ** 2 for e in self.epsilons)
        return {
            "product": _root(self.product_squared),
            "exponential": lambda bits: exponential(-2 * edges, bits),
        }


Problem = RademacherProblem | KernelProblem | MarginProblem | PerceptronProblem | AdaBoostProblem


class Claims(NamedTuple):
    """Values by the names of the problem's terms, and what is said of them.

    `vacuous`: of a margin bound; `error`: a training error that AdaBoost's product must bound.
    """

    values: Mapping[str, Fraction]
    vacuous: bool | None = None
    error: Fraction | None = None


def judge(problem: Problem, given: Claims, *, allowed: Fraction) -> Verdict:
    """Judge what is claimed of a bound.

    >>> two = RademacherProblem([[Fraction(1)] * 3, [Fraction(-1)] * 3])
    >>> judge(two, Claims({"value": Fraction(1, 2)}), allowed=Fraction(0)).status
    'VERIFIED'
    >>> print(judge(two, Claims({"value": Fraction(1, 3)}), allowed=Fraction(0)).explain())
    REFUTED  bound.rademacher  2 hypotheses, 3 values
      gap      1/6 (1.7e-1), relative 1.7e-1; allowed 0
      worst    value: 1/3, needs 1/2
    """
    terms, values = problem.terms(), given.values
    if not terms:
        parts = [Part("INCONCLUSIVE", None, (), _why_nothing(problem))]
    elif isinstance(problem, PerceptronProblem):
        parts = _judge_ranged(problem, values, allowed)
    else:
        size = exactly(problem.size) if isinstance(problem, RademacherProblem) else None
        parts = [
            enclosed_claim(Place.whole(name), terms[name], value, allowed, size)
            for name, value in values.items()
        ]
    if terms and given.vacuous is not None:
        parts.append(_judge_vacuous(terms["total"], values.get("total"), given.vacuous, allowed))
    if terms and given.error is not None:
        parts.append(_judge_error(problem, terms["product"], given.error, allowed))
    return combined(problem.family, problem.summary, parts, allowed)


def _judge_ranged(
    problem: PerceptronProblem, values: Mapping[str, Fraction], allowed: Fraction
) -> list[Part]:
    ranged, parts = problem.ranged(allowed), []
    for name, value in values.items():
        if name == "bound" and value > ranged[name].value and not ranged["margin_squared"].low:
            why = "the margin is so small beside its terms that the bound may be any larger"
            parts.append(Part("INCONCLUSIVE", hint=why))
        else:
            parts.append(ranged_claim(Place.whole(name), value, ranged[name]))
    return parts


def _why_nothing(problem: Problem) -> str:
    if isinstance(problem, RademacherProblem):
        n, m = len(problem.values), len(problem.values[0])
        return f"{n} sums for each of 2^{m} sign vectors are too many"
    if isinstance(problem, AdaBoostProblem):
        return f"the errors have {problem.digits} binary digits together, which are too many"
    return "the weights don't separate the rows, so they bound nothing"


def _judge_vacuous(
    total: Enclosed, beside: Fraction | None, claim: bool, allowed: Fraction
) -> Part:
    """The verdict on the claim that the total is at least 1, or below it.

    It is never exactly 1: the logarithm of a rational number other than 1 is transcendental, and so
    is its square root in the confidence; all other terms are algebraic.
    """
    bits = 64
    while bits <= MOST_BITS:
        found = total(bits)
        assert found is not None
        if found.high * (1 - allowed) < 1 <= found.low * (1 + allowed):
            return _beside(found, beside, claim)
        if found.low * (1 - allowed) >= 1 or found.high * (1 + allowed) < 1:
            if claim == (found.low >= 1):
                return Part("VERIFIED", Fraction(0))
            text = f"{str(claim).lower()}, but the total is about {short_text(found.low)}"
            return refuted(Place.whole("vacuous"), text, abs(found.low - 1))
        bits *= 2
    return Part("INCONCLUSIVE", None, (), "the total is too near to 1")


def _beside(total: Enclosure, given: Fraction | None, claim: bool) -> Part:
    """The verdict where the total may be on either side of 1: only a claim that contradicts the
    submitted total is wrong."""
    if given is not None and claim != (given >= 1):
        text = f"{str(claim).lower()}, but the total that was given is {short_text(given)}"
        return refuted(Place.whole("vacuous"), text, abs(given - 1))
    if (total.low >= 1 or total.high < 1) and claim == (total.low >= 1):
        return Part("VERIFIED", Fraction(0))
    return Part("VERIFIED", max(abs(total.low - 1), abs(total.high - 1)), scale=total.low)


def _judge_error(problem: Problem, product: Enclosed, error: Fraction, allowed: Fraction) -> Part:
    """The verdict on a training error, which is right if it is at most the product."""
    assert isinstance(problem, AdaBoostProblem)
    if error >= 0:
        if error**2 <= problem.product_squared:
            return Part("VERIFIED", Fraction(0))
        part = enclosed_claim(Place.whole("error"), product, error, allowed)
        if part.status != "REFUTED":
            return part
    text = f"{short_text(error)} is no error that the product bounds"
    return refuted(Place.whole("error"), text, abs(error))


def _root(square: Fraction) -> Enclosed:
    return lambda bits: root(point(square), bits)
