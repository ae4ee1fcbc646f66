"""Margin bounds on the risk of a multi-class classifier, term by term.

Covers [lu, Theorem 8.1], [lu, Proposition 8.1] and [lu, Corollary 8.1]. The complexities that they
need are in `rademacher`, the empirical margin loss in `losses`.

Differs from the lecture:
- "for any δ > 0" is 0 < δ < 1: beyond 1 the root of ln(1/δ) is one of a negative number, and at 1
  nothing is said;
- the corollary is printed for the expected complexity alone, with an r that holds for all items.
  An r taken from the sample bounds the complexity of this sample, so it goes with the second form
  of the theorem, which has 3√(ln(2/δ)/(2m)) for the last term;
- ρ and Λ are fixed before the sample is seen. For the smallest bound over several ρ,
  `smallest_margin_bound` gives each its share of δ.

Legend: R(h) the risk; k classes, m items; ρ the margin; δ the probability that the bound fails;
r² a bound of K(ω, ω); Λ a bound of ‖f‖, the norm of all k weight vectors together.

What is irrational is kept as its square and rounded once, to the nearest float; whether a bound
says anything is decided without rounding. Floats count as the rationals that they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from refmc.core.logs import Log
from refmc.core.parameters import check_function
from refmc.core.scalars import (
    Number,
    as_float,
    exact_parameter,
    is_exact,
    number_text,
    shown,
    whole_number,
)
from refmc.errors import ParameterError
from refmc.theory.roots import (
    Bounds,
    compare_with_roots,
    is_at_least,
    nearest_float,
    nearest_root,
    root_bounds,
)


@dataclass(frozen=True)
class MarginBound:
    """R(h) ≤ empirical + complexity + confidence = total, with probability at least 1 − δ.

    `empirical`: the empirical ρ-margin loss. `complexity`: the middle term, a float where it is a
    root. `confidence` and `total`: the nearest floats. `vacuous`: total ≥ 1, decided exactly; no
    risk exceeds 1, so the bound then says nothing. `complexity_squared`, `confidence_squared`: the
    squares, exact. `k`, `m`, `rho`, `delta`: what it was made with. `str` says it in a sentence.
    """

    empirical: float | Fraction
    complexity: float | Fraction
    confidence: float
    total: float
    vacuous: bool
    complexity_squared: Fraction
    confidence_squared: Log
    k: int
    m: int
    rho: float | Fraction
    delta: float | Fraction

    def __str__(self) -> str:
        terms = (self.empirical, self.complexity, self.confidence)
        sentence = (
            f"R(h) <= {' + '.join(f'{float(term):.6g}' for term in terms)} = {self.total:.6g} "
            f"with probability at least 1 - {shown(self.delta)}"
        )
        return f"{sentence}: vacuous, no risk exceeds 1" if self.vacuous else sentence


def margin_bound(
    empirical: Number,
    *,
    k: int,
    rho: Number,
    m: int,
    delta: Number,
    expected_complexity: Number | None = None,
    empirical_complexity: Number | None = None,
) -> MarginBound:
    """R̂_ρ(h) + (2k²/ρ) ℜ + the confidence term: the margin bound of a multi-class classifier.

    empirical: the empirical ρ-margin loss of h on m items, from 0 to 1 (`empirical_margin_loss`).
    Just one complexity of the set of all scoring functions ω ↦ h̃(ω, y) is given, and it chooses
    the form: the `expected_complexity` ℜ_m goes with √(ln(1/δ)/(2m)), the `empirical_complexity`
    R̂_S of the sample (`rademacher`, for a finite set) with 3√(ln(2/δ)/(2m)). The bound holds for
    all h of the set at once, for ρ > 0 fixed before the sample is seen; k ≥ 2, 0 < δ < 1.

    Raises `ParameterError`, `MixedArithmeticError`. [lu, Theorem 8.1]

    >>> bound = margin_bound(
    ...     Fraction(1, 20), k=3, rho=1, m=100, delta="1/20", expected_complexity=Fraction(1, 100)
    ... )
    >>> bound.complexity, str(bound.confidence_squared), bound.vacuous
    (Fraction(9, 50), '1/100·ln(2) + 1/200·ln(5)', False)
    >>> print(bound)
    R(h) <= 0.05 + 0.18 + 0.122387 = 0.352387 with probability at least 1 - 1/20
    """
    given: dict[str, Number | None] = {
        "expected_complexity": expected_complexity,
        "empirical_complexity": empirical_complexity,
    }
    known = {name: value for name, value in given.items() if value is not None}
    if len(known) != 1:
        raise ParameterError("expected one of expected_complexity and empirical_complexity")
    ((name, value),) = known.items()
    k, factor, m = _sizes(k, rho, m)
    complexity = factor * _at_least_zero(value, name)
    numbers = {"empirical": empirical, name: value, "rho": rho, "delta": delta}
    on_sample = empirical_complexity is not None
    return _bound(numbers, complexity**2, complexity, k, m, on_sample)


@dataclass(frozen=True)
class KernelComplexity:
    """√(r²Λ²/m), a bound of the Rademacher complexity of kernel-based scoring functions.

    `value`: the nearest float; `squared`: its square, exact.
    """

    value: float
    squared: Fraction


def kernel_rademacher_bound(
    *, r_squared: Number, Lambda_squared: Number, m: int
) -> KernelComplexity:
    """√(r²Λ²/m): at least the complexity of ω ↦ ⟨f, Φ(ω)⟩ with ‖f‖ ≤ Λ on m items.

    r_squared: at least K(ω, ω), ≥ 0. Over the items of a sample it bounds the complexity of this
    sample, the maximum of the diagonal of its Gram matrix is the least; over all items it bounds
    the expected complexity too. Lambda_squared ≥ 0; the p of the norm ‖f‖_p ≤ Λ of all weight
    vectors doesn't matter. Raises `ParameterError`. [lu, Proposition 8.1]

    >>> kernel_rademacher_bound(r_squared=2, Lambda_squared="1/2", m=100)
    KernelComplexity(value=0.1, squared=Fraction(1, 100))
    """
    squared = _kernel_complexity_squared(r_squared, Lambda_squared, whole_number(m, "m", 1))
    return KernelComplexity(nearest_root(squared, "value"), squared)


def _kernel_complexity_squared(r_squared: Number, Lambda_squared: Number, m: int) -> Fraction:
    _is_exact({"r_squared": r_squared, "Lambda_squared": Lambda_squared})  # refuses a mixture
    r2 = _at_least_zero(r_squared, "r_squared")
    return r2 * _at_least_zero(Lambda_squared, "Lambda_squared") / m


def kernel_margin_bound(
    empirical: Number,
    *,
    r_squared: Number,
    Lambda_squared: Number,
    k: int,
    rho: Number,
    m: int,
    delta: Number,
    on_sample: bool = False,
) -> MarginBound:
    """R̂_ρ(h) + 2k²√(r²Λ²/(ρ²m)) + the confidence term, for kernel-based hypotheses ‖f‖ ≤ Λ.

    empirical, k, rho, m, delta as in `margin_bound`; r_squared, Lambda_squared as in
    `kernel_rademacher_bound`. As printed, K(ω, ω) ≤ r² must hold for all items that there can be,
    and the last term is √(ln(1/δ)/(2m)); with `on_sample` it need hold for the m items of the
    sample only, and the last term is 3√(ln(2/δ)/(2m)). Λ, like ρ, is fixed before the sample is
    seen. Raises `ParameterError`, `MixedArithmeticError`. [lu, Corollary 8.1]

    >>> bound = kernel_margin_bound(
    ...     Fraction(0), r_squared=1, Lambda_squared=1, k=2, rho=2, m=100, delta="1/20"
    ... )
    >>> bound.complexity_squared, bound.complexity, bound.vacuous
    (Fraction(4, 25), 0.4, False)
    """
    k, factor, m = _sizes(k, rho, m)
    squared = _kernel_complexity_squared(r_squared, Lambda_squared, m) * factor**2
    numbers = {
        "empirical": empirical,
        "r_squared": r_squared,
        "Lambda_squared": Lambda_squared,
        "rho": rho,
        "delta": delta,
    }
    return _bound(numbers, squared, None, k, m, on_sample)


def smallest_margin_bound(
    bound: Callable[[Number, Number], MarginBound], rhos: Iterable[Number], delta: Number
) -> tuple[MarginBound, ...]:
    """The smallest of the bounds over n given margins ρ: all of them where several tie.

    bound: a function of ρ and a δ. The theorem is for one ρ; so that all n bounds hold together
    with probability at least 1 − δ, each gets δ/n (as text, which fits both arithmetics), and the
    smallest may be chosen after the sample is seen. The ρ are fixed before. Which is the smallest
    is decided exactly. Raises `ParameterError` (no ρ; bounds of unlike confidence terms).
    Cost: n bounds. [lu, Theorem 8.1]

    >>> losses = {"1/2": Fraction(1, 5), "1": Fraction(1, 4), "2": Fraction(3, 4)}
    >>> (best,) = smallest_margin_bound(
    ...     lambda rho, delta: margin_bound(
    ...         losses[rho], k=2, rho=rho, m=400, delta=delta, empirical_complexity=Fraction(1, 40)
    ...     ),
    ...     losses, "1/20",
    ... )
    >>> best.rho, best.delta, best.complexity
    (Fraction(1, 1), Fraction(1, 60), Fraction(1, 5))
    """
    check_function(bound, "bound", "a function of rho and delta")
    grid = list(rhos) if isinstance(rhos, Iterable) else []
    if not grid:
        raise ParameterError(f"rhos: expected at least one margin, got {shown(rhos)}")
    share = number_text(exact_parameter(delta, "delta") / len(grid))
    best: list[MarginBound] = []
    for rho in grid:
        found = bound(rho, share)
        if not isinstance(found, MarginBound):
            raise ParameterError(f"bound: expected a MarginBound from it, got {shown(found)}")
        if best and found.confidence_squared != best[0].confidence_squared:
            raise ParameterError("bound: expected one m and one form for every rho")
        # All have the same confidence term, so that the other two decide.
        terms = [(Fraction(b.empirical), b.complexity_squared) for b in (found, *best[:1])]
        order = compare_with_roots(*terms[0], *terms[1]) if best else -1
        if order <= 0:
            best = [*best, found] if order == 0 else [found]
    return tuple(best)


def _bound(
    numbers: dict[str, Number],
    complexity_squared: Fraction,
    complexity: Fraction | None,
    k: int,
    m: int,
    on_sample: bool,
) -> MarginBound:
    """Validate the other numbers and add up the terms.

    `complexity` is the middle term where it is rational; None where it is the root of its square.
    """
    exact = _is_exact(numbers)
    loss = _face(exact_parameter(numbers["empirical"], "empirical"), "empirical", exact)
    empirical = Fraction(loss)  # text beside floats has been rounded
    if not 0 <= empirical <= 1:
        raise ParameterError(f"empirical: expected a loss from 0 to 1, got {shown(loss)}")
    delta = exact_parameter(numbers["delta"], "delta")
    if not 0 < delta < 1:
        raise ParameterError(f"delta: expected a probability between 0 and 1, got {shown(delta)}")
    confidence_squared = Log(
        [((2 if on_sample else 1) / delta, Fraction(9 if on_sample else 1, 2 * m))]
    )

    def confidence(digits: int) -> Bounds:
        return root_bounds(confidence_squared.enclosure(digits), digits)

    def total(digits: int) -> Bounds:
        parts = (root_bounds((complexity_squared,) * 2, digits), confidence(digits))
        low, high = (empirical + sum(ends, Fraction(0)) for ends in zip(*parts))
        return low, high

    return MarginBound(
        empirical=loss,
        complexity=nearest_root(complexity_squared, "complexity")
        if complexity is None
        else _face(complexity, "complexity", exact),
        confidence=nearest_float(confidence, "confidence"),
        total=nearest_float(total, "total"),
        # the total is 1 for no δ: logarithms of rationals other than 1 are transcendental
        vacuous=is_at_least(total, Fraction(1)),
        complexity_squared=complexity_squared,
        confidence_squared=confidence_squared,
        k=k,
        m=m,
        rho=_face(exact_parameter(numbers["rho"], "rho"), "rho", exact),
        delta=_face(delta, "delta", exact),
    )


def _sizes(k: int, rho: Number, m: int) -> tuple[int, Fraction, int]:
    """k, 2k²/ρ and m, validated."""
    classes, lifted = whole_number(k, "k", 2), exact_parameter(rho, "rho")
    if not lifted > 0:
        raise ParameterError(f"rho: expected a positive number, got {shown(rho)}")
    return classes, 2 * classes * classes / lifted, whole_number(m, "m", 1)


def _at_least_zero(value: Number, name: str) -> Fraction:
    lifted = exact_parameter(value, name)
    if lifted < 0:
        raise ParameterError(f"{name}: expected at least 0, got {shown(value)}")
    return lifted


def _is_exact(numbers: dict[str, Number]) -> bool:
    """Whether the numbers are exact, so that the rational terms are Fractions; else floats.

    Text and Decimals fit both, and a Fraction beside a float is refused.
    """
    return is_exact(
        (name, value) for name, value in numbers.items() if not isinstance(value, (str, Decimal))
    )


def _face(value: Fraction, name: str, exact: bool) -> float | Fraction:
    return value if exact else as_float(value, name)
