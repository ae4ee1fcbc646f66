"""Small made-up data for the pictures of the lectures; numbers may be text, decimals or ratios."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from refmc.core.sample import Label
from refmc.draw.polygons import Box, Point
from refmc.draw.scenes import Rows

AXES = "x₁", "x₂"

Groups = Sequence[Sequence[tuple[Any, Any]]]

CLUSTERS: Groups = (
    [(-4, 1), (-3, 3), ("-3.5", 2), (-2, 4), (-4, 3)],
    [(3, 3), (4, 1), (3, 1), (4, 3), ("3.5", 0)],
    [(-1, -4), (0, -3), (1, -4), (0, "-4.5"), (-2, -3)],
)

PINWHEEL: Groups = (
    [(-4, -2), (-4, 0), ("-3.5", 2), (-3, 4), (-5, 1)],
    [(-1, 5), (1, 4), (3, 3), (5, 2), (3, 5)],
    [(4, -2), (2, -4), (0, -4), (-2, -5), (3, -4)],
)

SEPARABLE: Groups = (
    [(-2, 1), (-3, 2), (0, 3), (-4, 0), (-2, -1), (-2, 4), (-4, 3), (-3, "0.5")],
    [(1, -1), (3, 0), (2, -3), (3, -2), (4, 1), (1, -4), (4, -4), (2, -1)],
)

OVERLAPPING: Groups = ([*SEPARABLE[0], (2, "-0.6"), (0, 0)], [*SEPARABLE[1], ("-1.5", "-1.5")])

MOONS: Groups = (
    [("-1.0", "0.1"), ("-0.9", "0.5"), ("-0.6", "0.8"), ("-0.2", "1.0"), ("0.2", "0.9")]
    + [("0.6", "0.7"), ("0.8", "0.4"), ("1.0", "0.0"), ("-0.7", "0.4"), ("0.0", "0.7")]
    + [("0.5", "0.4"), ("0.4", "-0.2")],
    [("0.0", "0.3"), ("0.1", "-0.1"), ("0.3", "-0.5"), ("0.7", "-0.6"), ("1.1", "-0.5")]
    + [("1.5", "-0.4"), ("1.8", "0.0"), ("1.9", "0.4"), ("0.9", "-0.2"), ("1.4", "-0.1")]
    + [("1.5", "0.3"), ("0.9", "0.6")],
)

DISC: Groups = (
    [(0, 0), ("0.5", "0.3"), ("-0.4", "0.6"), ("0.2", "-0.7"), ("-0.6", "-0.4"), ("0.7", "-0.2")]
    + [("0.1", "0.8"), ("-0.8", "0.1")],
    [("1.2", "0.2"), ("-0.3", "1.2"), ("-1.3", "-0.2"), ("0.4", "-1.2"), ("1.0", "0.9")]
    + [("-1.0", "0.9"), ("0.9", "-1.0"), ("-0.9", "-1.1"), ("1.5", "-0.5"), ("0.5", "1.4")],
)

SECTORS = (
    ("3/8", "1/2", "5/7", 1, "7/5", 2, "8/3"),
    (6, 20, -12, -4, -2, "-8/5", "-6/5"),
    ("1/6", "1/20", "-1/12", "-1/4", "-1/2", "-5/8", "-5/6"),
)
"""tan(φ/2) of the directions φ of points, for each of three equal sectors of the circle."""

PARTITIONED: Groups = (
    [(1, 5), ("1.5", 7), (2, 6), ("2.5", 8), (7, 7), (8, "8.5"), ("8.5", 6), ("6.5", 9)],
    [(1, 1), (2, 2), ("1.5", 3), (3, 1), (5, 8), (4, 9), ("5.5", 7), (4, "6.5")],
    [(5, 2), (6, 1), (7, 3), (8, 2), ("6.5", "4.5"), ("4.5", 4), (8, 4), (5, "0.5")],
)

NOISY: Groups = (
    [*PARTITIONED[0], (5, 3), (3, "2.5")],
    [*PARTITIONED[1], ("7.5", "7.5"), (6, 2)],
    [*PARTITIONED[2], (2, 7), ("1.2", "2.2")],
)

BOOSTED: Groups = (
    [(1, 4), (2, 2), (3, 6), (2, 7), (4, 8), (6, 8), (8, 3), (7, 5)],
    [(1, 1), (4, 2), (5, 4), (6, 1), (7, 7), (8, 8), (4, 5), (6, 6)],
)


def rows_in_groups(groups: Groups, classes: Sequence[object]) -> Rows:
    """The rows, one group a class."""
    points: list[Point] = [(Fraction(x), Fraction(y)) for group in groups for x, y in group]
    codes = [c for c, group in enumerate(groups) for _ in group]
    return Rows(points, codes, tuple(classes))


def labels_of(rows: Rows) -> list[Label]:
    """The label of each row."""
    return [rows.classes[c] for c in rows.codes]


def square(reach: int | str) -> Box:
    """The view from −reach to reach both ways."""
    end = Fraction(reach)
    return Box(-end, -end, end, end)
