"""Label trees: cuts against all subsets, confusions counted by hand, and every way down."""

import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction as F
from functools import partial
from itertools import product
from math import ceil, log2
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refmc.core.ties import argmax_set, last, refuse
from refmc.errors import DataError, ExactnessLimitError, FormatError, ParameterError, TieError
from refmc.learn.online.perceptron import fit_perceptron
from refmc.learn.reductions.members import ABSENT, BinaryStep
from refmc.learn.reductions.papers.label_tree import (
    LabelTree,
    balanced_partitions,
    fit_label_tree,
    swapped_partition,
)
from refmc.learn.svm.binary import fit_binary_svm, fit_hard_svm
from refmc.oracle.models import load_model
from tests.support import of_first_column, reloaded, table

LINE = [[F(t)] for t in (0, 2, 4, 6)]
OUTER = [[2, 0, 0, 1], [0, 2, 1, 0], [0, 1, 2, 0], [1, 0, 0, 2]]  # 0 with 3, and 1 with 2


def test_classes_that_are_confused_stay_together() -> None:
    steps: list[BinaryStep] = []
    model = fit_label_tree(LINE, [*"abcd"], fit_perceptron, confusion=OUTER, on_step=steps.append)
    assert [(split.left, split.right, split.below) for split in model.splits] == [
        ((0, 3), (1, 2), (1, 2)),
        ((0,), (3,), (None, None)),
        ((1,), (2,), (None, None)),
    ]
    assert [split.tied for split in model.splits] == [((0, 3),), ((0,),), ((1,),)]
    assert [(s.problem, s.positive, s.negative, s.rows) for s in steps] == [
        (0, ("a", "d"), ("b", "c"), 4),
        (1, ("a",), ("d",), 2),
        (2, ("b",), ("c",), 2),
    ]
    assert model.models[1] == fit_perceptron([LINE[0], LINE[3]], [1, -1])


def test_the_confusion_is_counted_from_one_vs_all_with_ties_in_equal_parts() -> None:
    # the row 0 of a is a's; 1 of a is tied between a and b; 2 of b is b's; 3 of c is b's too
    table = {"a": [1, 1, 0, 0], "b": [0, 1, 1, 1], "c": [0, 0, 0, 0]}
    seen = []

    def watched(A: Sequence[Sequence[Any]], places: tuple[int, ...]) -> Sequence[tuple[int, ...]]:
        seen.append((A, places))
        return balanced_partitions(A, places)

    X, y = [[F(t)] for t in range(4)], ["a", "a", "b", "c"]
    functions = [lambda t, label=label: F(table[label][int(t)]) for label in "abc"]
    steps: list[BinaryStep] = []
    binary = of_first_column(*functions, lambda t: F(1), lambda t: F(0))
    model = fit_label_tree(X, y, binary, partition=watched, on_step=steps.append)
    # counts: aa 3/2, ab 1/2, bb 1, cb 1; with the transpose, in halves
    assert seen == [([[6, 1, 0], [1, 4, 2], [0, 2, 0]], (0, 1, 2)), (seen[0][0], (1, 2))]
    assert [split.left for split in model.splits] == [(0,), (1,)]
    assert [(s.problem, s.positive, s.negative) for s in steps] == [
        (0, ("a",), ("b", "c")),
        (1, ("b",), ("a", "c")),
        (2, ("c",), ("a", "b")),
        (3, ("a",), ("b", "c")),
        (4, ("b",), ("c",)),
    ]


def returned(value: Any, A: object, places: object) -> Any:
    return value


@given(st.integers(2, 6), st.data())
def test_the_best_halvings_are_those_that_keep_the_most_affinity_inside(k: int, data: Any) -> None:
    entries = st.integers(0, 2)
    half = [[data.draw(entries) for _ in range(k)] for _ in range(k)]
    A = [[half[p][q] + half[q][p] for q in range(k)] for p in range(k)]
    value = {}
    for marks in product((0, 1), repeat=k):
        if abs(2 * sum(marks) - k) <= 1:
            halves = frozenset(
                frozenset(p for p in range(k) if marks[p] == side) for side in (0, 1)
            )
            value[halves] = sum(A[p][q] for half in halves for p in half for q in half)
    best = {halves for halves, inside in value.items() if inside == max(value.values())}
    found = balanced_partitions(A, tuple(range(k)))
    assert {frozenset((frozenset(s), frozenset(range(k)) - frozenset(s))) for s in found} == best
    assert len(found) == len(best)
    assert all(0 in side for side in found)


@given(st.integers(1, 6), st.data())
def test_all_that_can_be_reached_is_found_by_going_every_way(k: int, data: Any) -> None:
    answers = [F(data.draw(st.integers(-1, 1))) for _ in range(k - 1)]
    model = fit_label_tree(
        [[F(i)] for i in range(k)],
        list(range(k)),
        of_first_column(*(lambda t, answer=answer: answer for answer in answers)),
        confusion=[[F(1)] * k] * k,
    )
    possible = set(range(k))
    for split, answer in zip(model.splits, answers, strict=True):
        possible -= set(split.left if answer < 0 else split.right if answer > 0 else ())
    assert model.predict_set([F(0)]) == tuple(sorted(possible))
    scores = model.scores([F(0)])
    assert argmax_set(scores) == tuple(sorted(possible))
    assert k == 1 or sum(score > 0 for score in scores) == (len(possible) == 1)
    assert model.predict([[F(0)]]) == [min(possible)]


def test_a_label_tree_asks_a_logarithm_of_the_classes() -> None:
    for k in range(1, 12):
        asked = [0]

        def count(t: Any, asked: list[int] = asked) -> F:
            asked[0] += 1
            return F(1)

        X, y = [[F(i)] for i in range(k)], list(range(k))
        model = fit_label_tree(X, y, of_first_column(*[count] * k), confusion=[[F(0)] * k] * k)
        model.predict([[F(0)]])
        assert log2(k) - 1 < asked[0] <= ceil(log2(k))


def test_without_confusion_all_halvings_are_tied() -> None:
    model = fit_label_tree(LINE, [*"abcd"], fit_perceptron, confusion=[[F(0)] * 4] * 4)
    assert model.splits[0].tied == ((0, 1), (0, 2), (0, 3))
    assert (model.splits[0].left, model.splits[0].right) == ((0, 1), (2, 3))


def test_one_class_is_constant_and_two_make_the_bare_classifier() -> None:
    one = fit_label_tree(LINE, ["a"] * 4, fit_hard_svm)
    assert (one.models, one.predict([[F(9)]]), one.scores([F(9)])) == ((), ["a"], (0,))
    two = fit_label_tree(LINE, ["a", "a", "b", "b"], fit_hard_svm)
    alone = fit_hard_svm(LINE, [1, 1, -1, -1])
    assert two.models == (alone,)
    for t in range(8):
        assert two.scores([F(t)]) == (alone.decision([F(t)]), -alone.decision([F(t)]))
    assert two.predict_set([F(3)]) == ("a", "b")


def test_a_class_without_rows_has_no_place_in_the_tree() -> None:
    X, y = LINE[:3], ["a", "c", "d"]
    model = fit_label_tree(X, y, fit_perceptron, classes=[*"abcd"])
    without = fit_label_tree(X, y, fit_perceptron)
    assert model.present == (0, 2, 3)
    assert model.models == without.models
    for t in range(-1, 6):
        assert model.predict_set([F(t)]) == without.predict_set([F(t)])
        assert model.scores([F(t)])[1] == ABSENT
    alone = fit_label_tree(X[:1], ["b"], fit_hard_svm, classes=["a", "b"])
    assert (alone.predict(LINE[:1]), alone.scores([F(5)])) == (["b"], (ABSENT, 0))


def test_another_partition_may_be_given() -> None:
    chain: Any = lambda A, places: [[places[-1]]]
    model = fit_label_tree(LINE, [*"abcd"], fit_perceptron, partition=chain)
    assert [split.left for split in model.splits] == [(3,), (2,), (1,)]
    bad: Any
    for bad in (None, 3, [], [[]], [[0, 1, 2, 3]], [[0, 0]], [[7]], [[0.0]], [[True]], ["ab"]):
        with pytest.raises(ParameterError, match=r"partition: expected sides of \(0, 1, 2, 3\)"):
            fit_label_tree(LINE, [*"abcd"], fit_perceptron, partition=partial(returned, bad))


def test_more_classes_than_can_be_tried_are_refused_with_their_count() -> None:
    with pytest.raises(ExactnessLimitError, match="22 classes have 352716 balanced partitions"):
        balanced_partitions([[0] * 22] * 22, tuple(range(22)))
    with pytest.raises(ExactnessLimitError, match="21 classes have 352716 balanced partitions"):
        balanced_partitions([[0] * 21] * 21, tuple(range(21)))


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 7), st.data())
def test_a_searched_halving_is_one_that_no_swap_makes_better(k: int, data: Any) -> None:
    half = [[data.draw(st.integers(0, 3)) for _ in range(k)] for _ in range(k)]
    A = [[half[p][q] + half[q][p] for q in range(k)] for p in range(k)]
    places = tuple(range(1, k + 1))
    A = [[0] * (k + 1), *([0, *row] for row in A)]  # a class that is not at this node

    def cut(side: frozenset[int]) -> int:
        return sum(A[p][q] for p in side for q in places if q not in side)

    (found,) = swapped_partition(A, places)
    side = frozenset(found)
    assert 1 in side and abs(2 * len(side) - k) <= 1
    for p, q in product(side, set(places) - side):
        assert cut(side) <= cut(side - {p} | {q})


def test_two_groups_of_many_classes_are_found() -> None:
    # class p is confused with those that are alike, seven of eight times more than with others
    alike = [[8 if (p - q) % 2 == 0 else 1 for q in range(30)] for p in range(30)]
    assert swapped_partition(alike, tuple(range(30))) == (tuple(range(0, 30, 2)),)
    X, y = [[F(t), F((-1) ** t)] for t in range(22)], list(range(22))
    model = fit_label_tree(
        X, y, partial(fit_perceptron, epochs=1), confusion=[row[:22] for row in alike[:22]],
        partition=swapped_partition,
    )  # fmt: skip
    assert model.splits[0].left == tuple(range(0, 22, 2))
    assert len(model.splits) == 21 and load_model(model.to_json()).predict(X) == model.predict(X)


def test_bad_input_is_refused_with_its_place() -> None:
    bad: Any
    for bad, error, match in [
        ([[1, 0], [0, 1]], ParameterError, "confusion: expected 4 rows of 4 numbers"),
        ([[1, 0, 0]] * 4, ParameterError, "confusion: expected 4 rows of 4 numbers"),
        ([[1, 0, 0, -1]] * 4, ParameterError, "confusion: expected numbers of at least 0"),
        ([[1, 0, 0, float("nan")]] * 4, DataError, "confusion: row 0"),
        ("confusion", DataError, "confusion: expected a sequence of rows"),
        ([], DataError, "confusion: expected at least one row"),
    ]:
        with pytest.raises(error, match=match):
            fit_label_tree(LINE, [*"abcd"], fit_perceptron, confusion=bad)
    answers = of_first_column(lambda t: F(1), lambda t: "no number", lambda t: F(1))
    bad = fit_label_tree(LINE, [*"abcd"], answers, confusion=OUTER)
    for asked in (bad.scores, bad.predict_set):
        with pytest.raises(DataError, match="binary problem 1: expected a number"):
            asked(LINE[0])
    with pytest.raises(DataError, match="x: expected 1 numbers, got 2"):
        fit_label_tree(LINE, [*"abcd"], fit_perceptron).predict_set([F(1), F(2)])

    def failing(X: Any, y: Any) -> Any:
        raise DataError("no")

    with pytest.raises(DataError) as caught:
        fit_label_tree(LINE, [*"abcd"], failing, confusion=OUTER)
    assert caught.value.__notes__ == ["in binary problem 0"]


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3)), min_size=1, max_size=8))
def test_names_of_the_labels_make_no_difference(data: list[tuple[int, int]]) -> None:
    X, y = [[F(t), F(1)] for t, _ in data], [c for _, c in data]
    numbered = fit_label_tree(X, y, fit_perceptron)
    named = fit_label_tree(X, ["wxyz"[c] for c in y], fit_perceptron)
    assert (named.models, named.splits) == (numbered.models, numbered.splits)
    for x in X:
        assert named.predict_set(x) == tuple("wxyz"[int(str(c))] for c in numbered.predict_set(x))


def test_the_order_of_classes_makes_no_difference_where_one_cut_is_best() -> None:
    model = fit_label_tree(LINE, [*"abcd"], fit_perceptron, confusion=OUTER)
    turned = [3, 1, 0, 2]
    confusion = [[OUTER[p][q] for q in turned] for p in turned]
    other = fit_label_tree(LINE, [*"abcd"], fit_perceptron, confusion=confusion, classes=[*"dbac"])
    assert {frozenset(other.classes[c] for c in split.left) for split in other.splits} == {
        frozenset("ad"),
        frozenset("b"),
        frozenset("d"),
    }
    assert {frozenset(model.classes[c] for c in split.left) for split in model.splits} == {
        frozenset("ad"),
        frozenset("b"),
        frozenset("a"),
    }


def test_arguments_are_not_modified_and_may_be_tuples() -> None:
    X, y, confusion = [list(x) for x in LINE], [*"abcd"], [list(row) for row in OUTER]
    model = fit_label_tree(X, y, fit_perceptron, confusion=confusion)
    assert (X, y, confusion) == (LINE, [*"abcd"], OUTER)
    given = tuple(map(tuple, OUTER))
    assert model == fit_label_tree(
        tuple(map(tuple, X)), tuple(y), fit_perceptron, confusion=given, classes=tuple("abcd")
    )
    as_floats = [[float(n) for n in row] for row in OUTER]
    assert model == fit_label_tree(X, y, fit_perceptron, confusion=as_floats)


def test_threads_and_processes_train_the_same_tree() -> None:
    alone = fit_label_tree(LINE, [*"abcd"], fit_perceptron)
    for pool in (ThreadPoolExecutor(2), ProcessPoolExecutor(1)):
        with pool:
            assert fit_label_tree(LINE, [*"abcd"], fit_perceptron, executor=pool) == alone


def test_ties_follow_the_policy() -> None:
    model = fit_label_tree(LINE, [*"aabb"], fit_hard_svm, tie=last)
    assert model.predict([[F(3)]]) == ["b"]
    with pytest.raises(TieError):
        fit_label_tree(LINE, [*"aabb"], fit_hard_svm, tie=refuse).predict([[F(3)]])


def test_a_saved_tree_comes_back_equal() -> None:
    for labels in ([*"abcd"], ["a"] * 4, [3, 1, 2, 3]):
        model = fit_label_tree(LINE, labels, fit_perceptron)
        assert reloaded(model) == model
        again = load_model(model.to_json(), tie=last)
        assert isinstance(again, LabelTree) and again.tie is last


def test_what_does_not_fit_a_saved_tree_is_named() -> None:
    record = json.loads(fit_label_tree(LINE, [*"abcd"], fit_perceptron).to_json())
    for name, value, match in [
        ("tied", [[[0, 1]], [[0]]], "tied partitions of 3 nodes"),
        ("tied", [[[0, 1]], [[2]], [[2]]], r"model.tied: expected sides of \(0, 1\)"),
        ("tied", [[[0, 1]], 5, [[2]]], r"model.tied: expected sides of \(0, 1\)"),
        ("binary", [None] * 3, "binary models"),
        ("binary", [], "model.binary: expected 3 models"),
        ("present", [], "model"),
        ("present", [0, 1, 2, 4], "model.present"),
    ]:
        with pytest.raises(FormatError, match=match):
            load_model(json.dumps(record | {name: value}))
    with pytest.raises(ParameterError, match="can't be saved"):
        fit_label_tree(LINE, [*"aabb"], of_first_column(lambda t: t)).to_json()


def test_the_animals_are_told_apart_with_three_answers() -> None:
    named, y = table("zoo.csv", str)
    X, y = [list(map(float, row[1:])) for row in named[::2]], y[::2]
    model = fit_label_tree(X, y, partial(fit_binary_svm, C=1))
    assert len(model.models) == 6
    assert max(sum(c in split.left + split.right for split in model.splits) for c in range(7)) == 3
    assert sum(a != b for a, b in zip(model.predict(X), y, strict=True)) <= 1


def test_of_tied_halvings_those_of_the_smaller_first_side_come_first() -> None:
    assert balanced_partitions([[0] * 3] * 3, (0, 1, 2)) == ((0,), (0, 1), (0, 2))
    found = balanced_partitions([[0] * 15] * 15, tuple(range(15)))
    # of the sides with class 0, C(14, 6) have seven classes and C(14, 7) eight
    assert [len(side) for side in found] == [7] * 3003 + [8] * 3432
    assert found[0] == tuple(range(7)) and found[3003] == tuple(range(8))
