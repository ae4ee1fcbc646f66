"""Problems in plain numbers: what is sent, and that answers are judged for exactly that."""

import json
import re
import sys
from typing import Any

import pytest

from refmc import check, solve_problem
from refmc.errors import FormatError
from refmc.oracle.families import FAMILIES, family_of
from refmc.suite import vectors
from refmc.suite.plain import exactly, plain
from refmc.suite.settings import settings
from tests.support import run

HARD: dict[str, Any] = {"family": "svm.hard", "X": [[1], [2]], "y": ["b", "a"]}
SETS: dict[str, Any] = {"family": "boost.mh", "X": [[1], [2]], "Y": [["b"], []], "rounds": 1}
ZERO_ONE = {"family": "loss.zero_one", "predicted": ["b", "c"], "y": ["a", "b"]}
ASKS = {"question": {"column": 0, "threshold": "1.5"}, "negative": 1, "positive": 2}
PRUNE = {"family": "tree.prune", "X": [[1], [2]], "y": ["1", "2"], "risk": "gini"}
TREE: dict[str, Any] = {"family": "tree.grow", "X": [["1/3", 1], ["0.1", "2"]], "y": ["yes", "no"]}


def leaves(value: Any) -> list[object]:
    inner = (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    )
    return [value] if inner is None else [leaf for entry in inner for leaf in leaves(entry)]


def test_numbers_are_doubles_defaults_are_there_and_labels_are_positions() -> None:
    assert plain({**TREE, "max_depth": "2", "min_decrease": "0.1"}) == {
        "family": "tree.grow",
        "X": [[1 / 3, 1.0], [0.1, 2.0]],
        "y": [1, 0],
        "classes": [0, 1],
        "max_depth": 2,
        "min_decrease": 0.1,
        "impurity": "gini",
        "weighted": False,
        "thresholds": "values",
        "min_leaf": 1,
        "min_leaf_weight": 0.0,
        "min_split": 2,
        "min_impurity": 0.0,
        "lookahead": 0,
    }


@pytest.mark.parametrize(
    ("problem", "field", "value"),
    [
        ({**HARD, "classes": ["b", "a"]}, "y", [-1, 1]),
        ({**HARD, "y": [1, 1]}, "classes", [-1, 1]),
        ({**TREE, "classes": ["yes", "no"]}, "y", [0, 1]),
        ({**TREE, "classes": ["yes", "no", "never"]}, "classes", [0, 1, 2]),
        (ZERO_ONE, "predicted", [1, 2]),
        (
            {**ZERO_ONE, "predicted": [*"hgfedcba"], "y": [*"aaaaaaaa"]},
            "predicted",
            [*range(8)][::-1],
        ),
        ({"family": "loss.hamming", "predicted": [[1, -1]], "y": [[1, 1]]}, "predicted", [[1, -1]]),
        ({**SETS, "classes": ["a", "b"]}, "Y", [[-1, 1], [-1, -1]]),
        ({"family": "ova.decode", "scores": [[1, 2]], "classes": ["a", "b"]}, "classes", [0, 1]),
        ({**TREE, "X": [["5", 1], ["6", 2]], "categorical": [0]}, "X", [["5", 1.0], ["6", 2.0]]),
        ({**TREE, "columns": ["1", "2"]}, "columns", ["1", "2"]),
        ({"family": "perceptron.binary", "X": [[1]], "y": [1], "order": ["0"]}, "order", [0]),
        ({"family": "bound.rademacher", "values": [["1", "-1"]]}, "values", [[1.0, -1.0]]),
        (
            {**PRUNE, "tree": {"nodes": [ASKS, {"label": "1"}, {"label": "2"}]}},
            "tree",
            {
                "nodes": [
                    {**ASKS, "question": {"column": 0, "threshold": 1.5}},
                    {"label": 0},
                    {"label": 1},
                ]
            },
        ),
    ],
)
def test_a_field_in_plain_form(problem: dict[str, Any], field: str, value: object) -> None:
    found = plain(problem)[field]
    assert found == value and [*map(type, leaves(found))] == [*map(type, leaves(value))]


def test_a_problem_is_not_mutated() -> None:
    problem = json.loads(json.dumps(TREE))
    plain(problem)
    assert problem == TREE


@pytest.mark.parametrize("family", FAMILIES)
def test_all_vectors_have_a_plain_form_without_fractions_or_new_settings(family: str) -> None:
    for vector in vectors(family=family):
        found = plain(vector.problem)
        assert {*settings(exactly(found))} <= {*settings(vector.problem)}, vector.id
        kept = {"family", "categorical", "columns"}
        words = [v for name, v in found.items() if name not in kept for v in leaves(v)]
        if "categorical" not in found:
            named = {*"abc"} | {v for v in words if isinstance(v, str) and v.isidentifier()}
            assert {v for v in words if isinstance(v, str)} <= named, vector.id
        assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize("family", FAMILIES)
def test_what_lacks_a_field_is_refused_by_name(family: str) -> None:
    for vector in vectors(family=family):
        for name in [name for name in vector.problem if name != "family"]:
            rest = {field: value for field, value in vector.problem.items() if field != name}
            try:
                family_of(family).read(rest)
            except FormatError as refused:
                with pytest.raises(FormatError, match=re.escape(str(refused))):
                    plain(rest)


def test_a_number_that_no_double_can_hold_is_refused() -> None:
    with pytest.raises(FormatError, match="beyond binary64"):
        plain({"family": "loss.hinge", "z": ["1e999"]})
    with pytest.raises(FormatError, match=r"problem\.C: expected a positive number"):
        plain({"family": "svm.binary", "X": [[1]], "y": [1], "C": "1e-999"})


def test_answers_are_judged_for_exactly_the_numbers_that_were_sent() -> None:
    """0.1 + 0.2 > 0.3 for the doubles, and the limit is the double 0.3, not 3/10."""
    sent = plain({"family": "tree.grow", "X": [["1/3"]], "y": ["a"], "min_decrease": "0.3"})
    assert exactly(sent)["X"] == [["0x1.5555555555555p-2"]]
    assert exactly(sent)["min_decrease"] == "0x1.3333333333333p-2"
    hinge = {"family": "loss.hinge", "z": ["1/3"]}
    answer = {"values": [str(1 - 1 / 3)]}
    assert not check(hinge, answer, gap=0)
    judged = exactly(plain(hinge))
    assert solve_problem(judged)["values"] == ["12009599006321323/18014398509481984"]


PROGRAM = """
import json, sys
from fractions import Fraction
problem = json.load(sys.stdin)
assert all(isinstance(z, float) for z in problem["z"])
print(json.dumps({"values": [str(max(0, 1 - Fraction(z))) for z in problem["z"]]}))
"""


def test_a_plain_run_sends_doubles_and_judges_by_them() -> None:
    options = ("--plain", "--family", "loss.hinge", "--random", 3, "--gap", "0")
    done = run("run", *options, "--", sys.executable, "-S", "-c", PROGRAM)
    assert done.returncode == 0 and "7 verified" in done.stdout


def test_gram_matrices_and_categories_are_left_out_unless_supported() -> None:
    only = ("--only", "svm.hard/gram", "--only", "tree.grow/categories", "--format", "jsonl")
    serve = """read start; echo '{"implementation": "x", "supports": {"svm.hard": ["gram"]}}'
    while read line; do case "$line" in *stop*) exit;; *) echo '{"seq": 1, "skip": "asked"}';; esac
    done"""
    done = run("run", "--plain", "--persistent", *only, "--", "sh", "-c", serve)
    found = {r["id"]: r.get("reason") for r in map(json.loads, done.stdout.splitlines()[:-1])}
    assert found["svm.hard/gram"] == "asked"
    told = "categorical: left out of plain problems unless supported"
    assert found["tree.grow/categories"] == told
    done = run("run", "--plain", *only, "--", "sh", "-c", "cat")
    reasons = {json.loads(line).get("reason") for line in done.stdout.splitlines()[:-1]}
    assert reasons == {told, "gram: left out of plain problems unless supported"}


def test_refmc_itself_is_verified_on_plain_problems_of_kernels() -> None:
    options = ("--settings", "kernel", "--random", 20, "--plain", "--persistent")
    done = run("run", *options, "--", sys.executable, "-m", "refmc", "serve")
    assert done.returncode == 0 and "0 crashed + 0 skipped" in done.stdout
