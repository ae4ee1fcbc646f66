"""Costs, features, weights, the sum form, squared hinges and penalised biases, by hand and by brute
force.

Brute force: with one feature a problem is the least of a convex piecewise quadratic function of one
number, which is found among the turns of its pieces and the least points of their parabolas.
"""

from collections.abc import Sequence
from fractions import Fraction as F
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.checker import Verdict
from refmc.checker.kernels import KERNELS, prepare
from refmc.checker.numbers.arithmetic import to_matrix
from refmc.checker.svm import binary, hard, multiclass
from refmc.checker.svm.binary import BinaryAnswer, BinaryProblem, Interval
from refmc.checker.svm.binary_points import biases, hinges, of_weights, primal
from refmc.checker.svm.binary_points import repaired as repaired_binary
from refmc.checker.svm.binary_scores import row_violations
from refmc.checker.svm.multiclass import MulticlassAnswer, MulticlassProblem
from refmc.checker.svm.multiclass_points import (
    group_gaps,
    prepare_multiclass,
    primal_point,
    repaired,
)

H, T = F(1, 2), F(1, 3)
EXACT = F(0)


def judge_binary(
    problem: BinaryProblem, witness: Any = None, allowed: F = EXACT, **submitted: Any
) -> Verdict:
    answer = BinaryAnswer(**submitted)
    return binary.judge(problem, answer, witnesses=[lambda: witness], allowed=allowed)


def judge_multiclass(
    problem: MulticlassProblem, witness: Any = None, allowed: F = EXACT, **submitted: Any
) -> Verdict:
    answer = MulticlassAnswer(**submitted)
    return multiclass.judge(problem, answer, witnesses=[lambda: witness], allowed=allowed)


def nearly(values: Sequence[F], i: int) -> list[F]:
    return [v + F(1, 10**20) * (i == j) for j, v in enumerate(values)]


# --- Binary


def test_the_weights_of_rows_scale_their_costs() -> None:
    """X = 0, 6, 5 of -, -, + with weights 3, 3, 6: w = -6 · 3 + 5 · 92/25 = 2/5, and b = -1.

    The margins are 1, -7/5 and 1, so row 1 pays 3 (12/5), and alpha_1 = 3 is at its bound:
    P = 2/25 + 36/5 = 182/25, the dual value 17/25 + 3 + 92/25 - 2/25.
    """
    problem = BinaryProblem(X=[[0], [6], [5]], y=(-1, -1, 1), C=F(1), weights=(3, 3, 6))
    alpha = [F(17, 25), F(3), F(92, 25)]
    verdict = judge_binary(
        problem, w=[F(2, 5)], b=F(-1), alpha=alpha, slack=[0, F(12, 5), 0], scores=[-1, F(7, 5), 1],
        labels=[-1, 1, 1], values={"objective": F(182, 25)}, margin_squared=F(25, 4),
    )  # fmt: skip
    assert verdict and verdict.gap == 0
    assert verdict.summary == "3 rows, C = 1, with bias, weighted"
    for i in range(3):
        assert judge_binary(problem, alpha, alpha=nearly(alpha, i)).status == "REFUTED"
    # without the weights 3 is more than C
    plain = BinaryProblem(X=[[0], [6], [5]], y=(-1, -1, 1), C=F(1))
    assert "multiplier 3 is more than C = 1" in [
        v.text for v in judge_binary(plain, alpha=alpha).violations
    ]
    assert "multiplier 7 is more than C_2 = 6" in [
        v.text for v in judge_binary(problem, alpha=[0, 0, 7]).violations
    ]


def test_a_row_of_weight_0_is_absent() -> None:
    # rows 1 and -1 as in FREE of the oracle; row 5, labelled -, would cost much
    problem = BinaryProblem(X=[[1], [-1], [5]], y=(1, -1, -1), C=F(1, 4), weights=(1, 1, 0))
    alpha, nothing = [F(1, 4), F(1, 4), F(0)], F(0)
    verdict = judge_binary(
        problem, w=[H], b=nothing, alpha=alpha, scores=[H, -H, 5 * H], slack=[H, H, 0],
        b_interval=Interval(-H, H), values={"objective": F(3, 8)},
    )  # fmt: skip
    assert verdict and verdict.gap == 0
    assert judge_binary(problem, alpha=[F(1, 4), F(1, 8), F(1, 8)]).status == "REFUTED"
    assert judge_binary(problem, alpha, scores=[H, -H, 2]).status == "REFUTED"


def test_a_squared_hinge_has_multipliers_without_a_bound() -> None:
    """Rows 1 and -1 with C = 1/2: b = 0 by symmetry, and w - 2 (1 - w) = 0 gives w = 2/3.

    P = 2/9 + 1/9; alpha_i = 2 C eta_i = 1/3, and 2/3 - 2/9 - 2 (1/9) / (4/2) is P.
    """
    problem = BinaryProblem(X=[[1], [-1]], y=(1, -1), C=H, squared=True)
    right: dict[str, Any] = {
        "w": [2 * T], "b": F(0), "alpha": [T, T], "scores": [2 * T, -2 * T], "labels": [1, -1],
        "slack": [T, T], "b_interval": Interval(F(0), F(0)), "margin_squared": F(9, 4),
        "values": {"objective": T},
    }  # fmt: skip
    verdict = judge_binary(problem, **right)
    assert verdict and verdict.gap == 0
    assert verdict.summary == "2 rows, C = 1/2, with bias, squared hinge"
    assert judge_binary(problem, [T, T], w=[2 * T]) and judge_binary(problem, alpha=[T, T])
    wrong: list[dict[str, Any]] = [
        {"w": [2 * T + F(1, 10**20)]}, {"b": F(1, 10**20)}, {"alpha": [T, T + F(1, 10**20)]},
        {"scores": [2 * T, -2 * T + F(1, 10**20)]}, {"slack": [T, T + F(1, 10**20)]},
        {"slack": [T, -T]}, {"labels": [1, 1]}, {"values": {"objective": T + F(1, 10**20)}},
    ]  # fmt: skip
    for change in wrong:
        assert judge_binary(problem, [T, T], **{**right, **change}).status == "REFUTED", change
    # the plain hinge with the same C: w = 1/2 C 2 = 1/2 · 2 = 1, so 2/3 is too short for it
    plain = BinaryProblem(X=[[1], [-1]], y=(1, -1), C=H)
    assert judge_binary(plain, [H, H], w=[2 * T]).status == "REFUTED"


def test_a_margin_under_the_squared_hinge_needs_what_its_multiplier_pays_for() -> None:
    # ½w² + (1 − w)² is least at w = 2/3 with α = 2/3, which pays for a hinge of 1/3
    problem = BinaryProblem(X=[[1]], y=(1,), C=F(1), squared=True, bias=False)
    for w, text in ((F(0), "margin 0, needs 2/3"), (F(1), "margin 1, needs only 2/3")):
        verdict = judge_binary(problem, w=[w], witness=[F(2, 3)])
        assert text in [violation.text for violation in verdict.violations]


def test_the_bias_of_a_squared_hinge_is_one_number_where_rows_pay() -> None:
    # one positive row at 1, two negative at 0: with w = 0 the loss (1-b)² + 2(1+b)² is least at b =
    # -1/3
    problem = BinaryProblem(X=[[1], [0], [0]], y=(1, -1, -1), C=F(1), squared=True)
    assert biases(problem, (F(0), F(0), F(0))) == Interval(-T, -T)
    # the weights 4, 1, 1 make it 4(1-b)² + 2(1+b)²
    weighted = BinaryProblem(
        X=[[1], [0], [0]], y=(1, -1, -1), C=F(1), squared=True, weights=(4, 1, 1)
    )
    assert biases(weighted, (F(0), F(0), F(0))) == Interval(T, T)
    # separated with room: every b of the margin pays nothing
    assert biases(problem, (F(3), F(-1), F(-2))) == Interval(F(-2), F(0))
    # two rows that turn at one b turn together, of either class: 3 + b ≥ 1 and −1 + b ≤ −1
    twins = BinaryProblem(y=(1, 1, -1, -1), C=F(1), squared=True)
    assert biases(twins, (F(3), F(3), F(-1), F(-1))) == Interval(F(-2), F(0))


@given(st.data(), st.booleans())
def test_the_best_biases_are_those_with_the_least_loss(data: st.DataObject, squared: bool) -> None:
    m = data.draw(st.integers(1, 4))
    half = st.integers(-4, 4).map(lambda n: F(n, 2))
    y = tuple(data.draw(st.sampled_from([-1, 1])) for _ in range(m))
    scores = [data.draw(half) for _ in range(m)]
    omega = tuple(data.draw(st.sampled_from([0, 1, 3])) for _ in range(m))
    slack = [data.draw(st.sampled_from([F(0), H, F(2)])) for _ in range(m)]
    problem = BinaryProblem(y=y, C=F(1), squared=squared, weights=omega)

    def loss(b: F, given: Sequence[F]) -> F:
        paid = [max(eta, s) for eta, s in zip(hinges(y, scores, b), given)]
        return sum((w * (eta * eta if squared else eta) for w, eta in zip(omega, paid)), F(0))

    for given_slack in ([F(0)] * m, slack):
        found = biases(problem, scores, given_slack)
        ends = [end for end in (found.low, found.high) if end is not None]
        grid = [F(n, 12) for n in range(-96, 97, 4)] + ends
        least = min(loss(b, given_slack) for b in grid)
        for b in grid:
            inside = (found.low is None or found.low <= b) and (
                found.high is None or b <= found.high
            )
            assert inside == (loss(b, given_slack) == least)


def test_a_penalised_bias_is_the_weight_of_a_column_of_ones() -> None:
    """X = 4, 5, 7, 9 of -, -, +, + with C = 1: the last row has margin 1, the others pay.

    With alpha = (1, 1, 1, a): w = -4 - 5 + 7 + 9a, b = -1 + a, and 9w + b = 1 gives a = 10/41,
    w = 8/41, b = -31/41. The others' margins are -1/41, -9/41, 25/41: P = 1/2 (64 + 961)/41² +
    108/41, and 3 + 10/41 - 1/2 (1025)/41² is the same.
    """
    X, y = [[4], [5], [7], [9]], (-1, -1, 1, 1)
    problem = BinaryProblem(X=X, y=y, C=F(1), bias="penalised")
    alpha, w, b = [F(1), F(1), F(1), F(10, 41)], [F(8, 41)], F(-31, 41)
    optimum = F(1025, 2 * 41**2) + F(42 + 50 + 16, 41)
    right: dict[str, Any] = {
        "w": w, "b": b, "alpha": alpha, "values": {"objective": optimum},
        "scores": [w[0] * x + b for [x] in X], "slack": [F(42, 41), F(50, 41), F(16, 41), 0],
    }  # fmt: skip
    assert optimum == sum(alpha) - F(1025, 2 * 41**2)
    verdict = judge_binary(problem, **right)
    assert verdict and verdict.gap == 0
    assert verdict.summary == "4 rows, C = 1, with penalised bias"
    assert judge_binary(problem, alpha=alpha, b=b)
    for change in ({"w": [w[0] + F(1, 10**9)]}, {"b": b - F(1, 10**9)}, {"slack": [0, 0, 0, 0]}):
        assert judge_binary(problem, **{**right, **change}).status == "REFUTED"
    assert judge_binary(problem, alpha=alpha, b=b + 1).status == "REFUTED"
    # neither is it the answer with a free bias, whose multipliers are balanced
    free = BinaryProblem(X=X, y=y, C=F(1))
    assert judge_binary(free, alpha=alpha).status == "REFUTED"
    # the kernel of the rows with a 1 each is 1 larger
    gram = [[x * z for [z] in X] for [x] in X]
    by_gram = BinaryProblem(gram=gram, y=y, C=F(1), bias="penalised")
    assert judge_binary(by_gram, alpha=alpha, b=b, scores=right["scores"]).gap == 0


def test_a_hard_margin_may_have_a_penalised_bias() -> None:
    """Rows 0, - and 2, +: b ≤ -1 and 2w + b ≥ 1 with 1/2 (w² + b²) least at b = -1, w = 1.

    alpha_1 (2, 1) - alpha_0 (0, 1) = (1, -1): alpha = (3/2, 1/2), and 2 - 1/2 · 2 = 1.
    """
    problem = BinaryProblem(X=[[0], [2]], y=(-1, 1), bias="penalised")
    answer: dict[str, Any] = {
        "w": [1], "b": F(-1), "alpha": [3 * H, H], "values": {"objective": F(1)},
        "scores": [-1, 1], "labels": [-1, 1],
    }  # fmt: skip
    judged = hard.judge(problem, BinaryAnswer(**answer), allowed=EXACT)
    assert judged and judged.gap == 0 and judged.summary == "2 rows, with penalised bias"
    for change in ({"w": [F(11, 10)]}, {"b": F(-11, 10)}, {"alpha": [F(1), F(1)]}):
        wrong = hard.judge(
            problem,
            BinaryAnswer(**{**answer, **change}),
            witnesses=[lambda: hard.Witness([3 * H, H])],
            allowed=EXACT,
        )
        assert wrong.status == "REFUTED"
    # rows 1 and 2 of both signs: the origin is in the hull of (1, 1) and -(1, 1) only where rows
    # are equal
    same = BinaryProblem(X=[[1], [1]], y=(1, -1), bias="penalised")
    assert hard.judge(same, BinaryAnswer(combination=[1, 1]), allowed=EXACT)
    apart = BinaryProblem(X=[[1], [2]], y=(1, -1), bias="penalised")
    assert not hard.judge(apart, BinaryAnswer(combination=[2, 1]), allowed=EXACT)


@given(st.data(), st.sampled_from([True, False, "penalised"]), st.booleans())
def test_rows_and_the_distance_account_for_the_whole_gap(
    data: st.DataObject, bias: Any, squared: bool
) -> None:
    """P(w, b) − θ(α) by the terms of the module's heading, in plain numbers."""
    grid = st.integers(-4, 4).map(lambda n: F(n, 2))
    m = data.draw(st.integers(1, 4))
    X = [[data.draw(grid)] for _ in range(m)]
    y = tuple(data.draw(st.sampled_from([-1, 1])) for _ in range(m))
    omega = tuple(data.draw(st.sampled_from([0, 1, 2])) for _ in range(m))
    problem = BinaryProblem(X=X, y=y, C=H, weights=omega, squared=squared, bias=bias)
    w, b = data.draw(grid), data.draw(grid) if bias else F(0)
    alpha = [data.draw(grid) for _ in X]
    case = binary.read_case(prepare(problem), BinaryAnswer(w=[w], b=b, alpha=alpha), EXACT)
    assert case.function is not None and case.own is not None
    free = b if bias is True else F(0)
    value = primal(problem, case.function, free)
    by_hand = w * w / 2 + (b * b / 2 if bias == "penalised" else 0)
    for [x], sign, weight in zip(X, y, omega):
        eta = max(F(0), 1 - sign * (w * x + b))
        by_hand += H * weight * (eta * eta if squared else eta)
    assert value == by_hand
    found, a = case.own, case.own.alpha
    assert all(0 <= v and (v <= H * k or (squared and k)) for v, k in zip(a, omega))
    assert bias is not True or sum(v * sign for v, sign in zip(a, y)) == 0
    own_w = sum((v * sign * x for v, sign, [x] in zip(a, y, X)), F(0))
    own_b = sum((v * sign for v, sign in zip(a, y)), F(0)) if bias == "penalised" else F(0)
    dual = sum(a) - (own_w**2 + own_b**2) / 2
    dual -= sum((v * v / (2 * k) for v, k in zip(a, omega) if v), F(0)) if squared else 0
    assert found.dual == dual and value >= dual
    scores = [g + free for g in case.function.scores]
    rows = sum((v.amount for v in row_violations(case.data, scores, found)), F(0))
    apart = (w - own_w) ** 2 + ((b - own_b) ** 2 if bias == "penalised" else 0)
    assert rows + apart / 2 == value - dual


# --- Multi-class


def test_example_26_has_its_printed_features() -> None:
    """Ψ = ½yx, X = [[1]], y = +1, λ = 1/4: C = 1/(2λ) = 2, and P = ½w² + 2 max(0, 1 − w) is ½ at w
    = 1.

    In the lecture's scale that is 2λ P = 1/4.
    """
    problem = MulticlassProblem(features=[[[-H], [H]]], y=(1,), k=2, C=F(2))
    verdict = judge_multiclass(
        problem, W=[[1]], lam=[[1, 1]], scores=[[-H, H]], slack=[0], labels=[1],
        values={"objective": H},
    )  # fmt: skip
    assert verdict and verdict.gap == 0
    assert verdict.summary == "1 row, 2 classes, C = 2, features"
    for change in ({"W": [[H]]}, {"scores": [[-H, F(2)]]}, {"labels": [0]}, {"lam": [[H, H]]}):
        assert judge_multiclass(problem, [[1, 1]], **change).status == "REFUTED"
    verdict = judge_multiclass(problem, [[1, 1]], W=[[H]])
    # P(1/2) = 1/8 + 1: the margin 1/2 misses 1/2, of which C - 1 = 1 is paid without need, and 1/8
    assert [(v.place, v.amount) for v in verdict.violations] == [
        ("row 0 against class 0", H), ("w", F(1, 8)),
    ]  # fmt: skip


def test_costs_are_margins_to_be_kept() -> None:
    """One row x = 1 of class 0 with Δ(1, 0) = 2, Δ(2, 0) = 1: λ = (1, 1, 0) gives W = 1, -1, 0.

    The margins are 2 and 1, no loss is paid, and P = 1 = 2 - 1.
    """
    problem = MulticlassProblem(X=[[1]], y=(0,), k=3, C=F(1), costs=[[0, 2, 1]])
    right: dict[str, Any] = {
        "W": [[1], [-1], [0]], "lam": [[1, 1, 0]], "slack": [0], "values": {"objective": F(1)},
        "scores": [[1, -1, 0]],
    }  # fmt: skip
    verdict = judge_multiclass(problem, **right)
    assert verdict and verdict.gap == 0 and "costs" in verdict.summary
    short = judge_multiclass(problem, [[1, 1, 0]], W=[[H], [-H], [0]])
    # C = 1 is spent on the largest excess, 2 - 1: what is missed is ½ · ¼ of two classes
    assert short.gap == F(1, 4)
    assert [v.place for v in short.violations] == ["class 0", "class 1"]
    twice = judge_multiclass(problem, [[1, 1, 0]], W=[[2], [-2], [0]])
    assert "margin 4, needs only 2" in [v.text for v in twice.violations]
    assert judge_multiclass(problem, [[1, 1, 0]], lam=[[1, H, H]]).status == "REFUTED"
    # an infeasible entry counts with the largest cost: 1/1000 less in it and in the own one, twice
    # 2
    moved = judge_multiclass(problem, lam=[[1, 1, F(-1, 1000)]], allowed=F(1, 100))
    assert moved.gap == F(2, 1000)


def test_a_cost_of_0_lets_two_classes_tie() -> None:
    # Δ(1, 0) = 0: only class 2 has to stay behind; λ = (2/3... as for one rival: f_0 = s, f_2 = -s
    problem = MulticlassProblem(X=[[1]], y=(0,), k=3, C=F(1), costs=[[0, 0, 1]])
    # θ = λ - λ²: λ = 1/2, f = (1/2, 0, -1/2)
    assert judge_multiclass(
        problem, W=[[H], [0], [-H]], lam=[[H, 0, H]], labels=[0], values={"objective": F(1, 4)}
    )
    nothing = MulticlassProblem(X=[[1]], y=(0,), k=2, C=F(1), costs=[[0, 0]])
    assert judge_multiclass(nothing, W=[[0], [0]], lam=[[0, 0]], labels=[1], slack=[0])
    assert judge_multiclass(nothing, lam=[[H, H]]).status == "REFUTED"
    assert judge_multiclass(nothing, lam=[[H, 0]]).status == "REFUTED"


def test_classes_of_equal_features_tie_for_ever() -> None:
    # class 1 has the features of class 0, and must stay behind it by 1: that costs C whatever w is
    problem = MulticlassProblem(features=[[[1], [1], [0]]], y=(0,), k=3, C=F(1))
    # w = 0 pays 1; λ_01 = 1 has w(λ) = 0 and θ = 1
    verdict = judge_multiclass(problem, W=[[0]], lam=[[1, 1, 0]], values={"objective": F(1)})
    assert verdict and verdict.gap == 0
    for label in (0, 1, 2):  # w = 0 scores all alike
        assert judge_multiclass(problem, [[1, 1, 0]], labels=[label])


@pytest.mark.parametrize(
    ("C", "entry", "optimum", "slack"), [(F(1), T, T, F(0)), (F(1, 4), F(1, 4), F(5, 16), H)]
)
def test_the_sum_form_bounds_each_multiplier(C: F, entry: F, optimum: F, slack: F) -> None:
    """One row x = 1 and three classes: f = (2e, -e, -e) for entries e, margins 3e, θ = 2e - 3e².

    That is least at e = 1/3 with θ = 1/3; with C = 1/4 each of two losses is 1/4, and θ = 1/2 -
    3/16.
    """
    problem = MulticlassProblem(X=[[1]], y=(0,), k=3, C=C, sum_form=True)
    W, lam = [[2 * entry], [-entry], [-entry]], [[2 * entry, entry, entry]]
    verdict = judge_multiclass(problem, W=W, lam=lam, slack=[slack], values={"objective": optimum})
    assert verdict and verdict.gap == 0 and "sum form" in verdict.summary
    assert judge_multiclass(problem, lam, W=[[0], [0], [0]]).status == "REFUTED"
    above = judge_multiclass(problem, lam=[[C + F(1, 10), C + F(1, 10), 0]])
    assert above.violations[0].text.startswith(f"entry {C + F(1, 10)} is more than C = {C}")
    # in the max form the two entries share C: 1/4 in all is not 2/4
    shared = MulticlassProblem(X=[[1]], y=(0,), k=3, C=F(1, 4))
    assert judge_multiclass(shared, lam=[[H, F(1, 4), F(1, 4)]]).status == "REFUTED"


def test_weights_of_rows_are_bounds_of_their_own() -> None:
    # two equal rows of weights 1 and 2 are three rows: x = 1, k = 2, C = 1/12: all at their bounds
    problem = MulticlassProblem(X=[[1], [1]], y=(0, 0), k=2, C=F(1, 12), weights=(1, 2))
    # S = 3/12: W = ±1/4, margin 1/2, P = 1/16 + 1/4 · 1/2
    lam = [[F(1, 12), F(1, 12)], [F(1, 6), F(1, 6)]]
    verdict = judge_multiclass(
        problem, W=[[F(1, 4)], [F(-1, 4)]], lam=lam, slack=[H, H], values={"objective": F(3, 16)}
    )
    assert verdict and verdict.gap == 0
    verdict = judge_multiclass(problem, lam=[lam[1], lam[0]])
    assert verdict.violations[0].text == "entries sum to 1/6, more than C = 1/12"


Line = tuple[F, F]  # (slope, value at 0)


def least(lines: Sequence[tuple[F, list[Line], bool]]) -> tuple[F, F]:
    """The w and the value of min ½w² + Σ C · (the largest line, or the sum of positive parts)."""

    def value(w: F) -> F:
        total = w * w / 2
        for C, pieces, is_sum in lines:
            values = [max(F(0), a * w + b) for a, b in pieces]
            total += C * (sum(values, F(0)) if is_sum else max(values, default=F(0)))
        return total

    turns = set()
    for _, pieces, _ in lines:
        for (a, b), (c, d) in combinations([*pieces, (F(0), F(0))], 2):
            if a != c:
                turns.add((d - b) / (a - c))
    ends = sorted(turns)
    outer = [ends[0] - 1, *ends, ends[-1] + 1] if ends else [F(-1), F(1)]
    candidates = set(ends) | {F(0)}
    for left, right in pairwise(outer):
        # between two turns the value less ½w² is a line of this slope, and the parabola's least is
        # -slope
        p, q = left + (right - left) / 3, right - (right - left) / 3
        slope = (value(q) - q * q / 2 - value(p) + p * p / 2) / (q - p)
        candidates.add(-slope)
    best = min(candidates, key=value)
    return best, value(best)


@st.composite
def one_feature(draw: st.DrawFn) -> MulticlassProblem:
    m, k = draw(st.integers(1, 3)), draw(st.integers(2, 3))
    small = st.integers(-2, 2).map(F)
    y = tuple(draw(st.integers(0, k - 1)) for _ in range(m))
    cost = st.sampled_from([F(0), F(1), F(2)])
    return MulticlassProblem(
        features=[[[draw(small)] for _ in range(k)] for _ in range(m)],
        y=y,
        k=k,
        C=draw(st.sampled_from([F(1, 3), F(2)])),
        weights=[draw(st.sampled_from([0, 1, 2])) for _ in range(m)],
        costs=[[F(0) if z == own else draw(cost) for z in range(k)] for own in y],
        sum_form=draw(st.booleans()),
    )


def lines_of(problem: MulticlassProblem) -> list[tuple[F, list[Line], bool]]:
    assert problem.features is not None and problem.weights is not None and problem.costs
    found = []
    for psi, costs, own, weight in zip(problem.features, problem.costs, problem.y, problem.weights):
        pieces = [
            (F(psi[z][0]) - F(psi[own][0]), F(costs[z])) for z in range(problem.k) if z != own
        ]
        found.append((problem.C * weight, pieces, problem.sum_form))
    return found


@given(one_feature(), st.data())
def test_one_feature_is_judged_as_brute_force_finds_it(
    problem: MulticlassProblem, data: st.DataObject
) -> None:
    best, optimum = least(lines_of(problem))
    sixth = st.integers(0, 6).map(lambda n: F(n, 6))
    lam = []
    for own, weight in zip(problem.y, problem.weights or ()):
        share = 1 if problem.sum_form else problem.k - 1
        row = [problem.C * weight * data.draw(sixth) / share for _ in range(problem.k)]
        row[own] = F(0)
        row[own] = sum(row, F(0))
        lam.append(row)
    made = prepare_multiclass(problem)
    assert primal_point(made, to_matrix([[best]])).primal(made.caps) == optimum
    dual = repaired(made, lam)
    assert dual.moved == 0 and dual.dual <= optimum
    w = data.draw(st.integers(-4, 4).map(lambda n: F(n, 2)))
    point = primal_point(made, to_matrix([[w]]))
    excess = point.primal(made.caps) - optimum
    assert excess >= 0
    gaps = group_gaps(made, point, dual.lam)
    apart = (w - dual.point.weights.entry(0, 0)) ** 2 / 2 if dual.point.weights else F(0)
    assert sum((g.amount for g in gaps), apart) == point.primal(made.caps) - dual.dual
    for allowed in (F(0), H):
        right = judge_multiclass(problem, lam, allowed, W=[[best]], values={"objective": optimum})
        assert right.status != "REFUTED"
        verdict = judge_multiclass(problem, lam, allowed, W=[[w]])
        scale = optimum
        if not any(cap and any(costs) for cap, costs in zip(made.caps, problem.costs or ())):
            # no cost counts: margins of 1 would take weights of ½/max ‖Ψ‖²
            longest = max(psi[0] ** 2 for rows in problem.features or () for psi in rows)
            scale = 1 / (2 * F(longest)) if longest else F(0)
        assert verdict.status != ("VERIFIED" if excess > allowed * scale else "REFUTED")
        claim = judge_multiclass(problem, lam, allowed, labels=[0] * len(lam),
                                 values={"objective": optimum})  # fmt: skip
        assert all(v.place != "objective" for v in claim.violations)
        alone = judge_multiclass(problem, lam=lam, allowed=allowed)
        short = optimum - dual.dual > allowed * scale
        assert alone.status != ("VERIFIED" if short else "REFUTED")


@given(one_feature())
def test_labels_and_scores_of_the_optimum_are_never_refuted(problem: MulticlassProblem) -> None:
    best, _ = least(lines_of(problem))
    assert problem.features is not None
    scores = [[best * F(psi[0]) for psi in row] for row in problem.features]
    labels = [row.index(max(row)) for row in scores]
    poor = [[F(0)] * problem.k for _ in problem.y]
    for parts in ({"scores": scores}, {"labels": labels}, {"scores": scores, "labels": labels}):
        assert judge_multiclass(problem, poor, **parts).status != "REFUTED"


@given(st.data(), st.booleans())
def test_one_column_without_a_bias_is_judged_as_brute_force_finds_it(
    data: st.DataObject, squared: bool
) -> None:
    """The plain hinge by its lines; the squared one by its stationary point among all sets of
    payers.
    """
    grid = st.integers(-4, 4).map(lambda n: F(n, 2))
    m = data.draw(st.integers(1, 3))
    X, y = (
        [[data.draw(grid)] for _ in range(m)],
        [data.draw(st.sampled_from([-1, 1])) for _ in range(m)],
    )
    omega, C = [data.draw(st.sampled_from([0, 1, 2])) for _ in range(m)], F(1, 3)
    problem = BinaryProblem(
        X=X, y=tuple(y), C=C, weights=omega, squared=squared, bias=False
    )  # fmt: skip
    z = [sign * x for sign, [x] in zip(y, X)]

    def value(w: F) -> F:
        return primal(problem, of_weights(prepare(problem), [w]), F(0))

    if squared:
        sets = [s for size in range(m + 1) for s in combinations(range(m), size)]
        candidates = {
            2 * sum((C * omega[i] * z[i] for i in s), F(0))
            / (1 + 2 * sum((C * omega[i] * z[i] ** 2 for i in s), F(0)))
            for s in sets
        }  # fmt: skip
        best = min(candidates, key=value)
        optimum = value(best)
    else:
        best, optimum = least([(C * k, [(-z_i, F(1))], True) for k, z_i in zip(omega, z)])
        assert value(best) == optimum
    alpha = [C * k * data.draw(st.integers(0, 6)) / 6 for k in omega]
    assert repaired_binary(prepare(problem), alpha).dual <= optimum
    w = data.draw(grid)
    for allowed in (F(0), H):
        claims = {"objective": optimum}
        right = judge_binary(problem, alpha, allowed, w=[best], values=claims)
        assert right.status != "REFUTED"
        scores = [best * x for [x] in X]
        labels = [1 if s > 0 else -1 for s in scores]
        assert judge_binary(problem, alpha, allowed, scores=scores).status != "REFUTED"
        assert judge_binary(problem, alpha, allowed, labels=labels).status != "REFUTED"
        verdict = judge_binary(problem, alpha, allowed, w=[w])
        wrong = value(w) - optimum > allowed * optimum
        assert verdict.status != ("VERIFIED" if wrong else "REFUTED")
    if squared:  # α_i = 2 C_i η_i is optimal, and proves it
        eta = [max(F(0), 1 - z_i * best) for z_i in z]
        own = [2 * C * k * e for k, e in zip(omega, eta)]
        assert judge_binary(problem, alpha=own, w=[best], slack=eta, values={"objective": optimum})


def test_scores_without_a_margin_are_wrong_whatever_is_known() -> None:
    problem = BinaryProblem(X=[[1], [-1]], y=(1, -1))
    found = hard.judge(problem, BinaryAnswer(scores=[F(0), F(0)]), witnesses=[], allowed=F(0))
    assert found.status == "REFUTED"


def test_only_polynomials_of_positive_scale_without_a_negative_offset_need_no_proof() -> None:
    # of x = 1 alone x·x/−1 is −1, and x·x/2 − 1 is −1/2
    for scale, offset, needs_none in ((2, 0, True), (-1, 0, False), (2, -1, False)):
        parameters = {"scale": F(scale), "offset": F(offset), "degree": F(1)}
        assert KERNELS["polynomial"].is_semidefinite(parameters) is needs_none


def test_labels_beside_multipliers_alone_are_judged_row_by_row() -> None:
    # w = 1, and the scores are 1 and −1
    problem = BinaryProblem(X=[[1], [-1]], y=(1, -1), C=F(1), bias=False)
    alpha = [F(1, 2)] * 2
    wrong = BinaryAnswer(alpha=alpha, labels=[-1, 1])
    faults = binary.judge(problem, wrong, allowed=F(0)).violations
    assert sorted(str(v.place) for v in faults) == ["row 0, labelled -1", "row 1, labelled +1"]
