"""The text of an exported file: a template, of which the parts that a predictor needs are filled.

A part of a template begins with a line `=== words`: it is kept if all the words are true, those
with ! false. The tables are JSON; C has braces for its brackets.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from operator import add
from string import Template
from typing import Any, NamedTuple

from refmc.core.scalars import shown
from refmc.errors import ParameterError
from refmc.export.predictor import Best
from refmc.export.tables import Tables
from refmc.export.whole import key


class Language(NamedTuple):
    """The ending of files, how lines of the head begin, notes begin and end, and null is called."""

    ending: str
    head: str
    note: tuple[str, str]
    nothing: str = ""


LANGUAGES = {
    "c": Language("c", "   ", ("/* ", " */")),
    "javascript": Language("mjs", "// ", ("// ", ""), "null"),
    "python": Language("py", "# ", ("# ", ""), "None"),
}


def assembled(template: str, truths: Iterable[str], values: dict[str, Any]) -> str:
    """The parts of a template that are needed, filled with values.

    >>> assembled("test.py", [], {"name": "m", "tests": ""})[:21]
    'import m as predictor'
    """
    place = files("refmc.export").joinpath("templates", f"{template}.txt")
    known, kept = {"always", *truths}, []
    for part in f"\n{place.read_text(encoding='ascii')}".split("\n=== ")[1:]:
        condition, _, body = part.partition("\n")
        words = condition.split()
        if all((word.lstrip("!") in known) != word.startswith("!") for word in words):
            kept.append(body)
    return Template("\n".join(kept)).substitute(values).rstrip("\n") + "\n"


def common_values(tables: Tables, to: str) -> dict[str, Any]:
    """What the templates of all languages are filled with."""
    asked, decision = tables.questions, tables.predictor.decision
    lists, degree = tables.predictor.categories, tables.degree
    d = len(lists)
    places = {flag: d + 1 + i for i, flag in enumerate(tables.flags)}
    numbered = ([f if isinstance(f, int) else places[f] for f in m] for m in tables.monomials)
    monomials = ((*m, *[d] * (degree - len(m))) for m in numbered)
    at = [key(q.at) if (to, q.kind) == ("c", "cut") else q.at for q in asked]
    rows = [[q.kind.upper(), q.at_zero, q.column, value] for q, value in zip(asked, at)]
    found: dict[str, Any] = {
        "name": tables.name,
        "source": tables.predictor.source,
        "tie": tables.tie,
        "facts": facts(tables, to),
        "K": len(tables.predictor.classes),
        "D": d,
        "classes": ", ".join(literal(label, to) for label in tables.predictor.classes),
        "questions": lines(rows, to, [q.text for q in asked]),
        "members": lines(tables.members, to),
        "G": degree,
        "monomials": lines(monomials, to),
        "flags": lines(([j, (lists[j] or ()).index(name)] for j, name in tables.flags), to),
        "C": max((len(counts) for *_, counts in tables.voters), default=1),
        "N": len(tables.nodes),
        "nodes": lines(tables.nodes, to),
        "ends": lines(tables.ends, to),
        "B": tables.voting,
    }
    if isinstance(decision, Best):
        found["present"] = ", ".join(map(str, decision.present))
    else:
        found["start"] = decision.start
    return found


def script_values(tables: Tables, to: str) -> dict[str, Any]:
    """What the templates of languages need besides whose whole numbers have any length."""
    lists = [names and list(names) for names in tables.predictor.categories]
    nothing = LANGUAGES[to].nothing
    return {
        "categories": ", ".join(nothing if n is None else quoted(n, to) for n in lists),
        "forms": lines((" ".join(map(str, row)) for row in tables.forms), to),
        "voters": lines(((q, str(weight), counts) for q, weight, counts in tables.voters), to),
    }


def facts(tables: Tables, to: str) -> str:
    """The lines of the head about the classes, the columns and the guarantee."""
    predictor, rows = tables.predictor, []
    for j, names in enumerate(predictor.categories):
        kind = "a number" if names is None else f"a category of {quoted(names, 'javascript')}"
        rows.append(f"  {j} {harmless(tables.title(j))}, {kind}")
    labels = (literal(label, "javascript") for label in predictor.classes)
    truths = {
        tables.meaning: True,
        "scaled": tables.decimals is not None,
        "rounded": predictor.floats and (tables.forms or tables.voters),
    }
    values = {
        "classes": "\n".join(f"  {c} {label}" for c, label in enumerate(labels)),
        "columns": "\n".join(rows),
        "decimals": tables.decimals,
    }
    text = assembled("head", (word for word, is_true in truths.items() if is_true), values)
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
        raise ParameterError(f"classes: {text!r} has a NUL or half a character, which C can't have")
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
    found = [f"  {json.dumps(row)},".replace("-Infinity", "-1e999") for row in rows]
    if to == "c":
        found = [line.translate(str.maketrans("[]", "{}", '"')) for line in found]
    begin, end = LANGUAGES[to].note
    said = [f" {begin}{i}: {harmless(note)}{end}" for i, note in enumerate(notes)]
    return "\n".join(map(add, found, said or [""] * len(found)))
