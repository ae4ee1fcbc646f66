"""The parts that saved models have in common: kind, version, arithmetic, classes, numbers.

Exact numbers are saved as text ("3/7"), floats as the JSON numbers that name them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from refmc.core.cells import CATEGORY, NUMBER, Categories
from refmc.core.records import (
    JsonWhole,
    Record,
    at,
    check_fields,
    entries,
    items,
    labels,
    matrix,
    number,
    numbers,
    read_object,
    text,
    write_json,
)
from refmc.core.sample import Label, read_classes
from refmc.core.scalars import exact_number, number_text, shown, whole_number
from refmc.errors import FormatError, ParameterError


def saved_number(value: float | Fraction) -> float | str:
    """Floats and short whole numbers as JSON numbers, other values as text.

    >>> saved_number(0.5), saved_number(Fraction(1, 2))
    (0.5, '1/2')
    """
    if isinstance(value, float) or (isinstance(value, int) and abs(value) <= 2**53):
        return +value  # a truth value becomes its number
    return number_text(exact_number(value, "value"))


def saved_row(row: Sequence[float | Fraction]) -> list[float | str]:
    """Each number of a row, as `saved_number`."""
    return [saved_number(value) for value in row]


def saved(value: Any) -> Any:
    """A part of a model as JSON has it: numbers as `saved_number`, tuples as lists, the rest as is.

    >>> saved({"w": (Fraction(1, 2), 1), "bias": True, "rows": None})
    {'w': ['1/2', 1], 'bias': True, 'rows': None}
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Mapping):
        return {name: saved(part) for name, part in value.items()}
    if isinstance(value, (tuple, list)):
        return [saved(part) for part in value]
    return saved_number(value)


def saved_choice(choice: Any, known: Mapping[str, Any], name: str) -> str | None:
    """The name under which a function is known, None for None; else `ParameterError`."""
    if choice is None:
        return None
    for known_name, function in known.items():
        if function is choice:
            return known_name
    raise ParameterError(f"{name}: {shown(choice)} can't be saved; known: {', '.join(known)}")


def model_text(
    kind: str,
    version: int,
    zero: float | Fraction | None,
    classes: Sequence[Label],
    parts: Mapping[str, object],
) -> str:
    """A model as readable JSON: kind, version, arithmetic (none without `zero`), classes, parts.

    Labels must be strings, whole numbers or truth values: else `ParameterError`.
    """
    try:
        named = labels(classes, "classes")
    except FormatError as error:
        raise ParameterError(f"{error}; no other can be saved") from None
    head: dict[str, object] = {"model": kind, "version": version}
    if zero is not None:
        head["arithmetic"] = "exact" if isinstance(zero, Fraction) else "float"
    return write_json(head | {"classes": named} | saved(parts))


class SavedFields(NamedTuple):
    """A saved model's record with its classes and the zero of its arithmetic."""

    record: Record
    classes: tuple[Label, ...]
    zero: Any

    def completed(self, **older: object) -> SavedFields:
        """The fields, with those of `older` for fields that a file of an older version lacks."""
        return self._replace(record={**older, **self.record})

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

    def ends(self, name: str) -> tuple[Any, Any]:
        """The two ends of an interval, each a number or None."""
        given = self.entries(name)
        if len(given) != 2:
            raise FormatError(f"model.{name}: expected two ends, got {len(given)}")
        low, high = (
            None if end is None else self._in_arithmetic([number(end, f"model.{name}")], name)[0]
            for end in given
        )
        return low, high

    def rows(self, name: str) -> tuple[tuple[Any, ...], ...]:
        """Rows of numbers, equally long."""
        found = matrix(self.record[name], f"model.{name}")
        return tuple(self._in_arithmetic(row, name) for row in found)

    def whole(self, name: str, least: int = 0) -> int:
        """A whole number of at least `least`."""
        value: Any = self.record[name]
        return at("model", lambda: whole_number(value, name, least))

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self.record[name]
        if not isinstance(value, bool):
            raise FormatError(f"model.{name}: expected true or false, got {shown(value)}")
        return value

    def choice(self, name: str, known: Mapping[str, Any]) -> Any:
        """The entry of `known` whose name the field holds."""
        given = self.record[name]
        if not isinstance(given, str) or given not in known:
            raise FormatError(f"model.{name}: unknown {shown(given)}; known: {', '.join(known)}")
        return known[given]

    def unless_null(self, read: Callable[..., Any], name: str, *more: Any) -> Any:
        """What `read` gives for a field; None for null."""
        return None if self.record[name] is None else read(name, *more)

    def columns(self) -> tuple[tuple[str, ...], Categories]:
        """The kind of each column, and the `categories` that it had in the training sample.

        Older files have no categories: then every category counts as seen.
        """
        kinds = tuple(self.entries("kinds"))
        if not kinds or any(kind not in (NUMBER, CATEGORY) for kind in kinds):
            raise FormatError(f"model.kinds: expected {NUMBER!r} or {CATEGORY!r} for each column")
        if "categories" not in self.record:
            return kinds, (None,) * len(kinds)
        place = "model.categories"
        given = items(self.record["categories"], place)
        if len(given) != len(kinds):
            raise FormatError(f"{place}: expected {len(kinds)} entries, one for each column")
        found: list[tuple[str, ...] | None] = []
        for j, (kind, names) in enumerate(zip(kinds, given)):
            if kind == NUMBER and names is not None:
                raise FormatError(f"{place}[{j}]: expected null for a column of numbers")
            listed = () if names is None else items(names, f"{place}[{j}]")
            own = tuple(text(name, f"{place}[{j}]") for name in listed)
            found.append(own or None)
        return kinds, tuple(found)

    def read(self, readers: Readers) -> dict[str, Any]:
        """What each of the readers, by the name of its field, gives."""
        return {name: read(self, name) for name, read in readers.items()}

    def entries(self, name: str) -> Sequence[Any]:
        """A list, which may be empty."""
        found = entries(self.record[name], f"model.{name}")
        return [int(entry) if isinstance(entry, JsonWhole) else entry for entry in found]

    def inner(self, name: str, value: object, fields: Sequence[str]) -> SavedFields:
        """The fields of an object inside the model."""
        record = read_object(value, f"model.{name}")
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


Readers = Mapping[str, Callable[[SavedFields, str], Any]]
"""The names of saved fields, each with the method of `SavedFields` that reads it."""


def read_saved(
    record: Record,
    kind: str,
    version: int,
    fields: Sequence[str],
    *,
    added: Sequence[str] = (),
    optional: Sequence[str] = (),
    has_arithmetic: bool = True,
) -> SavedFields:
    """The fields of a saved model, with its kind, version and their names checked.

    Files of version 1 can lack the fields `added` since. The `optional` ones, `columns`, `label`
    and `preparation` may stand beside the fields. A model without arithmetic is read in Fractions.
    """
    required = ["model", "version", "classes", *["arithmetic"] * has_arithmetic, *fields]
    found = record.get("version")
    first = type(found) is int and found == 1
    maybe = [*optional, "columns", "label", "preparation", *(added if first else ())]
    check_fields(record, "model", required=required + [*added] * (not first), optional=maybe)
    if record["model"] != kind or type(found) is not int or not 1 <= found <= version:
        versions = " or ".join(map(str, range(1, version + 1)))
        raise FormatError(f"model: expected {kind!r} of version {versions}")
    arithmetic = record["arithmetic"] if has_arithmetic else "exact"
    if arithmetic not in ("exact", "float"):
        raise FormatError("model.arithmetic: expected 'exact' or 'float'")
    named = labels(record["classes"], "model.classes")
    classes: tuple[Label, ...] = at("model.classes", lambda: read_classes(named))
    return SavedFields(record, classes, Fraction(0) if arithmetic == "exact" else 0.0)


def read_titles(record: Record, width: int) -> tuple[str, ...]:
    """The field `columns`: a title for each column; nothing where it is absent.

    >>> read_titles({"columns": ["size", "kind"]}, 2), read_titles({}, 2)
    (('size', 'kind'), ())
    """
    titles = record.get("columns", [])
    if not isinstance(titles, list) or not all(isinstance(title, str) for title in titles):
        raise FormatError("model.columns: expected a list of strings")
    if "columns" in record and not len(titles) == len(set(titles)) == width:
        raise FormatError(f"model.columns: expected {width} different titles, one a feature")
    return tuple(titles)
