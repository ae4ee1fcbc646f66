"""The picture of a problem's solution. What it shows depends on the family:

- SVMs, perceptrons and SGD: the decision regions in the plane of two columns, and the training
  rows;
- `tree.grow`: the tree, and its partition of the plane if it has two columns of numbers;
- boosting: error and bound after each round, and the regions if there are two columns of numbers;
- `tree.prune`: the trees of the sequence, the number of leaves and the risk for every λ;
- codes, pairs and one against all: what decides, as a table of cells;
- losses of a margin: their curve.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from refmc.core.records import Record
from refmc.draw.columns import Columns
from refmc.errors import FormatError, ParameterError
from refmc.oracle.families import FAMILIES, read_record

BY_KIND = {
    **dict.fromkeys(("svm", "perceptron", "sgd"), "region_pages.draw_regions"),
    "tree": "tree_pages.draw_grown",
    "boost": "boosting_pages.draw_boosted",
}
"""What draws the families of a kind, whose rows may lie in a plane. It is imported only when it is
asked for, with the learners that it needs."""

CURVES = {
    "tree.prune": "tree_pages.draw_pruned",
    **dict.fromkeys(("code.decode", "ovo.decode", "ova.decode"), "cells.draw_decoded"),
    **dict.fromkeys(
        ("loss.hinge", "loss.perceptron", "loss.exponential", "loss.logistic", "loss.margin"),
        "loss_page.draw_loss",
    ),
}
"""What draws the families that have curves, and no plane."""

IN_PLANE = {
    family: BY_KIND[kind]
    for family in FAMILIES
    if (kind := family.partition(".")[0]) in BY_KIND and family not in CURVES
}


def draw_problem(problem: Record | str, columns: Columns = None, *, gap: bool = False) -> str:
    """The picture of a problem's solution, as SVG.

    `problem`: a record or JSON text, see spec/format.md. `columns`: the two columns of the plane,
    by position, or by name where the problem names its columns; they may be left out where it has
    only two. The model is trained on these two columns alone, and the picture says so. Regions
    where several classes tie are hatched and name them all; support vectors have rings. `gap`:
    draw, for a run of multi-class SGD, no regions, but how far its steps are from the certified
    optimum, and the bound on that.

    Raises `FormatError`, which names the field, also for a family without a picture, and
    `ParameterError` for columns. Cost: that of training, and for kernels that of scores on a grid.

    >>> problem = {"family": "svm.hard", "X": [[0, 0], [1, 1]], "y": [-1, 1]}
    >>> draw_problem(problem).startswith("<svg ")
    True
    """
    record, of_family = read_record(problem)
    family = str(record["family"])
    if gap:
        if columns is not None:
            raise ParameterError("columns: the picture of gaps has no plane; leave them out")
        return _page("descent_page.draw_descent")(record)
    if family in IN_PLANE:
        try:
            return _page(IN_PLANE[family])(record, columns)
        except ParameterError:
            of_family.read(record)  # what is wrong with the problem is told before the columns
            raise
    if family not in CURVES:
        known = ", ".join([*IN_PLANE, *CURVES])
        raise FormatError(f"problem.family: {family!r} has no picture; these have one: {known}")
    if columns is not None:
        raise ParameterError(f"columns: the picture of {family} has no plane; leave them out")
    return _page(CURVES[family])(record)


def _page(name: str) -> Callable[..., str]:
    module, function = name.split(".")
    page: Callable[..., str] = getattr(import_module(f"refmc.draw.{module}"), function)
    return page
