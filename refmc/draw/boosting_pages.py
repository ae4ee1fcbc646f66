"""The pictures of boosting: error and bound after each round, and the regions of the votes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from refmc.core.records import Record
from refmc.draw.axes import view_of
from refmc.draw.columns import Columns, on_plane
from refmc.draw.curves import Curve, curve_keys, curve_plot
from refmc.draw.looks import legend, patterns
from refmc.draw.polygons import Box, Line, Point
from refmc.draw.regions import voted_regions
from refmc.draw.scenes import Rows, Scene, rows_of_cells, scene_keys, scene_plot
from refmc.draw.svg import Block, Real, page, row
from refmc.learn.boosting.models import BoostingRound
from refmc.learn.trees.questions import NumericQuestion
from refmc.oracle.boosting.records import ADA, read_problem
from refmc.oracle.boosting.reference import Model, boosted

WIDE, HIGH = 380, 300


def draw_boosted(record: Record, columns: Columns) -> str:
    """The picture of a problem of boosting: its rounds; beside them the regions, if each of its
    rows has two columns of numbers and a single label.
    """
    read, note = read_problem(record), "Trained on all columns."
    if columns is not None:
        assert read.asked.X is not None
        record, note = on_plane(record, columns, read.asked.X[0])
        read = read_problem(record)
    model, steps = boosted(read, None)
    caption = f"{note} The end: {model.stopped}."
    curves = error_curves(steps)
    plots, keys = [rounds_plot(curves, len(steps))], curve_keys(curves)
    asked, rows = read.asked, None
    if asked.X is not None and asked.single:
        codes = [row[0] if asked.family == ADA else row.index(1) for row in asked.truth]
        rows = rows_of_cells(asked.X, codes, read.classes, asked.weights)
    if rows is not None:
        names = read.asked.columns or ("x0", "x1")
        scene = boosted_scene(view_of(rows.points), rows, model)
        plots.append(scene_plot(scene, HIGH, HIGH, (names[0], names[1])))
        keys = scene_keys([scene]) + keys
        caption += " Regions of the votes are exact."
    body = row([*plots, legend(keys)])
    return page(read.asked.family, caption, body, patterns(len(read.classes)))


def error_curves(rounds: Sequence[BoostingRound[Any]]) -> list[Curve]:
    """The training error, its bound Π Z_t, and ε_t, after each round."""

    def curve(name: str, values: Sequence[Real]) -> Curve:
        places = [(r.t, value) for r, value in zip(rounds, values)]
        return Curve(name, places, places)

    return [
        curve("training error", [r.loss for r in rounds]),
        curve("bound Π Zₜ", [r.bound for r in rounds]),
        curve("εₜ of the round's stump", [r.epsilon for r in rounds]),
    ]


def rounds_plot(curves: Sequence[Curve], T: int) -> Block:
    """The curves of T rounds."""
    half = Fraction(1, 2)
    view = Box(half, Fraction(-1, 20), max(T, 1) + half, Fraction(21, 20))
    titles = "round t", "share of the sample"
    return curve_plot(curves, view, (WIDE, HIGH), titles, counts=True)


def boosted_scene(view: Box, rows: Rows, model: Model) -> Scene:
    """The rectangles into which the stumps' thresholds cut the view, and the votes in each."""
    asked = dict.fromkeys(r.base.question for r in model.rounds)
    lines = [
        Line(Fraction(q.column == 0), Fraction(q.column == 1), -Fraction(q.threshold))
        for q in asked
        if isinstance(q, NumericQuestion)
    ]

    def labels(x: Point) -> tuple[int, ...]:
        return tuple(map(model.classes.index, model.predict_set(x)))

    return Scene(view, voted_regions(view, lines, labels), rows)
