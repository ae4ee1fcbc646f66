"""Stumps against every question, polarity and constant, judged as the lecture does."""

import json
from collections.abc import Sequence
from fractions import Fraction as F
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.cells import sort_columns
from refmc.core.records import parse_json
from refmc.core.ties import last, refuse
from refmc.errors import DataError, FormatError, MixedArithmeticError, TieError
from refmc.learn.boosting.stumps import (
    MAX_CATEGORIES,
    Stump,
    best_stumps,
    fit_stump,
    stump_from_record,
)
from refmc.learn.trees.questions import CategoricalQuestion, NumericQuestion
from refmc.lectures import lu

cells = st.tuples(st.integers(-2, 2).map(lambda n: F(n, 2)), st.sampled_from("abc"))
THREE: list[list[Any]] = [[F(0)], [1], [2]]
weight = st.integers(0, 3).map(lambda n: F(n, 3))


@st.composite
def samples(draw: st.DrawFn, labels: int = 1) -> tuple[list[Any], list[Any], list[Any]]:
    """Rows of a number and a category, k signs a row, k weights a row that aren't all 0."""
    m = draw(st.integers(1, 6))
    X = draw(st.lists(cells, min_size=m, max_size=m))
    signs = st.tuples(*[st.sampled_from([-1, 1])] * labels)
    Y = draw(st.lists(signs, min_size=m, max_size=m))
    D = draw(st.lists(st.tuples(*[weight] * labels), min_size=m, max_size=m))
    return X, Y, D if any(map(any, D)) else [(F(1),) * labels] * m


def answers_of_all_questions(X: Sequence[Sequence[Any]]) -> list[list[bool]]:
    """Every way that a threshold or a set of categories parts the rows, and the constant."""
    questions = lu.questions(tuple(range(len(X))), [(x, 0) for x in X])
    return [*([lu.answer(q, x) for x in X] for q in questions), [True] * len(X)]


def error(h: Sequence[Sequence[int]], Y: Sequence[Any], D: Sequence[Any]) -> F:
    S = [((i,), c) for i, c in enumerate(Y)]
    weights = {(i, l): d for i, row in enumerate(D) for l, d in enumerate(row)}
    return lu.epsilon(lambda x, l: h[x[0]][l], S, weights)


def behaviours(stumps: Sequence[Stump], X: Sequence[Any], k: int) -> set[Any]:
    """What the stumps and their free signs answer on the rows."""
    found = set()
    for stump in stumps:
        for flips in product([1, -1], repeat=len(stump.free)):
            flip = dict(zip(stump.free, flips))
            answers = [[v * flip.get(l, 1) for l, v in enumerate(stump.answer(x))] for x in X]
            found.add(tuple(map(tuple, answers)))
    return found


@given(samples(labels=2))
def test_the_tie_set_is_that_of_the_lecture(sample: Any) -> None:
    X, Y, D = sample
    errors: dict[Any, F] = {}
    for yes in answers_of_all_questions(X):
        for v in product([-1, 1], repeat=2):
            h = tuple(tuple(s if is_yes else -s for s in v) for is_yes in yes)
            errors[h] = error(h, Y, D)
    least = min(errors.values())
    whole = [[int(3 * d[l]) * c[l] for c, d in zip(Y, D)] for l in range(2)]
    tied = best_stumps(sort_columns(X), whole)
    assert behaviours(tied, X, 2) == {h for h, e in errors.items() if e == least}


@given(samples(labels=2))
def test_a_two_sided_stump_has_the_least_error_of_two_leaves(sample: Any) -> None:
    X, Y, D = sample
    sides = list(product([-1, 1], repeat=2))
    least = min(
        error([a if is_yes else b for is_yes in yes], Y, D)
        for yes in answers_of_all_questions(X)
        for a in sides
        for b in sides
    )
    whole = [[int(3 * d[l]) * c[l] for c, d in zip(Y, D)] for l in range(2)]
    for stump in best_stumps(sort_columns(X), whole, two_sided=True):
        assert error([stump.answer(x) for x in X], Y, D) == least


def test_either_sign_will_do_on_a_side_whose_weights_cancel() -> None:
    X, signed = [(0,), (0,), (1,), (1,)], [[1, -1, 1, 1]]  # one label
    (parted,) = [
        stump for stump in best_stumps(sort_columns(X), signed, two_sided=True) if stump.question
    ]
    assert parted.free == (0,)  # the rows of 0 weigh as much for as against


@given(samples())
def test_float_and_exact_stumps_agree(sample: Any) -> None:
    X, Y, D = sample
    y, weights = [c for (c,) in Y], [d for (d,) in D]
    exact = fit_stump(X, y, weights=weights)
    predictions: Any = [(h,) for h in exact.predict(X)]
    rounded = fit_stump(
        [(float(x[0]), x[1]) for x in X], y, weights=[float(3 * d) for d in weights]
    )
    assert exact.epsilon * sum(weights) == error(predictions, Y, D)
    assert rounded.tied == exact.tied  # a float threshold equals the Fraction
    assert rounded.epsilon == float(exact.epsilon)


@given(samples())
def test_running_sums_in_float_lose_no_candidate(sample: Any) -> None:
    X, Y, D = sample
    whole = [[int(3 * d) * c for (c,), (d,) in zip(Y, D)]]
    tenths = [[v / 10 for v in whole[0]]]
    exact = best_stumps(sort_columns(X), whole)
    found = best_stumps(sort_columns(X), tenths, doubt=2.0**-45)
    assert {stump.question for stump in found} == {stump.question for stump in exact}


def test_both_polarities_thresholds_sets_and_constants_are_candidates() -> None:
    model = fit_stump(THREE, [1, -1, -1])
    assert model.tied == (Stump(NumericQuestion(0, F(0)), (1,)),)
    model = fit_stump(THREE, [-1, 1, 1])
    assert model.tied == (Stump(NumericQuestion(0, F(0)), (-1,)),)
    colours = [["blue"], ["red"], ["green"], ["blue"]]
    (stump,) = fit_stump(colours, [1, 1, -1, 1]).tied
    assert stump.question == CategoricalQuestion(0, ("green",)) and stump.signs == (-1,)
    assert fit_stump([[1], [1]], [1, 1]).tied == (Stump(None, (1,)),)


def test_a_question_without_an_edge_has_a_free_sign() -> None:
    X: list[list[Any]] = [[F(0), 0], [0, 1], [1, 0], [1, 1]]
    model = fit_stump(X, [-1, 1, 1, -1])
    assert model.epsilon == F(1, 2)
    assert [stump.free for stump in model.tied] == [(0,)] * 3


def test_the_policy_chooses_among_the_tied() -> None:
    X = THREE
    assert fit_stump(X, [1, -1, 1]).stump.question == NumericQuestion(0, F(0))
    assert fit_stump(X, [1, -1, 1], tie=last).stump.question is None
    with pytest.raises(TieError):
        fit_stump(X, [1, -1, 1], tie=refuse)


def test_sorted_columns_serve_many_calls() -> None:
    X = [[0.5, "a"], [1.5, "b"], [0.5, "b"]]
    data = sort_columns(X)
    for y in ([1, -1, 1], [-1, -1, 1]):
        assert fit_stump(data, y) == fit_stump(X, y)


def test_neighbouring_floats_are_parted() -> None:
    a, b = 1.0, 1.0000000000000002
    assert fit_stump([[a], [b]], [1, -1]).predict([[a], [b]]) == [1, -1]


def test_weights_of_one_ten_millionth_decide() -> None:
    X = [[0.0], [1.0], [2.0]]
    weights = [1.0, 1e-17, 1.0]
    assert fit_stump(X, [1, 1, -1], weights=weights).tied == (Stump(NumericQuestion(0, 1.0), (1,)),)


def test_a_model_survives_saving() -> None:
    X: list[list[Any]] = [[F(1, 3), "a"], [F(2, 3), "b"], [1, "b"]]
    for y in (["no", "yes", "yes"], ["no", "yes", "no"]):
        model = fit_stump(X, y, classes=("no", "yes"))
        text = model.to_json()
        assert stump_from_record(parse_json(text, "model")) == model
        assert model.predict(X) == [model.predict_set(x)[0] for x in X]
        assert model.scores(X[0]) == (1, -1)


@pytest.mark.parametrize(
    "field, value, place",
    [
        ("kinds", ["text"], "model.kinds"),
        ("classes", ["a"], "model.classes"),
        ("tied", [], "model.tied"),
        ("stump", {"question": None, "signs": [2], "free": [], "otherwise": None}, "model.stump"),
        ("stump", {"question": None, "signs": [1], "free": [1], "otherwise": None}, "stump.free"),
        ("stump", {"question": 3, "signs": [1], "free": [], "otherwise": None}, "question"),
    ],
)
def test_a_damaged_record_names_its_field(field: str, value: Any, place: str) -> None:
    record = json.loads(fit_stump([[0.0], [1.0]], [1, -1]).to_json())
    with pytest.raises(FormatError, match=place):
        stump_from_record(record | {field: value})


@pytest.mark.parametrize(
    "X, message",
    [
        ([], "at least one row"),
        ([[]], "row 0 is empty"),
        ("ab", "expected a sequence of rows"),
        ([[1], [1, 2]], "row 1 has 2 values"),
        ([[1], ["a"]], "row 1, column 0"),
        ([[1], [None]], "row 1, column 0: None is a missing value"),
        ([[float("nan")]], "row 0, column 0"),
        ([[float("inf")]], "finite"),
        ([[f"c{i}"] for i in range(MAX_CATEGORIES + 1)], "column 0 has 13 categories"),
    ],
)
def test_bad_rows_name_their_place(X: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        fit_stump(X, [1] * max(len(X), 1))


@pytest.mark.parametrize(
    "weights, message",
    [([1], "expected 2"), ([1, -1], "row 1"), ([0, 0], "above 0"), (3, "sequence")],
)
def test_bad_weights_name_their_place(weights: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        fit_stump([[0], [1]], [1, -1], weights=weights)


def test_fractions_beside_floats_are_refused() -> None:
    with pytest.raises(MixedArithmeticError):
        fit_stump(THREE, [1, -1, 1], weights=[0.5, 0.5, 1.0])


def test_labels_other_than_signs_and_rows_of_other_columns_are_refused() -> None:
    with pytest.raises(DataError, match="classes"):
        fit_stump([[0], [1]], ["a", "b"])
    model = fit_stump([[0.0], [1.0]], [1, -1])
    with pytest.raises(DataError, match="row 1"):
        model.predict([[0.0], ["a"]])
    with pytest.raises(DataError, match="expected 1 values, got 2"):
        model.scores([0.0, 1.0])


def test_a_free_sign_is_shown_as_plus() -> None:
    assert fit_stump([[1], [1]], [1, -1]).tied == (Stump(None, (1,), (0,)),)


@pytest.mark.parametrize("column", [True, -1, 2, "0", None])
def test_a_saved_question_about_no_column_is_refused(column: Any) -> None:
    record = json.loads(fit_stump([[0.0, 5.0], [1.0, 5.0]], [1, -1]).to_json())
    record["stump"]["question"]["column"] = column
    with pytest.raises(FormatError, match="column: expected a column from 0 to 1"):
        stump_from_record(record)


def test_half_of_all_cuts_tie_and_each_is_named_once() -> None:
    """Rows of + and − in turn: a cut behind a + leaves an edge of 2, whichever it is."""
    m = 40
    X, y = [[F(i)] for i in range(m)], [1 if i % 2 == 0 else -1 for i in range(m)]
    exact = fit_stump(X, y)
    rounded = fit_stump([[float(i)] for i in range(m)], y)
    thresholds = [
        s.question.threshold for s in exact.tied if isinstance(s.question, NumericQuestion)
    ]
    assert thresholds == list(range(0, m, 2)) and len(exact.tied) == m // 2
    assert [s.signs for s in exact.tied] == [(1,)] * (m // 2)
    assert [s.signs for s in rounded.tied] == [(1,)] * (m // 2)
    assert exact.epsilon == F(m // 2 - 1, m)
