"""The text of an exported file: a template, of which the parts that a predictor needs are filled.

A part of a template begins with a line `=== words`: it is kept if all the words are true, those
with ! false.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from string import Template
from typing import Any

from refmc.core.scalars import shown
from refmc.errors import ParameterError
from refmc.export.tables import Tables

REFUSING = "; of several best labels\n{}  predict chooses none"

PROMISES = {
    "decimals": "A number stands for the decimal of at most 15 digits that is read as it, else for "
    "itself.",
    "doubles": "A number stands for the rational that it is.",
    "float32": "A number is rounded to the nearest float32 first, as the model does.",
    "ties": "A number stands for the rational that it is. A tie of decimals may be none of the "
    "numbers\nthat they are read as; a row of whole numbers, 10^N times as large, keeps it.",
}

ROUNDED = """\
The trained model itself rounds its sums, and near ties may give another label."""


def assembled(file: str, truths: Iterable[str], values: dict[str, Any]) -> str:
    """The parts of a template that are needed, filled with values.

    >>> assembled("test.py.txt", ["always"], {"name": "m", "tests": ""})[:21]
    'import m as predictor'
    """
    text = files("refmc.export").joinpath("templates", file).read_text(encoding="ascii")
    known, kept = {"always", *truths}, []
    for part in f"\n{text}".split("\n=== ")[1:]:
        condition, _, body = part.partition("\n")
        words = condition.split()
        if all((word.lstrip("!") in known) != word.startswith("!") for word in words):
            kept.append(body)
    return Template("\n".join(kept)).substitute(values).rstrip("\n") + "\n"


def script(tables: Tables, language: str) -> str:
    """The file in JavaScript or Python, where whole numbers have any length."""
    suffix, nothing, comment = SCRIPTS[language]
    predictor = tables.predictor
    questions = [
        f'["{q.kind}", {q.column}, {q.at!r}, {q.at_zero}],'.replace("-inf", "-1e999")
        for q in tables.questions
    ]
    values = tables.values() | {
        **about(tables, comment),
        "labels": ", ".join(literal(label, language) for label in predictor.classes),
        "categories": ", ".join(
            nothing if names is None else quoted(names, language) for names in predictor.categories
        ),
        "monomials": _lines(tables.monomials),
        "forms": _lines(" ".join(map(str, row)) for row in tables.forms),
        "members": _lines(tables.members),
        "questions": "\n".join(
            f"  {line}  {comment}{i}: {harmless(q.text)}"
            for i, (line, q) in enumerate(zip(questions, tables.questions))
        ),
        "voters": _lines((q, str(w), counts) for q, w, counts in tables.voters),
        "nodes": _lines(tables.nodes),
    }
    return assembled(f"predictor.{suffix}.txt", tables.truths(), values)


def script_test(
    tables: Tables, language: str, file: str, rows: Sequence[Any], sets: Sequence[Any]
) -> str:
    """The self-test in the language."""
    suffix, nothing, _ = SCRIPTS[language]
    labels, lines = [literal(label, language) for label in tables.predictor.classes], []
    for row, found in zip(rows, sets):
        chosen = tables.chosen(found)
        said = nothing if chosen is None else labels[chosen]
        best = ", ".join(labels[c] for c in found)
        lines.append(f"  [{quoted(list(row), language)}, [{best}], {said}],")
    values = {"file": file, "name": tables.name, "tests": "\n".join(lines)}
    return assembled(f"test.{suffix}.txt", [], values)


SCRIPTS = {"javascript": ("mjs", "null", "// "), "python": ("py", "None", "# ")}
"""The ending of files, what stands for nothing, and how comments begin."""


def about(tables: Tables, comment: str) -> dict[str, str]:
    """What the head says: what the file was made from, takes and promises."""
    predictor = tables.predictor
    lines = ["Classes:"]
    lines += [f"  {c} {literal(label, 'javascript')}" for c, label in enumerate(predictor.classes)]
    lines += ["Columns:"]
    for j, names in enumerate(predictor.categories):
        kind = "a number" if names is None else f"a category of {quoted(names, 'c')}"
        lines.append(f"  {j} {harmless(tables.title(j))}, {kind}")
    lines += [
        "Guarantee: for every row of finite numbers the labels, ties included, of the exact model:",
        "that of the trained one's numbers as the rationals that they are.",
        *PROMISES[tables.meaning].split("\n"),
    ]
    if tables.decimals is not None:
        lines.append(f"A row has whole numbers, 10^{tables.decimals} times the model's.")
    if predictor.floats and (tables.forms or tables.voters):
        lines.append(ROUNDED)
    sizes = f"{len(predictor.classes)} classes, {len(predictor.categories)} columns"
    return {
        "about": f"Written by refmc from: {predictor.source}; {sizes}; ties: {tables.tie}.",
        "facts": "\n".join(f"{comment}{line}" for line in lines),
        "refusing": REFUSING.format(comment) if tables.tie == "refuse" else "",
    }


def literal(label: Any, language: str) -> str:
    """A label as a literal, harmless in a page and a comment.

    >>> literal("é", "python"), literal(True, "python"), literal(2**60, "javascript")
    ("'\\\\xe9'", 'True', '1152921504606846976n')
    """
    if isinstance(label, str):
        return quoted(label, language)
    if isinstance(label, bool) and language == "python":
        return repr(label)
    is_long = type(label) is int and abs(label) > 2**53 and language == "javascript"
    return text_of(label) + "n" * is_long


def text_of(label: Any) -> str:
    """A label as text: strings as they are, whole numbers and truth values as in JSON."""
    if isinstance(label, (str, int)):
        return label if isinstance(label, str) else json.dumps(label)
    raise ParameterError(f"classes: {shown(label)} can't be exported; give texts or whole numbers")


def quoted(value: Any, language: str) -> str:
    """Texts as literals in ASCII, which Python and JSON write otherwise, harmless."""
    return harmless(ascii(value) if language == "python" else json.dumps(value))


def harmless(text: str) -> str:
    """JSON, or a text for a comment, without what ends comments and scripts or begins trigraphs.

    >>> print(harmless("size <= 1 */ </script>"))
    size <= 1 \\u002a/ \\u003c/script>
    """
    for ending, character in (("*/", "*"), ("/*", "*"), ("</", "<"), ("??", "?"), ("<!", "<")):
        text = text.replace(ending, ending.replace(character, f"\\u{ord(character):04x}"))
    return text


def _lines(rows: Iterable[object]) -> str:
    """Rows as JSON, one a line."""
    return "\n".join(f"  {json.dumps(row)}," for row in rows)
