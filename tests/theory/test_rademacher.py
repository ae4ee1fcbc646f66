"""Rademacher complexities against their definition, and the lemmas about them on tiny families."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from math import isqrt
from operator import mul
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.errors import DataError, ExactnessLimitError, MixedArithmeticError
from refmc.lectures import lu
from refmc.theory.bounds import kernel_rademacher_bound
from refmc.theory.grams import gram
from refmc.theory.kernels import linear
from refmc.theory.rademacher import MAX_SUMS, rademacher, rademacher_estimate

F = Fraction
Function = tuple[int, ...]

numbers = st.integers(-4, 4).map(lambda n: F(n, 2))  # zeros, duplicates and ties abound
families = st.integers(1, 4).flatmap(
    lambda m: st.lists(st.lists(numbers, min_size=m, max_size=m), min_size=1, max_size=4)
)


def test_the_two_constants_on_three_rows_have_complexity_one_half() -> None:
    assert rademacher([[F(1)] * 3, [F(-1)] * 3]) == F(1, 2)


@pytest.mark.parametrize("m", range(1, 8))
def test_all_sign_patterns_have_complexity_one_and_a_single_function_none(m: int) -> None:
    patterns = [[F(s) for s in signs] for signs in product((-1, 1), repeat=m)]
    assert rademacher(patterns) == 1
    assert rademacher([[F(i, 3) for i in range(m)]]) == 0
    assert type(rademacher([[F(i, 3) for i in range(m)]])) is Fraction


@given(families)
def test_it_is_the_mean_over_all_sign_vectors(values: list[list[Fraction]]) -> None:
    assert rademacher(values) == lu.rademacher(values)


@given(families, st.lists(numbers, min_size=4, max_size=4), numbers)
def test_it_ignores_a_common_shift_and_repeats_and_scales_with_the_values(
    values: list[list[Fraction]], shift: list[Fraction], factor: Fraction
) -> None:
    whole = rademacher(values)
    assert rademacher([[v + s for v, s in zip(h, shift)] for h in values]) == whole
    assert rademacher([*values, values[0]]) == whole
    assert rademacher([[factor * v for v in h] for h in values]) == abs(factor) * whole
    assert rademacher(values[:1]) == 0 <= rademacher(values[:2]) <= whole


def test_floats_give_the_exact_complexity_rounded_once() -> None:
    values = [[0.1, 0.2, 1e16], [0.3, -1e16, 5e-324], [0.7, 0.1, -0.1]]
    lifted = [[F(v) for v in h] for h in values]
    found = rademacher(values)
    assert type(found) is float and found == float(lu.rademacher(lifted))
    assert rademacher([[1, 1, 1], [-1, -1, -1]]) == 0.5  # whole numbers alone are floats


def test_an_executor_changes_nothing() -> None:
    values = [[F((3 * i * i + 7 * h) % 11 - 5, 3) for i in range(9)] for h in range(4)]
    with ThreadPoolExecutor(2) as threads:
        for m in range(1, 10):
            part = [h[:m] for h in values]
            assert rademacher(part, executor=threads) == rademacher(part) == lu.rademacher(part)
        draws = list(product((1, -1), repeat=9))[:200]  # more than there are jobs
        estimate = rademacher_estimate(values, draws, executor=threads)
        suprema = [max(sum(map(mul, h, draw)) for h in values) / 9 for draw in draws]
        assert (estimate.value, estimate.draws) == (sum(suprema) / 200, 200)
    with ProcessPoolExecutor(1) as processes:
        assert rademacher(values, executor=processes) == lu.rademacher(values)


def test_what_is_no_family_is_refused() -> None:
    with pytest.raises(DataError, match="at least one row"):
        rademacher([])
    with pytest.raises(DataError, match="row 1 has 1"):
        rademacher([[1.0, 2.0], [1.0]])
    with pytest.raises(MixedArithmeticError):
        rademacher([[F(1), 0.5]])
    with pytest.raises(ExactnessLimitError, match="rademacher_estimate"):
        rademacher([[F(0)] * MAX_SUMS.bit_length()] * 2)


# --- Estimates


@given(families)
def test_the_estimate_from_all_sign_vectors_is_the_complexity(values: list[list[F]]) -> None:
    m = len(values[0])
    found = rademacher_estimate(values, product((-1, 1), repeat=m))
    assert found.value == lu.rademacher(values)
    assert found.draws == 2**m


def test_an_estimate_by_hand() -> None:
    # suprema 2/2 and 1/2: mean 3/4, s² = 1/16 + 1/16 with n − 1 = 1, and s²/2 = 1/16
    found = rademacher_estimate([[F(1), F(1)], [F(0), F(1)]], [(1, 1), [-1, 1]])
    assert (found.value, found.variance, found.draws) == (F(3, 4), F(1, 16), 2)
    assert found.standard_error == 0.25
    in_float = rademacher_estimate([[1.0, 1.0], [0.0, 1.0]], iter([(1, 1), (-1, 1)]))
    assert type(in_float.value) is float and in_float == found


@pytest.mark.parametrize(
    ("draws", "message"),
    [
        (7, "draws: expected sign vectors, got 7"),
        ([(1, 1)], "at least two"),
        ([(1, 1), (1,)], "row 1: expected 2 signs"),
        ([(1, 1), (1, 0)], "row 1: expected -1 or 1, got 0"),
        ([(1, 1), (1, "1")], "expected -1 or 1"),
        ([(1, 1), (1, 0.5)], "expected -1 or 1"),
    ],
)
def test_draws_are_checked(draws: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        rademacher_estimate([[F(1), F(2)]], draws)


# --- The lemmas, on all families of up to three functions with values -1, 0 and 1


@cache
def functions(m: int) -> tuple[Function, ...]:
    return tuple(product((-1, 0, 1), repeat=m))


def tiny_families(m: int) -> list[tuple[Function, ...]]:
    return [family for n in (1, 2, 3) for family in combinations(functions(m), n)]


@cache
def complexities(m: int) -> dict[frozenset[Function], Fraction]:
    return {
        frozenset(family): rademacher([[F(v) for v in h] for h in family])
        for family in tiny_families(m)
    }


def test_talagrands_contraction_holds_for_every_tiny_family() -> None:
    maps = [
        dict(zip((-1, 0, 1), image))
        for image in product((-1, 0, 1), repeat=3)
        if abs(image[1] - image[0]) <= 1 and abs(image[2] - image[1]) <= 1
    ]
    assert len(maps) == 17  # the 1-Lipschitz ones, the absolute value among them
    strict = 0
    for m in (1, 2, 3):
        images = [{h: tuple(phi[v] for v in h) for h in functions(m)} for phi in maps]
        for family, complexity in complexities(m).items():
            for image in images:
                contracted = complexities(m)[frozenset(image[h] for h in family)]
                assert contracted <= complexity
                strict += contracted != complexity
    assert strict > 1000


def test_contraction_fails_for_a_steeper_function() -> None:
    steep = [[F(-1)], [F(1)]]
    assert rademacher(steep) == 1 > 1 * rademacher([[F(0)], [F(1)]]) == F(1, 2)


def orbits(m: int) -> list[list[frozenset[Function]]]:
    """The tiny families, together with those that differ by the order of the rows only."""
    found: dict[frozenset[Function], list[frozenset[Function]]] = {}
    for family in complexities(m):
        if family not in found:
            members = list(
                {frozenset(tuple(h[i] for i in order) for h in family): 0 for order in orders(m)}
            )
            found |= dict.fromkeys(members, members)
    return list({id(members): members for members in found.values()}.values())


def orders(m: int) -> list[tuple[int, ...]]:
    return list(permutations(range(m)))


def three_of(family: frozenset[Function]) -> tuple[Function, Function, Function]:
    """Its functions, some of them repeated, which doesn't change a supremum."""
    members = sorted(family)
    return members[0], members[-1], members[len(members) // 2]


@pytest.mark.parametrize(
    ("m", "count"), [(1, 7), (2, 129), pytest.param(3, 3303, marks=pytest.mark.campaign)]
)
def test_lemma_8_1_holds_for_every_pair_of_tiny_families(m: int, count: int) -> None:
    """The left side is computed here, the right side by `rademacher`.

    Both sides are the same for A, B and for B, A, and for rows in another order.
    """
    signs = list(product((-1, 1), repeat=m))
    largest = {
        (f, g): tuple(sum(s * max(a, b) for s, a, b in zip(sigma, f, g)) for sigma in signs)
        for f, g in product(functions(m), repeat=2)
    }
    # the sums of the suprema, which are whole
    right = {family: int(c * m * 2**m) for family, c in complexities(m).items()}
    members = orbits(m)
    others = [(three_of(B), right[B]) for orbit in members for B in orbit]
    assert len(others) == len(right) == count
    start = equal = 0
    for orbit in members:
        p, q, r = three_of(orbit[0])
        best = {g: [*map(max, largest[p, g], largest[q, g], largest[r, g])] for g in functions(m)}
        for (f, g, h), bound in others[start:]:
            slack = right[orbit[0]] + bound - sum(map(max, best[f], best[g], best[h]))
            assert slack >= 0
            equal += not slack
        start += len(orbit)
    assert start == count and equal


@given(st.integers(1, 3).flatmap(lambda m: st.lists(
    st.lists(st.lists(numbers, min_size=m, max_size=m), min_size=1, max_size=3),
    min_size=2, max_size=3,
)))  # fmt: skip
def test_lemma_8_1_holds_for_several_families_of_fractions(many: list[list[list[F]]]) -> None:
    maxima = [list(map(max, *chosen, chosen[0])) for chosen in product(*many)]
    assert rademacher(maxima) <= sum(map(rademacher, many), F(0))


# --- Proposition 8.1


def root_bounds(square: Fraction, unit: int = 10**20) -> tuple[Fraction, Fraction]:
    below = isqrt(square.numerator * unit * unit // square.denominator)
    return F(below, unit), F(below + 1, unit)


def ball(K: Any, Lambda_squared: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of the complexity of ‖f‖ ≤ Λ: (Λ/m) E‖Σ σ_i Φ(ω_i)‖, with ‖·‖² = σᵀKσ."""
    m = len(K)
    low = high = F(0)
    for sigma in product((-1, 1), repeat=m):
        form = sum(s * t * K[i][j] for i, s in enumerate(sigma) for j, t in enumerate(sigma))
        below, above = root_bounds(form * Lambda_squared)
        low, high = low + below, high + above
    return low / (m * 2**m), high / (m * 2**m)


@given(
    st.integers(1, 3).flatmap(
        lambda d: st.tuples(
            st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=1, max_size=4),
            st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=1, max_size=3),
        )
    )
)
def test_proposition_8_1_holds_for_the_ball_and_for_the_functions_in_it(
    data: tuple[list[list[F]], list[list[F]]],
) -> None:
    X, W = data
    K = gram(linear, X)
    Lambda_squared = max(sum((w * w for w in ws), F(0)) for ws in W)
    bound = kernel_rademacher_bound(
        r_squared=max(K[i][i] for i in range(len(X))), Lambda_squared=Lambda_squared, m=len(X)
    ).squared
    low, high = ball(K, Lambda_squared)
    inside = rademacher([[sum((a * b for a, b in zip(w, x)), F(0)) for x in X] for w in W])
    assert inside <= high and low**2 <= bound
    # Khintchine: the mean norm is at least 1/√2 of the root of the mean square, the trace of K
    trace = sum((K[i][i] for i in range(len(X))), F(0))
    assert 2 * high**2 >= Lambda_squared * trace / len(X) ** 2


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_orthogonal_rows_reach_the_bound_of_proposition_8_1(m: int) -> None:
    unit = [[F(i == j) for j in range(m)] for i in range(m)]
    low, high = ball(unit, F(9, 4))
    assert low**2 <= kernel_rademacher_bound(r_squared=1, Lambda_squared=F(9, 4), m=m).squared
    assert F(9, 4) / m <= high**2 and high - low == F(1, m * 10**20)


def test_the_radius_of_a_sample_bounds_no_expected_complexity() -> None:
    """Items 0 and 1 are equally likely, m = 1: the sample {0} has r = 0, the expectation is 1/2."""
    weights = [F(-1), F(1)]
    of_sample = {x: rademacher([[w * x] for w in weights]) for x in (F(0), F(1))}
    expected = sum(of_sample.values()) / 2
    assert (
        of_sample[F(0)] == 0 == kernel_rademacher_bound(r_squared=0, Lambda_squared=1, m=1).squared
    )
    assert (
        expected == F(1, 2) <= kernel_rademacher_bound(r_squared=1, Lambda_squared=1, m=1).squared
    )
