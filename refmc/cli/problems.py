"""refmc problem: the rows of a CSV file as a problem of any family that has rows."""

from __future__ import annotations

import argparse
import json
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

from refmc.cli.files import write
from refmc.cli.tables import (
    CATEGORICAL,
    PREPARED,
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
    from refmc.oracle.fields import Field

OF_ROWS = (
    "svm.binary", "svm.hard", "svm.multiclass", "perceptron.binary", "perceptron.kernel",
    "perceptron.multiclass", "sgd.binary", "sgd.multiclass", "tree.grow", "boost.ada", "boost.mh",
)  # fmt: skip
"""The families whose problems are rows with labels, and settings."""

OF_CSV = (
    *("label", "columns", "family", "delimiter", "weights", "class-weights", "categorical"),
    *PREPARED,
)
"""The options that belong to a CSV file."""


def add_problem(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Make a problem of the rows of a CSV or svmlight file, the numbers as they are written."""
    add_data(parser, "problem")
    add_making(parser, words, required=True)


def add_making(parser: argparse.ArgumentParser, words: Sequence[str], required: bool) -> None:
    """The arguments that make a problem of rows: the family in `words`, and its settings."""
    parser.add_argument("--family", required=required, choices=OF_ROWS, metavar="FAMILY")
    add_flags(parser, {**WEIGHTS, **CATEGORICAL, **PREPARED})
    family = _family(words)
    settings = parser.add_argument_group("settings")
    for field in settings_of(family):
        told = "|".join(field.named) or "VALUE"
        flag = f"--{field.name.replace('_', '-')}"
        settings.add_argument(flag, metavar=told, help=field.says.replace("%", "%%"))
    settings.description = "the fields of --family FAMILY, which it shows beside --help"
    beside = "settings belong to --csv with --family"
    if family is not None:
        settings.description = f"the fields of {family}"
        known = ", ".join(action.option_strings[0] for action in settings._group_actions)
        beside = f"{family} has the settings {known}"
    parser.set_defaults(beside=beside)


def _family(words: Sequence[str]) -> str | None:
    """The family that a command line names, which says what other options there are."""
    if not any(word.startswith("--f") for word in words):
        return None
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--family", nargs="?")
    family: str | None = parser.parse_known_args(words)[0].family
    return family if family in OF_ROWS else None


def settings_of(family: str | None) -> list[Field[object]]:
    """The fields of a family that hold a single value."""
    if family is None:
        return []
    from refmc.oracle.families import declared

    known = {name: field for form in declared(family)[0] for name, field in form.by_name.items()}
    return [field for name, field in known.items() if field.is_setting and name != "family"]


def do_problem(arguments: argparse.Namespace) -> int:
    """Run `refmc problem`; the exit code."""
    from refmc.oracle.families import read_record

    problem = problem_of(arguments)
    record, family = read_record(problem)
    family.read(record)
    write(write_json(problem), arguments.output)
    return 0


def problem_of(arguments: argparse.Namespace) -> Record:
    """The problem that the arguments make of their file, its settings not yet validated."""
    from refmc.oracle.families import declared
    from refmc.oracle.samples import TWO_CLASSES

    table, columns, y, _ = read_data(arguments)
    family = arguments.family
    known = declared(family)[0][0].by_name
    problem: dict[str, object] = {"family": family}
    for field in settings_of(family):
        text = getattr(arguments, field.name)
        problem |= {} if text is None else {field.name: _value(text)}
    if arguments.ones and "bias" in known and problem.get("bias", known["bias"].default):
        raise ParameterError(f"--ones: {family} has a bias beside it; give --bias false, too")
    problem |= _rows(arguments, table, columns, known)
    classes = classes_of(arguments, y)
    if known["classes"] is TWO_CLASSES and len(classes) != 2:
        raise ParameterError(f"--label: {family} has two classes, got {', '.join(classes)}")
    problem |= {"y" if "y" in known else "Y": y, "classes": classes}
    weights = read_weights(arguments, table, columns, y, exactly=True)
    problem |= {name: list(map(number_text, row)) for name, row in weights.items()}
    return problem


def _rows(
    arguments: argparse.Namespace, table: Table, columns: list[str], known: Container[str]
) -> dict[str, object]:
    kinds = read_kinds(arguments, table, columns)
    table.cells(columns, kinds)  # which says where a cell isn't of its kind
    categorical = [title for title, kind in zip(columns, kinds) if kind == "category"]
    X = list(map(list, zip(*map(table.column, columns))))
    if "categorical" in known:
        named = {"categorical": categorical} if categorical else {}
        return {"X": X, "columns": list(columns), **named}
    if categorical:
        raise ParameterError(
            f"--columns: {categorical[0]!r} is a column of categories, and {arguments.family} has "
            "numbers; leave it out, or make it columns of 0 and 1"
        )
    return {"X": X}


def _value(text: str) -> object:
    """Whole numbers, truth values and objects as JSON has them; other texts as they are."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, (float, str)) else value
