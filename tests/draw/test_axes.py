"""Ticks are round, and the same everywhere; pixels are exact."""

from fractions import Fraction as F
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.draw.axes import Frame, ticks, view_of
from refmc.draw.polygons import Box


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        ("0", "1", ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ("-3", "3", ["−3", "−2", "−1", "0", "1", "2", "3"]),
        ("4.3", "7.9", ["5", "6", "7"]),
        ("0", "0.0031", ["0.000", "0.001", "0.002", "0.003"]),
        ("0", "250000", ["0", "50000", "100000", "150000", "200000", "250000"]),
    ],
)
def test_ticks_are_round_numbers_in_range(low: str, high: str, labels: list[str]) -> None:
    assert list(ticks(F(low), F(high)).labels) == labels


def test_an_axis_of_counts_has_whole_ticks() -> None:
    assert list(ticks(F(1, 2), F(5, 2), 8).labels) == ["0.5", "1.0", "1.5", "2.0", "2.5"]
    assert list(ticks(F(1, 2), F(5, 2), 8, counts=True).labels) == ["1", "2"]
    assert list(ticks(F(1, 2), F(49, 2), 8, counts=True).labels) == ["5", "10", "15", "20"]


def test_long_labels_move_a_power_of_ten_or_a_first_value_into_the_title() -> None:
    tiny = ticks(F(0), F(10) ** -300)
    assert (tiny.labels, tiny.note) == (("0", "2", "4", "6", "8", "10"), "(ticks × 10^−301)")
    near = ticks(F(10) ** 12, F(10) ** 12 + 4)
    assert (near.labels, near.note) == (("0", "1", "2", "3", "4"), "(ticks + 1000000000000)")
    both = ticks(F(10) ** 12, F(10) ** 12 + F(4, 10**9))
    assert both.values[1] == (1 + 10**21) * F(1, 10**9)
    assert (both.labels[1], both.note) == ("1", "((ticks + 1000000000000000000000) × 10^−9)")


@given(st.floats(-1e300, 1e300), st.floats(1e-300, 1e300), st.integers(3, 9))
def test_ticks_are_few_distinct_and_evenly_spaced(low: float, width: float, most: int) -> None:
    start, end = F(low), F(low) + F(width)
    found = ticks(start, end, most)
    assert all(start <= value <= end for value in found.values)
    assert 1 <= len(found.values) <= most + 1
    assert len(set(found.labels)) == len(found.values)
    steps = {b - a for a, b in pairwise(found.values)}
    assert len(steps) <= 1
    for step in steps:
        digits = str(step.numerator * step.denominator).rstrip("0")
        assert digits in {"1", "2", "5"}
        assert (end - start) / most <= step < (end - start) / most * F(5, 2)


def test_views_have_a_margin_even_where_all_points_are_equal() -> None:
    assert view_of([(F(0), F(5))]) == Box(F(-1), F(9, 2), F(1), F(11, 2))
    assert view_of([(F(0), F(0)), (F(8), F(0))]) == Box(F(-1), F(-1), F(9), F(1))


def test_a_frame_turns_the_plane_upside_down() -> None:
    frame = Frame(Box(F(0), F(0), F(2), F(4)), 100, 200)
    assert frame.along([(0, 0), (2, 4), (F(1, 3), 1)]) == [
        (F(0), F(200)),
        (F(100), F(0)),
        (F(50, 3), F(150)),
    ]
