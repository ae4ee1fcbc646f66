"""Cutting polygons: areas by hand, and what cutting can't change."""

from fractions import Fraction as F

from hypothesis import given
from hypothesis import strategies as st

from refmc.draw.polygons import Box, Line, Point, area, cells, chord, middle, positive_side

SQUARE = Box(F(0), F(0), F(4), F(4)).corners

small = st.integers(-3, 3).map(F)
lines = st.builds(Line, small, small, st.integers(-8, 8).map(F))


def line(a: int, b: int, c: int) -> Line:
    return Line(F(a), F(b), F(c))


def points(*pairs: tuple[int | F, int | F]) -> list[Point]:
    return [(F(x), F(y)) for x, y in pairs]


def opposite(form: Line) -> Line:
    return Line(-form.a, -form.b, -form.c)


def test_a_diagonal_leaves_a_triangle_of_half_the_area() -> None:
    triangle = positive_side(SQUARE, line(1, -1, 0))
    assert set(triangle) == set(points((0, 0), (4, 0), (4, 4)))
    assert area(triangle) == 8


def test_a_cut_through_two_edges_leaves_a_pentagon() -> None:
    pentagon = positive_side(SQUARE, line(-3, -2, 18))  # cuts (4, 3) and (10/3, 4) off
    assert set(pentagon) == set(points((0, 0), (4, 0), (4, 3), (F(10, 3), 4), (0, 4)))
    assert area(pentagon) == 16 - F(1, 2) * 1 * F(2, 3)


def test_a_line_that_touches_a_corner_or_an_edge_cuts_nothing_off() -> None:
    for form in (line(1, 1, 0), line(1, 0, 0), line(0, -1, 4)):
        assert positive_side(SQUARE, form) == SQUARE
        assert positive_side(SQUARE, opposite(form)) == ()
        assert chord(SQUARE, form) == ()


def test_a_form_that_is_0_everywhere_leaves_no_positive_side() -> None:
    assert positive_side(SQUARE, line(0, 0, 0)) == ()
    assert positive_side(SQUARE, line(0, 0, 1)) == SQUARE
    assert cells(SQUARE, [line(0, 0, 0)]) == [SQUARE]


def test_three_lines_in_general_position_make_seven_cells() -> None:
    found = cells(SQUARE, [line(1, 0, -1), line(0, 1, -1), line(1, 1, -4)])
    half = F(1, 2)
    assert sorted(map(area, found)) == [half, half, 1, 2, 5 * half, 5 * half, 7]


@given(st.lists(lines, max_size=4))
def test_cells_have_the_area_of_the_whole_and_one_sign_of_every_form(forms: list[Line]) -> None:
    found = cells(SQUARE, forms)
    assert sum(map(area, found)) == 16
    for cell in found:
        assert area(cell) > 0
        for form in forms:
            values = [form.at(corner) for corner in cell]
            assert min(values) >= 0 or max(values) <= 0


@given(lines)
def test_a_chord_lies_on_its_line_and_on_the_border(form: Line) -> None:
    ends = chord(SQUARE, form)
    both = positive_side(SQUARE, form) and positive_side(SQUARE, opposite(form))
    assert len(ends) == (2 if both else 0)
    for x, y in ends:
        assert form.at((x, y)) == 0
        assert {x, y} & {0, 4}
        assert 0 <= x <= 4
        assert 0 <= y <= 4


@given(st.lists(lines, max_size=4))
def test_the_middle_of_a_cell_is_inside_it(forms: list[Line]) -> None:
    for cell in cells(SQUARE, forms):
        for form in (form for form in forms if any(form.at(corner) for corner in cell)):
            assert form.at(middle(cell)) != 0
