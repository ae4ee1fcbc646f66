"""The parts that saved models have in common: kind, version, arithmetic, classes, numbers.

Exact numbers are saved as text ("3/7"), floats as the JSON numbers that name them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from refmc.core.records import Record, at, check_fields, entries, labels, matrix, number, numbers
from refmc.core.sample import Label, read_classes
from refmc.core.scalars import exact_number, number_text, whole_number
from refmc.errors import FormatError, ParameterError


def saved_number(value: float | Fraction) -> float | str:
    """Floats and short whole numbers as JSON numbers, other values as text.

    >>> saved_number(0.5), saved_number(Fraction(1, 2))
    (0.5, '1/2')
    """
    if isinstance(value, float) or (isinstance(value, int) and abs(value) <= 2**53):
        return +value  # a truth value becomes its number
    return number_text(exact_number(value, "value"))


def saved_optional(value: float | Fraction | None) -> float | str | None:
    """A number as `saved_number`, None as null."""
    return None if value is None else saved_number(value)


def saved_row(row: Sequence[float | Fraction]) -> list[float | str]:
    """Each number of a row, as `saved_number`."""
    return [saved_number(value) for value in row]


def saved_rows(rows: Sequence[Sequence[float | Fraction]] | None) -> list[list[float | str]] | None:
    """Each row, as `saved_row`; None as null."""
    return None if rows is None else [saved_row(row) for row in rows]


def saved_head(
    kind: str, version: int, zero: float | Fraction | None, classes: Sequence[Label]
) -> dict[str, object]:
    """The first fields of a saved model; without `zero` it has no arithmetic.

    Labels must be strings, whole numbers or truth values: else `ParameterError`.
    """
    try:
        named = labels(classes, "classes")
    except FormatError as error:
        raise ParameterError(f"{error}; no other can be saved") from None
    head: dict[str, object] = {"model": kind, "version": version}
    if zero is not None:
        head["arithmetic"] = "exact" if isinstance(zero, Fraction) else "float"
    return head | {"classes": named}


class SavedFields(NamedTuple):
    """A saved model's record with its classes and the zero of its arithmetic."""

    record: Record
    classes: tuple[Label, ...]
    zero: Any

    @property
    def is_float(self) -> bool:
        """Whether the model computes in float."""
        return self.record["arithmetic"] == "float"

    def two_classes(self) -> tuple[Label, Label]:
        """The classes of a model that has two."""
        if len(self.classes) != 2:
            raise FormatError(f"model.classes: expected two, got {len(self.classes)}")
        return self.classes[0], self.classes[1]

    def number(self, name: str) -> Any:
        """One number, in the model's arithmetic."""
        return self._in_arithmetic([number(self.record[name], f"model.{name}")], name)[0]

    def positive(self, name: str) -> Any:
        """A number above 0."""
        value = self.number(name)
        if not value > 0:
            raise FormatError(f"model.{name}: expected a positive number, got {number_text(value)}")
        return value

    def row(self, name: str) -> tuple[Any, ...]:
        """A row of numbers."""
        return self._in_arithmetic(numbers(self.record[name], f"model.{name}"), name)

    def rows(self, name: str) -> tuple[tuple[Any, ...], ...]:
        """Rows of numbers, equally long."""
        found = matrix(self.record[name], f"model.{name}")
        return tuple(self._in_arithmetic(row, name) for row in found)

    def whole(self, name: str, least: int = 0) -> int:
        """A whole number of at least `least`."""
        value: Any = self.record[name]
        found: int = at("model", lambda: whole_number(value, name, least))
        return found

    def entries(self, name: str) -> Sequence[Any]:
        """A list, which may be empty."""
        return entries(self.record[name], f"model.{name}")

    def inner(self, name: str, record: object, fields: Sequence[str]) -> SavedFields:
        """The fields of an object inside the model."""
        if not isinstance(record, Mapping):
            raise FormatError(f"model.{name}: expected objects, got {type(record).__name__}")
        check_fields(record, f"model.{name}", required=fields)
        return SavedFields(record, self.classes, self.zero)

    def exactly(self) -> SavedFields:
        """The same fields, to be read as exact numbers."""
        return self._replace(zero=Fraction(0))

    def _in_arithmetic(self, row: Sequence[Fraction], name: str) -> tuple[Any, ...]:
        if isinstance(self.zero, Fraction):
            return tuple(row)
        try:
            return tuple(map(float, row))
        except OverflowError:
            raise FormatError(f"model.{name}: a number is beyond the range of floats") from None


def read_head(
    record: Record,
    kind: str,
    version: int,
    fields: Sequence[str],
    optional: Sequence[str] = (),
    oldest: int | None = None,
) -> tuple[Label, ...]:
    """The classes of a saved model, with its kind, version and names of fields checked.

    The `optional` ones, `columns` and `label` may stand beside the fields. Versions from `oldest`
    on are read, if that is given.
    """
    required = ["model", "version", "classes", *fields]
    check_fields(record, "model", required=required, optional=[*optional, "columns", "label"])
    versions = range(version if oldest is None else oldest, version + 1)
    found = record["version"]
    if record["model"] != kind or type(found) is not int or found not in versions:
        raise FormatError(f"model: expected {kind!r} of version {' or '.join(map(str, versions))}")
    named = labels(record["classes"], "model.classes")
    classes: tuple[Label, ...] = at("model.classes", lambda: read_classes(named))
    return classes


def read_saved(
    record: Record,
    kind: str,
    version: int,
    fields: Sequence[str],
    optional: Sequence[str] = (),
    oldest: int | None = None,
) -> SavedFields:
    """The checked fields of a saved model, in its arithmetic."""
    classes = read_head(record, kind, version, ["arithmetic", *fields], optional, oldest)
    if record["arithmetic"] not in ("exact", "float"):
        raise FormatError("model.arithmetic: expected 'exact' or 'float'")
    return SavedFields(record, classes, Fraction(0) if record["arithmetic"] == "exact" else 0.0)


def as_saved(fields: SavedFields, exact_model: Any, rounded: Callable[[Any], Any]) -> Any:
    """A model that was read exactly, in the arithmetic it was saved in."""
    if isinstance(fields.zero, Fraction):
        return exact_model
    try:
        return rounded(exact_model)
    except OverflowError:
        raise FormatError("model: a number is beyond the range of floats") from None
