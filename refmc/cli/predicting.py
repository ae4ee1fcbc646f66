"""refmc predict and refmc show."""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import Any

from refmc.cli.files import load_table, read_text, refuse_two_inputs
from refmc.core.records import Record, parse_json, write_json
from refmc.errors import FormatError, ParameterError


def add_predict(parser: argparse.ArgumentParser) -> None:
    """The arguments of `refmc predict`."""
    parser.description = (
        "Label the rows of a CSV file by a model that `refmc fit` saved. Prints JSON: the label "
        "of each row, all tied labels of the rows that have several, and, where the file has the "
        "label column, the number of errors."
    )
    parser.add_argument("model", metavar="MODEL", help="JSON file that refmc fit wrote")
    parser.add_argument("data", metavar="DATA.csv", help="CSV file with a header line, or -")
    parser.set_defaults(run=_predict)


def _predict(arguments: argparse.Namespace) -> int:
    refuse_two_inputs(arguments.model, arguments.data)
    model, record = _saved(arguments.model)
    columns, label = record["columns"], record.get("label")
    assert isinstance(columns, list)
    table = load_table(arguments.data)
    exactly = isinstance(getattr(model, "zero", Fraction(0)), Fraction)  # trees have no zero
    kinds = getattr(model, "kinds", ["number"] * len(columns))
    X: list[Any] = table.cells(columns, kinds, exactly=exactly)
    labels, sets = model.predict(X), [model.predict_set(x) for x in X]
    answer: dict[str, object] = {
        "labels": labels,
        "tied": {str(i): list(tied) for i, tied in enumerate(sets) if len(tied) > 1},
    }
    if label in table.header:
        truth = table.labels(str(label))
        answer["errors"] = sum(a != b for a, b in zip(labels, truth))
    print(write_json(answer))
    return 0


def add_show(parser: argparse.ArgumentParser) -> None:
    """The arguments of `refmc show`."""
    parser.description = "Print a saved decision tree as text, Graphviz DOT or Mermaid."
    parser.add_argument("model", metavar="MODEL", help="JSON file that refmc fit wrote")
    parser.add_argument("--as", dest="form", choices=["text", "dot", "mermaid"], default="text")
    parser.set_defaults(run=_show)


def _show(arguments: argparse.Namespace) -> int:
    model, record = _saved(arguments.model)
    if not hasattr(model, "to_text"):
        raise ParameterError(
            f"{arguments.model}: a model of kind {record['model']!r} has no picture, only decision "
            "trees have; its numbers are to be read in the file"
        )
    forms = {"text": model.to_text, "dot": model.to_dot, "mermaid": model.to_mermaid}
    picture = forms[arguments.form](record["columns"]).rstrip("\n")
    if arguments.form == "text":
        print(f"rows of {', '.join(map(str, model.classes))} in brackets")
    print(picture)
    return 0


def _saved(path: str) -> tuple[Any, Record]:
    """The model in a file that `refmc fit` wrote, and its record."""
    from refmc.oracle.models import load_model

    text = read_text(path)
    model: Any = load_model(text)
    record = parse_json(text, "model")
    columns = record.get("columns")
    if columns is None:
        raise FormatError("model.columns: missing; only models of `refmc fit` name their columns")
    width = _width(model)
    if not isinstance(columns, list) or not all(isinstance(title, str) for title in columns):
        raise FormatError("model.columns: expected a list of strings")
    if len(columns) != width or len(set(columns)) != width:
        raise FormatError(f"model.columns: expected {width} different titles, one a feature")
    return model, record


def _width(model: Any) -> int:
    """How many features a row has."""
    if hasattr(model, "width"):  # reductions
        return int(model.width)
    if hasattr(model, "kinds"):  # trees and boosted stumps
        return len(model.kinds)
    rows = [
        getattr(model, "w", None),
        *(getattr(model, "W", None) or getattr(model, "rows", None) or []),
    ]
    found = next((row for row in rows if row), None)
    if found is None:
        raise FormatError(
            "model.rows: none; the model of a Gram matrix can't label rows of a table"
        )
    return len(found)
