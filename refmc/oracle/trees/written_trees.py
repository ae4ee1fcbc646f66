"""Trees, their questions and exact amounts, read from records.

A tree is {"nodes": […]}, the root first. An inner node is {"question": …, "negative": node for no,
"positive": node for yes}; a leaf has none of these; "label" is optional in both. A question is one
about a column (see `oracle.columns`), {"coefficients": d numbers, "bound": a number} or {"center":
d numbers, "radius": a number}. Of the last two kinds, floats may round the numbers of a candidate,
or of a question of the tree that is pruned, which is then the one that is meant. Nodes are named by
position, or by "number" where they have one; "counts" and "tied" of nodes, and the tree's
"thresholds" that these refer to, which refmc writes too, are not judged.

Or a tree is scikit-learn's arrays, {"children_left", "children_right", "feature", "threshold", and
optionally "labels", one for each node}; its left child is the one for yes; with "strict": true the
questions are x < a.

An amount, such as a λ or a risk, is a number, or {"log2": {"3": "1/2", …}}, the sum of coefficients
times logarithms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from refmc.checker.numbers.logarithms import LogSum
from refmc.checker.numbers.rounding import Rounded
from refmc.checker.trees.data import Linear, Node, Question, Sample, Sphere, shape_fault
from refmc.core.records import Record, at_least_0, items, number, read_object
from refmc.core.sample import Label
from refmc.core.scalars import shown
from refmc.errors import FormatError
from refmc.oracle.columns import (
    MEMBERSHIP,
    QUESTION_PARTS,
    THRESHOLD,
    read_question,
    read_threshold,
)
from refmc.oracle.declaring import part, record_of, unjudged
from refmc.oracle.forms import (
    ANY,
    ARRAY,
    LABEL,
    LABELS,
    LOGARITHMS,
    NUMBER,
    NUMBERS,
    QUESTION,
    TRUTH,
    WHOLE,
    Fields,
    either,
    list_of,
)
from refmc.oracle.reading import label_position, log_terms, row_of, truth_at, whole
from refmc.oracle.rounded import meant

INNER = ("question", "negative", "positive")
ARRAYS = ("children_left", "children_right", "feature", "threshold")

_OF_ALL: Fields = {"label": LABEL, "number": WHOLE, "counts": ANY, "costs": ANY, "tied": ANY}
LEAF = record_of({}, _OF_ALL)
NODE = record_of({"question": QUESTION, "negative": WHOLE, "positive": WHOLE}, _OF_ALL)
NODES = record_of({"nodes": list_of(either(NODE.schema(), LEAF.schema()))}, {"thresholds": ANY})
TREE_ARRAYS = record_of(dict.fromkeys(ARRAYS, ARRAY), {"labels": LABELS, "strict": TRUTH})
LINEAR = record_of({"coefficients": NUMBERS, "bound": NUMBER})
SPHERE = record_of({"center": NUMBERS, "radius": NUMBER})
LOG2 = record_of({"log2": LOGARITHMS})

DEFS = {
    "tree": either(NODES.schema(), TREE_ARRAYS.schema()),
    "question": either(*(form.schema() for form in (LINEAR, SPHERE, MEMBERSHIP, THRESHOLD))),
    "amount": either(NUMBER, LOG2.schema()),
}
IN_QUESTION = (
    *QUESTION_PARTS,
    part("coefficients", NUMBERS, axes=("columns",)),
    part("center", NUMBERS, axes=("columns",)),
)
IN_NODE = (
    part("label", LABEL),
    part("question", QUESTION, parts=IN_QUESTION),
    *(unjudged(name, "not judged") for name in ("counts", "costs", "tied")),
)
IN_TREE = (
    part("nodes", ANY, parts=IN_NODE),
    part("labels", LABELS),
    part("feature", ARRAY, points="columns"),
    unjudged("thresholds", "not judged"),
)


class Known(NamedTuple):
    """What a tree is about. `questions`: those that the floats of its questions may stand for."""

    sample: Sample
    classes: tuple[Label, ...]
    questions: Sequence[Question | None] = ()


def read_tree(value: object, place: str, known: Known) -> list[Node]:
    """A tree of nodes, or of scikit-learn's arrays."""
    record = read_object(value, place)
    if "nodes" in record:
        NODES.check(record, place)
        tree = _from_nodes(record, place, known)
    elif "children_left" in record:
        tree = _from_arrays(record, place, known.classes)
    else:
        raise FormatError(f"{place}: expected an object with nodes, or with children_left")
    fault = shape_fault(tree, known.sample)
    if fault is not None:
        raise FormatError(f"{place}: node {fault[0]} {fault[1]}")
    return tree


def _from_nodes(record: Record, place: str, known: Known) -> list[Node]:
    """Nodes as refmc writes them: children by position, or by `number` where nodes have one."""
    nodes = [
        read_object(entry, f"{place}.nodes[{n}]")
        for n, entry in enumerate(items(record["nodes"], f"{place}.nodes"))
    ]
    names = [
        whole(node.get("number", n), f"{place}.nodes[{n}].number") for n, node in enumerate(nodes)
    ]
    position = {name: n for n, name in enumerate(names)}
    if len(position) != len(names):
        raise FormatError(f"{place}.nodes: two nodes have one number")
    tree = []
    for n, node in enumerate(nodes):
        where = f"{place}.nodes[{n}]"
        label = None
        if "label" in node:
            label = label_position(node["label"], f"{where}.label", known.classes)
        if not any(name in node for name in INNER):
            LEAF.check(node, where)
            tree.append(Node(label=label))
            continue
        NODE.check(node, where)
        children = []
        for name in INNER[1:]:
            child = whole(node[name], f"{where}.{name}")
            if child not in position:
                raise FormatError(f"{where}.{name}: there is no node {shown(child)}")
            children.append(position[child])
        question = read_any_question(node["question"], f"{where}.question", known)
        tree.append(Node(question, children[0], children[1], label))
    return tree


def read_any_question(value: object, place: str, known: Known) -> Question:
    """A question about a column, a linear or a sphere one; or the known one that it rounds."""
    record, width = read_object(value, place), len(known.sample.X[0])
    kind: type[Linear | Sphere]
    if "coefficients" in record or "bound" in record:
        form, kind, names, read = LINEAR, Linear, ("coefficients", "bound"), number
    elif "center" in record or "radius" in record:
        form, kind, names, read = SPHERE, Sphere, ("center", "radius"), at_least_0
    else:
        return read_question(value, place, known.sample.columns, width)
    form.check(record, place)
    vector, scalar = (record[name] for name in names)
    numbers = row_of(vector, f"{place}.{names[0]}", width)
    question = kind(tuple(numbers), read(scalar, f"{place}.{names[1]}"))
    given = [meant(v, place) for v in [*items(vector, place), scalar]]
    return next((q for q in known.questions if type(q) is kind and _may_be(given, q)), question)


def _may_be(given: Sequence[Rounded], known: Question) -> bool:
    """Whether the numbers of a question may stand for those of a known one."""
    vector, scalar = vars(known).values()
    return all(v.holds(right) for v, right in zip(given, [*vector, scalar], strict=True))


def _from_arrays(record: Record, place: str, classes: tuple[Label, ...]) -> list[Node]:
    """A tree of scikit-learn's arrays: a leaf has the children -1, and its other entries mean
    nothing."""
    TREE_ARRAYS.check(record, place)
    strict = truth_at(record.get("strict", False), f"{place}.strict")
    arrays: dict[str, Sequence[Any]] = {
        name: items(record[name], f"{place}.{name}") for name in record if name != "strict"
    }
    count = len(arrays["children_left"])
    for name, array in arrays.items():
        if len(array) != count:
            raise FormatError(f"{place}.{name}: expected {count}, one a node, got {len(array)}")
    tree = []
    for n in range(count):
        label = None
        if "labels" in arrays:
            label = label_position(arrays["labels"][n], f"{place}.labels[{n}]", classes)
        left, right = (whole(arrays[name][n], f"{place}.{name}[{n}]", -1) for name in ARRAYS[:2])
        if left == right == -1:
            tree.append(Node(label=label))
            continue
        column = whole(arrays["feature"][n], f"{place}.feature[{n}]", 0)
        where = f"{place}.threshold[{n}]"
        question = read_threshold(arrays["threshold"][n], where, column, strict)
        tree.append(Node(question, right, left, label))
    return tree


def read_amount(value: object, place: str) -> LogSum:
    """A number, or a sum of logarithms in an object with the field log2."""
    if not isinstance(value, Mapping):
        return LogSum(number(value, place))
    LOG2.check(value, place)
    return log_terms(value["log2"], f"{place}.log2")
