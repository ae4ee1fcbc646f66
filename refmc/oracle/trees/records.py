"""The families `tree.grow` and `tree.prune`: problems and answers, read from records.

Both problems hold a sample:

    "X": m rows of numbers and categories, "y": m labels, "classes": labels in order (optional),
    "columns": names (optional), "categorical": names or positions of columns of strings (optional),
    "weights": m numbers of at least 0 (optional), "cost": a row for each predicted class, in it a
    column for each right one (optional)

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

A λ or a risk is a number, or {"log2": {"3": "1/2", …}}, the sum of coefficients times logarithms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal

from refmc.checker.numbers.logarithms import LogSum
from refmc.checker.numbers.rounding import Rounded
from refmc.checker.trees.data import Linear, Node, Question, Sample, Sphere, shape_fault
from refmc.checker.trees.grow import GrowthProblem
from refmc.checker.trees.impurity import NAMES, ImpurityName
from refmc.checker.trees.prune import Claim, PruningProblem, Step
from refmc.core.cells import categorical_columns
from refmc.core.records import Record, at, at_least_0, entries, items, number, numbers, parse_json
from refmc.core.sample import Label
from refmc.core.scalars import shown
from refmc.errors import FormatError
from refmc.learn.trees.search import check_lookahead
from refmc.oracle.columns import (
    CATEGORICAL,
    COLUMNS,
    MEMBERSHIP,
    QUESTION_PARTS,
    THRESHOLD,
    X,
    cells,
    check_fits,
    read_question,
    read_threshold,
)
from refmc.oracle.declaring import (
    FAMILY,
    REMARKS,
    amount,
    choice,
    claim,
    count,
    one_of,
    part,
    required,
    truth,
    truth_at,
    unjudged,
    whole_from,
)
from refmc.oracle.fields import REQUIRED, Choices, Declared, Field, Reading, Sizes
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
    TREE,
    TRUTH,
    WHOLE,
    Fields,
    Form,
    either,
    list_of,
)
from refmc.oracle.reading import label_position, log_terms, read_object, whole
from refmc.oracle.rounded import meant
from refmc.oracle.samples import (
    CLASSES,
    ROW_COSTS,
    WEIGHTS,
    Y,
    codes,
    costs,
    uniform_cost,
    uniform_row_costs,
)
from refmc.oracle.samples import COST as COST_TABLE

GROW, PRUNE = "tree.grow", "tree.prune"

INNER = ("question", "negative", "positive")
ARRAYS = ("children_left", "children_right", "feature", "threshold")
COST: Final = "cost"

_NOT_JUDGED: Fields = {"number": WHOLE, "counts": ANY, "costs": ANY, "tied": ANY}
LEAF = Form(optional={"label": LABEL, **_NOT_JUDGED})
NODE = Form({"question": QUESTION, "negative": WHOLE, "positive": WHOLE}, LEAF.optional)
NODES = Form({"nodes": list_of(either(NODE.schema(), LEAF.schema()))}, {"thresholds": ANY})
TREE_ARRAYS = Form(dict.fromkeys(ARRAYS, ARRAY), {"labels": LABELS, "strict": TRUTH})
LINEAR = Form({"coefficients": NUMBERS, "bound": NUMBER})
SPHERE = Form({"center": NUMBERS, "radius": NUMBER})
LOG2 = Form({"log2": LOGARITHMS})
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


def _candidates_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    d, values = sizes["columns"], ["-1", "0", "1", "2"]
    linear = {"coefficients": draws.row(d, values), "bound": draws.one_of(values)}
    sphere = {"center": draws.row(d, values), "radius": draws.one_of(["1", "3/2", "2"])}
    return {"candidates": draws.one_of([[linear], [sphere], [linear, sphere]])}


def _tree_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    """The tree that grows on the sample."""
    from refmc.learn.trees.grow import grow_tree  # no reader grows trees

    known = {name: problem[name] for name in ("X", "y", "categorical") if name in problem}
    read = read_problem({"family": GROW, **known})
    X, y = read.sample.X, [read.classes[c] for c in read.sample.y]
    tree = parse_json(grow_tree(X, y, categorical=categorical_columns(X)).to_json(), "tree")
    grown: Any = sorted(entries(tree["nodes"], "tree.nodes"), key=lambda node: node["number"])
    nodes = [{name: node[name] for name in INNER if name in node} for node in grown]
    return {"tree": {"nodes": nodes}}


X_AND_Y = (FAMILY, X, Y)
SAMPLE = (CLASSES, COLUMNS, CATEGORICAL, WEIGHTS, COST_TABLE, ROW_COSTS)
CANDIDATES: Field[tuple[Linear | Sphere, ...]] = Field(
    name="candidates", kind=list_of(QUESTION, 0), default=(), parts=IN_QUESTION,
    says="linear and sphere questions that every node may ask, too",
    read=lambda value, place, reading: _candidates(value, place, reading.of(sample)),
    draws=_candidates_drawn,
)  # fmt: skip
LOOKAHEAD = count(
    "lookahead",
    "questions are judged by the least impurity that so many further levels can leave; at most 10⁷ "
    "values may be looked at for a node",
    0, 0, (1, 2),
)  # fmt: skip
THRESHOLDS = choice(
    "thresholds",
    "which threshold a question is written with; the rows that answer yes are the same",
    "values", "midpoints",
)  # fmt: skip
IMPURITY: Field[ImpurityName] = choice("impurity", "of nodes", *NAMES)
WEIGHTED = truth(
    "weighted", "false: F̃ as the lecture has it (the default); true: times |n|/m, as libraries do"
)
STOPS = (
    count("max_splits", "the most splits; null for no limit", 0, None, (0, 1, 2)),
    count("min_leaf", "the least rows of a leaf", 1, 1, (2, 3, 4)),
    amount("min_leaf_weight", "the least weight of a leaf", Fraction(0), ("3/2", "2", "4")),
    count("min_split", "a node of fewer rows isn't split", 2, 2, (3, 4, 5)),
    count("max_depth", "the most levels of questions; null for no limit", 0, None, (0, 1, 2)),
    amount(
        "min_impurity", "a node of an impurity below it isn't split", Fraction(0),
        ("1/10", "3/8", "1/2"),
    ),
    amount(
        "min_decrease",
        "a split must decrease by that at least, and by more than 0; null for no limit", None,
        ("1/10", "1/4", "1/2"),
    ),
    LOOKAHEAD,
    CANDIDATES,
)  # fmt: skip
GROWTH = (IMPURITY, WEIGHTED, *STOPS)
"""The settings that the checker and the learner take under their own names."""
TREE_FIELD: Field[Sequence[Node]] = required(
    "tree", "the grown tree: nodes, or scikit-learn's arrays", TREE,
    lambda value, place, reading: _tree(value, place, *reading.of(sample_and_classes)),
    parts=IN_TREE, draws=_tree_drawn,
)  # fmt: skip
SCALE = choice(
    "scale", "λ beside |n|F(n), or both divided by the weight of all rows, as libraries do",
    "sum", "mean",
)  # fmt: skip


def _risk(value: object, place: str, reading: Reading) -> ImpurityName | Literal["cost"]:
    known: tuple[ImpurityName | Literal["cost"], ...] = NAMES
    return one_of(*known if reading.of(costs) is None else (*known, COST))(value, place)


RISK: Field[ImpurityName | Literal["cost"]] = required(
    "risk", "the impurity F that pruning counts, or `cost`, what the cheapest label costs",
    {"enum": [*NAMES, COST]}, _risk, draws=(*NAMES, COST),
)  # fmt: skip
PROBLEM = {
    GROW: Declared(
        fields=(*X_AND_Y, *SAMPLE, IMPURITY, WEIGHTED, THRESHOLDS, *STOPS),
        apart=((COST_TABLE, ROW_COSTS),),
    ),
    PRUNE: Declared(
        fields=(
            *X_AND_Y, *SAMPLE[:3], TREE_FIELD, WEIGHTS._replace(draws=["1", "1/2", "3"]),
            COST_TABLE._replace(neutral=uniform_cost),
            ROW_COSTS._replace(neutral=uniform_row_costs), RISK, SCALE,
        ),
        apart=((COST_TABLE, ROW_COSTS),),
    ),
}  # fmt: skip


def _amount_at(value: object, place: str, reading: Reading) -> LogSum:
    return _amount(value, place)


def _tree_of_answer(value: object, place: str, reading: Reading) -> list[Node]:
    about: TreeProblem = reading.about
    known: Sequence[Question | None]
    if isinstance(about.asked, GrowthProblem):
        known = about.asked.candidates
    else:
        known = [node.question for node in about.asked.tree]
    return _tree(value, place, about.sample, about.classes, known)


def _positions(value: object, place: str, reading: Reading) -> frozenset[int]:
    found = [whole(entry, f"{place}[{i}]", 0) for i, entry in enumerate(entries(value, place))]
    nodes = len(reading.about.prune.tree)
    for i, n in enumerate(found):
        if n >= nodes:
            raise FormatError(f"{place}[{i}]: node {shown(n)}, but there are {nodes}")
    return frozenset(found)


LAM = claim("lam", "λ", AMOUNT, _amount_at)
ONE_LAM = required("lam", "λ, at least 0", AMOUNT, _amount_at)
CLAIMS = (
    claim("leaves", "how many leaves the pruned tree has", WHOLE, whole_from(1)),
    claim("leaf_nodes", "its leaves", list_of(WHOLE, 0), _positions),
    claim("collapsed", "the nodes that were collapsed", list_of(WHOLE, 0), _positions),
    claim("tree", "the pruned tree", TREE, _tree_of_answer, parts=IN_TREE),
    claim("risk", "its risk", AMOUNT, _amount_at),
)
STEP = Declared(fields=(LAM, *CLAIMS), some=CLAIMS)
STEPS = Declared(
    fields=(
        part(
            "steps", list_of(STEP.form.schema()), "the sequence from the grown tree to its root",
            default=REQUIRED, parts=STEP.fields,
        ),
        *REMARKS,
    )
)  # fmt: skip
PRUNED = Declared(fields=(ONE_LAM, *CLAIMS, *REMARKS), some=CLAIMS)
GROWN_TREE = required("tree", "the grown tree", TREE, _tree_of_answer, parts=IN_TREE)
GROWN = Declared(fields=(GROWN_TREE, *REMARKS))
DECLARED = {GROW: ([PROBLEM[GROW]], [GROWN]), PRUNE: ([PROBLEM[PRUNE]], [STEPS, PRUNED])}


@dataclass(frozen=True)
class TreeProblem:
    """The sample, the labels that its class positions stand for, and what is asked of them."""

    sample: Sample
    classes: tuple[Label, ...]
    asked: GrowthProblem | PruningProblem

    @property
    def grow(self) -> GrowthProblem:
        """How a tree grows, of a problem of `tree.grow`."""
        assert isinstance(self.asked, GrowthProblem)
        return self.asked

    @property
    def prune(self) -> PruningProblem:
        """What is pruned, of a problem of `tree.prune`."""
        assert isinstance(self.asked, PruningProblem)
        return self.asked


def read_problem(record: Record) -> TreeProblem:
    """The problem of a record; `FormatError` names the field that is wrong.

    >>> problem = read_problem({"family": "tree.grow", "X": [["1/2"], [1]], "y": ["a", "b"]})
    >>> problem.sample.X, problem.grow.impurity
    ([[Fraction(1, 2)], [Fraction(1, 1)]], 'gini')
    """
    family = str(record.get("family"))
    if family not in PROBLEM:
        raise FormatError(f"problem.family: expected {GROW} or {PRUNE}, got {shown(family)}")
    reading = PROBLEM[family].read(record)
    asked = _growth(reading) if family == GROW else _pruning(reading)
    return TreeProblem(*reading.of(sample_and_classes), asked)


def sample_and_classes(reading: Reading) -> tuple[Sample, tuple[Label, ...]]:
    """The checker's sample, and the labels that its class positions stand for."""
    found = reading.of(cells)
    y, order = reading.of(codes)
    sample = Sample(
        X=found.X,
        y=y,
        k=len(order),
        weights=reading[WEIGHTS],
        costs=reading.of(costs),
        columns=found.columns,
        classes=tuple(map(str, order)),
    )
    return sample, order


def sample(reading: Reading) -> Sample:
    """The checker's sample."""
    return reading.of(sample_and_classes)[0]


def _pruning(reading: Reading) -> PruningProblem:
    return PruningProblem(
        sample=reading.of(sample),
        tree=reading[TREE_FIELD],
        risk=reading[RISK],
        per_row=reading[SCALE] == "mean",
    )


def _growth(reading: Reading) -> GrowthProblem:
    growth = GrowthProblem(
        sample=reading.of(sample),
        midpoints=reading[THRESHOLDS] == "midpoints",
        **reading.settings(*GROWTH),
    )
    if growth.lookahead:
        X = growth.sample.X
        columns = [set(column) for column in zip(*X)]
        sizes = [(len(values), isinstance(next(iter(values)), str)) for values in columns]
        more = len(growth.candidates)
        at("problem", lambda: check_lookahead(growth.lookahead, len(X), sizes, more))
    return growth


def read_grown(record: Record, problem: TreeProblem) -> list[Node]:
    """The tree of an answer of `tree.grow`."""
    return GROWN.read_answer(record, GROW, problem)[GROWN_TREE]


def read_steps(record: Record, problem: TreeProblem) -> list[Step]:
    """The steps of an answer of `tree.prune`."""
    STEPS.read_answer(record, PRUNE, problem)
    found = []
    for i, step in enumerate(items(record["steps"], "answer.steps")):
        place = f"answer.steps[{i}]"
        reading = STEP.read(read_object(step, place), place, problem)
        found.append(Step(reading[LAM], Claim(**reading.settings(*CLAIMS))))
    return found


def read_pruned(record: Record, problem: TreeProblem) -> tuple[LogSum | Rounded, Claim]:
    """λ and what an answer of `tree.prune` says of the tree at it."""
    reading = PRUNED.read_answer(record, PRUNE, problem)
    lam = reading[ONE_LAM]
    if lam.sign() < 0:
        raise FormatError(f"answer.lam: expected at least 0, got {lam.text()}")
    is_sum = isinstance(record["lam"], Mapping)
    claim = Claim(**reading.settings(*CLAIMS))
    return lam if is_sum else meant(record["lam"], "answer.lam"), claim


def _candidates(value: object, place: str, sample: Sample) -> tuple[Linear | Sphere, ...]:
    found = []
    for i, entry in enumerate(entries(value, place)):
        where = f"{place}[{i}]"
        question = _question(entry, where, sample)
        if not isinstance(question, (Linear, Sphere)):
            raise FormatError(f"{where}: expected coefficients and bound, or center and radius")
        check_fits(question, where, sample.X)
        found.append(question)
    return tuple(found)


def _tree(
    value: object,
    place: str,
    sample: Sample,
    classes: tuple[Label, ...],
    known: Sequence[Question | None] = (),
) -> list[Node]:
    """A tree; `known`: the questions that its floats may stand for."""
    record = read_object(value, place)
    if "nodes" in record:
        NODES.check(record, place)
        tree = _from_nodes(record, place, sample, classes, known)
    elif "children_left" in record:
        tree = _from_arrays(record, place, classes)
    else:
        raise FormatError(f"{place}: expected an object with nodes, or with children_left")
    fault = shape_fault(tree, sample)
    if fault is not None:
        raise FormatError(f"{place}: node {fault[0]} {fault[1]}")
    return tree


def _from_nodes(
    record: Record,
    place: str,
    sample: Sample,
    classes: tuple[Label, ...],
    known: Sequence[Question | None],
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
        label = None
        if "label" in node:
            label = label_position(node["label"], f"{where}.label", classes)
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
        question = _question(node["question"], f"{where}.question", sample, known)
        tree.append(Node(question, children[0], children[1], label))
    return tree


def _question(
    value: object, place: str, sample: Sample, known: Sequence[Question | None] = ()
) -> Question:
    """A question about a column, a linear or a sphere one; or the known one that it rounds."""
    record, width = read_object(value, place), len(sample.X[0])
    kind: type[Linear | Sphere]
    if "coefficients" in record or "bound" in record:
        form, kind, names, read = LINEAR, Linear, ("coefficients", "bound"), number
    elif "center" in record or "radius" in record:
        form, kind, names, read = SPHERE, Sphere, ("center", "radius"), at_least_0
    else:
        return read_question(value, place, sample.columns, width)
    form.check(record, place)
    vector, scalar = (record[name] for name in names)
    numbers = _vector(vector, f"{place}.{names[0]}", width)
    question = kind(numbers, read(scalar, f"{place}.{names[1]}"))
    given = [meant(v, place) for v in [*items(vector, place), scalar]]
    return next((q for q in known if type(q) is kind and _may_be(given, q)), question)


def _may_be(given: Sequence[Rounded], known: Question) -> bool:
    """Whether the numbers of a question may stand for those of a known one."""
    vector, scalar = vars(known).values()
    return all(v.holds(right) for v, right in zip(given, [*vector, scalar], strict=True))


def _vector(value: object, place: str, width: int) -> tuple[Fraction, ...]:
    found = tuple(numbers(value, place))
    if len(found) != width:
        raise FormatError(f"{place}: expected {width} numbers, one a column, got {len(found)}")
    return found


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


def _amount(value: object, place: str) -> LogSum:
    if not isinstance(value, Mapping):
        return LogSum(number(value, place))
    LOG2.check(value, place)
    return log_terms(value["log2"], f"{place}.log2")
