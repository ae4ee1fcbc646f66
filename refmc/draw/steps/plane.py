"""What pages of several families share: the items of a problem, and their plane."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from refmc.core.records import Record
from refmc.core.scalars import shown as text_of
from refmc.draw.axes import view_of
from refmc.draw.looks import class_keys, legend
from refmc.draw.polygons import Line, Point
from refmc.draw.region_pages import labels_of
from refmc.draw.regions import Region, grid_regions, largest_regions
from refmc.draw.scenes import DASHED, Rows, Scene, scene_plot
from refmc.draw.svg import Block
from refmc.oracle.reading import read_rows_or_gram

SIDE, STEPS, MOST_ITEMS = 300, 20, 10


class Items:
    """The rows of a problem, numbered from 1 as the lectures do, with their labels."""

    def __init__(self, record: Record) -> None:
        self.rows: Any = read_rows_or_gram(record)
        self.codes, self.classes = labels_of(record, self.rows.m)
        d = len(self.rows.X[0]) if self.rows.X else 0
        given: Any = record.get("columns")
        self.columns = [str(c) for c in given] if given else [f"x{j}" for j in range(d)]
        self.points: list[Point] = []
        if d == 2:
            self.points = [(x, y) for x, y in self.rows.X or ()]
        self.kernel_values: Callable[[Point], list[Fraction]] = cache(
            lambda point: [self.rows.kernel(x, point) for x in self.rows.X]
        )

    def example(self, i: int) -> object:
        """(x_i, y_i)."""
        x = tuple(self.rows.X[i]) if self.rows.X else f"row {i + 1}"
        return x, self.classes[self.codes[i]]

    def named(self, vector: Sequence[object]) -> dict[str, object]:
        """The entries of a vector of weights by the names of the columns."""
        return dict(zip(self.columns, vector))

    def sample(self, first: int = 1) -> dict[str, dict[str, object]]:
        """The table of the items, numbered from `first`."""
        labels = [self.classes[code] for code in self.codes]
        return items_table("i = ", self.columns, self.rows.X or [], {"y_i": labels}, first)

    def scene(
        self, forms: Sequence[Line], ringed: Sequence[int] = (), margins: Sequence[Line] = ()
    ) -> list[Block]:
        """The regions of linear scores."""
        view = view_of(self.points)
        return self._plot(largest_regions(view.corners, forms), ringed, margins)

    def two_sides(self, form: Line, ringed: Sequence[int], has_margins: bool) -> list[Block]:
        """The sides of a hyperplane, perhaps with the lines on which the form is ±1."""
        drawn = has_margins and any(form[:2])
        margins = [form._replace(c=form.c + side) for side in (1, -1) if drawn]
        return self.scene([form.opposite(), form], ringed, margins)

    def grid(self, scores: Any, ringed: Sequence[int] = ()) -> list[Block]:
        """The regions of other scores, between the points of a grid."""
        return self._plot(grid_regions(view_of(self.points), scores, STEPS), ringed, ())

    def _plot(
        self, regions: Sequence[Region], ringed: Sequence[int], margins: Sequence[Line]
    ) -> list[Block]:
        rows = Rows(self.points, self.codes, self.classes, ringed)
        lines = [(line, DASHED) for line in margins]
        scene = Scene(view_of(self.points), regions, rows, lines=lines)
        plot = scene_plot(scene, SIDE, SIDE, (self.columns[0], self.columns[1]))
        return [plot, legend(class_keys(self.classes))]


def line_of(weights: Sequence[Any], bias: Any = 0) -> Line:
    """The form w·x + b of a plane."""
    a, b = weights
    return Line(Fraction(a), Fraction(b), Fraction(bias))


def items_table(
    name: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    more: Mapping[str, Sequence[object]],
    first: int = 1,
) -> dict[str, dict[str, object]]:
    """A table of the first items: a row for each column, and one for each list of `more`."""
    heads = [f"{name}{i + first}" for i in range(min(len(rows), MOST_ITEMS))]
    entries = {**dict(zip(columns, zip(*rows))), **more} if heads else {}
    return {label: dict(zip(heads, values)) for label, values in entries.items()}


def in_words(labels: Sequence[object]) -> str:
    """Labels in a sentence.

    >>> in_words(["a", "b", 3])
    'a, b and 3'
    """
    *others, last = [label if isinstance(label, str) else text_of(label) for label in labels]
    return f"{', '.join(others)} and {last}" if others else last


def rows_of(table: Mapping[str, Mapping[str, Any]]) -> list[list[Any]]:
    """The numbers of a table."""
    return [list(row.values()) for row in table.values()]
