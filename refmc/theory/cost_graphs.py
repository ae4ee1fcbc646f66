"""Costs of classes that stand in a tree, an acyclic graph or any graph.

Covers the remarks on hierarchical and graph-related classes of
[lu, "Multi-Class Classification Problem"], which names the kinds of costs without formulas. Here
they are
- hierarchy: the number of steps between two classes in the tree;
- graph: the number of edges on a shortest path between them;
- directed acyclic graph: the number of steps up from both to a common ancestor, the least of
  all. A path over a common descendant doesn't count: it says nothing of what they share;
each divided by the largest one between two classes, so that costs lie in [0, 1].
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any, TypeVar

from refmc.core.sample import Label, Labels, read_classes
from refmc.core.scalars import plain, shown
from refmc.errors import ParameterError
from refmc.theory.costs import CostTable, refuse_unhashable

L = TypeVar("L", bound=Label)
Steps = Mapping[Label, Sequence[Label]]


def tree_cost(
    parents: Mapping[L, L | None] | Sequence[int | None], *, classes: Labels | None = None
) -> CostTable:
    """The distance of two classes in a hierarchy, divided by the largest one.

    `parents`: for each node the one above it, None for the root; a mapping of labels (a node that
    is only a value is the root), or a sequence of positions. `classes`: the nodes that are
    classes, in order, inner ones welcome; None takes all nodes, sorted. Raises `ParameterError`
    for a cycle, several roots, unknown parents or classes. Cost: O(k² · depth).
    [lu, "Multi-Class Classification Problem"]

    >>> above = {"baseball": "sports", "sports": "news", "world": "politics", "politics": "news"}
    >>> cost = tree_cost(above, classes=["baseball", "sports", "world"])
    >>> cost(1, 0), cost(2, 0)
    (Fraction(1, 4), 1)
    """
    above = _parents_of(parents)
    _refuse_cycle(above, "parents")
    roots = [node for node, parent in above.items() if not parent]
    if len(roots) != 1:
        raise ParameterError(
            f"parents: expected one root, got {len(roots)}: {shown(roots)}; join them under one"
        )
    return _ancestry_table(above, _class_order(above, classes))


def _parents_of(
    parents: Mapping[L, L | None] | Sequence[int | None],
) -> dict[Label, tuple[Label, ...]]:
    given: Any = parents if isinstance(parents, Mapping) else plain(parents)
    if isinstance(given, Sequence) and not isinstance(given, (str, bytes)):
        for node, parent in enumerate(given):
            if parent is not None and parent not in range(len(given)):
                raise ParameterError(f"parents: node {node}: unknown parent {shown(parent)}")
        given = dict(enumerate(given))
    if not isinstance(given, Mapping) or not given:
        raise ParameterError(
            f"parents: expected a mapping of nodes to parents, or positions; got {shown(given)}"
        )
    refuse_unhashable(given.values(), "parents")
    return _joined((node, () if parent is None else (parent,)) for node, parent in given.items())


def dag_cost(edges: Iterable[tuple[Label, Label]], *, classes: Labels | None = None) -> CostTable:
    """The distance of two classes over their nearest common ancestor, divided by the largest one.

    `edges`: pairs (node, one of its parents), without a cycle. `classes` as in `tree_cost`. Raises
    `ParameterError` for a cycle, unknown classes, and two classes without a common ancestor. Cost:
    O(k · edges + k² · ancestors). [lu, "Multi-Class Classification Problem"]

    >>> edges = [("a", "top"), ("b", "top"), ("c", "a"), ("c", "b")]
    >>> dag_cost(edges, classes=["a", "b", "c"]).rows[0]
    (0, 1, Fraction(1, 2))
    """
    above = _joined((child, (parent,)) for child, parent in _read_edges(edges))
    _refuse_cycle(above, "edges")
    return _ancestry_table(above, _class_order(above, classes))


def graph_cost(edges: Iterable[tuple[Label, Label]], *, classes: Labels | None = None) -> CostTable:
    """The number of edges on a shortest path between two classes, divided by the largest one.

    `edges`: pairs of nodes, in either direction. `classes`: the nodes that are classes, in order;
    None takes all nodes, sorted. Raises `ParameterError` for unknown classes, and two classes that
    no path joins. Cost: O(k · edges). [lu, "Multi-Class Classification Problem"]

    >>> graph_cost([("a", "b"), ("b", "c")]).rows[0]
    (0, Fraction(1, 2), 1)
    """
    pairs = _read_edges(edges)
    near = _joined((a, (b,)) for pair in pairs for a, b in (pair, pair[::-1]))
    order = _class_order(near, classes)
    steps = {node: _steps_from(node, near) for node in order}
    return _scaled_table(order, lambda a, b: steps[a].get(b), "path between")


def _read_edges(edges: Iterable[tuple[Label, Label]]) -> list[tuple[Label, Label]]:
    pairs: list[tuple[Label, Label]] = []
    listed: Any = plain(edges)
    for i, edge in enumerate(listed if isinstance(listed, Iterable) else ()):
        if not isinstance(edge, Sequence) or isinstance(edge, (str, bytes)) or len(edge) != 2:
            raise ParameterError(f"edges: position {i}: expected two nodes, got {shown(edge)}")
        refuse_unhashable(edge, f"edges: position {i}")
        pairs.append((edge[0], edge[1]))
    if not pairs:
        raise ParameterError(f"edges: expected at least one pair of nodes, got {shown(edges)}")
    return pairs


def _joined(steps: Iterable[tuple[Label, Sequence[Label]]]) -> dict[Label, tuple[Label, ...]]:
    """For each node, those one step away; nodes that only stand at the end have none."""
    found: dict[Label, tuple[Label, ...]] = {}
    for node, others in steps:
        found[node] = (*found.get(node, ()), *others)
        for other in others:
            found.setdefault(other, ())
    return found


def _refuse_cycle(above: Steps, name: str) -> None:
    try:
        TopologicalSorter(above).prepare()
    except CycleError as error:
        circle = " → ".join(map(shown, reversed(error.args[1])))
        raise ParameterError(f"{name}: a cycle {circle}; a hierarchy has none") from None


def _class_order(nodes: Collection[Label], classes: Labels | None) -> tuple[Label, ...]:
    if classes is None:
        listed: Any = list(nodes)
        try:
            return tuple(sorted(listed))
        except TypeError:
            raise ParameterError("classes: the nodes have no order; give classes=") from None
    order = read_classes(classes)
    for label in order:
        if label not in nodes:
            raise ParameterError(f"classes: {shown(label)} is none of the nodes {shown([*nodes])}")
    return order


def _steps_from(start: Label, near: Steps) -> dict[Label, int]:
    """The least number of steps from `start` to every node in reach."""
    steps = {start: 0}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for other in near[node]:
            if other not in steps:
                steps[other] = steps[node] + 1
                waiting.append(other)
    return steps


def _ancestry_table(above: Steps, order: tuple[Label, ...]) -> CostTable:
    up = {node: _steps_from(node, above) for node in order}

    def distance(a: Label, b: Label) -> int | None:
        shared = up[a].keys() & up[b].keys()
        return min((up[a][node] + up[b][node] for node in shared), default=None)

    return _scaled_table(order, distance, "common ancestor of")


def _scaled_table(
    order: tuple[Label, ...], distance: Callable[[Label, Label], int | None], link: str
) -> CostTable:
    rows = []
    for a in order:
        row = []
        for b in order:
            steps = distance(a, b)
            if steps is None:
                raise ParameterError(f"edges: no {link} {shown(a)} and {shown(b)}")
            row.append(steps)
        rows.append(tuple(row))
    return CostTable(tuple(rows), order).scaled()
