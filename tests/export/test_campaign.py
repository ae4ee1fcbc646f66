"""Many models and rows, under every compiler and interpreter that is here; see -m campaign."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from typing import Any

import pytest

import refmc
from refmc import export_model
from tests.export.exact import expected, trial
from tests.export.machines import BUILDS, need_node, oldest_python, said_by_script, said_in_c, works
from tests.export.zoo import KINDS, drawn
from tests.support import table

pytestmark = pytest.mark.campaign

ROWS, MILLION = 100_000, 1_000_000


def cell(text: str) -> Any:
    try:
        return Fraction(text)
    except ValueError:
        return text


def differences(model: Any, base: Sequence[Any], rows: int) -> dict[str, int]:
    """For each build, node and Python how many rows get another label, or another set."""
    asked = trial(model, base, rows, Random(rows))
    distinct = list(dict.fromkeys(asked))
    known = dict(zip(distinct, expected(model, distinct)))
    right = [known[row] for row in asked]
    module: dict[str, Any] = {}
    exec(export_model(model, "python"), module)  # noqa: S102  # a test's own program
    text = {to: export_model(model, to, name="m") for to in ("c", "javascript", "python")}
    said = {
        build: said_in_c(text["c"], "m", build, asked, module["CATEGORIES"])
        for build in BUILDS
        if works(build)
    }
    some = asked[:ROWS]  # as JSON a million rows are too many
    said["node"] = said_by_script(text["javascript"], "m", some)
    said["python"] = said_by_script(text["python"], "m", some, oldest_python())
    return {name: sum(a != b for a, b in zip(found, right)) for name, found in said.items()}


@pytest.mark.parametrize("seed", range(100, 110))
@pytest.mark.parametrize("kind", KINDS)
def test_random_models_of_all_kinds_are_right(kind: str, seed: int) -> None:
    need_node()
    model, base = drawn(kind, seed)
    try:
        export_model(model, "c")
    except refmc.MixedArithmeticError as error:  # it has no predictions either
        pytest.skip(str(error))
    assert not any(differences(model, base, ROWS).values())


REAL: dict[str, tuple[str, Callable[[Any, Any], Any], int]] = {
    "iris tree": ("iris.csv", refmc.grow_tree, MILLION),
    "iris boosting": ("iris.csv", lambda X, y: refmc.fit_adaboost_mh(X, y, rounds=6), MILLION),
    "titanic tree": ("titanic.csv", refmc.grow_tree, ROWS),
    "lenses tree": ("lenses.csv", refmc.grow_tree, ROWS),
    "lenses boosting": ("lenses.csv", lambda X, y: refmc.fit_adaboost_mh(X, y, rounds=5), ROWS),
    "zoo tree": ("zoo.csv", refmc.grow_tree, ROWS),
    "wine tree": ("wine.csv", refmc.grow_tree, MILLION),
    "iris perceptron": ("iris.csv", refmc.fit_multiclass_perceptron, ROWS),
    "iris svm": ("iris.csv", lambda X, y: refmc.fit_multiclass_svm(rounded(X), y, C=1), ROWS),
    "wine svm": ("wine.csv", lambda X, y: refmc.fit_multiclass_svm(rounded(X), y, C=1), ROWS),
}


def rounded(X: Sequence[Sequence[Any]]) -> list[list[float]]:
    return [list(map(float, row)) for row in X]


@pytest.mark.parametrize("name", REAL)
def test_models_of_real_data_are_right_under_every_build(name: str) -> None:
    need_node()
    file, fit, rows = REAL[name]
    X, y = table(file, cell)
    if file == "zoo.csv":
        X = [row[1:] for row in X]  # the name of each animal stands first
    assert not any(differences(fit(X, y), X, rows).values())
