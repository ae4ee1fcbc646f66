"""The decision regions of SVMs, perceptrons and SGD, trained on the two columns of the plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from refmc.core.records import Record
from refmc.core.scalars import shown
from refmc.draw.axes import view_of
from refmc.draw.columns import Columns, read_plane
from refmc.draw.polygons import Line, Point
from refmc.draw.regions import GRID_NOTE, Scores, affine_forms, score_regions
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


@dataclass(frozen=True)
class Trained:
    """A model's scores, the positions of its support vectors, and the lines of its margins."""

    scores: Scores
    ringed: Sequence[int] = ()
    margins: Sequence[Line] = ()


def trained_scene(record: Record) -> Scene:
    """The regions and rows of such a problem, whose rows have two columns."""
    kind, _, case = str(record["family"]).partition(".")
    train = {"svm": _binary_svm, "perceptron": _perceptron, "sgd": _sgd}[kind]
    model = (_multiclass_svm if kind == "svm" and case == "multiclass" else train)(record)
    rows = read_rows_or_gram(record)
    assert rows.X is not None
    points: list[Point] = [(x, y) for x, y in rows.X]
    codes, classes = labels_of(record, rows.m)
    view = view_of(points)
    return Scene(
        view=view,
        regions=score_regions(view, model.scores, rows.is_linear),
        rows=Rows(points, codes, classes, model.ringed),
        tagged=rows.is_linear,
        lines=[(line, DASHED) for line in model.margins],
    )


def labels_of(record: Record, m: int) -> tuple[Sequence[int], tuple[object, ...]]:
    """The positions of the rows' labels among the classes, and the classes."""
    if str(record["family"]).endswith("multiclass"):
        return read_codes(record, m)
    signs, classes = read_signs(record, m)
    return [int(sign > 0) for sign in signs], classes


# Each of these imports its own learner only.


def _multiclass_svm(record: Record) -> Trained:
    from refmc.oracle.svm.multiclass import optimum, read_problem

    model = optimum(read_problem(record), None)
    ringed = {i for label in model.classes for i in model.support_vectors(label)}
    return Trained(model.scores, sorted(ringed))


def _binary_svm(record: Record) -> Trained:
    from refmc.oracle.svm.binary import optimum, read_problem

    read = read_problem(record)
    model = optimum(read, None)
    if not read.rows.is_linear:
        return Trained(model.scores, model.support_vectors)
    (form,) = affine_forms(lambda x: (model.decision(x),))
    margins = [Line(form.a, form.b, form.c + side) for side in (1, -1)]
    return Trained(model.scores, model.support_vectors, margins)


def _perceptron(record: Record) -> Trained:
    from refmc.oracle.online.perceptron import read_problem, run

    return Trained(run(record, read_problem(record), None).scores)


def _sgd(record: Record) -> Trained:
    from refmc.oracle.online.sgd import read_problem, run

    return Trained(run(read_problem(record), None).scores)
