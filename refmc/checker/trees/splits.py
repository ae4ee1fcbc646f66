"""The best question of a node, among all that separate its rows.

Covers [lu, "Training a Binary Decision Tree with a Greedy Algorithm"],
[lu, "Node Questions for Binary Decision Trees"] and [lu, "Issues of the Greedy Algorithm"].

Questions that make the same partition of the rows are the same. A numeric column with q values
among the node's rows makes q − 1 partitions, whatever thresholds are admitted between two values. A
categorical column makes 2^(q−1) − 1, as a set and its complement make the same one (see `subsets`).
A candidate makes one. Partitions that give a child fewer than `min_leaf` rows don't count.

Let u be the class weights of one child and n those of the node. The risk that a split leaves,
f(u) = risk(u) + risk(n − u), is concave in u, and f(0) = f(n) = risk(n) is its largest value, as no
split raises the risk.

So under the Gini index and the entropy no cut between two rows of one class is best. While such
rows pass from one child to the other, u moves on a line on which f is strictly concave, so that f
is less at one of the ends; at 0 and n it is not less, as f is largest there.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

from refmc.checker.numbers.logarithms import LogSum
from refmc.checker.parts import counted
from refmc.checker.printing import short_text
from refmc.checker.trees.data import Data, Linear, Membership, Question, Sphere, Threshold
from refmc.checker.trees.impurity import Impurity, ImpurityName, SortedRows, impurity_of
from refmc.checker.trees.subsets import groups_of_values, subsets_to_try


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What may be split, and how a question is judged.

    `lookahead`: a question is judged by the least risk that this many further levels of splits can
    leave. `candidates`: further questions beside those about single columns. `midpoints`: whether
    messages name thresholds midway between two values; it changes nothing else.
    """

    impurity: ImpurityName = "gini"
    min_leaf: int = 1
    min_leaf_weight: Fraction = Fraction(0)
    min_split: int = 2
    min_impurity: Fraction = Fraction(0)
    max_depth: int | None = None
    lookahead: int = 0
    candidates: tuple[Linear | Sphere, ...] = ()
    midpoints: bool = False

    @cached_property
    def measure(self) -> Impurity:
        """The impurity of that name; it remembers the logarithms that it has computed."""
        return impurity_of(self.impurity)

    @property
    def limits_leaves(self) -> bool:
        """Whether a best partition may be refused, so that others are needed."""
        return self.min_leaf > 1 or self.min_leaf_weight > 0

    def levels(self, depth: int) -> int:
        """How many levels of splits below the children of a node at this depth are looked ahead.

        >>> Rules(lookahead=2, max_depth=3).levels(1)
        1
        """
        if self.max_depth is None:
            return self.lookahead
        return max(0, min(self.lookahead, self.max_depth - depth - 1))

    def reason_for_a_leaf(self, counts: Sequence[int], rows: int, depth: int) -> str:
        """Why a node must not be split, whatever the question; "" if it may be split.

        >>> Rules(min_split=3).reason_for_a_leaf([1, 1], 2, 0)
        'it has 2 rows, fewer than 3'
        """
        if sum(c > 0 for c in counts) <= 1:
            return "it is pure"
        if rows < self.min_split:
            return f"it has {counted(rows, 'row')}, fewer than {short_text(self.min_split)}"
        if self.max_depth is not None and depth >= self.max_depth:
            return f"it has depth {depth}, the largest allowed"
        if self.min_impurity:
            own = self.measure.risk(counts) * Fraction(1, sum(counts))
            least = LogSum(self.min_impurity)
            if own < least:
                return f"its impurity is {own.text()}, less than {least.text()}"
        return ""


M = TypeVar("M", bound=tuple[Any, ...])


class Region(NamedTuple):
    """The rows of a node and their class weights.

    `orders`: for each numeric column that isn't constant on them, the rows sorted by it.
    """

    rows: Sequence[int]
    counts: list[int]
    orders: Mapping[int, Sequence[int]]


class Split(NamedTuple):
    """A question and the risk that it leaves."""

    question: Question
    risk: LogSum


class Search(NamedTuple):
    """The best split, if there is any. `untried`: the name of a column that has too many sets of
    values to try them all, or ""."""

    best: Split | None
    untried: str = ""


def all_rows(data: Data) -> Region:
    """The region of the root.

    >>> from refmc.checker.trees.data import Sample, prepare
    >>> all_rows(prepare(Sample(X=[[2, 1], [1, 1]], y=(0, 1), k=2)))
    Region(rows=range(0, 2), counts=[1, 1], orders={0: [1, 0]})
    """
    rows = range(len(data.sample.y))
    orders = {
        j: sorted(rows, key=column.ranks.__getitem__)
        for j, column in enumerate(data.columns)
        if column.is_numeric and len(column.distinct) > 1
    }
    return Region(rows, data.counts(rows), orders)


def divided(data: Data, region: Region, yes: Sequence[int]) -> tuple[Region, Region]:
    """The region of the rows that answer no, and that of the rows that answer yes.

    >>> from refmc.checker.trees.data import Sample, prepare
    >>> data = prepare(Sample(X=[[2], [1], [3]], y=(0, 1, 1), k=2))
    >>> divided(data, all_rows(data), [1])[0]
    Region(rows=[0, 2], counts=[1, 1], orders={0: [0, 2]})
    """
    says_yes = bytearray(len(data.sample.y))
    for i in yes:
        says_yes[i] = 1
    counts = data.counts(yes)
    rest = [whole - part for whole, part in zip(region.counts, counts, strict=True)]
    orders: tuple[dict[int, list[int]], dict[int, list[int]]] = {}, {}
    for j, order in region.orders.items():
        ranks = data.columns[j].ranks
        parts = [i for i in order if not says_yes[i]], [i for i in order if says_yes[i]]
        for own, part in zip(orders, parts, strict=True):
            if part and ranks[part[0]] != ranks[part[-1]]:
                own[j] = part
    no = [i for i in region.rows if not says_yes[i]]
    return Region(no, rest, orders[0]), Region(yes, counts, orders[1])


def best_split(
    data: Data, region: Region, rules: Rules, depth: int = 0, levels: int | None = None
) -> Search:
    """A split that leaves the least risk after the levels of look-ahead.

    `levels`: the number of these; None takes it from the rules.

    >>> from refmc.checker.trees.data import Sample, prepare
    >>> data = prepare(Sample(X=[[1], [2], [3], [4], [5]], y=(0, 0, 1, 0, 1), k=2))
    >>> best_split(data, all_rows(data), Rules()).best.question
    Threshold(column=0, threshold=2, strict=False, is_float=False)
    """
    levels = rules.levels(depth) if levels is None else levels
    slack = None if levels else rules.measure.slack(sum(region.counts))
    offers: list[_Offer] = []
    untried = ""
    for j, column in enumerate(data.columns):
        if j in region.orders:
            offers += _thresholds(data, region, rules, j, slack)
        elif not column.is_numeric:
            found, complete = _sets(data, region, rules, j, slack)
            offers += found
            untried = untried if complete else column.name
    for question in rules.candidates:
        yes = data.split(question, region.rows)[1]
        u = data.counts(yes)
        if _is_admitted(data, region, rules, len(yes), u):
            offers.append(_Offer(_merit(rules.measure, region, u), u, question))
    best: Split | None = None
    # Splits whose merits are within the slack of the best may be better: compare them exactly.
    for offer in _highest(offers, slack):
        if levels:
            yes = data.split(offer.question, region.rows)[1]
            children = divided(data, region, yes)
            risk, unseen = remaining(data, children, rules, depth, levels)
            untried = untried or unseen
        else:
            rest = [n - c for n, c in zip(region.counts, offer.u, strict=True)]
            risk = rules.measure.risk(offer.u) + rules.measure.risk(rest)
        if best is None or risk < best.risk:
            best = Split(offer.question, risk)
    return Search(best, untried)


def remaining(
    data: Data, children: Sequence[Region], rules: Rules, depth: int, levels: int | None = None
) -> tuple[LogSum, str]:
    """The risk of a split's children, or the least that look-ahead can make of it; and the name of
    a column whose sets were not all tried for that, or "". `depth`: that of the node that is split.

    >>> from refmc.checker.trees.data import Sample, prepare
    >>> data = prepare(Sample(X=[[1], [2], [3]], y=(0, 1, 0), k=2))
    >>> children = divided(data, all_rows(data), [0])
    >>> [remaining(data, children, Rules(lookahead=d), 0)[0].rational for d in (0, 1)]
    [Fraction(1, 1), Fraction(0, 1)]
    """
    levels = rules.levels(depth) if levels is None else levels
    total, untried = LogSum(), ""
    for child in children:
        risk = rules.measure.risk(child.counts)
        if levels and not rules.reason_for_a_leaf(child.counts, len(child.rows), depth + 1):
            below = best_split(data, child, rules, depth + 1, levels - 1)
            untried = untried or below.untried
            if below.best is not None and below.best.risk < risk:
                risk = below.best.risk
        total = total + risk
    return total, untried


class _Offer(NamedTuple):
    """A split with its merit: the class weights u of one child, and a question that makes it."""

    merit: int
    u: Sequence[int]
    question: Question


def _merit(impurity: Impurity, region: Region, u: Sequence[int]) -> int:
    rest = [n - c for n, c in zip(region.counts, u, strict=True)]
    return impurity.merit(u) + impurity.merit(rest)


def _is_admitted(data: Data, region: Region, rules: Rules, size: int, u: Sequence[int]) -> bool:
    """Whether both children, one of `size` rows with class weights u, are as large as they must."""
    weight, least = sum(u), rules.min_leaf_weight / data.unit
    return (
        rules.min_leaf <= size <= len(region.rows) - rules.min_leaf
        and least <= weight <= sum(region.counts) - least
    )


def _cut_range(data: Data, order: Sequence[int], rules: Rules) -> tuple[int, int]:
    """The least and the most sorted rows that may go to the first child."""
    first, last = rules.min_leaf, len(order) - rules.min_leaf
    if not rules.min_leaf_weight:
        return first, last
    weights = list(accumulate(data.weights[i] for i in order))
    least = rules.min_leaf_weight / data.unit
    first = max(first, 1 + bisect_left(weights, least))
    return first, min(last, bisect_right(weights, weights[-1] - least))


def _highest(found: list[M], slack: int | None) -> list[M]:
    """Those whose merits, which come first, are within the slack of the highest."""
    if slack is None or not found:
        return found
    least = max(one[0] for one in found) - slack
    return [one for one in found if one[0] >= least]


def _thresholds(
    data: Data, region: Region, rules: Rules, j: int, slack: int | None
) -> Iterator[_Offer]:
    column, order = data.columns[j], region.orders[j]
    blocks: Sequence[int] = column.ranks
    is_pure = max(region.counts) == sum(region.counts)  # then all cuts leave the same risk
    if rules.measure.is_strict and not rules.limits_leaves and slack is not None and not is_pure:
        blocks = data.blocks[j]
    ends = _cut_range(data, order, rules)
    rows = SortedRows(order, blocks, data.sample.y, data.weights, region.counts, *ends)
    u, start = [0] * len(region.counts), 0
    cuts = _highest(rules.measure.cuts(rows), slack)
    for merit, cut in cuts[-1:] if slack == 0 else cuts:  # then merits are exact
        for i in order[start:cut]:
            u[data.sample.y[i]] += data.weights[i]
        start = cut
        two = (column.distinct[column.ranks[i]] for i in order[cut - 1 : cut + 1])
        low, high = (end for end in two if not isinstance(end, str))
        threshold = (Fraction(low) + high) / 2 if rules.midpoints else low
        yield _Offer(merit, tuple(u), Threshold(j, threshold))


def _sets(
    data: Data, region: Region, rules: Rules, j: int, slack: int | None
) -> tuple[list[_Offer], bool]:
    """The sets of values of a column, and whether these are all that have to be tried."""
    values = groups_of_values(data, data.columns[j], region.rows)
    if len(values) < 2:
        return [], True
    subsets, complete = subsets_to_try(values, rules.limits_leaves, looks_ahead=slack is None)
    merits = [
        (_merit(rules.measure, region, group.weights), group)
        for group in subsets
        if _is_admitted(data, region, rules, group.size, group.weights)
    ]
    distinct = data.columns[j].distinct
    offers = []
    for merit, group in _highest(merits, slack):
        names = frozenset(str(distinct[rank]) for rank in group.ranks)
        offers.append(_Offer(merit, group.weights, Membership(j, names)))
    return offers, complete
