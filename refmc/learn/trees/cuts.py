"""The cuts of a numeric column at a node, scored in one pass over its sorted rows.

A pass moves the rows one by one from the negative to the positive child.

Legend: p, n class weights of the positive and the negative child, P, N their sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise, starmap
from typing import Any

from refmc.core.cells import NUMBER
from refmc.learn.trees.data import TreeSample
from refmc.learn.trees.measures import Measure
from refmc.learn.trees.questions import NumericQuestion, Question
from refmc.learn.trees.regions import Offer, Region, Search, raised
from refmc.learn.trees.ties import Thresholds

Cut = tuple[Any, int, tuple[int, ...]]
Scan = Callable[[Search, Region, int, Any, Any], list[Cut]]


def numeric_scan(measure: Measure) -> Scan:
    """The pass for a measure: the quick ones for Gini index and entropy, else the general one."""
    if measure.n_log_n is not None:
        return scan_entropy
    return scan_gini if measure.is_gini else scan_any


def cut_offers(
    search: Search, region: Region, j: int, scan: Scan, floor: Any, slack: Any
) -> Iterator[Offer]:
    """The cuts of a numeric column that the scan gives, each with the question that makes it."""
    order, column = region.orders[j], search.sample.columns[j]

    def question(position: int) -> Question:
        below = column[order[position - 1]]
        if search.midpoints:
            return NumericQuestion(j, midpoint(below, column[order[position]]))
        return NumericQuestion(j, below)

    for score, position, p in scan(search, region, j, floor, slack):
        yield Offer(score, question, position, p)


def column_thresholds(sample: TreeSample, midpoints: bool, j: int) -> Thresholds:
    """The thresholds of the cuts of a column at the root; none for categories."""
    values = sample.data.columns[j].values if sample.kinds[j] == NUMBER else []
    cuts = tuple(starmap(midpoint, pairwise(values)) if midpoints else values)
    return Thresholds(cuts, {a: position for position, a in enumerate(cuts)})


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
                floor = raised(floor, score, slack)
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
                floor = raised(floor, score, slack)
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
                if score > floor:
                    floor = raised(floor, score, slack)
    return cuts
