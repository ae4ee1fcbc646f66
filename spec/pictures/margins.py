"""The lectures' pictures of binary SVMs: margins, slacks, kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from refmc.core.scalars import number_text
from refmc.draw.looks import legend, patterns
from refmc.draw.polygons import Box, Line
from refmc.draw.regions import GRID_NOTE, affine_forms, grid_regions, largest_regions
from refmc.draw.scenes import DASHED, Rows, Scene, scene_keys, scene_plot
from refmc.draw.svg import page, row
from refmc.learn.svm.binary import fit_binary_svm, fit_hard_svm
from refmc.learn.svm.binary_model import BinarySVM
from refmc.theory.kernels import rbf
from spec.pictures.data import (
    AXES,
    DISC,
    MOONS,
    OVERLAPPING,
    SEPARABLE,
    labels_of,
    rows_in_groups,
    square,
)

SIGNS = -1, 1

Model = BinarySVM[float] | BinarySVM[Fraction]


def margins() -> str:
    """The figures of chang's large margin: the widest street, and what holds its sides."""
    rows = rows_in_groups(SEPARABLE, SIGNS)
    model = fit_hard_svm(rows.points, labels_of(rows))
    scene = _linear(rows, model)
    square_text = number_text(model.margin_squared or 0)
    caption = (
        "A hard SVM. Each margin is 1/‖w‖ away from the hyperplane, as far as can be: here the "
        f"square of that distance is {square_text}. The support vectors on the margins determine "
        "it; all other rows could go."
    )
    body = row([scene_plot(scene, 380, 380, AXES), legend(scene_keys([scene]))])
    return page("Hyperplane, margins and support vectors", caption, body, patterns(2))


def soft_margin() -> str:
    """The figures of chang's quiz: rows beyond, on and within the margin, for two values of C."""
    rows = rows_in_groups(OVERLAPPING, SIGNS)
    scenes, heads = [], []
    for C in (Fraction(1, 50), Fraction(10)):
        model = fit_binary_svm(rows.points, labels_of(rows), C=C)
        scenes.append(_linear(rows, model))
        on, inside = len(model.on_margin), len(model.inside_margin)
        heads.append(f"C = {number_text(C)}: {on} on the margin, {inside} within")
    caption = (
        "Soft SVMs of rows that no line separates. Rows beyond their margin have α = 0 and ξ = 0; "
        "the ringed ones lie on it with ξ = 0, or within it or on the wrong side with ξ > 0. "
        "A larger C allows less slack and makes the margin narrower."
    )
    plots = [scene_plot(scene, 320, 320, AXES, head) for scene, head in zip(scenes, heads)]
    body = row([*plots, legend(scene_keys(scenes))])
    return page("Soft margins", caption, body, patterns(2))


def _linear(rows: Rows, model: Model) -> Scene:
    view = square(5)
    (form,) = affine_forms(lambda x: (model.decision(x),))
    return Scene(
        view=view,
        regions=largest_regions(view.corners, affine_forms(model.scores)),
        rows=replace(rows, ringed=model.support_vectors),
        lines=[(Line(form.a, form.b, form.c + side), DASHED) for side in SIGNS],
    )


def rbf_C() -> str:
    """The figures of chang's SVM examples: borders of the RBF kernel for several C."""
    caption = (
        "The larger C, the fewer rows may lie within the margin, and the more the border bends "
        "around single ones."
    )
    settings = [(C, "1") for C in ("0.1", "1", "100")]
    return _small_multiples("RBF kernel: the influence of C", caption, settings)


def rbf_gamma() -> str:
    """The figures of chang's RBF kernel: borders for several γ."""
    caption = (
        "The larger γ, the nearer a row must be to have influence; at last every row is a support "
        "vector."
    )
    settings = [("10", gamma) for gamma in ("0.1", "2", "20")]
    return _small_multiples("RBF kernel: the influence of γ", caption, settings)


def _small_multiples(title: str, caption: str, settings: Sequence[tuple[str, str]]) -> str:
    scenes = [_rbf_scene(C, gamma) for C, gamma in settings]
    plots = [
        scene_plot(scene, 240, 180, AXES, f"C = {C}, γ = {gamma}")
        for scene, (C, gamma) in zip(scenes, settings)
    ]
    body = row([*plots, legend(scene_keys(scenes))])
    return page(title, f"{caption} {GRID_NOTE}", body, patterns(2))


def _rbf_scene(C: str, gamma: str) -> Scene:
    rows = rows_in_groups(MOONS, SIGNS)
    floats = [[float(value) for value in point] for point in rows.points]
    model = fit_binary_svm(floats, labels_of(rows), C=C, kernel=rbf(float(gamma)))
    view = Box(Fraction(-3, 2), Fraction(-5, 4), Fraction(5, 2), Fraction(7, 4))
    return Scene(
        view=view,
        regions=grid_regions(view, lambda x: model.scores([float(x[0]), float(x[1])])),
        rows=replace(rows, ringed=model.support_vectors),
        tagged=False,
    )


def feature_map() -> str:
    """The figures of chang's feature map: a circle that becomes a line."""
    rows = rows_in_groups(DISC, SIGNS)
    mapped = replace(rows, points=[(x * x, y * y) for x, y in rows.points])
    model = fit_hard_svm(mapped.points, labels_of(rows))
    view, map_view = square(2), Box(*map(Fraction, ("-1/4", "-1/4", "5/2", "5/2")))

    left = Scene(
        view=view,
        regions=grid_regions(view, lambda x: model.scores([x[0] * x[0], x[1] * x[1]])),
        rows=replace(rows, ringed=model.support_vectors),
        tagged=False,
    )
    right = replace(_linear(mapped, model), view=map_view)
    right = replace(right, regions=largest_regions(map_view.corners, affine_forms(model.scores)))
    plots = [
        scene_plot(left, 300, 300, AXES, "rows x"),
        scene_plot(right, 300, 300, ("x₁²", "x₂²"), "rows (x₁², x₂²)"),
    ]
    caption = (
        "No line separates the disc from what is around it. Squares of the columns are separated "
        "by a hard SVM, whose line is an ellipse among the rows."
    )
    body = row([*plots, legend(scene_keys([left, right]))])
    return page("Making data linearly separable", caption, body, patterns(2))
