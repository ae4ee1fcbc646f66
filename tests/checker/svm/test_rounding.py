"""What is said of all numbers that round to an answer, by hand."""

from dataclasses import replace
from fractions import Fraction as F
from math import nextafter
from types import SimpleNamespace
from typing import Any

from refmc import check, solve_problem
from refmc.checker.kernels import prepare
from refmc.checker.numbers.arithmetic import Matrix, to_matrix
from refmc.checker.numbers.intervals import Interval
from refmc.checker.numbers.rounding import MOVES, UNIT, Box, Rounded
from refmc.checker.svm import binary, hard, multiclass
from refmc.checker.svm.binary_bias import Evidence, exact_slack, rounding_of
from refmc.checker.svm.binary_case import contradicting, leeways, read_case, scores_beside
from refmc.checker.svm.binary_points import (
    BinaryAnswer,
    BinaryProblem,
    Function,
    of_weights,
    repaired,
    with_column_of_ones,
)
from refmc.checker.svm.binary_rounding import Spread, least_norm, least_primal, rounding_of_scores
from refmc.checker.svm.duality import Bounds, undecidable
from refmc.checker.svm.multiclass import MulticlassAnswer
from refmc.checker.svm.multiclass_points import MulticlassProblem, prepare_multiclass, primal_point
from refmc.checker.svm.multiclass_rounding import Spread as MulticlassSpread
from refmc.checker.svm.multiclass_rounding import least_primal as least_of_classes
from refmc.checker.svm.multiclass_rounding import rounding_of_score

ZERO, ONE, TENTH = F(0), F(1), F(1, 10)
PAIR = BinaryProblem(X=[[1], [-1]], y=(1, -1), C=ONE)
ABOUT_1 = Rounded(ONE, ONE - TENTH / 2, ONE + TENTH / 2)


def test_margins_that_move_by_a_half_either_way_are_decided_and_more_are_not() -> None:
    assert list(undecidable([F(1, 2), ONE])) == []
    [part] = undecidable([F(1, 2), ONE + TENTH])
    assert part.status == "INCONCLUSIVE" and part.hint.endswith("submit strings")


def test_multipliers_are_refuted_by_what_all_that_may_be_meant_are_moved() -> None:
    # of a move of 8 an eighth is sure, less the spread; ½ is allowed
    bounds = Bounds(ONE, ONE, F(1, 2))
    for radius, status in ((F(51, 100), "INCONCLUSIVE"), (F(49, 100), "REFUTED")):
        assert bounds.of_dual(ONE, F(8), spread=(radius, [ZERO])).status == status
    # the steeper slope improves a value by up to 16 · 1/50, and 1 − ½ − 16/50 is 9/50
    for value, status in ((F(8, 50), "REFUTED"), (F(10, 50), "INCONCLUSIVE")):
        found = bounds.of_dual(value, ZERO, spread=(ONE, [F(1, 100), F(-1, 50)]))
        assert found.status == status


def test_the_least_that_weights_may_cost() -> None:
    """w is 1 ± 1/20 and b is 0 ± 1/20: of ½ a width of 1/10 takes 1/10. With the scores 1 and −1
    both rows may have a margin of 6/5 at most; with w = 1/2 one of 7/10."""
    data = prepare(PAIR)
    box = {"w": [[ABOUT_1]], "b": [[Rounded(ZERO, -TENTH / 2, TENTH / 2)]]}
    # where any bias may be meant, the best one counts, here 0, and leaves margins 11/10 and 6/10
    for w, least, free in (
        (ONE, F(1, 2) - TENTH, F(1, 2) - TENTH),
        (F(1, 2), F(1, 8) - TENTH / 2 + 2 * F(3, 10), F(1, 8) - TENTH / 2 + 2 * F(4, 10)),
    ):
        answer = BinaryAnswer(w=[w], b=ZERO, rounded=lambda: box)
        spread = Spread.of(data, answer)
        assert spread.of_margins() == [F(1, 5), F(1, 5)]
        function = of_weights(data, [w])
        assert least_norm(function, spread) == w * w / 2 - w * TENTH
        assert least_primal(function, ZERO, spread) == least
        assert least_primal(function, F(9), spread._replace(b=None)) == free


def test_what_multipliers_were_moved_by_is_no_rounding() -> None:
    data = prepare(PAIR)
    answer = BinaryAnswer(alpha=[ONE, ZERO], rounded=lambda: {"alpha": [[ABOUT_1, ABOUT_1]]})
    for moved in (ZERO, ONE):
        spread = Spread.of(data, answer, moved)
        assert spread.of_margins() == [16 * (F(1, 5) + moved)] * 2
        assert spread.by_rounding(data) == [16 * F(1, 5)] * 2


def test_claimed_values_are_those_that_round_to_them() -> None:
    bounds = Bounds(F(99, 100), F(101, 100), F(1, 1000))
    for claim, read in ((ABOUT_1, ONE), (Rounded.of(ONE - TENTH), ONE - TENTH)):
        assert bounds.read({"objective": claim.value}, {"objective": [[claim]]}) == {
            "objective": read
        }
    above = Rounded(F(2), F(3, 2), F(5, 2))
    assert bounds.read({"dual": F(2)}, {"dual": [[above]]}) == {"dual": F(3, 2)}


def test_a_penalised_bias_beside_multipliers_has_a_slope_of_its_own() -> None:
    """Of ½(w² + b²) = 2 multipliers that move by 1/10 take up to (|g| + 1 + 4)/10 with |g| ≤ 1, for
    |b| < 1 + 4, and the bias itself up to 5/20 where it moves by 1/20; without one it is 1/10."""
    spread = Spread({}, (), ZERO, TENTH, TENTH / 2, [ZERO, ZERO])
    penalised, without = replace(PAIR, bias="penalised"), replace(PAIR, bias=False)
    for problem, least in ((penalised, F(115, 100)), (without, F(19, 10))):
        assert least_norm(Function(problem, (TENTH, -ONE), F(4), None), spread) == least
    known = Function(without, (TENTH, -ONE), F(4), (F(2),))  # as the linear kernel's weights are
    assert least_norm(known, spread) == F(19, 10)


def test_slack_leaves_the_biases_with_which_hinges_round_to_it() -> None:
    # hinges 1 − b and 1 + b, which round to 1: b is within 1/20 of 0
    function = of_weights(prepare(PAIR), [ZERO])
    found = exact_slack(PAIR, function, [ABOUT_1, ABOUT_1])
    assert (found.sure.low, found.sure.high) == (-TENTH / 2, TENTH / 2)
    alone = BinaryProblem(X=[[1]], y=(1,), C=ONE)
    one = exact_slack(alone, of_weights(prepare(alone), [ZERO]), [ABOUT_1])
    assert (one.sure.low, one.sure.high) == (-TENTH / 2, TENTH / 2)
    # a slack of 0 bounds its hinge from above only
    none = exact_slack(PAIR, function, [Rounded.of(0), ABOUT_1])
    assert none.sure.low == ONE and none.sure.high == TENTH / 2


def test_a_margin_without_a_bias_may_gain_as_much_as_any_row_does() -> None:
    """Rows 10 and 0 need w = 1/5. All w of the box are less, but the bias may share what they gain
    at row 10, so that the margins alone don't refute them."""
    line, w = BinaryProblem(X=[[10], [0]], y=(1, -1)), F(19, 100)
    box = {"w": [[Rounded(w, F(18, 100), F(19999, 100000))]]}
    answer = BinaryAnswer(w=[w], rounded=lambda: box)
    witness = hard.Witness([F(1, 50), F(1, 50)])
    found = hard.judge(line, answer, witnesses=[lambda: witness], allowed=F(1, 10**6))
    assert found.status == "INCONCLUSIVE"
    far = BinaryAnswer(w=[w], rounded=lambda: {"w": [[Rounded.of(w)]]})
    assert hard.judge(line, far, witnesses=[lambda: witness], allowed=TENTH / 9).status == "REFUTED"


def test_scores_may_be_rounded_beside_weights_that_are_exact() -> None:
    for family, name, classes in (
        ("svm.multiclass", "W", ["a", "b"]),
        ("svm.binary", "w", [-1, 1]),
    ):
        X: list[list[Any]] = [["1/3", 1], ["-1/7", 2], [1, "1/9"]]
        problem = {"family": family, "X": X, "y": [classes[0], classes[1], classes[1]], "C": 1}
        exact = solve_problem(problem)
        rows = exact[name] if family == "svm.multiclass" else [exact[name]]
        assert isinstance(rows, list)
        b = F(str(exact.get("b", 0)))
        scores = [[float(sum(F(v) * F(a) for v, a in zip(w, x)) + b) for w in rows] for x in X]
        answer = {key: exact[key] for key in (name, "b") if key in exact}
        given = scores if family == "svm.multiclass" else [row[0] for row in scores]
        assert check(problem, {**answer, "scores": given}), family


def test_labels_beside_scores_and_weights_are_those_of_the_scores() -> None:
    """w = (1/2, 1/2) and b = 0 are right; of (1, −1) they have the score 1/2 − 1/2."""
    X = [[1, 1], [-1, -1], [1, -1], [1, -1]]
    problem = {"family": "svm.binary", "X": X, "y": [1, -1, 1, -1], "C": 1}
    weights = {"w": ["1/2", "1/2"], "b": 0}
    rounded = f"-1/{2**53}"  # as near as floats come to that
    for label, right in ((1, False), (-1, True)):
        labels = {"labels": [1, -1, label, label]}
        assert check(problem, {**weights, **labels})
        scores = {"scores": [1, -1, rounded, rounded]}
        assert bool(check(problem, {**weights, **scores, **labels})) == right


def test_scores_of_features_round_as_their_terms_do() -> None:
    w = Matrix(((2, -5),), 1)
    features = MulticlassProblem(features=[[[3, -1], [1, 2]]], y=(0,), k=2, C=ONE)
    of_row = MulticlassProblem(X=[[3, -1]], y=(0,), k=2, C=ONE)
    found = rounding_of_score(prepare_multiclass(features), w, 0, 1)
    assert found == (2 + 10) * 4 * UNIT
    two = Matrix(((2, -5), (1, 7)), 1)
    assert rounding_of_score(prepare_multiclass(of_row), two, 0, 1) == (3 + 7) * 4 * UNIT


def test_numbers_in_a_box_that_may_satisfy_a_program_are_not_refuted() -> None:
    """Of x₀ + x₁ = 1 both are known to within 64 at least; a sum of 1,024 is none of theirs."""
    problem = {"family": "qp.convex", "Q": [[0, 0], [0, 0]], "c": [0, 0], "A": [[1, 1]], "b": [1]}
    assert check(problem, {"x": [2**60 + 1, "-1152921504606846976"]})
    assert check(problem, {"x": [2.0**60, -(2.0**60)]}).status == "INCONCLUSIVE"
    assert check(problem, {"x": [str(2**60), str(-(2**60))]}).status == "REFUTED"
    assert check(problem, {"x": [2.0**60, 1024 - 2.0**60]}).status == "REFUTED"


def test_scores_beside_weights_round_as_the_bias_does_that_they_are_meant_with() -> None:
    # 1e16 and 1e16 + 1, of which a double holds 1e16 + 2 at best
    data = prepare(BinaryProblem(X=[[0], [1]], y=(1, -1), C=ONE))
    far = F(10**16)
    case = read_case(data, BinaryAnswer(w=[ONE], scores=[far, far + 2]), F(1, 10**6))
    assert scores_beside(case, [], far) == []
    for b in (None, ZERO):
        assert [part.status for part in scores_beside(case, [], b)] == ["REFUTED"]


def test_labels_beside_weights_contradict_nothing_without_a_bias() -> None:
    data = prepare(PAIR)
    case = read_case(data, BinaryAnswer(w=[ONE], labels=[-1, -1]), ZERO)
    assert contradicting(case, None) == [] and contradicting(case, ZERO) == [(0, ONE)]


def test_a_float_with_an_even_last_digit_is_what_ties_are_rounded_to() -> None:
    for value in (1.0, 3.0, 0.1, -2.5, 2.0**-1074, 2.0**60):
        odd_or_even = int(F(value) / F(abs(nextafter(value, 0) - value)))
        if abs(value) in (1.0, 2.0**60):  # below which floats are twice as dense
            odd_or_even //= 2
        assert Rounded.of_float(value).closed == (odd_or_even % 2 == 0)
    assert Rounded.of_float(1.0).closed and not Rounded.of_float(1 + 2**-52).closed


def test_each_multiplier_moves_a_lead_by_the_features_of_two_classes() -> None:
    data = prepare_multiclass(MulticlassProblem(X=[[3]], y=(0,), k=2, C=ONE))
    spread = MulticlassSpread.of(data, {"lam": [[ABOUT_1, Rounded.of(0)]]}, F(1, 5))
    assert spread.of_each == 2 * MOVES * (TENTH + F(1, 5)) * 9
    assert spread.of_leads(0, 0) == [2 * spread.of_each]


def test_a_bias_rounds_as_the_finite_end_of_the_best_ones_does() -> None:
    bounds = SimpleNamespace(allowed=TENTH)
    for biases, b, size in (
        (Interval(None, F(3)), -100, 3), (Interval(F(3), None), 100, 3),
        (Interval(F(-3), F(5)), 9, 5), (Interval(F(-3), F(5)), 4, 4),
    ):  # fmt: skip
        evidence: Any = SimpleNamespace(centre=SimpleNamespace(biases=biases), bounds=bounds)
        assert rounding_of(F(b), evidence) == TENTH * (1 + size)


def test_a_label_of_a_score_within_its_rounding_contradicts_nothing() -> None:
    b = F(1, 2**60) - 1  # so that the first score is 2⁻⁶⁰
    for labels in ([-1, -1], [1, -1]):
        case = read_case(prepare(PAIR), BinaryAnswer(w=[ONE], b=b, labels=labels), F(1, 10**6))
        assert contradicting(case, b) == []


def test_labels_alone_are_judged_beside_a_row_without_weight() -> None:
    # w = 4/5 and b = 0 are the only optimum of the first two rows, and label the third by 1
    problem: Any = {
        "family": "svm.binary", "X": [[1], [-1], [2]], "y": [1, -1, -1], "weights": [1, 1, 0],
        "C": 1, "loss": "squared_hinge",
    }  # fmt: skip
    assert check(problem, {"labels": [1, -1, 1]})
    for wrong in ([-1, -1, 1], [1, 1, 1], [1, -1, -1]):
        assert check(problem, {"labels": wrong}).status == "REFUTED"


def test_the_norm_of_hard_margins_counts_where_these_are_1() -> None:
    """Of w = (9/10, 9/10) the margins are 9/10: (1, 1) has half the squared norm 1, twice the
    least. Where numbers of δ are meant, 81/100 less δ · 9/10 is left of 81/100."""
    data = prepare(BinaryProblem(X=[[1, 0], [-1, 0]], y=(1, -1)))
    function, best = of_weights(data, [F(9, 10)] * 2), repaired(data, [F(1, 2)] * 2)
    known: Any = SimpleNamespace(
        feasible=SimpleNamespace(bounds=Bounds(F(1, 2), F(1, 2), TENTH)), best_dual=best
    )
    for delta, status in (None, "REFUTED"), (F(34, 90), "REFUTED"), (F(37, 90), "INCONCLUSIVE"):
        spread = None if delta is None else Spread({}, [ZERO, delta], ZERO, ZERO, ZERO, [ZERO] * 2)
        case: Any = SimpleNamespace(data=data, spread=spread, allowed=TENTH)
        margin, norm = hard._judge_point(case, function, ZERO, known)
        assert margin.status == "VERIFIED" and norm.status == status
        assert norm.gap == F(1, 2)
    assert hard.judge(
        data.problem, BinaryAnswer(w=[F(9, 10)] * 2, b=ZERO),
        witnesses=[lambda: hard.Witness([F(1, 2)] * 2)], allowed=TENTH,
    ).violations[-1].text == "half the squared norm is 1, needs at most 1/2"  # fmt: skip


def test_what_is_possible_is_as_much_wider_as_a_score_may_be_off() -> None:
    data = prepare(replace(PAIR, bias=False))
    spread = Spread({}, (), ZERO, ZERO, ZERO, [ZERO, TENTH])
    exact = read_case(data, BinaryAnswer(w=[ONE]), ZERO)
    evidence = Evidence((), of_weights(data, [ONE]), Bounds(ONE, ONE, ZERO))
    for case, off in (exact, ZERO), (replace(exact, spread=spread), TENTH):
        [found] = leeways(case, evidence, None)
        assert (found.sure, found.possible) == (Interval(ZERO, ZERO), Interval(-off, off))


def test_scores_of_multipliers_round_as_their_sum_does_times_the_longest_row() -> None:
    data = prepare(BinaryProblem(X=[[3], [-7]], y=(1, -1), C=ONE))
    found = rounding_of_scores(data, BinaryAnswer(alpha=[ONE, F(-2)], b=F(5)))
    assert found == [(3 * 49 + 5) * 4 * UNIT] * 2
    ones = with_column_of_ones(prepare(replace(data.problem, bias="penalised")))
    found = rounding_of_scores(ones, BinaryAnswer(alpha=[ONE, F(-2)], b=F(5)))
    assert found == [(3 * 50 + 5) * 4 * UNIT] * 2


def test_a_penalised_bias_rounds_once_in_a_score_as_a_free_one_does() -> None:
    data = prepare(BinaryProblem(X=[[3], [-7]], y=(1, -1), C=ONE))
    ones = with_column_of_ones(prepare(replace(data.problem, bias="penalised")))
    for points in (data, ones):
        found = rounding_of_scores(points, BinaryAnswer(w=[F(2)], b=F(-1)))
        assert found == [(6 + 1) * 3 * UNIT, (14 + 1) * 3 * UNIT]


def test_slack_leaves_the_biases_that_the_largest_of_its_readings_does() -> None:
    # hinges 1 − b and 1 + b of at most 1 + 1/20
    data = prepare(PAIR)
    box: Box = {"slack": [[ABOUT_1, ABOUT_1]]}
    exact = read_case(data, BinaryAnswer(w=[ZERO], slack=[ONE, ONE]), ZERO)
    evidence = Evidence((), of_weights(data, [ONE]), Bounds(ONE, ONE, ZERO))
    spread = Spread(box, (), ZERO, ZERO, None, [ZERO, ZERO])
    for case, off in (exact, ZERO), (replace(exact, spread=spread), TENTH / 2):
        assert leeways(case, evidence, None)[0].plain == Interval(-off, off)


def test_slack_may_be_off_by_its_margin_and_by_its_own_box() -> None:
    # of w = 0 both hinges are 1; margins move by 1/10, and slack by as much
    data = prepare(replace(PAIR, bias=False))
    for off, status in ((F(20, 100), "INCONCLUSIVE"), (F(21, 100), "REFUTED")):
        wide = Rounded(1 + off + TENTH / 2, 1 + off, 1 + off + TENTH)
        box: Box = {"slack": [[wide, wide]]}
        spread = Spread(box, (), ZERO, ZERO, ZERO, [TENTH, TENTH])
        given = BinaryAnswer(w=[ZERO], slack=[wide.value] * 2)
        case = replace(read_case(data, given, ZERO), spread=spread)
        part, _ = binary._judge_slack(case, [wide.value] * 2, ZERO, Bounds(ONE, ONE, ZERO))
        assert part.status == status


def test_the_least_that_weights_of_several_classes_may_cost() -> None:
    """W = ±w and numbers of 1/10 are meant: of w² go 2w/10, and of each excess 1 − 2w two reaches
    of a score, 1/10 each."""
    for sum_form, others in (False, 1), (True, 2):
        problem = MulticlassProblem(X=[[1]], y=(0,), k=1 + others, C=F(3), sum_form=sum_form)
        data = prepare_multiclass(problem)
        for w, least in (ONE, F(8, 10)), (F(1, 4), F(1, 80) + 3 * others * F(3, 10)):
            rows = [[w], *[[-w]] * others]
            norm = 2 * w * w if others == 1 else 3 * w * w
            box = {"W": [[Rounded(v, v - TENTH / 2, v + TENTH / 2)] for [v] in rows]}
            spread = MulticlassSpread.of(data, box, ZERO)
            point = primal_point(data, to_matrix(rows))
            assert point.norm == norm
            more = (norm - 2 * w * w) / 2 - (others - 1) * w / 10
            assert least_of_classes(data, point, spread) == least + more


def test_scores_beside_weights_of_classes_are_theirs() -> None:
    problem = MulticlassProblem(X=[[2]], y=(0,), k=2, C=ONE)
    given = MulticlassAnswer(W=[[F(1, 4)], [F(-1, 4)]], scores=[[F(1, 2), F(-1)]])
    witness = [[F(1, 8), F(1, 8)]]
    found = multiclass.judge(problem, given, witnesses=[lambda: witness], allowed=TENTH * 100)
    [wrong] = found.violations
    text = "score -1, but that of W is -1/2"
    assert (wrong.place, wrong.text, wrong.amount) == ("row 0, class 1", text, F(1, 2))


def test_weights_without_a_penalised_bias_have_one_of_0() -> None:
    data = with_column_of_ones(prepare(replace(PAIR, bias="penalised")))
    function = read_case(data, BinaryAnswer(w=[ONE]), ZERO).function
    assert function is not None and function.weights == (ONE, ZERO)


def test_rounded_answers_are_refuted_where_there_is_no_optimum() -> None:
    mixed = BinaryProblem(X=[[0], [2], [1]], y=(1, 1, -1))
    box: Box = {"w": [[ABOUT_1]]}
    given = BinaryAnswer(w=[ONE], rounded=lambda: box)
    common = hard.Witness(combination=[1, 1, 2])
    found = hard.judge(mixed, given, witnesses=[lambda: common], allowed=TENTH)
    assert found.status == "REFUTED" and "not separable" in found.hint
    assert Spread.of(prepare(PAIR), BinaryAnswer(w=[ONE])).box == {}


def test_slack_that_no_bias_rounds_to_leaves_what_is_enough_for_it() -> None:
    # 1 − b is 1 and 1 + b is 2, up to 1/20 each: b ≥ −1/20 and b ≤ 21/20 are enough
    data, function = prepare(PAIR), of_weights(prepare(PAIR), [ONE])
    evidence = Evidence((), function, Bounds(ONE, ONE, ZERO))
    about_2 = Rounded(F(2), 2 - TENTH / 2, 2 + TENTH / 2)
    for second, many in (ABOUT_1, 2), (about_2, 1):
        given = BinaryAnswer(w=[ZERO], slack=[ONE, second.value])
        spread = Spread({"slack": [[ABOUT_1, second]]}, (), ZERO, ZERO, None, [ZERO, ZERO])
        found = leeways(replace(read_case(data, given, ZERO), spread=spread), evidence, None)
        assert len(found) == many
        assert found[0].plain == Interval(-TENTH / 2, second.value - 1 + TENTH / 2)


def test_a_hard_bias_that_rounds_to_the_submitted_one_is_exhibited() -> None:
    """Margins of 1 at 2 and at −1 need w = 2/3 and b = −1/3, which no float is."""
    line, w, b = BinaryProblem(X=[[2], [-1]], y=(1, -1)), *map(Rounded.of_float, (2 / 3, -1 / 3))
    answer = BinaryAnswer(w=[w.value], b=b.value, rounded=lambda: {"w": [[w]], "b": [[b]]})
    witness = hard.Witness([F(2, 9)] * 2)
    assert hard.judge(line, answer, witnesses=[lambda: witness], allowed=F(1, 10**30))
    alone = replace(answer, rounded=None)
    found = hard.judge(line, alone, witnesses=[lambda: witness], allowed=F(1, 10**30))
    assert found.status == "REFUTED"


def test_a_reading_stays_off_an_end_that_rounds_to_another_number() -> None:
    for closed, off in ((True, ZERO), (False, F(1, 2**20))):
        around = Rounded(ONE, ZERO, F(2), closed)
        assert around.nearest(F(3)) == 2 - off and around.nearest(ZERO) == off
