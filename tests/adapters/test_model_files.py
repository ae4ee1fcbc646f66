"""Model files that LIBSVM, LIBLINEAR and rpart wrote, and data files of svmlight."""

import csv
import json
import math
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

import refmc
from refmc.adapters.data_files import table_of
from refmc.adapters.svmlight import read_svmlight
from tests.adapters import make_models
from tests.adapters.make_estimators import rows
from tests.support import DATA, run

pytestmark = pytest.mark.usefixtures("without_hints", "kept_optima")

MODELS = DATA / "models"

X, NAMES = rows()
Y = [1 + sorted(set(NAMES)).index(name) for name in NAMES]
SIGNS = [1 if label == 1 else -1 for label in Y]
PAIR = [i for i, label in enumerate(Y) if label in (2, 3)]

SOFT: dict[str, Any] = {"family": "svm.binary", "C": 1}
POLYNOMIAL = {"name": "polynomial", "degree": 2, "scale": 1, "offset": 1}
OF_PAIR: dict[str, Any] = SOFT | {"X": [X[i] for i in PAIR], "y": [Y[i] for i in PAIR]}
SQUARED: dict[str, Any] = SOFT | {"X": X, "loss": "squared_hinge"}
REST: dict[str, Any] = SQUARED | {
    "y": ["2" if label == 2 else "rest" for label in Y],
    "classes": ["rest", "2"],
    "bias": "penalised",
}
WITH_ONES = [[*x, 1] for x in X]


def text(name: str) -> str:
    return (MODELS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("linear.libsvm", OF_PAIR | {"classes": [2, 3]}),
        ("linear.libsvm", OF_PAIR | {"classes": [3, 2]}),
        ("two.libsvm", SOFT | {"X": X, "y": SIGNS, "kernel": POLYNOMIAL}),
        ("two.liblinear", SQUARED | {"y": SIGNS, "bias": False}),
        ("two.liblinear", SQUARED | {"y": SIGNS, "bias": False, "classes": [1, -1]}),
        ("s1.liblinear", REST),
        ("s4.liblinear", {"family": "svm.multiclass", "C": 1, "X": WITH_ONES, "y": Y}),
    ],
)
def test_svms_of_others_are_nearly_optimal(name: str, problem: Any) -> None:
    answer = refmc.read_model(text(name)).answer(problem)
    verdict = refmc.check(problem, answer, gap="1e-3")
    assert verdict and verdict.gap
    assert not refmc.check(problem | {"C": "1/1000"}, answer, gap="1e-3")


def test_rbf_models_are_judged_by_the_rounded_matrix(tmp_path: Path) -> None:
    problem = OF_PAIR | {"classes": [2, 3], "kernel": {"name": "rbf", "gamma": "1/2"}}
    model: Any = refmc.read_model(text("rbf.libsvm"))
    for C, status in ((1, "VERIFIED"), ("1/1000", "REFUTED")):
        judged = model.problem(problem | {"C": C})
        u, v = OF_PAIR["X"][:2]
        distance = sum((float(a) - float(b)) ** 2 for a, b in zip(u, v))
        assert judged["gram"][0][1] == pytest.approx(math.exp(-distance / 2), rel=1e-12)
        assert refmc.check(judged, model.answer(problem), gap="1e-3").status == status
    for kernel in ({"name": "rbf", "gamma": 1}, "linear", POLYNOMIAL):
        with pytest.raises(refmc.FormatError, match="rbf with gamma 0.5, but the problem"):
            model.answer(problem | {"kernel": kernel})
    with pytest.raises(refmc.FormatError, match="problem.kernel: missing field 'gamma'"):
        model.answer(problem | {"kernel": {"name": "rbf"}})
    polynomial: Any = refmc.read_model(text("two.libsvm"))
    with pytest.raises(refmc.FormatError, match="polynomial with gamma .* has another kernel"):
        polynomial.answer(problem)
    rows = [f"{','.join(map(str, x))},{c}" for x, c in zip(OF_PAIR["X"], OF_PAIR["y"])]
    data = tmp_path / "data.csv"
    data.write_text("\n".join(["a,b,c", *rows]) + "\n", encoding="utf-8")
    options = ["--kernel", '{"name": "rbf", "gamma": "0.5"}', "--gap", "1e-3"]
    of_file = ["--csv", data, "--label", "c", "--family", "svm.binary", "--C", 1]
    done = run("check", *of_file, *options, MODELS / "rbf.libsvm")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("name", "problem", "bound"),
    [
        # Σ C_i is the number of rows, where -e is 1/1000 or, squared, 1/10 by default
        ("linear.libsvm", OF_PAIR | {"classes": [2, 3]}, len(PAIR) / 1000),
        ("s1.liblinear", REST, len(Y) / 100),
        ("s4.liblinear", {"family": "svm.multiclass", "C": 1, "X": WITH_ONES, "y": Y}, len(Y) / 10),
    ],
)
def test_models_are_judged_by_what_their_programs_promise(
    name: str, problem: Any, bound: float
) -> None:
    model = refmc.read_model(text(name))
    verdict = refmc.judge_model(model, problem)
    assert verdict and verdict.promise.startswith("kept: -e ")
    assert verdict.claims[0].promise is not None
    assert float(verdict.claims[0].promise.gap) == pytest.approx(bound)
    tight = refmc.judge_model(model, problem, tolerance="1e-17")
    assert not tight and tight.promise.startswith("not kept: -e 1e-17")
    given = refmc.judge_model(model, problem, gap=0)
    assert not given and given.allowed == 0


def test_the_primal_solver_promises_a_share_of_the_gradient_at_0() -> None:
    """½w² + Σ(1 − w)² over 1 and −1 has ∇P(0) = −4, of which 1/100 of the half is left."""
    lines = ["solver_type L2R_L2LOSS_SVC", "nr_class 2", "label 1 -1", "nr_feature 1", "bias -1"]
    model = refmc.read_model("\n".join([*lines, "w", "0.8"]))
    problem = SQUARED | {"X": [[1], [-1]], "y": [1, -1], "bias": False}
    promise = refmc.judge_model(model, problem).claims[0].promise
    assert promise is not None and promise.gap * 2 == (4 * F(1, 100) * F(1, 2)) ** 2
    # with one more 1 and a bias, ∇P(0) = (−6, −2)
    text = "\n".join([*lines[:-1], "bias 1", "w", "0.8", "0.1"])
    penalised = {"X": [[1], [1], [-1]], "y": [1, 1, -1], "bias": "penalised"}
    promise = refmc.judge_model(refmc.read_model(text), SQUARED | penalised).claims[0].promise
    assert promise is not None and promise.gap * 2 == (36 + 4) * (F(1, 100) * F(1, 3)) ** 2


def test_check_takes_the_tolerance_of_a_model_file(tmp_path: Path) -> None:
    problem = tmp_path / "problem.json"
    problem.write_text(json.dumps(REST), encoding="utf-8")
    file = MODELS / "s1.liblinear"
    done = run("check", problem, file)
    assert done.returncode == 0 and "promise  kept: -e 0.1, squared" in done.stdout
    # Within half units of its doubles the answer may be nearer: nothing proves that it isn't.
    tight = run("check", problem, file, "--tolerance", "1e-20", "--json")
    assert tight.returncode == 3 and json.loads(tight.stdout)["promise"].startswith("not kept")
    assert run("check", problem, file, "--gap", "0.5").returncode == 0
    (tmp_path / "answer.json").write_text('{"w": [1, 1], "b": 0}', encoding="utf-8")
    wrong = run("check", problem, tmp_path / "answer.json", "--tolerance", "0.1")
    assert wrong.returncode == 2 and "--tolerance: belongs to a model file" in wrong.stderr


def test_trees_of_rpart_are_judged_from_the_command_line(tmp_path: Path) -> None:
    lenses = ["--csv", DATA / "lenses.csv", "--label", "lenses", "--family", "tree.grow"]
    done = run("check", *lenses, "--weighted", "true", MODELS / "lenses.rpart")
    assert (done.returncode, done.stdout.split("  ")[0]) == (0, "VERIFIED"), done.stderr
    assert run("check", *lenses, "--max-depth", 2, MODELS / "lenses.rpart").returncode == 1
    no_search = run("check", *lenses, "--tolerance", 0.1, MODELS / "lenses.rpart")
    assert "tolerance: a tree of rpart is grown to its end" in no_search.stderr
    other = run("check", *lenses, "--weighted", "true", MODELS / "iris.rpart")
    assert "iris.rpart: model: node 1: 'petal_length' is none of the columns" in other.stderr
    problem = tmp_path / "problem.json"
    rules = ["--weighted", "true", "--min-split", 20, "--min-leaf", 7]
    columns = ["--label", "species", "--columns", "petal_length,petal_width"]
    made = run("problem", DATA / "iris.csv", *columns, "--family", "tree.grow", *rules)
    assert made.returncode == 0, made.stderr
    problem.write_text(made.stdout, encoding="utf-8")
    assert json.loads(made.stdout)["X"][0] == ["1.4", "0.2"]  # as they are written
    assert run("check", problem, MODELS / "iris.rpart").returncode == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("svm_type c_svc", "svm_type nu_svr"), "svm_type nu_svr; only c_svc"),
        (("kernel_type linear", "kernel_type sigmoid"), "kernel_type sigmoid has no exact values"),
        (("kernel_type linear", "kernel_type polynomial"), "no line 'gamma' before 'SV'"),
        (("\nSV\n", "\n"), "cut off after line"),
        (("rho ", "rho_ "), "no line 'rho' before 'SV'"),
        (("nr_class 3", "nr_class three"), "model: nr_class: 'three' is not a number"),
        (("nr_class 3", "nr_class 1.5"), "model: nr_class: expected a whole number of at least 0"),
        (("nr_class 3", "nr_class"), "model: line 3: 'nr_class' has no value"),
        (("nr_class 3\n", "nr_class 3\n\n"), "cut off after line 3; there is no line 'SV' before"),
        (("nr_sv ", "nr_sv -"), "model: nr_sv: expected a whole number of at least 0"),
        (("1:4.5 2:1.5", "²:4.5 2:1.5"), "line 12: expected 2 numbers, then index:value"),
        (("label 1 2 3", "label 1 2"), "label: expected 3 values, got 2"),
        (("label 1 2 3", "label 1 2 4"), "no label '3' in 1 2 4"),
        (("1:4.5 2:1.5", "1:4.5 2:1.6"), "support vector 4 is no row of label 2"),
        (("1:4.5 2:1.5", "1:4.5 two"), "line 12: expected 2 numbers, then index:value"),
        (("-0 0.46534120838486981 1:4.5 2:1.5 \n", ""), "total_sv is 6, but 5 support vectors"),
    ],
)
def test_broken_files_of_libsvm_are_named(change: tuple[str, str], message: str) -> None:
    original = text("linear.libsvm")
    assert change[0] in original
    with pytest.raises(refmc.FormatError) as error:
        refmc.read_model(original.replace(*change)).answer(OF_PAIR)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("s1.liblinear", ("L2R_L2LOSS_SVC_DUAL", "L1R_LR"), "solver_type L1R_LR has no family"),
        ("s1.liblinear", ("bias 1", "bias -1"), "expected 2 lines of weights, got 3"),
        ("s1.liblinear", ("-0.75487087506378736 ", ""), "line 8: expected 3 weights, got 2"),
        ("s1.liblinear", ("label 1 2 3", "label 1 4 3"), "no label '2' in 1 4 3"),
        ("s1.liblinear", ("nr_feature 2", "nr_feature 3"), "expected 4 lines of weights, got 3"),
        ("s4.liblinear", ("nr_class", "nr_class"), "answers svm.multiclass, but the problem is"),
        ("two.liblinear", ("-1.8022650556799897", "x"), "line 8: expected a number, got 'x'"),
        ("two.liblinear", ("w\n", "w\n"), "bias -1: 1 is a penalised bias of the problem"),
        ("iris.rpart", ("2\tsetosa\t<leaf>\t\n", ""), "node 1 has no children 2 and 3"),
        ("iris.rpart", ("2\tsetosa", "2 setosa"), "line 3: expected node, label, column"),
        ("iris.rpart", ("rpart", "ctree"), "neither of LIBSVM (svm_type …)"),
    ],
)
def test_other_broken_files_are_named(name: str, change: tuple[str, str], message: str) -> None:
    original = text(name)
    assert change[0] in original
    with pytest.raises(refmc.FormatError) as error:
        refmc.read_model(original.replace(*change)).answer(REST)
    assert message in str(error.value)


def test_rows_of_zeros_and_comments_may_come_first_in_svmlight_files() -> None:
    for first in ("-1\n", "# made by hand\n-1\n", "-1 # zeros\n\n"):
        table = table_of(f"{first}+1 2:0.5\n", "data", None)
        assert table.columns == {"label": ["-1", "+1"], "1": ["0", "0"], "2": ["0", "0.5"]}
    for text in ("x\n1 1:2\n", "1,2\n3 4:5,6\n", "1\n2\n"):  # a table of other lines
        assert table_of(text, "data", None).header == tuple(text.split("\n")[0].split(","))


def test_svmlight_files_are_tables(tmp_path: Path) -> None:
    file = tmp_path / "data.txt"
    file.write_text("1 1:1\n-1 qid:3 1:-1 # the second\n\n", encoding="utf-8")
    (tmp_path / "answer.json").write_text('{"w": [1], "b": 0}', encoding="utf-8")
    of_file = ["--label", "label", "--family", "svm.binary", "--C", 1]
    done = run("check", "--csv", file, *of_file, tmp_path / "answer.json")
    assert done.returncode == 0, done.stderr
    for wrong, message in (
        ("1 2:1 1:1", "line 1: expected index:value, the indices increasing from 1, got '1:1'"),
        ("1 1:1 2", "line 1: expected index:value, the indices increasing from 1, got '2'"),
        ("1 2:1 3²:1", "line 1: expected index:value, the indices increasing from 1, got '3²:1'"),
        (f"1 {'9' * 5000}:1", "line 1: expected index:value, the indices increasing from 1"),
        ("1 1:1\n2 x:1", "line 2: expected index:value"),
        (
            "1 qid:1 1:1 x:1",
            "line 1: expected index:value, the indices increasing from 1, got 'x:1",
        ),
        ("1 0:1", "line 1"),
        ("1 qid:1", "no row has a value"),
        ("1 99999999:1", "are more than 10000000"),
    ):
        with pytest.raises(refmc.DataError) as error:
            read_svmlight(wrong, "data")
        assert message in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "p.json"], "ANSWER: is missing beside PROBLEM"),
        (
            ["check", "p.json", "a.json", "--C", "1"],
            "unrecognized arguments: --C 1; settings belong to --csv with --family",
        ),
        (["check", "p.json", "a.json", "--label", "c"], "--label: belongs to --csv"),
        (["check", "--csv", "d.csv", "p.json", "a.json"], "--csv: needs --label and --family"),
        (["problem", "IRIS", "--family", "svm.binary"], "svm.binary has two classes, got setosa"),
        (["problem", "IRIS", "--family", "svm.multiclass"], "problem: field 'C' is missing"),
        (["problem", "IRIS", "--family", "svm.multiclass", "--C", "0"], "problem.C: "),
        (["problem", "IRIS", "--family", "boost.mh"], "problem: field 'rounds' is missing"),
        (
            ["problem", "IRIS", "--family", "svm.multiclass", "--C", "1", "--impurity", "gini"],
            "--impurity gini; svm.multiclass has the settings --C, --kernel, --loss",
        ),
    ],
)
def test_options_that_make_no_problem_are_named(arguments: list[str], message: str) -> None:
    if "IRIS" in arguments:
        arguments = [str(DATA / "iris.csv") if a == "IRIS" else a for a in arguments]
        arguments += ["--label", "species"]
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_categories_are_named_where_a_family_has_numbers_only() -> None:
    with (DATA / "lenses.csv").open(encoding="utf-8") as file:
        assert next(csv.reader(file))[0] == "age"
    lenses = ["problem", DATA / "lenses.csv", "--label", "lenses", "--C", 1]
    assert (
        "--columns: 'age' is a column of categories"
        in run(*lenses, "--family", "svm.multiclass").stderr
    )


@pytest.mark.campaign
def test_libsvm_and_liblinear_make_the_same_files_today(tmp_path: Path) -> None:
    pytest.importorskip("libsvm")
    pytest.importorskip("liblinear")
    make_models.main(tmp_path)
    made = {file.name: file.read_text(encoding="utf-8") for file in tmp_path.iterdir()}
    assert len(made) == 6 and made == {name: text(name) for name in made}
