"""Decision trees as text, as Graphviz DOT and as Mermaid flow charts."""

from __future__ import annotations

from collections.abc import Iterable

from refmc.core.printing import printable
from refmc.core.scalars import number_text
from refmc.learn.trees.nodes import Node
from refmc.learn.trees.questions import Columns

ANSWERS = ("no", "yes")
"""The answers that lead to a node's two children."""

_MERMAID_NAMES = str.maketrans({"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;"})
"""Mermaid reads # and ; as the start and end of an entity, and quotes as the end of a text."""


def text_picture(root: Node, columns: Columns) -> str:
    """One line for each node: the answer that leads to it, its question or label, the counts."""
    lines = []
    waiting = [(root, "")]
    while waiting:
        node, answer = waiting.pop()
        lines.append(f"{'  ' * (node.depth - root.depth)}{answer}{_caption(node, columns)}")
        below = [(child, f"{answer}: ") for child, answer in zip(node.children, ANSWERS)]
        waiting += reversed(below)
    return "\n".join(lines)


def _caption(node: Node, columns: Columns) -> str:
    counts = f"[{', '.join(map(number_text, node.counts))}]"
    if node.question is not None:
        return printable(f"{node.question.text(columns)}? {counts}")
    return printable(f"{' or '.join(map(str, node.labels))} {counts}")


def dot_picture(nodes: Iterable[Node], columns: Columns) -> str:
    """A digraph in the DOT language; inner nodes are boxes, leaves ellipses."""
    lines = ["digraph tree {"]
    for node in nodes:
        shape = "ellipse" if node.question is None else "box"
        caption = _caption(node, columns).replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'  n{node.number} [shape={shape}, label="{caption}"];')
        for child, answer in zip(node.children, ANSWERS):
            lines.append(f'  n{node.number} -> n{child.number} [label="{answer}"];')
    return "\n".join([*lines, "}"])


def mermaid_picture(nodes: Iterable[Node], columns: Columns) -> str:
    """A Mermaid flow chart from the top down; leaves are rounded."""
    lines = ["flowchart TD"]
    for node in nodes:
        caption = _caption(node, columns).translate(_MERMAID_NAMES)
        left, right = ("([", "])") if node.question is None else ("[", "]")
        lines.append(f'  n{node.number}{left}"{caption}"{right}')
        for child, answer in zip(node.children, ANSWERS):
            lines.append(f"  n{node.number} -->|{answer}| n{child.number}")
    return "\n".join(lines)
