"""Growing trees: hand-computed cases; tests/lectures has the greedy algorithm round by round."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.logs import Log
from refmc.core.ties import last, refuse
from refmc.errors import ExactnessLimitError, ParameterError, TieError
from refmc.learn.trees.grow import grow_tree
from refmc.learn.trees.model import DecisionTree
from refmc.learn.trees.questions import CategoricalQuestion, NumericQuestion
from refmc.learn.trees.rounds import TreeRound
from refmc.learn.trees.surfaces import LinearQuestion, SphereQuestion
from refmc.lectures import lu
from refmc.theory.costs import expected_costs, matrix_cost, uniform_cost
from refmc.theory.impurity import Impurity, entropy, gini, misclassification
from tests.support import table

F = Fraction
ALL = [gini, entropy, misclassification]
MEASURES = pytest.mark.parametrize("impurity", ALL)

Rows = Sequence[Sequence[int]]


def cut(column: int, threshold: float | Fraction) -> NumericQuestion:
    return NumericQuestion(column, threshold)


def test_equal_partitions_of_two_columns_are_both_in_the_tie_set() -> None:
    X, y = [(1, 0), (1, 2), (1, 1), (0, 3)], ["F", "F", "F", "T"]
    scales: list[Any] = [1, "1/7", 0.1, 10**30]
    for weights in [None, *([scale] * 4 for scale in scales)]:
        root = grow_tree(X, y, weights=weights).root
        assert root.tied == (cut(0, 0), cut(1, 2))
        assert root.decrease == F(3, 8)


def test_close_floats_are_told_apart() -> None:
    root = grow_tree([[0.0], [1e-7]], [0, 1]).root
    assert root.question == cut(0, 0.0) and root.decrease == F(1, 2)
    nearest = grow_tree([[1.0], [math.nextafter(1.0, 2)]], [0, 1], thresholds="midpoints")
    assert nearest.predict([[1.0], [math.nextafter(1.0, 2)]]) == [0, 1]


def test_equal_rows_of_different_labels_make_a_leaf_with_a_tie() -> None:
    tree = grow_tree([[5], [5]], [0, 1])
    assert tree.root.question is None and tree.root.labels == (0, 1)
    assert tree.predict([[5]]) == [0] and tree.predict_set([5]) == (0, 1)


@MEASURES
def test_xor_is_solved_by_splits_that_decrease_nothing(impurity: Impurity) -> None:
    X, y = [(0, 0), (0, 1), (1, 0), (1, 1)], [0, 1, 1, 0]
    tree = grow_tree(X, y, impurity=impurity)
    assert tree.root.tied == (cut(0, 0), cut(1, 0)) and tree.root.decrease == 0
    assert tree.depth == 2 and tree.predict(X) == y
    assert all(leaf.impurity == 0 for leaf in tree.leaves())


@MEASURES
def test_splits_that_decrease_nothing_can_be_turned_off(impurity: Impurity) -> None:
    X, y = [(0, 0), (0, 1), (1, 0), (1, 1)], [0, 1, 1, 0]
    tree = grow_tree(X, y, impurity=impurity, min_decrease=0)
    assert tree.root.question is None and tree.root.labels == (0, 1)


def test_children_are_weighted_by_their_sizes() -> None:
    root = grow_tree([[1], [2], [3], [4], [5]], [0, 0, 1, 0, 1]).root
    assert root.tied == (cut(0, 2),)
    assert root.impurity - root.decrease == F(4, 15) and root.decrease == F(16, 75)


def test_three_bits_give_nine_thirty_seconds_and_then_a_tie() -> None:
    X = [
        [int(bit) for bit in bits]
        for bits in ("010", "011", "110", "111", "000", "001", "101", "100")
    ]
    tree = grow_tree(X, [0, 0, 0, 0, 0, 1, 1, 1])
    assert tree.root.tied == (cut(1, 0),) and tree.root.decrease == F(9, 32)
    below = tree.root.positive
    assert below is not None
    assert below.tied == (cut(0, 0), cut(2, 0)) and below.decrease == F(1, 8)


def test_misclassification_sees_no_gain_where_gini_does() -> None:
    x, y = [[v] for v in (1, 0, 1, 1, 0, 0, 0, 0, 0, 0)], [1, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    assert grow_tree(x, y, max_splits=1).root.decrease == F(8, 525)
    assert grow_tree(x, y, max_splits=1, impurity=misclassification).root.decrease == 0


def test_entropy_decreases_are_exact_logarithms() -> None:
    root = grow_tree([[1], [2], [3]], ["a", "b", "b"], impurity=entropy).root
    assert root.decrease == Log([(3, 1)], base=2) - F(2, 3)
    assert root.tied == (cut(0, 1),)


def test_a_checkerboard_ties_all_six_cuts_of_two_columns() -> None:
    X = [(i % 4, i // 4) for i in range(16)]
    y = [(i + i // 4) % 2 for i in range(16)]
    for impurity in ALL:
        assert len(grow_tree(X, y, impurity=impurity).root.tied) == 6


SMALL = st.integers(1, 8).flatmap(
    lambda m: st.tuples(
        st.lists(st.tuples(*[st.integers(0, 2)] * 2), min_size=m, max_size=m),
        st.lists(st.integers(0, 2), min_size=m, max_size=m),
    )
)


@given(SMALL, st.sampled_from(ALL), st.integers(0, 4))
def test_max_splits_gives_the_first_rounds(
    data: tuple[Rows, list[int]], impurity: Impurity, T: int
) -> None:
    whole: list[TreeRound] = []
    part: list[TreeRound] = []
    grow_tree(*data, impurity=impurity, on_step=whole.append)
    tree = grow_tree(*data, impurity=impurity, max_splits=T, on_step=part.append)
    pairs = [(r.node.number, r.question, r.decrease) for r in whole]
    assert [(r.node.number, r.question, r.decrease) for r in part] == pairs[:T]
    assert len(tree.leaves()) == len(part) + 1 <= T + 1


@MEASURES
def test_categories_are_partitioned_in_every_way_once(impurity: Impurity) -> None:
    X = [[c] for c in "aabbccddee"]
    y = [0, 1, 0, 0, 1, 1, 2, 0, 1, 2]
    S, n = list(zip(X, y)), tuple(range(10))
    questions = lu.questions(n, S)
    assert len({frozenset(A) for _, _, A in questions}) == 2**4 - 1 == len(questions)
    best = lu.arg_max([lu.decrease(n, q, S, getattr(lu, impurity.__name__)) for q in questions])
    tied = grow_tree(X, y, impurity=impurity).root.tied
    assert all(isinstance(question, CategoricalQuestion) for question in tied)
    assert [question.values for question in tied] == [questions[i][2] for i in best]  # type: ignore[attr-defined]  # as just asserted


def test_a_set_of_half_the_categories_holds_the_first_one() -> None:
    root = grow_tree([["d"], ["b"], ["a"], ["c"]], [0, 0, 1, 1]).root
    assert root.tied == (CategoricalQuestion(0, ("a", "c")),)


def test_numbers_and_categories_stand_side_by_side() -> None:
    X: list[list[Any]] = [[1, "red"], [2, "red"], [1, "blue"], [2, "green"]]
    root = grow_tree(X, [0, 0, 1, 1]).root
    assert root.tied == (CategoricalQuestion(1, ("red",)),)
    assert grow_tree(X, [0, 1, 0, 1]).root.tied == (cut(0, 1),)


@MEASURES
def test_the_shortcut_for_two_classes_finds_the_best_of_many_categories(impurity: Impurity) -> None:
    values = [chr(97 + i) for i in range(21)]
    X = [[v] for v in values for _ in range(4)]
    y = [int(j < i * 7 % 5) for i in range(21) for j in range(4)]
    groups = [
        [row for row in range(84) if y[4 * (row // 4) : 4 * (row // 4) + 4].count(1) == n]
        for n in range(5)
    ]
    keys = []
    for A in product([False, True], repeat=5):
        p = [row for n in range(5) if A[n] for row in groups[n]]
        if 0 < len(p) < 84:
            n, q = ([sum(y[i] == c for i in rows) for c in (0, 1)] for rows in (range(84), p))
            rest = [a - b for a, b in zip(n, q)]
            parts = [(impurity(v), F(sum(v), 84)) for v in (q, rest)]
            keys.append(impurity(n) - sum(value * share for value, share in parts))
    assert grow_tree(X, y, impurity=impurity).root.decrease == max(keys)


def test_linear_and_sphere_questions_come_from_the_caller() -> None:
    X = [(0, 0), (1, 1), (2, 0), (0, 2), (2, 2)]
    y = [1, 1, 0, 0, 0]
    line, ball = LinearQuestion((1, 1), F(3, 2)), SphereQuestion((F(1, 2), F(1, 2)), 1)
    seen = []

    def candidates(rows: Sequence[tuple[Any, ...]]) -> list[Any]:
        seen.append(len(rows))
        return [line, ball, LinearQuestion((0, 0), 1)]

    tree = grow_tree(X, y, candidates=candidates)
    # (1, 1) lies beyond the line and inside the ball.
    assert tree.root.tied == (ball,) and tree.predict(X) == y and seen == [5]
    assert tree.predict([[F(1, 2), F(3, 2)], [F(1, 2), F(8, 5)]]) == [1, 0]


def test_a_question_answered_yes_leads_right() -> None:
    root = grow_tree([[1], [2]], ["low", "high"]).root
    assert root.positive is not None and root.positive.label == "low"


def test_midpoints_lie_half_way() -> None:
    assert grow_tree([[1], [2]], [0, 1], thresholds="midpoints").root.question == cut(0, 1.5)
    exact_root = grow_tree([[F(1, 3)], [F(1, 2)]], [0, 1], thresholds="midpoints").root
    assert exact_root.question == cut(0, F(5, 12))
    assert grow_tree([[0.1], [0.3]], [0, 1], thresholds="midpoints").root.question == cut(0, 0.2)


def test_midpoints_of_floats_are_floats_and_never_the_upper_value() -> None:
    def threshold(a: Any, b: Any) -> Any:
        question = grow_tree([[a], [b]], [0, 1], thresholds="midpoints").root.question
        assert isinstance(question, NumericQuestion)
        return question.threshold

    for below, above, middle in (
        (1.0, 3.0, 2.0),
        (1, 3.0, 2.0),
        (3.0e38, 3.2e38, 1.5e38 + 1.6e38),
        (1.0, math.nextafter(1.0, 2), 1.0),
        (-1.7e308, 1.7e308, 0.0),
        (1, 3, 2),
        (10**20, 10**20 + 1, 10**20),
        (-(10**400), 1.0, -(10**400)),
        (F(1), 3, F(2)),
    ):
        found = threshold(below, above)
        assert found == middle and type(found) is type(middle)


def test_floats_among_the_parameters_are_the_decimals_that_they_print() -> None:
    # The Gini index 19/50 falls by exactly 1/20: 20 rows, of which 5 are cut off.
    X, y = [[0]] * 5 + [[1]] * 15, [0] * 3 + [1] * 2 + [0] * 15
    decrease = grow_tree(X, y, max_splits=1).root.decrease
    assert decrease == gini([18, 2]) - F(1, 4) * gini([3, 2])
    assert grow_tree(X, y, min_decrease=float(decrease)).depth == (decrease == F("0.06"))
    assert (
        grow_tree(X, y, min_decrease=0.06).depth == 1 == grow_tree(X, y, min_decrease="0.06").depth
    )
    assert grow_tree(X, y, min_impurity=0.18).depth == 1
    assert grow_tree(X, y, min_impurity=0.1800001).depth == 0


def test_small_or_nearly_pure_nodes_may_be_kept_whole() -> None:
    X, y = [[1], [2], [3], [4], [5]], [0, 0, 1, 0, 1]
    # The root has the Gini index 12/25, its three last rows 4/9, and then 1/2.
    assert [grow_tree(X, y, min_split=n).depth for n in (2, 3, 4, 5, 6)] == [3, 2, 1, 1, 0]
    for least, depth in ((F(4, 9), 3), (F(12, 25), 1), (F(49, 100), 0)):
        assert grow_tree(X, y, min_impurity=least).depth == depth
    bits = grow_tree(X, y, impurity=entropy, max_splits=0).root.impurity
    assert grow_tree(X, y, impurity=entropy, min_impurity=bits, max_splits=1).depth == 1
    assert grow_tree(X, y, impurity=entropy, min_impurity=bits + F(1, 10**30)).depth == 0
    heavy = grow_tree(X, y, min_split=3, weights=[7] * 5)
    assert heavy.depth == 2  # rows are counted, not their weights


def test_min_decrease_is_enough_when_it_is_met() -> None:
    X, y = [[1], [2], [3], [4], [5]], [0, 0, 1, 0, 1]
    for at_least in (F(16, 75), "16/75", 0, F(1, 10)):
        assert len(grow_tree(X, y, min_decrease=at_least, max_splits=1).leaves()) == 2
    assert len(grow_tree(X, y, min_decrease=F(16, 75) + F(1, 10**9)).leaves()) == 1
    bits = Log([(5, 1)], base=2) - F(2, 5) - F(3, 5) * Log([(3, 1)], base=2)
    root = grow_tree(X, y, impurity=entropy, max_splits=1).root
    assert root.decrease == bits - F(3, 5) * entropy([1, 2])
    assert grow_tree(X, y, impurity=entropy, min_decrease=root.decrease).root.question == cut(0, 2)
    assert grow_tree(X, y, impurity=entropy, min_decrease=1).root.question is None


def test_min_decrease_as_a_float_is_the_decimal_that_it_prints() -> None:
    X, y = [[0], *[[1]] * 19], ["b", *["a"] * 19]  # one of twenty rows is wrong without the split
    for least in (0.05, "0.05", F(1, 20)):
        tree = grow_tree(X, y, impurity=misclassification, min_decrease=least)
        assert len(tree.leaves()) == 2
    assert len(grow_tree(X, y, impurity=misclassification, min_decrease=0.051).leaves()) == 1


@given(SMALL, st.sampled_from(ALL))
def test_weighted_rounds_compare_the_decrease_of_the_whole_tree(
    data: tuple[Rows, list[int]], impurity: Impurity
) -> None:
    steps: list[TreeRound] = []
    grow_tree(*data, impurity=impurity, weighted=True, on_step=steps.append)
    for step in steps:
        assert step.gain == step.decrease * F(step.node.size) / len(data[0])
    for step in steps:
        later = [
            other for other in steps if other.t > step.t and other.node.number < 2 * step.t - 1
        ]
        assert all(other.gain <= step.gain for other in later)


def test_growing_by_the_lectures_decrease_is_not_greedy_for_the_total_impurity() -> None:
    X = [(0, 0, 0)] * 2 + [(0, 1, 0)] * 2 + [(1, 0, 0)] * 9 + [(1, 0, 1)] * 3
    y = ["a"] * 2 + ["b"] * 2 + ["c"] * 8 + ["d"] * 4
    # Below the root four rows have a decrease of 1/2, twelve rows one of 8/27.
    trees = [grow_tree(X, y, max_splits=2, weighted=weighted) for weighted in (False, True)]
    totals = [sum(leaf.size * leaf.impurity for leaf in tree.leaves()) for tree in trees]
    assert [tree.leaves()[-1].depth for tree in trees] == [2, 1]
    assert totals == [F(16, 3), 2 + F(16, 9)]
    whole = [grow_tree(X, y, weighted=weighted) for weighted in (False, True)]
    assert whole[0].to_text() == whole[1].to_text()


def test_only_the_ratios_of_weights_count() -> None:
    X, y, w = [[1], [2], [3], [4]], [0, 1, 1, 0], [3, 1, 2, 2]
    plain = grow_tree(X, y, weights=w)
    light = grow_tree(X, y, weights=[F(v, 7) for v in w])
    assert [n.question for n in light.nodes()] == [n.question for n in plain.nodes()]
    assert light.root.counts == (F(5, 7), F(3, 7)) and light.root.size == F(8, 7)
    assert light.root.impurity == plain.root.impurity


def test_rows_of_weight_zero_count_as_absent() -> None:
    X, y = [[1], [2], [3]], [0, 1, 0]
    tree = grow_tree(X, y, weights=[1, 0, 1], thresholds="midpoints")
    assert tree.root.question is None and tree.classes == (0, 1)
    tree = grow_tree(X, [0, 0, 1], weights=[1, 0, 1], thresholds="midpoints")
    assert tree.root.question == cut(0, 2)


def test_float_weights_are_lifted_exactly() -> None:
    root = grow_tree([[1], [1], [2]], [0, 0, 1], weights=[0.1, 0.2, 0.3]).root
    assert root.counts == (F(0.1) + F(0.2), F(0.3))
    assert root.labels == (0,)  # 0.1 + 0.2 is a little more than 0.3 even without rounding


def test_weights_far_apart_are_exact() -> None:
    X, y = [[1], [2], [3]], [0, 1, 0]
    for impurity in ALL:
        root = grow_tree(X, y, weights=[1e300, 1e-300, 1.0], impurity=impurity).root
        assert root.size == F(1e300) + F(1e-300) + 1
        assert root.decrease >= 0


def test_min_leaf_counts_rows() -> None:
    X, y = [[1], [2], [3], [4]], [0, 1, 1, 1]
    assert grow_tree(X, y, min_leaf=2).root.tied == (cut(0, 2),)
    assert grow_tree(X, y, min_leaf=2, weights=[5, 1, 1, 1]).root.tied == (cut(0, 2),)
    assert grow_tree(X, y, min_leaf=3).root.question is None
    assert grow_tree([["a"], ["b"], ["b"]], [0, 1, 1], min_leaf=2).root.question is None


def test_max_depth_ends_growth() -> None:
    X, y = [[1], [2], [3], [4]], [0, 1, 0, 1]
    assert [grow_tree(X, y, max_depth=d).depth for d in (0, 1, 2)] == [0, 1, 2]


def test_lookahead_finds_the_split_that_pays_later() -> None:
    # XOR of the first two bits; the third agrees with it in five rows of eight.
    X = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    y = [a ^ b for a, b, _ in X]
    X = [*X, (0, 0, 2), (1, 0, 3)]
    y = [*y, 0, 1]
    greedy, ahead = grow_tree(X, y), grow_tree(X, y, lookahead=1)
    assert greedy.root.question != cut(0, 0)
    assert ahead.root.tied == (cut(0, 0), cut(1, 0))
    assert len(ahead.leaves()) == 4 < len(greedy.leaves())
    assert grow_tree(X, y, lookahead=2).predict(X) == y


def test_lookahead_counts_only_levels_that_may_be_grown() -> None:
    X, y = [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 1)], [0, 1, 1, 0]

    def errors(**options: Any) -> int:
        tree = grow_tree(X, y, impurity=misclassification, **options)
        return sum(guess != label for guess, label in zip(tree.predict(X), y))

    assert errors(max_depth=1) == errors(max_depth=1, lookahead=1) == 1
    assert errors(max_depth=2, lookahead=1) == errors(max_depth=2, lookahead=5) == 0
    # Two rows are too few to be split again, so that nothing is to be seen ahead of them.
    assert errors(min_split=3, lookahead=1) == errors(min_split=3, max_splits=1) == 1


def test_an_impurity_of_the_callers_is_compared_exactly() -> None:
    def twoing(counts: Sequence[int]) -> float:
        return 0.5 if sum(map(bool, counts)) > 1 else 0.0

    tree = grow_tree([[1], [2], [3]], [0, 0, 1], impurity=twoing)
    assert tree.root.decrease == F(1, 2) and tree.root.tied == (cut(0, 2),)
    same = grow_tree([[1], [2], [3]], [0, 0, 1], impurity=lambda c: gini(c))
    assert same.root.decrease == F(4, 9)


def test_costs_make_leaves_cheap() -> None:
    X, y = [[1], [1], [1], [1]], ["ham", "ham", "ham", "spam"]
    assert grow_tree(X, y).predict([[1]]) == ["ham"]
    cost: list[list[Any]] = [[0, 3], [1, 0]]  # to take spam for ham costs 3
    tree = grow_tree(X, y, cost=cost)
    assert tree.predict_set([1]) == ("ham", "spam")
    assert tree.scores([1]) == (F(-3, 4), F(-3, 4))
    assert grow_tree(X, y, cost=[[0, "3.1"], [1, 0]]).predict_set([1]) == ("spam",)


def test_costs_of_theory_are_those_of_trees() -> None:
    X, y = [[1], [1], [1], [1]], ["ham", "ham", "ham", "spam"]
    rows = [[0, 4], [1, 0]]  # to predict ham where spam is right costs 4
    table = matrix_cost(rows, classes=["ham", "spam"])
    trees = [grow_tree(X, y, cost=cost) for cost in (rows, table, lambda j, y: rows[j][y])]
    assert trees[0] == trees[1] == trees[2] and trees[0].predict([[1]]) == ["spam"]
    assert trees[0].scores([1]) == tuple(-c for c in expected_costs([F(3, 4), F(1, 4)], table))
    assert grow_tree(X, y, cost=uniform_cost(2)).predict([[1]]) == ["ham"]
    assert trees[0].cost == ((F(0), F(4)), (F(1), F(0)))


def test_entropies_of_weights_far_apart_end_in_a_named_limit() -> None:
    X, y, weights = [[1], [2], [3]], [0, 1, 0], [F(10) ** 4000, 1, F(10) ** -4000]
    for impurity in (gini, misclassification):
        assert grow_tree(X, y, weights=weights, impurity=impurity).root.decrease > 0
    with pytest.raises(ExactnessLimitError, match="weights: in their common unit"):
        grow_tree(X, y, weights=weights, impurity=entropy)
    # All finite floats are nearer than that.
    extremes = [5e-324, 1.7976931348623157e308, 1.0]
    assert grow_tree(X, y, weights=extremes, impurity=entropy).depth == 2


def test_a_column_of_many_categories_needs_what_makes_its_cuts_enough() -> None:
    X, y = [[chr(97 + i)] for i in range(21)], [i % 2 for i in range(21)]
    assert grow_tree(X, y).depth == 1
    with pytest.raises(ParameterError, match="column 0 has 21 categories"):
        grow_tree(X, y, min_leaf=2)
    with pytest.raises(ParameterError, match="lookahead: 1 levels of 1048576 questions"):
        grow_tree(X, y, lookahead=1)


def test_the_policy_chooses_among_tied_pairs_and_labels() -> None:
    X, y = [(0, 0), (0, 1), (1, 0), (1, 1)], [0, 1, 1, 0]
    assert grow_tree(X, y, tie=last).root.question == cut(1, 0)
    with pytest.raises(TieError):
        grow_tree(X, y, tie=refuse)
    tied_leaf = grow_tree([[5], [5]], [0, 1], tie=refuse)
    assert tied_leaf.predict_set([5]) == (0, 1)
    with pytest.raises(TieError):
        tied_leaf.predict([[5]])


def test_a_policy_may_choose_a_younger_leaf() -> None:
    X, y = [[1], [2], [3], [4], [5], [6]], [0, 1, 0, 1, 0, 1]
    steps: list[TreeRound] = []
    tree = grow_tree(X, y, tie=last, on_step=steps.append)
    assert tree.predict(X) == y
    for step in steps:
        assert (step.tied[-1][0].number, step.tied[-1][1]) == (step.node.number, step.question)


def test_lenses_grow_to_the_tree_of_the_textbooks() -> None:
    X, y = table("lenses.csv", str)
    tree = grow_tree(X, y, impurity=entropy)
    assert tree.root.question == CategoricalQuestion(3, ("normal",))
    assert tree.predict(X) == y


def test_zoo_is_told_apart() -> None:
    X, y = table("zoo.csv", str)
    X = [row[1:] for row in X]  # without the names
    tree = grow_tree([[float(v) for v in row] for row in X], y)
    assert tree.predict([[float(v) for v in row] for row in X]) == y
    assert tree.root.decrease > 0 and len(tree.leaves()) < 12


@MEASURES
def test_iris_is_told_apart(impurity: Impurity) -> None:
    X, y = table("iris.csv")
    tree = grow_tree(X, y, impurity=impurity)
    assert tree.predict(X) == y
    petals = (cut(2, 1.9), cut(3, 0.6))
    assert set(petals) <= set(tree.root.tied)
    if impurity is gini:
        assert tree.root.decrease == F(1, 3)


def test_titanic_keeps_the_ties_of_its_many_equal_rows() -> None:
    X, y = table("titanic.csv", str)
    tree = grow_tree(X, y)
    assert tree.root.question == CategoricalQuestion(2, ("female",))
    assert tree.root.counts == (1490, 711)
    for group in {tuple(row) for row in X}:
        inside = [label for row, label in zip(X, y) if tuple(row) == group]
        assert tree.scores(group)[1] == F(inside.count("yes"), len(inside))


def peeling(m: int) -> DecisionTree:
    return grow_tree([[i] for i in range(m)], [i % 2 for i in range(m)])


@pytest.mark.campaign
def test_five_thousand_rows_peel_off_one_by_one() -> None:
    tree = peeling(5000)
    assert tree.depth == 4999 and len(tree.leaves()) == 5000


def test_two_leaves_of_equal_gain_are_tied_beside_one_of_less() -> None:
    """By entropy a b c d are parted in the middle, which gains 1 bit, and its halves gain 1 each.

    The third leaf, seven e and an f, gains at most their entropy of 0.54 bits.
    """
    rounds: list[TreeRound] = []
    y = [*"abcd", *"eeeeeeef"]
    grow_tree([[i] for i in range(12)], y, impurity=entropy, max_splits=3, on_step=rounds.append)
    assert [r.question for r in rounds] == [cut(0, 3), cut(0, 1), cut(0, 2)]
    assert [q for _, q in rounds[2].tied] == [cut(0, 2), cut(0, 0)]


def test_gains_that_floats_cannot_tell_apart_are_compared_exactly() -> None:
    """Weights n, n + 1 gain 2n(n + 1)/(2n + 1)², less than the 1/2 of n, n by 1/2 of 1/(2n + 1)².

    Both ways to part the four rows first are equally good, so that the first column goes first; of
    its two leaves the older one, with x0 = 1, gains less.
    """
    X, n = [[0, 0], [0, 1], [1, 0], [1, 1]], 10**12
    rounds: list[TreeRound] = []
    grow_tree(X, [*"abcd"], weights=[n, n, n, n + 1], on_step=rounds.append)
    assert [r.node.number for r in rounds] == [0, 2, 1]
    assert [r.question for r in rounds] == [cut(0, 0), cut(1, 0), cut(1, 0)]


def test_counts_are_in_the_units_of_the_weights() -> None:
    root = grow_tree([[0], [1], [2]], ["a", "b", "b"], weights=[4, 2, 6]).root
    assert root.counts == (4, 8) and root.size == 12
    root = grow_tree([[0], [1]], ["a", "b"], weights=[F(2, 3), F(4, 3)]).root
    assert root.counts == (F(2, 3), F(4, 3)) and root.size == 2


def test_of_many_categories_of_two_classes_the_last_cut_is_tried_too() -> None:
    """Only the 22nd category holds the first class: apart, it leaves no impurity.

    Before, it is 2 · 1/22 · 21/22.
    """
    names = [f"c{i:02}" for i in range(22)]
    root = grow_tree([[name] for name in names], ["b"] * 7 + ["a"] + ["b"] * 14).root
    assert root.tied == (CategoricalQuestion(0, ("c07",)),) and root.decrease == F(42, 484)


@pytest.mark.parametrize("size", [2**51, 2**52 - 2, 2**52, 2**53])
def test_midpoints_of_whole_numbers_are_exact_as_long_as_floats_have_halves(size: int) -> None:
    for values in ([size + 1, size + 2], [-size - 2, -size - 1]):
        (threshold,) = {
            leaf.threshold
            for leaf in grow_tree([[v] for v in values], [0, 1], thresholds="midpoints").root.tied
            if isinstance(leaf, NumericQuestion)
        }
        halfway = F(sum(values), 2)
        assert threshold == (halfway if size < 2**52 else values[0])


def test_entropies_of_heavy_rows_choose_as_the_exact_ones_do() -> None:
    """Weights near 10^6 leave the table of logarithms; the cut after 3 is the best of five.

    Its children hold 3 : 0 and 1 : 2 rows, and no other cut has as little of n log n - Σ c log c.
    """
    y, n = "aaabab", 10**6
    weights = [n + i for i in range(6)]

    def remaining(at: int) -> Log:
        sides = [[w for w, v in zip(weights[part], y[part]) if v == c] for c in "ab"
                 for part in (slice(0, at), slice(at, 6))]  # fmt: skip
        counts = [sum(side) for side in sides]
        wholes = [counts[0] + counts[2], counts[1] + counts[3]]
        return Log([(c, c) for c in wholes], base=2) - Log([(c, c) for c in counts if c], base=2)

    found = {at: remaining(at) for at in range(1, 6)}
    assert min(found, key=lambda at: found[at]) == 3
    tree = grow_tree([[i] for i in range(6)], [*y], weights=weights, impurity=entropy, max_splits=1)
    assert tree.root.tied == (cut(0, 2),)
    assert (tree.root.impurity - tree.root.decrease) * sum(weights) == found[3]
