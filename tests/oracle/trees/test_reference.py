"""Reference answers and traces of trees: judged by the checker, and by hand."""

import itertools
import json
from fractions import Fraction
from typing import Any

import pytest

from refmc import check, solve_problem
from refmc.adapters.table import read_table
from refmc.answers import trace_problem
from refmc.core.logs import Log
from tests.support import DATA

FOUR: dict[str, Any] = {
    "family": "tree.grow",
    "X": [[0, 0], [0, 1], [1, 0], [1, 1]],
    "y": [0, 1, 1, 2],
}


def nodes_of(answer: dict[str, object]) -> list[dict[str, Any]]:
    tree = answer["tree"]
    assert isinstance(tree, dict)
    return list(tree["nodes"])


def pruning(tree: object, **options: object) -> dict[str, Any]:
    return {"family": "tree.prune", "X": FOUR["X"], "y": FOUR["y"], "tree": tree, **options}


def table_of(name: str) -> dict[str, Any]:
    table = read_table((DATA / f"{name}.csv").read_text(encoding="utf-8"), name)
    columns = [title for title in table.header[:-1] if title != "name"]
    kinds = table.kinds(columns)
    return {
        "X": table.cells(columns, kinds),
        "y": table.labels(table.header[-1]),
        "columns": columns,
        "categorical": [t for t, kind in zip(columns, kinds, strict=True) if kind == "category"],
    }


def test_the_tree_of_four_points_is_grown_with_its_tie() -> None:
    answer = solve_problem(FOUR)
    root, *others = nodes_of(answer)
    assert root["counts"] == [1, 2, 1]
    assert root["tied"] == [{"column": 0, "threshold": "0"}, {"column": 1, "threshold": "0"}]
    assert [node["number"] for node in others] == [1, 2, 3, 4, 5, 6]
    assert check(FOUR, json.loads(json.dumps(answer)), gap=0)


def test_many_tied_cuts_are_runs_among_thresholds_which_are_not_judged() -> None:
    X, y = [[Fraction(i, 2)] for i in range(11)], [i % 2 for i in range(11)]
    problem = {"family": "tree.grow", "X": X, "y": y, "impurity": "misclassification"}
    answer = json.loads(json.dumps(solve_problem(problem)))
    assert answer["tree"]["thresholds"] == [[str(Fraction(i, 2)) for i in range(11)]]
    assert nodes_of(answer)[0]["tied"] == [{"column": 0, "runs": [[0, 9, 1]]}]
    assert check(problem, answer, gap=0)
    given = {"family": "tree.prune", "X": X, "y": y, "risk": "gini", "tree": answer["tree"]}
    assert check(given, solve_problem(given), gap=0)


def test_leaves_carry_labels_that_the_checker_accepts_and_no_others() -> None:
    answer = solve_problem(FOUR)
    wrong = nodes_of(answer)
    leaf = next(record for record in wrong if "question" not in record)
    leaf["label"] = (leaf["label"] + 1) % 3
    assert check(FOUR, {"tree": {"nodes": wrong}}).status == "REFUTED"


@pytest.mark.parametrize("scale, lam", [("sum", "2/3"), ("mean", "1/6")])
def test_pruning_by_errors_takes_one_step_at_two_thirds(scale: str, lam: str) -> None:
    # R̂ falls from 2 at the root to 0 at 4 leaves: (2 − 0) / (4 − 1), and a sixth of a row each
    problem = pruning(solve_problem(FOUR)["tree"], risk="misclassification", scale=scale)
    answer = solve_problem(problem)
    assert answer["steps"] == [
        {"lam": "0", "leaves": 4, "collapsed": []},
        {"lam": lam, "leaves": 1, "collapsed": [0]},
    ]
    assert check(problem, answer, gap=0).status == "VERIFIED"


def test_an_irrational_lam_is_written_as_logarithms() -> None:
    # three rows a, a, b apart: 3·F = 3 log2 3 − 2 log2 2 is the risk that one split takes away
    problem = {
        "family": "tree.prune",
        "X": [[1], [2], [3]],
        "y": ["a", "a", "b"],
        "tree": {
            "nodes": [
                {"question": {"column": 0, "threshold": 2}, "negative": 1, "positive": 2},
                {},
                {},
            ]
        },
        "risk": "entropy",
    }
    answer = solve_problem(problem)
    last = answer["steps"][-1]  # type: ignore[index]  # steps are a list
    assert last["lam"] == {"log2": {"2": "-2", "3": "3"}}
    assert check(problem, answer, gap=0).status == "VERIFIED"
    rows: list[Any] = list(trace_problem(problem))
    bits = Log([(3, 3), (2, -2)], base=2)
    assert [row["λ"] for row in rows] == [0, bits] and rows[1]["r"] == {"n0": bits}


@pytest.mark.parametrize("name", ["zoo", "lenses"])
@pytest.mark.parametrize("impurity", ["gini", "entropy", "misclassification"])
def test_real_data_are_grown_and_pruned_as_the_checker_demands(name: str, impurity: str) -> None:
    sample = table_of(name)
    grow = {"family": "tree.grow", **sample, "impurity": impurity}
    grown = solve_problem(grow)
    assert check(grow, grown).status == "VERIFIED"
    prune = {"family": "tree.prune", **sample, "tree": grown["tree"], "risk": impurity}
    assert check(prune, solve_problem(prune), gap=0).status == "VERIFIED"


def test_a_trace_has_a_row_a_round_with_the_decrease_and_the_tied_pairs() -> None:
    rows = list(trace_problem(FOUR))
    assert rows[0] == {
        "t": 1,
        "node": "n0",
        "question": "x0 ≤ 0",
        "no": "n1",
        "yes": "n2",
        "F̃": Fraction(1, 8),
        "tied": ["n0 x0 ≤ 0", "n0 x1 ≤ 0"],
        "taken": 0,
        "line": 4,
        "considered": {"n0 x0 ≤ 0": Fraction(1, 8), "n0 x1 ≤ 0": Fraction(1, 8)},
        "more": 0,
    }
    assert [row["node"] for row in rows] == ["n0", "n1", "n2"]


def test_a_weighted_trace_shows_what_was_compared() -> None:
    # n1 holds the 2 of 4 rows with x0 = 1: |n|/m is a half there
    rows = list(trace_problem({**FOUR, "weighted": True}))
    assert [row["|n|F̃/m"] for row in rows] == [Fraction(1, 8), Fraction(1, 4), Fraction(1, 4)]
    assert [row["F̃"] for row in rows] == [Fraction(1, 8), Fraction(1, 2), Fraction(1, 2)]


def test_a_trace_of_pruning_has_r_of_every_inner_node_and_all_that_are_least() -> None:
    # by errors: 2 at the root, 1 at either node below, 0 at the leaves
    problem = pruning(solve_problem(FOUR)["tree"], risk="misclassification")
    grown, last = rows = list[Any](trace_problem(problem))
    r = {"n0": Fraction(2, 3), "n1": Fraction(1), "n2": Fraction(1)}
    assert grown == {"i": 0, "r": r, "λ": 0, "tied": [], "collapsed": [], "leaves": 4, "line": 5}
    assert [list(row["r"]) for row in rows] == [list(r)] * 2  # in the order of r
    assert last == {
        "i": 1,
        "r": r,
        "λ": Fraction(2, 3),
        "tied": ["n0"],
        "collapsed": ["n0"],
        "leaves": 1,
        "line": 5,
    }


@pytest.mark.parametrize("name", ["zoo", "lenses"])
@pytest.mark.parametrize("impurity", ["gini", "entropy", "misclassification"])
def test_weakest_links_are_what_the_bottom_up_sequence_collapses(name: str, impurity: str) -> None:
    grow = {"family": "tree.grow", **table_of(name), "impurity": impurity}
    prune = {**grow, "family": "tree.prune", "tree": solve_problem(grow)["tree"]}
    prune["risk"] = prune.pop("impurity")
    rows: list[Any] = list(trace_problem(prune))
    assert len(rows) > 3
    for row in rows[1:]:
        assert row["λ"] == min(row["r"].values())
        assert set(row["collapsed"]) <= set(row["tied"])
        assert row["tied"] == [
            node for node in sorted(row["r"], key=number) if not row["r"][node] > row["λ"]
        ]
    for row, after in itertools.pairwise(rows):
        gone = set(row["r"]) - set(after["r"])
        assert set(row["tied"]) <= gone and min(gone, key=number, default="") in {
            *row["collapsed"],
            "",
        }
    assert rows[-1]["collapsed"] == ["n0"]


def number(node: str) -> int:
    return int(node.removeprefix("n"))
