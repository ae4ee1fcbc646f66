"""What is done to an answer that was right: other units, too few digits, other names of classes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import log2
from typing import Any

from refmc.core.records import Record
from refmc.mistakes.explanation import BEYOND_CHANCE
from refmc.mistakes.fields import (
    cut,
    flat,
    mapped,
    order_of_appearance,
    rewritten,
    row_count,
    times,
)
from refmc.mistakes.mistake import Mistake, of_answer
from refmc.mistakes.transport import Rewriting, same, solved
from refmc.oracle.axes import changed, sizes
from refmc.oracle.families import answer_fields, declared
from refmc.oracle.fields import Field
from refmc.oracle.reading import read_codes

A_FEW_DIGITS = 6
"""Decimals of at most so many digits are taken for what was rounded when it was printed."""

SIZES = 3
"""So many numbers of different sizes must have one factor before the unit is another one."""

CLOSE_RATE = Fraction(1, 10**6)
"""By how much factors may differ that iterative solvers leave between their answers and others."""

TOGETHER = (
    ("w", "b", "scores"), ("W", "scores"), ("alpha",), ("lam",), ("x",), ("trace", "w", "b"),
    ("trace", "W"), ("trace", "alpha"), ("distances",), ("votes",), ("sums",), ("scores",),
    ("values", "mean"), ("subgradients",), ("total", "complexity", "confidence"), ("w", "b"),
    ("W",), ("w",),
)  # fmt: skip
"""The fields that grow together where the unit of an answer is another one."""

ORDERS: dict[str, tuple[str, Callable[[Record, int], list[int]]]] = {
    "as_seen": (
        "in order of appearance",
        lambda problem, k: order_of_appearance(problem) if "y" in problem else [*range(k)],
    ),
    "reversed": ("in reversed order", lambda problem, k: [*range(k)][::-1]),
    "as_text": (
        "in the order of their names as texts",
        lambda problem, k: sorted(range(k), key=lambda c: str(_classes(problem)[c])),
    ),
    "next": ("of the classes that follow", lambda problem, k: [*range(1, k), 0]),
    "before": ("of the classes before", lambda problem, k: [k - 1, *range(k - 1)]),
}
"""From a problem and its number of classes: the class that is named in the place of each."""


def of_answers(family: str) -> Iterator[Mistake]:
    """The mistakes about answers to problems of a family."""
    fields = {field.name: field for about in declared(family)[1] for field in about.fields}

    def told(id: str, clause: str, answer: Rewriting, spoil: Rewriting) -> Mistake:
        mistake = of_answer(id, (family,), answer, spoil)
        return replace(mistake, words=(clause, "the answer"))

    if any(map(_has_labels, fields.values())):
        for id, (clause, order) in ORDERS.items():
            yield told(
                f"labels.{id}", f"labels are those {clause}", _renamed(order), _renamed(order, True)
            )
    for group in TOGETHER:
        given = [name for name in group if name in fields]
        if given == list(group):
            clause = f"{', '.join(given)} {'is' if len(given) == 1 else 'are'} in another unit"
            yield told(
                f"unit.{'_'.join(given)}", clause, in_unit(given), times(lambda problem: 2, *given)
            )
    if "scores" in fields:
        yield told("digits.none", "scores are cut to whole numbers", _uncut, _cut)
    yield told(
        "digits.few", "numbers are printed with too few digits", _with_all_digits, _with_three
    )


def _has_labels(field: Field[object]) -> bool:
    return field.is_judged and (field.holds_labels or any(map(_has_labels, field.parts)))


def _renamed(order: Callable[[Record, int], list[int]], spoils: bool = False) -> Rewriting:
    """The answer with each label taken back to the class in whose place it stands, or there."""

    def rewriting(problem: Record, answer: Record) -> Record | None:
        classes = _classes(problem)
        named = [classes[c] for c in order(problem, len(classes))]
        own = dict(zip(classes, named) if spoils else zip(named, classes))
        seen: list[object] = []

        def name(value: Any) -> Any:
            if isinstance(value, (list, tuple)):
                return [name(entry) for entry in value]
            seen.append(value)
            return value if isinstance(value, dict) else own.get(value, value)

        def change(field: Field[object], value: Any) -> Any:
            return name(value) if field.holds_labels and field.name != "classes" else value

        found = changed(answer, answer_fields(problem), change)
        tells = len(seen) * log2(len(classes)) >= BEYOND_CHANCE and len(set(map(str, seen))) > 1
        return found if (tells or spoils) and found != answer else None

    return rewriting


def _classes(problem: Record) -> list[Any]:
    """The names of the classes, in their order."""
    if "y" in problem:
        return list(read_codes(problem, row_count(problem))[1])
    given: Any = problem.get("classes") or range(sizes(problem).get("classes", 1))
    return list(given)


def in_unit(names: Sequence[str], sizes: int = SIZES) -> Rewriting:
    """The answer divided by the positive factor between it and the right one, if there is one.

    So many numbers of different sizes must have it.
    """

    def rewriting(problem: Record, answer: Record) -> Record | None:
        right = solved(problem)
        given = [name for name in names if name in answer and name in right]
        mine = [v for name in given for v in flat(answer[name])]
        own = [v for name in given for v in flat(right[name])]
        rates = [p / q for p, q in zip(mine, own) if q]
        if len(mine) != len(own) or len({*map(abs, own)} - {0}) < sizes:
            return None
        rate = rates[0]
        near = all(abs(r - rate) <= CLOSE_RATE * abs(rate) for r in rates)
        if not near or rate <= 0 or abs(rate - 1) <= CLOSE_RATE:
            return None
        return {**answer, **{n: mapped(answer[n], lambda v: v / rate) for n in given}}

    return rewriting


def _cut(problem: Record, answer: Record) -> Record | None:
    return rewritten(answer, cut, "scores")


def _uncut(problem: Record, answer: Record) -> Record | None:
    """The right scores in the place of those that they are when they are cut to whole numbers."""
    right = solved(problem)
    made = _cut(problem, right)
    if made is None or "scores" not in answer or len({*flat(made["scores"])}) < SIZES:
        return None
    is_cut = flat(answer["scores"]) == flat(made["scores"])
    return {**answer, "scores": right["scores"]} if is_cut else None


def _with_three(problem: Record, answer: Record) -> Record | None:
    """The answer with three digits behind the point."""
    numeric = {name for group in TOGETHER for name in group}
    return rewritten(answer, lambda v: mapped(v, lambda u: Fraction(round(u, 3))), *numeric)


def _with_all_digits(problem: Record, answer: Record) -> Record | None:
    """The right numbers in the place of those that they are when they are rounded."""
    right = solved(problem)
    rounded = [
        name for name in answer
        if name in right and name in answer_fields(problem)
        and name not in ("labels", "label_sets", "classes", "stopped")
        and not same(answer[name], right[name], name, Fraction(0))
    ]  # fmt: skip
    own = [name for name in rounded if name != "mean"]  # which may be that of rounded values
    told = str([answer[name] for name in own or rounded])
    digits = max(map(len, re.findall(r"\d+\.(\d+)", told)), default=0)
    if not 1 <= digits <= A_FEW_DIGITS or "/" in told:
        return None
    half = Fraction(6, 10 ** (digits + 1))  # a little more than half a unit, for errors of its own

    def is_rounded(mine: object, own: object) -> bool:
        given, due = flat(mine), flat(own)
        return len(given) == len(due) and all(abs(p - q) <= half for p, q in zip(given, due))

    if not all(is_rounded(answer[name], right[name]) for name in rounded):
        return None
    return {**answer, **{name: right[name] for name in rounded}}
