"""The labels of the exact model by another route than the export's, and rows that try it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import inf, isfinite, nextafter
from operator import mul
from random import Random
from typing import Any

from refmc import AdaBoost, AdaBoostMH, TieError

Row = tuple[Any, ...]

MOST_NEAR = 2_000
"""How many rows beside boundaries are looked for; others are these, nudged."""

SPECIAL = [0.0, -0.0, 5e-324, -5e-324, 1e-310, 1e-300, 1e300, -1e300, 1.7976931348623157e308, 1.0]


def decimal_meaning(x: float) -> Fraction:
    """The decimal of at most 15 digits that a double was read from, else its own value."""
    shortest = Decimal(repr(x))
    return Fraction(shortest) if len(shortest.as_tuple().digits) <= 15 else Fraction(x)


def lifted(value: Any) -> Any:
    """The same with every float as the Fraction that it is."""
    if isinstance(value, float) and isfinite(value):
        return Fraction(value)
    if isinstance(value, tuple):
        parts = [lifted(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {f.name: lifted(getattr(value, f.name)) for f in fields(value) if f.init}
        return replace(value, **changed)
    return value


def exact_sets(model: Any) -> Callable[[Sequence[Row]], list[tuple[Any, ...]]]:
    """A function from rows of Fractions and strings to the labels of the exact model."""
    if isinstance(model, (AdaBoost, AdaBoostMH)):
        return boosted_sets(model)
    if hasattr(model, "predict_sets"):
        return lambda rows: list(model.predict_sets(rows))
    if isinstance(getattr(model, "zero", None), float):
        model = lifted(model)
    return lambda rows: [model.predict_set(x) for x in rows]


def boosted_sets(model: Any) -> Callable[[Sequence[Row]], list[tuple[Any, ...]]]:
    """The labels of the largest votes, whose weights count as the doubles that they are."""
    weights = [Fraction(r.weight) if type(r.weight) is float else r.weight for r in model.rounds]

    @cache
    def labels(*answers: tuple[int, ...]) -> tuple[Any, ...]:
        start: Any = Fraction(0)
        if isinstance(model, AdaBoost):
            g = sum((w * h for w, (h,) in zip(weights, answers)), start)
            votes = [-g, g]
        else:
            of_class = zip(*answers) if answers else [()] * len(model.classes)
            votes = [sum(map(mul, weights, signs), start) for signs in of_class]
        return tuple(c for c, vote in zip(model.classes, votes) if not any(o > vote for o in votes))

    return lambda rows: [
        labels(*(r.base.answer(x, model.categories) for r in model.rounds)) for x in rows
    ]


def beside(q: Fraction, digits: int) -> Iterator[float]:
    """Doubles around a threshold, and decimals beside it."""
    at = float(q)
    yield at
    down = up = at
    for _ in range(2):
        down, up = nextafter(down, -inf), nextafter(up, inf)
        yield from (down, up)
    for places in range(digits):
        near = round(q, places)
        step = Fraction(1, 10**places)
        for v in (near - step, near, near + step):
            yield float(v)


def thresholds_of(model: Any) -> dict[int, set[Fraction]]:
    """The thresholds of all questions in a tree, a stump or boosting."""
    found: dict[int, set[Fraction]] = {}
    asked = [node.question for node in model.nodes()] if hasattr(model, "nodes") else []
    asked += [r.base.question for r in getattr(model, "rounds", ())]
    asked += [model.stump.question] if hasattr(model, "stump") else []
    for question in asked:
        if hasattr(question, "threshold"):
            found.setdefault(question.column, set()).add(Fraction(question.threshold))
    return found


def rows_of_cells(model: Any, base: Sequence[Row], n: int, draws: Random) -> list[Row]:
    """Rows of a model of questions about single columns: n beside thresholds and midpoints."""
    at = thresholds_of(model)
    pools: list[list[Any]] = []
    for j, cell in enumerate(base[0]):
        if isinstance(cell, str):
            pools.append([*sorted({row[j] for row in base}), "never seen"])
            continue
        pool = [float(row[j]) for row in base[:60]] + SPECIAL
        cuts = sorted(at.get(j, ()))
        for q in cuts:
            pool += [v for v in beside(q, 14) if isfinite(v)] * 2
        pool += [float((a + b) / 2) for a, b in pairwise(cuts)]
        pools.append(pool)
    return [tuple([draws.choice(pool) for pool in pools]) for _ in range(n)]


def rows_of_sums(model: Any, base: Sequence[Row], n: int, draws: Random) -> list[Row]:
    """Rows of a model that adds columns: half of them at its boundaries, or an ulp or two away."""
    judge = exact_sets(model)
    rows: list[Row] = []
    near: list[Row] = []
    width = len(base[0])
    small = [float(v) for v in range(-4, 5)]
    while len(rows) < n:
        kind = draws.randrange(8)
        row = [
            round(float(v) + draws.choice([0, draws.gauss(0, 2)]), 3) for v in draws.choice(base)
        ]
        if kind == 0:
            row = [draws.choice(small) for _ in row]
        elif kind == 1:
            row[draws.randrange(width)] = draws.choice(SPECIAL)
        elif kind == 2:
            scale = 2.0 ** draws.choice([-300, -60, 30, 200])
            row = [v * scale for v in row]
        elif kind == 3 and len(near) < MOST_NEAR:
            near += _between(judge, row, [float(v) for v in draws.choice(base)], draws)
        elif kind > 3 and near:
            row = list(draws.choice(near))
            for _ in range(kind - 4):
                j = draws.randrange(width)
                row[j] = nextafter(row[j], draws.choice([-inf, inf]))
        rows.append(tuple(row))
    return rows[:n]


def _between(judge: Any, row: list[float], other: list[float], draws: Random) -> list[Row]:
    """Neighbours of where the labels change as one column goes from one value to another."""
    j = draws.randrange(len(row))
    low, high = row[j], other[j] + draws.choice([0.0, 1.0, -100.0, 1e6])

    def said(v: float) -> Any:
        return judge([tuple(map(Fraction, [*row[:j], v, *row[j + 1 :]]))])

    first = said(low)
    if first == said(high):
        return []
    while nextafter(low, high) != high:
        middle = low / 2 + high / 2
        if middle in (low, high):
            middle = nextafter(low, high)
        low, high = (middle, high) if said(middle) == first else (low, middle)
    found = [nextafter(low, -inf), low, high, nextafter(high, inf)]
    return [(*row[:j], v, *row[j + 1 :]) for v in found]


def has_forms(model: Any) -> bool:
    """Whether the model adds columns, so that a double of a row stands for its own value."""
    if hasattr(model, "models"):
        return not any(type(one) is AdaBoost for one in model.models)
    asked = [node.question for node in model.nodes()] if hasattr(model, "nodes") else []
    return not hasattr(model, "kinds") or any(
        hasattr(question, "center") or hasattr(question, "bound") for question in asked
    )


def is_float(model: Any) -> bool:
    """Whether the trained model has floats."""
    if hasattr(model, "nodes"):
        return any(type(getattr(node.question, "threshold", 0)) is float for node in model.nodes())
    if hasattr(model, "stump"):
        return type(getattr(model.stump.question, "threshold", 0)) is float
    return isinstance(model.zero, float)


def expected(model: Any, rows: Sequence[Row]) -> list[tuple[int, int]]:
    """For each row of doubles the position to be predicted, −1 for none, and the set as bits."""
    meaning = Fraction if has_forms(model) or is_float(model) else decimal_meaning
    lift = [tuple(v if isinstance(v, str) else meaning(v) for v in row) for row in rows]
    at = {label: c for c, label in enumerate(model.classes)}
    found = []
    for labels in exact_sets(model)(lift):
        positions = tuple(sorted(at[label] for label in labels))
        try:
            chosen = model.tie(positions) if hasattr(model, "tie") else positions[0]
        except TieError:
            chosen = -1
        found.append((chosen, sum(1 << c for c in positions)))
    return found


def trial(model: Any, base: Sequence[Row], n: int, draws: Random) -> list[Row]:
    """Rows that try a model."""
    make = rows_of_sums if has_forms(model) or hasattr(model, "models") else rows_of_cells
    return make(model, base, n, draws)
