"""What commands on tables have in common: their flags, reading rows, and writing a model."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from refmc.cli.files import add_output, check_output, load_table, read_text, within, write
from refmc.core.records import at_least_0, check_fields, parse_json, write_json
from refmc.core.scalars import as_float
from refmc.errors import ParameterError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from refmc.adapters.preparing import Preparation
    from refmc.adapters.table import Table

MEASURES = ("gini", "entropy", "misclassification")
"""The measures of impurity by name."""


Flags = Mapping[str, Mapping[str, Any]]
"""Names of flags with what argparse is told of each."""

DELIMITER: Flags = {
    "delimiter": {
        "metavar": "CHARACTER",
        "help": "what stands between cells, such as ';' or tab (default: what the header has)",
    }
}
COLUMNS: Flags = {"columns": {"metavar": "A,B,…", "help": "the features (default: all others)"}}
LABEL: Flags = {"label": {"metavar": "COLUMN", "help": "the column of labels"}}
WEIGHTS: Flags = {
    "weights": {"metavar": "COLUMN", "help": "how much each row counts, at least 0"},
    "class-weights": {
        "metavar": "FILE|balanced",
        "help": "how much the rows of each class count: a JSON object of labels and numbers, or "
        "balanced for the same in all classes; times --weights",
    },
}
CATEGORICAL: Flags = {"categorical": {"metavar": "A,B,…", "help": "columns to read as categories"}}
EXACT: Flags = {"exact": {"action": "store_true", "help": "decimals as written, no rounding"}}
MISSING: Flags = {
    "missing": {
        "metavar": "drop|median|most-frequent|WORD",
        "help": "what becomes of missing cells: the row is dropped, or they are filled in; the "
        "median of categories is the most frequent one",
    }
}
PREPARED: Flags = {
    **MISSING,
    "one-hot": {"action": "store_true", "help": "columns of 0 and 1 for columns of categories"},
    "scale-columns": {"action": "store_true", "help": "numbers exactly to −1 … 1 by column"},
    "ones": {"action": "store_true", "help": "a column of ones, whose weight is a bias"},
}
"""What becomes of cells before the learner sees them; the model remembers it."""

JOBS: Flags = {
    "jobs": {
        "type": int,
        "metavar": "N",
        "help": "train in so many processes at once (default: in one)",
    }
}


WEIGHTS_ONLY: Flags = {
    "weights-only": {
        "action": "store_true",
        "help": "save no training rows, which only certificates and margins need (linear kernel)",
    }
}

PREPARATIONS = [name.replace("-", "_") for name in PREPARED]

MANY = 100_000
"""From so many rows times classes on, training may take long, and its size is told first."""

MOST_JOBS = 61
"""The most processes, all of which are started at once; Windows takes no more."""


class Rows(NamedTuple):
    """What a learner is trained on; `weights` are its parameter of this name, if there are any."""

    X: list[Any]
    y: list[str]
    classes: list[str]
    columns: list[str]
    weights: dict[str, Any]
    preparation: Preparation | None


def add_flags(parser: argparse._ActionsContainer, flags: Flags, required: bool = False) -> None:
    """The flags as arguments of a command."""
    for name, told in flags.items():
        parser.add_argument(f"--{name}", required=required, **told)


def add_data(parser: argparse.ArgumentParser, what: str = "model") -> None:
    """The table, its label and features, and the file for what is made of them."""
    parser.add_argument(
        "data", metavar="DATA.csv", help="CSV file with a header line, or svmlight file, or -"
    )
    add_flags(parser, LABEL, required=True)
    add_flags(parser, {**COLUMNS, **DELIMITER})
    add_output(parser, what)


@contextlib.contextmanager
def processes(arguments: argparse.Namespace) -> Iterator[Executor | None]:
    """The processes of --jobs, None for this one alone."""
    jobs = getattr(arguments, "jobs", None)
    if jobs is None or jobs == 1:
        yield None
        return
    within("--jobs", jobs, 1, MOST_JOBS)
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    from refmc.cli.signals import SIGNALS, ended_by_signals, plain_signals

    workers = ProcessPoolExecutor(jobs, initializer=plain_signals, initargs=(SIGNALS,))
    with ended_by_signals(), workers as executor:
        try:
            yield executor
        except BaseException:
            # else whoever interrupts would wait for all that the processes still have to do
            for worker in multiprocessing.active_children():
                worker.terminate()
            executor.shutdown(cancel_futures=True)
            raise


def read_rows(arguments: argparse.Namespace) -> Rows:
    """The rows of the table, exactly as written unless the command rounds without --exact."""
    exactly = getattr(arguments, "exact", True)
    table, columns, y, preparation = read_data(arguments)
    kinds = ["number"] * len(columns)
    if hasattr(arguments, "categorical"):
        kinds = read_kinds(arguments, table, columns)
    X, classes = table.cells(columns, kinds, exactly=exactly), classes_of(arguments, y)
    m, k = len(y), len(classes)
    if m * k > MANY:
        told = f"{m} rows times {k} classes, {k * (k - 1) // 2} pairs of classes"
        print(f"refmc: {told}: time and memory grow with these numbers", file=sys.stderr)
    weights = read_weights(arguments, table, columns, y, exactly)
    return Rows(X, y, classes, columns, weights, preparation)


def read_data(
    arguments: argparse.Namespace,
) -> tuple[Table, list[str], list[str], Preparation | None]:
    """The prepared table, the titles of the features, the labels, and what was prepared."""
    check_output(arguments.output, arguments.data)
    table = load_table(arguments.data, arguments.delimiter)
    table.column(arguments.label)
    columns = listed(arguments.columns, "--columns", table.header)
    if columns is None:
        columns = table.without(arguments.label, getattr(arguments, "weights", None))
    if not columns:
        raise ParameterError(
            f"--label: {arguments.label!r} is the only column of {table.name}, so that there is "
            "nothing to tell the labels by"
        )
    if arguments.label in columns:
        raise ParameterError(f"--columns: {arguments.label!r} is the label")
    table, preparation = _prepared(arguments, table, columns)
    y = table.labels(arguments.label)
    arguments.titles = columns = preparation.titles() if preparation else columns
    return table, columns, y, preparation


def _prepared(
    arguments: argparse.Namespace, table: Table, columns: list[str]
) -> tuple[Table, Preparation | None]:
    """The table as the options prepare it; what was done is told on standard error."""
    given: list[Any] = [getattr(arguments, name, None) for name in PREPARATIONS]
    if not any(given):
        return table, None
    from refmc.adapters.preparing import missing_rows, prepare

    (missing, one_hot, scale, ones), told = given, list[str]()
    if missing is not None:
        used = [*columns, arguments.label] if missing == "drop" else columns
        gone = {title: rows for title in used if (rows := missing_rows(table, title))}
        cells = ", ".join(f"{title!r} {len(rows)}" for title, rows in gone.items()) or "none"
        told.append(f"missing cells: {cells}")
        if missing == "drop":
            dropped = set(chain.from_iterable(gone.values()))
            table = table.only([i for i in range(len(table.column(used[0]))) if i not in dropped])
            told[0] += f"; {counted(len(dropped), 'row is', 'rows are')} dropped"
            missing = None
    preparation = prepare(
        table, columns, missing=missing, one_hot=bool(one_hot), scale=bool(scale), ones=bool(ones)
    )
    for c in preparation.columns if preparation else ():
        if c.fill is not None:
            told.append(f"column {c.column!r}: missing cells are {c.fill!r}")
        if c.categories is not None:
            told.append(f"column {c.column!r}: {len(c.categories)} columns of 0 and 1")
        if c.scale is not None:
            center, half = map(float, c.scale)
            told.append(f"column {c.column!r}: less {center:.6g}, divided by {half:.6g}")
    if preparation and preparation.ones:
        told.append("a column of ones stands for the bias")
    print("".join(f"refmc: {line}\n" for line in told), end="", file=sys.stderr)
    return (preparation.table(table) if preparation else table), preparation


def classes_of(arguments: argparse.Namespace, y: Sequence[str]) -> list[str]:
    """The classes in the order of the column of labels: of numbers by their values."""
    from refmc.adapters.table import ordered_classes

    return ordered_classes(y, f"--label {arguments.label}")


def read_weights(
    arguments: argparse.Namespace, table: Table, columns: list[str], y: list[str], exactly: bool
) -> dict[str, list[float | Fraction]]:
    """The learner's parameter `weights`, a number for each row; nothing if all count the same."""
    if arguments.weights is None and arguments.class_weights is None:
        return {}
    weights = [Fraction(1)] * len(y)
    if arguments.weights is not None:
        if arguments.weights in (arguments.label, *columns):
            what = "the label" if arguments.weights == arguments.label else "among --columns"
            raise ParameterError(f"--weights: {arguments.weights!r} is {what}")
        weights = [weight for (weight,) in table.cells([arguments.weights], ["number"])]
    if arguments.class_weights is not None:
        of_class = _class_weights(arguments.class_weights, y)
        weights = [weight * of_class[label] for weight, label in zip(weights, y)]
    if exactly:
        return {"weights": list(weights)}
    return {"weights": [as_float(weight, "--weights") for weight in weights]}


def _class_weights(source: str, y: list[str]) -> dict[str, Fraction]:
    labels = sorted(set(y))
    if source == "balanced":
        from refmc.theory.costs import balanced_weights

        return dict(zip(labels, balanced_weights(y)))
    record = parse_json(read_text(source), f"--class-weights {source}")
    check_fields(record, f"--class-weights {source}", required=labels)
    return {
        label: at_least_0(record[label], f"--class-weights {source}: {label}") for label in labels
    }


def listed(text: str | None, flag: str, known: Sequence[str]) -> list[str] | None:
    """The names in a text such as A,B, all known and different; None where there is no text."""
    if text is None:
        return None
    names = text.split(",")
    for name in names:
        if name not in known:
            raise ParameterError(f"{flag}: {name!r} is none of {', '.join(known)}")
        if names.count(name) > 1:
            raise ParameterError(f"{flag}: {name!r} stands twice")
    return names


def refuse_idle(arguments: argparse.Namespace, flags: Iterable[str], owner: str) -> None:
    """`ParameterError` for a flag that was given, but without its owner would do nothing."""
    for flag in flags:
        if getattr(arguments, flag.replace("-", "_"), None) not in (None, False):
            raise ParameterError(f"--{flag}: belongs to {owner}")


def read_kinds(arguments: argparse.Namespace, table: Table, columns: list[str]) -> list[str]:
    """For each feature "number" or "category"."""
    categorical = listed(arguments.categorical, "--categorical", columns)
    kinds = table.kinds(columns, categorical or ())
    if "category" in kinds:
        named = [repr(title) for title, kind in zip(columns, kinds) if kind == "category"]
        others = ", numbers in the others" if "number" in kinds else ""
        print(f"refmc: categories in {', '.join(named[:9])}{others}", file=sys.stderr)
    return kinds


def finish(arguments: argparse.Namespace, rows: Rows, model: Any, summary: str) -> int:
    """Write the model with the names of its columns, and say what was trained; the exit code."""
    from refmc.core.cells import categorical_columns

    labels, y, columns = model.predict(rows.X), rows.y, rows.columns
    kinds = "" if categorical_columns(rows.X) else " of numbers"
    wrong = sum(guess != label for guess, label in zip(labels, y))
    record = {**parse_json(model.to_json(), "model"), "columns": columns, "label": arguments.label}
    if getattr(arguments, "weights_only", False):
        _leave_rows_out(record)
    if rows.preparation is not None:
        record["preparation"] = rows.preparation.to_json()
    write(write_json(record), arguments.output)
    m, d = counted(len(y), "row"), counted(len(columns), "column")
    k = counted(len(model.classes), "class", "classes")
    told = f"{m}, {d}{kinds}, {k}; {summary}; {wrong} of {len(y)} training rows wrong"
    print(f"refmc: {told}", file=sys.stderr)
    if 3 * wrong > len(y):
        print(f"refmc: more than a third is wrong; try {_to_try(arguments)}", file=sys.stderr)
    return 0


def _leave_rows_out(record: dict[str, Any]) -> None:
    """Take the training rows out of a saved model and its members, which then have weights."""
    for part in [record, *(member for member in record.get("binary", []) if member)]:
        if part.get("kernel", {"name": "linear"}) != {"name": "linear"}:
            raise ParameterError("--weights-only: only a linear kernel predicts without its rows")
        if "rows" in part:
            part["rows"] = None


def _to_try(arguments: argparse.Namespace) -> str:
    """What may make a model fit its rows better: options that weren't given, or other values."""
    given = vars(arguments)
    tried = [f"--{n.replace('_', '-')}" for n in ("scale_columns", "ones") if given.get(n) is False]
    tried += [f"another --{n}" for n in ("C", "lam", "eta") if given.get(n)]
    tried += ["another --kernel"] if given.get("C") and "kernel" in given else []
    limits = [n for n in ("epochs", "T", "rounds", "max_depth") if given.get(n) is not None]
    tried += [f"a larger --{n.replace('_', '-')}" for n in limits]
    tried += ["a smaller λ for --prune"] if given.get("prune") else []
    return ", ".join(tried) or "other columns"


def counted(n: int, one: str, several: str = "") -> str:
    """A number with its noun; commands that judge nothing don't import the checker's own."""
    return f"{n} {one if n == 1 else several or one + 's'}"
