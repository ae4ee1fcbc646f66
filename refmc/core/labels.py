"""Labels as signs: −1 and +1 for two classes, and for label sets c(ω)_l for each of k labels.

[lu, "AdaBoost.MH : Multi-Class Hamming Loss"]
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from refmc.core.sample import Label, Labels, check_count, check_label, read_classes, read_labels
from refmc.core.scalars import ArrayLike, as_sequence, plain, shown
from refmc.errors import DataError, ParameterError

SINGLE, SETS = "single", "sets"

LabelSets = Sequence[Any] | ArrayLike
"""Single labels, sets of labels, lists of text labels, or rows of ±1 or of 0 and 1."""


class Codes(NamedTuple):
    """`rows`: for each item k signs; `classes`: the k labels; `target`: "single" or "sets"."""

    rows: tuple[tuple[int, ...], ...]
    classes: tuple[Label, ...]
    target: str


def read_two_classes(
    y: Labels, classes: Labels | None, rows: int
) -> tuple[tuple[int, ...], tuple[Label, Label]]:
    """For each row −1 or +1, and the pair (negative, positive) of labels.

    Without `classes` the labels are −1 and +1, one of which may be absent; `classes` names any
    two. Raises `DataError` naming the labels found, `ParameterError` for other than two classes.

    >>> read_two_classes(["no", "yes"], ("no", "yes"), 2)
    ((-1, 1), ('no', 'yes'))
    """
    if classes is not None:
        codes, order = read_labels(y, classes, rows)
        if len(order) != 2:
            raise ParameterError(
                f"classes: expected two labels (negative, positive), got {shown(order)}"
            )
        return tuple(2 * code - 1 for code in codes), (order[0], order[1])
    codes, found = read_labels(y, None, rows)
    # floats −1.0 and 1.0 are what numeric arrays hold; True is no sign
    if any(label not in (-1, 1) or isinstance(label, bool) for label in found):
        raise DataError(
            f"y: expected labels -1 and +1, found {', '.join(map(shown, found[:5]))}"
            f"{' and more' if len(found) > 5 else ''}; give classes=(negative, positive)"
        )
    signs = tuple(-1 if found[code] == -1 else 1 for code in codes)
    own = {sign: found[code] for sign, code in zip(signs, codes)}
    return signs, (own.get(-1, -1), own.get(1, 1))


def read_codes(Y: LabelSets, classes: Labels | None, m: int, name: str = "Y") -> Codes:
    """The signs of single labels, of label sets, or of rows of signs.

    Sets, lists of text, and lists that are all empty, are label sets; other lists are rows of −1
    and +1, or of 0 and 1, whose labels are 0, 1, … unless `classes` names them; all else is single
    labels. Raises `DataError` naming the row of `name`, `ParameterError` for classes. [lecture5 §1]

    >>> read_codes([{"a"}, {"a", "b"}, set()], None, 3).rows
    ((1, -1), (1, 1), (-1, -1))
    >>> read_codes([[0, 1], [1, 1]], None, 2).rows
    ((-1, 1), (1, 1))
    """
    entries = _entries(Y, name)
    check_count(entries, m, name, "entries, one a row")
    if _are_sets(entries):
        return _from_sets(entries, classes, name)
    if any(isinstance(entry, (list, tuple)) for entry in entries):
        return _from_rows(entries, classes, name)
    codes, order = read_labels(entries, classes, m)
    rows = tuple(tuple(1 if l == code else -1 for l in range(len(order))) for code in codes)
    return Codes(rows, order, SINGLE)


def read_both(predicted: LabelSets, Y: LabelSets, classes: Labels | None) -> tuple[Codes, Codes]:
    """The signs of predictions and of what is right, over the same classes.

    Without `classes`, the classes are 0, …, k − 1 if either argument holds rows of signs, and else
    the labels that occur in either.

    >>> given, right = read_both([{0}, {2}], [[1, -1, -1], [1, 1, -1]], None)
    >>> given.rows, right.rows
    (((1, -1, -1), (-1, -1, 1)), ((1, -1, -1), (1, 1, -1)))
    """
    both = _entries(predicted, "predicted"), _entries(Y, "Y")
    if classes is None:
        listed = [entries for entries in both if isinstance(entries[0], (list, tuple))]
        signs = [entries for entries in listed if not _are_sets(entries)]
        if signs:
            classes = range(len(signs[-1][0]))
        else:
            sets = [entries if _are_sets(entries) else [[e] for e in entries] for entries in both]
            found = [label for entries in sets for entry in entries for label in entry]
            if not found:
                raise DataError("Y: no label occurs in any set; give classes=")
            classes = read_labels(found, None, len(found))[1]
    m = len(both[1])
    return read_codes(predicted, classes, m, "predicted"), read_codes(Y, classes, m)


def _entries(Y: LabelSets, name: str) -> list[Any]:
    return [
        plain(entry) for entry in as_sequence(Y, f"{name}: expected a sequence, one entry a row")
    ]


def _are_sets(entries: Sequence[Any]) -> bool:
    """Whether the entries are label sets: there are sets, lists of text, or only empty lists."""
    lists = [entry for entry in entries if isinstance(entry, (list, tuple))]
    inner = [v for entry in lists for v in entry]
    has_text, are_empty = any(isinstance(v, str) for v in inner), bool(lists) and not inner
    return has_text or are_empty or any(isinstance(entry, AbstractSet) for entry in entries)


def _from_sets(entries: Sequence[Any], classes: Labels | None, name: str) -> Codes:
    for i, entry in enumerate(entries):
        if not isinstance(entry, (AbstractSet, list, tuple)):
            raise DataError(f"{name}: row {i}: expected a set of labels, got {shown(entry)}")
    # sets have no order of their own, and a message must not depend on the hash seed
    given = [(i, label) for i, entry in enumerate(entries) for label in sorted(entry, key=shown)]
    if not given and classes is None:
        raise DataError(f"{name}: no row has a label; give classes=")
    labels = [label for _, label in given]
    order = (
        read_classes(classes) if classes is not None else read_labels(labels, None, len(labels))[1]
    )
    for i, label in given:
        check_label(label, order, f"{name}: row {i}")
    rows = tuple(tuple(1 if label in entry else -1 for label in order) for entry in entries)
    return Codes(rows, order, SETS)


def _from_rows(entries: Sequence[Any], classes: Labels | None, name: str) -> Codes:
    lists = [list(entry) if isinstance(entry, (list, tuple)) else None for entry in entries]
    k = len(lists[0] or ())
    for i, row in enumerate(lists):
        if row is None or not row or len(row) != k:
            wanted = f"{k} signs, as in row 0" if k else "a list of signs"
            raise DataError(f"{name}: row {i}: expected {wanted}, got {shown(entries[i])}")
    found = [[plain(v) for v in row or ()] for row in lists]
    low = 0 if any(v == 0 for row in found for v in row) else -1
    for i, row in enumerate(found):
        for l, v in enumerate(row):
            if v not in (low, 1):
                raise DataError(
                    f"{name}: row {i}, label {l}: expected {low} or 1, got {shown(v)}; "
                    "rows hold only -1 and 1, or only 0 and 1"
                )
    order: tuple[Label, ...] = tuple(range(k)) if classes is None else read_classes(classes)
    if len(order) != k:
        raise ParameterError(f"classes: expected {k}, one for each sign of a row, got {len(order)}")
    return Codes(tuple(tuple(1 if v == 1 else -1 for v in row) for row in found), order, SETS)
