"""Costs, the sum form, any Ψ and row weights, against duals and primals written out here.

The route beside the SVM's own is `solve_qp` on the program as the lectures print it, made from
feature vectors that are spelled out; `primal_of` restates the objective from w alone.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction as F
from itertools import combinations_with_replacement, permutations, product
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc import (
    BinarySVM,
    DataError,
    MixedArithmeticError,
    MulticlassSVM,
    NotSeparableError,
    ParameterError,
    Pivot,
    TieError,
    balanced_weights,
    exact,
    fit_binary_svm,
    fit_hard_svm,
    fit_multiclass_svm,
    hinge,
    matrix_cost,
    max_form,
    polynomial,
    rbf,
    refuse,
    solve_qp,
    squared_hinge,
    sum_form,
)
from refmc.learn.svm.binary import best_for_squared_hinge
from tests.support import inner, reloaded

Rows = list[list[F]]
Features = Callable[[Sequence[Any], int], list[Any]]
FORMS = [max_form, sum_form]
BINARY: list[Any] = list(product((hinge, squared_hinge), (True, False, "penalised")))


def block(k: int) -> Features:
    return lambda x, j: [a if z == j else 0 * a for z in range(k) for a in x]


def ordinal(x: Sequence[Any], j: int) -> list[Any]:
    return [j * x[0]]


def bent(x: Sequence[Any], j: int) -> list[Any]:
    return [x[0] + j, (j - 1) * x[0] * x[0], 0 * x[0] + j * j]


def excesses(w: Sequence[Any], x: Sequence[Any], y: int, psi: Features, cost: Rows) -> list[F]:
    """m_j = Δ(j, y) + ⟨w, Ψ(x, j) − Ψ(x, y)⟩ for every class j."""
    s = [inner(w, psi(x, j)) for j in range(len(cost))]
    return [cost[j][y] + s[j] - s[y] for j in range(len(cost))]


def primal_of(
    w: Sequence[F], X: Rows, y: Sequence[int], C: F, loss: Any, psi: Features, cost: Rows,
    omega: Sequence[F],
) -> F:  # fmt: skip
    total = inner(w, w) / 2
    for x, c, weight in zip(X, y, omega, strict=True):
        m = excesses(w, x, c, psi, cost)
        loss_i = max(m) if loss is max_form else sum((max(F(0), e) for e in m), F(0))
        total += C * weight * loss_i
    return total


def dual_by_qp(
    X: Rows, y: Sequence[int], C: F, loss: Any, psi: Features, cost: Rows, omega: Sequence[F]
) -> tuple[F, list[F]]:
    """The largest dual value, and the w of the multipliers that reach it."""
    k = len(cost)
    pairs = [(i, z) for i, c in enumerate(y) for z in range(k) if z != c]
    D = [[a - b for a, b in zip(psi(X[i], y[i]), psi(X[i], z))] for i, z in pairs]
    width = len(psi(X[0], 0))
    if not pairs:
        return F(0), [F(0)] * width
    Q = [[inner(u, v) for v in D] for u in D]
    n = len(pairs)
    G = [[F(-(u == v)) for v in range(n)] for u in range(n)]
    h = [F(0)] * n
    if loss is max_form:
        G += [[F(j == i) for j, _ in pairs] for i in range(len(y))]
        h += [C * weight for weight in omega]
    else:
        G += [[F(u == v) for v in range(n)] for u in range(n)]
        h += [C * omega[i] for i, _ in pairs]
    found = solve_qp(Q, [-cost[z][y[i]] for i, z in pairs], G=G, h=h)
    x = [F(a) for a in found.x]
    w = [inner(x, [d[j] for d in D]) for j in range(width)]
    return -F(found.objective), w


def flat(model: MulticlassSVM[F]) -> list[F]:
    assert model.W is not None
    return [a for row in model.W for a in row]


def assert_solves(
    X: Rows, y: Sequence[int], C: F, loss: Any, name: str, cost: Rows, omega: Sequence[F] | None
) -> MulticlassSVM[F]:
    """Exactly optimal by a proof made here, and in agreement with `solve_qp`."""
    k = len(cost)
    psi = {"block": block(k), "ordinal": ordinal, "bent": bent}[name]
    model = cast(
        "MulticlassSVM[F]",
        fit_multiclass_svm(
            X,
            y,
            C=C,
            loss=loss,
            cost=matrix_cost(cost),
            features=None if name == "block" else psi,
            weights=omega,
            classes=range(k),
        ),
    )
    weights = [F(1)] * len(y) if omega is None else omega
    w, certificate = flat(model), model.certificate
    value, w_by_qp = dual_by_qp(X, y, C, loss, psi, cost, weights)
    primal = primal_of(w, X, y, C, loss, psi, cost, weights)
    assert primal == certificate.primal == certificate.dual == model.objective == value
    assert w == w_by_qp
    for i, (row, c) in enumerate(zip(model.lam, y, strict=True)):
        others = [a for z, a in enumerate(row) if z != c]
        assert min(row) >= 0 and row[c] == sum(others, F(0))
        assert max([row[c]] if loss is max_form else [F(0), *others]) <= C * weights[i]
    tau = [[a if z == c else -a for z, a in enumerate(row)] for row, c in zip(model.lam, y)]
    for t in range(len(w)):  # the representer sum
        parts = [tau[i][z] * psi(x, z)[t] for i, x in enumerate(X) for z in range(k)]
        assert w[t] == sum(parts, F(0))
    return model


# --- Problems that are solved by hand


def test_half_y_x_as_features_gives_the_binary_problem_of_the_lecture() -> None:
    # [karagiannis] Example 26 in Problem 27: λw² + max(0, 1 − w) with λ = 1/4 is least at w = 1,
    # where it is 1/4 (at w = 2 it would be 1/2 · … = 1): ½w² + C max(0, 1 − w), times 2λ, C =
    # 1/(2λ).
    lam = F(1, 4)
    model: Any = fit_multiclass_svm(
        [[F(1)]],
        [1],
        C=1 / (2 * lam),
        classes=[-1, 1],
        features=lambda x, j: [(2 * j - 1) * x[0] / 2],
    )
    assert model.W == ((F(1),),) and 2 * lam * model.objective == F(1, 4)
    assert model.certificate.gap == 0 and model.predict([[F(3)], [F(-3)]]) == [1, -1]
    assert model.scores([F(4)]) == (F(-2), F(2)) and model.predict_set([F(0)]) == (-1, 1)


def test_the_block_map_given_as_features_is_the_block_map() -> None:
    X = [[F(1), F(0)], [F(0), F(1)], [F(-1), F(-1)]]
    for loss in FORMS:
        plain: Any = fit_multiclass_svm(X, [0, 1, 2], C=F(1, 3), loss=loss)
        given_: Any = fit_multiclass_svm(X, [0, 1, 2], C=F(1, 3), loss=loss, features=block(3))
        assert flat(plain) == flat(given_) and plain.lam == given_.lam


def test_a_cost_that_no_score_can_meet_stays_a_slack() -> None:
    # x = 0: all scores are 0, so the losses are max Δ = 3 and Σ Δ = 5, with C and weight 1/2.
    cost = matrix_cost([[0, 2, 2], [2, 0, 2], [3, 2, 0]])
    for loss, expected in ((max_form, F(3)), (sum_form, F(5))):
        model: Any = fit_multiclass_svm(
            [[F(0)]], [0], C=4, loss=loss, cost=cost, weights=[F(1, 2)], classes=[0, 1, 2]
        )
        assert model.slack == (expected,) and model.objective == 4 * expected / 2


def test_one_row_against_two_classes_of_unequal_cost_by_hand() -> None:
    # x = 1 of class 0, Δ = 1 and 2; let w_0 = a + b, w_1 = −a, w_2 = −b. Where both margins are
    # met, 2a + b = 1 and a + 2b = 2: a = 0, b = 1, of norm² 1 + 1 = 2, by λ = (0, 1): objective 1.
    cost = matrix_cost([[0, 0, 0], [1, 0, 0], [2, 0, 0]])
    for loss in FORMS:
        model: Any = fit_multiclass_svm([[F(1)]], [0], C=2, loss=loss, cost=cost, classes=[0, 1, 2])
        assert model.W == ((1,), (0,), (-1,)) and model.objective == 1
        assert model.lam == ((1, 0, 1),) and model.support_vectors(2) == (0,)


def test_classes_of_equal_features_tie_for_ever_and_cost_what_they_cost() -> None:
    same: Features = lambda x, j: [x[0] if j else -x[0]]  # classes 1 and 2 are alike
    model: Any = fit_multiclass_svm(
        [[F(1)], [F(-1)]], [1, 0], C=1, features=same, classes=[0, 1, 2]
    )
    # The row of class 1 always has slack 1 against class 2: ½w² + 1 where 2w ≥ 1 for both.
    assert model.W == ((F(1, 2),),) and model.objective == F(1, 8) + 1
    assert model.predict_set([F(2)]) == (1, 2)


def test_classes_without_a_cost_between_them_may_tie() -> None:
    free = matrix_cost([[0, 0], [0, 0]])
    model: Any = fit_multiclass_svm([[F(1)], [F(-1)]], ["a", "b"], C=1, cost=free)
    assert model.W == ((0,), (0,)) and model.objective == 0
    assert model.predict_set([F(5)]) == ("a", "b")


def test_weighted_rows_with_a_bias_have_the_answer_found_by_hand() -> None:
    # X = 0, 6, 5 of −, −, +. f(0) = −1 and f(5) = 1 give w = 2/5, b = −1. The row at 6 is at its
    # bound 3; Σ αyx = 5α_2 − 18 = 2/5 and α_0 + 3 = α_2.
    X, y = [[F(0)], [F(6)], [F(5)]], [-1, -1, 1]
    model: Any = fit_binary_svm(X, y, C=1, weights=[3, 3, 6])
    assert model.alpha == (F(17, 25), 3, F(92, 25))
    assert (model.w, model.b, model.b_interval) == ((F(2, 5),), -1, (-1, -1))
    assert model.weights == (3, 3, 6)


@pytest.mark.parametrize("C", [F(1, 4), F(1), F(3)])
def test_squared_hinges_of_one_row_by_hand(C: F) -> None:
    # ½w² + C(1 − w)² is least at w = 2C/(1 + 2C); with a penalised bias w = b = 2C/(1 + 4C).
    for weights, bound in ((None, C), ([F(1, 2)], C / 2)):
        fit: Any = fit_binary_svm(
            [[F(1)]], [1], C=C, loss=squared_hinge, bias=False, weights=weights
        )
        w = 2 * bound / (1 + 2 * bound)
        assert fit.w == (w,) and fit.alpha == (w,) and fit.margin_squared == 1 / w**2
        assert fit.objective == w * w / 2 + bound * (1 - w) ** 2
        fit = fit_binary_svm(
            [[F(1)]], [1], C=C, loss=squared_hinge, bias="penalised", weights=weights
        )
        w = 2 * bound / (1 + 4 * bound)
        assert (fit.w, fit.b, fit.b_interval) == ((w,), w, (w, w))
        assert fit.margin_squared == 1 / w**2 and fit.certificate.gap == 0
    fit = fit_binary_svm([[F(1)]], [1], C=C, loss=squared_hinge)
    assert (fit.w, fit.b, fit.b_interval, fit.objective) == ((0,), 1, (1, None), 0)


def test_a_penalised_bias_is_that_of_linear_svms_in_libraries() -> None:
    # X = 4, 5, 7, 9 of −, −, +, +. At the optimum the rows 4 and 9 have slack or are at bounds:
    # w = Σ αyx, b = Σ αy, with f(4) = … found by the program of `primal_by_qp` below as well.
    X, y = [[F(4)], [F(5)], [F(7)], [F(9)]], [-1, -1, 1, 1]
    model: Any = fit_binary_svm(X, y, C=1, bias="penalised")
    assert (model.w, model.b) == ((F(8, 41),), F(-31, 41))
    assert (round(float(model.w[0]), 3), round(float(model.b), 3)) == (0.195, -0.756)


def test_a_row_without_weight_is_absent() -> None:
    X, y = [[F(0)], [F(1)], [F(1)]], [-1, 1, -1]
    with pytest.raises(NotSeparableError):
        fit_hard_svm(X, y)
    for fit in (
        lambda X, y, weights: fit_hard_svm(X, y, weights=weights),
        lambda X, y, weights: fit_binary_svm(X, y, C=3, weights=weights),
        lambda X, y, weights: fit_binary_svm(X, y, C=3, weights=weights, loss=squared_hinge),
        lambda X, y, weights: fit_multiclass_svm(X, y, C=3, weights=weights),
        lambda X, y, weights: fit_multiclass_svm(X, y, C=3, weights=weights, loss=sum_form),
    ):
        with_it: Any = fit(X, y, [1, 1, 0])
        without: Any = fit(X[:2], y[:2], None)
        assert with_it.objective == without.objective
        assert with_it.scores([F(7)]) == without.scores([F(7)])
        assert with_it.support_vectors(1) if hasattr(with_it, "W") else with_it.support_vectors


def test_all_weight_on_one_row_is_legal() -> None:
    X = [[F(1)], [F(2)], [F(5)]]
    model: Any = fit_multiclass_svm(X, [0, 1, 2], C=1, weights=[0, 3, 0])
    alone: Any = fit_multiclass_svm([[F(2)]], [1], C=3, classes=[0, 1, 2])
    assert model.W == alone.W and model.objective == alone.objective


def test_class_weights_are_given_row_by_row() -> None:
    y = ["a", "b", "b", "b"]
    X = [[F(1)], [F(-1)], [F(2)], [F(-3)]]
    of_class = dict(zip("ab", balanced_weights(y)))
    model: Any = fit_multiclass_svm(X, y, C=1, weights=[of_class[label] for label in y])
    assert model.weights == (2, F(2, 3), F(2, 3), F(2, 3))
    assert_solves(
        X, [0, 1, 1, 1], F(1), max_form, "block", [[F(0), F(1)], [F(1), F(0)]], model.weights
    )


# --- Every tiny problem


def tiny_problems() -> Iterator[tuple[Rows, list[int], Rows]]:
    """Up to 3 rows over {−1, 0, 1}, up to 3 classes, costs from {0, 1, 2}.

    Up to the order of rows and the names of classes; costs of classes that no row has don't count.
    """
    for k, m in product((1, 2, 3), (1, 2, 3)):
        seen = set()
        for chosen in combinations_with_replacement(list(product((-1, 0, 1), range(k))), m):
            names = {
                tuple(sorted((x, order[c]) for x, c in chosen)) for order in permutations(range(k))
            }
            if min(names) in seen:
                continue
            seen.add(min(names))
            right = sorted({c for _, c in chosen})
            wrong = [(z, c) for c in right for z in range(k) if z != c]
            for costs in product((0, 1, 2), repeat=len(wrong)):
                cost = [[F(0)] * k for _ in range(k)]
                for (z, c), value in zip(wrong, costs):
                    cost[z][c] = F(value)
                yield [[F(x)] for x, _ in chosen], [c for _, c in chosen], cost


def solve_tiny(number: int, problem: tuple[Rows, list[int], Rows]) -> None:
    X, y, cost = problem
    C = (F(1), F(1, 4), F(3))[number % 3]
    for loss in FORMS:
        for name in ("block", "ordinal", "bent"):
            assert_solves(X, y, C, loss, name, cost, None)


def test_a_sample_of_all_tiny_problems_agrees_with_the_dual_as_printed() -> None:
    for number, problem in enumerate(tiny_problems()):
        if number % 997 == 7:
            solve_tiny(number, problem)


@pytest.mark.campaign
def test_all_tiny_problems_agree_with_the_dual_as_printed() -> None:
    for number, problem in enumerate(tiny_problems()):
        solve_tiny(number, problem)


# --- Properties on small grids

grid = st.integers(-3, 3).map(lambda n: F(n, 2))
bounds = st.sampled_from([F(1, 8), F(1), F(5, 2)])
prices = st.sampled_from([F(0), F(1, 2), F(1), F(3)])


@st.composite
def problems(draw: st.DrawFn, k: int = 3) -> tuple[Rows, list[int], Rows]:
    m, d = draw(st.integers(1, 5)), draw(st.integers(1, 2))
    X = draw(st.lists(st.lists(grid, min_size=d, max_size=d), min_size=m, max_size=m))
    y = draw(st.lists(st.integers(0, k - 1), min_size=m, max_size=m))
    return X, y, [[F(0) if j == c else draw(prices) for c in range(k)] for j in range(k)]


@given(
    problems(),
    bounds,
    st.sampled_from(FORMS),
    st.sampled_from(["block", "ordinal", "bent"]),
    st.data(),
)
def test_primal_equals_dual_exactly_for_every_combination(
    problem: tuple[Rows, list[int], Rows], C: F, loss: Any, name: str, data: st.DataObject
) -> None:
    X, y, cost = problem
    omega = data.draw(st.lists(prices, min_size=len(y), max_size=len(y)).filter(any))
    model = assert_solves(X, y, C, loss, name, cost, omega)
    for i in model.outliers:
        assert model.slack[i] > 0
    bounded = {i for i, eta in enumerate(model.slack) if eta > 0}
    assert set(model.outliers) == bounded


@given(problems(2), bounds)
def test_two_classes_of_equal_costs_are_the_unbiased_binary_svm_at_twice_the_C(
    problem: tuple[Rows, list[int], Rows], C: F
) -> None:
    X, y, _ = problem
    binary: Any = fit_binary_svm(X, y, C=2 * C, bias=False, classes=(0, 1))
    for loss in FORMS:
        model: Any = fit_multiclass_svm(X, y, C=C, loss=loss, classes=[0, 1])
        assert [b - a for a, b in zip(*model.W)] == list(binary.w)
        assert 2 * model.objective == binary.objective


@given(problems(), bounds, st.sampled_from(FORMS), st.booleans(), st.booleans())
def test_floats_reach_the_gap_with_any_combination(
    problem: tuple[Rows, list[int], Rows], C: F, loss: Any, weighs: bool, maps: bool
) -> None:
    X, y, cost = problem
    omega = [F(1 + i, 2) for i in range(len(y))]
    rows = [[float(a) for a in x] for x in X]
    model: Any = fit_multiclass_svm(
        rows,
        y,
        C=float(C),
        loss=loss,
        cost=matrix_cost([[float(a) for a in row] for row in cost]),
        weights=[float(w) for w in omega] if weighs else None,
        features=bent if maps else None,
        classes=[0, 1, 2],
    )
    best: Any = fit_multiclass_svm(
        X,
        y,
        C=C,
        loss=loss,
        cost=matrix_cost(cost),
        weights=omega if weighs else None,
        features=bent if maps else None,
        classes=[0, 1, 2],
    )
    certificate = model.certificate
    assert certificate.dual <= best.objective <= certificate.primal
    assert certificate.gap <= F(1, 10**9) * certificate.primal
    assert all(isinstance(a, float) for row in model.W for a in row)


def primal_by_qp(
    X: Rows, y: Sequence[int], C: F, loss: Any, bias: Any, omega: Sequence[F]
) -> tuple[F, list[F]]:
    """The primal of a binary SVM in w, b and the slacks, and the w that solves it."""
    d, m = len(X[0]), len(X)
    n = d + 1 + m
    square = loss is squared_hinge
    Q = [[F(0)] * n for _ in range(n)]
    for j in range(d):
        Q[j][j] = F(1)
    Q[d][d] = F(bias == "penalised")
    c = [F(0)] * n
    for i, weight in enumerate(omega):
        if square:
            Q[d + 1 + i][d + 1 + i] = 2 * C * weight
        else:
            c[d + 1 + i] = C * weight
    unit = [[F(v == u) for v in range(n)] for u in range(n)]
    G = [
        [-sign * a for a in x] + [F(-sign)] + [-F(i == u) for u in range(m)]
        for i, (x, sign) in enumerate(zip(X, y))
    ]
    h = [F(-1)] * m
    G += [[-a for a in unit[d + 1 + i]] for i in range(m)]
    h += [F(0)] * m
    A, b = ([unit[d]], [F(0)]) if bias is False else ([], [])
    found = solve_qp(Q, c, A=A, b=b, G=G, h=h)
    return F(found.objective), [F(a) for a in found.x[:d]]


@given(
    problems(2),
    bounds,
    st.sampled_from([hinge, squared_hinge]),
    st.sampled_from([True, False, "penalised"]),
    st.data(),
)
def test_binary_svms_agree_with_the_primal_as_printed(
    problem: tuple[Rows, list[int], Rows], C: F, loss: Any, bias: Any, data: st.DataObject
) -> None:
    X, codes, _ = problem
    y = [2 * c - 1 for c in codes]
    omega = data.draw(st.lists(prices, min_size=len(y), max_size=len(y)).filter(any))
    objective, w = primal_by_qp(X, y, C, loss, bias, omega)
    model: Any = fit_binary_svm(X, y, C=C, loss=loss, bias=bias, weights=omega)
    assert model.objective == objective and list(model.w) == w
    assert model.certificate.gap == 0
    in_float: Any = fit_binary_svm(
        [[float(a) for a in x] for x in X],
        y,
        C=float(C),
        loss=loss,
        bias=bias,
        weights=[float(a) for a in omega],
    )
    proof = in_float.certificate
    assert proof.dual <= objective <= proof.primal and proof.gap <= F(1, 10**9) * proof.primal


@given(problems(2), st.data())
def test_the_biases_of_squared_hinges_are_all_the_best(
    problem: tuple[Rows, list[int], Rows], data: st.DataObject
) -> None:
    X, codes, _ = problem
    y, s = [2 * c - 1 for c in codes], [x[0] for x in X]
    counts = data.draw(st.lists(prices, min_size=len(y), max_size=len(y)).filter(any))

    def total(b: F) -> F:
        return sum(
            (c * max(F(0), 1 - sign * (a + b)) ** 2 for a, sign, c in zip(s, y, counts)), F(0)
        )

    low, high = best_for_squared_hinge(s, y, counts)
    ends = [end for end in (low, high) if end is not None]
    assert ends and len({total(end) for end in ends}) == 1
    step = F(1, 10**6)
    for end, outwards in ((low, -step), (high, step)):
        if end is None:
            assert total(ends[0] + outwards * 10**12) == total(ends[0])
        else:
            assert total(end + outwards) > total(end)
            assert total(end - outwards) >= total(end)


def test_the_bias_of_squared_hinges_is_one_where_both_classes_have_their_kink_there() -> None:
    # below 1 the row of +1 has slack, above 1 that of −1; which comes first must not matter
    for s, y in (([F(-2), F(0)], [-1, 1]), ([F(0), F(-2)], [1, -1])):
        assert best_for_squared_hinge(s, y, [F(1), F(1)]) == (F(1), F(1))


# --- What comes with the answer


def test_steps_tell_the_bounds_of_both_forms() -> None:
    X, y = [[F(1)], [F(2)]], [0, 1]
    steps: list[Pivot[F]] = []
    model: Any = fit_multiclass_svm(X, y, C="1/9", loss=sum_form, on_step=steps.append, guess=False)
    assert steps[-1].objective == -model.certificate.dual
    # λ_01 and λ_10 reach their bound 1/9: constraints mk + i·k + z
    assert steps[-1].leaving is not None and steps[-1].leaving >= 4
    assert {4 + 1, 4 + 2} <= set(steps[-1].working_set)


def test_the_policy_settles_ties_of_any_features() -> None:
    fit: Any = fit_multiclass_svm([[F(1)]], [1], C=1, features=ordinal, classes=[0, 1], tie=refuse)
    with pytest.raises(TieError):
        fit.predict([[F(0)]])


@pytest.mark.parametrize("name", ["exact", "float"])
def test_saved_models_come_back_with_their_costs_and_weights(name: str) -> None:
    number: Any = F if name == "exact" else float
    X = [[number(1)], [number(2)], [number(-1)]]
    cost = matrix_cost([[0, 1, "1/2"], [2, 0, 1], [1, 1, 0]])
    multi: Any = fit_multiclass_svm(X, [0, 1, 2], C=1, cost=cost, loss=sum_form, weights=[1, 2, 0])
    again: Any = reloaded(multi)
    assert again == multi and again.loss is sum_form and again.cost == multi.cost
    for bias in (True, False, "penalised"):
        binary: Any = fit_binary_svm(
            X, [1, -1, 1], C=1, loss=squared_hinge, weights=[1, 2, 3], bias=bias
        )
        back: Any = reloaded(binary)
        assert back == binary and back.loss is squared_hinge and back.bias == bias
        assert back.margin_squared == binary.margin_squared
    hard: Any = fit_hard_svm(X, [1, 1, -1], weights=[1, 0, 1])
    assert reloaded(hard) == hard


def test_features_of_the_callers_are_not_saved_and_have_no_margin_bound() -> None:
    model: Any = fit_multiclass_svm([[F(1)]], [1], C=1, features=ordinal, classes=[0, 1])
    with pytest.raises(ParameterError, match="features: a function of the caller's can't be saved"):
        model.to_json()
    with pytest.raises(
        ParameterError, match="features: the bound is for one weight vector a class"
    ):
        model.margin_bound(rho=1, delta="1/2")


# --- What is refused

ROWS = [[F(1)], [F(2)], [F(-1)]]


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        (
            {"cost": lambda j, y: j - y},
            ParameterError,
            r"cost\(0, 1\): expected at least 0, got -1",
        ),
        ({"cost": lambda j, y: 1}, ParameterError, r"cost\(0, 0\): expected 0, got 1"),
        ({"cost": lambda j, y: float("nan") * (j != y)}, DataError, r"cost\(j, 0\)"),
        (
            {"cost": matrix_cost([[0, 1], [1, 0]])},
            ParameterError,
            "a table of 2 classes, expected 3",
        ),
        (
            {"cost": matrix_cost([[0, 1], [1, 0]]), "features": ordinal},
            ParameterError,
            "a table of 2 classes, expected 3",
        ),
        ({"cost": lambda j, y: 0.5 * (j != y)}, MixedArithmeticError, r"cost\(j, 0\)"),
        ({"weights": [1, -1, 1]}, DataError, "weights: row 1: expected at least 0, got -1"),
        ({"weights": [1, 1]}, DataError, "weights: expected 3, one a row, got 2"),
        ({"weights": [0, 0, 0]}, DataError, "weights: expected at least one above 0"),
        ({"weights": [1, float("nan"), 1]}, DataError, "weights"),
        ({"weights": [0.5, 1.0, 1.0]}, MixedArithmeticError, "weights"),
        ({"features": lambda x, j: [1] * (j + 1)}, DataError, r"features\(row 0, j\): row 1 has 2"),
        (
            {"features": lambda x, j: [1] * int(x[0] + 3)},
            DataError,
            r"features\(row 1, j\): expected 4 numbers, as for row 0, got 5",
        ),
        (
            {"features": lambda x, j: [[1], [2]][j]},
            ParameterError,
            r"features\(row 0, j\): expected a vector for each of 3 classes, got IndexError",
        ),
        ({"features": "linear"}, ParameterError, "features: expected a function"),
        ({"features": ordinal, "kernel": polynomial(2)}, ParameterError, "features: .* linear"),
        ({"loss": "sum_form"}, ParameterError, "loss: expected max_form or sum_form"),
        ({"loss": hinge}, ParameterError, "loss: expected max_form or sum_form"),
    ],
)
def test_bad_parameters_of_the_multiclass_svm_are_named(
    parameters: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        fit_multiclass_svm(ROWS, [0, 1, 2], C=1, **parameters)


def test_features_need_rows_of_numbers() -> None:
    with pytest.raises(ParameterError, match="features: "):
        fit_multiclass_svm(None, [0], C=1, gram=[[F(1)]], features=ordinal)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"loss": max_form}, ParameterError, "loss: expected hinge or squared_hinge"),
        ({"loss": "hinge"}, ParameterError, "loss: expected hinge or squared_hinge"),
        ({"bias": "free"}, ParameterError, "bias: expected True, False or 'penalised'"),
        ({"bias": 1}, ParameterError, "bias: expected True, False or 'penalised'"),
        ({"weights": [0, 0, 0]}, DataError, "weights: expected at least one above 0"),
        ({"weights": [1, 2]}, DataError, "weights: expected 3, one a row, got 2"),
    ],
)
def test_bad_parameters_of_the_binary_svm_are_named(
    parameters: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        fit_binary_svm(ROWS, [1, 1, -1], C=1, **parameters)


def test_kernels_serve_every_loss_and_weight() -> None:
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    for loss in FORMS:
        model: Any = fit_multiclass_svm(X, y, C=2, loss=loss, kernel=rbf(1), weights=[1, 2, 1, 3])
        assert model.certificate.gap <= F(1, 10**9) * model.certificate.primal
    for loss, bias in BINARY:
        K = polynomial(2, offset=1)
        of_kernel: Any = fit_binary_svm(
            exact(X), y, C=2, loss=loss, bias=bias, kernel=K, classes=(0, 1)
        )
        points = [F(x[0]) for x in X]
        K_given = [[a * a * b * b + 2 * a * b + 1 for b in points] for a in points]  # (ab + 1)²
        of_gram: Any = fit_binary_svm(
            None, y, C=2, loss=loss, bias=bias, gram=K_given, classes=(0, 1)
        )
        assert of_kernel.objective == of_gram.objective
        assert isinstance(of_kernel, BinarySVM) and of_kernel.b == of_gram.b
