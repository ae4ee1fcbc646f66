"""A decision tree as boxes and branches, and the partition that its leaves make of two columns."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import count

from refmc.core.scalars import number_text
from refmc.draw.looks import area_fill, tag
from refmc.draw.scenes import tied_name
from refmc.draw.svg import FAINT, INK, Block, Real, breadth, cut, element, path, text
from refmc.learn.trees.model import DecisionTree
from refmc.learn.trees.nodes import Node

GAP, HIGH, LEVEL = 12, 34, 78
"""Between boxes; a box's height; from one level to the next."""

MOST = 28
"""The characters of a line in a box."""

MOST_COUNTS = 5
"""With up to so many classes a box shows the rows of each; with more, only how many in all."""

_GROUND: dict[str, str | Real] = {"fill": "white", "opacity": 0.7}


def tree_block(tree: DecisionTree, columns: Sequence[str] | None) -> Block:
    """The tree from its root down, no to the left and yes to the right.

    An inner node shows its question, a leaf its labels on the pattern of their class; below them
    stand the node's number and the rows of each class.
    """
    lines = {node.number: _lines(node, columns) for node in tree.nodes()}
    wide = {n: max(map(breadth, pair)) + 14 for n, pair in lines.items()}
    leaf = max(wide[node.number] for node in tree.leaves())
    inner = max((wide[node.number] for node in tree.nodes() if node.question), default=0)
    slot = max(leaf + GAP, (inner + GAP) // 2 + 1, (leaf + inner) // 3 + GAP)
    middle = _middles(tree, slot)
    left = min(x - Fraction(wide[n], 2) for n, x in middle.items())
    right = max(x + Fraction(wide[n], 2) for n, x in middle.items())
    branches, boxes = [], []
    for node in tree.nodes():
        x, y = middle[node.number] - left + 1, LEVEL * node.depth + 8
        for child, answer in ((node.negative, "no"), (node.positive, "yes")):
            if child is not None:
                branches += _branch(x, y, middle[child.number] - left + 1, answer)
        boxes.append(_box(node, x, y, wide[node.number], lines[node.number]))
    return Block(int(right - left) + 2, LEVEL * tree.depth + HIGH + 9, "\n".join(branches + boxes))


def _lines(node: Node, columns: Sequence[str] | None) -> tuple[str, str]:
    if node.question is not None:
        head = f"{node.question.text(columns)}?"
    else:
        head = tied_name(node.choices, node.classes)
    counts = ", ".join(map(number_text, node.counts))
    if len(node.counts) > MOST_COUNTS:
        counts = f"{number_text(node.size)} {'row' if node.size == 1 else 'rows'}"
    return cut(head, MOST), cut(f"n{node.number}: {counts}", MOST)


def _middles(tree: DecisionTree, slot: int) -> dict[int, Fraction]:
    """The middle of each node: leaves at equal distances, the others between their children."""
    places = count()
    middle: dict[int, Fraction] = {}
    for node in tree.nodes():
        if node.question is None:
            middle[node.number] = Fraction(slot * next(places))
    for node in sorted(tree.nodes(), key=lambda node: -node.depth):
        if node.negative is not None and node.positive is not None:
            middle[node.number] = (middle[node.negative.number] + middle[node.positive.number]) / 2
    return middle


def _branch(x: Fraction, y: int, x_below: Fraction, answer: str) -> list[str]:
    start, end = (x, y + HIGH), (x_below, y + LEVEL)
    line = element("path", d=path([start, end]), stroke=INK)
    return [line, tag((start[0] + end[0]) / 2, Fraction(start[1] + end[1], 2), answer)]


def _box(node: Node, x: Fraction, y: int, wide: int, lines: tuple[str, str]) -> str:
    look: dict[str, str | Real] = {"fill": "white", "rx": 2}
    if node.question is None:
        look = {"fill": area_fill(node.choices), "rx": 12}
    left = x - Fraction(wide, 2)
    parts = [element("rect", x=left, y=y, width=wide, height=HIGH, stroke=INK, **look)]
    if node.question is None:  # words on a pattern need a ground
        parts.append(
            element("rect", x=left + 7, y=y + 3, width=wide - 14, height=HIGH - 6, rx=8, **_GROUND)
        )
    parts.append(text(x, y + 15, lines[0], text_anchor="middle"))
    parts.append(text(x, y + 28, lines[1], text_anchor="middle", font_size=10, fill=FAINT))
    return "\n".join(parts)
