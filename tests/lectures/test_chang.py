"""`chang` as one plain file against the binary SVM, the runs, kernels and duels of refmc."""

from collections.abc import Callable
from fractions import Fraction as F
from functools import partial
from itertools import combinations, permutations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc import (
    NotSeparableError,
    Tournament,
    by_votes,
    fit_binary_svm,
    fit_error_correcting_tournament,
    fit_hard_svm,
    fit_kernel_perceptron,
    fit_label_tree,
    fit_one_vs_all,
    fit_one_vs_one,
    fit_perceptron,
    fit_svm_sgd,
    hinge,
    hinge_subgradient,
    linear,
    perceptron_loss,
    polynomial,
    rbf,
    rbf_features,
)
from refmc.lectures import chang
from tests.support import InTurn

halves = st.integers(-3, 3).map(lambda n: F(n, 2))  # zeros, duplicates and ties abound
points = st.tuples(halves, halves)
bounds = st.sampled_from([F(1, 8), F(1, 2), F(1), F(5, 2)])
D_ = st.lists(st.tuples(points, st.sampled_from([-1, 1])), min_size=1, max_size=5)


def squared(x: Any, z: Any) -> F:
    return chang.polynomial(x, z, 1, 1, 2)


KERNELS: list[tuple[Callable[[Any, Any], Any], Any]] = [
    (chang.dot, linear),
    (squared, polynomial(2, offset=1)),
]


# The SVM.


def assert_the_optimum_is_the_same(D: Any, C: F, kernel: int = 0) -> None:
    K, fast_kernel = KERNELS[kernel]
    X, y = zip(*D)
    model: Any = fit_binary_svm(X, y, C=C, kernel=fast_kernel)
    alpha, b = chang.kernel_svm(D, K, C)
    assert all(0 <= a <= C for a in alpha) and chang.dot(alpha, y) == 0
    assert -chang.dual(alpha, D, K) == -chang.dual(model.alpha, D, K) == model.objective
    below, above = chang.bounds_of_b(alpha, D, K, C)
    assert model.b_interval == (max(below, default=None), min(above, default=None))
    assert all(end <= b for end in below) and all(b <= end for end in above)
    for x, y_i in D:
        assert chang.decision(alpha, model.b, D, K, x) == model.decision(x)
    for i, a in enumerate(alpha):  # α = 0, between, C
        margin = y[i] * chang.decision(alpha, b, D, K, X[i])
        assert margin >= 1 if a == 0 else margin <= 1 if a == C else margin == 1
    for found in (alpha, model.alpha):
        assert {i for i, v in enumerate(model.margins) if v < 1} <= {*chang.support_vectors(found)}
    assert model.support_vectors == tuple(chang.support_vectors(model.alpha))
    if kernel == 0:
        w = chang.weights(alpha, D)
        assert tuple(w) == model.w == tuple(chang.weights(model.alpha, D))
        primal = chang.svm_objective(w, b, D, C)
        assert primal == model.objective == chang.svm_objective(w, model.b, D, C)
        assert chang.soft_svm(w, model.b, model.slack, D, C) == (primal, True)
        assert not chang.soft_svm(w, model.b, [s - 1 for s in model.slack], D, C)[1]


@given(D_, bounds, st.integers(0, 1))
def test_the_printed_dual_has_the_same_optimum(D: Any, C: F, kernel: int) -> None:
    assert_the_optimum_is_the_same(D, C, kernel)


def test_the_printed_dual_has_the_same_optimum_on_all_tiny_problems() -> None:
    numbers = [((F(n),), sign) for n in (-1, 0, 1) for sign in (-1, 1)]
    for D in product(numbers, repeat=2):
        assert_the_optimum_is_the_same(D, F(1, 2))
        assert_the_optimum_is_the_same([*D, ((F(2),), 1)], F(1))


@given(D_.filter(lambda D: len({y for _, y in D}) == 2))
def test_the_hard_svm_is_the_soft_one_of_a_large_C_and_has_the_largest_margin(D: Any) -> None:
    X, y = zip(*D)
    try:
        model: Any = fit_hard_svm(X, y)
    except NotSeparableError as error:  # no w, b fits: a combination of the rows that is 0
        assert chang.dot(error.combination, y) == 0 < sum(error.combination)
        assert not any(chang.weights(error.combination, D))
        return
    assert chang.hard_svm(model.w, model.b, D) == (model.objective, True)
    assert chang.gamma_squared(model.w, model.b, D) == model.margin_squared
    C = max(model.alpha)
    alpha, b = chang.kernel_svm(D, chang.dot, C + 1)
    assert (tuple(chang.weights(alpha, D)), b) == (model.w, model.b)
    assert all(chang.prediction(model.w, model.b, x) == sign for x, sign in D)


@given(points, halves, st.lists(points, min_size=1, max_size=4), bounds)
def test_cases_losses_and_slopes_of_examples(w: Any, b: F, X: Any, C: F) -> None:
    for x, y in product(X, (-1, 1)):
        z = y * (F(chang.dot(w, x)) + b)
        xi = chang.hinge(w, b, x, y)
        assert xi == hinge(z)
        assert chang.perceptron_loss(y, x, w) == perceptron_loss(F(y * chang.dot(w, x)))
        by_margin, by_slack = chang.cases(w, b, x, y)
        assert by_margin == ("b" if z < 1 else "a" if z == 1 else "c")
        assert by_slack == ("b" if z >= 1 else "a" if z > 0 else "c" if z < 0 else "")
        slopes = [[a + C * g * y * c for a, c in zip(w, x)] for g in hinge_subgradient(z)]
        assert list(chang.grad_J(w, b, x, y, C)) in slopes
        J = partial(chang.svm_objective, b=b, D=[(x, y)], C=C)
        for g in slopes:
            assert chang.is_subgradient(J, g, w, [[a, c] for a, c in X])


def test_the_quiz_of_a_trained_model() -> None:
    D = [((F(3, 2), F(5, 2)), 1), ((F(5, 2), F(3, 2)), 1), ((F(5, 2), F(5, 2)), -1)]
    for C, letters in ((1, "c"), (2, ""), (3, "a")):
        model: Any = fit_binary_svm([x for x, _ in D], [y for _, y in D], C=C)
        found = [chang.cases(model.w, model.b, x, y) for x, y in D]
        assert found == [("a", "b"), ("a", "b"), ("b", letters)]


# SGD and perceptrons.


@given(D_, bounds, st.integers(0, 2))
def test_the_descent_takes_the_same_steps(D: Any, C: F, epochs: int) -> None:
    X, y = zip(*D)
    steps: list[Any] = []
    fit_svm_sgd(X, y, C=C, eta=F(1, 4), epochs=epochs, on_step=steps.append)
    for t, step in enumerate(steps, 1):
        w = chang.sgd([*D * epochs][:t], 1, F(1, 4), C)
        assert list(step.w) == list(w)
        assert step.objective() == sum(chang.svm_objective(w, 0, [z], C) for z in D) / len(D)
    if steps:
        assert list(steps[-1].w) == list(chang.sgd(D, epochs, F(1, 4), C))


@given(D_, st.integers(1, 3))
def test_the_perceptron_takes_the_same_steps(D: Any, epochs: int) -> None:
    X, y = zip(*D)
    steps: list[Any] = []
    model = fit_perceptron(X, y, epochs=epochs, on_step=steps.append)
    for t, step in enumerate(steps, 1):
        assert list(step.w) == list(chang.perceptron([*D * epochs][:t]))
    assert list(model.w) == list(
        chang.perceptron([*D * epochs])
    )  # what is left out changes nothing


@given(D_, st.integers(1, 3), st.integers(0, 1))
def test_the_kernel_perceptron_takes_the_same_steps(D: Any, epochs: int, kernel: int) -> None:
    K, fast_kernel = KERNELS[kernel]
    X, y = zip(*D)
    steps: list[Any] = []
    fit_kernel_perceptron(X, y, kernel=fast_kernel, epochs=epochs, on_step=steps.append)
    for t, step in enumerate(steps, 1):
        seen = [*D * epochs][:t]
        alpha = chang.kernel_perceptron(seen, K)
        assert list(step.alpha) == [sum(alpha[i :: len(D)]) for i in range(len(D))]
        if t < len(steps):
            assert steps[t].score == chang.score(alpha, seen, K, X[steps[t].j])
        if kernel == 0:
            assert chang.weights(alpha, seen) == chang.perceptron(seen)


# Kernels.


@given(points, points, st.integers(1, 3), st.integers(1, 4), st.integers(0, 2))
def test_kernels_have_the_same_values(x: Any, z: Any, d: int, a: int, b: int) -> None:
    assert chang.polynomial(x, z, F(a, 2), b, d) == polynomial(d, scale=F(a, 2), offset=b)(x, z)
    assert chang.rbf(x, z, F(a, 2)) == pytest.approx(
        rbf(F(a, 2))([*map(float, x)], [*map(float, z)])
    )
    u = chang.phi_rbf(float(x[0]), a / 2, d)
    assert u == pytest.approx(rbf_features(float(x[0]), F(a, 2), d))


def test_the_dual_is_solved_for_the_rounded_kernel_and_refused_for_one_that_is_not_PDS() -> None:
    D = [([F(0)], -1), ([F(1)], 1), ([F(3)], 1), ([F(1)], 1)]
    K: Any = partial(chang.rbf, gamma=F(1, 2))
    values = {(x[0], z[0]): F(K(x, z)) for (x, _), (z, _) in product(D, D)}
    alpha, b = chang.kernel_svm(D, K, 2)

    def lifted(x: Any, z: Any) -> F:
        return values[x[0], z[0]]

    below, above = chang.bounds_of_b(alpha, D, lifted, 2)
    assert any(0 < a < 2 for a in alpha) and max(below) == b == min(above)
    hinges = [max(0, 1 - y * chang.decision(alpha, b, D, lifted, x)) for x, y in D]
    dual = chang.dual(alpha, D, lifted)
    assert (dual + sum(alpha)) + 2 * sum(hinges) == -dual  # ½wᵀw and the hinges: no gap
    with pytest.raises(ValueError, match="not symmetric and positive semi-definite"):
        chang.kernel_svm(D, lambda x, z: -chang.dot(x, z), 1)


@given(points)
def test_squares_turn_the_circle_into_a_line(x: Any) -> None:
    assert chang.is_inside(x) == (x[0] * x[0] + x[1] * x[1] <= 1)
    assert chang.is_inside(x) == (chang.prediction([-1, -1], 1, chang.squares(x)) >= 0)


def test_the_circle_itself_is_inside() -> None:
    on, beyond = [F(3, 5), F(-4, 5)], [F(0), F(101, 100)]
    assert chang.is_inside(on) and not chang.is_inside(beyond)
    assert chang.squares([2, -3]) == [4, 9]


# One-against-all and one-vs-one.


def summed(X: Any, y: Any) -> Callable[[Any], F]:
    """A learner of one line: w = Σ y_i x_i."""
    w = [sum((s * x[j] for x, s in zip(X, y)), F(0)) for j in range(2)]
    return lambda x: w[0] * x[0] + w[1] * x[1]


@given(st.lists(points, min_size=3, max_size=6), points)
def test_reductions_predict_the_same_sets(X: Any, x: Any) -> None:
    D = [(x_i, i % 3) for i, x_i in enumerate(X)]
    y = [k for _, k in D]
    learned = [summed(*zip(*chang.one_against_all(D, k))) for k in range(3)]
    w = [[h((F(1), F(0))), h((F(0), F(1)))] for h in learned]
    assert fit_one_vs_all(X, y, summed).predict_set(x) == tuple(chang.winner_takes_all(w, x))
    s: Any = {}
    for i, j in combinations(range(3), 2):
        s[i, j] = summed(*zip(*chang.one_vs_one(D, i, j)))(x)
        s[j, i] = -s[i, j]
    assert_decided_alike(fit_one_vs_one(X, y, summed), s, x)


def assert_decided_alike(model: Any, s: Any, x: Any) -> None:
    k = len(model.classes)
    assert list(model.votes(x)) == [chang.wins(s, i, k) for i in range(k)]
    assert by_votes(model.duels(x), range(k)) == tuple(chang.majority(s, k))
    for bracket in permutations(range(k)):
        champions = Tournament(bracket)(model.duels(x), range(k))
        assert champions == tuple(sorted(chang.tournament(s, bracket)))


@given(st.lists(halves, min_size=6, max_size=6))
def test_votes_and_tournaments_of_four_classes_are_the_same(scores: list[F]) -> None:
    model = fit_one_vs_one([[F(i)] for i in range(4)], range(4), InTurn(*scores))
    s: Any = {}
    for (i, j), score in zip(combinations(range(4), 2), scores):
        s[i, j], s[j, i] = score, -score
    assert_decided_alike(model, s, [F(0)])


# The outlook.


def sure(S: Any) -> Callable[[Any], F]:
    """The same learner; without examples a draw, and of one side alone that side, as in refmc."""
    signs = {y for _, y in S}
    return summed(*zip(*S)) if len(signs) == 2 else lambda x: F(sum(signs))


@given(st.lists(points, min_size=5, max_size=8), st.integers(2, 5), points)
def test_the_filter_tree_has_the_same_winners(X: Any, k: int, x: Any) -> None:
    D = [(x_i, i % k) for i, x_i in enumerate(X)]
    tree = chang.filter_tree(D, range(k), sure)
    model = fit_error_correcting_tournament(X, [y for _, y in D], summed)
    assert model.predict_set(x) == tuple(sorted(chang.reached(tree, x)))


def test_a_match_learns_from_those_that_arrive() -> None:
    # 0 loses its own row 3 to 1, as 1's at 2 weighs more: the final learns 0 from row 4 alone
    D = [([F(3)], 0), ([F(-4)], 0), ([F(4)], 1), ([F(1)], 2)]
    seen: list[Any] = []

    def A(S: Any) -> Callable[[Any], F]:
        seen.append([(x[0], sign) for x, sign in S])
        w = sum(x[0] * sign for x, sign in S)
        return lambda x: w * x[0]

    tree = chang.filter_tree(D, [0, 1, 2], A)
    # 3 − 4 − 4 = −5: row −4 wins as 0, row 4 as 1, row 3 loses; then −4 + 4 − 1
    assert seen == [[(3, 1), (-4, 1), (4, -1)], [(-4, 1), (4, 1), (1, -1)]]
    assert [chang.reached(tree, [F(t)]) for t in (-1, 0, 1)] == [{0}, {0, 1, 2}, {2}]


confusions = st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=5, max_size=5)


@given(st.lists(points, min_size=5, max_size=8), confusions, points)
def test_the_label_tree_of_the_taken_halves_has_the_same_labels(X: Any, C: Any, x: Any) -> None:
    y = [i % 5 for i in range(len(X))]
    model = fit_label_tree(X, y, summed, confusion=C)
    D = list(zip(X, y))
    tree = chang.label_tree(D, range(5), sure, C)
    if all(len(split.tied) == 1 for split in model.splits):
        assert model.predict_set(x) == tuple(sorted(chang.reached(tree, x)))


def test_what_is_confused_stays_together() -> None:
    alike = [[2, 0, 1, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 3, 0, 2]]  # 0 for 2, and 3 for 1
    D = [((F(a), F(b)), y) for y, (a, b) in enumerate([(2, 1), (-2, 1), (2, -1), (-2, -1)])]
    tree: Any = chang.label_tree(D, range(4), lambda S: summed(*zip(*S)), alike)
    (left, right, _) = tree
    assert (left[:2], right[:2]) == ((0, 2), (1, 3))
    assert [chang.reached(tree, x) for x, _ in D] == [{0}, {1}, {2}, {3}]
    assert chang.reached(tree, (F(0), F(1))) == {0, 1}


def test_signs_of_numbers() -> None:
    assert [chang.sgn(z) for z in (-2, F(-1, 2), 0, F(1, 2), 2)] == [-1, -1, 0, 1, 1]


def test_the_hard_svm_asks_for_margins_of_1() -> None:
    D = [([1], 1), ([-3], -1)]
    found = [chang.hard_svm([F(n, 2)], 0, D) for n in (1, 2, 3)]
    assert found == [(F(1, 8), False), (F(1, 2), True), (F(9, 8), True)]


def test_no_slack_of_the_soft_svm_is_below_0() -> None:
    found = [chang.soft_svm([1], 0, [xi], [([3], 1)], 2) for xi in (-1, 0, 1)]
    assert found == [(F(-3, 2), False), (F(1, 2), True), (F(5, 2), True)]


def test_one_row_beyond_its_slack_is_enough_for_the_soft_svm_to_say_no() -> None:
    assert chang.soft_svm([1], 0, [0, 0], [([1], 1), ([1], -1)], 1) == (F(1, 2), False)
    assert chang.soft_svm([1], 0, [0, 2], [([1], 1), ([1], -1)], 1) == (F(5, 2), True)


def test_one_against_all_has_the_signs_of_one_label() -> None:
    assert chang.one_against_all([([5], 0), ([6], 1), ([7], 2)], 1) == [
        ([5], -1),
        ([6], 1),
        ([7], -1),
    ]


def test_a_tangent_of_a_parabola_is_below_it_and_a_steeper_line_is_not() -> None:
    def f(v: Any) -> Any:
        return (v[0] - 2) ** 2

    others = [[0], [1], [3]]  # f is 4, 1 and 1; the tangent at 1 is 3, 1 and −3 there
    assert chang.is_subgradient(f, [-2], [1], others)
    assert not chang.is_subgradient(f, [-4], [1], others)
