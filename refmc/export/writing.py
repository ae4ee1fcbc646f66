"""The text of an exported file: a template, of which the parts that a predictor needs are filled.

A part of a template begins with a line `=== words`: it is kept if all the words are true, those
with ! false. The tables are JSON; C has braces for its brackets.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from string import Template
from typing import Any, NamedTuple

from refmc.core.scalars import shown
from refmc.errors import ParameterError
from refmc.export.predictor import Factor
from refmc.export.tables import Tables
from refmc.export.whole import key


class Language(NamedTuple):
    """The ending of files, how lines of the head begin, and how notes begin and end."""

    ending: str
    head: str
    note: tuple[str, str]


LANGUAGES = {
    "c": Language("c", "   ", (" /* ", " */")),
    "javascript": Language("mjs", "// ", (" // ", "")),
    "python": Language("py", "# ", (" # ", "")),
}


def assembled(template: str, to: str, truths: Iterable[str], values: Mapping[str, Any]) -> str:
    """The parts of a template that are needed, filled with values; a list is a table.

    >>> assembled("test.py", "python", [], {"name": "m", "tests": ""})[:21]
    'import m as predictor'
    """
    place = files("refmc.export").joinpath("templates", f"{template}.txt")
    known, kept = {"always", *truths}, []
    for part in f"\n{place.read_text(encoding='ascii')}".split("\n=== ")[1:]:
        condition, _, body = part.partition("\n")
        words = condition.split()
        if all((word.lstrip("!") in known) != word.startswith("!") for word in words):
            kept.append(body)
    written = {
        name: lines(value, to) if isinstance(value, list) else value
        for name, value in values.items()
    }
    return Template("\n".join(kept)).substitute(written).rstrip("\n") + "\n"


def values_of(tables: Tables, to: str) -> dict[str, Any]:
    """What the templates of all languages are filled with: fields, some as they are written."""
    predictor, lists = tables.predictor, tables.predictor.categories
    d = len(lists)
    places: dict[Factor, Factor] = {flag: d + 1 + i for i, flag in enumerate(tables.flags)}
    numbered = [[places.get(f, f) for f in monomial] for monomial in tables.monomials]
    at = [key(q.at) if (to, q.kind) == ("c", "cut") else q.at for q in tables.questions]
    rows = [[q.kind.upper(), q.at_zero, q.column, v] for q, v in zip(tables.questions, at)]
    found = vars(tables) | {
        "source": predictor.source,
        "facts": facts(tables, to),
        "classes_count": len(predictor.classes),
        "classes": ", ".join(literal(label, to) for label in predictor.classes),
        "columns_count": d,
        "questions": lines(rows, to, [q.text for q in tables.questions]),
        "degree": tables.degree,
        "monomials": [[*row, *[d] * (tables.degree - len(row))] for row in numbered],
        "flags": [[j, (lists[j] or ()).index(name)] for j, name in tables.flags],
        "counts_width": max((len(counts) for *_, counts in tables.voters), default=1),
    }
    if to != "c":  # whole numbers there have any length
        found |= {
            "categories": ", ".join(quoted(names and list(names), to) for names in lists),
            "forms": [" ".join(map(str, row)) for row in tables.forms],
            "voters": [[q, str(weight), counts] for q, weight, counts in tables.voters],
        }
    return found


def facts(tables: Tables, to: str) -> str:
    """The lines of the head about the classes, the columns and the guarantee."""
    kinds = [
        "a number" if names is None else f"a category of {quoted(names, 'javascript')}"
        for names in tables.predictor.categories
    ]
    columns = (f"  {j} {harmless(tables.title(j))}, {kind}" for j, kind in enumerate(kinds))
    labels = (literal(label, "javascript") for label in tables.predictor.classes)
    values = {
        "classes": "\n".join(f"  {c} {label}" for c, label in enumerate(labels)),
        "columns": "\n".join(columns),
        "decimals": tables.decimals,
    }
    text = assembled("head", to, tables.truths(), values)
    return "\n".join(LANGUAGES[to].head + line for line in text.splitlines())


def literal(label: Any, to: str) -> str:
    """A label as a literal, harmless in a page and a comment.

    >>> literal("é", "python"), literal(True, "python"), literal(2**60, "javascript")
    ("'\\\\xe9'", 'True', '1152921504606846976n')
    """
    if not isinstance(label, (str, int)):
        raise ParameterError(
            f"classes: {shown(label)} can't be exported; give texts or whole numbers"
        )
    if to == "c":
        return c_string(label if isinstance(label, str) else json.dumps(label))
    is_long = type(label) is int and abs(label) > 2**53 and to == "javascript"
    return quoted(label, to) + "n" * is_long


def c_string(text: str) -> str:
    """A literal of C in ASCII that no trigraph changes; `ParameterError` for a NUL.

    >>> print(c_string('a"??/'))
    "a\\042\\077\\077/"
    """
    data = text.encode(errors="replace")
    if "\0" in text or data.decode() != text:
        raise ParameterError(f"{shown(text)} has a NUL or half a character, which no text of C has")
    plain = [chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in data]
    return '"' + "".join(plain) + '"'


def quoted(value: Any, to: str) -> str:
    """Texts and numbers as literals in ASCII, which Python and JSON write otherwise, harmless."""
    return harmless(ascii(value) if to == "python" else json.dumps(value))


def harmless(text: str) -> str:
    """JSON, or a text for a comment, without what ends comments and scripts or begins trigraphs.

    >>> print(harmless("size <= 1 */ </script>"))
    size <= 1 \\u002a/ \\u003c/script>
    """
    for ending, character in (("*/", "*"), ("/*", "*"), ("</", "<"), ("??", "?"), ("<!", "<")):
        text = text.replace(ending, ending.replace(character, f"\\u{ord(character):04x}"))
    return text


def lines(rows: Iterable[object], to: str, notes: Sequence[str] = ()) -> str:
    """The rows of a table of numbers, one a line, with its number and a note if there are some.

    >>> print(lines([["CUT", [2, 3]]], "c", ["so"]))
      {CUT, {2, 3}}, /* 0: so */
    """
    begin, end = LANGUAGES[to].note
    found = []
    for i, row in enumerate(rows):
        line = f"  {json.dumps(row)},".replace("-Infinity", "-1e999")
        if to == "c":
            line = line.translate(str.maketrans("[]", "{}", '"'))
        found.append(line + (f"{begin}{i}: {harmless(notes[i])}{end}" if notes else ""))
    return "\n".join(found)
