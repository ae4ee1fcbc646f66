"""The judges of the soft and the hard binary SVM, against problems that are solved by hand.

CORNER has the rows (3/2, 5/2) and (5/2, 3/2), positive, and (5/2, 5/2), negative.

    hard    alpha = (2, 2, 4): w = 2 (3/2, 5/2) + 2 (5/2, 3/2) - 4 (5/2, 5/2) = (-2, -2), and b = 9
            makes all three margins 1.  1/2 |w|^2 = 4 = 8 - 4, the dual value.
    C = 1   alpha = (1/2, 1/2, 1): w = (-1/2, -1/2), w.x = -2, -2, -5/2.  With b = 3 the positive
            margins are 1 and the negative one -1/2: P = 1/4 + 3/2 = 7/4 = 2 - 1/4.  Any other b has
            larger hinges: below 3 two rows pay, above it the third does.
    C = 2   alpha = (1, 1, 2): w = (-1, -1), b = 5, P = 1 + 2 = 3 = 4 - 1; the third score is 0.

PAIR has the rows 0, negative, and 1, positive, and C = 1/2.  alpha = (1/2, 1/2): w = 1/2 and
P = 1/8 + 1/2 ((1 + b) + (1/2 - b)) = 7/8 = 1 - 1/8 for every b from -1 to 1/2.
"""

from collections.abc import Iterator
from fractions import Fraction as F
from functools import partial
from itertools import product
from random import Random
from typing import Any

import pytest

from refmc.checker import Verdict
from refmc.checker.kernels import prepare
from refmc.checker.parts import bounded_claim
from refmc.checker.svm import binary
from refmc.checker.svm import hard as svm_hard
from refmc.checker.svm.binary import BinaryAnswer, BinaryProblem, Interval
from refmc.checker.svm.binary_bias import Evidence, leeway_of_bias
from refmc.checker.svm.binary_points import (
    Function,
    biases,
    hinges,
    of_multipliers,
    of_weights,
    primal,
    repaired,
)
from refmc.checker.svm.binary_scores import spread
from refmc.checker.svm.duality import Bounds
from tests.support import polynomial_kernel

H = F(1, 2)
EXACT, MICRO = F(0), F(1, 10**6)
ROWS = [[F(3, 2), F(5, 2)], [F(5, 2), F(3, 2)], [F(5, 2), F(5, 2)]]
CORNER = BinaryProblem(X=ROWS, y=(1, 1, -1), C=F(1))
W, B, ALPHA = [-H, -H], F(3), [H, H, F(1)]
SCORES = [F(1), F(1), H]
PAIR = BinaryProblem(X=[[0], [1]], y=(-1, 1), C=H)
HARD = BinaryProblem(X=ROWS, y=(1, 1, -1))
HARD_W, HARD_B, HARD_ALPHA = [F(-2), F(-2)], F(9), [F(2), F(2), F(4)]
NOWHERE = Evidence((), Function(BinaryProblem(y=()), (), F(0), None), Bounds(F(1), F(1), EXACT))
CHANGES = (F(1), F(-1, 7), F(1, 10**30), F(-1, 10**30))


def corrupted(row: list[F]) -> Iterator[list[F]]:
    for j in range(len(row)):
        for change in CHANGES:
            yield [v + change * (i == j) for i, v in enumerate(row)]


def judge(problem: BinaryProblem, *, witness: Any = None, allowed: F, **submitted: Any) -> Verdict:
    given = BinaryAnswer(**submitted)
    return binary.judge(problem, given, witnesses=[lambda: witness], allowed=allowed)


def hard(
    problem: BinaryProblem,
    *,
    witness: Any = None,
    common_point: Any = None,
    allowed: F = EXACT,
    **submitted: Any,
) -> Verdict:
    given = BinaryAnswer(**submitted)
    found = svm_hard.Witness(witness, common_point)
    return svm_hard.judge(problem, given, witnesses=[lambda: found], allowed=allowed)


# --- Soft margin: right answers


def test_the_right_answer_is_verified_with_gap_zero_in_all_its_parts() -> None:
    verdict = judge(
        CORNER,
        w=W,
        b=B,
        alpha=ALPHA,
        scores=SCORES,
        labels=[1, 1, 1],
        slack=[0, 0, F(3, 2)],
        values={"objective": F(7, 4), "primal": F(7, 4), "dual": F(7, 4)},
        b_interval=Interval(B, B),
        margin_squared=F(2),
        allowed=EXACT,
    )
    assert verdict and verdict.gap == 0 and verdict.violations == () and verdict.hint == ""
    assert verdict.summary == "3 rows, C = 1, with bias"


@pytest.mark.parametrize(
    "submitted",
    [{"w": W, "b": B}, {"w": W}, {"alpha": ALPHA}, {"alpha": ALPHA, "b": B}, {"scores": SCORES}],
)
def test_each_form_of_answer_is_verified_alone(submitted: dict[str, Any]) -> None:
    assert judge(CORNER, witness=ALPHA, allowed=EXACT, **submitted)


def test_without_a_witness_weights_alone_are_inconclusive() -> None:
    verdict = judge(CORNER, w=W, b=B, allowed=EXACT)
    assert verdict.status == "INCONCLUSIVE" and "between 0 and 7/4" in verdict.hint


def test_an_infeasible_witness_proves_what_its_repair_proves() -> None:
    # 2 is more than C, and (1/2, 1/2, 1) is optimal; (1, 0, 2) becomes (1, 0, 1): 2 - 1/2 |(-1,
    # 0)|^2
    assert judge(CORNER, w=W, b=B, witness=[H, H, F(2)], allowed=EXACT)
    verdict = judge(CORNER, w=W, b=B, witness=[F(1), 0, F(2)], allowed=EXACT)
    assert verdict.status == "INCONCLUSIVE"
    assert verdict.hint == "a closer witness is needed: the optimum lies between 3/2 and 7/4"


@pytest.mark.parametrize("b", [F(-1), F(-1, 3), F(0), H])
def test_every_optimal_bias_is_verified(b: F) -> None:
    assert judge(PAIR, w=[H], b=b, witness=[H, H], allowed=EXACT).gap == 0
    assert judge(PAIR, scores=[b, H + b], witness=[H, H], allowed=EXACT)


@pytest.mark.parametrize("b", [F(-1) - F(1, 10**30), H + F(1, 10**30), F(7)])
def test_every_other_bias_is_refuted_with_what_it_costs(b: F) -> None:
    excess = H * max(-1 - b, b - H)
    verdict = judge(PAIR, w=[H], b=b, witness=[H, H], allowed=EXACT)
    assert verdict.status == "REFUTED" and verdict.gap == excess
    verdict = judge(PAIR, scores=[b, H + b], witness=[H, H], allowed=EXACT)
    assert verdict.status == "REFUTED" and verdict.gap == excess


def test_labels_are_right_if_one_optimal_bias_gives_them_all() -> None:
    for labels in product((-1, 1), repeat=2):
        verdict = judge(PAIR, labels=labels, witness=[H, H], allowed=EXACT)
        assert verdict.status == ("REFUTED" if labels == (1, -1) else "VERIFIED")


def test_a_score_of_zero_admits_both_labels() -> None:
    problem = BinaryProblem(X=ROWS, y=(1, 1, -1), C=F(2))
    for label in (1, -1):
        assert judge(problem, labels=[1, 1, label], witness=[1, 1, 2], allowed=EXACT)


def test_the_bias_interval_is_judged_as_a_whole() -> None:
    for low, high in ((F(-1), F(1, 3)), (F(0), H), (None, H), (F(-1), None)):
        verdict = judge(PAIR, w=[H], b_interval=Interval(low, high), witness=[H, H], allowed=EXACT)
        assert verdict.status == "REFUTED" and "b_interval" in verdict.violations[0].place
    right = Interval(F(-1), H)
    assert judge(PAIR, w=[H], b_interval=right, witness=[H, H], allowed=EXACT)
    near = Interval(F(-1) + F(1, 10**9), H)
    assert judge(PAIR, w=[H], b_interval=near, witness=[H, H], allowed=MICRO)


def test_a_single_class_has_weights_zero_and_a_bias_without_end() -> None:
    problem = BinaryProblem(X=[[1], [3]], y=(1, 1), C=F(1))
    assert judge(problem, w=[0], b=F(1), b_interval=Interval(F(1), None), allowed=EXACT)
    assert judge(problem, w=[0], b=F(100), margin_squared="inf", allowed=EXACT)
    assert judge(problem, alpha=[0, 0], labels=[1, 1], allowed=EXACT)
    assert judge(problem, w=[0], b=F(1, 2), allowed=EXACT).status == "REFUTED"
    assert judge(problem, labels=[1, -1], witness=[0, 0], allowed=EXACT).status == "REFUTED"


def test_without_a_bias_the_multipliers_need_no_balance() -> None:
    # one row x = 2, C = 1: w = 2 alpha, 1/2 w^2 + max(0, 1 - 2w) is least at w = 1/2
    problem = BinaryProblem(X=[[2]], y=(1,), C=F(1), bias=False)
    verdict = judge(
        problem, w=[H], alpha=[F(1, 4)], scores=[1], labels=[1], slack=[0], allowed=EXACT
    )
    assert verdict and verdict.summary == "1 row, C = 1, without bias"
    wrong = judge(problem, labels=[-1], witness=[F(1, 4)], allowed=EXACT)
    assert wrong.status == "REFUTED" and wrong.gap == F(1, 8)  # w must fall from 1/2 to 0
    assert judge(problem, scores=[H], witness=[F(1, 4)], allowed=EXACT).status == "REFUTED"


@pytest.mark.parametrize(
    "problem",
    [
        BinaryProblem(gram=[[F(34, 4), F(30, 4), 10], [F(30, 4), F(34, 4), 10], [10, 10, F(25, 2)]],
                y=(1, 1, -1), C=F(1)),
        BinaryProblem(X=ROWS, kernel=polynomial_kernel(1, F(1), F(0)), y=(1, 1, -1), C=F(1)),
    ],
)  # fmt: skip
def test_a_kernel_gives_the_same_verdicts(problem: BinaryProblem) -> None:
    assert judge(problem, alpha=ALPHA, b=B, scores=SCORES, labels=[1, 1, 1], allowed=EXACT)
    for wrong in corrupted(SCORES):
        assert judge(problem, scores=wrong, witness=ALPHA, allowed=EXACT).status == "REFUTED"


def test_a_gram_matrix_that_is_not_semi_definite_proves_nothing() -> None:
    problem = BinaryProblem(gram=[[1, 2], [2, 1]], y=(1, -1), C=F(1))
    verdict = judge(problem, alpha=[1, 1], allowed=EXACT)
    assert verdict.status == "INCONCLUSIVE" and "vᵀKv" in verdict.violations[0].text


# --- Soft margin: wrong answers


def test_any_change_of_one_number_is_refuted_since_the_optimum_is_unique() -> None:
    for wrong in corrupted(W):
        assert judge(CORNER, w=wrong, b=B, witness=ALPHA, allowed=EXACT).status == "REFUTED"
        assert judge(CORNER, w=wrong, witness=ALPHA, allowed=EXACT).status == "REFUTED"
    for [b] in corrupted([B]):
        assert judge(CORNER, w=W, b=b, witness=ALPHA, allowed=EXACT).status == "REFUTED"
        assert judge(CORNER, alpha=ALPHA, b=b, allowed=EXACT).status == "REFUTED"
    for wrong in corrupted(ALPHA):
        assert judge(CORNER, alpha=wrong, witness=ALPHA, allowed=EXACT).status == "REFUTED"
    for wrong in corrupted(SCORES):
        assert judge(CORNER, scores=wrong, witness=ALPHA, allowed=EXACT).status == "REFUTED"


def test_any_change_of_slack_or_claims_is_refuted() -> None:
    for wrong in corrupted([F(0), F(0), F(3, 2)]):
        for own in ({"w": W}, {"alpha": ALPHA}, {"scores": SCORES}):
            verdict = judge(CORNER, slack=wrong, witness=ALPHA, allowed=EXACT, **own)
            assert verdict.status == "REFUTED"
    for [wrong_value] in corrupted([F(7, 4)]):
        claims = {"objective": wrong_value}
        verdict = judge(CORNER, alpha=ALPHA, values=claims, allowed=EXACT)
        assert verdict.status == "REFUTED"
    for [square] in corrupted([F(2)]):
        verdict = judge(CORNER, alpha=ALPHA, margin_squared=square, allowed=EXACT)
        assert verdict.status == "REFUTED" and "it is 2" in verdict.violations[0].text


def test_the_message_names_the_row_and_its_margin() -> None:
    verdict = judge(CORNER, w=[0, 0], b=F(0), witness=ALPHA, allowed=MICRO)
    # P(0, 0) = 3, of which 7/4 is needed; row 0 adds (1 - 1/2) 1, the weights 1/4
    assert verdict.explain() == (
        "REFUTED  svm.binary  3 rows, C = 1, with bias\n"
        "  gap      5/4 (1.2e0), relative 7.1e-1; allowed 1e-6\n"
        "  digits   0.1 correct in the objective\n"
        "  weights  within 1.6e0 of the optimal ones, since ½‖w − w*‖² ≤ the gap\n"
        "  worst    row 0: margin 0, needs 1"
    )
    # ‖W‖² = 1/2 is below 2 · 5/4, the square of 1.58…
    assert verdict.apart == F(5, 4) and sum(v * v for v in W) <= 2 * F(5, 4)


def test_weights_for_another_C_and_reversed_ones_are_refuted() -> None:
    assert judge(CORNER, w=[-1, -1], b=F(5), witness=ALPHA, allowed=EXACT).status == "REFUTED"
    assert judge(CORNER, w=[H, H], b=-B, witness=ALPHA, allowed=EXACT).status == "REFUTED"


def test_dropping_the_bias_is_refuted_though_the_weights_are_right() -> None:
    verdict = judge(CORNER, w=W, b=F(0), witness=ALPHA, allowed=MICRO)
    assert verdict.status == "REFUTED"
    scores = [s - B for s in SCORES]
    assert judge(CORNER, scores=scores, witness=ALPHA, allowed=MICRO).status == "REFUTED"


def test_infeasible_multipliers_are_refuted_with_their_faults() -> None:
    verdict = judge(CORNER, alpha=[H, H, F(2)], allowed=MICRO)
    texts = [v.text for v in verdict.violations]
    assert "multiplier 2 is more than C = 1" in texts
    assert "the sum of y_i α_i is -1, needs 0 for the bias" in texts


def test_rounded_multipliers_are_repaired_and_judged() -> None:
    off = F(1, 10**12)
    assert judge(CORNER, alpha=[H + off, H, 1 + 3 * off], allowed=MICRO)
    assert judge(CORNER, alpha=[H + off, H, 1 + 3 * off], allowed=EXACT).status == "REFUTED"


# --- Soft margin: what is allowed is measured soundly


def test_no_function_within_the_allowed_gap_is_refuted_by_its_scores_or_labels() -> None:
    random, met = Random(4), {"VERIFIED": 0, "INCONCLUSIVE": 0}
    for problem, alpha in ((CORNER, ALPHA), (PAIR, [H, H])):
        data = prepare(problem)
        best = of_multipliers(data, alpha)
        optimum = repaired(data, alpha).dual
        b_best = biases(problem, best.scores)
        assert best.weights is not None and b_best.low is not None
        for _ in range(40):
            size = F(1, random.choice([1, 4, 64, 4096]))
            w = [v + size * F(random.randint(-9, 9), 8) for v in best.weights]
            b = b_best.low + size * F(random.randint(-9, 9), 4)
            function = of_weights(data, w)
            allowed = (primal(problem, function, b) - optimum) / optimum
            scores = [g + b for g in function.scores]
            labels = [1 if s > 0 else -1 if s < 0 else random.choice([-1, 1]) for s in scores]
            for part in ({"scores": scores}, {"labels": labels}):
                verdict = judge(problem, witness=alpha, allowed=allowed, **part)
                met[verdict.status] += 1  # a KeyError is a refutation
    assert met["VERIFIED"] > 12


def test_a_weaker_witness_never_contradicts_a_better_one() -> None:
    random = Random(8)
    for problem, alpha, weights in ((CORNER, ALPHA, W), (PAIR, [H, H], [H])):
        data = prepare(problem)
        b = biases(problem, of_weights(data, weights).scores).low
        assert b is not None
        for _ in range(12):
            size = F(1, 10 ** random.randint(0, 6))
            allowed = size ** random.randint(1, 3)
            w = [v + size * F(random.randint(-4, 4), 4) for v in weights]
            scores = [g + b for g in of_weights(data, w).scores]
            scores[0] += size * random.choice([0, 0, 1])
            labels = [1 if s > 0 else -1 for s in scores]
            for part in ({"w": w}, {"scores": scores}, {"labels": labels}):
                found = {
                    judge(problem, witness=witness, allowed=allowed, **part).status
                    for witness in (None, [v * (1 - size) for v in alpha], alpha)
                }
                assert not {"VERIFIED", "REFUTED"} <= found


def test_a_nearly_optimal_witness_decides_labels_and_claims_too() -> None:
    near = 1 - F(1, 10**18)
    for problem, alpha, right, labels, square in (
        (CORNER, ALPHA, Interval(B, B), [1, 1, 1], F(2)),
        (PAIR, [H, H], Interval(F(-1), H), [-1, 1], F(4)),
    ):
        witness = [near * a for a in alpha]
        claims = {"b_interval": right, "margin_squared": square}
        assert judge(problem, labels=labels, witness=witness, allowed=MICRO, **claims)
        off = F(1, 100)
        assert right.low is not None and right.high is not None
        wrong: list[dict[str, Any]] = [
            {"b_interval": Interval(right.low - off, right.high)},
            {"b_interval": Interval(right.low, None)},
            {"margin_squared": square + off},
            {"margin_squared": "inf"},
        ]
        for claim in wrong:
            verdict = judge(problem, labels=labels, witness=witness, allowed=MICRO, **claim)
            assert verdict.status == "REFUTED"
        flipped = [-labels[0], *labels[1:-1], -labels[-1]]
        assert judge(problem, labels=flipped, witness=witness, allowed=MICRO).status == "REFUTED"
    # weaker still: nothing is decided
    half = [a / 2 for a in ALPHA]
    verdict = judge(CORNER, labels=[1, 1, 1], margin_squared=F(2), witness=half, allowed=MICRO)
    assert verdict.status == "INCONCLUSIVE"


def test_equal_rows_may_differ_by_rounding_in_their_scores() -> None:
    problem = BinaryProblem(X=[[1], [1], [-1]], y=(1, 1, -1), C=F(1))  # w = 1, b = 0
    alpha, off = [F(1, 4), F(1, 4), H], F(1, 10**15)
    assert judge(problem, scores=[1, 1 + off, -1], witness=alpha, allowed=MICRO)
    assert judge(problem, scores=[1, 1 + off, -1], witness=alpha, allowed=EXACT).status == "REFUTED"
    verdict = judge(problem, scores=[1, 2, -1], witness=alpha, allowed=MICRO)
    assert verdict.status == "REFUTED"


def test_wrong_labels_are_refuted_below_a_positive_gap_too() -> None:
    assert judge(CORNER, labels=[1, 1, -1], witness=ALPHA, allowed=MICRO).status == "REFUTED"
    assert judge(CORNER, labels=[-1, 1, 1], witness=ALPHA, allowed=MICRO).status == "REFUTED"
    assert judge(CORNER, labels=[-1, -1, -1], witness=ALPHA, allowed=MICRO).status == "REFUTED"
    assert judge(CORNER, labels=[1, 1, -1], witness=ALPHA, allowed=F(9)).status == "INCONCLUSIVE"


def test_slightly_rounded_scores_are_verified_and_wrong_ones_refuted() -> None:
    scores = [F(float(s) * (1 + 1e-12)) for s in SCORES]
    assert judge(CORNER, scores=scores, witness=ALPHA, allowed=MICRO)
    assert judge(CORNER, scores=scores, witness=ALPHA, allowed=EXACT).status == "REFUTED"
    scores[0] += F(1, 100)
    assert judge(CORNER, scores=scores, witness=ALPHA, allowed=MICRO).status == "REFUTED"


def test_the_best_biases_are_those_with_the_least_hinges() -> None:
    grid = [F(i, 2) for i in range(-8, 9)]
    for signs in product((-1, 1), repeat=3):
        for scores in product([F(0), F(1, 2), F(2)], repeat=3):
            problem = BinaryProblem(y=signs)
            found = biases(problem, scores)
            sums = {b: sum(hinges(signs, scores, b)) for b in grid}
            least = min(sums.values())
            for b, total in sums.items():
                inside = (found.low is None or found.low <= b) and (
                    found.high is None or b <= found.high
                )
                assert inside == (total == least)


# --- Hard margin


def test_the_hard_answer_is_verified_in_all_its_parts() -> None:
    verdict = hard(
        HARD,
        w=HARD_W,
        b=HARD_B,
        alpha=HARD_ALPHA,
        scores=[1, 1, -1],
        labels=[1, 1, -1],
        separable=True,
        values={"objective": F(4)},
        slack=[0, 0, 0],
        b_interval=Interval(HARD_B, HARD_B),
        margin_squared=F(1, 8),
    )
    assert verdict and verdict.gap == 0 and verdict.digits == float("inf")


def test_any_change_of_one_number_of_a_hard_answer_is_refuted() -> None:
    for wrong in corrupted(HARD_W):
        assert hard(HARD, w=wrong, b=HARD_B, witness=HARD_ALPHA).status == "REFUTED"
        assert hard(HARD, w=wrong, witness=HARD_ALPHA).status == "REFUTED"
    for [b] in corrupted([HARD_B]):
        assert hard(HARD, w=HARD_W, b=b, witness=HARD_ALPHA).status == "REFUTED"
    for wrong in corrupted(HARD_ALPHA):
        assert hard(HARD, alpha=wrong, witness=HARD_ALPHA).status == "REFUTED"
    for wrong in corrupted([F(1), F(1), F(-1)]):
        assert hard(HARD, scores=wrong, witness=HARD_ALPHA).status == "REFUTED"
    for i in range(3):
        labels = [y * (-1 if i == j else 1) for j, y in enumerate(HARD.y)]
        assert hard(HARD, labels=labels, witness=HARD_ALPHA).status == "REFUTED"
    for claims in ({"values": {"objective": F(5)}}, {"slack": [0, 1, 0]}, {"margin_squared": H}):
        assert hard(HARD, alpha=HARD_ALPHA, **claims).status == "REFUTED"


def test_a_violated_margin_names_its_row() -> None:
    verdict = hard(HARD, w=HARD_W, b=F(8), witness=HARD_ALPHA, allowed=MICRO)
    assert [(v.place, v.text) for v in verdict.violations] == [
        ("row 0", "margin 0, needs 1"),
        ("row 1", "margin 0, needs 1"),
    ]


def test_weights_that_separate_but_are_too_long_are_refuted() -> None:
    verdict = hard(HARD, w=[-4, -4], b=F(18), witness=HARD_ALPHA)
    assert verdict.status == "REFUTED" and verdict.gap == 12
    assert verdict.violations[0].text == "half the squared norm is 16, needs at most 4"


def test_rounded_hard_weights_are_scaled_to_feasibility() -> None:
    off = F(1, 10**9)
    assert hard(HARD, w=[-2 + off, -2], b=HARD_B, witness=HARD_ALPHA, allowed=MICRO)
    assert hard(HARD, scores=[1 - off, 1, -1], witness=HARD_ALPHA, allowed=MICRO)


def test_a_common_point_of_the_hulls_proves_that_rows_are_not_separable() -> None:
    # 1 lies between 0 and 2, and 1 = 1/2 0 + 1/2 2
    problem = BinaryProblem(X=[[0], [2], [1]], y=(1, 1, -1))
    right = hard(problem, combination=[H, H, F(1)], separable=False)
    assert right and not right.violations
    assert hard(problem, combination=[1, 1, 1])  # divided by its sums it is the same
    assert hard(problem, separable=False, common_point=[1, 1, 1])
    assert hard(problem, separable=True, common_point=[1, 1, 1]).status == "REFUTED"
    for wrong in corrupted([H, H, F(1)]):
        verdict = hard(problem, combination=wrong, common_point=[H, H, F(1)])
        scaled = wrong[0] == wrong[1] > 0 and wrong[2] > 0  # the third weight alone may change
        assert verdict.status == ("VERIFIED" if scaled else "REFUTED")


def test_a_nearly_common_point_is_right_within_the_allowed_squared_distance_only() -> None:
    problem = BinaryProblem(X=[[0], [2], [1]], y=(1, 1, -1))
    near = [H + F(1, 10**9), H, F(1)]
    assert hard(problem, combination=near).status == "INCONCLUSIVE"
    verdict = hard(problem, combination=near, common_point=[1, 1, 1])
    assert verdict.status == "REFUTED" and verdict.violations[0].place == "combination"
    assert hard(problem, combination=near, common_point=[1, 1, 1], allowed=MICRO)


def test_not_separable_is_refuted_by_a_separator() -> None:
    for submitted in ({"separable": False}, {"combination": [1, 1, 2]}):
        verdict = hard(HARD, witness=HARD_ALPHA, **submitted)
        assert verdict.status == "REFUTED" and verdict.hint == "the rows are separable"
        open_ = hard(HARD, **submitted)
        assert open_.status == "INCONCLUSIVE" and "separable" not in open_.hint


def test_whatever_is_submitted_for_rows_that_are_not_separable_is_refuted() -> None:
    problem = BinaryProblem(X=[[0], [2], [1]], y=(1, 1, -1))
    for submitted in (
        {"w": [1], "b": F(0)},
        {"alpha": [1, 1, 2]},
        {"scores": [1, 1, -1]},
        {"labels": [1, 1, -1]},
        {"labels": [1, 1, -1], "margin_squared": F(1)},
    ):
        verdict = hard(problem, common_point=[1, 1, 2], **submitted)
        assert verdict.status == "REFUTED" and "not separable" in verdict.hint
    for claim in ({"margin_squared": F(1)}, {"slack": [0, 0, 0]}, {"values": {"dual": F(1)}}):
        verdict = hard(problem, common_point=[1, 1, 2], separable=False, **claim)
        assert [v.text for v in verdict.violations] == ["there is no optimum"]


def test_without_a_bias_the_origin_in_the_hull_proves_it() -> None:
    # y x = 1, -2: 2/3 1 + 1/3 (-2) = 0; with a bias the rows 1 and 2 are separable
    problem = BinaryProblem(X=[[1], [2]], y=(1, -1), bias=False)
    right = hard(problem, combination=[F(2, 3), F(1, 3)])
    assert right
    assert right.hint == "the rows are not separable: the origin is in the hull of all y_i x_i"
    assert hard(problem, combination=[1, 1]).status == "INCONCLUSIVE"
    with_bias = BinaryProblem(X=[[1], [2]], y=(1, -1))
    assert hard(with_bias, w=[-2], b=F(3), witness=[2, 2])
    assert hard(with_bias, combination=[2, 1], witness=[2, 2]).status == "REFUTED"


def test_a_combination_needs_weights_of_at_least_zero_on_both_sides() -> None:
    problem = BinaryProblem(X=[[0], [2], [1]], y=(1, 1, -1))
    for wrong in ([F(-1), F(1), F(1)], [0, 0, 1], [1, 1, 0]):
        assert hard(problem, combination=wrong).status == "REFUTED"


def test_a_single_class_needs_no_weights() -> None:
    problem = BinaryProblem(X=[[1], [2]], y=(1, 1))
    assert hard(problem, w=[0], b=F(1), b_interval=Interval(F(1), None), margin_squared="inf")
    assert hard(problem, w=[0], b=F(1, 2)).status == "REFUTED"


# --- What the parts are made of


def test_a_repair_takes_off_the_excess_once() -> None:
    """y'alpha = 2/3 + 1/2 - 1 = 1/6 is taken off the largest of the positive rows, and no more.

    alpha = (1/2, 1/2, 1) is then the optimum of CORNER; the largest entry is spent where the excess
    is larger: of 1 + 1/2 - 1/4 first 1, then 1/4.
    """
    found = repaired(prepare(CORNER), [F(2, 3), H, F(1)])
    assert found.alpha == (H, H, F(1)) and found.moved == F(1, 6) and found.dual == F(7, 4)
    found = repaired(prepare(CORNER), [F(1), H, F(1, 4)])
    assert found.alpha == (F(0), F(1, 4), F(1, 4)) and found.moved == F(5, 4)


def test_weights_that_are_off_stand_among_the_violations_with_their_distance() -> None:
    verdict = judge(CORNER, w=[0, 0], b=F(0), witness=ALPHA, allowed=MICRO)
    # P = 3; row 0 and row 1 add (1 - 1/2) 1 each, row 2 (1 - 1) 1, and 1/2 |w - w(alpha)|^2 = 1/4
    assert [(v.place, v.text, v.amount) for v in verdict.violations] == [
        ("row 0", "margin 0, needs 1", H),
        ("row 1", "margin 0, needs 1", H),
        ("weights", "are off, by half a squared distance of 1/4", F(1, 4)),
    ]
    verdict = judge(CORNER, w=W, b=F(4), witness=ALPHA, allowed=MICRO)
    assert [(v.place, v.amount) for v in verdict.violations] == [("row 0", H), ("row 1", H)]


def test_the_worst_rows_are_shown_of_many() -> None:
    """Rows 1 to 7, all positive: w = 0 and b = 1 is optimal, and row i pays 1 - i/8 for w = 1/8."""
    problem = BinaryProblem(X=[[7 - i] for i in range(7)], y=(1,) * 7, C=F(1))
    verdict = judge(problem, w=[F(1, 8)], b=F(0), witness=[0] * 7, allowed=EXACT)
    assert verdict.gap == 7 - F(28, 8) + F(1, 128)
    assert [v.place for v in verdict.violations] == ["row 6", "row 5", "row 4", "row 3", "row 2"]


def test_of_many_rows_the_nearest_of_an_extreme_score_is_found() -> None:
    """r is least at x = 0 and largest at x = 100; only the row x = 1, r = 1 next to the least is
    far.

    1/2 (r_i - r_j)^2 / (x_i - x_j)^2 of it and the least is 1/2, and far less of all other pairs.
    """
    X = [[0], [1], [100], *([-1000 - i] for i in range(60))]
    data = prepare(BinaryProblem(X=X, y=(1,) * len(X)))
    rest = [F(0), F(1), F(2), *[F(0)] * 60]
    assert spread(data, rest, NOWHERE)[0] == H


def test_crossed_labels_cost_what_moves_the_scores_past_each_other() -> None:
    """CORNER scores -2, -2, -5/2 without b.  For (-1, 1, 1) row 2 must reach row 0: 1/2 at distance
    1.

    No bias changes that, and 1/2 (1/2)^2 / 1^2 = 1/8.
    """
    verdict = judge(CORNER, labels=[-1, 1, 1], witness=ALPHA, allowed=EXACT)
    crossed = [v for v in verdict.violations if "scores less than" in v.text]
    assert [(v.place, v.text, v.amount) for v in crossed] == [
        ("row 2, labelled +1", "scores less than row 0, labelled -1, by 1/2", F(1, 8))
    ]


def test_hard_weights_of_any_length_bound_the_optimum_by_their_scaled_norm() -> None:
    # (-4, -4), b = 18 has the margin 2 on every row: scaled, half of its squared norm is 16/4
    verdict = hard(HARD, w=[-4, -4], b=F(18))
    assert verdict.status == "REFUTED"
    assert verdict.violations[-1].text == "half the squared norm is 16, needs at most 4"
    assert hard(HARD, w=[-4, -4], values={"objective": F(5)}).status == "REFUTED"


def test_hard_scores_short_of_the_margin_are_scaled_up() -> None:
    # rows -1/4 and 1/4: w = 4 is optimal.  Half of its scores are short by 1/2, and scaled they are
    # w's
    line = BinaryProblem(X=[[F(-1, 4)], [F(1, 4)]], y=(-1, 1))
    verdict = hard(line, scores=[-H, H], witness=[8, 8], allowed=H)
    assert verdict.status == "VERIFIED" and verdict.gap == H
    assert hard(line, scores=[-H, H], witness=[8, 8], allowed=F(1, 3)).status == "REFUTED"


def test_hard_weights_without_a_bias_share_that_of_the_scores_beside_them() -> None:
    """(1, 0) is optimal. (1, 1/5) has the margins 1 with b = -20 only. The scores are those of
    (9/8, 0): of the allowed gap 17/128 they leave 1/128, so b is within 1/8 * 101 + 9/8 * 17/64 <
    13 of 0, and the second row's margin is above 1 + 7 where the first's is below 1 - 7."""
    line = BinaryProblem(X=[[-1, 100], [1, 100]], y=(-1, 1))
    w, scores = [F(1), F(1, 5)], [F(-9, 8), F(9, 8)]
    judged = partial(hard, line, witness=[H, H], allowed=F(17, 64))
    assert judged(w=w) and judged(scores=scores)
    verdict = judged(w=w, scores=scores)
    assert verdict.status == "REFUTED"
    assert [(v.place, v.amount > 7) for v in verdict.violations] == [("row 0", True)]


def test_a_wrong_score_is_told_by_the_row_that_shows_it_most() -> None:
    """Scores 1, 0, 0 off at 0, 1, 3: the first two rows are apart by 1 at distance 1."""
    data = prepare(BinaryProblem(X=[[0], [1], [3]], y=(1, 1, 1)))
    worst, wrong = spread(data, [F(1), F(0), F(0)], NOWHERE)
    assert worst == H and [(v.place, v.text, v.amount) for v in wrong] == [
        ("row 0", "score off by 1, relative to row 1", H),
        ("row 1", "score off by -1, relative to row 0", H),
        ("row 2", "score off by -1, relative to row 0", F(1, 18)),
    ]
    without = prepare(BinaryProblem(X=[[2]], y=(1,), bias=False))
    _, wrong = spread(without, [F(1)], NOWHERE)
    assert [(v.text, v.amount) for v in wrong] == [("score off by 1", F(1, 8))]


def test_a_label_of_the_other_side_costs_half_of_the_score_by_weights_or_by_the_bias() -> None:
    """Rows 1 and 3: w = 1, b = -2, P = 1/2.  They score -1 and 1.

    By weights: 1/2 (1/2)^2 / |x|^2, of x = 1 or 3.  By the bias: 1/2 past -2 the row pays 1/2, so
    that alpha = (1/2, 1/2) goes up to (1, 0).  The share t of the way adds t/2 - 1/2 (2t)^2, at
    most 1/32.
    """
    line = BinaryProblem(X=[[1], [3]], y=(-1, 1), C=F(1))
    for labels, place, text, amount in (
        ([1, 1], "row 0, labelled +1", "scores at most -1", F(1, 32)),
        ([-1, -1], "row 1, labelled -1", "scores at least 1", F(1, 72)),
    ):
        verdict = judge(line, labels=labels, witness=[H, H], allowed=EXACT)
        assert [(v.place, v.text, v.amount) for v in verdict.violations] == [(place, text, amount)]


def test_a_label_of_the_other_side_costs_the_squared_hinges_beyond_the_bias() -> None:
    """Rows 0 and 1 of cost 1/2: the multipliers are the hinges 2/3, so w = 2/3, b = -1/3, P = 2/3.

    Row 0, which no weights move, scores -1/3. At b = -1/6 the hinges are 5/6 and 1/2, so that alpha
    goes by (1/6, -1/6), where the dual value, less b times the sum of y_i alpha_i, has the slope
    1/6 (5/6 - 2/3) - 1/6 (1/2 - 2/3) = 1/18 and the curvature 2/36 + 1/36: (1/18)^2 / (2/12).
    """
    line = BinaryProblem(X=[[0], [1]], y=(-1, 1), C=H, squared=True)
    verdict = judge(line, labels=[1, 1], witness=[F(2, 3)] * 2, allowed=EXACT)
    assert [(v.place, v.text, v.amount) for v in verdict.violations] == [
        ("row 0, labelled +1", "scores at most -1/3", F(1, 54))
    ]


def test_infeasible_multipliers_are_named_one_by_one() -> None:
    verdict = judge(CORNER, alpha=[F(0), -H, F(2)], allowed=MICRO)
    assert [(v.place, v.text, v.amount) for v in verdict.violations] == [
        ("all rows", "the sum of y_i α_i is -5/2, needs 0 for the bias", F(5, 2)),
        ("row 2", "multiplier 2 is more than C = 1", F(1)),
        ("row 1", "multiplier -1/2 is negative", H),
    ]


def test_one_end_of_the_biases_is_the_best_one() -> None:
    # x = 1 alone, positive, with w = 1: every b from 0 on pays nothing
    verdict = judge(BinaryProblem(X=[[1]], y=(1,), C=F(1)), w=[1], witness=[0], allowed=EXACT)
    assert verdict.status == "REFUTED" and verdict.gap == H


def test_feasible_multipliers_are_refuted_by_the_rows_that_they_miss() -> None:
    # alpha = 0: w = 0, the best b is 1, and only row 2 pays: 1 - (-1)(0 + 1) = 2
    verdict = judge(CORNER, alpha=[0, 0, 0], witness=ALPHA, allowed=MICRO)
    assert verdict.status == "REFUTED" and verdict.gap == F(7, 4)
    assert [(v.place, v.text, v.amount) for v in verdict.violations] == [
        ("row 2", "margin -1, needs 1", F(2))
    ]


def test_a_margin_without_end_is_no_number() -> None:
    problem = BinaryProblem(X=[[1], [3]], y=(1, 1), C=F(1))
    verdict = judge(problem, alpha=[0, 0], margin_squared=F(10**9), allowed=EXACT)
    assert verdict.status == "REFUTED"
    assert [(v.place, v.text) for v in verdict.violations] == [
        ("margin_squared", "1000000000, needs infinity")
    ]
    verdict = judge(CORNER, alpha=ALPHA, margin_squared="inf", allowed=EXACT)
    assert [(v.place, v.text) for v in verdict.violations] == [
        ("margin_squared", "infinity, needs 2")
    ]


def test_a_hard_problem_of_an_indefinite_matrix_or_without_a_witness_stays_open() -> None:
    indefinite = BinaryProblem(gram=[[1, 2], [2, 1]], y=(1, -1))
    verdict = hard(indefinite, alpha=[1, 1])
    assert verdict.status == "INCONCLUSIVE" and "vᵀKv" in verdict.violations[0].text
    assert hard(HARD, scores=[1, 1, -1]).status == "INCONCLUSIVE"


def test_weights_of_a_short_margin_are_judged_at_the_length_that_the_margin_needs() -> None:
    # x = ±(1, 0) are apart with w = (1, 0). (1, 1/8) is too long by 1/64; a margin of 199/200,
    # which is allowed by itself, makes up for none of that.
    apart = BinaryProblem(X=[[1, 0], [-1, 0]], y=(1, -1))
    short = F(199, 200)
    verdict = hard(apart, w=[short, short / 8], b=F(0), witness=[H, H], allowed=F(1, 100))
    assert verdict.status == "REFUTED" and verdict.violations[0].amount == F(1, 128)


def test_a_value_may_be_off_by_a_share_of_its_own_size_and_of_the_unit() -> None:
    for allowed, unit, status in (
        (F(1, 2), F(0), "VERIFIED"), (F(2, 5), F(0), "REFUTED"), (F(1, 3), F(1), "VERIFIED")
    ):  # fmt: skip
        scales = (unit + 2, unit + 2)
        part = bounded_claim("value", F(3), F(2), F(2), allowed, scales)
        assert part.status == status


def test_labels_may_be_those_of_the_bias_beside_them_and_not_of_the_optimum() -> None:
    # The third row costs nothing: w = 1, b = 0 and P = 1/2 are those of the first two. b = -1/50
    # costs 1/50 more and turns the sign of the third score, 1/100.
    light = BinaryProblem(X=[[1], [-1], [F(1, 100)]], y=(1, -1, 1), C=F(1), weights=(1, 1, 0))
    given: dict[str, Any] = {"labels": [1, -1, -1], "witness": [H, H, 0], "allowed": F(1, 10)}
    assert judge(light, w=[1], b=F(-1, 50), **given)
    assert judge(light, **given).status == "INCONCLUSIVE"


def test_labels_beside_scores_alone_are_those_of_the_scores() -> None:
    two = BinaryProblem(X=[[1], [-1]], y=(1, -1), C=F(1))
    given: dict[str, Any] = {"scores": [1, -1], "witness": [H, H], "allowed": EXACT}
    assert judge(two, labels=[1, -1], **given)
    assert judge(two, labels=[1, 1], **given).status == "REFUTED"


def test_multipliers_alone_may_have_the_labels_of_the_optimum_beside_them() -> None:
    # w = 1, b = 0 and P = 1/2 are optimal; w(0) = 0 has the best bias 1 and so labels all rows 1,
    # but whoever submits multipliers alone doesn't say with which bias they label
    three = BinaryProblem(X=[[1], [2], [-1]], y=(1, 1, -1), C=F(1))
    given: dict[str, Any] = {"labels": [1, 1, -1], "witness": [H, 0, H], "allowed": F(1)}
    assert judge(three, alpha=[0, 0, 0], **given)


def test_a_label_beyond_the_upper_end_of_the_optimal_biases_is_refuted() -> None:
    # PAIR, whose optimal b are from -1 to 1/2, with a third row that costs nothing: it scores -1 at
    # most, so that for a label +1 either w or b must move by half of that
    beyond = BinaryProblem(X=[[0], [1], [-3]], y=(-1, 1, 1), C=H, weights=(1, 1, 0))
    assert judge(beyond, labels=[1, 1, 1], witness=[H, H, 0], allowed=MICRO).status == "REFUTED"
    assert judge(beyond, labels=[1, 1, -1], witness=[H, H, 0], allowed=MICRO)


def test_scores_of_equal_rows_may_differ_by_what_rounding_makes_of_both() -> None:
    same = BinaryProblem(X=[[1], [1]], y=(1, 1), C=F(1))
    rounded = Evidence((), NOWHERE.centre, Bounds(F(1), F(1), F(1, 10)))
    worst, wrong = spread(prepare(same), [F(1, 5), F(0)], rounded)
    assert worst == 0 and not wrong
    worst, wrong = spread(prepare(same), [F(21, 100), F(0)], rounded)
    assert worst > 0 and len(wrong) == 2


def test_a_bias_that_was_submitted_may_be_off_to_both_sides() -> None:
    rounded = Evidence((), NOWHERE.centre, Bounds(F(1), F(1), F(1, 10)))
    found = leeway_of_bias(F(0), rounded)
    assert found.sure == found.possible == Interval(F(-1, 10), F(1, 10))
    assert found.plain == Interval(F(0), F(0))


@pytest.mark.parametrize(
    ("family", "C", "w", "alpha", "best", "gaps"),
    [
        # w^2/2 + 1 - 2w is 41/128 at 3/8; a - 2a^2 is 15/128 at 3/16, and at most 1/8
        (binary, F(1), F(3, 8), F(3, 16), [F(1, 4)], (25, 26)),
        # w^2/2 is 25/128 at 5/8; a - 2a^2 is 15/128 at 5/16, and at most 1/8
        (svm_hard, None, F(5, 8), F(5, 16), svm_hard.Witness([F(1, 4)]), (9, 10)),
    ],
)
def test_a_right_answer_is_judged_by_the_witness_too_unless_its_gap_may_be_rough(
    family: Any, C: F | None, w: F, alpha: F, best: Any, gaps: tuple[int, int]
) -> None:
    one_row = BinaryProblem(X=[[2]], y=(1,), C=C, bias=False)
    given = BinaryAnswer(w=[w], alpha=[alpha])
    sharp = family.judge(one_row, given, witnesses=[lambda: best], allowed=F(5))
    rough = family.judge(one_row, given, witnesses=[lambda: best], thorough=False, allowed=F(5))
    assert sharp and rough and (sharp.gap, rough.gap) == tuple(F(gap, 128) for gap in gaps)


def test_right_scores_count_relative_to_the_lower_bound_and_open_ones_to_the_upper() -> None:
    # a = 3/16 and its own w = 3/8, as above: the margin 3/4 misses 1/4 (1 - a)
    one_row = BinaryProblem(X=[[2]], y=(1,), C=F(1), bias=False)
    for allowed, status, scale in (
        (F(5), "VERIFIED", F(15, 128)),
        (F(1), "INCONCLUSIVE", F(41, 128)),
    ):
        verdict = judge(one_row, witness=[F(3, 16)], allowed=allowed, scores=[F(3, 4)])
        assert (verdict.status, verdict.gap, verdict.scale) == (status, F(13, 64), scale)


def test_slack_beyond_what_weights_need_is_paid_beside_their_gap() -> None:
    """P(9/10) is 81/200 + 1/5, 21/200 above the least; slacks of 3/20 pay 1/10 more."""
    pair = BinaryProblem(X=[[1], [-1]], y=(1, -1), C=F(1))
    for allowed, status in ((F(40, 100), "REFUTED"), (F(42, 100), "VERIFIED")):
        given = BinaryAnswer(w=[F(9, 10)], b=F(0), slack=[F(3, 20)] * 2)
        found = binary.judge(pair, given, witnesses=[lambda: [F(1, 2)] * 2], allowed=allowed)
        assert found.status == status and found.gap == F(41, 200)


def test_of_labels_that_contradict_the_weights_the_clearest_is_named() -> None:
    three = BinaryProblem(X=[[1], [-1], [3]], y=(1, -1, 1), C=F(1))
    given = BinaryAnswer(w=[1], b=F(0), labels=[-1, -1, -1])
    found = binary.judge(three, given, witnesses=[lambda: [F(1, 2), F(1, 2), F(0)]], allowed=F(0))
    text = "the numbers beside it say otherwise, by 3"
    assert ("row 2, labelled -1", text) in [(v.place, v.text) for v in found.violations]
