"""Reading rows, labels and weights: each is validated once, at the boundary.

[lu, "Multi-Class Classification Problem"]
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Sized
from fractions import Fraction
from itertools import chain, pairwise
from typing import Any, TypeGuard, cast

from refmc.core.scalars import (
    PLAIN_TYPES,
    ArrayLike,
    S,
    as_float,
    as_sequence,
    exact_number,
    is_exact,
    is_nan,
    plain,
    shown,
)
from refmc.errors import DataError, MixedArithmeticError, ParameterError

Label = Hashable
Row = Sequence[float] | Sequence[Fraction] | Sequence[float | Fraction] | ArrayLike
Matrix = Sequence[Row] | ArrayLike
Labels = Sequence[Label] | ArrayLike

Rows = tuple[tuple[Any, ...], ...]
"""Rows that were validated, in one arithmetic."""

MOST_VISITS = 10_000_000
"""The most visits of all rows: where weights are whole numbers of visits, these take their time."""


class ReadRows(Rows):
    """Rows that `read_rows` has validated, or some of these, which are not validated again.

    So a reduction validates its rows once, and not again for each of its learners.
    """


def read_rows(X: Matrix, name: str = "X") -> tuple[Rows, Any]:
    """The validated rows of `X` (at least one, of at least one column), and the zero.

    >>> read_rows(ReadRows([(Fraction(1, 2),)]))
    (((Fraction(1, 2),),), Fraction(0, 1))
    """
    if isinstance(X, ReadRows):
        return X, Fraction(0) if isinstance(X[0][0], Fraction) else 0.0
    parts, zero = read_together({name: X})
    check_filled(parts[name], name)
    return parts[name], zero


def check_filled(rows: Sequence[Sequence[object]], name: str) -> None:
    """`DataError` where there is no row or no column."""
    if not rows:
        raise DataError(f"{name}: expected at least one row, got none")
    if not rows[0]:
        raise DataError(f"{name}: row 0 is empty; expected at least one column")


def read_together(parts: Mapping[str, Matrix]) -> tuple[dict[str, Rows], Any]:
    """Several matrices, each without ragged rows, in one arithmetic, and its zero."""
    raw = {name: raw_rows(part, name) for name, part in parts.items()}
    zero: Any = Fraction(0) if is_exact(_places(raw)) else 0.0
    converted = {
        name: tuple(map(tuple, rows))
        if _kinds(rows) == {type(zero)}
        else tuple(_convert(row, zero, f"{name}: row {i}") for i, row in enumerate(rows))
        for name, rows in raw.items()
    }
    return converted, zero


def check_count(found: Sized, count: int, name: str = "x", what: str = "numbers") -> None:
    """`DataError` unless there are so many.

    >>> check_count([1, 2], 2)
    """
    if len(found) != count:
        raise DataError(f"{name}: expected {count} {what}, got {len(found)}")


def read_vector(row: Row, name: str) -> tuple[tuple[Any, ...], Any]:
    """One validated row by itself, in the arithmetic that its own numbers have, and the zero."""
    entries = raw_row(row, name)
    zero: Any = Fraction(0) if is_exact(_positions(entries, name)) else 0.0
    return _convert(entries, zero, name), zero


def raw_rows(part: object, name: str, of: str = "numbers") -> list[Sequence[Any]]:
    """Rows of one length, with their entries as they came.

    >>> raw_rows(((1, "a"),), "X", "values")
    [(1, 'a')]
    """
    outer = as_sequence(part, f"{name}: expected a sequence of rows")
    rows: list[Sequence[Any]] = [
        row if _is_plain(row) else raw_row(row, f"{name}: row {i}", of)
        for i, row in enumerate(outer)
    ]
    for i, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise DataError(
                f"{name}: row {i} has {len(row)} values, row 0 has {len(rows[0])}; "
                "rows must be equally long"
            )
    return rows


def read_row(row: Row, zero: S, name: str) -> tuple[S, ...]:
    """One validated row in the arithmetic of `zero`, converting nothing but ints."""
    entries = raw_row(row, name)
    types = set(map(type, entries))
    if types == {int} or (types == {type(zero)} and _are_plain([entries])):  # as most rows are
        return _convert(entries, zero, name)
    found_exact = is_exact(_positions(entries, name))
    all_ints = all(isinstance(entry, int) for entry in entries)
    if not all_ints and found_exact != isinstance(zero, Fraction):
        kinds = ("Fractions", "floats") if found_exact else ("floats", "Fractions")
        mend = "give floats" if found_exact else "lift it with exact()"
        raise MixedArithmeticError(f"{name}: {kinds[0]} where the data are {kinds[1]}; {mend}")
    return _convert(entries, zero, name)


def read_rows_as(X: Matrix, zero: S, name: str = "X") -> tuple[tuple[S, ...], ...]:
    """Validated rows in the arithmetic of `zero`, converting nothing but ints."""
    rows = enumerate(raw_rows(X, name))
    return tuple(read_row(row, zero, f"{name}: row {i}") for i, row in rows)


def row_weights(weights: object, m: int, zero: Any = None) -> tuple[Any, ...]:
    """One finite number of at least 0 a row, at least one of them above 0; else `DataError`.

    `zero`: that of the arithmetic in which the weights are wanted; whole numbers fit both, and a
    float beside Fractions, or the other way round, is a `MixedArithmeticError`. None: the numbers
    as they came, of any arithmetic, text and Decimals as Fractions.

    >>> row_weights([1, "1/2", 0.25], 3), row_weights([1, 0], 2, 0.0)
    ((1, Fraction(1, 2), 0.25), (1.0, 0.0))
    """
    if zero is None:
        given = as_sequence(weights, "weights: expected a sequence of numbers")
        found = tuple(_weight(plain(w), f"weights: row {i}") for i, w in enumerate(given))
    else:
        found = read_row(cast("Row", weights), zero, "weights")
    if len(found) != m:
        raise DataError(f"weights: expected {m}, one a row, got {len(found)}")
    for i, weight in enumerate(found):
        if weight < 0:
            raise DataError(f"weights: row {i}: expected at least 0, got {shown(weight)}")
    if not any(found):
        raise DataError("weights: expected at least one above 0, got none")
    return found


def _weight(value: Any, place: str) -> float | Fraction:
    try:
        lifted = exact_number(value, place)
    except ParameterError as error:
        raise DataError(str(error)) from None
    return value if isinstance(value, (int, float)) else lifted


def row_counts(weights: object, m: int) -> tuple[int, ...]:
    """How often each row is seen: once, or as its weight says, a whole number of times.

    So a weighted run is the run on the sample in which each row stands so often. A loss times a
    weight would be another run: one long step instead of several. Raises `DataError`.

    >>> row_counts(None, 2), row_counts([2, 0.0], 2)
    ((1, 1), (2, 0))
    """
    if weights is None:
        return (1,) * m
    found = row_weights(weights, m)
    for i, weight in enumerate(found):
        if weight != int(weight):
            raise DataError(
                f"weights: row {i}: expected a whole number, how often the row is seen, "
                f"got {shown(weight)}; multiply all weights by one number"
            )
    counts = tuple(map(int, found))
    if sum(counts) > MOST_VISITS:
        raise DataError(f"weights: expected at most {MOST_VISITS} in all, got {shown(sum(counts))}")
    return counts


def in_whole_numbers(values: Sequence[float | Fraction]) -> tuple[list[int], Fraction]:
    """Whole numbers without a common factor, and the unit of which the values are multiples.

    The values are finite, and floats count as the binary fractions that they are.

    >>> in_whole_numbers([0.5, 0, Fraction(3, 4)])
    ([2, 0, 3], Fraction(1, 4))
    """
    pairs = [value.as_integer_ratio() for value in values]
    below = math.lcm(*(d for _, d in pairs))
    whole = [n * (below // d) for n, d in pairs]
    above = math.gcd(*whole)
    return ([n // above for n in whole], Fraction(above, below)) if above else (whole, Fraction(1))


def read_labels(
    y: Labels, classes: Labels | None, rows: int, name: str = "y"
) -> tuple[tuple[int, ...], tuple[Label, ...]]:
    """For each row the position of its label in the class order, and that order.

    Without `classes` the order is the sorted one, which must be total: sets, which are ordered
    by inclusion, need `classes`. Labels are names, never numbers: 1.0 and True are not the class 1.

    >>> read_labels(["b", "a", "b"], None, 3)
    ((1, 0, 1), ('a', 'b'))
    """
    labels = label_list(y, name)
    check_count(labels, rows, name, "labels, one a row")
    order = read_classes(classes) if classes is not None else _sorted(labels)
    position = {label: code for code, label in enumerate(order)}
    if type(labels[0]) is not type(order[0]) or not position.keys() >= set(labels):
        for i, label in enumerate(labels):
            check_label(label, order, f"{name}: row {i}")
    return tuple(position[label] for label in labels), order


def read_classes(classes: Labels) -> tuple[Label, ...]:
    """The labels of a class order: of one type, each once.

    >>> read_classes(["b", "a"])
    ('b', 'a')
    """
    order = label_list(classes, "classes", "position")
    position = {label: code for code, label in enumerate(order)}
    if len(position) != len(order):
        twice = next(label for i, label in enumerate(order) if position[label] != i)
        raise ParameterError(f"classes: {shown(twice)} stands twice")
    return tuple(order)


def is_label_of(label: Label, classes: Sequence[Label]) -> bool:
    """Whether the label is one of the classes: equal, and of their type.

    >>> is_label_of(1, (0, 1)), is_label_of(True, (0, 1)), is_label_of(1.0, (0, 1))
    (True, False, False)
    """
    return type(label) is type(classes[0]) and label in classes


def check_label(label: Label, classes: Sequence[Label], place: str) -> None:
    """`DataError` unless the label is one of the classes.

    >>> check_label(1, (0, 1), "y: row 0")
    """
    if not is_label_of(label, classes):
        told = f"{shown(label)} is not in classes={shown(classes)}{unlike(label, classes)}"
        raise DataError(f"{place}: label {told}")


def unlike(label: Label, classes: Sequence[Label]) -> str:
    """What a message adds where the label equals a class but has another type; else "".

    >>> unlike(True, (0, 1))
    '; labels are names, and True of type bool is not the 1 of type int'
    """
    own = next((other for other in classes if other == label), None)
    if own is None or type(own) is type(label):
        return ""
    return (
        f"; labels are names, and {shown(label)} of type {type(label).__name__} is not the "
        f"{shown(own)} of type {type(own).__name__}"
    )


def label_list(y: Labels, name: str, unit: str = "row") -> list[Label]:
    """At least one label, all hashable and of one type; the `unit` counts them in messages.

    >>> label_list(("b", "a"), "y")
    ['b', 'a']
    """
    values = as_sequence(y, f"{name}: expected a sequence of labels")
    if not values:
        raise DataError(f"{name}: expected at least one label, got none")
    labels: list[Any] = [plain(value) for value in values]
    if set(map(type, labels)) in ({str}, {int}):  # nearly always: what follows refuses none of them
        return labels
    for i, label in enumerate(labels):
        place = f"{name}: {unit} {i}"
        try:
            hash(label)
        except TypeError:
            is_row = isinstance(label, list) and len(label) == 1
            mend = "; of a table with one column give the column" if is_row else ""
            raise DataError(f"{place}: {shown(label)} is not hashable{mend}") from None
        if label is None or is_nan(label):
            raise DataError(f"{place}: {shown(label)} is no label")
        if type(label) is not type(labels[0]):
            raise DataError(
                f"{place}: {type(label).__name__} {shown(label)} beside "
                f"{type(labels[0]).__name__} {shown(labels[0])}; labels must be of one type"
            )
    return labels


def _sorted(labels: Sequence[Label]) -> tuple[Label, ...]:
    distinct: list[Any] = list(dict.fromkeys(labels))
    try:
        order = sorted(distinct)
        if all(a < b for a, b in pairwise(order)):
            return tuple(order)
    except TypeError:
        pass  # labels that can't be compared are refused like those of a partial order, below
    kind = type(labels[0]).__name__
    raise DataError(f"y: labels of type {kind} have no order; give classes=")


def raw_row(row: object, name: str, of: str = "numbers") -> Sequence[Any]:
    """The entries of a row as they came."""
    if _is_plain(row):
        return row
    return list(map(plain, as_sequence(row, f"{name}: expected a sequence of {of}")))


def _is_plain(row: object) -> TypeGuard[Sequence[Any]]:
    """Whether a row is kept as it is: copies of all rows take as much memory as the rows."""
    return isinstance(row, (list, tuple)) and PLAIN_TYPES.issuperset(map(type, row))


def _places(parts: Mapping[str, list[Sequence[object]]]) -> Iterator[tuple[str, object]]:
    for name, rows in parts.items():
        # where all entries are plainly of one kind, the first of them stands for all
        told = [row[:1] for row in rows[:1]] if _are_plain(rows) else rows
        for i, row in enumerate(told):
            for j, entry in enumerate(row):
                yield f"{name}: row {i}, column {j}", entry


def _are_plain(rows: Sequence[Sequence[Any]]) -> bool:
    """Whether all entries are Fractions, or all finite floats, and not of derived types."""
    kinds = _kinds(rows)
    return kinds == {Fraction} or (
        kinds == {float} and all(map(math.isfinite, chain.from_iterable(rows)))
    )


def _kinds(rows: Sequence[Sequence[Any]]) -> set[type[Any]]:
    return set(map(type, chain.from_iterable(rows)))


def _positions(row: Iterable[object], name: str) -> Iterator[tuple[str, object]]:
    return ((f"{name}: position {j}", entry) for j, entry in enumerate(row))


def _convert(row: Sequence[Any], zero: S, place: str) -> tuple[S, ...]:
    if isinstance(zero, Fraction):
        return tuple(entry if isinstance(entry, Fraction) else Fraction(entry) for entry in row)
    return tuple(
        as_float(entry, place) if isinstance(entry, int) else float(entry) for entry in row
    )
