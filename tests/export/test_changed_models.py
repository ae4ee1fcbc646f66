"""Model files that were changed by hand: refused by name, or exported as they then predict."""

import json
from fractions import Fraction as F
from typing import Any

import pytest

import refmc
from refmc import export_model
from refmc.export.exporting import predictor_of, self_test
from refmc.export.tables import tables_of
from tests.support import DATA

REDUCTIONS = [
    "one-vs-all",
    "one-vs-one",
    "output-code",
    "label-tree",
    "error-correcting-tournament",
]


def saved(name: str) -> Any:
    return json.loads((DATA / "saved" / f"{name}-1.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", REDUCTIONS)
@pytest.mark.parametrize("width", [1, 3])
def test_a_binary_model_of_rows_of_another_width_is_refused(kind: str, width: int) -> None:
    record = saved(kind)
    refmc.load_model(json.dumps(record))
    binary = next(one for one in record["binary"] if one is not None and "w" in one)
    binary["w"] = ["1"] * width
    with pytest.raises(refmc.FormatError, match=r"model\.binary: .*expected"):
        refmc.load_model(json.dumps(record))


def test_the_weight_of_a_row_without_a_mistake_counts_in_both() -> None:
    record = saved("kernel-perceptron")
    record["mistakes"], record["start"] = [], [0] * len(record["alpha"])
    record["alpha"] = ["1/2"] + ["0"] * (len(record["alpha"]) - 1)
    model: Any = refmc.load_model(json.dumps(record))
    module: dict[str, Any] = {}
    exec(export_model(model, "python"), module)  # noqa: S102  # a test's own program
    assert len({module["predict_set"]([float(v) for v in row]) for row in model.rows}) > 1
    for row in model.rows:
        assert module["predict_set"]([float(v) for v in row]) == model.predict_set(row)


def test_a_column_of_rpart_has_numbers_or_categories() -> None:
    lines = ["rpart", "1\ta\tx\t-1\t2.5", "2\ta\t<leaf>\t\t", "3\tb\tx\t2\tp|q"]
    text = "\n".join([*lines, "6\ta\t<leaf>\t\t", "7\tb\t<leaf>\t\t"])
    with pytest.raises(refmc.FormatError, match="asked for numbers and for categories"):
        export_model(refmc.read_model(text), "python")


@pytest.mark.parametrize(
    ("size", "decimals"), [(10**400, None), (10**10, 300)], ids=["large", "scaled"]
)
def test_rows_beyond_doubles_are_not_in_the_self_test(size: int, decimals: int | None) -> None:
    rows = [[F(size)], [F(3)], [F(-size)]]
    model = refmc.fit_multiclass_svm(rows, ["a", "b", "c"], C=1)
    found = tables_of(predictor_of(model, ()), "m", None, decimals, None)
    test = self_test(found, "python", "m.py", model)
    assert "inf" not in test
    assert ("[3.0]" in test) == (decimals is None)
