"""Tree problems and answers as records; and trees that refmc grows and prunes, judged."""

import csv
import json
from collections.abc import Callable, Mapping
from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.answers import check, solve_problem
from refmc.checker import Verdict
from refmc.core.logs import Log
from refmc.core.scalars import number_text
from refmc.errors import FormatError
from refmc.learn.trees.grow import grow_tree
from refmc.learn.trees.model import DecisionTree
from refmc.learn.trees.prune import pruning_sequence
from refmc.oracle.trees.records import read_problem
from refmc.oracle.trees.reference import judge
from refmc.theory.impurity import entropy, gini, misclassification
from tests.support import DATA

IMPURITIES = {"gini": gini, "entropy": entropy, "misclassification": misclassification}

GROW: dict[str, object] = {
    "family": "tree.grow",
    "X": [["1/2", "a"], [1, "b"], [1.5, "b"]],
    "y": ["no", "yes", "yes"],
    "columns": ["size", "kind"],
    "categorical": ["kind"],
}
BY_SIZE = {"question": {"column": "size", "threshold": "0.75"}, "negative": 1, "positive": 2}
BY_KIND = {"question": {"column": 1, "values": ["b"]}, "negative": 1, "positive": 2}
YES, NO = {"label": "yes"}, {"label": "no"}
PRUNE: dict[str, object] = {
    **GROW,
    "family": "tree.prune",
    "tree": {"nodes": [BY_SIZE, {}, {}]},
    "risk": "misclassification",
}


def nodes(*entries: Mapping[str, object]) -> dict[str, object]:
    return {"tree": {"nodes": list(entries)}}


def test_a_tree_is_read_from_names_positions_and_numbers() -> None:
    assert judge(GROW, nodes(BY_SIZE, YES, NO))
    assert judge(GROW, nodes(BY_KIND, NO, YES))
    assert not judge(GROW, nodes(BY_KIND, YES, NO))
    numbered: list[dict[str, object]] = [
        {**BY_SIZE, "number": 5, "negative": 9, "positive": 7},
        {"number": 7},
        {"number": 9},
    ]
    assert judge(GROW, nodes(*numbered))
    assert judge(GROW, {"family": "tree.grow", **nodes(BY_SIZE, YES, NO)})


def test_scikit_learns_arrays_say_yes_to_the_left() -> None:
    arrays = {
        "children_left": [1, -1, -1],
        "children_right": [2, -1, -1],
        "feature": [0, -2, -2],
        "threshold": [0.75, -2.0, -2.0],
    }
    assert judge(GROW, {"tree": {**arrays, "labels": ["yes", "no", "yes"]}, "program": "any"})
    assert not judge(GROW, {"tree": {**arrays, "labels": ["yes", "yes", "no"]}})


def test_strict_questions_of_other_programs_are_read() -> None:
    below = {"question": {"column": "size", "threshold": "3/4", "strict": True}}
    assert judge(GROW, nodes({**BY_SIZE, **below}, YES, NO))
    edge = {"question": {"column": "size", "threshold": "1/2", "strict": True}}
    assert not judge(GROW, nodes({**BY_SIZE, **edge}, YES, NO))
    arrays = {
        "children_left": [1, -1, -1],
        "children_right": [2, -1, -1],
        "feature": [0, -2, -2],
        "threshold": [1, -2, -2],
    }
    assert judge(GROW, {"tree": {**arrays, "strict": True}})
    assert not judge(GROW, {"tree": {**arrays, "strict": False}})  # size ≤ 1 parts row 2 off
    with pytest.raises(FormatError, match="answer.tree.strict: expected true or false"):
        judge(GROW, {"tree": {**arrays, "strict": 1}})


LINES: dict[str, object] = {
    "family": "tree.grow",
    "X": [[0, 0], [1, 1], [2, 0], [0, 2], [2, 2]],
    "y": [1, 1, 0, 0, 0],
    "candidates": [{"center": ["1/2", "1/2"], "radius": 1}, {"coefficients": [1, 1], "bound": 3}],
}
BALL = {"question": {"center": ["1/2", "1/2"], "radius": 1}, "negative": 1, "positive": 2}


def test_linear_and_sphere_questions_are_read_solved_and_judged() -> None:
    assert judge(LINES, nodes(BALL, {"label": 0}, {"label": 1}))
    answer = solve_problem(LINES)
    assert answer["tree"]["nodes"][0]["question"] == {"center": ["1/2", "1/2"], "radius": "1"}  # type: ignore[index]  # a record
    assert judge(LINES, answer)
    pruning = {**LINES, "family": "tree.prune", "risk": "gini", **nodes(BALL, {}, {})}
    del pruning["candidates"]
    # five rows of which two are of one class: 12/5 in all, for the one leaf that is saved
    assert judge(pruning, {"steps": [{"lam": 0, "leaves": 2}, {"lam": "12/5", "leaves": 1}]})
    assert judge(pruning, solve_problem(pruning))


def test_costs_are_rows_of_what_is_predicted() -> None:
    # to predict no where yes is right costs 3
    problem = {**GROW, "max_splits": 0, "classes": ["no", "yes"], "y": ["no", "no", "yes"]}
    dear = {**problem, "cost": [[0, 3], [1, 0]]}
    assert judge(problem, nodes(NO)) and not judge(problem, nodes(YES))
    assert judge(dear, nodes(YES)) and not judge(dear, nodes(NO))
    assert judge(dear, solve_problem(dear))
    pruning = {**PRUNE, "y": ["no", "no", "yes"], "cost": [[0, 3], [1, 0]], "risk": "cost"}
    # The whole costs 2 as yes; of the leaves one is no and the other two cost 1 as yes.
    assert judge(pruning, {"steps": [{"lam": 0, "leaves": 2}, {"lam": 1, "risk": 2, **nodes(YES)}]})
    assert judge(pruning, solve_problem(pruning))
    with pytest.raises(FormatError, match="problem.risk: expected one of gini, entropy, misc"):
        read_problem({**PRUNE, "risk": "cost"})


def test_a_pruned_tree_or_a_sequence_is_read() -> None:
    assert judge(PRUNE, {"lam": "1/2", "leaves": 2})
    assert judge(PRUNE, {"lam": 1, "leaf_nodes": [0], "collapsed": [0], **nodes(YES)})
    assert not judge(PRUNE, {"lam": 1, "leaves": 2})
    steps = [{"lam": 0, "leaves": 2, "collapsed": []}, {"lam": 1, "risk": 1, "collapsed": [0]}]
    assert judge(PRUNE, {"steps": steps})
    assert not judge({**PRUNE, "scale": "mean"}, {"steps": steps})
    shared = [steps[0], {"lam": "1/3", "risk": "1/3"}]
    assert judge({**PRUNE, "scale": "mean"}, {"steps": shared})
    rounded = [steps[0], {"lam": 1 / 3, "risk": 1 / 3}]
    assert not judge({**PRUNE, "scale": "mean"}, {"steps": rounded})
    assert judge({**PRUNE, "scale": "mean"}, {"steps": rounded}, F(1, 10**6))


def test_a_lambda_may_be_a_sum_of_logarithms() -> None:
    problem = {**PRUNE, "risk": "entropy"}
    # three rows, one of them another: 3 log2 3 - 2 bits
    exact = {"log2": {"3": 3, "2": -2}}
    assert judge(problem, {"steps": [{"lam": 0, "leaves": 2}, {"lam": exact, "leaves": 1}]})
    assert judge(problem, {"lam": exact, "leaves": 1})
    assert not judge(problem, {"lam": {"log2": {"3": "2.999"}}, "leaves": 2})


def changed(record: Mapping[str, object], **fields: object) -> dict[str, object]:
    return {**record, **fields}


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (
            changed(GROW, categorical=[]),
            "X\\[0\\]\\[1\\]: 'a' is not a number: .*; a column .* is named in 'categorical'$",
        ),
        (changed(GROW, X=[["1/0", "a"]]), "problem.X\\[0\\]\\[0\\]: '1/0' divides by zero$"),
        (changed(GROW, categorical=[0, 1]), "problem.X\\[1\\]\\[0\\]: expected a category"),
        (
            changed(GROW, categorical=["colour"]),
            "problem.categorical\\[0\\]: 'colour' is no column",
        ),
        (changed(GROW, categorical=[2]), "problem.categorical\\[0\\]: column 2"),
        (changed(GROW, columns=["size", "size"]), "problem.columns: expected 2 different names"),
        (changed(GROW, X=[[1, "a"], [1]]), "problem.X\\[1\\]: 1 values"),
        (changed(GROW, y=["no", "yes"]), "problem: y: expected 3 labels"),
        (changed(GROW, weights=[1, 2]), "problem.weights: expected 3, one a row, got 2"),
        (changed(GROW, weights=[1, 2, "-1/2"]), "problem.weights\\[2\\]: expected at least 0"),
        (changed(GROW, weights=[0, 0, 0]), "problem.weights: all are 0"),
        (changed(GROW, impurity="gin"), "problem.impurity: expected one of gini"),
        (changed(GROW, weighted=1), "problem.weighted: expected true or false"),
        (changed(GROW, thresholds="all"), "problem.thresholds: expected one of values, midpoints"),
        (changed(GROW, max_splits=-1), "problem.max_splits: expected a whole number of at least 0"),
        (changed(GROW, min_leaf=0), "problem.min_leaf: expected a whole number of at least 1"),
        (changed(GROW, max_depth="1/2"), "problem.max_depth: expected a whole number"),
        (changed(GROW, min_split=1), "problem.min_split: expected a whole number of at least 2"),
        (changed(GROW, min_impurity=-1), "problem.min_impurity: expected at least 0"),
        (changed(GROW, lookahead=-1), "problem.lookahead: expected a whole number of at least 0"),
        (changed(GROW, candidates=[{}]), "candidates\\[0\\]: field 'column' is missing"),
        (
            changed(GROW, candidates=[{"column": 0, "threshold": 1}]),
            "candidates\\[0\\]: expected coefficients and bound, or center and radius",
        ),
        (
            changed(GROW, candidates=[{"coefficients": [1], "bound": 1}]),
            "candidates\\[0\\].coefficients: expected 2 numbers, got 1",
        ),
        (
            changed(GROW, candidates=[{"coefficients": [1, 1], "bound": 1}]),
            "candidates\\[0\\]: a number for column 1, which holds categories",
        ),
        (
            changed(GROW, candidates=[{"center": [1, 0], "radius": -1}]),
            "candidates\\[0\\].radius: expected at least 0",
        ),
        (changed(GROW, cost=[[0, 1]]), "problem.cost: expected 2 rows of 2"),
        (changed(GROW, cost=[[1, 0], [0, 1]]), "problem.cost\\[0\\]\\[0\\]: expected 0"),
        (changed(GROW, min_decrease=-1), "problem.min_decrease: expected at least 0"),
        (changed(GROW, risk="gini"), "problem: unknown field 'risk'"),
        (changed(PRUNE, risk=None), "problem.risk: expected one of"),
        (changed(PRUNE, scale="m"), "problem.scale: expected one of sum, mean"),
        (changed(PRUNE, tree=[]), "problem.tree: expected an object"),
        (changed(PRUNE, tree={}), "problem.tree: expected an object with nodes"),
        (
            changed(PRUNE, tree={"nodes": []}),
            "problem.tree.nodes: expected a list that isn't empty",
        ),
    ],
)
def test_a_malformed_problem_names_its_field(problem: dict[str, object], words: str) -> None:
    with pytest.raises(FormatError, match=words):
        read_problem(problem)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({}, "answer: field 'tree' is missing"),
        ({"family": "tree.prune", **nodes(YES)}, "answer.family: 'tree.prune'"),
        (nodes({"label": "perhaps"}), "answer.tree.nodes\\[0\\].label: 'perhaps' is no class"),
        (nodes({"question": {}}), "answer.tree.nodes\\[0\\]: field 'negative' is missing"),
        (nodes({**BY_SIZE, "positive": 3}, {}, {}), "nodes\\[0\\].positive: there is no node 3"),
        (nodes({**BY_SIZE, "positive": 1}, {}), "answer.tree: node 1 is a child twice"),
        (nodes({**BY_SIZE, "question": {"column": 0}}, {}, {}), "question: field 'threshold'"),
        (
            nodes({**BY_SIZE, "question": {"column": 0, "values": ["a"]}}, {}, {}),
            "answer.tree: node 0 a set of values for column 0, which holds numbers",
        ),
        (nodes({"number": 1}, {"number": 1}), "answer.tree.nodes: two nodes have one number"),
        (
            {
                "tree": {
                    "children_left": [-1],
                    "children_right": [-1],
                    "feature": [0],
                    "threshold": [],
                }
            },
            "answer.tree.threshold: expected a list that isn't empty",
        ),
        (
            {
                "tree": {
                    "children_left": [-1],
                    "children_right": [-1, -1],
                    "feature": [0],
                    "threshold": [0],
                }
            },
            "answer.tree.children_right: expected 1, one a node, got 2",
        ),
    ],
)
def test_a_malformed_grown_tree_names_its_field(answer: dict[str, object], words: str) -> None:
    with pytest.raises(FormatError, match=words):
        judge(GROW, answer)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"leaves": 1}, "answer: field 'lam' is missing"),
        ({"lam": 1}, "answer: expected at least one of leaves"),
        ({"lam": -1, "leaves": 1}, "answer.lam: expected at least 0, got -1"),
        ({"lam": {"log3": {}}, "leaves": 1}, "answer.lam: field 'log2' is missing"),
        ({"lam": 1, "leaf_nodes": [3]}, "answer.leaf_nodes\\[0\\]: node 3, but there are 3"),
        ({"lam": 1, "leaves": 0}, "answer.leaves: expected a whole number of at least 1"),
        ({"steps": [{"lam": 0}]}, "answer.steps\\[0\\]: expected at least one of leaves"),
        ({"steps": [5]}, "answer.steps\\[0\\]: expected an object"),
    ],
)
def test_a_malformed_pruning_names_its_field(answer: dict[str, object], words: str) -> None:
    with pytest.raises(FormatError, match=words):
        judge(PRUNE, answer)


def grown_record(tree: DecisionTree) -> dict[str, object]:
    """The saved nodes, with the labels that the tree gives its leaves."""
    labels = {}
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        labels[node.number] = node.label
        if node.negative is not None and node.positive is not None:
            waiting += [node.negative, node.positive]
    saved = json.loads(tree.to_json())["nodes"]
    return {"nodes": [{**node, "label": labels[node["number"]]} for node in saved]}


def amount(value: object) -> object:
    if isinstance(value, Log):
        return {"log2": {str(base): number_text(c) for base, c in value.terms}}
    assert isinstance(value, (F, int))
    return number_text(F(value))


def sequence_record(tree: DecisionTree, risk: Callable[..., Any] | None) -> dict[str, object]:
    steps = pruning_sequence(tree, risk=risk)
    return {"steps": [{"lam": amount(s.lam), "tree": grown_record(s.tree)} for s in steps]}


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[str, object], dict[str, object]]:
    m = draw(st.integers(1, 9))
    columns = [
        draw(st.lists(st.integers(0, 3), min_size=m, max_size=m)),
        draw(st.lists(st.sampled_from("abcd"), min_size=m, max_size=m)),
    ][: draw(st.integers(1, 2))]
    sample: dict[str, object] = {
        "X": [list(row) for row in zip(*columns, strict=True)],
        "y": draw(st.lists(st.sampled_from("pqr"), min_size=m, max_size=m)),
        "classes": ["p", "q", "r"],
    }
    if draw(st.booleans()):
        heavy = st.integers(0, 3).map(lambda n: F(n, 2))
        weights = draw(st.lists(heavy, min_size=m, max_size=m).filter(any))
        sample["weights"] = weights
    settings_: dict[str, object] = {
        "weighted": draw(st.booleans()),
        "max_splits": draw(st.none() | st.integers(0, 6)),
        "min_leaf": draw(st.integers(1, 3)),
        "max_depth": draw(st.none() | st.integers(0, 3)),
        "min_decrease": draw(st.none() | st.sampled_from([0, F(1, 8), F(1, 4)])),
        "thresholds": draw(st.sampled_from(["values", "midpoints"])),
        "min_split": draw(st.integers(2, 4)),
        "min_impurity": draw(st.sampled_from([0, F(1, 3), F(1, 2)])),
        "lookahead": draw(st.sampled_from([0, 0, 1])),
    }
    if draw(st.booleans()):
        off = st.integers(0, 3)
        settings_["cost"] = [[0 if j == y else draw(off) for y in range(3)] for j in range(3)]
    if len(columns) == 2:
        return {**sample, "categorical": [1]}, settings_
    return sample, settings_


@given(cases(), st.sampled_from(sorted(IMPURITIES)), st.sampled_from(sorted(IMPURITIES)))
def test_grown_trees_and_their_sequences_are_accepted(
    case: tuple[dict[str, Any], dict[str, Any]], impurity: str, risk: str
) -> None:
    sample, growth = case
    tree = grow_tree(
        sample["X"],
        sample["y"],
        classes=sample["classes"],
        weights=sample.get("weights"),
        impurity=IMPURITIES[impurity],
        **growth,
    )
    record = grown_record(tree)
    problem = {"family": "tree.grow", **sample, **growth, "impurity": impurity}
    verdict = judge(problem, {"tree": record})
    assert verdict, verdict.explain()
    own = {"cost": growth["cost"]} if "cost" in growth else {}
    pruning = {"family": "tree.prune", **sample, **own, "tree": record, "risk": risk}
    verdict = judge(pruning, sequence_record(tree, IMPURITIES[risk]))
    assert verdict, verdict.explain()
    if own:
        verdict = judge({**pruning, "risk": "cost"}, sequence_record(tree, None))
        assert verdict, verdict.explain()


def judged(name: str, label: str, impurity: str) -> tuple[Verdict, Verdict]:
    with (DATA / f"{name}.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = [c for c in rows[0] if c not in (label, "name")]
    categorical = [c for c in columns if not rows[0][c].replace(".", "").isdigit()]
    X = [[r[c] if c in categorical else F(r[c]) for c in columns] for r in rows]
    sample = {"X": X, "y": [r[label] for r in rows], "columns": columns, "categorical": categorical}
    tree = grow_tree(X, sample["y"], impurity=IMPURITIES[impurity])  # type: ignore[arg-type]  # mixed columns
    record = grown_record(tree)
    grown = {"family": "tree.grow", **sample, "impurity": impurity}
    pruning = {"family": "tree.prune", **sample, "tree": record, "risk": "misclassification"}
    return judge(grown, {"tree": record}), judge(pruning, sequence_record(tree, misclassification))


@pytest.mark.parametrize("impurity", sorted(IMPURITIES))
@pytest.mark.parametrize(
    ("name", "label"), [("iris", "species"), ("lenses", "lenses"), ("titanic", "survived")]
)
def test_trees_of_real_data_are_accepted(name: str, label: str, impurity: str) -> None:
    for verdict in judged(name, label, impurity):
        assert verdict, verdict.explain()


@pytest.mark.parametrize("least", ["0.05", "1/20", 0.05])
def test_min_decrease_as_a_number_is_the_decimal_that_it_prints(least: object) -> None:
    one_of_twenty = {"family": "tree.grow", "X": [[0], *[[1]] * 19], "y": ["b", *["a"] * 19]}
    problem = {**one_of_twenty, "impurity": "misclassification", "min_decrease": least}
    split = {"question": {"column": 0, "threshold": 0}, "negative": 1, "positive": 2}
    assert check(problem, {"tree": {"nodes": [split, {"label": "a"}, {"label": "b"}]}})
    assert check(problem, {"tree": {"nodes": [{"label": "a"}]}}).status == "REFUTED"


@pytest.mark.parametrize(("weights", "n"), [([1, 0, 0], 1), ([0, 1, 1], 2)])
def test_a_tree_with_a_node_without_rows_is_judged_but_has_no_reference_answer(
    weights: list[int], n: int
) -> None:
    root = {"question": {"column": 0, "threshold": 1}, "negative": 1, "positive": 2}
    problem = {
        "family": "tree.prune", "X": [[1], [2], [3]], "y": ["a", "b", "b"], "weights": weights,
        "tree": {"nodes": [root, {}, {}]}, "risk": "misclassification",
    }  # fmt: skip
    assert check(problem, {"lam": 0, "leaves": 1})
    assert check(problem, {"lam": 0, "leaves": 2}).status == "REFUTED"
    with pytest.raises(
        FormatError, match=rf"^problem\.tree: node {n} has no rows, or none of a we"
    ):
        solve_problem(problem)


@pytest.mark.parametrize("name", ["min_leaf", "min_split"])
def test_limits_of_thousands_of_digits_are_shown_in_short(name: str) -> None:
    problem = {"family": "tree.grow", "X": [[1], [2]], "y": ["a", "b"], name: "1e4400"}
    root = {"question": {"column": 0, "threshold": 1}, "negative": 1, "positive": 2}
    verdict = check(problem, {"tree": {"nodes": [root, {}, {}]}})
    assert verdict.status == "REFUTED" and "fewer than 1e4400" in verdict.explain()
    assert check(problem, {"tree": {"nodes": [{}]}})
