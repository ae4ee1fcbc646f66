"""Pictures of models that are at hand, and what notebooks show."""

from fractions import Fraction as F
from typing import Any
from xml.etree import ElementTree

import pytest

import refmc

ROWS = [[F(0), F(0)], [F(2), F(0)], [F(0), F(2)]]
TREE = refmc.grow_tree([[1, 0], [2, 0], [3, 1]], ["a", "b", "b"])


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (TREE, ["x0 ≤ 1?"]),
        (refmc.pruning_sequence(TREE), ["λ", "leaves", "collapsed", "n0"]),
        (refmc.fit_adaboost(ROWS, [1, -1, 1], rounds=2), ["training error", "bound Π Zₜ"]),
        (refmc.fit_adaboost_mh([[0.0], [1.0]], ["a", "b"], rounds=1), ["errs nowhere"]),
        (refmc.fit_multiclass_svm(ROWS, ["a", "b", "c"], C=1), ["x0", "x1", "b"]),
        (refmc.fit_binary_svm([[0.0, 1.0], [1.0, 0.5]], [1, -1], C=1), ["Regions are polygons."]),
    ],
)
def test_models_show_their_pictures_in_notebooks(model: Any, words: list[str]) -> None:
    picture = model._repr_svg_()
    assert picture == refmc.draw_model(model)
    found = "".join(ElementTree.fromstring(picture).itertext())
    assert all(word in found for word in words), found


def test_columns_are_called_by_their_names() -> None:
    assert "width ≤ 1?" in TREE.draw(columns=["width", "height"])
    svm = refmc.fit_multiclass_svm(ROWS, ["a", "b", "c"], C=1)
    assert "width" in svm.draw(columns=["width", "height"])
    numbers: Any = [2010, 2020]  # as of a frame that was made without names
    assert "2010 ≤ 1?" in TREE.draw(numbers) and "2010" in svm.draw(numbers)


def test_a_column_without_a_name_is_refused() -> None:
    tree = refmc.grow_tree([[F(0), F(1)], [F(0), F(2)]], ["a", "b"])  # asks for the second column
    for picture in (tree.draw, tree.to_text, tree.to_dot, tree.to_mermaid):
        with pytest.raises(refmc.DataError) as refusal:
            picture(["width"])
        assert str(refusal.value) == "columns: no name for column 1, got 1"


def test_a_support_vector_is_ringed_and_others_are_not() -> None:
    rows = [[F(-1), F(0)], [F(1), F(0)], [F(9), F(0)]]
    model = refmc.fit_binary_svm(rows, [-1, 1, 1], C=1)
    without = refmc.fit_binary_svm(rows[:2], [-1, 1], C=1)
    assert model.support_vectors == (0, 1)
    ring = 'fill="none"'  # of a circle around a row
    assert model.draw().count(ring) == without.draw().count(ring)


def test_what_has_no_picture_says_why_and_is_silent_in_notebooks() -> None:
    wide = refmc.fit_multiclass_svm([[F(1)] * 3, [F(0)] * 3], ["a", "b"], C=1)
    assert wide._repr_svg_() is None
    with pytest.raises(refmc.ParameterError, match="the model has 3 columns; draw_problem"):
        wide.draw()
    nothing: Any = "a tree"
    with pytest.raises(refmc.ParameterError, match="str has no picture"):
        refmc.draw_model(nothing)


def test_verdicts_are_shown_as_text() -> None:
    problem = {"family": "tree.grow", "X": [[0], [1]], "y": ["<a>", "b"]}
    page = refmc.check(problem, {"tree": {"nodes": [{"label": "<a>"}]}})._repr_html_()
    assert page.startswith("<pre>REFUTED  tree.grow") and "&lt;" in page and "<a>" not in page
