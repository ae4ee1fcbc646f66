"""The nodes of a decision tree as JSON records, and back: a node a line, so depth is no limit.

Many tied cuts of a column are saved as runs of positions among its `thresholds`, see `ties`. What
doesn't fit raises `FormatError` naming the field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from refmc.core.cells import NUMBER
from refmc.core.records import Record, check_fields, entries, items, numbers
from refmc.core.sample import Label
from refmc.core.saving import saved_row
from refmc.core.ties import TiePolicy
from refmc.errors import FormatError
from refmc.learn.trees.nodes import CostMatrix, Node, Weight, choices_of, expected_costs
from refmc.learn.trees.questions import (
    Question,
    number_as_saved,
    question_from_record,
    question_to_record,
    read_column,
)
from refmc.learn.trees.ties import CutRuns, cut_runs, joined, parts_of
from refmc.theory.impurity import Impurity


def saved_nodes(nodes: Sequence[Node], width: int, costs: bool) -> dict[str, object]:
    """The field `nodes`, and `thresholds`, a list a column, if tied cuts refer to them.

    `costs`: whether nodes have costs that don't follow from their counts.
    """
    parts = (part for node in nodes for part in parts_of(node.tied))
    named = {part.column: part.thresholds for part in parts if isinstance(part, CutRuns)}
    rows = [saved_row(named.get(j, ())) for j in range(width)]
    thresholds: dict[str, object] = {"thresholds": rows} if named else {}
    return thresholds | {"nodes": [_node_to_record(node, costs) for node in nodes]}


def _node_to_record(node: Node, costs: bool) -> dict[str, object]:
    record: dict[str, object] = {"number": node.number, "counts": saved_row(node.counts)}
    if costs and node.costs is not None:
        record["costs"] = saved_row(node.costs)
    if node.question is not None and node.negative is not None and node.positive is not None:
        record |= {
            "question": question_to_record(node.question),
            "negative": node.negative.number,
            "positive": node.positive.number,
            "tied": [entry for part in parts_of(node.tied) for entry in _part_to_records(part)],
        }
    return record


def _part_to_records(part: Sequence[Question]) -> list[dict[str, object]]:
    if isinstance(part, CutRuns):
        runs = [[run[0], run[-1], run.step] for run in part.ranges()]
        return [{"column": part.column, "runs": runs}]
    return [question_to_record(question) for question in part]


def read_nodes(
    model: Record,
    kinds: tuple[str, ...],
    classes: tuple[Label, ...],
    impurity: Impurity,
    cost: CostMatrix | None,
    tie: TiePolicy,
) -> tuple[list[Node], dict[int, tuple[int, int]]]:
    """The nodes without their children, and the numbers of the children."""
    columns = _Columns(kinds, _thresholds(model.get("thresholds"), kinds))
    records = _records_by_number(model["nodes"])
    links = _links(records)
    depths = _depths(records, links)
    counts = {
        number: _counts(record, f"model.nodes: node {number}", len(classes))
        for number, record in records.items()
    }
    costs = {
        number: _costs(record, f"model.nodes: node {number}", counts[number], cost)
        for number, record in records.items()
    }
    if len({found is None for found in costs.values()}) > 1:
        raise FormatError("model.nodes: expected costs at all nodes, or at none")
    nodes = []
    for number, record in records.items():
        place = f"model.nodes: node {number}"
        F = impurity(counts[number])
        size = sum(counts[number])
        node = Node(
            number=number,
            depth=depths[number],
            counts=counts[number],
            size=size,
            impurity=F,
            choices=choices_of(counts[number], costs[number]),
            costs=costs[number],
            classes=classes,
            tie=tie,
        )
        if number in links:
            negative, positive = (counts[child] for child in links[number])
            for what, part in (("counts", counts), ("costs", costs)):
                own, *below = (part[n] or () for n in (number, *links[number]))
                if [a + b for a, b in zip(*below)] != list(own):
                    raise FormatError(f"{place}: the children's {what} don't add up to its own")
            remaining = impurity(negative) * sum(negative) + impurity(positive) * sum(positive)
            node = _asking(node, record, place, columns, F - remaining / Fraction(size))
        nodes.append(node)
    return nodes, links


class _Columns(NamedTuple):
    """The kind of each column, and the thresholds that runs of cuts refer to."""

    kinds: tuple[str, ...]
    thresholds: tuple[tuple[float | Fraction, ...], ...]


def _thresholds(value: object, kinds: tuple[str, ...]) -> tuple[tuple[float | Fraction, ...], ...]:
    if value is None:
        return ((),) * len(kinds)
    rows = items(value, "model.thresholds")
    if len(rows) != len(kinds):
        raise FormatError(f"model.thresholds: expected {len(kinds)} lists, one a column")
    return tuple(_increasing(row, f"model.thresholds[{j}]") for j, row in enumerate(rows))


def _increasing(value: object, place: str) -> tuple[float | Fraction, ...]:
    found = tuple(number_as_saved(a, place) for a in entries(value, place))
    if any(a >= b for a, b in pairwise(found)):
        raise FormatError(f"{place}: expected increasing numbers")
    return found


def _asking(node: Node, record: Record, place: str, columns: _Columns, decrease: Any) -> Node:
    return replace(
        node,
        question=question_from_record(record["question"], f"{place}.question", columns.kinds),
        decrease=decrease,
        tied=_tied(record["tied"], f"{place}.tied", columns),
    )


def _tied(value: object, place: str, columns: _Columns) -> Sequence[Question]:
    given = items(value, place)
    parts: list[Sequence[Question]] = []
    for has_runs, group in groupby(given, _has_runs):
        if has_runs:
            parts += [_cuts(entry, place, columns) for entry in group]
        else:
            parts.append(
                tuple(question_from_record(entry, place, columns.kinds) for entry in group)
            )
    return joined(parts)


def _has_runs(entry: object) -> bool:
    return isinstance(entry, Mapping) and "runs" in entry


def _cuts(record: Any, place: str, columns: _Columns) -> Sequence[Question]:
    """The cuts of {"column": …, "runs": …}."""
    check_fields(record, place, required=["column", "runs"])
    column = read_column(record["column"], f"{place}.column", columns.kinds, NUMBER)
    thresholds = columns.thresholds[column]
    runs = items(record["runs"], f"{place}.runs")
    read = [_run(run, f"{place}.runs[{i}]", len(thresholds)) for i, run in enumerate(runs)]
    return cut_runs(column, thresholds, read)


def _run(value: object, place: str, count: int) -> range:
    """[first, last, step], positions among so many thresholds."""
    run = [_whole(entry, place) for entry in items(value, place)]
    if len(run) == 3 and run[2] and run[0] <= run[1] < count:
        positions = range(run[0], run[1] + 1, run[2])
        if positions[-1] == run[1] and (len(positions) > 1 or run[2] == 1):
            return positions
    raise FormatError(
        f"{place}: expected [first, last, step] with first ≤ last < {count}, the number of "
        f"thresholds, and a whole number of steps between; for one cut a step of 1; got {run}"
    )


def _records_by_number(value: object) -> dict[int, Record]:
    records: dict[int, Record] = {}
    for i, entry in enumerate(items(value, "model.nodes")):
        place = f"model.nodes[{i}]"
        if not isinstance(entry, Mapping):
            raise FormatError(f"{place}: expected an object")
        inner = ["question", "negative", "positive", "tied"] if "question" in entry else []
        check_fields(entry, place, required=["number", "counts", *inner], optional=["costs"])
        number = _whole(entry["number"], f"{place}.number")
        if number in records:
            raise FormatError(f"{place}.number: {number} is given twice")
        records[number] = entry
    return records


def _links(records: Mapping[int, Record]) -> dict[int, tuple[int, int]]:
    """The children of each inner node; every node but the root is the child of exactly one."""
    links: dict[int, tuple[int, int]] = {}
    parents: dict[int, int] = {}
    for number, record in records.items():
        if "question" not in record:
            continue
        place = f"model.nodes: node {number}"
        pair = (
            _whole(record["negative"], f"{place}.negative"),
            _whole(record["positive"], f"{place}.positive"),
        )
        for child in pair:
            if child not in records or child <= number or child in parents:
                raise FormatError(
                    f"{place}: child {child} is missing, or has another parent, or no larger number"
                )
            parents[child] = number
        links[number] = pair
    if len(parents) != len(records) - 1:
        raise FormatError("model.nodes: expected one root, and every other node below it")
    return links


def _depths(records: Mapping[int, Record], links: Mapping[int, tuple[int, int]]) -> dict[int, int]:
    depths = dict.fromkeys(records, 0)
    for number in sorted(records):
        for child in links.get(number, ()):
            depths[child] = depths[number] + 1
    return depths


def _counts(record: Record, place: str, k: int) -> tuple[Weight, ...]:
    lifted = numbers(record["counts"], f"{place}.counts")
    if len(lifted) != k or any(count < 0 for count in lifted) or not any(lifted):
        raise FormatError(f"{place}.counts: expected {k} numbers of at least 0, not all of them 0")
    given = items(record["counts"], f"{place}.counts")
    return tuple(
        count.numerator if isinstance(raw, int) else count for raw, count in zip(given, lifted)
    )


def _costs(
    record: Record, place: str, counts: Sequence[Any], cost: CostMatrix | None
) -> tuple[Any, ...] | None:
    """What each label costs at a node: as saved, or by its counts where the tree has a matrix."""
    if "costs" not in record:
        return None if cost is None else expected_costs(counts, cost)
    found = tuple(numbers(record["costs"], f"{place}.costs"))
    if cost is not None or len(found) != len(counts) or any(value < 0 for value in found):
        raise FormatError(
            f"{place}.costs: expected {len(counts)} numbers of at least 0, and no model.cost"
        )
    return found


def _whole(value: object, place: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise FormatError(f"{place}: expected a whole number of at least 0")
    return value
