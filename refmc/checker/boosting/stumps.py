"""The best decision stump under given weights, and whether answers are those of a stump.

Covers line 5 of [lu, "The AdaBoost.MH Algorithm"] for the boosting stumps of
[lu, "AdaBoost.MH : Multi-Class Hamming Loss"].

A stump asks one question; what it answers on each side depends on its kind:

    one_sign   a sign v_l for each label where the answer is yes, −v_l where it is no
    two_sided  a sign for each label and side
    classes    one of the classes for each side

The edge is the weight of what is right minus that of what is wrong, so the largest edge has the
least error. It depends on sums over the two sides alone: for each label the sum of the signed
weights D(i, l) c_il, or for each class the sum of the weights of its rows.

The weights are whole numbers of hundreds of digits. All edges are computed from their leading
digits first, and exactly in those columns only whose best question may be the best.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise, repeat
from operator import add, sub
from typing import Any, Literal, NamedTuple

from refmc.checker.boosting.weights import Table, Weights
from refmc.checker.trees.data import Column, Data, Membership, Question, Threshold
from refmc.checker.trees.words import question_text

Kind = Literal["one_sign", "two_sided", "classes"]

Signed = Sequence[Sequence[Any]]
"""For each label D(i, l) c_il of the rows; or for each class the weights of its rows, else 0."""

MAX_CATEGORIES = 12  # of a column: q of them have 2^(q−1) − 1 questions

LEADING_BITS = 29  # of the sum of all weights: single digits of Python, which are added up fast


def largest_edge(
    stumps: "Stumps", kind: Kind, k: int, truth: Table, weights: Weights
) -> tuple[int, str]:
    """The largest edge of a stump, and its question in words.

    `truth`: rows of signs, or of one class position each.

    >>> from refmc.checker.trees.data import Sample, prepare
    >>> stumps = stumps_of(prepare(Sample(X=[[0], [1], [2]], y=(0,) * 3, k=1)))
    >>> largest_edge(stumps, "classes", 2, [(0,), (0,), (1,)], Weights(((1,), (1,), (1,))))
    (3, 'x0 <= 1')
    """
    own = _of_classes if kind == "classes" else _of_signs
    exact = own(truth, weights.rows, k)
    cut = max(0, weights.total.bit_length() - LEADING_BITS)
    leading = own(truth, [[v >> cut for v in row] for row in weights.rows], k)
    near = [column.edges(kind, leading) for column in stumps.columns]
    # An edge adds up all weights, each with a sign, and so loses less than 1 for each.
    least = max((max(edges) for edges in near if edges), default=0) - 2 * len(truth) * len(truth[0])
    best, question = _constant(kind, exact), None
    for column, about in zip(stumps.columns, near, strict=True):
        if about and max(about) >= least:
            edges = column.edges(kind, exact)
            if max(edges) > best:
                best, question = max(edges), column.question(edges.index(max(edges)))
    return best, "a constant" if question is None else question_text(stumps.data, question)


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
    yes, no = ([i for i, row in enumerate(answers) if tuple(row) == own] for own in patterns)
    return any(column.separates(yes, no) for column in data.columns)


def _of_signs(truth: Table, weights: Signed, k: int) -> Signed:
    pairs = zip(zip(*weights), zip(*truth), strict=True)
    return [[d if c > 0 else -d for d, c in zip(d_l, c_l)] for d_l, c_l in pairs]


def _of_classes(truth: Table, weights: Signed, k: int) -> Signed:
    return [
        [d if c == own else 0 for (d,), (c,) in zip(weights, truth, strict=True)]
        for own in range(k)
    ]


def _constant(kind: Kind, signed: Signed) -> Any:
    """The edge of the best constant: of every label the better sign, or the best class."""
    totals = [sum(values) for values in signed]
    return 2 * max(totals) - sum(totals) if kind == "classes" else sum(map(abs, totals))


class Asked(NamedTuple):
    """The questions that a stump can ask about a column.

    Each threshold but the largest value, which parts nothing; each set without the last category,
    for its complement parts the rows alike. `order`: the rows by their values; `ends`: behind the
    last row of each value but the largest one.
    """

    position: int
    column: Column
    order: tuple[int, ...]
    ends: tuple[int, ...]

    def edges(self, kind: Kind, signed: Signed) -> list[Any]:
        """The edge of each question, from the sums over its yes side and all rows."""
        totals = [sum(values) for values in signed]
        if kind == "classes":
            sums = zip(*map(self._sums, signed))
            return [2 * (max(yes) + max(map(sub, totals, yes))) - sum(totals) for yes in sums]
        edges: list[Any] = []
        for values, total in zip(signed, totals, strict=True):
            yes = self._sums(values)
            no = map(sub, repeat(total), yes)
            if kind == "one_sign":
                own = list(map(abs, map(sub, yes, no)))
            else:
                own = list(map(add, map(abs, yes), map(abs, no)))
            edges = list(map(add, edges, own)) if edges else own
        return edges

    def _sums(self, values: Sequence[Any]) -> list[Any]:
        """For each question the sum of the values over the rows that answer yes."""
        running = list(accumulate(map(values.__getitem__, self.order), initial=0))
        upto = list(map(running.__getitem__, self.ends))
        if self.column.is_numeric:
            return upto
        sums = [0]
        for before, after in pairwise([0, *upto]):
            sums += [v + (after - before) for v in sums]
        return sums[1:]

    def question(self, position: int) -> Question:
        """The question of that position among the edges."""
        distinct = self.column.distinct
        if self.column.is_numeric:
            value = distinct[position]
            assert not isinstance(value, str)
            return Threshold(self.position, value)
        chosen = position + 1
        names = [str(name) for bit, name in enumerate(distinct[:-1]) if chosen >> bit & 1]
        return Membership(self.position, frozenset(names))


class Stumps(NamedTuple):
    """The questions of all columns."""

    data: Data
    columns: tuple[Asked, ...]


def stumps_of(data: Data) -> Stumps:
    """The questions that stumps can ask about some rows.

    >>> from refmc.checker.trees.data import Sample, prepare
    >>> stumps_of(prepare(Sample(X=[[2], [1], [2]], y=(0,) * 3, k=1))).columns[0].ends
    (1,)
    """
    columns = []
    for j, column in enumerate(data.columns):
        order = sorted(range(len(column.ranks)), key=column.ranks.__getitem__)
        steps = enumerate(pairwise(order), 1)
        ends = [end for end, (i, after) in steps if column.ranks[i] < column.ranks[after]]
        columns.append(Asked(j, column, tuple(order), tuple(ends)))
    return Stumps(data, tuple(columns))
