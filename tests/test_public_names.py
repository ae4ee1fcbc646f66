"""The public face of the package."""

import ast
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import refmc
from tests.support import ROOT


def test_every_public_name_can_be_imported_and_has_a_docstring() -> None:
    for name in refmc.__all__:
        value = getattr(refmc, name)
        assert value.__doc__, name
        assert name in dir(refmc)


def test_type_checkers_see_the_names_that_exist_at_run_time() -> None:
    tree = ast.parse(Path(refmc.__file__).read_text(encoding="utf-8"))
    branches = [node for node in tree.body if isinstance(node, ast.If)]
    (guarded,) = (node for node in branches if isinstance(node.test, ast.Name))
    homes = {
        alias.name: node.module
        for node in guarded.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("refmc")
        for alias in node.names
    }
    assert sorted(homes) == sorted(refmc.__all__)
    for name, home in homes.items():
        assert getattr(sys.modules[home or ""], name) is getattr(refmc, name)


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(refmc, "no_such_name")


CHECK = """
from refmc.cli import main
main(["check", "spec/examples/three-points.json", "spec/examples/three-points.exact.json"])
"""
DRAW = "from refmc.cli import main; main(['draw', 'spec/examples/three-points.json'])"
FIT = (
    "from refmc.cli import main; "
    "main(['fit', 'tree', 'tests/data/iris.csv', '--label', 'species', '-o', '/dev/null'])"
)
LEARN = "import refmc; refmc.fit_one_vs_one; refmc.fit_multiclass_svm"
GROW = "from refmc import grow_tree; grow_tree([[1.0], [2.0]], ['a', 'b']).predict([[1.0]])"


ALWAYS = {"refmc", "refmc.drawn"}
"""What is imported whatever is used: the last, a class alone, is told there how to draw."""


@pytest.mark.parametrize(
    ("code", "unused"),
    [
        ("import refmc", "refmc. dataclasses fractions typing"),
        (
            CHECK,
            "csv shutil refmc.learn refmc.adapters refmc.suite refmc.draw refmc.checker.online",
        ),
        (DRAW, "http xml refmc.learn.trees refmc.learn.boosting refmc.learn.online"),
        (LEARN, "concurrent logging refmc.oracle refmc.checker refmc.theory.bounds"),
        (FIT, "pathlib shutil refmc.checker refmc.oracle refmc.learn.trees.surfaces"),
        (
            GROW,
            (
                "argparse csv json refmc.checker refmc.oracle refmc.adapters refmc.cli "
                "refmc.theory.costs refmc.core.records refmc.learn.trees.saving "
                "refmc.learn.trees.surfaces refmc.learn.trees.pictures "
                "refmc.learn.trees.rounds refmc.learn.trees.runs refmc.core.labelled"
            ),
        ),
    ],
    ids=["import", "check", "draw", "learn", "fit", "grow"],
)
def test_what_is_not_used_is_not_imported(code: str, unused: str) -> None:
    shown = f"{code}\nimport sys; print(*sys.modules, file=sys.stderr)"
    run = [sys.executable, "-c", shown]
    loaded = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True).stderr
    assert set(loaded.split()) >= ALWAYS
    others = [name for name in loaded.split() if name not in ALWAYS]
    assert [name for name in others if name.startswith(tuple(unused.split()))] == []


@pytest.mark.parametrize(
    "fit",
    [
        partial(refmc.fit_multiclass_svm, C=1),
        partial(refmc.fit_binary_svm, C=1),
        refmc.fit_hard_svm,
        refmc.fit_perceptron,
        refmc.fit_kernel_perceptron,
        refmc.fit_multiclass_perceptron,
        partial(refmc.fit_svm_sgd, C=1, eta=1),
        partial(refmc.fit_multiclass_svm_sgd, T=1, lam=1),
        refmc.grow_tree,
        refmc.fit_stump,
        partial(refmc.fit_adaboost, rounds=1),
        partial(refmc.fit_adaboost_mh, rounds=1),
        partial(refmc.fit_one_vs_all, binary=refmc.fit_perceptron),
        partial(refmc.fit_one_vs_one, binary=refmc.fit_perceptron),
        partial(refmc.fit_output_code, binary=refmc.fit_perceptron, code=[[1], [-1]]),
        partial(refmc.fit_error_correcting_tournament, binary=refmc.fit_perceptron),
        partial(refmc.fit_one_against_some, binary=refmc.fit_perceptron, candidates=1),
        partial(refmc.fit_label_tree, binary=refmc.fit_perceptron),
    ],
    ids=lambda fit: getattr(fit, "func", fit).__name__,
)
def test_every_learner_refuses_a_policy_that_is_no_function(fit: Callable[..., object]) -> None:
    X, y = [[1.0], [-1.0]], [1, -1]
    fit(X, y, tie=refmc.last)
    for policy in ("first", None, 0):
        with pytest.raises(refmc.ParameterError, match="tie: expected a function"):
            fit(X, y, tie=policy)


X, Y, SIGNS = [[1.0], [-1.0]], ["a", "b"], [1, -1]
SCORES = [0.0, 1.0]
BINARY: Any = {"binary": refmc.fit_perceptron}


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("executor", partial(refmc.fit_one_vs_all, X, Y, **BINARY)),
        ("executor", partial(refmc.fit_one_vs_one, X, Y, **BINARY)),
        ("executor", partial(refmc.fit_output_code, X, Y, code=[[1], [-1]], **BINARY)),
        ("executor", partial(refmc.fit_error_correcting_tournament, X, Y, **BINARY)),
        ("executor", partial(refmc.fit_one_against_some, X, Y, candidates=1, **BINARY)),
        ("executor", partial(refmc.fit_label_tree, X, Y, **BINARY)),
        ("executor", partial(refmc.cross_validate, X, Y, refmc.grow_tree, refmc.folds(2, 2))),
        ("executor", partial(refmc.rademacher, X)),
        ("average", partial(refmc.fit_perceptron, X, SIGNS)),
        ("average", partial(refmc.fit_kernel_perceptron, X, SIGNS)),
        ("average", partial(refmc.fit_multiclass_perceptron, X, Y)),
        ("tau", partial(refmc.fit_multiclass_perceptron, X, Y)),
        ("cost", partial(refmc.multiclass_hinge, SCORES, 0)),
        ("cost", partial(refmc.multiclass_hinge_sum_subgradient, SCORES, 0)),
        ("cost", partial(refmc.fit_multiclass_svm_sgd, X, Y, lam=1, T=1)),
        ("loss", partial(refmc.loss_decoding, [[1], [-1]], [1.0])),
        ("kernel", partial(refmc.gram, X=X)),
        ("sequence", partial(refmc.prune, lam=1)),
        ("tree", partial(refmc.pruning_sequence)),
    ],
)
def test_what_is_no_function_executor_or_tree_is_refused_by_name(
    name: str, call: Callable[..., object]
) -> None:
    for value in (3, "x", [1]):
        with pytest.raises(refmc.ParameterError, match=f"{name}: expected"):
            call(**{name: value})
