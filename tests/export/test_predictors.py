"""Exported predictors of every kind of model give the labels of the exact model."""

from random import Random
from typing import Any

import pytest

from refmc import ParameterError, exact, export_model, fit_kernel_perceptron
from tests.export.exact import expected, trial
from tests.export.machines import BUILDS, need, need_node, oldest_python, said_by_script, said_in_c
from tests.export.zoo import KINDS, drawn


def module_of(text: str) -> dict[str, Any]:
    """What an exported file of Python defines."""
    found: dict[str, Any] = {}
    exec(text, found)  # noqa: S102  # a test's own program
    return found


def said_here(text: str, rows: Any) -> list[tuple[int, int]]:
    module = module_of(text)
    at = {label: c for c, label in enumerate(module["CLASSES"])}
    found = []
    for row in rows:
        try:
            chosen = at[module["predict"](row)]
        except ValueError:
            chosen = -1
        found.append((chosen, sum(1 << at[label] for label in module["predict_set"](row))))
    return found


@pytest.mark.parametrize("seed", [0])
@pytest.mark.parametrize("kind", KINDS)
def test_python_gives_the_labels_of_the_exact_model(kind: str, seed: int) -> None:
    model, base = drawn(kind, seed)
    rows = trial(model, base, 80, Random(seed))
    assert said_here(export_model(model, "python"), rows) == expected(model, rows)


def test_the_states_of_a_voted_kernel_perceptron_have_its_step_size() -> None:
    # the states score -1, -3/4, -1/2, -1/4 by steps of 1/4, all against; by steps of 1, -1, 0, 1
    for eta, label in (("1/4", "no"), (1, "yes")):
        model = fit_kernel_perceptron(
            exact([[1], [2]]), ["yes", "yes"], classes=("no", "yes"), eta=eta, voted=True,
            start=exact(["-1", 0]), order=[0], epochs=4,
        )  # fmt: skip
        assert model.predict([[1]]) == [label]
        assert module_of(export_model(model, "python"))["predict"]([1]) == label


@pytest.mark.parametrize("kind", KINDS)
def test_c_gives_the_labels_of_the_exact_model(kind: str) -> None:
    need("gcc")
    model, base = drawn(kind, 3)
    rows = trial(model, base, 120, Random(3))
    categories = module_of(export_model(model, "python"))["CATEGORIES"]
    said = said_in_c(export_model(model, "c", name="m"), "m", "gcc", rows, categories)
    assert said == expected(model, rows)


@pytest.mark.parametrize("kind", list(KINDS)[::2])
def test_javascript_gives_the_labels_of_the_exact_model(kind: str) -> None:
    need_node()
    model, base = drawn(kind, 4)
    rows = trial(model, base, 80, Random(4))
    assert said_by_script(export_model(model, "javascript"), "m", rows) == expected(model, rows)


@pytest.mark.parametrize("kind", ["mixed tree", "adaboost-mh", "kernel perceptron", "tournament"])
def test_the_oldest_python_gives_them_too(kind: str) -> None:
    python = oldest_python()
    model, base = drawn(kind, 5)
    rows = trial(model, base, 200, Random(5))
    text = export_model(model, "python", name="m")
    assert said_by_script(text, "m", rows, python) == expected(model, rows)


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("kind", ["mixed tree", "polynomial multiclass svm"])
def test_no_option_of_a_compiler_matters(kind: str, build: str) -> None:
    need(build)
    model, base = drawn(kind, 6)
    rows = trial(model, base, 120, Random(6))
    categories = module_of(export_model(model, "python"))["CATEGORIES"]
    said = said_in_c(export_model(model, "c", name="m"), "m", build, rows, categories)
    assert said == expected(model, rows)


@pytest.mark.parametrize("build", ["gcc", "clang contracted", "gcc x87", "gcc linked fast"])
@pytest.mark.parametrize("kind", ["float multiclass svm", "multiclass sgd", "label tree"])
def test_the_quick_way_changes_no_label(kind: str, build: str) -> None:
    need(build)
    seed = next(n for n in range(99) if is_linear(*drawn(kind, n)))
    model, base = drawn(kind, seed)
    rows = trial(model, base, 200, Random(8))
    text = export_model(model, "c", name="m", quick=True)
    said = said_in_c(text, "m", build, rows, [None] * len(base[0]))
    assert said == expected(model, rows)


def is_linear(model: Any, base: Any) -> bool:
    """Whether the model has a quick way."""
    try:
        return bool(export_model(model, "c", quick=True))
    except ParameterError:
        return False
