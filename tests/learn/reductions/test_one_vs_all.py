"""One-vs-all against plain restatements of the lectures' rules, and in its borderline cases."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction as F
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.logs import Log
from refmc.core.records import parse_json
from refmc.core.scalars import sign
from refmc.core.ties import first, last, refuse
from refmc.errors import (
    DataError,
    FormatError,
    MixedArithmeticError,
    NotSeparableError,
    ParameterError,
    TieError,
)
from refmc.learn.online.perceptron import fit_perceptron
from refmc.learn.reductions.members import ABSENT, BinaryStep, ask, read_scores
from refmc.learn.reductions.one_vs_all import (
    OneVsAll,
    by_claim,
    by_score,
    by_score_among_claims,
    fit_one_vs_all,
    one_vs_all_from_record,
)
from refmc.learn.reductions.one_vs_one import fit_one_vs_one
from refmc.learn.svm.binary import fit_binary_svm, fit_hard_svm
from refmc.learn.svm.binary_model import model_from_record
from tests.support import InTurn

svm = partial(fit_binary_svm, C=1)
halves = st.integers(-4, 4).map(lambda n: F(n, 2))  # zeros and ties abound


def mean_difference(X: Sequence[Sequence[F]], y: Sequence[int]) -> Callable[[Sequence[F]], F]:
    """A learner of a few lines: w is the mean of the rows of +1 minus that of −1, without bias."""
    means = []
    for side in (1, -1):
        rows = [x for x, s in zip(X, y, strict=True) if s == side]
        means.append([sum(column, F(0)) / len(rows) for column in zip(*rows)])
    w = [a - b for a, b in zip(*means, strict=True)]
    return lambda x: sum((a * b for a, b in zip(w, x, strict=True)), F(0))


THREE = [[F(1), F(0)], [F(0), F(1)], [F(-1), F(-1)]]


def decided(scores: Sequence[Any], **choices: Any) -> OneVsAll:
    k = len(scores)
    return fit_one_vs_all([[F(i)] for i in range(k)], range(k), InTurn(*scores), **choices)


@given(st.lists(st.tuples(halves, halves, st.sampled_from("abc")), min_size=3, max_size=8))
def test_each_class_is_trained_against_the_rest_and_the_highest_score_wins(data: Any) -> None:
    X, y = [[a, b] for a, b, _ in data], [label for _, _, label in data]
    classes = sorted(set(y))
    if len(classes) < 3:
        return
    model = fit_one_vs_all(X, y, mean_difference)
    for x in X:
        scores = [mean_difference(X, [1 if t == c else -1 for t in y])(x) for c in classes]
        assert list(model.scores(x)) == scores
        best = tuple(c for c, s in zip(classes, scores) if s == max(scores))
        assert model.predict_set(x) == best
        assert model.predict([x]) == [best[0]]


def test_scores_of_minus_one_all_round_tie_all_classes_by_every_decision() -> None:
    for decide in (by_score, by_claim, by_score_among_claims):
        model = decided([F(-1)] * 3, decide=decide)
        assert model.predict_set([F(0)]) == (0, 1, 2)


def test_claims_leave_ambiguous_regions_that_scores_settle() -> None:
    assert decided([F(2), F(3), F(-1)], decide=by_claim).predict_set([F(0)]) == (0, 1)
    assert decided([F(-2), F(-3), F(-1)], decide=by_claim).predict_set([F(0)]) == (0, 1, 2)
    assert decided([F(-2), F(0), F(-1)], decide=by_claim).predict_set([F(0)]) == (1,)
    assert decided([F(2), F(3), F(-1)], decide=by_score_among_claims).predict_set([F(0)]) == (1,)


@given(st.lists(halves, min_size=1, max_size=6))
def test_scores_among_the_tied_always_choose_as_scores_alone(scores: list[F]) -> None:
    assert by_score_among_claims(scores) == by_score(scores)
    assert set(by_score(scores)) <= set(by_claim(scores))


def test_a_class_between_two_others_is_separable_from_each_and_not_from_both() -> None:
    line, labels = [[F(0)], [F(1)], [F(2)]], ["a", "b", "c"]
    with pytest.raises(NotSeparableError) as caught:
        fit_one_vs_all(line, labels, fit_hard_svm)
    assert caught.value.__notes__ == ["in binary problem 1"]
    assert fit_one_vs_one(line, labels, fit_hard_svm).predict(line) == labels


def test_one_class_is_predicted_without_training() -> None:
    steps: list[BinaryStep] = []
    model = fit_one_vs_all([[F(1)], [F(2)]], ["a", "a"], InTurn(), on_step=steps.append)
    assert model.predict([[F(7)]]) == ["a"]
    assert model.scores([F(7)]) == (0,)
    assert steps == []
    assert model.models == ()


def test_two_classes_make_one_problem() -> None:
    model = fit_one_vs_all([[F(1)], [F(-1)]], ["a", "b"], svm)
    assert len(model.models) == 1
    assert model.scores([F(1, 2)]) == (F(1, 2), F(-1, 2))
    assert model.predict_set([F(0)]) == ("a", "b")
    assert model.predict([[F(1)], [F(-3)]]) == ["a", "b"]


def test_a_class_without_rows_is_skipped_and_never_predicted() -> None:
    steps: list[BinaryStep] = []
    model = fit_one_vs_all(
        [[F(1)], [F(-1)], [F(0)]],
        ["a", "c", "d"],
        mean_difference,
        classes=["a", "b", "c", "d"],
        on_step=steps.append,
    )
    assert model.skipped == ("b",)
    assert [step.model is None for step in steps] == [False, True, False, False]
    assert steps[2].positive == ("c",)
    assert steps[2].negative == ("a", "b", "d")
    assert steps[2].rows == 3
    assert model.scores([F(-1)])[1] == ABSENT
    for t in range(-3, 4):
        assert "b" not in model.predict_set([F(t)])
    alone = fit_one_vs_all([[F(1)]], ["b"], mean_difference, classes=["a", "b"])
    assert alone.predict([[F(5)]]) == ["b"]
    assert alone.skipped == ("a",)


def test_ties_follow_the_policy() -> None:
    assert decided([F(1)] * 3, tie=first).predict([[F(0)]]) == [0]
    assert decided([F(1)] * 3, tie=last).predict([[F(0)]]) == [2]
    with pytest.raises(TieError):
        decided([F(1)] * 3, tie=refuse).predict([[F(0)]])


def test_threads_and_processes_train_the_same_models() -> None:
    alone = fit_one_vs_all(THREE, ["a", "b", "c"], svm)
    for pool in (ThreadPoolExecutor(2), ProcessPoolExecutor(1)):
        with pool:
            assert fit_one_vs_all(THREE, ["a", "b", "c"], svm, executor=pool) == alone


def test_scores_may_be_exact_logarithms() -> None:
    model = decided([Log([(9, 1)]), 2 * Log([(3, 1)]), Log([(8, 1)])])
    assert model.predict_set([F(0)]) == (0, 1)
    assert sign(model.scores([F(0)])[2]) == 1


def test_logarithms_are_ordered_beside_fractions_but_not_beside_floats() -> None:
    # ln 2 < 7/10 < ln 3: of boosted classifiers one can be perfect, and has a score of 1 or -1
    model = decided([Log([(2, 1)]), F(7, 10), Log([(3, 1)])])
    assert model.predict_set([F(0)]) == (2,)
    assert decided([Log([(2, 1)]), F(7, 10), F(0)]).predict_set([F(0)]) == (1,)
    with pytest.raises(MixedArithmeticError, match="binary problem 1: the float 0.5"):
        decided([Log([(2, 1)]), 0.5, Log()]).scores([F(0)])


def test_floats_and_whole_numbers_keep_their_arithmetic() -> None:
    floats = fit_one_vs_all([[1.0], [0.0], [-1.0]], [1, 2, 3], InTurn(1, 0.5, -2))
    assert floats.scores([0.0]) == (1.0, 0.5, -2.0)
    assert all(isinstance(s, float) for s in floats.scores([0.0]))
    whole = decided([1, 2, 3])
    assert all(isinstance(s, F) for s in whole.scores([F(0)]))
    assert read_scores([0, Log([(2, 1)])], 0.0)[0] == 0


def test_bad_scores_are_refused_with_their_problem() -> None:
    cases: list[tuple[Any, type[Exception]]] = [
        (float("nan"), DataError),
        (float("inf"), DataError),
        ("1", DataError),
        (0.5, MixedArithmeticError),
    ]
    for score, error in cases:
        with pytest.raises(error, match="binary problem [12]"):
            decided([F(0), score, F(1)]).scores([F(0)])


def test_a_scorer_without_an_answer_is_not_taken_for_a_skipped_problem() -> None:
    with pytest.raises(DataError, match="binary problem 1: expected a number, got None"):
        decided([F(1), None, F(0)]).predict([[F(0)]])


def test_what_is_no_function_is_refused_before_any_training() -> None:
    with pytest.raises(ParameterError, match="binary: expected a learner .* got None"):
        fit_one_vs_all(THREE, [1, 2, 3], None)  # type: ignore[arg-type]  # refused
    with pytest.raises(ParameterError, match="decide: expected a function .* got 'score'"):
        fit_one_vs_all(THREE, [1, 2, 3], svm, decide="score")  # type: ignore[arg-type]  # refused


def test_bad_input_is_refused_with_its_place() -> None:
    with pytest.raises(DataError, match="x: expected 2 numbers, got 1"):
        fit_one_vs_all(THREE, [1, 2, 3], svm).predict_set([F(1)])
    with pytest.raises(DataError, match="X: row 0: expected 2 numbers, got 3"):
        fit_one_vs_all(THREE, [1, 2, 3], svm).predict([[F(1)] * 3])
    with pytest.raises(DataError, match="y: expected 3 labels"):
        fit_one_vs_all(THREE, [1, 2], svm)
    with pytest.raises(ParameterError, match="a model with decision"):
        fit_one_vs_all(THREE, [1, 2, 3], lambda X, y: 7)

    def failing(X: Any, y: Any) -> Any:
        raise DataError("no")

    with pytest.raises(DataError) as caught:
        fit_one_vs_all(THREE, [1, 2, 3], failing)
    assert caught.value.__notes__ == ["in binary problem 0"]


def test_arguments_are_not_modified() -> None:
    X, y = [list(row) for row in THREE], ["a", "b", "c"]
    fit_one_vs_all(X, y, fit_perceptron)
    assert (X, y) == (THREE, ["a", "b", "c"])


@given(st.permutations(["a", "b", "c"]))
def test_the_order_of_classes_only_orders_the_scores(order: list[str]) -> None:
    plain = fit_one_vs_all(THREE, ["a", "b", "c"], mean_difference)
    turned = fit_one_vs_all(THREE, ["a", "b", "c"], mean_difference, classes=order)
    for x in THREE:
        assert dict(zip(order, turned.scores(x))) == dict(zip("abc", plain.scores(x)))
        assert set(turned.predict_set(x)) == set(plain.predict_set(x))


def test_a_saved_model_comes_back_equal() -> None:
    for k, decide in ((1, by_score), (2, by_claim), (3, by_score_among_claims)):
        y = ["a", "b", "c"][:k]
        model = fit_one_vs_all(THREE[:k], y, svm, classes=y, decide=decide)
        record = parse_json(model.to_json(), "model")
        assert one_vs_all_from_record(record, first, model_from_record) == model


def test_what_cannot_be_saved_or_loaded_is_named() -> None:
    with pytest.raises(ParameterError, match="binary problem 0: .* can't be saved"):
        fit_one_vs_all(THREE, [1, 2, 3], mean_difference).to_json()
    model = fit_one_vs_all(THREE, [1, 2, 3], svm, decide=lambda scores: (0,))
    with pytest.raises(ParameterError, match="decide: .* can't be saved; known: by_score"):
        model.to_json()
    record = dict(parse_json(fit_one_vs_all(THREE, [1, 2, 3], svm).to_json(), "model"))
    for name, value, match in [
        ("decide", "by_luck", "model.decide"),
        ("binary", [None], "model.binary: expected 3 models, got 1"),
        ("present", [0, 3], "model.present"),
        ("present", [-1, 0], "model.present"),
        ("present", [1, 0], "model.present: expected increasing"),
        ("width", 0, "width"),
    ]:
        with pytest.raises(FormatError, match=match):
            one_vs_all_from_record(record | {name: value}, first, model_from_record)


def test_a_skipped_problem_scores_zero_in_the_arithmetic_of_the_others() -> None:
    assert ask([None, lambda x: 0.5], (), F(0)) == [0.0, 0.5]
    assert ask([None], (), F(0)) == [F(0)]
