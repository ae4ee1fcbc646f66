"""Decoding: which row of an output code is nearest to the answers of the binary classifiers.

The plain programs are `refmc.lectures.keshet.hamming_decoding` and
`refmc.lectures.keshet.loss_based_decoding`. Beyond them: distances of exponentials that are
compared exactly.

Covers Hamming decoding [keshet (1)] and loss-based decoding [keshet (2)].

Differs from the lecture:
- the arg min stands over the rows r of the code, not over a y that the distance does not contain;
- it is a set: all rows at the least distance, decided without rounding.

Legend: M the code, k rows and l columns; f the l scores f_s(x); L a loss of the margin M(r, s) f_s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

from refmc.core.logs import Log
from refmc.core.parameters import check_function
from refmc.core.sample import Row
from refmc.core.scalars import plain, shown, sign
from refmc.core.ties import argmin_set
from refmc.errors import DataError
from refmc.learn.reductions.exponentials import compare_exponential_sums, compare_logistic_sums
from refmc.learn.reductions.members import added, read_scores, unrounded
from refmc.learn.reductions.output_codes import Code, Rows, read_code
from refmc.theory.losses import exponential, hinge, logistic

Loss = Callable[[Any], Any]
"""A loss L(z) of a margin: `hinge`, `exponential`, `logistic`, `perceptron_loss` or another."""

Scores = Row | Sequence[Log]

Compare = Callable[[Sequence[Fraction], Sequence[Fraction]], int]

ROOM = 2.0**-36
"""More than the relative error of a sum of exponential or logistic losses in float. The argument of
exp is below 710, so that its rounding changes exp by 710·2^-53 at most; exp itself and the sum are
rounded by a few units in the last place more."""


def hamming_decoding(code: Code, f: Scores) -> tuple[Fraction, ...]:
    """d_H(M(r), f) for each row r: the columns whose sign differs from that of the score.

    code: k rows of l entries −1, 0, +1; f: l scores. A zero in either counts half. Exact whatever
    the scores are. Raises `DataError`: a score vector of another length, NaN, other entries. Cost:
    O(kl). [keshet (1)]

    >>> hamming_decoding([[1, 1], [-1, -1]], [Fraction(3), Fraction(-1)])
    (Fraction(1, 1), Fraction(1, 1))
    """
    return _hamming(*_read(code, f))


def _hamming(M: Rows, scores: Sequence[Any]) -> tuple[Fraction, ...]:
    signs = [sign(score) for score in scores]
    return tuple(Fraction(len(row) - sum(map(mul, row, signs)), 2) for row in M)


def loss_decoding(code: Code, f: Scores, loss: Loss) -> tuple[Any, ...]:
    """d_L(M(r), f) = Σ_s L(M(r, s) f_s) for each row r.

    `loss`: a function of a margin. With `hinge` Fractions stay exact; `exponential` and `logistic`
    give floats, and `nearest_rows` decides the ties that floats can't decide. Raises `DataError`: a
    score vector of another length, NaN, other entries, a sum beyond the range of floats. Cost:
    O(kl). [keshet (2)]

    >>> f = [Fraction(3), Fraction(-1)]
    >>> loss_decoding([[1, 1], [-1, -1]], f, hinge)
    (Fraction(2, 1), Fraction(4, 1))
    """
    check_function(loss, "loss", "a function of a margin, such as hinge")
    M, scores = _read(code, f)
    return tuple(map(added, _losses(M, scores, loss)))


def nearest_rows(code: Code, f: Scores, loss: Loss | None = None) -> tuple[int, ...]:
    """All rows at the least distance from f: Hamming's, or that of the loss if one is given.

    Nothing is rounded: float scores count as the rationals that they are, hinge losses are exact,
    and sums of exponential or logistic losses are compared by `compare_exponential_sums` and
    `compare_logistic_sums`. The values of any other loss are taken as they are, and added exactly.
    Arguments and errors as `hamming_decoding` and `loss_decoding`; scores whose exponentials leave
    the range of floats are no error here.
    [keshet §1.3], [keshet §1.3, "Example"]

    >>> f = [Fraction(3), Fraction(-1)]
    >>> nearest_rows([[1, 1], [-1, -1]], f), nearest_rows([[1, 1], [-1, -1]], f, exponential)
    ((0, 1), (0,))
    """
    return nearest(*_read(code, f), loss)


def nearest(M: Rows, scores: Sequence[Any], loss: Loss | None) -> tuple[int, ...]:
    """`nearest_rows` of a code and of scores that have been read."""
    if loss is None:
        return argmin_set(_hamming(M, scores))
    if loss is exponential:
        return _least(M, scores, loss, _compare_exponential_losses)
    if loss is logistic:
        return _least(M, scores, loss, compare_logistic_sums)
    if loss is hinge:
        scores = [unrounded(score) for score in scores]
    return argmin_set(list(map(added, _losses(M, scores, lambda z: unrounded(loss(z))))))


def _read(code: Code, f: Scores) -> tuple[Rows, list[Any]]:
    M = read_code(code)
    listed: Any = plain(f)
    if not isinstance(listed, Sequence) or isinstance(listed, (str, bytes)):
        raise DataError(f"f: expected a sequence of scores, got {shown(listed)}")
    if len(listed) != len(M[0]):
        raise DataError(f"f: expected {len(M[0])} scores, one a column, got {len(listed)}")
    return M, read_scores(listed, 0.0, "f: position")


def _losses(M: Rows, scores: Sequence[Any], loss: Loss) -> list[list[Any]]:
    """For each row the losses of its margins, each computed once for all rows that have it."""
    if any(isinstance(score, Log) for score in scores):
        raise DataError("f: losses of exact logarithms are not defined; give float(score)")
    columns = [
        {entry: loss(entry * f) for entry in {*column}} for column, f in zip(zip(*M), scores)
    ]
    return [[column[entry] for column, entry in zip(columns, row)] for row in M]


def _compare_exponential_losses(a: Sequence[Fraction], b: Sequence[Fraction]) -> int:
    """The sign of Σ exp(−z) over the margins a minus the same sum over b."""
    return compare_exponential_sums([-z for z in a], [-z for z in b])


def _least(M: Rows, scores: Sequence[Any], loss: Loss, compare: Compare) -> tuple[int, ...]:
    """All rows of the least sum of losses.

    Sums in float rule out most rows; those that are near the least are compared without rounding.
    """
    margins = _losses(M, scores, Fraction)
    best: list[int] = []
    for r in _near(M, scores, loss):
        order = compare(margins[r], margins[best[0]]) if best else -1
        if order < 0:
            best = [r]
        elif order == 0:
            best.append(r)
    return tuple(best)


def _near(M: Rows, scores: Sequence[Any], loss: Loss) -> list[int]:
    """The rows whose sum of losses in float is so near to the least that it may be the least."""
    try:
        rough = list(map(added, _losses(M, scores, loss)))
    except DataError:  # a sum is beyond the range of floats, so that they rule nothing out
        return list(range(len(M)))
    bound = min(rough) * (1 + ROOM) + 2.0**-1000
    return [r for r, value in enumerate(rough) if value <= bound]
