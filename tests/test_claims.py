"""Numbers in sentences of the book that no example of its pages shows."""

from fractions import Fraction as F
from itertools import chain
from math import ceil, log2
from typing import Any

import pytest

from refmc import (
    ExactnessLimitError,
    all_pairs_code,
    fit_adaboost_mh,
    fit_multiclass_svm,
    one_vs_all_code,
    rademacher,
)
from refmc.learn.reductions.papers.error_correcting_tournament import bracket
from refmc.theory.rademacher import MAX_SUMS
from tests.support import table


def test_a_complexity_takes_26_rows_of_one_function_and_22_of_sixteen() -> None:
    assert MAX_SUMS == 2**25 == 1 * 2 ** (26 - 1) == 16 * 2 ** (22 - 1)
    for functions, rows in ((1, 27), (16, 23)):
        with pytest.raises(ExactnessLimitError, match="too many"):
            rademacher([[F(0)] * rows] * functions)


@pytest.mark.parametrize(("name", "rounds"), [("iris.csv", 16), ("wine.csv", 14)])
def test_exact_boosting_ends_after_so_many_rounds(name: str, rounds: int) -> None:
    X, y = table(name, F)
    steps: list[Any] = []
    with pytest.raises(ExactnessLimitError):
        fit_adaboost_mh(X, y, rounds=60, on_step=steps.append)
    assert len(steps) == rounds
    first, last = (steps[t].epsilon.denominator.bit_length() for t in (0, -1))
    assert 2 ** (rounds - 3) < last / first < 2**rounds  # about twofold in each round


def longest_way(k: int, m: int) -> int:
    """The most matches that are asked from the last of a tournament back to a class."""
    depths: list[int] = []
    for match in chain(*bracket(range(k), m)):
        sides = (match.left, match.right)
        depths.append(1 + max(0 if side.wins is None else depths[side.of] for side in sides))
    return depths[-1]


def test_a_prediction_asks_so_many_matches_of_a_tournament() -> None:
    for k in range(2, 70):
        assert longest_way(k, 1) == ceil(log2(k))
        assert len(list(chain(*bracket(range(k), 3)))) == 3 * k - 1
    assert [longest_way(256, m) for m in (1, 2, 3, 4)] == [8, 13, 16, 20]


def test_all_pairs_are_more_problems_than_classes_from_four_classes_on() -> None:
    columns = [(len(all_pairs_code(k)[0]), len(one_vs_all_code(k)[0])) for k in range(2, 7)]
    assert columns == [(1, 1), (3, 3), (6, 4), (10, 5), (15, 6)]


def test_the_own_entry_of_lam_is_the_sum_of_the_others_and_at_most_C() -> None:
    X, y = table("iris.csv", F)
    model: Any = fit_multiclass_svm(X[::5], y[::5], C=F(1, 2))
    for row, c in zip(model.lam, model.y, strict=True):
        assert row[c] == sum(row) - row[c] <= F(1, 2)
    assert any(row[c] < F(1, 2) for row, c in zip(model.lam, model.y))
