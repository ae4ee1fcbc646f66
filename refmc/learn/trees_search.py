"""The best questions of a node: all of them, found with one pass over its rows a column.

Rows are sorted once by every numeric column; splitting a node splits its sorted lists. A pass
moves the rows one by one from the negative to the positive child and scores each cut; the cuts
whose score can't be told from the best one are compared exactly (see `trees_measures`).

Legend: p, n class weights of the positive and the negative child, P, N their sums, q categories.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import compress, pairwise
from typing import Any

from refmc.errors import ParameterError
from refmc.learn.trees_data import NUMBER, TreeSample
from refmc.learn.trees_measures import Measure
from refmc.learn.trees_questions import CategoricalQuestion, NumericQuestion, Question

MAX_CATEGORIES = 20

Candidates = Callable[[Sequence[tuple[Any, ...]]], Iterable[Question]]
"""Questions to consider at a node, besides those of single columns, from the node's rows."""


@dataclass(frozen=True, slots=True)
class Region:
    """The rows of a node: their positions, class weights, and sorted lists.

    `orders`: for each numeric column that isn't constant here, the rows sorted by it.
    """

    rows: list[int]
    counts: list[int]
    orders: dict[int, list[int]]

    def is_pure(self) -> bool:
        return sum(map(bool, self.counts)) == 1


@dataclass(frozen=True)
class Search:
    """What stays the same for all nodes of one tree."""

    sample: TreeSample
    ranks: dict[int, list[int]]
    measure: Measure
    min_leaf: int
    midpoints: bool
    candidates: Candidates | None
    lookahead: int


@dataclass(frozen=True, slots=True)
class Split:
    """A question at a node, with the class weights of the positive child."""

    question: Question
    p: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Best:
    """The questions of a node that leave the least impurity P·F(n₊) + N·F(n₋), and that value.

    With look-ahead the value is what the splits below leave in their turn.
    """

    remaining: Any
    tied: tuple[Split, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """A cut or subset whose score is close to the best: `key` says how to make its question."""

    score: Any
    make: Callable[[Any], Question]
    key: Any
    p: tuple[int, ...]


def sort_columns(sample: TreeSample) -> tuple[Region, dict[int, list[int]]]:
    """The region of all rows, and for each numeric column the rank of each row's value."""
    m = len(sample.y)
    counts = [0] * len(sample.classes)
    for y, w in zip(sample.y, sample.weights):
        counts[y] += w
    orders: dict[int, list[int]] = {}
    ranks: dict[int, list[int]] = {}
    for j, column in enumerate(sample.columns):
        if sample.kinds[j] != NUMBER:
            continue
        order = sorted(range(m), key=column.__getitem__)
        rank = [0] * m
        level = 0
        for row, after in pairwise(order):
            level += column[row] != column[after]
            rank[after] = level
        if level:
            orders[j], ranks[j] = order, rank
    return Region(list(range(m)), counts, orders), ranks


def best_splits(search: Search, region: Region) -> Best | None:
    """All best questions of a node in the order of columns, cuts, candidates; None without any."""
    if search.lookahead:
        return _best_ahead(search, region)
    offers = _offers(search, region, search.measure.slack)
    if offers and not search.measure.slack:  # then scores are exact
        remaining = _remaining(search, region, offers[0].p)
        return Best(remaining, tuple(map(_split, offers)))
    known: dict[tuple[int, ...], Any] = {}
    best: Any = None
    tied: list[Offer] = []
    for offer in offers:
        remaining = known.get(offer.p)
        if remaining is None:
            remaining = _remaining(search, region, offer.p)
            known[offer.p] = remaining
        if best is None or remaining < best:
            best, tied = remaining, [offer]
        elif remaining == best:
            tied.append(offer)
    return Best(best, tuple(_split(offer) for offer in tied)) if tied else None


def _remaining(search: Search, region: Region, p: Sequence[int]) -> Any:
    n = [whole - part for whole, part in zip(region.counts, p)]
    return search.measure.children(p, n)


def _split(offer: Offer) -> Split:
    return Split(offer.make(offer.key), offer.p)


def _best_ahead(search: Search, region: Region) -> Best | None:
    """`best_splits` that judges a question by what `lookahead` further levels can leave.

    [lu, "Issues of the Greedy Algorithm"]
    """
    best: Any = None
    tied: list[Split] = []
    for split in map(_split, _offers(search, region, math.inf)):
        children = divide(search, region, split)
        remaining = sum((_least(search, child, search.lookahead) for child in children), 0)
        if best is None or remaining < best:
            best, tied = remaining, [split]
        elif remaining == best:
            tied.append(split)
    return Best(best, tuple(tied)) if tied else None


def _least(search: Search, region: Region, levels: int) -> Any:
    """The least impurity |n|F(n) that at most so many levels of questions leave in a region."""
    least = search.measure.impurity(region.counts) * sum(region.counts)
    if levels == 0 or region.is_pure():
        return least
    for offer in _offers(search, region, math.inf if levels > 1 else search.measure.slack):
        if levels == 1:
            remaining = _remaining(search, region, offer.p)
        else:
            children = divide(search, region, _split(offer))
            remaining = sum((_least(search, child, levels - 1) for child in children), 0)
        least = min(least, remaining)
    return least


def divide(search: Search, region: Region, split: Split) -> tuple[Region, Region]:
    """The regions of the negative and of the positive child."""
    sample, question = search.sample, split.question
    positive_side = positive_rows(sample, region, question)
    n = [whole - part for whole, part in zip(region.counts, split.p)]
    side = bytearray(len(sample.y))
    for row in positive_side:
        side[row] = 1
    negative = Region([row for row in region.rows if not side[row]], n, {})
    positive = Region(
        list(compress(region.rows, map(side.__getitem__, region.rows))), list(split.p), {}
    )
    for j, order in region.orders.items():
        rank = search.ranks[j]
        if isinstance(question, NumericQuestion) and question.column == j:
            cut = len(positive_side)
            parts = order[cut:], order[:cut]
        else:
            parts = (
                [row for row in order if not side[row]],
                list(compress(order, map(side.__getitem__, order))),
            )
        for child, part in zip((negative, positive), parts):
            if rank[part[0]] != rank[part[-1]]:
                child.orders[j] = part
    return negative, positive


def positive_rows(sample: TreeSample, region: Region, question: Question) -> list[int]:
    """The rows of a node that answer yes, in any order."""
    if isinstance(question, NumericQuestion):
        order, column = region.orders[question.column], sample.columns[question.column]
        return order[: bisect_right(order, question.threshold, key=column.__getitem__)]
    if isinstance(question, CategoricalQuestion):
        column, values = sample.columns[question.column], frozenset(question.values)
        return [row for row in region.rows if column[row] in values]
    return [row for row in region.rows if question.ask(sample.row(row))]


def _offers(search: Search, region: Region, slack: Any) -> list[Offer]:
    """The questions whose score is within the slack of the best; all of them for infinite slack."""
    floor: Any = -math.inf
    offers: list[Offer] = []
    for found in _scans(search, region):
        for offer in found(floor, slack):
            offers.append(offer)
            floor = _raised(floor, offer.score, slack)
    return [offer for offer in offers if offer.score >= floor]


def _raised(floor: Any, score: Any, slack: Any) -> Any:
    """The least score that can still be as good as the best; infinite slack admits everything."""
    return floor if slack == math.inf else max(floor, score - slack)


def _scans(search: Search, region: Region) -> Iterator[Callable[[Any, Any], Iterable[Offer]]]:
    """One scan a column, in the order of columns, then the caller's candidates."""
    scan = numeric_scan(search.measure)
    for j, kind in enumerate(search.sample.kinds):
        if kind != NUMBER:
            yield lambda floor, slack, j=j: _category_offers(search, region, j, floor, slack)  # type: ignore[misc]  # the default
        elif j in region.orders:
            yield lambda floor, slack, j=j: _numeric_offers(search, region, j, scan, floor, slack)  # type: ignore[misc]  # as above
    if search.candidates is not None:
        yield lambda floor, slack: _scan_candidates(search, region)


Cut = tuple[Any, int, tuple[int, ...]]
Scan = Callable[[Search, Region, int, Any, Any], list[Cut]]


def numeric_scan(measure: Measure) -> Scan:
    """The pass for a measure: the quick ones for Gini index and entropy, else the general one."""
    if measure.n_log_n is not None:
        return scan_entropy
    return scan_gini if measure.is_gini else scan_any


def _numeric_offers(
    search: Search, region: Region, j: int, scan: Scan, floor: Any, slack: Any
) -> Iterator[Offer]:
    order, column = region.orders[j], search.sample.columns[j]

    def question(position: int) -> Question:
        below = column[order[position - 1]]
        if search.midpoints:
            return NumericQuestion(j, midpoint(below, column[order[position]]))
        return NumericQuestion(j, below)

    for score, position, p in scan(search, region, j, floor, slack):
        yield Offer(score, question, position, p)


def midpoint(below: float | Fraction, above: float | Fraction) -> float | Fraction:
    """Half-way between two neighbouring values; a float in between, or the lower, for floats."""
    middle = (Fraction(below) + Fraction(above)) / 2
    if isinstance(below, Fraction) or isinstance(above, Fraction):
        return middle
    if middle.denominator == 1:
        return middle.numerator
    rounded = float(middle) if abs(middle) < 2**52 or isinstance(below, float) else math.inf
    return rounded if below <= rounded < above else below


def scan_gini(search: Search, region: Region, j: int, floor: float, slack: float) -> list[Cut]:
    """Cuts scored by Σp²/P + Σn²/N, whose sums change by 2pw + w² with a row of weight w."""
    ranks, y, weights = search.ranks[j], search.sample.y, search.sample.weights
    order = region.orders[j]
    first, last = search.min_leaf, len(order) - search.min_leaf
    p, n = [0] * len(region.counts), list(region.counts)
    P, N = 0, sum(n)
    p_squares, n_squares = 0, sum(count * count for count in n)
    cuts: list[Cut] = []
    for position, (row, after) in enumerate(pairwise(order), 1):
        c, w = y[row], weights[row]
        count = p[c]
        p_squares += w * (count + count + w)
        p[c] = count + w
        count = n[c] - w
        n_squares -= w * (count + count + w)
        n[c] = count
        P += w
        N -= w
        if ranks[row] != ranks[after]:
            score = p_squares / P + n_squares / N
            if score >= floor and first <= position <= last:
                cuts.append((score, position, tuple(p)))
                floor = _raised(floor, score, slack)
    return cuts


def scan_entropy(search: Search, region: Region, j: int, floor: float, slack: float) -> list[Cut]:
    """Cuts scored by Σ p log p + Σ n log n − P log P − N log N, from the table."""
    table = search.measure.n_log_n
    assert table is not None
    ranks, y, weights = search.ranks[j], search.sample.y, search.sample.weights
    order = region.orders[j]
    first, last = search.min_leaf, len(order) - search.min_leaf
    p, n = [0] * len(region.counts), list(region.counts)
    P, N = 0, sum(n)
    inside = sum(table[count] for count in n)
    cuts: list[Cut] = []
    for position, (row, after) in enumerate(pairwise(order), 1):
        c, w = y[row], weights[row]
        count = p[c]
        inside += table[count + w] - table[count]
        p[c] = count + w
        count = n[c] - w
        inside += table[count] - table[count + w]
        n[c] = count
        P += w
        N -= w
        if ranks[row] != ranks[after]:
            score = inside - table[P] - table[N]
            if score >= floor and first <= position <= last:
                cuts.append((score, position, tuple(p)))
                floor = _raised(floor, score, slack)
    return cuts


def scan_any(search: Search, region: Region, j: int, floor: Any, slack: Any) -> list[Cut]:
    """Cuts scored by the measure."""
    ranks, y, weights = search.ranks[j], search.sample.y, search.sample.weights
    score_of = search.measure.score
    order = region.orders[j]
    first, last = search.min_leaf, len(order) - search.min_leaf
    p, n = [0] * len(region.counts), list(region.counts)
    cuts: list[Cut] = []
    for position, (row, after) in enumerate(pairwise(order), 1):
        c, w = y[row], weights[row]
        p[c] += w
        n[c] -= w
        if ranks[row] != ranks[after] and first <= position <= last:
            score = score_of(p, n)
            if score >= floor:
                cuts.append((score, position, tuple(p)))
                floor = _raised(floor, score, slack)
    return cuts


def _category_offers(search: Search, region: Region, j: int, floor: Any, slack: Any) -> list[Offer]:
    """Each partition of a node's categories into two, once; A is the smaller side.

    Of two sides of equal size A is the one with the first category in sorted order.
    """
    values, sides = _category_sides(search, region, j)
    score_of, k = search.measure.score, len(region.counts)
    first, last = search.min_leaf, len(region.rows) - search.min_leaf
    offers = []
    for inside, sums in sides:
        p = sums[:k]
        n = [whole - part for whole, part in zip(region.counts, p)]
        score = score_of(p, n)
        if score >= floor and first <= sums[k] <= last:
            offers.append(_category_offer(j, values, inside, score, p, n))
            floor = _raised(floor, score, slack)
    return sorted(offers, key=lambda offer: (len(offer.key), offer.key))


def _category_sides(
    search: Search, region: Region, j: int
) -> tuple[list[str], Iterator[tuple[int, list[int]]]]:
    """The categories of a node, and the sides to try: bits, class weights and rows within."""
    column, k = search.sample.columns[j], len(region.counts)
    tally: dict[str, list[int]] = {}
    for row in region.rows:
        entry = tally.setdefault(column[row], [0] * (k + 1))
        entry[search.sample.y[row]] += search.sample.weights[row]
        entry[k] += 1
    values = sorted(tally)
    if len(values) <= MAX_CATEGORIES:
        return values, _subsets([tally[value] for value in values])
    if sum(map(bool, region.counts)) > 2:
        raise ParameterError(
            f"X: column {j} has {len(values)} categories at a node of more than two classes, "
            f"which makes 2^{len(values) - 1} - 1 questions; at most {MAX_CATEGORIES} "
            "categories are possible: merge some"
        )
    values.sort(key=lambda value: _share_of_first_class(region, tally[value]))
    return values, _prefixes([tally[value] for value in values])


def _share_of_first_class(region: Region, entry: Sequence[int]) -> Fraction:
    """Of two classes at a node, the fraction of the first one among a category's rows."""
    first = next(c for c, count in enumerate(region.counts) if count)
    return Fraction(entry[first], sum(entry[:-1]))


def _prefixes(entries: Sequence[Sequence[int]]) -> Iterator[tuple[int, list[int]]]:
    """The first categories against the rest: with two classes one of these cuts is best.

    The categories are sorted by the fraction of one class, and the impurity is concave.
    """
    sums = [0] * len(entries[0])
    for i, entry in enumerate(entries[:-1]):
        sums = [a + b for a, b in zip(sums, entry)]
        yield (2 << i) - 1, sums


def _subsets(entries: Sequence[Sequence[int]]) -> Iterator[tuple[int, list[int]]]:
    """All sets of categories without the last one, as bits, with their sums; in Gray code order."""
    sums = [0] * len(entries[0])
    inside = 0
    for step in range(1, 1 << (len(entries) - 1)):
        changed = (step & -step).bit_length() - 1
        inside ^= 1 << changed
        sign = 1 if inside >> changed & 1 else -1
        sums = [a + sign * b for a, b in zip(sums, entries[changed])]
        yield inside, sums


def _category_offer(
    j: int, values: Sequence[str], inside: int, score: Any, p: list[int], n: list[int]
) -> Offer:
    chosen = sorted(value for i, value in enumerate(values) if inside >> i & 1)
    others = sorted(value for i, value in enumerate(values) if not inside >> i & 1)
    if (len(chosen), chosen) > (len(others), others):
        chosen, p = others, n
    return Offer(score, lambda key: CategoricalQuestion(j, key), tuple(chosen), tuple(p))


def _scan_candidates(search: Search, region: Region) -> Iterator[Offer]:
    """The caller's questions, but for those that leave a side too small."""
    assert search.candidates is not None
    sample = search.sample
    for question in search.candidates([sample.row(row) for row in region.rows]):
        positive = positive_rows(sample, region, question)
        if search.min_leaf <= len(positive) <= len(region.rows) - search.min_leaf:
            p = [0] * len(region.counts)
            for row in positive:
                p[sample.y[row]] += sample.weights[row]
            n = [whole - part for whole, part in zip(region.counts, p)]
            score = search.measure.score(p, n)
            yield Offer(score, lambda key: key, question, tuple(p))
