"""What is known of the bias of a binary SVM, with bounds of the optimum as wide as by hand.

LINE has the rows 1 (+) and 2 (−). Its weights w° have the scores 3 and −5, which fit all biases
from −2 to 4. P* is between 2 and 5/2, so that a score is off by at most √(2·½)·‖x‖, which is 1 or
2, and a fifth of P* is allowed: at most ½, which moves the scores as far again.
"""

from fractions import Fraction as F
from typing import Any

import pytest

from refmc.checker.kernels import prepare
from refmc.checker.svm import binary, hard
from refmc.checker.svm.binary import BinaryAnswer, BinaryProblem, Interval
from refmc.checker.svm.binary_bias import (
    Evidence,
    Leeway,
    bias_bounds,
    judge_margin_squared,
    leeway_of_labels,
    leeway_of_scores,
    leeway_of_slack,
)
from refmc.checker.svm.binary_case import chosen_bias, read_case
from refmc.checker.svm.binary_points import (
    Data,
    Function,
    of_weights,
    repaired,
    with_column_of_ones,
)
from refmc.checker.svm.binary_scores import Compared, _least_beyond, judge_labels, judge_scores
from refmc.checker.svm.duality import Bounds
from refmc.checker.verdict import Verdict

H, ZERO, ONE = F(1, 2), F(0), F(1)
SMALL = F(1, 10**15)
LINE = BinaryProblem(X=[[1], [2]], y=(1, -1), C=ONE)
TWO = BinaryProblem(X=[[1], [-1]], y=(1, -1), C=ONE)
DATA: Data = prepare(LINE)
BOUNDS = Bounds(F(2), F(5, 2), F(1, 5))


def scored(*scores: F | int, norm: F = ZERO, problem: BinaryProblem = LINE) -> Function:
    return Function(problem, tuple(map(F, scores)), norm, None)


KNOWN = Evidence((), scored(3, -5), BOUNDS)


def fractions(*values: int) -> tuple[F, ...]:
    return tuple(map(F, values))


def is_near(found: Interval, low: F, high: F) -> bool:
    assert found.low is not None and found.high is not None
    return abs(found.low - low) < SMALL and abs(found.high - high) < SMALL


def all_near(found: Leeway, sure: tuple[F, F], possible: tuple[F, F], plain: tuple[F, F]) -> bool:
    return (
        is_near(found.sure, *sure)
        and is_near(found.possible, *possible)
        and is_near(found.plain, *plain)
    )


def judge(problem: BinaryProblem, allowed: F = ZERO, **submitted: Any) -> Verdict:
    given = BinaryAnswer(**submitted)
    return binary.judge(problem, given, witnesses=[lambda: [H, H]], allowed=allowed)


def test_what_is_possible_is_widened_at_each_end_that_there_is() -> None:
    one, none = Interval(ONE, F(3)), Interval(None, None)
    leeway = Leeway("scores", one, one, one)
    assert leeway.widened(H) == leeway._replace(possible=Interval(H, F(7, 2)))
    assert leeway._replace(possible=none).widened(H).possible == none


def test_the_ends_of_the_best_biases_move_with_the_scores() -> None:
    # scores up to 1 and 2 lower fit biases from −1 to 6, and as much higher ones from −3 to 2
    found = bias_bounds(DATA, KNOWN)
    assert is_near(found.outer, F(-3), F(6)) and is_near(found.inner, F(-1), F(2))


def test_labels_leave_the_biases_that_give_them_to_all_scores_that_may_be_right() -> None:
    # b ≥ −3 and b ≤ 5; rounding at their nearest best biases −2 and 4 is 3/5 and 1
    plain = F(-3), F(5)
    optimal = leeway_of_labels(DATA, (1, -1), KNOWN.centre, KNOWN)
    possible = -3 - 2 - F(3, 5), F(5 + 4 + 1)
    assert all_near(optimal, (F(-2), F(3)), possible, plain)
    submitted = leeway_of_labels(DATA, (1, -1), scored(3, -5), KNOWN)
    assert all_near(submitted, (-3 - F(3, 5), F(6)), possible, plain)


def test_scores_leave_the_biases_that_near_weights_may_make_up_for() -> None:
    # the gap 2 moves scores by 2 and 4, of which the bounds take 1 and 2; rounding is 3/10
    found = leeway_of_scores(DATA, [H, H], KNOWN, F(2))
    sure, possible = F(13, 10), F(23, 10)
    assert all_near(found, (H - sure, H + sure), (H - possible, H + possible), (H, H))


def test_right_scores_count_by_the_lower_bound_and_open_ones_by_the_upper() -> None:
    # a fifth of 2 is sure to be allowed
    found = Compared([ZERO, ZERO], F(-1, 2), ZERO, ())
    for excess, status, scale in (F(2, 5), "VERIFIED", F(2)), (H, "INCONCLUSIVE", F(5, 2)):
        part = judge_scores(DATA, found, excess, KNOWN)
        assert part.status == status and part.scale == scale


def test_slack_leaves_the_biases_that_need_no_more() -> None:
    # b ≥ ½ − 3 and b ≤ 4, up to rounding of 3/5 and 1
    found = leeway_of_slack(DATA, scored(3, -5), (H, 0), KNOWN)
    assert found.plain == Interval(F(-5, 2), F(4))
    assert found.sure == found.possible == Interval(F(-31, 10), F(5))
    # no bias fits −3 and 5: b ≥ 7/2 but b ≤ −6, between which two equal costs balance
    apart = leeway_of_slack(DATA, scored(-3, 5), (H, 0), KNOWN)
    assert apart.plain == Interval(F(-6), F(7, 2))
    free = BinaryProblem(X=[[1], [2]], y=(1, -1), C=ONE, weights=(1, 0))
    one_sided = leeway_of_slack(prepare(free), scored(3, -5, problem=free), (H, 0), KNOWN)
    assert one_sided.sure == Interval(F(-31, 10), None)


def test_a_margin_is_between_those_of_all_weights_that_may_be_right() -> None:
    # ‖w°‖ = 3 and √(2·½) = 1 more or less: ‖w*‖² is at least 9 − 6, and at most 16
    evidence = Evidence((), scored(norm=F(9)), Bounds(F(2), F(5, 2), ZERO))
    for claim, off in (H, F(1, 6)), (F(1, 32), F(1, 32)):
        [wrong] = judge_margin_squared(claim, evidence).violations
        assert abs(wrong.amount - off) < SMALL
    assert judge_margin_squared(F(1, 9), evidence).status == "INCONCLUSIVE"
    # 1 − 2 is no lower bound; the upper one is 1 + 2 + 1
    for allowed, status in (F(499, 1000), "REFUTED"), (F(501, 1000), "INCONCLUSIVE"):
        wide = Evidence((), scored(norm=ONE), Bounds(F(2), F(5, 2), allowed))
        found = judge_margin_squared(F(1, 8), wide)
        assert found.status == status
        assert all(abs(v.amount - F(1, 8)) < SMALL for v in found.violations)


def test_a_shifted_matrix_widens_the_upper_bound_by_what_the_shift_may_cost() -> None:
    # hinge: s/2 · (1 + 4); squared: P/(1 − 2·2s), but no more than P(0) = 1 + 2
    costs = BinaryProblem(y=(1, -1), C=ONE, weights=(1, 2))
    assert binary._widened(costs, ONE, H) == 1 + F(5, 4)
    squared = BinaryProblem(y=(1, -1), C=ONE, weights=(1, 2), squared=True)
    for shift, upper in (F(1, 8), F(2)), (F(1, 5), F(3)), (F(1, 4), F(3)), (F(1, 2), F(3)):
        assert binary._widened(squared, ONE, shift) == upper


def test_hard_weights_of_a_shifted_matrix_need_a_margin_for_the_shift() -> None:
    # the margin 1 less 2·¼·‖(3, 4)/10‖
    problem = BinaryProblem(X=[[1], [-1]], y=(1, -1))
    function, alpha = scored(1, -1, norm=ONE, problem=problem), (F(3, 10), F(2, 5))
    data = prepare(problem)._replace(shift=F(1, 4))
    found = hard._scaled(data, function, alpha)
    assert found is not None and 0 <= found.norm - F(16, 9) < SMALL
    assert found.scores[0] == -found.scores[1] and 0 <= found.scores[0] - F(4, 3) < SMALL
    assert hard._scaled(data._replace(shift=ONE), function, alpha) is None


def test_a_penalised_bias_is_one_more_weight_wherever_it_comes_from() -> None:
    problem = BinaryProblem(X=[[1, 2], [0, 0]], y=(1, -1), C=ONE, bias="penalised")
    data = prepare(problem)
    assert with_column_of_ones(data).squared_norms == fractions(6, 1)
    # w(α) = (1, 2) and Σ yα = 1; then with a bias of 3
    case = binary.read_case(data, BinaryAnswer(alpha=[1, 0], b=F(3)), ZERO)
    assert case.function is not None and case.function.weights == fractions(1, 2, 3)
    assert case.function.scores == fractions(8, 3) and case.function.norm == 14
    case = binary.read_case(data, BinaryAnswer(w=[1, 2], b=ZERO), ZERO)
    assert case.function is not None and case.function.weights == fractions(1, 2, 0)


def test_multipliers_off_balance_are_at_fault_only_where_a_bias_is_free() -> None:
    for bias, given, places in (
        (True, (-1, -1), ["row 0", "row 1"]), (True, (H, 0), ["all rows"]), (False, (H, 0), []),
        (False, (-1, H), ["row 0"]),
    ):  # fmt: skip
        problem = BinaryProblem(X=[[1], [-1]], y=(1, -1), C=ONE, bias=bias)
        assert [v.place for v in repaired(prepare(problem), given).faults] == places


def test_multipliers_that_move_by_just_what_is_allowed_are_judged_by_their_rows() -> None:
    # (¼, ¼) has the dual value 3/8 instead of ½; a tenth of ½ is allowed
    for moved, texts in (F(1, 20), ["margin 1/2"] * 2), (F(1, 19), ["the sum of y_i α_i is 1/19"]):
        verdict = judge(TWO, F(1, 10), alpha=[F(1, 4) + moved, F(1, 4)])
        assert verdict.status == "REFUTED"
        assert [v.text.partition(",")[0] for v in verdict.violations] == texts


def test_a_row_at_0_may_have_either_label_where_there_is_no_bias() -> None:
    problem = BinaryProblem(X=[[1], [0]], y=(1, 1), C=ONE, bias=False)
    for label in (1, -1):
        given = BinaryAnswer(labels=[1, label])
        assert binary.judge(problem, given, witnesses=[lambda: [ONE, ONE]], allowed=ZERO)


def test_the_worst_of_wrong_labels_is_the_gap() -> None:
    # w = b = ½ and P* = ⅛: the scores 1 and −1 are 2 apart at a distance of 4. To change a sign by
    # half of it costs (½)²/2 over 1, or over 9
    problem = BinaryProblem(X=[[1], [-3]], y=(1, -1), C=ONE)
    given = BinaryAnswer(labels=[-1, 1])
    eighth = F(1, 8)
    verdict = binary.judge(problem, given, witnesses=[lambda: [eighth, eighth]], allowed=ZERO)
    assert [v.amount for v in verdict.violations] == [eighth, eighth, F(1, 72)]
    assert verdict.gap == verdict.scale == eighth


@pytest.mark.parametrize(
    ("problem", "weight", "score", "value"),
    [
        # at b = 0 row 0 pays: (1, 0) − (⅛, ⅛) adds ½ with a square of ¼, all of it
        (BinaryProblem(X=[[1], [-3]], y=(1, -1), C=ONE), F(1, 8), ONE, H),
        (BinaryProblem(X=[[1], [-3]], y=(1, -1), C=ONE), F(1, 8), H, F(1, 4)),
        # at b = ¾ row 1 pays: (0, 1) − (⅛, ⅛) adds ¼ with a square of 25/4, of which 1/25
        (BinaryProblem(X=[[1], [-3]], y=(1, -1), C=ONE), F(1, 8), -H, F(1, 8) + F(1, 200)),
        # at b = −½ row 0 pays 2·7/10: 7/10 with 47/50, of which 35/47
        (BinaryProblem(X=[[1], [-1]], y=(1, -1), C=ONE, squared=True), F(2, 5), ONE,
         F(2, 5) + F(49, 188)),
        # at twice the cost w = 8/9; at b = −½ row 0 pays 4·11/18: 11/9 with 281/81, of which 99/281
        (BinaryProblem(X=[[1], [-1]], y=(1, -1), C=F(2), squared=True), F(4, 9), ONE,
         F(4, 9) + F(121, 562)),
    ],
)  # fmt: skip
def test_a_bias_beyond_the_best_ones_costs_what_mixed_multipliers_prove(
    problem: BinaryProblem, weight: F, score: F, value: F
) -> None:
    data = prepare(problem)
    best = repaired(data, [weight, weight])
    exact = Evidence((best,), best.function, Bounds(best.dual, best.dual, ZERO))
    assert best.dual == best.function.primal and _least_beyond(data, score, exact) == value


# --- The hard margin

HARD = BinaryProblem(X=[[1], [-1]], y=(1, -1))


def judge_hard(allowed: F, problem: BinaryProblem = HARD, **submitted: Any) -> Verdict:
    witness = hard.Witness([H, H])
    given = BinaryAnswer(**submitted)
    return hard.judge(problem, given, witnesses=[lambda: witness], allowed=allowed)


def test_only_rows_short_of_the_margin_are_named_and_none_may_reach_0() -> None:
    verdict = judge_hard(ZERO, w=[F(3, 4)], b=F(1, 4))
    assert [(v.place, v.amount) for v in verdict.violations] == [("row 1", H)]
    for b in ZERO, H:  # margins of 0, and of −½ and ½
        assert judge_hard(F(2), w=[0], b=b).status == "REFUTED"


def test_scores_are_scaled_by_their_smallest_margin() -> None:
    data = prepare(HARD)
    evidence = Evidence((repaired(data, [0, 0]),), scored(0, 0, problem=HARD), BOUNDS)
    assert hard._compared(data, [ONE, -H], evidence).rest == [2, -1]
    assert hard._compared(data, [F(3), F(-2)], evidence).rest == [3, -2]


def test_infeasible_multipliers_that_repair_to_the_best_are_at_fault_alone() -> None:
    verdict = judge_hard(ZERO, alpha=[F(3, 4), H])
    assert [(v.place, v.amount) for v in verdict.violations] == [("all rows", F(1, 4))]


def test_a_nearly_common_point_proves_nothing_by_itself() -> None:
    mixed = BinaryProblem(X=[[0], [2], [1], [1]], y=(1, 1, -1, -1))
    for first, status in (H, "VERIFIED"), (F(1, 4), "INCONCLUSIVE"):
        given = BinaryAnswer(combination=[first, 1 - first, H, H])
        assert hard.judge(mixed, given, allowed=ONE).status == status


def test_labels_beside_multipliers_are_theirs_where_the_optimum_decides_nothing() -> None:
    # w = 1 has the scores 1 and −1; of the optimum nothing is known but that it is below 1
    data = prepare(TWO)
    evidence = Evidence((), of_weights(data, [ZERO]), Bounds(ZERO, ONE, ZERO))
    for b, status in ((None, "VERIFIED"), (ZERO, "VERIFIED"), (F(5), "INCONCLUSIVE")):
        slack = [0, 0] if b is None else None
        given = BinaryAnswer(alpha=[H, H], b=b, slack=slack, labels=[1, -1])
        assert chosen_bias(read_case(data, given, ZERO), evidence, []).part.status == status
    # of another optimum, which is known, they may be the labels as well
    known = Evidence((), of_weights(data, [-ONE]), Bounds(ONE, ONE, ZERO))
    given = BinaryAnswer(alpha=[H, H], slack=[0, 0], labels=[-1, 1])
    assert chosen_bias(read_case(data, given, ZERO), known, []).part.status == "VERIFIED"


def test_without_a_free_bias_no_row_is_wrong_because_of_another() -> None:
    data = prepare(BinaryProblem(X=[[1], [2]], y=(1, 1), C=ONE, bias=False))
    evidence = Evidence((repaired(data, [H, ZERO]),), of_weights(data, [ONE]), Bounds(H, H, ZERO))
    found = judge_labels(data, [1, -1], evidence)
    assert [v.place for v in found.violations] == ["row 1, labelled -1"]


def test_labels_of_submitted_scores_are_sure_up_to_the_rounding_of_each() -> None:
    function = scored(3, -5)
    found = leeway_of_labels(DATA, [1, -1], function, KNOWN, [F(1, 8), F(1, 4)])
    assert found.sure == Interval(F(-25, 8), F(21, 4)) and found.plain == Interval(F(-3), F(5))


def test_no_combination_of_one_label_alone_is_a_common_point() -> None:
    for y in (1, -1):
        alone = BinaryProblem(X=[[0]], y=(y,))
        [fault] = hard.judge(alone, BinaryAnswer(combination=[1]), allowed=ONE).violations
        assert fault.text == "needs weights of at least 0, and a positive one for either label"


def test_no_number_is_an_end_that_the_best_biases_of_one_label_have_not() -> None:
    # with y = 1 at 0 alone, all b of at least 1 are best; with y = −1 all of at most −1
    for y, right, wrong in ((1, (ONE, None), (ONE, F(5))), (-1, (None, -ONE), (-F(5), -ONE))):
        alone = BinaryProblem(X=[[0]], y=(y,), C=ONE)
        for ends, status in ((right, "VERIFIED"), (wrong, "REFUTED")):
            given = BinaryAnswer(w=[0], b_interval=Interval(*ends))
            assert binary.judge(alone, given, allowed=ZERO).status == status
