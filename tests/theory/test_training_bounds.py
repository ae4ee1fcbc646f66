"""Bounds of mistakes and training errors, against what training does."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from refmc.checker.numbers.enclosures import exponential
from refmc.errors import DataError, ExactnessLimitError, MixedArithmeticError, ParameterError
from refmc.learn.boosting.adaboost_mh import fit_adaboost, fit_adaboost_mh
from refmc.learn.online.perceptron import fit_perceptron
from refmc.learn.online.perceptron_multiclass import (
    all_rivals,
    chosen_rival,
    fit_multiclass_perceptron,
)
from refmc.theory.training_bounds import (
    MOST_BITS,
    adaboost_error_bound,
    multiclass_mistake_bound,
    perceptron_mistake_bound,
)
from tests.drawn import ratios

F = Fraction

numbers = st.integers(-3, 3).map(F)
rows = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=5)


def side(w: tuple[F, F], b: F, x: tuple[F, F]) -> F:
    return w[0] * x[0] + w[1] * x[1] + b


# --- Perceptrons


def test_orthogonal_rows_take_as_many_mistakes_as_the_bound_says() -> None:
    for m in range(1, 6):
        X = [[F(i == j) for j in range(m)] for i in range(m)]
        bound = perceptron_mistake_bound(X, [1] * m, [F(1)] * m)
        assert (bound.R_squared, bound.margin_squared, bound.bound) == (F(1), F(1, m), F(m))
        assert len(fit_perceptron(X, [1] * m, epochs=9).course.mistakes) == m == bound.mistakes


@given(rows, st.tuples(numbers, numbers), st.one_of(st.none(), numbers))
def test_no_order_of_the_rows_makes_more_mistakes(
    X: list[tuple[F, F]], w: tuple[F, F], b: F | None
) -> None:
    scores = [side(w, b or F(0), x) for x in X]
    assume(all(scores))
    y = [1 if score > 0 else -1 for score in scores]
    bound = perceptron_mistake_bound(X, y, w, b=b)
    norms = [x[0] ** 2 + x[1] ** 2 + (b is not None) for x in X]
    size = w[0] ** 2 + w[1] ** 2 + (b or 0) ** 2
    assert bound.R_squared == max(norms)
    assert bound.bound == max(norms) * size / min(map(abs, scores)) ** 2
    assert bound.mistakes <= bound.bound < bound.mistakes + 1
    for order in list(permutations(range(len(X))))[:20]:
        model = fit_perceptron(X, y, epochs=bound.mistakes + 1, order=order, bias=b is not None)
        assert len(model.course.mistakes) <= bound.mistakes
        assert model.course.converged


@given(rows, st.lists(st.tuples(numbers, numbers), min_size=3, max_size=3))
def test_no_multiclass_perceptron_makes_more_mistakes(
    X: list[tuple[F, F]], W: list[tuple[F, F]]
) -> None:
    scores = [[side(w, F(0), x) for w in W] for x in X]
    assume(all(s.count(max(s)) == 1 for s in scores))
    y = [s.index(max(s)) for s in scores]
    bound = multiclass_mistake_bound(X, y, W, classes=[0, 1, 2])
    leads = [max(s) - sorted(s)[1] for s in scores]
    size = sum((v * v for w in W for v in w), F(0))
    assert bound.bound == 2 * bound.R_squared * size / min(leads) ** 2
    for tau in (chosen_rival, all_rivals):
        model: Any = fit_multiclass_perceptron(
            X, y, tau=tau, epochs=50, ties_are_mistakes=True, classes=[0, 1, 2]
        )
        assert len(model.course.mistakes) <= bound.mistakes


@given(rows, st.tuples(numbers, numbers))
def test_two_classes_have_the_binary_bound(X: list[tuple[F, F]], w: tuple[F, F]) -> None:
    scores = [side(w, F(0), x) for x in X]
    assume(all(scores))
    y = [1 if score > 0 else -1 for score in scores]
    W = [[-v for v in w], list(w)]
    several = multiclass_mistake_bound(X, y, W, classes=[-1, 1])
    assert several.bound == perceptron_mistake_bound(X, y, w).bound


def test_an_update_that_takes_x_from_a_class_that_scores_less_can_go_on_for_ever() -> None:
    """τ = +1 for the own class, −1 for the other class that scores least."""

    def from_the_last(scores: Any, y: int, y_hat: int) -> list[F]:
        last = min((r for r in range(len(scores)) if r != y), key=lambda r: (scores[r], -r))
        return [F(int(r == y) - int(r == last)) for r in range(len(scores))]

    X, y = [[F(-1), F(-1)], [F(1), F(0)]], [1, 1]
    bound = multiclass_mistake_bound(X, y, [[1, 0], [2, -2], [0, 2]], classes=[0, 1, 2])
    assert bound.mistakes == 52  # 2 · 2 · 13 / 1²
    printed, other = (
        fit_multiclass_perceptron(X, y, tau=tau, epochs=100, classes=[0, 1, 2]).course
        for tau in (chosen_rival, from_the_last)
    )
    assert printed.converged and len(printed.mistakes) <= 52
    assert len(other.mistakes) == 200  # two an epoch


def test_a_mistake_bound_in_floats_is_that_of_the_lifted_numbers() -> None:
    X, w = [[0.1, 0.3], [-0.2, -0.4]], [0.7, 0.1]
    lifted = [[F(v) for v in x] for x in X]
    inside = perceptron_mistake_bound(X, ["b", "a"], w, b=0.01, classes=["a", "b"])
    assert inside == perceptron_mistake_bound(lifted, [1, -1], [F(v) for v in w], b=F(0.01))


def test_what_does_not_separate_or_fit_is_refused() -> None:
    X = [[F(1), F(0)], [F(-1), F(0)]]
    with pytest.raises(ParameterError, match="w: expected positive margins .* got 0 of row 0"):
        perceptron_mistake_bound(X, [1, -1], [0, 1])
    with pytest.raises(ParameterError, match="got -1 of row 1"):
        perceptron_mistake_bound(X, [1, 1], [1, 1])
    with pytest.raises(ParameterError, match="W: expected positive margins"):
        multiclass_mistake_bound(X, ["a", "b"], [[0, 0], [0, 0]])
    with pytest.raises(DataError, match="w: expected 2 numbers, as X has columns, got 1"):
        perceptron_mistake_bound(X, [1, -1], [1], b=F(1))
    with pytest.raises(DataError, match="got 3 rows for 2 classes"):
        multiclass_mistake_bound(X, ["a", "b"], [[1, 0]] * 3)
    with pytest.raises(DataError, match="two or more classes"):
        multiclass_mistake_bound(X, ["a", "a"], [[1, 0]])
    with pytest.raises(MixedArithmeticError):
        perceptron_mistake_bound(X, [1, -1], [1.0, 0.0])


# --- AdaBoost

TEN = [[F(v)] for v in range(10)]
SIGNS = [1, 1, 1, -1, -1, -1, 1, 1, 1, -1]


def test_the_bound_of_one_round_by_hand() -> None:
    bound = adaboost_error_bound([F(1, 10)])
    assert bound.product == 0.6 and bound.product_squared == F(9, 25)
    assert bound.edges_squared == F(4, 25)
    assert math.isclose(bound.exponential, 0.7261490370736909)  # exp(−0.32)
    assert bound.admits(F(3, 5)) and bound.admits(0.6 - 1e-9)
    assert not bound.admits(F(3, 5) + F(1, 10**30))
    assert not bound.vacuous


def test_the_training_error_is_within_the_bound_after_every_round() -> None:
    model: Any = fit_adaboost(TEN, SIGNS, rounds=6)
    for t, r in enumerate(model.rounds, 1):
        bound = adaboost_error_bound([s.epsilon for s in model.rounds[:t]])
        assert bound.admits(r.loss)
        assert bound.product_squared == r.bound_squared
        assert bound.product_squared <= bounds_of_exponential(-4 * bound.edges_squared)


def test_the_hamming_loss_is_within_the_bound_for_several_labels() -> None:
    model = fit_adaboost_mh(TEN, [v[0] // 4 for v in TEN], rounds=4)
    bound = adaboost_error_bound([r.epsilon for r in model.rounds])
    wrong = [
        (score > 0) != (label == x[0] // 4)
        for x in TEN
        for label, score in zip(model.classes, model.scores(x))
    ]
    assert bound.admits(F(sum(wrong), len(wrong))) and bound.product < 1


def bounds_of_exponential(x: F) -> F:
    found = exponential(x, 100)
    assert found is not None
    return found.low


@given(st.lists(ratios(0, 1, 9), min_size=1, max_size=6))
def test_the_product_is_at_most_the_exponential(epsilons: list[F]) -> None:
    bound = adaboost_error_bound(epsilons)
    product = math.prod(2 * math.sqrt(e * (1 - e)) for e in epsilons)
    assert math.isclose(bound.product, product, rel_tol=1e-12)
    assert bound.edges_squared == sum(((2 * e - 1) ** 2 for e in epsilons), F(0)) / 4
    assert bound.product_squared <= bounds_of_exponential(-4 * bound.edges_squared)
    assert math.isclose(bound.exponential, math.exp(-2 * float(bound.edges_squared)))
    assert bound.vacuous == (bound.product_squared == 1) == (set(epsilons) == {F(1, 2)})


@pytest.mark.parametrize("epsilons", [[F(-1, 8)], [F(1, 8), F(9, 8)], [2.0]])
def test_errors_beyond_0_and_1_are_refused(epsilons: Any) -> None:
    with pytest.raises(ParameterError, match="epsilons: position"):
        adaboost_error_bound(epsilons)


def test_errors_of_more_digits_than_the_limit_in_all_are_refused() -> None:
    short = F(1, 1 << MOST_BITS // 2 - 1)  # 1 and MOST_BITS/2 binary digits
    assert adaboost_error_bound([short]).edges_squared == (F(1, 2) - short) ** 2
    with pytest.raises(ExactnessLimitError, match=f"{MOST_BITS + 2} binary digits together"):
        adaboost_error_bound([short, short])
