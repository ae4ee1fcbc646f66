"""The picture of a trained model: a tree, a pruning sequence, boosting or an SVM."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from refmc.core.scalars import exact_number, shown
from refmc.draw.axes import view_of
from refmc.draw.boosting_pages import error_curves, rounds_plot
from refmc.draw.curves import curve_keys
from refmc.draw.looks import legend
from refmc.draw.region_pages import supporting
from refmc.draw.regions import GRID_NOTE, score_regions
from refmc.draw.scenes import Rows, Scene, scene_page
from refmc.draw.svg import page, row
from refmc.draw.tree_pages import pruning_page, tree_page
from refmc.drawn import Drawn
from refmc.errors import ParameterError
from refmc.learn.boosting.models import AdaBoost, AdaBoostMH
from refmc.learn.svm.binary_model import BinarySVM
from refmc.learn.svm.multiclass_model import MulticlassSVM
from refmc.learn.trees.model import DecisionTree
from refmc.learn.trees.prune import PruningSequence
from refmc.theory.kernels import linear


def draw_model(model: Drawn, columns: Sequence[str] | None = None) -> str:
    """The picture of a model, as SVG; its method `draw` is the same.

    A tree has its questions; a pruning sequence the leaves and the risk for every λ; boosting its
    error and bound after each round; an SVM, if its rows have two columns, its regions, with rings
    around support vectors. `columns`: the names of the columns. Raises `ParameterError` for a model
    that has no picture.

    >>> from refmc.learn.trees.grow import grow_tree
    >>> "size ≤ 1" in draw_model(grow_tree([[1], [2]], ["a", "b"]), ["size"])
    True
    """
    if isinstance(model, DecisionTree):
        return tree_page("decision tree", "", model, None, columns)
    if isinstance(model, PruningSequence):
        return pruning_page("pruning sequence", model, model.risk or model[0].tree.impurity)
    if isinstance(model, (AdaBoost, AdaBoostMH)):
        curves = error_curves(model.rounds)
        body = row([rounds_plot(curves, len(model.rounds)), legend(curve_keys(curves))])
        return page("boosting", f"The end: {model.stopped}.", body)
    if isinstance(model, (BinarySVM, MulticlassSVM)):
        return _regions(model, columns or ("x0", "x1"))
    raise ParameterError(f"draw_model: {type(model).__name__} has no picture")


def _regions(model: BinarySVM[Any] | MulticlassSVM[Any], columns: Sequence[str]) -> str:
    if model.rows is None or len(model.rows[0]) != 2 or len(columns) != 2:
        have = "a Gram matrix" if model.rows is None else f"{len(model.rows[0])} columns"
        raise ParameterError(
            f"draw: regions need rows of two columns, with {shown(list(columns))} for names, and "
            f"the model has {have}; draw_problem trains on two of them"
        )
    is_linear = model.kernel == linear
    points = [(exact_number(x, "x0"), exact_number(y, "x1")) for x, y in model.rows]
    view = view_of(points)

    def scores(x: Sequence[Fraction]) -> list[Fraction]:
        return [Fraction(v) for v in model.scores([type(model.zero)(v) for v in x])]

    # of two classes y are signs, of more their positions
    codes = [max(y, 0) for y in model.y]
    rows = Rows(points, codes, model.classes, supporting(model))
    scene = Scene(view, score_regions(view, scores, is_linear), rows, tagged=is_linear)
    note = "Regions are polygons." if is_linear else GRID_NOTE
    return scene_page("SVM", note, scene, (str(columns[0]), str(columns[1])))
