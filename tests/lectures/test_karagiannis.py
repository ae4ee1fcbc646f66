"""`karagiannis` as one plain file against the reductions, losses and descent of refmc."""

from collections.abc import Callable
from fractions import Fraction as F
from functools import partial
from itertools import combinations, product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from refmc import (
    by_claim,
    by_score_among_claims,
    class_features,
    feature_scores,
    fit_multiclass_svm,
    fit_multiclass_svm_sgd,
    fit_one_vs_all,
    fit_one_vs_one,
    hinge,
    lipschitz_squared,
    multiclass_hinge,
    multiclass_hinge_set,
    multiclass_hinge_subgradient,
    shrink_always,
    shrink_never,
    zero_one,
)
from refmc.lectures import karagiannis
from tests.support import InTurn

halves = st.integers(-3, 3).map(lambda n: F(n, 2))  # zeros, duplicates and ties abound
points = st.tuples(halves, halves)
positive = st.integers(1, 4).map(lambda n: F(n, 4))


@st.composite
def samples(draw: st.DrawFn, k: int) -> list[tuple[tuple[F, F], int]]:
    """Each of k classes at least once, and up to three examples more."""
    y = [*range(k), *draw(st.lists(st.integers(0, k - 1), max_size=3))]
    return [(draw(points), c) for c in draw(st.permutations(y))]


def summed(X: Any, y: Any) -> Callable[[Any], F]:
    """A learner of one line: w = Σ y_i x_i."""
    w = [sum((s * x[j] for x, s in zip(X, y)), F(0)) for j in range(2)]
    return lambda x: w[0] * x[0] + w[1] * x[1]


def A(S: Any) -> Callable[[Any], int]:
    """The rule of the same learner: the sign of its score."""
    score = summed(*zip(*S))
    return lambda x: (score(x) > 0) - (score(x) < 0)


# Reductions.


@given(st.integers(2, 4).flatmap(samples), points)
def test_one_versus_all_ties_the_same_classes(S: Any, x: Any) -> None:
    X, y = zip(*S)
    k = max(y) + 1
    h = karagiannis.ova(S, k, A)
    claims = fit_one_vs_all(X, y, summed, decide=by_claim)
    assert claims.predict_set(x) == tuple(karagiannis.h_ova(h, x))
    rules = [summed(*zip(*karagiannis.ova_set(S, j))) for j in range(k)]
    w = [[rule((F(1), F(0))), rule((F(0), F(1)))] for rule in rules]
    settled = fit_one_vs_all(X, y, summed, decide=by_score_among_claims)
    assert settled.predict_set(x) == tuple(karagiannis.settled(w, x))


@given(st.integers(2, 4).flatmap(samples), points)
def test_one_versus_one_ties_the_same_classes(S: Any, x: Any) -> None:
    X, y = zip(*S)
    k = max(y) + 1
    model = fit_one_vs_one(X, y, summed)
    assert model.predict_set(x) == tuple(karagiannis.h_ovo(karagiannis.ovo(S, k, A), x, k))


def test_all_answers_of_six_classifiers_of_four_classes_tie_the_same() -> None:
    X = [[F(j)] for j in range(4)]
    for answers in product((-1, 0, 1), repeat=6):
        train = InTurn(*answers)
        rules = {pair: train(X, pair) for pair in combinations(range(4), 2)}
        model = fit_one_vs_one(X, range(4), InTurn(*answers))
        assert model.predict_set([F(0)]) == tuple(karagiannis.h_ovo(rules, [F(0)], 4))


@given(st.integers(3, 4).flatmap(samples), points)
def test_rows_are_ambiguous_where_more_or_fewer_than_one_class_is_found(S: Any, x: Any) -> None:
    X, y = zip(*S)
    k = max(y) + 1
    h = karagiannis.ova(S, k, A)
    claims = karagiannis.claims(h, x)
    scores = fit_one_vs_all(X, y, summed).scores(x)
    assert claims == [j for j, score in enumerate(scores) if score > 0]
    if claims:
        assert claims == karagiannis.h_ova(h, x)
    votes = fit_one_vs_one(X, y, summed).predict_set(x)
    assert karagiannis.is_ambiguous(karagiannis.ovo(S, k, A), x, k) == (len(votes) > 1)


def test_a_cycle_of_three_rules_is_ambiguous() -> None:
    def rules(*signs: int) -> Any:
        pairs = combinations(range(3), 2)
        return {pair: lambda x, sign=sign: sign for pair, sign in zip(pairs, signs)}

    assert karagiannis.is_ambiguous(rules(1, -1, 1), [0], 3)  # 0 beats 1, 2 beats 0, 1 beats 2
    assert not karagiannis.is_ambiguous(rules(1, 1, 1), [0], 3)


# Linear predictors.

FEATURES: list[Callable[[Any, int], list[F]]] = [
    lambda x, j: [a * (r == j) for r in range(3) for a in x],  # Example 18
    lambda x, j: [x[0] * j, x[1] - j, x[0] * x[1]],
    lambda x, j: [F(0), x[j % 2], F(j)],
]


@given(points, st.sampled_from(FEATURES), st.integers(0, 2), st.lists(halves, min_size=6))
def test_predictions_losses_and_constants_of_any_features(
    x: Any, Psi: Any, y: int, numbers: list[F]
) -> None:
    n = len(Psi(x, 0))
    w = (numbers * 2)[:n]
    s = feature_scores(w, x, Psi, 3)
    best = [j for j in range(3) if s[j] == max(s)]
    assert karagiannis.h_w(w, x, Psi, 3) == best
    assert karagiannis.hinge(w, x, y, Psi, 3) == multiclass_hinge(s, y)
    assert tuple(karagiannis.y_hats(w, x, y, Psi, 3)) == multiclass_hinge_set(s, y)
    assert karagiannis.rho_squared(x, y, Psi, 3) == lipschitz_squared(x, y, Psi, 3)
    wrong = karagiannis.zero_one(best[0], y)  # Example 24
    bound = karagiannis.hinge_at_prediction(w, x, y, Psi, 3)
    assert wrong == zero_one(best[0], y) <= bound <= karagiannis.hinge(w, x, y, Psi, 3)
    slopes = set(multiclass_hinge_subgradient(s, y).by_features(Psi, x))
    assert slopes == {
        tuple(karagiannis.plus(Psi(x, j), -1, Psi(x, y)))
        for j in karagiannis.y_hats(w, x, y, Psi, 3)
    }


@given(points, st.sampled_from(FEATURES), st.lists(halves, min_size=12), st.integers(0, 4))
def test_the_hinge_is_convex_between_any_two_weights(
    x: Any, Psi: Any, numbers: list[F], quarters: int
) -> None:
    n = len(Psi(x, 0))
    u, v = numbers[:n], numbers[-n:]
    for y in range(3):
        for t in (F(quarters, 4), F(1, 3)):
            hinge_of_w = partial(karagiannis.hinge, x=x, y=y, Psi=Psi, k=3)
            assert karagiannis.is_convex_between(hinge_of_w, u, v, t)


def test_functions_that_are_convex_between_two_points_and_not() -> None:
    def square(w: Any) -> F:
        return F(w[0] * w[0])

    assert karagiannis.is_convex_between(square, [-1], [3], F(1, 4))  # 0 ≤ 3/4 · 1 + 1/4 · 9
    assert not karagiannis.is_convex_between(lambda w: -square(w), [-1], [3], F(1, 4))
    assert karagiannis.is_convex_between(lambda w: 2 * w[0] + 1, [-1], [3], F(1, 4))
    # the 0-1 loss of x = 1, y = +1, at −3, −1, 1: 1 > 1/2
    wrong = [karagiannis.zero_one(karagiannis.h_bin([w], [1])[0], 1) for w in (-3, -1, 1)]
    assert wrong == [1, 1, 0]
    assert not karagiannis.is_convex_between(
        lambda w: karagiannis.zero_one(karagiannis.h_bin(w, [1])[0], 1), [-3], [1], F(1, 2)
    )


@given(points, st.integers(0, 2))
def test_the_block_features_are_the_same(x: Any, y: int) -> None:
    assert tuple(karagiannis.block_features(3)(x, y)) == class_features(x, y, 3)


@given(points, points, st.integers(0, 1))
def test_the_features_of_example_26_give_the_binary_hinge(w: Any, x: Any, y: int) -> None:
    z = F((2 * y - 1) * karagiannis.dot(w, x))
    assert karagiannis.hinge(w, x, y, karagiannis.half_yx, 2) == hinge(z)
    by_sign = [(-1, 1)[j] for j in karagiannis.h_w(w, x, karagiannis.half_yx, 2)]
    assert by_sign == karagiannis.h_bin(w, x)


# The descent.


@given(
    samples(3),
    st.sampled_from(FEATURES),
    positive,
    st.booleans(),
    st.lists(st.integers(0, 2), max_size=5),
)
def test_the_descent_takes_the_same_steps(
    S: Any, Psi: Any, lam: F, printed: bool, draws: list[int]
) -> None:
    X, y = zip(*S)
    eta = [F(1, t + 2) for t in range(len(draws))]
    steps: list[Any] = []
    fit_multiclass_svm_sgd(
        X,
        y,
        ridge=lam,
        T=len(draws),
        draws=draws,
        eta=lambda t: eta[t - 1],
        features=Psi,
        shrink=shrink_never if printed else shrink_always,
        on_step=steps.append,
    )
    w = karagiannis.sgd(S, 0 if printed else lam, eta, draws, Psi, 3)
    assert len(w) == len(steps) + 1
    for t, step in enumerate(steps):
        x, c = S[step.i]
        assert list(step.slope.tied) == karagiannis.y_hats(w[t], x, c, Psi, 3)
        assert list(step.W[0]) == w[t + 1]
        assert step.objective() == karagiannis.svm_objective(w[t + 1], S, lam, Psi, 3)


@given(samples(3), positive, st.lists(st.integers(0, 2), max_size=5))
def test_no_weights_of_the_descent_are_below_the_optimum(S: Any, lam: F, draws: list[int]) -> None:
    X, y = zip(*S)
    best: Any = fit_multiclass_svm(X, y, C=1 / (2 * len(S) * lam))
    Psi = karagiannis.block_features(3)
    least = karagiannis.svm_objective([a for row in best.W for a in row], S, lam, Psi, 3)
    assert least == 2 * lam * best.objective
    eta = [F(1, t + 1) for t in range(len(draws))]
    for w in karagiannis.sgd(S, lam, eta, draws, Psi, 3):
        assert least <= karagiannis.svm_objective(w, S, lam, Psi, 3)


def test_signs_and_the_features_of_example_26_by_hand() -> None:
    assert [karagiannis.sign(z) for z in (-2, F(-1, 2), 0, F(1, 2), 2)] == [-1, -1, 0, 1, 1]
    assert (karagiannis.half_yx([4], 0), karagiannis.half_yx([4], 1)) == ([-2], [2])


def test_two_steps_on_a_single_example_by_hand() -> None:
    Psi = karagiannis.block_features(2)
    w = karagiannis.sgd([([2], 1)], 1, [F(1, 2), F(1, 4)], [0, 0], Psi, 2)
    assert w == [[0, 0], [-1, 1], [F(-1, 2), F(1, 2)]]  # then no loss: w − ¼ · 2w


def test_of_tied_predictions_the_first_is_charged() -> None:
    Psi = karagiannis.block_features(2)
    charges = [karagiannis.hinge_at_prediction([0, 0], [1], y, Psi, 2) for y in (0, 1)]
    assert charges == [0, 1]


def test_two_of_four_classes_tie_by_hand() -> None:
    wins = {(0, 1): 1, (0, 2): 1, (0, 3): -1, (1, 2): 1, (1, 3): 1, (2, 3): 1}  # 2, 2, 1 and 1
    h: Any = {pair: (lambda x, answer=answer: answer) for pair, answer in wins.items()}
    assert karagiannis.h_ovo(h, [0], 4) == [0, 1] and karagiannis.is_ambiguous(h, [0], 4)
