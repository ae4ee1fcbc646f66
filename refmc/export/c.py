"""The back end for C99: whole numbers alone, no allocation, no calls but memcpy and its like."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from refmc.errors import ParameterError
from refmc.export.predictor import Best
from refmc.export.tables import Tables
from refmc.export.template import chosen, filled, harmless, head, needed, parts_of, text_of
from refmc.export.whole import key

SUFFIX = "c"

LEAST = Fraction(1, 2**900)
"""Weights that are smaller than that share of the largest have no quick way."""

KINDS = {"cut": "CUT", "member": "MEMBER", "side": "SIDE", "majority": "MAJORITY"}


def text(tables: Tables, quick: bool = False) -> str:
    """The file in C."""
    name, predictor = tables.name, tables.predictor
    parts = parts_of(SUFFIX)
    names, inner = needed(tables, parts)
    has_categories = any(c is not None for c in predictor.categories)
    offers = [
        f"int {name}_predict(const double *row): a position in {name}_classes; -1 for a row with",
        "  NaN, infinity, or a category that is no position in its list",
        f"int {name}_predict_set(const double *row, int *set): how many classes are best; their",
        f"  positions go to set, which has room for {len(predictor.classes)}; -1 as above",
    ]
    if has_categories:
        offers += [
            f"int {name}_category(int column, const char *text): a category as a number of a row;",
            "  any negative number is a category that isn't known",
        ]
    comment = "/* " + "\n   ".join(head(tables, offers)) + "\n*/\n"
    values = {"name": name, "K": len(predictor.classes), "D": len(predictor.categories)}
    values |= {"classes": _row(map(string, map(text_of, predictor.classes)))}
    values |= _forms(tables, quick) | _questions(tables) | _decision(tables)
    values |= {
        "choice": {
            "first": "n < 1 ? -1 : set[0]",
            "last": "n < 1 ? -1 : set[n - 1]",
            "refuse": "n == 1 ? set[0] : -1",
        }[tables.tie]
    }
    order = ["head", "categories" if has_categories else "numbers"]
    order += ["sums"] * bool(tables.forms or tables.voters) + ["forms"] * bool(tables.forms)
    order += ["quick"] * quick
    if any(asked.kind == "side" for asked in tables.questions):
        order.append("side")
    rest = [n for n in names if n not in ("forms", "no_forms")]
    if isinstance(predictor.decision, Best):
        steps = ["by_votes"] * bool(predictor.decision.voters)
        steps += ["by_forms_quickly" if quick else "by_forms"] * bool(predictor.decision.forms)
        rest[-1:] = [*steps, "best"]
    values |= {"cases": inner["cases"], "names": "", "begins": ""}
    if has_categories:
        lists = [names or () for names in predictor.categories]
        ends = [sum(map(len, lists[:j])) for j in range(len(lists) + 1)]
        values |= {
            "names": _row(string(n) for one in lists for n in one) or '""',
            "begins": _row(ends),
        }
    return comment + filled(parts, [*order, *rest, "predict"], values)


def string(text: str) -> str:
    """A literal of C in ASCII that no trigraph changes; `ParameterError` for a NUL.

    >>> print(string('a"??/'))
    "a\\042\\077\\077/"
    """
    if "\0" in text:
        raise ParameterError(f"classes: {text!r} has a NUL, which ends a text in C")
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise ParameterError(f"classes: {text!r} has half a character") from None
    plain = [chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in data]
    return '"' + "".join(plain) + '"'


def _row(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))


def _rows(rows: Iterable[Iterable[object]], notes: Sequence[str] = ()) -> str:
    """Rows in braces, a line each, with a note beside it."""
    lines = [f"    {{{_row(row)}}}," for row in rows]
    if notes:
        lines = [
            f"{line} /* {i}: {harmless(note)} */"
            for i, (line, note) in enumerate(zip(lines, notes))
        ]
    return "\n".join(lines)


def _words(n: int, count: int) -> str:
    """The size of a whole number as words in braces, the lowest first."""
    return f"{{{_row(f'{abs(n) >> 32 * i & 0xFFFFFFFF}u' for i in range(count))}}}"


def _forms(tables: Tables, quick: bool) -> dict[str, Any]:
    if not tables.forms:
        if quick:
            raise ParameterError("quick: belongs to sums of columns, and this model has none")
        return {}
    d, degree, size = len(tables.predictor.categories), tables.degree, len(tables.monomials)
    bits = max(abs(a).bit_length() for row in tables.forms for a in row)
    words = max(1, -(-bits // 32))
    columns = [[*m, *[d] * (degree - len(m))] for m in tables.monomials]
    multiply = parts_of(SUFFIX)["multiply"].rstrip("\n") if degree > 1 else ""
    values: dict[str, Any] = {
        "F": len(tables.forms),
        "M": size,
        "G": degree,
        "L": words,
        "A": (bits + 2098 * degree + size.bit_length() + 1) // 32 + 3,
        "column_type": "unsigned char" if d < 256 else "unsigned short",
        "monomials": _row(f"{{{_row(m)}}}" for m in columns),
        "signs": _rows([(a > 0) - (a < 0) for a in row] for row in tables.forms),
        "sizes": _rows([_words(a, words) for a in row] for row in tables.forms),
        "multiply": multiply,
        "quick_side": parts_of(SUFFIX)["quick_side"].rstrip("\n") if quick else "",
    }
    if quick:
        largest = 2**bits
        shares = [[Fraction(a, largest) for a in row] for row in tables.forms]
        if degree > 1 or any(0 < abs(a) < LEAST for row in shares for a in row):
            raise ParameterError(
                "quick: belongs to sums of columns whose weights are of like sizes"
            )
        values["rough"] = _rows([float(a).hex() for a in row] for row in shares)
        values["most"] = _row(float(max(map(abs, column))).hex() for column in zip(*shares))
        values["doubt"] = float(Fraction(4 * (size + 3), 2**53)).hex()
    return values


def _questions(tables: Tables) -> dict[str, Any]:
    rows = []
    for kind, column, at, zero, _ in tables.questions:
        compared = f"INT64_C({key(at) if kind == 'cut' else at})"
        rows.append([compared, column, KINDS[kind], zero])
    width = max(map(len, tables.members), default=1)
    words = max((-(-w.bit_length() // 32) for _, w, _ in tables.voters), default=1) or 1
    total = sum(abs(w) * max(map(abs, counts)) for _, w, counts in tables.voters)
    classes = max((len(counts) for _, _, counts in tables.voters), default=1)
    voters = [[q, _words(w, words), f"{{{_row(counts)}}}"] for q, w, counts in tables.voters]
    return {
        "questions": _rows(rows, [asked.text for asked in tables.questions]),
        "width": width,
        "members": _rows(tables.members),
        "V": len(voters),
        "P": words,
        "S": (total.bit_length() + 1) // 32 + 1,
        "C": classes,
        "voters": _rows(voters),
    }


def _decision(tables: Tables) -> dict[str, Any]:
    decision = tables.predictor.decision
    if isinstance(decision, Best):
        count = len(decision.voters)
        stages = [
            f"    n = {name}(row, set, n);"
            for name, has in (("by_votes", decision.voters), ("by_forms", decision.forms))
            if has
        ]
        return {"present": _row(decision.present), "B": count, "stages": "\n".join(stages)}
    k = len(tables.predictor.classes)
    ends: dict[tuple[int, ...], int] = {}
    for *_, classes in tables.nodes:
        if classes:
            ends.setdefault(classes, len(ends))
    nodes = [
        (-1, ends[classes], 0) if q is None else (q, no, yes)
        for q, no, yes, classes in tables.nodes
    ]
    both = any(asked.kind != "cut" and not asked.at_zero for asked in tables.questions)
    parts = parts_of(SUFFIX)
    kind = "short" if len(nodes) < 2**15 else "int"
    walk = filled(parts, ["both_ways" if both else "one_way"], {"N": len(nodes), "node_type": kind})
    return {
        "N": len(nodes),
        "node_type": kind,
        "nodes": _rows(nodes),
        "ends": _rows([int(c in classes) for c in range(k)] for classes in ends),
        "start": decision.start,
        "walk": walk.rstrip("\n"),
    }


def test(
    tables: Tables, file: str, rows: Sequence[tuple[Any, ...]], sets: Sequence[tuple[int, ...]]
) -> str:
    """The self-test in C: rows with the sets of labels that are right."""
    k, tests = len(tables.predictor.classes), []
    for row, found in zip(rows, sets):
        cells = [number(v, tables.predictor.categories[j]) for j, v in enumerate(row)]
        label = chosen(tables.tie, found)
        members = [int(c in found) for c in range(k)]
        tests.append([f"{{{_row(cells)}}}", f"{{{_row(members)}}}", -1 if label is None else label])
    values = {"file": file, "name": tables.name, "tests": _rows(tests)}
    return filled(parts_of(SUFFIX), ["test"], values)


def number(v: Any, names: Sequence[str] | None) -> str:
    """A number as the double that it is, a category by its position."""
    if names is not None:
        return str(names.index(v) if v in names else -1)
    return float(v).hex()
