"""Decision trees as text, as Graphviz DOT and as Mermaid flow charts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from refmc.core.scalars import number_text
from refmc.learn.trees.nodes import Node
from refmc.learn.trees.questions import Columns


def text_picture(root: Node, columns: Columns) -> str:
    """A line a node: the answer that leads there, then its question or label, then the counts."""
    lines = []
    waiting = [(root, "")]
    while waiting:
        node, answer = waiting.pop()
        lines.append(f"{'  ' * (node.depth - root.depth)}{answer}{_caption(node, columns)}")
        if node.negative is not None and node.positive is not None:
            waiting += [(node.positive, "yes: "), (node.negative, "no: ")]
    return "\n".join(lines)


def _caption(node: Node, columns: Columns) -> str:
    counts = f"[{', '.join(map(number_text, node.counts))}]"
    if node.question is not None:
        return f"{node.question.text(columns)}? {counts}"
    return f"{_labels(node)} {counts}"


def _labels(node: Node) -> str:
    return " or ".join(map(str, node.labels))


def dot_picture(nodes: Iterable[Node], columns: Columns) -> str:
    """A digraph in the DOT language; inner nodes are boxes, leaves ellipses."""
    lines = ["digraph tree {"]
    for node in nodes:
        shape = "ellipse" if node.question is None else "box"
        caption = _caption(node, columns).replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'  n{node.number} [shape={shape}, label="{caption}"];')
        for child, answer in _edges(node):
            lines.append(f'  n{node.number} -> n{child.number} [label="{answer}"];')
    return "\n".join([*lines, "}"])


def mermaid_picture(nodes: Iterable[Node], columns: Columns) -> str:
    """A Mermaid flow chart from the top down; leaves are rounded."""
    lines = ["flowchart TD"]
    for node in nodes:
        caption = _mermaid_text(_caption(node, columns))
        left, right = ("([", "])") if node.question is None else ("[", "]")
        lines.append(f'  n{node.number}{left}"{caption}"{right}')
        for child, answer in _edges(node):
            lines.append(f"  n{node.number} -->|{answer}| n{child.number}")
    return "\n".join(lines)


def _mermaid_text(caption: str) -> str:
    """Mermaid reads # and ; as the start and end of an entity, quotes as the end of a text."""
    named = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;"}
    return "".join(named.get(character, character) for character in caption)


def _edges(node: Node) -> Iterator[tuple[Node, str]]:
    if node.negative is not None and node.positive is not None:
        yield node.negative, "no"
        yield node.positive, "yes"
