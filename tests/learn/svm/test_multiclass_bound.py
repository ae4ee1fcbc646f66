"""The margin bound of a trained multi-class SVM, from its weights and slacks."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc import (
    DataError,
    MixedArithmeticError,
    ParameterError,
    fit_multiclass_svm,
    gram,
    kernel_margin_bound,
    linear,
    polynomial,
    rbf,
)
from tests.support import reloaded

THREE = [[F(1), F(0)], [F(0), F(1)], [F(-1), F(-1)]]
entries = st.integers(-2, 2).map(F)
samples = st.lists(
    st.tuples(st.tuples(entries, entries), st.sampled_from("abc")), min_size=1, max_size=5
)


def test_three_points_have_the_bound_found_by_hand() -> None:
    """W = (2/3, −1/3), (−1/3, 2/3), (−1/3, −1/3) has ‖W‖² = 4/3; r² = 2; all margins are 1."""
    model = fit_multiclass_svm(THREE, ["a", "b", "c"], C=1)
    bound = model.margin_bound(rho=1, delta="1/20")
    assert bound.empirical == 0
    assert bound.complexity_squared == 18**2 * 2 * F(4, 3) / 3
    assert (bound.k, bound.m, bound.rho, bound.delta) == (3, 3, 1, F(1, 20))
    assert bound.vacuous
    assert model.margin_bound(rho=2, delta="1/20").empirical == F(1, 2)
    given_before = model.margin_bound(rho=1, delta="1/20", Lambda_squared=6)
    assert given_before.complexity_squared == 18**2 * 2 * F(6) / 3


@given(samples, st.sampled_from([F(1, 4), F(1), F(3)]))
def test_the_terms_are_those_of_weights_and_slacks(sample: Any, C: F) -> None:
    X, y = [list(x) for x, _ in sample], [label for _, label in sample]
    model: Any = fit_multiclass_svm(X, y, C=C, classes=["a", "b", "c"])
    Lambda_squared = sum((w * w for row in model.W for w in row), F(0))
    bound = model.margin_bound(rho=1, delta="1/20")
    by_hand = kernel_margin_bound(
        sum((min(F(1), eta) for eta in model.slack), F(0)) / len(X),
        r_squared=max(sum((v * v for v in x), F(0)) for x in X),
        Lambda_squared=Lambda_squared,
        k=3,
        rho=1,
        m=len(X),
        delta="1/20",
        on_sample=True,
    )
    assert bound == by_hand
    assert Lambda_squared <= 2 * C * len(X)  # as f = 0 has the objective C·m
    K = gram(linear, X)
    from_gram = fit_multiclass_svm(None, y, C=C, gram=K, classes=["a", "b", "c"])
    assert from_gram.margin_bound(rho=1, delta="1/20", gram=K) == bound


def test_the_norm_that_the_lecture_takes_for_Lambda_depends_on_the_sample() -> None:
    """Samples {1, −1} and {1/2, −1}; the theorem is for a Λ that is fixed before, such as 2Cm."""
    models = [fit_multiclass_svm([[x], [F(-1)]], [0, 1], C=3) for x in (F(1), F(1, 2))]
    after, before = (
        {
            model.margin_bound(rho=1, delta="1/20", Lambda_squared=fixed).complexity_squared
            for model in models
        }
        for fixed in (None, 2 * 3 * 2)
    )
    assert len(after) == 2 and before == {8**2 * F(12) / 2}


@pytest.mark.parametrize("kernel", [linear, polynomial(2), rbf(1)])
def test_models_in_float_and_loaded_ones_have_a_bound(kernel: Any) -> None:
    X = [[0.5, 1.0], [1.5, -1.0], [-2.0, 0.25], [0.0, 0.125]]
    model = fit_multiclass_svm(X, ["a", "b", "c", "a"], C=1, kernel=kernel)
    bound = model.margin_bound(rho=0.5, delta=0.05)
    K: Any = gram(kernel, X)
    assert type(bound.empirical) is type(bound.complexity) is float
    assert 0 <= bound.empirical <= 1 < bound.total
    norm = 2 * float(model.objective - sum(model.slack))
    largest = max(K[i][i] for i in range(4))
    assert bound.complexity == pytest.approx(18 * 2 * (largest * norm / 4) ** 0.5)
    again: Any = reloaded(model)
    assert again.margin_bound(rho=0.5, delta=0.05) == bound


def test_what_a_bound_needs_is_asked_for() -> None:
    K = gram(linear, THREE)
    model = fit_multiclass_svm(THREE, ["a", "b", "c"], C=1)
    from_gram = fit_multiclass_svm(None, ["a", "b", "c"], C=1, gram=K)
    with pytest.raises(ParameterError, match="gram: expected for models that were trained on one"):
        from_gram.margin_bound(rho=1, delta="1/20")
    with pytest.raises(ParameterError, match="and only these"):
        model.margin_bound(rho=1, delta="1/20", gram=K)
    with pytest.raises(DataError):
        from_gram.margin_bound(rho=1, delta="1/20", gram=K[:2])
    with pytest.raises(MixedArithmeticError):
        model.margin_bound(rho=1, delta=0.05)
    with pytest.raises(DataError, match="a single class"):
        fit_multiclass_svm(THREE, ["a"] * 3, C=1).margin_bound(rho=1, delta="1/20")
