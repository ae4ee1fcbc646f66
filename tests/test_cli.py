"""The command line, as a user types it."""

import json
import os
import subprocess
import sys
from fractions import Fraction as F
from pathlib import Path

import pytest

from tests.support import DATA, EXAMPLES, ROOT, printed_under_two_hash_seeds, run

IRIS, LENSES = DATA / "iris.csv", DATA / "lenses.csv"
PROBLEM, LIBLINEAR = EXAMPLES / "iris-svm.json", EXAMPLES / "iris-svm.liblinear.json"

# all three rows cost 1 where W = 0, and the optimum is 2/3
WRONG = json.dumps({"W": [[0, 0], [0, 0], [0, 0]]})


def in_a_process(*arguments: object, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "refmc", *map(str, arguments)],
        cwd=ROOT,
        check=False,
        capture_output=True,
        env={**os.environ, **environment},
    )


def test_check_refutes_a_wrong_answer_in_a_process_of_its_own(tmp_path: Path) -> None:
    answer = tmp_path / "answer.json"
    answer.write_text(WRONG)
    done = in_a_process("check", EXAMPLES / "three-points.json", answer)
    assert done.returncode == 1
    assert done.stdout.decode("utf-8").startswith(
        "REFUTED  svm.multiclass  3 rows, 3 classes, C = 1\n  gap      7/3 "
    )


def test_check_accepts_the_same_answer_with_a_wider_gap() -> None:
    three = EXAMPLES / "three-points.json"
    assert run("check", three, "-", "--gap", "7/2", stdin=WRONG).returncode == 0  # 3 for 2/3


def test_check_as_json_gives_the_exact_gap() -> None:
    done = run("check", EXAMPLES / "three-points.json", "-", "--json", stdin=WRONG)
    verdict = json.loads(done.stdout)
    assert (verdict["status"], verdict["gap"]) == ("REFUTED", "7/3")
    assert verdict["violations"]


def test_check_is_inconclusive_with_exit_code_3(tmp_path: Path) -> None:
    # functions within 10 of the optimum give these labels, the optimum itself doesn't
    problem = tmp_path / "problem.json"
    problem.write_text('{"family": "svm.multiclass", "X": [[1], [-1]], "y": ["a", "b"], "C": 1}')
    done = run("check", problem, "-", "--gap", "10", stdin='{"labels": ["b", "a"]}')
    assert (done.returncode, done.stdout.split()[0]) == (3, "INCONCLUSIVE")


def test_what_solve_prints_is_verified_with_gap_0() -> None:
    problem = EXAMPLES / "three-points.json"
    answer = run("solve", problem)
    assert answer.returncode == 0
    done = run("check", problem, "-", "--gap", "0", stdin=answer.stdout)
    assert done.returncode == 0
    assert "gap      0 (exactly right); allowed 0" in done.stdout


@pytest.mark.parametrize("options", [[], ["--exact"], ["--kernel", "rbf", "--gamma", "0.5"]])
def test_fit_then_predict_on_iris(tmp_path: Path, options: list[str]) -> None:
    model, data = tmp_path / "model.json", tmp_path / "data.csv"
    head, *rows = IRIS.read_text().splitlines()
    data.write_text("\n".join([head, *rows[::2]]) + "\n")
    fitted = run(
        "fit", "multiclass-svm", data, "--label", "species", "--C", "1", "-o", model, *options
    )
    assert (fitted.returncode, fitted.stdout) == (0, "")
    assert fitted.stderr.startswith("refmc: 75 rows, 4 columns of numbers, 3 classes; objective ")
    assert ("(exactly 0)" in fitted.stderr) == (options == ["--exact"])
    answer = json.loads(run("predict", model, data).stdout)
    truth = [row.rsplit(",", 1)[1] for row in rows[::2]]
    wrong = sum(a != b for a, b in zip(answer["labels"], truth, strict=True))
    assert answer["errors"] == wrong
    assert 0 < wrong < 10


def test_predict_takes_columns_by_name_and_reports_ties(tmp_path: Path) -> None:
    data, unseen = tmp_path / "data.csv", tmp_path / "unseen.csv"
    data.write_text("u,v,label\n1,0,a\n0,1,b\n-1,-1,c\n")
    unseen.write_text("v,name,u\n1,ann,1\n0,bob,2\n")
    model = run("fit", "multiclass-svm", data, "--label", "label", "--C", "1", "--exact").stdout
    (tmp_path / "model.json").write_text(model)
    answer = json.loads(run("predict", tmp_path / "model.json", unseen).stdout)
    assert answer == {"labels": ["a", "a"], "tied": {"0": ["a", "b"]}}


def test_fit_show_and_predict_a_tree_of_categories(tmp_path: Path) -> None:
    model = tmp_path / "tree.json"
    fitted = run("fit", "tree", LENSES, "--label", "lenses", "-o", model)
    assert fitted.returncode == 0
    assert fitted.stderr.endswith("0 of 24 training rows wrong\n")
    head, root, *_ = run("show", model).stdout.splitlines()
    assert head == "rows of hard, none, soft in brackets"
    assert root.startswith("tear_rate")
    assert run("show", model, "--as", "dot").stdout.startswith("digraph")
    assert run("show", model, "--as", "mermaid").stdout.startswith("flowchart")
    assert json.loads(run("predict", model, LENSES).stdout)["errors"] == 0


def test_a_tree_pruned_far_enough_is_its_root(tmp_path: Path) -> None:
    model = tmp_path / "tree.json"
    done = run("fit", "tree", IRIS, "--label", "species", "--prune", "1000", "-o", model)
    assert "1 leaf, depth 0" in done.stderr
    answer = json.loads(run("predict", model, IRIS).stdout)
    assert answer["errors"] == 100
    assert answer["tied"]["0"] == ["setosa", "versicolor", "virginica"]


def test_thresholds_of_decimals_are_the_decimals_as_written(tmp_path: Path) -> None:
    data, model = tmp_path / "data.csv", tmp_path / "tree.json"
    data.write_text("u,label\n0.1,a\n0.3,b\n")
    run("fit", "tree", data, "--label", "label", "-o", model)
    assert run("show", model).stdout.splitlines()[1] == "u ≤ 0.1? [1, 1]"
    assert json.loads(run("predict", model, data).stdout)["labels"] == ["a", "b"]


@pytest.mark.parametrize("cell", ["nan", "NA", "?", "", "1_000", "1e999999999"])
def test_a_column_of_numbers_with_one_other_cell_is_refused(tmp_path: Path, cell: str) -> None:
    text = f"x,y\n1,a\n{cell},b\n3,a\n"
    done = run("fit", "tree", "-", "--label", "y", stdin=text)
    assert (done.returncode, done.stdout) == (2, "")
    assert "line 3, column 'x'" in done.stderr
    if cell:
        named = run("fit", "tree", "-", "--label", "y", "--categorical", "x", stdin=text)
        assert named.returncode == 0


@pytest.mark.parametrize("columns", [[], ["x", "y"], [5], ["x", "x"]])
def test_a_model_with_other_columns_than_it_has_features_is_refused(
    tmp_path: Path, columns: list[object]
) -> None:
    record = json.loads(run("fit", "tree", "-", "--label", "y", stdin="x,y\n1,a\n2,b\n").stdout)
    model = tmp_path / "tree.json"
    model.write_text(json.dumps({**record, "columns": columns}))
    for done in (run("show", model), run("predict", model, "-", stdin="x\n1\n")):
        assert (done.returncode, done.stdout) == (2, "")
        assert "model.columns" in done.stderr


def test_help_needs_no_particular_encoding() -> None:
    for command in (["fit", "tree", "--help"], ["--version"]):
        done = in_a_process(*command, PYTHONIOENCODING="cp1252")
        assert done.returncode == 0
        assert done.stdout.decode("utf-8").strip()


def test_trace_prints_an_aligned_table_or_json_lines() -> None:
    problem = '{"family": "tree.grow", "X": [[0, 0], [0, 1], [1, 0], [1, 1]], "y": [0, 1, 1, 0]}'
    lines = run("trace", "-", stdin=problem).stdout.splitlines()
    heads = "t node question no yes F̃ tied taken line considered more"
    assert lines[0].split() == heads.split()
    first = "1  n0    x0 ≤ 0    n1  n2   0    n0 x0 ≤ 0; n0 x1 ≤ 0  0      4     n0 x0 ≤ 0 0; n0 x1"
    assert lines[1].startswith(first)
    rows = [
        json.loads(line)
        for line in run("trace", "-", "--json", stdin=problem).stdout.split("\n")
        if line
    ]
    assert [row["t"] for row in rows] == [1, 2, 3]
    assert [row["F̃"] for row in rows] == ["0", "1/2", "1/2"]


def test_trace_rounds_for_people_and_never_for_programs() -> None:
    problem = {"family": "sgd.binary", "X": [[1, 2]], "y": [1], "C": 1, "eta": "1/997", "epochs": 9}
    table = run("trace", "-", stdin=json.dumps(problem)).stdout.splitlines()
    lines = run("trace", "-", "--json", stdin=json.dumps(problem)).stdout.splitlines()
    assert len(table) == len(lines) + 1 == 11
    assert table[-1].endswith("(~0.00899095, ~0.0179819)") and "…" not in table[-1]
    w = json.loads(lines[-1])["w"]
    assert w[0] == "{}/{}".format(*(1 - F(996, 997) ** 9).as_integer_ratio())


def test_trace_cuts_long_cells_for_people_and_never_for_programs() -> None:
    iris = json.loads(PROBLEM.read_text(encoding="utf-8"))
    problem = json.dumps({**iris, "X": iris["X"][::5], "y": iris["y"][::5]})
    lines = run("trace", "-", stdin=problem).stdout.splitlines()
    assert all(len(line) <= 120 for line in lines)
    assert all(line.endswith(" in all") for line in lines[1:])
    _, first, *_ = run("trace", "-", "--json", stdin=problem).stdout.splitlines()
    # of the 60 multipliers of wrong classes one is released
    assert len(json.loads(first)["working set"]) == 59


def test_trace_of_a_run_prints_its_rows_up_to_what_stops_it() -> None:
    eta = f"1/{10**1000 + 1}"  # each step adds 1,000 digits to w
    problem = {"family": "sgd.binary", "X": [[1]], "y": [1], "C": 1, "eta": eta, "epochs": 200}
    done = run("trace", "-", "--json", stdin=json.dumps(problem))
    assert done.returncode == 2 and "take fewer steps" in done.stderr
    assert len(done.stdout.splitlines()) == 21  # the next has 21,000 digits
    assert run("trace", "-", stdin=json.dumps(problem)).stdout == ""


def test_traces_are_the_same_whatever_the_hash_seed() -> None:
    traced = [str(EXAMPLES / f"{name}.json") for name in ("perceptron-multiclass", "three-points")]
    (printed,) = printed_under_two_hash_seeds(
        f"from refmc.cli import main; [main(['trace', path]) for path in {traced!r}]"
    )
    lines = printed.splitlines()
    assert lines[3].split("  ")[-1] == "a (0, -1/2); b (0, 1); c (0, -1/2)"
    start = next(n for n, line in enumerate(lines) if line.startswith("1  λ"))
    assert [line[:9] for line in lines[start:][:3]] == ["1  λ_0,b ", "2  λ_2,b ", "3  λ_1,a "]


def test_draw_writes_a_picture_to_a_file_or_prints_it(tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    problem = EXAMPLES / "three-points.json"
    printed = run("draw", problem, "--columns", "1,0")
    written = run("draw", "-", "--columns", "1,0", "-o", picture, stdin=problem.read_text())
    assert (printed.returncode, written.returncode) == (0, 0)
    assert (printed.stderr, written.stderr, written.stdout) == ("", "", "")
    assert printed.stdout.startswith("<svg ")
    assert picture.read_text(encoding="utf-8") == printed.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "columns: the rows have 3, a plane needs two; choose them, such as 0,1"),
        (["--columns", "0"], "columns: expected two, got ['0']"),
        (["--columns", "0,petal"], "'petal' is no column; known are positions from 0 to 2"),
        (
            ["--columns", "0,1", "-o", "no/folder/x.svg"],
            "no/folder/x.svg: there is no folder no/folder",
        ),
    ],
)
def test_draw_refuses_what_can_not_be_drawn(options: list[str], message: str) -> None:
    problem = {"family": "svm.multiclass", "X": [[0, 1, 2], [1, 0, 2]], "y": ["a", "b"], "C": 1}
    done = run("draw", "-", *options, stdin=json.dumps(problem))
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


WRONG_PROBLEMS = {
    "{": "problem: not JSON",
    "[]": "problem: expected a JSON object, got a list",
    "{}": "field 'family' is missing",
    '{"family": "svm.quantum"}': "problem.family: unknown 'svm.quantum'",
    '{"family": "svm.multiclass", "X": [[1]], "y": ["a"]}': "field 'C' is missing",
    '{"family": "svm.multiclass", "X": [[1]], "y": ["a"], "C": "1e999999999"}': "problem.C",
    '{"family": "svm.multiclass", "X": [[1]], "y": ["a"], "C": 1e999999999}': "1e999999999",
    '{"family": "svm.multiclass", "X": [[NaN]], "y": ["a"], "C": 1}': "NaN",
    '{"family": "svm.multiclass", "X": [["1e5", "x"]], "y": ["a"], "C": 1}': "problem.X[0][1]",
    '{"family": "svm.multiclass", "X": [[1], [1, 2]], "y": ["a", "b"], "C": 1}': "problem.X[1]",
    '{"family": "svm.multiclass", "X": [[1]], "y": ["a"], "C": 0}': "problem.C",
    '{"family": "svm.multiclass", "X": [[1]], "y": ["a"], "C": 1, "D": 1}': "unknown field 'D'",
    '{"family": "svm.multiclass", "X": [[1]], "y": ["a"], "C": 1, "C": 2}': "'C' is given twice",
    '{"family": "svm.multiclass", "X": [[1]], "y": ["a"], "C": 1, "kernel": "?"}': "problem.kernel",
    '{"family": "svm.multiclass", "gram": [[1, 2], [2, 1]], "y": [0, 1], "C": 1}': "v = (-2, 1)",
    "[" * 1_000_000: "nested too deeply",
}


@pytest.mark.parametrize("text", WRONG_PROBLEMS, ids=lambda text: text[:60])
def test_a_malformed_problem_exits_2_and_says_where(text: str) -> None:
    done = run("solve", "-", stdin=text)
    assert (done.returncode, done.stdout) == (2, "")
    assert WRONG_PROBLEMS[text] in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_messages_speak_json_and_name_columns_by_their_titles(tmp_path: Path) -> None:
    problem = {"family": "svm.binary", "X": [[1], [2]], "y": ["a", "b"], "C": 1}
    done = run("solve", "-", stdin=json.dumps(problem))
    assert 'give "classes": [negative, positive]' in done.stderr
    path = tmp_path / "problem.json"
    path.write_text(json.dumps({**problem, "y": [1, -1]}))
    done = run("check", path, "-", stdin=json.dumps({"labels": [True, 1]}))
    assert "answer.labels[0]: true is no class" in done.stderr
    rows = "".join(f"{i},c{i},{'pqr'[i % 3]}\n" for i in range(21))
    done = run("fit", "tree", "-", "--label", "y", stdin=f"n,k,y\n{rows}")
    assert "X: column 'k' has 21 categories" in done.stderr


WRONG_TABLES = {
    "": "empty; expected a header line",
    "u,label\n": "no rows below the header",
    "u,label\n1,a\n2\n": "line 3: 1 cells, but the header has 2",
    "u,u,label\n1,2,a\n": "two columns are called 'u'",
    "u,label\nx,a\n": "line 2, column 'u': expected a number, got 'x'",
    "u,label\nnan,a\n": "line 2, column 'u': expected a number, got 'nan'",
    "u,label\n,a\n": "line 2, column 'u': expected a number, got an empty cell",
    "u;label\n1,5;a\n": "column 'u': expected a number, got '1,5' with a decimal comma; write",
    "label\na\nb\n": "--label: 'label' is the only column",
    "u,label\n1,a\n1,\n": "line 3, column 'label': nothing there",
    "u,v\n1,a\n": "no column 'label'; columns: u, v",
}


@pytest.mark.parametrize("text", WRONG_TABLES)
def test_a_malformed_table_exits_2_and_writes_nothing(tmp_path: Path, text: str) -> None:
    model = tmp_path / "model.json"
    done = run(
        "fit", "multiclass-svm", "-", "--label", "label", "--C", "1", "-o", model, stdin=text
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert WRONG_TABLES[text] in done.stderr
    assert not model.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["bogus"],
        ["check", PROBLEM],
        ["check", "no-such-file.json", LIBLINEAR],
        ["check", PROBLEM, LIBLINEAR, "--gap", "-1"],
        ["check", "-", "-"],
        ["predict", "-", "-"],
        ["fit", "multiclass-svm", IRIS, "--label", "species", "--C", "0"],
        ["fit", "multiclass-svm", IRIS, "--label", "species", "--C", "nan"],
        ["fit", "multiclass-svm", IRIS, "--label", "species", "--C", "1", "--kernel", "magic"],
        ["fit", "tree", IRIS, "--label", "species", "-o", "no/such/dir"],
        ["fit", "multiclass-svm", IRIS, "--label", "species", "--C", "1", "--kernel", "rbf"]
        + ["--exact"],
        ["fit", "tree", IRIS, "--label", "species", "--prune", "-1"],
        ["fit", "tree", IRIS, "--label", "species", "--prune", "cv", "--folds", "1"],
        ["fit", "tree", IRIS, "--label", "species", "--min-decrease", "nan"],
        ["fit", "tree", IRIS, "--label", "species", "--min-decrease=-1"],
        ["fit", "tree", IRIS, "--label", "species", "--columns", "sepal_length,species"],
        ["fit", "tree", IRIS, "--label", "species", "--columns", "sepal_length,sepal_length"],
        ["fit", "tree", IRIS, "--label", "species", "--categorical", "species"],
        ["predict", PROBLEM, IRIS],
        ["show", PROBLEM],
        ["trace", LIBLINEAR],
    ],
    ids=lambda arguments: " ".join(Path(str(a)).name for a in arguments),
)
def test_wrong_usage_exits_2_with_nothing_on_standard_output(arguments: list[object]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr


def test_a_message_names_the_file_that_it_is_about(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    for arguments in (["check", PROBLEM, broken], ["check", broken, LIBLINEAR]):
        assert run(*arguments).stderr.startswith(f"refmc: {broken}: ")
    assert run("predict", broken, IRIS).stderr.startswith(f"refmc: {broken}: model: not JSON")


def test_bytes_that_are_no_text_exit_2(tmp_path: Path) -> None:
    (tmp_path / "noise.json").write_bytes(bytes([0x89, 0x50, 0xFF, 0x00]))
    done = run("solve", tmp_path / "noise.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "not UTF-8" in done.stderr


def test_a_fault_of_the_program_exits_70(monkeypatch: pytest.MonkeyPatch) -> None:
    from refmc import answers, cli

    def broken(*arguments: object, **options: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(answers, "solve_problem", broken)
    assert cli.main(["solve", str(PROBLEM)]) == 70


@pytest.mark.parametrize(
    "command",
    [
        "",
        "check",
        "solve",
        "trace",
        "draw",
        "fit",
        "fit multiclass-svm",
        "fit tree",
        "predict",
        "show",
    ],
)
def test_every_command_explains_itself(command: str) -> None:
    done = run(*command.split(), "--help")
    assert done.returncode == 0
    assert "usage: refmc" in done.stdout


def test_the_result_never_takes_the_place_of_the_input(tmp_path: Path) -> None:
    data, link, problem = tmp_path / "data.csv", tmp_path / "link.csv", tmp_path / "problem.json"
    data.write_text("u,label\n0,a\n1,b\n")
    link.symlink_to(data)
    problem.write_text(PROBLEM.read_text())
    for output in (data, link):
        done = run("fit", "tree", data, "--label", "label", "-o", output)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"-o {output}: is the input" in done.stderr
    done = run("draw", problem, "--columns", "2,3", "-o", problem)
    assert done.returncode == 2 and "is the input" in done.stderr
    assert data.read_text() == "u,label\n0,a\n1,b\n"
    assert problem.read_text() == PROBLEM.read_text()


def test_a_file_that_can_not_be_written_whole_stays_as_it_was(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    model = tmp_path / "model.json"
    model.write_text("old")
    command = ["fit", "tree", str(IRIS), "--label", "species", "-o", str(model)]
    limited = subprocess.run(
        [sys.executable, "-m", "refmc", *command],
        cwd=ROOT,
        check=False,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024)),
    )
    assert limited.returncode == 2
    assert limited.stderr.decode().startswith(f"refmc: {model}: ")
    assert model.read_text() == "old"
    assert list(tmp_path.iterdir()) == [model]


def test_a_file_that_is_replaced_keeps_its_mode_and_its_links(tmp_path: Path) -> None:
    model, link = tmp_path / "model.json", tmp_path / "link.json"
    model.write_text("old")
    model.chmod(0o640)
    link.symlink_to(model)
    assert run("fit", "tree", IRIS, "--label", "species", "-o", link).returncode == 0
    assert link.is_symlink() and json.loads(model.read_text())["model"] == "decision-tree"
    assert model.stat().st_mode & 0o777 == 0o640
    assert run("fit", "tree", IRIS, "--label", "species", "-o", os.devnull).returncode == 0
    assert Path(os.devnull).is_char_device()


def test_predict_counts_what_training_never_saw(tmp_path: Path) -> None:
    data, model = tmp_path / "data.csv", tmp_path / "model.json"
    data.write_text("size;colour;label\n1;red;a\n2;blue;b\n3;red;b\n")
    done = run("fit", "tree", data, "--label", "label", "-o", model)
    assert done.returncode == 0, done.stderr
    unseen = "colour;size;label\ngreen;1;a\ngreen;2;c\nred;3;c\npink;3;b\n"
    done = run("predict", model, "-", stdin=unseen)
    answer = json.loads(done.stdout)
    assert answer["unseen"] == {"colour": {"green": 2, "pink": 1}, "label": {"c": 2}}
    assert answer["errors"] >= 2
    unseen_colours = "3 rows have a category never seen in training: 'green' 2 times, 'pink'"
    assert done.stderr.splitlines() == [
        f"refmc: column 'colour': {unseen_colours}",
        "refmc: column 'label': 2 rows have a label that is no class of the model: 'c' 2 times",
    ]
    seen = run("predict", model, data)
    assert "unseen" not in json.loads(seen.stdout) and seen.stderr == ""


def test_show_prints_the_pruning_sequence(tmp_path: Path) -> None:
    model = tmp_path / "tree.json"
    # of five rows one stands apart: splitting it off saves 8/5 - 0 of the risk |n|F(n)
    text = "u,y\n1,a\n2,a\n3,a\n4,a\n5,b\n"
    assert run("fit", "tree", "-", "--label", "y", "-o", model, stdin=text).returncode == 0
    lines = run("show", "--sequence", model).stdout.splitlines()
    assert [line.split() for line in lines[1:]] == [["0", "2", "-"], ["8/5", "1", "n0"]]
    lines = run("show", "--sequence", "--risk", "misclassification", model).stdout.splitlines()
    assert [line.split() for line in lines[1:]] == [["0", "2", "-"], ["1", "1", "n0"]]
    for flags in (["--sequence", "--as", "dot"], ["--risk", "gini"]):
        assert run("show", *flags, model).returncode == 2


def test_what_cross_validation_chose_is_told(tmp_path: Path) -> None:
    fit = ["fit", "tree", IRIS, "--label", "species", "--prune", "cv", "--folds", "5", "-o"]
    done = run(*fit, tmp_path / "tree.json")
    assert done.returncode == 0 and "cross-validated error" in done.stderr
    assert "of 7 candidates between the steps of the unpruned tree's sequence" in done.stderr
    assert ("nothing is pruned" in done.stderr) == ("9 leaves" in done.stderr)
    few = tmp_path / "few.csv"
    few.write_text("u,y\n" + "".join(f"{i},{'ab'[i // 5]}\n" for i in range(10)))
    done = run("fit", "tree", few, "--label", "y", "--prune", "cv")
    assert "2 leaves, depth 1" in done.stderr and "; nothing is pruned" in done.stderr


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("multiclass-svm --C 1 --degree 2", "--degree: belongs to --kernel polynomial"),
        ("multiclass-svm --C 1 --gamma 1", "--gamma: belongs to --kernel rbf"),
        ("multiclass-svm --C 1 --kernel rbf --offset 1", "--offset: belongs to --kernel polyn"),
        ("multiclass-svm --C 1 --kernel polynomial --gamma 1", "--gamma: belongs to --kernel rbf"),
        (
            "one-vs-all --binary perceptron --epochs 1 --scale 2",
            "--scale: does not belong to --bin",
        ),
        ("tree --folds 5", "--folds: belongs to --prune"),
        ("tree --risk gini", "--risk: belongs to --prune"),
        ("tree --one-standard-error", "--one-standard-error: belongs to --prune"),
        ("tree --prune 1 --folds 5", "--folds: belongs to --prune cv"),
        ("tree --prune nope", "--prune: expected cv, or a number λ of at least 0, got 'nope'"),
        ("tree --prune -1", "--prune: expected cv, or a number λ"),
        ("tree --prune cv --folds 1", "--folds: expected a number from 2 to 150, the rows, got 1"),
        ("tree --columns=", "--columns: '' is none of"),
        ("tree --categorical=", "--categorical: '' is none of"),
        ("tree --columns nope", "--columns: 'nope' is none of sepal_length"),
        ("tree --delimiter ;;", "delimiter: expected one character"),
        ("one-vs-one --binary svm --C 1 --decide tournament --bracket=", "--bracket: expected"),
    ],
)
def test_a_flag_that_would_do_nothing_is_refused(command: str, message: str) -> None:
    name, *flags = command.split()
    done = run("fit", name, IRIS, "--label", "species", *flags)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
