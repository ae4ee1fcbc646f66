"""The judge of bounds: right values, values off by a little, and what it can't decide."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Context, Decimal
from fractions import Fraction as F
from itertools import product
from typing import Any

import pytest

from refmc.checker import Verdict, parts
from refmc.checker.numbers.enclosures import logarithm, point, root
from refmc.checker.values import bounds
from refmc.checker.values.bounds import (
    AdaBoostProblem,
    Claims,
    KernelProblem,
    MarginProblem,
    PerceptronProblem,
    RademacherProblem,
    judge,
)

EXACT, TINY = F(0), F(1, 10**40)
SIXTY = Context(prec=60)

CONSTANTS = RademacherProblem([[F(1)] * 3, [F(-1)] * 3])
THEOREM = MarginProblem(
    family="bound.margin",
    empirical=F(1, 20),
    k=3,
    m=100,
    rho=F(1),
    delta=F(1, 20),
    complexity_squared=F(1, 100) ** 2,
)
COROLLARY = MarginProblem(
    family="bound.kernel_margin",
    empirical=F(0),
    k=2,
    m=2,
    rho=F(4),
    delta=F(1, 2),
    complexity_squared=F(1, 8),
    on_sample=True,
)
BINARY = PerceptronProblem([[F(3), F(4)], [F(-5), F(0)]], (1, 0), [[F(1), F(0)]])
THREE = PerceptronProblem(
    [[F(1), F(0)], [F(0), F(1)], [F(-1), F(-1)]],
    (0, 1, 2),
    [[F(2), F(-1)], [F(-1), F(2)], [F(-1), F(-1)]],
)
ROUNDS = AdaBoostProblem([F(1, 10), F(1, 4)])


def judged(problem: Any, values: Mapping[str, F], allowed: F = EXACT, **more: Any) -> Verdict:
    return judge(problem, Claims(values, **more), allowed=allowed)


def near(value: Decimal) -> F:
    return F(value)


def ln(n: int) -> Decimal:
    return SIXTY.ln(Decimal(n))


def root_of(value: Decimal) -> Decimal:
    return SIXTY.sqrt(value)


# 2k²/ρ is 18 and 2; √(ln 20 / 200); 3 √(ln 4 / 4)
FIRST = root_of(SIXTY.divide(ln(20), Decimal(200)))
SECOND = SIXTY.multiply(Decimal(3), root_of(SIXTY.divide(ln(4), Decimal(4))))
HALF = root_of(Decimal("0.5"))


def of_total(rest: F) -> MarginProblem:
    """A bound whose total is √(ln 20 / 200) = 0.1223871… more than `rest`."""
    return MarginProblem(
        family="bound.margin", empirical=rest, k=2, m=100, rho=F(1), delta=F(1, 20),
        complexity_squared=F(0),
    )  # fmt: skip


RATIONAL: list[tuple[Any, dict[str, F]]] = [
    (CONSTANTS, {"value": F(1, 2)}),
    (RademacherProblem([list(map(F, s)) for s in product((-1, 1), repeat=4)]), {"value": F(1)}),
    (RademacherProblem([[F(1, 3), F(2), F(-7)]]), {"value": F(0)}),
    (KernelProblem(F(2), F(2), 9), {"value": F(2, 3)}),
    (THEOREM, {"empirical": F(1, 20), "complexity": F(9, 50)}),
    (BINARY, {"R_squared": F(25), "margin_squared": F(9), "bound": F(25, 9)}),
    (THREE, {"R_squared": F(2), "margin_squared": F(3, 4), "bound": F(16, 3)}),
    (AdaBoostProblem([F(1, 10)]), {"product": F(3, 5)}),
    (AdaBoostProblem([F(1, 2), F(1, 2)]), {"product": F(1), "exponential": F(1)}),
]  # fmt: skip

IRRATIONAL: list[tuple[Any, dict[str, F]]] = [
    (KernelProblem(F(1), F(1), 2), {"value": near(HALF)}),
    (THEOREM, {"confidence": near(FIRST), "total": near(FIRST) + F(23, 100)}),
    (COROLLARY, {"complexity": near(HALF), "confidence": near(SECOND)}),
    (COROLLARY, {"total": near(SECOND) + near(HALF)}),
    (ROUNDS, {"product": near(root_of(Decimal("0.27")))}),
    (ROUNDS, {"exponential": near(SIXTY.exp(Decimal("-0.445")))}),  # 2 (4/25 + 1/16)
]


@pytest.mark.parametrize(("problem", "values"), RATIONAL)
def test_rational_values_are_right_exactly_and_no_others(
    problem: Any, values: dict[str, F]
) -> None:
    assert judged(problem, values).gap == 0
    for name, value in values.items():
        for change in (F(1, 10**30), F(-1, 10**30), F(1)):
            verdict = judged(problem, {**values, name: value + change})
            assert verdict.status == "REFUTED" and verdict.gap == abs(change)
            assert verdict.violations[0].place == name


@pytest.mark.parametrize(("problem", "values"), IRRATIONAL)
def test_irrational_values_are_enclosed(problem: Any, values: dict[str, F]) -> None:
    assert judged(problem, values, TINY)
    for name, value in values.items():
        assert judged(problem, values).status == "REFUTED"  # no rational is the value itself
        for change in (3 * TINY, -3 * TINY):
            verdict = judged(problem, {**values, name: value + change}, TINY)
            assert verdict.status == "REFUTED" and verdict.violations[0].place == name


def test_the_message_names_the_value() -> None:
    assert judged(THEOREM, {"total": F(1, 3)}).explain() == (
        "REFUTED  bound.margin  100 rows, 3 classes, complexity expected\n"
        "  gap      1.9e-2, relative 5.4e-2; allowed 0\n"
        "  worst    total: 1/3, needs about ~0.352387"
    )
    assert judged(COROLLARY, {}).summary == "2 rows, 2 classes, complexity of the sample"


@pytest.mark.parametrize(("problem", "vacuous"), [(THEOREM, False), (COROLLARY, True)])
def test_a_vacuous_bound_is_told_from_others(problem: Any, vacuous: bool) -> None:
    assert judged(problem, {}, vacuous=vacuous).gap == 0
    wrong = judged(problem, {}, vacuous=not vacuous)
    assert wrong.status == "REFUTED" and wrong.violations[0].place == "vacuous"
    if problem is THEOREM:  # whose total is 0.352387
        assert abs(wrong.violations[0].amount - F("0.647613")) < F(1, 10**6)


def test_a_bound_next_to_1_is_told_from_1() -> None:
    for change in (F(1, 10**50), F(-1, 10**50)):
        rest = 1 - near(FIRST) + change
        problem = of_total(rest)
        assert judged(problem, {}, vacuous=change > 0)
        # what is called otherwise within the tolerance is off by its distance from 1
        verdict = judged(problem, {}, F(1, 10**9), vacuous=change < 0)
        assert verdict and verdict.gap is not None and F(1, 10**51) < verdict.gap < F(1, 10**18)


@pytest.mark.parametrize("rest", [F(87, 100), F(88, 100)])  # just below 1, and just above
def test_a_total_that_may_lie_on_either_side_of_1_may_be_called_vacuous_or_not(rest: F) -> None:
    problem, total = of_total(rest), near(FIRST) + rest
    is_vacuous = total > 1
    assert judged(problem, {}, F(1, 100), vacuous=is_vacuous).gap == 0
    other = judged(problem, {}, F(1, 100), vacuous=not is_vacuous)
    assert other and other.gap is not None and other.scale is not None
    assert abs(total - 1) <= other.gap < abs(total - 1) + F(1, 10**15)
    assert abs(other.scale - total) < F(1, 10**15)
    # (1 + a) total must reach 1 from below, and (1 − a) total from above
    least = abs(1 / total - 1)
    assert judged(problem, {}, least * F(999, 1000), vacuous=not is_vacuous).status == "REFUTED"
    assert judged(problem, {}, least * F(1001, 1000), vacuous=not is_vacuous)


@pytest.mark.parametrize(
    ("given", "is_vacuous"), [(F("0.98"), False), (F("1.02"), True), (F(1), True)]
)
def test_only_what_contradicts_the_given_total_is_then_wrong(given: F, is_vacuous: bool) -> None:
    problem = of_total(F(87, 100))
    assert judged(problem, {"total": given}, F(1, 10), vacuous=is_vacuous)
    wrong = judged(problem, {"total": given}, F(1, 10), vacuous=not is_vacuous)
    assert [(v.place, v.amount) for v in wrong.violations] == [("vacuous", abs(given - 1))]


def test_a_training_error_above_the_product_is_refuted() -> None:
    for error in (F(0), F(3, 5)):
        assert judged(AdaBoostProblem([F(1, 10)]), {}, error=error)
    for error in (F(3, 5) + F(1, 10**30), F(-1, 10)):
        verdict = judged(AdaBoostProblem([F(1, 10)]), {}, error=error)
        assert [(v.place, v.amount) for v in verdict.violations] == [("error", abs(error))]


def test_what_cannot_be_decided_is_inconclusive() -> None:
    many = RademacherProblem([[F(1)] * 40])
    verdict = judged(many, {"value": F(0)})
    assert verdict.status == "INCONCLUSIVE" and "2^40 sign vectors" in verdict.hint
    long = AdaBoostProblem([F(1, 3**999)] * 500)
    verdict = judged(long, {"product": F(0)})
    assert verdict.status == "INCONCLUSIVE" and "binary digits" in verdict.hint
    for weights in ([[F(-1), F(0)]], [[F(0), F(1)]]):
        astray = PerceptronProblem([[F(3), F(4)], [F(-5), F(0)]], (1, 0), weights)
        verdict = judged(astray, {"bound": F(1)})
        assert verdict.status == "INCONCLUSIVE" and "separate" in verdict.hint


def test_just_as_many_sums_are_taken_as_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    # for two hypotheses and three signs 2·2², as signs come in pairs; the mean is as in CONSTANTS
    monkeypatch.setattr(bounds, "MOST_SUMS", 8)
    assert judged(CONSTANTS, {"value": F(1, 2)})
    monkeypatch.setattr(bounds, "MOST_SUMS", 7)
    assert judged(CONSTANTS, {"value": F(1, 2)}).status == "INCONCLUSIVE"


@pytest.mark.parametrize("x", [F(1), F(3, 2), F(2), F(20), F(10**30 + 1, 10**30), F(10) ** 400])
@pytest.mark.parametrize("bits", [16, 64, 300])
def test_logarithms_and_their_roots_are_enclosed_narrowly(x: F, bits: int) -> None:
    wide = Context(prec=150)
    value = F(wide.ln(wide.divide(Decimal(x.numerator), Decimal(x.denominator))))
    off, width = F(1, 10**140), F(1, 2 ** (bits - 3))
    found = logarithm(x, bits)
    assert found.low - off <= value <= found.high + off
    assert found.high - found.low <= width
    below = root(found, bits)
    assert max(F(0), below.low) ** 2 <= value + off and value - off <= below.high**2
    assert root(point(x**2), bits) == point(x)


def test_a_training_error_within_the_product_has_no_gap() -> None:
    for error in F(1, 2), F(3, 5):  # of √(4 · 1/10 · 9/10)
        verdict = judged(AdaBoostProblem([F(1, 10)]), {}, error=error, allowed=F(1, 10))
        assert verdict.status == "VERIFIED" and verdict.gap == 0


def test_the_logarithm_of_a_huge_number_is_as_narrow() -> None:
    found = logarithm(F(2 ** (1 << 18)), 20)  # 2^18 ln 2, so that ln 2 needs 18 more digits
    ln_2 = F(SIXTY.ln(Decimal(2)))
    assert abs(found.low - 2**18 * ln_2) < F(1, 2**20) and found.high - found.low < F(1, 2**20)


def test_what_agrees_with_a_claim_in_too_many_digits_stays_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parts, "MOST_BITS", 256)  # as with more digits, and sooner
    monkeypatch.setattr(bounds, "MOST_BITS", 256)
    claim = root(point(F(1, 2)), 400).low
    verdict = judged(KernelProblem(F(1), F(1), 2), {"value": claim})
    assert verdict.status == "INCONCLUSIVE" and verdict.gap is not None and 0 < verdict.gap < TINY
    ln_20 = logarithm(F(20), 800)
    near_1 = of_total(1 - root(ln_20.times(F(1, 200)), 400).low)
    verdict = judged(near_1, {}, vacuous=True)
    assert verdict.status == "INCONCLUSIVE" and verdict.hint == "the total is too near to 1"
    monkeypatch.setattr(bounds, "MOST_BITS", 64)  # the first enclosure is tried in any case
    assert judged(THEOREM, {}, vacuous=False)


def test_a_bound_whose_margin_may_be_0_may_be_any_larger_number() -> None:
    # the margin 1/10 is the rest of 1 and 9/10: a tenth of its terms may leave nothing of it
    near = PerceptronProblem([[F(1), F(1)]], (1,), [[F(1), F(-9, 10)]])
    right = near.terms()["bound"](8).low  # type: ignore[union-attr]  # a rational number
    assert judged(near, {"bound": 2 * right}, F(1, 10)).status == "INCONCLUSIVE"
    assert judged(near, {"bound": right}, F(1, 10)) and judged(near, {"bound": right})
    assert judged(near, {"bound": 2 * right}, F(1, 1000)).status == "REFUTED"
    assert judged(near, {"bound": F(1, 10)}, F(1, 10)).status == "REFUTED"


def test_an_error_may_exceed_the_product_by_what_is_allowed_of_it() -> None:
    # Π 2√(ε(1 − ε)) = 3/5 · √3/2, about 0.5196
    product = root(point(F(27, 100)), 80).high
    for more, allowed, status in (
        (F(-1, 10**9), EXACT, "VERIFIED"), (F(1, 10**9), EXACT, "REFUTED"),
        (F(1, 10**9), F(1, 10**8), "VERIFIED"), (F(1, 10**7), F(1, 10**8), "REFUTED"),
    ):  # fmt: skip
        assert judged(ROUNDS, {}, allowed, error=product + more).status == status


def test_the_size_of_a_complexity_is_the_largest_mean() -> None:
    assert RademacherProblem([[F(1), F(-2)], [F(3), F(-5)], [F(0), F(0)]]).size == 4


def test_of_a_margin_that_its_terms_may_cancel_the_bound_alone_is_left_open() -> None:
    # the margin is 2 − 1, and half of 2 + 1 may be off; R² is 2, and the bound 2 · 5
    problem = PerceptronProblem([[F(1), F(1)]], (1,), [[F(2), F(-1)]])
    for name, claim, status in (
        ("bound", 10, "VERIFIED"), ("bound", 11, "INCONCLUSIVE"), ("bound", 1, "REFUTED"),
        ("R_squared", 4, "REFUTED"), ("margin_squared", 2, "REFUTED"),
    ):  # fmt: skip
        assert judged(problem, {name: F(claim)}, F(1, 2)).status == status


def test_just_as_many_digits_of_errors_are_multiplied_as_are_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # 1/10 has 1 + 4, and 1/4 has 1 + 3
    for most, status in ((9, "VERIFIED"), (8, "INCONCLUSIVE")):
        monkeypatch.setattr(bounds, "MOST_DIGITS", most)
        assert judged(ROUNDS, {"product": F(3, 5) * F(865, 1000)}, F(1, 100)).status == status
