"""What is done to an answer that was right: other units, too few digits, other names of classes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction
from functools import partial
from math import log2
from sys import float_info
from typing import Any

from refmc.core.records import Record, entries, items, number, read_object
from refmc.errors import FormatError
from refmc.mistakes.explanation import BEYOND_CHANCE
from refmc.mistakes.fields import (
    flat,
    mapped,
    order_of_appearance,
    rewritten,
    row_count,
    times,
    without,
)
from refmc.mistakes.mistake import Mistake, of_answer
from refmc.mistakes.plain_svm import solved_with_scores
from refmc.mistakes.transport import CLOSE, Rewriting, same, solved
from refmc.oracle.axes import changed, sizes
from refmc.oracle.families import answer_fields, declared
from refmc.oracle.fields import Field
from refmc.oracle.reading import read_codes

A_FEW_DIGITS = 6
"""Decimals of at most so many digits are taken for what was rounded when it was printed."""

NUMBER = r"\d+(?:\.\d+)?(?:e[+-]?\d+)?"
"""A number as a float is printed, without its sign."""

LEAST_TELLING = 3
"""Numbers of fewer digits in all may be right ones of something else."""

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

ORDERS: dict[str, Callable[[Record, int], list[int]]] = {
    "as_seen": lambda problem, k: order_of_appearance(problem) if "y" in problem else [*range(k)],
    "reversed": lambda problem, k: [*range(k)][::-1],
    "as_text": lambda problem, k: sorted(range(k), key=lambda c: str(_classes(problem)[c])),
    "next": lambda problem, k: [*range(1, k), 0],
    "before": lambda problem, k: [k - 1, *range(k - 1)],
}
"""From a problem and its number of classes: the class that is named in the place of each."""


def of_answers(family: str) -> Iterator[Mistake]:
    """The mistakes about answers to problems of a family."""
    fields = {field.name: field for about in declared(family)[1] for field in about.fields}

    families = (family,)
    if any(map(_has_labels, fields.values())):
        for id, order in ORDERS.items():
            yield of_answer(f"labels.{id}", families, _renamed(order), _renamed(order, spoils=True))
    for group in TOGETHER:
        if {*group} <= {*fields}:
            clause = f"{', '.join(group)} {'is' if len(group) == 1 else 'are'} in another unit"
            doubled = times(lambda problem: 2, *group)
            made = of_answer(f"unit.{'_'.join(group)}", families, in_unit(group), doubled)
            yield replace(made, words=(clause, "the answer"))
    if "scores" in fields:
        made = of_answer("digits.none", families, _uncut, _cut)
        yield replace(made, at_least=3)  # of one answer they may all be 0 by chance
    yield of_answer("digits.few", families, _with_all_digits, _with_few)


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
    return rewritten(answer, partial(mapped, change=lambda v: Fraction(int(v))), "scores")


def _uncut(problem: Record, answer: Record) -> Record | None:
    """The right scores in the place of whole numbers that they are when they are cut or rounded."""
    if "scores" not in answer:
        return None
    mine, due = flat(answer["scores"]), _due(problem, answer)
    own = flat(due.get("scores", []))
    if len(mine) != len(own):  # a hard margin, whose rows of weight 0 are left out
        return None
    far = CLOSE * max(map(abs, own), default=Fraction(0))
    lost = [q - p for p, q in zip(mine, own)]
    half = [v + Fraction(1, 2) for v in lost]  # of what is rounded, from 0 to 1
    inwards = [-v if q < 0 else v for v, q in zip(lost, own)]
    is_cut = any(all(-far <= v <= 1 + far for v in way) for way in (lost, half, inwards))
    is_whole = all(v.denominator == 1 for v in mine)
    return {**answer, "scores": due["scores"]} if is_cut and is_whole else None


def _due(problem: Record, answer: Record) -> Record:
    """The right answer, with the scores of an SVM where the other has them."""
    has_scores = "scores" in answer and str(problem["family"]).startswith("svm.")
    return solved_with_scores(problem) if has_scores else solved(problem)


def _with_few(problem: Record, answer: Record) -> Record | None:
    """The answer with the most digits behind the point that are few, as any program with few digits
    spoils what these spoil."""
    numeric = {name for group in TOGETHER for name in group}
    few = partial(mapped, change=lambda v: Fraction(round(v, A_FEW_DIGITS)))
    return rewritten(answer, few, *numeric)


def _with_all_digits(problem: Record, answer: Record) -> Record | None:
    """The right numbers in the place of those that they are when they are rounded."""
    answer, right = _alike(problem, answer)
    rounded = [
        name for name in answer
        if name in right and name in answer_fields(problem)
        and name not in ("labels", "label_sets", "classes", "stopped")
        and not same(answer[name], right[name], name, Fraction(0))
    ]  # fmt: skip
    own = [name for name in rounded if name != "mean"]  # which may be that of rounded values
    told = str([answer[name] for name in own or rounded if name != "rounds"])
    rounds = entries(answer.get("rounds", []), "rounds")
    told += str([without(read_object(r, "round"), "stump", "base") for r in rounds])
    read = [Decimal(v) for v in re.findall(NUMBER, told)]
    places = max((-int(v.as_tuple().exponent) for v in read), default=0)
    digits = ("".join(map(str, v.as_tuple().digits)).strip("0") for v in read)
    figures = max(map(len, digits), default=0)
    if "/" in told:
        return None
    pairs = list[tuple[Fraction, Fraction]]()
    try:
        moved = {name: _filled(answer[name], right[name], pairs) for name in rounded}
    except FormatError:  # they differ in more than numbers
        return None
    half = Fraction(6, 10)  # a little more than half a unit, for errors of its own
    is_fixed = 1 <= places <= A_FEW_DIGITS and all(
        abs(p - q) <= half / 10**places for p, q in pairs
    )
    of_floats = CLOSE * max((abs(q) for _, q in pairs), default=Fraction(0))
    is_rounded = LEAST_TELLING <= figures <= A_FEW_DIGITS and all(
        abs(p - q) <= max(half * Fraction(10) ** (_exponent(p) + 1 - figures), of_floats)
        for p, q in pairs
        if p != q
    )
    return {**answer, **moved} if is_fixed or is_rounded else None


def _alike(problem: Record, answer: Record) -> tuple[Record, Record]:
    """An answer and the right one, with all that is told of rounds and of steps."""
    right: Record | None = _due(problem, answer)
    if "rounds" in answer:
        from refmc.mistakes.boosting import right_run_as  # no other family has rounds

        right = right_run_as(problem, answer)
    if "steps" in answer:
        from refmc.mistakes.plain_pruning import pruning_with_state  # nor steps
        from refmc.mistakes.trees import in_order

        answer = in_order(answer)
        runs = (pruning_with_state(problem, wrong) for wrong in ((), {"starts_pruned"}))
        given = len(items(answer["steps"], "steps"))
        right = next((run for run in runs if run and len(run["steps"]) == given), None)
    if right is None:
        raise FormatError("a run that isn't known here")
    return answer, right


def _exponent(value: Fraction) -> int:
    """That of the first digit; of 0 a very small one."""
    if not value:
        return float_info.min_10_exp
    shown = Context(prec=A_FEW_DIGITS).divide(Decimal(value.numerator), value.denominator)
    return shown.adjusted()


def _filled(mine: object, due: object, pairs: list[tuple[Fraction, Fraction]]) -> object:
    """A nested value with the right numbers in the place of its own, which become `pairs`.

    FormatError where something else differs; what only one of the two says stays.
    """
    if isinstance(mine, (list, tuple)) and isinstance(due, (list, tuple)):
        if len(mine) != len(due):
            raise FormatError("of different lengths")
        return [_filled(*both, pairs) for both in zip(mine, due)]
    if isinstance(mine, dict) and isinstance(due, dict):
        shared = {n: _filled(mine[n], due[n], pairs) for n in mine if n in due}
        return {**mine, **shared}
    if mine != due:
        pairs.append((number(mine, "a number"), number(due, "a number")))
    return due
