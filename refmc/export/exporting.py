"""A model as a file in another language, and its self-test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from keyword import iskeyword
from typing import Any
from urllib.parse import quote

from refmc.adapters.preparing import Preparation
from refmc.core.scalars import as_sequence, shown
from refmc.errors import ParameterError
from refmc.export.c import c_cells, c_values, quick_values
from refmc.export.others import read_other
from refmc.export.predictor import Predictor, rewritten
from refmc.export.reading import read_model
from refmc.export.tables import Tables, known, tables_of
from refmc.export.testing import expected, test_rows
from refmc.export.writing import LANGUAGES, assembled, quoted, values_of


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
    tables = tables_of(predictor_of(model, columns), name, rows, decimals, tie)
    return text_of(tables, to, quick)


def predictor_of(
    model: Any, columns: Sequence[str], preparation: Preparation | None = None
) -> Predictor:
    """What decides about rows of a model; `columns` and errors as `export_model`.

    `preparation`: what became of the table, of which the file takes rows, before it was trained.
    """
    columns = as_sequence(columns, "columns: expected a sequence of names")
    predictor = read_model(model) or read_other(model, columns)
    if preparation and (forms := preparation.forms()):
        columns = [c.column for c in preparation.columns]
        own = {factors: names for (factors, *_), names in zip(forms, predictor.categories)}
        categories = tuple(c.categories or own[j,] for j, c in enumerate(preparation.columns))
        decision = rewritten(predictor.decision, forms, categories)
        predictor = replace(predictor, decision=decision, categories=categories)
    if len(columns) not in (0, len(predictor.categories)):
        raise ParameterError(f"columns: expected {len(predictor.categories)}, got {len(columns)}")
    return replace(predictor, columns=tuple(columns) or predictor.columns)


def text_of(tables: Tables, to: str, quick: bool = False) -> str:
    """The file in a language."""
    known("to", to, LANGUAGES)
    name = str(tables.name)
    if to != "javascript" and (not (name.isascii() and name.isidentifier()) or iskeyword(name)):
        rule = "take letters, digits and _, no digit first, and no word of Python's"
        raise ParameterError(f"name: {shown(name)} can't name functions or modules; {rule}")
    if quick and to != "c":
        raise ParameterError("quick: belongs to C")
    values = values_of(tables, to)
    if to == "c":
        values |= c_values(tables) | (quick_values(tables) if quick else {})
    truths = [*tables.truths(), *["quick"] * quick]
    return assembled(f"predictor.{LANGUAGES[to].ending}", to, truths, values)


def self_test(tables: Tables, to: str, file: str, model: Any, data: Any = None) -> str:
    """The self-test of a predictor in a file beside it, which prints how many labels agree.

    `data`: rows of which up to 200 are in it; without them the training rows that the model knows.
    What is expected is computed by the model if it is exact, else by its numbers in Fractions.
    """
    entries = []
    for row in test_rows(tables, (getattr(model, "rows", None) or ()) if data is None else data):
        found = expected(tables, row, None if tables.predictor.floats else model)
        members = [int(c in found) for c in range(len(tables.predictor.classes))]
        refused = tables.tie == "refuse" and len(found) > 1
        chosen = -1 if refused else found[-1 if tables.tie == "last" else 0]
        entries.append([c_cells(tables, row) if to == "c" else list(row), members, chosen])
    tests = entries if to == "c" else "\n".join(f"  {quoted(entry, to)}," for entry in entries)
    values = {"file": quote(file), "name": tables.name, "tests": tests}
    return assembled(f"test.{LANGUAGES[to].ending}", to, [], values)
