"""A classifier in the plane of two columns: its regions, and the rows that it was trained on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from refmc.draw.axes import Frame, plot
from refmc.draw.looks import (
    RING_KEY,
    area_key,
    arrow,
    class_keys,
    legend,
    line_key,
    mark,
    patterns,
    ring,
    tag,
)
from refmc.draw.polygons import Box, Line, Point, between, chord
from refmc.draw.regions import Region, borders, filled, named
from refmc.draw.svg import INK, Block, element, page, path, row

if TYPE_CHECKING:
    from refmc.checker.trees.data import Value

DASHED = "6 4"

SIDE = 380
"""The pixels of the sides of a scene that has a page of its own."""

STOPS = 24
"""Into how many parts lines and arrows are divided; names keep clear of the ends of each."""


@dataclass(frozen=True)
class Rows:
    """Training rows as points, with the position of each one's class, and the class labels.

    `ringed`: the rows that are support vectors.
    """

    points: Sequence[Point]
    codes: Sequence[int]
    classes: tuple[object, ...]
    ringed: Sequence[int] = ()


def rows_of_cells(
    X: Sequence[Sequence[Value]],
    codes: Sequence[int],
    classes: tuple[object, ...],
    weights: Sequence[Fraction | int] | None,
) -> Rows | None:
    """The rows of positive weight as points; None unless they have two columns of numbers."""
    if len(X[0]) != 2 or any(isinstance(value, str) for value in X[0]):
        return None
    kept = [i for i in range(len(X)) if weights is None or weights[i]]
    points = [(Fraction(X[i][0]), Fraction(X[i][1])) for i in kept]
    return Rows(points, [codes[i] for i in kept], classes)


@dataclass(frozen=True)
class Scene:
    """What one plot of regions shows.

    `edges`: what draws the borders of regions. `names`: what a region is called, None for its
    labels; `tagged`: whether the name stands in the region. `lines`: further lines, each with its
    dash. `arrows`: each from one point to another, with its dash. `words`: texts and where they
    stand.
    """

    view: Box
    regions: Sequence[Region]
    rows: Rows
    edges: Callable[[Frame, Sequence[Region]], str] = borders
    names: Callable[[Region], str] | None = None
    tagged: bool = True
    lines: Sequence[tuple[Line, str | None]] = ()
    arrows: Sequence[tuple[Point, Point, str | None]] = ()
    words: Sequence[tuple[Point, str]] = ()


def scene_plot(
    scene: Scene, width: int, height: int, titles: tuple[str, str], heading: str = ""
) -> Block:
    """The plot of a scene: areas, borders, lines, rows, names, from the bottom up."""
    frame, rows = Frame(scene.view, width, height), scene.rows
    parts = filled(frame, scene.regions)
    parts.append(scene.edges(frame, scene.regions))
    parts += [line_in(frame, line, dash) for line, dash in scene.lines]
    parts += [arrow(frame.at(a), frame.at(b), dash) for a, b, dash in scene.arrows]
    parts += row_marks(frame, rows)
    if scene.tagged:
        call = scene.names or (lambda region: tied_name(region.labels, rows.classes))
        parts += named(frame, scene.regions, call, [*rows.points, *_in_the_way(scene)])
    parts += [tag(*frame.at(point), words) for point, words in scene.words]
    return plot(frame, parts, titles, heading)


def scene_page(title: str, caption: str, scene: Scene, titles: tuple[str, str]) -> str:
    """A whole picture of one scene, with its legend."""
    body = row([scene_plot(scene, SIDE, SIDE, titles), legend(scene_keys([scene]))])
    return page(title, caption, body, patterns(len(scene.rows.classes)))


def _in_the_way(scene: Scene) -> list[Point]:
    """Points along the lines and arrows, and where words stand, for names to keep clear of."""
    strokes = [chord(scene.view.corners, line) for line, _ in scene.lines]
    strokes += [(start, end) for start, end, _ in scene.arrows]
    found = [point for point, _ in scene.words]
    for start, end in filter(None, strokes):
        found += [between(start, end, Fraction(i, STOPS)) for i in range(STOPS + 1)]
    return found


def row_marks(frame: Frame, rows: Rows) -> list[str]:
    """A mark for each row (equal rows of one class share one), and the rings around some."""
    places = dict.fromkeys(zip(rows.points, rows.codes))
    marks = [mark(*frame.at(point), code) for point, code in places]
    rings = dict.fromkeys(rows.points[i] for i in rows.ringed)
    return marks + [ring(*frame.at(point)) for point in rings]


def line_in(frame: Frame, line: Line, dash: str | None) -> str:
    """The part of a line that the frame shows; an empty text where it shows none."""
    ends = chord(frame.view.corners, line)
    if not ends:
        return ""
    drawn = path(frame.along(ends))
    return element("path", d=drawn, stroke=INK, stroke_width=1.3, stroke_dasharray=dash)


def tied_name(labels: Sequence[int], classes: Sequence[object]) -> str:
    """The names of the labels that are tied.

    >>> tied_name((0, 2), ["a", "b", "c"])
    'a or c'
    """
    return " or ".join(str(classes[j]) for j in labels)


def scene_keys(scenes: Sequence[Scene]) -> list[tuple[str, str]]:
    """The legend of scenes that have the same classes: of what occurs in one of them at least."""
    keys = class_keys(scenes[0].rows.classes)
    if any(len(region.labels) > 1 for scene in scenes for region in scene.regions):
        keys.append((area_key((0, 1)), "tied"))
    if any(scene.rows.ringed for scene in scenes):
        keys.append((RING_KEY, "support vector"))
    if any(dash == DASHED for scene in scenes for _, dash in scene.lines):
        keys.append((line_key(DASHED, width=1.3), "margin"))
    return keys
