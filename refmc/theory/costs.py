"""Costs Δ(j, y) of predicting one class where another is right, and decisions by them.

Covers the remarks on unbalanced classes of [lu, "Multi-Class Classification Problem"], and the
costs of [lecture5, "General formulation"]; `cost_graphs` has those of related classes.

Differs from the lecture: any costs ≥ 0 are admitted, not only those of [0, 1].

Legend: j the position of the predicted class, y that of the right one, k classes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from refmc.core.linalg import dot
from refmc.core.parameters import as_given, check_function, in_arithmetic_of_data
from refmc.core.sample import Label, Labels, Row, read_classes, read_labels, read_row, read_vector
from refmc.core.scalars import ArrayLike, Number, S, exact_number, plain, shown, whole_number
from refmc.core.ties import argmin_set
from refmc.errors import DataError, MixedArithmeticError, ParameterError

CostRows = tuple[tuple[float | Fraction, ...], ...]

Cost = Callable[[int, int], float | Fraction]
"""Δ(j, y): what predicting the class at position j costs where y is right; Δ(y, y) = 0."""


@dataclass(frozen=True)
class CostTable:
    """The cost Δ(j, y) = rows[j][y]; call it with two positions.

    `rows`: one for each predicted class. `classes`: the labels of the positions where they are
    known; a learner must be given the same order. Floats fit float data only; whole numbers and
    Fractions fit both arithmetics, and are rounded once to fit float data.
    """

    rows: CostRows
    classes: tuple[Label, ...] | None = None

    def __post_init__(self) -> None:
        k = len(self.rows)
        _check_rows(self.rows, k, "cost({}, {})", True)
        kinds = {type(value) for row in self.rows for value in row}
        if {float, Fraction} <= kinds:
            raise MixedArithmeticError("rows: Fractions beside floats; give all of one kind")
        if self.classes is not None and len(self.classes) != k:
            raise ParameterError(f"classes: expected {k}, one a row, got {len(self.classes)}")

    def __call__(self, j: int, y: int, /) -> float | Fraction:
        for position in (j, y):
            if not 0 <= position < len(self.rows):
                raise ParameterError(
                    f"cost({j}, {y}): no class at {position}; the costs know {len(self.rows)}"
                )
        return self.rows[j][y]

    def scaled(self) -> CostTable:
        """The costs divided by the largest of them, so that they lie in [0, 1].

        >>> matrix_cost([[0, 2], [4, 0]]).scaled()(0, 1)
        Fraction(1, 2)
        """
        largest = max(value for row in self.rows for value in row)
        if not largest:
            return self
        rows = ((_ratio(value, largest) for value in row) for row in self.rows)
        return CostTable(tuple(map(tuple, rows)), self.classes)

    def weighted(self, weights: Sequence[Number] | ArrayLike) -> CostTable:
        """Δ(j, y) times the weight of the right class y; weights: k numbers ≥ 0.

        A weight here widens the margin asked for; a weight of rows multiplies the whole loss.
        [lu, "Multi-Class Classification Problem"]

        >>> uniform_cost(2).weighted([1, 3])(0, 1)
        3
        """
        listed: Any = plain(weights)
        factors = [_cost_as_given(w, f"weights: position {y}") for y, w in enumerate(listed)]
        if len(factors) != len(self.rows):
            raise ParameterError(f"weights: expected {len(self.rows)}, got {len(factors)}")
        for y, factor in enumerate(factors):
            if factor < 0:
                raise ParameterError(f"weights: position {y}: expected ≥ 0, got {shown(factor)}")
        rows = (map(_product, row, factors) for row in self.rows)
        return CostTable(tuple(map(tuple, rows)), self.classes)


@dataclass(frozen=True)
class RowCosts:
    """Costs that each row of a sample has by itself: rows[i][j] is that of predicting j at row i.

    m rows of k. The right class of row i costs 0; the learner checks it, as it knows the labels.
    They take the place of a `Cost`, which is the same for all rows of a class.
    """

    rows: CostRows

    def __post_init__(self) -> None:
        _check_rows(self.rows, len(self.rows[0]), "row costs: row {}, class {}", False)

    def of(self, rows: Iterable[int]) -> RowCosts:
        """The costs of the rows at these positions, in their order.

        >>> row_costs([[0, 1], [2, 0]]).of([1, 1]).rows
        ((2, 0), (2, 0))
        """
        return RowCosts(tuple(self.rows[i] for i in rows))

    def columns(self, m: int, k: int, zero: S) -> tuple[tuple[S, ...], ...]:
        """The costs in the arithmetic of `zero`; `ParameterError` unless there are m rows of k."""
        if len(self.rows) != m or len(self.rows[0]) != k:
            raise ParameterError(
                f"row costs: expected {m} rows of {k}, got {len(self.rows)} of {len(self.rows[0])}"
            )
        return tuple(
            tuple(
                in_arithmetic_of_data(v, f"row costs: row {i}, class {j}", zero)
                for j, v in enumerate(row)
            )
            for i, row in enumerate(self.rows)
        )


Costs = Cost | RowCosts


def _check_rows(rows: CostRows, width: int, place: str, of_classes: bool) -> None:
    """Refuse rows of another width, and what is no cost at its place; a class costs itself 0."""
    for i, row in enumerate(rows):
        if len(row) != width:
            raise ParameterError(f"rows: row {i}: expected {width} costs, got {len(row)}")
        for j, value in enumerate(row):
            name = place.format(i, j)
            _check_cost(exact_number(value, name), name, of_classes and i == j)


def _check_cost(value: float | Fraction, place: str, is_of_right: bool) -> None:
    """Refuse a negative cost, and any cost but 0 of the right class."""
    if value < 0 or (is_of_right and value != 0):
        expected = "0" if is_of_right else "at least 0"
        raise ParameterError(f"{place}: expected {expected}, got {shown(value)}")


def _cost_as_given(value: Number, name: str) -> float | Fraction:
    """A float as it is; any other number as an int where it is whole, else as a Fraction."""
    given = as_given(value, name)
    return given if isinstance(given, float) else _int_if_whole(given)


def _int_if_whole(value: Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value


def _ratio(a: float | Fraction, b: float | Fraction) -> float | Fraction:
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    return _int_if_whole(Fraction(a) / b)


def _product(a: float | Fraction, b: float | Fraction) -> float | Fraction:
    kinds = {type(a), type(b)}
    if kinds == {float, Fraction}:
        raise MixedArithmeticError(
            f"weights: {shown(a)} times {shown(b)}; give costs and weights of one kind"
        )
    return a * b if float in kinds else _int_if_whole(Fraction(a) * Fraction(b))


def costs_of_rows(
    cost: Costs | None, y: Sequence[int], k: int, zero: S
) -> tuple[tuple[S, ...], ...]:
    """For each row i of a sample the costs of predicting j = 0, …, k − 1; y its right positions.

    Errors as `cost_column`, naming the row where a right class costs anything.

    >>> costs_of_rows(row_costs([[0, 3], [1, 0]]), [0, 1], 2, 0.0)
    ((0.0, 3.0), (1.0, 0.0))
    """
    if isinstance(cost, RowCosts):
        rows = cost.columns(len(y), k, zero)
        for i, own in enumerate(y):
            _check_cost(rows[i][own], f"row costs: row {i}, class {own}, the right one", True)
        return rows
    columns = [cost_column(cost, own, k, zero) for own in range(k)]
    return tuple(columns[own] for own in y)


def cost_column(cost: Costs | None, y: int, k: int, zero: S) -> tuple[S, ...]:
    """Δ(j, y) for j = 0, …, k − 1, validated, in the arithmetic of `zero`; None is 1 for j ≠ y.

    Row costs must be those of one row. Raises `ParameterError` (a negative cost, Δ(y, y) ≠ 0, a
    table of another number of classes), `DataError` (no number), `MixedArithmeticError`. Cost: k
    calls.

    >>> cost_column(None, 1, 3, Fraction(0))
    (Fraction(1, 1), Fraction(0, 1), Fraction(1, 1))
    """
    if isinstance(cost, RowCosts):
        return costs_of_rows(cost, (y,), k, zero)[0]
    if cost is None:
        return tuple(zero + (j != y) for j in range(k))
    if isinstance(cost, CostTable):
        if len(cost.rows) != k:
            raise ParameterError(f"cost: a table of {len(cost.rows)} classes, expected {k}")
        return tuple(
            in_arithmetic_of_data(row[y], f"cost({j}, {y})", zero)
            for j, row in enumerate(cost.rows)
        )
    check_function(cost, "cost", "a table, or a function of the predicted and the right position")
    delta = read_row([cost(j, y) for j in range(k)], zero, f"cost(j, {y})")
    for j, value in enumerate(delta):
        _check_cost(value, f"cost({j}, {y})", j == y)
    return delta


def uniform_cost(k: int) -> CostTable:
    """Δ(j, y) = 1 for j ≠ y: every confusion of the k classes costs the same. [lecture5 (4)]

    >>> uniform_cost(3)(0, 2), uniform_cost(3)(2, 2)
    (1, 0)
    """
    positions = range(whole_number(k, "k", 1))
    return CostTable(tuple(tuple(int(j != y) for y in positions) for j in positions))


def matrix_cost(
    rows: Sequence[Sequence[Number]] | ArrayLike, *, classes: Labels | None = None
) -> CostTable:
    """Δ(j, y) = rows[j][y]: a row for each predicted class, a column for each right one.

    Costs of each pair of classes, in either direction. Numbers ≥ 0 with a diagonal of 0, else
    `ParameterError`: floats, or whole numbers, Fractions, Decimals and text. `classes` names the
    positions. [lu, "Multi-Class Classification Problem"], [lecture5 (10)]

    >>> matrix_cost([[0, "1/3"], [2, 0]])(0, 1)
    Fraction(1, 3)
    """
    table = _read_table(rows, "rows: expected k rows of k costs", "cost({}, {})")
    return CostTable(table, None if classes is None else read_classes(classes))


def row_costs(rows: Sequence[Sequence[Number]] | ArrayLike) -> RowCosts:
    """Costs of each row of a sample by itself: rows[i][j] is that of predicting j at row i.

    m rows of k numbers ≥ 0, of the kinds that `matrix_cost` takes, in the learner's order of rows
    and classes. Given as `cost=` to what trains on the m rows.
    [lu, "Multi-Class Classification Problem"]

    >>> row_costs([[0, "1/3"], [2, 0], [5, 0]]).rows[0]
    (0, Fraction(1, 3))
    """
    return RowCosts(
        _read_table(rows, "row costs: expected m rows of k costs", "row costs: row {}, class {}")
    )


def _read_table(rows: object, expected: str, place: str) -> CostRows:
    values: Any = plain(rows)
    if not isinstance(values, Sequence) or isinstance(values, (str, bytes)) or not values:
        raise ParameterError(f"{expected}, got {shown(values)}")
    table = []
    for i, row in enumerate(map(plain, values)):
        if not isinstance(row, Sequence) or isinstance(row, (str, bytes)) or not row:
            raise ParameterError(f"{expected}, got {shown(row)} as row {i}")
        cells: list[Any] = [plain(v) for v in row]
        table.append(tuple(_cost_as_given(v, place.format(i, j)) for j, v in enumerate(cells)))
    return tuple(table)


def refuse_unhashable(nodes: Iterable[object], place: str) -> None:
    """`ParameterError` for a node that is not hashable."""
    for node in nodes:
        try:
            hash(node)
        except TypeError:
            raise ParameterError(f"{place}: {shown(node)} is not hashable") from None


def expected_costs(probabilities: Row, cost: Costs | None = None) -> tuple[float | Fraction, ...]:
    """Σ_y P(y) Δ(j, y) for each prediction j.

    probabilities: k numbers ≥ 0, one for each class, in one arithmetic; they need not add up to 1,
    so counts serve as well. `cost` None is `uniform_cost(k)`. With `row_costs`, P has a number for
    each row instead, such as its weight, and the sum is over the rows. Raises `DataError`,
    `ParameterError` (costs), `MixedArithmeticError`. Cost: O(k²).

    >>> expected_costs([Fraction(3, 4), Fraction(1, 4)], matrix_cost([[0, 5], [1, 0]]))
    (Fraction(5, 4), Fraction(3, 4))
    """
    P, rows, zero = _weighed(probabilities, cost)
    return tuple(dot(P, row, zero) for row in rows)


def _weighed(
    probabilities: Row, cost: Costs | None
) -> tuple[tuple[Any, ...], list[tuple[Any, ...]], Any]:
    """The probabilities, the costs of each prediction in their arithmetic, and the zero."""
    P, zero = read_vector(probabilities, "probabilities")
    if not P:
        raise DataError("probabilities: expected one a class, got none")
    for y, p in enumerate(P):
        if p < 0:
            raise DataError(f"probabilities: position {y}: expected at least 0, got {shown(p)}")
    k = len(P)
    if isinstance(cost, RowCosts):
        return P, list(zip(*cost.columns(k, len(cost.rows[0]), zero))), zero
    return P, list(zip(*(cost_column(cost, y, k, zero) for y in range(k)))), zero


def least_cost_set(probabilities: Row, cost: Costs | None = None) -> tuple[int, ...]:
    """The positions of all predictions of least expected cost, in increasing order.

    With the uniform cost they are the most probable classes [keshet (3)]. Arguments and errors as
    `expected_costs`; sums of floats are compared as the exact numbers they denote.
    [lu, "Multi-Class Classification Problem"]

    >>> least_cost_set([Fraction(3, 4), Fraction(1, 4)], matrix_cost([[0, 5], [1, 0]]))
    (1,)
    >>> least_cost_set([Fraction(1, 2), Fraction(1, 2)])
    (0, 1)
    """
    P, rows, _ = _weighed(probabilities, cost)
    lifted = [Fraction(p) for p in P]
    return argmin_set([dot(lifted, [Fraction(v) for v in row], Fraction(0)) for row in rows])


def balanced_weights(y: Labels, *, classes: Labels | None = None) -> tuple[Fraction, ...]:
    """A weight for each class with which all classes of the sample count the same: m / (c · m_y).

    m is the number of rows, c that of the classes that occur, m_y that of the rows of class y; the
    weights of all rows add up to m. A class without a row has weight 0. For costs:
    `uniform_cost(k).weighted(...)`. [lu, "Multi-Class Classification Problem"]

    >>> balanced_weights(["a", "b", "b", "b"])
    (Fraction(2, 1), Fraction(2, 3))
    """
    listed: Any = plain(y)
    codes, order = read_labels(y, classes, len(listed) if isinstance(listed, Sequence) else 0)
    count = Counter(codes)
    return tuple(
        Fraction(len(codes), len(count) * count[c]) if count[c] else Fraction(0)
        for c in range(len(order))
    )
