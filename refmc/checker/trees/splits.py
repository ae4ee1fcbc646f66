"""The best question of a node, among all that separate its rows.

Covers [lu, "Training a Binary Decision Tree with a Greedy Algorithm"] and
[lu, "Node Questions for Binary Decision Trees"].

Questions count by the partition that they make.  A numeric column with q values among the node's
rows makes q - 1 partitions, whatever thresholds are admitted between two values.  A categorical
column makes 2^(q-1) - 1: of a set and its complement at least one has at most half of the values.
Partitions that give a child fewer than `min_leaf` rows don't count.

What a split leaves, risk(u) + risk(n - u) for the class weights u of one child, is concave in u, so
over all subsets of some vectors it is smallest at a vertex of the body of their fractional sums, and
a vertex takes all vectors of one direction or none.  Hence, where `min_leaf` is 1, values whose
class weights are proportional may stay together, and with two classes only the sets that come first
in the order of the proportions need a look.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from refmc.checker.numbers.logarithms import LogSum
from refmc.checker.trees.data import Column, Data, Membership, Question, Threshold
from refmc.checker.trees.impurity import Impurity

MOST_SUBSETS = 2**19
"""How many sets of values are tried at a node; enough for 20 values."""

Weights = tuple[int, ...]
Partition = tuple[Weights, Weights]


@dataclass(frozen=True)
class Split:
    """What a question leaves: the class weights of its two children, and the sum of their risks."""

    question: Question
    parts: Partition
    risk: LogSum


@dataclass(frozen=True)
class Search:
    """The best split found, if any; `untried` names a column whose sets were not all tried."""

    best: Split | None
    untried: str = ""


def best_split(
    data: Data, rows: Sequence[int], impurity: Impurity, min_leaf: int, midpoints: bool = False
) -> Search:
    """A split of the rows with the smallest risk.

    With `midpoints` a threshold is worded as the middle between two values, else as the lower one.

    >>> from refmc.checker.trees.data import Sample, prepare
    >>> from refmc.checker.trees.impurity import GINI
    >>> data = prepare(Sample(X=[[1], [2], [3], [4], [5]], y=(0, 0, 1, 0, 1), k=2))
    >>> best_split(data, range(5), GINI, 1).best.question
    Threshold(column=0, threshold=2)
    """
    contest = _Contest(data, rows, impurity)
    untried = ""
    for j, column in enumerate(data.columns):
        if column.is_numeric:
            contest.try_thresholds(j, column, min_leaf, midpoints)
        elif not contest.try_sets(j, column, min_leaf):
            untried = column.name
    return Search(contest.winner(), untried)


def parts_of(data: Data, no: Sequence[int], yes: Sequence[int]) -> Partition:
    """The class weights of the two children, in a form that equal splits share.

    >>> from refmc.checker.trees.data import Sample, prepare
    >>> parts_of(prepare(Sample(X=[[1], [2], [3]], y=(0, 1, 1), k=2)), [1, 2], [0])
    ((1,), (2,))
    """
    return _parts(data.counts(no), data.counts(yes))


def _parts(u: Sequence[int], v: Sequence[int]) -> Partition:
    """Risks don't tell classes or children apart."""
    one, other = sorted(c for c in u if c), sorted(c for c in v if c)
    return (tuple(min(one, other)), tuple(max(one, other)))


class _Contest:
    """Splits of one node that may be the best: those within the slack of the highest merit."""

    def __init__(self, data: Data, rows: Sequence[int], impurity: Impurity) -> None:
        counts = data.counts(rows)
        present = [c for c, weight in enumerate(counts) if weight]
        local = {c: at for at, c in enumerate(present)}
        self.rows, self.impurity = rows, impurity
        self.counts = [counts[c] for c in present]
        self.item = {i: (local[data.sample.y[i]], data.weights[i]) for i in rows}
        self.slack = impurity.slack(sum(counts))
        self.bar: int | None = None
        self.near: dict[Partition, tuple[int, Question]] = {}

    def merit(self, u: Sequence[int]) -> int:
        rest = [n - c for n, c in zip(self.counts, u, strict=True)]
        return self.impurity.merit(u, sum(u)) + self.impurity.merit(rest, sum(rest))

    def offer(self, merit: int, u: Sequence[int], question: Question) -> None:
        rest = [n - c for n, c in zip(self.counts, u, strict=True)]
        self.near.setdefault(_parts(u, rest), (merit, question))
        self.bar = max(merit - self.slack, merit if self.bar is None else self.bar)
        if len(self.near) > 100:
            self.near = {p: found for p, found in self.near.items() if found[0] >= self.bar}

    def winner(self) -> Split | None:
        risk = self.impurity.risk
        close = (item for item in self.near.items() if item[1][0] >= (self.bar or 0))
        splits = [Split(question, p, risk(p[0]) + risk(p[1])) for p, (_, question) in close]
        return min(splits, key=lambda split: split.risk, default=None)

    def try_thresholds(self, j: int, column: Column, min_leaf: int, midpoints: bool) -> None:
        ranks, size = column.ranks, len(self.rows)
        ordered = sorted(self.rows, key=ranks.__getitem__)
        u = [0] * len(self.counts)
        for position, i in enumerate(ordered[:-1], 1):
            c, weight = self.item[i]
            u[c] += weight
            following = ordered[position]
            if ranks[i] == ranks[following] or not min_leaf <= position <= size - min_leaf:
                continue
            merit = self.merit(u)
            if self.bar is None or merit >= self.bar:
                low, high = column.distinct[ranks[i]], column.distinct[ranks[following]]
                assert not isinstance(low, str) and not isinstance(high, str)
                middle = (Fraction(low) + high) / 2
                self.offer(merit, u, Threshold(j, middle if midpoints else low))

    def try_sets(self, j: int, column: Column, min_leaf: int) -> bool:
        """False where there are too many sets to try all."""
        values = self._values(column)
        if len(values) < 2:
            return True
        subsets, complete = self._candidates(values, min_leaf)
        for group in subsets:
            if min_leaf <= group.size <= len(self.rows) - min_leaf:
                merit = self.merit(group.weights)
                if self.bar is None or merit >= self.bar:
                    names = frozenset(str(column.distinct[rank]) for rank in group.ranks)
                    self.offer(merit, group.weights, Membership(j, names))
        return complete

    def _candidates(self, values: list["_Group"], min_leaf: int) -> tuple[Sequence["_Group"], bool]:
        if min_leaf > 1:
            return _subsets(values, sum(self.counts))
        groups = _grouped(values)
        if len(groups) == 1:
            return values[:1], True  # every split leaves the same risk
        if len(self.counts) == 2:
            return list(_prefixes(groups)), True
        return _subsets(groups, sum(self.counts))

    def _values(self, column: Column) -> list["_Group"]:
        """Each value of the column among the rows, by itself."""
        weights: dict[int, list[int]] = {}
        sizes: dict[int, int] = {}
        for i in self.rows:
            rank = column.ranks[i]
            c, weight = self.item[i]
            weights.setdefault(rank, [0] * len(self.counts))[c] += weight
            sizes[rank] = sizes.get(rank, 0) + 1
        return [_Group((r,), sizes[r], tuple(weights[r])) for r in sorted(weights)]


@dataclass(frozen=True)
class _Group:
    """Some values of a categorical column: their ranks, number of rows and class weights."""

    ranks: tuple[int, ...]
    size: int
    weights: Weights


def _union(groups: Sequence[_Group]) -> _Group:
    ranks = tuple(rank for group in groups for rank in group.ranks)
    weights = tuple(map(sum, zip(*(group.weights for group in groups), strict=True)))
    return _Group(ranks, sum(group.size for group in groups), weights)


def _grouped(values: Sequence[_Group]) -> list[_Group]:
    """Values whose class weights are proportional together."""
    together: dict[Weights, list[_Group]] = {}
    for group in values:
        common = gcd(*group.weights)
        together.setdefault(tuple(c // common for c in group.weights), []).append(group)
    return [_union(same) for same in together.values()]


def _prefixes(groups: Sequence[_Group]) -> Iterator[_Group]:
    ordered = sorted(groups, key=lambda group: Fraction(group.weights[0], sum(group.weights)))
    return (_union(ordered[:length]) for length in range(1, len(ordered)))


def _subsets(groups: Sequence[_Group], total: int) -> tuple[list[_Group], bool]:
    """Every subset that leaves out the first group, one of each size and class weights.

    A subset is one whole number, its size and class weights side by side, so that adding a group
    is adding two numbers.  False where there are more than `MOST_SUBSETS`.
    """
    width = max(total, sum(group.size for group in groups)).bit_length()
    codes = [_pack((group.size, *group.weights), width) for group in groups]
    found = {0: 0}
    complete = True
    for at, code in enumerate(codes[1:], 1):
        if len(found) > MOST_SUBSETS // 2:
            complete = False
            break
        found |= {
            more: members | 1 << at
            for subset, members in found.items()
            if (more := subset + code) not in found
        }
    del found[0]
    count = len(groups[0].weights)
    return [_unpack(subset, members, groups, width, count) for subset, members in found.items()], (
        complete
    )


def _pack(numbers: Sequence[int], width: int) -> int:
    packed = 0
    for n in numbers:
        packed = packed << width | n
    return packed


def _unpack(subset: int, members: int, groups: Sequence[_Group], width: int, count: int) -> _Group:
    weights = tuple(subset >> width * (count - 1 - c) & (1 << width) - 1 for c in range(count))
    ranks = tuple(r for at, g in enumerate(groups) if members >> at & 1 for r in g.ranks)
    return _Group(ranks, subset >> width * count, weights)
