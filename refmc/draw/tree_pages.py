"""The pictures of decision trees: their boxes, their partition of a plane, and their pruning."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from itertools import count

from refmc.checker.parts import counted
from refmc.core.records import Record
from refmc.core.scalars import number_text
from refmc.draw.axes import view_of
from refmc.draw.columns import Columns, on_plane
from refmc.draw.curves import Curve, curve_plot, drawable, stairs
from refmc.draw.looks import area_fill, class_keys, legend, patterns, tag
from refmc.draw.polygons import Box, Line, positive_side
from refmc.draw.regions import LONGEST_TAG, Region, outlined
from refmc.draw.scenes import Rows, Scene, rows_of_cells, scene_keys, scene_plot, tied_name
from refmc.draw.svg import (
    EDGE,
    FAINT,
    INK,
    Block,
    Real,
    breadth,
    column,
    cut,
    element,
    page,
    path,
    row,
    text,
)
from refmc.learn.trees.model import DecisionTree
from refmc.learn.trees.nodes import Node
from refmc.learn.trees.prune import PruningStep, pruning_sequence
from refmc.learn.trees.questions import NumericQuestion
from refmc.oracle.rows import readable
from refmc.oracle.trees.records import TreeProblem, read_problem
from refmc.oracle.trees.reference import given_tree, grown, unit_of
from refmc.theory.impurity import Impurity

SIDE = 340

MOST_STEPS, MOST_TREES = 12, 4
"""The most steps of a pruning sequence that are told, and the most of its trees that are drawn."""


def draw_grown(record: Record, columns: Columns) -> str:
    """The picture of a `tree.grow` problem: the tree, and the partition if it has a plane."""
    record, note = on_plane(record, columns, read_problem(record).sample.X[0])
    read = read_problem(record)
    title, names = f"tree.grow, {read.grow.impurity}", read.sample.columns or None
    return tree_page(title, note, grown(read, None), plane_of(read), names)


def plane_of(read: TreeProblem) -> Rows | None:
    """The rows as points, where a tree can only ask about one of two columns of numbers."""
    sample = read.sample
    if read.grow.candidates:
        return None
    return rows_of_cells(sample.X, sample.y, read.classes, sample.weights)


def tree_page(
    title: str, note: str, tree: DecisionTree, rows: Rows | None, columns: Sequence[str] | None
) -> str:
    """The tree; and if its rows lie in a plane, the partition, beside it or below a wide tree."""
    counts = "how many rows it has"
    if len(tree.classes) <= MOST_COUNTS:
        labels = ", ".join(cut(str(label), LONGEST_TAG) for label in tree.classes)
        counts = f"how many of its rows are {labels}"
    caption = (
        f"{note} Boxes hold a question, or the labels of a leaf, and below it the number of the "
        f"node and {counts}."
    )
    blocks = [tree_block(tree, columns)]
    if rows is None:
        blocks.append(legend(class_keys(tree.classes)))
    else:
        caption += " The parts of the plane, which are exact, have the numbers of their leaves."
        blocks.append(row(partition(tree, rows, columns)))
    beside = rows is not None and blocks[0].width <= SIDE * 3 // 2
    body = row(blocks, 2 * EDGE) if beside else column(blocks)
    return page(title, caption, body, patterns(len(tree.classes)))


def partition(
    tree: DecisionTree, rows: Rows, names: Sequence[str] | None, side: int = SIDE
) -> list[Block]:
    """The parts of the plane that are the leaves, and the legend."""
    view = view_of(rows.points)
    numbered = tree_regions(view, tree)
    leaf = {region.polygon: number for region, number in numbered}

    def name(region: Region) -> str:
        tie = f": {tied_name(region.labels, tree.classes)}" if len(region.labels) > 1 else ""
        return f"n{leaf[region.polygon]}{tie}"

    scene = Scene(view, [region for region, _ in numbered], rows, outlined, name)
    titles = (names[0], names[1]) if names else ("x0", "x1")
    return [scene_plot(scene, side, side, titles), legend(scene_keys([scene]))]


def tree_regions(view: Box, tree: DecisionTree) -> list[tuple[Region, int]]:
    """The rectangles of the leaves that the view shows, each with the number of its leaf.

    The tree asks about two columns, which hold numbers.
    """
    found = []
    waiting = [(tree.root, view.corners)]
    while waiting:
        node, part = waiting.pop()
        if node.question is None:
            found.append((Region(part, node.choices), node.number))
            continue
        assert isinstance(node.question, NumericQuestion)
        a = Fraction(node.question.threshold)
        yes = Line(Fraction(-1), Fraction(0), a)
        if node.question.column == 1:
            yes = Line(Fraction(0), Fraction(-1), a)
        for child, side in ((node.positive, yes), (node.negative, yes.opposite())):
            below = positive_side(part, side)
            if below and child is not None:
                waiting.append((child, below))
    return found


def draw_pruned(record: Record) -> str:
    """The picture of a `tree.prune` problem."""
    read = read_problem(record)
    tree = given_tree(read)
    title = f"tree.prune, {read.prune.risk}"
    return pruning_page(title, pruning_sequence(tree), tree.impurity, unit_of(read))


def pruning_page(
    title: str, steps: Sequence[PruningStep], F: Impurity, unit: Fraction = Fraction(1)
) -> str:
    """For every λ the leaves and the risk of the smallest minimiser of G_λ, and the nodes that
    collapse.

    `F`: the impurity whose sum over the leaves is the risk; `unit`: what λ and risk are multiplied
    by.
    """
    lams = [drawable(step.lam) * unit for step in steps]
    risks = [
        sum((drawable(F(n.counts) * n.size) for n in step.tree.leaves()), Fraction(0)) * unit
        for step in steps
    ]
    end = lams[-1] * Fraction(9, 8) or Fraction(1)
    plots = []
    for name, values in (("leaves", [Fraction(step.size) for step in steps]), ("risk R", risks)):
        places = list(zip(lams, values))
        top = max(values) * Fraction(8, 7) or Fraction(1)
        curve = Curve(name, stairs(places, end), places)
        view = Box(-end / 40, -top / 25, end, top)
        plots.append(curve_plot([curve], view, (270, 220), ("λ", name)))
    caption = (
        "The smallest minimiser of G_λ = R + λ·leaves for every λ ≥ 0. A dot marks the λ from "
        f"which on a tree is the smallest, until the next dot: {_collapses(steps, unit)}"
    )
    whole, shown = steps[0].tree, [*steps[:MOST_TREES]]
    trees = [tree_block(whole, None, s.tree, {n.number for n in s.collapsed}, True) for s in shown]
    body = [row(plots)]
    body += [row(trees[i : i + 2], 2 * EDGE) for i in range(0, len(trees), 2)]
    return page(title, caption, column(body), patterns(len(whole.classes)))


def _collapses(steps: Sequence[PruningStep], unit: Fraction) -> str:
    """What becomes of the tree at each λ."""
    told = []
    for step in steps[:MOST_STEPS]:
        nodes = cut(", ".join(f"n{node.number}" for node in step.collapsed), 24)
        size, lam = counted(step.size, "leaf", "leaves"), readable(step.lam * unit)
        told.append(f"{size} from λ = {lam}{nodes and f', {nodes} collapsed'}")
    more = [f"{len(steps) - MOST_STEPS} more trees"] if len(steps) > MOST_STEPS else []
    return "; ".join([*told, *more]) + "."


GAP, HIGH, LEVEL = 12, 34, 78
"""The space between boxes, the height of a box, and that of a level of the tree."""

MOST = 28
"""The most characters of a line in a box."""

MOST_COUNTS = 5
"""With more classes than these a box tells only how many rows it has in all."""

_GROUND: dict[str, str | Real] = {"fill": "white", "opacity": 0.7}


def tree_block(
    tree: DecisionTree,
    columns: Sequence[str] | None,
    now: DecisionTree | None = None,
    marked: Collection[int] = (),
    ghosts: bool = False,
) -> Block:
    """The tree from its root down; where the answer is no, the way leads to the left.

    `now`: a part of the tree from its root, which alone is drawn, in the places of the whole; with
    `ghosts` the rest is drawn faintly. `marked`: numbers of nodes.

    An inner node shows its question, and a leaf its labels, on the pattern of their class. Below
    stand the node's number and how many rows of each class it has.
    """
    here = {node.number: node for node in (now or tree).nodes()}
    lines = {node.number: _lines(here.get(node.number, node), columns) for node in tree.nodes()}
    whole = {node.number: _lines(node, columns) for node in tree.nodes()}
    wide = {n: max(map(breadth, [*lines[n], *whole[n]])) + 14 for n in lines}
    leaf = max(wide[node.number] for node in tree.leaves())
    inner = max((wide[node.number] for node in tree.nodes() if node.question), default=0)
    slot = max(leaf + GAP, (inner + GAP) // 2 + 1, (leaf + inner) // 3 + GAP)
    middle = _middles(tree, slot)
    left = min(x - Fraction(wide[n], 2) for n, x in middle.items())
    right = max(x + Fraction(wide[n], 2) for n, x in middle.items())
    branches, boxes = [], []
    for node in tree.nodes():
        x, y = middle[node.number] - left + 1, LEVEL * node.depth + 8
        is_here = node.number in here
        if not is_here and not ghosts:
            continue
        for child, answer in ((node.negative, "no"), (node.positive, "yes")):
            if child is not None and (child.number in here or ghosts):
                drawn = _branch(x, y, middle[child.number] - left + 1, answer)
                branches += drawn if child.number in here else [_ghost("".join(drawn))]
        n = node.number
        box = _box(here.get(n, node), x, y, wide[n], lines[n], n in marked)
        boxes.append(box if is_here else _ghost(box))
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
    """How far to the right each node stands: leaves evenly, others midway above their children."""
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


def _ghost(content: str) -> str:
    return element("g", content, opacity="0.2")


def _box(
    node: Node, x: Fraction, y: int, wide: int, lines: tuple[str, str], is_marked: bool
) -> str:
    look: dict[str, str | Real] = {"fill": "white", "rx": 2}
    if node.question is None:
        look = {"fill": area_fill(node.choices), "rx": 12}
    left = x - Fraction(wide, 2)
    if is_marked:
        look["stroke_width"] = 3
    parts = [element("rect", x=left, y=y, width=wide, height=HIGH, stroke=INK, **look)]
    if node.question is None:  # so that its words can be read on the pattern
        parts.append(
            element("rect", x=left + 7, y=y + 3, width=wide - 14, height=HIGH - 6, rx=8, **_GROUND)
        )
    parts.append(text(x, y + 15, lines[0], text_anchor="middle"))
    parts.append(text(x, y + 28, lines[1], text_anchor="middle", font_size=10, fill=FAINT))
    return "\n".join(parts)
