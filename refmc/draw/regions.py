"""Decision regions: the parts of the plane where a classifier predicts the same labels.

- Linear scores: the region of a class is a polygon, which is found by cutting. Classes whose scores
  are the same everywhere share a region, and are tied there.
- Votes of lines: the lines cut the plane into cells, and the votes at one point of a cell hold for
  all of it. Boosted stumps are of this kind, with their thresholds for lines.
- Trees: each question cuts in two what the questions above it have left of the view.
- Other scores: they are computed at the points of a grid, and between these points they are taken
  to be linear on triangles.

All but the last are exact. Legend: labels are positions of classes, more than one where they tie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from refmc.draw.axes import Frame
from refmc.draw.looks import area_fill, tag
from refmc.draw.polygons import Box, Line, Point, Polygon, cells, middle, positive_side
from refmc.draw.svg import INK, Real, breadth, cut, element, path

Scores = Callable[[Point], Sequence[Real]]
"""The scores of all classes at a point; a class of the largest wins."""

GRID = 48
"""How many intervals the grid of a kernel's scores has each way."""

GRID_NOTE = f"Borders are interpolated between scores on a grid of {GRID}\u00a0×\u00a0{GRID}."

LONGEST_TAG = 24
ROOM, TIED_ROOM = 64, 9
"""The square of the distance in pixels that the middle of a tag keeps from all else."""


@dataclass(frozen=True)
class Region:
    """A convex polygon all over which the same labels win."""

    polygon: Polygon
    labels: tuple[int, ...]


def affine_forms(scores: Scores) -> list[Line]:
    """The forms of scores that are linear in two columns, from their values at three points.

    >>> affine_forms(lambda x: (2 * x[0] - x[1] + 3,))
    [Line(a=Fraction(2, 1), b=Fraction(-1, 1), c=Fraction(3, 1))]
    """
    zero, one = Fraction(0), Fraction(1)
    rows = zip(scores((zero, zero)), scores((one, zero)), scores((zero, one)))
    return [Line(Fraction(a - c), Fraction(b - c), Fraction(c)) for c, a, b in rows]


def largest_regions(polygon: Polygon, forms: Sequence[Line]) -> list[Region]:
    """For each class the part of a convex polygon where its form is largest.

    Cost: k² cuts.

    >>> view = Box(*map(Fraction, (-1, -1, 1, 1)))
    >>> up, also_up, down = Line(0, 1, 0), Line(0, 1, 0), Line(0, -1, 0)
    >>> [(r.labels, len(r.polygon)) for r in largest_regions(view.corners, [up, also_up, down])]
    [((0, 1), 4), ((2,), 4)]
    """
    tied: dict[Line, tuple[int, ...]] = {}
    for j, form in enumerate(forms):
        tied[form] = (*tied.get(form, ()), j)
    found = []
    for form, labels in tied.items():
        part = polygon
        for other in tied:
            if part and other != form:
                part = positive_side(part, form.minus(other))
        if part:
            found.append(Region(part, labels))
    return found


def score_regions(view: Box, scores: Scores, is_linear: bool) -> list[Region]:
    """The regions of the largest score: exact where scores are linear, else those of a grid."""
    if is_linear:
        return largest_regions(view.corners, affine_forms(scores))
    return grid_regions(view, scores)


def voted_regions(
    view: Box, lines: Sequence[Line], decide: Callable[[Point], tuple[int, ...]]
) -> list[Region]:
    """The cells of the lines, with the labels that are decided inside each."""
    return [Region(cell, decide(middle(cell))) for cell in cells(view.corners, lines)]


def grid_regions(view: Box, scores: Scores, steps: int = GRID) -> list[Region]:
    """The regions of the largest score, which is interpolated between the points of a grid.

    Neighbouring squares of a row become one rectangle where the same class wins at all of their
    corners. Any other square is halved into two triangles, and these are cut where two interpolated
    scores are equal. A triangle whose corners all have the same tie counts as tied only if its
    middle has it, too; if not, it is cut once more, into three triangles that meet at its middle.
    """
    xs = [view.x0 + (view.x1 - view.x0) * i / steps for i in range(steps + 1)]
    ys = [view.y0 + (view.y1 - view.y0) * i / steps for i in range(steps + 1)]
    lower = [_winner(scores((x, ys[0]))) for x in xs]
    found: list[Region] = []
    for y, above in pairwise(ys):
        upper = [_winner(scores((x, above))) for x in xs]
        start = 0
        for i in range(steps):
            corners = lower[i], lower[i + 1], upper[i + 1], upper[i]
            if len({won for won, _ in corners}) > 1 or len(corners[0][0]) > 1:
                square = Box(xs[i], y, xs[i + 1], above)
                found += _halves(square, [s for _, s in corners], scores)
                start = i + 1
            elif i + 1 == steps or upper[i + 2][0] != lower[i][0] or lower[i + 2][0] != lower[i][0]:
                found.append(Region(Box(xs[start], y, xs[i + 1], above).corners, lower[i][0]))
                start = i + 1
        lower = upper
    return found


def _winner(scores: Sequence[Real]) -> tuple[tuple[int, ...], list[Fraction]]:
    lifted = [Fraction(score) for score in scores]
    best = max(lifted)
    return tuple(j for j, score in enumerate(lifted) if score == best), lifted


def _halves(square: Box, values: Sequence[Sequence[Fraction]], scores: Scores) -> Iterable[Region]:
    """Both triangles of a square, each cut by the linear forms through its corners' scores."""
    for half in ((0, 1, 3), (2, 3, 1)):
        triangle = tuple(square.corners[i] for i in half)
        at_corners = [values[i] for i in half]
        regions = largest_regions(triangle, _forms(triangle, at_corners))
        if len(regions[0].labels) > 1 and len(regions) == 1:
            won, at_middle = _winner(scores(middle(triangle)))
            if won != regions[0].labels:
                regions = []
                for i in range(3):
                    part = triangle[i - 1], triangle[i], middle(triangle)
                    forms = _forms(part, [at_corners[i - 1], at_corners[i], at_middle])
                    regions += largest_regions(part, forms)
        yield from regions


def _forms(triangle: Sequence[Point], values: Sequence[Sequence[Fraction]]) -> list[Line]:
    """The linear forms that have the scores of each class at the corners of a triangle."""
    (x, y), (x1, y1), (x2, y2) = triangle
    double_area = (x1 - x) * (y2 - y) - (x2 - x) * (y1 - y)
    forms = []
    for score, score_1, score_2 in zip(*values):
        a = ((score_1 - score) * (y2 - y) - (score_2 - score) * (y1 - y)) / double_area
        b = ((score_2 - score) * (x1 - x) - (score_1 - score) * (x2 - x)) / double_area
        forms.append(Line(a, b, score - a * x - b * y))
    return forms


def filled(frame: Frame, regions: Sequence[Region]) -> list[str]:
    """For each set of labels one element, with all regions that have these labels."""
    areas: dict[tuple[int, ...], list[str]] = {}
    for region in regions:
        outline = path(frame.along(region.polygon), closed=True)
        areas.setdefault(region.labels, []).append(outline)
    return [
        element("path", d="".join(outlines), fill=area_fill(labels))
        for labels, outlines in sorted(areas.items())
    ]


def outlined(frame: Frame, regions: Sequence[Region]) -> str:
    """The borders of all regions, also between regions of the same labels."""
    outlines = [path(frame.along(region.polygon), closed=True) for region in regions]
    return element("path", d="".join(outlines), fill="none", stroke=INK, stroke_width=1.2)


def borders(frame: Frame, regions: Sequence[Region]) -> str:
    """The edges between regions of different labels, where these share corners."""
    owners: dict[frozenset[Point], set[tuple[int, ...]]] = {}
    for region in regions:
        for edge in pairwise((*region.polygon, region.polygon[0])):
            owners.setdefault(frozenset(edge), set()).add(region.labels)
    edges = [sorted(edge) for edge, labels in owners.items() if len(labels) > 1]
    lines = "".join(path(frame.along(edge)) for edge in sorted(edges))
    return element("path", d=lines, fill="none", stroke=INK, stroke_width=1.4)


def named(
    frame: Frame, regions: Sequence[Region], name: Callable[[Region], str], marks: Sequence[Point]
) -> list[str]:
    """The names of regions, each written once, in the region of that name that has the most room.

    A name keeps clear of the marks and is left out where there is no room; a tie needs less room.
    """
    places = [tuple(map(int, frame.at(point))) for point in marks]
    best: dict[str, tuple[int, tuple[int, int]]] = {}
    for region in regions:
        words = cut(name(region), LONGEST_TAG)
        enough = ROOM if len(region.labels) == 1 else TIED_ROOM
        corners = [tuple(map(round, frame.at(corner))) for corner in region.polygon]
        squeeze = max(1, -(-breadth(words, 11) // 16))
        if _span(corners, 0) // squeeze * _span(corners, 1) > enough * 4:
            room, place = _roomiest(corners, places, squeeze)
            if room > enough:
                best[words] = max(best.get(words, (room, place)), (room, place))
    return [_tag_within(frame, words, *place) for words, (_, place) in sorted(best.items())]


def _tag_within(frame: Frame, words: str, x: int, y: int) -> str:
    """A tag at a place, or as near to it as the frame lets it be whole."""
    half = breadth(words, 11) // 2 + 4
    return tag(max(half, min(x, frame.width - half)), max(9, min(y, frame.height - 9)), words)


def _span(corners: Sequence[tuple[int, ...]], axis: int) -> int:
    along = [corner[axis] for corner in corners]
    return max(along) - min(along)


def _roomiest(
    corners: Sequence[tuple[int, ...]], places: Sequence[tuple[int, ...]], squeeze: int
) -> tuple[int, tuple[int, int]]:
    """Of 11 × 11 points the one farthest from the places and from the border of a convex polygon.

    Before the point comes the square of its distance. Since words are wider than high, distances
    across the page count `squeeze` times less.
    """
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    best = (0, (xs[0], ys[0]))
    edges = list(pairwise([(x // squeeze, y) for x, y in (*corners, corners[0])]))
    for i in range(1, 12):
        for j in range(1, 12):
            x, y = min(xs) + (max(xs) - min(xs)) * i // 12, min(ys) + (max(ys) - min(ys)) * j // 12
            room = min(_to_line(x // squeeze, y, *edge) for edge in edges)
            for px, py in places:
                room = min(room, ((px - x) // squeeze) ** 2 + (py - y) ** 2)
            best = max(best, (room, (x, y)))
    return best


def _to_line(x: int, y: int, start: tuple[int, ...], end: tuple[int, ...]) -> int:
    """The square of the distance to the line through an edge; -1 on its outer side."""
    (x0, y0), (x1, y1) = start, end
    length = (x1 - x0) ** 2 + (y1 - y0) ** 2
    if not length:
        return 10**6
    side = (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)
    return -1 if side > 0 else side * side // length
