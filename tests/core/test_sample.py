"""Validation at the boundary: rows, labels, classes, weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.labelled import Sample
from refmc.core.labels import read_two_classes
from refmc.core.sample import (
    Label,
    Labels,
    Matrix,
    ReadRows,
    Row,
    read_labels,
    read_row,
    read_rows,
    read_together,
    read_vector,
)
from refmc.errors import DataError, MixedArithmeticError, ParameterError, RefmcError
from tests.support import Array, printed_under_two_hash_seeds

HALF = Fraction(1, 2)


@st.composite
def tables(draw: st.DrawFn, entry: st.SearchStrategy[object]) -> list[list[object]]:
    width = draw(st.integers(1, 3))
    return draw(st.lists(st.lists(entry, min_size=width, max_size=width), min_size=1, max_size=4))


@given(tables(st.builds(Fraction, st.integers(), st.integers(min_value=1)) | st.integers()))
def test_fractions_keep_their_values_beside_ints(table: list[list[object]]) -> None:
    table[0][0] = HALF
    rows, zero = read_rows(cast(Matrix, table))
    assert [list(row) for row in rows] == table
    assert type(zero) is Fraction and all(type(entry) is Fraction for row in rows for entry in row)


@given(tables(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9)))
def test_other_data_are_floats_of_the_same_values(table: list[list[object]]) -> None:
    rows, zero = read_rows(cast(Matrix, table))
    assert [list(row) for row in rows] == table
    assert type(zero) is float and all(type(entry) is float for row in rows for entry in row)


@given(tables(st.integers(-9, 9)))
def test_lists_tuples_and_arrays_are_read_alike(table: list[list[object]]) -> None:
    expected = read_rows(cast(Matrix, table))
    assert read_rows(cast(Matrix, tuple(map(tuple, table)))) == expected
    assert read_rows(Array(table)) == expected
    assert read_rows(cast(Matrix, [Array(row) for row in table])) == expected
    assert read_rows(cast(Matrix, [[Array(entry) for entry in row] for row in table])) == expected


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([], "X: expected at least one row"),
        ([[]], "X: row 0 is empty"),
        ([[], []], "X: row 0 is empty"),
        ([[1], [1, 2]], "X: row 1 has 2 values, row 0 has 1"),
        ("ab", "X: expected a sequence of rows, got str"),
        (["ab"], "X: row 0: expected a sequence of numbers, got str"),
        ([b"ab"], "X: row 0: expected a sequence of numbers, got bytes"),
        ([[1.0], ["1"]], "X: row 1, column 0: expected a number, got '1'"),
        ([[1.0, None]], "X: row 0, column 1: expected a number"),
        ([[Decimal(1)]], "X: row 0, column 0: expected a number"),
        ([[1.0], [math.nan]], "X: row 1, column 0: expected a finite number, got nan"),
        ([[HALF, math.inf]], "X: row 0, column 1: expected a finite number, got inf"),
        ([[10**400]], "X: row 0: beyond the range of floats"),
        ([[[1.0]]], "X: row 0, column 0: expected a number"),
        ([1.0, 2.0], "X: row 0: expected a sequence of numbers, got float"),
        (3, "X: expected a sequence of rows, got int"),
        (None, "X: expected a sequence of rows"),
        ({"a": [1]}, "X: expected a sequence of rows, got dict"),
        (iter([[1]]), "X: expected a sequence of rows"),
        ([iter([1])], "X: row 0: expected a sequence of numbers"),
        (Array(1.0), "X: expected a sequence of rows, got float"),
    ],
)
def test_rows_that_cannot_be_used_are_refused_by_place(X: object, message: str) -> None:
    with pytest.raises(DataError) as refusal:
        read_rows(cast(Matrix, X))
    assert str(refusal.value).startswith(message)


def test_a_fraction_beside_a_float_in_any_part_is_refused() -> None:
    with pytest.raises(MixedArithmeticError, match=r"X: row 0, column 0\).*X: row 1, column 0"):
        read_rows([[HALF], [0.5]])
    with pytest.raises(MixedArithmeticError, match=r"Q: row 0, column 0\).*c: row 0, column 1"):
        read_together({"Q": [[HALF]], "c": [[1, 0.5]]})


def test_parts_read_together_share_the_arithmetic_of_any_fraction() -> None:
    parts, zero = read_together({"Q": [[1, 2]], "c": [[HALF]], "A": []})
    assert parts == {"Q": ((1, 2),), "c": ((HALF,),), "A": ()}
    assert type(zero) is Fraction and type(parts["Q"][0][0]) is Fraction


def test_a_vector_by_itself_decides_its_arithmetic() -> None:
    assert read_vector([HALF, 1], "s") == ((HALF, Fraction(1)), Fraction(0))
    values, zero = read_vector([1, 2], "s")
    assert values == (1, 2) and type(values[0]) is type(zero) is float
    with pytest.raises(DataError, match="^s: position 1: "):
        read_vector([0.0, math.nan], "s")


def test_a_row_follows_the_arithmetic_of_the_data() -> None:
    assert [type(entry) for entry in read_row([1, 2], Fraction(0), "x")] == [Fraction, Fraction]
    assert [type(entry) for entry in read_row([1, 2], 0.0, "x")] == [float, float]
    with pytest.raises(MixedArithmeticError, match="^x: floats where the data are Fractions"):
        read_row([0.5], Fraction(0), "x")
    with pytest.raises(MixedArithmeticError, match="^x: Fractions where the data are floats"):
        read_row([HALF], 0.0, "x")


@given(st.lists(st.text("aβ\0", max_size=2), min_size=1))
def test_labels_are_coded_by_their_sorted_order_and_come_back(labels: list[str]) -> None:
    codes, order = read_labels(labels, None, len(labels))
    assert list(order) == sorted(set(labels))
    assert [order[code] for code in codes] == labels


@given(st.lists(st.integers(0, 3), min_size=1), st.permutations(range(5)))
def test_classes_fix_the_order_and_may_be_absent_from_the_labels(
    labels: list[int], classes: list[int]
) -> None:
    codes, order = read_labels(labels, classes, len(labels))
    assert list(order) == classes
    assert [classes[code] for code in codes] == labels


def test_labels_of_any_ordered_hashable_type_are_legal() -> None:
    kinds: list[Sequence[Label]] = [
        [(1, "b"), (1, "a")],
        [True, False],
        [2.5, -1.0],
        [HALF, Fraction(1, 3)],
        [b"b", b"a"],
        [frozenset("ab"), frozenset("a")],  # one holds the other: an order after all
    ]
    for larger, smaller in kinds:
        codes, order = read_labels([larger, smaller], None, 2)
        assert (codes, order) == ((1, 0), (smaller, larger))
        assert type(order[0]) is type(smaller)


def test_labels_in_arrays_become_plain() -> None:
    assert read_labels(Array(["b", "a"]), None, 2) == ((1, 0), ("a", "b"))
    codes, order = read_labels([Array(3), Array(1)], None, 2)
    assert (codes, order) == ((1, 0), (1, 3))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([], "y: expected at least one label"),
        ("ab", "y: expected a sequence of labels, got str"),
        ({"a", "b"}, "y: expected a sequence of labels, got set"),
        (iter("ab"), "y: expected a sequence of labels"),
        (["a"], "y: expected 2 labels, one a row, got 1"),
        (["a", 1], "y: row 1: int 1 beside str 'a'"),
        ([True, 1], "y: row 1: int 1 beside bool True"),
        ([1, 1.0], "y: row 1: float 1.0 beside int 1"),
        (["a", None], "y: row 1: None is no label"),
        ([1.0, math.nan], "y: row 1: nan is no label"),
        ([[1], [2]], "y: row 0: [1] is not hashable"),
        ([(1, []), (2, [])], "y: row 0: (1, []) is not hashable"),
        ([1j, 2j], "y: labels of type complex have no order; give classes="),
        ([(1, "a"), ("a", 1)], "y: labels of type tuple have no order; give classes="),
        ([frozenset("a"), frozenset("b")], "y: labels of type frozenset have no order"),
    ],
)
def test_labels_that_cannot_be_used_are_refused_by_row(y: object, message: str) -> None:
    with pytest.raises(DataError) as refusal:
        read_labels(cast(Labels, y), None, 2)
    assert str(refusal.value).startswith(message)


def test_labels_without_an_order_are_legal_with_classes() -> None:
    y = [frozenset("a"), frozenset("b")]
    assert read_labels(y, y[::-1], 2) == ((1, 0), tuple(y[::-1]))


@pytest.mark.parametrize(
    ("label", "own"), [(1.0, 1), (True, 1), (1, 1.0), (Fraction(1), 1), (0, False)]
)
def test_a_label_that_equals_a_class_of_another_type_is_another_name(label: Any, own: Any) -> None:
    with pytest.raises(DataError, match=f"y: row 0: .*; labels are names, and {label} of type"):
        read_labels([label], [own], 1)


def test_true_is_not_the_label_plus_1() -> None:
    with pytest.raises(DataError, match=r"y: expected labels -1 and \+1, found True"):
        read_two_classes([True, True], None, 2)
    assert read_two_classes([1.0, -1.0], None, 2) == ((1, -1), (-1.0, 1.0))


def test_classes_must_be_distinct_and_cover_the_labels() -> None:
    with pytest.raises(ParameterError, match="classes: 'a' stands twice"):
        read_labels(["a"], ["b", "a", "a"], 1)
    with pytest.raises(DataError, match=r"y: row 1: label 'c' is not in classes=\('a', 'b'\)"):
        read_labels(["a", "c"], ["a", "b"], 2)
    with pytest.raises(DataError, match="classes: position 1: int 1 beside str 'a'"):
        read_labels(["a"], ["a", 1], 1)
    with pytest.raises(DataError, match="classes: expected at least one label"):
        read_labels(["a"], [], 1)


def test_messages_about_many_classes_stay_short() -> None:
    with pytest.raises(DataError) as refusal:
        read_labels([-1], range(10_000), 1)
    assert len(str(refusal.value)) < 200


def test_a_sample_keeps_rows_labels_and_weights_in_one_arithmetic() -> None:
    sample = Sample.read([[HALF, 1], [2, 3]], ["b", "a"], weights=[1, HALF])
    assert sample == Sample(
        rows=((HALF, Fraction(1)), (Fraction(2), Fraction(3))),
        y=(1, 0),
        classes=("a", "b"),
        weights=(Fraction(1), HALF),
        zero=Fraction(0),
    )
    assert Sample.read([[1]], [0]).zero == 0.0
    assert Sample.read([[1]], [0]).weights is None
    assert Sample.read([[1], [2]], [0, 1], weights=[0, 2.5]).weights == (0.0, 2.5)
    with pytest.raises(FrozenInstanceError):
        sample.zero = HALF  # type: ignore[misc]  # the assignment is what must fail


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ([1.0], DataError, "weights: expected 2, one a row, got 1"),
        ([1.0, -0.5], DataError, "weights: row 1: expected at least 0, got -0.5"),
        ([1.0, math.nan], DataError, "weights: position 1: expected a finite number"),
        ([HALF, HALF], MixedArithmeticError, "weights: Fractions where the data are floats"),
        ("ab", DataError, "weights: expected a sequence of numbers, got str"),
    ],
)
def test_weights_that_do_not_fit_are_refused(
    weights: object, error: type[RefmcError], message: str
) -> None:
    with pytest.raises(error) as refusal:
        Sample.read([[1.0], [2.0]], ["a", "b"], weights=cast(Row, weights))
    assert str(refusal.value).startswith(message)


@given(tables(st.integers(-9, 9)), st.data())
def test_arguments_are_left_as_they_were(table: list[list[object]], data: st.DataObject) -> None:
    labels = data.draw(st.lists(st.integers(0, 2), min_size=len(table), max_size=len(table)))
    weights = [1] * len(table)
    before = deepcopy((table, labels, weights))
    Sample.read(cast(Matrix, table), labels, weights=weights)
    assert (table, labels, weights) == before


def test_the_class_order_does_not_depend_on_the_hash_seed() -> None:
    printed = printed_under_two_hash_seeds(
        "from refmc.core.sample import read_labels;"
        "print(read_labels([(w, n) for w in 'bca' for n in (2, 1)], None, 6))"
    )
    assert len(printed) == 1


def test_rows_that_were_read_are_not_read_again_and_keep_their_arithmetic() -> None:
    rows, _ = read_rows([[Fraction(1, 2), 1], [2, Fraction(3)]])
    again, zero = read_rows(ReadRows(rows[1:]))
    assert again == ((Fraction(2), Fraction(3)),) and isinstance(zero, Fraction)
    floats, _ = read_rows([[1, 2], [3, 4]])
    assert isinstance(read_rows(ReadRows(floats))[1], float)
