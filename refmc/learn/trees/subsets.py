"""The partitions of a node's categories into two sides, each scored once.

[lu, "Node Questions for Binary Decision Trees"]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from refmc.errors import ParameterError
from refmc.learn.trees.questions import CategoricalQuestion
from refmc.learn.trees.regions import Offer, Region, Search, raised

MAX_CATEGORIES = 20


def subset_offers(search: Search, region: Region, j: int, floor: Any, slack: Any) -> list[Offer]:
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
            floor = raised(floor, score, slack)
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
