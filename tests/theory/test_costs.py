"""Costs of confusing classes against brute-force distances, and decisions by expected cost."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.scalars import Number
from refmc.errors import DataError, MixedArithmeticError, ParameterError
from refmc.theory.cost_graphs import dag_cost, graph_cost, tree_cost
from refmc.theory.costs import (
    Cost,
    CostTable,
    balanced_weights,
    cost_column,
    expected_costs,
    least_cost_set,
    matrix_cost,
    uniform_cost,
)
from refmc.theory.losses import multiclass_hinge, multiclass_hinge_sum
from tests.support import Array

F = Fraction
HALF = F(1, 2)
GRID = st.integers(0, 6).map(lambda n: F(n, 4))
NEWS = {
    "baseball": "sports",
    "sports": "news",
    "world": "politics",
    "estate": "business",
    "politics": "news",
    "business": "news",
}


@st.composite
def matrices(draw: st.DrawFn) -> list[list[Fraction]]:
    k = draw(st.integers(1, 4))
    return [[F(0) if j == y else draw(GRID) for y in range(k)] for j in range(k)]


@st.composite
def trees(draw: st.DrawFn) -> list[int | None]:
    """Parents of up to eight nodes, each after its parent: chains, stars and all between."""
    n = draw(st.integers(1, 8))
    return [None, *(draw(st.integers(0, node - 1)) for node in range(1, n))]


def shortest(n: int, edges: Sequence[tuple[int, int]]) -> list[list[float]]:
    """All distances by trying every node in between (Floyd and Warshall)."""
    D = [[0.0 if a == b else math.inf for b in range(n)] for a in range(n)]
    for a, b in edges:
        D[a][b] = min(D[a][b], 1)
    for mid, a, b in product(range(n), repeat=3):
        D[a][b] = min(D[a][b], D[a][mid] + D[mid][b])
    return D


def whole(table: CostTable, largest: float) -> list[list[Fraction]]:
    """The costs back in steps."""
    return [[F(value) * F(max(largest, 1)) for value in row] for row in table.rows]


@given(st.integers(1, 6))
def test_the_uniform_cost_is_one_off_the_diagonal(k: int) -> None:
    cost = uniform_cost(k)
    assert all(cost(j, y) == (j != y) for j in range(k) for y in range(k))
    assert all(type(cost(j, 0)) is int for j in range(k))


@given(matrices())
def test_a_matrix_cost_has_the_prediction_as_its_row(rows: list[list[Fraction]]) -> None:
    cost = matrix_cost(rows)
    assert all(cost(j, y) == value for j, row in enumerate(rows) for y, value in enumerate(row))


@given(trees())
def test_tree_distances_are_shortest_paths_scaled_by_the_largest(parents: list[int | None]) -> None:
    links = [(n, p) for n, p in enumerate(parents) if p is not None]
    D = shortest(len(parents), [*links, *((b, a) for a, b in links)])
    largest = max(map(max, D))
    table = tree_cost(parents)
    assert whole(table, largest) == D
    assert max(map(max, table.rows)) == min(largest, 1)
    named = tree_cost({f"n{n}": None if p is None else f"n{p}" for n, p in enumerate(parents)})
    assert named.rows == table.rows and named.classes == tuple(f"n{n}" for n in range(len(parents)))


@given(trees())
def test_a_tree_is_also_a_graph_and_a_directed_acyclic_graph(parents: list[int | None]) -> None:
    edges = [(n, p) for n, p in enumerate(parents) if p is not None]
    if edges:
        table = tree_cost(parents)
        assert graph_cost(edges) == table and dag_cost(edges) == table


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=10))
def test_graph_distances_are_shortest_paths(edges: list[tuple[int, int]]) -> None:
    edges = [*edges, *((node, 0) for edge in edges for node in edge)]  # connected through node 0
    nodes = sorted({node for edge in edges for node in edge})
    D = shortest(6, [*edges, *((b, a) for a, b in edges)])
    D = [[D[a][b] for b in nodes] for a in nodes]
    table = graph_cost(edges)
    assert table.classes == tuple(nodes)
    assert whole(table, max(map(max, D))) == D


@given(
    st.lists(
        st.tuples(st.integers(1, 6), st.integers(0, 5)).filter(lambda e: e[0] > e[1]), max_size=10
    )
)
def test_distances_in_a_directed_graph_go_over_common_ancestors(
    edges: list[tuple[int, int]],
) -> None:
    edges = [*((node, 0) for node in range(1, 7)), *edges]
    up = shortest(7, edges)
    D = [[min(up[a][v] + up[b][v] for v in range(7)) for b in range(7)] for a in range(7)]
    assert whole(dag_cost(edges), max(map(max, D))) == D


def test_a_common_descendant_joins_classes_in_a_graph_but_not_in_an_ontology() -> None:
    edges = [("ab", "a"), ("ab", "b"), ("a", "a1"), ("a1", "top"), ("b", "b1"), ("b1", "top")]
    near, far = (make(edges, classes=["a", "b", "top"]) for make in (graph_cost, dag_cost))
    assert (near(0, 1), near(0, 2)) == (1, 1)  # two steps each, down over "ab" or up
    assert (far(0, 1), far(0, 2)) == (1, HALF)  # four steps over "top"


def test_the_hierarchy_of_documents_by_hand() -> None:
    cost = tree_cost(NEWS, classes=["baseball", "sports", "world", "estate"])
    assert cost.rows == (
        (0, F(1, 4), 1, 1),
        (F(1, 4), 0, F(3, 4), F(3, 4)),
        (1, F(3, 4), 0, 1),
        (1, F(3, 4), 1, 0),
    )
    assert cost.classes == ("baseball", "sports", "world", "estate")


def test_a_hierarchy_may_be_deep() -> None:
    n = 2_500
    parents = [None, *range(n - 1)]
    cost = tree_cost(parents, classes=[0, 1250, n - 1])
    assert cost.rows[0] == (0, F(1250, n - 1), 1)


@given(matrices())
def test_scaled_costs_have_the_same_proportions_and_the_largest_one(
    rows: list[list[Fraction]],
) -> None:
    cost, largest = matrix_cost(rows), max(map(max, rows))
    scaled = cost.scaled()
    assert max(map(max, scaled.rows)) == (1 if largest else 0)
    assert all(F(s) * largest == value for a, b in zip(scaled.rows, rows) for s, value in zip(a, b))


def test_weights_of_classes_multiply_the_columns() -> None:
    cost = uniform_cost(3).weighted([1, "1/2", Decimal(3)])
    assert cost.rows == ((0, HALF, 3), (1, 0, 3), (1, HALF, 0))
    assert matrix_cost([[0, 0.5], [2, 0]]).weighted(Array([2, 0.25])).rows == ((0, 0.125), (4, 0))


def test_costs_follow_the_arithmetic_of_the_scores() -> None:
    cost = tree_cost(NEWS, classes=["baseball", "sports", "world"])
    scores = [F(1, 4), F(1), F(0)]
    assert multiclass_hinge(scores, 1, cost) == 0
    assert multiclass_hinge(scores, 2, cost) == F(7, 4)
    assert multiclass_hinge([0.25, 1.0, 0.0], 2, cost) == 1.75
    assert multiclass_hinge_sum(scores, 2, cost) == F(7, 4) + F(5, 4)
    third = matrix_cost([[0, F(1, 3)], [F(1, 3), 0]])
    assert multiclass_hinge([0.0, 0.0], 0, third) == 1 / 3
    with pytest.raises(MixedArithmeticError, match=r"^cost\(0, 1\)=0.5 is a float but the data"):
        multiclass_hinge([F(0), F(0)], 1, matrix_cost([[0, 0.5], [1, 0]]))


def test_tables_are_plain_data_for_any_process() -> None:
    cost = tree_cost(NEWS)
    assert pickle.loads(pickle.dumps(cost)) == cost and hash(cost) == hash(tree_cost(NEWS))


@given(matrices(), st.data())
def test_the_decision_has_the_least_expected_cost(
    rows: list[list[Fraction]], data: st.DataObject
) -> None:
    k = len(rows)
    P = data.draw(st.lists(GRID, min_size=k, max_size=k))
    expected = []
    for j in range(k):
        value = F(0)
        for y in range(k):
            value += P[y] * rows[j][y]
        expected.append(value)
    cost = matrix_cost(rows)
    assert expected_costs(P, cost) == tuple(expected)
    best = min(expected)
    assert least_cost_set(P, cost) == tuple(j for j in range(k) if expected[j] == best)
    assert least_cost_set([3 * p for p in P], cost) == least_cost_set(P, cost)


@given(st.lists(GRID, min_size=1, max_size=5))
def test_with_uniform_costs_the_most_probable_classes_win(P: list[Fraction]) -> None:
    assert least_cost_set(P) == tuple(j for j, p in enumerate(P) if p == max(P))
    assert least_cost_set(P) == least_cost_set(P, uniform_cost(len(P)))


def test_in_float_a_tie_is_one_of_the_numbers_and_not_of_rounding() -> None:
    tiny = 2.0**-80
    assert expected_costs([1.0, 1.0 + tiny, 0.5]) == (1.5, 1.5, 2.0)
    assert least_cost_set([1.0, 2.0, 2.0 * (1 + 2.0**-52)]) == (2,)
    # costs of 2·1 + 2⁻⁸⁰ and of 2 round to the same float
    cost = matrix_cost([[0, 2.0, tiny], [2.0, 0, 0], [3.0, 3.0, 0]])
    assert expected_costs([1.0, 1.0, 1.0], cost)[0] == expected_costs([1.0, 1.0, 1.0], cost)[1]
    assert least_cost_set([1.0, 1.0, 1.0], cost) == (1,)


def test_balanced_weights_give_every_class_the_same_sum() -> None:
    y = ["b", "a", "b", "c", "b", "b"]
    weights = balanced_weights(y)
    assert weights == (F(2), F(1, 2), F(2))
    assert balanced_weights(y, classes=["c", "x", "b", "a"]) == (F(2), F(0), F(1, 2), F(2))
    assert balanced_weights(Array(y)) == weights


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12))
def test_over_the_rows_balanced_weights_add_up_to_the_rows(y: list[int]) -> None:
    weights = dict(zip(sorted(set(y)), balanced_weights(y)))
    shares = {sum((weights[c] for c in y if c == label), F(0)) for label in y}
    assert shares == {F(len(y), len(set(y)))}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0, -1], [1, 0]], "cost(0, 1): expected at least 0, got -1"),
        ([[0, 1], ["-1/2", 0]], "cost(1, 0): expected at least 0, got -1/2"),
        ([[0, 1], [1, 0.5]], "cost(1, 1): expected 0, got 1/2"),
        ([[0, 1], [1]], "rows: row 1: expected 2 costs, got 1"),
        ([[0, 1, 2], [1, 0, 2]], "rows: row 0: expected 2 costs, got 3"),
        ([[0, math.nan], [1, 0]], "cost(0, 1): expected a finite number"),
        ([[0, math.inf], [1, 0]], "cost(0, 1): expected a finite number"),
        ([[0, "x"], [1, 0]], "cost(0, 1): 'x' is not a number"),
        ([[0, None], [1, 0]], "cost(0, 1): expected a number"),
        ([], "rows: expected k rows of k costs, got []"),
        ("01", "rows: expected k rows of k costs, got '01'"),
        ([[0], 1], "rows: expected k rows of k costs, got 1 as row 1"),
        ([[0, 0.5], [F(1, 2), 0]], "rows: Fractions beside floats"),
    ],
)
def test_matrices_that_are_no_costs_are_refused(rows: object, message: str) -> None:
    with pytest.raises((ParameterError, MixedArithmeticError)) as refusal:
        matrix_cost(cast("list[list[int]]", rows))
    assert str(refusal.value).startswith(message)


@pytest.mark.parametrize(
    ("parents", "classes", "message"),
    [
        ({"a": "b", "b": "c", "c": "a"}, None, "parents: a cycle 'a' → 'b' → 'c' → 'a'"),
        ({"a": "a"}, None, "parents: a cycle 'a' → 'a'"),
        ([None, 2, 1], None, "parents: a cycle"),
        ({"a": "r", "b": "s"}, None, "parents: expected one root, got 2: ['r', 's']"),
        ([None, None], None, "parents: expected one root, got 2: [0, 1]"),
        ([None, 7], None, "parents: node 1: unknown parent 7"),
        ([None, -1], None, "parents: node 1: unknown parent -1"),
        ([None, "0"], None, "parents: node 1: unknown parent '0'"),
        ({}, None, "parents: expected a mapping of nodes to parents"),
        ([], None, "parents: expected a mapping of nodes to parents"),
        ("abc", None, "parents: expected a mapping of nodes to parents"),
        ({"a": ["r"]}, None, "parents: ['r'] is not hashable"),
        ({"a": "r", 1: "r"}, None, "classes: the nodes have no order; give classes="),
        ({"a": "r"}, ["a", "x"], "classes: 'x' is none of the nodes ['a', 'r']"),
        ({"a": "r"}, ["a", "a"], "classes: 'a' stands twice"),
    ],
)
def test_hierarchies_that_are_none_are_refused(
    parents: object, classes: object, message: str
) -> None:
    with pytest.raises(ParameterError) as refusal:
        tree_cost(cast("dict[str, str]", parents), classes=cast("list[str]", classes))
    assert str(refusal.value).startswith(message)


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ([], "classes: expected at least one label, got none"),
        ("ar", "classes: expected a sequence of labels, got str"),
        ([["a", "b"]], "classes: position 0: ['a', 'b'] is not hashable"),
        (["a", 1], "classes: position 1: int 1 beside str 'a'; labels must be of one type"),
    ],
)
def test_classes_of_a_hierarchy_are_labels_as_everywhere(classes: object, message: str) -> None:
    with pytest.raises(DataError) as refusal:
        tree_cost({"a": "r"}, classes=cast("list[str]", classes))
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("make", "edges", "message"),
    [
        (graph_cost, [("a", "b"), ("c", "d")], "edges: no path between 'a' and 'c'"),
        (dag_cost, [("a", "b"), ("c", "d")], "edges: no common ancestor of 'a' and 'c'"),
        (dag_cost, [("a", "b"), ("b", "a")], "edges: a cycle "),
        (graph_cost, [], "edges: expected at least one pair of nodes, got []"),
        (graph_cost, 3, "edges: expected at least one pair of nodes, got 3"),
        (graph_cost, ["ab"], "edges: position 0: expected two nodes, got 'ab'"),
        (graph_cost, [("a", "b"), ("a",)], "edges: position 1: expected two nodes, got ('a',)"),
        (dag_cost, [("a", ["b"])], "edges: position 0: ['b'] is not hashable"),
    ],
)
def test_graphs_that_give_no_distance_are_refused(
    make: Callable[..., CostTable], edges: object, message: str
) -> None:
    with pytest.raises(ParameterError) as refusal:
        make(edges)
    assert str(refusal.value).startswith(message)


def test_costs_of_unknown_classes_are_refused() -> None:
    cost = uniform_cost(3)
    for j, y, place in [(3, 0, 3), (0, -1, -1)]:
        with pytest.raises(ParameterError, match=rf"no class at {place}; the costs know 3"):
            cost(j, y)
    with pytest.raises(ParameterError, match="^cost: a table of 3 classes, expected 2"):
        multiclass_hinge([1.0, 2.0], 0, cost)
    with pytest.raises(ParameterError, match="^k: expected a whole number of at least 1, got 0"):
        uniform_cost(0)
    with pytest.raises(ParameterError, match="^classes: expected 2, one a row, got 1"):
        matrix_cost([[0, 1], [1, 0]], classes=["a"])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], "weights: expected 2, got 1"),
        ([1, -1], "weights: position 1: expected ≥ 0, got -1"),
        ([1, "x"], "weights: position 1: 'x' is not a number"),
    ],
)
def test_weights_that_fit_no_classes_are_refused(weights: list[Number], message: str) -> None:
    with pytest.raises(ParameterError) as refusal:
        uniform_cost(2).weighted(weights)
    assert str(refusal.value).startswith(message)


def test_weights_and_costs_of_two_arithmetics_are_refused() -> None:
    with pytest.raises(MixedArithmeticError, match="^weights: 1/3 times 0.5"):
        matrix_cost([[0, "1/3"], [1, 0]]).weighted([1, 0.5])


def test_probabilities_that_are_none_are_refused() -> None:
    with pytest.raises(DataError, match="^probabilities: position 1: expected at least 0, got -1"):
        expected_costs([F(2), F(-1)])
    with pytest.raises(DataError, match="^probabilities: expected one a class, got none"):
        least_cost_set([])
    with pytest.raises(ParameterError, match="a table of 3 classes, expected 2"):
        least_cost_set([0.5, 0.5], uniform_cost(3))


def test_a_cost_of_the_callers_is_checked_where_it_is_used() -> None:
    def negative(j: int, y: int) -> int:
        return y - j

    with pytest.raises(ParameterError, match=r"^cost\(1, 0\): expected at least 0, got -1"):
        cost_column(negative, 0, 2, F(0))
    distance: Cost = lambda j, y: abs(j - y)
    assert cost_column(distance, 2, 3, 0.0) == (2.0, 1.0, 0.0)


def test_costs_in_float_are_scaled_in_float() -> None:
    assert matrix_cost([[0.0, 0.5], [2.0, 0.0]]).scaled().rows == ((0.0, 0.25), (1.0, 0.0))
    assert matrix_cost([[0, 1], [4, 0]]).scaled().rows == ((0, F(1, 4)), (1, 0))
