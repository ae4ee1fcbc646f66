"""`keshet` as one plain file against the reductions, codes, perceptrons and descent of refmc."""

import math
from collections.abc import Callable, Sequence
from decimal import localcontext
from fractions import Fraction as F
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc import (
    all_pairs_code,
    all_rivals,
    by_score_sum,
    chosen_rival,
    expected_costs,
    exponential,
    fit_multiclass_perceptron,
    fit_multiclass_svm,
    fit_multiclass_svm_sgd,
    fit_one_vs_all,
    fit_one_vs_one,
    fit_output_code,
    fit_perceptron,
    hamming_decoding,
    hinge,
    least_cost_set,
    logistic,
    loss_decoding,
    minimum_distance,
    nearest_rows,
    one_vs_all_code,
    shrink_always,
    shrink_with_loss,
    uniform_cost,
    zero_one,
)
from refmc.lectures import keshet

halves = st.integers(-3, 3).map(lambda n: F(n, 2))  # zeros, duplicates and ties abound
points = st.tuples(halves, halves)
Pairs = Sequence[tuple[Sequence[F], int]]


@st.composite
def samples(draw: st.DrawFn, k: int) -> list[tuple[tuple[F, F], int]]:
    """Each of k classes at least once, and up to three examples more."""
    y = [*range(k), *draw(st.lists(st.integers(0, k - 1), max_size=3))]
    return [(draw(points), c) for c in draw(st.permutations(y))]


def summed(X: Any, y: Any) -> Callable[[Any], F]:
    """A learner of one line: w = Σ y_i x_i."""
    w = [sum((s * x[j] for x, s in zip(X, y)), F(0)) for j in range(2)]
    return lambda x: w[0] * x[0] + w[1] * x[1]


def A(S: Any) -> Callable[[Any], F]:
    return summed(*zip(*S))


def weights(S: Any) -> list[F]:
    """w of the same learner."""
    return [A(S)((F(1), F(0))), A(S)((F(0), F(1)))]


# Reductions and codes.


@given(st.integers(2, 4).flatmap(samples), points)
def test_one_against_all_and_all_pairs_predict_the_same_sets(S: Any, x: Any) -> None:
    X, y = zip(*S)
    k = max(y) + 1
    W = [weights(keshet.one_against_all_problem(S, c)) for c in range(k)]
    assert fit_one_vs_all(X, y, summed).predict_set(x) == tuple(keshet.one_against_all(W, x))
    w = {(i, j): weights(keshet.all_pairs_problem(S, i, j)) for i, j in combinations(range(k), 2)}
    model = fit_one_vs_one(X, y, summed, decide=by_score_sum)
    assert model.predict_set(x) == tuple(keshet.all_pairs(w, x, k))


@given(samples(4), st.integers(0, 2), points)
def test_output_codes_have_the_same_answers_and_decodings(S: Any, which: int, x: Any) -> None:
    X, y = zip(*S)
    M = [
        keshet.one_against_all_code(4),
        keshet.all_pairs_code(4),
        [[1, 1, 0], [1, -1, 1], [-1, 1, -1], [-1, 0, 1]],
    ][which]
    f = [f_s(x) for f_s in keshet.output_code(S, M, A)]
    model = fit_output_code(X, y, summed, M)
    assert list(model.answers(x)) == f
    assert model.predict_set(x) == tuple(keshet.hamming_decoding(M, f))
    by_loss = fit_output_code(X, y, summed, M, loss=hinge)
    assert by_loss.predict_set(x) == tuple(keshet.loss_based_decoding(M, f, "SVM"))


def test_codes_are_the_same_and_so_are_their_distances() -> None:
    for k in (3, 4, 5):
        for plain, code in (
            (keshet.one_against_all_code(k), one_vs_all_code(k)),
            (keshet.all_pairs_code(k), all_pairs_code(k)),
        ):
            assert tuple(map(tuple, plain)) == code
            assert keshet.code_distance(plain) == minimum_distance(code)


def test_the_distance_of_a_code_is_that_of_its_nearest_rows() -> None:
    assert keshet.code_distance([[1, 1, 1], [1, 1, -1], [-1, -1, -1]]) == 1  # and 3 and 2
    assert keshet.code_distance([[1, 0, 1], [1, 1, -1]]) == F(3, 2)


def test_a_column_has_no_examples_that_its_code_leaves_out() -> None:
    S, M = [([F(t)], y) for t, y in enumerate((0, 1, 2, 0))], [[1], [0], [-1]]
    assert keshet.induced_problem(S, M, 0) == [([0], 1), ([2], -1), ([3], 1)]


def assert_decoded_alike(M: list[list[int]], f: list[F]) -> None:
    assert list(hamming_decoding(M, f)) == [keshet.hamming_distance(row, f) for row in M]
    assert nearest_rows(M, f) == tuple(keshet.hamming_decoding(M, f))
    for loss, name in (
        (hinge, "SVM"),
        (exponential, "boosting"),
        (logistic, "logistic regression"),
    ):
        distances = [float(keshet.loss_distance(row, f, name)) for row in M]
        assert [*map(float, loss_decoding(M, f, loss))] == pytest.approx(distances, rel=1e-12)
        assert list(nearest_rows(M, f, loss)) == keshet.loss_based_decoding(M, f, name)


@given(st.data(), st.integers(1, 5))
def test_distances_and_nearest_rows_are_the_same(data: st.DataObject, l: int) -> None:
    entries = st.lists(st.sampled_from([-1, 0, 1]), min_size=l, max_size=l)
    M = data.draw(st.lists(entries, min_size=1, max_size=4))
    assert_decoded_alike(M, data.draw(st.lists(halves, min_size=l, max_size=l)))


def test_all_tiny_codes_are_decoded_alike() -> None:
    table = list(product((-1, 0, 1), repeat=2))
    for M in combinations(table, 2):
        for f in product((F(-1), F(0), F(2)), repeat=2):
            assert_decoded_alike([list(row) for row in M], list(f))


@pytest.mark.parametrize(
    ("M", "f", "L", "nearest"),
    [  # by hand, with t = 1/e
        # (1 + t)(1 + t³)(1 + t⁻⁴) and (1 + t⁻¹)(1 + t⁻³)(1 + t⁴) are one product times t⁻⁴
        ([[1, 1, -1], [-1, -1, 1]], [1, 3, 4], "logistic regression", [0, 1]),
        ([[1, 1, -1], [-1, -1, 1]], [1, 3, F(9, 2)], "logistic regression", [1]),
        ([[1, 0], [0, 1]], [40, 41], "boosting", [1]),  # t⁴⁰ + 1 and 1 + t⁴¹
        ([[1, 0], [0, 1]], [40, 41], "logistic regression", [1]),
        ([[1], [-1]], [800], "boosting", [0]),  # t⁸⁰⁰ and t⁻⁸⁰⁰
        ([[1], [-1], [1]], [-(10**20)], "logistic regression", [1]),
        ([[1, 1], [-1, -1]], [1, -1 + F(1, 10**70)], "boosting", [0]),
        ([[1, 1], [-1, -1]], [1, -1], "boosting", [0, 1]),
        ([[1, 1], [-1, -1]], [F(1, 10**70), 0], "SVM", [0]),
    ],
)
def test_rows_are_told_apart_exactly(M: Any, f: Any, L: str, nearest: list[int]) -> None:
    assert keshet.loss_based_decoding(M, f, L) == nearest


def test_the_losses_of_the_lecture() -> None:
    e = [math.exp(-2), 1, math.exp(2)]
    for L, values in (
        ("SVM", [0, 1, 3]),
        ("boosting", e),
        ("logistic regression", [math.log(1 + exp) for exp in e]),
    ):
        found = [keshet.loss_distance([1], [z], L) for z in (2, 0, -2)]
        assert [*map(float, found)] == pytest.approx(values)


def test_the_lectures_example_is_decoded_alike() -> None:
    f = [F(1, 2), *map(F, (-7, -1, -2, -10, -12, 9))]
    assert keshet.EXAMPLE_F == f
    assert_decoded_alike(keshet.EXAMPLE_M, f)
    assert nearest_rows(keshet.EXAMPLE_M, f) == (2,)
    assert nearest_rows(keshet.EXAMPLE_M, f, exponential) == (3,)


# Perceptrons.


@given(samples(3), st.integers(1, 3), st.booleans())
def test_the_multiclass_perceptron_takes_the_same_steps(S: Any, epochs: int, second: bool) -> None:
    X, y = zip(*S)
    steps: list[Any] = []
    rule = all_rivals if second else chosen_rival
    model = fit_multiclass_perceptron(X, y, tau=rule, epochs=epochs, on_step=steps.append)
    option = keshet.second_option if second else keshet.first_option
    trail = keshet.multiclass_perceptron(S * epochs, 3, option)
    assert len(steps) == model.course.visits
    for t, step in enumerate(steps):
        W, (x, c) = trail[t], S[step.i]
        assert list(step.tied) == keshet.one_against_all(W, x)
        assert step.y_hat == keshet.one_against_all(W, x)[0]
        if step.y_hat != c:
            assert step.tau is not None
            assert list(step.tau) == option(W, x, c, step.y_hat)
        assert [list(w) for w in step.W] == [list(w) for w in trail[t + 1]]
    assert model.W == steps[-1].W
    if model.course.converged:  # the epochs left out change nothing
        assert trail[-1] == trail[len(steps)]


@given(samples(2))
def test_the_binary_rules_take_the_same_steps(S: Any) -> None:
    signed = [(x, 2 * c - 1) for x, c in S]
    steps: list[Any] = []
    fit_perceptron([x for x, _ in S], [s for _, s in signed], on_step=steps.append)
    w: Any = [F(0)] * 2
    for step, (x, s) in zip(steps, signed, strict=True):
        w = keshet.binary_update(w, x, s)
        assert list(step.w) == w
    of_two: list[Any] = []
    fit_multiclass_perceptron(*zip(*signed), on_step=of_two.append)
    pair: Any = {-1: [F(0)] * 2, +1: [F(0)] * 2}
    for step, (x, s) in zip(of_two, signed, strict=True):
        pair = keshet.two_vector_update(pair, x, s)
        assert [list(row) for row in step.W] == [pair[-1], pair[+1]]


# The multiclass SVM.

W_x_y = st.tuples(st.lists(points, min_size=1, max_size=4), points, st.integers(0, 3))


@given(W_x_y)
def test_each_bound_is_at_most_the_next_and_the_last_is_the_hinge(drawn: Any) -> None:
    W, x, c = drawn
    y = c % len(W)
    of_5, of_6, of_7 = keshet.upper_bounds(W, x, y)
    assert zero_one(keshet.one_against_all(W, x)[0], y) == of_5 <= of_6 <= of_7
    S = [(x, y)]
    assert (
        keshet.svm_objective(W, S, F(1, 2)) - keshet.regularised_error(W, S, F(1, 2)) == of_7 - of_5
    )


@given(st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_the_bayes_rule_has_the_least_expected_error(counts: list[int]) -> None:
    P = [F(n, sum(counts)) for n in counts]
    costs = expected_costs(P, uniform_cost(len(P)))
    assert tuple(keshet.bayes_rule(P)) == least_cost_set(P, uniform_cost(len(P)))
    for c in range(len(P)):  # weights whose arg max is c at the one item there is
        W = [[F(r == c)] for r in range(len(P))]
        pairs = [([F(1)], y, p) for y, p in enumerate(P)]
        assert keshet.error_probability(W, pairs) == costs[c] == 1 - P[c]


@given(samples(3), st.booleans(), st.integers(1, 4).map(lambda n: F(n, 4)))
def test_both_descents_take_the_same_steps(S: Any, printed: bool, lam: F) -> None:
    X, y = zip(*S)
    steps: list[Any] = []
    fit_multiclass_svm_sgd(
        X,
        y,
        lam=lam,
        T=7,
        eta=F(1, 2),
        shrink=shrink_with_loss if printed else shrink_always,
        on_step=steps.append,
    )
    step_of = keshet.printed_step if printed else keshet.gradient_step
    W: Any = [[F(0)] * 2] * 3
    for step in steps:
        x, c = S[step.i]
        W = step_of(W, x, c, lam, F(1, 2))
        assert [list(w) for w in step.W] == [list(w) for w in W]
        assert step.objective() == keshet.svm_objective(W, S, lam)


@given(samples(3), st.integers(1, 4).map(lambda n: F(n, 4)))
def test_the_optimum_is_that_of_the_dual_in_another_scale(S: Any, lam: F) -> None:
    X, y = zip(*S)
    model: Any = fit_multiclass_svm(X, y, C=1 / (len(S) * lam))
    assert keshet.svm_objective(model.W, S, lam) == lam * model.objective


# Which method.


def test_points_between_two_sectors_are_in_both() -> None:
    assert [keshet.sector([t, 0]) for t in (-1, 0, F(1, 10**40))] == [[1, 2], [0, 1, 2], [0]]
    above, below = F(10**20, 173205080756887729352), F(10**20, 173205080756887729353)
    assert above**2 > F(1, 3) > below**2  # sectors 0 and 1 meet in (1/√3, 1)
    assert [keshet.sector([a, 1]) for a in (below, above)] == [[1], [0]]
    assert [keshet.sector([a, -1]) for a in (below, above)] == [[2], [0]]


@given(W_x_y)
def test_differences_of_weights_as_pairs_predict_as_the_classes(drawn: Any) -> None:
    W, x, _ = drawn
    assert keshet.all_pairs(keshet.as_all_pairs(W), x, len(W)) == keshet.one_against_all(W, x)


def test_each_sector_has_its_middle_and_no_line_through_the_origin_cuts_it_off() -> None:
    tangents = [F(n, 5) for n in range(-20, 21)]  # of half the angle: rational points of the circle
    circle = [((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)) for t in tangents]
    S = [(x, 0 if 2 * x[0] > 1 else 1 if x[1] > 0 else 2) for x in circle]
    assert all(keshet.sector(x) == [c] for x, c in S)
    model: Any = fit_multiclass_perceptron(circle, [c for _, c in S], epochs=1000)
    assert all(keshet.one_against_all(model.W, x) == [c] for x, c in S)
    assert not fit_perceptron(
        *zip(*keshet.one_against_all_problem(S, 0)), epochs=20
    ).course.converged


def test_signs_of_numbers() -> None:
    assert [keshet.sign(z) for z in (-2, F(-1, 2), 0, F(1, 2), 2)] == [-1, -1, 0, 1, 1]


def test_sums_that_differ_by_less_than_the_rounding_of_their_digits_are_told_apart() -> None:
    # e^x + e^y, and e^(x+d) + e^(y−d′) with d e^x = d′ e^y up to 1e-40: by convexity the second is
    # larger, by some 1e-30 only
    d = F(1, 10**15)
    for n in range(12):
        x, y = F(n, 7), F(n * n, 11)
        with localcontext(prec=60):
            d_2 = F(keshet.rounded(x).exp() / keshet.rounded(y).exp()) * d
        f = [-x, -y, -(x + d), -(y - F(round(d_2 * 10**45), 10**45))]
        assert keshet.loss_based_decoding([[1, 1, 0, 0], [0, 0, 1, 1]], f, "boosting") == [0]
        assert keshet.loss_based_decoding([[0, 0, 1, 1], [1, 1, 0, 0]], f, "boosting") == [1]


def test_equal_sums_are_not_less() -> None:
    u: keshet.Exps = {F(1): F(2), F(0): F(1)}
    assert keshet.is_less(u, dict(u)) is False
    assert keshet.is_less(u, {**u, F(0): F(2)}) is True


def test_powers_of_e_that_agree_in_forty_digits_are_told_apart() -> None:
    below = F("2.7182818284590452353602874713526624977572")  # e goes on with …47
    above = below + F(1, 10**40)
    e: keshet.Exps = {1: 1}
    assert keshet.is_less({0: below}, e) and not keshet.is_less(e, {0: below})
    assert keshet.is_less(e, {0: above}) and not keshet.is_less({0: above}, e)


def test_of_tied_classes_the_first_is_predicted() -> None:
    wrong = [keshet.error_probability([[0], [0]], [([1], y, F(1, 3))]) for y in (0, 1)]
    assert wrong == [0, F(1, 3)]
