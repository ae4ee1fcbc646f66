"""The decision regions of SVMs, perceptrons and SGD, trained on the two columns of the plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refmc.core.records import Record
from refmc.core.scalars import shown
from refmc.draw.axes import view_of
from refmc.draw.columns import Columns, read_plane
from refmc.draw.polygons import Line, Point
from refmc.draw.regions import GRID_NOTE, affine_forms, score_regions
from refmc.draw.scenes import DASHED, Rows, Scene, scene_page
from refmc.draw.svg import cut
from refmc.oracle.reading import read_codes, read_rows_or_gram, read_signs


def draw_regions(record: Record, columns: Columns) -> str:
    """The picture of a problem of an SVM, a perceptron or SGD."""
    plane = read_plane(record, columns)
    scene = trained_scene({**record, "X": plane.X})
    how = "Regions are exact polygons." if scene.tagged else GRID_NOTE
    title = f"{record['family']}{_settings(record)}"
    return scene_page(title, f"{plane.note} {how}", scene, plane.names)


def _settings(record: Record) -> str:
    """What the title says of the parameters that are numbers."""
    given = {name: record[name] for name in ("C", "lam", "ridge", "epochs", "T") if name in record}
    return "".join(
        f", {name} = {cut(value if isinstance(value, str) else shown(value), 24)}"
        for name, value in given.items()
    )


def trained_scene(record: Record) -> Scene:
    """The regions and rows of such a problem, whose rows have two columns."""
    rows, model = read_rows_or_gram(record), trained(record)
    assert rows.X is not None
    points: list[Point] = [(x, y) for x, y in rows.X]
    codes, classes = labels_of(record, rows.m)
    lines = []
    if record["family"] in ("svm.binary", "svm.hard") and rows.is_linear:
        (form,) = affine_forms(lambda x: (model.decision(x),))
        lines = [(Line(form.a, form.b, form.c + side), DASHED) for side in (1, -1)]
    view = view_of(points)
    return Scene(
        view=view,
        regions=score_regions(view, model.scores, rows.is_linear),
        rows=Rows(points, codes, classes, supporting(model)),
        tagged=rows.is_linear,
        lines=lines,
    )


def trained(record: Record) -> Any:
    """The model of such a problem; the learner of its family alone is imported."""
    kind, _, case = str(record["family"]).partition(".")
    if kind == "perceptron":
        from refmc.oracle.online import perceptron

        return perceptron.run(perceptron.read_problem(record), None)
    if kind == "sgd":
        from refmc.oracle.online import sgd

        return sgd.run(sgd.read_problem(record), None)
    if case == "multiclass":
        from refmc.oracle.svm import multiclass

        return multiclass.optimum(multiclass.read_problem(record), None)
    from refmc.oracle.svm import binary

    return binary.optimum(binary.read_problem(record), None)


def supporting(model: Any) -> Sequence[int]:
    """The positions of the support vectors of any class; models other than SVMs have none."""
    found: Any = getattr(model, "support_vectors", ())
    if callable(found):
        found = sorted({i for label in model.classes for i in found(label)})
    return tuple(found)


def labels_of(record: Record, m: int) -> tuple[Sequence[int], tuple[object, ...]]:
    """The positions of the rows' labels among the classes, and the classes."""
    if str(record["family"]).endswith("multiclass"):
        return read_codes(record, m)
    signs, classes = read_signs(record, m)
    return [int(sign > 0) for sign in signs], classes
