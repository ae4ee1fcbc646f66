"""Sets of many tied questions: their contents, how they are saved, and what room they take."""

from __future__ import annotations

import json
import pickle
import tracemalloc
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.records import parse_json
from refmc.core.ties import last
from refmc.errors import FormatError
from refmc.learn.trees.grow import grow_tree
from refmc.learn.trees.model import DecisionTree, tree_from_record
from refmc.learn.trees.nodes import Node
from refmc.learn.trees.prune import pruning_sequence
from refmc.learn.trees.questions import NumericQuestion, Question
from refmc.learn.trees.rounds import TreeRound
from refmc.learn.trees.runs import cut_runs
from refmc.lectures import lu
from refmc.theory.impurity import misclassification
from tests.support import reloaded

F = Fraction


def alternating(m: int, **options: Any) -> DecisionTree:
    X, y = [[i] for i in range(m)], [i % 2 for i in range(m)]
    return grow_tree(X, y, impurity=misclassification, **options)


def cuts(*thresholds: float | Fraction) -> tuple[Question, ...]:
    return tuple(NumericQuestion(0, a) for a in thresholds)


def test_a_large_set_behaves_as_the_tuple_of_its_questions() -> None:
    # of 20 rows every cut after an odd number of them saves one error
    tied, expected = alternating(20).root.tied, cuts(*range(0, 20, 2))
    assert tied == expected and expected == tied and hash(tied) == hash(expected)
    assert len(tied) == 10 and list(tied) == list(expected) and tied[2:4] == expected[2:4]
    assert [tied[i] for i in range(-10, 10)] == [expected[i] for i in range(-10, 10)]
    assert expected[3] in tied and NumericQuestion(0, 3) not in tied
    assert tied != expected[1:] and tied == alternating(20).root.tied
    assert tied != alternating(22).root.tied and len(repr(tied)) < 80
    with pytest.raises(IndexError):
        tied[10]


def test_a_policy_and_a_watcher_see_all_pairs() -> None:
    seen: list[TreeRound] = []
    tree = alternating(20, tie=last, on_step=seen.append)
    assert tree.root.question == NumericQuestion(0, 18)
    assert [(node.number, q) for node, q in seen[0].tied] == [(0, q) for q in tree.root.tied]
    assert seen[0].tied[-1] == (seen[0].node, seen[0].question) and len(repr(seen[0].tied)) < 150


ROWS = st.integers(10, 24).flatmap(
    lambda m: st.tuples(
        st.lists(st.tuples(*[st.integers(0, 30)] * 2), min_size=m, max_size=m),
        st.lists(st.sampled_from([0, 0, 0, 1]), min_size=m, max_size=m),
    )
)


def reached(tree: DecisionTree, X: list[Any]) -> dict[int, tuple[Node, list[int]]]:
    """The inner nodes with their rows, by asking."""
    found: dict[int, tuple[Node, list[int]]] = {}
    for i, x in enumerate(X):
        for answer in tree.why(x):
            found.setdefault(answer.node.number, (answer.node, []))[1].append(i)
    return found


@given(ROWS, st.booleans())
def test_every_node_has_the_tied_cuts_of_the_lecture(
    data: tuple[list[Any], list[int]], midpoints: bool
) -> None:
    X, y = data
    options: dict[str, Any] = {"thresholds": "midpoints"} if midpoints else {}
    tree = grow_tree(X, y, impurity=misclassification, classes=[0, 1], **options)
    S = list(zip(X, y))
    for node, rows in reached(tree, X).values():
        n = tuple(rows)
        questions = lu.questions(n, S)
        best = lu.arg_max([lu.decrease(n, q, S, lu.misclassification) for q in questions])
        expected = []
        for _, j, a in (questions[i] for i in best):
            above = min(X[i][j] for i in rows if X[i][j] > a)
            expected.append(NumericQuestion(j, F(a + above, 2) if midpoints else a))
        assert list(node.tied) == expected
    assert reloaded(tree) == tree == pickle.loads(pickle.dumps(tree))
    assert reloaded(tree).to_json() == tree.to_json()


def test_candidates_in_any_order_keep_it() -> None:
    X, y = [[i] for i in range(20)], [i % 2 for i in range(20)]
    given = cuts(*range(18, -2, -2), F(1, 2), 0, 0)
    tied = grow_tree(X, y, impurity=misclassification, candidates=lambda rows: given).root.tied
    assert list(tied) == [*cuts(*range(0, 20, 2)), *given]


def test_a_run_is_saved_as_first_last_and_step_among_all_thresholds() -> None:
    record = json.loads(alternating(20).to_json())
    assert record["thresholds"] == [list(range(20))]
    assert record["nodes"][0]["tied"] == [{"column": 0, "runs": [[0, 18, 2]]}]
    assert "thresholds" not in json.loads(alternating(8).to_json())


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("runs", [[0, 11, 1]], "last < 11"),
        ("runs", [[3, 2, 1]], "first ≤ last"),
        ("runs", [[0, 9, 2]], "step"),
        ("runs", [[0, 0, 2]], "step of 1"),
        ("runs", [[0, 9, 0]], "step"),
        ("runs", [[0, 9]], "first, last, step"),
        ("runs", [[0, True, 1]], "whole number"),
        ("runs", [[-1, 9, 1]], "at least 0"),
        ("runs", [], "isn't empty"),
        ("column", 1, "column"),
        ("thresholds", [[*range(10), 9]], "increasing"),
        ("thresholds", [[*range(10), 8]], "increasing"),
        ("thresholds", [list(range(11)), []], "1 lists"),
        ("thresholds", [[]], "last < 0"),
        ("thresholds", [["x"]], "number"),
        ("thresholds", None, "thresholds: null says nothing"),
    ],
)
def test_malformed_runs_are_refused(name: str, value: object, message: str) -> None:
    record = json.loads(alternating(11, max_splits=1).to_json())
    assert record["nodes"][0]["tied"] == [{"column": 0, "runs": [[0, 9, 1]]}]
    changed = record if name == "thresholds" else record["nodes"][0]["tied"][0]
    changed[name] = value
    with pytest.raises(FormatError, match=message):
        tree_from_record(parse_json(json.dumps(record), "model"))


def test_twice_the_rows_take_twice_the_room() -> None:
    def room(m: int) -> tuple[int, int]:
        tracemalloc.start()
        tree = alternating(m)
        used = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return used, len(tree.to_json())

    (small, short), (large, long) = room(120), room(240)
    assert large < 3 * small and long < 2.3 * short  # one object a cut took 4 times the room


@pytest.mark.campaign
def test_five_thousand_alternating_rows_are_grown_pruned_saved_and_loaded() -> None:
    tree = alternating(5000)
    # a node of m rows has m/2 tied cuts if m is even, m − 1 if it is odd
    ties = sum(range(2501)) + sum(range(2, 5000, 2))
    assert tree.depth == 4999 and sum(len(node.tied) for node in tree.nodes()) == ties
    assert [step.size for step in pruning_sequence(tree)][-1] == 1
    assert len(tree.to_json()) < 2_000_000
    again = reloaded(tree)
    assert again == tree
    assert again.predict([[i] for i in range(5000)]) == [i % 2 for i in range(5000)]


def test_cuts_in_several_runs_have_their_places_one_after_the_other() -> None:
    thresholds = tuple(range(10, 20))
    runs = cut_runs(3, thresholds, [range(0, 5, 2), range(7, 9), range(9, 10)])
    expected = [NumericQuestion(3, a) for a in (10, 12, 14, 17, 18, 19)]
    assert len(runs) == 6 and list(runs) == expected
    assert [runs[i] for i in range(6)] == expected
    assert list(runs.ranges()) == [range(0, 5, 2), range(7, 9), range(9, 10)]
