"""Every algorithm of `refmc fit`, against the same learner called from Python."""

import json
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

import refmc
from tests.support import DATA, run, table

IRIS, LENSES = DATA / "iris.csv", DATA / "lenses.csv"


def some_rows(path: Path, skipped: str, step: int = 6) -> Path:
    """Every sixth row of iris, or every so many, without those of one class."""
    head, *rows = IRIS.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([head, *(row for row in rows[::step] if skipped not in row)]) + "\n")
    return path


@pytest.fixture
def three(tmp_path: Path) -> Path:
    return some_rows(tmp_path / "three.csv", "no such class")


@pytest.fixture
def two(tmp_path: Path) -> Path:
    return some_rows(tmp_path / "two.csv", "setosa")


svm = partial(refmc.fit_binary_svm, C="1")
flowers = ("versicolor", "virginica")
THREE: dict[str, Callable[..., Any]] = {
    "multiclass-svm --C 1 --kernel polynomial --degree 1": partial(
        refmc.fit_multiclass_svm, C="1", kernel=refmc.polynomial(1, "1", "1")
    ),
    "adaboost-mh --rounds 5": partial(refmc.fit_adaboost_mh, rounds=5),
    "multiclass-perceptron --epochs 2": partial(refmc.fit_multiclass_perceptron, epochs=2),
    "multiclass-svm-sgd --lam 0.1 --T 40 --seed 7": lambda X, y: refmc.fit_multiclass_svm_sgd(
        X, y, lam="0.1", T=40, draws=Random(7)
    ),
    "one-vs-all --binary svm --C 1": partial(refmc.fit_one_vs_all, binary=svm),
    "one-vs-all --binary perceptron --epochs 3 --bias --decide claim": partial(
        refmc.fit_one_vs_all,
        binary=partial(refmc.fit_perceptron, epochs=3, bias=True),
        decide=refmc.by_claim,
    ),
    "one-vs-one --binary svm --C 1 --no-bias --kernel rbf --gamma 0.5": partial(
        refmc.fit_one_vs_one, binary=partial(svm, bias=False, kernel=refmc.rbf("0.5"))
    ),
    "one-vs-one --binary adaboost --rounds 3 --decide score-sum": partial(
        refmc.fit_one_vs_one,
        binary=partial(refmc.fit_adaboost, rounds=3),
        decide=refmc.by_score_sum,
    ),
    "one-vs-one --binary svm --C 1 --decide tournament --bracket virginica,setosa,versicolor": (
        partial(refmc.fit_one_vs_one, binary=svm, decide=refmc.Tournament((2, 0, 1)))
    ),
    "output-code --code exhaustive --binary svm --C 1 --decoding exponential": partial(
        refmc.fit_output_code, binary=svm, code=refmc.exhaustive_code(3), loss=refmc.exponential
    ),
    "output-code --code random --bits 3 --code-seed 4 --sparse --binary svm --C 1": partial(
        refmc.fit_output_code, binary=svm, code=refmc.random_code(3, 3, Random(4), sparse=True)
    ),
    "output-code --code all-pairs --binary svm-sgd --C 1 --eta 0.01 --epochs 1": partial(
        refmc.fit_output_code,
        binary=partial(refmc.fit_svm_sgd, C="1", eta="0.01", epochs=1, bias=True),
        code=refmc.all_pairs_code(3),
    ),
    "error-correcting-tournament --m 2 --binary svm --C 1": partial(
        refmc.fit_error_correcting_tournament, binary=svm, m=2
    ),
    "one-against-some --candidates 1 --binary svm --C 1": partial(
        refmc.fit_one_against_some, binary=svm, candidates=1
    ),
    "label-tree --binary svm --C 1": partial(refmc.fit_label_tree, binary=svm),
}
TWO: dict[str, Callable[..., Any]] = {
    "binary-svm --C 1/2": partial(refmc.fit_binary_svm, C="1/2"),
    "perceptron --epochs 2": partial(refmc.fit_perceptron, epochs=2),
    "perceptron --epochs 2 --bias --seed 5": lambda X, y, classes: refmc.fit_perceptron(
        X, y, epochs=2, bias=True, order=Random(5), classes=classes
    ),
    "svm-sgd --C 1 --eta 0.01 --epochs 1": partial(
        refmc.fit_svm_sgd, C="1", eta="0.01", epochs=1, bias=True
    ),
    "svm-sgd --C 1 --eta 0.01 --epochs 1 --no-bias": partial(
        refmc.fit_svm_sgd, C="1", eta="0.01", epochs=1
    ),
    "adaboost --rounds 4": partial(refmc.fit_adaboost, rounds=4),
}


def assert_same(tmp_path: Path, command: str, data: Path, model: Any, X: Any) -> None:
    """The saved model is the one trained from Python, and predicts as it does."""
    saved = tmp_path / "model.json"
    name, *flags = command.split()
    code, out, err = run("fit", name, data, "--label", "species", "-o", saved, *flags)
    assert (code, out) == (0, ""), err
    assert refmc.load_model(saved.read_text(encoding="utf-8")) == model
    code, out, _ = run("predict", saved, data)
    answer, y = json.loads(out), table(data)[1]
    assert answer["labels"] == model.predict(X)
    assert answer["errors"] == sum(a != b for a, b in zip(answer["labels"], y, strict=True))
    assert f"{answer['errors']} of {len(y)} training rows wrong" in err
    sets = {str(i): list(model.predict_set(x)) for i, x in enumerate(X)}
    assert answer["tied"] == {i: tied for i, tied in sets.items() if len(tied) > 1}


@pytest.mark.parametrize("command", THREE)
def test_learners_of_many_classes(tmp_path: Path, three: Path, command: str) -> None:
    X, y = table(three)
    assert_same(tmp_path, command, three, THREE[command](X, y), X)


@pytest.mark.parametrize("command", TWO)
def test_learners_of_two_classes(tmp_path: Path, two: Path, command: str) -> None:
    X, y = table(two)
    assert_same(tmp_path, command, two, TWO[command](X, y, classes=flowers), X)


@pytest.mark.parametrize(
    "command", ["binary-svm --C 1", "perceptron --epochs 2", "adaboost --rounds 3"]
)
def test_exact_training_has_the_decimals_as_written(
    tmp_path: Path, two: Path, command: str
) -> None:
    X, y = table(two, Fraction)
    fits: dict[str, Callable[..., Any]] = {
        "binary-svm": svm,
        "perceptron": partial(refmc.fit_perceptron, epochs=2),
        "adaboost": partial(refmc.fit_adaboost, rounds=3),
    }
    turned = fits[command.split()[0]](X, y, classes=flowers[::-1])
    command += " --exact --positive versicolor"
    assert_same(tmp_path, command, two, turned, X)


def test_a_reduction_is_exact_in_all_its_problems(tmp_path: Path, three: Path) -> None:
    X, y = table(three, Fraction)
    model = refmc.fit_one_vs_one(X, y, svm)
    assert_same(tmp_path, "one-vs-one --binary svm --C 1 --exact", three, model, X)


def test_boosting_takes_columns_of_categories(tmp_path: Path) -> None:
    saved = tmp_path / "model.json"
    fit = ["fit", "adaboost-mh", LENSES, "--label", "lenses", "--rounds", 8, "-o", saved]
    code, _, err = run(*fit)
    assert code == 0 and "training loss at most" in err
    X, y = table(LENSES, str)
    model = refmc.fit_adaboost_mh(X, y, rounds=8)
    assert json.loads(run("predict", saved, LENSES)[1])["labels"] == model.predict(X)
    numbers = tmp_path / "codes.csv"
    numbers.write_text("code,y\n1,a\n2,b\n3,a\n")
    fit[2:5] = [numbers, "--label", "y"]
    assert run(*fit, "--categorical", "code")[0] == 0
    assert json.loads(saved.read_text(encoding="utf-8"))["kinds"] == ["category"]


def test_a_model_without_a_picture_says_so(tmp_path: Path, two: Path) -> None:
    saved = tmp_path / "model.json"
    run("fit", "perceptron", two, "--label", "species", "--epochs", 1, "-o", saved)
    code, out, err = run("show", saved)
    assert (code, out) == (2, "")
    assert "a model of kind 'perceptron' has no picture, only decision trees have" in err


def test_a_model_of_a_gram_matrix_cannot_label_the_rows_of_a_table(tmp_path: Path) -> None:
    model = refmc.fit_binary_svm(None, [1, -1], C=1, gram=[[1.0, 0.0], [0.0, 1.0]])
    saved = tmp_path / "model.json"
    saved.write_text(json.dumps({**json.loads(model.to_json()), "columns": ["u"]}))
    code, out, err = run("predict", saved, IRIS)
    assert (code, out) == (2, "") and "model.rows: none" in err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("binary-svm --C 1", "--label: expected two labels in column 'species', found 3"),
        ("binary-svm", "the following arguments are required: --C"),
        ("multiclass-perceptron --epochs -1", "epochs: expected"),
        ("svm-sgd --C 1 --epochs 1", "the following arguments are required: --eta"),
        ("one-vs-all --binary svm", "--C: missing; --binary svm needs it"),
        ("one-vs-all --binary perceptron --epochs 1 --C 1", "--C: does not belong to --binary"),
        ("one-vs-all --binary svm --C 1 --rounds 1", "--rounds: does not belong to --binary svm"),
        ("one-vs-all --binary svm --C 0", "C: expected"),
        ("one-vs-all --binary adaboost --rounds -1", "rounds: expected"),
        ("one-vs-all --binary svm --C 1 --kernel rbf --exact", "the rbf kernel has no exact"),
        ("one-vs-all", "the following arguments are required: --binary"),
        ("one-vs-one --binary svm --C 1 --bracket a,b", "--bracket: belongs to --decide tourna"),
        (
            "one-vs-one --binary svm --C 1 --decide tournament --bracket setosa",
            "--bracket: expected each label once: setosa, versicolor, virginica",
        ),
        ("output-code --binary svm --C 1", "required: --code"),
        ("output-code --code random --binary svm --C 1", "--bits: missing; --code random"),
        (
            "output-code --code random --bits 9 --code-seed 1 --binary svm --C 1",
            "bits: 3 classes have 3 different columns; got 9",
        ),
        ("output-code --code all-pairs --bits 3 --binary svm --C 1", "belongs to --code random"),
        ("output-code --code all-pairs --sparse --binary svm --C 1", "belongs to --code random"),
        ("error-correcting-tournament --m 0 --binary svm --C 1", "m: expected a whole number"),
        ("one-against-some --binary svm --C 1", "required: --candidates"),
        ("multiclass-svm-sgd --lam 0 --T 3", "lam"),
        ("adaboost-mh --rounds 99 --exact", "digits"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_written(
    tmp_path: Path, command: str, message: str
) -> None:
    name, *flags = command.split()
    saved = tmp_path / "model.json"
    data = some_rows(tmp_path / "half.csv", "no such class", step=2)  # fewer need too few digits
    code, out, err = run("fit", name, data, "--label", "species", "-o", saved, *flags)
    assert (code, out) == (2, "")
    assert message in err
    assert not saved.exists()


def test_processes_train_the_same_models(three: Path) -> None:
    tree = ["tree", three, "--label", "species", "--prune", "cv", "--folds", 3]
    pairs = ["one-vs-one", three, "--label", "species", "--binary", "perceptron", "--epochs", 2]
    boosted = ["one-vs-all", three, "--label", "species", "--binary", "adaboost", "--rounds", 2]
    for command in (tree, pairs, boosted):
        alone, together = run("fit", *command), run("fit", *command, "--jobs", 2)
        assert together.returncode == 0, together.stderr
        assert together.stdout == alone.stdout
    assert "--jobs: expected a number from 1 to 61, got 0" in run("fit", *pairs, "--jobs", 0).stderr
    assert "--jobs: belongs to --prune" in run("fit", *tree[:4], "--jobs", 2).stderr


def test_the_positive_class_is_one_of_the_two(two: Path) -> None:
    fit = ["fit", "perceptron", two, "--label", "species", "--epochs", 1, "--positive", "rose"]
    code, out, err = run(*fit)
    assert (code, out) == (2, "")
    assert "--positive: no label 'rose'; labels: versicolor, virginica" in err


WEIGHTED = "u,v,w,label\n1,0,2,a\n0,1,1,b\n-1,-1,3,b\n0,1,0,a\n2,2,1,a\n"
ROWS = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [0.0, 1.0], [2.0, 2.0]]
NAMES, W = ["a", "b", "b", "a", "a"], [2, 1, 3, 0, 1]


@pytest.mark.parametrize(
    ("command", "fit"),
    [
        ("multiclass-svm --C 1", partial(refmc.fit_multiclass_svm, C="1")),
        ("binary-svm --C 1", partial(svm, classes=("a", "b"))),
        ("adaboost-mh --rounds 2", partial(refmc.fit_adaboost_mh, rounds=2)),
        ("multiclass-perceptron --epochs 2", partial(refmc.fit_multiclass_perceptron, epochs=2)),
        (
            "svm-sgd --C 1 --eta 0.5 --epochs 1",
            partial(refmc.fit_svm_sgd, C="1", eta="0.5", classes=("a", "b"), bias=True),
        ),
        (
            "label-tree --binary svm --C 1 --partition swapped",
            partial(refmc.fit_label_tree, binary=partial(refmc.fit_binary_svm, C="1")),
        ),
    ],
)
def test_rows_and_classes_have_weights(
    tmp_path: Path, command: str, fit: Callable[..., Any]
) -> None:
    data, of_class = tmp_path / "data.csv", tmp_path / "weights.json"
    data.write_text(WEIGHTED)
    of_class.write_text('{"a": "4", "b": 2}')
    fit_it = ["fit", command.split()[0], data, "--label", "label", *command.split()[1:]]
    both = [w * (4 if label == "a" else 2) for w, label in zip(W, NAMES)]
    for flags, weights in ((["--weights", "w"], W), (["--class-weights", of_class], both)):
        flags = flags if weights is W else ["--weights", "w", *flags]
        done = run(*fit_it, *flags)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["columns"] == ["u", "v"]
        assert refmc.load_model(done.stdout) == fit(ROWS, NAMES, weights=weights)


def test_a_tree_of_weighted_rows_is_that_of_repeated_rows() -> None:
    head, *rows = WEIGHTED.replace("w,label", "label").split()
    rows = [",".join([row.rsplit(",", 2)[0], row.rsplit(",", 1)[1]]) for row in rows]
    repeated = "\n".join([head, *(row for row, w in zip(rows, W) for _ in range(w))])
    for flags in ([], ["--prune", "1/2"]):
        fit = ["fit", "tree", "-", "--label", "label", *flags]
        weighted = run(*fit, "--weights", "w", stdin=WEIGHTED)
        assert weighted.stdout == run(*fit, stdin=repeated).stdout != ""


def test_balanced_classes_count_the_same() -> None:
    fit = ["fit", "multiclass-svm", "-", "--label", "y", "--C", "1", "--exact"]
    text = "u,y\n1,a\n-1,b\n-2,b\n-3,b\n"
    done = run(*fit, "--class-weights", "balanced", stdin=text)
    X = [[Fraction(u)] for u in (1, -1, -2, -3)]
    weights = [Fraction(2), *[Fraction(2, 3)] * 3]  # m / (classes · rows of the class)
    model = refmc.fit_multiclass_svm(X, ["a", "b", "b", "b"], C=1, weights=weights)
    assert refmc.load_model(done.stdout) == model


@pytest.mark.parametrize(
    ("flags", "weights", "message"),
    [
        (["--weights", "nope"], "", "no column 'nope'"),
        (["--weights", "label"], "", "--weights: 'label' is the label"),
        (["--weights", "u", "--columns", "u,v"], "", "--weights: 'u' is among --columns"),
        (["--weights", "u"], "", "weights: row 2: expected at least 0, got -1"),
        (["--class-weights"], '{"a": 1}', "field 'b' is missing"),
        (["--class-weights"], '{"a": 1, "b": 1, "c": 1}', "unknown field 'c'"),
        (["--class-weights"], '{"a": 1, "b": -1}', "b: expected at least 0, got -1"),
        (["--class-weights"], '{"a": 0, "b": 0}', "weights: expected at least one above 0"),
        (["--class-weights"], "balanced", "not JSON"),
        (["--class-weights", "no/such/file"], "", "no/such/file: No such file"),
    ],
)
def test_weights_that_do_not_fit_are_refused(
    tmp_path: Path, flags: list[str], weights: str, message: str
) -> None:
    data, of_class = tmp_path / "data.csv", tmp_path / "weights.json"
    data.write_text(WEIGHTED)
    of_class.write_text(weights)
    flags = [*flags, str(of_class)] if weights else flags
    done = run("fit", "multiclass-svm", data, "--label", "label", "--C", "1", *flags)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
