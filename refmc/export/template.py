"""The text of an exported file: its template's parts, and the head that says what it promises."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from string import Template
from typing import Any

from refmc.core.scalars import shown
from refmc.errors import ParameterError
from refmc.export.predictor import Best
from refmc.export.tables import Tables


def parts_of(suffix: str) -> dict[str, str]:
    """The parts of a template by their names.

    >>> sorted(parts_of("py"))[:3]
    ['answer', 'best', 'by_forms']
    """
    source = files("refmc.export").joinpath("templates", f"predictor.{suffix}.txt")
    text = source.read_text(encoding="ascii")
    found = (part.partition("\n") for part in f"\n{text}".split("\n=== ")[1:])
    return {name: body.rstrip("\n") + "\n" for name, _, body in found}


def filled(parts: dict[str, str], names: Iterable[str], values: dict[str, Any]) -> str:
    """The named parts one after the other, with values in their places.

    >>> filled({"a": "$x;", "b": "no"}, ["a"], {"x": 1})
    '1;'
    """
    return "".join(Template(parts[name]).substitute(values) for name in names)


def needed(tables: Tables, parts: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """The names of the parts between head and end, and the text of those that stand in others."""
    kinds = {asked.kind for asked in tables.questions}
    decision = tables.predictor.decision
    best = isinstance(decision, Best)
    steps: dict[str, Any] = {}
    if isinstance(decision, Best):
        steps = {"by_votes": decision.voters, "by_forms": decision.forms}
    names = {
        "forms": tables.forms,
        "no_forms": not tables.forms,
        "members": tables.members,
        "voters": tables.voters,
        "answer": tables.questions,
        "graph": not best,
        "best": best,
    }
    inner = {
        "cases": "".join(
            parts[f"{kind}_case"] for kind in ("member", "side", "majority") if kind in kinds
        ).rstrip("\n"),
        "stages": "".join(parts[name] for name, has in steps.items() if has),
    }
    return [name for name, has in names.items() if has], inner


def text_of(label: Any) -> str:
    """A label as text that keeps it: strings as they are, truth values as JSON has them."""
    if isinstance(label, (str, bool, int)):
        return label if isinstance(label, str) else json.dumps(label)
    raise ParameterError(f"classes: {shown(label)} can't be exported; expected strings or integers")


def quoted(label: Any) -> str:
    """A label as a literal of JavaScript and Python in ASCII.

    >>> quoted("é"), quoted(3)
    ('"\\\\u00e9"', '3')
    """
    return harmless(json.dumps(label) if isinstance(label, str) else text_of(label))


def harmless(text: str) -> str:
    """Text of JSON or a comment without what ends a comment or a script, or begins a trigraph.

    >>> print(harmless("size <= 1 */ </script>"))
    size <= 1 \\u002a/ \\u003c/script>
    """
    for ending, character in (("*/", "*"), ("/*", "*"), ("</", "<"), ("??", "?"), ("<!", "<")):
        text = text.replace(ending, ending.replace(character, f"\\u{ord(character):04x}"))
    return text


def head(tables: Tables, offers: Sequence[str]) -> list[str]:
    """Lines of ASCII: what the file was made from, what it offers, takes and promises."""
    predictor = tables.predictor
    k, d = len(predictor.classes), len(predictor.categories)
    lines = [
        f"Written by refmc from: {predictor.source}; {k} classes, {d} columns; ties: {tables.tie}.",
        *offers,
        "Classes:",
        *(f"  {c} {quoted(label)}" for c, label in enumerate(predictor.classes)),
        "Columns:",
    ]
    for j, names in enumerate(predictor.categories):
        kind = "a number" if names is None else "a category: " + ", ".join(map(quoted, names))
        lines.append(f"  {j} {tables.title(j)}, {kind}")
    return [*lines, *_guarantee(tables)]


def _guarantee(tables: Tables) -> list[str]:
    meaning = tables.rows if tables.decimals is None else "scaled"
    if tables.decimals is None and tables.predictor.adds_columns and not tables.predictor.floats:
        meaning = "ties"
    who = "the exact model, of the trained one's numbers as the rationals that they are"
    lines = [
        f"Guarantee: for every row of finite numbers the labels, ties included, of {who}.",
        {
            "decimals": "A number stands for the decimal of at most 15 digits that is read as it, "
            "else for itself.",
            "doubles": "A number stands for the rational that it is.",
            "ties": "A number stands for the rational that it is: a decimal is rounded when it is "
            "read, and a tie of decimals may be none of what they are read as.",
            "float32": "A number is rounded to the nearest float32 first, as the model does.",
            "scaled": f"A number of a row is 10^{tables.decimals} times the model's, so that "
            f"decimals of {tables.decimals} places are whole numbers, and keep their ties.",
        }[meaning],
    ]
    if tables.predictor.floats:
        lines.append(
            "The trained model itself rounds its sums, and near ties may give another label."
            if tables.forms or tables.voters
            else "Thresholds are compared as the model compares them."
        )
    return lines


def chosen(tie: str, positions: tuple[int, ...]) -> int | None:
    """The position that a policy chooses, None where it refuses.

    >>> chosen("last", (0, 2)), chosen("refuse", (0, 2))
    (2, None)
    """
    if tie == "refuse" and len(positions) > 1:
        return None
    return positions[-1 if tie == "last" else 0]
