"""Problems in another guise: what is carried over is as right as what was there before."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from refmc.answers import check, solve_problem
from refmc.core.records import Record
from refmc.oracle.families import FAMILIES
from refmc.suite import vectors
from refmc.suite.generating import drawn_problem
from refmc.suite.scrambling import scrambled
from tests.support import run


def right(problem: Record, seed: str) -> tuple[Record, Record]:
    found, answer = scrambled(problem, seed)
    rounded = str(problem["family"]).startswith(("bound.", "loss.exp", "loss.log"))
    rounded |= problem.get("decoding") in ("exponential", "logistic")
    verdict = check(found, answer, gap=None if rounded else 0)
    assert verdict, f"{problem}\n{found}\n{answer}\n{verdict.explain()}"
    return found, answer


@pytest.mark.parametrize("family", FAMILIES)
def test_the_answer_that_is_carried_over_is_right(family: str) -> None:
    guises = [right(drawn_problem(family, seed), seed)[0] for seed in ("1", "2")]
    if not family.startswith(("bound.kernel", "bound.margin", "bound.adaboost")):
        same = [guise == drawn_problem(family, seed) for guise, seed in zip(guises, "12")]
        assert not all(same)


def test_rows_beside_a_bias_keep_their_scale() -> None:
    # ‖x‖² + 1 over the square of the margin doesn't stay what it is where x is multiplied
    problem = {
        "family": "bound.perceptron",
        "X": [["1"], ["-1"], ["2"]],
        "y": [1, -1, 1],
        "w": ["2"],
    }
    for kept, given in ((True, problem | {"b": "1"}), (False, problem)):
        guises: list[Any] = [right(given, str(n))[0] for n in range(8)]
        sizes = {abs(Fraction(x)) for guise in guises for (x,) in guise["X"]}
        assert (sizes == {1, 2}) == kept


@pytest.mark.campaign
def test_the_same_for_every_vector() -> None:
    for vector in vectors():
        for seed in ("1", "2"):
            right(vector.problem, seed)


@pytest.mark.parametrize("no", [-1, 0])
def test_signs_that_stand_for_sets_of_classes_keep_their_names(no: int) -> None:
    problem = {"family": "boost.mh", "X": [["0"], ["1"]], "Y": [[no, 1], [1, no]], "rounds": 1}
    for seed in "123":
        found = right(problem, seed)[0]
        Y: Any = found["Y"]
        assert sorted(Y) == problem["Y"] and "classes" not in found


def test_two_rows_by_hand() -> None:
    problem = {"family": "svm.binary", "X": [["2"], ["0"]], "y": [1, -1], "C": "4"}
    found, answer = scrambled(problem, "1")  # w = 1 and b = -1 before
    (one, other), (negative, positive) = found["X"], found["classes"]
    factor = max(Fraction(one[0]), Fraction(other[0])) / 2
    assert factor != 1 and Fraction(found["C"]) == 4 / factor**2
    assert [Fraction(w) for w in answer["w"]] == [1 / factor] and answer["b"] == "-1"
    assert [label == positive for label in found["y"]] == [x[0] != "0" for x in found["X"]]
    assert {negative, positive} == {*found["y"]} and not {negative, positive} & {1, -1}


def test_products_over_the_scale_of_a_polynomial_stay_what_they_are() -> None:
    kernel = {"name": "polynomial", "degree": 3, "scale": "2", "offset": "1"}
    rows = {"X": [["1"], ["-1"], ["2"], ["-3"]], "y": [1, -1, -1, 1]}
    for seed in "123":
        found, _ = right({"family": "svm.binary", "C": "2", **rows, "kernel": kernel}, seed)
        X: Any = found["X"]
        factor = max(abs(Fraction(x)) for (x,) in X) / 3
        scale = str(2 * factor**2)
        assert factor != 1 and found["kernel"] == {**kernel, "scale": scale}


def test_rows_without_weight_that_answers_leave_out_change_places_too() -> None:
    problem = {
        "family": "svm.hard", "X": [["5"], ["2"], ["0"], ["-1"]], "y": [-1, 1, -1, -1],
        "weights": ["0", "1", "1", "2"],
    }  # fmt: skip
    for seed in "12345":
        found, answer = right(problem, seed)
        assert len(answer["alpha"]) == 3 and len(found["X"]) == 4  # type: ignore[arg-type]


def test_what_nobody_judges_is_not_carried_over_from_within_other_fields_either() -> None:
    problem = {"family": "tree.grow", "X": [["0", "0"], ["1", "1"]], "y": ["a", "b"]}
    tree: Any = solve_problem(problem)["tree"]
    node = tree["nodes"][0]
    assert "tied" in node  # the questions about the old columns
    found: Any = right(problem, "1")[1]["tree"]
    assert node.keys() - found["nodes"][0].keys() == {"tied", "counts"}


def test_thresholds_of_trees_are_scaled_with_the_columns_but_not_beside_categories() -> None:
    problem: Any = {"family": "tree.grow", "X": [["1"], ["3"]], "y": ["a", "b"]}
    for seed in "12":
        found, answer = right(problem, seed)
        X: Any = found["X"]
        tree: Any = answer["tree"]
        factor = max(Fraction(x) for (x,) in X) / 3
        assert factor != 1 and Fraction(tree["nodes"][0]["question"]["threshold"]) == factor
        found, _ = right(problem | {"X": [["1", "0"], ["3", "1"]], "categorical": [1]}, seed)
        X = found["X"]
        assert sorted(sorted(row) for row in X) == [["0", "1"], ["1", "3"]]


def test_of_what_was_left_out_only_what_scales_with_the_features_is_stated() -> None:
    rows: Record = {"X": [["1"], ["3"]], "y": ["a", "b"]}
    tree, perceptron = ({"family": name, **rows} for name in ("tree.grow", "perceptron.multiclass"))
    for problem in (tree, perceptron):
        for seed in "12":
            assert not {"eta", "min_leaf_weight"} & right(problem, seed)[0].keys()


def test_features_are_scaled_by_four_powers_of_two_and_floats_stay_what_is_exact() -> None:
    problem: Any = {"family": "loss.perceptron", "z": [-0.5, 1e308, "1/3"]}
    guises: list[Any] = [scrambled(problem, str(seed))[0]["z"] for seed in range(20)]
    for z in guises:
        half, third, large = sorted(z, key=Fraction)
        factor = Fraction(half) * -2
        assert type(half) is float and type(third) is str and Fraction(third) == factor / 3
        assert type(large) is (float if factor < 1 else str)
        assert Fraction(large) == factor * Fraction(1e308)
    assert {Fraction(min(z, key=Fraction)) * -2 for z in guises} == {
        Fraction(1, 8),
        Fraction(1, 2),
        4,
        32,
    }


def test_classes_are_called_by_a_letter_and_a_number() -> None:
    found: Any = scrambled({"family": "ova.decode", "scores": [[0] * 28]}, "1")[0]
    letters = "abcdefghijklmnopqrstuvwxyzab"
    assert {*found["classes"]} == {f"{letter}{i}" for i, letter in enumerate(letters)}


@pytest.mark.parametrize("family", ["svm.multiclass", "svm.binary"])
def test_classes_change_places_where_their_order_is_nothing_but_an_order(family: str) -> None:
    labels = [*"abc"] if family == "svm.multiclass" else [-1, -1, 1]
    problem: Any = {"family": family, "X": [["1"], ["2"], ["3"]], "y": labels, "C": "1"}
    orders = set()
    for seed in "123456":
        found: Any = right(problem, seed)[0]
        rows = sorted((Fraction(x), label) for (x,), label in zip(found["X"], found["y"]))
        orders.add(tuple(found["classes"].index(label) for _, label in rows))
    assert (len(orders) > 1) == (family == "svm.multiclass")


def test_from_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "problem.json"
    path.write_text(json.dumps(drawn_problem("tree.grow", "4")))
    done = run("scramble", path, "--seed", "x")
    told = json.loads(done.stdout)
    assert done.returncode == 0 and check(told["problem"], told["answer"], gap=0)
