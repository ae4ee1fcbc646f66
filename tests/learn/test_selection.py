"""Folds, cross-validation and the choice of parameters, against plain loops."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.sample import Label, Labels, Matrix, Row
from refmc.core.ties import last
from refmc.errors import DataError, MixedArithmeticError, ParameterError
from refmc.learn.folds import check_folds
from refmc.learn.selection import (
    Choice,
    FoldScore,
    ScoreLoss,
    Trial,
    choose_C,
    choose_parameter,
    cross_validate,
    folds,
)
from refmc.learn.svm.multiclass import fit_multiclass_svm
from refmc.learn.trees.choose_lam import choose_lam
from refmc.learn.trees.grow import grow_tree
from refmc.learn.trees.prune import prune, pruning_sequence
from refmc.theory.kernels import polynomial
from refmc.theory.losses import multiclass_hinge, zero_one
from refmc.theory.metrics import confusion_matrix
from tests.support import Array, table

F = Fraction


@dataclass(frozen=True)
class Constant:
    """Scores every row with the number of training rows of each class, plus `extra`."""

    classes: tuple[Label, ...]
    counts: tuple[int, ...]

    def scores(self, x: Row) -> tuple[Fraction, ...]:
        return tuple(map(F, self.counts))

    def predict(self, X: Matrix) -> list[Label]:
        return [self.classes[self.counts.index(max(self.counts))] for _ in cast("list[Row]", X)]


def fit_constant(
    X: Matrix, y: Labels, *, classes: Labels | None, flip: int = 0, C: object = None
) -> Constant:
    """The most frequent class; with `flip` the least frequent one."""
    labels, order = list(cast("list[Label]", y)), tuple(cast("list[Label]", classes))
    sign = -1 if flip else 1
    return Constant(order, tuple(sign * labels.count(label) for label in order))


def fit_recorder(
    seen: list[tuple[Any, Any, Any]], X: Matrix, y: Labels, *, classes: Labels | None
) -> Constant:
    seen.append((X, y, classes))
    return fit_constant(X, y, classes=classes)


class Pickling(Executor):
    """Runs each call at once, through the pickles that a process pool would send."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        called, given, named = pickle.loads(pickle.dumps((fn, args, kwargs)))
        done.set_result(pickle.loads(pickle.dumps(called(*given, **named))))
        return done


def distance(predicted: int, y: int) -> int:
    return abs(predicted - y)


SPLITS = st.integers(2, 12).flatmap(
    lambda m: st.tuples(
        st.just(m),
        st.integers(2, m),
        st.lists(st.sampled_from("abc"), min_size=m, max_size=m),
        st.permutations(range(m)),
    )
)


@given(SPLITS)
def test_folds_hold_every_row_once_and_are_equally_large(
    split: tuple[int, int, list[str], list[int]],
) -> None:
    m, n, y, order = split
    for found in (
        folds(m, n),
        folds(m, n, y),
        folds(m, n, order=order),
        folds(m, n, y, order=order),
    ):
        assert len(found) == n
        assert sorted(row for fold in found for row in fold) == list(range(m))
        sizes = [len(fold) for fold in found]
        assert max(sizes) - min(sizes) <= 1
        assert check_folds(found, m) == found


@given(SPLITS)
def test_stratified_folds_share_every_class_equally(
    split: tuple[int, int, list[str], list[int]],
) -> None:
    m, n, y, order = split
    for found in (folds(m, n, y), folds(m, n, y, order=order)):
        for label in set(y):
            counts = [sum(y[row] == label for row in fold) for fold in found]
            assert max(counts) - min(counts) <= 1


@given(SPLITS)
def test_folds_know_labels_by_equality_alone(split: tuple[int, int, list[str], list[int]]) -> None:
    m, n, y, order = split
    renamed = [{"a": 9, "b": 3, "c": 5}[label] for label in y]
    assert folds(m, n, y, order=order) == folds(m, n, renamed, order=order)
    without_order = [frozenset({label}) for label in y]
    assert folds(m, n, y) == folds(m, n, without_order) == folds(m, n, Array(y))


def test_folds_by_hand() -> None:
    assert folds(7, 3) == ((0, 3, 6), (1, 4), (2, 5))
    assert (
        folds(4, 2, order=[3, 1, 0, 2])
        == ((3, 0), (1, 2))
        == folds(4, 2, order=Array([3, 1, 0, 2]))
    )
    assert folds(4, 2, order=iter([3, 1, 0, 2])) == ((3, 0), (1, 2))
    assert folds(3, 3) == ((0,), (1,), (2,))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: folds(3, 10**5000), "n: 1" + "0" * 29 + "…000000000 folds of 3 rows"),
        (lambda: folds(3, 4), "n: 4 folds of 3 rows; expected at most one a row"),
        (lambda: folds(3, 1), "n: expected a whole number of at least 2, got 1"),
        (lambda: folds(0, 2), "m: expected a whole number of at least 1, got 0"),
        (lambda: folds(2, 2, order=[0, 0]), "order: expected each of 0, …, 1 once, got [0, 0]"),
        (lambda: folds(2, 2, order=[0]), "order: expected each of 0, …, 1 once"),
        (lambda: folds(2, 2, order=cast(Any, "01")), "order: expected row numbers, got '01'"),
        (lambda: folds(2, 2, order=cast(Any, 5)), "order: expected row numbers, got 5"),
        (lambda: folds(2, 2, ["a"]), "y: expected 2 labels, one a row, got 1"),
        (lambda: folds(2, 2, "ab"), "y: expected a sequence of labels, got str"),
        (lambda: folds(2, 2, cast(Any, [["a"], ["b"]])), "y: a label that is not hashable"),
    ],
)
def test_folds_that_cannot_be_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises((ParameterError, DataError)) as refusal:
        make()
    assert str(refusal.value).startswith(message)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[0, 1], [1, 2]], "folds: row 1 is in fold 0 and in fold 1"),
        ([[0, 0], [1, 2]], "folds: row 0 is in fold 0 and in fold 0"),
        ([[0], [2]], "folds: no fold holds the rows [1]"),
        ([[0, 1], [2, 3]], "folds: fold 1: no row 3 among 3"),
        ([[0, 1], [-1]], "folds: fold 1: no row -1 among 3"),
        ([[0, 1], [], [2]], "folds: fold 1 holds out 0 of 3 rows"),
        ([[0, 1, 2]], "folds: fold 0 holds out 3 of 3 rows"),
        ([[0], [1], [2], []], "folds: fold 3 holds out 0 of 3 rows"),
        ([], "folds: expected sequences of rows, got []"),
        ([[0], 1], "folds: fold 1: expected row numbers, got 1"),
        ([[0], ["1", 2]], "folds: fold 1: expected row numbers, got ['1', 2]"),
        (3, "folds: expected sequences of rows, got 3"),
    ],
)
def test_folds_that_are_no_partition_are_refused(given: object, message: str) -> None:
    with pytest.raises(ParameterError) as refusal:
        cross_validate([[1], [2], [3]], [0, 1, 0], fit_constant, cast("list[list[int]]", given))
    assert str(refusal.value).startswith(message)


@given(SPLITS)
def test_scores_are_those_of_a_plain_loop(split: tuple[int, int, list[str], list[int]]) -> None:
    m, n, y, order = split
    X = [[F(i)] for i in range(m)]
    parts = folds(m, n, order=order)
    found = cross_validate(X, y, fit_constant, parts)
    scores = []
    for part, fold in zip(parts, found.folds):
        train = [label for i, label in enumerate(y) if i not in part]
        guess = max(sorted(set(y)), key=train.count)
        wrong = [i for i in part if y[i] != guess]
        scores.append(F(len(wrong), len(part)))
        assert fold.rows == part and fold.predicted == (guess,) * len(part)
        assert fold.losses == tuple(int(i in wrong) for i in part)
    assert [fold.score for fold in found.folds] == scores
    by_fold = cross_validate(X, y, fit_constant, parts, average="folds")
    assert by_fold.folds == found.folds and by_fold.score == sum(scores, F(0)) / n
    wrong_rows = [loss for fold in found.folds for loss in fold.losses if loss]
    assert found.score == F(len(wrong_rows), m)
    assert type(found.score) is type(by_fold.score) is Fraction
    assert found.predicted == tuple(
        fold.predicted[0] for i in range(m) for fold in found.folds if i in fold.rows
    )


def test_the_learner_sees_the_other_rows_in_order_and_all_classes() -> None:
    seen: list[tuple[Any, Any, Any]] = []
    X, y = [[1, "red"], [2, "blue"], [3, "red"]], ["b", "a", "b"]
    cross_validate(cast(Any, X), y, partial(fit_recorder, seen), [[2, 0], [1]])
    assert seen == [
        ([[2, "blue"]], ["a"], ("a", "b")),
        ([[1, "red"], [3, "red"]], ["b", "b"], ("a", "b")),
    ]
    assert X == [[1, "red"], [2, "blue"], [3, "red"]]


def test_a_class_absent_from_a_training_fold_is_legal() -> None:
    X, y = [[F(1)], [F(1)], [F(2)]], ["a", "b", "b"]
    fit = partial(fit_multiclass_svm, C=1)
    found = cross_validate(X, y, fit, folds(3, 3))
    assert found.folds[0].predicted == ("b",) and found.folds[0].score == 1
    order = ["c", "b", "a"]
    seen: list[tuple[Any, Any, Any]] = []
    cross_validate(X, y, partial(fit_recorder, seen), folds(3, 3), classes=order)
    assert {classes for _, _, classes in seen} == {("c", "b", "a")}


def test_the_arithmetic_is_that_of_all_rows() -> None:
    seen: list[tuple[Any, Any, Any]] = []
    X: list[list[float | Fraction]] = [[1], [2], [F(1, 2)]]
    cross_validate(X, [0, 1, 0], partial(fit_recorder, seen), [[2], [0, 1]])
    assert [type(row[0]) for row in seen[0][0]] == [Fraction, Fraction]
    found = cross_validate(X, [0, 1, 0], partial(fit_multiclass_svm, C=1), [[2], [0, 1]])
    assert all(type(fold.score) is Fraction for fold in found.folds)


def test_any_loss_of_labels_or_of_scores_will_do() -> None:
    X, y = [[F(i)] for i in range(6)], [0, 0, 0, 0, 1, 3]
    parts = [[0, 1, 2], [3, 4], [5]]
    by_distance = cross_validate(X, y, fit_constant, parts, distance)
    assert [fold.score for fold in by_distance.folds] == [0, F(1, 2), 3]
    assert by_distance.score == F(4, 6) and replace(by_distance, average="folds").score == F(7, 6)
    # counts of the other rows as scores: (1, 1, 1), (3, 0, 1), (4, 1, 0)
    hinges = cross_validate(X, y, fit_constant, parts, ScoreLoss(multiclass_hinge))
    assert [fold.losses for fold in hinges.folds] == [(1, 1, 1), (0, 4), (5,)]
    assert hinges.score == F(12, 6) and replace(hinges, average="folds").score == (1 + 2 + F(5)) / 3
    in_float = cross_validate(X, y, fit_constant, parts, lambda p, t: abs(p - t) / 2)
    assert type(in_float.score) is float and in_float.score == pytest.approx(4 / 12)


def test_all_choices_average_over_rows_unless_over_folds_is_asked_for() -> None:
    # Without rows 0 and 3 the tree is cut at 2 until λ = 1, and then says a, which is wrong twice.
    # Without row 1 it is cut at 1, and says a for 2, until λ = 4/3, and then b. Without row 2 all
    # is b. So of λ = 0, 1/2, 1, 3/2, 2 the folds lose 0 0|1|1 twice, 1 1|1|1, and 1 1|0|1 twice.
    X: list[list[int]] = [[0], [2], [3], [1]]
    y, parts = list("bbab"), folds(4, 3)
    grid: list[Any] = [0, F(1, 2), 1, F(3, 2), 2]

    def fit(X: Any, y: Any, *, classes: Any, C: Any) -> Any:
        return prune(pruning_sequence(grow_tree(X, y, classes=classes)), C)

    over: list[tuple[dict[str, Any], list[F], int]] = [
        ({}, [F(1, 2), F(1, 2), F(1), F(3, 4), F(3, 4)], 1),
        ({"average": "rows"}, [F(1, 2), F(1, 2), F(1), F(3, 4), F(3, 4)], 1),
        ({"average": "folds"}, [F(2, 3), F(2, 3), F(1), F(2, 3), F(2, 3)], 4),
    ]
    for options, means, best in over:
        by_tree = choose_lam(X, y, grow=grow_tree, folds=parts, lams=grid, scale="sum", **options)
        assert list(by_tree.errors) == means and by_tree.lam == grid[best]
        found = choose_C(X, y, fit, grid, parts, **options)
        assert [trial.validation.score for trial in found.trials] == means
        assert found.tied[-1] == grid[best]
        largest_first: Any = choose_parameter(X, y, fit, "C", grid[::-1], parts, **options)
        assert largest_first.value == grid[best]
    with pytest.raises(ParameterError, match="average: expected 'rows'.*or 'folds'"):
        cross_validate(X, y, fit_constant, parts, average="both")


def test_losses_of_two_arithmetics_are_refused_with_the_fold() -> None:
    mixed: list[float | Fraction] = [F(1, 2), 0.5]
    values = iter(mixed)
    with pytest.raises(MixedArithmeticError, match="^a Fraction .losses: position 0. beside") as e:
        cross_validate(
            [[1.0]] * 4, [0, 1, 0, 1], fit_constant, folds(4, 2), lambda p, t: next(values)
        )
    assert e.value.__notes__ == ["fold 0 was held out"]


def test_what_a_learner_raises_names_the_fold() -> None:
    with pytest.raises(ParameterError, match="^C: ") as e:
        cross_validate([[1.0], [2.0]], [0, 1], partial(fit_multiclass_svm, C=-1), folds(2, 2))
    assert e.value.__notes__ == ["fold 0 was held out"]


def test_steps_come_in_the_order_of_the_folds() -> None:
    steps: list[FoldScore] = []
    found = cross_validate(
        [[1.0]] * 4, list("abab"), fit_constant, folds(4, 4), on_step=steps.append
    )
    assert tuple(steps) == found.folds and [s.fold for s in steps] == [0, 1, 2, 3]


def test_any_executor_gives_the_same_scores() -> None:
    X, y = [[F(i), F(i % 3)] for i in range(8)], list("abcabcab")
    fit = partial(fit_multiclass_svm, C="1/2")
    alone = cross_validate(X, y, fit, folds(8, 4, y))
    with ThreadPoolExecutor(2) as threads:
        assert cross_validate(X, y, fit, folds(8, 4, y), executor=threads) == alone
    assert cross_validate(X, y, fit, folds(8, 4, y), zero_one, executor=Pickling()) == alone
    hinges = partial(cross_validate, X, y, fit, folds(8, 4, y), ScoreLoss(multiclass_hinge))
    assert hinges(executor=Pickling()) == hinges()


def test_rows_and_labels_may_be_arrays() -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 0]
    plain = cross_validate(X, y, fit_constant, folds(4, 2))
    assert cross_validate(Array(X), Array(y), fit_constant, folds(4, 2)) == plain
    assert cross_validate(X, y, fit_constant, Array([[0, 2], [1, 3]])) == plain


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [2.0]], [0], "y: expected 2 labels, one a row, got 1"),
        ([], [], "y: expected at least one label, got none"),
        ("ab", [0, 1], "X: expected a sequence of rows, got str"),
        ([1.0, 2.0], [0, 1], "X: row 0: expected a sequence of values, got float"),
    ],
)
def test_data_that_do_not_fit_are_refused(X: object, y: list[int], message: str) -> None:
    with pytest.raises(DataError) as refusal:
        cross_validate(cast("list[list[float]]", X), y, fit_constant, [[0], [1]])
    assert str(refusal.value).startswith(message)


def test_ties_go_to_the_smaller_C() -> None:
    X, y = [[F(t)] for t in (-2, -1, 1, 2)], ["a", "a", "b", "b"]
    found = choose_C(X, y, fit_multiclass_svm, [8, "1/10", F(1, 3), 1], folds(4, 2))
    assert found.value == "1/10" and found.tied == ("1/10", F(1, 3), 1, 8)
    assert [trial.value for trial in found.trials] == ["1/10", F(1, 3), 1, 8]


def test_the_C_of_least_loss_wins_wherever_it_stands() -> None:
    # the hinge of held-out rows ±1: f(x) = min(C, 1/2)·x a class, so only C ≥ 1/2 has none
    X, y = [[F(-1)], [F(1)], [F(-1)], [F(1)]], [0, 1, 0, 1]
    parts, loss = [[0, 1], [2, 3]], ScoreLoss(multiclass_hinge)
    found = choose_C(X, y, fit_multiclass_svm, [4, "1/16", "1/8", "1/4"], parts, loss)
    assert [trial.validation.score for trial in found.trials] == [F(3, 4), F(1, 2), 0, 0]
    assert found.value == "1/4" and found.tied == ("1/4", 4)


def test_any_parameter_can_be_chosen_and_any_policy() -> None:
    X, y = [[F(i)] for i in range(6)], [0, 0, 0, 0, 1, 1]
    steps: list[Trial[int]] = []
    flips: Choice[int] = choose_parameter(
        X, y, fit_constant, "flip", [1, 0], folds(6, 2, y), on_step=steps.append
    )
    assert flips.value == 0 and flips.tied == (0,) and tuple(steps) == flips.trials
    assert [trial.validation.score for trial in steps] == [F(2, 3), F(1, 3)]
    kernels = [polynomial(d) for d in (1, 3)]
    fit = partial(fit_multiclass_svm, C=1)
    odd = [-1, -1, 1, 1]
    rows = [[F(t)] for t in (-2, -1, 1, 2)]
    chosen = choose_parameter(rows, odd, fit, "kernel", kernels, folds(4, 2), tie=last)
    assert chosen.tied == tuple(kernels) and chosen.value == polynomial(3)


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ([], "grid: expected a sequence of values, got []"),
        ("1", "grid: expected a sequence of numbers, got '1'"),
        ([1, "x"], "grid: position 1: 'x' is not a number"),
        (3, "grid: expected a sequence of numbers, got 3"),
    ],
)
def test_grids_that_are_none_are_refused(grid: Sequence[int], message: str) -> None:
    with pytest.raises(ParameterError) as refusal:
        choose_C([[1.0], [2.0]], [0, 1], fit_multiclass_svm, grid, folds(2, 2))
    assert str(refusal.value).startswith(message)


def test_iris_in_three_folds() -> None:
    rows, labels = table("iris.csv")
    X, y = rows[::3], labels[::3]
    found = choose_C(X, y, fit_multiclass_svm, [1, "1/100"], folds(len(y), 3, y))
    best = found.trials[[trial.value for trial in found.trials].index(found.value)].validation
    counts = confusion_matrix(predicted=best.predicted, y=y)
    assert found.value == 1 and best.score < F(1, 10)
    assert counts.size == len(y) and counts.report("setosa").recall == 1


def test_every_trial_of_the_choice_of_C_is_shown_by_increasing_C() -> None:
    X, y, steps = [[1.0], [-1.0], [2.0], [-2.0]], [0, 1, 0, 1], list[Any]()
    choose_C(X, y, fit_multiclass_svm, [2, 1], [[0, 1], [2, 3]], on_step=steps.append)
    assert [step.value for step in steps] == [1, 2]
