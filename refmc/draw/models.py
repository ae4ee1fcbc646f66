"""The classifier that a problem asks for, trained on the two columns that its rows have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from refmc.core.records import Record
from refmc.draw.axes import view_of
from refmc.draw.polygons import Line, Point
from refmc.draw.regions import Scores, affine_forms, grid_regions, largest_regions
from refmc.draw.scenes import DASHED, Rows, Scene
from refmc.oracle.online import perceptron, sgd
from refmc.oracle.reading import read_codes, read_rows_or_gram, read_signs
from refmc.oracle.svm import binary as svm_binary
from refmc.oracle.svm import multiclass as svm_multiclass


@dataclass(frozen=True)
class Trained:
    """A model of scores, the positions of its support vectors, and its margins if it has some."""

    scores: Scores
    ringed: Sequence[int] = ()
    margins: Sequence[Line] = ()


def trained_scene(record: Record) -> Scene:
    """The scene of a problem of an SVM, a perceptron or SGD whose rows have two columns."""
    model = TRAINERS[str(record["family"])](record)  # it validates the record
    rows = read_rows_or_gram(record)
    assert rows.X is not None
    points: list[Point] = [(x, y) for x, y in rows.X]
    codes, classes = _labels(record, rows.m)
    view = view_of(points)
    if rows.is_linear:
        regions = largest_regions(view.corners, affine_forms(model.scores))
    else:
        regions = grid_regions(view, model.scores)
    return Scene(
        view=view,
        regions=regions,
        rows=Rows(points, codes, classes, model.ringed),
        tagged=rows.is_linear,
        lines=[(line, DASHED) for line in model.margins],
    )


def _labels(record: Record, m: int) -> tuple[Sequence[int], tuple[object, ...]]:
    if str(record["family"]).endswith("multiclass"):
        return read_codes(record, m)
    signs, classes = read_signs(record, m)
    return [int(sign > 0) for sign in signs], classes


def _multiclass_svm(record: Record) -> Trained:
    model = svm_multiclass.optimum(svm_multiclass.read_problem(record), None)
    ringed = {i for label in model.classes for i in model.support_vectors(label)}
    return Trained(model.scores, sorted(ringed))


def _binary_svm(record: Record) -> Trained:
    read = svm_binary.read_problem(record)
    model = svm_binary.optimum(read, None)
    if not read.rows.is_linear:
        return Trained(model.scores, model.support_vectors)
    (form,) = affine_forms(lambda x: (model.decision(x),))
    margins = [Line(form.a, form.b, form.c + side) for side in (1, -1)]
    return Trained(model.scores, model.support_vectors, margins)


def _perceptron(record: Record) -> Trained:
    return Trained(perceptron.run(record, perceptron.read_problem(record), None).scores)


def _sgd(record: Record) -> Trained:
    return Trained(sgd.run(sgd.read_problem(record), None).scores)


TRAINERS: dict[str, Callable[[Record], Trained]] = {
    "svm.multiclass": _multiclass_svm,
    "svm.binary": _binary_svm,
    "svm.hard": _binary_svm,
    "perceptron.binary": _perceptron,
    "perceptron.kernel": _perceptron,
    "perceptron.multiclass": _perceptron,
    "sgd.binary": _sgd,
    "sgd.multiclass": _sgd,
}
"""What trains the model of each family that has regions."""
