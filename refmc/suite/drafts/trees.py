"""Problems of growing and of pruning trees."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from refmc.suite.catalogue.plain_trees import growth
from refmc.suite.drafts.draft import Draft, Draws, Problem, drawn

GROW, PRUNE = "tree.grow", "tree.prune"

ULP = Fraction(1, 2**52)
IMPURITIES = ("gini", "entropy", "misclassification")


def _grow(name: str, why: str, *flags: str, **fields: object) -> Draft:
    return Draft(name, {"family": GROW, **fields}, why, flags)


def _prune(name: str, why: str, *flags: str, **fields: Any) -> Draft:
    problem: Problem = {"family": PRUNE, "risk": "misclassification", **fields}
    if "tree" not in problem:
        weights = {"weights": problem["weights"]} if "weights" in problem else {}
        problem["tree"] = _tree(problem["X"], problem["y"], **weights)
    return Draft(name, problem, why, flags)


def _tree(X: Sequence[Sequence[str]], y: Sequence[str], **weights: object) -> dict[str, Any]:
    """The tree that is grown to the end, without its labels."""
    found: Any = growth({"family": GROW, "X": X, "y": y, **weights})
    nodes = [
        {name: v for name, v in node.items() if name != "label"} for node in found["tree"]["nodes"]
    ]
    return {"nodes": nodes}


def _line(*values: object) -> list[list[str]]:
    return [[str(v)] for v in values]


def _spread(m: int) -> list[list[str]]:
    return [[str(i * 7 % 11), str(i * 5 % 13)] for i in range(m)]


def _letters(m: int) -> list[str]:
    return ["bca"[(i * 7 % 11 + i % 4) % 3] for i in range(m)]


SQUARE = [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]]
CHAIN = [
    {"question": {"column": 0, "threshold": str(t)}, "negative": 2 * t + 2, "positive": 2 * t + 1}
    if inner
    else {}
    for t in range(5)
    for inner in (True, False)
] + [{}]
"""The questions x ≤ 0, …, x ≤ 4, each in the child for no of the one before."""


def _draw(draws: Draws) -> Problem:
    m, d = 3 + draws.below(6), 1 + draws.below(2)
    found: Problem = {"X": draws.rows(m, d, [*"01234"]), "y": draws.labels(m, [*"abc"])}
    found["impurity"] = draws.one_of(IMPURITIES)
    stop = draws.below(6)
    if stop == 0:
        found["max_splits"] = 1 + draws.below(3)
    if stop == 1:
        found["max_depth"] = 1 + draws.below(2)
    if stop == 2:
        found["min_leaf"] = 2
    if stop == 3:
        found["min_decrease"] = draws.one_of(["1/10", "1/4", "1/3"])
    if draws.below(3) == 0:
        found["weighted"] = True
    return found


def _draw_pruned(draws: Draws) -> Problem:
    m, d = 4 + draws.below(5), 1 + draws.below(2)
    X, y = draws.rows(m, d, [*"01234"]), draws.labels(m, [*"abc"])
    found: Problem = {
        "X": X,
        "y": y,
        "tree": _tree(X, y),
        "risk": draws.one_of(IMPURITIES[:1] + IMPURITIES[2:]),
    }
    if draws.below(3) == 0:
        found["scale"] = "mean"
    return found


DRAFTS = [
    _grow("two-rows", "The least tree with a question.", X=_line(1, 2), y=["a", "b"]),
    _grow("one-label", "One label only: the root is pure, though questions separate its rows.",
          X=_line(1, 2, 3), y=["a", "a", "a"]),
    _grow("square", "All four questions tie, at the root and below it.", "tie", X=SQUARE, y=[*"abbc"]),
    _grow("xor", "No question decreases anything, and the tree goes on nevertheless.", "tie",
          X=SQUARE, y=[*"abba"]),
    _grow("xor-stopped", "No question decreases anything, so a stop of 0 keeps the root.",
          X=SQUARE, y=[*"abba"], min_decrease="0"),
    _grow("last-cut", "The only good question is about the value before the last.",
          X=_line(1, 2, 3, 4), y=[*"aaab"]),
    _grow("pure-child", "The best question leaves a pure child on one side.", X=_line(1, 2, 3, 4), y=[*"abbb"]),
    _grow("tied-values", "The good threshold is a value that several rows have.", "duplicate",
          X=_line(1, 1, 2, 2), y=[*"aabb"]),
    _grow("conflict", "Equal rows with different labels stay in one leaf.", "conflict", "duplicate",
          X=_line(1, 1, 2, 3), y=[*"abbb"]),
    _grow("constant-column", "A constant column asks nothing.", "constant column",
          X=[["7", "1"], ["7", "2"], ["7", "3"]], y=[*"abb"]),
    _grow("next-doubles", "Two neighbouring binary64: no midpoint lies between them.", "near-tie",
          X=_line(1 + ULP, 1 + 2 * ULP), y=["a", "b"]),
    _grow("next-doubles-even", "Three neighbouring binary64, of which one midpoint rounds up.", "near-tie",
          X=_line(1, 1 + ULP, 1 + 2 * ULP), y=[*"aab"]),
    _grow("single-precision", "Two numbers that are one in single precision.", "near-tie",
          X=_line(16777217, 16777218, 16777219), y=[*"abb"]),
    _grow("many-digits", "Values that agree in their first three digits.",
          X=_line("1.2341", "1.2342", "1.2343"), y=[*"aba"]),
    _grow("huge", "Values whose sum is beyond binary64.", "big", X=_line("1e308", "1.5e308"), y=["a", "b"]),
    _grow("tiny", "Values next to 0.", "tiny", X=_line("1e-300", "2e-300", "3e-300"), y=[*"aba"]),
    _grow("negative", "Values below 0.", X=_line(-3, -2, -1), y=[*"abb"]),
    _grow("one-split", "One split of many that would follow.", X=_line(1, 2, 3, 4, 5), y=[*"aabab"],
          max_splits=1),
    _grow("two-splits", "The second split is that of the leaf that decreases more.", X=_line(1, 2, 3, 4, 5, 6),
          y=[*"abccdd"], max_splits=2),
    _grow("two-splits-unlike", "Of two leaves the one that decreases by 1/2 is split, not the one that decreases by 3/8.",
          X=_line(1, 2, 3, 4, 5, 6), y=[*"aabacd"], max_splits=2),
    _grow("two-splits-weighted", "The second split is that of the leaf that decreases more for all rows.",
          X=_line(1, 2, 3, 4, 5, 6, 7, 8), y=[*"abcccccd"], max_splits=2, weighted=True),
    _grow("depth-one", "A tree of depth 1.", X=SQUARE, y=[*"abbc"], max_depth=1),
    _grow("depth-two", "Depth 2 on both sides.", X=[*SQUARE, ["2", "0"], ["2", "1"]], y=[*"abcdab"], max_depth=2),
    _grow("least-leaf", "Children of two rows are large enough.", X=_line(1, 2, 3, 4), y=[*"abba"], min_leaf=2),
    _grow("least-leaf-three", "Children of three rows are large enough, and of two not.",
          X=_line(1, 2, 3, 4, 5, 6), y=[*"abaabb"], min_leaf=3),
    _grow("least-decrease", "A decrease of exactly the least is enough.", "tie", X=_line(0, 1, 2, 3),
          y=[*"abcc"], min_decrease="3/8"),
    _grow("least-decrease-weighted", "A decrease that is enough for its node, and not for all rows.",
          X=_line(0, 1, 2, 3), y=[*"abcc"], min_decrease="3/10", weighted=True),
    _grow("entropy", "Entropy, which prefers another question than the Gini index.",
          X=[["0", "0"], ["0", "1"], ["0", "1"], ["1", "0"], ["1", "0"], ["1", "2"], ["2", "2"]], y=[*"aabbbcc"],
          impurity="entropy", max_splits=1),
    _grow("entropy-stopped", "A decrease of one bit is enough, and of one nat would not be.",
          X=_line(1, 2), y=["a", "b"], impurity="entropy", min_decrease="9/10"),
    _grow("entropy-stopped-below", "A decrease above the least in bits, below it in nats.",
          X=_line(1, 2, 3, 4), y=[*"abcd"], impurity="entropy", min_decrease="4/5"),
    _grow("misclassification", "Most questions tie under misclassification.", "tie",
          X=_line(1, 2, 3, 4, 5), y=[*"aabac"], impurity="misclassification"),
    _grow("weights", "Weights of rows, one of them 0.", "weights", X=_line(1, 2, 3, 4), y=[*"abab"],
          weights=["3", "1", "0", "2"]),
    _grow("absent-class", "A class that no row has.", "absent class", X=_line(1, 2, 3), y=[*"aba"],
          classes=[*"abc"]),
    _grow("midpoints", "Thresholds in the middle.", X=_line(1, 2, 4), y=[*"abb"], thresholds="midpoints"),
    _grow("categories", "A column of categories.", "categories", X=[["red"], ["blue"], ["green"], ["red"]],
          y=[*"abba"], categorical=[0]),
    _grow("columns", "The second column is better, after questions about the first.",
          X=[["0", "0"], ["1", "0"], ["2", "1"], ["0", "1"]], y=[*"aabb"]),
    _grow("sixteen", "Sixteen rows.", "16 rows", X=_spread(16), y=_letters(16)),
    _grow("seventeen", "Seventeen rows.", "17 rows", X=_spread(17), y=_letters(17), impurity="entropy"),
    *drawn(GROW, _draw, (6, 7, 13, 15, 20, 23, 26, 28, 31, 33, 36, 39, 47, 48, 55, 59)),
    _prune("two-rows", "One question: one breakpoint.", X=_line(1, 2), y=["a", "b"]),
    _prune("chain", "The root and the next node are equally weak.", "tie",
           X=_line(*range(6)), y=[*"ababab"], tree={"nodes": CHAIN}, risk="gini"),
    _prune("chain-mean", "The same per row, as libraries count.", "tie",
           X=_line(*range(6)), y=[*"ababab"], tree={"nodes": CHAIN}, risk="gini", scale="mean"),
    _prune("square", "Both children of the root are equally weak.", "tie", X=SQUARE, y=[*"abbc"]),
    _prune("no-gain", "A split that lowers no risk goes at λ = 0.", X=_line(1, 2, 3, 4), y=[*"aaab"],
           tree={"nodes": [
               {"question": {"column": 0, "threshold": "2"}, "negative": 1, "positive": 2},
               {"question": {"column": 0, "threshold": "3"}, "negative": 3, "positive": 4}, {}, {}, {},
           ]}, risk="gini"),
    _prune("same-labels", "Two leaves of one label, which lower the risk nevertheless.",
           X=_line(1, 2, 3, 4, 5, 6), y=[*"aaabbb"], risk="gini",
           tree={"nodes": [
               {"question": {"column": 0, "threshold": "4"}, "negative": 1, "positive": 2},
               {}, {"question": {"column": 0, "threshold": "2"}, "negative": 3, "positive": 4}, {}, {},
           ]}),
    _prune("weakest-above", "The weakest link is above stronger ones.",
           X=_line(*range(8)), y=[*"abababab"], risk="misclassification"),
    _prune("uneven", "A large subtree that gains little beside a small one that gains much.",
           X=_line(*range(9)), y=[*"aaabbcbcc"], risk="gini"),
    _prune("weights", "Weights of rows, one of them 0.", "weights", X=_line(1, 2, 3, 4), y=[*"abab"],
           weights=["3", "1", "0", "2"]),
    _prune("conflict", "Leaves that are not pure.", "conflict", "duplicate", X=_line(1, 1, 1, 2, 2),
           y=[*"aabbb"]),
    _prune("seventeen", "Seventeen rows.", "17 rows", X=_spread(17), y=_letters(17)),
    *drawn(PRUNE, _draw_pruned, (1, 10, 24, 36, 39, 40, 42, 49)),
]  # fmt: skip
