"""refmc predict, refmc show and refmc export: what a saved model is good for."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import refmc
from refmc.adapters.preparing import Preparation, read_preparation
from refmc.cli.files import (
    add_output,
    check_output,
    clock,
    load_table,
    read_text,
    refuse_two_inputs,
    write,
)
from refmc.cli.tables import DELIMITER, MEASURES, add_flags, counted, refuse_idle
from refmc.core.printing import aligned, printable
from refmc.core.records import Record, parse_json, write_json
from refmc.core.saving import read_titles
from refmc.errors import FormatError, ParameterError


def add_predict(parser: argparse.ArgumentParser) -> None:
    """Label the rows of a CSV file by a model that `refmc fit` saved. Prints JSON: the label of
    each row, all tied labels of the rows that have several, where the file has the label column the
    number of errors, and what training never saw: categories, and labels of the file.
    """
    parser.add_argument("model", metavar="MODEL", help="JSON file that refmc fit wrote")
    parser.add_argument("data", metavar="DATA.csv", help="CSV file with a header line, or -")
    add_flags(parser, DELIMITER)


def do_predict(arguments: argparse.Namespace) -> int:
    """Run `refmc predict`; the exit code."""
    refuse_two_inputs(arguments.model, arguments.data)
    model, record = _saved(arguments.model)
    columns, label = record["columns"], record.get("label")
    assert isinstance(columns, list)
    table = load_table(arguments.data, arguments.delimiter)
    preparation, unseen = read_preparation(record), dict[str, dict[str, int]]()
    if preparation is not None:
        if gaps := preparation.gaps(table):
            cells = ", ".join(f"{title!r} {count}" for title, count in gaps.items())
            print(f"refmc: missing cells, filled in: {cells}", file=sys.stderr)
        table, unseen = preparation.table(table), preparation.unseen(table)
    exactly = isinstance(getattr(model, "zero", Fraction(0)), Fraction)  # trees have no zero
    kinds = getattr(model, "kinds", ["number"] * len(columns))
    X: list[Any] = table.cells(columns, kinds, exactly=exactly)
    truth = table.labels(str(label)) if label in table.header else None
    del table  # the text of its cells takes as much memory as the numbers
    with clock("predicting"):
        if hasattr(model, "predict_sets"):  # trees send all rows down at once
            sets = model.predict_sets(X)
            labels = [tied[0] for tied in sets]  # a saved tree's policy is the first
        else:
            labels, sets = model.predict(X), [model.predict_set(x) for x in X]
    answer: dict[str, object] = {
        "labels": labels,
        "tied": {str(i): list(tied) for i, tied in enumerate(sets) if len(tied) > 1},
    }
    unseen |= _unseen_categories(model, columns, X)
    if truth is not None:
        truth = _spelled(truth, model.classes)
        answer["errors"] = sum(a != b for a, b in zip(labels, truth))
        strange = Counter(true for true in truth if true not in model.classes)
        unseen |= {str(label): dict(strange)} if strange else {}
    if unseen:
        answer["unseen"] = unseen
    print(write_json(answer))
    for title, counts in unseen.items():
        print(f"refmc: {_told(title, counts, title == label)}", file=sys.stderr)
    return 0


def _spelled(labels: Sequence[str], classes: Sequence[Any]) -> list[Any]:
    """The labels as the model writes them, which may write a number otherwise."""
    from refmc.adapters.table import label_value

    own = {label_value(str(label)): label for label in classes}
    spelled = {label: own.get(label_value(label), label) for label in set(labels)}
    return [label if label in classes else spelled[label] for label in labels]


def _unseen_categories(model: Any, columns: list[str], X: list[Any]) -> dict[str, dict[str, int]]:
    """For each column the categories that training never saw, with the rows that have them."""
    known = getattr(model, "categories", [None] * len(columns))
    found = {
        title: Counter(row[j] for row in X if categories is not None and row[j] not in categories)
        for j, (title, categories) in enumerate(zip(columns, known))
    }
    return {title: dict(counts) for title, counts in found.items() if counts}


def _told(title: str, counts: Mapping[str, int], is_label: bool) -> str:
    what = (
        "a label that is no class of the model" if is_label else "a category never seen in training"
    )
    shown = ", ".join(f"{name!r} {n} times" if n > 1 else repr(name) for name, n in counts.items())
    short = shown if len(shown) <= 100 else f"{shown[:100]}…"
    rows = sum(counts.values())
    return f"column {title!r}: {counted(rows, 'row has', 'rows have')} {what}: {short}"


def add_show(parser: argparse.ArgumentParser) -> None:
    """Print a saved decision tree as text, Graphviz DOT or Mermaid."""
    parser.add_argument("model", metavar="MODEL", help="JSON file that refmc fit wrote")
    parser.add_argument(
        "--as", dest="form", choices=["text", "dot", "mermaid"], help="default: text"
    )
    parser.add_argument(
        "--sequence",
        action="store_true",
        help="print the pruning sequence of the tree instead: from which λ on it has how many "
        "leaves",
    )
    parser.add_argument("--risk", choices=MEASURES, help="for --sequence (default: impurity)")


def do_show(arguments: argparse.Namespace) -> int:
    """Run `refmc show`; the exit code."""
    model, record = _saved(arguments.model)
    if not hasattr(model, "to_text"):
        raise ParameterError(
            f"model: a model of kind {record['model']!r} has no picture, only decision "
            "trees have; its numbers are to be read in the file"
        )
    if arguments.sequence:
        if arguments.form is not None:
            raise ParameterError("--as: is for a picture of the tree, not for --sequence")
        print("\n".join(_sequence(model, arguments.risk)))
        return 0
    refuse_idle(arguments, ["risk"], "--sequence")
    form = arguments.form or "text"
    forms = {"text": model.to_text, "dot": model.to_dot, "mermaid": model.to_mermaid}
    picture = forms[form](record["columns"]).rstrip("\n")
    if form == "text":
        print(printable(f"rows of {', '.join(map(str, model.classes))} in brackets"))
    print(picture)
    return 0


def _sequence(tree: Any, risk: str | None) -> list[str]:
    """A table of the pruning sequence of a tree, λ on the scale of `refmc fit tree --prune`."""
    from refmc.oracle.rows import readable

    rows = [["from λ", "leaves", "nodes that become leaves"]]
    for step in refmc.pruning_sequence(tree, risk=getattr(refmc, risk) if risk else None):
        nodes = [f"n{node.number}" for node in step.collapsed]
        rows.append([readable(step.lam), str(step.size), readable(nodes)])
    return aligned(rows)


def add_export(parser: argparse.ArgumentParser) -> None:
    """Write a model as one file of C99, JavaScript or Python without dependencies. Its function
    gives every row of finite numbers the label of the exact model; the head of the file says what
    it takes and promises.
    """
    parser.add_argument(
        "model", metavar="MODEL", help="file of refmc fit, LIBSVM, LIBLINEAR or rpart"
    )
    parser.add_argument("--to", required=True, choices=["c", "javascript", "python"])
    parser.add_argument(
        "--rows",
        choices=["decimals", "doubles", "float32"],
        help="what doubles of a row stand for (default: decimals for exact models, else doubles)",
    )
    parser.add_argument(
        "--decimals",
        type=int,
        metavar="N",
        help="rows have whole numbers instead, 10^N times the model's",
    )
    parser.add_argument(
        "--tie", choices=["first", "last", "refuse"], help="which label of several (default: first)"
    )
    parser.add_argument(
        "--quick", action="store_true", help="in C, doubles decide where they provably can"
    )
    parser.add_argument(
        "--test",
        nargs="?",
        const="",
        metavar="DATA.csv",
        help="write a self-test beside FILE, with rows of the table, or those the model knows",
    )
    add_flags(parser, DELIMITER)
    add_output(parser, "predictor")


def do_export(arguments: argparse.Namespace) -> int:
    """Run `refmc export`; the exit code."""
    from refmc.adapters.model_files import read_model
    from refmc.export.exporting import predictor_of, self_test, text_of
    from refmc.export.tables import tables_of
    from refmc.export.writing import LANGUAGES

    to, path = arguments.to, arguments.output
    check_output(path, arguments.model)
    if arguments.test is not None and path in (None, "-"):
        raise ParameterError("--test: is written beside the file of -o, which is missing")
    if not arguments.test:
        refuse_idle(arguments, ["delimiter"], "--test DATA.csv")
    text = read_text(arguments.model)
    model, record = _loaded(text) if text.lstrip().startswith("{") else (read_model(text), {})
    titles: Any = record.get("columns", ())
    preparation = read_preparation(record)
    name = "model" if path in (None, "-") else os.path.splitext(os.path.basename(path))[0]
    predictor = predictor_of(model, titles, preparation)
    tables = tables_of(predictor, name, arguments.rows, arguments.decimals, arguments.tie)
    text = text_of(tables, to, arguments.quick)
    if arguments.test is not None:
        folder, file = os.path.split(path)
        rows = _test_rows(arguments, predictor, preparation)
        is_same = preparation is None or not preparation.forms()
        test = self_test(tables, to, file, model if is_same else None, rows)
        beside = os.path.join(folder, f"{name}_test.{LANGUAGES[to].ending}")
        check_output(beside, arguments.model)
        write(test.rstrip("\n"), beside)
    write(text.rstrip("\n"), path)
    return 0


def _test_rows(
    arguments: argparse.Namespace, predictor: Any, preparation: Preparation | None
) -> list[Any] | None:
    """The rows of the table for the self-test, if there is one."""
    if not arguments.test:
        return None
    kinds = ["number" if names is None else "category" for names in predictor.categories]
    if not predictor.columns:
        raise ParameterError("--test: the model has no names of columns; give --test alone")
    table = load_table(arguments.test, arguments.delimiter)
    if preparation is not None:
        table = preparation.filled().table(table)
    return table.cells(list(predictor.columns), kinds)


def _saved(path: str) -> tuple[Any, Record]:
    """The model in a file that `refmc fit` wrote, and its record."""
    model, record = _loaded(read_text(path))
    _width(model)  # a model of a Gram matrix has none
    if not record.get("columns"):
        raise FormatError("model.columns: missing; only models of `refmc fit` name their columns")
    return model, record


def _loaded(text: str) -> tuple[Any, Record]:
    from refmc.oracle.models import load_model

    model, record = load_model(text), parse_json(text, "model")
    titles = read_titles(record, _width(model)) if "columns" in record else ()
    return model, {**record, "columns": [*titles]}


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
