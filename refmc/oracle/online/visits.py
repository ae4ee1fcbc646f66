"""The visits of a run: which rows are looked at, epoch by epoch or draw by draw, and how many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle, islice
from typing import Any

from refmc.checker.online.states import Visit
from refmc.core import sample
from refmc.core.records import Record, at, items, numbers
from refmc.core.scalars import plain, shown
from refmc.errors import FormatError
from refmc.oracle.declaring import count, part, shuffled
from refmc.oracle.fields import Choices, Reading, Sizes
from refmc.oracle.forms import WHOLE, WHOLES, either, list_of
from refmc.oracle.reading import each, whole


def _order_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    rows = range(sizes["rows"])
    return {"order": draws.one_of([shuffled(rows, draws), draws.row(len(rows), rows)])}


EPOCHS = count("epochs", "times through the rows", 1, 1, [2, 3])
ORDER = part(
    "order", either(WHOLES, list_of(WHOLES)), points="rows", draws=_order_drawn,
    says="the rows in the order in which each epoch visits them, or a list of these for each epoch",
)  # fmt: skip
DRAWS = part(
    "draws", WHOLES, "instead of `T`: the rows as drawn; `weights` repeat none", points="rows",
    draws=lambda draws, problem, sizes: {
        "draws": draws.row(1 + draws.below(4), range(sizes["rows"]))
    },
)  # fmt: skip
T = part("T", WHOLE, "how many rows are drawn, each in turn", draws=[3, 1, 2, 4])

MAX_STEPS = 200_000
"""The most steps of a run: epochs of few rows would else be written out without end."""

MAX_ENTRIES = 5_000_000
"""The most numbers in all the states of a run."""


def epoch_visits(reading: Reading, m: int, width: int) -> tuple[Visit, ...]:
    """The visits of `epochs` (1 if absent) in the `order` of rows, each in turn if absent.

    Refuses runs of more than `MAX_STEPS` steps, or whose states, of `width` numbers each, have more
    than `MAX_ENTRIES` in all.

    `order` is a list of positions for all epochs, or a list of one such list for each epoch. With
    `weights`, whole numbers, each turn of a row has as many visits as its weight.

    >>> from refmc.oracle.fields import Declared
    >>> run = Declared((EPOCHS, ORDER)).read({"epochs": 2, "order": [1, 0]})
    >>> [visit.row for visit in epoch_visits(run, 2, 1)]
    [1, 0, 1, 0]
    """
    counts, epochs = _counts(reading.record, m), reading[EPOCHS]
    given = items(reading.record.get("order", range(m)), "problem.order")
    if isinstance(plain(given[0]), Sequence) and not isinstance(given[0], str):
        if len(given) != epochs:
            raise FormatError(
                f"problem.order: expected {shown(epochs)} lists, one an epoch, got {len(given)}"
            )
        lists = [items(order, f"problem.order[{e}]") for e, order in enumerate(given)]
        _check_steps(sum(map(len, lists)), width, "problem.order")
        orders = [_positions(order, f"problem.order[{e}]", m) for e, order in enumerate(lists)]
    else:
        _check_steps(epochs * len(given), width, "problem.epochs")
        orders = [_positions(given, "problem.order", m)] * epochs
    if counts is not None:
        _check_steps(sum(counts[i] for order in orders for i in order), width, "problem.weights")
        orders = [[i for i in order for _ in range(counts[i])] for order in orders]
        if not all(orders):
            raise FormatError("problem.weights: the rows of an epoch have no weight")
    rows = [(epoch, row) for epoch, order in enumerate(orders, 1) for row in order]
    return tuple(Visit(t, epoch, row) for t, (epoch, row) in enumerate(rows, 1))


def _check_steps(steps: int, width: int, place: str) -> None:
    """Refuse a run of too many steps, or of too many numbers, before its visits are listed."""
    if steps > MAX_STEPS:
        raise FormatError(f"{place}: {shown(steps)} steps; expected at most {MAX_STEPS}")
    if steps * width > MAX_ENTRIES:
        raise FormatError(
            f"{place}: {steps} steps of {width} numbers; expected at most {MAX_ENTRIES} in all"
        )


def orders_of(visits: Sequence[Visit]) -> list[list[int]]:
    """The rows of each epoch in the order of their visits.

    >>> orders_of((Visit(1, 1, 4), Visit(2, 2, 0)))
    [[4], [0]]
    """
    orders: list[list[int]] = [[] for _ in range(visits[-1].epoch)]
    for visit in visits:
        orders[visit.epoch - 1].append(visit.row)
    return orders


def drawn_visits(reading: Reading, m: int, width: int) -> tuple[Visit, ...]:
    """The visits of `draws`, or of `T` draws of each row in turn; refuses as `epoch_visits`.

    With `weights`, whole numbers, each row is drawn so often at its turn.

    >>> from refmc.oracle.fields import Declared
    >>> [visit.row for visit in drawn_visits(Declared((DRAWS, T)).read({"T": 3}), 2, 1)]
    [0, 1, 0]
    """
    record = reading.record
    counts = _counts(record, m)
    if "draws" in record:
        rows = _positions(record["draws"], "problem.draws", m)
        _check_steps(len(rows), width, "problem.draws")
    else:
        steps = whole(record["T"], "problem.T", 1)
        _check_steps(steps, width, "problem.T")
        turns = range(m) if counts is None else (i for i in range(m) for _ in range(counts[i]))
        rows = list(islice(cycle(turns), steps))
    return tuple(Visit(t, 1, row) for t, row in enumerate(rows, 1))


def _counts(record: Record, m: int) -> tuple[int, ...] | None:
    """How often each row is seen at its turn; None where it is once."""
    if "weights" not in record:
        return None
    given = numbers(record["weights"], "problem.weights")
    return at("problem", lambda: sample.row_counts(given, m))


def _positions(value: object, place: str, m: int) -> list[int]:
    found = each(whole, value, place)
    for i, row in enumerate(found):
        if row >= m:
            raise FormatError(f"{place}[{i}]: expected a row from 0 to {m - 1}, got {shown(row)}")
    return found
