"""The same decisions with whole numbers alone: thresholds as doubles, votes and forms in integers.

Legend: a row's double x stands for a number, which is the decimal that it was read from, or its
exact value, or that of its nearest single; T the last double that answers yes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import ceil, gcd, inf, lcm, nextafter, prod
from operator import mul, sub
from struct import pack, unpack
from typing import Any

from refmc.core.logs import Log, coprime_base, without_factor
from refmc.errors import ParameterError
from refmc.export.predictor import Cut, Form, Member, Predictor, Voter, answer

MOST = nextafter(inf, 0)
"""The largest double."""

MOST_CELLS = 50_000
"""Up to so many cells of rows that answer alike are gone through for the votes that can occur."""


def decimal(x: float) -> Fraction:
    """The decimal of at most 15 digits that is read as this double; else the double's own value.

    >>> decimal(0.1), decimal(0.1 + 0.2) == Fraction(0.1 + 0.2)
    (Fraction(1, 10), True)
    """
    text = f"{x:.15g}"
    return Fraction(text) if float(text) == x else Fraction(x)


def single(x: float) -> Fraction:
    """The value of the nearest single; beyond all of them where that is infinite.

    >>> single(1e39) > 2**128, single(1 + 2.0**-30)
    (True, Fraction(1, 1))
    """
    try:
        return Fraction(*unpack("<f", pack("<f", x)))
    except OverflowError:
        return Fraction(2) ** 200 * (1 if x > 0 else -1)


ROWS: dict[str, Callable[[float], Fraction]] = {
    "decimals": decimal,
    "doubles": Fraction,
    "float32": single,
}
"""What the doubles of a row stand for."""


def key(x: float) -> int:
    """Doubles in their order as whole numbers; both zeros are 0.

    >>> key(-0.0), key(5e-324), key(-5e-324)
    (0, 1, -1)
    """
    (bits,) = unpack("<q", pack("<d", x))
    return int(bits) if bits >= 0 else -(2**63) - int(bits)


def double(key: int) -> float:
    """The double with this key.

    >>> double(key(-1.5))
    -1.5
    """
    (x,) = unpack("<d", pack("<q", key if key >= 0 else -(2**63) - key))
    return float(x)


def last_double(yes: Callable[[float], bool], low: float = -inf, high: float = MOST) -> float:
    """The last double after `low` up to `high` that answers yes, as all before it do; else `low`.

    >>> last_double(lambda x: Fraction(x) <= Fraction(1, 10)) < 0.1
    True
    >>> last_double(lambda x: decimal(x) <= Fraction(1, 10)), last_double(lambda x: False)
    (0.1, -inf)
    """
    below, above = key(low), key(high)
    while below < above:
        middle = (below + above + 1) // 2
        if yes(double(middle)):
            below = middle
        else:
            above = middle - 1
    return double(below)


def cut_at(cut: Cut, rows: str, unit: Fraction) -> float:
    """T of a question of a column, whose numbers are so many of the model's units.

    >>> cut_at(Cut(0, Fraction(1, 10), strict=True), "decimals", Fraction(1)) < 0.1
    True
    """
    if cut.threshold is None:
        return last_double(lambda x: True)
    bound, of = cut.threshold / unit, ROWS[rows]
    return last_double((lambda x: of(x) < bound) if cut.strict else (lambda x: of(x) <= bound))


def whole_forms(forms: Sequence[Form], unit: Fraction) -> list[dict[tuple[int, ...], int]]:
    """The coefficients of forms of columns in the unit, times one number that makes them whole.

    >>> whole_forms([(((0,), Fraction(1, 2)),), (((), Fraction(1, 3)),)], Fraction(1))
    [{(0,): 3}, {(): 2}]
    """
    scaled = [{m: a * unit ** len(m) for m, a in form} for form in forms]
    parts = [a for form in scaled for a in form.values()]
    common = lcm(*(a.denominator for a in parts))
    shared = gcd(*(int(a * common) for a in parts)) or 1
    return [{m: int(a * common) // shared for m, a in form.items()} for form in scaled]


def whole_weights(
    predictor: Predictor, voters: Sequence[Voter], present: Sequence[int]
) -> list[int]:
    """Whole weights with which every sum of votes that rows can reach has its right sign.

    `present`: the targets of which one is the best; a single one counts by its sign.
    """
    weights: list[Any] = [voter.weight for voter in voters]
    if not any(isinstance(w, Log) for w in weights):
        return _rational(weights)
    if not all(isinstance(w, Log) for w in weights):
        raise ParameterError("alpha: a vote of 1 beside logarithms can't be exported")
    common = lcm(*(c.denominator for w in weights for _, c in w.terms))
    powers = [{n: int(c * common) for n, c in w.terms} for w in weights]
    base = sorted(coprime_base(n for row in powers for n in row))
    exponents = [
        [sum(c * without_factor(n, b)[1] for n, c in row.items()) for b in base] for row in powers
    ]
    columns = list(zip(*(voter.counts for voter in voters)))
    steps = (
        [columns[c] for c in present[:1]]
        if len(present) == 1
        else [tuple(map(sub, columns[c], columns[d])) for c, d in combinations(present, 2)]
    )
    reached = _reached(predictor, voters)
    if reached is None:
        return _by_bound(powers, exponents, base, steps)
    counts = {tuple(map(mul, said, step)) for said in reached for step in steps}
    sums = {tuple(_dot(counted, column) for column in zip(*exponents)) for counted in counts}
    bits = 0
    while True:
        bits += 8
        logs = [_log(b, bits) for b in base]
        if all(abs(_dot(logs, s)) > 2 * sum(map(abs, s)) for s in sums if any(s)):
            return [_dot(logs, row) for row in exponents]


def _dot(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(map(mul, a, b))


def _rational(weights: Sequence[Any]) -> list[int]:
    common = lcm(*(w.denominator for w in weights))
    whole = [int(w * common) for w in weights]
    return [w // (gcd(*whole) or 1) for w in whole]


def _log(n: int, bits: int) -> int:
    """2^bits ln n, less than 2 too small."""
    low, _ = Log([(n, 1)]).enclosure(ceil(bits * 0.302) + len(str(n.bit_length())) + 2)
    return int(low * 2**bits)


def _by_bound(
    powers: Sequence[Mapping[int, int]],
    exponents: Sequence[Sequence[int]],
    base: Sequence[int],
    steps: Sequence[Sequence[int]],
) -> list[int]:
    """Weights for every sum at all: where ln(N/D) isn't 0, it is at least 1/(2 max(N, D))."""
    most = [max(map(abs, column)) for column in zip(*steps)]
    sizes = [sum(abs(a) * n.bit_length() for n, a in row.items()) for row in powers]
    error = 2 * _dot(most, [sum(map(abs, row)) for row in exponents])
    logs = [_log(b, _dot(most, sizes) + 1 + error.bit_length()) for b in base]
    return [_dot(logs, row) for row in exponents]


def _reached(predictor: Predictor, voters: Sequence[Voter]) -> set[tuple[int, ...]] | None:
    """The answers that rows can give to all questions together; None if there may be too many."""
    cells: dict[int, list[Any]] = {}
    for voter in voters:
        match voter.question:
            case Cut(j, t, _):
                cells.setdefault(j, []).append(t)
            case Member(j, _, _):
                cells.setdefault(j, [])
            case _:
                return None
    for j, found in cells.items():
        names = predictor.categories[j]
        cells[j] = [*names, None] if names is not None else list(_between(set(found) - {None}))
    if prod(map(len, cells.values())) > MOST_CELLS:
        return None
    rows = (dict(zip(cells, cell)) for cell in product(*cells.values()))
    return {
        tuple(answer(v.question, row, predictor.categories) for v in voters)  # type: ignore[arg-type]  # a row of the columns that are asked for
        for row in rows
    }


def _between(thresholds: set[Fraction]) -> Iterator[Fraction]:
    """Numbers of which one has the answers of any other number: thresholds, and between them."""
    ordered = sorted(thresholds)
    yield (ordered[0] if ordered else Fraction(0)) - 1
    for low, high in zip(ordered, [*ordered[1:], *(t + 2 for t in ordered[-1:])]):
        yield low
        yield (low + high) / 2
