"""What every `refmc fit` has in common: the table that it reads, and the model that it writes."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from refmc.cli.files import load_table, write
from refmc.core.records import parse_json, write_json
from refmc.core.table import Table
from refmc.errors import ParameterError


def add_data(parser: argparse.ArgumentParser) -> None:
    """The table, its label and features, and the file for the model."""
    parser.add_argument("data", metavar="DATA.csv", help="CSV file with a header line, or -")
    parser.add_argument("--label", required=True, metavar="COLUMN", help="the column of labels")
    parser.add_argument("--columns", metavar="A,B,…", help="the features (default: all others)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the model there instead")


def add_exact(parser: argparse.ArgumentParser) -> None:
    """--exact."""
    parser.add_argument("--exact", action="store_true", help="decimals as written, no rounding")


def add_categorical(parser: argparse.ArgumentParser) -> None:
    """--categorical, for learners that ask questions."""
    parser.add_argument("--categorical", metavar="A,B,…", help="columns to read as categories")


def read_data(arguments: argparse.Namespace) -> tuple[Table, list[str], list[str]]:
    """The table, the titles of the features, and the labels."""
    table = load_table(arguments.data)
    y = table.labels(arguments.label)
    columns = arguments.columns.split(",") if arguments.columns else table.without(arguments.label)
    for title in columns:
        if title == arguments.label or columns.count(title) > 1:
            why = "is the label" if title == arguments.label else "stands twice"
            raise ParameterError(f"--columns: {title!r} {why}")
    return table, columns, y


def read_kinds(arguments: argparse.Namespace, table: Table, columns: list[str]) -> list[str]:
    """For each feature "number" or "category"."""
    categorical = arguments.categorical.split(",") if arguments.categorical else []
    for title in categorical:
        if title not in columns:
            raise ParameterError(f"--categorical: no column {title!r} among {', '.join(columns)}")
    return table.kinds(columns, categorical)


def read_rows(arguments: argparse.Namespace, table: Table, columns: list[str]) -> list[Any]:
    """The features of each row, exactly as written with --exact, else as floats."""
    kinds = ["number"] * len(columns)
    if hasattr(arguments, "categorical"):
        kinds = read_kinds(arguments, table, columns)
    return list(table.cells(columns, kinds, exactly=arguments.exact))


def finish(
    arguments: argparse.Namespace,
    model: Any,
    columns: list[str],
    labels: list[Any],
    y: list[str],
    summary: str,
) -> None:
    """Write the model with its column names, and say what it is."""
    wrong = sum(guess != label for guess, label in zip(labels, y))
    record = {**parse_json(model.to_json(), "model"), "columns": columns, "label": arguments.label}
    write(write_json(record), arguments.output)
    print(
        f"refmc: {counted(len(y), 'row', 'rows')}, {counted(len(columns), 'column', 'columns')}, "
        f"{counted(len(model.classes), 'class', 'classes')}; {summary}; "
        f"{wrong} of {len(y)} training rows wrong",
        file=sys.stderr,
    )


def counted(n: int, one: str, several: str) -> str:
    """A number with its noun."""
    return f"{n} {one if n == 1 else several}"
