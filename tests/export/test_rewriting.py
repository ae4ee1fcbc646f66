"""Questions and sums about other rows: of the table before its columns were scaled or parted."""

from fractions import Fraction as F
from typing import Any

import pytest

from refmc.export.predictor import ZERO, Cut, Member, answer, rewritten, value

FORMS: Any = [((1,), F(1, 3), F(-2)), (((0, "b"),), F(1), ZERO), ((), ZERO, F(1))]
"""Columns by those of rows of a category and a number: a scaled one, one of 0 and 1, and ones."""

CATEGORIES = (("a", "b", "c"), None)


@pytest.mark.parametrize("threshold", [-1, 0, F(1, 2), 1, 2])
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("column", [0, 1])
def test_a_question_about_a_column_asks_for_what_it_was_made_of(
    column: int, threshold: F, strict: bool
) -> None:
    asked = rewritten(Cut(column, F(threshold), strict), FORMS, CATEGORIES)
    for cell in ("a", "b", "c", "never seen"):
        for x in (F(3), F(6), F(15, 2), F(9), F(12), F(100)):
            v = (x / 3 - 2, int(cell == "b"))[column]
            yes = v < threshold or (v == threshold and not strict)
            assert answer(asked, [cell, x], CATEGORIES) == (1 if yes else -1)


def test_a_question_that_is_always_answered_yes_stays_one() -> None:
    assert rewritten(Cut(1, None), FORMS, CATEGORIES) == Cut(1, None)


def test_a_question_about_categories_follows_its_column() -> None:
    moved: Any = [((2,), F(1), ZERO)]
    assert rewritten(Member(0, ("p",), 1), moved, (None, None, ("p",))) == Member(2, ("p",), 1)


def test_products_of_columns_are_products_of_what_they_were_made_of() -> None:
    score = (((0, 0), F(5)), ((0, 1), F(-7)), ((1, 1, 2), F(11)))
    found = rewritten(score, FORMS, CATEGORIES)
    for cell, x in (("a", F(9)), ("b", F(-3, 2)), ("?", F(0))):
        scaled, flag = x / 3 - 2, int(cell == "b")
        expected = 5 * scaled * scaled - 7 * scaled * flag + 11 * flag * flag
        assert value(found, [cell, x], CATEGORIES) == expected
