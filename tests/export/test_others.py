"""Models of other programs: exported, they predict what these programs predict."""

import json
from collections import Counter
from math import nextafter
from struct import pack, unpack
from typing import Any

import pytest

from refmc import DataError, FormatError, ParameterError, export_model, read_model
from refmc.adapters.svms import _gamma
from refmc.core.scalars import plain
from tests.adapters import make_estimators
from tests.support import DATA, Array, restored, stand_in

X, y = make_estimators.rows()
DUMPS = json.loads((DATA / "estimators.json").read_text(encoding="utf-8"))["estimators"]
KNOWN = [
    dump
    for dump in DUMPS
    if dump["class"] in ("LinearSVC", "DecisionTreeClassifier", "AdaBoostClassifier", "Perceptron")
    or dump["class"] in ("SGDClassifier", "SVC")
]


def completed(dump: Any) -> Any:
    """The estimator, with what an SVC has besides."""
    estimator = restored(dump)
    if dump["class"] == "SVC":
        counts = Counter(y[i] for i in plain(estimator.support_))  # type: ignore[attr-defined]  # a list
        estimator.n_support_ = [counts[label] for label in plain(estimator.classes_)]  # type: ignore[attr-defined]  # a list
        estimator.coef0, estimator.degree = (
            dump["parameters"]["coef0"],
            dump["parameters"]["degree"],
        )
        estimator._gamma = _gamma(_Held(), X)  # type: ignore[arg-type]  # it has what is asked
    return estimator


class _Held:
    def parameter(self, name: str) -> str:
        return "scale"


def module_of(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    exec(text, found)  # noqa: S102  # a test's own program
    return found


@pytest.mark.parametrize("dump", KNOWN, ids=lambda dump: str(dump["class"]))
def test_real_estimators_predict_the_same(dump: Any) -> None:
    estimator = completed(dump)
    if dump["parameters"].get("kernel") == "rbf":
        with pytest.raises(ParameterError, match="kernel: 'rbf' has no exact values"):
            export_model(estimator, "python")
        return
    stumps = getattr(estimator, "estimators_", [])
    if any(len(plain(stump.tree_.feature)) > 3 for stump in stumps):  # type: ignore[arg-type]  # a list
        with pytest.raises(ParameterError, match="only stumps can be exported"):
            export_model(estimator, "python")
        return
    predict = module_of(export_model(estimator, "python"))["predict"]
    assert [predict(row) for row in X] == plain(estimator.predict(X))


def tree(threshold: float, **more: Any) -> Any:
    arrays = {
        "children_left": Array([1, -1, -1]), "children_right": Array([2, -1, -1]),
        "feature": Array([0, -2, -2]), "threshold": Array([threshold, -2.0, -2.0]),
        "value": Array([[[0.5, 0.5]], [[0.75, 0.25]], [[0.5, 0.5]]]),
    }  # fmt: skip
    fitted = {"tree_": stand_in("Tree", {}, arrays), "n_features_in_": 1}
    return stand_in("DecisionTreeClassifier", {}, fitted | {"classes_": Array(["a", "b"])} | more)


@pytest.mark.parametrize("threshold", [0.1, 0.25, -0.3, 1e-40, 16777217.0, 3e38])
def test_trees_of_scikit_learn_see_rows_in_single_precision(threshold: float) -> None:
    module = module_of(export_model(tree(threshold), "python"))
    (single,) = unpack("<f", pack("<f", threshold))
    for start in (threshold, single, nextafter(single, 2 * single), (threshold + single) / 2):
        for v in (nextafter(start, -1e308), start, nextafter(start, 1e308), start + 2.0**-30):
            (seen,) = unpack("<f", pack("<f", v))
            expected = ("a",) if seen <= threshold else ("a", "b")
            assert module["predict_set"]([v]) == expected
    assert module["predict_set"]([1e300]) == ("a", "b")
    assert module["predict_set"]([-1e300]) == ("a",)


def test_at_zero_each_program_decides_as_it_does() -> None:
    fitted: dict[str, Any] = {"coef_": Array([[1.0]]), "intercept_": Array([0.0])}
    fitted |= {"classes_": Array(["a", "b"]), "n_features_in_": 1}
    perceptron = module_of(export_model(stand_in("Perceptron", {}, fitted), "python"))
    assert perceptron["predict"]([0.0]) == "a"  # not above 0
    head = "solver_type L2R_L1LOSS_SVC_DUAL", "nr_class 2", "label 1 -1", "nr_feature 1", "bias -1"
    liblinear = module_of(export_model(read_model("\n".join([*head, "w", "1"])), "python"))
    assert [liblinear["predict"]([v]) for v in (1.0, 0.0, -1.0)] == ["1", "-1", "-1"]
    assert liblinear["predict_set"]([0.0]) == ("1", "-1")


def test_numbers_below_a_split_of_rpart_go_as_it_says() -> None:
    model = read_model((DATA / "models" / "iris.rpart").read_text())
    module = module_of(export_model(model, "python"))
    assert set(module["CLASSES"]) == {"setosa", "versicolor", "virginica"}
    lines = ["rpart", "1\ta\tx\t-1\t2.5", "2\ta\t<leaf>\t\t", "3\tb\t<leaf>\t\t"]
    for direction, expected in (("-1", ["a", "b", "b"]), ("1", ["b", "a", "a"])):
        text = "\n".join(lines).replace("-1", direction)
        predict = module_of(export_model(read_model(text), "python"))["predict"]
        assert [predict([v]) for v in (nextafter(2.5, 0), 2.5, 3.0)] == expected


def test_categories_that_rpart_does_not_list_go_right() -> None:
    model = read_model((DATA / "models" / "lenses.rpart").read_text())
    names = ["age", "prescription", "astigmatic", "tear_rate"]
    module = module_of(export_model(model, "python", columns=names))
    with (DATA / "lenses.csv").open() as file:
        rows = [line.strip().split(",") for line in file][1:]
    predicted = [module["predict"](row[:4]) for row in rows]
    assert sum(guess == row[4] for guess, row in zip(predicted, rows)) >= 23
    assert module["predict"](["never seen"] * 4) == module["predict"](["old", "x", "no", "normal"])
    with pytest.raises(FormatError, match="questions about"):
        export_model(model, "python", columns=["a"])
    for columns in (None, "ab"):
        with pytest.raises(DataError, match="columns: expected a sequence of names, got "):
            export_model(model, "python", columns=columns)  # type: ignore[arg-type]


def test_what_is_not_fitted_or_not_known_is_refused() -> None:
    with pytest.raises(FormatError, match="no 'coef_'; it isn't fitted"):
        export_model(stand_in("LinearSVC", {}, {"classes_": Array([1, 2])}), "c")
    with pytest.raises(ParameterError, match="break_ties"):
        export_model(stand_in("SVC", {"break_ties": True}, {}), "c")
    with pytest.raises(ParameterError, match="can't be exported; known are"):
        export_model(stand_in("RandomForestClassifier", {}, {}), "c")


def test_names_of_features_stand_in_the_head() -> None:
    names = Array(["petal length"])
    assert '0 "petal length", a number' in export_model(tree(0.5, feature_names_in_=names), "c")
