"""Labels of data files: numbers are ordered by value, and come back as they are written."""

import json
from pathlib import Path
from typing import Any

import pytest

import refmc
from refmc.adapters.table import ordered_classes
from tests.support import run


def test_labels_of_a_file_that_are_all_numbers_are_ordered_by_value() -> None:
    for labels, order in (
        (["+1", "-1"], ["-1", "+1"]),
        (["10", "2", "10"], ["2", "10"]),
        (["1e1", "0x3", "1/2"], ["1/2", "0x3", "1e1"]),
        (["9007199254740993", "9007199254740992"], ["9007199254740992", "9007199254740993"]),
        (["10", "2", "a"], ["10", "2", "a"]),
        (["10", "2", "nan"], ["10", "2", "nan"]),
        (["b", "a"], ["a", "b"]),
    ):
        assert ordered_classes(labels, "y") == order
    for labels in (["1", "+1"], ["2.0", "3", "2"]):
        with pytest.raises(refmc.DataError, match="y: labels .* are one number; write it in one"):
            ordered_classes(labels, "y")


WRITTEN = {
    "svmlight": "+1 1:3\n-1 1:-3\n+1 1:2\n-1 1:-2\n",
    "csv": "x,label\n3,+1\n-3,-1\n2,+1\n-2,-1\n",
    "ten": "x,label\n3,10\n-3,2\n2,10\n-2,2\n",
}


@pytest.mark.parametrize("form", WRITTEN)
def test_the_larger_number_is_the_positive_class(form: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.write_text(WRITTEN[form], encoding="utf-8")
    negative, positive = ("2", "10") if form == "ten" else ("-1", "+1")
    of_file = [data, "--label", "label", "--C", 1]
    made = run("problem", *of_file, "--family", "svm.binary")
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["classes"] == [negative, positive]
    (tmp_path / "answer").write_text('{"w": ["1/2"], "b": 0}', encoding="utf-8")
    done = run("check", "--csv", *of_file, "--family", "svm.binary", tmp_path / "answer")
    assert done.returncode == 0, done
    labels = {"labels": [positive, negative] * 2}
    (tmp_path / "labels").write_text(json.dumps(labels), encoding="utf-8")
    done = run("check", "--csv", *of_file, "--family", "svm.binary", tmp_path / "labels")
    assert done.returncode == 0, done
    model = tmp_path / "model.json"
    for algorithm in ("binary-svm", "multiclass-svm"):
        assert run("fit", algorithm, *of_file, "-o", model).returncode == 0
        record = json.loads(model.read_text(encoding="utf-8"))
        assert record["classes"] == [negative, positive]
        told = json.loads(run("predict", model, data).stdout)
        assert told["labels"] == [positive, negative] * 2 and told["errors"] == 0


@pytest.mark.parametrize(
    "command",
    [
        ["tree"],
        ["adaboost-mh", "--rounds", 1],
        ["multiclass-perceptron", "--epochs", 1],
        ["multiclass-svm-sgd", "--lam", 1, "--T", 4],
        ["one-vs-all", "--binary", "svm", "--C", 1],
        ["one-vs-one", "--binary", "svm", "--C", 1, "--decide", "tournament"],
        [
            *[
                "one-vs-one",
                "--binary",
                "svm",
                "--C",
                "1",
                "--decide",
                "tournament",
                "--bracket",
                "10,2,-3",
            ]
        ],
        ["output-code", "--code", "one-vs-all", "--binary", "svm", "--C", 1],
        ["label-tree", "--binary", "svm", "--C", 1],
    ],
)
def test_every_learner_of_a_file_has_its_classes_by_value(
    command: list[Any], tmp_path: Path
) -> None:
    data = tmp_path / "data.csv"
    data.write_text("x,z,label\n9,0,10\n0,9,2\n-9,-9,-3\n8,0,10\n", encoding="utf-8")
    done = run("fit", command[0], data, "--label", "label", *command[1:])
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["classes"] == ["-3", "2", "10"]
    assert '"2.0"' not in done.stdout


def test_labels_of_another_file_are_the_same_numbers(tmp_path: Path) -> None:
    data, other = tmp_path / "data.csv", tmp_path / "other.csv"
    data.write_text(WRITTEN["csv"], encoding="utf-8")
    other.write_text("x,label\n3,1\n-3,-1.0\n2,-1\n5,7\n", encoding="utf-8")
    model = tmp_path / "model.json"
    assert run("fit", "tree", data, "--label", "label", "-o", model).returncode == 0
    told = json.loads(run("predict", model, other).stdout)
    assert told["labels"] == ["+1", "-1", "+1", "+1"] and told["errors"] == 2
    assert told["unseen"] == {"label": {"7": 1}}


def test_one_number_written_in_two_ways_is_no_two_classes(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("x,label\n3,+1\n-3,-1\n2,1\n", encoding="utf-8")
    for command in (["fit", "tree"], ["problem"]):
        family = ["--family", "tree.grow"] if command == ["problem"] else []
        done = run(*command, data, "--label", "label", *family)
        assert done.returncode == 2
        assert "--label label: labels '+1' and '1' are one number" in done.stderr
