"""CSV files as people have them: what is a number, what only looks like one, and what is told."""

from fractions import Fraction as F

import pytest

from refmc.adapters.table import read_float, read_fraction, read_table
from refmc.errors import DataError, ParameterError

FORMS = {  # what a cell means, in float and in exact mode alike
    "1": F(1),
    " -0.5 ": F(-1, 2),
    "+.5e1": F(5),
    "5.": F(5),
    "1/3": F(1, 3),
    "0x10": F(16),
    "0x1.8p-3": F(3, 16),
    "1e-300": F(1, 10**300),
    "0e-400": F(0),
    "0." + "0" * 300 + "1": F(1, 10**301),
    "0.1": F(1, 10),
    "-0.50": F(-1, 2),
    "2.75": F(11, 4),
}


@pytest.mark.parametrize("cell", FORMS)
def test_a_number_means_the_same_read_exactly_and_as_a_float(cell: str) -> None:
    assert read_fraction(cell) == FORMS[cell]
    assert read_float(cell) == float(FORMS[cell])


@pytest.mark.parametrize(
    "cell",
    [
        "1_000",
        "١٢",
        "1,5",
        "1 000",
        "1e-400",
        "1e400",
        "inf",
        "nan",
        "5%",
        "1/0",
        "",
        "--1",
        "9" * 310,
    ]
    + ["0." + "0" * 400 + "1"],
)
def test_what_is_no_number_is_none_exactly_and_as_a_float(cell: str) -> None:
    for read in (read_fraction, read_float):
        with pytest.raises(ParameterError):
            read(cell)


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("1,5", "a decimal comma"),
        ("-,5", "a decimal comma"),
        ("1.234,5", "a decimal comma"),
        ("12,345", "a thousands separator"),
        ("1 234 567.8", "a thousands separator"),
        ("1'000", "a thousands separator"),
        ("1_000", "a thousands separator"),
        ("1_0", "underscores"),
        ("5 %", "a percent sign"),
        ("12.5%", "a percent sign"),
        ("2024-01-31", "the form of a date"),
        ("31.1.2024", "the form of a date"),
        ("1/31/24 12:00", "the form of a date"),
        ("12:30", "the form of a time of day"),
        ("$1,200.50", "a sign of money"),
        ("12 €", "a sign of money"),
        ("١٢", "digits of another script"),
        ("1e400", "a size beyond the range of floats"),
    ],
)
def test_a_column_that_looks_like_numbers_is_told_and_becomes_no_category(
    cell: str, kind: str
) -> None:
    for others in (["2", "3"], [cell, cell], [cell, "NA"]):
        table = read_table("\n".join(["x\ty", *(f"{v}\t{v}" for v in [*others, cell])]), "data")
        with pytest.raises(DataError) as refusal:
            table.kinds(["x"])
        assert f"column 'x': {cell!r} with {kind}" in str(refusal.value)
        mend = "write it as a plain number such as 1234.5, or name the column 'x' as categorical"
        among = " in a column of numbers" if others == ["2", "3"] else ""
        assert f"{kind}{among}; {mend}" in str(refusal.value)
        assert table.kinds(["x"], ["x"]) == ["category"]


def test_numbers_in_any_form_are_a_column_of_numbers() -> None:
    cells = ["1/3", "0x1p-3", "2"]
    table = read_table("\n".join(["x;y", *(f"{cell};a" for cell in cells)]), "data")
    assert table.kinds(["x", "y"]) == ["number", "category"]
    mixed = read_table("x;y\n2;a\n1/3;a\nred;a", "data")
    with pytest.raises(DataError, match="'red' in a column of numbers"):
        mixed.kinds(["x"])


def test_one_bad_cell_is_not_counted_and_a_word_among_numbers_is_no_number_to_be_written() -> None:
    table = read_table("x,y\n2,a\nred,a\n3,b", "data")
    with pytest.raises(DataError) as refusal:
        table.kinds(["x"])
    assert str(refusal.value) == (
        "data: line 3, column 'x': 'red' in a column of numbers; fill in or drop missing values, "
        "or name the column 'x' as categorical"
    )


def test_a_table_of_a_header_alone_is_refused() -> None:
    with pytest.raises(DataError, match="data: no rows below the header"):
        read_table("x;y\n", "data")


def test_a_title_that_stands_twice_is_refused() -> None:
    with pytest.raises(DataError, match="data: two columns are called 'x'"):
        read_table("x;y;x\n1;2;3\n", "data")


def test_text_of_any_kind_is_a_category() -> None:
    words = ["5 kg", "A1", "3-4 weeks", "v1.2.3", "1,2,x", "?"]
    table = read_table("\n".join(["x;y", *(f"{word};1" for word in words)]), "data")
    assert table.kinds(["x", "y"]) == ["category", "number"]


def test_an_empty_cell_is_told_with_a_mend_that_works() -> None:
    table = read_table("x,y\n1,a\n,b\n", "data")
    with pytest.raises(DataError, match="line 3, column 'x': an empty cell .*fill it in or drop"):
        table.kinds(["x"])
    with pytest.raises(DataError, match="line 3, column 'x': nothing there; .* such as 'missing'"):
        table.cells(["x"], table.kinds(["x"], ["x"]))


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a,b\n1,2\n", ("a", "b")),
        ("a;b\n1,5;2\n", ("a", "b")),
        ("a\tb\n1,5\t2\n", ("a", "b")),
        ('"a,b";c\n1;2\n', ("a,b", "c")),
        ("a;b,c\n1,2\n", ("a;b", "c")),  # a comma is one
        ("a;b\tc\n1\n", ("a;b\tc",)),  # nothing is clear
        ("a\n1\n", ("a",)),
    ],
)
def test_the_delimiter_is_what_the_header_has(text: str, header: tuple[str, ...]) -> None:
    assert read_table(text, "data").header == header


@pytest.mark.parametrize(("name", "character"), [("tab", "\t"), ("|", "|"), ("semicolon", ";")])
def test_the_delimiter_may_be_given(name: str, character: str) -> None:
    assert read_table(f"a,1{character}b\n1{character}2\n", "data", name).header == ("a,1", "b")


@pytest.mark.parametrize("delimiter", ["", "::", '"', "\n", " "])
def test_a_delimiter_is_one_character(delimiter: str) -> None:
    with pytest.raises(ParameterError, match="delimiter: expected one character"):
        read_table("a,b\n1,2\n", "data", delimiter)


def test_a_row_of_another_length_names_the_delimiter() -> None:
    with pytest.raises(DataError, match="line 2: 3 cells, but the header has 2, with a comma"):
        read_table("a,b\n1,5,2\n", "data")


def test_cells_with_equal_denominators_keep_a_single_copy_of_it() -> None:
    first, second = (read_fraction(cell) for cell in ("0.1000000000000001", "-3.0000000000000003"))
    assert (first, second) == (F(1000000000000001, 10**16), F(-30000000000000003, 10**16))
    assert first.denominator is second.denominator
    assert [read_fraction(cell) for cell in ("0.50", "-0", "2.")] == [F(1, 2), 0, 2]
