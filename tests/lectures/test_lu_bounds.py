"""Margins, complexities and bounds: `theory` and the lecture agree."""

import math
from fractions import Fraction as F
from itertools import chain, combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc import (
    argmax_set,
    argmin_set,
    empirical_margin_loss,
    hamming,
    kernel_margin_bound,
    kernel_rademacher_bound,
    margin,
    margin_bound,
    margin_loss,
    multiclass_hinge,
    rademacher,
    zero_one,
)
from refmc.lectures import lu

half = st.integers(-6, 6).map(lambda n: F(n, 2))
RHOS = (F(1, 2), F(1), F(3))


@st.composite
def scored(draw: st.DrawFn) -> tuple[list[list[F]], list[int]]:
    """Rows of scores with their classes; ties are likely."""
    m, k = draw(st.integers(1, 5)), draw(st.integers(2, 4))
    rows = draw(st.lists(st.lists(half, min_size=k, max_size=k), min_size=m, max_size=m))
    return rows, draw(st.lists(st.integers(0, k - 1), min_size=m, max_size=m))


@given(scored(), st.sampled_from(RHOS))
def test_margins_losses_and_slacks_are_those_of_theory(
    sample: tuple[list[list[F]], list[int]], rho: F
) -> None:
    scores, c = sample
    for row, y in zip(scores, c):
        assert tuple(lu.arg_max(row)) == argmax_set(row)
        assert tuple(lu.arg_min(row)) == argmin_set(row)
        assert lu.margin(row, y) == margin(row, y)
        assert lu.Phi_rho(lu.margin(row, y), rho) == margin_loss(margin(row, y), rho)
        assert lu.slack(row, y) == multiclass_hinge(row, y)
    assert lu.margin_loss(scores, c, rho) == empirical_margin_loss(scores, c, rho)


@given(scored(), st.sampled_from(RHOS))
def test_the_margin_loss_lies_between_the_shares_of_margins(
    sample: tuple[list[list[F]], list[int]], rho: F
) -> None:
    scores, c = sample
    wrong = lu.mean([min(lu.zero_one(y, c_i) for y in lu.arg_max(s)) for s, c_i in zip(scores, c)])
    loss, slacks = lu.margin_loss(scores, c, rho), [lu.slack(s, y) for s, y in zip(scores, c)]
    assert lu.share_of_margins(scores, c, lu.margin(scores[0], c[0])) > 0
    assert wrong <= lu.share_of_margins(scores, c, 0) <= loss <= lu.share_of_margins(scores, c, rho)
    assert lu.margin_loss(scores, c, 1) <= lu.mean(slacks)


def test_all_pairs_of_short_codes_have_the_losses_of_theory() -> None:
    codes = list(product((-1, 1), repeat=3))
    for a, b in product(codes, repeat=2):
        assert lu.hamming(a, b) == hamming(a, b)
        assert lu.zero_one(a, b) == zero_one(str(a), str(b))


FUNCTIONS = list(product((F(-1), F(0), F(2)), repeat=2))


def test_all_tiny_families_have_the_complexity_of_theory() -> None:
    for n in (1, 2, 3):
        for H in combinations(FUNCTIONS, n):
            assert lu.rademacher(H) == rademacher(H)


@given(st.lists(st.lists(half, min_size=4, max_size=4), min_size=1, max_size=5))
def test_drawn_families_have_the_complexity_of_theory(H: list[list[F]]) -> None:
    assert lu.rademacher(H) == rademacher(H)


def test_no_maxima_of_tiny_families_are_more_complex_than_the_families_together() -> None:
    families = list(chain(combinations(FUNCTIONS, 1), combinations(FUNCTIONS, 2)))
    alone = [(H, lu.rademacher(H)) for H in families]
    met = False
    for (H_1, R_1), (H_2, R_2) in combinations(alone, 2):
        gap = R_1 + R_2 - lu.rademacher(lu.maxima(H_1, H_2))
        met |= gap == 0
        assert gap >= 0
    assert met


def test_the_supremum_of_a_maximum_can_be_below_the_maximum_of_suprema() -> None:
    # The proof of Lemma 8.1 prints "=". With h_2 = −5 and h_3 = 1 the left side is |max| = 1.
    assert [abs(g[0]) for g in lu.maxima([[-5]], [[1]])] == [1]


def test_single_scores_are_listed_by_hypothesis_and_class() -> None:
    h, other = [[1, 2], [3, 4], [5, 6]], [[0, 0], [1, 1], [2, 2]]
    assert lu.Pi_1([h, other]) == [[1, 3, 5], [2, 4, 6], [0, 1, 2], [0, 1, 2]]


@given(
    st.sampled_from([F(0), F(1, 3), F(1)]), st.integers(2, 5), st.sampled_from(RHOS),
    st.sampled_from([F(0), F(1, 7)]), st.integers(1, 200), st.sampled_from([F(1, 20), F(2, 3)]),
)  # fmt: skip
def test_the_terms_of_the_bounds_are_those_of_theory(
    loss: F, k: int, rho: F, complexity: F, m: int, delta: F
) -> None:
    sizes: dict[str, Any] = {"k": k, "rho": rho, "m": m, "delta": delta}
    terms: Any = {"expected_complexity": complexity}, {"empirical_complexity": complexity}
    for term, on_sample in zip(terms, (False, True)):
        bound = margin_bound(loss, **sizes, **term)
        empirical, middle, last = lu.theorem_8_1(loss, k, rho, complexity, m, delta, on_sample)
        assert (empirical, middle) == (bound.empirical, bound.complexity)
        assert math.isclose(last, bound.confidence, rel_tol=1e-14)
    squares: dict[str, Any] = {"r_squared": 2, "Lambda_squared": complexity}
    proposition = kernel_rademacher_bound(**squares, m=m)
    assert lu.proposition_8_1(2, complexity, m) == proposition.squared
    kernels = kernel_margin_bound(loss, **squares, **sizes)
    empirical, root, last = lu.corollary_8_1(loss, k, rho, 2, complexity, m, delta)
    assert empirical == kernels.empirical
    assert math.isclose(root, kernels.complexity, rel_tol=1e-14)
    assert math.isclose(last, kernels.confidence, rel_tol=1e-14)


def test_delta_of_1_leaves_no_last_term_and_beyond_it_has_no_root() -> None:
    assert lu.confidence(1, 5) == 0
    with pytest.raises(ValueError):
        lu.confidence(2, 5)


def test_no_scores_of_a_ball_are_more_complex_than_the_proposition_says() -> None:
    # sup over ‖f‖ ≤ Λ of Σ σ_i f(ω_i) is Λ ‖Σ σ_i Φ(ω_i)‖, reached by f along that sum
    X: list[list[lu.Number]] = [[1, 2], [-1, 1], [2, F(1, 2)]]
    K = [[lu.dot(x, z) for z in X] for x in X]
    signs = list(product((-1, 1), repeat=3))
    squares = [lu.norms_squared([[s] for s in sigma], K)[0] for sigma in signs]
    assert sorted(squares) == sorted(2 * [F(65, 4), F(41, 4), F(73, 4), F(1, 4)])
    complexity = sum(map(math.sqrt, squares)) / 8 / 3
    assert complexity <= math.sqrt(lu.proposition_8_1(max(K[i][i] for i in range(3)), 1, 3))


def test_the_norm_of_all_weights_is_at_least_that_of_each() -> None:
    alpha, K = [[3, 0], [0, 4]], [[1, 0], [0, 1]]
    assert lu.norms_squared(alpha, K) == [9, 16]
    assert [lu.norm(alpha, K, p) for p in (1, 2)] == [7, 5]
    assert lu.norm(alpha, K, 50) >= 4


def test_a_margin_a_little_below_0_costs_no_more_than_1() -> None:
    assert [lu.Phi_rho(x, 4) for x in (F(-1, 2), F(1, 2))] == [1, F(7, 8)]
