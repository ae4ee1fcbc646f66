"""What the readers of model files share: headers, numbers, and labels as they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from refmc.core.records import Record, items
from refmc.core.scalars import exact, shown
from refmc.errors import FormatError, RefmcError
from refmc.oracle.answers import read_record
from refmc.oracle.reading import read_codes, whole

Header = Mapping[str, Sequence[str]]


def read_header(
    lines: Sequence[str], last: str, required: Sequence[str]
) -> tuple[dict[str, list[str]], Sequence[str]]:
    """The fields up to the line that begins the numbers, and the lines after it."""
    header: dict[str, list[str]] = {}
    for i, line in enumerate(lines):
        name, *values = line.split() or [""]
        if name == last and not values:
            check_fields(header, required, last)
            return header, lines[i + 1 :]
        if not values or name in header:
            raise FormatError(
                f"model: cut off after line {i}; there is no line {last!r} before {shown(line)}"
            )
        header[name] = values
    raise FormatError(f"model: cut off after line {len(lines)}; there is no line {last!r}")


def check_fields(header: Header, names: Sequence[str], last: str) -> None:
    """Refuse a header in which one of these fields is missing before the line that ends it."""
    for name in names:
        if name not in header:
            raise FormatError(f"model: no line {name!r} before {last!r}")


def read_counts(header: Header, name: str) -> list[int]:
    """The whole numbers of a field."""
    return [whole(word, f"model: {name}") for word in header[name]]


def check_counts(header: Header, counts: Mapping[str, int]) -> None:
    """Refuse a header in which a field has more or fewer values than it should."""
    for name, count in counts.items():
        if len(header[name]) != count:
            raise FormatError(f"model: {name}: expected {count} values, got {len(header[name])}")


def read_number(word: str, place: str) -> Fraction:
    """A number of 17 digits, which is the binary64 that it was written from."""
    try:
        return Fraction(float(exact(word)))
    except (RefmcError, OverflowError):
        raise FormatError(f"{place}: expected a number, got {shown(word)}") from None


def record_of(problem: Record | str, family: str) -> Record:
    """The record of a problem, which must be of this family."""
    record, _ = read_record(problem)
    if record["family"] != family:
        raise FormatError(f"model: answers {family}, but the problem is {record['family']}")
    return record


def texts(labels: object, place: str) -> list[str]:
    """Labels as a model file writes them."""
    return [str(label) for label in items(labels, place)]


def classes_of(record: Record, y: Sequence[str]) -> list[str]:
    """The labels in the order of the problem's classes."""
    if "classes" in record:
        return texts(record["classes"], "problem.classes")
    _, order = read_codes(record, len(y))
    return list(map(str, order))
