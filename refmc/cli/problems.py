"""refmc problem: the rows of a CSV file as a problem of any family that has rows."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from refmc.cli.files import write
from refmc.cli.tables import (
    CATEGORICAL,
    WEIGHTS,
    add_data,
    add_flags,
    classes_of,
    read_data,
    read_kinds,
    read_weights,
)
from refmc.core.records import Record, write_json
from refmc.core.scalars import number_text
from refmc.errors import ParameterError

if TYPE_CHECKING:
    from refmc.adapters.table import Table

BINARY = ("svm.binary", "svm.hard", "perceptron.binary", "perceptron.kernel", "sgd.binary")
OF_NUMBERS = (*BINARY, "svm.multiclass", "perceptron.multiclass", "sgd.multiclass")
OF_CELLS = ("tree.grow", "boost.ada", "boost.mh")

SETTINGS = (
    "C", "kernel", "loss", "bias", "impurity", "weighted", "thresholds",
    "max_splits", "min_leaf", "min_leaf_weight", "min_split", "max_depth", "min_impurity",
    "min_decrease", "lookahead",
    "rounds", "base", "rule", "epochs", "at_zero", "average", "voted",
    "tau", "eta", "lam", "ridge", "T", "shrink", "at_kink",
)  # fmt: skip
"""The fields of problems that hold a single value."""

OF_CSV = [
    *("label", "columns", "family", "delimiter", "weights", "class-weights", "categorical"),
    *(name.replace("_", "-") for name in SETTINGS),
]
"""The options that belong to a CSV file."""


def add_problem(parser: argparse.ArgumentParser) -> None:
    """The arguments of `refmc problem`."""
    parser.description = (
        "Make a problem of the rows of a CSV or svmlight file, the numbers as they are written."
    )
    add_data(parser, "problem")
    add_making(parser, required=True)
    parser.set_defaults(run=_problem)


def add_making(parser: argparse.ArgumentParser, required: bool) -> None:
    """The arguments that make a problem of rows: the family and its settings."""
    parser.add_argument(
        "--family", required=required, choices=[*OF_NUMBERS, *OF_CELLS], metavar="FAMILY"
    )
    add_flags(parser, {**WEIGHTS, **CATEGORICAL})
    settings = parser.add_argument_group("settings", "the fields of the family, see spec/format.md")
    told = {"metavar": "VALUE", "help": argparse.SUPPRESS}
    add_flags(settings, {name.replace("_", "-"): told for name in SETTINGS})
    settings.description = f"--FIELD VALUE for {', '.join(SETTINGS)}, as in spec/format.md"


def _problem(arguments: argparse.Namespace) -> int:
    from refmc.oracle.answers import read_record

    problem = problem_of(arguments)
    record, family = read_record(problem)
    family.read(record)
    write(write_json(problem), arguments.output)
    return 0


def problem_of(arguments: argparse.Namespace) -> Record:
    """The problem that the arguments make of their file, its settings not yet validated."""
    table, columns, y = read_data(arguments)
    family = arguments.family
    settings = {name: getattr(arguments, name) for name in SETTINGS}
    problem: dict[str, object] = {"family": family}
    problem |= {name: _value(text) for name, text in settings.items() if text is not None}
    problem |= _rows(arguments, table, columns)
    classes = classes_of(arguments, y)
    if family in BINARY and len(classes) != 2:
        raise ParameterError(f"--label: {family} has two classes, got {', '.join(classes)}")
    problem |= {"Y" if family == "boost.mh" else "y": y, "classes": classes}
    weights = read_weights(arguments, table, columns, y, exactly=True)
    problem |= {name: list(map(number_text, row)) for name, row in weights.items()}
    return problem


def _rows(arguments: argparse.Namespace, table: Table, columns: list[str]) -> dict[str, object]:
    kinds = read_kinds(arguments, table, columns)
    table.cells(columns, kinds)  # which says where a cell isn't of its kind
    categorical = [title for title, kind in zip(columns, kinds) if kind == "category"]
    X = list(map(list, zip(*map(table.column, columns))))
    if arguments.family in OF_CELLS:
        named = {"categorical": categorical} if categorical else {}
        return {"X": X, "columns": list(columns), **named}
    if categorical:
        raise ParameterError(
            f"--columns: {categorical[0]!r} is a column of categories, and {arguments.family} has "
            "numbers; leave it out, or make columns of 0 and 1 of it"
        )
    return {"X": X}


def _value(text: str) -> object:
    """Whole numbers, truth values and objects as JSON has them; other texts as they are."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, (float, str)) else value
