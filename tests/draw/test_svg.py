"""The text of pictures: numbers, escapes, what XML forbids."""

from fractions import Fraction as F
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.draw.looks import legend, mark, patterns
from refmc.draw.svg import Block, breadth, column, cut, element, fixed, page, row, text


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (F(1, 3), "0.33"),
        (F(-1, 3), "-0.33"),
        (F(-1, 1000), "0.00"),
        (-0.0, "0.00"),
        (F(995, 1000), "1.00"),
        (F(5, 1000), "0.00"),  # the nearer even one, as everywhere in Python
        (F(15, 1000), "0.02"),
        (1e20, "100000000000000000000.00"),
        (7, "7.00"),
    ],
)
def test_numbers_have_two_decimals_and_no_negative_zero(value: float, written: str) -> None:
    assert fixed(value) == written


# Of these alone: st.text without an alphabet first spends two seconds on a table of all characters.
CHARACTERS = st.integers(0, 0x17F).map(chr) | st.sampled_from('<&"\ud800\ufffe\uffff漢\U0001f600')


@given(st.text(CHARACTERS, max_size=20))
def test_any_words_make_well_formed_xml_and_come_back(words: str) -> None:
    read = ElementTree.fromstring(text(0, 0, words, fill=words))
    assert len(read.text or "") == len(words)
    for before, after in zip(words, read.text or ""):
        assert after == before or (after == "\ufffd" and not before.isprintable())
    ElementTree.fromstring(page(words, words, Block(10, 10, "")))


def test_markup_in_words_stays_words() -> None:
    read = ElementTree.fromstring(text(0, 0, '</text><script>"&amp;'))
    assert (read.text, len(read)) == ('</text><script>"&amp;', 0)


def test_an_element_leaves_out_what_is_none() -> None:
    assert element("path", d="M0 0", stroke_dasharray=None) == '<path d="M0 0"/>'


def test_rows_and_columns_take_the_room_that_their_blocks_need() -> None:
    small, large = Block(10, 20, "a"), Block(30, 5, "b")
    assert (row([small, large], 4).width, row([small, large], 4).height) == (44, 20)
    assert (column([small, large], 4).width, column([small, large], 4).height) == (30, 29)


def test_the_first_sixteen_classes_differ_in_shape_or_filling() -> None:
    def shape(label: int) -> tuple[str, str]:
        read = ElementTree.fromstring(mark(0, 0, label))
        return read.tag + read.get("d", ""), str(read.get("fill") == "white")

    assert len({shape(label) for label in range(16)}) == 16


def test_eight_area_patterns_differ_without_their_colours() -> None:
    read = ElementTree.fromstring(f"<defs>{patterns(8)}</defs>")
    tiles = set()
    for pattern in read.iter("pattern"):
        for part in pattern.iter():
            for name in ("fill", "stroke"):
                if part.get(name) != "none":
                    part.attrib.pop(name, None)
            part.attrib.pop("id", None)
        tiles.add(ElementTree.tostring(pattern))
    assert len(tiles) == 9  # and the hatch of ties


def test_long_words_are_cut_in_a_legend() -> None:
    block = legend([("", "x" * 500)])
    assert block.width < 34 + breadth("x" * 41)
    assert cut("x" * 500, 40).endswith("…")
