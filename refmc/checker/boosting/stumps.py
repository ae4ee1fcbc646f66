"""The best decision stump under given weights, and whether answers are those of a stump.

Covers line 5 of [lu, "The AdaBoost.MH Algorithm"] for the boosting stumps of
[lu, "AdaBoost.MH : Multi-Class Hamming Loss"].

A stump asks one question; what it answers on each side depends on its kind:

    one_sign   a sign v_l for each label where the answer is yes, -v_l where it is no
    two_sided  a sign for each label and side
    classes    one of the classes for each side

The edge is the weight of what is right minus that of what is wrong, so the largest edge has the least
error.  It depends on the sums of weights on the two sides alone: of signed weights D(i, l) c_il, one
sum a label, or of the weights of each class.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Literal

from refmc.checker.boosting.weights import Table, Weights
from refmc.checker.trees.data import Column, Data, Membership, Question, Threshold, question_text

Kind = Literal["one_sign", "two_sided", "classes"]
Sums = Sequence[int]

MAX_CATEGORIES = 12  # of a column: q of them have 2^(q-1) - 1 questions


def largest_edge(data: Data, kind: Kind, k: int, truth: Table, weights: Weights) -> tuple[int, str]:
    """The largest edge of a stump, and its question in words.

    `truth`: rows of signs, or of one class position each.

    >>> from refmc.checker.trees.data import Sample, prepare
    >>> data = prepare(Sample(X=[[0], [1], [2]], y=(0,) * 3, k=1))
    >>> largest_edge(data, "classes", 2, [(0,), (0,), (1,)], Weights(((1,), (1,), (1,))))
    (3, 'x0 <= 1')
    """
    own = _class_columns if kind == "classes" else _signed_columns
    columns = own(truth, weights, k)
    totals = [sum(values) for values in columns]
    edge = _EDGES[kind]
    best, question = edge(totals, [0] * len(totals)), None
    for j, column in enumerate(data.columns):
        asked = _thresholds if column.is_numeric else _sets
        for candidate, yes in asked(j, column, columns):
            found = edge(yes, [total - v for total, v in zip(totals, yes, strict=True)])
            if found > best:
                best, question = found, candidate
    return best, "a constant" if question is None else question_text(data, question)


def is_stump(data: Data, kind: Kind, answers: Table) -> bool:
    """Whether some stump of the kind gives these answers on the rows.

    >>> from refmc.checker.trees.data import Sample, prepare
    >>> data = prepare(Sample(X=[[0], [1], [2]], y=(0,) * 3, k=1))
    >>> is_stump(data, "classes", [(1,), (0,), (0,)]), is_stump(data, "classes", [(1,), (0,), (1,)])
    (True, False)
    """
    patterns = list(dict.fromkeys(map(tuple, answers)))
    if len(patterns) == 1:
        return True
    if len(patterns) > 2:
        return False
    if kind == "one_sign" and any(v == w for v, w in zip(*patterns)):
        return False
    yes = [tuple(row) == patterns[0] for row in answers]
    return any(_parts(column, yes) for column in data.columns)


def _parts(column: Column, yes: Sequence[bool]) -> bool:
    """Whether a question about the column has these answers."""
    sides = [set[bool]() for _ in column.distinct]
    for rank, is_yes in zip(column.ranks, yes, strict=True):
        sides[rank].add(is_yes)
    if any(len(side) > 1 for side in sides):
        return False
    flat = [next(iter(side)) for side in sides]
    return not column.is_numeric or sum(a != b for a, b in pairwise(flat)) == 1


def _signed_columns(truth: Table, weights: Weights, k: int) -> list[list[int]]:
    """For each label D(i, l) c_il in the order of the rows."""
    pairs = zip(zip(*weights.rows), zip(*truth), strict=True)
    return [[d if c > 0 else -d for d, c in zip(d_l, c_l)] for d_l, c_l in pairs]


def _class_columns(truth: Table, weights: Weights, k: int) -> list[list[int]]:
    """For each class the weights of its rows, and 0 for the others."""
    return [
        [d if c == own else 0 for (d,), (c,) in zip(weights.rows, truth, strict=True)]
        for own in range(k)
    ]


def _one_sign(yes: Sums, no: Sums) -> int:
    return sum(abs(p - q) for p, q in zip(yes, no, strict=True))


def _two_sided(yes: Sums, no: Sums) -> int:
    return sum(map(abs, yes)) + sum(map(abs, no))


def _classes(yes: Sums, no: Sums) -> int:
    return 2 * (max(yes) + max(no)) - sum(yes) - sum(no)


_EDGES: dict[Kind, Callable[[Sums, Sums], int]] = {
    "one_sign": _one_sign,
    "two_sided": _two_sided,
    "classes": _classes,
}


def _by_rank(column: Column, values: Sequence[int]) -> list[int]:
    sums = [0] * len(column.distinct)
    for rank, value in zip(column.ranks, values, strict=True):
        sums[rank] += value
    return sums


def _thresholds(
    j: int, column: Column, columns: Sequence[Sequence[int]]
) -> Iterator[tuple[Question, Sums]]:
    """Each threshold but the largest value, which parts nothing, with the sums of its yes side."""
    running = [list(accumulate(_by_rank(column, values))) for values in columns]
    for value, yes in zip(column.distinct[:-1], zip(*running)):
        assert not isinstance(value, str)
        yield Threshold(j, value), yes


def _sets(
    j: int, column: Column, columns: Sequence[Sequence[int]]
) -> Iterator[tuple[Question, Sums]]:
    """Each set without the last category, for its complement parts the rows alike."""
    by_rank = list(zip(*(_by_rank(column, values) for values in columns)))
    sets: list[tuple[frozenset[str], Sums]] = [(frozenset(), [0] * len(columns))]
    for name, own in zip(column.distinct[:-1], by_rank):
        sets += [(names | {str(name)}, [v + w for v, w in zip(sums, own)]) for names, sums in sets]
    for names, sums in sets[1:]:
        yield Membership(j, names), sums
