"""Saved models come back equal in every number, and nothing unknown is taken in."""

import json
from fractions import Fraction as F
from functools import cache, partial
from typing import Any

import pytest

from refmc import (
    FormatError,
    ParameterError,
    TieError,
    fit_binary_svm,
    fit_multiclass_svm,
    fit_one_vs_one,
    fit_perceptron,
    fit_stump,
    gram,
    load_model,
    polynomial,
    rbf,
    refuse,
)
from tests.support import DATA, reloaded

EXACT = [[F(1), F(0)], [F(0), F(1)], [F(-1), F(-1)], [F(1, 3), F(2, 7)]]
FLOAT = [[1.0, 0.1], [0.3, 1.0], [-1.0, -1.1], [1e-7, 1e7]]
LABELS = ["a", "b", "c", "a"]
KERNEL_ROWS: Any = gram(rbf(1), FLOAT)

MODELS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "exact": (EXACT, LABELS, {}),
    "float": (FLOAT, LABELS, {}),
    "exact polynomial": (EXACT, LABELS, {"kernel": polynomial(3, "1/3", F(2, 7))}),
    "float polynomial": (FLOAT, LABELS, {"kernel": polynomial(2, 2.5, 1)}),
    "rbf": (FLOAT, LABELS, {"kernel": rbf("0.3")}),
    "exact gram": (None, LABELS, {"gram": [[F(i == j) for j in range(4)] for i in range(4)]}),
    "float gram": (None, LABELS, {"gram": KERNEL_ROWS}),
    "whole labels": (EXACT, [3, -1, 2**53 + 1, 2**53], {}),
    "truth values": (EXACT, [True, False, True, False], {}),
    "absent class": (EXACT, LABELS, {"classes": ["z", "c", "b", "a"]}),
    "unusual labels": (EXACT, ["é", "\n", '"', "é"], {}),
    "one class": (FLOAT, ["a"] * 4, {}),
    "4,400 digits": ([[F(10**4400 + i, 7)] for i in (1, 5, 2, 9)], LABELS, {}),
}
each_model = pytest.mark.parametrize("name", MODELS)


def trained(name: str) -> Any:
    X, y, parameters = MODELS[name]
    return fit_multiclass_svm(X, y, C="1/2", **parameters)


@cache
def come_back(name: str) -> tuple[Any, Any]:
    """The trained model, and the one that is read from what it writes."""
    model = trained(name)
    return model, reloaded(model)


@each_model
def test_a_model_comes_back_equal(name: str) -> None:
    model, again = come_back(name)
    assert again == model and again.to_json() == model.to_json()
    assert again.certificate == model.certificate
    assert [type(label) for label in again.classes] == [type(label) for label in model.classes]


@each_model
def test_a_model_that_came_back_predicts_the_same(name: str) -> None:
    X, _, parameters = MODELS[name]
    rows = X or parameters["gram"]
    model, again = come_back(name)
    assert [again.scores(x) for x in rows] == [model.scores(x) for x in rows]
    assert again.predict(rows) == model.predict(rows)


def test_the_policy_is_given_when_loading() -> None:
    text = fit_multiclass_svm([[F(1)], [F(-1)]], ["a", "b"], C=1).to_json()
    assert load_model(text).predict([[0]]) == ["a"]
    with pytest.raises(TieError):
        load_model(text, tie=refuse).predict([[0]])


def test_the_saved_form_is_readable_json() -> None:
    record = json.loads(trained("exact").to_json())
    assert record["model"] == "multiclass-svm" and record["version"] == 2
    assert record["C"] == "1/2" and record["rows"][3] == ["1/3", "2/7"]


@pytest.mark.parametrize("labels", [[(1, 2), (3, 4)], [0.5, 1.5], [10**5000, 2]])
def test_labels_that_json_would_change_are_not_saved(labels: list[Any]) -> None:
    model = fit_multiclass_svm([[F(1)], [F(-1)]], labels, C=1)
    with pytest.raises(ParameterError, match=r"classes\[[01]\]: .* be saved"):
        model.to_json()


def test_a_kernel_of_the_callers_is_not_saved() -> None:
    model = fit_multiclass_svm([[1.0], [-1.0]], [0, 1], C=1, kernel=lambda u, v: u[0] * v[0])
    with pytest.raises(ParameterError, match="kernel: "):
        model.to_json()


RECORD: dict[str, Any] = json.loads(trained("exact").to_json())


def load(**fields: Any) -> object:
    return load_model(json.dumps({**RECORD, **fields}))


@pytest.mark.parametrize("field", RECORD)
def test_a_missing_field_of_a_model_is_named(field: str) -> None:
    text = json.dumps({key: value for key, value in RECORD.items() if key != field})
    with pytest.raises(FormatError, match=f"'{field}' is missing|unknown kind None"):
        load_model(text)


@pytest.mark.parametrize("value", ["x", [], {}, [[]], [1], "nan", [["x"]], [[1], [1, 2]]])
@pytest.mark.parametrize("field", RECORD)
def test_a_wrong_field_of_a_model_is_named(field: str, value: Any) -> None:
    with pytest.raises(FormatError, match="^model"):
        load(**{field: value})


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"model": "tree"}, "unknown kind 'tree'"),
        ({"version": 3}, "version 1 or 2"),
        ({"arithmetic": "decimal"}, r"model\.arithmetic"),
        ({"foo": 1}, "unknown field 'foo'"),
        ({"C": "0"}, r"model\.C: expected a positive number"),
        ({"C": "1e999999999"}, r"model\.C: .*digits"),
        ({"C": "1e5000", "arithmetic": "float"}, "range of floats"),
        ({"y": [0, 1, 2, 7]}, r"model\.y: .*row 3"),
        ({"y": [0, 1, 2]}, r"model\.y: .*expected 4"),
        ({"classes": ["a", "a", "b"]}, r"model\.classes: .*stands twice"),
        ({"classes": ["a", None, "b"]}, r"model\.classes"),
        ({"classes": ["a", ["b"], "c"]}, r"model\.classes"),
        ({"classes": ["a", "b"]}, "different sizes"),
        ({"slack": ["0"]}, "different sizes"),
        ({"rows": [["1", "2"]]}, "different sizes"),
        ({"W": [["1", "2"]]}, "different sizes"),
        ({"W": [["1"], ["2"], ["3"]]}, r"model\.W"),
        ({"W": None}, r"model\.W"),
        ({"rows": None, "kernel": {"name": "rbf", "gamma": 1}}, r"model\.rows"),
        ({"kernel": None}, r"model\.rows"),
        ({"kernel": {"name": "sigmoid"}}, r"model\.kernel: name"),
        ({"kernel": {"name": "rbf", "gamma": -1}}, r"model\.kernel: gamma"),
        ({"kernel": {"name": "rbf", "gamma": 1}}, r"model\.W"),
    ],
)
def test_what_does_not_fit_a_model_is_refused(fields: dict[str, Any], place: str) -> None:
    with pytest.raises(FormatError, match=place):
        load(**fields)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "null", "NaN", "[" * 10**6, '{"model": 1, "model": 2}']
)
def test_text_that_is_no_model_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match="^model"):
        load_model(text)


@pytest.mark.parametrize("source", [None, b"{}", {}])
def test_what_is_no_text_is_refused(source: Any) -> None:
    with pytest.raises(FormatError, match="model: expected text"):
        load_model(source)


def test_a_reduction_comes_back_with_its_binary_models() -> None:
    X, y = [[F(1), F(0)], [F(0), F(1)], [F(-1), F(-1)]], ["a", "b", "c"]
    model = fit_one_vs_one(X, y, partial(fit_binary_svm, C=1))
    again: Any = reloaded(model)
    assert again.to_json() == model.to_json()
    assert again.predict(X) == model.predict(X) == y


def test_a_reduction_inside_a_reduction_is_refused() -> None:
    X, y = [[F(1)], [F(-1)]], ["a", "b"]
    text = fit_one_vs_one(X, y, partial(fit_binary_svm, C=1)).to_json()
    nested = text.replace('"binary-svm"', '"one-vs-one"')
    assert nested != text
    with pytest.raises(FormatError, match="no kind of binary model"):
        load_model(nested)


@pytest.mark.parametrize("binary", ["x", 3, ["x"], True, {}, {"model": ["perceptron"]}])
def test_what_is_no_model_inside_a_reduction_is_refused(binary: object) -> None:
    model = fit_one_vs_one(EXACT, LABELS, partial(fit_perceptron, epochs=1))
    record = json.loads(model.to_json())
    record["binary"][1] = binary
    with pytest.raises(FormatError, match=r"^model\.binary: "):
        load_model(json.dumps(record))


@pytest.mark.parametrize("kind, models", [("one-vs-one", 199_990_000), ("one-vs-all", 20_000)])
def test_many_classes_without_models_are_refused_before_any_is_made_room_for(
    kind: str, models: int
) -> None:
    record = json.loads((DATA / "saved" / f"{kind}-1.json").read_text(encoding="utf-8"))
    record |= {"classes": list(range(20_000)), "binary": []}
    with pytest.raises(FormatError, match=f"expected {models} models"):
        load_model(json.dumps(record))


def test_a_single_class_needs_no_matches_however_often_it_may_lose() -> None:
    path = DATA / "saved" / "error-correcting-tournament-1.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    record |= {"classes": ["a"], "present": [0], "binary": [], "sides": [], "m": 10**12}
    model: Any = load_model(json.dumps(record))
    assert model.predict([[0] * record["width"]]) == ["a"]


@pytest.mark.parametrize("arithmetic", ["exact", "float"])
def test_the_first_version_of_a_binary_svm_had_no_bias_where_its_only_bias_is_0(
    arithmetic: str,
) -> None:
    record = json.loads((DATA / "saved" / "binary-svm-1.json").read_text(encoding="utf-8"))
    zero: Any = "0" if arithmetic == "exact" else 0.0
    record |= {"arithmetic": arithmetic, "b": zero, "b_interval": [zero, zero]}
    model: Any = load_model(json.dumps(record))
    assert model.bias is False


def test_a_long_whole_number_of_a_file_is_called_a_number() -> None:
    model = fit_binary_svm([[0.0], [1.0]], [-1, 1], C=1)
    record = json.loads(model.to_json())
    long = 10**17  # a label by all its digits, a number by its binary64
    for field, value, message in (
        ("y", [long, 1], "model.y: y: row 0: label 1+00+ is not in classes"),
        ("kernel", long, "model.kernel: expected an object, got a number"),
    ):
        with pytest.raises(FormatError, match=message):
            load_model(json.dumps({**record, field: value}))
    stump = json.loads(fit_stump([[0.0], [1.0]], [-1, 1]).to_json())
    with pytest.raises(FormatError, match="model.tied: expected an object, got a number"):
        load_model(json.dumps({**stump, "tied": [long]}))
