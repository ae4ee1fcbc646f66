"""The best question of a node, against all partitions one by one."""

from collections.abc import Iterator, Sequence
from fractions import Fraction as F
from itertools import combinations, product
from math import prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.checker.numbers.logarithms import weighted_logs
from refmc.checker.trees import impurity, splits, subsets
from refmc.checker.trees.data import Linear, Sample, Sphere, Threshold, Value, prepare
from refmc.checker.trees.impurity import NAMES, ImpurityName
from refmc.checker.trees.splits import (
    Rules,
    Search,
    Split,
    all_rows,
    best_split,
    divided,
    remaining,
)
from refmc.checker.trees.subsets import Group, groups_of_values, subsets_to_try
from refmc.checker.trees.words import label_fault

names = st.sampled_from(NAMES)


def parts(sample: Sample, split: Split) -> list[tuple[int, ...]]:
    """The class weights of the two children, those above 0 in their order."""
    data = prepare(sample)
    sides = data.split(split.question, range(len(sample.y)))
    return sorted(tuple(sorted(filter(None, data.counts(side)))) for side in sides)


def searched(
    sample: Sample, name: ImpurityName = "gini", rows: Sequence[int] | None = None, **rules: Any
) -> Search:
    """The best split of some rows, or of all."""
    data = prepare(sample)
    region = all_rows(data)
    if rows is not None:
        region = divided(data, region, rows)[1]
    return best_split(data, region, Rules(impurity=name, **rules))


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    m = draw(st.integers(1, 8))
    numeric = st.lists(st.integers(0, 3), min_size=m, max_size=m)
    category = st.lists(st.sampled_from("abcde"), min_size=m, max_size=m)
    columns = [draw(numeric), draw(category), draw(category)][: draw(st.integers(1, 3))]
    weights = draw(st.none() | st.lists(st.integers(1, 3), min_size=m, max_size=m))
    k = draw(st.integers(1, 3))
    y = draw(st.lists(st.integers(0, k - 1), min_size=m, max_size=m))
    return Sample(X=list(zip(*columns, strict=True)), y=y, k=k, weights=weights)


def partitions(rows: Sequence[Sequence[Value]]) -> Iterator[set[int]]:
    """The rows on one side, for every question of every column."""
    for j in range(len(rows[0])):
        values = sorted({row[j] for row in rows}, key=str)
        if isinstance(values[0], str):
            sides = [set(c) for n in range(1, len(values)) for c in combinations(values, n)]
        else:
            sides = [{v for v in values if str(v) <= str(a)} for a in values[:-1]]
        for side in sides:
            yield {i for i, row in enumerate(rows) if row[j] in side}


def risk(name: ImpurityName, u: Sequence[int]) -> F:
    """|u| F(u), for the entropy 2 to this power: products then stand for sums."""
    n = sum(u)
    if name == "entropy":
        return F(n**n, prod(c**c for c in u))
    if name == "misclassification" or n == 0:
        return F(n - max(u))
    return n * sum((F(c, n) * (1 - F(c, n)) for c in u), F(0))


def left(name: ImpurityName, sample: Sample, side: set[int]) -> F:
    weights = sample.weights or [1] * len(sample.y)
    sides = side, set(range(len(sample.y))) - side
    risks = [
        risk(name, [sum(int(weights[i]) for i in s if sample.y[i] == c) for c in range(sample.k)])
        for s in sides
    ]
    return risks[0] * risks[1] if name == "entropy" else risks[0] + risks[1]


@given(samples(), names, st.integers(1, 3))
def test_no_partition_leaves_less_than_the_best_split(
    sample: Sample, name: ImpurityName, min_leaf: int
) -> None:
    m = len(sample.y)
    admitted = [s for s in partitions(sample.X) if min_leaf <= len(s) <= m - min_leaf]
    data = prepare(sample)
    search = searched(sample, name, min_leaf=min_leaf)
    assert not search.untried and (search.best is None) == (not admitted)
    if search.best is None:
        return
    yes = data.split(search.best.question, range(m))[1]
    least = min(left(name, sample, side) for side in admitted)
    assert left(name, sample, set(yes)) == least
    if name != "entropy":
        assert search.best.risk.rational == least and not search.best.risk.logs


@given(samples())
def test_the_entropy_left_is_the_logarithm_of_the_product(sample: Sample) -> None:
    search = searched(sample, "entropy")
    if search.best is not None:
        least = min(left("entropy", sample, side) for side in partitions(sample.X))
        terms = [(1, least.numerator), (-1, least.denominator)]
        assert search.best.risk == weighted_logs(terms)


def least_ahead(sample: Sample, rows: frozenset[int], name: ImpurityName, levels: int) -> F:
    """The smallest risk that at most so many levels can leave, over all their partitions."""
    weights = sample.weights or [1] * len(sample.y)
    found = risk(
        name, [sum(int(weights[i]) for i in rows if sample.y[i] == c) for c in range(sample.k)]
    )
    if levels:
        order = sorted(rows)
        for side in partitions([sample.X[i] for i in order]):
            yes = frozenset(order[i] for i in side)
            if yes and yes != rows:
                parts = [least_ahead(sample, part, name, levels - 1) for part in (yes, rows - yes)]
                found = min(
                    found, parts[0] * parts[1] if name == "entropy" else parts[0] + parts[1]
                )
    return found


@given(samples(), names, st.integers(1, 2))
def test_look_ahead_finds_the_least_that_further_levels_leave(
    sample: Sample, name: ImpurityName, levels: int
) -> None:
    rows = frozenset(range(len(sample.y)))
    found = searched(sample, name, lookahead=levels).best
    sides = [frozenset(side) for side in partitions(sample.X)]
    values = []
    for yes in sides:
        parts = [least_ahead(sample, part, name, levels) for part in (yes, rows - yes)]
        values.append(parts[0] * parts[1] if name == "entropy" else parts[0] + parts[1])
    assert (found is None) == (not values)
    if found is not None and name == "entropy":
        least = F(min(values))
        assert found.risk == weighted_logs([(1, least.numerator), (-1, least.denominator)])
    elif found is not None:
        assert found.risk.rational == min(values) and not found.risk.logs


def test_look_ahead_ends_where_nodes_may_not_be_split() -> None:
    sample = Sample(X=[[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]], y=(0, 1, 1, 0), k=2)
    for rules, left_over in (
        ({"lookahead": 1}, 0),
        ({"lookahead": 1, "max_depth": 1}, 1),
        ({"lookahead": 1, "min_split": 3}, 1),
        ({"lookahead": 1, "min_impurity": F(2, 3)}, 1),
        ({"lookahead": 5, "max_depth": 2}, 0),
    ):
        found = searched(sample, "misclassification", **rules).best
        assert found is not None and found.risk.rational == left_over


def test_candidates_are_questions_beside_those_of_columns() -> None:
    # (1, 1) lies beyond the line and in the ball, which parts the classes; no column does.
    sample = Sample(X=[(0, 0), (1, 1), (2, 0), (0, 2), (2, 2)], y=(1, 1, 0, 0, 0), k=2)
    line, ball = Linear((F(1), F(1)), F(3, 2)), Sphere((F(1, 2), F(1, 2)), F(1))
    for candidates, question in (((line, ball), ball), ((line,), Threshold(0, 1))):
        found = searched(sample, candidates=candidates).best
        assert found is not None and found.question == question
    square = Sample(X=[(0, 0), (0, 1), (1, 0), (1, 1)], y=(0, 0, 0, 1), k=2)
    corner = Linear((F(-1), F(-1)), F(-3, 2))
    found = searched(square, candidates=(corner,)).best
    assert found is not None and found.question == corner and found.risk.rational == 0
    assert searched(square, candidates=(corner,), min_leaf=2).best != found


def test_a_constant_column_has_no_question() -> None:
    assert searched(Sample(X=[[5, "a"], [5, "a"]], y=(0, 1), k=2)).best is None


def test_only_values_of_the_nodes_own_rows_make_questions() -> None:
    sample = Sample(X=[[1], [2], [3], [4]], y=(0, 1, 0, 1), k=2)
    assert searched(sample, rows=[0]).best is None
    found = searched(sample, rows=[1, 3]).best
    assert found is not None and found.question == Threshold(0, 2)


def test_a_threshold_is_worded_as_the_middle_on_request() -> None:
    found = searched(Sample(X=[[1], [4]], y=(0, 1), k=2), midpoints=True).best
    assert found is not None and found.question == Threshold(0, F(5, 2))


def test_thirty_values_of_two_classes_are_all_tried_by_their_order() -> None:
    X = [[f"v{i % 30:02}"] for i in range(300)]
    y = [int(i * i % 30 < i // 30 * 3) for i in range(300)]
    search = searched(Sample(X=X, y=y, k=2))
    assert search.best is not None and not search.untried


def test_thirty_values_that_are_pure_come_down_to_their_classes() -> None:
    X = [[f"v{i:02}"] for i in range(30)]
    sample = Sample(X=X, y=[i % 3 for i in range(30)], k=3)
    search = searched(sample)
    assert not search.untried and search.best is not None
    assert parts(sample, search.best) == [(10,), (10, 10)]


def test_too_many_sets_are_named_as_untried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subsets, "MOST_SUBSETS", 8)
    rows = [
        (v, c)
        for g, v in enumerate("abcdefgh")
        for c, n in enumerate((g + 1, 1, g * g % 7 + 1))
        for _ in range(n)
    ]
    sample = Sample(X=[[v] for v, _ in rows], y=[c for _, c in rows], k=3)
    search = searched(sample)
    assert search.untried == "x0" and search.best is not None


def test_splits_that_gain_nothing_by_misclassification_are_all_tied() -> None:
    X = [[1], [0], [1], [1], *([0] for _ in range(6))]
    sample = Sample(X=X, y=(1, 1, *(0,) * 8), k=2)
    found = searched(sample, "misclassification").best
    assert found is not None and found.risk.rational == 2


def test_look_ahead_sees_just_as_many_levels_as_it_is_given() -> None:
    # the parity of three bits is told by three questions, and by two not at all
    X = list(product((0, 1), repeat=3))
    parity = Sample(X=X, y=[sum(x) % 2 for x in X], k=2)
    for lookahead, left_over in (0, 4), (1, 4), (2, 0):
        found = searched(parity, "misclassification", lookahead=lookahead).best
        assert found is not None and found.risk.rational == left_over
    # a child without a question stays as it is
    stuck = searched(Sample(X=[[0], [0], [1]], y=(0, 1, 0), k=2), lookahead=1).best
    assert stuck is not None and stuck.risk.rational == 1


def test_sets_that_look_ahead_did_not_try_are_told_wherever_they_were(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(subsets, "MOST_SUBSETS", 4)
    X: list[list[Value]] = [["a", 0], ["b", 0], ["c", 1], ["d", 1], ["d", 2]]
    sample = Sample(X=X, y=(0, 1, 0, 1, 2), k=3)
    found = searched(sample, lookahead=1)
    assert found.untried == "x0" and found.best is not None
    alone = searched(Sample(X=[row[:1] for row in X], y=(0, 1, 0, 1, 2), k=3), lookahead=1)
    assert alone.untried == "x0" and alone.best is None
    data = prepare(sample)
    for yes in [4], [0, 1, 2, 3]:  # the other child has few values
        children = divided(data, all_rows(data), yes)
        assert remaining(data, children, Rules(lookahead=2), 0)[1] == "x0"


def test_both_sides_of_a_set_have_as_many_rows_as_a_leaf_needs() -> None:
    one_of_four = Sample(X=[[v] for v in "abbb"], y=(1, 0, 0, 0), k=2)
    assert searched(one_of_four, min_leaf=2).best is None
    # a and b have one class, but together they leave c alone
    sample = Sample(X=[[v] for v in "abbc"], y=(0, 0, 0, 1), k=2)
    found = searched(sample, min_leaf=2).best
    assert found is not None and parts(sample, found) == [(1, 1), (2,)]


def test_values_of_one_mixture_are_all_tried_by_one_of_them() -> None:
    found = searched(Sample(X=[[v] for v in "aabb"], y=(0, 1, 0, 1), k=2))
    assert found.best is not None and found.untried == ""


def test_values_are_taken_in_their_order_and_their_sums_kept_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = prepare(Sample(X=[["b"], ["a"]], y=(0, 1), k=2))
    assert [g.ranks for g in groups_of_values(data, data.columns[0], [0, 1])] == [(0,), (1,)]
    heavy = [Group((r,), 1, tuple(100 * (c == r) for c in range(3))) for r in range(3)]
    second, third = (0, 100, 0), (0, 0, 100)
    assert subsets_to_try(heavy, True, False) == (
        [Group((1,), 1, second), Group((2,), 1, third), Group((1, 2), 2, (0, 100, 100))], True,
    )  # fmt: skip
    # of four values seven sets without the first; a fifth would make more than eight
    monkeypatch.setattr(subsets, "MOST_SUBSETS", 8)
    for n, complete in (4, True), (5, False):
        tried, all_of_them = subsets_to_try(
            [Group((r,), 1, (2**r, 1, 1)) for r in range(n)], True, False
        )
        assert len(tried) == 7 and all_of_them == complete


def test_a_label_that_costs_more_loses_the_difference_for_each_row() -> None:
    costs = [[F(1), F(4)], [F(1), F(5)]]
    sample = Sample(X=[[0], [1]], y=(0, 1), k=2, weights=[F(1, 2)] * 2, costs=costs)
    data = prepare(sample)
    fault = label_fault(data, 1, data.counts([0, 1]), data.costs([0, 1]))
    assert fault == ("label 1 costs 9/2, but 0 costs 1", F(7, 2))


@pytest.mark.parametrize("name", NAMES)
def test_where_children_need_rows_cuts_within_a_class_count(name: ImpurityName) -> None:
    # of 0, 0, 0, 1 only the cut in the middle leaves two rows on either side
    best = searched(Sample(X=[[1], [2], [3], [4]], y=(0, 0, 0, 1), k=2), name, min_leaf=2).best
    assert best is not None and best.question == Threshold(0, 2)


def test_look_ahead_of_one_level_sees_one_level() -> None:
    # of six rows of alternating classes two halves of 2 and 4 are cut once more: 4/3 is left
    six = Sample(X=[[i] for i in range(6)], y=(0, 1, 0, 1, 0, 1), k=2)
    for levels, left in ((0, F(12, 5)), (1, F(4, 3)), (2, F(0))):
        best = searched(six, lookahead=levels).best
        assert best is not None and best.risk.rational == left


def test_of_two_classes_as_many_sets_as_proportions_less_one_are_tried() -> None:
    values = [Group((r,), 30, (r, 30 - r)) for r in range(21)]
    tried, complete = subsets_to_try([*values, Group((21,), 3, (1, 2))], False, False)
    assert complete and len(tried) == 20
    assert {tried[10].ranks, tried[9].ranks} == {tuple(range(10)), (*range(11), 21)}


def test_of_two_classes_any_number_of_categories_is_decided_where_leaves_have_no_least_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(subsets, "MOST_SUBSETS", 4)
    rows = [[c] for c in "abcdefgh"]
    sample = Sample(X=[*rows, *rows], y=(0,) * 8 + (1,) * 8, k=2, weights=[2**n for n in range(16)])
    assert searched(sample).untried == ""
    assert searched(sample, min_leaf=2).untried and searched(sample, min_leaf_weight=F(1)).untried


def test_with_look_ahead_twenty_one_categories_are_too_many() -> None:
    values = [Group((r,), 1, (1, r)) for r in range(21)]
    assert subsets_to_try(values, False, True) == ([], False)


def test_look_ahead_tries_every_set_of_values_without_the_first() -> None:
    values = [Group((r,), 1, (1, 1)) for r in range(4)]  # whose class weights are all alike
    tried, all_of_them = subsets_to_try(values, False, True)
    assert all_of_them and sorted(group.ranks for group in tried) == [
        (1,), (1, 2), (1, 2, 3), (1, 3), (2,), (2, 3), (3,)
    ]  # fmt: skip


def test_both_children_have_the_least_weight_of_a_leaf() -> None:
    data = prepare(Sample(X=[[i] for i in range(4)], y=(0,) * 4, k=1, weights=[4, 3, 2, 1]))
    # of 10 in all, the rows come to 4, 7, 9 and 10
    for least, cuts in ((2, (1, 2)), (4, (1, 1)), (5, (2, 1)), (0, (1, 3))):
        rules = Rules(min_leaf=1, min_leaf_weight=F(least))
        assert splits._cut_range(data, range(4), rules) == cuts


def test_the_largest_class_weight_grows_with_the_rows() -> None:
    assert impurity._most_of_a_class([2, 0, 1], (0, 1, 0), (1, 2, 3), 2) == [0, 3, 4, 4]


def test_what_was_not_tried_below_either_child_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    data = prepare(Sample(X=[[1], [2], [3], [4]], y=(0, 1, 0, 1), k=2))
    children = splits.divided(data, splits.all_rows(data), [0, 1])
    for untried in ("x0", ""), ("", "x0"):
        found = iter(untried)
        monkeypatch.setattr(
            splits, "best_split", lambda *_, found=found: splits.Search(None, next(found))
        )
        assert splits.remaining(data, children, splits.Rules(lookahead=1), 0)[1] == "x0"
