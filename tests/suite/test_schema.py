"""The JSON Schema against what the readers take: changed problems and answers, field by field."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from refmc.answers import check
from refmc.core.scalars import shown
from refmc.errors import FormatError, RefmcError
from refmc.oracle.families import FAMILIES, default_gap, family_of, read_record
from refmc.suite import vector_of, vectors
from refmc.suite.corpus import FOLDER, pretty, vectors_of
from refmc.suite.schemas import fields_in_words, json_schema

SCHEMA = json_schema()
TYPES: dict[str, Any] = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
}  # fmt: skip


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a value is valid, for those words of JSON Schema that the schema uses."""
    if "$ref" in schema:
        return fits(value, SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")])
    if set(schema) == {"if", "else"}:
        return fits(value, schema["if"]) or fits(value, schema["else"])
    names = schema.get("type", [])
    if names and not any(is_of(value, n) for n in ([names] if isinstance(names, str) else names)):
        return False
    if "const" in schema and value != schema["const"]:
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if not all(fits(value, other) for other in schema.get("allOf", ())):
        return False
    if "anyOf" in schema and not any(fits(value, other) for other in schema["anyOf"]):
        return False
    if "oneOf" in schema and sum(fits(value, other) for other in schema["oneOf"]) != 1:
        return False
    if isinstance(value, str):
        return "pattern" not in schema or bool(re.search(schema["pattern"], value, re.ASCII))
    if isinstance(value, list):
        items = schema.get("items", {})
        return len(value) >= schema.get("minItems", 0) and all(fits(v, items) for v in value)
    return not isinstance(value, dict) or fields_fit(value, schema)


def fields_fit(value: dict[str, Any], schema: Mapping[str, Any]) -> bool:
    known, more = schema.get("properties", {}), schema.get("additionalProperties", {})
    if not all(name in value for name in schema.get("required", ())):
        return False
    for name, others in schema.get("dependentRequired", {}).items():
        if name in value and not all(other in value for other in others):
            return False
    if not all(fits(name, schema.get("propertyNames", {})) for name in value):
        return False
    return all(more is not False if name not in known and more is False else
               fits(v, known.get(name, more)) for name, v in value.items())  # fmt: skip


def is_of(value: Any, name: str) -> bool:
    if name in ("number", "integer"):
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return is_number and (name == "number" or value == int(value))
    return isinstance(value, TYPES[name])


def says(family: str, problem: Any, answer: Any, role: str) -> str:
    """What the reader says against a problem or an answer, if anything."""
    try:
        read_record(problem)
        family_of(family).judge(problem, answer, default_gap(family), None)
    except FormatError as error:
        return str(error) if str(error).startswith(role) else ""
    except RefmcError:
        return ""
    return ""


WRONG_KINDS: tuple[Any, ...] = ({"no such": 1}, [{"no such": 1}], [[None]])
OTHERS: tuple[Any, ...] = (
    None,
    True,
    1.5,
    "1/2",
    "no number",
    [],
    ["1", "2"],
    [["1"]],
    "linear",
    3,
)


def changes(value: Any, path: str) -> Iterator[tuple[str, Any, bool]]:
    """The value with one part replaced, left out or added, and whether it is of a wrong kind."""
    for wrong in WRONG_KINDS:
        yield path, wrong, True
    for other in OTHERS:
        yield path, other, False
    if isinstance(value, dict):
        yield path, {**value, "no such field": 1}, True
        for name, part in value.items():
            rest = {n: v for n, v in value.items() if n != name}
            yield f"{path} without {name}", rest, False
            if name != "family":
                for place, changed, is_wrong in changes(part, f"{path}.{name}"):
                    yield place, {**value, name: changed}, is_wrong
    if isinstance(value, list) and value:
        for place, changed, is_wrong in changes(value[0], f"{path}[0]"):
            yield place, [changed, *value[1:]], is_wrong


WORDS = {"$ref", "if", "else", "type", "const", "enum", "pattern", "anyOf", "oneOf", "allOf"}
WORDS |= {"properties", "required", "additionalProperties", "dependentRequired", "propertyNames"}
WORDS |= {"items", "minItems"}


def schemas(schema: Any) -> Iterator[Mapping[str, Any]]:
    """A schema and all that it is made of."""
    if not isinstance(schema, Mapping):  # additionalProperties: false
        return
    yield schema
    for name in ("if", "else", "additionalProperties", "propertyNames", "items"):
        yield from schemas(schema.get(name))
    for name in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(name, ()):
            yield from schemas(part)
    for part in schema.get("properties", {}).values():
        yield from schemas(part)


def test_the_schema_has_no_word_that_is_not_looked_at_here() -> None:
    rest = {
        name: value for name, value in SCHEMA.items() if name not in ("$schema", "title", "$defs")
    }
    for whole in (rest, *SCHEMA["$defs"].values()):
        for schema in schemas(whole):
            assert WORDS >= {*schema}
            assert "if" not in schema or {*schema} == {"if", "else"}
            assert "$ref" not in schema or {*schema} == {"$ref"}


@pytest.mark.parametrize("most", [1, pytest.param(40, marks=pytest.mark.campaign)])
@pytest.mark.parametrize("family", FAMILIES)
def test_what_the_schema_refuses_the_reader_refuses_and_the_other_way_for_kinds_of_values(
    family: str, most: int
) -> None:
    for vector in sorted(vectors_of(family), key=lambda v: len(str(v)))[:most]:
        for role, record in (("problem", vector.problem), ("answer", vector.answer)):
            schema = SCHEMA["$defs"][f"{role}:{family}"]
            assert fits(record, schema)
            for path, changed, is_wrong in changes(record, role):
                if not isinstance(changed, dict):
                    continue
                parts = {"problem": vector.problem, "answer": vector.answer, role: changed}
                refused = says(family, parts["problem"], parts["answer"], role)
                if fits(changed, schema):
                    assert not (is_wrong and refused), (vector.id, path, shown(changed), refused)
                    assert "is missing" not in refused or role == "answer", (vector.id, path)
                else:
                    assert refused, (vector.id, path, shown(changed))


@pytest.mark.parametrize("step", [20, pytest.param(1, marks=pytest.mark.campaign)])
def test_all_vectors_fit(step: int) -> None:
    for vector in [*vectors()][::step]:
        answer = SCHEMA["$defs"][f"answer:{vector.family}"]
        assert fits(vector.problem, SCHEMA["$defs"][f"problem:{vector.family}"]), vector.id
        for given in (vector.answer, *vector.accept, *(wrong.answer for wrong in vector.wrong)):
            assert fits(given, answer), vector.id


def test_files_and_verdicts_fit() -> None:
    file = json.loads((FOLDER / "bound.adaboost.json").read_text(encoding="utf-8"))
    assert fits(file, SCHEMA)
    file["vectors"][0]["flags"] = ["no such flag"]
    assert not fits(file, SCHEMA)
    vector = vector_of("svm.binary/two-rows-bounded")
    for answer in (vector.answer, vector.wrong[0].answer):
        verdict = json.loads(json.dumps(check(vector.problem, answer).to_json()))
        assert fits(verdict, SCHEMA["$defs"]["verdict"]) and fits(verdict, SCHEMA)
        assert {*verdict} == {*SCHEMA["$defs"]["verdict"]["required"]}


def test_the_file_is_the_schema_of_the_readers() -> None:
    assert (FOLDER / "schema.json").read_text(encoding="utf-8") == pretty(SCHEMA) + "\n"


def test_a_class_that_decides_for_itself_may_choose_no_label() -> None:
    problem = {"family": "ova.decode", "scores": [["-1", "-2"]], "rule": "each"}
    answer: dict[str, Any] = {"label_sets": [[]]}
    assert check(problem, answer)
    assert fits(answer, SCHEMA["$defs"]["answer:ova.decode"])
    assert not fits(answer, SCHEMA["$defs"]["answer:code.decode"])


def test_kinds_of_fields_are_words() -> None:
    kinds = {name: kind for name, kind, *_ in fields_in_words("tree.grow")}
    assert kinds["X"] == "lists of number or string"
    assert kinds["categorical"] == "list of whole or string"
    assert kinds["impurity"] == "gini, entropy, misclassification"
    named = {name: told for name, *told in fields_in_words("nodes.decode")}
    kind, default, _ = named["method"]
    assert kind == "tournament, label_tree, one_against_some" and default == "default tournament"
    assert named["classes"][1] == "" and named["eliminations"][1] == "default 1"
    # of two forms that name their labels differently the first is told
    told = {name: says for name, *_, says in fields_in_words("loss.zero_one")}
    assert told["y"] == "the right ones"
    assert {name: kind for name, kind, *_ in fields_in_words("svm.hard")}["bias"] == (
        "boolean or penalised"
    )
