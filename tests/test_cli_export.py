"""refmc export: files, self-tests, and what is refused."""

import json
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import refmc
from tests.export.machines import need
from tests.support import DATA, run

MODELS = DATA / "models"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "tree.json"
    assert run("fit", "tree", DATA / "iris.csv", "--label", "species", "-o", path).returncode == 0
    return path


def module_of(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    exec(text, found)  # noqa: S102  # a test's own program
    return found


def test_a_fitted_tree_becomes_a_module_that_labels_its_training_rows(tree: Path) -> None:
    done = run("export", tree, "--to", "python")
    assert done.returncode == 0, done.stderr
    predict = module_of(done.stdout)["predict"]
    rows = [line.split(",") for line in (DATA / "iris.csv").read_text().splitlines()[1:]]
    assert [predict(list(map(float, row[:-1]))) for row in rows] == [row[-1] for row in rows]
    assert '# Columns:\n#   0 "sepal_length", a number' in done.stdout


def test_the_self_test_stands_beside_the_file_and_passes(tree: Path, tmp_path: Path) -> None:
    need("gcc")
    file = tmp_path / "iris.c"
    done = run("export", tree, "--to", "c", "--test", DATA / "iris.csv", "-o", file)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    line = "gcc -o t iris_test.c && ./t"
    said = subprocess.run(
        line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    right, _, whole_number = said.stdout.split()[:3]
    assert right == whole_number
    assert int(right) > 150


def test_the_name_of_the_file_begins_the_names_in_c(tree: Path, tmp_path: Path) -> None:
    file = tmp_path / "flower.c"
    assert run("export", tree, "--to", "c", "-o", file).returncode == 0
    assert "int flower_predict(const double *row)" in file.read_text()


@pytest.mark.parametrize("name", ["2nd.c", "my-model.c", "class.c", "é.c", ".c"])
def test_a_name_that_c_or_python_cannot_have_is_refused(
    name: str, tree: Path, tmp_path: Path
) -> None:
    done = run("export", tree, "--to", "c", "-o", tmp_path / name)
    assert done.returncode == 2
    assert "can't name functions or modules" in done.stderr
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--test"], "--test: is written beside the file of -o, which is missing"),
        (["--quick"], "quick: belongs to C"),
        (["--delimiter", ";"], "--delimiter: belongs to --test DATA.csv"),
        (["--decimals", "-1"], "decimals: expected 0 to 300"),
        (["--decimals", "2", "--rows", "decimals"], "decimals: expected 0 to 300, without rows"),
    ],
)
def test_settings_that_do_not_belong_are_refused(
    options: list[str], message: str, tree: Path
) -> None:
    done = run("export", tree, "--to", "python", *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""


def test_a_changed_model_file_is_refused(tree: Path, tmp_path: Path) -> None:
    record = json.loads(tree.read_text())
    for change in (
        {"nodes": record["nodes"][:-1]},
        {"kinds": ["number"]},
        {"version": 9},
        {"model": "forest"},
        {"more": 1},
        {"columns": ["a", "b"]},
    ):
        file = tmp_path / "changed.json"
        file.write_text(json.dumps(record | change))
        done = run("export", file, "--to", "c", "-o", tmp_path / "m.c")
        assert done.returncode == 2, change
        assert "model" in done.stderr
    assert not (tmp_path / "m.c").exists()


def test_scaled_rows_keep_the_labels_of_decimals(tree: Path) -> None:
    predict = module_of(run("export", tree, "--to", "python", "--decimals", "1").stdout)["predict"]
    model = refmc.load_model(tree.read_text())
    rows = [[49, 30, 14, 2], [59, 32, 48, 18], [60, 27, 51, 16], [72, 30, 58, 16]]
    exact = [[Fraction(v, 10) for v in row] for row in rows]
    assert [predict(row) for row in rows] == model.predict(exact)


@pytest.mark.parametrize("file", sorted(MODELS.iterdir()), ids=lambda path: path.name)
def test_model_files_of_other_programs_are_exported(file: Path, tmp_path: Path) -> None:
    done = run("export", file, "--to", "python", "--test", "-o", tmp_path / "m.py")
    if file.name == "rbf.libsvm":
        assert done.returncode == 2
        assert "kernel: 'rbf' has no exact values; take a polynomial one" in done.stderr
        return
    assert done.returncode == 0, done.stderr
    assert module_of((tmp_path / "m.py").read_text())["CLASSES"]


def test_a_model_without_names_of_columns_takes_no_table(tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    file.write_text(refmc.grow_tree([[1], [2]], ["a", "b"]).to_json())
    done = run("export", file, "--to", "c", "--test", DATA / "iris.csv", "-o", tmp_path / "m.c")
    assert done.returncode == 2
    assert "--test: the model has no names of columns; give --test alone" in done.stderr
