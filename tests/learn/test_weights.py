"""Row weights: a row of weight n is the row standing there n times, one after the other.

The other route is the repeated sample itself. SVMs, perceptrons, descents, trees and boosting by
themselves are in the tests of each; here is what trains or counts over any of them.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction as F
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refmc import (
    DataError,
    MixedArithmeticError,
    accuracy,
    choose_C,
    choose_lam,
    choose_parameter,
    confusion_matrix,
    cross_validate,
    exhaustive_code,
    fit_adaboost,
    fit_binary_svm,
    fit_error_correcting_tournament,
    fit_label_tree,
    fit_multiclass_svm,
    fit_one_against_some,
    fit_one_vs_all,
    fit_one_vs_one,
    fit_output_code,
    fit_perceptron,
    fit_svm_sgd,
    grow_tree,
)

BINARY: dict[str, Any] = {
    "svm": partial(fit_binary_svm, C=1),
    "perceptron": partial(fit_perceptron, epochs=2, bias=True),
    "sgd": partial(fit_svm_sgd, C=1, eta="1/2", epochs=1, bias=True),
    "boosting": partial(fit_adaboost, rounds=1),
}
REDUCTIONS: dict[str, Callable[..., Any]] = {
    "one-vs-all": fit_one_vs_all,
    "one-vs-one": fit_one_vs_one,
    "output-code": partial(fit_output_code, code=exhaustive_code(3)),
    "tournament": partial(fit_error_correcting_tournament, m=2),
    "label-tree": fit_label_tree,
    "one-against-some": partial(fit_one_against_some, candidates=1, lam=0),
}

TREE: Any = grow_tree

quarters = st.integers(-2, 2).map(lambda n: F(n, 2))
samples = st.lists(
    st.tuples(st.lists(quarters, min_size=2, max_size=2), st.integers(0, 2), st.integers(0, 3)),
    min_size=3,
    max_size=6,
).filter(lambda rows: any(n for *_, n in rows))


def repeated(part: Sequence[Any], times: Sequence[int]) -> list[Any]:
    return [entry for entry, n in zip(part, times, strict=True) for _ in range(n)]


@pytest.mark.parametrize("binary", BINARY)
@pytest.mark.parametrize("reduction", REDUCTIONS)
@settings(deadline=None, max_examples=5)
@given(samples)
def test_weights_of_a_reduction_are_repeated_rows(
    reduction: str, binary: str, sample: list[Any]
) -> None:
    X, y, times = (list[Any](part) for part in zip(*sample))
    fit = partial(REDUCTIONS[reduction], classes=(0, 1, 2))
    weighted = fit(X, y, BINARY[binary], weights=times)
    many = fit(repeated(X, times), repeated(y, times), BINARY[binary])
    assert weighted.present == many.present
    for x in X:
        # sums of duels can't be made where boosting gives logarithms and ±1
        ask = "duels" if reduction == "one-vs-one" else "scores"
        assert getattr(weighted, ask)(x) == getattr(many, ask)(x)
        assert weighted.predict_set(x) == many.predict_set(x)


@settings(deadline=None, max_examples=15)
@given(samples, st.sampled_from(["rows", "folds"]))
def test_weights_of_a_selection_are_repeated_rows(sample: list[Any], average: str) -> None:
    X, y, times = (list[Any](part) for part in zip(*sample))
    times[:3] = [1 + n for n in times[:3]]  # a fold without weight is refused, see below
    parts = [[i for i in range(len(X)) if i % 3 == f] for f in range(3)]
    rows = repeated(range(len(X)), times)
    copies = [[t for t, i in enumerate(rows) if i in part] for part in parts]
    many = repeated(X, times), repeated(y, times)
    options: Any = {"average": average, "classes": (0, 1, 2)}
    tree: Any = partial(grow_tree, max_depth=1)
    one = cross_validate(X, y, tree, parts, weights=times, **options)
    other = cross_validate(*many, tree, copies, **options)
    assert one.score == other.score
    assert repeated(one.predicted, times) == list(other.predicted)
    for depths in ([2, 0, 1], [1, 2]):
        found = choose_parameter(
            X, y, grow_tree, "max_depth", depths, parts, weights=times, **options
        )
        again = choose_parameter(*many, grow_tree, "max_depth", depths, copies, **options)
        assert (found.value, found.tied) == (again.value, again.tied)
    grow = partial(grow_tree, classes=(0, 1, 2))
    lam = choose_lam(X, y, grow=grow, folds=parts, weights=times, average=average)
    assert lam.errors == choose_lam(*many, grow=grow, folds=copies, average=average).errors


def test_C_is_chosen_by_weighted_losses() -> None:
    # Without its row, fold 0 or 1 errs on it, whatever C is; fold 2 never errs.
    X, y = [[F(1)], [F(-1)], [F(2)], [F(-2)]], ["a", "b", "b", "a"]
    folds = [[0], [1], [2, 3]]
    fit = partial(fit_multiclass_svm, classes=("a", "b"))
    found = choose_C(X, y, fit, [1], folds, weights=[1, 1, "1/2", 1])
    losses: list[Any] = [fold.losses for fold in found.trials[0].validation.folds]
    weights: list[list[Any]] = [[1], [1], [F(1, 2), 1]]
    wrong = sum(w * n for ns, ws in zip(losses, weights) for n, w in zip(ns, ws))
    assert found.trials[0].validation.score == wrong / F(7, 2)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("ab"), st.integers(0, 3))))
def test_weights_of_a_count_are_repeated_rows(rows: list[tuple[str, str, int]]) -> None:
    if not any(n for *_, n in rows):
        return
    predicted, y, times = (list[Any](part) for part in zip(*rows))
    many = repeated(predicted, times), repeated(y, times)
    table = confusion_matrix(predicted=predicted, y=y, classes=["a", "b"], weights=times)
    again = confusion_matrix(predicted=many[0], y=many[1], classes=["a", "b"])
    assert table == again and str(table) == str(again)
    assert accuracy(predicted, y, weights=times) == accuracy(*many)


def test_counts_take_weights_of_any_kind() -> None:
    table = confusion_matrix(predicted=["a", "b"], y=["a", "a"], weights=[0.5, "1/3"])
    assert table.counts == ((F(1, 2), F(1, 3)), (0, 0))
    assert table.accuracy == F(3, 5)
    assert str(table).endswith("accuracy 3/5: 1/2 of 5/6 rows are right")


THREE: Any = [[F(0)], [F(1)], [F(2)]]
ABC = ["a", "b", "c"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: fit_one_vs_all(THREE, ABC, BINARY["svm"], weights=[1, -1, 1]),
            DataError,
            "weights: row 1: expected at least 0, got -1",
        ),
        (
            lambda: fit_label_tree(THREE, ABC, BINARY["svm"], weights=[1, 2]),
            DataError,
            "weights: expected 3, one a row, got 2",
        ),
        (
            lambda: fit_one_vs_one(THREE, ABC, BINARY["svm"], weights=[0, 0, 0]),
            DataError,
            "weights: expected at least one above 0, got none",
        ),
        (
            lambda: fit_one_vs_one(THREE, ABC, BINARY["svm"], weights=[1.0, 0.5, 1.0]),
            MixedArithmeticError,
            "weights: floats where the data are Fractions",
        ),
        (
            lambda: fit_one_against_some(
                THREE, ABC, BINARY["svm"], candidates=1, weights=[1, F(1, 2), 1]
            ),
            DataError,
            "weights: row 1: expected a whole number",
        ),
        (
            lambda: cross_validate(THREE, ABC, TREE, [[0, 1], [2]], weights=[1, 1, 0]),
            DataError,
            "weights: the rows of fold 1 have no weight",
        ),
        (
            lambda: confusion_matrix(predicted=["a"], y=["a"], weights=[float("nan")]),
            DataError,
            "weights: row 0",
        ),
    ],
)
def test_bad_weights_are_named(call: Callable[[], Any], error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        call()
