"""Programs that grow trees in doubles: never refuted where they are right, never verified else."""

from collections.abc import Iterator, Sequence
from fractions import Fraction as F
from itertools import pairwise
from math import inf, nextafter
from random import Random
from typing import Any

import pytest

from refmc.answers import check

Rows = Sequence[Sequence[Any]]


def risk(y: Sequence[int], rows: Sequence[int]) -> F:
    counts = [sum(y[i] == c for i in rows) for c in set(y)]
    return len(rows) - F(sum(n * n for n in counts), len(rows)) if rows else F(0)


def partitions(X: Rows, rows: Sequence[int]) -> Iterator[tuple[int, Any, Any, list[int]]]:
    """Each column with two neighbouring values, and the rows up to the first."""
    for j in range(len(X[0])):
        values = sorted({X[i][j] for i in rows})
        for a, b in pairwise(values):
            yield j, a, b, [i for i in rows if X[i][j] <= a]


def left(y: Sequence[int], rows: Sequence[int], yes: Sequence[int]) -> F:
    return risk(y, yes) + risk(y, [i for i in rows if i not in yes])


def grown(X: Rows, y: Sequence[int], draws: Random, strict: bool) -> list[dict[str, Any]]:
    """What an honest program prints: any of the best questions, any threshold that makes it."""
    nodes: list[dict[str, Any]] = [{}]
    waiting = [(0, list(range(len(y))))]
    while waiting:
        at, rows = waiting.pop()
        found = [*partitions(X, rows)] if risk(y, rows) else []
        if not found:
            continue
        best = min(left(y, rows, yes) for *_, yes in found)
        j, a, b, yes = draws.choice([it for it in found if left(y, rows, it[3]) == best])
        middle = a / 2 + b / 2
        low, high = (nextafter(a, inf), b) if strict else (a, nextafter(b, -inf))
        threshold = draws.choice([low, high, middle if low <= middle <= high else low])
        no = [i for i in rows if i not in yes]
        question = {"column": j, "threshold": threshold} | ({"strict": True} if strict else {})
        nodes[at] = {"question": question, "negative": len(nodes), "positive": len(nodes) + 1}
        waiting += [(len(nodes), no), (len(nodes) + 1, yes)]
        nodes += [{}, {}]
    return nodes


def is_right(X: Rows, y: Sequence[int], nodes: Sequence[dict[str, Any]]) -> bool:
    """Whether each partition that doubles make is among the best of X, and leaves have none."""
    waiting = [(0, list(range(len(y))))]
    while waiting:
        at, rows = waiting.pop()
        found = [*partitions(X, rows)] if risk(y, rows) else []
        if "question" not in nodes[at]:
            if found:
                return False
            continue
        question = nodes[at]["question"]
        j, t, strict = question["column"], question["threshold"], "strict" in question
        yes = [i for i in rows if (float(X[i][j]) < t if strict else float(X[i][j]) <= t)]
        no = [i for i in rows if i not in yes]
        if not found or not yes or not no:
            return False
        if left(y, rows, yes) > min(left(y, rows, it[3]) for it in found):
            return False
        waiting += [(nodes[at]["negative"], no), (nodes[at]["positive"], yes)]
    return True


def moved(nodes: list[dict[str, Any]], draws: Random) -> list[dict[str, Any]]:
    """The tree with one threshold moved by one double, or to another decimal of the data's."""
    inner = [n for n, node in enumerate(nodes) if node]
    n = draws.choice(inner)
    question = nodes[n]["question"]
    t = question["threshold"]
    other = draws.choice([nextafter(t, inf), nextafter(t, -inf), round(t, 1), round(t, 1) + 0.1])
    return [*nodes[:n], {**nodes[n], "question": {**question, "threshold": other}}, *nodes[n + 1 :]]


def decimals(draws: Random) -> str:
    text = f"{draws.choice([0, 0, 1, -1])}.{draws.randrange(10)}"
    return text + draws.choice(["", "", "", "0000000000000001", "00000000000000001"])


@pytest.mark.parametrize(
    "seed", [*range(2), *(pytest.param(s, marks=pytest.mark.campaign) for s in range(2, 60))]
)
def test_a_program_in_doubles_is_judged_by_its_own_comparisons(seed: int) -> None:
    draws = Random(seed)
    seen = []
    for _ in range(50):
        m, d, k = draws.randint(2, 8), draws.randint(1, 2), draws.randint(2, 3)
        texts = [[decimals(draws) for _ in range(d)] for _ in range(m)]
        y = [draws.randrange(k) for _ in range(m)]
        exact, doubles = ([[kind(v) for v in x] for x in texts] for kind in (F, float))
        tree = grown(doubles, y, draws, strict=draws.random() < 0.3)
        problem = {"family": "tree.grow", "X": texts, "y": y}
        for nodes in [tree, *(moved(tree, draws) for _ in range(3 if tree[0] else 0))]:
            right, right_in_doubles = is_right(exact, y, nodes), is_right(doubles, y, nodes)
            assert right_in_doubles or nodes is not tree
            either = "INCONCLUSIVE" if right_in_doubles and nodes[0] else "REFUTED"
            seen.append("VERIFIED" if right else either)
            assert check(problem, {"tree": {"nodes": nodes}}).status == seen[-1]
    assert {"VERIFIED", "REFUTED"} <= {*seen}
