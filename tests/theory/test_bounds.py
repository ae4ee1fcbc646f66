"""Margin bounds: each term by hand, in decimal arithmetic, and against the other form."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.errors import DataError, MixedArithmeticError, ParameterError
from refmc.theory.bounds import (
    MarginBound,
    kernel_margin_bound,
    kernel_rademacher_bound,
    margin_bound,
    smallest_margin_bound,
)
from refmc.theory.losses import empirical_margin_loss
from refmc.theory.rademacher import rademacher
from tests.drawn import ratios

F = Fraction
SIXTY = Context(prec=60)

shares = ratios(F(1, 50), F(49, 50), 50)
losses = ratios(0, 1, 8)
small = st.builds(lambda a, b: F(min(a, b), max(a, b)), st.integers(0, 200), st.integers(1, 200))
BY_HAND: Any = {"empirical": F(1, 20), "k": 3, "rho": 1, "m": 100, "delta": F(1, 20)}


def decimal(q: Fraction) -> Decimal:
    return SIXTY.divide(Decimal(q.numerator), Decimal(q.denominator))


def test_theorem_8_1_with_the_expected_complexity_by_hand() -> None:
    bound = margin_bound(**BY_HAND, expected_complexity=F(1, 100))
    assert bound.empirical == F(1, 20)
    assert bound.complexity == F(9, 50)  # 2 · 9 / 1 · 1/100
    # √(ln 20 / 200) with ln 20 = 2.99573227355399099…
    assert bound.confidence == 0.122387341534040827
    assert bound.total == 0.352387341534040827
    assert not bound.vacuous
    assert str(bound) == (
        "R(h) <= 0.05 + 0.18 + 0.122387 = 0.352387 with probability at least 1 - 1/20"
    )


def test_theorem_8_1_with_the_empirical_complexity_by_hand() -> None:
    bound = margin_bound(**BY_HAND, empirical_complexity=F(1, 20))
    assert bound.empirical == F(1, 20)
    assert bound.complexity == F(9, 10)  # 2 · 9 / 1 · 1/20
    # 3 √(ln 40 / 200) with ln 40 = 3.68887945411393630…
    assert bound.confidence == 0.407430454722185850
    assert bound.total == 1.357430454722185850
    assert bound.vacuous
    assert str(bound).endswith("with probability at least 1 - 1/20: vacuous, no risk exceeds 1")


@given(losses, small, st.integers(2, 5), st.integers(1, 500), shares, shares, st.booleans())
def test_every_term_is_that_of_the_formula(
    empirical: F, complexity: F, k: int, m: int, rho: F, delta: F, on_sample: bool
) -> None:
    name = "empirical_complexity" if on_sample else "expected_complexity"
    fields: Any = {"k": k, "rho": rho, "m": m, "delta": delta, name: complexity}
    bound = margin_bound(empirical, **fields)
    middle = 2 * k**2 / rho * complexity
    tail = SIXTY.ln(decimal((2 if on_sample else 1) / delta))
    last = (3 if on_sample else 1) * F(SIXTY.sqrt(SIXTY.divide(tail, Decimal(2 * m))))
    assert (bound.empirical, bound.complexity) == (empirical, middle)
    assert bound.complexity_squared == middle**2
    assert bound.confidence == float(last)
    assert bound.total == float(empirical + middle + last)
    assert bound.vacuous == (empirical + middle + last >= 1)


@given(small, small, st.integers(2, 5), st.integers(1, 500), shares, shares, st.booleans())
def test_corollary_8_1_is_the_theorem_with_the_bound_of_the_proposition(
    r: F, Lambda: F, k: int, root_m: int, rho: F, delta: F, on_sample: bool
) -> None:
    """Where m is a square, all but the last term is rational."""
    sizes: Any = {"k": k, "rho": rho, "m": root_m**2, "delta": delta}
    name = "empirical_complexity" if on_sample else "expected_complexity"
    norms: Any = {"r_squared": r**2, "Lambda_squared": Lambda**2}
    complexity: Any = {name: r * Lambda / root_m}
    theorem = margin_bound(F(1, 8), **sizes, **complexity)
    corollary = kernel_margin_bound(F(1, 8), **sizes, **norms, on_sample=on_sample)
    assert corollary.complexity == float(theorem.complexity)
    for field in ("empirical", "confidence", "total", "vacuous", "complexity_squared", "delta"):
        assert getattr(corollary, field) == getattr(theorem, field)
    proposition = kernel_rademacher_bound(**norms, m=root_m**2)
    assert proposition.squared == (r * Lambda / root_m) ** 2
    assert proposition.value == float(r * Lambda / root_m)


def test_whether_a_bound_is_vacuous_is_decided_where_floats_cannot() -> None:
    root = F(SIXTY.sqrt(SIXTY.divide(SIXTY.ln(Decimal(20)), Decimal(200))))
    fields: Any = {**BY_HAND, "empirical": F(0), "k": 2, "rho": 8}  # 2k²/ρ = 1
    for change in (F(1, 10**40), F(-1, 10**40)):
        bound = margin_bound(**fields, expected_complexity=1 - root + change)
        assert bound.total == 1.0
        assert bound.vacuous == (change > 0)
        assert ("vacuous" in str(bound)) == bound.vacuous


def test_floats_are_the_decimals_that_they_print() -> None:
    inside = margin_bound(0.1, k=3, rho=0.3, m=100, delta=0.05, expected_complexity=0.001)
    lifted = margin_bound(
        F("0.1"), k=3, rho=F("0.3"), m=100, delta=F("0.05"), expected_complexity=F("0.001")
    )
    assert type(inside.empirical) is type(inside.complexity) is type(inside.rho) is float
    assert inside.complexity == float(lifted.complexity) == 0.06  # 2·9/0.3 · 0.001
    assert (inside.total, inside.confidence) == (lifted.total, lifted.confidence)
    assert inside.confidence_squared == lifted.confidence_squared
    text = margin_bound(F(1, 20), k=3, rho="1", m=100, delta="0.05", expected_complexity=F(1, 100))
    assert text == margin_bound(**BY_HAND, expected_complexity=F(1, 100))


@pytest.mark.parametrize("delta", [0, 1, F(3, 2), 2, -1, "1.0"])
def test_beyond_1_delta_has_no_root_and_at_1_no_statement(delta: Any) -> None:
    """The lecture's "for any δ > 0" includes δ = 3/2, where ln(1/δ) is negative."""
    with pytest.raises(ParameterError, match="delta: expected a probability between 0 and 1"):
        margin_bound(**{**BY_HAND, "delta": delta}, expected_complexity=F(1))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"empirical": F(-1, 8)}, "empirical: expected a loss from 0 to 1"),
        ({"empirical": F(9, 8)}, "empirical: expected a loss from 0 to 1"),
        ({"k": 1}, "k: expected a whole number of at least 2"),
        ({"m": 0}, "m: expected a whole number of at least 1"),
        ({"m": 2.5}, "m: expected a whole number"),
        ({"rho": 0}, "rho: expected a positive number"),
        ({"expected_complexity": F(-1)}, "expected_complexity: expected at least 0"),
        ({"empirical_complexity": F(1)}, "expected one of expected_complexity"),
        ({"expected_complexity": None}, "expected one of expected_complexity"),
        ({"delta": "x"}, "delta: 'x' is not a number"),
    ],
)
def test_parameters_out_of_range_are_named(changed: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        margin_bound(**{**BY_HAND, "expected_complexity": F(1), **changed})
    kernel = {"r_squared": F(1), "Lambda_squared": F(1)}
    if not any("complexity" in name for name in changed):
        with pytest.raises(ParameterError, match=message):
            kernel_margin_bound(**{**BY_HAND, **kernel, **changed})


def test_mixtures_and_numbers_out_of_range_are_refused() -> None:
    for changed in ({"delta": 0.05}, {"rho": 1.0}, {"empirical": 0.05}):
        with pytest.raises(MixedArithmeticError):
            margin_bound(**{**BY_HAND, **changed}, expected_complexity=F(1))
    with pytest.raises(MixedArithmeticError):
        kernel_rademacher_bound(r_squared=0.5, Lambda_squared=F(1), m=1)
    for r_squared, Lambda_squared in ((-1, 1), (1, -1)):
        with pytest.raises(ParameterError, match="_squared: expected at least 0"):
            kernel_rademacher_bound(r_squared=r_squared, Lambda_squared=Lambda_squared, m=1)
    with pytest.raises(DataError, match="beyond the range of floats"):
        kernel_rademacher_bound(r_squared=F(10) ** 700, Lambda_squared=1, m=1)
    with pytest.raises(ParameterError, match="m: expected a whole number of at least 1, got 0"):
        kernel_rademacher_bound(r_squared=1, Lambda_squared=1, m=0)


# --- The smallest bound over a grid


def over_losses(losses: dict[Any, F], complexity: F, rho: Any, delta: Any) -> MarginBound:
    return margin_bound(
        losses[rho], k=2, rho=rho, m=900, delta=delta, empirical_complexity=complexity
    )


def test_the_smallest_bound_pays_for_the_choice() -> None:
    losses = {F(1): F(0), F(2): F(1, 4), F(4): F(1)}
    (best,) = smallest_margin_bound(partial(over_losses, losses, F(1, 20)), losses, "1/20")
    assert (best.rho, best.delta) == (F(1), F(1, 60))  # 0 + 2/5 against 1/4 + 1/5 and 1 + 1/10
    alone = over_losses(losses, F(1, 20), F(1), "1/20")
    assert best.complexity == alone.complexity == F(2, 5)
    assert best.confidence > alone.confidence


def test_all_smallest_bounds_are_given_where_they_tie() -> None:
    losses = {F(1): F(0), F(2): F(1, 5), F(4): F(1, 5)}
    best = smallest_margin_bound(partial(over_losses, losses, F(1, 20)), losses, F(1, 20))
    assert [bound.rho for bound in best] == [4]  # 2/5, 2/5, 3/10
    losses[F(4)] = F(3, 10)
    best = smallest_margin_bound(partial(over_losses, losses, F(1, 20)), losses, F(1, 20))
    assert [bound.rho for bound in best] == [1, 2, 4]


@given(st.lists(st.tuples(shares, losses, small), min_size=1, max_size=4, unique_by=lambda t: t[0]))
def test_the_smallest_of_kernel_bounds_has_the_smallest_sum_of_terms(
    grid: list[tuple[F, F, F]],
) -> None:
    by_rho = {rho: (loss, square) for rho, loss, square in grid}

    def bound(rho: Any, delta: Any) -> MarginBound:
        loss, square = by_rho[rho]
        sizes: Any = {"k": 2, "rho": rho, "m": 1, "delta": delta}
        return kernel_margin_bound(loss, r_squared=1, Lambda_squared=square, **sizes)

    best = smallest_margin_bound(bound, by_rho, "1/2")
    sums = {
        rho: F(SIXTY.add(decimal(loss), SIXTY.sqrt(decimal(square * (8 / rho) ** 2))))
        for rho, (loss, square) in by_rho.items()
    }
    least = min(sums.values())
    assert [b.rho for b in best] == [r for r in by_rho if sums[r] - least < F(1, 10**40)]


def test_a_grid_is_refused_where_it_is_empty_or_its_bounds_differ_in_kind() -> None:
    def uneven(rho: Any, delta: Any) -> MarginBound:
        return margin_bound(F(0), k=2, rho=rho, m=rho, delta=delta, expected_complexity=F(0))

    with pytest.raises(ParameterError, match="rhos: expected at least one"):
        smallest_margin_bound(uneven, [], "1/2")
    with pytest.raises(ParameterError, match="bound: expected one m and one form"):
        smallest_margin_bound(uneven, [1, 2], "1/2")
    wrong: list[Any] = [None, lambda rho, delta: 3]
    for bound in wrong:
        with pytest.raises(ParameterError, match="bound: expected"):
            smallest_margin_bound(bound, [1], "1/2")


# --- The theorem's complexities on a tiny problem


def test_the_proofs_chain_of_complexities_holds_on_tiny_hypothesis_sets() -> None:
    """R̂(Φ_ρ ∘ margins) ≤ (1/ρ) R̂(margins) ≤ (k²/ρ) R̂(Π_1(H)), k = 2 and 3, every labelling."""
    tables = [((0, 1), (1, 0)), ((1, -1), (0, 0)), ((-1, 0), (1, 1)), ((0, 0), (0, 1))]
    for k, chosen in ((2, tables), (3, [(*a, b[0]) for a, b in pairwise(tables)])):
        H = [[[F(v) for v in row] for row in zip(*h)] for h in chosen]  # m = 2 rows of k scores
        members = [[row[y] for row in h] for h in H for y in range(k)]
        for labels in product(range(k), repeat=2):
            margins = [
                [row[y] - max(row[:y] + row[y + 1 :]) for row, y in zip(h, labels)] for h in H
            ]
            for rho in (F(1, 2), F(1), F(2)):
                phi = [
                    [empirical_margin_loss([row], [y], rho) for row, y in zip(h, labels)] for h in H
                ]
                left, middle = F(rademacher(phi)), rademacher(margins) / rho
                assert left <= middle <= k**2 / rho * rademacher(members)
