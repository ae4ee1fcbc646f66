"""The judge of the multi-class SVM, against problems that are solved by hand.

The main example has rows (1, 0), (0, 1), (-1, -1) of classes 0, 1, 2, and C = 1.  By hand: let
every margin be 1.  With W = (2/3, -1/3), (-1/3, 2/3), (-1/3, -1/3) the scores are

    row 0   2/3  -1/3  -1/3        no hinge is paid, and
    row 1  -1/3   2/3  -1/3        P = 1/2 (5/9 + 5/9 + 2/9) = 2/3
    row 2  -1/3  -1/3   2/3

For lam, f_0 = (lam_01 + lam_02 + lam_20, lam_20 - lam_10), f_1 likewise, and f_2 =
(-lam_20 - lam_21 - lam_02, -lam_20 - lam_21 - lam_12).  By the symmetry of classes 0 and 1 let
lam_01 = lam_10 = a, lam_02 = lam_12 = b, lam_20 = lam_21 = c: then a + b + c = 2/3, c - a = -1/3
and b + 2c = 1/3, so a = c + 1/3 and b = 1/3 - 2c for any c in [0, 1/6].  The sum of the multipliers
is 2(a + b + c) = 4/3, so theta = 4/3 - 2/3 = 2/3 = P, which proves both.

For C = 1/3 every row is at its bound: a = 1/3, b = 0, c = 1/6 gives W = (1/2, -1/6), (-1/6, 1/2),
(-1/3, -1/3), hinges 1/3, 1/3, 0, and P = 7/18 + 2/9 = 11/18 = 1 - 7/18 = theta.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction as F
from types import SimpleNamespace
from typing import Any

import pytest

from refmc.checker import Verdict
from refmc.checker.kernels import LINEAR
from refmc.checker.numbers.arithmetic import Matrix, to_matrix
from refmc.checker.numbers.rounding import Rounded
from refmc.checker.svm import multiclass
from refmc.checker.svm.duality import Bounds
from refmc.checker.svm.multiclass import MulticlassAnswer, MulticlassProblem
from refmc.checker.svm.multiclass_points import (
    group_gaps,
    point_of,
    prepare_multiclass,
    primal_point,
    repaired,
)
from refmc.checker.svm.multiclass_rounding import Spread
from tests.support import polynomial_kernel

ROWS = [[1, 0], [0, 1], [-1, -1]]
EXAMPLE = MulticlassProblem(X=ROWS, y=(0, 1, 2), k=3, C=F(1))
NAMED = MulticlassProblem(X=ROWS, y=(0, 1, 2), k=3, C=F(1), classes=("ant", "bee", "cat"))
H, T = F(1, 2), F(1, 3)
W = [[2 * T, -T], [-T, 2 * T], [-T, -T]]
SCORES = [[2 * T, -T, -T], [-T, 2 * T, -T], [-T, -T, 2 * T]]
LAM = [[2 * T, T, T], [T, 2 * T, T], [F(0), F(0), F(0)]]
W_THIRD = [[F(1, 2), F(-1, 6)], [F(-1, 6), F(1, 2)], [-T, -T]]
LAM_THIRD = [[T, T, F(0)], [T, T, F(0)], [F(1, 6), F(1, 6), T]]
EXACT = F(0)
MICRO = F(1, 10**6)


def judge(
    problem: MulticlassProblem, *, witness: Any = None, allowed: F, **submitted: Any
) -> Verdict:
    return multiclass.judge(
        problem, MulticlassAnswer(**submitted), witnesses=[lambda: witness], allowed=allowed
    )


def optimal_lam(c: F) -> list[list[F]]:
    a, b = c + T, T - 2 * c
    return [[a + b, a, b], [a, a + b, b], [c, c, 2 * c]]


def corrupted(rows: list[list[F]]) -> Iterator[list[list[F]]]:
    for i, row in enumerate(rows):
        for j in range(len(row)):
            for change in (F(1), F(-1, 7), F(1, 10**30), F(-1, 10**30)):
                copy = [list(r) for r in rows]
                copy[i][j] += change
                yield copy


def test_the_right_answer_is_verified_with_gap_zero_in_all_its_parts() -> None:
    verdict = judge(
        EXAMPLE,
        W=W,
        scores=SCORES,
        lam=LAM,
        labels=[0, 1, 2],
        values={"objective": F(2, 3)},
        slack=[0, 0, 0],
        allowed=EXACT,
    )
    assert verdict and verdict.gap == 0 and verdict.violations == () and verdict.hint == ""


@pytest.mark.parametrize("c", [F(0), F(1, 12), F(1, 6)])
def test_every_optimal_lam_is_verified_though_it_is_not_unique(c: F) -> None:
    assert judge(EXAMPLE, lam=optimal_lam(c), allowed=EXACT).gap == 0


def test_lam_alone_proves_itself_and_W_with_its_witness() -> None:
    assert judge(EXAMPLE, lam=LAM, allowed=EXACT)
    assert judge(EXAMPLE, W=W, witness=optimal_lam(F(1, 9)), allowed=EXACT)
    assert judge(EXAMPLE, scores=SCORES, witness=LAM, allowed=EXACT)
    assert judge(EXAMPLE, labels=[0, 1, 2], witness=LAM, allowed=EXACT)


def test_any_change_of_one_weight_is_refuted_since_the_optimum_is_unique() -> None:
    for wrong in corrupted(W):
        assert judge(EXAMPLE, W=wrong, witness=LAM, allowed=EXACT).status == "REFUTED"


def test_any_change_of_one_score_is_refuted() -> None:
    for wrong in corrupted(SCORES):
        assert judge(EXAMPLE, scores=wrong, witness=LAM, allowed=EXACT).status == "REFUTED"


def test_any_change_of_one_multiplier_breaks_its_row_and_is_refuted() -> None:
    for wrong in corrupted(LAM):
        assert judge(EXAMPLE, lam=wrong, allowed=EXACT).status == "REFUTED"


def test_any_change_of_one_slack_is_refuted() -> None:
    for [wrong] in corrupted([[F(0), F(0), F(0)]]):
        assert judge(EXAMPLE, W=W, slack=wrong, witness=LAM, allowed=EXACT).status == "REFUTED"
        assert judge(EXAMPLE, lam=LAM, slack=wrong, allowed=EXACT).status == "REFUTED"
        assert judge(EXAMPLE, scores=SCORES, slack=wrong, allowed=EXACT).status == "REFUTED"


def test_any_change_of_the_objective_is_refuted() -> None:
    for [[wrong]] in corrupted([[F(2, 3)]]):
        verdict = judge(EXAMPLE, lam=LAM, values={"objective": wrong}, allowed=EXACT)
        assert verdict.status == "REFUTED" and verdict.gap == abs(wrong - F(2, 3))


def test_any_change_of_one_label_is_refuted_where_no_scores_tie() -> None:
    for i in range(3):
        for label in range(3):
            labels = [0, 1, 2]
            labels[i] = label
            verdict = judge(EXAMPLE, labels=labels, witness=LAM, allowed=EXACT)
            assert verdict.status == ("VERIFIED" if label == i else "REFUTED")


def test_weights_for_another_C_are_refuted() -> None:
    verdict = judge(EXAMPLE, W=W_THIRD, witness=LAM, allowed=MICRO)
    # P(W) = 7/18 + (1/3 + 1/3) = 19/18, of which 2/3 = 12/18 is needed
    assert verdict.explain() == (
        "REFUTED  svm.multiclass  3 rows, 3 classes, C = 1\n"
        "  gap      7/18 (3.9e-1), relative 5.8e-1; allowed 1e-6\n"
        "  digits   0.2 correct in the objective\n"
        "  weights  within 8.9e-1 of the optimal ones, since ½‖w − w*‖² ≤ the gap\n"
        "  worst    row 0 against class 1: margin 2/3, needs 1"
    )
    assert json.loads(json.dumps(verdict.to_json())) == verdict.to_json()


def test_multipliers_for_a_smaller_C_are_refuted() -> None:
    verdict = judge(EXAMPLE, lam=LAM_THIRD, witness=LAM, allowed=EXACT)
    # theta = 1 - 7/18 = 11/18
    assert verdict.status == "REFUTED" and verdict.gap == F(2, 3) - F(11, 18)


def test_multipliers_for_a_larger_C_are_infeasible() -> None:
    tight = MulticlassProblem(X=ROWS, y=(0, 1, 2), k=3, C=F(1, 6))
    verdict = judge(tight, lam=LAM_THIRD, allowed=EXACT)
    assert verdict.status == "REFUTED"
    assert verdict.violations[0].text == "entries sum to 1/3, more than C = 1/6"


def test_weights_with_the_sign_of_the_lectures_last_print_are_refuted() -> None:
    negative = [[-v for v in row] for row in W]
    verdict = judge(EXAMPLE, W=negative, witness=LAM, allowed=EXACT)
    # every margin is -1, so P = 2/3 + 3 * 2
    assert verdict.status == "REFUTED" and verdict.gap == 6


def test_weights_of_zero_are_refuted_by_the_rows_whose_multipliers_are_least() -> None:
    verdict = judge(NAMED, W=[[0, 0]] * 3, witness=LAM, allowed=EXACT)
    # P = 3; row 2 pays its hinge of 1 without a multiplier, the others have 2/3 of it
    assert verdict.status == "REFUTED" and verdict.gap == 3 - F(2, 3)
    first, second = verdict.violations[:2]
    assert first.place == "row 2 against class ant" and first.amount == 1
    assert first.text == "margin 0, needs 1"
    assert second.place == "row 0 against class bee" and second.amount == F(1, 3)
    assert len(verdict.violations) == 5


def test_all_parts_of_a_gap_are_found() -> None:
    verdict = judge(EXAMPLE, W=W_THIRD, witness=LAM, allowed=EXACT)
    # rows 0 and 1: (1 - 2/3) 1/3 + 1/3 (1/3 - 1/6); classes 0 and 1: (1/36 + 1/36) / 2
    assert [v.amount for v in verdict.violations] == [F(1, 6)] * 2 + [F(1, 36)] * 2
    assert sum(v.amount for v in verdict.violations) == verdict.gap == F(7, 18)


def test_weights_outside_the_span_of_the_rows_are_refuted_by_their_class() -> None:
    flat = MulticlassProblem(X=[[2, 0]], y=(0,), k=2, C=F(1))
    lam = [[F(1, 8), F(1, 8)]]
    verdict = judge(flat, W=[[F(1, 4), 1], [F(-1, 4), 0]], witness=lam, allowed=EXACT)
    assert verdict.gap == F(1, 2)
    assert verdict.violations[0].place == "class 0" and verdict.violations[0].amount == F(1, 2)


def test_without_a_witness_good_weights_stay_undecided_and_absurd_ones_are_refuted() -> None:
    alone = judge(EXAMPLE, W=W, allowed=EXACT)
    assert alone.status == "INCONCLUSIVE" and alone.gap == F(2, 3)
    assert alone.hint == "a closer witness is needed: the optimum lies between 0 and 2/3"
    # whatever share of an optimum of 0 is allowed, 2/3 is more
    assert judge(EXAMPLE, W=W, allowed=F(100)).status == "INCONCLUSIVE"
    # P = 100 with all margins at least 1, while W = 0 has P = 3, of which another 32 are allowed
    absurd = [[10, 0], [0, 10], [0, 0]]
    assert judge(EXAMPLE, W=absurd, allowed=F(32)).status == "REFUTED"
    assert judge(EXAMPLE, W=absurd, allowed=F(33)).status == "INCONCLUSIVE"


def test_an_infeasible_witness_proves_what_its_repair_proves() -> None:
    # the first two rows of 5 become 1: lam = ((1, 1, 0), (1, 1, 0), 0), f_0 = (1, -1), f_1 = (-1,
    # 1)
    cheat = [[F(5), F(5), F(0)], [F(5), F(5), F(0)], [F(0), F(0), F(0)]]
    verdict = judge(EXAMPLE, W=W, witness=cheat, allowed=EXACT)
    # theta = 2 - 1/2 (2 + 2) = 0, no more than that of lam = 0
    assert verdict.status == "INCONCLUSIVE" and verdict.gap == F(2, 3)
    # with 5/3 each, and C = 1/3, they become 1/3: theta = 2/3 - 1/2 (2/9 + 2/9) = 4/9, and P(W) =
    # 2/3
    tight = MulticlassProblem(X=ROWS, y=(0, 1, 2), k=3, C=T)
    verdict = judge(tight, W=W, witness=[[v * T for v in row] for row in cheat], allowed=EXACT)
    assert verdict.gap == F(2, 3) - F(4, 9)


def test_a_witness_that_is_infeasible_by_rounding_still_serves() -> None:
    rounded = [[F(float(v)) for v in row] for row in LAM]
    rounded[0][0] += F(1, 2**50)
    assert judge(EXAMPLE, W=W, witness=rounded, allowed=MICRO)
    assert judge(EXAMPLE, W=W, witness=rounded, allowed=EXACT).status == "INCONCLUSIVE"


def test_multipliers_rounded_to_floats_are_not_refuted_for_that() -> None:
    rounded = [[F(float(v)) for v in row] for row in optimal_lam(F(1, 9))]
    assert any(sum(row) != 2 * max(row) for row in rounded)  # the own entry isn't the exact sum
    verdict = judge(EXAMPLE, lam=rounded, allowed=MICRO)
    assert verdict and verdict.digits is not None and verdict.digits > 15
    assert judge(EXAMPLE, lam=rounded, allowed=EXACT).status == "REFUTED"


@pytest.mark.parametrize(
    ("row", "place", "text"),
    [
        ([F(0), -T, T], "row 0 against class bee", "entry -1/3 is negative"),
        ([F(2), F(1), F(1)], "row 0", "entries sum to 2, more than C = 1"),
        ([F(1), T, T], "row 0, own class ant", "entry 1, but the others sum to 2/3"),
    ],
)
def test_infeasible_multipliers_are_named(row: list[F], place: str, text: str) -> None:
    verdict = judge(NAMED, lam=[row, *LAM[1:]], allowed=MICRO)
    assert verdict.status == "REFUTED"
    assert (verdict.violations[0].place, verdict.violations[0].text) == (place, text)


def test_slack_within_the_allowed_gap_adds_its_cost() -> None:
    # 1/5 is 3/10 of the optimum
    loose = judge(EXAMPLE, W=W, slack=[F(1, 10), F(1, 10), 0], witness=LAM, allowed=F(3, 10))
    assert loose and loose.gap == F(1, 5) and loose.relative == F(3, 10)
    tight = judge(EXAMPLE, W=W, slack=[F(1, 10), F(1, 10), 0], witness=LAM, allowed=F(29, 100))
    assert tight.status == "REFUTED"
    assert tight.violations[0].text == "slack 1/10, needs only 0"
    short = judge(EXAMPLE, W=W_THIRD, slack=[T, 0, 0], witness=LAM, allowed=F(3, 8))
    assert short.status == "REFUTED" and short.gap == F(7, 18)
    assert any(v.text == "slack 0, needs 1/3" for v in short.violations)


def test_slack_too_large_counts_towards_the_gap_of_the_weights() -> None:
    # 2/5 is 3/5 of the optimum: 7/18 and 1/10 are allowed each, their sum isn't
    slack = [T, T, F(1, 10)]
    verdict = judge(EXAMPLE, W=W_THIRD, slack=slack, witness=LAM, allowed=F(3, 5))
    assert verdict.status == "REFUTED" and verdict.gap == F(7, 18) + F(1, 10)
    assert judge(EXAMPLE, W=W_THIRD, slack=slack, witness=LAM, allowed=F(3, 4))


def test_an_objective_that_may_be_right_is_not_called_so() -> None:
    # of an optimum of 2/3, the upper end of [0, 2/3], as much again is allowed, but 0 is lower
    verdict = judge(EXAMPLE, W=W, values={"objective": F(4, 3)}, allowed=F(1))
    assert verdict.status == "INCONCLUSIVE" and verdict.gap == F(4, 3)


def test_objective_claims_are_decided_by_the_interval_of_the_optimum() -> None:
    # lam = 0 and W alone: the optimum lies in [0, 2/3]
    claim = judge(EXAMPLE, W=W, values={"objective": F(2, 3)}, allowed=F(1, 3))
    assert claim.status == "INCONCLUSIVE"
    outside = judge(EXAMPLE, W=W, values={"objective": F(2)}, allowed=F(1))
    assert outside.status == "REFUTED"
    assert outside.violations[0].text == "2, but the optimum is between 0 and 2/3"
    assert judge(EXAMPLE, lam=LAM, values={"objective": F(1)}, allowed=F(1, 2))
    exact = judge(EXAMPLE, lam=LAM, values={"objective": F(1)}, allowed=F(3, 8))
    assert exact.violations[0].text == "1, but the optimum is 2/3"


def test_scores_may_stray_as_far_as_a_suboptimal_function_may() -> None:
    # K_00 = 1: a score off by 1/2 costs at least 1/8, which is 3/16 of the optimum
    wrong = [[2 * T + F(1, 2), -T, -T], *SCORES[1:]]
    assert judge(EXAMPLE, scores=wrong, witness=LAM, allowed=F(3, 16))
    refuted = judge(NAMED, scores=wrong, witness=LAM, allowed=F(3, 16) - F(1, 10**40))
    assert refuted.status == "REFUTED" and refuted.gap == F(1, 8)
    assert refuted.violations[0].place == "row 0, class ant"
    assert refuted.violations[0].text == "score 7/6, needs 2/3"


def test_scores_are_undecided_between_the_two_bounds_of_a_poor_witness() -> None:
    # with 3/4 of lam: W = 3/4 W*, P = 9/16 * 2/3 + 3/4 = 9/8, theta = 1 - 3/8 = 5/8, so g = 1/2
    poor = [[v * F(3, 4) for v in row] for row in LAM]
    centre = [[v * F(3, 4) for v in row] for row in SCORES]
    # g is 4/5 of theta
    assert judge(EXAMPLE, scores=centre, witness=poor, allowed=F(79, 100)).status == "INCONCLUSIVE"
    assert judge(EXAMPLE, scores=centre, witness=poor, allowed=F(4, 5))
    # 4/9 of P is 1/2, and sqrt(2 K_00) (sqrt(1/2) + sqrt(1/2)) = 2
    far = [[F(1, 2) + 2, centre[0][1], centre[0][2]], *centre[1:]]
    assert judge(EXAMPLE, scores=far, witness=poor, allowed=F(4, 9)).status == "INCONCLUSIVE"
    far[0][0] += F(1, 10**30)
    assert judge(EXAMPLE, scores=far, witness=poor, allowed=F(4, 9)).status == "REFUTED"


def test_labels_are_undecided_where_a_poor_witness_does_not_force_them() -> None:
    poor = [[v * F(3, 4) for v in row] for row in LAM]  # g = 1/2, leads of 3/4
    assert judge(EXAMPLE, labels=[0, 1, 2], witness=poor, allowed=EXACT).status == "INCONCLUSIVE"
    close = [[v * F(99, 100) for v in row] for row in LAM]  # g < 2/100, leads of 99/100
    assert judge(EXAMPLE, labels=[0, 1, 2], witness=close, allowed=EXACT)
    wrong = judge(NAMED, labels=[1, 1, 2], witness=close, allowed=EXACT)
    assert wrong.status == "REFUTED"
    assert wrong.violations[0].text == "class ant scores higher than class bee by 99/100"


def test_every_row_must_force_its_label_by_its_own_length() -> None:
    # 9/10 of lam: P = 27/50 + 3/10, theta = 6/5 - 27/50, g = 9/50, every lead is 9/10;
    # 81/100 is more than 4 K g for rows 0 and 1, where K = 1, but not for row 2, where K = 2
    fair = [[v * F(9, 10) for v in row] for row in LAM]
    assert judge(EXAMPLE, labels=[0, 1, 2], witness=fair, allowed=EXACT).status == "INCONCLUSIVE"


def test_an_impossible_label_becomes_possible_when_the_gap_pays_for_it() -> None:
    # the lead is 1 and the row has norm 1: 1 > 2 sqrt(t) for t < 1/4, 3/8 of the optimum
    below, at = F(3, 8) - F(1, 10**30), F(3, 8)
    assert judge(EXAMPLE, labels=[1, 1, 2], witness=LAM, allowed=below).status == "REFUTED"
    assert judge(EXAMPLE, labels=[1, 1, 2], witness=LAM, allowed=at).status == "INCONCLUSIVE"


def test_the_weakest_part_decides() -> None:
    both = judge(EXAMPLE, W=W, labels=[1, 1, 2], witness=LAM, allowed=EXACT)
    assert both.status == "REFUTED" and both.gap == F(1, 4)
    # theta of 3/4 lam is 5/8, which leaves a gap of 1/24 for W; the labels are forced by it
    poor = [[v * F(3, 4) for v in row] for row in LAM]
    half = judge(EXAMPLE, W=W, labels=[0, 1, 2], witness=poor, allowed=F(1, 25))
    assert half.status == "INCONCLUSIVE" and half.gap == F(1, 24)


def test_one_class_needs_nothing() -> None:
    single = MulticlassProblem(X=[[1], [3]], y=(0, 0), k=1, C=F(1))
    verdict = judge(
        single, W=[[0]], lam=[[0], [0]], scores=[[0], [0]], labels=[0, 0],
        values={"objective": F(0)},
        slack=[0, 0], allowed=EXACT,
    )  # fmt: skip
    assert verdict and verdict.gap == 0
    refuted = judge(single, W=[[1]], allowed=EXACT)
    assert refuted.status == "REFUTED" and refuted.gap == F(1, 2) and refuted.digits is None
    assert "1 class," in refuted.explain()
    assert judge(single, lam=[[1], [0]], allowed=EXACT).status == "REFUTED"


def test_a_zero_row_costs_C_and_says_nothing() -> None:
    # row 1: lam = 1/2 at most pays 1/2 - 1/4; row 0 pays its C whatever f is
    problem = MulticlassProblem(X=[[0], [1]], y=(0, 1), k=2, C=F(1))
    lam = [[F(1), F(1)], [F(1, 2), F(1, 2)]]
    verdict = judge(
        problem,
        W=[[F(-1, 2)], [F(1, 2)]],
        lam=lam,
        values={"objective": F(5, 4)},
        slack=[1, 0],
        allowed=EXACT,
    )
    assert verdict and verdict.gap == 0
    for label in (0, 1):  # both classes have the score 0
        assert judge(problem, labels=[label, 1], witness=lam, allowed=EXACT)
    scores = [[F(1, 10**9), F(0)], [F(-1, 2), F(1, 2)]]
    impossible = judge(problem, scores=scores, witness=lam, allowed=F(100))
    assert impossible.status == "REFUTED"
    assert impossible.violations[0].text == "score 1/1000000000, needs 0"


def test_a_class_that_no_row_has_shares_the_burden() -> None:
    # one row x = 1: S - 1/2 S^2 (1 + 1/2) is largest at S = 2/3, where it is 1/3
    problem = MulticlassProblem(X=[[1]], y=(0,), k=3, C=F(1))
    lam = [[F(2, 3), T, T]]
    assert judge(
        problem, W=[[F(2, 3)], [-T], [-T]], lam=lam, values={"objective": T}, allowed=EXACT
    )
    without = judge(problem, W=[[F(1, 2)], [F(-1, 2)], [F(0)]], witness=lam, allowed=EXACT)
    assert without.status == "REFUTED"
    assert without.violations[0].place == "row 0 against class 2"


def test_duplicate_rows_with_conflicting_labels_cancel() -> None:
    # (1 - v) + (1 + v) = 2 for |v| <= 1, so W = 0 and P = 2C
    problem = MulticlassProblem(X=[[1], [1]], y=(0, 1), k=2, C=F(3))
    lam = [[F(3), F(3)], [F(3), F(3)]]
    verdict = judge(
        problem, W=[[0], [0]], lam=lam, values={"objective": F(6)}, slack=[1, 1], allowed=EXACT
    )
    assert verdict and verdict.gap == 0
    for labels in ([0, 0], [0, 1], [1, 0]):  # tied scores: every label is a largest one
        assert judge(problem, labels=labels, witness=lam, allowed=EXACT)


def test_an_indefinite_gram_matrix_decides_nothing_and_shows_why() -> None:
    problem = MulticlassProblem(gram=[[1, 2], [2, 1]], y=(0, 1), k=2, C=F(1))
    verdict = judge(problem, lam=[[0, 0], [0, 0]], allowed=F(100))
    assert verdict.status == "INCONCLUSIVE" and verdict.gap is None
    # v = (-2, 1): 4 - 8 + 1
    assert verdict.violations[0].text == "vᵀKv = -3 for v = (-2, 1)"
    skew = MulticlassProblem(gram=[[1, 2], [3, 1]], y=(0, 1), k=2, C=F(1))
    verdict = judge(skew, lam=[[0, 0], [0, 0]], allowed=F(100))
    assert verdict.status == "INCONCLUSIVE"
    assert verdict.violations[0].place == "Gram matrix at 0, 1"


def test_a_polynomial_kernel_that_is_not_definite_is_caught() -> None:
    kernel = polynomial_kernel(1, F(1), F(-2))  # K = [[-1]] for the row x = 1
    problem = MulticlassProblem(X=[[1]], kernel=kernel, y=(0,), k=2, C=F(1))
    assert judge(problem, lam=[[0, 0]], allowed=F(9)).violations[0].text == "vᵀKv = -1 for v = (1)"


@pytest.mark.parametrize("lam", [LAM, LAM_THIRD, optimal_lam(F(1, 6))])
def test_three_ways_to_give_the_same_kernel_agree(lam: list[list[F]]) -> None:
    gram = [[1, 0, -1], [0, 1, -1], [-1, -1, 2]]
    same = [
        EXAMPLE,
        MulticlassProblem(X=ROWS, kernel=LINEAR, y=(0, 1, 2), k=3, C=F(1)),
        MulticlassProblem(
            X=ROWS, kernel=polynomial_kernel(1, F(1), F(0)), y=(0, 1, 2), k=3, C=F(1)
        ),
        MulticlassProblem(gram=gram, y=(0, 1, 2), k=3, C=F(1)),
    ]
    first, *others = (
        judge(
            p,
            lam=lam,
            scores=SCORES,
            labels=[0, 1, 2],
            values={"objective": F(2, 3)},
            allowed=EXACT,
        )
        for p in same
    )
    assert all(other == first for other in others)


def test_a_polynomial_kernel_is_computed_with_scale_and_offset() -> None:
    # (x.x'/2 + 1/3)^2 of x = 1, 2 is ((5/6)^2, (4/3)^2; (4/3)^2, (7/3)^2)
    by_hand = [[F(25, 36), F(16, 9)], [F(16, 9), F(49, 9)]]
    lam = [[F(1, 5), F(1, 5)], [F(1, 7), F(1, 7)]]
    kernel = polynomial_kernel(2, F(2), F(1, 3))
    one = judge(
        MulticlassProblem(X=[[1], [2]], kernel=kernel, y=(0, 1), k=2, C=F(1)),
        lam=lam,
        allowed=EXACT,
    )
    two = judge(MulticlassProblem(gram=by_hand, y=(0, 1), k=2, C=F(1)), lam=lam, allowed=EXACT)
    assert one == two and one.gap is not None and one.gap > 0


def test_numbers_of_thousands_of_digits_are_judged_and_printed() -> None:
    tiny, C = F(1, 10**2600), F(10**5300)
    problem = MulticlassProblem(X=[[tiny]], y=(0,), k=2, C=C)
    best = 1 / (2 * tiny * tiny)  # the S of S - S^2 K, which is then S/2
    lam = [[best, best]]
    verdict: Verdict = judge(problem, W=[[0], [0]], lam=lam, allowed=MICRO)
    assert verdict.status == "REFUTED" and verdict.gap == C - best / 2
    assert "gap      1.0e5300, relative 4.0e100; allowed 1e-6" in verdict.explain()
    assert "C = 1e5300" in verdict.explain()
    text = json.dumps(verdict.to_json())
    assert "9" * 100 in text and len(text) > 5300
    assert judge(problem, W=[[best * tiny], [-best * tiny]], lam=lam, allowed=EXACT).gap == 0


def test_close_margins_are_told_by_what_they_miss() -> None:
    off = [[v * (1 - F(1, 3**100)) for v in row] for row in W]
    verdict = judge(EXAMPLE, W=off, witness=LAM, allowed=EXACT)
    assert verdict.violations[0].text == "margin short of the 1 that it needs by ~1.94033e-48"


def test_the_parts_of_a_repair_have_their_amounts() -> None:
    # class 0 of C = 1: the others sum to 1/2 + 1 - 1/4, of which 1/4 is above C; 2 stands for it
    problem = MulticlassProblem(X=[[1]], y=(0,), k=4, C=F(1))
    found = repaired(prepare_multiclass(problem), [[F(2), H, F(1), F(-1, 4)]])
    assert [(v.text, v.amount) for v in found.faults] == [
        ("entry -1/4 is negative", F(1, 4)),
        ("entries sum to 5/4, more than C = 1", F(1, 4)),
        ("entry 2, but the others sum to 5/4", F(3, 4)),
    ]
    # -1/4 becomes 0, then 1/2 is taken off the largest entry, and the own one is 1
    assert found.lam == Matrix(((4, 2, 2, 0),), 4) and found.moved == 1 + F(1, 4) + H


def test_a_multiplier_without_need_is_told_from_one_that_is_missing() -> None:
    """Row 2 of class 0 against 1 with lam = 1/2: W = (1), (-1), the margin 4, the hinge 0.

    An entry of lam needs the margin 1 - 0, and adds 1/2 (4 - 1) = 3/2.
    """
    one = MulticlassProblem(X=[[2]], y=(0,), k=2, C=F(1))
    verdict = judge(one, lam=[[H, H]], witness=[[F(1, 8)] * 2],
                    allowed=EXACT)  # fmt: skip
    assert [(v.text, v.amount) for v in verdict.violations] == [
        ("margin 4, needs only 1, for its entry is 1/2", F(3, 2))
    ]


def test_the_score_that_is_needed_is_that_of_the_row_and_the_class() -> None:
    # w_0 = −w_1 = 1/2, where the margin is 1
    alone = MulticlassProblem(X=[[1]], y=(0,), k=2, C=F(1))
    verdict = judge(alone, scores=[[H, F(-1, 4)]], witness=[[H, H]], allowed=EXACT)
    assert verdict.violations[0].text == "score -1/4, needs -1/2"


def test_labels_that_the_scores_of_the_weights_contradict_are_wrong_whatever_is_allowed() -> None:
    # row 0 is short by a margin of 1 with the label 1
    for allowed in (F(1), F(1, 100), EXACT):
        verdict = judge(EXAMPLE, W=W, labels=[1, 1, 2], witness=LAM, allowed=allowed)
        assert verdict.status == "REFUTED"


def test_what_stays_open_counts_relative_to_the_upper_bound_of_the_optimum() -> None:
    # without a witness the optimum is between 0 and 3, the loss of W = 0
    verdict = judge(EXAMPLE, scores=[[H, 0, 0], [0, H, 0], [0, 0, H]], allowed=EXACT)
    assert verdict.status == "INCONCLUSIVE" and verdict.scale == 3


def test_a_shifted_matrix_widens_the_upper_bound_by_the_squares_of_all_multipliers() -> None:
    # P(0) is C = ½ for each of two rows. λ_i has the squares of at most 2 entries C, or of k in the
    # sum form, whose own entry is up to (k − 1)C: the shift ¼ may cost ⅛ · (2 or 6) · (¼ + ¼)
    for sum_form, upper in (False, 1 + F(1, 8)), (True, 2 + F(3, 8)):
        problem = MulticlassProblem(X=[[1], [2]], y=(0, 1), k=3, C=H, sum_form=sum_form)
        data = prepare_multiclass(problem)
        assert data.points is not None
        data = data._replace(points=data.points._replace(shift=F(1, 4)))
        case = multiclass._read_case(data, MulticlassAnswer(labels=[0, 1]), EXACT)
        assert multiclass._evidence(case, []).bounds.upper == upper


def test_right_scores_count_relative_to_what_is_sure_and_right_labels_have_no_gap() -> None:
    data = prepare_multiclass(EXAMPLE)
    centre = primal_point(data, to_matrix(W))
    evidence = multiclass._Evidence(repaired(data, LAM), centre, Bounds(F(2), F(5, 2), F(1)))
    part = multiclass._judge_scores(data, centre.scores, evidence)
    assert part.status == "VERIFIED" and part.scale == 2
    assert judge(EXAMPLE, witness=LAM, allowed=EXACT, labels=[0, 1, 2]).gap is None


def test_a_margin_of_too_many_digits_is_told_by_its_difference() -> None:
    tiny = F(1, 3**5000)
    for off, side in (-tiny, "short of"), (tiny, "beyond"):
        text = multiclass._margin_text(1 + off, F(1))
        assert text.startswith(f"margin {side} the 1 that it needs by ")


@pytest.mark.parametrize(
    ("x", "sum_form", "first", "texts"),
    [
        # scores ¼, −¼, 0 for (1, 0): class 2 is short by ¾, which is the loss, and class 1 by ½
        (H, False, F(1), ["margin 1/2, needs only 1/4, for its entry is 1"]),
        # ¼, −¼, 0: short by ½ and ¾; what λ doesn't charge is ¾ · ¾
        (F(1), False, F(1, 4), ["margin 1/4, needs 1, but the entries sum to 1/4, less than 1"]),
        # ¾, −¾, 0: class 1 has ½ too much, for which ¾ is charged, and class 2 is short by ¼
        (F(1), True, F(3, 4), ["margin 3/2, needs only 1, for its entry is 3/4",
                               "margin 3/4, needs 1, but its entry is 0, less than 1"]),
    ],
)  # fmt: skip
def test_each_group_is_told_by_what_it_charges(
    x: F, sum_form: bool, first: F, texts: list[str]
) -> None:
    problem = MulticlassProblem(X=[[x]], y=(0,), k=3, C=F(1), sum_form=sum_form)
    data = prepare_multiclass(problem)
    own = repaired(data, [[first, first, F(0)]])
    assert [v.text for v in multiclass._multiplier_violations(data, own)] == texts


def test_only_what_is_wrong_with_multipliers_is_named() -> None:
    one = MulticlassProblem(X=[[1]], y=(0,), k=3, C=F(1))
    data = prepare_multiclass(one)
    for row, places in (
        ([F(0), F(1), F(0)], [("row 0, own class 0", F(1))]),
        ([F(3, 4), F(1), F(-1, 4)], [("row 0 against class 2", F(1, 4))]),
        ([F(5, 4), F(1), F(1, 4)], [("row 0", F(1, 4))]),
    ):
        assert [(v.place, v.amount) for v in repaired(data, [row]).faults] == places


def test_norms_and_costs_are_those_of_the_row_and_the_classes() -> None:
    features: list[list[list[F | int]]] = [[[1, 0], [0, 1]], [[H, 0], [0, 1]]]
    problem = MulticlassProblem(
        features=features, y=(0, 1), k=2, C=F(1), costs=[[0, 2], [F(5, 2), 0]]
    )
    data = prepare_multiclass(problem)
    assert data.norm_between(1, 0, 1) == data.norm_between(1, 1, 0) == F(5, 4)
    four = MulticlassProblem(features=[[[3], [7]], [[1], [5]]], y=(0, 1), k=2, C=F(1))
    assert prepare_multiclass(four).norm_between(1, 1, 0) == 16
    assert data.norm(1, 0) == F(1, 4) and data.largest_cost == F(5, 2)


def test_the_groups_that_add_most_stand_first() -> None:
    data = prepare_multiclass(MulticlassProblem(X=[[0]] * 3, y=(0,) * 3, k=2, C=F(1)))
    lam = to_matrix([[H, H], [F(0), F(0)], [F(1, 4), F(1, 4)]])
    found = group_gaps(data, primal_point(data, to_matrix([[0], [0]])), lam)
    assert [(g.row, g.amount) for g in found] == [(1, 1), (2, F(3, 4)), (0, H)]


def test_a_right_answer_is_judged_by_the_witness_too_unless_its_gap_may_be_rough() -> None:
    # P = v² + 1 − 4v is 73/256 at 3/16; λ − 4λ² is 15/256 at 3/32, and at most 1/16
    one_row = MulticlassProblem(X=[[2]], y=(0,), k=2, C=F(1))
    given = MulticlassAnswer(W=[[F(3, 16)], [F(-3, 16)]], lam=[[F(3, 32), F(3, 32)]])
    best = [lambda: [[F(1, 8), F(1, 8)]]]
    sharp = multiclass.judge(one_row, given, witnesses=best, allowed=F(5))
    assert sharp and sharp.gap == F(57, 256)
    rough = multiclass.judge(one_row, given, witnesses=best, thorough=False, allowed=F(5))
    assert rough and rough.gap == F(58, 256)


def test_a_row_of_zeros_has_no_other_score_than_0() -> None:
    two = MulticlassProblem(X=[[0], [1]], y=(0, 1), k=2, C=F(1))
    for lam in (None, [[F(0)] * 2] * 2):  # however little is known of the optimum
        found = judge(two, scores=[[3, 0], [0, 0]], witness=lam, allowed=MICRO)
        [wrong] = [v for v in found.violations if v.place.startswith("row 0")]
        assert (wrong.text, wrong.amount) == ("score 3, needs 0", F(3))


def test_slack_of_the_sum_form_may_be_off_by_all_leads() -> None:
    # each score may be off by 1/10, so that each of three leads is by 1/5
    for sum_form, limit in ((True, F(3, 5)), (False, F(1, 5))):
        problem = MulticlassProblem(X=[[1]], y=(0,), k=3, C=F(1), sum_form=sum_form)
        data = prepare_multiclass(problem)
        point = primal_point(data, to_matrix([[0], [0], [0]]))
        needed = F(2) if sum_form else F(1)
        for off, status in ((limit, "INCONCLUSIVE"), (limit + MICRO, "REFUTED")):
            box = {"slack": [[Rounded.of(needed + off)]]}
            scores = to_matrix([[F(1, 10)] * 3])
            spread = Spread(box, scores, scores, F(0), F(0))
            case: Any = SimpleNamespace(data=data, submitted=point, spread=spread)
            part, _ = multiclass._judge_slack(case, [needed], Bounds(F(1), F(1), EXACT))
            assert (part.status, part.gap) == (status, off)


def test_labels_beside_multipliers_may_be_those_of_the_optimum() -> None:
    # by these multipliers w_0 = (1, 1) and w_2 = (-1, -1): class 0 scores highest at row 1
    wrong = [[F(0)] * 3, [F(0)] * 3, [F(1), F(0), F(1)]]
    found = judge(EXAMPLE, lam=wrong, labels=[0, 1, 2], witness=LAM, allowed=EXACT)
    assert found.violations and all(v.place != "row 1" for v in found.violations)
    text = "the numbers beside them score class 0 higher than class 1, by 1"
    found = judge(
        EXAMPLE, W=[[1, 1], [0, 0], [-1, -1]], labels=[0, 1, 2], witness=LAM, allowed=EXACT
    )
    assert ("row 1", text) in [(v.place, v.text) for v in found.violations]


def test_labels_beside_weights_may_be_those_of_scores_that_round_alike() -> None:
    # scores of one product are off by 3/2^53 of it each
    data = prepare_multiclass(MulticlassProblem(X=[[1]], y=(0,), k=2, C=F(1)))
    for off, allowed, status in (
        (F(1, 2**51), MICRO, "VERIFIED"), (F(1, 2**50), MICRO, "REFUTED"),
        (F(1, 2**51), EXACT, "REFUTED"),
    ):  # fmt: skip
        case = multiclass._read_case(data, MulticlassAnswer(W=[[1 + off], [1]]), allowed)
        assert case.point is not None
        assert multiclass._beside(case, [1], case.point).status == status
        assert multiclass._beside(case, [0], case.point).status == "VERIFIED"


def test_where_no_cost_counts_the_gap_is_relative_to_weights_of_margins_1() -> None:
    # ½‖w‖² is 1/100, and the longest row has norm 1: 1/50 of 1/2 is allowed
    free = MulticlassProblem(X=[[1], [-1]], y=(0, 1), k=2, C=F(1), costs=[[0, 0]] * 2)
    for allowed, status in ((F(1, 50), "VERIFIED"), (F(1, 51), "REFUTED")):
        assert judge(free, W=[[F(1, 10)], [F(-1, 10)]], allowed=allowed).status == status


def test_fractional_costs_and_scores_have_one_denominator() -> None:
    # a cost of 1/2 and scores of 1/3 and 2/3: 1/2 + 1/3 is 5/6
    data = prepare_multiclass(replace(EXAMPLE, X=[[1]], y=(0,), k=2, costs=[[0, F(1, 2)]]))
    point = point_of(data, Matrix(((1, 2),), 3), F(0), None)
    assert (point.losses, point.excesses.den) == ((5,), 6)
