"""Reference answers and traces of trees: judged by the referee, and by hand."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from refmc import check, solve_problem
from refmc.core.table import read_table
from refmc.oracle.answers import trace_problem

DATA = Path(__file__).parents[1] / "data"

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


def test_the_tree_of_four_points_is_grown_with_its_tie() -> None:
    answer = solve_problem(FOUR)
    root, *others = nodes_of(answer)
    assert root["counts"] == [1, 2, 1]
    assert root["tied"] == [{"column": 0, "threshold": "0"}, {"column": 1, "threshold": "0"}]
    assert len(others) == 6
    assert check(FOUR, json.loads(json.dumps(answer)), gap=0)


def test_leaves_carry_labels_that_the_referee_accepts_and_no_others() -> None:
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
    assert [row["λ"] for row in trace_problem(problem)] == ["0", "~2.75489"]


@pytest.mark.parametrize("name", ["zoo", "lenses"])
@pytest.mark.parametrize("impurity", ["gini", "entropy", "misclassification"])
def test_real_data_are_grown_and_pruned_as_the_referee_demands(name: str, impurity: str) -> None:
    table = read_table((DATA / f"{name}.csv").read_text(encoding="utf-8"), name)
    columns = [title for title in table.header[:-1] if title != "name"]
    kinds = table.kinds(columns)
    sample = {
        "X": table.cells(columns, kinds),
        "y": table.labels(table.header[-1]),
        "columns": columns,
        "categorical": [t for t, kind in zip(columns, kinds, strict=True) if kind == "category"],
    }
    grow = {"family": "tree.grow", **sample, "impurity": impurity}
    grown = solve_problem(grow)
    assert check(grow, grown).status == "VERIFIED"
    prune = {"family": "tree.prune", **sample, "tree": grown["tree"], "risk": impurity}
    assert check(prune, solve_problem(prune), gap=0).status == "VERIFIED"


def test_a_trace_has_a_row_a_round_with_the_decrease_and_the_tied_pairs() -> None:
    rows = list(trace_problem(FOUR))
    assert rows[0] == {
        "t": "1",
        "node": "n0",
        "question": "x0 ≤ 0",
        "F̃": "1/8",
        "tied": "2",
        "other pairs": "n0 x1 ≤ 0",
    }
    assert [row["node"] for row in rows] == ["n0", "n1", "n2"]


def test_a_trace_of_an_svm_ends_at_the_dual_optimum() -> None:
    problem = {
        "family": "svm.multiclass",
        "X": [[1, 0], [0, 1], [-1, -1]],
        "y": ["a", "b", "c"],
        "C": 1,
    }
    duals = [Fraction(row["dual"]) for row in trace_problem(problem)]
    assert duals == sorted(set(duals))
    assert duals[-1] == Fraction(2, 3)
