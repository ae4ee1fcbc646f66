"""What a grown tree can do: predict, explain, print, be saved, and be thousands of nodes deep."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.logs import Log
from refmc.core.records import parse_json
from refmc.core.ties import last
from refmc.errors import DataError, FormatError, MixedArithmeticError, ParameterError
from refmc.learn.trees.grow import grow_tree
from refmc.learn.trees.model import DecisionTree, tree_from_record
from refmc.learn.trees.prune import prune, pruning_sequence
from refmc.learn.trees.surfaces import LinearQuestion, SphereQuestion
from refmc.theory.costs import matrix_cost, uniform_cost
from refmc.theory.impurity import entropy, gini, misclassification
from tests.support import Array, few_calls_deep, reloaded

F = Fraction

MIXED: list[list[Any]] = [[1, "red"], [2, "red"], [1, "blue"], [2, "green"], [3, "green"]]
LABELS = ["a", "b", "c", "c", "a"]


def test_the_sets_of_many_rows_are_those_of_each() -> None:
    X = [[0], [1], [1]]
    model = grow_tree(X, ["a", "b", "a"])
    assert model.predict_sets(X) == [("a",), ("a", "b"), ("a", "b")]
    assert model.predict_sets(X) == [model.predict_set(x) for x in X]


def test_text_shows_questions_answers_labels_and_counts() -> None:
    tree = grow_tree(MIXED, LABELS)
    text = """\
colour = red? [2, 1, 2]
  no: size ≤ 2? [1, 0, 2]
    no: a [1, 0, 0]
    yes: c [0, 0, 2]
  yes: size ≤ 1? [1, 1, 0]
    no: b [0, 1, 0]
    yes: a [1, 0, 0]"""
    assert tree.to_text(["size", "colour"]) == text
    assert grow_tree([[5], [5]], ["x", "y"]).to_text() == "x or y [1, 1]"


def test_dot_and_mermaid_name_each_node_and_edge() -> None:
    tree = grow_tree([[1], [2]], ['say "yes"', "no"])
    dot = """\
digraph tree {
  n0 [shape=box, label="x0 ≤ 1? [1, 1]"];
  n0 -> n1 [label="no"];
  n0 -> n2 [label="yes"];
  n1 [shape=ellipse, label="no [1, 0]"];
  n2 [shape=ellipse, label="say \\"yes\\" [0, 1]"];
}"""
    mermaid = """\
flowchart TD
  n0["x0 ≤ 1? [1, 1]"]
  n0 -->|no| n1
  n0 -->|yes| n2
  n1(["no [1, 0]"])
  n2(["say #quot;yes#quot; [0, 1]"])"""
    assert (tree.to_dot(), tree.to_mermaid()) == (dot, mermaid)


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=9
    )
)
def test_the_leaves_part_the_feature_space(rows: list[tuple[int, int, int]]) -> None:
    tree = grow_tree([row[:2] for row in rows], [row[2] for row in rows], classes=[0, 1, 2])

    def regions() -> Iterator[tuple[Any, list[tuple[Any, bool]]]]:
        waiting: list[tuple[Any, list[tuple[Any, bool]]]] = [(tree.root, [])]
        while waiting:
            node, answers = waiting.pop()
            if node.question is None:
                yield node, answers
            else:
                waiting.append((node.negative, [*answers, (node.question, False)]))
                waiting.append((node.positive, [*answers, (node.question, True)]))

    for x in product(range(4), repeat=2):
        here = [
            n for n, path in regions() if all((x[q.column] <= q.threshold) == a for q, a in path)
        ]
        assert [node.number for node in here] == [tree.leaf(x).number]
        (leaf,) = here
        inside = [c for *features, c in rows if tree.leaf(features) is leaf]
        assert leaf.counts == tuple(inside.count(c) for c in range(3))
        assert set(leaf.labels) == {c for c in range(3) if inside.count(c) == max(leaf.counts)}


def test_why_gives_the_questions_on_the_way() -> None:
    tree = grow_tree(MIXED, LABELS)
    assert list(map(str, tree.why([1, "blue"]))) == ["x1 = red: no", "x0 ≤ 2: yes"]
    assert [step.answer for step in tree.why([2, "red"])] == [True, False]
    assert grow_tree([[1]], ["a"]).why([7]) == ()


def test_importances_share_out_what_the_tree_takes_off_the_root() -> None:
    X = [(0, 0), (0, 0), (0, 1), (1, 0), (1, 1)]
    tree = grow_tree(X, [0, 0, 1, 2, 2])
    assert tree.importances() == (F(16, 25) - F(4, 15), F(4, 15))
    assert sum(tree.importances()) == tree.root.impurity
    by_bits = grow_tree(X, [0, 0, 1, 2, 2], impurity=entropy)
    assert sum(by_bits.importances()) == by_bits.root.impurity


def test_questions_about_several_columns_have_no_column_to_be_important() -> None:
    line = LinearQuestion((1, 1), 1)
    tree = grow_tree([(0, 0), (2, 2)], [0, 1], candidates=lambda rows: [line], tie=last)
    assert tree.root.question == line and tree.importances() == (0, 0)


def test_a_category_never_seen_answers_no() -> None:
    tree = grow_tree([["a"], ["b"], ["c"]], [1, 0, 0])
    assert tree.root.question is not None and tree.root.question.text() == "x0 = a"
    assert tree.predict([["z"]]) == [0]


def test_labels_come_back_as_they_were() -> None:
    labels = [(1, "x"), (0, "y")]
    tree = grow_tree([[1], [2]], labels)
    assert tree.predict([[1], [2]]) == labels and tree.classes == ((0, "y"), (1, "x"))
    assert grow_tree([[1], [2]], [True, False]).predict([[1]]) == [True]


def test_scores_are_class_fractions_in_the_given_order() -> None:
    tree = grow_tree([[1], [1], [1], [2]], ["a", "b", "b", "a"], classes=["c", "b", "a"])
    assert tree.scores([1]) == (F(0), F(2, 3), F(1, 3))
    assert tree.root.counts == (0, 2, 2)
    assert tree.predict_set([0]) == ("b",)


TREES: list[Callable[[], DecisionTree]] = [
    lambda: grow_tree(MIXED, LABELS),
    lambda: grow_tree(MIXED, LABELS, impurity=entropy, weights=["1/3", 1, 2, 0.5, 10**20]),
    lambda: grow_tree([[F(1, 3)], [F(2)]], [1, 2], impurity=misclassification),
    lambda: grow_tree([[1.0], [2.0]], [1, 2], thresholds="midpoints"),
    lambda: grow_tree([[10**20], [10**20 + 1]], [1, 2]),
    lambda: grow_tree([[False], [True]], [1, 2]),
    lambda: grow_tree([[1], [2]], [1, 2], cost=[[0, "1/3"], [0.1, 0]]),
    lambda: grow_tree(
        [(0, 0), (2, 2)],
        [0, 1],
        candidates=lambda rows: [LinearQuestion((1, F(1, 2)), 0.5), SphereQuestion((0.5, 0), 1)],
    ),
    lambda: prune(pruning_sequence(grow_tree(MIXED, LABELS)), "0.9"),
    lambda: grow_tree([[1], [1]], [0, 1]),
]


@pytest.mark.parametrize("make", TREES)
def test_saved_trees_come_back_equal(make: Callable[[], DecisionTree]) -> None:
    tree = make()
    again = reloaded(tree)
    assert again == tree and hash(again) == hash(tree)
    assert again.to_json() == tree.to_json()
    assert again.root.size == tree.root.size and again.depth == tree.depth
    for one, other in zip(again.nodes(), tree.nodes()):
        assert one.impurity == other.impurity
        assert type(one.counts[0]) is type(other.counts[0])


def test_pickles_and_copies_are_equal() -> None:
    tree = grow_tree(MIXED, LABELS)
    assert pickle.loads(pickle.dumps(tree)) == copy.deepcopy(tree) == tree


def test_what_cannot_be_saved_is_refused() -> None:
    with pytest.raises(ParameterError, match="impurity"):
        grow_tree([[1], [2]], [0, 1], impurity=lambda c: gini(c)).to_json()
    with pytest.raises(ParameterError, match="classes"):
        grow_tree([[1], [2]], [0.5, 1.5]).to_json()


def corruptions(record: Any) -> Iterator[Any]:
    """The record with one value changed, at every place."""
    pairs = record.items() if isinstance(record, dict) else enumerate(record)
    for key, value in list(pairs):
        changes: list[Any] = [None, -1, "x", [], {}, 10**6]
        for bad in changes:
            changed = copy.copy(record)
            changed[key] = bad
            yield changed
        if isinstance(record, dict):
            yield {k: v for k, v in record.items() if k != key}
            yield {**record, "surplus": 1}
        if isinstance(value, (dict, list)):
            for inner in corruptions(value):
                changed = copy.copy(record)
                changed[key] = inner
                yield changed


@pytest.mark.parametrize("make", TREES[:8])
def test_no_change_of_a_saved_tree_ends_in_anything_but_a_format_error(
    make: Callable[[], DecisionTree],
) -> None:
    refused = 0
    for record in corruptions(json.loads(make().to_json())):
        try:
            tree = tree_from_record(parse_json(json.dumps(record), "model"))
            tree.to_text(), tree.depth, tree.leaves()
        except FormatError:
            refused += 1
    assert refused > 30


def test_children_must_add_up() -> None:
    text = grow_tree([[1], [2]], ["a", "b"]).to_json()
    with pytest.raises(FormatError, match="add up"):
        tree_from_record(parse_json(text.replace("[0, 1]", "[0, 2]"), "model"))


def test_trees_deeper_than_recursion_are_saved_printed_pickled_and_asked() -> None:
    m = 200
    with few_calls_deep():
        tree = grow_tree([[i] for i in range(m)], [i % 2 for i in range(m)])
        assert tree.depth == m - 1
        again = reloaded(tree)
        assert again == tree and pickle.loads(pickle.dumps(tree)) == tree
        assert tree.predict([[i] for i in range(m)]) == [i % 2 for i in range(m)]
        assert max(len(tree.why([i])) for i in range(m)) == m - 1
        assert tree.to_text().count("\n") == tree.to_mermaid().count("|") // 2 == 2 * m - 2
        assert tree.to_dot().count("->") == 2 * m - 2
        assert repr(tree) and repr(tree.root) and sum(tree.importances()) == tree.root.impurity


BAD_DATA: list[tuple[Any, Any, dict[str, Any], str]] = [
    ([[1.0], [float("nan")]], [0, 1], {}, "row 1, column 0: nan is a missing value"),
    ([[1.0], [None]], [0, 1], {}, "row 1, column 0: None is a missing value"),
    ([["a"], [None]], [0, 1], {}, "row 1, column 0: None is a missing value"),
    ([[1.0], [float("inf")]], [0, 1], {}, "row 1, column 0: expected a finite number"),
    ([[1, 2], ["a", 2]], [0, 1], {}, "row 1, column 0: 'a' in a column of numbers"),
    ([["a"], [1]], [0, 1], {}, "row 1, column 0: 1 in a column of categories"),
    ([[Decimal(1)], [Decimal(2)]], [0, 1], {}, "exact"),
    ([[1], [2, 3]], [0, 1], {}, "row 1 has 2 values, row 0 has 1"),
    ([], [], {}, "at least one row"),
    ([[]], [0], {}, "at least one column"),
    ("ab", [0, 1], {}, "sequence of rows"),
    ([["a"], "b"], [0, 1], {}, "row 1: expected a sequence of values"),
    ([[1], [2]], [0], {}, "expected 2 labels"),
    ([[1], [2]], [0, "a"], {}, "one type"),
    ([[1], [2]], [0, 1], {"weights": [1]}, "expected 2, one a row"),
    ([[1], [2]], [0, 1], {"weights": [1, -1]}, "row 1: expected at least 0"),
    ([[1], [2]], [0, 1], {"weights": [0, 0]}, "at least one above 0"),
    ([[1], [2]], [0, 1], {"weights": [1, float("nan")]}, "finite"),
]


@pytest.mark.parametrize(("X", "y", "options", "message"), BAD_DATA)
def test_unusable_data_are_refused_with_their_place(
    X: Any, y: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        grow_tree(X, y, **options)


def test_fractions_do_not_stand_beside_floats() -> None:
    with pytest.raises(MixedArithmeticError, match="column 0.*column 1"):
        grow_tree([[F(1, 2), 0.5], [1, 2]], [0, 1])


BAD_PARAMETERS: list[tuple[dict[str, Any], str]] = [
    ({"max_splits": -1}, "max_splits"),
    ({"max_splits": 1.5}, "max_splits"),
    ({"max_depth": -1}, "max_depth"),
    ({"min_leaf": 0}, "min_leaf"),
    ({"lookahead": -1}, "lookahead"),
    ({"thresholds": "means"}, "thresholds"),
    ({"impurity": "gini"}, "impurity"),
    ({"impurity": lambda c: None}, "impurity"),
    ({"min_decrease": "x"}, "min_decrease"),
    ({"cost": [[0, 1]]}, "cost: expected 2 rows of 2 numbers, a row for each predicted class"),
    ({"cost": [[0, 1], [1]]}, "cost: expected 2 rows of 2"),
    ({"cost": [[0, 1, 2], [1, 0, 2]]}, "cost: expected 2 rows of 2"),
    ({"cost": 3}, "cost: expected 2 rows of 2"),
    ({"cost": [[0, 1], ["x", 0]]}, r"cost\(1, 0\): 'x' is not a number"),
    ({"cost": [[0, -1], [1, 0]]}, r"cost\(0, 1\): expected at least 0"),
    ({"cost": [[1, 0], [0, 1]]}, r"cost\(0, 0\): expected 0"),
    ({"cost": lambda j, y: 1}, r"cost\(0, 0\): expected 0"),
    ({"cost": matrix_cost([[0, 1], [1, 0]], classes=[1, 0])}, "cost: its classes are"),
    ({"cost": uniform_cost(3)}, "cost: expected 2 rows of 2"),
    ({"min_split": 1}, "min_split"),
    ({"min_impurity": -1}, "min_impurity: expected at least 0"),
]


@pytest.mark.parametrize(("options", "message"), BAD_PARAMETERS)
def test_parameters_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        grow_tree([[1], [2]], [0, 1], **options)


def test_more_than_twenty_categories_need_two_classes() -> None:
    X = [[chr(97 + i)] for i in range(21)]
    with pytest.raises(ParameterError, match="column 0 has 21 categories"):
        grow_tree(X, [i % 3 for i in range(21)])
    assert grow_tree(X, [i % 2 for i in range(21)]).depth == 1
    assert grow_tree(X, [i % 3 for i in range(21)], max_depth=0).depth == 0


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([1], "expected 2 values, got 1"),
        (["a", "red"], "column 0: expected a number"),
        ([1, 2], "column 1: expected a string"),
        ([float("nan"), "red"], "missing value"),
        ("ab", "expected a sequence"),
    ],
)
def test_rows_that_do_not_fit_the_tree_are_refused(x: Any, message: str) -> None:
    tree = grow_tree(MIXED, LABELS)
    with pytest.raises(DataError, match=message):
        tree.scores(x)
    with pytest.raises(DataError, match=f"X: row 0.*{message}"):
        tree.predict([x])


def test_one_class_one_row_and_constant_columns_are_legal() -> None:
    assert grow_tree([[1]], ["a"]).predict([[5]]) == ["a"]
    assert grow_tree([[1], [2]], ["a", "a"]).depth == 0
    assert grow_tree([[7, 1], [7, 2]], ["a", "b"]).root.tied[0].text() == "x1 ≤ 1"
    assert grow_tree([[1], [2], [3]], [0, 1, 1], max_splits=0).root.labels == (1,)


def test_lists_tuples_and_arrays_give_the_same_tree() -> None:
    X, y = [[0.5, 1.0], [1.5, 0.0], [2.5, 1.0]], [0, 1, 0]
    tree = grow_tree(X, y)
    assert grow_tree(tuple(map(tuple, X)), tuple(y)) == tree
    arrays = grow_tree(Array(X), Array(y), weights=Array([1, 1, 1]))
    assert [node.question for node in arrays.nodes()] == [n.question for n in tree.nodes()]
    assert tree.predict(Array(X)) == y and tree.scores(Array(X[0])) == (F(1), F(0))


CELLS = st.integers(-2, 2)
SAMPLES = st.integers(1, 8).flatmap(
    lambda m: st.tuples(
        st.lists(st.tuples(CELLS, CELLS), min_size=m, max_size=m),
        st.lists(st.sampled_from("abc"), min_size=m, max_size=m),
        st.permutations(range(m)),
    )
)


def shape(tree: DecisionTree) -> list[Any]:
    """Everything about a tree but the names of its labels and its thresholds."""
    return [
        (n.number, n.counts, n.choices, n.decrease, [q.column for q in n.tied])  # type: ignore[attr-defined]  # numeric
        for n in tree.nodes()
    ]


@given(SAMPLES, st.sampled_from([gini, entropy, misclassification]))
def test_order_of_rows_names_and_monotone_transforms_change_no_shape(
    sample: tuple[list[tuple[int, int]], list[str], list[int]], impurity: Any
) -> None:
    X, y, order = sample
    tree = grow_tree(X, y, impurity=impurity)
    assert all(n.decrease is None or n.decrease >= 0 for n in tree.nodes())
    shuffled = grow_tree([X[i] for i in order], [y[i] for i in order], impurity=impurity)
    assert shuffled == tree
    renamed = grow_tree(X, [label * 2 for label in y], impurity=impurity)
    assert shape(renamed) == shape(tree)
    bent = grow_tree([(a**3, 7 * b + 1) for a, b in X], y, impurity=impurity)
    assert shape(bent) == shape(tree)


def test_a_whole_fraction_is_saved_as_a_fraction_and_a_long_whole_number_as_itself() -> None:
    for below, kind in ((F(200), Fraction), (F(2**53), Fraction), (2**53 + 1, int), (200, int)):
        tree = grow_tree([[below], [below + 1]], [0, 1])
        found = reloaded(tree)
        (question,) = found.root.tied
        assert question == tree.root.question
        assert type(question.threshold) is kind
        assert found.to_json() == tree.to_json()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cost": [["0", "1"]]}, "model.cost: expected 2 rows of 2"),
        ({"cost": [["0"], ["1"]]}, "model.cost: expected 2 rows of 2"),
        ({"nodes": "twice"}, r"model.nodes\[2\].number: 1 is given twice"),
        ({"nodes": "two roots"}, "expected one root, and every other node below it"),
    ],
)
def test_a_tree_that_hangs_together_wrongly_is_refused(change: Any, message: str) -> None:
    record = json.loads(grow_tree([[1], [2]], ["a", "b"]).to_json())
    nodes = record["nodes"]
    if change.get("nodes") == "twice":
        change = {"nodes": [*nodes[:2], nodes[1], nodes[2]]}
    elif change.get("nodes") == "two roots":
        change = {"nodes": [*nodes, {**nodes[1], "number": 9}]}
    with pytest.raises(FormatError, match=message):
        tree_from_record(parse_json(json.dumps(record | change), "model"))


def present(value: Callable[[int], Any]) -> Callable[[Sequence[Any]], Any]:
    """The number of classes that are there, as another kind of value."""
    return lambda counts: value(sum(map(bool, counts)))


def test_an_impurity_may_give_floats_whole_numbers_fractions_or_logarithms() -> None:
    # the cut after 2 alone leaves 1 and 1 of 2 classes
    X, y = [[1], [2], [3], [4]], [0, 0, 1, 1]
    kinds: list[Callable[[int], Any]] = [float, int, F, lambda n: Log([(2, n)])]
    for value in kinds:
        root = grow_tree(X, y, impurity=present(value)).root
        assert [q.text() for q in root.tied] == ["x0 ≤ 2"] and root.decrease == value(1)
    huge = grow_tree(X, y, impurity=present(lambda n: F(10**400 * n))).root
    assert [q.text() for q in huge.tied] == ["x0 ≤ 2"] and huge.decrease == 10**400
    kinds = [lambda n: float("nan"), lambda n: float("inf"), str, lambda n: None]
    for bad in kinds:
        with pytest.raises(ParameterError, match="impurity: expected a finite number or a Log"):
            grow_tree(X, y, impurity=present(bad))


def test_a_negative_least_decrease_is_refused() -> None:
    with pytest.raises(ParameterError, match="min_decrease: expected at least 0, got -1"):
        grow_tree([[1], [2]], [0, 1], min_decrease=-1)
