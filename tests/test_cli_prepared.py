"""Tables with missing cells, categories and numbers of any size: what `fit` makes of them."""

import json
import shutil
import subprocess
import sys
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

import refmc
from refmc.adapters.preparing import prepare
from refmc.adapters.table import read_table
from tests.support import run

TABLE = """color;size;kind
red;10;a
;30;b
blue;;a
red;NA;b
blue;20;b
red;60;a
"""
SVM = ("fit", "multiclass-svm", "-", "--label", "kind", "--C", "1")


def prepared(*options: str) -> tuple[Any, str]:
    """The problem that the options make of the table, and what is told."""
    words = ("--label", "kind", "--family", "svm.binary", "--C", "1")
    done = run("problem", "-", *words, *options, stdin=TABLE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_rows_with_missing_cells_are_dropped_and_counted() -> None:
    problem, told = prepared("--missing", "drop", "--columns", "size")
    assert problem["X"] == [["10"], ["30"], ["20"], ["60"]] and problem["y"] == ["a", "b", "b", "a"]
    assert "missing cells: 'size' 2; 2 rows are dropped" in told
    problem, told = prepared("--missing", "drop", "--one-hot")
    assert problem["X"] == [["0", "1", "10"], ["1", "0", "20"], ["0", "1", "60"]]
    assert "missing cells: 'color' 1, 'size' 2; 3 rows are dropped" in told


@pytest.mark.parametrize(
    ("way", "size", "color"), [("median", "25", [0, 1]), ("most-frequent", "10", [0, 1])]
)
def test_missing_cells_are_filled_in_and_told(way: str, size: str, color: list[int]) -> None:
    """Sizes are 10, 20, 30, 60: the middle of 20 and 30; each once; red thrice, blue twice."""
    problem, told = prepared("--missing", way, "--one-hot")
    assert [F(x[2]) for x in problem["X"]] == [10, 30, F(size), F(size), 20, 60]
    assert problem["X"][1][:2] == list(map(str, color))
    assert f"'size': missing cells are '{size}'" in told and "'color': missing cells are 'r" in told


def test_a_word_fills_categories_and_a_number_fills_numbers() -> None:
    done = run("fit", "tree", "-", "--label", "kind", "--missing", "none", stdin=TABLE)
    assert done.returncode == 2 and "'size' has numbers, beside which 'none' can't" in done.stderr
    words = ("--label", "kind", "--missing", "none", "--columns", "color")
    done = run("fit", "tree", "-", *words, stdin=TABLE)
    assert json.loads(done.stdout)["categories"] == [["blue", "none", "red"]]
    assert "categories in 'color'" in done.stderr
    problem, _ = prepared("--missing", "0", "--columns", "size")
    assert problem["X"][2:4] == [["0"], ["0"]]


def test_the_kinds_of_columns_are_told() -> None:
    for columns, told in (
        ("color", "categories in 'color'"),
        ("size", "4 rows, 1 column of numbers"),
    ):
        words = ("fit", "tree", "-", "--label", "kind", "--missing", "drop", "--columns", columns)
        assert told in run(*words, stdin=TABLE).stderr
    whole = ("fit", "tree", "-", "--label", "kind", "--missing", "drop")
    assert "categories in 'color', numbers in the others" in run(*whole, stdin=TABLE).stderr


def test_numbers_are_scaled_exactly_from_their_least_to_their_greatest() -> None:
    problem, told = prepared("--missing", "median", "--columns", "size", "--scale-columns")
    assert [F(x) for (x,) in problem["X"]] == [-1, F(-1, 5), F(-2, 5), F(-2, 5), F(-3, 5), 1]
    assert "column 'size': less 35, divided by 25" in told


def test_a_column_of_ones_is_told() -> None:
    options = ("--missing", "median", "--columns", "size", "--ones")
    problem, told = prepared(*options, "--bias", "false")
    assert {x[1] for x in problem["X"]} == {"1"} and "a column of ones stands for the bias" in told


def test_no_problem_has_a_column_of_ones_beside_a_bias() -> None:
    data = "a,kind\n1,x\n2,y\n"
    words = ("problem", "-", "--label", "kind", "--ones", "--family")
    for options in (
        "svm.binary --C 1",
        "svm.hard --bias penalised",
        "perceptron.binary --bias true",
    ):
        done = run(*words, *options.split(), stdin=data)
        family = options.split()[0]
        assert done.returncode == 2 and f"--ones: {family} has a bias beside it" in done.stderr
    for options in ("svm.binary --C 1 --bias false", "perceptron.binary"):
        done = run(*words, *options.split(), stdin=data)
        assert json.loads(done.stdout)["X"] == [["1", "1"], ["2", "1"]]


@pytest.mark.parametrize("exact", [(), ("--exact",)])
def test_a_model_takes_the_table_that_it_was_trained_on(
    tmp_path: Path, exact: tuple[str, ...]
) -> None:
    """A model of the prepared table predicts as one that was trained on the same numbers."""
    options = ("--missing", "median", "--one-hot", "--scale-columns", "--ones", *exact)
    trained = run(*SVM, *options, "-o", tmp_path / "m.json", stdin=TABLE)
    assert trained.returncode == 0, trained.stderr
    done = run("predict", tmp_path / "m.json", "-", stdin=TABLE)
    problem, _ = prepared(*options[: -len(exact) or None], "--bias", "false")
    rows = [",".join([*x, label]) for x, label in zip(problem["X"], problem["y"])]
    plain = "\n".join(["a,b,c,d,kind", *rows, ""])
    run(*SVM, *exact, "-o", tmp_path / "plain.json", stdin=plain)
    expected = run("predict", tmp_path / "plain.json", "-", stdin=plain)
    assert json.loads(done.stdout) == json.loads(expected.stdout)
    again = run("predict", tmp_path / "m.json", "-", stdin=TABLE.replace("blue;20", "pink;20"))
    assert json.loads(again.stdout)["unseen"] == {"color": {"pink": 1}}
    assert "column 'color': 1 row has a category never seen in training: 'pink'" in again.stderr


def test_all_cells_that_are_no_numbers_are_counted_with_the_line_of_the_first() -> None:
    done = run("fit", "tree", "-", "--label", "kind", "--columns", "size", stdin="\n\n" + TABLE)
    assert done.returncode == 2
    assert "line 6, column 'size': an empty cell in a column of numbers; fill it" in done.stderr
    assert done.stderr.rstrip().endswith("as --missing does (2 such cells: 'size' 2)")
    done = run(*SVM, stdin=TABLE)
    assert "line 2, column 'color': expected a number, got 'red'; leave" in done.stderr
    assert (
        "make it columns of 0 and 1 by --one-hot (8 such cells: 'color' 6, 'size' 2)" in done.stderr
    )


def test_a_model_that_gets_most_rows_wrong_says_what_to_try() -> None:
    line = "x,y\n" + "".join(f"{v},{label}\n" for v, label in zip("123456", "aaabbb"))
    words = ("fit", "multiclass-perceptron", "-", "--label", "y", "--epochs", "1")
    done = run(*words, stdin=line)
    assert (
        "more than a third is wrong; try --scale-columns, --ones, a larger --epochs" in done.stderr
    )
    done = run("fit", "tree", "-", "--label", "y", "--max-depth", "0", stdin=line)
    assert "more than a third is wrong; try a larger --max-depth" in done.stderr
    done = run("fit", "tree", "-", "--label", "y", stdin=line)
    assert "more than a third" not in done.stderr


def test_cells_that_a_prediction_fills_in_are_told(tmp_path: Path) -> None:
    fit = ("fit", "tree", "-", "--label", "kind", "--missing", "median", "-o", tmp_path / "m.json")
    assert run(*fit, stdin=TABLE).returncode == 0
    for lines, told in (("red;20\nblue;21\n", None), (";NA\nred;?\n", "'color' 1, 'size' 2")):
        done = run("predict", tmp_path / "m.json", "-", stdin=f"color;size\n{lines}")
        line = f"refmc: missing cells, filled in: {told}\n" if told else ""
        assert (done.returncode, done.stderr) == (0, line)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"preparation": 3}, "model.preparation: expected an object"),
        ({"preparation": {"columns": [3], "ones": False}}, "columns[0]: expected an object"),
        (
            {"preparation": {"columns": [{"column": "u", "scale": ["1", "0"]}], "ones": False}},
            "scale: expected a center and a half width above 0",
        ),
        ({"preparation": {"columns": [], "ones": False, "zeros": True}}, "unknown field 'zeros'"),
    ],
)
def test_a_changed_preparation_is_refused(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    run(*SVM, "--missing", "drop", "--one-hot", "-o", tmp_path / "m.json", stdin=TABLE)
    record = json.loads((tmp_path / "m.json").read_text()) | change
    (tmp_path / "m.json").write_text(json.dumps(record))
    done = run("predict", tmp_path / "m.json", "-", stdin=TABLE)
    assert done.returncode == 2 and said in done.stderr


def test_what_needs_nothing_is_left_as_it_is() -> None:
    table = read_table("u,label\n1,a\n", "data")
    assert prepare(table, ["u"], missing="median", one_hot=True) is None
    assert table.only([]).columns == {"u": [], "label": []}


LEARNERS = [
    "multiclass-svm --C 1",
    "binary-svm --C 1",
    "one-vs-one --binary svm --C 1",
    "label-tree --binary svm --C 1",
    "one-vs-all --binary perceptron --epochs 2",
]


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_model_of_weights_alone_predicts_the_same_and_holds_no_rows(
    tmp_path: Path, learner: str
) -> None:
    name, *options = learner.split()
    fit = ("fit", name, "-", "--label", "kind", *options, "--missing", "drop", "--one-hot")
    whole, small = run(*fit, stdin=TABLE).stdout, run(*fit, "--weights-only", stdin=TABLE).stdout
    models = [refmc.load_model(text) for text in (whole, small)]
    assert '"rows": [' not in small and ('"rows": [' in whole) == ("svm" in learner)
    X = [[0.0, 1.0, 10.0], [1.0, 0.0, 20.0], [0.0, 1.0, 60.0]]
    assert models[0].predict(X) == models[1].predict(X)
    (tmp_path / "m.json").write_text(small)
    assert json.loads(run("predict", tmp_path / "m.json", "-", stdin=FULL).stdout)["errors"] < 3


FULL = "color;size;kind\nred;10;a\nblue;20;b\nred;60;a\n"


def test_only_a_linear_kernel_can_do_without_its_rows() -> None:
    done = run(*SVM, "--kernel", "rbf", "--weights-only", "--columns", "size", stdin=FULL)
    assert done.returncode == 2 and "--weights-only: only a linear kernel" in done.stderr


def test_a_file_is_read_in_python_as_the_command_line_reads_it(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text(TABLE)
    read = refmc.read_csv(tmp_path / "data.csv", "kind", missing="median", one_hot=True)
    problem, _ = prepared("--missing", "median", "--one-hot")
    assert [list(x) for x in read.X] == [list(map(F, x)) for x in problem["X"]]
    assert (read.y, read.classes) == (problem["y"], problem["classes"])
    assert read.columns == ["color=blue", "color=red", "size"] and read.kinds == ["number"] * 3
    raw = refmc.read_csv(tmp_path / "data.csv", "kind", missing="most-frequent", exact=False)
    assert raw.X[0] == ("red", 10.0) and raw.kinds == ["category", "number"]
    with pytest.raises(refmc.DataError, match=r"data.csv: line 3, column 'size'|line 4, column 's"):
        refmc.read_csv(tmp_path / "data.csv", "kind")
    with pytest.raises(refmc.ParameterError, match="no column 'sort'; columns: color, size, kind"):
        refmc.read_csv(tmp_path / "data.csv", "sort")


@pytest.mark.parametrize(
    "learner",
    [
        "multiclass-svm --C 1 --ones",
        "multiclass-svm --C 1 --kernel polynomial --ones --exact",
        "one-vs-one --binary svm --C 1 --decide tournament",
        "output-code --code one-vs-all --binary perceptron --epochs 3",
        "one-vs-all --binary adaboost --rounds 2",
    ],
)
def test_an_exported_file_takes_rows_as_the_table_has_them(tmp_path: Path, learner: str) -> None:
    """Its labels are those of the model; categories, scales, ones and bias are inside."""
    name, *options = learner.split()
    fit = ("fit", name, "-", "--label", "kind", *options, "--missing", "median", "--one-hot")
    done = run(*fit, "--scale-columns", "-o", tmp_path / "m.json", stdin=TABLE)
    assert done.returncode == 0, done.stderr
    (tmp_path / "t.csv").write_text(TABLE)
    to = ("--to", "python", "-o", tmp_path / "p.py", "--test", tmp_path / "t.csv")
    done = run("export", tmp_path / "m.json", *to)
    assert done.returncode == 0, done.stderr
    module: dict[str, Any] = {}
    exec((tmp_path / "p.py").read_text(), module)  # noqa: S102  # refmc has written it
    cells = [line.split(";")[:2] for line in TABLE.splitlines()[1:]]
    sizes = [25.0 if size in ("", "NA") else float(size) for _, size in cells]
    rows = [[color or "red", size] for (color, _), size in zip(cells, sizes)]
    labels = json.loads(run("predict", tmp_path / "m.json", "-", stdin=TABLE).stdout)["labels"]
    assert [module["predict"](row) for row in rows] == labels
    assert module["CATEGORIES"] == [["blue", "red"], None]
    unknown = run("predict", tmp_path / "m.json", "-", stdin="color;size\ngreen;31\n")
    assert [module["predict"](["green", 31.0])] == json.loads(unknown.stdout)["labels"]


def test_a_wrong_column_of_0_and_1_is_seen_by_the_self_test(tmp_path: Path) -> None:
    options = ("--missing", "median", "--one-hot", "-o", tmp_path / "m.json")
    assert run(*SVM, *options, stdin=TABLE).returncode == 0
    to = ("--to", "python", "-o", tmp_path / "p.py", "--test")
    assert run("export", tmp_path / "m.json", *to).returncode == 0
    text = (tmp_path / "p.py").read_text()
    mutants = {"  [0, 1],\n]": "  [0, 0],\n]", "[0, 1],\n]": "[0, 7],\n]", "x[j] == c": "x[j] != c"}
    for right, wrong in ({"": ""} | mutants).items():
        (tmp_path / "p.py").write_text(text.replace(right, wrong, 1))
        command = [sys.executable, str(tmp_path / "p_test.py")]
        done = subprocess.run(command, check=False, capture_output=True)
        assert right in text and done.returncode == bool(right)


def test_a_table_of_words_and_gaps_becomes_a_program(tmp_path: Path) -> None:
    """The path of somebody who embeds a classifier: fit, predict, export, compile, self-test."""
    colors, lines = ("red", "green", "", "blue"), ["color;size;kind"]
    for i in range(300):
        size, label = i * 37 % 101, "yes" if i % 4 == 0 or i * 37 % 101 > 60 else "no"
        lines.append(f"{colors[i % 4]};{size if i % 9 else ''};{label}")
    data, model, file = tmp_path / "data.csv", tmp_path / "m.json", tmp_path / "m.c"
    data.write_text("\n".join(lines))
    for learner in (("tree",), ("multiclass-svm", "--C", "1", "--one-hot", "--scale-columns")):
        name, *options = learner
        fit = ("fit", name, data, "--label", "kind", "--missing", "median", *options)
        done = run(*fit, "-o", model)
        assert done.returncode == 0 and "missing cells: 'color' 75, 'size' 34" in done.stderr
        assert run("predict", model, data).returncode == 0
        quick = ("--quick",) if options else ()
        for to, ending in (("c", "c"), ("javascript", "mjs")):
            place, given = file.with_suffix(f".{ending}"), quick if to == "c" else ()
            done = run("export", model, "--to", to, "--test", data, "-o", place, *given)
            assert done.returncode == 0, done.stderr
        if shutil.which("cc") is None or shutil.which("node") is None:
            pytest.skip("cc or node is not installed")
        subprocess.run(["cc", "-o", tmp_path / "t", tmp_path / "m_test.c"], check=True)
        for command in ([str(tmp_path / "t")], ["node", str(tmp_path / "m_test.mjs")]):
            found = subprocess.run(command, capture_output=True, text=True, check=True)
            agree, of = found.stdout.split(" labels")[0].split(" of ")
            assert agree == of and int(of) > 100


@pytest.mark.parametrize(
    ("table", "options", "title"),
    [
        ("1;kind\n5;a\n6;b\n", ["--ones"], "1"),
        ("1;kind\nx;a\ny;b\n", ["--columns", "size", "--ones"], "1"),
        ("c;c=x;kind\nx;1;a\ny;2;b\n", ["--one-hot"], "c=x"),
        ("c;kind;c=y\nx;a;1\ny;b;2\n", ["--one-hot", "--columns", "c"], "c=y"),
    ],
)
def test_no_column_that_is_made_takes_the_title_of_another(
    table: str, options: list[str], title: str
) -> None:
    if "size" in options:
        table = table.replace("1;kind", "1;size;kind").replace("x;", "x;1;").replace("y;", "y;2;")
    words = ("--label", "kind", "--family", "svm.binary", "--C", "1")
    done = run("problem", "-", *words, *options, stdin=table)
    assert done.returncode == 2
    assert f"two columns would be called {title!r}; rename one" in done.stderr
