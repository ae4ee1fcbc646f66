"""The binary SVM against the lecture's formulas, evaluated here from α alone.

`best_primal` and the lecture's dual restate both objectives; equal values at one α prove the
optimum, whoever found it. Separability is refuted by a combination that is checked here.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction as F
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc import (
    DataError,
    FormatError,
    MixedArithmeticError,
    NotPositiveSemidefiniteError,
    ParameterError,
    Pivot,
    TieError,
    exact,
    fit_multiclass_svm,
    gram,
    hinge,
    last,
    linear,
    margin,
    polynomial,
    psd_witness,
    rbf,
    refuse,
    solve_qp,
    squared_hinge,
)
from refmc.core.records import parse_json
from refmc.errors import NotSeparableError
from refmc.learn.svm.binary import (
    best_for_hinge,
    best_for_squared_hinge,
    fit_binary_svm,
    fit_hard_svm,
)
from refmc.learn.svm.binary_model import BinarySVM, model_from_record
from refmc.lectures import chang
from refmc.lectures.lu import active_set
from tests.support import Array, inner, reloaded, table

Rows = list[list[F]]
Examples = Sequence[tuple[Sequence[int | F], int]]
Kernel = Callable[[Any, Any], int | F]

CORNER = [[F(3, 2), F(5, 2)], [F(5, 2), F(3, 2)], [F(5, 2), F(5, 2)]]
CORNER_SIGNS = [1, 1, -1]
HALF = F(1, 2)


def soft(X: Any, y: Any, **parameters: Any) -> BinarySVM[F]:
    model = fit_binary_svm(X, y, **parameters)
    assert isinstance(model.objective, F)
    return model


def hard(X: Any, y: Any, **parameters: Any) -> BinarySVM[F]:
    model = fit_hard_svm(X, y, **parameters)
    assert isinstance(model.objective, F)
    return model


def scores_of(alpha: Sequence[F], D: Examples, K: Kernel = chang.dot) -> list[F]:
    return [F(chang.score(alpha, D, K, x)) for x, _ in D]


def loss_at(b: F, scores: Sequence[F], y: Sequence[int]) -> F:
    return sum((max(F(0), 1 - sign * (s + b)) for s, sign in zip(scores, y, strict=True)), F(0))


def best_primal(alpha: Sequence[F], D: Examples, C: F, bias: bool, K: Kernel = chang.dot) -> F:
    """½‖w‖² + C Σ hinge at w(α); the best b is found by trying every kink of the sum."""
    y, scores = [sign for _, sign in D], scores_of(alpha, D, K)
    kinks = [sign - s for s, sign in zip(scores, y)] if bias else [F(0)]
    norm_squared = sum((a * sign * s for a, sign, s in zip(alpha, y, scores)), F(0))
    return norm_squared / 2 + C * min(loss_at(b, scores, y) for b in kinks)


def assert_optimal(model: BinarySVM[F], D: Examples, C: F, bias: bool = True) -> None:
    """Feasible, primal = dual, every Kuhn-Tucker condition, and b_interval is all optimal b."""
    alpha, y = model.alpha, [sign for _, sign in D]
    assert all(0 <= a <= C for a in alpha)
    if bias:
        assert inner(alpha, [F(sign) for sign in y]) == 0
    primal, dual = best_primal(alpha, D, C, bias), -chang.dual(alpha, D, chang.dot)
    assert primal == dual == model.objective
    certificate = model.certificate
    assert (certificate.primal, certificate.dual, certificate.gap) == (primal, dual, F(0))
    scores = scores_of(alpha, D)
    for b in (*(end for end in model.b_interval if end is not None), model.b):
        for a, score, sign in zip(alpha, scores, y, strict=True):
            value = sign * (score + b)
            assert value >= 1 if a == 0 else value <= 1 if a == C else value == 1
    assert model.margins == tuple(sign * (s + model.b) for s, sign in zip(scores, y))
    assert model.slack == tuple(max(F(0), 1 - value) for value in model.margins)
    assert model.outside_margin == tuple(i for i, v in enumerate(model.margins) if v > 1)
    assert model.on_margin == tuple(i for i, v in enumerate(model.margins) if v == 1)
    assert model.inside_margin == tuple(i for i, v in enumerate(model.slack) if v > 0)
    if bias:
        assert_interval_is_all(model.b_interval, scores, y)
    else:
        assert model.b == 0 and model.b_interval == (F(0), F(0))


def assert_interval_is_all(
    interval: tuple[F | None, F | None], scores: Sequence[F], y: Sequence[int]
) -> None:
    """A little further out the sum of hinges is larger; a convex function needs no more."""
    low, high = interval
    least = min(loss_at(sign - s, scores, y) for s, sign in zip(scores, y))
    for end, outwards in ((low, -1), (high, 1)):
        if end is None:
            assert loss_at(F(10**9) * outwards, scores, y) == least
        else:
            assert loss_at(end, scores, y) == least
            assert loss_at(end + outwards * F(1, 10**9), scores, y) > least


def assert_refutes(error: NotSeparableError, X: Rows, y: Sequence[int], bias: bool = True) -> None:
    """The combination is a common point of the two hulls, or without a bias a zero."""
    weights = error.combination
    assert all(weight >= 0 for weight in weights)
    for column in zip(*X):
        assert inner([F(sign) * weight for sign, weight in zip(y, weights)], column) == 0
    sums = [sum((w for w, s in zip(weights, y) if s == sign), F(0)) for sign in (1, -1)]
    assert sums == [1, 1] if bias else sum(sums) == 1


def one_of_three(positive: str) -> tuple[list[list[float]], list[int]]:
    """The irises, of which one species is positive."""
    X, species = table("iris.csv")
    return X, [1 if label == positive else -1 for label in species]


grid = st.integers(-4, 4).map(lambda n: F(n, 2))
bounds = st.sampled_from([F(1, 8), HALF, F(1), F(5, 2)])


@st.composite
def problems(draw: st.DrawFn, most_rows: int = 6) -> tuple[Rows, list[int]]:
    """Few columns and a coarse grid: duplicates, conflicts, zero rows and one class are common."""
    d = draw(st.integers(1, 2))
    rows = draw(st.lists(st.lists(grid, min_size=d, max_size=d), min_size=1, max_size=most_rows))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=len(rows), max_size=len(rows)))
    return rows, y


# --- Problems that are solved by hand


def test_the_corner_has_the_hard_margin_found_by_hand() -> None:
    # By symmetry w = (−t, −t). The margins −4t + b ≥ 1 and 5t − b ≥ 1 add up to t ≥ 2, and with
    # t = 2 both are tight for b = 9. w = 2x_0 + 2x_1 − 4x_2 and ½‖w‖² = 4.
    model = hard(CORNER, CORNER_SIGNS)
    assert model.w == (F(-2), F(-2))
    assert model.b == 9 and model.b_interval == (F(9), F(9))
    assert model.alpha == (F(2), F(2), F(4))
    assert model.margin_squared == F(1, 8)
    assert model.objective == 4 and model.certificate.gap == 0
    assert model.slack == (F(0),) * 3 and model.on_margin == (0, 1, 2)
    assert model.C is None


@pytest.mark.parametrize("C", [F(1, 4), F(1), F(2), F(3), F(4), F(5), F(100)])
def test_the_corner_with_slack_is_known_for_every_C(C: F) -> None:
    # α = (a/2, a/2, a) with a = min(C, 4): w = −(a/2)(1, 1), scores −2a, −2a, −5a/2. The kinks
    # 1 + 2a (twice) and 5a/2 − 1 have their second and third in order at 1 + 2a for a ≤ 4.
    a = min(C, F(4))
    model = soft(CORNER, CORNER_SIGNS, C=C)
    assert model.alpha == (a / 2, a / 2, a)
    assert model.w == (-a / 2, -a / 2)
    assert model.b_interval == (1 + 2 * a, 1 + 2 * a)
    assert model.slack == (F(0), F(0), 2 - a / 2)
    assert model.objective == a * a / 4 + C * (2 - a / 2)


def test_the_corner_is_separated_exactly_when_C_is_above_2() -> None:
    def fits(C: F) -> bool:
        model = soft(CORNER, CORNER_SIGNS, C=C)
        return all(model.predict_set(x) == (s,) for x, s in zip(CORNER, CORNER_SIGNS))

    assert not fits(F(1)) and not fits(F(2)) and fits(F(2) + F(1, 1000)) and fits(F(4))


def test_at_C_2_the_third_corner_lies_on_the_hyperplane_with_slack_1() -> None:
    # ξ = 1 is the case that stands in neither ξ < 1 nor ξ > 1 of the quiz: both labels are tied.
    model = soft(CORNER, CORNER_SIGNS, C=2)
    assert model.slack[2] == 1 and model.decision(CORNER[2]) == 0
    assert model.predict_set(CORNER[2]) == (-1, 1)
    assert model.predict([CORNER[2]]) == [-1]
    assert soft(CORNER, CORNER_SIGNS, C=2, tie=last).predict([CORNER[2]]) == [1]
    with pytest.raises(TieError):
        soft(CORNER, CORNER_SIGNS, C=2, tie=refuse).predict([CORNER[2]])


def test_on_the_margin_is_not_on_the_decision_boundary() -> None:
    model = hard(CORNER, CORNER_SIGNS)
    assert model.on_margin == (0, 1, 2)  # case a of the quiz, y(w·x + b) = 1
    assert [model.decision(x) for x in CORNER] == [1, 1, -1]  # the boundary is where it is 0
    assert model.decision([F(9, 4), F(9, 4)]) == 0


def test_a_row_inside_the_margin_may_be_predicted_rightly() -> None:
    model = soft(CORNER, CORNER_SIGNS, C=3)
    assert model.margins[2] == F(1, 2) and model.inside_margin == (2,)  # case b, not c
    assert model.predict_set(CORNER[2]) == (-1,)


def test_the_least_total_slack_may_come_with_more_rows_that_violate_the_margin() -> None:
    X, y = [[F(1)], [F(1)], [F(1)], [F(10)]], [1, 1, 1, -1]
    model = soft(X, y, C=1000, bias=False)
    assert model.w == (F(-1, 10),) and sum(model.slack) == F(33, 10)
    assert model.inside_margin == (0, 1, 2)
    of_one = [max(F(0), 1 - sign * x[0]) for x, sign in zip(X, y)]  # w = 1
    assert of_one == [0, 0, 0, 11]  # a single violation, and a larger total


@given(problems(), bounds)
def test_rows_that_are_no_support_vectors_can_be_left_out(
    problem: tuple[Rows, list[int]], C: F
) -> None:
    X, y = problem
    whole = soft(X, y, C=C)
    kept = whole.support_vectors
    if kept:
        part = soft([X[i] for i in kept], [y[i] for i in kept], C=C)
        assert (part.w, part.objective) == (whole.w, whole.objective)
    else:
        assert whole.w == (F(0),) * len(X[0])


def test_squared_coordinates_turn_the_circle_into_a_line() -> None:
    grid_points = [[F(a), F(b)] for a in range(-2, 3) for b in range(-2, 3)]
    X = [x for x in grid_points if inner(x, x) != 1]
    y = [1 if inner(x, x) < 1 else -1 for x in X]
    with pytest.raises(NotSeparableError):
        hard(X, y)
    squared = [[a * a for a in x] for x in X]
    assert all(sign * (1 - a - b) > 0 for (a, b), sign in zip(squared, y))
    assert hard(squared, y).predict(squared) == y


def test_at_C_1_unbounded_support_vectors_alone_put_the_bias_at_3() -> None:
    model = soft(CORNER, CORNER_SIGNS, C=1)
    assert model.b == 3
    unbounded = [i for i, a in enumerate(model.alpha) if 0 < a < 1]
    assert unbounded == [0, 1] == list(model.on_margin)
    assert {CORNER_SIGNS[i] - model.decision(CORNER[i]) + model.b for i in unbounded} == {F(3)}
    assert model.inside_margin == (2,) and model.slack[2] == F(3, 2)


def test_the_corner_equals_the_hard_svm_exactly_when_C_is_at_least_4() -> None:
    best = hard(CORNER, CORNER_SIGNS)
    for C in (F(4), F(5)):
        assert soft(CORNER, CORNER_SIGNS, C=C).w == best.w
    assert soft(CORNER, CORNER_SIGNS, C=F(399, 100)).w != best.w


@pytest.mark.parametrize("settings", [{"C": "1e-999"}, {"C": 1, "weights": ["1e-999"] * 2}])
def test_a_C_below_the_range_of_floats_counts(settings: dict[str, Any]) -> None:
    # of rows 1 and -1 both multipliers are at C: w = 2C, and 2C² + 2C(1 - 2C) = 2C - 2C²
    C = exact("1e-999")
    weights = exact(settings["weights"]) if "weights" in settings else None
    model = fit_binary_svm(exact([[1], [-1]]), [1, -1], C=settings["C"], weights=weights)
    assert model.alpha == (C, C)
    assert model.objective == 2 * C - 2 * C**2


def test_two_points_far_from_their_bounds_have_one_bias() -> None:
    model = soft([[F(1)], [F(3)]], [-1, 1], C=1)
    assert (model.w, model.b, model.alpha) == ((F(1),), F(-2), (HALF, HALF))


def test_two_points_at_their_bounds_have_an_interval_of_biases() -> None:
    # α = (C, C) with C = 1/4: w = C·2 = 1/2, scores 1/2 and 3/2; any b from −1 − 1/2 to 1 − 3/2.
    model = soft([[F(1)], [F(3)]], [-1, 1], C="1/4")
    assert model.w == (HALF,) and model.b_interval == (F(-3, 2), -HALF)
    assert model.b == -1 and model.slack == (HALF, HALF)


def test_one_class_alone_needs_no_weights_and_has_biases_without_end() -> None:
    for above, below in (
        (soft(CORNER, [1, 1, 1], C=1), soft(CORNER, [-1, -1, -1], C=1)),
        (hard(CORNER, [1, 1, 1]), hard(CORNER, [-1, -1, -1])),
    ):
        assert above.w == below.w == (F(0), F(0)) and above.objective == 0
        assert above.b_interval == (F(1), None) and above.b == 1
        assert below.b_interval == (None, F(-1)) and below.b == -1
        assert above.margin_squared is None
        assert above.predict(CORNER) == [1, 1, 1] and below.predict(CORNER) == [-1, -1, -1]
        assert above.classes == (-1, 1) and above.on_margin == (0, 1, 2)


def test_one_row_without_a_bias_is_put_on_its_margin() -> None:
    # w = α y x with y w·x = α‖x‖² = 1, or α = C where C‖x‖² < 1.
    model = hard([[F(3), F(4)]], [-1], bias=False)
    assert model.alpha == (F(1, 25),) and model.w == (F(-3, 25), F(-4, 25))
    assert model.margin_squared == 25
    assert soft([[F(3), F(4)]], [-1], C="1/50", bias=False).slack == (HALF,)


def test_conflicting_duplicates_cost_a_slack_of_2_together() -> None:
    model = soft([[F(1)], [F(1)]], [-1, 1], C=3)
    assert model.objective == 6 and model.w == (F(0),)
    assert model.b_interval == (F(-1), F(1)) and model.b == 0
    with pytest.raises(NotSeparableError) as caught:
        hard([[F(1)], [F(1)]], [-1, 1])
    assert caught.value.combination == (F(1), F(1))


def test_zero_rows_are_separated_by_the_bias_only() -> None:
    assert soft([[F(0)], [F(0)], [F(0)]], [1, 1, -1], C=1).b_interval == (F(1), F(1))
    assert soft([[F(0)], [F(0)], [F(0)]], [1, 1, -1], C=1, bias=False).objective == 3
    with pytest.raises(NotSeparableError) as caught:
        hard([[F(1)], [F(0)]], [1, 1], bias=False)
    assert caught.value.combination == (F(0), F(1))


def test_a_crossing_point_of_two_segments_refutes_separability() -> None:
    X = [[F(0), F(0)], [F(4), F(4)], [F(0), F(2)], [F(2), F(0)]]
    with pytest.raises(NotSeparableError, match="hulls of the classes meet") as caught:
        hard(X, [1, 1, -1, -1])
    assert caught.value.combination == (F(3, 4), F(1, 4), HALF, HALF)


def test_without_a_bias_opposite_sides_of_the_origin_are_needed() -> None:
    X = [[F(1)], [F(3)]]
    assert hard(X, [-1, 1]).w == (F(1),)
    with pytest.raises(NotSeparableError, match="Σ y_i") as caught:
        hard(X, [-1, 1], bias=False)
    assert caught.value.combination == (F(3, 4), F(1, 4))


# --- The lecture's print


def test_dropping_b_from_the_decision_function_changes_predictions() -> None:
    # w = 1, b = −2: the printed Σ α_i y_i K(x_i, x) is 1 > 0 at the negative row x = 1.
    X, y = [[F(1)], [F(3)]], [-1, 1]
    model = hard(X, y)
    printed = scores_of(model.alpha, list(zip(X, y)))
    assert printed == [1, 3] and all(value > 0 for value in printed)
    assert [model.decision(x) for x in X] == [-1, 1]
    assert model.predict(X) == y


# --- Properties


@given(problems(most_rows=4), bounds, st.booleans())
def test_the_plain_active_set_finds_the_same_optimum(
    problem: tuple[Rows, list[int]], C: F, bias: bool
) -> None:
    X, y = problem
    D = list(zip(X, y))
    alpha = chang.kernel_svm(D, chang.dot, C)[0] if bias else without_bias(D, C)
    model = soft(X, y, C=C, bias=bias)
    assert model.objective == -chang.dual(alpha, D, chang.dot)
    assert model.w == tuple(chang.weights(alpha, D))


def without_bias(D: Examples, C: F) -> Sequence[int | F]:
    """α of the lecture's dual without yᵀα = 0, by its active set."""
    m = range(len(D))
    G = [[F(-(i == j)) for j in m] for i in m] + [[F(i == j) for j in m] for i in m]
    zero = [F(0) for _ in m]
    return active_set(chang.Q(D, chang.dot), [-1] * len(D), [], G, [*zero, *[C for _ in m]], zero)[
        "x"
    ]


@given(problems(), bounds, st.booleans())
def test_every_soft_svm_is_proved_by_its_alpha(
    problem: tuple[Rows, list[int]], C: F, bias: bool
) -> None:
    X, y = problem
    model = soft(X, y, C=C, bias=bias)
    D = list(zip(X, y))
    assert_optimal(model, D, C, bias)
    w = chang.weights(model.alpha, D)
    assert model.w == tuple(w)
    assert model.margin_squared == (1 / F(chang.dot(w, w)) if any(w) else None)


@given(problems(), st.booleans())
def test_every_hard_svm_is_proved_or_refuted(problem: tuple[Rows, list[int]], bias: bool) -> None:
    X, y = problem
    try:
        model = hard(X, y, bias=bias)
    except NotSeparableError as error:
        assert_refutes(error, X, y, bias)
        return
    # Feasible multipliers of a feasible w with equal objectives: nothing else is to be proved.
    assert model.w is not None
    assert all(s * (inner(model.w, x) + model.b) >= 1 for x, s in zip(X, y))
    dual = -chang.dual(model.alpha, list(zip(X, y)), chang.dot)
    assert dual == inner(model.w, model.w) / 2 == model.objective
    assert all(a >= 0 for a in model.alpha)
    assert model.b == 0 if not bias else inner(model.alpha, [F(s) for s in y]) == 0


@given(problems(), st.booleans())
def test_a_C_of_at_least_the_largest_multiplier_gives_the_hard_svm(
    problem: tuple[Rows, list[int]], bias: bool
) -> None:
    X, y = problem
    try:
        model = hard(X, y, bias=bias)
    except NotSeparableError:
        return
    C = max(model.alpha) or F(1)
    same = soft(X, y, C=C, bias=bias)
    assert (same.w, same.objective, same.b_interval) == (model.w, model.objective, model.b_interval)


@given(problems(), bounds)
def test_without_a_bias_it_is_the_two_class_svm_with_half_C(
    problem: tuple[Rows, list[int]], C: F
) -> None:
    X, y = problem
    model = soft(X, y, C=C, bias=False)
    both: Any = fit_multiclass_svm(X, y, C=C / 2, classes=(-1, 1))
    assert model.w is not None
    assert both.W == (tuple(-a / 2 for a in model.w), tuple(a / 2 for a in model.w))
    assert both.objective == model.objective / 2
    assert both.slack == model.slack
    assert [both.scores(x) for x in X] == [model.scores(x) for x in X]


@given(problems(), bounds, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_swapped_labels_change_nothing_else(
    problem: tuple[Rows, list[int]], C: F, random: Any
) -> None:
    X, y = problem
    model = soft(X, y, C=C)
    order = list(range(len(y)))
    random.shuffle(order)
    moved = soft([X[i] for i in order], [y[i] for i in order], C=C)
    assert (moved.w, moved.b, moved.b_interval) == (model.w, model.b, model.b_interval)
    assert moved.slack == tuple(model.slack[i] for i in order)
    swapped = soft(X, [-sign for sign in y], C=C)
    assert model.w is not None and swapped.w == tuple(-a for a in model.w)
    low, high = model.b_interval
    assert swapped.b == -model.b
    assert swapped.b_interval == (None if high is None else -high, None if low is None else -low)


@given(problems(), bounds)
def test_a_gram_matrix_of_the_linear_kernel_gives_the_same_svm(
    problem: tuple[Rows, list[int]], C: F
) -> None:
    X, y = problem
    model, by_gram = soft(X, y, C=C), soft(None, y, C=C, gram=gram(linear, X))
    assert by_gram.w is None and by_gram.rows is None
    assert (by_gram.b_interval, by_gram.objective) == (model.b_interval, model.objective)
    assert by_gram.slack == model.slack
    for x in X:
        assert by_gram.decision([inner(x, row) for row in X]) == model.decision(x)


@given(problems(), bounds)
def test_copies_of_all_rows_count_as_twice_the_C(problem: tuple[Rows, list[int]], C: F) -> None:
    X, y = problem
    once, twice = soft(X, y, C=2 * C), soft(X + X, y + y, C=C)
    assert (once.w, once.b_interval, once.objective) == (twice.w, twice.b_interval, twice.objective)


@given(problems(most_rows=4), bounds)
def test_the_dual_as_printed_has_the_same_value(problem: tuple[Rows, list[int]], C: F) -> None:
    # minimise ½ αᵀQα − eᵀα subject to 0 ≤ α ≤ C and yᵀα = 0, Q_ij = y_i y_j K(x_i, x_j).
    X, y = problem
    m = len(y)
    unit = [[F(i == j) for j in range(m)] for i in range(m)]
    printed = solve_qp(
        chang.Q(list(zip(X, y)), chang.dot),
        [F(-1)] * m,
        A=[[F(sign) for sign in y]],
        b=[F(0)],
        G=[[-a for a in row] for row in unit] + unit,
        h=[F(0)] * m + [C] * m,
    )
    assert printed.objective == -soft(X, y, C=C).objective


@given(problems(), bounds, st.booleans())
def test_floats_come_with_an_exact_certificate_near_the_exact_optimum(
    problem: tuple[Rows, list[int]], C: F, bias: bool
) -> None:
    X, y = problem
    model = fit_binary_svm([[float(a) for a in x] for x in X], y, C=float(C), bias=bias)
    alpha = model.certificate.multipliers
    assert all(0 <= a <= C for a in alpha)
    assert not bias or inner(alpha, [F(sign) for sign in y]) == 0
    D = list(zip(X, y))
    assert model.certificate.dual == -chang.dual(alpha, D, chang.dot)
    assert model.certificate.primal == best_primal(alpha, D, C, bias)
    optimum = soft(X, y, C=C, bias=bias).objective
    assert model.certificate.dual <= optimum <= model.certificate.primal
    assert model.certificate.gap <= F(1, 10**9) * model.certificate.primal
    assert model.objective == float(model.certificate.primal)


@given(st.lists(grid, min_size=1, max_size=7), st.data())
def test_the_biases_are_optimal_for_any_scores(scores: list[F], data: st.DataObject) -> None:
    y = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(scores), max_size=len(scores)))
    assert_interval_is_all(best_for_hinge(scores, y, [F(1)] * len(y)), scores, y)


def test_small_rows_count_beside_a_large_one_in_every_python() -> None:
    """Three rows of the class +1, the first of weight 10^16: in float 10^16 + 1 is 10^16.

    Of hinges with kinks at −2, −1 and 0 the sum is 0 from b = 0 on; of squared ones with kinks at
    0, 1 and 1 from b = 1 on.
    """
    counts = [1e16, 1.0, 1.0]
    assert best_for_hinge([3.0, 2.0, 1.0], [1, 1, 1], counts) == (0.0, None)
    assert best_for_squared_hinge([1.0, 0.0, 0.0], [1, 1, 1], counts) == (1.0, None)


# --- Kernels


def test_a_squared_kernel_separates_what_no_line_does() -> None:
    # K(u, v) = (uv)² is the product of u² and v²: the hard SVM of 0, 1, 1 with labels −, +, +.
    X, y = [[F(0)], [F(1)], [F(-1)]], [-1, 1, 1]
    with pytest.raises(NotSeparableError) as caught:
        hard(X, y)
    assert_refutes(caught.value, X, y)
    model = hard(X, y, kernel=polynomial(2))
    squares = hard([[x[0] ** 2] for x in X], y)
    assert model.w is None and model.b == squares.b == -1
    assert model.margin_squared == squares.margin_squared == F(1, 4)
    assert [model.decision([F(t)]) for t in (0, 1, 2)] == [-1, 1, 7]


def test_sixty_rows_of_a_rationalised_rbf_matrix_are_solved_exactly() -> None:
    X, y = one_of_three("virginica")
    X, y = X[70:130], y[70:130]
    K = exact(gram(rbf("1/2"), X))
    model = soft(None, y, C=1, gram=K)
    assert model.certificate.gap == 0
    D = [([i], sign) for i, sign in enumerate(y)]

    def of_positions(u: Sequence[Any], v: Sequence[Any]) -> F:
        return F(K[u[0]][v[0]])

    primal = best_primal(model.alpha, D, F(1), True, of_positions)
    assert primal == -chang.dual(model.alpha, D, of_positions)


@pytest.mark.parametrize("positive", ["setosa", "versicolor", "virginica"])
def test_iris_with_the_rbf_kernel_has_a_gap_below_1e_9(positive: str) -> None:
    X, y = one_of_three(positive)
    X, y = X[::2], y[::2]
    model = fit_binary_svm(X, y, C=1, kernel=rbf(1))
    certificate = model.certificate
    assert 0 <= certificate.gap <= F(1, 10**9) * certificate.primal
    assert sum(a * s for a, s in zip(certificate.multipliers, y)) == 0


def test_setosa_is_separable_and_versicolor_is_not_in_floats_too() -> None:
    X, y = one_of_three("setosa")
    X, y = X[::2], y[::2]
    model = fit_hard_svm(X, y)
    assert 0 <= model.certificate.gap <= F(1, 10**9) * model.certificate.primal
    best = hard(exact(X), y)
    assert model.certificate.dual <= best.objective <= model.certificate.primal
    assert model.margin_squared == pytest.approx(float(best.margin_squared or 0), rel=1e-9)
    X, y = one_of_three("versicolor")
    X, y = X[::2], y[::2]
    with pytest.raises(NotSeparableError) as caught:
        fit_hard_svm(X, y)
    assert_refutes(caught.value, [[F(a) for a in x] for x in X], y)


def test_an_exact_w_of_a_hard_float_svm_meets_every_constraint() -> None:
    X, y = one_of_three("setosa")
    X, y = X[::3], y[::3]
    model = fit_hard_svm(X, y)
    rows = [[F(a) for a in x] for x in X]
    scores = scores_of(model.certificate.multipliers, list(zip(rows, y)))
    low = max(1 - s for s, sign in zip(scores, y) if sign > 0)
    high = min(-1 - s for s, sign in zip(scores, y) if sign < 0)
    assert low == high and model.b == float(low)


def test_equal_rows_with_the_rbf_kernel_are_refuted_by_their_equal_values() -> None:
    with pytest.raises(NotSeparableError) as caught:
        fit_hard_svm([[0.1, 0.3], [2.0, 0.0], [0.1, 0.3]], [1, 1, -1], kernel=rbf(1))
    assert caught.value.combination == (F(1), F(0), F(1))


def test_a_matrix_that_is_not_semidefinite_is_refused_with_its_witness() -> None:
    K = [[F(1), F(2)], [F(2), F(1)]]
    with pytest.raises(NotPositiveSemidefiniteError) as caught:
        soft(None, [1, -1], C=1, gram=K)
    v: Any = exact(caught.value.witness)
    assert inner(v, [inner(row, v) for row in K]) < 0
    with pytest.raises(NotPositiveSemidefiniteError):
        hard(None, [1, -1], gram=[[float(a) for a in row] for row in K])


@pytest.mark.parametrize("signs", list(product((-1, 1), repeat=3)))
def test_a_gram_matrix_that_only_rounding_makes_indefinite_is_solved(
    signs: tuple[int, int, int],
) -> None:
    # The matrix of x·x′ + ½ in float has an eigenvalue of about −1e-16. With a bias the ½ changes
    # nothing, so the optimum is that of the exact x; between the others .6 has w = 0 and a slack
    # of 2, and else the two classes are as far apart as their nearest points.
    x = [0.6000000000000001, -0.15, 1.75]
    K = [[a * b + 0.5 for b in x] for a in x]
    assert psd_witness(K) is not None
    model = fit_binary_svm(None, list(signs), C=100, gram=K)
    best = soft([[F(a)] for a in x], list(signs), C=100)
    assert model.objective == pytest.approx(float(best.objective), rel=1e-9)
    if signs in ((1, -1, -1), (-1, 1, 1)):
        assert model.objective == pytest.approx(200) and model.margin_squared is None
    for other in (squared_hinge, hinge):
        fit_binary_svm(None, list(signs), C=100, gram=K, loss=other, bias=False)


def test_a_gram_matrix_beyond_rounding_is_refused_with_its_witness() -> None:
    x = [0.6, -0.15, 1.75]
    K = [[a * b + 0.5 - 1e-9 * (a == b == 0.6) for b in x] for a in x]
    with pytest.raises(NotPositiveSemidefiniteError) as caught:
        fit_binary_svm(None, [1, -1, -1], C=100, gram=K)
    v: Any = exact(caught.value.witness)
    assert inner(v, [inner([F(a) for a in row], v) for row in K]) < 0


@pytest.mark.parametrize("exponents", [(-20, 30), (-60, 70), (-30, 100)])
def test_tiny_kernel_values_beside_a_penalised_bias_reach_the_goal(
    exponents: tuple[int, int],
) -> None:
    """Σ α_i y_i is a small number, the α_i are of a size at which floats can't hold it.

    α_1 (κ + 1) − α_2 = 1 and α_2 (3κ + 1) − α_1 = 1 put both rows on their margins.
    """
    kappa = F(2) ** exponents[0]
    gram = [[float(kappa), 0.0], [0.0, float(3 * kappa)]]
    model = fit_binary_svm(None, [1, -1], C=2.0 ** exponents[1], gram=gram, bias="penalised")
    optimum = 2 * (kappa + 1) / (kappa * (3 * kappa + 4))
    assert 0 <= model.certificate.primal - optimum <= optimum / 10**9
    assert model.certificate.rounded_kernel


def test_rounded_kernel_values_that_are_no_inner_products_are_refused_when_met() -> None:
    # The values of these three points are 1 and the floats next to it.
    X, y = [[0.0], [2.0**-26], [2.0**-25]], [1, -1, 1]
    K = [[F(value) for value in row] for row in gram(rbf(1), X)]
    with pytest.raises(NotPositiveSemidefiniteError, match="kernel's matrix") as caught:
        fit_hard_svm(X, y, kernel=rbf(1), bias=False)
    v: Any = exact(caught.value.witness)
    assert inner(v, [inner(row, v) for row in K]) < 0


# --- Numbers of any size


@pytest.mark.parametrize("scale", [1e-120, 1e-8, 1.0, 1e8, 1e120])
def test_the_scale_of_the_rows_doesnt_matter_to_the_hard_svm(scale: float) -> None:
    X = [[1.5 * scale, 2.5 * scale], [2.5 * scale, 1.5 * scale], [2.5 * scale, 2.5 * scale]]
    model = fit_hard_svm(X, [1, 1, -1])
    assert model.certificate.gap <= F(1, 10**9) * model.certificate.primal
    assert model.b == pytest.approx(9, rel=1e-9)


@pytest.mark.parametrize("C", [1e-200, 1e-9, 1.0, 1e9, 1e100])
@pytest.mark.parametrize("bias", [True, False])
def test_floats_with_any_C_end_near_the_optimum(C: float, bias: bool) -> None:
    X, y = one_of_three("virginica")
    model = fit_binary_svm(X[50::2], y[50::2], C=C, bias=bias)
    assert model.certificate.gap <= F(1, 10**6) * model.certificate.primal


def test_products_beyond_floats_are_left_to_exact_pivots() -> None:
    for model in (fit_binary_svm([[1e200], [-1e200]], [1, -1], C=1), fit_hard_svm([[1e200]], [1])):
        assert model.certificate.gap == 0
    X, y = one_of_three("virginica")
    assert fit_binary_svm(X[90:110], y[90:110], C=1e200).certificate.gap == 0


def test_answers_beyond_floats_are_refused_with_the_mend() -> None:
    X, y = [[1e-200], [-1e-200]], [1, -1]
    with pytest.raises(DataError, match="exact"):
        fit_hard_svm(X, y)
    assert hard(exact(X), y).margin_squared == F(1e-200) ** 2
    with pytest.raises(DataError, match="margin_squared"):
        _ = fit_binary_svm([[1.0], [2.0]], [-1, 1], C=1e-200).margin_squared
    X, y, kernel = [[0.0], [0.5], [1.0]], [1, -1, 1], polynomial(2, offset=10**100)
    assert fit_binary_svm(X, y, C=1e308, kernel=kernel).certificate.gap == 0
    with pytest.raises(DataError, match="exact"):
        fit_binary_svm(None, y, C=1e308, gram=gram(kernel, X))
    with pytest.raises(DataError, match="lower C"):  # more rows than exact pivots are tried for
        fit_binary_svm(None, y * 20, C=1e308, gram=gram(kernel, X * 20))


def test_floats_that_fail_to_see_a_ray_are_corrected_exactly() -> None:
    # Multipliers grow here, without end but for rounding, until floats divide by zero.
    rows = [
        [0.0, -0.5, 0.5], [1.0, -1.0, -0.5], [1.0, 0.0, 0.0], [-0.5, -0.5, -0.5],
        [1.0, 0.5, 1.0], [-0.5, -0.5, 1.0], [1.0, 1.0, 0.0], [-0.5, -0.5, 0.0],
        [0.0, 0.0, 0.0], [-1.0, 0.5, -1.0], [1.0, 0.0, -1.0], [0.5, 1.0, -0.5],
    ]  # fmt: skip
    y = [1, 1, 1, -1, 1, -1, -1, 1, -1, 1, -1, -1]
    with pytest.raises(NotSeparableError) as caught:
        fit_hard_svm(rows, y, bias=False)
    assert_refutes(caught.value, [[F(a) for a in x] for x in rows], y, bias=False)


# --- What comes in and what goes out


def test_classes_name_the_negative_and_the_positive_label() -> None:
    model = soft(CORNER, ["in", "in", "out"], C=4, classes=("out", "in"))
    assert model.classes == ("out", "in") and model.w == (F(-2), F(-2))
    assert model.predict(CORNER) == ["in", "in", "out"]
    turned = soft(CORNER, ["in", "in", "out"], C=4, classes=("in", "out"))
    assert turned.w == (F(2), F(2)) and turned.predict(CORNER) == ["in", "in", "out"]


def test_scores_are_half_the_decision_value_and_its_negative() -> None:
    model = soft(CORNER, CORNER_SIGNS, C=3)
    for x, code, value in zip(CORNER, (1, 1, 0), model.margins):
        assert model.scores(x) == (-model.decision(x) / 2, model.decision(x) / 2)
        assert margin(model.scores(x), code) == value


def test_rows_are_read_from_lists_tuples_and_arrays_and_stay_as_they_were() -> None:
    rows = [[1.5, 2.5], [2.5, 1.5], [2.5, 2.5]]
    models = [
        fit_binary_svm(X, [1, 1, -1], C=1) for X in (rows, tuple(map(tuple, rows)), Array(rows))
    ]
    assert models[0] == models[1] == models[2]
    assert rows == [[1.5, 2.5], [2.5, 1.5], [2.5, 2.5]]
    assert all(isinstance(a, float) for a in (*models[0].alpha, models[0].b, models[0].objective))


def test_steps_report_objectives_that_never_rise() -> None:
    X, y = one_of_three("virginica")
    steps: list[Pivot[float]] = []
    fit_binary_svm(X, y, C=1, on_step=steps.append)
    assert [step.iteration for step in steps] == list(range(1, len(steps) + 1))
    values = [step.objective for step in steps]
    assert all(b <= a + 1e-9 for a, b in pairwise(values))
    assert all(0 <= index < 2 * len(y) for step in steps for index in step.working_set)


@pytest.mark.parametrize(
    "y, message",
    [
        ([0, 1, 1], "found 0, 1; give classes"),
        (["a", "b", "b"], "found 'a', 'b'; give classes"),
        ([1, 2, 3], "found 1, 2, 3"),
        ([1, -1], "expected 3 labels"),
    ],
)
def test_other_labels_are_refused_with_those_found(y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        soft(CORNER, y, C=1)


def test_parameters_out_of_range_are_refused() -> None:
    with pytest.raises(ParameterError, match="C: expected a positive number"):
        soft(CORNER, CORNER_SIGNS, C=0)
    with pytest.raises(ParameterError, match="negative, positive"):
        soft(CORNER, CORNER_SIGNS, C=1, classes=(-1, 0, 1))
    with pytest.raises(MixedArithmeticError):
        soft(CORNER, CORNER_SIGNS, C=0.5)
    with pytest.raises(MixedArithmeticError, match="gram=exact"):
        hard(CORNER, CORNER_SIGNS, kernel=rbf(1))
    with pytest.raises(ParameterError, match="not both"):
        hard(None, CORNER_SIGNS, kernel=polynomial(2), gram=gram(linear, CORNER))
    with pytest.raises(ParameterError, match="give rows"):
        hard(None, CORNER_SIGNS)
    with pytest.raises(ParameterError, match="gap"):
        hard(CORNER, CORNER_SIGNS, gap=-1)
    with pytest.raises(ParameterError, match="kernel"):
        hard(CORNER, CORNER_SIGNS, kernel="linear")
    with pytest.raises(DataError, match="expected 3 rows"):
        hard(CORNER, CORNER_SIGNS, gram=[[F(1)]])
    with pytest.raises(DataError, match="expected 2 numbers"):
        hard(CORNER, CORNER_SIGNS).decision([F(1)])


# --- Saved models


@pytest.mark.parametrize(
    "model",
    [
        soft(CORNER, CORNER_SIGNS, C=1),
        hard(CORNER, ["in", "in", "out"], classes=("out", "in")),
        hard(CORNER, [1, 1, 1]),
        soft(CORNER, CORNER_SIGNS, C=1, kernel=polynomial(2, offset=1)),
        soft(None, CORNER_SIGNS, C="1/3", gram=gram(linear, CORNER), bias=False),
        fit_binary_svm([[0.1], [0.3], [0.2]], [1, 1, -1], C=0.7, kernel=rbf(0.5)),
        fit_hard_svm([[0.1], [0.3]], [1, -1]),
    ],
)
def test_a_saved_model_comes_back_equal(model: BinarySVM[Any]) -> None:
    assert reloaded(model) == model


@pytest.mark.parametrize(
    "field, value, message",
    [
        ("model", "multiclass-svm", "expected 'binary-svm'"),
        ("arithmetic", "decimal", "exact"),
        ("classes", ["a", "b", "c"], "expected two"),
        ("b_interval", ["1"], "two ends"),
        ("C", "-1", "model.C"),
        ("y", [1, 0, -1], "model.y"),
        ("slack", ["0"], "sizes"),
        ("w", None, "model.w"),
        ("w", ["1"], "model.w"),
        ("kernel", None, "model.rows"),
        ("kernel", {"name": "cosine"}, "model.kernel"),
    ],
)
def test_a_damaged_model_is_refused_naming_the_field(field: str, value: Any, message: str) -> None:
    record = dict(parse_json(soft(CORNER, CORNER_SIGNS, C=1).to_json(), "model"))
    record[field] = value
    with pytest.raises(FormatError, match=message):
        model_from_record(record)


def test_what_cant_be_saved_is_refused() -> None:
    def kernel(u: Sequence[F], v: Sequence[F]) -> F:
        return inner(u, v)

    with pytest.raises(ParameterError, match="kernel"):
        soft(CORNER, CORNER_SIGNS, C=1, kernel=kernel).to_json()
    with pytest.raises(ParameterError, match="classes"):
        soft(CORNER, [(1,), (1,), (0,)], C=1, classes=((0,), (1,))).to_json()


def test_a_C_beyond_all_floats_is_the_hard_margin() -> None:
    model = soft([[F(1)], [F(-1)]], [1, -1], C=F(10) ** 400)
    assert model.w == (F(1),) and model.alpha == (HALF, HALF) and model.certificate.gap == 0


def test_floats_of_one_class_alone_need_no_weights_in_a_hard_margin() -> None:
    model = fit_hard_svm([[1.0], [2.0]], [1, 1])
    assert model.w == (0.0,) and model.alpha == (0.0, 0.0) and model.b_interval == (1.0, None)
    model = fit_hard_svm([[1.0], [2.0]], [-1, -1])
    assert model.w == (0.0,) and model.b_interval == (None, -1.0)
