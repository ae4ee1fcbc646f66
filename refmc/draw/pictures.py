"""From a problem to its picture; the problem's family decides what is drawn.

- SVMs, perceptrons and SGD: decision regions over two columns, with the training rows;
- `tree.grow`: the tree, with its partition if it is one of two columns of numbers;
- boosting: error and bound round by round, and regions if there are two columns of numbers;
- `tree.prune`: leaves and risk against λ;
- losses of one margin: their curve.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from refmc.core.records import Record
from refmc.draw.columns import Columns
from refmc.errors import FormatError, ParameterError
from refmc.oracle.answers import read_record

IN_PLANE = {
    "svm.multiclass": "region_pages.draw_regions",
    "svm.binary": "region_pages.draw_regions",
    "svm.hard": "region_pages.draw_regions",
    "perceptron.binary": "region_pages.draw_regions",
    "perceptron.kernel": "region_pages.draw_regions",
    "perceptron.multiclass": "region_pages.draw_regions",
    "sgd.binary": "region_pages.draw_regions",
    "sgd.multiclass": "region_pages.draw_regions",
    "tree.grow": "tree_pages.draw_grown",
    "boost.ada": "boosting_pages.draw_boosted",
    "boost.mh": "boosting_pages.draw_boosted",
}
"""What draws the families whose rows may lie in a plane; imported when one of them comes."""

CURVES = {
    "tree.prune": "tree_pages.draw_pruned",
    "loss.hinge": "loss_page.draw_loss",
    "loss.perceptron": "loss_page.draw_loss",
    "loss.exponential": "loss_page.draw_loss",
    "loss.logistic": "loss_page.draw_loss",
    "loss.margin": "loss_page.draw_loss",
}
"""The same for families that are drawn as curves."""


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
        return _page("descent_page.draw_descent")(record)
    if family in IN_PLANE:
        return _page(IN_PLANE[family])(record, columns)
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
