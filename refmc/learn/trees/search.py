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
from itertools import compress
from typing import Any

from refmc.core.cells import NUMBER
from refmc.learn.trees.cuts import cut_offers, numeric_scan
from refmc.learn.trees.data import TreeSample
from refmc.learn.trees.questions import CategoricalQuestion, NumericQuestion, Question
from refmc.learn.trees.regions import Best, Offer, Region, Search, raised
from refmc.learn.trees.subsets import subset_offers
from refmc.learn.trees.ties import compact


def best_splits(search: Search, region: Region) -> Best | None:
    """All best questions of a node in the order of columns, cuts, candidates; None without any."""
    if search.lookahead:
        return _best_ahead(search, region)
    offers = _offers(search, region, search.measure.slack)
    if offers and not search.measure.slack:  # then scores are exact
        remaining = _remaining(search, region, offers[0].p)
        return Best(remaining, _questions(search, offers))
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
    return Best(best, _questions(search, tied)) if tied else None


def _remaining(search: Search, region: Region, p: Sequence[int]) -> Any:
    n = [whole - part for whole, part in zip(region.counts, p)]
    return search.measure.children(p, n)


def _questions(search: Search, offers: Iterable[Offer]) -> Sequence[Question]:
    return compact([offer.make(offer.key) for offer in offers], search.thresholds)


def _best_ahead(search: Search, region: Region) -> Best | None:
    """`best_splits` that judges a question by what `lookahead` further levels can leave.

    [lu, "Issues of the Greedy Algorithm"]
    """
    best: Any = None
    tied: list[Offer] = []
    for offer in _offers(search, region, math.inf):
        children = divide(search, region, offer.make(offer.key))
        remaining = sum((_least(search, child, search.lookahead) for child in children), 0)
        if best is None or remaining < best:
            best, tied = remaining, [offer]
        elif remaining == best:
            tied.append(offer)
    return Best(best, _questions(search, tied)) if tied else None


def _least(search: Search, region: Region, levels: int) -> Any:
    """The least impurity |n|F(n) that at most so many levels of questions leave in a region."""
    least = search.measure.impurity(region.counts) * sum(region.counts)
    if levels == 0 or region.is_pure():
        return least
    for offer in _offers(search, region, math.inf if levels > 1 else search.measure.slack):
        if levels == 1:
            remaining = _remaining(search, region, offer.p)
        else:
            children = divide(search, region, offer.make(offer.key))
            remaining = sum((_least(search, child, levels - 1) for child in children), 0)
        least = min(least, remaining)
    return least


def divide(search: Search, region: Region, question: Question) -> tuple[Region, Region]:
    """The regions of the negative and of the positive child."""
    sample = search.sample
    positive_side = positive_rows(sample, region, question)
    p = [0] * len(region.counts)
    side = bytearray(len(sample.y))
    for row in positive_side:
        side[row] = 1
        p[sample.y[row]] += sample.weights[row]
    n = [whole - part for whole, part in zip(region.counts, p)]
    negative = Region([row for row in region.rows if not side[row]], n, {})
    positive = Region(list(compress(region.rows, map(side.__getitem__, region.rows))), p, {})
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
        fresh = list(found(floor, slack))
        if fresh:
            floor = raised(floor, max(offer.score for offer in fresh), slack)
            offers += fresh
    return [offer for offer in offers if offer.score >= floor]


def _scans(search: Search, region: Region) -> Iterator[Callable[[Any, Any], Iterable[Offer]]]:
    """One scan a column, in the order of columns, then the caller's candidates."""
    scan = numeric_scan(search.measure)
    for j, kind in enumerate(search.sample.kinds):
        if kind != NUMBER:
            yield lambda floor, slack, j=j: subset_offers(search, region, j, floor, slack)  # type: ignore[misc]  # the default
        elif j in region.orders:
            yield lambda floor, slack, j=j: cut_offers(search, region, j, scan, floor, slack)  # type: ignore[misc]  # as above
    if search.candidates is not None:
        yield lambda floor, slack: _scan_candidates(search, region)


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
