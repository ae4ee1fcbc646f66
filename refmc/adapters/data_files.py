"""Rows, labels and kinds of columns from a CSV or svmlight file."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, NamedTuple

from refmc.adapters.preparing import prepare
from refmc.adapters.svmlight import is_svmlight, read_svmlight
from refmc.adapters.table import Table, ordered_classes, read_table
from refmc.errors import plainly


class DataRows(NamedTuple):
    """The rows `X` of a file, their labels `y`, the `classes` in order, and for each column of X
    its title and its kind, "number" or "category"."""

    X: list[Any]
    y: list[str]
    classes: list[str]
    columns: list[str]
    kinds: list[str]


@plainly
def read_csv(
    path: str | PathLike[str],
    label: str,
    *,
    columns: Sequence[str] | None = None,
    categorical: Sequence[str] = (),
    delimiter: str | None = None,
    exact: bool = True,
    missing: str | None = None,
    one_hot: bool = False,
) -> DataRows:
    """The rows and labels of a CSV file with a header line, as the command line reads them.

    `label`: the title of the labels' column, which stay text; classes that are all numbers are
    ordered by their values. `columns`: the features, all others by default. Columns whose cells
    are all numbers hold Fractions, or floats without `exact`; those named `categorical` and all
    others hold text. `missing`: "median", "most-frequent" or a word for missing cells. `one_hot`:
    whether categories become columns of 0 and 1. Raises `DataError` naming line and column.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "data.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("size,color,kind\\n0.5,red,a\\n2,blue,b\\n")
    ...     X, y, classes, columns, kinds = read_csv(path, "kind")
    >>> X, y, kinds
    ([(Fraction(1, 2), 'red'), (Fraction(2, 1), 'blue')], ['a', 'b'], ['number', 'category'])
    """
    with open(path, encoding="utf-8-sig", newline="") as file:
        table = table_of(file.read(), str(path), delimiter)
    titles = list(columns) if columns is not None else table.without(label)
    preparation = prepare(table, titles, missing=missing, one_hot=one_hot)
    if preparation is not None:
        table, titles = preparation.table(table), preparation.titles()
    y, kinds = table.labels(label), table.kinds(titles, categorical)
    X = table.cells(titles, kinds, exactly=exact)
    return DataRows(X, y, ordered_classes(y, label), titles, kinds)


def table_of(text: str, name: str, delimiter: str | None) -> Table:
    """The table in CSV or svmlight text."""
    if delimiter is None and is_svmlight(text):
        return read_svmlight(text, name)
    return read_table(text, name, delimiter)
