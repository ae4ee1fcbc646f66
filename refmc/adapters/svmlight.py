"""Data files of svmlight and LIBSVM as tables: a label, then index:value for what isn't 0."""

from __future__ import annotations

import re

from refmc.adapters.table import Table, is_number
from refmc.core.records import position_of
from refmc.errors import DataError

LABEL = "label"
"""The title of the labels; features are called by their indices."""

MOST_CELLS = 10_000_000
"""Rows times columns up to which the zeros are written out."""

_LINE = re.compile(r"[^\s:]+(\s+(qid|\d+):\S+)+\s*")


def is_svmlight(text: str) -> bool:
    """Whether the first line of a text has pairs of index and value, as no header has.

    Lines before it may have a number alone, the label of a row of zeros, or a comment.

    >>> is_svmlight("-1\\n+1 1:0.5 3:2\\n"), is_svmlight("a,b\\n1,2\\n")
    (True, False)
    """
    for line in re.finditer(".+", text):
        words = line[0].partition("#")[0].split()
        if len(words) > 1:
            return _LINE.fullmatch(" ".join(words)) is not None
        if words and not is_number(words[0]):
            return False
    return False


def read_svmlight(text: str, name: str) -> Table:
    """The table with all zeros written out; what follows # is a comment, and a qid is left out.

    Raises `DataError` for indices that don't increase from 1, and pairs that are none.

    >>> read_svmlight("+1 2:0.5\\n-1 1:3 # a comment\\n", "data").columns
    {'label': ['+1', '-1'], '1': ['0', '3'], '2': ['0.5', '0']}
    """
    found: list[tuple[str, dict[int, str]]] = []
    lines: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        label, *pairs = line.partition("#")[0].split() or [""]
        if not label:
            continue
        row: dict[int, str] = {}
        for pair in pairs:
            index, colon, value = pair.partition(":")
            if index == "qid":
                continue
            j = position_of(index)
            if not colon or j is None or j <= max(row, default=0):
                raise DataError(
                    f"{name}: line {number}: expected index:value, the indices increasing from 1, "
                    f"got {pair!r}"
                )
            row[j] = value
        found.append((label, row))
        lines.append(number)
    width = max((max(row, default=0) for _, row in found), default=0)
    if not width:
        raise DataError(f"{name}: no row has a value")
    if width * len(found) > MOST_CELLS:
        raise DataError(f"{name}: {len(found)} rows of {width} columns are more than {MOST_CELLS}")
    columns = {LABEL: [label for label, _ in found]}
    for j in range(1, width + 1):
        columns[str(j)] = [row.get(j, "0") for _, row in found]
    return Table(name, columns, lines)
