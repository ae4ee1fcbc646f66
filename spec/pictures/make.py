"""The pictures of the lectures, made by the algorithms of the lectures: regions and margins.

Each function makes one file of spec/pictures/, and `python -m spec.pictures.make spec/pictures`
all of them. The data are made up, small and exact, so that the picture shows what it is about.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from refmc.draw.axes import Frame
from refmc.draw.looks import DASHES, legend, line_key, patterns
from refmc.draw.polygons import Line, Point
from refmc.draw.regions import Region, affine_forms, largest_regions, voted_regions
from refmc.draw.scenes import DASHED, Rows, Scene, scene_keys, scene_plot
from refmc.draw.svg import page, row
from refmc.learn.online.perceptron import fit_perceptron
from refmc.learn.reductions.one_vs_all import by_claim, fit_one_vs_all
from refmc.learn.reductions.one_vs_one import by_votes, duels, fit_one_vs_one
from refmc.learn.svm.binary import fit_binary_svm, fit_hard_svm
from refmc.learn.svm.multiclass import fit_multiclass_svm
from refmc.lectures import keshet
from spec.pictures import curves, margins
from spec.pictures.data import AXES, CLUSTERS, PINWHEEL, SECTORS, labels_of, rows_in_groups, square

ORIGIN = Fraction(0), Fraction(0)


def no_edges(frame: Frame, regions: Sequence[Region]) -> str:
    """No borders: for scenes whose lines show them already."""
    return ""


def one_vs_all_regions() -> str:
    """Figure 2.1 of karagiannis: one-vs-all by claims alone leaves ambiguous regions."""
    rows, view = rows_in_groups(CLUSTERS, "abc"), square(6)
    model = fit_one_vs_all(rows.points, labels_of(rows), partial(fit_binary_svm, C=1))
    forms = affine_forms(model.scores)
    claims = voted_regions(view, forms, lambda x: by_claim([form.at(x) for form in forms]))
    left = Scene(view, claims, rows, edges=no_edges, lines=list(zip(forms, DASHES[1:])))
    right = Scene(view, largest_regions(view.corners, forms), rows)
    caption = (
        "Three soft SVMs with C = 1, each of one class against the rest. Left: where several "
        "classes claim a point, or none does, they are tied. Right: the largest score decides."
    )
    heads = "sign(w·x + b): who claims", "w·x + b: who scores most"
    return _two_ways("One-vs-all: ambiguous regions", caption, (left, right), heads, "abc")


def one_vs_one_regions() -> str:
    """Figure 2.2 of karagiannis: the majority vote of one-vs-one leaves an ambiguous region."""
    rows, view = rows_in_groups(PINWHEEL, "abc"), square(6)
    model = fit_one_vs_one(rows.points, labels_of(rows), fit_hard_svm)
    forms = affine_forms(
        lambda x: [w for i, w in enumerate(sum(model.duels(x), ())) if i in (1, 2, 5)]
    )
    votes = voted_regions(
        view, forms, lambda x: by_votes(duels([form.at(x) for form in forms], 3), range(3))
    )
    left = Scene(view, votes, rows, edges=no_edges, lines=list(zip(forms, DASHES[1:])))
    right = Scene(view, largest_regions(view.corners, affine_forms(model.scores)), rows)
    caption = (
        "Three hard SVMs, one for each pair of classes. Left: in the middle each class wins one "
        "duel, and all three are tied. Right: the sums of scores decide."
    )
    heads = "votes", "sums of scores"
    names = ["a against b", "a against c", "b against c"]
    return _two_ways("One-vs-one: an ambiguous region", caption, (left, right), heads, names)


def _two_ways(
    title: str,
    caption: str,
    scenes: tuple[Scene, Scene],
    heads: tuple[str, str],
    names: Sequence[str],
) -> str:
    """Two decisions over the same binary classifiers, whose lines have these names."""
    keys = scene_keys(scenes)
    keys += [(line_key(dash, width=1.3), f"line of {n}") for n, dash in zip(names, DASHES[1:])]
    plots = [scene_plot(scene, 320, 320, AXES, head) for scene, head in zip(scenes, heads)]
    return page(title, caption, row([*plots, legend(keys)]), patterns(3))


def three_sectors() -> str:
    """Figure 2 of keshet: three sectors of the circle."""
    groups = [[_on_circle(Fraction(t)) for t in sector] for sector in SECTORS]
    rows, view = rows_in_groups(groups, "123"), square("8/5")
    model = fit_multiclass_svm(rows.points, labels_of(rows), C=100)
    forms = affine_forms(model.scores)
    unit = Fraction(6, 5) / max(abs(form.b) for form in forms)
    scene = Scene(
        view=view,
        regions=largest_regions(view.corners, forms),
        rows=rows,
        arrows=[(ORIGIN, (form.a * unit, form.b * unit), DASHED) for form in forms],
    )
    keys = [*scene_keys([scene]), (line_key(DASHED), "direction of wʳ")]
    caption = (
        "A multi-class SVM with C = 100 separates three sectors of the unit circle: each wʳ points "
        "into its own. No line through the origin has one sector on one side and the other two on "
        "the other, so that one-vs-all with such lines must err."
    )
    body = row([scene_plot(scene, 360, 360, AXES), legend(keys)])
    return page("Three sectors", caption, body, patterns(3))


def _on_circle(t: Fraction) -> Point:
    """The rational point of the unit circle in the direction 2·arctan(t)."""
    return (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)


def perceptron_updates() -> str:
    """Figure 1 of keshet, as its text describes it: an update with two classes, and both options
    with three, where two classes score more than the right one."""
    steps = list[Any]()
    x, y = [(Fraction(2), Fraction(1)), (Fraction(-2), Fraction(1))], [1, 1]
    fit_perceptron(x, y, classes=(-1, 1), on_step=steps.append)
    left = _update_scene(x[-1], 1, [steps[0].w], [steps[1].w], ["w"], (-1, 1))
    rows = [([2, 1], 1), ([1, 2], 0)]
    before = keshet.multiclass_perceptron(rows, 3, keshet.second_option)[-1]
    row_c: list[keshet.Number] = [1, 1]
    scenes, names = [], ["wᵃ", "wᵇ", "wᶜ"]
    for option in (keshet.first_option, keshet.second_option):
        tau = option(before, row_c, 2, keshet.one_against_all(before, row_c)[0])
        after = [keshet.plus(w, t, row_c) for w, t in zip(before, tau)]
        ends = [_point(w) for w in before], [_point(w) for w in after]
        scenes.append(_update_scene(_point(row_c), 2, *ends, names, tuple("abc")))
    keys = [
        (line_key("2 3"), "the row x"),
        (line_key(DASHED), "weights before the update"),
        (line_key(None), "weights after it"),
    ]
    heads = (
        "two classes: x is 1, but w·x < 0",
        "x is c: from the predicted a alone",
        "x is c: from a and b, half of x each",
    )
    plots = [scene_plot(one, 300, 300, AXES, h) for one, h in zip([left, *scenes], heads)]
    caption = (
        "Left: w becomes w + yx. Middle and right: a and b score more than the right class c, "
        "and wᶜ becomes wᶜ + x. The first option takes x from the predicted class alone, the "
        "second its share from each that scores more. Areas show what is predicted after the "
        "update."
    )
    return page("Updates of the perceptron", caption, row([*plots, legend(keys)]), patterns(3))


def _point(w: Sequence[keshet.Number]) -> Point:
    return Fraction(w[0]), Fraction(w[1])


def _update_scene(
    x: Point,
    code: int,
    before: Sequence[Point],
    after: Sequence[Point],
    names: Sequence[str],
    classes: tuple[object, ...],
) -> Scene:
    """Weights before and after the update that the row x of class `code` makes."""
    view, zero = square(4), Fraction(0)
    forms = [Line(*w, zero) for w in after]
    if len(forms) == 1:
        forms = [Line(-forms[0].a, -forms[0].b, zero), forms[0]]
    ends = [*zip(after, names), *((w, name) for w, name in zip(before, names) if w not in after)]
    return Scene(
        view=view,
        regions=largest_regions(view.corners, forms),
        rows=Rows([x], [code], classes),
        arrows=[(ORIGIN, x, "2 3")]
        + [(ORIGIN, w, DASHED) for w in before if w not in after]
        + [(ORIGIN, w, None) for w in after],
        words=[(_beyond(w), name) for w, name in ends],
    )


def _beyond(w: Point) -> Point:
    """A place beyond the head of the arrow of w."""
    factor = 1 + Fraction(1, 2) / max(abs(w[0]), abs(w[1]))
    return w[0] * factor, w[1] * factor


PICTURES: dict[str, Callable[[], str]] = {
    "impurity.svg": curves.impurity,
    "tree-and-partition.svg": curves.tree_and_partition,
    "pruning-sequence.svg": curves.pruning_picture,
    "boosting-bound.svg": curves.boosting_bound,
    "perceptron-updates.svg": perceptron_updates,
    "three-sectors.svg": three_sectors,
    "one-vs-all-regions.svg": one_vs_all_regions,
    "one-vs-one-regions.svg": one_vs_one_regions,
    "margins.svg": margins.margins,
    "soft-margin.svg": margins.soft_margin,
    "hinge-loss.svg": curves.hinge_loss,
    "subgradients.svg": curves.subgradients,
    "feature-map.svg": margins.feature_map,
    "rbf-C.svg": margins.rbf_C,
    "rbf-gamma.svg": margins.rbf_gamma,
}
"""What makes each file of spec/pictures/."""


def main(folder: str) -> None:
    """Write all pictures into a folder."""
    for name, make in PICTURES.items():
        (Path(folder) / name).write_text(make() + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1])
