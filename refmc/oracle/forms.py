"""Forms of records: the fields that a reader takes, each with the JSON Schema of its values.

A reader refuses what its form does not have, and the published schema is made of the same forms.
A form says only what JSON Schema can say; that C is positive, or how long rows are, is checked by
the readers themselves.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from refmc.core.records import Record, check_fields
from refmc.errors import FormatError

Kind = Mapping[str, Any]
"""The JSON Schema of a value."""

Fields = Mapping[str, Kind]


def _named(name: str) -> Kind:
    return {"$ref": f"#/$defs/{name}"}


NUMBER, NUMBERS, MATRIX, MATRICES = map(_named, ("number", "numbers", "matrix", "matrices"))
LABEL, LABELS, WHOLE, WHOLES = map(_named, ("label", "labels", "whole", "wholes"))
KERNEL, TREE, QUESTION, AMOUNT = map(_named, ("kernel", "tree", "question", "amount"))
TRUTH: Kind = {"type": "boolean"}
TEXT: Kind = {"type": "string"}
NULL: Kind = {"type": "null"}
ARRAY: Kind = {"type": "array", "minItems": 1}
ANY: Kind = {"type": ["object", "array", "string", "number", "boolean"]}
LOGARITHMS: Kind = {
    "type": "object",
    "propertyNames": _named("written"),
    "additionalProperties": _named("number"),
}
"""Coefficients of logarithms of whole numbers, such as {"3": "1/2"}."""


def choice(*values: str) -> Kind:
    """One of several names, the first of which is the default."""
    return {"enum": [*values]}


def list_of(kind: Kind, least: int = 1) -> Kind:
    """A list of at least `least` values of a kind."""
    return {"type": "array", "items": kind, **({"minItems": least} if least else {})}


def either(*kinds: Kind) -> Kind:
    """A value of one of several kinds."""
    return {"anyOf": [*kinds]}


def or_null(kind: Kind) -> Kind:
    """A value that may be null."""
    return either(kind, NULL)


REMARKS: Fields = {"family": TEXT, "program": ANY, "version": ANY, "settings": ANY, "remark": ANY}
"""What an answer may say beside what is judged."""


class Form(NamedTuple):
    """The fields of a record.

    `instead`: groups of alternatives; exactly one field of each group must be present, and where
    none is, the message asks for the last. `beside`: optional fields, each with the other field
    that it needs. `some`: fields of which at least one must be present. `more`: further rules as
    JSON Schema, which `check` leaves to the reader.
    """

    required: Fields = MappingProxyType({})
    optional: Fields = MappingProxyType({})
    instead: Sequence[Fields] = ()
    beside: Mapping[str, str] = MappingProxyType({})
    some: Sequence[str] = ()
    more: Sequence[Kind] = ()

    def check(self, record: Record, name: str) -> None:
        """`FormatError` for a field that is missing or unknown, or null where it may not be.

        >>> Form(instead=[{"gram": MATRIX, "X": MATRIX}], optional={"C": NUMBER}).check(
        ...     {"X": [[1]], "C": 1}, "problem")
        """
        taken = []
        for group in self.instead:
            given = [n for n in group if n in record]
            *others, last = group
            if not given:
                place = " or ".join(others)
                raise FormatError(f"{name}: field {last!r} is missing, or {place} in its place")
            if given[1:]:
                raise FormatError(f"{name}: expected one of {' and '.join(given)}")
            taken += given
        nullable = [n for n, kind in self.optional.items() if NULL in kind.get("anyOf", ())]
        required, optional = [*self.required, *taken], [*self.optional]
        check_fields(record, name, required=required, optional=optional, may_be_null=nullable)
        for mine, other in self.beside.items():
            if mine in record and other not in record:
                raise FormatError(f"{name}: {mine} and {other} belong together")

    def schema(self) -> Kind:
        """The JSON Schema of the record.

        >>> Form(required={"m": WHOLE}).schema()["required"]
        ['m']
        """
        properties: dict[str, Kind] = {**self.required, **self.optional}
        rules = [*self.more]
        for group in self.instead:
            properties |= group
            rules.append({"oneOf": [{"required": [name]} for name in group]})
        if self.some:
            rules.append({"anyOf": [{"required": [name]} for name in self.some]})
        found: dict[str, Any] = {"type": "object", "properties": properties}
        if self.required:
            found["required"] = [*self.required]
        if self.beside:
            found["dependentRequired"] = {name: [other] for name, other in self.beside.items()}
        if rules:
            found["allOf"] = rules
        return {**found, "additionalProperties": False}
