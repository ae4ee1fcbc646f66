"""What the readers of model files share: headers, numbers, and labels as they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from refmc.adapters.table import label_value
from refmc.core.records import Record, items
from refmc.core.scalars import exact, shown
from refmc.errors import FormatError, RefmcError
from refmc.oracle.families import read_record
from refmc.oracle.reading import read_codes, read_signs, whole

Header = Mapping[str, Sequence[str]]


def read_header(
    lines: Sequence[str], last: str, required: Sequence[str], optional: Sequence[str] = ()
) -> tuple[dict[str, list[str]], Sequence[str]]:
    """The fields up to the line that begins the numbers, and the lines after it.

    Any other field is refused: what it says would count for nothing in the judgement.
    """
    header: dict[str, list[str]] = {}
    known = (*required, *optional)
    for i, line in enumerate(lines):
        name, *values = line.split() or [""]
        if name == last and not values:
            check_fields(header, required, last)
            if unknown := [field for field in header if field not in known]:
                raise FormatError(
                    f"model: a line {shown(unknown[0])} is nothing that can be judged; known are "
                    f"{', '.join(known)}"
                )
            return header, lines[i + 1 :]
        if name in header and name in known:
            raise FormatError(f"model: line {i + 1}: {shown(name)} stands twice")
        if name in known and not values and lines[i + 1 :]:  # as rho of one class
            raise FormatError(f"model: line {i + 1}: {shown(name)} has no value")
        if not values or name in header:  # a row of numbers, perhaps
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
            raise FormatError(
                f"model: {name}: expected {shown(count)} values, got {len(header[name])}"
            )


def read_number(word: str, place: str) -> float:
    """A number of 17 digits, which is the binary64 that it was written from."""
    try:
        return float(exact(word))
    except (RefmcError, OverflowError):
        raise FormatError(f"{place}: expected a number, got {shown(word)}") from None


def record_of(problem: Record | str, family: str) -> Record:
    """The record of a problem, which must be of this family."""
    record, _ = read_record(problem)
    if record["family"] != family:
        raise FormatError(f"model: answers {family}, but the problem is {record['family']}")
    return record


def check_loss(record: Record, program: str, loss: str) -> None:
    """Refuse a problem with another loss than the one that a program minimises."""
    given = record.get("loss", "hinge")
    if given != loss:
        raise FormatError(
            f"model: {program} minimises the loss {loss}, but the problem's is {shown(given)}"
        )


def classes_of(record: Record) -> list[str]:
    """The labels in the order of the problem's classes; of two the second is the positive one."""
    m = len(items(record.get("y"), "problem.y"))
    order = read_codes(record, m)[1]
    if record["family"] == "svm.binary" and len(order) != 2:
        order = read_signs(record, m)[1]  # of −1 and +1 one may be absent
    return list(map(str, order))


def positions_of(classes: Sequence[str], labels: Sequence[str]) -> list[int]:
    """Where each class stands among the labels of a file, however a number of these is written.

    >>> positions_of(["-1", "+1"], ["1", "-1"])
    [1, 0]
    """
    values = list(map(label_value, labels))
    found = []
    for label in classes:
        if label_value(label) not in values:
            raise FormatError(f"model: no label {label!r} in {' '.join(labels)}")
        found.append(values.index(label_value(label)))
    if len(set(values)) < len(values) or len(set(found)) < len(found):
        raise FormatError(
            f"model: of the labels {' '.join(labels)}, or of the problem's {' '.join(classes)}, "
            "two are one number"
        )
    return found
