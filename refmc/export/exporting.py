"""A model as a file in another language, and its self-test."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from keyword import iskeyword
from typing import Any

from refmc.errors import ParameterError
from refmc.export import c
from refmc.export.others import read_other
from refmc.export.reading import read_model
from refmc.export.tables import Tables, tables_of
from refmc.export.testing import expected, test_rows
from refmc.export.writing import script, script_test

LANGUAGES = {"c": "c", "javascript": "mjs", "python": "py"}
"""The endings of files."""


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
    """
    settings: dict[str, Any] = {"rows": rows, "decimals": decimals, "tie": tie, "columns": columns}
    return text_of(tables_for(model, name=name, **settings), to, quick)


def tables_for(
    model: Any,
    *,
    name: str,
    rows: str | None,
    decimals: int | None,
    tie: str | None,
    columns: Sequence[str],
) -> Tables:
    """The tables of a model for a file of this name; as `export_model`."""
    if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) or iskeyword(name):
        raise ParameterError(
            f"name: {name!r} can't begin names in C and Python; take letters, digits and _"
        )
    predictor = read_model(model) or read_other(model, columns)
    if columns:
        if len(columns) != len(predictor.categories):
            raise ParameterError(
                f"columns: expected {len(predictor.categories)} names, got {len(columns)}"
            )
        predictor = replace(predictor, columns=tuple(columns))
    return tables_of(predictor, name, rows, decimals, tie)


def text_of(tables: Tables, to: str, quick: bool = False) -> str:
    """The file in a language."""
    if to not in LANGUAGES:
        raise ParameterError(f"to: expected {', '.join(LANGUAGES)}, got {to!r}")
    if quick and to != "c":
        raise ParameterError("quick: belongs to C")
    return c.text(tables, quick) if to == "c" else script(tables, to)


def self_test(
    tables: Tables, to: str, file: str, model: Any, data: Sequence[Sequence[Any]] | None = None
) -> str:
    """The self-test of a predictor in a file beside it, which prints how many labels agree.

    `data`: rows of which up to 200 are in it; without them the training rows that the model knows.
    What is expected is computed by the model if it is exact, else by its numbers in Fractions.
    """
    asked = test_rows(tables, (getattr(model, "rows", None) or ()) if data is None else data)
    judge = None if tables.predictor.floats else model
    sets = [expected(tables, x, judge) for x in asked]
    if to == "c":
        return c.test(tables, file, asked, sets)
    return script_test(tables, to, file, asked, sets)
