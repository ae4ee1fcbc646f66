"""The back ends for JavaScript and Python: the same tables, with whole numbers of any length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import Any

from refmc.export.predictor import Best
from refmc.export.tables import Tables
from refmc.export.template import chosen, filled, harmless, head, needed, parts_of, quoted


def javascript(tables: Tables) -> str:
    """An ES module."""
    offers = [
        "predict(row): a label; predictSet(row): all labels that are best; both throw for a",
        "  row of another length, and for what is no finite number or, for a category, no string",
    ]
    offers = [*offers, *_refusing(tables, "predict throws")]
    choice = {
        "first": "  return labels[0];",
        "last": "  return labels[labels.length - 1];",
        "refuse": '  if (labels.length > 1) throw new RangeError("tied: " + labels.join(", "));\n'
        "  return labels[0];",
    }
    lines = [f"// {line}" for line in head(tables, offers)]
    return "\n".join(lines) + "\n" + _text(tables, "mjs", "null", "{}n", "// ", choice)


def python(tables: Tables) -> str:
    """A module for Python 3.8 and later."""
    offers = [
        "predict(row): a label; predict_set(row): all labels that are best; both raise for a",
        "  row of another length, and for what is no finite float or, for a category, no string",
    ]
    offers = [*offers, *_refusing(tables, "predict raises ValueError")]
    choice = {
        "first": "    return labels[0]",
        "last": "    return labels[-1]",
        "refuse": "    if len(labels) > 1:\n"
        '        raise ValueError("tied: %r" % (labels,))\n    return labels[0]',
    }
    lines = [f"# {line}" for line in head(tables, offers)]
    return "\n".join(lines) + "\n" + _text(tables, "py", "None", "{}", "# ", choice)


def _refusing(tables: Tables, how: str) -> list[str]:
    return [f"  {how} where several are"] if tables.tie == "refuse" else []


def _text(
    tables: Tables, suffix: str, nothing: str, whole: str, note: str, choice: dict[str, str]
) -> str:
    """The file after its head; the rest is how the language writes things."""

    def row(values: Iterable[object]) -> str:
        return f"[{', '.join(map(str, values))}]"

    def rows(entries: Iterable[Iterable[object]], notes: Sequence[str] = ()) -> str:
        lines = [f"  {row(entry)}," for entry in entries]
        if notes:
            lines = [
                f"{line}  {note}{i}: {said}" for i, (line, said) in enumerate(zip(lines, notes))
            ]
        return "\n".join(lines)

    predictor, parts = tables.predictor, parts_of(suffix)
    decision = predictor.decision
    names, inner = needed(tables, parts)
    counts = [len(counts) for _, _, counts in tables.voters]
    values: dict[str, Any] = {
        "name": tables.name,
        "D": len(predictor.categories),
        "classes": ", ".join(map(quoted, predictor.classes)),
        "categories": ", ".join(
            nothing if names is None else row(map(quoted, names)) for names in predictor.categories
        ),
        "G": tables.degree,
        "C": max(counts, default=1),
        "monomials": rows(tables.monomials),
        "forms": rows(map(whole.format, form) for form in tables.forms),
        "members": rows(tables.members),
        "questions": rows(
            (
                (quoted(q.kind), q.column, "-1e999" if q.at == -inf else repr(q.at), q.at_zero)
                for q in tables.questions
            ),
            [harmless(q.text) for q in tables.questions],
        ),
        "voters": rows((q, whole.format(w), row(counts)) for q, w, counts in tables.voters),
        "nodes": rows(
            ((nothing if q is None else q, no, yes, row(ends)) for q, no, yes, ends in tables.nodes)
        ),
        "choice": choice[tables.tie],
        **inner,
    }
    if isinstance(decision, Best):
        values |= {"B": len(decision.voters), "present": ", ".join(map(str, decision.present))}
        values["stages"] = filled({"": inner["stages"]}, [""], values).rstrip("\n")
    else:
        values["start"] = decision.start
    return filled(parts, ["head", *names, "predict"], values)


def javascript_test(tables: Tables, file: str, rows: Sequence[Any], sets: Sequence[Any]) -> str:
    """The self-test as an ES module."""
    return _test(tables, "mjs", file, "null", rows, sets)


def python_test(tables: Tables, file: str, rows: Sequence[Any], sets: Sequence[Any]) -> str:
    """The self-test for Python."""
    return _test(tables, "py", file, "None", rows, sets)


def _test(
    tables: Tables, suffix: str, file: str, nothing: str, rows: Sequence[Any], sets: Sequence[Any]
) -> str:
    names, lines = [quoted(label) for label in tables.predictor.classes], []
    for row, found in zip(rows, sets):
        cells = ", ".join(quoted(v) if isinstance(v, str) else repr(v) for v in row)
        label = chosen(tables.tie, found)
        said = nothing if label is None else names[label]
        lines.append(f"  [[{cells}], [{', '.join(names[c] for c in found)}], {said}],")
    values = {"file": file, "name": tables.name, "tests": "\n".join(lines)}
    return filled(parts_of(suffix), ["test"], values)
