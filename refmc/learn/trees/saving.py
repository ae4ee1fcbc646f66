"""Decision trees as JSON, and back: the tree, its nodes, and their questions.

Each node is a record by itself, on a line of its own, so that trees may be thousands of nodes deep.
Where many cuts of a column tie, they are saved as runs of positions among the column's
`thresholds`; see `runs`. What doesn't fit raises `FormatError` naming the field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Any

from refmc.core.cells import NUMBER
from refmc.core.records import Record, check_fields, entries, items, numbers, read_object, text
from refmc.core.records import number as read_number
from refmc.core.saving import read_saved, read_titles, saved_number, saved_row
from refmc.core.ties import TiePolicy
from refmc.errors import FormatError, ParameterError
from refmc.learn.trees.nodes import CostMatrix, Node, Weight, expected_costs, linked
from refmc.learn.trees.questions import CategoricalQuestion, NumericQuestion, Question
from refmc.learn.trees.runs import CutRuns, cut_runs, parts_of
from refmc.learn.trees.ties import joined
from refmc.theory.impurity import Impurity, entropy, gini, misclassification

KIND, VERSION = "decision-tree", 2

IMPURITIES: dict[str, Impurity] = {
    "gini": gini,
    "entropy": entropy,
    "misclassification": misclassification,
}

Thresholds = tuple[float | Fraction, ...]


def read_tree(record: Record, tie: TiePolicy) -> tuple[Any, ...]:
    """The fields of the `DecisionTree` that `to_json` wrote; see `tree_from_record`."""
    names = ["kinds", "impurity", "cost", "nodes"]
    fields = read_saved(
        record, KIND, VERSION, names, optional=["categories", "thresholds"], has_arithmetic=False
    )
    classes, (kinds, categories) = fields.classes, fields.columns()
    impurity, cost = fields.choice("impurity", IMPURITIES), fields.unless_null(fields.rows, "cost")
    if cost is not None and (len(cost), len(cost[0])) != (len(classes), len(classes)):
        raise FormatError(f"model.cost: expected {len(classes)} rows of {len(classes)}")
    if cost is not None and record["version"] == 1:  # its rows were for what is right
        cost = tuple(zip(*cost))
    thresholds = _thresholds(record.get("thresholds"), kinds)
    records = _records_by_number(record["nodes"])
    links = _links(records)
    depths = dict.fromkeys(records, 0)
    nodes: dict[int, Node] = {}
    for number in sorted(records):  # parents before their children, whose numbers are larger
        for child in links.get(number, ()):
            depths[child] = depths[number] + 1
        place = f"model.nodes: node {number}"
        counts = _counts(records[number], place, len(classes))
        costs, F = _costs(records[number], place, counts, cost), impurity(counts)
        nodes[number] = Node(number, depths[number], counts, F, classes, tie, costs=costs)
    if len({node.costs is None for node in nodes.values()}) > 1:
        raise FormatError("model.nodes: expected costs at all nodes, or at none")
    for number, below in links.items():
        node, children = nodes[number], [nodes[child] for child in below]
        place = f"model.nodes: node {number}"
        for what, (own, *parts) in (
            ("counts", [n.counts for n in (node, *children)]),
            ("costs", [n.costs or () for n in (node, *children)]),
        ):
            if tuple(map(sum, zip(*parts))) != own:
                raise FormatError(f"{place}: the children's {what} don't add up to its own")
        remaining = sum((child.impurity * child.size for child in children), Fraction(0))
        nodes[number] = replace(
            node,
            question=question_from_record(records[number]["question"], f"{place}.question", kinds),
            decrease=node.impurity - remaining / Fraction(node.size),
            tied=_tied(records[number]["tied"], f"{place}.tied", kinds, thresholds),
        )
    root, titles = linked(list(nodes.values()), links), read_titles(record, len(kinds))
    return root, classes, kinds, categories, impurity, cost, tie, titles


def saved_nodes(nodes: Sequence[Node], width: int, costs: bool) -> dict[str, object]:
    """The field `nodes`, and if tied cuts refer to them `thresholds`, a list for each column.

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
    if node.question is None:
        return record
    tied: list[dict[str, object]] = []
    for part in parts_of(node.tied):
        if isinstance(part, CutRuns):
            runs = [[run[0], run[-1], run.step] for run in part.ranges()]
            tied.append({"column": part.column, "runs": runs})
        else:
            tied += map(question_to_record, part)
    negative, positive = (child.number for child in node.children)
    question = question_to_record(node.question)
    return record | {"question": question, "negative": negative, "positive": positive, "tied": tied}


def _thresholds(value: object, kinds: tuple[str, ...]) -> list[Thresholds]:
    """For each column the increasing thresholds to which runs of cuts refer."""
    if value is None:
        return [()] * len(kinds)
    rows = items(value, "model.thresholds")
    if len(rows) != len(kinds):
        raise FormatError(f"model.thresholds: expected {len(kinds)} lists, one for each column")
    found = []
    for j, row in enumerate(rows):
        place = f"model.thresholds[{j}]"
        found.append(tuple(number_as_saved(a, place) for a in entries(row, place)))
        if any(a >= b for a, b in pairwise(found[j])):
            raise FormatError(f"{place}: expected increasing numbers")
    return found


def _tied(
    value: object, place: str, kinds: tuple[str, ...], thresholds: Sequence[Thresholds]
) -> Sequence[Question]:
    parts: list[Sequence[Question]] = []
    given: Sequence[Any] = items(value, place)
    for has_runs, group in groupby(given, lambda one: isinstance(one, Mapping) and "runs" in one):
        if not has_runs:
            parts.append(tuple(question_from_record(one, place, kinds) for one in group))
            continue
        for record in group:  # {"column": …, "runs": …}
            check_fields(record, place, required=["column", "runs"])
            column = read_column(record["column"], f"{place}.column", kinds, NUMBER)
            own = thresholds[column]
            runs = items(record["runs"], f"{place}.runs")
            read = [_run(run, f"{place}.runs[{i}]", len(own)) for i, run in enumerate(runs)]
            parts.append(cut_runs(column, own, read))
    return joined(parts)


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
    for i, node in enumerate(items(value, "model.nodes")):
        place = f"model.nodes[{i}]"
        entry = read_object(node, place)
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
        negative, positive = (
            _whole(record[side], f"{place}.{side}") for side in ("negative", "positive")
        )
        for child in (negative, positive):
            if child not in records or child <= number or child in parents:
                raise FormatError(
                    f"{place}: child {child} is missing, or has another parent, or no larger number"
                )
            parents[child] = number
        links[number] = negative, positive
    if len(parents) != len(records) - 1:
        raise FormatError("model.nodes: expected one root, and every other node below it")
    return links


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


def question_to_record(question: Question) -> dict[str, object]:
    """A question as plain JSON values; `ParameterError` unless it is of one of refmc's kinds."""
    match question:
        case NumericQuestion(column, threshold):
            return {"column": column, "threshold": saved_number(threshold)}
        case CategoricalQuestion(column, values):
            return {"column": column, "values": list(values)}
    from refmc.learn.trees.surfaces import LinearQuestion, SphereQuestion  # few trees ask these

    match question:
        case LinearQuestion(coefficients, bound):
            return {"coefficients": saved_row(coefficients), "bound": saved_number(bound)}
        case SphereQuestion(center, radius):
            return {"center": saved_row(center), "radius": saved_number(radius)}
    raise ParameterError(f"question: {question!r} can't be saved; only refmc's own kinds can")


def question_from_record(given: object, place: str, kinds: Sequence[str]) -> Question:
    """The question that `question_to_record` wrote, for columns of these kinds."""
    value = read_object(given, place)
    if "threshold" in value:
        check_fields(value, place, required=["column", "threshold"])
        column = read_column(value["column"], f"{place}.column", kinds, "number")
        return NumericQuestion(column, number_as_saved(value["threshold"], f"{place}.threshold"))
    if "values" in value:
        check_fields(value, place, required=["column", "values"])
        column = read_column(value["column"], f"{place}.column", kinds, "category")
        named = items(value["values"], f"{place}.values")
        return CategoricalQuestion(column, tuple(text(v, f"{place}.values") for v in named))
    from refmc.learn.trees.surfaces import LinearQuestion, SphereQuestion

    if "bound" in value:
        check_fields(value, place, required=["coefficients", "bound"])
        coefficients = _vector(value["coefficients"], f"{place}.coefficients", kinds)
        return LinearQuestion(coefficients, number_as_saved(value["bound"], f"{place}.bound"))
    check_fields(value, place, required=["center", "radius"])
    center = _vector(value["center"], f"{place}.center", kinds)
    radius = number_as_saved(value["radius"], f"{place}.radius")
    if radius < 0:
        raise FormatError(f"{place}.radius: expected at least 0")
    return SphereQuestion(center, radius)


def number_as_saved(value: object, place: str) -> float | Fraction:
    """A saved number in the type that it had.

    Only Fractions, and whole numbers beyond 2^53, are saved as text.
    """
    lifted = read_number(value, place)
    if isinstance(value, (int, float)):
        return value
    is_long = lifted.denominator == 1 and abs(lifted) > 2**53
    return lifted.numerator if is_long else lifted


def _vector(value: object, place: str, kinds: Sequence[str]) -> tuple[float | Fraction, ...]:
    length = len(numbers(value, place))
    if length != len(kinds):
        raise FormatError(f"{place}: expected {len(kinds)} numbers, got {length}")
    return tuple(number_as_saved(v, f"{place}[{j}]") for j, v in enumerate(items(value, place)))


def read_column(value: object, place: str, kinds: Sequence[str], kind: str) -> int:
    """The position of a column of this kind."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < len(kinds):
        raise FormatError(f"{place}: expected a column from 0 to {len(kinds) - 1}")
    if kinds[value] != kind:
        raise FormatError(f"{place}: column {value} holds a {kinds[value]}, not a {kind}")
    return value
