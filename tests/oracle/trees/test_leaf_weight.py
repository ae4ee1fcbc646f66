"""The least weight of a leaf: by rows that are written out, and by all small problems."""

from fractions import Fraction as F
from itertools import product
from typing import Any

import pytest

from refmc import check, grow_tree, solve_problem
from refmc.core.records import Record
from refmc.errors import FormatError, ParameterError
from refmc.learn.trees.model import DecisionTree
from refmc.theory.impurity import entropy, gini, misclassification

IMPURITIES = (gini, entropy, misclassification)


def shape(tree: DecisionTree) -> list[object]:
    return [(node.question, node.labels) for node in tree.nodes()]


@pytest.mark.parametrize("impurity", IMPURITIES)
@pytest.mark.parametrize("lookahead", [0, 1])
def test_rows_of_weight_2_are_two_rows(impurity: Any, lookahead: int) -> None:
    values = [0, 1, 2, 4, 7]
    for weights, y in product(product((1, 2, 3), repeat=5), [[0, 1, 0, 1, 1], [0, 1, 2, 0, 1]]):
        X = [[value] for value in values]
        twice = [(x, c) for x, c, n in zip(X, y, weights, strict=True) for _ in range(n)]
        rows, labels = [list(part) for part in zip(*twice, strict=True)]
        for least in (2, 3, 4) if sum(weights) % 3 == 0 else (3,):
            options: dict[str, Any] = {"impurity": impurity, "lookahead": lookahead}
            heavy = grow_tree(X, y, weights=weights, min_leaf_weight=least, **options)
            assert shape(heavy) == shape(grow_tree(rows, labels, min_leaf=least, **options))


@pytest.mark.parametrize("impurity", IMPURITIES)
def test_categories_and_candidates_are_as_heavy_as_they_must_be(impurity: Any) -> None:
    words, y, weights = [*"abcd"], [0, 1, 0, 1], [F(1, 2), F(1), F(3, 2), F(2)]
    tree = grow_tree([[w] for w in words], y, weights=weights, min_leaf_weight=2)
    rows = [([w], c) for w, c, n in zip(words, y, weights, strict=True) for _ in range(int(2 * n))]
    written = grow_tree([x for x, _ in rows], [c for _, c in rows], min_leaf=4)
    assert shape(tree) == shape(written)


def problem(**more: Any) -> Record:
    rows = {"X": [["1"], ["2"], ["3"], ["4"]], "y": ["a", "b", "b", "b"]}
    return {"family": "tree.grow", **rows, "weights": ["1/2", "1/2", "1", "3"], **more}


STUMP: Any = {"question": {"column": 0, "threshold": "1"}, "negative": 1, "positive": 2}


def test_a_light_leaf_is_refuted_by_its_weight_and_a_missing_split_too() -> None:
    free, bound = problem(), problem(min_leaf_weight="1")
    light = {"tree": {"nodes": [STUMP, {"label": "b"}, {"label": "a"}]}}
    assert check(free, light)
    verdict = check(bound, light)
    assert verdict.status == "REFUTED"
    assert "leaves a child of weight 1/2, less than 1" in verdict.violations[0].text
    answer: Any = solve_problem(bound)
    assert check(bound, answer)
    assert answer["tree"]["nodes"][0]["question"] == {"column": 0, "threshold": "2"}
    assert check(bound, {"tree": {"nodes": [{}]}}).status == "REFUTED"
    assert check(problem(min_leaf_weight="2"), {"tree": {"nodes": [{}]}}).status == "REFUTED"
    assert check(problem(min_leaf_weight=2.1), {"tree": {"nodes": [{}]}})


def test_every_answer_of_the_learner_is_certified() -> None:
    choices: list[dict[str, Any]] = [
        {}, {"lookahead": 1}, {"impurity": "entropy"}, {"impurity": "misclassification"},
        {"candidates": [{"center": ["2"], "radius": "1"}]}, {"min_leaf": 2}, {"weighted": True},
    ]  # fmt: skip
    labelings = product("a", "ab", "abc", "abc")  # all up to the names of labels
    for more, least, labels in product(choices, ("1/2", "1", "3/2", "2"), labelings):
        asked = {**problem(**more), "y": [*labels], "min_leaf_weight": least}
        assert check(asked, solve_problem(asked), gap=0), asked
        words = {**asked, "X": [[w] for w in "pqrs"], "categorical": [0]}
        words.pop("candidates", None)
        assert check(words, solve_problem(words), gap=0), words


def test_a_weight_is_a_number_of_at_least_0() -> None:
    with pytest.raises(ParameterError, match="min_leaf_weight"):
        grow_tree([[1], [2]], [0, 1], min_leaf_weight=-1)
    with pytest.raises(FormatError, match=r"problem\.min_leaf_weight: expected at least 0"):
        check(problem(min_leaf_weight="-1"), {"tree": {"nodes": [{}]}})
