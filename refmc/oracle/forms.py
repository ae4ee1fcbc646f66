"""Kinds of values: what the fields of records look like, as JSON Schema.

Of numbers a kind says only how they are written; that C is positive, or how long rows are, is
checked by the readers.
"""

from collections.abc import Mapping
from typing import Any

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
