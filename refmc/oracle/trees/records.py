"""The families `tree.grow` and `tree.prune`: problems and answers, read from records.

Both problems hold a sample:

    "X": m rows of numbers and categories, "y": m labels, "classes": labels in order (optional),
    "columns": names (optional), "categorical": names or positions of columns of strings (optional),
    "weights": m numbers of at least 0 (optional), "cost": a row for each predicted class, in it a
    column for each right one (optional)

A tree is {"nodes": […]}, the root first. An inner node is {"question": …, "negative": node for no,
"positive": node for yes}; a leaf has none of these; "label" is optional in both. A question is one
about a column (see `oracle.columns`), {"coefficients": d numbers, "bound": a number} or {"center":
d numbers, "radius": a number}. Nodes are named by position, or by "number" where they have one;
"counts" and "tied" of nodes, and the tree's "thresholds" that these refer to, which refmc writes
too, are not judged.

Or a tree is scikit-learn's arrays, {"children_left", "children_right", "feature", "threshold", and
optionally "labels", one for each node}; its left child is the one for yes; with "strict": true the
questions are x < a.

A λ or a risk is a number, or {"log2": {"3": "1/2", …}}, the sum of coefficients times logarithms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from refmc.checker.numbers.logarithms import LogSum
from refmc.checker.trees import grow as tree_grow
from refmc.checker.trees import prune as tree_prune
from refmc.checker.trees.data import Linear, Node, Question, Sample, Sphere, Threshold, shape_fault
from refmc.checker.trees.impurity import NAMES
from refmc.core.records import Record, at, at_least_0, entries, items, limit, number, numbers
from refmc.core.sample import Label
from refmc.core.scalars import shown
from refmc.errors import FormatError
from refmc.learn.trees.search import check_lookahead
from refmc.oracle.columns import (
    CELLS,
    MEMBERSHIP,
    TABLE,
    THRESHOLD,
    check_fits,
    read_cells,
    read_question,
)
from refmc.oracle.costs import COST_FIELDS, read_costs, read_weights
from refmc.oracle.forms import (
    AMOUNT,
    ANY,
    ARRAY,
    LABEL,
    LABELS,
    LOGARITHMS,
    NUMBER,
    NUMBERS,
    QUESTION,
    REMARKS,
    TEXT,
    TREE,
    TRUTH,
    WHOLE,
    Fields,
    Form,
    Kind,
    choice,
    either,
    list_of,
    or_null,
)
from refmc.oracle.reading import (
    if_given,
    label_position,
    log_terms,
    one_of,
    read_answer,
    read_codes,
    read_object,
    truth,
    whole,
)

GROW, PRUNE = "tree.grow", "tree.prune"

INNER = ("question", "negative", "positive")
ARRAYS = ("children_left", "children_right", "feature", "threshold")
COST = "cost"

IMPURITY, RISK = choice(*NAMES), choice(*NAMES, COST)
THRESHOLDS, SCALE = choice("values", "midpoints"), choice("sum", "mean")

_SAMPLE: Fields = {"classes": LABELS, **CELLS, "weights": NUMBERS, **COST_FIELDS}
_GROWTH: Fields = {
    "impurity": IMPURITY,
    "weighted": TRUTH,
    "thresholds": THRESHOLDS,
    "max_splits": or_null(WHOLE),
    "min_leaf": WHOLE,
    "min_split": WHOLE,
    "max_depth": or_null(WHOLE),
    "min_impurity": NUMBER,
    "min_decrease": or_null(NUMBER),
    "lookahead": WHOLE,
    "candidates": list_of(QUESTION, 0),
}
_PRUNED: Fields = {"tree": TREE, "risk": RISK}
PROBLEM = {
    GROW: Form({"family": TEXT, "X": TABLE, "y": LABELS}, {**_SAMPLE, **_GROWTH}),
    PRUNE: Form({"family": TEXT, "X": TABLE, "y": LABELS, **_PRUNED}, {**_SAMPLE, "scale": SCALE}),
}
_NOT_JUDGED: Fields = {"number": WHOLE, "counts": ANY, "costs": ANY, "tied": ANY}
LEAF = Form(optional={"label": LABEL, **_NOT_JUDGED})
NODE = Form({"question": QUESTION, "negative": WHOLE, "positive": WHOLE}, LEAF.optional)
NODES = Form({"nodes": list_of(either(NODE.schema(), LEAF.schema()))}, {"thresholds": ANY})
TREE_ARRAYS = Form(dict.fromkeys(ARRAYS, ARRAY), {"labels": LABELS, "strict": TRUTH})
LINEAR = Form({"coefficients": NUMBERS, "bound": NUMBER})
SPHERE = Form({"center": NUMBERS, "radius": NUMBER})
LOG2 = Form({"log2": LOGARITHMS})
_CLAIMS: Fields = {
    "leaves": WHOLE,
    "leaf_nodes": list_of(WHOLE, 0),
    "collapsed": list_of(WHOLE, 0),
    "tree": TREE,
    "risk": AMOUNT,
}
_SOME: Kind = {"anyOf": [{"required": [name]} for name in _CLAIMS]}
STEP = Form(optional={"lam": AMOUNT, **_CLAIMS}, more=[_SOME])
STEPS = Form({"steps": list_of(STEP.schema())}, REMARKS)
PRUNED = Form({"lam": AMOUNT}, {**_CLAIMS, **REMARKS}, more=[_SOME])
GROWN = Form({"tree": TREE}, REMARKS)
FORMS = {GROW: ([PROBLEM[GROW]], [GROWN]), PRUNE: ([PROBLEM[PRUNE]], [STEPS, PRUNED])}
DEFS = {
    "tree": either(NODES.schema(), TREE_ARRAYS.schema()),
    "question": either(*(form.schema() for form in (LINEAR, SPHERE, MEMBERSHIP, THRESHOLD))),
    "amount": either(NUMBER, LOG2.schema()),
}


@dataclass(frozen=True)
class TreeProblem:
    """The sample, the labels that its class positions stand for, and what is asked of them."""

    sample: Sample
    classes: tuple[Label, ...]
    asked: tree_grow.GrowthProblem | tree_prune.PruningProblem

    @property
    def grow(self) -> tree_grow.GrowthProblem:
        """How a tree grows, of a problem of `tree.grow`."""
        assert isinstance(self.asked, tree_grow.GrowthProblem)
        return self.asked

    @property
    def prune(self) -> tree_prune.PruningProblem:
        """What is pruned, of a problem of `tree.prune`."""
        assert isinstance(self.asked, tree_prune.PruningProblem)
        return self.asked


def read_problem(record: Record) -> TreeProblem:
    """The problem of a record; `FormatError` names the field that is wrong.

    >>> problem = read_problem({"family": "tree.grow", "X": [["1/2"], [1]], "y": ["a", "b"]})
    >>> problem.sample.X, problem.grow.impurity
    ([[Fraction(1, 2)], [Fraction(1, 1)]], 'gini')
    """
    family = record.get("family")
    if family not in (GROW, PRUNE):
        raise FormatError(f"problem.family: expected {GROW} or {PRUNE}, got {shown(family)}")
    PROBLEM[family].check(record, "problem")
    sample, classes = _sample(record)
    if family == GROW:
        return TreeProblem(sample, classes, _growth(record, sample))
    prune = tree_prune.PruningProblem(
        sample=sample,
        tree=_tree(record["tree"], "problem.tree", sample, classes),
        risk=one_of(record, "risk", IMPURITY if sample.costs is None else RISK),
        per_row=one_of(record, "scale", SCALE) == "mean",
    )
    return TreeProblem(sample, classes, prune)


def read_grown(record: Record, problem: TreeProblem) -> list[Node]:
    """The tree of an answer of `tree.grow`."""
    read_answer(record, GROW, GROWN)
    return _tree(record["tree"], "answer.tree", problem.sample, problem.classes)


def read_steps(record: Record, problem: TreeProblem) -> list[tree_prune.Step]:
    """The steps of an answer of `tree.prune`."""
    read_answer(record, PRUNE, STEPS)
    return [
        _step(step, f"answer.steps[{i}]", problem)
        for i, step in enumerate(items(record["steps"], "answer.steps"))
    ]


def read_pruned(record: Record, problem: TreeProblem) -> tuple[LogSum, tree_prune.Claim]:
    """λ and what an answer of `tree.prune` says of the tree at it."""
    read_answer(record, PRUNE, PRUNED)
    lam = _amount(record["lam"], "answer.lam")
    if lam.sign() < 0:
        raise FormatError(f"answer.lam: expected at least 0, got {lam.text()}")
    return lam, _claim(record, "answer", problem)


def _sample(record: Record) -> tuple[Sample, tuple[Label, ...]]:
    cells = read_cells(record)
    y, order = read_codes(record, len(cells.X))
    sample = Sample(
        X=cells.X,
        y=y,
        k=len(order),
        weights=read_weights(record, len(cells.X)),
        costs=read_costs(record, y, len(order)),
        columns=cells.columns,
        classes=tuple(map(str, order)),
    )
    return sample, order


def _growth(record: Record, sample: Sample) -> tree_grow.GrowthProblem:
    least = record.get("min_decrease")
    growth = tree_grow.GrowthProblem(
        sample=sample,
        impurity=one_of(record, "impurity", IMPURITY),
        weighted=truth(record, "weighted", False),
        max_splits=_whole_or_none(record, "max_splits"),
        min_leaf=whole(record.get("min_leaf", 1), "problem.min_leaf", 1),
        min_split=whole(record.get("min_split", 2), "problem.min_split", 2),
        max_depth=_whole_or_none(record, "max_depth"),
        min_impurity=limit(record.get("min_impurity", 0), "problem.min_impurity"),
        min_decrease=None if least is None else limit(least, "problem.min_decrease"),
        lookahead=whole(record.get("lookahead", 0), "problem.lookahead"),
        candidates=_candidates(record, sample),
        midpoints=one_of(record, "thresholds", THRESHOLDS) == "midpoints",
    )
    if growth.lookahead:
        columns = [set(column) for column in zip(*sample.X)]
        sizes = [(len(values), isinstance(next(iter(values)), str)) for values in columns]
        rows, more = len(sample.X), len(growth.candidates)
        at("problem", lambda: check_lookahead(growth.lookahead, rows, sizes, more))
    return growth


def _candidates(record: Record, sample: Sample) -> tuple[Linear | Sphere, ...]:
    given = entries(record.get("candidates", ()), "problem.candidates")
    found = []
    for i, value in enumerate(given):
        place = f"problem.candidates[{i}]"
        question = _question(value, place, sample)
        if not isinstance(question, (Linear, Sphere)):
            raise FormatError(f"{place}: expected coefficients and bound, or center and radius")
        check_fits(question, place, sample.X)
        found.append(question)
    return tuple(found)


def _whole_or_none(record: Record, name: str) -> int | None:
    value = record.get(name)
    return None if value is None else whole(value, f"problem.{name}")


def _tree(value: object, place: str, sample: Sample, classes: tuple[Label, ...]) -> list[Node]:
    record = read_object(value, place)
    if "nodes" in record:
        NODES.check(record, place)
        tree = _from_nodes(record, place, sample, classes)
    elif "children_left" in record:
        tree = _from_arrays(record, place, classes)
    else:
        raise FormatError(f"{place}: expected an object with nodes, or with children_left")
    fault = shape_fault(tree, sample)
    if fault is not None:
        raise FormatError(f"{place}: node {fault[0]} {fault[1]}")
    return tree


def _from_nodes(
    record: Record, place: str, sample: Sample, classes: tuple[Label, ...]
) -> list[Node]:
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
        label = if_given(node, "label", partial(label_position, classes=classes), where)
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
        question = _question(node["question"], f"{where}.question", sample)
        tree.append(Node(question, children[0], children[1], label))
    return tree


def _question(value: object, place: str, sample: Sample) -> Question:
    """A question about a column, a linear or a sphere one."""
    record, width = read_object(value, place), len(sample.X[0])
    if "coefficients" in record or "bound" in record:
        LINEAR.check(record, place)
        coefficients = _vector(record["coefficients"], f"{place}.coefficients", width)
        return Linear(coefficients, number(record["bound"], f"{place}.bound"))
    if "center" in record or "radius" in record:
        SPHERE.check(record, place)
        radius = at_least_0(record["radius"], f"{place}.radius")
        return Sphere(_vector(record["center"], f"{place}.center", width), radius)
    return read_question(value, place, sample.columns, width)


def _vector(value: object, place: str, width: int) -> tuple[Fraction, ...]:
    found = tuple(numbers(value, place))
    if len(found) != width:
        raise FormatError(f"{place}: expected {width} numbers, one a column, got {len(found)}")
    return found


def _from_arrays(record: Record, place: str, classes: tuple[Label, ...]) -> list[Node]:
    """A tree of scikit-learn's arrays: a leaf has the children -1, and its other entries mean
    nothing."""
    TREE_ARRAYS.check(record, place)
    strict = truth(record, "strict", False, place)
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
        threshold = number(arrays["threshold"][n], f"{place}.threshold[{n}]")
        tree.append(Node(Threshold(column, threshold, strict), right, left, label))
    return tree


def _step(value: object, place: str, problem: TreeProblem) -> tree_prune.Step:
    record = read_object(value, place)
    STEP.check(record, place)
    return tree_prune.Step(if_given(record, "lam", _amount, place), _claim(record, place, problem))


def _claim(record: Record, place: str, problem: TreeProblem) -> tree_prune.Claim:
    if not any(name in record for name in _CLAIMS):
        raise FormatError(f"{place}: expected at least one of {', '.join(_CLAIMS)}")
    nodes = partial(_positions, count=len(problem.prune.tree))
    tree = partial(_tree, sample=problem.sample, classes=problem.classes)
    return tree_prune.Claim(
        leaves=if_given(record, "leaves", partial(whole, least=1), place),
        leaf_nodes=if_given(record, "leaf_nodes", nodes, place),
        collapsed=if_given(record, "collapsed", nodes, place),
        tree=if_given(record, "tree", tree, place),
        risk=if_given(record, "risk", _amount, place),
    )


def _amount(value: object, place: str) -> LogSum:
    if not isinstance(value, Mapping):
        return LogSum(number(value, place))
    LOG2.check(value, place)
    return log_terms(value["log2"], f"{place}.log2")


def _positions(value: object, place: str, count: int) -> frozenset[int]:
    found = [whole(entry, f"{place}[{i}]", 0) for i, entry in enumerate(entries(value, place))]
    for i, n in enumerate(found):
        if n >= count:
            raise FormatError(f"{place}[{i}]: node {shown(n)}, but there are {count}")
    return frozenset(found)
