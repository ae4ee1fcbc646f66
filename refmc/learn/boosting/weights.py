"""The distribution D and the votes g of a training run, exactly or in floats.

Differs from the lecture: D_{t+1} = D_t exp(−α c h)/Z is computed as D_t/(2(1 − ε)) where h is
right and D_t/(2ε) where it is wrong, which is the same number and rational.

Legend: `D` k lists, one a label, of m weights; `right` as many truth values h(x_i, l) = c_il.
In exact runs D is kept as whole numbers in its ratios, without a common factor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, compress
from typing import Any, Protocol

from refmc.core.logs import Log
from refmc.core.sample import in_whole_numbers
from refmc.core.scalars import check_digits
from refmc.errors import DataError

_SCALE = 2**1074
"""Every float is a whole multiple of 1/_SCALE, so that running sums of them are exact."""

_LEAST = 2.0**-1022
"""Smaller floats have fewer digits, down to none."""

Weights = Sequence[Sequence[Any]]
"""For each label m weights in the ratios of D: whole numbers, or floats of sum 1."""

Right = Sequence[Sequence[bool]]
"""For each label and row whether h(x_i, l) = c_il."""


def first_weights(given: Sequence[Any], k: int, exact: bool) -> list[list[Any]]:
    """D_1, for each of k labels: the row weights over k times their sum."""
    whole, _ = in_whole_numbers(given)
    if exact:
        return [whole] * k
    total = sum(whole) * k
    shares = [w / total for w in whole]
    for i, w in enumerate(whole):
        if w and shares[i] < _LEAST:
            raise DataError(
                f"weights: row {i}: too small beside the others for floats; "
                "set it to 0, or lift all of it with exact()"
            )
    return [shares] * k


def as_shares(D: Weights) -> tuple[tuple[Any, ...], ...]:
    """D as m rows of k weights of sum 1: Fractions, or the floats that it consists of."""
    if isinstance(D[0][0], float):
        return tuple(zip(*D))
    total = sum(map(sum, D))
    return tuple(tuple(Fraction(d, total) for d in row) for row in zip(*D))


def weight_where(D: Weights, chosen: Right) -> Any:
    """Σ D over the chosen items; in float rounded once."""
    values = chain.from_iterable(compress(d, c) for d, c in zip(D, chosen))
    return math.fsum(values) if isinstance(D[0][0], float) else sum(values)


def share(D: Weights, chosen: Right) -> Any:
    """The weight of the chosen items over that of all: of D_1, a weighted Hamming loss."""
    weight = weight_where(D, chosen)
    return weight if isinstance(D[0][0], float) else Fraction(weight, sum(map(sum, D)))


def reweighted(D: Weights, right: Right, E: Any, R: Any, t: int) -> Any:
    """D_{t+1}, from the weights E of the wrong and R of the right items, both above 0.

    Raises `ExactnessLimitError` where whole numbers grow beyond `MAX_DIGITS`.
    [lu, "The AdaBoost.MH Algorithm"]

    >>> reweighted([[3, 1]], [[True, False]], E=1, R=3, t=1)
    [[1, 1]]
    """
    if isinstance(D[0][0], float):
        return [[d / (2 * R if ok else 2 * E) for d, ok in zip(*pair)] for pair in zip(D, right)]
    grown = [[d * (E if ok else R) for d, ok in zip(*pair)] for pair in zip(D, right)]
    distinct = set(chain.from_iterable(grown))
    common = math.gcd(*distinct)
    mend = f"take at most {t} rounds, or give floats"
    check_digits(max(distinct) // common, f"round {t}: a weight needs", mend)
    return [[d // common for d in row] for row in grown]


def is_subnormal(D: Sequence[Sequence[float]]) -> bool:
    """Whether a weight above 0 is too small for a float to hold it to all its digits.

    A round at most halves a weight, so none gets to 0 unseen.
    """
    return any(0 < d < _LEAST for row in D for d in row)


class Votes(Protocol):
    """The margins c_il g(x_i, l) of all items, round after round."""

    def add(self, alpha: Log, right: Right) -> None: ...

    def wrong(self) -> list[list[bool]]: ...


class FloatVotes:
    """Sums of ±α with each α rounded to a float, and nothing else rounded."""

    def __init__(self, m: int, k: int) -> None:
        self._margins = [[0] * m for _ in range(k)]

    def add(self, alpha: Log, right: Right) -> None:
        above, below = float(alpha).as_integer_ratio()
        vote = above * (_SCALE // below)
        self._margins = [
            [g + vote if ok else g - vote for g, ok in zip(*pair)]
            for pair in zip(self._margins, right)
        ]

    def wrong(self) -> list[list[bool]]:
        """Where the margin isn't above 0."""
        return [[g <= 0 for g in row] for row in self._margins]


class ExactVotes:
    """Sums of ±α as logarithms, one for each history of right and wrong that occurs."""

    def __init__(self, m: int, k: int) -> None:
        self._histories = [[0] * m for _ in range(k)]
        self._margins = {0: Log()}

    def add(self, alpha: Log, right: Right) -> None:
        self._histories = [
            [2 * past + ok for past, ok in zip(*pair)] for pair in zip(self._histories, right)
        ]
        occurring = set(chain.from_iterable(self._histories))
        self._margins = {h: self._margins[h // 2] + (alpha if h % 2 else -alpha) for h in occurring}

    def wrong(self) -> list[list[bool]]:
        """Where the margin isn't above 0."""
        is_wrong = {h: g.sign() <= 0 for h, g in self._margins.items()}
        return [[is_wrong[h] for h in row] for row in self._histories]
