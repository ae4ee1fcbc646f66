"""`lecture5` as one plain file against the losses and the descent of refmc."""

from collections.abc import Callable, Sequence
from fractions import Fraction as F
from functools import partial
from itertools import product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from refmc import (
    argmax_set,
    class_features,
    feature_scores,
    fit_multiclass_svm,
    fit_multiclass_svm_sgd,
    hinge,
    max_form,
    multiclass_hinge,
    multiclass_hinge_set,
    multiclass_hinge_subgradient,
    multiclass_hinge_sum,
    multiclass_hinge_sum_subgradient,
    sum_form,
    zero_one,
)
from refmc.core.labels import read_codes
from refmc.lectures import lecture5

halves = st.integers(-3, 3).map(lambda n: F(n, 2))  # zeros, duplicates and ties abound
positive = st.integers(1, 5).map(lambda n: F(n, 4))
COSTS: list[Callable[[int, int], F]] = [
    lambda j, y: F(j != y),
    lambda j, y: F(abs(j - y), 2),
    lambda j, y: F(0),
]


def rows(k: int, d: int) -> st.SearchStrategy[list[list[F]]]:
    return st.lists(st.lists(halves, min_size=d, max_size=d), min_size=k, max_size=k)


@st.composite
def items(draw: st.DrawFn) -> tuple[list[list[F]], list[F], int]:
    """Weights W of k classes, an item x and its class."""
    k, d = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    return draw(rows(k, d)), draw(rows(1, d))[0], draw(st.integers(0, k - 1))


@st.composite
def samples(draw: st.DrawFn) -> tuple[list[tuple[list[F], int]], int, list[int]]:
    """A sample of k classes, not all of them in it, k, and draws of its rows."""
    k, d, n = (draw(st.integers(1, 3)) for _ in range(3))
    S = [(x, draw(st.integers(0, k - 1))) for x in draw(rows(n, d))]
    return S, k, draw(st.lists(st.integers(0, n - 1), max_size=7))


@given(st.sets(st.integers(0, 3)), st.integers(4, 5))
def test_label_vectors_say_the_same_as_sets_of_labels_and_signs(classes: set[int], k: int) -> None:
    v = lecture5.label_vector(classes, k)
    assert len(v) == k and [j for j in range(k) if v[j] == 1] == sorted(classes)
    names = "abcde"[:k]
    as_row = read_codes([v, [1] * k], [*names], 2).rows[0]
    as_set = read_codes([{names[j] for j in classes}], [*names], 1).rows[0]
    assert as_row == as_set == tuple(2 * y_j - 1 for y_j in v)


def tiny_items() -> list[tuple[list[list[F]], list[F], int]]:
    """All with k ≤ 3 classes and weights −1, 0, 1 of the item 1."""
    return [
        ([[F(a)] for a in W], [F(1)], y)
        for k in (1, 2, 3)
        for W in product((-1, 0, 1), repeat=k)
        for y in range(k)
    ]


def assert_the_item_is_judged_alike(W: list[list[F]], x: list[F], y: int) -> None:
    k, s = len(W), lecture5.linear_scores(W, x)
    assert tuple(lecture5.y_hat(W, x)) == argmax_set(s)
    w = lecture5.stretched(W)
    for j in range(k):
        assert tuple(lecture5.block_features(x, j, k)) == class_features(x, j, k)
    assert tuple(s) == feature_scores(w, x, partial(class_features, k=k), k)
    assert lecture5.predictions(w, x, partial(lecture5.block_features, k=k), k) == lecture5.y_hat(
        W, x
    )
    assert lecture5.multiclass_hinge(W, x, y) == multiclass_hinge(s, y)
    assert lecture5.sum_hinge(W, x, y) == multiclass_hinge_sum(s, y)
    assert tuple(lecture5.j_stars(W, x, y)) == multiclass_hinge_set(s, y)
    for j in lecture5.y_hat(W, x):  # (4)
        assert lecture5.indicator(j, y) == zero_one(j, y) <= lecture5.multiclass_hinge(W, x, y)
    for Delta in COSTS:  # (10), (11), (12)
        largest = lecture5.max_form(s, y, Delta)
        assert largest == lecture5.max_of_hinges(s, y, Delta) == multiclass_hinge(s, y, Delta)
        assert largest <= lecture5.sum_form(s, y, Delta) == multiclass_hinge_sum(s, y, Delta)
        assert all(Delta(j, y) <= largest for j in lecture5.y_hat(W, x))


def assert_subgradients_are_the_same(W: list[list[F]], x: list[F], y: int) -> None:
    def plain(G: Sequence[Sequence[Any]]) -> tuple[tuple[F, ...], ...]:
        return tuple(tuple(map(F, row)) for row in G)

    s = lecture5.linear_scores(W, x)
    found = multiclass_hinge_subgradient(s, y)
    assert [plain(G) for G in found.by_weights(x)] == [
        plain(lecture5.subgradient(x, y, j, len(W))) for j in lecture5.j_stars(W, x, y)
    ]
    of_the_sum = multiclass_hinge_sum_subgradient(s, y)
    assert plain(lecture5.sum_subgradient(W, x, y)) in set(of_the_sum.by_weights(x))
    forced = [tied for tied in of_the_sum.maximisers if y not in tied]
    assert forced == [(j,) for j in lecture5.violated(W, x, y)]


@given(items())
def test_losses_predictions_and_tie_sets_of_an_item(item: Any) -> None:
    assert_the_item_is_judged_alike(*item)
    assert_subgradients_are_the_same(*item)


def test_losses_predictions_and_tie_sets_of_all_tiny_items() -> None:
    for item in tiny_items():
        assert_the_item_is_judged_alike(*item)
        assert_subgradients_are_the_same(*item)


@given(rows(2, 2), st.sampled_from([-1, 1]))
def test_two_rows_of_half_w_have_the_binary_hinge_and_its_prediction(w_x: Any, y: int) -> None:
    w, x = w_x
    z = F(y * lecture5.dot(w, x))
    W = lecture5.two_rows(w)
    assert lecture5.hinge(w, x, y) == hinge(z) == lecture5.multiclass_hinge(W, x, (1 - y) // 2)
    of_rows = [(1, -1)[j] for j in lecture5.y_hat(W, x)]
    assert sorted(of_rows) == lecture5.binary_prediction(w, x)


@given(samples(), positive, st.booleans())
def test_the_descent_takes_the_same_steps(sample: Any, lam: F, summed: bool) -> None:
    S, k, draws = sample
    steps: list[Any] = []
    model = fit_multiclass_svm_sgd(
        [x for x, _ in S],
        [y for _, y in S],
        classes=range(k),
        lam=lam,
        T=len(draws),
        draws=draws,
        loss=sum_form if summed else max_form,
        on_step=steps.append,
    )
    run = lecture5.homework if summed else lecture5.algorithm_1
    W = run(S, k, lam, draws)
    assert len(W) == len(steps) + 1
    for t, step in enumerate(steps):
        assert [list(row) for row in step.W] == W[t + 1]
        x, y = S[step.i]
        assert list(step.scores) == lecture5.linear_scores(W[t], x)
        if summed:
            assert step.slope.loss == lecture5.sum_hinge(W[t], x, y)
        else:
            assert step.slope.loss == lecture5.multiclass_hinge(W[t], x, y)
            assert list(step.slope.tied) == lecture5.j_stars(W[t], x, y)
            assert step.objective() == lecture5.svm_objective(W[t + 1], S, lam)
    assert [list(row) for row in model.W] == W[-1]


@given(samples(), positive)
def test_no_weights_of_the_descent_are_below_the_optimum(sample: Any, lam: F) -> None:
    S, k, draws = sample
    best: Any = fit_multiclass_svm(
        [x for x, _ in S], [y for _, y in S], classes=range(k), C=1 / (len(S) * lam)
    )
    least = lecture5.svm_objective(best.W, S, lam)
    assert least == lam * best.objective
    assert all(
        least <= lecture5.svm_objective(W, S, lam) for W in lecture5.algorithm_1(S, k, lam, draws)
    )
    assert lecture5.average_loss(best.W, S) == sum(best.slack) / len(S)


def test_the_descents_take_a_sample_of_one_row() -> None:
    one = [([1], 0)]
    assert lecture5.homework(one, 2, 1, [0])[1:] == [[[1], [-1]]]
    assert lecture5.algorithm_1(one, 2, 1, [0])[1:] == [[[1], [-1]]]
