"""Changing single fields of records, whose numbers may be strings, and whose matrices arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Context
from fractions import Fraction
from functools import partial
from math import floor
from operator import neg
from typing import TypeVar

from refmc.core.records import Record, items, matrix, number, numbers, read_object
from refmc.errors import FormatError
from refmc.mistakes.mistake import Mistake, Neighbours, of_answer
from refmc.mistakes.transport import Rewriting
from refmc.oracle.axes import taken_answer
from refmc.oracle.reading import read_codes

T = TypeVar("T")


def mapped(value: object, change: Callable[[Fraction], Fraction]) -> object:
    """Nested lists and objects with every number changed; ±inf become ∓inf where that negates.

    >>> mapped([["1/2"], [-1], ["inf"]], lambda v: -v)
    [[Fraction(-1, 2)], [Fraction(1, 1)], ['-inf']]
    """
    if isinstance(value, Mapping):
        return {name: mapped(entry, change) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [mapped(entry, change) for entry in value]
    if value in ("inf", "-inf"):
        sign = change(Fraction(1)) * (1 if value == "inf" else -1)
        return "inf" if sign > 0 else "-inf"
    return None if value is None else change(number(value, "a number"))


def objects(value: object, place: str) -> list[Record]:
    """A list of records."""
    return [read_object(entry, place) for entry in items(value, place)]


def flat(value: object) -> list[Fraction]:
    """All numbers of nested lists."""
    if isinstance(value, (list, tuple)):
        return [v for entry in value for v in flat(entry)]
    return [number(value, "a number")]


def negated(value: object) -> object:
    """Nested lists with the sign of every number reversed."""
    return mapped(value, neg)


def without(record: Record, *names: str) -> Record:
    """The record without some fields."""
    return {name: value for name, value in record.items() if name not in names}


def rewritten(answer: Record, change: Callable[[object], object], *names: str) -> Record | None:
    """The answer with the fields of these names changed; None where it has none of them."""
    given = [name for name in names if name in answer]
    return {**answer, **{name: change(answer[name]) for name in given}} if given else None


def times(factor: Callable[[Record], Fraction | int | None], *names: str) -> Rewriting:
    """Fields of the answer times a factor, which the problem may have or not."""

    def rewriting(problem: Record, answer: Record) -> Record | None:
        by = factor(problem)
        if by is None:
            return None
        return rewritten(answer, partial(mapped, change=lambda v: v * by), *names)

    return rewriting


def of_unit(
    id: str,
    families: tuple[str, ...],
    factor: Callable[[Record], Fraction | int | None],
    *names: str,
) -> Mistake:
    """The mistake of fields that are a factor times what they should be."""
    back = times(lambda problem: (by := factor(problem)) and Fraction(1) / by, *names)
    return of_answer(id, families, answer=back, spoil=times(factor, *names))


def rewriting(change: Callable[[object], object], *names: str) -> Neighbours:
    """The problem with some fields changed, where it has any of these."""
    return lambda problem, answer: [other] if (other := rewritten(problem, change, *names)) else []


def each_number(change: Callable[[Fraction], Fraction], *names: str) -> Neighbours:
    """The problem with every number of some fields changed, where it has any of these."""
    return rewriting(partial(mapped, change=change), *names)


def to_whole(*names: str) -> Neighbours:
    """The problem with the numbers of some fields cut, rounded or lowered to whole ones."""

    def by(change: Callable[[Fraction], int]) -> Neighbours:
        return each_number(lambda v: Fraction(change(v)), *names)

    ways = [by(change) for change in (int, round, floor)]
    return lambda problem, answer: [other for way in ways for other in way(problem, answer)]


def negating(*names: str) -> Neighbours:
    """The problem with the numbers of some fields negated, where it has any of these."""
    return each_number(neg, *names)


def row_count(problem: Record) -> int:
    """How many rows a problem has."""
    name = next(name for name in ("y", "Y", "X", "features", "gram") if name in problem)
    return len(items(problem[name], f"problem.{name}"))


def row_weights(problem: Record) -> list[Fraction]:
    """The weights of the rows, which are 1 where none are given."""
    return numbers(problem.get("weights") or [1] * row_count(problem), "problem.weights")


def order_of_appearance(problem: Record) -> list[int]:
    """The positions of the classes in the order in which labels first name them.

    Classes of no row come last.
    """
    codes, classes = _codes(problem)
    return list(dict.fromkeys((*codes, *range(len(classes)))))


def _codes(problem: Record) -> tuple[Sequence[int], Sequence[object]]:
    """The positions of the labels among the classes, those of a set one after another."""
    if "Y" not in problem:
        return read_codes(problem, row_count(problem))
    rows = items(problem["Y"], "problem.Y")
    named = [label for row in rows for label in (row if isinstance(row, list) else [row])]
    if {*named} <= {-1, 1}:
        raise FormatError("rows of signs name no class")
    return read_codes({**problem, "y": named}, len(named))


def in_order_of_appearance(problem: Record, answer: Record) -> Record | None:
    """The answer with its classes in the order in which the labels name them."""
    return _in_order(problem, without(answer, "classes"), order_of_appearance(problem))


def sorted_again(problem: Record, answer: Record) -> Record | None:
    """The answer with its classes sorted that stand in the order in which the labels name them.

    None where the answer says itself in which order its classes stand.
    """
    if "classes" in answer:
        return None
    seen = order_of_appearance(problem)
    return _in_order(problem, answer, [seen.index(c) for c in range(len(seen))])


def reversed_again(problem: Record, answer: Record) -> Record | None:
    """The answer with its classes in the reversed order; None where it says itself which it is."""
    order = [*range(len(_codes(problem)[1]))][::-1]
    return None if "classes" in answer else _in_order(problem, answer, order)


def _in_order(problem: Record, answer: Record, order: list[int]) -> Record | None:
    """The answer with what has an entry for each class in another order."""
    if order == sorted(order):
        return None
    named = {**problem, "classes": list(_codes(problem)[1])}
    found = taken_answer(named, answer, "classes", order)
    return None if found == answer else found


def changing(
    name: str, read: Callable[[object, str], T], change: Callable[[T], object]
) -> Callable[[Record, Record], list[Record]]:
    """The problem with one field changed, as `read` reads it; none where that changes nothing."""

    def neighbours(problem: Record, answer: Record) -> list[Record]:
        if name not in problem:
            return []
        old = read(problem[name], f"problem.{name}")
        new = change(old)
        return [] if new == old else [{**problem, name: new}]

    return neighbours


def scaled(name: str, factor: Callable[[Record], Fraction]) -> Neighbours:
    """The problem with one number multiplied; none where that changes nothing."""
    return lambda problem, answer: changing(name, number, lambda v: v * factor(problem))(
        problem, answer
    )


def setting(name: str, default: object, *others: object) -> Neighbours:
    """The problem with each of the other values of a setting."""

    def neighbours(problem: Record, answer: Record) -> list[Record]:
        own = problem.get(name, default)
        return [{**problem, name: value} for value in (default, *others) if value != own]

    return neighbours


def replaced(name: str, own: object, other: object, default: object = None) -> Neighbours:
    """The problem with one value of a setting for another, where it has that."""

    def neighbours(problem: Record, answer: Record) -> list[Record]:
        return [{**problem, name: other}] if problem.get(name, default) == own else []

    return neighbours


costs_transposed = changing("cost", matrix, lambda rows: [list(column) for column in zip(*rows)])
"""The problem with its costs transposed: a row for each right class."""


def dropping(*names: str) -> Neighbours:
    """The problem without some fields, where it has any of these."""
    return lambda problem, answer: [without(problem, *names)] if {*names} & {*problem} else []


costs_ignored = dropping("cost", "row_costs")
"""The problem without its costs: every mistake costs 1."""

weights_ignored = dropping("weights")
"""The problem without its weights: all rows count the same."""

LN_2 = Fraction(Context(prec=40).ln(2))
"""ln 2, to 40 digits."""
