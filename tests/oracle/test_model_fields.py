"""Each kind of model that is saved is described in spec/format.md, field by field."""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import refmc
from refmc.oracle.models import LOADERS, REDUCTIONS
from tests.support import SPEC

FORMAT = SPEC / "format.md"

HEAD = {"model", "version", "classes", "arithmetic"}

X, two, three = [[0.0], [1.0], [3.0]], [-1, 1, 1], ["a", "b", "c"]
svm = partial(refmc.fit_binary_svm, C=1)

MODELS: dict[str, Callable[[], Any]] = {
    "multiclass-svm": lambda: refmc.fit_multiclass_svm(X, three, C=1),
    "binary-svm": lambda: svm(X, two),
    "perceptron": lambda: refmc.fit_perceptron(X, two),
    "kernel-perceptron": lambda: refmc.fit_kernel_perceptron(X, two),
    "multiclass-perceptron": lambda: refmc.fit_multiclass_perceptron(X, three),
    "svm-sgd": lambda: refmc.fit_svm_sgd(X, two, C=1, eta=1),
    "multiclass-svm-sgd": lambda: refmc.fit_multiclass_svm_sgd(X, three, lam=1, T=2),
    "decision-tree": lambda: refmc.grow_tree(X, three),
    "stump": lambda: refmc.fit_stump(X, two),
    "adaboost": lambda: refmc.fit_adaboost(X, two, rounds=1),
    "adaboost-mh": lambda: refmc.fit_adaboost_mh(X, three, rounds=1),
    "one-vs-all": lambda: refmc.fit_one_vs_all(X, three, svm),
    "one-vs-one": lambda: refmc.fit_one_vs_one(X, three, svm),
    "output-code": lambda: refmc.fit_output_code(X, three, svm, refmc.exhaustive_code(3)),
    "error-correcting-tournament": lambda: refmc.fit_error_correcting_tournament(X, three, svm),
    "one-against-some": lambda: refmc.fit_one_against_some(X, three, svm, candidates=2),
    "label-tree": lambda: refmc.fit_label_tree(X, three, svm),
}


def described() -> dict[str, set[str]]:
    """The fields that the format names for each kind."""
    found: dict[str, set[str]] = {}
    section = FORMAT.read_text(encoding="utf-8").split("## Models")[1].split("\n## ")[0]
    for line in section.splitlines():
        row = re.match(r"\| (?:`([\w-]+)`)? ?\| (`.*?`) \|", line)
        if row:
            kind = row[1] or list(found)[-1]
            found.setdefault(kind, set()).update(re.findall(r"`(\w+)`", row[2]))
    return found


def test_all_kinds_of_models_are_described() -> None:
    assert set(described()) == set(MODELS) == set(LOADERS) | set(REDUCTIONS)


@pytest.mark.parametrize("kind", MODELS)
def test_the_fields_of_a_saved_model_are_those_of_its_description(kind: str) -> None:
    record = json.loads(MODELS[kind]().to_json())
    assert record["model"] == kind
    assert set(record) - HEAD == described()[kind]
    assert HEAD - set(record) == ({"arithmetic"} if kind == "decision-tree" else set())
