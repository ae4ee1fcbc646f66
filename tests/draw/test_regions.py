"""Regions against the models themselves, asked at exact points."""

import random
from collections.abc import Callable, Sequence
from fractions import Fraction as F
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc import (
    by_claim,
    fit_adaboost_mh,
    fit_binary_svm,
    fit_kernel_perceptron,
    fit_multiclass_perceptron,
    fit_multiclass_svm,
    fit_one_vs_all,
    fit_one_vs_one,
    fit_perceptron,
    grow_tree,
    polynomial,
)
from refmc.draw.boosting_pages import boosted_scene
from refmc.draw.polygons import Box, Line, Point, area, middle
from refmc.draw.regions import Region, affine_forms, grid_regions, largest_regions, voted_regions
from refmc.draw.scenes import Rows
from refmc.draw.tree_pages import tree_regions
from refmc.learn.reductions.one_vs_one import by_votes, duels

VIEW = Box(F(-4), F(-4), F(4), F(4))

coordinates = st.integers(-3, 3).map(F)
samples = st.lists(
    st.tuples(st.tuples(coordinates, coordinates), st.sampled_from("abc")), min_size=3, max_size=9
).filter(lambda rows: {label for _, label in rows} == set("abc"))


def read(sample: list[tuple[Point, str]]) -> tuple[list[Point], list[str]]:
    return [x for x, _ in sample], [y for _, y in sample]


def assert_right(
    regions: Sequence[Region], classes: Sequence[Any], ask: Callable[[Point], tuple[Any, ...]]
) -> None:
    """The regions cover the view once, and say what the model says: inside, and at least that at
    the corners, where regions meet.
    """
    assert sum(area(region.polygon) for region in regions) == area(VIEW.corners)
    for region in regions:
        labels = tuple(classes[j] for j in region.labels)
        assert ask(middle(region.polygon)) == labels
        for corner in region.polygon:
            between = tuple((a + b) / 2 for a, b in zip(corner, middle(region.polygon)))
            assert ask((between[0], between[1])) == labels


@given(samples)
def test_linear_regions_are_where_the_model_predicts_their_labels(
    sample: list[tuple[Point, str]],
) -> None:
    X, y = read(sample)
    for model in (fit_multiclass_perceptron(X, y, epochs=2), fit_multiclass_svm(X, y, C=1)):
        regions = largest_regions(VIEW.corners, affine_forms(model.scores))
        assert_right(regions, model.classes, model.predict_set)
        for region in regions:
            for corner in region.polygon:
                assert {model.classes[j] for j in region.labels} <= set(model.predict_set(corner))


@given(samples)
def test_cells_of_one_vs_all_and_one_vs_one_are_what_the_reductions_say(
    sample: list[tuple[Point, str]],
) -> None:
    X, y = read(sample)
    binary = partial(fit_perceptron, epochs=3, bias=True)
    every = fit_one_vs_all(X, y, binary, decide=by_claim)
    forms = affine_forms(every.scores)
    claims = voted_regions(VIEW, forms, lambda x: by_claim([form.at(x) for form in forms]))
    assert_right(claims, "abc", every.predict_set)
    pairs = fit_one_vs_one(X, y, binary)
    lines = affine_forms(lambda x: [model.decision(x) for model in pairs.models])
    votes = voted_regions(
        VIEW, lines, lambda x: by_votes(duels([line.at(x) for line in lines], 3), range(3))
    )
    assert_right(votes, "abc", pairs.predict_set)


@given(samples)
def test_parts_of_a_tree_are_the_leaves_that_their_points_reach(
    sample: list[tuple[Point, str]],
) -> None:
    X, y = read(sample)
    tree = grow_tree(X, y)
    numbered = tree_regions(VIEW, tree)
    assert_right([region for region, _ in numbered], tree.classes, tree.predict_set)
    assert len(numbered) == len(tree.leaves())  # thresholds are inside the view
    for region, number in numbered:
        assert tree.leaf(middle(region.polygon)).number == number


@given(samples)
def test_rectangles_of_boosted_stumps_are_what_the_votes_predict(
    sample: list[tuple[Point, str]],
) -> None:
    X, y = read(sample)
    model = fit_adaboost_mh(X, y, rounds=4)
    scene = boosted_scene(VIEW, Rows(X, [0] * len(X), model.classes), model)
    assert_right(scene.regions, model.classes, model.predict_set)


def test_classes_of_equal_scores_are_tied_all_over_their_region() -> None:
    same = Line(F(1), F(0), F(0))
    regions = largest_regions(VIEW.corners, [same, Line(F(-1), F(0), F(0)), same])
    assert [(r.labels, area(r.polygon)) for r in regions] == [((0, 2), F(32)), ((1,), F(32))]


def test_a_class_that_wins_only_on_a_line_has_no_region() -> None:
    up, down, flat = Line(F(0), F(1), F(0)), Line(F(0), F(-1), F(0)), Line(F(0), F(0), F(0))
    regions = largest_regions(VIEW.corners, [up, down, flat])
    assert [r.labels for r in regions] == [(0,), (1,)]


def areas(regions: Sequence[Region]) -> dict[tuple[int, ...], F]:
    found: dict[tuple[int, ...], F] = {}
    for region in regions:
        found[region.labels] = found.get(region.labels, F(0)) + area(region.polygon)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_a_grid_of_linear_scores_gives_the_exact_areas(seed: int) -> None:
    chance = random.Random(seed)
    forms = [Line(*(F(chance.randint(-3, 3)) for _ in range(3))) for _ in range(4)]
    forms.append(forms[seed % 4])
    on_grid = grid_regions(VIEW, lambda x: [form.at(x) for form in forms], steps=7)
    assert areas(on_grid) == areas(largest_regions(VIEW.corners, forms))


def test_a_grid_of_a_kernel_says_at_its_points_what_the_model_says() -> None:
    X = [(F(0), F(0)), (F(1), F(1)), (F(3), F(0)), (F(0), F(-3)), (F(-3), F(2))]
    model = fit_kernel_perceptron(X, [1, 1, -1, -1, -1], kernel=polynomial(2), epochs=20)
    regions = grid_regions(VIEW, model.scores, steps=8)
    assert sum(areas(regions).values()) == 64
    for region in regions:
        for corner in region.polygon:
            if all(value.denominator == 1 for value in corner):
                assert {model.classes[j] for j in region.labels} <= set(model.predict_set(corner))


def test_what_is_tied_at_the_corners_of_a_grid_alone_is_no_tied_area() -> None:
    saddle = grid_regions(VIEW, lambda x: (x[0] * x[1], -x[0] * x[1]), steps=8)
    assert areas(saddle) == {(0,): F(32), (1,): F(32)}  # two quarters of the view each
    for region in saddle:
        x, y = middle(region.polygon)
        assert region.labels == ((0,) if x * y > 0 else (1,))


def test_a_support_vector_machine_of_one_class_has_one_region() -> None:
    model = fit_binary_svm([(F(0), F(0)), (F(1), F(0))], [1, 1], C=1)
    assert [r.labels for r in largest_regions(VIEW.corners, affine_forms(model.scores))] == [(1,)]
