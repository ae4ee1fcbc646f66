"""One-against-some: entropies and bounds by second routes, small trees by hand, and its limits."""

import json
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction as F
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from refmc.core.ties import last, refuse
from refmc.errors import DataError, FormatError, ParameterError, TieError
from refmc.learn.online.perceptron import fit_perceptron
from refmc.learn.reductions.members import ABSENT, BinaryStep
from refmc.learn.reductions.one_vs_all import fit_one_vs_all
from refmc.learn.reductions.papers.one_against_some import (
    OneAgainstSome,
    RecallNode,
    fit_one_against_some,
    recall_surely_rises,
    sides_by_entropy,
)
from refmc.learn.svm.binary import fit_binary_svm
from refmc.oracle.models import load_model
from tests.support import InTurn, reloaded, table

LINE = [[F(t)] for t in range(8)]
ABCD = [*"aabbccdd"]
small = partial(fit_one_against_some, candidates=2, lam=0)


def among(*left: int) -> Callable[[Any], F]:
    """A router that sends these values of the first column left, the others right."""
    return lambda x: F(1 if x[0] in left else -1)


def weight_of_order(counts: Sequence[int]) -> F:
    """n^n over the product of all c^c: its logarithm is n times the entropy of the counts."""
    return F(sum(counts) ** sum(counts), math.prod(c**c for c in counts))


@given(st.lists(st.integers(0, 3), max_size=12))
@example([0, 1, 2, 0, 0, 0, 0, 2])  # the last is told by less than the logarithm of one row more
def test_rows_are_told_the_side_whose_total_entropy_rises_less(y: list[int]) -> None:
    counts = {1: [0] * 4, -1: [0] * 4}
    for own, side in zip(y, sides_by_entropy(y, 4), strict=True):
        rise = {}
        for s, n in counts.items():
            more = [c + (j == own) for j, c in enumerate(n)]
            rise[s] = weight_of_order(more) / weight_of_order(n)
        assert side == (1 if rise[1] <= rise[-1] else -1)
        counts[side][own] += 1


def test_candidates_are_the_most_frequent_and_those_left_out_are_told() -> None:
    node = RecallNode.of([3, 0, 5, 3, 1], 2)
    assert (node.candidates, node.tied, node.recall) == ((2, 0), (3,), F(8, 12))
    assert RecallNode.of([3, 0, 5], 7)[1:3] == ((2, 0), ())


def bound(right: int, n: int, lam: F) -> float:
    r = right / n
    return r - math.sqrt(lam * r * (1 - r) / n) - 3.5 * float(lam) / n


@given(
    st.tuples(st.integers(1, 30), st.integers(0, 30), st.integers(1, 30), st.integers(0, 30)),
    st.sampled_from([F(0), F(1), F(1, 3)]),
)
def test_bounds_are_ordered_as_their_formula(counts: Any, lam: F) -> None:
    a, b, c, d = counts
    child, parent = (
        RecallNode.of([max(a, b), min(a, b)], 1),
        RecallNode.of([max(c, d), min(c, d)], 1),
    )
    values = [bound(max(p, q), p + q, lam) for p, q in ((a, b), (c, d))]
    if abs(values[0] - values[1]) > 1e-9 and abs(values[0]) > 1e-9:
        assert recall_surely_rises(child, parent, lam) == (values[0] > max(values[1], 0))


def test_equal_bounds_are_no_reason_to_go_down() -> None:
    for node in (RecallNode.of([4, 1], 1), RecallNode.of([30, 20, 10], 1)):
        for lam in (F(0), F(1)):
            assert not recall_surely_rises(node, node, lam)
    # r = 4/5 of 25 rows: 4/5 - 2/25 - 7/50 = 29/50; r = 1 of n rows: 1 - 7/(2n)
    parent = RecallNode.of([20, 5], 1)
    assert recall_surely_rises(RecallNode.of([9], 1), parent, F(1))
    assert not recall_surely_rises(RecallNode.of([8], 1), parent, F(1))
    # 1 - 7/6 is above the bound of two rows of two classes, but below 0
    assert not recall_surely_rises(RecallNode.of([3], 1), RecallNode.of([1, 1], 1), F(1))


def test_routers_lead_to_the_candidates_and_the_way_is_added_to_the_row() -> None:
    # told: a left, b right, c left as both sides have two rows, d right as it has fewer
    router = among(0, 1, 4, 5)
    binary = InTurn(router, *[lambda x: x[0]] * 4)
    steps: list[BinaryStep] = []
    model = small(LINE, ABCD, binary, on_step=steps.append)
    assert binary.seen[0] == ([(t,) for t in range(8)], [1, 1, -1, -1, 1, 1, -1, -1])
    assert [(node.counts, node.candidates, node.below) for node in model.nodes] == [
        ((2, 2, 2, 2), (0, 1), (1, 2)),
        ((2, 0, 2, 0), (0, 2), (None, None)),
        ((0, 2, 0, 2), (1, 3), (None, None)),
    ]
    assert model.nodes[0].tied == (2, 3)
    left = [(t, 1, 0) for t in (0, 1, 4, 5)]
    right = [(t, 0, 1) for t in (2, 3, 6, 7)]
    assert binary.seen[1:] == [
        (left, [1, 1, -1, -1]),
        (right, [1, 1, -1, -1]),
        (left, [-1, -1, 1, 1]),
        (right, [-1, -1, 1, 1]),
    ]
    assert [step.positive for step in steps] == [("a", "c"), ("a",), ("b",), ("c",), ("d",)]
    assert model.ways([F(4)]) == ((0, 1),)
    assert model.scores([F(4)]) == (4, ABSENT, 4, ABSENT)
    assert model.predict_set([F(4)]) == ("a", "c")


def test_a_score_of_zero_leads_to_both_children() -> None:
    def router(x: Any) -> Any:
        return 0 if x[0] in (1, 9) else among(0, 4, 5)(x)

    binary = InTurn(router, *[lambda x, j=j: x[0] + j * x[1] for j in range(4)])
    model = small(LINE, ABCD, binary, passes=1, depth=1)
    assert [node.counts for node in model.nodes] == [(2, 2, 2, 2), (2, 0, 2, 0), (1, 2, 0, 2)]
    assert [row for row in binary.seen[1][0] if row[0] == 1] == [(1, 1, 0)]
    assert model.ways([F(9)]) == ((0, 1), (0, 2))
    # at node 1 of a and c the second has 9 + 2 against 9 + 0, at node 2 b and d have 9
    assert model.scores([F(9)]) == (9, 11, 11, 11)  # the best of either node have the highest
    assert model.predict_set([F(9)]) == ("b", "c", "d")
    assert model.predict([[F(9)]]) == ["b"]


def test_a_candidate_at_two_ends_has_its_higher_score() -> None:
    def router(x: Any) -> Any:
        return 0 if x[0] == 9 else among(0, 4, 5)(x)

    binary = InTurn(router, lambda x: 5 + x[1], *[lambda x: F(1)] * 2)
    model = small(LINE[:6], [*"aabbcc"], binary, passes=1, depth=1)
    assert [node.candidates for node in model.nodes[1:]] == [(2, 0), (1, 0)]
    assert model.scores([F(9)]) == (6, 1, 1)
    assert model.predict_set([F(9)]) == ("a",)


def test_classes_are_told_again_where_the_router_sends_most_of_their_rows() -> None:
    # the router sends b where a is, and that is where the second pass wants it
    binary = InTurn(among(0, 1, 2, 3), among(0, 1, 2, 3), *[lambda x: x[0]] * 4)
    model = small(LINE, ABCD, binary)
    assert binary.seen[0][1] == [1, 1, -1, -1, 1, 1, -1, -1]
    assert binary.seen[1][1] == [1, 1, 1, 1, -1, -1, -1, -1]  # and the third would be the same
    assert len(binary.seen) == 6
    assert [node.candidates for node in model.nodes] == [(0, 1), (0, 1), (2, 3)]


def test_a_router_that_leads_nowhere_better_is_left_out() -> None:
    steps: list[BinaryStep] = []
    everywhere_left = InTurn(*[lambda x: F(1)] * 6)
    model = small(LINE, ABCD, everywhere_left, on_step=steps.append)
    assert len(model.nodes) == 1 and model.nodes[0].router is None
    assert [step.problem for step in steps] == [0, 1, 2, 3, 4]
    assert [step.model is None for step in steps] == [False, False, False, True, True]
    assert model.predict_set([F(0)]) == ("a", "b")


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 4)), min_size=1, max_size=9))
def test_with_as_many_candidates_as_classes_it_is_one_vs_all(data: list[tuple[int, int]]) -> None:
    X, y = [[F(t), F(1)] for t, _ in data], [c for _, c in data]
    if len(set(y)) < 3:
        return
    model = fit_one_against_some(X, y, fit_perceptron, candidates=5)
    all_of_them = fit_one_vs_all(X, y, fit_perceptron)
    assert model.models == all_of_them.models
    for x in X:
        assert model.scores(x) == all_of_them.scores(x)
        assert model.predict_set(x) == all_of_them.predict_set(x)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 4)), min_size=2, max_size=10))
def test_every_row_is_counted_where_it_can_be(data: list[tuple[int, int]]) -> None:
    X, y = [[F(t), F(1)] for t, _ in data], [c for _, c in data]
    model = fit_one_against_some(X, y, fit_perceptron, candidates=1, lam=0)
    for number, node in enumerate(model.nodes):
        reaching = [c for x, c in zip(X, y) if any(number in way for way in model.ways(x))]
        assert list(node.counts) == [sum(c == own for own in reaching) for c in model.classes]
        for child in node.below:
            assert child is None or model.nodes[child].recall > node.recall
    for x in X:
        found = {c for way in model.ways(x) for c in model.nodes[way[-1]].candidates}
        assert set(model.predict_set(x)) == {model.classes[c] for c in found}


def test_with_one_candidate_two_classes_are_those_of_the_bare_classifier() -> None:
    X, y = [[F(1)], [F(3)], [F(-1)]], ["a", "a", "b"]
    model = fit_one_against_some(X, y, fit_perceptron, candidates=1, lam=0)
    alone = fit_perceptron(X, [1, 1, -1])
    assert model.models[0] == alone
    for t in (-2, -1, 1, 2):
        assert model.predict([[F(t)]]) == ["a" if alone.decision([F(t)]) > 0 else "b"]
    assert model.predict_set([F(0)]) == ("a", "b")


def test_one_class_is_constant() -> None:
    model = small(LINE, ["a"] * 8, fit_perceptron)
    assert (model.models, model.sides, model.scores([F(9)])) == ((None,), (1,), (1,))
    assert model.predict([[F(9)]]) == ["a"]


def test_a_class_without_rows_is_never_a_candidate() -> None:
    y = [*"aabbddee"]
    model = small(LINE, y, fit_perceptron, classes=[*"abcde"])
    without = small(LINE, y, fit_perceptron)
    for t in range(-2, 10):
        assert model.scores([F(t)])[2] == ABSENT
        assert model.predict_set([F(t)]) == without.predict_set([F(t)])


def test_the_depth_can_be_bounded() -> None:
    flat = fit_one_against_some(LINE, ABCD, fit_perceptron, candidates=1, lam=0, depth=0)
    assert len(flat.nodes) == 1
    assert (flat.models, flat.sides) == ((None,) * 4, (1, 0, 0, 0))  # the rows of a alone are used
    assert flat.predict(LINE) == ["a"] * 8
    deep = fit_one_against_some(LINE, ABCD, fit_perceptron, candidates=1, lam=0)
    assert max(len(way) for x in LINE for way in deep.ways(x)) <= 3


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3)), min_size=1, max_size=8))
def test_names_of_the_labels_make_no_difference(data: list[tuple[int, int]]) -> None:
    X, y = [[F(t), F(1)] for t, _ in data], [c for _, c in data]
    numbered = small(X, y, fit_perceptron)
    named = small(X, ["wxyz"[c] for c in y], fit_perceptron)
    assert (named.models, named.nodes) == (numbered.models, numbered.nodes)
    for x in X:
        assert named.predict_set(x) == tuple("wxyz"[int(str(c))] for c in numbered.predict_set(x))


def test_arguments_are_not_modified_and_may_be_tuples() -> None:
    X, y = [list(x) for x in LINE], list(ABCD)
    model = small(X, y, fit_perceptron)
    assert (X, y) == (LINE, ABCD)
    given = tuple(map(tuple, X))
    assert model == small(given, tuple(y), fit_perceptron, classes=tuple("abcd"))


def test_threads_and_processes_train_the_same_models() -> None:
    alone = small(LINE, ABCD, fit_perceptron)
    for pool in (ThreadPoolExecutor(2), ProcessPoolExecutor(1)):
        with pool:
            assert small(LINE, ABCD, fit_perceptron, executor=pool) == alone


def test_numbers_keep_their_arithmetic() -> None:
    exact_scores = small(LINE, ABCD, fit_perceptron).scores([F(1)])
    assert {type(s) for s in exact_scores if s != ABSENT} == {F}
    floats = small([[float(x[0])] for x in LINE], ABCD, fit_perceptron)
    assert {type(s) for s in floats.scores([1.0])} == {float}


def test_ties_follow_the_policy() -> None:
    functions = [among(0, 1, 4, 5), *[lambda x: F(0)] * 4]
    model = small(LINE, ABCD, InTurn(*functions), passes=1, tie=last)
    assert model.predict([[F(0)]]) == ["c"]
    with pytest.raises(TieError):
        small(LINE, ABCD, InTurn(*functions), passes=1, tie=refuse).predict(LINE)


def test_bad_input_is_refused_with_its_place() -> None:
    bad: Any
    for name, least in (("candidates", 1), ("passes", 1), ("depth", 0)):
        for bad in (least - 1, True, 1.5, "2"):
            with pytest.raises(ParameterError, match=f"{name}: expected a whole number"):
                fit_one_against_some(LINE, ABCD, fit_perceptron, **{"candidates": 2, name: bad})
    for bad in (-1, "-1/2"):
        with pytest.raises(ParameterError, match="lam: expected at least 0"):
            fit_one_against_some(LINE, ABCD, fit_perceptron, candidates=2, lam=bad)
    with pytest.raises(ParameterError, match="lam"):
        fit_one_against_some(LINE, ABCD, fit_perceptron, candidates=2, lam="much")
    with pytest.raises(DataError, match="x: expected 1 numbers, got 2"):
        small(LINE, ABCD, fit_perceptron).scores([F(1), F(2)])

    def failing(X: Any, y: Any) -> Any:
        raise DataError("no")

    with pytest.raises(DataError) as caught:
        small(LINE, ABCD, failing)
    assert caught.value.__notes__ == ["in binary problem 0"]


def test_a_saved_model_comes_back_equal() -> None:
    for labels in (ABCD, ["a"] * 8, [3, 1, 2, 3] * 2):
        for candidates in (1, 2, 9):
            model = fit_one_against_some(LINE, labels, fit_perceptron, candidates=candidates, lam=0)
            assert reloaded(model) == model
            again = load_model(model.to_json(), tie=last)
            assert isinstance(again, OneAgainstSome) and again.tie is last


def test_what_does_not_fit_a_saved_model_is_named() -> None:
    X = [[F(t), F(1)] for t in (4, -4, 3, -3)]
    model = small(X, [*"abcd"], fit_perceptron)
    assert len(model.nodes) == 3
    record = json.loads(model.to_json())
    root, left, right = record["nodes"]
    for name, value, match in [
        ("candidates", 0, "candidates: expected a whole number"),
        ("nodes", [], "model.nodes: expected 1 nodes, got 0"),
        ("nodes", [root, left], "model.nodes: expected 3 nodes, got 2"),
        ("nodes", [root, left, right, right], "model.nodes: expected 3 nodes, got 4"),
        ("nodes", [root | {"below": [2, 1]}, left, right], "model.nodes: expected two children"),
        ("nodes", [root | {"below": [1]}, left], "model.nodes: expected two children"),
        ("nodes", [root, left, right | {"counts": [0] * 4}], "model.nodes: expected counts"),
        ("nodes", [root, left, right | {"counts": [1, 2]}], "model.nodes: expected counts"),
        ("nodes", [root, left, right | {"counts": [1, 2, 3, -1]}], "model.nodes: expected counts"),
        ("nodes", [root, left, 7], "model.nodes: expected an object"),
        ("nodes", [left], "model.binary: expected 4 models, got 5"),
        ("sides", [0], "model.sides"),
    ]:
        with pytest.raises(FormatError, match=match):
            load_model(json.dumps(record | {name: value}))
    with pytest.raises(ParameterError, match="can't be saved"):
        small(LINE, ABCD, InTurn(*[lambda x: F(1)] * 9), passes=1).to_json()


def test_the_animals_are_told_apart_among_four_candidates() -> None:
    named, y = table("zoo.csv", str)
    X = [list(map(float, row[1:])) for row in named]
    model = fit_one_against_some(X, y, partial(fit_binary_svm, C=1), candidates=4)
    assert max(len(node.candidates) for node in model.nodes) == 4
    assert len(model.nodes) > 1
    assert sum(a != b for a, b in zip(model.predict(X), y, strict=True)) <= 3


def test_scores_are_highest_for_all_classes_that_are_tied_at_a_router_of_0() -> None:
    # a, c and b at 1, 2 and -2: the router of the root gives 0 at -1, so both of its children vote
    learner = partial(fit_perceptron, epochs=5, bias=True)
    model = fit_one_against_some(
        [[F(1)], [F(2)], [F(-2)]], ["a", "c", "b"], learner, candidates=2, lam=0
    )
    assert len(model.ways([F(-1)])) > 1
    for t in range(-12, 13):
        x = [F(t, 4)]
        scores = model.scores(x)
        best = [c for c, s in zip(model.classes, scores) if s == max(scores)]
        assert best == list(model.predict_set(x))
