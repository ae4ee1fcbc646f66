"""Every line of a model file is used or refused by name, and labels are those of the data file."""

from pathlib import Path
from typing import Any

import pytest

import refmc
from refmc.adapters.model_text import classes_of, positions_of
from tests.support import run

TWO: dict[str, Any] = {"family": "svm.binary", "X": [[1], [-1]], "y": [1, -1], "C": 1}
MATRIX = {name: value for name, value in TWO.items() if name != "X"} | {"gram": [[1, -1], [-1, 1]]}

LIBSVM = [
    "svm_type c_svc", "kernel_type linear", "nr_class 2", "total_sv 2", "rho 0", "label 1 -1",
    "nr_sv 1 1", "SV", "0.5 1:1", "-0.5 1:-1",
]  # fmt: skip
LIBLINEAR = [
    "solver_type L2R_L1LOSS_SVC_DUAL", "nr_class 2", "label 1 -1", "nr_feature 1", "bias -1", "w",
    "1",
]  # fmt: skip
RPART = ["rpart", "1\ta\tx\t-1\t0.5", "2\ta\t<leaf>\t\t", "3\tb\t<leaf>\t"]
OF_RPART = {"family": "tree.grow", "X": [[0], [1]], "y": ["a", "b"], "columns": ["x"]}


def answer(lines: list[str], problem: Any, *changes: tuple[str, str]) -> Any:
    """The answer that the lines hold, some of them changed."""
    text = "\n".join(lines)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return refmc.read_model(text).answer(problem)


def test_numbers_of_files_are_the_doubles_that_they_are() -> None:
    assert answer(LIBSVM, TWO, ("0.5 1:1", "0.1 1:1")) == {"alpha": [0.1, 0.5], "b": 0.0}
    found = answer(LIBLINEAR, TWO | {"bias": False}, ("w\n1", "w\n0.10000000000000001"))
    assert found == {"w": [0.1]} and isinstance(found["w"][0], float)


LONG = "9" * 5_000


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([("rho 0", "rho 0\nprobA -1.5")], "a line 'probA' is nothing that can be judged"),
        ([("rho 0", "rho 0\nprob_density_marks 1 2")], "a line 'prob_density_marks' is nothing"),
        ([("rho 0", "rho 0\nprobA -1.5\nprobB 1")], "a line 'probA' is nothing that can be judged"),
        ([("rho 0", "rho 7\nrho 0")], "model: line 6: 'rho' stands twice"),
        ([("SV\n", ""), ("-0.5 1:-1", "0.5 1:-1")], "there is no line 'SV' before '0.5 1:-1'"),
        ([("rho 0", "rho 0\ngamma 0.5")], "gamma: the linear kernel has none"),
        ([("rho 0", "rho 0\ndegree 3")], "degree: the linear kernel has none"),
        ([("c_svc", "c_svc nu_svc")], "svm_type c_svc nu_svc; only c_svc"),
        ([("linear", "linear rbf")], "kernel_type: expected 1 values, got 2"),
        ([("nr_class 2", "nr_class 2 3")], "nr_class: expected 1 values, got 2"),
        ([("label 1 -1", "label 1 1")], "no label '-1' in 1 1"),
        ([("label 1 -1", "label 1 -1 1")], "label: expected 2 values, got 3"),
        ([("0.5 1:1", "0.5 1:1 2:7")], "support vector 1 is no row of label 1"),
        ([("0.5 1:1", "0.5 0:7 1:1")], "support vector 1 is no row of label 1"),
        ([("0.5 1:1", "0.5 1:1 1:1")], "line 9: expected 1 numbers, then index:value"),
        ([("0.5 1:1", "0.5 1")], "line 9: expected 1 numbers, then index:value"),
        (
            [("nr_class 2", "nr_class 3"), ("rho 0", "rho 0 0 0"), ("1 -1\n", "1 -1 2\n")]
            + [("nr_sv 1 1", "nr_sv 1 1 0"), ("0.5 1:1", "0.5"), ("-0.5 1:-1", "-0.5 0")],
            "line 9: expected 2 numbers, then index:value",
        ),
        ([("rho 0", "rho")], "model: line 5: 'rho' has no value"),  # as of one class
        ([("0.5 1:1", "0.5 1:2")], "support vector 1 is no row of label 1"),
        ([("0.5 1:1", "0 1:2")], "support vector 1 is no row of label 1"),  # whatever it weighs
        ([("total_sv 2", f"total_sv {LONG}")], "total_sv is 999999999999999999999999999999…"),
        ([("nr_sv 1 1", f"nr_sv 1 {LONG}")], "total_sv is 2, but 2 support vectors follow, and nr"),
        ([("nr_class 2", f"nr_class {LONG}")], "label: expected 999999999999999999999999999999…"),
        (
            [("nr_sv 1 1", "nr_sv 2 0"), ("total_sv 2", "total_sv 2"), ("-0.5 1:-1", "0.5 1:1")],
            "support vector 2 is no row of label 1 in the problem, or that of one before",
        ),
    ],
)
def test_lines_of_libsvm_are_used_or_refused(changes: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(refmc.FormatError) as error:
        answer(LIBSVM, TWO, *changes)
    assert message in str(error.value) and len(str(error.value)) < 400


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"loss": "squared_hinge"}, "c_svc minimises the loss hinge, but the problem's is 'squar"),
        ({"bias": False}, "c_svc has a bias that costs nothing, but the problem's is False"),
        ({"bias": "penalised"}, "c_svc has a bias that costs nothing, but the problem's is 'penal"),
    ],
)
def test_the_type_of_a_file_of_libsvm_says_what_it_minimises(setting: Any, message: str) -> None:
    assert answer(LIBSVM, TWO | {"loss": "hinge", "bias": True})["alpha"] == [0.5, 0.5]
    with pytest.raises(refmc.FormatError, match=message):
        answer(LIBSVM, TWO | setting)


@pytest.mark.parametrize("weights", [["1/10", 1, 1], [0, 1, 1], ["1/10", 0.5, 1]])
def test_equal_rows_of_other_weights_have_the_multipliers_that_they_may(weights: Any) -> None:
    # a row whose multiplier is 0 is no support vector, and the file doesn't tell which it was
    equal = TWO | {"X": [[1], [1], [-1]], "y": [1, 1, -1], "weights": weights}
    assert answer(LIBSVM, equal)["alpha"] == [0.0, 0.5, 0.5]
    assert refmc.judge_model(refmc.read_model("\n".join(LIBSVM)), equal)
    both = [
        ("total_sv 2", "total_sv 3"),
        ("nr_sv 1 1", "nr_sv 2 1"),
        ("0.5 1:1", "0.1 1:1\n0.4 1:1"),
    ]
    found = answer(LIBSVM, equal | {"weights": ["1/10", 1, 1]}, both[0], both[1], both[2])
    assert found["alpha"] == [0.1, 0.4, 0.5]
    # nothing fits: it is that of the first, and judged
    assert answer(LIBSVM, equal, ("0.5 1:1", "7 1:1"))["alpha"] == [7.0, 0.0, 0.5]


@pytest.mark.parametrize(
    "kernel",
    [{"name": "polynomial", "degree": 2, "scale": 1, "offset": 0}, {"name": "rbf", "gamma": 1}],
)
def test_weights_are_no_answer_with_another_kernel(kernel: Any) -> None:
    asked = TWO | {"bias": False}
    assert answer(LIBLINEAR, asked | {"kernel": "linear"}) == {"w": [1.0]}
    assert answer(LIBLINEAR, asked | {"kernel": {"name": "linear"}}) == {"w": [1.0]}
    with pytest.raises(refmc.FormatError, match="LIBLINEAR has the linear kernel, but the problem"):
        answer(LIBLINEAR, asked | {"kernel": kernel})


def test_a_file_that_is_cut_or_no_text_is_refused() -> None:
    with pytest.raises(refmc.FormatError, match="cut off after line 2; there is no line 'SV'$"):
        refmc.read_model("\n".join(LIBSVM[:2]))
    with pytest.raises(refmc.FormatError, match="after line 1; .* 'SV' before 'kernel_type'$"):
        refmc.read_model("svm_type c_svc\nkernel_type")
    with pytest.raises(refmc.FormatError, match="line 2: 'rho' has no value"):
        refmc.read_model("svm_type c_svc\nrho\nlabel 1")
    for given in (b"svm_type c_svc", None, LIBSVM):
        with pytest.raises(refmc.FormatError, match=f"expected text, got {type(given).__name__}"):
            refmc.read_model(given)  # type: ignore[arg-type]  # as people may


def test_a_file_of_a_single_class_is_that_of_all_rows() -> None:
    alone = [("nr_class 2", "nr_class 1"), ("w\n1", "w\n0.5")]
    for label, y, w in (("1", [1, 1], 0.5), ("-1", [-1, -1], -0.5)):
        changes = [*alone, ("label 1 -1", f"label {label}")]
        assert answer(LIBLINEAR, TWO | {"y": y, "bias": False}, *changes) == {"w": [w]}
        with pytest.raises(refmc.FormatError, match=f"no label '{-int(label)}' in {label}"):
            answer(LIBLINEAR, TWO | {"bias": False}, *changes)


def test_zeros_that_a_file_has_or_leaves_out_are_no_other_features() -> None:
    wide = TWO | {"X": [[1, 0], [-1, 0]]}
    for changes in ([], [("0.5 1:1", "0.5 1:1 2:0")], [("0.5 1:1", "0.5 1:1 7:0")]):
        assert answer(LIBSVM, wide, *changes)["alpha"] == [0.5, 0.5]


@pytest.mark.parametrize("written", ["1.23456789012", "1.2345679", "1.234567890120"])
def test_features_have_eight_digits_or_all(written: str) -> None:
    problem = TWO | {"X": [["1.23456789012"], [-1]]}
    if written == "1.23456789012":
        problem["X"] = [[1.23456789012], [-1]]
    file = [("0.5 1:1", f"0.5 1:{written}")]
    if written == "1.234567890120":
        with pytest.raises(refmc.FormatError, match="support vector 1 is no row"):
            answer(LIBSVM, problem, *file)  # the decimal is no double
        return
    assert answer(LIBSVM, problem, *file)["alpha"] == [0.5, 0.5]


def test_rows_of_a_matrix_are_named_by_their_numbers_once() -> None:
    own = [("kernel_type linear", "kernel_type precomputed"), ("0.5 1:1", "0.5 0:1")]
    assert answer(LIBSVM, MATRIX, *own, ("-0.5 1:-1", "-0.5 0:2"))["alpha"] == [0.5, 0.5]
    with pytest.raises(refmc.FormatError, match="kernel_type linear, but the problem has another"):
        answer(LIBSVM, MATRIX)
    with pytest.raises(refmc.FormatError, match="precomputed, but the problem has another kernel"):
        answer(LIBSVM, TWO, *own, ("-0.5 1:-1", "-0.5 0:2"))
    for second in ("0:1", "0:2.5", "0:2 1:5", "1:2", "0:3", "0:0"):
        with pytest.raises(refmc.FormatError, match="support vector 2 is no row of label -1"):
            answer(LIBSVM, MATRIX, *own, ("-0.5 1:-1", f"-0.5 {second}"))
    more = [("nr_class 2", "nr_class 3"), ("rho 0", "rho 0 0 0"), ("1 -1\n", "1 -1 2\n")]
    more += [("nr_sv 1 1", "nr_sv 1 1 0"), ("0.5 0:1", "0.5 0 0:1"), ("-0.5 1:-1", "-0.5 0 0:2")]
    with pytest.raises(refmc.FormatError, match="its numbers of rows count those of all 3 classes"):
        answer(LIBSVM, MATRIX, *own, *more)


def test_a_kernel_belongs_to_rows_and_its_values_are_no_longer_than_can_be_judged() -> None:
    own = [("kernel_type linear", "kernel_type precomputed"), ("0.5 1:1", "0.5 0:1")]
    text = "\n".join(LIBSVM)
    for old, new in (*own, ("-0.5 1:-1", "-0.5 0:2")):
        text = text.replace(old, new)
    with pytest.raises(refmc.FormatError, match="kernel and X belong together"):
        refmc.judge_model(refmc.read_model(text), MATRIX | {"kernel": {"name": "rbf", "gamma": 1}})
    long = {"name": "polynomial", "degree": 1000, "scale": 1, "offset": 0}
    change = ("kernel_type linear", "kernel_type polynomial\ndegree 1000\ngamma 1\ncoef0 0")
    rows = {"X": [["1e300"], [-1]], "kernel": long}
    with pytest.raises(refmc.FormatError, match="problem.kernel: "):
        answer(LIBSVM, TWO | rows, change, ("0.5 1:1", "0.5 1:1e300"))


def test_the_parameters_of_a_kernel_are_the_doubles_nearest_to_the_problem_s() -> None:
    tenth = {"name": "polynomial", "degree": 2, "scale": 10, "offset": "1/3"}
    own = ("kernel_type linear", "kernel_type polynomial\ndegree 2\ngamma 0.1\ncoef0 {}")
    for offset, fits in ((1 / 3, True), (1 / 3 + 1e-9, False)):
        change = (own[0], own[1].format(repr(offset)))
        if fits:
            assert answer(LIBSVM, TWO | {"kernel": tenth}, change)["alpha"] == [0.5, 0.5]
            continue
        with pytest.raises(
            refmc.FormatError, match=r"gamma 0\.1\d+, with coef0 0\.33\d*, with degree 2, but"
        ):
            answer(LIBSVM, TWO | {"kernel": tenth}, change)


@pytest.mark.parametrize(
    ("problem", "changes", "message"),
    [
        ({"bias": False}, [("L1LOSS", "L2LOSS")], "minimises the loss squared_hinge, but the pro"),
        (
            {"bias": False, "loss": "squared_hinge"},
            [],
            "L2R_L1LOSS_SVC_DUAL minimises the loss hinge, but the problem's is 'squared_hinge'",
        ),
        ({"bias": False}, [("bias -1", "bias -1\nrho 0")], "a line 'rho' is nothing that can"),
        ({"bias": False}, [("nr_feature 1", f"nr_feature {LONG}")], "expected 99999999999999999"),
        ({"bias": False}, [("nr_feature 1", "nr_feature 1 2")], "nr_feature: expected 1 values"),
        ({"bias": False}, [("w\n1", "w\n1 2")], "line 7: expected 1 weights, got 2"),
        (
            {"bias": False},
            [("bias -1", "bias 1"), ("w\n1", "w\n1\n0")],
            "2 weights a class, but the problem has 1 columns; a bias is a column",
        ),
        (
            {"bias": "penalised"},
            [("bias -1", "bias 1"), ("nr_feature 1", "nr_feature 2"), ("w\n1", "w\n1\n0\n0")],
            "3 weights a class, but the problem has 1 columns and a bias; a bias is a column",
        ),
        ({"bias": False}, [("_DUAL", "_DUAL 7")], "type L2R_L1LOSS_SVC_DUAL 7 has no family"),
        ({"bias": True}, [], "bias -1: 1 is a penalised bias of the problem"),
        (
            {"bias": "penalised"},
            [("bias -1", "bias 2"), ("w\n1", "w\n1\n0")],
            "bias 2: 1 is a penalised bias",
        ),
        (
            {"bias": False, "X": [[1, 1], [-1, 2]]},
            [("bias -1", "bias 1"), ("w\n1", "w\n1\n0")],
            "bias 1.0 is the last column of all rows, but problem.X[1] ends with 2.0",
        ),
        ({"bias": False}, [("label 1 -1", "label 1 2")], "no label '-1' in 1 2"),
        ({"bias": False, "X": None}, [], "problem.X: "),
        ({"bias": False, "y": None}, [], "problem.y: "),
    ],
)
def test_lines_of_liblinear_are_used_or_refused(
    problem: Any, changes: list[tuple[str, str]], message: str
) -> None:
    with pytest.raises(refmc.FormatError) as error:
        answer(LIBLINEAR, TWO | problem, *changes)
    assert message in str(error.value) and len(str(error.value)) < 400


def test_a_model_of_more_classes_than_the_problem_has_is_no_answer() -> None:
    three = [
        ("L2R_L1LOSS_SVC_DUAL", "MCSVM_CS"), ("nr_class 2", "nr_class 3"), ("1 -1\n", "1 -1 2\n"),
        ("w\n1", "w\n1 -1 0"),
    ]  # fmt: skip
    rows = {"X": [[1], [-1], [0]], "y": [1, -1, 2]}
    found = answer(LIBLINEAR, TWO | {"family": "svm.multiclass"} | rows, *three)
    assert found == {"W": [[-1.0], [1.0], [0.0]]}
    with pytest.raises(refmc.FormatError, match=r"labels 1 -1 2, the problem has \['-1', '1'\]"):
        answer(LIBLINEAR, TWO | {"family": "svm.multiclass"}, *three)


def test_a_bias_of_liblinear_is_a_column_of_the_problem() -> None:
    own = [("bias -1", "bias 2.5"), ("w\n1", "w\n1\n0")]
    rows = {"bias": False, "X": [[1, "2.5"], [-1, "5/2"]]}
    assert answer(LIBLINEAR, TWO | rows, *own) == {"w": [1.0, 0.0]}
    zeros = {"bias": False, "X": [[1, 0], [-1, 0]]}
    assert answer(LIBLINEAR, TWO | zeros, ("bias -1", "bias 0"), own[1]) == {"w": [1.0, 0.0]}


def test_problems_without_rows_are_refused_by_name() -> None:
    for problem, message in (
        (MATRIX | {"bias": False}, "problem.X: "),
        ({"family": "svm.binary", "y": [1, -1], "C": 1, "bias": False}, "problem"),
        ({"family": "svm.binary", "X": [[1], [-1]], "C": 1, "bias": False}, "problem.y: "),
    ):
        for lines in (LIBLINEAR, LIBSVM):
            if lines is LIBSVM and "gram" in problem:
                continue
            with pytest.raises(refmc.FormatError) as error:
                answer(lines, problem)
            assert message in str(error.value)
    for name in ("X", "y"):
        with pytest.raises(refmc.FormatError, match=f"problem.{name}: expected a list, got null"):
            answer(RPART, {field: value for field, value in OF_RPART.items() if field != name})


def test_a_squared_hinge_is_no_answer_to_a_hinge(tmp_path: Path) -> None:
    """Of two rows at ±1 with C = 1/10 the first has w = 2/7, the second 1/5."""
    model = tmp_path / "model"
    lines = ["solver_type L2R_L2LOSS_SVC_DUAL", *LIBLINEAR[1:-1], repr(2 / 7)]
    model.write_text("\n".join(lines), encoding="utf-8")
    data = tmp_path / "data.csv"
    data.write_text("x,y\n1,1\n-1,-1\n", encoding="utf-8")
    of_file = ["--csv", data, "--label", "y", "--family", "svm.binary", "--C", "0.1"]
    done = run("check", *of_file, "--bias", "false", model)
    assert done.returncode == 2 and "minimises the loss squared_hinge" in done.stderr
    assert run("check", *of_file, "--bias", "false", "--loss", "squared_hinge", model).stdout[:8] \
        == "VERIFIED"  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([("3\tb\t<leaf>\t", "3\tb\t<leaf>\t\n3\ta\t<leaf>\t")], "line 5: node 3 stands twice"),
        (
            [("2\ta\t<leaf>\t\t", "2\ta\t<leaf>\t-1\t0.5")],
            "line 3: expected a direction of -1 or 1, or the number of",
        ),
        (
            [("2\ta\t<leaf>\t\t", "2\ta\t<leaf>\t\t0.5")],
            "line 3: expected a direction of -1 or 1, or the number of",
        ),
        ([("\t-1\t0.5", "\t7x\t0.5")], "line 2: expected a direction of -1 or 1, or the number of"),
        ([("\t-1\t0.5", "\t0\t0.5")], "line 2: expected a direction of -1 or 1, or the number of"),
        ([("3\tb\t<leaf>\t", "3\tb\t<leaf>\t\n7\ta\t<leaf>\t")], "node 7 is below no question"),
        ([("3\tb\t<leaf>\t", "3\tb\t<leaf>\t\n9\ta\t<leaf>\t")], "node 9 is below no question"),
        ([("3\tb\t<leaf>\t", "3\tb\t<leaf>\t\n0\ta\t<leaf>\t")], "node 0 is below no question"),
        ([("3\tb\t<leaf>\t", "3\tb\t<leaf>\t\n0\ta\tx\t-1\t0")], "node 0 is below no question"),
        ([("3\tb\t<leaf>\t", "3\tb\tx\t1\t2")], "node 3 has no children 6 and 7"),
        ([("1\ta\tx\t-1\t0.5\n", "")], "node 2 is below no question"),
        ([("2\ta\t<leaf>\t\t", "2\ta\t<leaf>\t1")], "line 3: expected a direction of -1 or 1"),
        ([("2\ta\t<leaf>\t\t", "2.5\ta\t<leaf>\t\t")], "line 3: expected node, label, column"),
        ([("2\ta\t<leaf>\t\t", "2\ta\t<leaf>")], "line 3: expected node, label, column"),
        ([("\n".join(RPART), "rpart")], "there is no node 1, the root"),
    ],
)
def test_lines_of_rpart_are_used_or_refused(changes: list[tuple[str, str]], message: str) -> None:
    assert refmc.check(OF_RPART, answer(RPART, OF_RPART))
    with pytest.raises(refmc.FormatError) as error:
        refmc.check(OF_RPART, answer(RPART, OF_RPART, *changes))
    assert message in str(error.value)


@pytest.mark.parametrize("labels", ["1 -1", "-1 1"])
def test_models_of_files_are_accepted_in_any_order_of_labels(labels: str, tmp_path: Path) -> None:
    """Weights, votes and multipliers are those of the class that a file has first."""
    data, model = tmp_path / "data", tmp_path / "model"
    data.write_text("+1 1:1\n-1 1:-1\n", encoding="utf-8")
    sign = 1 if labels == "1 -1" else -1
    of_file = ["--csv", data, "--label", "label", "--C", 1]
    binary = [*of_file, "--family", "svm.binary", "--gap", 0]
    sv = [f"0.5 1:{sign}", f"-0.5 1:{-sign}"]
    model.write_text("\n".join([*LIBSVM[:5], f"label {labels}", *LIBSVM[6:8], *sv]), "utf-8")
    assert run("check", *binary, model).returncode == 0
    lines = [*LIBLINEAR[:2], f"label {labels}", *LIBLINEAR[3:6]]
    model.write_text("\n".join([*lines, repr(float(sign))]), "utf-8")
    assert run("check", *binary, "--bias", "false", model).returncode == 0
    lines[0] = "solver_type MCSVM_CS"
    model.write_text("\n".join([*lines, f"{sign * 0.5} {sign * -0.5}"]), "utf-8")
    done = run("check", *of_file, "--family", "svm.multiclass", "--gap", 0, model)
    assert done.returncode == 0, done
    wrong = model.read_text("utf-8").replace(labels, labels.replace("-1", "-2"))
    model.write_text(wrong, "utf-8")
    done = run("check", *of_file, "--family", "svm.multiclass", "--gap", 0, model)
    assert done.returncode == 2 and "no label '-1' in" in done.stderr


def test_of_two_signs_one_may_be_absent() -> None:
    for y in ([1, 1], [-1, -1], [1, -1]):
        assert classes_of({"family": "svm.binary", "y": y}) == ["-1", "1"]
    assert classes_of({"family": "svm.binary", "y": ["b", "a"]}) == ["a", "b"]
    assert classes_of({"family": "svm.multiclass", "y": [3, 3]}) == ["3"]


@pytest.mark.parametrize(
    ("classes", "labels"), [(["1", "2"], ["1", "1.0", "2"]), (["1", "01"], ["1", "2"])]
)
def test_labels_that_are_one_number_are_refused(classes: list[str], labels: list[str]) -> None:
    with pytest.raises(refmc.FormatError, match="two are one number"):
        positions_of(classes, labels)


def test_a_tree_of_rpart_may_be_a_leaf_alone() -> None:
    answer: Any = refmc.read_model("rpart\n1\ta\t<leaf>\t\n").answer(
        {"family": "tree.grow", "X": [[1]], "y": ["a"], "columns": ["x"]}
    )
    assert answer["tree"]["nodes"] == [{"number": 1, "label": "a"}]


def test_lines_of_rpart_come_in_any_order_and_with_the_ends_of_windows() -> None:
    found = answer(RPART, OF_RPART)
    for lines in ([RPART[0], *RPART[2:], RPART[1]], [line + "\r" for line in RPART]):
        assert refmc.check(OF_RPART, answer(lines, OF_RPART))
    assert answer(["\r\n".join([*RPART, ""])], OF_RPART) == found
    assert answer(["\r\n".join(LIBSVM)], TWO) == answer(LIBSVM, TWO)


def test_rpart_writes_numbers_as_it_likes() -> None:
    problem = OF_RPART | {"y": ["+1", "2.0"]}
    change = [("1\ta", "1\t1"), ("2\ta", "2\t1"), ("3\tb", "3\t2")]
    assert refmc.check(problem, answer(RPART, problem, *change))
    assert not refmc.check(problem, answer(RPART, problem, *change[:1], ("2\ta", "2\t2"), ("3\tb", "3\t1")))  # fmt: skip  # noqa: E501


def test_a_threshold_of_rpart_is_the_double_that_it_was_written_from() -> None:
    # As doubles 0.1 < 0.10000000000000001 is false, so that no row would go left.
    problem = OF_RPART | {"X": [["0.1"], ["0.2"]]}
    assert not refmc.check(problem, answer(RPART, problem, ("0.5", "0.10000000000000001")))
    assert refmc.check(problem, answer(RPART, problem, ("0.5", "0.20000000000000001")))
