"""The multi-class SVM against the lecture's formulas, evaluated here from λ alone.

`values_of` gives both objectives as the lecture has them; primal = dual at one λ proves the
optimum, whoever found it. Every λ of a model goes through it.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction as F
from itertools import combinations_with_replacement, pairwise, permutations, product
from math import lcm
from operator import mul
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc import (
    DataError,
    MixedArithmeticError,
    MulticlassSVM,
    NotPositiveSemidefiniteError,
    ParameterError,
    Pivot,
    TieError,
    argmax_set,
    argmin_set,
    exact,
    fit_multiclass_svm,
    gram,
    last,
    linear,
    polynomial,
    psd_witness,
    rbf,
    refuse,
)
from refmc.learn.svm.points import read_points
from refmc.lectures import lu
from refmc.theory.grams import OwnGram
from tests.support import Array, inner, printed_under_two_hash_seeds, table

Rows = list[list[F]]

THREE = [[F(1), F(0)], [F(0), F(1)], [F(-1), F(-1)]]
DIAGONAL = [[F(t), F(t)] for t in range(6)]

# name: rows, labels, C, classes. Each is there for what its name says.
PROBLEMS: dict[str, tuple[Rows, list[int], F, list[int]]] = {
    "three points": (THREE, [0, 1, 2], F(1), [0, 1, 2]),
    "three points at their bounds": (THREE, [0, 1, 2], F(1, 3), [0, 1, 2]),
    "collinear": (DIAGONAL, [0, 0, 1, 1, 2, 2], F(1), [0, 1, 2]),
    "one row": ([[F(2), F(1)]], [0], F(1), [0, 1, 2]),
    "one class": (THREE, [0, 0, 0], F(1), [0]),
    "absent class": (THREE, [0, 2, 0], F(1, 2), [0, 1, 2]),
    "conflicting duplicates": ([[F(1)], [F(1)], [F(1)]], [0, 1, 2], F(1), [0, 1, 2]),
    "duplicates": ([[F(1)], [F(1)], [F(-2)], [F(-2)]], [0, 0, 1, 1], F(1, 7), [0, 1]),
    "a zero row": ([[F(0)], [F(1)], [F(-1)]], [0, 0, 1], F(1), [0, 1]),
    "zero rows only": ([[F(0)], [F(0)]], [0, 1], F(2), [0, 1]),
    "a constant column": ([[F(1), F(t)] for t in (0, 1, 2, 3)], [0, 1, 0, 1], F(3), [0, 1]),
}
each_problem = pytest.mark.parametrize("name", PROBLEMS)


def exact_fit(X: Any, y: Any, **parameters: Any) -> MulticlassSVM[F]:
    model = fit_multiclass_svm(X, y, **parameters)
    assert isinstance(model.objective, F)
    return model


def float_fit(X: Any, y: Any, **parameters: Any) -> MulticlassSVM[float]:
    model = fit_multiclass_svm(X, y, **parameters)
    assert isinstance(model.objective, float)
    return model


def solved(name: str) -> MulticlassSVM[F]:
    X, y, C, classes = PROBLEMS[name]
    return exact_fit(X, y, C=C, classes=classes)


def fractions(*rows: Sequence[F | int]) -> tuple[tuple[F, ...], ...]:
    return tuple(tuple(map(F, row)) for row in rows)


def values_of(
    lam: Sequence[Sequence[F]], K: Sequence[Sequence[F]], y: Sequence[int], C: F
) -> tuple[F, F]:
    """The primal and the dual objective at λ, as the lecture has them; λ must be feasible."""
    for row, c in zip(lam, y, strict=True):
        assert all(entry >= 0 for entry in row) and row[c] <= C
        assert row[c] == sum((v for z, v in enumerate(row) if z != c), F(0))
    # over whole numbers, which Python multiplies much faster than fractions
    multipliers, unit = over_one_denominator(lam)
    products_of_rows, scale = over_one_denominator(K)
    alpha = lu.f_of(multipliers, y)
    squares = F(sum(lu.norms_squared(alpha, products_of_rows)), unit**2 * scale)
    scores = [[F(v, unit * scale) for v in lu.f(alpha, row)] for row in products_of_rows]
    slack = [lu.slack(row, c) if len(row) > 1 else 0 for row, c in zip(scores, y)]
    own = sum((row[c] for row, c in zip(lam, y)), F(0))
    return squares / 2 + C * sum(slack), own - squares / 2


def over_one_denominator(rows: Sequence[Sequence[F]]) -> tuple[list[list[int]], int]:
    """The numerators of the numbers, and the denominator that all of them have then."""
    d = lcm(*(v.denominator for row in rows for v in row))
    return [[v.numerator * (d // v.denominator) for v in row] for row in rows], d


def products(X: Rows) -> Rows:
    """All ⟨u, v⟩."""
    rows, d = over_one_denominator(X)
    return [[F(sum(map(mul, u, v)), d * d) for v in rows] for u in rows]


def assert_optimal(
    model: MulticlassSVM[F], K: Sequence[Sequence[F]], y: Sequence[int], C: F
) -> None:
    primal, dual = values_of(model.lam, K, y, C)
    assert primal == dual == model.objective
    certificate = model.certificate
    assert (certificate.primal, certificate.dual, certificate.gap) == (primal, dual, F(0))
    assert certificate.multipliers == model.lam


def assert_certified(model: MulticlassSVM[float], X: Any, y: Sequence[int], C: float) -> float:
    """The relative gap, after proving that the certificate is what it says."""
    rows = [[F(a) for a in row] for row in X]
    primal, dual = values_of(model.certificate.multipliers, products(rows), y, F(C))
    assert (model.certificate.primal, model.certificate.dual) == (primal, dual)
    assert model.objective == float(primal)
    assert model.lam == tuple(tuple(map(float, row)) for row in model.certificate.multipliers)
    return float(model.certificate.gap / primal) if primal else float(model.certificate.gap)


def codes(y: Sequence[str]) -> list[int]:
    order = sorted(set(y))
    return [order.index(label) for label in y]


# --- Problems that are solved by hand


def test_three_points_have_the_answer_found_by_hand() -> None:
    model = solved("three points")
    third = F(1, 3)
    assert model.objective == F(2, 3)
    assert model.W == ((2 * third, -third), (-third, 2 * third), (-third, -third))
    assert model.slack == (F(0),) * 3
    assert model.predict_set([1, 1]) == (0, 1)


def test_three_points_with_a_small_C_stay_at_their_bounds() -> None:
    # λ = (1/3, 0), (1/3, 0), (1/6, 1/6): f_2 = −(1/6 + 1/6)·(1, 1), hinges 1/3, 1/3, 0,
    # P = ½(10/36 + 10/36 + 2/9) + ⅓ · ⅔ = 11/18 = 1 − 7/18.
    model = solved("three points at their bounds")
    assert model.objective == F(11, 18)
    assert model.W == ((F(1, 2), F(-1, 6)), (F(-1, 6), F(1, 2)), (F(-1, 3), F(-1, 3)))
    assert model.slack == (F(1, 3), F(1, 3), F(0)) and model.outliers == (0, 1)


@pytest.mark.parametrize("C", [F(1, 8), F(1, 3), F(1, 2), F(1), F(5)])
def test_two_unit_vectors_equal_the_unbiased_binary_svm_with_twice_C(C: F) -> None:
    # With two classes f_0 = −f_1 at the optimum; let w = f_1 − f_0. Then
    # ½ Σ ‖f‖² + C Σ η = ½ (½‖w‖² + 2C Σ max(0, 1 − ±w·x)): half the binary problem with 2C.
    # For e1 against e2 it falls apart: ½w_j² + 2C (1 − |w_j|) is least at |w_j| = min(1, 2C).
    w = min(F(1), 2 * C)
    model = exact_fit([[F(1), F(0)], [F(0), F(1)]], [0, 1], C=C)
    assert model.W == ((w / 2, -w / 2), (-w / 2, w / 2))
    assert model.objective == (w * w + 4 * C * (1 - w)) / 2


@pytest.mark.parametrize("lam", [F(1, 6), F(1), F(2, 7)])
def test_the_objectives_of_other_lectures_are_multiples_in_their_scale(lam: F) -> None:
    def averaged(W: Sequence[Sequence[F]], weight: F) -> F:  # (1/m) Σ ℓ + weight·‖W‖²
        loss = F(0)
        for x, c in zip(THREE, (0, 1, 2)):
            s = [sum(map(lambda a, b: a * b, w, x), F(0)) for w in W]
            loss += max(s[j] - s[c] + (j != c) for j in range(3))
        return loss / 3 + weight * sum((a * a for w in W for a in w), F(0))

    lecture5 = fit_multiclass_svm(THREE, [0, 1, 2], C=1 / (3 * lam))
    karagiannis = fit_multiclass_svm(THREE, [0, 1, 2], C=1 / (2 * 3 * lam))
    assert lecture5.W is not None and karagiannis.W is not None
    assert averaged(cast(Rows, lecture5.W), lam / 2) == lam * lecture5.objective
    assert averaged(cast(Rows, karagiannis.W), lam) == 2 * lam * karagiannis.objective


def test_conflicting_duplicates_cost_a_slack_of_one_each() -> None:
    # The three hinges at one point sum to at least 3 for any scores, and to 3 at f = 0.
    model = solved("conflicting duplicates")
    assert model.objective == 3 and model.W == fractions([0], [0], [0])
    assert model.slack == (F(1),) * 3


def test_zero_rows_cost_C_each_and_weigh_nothing() -> None:
    model = solved("zero rows only")
    assert model.objective == 4 and model.W == fractions([0], [0])
    assert model.slack == (F(1),) * 2 and model.outliers == (0, 1)


def test_one_row_moves_away_from_all_other_classes_equally() -> None:
    # f_0 = 2a x, f_1 = f_2 = −a x, margin 3a‖x‖² = 1 with ‖x‖² = 5, objective ½ · 6a² · 5 = 1/15.
    model = solved("one row")
    assert model.W == ((F(4, 15), F(2, 15)), (F(-2, 15), F(-1, 15)), (F(-2, 15), F(-1, 15)))
    assert model.objective == F(1, 15)


def test_one_class_needs_no_weights() -> None:
    model = solved("one class")
    assert model.objective == 0 and model.W == fractions([0, 0])
    assert model.predict([[F(1), F(1)]]) == [0]
    assert model.support_vectors(0) == () == model.outliers


def test_an_absent_class_still_has_to_lose_by_one() -> None:
    # f_1 = 0 by symmetry, so f_0 = −f_2 must reach 1 where ½ would do without the absent class.
    model = exact_fit([[F(1)], [F(-1)]], [0, 2], C=10, classes=[0, 1, 2])
    assert model.W == fractions([1], [0], [-1]) and model.objective == 1
    assert exact_fit([[F(1)], [F(-1)]], [0, 2], C=10).W == fractions([F(1, 2)], [F(-1, 2)])


def test_the_collinear_problem_is_solved_with_primal_equal_to_dual() -> None:
    assert_optimal(solved("collinear"), products(DIAGONAL), [0, 0, 1, 1, 2, 2], F(1))


@each_problem
def test_every_small_problem_is_proved_by_its_lam(name: str) -> None:
    X, y, C, _ = PROBLEMS[name]
    assert_optimal(solved(name), products(X), y, C)


@each_problem
def test_weights_and_scores_are_the_representer_sum(name: str) -> None:
    X, y, _, classes = PROBLEMS[name]
    model = solved(name)
    tau = [[v if z == c else -v for z, v in enumerate(row)] for row, c in zip(model.lam, y)]
    assert model.W is not None
    for z in classes:
        w = [sum((tau[i][z] * X[i][j] for i in range(len(X))), F(0)) for j in range(len(X[0]))]
        assert list(model.W[z]) == w
    x = [F(3, 7)] * len(X[0])
    assert list(model.scores(x)) == [inner(w, x) for w in model.W]


@given(st.lists(st.sampled_from([F(-2), F(0), F(1, 3), F(1)]), min_size=3, max_size=3))
def test_a_part_orthogonal_to_all_rows_changes_no_slack_and_costs_its_norm(parts: list[F]) -> None:
    # All rows are (t, t), so f_y + (a, -a) scores them as f_y does. It costs a² exactly if f_y
    # lies in the span of the rows: the representer theorem, where every other f is worse.
    X, y, C, _ = PROBLEMS["collinear"]
    model = solved("collinear")
    assert model.W is not None
    W = [[w[0] + a, w[1] - a] for w, a in zip(model.W, parts)]
    scores = [[inner(w, x) for w in W] for x in X]
    slack = [
        max([F(0)] + [1 - s[c] + v for z, v in enumerate(s) if z != c]) for s, c in zip(scores, y)
    ]
    assert tuple(slack) == model.slack
    objective = sum((inner(w, w) for w in W), F(0)) / 2 + C * sum(slack, F(0))
    assert objective == model.objective + sum(a * a for a in parts)


# --- The sign in the lecture's last print


def test_the_printed_sign_makes_arg_max_pick_the_worst_class() -> None:
    # The printed f_y = Σ (−1)^[c_i = y] λ_iy Φ(ω_i) is minus the one that Kuhn-Tucker demands.
    model = solved("three points")
    for i, x in enumerate(THREE):
        printed = [
            sum(
                (
                    (-1) ** (c == z) * model.lam[j][z] * inner(THREE[j], x)
                    for j, c in enumerate(range(3))
                ),
                F(0),
            )
            for z in range(3)
        ]
        assert argmax_set(printed) == argmin_set(model.scores(x))
        assert i not in argmax_set(printed) and model.predict_set(x) == (i,)


def test_the_sign_cancels_in_the_dual_objective() -> None:
    model, y = solved("three points at their bounds"), [0, 1, 2]
    K = products(THREE)
    for sign in (1, -1):
        tau = [
            [sign * v if z == c else -sign * v for z, v in enumerate(row)]
            for row, c in zip(model.lam, y)
        ]
        norms = sum((inner(tau[i], tau[j]) * K[i][j] for i in range(3) for j in range(3)), F(0))
        assert model.certificate.dual == sum((model.lam[i][i] for i in range(3)), F(0)) - norms / 2


# --- The lecture's active set


def tiny_problems() -> Iterator[tuple[Rows, list[int], int, F]]:
    """All problems of up to 3 rows over {−1, 0, 1}^d, d ≤ 2, k ≤ 3, up to the order of rows."""
    for d, k, m, C in product((1, 2), (1, 2, 3), (1, 2, 3), (F(1), F(1, 4))):
        points = list(product(product((-1, 0, 1), repeat=d), range(k)))
        for chosen in combinations_with_replacement(points, m):
            yield [[F(a) for a in x] for x, _ in chosen], [c for _, c in chosen], k, C


def assert_agrees_with_the_lecture(X: Rows, y: list[int], k: int, C: F) -> None:
    lam = lu.svm(products(X), y, k, C)
    objective = lu.theta(lam, products(X), y)
    W = [[lu.dot(a, column) for column in zip(*X)] for a in zip(*lu.f_of(lam, y))]
    classes = list(range(k))
    for order in sorted(set(permutations(range(len(X))))):
        rows, labels = [X[i] for i in order], [y[i] for i in order]
        model = exact_fit(rows, labels, C=C, classes=classes)
        assert_optimal(model, products(rows), labels, C)
        assert model.objective == objective
        assert model.W == tuple(map(tuple, W))
    in_float = float_fit([[float(a) for a in x] for x in X], y, C=float(C), classes=classes)
    assert in_float.certificate.gap <= F(1, 10**9) * max(objective, F(1, 10**6))
    assert abs(in_float.certificate.primal - objective) <= in_float.certificate.gap


def test_a_sample_of_all_tiny_problems_agrees_with_the_lectures_active_set() -> None:
    for number, problem in enumerate(tiny_problems()):
        if number % 613 == 0:
            assert_agrees_with_the_lecture(*problem)


@pytest.mark.campaign
def test_all_tiny_problems_agree_with_the_lectures_active_set() -> None:
    for problem in tiny_problems():
        assert_agrees_with_the_lecture(*problem)


# --- Properties on small grids, with ties and degeneracies on purpose

dyadic = st.sampled_from([F(n, 2) for n in range(-3, 4)])
bounds = st.sampled_from([F(1, 8), F(1, 2), F(1), F(4)])


@st.composite
def problems(draw: st.DrawFn) -> tuple[Rows, list[int], F]:
    m, d = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    X = draw(st.lists(st.lists(dyadic, min_size=d, max_size=d), min_size=m, max_size=m))
    return X, draw(st.lists(st.integers(0, 2), min_size=m, max_size=m)), draw(bounds)


CLASSES = [0, 1, 2]


@given(problems())
def test_primal_equals_dual_exactly(problem: tuple[Rows, list[int], F]) -> None:
    X, y, C = problem
    assert_optimal(exact_fit(X, y, C=C, classes=CLASSES), products(X), y, C)


@given(problems(), st.randoms(use_true_random=False))
def test_permuting_the_rows_changes_neither_weights_nor_slacks(
    problem: tuple[Rows, list[int], F], random: Any
) -> None:
    X, y, C = problem
    order = list(range(len(X)))
    random.shuffle(order)
    model = exact_fit(X, y, C=C, classes=CLASSES)
    moved = exact_fit([X[i] for i in order], [y[i] for i in order], C=C, classes=CLASSES)
    assert moved.W == model.W and moved.objective == model.objective
    assert moved.slack == tuple(model.slack[i] for i in order)


@given(problems(), st.permutations(CLASSES))
def test_reordering_the_classes_reorders_the_weights(
    problem: tuple[Rows, list[int], F], order: list[int]
) -> None:
    X, y, C = problem
    model = exact_fit(X, y, C=C, classes=CLASSES)
    moved = exact_fit(X, y, C=C, classes=order)
    assert model.W is not None and moved.classes == tuple(order)
    assert moved.W == tuple(model.W[c] for c in order)
    assert [set(moved.predict_set(x)) for x in X] == [set(model.predict_set(x)) for x in X]


@given(problems())
def test_renaming_the_labels_renames_the_answers_only(problem: tuple[Rows, list[int], F]) -> None:
    X, y, C = problem
    names = ["ant", "bee", "cat"]
    model = exact_fit(X, y, C=C, classes=CLASSES)
    named = exact_fit(X, [names[c] for c in y], C=C, classes=names)
    assert named.lam == model.lam and named.W == model.W and named.classes == tuple(names)
    assert named.predict(X) == [names[cast(int, c)] for c in model.predict(X)]


@given(problems(), st.sampled_from([F(1, 3), F(2), F(10)]))
def test_stretching_X_by_s_and_dividing_C_by_its_square_divides_the_weights_by_s(
    problem: tuple[Rows, list[int], F], s: F
) -> None:
    X, y, C = problem
    model = exact_fit(X, y, C=C, classes=CLASSES)
    stretched = exact_fit([[s * a for a in x] for x in X], y, C=C / s**2, classes=CLASSES)
    assert model.W is not None and stretched.slack == model.slack
    assert stretched.W == tuple(tuple(a / s for a in w) for w in model.W)
    assert stretched.objective == model.objective / s**2


@given(problems())
def test_the_same_row_twice_counts_as_twice_the_C(problem: tuple[Rows, list[int], F]) -> None:
    X, y, C = problem
    model = exact_fit(X, y, C=2 * C, classes=CLASSES)
    doubled = exact_fit(X + X, y + y, C=C, classes=CLASSES)
    assert doubled.W == model.W and doubled.objective == model.objective


@given(problems())
def test_a_zero_row_adds_C_and_nothing_else(problem: tuple[Rows, list[int], F]) -> None:
    X, y, C = problem
    model = exact_fit(X, y, C=C, classes=CLASSES)
    longer = exact_fit([*X, [F(0)] * len(X[0])], [*y, 1], C=C, classes=CLASSES)
    assert longer.W == model.W and longer.objective == model.objective + C
    assert longer.slack == (*model.slack, 1)


@given(problems())
def test_a_larger_C_costs_more_and_leaves_less_slack(problem: tuple[Rows, list[int], F]) -> None:
    X, y, C = problem
    small = exact_fit(X, y, C=C, classes=CLASSES)
    large = exact_fit(X, y, C=3 * C, classes=CLASSES)
    assert large.objective >= small.objective and sum(large.slack) <= sum(small.slack)


@given(problems())
def test_a_gram_matrix_gives_what_its_kernel_gives(problem: tuple[Rows, list[int], F]) -> None:
    X, y, C = problem
    for kernel in (linear, polynomial(2, offset=1)):
        by_kernel = exact_fit(X, y, C=C, kernel=kernel, classes=CLASSES)
        K = cast("Sequence[Sequence[F]]", gram(kernel, X))
        by_gram = exact_fit(None, y, C=C, gram=K, classes=CLASSES)
        assert by_gram.objective == by_kernel.objective and by_gram.slack == by_kernel.slack
        assert by_gram.W is None and by_gram.rows is None and by_gram.kernel is None
        for x, values in zip(X, K):
            assert by_gram.scores(values) == by_kernel.scores(x)
        assert_optimal(by_kernel, K, y, C)
        assert_optimal(by_gram, K, y, C)


@given(problems())
def test_a_polynomial_kernel_is_the_linear_one_on_explicit_features(
    problem: tuple[Rows, list[int], F],
) -> None:
    # (x·z + 1)² = Σ x_a x_b z_a z_b + 2 Σ x_a z_a + 1; a factor 2 is a feature given twice.
    X, y, C = problem
    features = [[a * b for a in x for b in x] + [a for a in x for _ in "ab"] + [F(1)] for x in X]
    by_kernel = exact_fit(X, y, C=C, kernel=polynomial(2, offset=1), classes=CLASSES)
    explicit = exact_fit(features, y, C=C, classes=CLASSES)
    assert by_kernel.W is None and by_kernel.objective == explicit.objective
    for x, phi in zip(X, features):
        assert by_kernel.scores(x) == explicit.scores(phi)


@given(problems())
def test_floats_reach_a_small_gap_that_is_exact(problem: tuple[Rows, list[int], F]) -> None:
    X, y, C = problem
    rows = [[float(a) for a in x] for x in X]
    model = float_fit(rows, y, C=float(C), classes=CLASSES)
    assert assert_certified(model, rows, y, float(C)) <= 1e-9
    optimum = exact_fit(X, y, C=C, classes=CLASSES).objective
    assert model.certificate.dual <= optimum <= model.certificate.primal


# --- What a model says about its rows


@each_problem
def test_support_vectors_are_the_rows_that_appear_in_the_weight_vector(name: str) -> None:
    _, y, _, classes = PROBLEMS[name]
    model = solved(name)
    for label in classes:
        expected = []
        for i, (row, c) in enumerate(zip(model.lam, y)):
            others = [v for z, v in enumerate(row) if z != c]
            if (sum(others) if c == label else row[label]) != 0:
                expected.append(i)
        assert model.support_vectors(label) == tuple(expected)


@each_problem
def test_outliers_are_the_rows_with_slack_and_their_own_multiplier_is_C(name: str) -> None:
    _, y, C, _ = PROBLEMS[name]
    model = solved(name)
    with_slack = tuple(i for i, eta in enumerate(model.slack) if eta > 0)
    if len(model.classes) > 1:
        assert all(model.lam[i][y[i]] == C for i in with_slack)
    assert model.outliers == with_slack


@each_problem
def test_complementary_slackness_holds(name: str) -> None:
    X, y, _, _ = PROBLEMS[name]
    model = solved(name)
    for x, row, c, eta in zip(X, model.lam, y, model.slack, strict=True):
        scores = model.scores(x)
        for z, entry in enumerate(row):
            if z != c and entry:
                assert scores[c] - scores[z] == 1 - eta


def test_ties_are_settled_by_the_policy() -> None:
    tied = [[1, 1]]
    assert exact_fit(THREE, "abc".replace("", " ").split(), C=1).predict(tied) == ["a"]
    assert exact_fit(THREE, ["a", "b", "c"], C=1, tie=last).predict(tied) == ["b"]
    assert exact_fit(THREE, ["a", "b", "c"], C=1, tie=max).predict(tied) == ["b"]
    picky = exact_fit(THREE, ["a", "b", "c"], C=1, tie=refuse)
    assert picky.predict([[F(1), F(0)]]) == ["a"]
    with pytest.raises(TieError, match="positions 0, 1") as caught:
        picky.predict(tied)
    assert caught.value.tied == (0, 1) and picky.predict_set([1, 1]) == ("a", "b")


def test_labels_come_back_as_they_were() -> None:
    model = exact_fit(THREE, [True, False, True], C=1)
    assert model.classes == (False, True)
    assert all(label in (True, False) for label in model.predict(THREE))
    pairs = [(1, "x"), (0, "y"), (1, "x")]
    assert set(exact_fit(THREE, pairs, C=1).predict(THREE)) <= set(pairs)


# --- What comes in and what goes on


FORMS: list[Callable[[Any], Any]] = [
    list,
    tuple,
    lambda rows: tuple(map(tuple, rows)),
    Array,
    lambda rows: [Array(row) for row in rows],
]


@pytest.mark.parametrize("form", FORMS)
def test_lists_tuples_and_arrays_give_the_same_model(form: Callable[[Any], Any]) -> None:
    assert exact_fit(form(THREE), [0, 1, 2], C=1) == solved("three points")
    floats = [[float(a) for a in x] for x in THREE]
    assert float_fit(form(floats), Array([0, 1, 2]), C=1) == float_fit(floats, [0, 1, 2], C=1)
    model = solved("three points")
    assert model.predict(form(THREE)) == [0, 1, 2]
    assert model.predict_set(Array(THREE[1])) == (1,)


def test_arguments_are_not_modified() -> None:
    X, y, classes = [[1.0, 0.5], [0.0, 1.0], [-1.0, 2.0]], ["b", "a", "b"], ["b", "a"]
    K = [[1.0, 0.0], [0.0, 1.0]]
    fit_multiclass_svm(X, y, C=1, classes=classes).predict(X)
    fit_multiclass_svm(None, ["b", "a"], C=1, gram=K)
    assert X == [[1.0, 0.5], [0.0, 1.0], [-1.0, 2.0]]
    assert (y, classes, K) == (["b", "a", "b"], ["b", "a"], [[1.0, 0.0], [0.0, 1.0]])


@pytest.mark.parametrize("C", [1, "1", "1/2", "0.1", F(1, 3)])
def test_exact_data_give_exact_numbers_everywhere(C: Any) -> None:
    model = exact_fit(THREE, [0, 1, 2], C=C)
    numbers = [model.C, model.objective, *model.slack, *model.scores([1, 2])]
    numbers += [v for rows in (model.lam, model.W or ()) for row in rows for v in row]
    assert {type(v) for v in numbers} == {F} and exact(C) == model.C


@pytest.mark.parametrize("X", [[[1.0], [-1.0]], [[1], [-1]], [[1, 0], [0, 1.5]]])
def test_other_data_give_floats_everywhere(X: Any) -> None:
    model = float_fit(X, [0, 1], C="1/2")
    numbers = [model.C, model.objective, *model.slack, *model.scores([1.0] * len(X[0]))]
    numbers += [v for rows in (model.lam, model.W or ()) for row in rows for v in row]
    assert {type(v) for v in numbers} == {float}


def test_whole_numbers_fit_exact_models_when_predicting() -> None:
    model = solved("three points")
    assert model.predict([[1, 0], [F(0), 1]]) == [0, 1]
    assert model.predict_set([1, 1]) == (0, 1)


def test_steps_are_numbered_and_never_climb() -> None:
    steps: list[Pivot[Any]] = []
    X = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [0.5, 0.25]]
    model = float_fit(X, [0, 1, 2, 1], C=2, on_step=steps.append)
    assert [step.iteration for step in steps] == list(range(1, len(steps) + 1)) and steps
    values = [step.objective for step in steps]
    assert all(b <= a + 1e-12 for a, b in pairwise(values))
    assert abs(values[-1] + float(model.certificate.dual)) < 1e-9
    for step in steps:
        assert step.working_set == tuple(sorted(set(step.working_set)))
        assert 0 <= step.free <= 2 * 4 and step.step >= 0


def test_steps_of_exact_data_hold_fractions_and_end_at_the_optimum() -> None:
    steps: list[Pivot[Any]] = []
    model = exact_fit(DIAGONAL, [0, 0, 1, 1, 2, 2], C=F(1, 3), on_step=steps.append)
    assert all(type(step.objective) is F for step in steps)
    assert not steps or steps[-1].objective == -model.certificate.dual


def test_an_error_of_the_callback_reaches_the_caller() -> None:
    def fail(step: Pivot[Any]) -> None:
        raise ValueError("stop here")

    with pytest.raises(ValueError, match="stop here"):
        fit_multiclass_svm([[1.0], [-1.0]], [0, 1], C=1, on_step=fail, guess=False)


def test_the_answer_does_not_depend_on_the_hash_seed() -> None:
    printed = printed_under_two_hash_seeds(
        "from fractions import Fraction as F\n"
        "from refmc import fit_multiclass_svm, polynomial\n"
        "X = [[F(a), F(b)] for a in (-1, 0, 1) for b in (0, 1)]\n"
        "y = ['ant', 'bee', 'cat', 'bee', 'ant', 'cat']\n"
        "print(fit_multiclass_svm(X, y, C=1).to_json())\n"
        "print(fit_multiclass_svm([[float(a) for a in x] for x in X], y, C=1).to_json())\n"
        "print(fit_multiclass_svm(X, y, C=2, kernel=polynomial(2, offset=1)).to_json())\n"
    )
    assert len(printed) == 1 and "bee" in printed.pop()


# --- Floats: real data and any size


def test_iris_in_float_reaches_nine_digits() -> None:
    X, y = table("iris.csv")
    model = float_fit(X, y, C=1)
    assert assert_certified(model, X, codes(y), 1.0) <= 1e-9


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.campaign)])
def test_wine_as_it_stands_reaches_nine_digits(step: int) -> None:
    X, y = table("wine.csv")
    X, y = X[::step], y[::step]
    model = float_fit(X, y, C=1)
    assert assert_certified(model, X, codes(y), 1.0) <= 1e-9


@pytest.mark.campaign
def test_digits_in_float_reach_six_digits() -> None:
    X, y = table("digits-500.csv")
    model = float_fit(X, y, C=1)
    assert assert_certified(model, X, codes(y), 1.0) <= 1e-6


@pytest.mark.parametrize("C", [F(1, 8192), F(1, 8)])
def test_iris_in_millimetres_is_solved_exactly(C: F) -> None:
    X, y = table("iris.csv")
    rows = [[F(round(10 * a)) for a in x] for x in X]
    assert_optimal(exact_fit(rows, y, C=C), products(rows), codes(y), C)


def test_an_rbf_kernel_in_float_reaches_nine_digits_on_iris() -> None:
    X, y = table("iris.csv")
    kernel = rbf("1/4")
    model = float_fit(X, y, C=1, kernel=kernel)
    K = [[F(v) for v in row] for row in gram(kernel, X)]
    primal, dual = values_of(model.certificate.multipliers, K, codes(y), F(1))
    assert (primal, dual) == (model.certificate.primal, model.certificate.dual)
    assert 0 <= primal - dual <= primal / 10**9


def test_the_lifted_gram_matrix_of_an_rbf_kernel_is_solved_exactly() -> None:
    X, y = [[0.0], [0.5], [1.0], [2.0]], [0, 1, 2, 0]
    K = exact(gram(rbf(1), X))
    assert_optimal(exact_fit(None, y, C=1, gram=K), K, y, F(1))


@pytest.mark.parametrize("scale", [1e3, 1e4, 1e6, 1e8, 1e12])
@pytest.mark.parametrize("name", ["iris.csv", "wine.csv"])
def test_floats_of_a_large_scale_do_not_lose_the_optimum(name: str, scale: float) -> None:
    # C‖x‖² is so large that a mass of C and the masses that matter differ beyond binary64.
    X, y = table(name)
    rows = [[scale * a for a in x[-4:]] for x in X[::5]]
    model = float_fit(rows, y[::5], C=1)
    assert assert_certified(model, rows, codes(y[::5]), 1.0) <= 1e-6


@pytest.mark.parametrize("scale", [1e150, 1e-150, 1e300, 1e-300, 5e-324, 1.7e308])
@pytest.mark.parametrize("C", [1.0, 1e-300, 1e300, 5e-324, 1.7e308])
def test_floats_of_any_size_give_a_certified_answer_or_a_data_error(scale: float, C: float) -> None:
    X = [[scale, 0.0], [0.0, scale], [-scale, -scale], [scale, scale / 2]]
    y = [0, 1, 2, 1]
    try:
        model = float_fit(X, y, C=C)
    except DataError as error:
        assert "range of floats" in str(error)
        assert scale > 1e153 or C > 1e300
    else:
        assert assert_certified(model, X, y, C) <= 1e-6


@pytest.mark.parametrize(
    "X",
    [
        [[1e150, 1.0], [1e-150, 3.0], [-1.0, 1e-300]],
        [[1e153, 1.0], [-1e153, 2.0], [1e-160, 3.0]],
        [[5e-324, 1e100], [1e100, 5e-324], [1.0, 1.0]],
    ],
)
def test_floats_of_mixed_sizes_give_a_certified_answer(X: list[list[float]]) -> None:
    assert assert_certified(float_fit(X, [0, 1, 2], C=1), X, [0, 1, 2], 1.0) <= 1e-6


def test_a_search_that_creeps_is_ended_and_finished_exactly() -> None:
    # In float each move gains next to nothing, and there would be more than 1e100 of them.
    X = [
        [6.307082659400761e-60, 1.3315036860539406e66, -4.782522722214288e-92],
        [1.6655040345407185e37, -5.145757231430095e-85, -1.8178104723503837e39],
        [-8.720029279351126e145, -5.292302692464336e-101, -1.772761236919927e-117],
        [-6.28868914420007e-06, -4.4353937657354374e-26, 1.2292921882815582e36],
        [-1.1202646910966052e27, -2.5384530845731575e65, 1.5782824860116744e-150],
    ]
    y, C = [1, 1, 1, 0, 2], 2.0473894492994412e139
    assert assert_certified(float_fit(X, y, C=C), X, y, C) <= 1e-6
    rows = [[F(a) for a in x] for x in X]
    assert_optimal(exact_fit(rows, y, C=F(C)), products(rows), y, F(C))


def test_a_gram_matrix_of_huge_floats_is_solved() -> None:
    # K = cI, one row a class: f_0 = −f_1, margins 2ac = 1, objective ½ · 4a²c = 1/(2c).
    model = float_fit(None, [0, 1], C=1, gram=[[1e300, 0.0], [0.0, 1e300]])
    assert model.objective == pytest.approx(5e-301, rel=1e-12)
    assert model.certificate.gap <= F(1, 10**6) * model.certificate.primal


@given(
    st.lists(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=2),
        min_size=1,
        max_size=4,
    ),
    st.floats(min_value=5e-324, allow_infinity=False),
)
def test_any_floats_give_a_certified_answer_or_a_data_error(X: list[list[float]], C: float) -> None:
    y = [i % 3 for i in range(len(X))]
    try:
        model = float_fit(X, y, C=C, classes=[0, 1, 2])
    except DataError as error:
        assert "range of floats" in str(error)
    else:
        assert assert_certified(model, X, y, C) <= 1e-6


def test_exact_numbers_of_any_size_are_solved_exactly() -> None:
    for big in (F(10) ** 400, F(1, 10**400), F(10) ** 5000 / 3):
        model = exact_fit([[big], [-big]], [0, 1], C=1)
        assert_optimal(model, products([[big], [-big]]), [0, 1], F(1))


# --- Bad input


def fit(X: Any = ((1.0,), (-1.0,)), y: Any = (0, 1), **parameters: Any) -> Any:
    return fit_multiclass_svm(X, y, **{"C": 1, **parameters})


@pytest.mark.parametrize(
    ("X", "y", "place"),
    [
        ([[1.0], [1.0, 2.0]], [0, 1], "X: row 1"),
        ([[1.0], [float("nan")]], [0, 1], "X: row 1, column 0"),
        ([[1.0, float("inf")], [1.0, 2.0]], [0, 1], "X: row 0, column 1"),
        ([], [], "X: expected at least one row"),
        ([[]], [0], "X: row 0 is empty"),
        ([[1.0], [2.0]], [0], "y: expected 2 labels"),
        ([[1.0]], [], "y: expected at least one label"),
        ([[1.0]], [None], "y: row 0"),
        ([[1.0], [2.0]], [0, "a"], "y: row 1"),
        ([[1.0], [2.0]], [[0], [1]], "y: row 0"),
        ([[1.0], [2.0]], "ab", "y: expected a sequence of labels"),
        ([["1"], [2.0]], [0, 1], "X: row 0, column 0"),
        ("ab", [0, 1], "X: expected a sequence of rows"),
        ([1.0, 2.0], [0, 1], "X: row 0"),
    ],
)
def test_bad_data_are_refused_with_their_place(X: Any, y: Any, place: str) -> None:
    with pytest.raises(DataError, match=place):
        fit(X, y)


@pytest.mark.parametrize("C", [0, -1, F(0), "0", float("nan"), float("inf"), "x", None, [1]])
def test_C_must_be_a_positive_number(C: Any) -> None:
    with pytest.raises(ParameterError, match="^C: "):
        fit([[F(1)], [F(-1)]] if isinstance(C, F) else ((1.0,), (-1.0,)), C=C)


def test_a_C_that_floats_round_to_zero_is_refused() -> None:
    with pytest.raises(ParameterError, match="C=.1e-400. is beyond the range of floats"):
        fit(C="1e-400")


@pytest.mark.parametrize("gap", [-1, float("nan"), "x", None])
def test_the_gap_must_be_a_number_of_at_least_zero(gap: Any) -> None:
    for X in ([[1.0], [-1.0]], [[F(1)], [F(-1)]]):
        with pytest.raises(ParameterError, match="^gap: "):
            fit(X, gap=gap)


@pytest.mark.parametrize("gap", [0, "1/1000", F(1, 7), 0.5, 10])
def test_the_gap_may_be_any_number_in_either_arithmetic(gap: Any) -> None:
    for X in ([[1.0], [-1.0]], [[F(1)], [F(-1)]]):
        certificate = fit(X, gap=gap).certificate
        # W = ±1/2 has the margin 1 and is optimal: P = 1/4 of the two rows' weights
        assert certificate.dual <= F(1, 4) <= certificate.primal
        assert certificate.gap <= F(gap) * certificate.primal


@pytest.mark.parametrize(
    ("X", "C", "place"),
    [
        ([[1.0], [F(2)]], 1, "X: row 1, column 0"),
        ([[F(1)], [F(2)]], 0.5, "C=0.5"),
        ([[1.0], [2.0]], F(1, 2), "C=1/2"),
    ],
)
def test_fractions_beside_floats_are_refused(X: Any, C: Any, place: str) -> None:
    with pytest.raises(MixedArithmeticError, match=place):
        fit(X, C=C)


def test_a_kernel_that_gives_floats_of_fractions_is_refused() -> None:
    with pytest.raises(MixedArithmeticError, match="kernel: gives floats"):
        fit([[F(1)], [F(2)]], kernel=rbf(1))


@pytest.mark.parametrize("kernel", ["rbf", None, 3])
def test_an_unknown_kernel_is_refused(kernel: Any) -> None:
    with pytest.raises(ParameterError, match="^kernel: "):
        fit(kernel=kernel)


def test_a_kernel_must_give_finite_numbers() -> None:
    with pytest.raises(DataError, match="rows 0 and 0"):
        fit(kernel=lambda u, v: float("nan"))
    with pytest.raises(DataError, match="rows 0 and 0"):
        fit(kernel=lambda u, v: "1")


@pytest.mark.parametrize(
    ("K", "place"),
    [
        ([[1.0, 0.0]], "square"),
        ([[1.0, 0.0], [0.5, 1.0]], "row 1, column 0"),
        ([[1.0, 0.0], [0.0]], "row 1"),
        ([[1.0, 0.0], [0.0, float("nan")]], "row 1, column 1"),
        ([], "at least one row"),
    ],
)
def test_a_gram_matrix_that_is_none_is_refused(K: Any, place: str) -> None:
    with pytest.raises(DataError, match=f"gram: .*{place}"):
        fit(None, gram=K)


@pytest.mark.parametrize("one", [1.0, F(1)])
def test_a_gram_matrix_that_is_not_semidefinite_is_refused_with_a_witness(one: Any) -> None:
    K = [[one, 2 * one], [2 * one, one]]
    with pytest.raises(NotPositiveSemidefiniteError, match="^gram: ") as caught:
        fit(None, gram=K)
    v: list[Any] = list(caught.value.witness)
    assert sum(v[i] * v[j] * K[i][j] for i in range(2) for j in range(2)) < 0


def test_what_gram_made_of_a_known_kernel_is_not_searched_for_a_witness() -> None:
    K = ((1.0, 2.0), (2.0, 1.0))
    rows = [[0.0], [1.0]]
    assert isinstance(gram(rbf(1.0), rows), OwnGram)
    assert read_points(None, linear, OwnGram(K)).gram == K
    copies: list[Any] = [K, list(OwnGram(K)), OwnGram(K)[:], exact(OwnGram(K))]
    for copy in copies:
        with pytest.raises(NotPositiveSemidefiniteError):
            read_points(None, linear, copy)
    with pytest.raises(NotPositiveSemidefiniteError):
        read_points(rows, lambda u, v: 1.0 + (u != v), None)
    with pytest.raises(DataError, match="symmetric"):
        read_points(None, linear, OwnGram(((1.0, 0.0), (0.5, 1.0))))


def test_a_kernel_of_the_callers_that_is_not_semidefinite_is_refused() -> None:
    with pytest.raises(NotPositiveSemidefiniteError):
        fit([[F(1)], [F(2)]], kernel=lambda u, v: -u[0] * v[0])


def test_rows_kernel_and_gram_must_fit_together() -> None:
    K = [[1.0, 0.0], [0.0, 1.0]]
    with pytest.raises(ParameterError, match="not both"):
        fit(gram=K, kernel=rbf(1))
    with pytest.raises(ParameterError, match="^X: "):
        fit(None)
    with pytest.raises(DataError, match="gram: expected 3 rows"):
        fit([[1.0], [2.0], [3.0]], [0, 1, 1], gram=K)
    with pytest.raises(DataError, match="y: expected 2 labels"):
        fit(None, [0, 1, 1], gram=K)


def test_classes_must_hold_every_label_once() -> None:
    with pytest.raises(DataError, match="y: row 1: label 1"):
        fit(classes=[0])
    with pytest.raises(ParameterError, match="classes: 0 stands twice"):
        fit(classes=[0, 1, 0])
    with pytest.raises(DataError, match="classes: "):
        fit(classes=[])


def test_rows_to_predict_are_refused_with_their_place() -> None:
    model = solved("three points")
    with pytest.raises(DataError, match="expected 2 numbers, got 1"):
        model.predict([[F(1)]])
    with pytest.raises(DataError, match="expected 2 numbers, got 3"):
        model.scores([1, 2, 3])
    with pytest.raises(DataError, match="row 0"):
        model.predict(cast(Any, [F(1)]))
    with pytest.raises(MixedArithmeticError, match="row 1"):
        model.predict([[F(1), F(0)], [1.5, 0.5]])
    with pytest.raises(ParameterError, match="label 7"):
        model.support_vectors(7)


# --- Certificates of kernels in float


def test_a_polynomial_kernel_in_float_is_certified_by_its_exact_values() -> None:
    X, y = [[-4 / 3], [0.1]], [0, 1]
    model = fit_multiclass_svm(X, y, C=0.01, kernel=polynomial(3, "1/2", 0))
    exact_model = fit_multiclass_svm(exact(X), y, C=F(0.01), kernel=polynomial(3, "1/2", 0))
    certificate = model.certificate
    assert not certificate.rounded_kernel
    assert certificate.dual <= exact_model.objective <= certificate.primal
    assert certificate.gap <= F(1, 10**9) * certificate.primal


def test_a_certificate_of_rounded_kernel_values_says_so() -> None:
    X, y = [[0.5 + 0.001 * i] for i in range(12)], [0, 1] * 6
    model = fit_multiclass_svm(X, y, C=1.0, kernel=rbf(1))
    assert model.certificate.rounded_kernel  # and indeed the rounded matrix proves nothing:
    assert psd_witness(gram(rbf(1), X)) is not None
    assert fit_multiclass_svm(
        None, [0, 1], C=1.0, gram=[[1.0, 0.5], [0.5, 1.0]]
    ).certificate.rounded_kernel
    assert not fit_multiclass_svm(X, y, C=1.0).certificate.rounded_kernel
    assert not fit_multiclass_svm(exact(X), y, C=1).certificate.rounded_kernel


def test_products_beyond_the_range_of_floats_keep_no_one_from_the_optimum() -> None:
    in_floats = fit_multiclass_svm([[1e200], [-1e200]], ["a", "b"], C=1)
    assert in_floats.W == ((5e-201,), (-5e-201,))
    proof = in_floats.certificate
    assert 0 <= proof.gap <= proof.primal / 10**9
    # lifted, W = ±1e-200/2 has the margin 1
    model = fit([[F(10) ** 200], [-(F(10) ** 200)]])
    assert model.W == ((F(1, 2 * 10**200),), (F(-1, 2 * 10**200),))
