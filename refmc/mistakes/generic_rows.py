"""What is done to rows, weights and costs before a problem is solved."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import isqrt

from refmc.core.records import Record, items, matrix, numbers
from refmc.errors import FormatError
from refmc.mistakes.explanation import class_count
from refmc.mistakes.fields import changing, mapped, order_of_appearance, row_count, without
from refmc.mistakes.mistake import Mistake, Neighbours
from refmc.mistakes.weights import costs_of
from refmc.oracle.fields import Field
from refmc.oracle.reading import read_codes

Vector = Sequence[Fraction]
Change = Callable[[Vector], Vector]


def _centred(column: Vector) -> Vector:
    mean = sum(column, Fraction(0)) / len(column)
    return [v - mean for v in column]


def to_length(vector: Vector, share: int = 1) -> Vector:
    """The vector divided by the root of its sum of squares, or of a share of it."""
    square = sum((v * v for v in vector), Fraction(0)) / share
    p, q = square.as_integer_ratio()
    length = Fraction(isqrt(p * q << 128), q << 64) or Fraction(1)  # to 64 digits behind the point
    return [v / length for v in vector]


def _to_unit_interval(column: Vector) -> Vector:
    low, high = min(column), max(column)
    return [(v - low) / ((high - low) or 1) for v in column]


def single(column: Vector) -> Vector:
    """Numbers rounded to the nearest binary32."""
    try:
        return [Fraction(struct.unpack("f", struct.pack("f", float(v)))[0]) for v in column]
    except OverflowError:  # some versions of Python pack infinity
        raise FormatError("a number is beyond binary32") from None


COLUMNS: dict[str, Change] = {
    "standardised": lambda column: to_length(_centred(column), len(column)),
    "standardised_by_rest": lambda column: (
        to_length(_centred(column), len(column) - 1) if column[1:] else column
    ),
    "centred": _centred,
    "scaled": _to_unit_interval,
    "scaled_both": lambda column: [2 * v - 1 for v in _to_unit_interval(column)],
    "divided": lambda column: [v / (max(map(abs, column)) or 1) for v in column],
    "whole": lambda column: [Fraction(int(v)) for v in column],
    "single": single,
}
"""What is done to columns, each alone."""

WEIGHTS: dict[str, Change] = {
    "squared": lambda weights: [w * w for w in weights],
    "inverse": lambda weights: [1 / w if w else w for w in weights],
    "normalised": lambda weights: [w / sum(weights, Fraction(0)) for w in weights],
    "largest_1": lambda weights: [w / max(weights) for w in weights],
    "mean_1": lambda weights: [w * len(weights) / sum(weights, Fraction(0)) for w in weights],
    "at_most_1": lambda weights: [min(w, Fraction(1)) for w in weights],
    "counted": lambda weights: [Fraction(w > 0) for w in weights],
    "whole": lambda weights: [Fraction(int(w)) for w in weights],
    "reversed": lambda weights: weights[::-1],
}
"""What is done to weights of rows."""

COSTS: dict[str, Callable[[Fraction, int], Fraction]] = {
    "squared": lambda cost, k: cost * cost,
    "doubled": lambda cost, k: 2 * cost,
    "over_k": lambda cost, k: cost / k,
    "over_rivals": lambda cost, k: cost / max(1, k - 1),
}
"""What is done to costs; without any, each mistake costs 1."""


def of_rows(family: str, fields: Mapping[str, Field[object]]) -> Iterator[Mistake]:
    """The mistakes about rows, weights and costs of problems of a family."""

    families = (family,)
    if "weights" in fields:
        for id, of_weights in WEIGHTS.items():
            yield Mistake(f"weights.{id}", families, changing("weights", numbers, of_weights))
        if "y" in fields:
            yield Mistake("weights.of_other_class", families, _of_other_class)
            # of two classes one may fit by chance
            yield Mistake("weights.of_one_class", families, _of_one_class, at_least=2)
            yield Mistake("weights.balanced", families, _balanced)
        if "X" in fields:
            yield Mistake("weights.of_rows", families, _times_rows)
        if "row_costs" in fields:
            yield Mistake("weights.of_costs", families, _times_costs)
    if "y" in fields:
        next_labels = changing("y", items, lambda y: [*y[1:], y[0]])
        yield Mistake("labels.of_next_row", families, next_labels)
        before = changing("y", items, lambda y: [y[-1], *y[:-1]])
        yield Mistake("labels.of_row_before", families, before)
    if "X" in fields and "y" in fields:
        is_named = family.startswith(("tree.", "boost."))  # what single precision does there
        for id, of_column in COLUMNS.items():
            if not (is_named and id == "single"):
                yield Mistake(
                    f"features.{id}", families, changing("X", matrix, _by_column(of_column))
                )
        by_length = changing("X", matrix, lambda rows: [list(to_length(row)) for row in rows])
        yield Mistake("features.unit", families, by_length)
    if "cost" in fields and not family.startswith("tree."):
        for id, of_cost in COSTS.items():
            yield Mistake(f"costs.{id}", families, _changed_costs(of_cost))
        yield Mistake("costs.as_seen", families, _costs_as_seen)


def _of_other_class(problem: Record, answer: Record) -> list[Record]:
    """The problem whose first class has the weights of the last one, and so on."""
    weights = numbers(problem.get("weights", []), "problem.weights")
    if not weights:
        return []
    codes, classes = read_codes(problem, len(weights))
    by_class = dict(zip(codes, weights))
    other = [by_class.get(len(classes) - 1 - c) for c in codes]
    is_of_class = all(by_class[c] == w for c, w in zip(codes, weights))
    differs = other != weights and None not in other
    return [{**problem, "weights": other}] if is_of_class and differs else []


def _of_one_class(problem: Record, answer: Record) -> list[Record]:
    """The problem with the weights of one class, and 1 for all rows of the others."""
    if "weights" not in problem:
        return []
    codes, classes = read_codes(problem, row_count(problem))
    own = numbers(problem["weights"], "problem.weights")
    found = [[w if c == one else 1 for w, c in zip(own, codes)] for one in range(len(classes))]
    return [{**problem, "weights": weights} for weights in found if weights != own]


def _times_rows(problem: Record, answer: Record) -> list[Record]:
    """The problem whose rows, and not their losses, are multiplied by the weights."""
    if not {"weights", "X"} <= {*problem}:
        return []
    weights = numbers(problem["weights"], "problem.weights")
    X = [[w * v for v in x] for w, x in zip(weights, matrix(problem["X"], "problem.X"))]
    return [{**without(problem, "weights"), "X": X}]


def _times_costs(problem: Record, answer: Record) -> list[Record]:
    """The problem whose costs, and not its losses, are multiplied by the weights."""
    if "weights" not in problem:
        return []
    y, classes = read_codes(problem, row_count(problem))
    rows = zip(numbers(problem["weights"], "problem.weights"), y)
    costs = costs_of(problem, y, len(classes))
    weighted = [[w * v * (j != c) for j, v in enumerate(row)] for (w, c), row in zip(rows, costs)]
    return [{**without(problem, "weights", "cost"), "row_costs": weighted}]


def _balanced(problem: Record, answer: Record) -> list[Record]:
    """The problem whose rows weigh m/(k m_c) of what they did, with m_c rows of their class, of k
    classes that rows have, or of all.
    """
    codes, classes = read_codes(problem, row_count(problem))
    own = numbers(problem.get("weights", [1] * len(codes)), "problem.weights")
    shares = [w * Fraction(len(codes), codes.count(c)) for w, c in zip(own, codes)]
    balanced = [[w / k for w in shares] for k in dict.fromkeys((len({*codes}), len(classes)))]
    return [{**problem, "weights": weights} for weights in balanced if weights != own]


def _by_column(change: Change) -> Callable[[Sequence[Vector]], object]:
    return lambda rows: [list(row) for row in zip(*(change(column) for column in zip(*rows)))]


in_single_precision = changing("X", matrix, _by_column(single))
"""The problem with its features rounded to the nearest binary32."""


def _costs_as_seen(problem: Record, answer: Record) -> list[Record]:
    if "cost" not in problem or "y" not in problem:
        return []
    cost, seen = matrix(problem["cost"], "problem.cost"), order_of_appearance(problem)
    at = [seen.index(c) for c in range(len(seen))]
    other = [[cost[i][j] for j in at] for i in at]
    return [] if at == sorted(at) else [{**problem, "cost": other}]


def _changed_costs(change: Callable[[Fraction, int], Fraction]) -> Neighbours:
    def changed(problem: Record, answer: Record) -> list[Record]:
        name = "row_costs" if "row_costs" in problem else "cost"
        k = class_count(problem)
        uniform = [[Fraction(r != s) for s in range(k)] for r in range(k)]
        old = mapped(problem.get(name, uniform), lambda v: v)
        new = mapped(old, lambda v: change(v, k))
        return [] if new == old else [{**problem, name: new}]

    return changed
