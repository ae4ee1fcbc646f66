"""From a problem to its picture: what is drawn is a matter of the problem's family.

- SVMs, perceptrons and SGD: decision regions over two columns, with the training rows;
- `tree.grow`: the tree, with its partition if it is one of two columns of numbers;
- boosting: error and bound round by round, and regions if there are two columns of numbers;
- `tree.prune`: leaves and risk against λ;
- losses of one margin: their curve.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from refmc.core.records import Record
from refmc.core.scalars import shown
from refmc.draw.boosting_pages import draw_boosted
from refmc.draw.columns import Columns, read_plane
from refmc.draw.curves import Curve, curve_plot, sampled
from refmc.draw.descent_page import draw_descent
from refmc.draw.looks import legend, patterns
from refmc.draw.models import TRAINERS, trained_scene
from refmc.draw.polygons import Box
from refmc.draw.regions import GRID_NOTE
from refmc.draw.scenes import scene_keys, scene_plot
from refmc.draw.svg import cut, page, row
from refmc.draw.tree_pages import draw_grown, draw_pruned
from refmc.errors import FormatError, ParameterError
from refmc.oracle.answers import read_record
from refmc.oracle.boosting import records as boosting
from refmc.oracle.trees import records as trees
from refmc.oracle.values import losses
from refmc.theory.losses import exponential, hinge, logistic, margin_loss, perceptron_loss

SIDE = 380

IN_PLANE: dict[str, Callable[[Record, Columns], str]] = {
    trees.GROW: draw_grown,
    boosting.ADA: draw_boosted,
    boosting.MH: draw_boosted,
}
"""Families that have more to draw than regions."""

LOSSES: dict[str, Callable[..., Any]] = {
    "loss.hinge": hinge,
    "loss.perceptron": perceptron_loss,
    "loss.exponential": exponential,
    "loss.logistic": logistic,
    "loss.margin": margin_loss,
}


def draw_problem(problem: Record | str, columns: Columns = None, *, gap: bool = False) -> str:
    """The picture of a problem's solution, as SVG.

    `problem`: a record or JSON text, see spec/format.md. `columns`: the two columns of the plane,
    by position, or by name where the problem has names; not needed where there are two. The model
    is trained on these two alone, and the picture says so. Tied regions are hatched and name their
    labels; support vectors are ringed. `gap`: of a run of multi-class SGD, in the place of regions,
    how far it is from the certified optimum, and the bound.

    Raises `FormatError` naming the field, also for a family that has no picture, and
    `ParameterError` for columns. Cost: that of the learner; for kernels also a grid of scores.

    >>> problem = {"family": "svm.hard", "X": [[0, 0], [1, 1]], "y": [-1, 1]}
    >>> draw_problem(problem).startswith("<svg ")
    True
    """
    record, _ = read_record(problem)
    family = str(record["family"])
    if gap:
        if columns is not None:
            raise ParameterError("columns: the picture of gaps has no plane; leave them out")
        return draw_descent(record)
    if family in TRAINERS:
        return _regions(record, columns)
    if family in IN_PLANE:
        return IN_PLANE[family](record, columns)
    if family not in (trees.PRUNE, *LOSSES):
        known = ", ".join([*TRAINERS, *IN_PLANE, trees.PRUNE, *LOSSES])
        raise FormatError(f"problem.family: {family!r} has no picture; these have one: {known}")
    if columns is not None:
        raise ParameterError(f"columns: the picture of {family} has no plane; leave them out")
    return draw_pruned(record) if family == trees.PRUNE else _loss(record)


def _regions(record: Record, columns: Columns) -> str:
    plane = read_plane(record, columns)
    scene = trained_scene({**record, "X": plane.X})
    how = "Regions are exact polygons." if scene.tagged else GRID_NOTE
    body = row([scene_plot(scene, SIDE, SIDE, plane.names), legend(scene_keys([scene]))])
    looks = patterns(len(scene.rows.classes))
    return page(f"{record['family']}{_settings(record)}", f"{plane.note} {how}", body, looks)


def _settings(record: Record) -> str:
    """Numbers among the parameters, for the title."""
    given = {name: record[name] for name in ("C", "lam", "ridge", "epochs", "T") if name in record}
    return "".join(
        f", {name} = {cut(value if isinstance(value, str) else shown(value), 24)}"
        for name, value in given.items()
    )


def _loss(record: Record) -> str:
    family = str(record["family"])
    read: Any = losses.read_problem(record)
    loss = LOSSES[family]
    if family == "loss.margin":
        loss = partial(margin_loss, rho=read.rho)
    low, high = min(*read.z, Fraction(-2)), max(*read.z, Fraction(2))
    margin = (high - low) / 8
    low, high = low - margin, high + margin
    dots = [(z, Fraction(loss(z))) for z in dict.fromkeys(read.z)]
    curve = Curve(family, sampled(loss, low, high, 240), dots)
    top = max(Fraction(3), *(value for _, value in dots)) * Fraction(8, 7)
    view = Box(low, -top / 20, high, top)
    block = curve_plot([curve], view, (SIDE, 260), ("margin z", "loss"))
    return page(family, "Dots are the margins of the problem.", block)
