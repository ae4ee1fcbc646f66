"""The JSON Schema of problems, answers, verdicts and vectors: the forms that readers follow.

`$defs` has `problem`, `answer`, `verdict`, `vector` and the file of a family, and of each family
`problem:svm.binary` and `answer:svm.binary`. Of numbers the schema says only how they are written:
that C is positive, and how many rows there are, is checked by the readers.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, get_args

from refmc.checker.verdict import Status
from refmc.core.scalars import number_pattern
from refmc.oracle.declaring import record_of
from refmc.oracle.families import FAMILIES, declared
from refmc.oracle.fields import Declared, Field
from refmc.oracle.forms import NULL, NUMBER, TEXT, Fields, Kind, choice, either, list_of
from refmc.oracle.rows import recorded
from refmc.suite.corpus import FLAGS

_WRITTEN: Kind = {
    "type": "string",
    "pattern": rf"^\s*(?:{re.sub(r'[?]P<[a-z]+>', '?:', number_pattern().pattern)})\s*$",
}
_LINEAR = record_of({"name": {"const": "linear"}}).schema()
_POLYNOMIAL = record_of(
    {"name": {"const": "polynomial"}, "degree": NUMBER, "scale": NUMBER, "offset": NUMBER}
).schema()

KINDS: dict[str, Kind] = {
    "written": _WRITTEN,
    "number": either({"type": "number"}, {"$ref": "#/$defs/written"}),
    "numbers": list_of(NUMBER),
    "matrix": list_of(list_of(NUMBER)),
    "matrices": list_of(list_of(list_of(NUMBER))),
    "label": {"type": ["string", "integer", "boolean"]},
    "labels": list_of({"$ref": "#/$defs/label"}),
    "whole": either({"type": "integer"}, {"$ref": "#/$defs/written"}),
    "wholes": list_of({"$ref": "#/$defs/whole"}),
    "kernel": either({"const": "linear"}, _LINEAR, _POLYNOMIAL),
}
"""What values look like; those of trees are beside their reader."""

VIOLATION: Fields = {
    "place": TEXT,
    "at": {"type": "object", "additionalProperties": {"type": ["string", "integer"]}},
    "text": TEXT,
    "amount": TEXT,
}
_TEXT_OR_NULL = either(TEXT, NULL)
VERDICT: Fields = {
    "status": choice(*get_args(Status)),
    "family": choice(*FAMILIES),
    "summary": TEXT,
    **dict.fromkeys(("gap", "gap_decimal", "relative", "explained"), _TEXT_OR_NULL),
    "allowed": TEXT,
    "distance": _TEXT_OR_NULL,
    "digits": either({"type": "number"}, {"const": "all"}, NULL),
    "violations": list_of(record_of(VIOLATION).schema(), 0),
    "hint": TEXT,
}

_RECORD: Kind = {"$ref": "#/$defs/answer"}
WRONG = record_of({"mistakes": list_of(TEXT), "answer": _RECORD})
VECTOR = record_of(
    {
        **dict.fromkeys(("id", "since", "why"), TEXT),
        "flags": list_of(choice(*FLAGS), 0),
        "problem": {"$ref": "#/$defs/problem"},
        "answer": _RECORD,
        "accept": list_of(_RECORD, 0),
        "wrong": list_of(WRONG.schema()),
        "catches": list_of(TEXT),
    },
    {"stated": {"type": "object"}, "withdrawn": TEXT},
)
VECTORS = record_of({"family": choice(*FAMILIES), "vectors": list_of(VECTOR.schema())})


def json_schema() -> dict[str, Any]:
    """The whole schema; a document that it fits is a problem, an answer, a verdict or a file of
    vectors.

    >>> json_schema()["$defs"]["problem:bound.adaboost"]["required"]
    ['family', 'epsilons']
    """
    defs: dict[str, Kind] = dict(KINDS)
    for name in dict.fromkeys(FAMILIES.values()):
        module = import_module(f"refmc.oracle.{name}")
        defs |= getattr(module, "DEFS", {})
        for family in module.DECLARED:
            for role, known in zip(("problem", "answer"), declared(family)):
                forms = [_of(family, one) for one in known]
                defs[f"{role}:{family}"] = forms[0] if len(forms) == 1 else either(*forms)
    for role in ("problem", "answer"):
        defs[role] = either(*({"$ref": f"#/$defs/{role}:{family}"} for family in FAMILIES))
    defs |= {"verdict": record_of(VERDICT, {"promise": TEXT}).schema(), "vectors": VECTORS.schema()}
    documents = ("problem", "answer", "verdict", "vectors")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Problems, answers, verdicts and vectors of refmc",
        **either(*({"$ref": f"#/$defs/{name}"} for name in documents)),
        "$defs": defs,
    }


def _of(family: str, form: Declared) -> Kind:
    """The schema of a record of one family."""
    found = form.schema()
    return {**found, "properties": {**found["properties"], "family": {"const": family}}}


def fields_in_words(family: str) -> list[tuple[str, str, str, str]]:
    """Of each field of a problem its name, its kind, its default and its sentence.

    >>> fields_in_words("loss.margin")[-1]
    ('rho', 'number', 'default 1', 'ρ, above 0')
    """
    found: dict[str, tuple[str, str, str, str]] = {}
    for known in declared(family)[0]:
        for field in known.fields:
            kind, default = _kind(field.kind), _default(field) if field in known.optional else ""
            if field.name in found and "const" in field.kind:  # another of its values
                _, others, default, _ = found[field.name]
                kind = f"{others}, {kind}"
            elif field.name in found:
                continue
            found[field.name] = field.name, kind, default, field.says
    return [*found.values()]


def _kind(kind: Kind) -> str:
    """A kind in words."""
    if "anyOf" in kind:
        return " or ".join(map(_kind, kind["anyOf"]))
    if "enum" in kind or "const" in kind:
        return ", ".join(kind.get("enum") or [kind["const"]])
    if "$ref" in kind:
        return str(kind["$ref"]).rpartition("/")[2]
    if kind.get("type") == "array":
        return f"list of {_kind(kind.get('items', {}))}".replace("list of list of", "lists of")
    return str(kind.get("type", "object"))


def _default(field: Field[object]) -> str:
    if field.default in (None, ()):
        return "optional"
    return "default " + str(recorded(field.default)).lower()
