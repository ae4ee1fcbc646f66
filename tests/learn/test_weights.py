"""Row weights: a row of weight n is the row standing there n times, one after the other.

The other route is the repeated sample itself, for every learner, for the reductions over learners
of two classes, for selection and for counts.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction as F
from functools import partial
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refmc import (
    DataError,
    MixedArithmeticError,
    accuracy,
    by_age,
    choose_C,
    choose_lam,
    choose_parameter,
    confusion_matrix,
    cross_validate,
    equally,
    exhaustive_code,
    fit_adaboost,
    fit_adaboost_mh,
    fit_binary_svm,
    fit_error_correcting_tournament,
    fit_kernel_perceptron,
    fit_label_tree,
    fit_multiclass_perceptron,
    fit_multiclass_svm,
    fit_multiclass_svm_sgd,
    fit_one_against_some,
    fit_one_vs_all,
    fit_one_vs_one,
    fit_output_code,
    fit_perceptron,
    fit_svm_sgd,
    grow_tree,
    hinge,
    matrix_cost,
    max_form,
    squared_hinge,
    sum_form,
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


View = Callable[[Any, Any], Any]


def optimum(model: Any, X: Any) -> Any:
    return [getattr(model, name, None) for name in ("objective", "W", "w", "b", "b_interval")]


def itself(model: Any, X: Any) -> Any:
    return model


def answers(model: Any, X: Any) -> Any:
    return [(model.scores(x), model.predict_set(x)) for x in X]


def rounds(model: Any, X: Any) -> Any:
    return [(r.epsilon, r.alpha, r.loss) for r in model.rounds]


RUN: Any = {"epochs": 2, "average": by_age}
LEARNERS: dict[str, tuple[Callable[..., Any], View]] = {
    **{
        f"binary SVM, {loss.__name__}, bias {bias}": (
            partial(fit_binary_svm, C=2, loss=loss, bias=bias),
            optimum,
        )
        for loss in (hinge, squared_hinge)
        for bias in (True, False, "penalised")
    },
    **{
        f"multiclass SVM, {form.__name__}": (
            partial(fit_multiclass_svm, C=2, loss=form, cost=matrix_cost([[0, 2], [1, 0]])),
            optimum,
        )
        for form in (max_form, sum_form)
    },
    "perceptron": (partial(fit_perceptron, **RUN), answers),
    "kernel perceptron": (partial(fit_kernel_perceptron, voted=True), answers),
    "multiclass perceptron": (partial(fit_multiclass_perceptron, **RUN), answers),
    "binary SGD": (partial(fit_svm_sgd, C=2, eta="1/3", bias=True, **RUN), itself),
    "multiclass SGD": (partial(fit_multiclass_svm_sgd, lam="1/2", T=7), itself),
    "drawn SGD": (
        lambda *data, **options: fit_multiclass_svm_sgd(
            *data, lam="1/2", T=7, average=equally, draws=Random(3), **options
        ),
        itself,
    ),
    "tree": (grow_tree, itself),
    "AdaBoost": (partial(fit_adaboost, rounds=3), rounds),
    "AdaBoost.MH": (partial(fit_adaboost_mh, rounds=3), rounds),
}


@pytest.mark.parametrize("name", LEARNERS)
@settings(max_examples=4)
@given(samples)
def test_weights_of_a_learner_are_repeated_rows(name: str, sample: list[Any]) -> None:
    X, y, times = (list[Any](part) for part in zip(*sample))
    y = [-1 if c == 0 else 1 for c in y]
    if name.startswith("AdaBoost"):  # whose stumps may stand at rows without weight, too
        times = [n + 1 for n in times]
    fit, view = LEARNERS[name]
    weighted = fit(X, y, weights=times, classes=(-1, 1))
    many = fit(repeated(X, times), repeated(y, times), classes=(-1, 1))
    assert view(weighted, X) == view(many, X)


@pytest.mark.parametrize("binary", BINARY)
@pytest.mark.parametrize("reduction", REDUCTIONS)
@settings(max_examples=3)
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


@settings(max_examples=8)
@given(samples, st.sampled_from(["rows", "folds"]), st.sampled_from(["mean", "sum"]))
def test_weights_of_a_selection_are_repeated_rows(
    sample: list[Any], average: str, scale: str
) -> None:
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
    more: Any = {"grow": grow, "average": average, "scale": scale}
    lam = choose_lam(X, y, folds=parts, weights=times, **more)
    same = choose_lam(*many, folds=copies, **more)
    assert [(s.lam, s.tree) for s in lam.sequence] == [(s.lam, s.tree) for s in same.sequence]
    assert replace(lam, sequence=()) == replace(same, sequence=())


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
