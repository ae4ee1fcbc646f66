"""The same decisions with whole numbers alone: thresholds as doubles, votes and forms in integers.

Legend: a row's double x stands for a number, which is the decimal that it was read from, or its
exact value, or that of its nearest single; T the last double that answers yes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import ceil, gcd, inf, lcm, nextafter, prod
from operator import mul, sub
from struct import pack, unpack
from typing import Any

from refmc.core.logs import Log, coprime_base, without_factor
from refmc.errors import ParameterError
from refmc.export.predictor import Cut, Predictor, Question, Score, Sign, Weight, answer

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


def whole_scores(
    predictor: Predictor, scores: Sequence[Score], present: Sequence[int], unit: Fraction
) -> list[dict[Any, int]]:
    """The scores times one number that makes all weights whole, of columns in the unit.

    Logarithms are rounded, but to so many bits that every difference of two scores in `present`,
    or a single score, has its right sign for all answers that rows can give.
    """
    weights = [weight for score in scores for _, weight in score]
    if any(isinstance(weight, Log) for weight in weights):
        return _whole_logs(predictor, scores, present)
    numbers = {
        term: 0 if isinstance(term, Question) else sum(isinstance(factor, int) for factor in term)
        for score in scores
        for term, _ in score
    }
    scaled: Any = [{t: w * unit ** numbers[t] for t, w in score} for score in scores]
    common = lcm(*(w.denominator for score in scaled for w in score.values()))
    shared = gcd(*(int(w * common) for score in scaled for w in score.values())) or 1
    return [{t: int(w * common) // shared for t, w in score.items()} for score in scaled]


def _whole_logs(
    predictor: Predictor, scores: Sequence[Score], present: Sequence[int]
) -> list[dict[Any, int]]:
    """Scores of logarithms of a coprime base, whose sums are 0 only where all exponents are.

    A number beside them counts for as many times ln e, with 0 standing for e: by Lindemann's
    theorem no sum of the others is a rational other than 0.
    """
    listed = [pair for score in scores for _, weight in score for pair in _powers(weight)]
    common = lcm(*(c.denominator for _, c in listed))
    base = [*sorted(coprime_base(n for n, _ in listed)), *{n for n, _ in listed if not n}]

    def exponents_of(weight: Weight) -> list[int]:
        return [sum(int(c * common) * _power(n, b) for n, c in _powers(weight)) for b in base]

    exponents = [{term: exponents_of(weight) for term, weight in score} for score in scores]
    terms, zero = list(dict.fromkeys(t for score in exponents for t in score)), [0] * len(base)
    rows = [[score.get(t, zero) for t in terms] for score in exponents]
    compared = [rows[c] for c in present] if len(rows) > 1 else [*rows, [zero] * len(terms)]
    steps = [[list(map(sub, a, b)) for a, b in zip(*two)] for two in combinations(compared, 2)]
    reached, bits = _reached(predictor, terms), 8
    if reached is None and not base[-1]:
        raise ParameterError("alpha: numbers beside so many logarithms can't be exported")
    if reached is None:  # where ln(N/D) isn't 0, it is at least 1/(2 max(N, D))
        lengths = [b.bit_length() for b in base]
        bits += 2 * max(sum(_dot(map(abs, row), lengths) for row in step) for step in steps)
    sums = {
        tuple(_dot(said, column) for column in zip(*step))
        for step in steps
        for said in reached or ()
    }
    while True:
        logs = [_log(b, bits) for b in base]
        if all(abs(_dot(logs, s)) > 2 * sum(map(abs, s)) for s in sums if any(s)):
            return [{t: _dot(logs, row) for t, row in score.items()} for score in exponents]
        bits += 8


def _powers(weight: Weight) -> Sequence[tuple[int, Fraction]]:
    return weight.terms if isinstance(weight, Log) else [(0, weight)]


def _dot(a: Iterable[int], b: Iterable[int]) -> int:
    return sum(map(mul, a, b))


def _power(n: int, b: int) -> int:
    """How often b is a factor of n, where 0 is one of itself alone."""
    return int(without_factor(n, b)[1]) if n and b else int(n == b)


def _log(n: int, bits: int) -> int:
    """2^bits ln n, less than 2 too small; 2^bits for 0."""
    if not n:
        return 1 << bits
    low, _ = Log([(n, 1)]).enclosure(ceil(bits * 0.302) + len(str(n.bit_length())) + 2)
    return int(low * 2**bits)


def _reached(predictor: Predictor, terms: Sequence[Any]) -> set[tuple[int, ...]] | None:
    """The answers that rows can give to all questions together; None if there may be too many.

    Questions about numbers have no strict thresholds, so that each changes its answer behind one.
    """
    if any(isinstance(question, Sign) for question in terms):
        return None
    cells: dict[int, set[Any]] = {}
    for question in terms:
        names = predictor.categories[question.column]
        some = {None, *names} if names is not None else {inf, question.threshold} - {None}
        cells.setdefault(question.column, set()).update(some)
    if prod(map(len, cells.values())) > MOST_CELLS:
        return None
    rows: Iterator[Any] = (dict(zip(cells, cell)) for cell in product(*cells.values()))
    return {tuple(answer(q, row, predictor.categories) for q in terms) for row in rows}
