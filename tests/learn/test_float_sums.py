"""No fit in float adds up floats with the builtin `sum`: from Python 3.12 on it rounds otherwise.

The answers would have other last digits there, and a close choice could be another one.
"""

import builtins
import sys
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import refmc

X = [[0.1, 0.7, 1.3], [0.3, -1.1, 0.2], [-0.9, 0.4, 0.6], [1.7, -0.2, -0.4], [0.8, 0.9, -1.6]]
Y = ["a", "b", "c", "a", "b"]
SIGNS = [1, -1, -1, 1, 1]
WEIGHTS = [0.1, 0.2, 0.3, 0.7, 1.1]
COLOURS = [[0.1, "red"], [0.2, "blue"], [0.3, "green"], [0.4, "blue"], [0.5, "red"]]


@pytest.fixture
def floats_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The builtin `sum` fails if refmc gives it a float."""
    plain = builtins.sum

    def strict(terms: Iterable[Any], /, start: Any = 0) -> Any:
        items = [start, *terms]
        if str(sys._getframe(1).f_globals.get("__name__")).startswith("refmc"):
            assert float not in map(type, items), "sum of floats: use total or math.fsum"
        return plain(items[1:], start)

    monkeypatch.setattr(builtins, "sum", strict)


@pytest.mark.parametrize(
    "fit",
    [
        lambda: refmc.fit_multiclass_svm(X, Y, C=0.7),
        lambda: refmc.fit_multiclass_svm(X, Y, C=0.7, loss=refmc.sum_form, weights=WEIGHTS),
        lambda: refmc.fit_multiclass_svm(X, Y, C=0.7, kernel=refmc.rbf(0.3)),
        lambda: refmc.fit_binary_svm(X, SIGNS, C=0.7),
        lambda: refmc.fit_binary_svm(X, SIGNS, C=0.7, loss=refmc.squared_hinge, weights=WEIGHTS),
        lambda: refmc.fit_hard_svm(X[:3], SIGNS[:3]),
        lambda: refmc.fit_stump(COLOURS, SIGNS, weights=WEIGHTS),
        lambda: refmc.fit_adaboost(COLOURS, SIGNS, rounds=5),
        lambda: refmc.fit_adaboost_mh(COLOURS, Y, rounds=5),
        lambda: refmc.grow_tree(COLOURS, Y, weights=WEIGHTS),
        lambda: refmc.fit_perceptron(X, SIGNS, epochs=5),
        lambda: refmc.fit_kernel_perceptron(X, SIGNS, kernel=refmc.rbf(0.3), epochs=5),
        lambda: refmc.fit_multiclass_perceptron(X, Y, epochs=5),
        lambda: refmc.fit_svm_sgd(X, SIGNS, C=0.7, eta=0.1, epochs=4),
        lambda: refmc.fit_multiclass_svm_sgd(X, Y, lam=0.3, T=20),
    ],
)
@pytest.mark.usefixtures("floats_refused")
def test_no_fit_adds_up_floats_with_the_builtin_sum(fit: Callable[[], object]) -> None:
    fit()
