"""A model as a file in another language, and its self-test."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from keyword import iskeyword
from typing import Any

from refmc.adapters.preparing import Preparation
from refmc.core.scalars import shown
from refmc.core.ties import first, last, refuse
from refmc.errors import ParameterError
from refmc.export.c import c_cells, c_values
from refmc.export.others import read_other
from refmc.export.predictor import rewritten
from refmc.export.reading import read_model
from refmc.export.tables import Tables, tables_of
from refmc.export.testing import expected, test_rows
from refmc.export.whole import ROWS
from refmc.export.writing import LANGUAGES, assembled, common_values, lines, quoted, script_values

POLICIES = {"first": first, "last": last, "refuse": refuse}
"""The tie policies that can be exported, by name."""


def export_model(
    model: Any,
    to: str,
    *,
    name: str = "model",
    rows: str | None = None,
    decimals: int | None = None,
    tie: str | None = None,
    quick: bool = False,
    columns: Sequence[str] = (),
) -> str:
    """The text of a file without dependencies that predicts what a model does.

    `model`: one that refmc fits or `read_model` reads, or a fitted DecisionTreeClassifier,
    LinearSVC, SVC, Perceptron, SGDClassifier or AdaBoostClassifier. `to`: "c" (C99), "javascript"
    (an ES module) or "python" (3.8 and later). `name`: how names in C begin. `rows`: what the
    doubles of a row stand for: "decimals", the default of exact models, "doubles", that of float
    models, or "float32", that of trees of scikit-learn. `decimals`: rows have whole numbers
    instead, 10^decimals times the model's. `tie`: "first", "last" or "refuse", the model's own by
    default. `quick`: in C, doubles decide where they provably can. `columns`: names for the head.

    Every row of finite numbers gets the label of the exact model, whose numbers are those of the
    trained one as the rationals that they are; the head of the file says so. Raises
    `ParameterError` and `ExactnessLimitError`, which name what can't be exported and what to use.

    >>> from fractions import Fraction
    >>> from refmc.learn.trees.grow import grow_tree
    >>> tree = grow_tree([[Fraction(1, 10)], [Fraction(1, 5)]], ["a", "b"])
    >>> module = {}
    >>> exec(export_model(tree, "python"), module)
    >>> module["predict"]([0.1]), module["predict"]([0.2])
    ('a', 'b')
    >>> "int leaf_predict(const double *row)" in tree.export("c", name="leaf")
    True
    """
    return text_of(tables_for(model, name, rows, decimals, tie, columns), to, quick)


def tables_for(
    model: Any,
    name: str,
    rows: Any,
    decimals: int | None,
    tie: Any,
    columns: Sequence[str],
    preparation: Preparation | None = None,
) -> Tables:
    """The tables of a model for a file of this name; as `export_model`.

    `preparation`: what became of the table, of which the file takes rows, before it was trained.
    """
    if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) or iskeyword(name):
        raise ParameterError(f"name: {name!r} can't begin names in C; take letters, digits and _")
    predictor = read_model(model) or read_other(model, columns)
    if preparation and (forms := preparation.forms()):
        columns = [c.column for c in preparation.columns]
        own = {factors: names for (factors, *_), names in zip(forms, predictor.categories)}
        categories = tuple(c.categories or own[j,] for j, c in enumerate(preparation.columns))
        decision = rewritten(predictor.decision, forms, categories)
        predictor = replace(predictor, decision=decision, categories=categories)
    if len(columns) not in (0, len(predictor.categories)):
        raise ParameterError(f"columns: expected {len(predictor.categories)}, got {len(columns)}")
    predictor = replace(predictor, columns=tuple(columns) or predictor.columns)
    named = next((n for n, policy in POLICIES.items() if policy is predictor.tie), None)
    chosen = _known("tie", tie or named, POLICIES)
    usual = "float32" if predictor.single else "doubles" if predictor.floats else "decimals"
    read = _known("rows", rows or usual, ROWS)
    if decimals is not None and (rows or predictor.single or not 0 <= decimals <= 300):
        raise ParameterError("decimals: expected 0 to 300, without rows, and no single precision")
    read = read if decimals is None else "doubles"
    tables = tables_of(predictor, name, read, decimals, chosen)
    if any(map(any, tables.forms)) and read != "doubles":  # columns are added as they are
        if read == "float32":
            raise ParameterError("rows: float32 is for questions about single columns alone")
        tables = tables_of(predictor, name, "doubles", decimals, chosen)
    return tables


def _known(name: str, value: Any, known: Iterable[str]) -> str:
    if value not in known:
        raise ParameterError(f"{name}: expected {', '.join(known)}, got {shown(value)}")
    return str(value)


def text_of(tables: Tables, to: str, quick: bool = False) -> str:
    """The file in a language."""
    _known("to", to, LANGUAGES)
    if quick and to != "c":
        raise ParameterError("quick: belongs to C")
    values = common_values(tables, to)
    values |= c_values(tables, quick) if to == "c" else script_values(tables, to)
    return assembled(
        f"predictor.{LANGUAGES[to].ending}", [*tables.truths(), *["quick"] * quick], values
    )


def self_test(tables: Tables, to: str, file: str, model: Any, data: Any = None) -> str:
    """The self-test of a predictor in a file beside it, which prints how many labels agree.

    `data`: rows of which up to 200 are in it; without them the training rows that the model knows.
    What is expected is computed by the model if it is exact, else by its numbers in Fractions.
    """
    entries: list[Any] = []
    for row in test_rows(tables, (getattr(model, "rows", None) or ()) if data is None else data):
        found = expected(tables, row, None if tables.predictor.floats else model)
        members = [int(c in found) for c in range(len(tables.predictor.classes))]
        cells = c_cells(tables, row) if to == "c" else list(row)
        entries.append([cells, members, tables.chosen(found)])
    tests = lines(entries, to) if to == "c" else "\n".join(f"  {quoted(e, to)}," for e in entries)
    return assembled(
        f"test.{LANGUAGES[to].ending}", [], {"file": file, "name": tables.name, "tests": tests}
    )
