"""Measures of predictions against counts made row by row."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc import exact, fit_adaboost_mh
from refmc.errors import DataError, ParameterError
from refmc.theory.cost_graphs import tree_cost
from refmc.theory.costs import matrix_cost, row_costs, uniform_cost
from refmc.theory.losses import hamming, zero_one
from refmc.theory.metrics import accuracy, confusion_matrix, hamming_loss
from tests.support import Array

F = Fraction
LABELS = "abcd"
PAIRS = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1)
SETS = st.frozensets(st.sampled_from(LABELS))


@given(PAIRS)
def test_the_matrix_counts_each_pair_of_right_and_predicted_class(
    pairs: list[tuple[str, str]],
) -> None:
    y, predicted = [p[0] for p in pairs], [p[1] for p in pairs]
    table = confusion_matrix(predicted=predicted, y=y, classes=list(LABELS))
    for a, row in zip(LABELS, table.counts):
        assert row == tuple(pairs.count((a, b)) for b in LABELS)
    assert table.size == len(pairs)
    shorter = confusion_matrix(predicted=predicted, y=y)
    assert shorter.classes == tuple(sorted({*y, *predicted}))
    assert shorter.accuracy == table.accuracy == accuracy(predicted, y)


@given(PAIRS)
def test_measures_of_classes_are_shares_of_rows(pairs: list[tuple[str, str]]) -> None:
    y, predicted = [p[0] for p in pairs], [p[1] for p in pairs]
    table = confusion_matrix(predicted=predicted, y=y, classes=list(LABELS))
    for label in LABELS:
        found = [a for a, b in pairs if b == label]
        of_it = [b for a, b in pairs if a == label]
        report = table.report(label)
        assert (report.size, report.predicted) == (len(of_it), len(found))
        assert report.precision == (F(found.count(label), len(found)) if found else None)
        assert report.recall == (F(of_it.count(label), len(of_it)) if of_it else None)
    assert sum(report.right for report in table.by_class) == table.accuracy * table.size


@given(PAIRS)
def test_the_mean_cost_is_that_of_the_rows(pairs: list[tuple[str, str]]) -> None:
    y, predicted = [p[0] for p in pairs], [p[1] for p in pairs]
    table = confusion_matrix(predicted=predicted, y=y, classes=list(LABELS))
    cost = tree_cost({"a": "r", "b": "r", "c": "a", "d": "c"}, classes=list(LABELS))
    sums = F(0)
    for a, b in pairs:
        sums += F(cost(LABELS.index(b), LABELS.index(a)))
    assert table.mean_cost(cost) == sums / len(pairs)
    assert table.mean_cost(uniform_cost(4)) == 1 - table.accuracy
    wrong = sum(zero_one(b, a) for a, b in pairs)
    assert table.accuracy == 1 - F(wrong, len(pairs))


def test_the_mean_cost_has_the_direction_and_the_arithmetic_of_the_costs() -> None:
    table = confusion_matrix(predicted=[1, 1, 0], y=[0, 0, 0])
    assert table.mean_cost(matrix_cost([[0, 7], [3, 0]])) == 2  # 1 predicted, 0 right: row 1
    found = table.mean_cost(matrix_cost([[0, 0.5], [0.25, 0]]))
    assert type(found) is float and found == 0.5 / 3
    with pytest.raises(ParameterError, match="no class at 2; the costs know 2"):
        confusion_matrix(predicted=[0], y=[0], classes=[0, 1, 2]).mean_cost(uniform_cost(2))


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        (row_costs([[0, 7]]), r"cost: .* the rows that row costs belong to; take the mean of rows"),
        ([[0, 7], [3, 0]], "cost: expected a table, or a function .*, got "),
    ],
)
def test_a_mean_cost_of_what_are_no_costs_of_classes_is_refused(cost: Any, message: str) -> None:
    table = confusion_matrix(predicted=[1], y=[0])
    with pytest.raises(ParameterError, match=message):
        table.mean_cost(cost)


def test_classes_never_predicted_or_without_rows_have_no_measure() -> None:
    table = confusion_matrix(predicted=["a", "a"], y=["a", "b"], classes=["a", "b", "c"])
    assert [report.precision for report in table.by_class] == [F(1, 2), None, None]
    assert [report.recall for report in table.by_class] == [F(1), F(0), None]


def test_the_printed_table_is_aligned() -> None:
    y = [1] * 12 + [2] * 3
    table = confusion_matrix(predicted=[1] * 11 + [2, 2, 2, 1], y=y, classes=[1, 2, 30])
    assert str(table).split("\n") == [
        "right \\ predicted      1    2     30   recall",
        "1                     11    1      0    11/12",
        "2                      1    2      0      2/3",
        "30                     0    0      0  no rows",
        "precision          11/12  2/3  never",
        "accuracy 13/15: 13 of 15 rows are right",
    ]


def test_labels_come_back_as_they_were() -> None:
    table = confusion_matrix(predicted=Array([1, 2]), y=Array([1, 1]), classes=[1, 2])
    assert table.classes == (1, 2) and table.counts == ((1, 1), (0, 0))
    assert confusion_matrix(predicted=[True], y=[True]).classes == (True,)


@pytest.mark.parametrize(
    ("predicted", "y", "classes", "message"),
    [
        (["a"], ["a", "b"], None, "predicted: expected 2 labels, one a row, got 1"),
        ([], [], None, "predicted: expected at least one label, got none"),
        ("ab", ["a", "b"], None, "predicted: expected a sequence of labels, got str"),
        (["a"], "a", None, "y: expected a sequence of labels, got str"),
        ([["a"]], ["a"], None, "predicted: row 0: ['a'] is not hashable"),
        (["c"], ["a"], ["a", "b"], "predicted: row 0: label 'c' is not in classes=('a', 'b')"),
        (["a"], ["c"], ["a", "b"], "y: row 0: label 'c' is not in classes=('a', 'b')"),
        (
            [0, "a"],
            ["a", "a"],
            None,
            "predicted: row 1: str 'a' beside int 0; labels must be of one type",
        ),
        (["a", "a"], ["a", 1], None, "y: row 1: int 1 beside str 'a'"),
        ([1.0], [1], None, "predicted: row 0: label 1.0 is not in classes=(1,); labels are names"),
        (
            [True],
            [1],
            None,
            "predicted: row 0: label True is not in classes=(1,); labels are names",
        ),
    ],
)
def test_labels_that_do_not_fit_are_refused(
    predicted: Sequence[str], y: Sequence[str], classes: list[str] | None, message: str
) -> None:
    with pytest.raises(DataError) as refusal:
        confusion_matrix(predicted=predicted, y=y, classes=classes)
    assert str(refusal.value).startswith(message)


def test_a_report_of_an_unknown_class_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"^label 'x' is not in classes=\('a',\)"):
        confusion_matrix(predicted=["a"], y=["a"]).report("x")


@given(st.lists(st.tuples(SETS, SETS), min_size=1, max_size=6))
def test_the_hamming_loss_of_sets_is_that_of_their_codes(
    pairs: list[tuple[frozenset[str], frozenset[str]]],
) -> None:
    predicted, Y = [p[0] for p in pairs], [p[1] for p in pairs]
    codes = ([[1 if c in labels else -1 for c in LABELS] for labels in p] for p in (predicted, Y))
    mean = sum((hamming(a, b) for a, b in zip(*codes)), F(0)) / len(pairs)
    found = hamming_loss(predicted, Y, classes=list(LABELS))
    assert type(found) is Fraction and found == mean == hamming_loss(
        Y, predicted, classes=Array(list(LABELS))
    )
    as_arrays = hamming_loss(
        Array([list(a) for a in predicted]), Array(Y), classes=Array(list(LABELS))
    )
    assert as_arrays == mean


@pytest.mark.parametrize("low", [-1, 0])
def test_the_hamming_loss_reads_rows_of_signs_sets_and_single_labels_alike(low: int) -> None:
    rows = [[1, low, low], [1, 1, low]]
    assert hamming_loss([rows[0]], [rows[1]]) == F(1, 3)
    assert hamming_loss([{0}, {2}], rows) == F(0 + 3, 6)
    assert hamming_loss(rows, [{0}, {0, 1}]) == 0
    assert hamming_loss(["a", "b"], ["a", "c"]) == F(2, 6)  # of b and c one too many, one too few
    assert hamming_loss([{"a"}, {"b", "c"}], ["a", "c"]) == F(1, 6)


def test_the_hamming_loss_of_a_model_of_sets_is_that_of_its_last_round() -> None:
    X, Y = [[0], [1], [2], [3]], [[1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, 1, 1]]
    model = fit_adaboost_mh(exact(X), Y, rounds=1)
    assert hamming_loss(model.predict(exact(X)), Y) == model.rounds[-1].loss


def test_absent_classes_count_in_the_hamming_loss_where_they_are_named() -> None:
    sets: tuple[list[set[str]], list[set[str]]] = ([{"a"}, set()], [{"b"}, {"a"}])
    assert hamming_loss(*sets) == F(3, 4)
    assert hamming_loss(*sets, classes=["a", "b", "c"]) == F(1, 2)


@pytest.mark.parametrize(
    ("predicted", "Y", "classes", "message"),
    [
        ([{"a"}], [{"a"}, {"b"}], None, "predicted: expected 2 entries, one a row, got 1"),
        ([{"a"}, "a"], [{"a"}, {"b"}], None, "predicted: row 1: expected a set of labels, got 'a'"),
        ("a", [{"a"}], None, "predicted: expected a sequence, one entry a row, got str"),
        ([[["a"]]], [{"a"}], None, "predicted: row 0, label 0: expected -1 or 1, got ['a']"),
        ([[1, -1], [1]], [[1, -1], [1, 1]], None, "predicted: row 1: expected 2 signs"),
        ([{"x", "y"}], [{"a"}], ["a"], "predicted: row 0: label 'x' is not in classes"),
        ([set()], [set()], None, "Y: no label occurs in any set; give classes="),
    ],
)
def test_label_sets_that_do_not_fit_are_refused(
    predicted: object, Y: object, classes: list[str] | None, message: str
) -> None:
    with pytest.raises(DataError) as refusal:
        hamming_loss(cast("list[set[str]]", predicted), cast("list[set[str]]", Y), classes=classes)
    assert str(refusal.value).startswith(message)
