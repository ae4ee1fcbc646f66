"""Rows of numbers and categories, read and sorted for trees and stumps alike."""

from __future__ import annotations

import csv
import io
import json
import math
from fractions import Fraction as F
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc import (
    CategoricalQuestion,
    Log,
    NumericQuestion,
    exact,
    fit_adaboost,
    fit_adaboost_mh,
    fit_stump,
    grow_tree,
    last,
    load_model,
)
from refmc.core.cells import read_cells, sort_columns
from refmc.core.sample import ReadRows, in_whole_numbers, row_weights
from refmc.errors import DataError, FormatError, MixedArithmeticError, ParameterError
from tests.drawn import ratios
from tests.support import reloaded

NUMBERS = st.one_of(
    st.integers(-2, 2),
    ratios(-2, 2, 3),
    # floats can't tell these from one another
    st.integers(0, 3).map(lambda n: 1 + F(n, 10**30)),
    st.integers(0, 1).map(lambda n: F(10**400 + n)),
)


@given(st.lists(NUMBERS, min_size=1, max_size=12))
def test_a_sorted_column_has_each_row_at_its_rank(cells: list[Any]) -> None:
    (column,) = sort_columns([[v] for v in cells]).columns
    assert [column.values[r] for r in column.ranks] == cells
    assert column.values == sorted(set(cells))
    assert column.order == sorted(range(len(cells)), key=lambda i: (cells[i], i))
    assert column.ends == [sum(v <= a for v in cells) for a in column.values]


def test_trees_and_stumps_ask_the_same_questions() -> None:
    X: list[list[Any]] = [[1, "p"], [2, "q"], [3, "q"]]
    stump, tree = fit_stump(X, [-1, 1, 1]).stump, grow_tree(X, [-1, 1, 1])
    assert isinstance(stump.question, NumericQuestion)
    assert stump.question == tree.root.question == NumericQuestion(0, 1)
    names = [[x[1]] for x in X]
    assert isinstance(fit_stump(names, [-1, 1, 1]).stump.question, CategoricalQuestion)


LEARNERS: list[Any] = [
    grow_tree,
    fit_stump,
    partial(fit_adaboost, rounds=1),
    partial(fit_adaboost_mh, rounds=1),
]


@pytest.mark.parametrize("fit", LEARNERS)
def test_strings_that_are_all_numbers_are_refused_unless_they_are_named(fit: Any) -> None:
    table = list(csv.DictReader(io.StringIO("x,y\n10,1\n9,1\n2,-1\n1,-1\n")))
    X, y = [[row["x"]] for row in table], [int(row["y"]) for row in table]
    with pytest.raises(DataError, match="column 0: its strings are all numbers, such as '1'"):
        fit(X, y)
    assert fit(exact(X), y).predict(exact(X)) == y
    model = fit(X, y, categorical=[0])
    assert model.predict(X) == y and model.kinds == ("category",)
    with pytest.raises(ParameterError, match="categorical: expected positions from 0 to 0"):
        fit(X, y, categorical=[1])
    assert fit([["a"], ["9"], ["2"], ["1"]], y).kinds == ("category",)


def test_rows_to_be_asked_about_fit_the_kinds_of_the_columns() -> None:
    kinds = ["number", "category"]
    assert read_cells([(1, "a"), (F(1, 2), "b"), (True, "c")], kinds)[1] == (F(1, 2), "b")
    assert read_cells([], kinds) == []
    for rows, message in (
        ([(1, "a"), ("b", "a")], "X: row 1, column 0: expected a number, got 'b'"),
        ([(1, 2)], "X: row 0, column 1: expected a string, got 2"),
        ([(1,)], "X: row 0: expected 2 values, got 1"),
        ([(1, "a"), (math.inf, "a")], "X: row 1, column 0: expected a finite number"),
        ([(1, "a"), (1, None)], "X: row 1, column 1: None is a missing value"),
    ):
        with pytest.raises(DataError, match=message):
            read_cells(rows, kinds)


def test_a_fraction_beside_a_float_is_found_among_equal_values() -> None:
    with pytest.raises(MixedArithmeticError, match="row 0, column 0.*row 1, column 0"):
        sort_columns([[F(1)], [1.0]])


def test_rows_that_were_read_are_numbers() -> None:
    data = sort_columns(ReadRows([(F(1), F(0)), (F(0), F(0))]))
    assert data.kinds == ("number", "number") and data.columns[0].order == [1, 0]


def test_weights_are_read_as_they_came_or_in_one_arithmetic() -> None:
    assert row_weights((0, 0.5, "1/3"), 3) == (0, 0.5, F(1, 3))
    exactly = row_weights([1, F(1, 2)], 2, F(0))
    assert exactly == (1, F(1, 2)) and set(map(type, exactly)) == {F}
    with pytest.raises(MixedArithmeticError, match="weights"):
        row_weights([0.5], 1, F(0))
    for bad, message in (
        ([1], "weights: expected 2, one a row, got 1"),
        ([1, -1], "weights: row 1: expected at least 0"),
        ([0, 0.0], "weights: expected at least one above 0"),
        ([1, math.nan], "weights: row 1: expected a finite number"),
        (3, "weights: expected a sequence"),
        ([1, "x"], "weights: row 1: 'x' is not a number"),
    ):
        with pytest.raises(DataError, match=message):
            row_weights(bad, 2)
    with pytest.raises(DataError, match="at least one above 0"):
        row_weights([0, 0], 2, 0.0)


def test_whole_numbers_and_their_unit_give_the_values_back() -> None:
    values: list[float | F] = [0.1, F(1, 3), 2, 0]
    whole, unit = in_whole_numbers(values)
    assert [n * unit for n in whole] == [F(0.1), F(1, 3), 2, 0]
    assert math.gcd(*whole) == 1 and in_whole_numbers([4, 6]) == ([2, 3], F(2))
    assert in_whole_numbers([0, 0]) == ([0, 0], F(1))


def test_unseen_categories_follow_one_rule_in_trees_stumps_and_boosting() -> None:
    X, y = [["p"], ["q"]], [-1, 1]
    for fit in LEARNERS:
        model = fit(X, y)
        assert [model.predict_set(x) for x in X] == [(-1,), (1,)]
        assert model.predict_set(["r"]) == (-1, 1) and model.predict([["r"], ["q"]]) == [-1, 1]
        again: Any = reloaded(model)
        assert again.predict_set(["r"]) == (-1, 1) and again.categories == (("p", "q"),)


def test_a_stump_about_an_unseen_category_leaves_the_vote_to_the_others() -> None:
    # + where the number is 0 and the category p. Round 1 asks for the number and errs on one row
    # of four, so α = ½ ln 3; that row weighs 1/2 then, and round 2 asks for the category and errs
    # on one that weighs 1/6, so α = ½ ln 5.
    X: list[list[Any]] = [[F(0), "p"], [F(1), "p"], [F(0), "q"], [F(1), "q"]]
    model = fit_adaboost(X, [1, -1, -1, -1], rounds=2)
    three, five = Log([(3, F(1, 2))]), Log([(5, F(1, 2))])
    assert model.decision([F(0), "p"]) == three + five
    assert model.decision([F(1), "p"]) == five - three
    assert model.decision([F(0), "r"]) == three and model.decision([F(1), "r"]) == -three
    assert model.predict([[F(0), "r"], [F(1), "r"]]) == [1, -1]


def test_an_unseen_category_reaches_every_leaf_that_its_other_cells_allow() -> None:
    X: list[list[Any]] = [["p", 0], ["p", 1], ["q", 0], ["q", 1], ["s", 0], ["s", 1]]
    tree = grow_tree(X, ["a", "b", "c", "d", "c", "d"])
    assert tree.predict_set(["r", 0]) == ("a", "c") and tree.predict_set(["r", 1]) == ("b", "d")
    assert tree.scores(["r", 0]) == (F(1, 3), F(0), F(2, 3), F(0))
    assert grow_tree(X, ["a", "b", "c", "d", "c", "d"], tie=last).predict([["r", 0]]) == ["c"]
    assert tree.predict([["q", 1], ["r", 0]]) == ["d", "a"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([None], "expected 2 entries"),
        ([["a"], ["a"]], r"categories\[0\]: expected null"),
        ([None, [1]], r"categories\[1\]: expected a string"),
        ([None, []], r"categories\[1\]: expected a list that isn't empty"),
    ],
)
def test_damaged_categories_of_saved_models_are_refused(value: Any, message: str) -> None:
    X: list[list[Any]] = [[1, "a"], [2, "b"]]
    for fit in LEARNERS:
        record = json.loads(fit(X, [-1, 1]).to_json())
        with pytest.raises(FormatError, match=message):
            load_model(json.dumps({**record, "categories": value}))


@pytest.mark.parametrize("fit", LEARNERS)
def test_a_model_saved_without_the_categories_that_it_saw_is_read(fit: Any) -> None:
    record = json.loads(fit([["p"], ["q"]], [-1, 1]).to_json())
    del record["categories"]
    again: Any = load_model(json.dumps(record))
    assert again.categories == (None,) and again.predict([["p"], ["q"]]) == [-1, 1]
