"""Models at the edges: one class, no rounds, weights of 0, numbers beyond doubles, many columns."""

import sys
from collections.abc import Callable
from fractions import Fraction as F
from functools import partial
from typing import Any

import pytest

import refmc
from refmc import export_model, first, fit_multiclass_perceptron, grow_tree
from refmc.export.c import c_values
from refmc.export.exporting import text_of
from refmc.export.predictor import Best, Cut, Graph, Node, Predictor, Score, Sign
from refmc.export.tables import tables_of
from tests.export.exact import expected
from tests.export.machines import need, need_node, said_by_script, said_in_c
from tests.support import DATA

SVM = partial(refmc.fit_binary_svm, C=1)
ADA = partial(refmc.fit_adaboost, rounds=3)
TWO, HUGE = [[F(1)], [F(2)]], F(10) ** 400
ZEROS = [[F(0)]] * 3
ONE = [(1.0,), (0.0,), (-0.0,)]
TINY, MOST = 5e-324, 1.7976931348623157e308


def saved(name: str) -> Any:
    return refmc.load_model((DATA / "saved" / name).read_text(encoding="utf-8"))


EDGES: dict[str, tuple[Callable[[], Any], list[tuple[Any, ...]]]] = {
    "a tree of one class": (lambda: grow_tree(TWO, ["a", "a"]), ONE),
    "one class against all": (lambda: refmc.fit_one_vs_all(TWO, ["a", "a"], SVM), ONE),
    "no pair of classes": (lambda: refmc.fit_one_vs_one(TWO, ["a", "a"], SVM), ONE),
    "no match": (lambda: refmc.fit_error_correcting_tournament(TWO, ["a", "a"], SVM), ONE),
    "a label tree of one class": (lambda: refmc.fit_label_tree(TWO, ["a", "a"], SVM), ONE),
    "a class without rows": (
        lambda: refmc.fit_one_vs_all(TWO, ["a", "a"], SVM, classes=["a", "b"]),
        ONE,
    ),
    "no rounds": (lambda: refmc.fit_adaboost(TWO, [1, -1], rounds=0), ONE),
    "no rounds for labels": (lambda: refmc.fit_adaboost_mh(TWO, ["a", "b"], rounds=0), ONE),
    "weights of 0": (lambda: fit_multiclass_perceptron(ZEROS, [*"abc"]), ONE),
    "pairs of weights of 0": (
        lambda: refmc.fit_one_vs_one(ZEROS, [*"abc"], refmc.fit_perceptron),
        ONE,
    ),
    "claims of weights of 0": (
        lambda: refmc.fit_one_vs_all(
            ZEROS, [*"abc"], refmc.fit_perceptron, decide=refmc.by_claim
        ),
        ONE,
    ),
    "votes of 1 beside logarithms": (
        lambda: refmc.fit_one_vs_all([[F(i)] for i in range(6)], [*"aabbcc"], ADA),
        [(float(i),) for i in range(-1, 7)],
    ),
    "thresholds beyond doubles": (
        lambda: grow_tree([[HUGE], [2 * HUGE], [-HUGE], [F(0)]], [*"abcd"]),
        [*ONE, (MOST,), (-MOST,)],
    ),
    "thresholds below doubles": (
        lambda: grow_tree([[1 / HUGE], [2 / HUGE], [-1 / HUGE], [F(0)]], [*"abcd"]),
        [*ONE, (TINY,), (-TINY,)],
    ),
    "weights beyond doubles": (
        lambda: fit_multiclass_perceptron(
            [[HUGE, F(1)], [-HUGE, F(1)], [F(1), 1 / HUGE]], [*"abc"]
        ),
        [(1.0, MOST), (-TINY, MOST), (0.0, TINY), (TINY, -MOST)],
    ),
    "many columns": (
        lambda: fit_multiclass_perceptron(
            [[F(i * j % 7) for j in range(300)] for i in range(6)], [*"abcabc"]
        ),
        [tuple(float(j % 5) for j in range(300))],
    ),
    "many classes": (
        lambda: fit_multiclass_perceptron([[F(i), F(i * i)] for i in range(40)], list(range(40))),
        [(float(i), float(i * i)) for i in range(40)],
    ),
    "truth values": (lambda: grow_tree(TWO, [False, True]), [*ONE, (2.0,)]),
    "unknown categories of an old tree": (lambda: saved("decision-tree-1.json"), []),
    "unknown categories of an old stump": (lambda: saved("stump-1.json"), []),
}  # fmt: skip


@pytest.mark.parametrize("name", EDGES)
def test_models_at_the_edges_are_right(name: str) -> None:
    need("gcc")
    need_node()
    make, rows = EDGES[name]
    model = make()
    text = {to: export_model(model, to, name="m") for to in ("c", "javascript", "python")}
    module: dict[str, Any] = {}
    exec(text["python"], module)  # noqa: S102  # a test's own program
    lists = module["CATEGORIES"]
    if not rows:
        known = [(1.0, 2.0) if names is None else (*names, "never seen") for names in lists]
        rows = [tuple(cells[i] for cells in known) for i in (0, 1)]
    right = expected(model, rows)
    assert said_in_c(text["c"], "m", "gcc", rows, lists) == right
    assert said_by_script(text["javascript"], "m", rows) == right
    assert said_by_script(text["python"], "m", rows, sys.executable) == right


def test_columns_beyond_16_bits_are_the_right_ones_in_c() -> None:
    need("gcc")
    last: Score = (((2**16,), F(1)),)
    columns = (None,) * (2**16 + 1)
    wide = Predictor("wide", (0, 1), columns, (), Best((0, 1), (((), last),)), first)
    text = text_of(tables_of(wide, "m", None, None, None), "c")
    rows = [(-v, *[0.0] * (2**16 - 1), v) for v in (1.0, -1.0)]
    assert said_in_c(text, "m", "gcc", rows, columns) == [(1, 2), (0, 1)]


def test_questions_beyond_16_bits_have_room_beside_few_nodes_in_c() -> None:
    votes: Score = tuple((Cut(0, F(i)), F(1)) for i in range(3))
    ends = [Node(None, classes=(c,)) for c in (0, 1)]
    graph = Graph(dict(enumerate([*ends, Node(Sign(votes), 0, 1)])), 2)
    few = Predictor("votes", (0, 1), (None,), (), graph, first)
    tables = tables_of(few, "m", None, None, None)
    assert tables.nodes[2][0] == 3 and c_values(tables)["node_type"] == "short"
    tables.questions *= 2**14  # as many as a root has that asks the last of them
    assert c_values(tables)["node_type"] == "int"
